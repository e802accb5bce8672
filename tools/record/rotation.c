#include "rotation.h"

#include <stdbool.h>
#include <string.h>

#include "amount.h"
#include "base/process/message.h"

int rotation_read(const struct option_row *row, const char *value, void *place)
{
    struct rotation *rotation = place;
    size_t length = strlen(value);
    bool is_size = length > 0 && strchr("kMGT", value[length - 1]);
    if (is_size ? amount_bytes(value, &rotation->part_size) != 0 : amount_time(value, &rotation->time) != 0)
        return option_refuse(row, value, "a time such as 60s, 15m, 1h or 1d, or a size such as 500M or 1G");
    if (!(is_size ? rotation->has_size++ : rotation->has_time++))
        return 0;
    message_error("--%s %s: another %s is given already; leave one of them out", row->name, value,
                  is_size ? "size" : "time");
    return -1;
}

int rotation_read_keep(const struct option_row *row, const char *value, void *place)
{
    struct rotation *rotation = place;
    return amount_bytes(value, &rotation->keep) == 0 ? 0 : option_refuse(row, value, "a size such as 500M or 200G");
}

int rotation_check(const struct rotation *rotation, const char *command, const char *output)
{
    bool rotates = rotation->time > 0 || rotation->part_size > 0;
    if (strcmp(output, "-") == 0 && rotates)
        message_error("%s: --rotate needs files; standard output is one", command);
    else if (rotation->keep > 0 && rotation->keep < rotation->part_size)
        message_error("%s: --keep is less than one file of --rotate; give a larger --keep or a smaller --rotate",
                      command);
    else
        return 0;
    return -1;
}
