/* The message for captures without telemetry. */
#ifndef COMMAND_LINE_NO_TELEMETRY_H
#define COMMAND_LINE_NO_TELEMETRY_H

#include "analysis/armtap-analysis.h"
#include "input/replay.h"

/* Says on standard error that there is no telemetry, what was found instead, and what to do. */
void no_telemetry_report(const struct armtap_streams *streams, const struct replay_totals *totals);

#endif
