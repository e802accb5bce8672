/* A growing text that the output formats write to. Emptying it keeps its memory. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Starts as all zeros; the owner frees `data`. If memory runs out, `failed` is set and the text is incomplete. */
struct buffer {
    char *data;
    size_t length;
    size_t room;
    bool failed;
};

/* Where the next `length` bytes may be written; NULL if memory runs out. The caller adds what it wrote to
 * buffer->length. */
static inline char *buffer_room(struct buffer *buffer, size_t length)
{
    if (buffer->room - buffer->length < length) {
        size_t max = SIZE_MAX / 2;
        size_t room = length < max - buffer->room ? buffer->room + buffer->room / 2 + length + 256 : 0;
        char *data = room == 0 ? NULL : realloc(buffer->data, room);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->room = room;
    }
    return buffer->data + buffer->length;
}

static inline void buffer_put(struct buffer *buffer, const char *bytes, size_t length)
{
    char *at = length == 0 ? NULL : buffer_room(buffer, length);
    if (!at)
        return;
    memcpy(at, bytes, length);
    buffer->length += length;
}

/* Copies in pieces of a fixed length, which takes less time than an exact copy of few bytes. What is behind them, up to
 * BUFFER_PIECE bytes, must be readable, and is overwritten. */
#define BUFFER_PIECE 32
static inline void buffer_copy_pieces(char *to, const char *from, size_t length)
{
    if (length > 4 * BUFFER_PIECE) {
        memcpy(to, from, length);
        return;
    }
    for (size_t at = 0; at < length; at += BUFFER_PIECE) {
        char piece[BUFFER_PIECE];
        memcpy(piece, from + at, BUFFER_PIECE);
        memcpy(to + at, piece, BUFFER_PIECE);
    }
}

static inline void buffer_put_pieces(struct buffer *buffer, const char *bytes, size_t length)
{
    char *at = buffer_room(buffer, length + BUFFER_PIECE);
    if (!at)
        return;
    buffer_copy_pieces(at, bytes, length);
    buffer->length += length;
}

static inline void buffer_string(struct buffer *buffer, const char *string)
{
    buffer_put(buffer, string, strlen(string));
}

static inline void buffer_char(struct buffer *buffer, char character)
{
    buffer_put(buffer, &character, 1);
}

#endif
