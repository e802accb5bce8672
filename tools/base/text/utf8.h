/* Texts of unknown origin, character by character. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the character at `text`, and its code point; 0 for a byte that is not UTF-8. */
size_t utf8_character(const char *text, size_t left, uint32_t *character);
/* Whether a character is a control character, separates lines or is invisible: escape sequences, direction marks,
 * zero-width spaces. */
bool utf8_is_hidden(uint32_t character);
/* The length of the character at `text`; 0 if it must not be printed as it is (not UTF-8, or hidden). */
size_t utf8_shown(const char *text, size_t left);

#define UTF8_SHOWN_MAX 5
/* Writes the character at `text`, or \xHH for a byte that must not be printed, and a NUL. Returns the length written;
 * *used becomes the number of bytes read from `text`. */
size_t utf8_show(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used);
/* The same for data files, which keep text as it is: only NUL and bytes that are not UTF-8 become \xHH. */
size_t utf8_store(char to[UTF8_SHOWN_MAX], const char *text, size_t left, size_t *used);

/* Whether all of a text may be shown. */
bool utf8_is_shown(const char *text);

#endif
