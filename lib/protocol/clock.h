/* How controllers count time: in cycles, without ever going back. */
#ifndef ARMTAP_CLOCK_H
#define ARMTAP_CLOCK_H

#include "bytes.h"
#include "decoder.h"

#define ARMTAP_CYCLE 0.002        /* s, of the fastest controller; other cycles are multiples of it */
#define ARMTAP_CLOCK_JUMP_MAX 5.0 /* s between messages that belong together */

#define ARMTAP_CLOCK_MIN 1e-6 /* s; an integer or part of one, read as a double, is below this or above the maximum */
#define ARMTAP_CLOCK_MAX 1e9  /* s; no controller has run for longer */

/* Whether a double can be the clock of a running controller. */
static inline bool armtap_clock_may_show(double clock)
{
    return clock >= ARMTAP_CLOCK_MIN && clock <= ARMTAP_CLOCK_MAX;
}

/* How well two clock cells, big-endian doubles, follow each other: WELL if the step is a whole number of cycles, which
 * a temperature or a voltage does not match by chance. */
static inline enum armtap_fit armtap_clock_fit(const uint8_t *clock, const uint8_t *next)
{
    double step = armtap_be_double(next) - armtap_be_double(clock);
    if (!(step >= 0 && step <= ARMTAP_CLOCK_JUMP_MAX))
        return ARMTAP_FIT_NO;
    double cycles = step / ARMTAP_CYCLE;
    double whole = (double)(int64_t)(cycles + 0.5);
    double off = cycles > whole ? cycles - whole : whole - cycles;
    return whole >= 1 && off < 1e-3 ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
}

#endif
