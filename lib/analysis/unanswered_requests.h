/* What an RTDE client asked for and the robot left unanswered, told of a stream that has no data. */
#ifndef ANALYSIS_UNANSWERED_REQUESTS_H
#define ANALYSIS_UNANSWERED_REQUESTS_H

#include <stddef.h>

#include "armtap.h"

/* Begins as zeros. */
struct unanswered_requests {
    uint8_t asked;             /* type of the request that waits for its reply; 0: none */
    struct armtap_where where; /* of that request */
    bool granted;              /* a set-up of outputs was answered */
    bool start_asked;
    bool robot_seen;           /* packets of the robot were captured */
    struct armtap_where until; /* the first close, or the capture's end */
};

/* A message of RTDE. */
void armtap_unanswered_message(struct unanswered_requests *dialogue, const struct armtap_message *message);
void armtap_unanswered_event(struct unanswered_requests *dialogue, const struct armtap_event *event);
/* A sentence without its end on why there is no data; "" where that is not known. */
void armtap_unanswered_text(const struct unanswered_requests *dialogue, char *to, size_t size);

#endif
