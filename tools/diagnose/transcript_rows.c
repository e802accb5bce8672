#include "transcript_rows.h"

#include <string.h>

/* A number of 1, 4 or 8 bytes in a structure; one of 1 byte is a bool. */
struct member {
    size_t offset, width;
};
#define STREAM(name)                                                                                                   \
    {                                                                                                                  \
        offsetof(struct armtap_stream, name), sizeof(((struct armtap_stream *)0)->name)                                \
    }
#define CALL(name)                                                                                                     \
    {                                                                                                                  \
        offsetof(struct call, name), sizeof(((struct call *)0)->name)                                                  \
    }

/* What changes often goes first: it makes the masks short. */
static const struct member stream_members[] = {
    STREAM(packets[1]),
    STREAM(packets[0]),
    STREAM(payload[0]),
    STREAM(bytes_decoded[0]),
    STREAM(records[0]),
    STREAM(last.time),
    STREAM(last.packet),
    STREAM(payload[1]),
    STREAM(bytes_decoded[1]),
    STREAM(records[1]),
    STREAM(gaps),
    STREAM(bytes_lost[0]),
    STREAM(bytes_lost[1]),
    STREAM(bytes_skipped[0]),
    STREAM(bytes_skipped[1]),
    STREAM(last.file),
    STREAM(protocol),
    STREAM(version),
    STREAM(generation),
    STREAM(midstream),
    STREAM(first.time),
    STREAM(first.packet),
    STREAM(first.file),
    STREAM(accepted.time),
    STREAM(accepted.packet),
    STREAM(accepted.file),
    STREAM(forgotten),
    STREAM(origin),
    STREAM(gaps_cut),
};
static const struct member call_members[] = {
    CALL(where.time),   CALL(clock),        CALL(where.packet), CALL(flags),   CALL(a),
    CALL(frame_length), CALL(direction),    CALL(where.file),   CALL(version), CALL(recipe_id),
    CALL(arms),         CALL(has_recipe),   CALL(frequency),    CALL(type),    CALL(code),
    CALL(first.time),   CALL(first.packet), CALL(first.file),   CALL(content), CALL(doubtful),
    CALL(has_text),     CALL(least),
};
#define STREAM_MEMBERS (sizeof stream_members / sizeof *stream_members)
#define CALL_MEMBERS (sizeof call_members / sizeof *call_members)

static size_t read_members(uint64_t *numbers, const void *from, const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)from + members[i].offset;
        uint32_t four;
        if (members[i].width == sizeof numbers[i]) {
            memcpy(&numbers[i], at, sizeof numbers[i]);
        } else if (members[i].width == sizeof four) {
            memcpy(&four, at, sizeof four);
            numbers[i] = four;
        } else {
            numbers[i] = *(const bool *)at;
        }
    }
    return count;
}

static void write_members(void *to, const uint64_t *numbers, const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *at = (char *)to + members[i].offset;
        uint32_t four = (uint32_t)numbers[i];
        if (members[i].width == sizeof numbers[i])
            memcpy(at, &numbers[i], sizeof numbers[i]);
        else if (members[i].width == sizeof four)
            memcpy(at, &four, sizeof four);
        else
            *(bool *)at = numbers[i] != 0;
    }
}

/* Moves the times and packets of a stream by those of the call, which they mostly equal. */
static void shift(struct armtap_stream *stream, const struct call *call, uint64_t sign)
{
    stream->last.time = (int64_t)((uint64_t)stream->last.time + sign * (uint64_t)call->where.time);
    stream->last.packet += sign * call->where.packet;
}

size_t rows_from_stream(uint64_t numbers[ROW_MAX], const struct armtap_stream *stream, const struct call *call)
{
    struct armtap_stream shifted = *stream;
    shift(&shifted, call, UINT64_MAX);
    return read_members(numbers, &shifted, stream_members, STREAM_MEMBERS);
}

void rows_to_stream(struct armtap_stream *stream, const uint64_t numbers[ROW_MAX], const struct call *call)
{
    write_members(stream, numbers, stream_members, STREAM_MEMBERS);
    shift(stream, call, 1);
}

size_t rows_from_call(uint64_t numbers[ROW_MAX], const struct call *call)
{
    return read_members(numbers, call, call_members, CALL_MEMBERS);
}

void rows_to_call(struct call *call, const uint64_t numbers[ROW_MAX])
{
    write_members(call, numbers, call_members, CALL_MEMBERS);
}

void rows_expect(const struct row *row, uint64_t expected[ROW_MAX])
{
    for (size_t i = 0; i < ROW_MAX; i++)
        expected[i] = row->last[i] + row->step[i];
}

void rows_advance(struct row *row, const uint64_t numbers[ROW_MAX], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        row->step[i] = numbers[i] - row->last[i];
        row->last[i] = numbers[i];
    }
}

/* FNV-1a */
uint64_t rows_sum(const uint8_t *bytes, size_t length)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

void rows_forget(struct by_connection *told)
{
    for (size_t i = 0; i < told->count; i++)
        free(told->slots[i].thing);
    told->count = told->recent = 0;
}
