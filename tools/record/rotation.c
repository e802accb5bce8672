#include "rotation.h"

#include <stdbool.h>
#include <string.h>

#include "amount.h"
#include "base/message.h"

int rotation_take(struct rotation *rotation, const char *value)
{
    size_t length = strlen(value);
    bool is_size = length > 0 && strchr("kMGT", value[length - 1]);
    if (is_size ? amount_bytes(value, &rotation->part_size) == 0 : amount_time(value, &rotation->time) == 0)
        return 0;
    message_error("--rotate '%s': expected a time such as 60s, 15m, 1h or 1d, or a size such as 500M or 1G", value);
    return -1;
}

int rotation_take_keep(struct rotation *rotation, const char *value)
{
    if (amount_bytes(value, &rotation->keep) == 0)
        return 0;
    message_error("--keep '%s': expected a size such as 500M or 200G", value);
    return -1;
}

int rotation_check(const struct rotation *rotation, const char *command, const char *output)
{
    bool rotates = rotation->time > 0 || rotation->part_size > 0;
    if (strcmp(output, "-") == 0 && rotates)
        message_error("%s: --rotate needs files; standard output is one", command);
    else if (rotation->keep > 0 && !rotates)
        message_error("%s: --keep deletes whole files; give --rotate too", command);
    else if (rotation->keep > 0 && rotation->keep < rotation->part_size)
        message_error("%s: --keep is less than one file of --rotate; give a larger --keep or a smaller --rotate",
                      command);
    else
        return 0;
    return -1;
}
