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
/* A number as the rows so far have it in its cell: one that repeats is copied, not converted. */
struct number_cell {
    uint64_t bits;
    uint32_t length; /* of its text; 0: none was written */
    uint32_t at;     /* offset of its text from `texts`; stays where it is while the number repeats: there it is warm */
};

struct number_words {
    char separator;
    const char *nan;
    const char *infinite; /* NULL: inf and -inf */
};

/* Doubles with separators between them, written at `to` behind all texts that the cells know: number_repr() of each, if
 * it differs from that of its cell. Returns where they end. Needs NUMBER_MAX + 1 bytes for each. */
char *number_cells(const double *numbers, unsigned count, const struct number_words *words, struct number_cell *cells,
                   const char *texts, char *to);
/* The same from big-endian bytes. */
char *number_cells_wire(const uint8_t *numbers, unsigned count, const struct number_words *words,
                        struct number_cell *cells, const char *texts, char *to);
/* As printf has it for "%.*f", with up to 6 decimals; cut after NUMBER_MAX - 1 characters. */
size_t number_fixed(double number, int decimals, char *out);
/* Nanoseconds as seconds with nine decimals: -1 is -0.000000001. */
size_t number_seconds(int64_t nanoseconds, char *out);

#ifdef __cplusplus
}
#endif

#endif
