/* The words of AUBO's JSON: numbers, true, false, null, NaN, Infinity. */
#ifndef ARMTAP_AUBO_WORDS_H
#define ARMTAP_AUBO_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/armtap.h"

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

/* Length of the word at `text`; 0 where none begins. */
size_t armtap_aubo_word_length(const char *text, size_t length);
/* Whether a word is one of JSON's, by its own grammar of numbers; json-c's is wider. BEYOND_RANGE: a whole number that
 * neither int64_t nor uint64_t holds. */
enum armtap_aubo_word armtap_aubo_judge_word(const char *text, size_t length);
/* The value of a word that is not wrong: BOOL, INT64, UINT64 beyond it, DOUBLE;
 * null is absent. */
void armtap_aubo_word_value(const char *text, size_t length, struct armtap_value *value);

#endif
