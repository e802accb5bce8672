/* Requests of an RTDE client that the robot did not answer: explains streams without data. */
#ifndef ANALYSIS_UNANSWERED_REQUESTS_H
#define ANALYSIS_UNANSWERED_REQUESTS_H

#include <stddef.h>

#include "armtap.h"

/* Starts as zeros. */
struct unanswered_requests {
    uint8_t asked;             /* type of the request waiting for its reply; 0: none */
    struct armtap_where where; /* of that request */
    bool granted;              /* a set-up of outputs was answered */
    bool start_asked;
    bool robot_seen;           /* packets of the robot were captured */
    struct armtap_where until; /* the first close, or the capture's end */
};

/* A message of RTDE. */
void armtap_unanswered_message(struct unanswered_requests *dialogue, const struct armtap_message *message);
void armtap_unanswered_event(struct unanswered_requests *dialogue, const struct armtap_event *event);
/* Why there is no data, as a sentence without its full stop; "" if unknown. */
void armtap_unanswered_text(const struct unanswered_requests *dialogue, char *to, size_t size);

#endif
