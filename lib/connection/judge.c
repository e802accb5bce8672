/* Whether the bytes at hand begin a frame, and how long it is. */
#include "connection.h"

#include <string.h>

enum armtap_frame_verdict armtap_judge_frame(const struct armtap_conn *conn, enum armtap_direction direction,
                                             const uint8_t *bytes, size_t left, bool final, size_t *length,
                                             size_t *want, unsigned *reading)
{
    const struct armtap_decoder *decoder = conn->decoder;
    long frame = decoder->frame(conn->context, direction, bytes, left);
    *want = left + 1;
    *length = 0;
    if (frame < 0)
        return ARMTAP_FRAME_BAD;
    if (frame == 0)
        return ARMTAP_FRAME_WAITS;
    *length = (size_t)frame;
    if (*length > left) {
        *want = *length;
        return final ? ARMTAP_FRAME_BAD : ARMTAP_FRAME_WAITS;
    }
    if ((*reading = armtap_decoder_sure(decoder, conn->context, direction, bytes, *length)) != 0)
        return ARMTAP_FRAME_WHOLE;
    if (*length == left && final)
        return ARMTAP_FRAME_WHOLE;
    enum armtap_fit fit = armtap_decoder_follows(decoder, conn->context, direction, bytes, *length, left - *length);
    if (fit == ARMTAP_FIT_MORE && !final) {
        *want = armtap_spaced(left + 1, left); /* the next frame may be long, and is examined from its start */
        return ARMTAP_FRAME_WAITS;
    }
    return fit == ARMTAP_FIT_YES || fit == ARMTAP_FIT_WELL ? ARMTAP_FRAME_WHOLE : ARMTAP_FRAME_BAD;
}

/* Whether frames of that length follow one another from `at` on up to one whose head is there. WAITS: more bytes may
 * show it. */
static enum armtap_frame_verdict prove_length(const struct armtap_conn *conn, enum armtap_direction direction,
                                              const struct armtap_span *span, size_t at, size_t length, size_t *want)
{
    const struct armtap_half *half = &conn->half[direction];
    size_t left = span->length - at;
    for (size_t next = length; next < ARMTAP_FILLED_MOST; next += length) {
        *want = next + 1;
        if (left <= next)
            return span->final ? ARMTAP_FRAME_HEADLESS : ARMTAP_FRAME_WAITS;
        size_t there = armtap_half_before_hole(half, half->offset + next, left - next);
        long frame = conn->decoder->frame(conn->context, direction, span->bytes + at + next, there);
        *want = left + 1;
        if (frame == 0 && there == left - next)
            return span->final ? ARMTAP_FRAME_HEADLESS : ARMTAP_FRAME_WAITS;
        if (frame != 0)
            return frame == (long)length ? ARMTAP_FRAME_WHOLE : ARMTAP_FRAME_HEADLESS;
    }
    return ARMTAP_FRAME_HEADLESS;
}

enum armtap_frame_verdict armtap_judge_headless(const struct armtap_conn *conn, enum armtap_direction direction,
                                                const struct armtap_span *span, size_t at, size_t *length, size_t *want)
{
    const struct armtap_half *half = &conn->half[direction];
    const struct armtap_hole *hole = armtap_half_next_hole(half, half->offset);
    uint8_t head[ARMTAP_HEAD_MOST];
    size_t put = 0;
    *length = conn->decoder->expects ? conn->decoder->expects(conn->context, direction, head, &put) : 0;
    size_t there = armtap_half_before_hole(half, half->offset, put);
    if (*length == 0 || memcmp(span->bytes + at, head, there) != 0)
        return ARMTAP_FRAME_HEADLESS;
    enum armtap_frame_verdict verdict = prove_length(conn, direction, span, at, *length, want);
    if (verdict != ARMTAP_FRAME_WHOLE || span->bytes != half->buffer)
        return verdict == ARMTAP_FRAME_WAITS ? verdict : ARMTAP_FRAME_HEADLESS;
    if (hole->to >= half->offset + *length)
        return ARMTAP_FRAME_UNUSABLE;
    memcpy(half->buffer + at, head, put);
    return ARMTAP_FRAME_WHOLE;
}

enum armtap_frame_verdict armtap_judge_cut_frame(const struct armtap_conn *conn, enum armtap_direction direction,
                                                 const uint8_t *bytes, size_t left, size_t *length, size_t *want,
                                                 unsigned *reading)
{
    const struct armtap_decoder *decoder = conn->decoder;
    const struct armtap_half *half = &conn->half[direction];
    size_t there = armtap_half_before_hole(half, half->offset, left);
    long frame = decoder->frame(conn->context, direction, bytes, there);
    *want = left + 1;
    *length = frame > 0 ? (size_t)frame : 0;
    if (frame < 0)
        return ARMTAP_FRAME_BAD;
    if (frame == 0)
        return there < left ? ARMTAP_FRAME_HEADLESS : ARMTAP_FRAME_WAITS;
    if (*length > left) {
        *want = *length;
        return ARMTAP_FRAME_WAITS;
    }
    if (*length <= there) {
        enum armtap_frame_verdict verdict =
            armtap_judge_frame(conn, direction, bytes, there, false, length, want, reading);
        return verdict == ARMTAP_FRAME_WAITS ? ARMTAP_FRAME_WHOLE : verdict;
    }
    size_t needed = decoder->cut ? decoder->cut(direction, bytes) : 0;
    if (needed == 0 || there < needed)
        return ARMTAP_FRAME_UNUSABLE;
    *reading = armtap_decoder_sure(decoder, conn->context, direction, bytes, *length);
    return ARMTAP_FRAME_WHOLE;
}
