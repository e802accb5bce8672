/* Texts of unknown origin, character by character. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the sequence of two to four bytes at `text`, 0 if there is none: no overlong form, no surrogate. */
size_t utf8_length(const unsigned char *text, size_t left);
/* The length of the character at `text`, and its code point; 0 for a byte that is no UTF-8. */
size_t utf8_character(const char *text, size_t left, uint32_t *character);
/* Whether a character is one that steers, separates lines or is not seen: escape sequences, marks that turn the
 * direction of what follows, blanks of no width. */
bool utf8_is_hidden(uint32_t character);
/* The length of the character at `text`, 0 where it must not be printed as it is: bytes that are no UTF-8, and hidden
 * characters. */
size_t utf8_shown(const char *text, size_t left);

#define UTF8_SHOWN_MAX 5
/* The character at `text` as it may be printed, \xHH for a byte that must not be; terminated. Returns its length;
 * *used becomes the bytes of `text`. */
size_t utf8_show(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used);
/* The same for a file of data, where a text stays what it is as far as it is text: only NUL and bytes that are no UTF-8
 * become \xHH. */
size_t utf8_store(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used);

#endif
