/* Finds where frames begin: recognises a protocol, and resynchronises. A chain of lengths alone can lock falsely, since
 * a cell that always holds a length forms a perfect chain: so candidates compete, and the one that fits well wins. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

#define UNHINTED_LIMIT 4096      /* a connection without any of our protocols in this many bytes is foreign */
#define HINTED_LIMIT (16 * 1024) /* the same where the port promises something: some packages of all variables */
#define LATE_LIMIT (1024 * 1024) /* the same where it began before the capture: in parts of HINTED_LIMIT each */
#define WORK_EACH 8              /* bytes that recognition may examine in vain for each byte, beyond the limit */
#define SPACED_FROM 16           /* bytes; up to here each new byte may restart the search */
#define SPACED_BY 8              /* bytes at least, beyond */

struct candidate {
    size_t at;
    enum armtap_fit fit;
};

/* Where a decoder's frames are searched for. */
struct search {
    const struct armtap_half *half;
    const struct armtap_decoder *decoder;
    const void *context; /* NULL: the protocol is not known */
    enum armtap_hint hint;
    uint16_t port;
    bool starts; /* the span holds the first byte of its direction */
    enum armtap_direction direction;
    const struct armtap_span *span;
    uint64_t *worked; /* of a protocol that is not known */
};

enum armtap_fit armtap_decoder_begins(const struct armtap_decoder *decoder, enum armtap_direction direction,
                                      const uint8_t *bytes, size_t length)
{
    if (decoder->begins)
        return decoder->begins(direction, bytes, length);
    long frame = length > 0 ? decoder->frame(NULL, direction, bytes, length) : 0;
    return frame < 0 ? ARMTAP_FIT_NO : frame == 0 || (size_t)frame > length ? ARMTAP_FIT_MORE : ARMTAP_FIT_MAYBE;
}

enum armtap_fit armtap_decoder_follows(const struct armtap_decoder *decoder, const void *context,
                                       enum armtap_direction direction, const uint8_t *frame, size_t length,
                                       size_t available)
{
    const uint8_t *next = frame + length;
    if (decoder->follows)
        return decoder->follows(context, direction, frame, length, next, available);
    long answer = available > 0 ? decoder->frame(context, direction, next, available) : 0;
    return answer < 0 ? ARMTAP_FIT_NO : answer == 0 ? ARMTAP_FIT_MORE : ARMTAP_FIT_YES;
}

/* How well a frame begins at bytes[at]; of a connection whose protocol is not known, a chain of them. `need` becomes
 * the length with which a MORE can be told; what was looked at is added to `work`. */
static enum armtap_fit fit_at(const struct search *search, size_t at, size_t *need, size_t *work)
{
    const struct armtap_decoder *decoder = search->decoder;
    const struct armtap_span *span = search->span;
    const uint8_t *bytes = span->bytes + at;
    size_t left = span->length - at;
    if (!search->context && decoder->shows) {
        struct armtap_sight sight = {bytes,        left,         at,  span->final, search->starts && at == 0,
                                     search->hint, search->port, work};
        enum armtap_fit shown = decoder->shows(search->direction, &sight, need);
        *need += at;
        return shown;
    }
    long length = decoder->frame(search->context, search->direction, bytes, left);
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
    enum armtap_fit fit =
        armtap_decoder_follows(decoder, search->context, search->direction, bytes, frame, left - frame);
    if (frame == left && fit != ARMTAP_FIT_WELL)
        fit = ARMTAP_FIT_MORE; /* a frame that fits well by itself need not wait for another */
    if (fit == ARMTAP_FIT_MORE && span->final)
        fit = armtap_decoder_sure(decoder, search->context, search->direction, bytes, frame) ? ARMTAP_FIT_YES
                                                                                             : ARMTAP_FIT_NO;
    return fit;
}

static long frame_at(const struct search *search, size_t at)
{
    return search->decoder->frame(search->context, search->direction, search->span->bytes + at,
                                  search->span->length - at);
}

/* If all frames have one length, the boundaries before the damage continue after it. */
static bool continues_grid(const struct search *search, size_t at)
{
    const struct armtap_half *half = search->half;
    long length = half->synced_end > 0 ? frame_at(search, at) : 0;
    return length > 0 && (half->offset + at - half->synced_end) % (uint64_t)length == 0;
}

static size_t place_behind(const struct search *search, size_t at)
{
    const struct armtap_span *span = search->span;
    return search->context && search->decoder->next
               ? search->decoder->next(search->context, search->direction, span->bytes, span->length, at)
               : at + 1;
}

/* Adds what it took to rule out the place `at`. It does so once for each place, whatever the chunks: behind the same
 * place it is too much. */
static void account_for(const struct search *search, size_t at, size_t work)
{
    if (search->worked && *search->worked != ARMTAP_SEARCH_SPENT)
        *search->worked += work;
    if (search->worked && *search->worked > ARMTAP_LIMIT_searched + (uint64_t)WORK_EACH * at)
        *search->worked = ARMTAP_SEARCH_SPENT;
}

static bool is_spent(const struct search *search)
{
    return search->worked && *search->worked == ARMTAP_SEARCH_SPENT;
}

/* The best beginning in a span from `from` on. Between the first that fits and the end of the frame it announces (or of
 * a usual one: a false chain may have short links), one that fits well wins. */
static struct candidate best_in(const struct search *search, size_t from, size_t *need)
{
    const struct armtap_span *span = search->span;
    struct candidate best = {span->length, ARMTAP_FIT_NO};
    size_t limit = span->length;
    for (size_t at = from; at < limit && !is_spent(search); at = place_behind(search, at)) {
        size_t work = 0;
        enum armtap_fit fit = fit_at(search, at, need, &work);
        if (fit == ARMTAP_FIT_YES && continues_grid(search, at))
            fit = ARMTAP_FIT_WELL;
        if (fit == ARMTAP_FIT_WELL)
            return (struct candidate){at, fit};
        if (fit == ARMTAP_FIT_MORE)
            return (struct candidate){best.fit == ARMTAP_FIT_YES ? best.at : at, ARMTAP_FIT_MORE};
        if (fit == ARMTAP_FIT_YES && best.fit == ARMTAP_FIT_NO) {
            size_t length = (size_t)frame_at(search, at);
            best = (struct candidate){at, fit};
            size_t reach = length > search->decoder->usual ? length : search->decoder->usual;
            limit = span->final && at + reach > span->length ? span->length : at + reach;
        }
        if (best.fit == ARMTAP_FIT_NO)
            account_for(search, at, work);
    }
    return best;
}

size_t armtap_spaced(size_t need, size_t at_hand)
{
    size_t next = at_hand < SPACED_FROM ? need : at_hand + SPACED_BY + at_hand / 8;
    return need > next ? need : next;
}

size_t armtap_seek(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                   bool *found)
{
    struct armtap_half *half = &conn->half[direction];
    size_t need = 0;
    struct search search = {half,      conn->decoder, conn->context, ARMTAP_HINT_NONE, conn->port, false,
                            direction, span,          NULL};
    struct candidate best = best_in(&search, 0, &need);
    *found = best.fit == ARMTAP_FIT_YES || best.fit == ARMTAP_FIT_WELL;
    half->want = best.fit == ARMTAP_FIT_MORE ? armtap_spaced(need - best.at, span->length - best.at) : 1;
    return best.at;
}

static int adopt(struct armtap_conn *conn, const struct armtap_decoder *decoder)
{
    conn->context = calloc(1, decoder->context_size);
    if (!conn->context)
        return ARMTAP_ERR_MEMORY;
    armtap_conn_take(conn, decoder->context_size);
    conn->decoder = decoder;
    conn->stream.protocol = decoder->info.protocol;
    conn->stream.info = &decoder->info;
    for (int i = 0; i < 2; i++)
        conn->half[i].mode =
            conn->stream.midstream || conn->half[i].offset > 0 ? ARMTAP_HALF_SEEKING : ARMTAP_HALF_SYNCED;
    int error = decoder->open ? decoder->open(conn->context) : 0;
    if (error == 0 && decoder->listens)
        decoder->listens(conn->context, conn->port);
    for (int i = 0; i < 2 && error == 0 && decoder->starts; i++)
        if (conn->half[i].mode == ARMTAP_HALF_SYNCED)
            decoder->starts(conn->context, (enum armtap_direction)(conn->swapped ? 1 - i : i));
    return error;
}

/* What more bytes could reveal. */
struct prospect {
    bool open;    /* a decoder cannot decide yet */
    size_t need;  /* bytes that it needs */
    size_t first; /* bytes of the first frame, where they begin like one; 0 otherwise */
    long begin;   /* where the first frame begins; -1: not known */
};

static enum armtap_hint hint_of(const struct armtap_conn *conn, const struct armtap_decoder *decoder)
{
    if (conn->hint != decoder->info.protocol)
        return ARMTAP_HINT_NONE;
    return conn->forced ? ARMTAP_HINT_USER : ARMTAP_HINT_PORT;
}

/* Whether the very first bytes show a decoder. */
static bool is_begun(const struct armtap_conn *conn, const struct armtap_decoder *decoder, enum armtap_fit begins)
{
    enum armtap_hint hint = hint_of(conn, decoder);
    return begins == ARMTAP_FIT_WELL || (begins == ARMTAP_FIT_YES && hint != ARMTAP_HINT_NONE) ||
           (begins == ARMTAP_FIT_MAYBE && hint == ARMTAP_HINT_USER);
}

/* Nothing follows: whether one frame stands at the beginning, and nothing else, or what begins like a connection. */
static bool is_all_there_is(const struct armtap_conn *conn, const struct armtap_decoder *decoder,
                            enum armtap_direction direction, const struct armtap_span *span)
{
    long frame = decoder->frame(NULL, direction, span->bytes, span->length);
    if (frame <= 0 || (size_t)frame > span->length)
        return false;
    bool is_hinted = hint_of(conn, decoder) != ARMTAP_HINT_NONE, is_alone = (size_t)frame == span->length;
    enum armtap_fit begins = armtap_decoder_begins(decoder, direction, span->bytes, span->length);
    if (is_hinted && is_alone)
        return true;
    if (begins == ARMTAP_FIT_NO || (decoder->common && !is_hinted))
        return begins == ARMTAP_FIT_WELL;
    return begins != ARMTAP_FIT_MAYBE || is_alone || hint_of(conn, decoder) == ARMTAP_HINT_USER;
}

/* Whether a direction's first bytes are a decoder's. Off the port that promises it, the content must be unmistakable or
 * show two frames in a row. */
static enum armtap_fit probe(const struct armtap_conn *conn, const struct armtap_decoder *decoder,
                             enum armtap_direction direction, const struct armtap_span *span, size_t *ruled_out,
                             uint64_t *worked, struct prospect *prospect)
{
    const struct armtap_half *half = &conn->half[direction];
    enum armtap_fit begins = armtap_decoder_begins(decoder, direction, span->bytes, span->length);
    if (!conn->stream.midstream && half->offset == 0) {
        if (is_begun(conn, decoder, begins))
            return ARMTAP_FIT_WELL;
        if (begins == ARMTAP_FIT_MORE && !span->final) {
            long frame = decoder->frame(NULL, direction, span->bytes, span->length);
            prospect->need = prospect->first = frame > 0 ? (size_t)frame : span->length + 1;
            return ARMTAP_FIT_MORE;
        }
    }
    struct search search = {
        half,      decoder, NULL,  hint_of(conn, decoder), conn->port, !conn->stream.midstream && half->offset == 0,
        direction, span,    worked};
    struct candidate best = best_in(&search, *ruled_out, &prospect->need);
    *ruled_out = best.at;
    if (best.fit == ARMTAP_FIT_NO && span->final && is_all_there_is(conn, decoder, direction, span))
        return ARMTAP_FIT_YES;
    prospect->begin = (long)best.at;
    bool may_follow = !span->final && best.at >= span->length && !is_spent(&search);
    if (best.fit == ARMTAP_FIT_NO && may_follow && decoder->shows && search.hint != ARMTAP_HINT_NONE) {
        prospect->need = span->length + 1; /* what ends here rules nothing out behind it */
        return ARMTAP_FIT_MORE;
    }
    return best.fit;
}

void armtap_search_anew(struct armtap_half *half)
{
    memset(half->ruled_out, 0, sizeof half->ruled_out);
    memset(half->worked, 0, sizeof half->worked);
}

bool armtap_search_is_spent(const struct armtap_half *half)
{
    for (size_t i = 0; i < ARMTAP_DECODERS_MAX; i++)
        if (half->worked[i] == ARMTAP_SEARCH_SPENT)
            return true;
    return false;
}

bool armtap_is_late(const struct armtap_conn *conn, enum armtap_direction direction)
{
    return conn->stream.midstream || conn->half[direction].offset > 0;
}

bool armtap_search_goes_on(const struct armtap_conn *conn, enum armtap_direction direction, size_t length)
{
    return conn->hint != ARMTAP_PROTOCOL_NONE && armtap_is_late(conn, direction) &&
           conn->stream.bytes_skipped[direction] + length < LATE_LIMIT &&
           !armtap_search_is_spent(&conn->half[direction]);
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

enum recognition {
    NOT_RECOGNISED,
    RECOGNITION_WAITS, /* for more bytes, and nothing else may be tried before */
    RECOGNISED
};

/* The first decoder that fits; one before it that needs more bytes to tell is waited for, so that the outcome does not
 * depend on the chunks. */
static int recognise_as(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                        bool swap, struct prospect *all, enum recognition *outcome)
{
    for (size_t i = 0;; i++) {
        const struct armtap_decoder *decoder = decoder_in_turn(conn, i);
        if (!decoder)
            return ARMTAP_OK;
        if (conn->forced && conn->hint != decoder->info.protocol)
            continue;
        struct prospect one = {.begin = -1};
        size_t from_start = 0; /* in swapped roles all is looked at once, at last */
        uint64_t worked = 0;
        struct armtap_half *half = &conn->half[direction];
        enum armtap_fit fit = probe(conn, decoder, swap ? armtap_other(direction) : direction, span,
                                    swap ? &from_start : &half->ruled_out[i], swap ? &worked : &half->worked[i], &one);
        if (fit >= ARMTAP_FIT_YES) {
            if (all->open && !swap && !span->final && span->length < armtap_recognise_limit(conn))
                return ARMTAP_OK; /* an earlier decoder has not decided yet */
            conn->swapped ^= swap;
            all->begin = one.begin;
            *outcome = RECOGNISED;
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
        if (conn->forced && conn->hint != decoder->info.protocol)
            continue;
        enum armtap_fit fit =
            armtap_decoder_begins(decoder, swap ? armtap_other(direction) : direction, span->bytes, span->length);
        if (fit == ARMTAP_FIT_WELL || (!swap && is_begun(conn, decoder, fit))) {
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

/* Whether the first bytes show beyond doubt what this is, whatever a decoder before could still find in them. `open`
 * becomes whether more bytes may show it. */
static int recognise_beginning(struct armtap_conn *conn, enum armtap_direction direction,
                               const struct armtap_span *span, bool *open, enum recognition *outcome)
{
    const struct armtap_decoder *decoder;
    if (!at_the_beginning(conn, direction))
        return ARMTAP_OK;
    enum armtap_fit fit = beginning(conn, direction, span, false, &decoder);
    *open = fit == ARMTAP_FIT_MORE;
    if (fit != ARMTAP_FIT_WELL)
        return ARMTAP_OK;
    *outcome = RECOGNISED;
    return adopt(conn, decoder);
}

/* Whether the first bytes show beyond doubt that the roles are the other way round. What else speaks for swapped roles
 * counts only when all bytes were looked at. */
static int recognise_swapped(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                             enum recognition *outcome)
{
    const struct armtap_decoder *decoder;
    if (!conn->roles_guessed || !at_the_beginning(conn, direction))
        return ARMTAP_OK;
    enum armtap_fit fit = beginning(conn, direction, span, true, &decoder);
    if (fit == ARMTAP_FIT_MORE && !span->final)
        *outcome = RECOGNITION_WAITS;
    if (fit != ARMTAP_FIT_WELL)
        return ARMTAP_OK;
    *outcome = RECOGNISED;
    conn->swapped = !conn->swapped;
    return adopt(conn, decoder);
}

int armtap_recognise(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_span *span,
                     long *begin, bool *found)
{
    struct armtap_half *half = &conn->half[direction];
    size_t limit = armtap_recognise_limit(conn);
    struct prospect all = {.begin = -1};
    struct armtap_span head = *span;
    *begin = -1;
    *found = false;
    half->want = span->length + 1;
    if (direction == ARMTAP_TO_ROBOT && span->length < limit && armtap_spoken_waits(conn, span->final))
        return ARMTAP_OK;
    head.final = span->final || span->length >= limit;
    enum recognition outcome = NOT_RECOGNISED;
    int error = recognise_beginning(conn, direction, &head, &all.open, &outcome);
    if (error == ARMTAP_OK && outcome == NOT_RECOGNISED)
        error = recognise_swapped(conn, direction, &head, &outcome);
    if (error == ARMTAP_OK && outcome == NOT_RECOGNISED)
        error = recognise_as(conn, direction, &head, false, &all, &outcome);
    if (error == ARMTAP_OK && outcome == NOT_RECOGNISED && conn->roles_guessed && head.final)
        error = recognise_as(conn, direction, &head, true, &all, &outcome);
    *begin = all.begin;
    *found = outcome == RECOGNISED;
    if (error != ARMTAP_OK || *found)
        return error;
    size_t want = armtap_spaced(all.need, span->length);
    half->want = all.first > span->length && all.first < want ? all.first : want;
    if (half->want > limit)
        half->want = limit; /* the decision is made only there, whatever the chunks */
    half->hopeless = head.final;
    return ARMTAP_OK;
}
