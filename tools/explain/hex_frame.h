/* Whole packets given to explain --hex, as Wireshark copies them: the headers before the bytes of a TCP connection. */
#ifndef EXPLAIN_HEX_FRAME_H
#define EXPLAIN_HEX_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEX_FRAME_REMARK_MAX 240

struct hex_frame {
    size_t at, length; /* of what TCP carries */
    bool to_robot;     /* as the ports tell */
    char remark[HEX_FRAME_REMARK_MAX];
};

enum hex_frame_outcome {
    HEX_FRAME_NONE, /* the bytes are no packet with headers */
    HEX_FRAME_FOUND,
    HEX_FRAME_REFUSED /* a packet without bytes of TCP; after a message */
};
enum hex_frame_outcome hex_frame_find(const uint8_t *bytes, size_t length, struct hex_frame *frame);

#endif
