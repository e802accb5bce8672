/* A record as a ROS 2 message with all its fields: names, schema, values. For format_mcap. */
#ifndef EXPORT_ROS_STATE_H
#define EXPORT_ROS_STATE_H

#include "format.h"

/* Sets each pick's key to the name of its member. 0, or -1 without memory. */
int ros_state_name_members(struct view *view);
/* Appends the schema, in the language of ROS 2's .msg files. */
void ros_state_schema(const struct view *view, struct buffer *out);
/* Appends the message, in CDR. */
void ros_state_message(const struct view *view, const struct output_row *row, struct buffer *out);

#endif
