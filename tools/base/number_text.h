/* Numbers as text, independent of the locale. */
#ifndef BASE_NUMBER_TEXT_H
#define BASE_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The buffer that each function needs; it may write beyond the text. No function writes a terminator; all return the
 * length. */
#define NUMBER_MAX 40

/* The shortest digits that read back as the same double, laid out as Python's repr: 0.1 1.0 -0.0 1e-05 1e+16 nan -inf.
 */
size_t number_repr(double number, char *out);
/* The same by dragonbox alone: what the tests hold the fast way against. */
size_t number_repr_plain(double number, char *out);
size_t number_unsigned(uint64_t number, char *out);
size_t number_signed(int64_t number, char *out);
/* Nanoseconds as seconds with nine decimals: -1 is -0.000000001. */
size_t number_seconds(int64_t nanoseconds, char *out);

#ifdef __cplusplus
}
#endif

#endif
