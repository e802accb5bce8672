/* Prints what compare found on standard output, as text or as JSON. */
#ifndef COMPARE_REPORT_H
#define COMPARE_REPORT_H

#include "choose_streams.h"
#include "input/replay/replay.h"
#include "analysis/armtap-analysis.h"

struct comparison {
    const struct chosen_stream *sides[ARMTAP_SIDES];
    const struct armtap_pairing_tally *tally;
    const struct armtap_comparison *found;
    double tolerance;
    const struct replay_source *source;
};

void comparison_print(const struct comparison *comparison);
void comparison_json(const struct comparison *comparison);
/* The number of fields that both streams have; *differ becomes how many of them differ. */
size_t comparison_compared(const struct comparison *comparison, size_t *differ);

#endif
