#define _POSIX_C_SOURCE 200809L
#include "growth.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/inotify.h>
#endif

#include "message.h"

/* ms: also with inotify, which hears nothing of what another machine writes. */
#define WAIT_MS 200
/* Enough of a capture's beginning for its first packet with its time, and of its end for what no other capture has. */
#define KEPT 1024

struct growth {
    const char *name;
    int file;
    int notifier; /* -1: there is none */
    bool told;
    uint64_t length; /* that was read */
    size_t first_length, last_length;
    uint8_t first[KEPT], last[KEPT]; /* bytes of it */
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
    if (growth != NULL)
        *growth = (struct growth){.name = name, .file = file, .notifier = notifier_open(name)};
    return growth;
}

void growth_free(struct growth *growth)
{
    if (growth == NULL)
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
    size_t room = KEPT - growth->first_length, more = length < room ? length : room;
    memcpy(growth->first + growth->first_length, bytes, more);
    growth->first_length += more;
    more = length < KEPT ? length : KEPT;
    size_t stays = growth->last_length < KEPT - more ? growth->last_length : KEPT - more;
    memmove(growth->last, growth->last + growth->last_length - stays, stays);
    memcpy(growth->last + stays, bytes + length - more, more);
    growth->last_length = stays + more;
    growth->length += length;
}

static enum input_outcome compare(int file, uint64_t position, const uint8_t *kept, size_t length)
{
    uint8_t now[KEPT];
    enum input_outcome outcome = input_read_all(file, position, now, length);
    return outcome != INPUT_OK || memcmp(now, kept, length) == 0 ? outcome : INPUT_REWRITTEN;
}

enum input_outcome growth_judge(const struct growth *growth)
{
    uint64_t last = growth->length - growth->last_length;
    enum input_outcome outcome = compare(growth->file, last, growth->last, growth->last_length);
    return outcome != INPUT_OK ? outcome : compare(growth->file, 0, growth->first, growth->first_length);
}

void growth_watch_name(struct growth *growth)
{
    struct stat opened, named;
    bool is_there = stat(growth->name, &named) == 0;
    if (growth->told || fstat(growth->file, &opened) != 0 ||
        (is_there && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev))
        return;
    growth->told = true;
    message_warning("%s: %s; what is followed is still the file that had this name at the start: end with Ctrl-C, and "
                    "follow the new one",
                    growth->name, is_there ? "another file has this name now" : "it was renamed or removed");
}
