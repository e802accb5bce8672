/* The conclusion of a diagnosis: a sentence for each stream with faults, and one for the capture. Claims no more than
 * the findings show. */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include "findings.h"

/* What the verdicts are based on; must be settled. */
struct verdict_grounds {
    const struct findings *findings;
    const struct armtap_streams *streams;
    const struct armtap_zone *zone;
};

/* Starts as zeros. */
struct verdicts {
    struct armtap_verdict *all;
    size_t count;
};
/* 0, or -1 if memory runs out. */
int armtap_verdicts_reach(struct verdicts *verdicts, const struct verdict_grounds *grounds);
void armtap_verdicts_free(struct verdicts *verdicts);

/* Bytes of a stream captured but not decoded, except the rest of a message that began before the capture. */
double armtap_verdict_unread(const struct armtap_stream *stream);

#endif
