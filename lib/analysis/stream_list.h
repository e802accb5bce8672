/* The streams of a capture: the connections that carry telemetry, found by connection and numbered from 0 in the order
 * of their first packets. */
#ifndef ANALYSIS_STREAM_LIST_H
#define ANALYSIS_STREAM_LIST_H

#include "failed_attempts.h"

/* What the last event changed; NULL: nothing (see armtap_attempts_news). */
const struct armtap_attempt *armtap_streams_news(const struct armtap_streams *streams);

#endif
