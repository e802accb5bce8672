/* Counts what the scanner of AUBO's messages reads, in programs that are linked with --wrap=armtap_aubo_scan. */
#ifndef ARMTAP_TEST_AUBO_SCANS_H
#define ARMTAP_TEST_AUBO_SCANS_H

#include <stddef.h>

struct aubo_scans {
    size_t bytes, count; /* so far */
};
extern struct aubo_scans aubo_scans;

#endif
