#include "around.h"

#include <stdio.h>
#include <string.h>

#include "base/process/message.h"
#include "base/numbers/timestamp.h"
#include "nanoseconds.h"
#include "options.h"

#define AROUND_DEFAULT SECOND

static int unknown_id(const char *command, const char *id)
{
    const char *names[256];
    size_t count = 0;
    while (count < armtap_note_count() && count < sizeof names / sizeof *names) {
        names[count] = armtap_note_at(count)->id;
        count++;
    }
    const char *nearest = options_nearest(id, names, count);
    if (nearest)
        message_error("%s: --around: unknown id '%s'; did you mean '%s'?", command, id, nearest);
    else
        message_error("%s: --around: unknown id '%s'; armtap diagnose --list shows all ids", command, id);
    return -1;
}

int around_parse(const char *command, const char *value, const struct armtap_note_kind **around, int64_t *reach)
{
    char id[64], seconds[64];
    size_t length = strcspn(value, "=");
    struct timestamp given = {.ns = AROUND_DEFAULT};
    snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), value);
    *around = armtap_note_find(id);
    if (!*around)
        return unknown_id(command, id);
    if (value[length] == '=') {
        snprintf(seconds, sizeof seconds, "+%s", value + length + 1);
        if (timestamp_parse(seconds, &given) != 0) {
            message_error("%s: --around %s: not a number of seconds: %s", command, id, value + length + 1);
            return -1;
        }
    }
    *reach = given.ns;
    return 0;
}
