/* What an arm's values show that no single record does. */
#ifndef ANALYSIS_WATCH_H
#define ANALYSIS_WATCH_H

#include "analysis/facts/findings.h"

/* ---- repeats.c ----
 *
 * A controller that repeats itself: records that come as ever, but with the same clock, or with the same values.
 *
 * That a clock stands still is proof. That all values stand is none, since those of a simulator's arm do so at rest:
 * they repeat if the clock stands, too; or if they had noise before; or if they say that joints move which do not. Not
 * all records of a live stream are looked at: a few bytes of each, a copy of every eighth, and noise in a quarter of
 * them. */

struct repeats;
void armtap_repeats_free(struct repeats *repeats);
/* Takes a record from the robot; *repeats is NULL before the first. `has_power`: as far as is known, the arm may have
 * noise. False if memory runs out. */
bool armtap_repeats_record(struct repeats **repeats, struct findings *findings, const struct armtap_record *record,
                           bool has_power);
/* The stream, or the capture, ends. `repeats` may be NULL. */
void armtap_repeats_end(struct repeats *repeats, struct findings *findings);

#endif
