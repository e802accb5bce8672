#include "analysis/names/inference.h"

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

void armtap_inference_sample_view(const struct inference_sample *sample, struct inference_view *view)
{
    view->bytes = sample->bytes;
    view->length = sample->length;
    view->count = sample->count;
    for (unsigned row = 0; row < sample->count; row++)
        view->begin[row] = (uint16_t)(row - row % SAMPLE_RUN);
}

/* ---- what says nothing about the arm ----------------------------------------------------------------------------- */

/* Bytes that are not 0, against those of most packages, below which the arm is switched off. */
#define SWITCHED_OFF 0.5
/* Runs that must remain. */
#define RUNS_LEFT 4u

static const uint8_t *row_of(const struct inference_sample *sample, unsigned row)
{
    return sample->bytes + row * sample->length;
}

/* The first byte alone tells of most. */
static bool no_number_at(const uint8_t *bytes)
{
    return (bytes[0] & 0x7f) == 0x7f && armtap_inference_is_no_number(armtap_inference_integer(bytes, 8));
}

static void leave_out_no_numbers(const struct inference_sample *sample, bool out[SAMPLE_RUNS])
{
    for (size_t offset = 0; offset + 8 <= sample->length; offset++) {
        unsigned count = 0;
        for (unsigned row = 0; row < sample->count; row++)
            count += no_number_at(row_of(sample, row) + offset);
        for (unsigned row = 0; row < sample->count && count > 0 && count <= sample->count / 2; row++)
            if (no_number_at(row_of(sample, row) + offset))
                out[row / SAMPLE_RUN] = true;
    }
}

static size_t bytes_set(const struct inference_sample *sample, unsigned row)
{
    const uint8_t *bytes = row_of(sample, row);
    size_t set = 0;
    for (size_t i = 0; i < sample->length; i++)
        set += bytes[i] != 0;
    return set;
}

/* Only if it was switched on or off once: speeds are 0 whenever the arm rests. */
static void leave_out_switched_off(const struct inference_sample *sample, bool out[SAMPLE_RUNS])
{
    size_t most = 0, set[SAMPLE_ROWS];
    unsigned off = 0, first = 0, last = sample->count;
    for (unsigned row = 0; row < sample->count; row++) {
        set[row] = bytes_set(sample, row);
        most = set[row] > most ? set[row] : most;
    }
    for (unsigned row = 0; row < sample->count; row++)
        off += (double)set[row] < SWITCHED_OFF * (double)most;
    while (first < sample->count && (double)set[first] < SWITCHED_OFF * (double)most)
        first++;
    while (last > first && (double)set[last - 1] < SWITCHED_OFF * (double)most)
        last--;
    bool once = off > 0 && off == first + sample->count - last;
    for (unsigned row = 0; row < sample->count && once; row++)
        if (row < first || row >= last)
            out[row / SAMPLE_RUN] = true;
}

static void drop(struct inference_sample *sample, const bool out[SAMPLE_RUNS])
{
    const unsigned runs = (sample->count + SAMPLE_RUN - 1) / SAMPLE_RUN;
    const size_t run = SAMPLE_RUN * sample->length;
    unsigned kept = 0, rows = 0;
    for (unsigned i = 0; i < runs; i++)
        kept += !out[i];
    if (kept == runs || kept < RUNS_LEFT || kept < runs / 4)
        return;
    for (unsigned i = 0; i < runs; i++) {
        unsigned size = i + 1 < runs ? SAMPLE_RUN : sample->count - i * SAMPLE_RUN;
        if (out[i])
            continue;
        memmove(sample->bytes + rows * sample->length, sample->bytes + i * run, size * sample->length);
        rows += size;
    }
    sample->count = rows;
}

void armtap_inference_sample_settle(struct inference_sample *sample)
{
    bool out[SAMPLE_RUNS] = {false};
    leave_out_switched_off(sample, out);
    drop(sample, out);
    memset(out, 0, sizeof out);
    leave_out_no_numbers(sample, out);
    drop(sample, out);
}
