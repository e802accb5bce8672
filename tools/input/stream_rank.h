/* Which streams a command means that takes one: telemetry, rather than what goes beside it. */
#ifndef TOOLS_INPUT_STREAM_RANK_H
#define TOOLS_INPUT_STREAM_RANK_H

#include "armtap.h"

#define STREAM_RANK_LAST 3u

/* The lower, the more it is telemetry: a robot's state comes before answers and texts. Below STREAM_RANK_LAST. */
unsigned stream_rank(enum armtap_protocol protocol, enum armtap_direction direction);

#endif
