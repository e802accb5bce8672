#include "robot.h"

#include <stdlib.h>
#include <string.h>

size_t armtap_sample_room(size_t length)
{
    return sizeof(struct armtap_sample) + ARMTAP_SAMPLE_MAX * length;
}

struct armtap_sample *armtap_sample_new(size_t length)
{
    struct armtap_sample *sample = calloc(1, armtap_sample_room(length));
    if (!sample)
        return NULL;
    sample->length = length;
    sample->every = 1;
    return sample;
}

void armtap_sample_clear(struct armtap_sample *sample)
{
    sample->seen = 0;
    sample->every = 1;
    sample->count = 0;
}

/* Makes room: drops every other run. */
static void thin_out(struct armtap_sample *sample)
{
    const size_t run = ARMTAP_SAMPLE_RUN * sample->length;
    for (unsigned i = 1; i < ARMTAP_SAMPLE_RUNS / 2; i++) {
        unsigned to = i * ARMTAP_SAMPLE_RUN, from = 2 * to;
        memcpy(sample->bytes + i * run, sample->bytes + 2 * i * run, run);
        memcpy(sample->time + to, sample->time + from, ARMTAP_SAMPLE_RUN * sizeof *sample->time);
        memcpy(sample->number + to, sample->number + from, ARMTAP_SAMPLE_RUN * sizeof *sample->number);
    }
    sample->count = ARMTAP_SAMPLE_MAX / 2;
    sample->every *= 2;
}

void armtap_sample_add(struct armtap_sample *sample, const uint8_t *package, int64_t time)
{
    uint64_t number = sample->seen++, run = number / ARMTAP_SAMPLE_RUN;
    if (run % sample->every != 0)
        return;
    if (sample->count == ARMTAP_SAMPLE_MAX) {
        thin_out(sample);
        if (run % sample->every != 0)
            return;
    }
    memcpy(sample->bytes + sample->count * sample->length, package, sample->length);
    sample->time[sample->count] = time;
    sample->number[sample->count] = number;
    sample->count++;
}
