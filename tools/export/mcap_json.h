/* Messages of MCAP's json dialect. */
#ifndef EXPORT_MCAP_JSON_H
#define EXPORT_MCAP_JSON_H

#include "format.h"
#include "ros/ros.h"

/* Sets the picks' keys. 0, or -1 without memory. */
int mcap_json_name_members(struct view *view);
/* Appends the JSON schema of messages with all fields. Values that may have any type are not in it. */
void mcap_json_state_schema(const struct view *view, struct buffer *out);
/* Appends a row as an object. Absent fields, and numbers that JSON lacks, are left out. */
void mcap_json_state(const struct view *view, const struct output_row *row, struct buffer *out);

/* Foxglove knows logs by the name of their schema. */
#define MCAP_JSON_LOG "foxglove.Log"
extern const char mcap_json_log_schema[];
void mcap_json_log(const struct ros_log *log, struct buffer *out);

#endif
