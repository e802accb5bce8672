#include "tcp_side.h"

bool armtap_tcp_is_near(uint32_t a, uint32_t b)
{
    int32_t d = (int32_t)(a - b);
    return d >= -ARMTAP_TCP_JUMP && d <= ARMTAP_TCP_JUMP;
}

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
