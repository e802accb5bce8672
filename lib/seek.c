/* Where frames begin: recognising a protocol, and finding the way back. A length chain alone locks falsely, since a
 * cell that holds a length for ever forms a perfect chain: so candidates compete, and the one that fits well wins. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

#define UNHINTED_LIMIT 4096       /* a connection that shows nothing of ours in so many bytes is foreign */
#define HINTED_LIMIT (16 * 1024)  /* the same where the port promises something: some packages of all variables */
#define SPACED_FROM 1024 /* bytes */

struct candidate {
    size_t at;
    enum armtap_fit fit;
};

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
    if (frame == left && span->final)
        return ARMTAP_FIT_YES;
    enum armtap_fit fit = decoder->follows(context, direction, bytes, frame, bytes + frame, left - frame);
    return fit == ARMTAP_FIT_MORE && span->final ? ARMTAP_FIT_NO : fit;
}

/* The frame boundaries before the damage go on after it, if frames have one length. */
static bool continues_grid(const struct armtap_half *half, const struct armtap_decoder *decoder, const void *context,
                           enum armtap_direction direction, const struct armtap_span *span, size_t at)
{
    long length = decoder->frame(context, direction, span->bytes + at, span->length - at);
    return half->synced_end > 0 && length > 0 && (half->offset + at - half->synced_end) % (uint64_t)length == 0;
}

/* The best beginning in a span. Between the first that fits and the frame it announces, one that fits well wins. */
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
            if (length > 0 && at + (size_t)length < limit)
                limit = at + (size_t)length;
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
    return decoder->open ? decoder->open(conn->context) : 0;
}

/* Whether a direction's first bytes are a decoder's. Off the port that promises it, the content must be unmistakable or
 * show two frames in a row. */
static enum armtap_fit probe(const struct armtap_conn *conn, const struct armtap_decoder *decoder,
                             enum armtap_direction direction, const struct armtap_span *span, size_t *need)
{
    const struct armtap_half *half = &conn->half[direction];
    bool hinted = conn->hint == decoder->protocol;
    enum armtap_fit begins = decoder->begins(direction, span->bytes, span->length);
    if (!conn->stream.midstream && half->offset == 0) {
        if (begins == ARMTAP_FIT_WELL || (begins == ARMTAP_FIT_YES && hinted))
            return ARMTAP_FIT_YES;
        if (begins == ARMTAP_FIT_MORE && !span->final) {
            *need = span->length + 1;
            return ARMTAP_FIT_MORE;
        }
    }
    if (!decoder->follows)
        return ARMTAP_FIT_NO;
    struct candidate best = best_in(half, decoder, NULL, direction, span, need);
    return best.fit;
}

static int recognise_as(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        bool swap, size_t *need, bool *open)
{
    for (size_t i = 0;; i++) {
        const struct armtap_decoder *decoder = armtap_decoder_at(i);
        if (!decoder)
            return 1;
        if (conn->forced && conn->hint != decoder->protocol)
            continue;
        size_t more = 0;
        enum armtap_fit fit = probe(conn, decoder, swap ? armtap_other(direction) : direction, span, &more);
        if (fit == ARMTAP_FIT_YES || fit == ARMTAP_FIT_WELL) {
            conn->swapped ^= swap;
            return adopt(conn, decoder);
        }
        if (fit == ARMTAP_FIT_MORE) {
            *open = true;
            if (*need == 0 || more < *need)
                *need = more;
        }
    }
}

int armtap_recognise(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span)
{
    struct armtap_half *half = &conn->half[direction];
    size_t limit = conn->hint != ARMTAP_PROTOCOL_NONE ? HINTED_LIMIT : UNHINTED_LIMIT;
    size_t need = 0;
    bool open = false;
    struct armtap_span head = *span; /* no more than the limit, so that long chunks show no more than short ones */
    if (head.length > limit) {
        head.length = limit;
        head.final = false;
    }
    int outcome = recognise_as(conn, direction, &head, false, &need, &open);
    if (outcome == 1 && conn->roles_guessed)
        outcome = recognise_as(conn, direction, &head, true, &need, &open);
    if (outcome != 1)
        return outcome;
    half->want = need > span->length ? need : span->length + 1;
    if (span->length >= UNHINTED_LIMIT / 2 && half->want < span->length + span->length / 2)
        half->want = span->length + span->length / 2; /* so that looking again and again stays linear */
    half->hopeless = span->final || span->length >= limit;
    return 1;
}
