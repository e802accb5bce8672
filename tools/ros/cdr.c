#include "cdr.h"

#include "base/numbers/byte_order.h"
#include "base/text/utf8.h"
#include "nanoseconds.h"

/* Plain CDR in little-endian order; the last two bytes are options, of which there are none. */
static const char encapsulation[] = {0, 1, 0, 0};

struct cdr cdr_begin(struct buffer *out)
{
    buffer_put(out, encapsulation, sizeof encapsulation);
    return (struct cdr){.out = out, .origin = out->length};
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
