/* Arithmetic without overflow for capture times, which may have any value. The rest is public. */
#ifndef ANALYSIS_TIMES_H
#define ANALYSIS_TIMES_H

#include "armtap-analysis.h"

/* ns: how far packets of several queues, or of a mirror port, may be out of order. */
#define TIMES_DISORDER INT64_C(10000000)
/* armtap_time_between() in s; negative if one of them is no time, or `to` is before `from`. */
double armtap_time_seconds(int64_t from, int64_t to);
/* Whether the capture's clock was set back between two records. A packet that was captured earlier is only out of
 * order. */
bool armtap_time_is_set_back(const struct armtap_where *before, const struct armtap_where *after);

#endif
