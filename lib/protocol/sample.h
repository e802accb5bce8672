/* A sample of the data packages of a connection: runs of consecutive ones, spread over all data, in bounded memory.
 * Recipes are guessed from it. */
#ifndef ARMTAP_SAMPLE_H
#define ARMTAP_SAMPLE_H

#include "armtap.h"

#define ARMTAP_SAMPLE_RUN 4u /* consecutive packages */
#define ARMTAP_SAMPLE_RUNS 24u
#define ARMTAP_SAMPLE_MAX (ARMTAP_SAMPLE_RUN * ARMTAP_SAMPLE_RUNS)

struct armtap_sample {
    size_t length;                      /* bytes of every package */
    uint64_t seen;                      /* packages received, kept or not */
    uint64_t every;                     /* one run in this many is kept */
    unsigned count;                     /* packages kept, oldest first */
    int64_t time[ARMTAP_SAMPLE_MAX];    /* of capture, ns or ARMTAP_NO_TIME */
    uint64_t number[ARMTAP_SAMPLE_MAX]; /* among those received */
    uint8_t bytes[];
};
/* For packages of that length; NULL if out of memory. The caller frees it. */
struct armtap_sample *armtap_sample_new(size_t length);
/* Bytes of memory that it takes. */
size_t armtap_sample_room(size_t length);
/* Forgets all packages. */
void armtap_sample_clear(struct armtap_sample *sample);
/* The next package. The sample depends only on the packages, not on when it is read. */
void armtap_sample_add(struct armtap_sample *sample, const uint8_t *package, int64_t time);

static inline const uint8_t *armtap_sample_at(const struct armtap_sample *sample, unsigned i)
{
    return sample->bytes + i * sample->length;
}
/* Whether no package came between package i and the next one kept. */
static inline bool armtap_sample_goes_on(const struct armtap_sample *sample, unsigned i)
{
    return i + 1 < sample->count && sample->number[i + 1] == sample->number[i] + 1;
}

#endif
