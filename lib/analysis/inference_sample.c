#include "inference_sample.h"

#include <stdlib.h>
#include <string.h>

void armtap_inference_sample_clear(struct inference_sample *sample)
{
    free(sample->bytes);
    *sample = (struct inference_sample){.length = 0};
}

static int begin(struct inference_sample *sample, size_t length)
{
    uint64_t before = sample->seen + sample->others;
    armtap_inference_sample_clear(sample);
    *sample = (struct inference_sample){.length = length, .others = before, .every = 1};
    sample->bytes = malloc(SAMPLE_ROWS * (length == 0 ? 1 : length));
    return sample->bytes ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

/* Keeps every other run. */
static void thin_out(struct inference_sample *sample)
{
    const size_t run = SAMPLE_RUN * sample->length;
    for (unsigned i = 1; i < SAMPLE_RUNS / 2; i++)
        memcpy(sample->bytes + i * run, sample->bytes + 2 * i * run, run);
    sample->count = SAMPLE_ROWS / 2;
    sample->every *= 2;
}

int armtap_inference_sample_add(struct inference_sample *sample, const uint8_t *package, size_t length)
{
    if (length != sample->length || !sample->bytes) {
        bool frequent = ++sample->others > sample->seen;
        int error = frequent && length <= SAMPLE_LENGTH_MAX ? begin(sample, length) : ARMTAP_OK;
        if (error != ARMTAP_OK || length != sample->length || !sample->bytes)
            return error;
        sample->others--;
    }
    uint64_t run = sample->seen++ / SAMPLE_RUN;
    if (run % sample->every == 0 && sample->count == SAMPLE_ROWS)
        thin_out(sample);
    if (run % sample->every == 0) {
        memcpy(sample->bytes + sample->count * sample->length, package, length);
        sample->count++;
    }
    return ARMTAP_OK;
}
