/* What compare found, for people and as JSON, on standard output. */
#ifndef COMPARE_REPORT_H
#define COMPARE_REPORT_H

#include "choose_streams.h"
#include "analysis/field_differences.h"

struct comparison {
    const struct chosen_stream *sides[PAIRING_SIDES];
    const struct pairing_tally *tally;
    const struct differences *differences;
    double tolerance;
    const struct replay_source *source;
};

void comparison_print(const struct comparison *comparison);
void comparison_json(const struct comparison *comparison);
/* Fields that both streams have, and how many of them differ. */
size_t comparison_compared(const struct comparison *comparison, size_t *differ);

#endif
