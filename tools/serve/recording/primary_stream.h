/* Whole messages of the primary and secondary interface in the bytes that a robot sent: a length of four bytes that
 * counts itself, a type, the rest. */
#ifndef SERVE_PRIMARY_STREAM_H
#define SERVE_PRIMARY_STREAM_H

#include "base/text/buffer.h"

#define PRIMARY_MESSAGE_MAX 65535u
#define PRIMARY_ROBOT_STATE 16u
/* The type of a message. */
static inline uint8_t primary_message_type(const uint8_t *message)
{
    return message[4];
}

struct primary_stream {
    struct buffer held; /* part of a message, or bytes among which one is looked for */
    bool is_synced;     /* a message begins at the first of them */
};
/* 0, or another number to end it. */
typedef int primary_stream_take(void *user, const uint8_t *message, size_t length);

/* `is_synced`: the first byte begins a message. */
void primary_stream_begin(struct primary_stream *stream, bool is_synced);
void primary_stream_end(struct primary_stream *stream);
/* Bytes are missing here. */
void primary_stream_gap(struct primary_stream *stream);
/* Calls `take` for each message that they complete. 0, what `take` returned, or -1 if memory runs out. */
int primary_stream_bytes(struct primary_stream *stream, const uint8_t *bytes, size_t length, primary_stream_take *take,
                         void *user);

#endif
