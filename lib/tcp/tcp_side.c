#include "tcp_side.h"

void armtap_tcp_begin(struct armtap_tcp *tcp, struct armtap_tcp_side *side, uint32_t seq, enum armtap_tcp_state state)
{
    side->state = state;
    side->start = side->next = side->highest = (UINT64_C(1) << 32) + seq;
    side->held_time = tcp->pool->now.time;
    side->held_packet = tcp->pool->packets;
    if (!side->has_first) {
        side->has_first = true;
        side->first = seq;
    }
}
