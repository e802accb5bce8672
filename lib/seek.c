/* Where frames begin: recognising a protocol, and finding the way back. A length chain alone locks falsely, since a
 * cell that holds a length for ever forms a perfect chain: so candidates compete, and the one that fits well wins. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

#define UNHINTED_LIMIT 4096      /* a connection that shows nothing of ours in so many bytes is foreign */
#define HINTED_LIMIT (16 * 1024) /* the same where the port promises something: some packages of all variables */
#define SPACED_FROM 256          /* bytes */

struct candidate {
    size_t at;
    enum armtap_fit fit;
};

/* How well a whole frame at bytes[at] fits behind which no other can be seen. */
static enum armtap_fit fit_alone(const struct armtap_decoder *decoder, const void *context,
                                 enum armtap_direction direction, const struct armtap_span *span, size_t at,
                                 size_t length)
{
    bool fits = context ? decoder->sure(context, direction, span->bytes + at, length)
                        : at == 0 && decoder->begins(direction, span->bytes, length) != ARMTAP_FIT_NO;
    return fits ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

/* How well a frame begins at bytes[at]. `need` becomes the length with which a MORE can be told. */
static enum armtap_fit fit_at(const struct armtap_decoder *decoder, const void *context,
                              enum armtap_direction direction, const struct armtap_span *span, size_t at, size_t *need)
{
    const uint8_t *bytes = span->bytes + at;
    size_t left = span->length - at;
    long length = decoder->frame(context, direction, bytes, left);
    *need = span->length + 1;
    if (length < 0)
        return ARMTAP_FIT_NO;
    if (length == 0)
        return span->final ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    size_t frame = (size_t)length;
    if (frame > left) {
        *need = at + frame;
        return span->final ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    }
    enum armtap_fit fit = decoder->follows(context, direction, bytes, frame, bytes + frame, left - frame);
    if (frame == left && fit != ARMTAP_FIT_WELL)
        fit = ARMTAP_FIT_MORE; /* what fits well by itself need not wait for another */
    return fit == ARMTAP_FIT_MORE && span->final ? fit_alone(decoder, context, direction, span, at, frame) : fit;
}

/* The frame boundaries before the damage go on after it, if frames have one length. */
static bool continues_grid(const struct armtap_half *half, const struct armtap_decoder *decoder, const void *context,
                           enum armtap_direction direction, const struct armtap_span *span, size_t at)
{
    long length = decoder->frame(context, direction, span->bytes + at, span->length - at);
    return half->synced_end > 0 && length > 0 && (half->offset + at - half->synced_end) % (uint64_t)length == 0;
}

/* The best beginning in a span. Between the first that fits and the end of the frame it announces (or of a usual one: a
 * false chain may have short links), one that fits well wins. */
static struct candidate best_in(const struct armtap_half *half, const struct armtap_decoder *decoder,
                                const void *context, enum armtap_direction direction, const struct armtap_span *span,
                                size_t *need)
{
    struct candidate best = {span->length, ARMTAP_FIT_NO};
    size_t limit = span->length;
    for (size_t at = 0; at < limit; at++) {
        enum armtap_fit fit = fit_at(decoder, context, direction, span, at, need);
        if (fit == ARMTAP_FIT_YES && continues_grid(half, decoder, context, direction, span, at))
            fit = ARMTAP_FIT_WELL;
        if (fit == ARMTAP_FIT_WELL)
            return (struct candidate){at, fit};
        if (fit == ARMTAP_FIT_MORE)
            return (struct candidate){best.fit == ARMTAP_FIT_YES ? best.at : at, ARMTAP_FIT_MORE};
        if (fit == ARMTAP_FIT_YES && best.fit == ARMTAP_FIT_NO) {
            long length = decoder->frame(context, direction, span->bytes + at, span->length - at);
            best = (struct candidate){at, fit};
            size_t reach = (size_t)length > decoder->usual ? (size_t)length : decoder->usual;
            limit = span->final && at + reach > span->length ? span->length : at + reach;
        }
    }
    return best;
}

/* `need`, or more where much is at hand already, so that looking again and again stays linear. */
static size_t spaced(size_t need, size_t at_hand)
{
    size_t next = at_hand < SPACED_FROM ? need : at_hand + at_hand / 8;
    return need > next ? need : next;
}

size_t armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                   bool *found)
{
    struct armtap_half *half = &conn->half[direction];
    size_t need = 0;
    struct candidate best = best_in(half, conn->decoder, conn->context, direction, span, &need);
    *found = best.fit == ARMTAP_FIT_YES || best.fit == ARMTAP_FIT_WELL;
    half->want = best.fit == ARMTAP_FIT_MORE ? spaced(need - best.at, span->length - best.at) : 1;
    return best.at;
}

static int adopt(struct armtap_conn *conn, const struct armtap_decoder *decoder)
{
    conn->context = calloc(1, decoder->context_size);
    if (!conn->context)
        return ARMTAP_ERR_MEMORY;
    conn->decoder = decoder;
    conn->stream.protocol = decoder->protocol;
    for (int i = 0; i < 2; i++)
        conn->half[i].mode =
            conn->stream.midstream || conn->half[i].offset > 0 ? ARMTAP_HALF_SEEKING : ARMTAP_HALF_SYNCED;
    int error = decoder->open ? decoder->open(conn->context) : 0;
    for (int i = 0; i < 2 && error == 0 && decoder->starts; i++)
        if (conn->half[i].mode == ARMTAP_HALF_SYNCED)
            decoder->starts(conn->context, (enum armtap_direction)(conn->swapped ? 1 - i : i));
    return error;
}

/* What more bytes could show. */
struct prospect {
    bool open;    /* a decoder cannot tell yet */
    size_t need;  /* bytes with which one may */
    size_t first; /* bytes of the first frame, where they begin like one; 0 otherwise */
};

/* Whether a direction's first bytes are a decoder's. Off the port that promises it, the content must be unmistakable or
 * show two frames in a row. */
static enum armtap_fit probe(const struct armtap_conn *conn, const struct armtap_decoder *decoder,
                             enum armtap_direction direction, const struct armtap_span *span, struct prospect *prospect)
{
    const struct armtap_half *half = &conn->half[direction];
    bool hinted = conn->hint == decoder->protocol;
    enum armtap_fit begins = decoder->begins(direction, span->bytes, span->length);
    if (!conn->stream.midstream && half->offset == 0) {
        if (begins == ARMTAP_FIT_WELL || (begins == ARMTAP_FIT_YES && hinted))
            return begins;
        if (begins == ARMTAP_FIT_MORE && !span->final) {
            long frame = decoder->frame(NULL, direction, span->bytes, span->length);
            prospect->need = prospect->first = frame > 0 ? (size_t)frame : span->length + 1;
            return ARMTAP_FIT_MORE;
        }
    }
    if (!decoder->follows)
        return ARMTAP_FIT_NO;
    struct candidate best = best_in(half, decoder, NULL, direction, span, &prospect->need);
    if (best.fit == ARMTAP_FIT_NO && hinted && span->final &&
        decoder->frame(NULL, direction, span->bytes, span->length) == (long)span->length)
        return ARMTAP_FIT_YES; /* one frame, of whatever size, and nothing else */
    return best.fit == ARMTAP_FIT_YES && decoder->common && !hinted ? ARMTAP_FIT_NO : best.fit;
}

size_t armtap_recognise_limit(const struct armtap_conn *conn)
{
    return conn->hint != ARMTAP_PROTOCOL_NONE ? HINTED_LIMIT : UNHINTED_LIMIT;
}

/* The decoders in turn, that of the port first; NULL beyond the last. */
static const struct armtap_decoder *decoder_in_turn(const struct armtap_conn *conn, size_t i)
{
    const struct armtap_decoder *hinted = armtap_decoder_for(conn->hint);
    return hinted && i == 0 ? hinted : armtap_decoder_at(hinted ? i - 1 : i);
}

/* The first decoder that fits; one before it that needs more bytes to tell is waited for, so that the outcome does not
 * depend on the chunks. */
static int recognise_as(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        bool swap, struct prospect *all)
{
    for (size_t i = 0;; i++) {
        const struct armtap_decoder *decoder = decoder_in_turn(conn, i);
        if (!decoder)
            return 1;
        if (conn->forced && conn->hint != decoder->protocol)
            continue;
        struct prospect one = {false, 0, 0};
        enum armtap_fit fit = probe(conn, decoder, swap ? armtap_other(direction) : direction, span, &one);
        if (fit >= ARMTAP_FIT_YES) {
            if (all->open && !swap && !span->final && span->length < armtap_recognise_limit(conn))
                return 1; /* a decoder before it has not told yet */
            conn->swapped ^= swap;
            return adopt(conn, decoder);
        }
        if (fit == ARMTAP_FIT_MORE) {
            all->open = true;
            if (all->need == 0 || one.need < all->need)
                all->need = one.need;
            if (one.first != 0 && (all->first == 0 || one.first < all->first))
                all->first = one.first;
        }
    }
}

/* How well any decoder, in the roles as they are or swapped, takes the very first bytes of a connection for its own. */
static enum armtap_fit beginning(const struct armtap_conn *conn, enum armtap_direction direction,
                                 const struct armtap_span *span, bool swap, const struct armtap_decoder **found)
{
    enum armtap_fit best = ARMTAP_FIT_NO;
    const struct armtap_decoder *decoder;
    for (size_t i = 0; (decoder = decoder_in_turn(conn, i)); i++) {
        if (conn->forced && conn->hint != decoder->protocol)
            continue;
        enum armtap_fit fit = decoder->begins(swap ? armtap_other(direction) : direction, span->bytes, span->length);
        bool hinted = conn->hint == decoder->protocol;
        if (fit == ARMTAP_FIT_WELL || (fit == ARMTAP_FIT_YES && hinted && !swap)) {
            *found = decoder;
            return ARMTAP_FIT_WELL;
        }
        if (fit == ARMTAP_FIT_MORE)
            best = fit;
    }
    return best;
}

static bool at_the_beginning(const struct armtap_conn *conn, enum armtap_direction direction)
{
    return !conn->stream.midstream && conn->half[direction].offset == 0;
}

/* Whether the first bytes show beyond doubt what this is, whatever a decoder before could still find in them: 0 yes, 1
 * no, or an error. `open` becomes whether more bytes may show it. */
static int recognise_beginning(struct armtap_conn *conn, enum armtap_direction direction,
                               const struct armtap_span *span, bool *open)
{
    const struct armtap_decoder *decoder;
    if (!at_the_beginning(conn, direction))
        return 1;
    enum armtap_fit fit = beginning(conn, direction, span, false, &decoder);
    *open = fit == ARMTAP_FIT_MORE;
    return fit == ARMTAP_FIT_WELL ? adopt(conn, decoder) : 1;
}

/* Whether the first bytes show beyond doubt that the roles are the other way round: 0 yes, 1 no, 2 it takes more bytes
 * to tell, or an error. What else speaks for swapped roles counts only when all bytes were looked at. */
static int recognise_swapped(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span)
{
    const struct armtap_decoder *decoder;
    if (!conn->roles_guessed || !at_the_beginning(conn, direction))
        return 1;
    enum armtap_fit fit = beginning(conn, direction, span, true, &decoder);
    if (fit == ARMTAP_FIT_MORE)
        return span->final ? 1 : 2;
    if (fit != ARMTAP_FIT_WELL)
        return 1;
    conn->swapped = !conn->swapped;
    return adopt(conn, decoder);
}

int armtap_recognise(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span)
{
    struct armtap_half *half = &conn->half[direction];
    size_t limit = armtap_recognise_limit(conn);
    struct prospect all = {false, 0, 0};
    struct armtap_span head = *span;
    head.final = span->final || span->length >= limit;
    int outcome = recognise_beginning(conn, direction, &head, &all.open);
    if (outcome == 1)
        outcome = recognise_swapped(conn, direction, &head);
    if (outcome == 1)
        outcome = recognise_as(conn, direction, &head, false, &all);
    if (outcome == 1 && conn->roles_guessed && head.final)
        outcome = recognise_as(conn, direction, &head, true, &all);
    if (outcome <= 0)
        return outcome;
    size_t want = spaced(all.need, span->length);
    half->want = all.first > span->length && all.first < want ? all.first : want;
    if (half->want > limit)
        half->want = limit; /* it is judged there, and nowhere else, whatever the chunks */
    half->hopeless = head.final;
    return 1;
}
