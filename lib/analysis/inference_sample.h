/* Data packages of one size from all over a stream: runs of consecutive ones, in bounded memory. */
#ifndef ANALYSIS_INFERENCE_SAMPLE_H
#define ANALYSIS_INFERENCE_SAMPLE_H

#include "armtap-analysis.h"

#define SAMPLE_RUN 16u
#define SAMPLE_RUNS 64u
#define SAMPLE_ROWS (SAMPLE_RUN * SAMPLE_RUNS)
#define SAMPLE_LENGTH_MAX 4097u /* with a recipe id */

/* Starts as zeros. */
struct inference_sample {
    size_t length; /* of every package */
    uint64_t seen, others;
    uint64_t every; /* one run in so many is kept */
    unsigned count;
    uint8_t *bytes;
};
void armtap_inference_sample_clear(struct inference_sample *sample);
/* A size that becomes more frequent than the one before begins anew. */
int armtap_inference_sample_add(struct inference_sample *sample, const uint8_t *package, size_t length);

/* At the end: leaves out runs that say nothing about the arm, if enough remain: those before it was switched on or
 * after it was switched off, when nearly all values are 0, and those with values that are no numbers. */
void armtap_inference_sample_settle(struct inference_sample *sample);
/* Big-endian, of up to 8 bytes. */
uint64_t armtap_inference_integer(const uint8_t *bytes, unsigned size);
/* Whether a double is infinite or one of the NaN that arithmetic gives: whole numbers hardly look like those. */
bool armtap_inference_is_no_number(uint64_t bits);

static inline const uint8_t *armtap_inference_row(const struct inference_sample *sample, unsigned row)
{
    return sample->bytes + row * sample->length;
}
/* Whether the next package follows this one directly. */
static inline bool armtap_inference_goes_on(const struct inference_sample *sample, unsigned row)
{
    return (row + 1) % SAMPLE_RUN != 0 && row + 1 < sample->count;
}

#endif
