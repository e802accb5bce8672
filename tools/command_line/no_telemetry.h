/* The message for captures without telemetry. */
#ifndef COMMAND_LINE_NO_TELEMETRY_H
#define COMMAND_LINE_NO_TELEMETRY_H

#include <stdbool.h>

#include "analysis/armtap-analysis.h"
#include "input/replay/replay.h"

/* Says on standard error that there is no telemetry, what was found instead, and what to do. */
void no_telemetry_report(const struct armtap_streams *streams, const struct replay_totals *totals);
/* Whether robots were asked and no record came. */
bool no_telemetry_came(const struct replay_source *source, const struct armtap_streams *streams);
/* Says so, and what came instead; for that case. */
void no_telemetry_report_robots(const struct armtap_streams *streams);

#endif
