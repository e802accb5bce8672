/* The comparison of the streams that will probably be chosen, while a reading still finds out which there are: most
 * captures have one legacy and one RTDE stream of one robot, and need no second reading then. */
#ifndef COMPARE_EARLY_PAIRS_H
#define COMPARE_EARLY_PAIRS_H

#include "choose_streams.h"

struct early_pairs;
/* NULL without memory. */
struct early_pairs *early_pairs_new(double tolerance);
void early_pairs_free(struct early_pairs *pairs);
/* Call for each record. What is not foreseen, or fails, ends the comparison, of which nothing is left then. */
void early_pairs_record(struct early_pairs *pairs, const struct armtap_record *record);
/* After the reading: the comparison of all records of the chosen streams in the order of the capture, which the caller
 * frees; NULL: they must be read again. */
struct armtap_comparison *early_pairs_take(struct early_pairs *pairs,
                                           const struct chosen_stream *const chosen[ARMTAP_SIDES]);

#endif
