/* Attempts to connect: a SYN to a telemetry port, and whether it is answered. */
#ifndef ARMTAP_ATTEMPT_H
#define ARMTAP_ATTEMPT_H

#include "packet/link.h"

enum armtap_flow_attempt_state {
    ARMTAP_FLOW_ATTEMPT_NONE,        /* no SYN was captured, or its outcome cannot be known */
    ARMTAP_FLOW_ATTEMPT_WAITING,     /* for an answer */
    ARMTAP_FLOW_ATTEMPT_CONNECTED,   /* the SYN was answered, or its sender continues as if it had been */
    ARMTAP_FLOW_ATTEMPT_REFUSED,     /* by a RST */
    ARMTAP_FLOW_ATTEMPT_UNREACHABLE, /* by an ICMP error */
    ARMTAP_FLOW_ATTEMPT_UNANSWERED
};

struct armtap_flow_attempt {
    enum armtap_flow_attempt_state state;
    unsigned client; /* which end sent the SYN */
    uint32_t isn;
    uint32_t acknowledged; /* the highest number that an answer may acknowledge */
    unsigned syns;         /* the first one, and each that the sender sent after waiting */
    struct armtap_where first;
    struct armtap_where last;
    uint32_t early_ack;                        /* a RST that acknowledges it came before any SYN, captured at: */
    struct armtap_where early;                 /* packet 0: none did */
    struct armtap_flow_attempt *older, *newer; /* among those that wait, by their last SYNs */
};

/* Attempts that wait for an answer. All zero: none. */
struct armtap_flow_attempts {
    struct armtap_flow_attempt *oldest, *newest;
    struct armtap_where last; /* the last packet of the capture */
    struct armtap_where before_pause,
        after_pause; /* end of the last pause in the capture that was longer than an answer takes */
};

/* Call for each packet. The capture may have paused between two files, and attempts may have been answered meanwhile:
 * those still waiting are given up as unknown. */
void armtap_flow_attempts_tick(struct armtap_flow_attempts *attempts, const struct armtap_where *now);
/* The oldest that has waited too long; NULL if none has. */
struct armtap_flow_attempt *armtap_flow_attempts_overdue(const struct armtap_flow_attempts *attempts);

/* A SYN to a telemetry port: the attempt begins or continues. */
void armtap_flow_attempt_ask(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                             unsigned sender, const struct armtap_segment *segment);
/* A RST may be captured before the SYN that it answers (two capture points): it is kept. */
void armtap_flow_attempt_hear_early(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                                    const struct armtap_segment *segment);
/* If such a RST answers this SYN, the attempt becomes REFUSED, and `where` gets the place of the RST. */
bool armtap_flow_attempt_was_refused(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                                     struct armtap_where *where);
/* An ICMP error quotes the SYN of `sender`: true if this makes the attempt UNREACHABLE. */
bool armtap_flow_attempt_unreachable(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                                     unsigned sender, const struct armtap_segment *segment);
/* Any other segment of its connection. Returns CONNECTED or REFUSED if the attempt has just become that, else NONE. */
enum armtap_flow_attempt_state armtap_flow_attempt_hear(struct armtap_flow_attempts *attempts,
                                                        struct armtap_flow_attempt *attempt, unsigned sender,
                                                        const struct armtap_segment *segment);
/* No more packets will come: the attempt becomes UNANSWERED if that is certain (true), else NONE. */
bool armtap_flow_attempt_give_up(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt);

#endif
