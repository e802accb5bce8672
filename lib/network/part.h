/* A net that is given one part of a capture's connections, beside nets that are given the others. Until one of them
 * meets what all would share, each does exactly what a single net would do with its connections. */
#ifndef ARMTAP_PART_H
#define ARMTAP_PART_H

#include "protocol/account.h"
#include "flow.h"
#include "connection/knowledge.h"
#include "tcp/queue.h"

#define ARMTAP_DOUBTS 64 /* segments in doubt at a time */

struct armtap_part {
    bool is_one; /* of several */
    unsigned number;
    bool is_strained; /* it met something that does not show in the numbers below */
    /* the most so far */
    size_t flows[ARMTAP_FLOW_CLASSES];
    size_t kept, held, waiting, histories, doubts;
    struct armtap_knowledge_use knowledge;
};

/* What a net keeps now. */
struct armtap_part_use {
    const struct armtap_flow_table *flows;
    const struct armtap_pool *pool;
    const struct armtap_reserve *reserve;
    struct armtap_knowledge_use knowledge;
    size_t kept, doubts;
};

void armtap_part_note(struct armtap_part *part, const struct armtap_part_use *use);

struct armtap_part_sum {
    struct armtap_part most; /* sums */
    uint64_t drawn[ARMTAP_ACCOUNTS];
};
/* Adds what one part used at most, and what it drew from the reserve, to the sums of all. */
void armtap_part_add(struct armtap_part_sum *sum, const struct armtap_part *part, const struct armtap_reserve *reserve);
/* Whether a single net that used all of that would have met no limit. */
bool armtap_part_has_room(const struct armtap_part_sum *sum);
/* Of the limit that is nearest, how many millionths that is; at most a million. The same of connections that ended,
 * which never become fewer. */
unsigned armtap_part_load(const struct armtap_part_sum *sum, unsigned *lasting);

#endif
