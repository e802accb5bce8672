/* Spans of time in nanoseconds, for the library, its analysis and the program. */
#ifndef ARMTAP_NANOSECONDS_H
#define ARMTAP_NANOSECONDS_H

#include <stdint.h>

#define MICROSECOND INT64_C(1000)
#define MILLISECOND INT64_C(1000000)
#define SECOND INT64_C(1000000000)
/* A capture's clock that went back this far was set; by less goes another queue of the card. */
#define ARMTAP_CLOCK_STEP SECOND

#endif
