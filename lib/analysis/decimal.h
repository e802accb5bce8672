/* Numbers as decimals, whatever the locale: printf would put in the comma of a host program's. */
#ifndef ANALYSIS_DECIMAL_H
#define ANALYSIS_DECIMAL_H

#define DECIMAL_MAX 32
#define DECIMAL_DIGITS_MAX 3
/* With so many digits behind the point, rounded as printf does: to the nearest, of two the even one. "inf" from 2^64
 * on: nothing that is counted or measured here comes near. Returns `to`. */
const char *armtap_decimal(char to[DECIMAL_MAX], double value, unsigned digits);

/* The same within an expression; the text lives as long as the block around it. */
#define DECIMAL(value, digits) armtap_decimal((char[DECIMAL_MAX]){0}, value, digits)

#endif
