/* Times of captures, which may be anything: sums and differences that do not overflow. The rest is public. */
#ifndef ANALYSIS_TIMES_H
#define ANALYSIS_TIMES_H

#include "armtap-analysis.h"

/* ns by which packets of several queues, or of a mirror port, may be out of order. */
#define TIMES_DISORDER INT64_C(10000000)
/* armtap_time_between() in s; negative where one of them is no time, or the later one is earlier. */
double armtap_time_seconds(int64_t from, int64_t to);
/* Whether the capture's clock was set back between two packets. */
bool armtap_time_is_set_back(int64_t before, int64_t after);

#endif
