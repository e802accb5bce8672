/* CDR, the encoding of ROS 2 messages: XCDR1, little-endian. Numbers are aligned to their own size, counted from behind
 * the four bytes that begin a message. An array of fixed length is its elements; a sequence is cdr_count() and its
 * elements; a struct is its members. If memory runs out, out->failed is set and the message is incomplete. */
#ifndef ROS_CDR_H
#define ROS_CDR_H

#include "base/text/buffer.h"
#include "base/numbers/byte_order.h"

/* A message that is being appended to a buffer. */
struct cdr {
    struct buffer *out;
    size_t origin; /* where alignment counts from */
};

/* Appends the first four bytes of a message. */
struct cdr cdr_begin(struct buffer *out);

/* Appends zeros up to a multiple of `size`, a power of 2, and makes room for `count` numbers of that size. Returns
 * where they belong; NULL without memory. */
static inline char *cdr_room(const struct cdr *cdr, size_t size, size_t count)
{
    struct buffer *out = cdr->out;
    size_t padding = (cdr->origin - out->length) & (size - 1);
    char *at = buffer_room(out, padding + size * count);
    if (!at)
        return NULL;
    for (size_t i = 0; i < padding; i++)
        at[i] = 0;
    out->length += padding + size * count;
    return at + padding;
}

static inline void cdr_u8(const struct cdr *cdr, uint8_t number)
{
    buffer_char(cdr->out, (char)number);
}

static inline void cdr_i8(const struct cdr *cdr, int8_t number)
{
    cdr_u8(cdr, (uint8_t)number);
}

static inline void cdr_bool(const struct cdr *cdr, bool truth)
{
    cdr_u8(cdr, truth);
}

static inline void cdr_u32(const struct cdr *cdr, uint32_t number)
{
    char *at = cdr_room(cdr, sizeof number, 1);
    if (at)
        le32_store(at, number);
}

static inline void cdr_i32(const struct cdr *cdr, int32_t number)
{
    cdr_u32(cdr, (uint32_t)number);
}

static inline void cdr_u64(const struct cdr *cdr, uint64_t number)
{
    char *at = cdr_room(cdr, sizeof number, 1);
    if (at)
        le64_store(at, number);
}

static inline void cdr_i64(const struct cdr *cdr, int64_t number)
{
    cdr_u64(cdr, (uint64_t)number);
}

static inline void cdr_f32(const struct cdr *cdr, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    cdr_u32(cdr, bits);
}

/* `count` elements, without their number. */
static inline void cdr_f64s(const struct cdr *cdr, const double *numbers, size_t count)
{
    char *at = count == 0 ? NULL : cdr_room(cdr, sizeof *numbers, count);
    for (size_t i = 0; at && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        le64_store(at + i * sizeof bits, bits);
    }
}

static inline void cdr_f64(const struct cdr *cdr, double number)
{
    cdr_f64s(cdr, &number, 1);
}

/* The number of elements of a sequence, which follow. */
static inline void cdr_count(const struct cdr *cdr, size_t count)
{
    if (count > UINT32_MAX)
        cdr->out->failed = true;
    cdr_u32(cdr, (uint32_t)count);
}

/* A text of `length` bytes; the NUL that ends it in the message need not be there. */
void cdr_text(const struct cdr *cdr, const char *text, size_t length);
void cdr_string(const struct cdr *cdr, const char *string);
/* A text from outside: NUL and what is not UTF-8 are escaped. */
void cdr_foreign_text(const struct cdr *cdr, const char *text, size_t length);
/* A sequence of bytes, uint8[]. */
void cdr_bytes(const struct cdr *cdr, const void *bytes, size_t length);
/* A builtin_interfaces/Time from ns since the epoch; it holds no time before that, and none after 2038. */
void cdr_time(const struct cdr *cdr, int64_t time);
/* A std_msgs/Header. */
void cdr_header(const struct cdr *cdr, int64_t time, const char *frame);

#endif
