/* What stands at each offset of a package, read as a double or an integer: how well it fits the type, and what its
 * values are like over the sample. */
#ifndef ANALYSIS_INFERENCE_COLUMNS_H
#define ANALYSIS_INFERENCE_COLUMNS_H

#include "inference_sample.h"

enum column_change { CHANGE_NEVER, CHANGE_RARELY, CHANGE_OFTEN, CHANGE_ALWAYS, CHANGES };
enum column_digits { DIGITS_SHORT, DIGITS_FLOAT, DIGITS_FULL, DIGITS };
enum column_curve { CURVE_SMOOTH, CURVE_MIXED, CURVE_ROUGH, CURVES };
enum column_pace { PACE_FLOWS, PACE_SWAYS, PACE_DRIFTS, PACE_FLICKERS, PACES };
enum column_gain { GAIN_DOUBLE, GAIN_INT32, GAIN_UINT32, GAIN_UINT64, GAIN_BYTE, GAINS };

/* Doubles at an offset that look like doubles. */
struct column {
    size_t offset;
    double least, most, mean, spread; /* range, mean and standard deviation */
    double centre;                    /* median */
    double growth; /* squares of differences against those of half the distance: 4 for motion, 2 for a random walk,
                      1 for noise */
    double grain;  /* third differences against second ones: near 0 on a smooth curve, near 2 for noise */
    double still;  /* share of packages that repeat the value before */
    double pace;   /* steps from package to package against the spread: 1 for noise, near 0 for motion */
    bool rises;    /* and never falls */
    enum column_change change;
    enum column_digits digits;
    enum column_curve curve;
    enum column_pace paces;
    double *values; /* of each row; NULL if they are all the same */
};

/* Starts as zeros. */
struct inference_columns {
    const struct inference_sample *sample;
    size_t length; /* bytes of a package */
    struct column *columns;
    size_t count;
    int *at;            /* by offset: the number of its column; -1: no doubles */
    float *plain;       /* by offset: bits of the bytes before it, each anew where it changes */
    float *gain[GAINS]; /* by offset: bits that this type saves against those */
};
/* Rows by whose bytes a type is judged, spread over the sample. */
#define COLUMNS_JUDGED 16u
static inline unsigned armtap_inference_judged(const struct inference_sample *sample, unsigned i)
{
    return i * (sample->count - 1) / (COLUMNS_JUDGED - 1);
}
int armtap_inference_columns_read(struct inference_columns *columns, const struct inference_sample *sample);
void armtap_inference_columns_clear(struct inference_columns *columns);

static inline const uint8_t *armtap_inference_bytes(const struct inference_columns *columns, unsigned row,
                                                    size_t offset)
{
    return armtap_inference_row(columns->sample, row) + offset;
}
/* The column at an offset; NULL if there are no doubles. */
static inline const struct column *armtap_inference_column(const struct inference_columns *columns, size_t offset)
{
    return offset + 8 <= columns->length && columns->at[offset] >= 0 ? &columns->columns[columns->at[offset]] : NULL;
}
/* The values that were there. */
struct inference_past {
    unsigned count;
    uint64_t values[COLUMNS_JUDGED];
};
/* Bits of a value that is one of those. If it is not: INFINITY, and it is added, unless that many bits are too many for
 * a state of a program. */
double armtap_inference_return_cost(struct inference_past *past, uint64_t value, double alone);
/* Bits of a whole number behind another. */
double armtap_inference_step_cost(uint64_t value, uint64_t before);

#endif
