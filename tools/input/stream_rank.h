/* Which streams a command means that takes one: telemetry, rather than what goes beside it. */
#ifndef TOOLS_INPUT_STREAM_RANK_H
#define TOOLS_INPUT_STREAM_RANK_H

#include <stdbool.h>

#include "armtap.h"

#define STREAM_RANK_LAST 3u

/* The lower, the more it is telemetry: a robot's state comes before answers and texts. Below STREAM_RANK_LAST. */
unsigned stream_rank(enum armtap_protocol protocol, enum armtap_direction direction);
/* The length of the host in a stream's address, "10.0.0.2:30004". */
int stream_host(const char *address);
/* Whether two addresses have the same host; those of raw dumps, "", have none. */
bool stream_same_host(const char *one, const char *other);
/* How many of a recipe's fields have a name that the library invents, because only the types were captured: "value_"
 * and their place. */
size_t invented_names(const struct armtap_recipe *recipe);

#endif
