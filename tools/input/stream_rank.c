#include "stream_rank.h"

unsigned stream_rank(enum armtap_protocol protocol, enum armtap_direction direction)
{
    if (!armtap_protocol_has(protocol, ARMTAP_TRAIT_BESIDE))
        return 0;
    return direction == ARMTAP_FROM_ROBOT && armtap_protocol_has(protocol, ARMTAP_TRAIT_UNASKED) ? 1 : 2;
}
