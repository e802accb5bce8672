/* The streams of all summaries, each with the sums of its parts. */
#ifndef MERGE_STREAMS_H
#define MERGE_STREAMS_H

#include "analysis/armtap-analysis.h"
#include "base/text/json_writer.h"
#include "summaries.h"
#include "analysis/inside.h"

struct stream_sum;

/* All zeros is none. Release them in every case. */
struct stream_sums {
    struct stream_sum *all;
    size_t count, room;
    size_t *slots; /* of a hash table: 1 + place in `all`, 0: free; twice as many as `room` */
    struct armtap_hash_key key;
};

/* Adds the streams of a summary. Those of an archive go on where their number was in another one, whatever the order;
 * others are numbered anew. 0, or -1 after a message. */
int streams_add(struct stream_sums *sums, const struct summary *summary);
/* By number; nothing may be added after. */
void streams_print(struct stream_sums *sums, struct json *json);
void streams_release(struct stream_sums *sums);

#endif
