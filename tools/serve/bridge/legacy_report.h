/* Says which cells of legacy packets have a source. */
#ifndef SERVE_LEGACY_REPORT_H
#define SERVE_LEGACY_REPORT_H

#include "legacy_layout.h"

/* What comes from RTDE, and what is always 0 because RTDE, or this robot, lacks it. */
void legacy_report(const struct legacy_layout *layout, const struct armtap_recipe *received, const char *source);

#endif
