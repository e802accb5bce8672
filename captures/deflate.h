/* A small compressor for WebSocket messages. zlib would not give the same bytes on every machine: its versions and
 * replacements differ. */
#ifndef DEFLATE_H
#define DEFLATE_H

#include <stddef.h>
#include <stdint.h>

enum { DEFLATE_WINDOW = 4096, DEFLATE_MESSAGE = 8192 };

/* What one side sent last; the next message may refer to it. */
struct deflate {
    uint8_t bytes[DEFLATE_WINDOW + DEFLATE_MESSAGE];
    size_t length;
};

/* Compresses a message of up to DEFLATE_MESSAGE bytes as permessage-deflate (RFC 7692) requires: one block of fixed
 * codes and a flush without its last four bytes. Returns the bytes written, 0 if there is no room. */
size_t deflate_message(struct deflate *deflate, const void *message, size_t length, uint8_t *out, size_t capacity);

#endif
