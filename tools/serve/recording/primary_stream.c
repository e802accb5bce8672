/* Types and layouts: UR's "Primary/Secondary Client Interface". */
#include "other_ports.h"

#include "bytes.h"

#define HEADER 5u
#define CHUNK 16384u
#define ROBOT_MESSAGE 20u
#define ROBOT_MESSAGE_MAX 4096u /* to be believed while looking for a message */
#define SUB_PACKAGES_MAX 64u    /* of a state; controllers send 15 */

enum verdict { NONE_HERE, PERHAPS, MESSAGE };

void primary_stream_begin(struct primary_stream *stream, bool is_synced)
{
    *stream = (struct primary_stream){.is_synced = is_synced};
}

void primary_stream_end(struct primary_stream *stream)
{
    free(stream->held.data);
}

void primary_stream_gap(struct primary_stream *stream)
{
    stream->held.length = 0;
    stream->is_synced = false;
}

static bool is_header(const uint8_t *bytes)
{
    static const uint8_t types[] = {5, PRIMARY_ROBOT_STATE, ROBOT_MESSAGE, 22, 23, 24, 25, 255};
    uint32_t length = armtap_be32(bytes);
    return length >= HEADER && length <= PRIMARY_MESSAGE_MAX && memchr(types, bytes[4], sizeof types);
}

/* A state is made of sub-packages, which have such headers, too: their lengths must add up. */
static enum verdict judge_state(const uint8_t *bytes, size_t length, size_t whole)
{
    size_t at = HEADER;
    for (unsigned i = 0; i < SUB_PACKAGES_MAX && at < whole; i++) {
        if (length - at < HEADER)
            return PERHAPS;
        uint32_t size = armtap_be32(bytes + at);
        if (size < HEADER || size > whole - at)
            return NONE_HERE;
        at += size;
        if (at > length)
            return PERHAPS;
    }
    return at == whole && whole > HEADER ? MESSAGE : NONE_HERE;
}

/* Whether a message begins here, in the middle of a stream. */
static enum verdict judge(const uint8_t *bytes, size_t length)
{
    if (length < HEADER)
        return PERHAPS;
    size_t whole = armtap_be32(bytes);
    if (!is_header(bytes))
        return NONE_HERE;
    if (bytes[4] == PRIMARY_ROBOT_STATE)
        return judge_state(bytes, length, whole);
    if (bytes[4] != ROBOT_MESSAGE || whole > ROBOT_MESSAGE_MAX)
        return NONE_HERE;
    if (length < whole + HEADER)
        return PERHAPS;
    return is_header(bytes + whole) ? MESSAGE : NONE_HERE;
}

/* Passes over bytes to where a message begins, or may begin. */
static size_t seek(struct primary_stream *stream, const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    enum verdict verdict = PERHAPS;
    while (at < length && (verdict = judge(bytes + at, length - at)) == NONE_HERE)
        at++;
    stream->is_synced = at < length && verdict == MESSAGE;
    return at;
}

static int take_messages(struct primary_stream *stream, primary_stream_take *take, void *user)
{
    const uint8_t *bytes = (const uint8_t *)stream->held.data;
    size_t at = 0, length = stream->held.length;
    int outcome = 0;
    while (outcome == 0) {
        if (!stream->is_synced)
            at += seek(stream, bytes + at, length - at);
        if (!stream->is_synced || length - at < HEADER)
            break;
        size_t whole = armtap_be32(bytes + at);
        stream->is_synced = is_header(bytes + at);
        if (!stream->is_synced)
            continue;
        if (length - at < whole)
            break;
        outcome = take(user, bytes + at, whole);
        at += whole;
    }
    if (at > 0)
        memmove(stream->held.data, stream->held.data + at, length - at);
    stream->held.length = length - at;
    return outcome;
}

int primary_stream_bytes(struct primary_stream *stream, const uint8_t *bytes, size_t length, primary_stream_take *take,
                         void *user)
{
    for (size_t at = 0; at < length;) {
        size_t some = length - at < CHUNK ? length - at : CHUNK;
        buffer_put(&stream->held, (const char *)bytes + at, some);
        if (stream->held.failed)
            return -1;
        int outcome = take_messages(stream, take, user);
        if (outcome != 0)
            return outcome;
        at += some;
    }
    return 0;
}
