/* What the fields of paired records differ by, summed up field by field. */
#ifndef ANALYSIS_FIELD_DIFFERENCES_H
#define ANALYSIS_FIELD_DIFFERENCES_H

#include "record_pairing.h"

enum verdict { VERDICT_EQUAL, VERDICT_DIFFERS, VERDICT_ONLY_LEGACY, VERDICT_ONLY_RTDE };

/* How the legacy packet holds an integer: as a double of that value, as UR says and robots do, or as the integer. */
enum integer_form { INTEGER_ZERO, INTEGER_DOUBLE, INTEGER_RAW, INTEGER_FORMS };

struct difference {
    const char *name;
    const struct armtap_field *field; /* NULL: not in the table */
    unsigned count;                   /* elements */
    enum verdict verdict;
    uint64_t pairs;  /* both records have it */
    uint64_t differ; /* of those, in any element by more than the tolerance */
    uint64_t absent; /* pairs of which only one record has it, though both their recipes do */
    /* Over all elements; NaN where values differ that cannot be subtracted to a finite number, or without a pair. */
    double largest, mean;
    /* Where it is largest; of values that differ by a zero's sign or cannot be subtracted, the first. */
    unsigned element;
    struct armtap_where where[PAIRING_SIDES];
    double clock;                             /* the legacy record's */
    struct armtap_value value[PAIRING_SIDES]; /* no text */
    uint64_t forms[INTEGER_FORMS];            /* of the cells of a field of bits */
};

struct differences;
/* Doubles are equal that differ by no more than the tolerance; with 0, those of the same bits; NaN equals NaN. Integers
 * are equal where they are the same. NULL without memory. */
struct differences *differences_new(double tolerance);
void differences_free(struct differences *differences);
/* 0; -1 without memory, or for more fields than can be. */
int differences_add(struct differences *differences, const struct sample samples[PAIRING_SIDES]);
/* Sums up: fields of both sides in the order of the legacy packet, then those of the legacy one, then RTDE's.
 * 0, or -1 without memory. */
int differences_finish(struct differences *differences);
size_t differences_count(const struct differences *differences);
const struct difference *differences_at(const struct differences *differences, size_t i);

#endif
