#define _POSIX_C_SOURCE 200809L
#include "file_bytes.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/inotify.h>
#endif

#include "base/process/message.h"

/* ms. Also needed with inotify, which misses what another machine writes. */
#define WAIT_MS 200

struct growth {
    const char *name;
    int file;
    int notifier; /* -1: none */
    bool warned;
    struct ends ends;
};

#if defined(__linux__)
static int notifier_open(const char *name)
{
    int notifier = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (notifier >= 0 && inotify_add_watch(notifier, name, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF) < 0) {
        close(notifier);
        notifier = -1;
    }
    return notifier;
}
#else
static int notifier_open(const char *name)
{
    (void)name;
    return -1;
}
#endif

struct growth *growth_new(const char *name, int file)
{
    struct growth *growth = malloc(sizeof *growth);
    if (growth)
        *growth = (struct growth){.name = name, .file = file, .notifier = notifier_open(name)};
    return growth;
}

void growth_free(struct growth *growth)
{
    if (!growth)
        return;
    if (growth->notifier >= 0)
        close(growth->notifier);
    free(growth);
}

void growth_wait(struct growth *growth)
{
    char events[4096];
    struct pollfd poller = {.fd = growth->notifier, .events = POLLIN};
    if (poll(&poller, growth->notifier >= 0, WAIT_MS) <= 0)
        return;
    while (read(growth->notifier, events, sizeof events) > 0)
        ;
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
    struct stat opened, named;
    bool is_there = stat(growth->name, &named) == 0;
    if (growth->warned || fstat(growth->file, &opened) != 0 ||
        (is_there && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev))
        return;
    growth->warned = true;
    message_warning("%s: %s; armtap still follows the file that had this name at the start; press Ctrl-C, then follow "
                    "the new one",
                    growth->name, is_there ? "another file has this name now" : "it was renamed or removed");
}
