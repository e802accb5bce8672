/* Flatbuffers, in which Arrow's metadata are. A table is appended with room for its members, then those that lie
 * elsewhere are appended behind it: all offsets point forward, and are relative to where they stand, so that bytes of a
 * whole table with all that it points to may be copied to any place that is a multiple of 8. */
#ifndef ARROW_FLATBUFFER_H
#define ARROW_FLATBUFFER_H

#include "base/text/buffer.h"

enum { FLAT_ALIGNMENT = 8, FLAT_OFFSET = 4, FLAT_SLOTS_MAX = 8 };

/* The places of a table's members: 0 for those that it lacks. */
struct flat_table {
    size_t at;
    size_t slot[FLAT_SLOTS_MAX];
};

/* Empties the buffer and leaves room for the offset of the root, at 0. */
void flat_begin(struct buffer *out);
/* Appends a table whose member i takes sizes[i] bytes: 1, 2, 4 or 8; FLAT_OFFSET for one that lies elsewhere; 0: left
 * out. Members are 0 until they are set. */
struct flat_table flat_table(struct buffer *out, const unsigned char *sizes, size_t count);
/* Sets a member. */
void flat_set(struct buffer *out, size_t slot, uint64_t number, size_t bytes);
/* Sets an offset, at `slot`, to what lies at `target`. */
void flat_point(struct buffer *out, size_t slot, size_t target);
/* Append a text; a vector of so many offsets, which are set one by one; one of structs, whose bytes follow. They return
 * its place. */
size_t flat_text(struct buffer *out, const char *text, size_t length);
size_t flat_offsets(struct buffer *out, size_t count);
size_t flat_structs(struct buffer *out, size_t count);
/* The place of an offset of the vector at `vector`. */
static inline size_t flat_offset(size_t vector, size_t index)
{
    return vector + FLAT_OFFSET + index * FLAT_OFFSET;
}
/* Appends zeros up to a multiple of `alignment`. */
void flat_align(struct buffer *out, size_t alignment);

#endif
