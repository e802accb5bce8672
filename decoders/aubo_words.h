/* The words of AUBO's JSON: numbers, true, false, null, NaN, Infinity. */
#ifndef ARMTAP_AUBO_WORDS_H
#define ARMTAP_AUBO_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "armtap.h"

enum armtap_aubo_word { ARMTAP_AUBO_WORD_WRONG, ARMTAP_AUBO_WORD_PLAIN, ARMTAP_AUBO_WORD_BEYOND_RANGE };

/* White space of JSON. */
static inline bool armtap_aubo_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline bool armtap_aubo_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Length of the word at `text`; 0 if none begins. */
size_t armtap_aubo_word_length(const char *text, size_t length);
/* Checks a word against JSON's grammar, which is stricter about numbers than json-c's. BEYOND_RANGE: an integer that
 * fits neither int64_t nor uint64_t. */
enum armtap_aubo_word armtap_aubo_check_word(const char *text, size_t length);
/* The value of a word that is not wrong: BOOL, INT64, UINT64 if larger, DOUBLE; null is absent. */
void armtap_aubo_word_value(const char *text, size_t length, struct armtap_value *value);

#endif
