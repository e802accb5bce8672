#define _POSIX_C_SOURCE 200809L
#include "file_bytes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/os/names.h"
#include "base/os/file.h"
#include "base/process/message.h"

/* ms. Also needed where the system tells of changes: it misses what another machine writes. */
#define WAIT_MS 200

struct growth {
    const char *name;
    int file;
    int watch; /* -1: none */
    bool warned;
    struct ends ends;
};

struct growth *growth_new(const char *name, int file)
{
    struct growth *growth = malloc(sizeof *growth);
    if (growth)
        *growth = (struct growth){.name = name, .file = file, .watch = file_watch(name)};
    return growth;
}

void growth_free(struct growth *growth)
{
    if (!growth)
        return;
    if (growth->watch >= 0)
        close(growth->watch);
    free(growth);
}

void growth_wait(struct growth *growth)
{
    file_watch_wait(growth->watch, WAIT_MS);
}

void growth_keep(struct growth *growth, const uint8_t *bytes, size_t length)
{
    ends_keep(&growth->ends, bytes, length);
}

enum input_outcome growth_check(const struct growth *growth)
{
    return ends_check(&growth->ends, growth->file);
}

void growth_watch_name(struct growth *growth)
{
    struct file_status opened, named;
    bool is_there = file_status(growth->name, &named) == 0;
    if (growth->warned || file_status_of_open(growth->file, &opened) != 0 ||
        (is_there && file_may_be_same(&named, &opened)))
        return;
    growth->warned = true;
    message_warning("%s: %s; armtap still follows the file that had this name at the start; press Ctrl-C, then follow "
                    "the new one",
                    growth->name, is_there ? "another file has this name now" : "it was renamed or removed");
}
