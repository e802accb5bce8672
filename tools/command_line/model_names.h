/* The robot models whose geometry explains a stream's poses. */
#ifndef COMMAND_LINE_MODEL_NAMES_H
#define COMMAND_LINE_MODEL_NAMES_H

#include "analysis/armtap-analysis.h"
#include "base/text/json_writer.h"

#define MODEL_NAMES_MAX 200
/* "UR5", "UR10 or UR10e", "UR3, UR3e or UR7e"; cut if `to` is too small. Returns `to`. */
const char *model_names(char to[MODEL_NAMES_MAX], const struct armtap_kinematics_result *result);
/* The same as an array. */
void model_names_json(struct json *json, const struct armtap_kinematics_result *result);
/* What the joints and poses of a stream say; UNKNOWN if it has none. */
struct armtap_kinematics_result model_of_stream(const struct armtap_stream_summary *summary);

#endif
