#include "file_order.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/process/message.h"
#include "input/capture/capture.h"

struct dated {
    char *name;
    int64_t first; /* ns; INT64_MAX: unknown */
    size_t given;
};

/* 0, or -1 if memory runs out. Problems are reported when the file is read. */
static int find_first(struct dated *dated)
{
    const struct reader_wish wish = {.name = dated->name, .quiet = true};
    struct armtap_packet packet;
    struct capture *capture = capture_open(&wish);
    dated->first = INT64_MAX;
    if (!capture)
        return errno == ENOMEM ? -1 : 0;
    enum capture_outcome outcome = capture_is_raw(capture) ? CAPTURE_END : capture_next(capture, &packet);
    if (outcome == CAPTURE_PACKET && packet.where.time != ARMTAP_NO_TIME)
        dated->first = packet.where.time;
    capture_close(capture);
    return outcome == CAPTURE_NO_MEMORY ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
    const struct dated *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return (one->given > other->given) - (one->given < other->given);
}

static int check(char *const *names, size_t count)
{
    struct stat status;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], "-") != 0 && (stat(names[i], &status) != 0 || S_ISREG(status.st_mode)))
            continue;
        message_error("--sort reads the beginning of each file first, which %s does not allow: name ordinary files",
                      reader_name(names[i]));
        return -1;
    }
    return 0;
}

int file_order_sort(char **names, size_t count)
{
    if (check(names, count) != 0)
        return -1;
    struct dated *all = calloc(count + 1, sizeof *all);
    int outcome = all ? 0 : -1;
    for (size_t i = 0; i < count && outcome == 0; i++) {
        all[i] = (struct dated){.name = names[i], .given = i};
        outcome = find_first(&all[i]);
    }
    if (outcome != 0)
        message_no_memory();
    else
        qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i < count && outcome == 0; i++)
        names[i] = all[i].name;
    free(all);
    return outcome;
}
