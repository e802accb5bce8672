#include "shell_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool put_text(char *to, size_t size, const char *text)
{
    return shell_put(to, size, text, strlen(text));
}

/* Whether only this process can open it, or only once: the shell's <(...), or standard input under another name. */
static bool is_one_time(const char *name)
{
    return strcmp(name, "-") == 0 || strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
}

bool shell_can_name(const struct replay_source *source)
{
    if (replay_is_endless(source) || source->count == 0)
        return false;
    for (size_t i = 0; i < source->count; i++)
        if (is_one_time(source->names[i]))
            return false;
    return true;
}

/* The options that the captures were read with, each followed by a blank. */
static bool put_options(char *to, size_t size, const struct replay_source *source)
{
    char option[40];
    bool fits = true;
    for (size_t i = 0; i < source->port_count && fits; i++) {
        snprintf(option, sizeof option, "--port %u=%s ", (unsigned)source->ports[i].port,
                 armtap_protocol_name(source->ports[i].protocol));
        fits = put_text(to, size, option);
    }
    if (source->raw != ARMTAP_PROTOCOL_NONE) {
        snprintf(option, sizeof option, "--raw %s ", armtap_protocol_name(source->raw));
        fits = fits && put_text(to, size, option);
    }
    return fits && (!source->no_guess || put_text(to, size, "--no-guess "));
}

static bool put_recipe(char *to, size_t size, const struct replay_source *source)
{
    return !source->recipe_name ||
           (put_text(to, size, "--recipe ") && shell_word(to, size, source->recipe_name) && put_text(to, size, " "));
}

/* After --from: each capture has its own --from, then the options follow, without --recipe. */
static bool put_from(char *to, size_t size, const struct replay_source *source)
{
    bool fits = true;
    for (size_t i = 0; i < source->count && fits; i++)
        fits = (i == 0 || put_text(to, size, " --from ")) && shell_word(to, size, source->names[i]);
    fits = fits && put_text(to, size, " ") && put_options(to, size, source);
    to[strlen(to) - 1] = '\0';
    return fits;
}

static bool put_names(char *to, size_t size, const struct replay_source *source)
{
    bool fits = put_options(to, size, source) && put_recipe(to, size, source);
    for (size_t i = 0; i < source->count && fits; i++)
        fits = (i == 0 || put_text(to, size, " ")) && shell_word(to, size, source->names[i]);
    return fits;
}

/* Writes the number after --packet. */
static bool put_packet(char *to, size_t size, const struct replay_source *source, const struct armtap_where *where)
{
    char text[80];
    int length = snprintf(text, sizeof text, "%" PRIu64, where->packet);
    if (source->count > 1)
        length += snprintf(text + length, sizeof text - (size_t)length, " --file %u", (unsigned)where->file + 1);
    return shell_put(to, size, text, (size_t)length);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* Writes a word of the pattern; false if it remains a placeholder. */
static bool put_word(char *to, size_t size, const char *word, size_t length, const struct replay_source *source,
                     const struct armtap_where *where)
{
    size_t before = strlen(to);
    bool is_file = length == 4 && memcmp(word, "FILE", 4) == 0,
         is_packet = length == 6 && memcmp(word, "PACKET", 6) == 0;
    bool is_stream = length == 6 && memcmp(word, "STREAM", 6) == 0;
    if (is_file && shell_can_name(source) &&
        (ends_with(to, "--from ") ? put_from(to, size, source) : put_names(to, size, source)))
        return true;
    to[before] = '\0';
    if (is_packet && where && where->packet > 0)
        return put_packet(to, size, source, where);
    shell_put(to, size, word, length);
    return !is_file && !is_packet && !is_stream;
}

bool shell_command(char to[SHELL_MAX], const char *pattern, const struct replay_source *source,
                   const struct armtap_where *where)
{
    bool is_whole = true;
    to[0] = '\0';
    while (*pattern != '\0') {
        size_t length = strcspn(pattern, " "), blanks = strspn(pattern + length, " ");
        /* Keeps room for the rest of the command, which is short. */
        is_whole = put_word(to, SHELL_MAX - 200, pattern, length, source, where) && is_whole;
        shell_put(to, SHELL_MAX, pattern + length, blanks);
        pattern += length + blanks;
    }
    return is_whole;
}
