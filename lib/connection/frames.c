/* Bytes of a connection, in chunks of any size, cut into frames; the rest waits. */
#include "connection.h"

#include <string.h>

#define LOOK_AT 4096 /* bytes taken at once while it is unknown how many a frame still needs */

/* Bytes [from, to) of a span are consumed next: all up to `to` could be read when the last of them had arrived. */
static void read_up_to(struct armtap_half *half, const struct armtap_span *span, size_t from, size_t to)
{
    struct armtap_where where = armtap_span_where(span, from, to);
    int64_t before = half->read.time;
    if (armtap_where_is_later(&half->read, &where))
        return;
    half->read = where;
    if (before > where.time && where.time != ARMTAP_NO_TIME && !armtap_clock_was_set_back(before, where.time))
        half->read.time = before;
}

static void pass_over(struct armtap_conn *conn, enum armtap_direction direction, size_t length)
{
    struct armtap_half *half = &conn->half[direction];
    size_t there = length - (size_t)armtap_half_missing(half, half->offset, half->offset + length);
    if (length > 0 && !conn->foreign)
        armtap_conn_begin(conn);
    half->offset += length;
    half->search_skipped += there;
    conn->stream.bytes_skipped[direction] += there;
    conn->stream.bytes_lost[direction] += length - there;
    if (length > 0)
        half->after_gap = true;
}

/* Hands bytes to the sink that are no message, or no whole one, without those that were cut off. */
static int tell_bytes(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                      size_t from, size_t to, uint64_t offset)
{
    const struct armtap_half *half = &conn->half[direction];
    int error = ARMTAP_OK;
    for (size_t at = from; at < to && error == ARMTAP_OK;) {
        uint64_t here = offset + (at - from);
        size_t run = armtap_half_before_hole(half, here, to - at);
        if (run > 0) {
            error = armtap_conn_bytes(conn, direction, span, at, at + run, here, true);
            at += run;
        } else {
            const struct armtap_hole *hole = armtap_half_next_hole(half, here);
            at += hole->to - here < to - at ? (size_t)(hole->to - here) : to - at;
        }
    }
    return error;
}

/* Bytes [from, to) of a span are not a message. */
static int skip(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span, size_t from,
                size_t to)
{
    struct armtap_half *half = &conn->half[direction];
    uint64_t offset = half->offset;
    if (!conn->decoder)
        armtap_search_anew(half);
    if (half->search_skipped == 0 && from < to)
        half->search_from = armtap_span_where(span, from, from + 1);
    if (from < to)
        read_up_to(half, span, from, to);
    pass_over(conn, direction, to - from);
    return tell_bytes(conn, direction, span, from, to, offset);
}

static int lose_step(struct armtap_conn *conn, enum armtap_direction direction, struct armtap_where where, bool gap)
{
    struct armtap_half *half = &conn->half[direction];
    struct armtap_frame here = armtap_place(direction, half->offset, where);
    half->mode = ARMTAP_HALF_SEEKING;
    half->search_skipped = 0;
    armtap_conn_begin(conn);
    int error = conn->decoder->lost ? conn->decoder->lost(conn->context, conn, &here, gap) : ARMTAP_OK;
    return error == ARMTAP_OK ? armtap_conn_layers_lost(conn, direction) : error;
}

/* Takes a frame in sync. What calls it then tells its bytes. */
static int take_frame(struct armtap_conn *conn, const struct armtap_frame *frame)
{
    enum armtap_direction direction = frame->direction;
    struct armtap_half *half = &conn->half[direction];
    half->offset += frame->length;
    half->synced_end = half->offset;
    uint64_t missing = armtap_half_missing(half, frame->offset, half->offset);
    conn->stream.bytes_decoded[direction] += frame->length - missing;
    conn->stream.bytes_lost[direction] += missing;
    uint64_t records = conn->stream.records[direction];
    int error = conn->decoder->decode(conn->context, conn, frame);
    if (records == conn->stream.records[direction])
        armtap_conn_begin(conn);
    else if (!armtap_decoder_steady(conn->decoder, conn->context))
        armtap_conn_stir(conn);
    return error;
}

/* A message of that length begins with the next byte, as its head says; 0: the head says no length. */
static void begin_message(struct armtap_conn *conn, enum armtap_direction direction, size_t length)
{
    struct armtap_half *half = &conn->half[direction];
    half->begun = half->offset;
    half->begun_end = length > 0 ? half->offset + length : 0;
}

static int decode_frame(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        size_t at, size_t length, unsigned reading)
{
    struct armtap_half *half = &conn->half[direction];
    bool is_cut = armtap_half_missing(half, half->offset, half->offset + length) > 0;
    struct armtap_frame frame = {.direction = direction,
                                 .bytes = span->bytes + at,
                                 .length = length,
                                 .offset = half->offset,
                                 .where = armtap_span_where(span, at + length - 1, at + length),
                                 .reading = reading,
                                 .holes = is_cut ? half->holes->hole : NULL,
                                 .hole_count = is_cut ? half->holes->count : 0};
    if (is_cut)
        begin_message(conn, direction, length);
    read_up_to(half, span, at, at + length);
    int error = take_frame(conn, &frame);
    if (error != ARMTAP_OK || !conn->sink->on_message)
        return error;
    if (is_cut)
        return tell_bytes(conn, direction, span, at, at + length, frame.offset);
    return armtap_conn_bytes(conn, direction, span, at, at + length, frame.offset, false);
}

/* Where the skipped bytes begin: that packet shows them. */
static int note_resync(struct armtap_conn *conn, enum armtap_direction direction)
{
    struct armtap_half *half = &conn->half[direction];
    struct armtap_frame here = armtap_place(direction, half->offset, half->search_from);
    uint64_t skipped = half->search_skipped;
    half->search_skipped = 0;
    if (skipped == 0)
        return ARMTAP_OK;
    return armtap_conn_raise(conn, &here, ARMTAP_NOTE_stream_resync,
                             ARGS(arg_bytes(skipped), arg_direction(armtap_direction_word(direction)),
                                  arg_offset(half->offset), arg_case(ARMTAP_WORD_resumed)));
}

/* Skips the bytes [at, at + before) of a span: a frame begins after them. */
static int begin_frames(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        size_t at, size_t before)
{
    int error = skip(conn, direction, span, at, at + before);
    conn->half[direction].mode = ARMTAP_HALF_SYNCED;
    if (conn->decoder->found)
        conn->decoder->found(conn->context, direction);
    return error == ARMTAP_OK ? note_resync(conn, direction) : error;
}

static size_t frame_length(const struct armtap_conn *conn, enum armtap_direction direction,
                           const struct armtap_span *span, size_t at)
{
    long length = conn->decoder->frame(conn->context, direction, span->bytes + at, span->length - at);
    return length > 0 ? (size_t)length : 0;
}

/* Bytes up to `to` of a span cannot be used since the snapshot length cut off some of them; a frame begins behind them
 * if `is_known`. */
static int drop_cut(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                    size_t at, size_t to, bool is_known)
{
    struct armtap_half *half = &conn->half[direction];
    struct armtap_frame frame = {
        .direction = direction, .length = to - at, .offset = half->offset, .where = armtap_span_where(span, at, to)};
    int error = armtap_conn_unusable(conn, &frame);
    if (error == ARMTAP_OK)
        error = lose_step(conn, direction, frame.where, true);
    if (error == ARMTAP_OK)
        error = skip(conn, direction, span, at, to);
    half->search_skipped = 0;
    if (!is_known)
        return error;
    half->mode = ARMTAP_HALF_SYNCED;
    if (conn->decoder->found)
        conn->decoder->found(conn->context, direction);
    return error;
}

/* Where the bytes that wait have holes: takes one step. *at moves on, or *waits becomes true. */
static int digest_cut(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                      size_t *at, bool *waits)
{
    struct armtap_half *half = &conn->half[direction];
    const struct armtap_hole *hole = armtap_half_next_hole(half, half->offset);
    size_t left = span->length - *at, length = 0;
    size_t behind = hole->to - half->offset < left ? (size_t)(hole->to - half->offset) : left;
    unsigned reading = 0;
    enum armtap_frame_verdict verdict =
        armtap_judge_cut_frame(conn, direction, span->bytes + *at, left, &length, &half->want, &reading);
    if (verdict == ARMTAP_FRAME_HEADLESS)
        verdict = armtap_judge_headless(conn, direction, span, *at, &length, &half->want);
    int error;
    switch (verdict) {
    case ARMTAP_FRAME_WHOLE:
        error = decode_frame(conn, direction, span, *at, length, reading);
        break;
    case ARMTAP_FRAME_UNUSABLE:
        error = drop_cut(conn, direction, span, *at, *at + length, true);
        break;
    case ARMTAP_FRAME_WAITS:
        *waits = !span->final;
        length = *waits ? 0 : left;
        error = *waits ? ARMTAP_OK : drop_cut(conn, direction, span, *at, span->length, false);
        break;
    default:
        length = behind;
        error = drop_cut(conn, direction, span, *at, *at + behind, false);
        break;
    }
    *at += length;
    return error;
}

/* Decodes what it can from a span of a recognised connection; *used becomes the number of bytes done with. */
static int digest_known(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        size_t *used)
{
    struct armtap_half *half = &conn->half[direction];
    size_t at = *used, length = 0;
    unsigned reading;
    int error = armtap_buffer_reserve(conn, direction);
    while (error == ARMTAP_OK && at < span->length) {
        struct armtap_span rest = {span->bytes + at, span->length - at, NULL, 0, span->final};
        reading = 0;
        bool has_holes = half->holes && armtap_half_before_hole(half, half->offset, rest.length) < rest.length;
        if (has_holes && half->mode == ARMTAP_HALF_SYNCED) {
            bool waits = false;
            error = digest_cut(conn, direction, span, &at, &waits);
            if (waits)
                break;
            continue;
        }
        if (half->mode == ARMTAP_HALF_SEEKING) {
            bool found;
            if (half->boundary > 0 && half->boundary == half->offset)
                begin_message(conn, direction, frame_length(conn, direction, span, at));
            size_t before = armtap_seek(conn, direction, &rest, &found);
            error =
                found ? begin_frames(conn, direction, span, at, before) : skip(conn, direction, span, at, at + before);
            at += before;
            if (!found || error != ARMTAP_OK)
                break;
            if (has_holes)
                continue;
            length = frame_length(conn, direction, span, at);
        } else {
            enum armtap_frame_verdict verdict = armtap_judge_frame(conn, direction, rest.bytes, rest.length,
                                                                   span->final, &length, &half->want, &reading);
            if (verdict == ARMTAP_FRAME_WAITS)
                break;
            if (verdict == ARMTAP_FRAME_BAD) {
                if (span->final && length > rest.length)
                    begin_message(conn, direction, length);
                error = lose_step(conn, direction, armtap_span_where(span, at, at + 1), false);
                continue;
            }
        }
        error = decode_frame(conn, direction, span, at, length, reading);
        at += length;
    }
    *used = at;
    return error;
}

/* Data that waited in the other direction while the protocol was unknown. */
static int digest_other(struct armtap_conn *conn, enum armtap_direction direction)
{
    struct armtap_half *half = &conn->half[direction];
    if (half->used == 0)
        return ARMTAP_OK;
    struct armtap_span span = armtap_buffer_span(half, false);
    size_t used = 0;
    int error = digest_known(conn, direction, &span, &used);
    armtap_buffer_consume(half, used);
    half->looked = half->used;
    return error;
}

/* What it is, if a decoder knows; else NULL. */
static const char *stranger_of(const struct armtap_span *span)
{
    const struct armtap_decoder *decoder;
    const char *name = NULL;
    for (size_t i = 0; !name && (decoder = armtap_decoder_at(i)); i++)
        name = decoder->stranger ? decoder->stranger(span->bytes, span->length) : NULL;
    return name;
}

/* Nothing says which protocol it should be, but whoever made it alone expects one: the rest is passed over in silence.
 */
static int note_nothing(struct armtap_conn *conn, const struct armtap_frame *here, const struct armtap_span *span)
{
    const char *stranger = stranger_of(span);
    return armtap_conn_raise(conn, here, ARMTAP_NOTE_stream_foreign,
                             ARGS(arg_case(ARMTAP_WORD_unnamed), arg_bytes(conn->stream.bytes_skipped[here->direction]),
                                  arg_name(stranger)));
}

/* `sure`: everything that could identify it was examined. */
static int note_foreign(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        bool sure)
{
    struct armtap_frame here = armtap_place(direction, 0, armtap_span_where(span, 0, span->length));
    size_t shown = span->length < 32 ? span->length : 32;
    uint64_t searched = conn->stream.bytes_skipped[direction];
    bool by_chance = armtap_protocol_has(conn->hint, ARMTAP_TRAIT_ROBOT_CONNECTS) && !conn->forced;
    if (conn->hint == ARMTAP_PROTOCOL_NONE && conn->is_alone)
        return note_nothing(conn, &here, span);
    if (conn->hint == ARMTAP_PROTOCOL_NONE || by_chance)
        return ARMTAP_OK; /* a port that any client may have says little */
    const char *stranger = stranger_of(span);
    const char *protocol = armtap_protocol_name(conn->hint);
    if (!stranger && (!sure || searched > span->length))
        return armtap_conn_raise(conn, &here, ARMTAP_NOTE_stream_foreign,
                                 ARGS(arg_case(sure ? ARMTAP_WORD_nowhere : ARMTAP_WORD_undecided),
                                      arg_protocol(protocol), arg_bytes(searched)));
    return armtap_conn_raise(
        conn, &here, ARMTAP_NOTE_stream_foreign,
        ARGS(arg_case(ARMTAP_WORD_other), arg_protocol(protocol), arg_name(stranger), arg_quoted(span->bytes, shown)));
}

/* The protocol that the port promises may begin after the bytes searched in vain. */
static int note_spent(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span)
{
    struct armtap_frame here = armtap_place(direction, 0, armtap_span_where(span, 0, 1));
    if (conn->hint == ARMTAP_PROTOCOL_NONE || !armtap_search_is_spent(&conn->half[direction]))
        return ARMTAP_OK;
    return armtap_conn_limit(conn, &here, ARMTAP_BUDGET_searched);
}

/* Whether a direction ended with too little to call it foreign: the beginning of a frame, or part of one. */
static bool is_too_little(const struct armtap_conn *conn, enum armtap_direction direction,
                          const struct armtap_span *span)
{
    const struct armtap_decoder *decoder = armtap_decoder_for(conn->hint);
    if (!decoder)
        return !conn->is_alone || span->length == 0;
    if (armtap_is_late(conn, direction))
        return conn->stream.bytes_skipped[direction] + span->length < 4096;
    return armtap_decoder_begins(decoder, direction, span->bytes, span->length) != ARMTAP_FIT_NO;
}

static void swap_counters(uint64_t counters[2])
{
    uint64_t first = counters[0];
    counters[0] = counters[1];
    counters[1] = first;
}

/* The content showed that the robot is on the other side. */
static void swap_roles(struct armtap_conn *conn)
{
    struct armtap_half half = conn->half[0];
    char name[sizeof conn->stream.robot];
    conn->half[0] = conn->half[1];
    conn->half[1] = half;
    memcpy(name, conn->stream.robot, sizeof name);
    memcpy(conn->stream.robot, conn->stream.client, sizeof name);
    memcpy(conn->stream.client, name, sizeof name);
    swap_counters(conn->stream.bytes_lost);
    swap_counters(conn->stream.bytes_skipped);
    swap_counters(conn->stream.packets);
}

/* Holes in the data before the protocol was known. */
static int tell_gaps(struct armtap_conn *conn, const struct armtap_frame *here)
{
    uint64_t unheard = conn->unheard, lost = conn->stream.bytes_lost[0] + conn->stream.bytes_lost[1] - unheard;
    int error = lost > 0 ? armtap_conn_raise(conn, here, ARMTAP_NOTE_stream_gap,
                                             ARGS(arg_bytes(lost), arg_case(ARMTAP_WORD_before_first)))
                         : ARMTAP_OK;
    if (error != ARMTAP_OK || unheard == 0)
        return error;
    return armtap_conn_raise(conn, here, ARMTAP_NOTE_stream_left,
                             ARGS(arg_bytes(unheard), arg_case(ARMTAP_WORD_before_first)));
}

static int tell_recognised(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span)
{
    /* Where its first byte came: how many more it took to tell depends on the chunks. */
    struct armtap_frame here = armtap_place(direction, conn->half[direction].offset, armtap_span_where(span, 0, 1));
    int error = armtap_conn_signal(conn, &here, ARMTAP_EVENT_RECOGNISED);
    if (error == ARMTAP_OK)
        error = tell_gaps(conn, &here);
    if (error != ARMTAP_OK || !conn->stream.midstream)
        return error;
    here.where = conn->stream.first;
    if (conn->rest == ARMTAP_REST_SURELY)
        return armtap_conn_raise(conn, &here, ARMTAP_NOTE_input_hostile, ARGS(arg_case(ARMTAP_WORD_rest)));
    /* It has no SYN, and armtap may have forgotten connections that continued. */
    bool is_perhaps_rest = conn->rest == ARMTAP_REST_PERHAPS;
    return armtap_conn_raise(conn, &here, ARMTAP_NOTE_stream_midstream,
                             ARGS(arg_protocol(conn->decoder->info.name),
                                  arg_doubt(is_perhaps_rest ? ARMTAP_WORD_perhaps_rest : ARMTAP_WORD_none)));
}

/* The first frame, where recognition found it: its chain is not checked again. */
static int digest_first(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        long begin, size_t *used)
{
    if (begin < 0 || conn->half[direction].mode != ARMTAP_HALF_SEEKING)
        return ARMTAP_OK;
    *used = (size_t)begin;
    int error = begin_frames(conn, direction, span, 0, *used);
    size_t length = error == ARMTAP_OK ? frame_length(conn, direction, span, *used) : 0;
    if (armtap_half_next_hole(&conn->half[direction], conn->half[direction].offset))
        return error;
    if (length == 0 || length > span->length - *used)
        return error;
    error = decode_frame(conn, direction, span, *used, length, 0);
    *used += length;
    return error;
}

/* None of our protocols was found in a span. After the beginning of a connection telemetry may still follow. */
static int pass_over_unknown(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span)
{
    const struct armtap_half *half = &conn->half[direction];
    bool untold = span->final && (!half->closed || is_too_little(conn, direction, span));
    bool goes_on = !span->final && armtap_search_goes_on(conn, direction, span->length) && !stranger_of(span);
    bool sure = !armtap_is_late(conn, direction) || (span->final && !armtap_search_is_spent(half));
    int error = note_spent(conn, direction, span);
    if (error == ARMTAP_OK)
        error = skip(conn, direction, span, 0, span->length);
    if (error != ARMTAP_OK || untold || goes_on || (conn->hint != ARMTAP_PROTOCOL_NONE && direction == ARMTAP_TO_ROBOT))
        return error;
    conn->foreign = !span->final;
    return note_foreign(conn, direction, span, sure);
}

static int digest_unknown(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                          size_t *used)
{
    struct armtap_half *half = &conn->half[direction];
    bool was_swapped = conn->swapped;
    long begin;
    bool found;
    int error = armtap_recognise(conn, direction, span, &begin, &found);
    if (error == ARMTAP_OK && found) {
        if (conn->swapped != was_swapped) {
            swap_roles(conn);
            direction = armtap_other(direction);
        }
        error = tell_recognised(conn, direction, span);
        if (error != ARMTAP_OK)
            return error;
        error = digest_other(conn, armtap_other(direction)); /* it came earlier */
        if (error == ARMTAP_OK)
            error = digest_first(conn, direction, span, begin, used);
        return error == ARMTAP_OK ? digest_known(conn, direction, span, used) : error;
    }
    if (error != ARMTAP_OK || !half->hopeless)
        return error;
    *used = span->length;
    return pass_over_unknown(conn, direction, span);
}

static int digest(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                  size_t *used)
{
    *used = 0;
    return conn->decoder ? digest_known(conn, direction, span, used) : digest_unknown(conn, direction, span, used);
}

/* ---- bytes in ---- */

/* Processes the waiting bytes in the buffer. */
static int digest_buffer(struct armtap_conn *conn, enum armtap_direction direction, bool final)
{
    struct armtap_span span = armtap_buffer_span(&conn->half[armtap_conn_real(conn, direction)], final);
    size_t used = 0;
    int error = digest(conn, armtap_conn_real(conn, direction), &span, &used);
    struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
    armtap_buffer_consume(half, used);
    half->looked = half->used;
    armtap_buffer_shrink(conn, half);
    return error;
}

/* Before the turn goes to a direction: what came in the other is looked at, `want` or not, so that the order in which
 * directions are understood does not depend on the chunks. */
static int settle_other(struct armtap_conn *conn, enum armtap_direction direction)
{
    const struct armtap_half *half = &conn->half[armtap_conn_real(conn, armtap_other(direction))];
    return half->used > half->looked && !conn->foreign ? digest_buffer(conn, armtap_other(direction), false)
                                                       : ARMTAP_OK;
}

/* Keeps bytes that cannot be decoded yet. If the pool is used up they are given up, with those that waited before them.
 */
static int keep(struct armtap_conn *conn, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                const struct armtap_where *where)
{
    struct armtap_half *half = &conn->half[direction];
    if (armtap_buffer_has_room(conn, half, length))
        return armtap_buffer_append(conn, half, bytes, length, where);
    struct armtap_mark mark = {length, *where};
    struct armtap_span waited = armtap_buffer_span(half, false), span = {bytes, length, &mark, 1, false};
    int error = ARMTAP_OK;
    if (conn->decoder && half->mode == ARMTAP_HALF_SYNCED)
        error = lose_step(conn, direction, *where, true);
    if (error == ARMTAP_OK)
        error = skip(conn, direction, &waited, 0, half->used);
    armtap_buffer_consume(half, half->used);
    if (error == ARMTAP_OK)
        error = skip(conn, direction, &span, 0, length);
    half->want = 1;
    return error;
}

/* Processes the caller's bytes in place, and keeps the rest. */
static int digest_direct(struct armtap_conn *conn, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                         const struct armtap_where *where)
{
    struct armtap_mark mark = {length, *where};
    struct armtap_span span = {bytes, length, &mark, 1, false};
    size_t used = 0;
    int error = digest(conn, armtap_conn_real(conn, direction), &span, &used);
    if (error != ARMTAP_OK || used == length || conn->foreign)
        return error;
    struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
    error = keep(conn, armtap_conn_real(conn, direction), bytes + used, length - used, where);
    half->looked = half->used;
    return error;
}

/* How many of the bytes that came are taken at once: those that a frame lacks, so that what follows it need not be
 * copied; where that is not known, enough to look once, not at every byte. While the protocol is not known that is no
 * more than what it must show itself in, so that long chunks show no more than short ones. */
static size_t piece(const struct armtap_conn *conn, const struct armtap_half *half, size_t length)
{
    size_t most = half->want > half->used ? half->want - half->used : 1;
    bool lacks_unknown = most == 1 || half->mode == ARMTAP_HALF_SEEKING;
    if (half->used == 0)
        most = length;
    else if (lacks_unknown && most < LOOK_AT)
        most = LOOK_AT;
    if (!conn->decoder) {
        size_t limit = armtap_recognise_limit(conn), room = half->used < limit ? limit - half->used : 1;
        if (most < LOOK_AT)
            most = LOOK_AT;
        if (most > room)
            most = room;
    }
    return most < length ? most : length;
}

int armtap_frames_push(struct armtap_conn *conn, enum armtap_direction direction, const uint8_t *p, size_t length,
                       const struct armtap_where *where)
{
    conn->stream.last = *where;
    int error = ARMTAP_OK;
    if (direction == ARMTAP_TO_ROBOT && conn->spoken.state == ARMTAP_SPOKEN_NOT)
        error = armtap_spoken_hear(conn, p, length, where);
    error = error == ARMTAP_OK ? settle_other(conn, direction) : error;
    while (length > 0 && error == ARMTAP_OK) {
        struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
        if (conn->foreign) {
            struct armtap_mark mark = {length, *where};
            struct armtap_span span = {p, length, &mark, 1, false};
            error = skip(conn, armtap_conn_real(conn, direction), &span, 0, length);
            break;
        }
        size_t take = piece(conn, half, length);
        if (half->used == 0) {
            error = digest_direct(conn, direction, p, take, where);
        } else {
            error = keep(conn, armtap_conn_real(conn, direction), p, take, where);
            if (error == ARMTAP_OK && half->used >= half->want)
                error = digest_buffer(conn, direction, false);
        }
        p += take;
        length -= take;
    }
    return error == ARMTAP_OK && conn->spoken.state == ARMTAP_SPOKEN_HEARD ? armtap_spoken_judge(conn) : error;
}

enum { HEAD_LEAST = 4 }; /* bytes; fewer may begin any message */

/* Notes bytes after which no message began, up to the end of the stream or to bytes that are missing. */
static int note_tail(struct armtap_conn *conn, enum armtap_direction side, bool closing)
{
    struct armtap_half *half = &conn->half[side];
    struct armtap_frame here = armtap_place(side, half->offset, half->search_from);
    uint64_t skipped = half->search_skipped;
    half->search_skipped = 0;
    if (skipped == 0 || !conn->decoder || half->mode != ARMTAP_HALF_SEEKING)
        return ARMTAP_OK;
    bool is_begun = half->begun_end > half->offset && half->begun == half->offset - skipped;
    if (closing && (is_begun || skipped < HEAD_LEAST))
        conn->stream.bytes_unfinished[side] = skipped;
    return armtap_conn_raise(conn, &here, ARMTAP_NOTE_stream_resync,
                             ARGS(arg_bytes(skipped), arg_direction(armtap_direction_word(side)),
                                  arg_offset(half->offset),
                                  arg_case(closing ? ARMTAP_WORD_last : ARMTAP_WORD_before_gap),
                                  is_begun ? arg_message_bytes(half->begun_end - half->begun) : arg_none(true)));
}

/* No more bytes will come: decodes what is whole, and counts the rest as skipped. */
static int end_of_bytes(struct armtap_conn *conn, enum armtap_direction direction, bool closing)
{
    int error = settle_other(conn, direction);
    if (error != ARMTAP_OK)
        return error;
    if (conn->half[armtap_conn_real(conn, direction)].used > 0 && !conn->foreign)
        error = digest_buffer(conn, direction, true);
    struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
    bool may_tell = conn->decoder && conn->decoder->whole && half->mode == ARMTAP_HALF_SYNCED;
    if (error == ARMTAP_OK && half->used > 0 && may_tell && !conn->foreign) {
        conn->decoder->whole(conn->context, armtap_conn_real(conn, direction), half->buffer, half->used);
        error = digest_buffer(conn, direction, true);
        half = &conn->half[armtap_conn_real(conn, direction)];
    }
    if (error != ARMTAP_OK)
        return error;
    if (half->used == 0)
        return note_tail(conn, armtap_conn_real(conn, direction), closing);
    struct armtap_span span = armtap_buffer_span(half, true);
    if (closing && conn->decoder && conn->decoder->rest && half->mode == ARMTAP_HALF_SYNCED) {
        struct armtap_frame frame = {.direction = armtap_conn_real(conn, direction),
                                     .bytes = half->buffer,
                                     .length = half->used,
                                     .offset = half->offset,
                                     .where = armtap_span_where(&span, half->used - 1, half->used)};
        bool used = true;
        read_up_to(half, &span, 0, half->used);
        error = conn->decoder->rest(conn->context, conn, &frame, &used);
        if (used) {
            half->offset += frame.length;
            conn->stream.bytes_decoded[frame.direction] += frame.length;
            if (error == ARMTAP_OK)
                error = armtap_conn_bytes(conn, frame.direction, &span, 0, frame.length, frame.offset, false);
            armtap_buffer_consume(half, frame.length);
            return error;
        }
    }
    error = skip(conn, armtap_conn_real(conn, direction), &span, 0, half->used);
    armtap_buffer_consume(half, half->used);
    return error == ARMTAP_OK ? note_tail(conn, armtap_conn_real(conn, direction), closing) : error;
}

static int fill(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                const struct armtap_where *where)
{
    static const uint8_t zeros[1024];
    enum armtap_direction side = armtap_conn_real(conn, direction);
    struct armtap_half *half = &conn->half[side];
    uint64_t from = half->offset + half->used;
    conn->stream.gaps++;
    conn->stream.gaps_cut++; /* the bytes count where their place in the stream is reached */
    armtap_conn_begin(conn);
    int error = armtap_half_add_hole(conn, half, from, from + length);
    while (length > 0 && error == ARMTAP_OK) {
        size_t now = length < sizeof zeros ? (size_t)length : sizeof zeros;
        error = armtap_frames_push(conn, direction, zeros, now, where);
        length -= now;
    }
    return error;
}

int armtap_frames_miss(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                       enum armtap_missing_why why, const struct armtap_where *where)
{
    if (length > 0 && why == ARMTAP_MISSING_CUT &&
        armtap_conn_may_fill(conn, armtap_conn_real(conn, direction), length))
        return fill(conn, direction, length, where);
    int error = length > 0 ? end_of_bytes(conn, direction, false) : ARMTAP_OK;
    if (error != ARMTAP_OK || length == 0)
        return error;
    enum armtap_direction side = armtap_conn_real(conn, direction);
    struct armtap_half *half = &conn->half[side];
    struct armtap_frame here = armtap_place(side, half->offset, *where);
    half->offset += length;
    half->boundary = half->begun_end == half->offset ? half->offset : 0;
    half->after_gap = true;
    armtap_conn_begin(conn);
    conn->stream.gaps++;
    conn->stream.gaps_cut += why == ARMTAP_MISSING_CUT;
    conn->stream.bytes_lost[side] += length;
    conn->unheard += why == ARMTAP_MISSING_UNHEARD ? length : 0;
    if (conn->foreign)
        return ARMTAP_OK;
    error = armtap_conn_event(conn, direction, ARMTAP_EVENT_GAP, length, where);
    if (error == ARMTAP_OK && conn->decoder)
        error = armtap_conn_say_missing(conn, &here, length, why);
    if (error == ARMTAP_OK && conn->decoder)
        error = lose_step(conn, side, *where, true);
    return error;
}

int armtap_frames_close(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_where *where)
{
    if (where && !armtap_where_is_later(&conn->stream.last, where)) /* a RST before what was still on its way */
        conn->stream.last = *where;
    conn->half[armtap_conn_real(conn, direction)].closed = true;
    armtap_conn_begin(conn);
    int error = end_of_bytes(conn, direction, true);
    if (error == ARMTAP_OK && conn->decoder && conn->decoder->ends && !conn->foreign)
        error = conn->decoder->ends(conn->context, conn, armtap_conn_real(conn, direction));
    if (error == ARMTAP_OK)
        error = armtap_conn_layers_end(conn, armtap_conn_real(conn, direction));
    return error == ARMTAP_OK ? armtap_spoken_judge(conn) : error;
}
