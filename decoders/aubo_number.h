/* Numbers of AUBO's JSON, read in one pass: the fast path beside aubo_words.h, which reads all numbers. */
#ifndef ARMTAP_AUBO_NUMBER_H
#define ARMTAP_AUBO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct armtap_aubo_number {
    bool whole; /* neither a point nor an exponent: `integer` has it, else `real` */
    int64_t integer;
    double real;
};
/* Reads the number at `text`; returns where it ends. NULL if none begins there, or if it is an integer of more than 18
 * digits, a real number of more than 19, or NaN or Infinity: then armtap_aubo_check_word and armtap_aubo_word_value
 * decide, which give the same for all others. The last byte before `end` must not be part of a number. */
const char *armtap_aubo_take_number(const char *text, const char *end, struct armtap_aubo_number *number);

#endif
