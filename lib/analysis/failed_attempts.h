/* Attempts to connect that failed: refused, without an answer, or accepted and then nothing. */
#ifndef ANALYSIS_FAILED_ATTEMPTS_H
#define ANALYSIS_FAILED_ATTEMPTS_H

#include "armtap-analysis.h"

/* Pairs of robot and client that are told apart; those beyond are only counted. */
#define ATTEMPTS_PAIRS 1000
/* Entries of one pair and outcome, and of all that are not the first of theirs; those beyond go on in the last one. */
#define ATTEMPTS_EPISODES 10
#define ATTEMPTS_ALL 2000

struct armtap_attempts *armtap_attempts_new(void);
void armtap_attempts_free(struct armtap_attempts *attempts);
/* 0, or -1 without memory */
int armtap_attempts_event(struct armtap_attempts *attempts, const struct armtap_event *event);
/* What the last event changed for those who follow it live: a pair's first failure, a new one after it had connected,
 * or that it connected at last; NULL: nothing. */
const struct armtap_attempt *armtap_attempts_news(const struct armtap_attempts *attempts);
/* All of them of one id as a clause: "10.0.0.2:30004 refused 10.0.0.9 3 times"; "" where there is none. Returns how
 * many attempts that are. */
uint64_t armtap_attempts_clause(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempts *attempts,
                                const char *id, const struct armtap_zone *zone);

#endif
