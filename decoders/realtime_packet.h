/* A legacy packet: {int32 length, counting itself; cells of 8 bytes}, of which the first is the controller's clock. */
#ifndef ARMTAP_REALTIME_PACKET_H
#define ARMTAP_REALTIME_PACKET_H

#include <stddef.h>

#include "bytes.h"
#include "protocol/clock.h"

#define ARMTAP_REALTIME_LENGTH_WORD 4u
#define ARMTAP_REALTIME_HEADER 12u /* length word and clock cell */
#define ARMTAP_REALTIME_SMALLEST 12u
#define ARMTAP_REALTIME_LARGEST 4096u

/* Whether a length word can be one. */
static inline bool armtap_realtime_size_fits(size_t size)
{
    return size >= ARMTAP_REALTIME_SMALLEST && size <= ARMTAP_REALTIME_LARGEST;
}
/* A controller that has just started sends 0. */
static inline bool armtap_realtime_clock_fits(double clock)
{
    return clock == 0 || armtap_clock_may_show(clock);
}

#endif
