/* Failed attempts to connect: refused, not answered, or accepted without any data. */
#ifndef ANALYSIS_FAILED_ATTEMPTS_H
#define ANALYSIS_FAILED_ATTEMPTS_H

#include "armtap-analysis.h"

/* Pairs of robot and client that are kept apart; further ones are only counted. */
#define ATTEMPTS_PAIRS 1000
/* Entries per pair and outcome, and of all pairs beyond their first; further attempts extend the last entry. */
#define ATTEMPTS_EPISODES 10
#define ATTEMPTS_ALL 2000

struct armtap_attempts *armtap_attempts_new(void);
void armtap_attempts_free(struct armtap_attempts *attempts);
/* 0, or -1 if memory runs out */
int armtap_attempts_event(struct armtap_attempts *attempts, const struct armtap_event *event);
/* For live output, what the last event changed: a pair's first failure, a failure after a success, or a success after
 * failures; NULL: nothing. */
const struct armtap_attempt *armtap_attempts_news(const struct armtap_attempts *attempts);
/* All attempts of one id as a clause: "10.0.0.2:30004 refused 10.0.0.9 3 times"; "" if there are none. Returns the
 * number of attempts. */
uint64_t armtap_attempts_clause(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempts *attempts,
                                const char *id, const struct armtap_zone *zone);

#endif
