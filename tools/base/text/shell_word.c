#include "shell_word.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

bool shell_put(char *to, size_t size, const char *text, size_t length)
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
    return shell_put(to, size, text, strlen(text));
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
            fits = (*word == '\\' || *word == '%' ? shell_put(to, size, word, 1) : true) &&
                   shell_put(to, size, word, length);
        word += length == 0 ? 1 : length;
        left -= length == 0 ? 1 : length;
    }
    return fits && put_text(to, size, "')\"");
}

static bool put_quoted(char *to, size_t size, const char *word)
{
    bool fits = put_text(to, size, "'");
    for (; *word != '\0' && fits; word++)
        fits = *word == '\'' ? put_text(to, size, "'\\''") : shell_put(to, size, word, 1);
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
