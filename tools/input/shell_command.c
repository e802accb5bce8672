#include "shell_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

static bool put_bytes(char *to, size_t size, const char *text, size_t length)
{
    size_t used = strlen(to);
    if (length >= size - used)
        return false;
    memcpy(to + used, text, length);
    to[used + length] = '\0';
    return true;
}

static bool put_text(char *to, size_t size, const char *text)
{
    return put_bytes(to, size, text, strlen(text));
}

/* Whether every character may be printed. */
static bool is_shown(const char *word)
{
    size_t shown;
    for (; *word != '\0'; word += shown)
        if ((shown = utf8_shown(word, strlen(word))) == 0)
            return false;
    return true;
}

/* A printf command with each byte that must not be printed as \ooo. Every shell has printf; some lack $'...'. Fails for
 * a word that ends in a line end, because the shell strips those from a command's output. */
static bool put_printf(char *to, size_t size, const char *word)
{
    size_t left = strlen(word);
    bool fits = word[left - 1] != '\n' && put_text(to, size, "\"$(printf '");
    while (left > 0 && fits) {
        size_t length = utf8_shown(word, left);
        char octal[5];
        snprintf(octal, sizeof octal, "\\%03o", (unsigned)(unsigned char)*word);
        if (length == 0 || *word == '\'')
            fits = put_text(to, size, octal);
        else
            fits = (*word == '\\' || *word == '%' ? put_bytes(to, size, word, 1) : true) &&
                   put_bytes(to, size, word, length);
        word += length == 0 ? 1 : length;
        left -= length == 0 ? 1 : length;
    }
    return fits && put_text(to, size, "')\"");
}

static bool put_quoted(char *to, size_t size, const char *word)
{
    bool fits = put_text(to, size, "'");
    for (; *word != '\0' && fits; word++)
        fits = *word == '\'' ? put_text(to, size, "'\\''") : put_bytes(to, size, word, 1);
    return fits && put_text(to, size, "'");
}

bool shell_word(char *to, size_t size, const char *word)
{
    size_t before = strlen(to);
    bool fits = word[0] == '-' ? put_text(to, size, "./") : true;
    if (!is_shown(word))
        fits = fits && put_printf(to, size, word);
    else if (*word == '\0' || word[strspn(word, PLAIN)] != '\0')
        fits = fits && put_quoted(to, size, word);
    else
        fits = fits && put_text(to, size, word);
    if (!fits)
        to[before] = '\0';
    return fits;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

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

/* Writes the N of "--packet N". */
static bool put_packet(char *to, size_t size, const struct replay_source *source, const struct armtap_where *where)
{
    char text[80];
    int length = snprintf(text, sizeof text, "%" PRIu64, where->packet);
    if (source->count > 1)
        length += snprintf(text + length, sizeof text - (size_t)length, " --file %u", (unsigned)where->file + 1);
    return put_bytes(to, size, text, (size_t)length);
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
    bool is_file = length == 4 && memcmp(word, "FILE", 4) == 0, is_packet = length == 1 && *word == 'N';
    if (is_file && shell_can_name(source) &&
        (ends_with(to, "--from ") ? put_from(to, size, source) : put_names(to, size, source)))
        return true;
    to[before] = '\0';
    if (is_packet && where && where->packet > 0)
        return put_packet(to, size, source, where);
    put_bytes(to, size, word, length);
    return !is_file && !is_packet;
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
        put_bytes(to, SHELL_MAX, pattern + length, blanks);
        pattern += length + blanks;
    }
    return is_whole;
}
