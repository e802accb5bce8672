/* Numbers as text, independent of the locale. */
#ifndef BASE_NUMBER_TEXT_H
#define BASE_NUMBER_TEXT_H

#include <stdbool.h>
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
#define NUMBER_CELL_TEXT 32
struct number_cell {
    uint64_t bits;
    uint32_t length; /* of its text; 0: none was written */
    char text[NUMBER_CELL_TEXT];
};

struct number_words {
    char separator;
    const char *nan;
    const char *infinite; /* NULL: inf and -inf */
};

/* Doubles with separators between them, written at `to`: number_repr() of each, if it differs from that of its cell.
 * Returns where they end. Needs NUMBER_MAX + 1 bytes for each. */
char *number_cells(const double *numbers, unsigned count, const struct number_words *words, struct number_cell *cells,
                   char *to);
/* The same from big-endian bytes. */
char *number_cells_wire(const uint8_t *numbers, unsigned count, const struct number_words *words,
                        struct number_cell *cells, char *to);

/* Numbers that will be put, converted together, several at a time, where the processor can: their cells know them then.
 * Those that are in doubt, or have exponents, are left to be converted when they are put. */
#define NUMBER_QUEUE 64
struct number_queue {
    unsigned count;
    uint64_t bits[NUMBER_QUEUE];
    struct number_cell *cells[NUMBER_QUEUE];
};
bool number_queue_is_fast(void);
/* Adds those of big-endian bytes that differ from those of their cells. */
void number_queue_add(struct number_queue *queue, const uint8_t *numbers, unsigned count, struct number_cell *cells);
/* Converts all, and empties the queue. */
void number_queue_convert(struct number_queue *queue);

/* As printf has it for "%.*f", with up to 6 decimals; cut after NUMBER_MAX - 1 characters. */
size_t number_fixed(double number, int decimals, char *out);
/* Nanoseconds as seconds with nine decimals: -1 is -0.000000001. */
size_t number_seconds(int64_t nanoseconds, char *out);

#ifdef __cplusplus
}
#endif

#endif
