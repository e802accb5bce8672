/* Rows as ROS 2 messages: one with all fields, and those of UR's driver (tools/ros). For format_mcap. */
#ifndef EXPORT_ROS_ROWS_H
#define EXPORT_ROS_ROWS_H

#include "export/formats/format.h"
#include "ros/ros.h"

/* Sets each pick's key to the name of its member. 0, or -1 without memory. */
int ros_name_members(struct view *view);
/* Appends the schema of the message with all fields, in the language of ROS 2's .msg files. */
void ros_state_schema(const struct view *view, struct buffer *out);

/* How rows of a view become messages. */
struct ros_rows;
/* NULL without memory. The view must outlive it. */
struct ros_rows *ros_rows_new(const struct view *view);
void ros_rows_free(struct ros_rows *rows);
/* Appends the message with all fields, in CDR, and remembers the values for ros_rows_record(). */
void ros_rows_state(struct ros_rows *rows, const struct output_row *row, struct buffer *out);
/* How many values were not of the type of their member, and left out. */
uint64_t ros_rows_misfits(const struct ros_rows *rows);
/* The row as the topics of the driver need it; valid until the next row. */
struct ros_record ros_rows_record(const struct ros_rows *rows, const struct output_row *row);

#endif
