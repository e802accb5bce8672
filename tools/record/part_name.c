#define _POSIX_C_SOURCE 200809L
#include "rotation.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "nanoseconds.h"

static const char robot_word[] = PART_NAME_ROBOT, gzip_ending[] = ".gz";

struct text {
    char *to;
    size_t length;
};

/* What conversions make that always make the same number of digits; '0' is any digit. */
static const struct conversion {
    char letter;
    const char *makes;
} conversions[] = {
    {'C', "00"}, {'F', "0000-00-00"}, {'G', "0000"}, {'H', "00"},         {'I', "00"}, {'M', "00"},   {'R', "00:00"},
    {'S', "00"}, {'T', "00:00:00"},   {'U', "00"},   {'V', "00"},         {'W', "00"}, {'Y', "0000"}, {'d', "00"},
    {'g', "00"}, {'j', "000"},        {'m', "00"},   {'s', "0000000000"}, {'u', "0"},  {'w', "0"},    {'y', "00"},
};

static int add_bytes(struct text *text, const char *bytes, size_t length)
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
    if (add_bytes(text, robot, strlen(robot)) != 0)
        return -1;
    for (char *at = text->to + begin; *at != '\0'; at++)
        if (strchr("/:%[] ", *at))
            *at = '-';
    return 0;
}

/* Where the ending begins: ".pcapng", ".pcapng.gz". */
static size_t stem_of(const char *name)
{
    const char *file = path_base(name);
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
    snprintf(number, sizeof number, "_%0*u", (int)PART_NAME_DIGITS, copy);
    text->length = stem;
    return add_bytes(text, number, strlen(number)) != 0 ? -1 : add_bytes(text, ending, strlen(ending));
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
        message_error("%s: a capture is binary and is not written to a terminal; use -o FILE, or a pipe: armtap %s -o "
                      "- ... | "
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
        if (add_bytes(&text, at, (size_t)(word - at)) != 0 || add_robot(&text, robot) != 0)
            return -1;
    if (add_bytes(&text, at, strlen(at)) != 0)
        return -1;
    return copy > 1 ? add_copy(&text, copy) : 0;
}

/* ---- patterns of names ------------------------------------------------------------------------------------------- */

/* The places that still fit. */
struct glob {
    char *to;
    size_t length;
    bool is_full;
};

static void add_to_glob(struct glob *glob, const char *bytes, size_t length)
{
    glob->is_full = glob->is_full || length >= PART_GLOB_MAX - glob->length;
    if (glob->is_full)
        return;
    memcpy(glob->to + glob->length, bytes, length);
    glob->length += length;
    glob->to[glob->length] = '\0';
}

static void add_digit(struct glob *glob)
{
    static const char digit[] = "[0-9]";
    add_to_glob(glob, digit, sizeof digit - 1);
}

/* A character that stands for itself. */
static void add_character(struct glob *glob, char character)
{
    if (strchr("*?[]\\", character))
        add_to_glob(glob, "\\", 1);
    add_to_glob(glob, &character, 1);
}

/* What a letter behind % makes. False if that is not certain. */
static bool add_conversion(struct glob *glob, char letter)
{
    if (letter == '%')
        add_character(glob, letter);
    if (letter == '%')
        return true;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (conversions[i].letter == letter) {
            for (const char *at = conversions[i].makes; *at != '\0'; at++)
                *at == '0' ? add_digit(glob) : add_character(glob, *at);
            return true;
        }
    return false;
}

/* False if it has a conversion that is not certain. */
static bool add_pattern(struct glob *glob, const char *from, const char *robot)
{
    char shown[PART_NAME_MAX] = "";
    struct text name = {.to = shown};
    glob->is_full = add_robot(&name, robot) != 0;
    for (; *from != '\0'; from++) {
        bool is_robot = strncmp(from, robot_word, strlen(robot_word)) == 0;
        for (const char *at = is_robot ? shown : ""; *at != '\0'; at++)
            add_character(glob, *at);
        if (is_robot)
            from += strlen(robot_word) - 1;
        else if (*from != '%')
            add_character(glob, *from);
        else if (!add_conversion(glob, *++from))
            return false;
    }
    return true;
}

enum part_glob_outcome part_name_glob(char to[PART_GLOB_MAX], const char *pattern, const char *robot, unsigned digits)
{
    struct glob glob = {.to = to};
    char ending[PART_NAME_MAX];
    to[0] = '\0';
    if (!add_pattern(&glob, pattern, robot))
        return PART_GLOB_UNSURE;
    if (digits > 0) { /* dots and slashes of the pattern stand for themselves */
        size_t stem = stem_of(to);
        snprintf(ending, sizeof ending, "%s", to + stem);
        glob.length = stem;
        add_character(&glob, '_');
        for (unsigned i = 0; i < digits; i++)
            add_digit(&glob);
        add_to_glob(&glob, ending, strlen(ending));
    }
    return glob.is_full ? PART_GLOB_TOO_LONG : PART_GLOB_OK;
}
