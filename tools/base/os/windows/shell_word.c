#include "base/os/shell_word.h"

#include "base/text/utf8.h"

/* PowerShell takes a comma for a list, and a word that begins with @ for a variable. */
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+=:./\\-"
/* What one of the two shells replaces between double quotes as well. */
#define REPLACED "\"$`%"

/* cmd.exe would want ^, PowerShell `. */
const char *const shell_line_break = NULL;
const char *const shell_list = "dir";

bool shell_word(char *to, size_t size, const char *word)
{
    size_t before = strlen(to), length = strlen(word);
    bool is_plain = length > 0 && strspn(word, PLAIN) == length;
    bool escapes = !is_plain && length > 0 && word[length - 1] == '\\'; /* the quote after it, unless it is doubled */
    bool fits = utf8_is_shown(word) && !strpbrk(word, REPLACED) && (word[0] != '-' || shell_put(to, size, "./", 2)) &&
                (is_plain || shell_put(to, size, "\"", 1)) && shell_put(to, size, word, length) &&
                (!escapes || shell_put(to, size, "\\", 1)) && (is_plain || shell_put(to, size, "\"", 1));
    if (!fits)
        to[before] = '\0';
    return fits;
}
