#define _POSIX_C_SOURCE 200809L
#include "part_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "nanoseconds.h"

static const char robot_word[] = PART_NAME_ROBOT, gzip_ending[] = ".gz";

struct text {
    char *to;
    size_t length;
};

static int add(struct text *text, const char *bytes, size_t length)
{
    if (length >= PART_NAME_MAX - text->length) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(text->to + text->length, bytes, length);
    text->length += length;
    text->to[text->length] = '\0';
    return 0;
}

/* Addresses have characters that file names should not. */
static int add_robot(struct text *text, const char *robot)
{
    size_t begin = text->length;
    if (add(text, robot, strlen(robot)) != 0)
        return -1;
    for (char *at = text->to + begin; *at != '\0'; at++)
        if (strchr("/:%[] ", *at))
            *at = '-';
    return 0;
}

/* Where the ending begins: ".pcapng", ".pcapng.gz". */
static size_t stem_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    size_t length = strlen(file), tail = sizeof gzip_ending - 1;
    if (length > tail && strcmp(file + length - tail, gzip_ending) == 0)
        length -= tail;
    size_t dot = length;
    while (dot > 0 && file[dot - 1] != '.')
        dot--;
    return (size_t)(file - name) + (dot > 1 ? dot - 1 : length);
}

static int add_copy(struct text *text, unsigned copy)
{
    char ending[PART_NAME_MAX], number[16];
    size_t stem = stem_of(text->to);
    snprintf(ending, sizeof ending, "%s", text->to + stem);
    snprintf(number, sizeof number, "_%05u", copy);
    text->length = stem;
    return add(text, number, strlen(number)) != 0 ? -1 : add(text, ending, strlen(ending));
}

static int expand_time(char to[PART_NAME_MAX], const char *pattern, int64_t time)
{
    time_t seconds = (time_t)(time / SECOND);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) && strftime(to, PART_NAME_MAX, pattern, &utc) > 0)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int part_name_check(const char *command, const char *pattern)
{
    if (*pattern == '\0')
        message_error("%s: -o needs the name of a file", command);
    else if (strcmp(pattern, "-") == 0 && isatty(STDOUT_FILENO))
        message_error("%s: a capture is no text for a terminal; give -o FILE, or a pipe: armtap %s -o - ... | "
                      "wireshark -k -i -",
                      command, command);
    else
        return 0;
    return -1;
}

int part_name(char name[PART_NAME_MAX], const char *pattern, const char *robot, int64_t time, unsigned copy)
{
    char timed[PART_NAME_MAX];
    struct text text = {.to = name};
    const char *word;
    name[0] = '\0';
    if (expand_time(timed, pattern, time) != 0)
        return -1;
    const char *at = timed;
    for (; (word = strstr(at, robot_word)); at = word + strlen(robot_word))
        if (add(&text, at, (size_t)(word - at)) != 0 || add_robot(&text, robot) != 0)
            return -1;
    if (add(&text, at, strlen(at)) != 0)
        return -1;
    return copy > 1 ? add_copy(&text, copy) : 0;
}
