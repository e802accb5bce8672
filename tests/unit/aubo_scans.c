#include "aubo_scans.h"

#include "aubo_text.h"

struct aubo_scans aubo_scans;

enum armtap_aubo_end __real_armtap_aubo_scan(struct armtap_aubo_scan *scan, bool strict, const uint8_t *bytes,
                                             size_t length, size_t *used)
    __attribute__((weak)); /* a build without AUBO lacks it */
enum armtap_aubo_end __wrap_armtap_aubo_scan(struct armtap_aubo_scan *scan, bool strict, const uint8_t *bytes,
                                             size_t length, size_t *used);

enum armtap_aubo_end __wrap_armtap_aubo_scan(struct armtap_aubo_scan *scan, bool strict, const uint8_t *bytes,
                                             size_t length, size_t *used)
{
    enum armtap_aubo_end end = __real_armtap_aubo_scan(scan, strict, bytes, length, used);
    aubo_scans.bytes += *used;
    aubo_scans.count++;
    return end;
}
