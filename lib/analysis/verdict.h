/* What a diagnosis comes to, in a sentence for each stream that something is wrong with, and one for the capture. It
 * claims no more than the findings show. */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include "findings.h"

/* What it is judged by, settled. */
struct verdict_grounds {
    const struct findings *findings;
    const struct armtap_streams *streams;
    const struct armtap_zone *zone;
};

/* Begins as zeros. */
struct verdicts {
    struct armtap_verdict *all;
    size_t count;
};
/* 0, or -1 without memory. */
int armtap_verdicts_reach(struct verdicts *verdicts, const struct verdict_grounds *grounds);
void armtap_verdicts_free(struct verdicts *verdicts);

/* Bytes of a stream that were captured and not decoded; not the rest of a message that began before the capture. */
double armtap_verdict_unread(const struct armtap_stream *stream);

#endif
