/* Holds AUBO's values read by position against those read the plain way, in programs that are linked with
 * --wrap=armtap_aubo_values_by_position: a message whose cells differ aborts the program. */
#ifndef ARMTAP_TEST_AUBO_BOTH_WAYS_H
#define ARMTAP_TEST_AUBO_BOTH_WAYS_H

#include <stddef.h>

struct aubo_both_ways {
    size_t tried, taken; /* messages so far */
};
extern struct aubo_both_ways aubo_both_ways;

#endif
