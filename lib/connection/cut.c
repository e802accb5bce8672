/* What the snapshot length cut off: zeros stand in the buffer of a direction, with the holes beside it, so that frames
 * keep their places. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

uint64_t armtap_half_missing(const struct armtap_half *half, uint64_t from, uint64_t to)
{
    uint64_t missing = 0;
    for (size_t i = 0; half->holes && i < half->holes->count; i++) {
        const struct armtap_hole *hole = &half->holes->hole[i];
        uint64_t begin = hole->from > from ? hole->from : from, end = hole->to < to ? hole->to : to;
        missing += begin < end ? end - begin : 0;
    }
    return missing;
}

const struct armtap_hole *armtap_half_next_hole(const struct armtap_half *half, uint64_t from)
{
    for (size_t i = 0; half->holes && i < half->holes->count; i++)
        if (half->holes->hole[i].to > from)
            return &half->holes->hole[i];
    return NULL;
}

size_t armtap_half_before_hole(const struct armtap_half *half, uint64_t from, size_t length)
{
    const struct armtap_hole *hole = armtap_half_next_hole(half, from);
    if (!hole || hole->from >= from + length)
        return length;
    return hole->from > from ? (size_t)(hole->from - from) : 0;
}

static void forget_holes(struct armtap_half *half)
{
    size_t gone = 0;
    while (half->holes && gone < half->holes->count && half->holes->hole[gone].to <= half->offset)
        gone++;
    if (gone == 0)
        return;
    half->holes->count -= gone;
    memmove(half->holes->hole, half->holes->hole + gone, half->holes->count * sizeof *half->holes->hole);
}

int armtap_half_add_hole(struct armtap_conn *conn, struct armtap_half *half, uint64_t from, uint64_t to)
{
    forget_holes(half);
    if (!half->holes) {
        half->holes = calloc(1, sizeof *half->holes);
        if (!half->holes)
            return ARMTAP_ERR_MEMORY;
        armtap_conn_take(conn, sizeof *half->holes);
    }
    struct armtap_hole *last = half->holes->count ? &half->holes->hole[half->holes->count - 1] : NULL;
    if (last && (last->to == from || half->holes->count == ARMTAP_HOLES_MAX))
        last->to = to;
    else
        half->holes->hole[half->holes->count++] = (struct armtap_hole){from, to};
    return ARMTAP_OK;
}

int armtap_conn_say_missing(struct armtap_conn *conn, const struct armtap_frame *here, uint64_t length,
                            enum armtap_missing_why why)
{
    return armtap_conn_raise(
        conn, here, why == ARMTAP_MISSING_UNHEARD ? ARMTAP_NOTE_stream_left : ARMTAP_NOTE_stream_gap,
        ARGS(arg_bytes(length), arg_direction(armtap_direction_word(here->direction)), arg_offset(here->offset),
             arg_case(why == ARMTAP_MISSING_CUT ? ARMTAP_WORD_cut : ARMTAP_WORD_none)));
}

int armtap_conn_unusable(struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const struct armtap_half *half = &conn->half[frame->direction];
    uint64_t missing = armtap_half_missing(half, frame->offset, frame->offset + frame->length);
    struct armtap_frame here = armtap_place(frame->direction, frame->offset, frame->where);
    if (missing == 0)
        return ARMTAP_OK;
    int error =
        armtap_conn_event(conn, armtap_conn_real(conn, frame->direction), ARMTAP_EVENT_GAP, missing, &frame->where);
    return error == ARMTAP_OK ? armtap_conn_say_missing(conn, &here, missing, ARMTAP_MISSING_CUT) : error;
}

/* Whether a decoder that seeks has the beginning of a message at hand that what follows may belong to. */
static bool seeks_with_head(const struct armtap_conn *conn, const struct armtap_half *half, enum armtap_direction side)
{
    long length =
        conn->decoder && half->used > 0 ? conn->decoder->frame(conn->context, side, half->buffer, half->used) : 0;
    return half->used > 0 && (length <= 0 || (size_t)length > half->used);
}

bool armtap_conn_may_fill(const struct armtap_conn *conn, enum armtap_direction side, uint64_t length)
{
    const struct armtap_decoder *decoder = conn->decoder ? conn->decoder : armtap_decoder_for(conn->hint);
    const struct armtap_half *half = &conn->half[side];
    if (half->mode == ARMTAP_HALF_SEEKING && !seeks_with_head(conn, half, side))
        return false;
    return length <= ARMTAP_FILLED_MOST && !conn->foreign && decoder && decoder->cut && decoder->cut(side, NULL);
}
