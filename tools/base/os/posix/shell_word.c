#include "base/os/shell_word.h"

#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

const char *const shell_line_break = " \\\n";

static bool put_text(char *to, size_t size, const char *text)
{
    return shell_put(to, size, text, strlen(text));
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
    if (!utf8_is_shown(word))
        fits = fits && put_printf(to, size, word);
    else if (*word == '\0' || word[strspn(word, PLAIN)] != '\0')
        fits = fits && put_quoted(to, size, word);
    else
        fits = fits && put_text(to, size, word);
    if (!fits)
        to[before] = '\0';
    return fits;
}

bool shell_list(char *to, size_t size, const char *folder)
{
    size_t before = strlen(to);
    bool fits =
        put_text(to, size, "ls") && (*folder == '\0' || (put_text(to, size, " ") && shell_word(to, size, folder)));
    if (!fits)
        to[before] = '\0';
    return fits;
}
