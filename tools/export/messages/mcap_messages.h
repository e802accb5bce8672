/* Messages on their way to an MCAP file: any thread makes them, and format_mcap finds their channels. */
#ifndef EXPORT_MCAP_MESSAGES_H
#define EXPORT_MCAP_MESSAGES_H

#include "export/formats/format.h"
#include "mcap/mcap.h"
#include "ros/ros.h"

/* What messages on their way to a file are marked with: a topic of the driver, or this. Their other mark is the stream.
 */
enum { MARK_STATE = ROS_TOPICS, MARK_REMARK };

/* What the channels of a stream say of it; comes before its first message in a batch. */
struct mcap_introduction {
    uint32_t stream;
    enum armtap_protocol protocol;
    enum armtap_generation generation;
    const char *robot, *client;
};
/* Appends that of a row's stream. */
void mcap_introduce(const struct output_row *row, struct buffer *out);
/* Reads it. The message must outlive it. */
struct mcap_introduction mcap_introduction_of(const struct mcap_message *message);

/* Messages of a row that are being appended, by ros_publish() and others. */
struct mcap_posting {
    struct buffer *out;
    const struct output_row *row;
    size_t begin;
    bool is_remark;
};
/* The posting must outlive it. */
struct ros_out mcap_posting_out(struct mcap_posting *posting);

#endif
