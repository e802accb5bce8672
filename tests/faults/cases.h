/* The cases: each plays a capture with something wrong in it, or with ordinary life that must not look wrong. */
#ifndef CASES_H
#define CASES_H

#include "play.h"

struct fault_case {
    const char *name; /* of an id where it raises one */
    void (*play)(struct play *play);
};

/* Ends in a row without a name. */
extern const struct fault_case fault_cases[];
extern const struct fault_case ordinary_cases[];

/* AUBO's, of both tables. */
void aubo_message_bad(struct play *play);
void aubo_set_up_bad(struct play *play);
void aubo_message_too_long(struct play *play);
void aubo_channel_unknown(struct play *play);
void aubo_values_count(struct play *play);
void aubo_websocket_bad(struct play *play);
void aubo_websocket_gap(struct play *play);
void aubo_silence(struct play *play);
void aubo_silence_from_subscription(struct play *play);
void aubo_rate_low(struct play *play);
void aubo_clock_backwards(struct play *play);
void aubo_safety_stop(struct play *play);
void aubo_safety_stop_number(struct play *play);
void aubo_channels(struct play *play);
void aubo_bunches(struct play *play);
void aubo_set_up_again(struct play *play);
void aubo_rounds(struct play *play);
void aubo_slow(struct play *play);
void aubo_web(struct play *play);
void aubo_arms(struct play *play);

#endif
