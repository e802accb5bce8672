/* Adds up what armtap info --json printed. Only the sum is kept: memory grows with the streams, not with the summaries.
 */
#ifndef MERGE_INFOS_H
#define MERGE_INFOS_H

#include "streams.h"
#include "values.h"

/* All zeros is the sum of nothing. Release it in every case. */
struct infos {
    uint64_t packets, bytes;
    struct stream_sums streams;
    struct kept_text more_streams, more_recipes;
    struct kept_list attempts, other_ports;
    struct note_sum notes;
};

/* Adds a summary, in any order if it is of an archive. 0, or -1 after a message. */
int infos_add(struct infos *infos, const struct summary *summary);
/* Prints what armtap info --json prints of all; nothing may be added after. */
void infos_print(struct infos *infos);
/* Whether a warning or an error is among the notes. */
bool infos_have_fault(const struct infos *infos);
void infos_release(struct infos *infos);

#endif
