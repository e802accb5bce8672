/* Texts of unknown origin, character by character. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* The length of the sequence of two to four bytes at `text`, 0 if there is none: no overlong form, no surrogate. */
size_t utf8_length(const unsigned char *text, size_t left);
/* The length of the character at `text`, 0 where it must not be printed as it is: bytes that are no UTF-8, characters
 * of control, and such as turn the direction of what follows. */
size_t utf8_shown(const char *text, size_t left);

#define UTF8_SHOWN_MAX 5
/* The character at `text` as it may be printed, \xHH for a byte that must not be; terminated. Returns its length;
 * *used becomes the bytes of `text`. */
size_t utf8_show(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used);

#endif
