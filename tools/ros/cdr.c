#include "cdr.h"

#include "base/little_endian.h"
#include "base/utf8.h"
#include "nanoseconds.h"

/* Plain CDR in little-endian order; the last two bytes are options, of which there are none. */
static const char encapsulation[] = {0, 1, 0, 0};

struct cdr cdr_begin(struct buffer *out)
{
    buffer_put(out, encapsulation, sizeof encapsulation);
    return (struct cdr){.out = out, .origin = out->length};
}

/* Appends zeros up to a multiple of `size`, and makes room for `count` numbers of that size. Returns where they belong;
 * NULL without memory. */
static char *place(const struct cdr *cdr, size_t size, size_t count)
{
    struct buffer *out = cdr->out;
    size_t used = (out->length - cdr->origin) % size, padding = used == 0 ? 0 : size - used;
    char *at = count > (SIZE_MAX - padding) / size ? NULL : buffer_room(out, padding + size * count);
    if (!at) {
        out->failed = true;
        return NULL;
    }
    memset(at, 0, padding);
    out->length += padding + size * count;
    return at + padding;
}

void cdr_u8(const struct cdr *cdr, uint8_t number)
{
    buffer_char(cdr->out, (char)number);
}

void cdr_i8(const struct cdr *cdr, int8_t number)
{
    cdr_u8(cdr, (uint8_t)number);
}

void cdr_bool(const struct cdr *cdr, bool truth)
{
    cdr_u8(cdr, truth);
}

void cdr_u32(const struct cdr *cdr, uint32_t number)
{
    char *at = place(cdr, sizeof number, 1);
    if (at)
        le32_store(at, number);
}

void cdr_i32(const struct cdr *cdr, int32_t number)
{
    cdr_u32(cdr, (uint32_t)number);
}

void cdr_u64(const struct cdr *cdr, uint64_t number)
{
    char *at = place(cdr, sizeof number, 1);
    if (at)
        le64_store(at, number);
}

void cdr_i64(const struct cdr *cdr, int64_t number)
{
    cdr_u64(cdr, (uint64_t)number);
}

void cdr_f32(const struct cdr *cdr, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    cdr_u32(cdr, bits);
}

void cdr_f64(const struct cdr *cdr, double number)
{
    cdr_f64s(cdr, &number, 1);
}

void cdr_f64s(const struct cdr *cdr, const double *numbers, size_t count)
{
    char *at = count == 0 ? NULL : place(cdr, sizeof *numbers, count);
    for (size_t i = 0; at && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        le64_store(at + i * sizeof bits, bits);
    }
}

void cdr_count(const struct cdr *cdr, size_t count)
{
    if (count > UINT32_MAX)
        cdr->out->failed = true;
    cdr_u32(cdr, (uint32_t)count);
}

void cdr_text(const struct cdr *cdr, const char *text, size_t length)
{
    cdr_count(cdr, length + 1);
    buffer_put(cdr->out, text, length);
    buffer_char(cdr->out, '\0');
}

void cdr_string(const struct cdr *cdr, const char *string)
{
    cdr_text(cdr, string, strlen(string));
}

void cdr_bytes(const struct cdr *cdr, const void *bytes, size_t length)
{
    cdr_count(cdr, length);
    buffer_put(cdr->out, bytes, length);
}

void cdr_foreign_text(const struct cdr *cdr, const char *text, size_t length)
{
    struct buffer *out = cdr->out;
    char shown[UTF8_SHOWN_MAX];
    cdr_u32(cdr, 0);
    size_t begin = out->length, used;
    for (size_t i = 0; i < length && !out->failed; i += used)
        buffer_put(out, shown, utf8_store(shown, text + i, length - i, &used));
    buffer_char(out, '\0');
    if (out->length - begin > UINT32_MAX)
        out->failed = true;
    if (!out->failed)
        le32_store(out->data + begin - sizeof(uint32_t), (uint32_t)(out->length - begin));
}

void cdr_time(const struct cdr *cdr, int64_t time)
{
    int64_t last = (int64_t)INT32_MAX * SECOND + SECOND - 1, shown = time < 0 ? 0 : time > last ? last : time;
    cdr_i32(cdr, (int32_t)(shown / SECOND));
    cdr_u32(cdr, (uint32_t)(shown % SECOND));
}

void cdr_header(const struct cdr *cdr, int64_t time, const char *frame)
{
    cdr_time(cdr, time);
    cdr_string(cdr, frame);
}
