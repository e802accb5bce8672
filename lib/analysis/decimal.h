/* Decimals independent of the locale: printf would use the decimal comma of the host program's locale. */
#ifndef ANALYSIS_DECIMAL_H
#define ANALYSIS_DECIMAL_H

#define DECIMAL_MAX 32
#define DECIMAL_DIGITS_MAX 3
/* `digits` digits after the point, rounded as printf does: to nearest, ties to even. "inf" from 2^64 on, which no count
 * or measurement here reaches. Returns `to`. */
const char *armtap_decimal(char to[DECIMAL_MAX], double value, unsigned digits);

/* The same in an expression; the text lives as long as the enclosing block. */
#define DECIMAL(value, digits) armtap_decimal((char[DECIMAL_MAX]){0}, value, digits)

#endif
