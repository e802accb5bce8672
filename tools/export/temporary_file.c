#define _XOPEN_SOURCE 700
#include "temporary_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { ATTEMPTS_MAX = 100, NAME_KEPT = 200, NAME_ADDED = 64, PREFIX_MAX = NAME_KEPT + NAME_ADDED };

/* ---- names: .OUTPUT.armtap-MACHINE-PROCESS-NUMBER ---------------------------------------------------------------- */

static uint32_t add_text(uint32_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return hash;
}

/* Differs where process ids mean something else: on another machine, and in another container of this one. */
static uint32_t machine(void)
{
    struct utsname name;
    char space[64] = "";
    uint32_t hash = add_text(2166136261U, uname(&name) == 0 ? name.nodename : "");
    if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
        space[0] = '\0';
    return add_text(hash, space);
}

/* The beginning of the names of all temporary files for an output that this machine makes. */
static void put_prefix(char prefix[PREFIX_MAX], const char *base)
{
    snprintf(prefix, PREFIX_MAX, ".%.*s.armtap-%08x-", NAME_KEPT, base, (unsigned)machine());
}

/* ---- what killed runs left behind -------------------------------------------------------------------------------- */

/* Whether a process has ended, though nobody has asked for its status yet, as happens in containers. */
static bool is_zombie(long process)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0);
}

static bool is_gone(long process)
{
    return kill((pid_t)process, 0) != 0 ? errno == ESRCH : is_zombie(process);
}

/* Whether a name with this prefix is that of a process which is gone. */
static bool is_left_over(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    char *end;
    long process = strtol(name + length, &end, 10);
    return process > 0 && *end == '-' && is_gone(process);
}

/* A folder that cannot be read keeps them: they are only in the way of people. */
static void remove_left_over(const char *folder_name, const char *prefix)
{
    DIR *folder = opendir(folder_name);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_left_over(entry->d_name, prefix))
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

int temporary_file_make(const char *place, char **name)
{
    const char *slash = strrchr(place, '/');
    size_t before = slash ? (size_t)(slash - place) + 1 : 0, room = before + PREFIX_MAX + NAME_ADDED;
    char prefix[PREFIX_MAX], *path = malloc(room);
    int file = -1;
    if (!path)
        return -1;
    put_prefix(prefix, place + before);
    snprintf(path, room, "%.*s", (int)before, place);
    remove_left_over(before > 0 ? path : ".", prefix);
    for (unsigned i = 0; file < 0 && i < ATTEMPTS_MAX; i++) {
        snprintf(path + before, room - before, "%s%ld-%u", prefix, (long)getpid(), i);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    int error = errno;
    if (file < 0)
        free(path);
    else
        *name = path;
    errno = error;
    return file;
}
