#include "tcp_deliver.h"

#include "connection/span.h"
#include "try.h"

#include <stdlib.h>

#include "protocol/budget.h"

enum {
    GRACE_PACKETS = 32, /* cards with several queues deliver packets behind their acknowledgement */
    APART_LEAST = 3     /* packets that came late: a single packet may be captured late for another reason */
};
#define GRACE_TIME INT64_C(750000000) /* ns: and so do merged captures whose clocks are half a second apart */
#define SHORT_TIME INT64_C(50000000)  /* ns: the same where rows would come to belong to the next file of a capture */
#define APART_TIME INT64_C(5000000)   /* ns: queues of one capturing machine are less apart */
#define PATIENCE INT64_C(2000000000)  /* ns: a hole this old is given up */
#define HEARD INT64_C(30000000000)    /* ns: who acknowledged so lately would still be heard */

void armtap_tcp_begin(struct armtap_tcp *tcp, struct armtap_tcp_side *side, uint32_t seq, enum armtap_tcp_state state)
{
    side->state = state;
    side->start = side->next = side->highest = (UINT64_C(1) << 32) + seq;
    side->held_time = tcp->pool->now.time;
    side->held_packet = tcp->pool->packets;
    if (!side->has_first) {
        side->has_first = true;
        side->first = seq;
    }
}

int64_t armtap_tcp_elapsed(int64_t now, int64_t then)
{
    bool has_clock = now != ARMTAP_NO_TIME && then != ARMTAP_NO_TIME;
    int64_t time = has_clock ? (int64_t)((uint64_t)now - (uint64_t)then) : -ARMTAP_CLOCK_STEP;
    return time <= -ARMTAP_CLOCK_STEP ? GRACE_TIME : time > 0 ? time : 0; /* without a clock, only packets count */
}

static void drop_history(struct armtap_tcp *tcp, struct armtap_tcp_side *side)
{
    if (side->history)
        tcp->pool->histories--;
    armtap_history_free(side->history);
    side->history = NULL;
}

void armtap_tcp_forget(struct armtap_tcp *tcp, struct armtap_tcp_side *side)
{
    armtap_queue_clear(&side->queue);
    side->has_probe = false;
    drop_history(tcp, side);
}

void armtap_tcp_drop_histories(struct armtap_tcp *tcp, unsigned least)
{
    for (int i = 0; i < 2 && tcp->pool && tcp->pool->histories > least; i++)
        drop_history(tcp, &tcp->side[i]);
}

/* ---- bytes, gaps, ends, in stream order ------------------------------------------------------------------------ */

static int tell_gap(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint64_t lost = side->lost;
    side->lost = 0;
    return lost ? tcp->calls->gap(tcp->user, direction, lost, side->lost_why, &side->lost_where) : 0;
}

int armtap_tcp_lose(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t end, enum armtap_missing_why why,
                    const struct armtap_where *where)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (side->lost_why != why)
        TRY(tell_gap(tcp, direction));
    if (!side->lost) {
        side->lost_where = *where;
        side->lost_from = side->next;
    }
    side->lost_why = why;
    side->lost += end - side->next;
    side->lost_to = side->next = end;
    side->ahead = side->ahead > end ? side->ahead : 0;
    if (side->highest < end)
        side->highest = end;
    return 0;
}

int armtap_tcp_keep_history(struct armtap_tcp *tcp, struct armtap_tcp_side *side)
{
    if (side->history || tcp->pool->histories >= ARMTAP_LIMIT_histories ||
        tcp->pool->histories >= tcp->pool->histories_most)
        return 0;
    side->history = armtap_history_new();
    if (!side->history)
        return ARMTAP_ERR_MEMORY;
    tcp->pool->histories++;
    return 0;
}

int armtap_tcp_deliver(struct armtap_tcp *tcp, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                       const struct armtap_where *where)
{
    TRY(tell_gap(tcp, direction));
    return length > 0 ? armtap_tcp_pass_on(tcp, direction, bytes, length, where) : 0;
}

/* ---- merged captures whose clocks are apart ---------------------------------------------------------------------- */

void armtap_tcp_saw_behind(struct armtap_tcp_apart *apart, uint64_t bytes, int64_t late,
                           const struct armtap_where *where)
{
    if (!apart->behind && !apart->copies)
        apart->where = *where;
    apart->near = late > apart->most + apart->most / 4 ? 0 : apart->near;
    apart->most = late > apart->most ? late : apart->most;
    apart->near += late > 0 && late >= apart->most - apart->most / 4;
    apart->measured += late > 0;
    apart->is_syn_behind = apart->is_syn_behind || !bytes;
    apart->behind++;
    apart->bytes += bytes;
}

void armtap_tcp_saw_copy(struct armtap_tcp_apart *apart, int64_t late, const struct armtap_where *where)
{
    if (!apart->behind && !apart->copies)
        apart->where = *where;
    apart->least = apart->copies && apart->least < late ? apart->least : late;
    apart->copies++;
}

/* How far the clock is ahead that stamped a direction's packets, at least, for what acknowledges data is sent after
 * they came; 0: that is not proven. A clock is as far ahead all the time. If it stamped the whole direction, most data
 * are behind, and what acknowledges the peer's data is never earlier than that. If it stamped some packets, many of
 * them are about as far behind. A machine that swaps packets swaps the peer's, too. */
static int64_t ahead_of(const struct armtap_tcp_side *side, const struct armtap_tcp_side *peer)
{
    enum { MANY = 8, SHARE = 20, ALIKE = 4, NEAR = 3, DISORDER = 8 };
    const struct armtap_tcp_apart *apart = &side->apart;
    int64_t soon = peer->sender.acked_after;
    uint64_t all = side->highest - side->start;
    bool is_orderly = DISORDER * apart->disorder <= apart->behind;
    if (apart->is_syn_behind || (is_orderly && apart->behind >= APART_LEAST && 2 * apart->bytes >= all))
        return soon && soon < apart->most ? soon : apart->most;
    bool are_alike = apart->near >= ALIKE && NEAR * apart->near >= apart->measured;
    return is_orderly && are_alike && apart->behind >= MANY && SHARE * apart->bytes >= all ? apart->most : 0;
}

static int tell_apart(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    const struct armtap_tcp_apart *apart = &tcp->side[direction].apart;
    int64_t ahead = apart->behind ? ahead_of(&tcp->side[direction], &tcp->side[!direction]) : 0;
    bool are_copies = apart->copies >= APART_LEAST && apart->least >= APART_TIME;
    if (ahead < APART_TIME && !are_copies)
        return 0;
    return tcp->calls->note(tcp->user, direction, ARMTAP_NOTE_capture_clocks_apart, &apart->where,
                            ARGS(arg_case(ahead < APART_TIME ? ARMTAP_WORD_copies : ARMTAP_WORD_acknowledged_before),
                                 arg_direction(armtap_direction_word(direction)),
                                 arg_duration_s((double)(ahead < APART_TIME ? apart->least : ahead) / 1e9),
                                 arg_times(ahead < APART_TIME ? apart->copies : apart->behind)));
}

int armtap_tcp_close_side(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    TRY(tell_gap(tcp, direction));
    TRY(tell_apart(tcp, direction));
    armtap_tcp_forget(tcp, side);
    side->state = ARMTAP_TCP_CLOSED;
    return tcp->calls->close(tcp->user, direction, where);
}

bool armtap_tcp_may_answer(const struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t acked,
                           const struct armtap_where *where)
{
    const struct armtap_tcp_side *peer = &tcp->side[!direction];
    const struct armtap_chunk *last = peer->queue.tail;
    uint64_t captured = last && last->end > peer->highest ? last->end : peer->highest;
    if (peer->has_end)
        return !last || armtap_where_is_later(where, &last->where);
    if (peer->state == ARMTAP_TCP_CLOSED)
        return false;
    return armtap_tcp_was_seen(peer) ? acked > captured : tcp->side[direction].may_answer;
}

/* By how much a FIN that acknowledges `ack` goes beyond the bytes that its peer sent, which no clock changes: by one,
 * the peer's FIN; by more, what was not captured. */
static int32_t beyond_bytes(const struct armtap_tcp *tcp, enum armtap_direction direction, uint32_t ack)
{
    const struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    const struct armtap_chunk *last = peer->queue.tail;
    uint64_t captured = last && last->end > peer->highest ? last->end : peer->highest;
    if (armtap_tcp_was_seen(peer))
        return armtap_tcp_distance(ack, peer->has_end ? peer->end : captured);
    return side->answers ? 1 : side->may_answer ? INT32_MAX : 0;
}

int armtap_tcp_close_by_fin(struct armtap_tcp *tcp, enum armtap_direction direction, uint32_t ack,
                            const struct armtap_where *where)
{
    int32_t beyond = beyond_bytes(tcp, direction, ack);
    tcp->is_answer = beyond == 1;
    TRY(armtap_tcp_close_side(tcp, direction, where));
    return tcp->calls->arrival(tcp->user, direction, ARMTAP_EVENT_CLOSE, ARMTAP_CLOSE_FIN, beyond > 0, where);
}

static int deliver_chunk(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    struct armtap_chunk *chunk = armtap_queue_take(&side->queue);
    int error = 0;
    if (chunk->kind == ARMTAP_CHUNK_END) {
        struct armtap_where where = chunk->where;
        uint32_t ack = chunk->sent.ack;
        free(chunk);
        return armtap_tcp_close_by_fin(tcp, direction, ack, &where);
    }
    if (chunk->kind == ARMTAP_CHUNK_MISSING)
        error = armtap_tcp_lose(tcp, direction, chunk->end, ARMTAP_MISSING_CUT, &chunk->where);
    else
        error = armtap_tcp_deliver(tcp, direction, chunk->bytes, (size_t)(chunk->end - chunk->start), &chunk->where);
    free(chunk);
    return error;
}

bool armtap_tcp_is_caused(const struct armtap_tcp *tcp, enum armtap_direction direction, unsigned flags, uint32_t ack)
{
    const struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    bool is_met = armtap_tcp_was_seen(peer);
    if (!(flags & ARMTAP_TCP_ACK) || side->was_in_vain || peer->state == ARMTAP_TCP_CLOSED ||
        !(is_met || (side->has_isn && peer->has_first)))
        return true;
    uint32_t there = is_met ? (uint32_t)peer->next : peer->first;
    return (int32_t)(ack - there) <= 1 || !armtap_tcp_is_near(ack, there);
}

/* The first chunk is the next, and only what it answers may be missing. */
static bool is_next_chunk(const struct armtap_tcp_side *side)
{
    return side->state == ARMTAP_TCP_OPEN && side->queue.head && side->queue.head->start <= side->next;
}

static bool is_ready(const struct armtap_tcp *tcp, int direction)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    return is_next_chunk(side) && (side->queue.head->kind == ARMTAP_CHUNK_MISSING ||
                                   armtap_tcp_is_caused(tcp, (enum armtap_direction)direction,
                                                        side->queue.head->sent.flags, side->queue.head->sent.ack));
}

/* The direction whose first chunk was captured earlier. */
static enum armtap_direction earlier(const struct armtap_tcp *tcp)
{
    const struct armtap_where *a = &tcp->side[0].queue.head->where;
    const struct armtap_where *b = &tcp->side[1].queue.head->where;
    return !armtap_where_is_later(a, b) ? (enum armtap_direction)0 : (enum armtap_direction)1;
}

int armtap_tcp_drain(struct armtap_tcp *tcp)
{
    for (;;) {
        bool ready[2] = {is_ready(tcp, 0), is_ready(tcp, 1)};
        if (!ready[0] && !ready[1])
            return 0;
        enum armtap_direction direction = ready[0] && ready[1] ? earlier(tcp) : (enum armtap_direction)ready[1];
        TRY(deliver_chunk(tcp, direction));
    }
}

bool armtap_tcp_is_held(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side)
{
    return side->state == ARMTAP_TCP_HELD && armtap_tcp_elapsed(tcp->pool->now.time, side->held_time) < SHORT_TIME;
}

/* Directions that began in mid-stream start with the earliest bytes that came. */
static void begin_held(struct armtap_tcp *tcp)
{
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        if (side->state != ARMTAP_TCP_HELD)
            continue;
        side->state = ARMTAP_TCP_OPEN;
        if (side->queue.head)
            side->start = side->next = side->queue.head->start;
    }
}

/* The peer has not acknowledged the bytes before the first chunk, and would be heard if it had, or had not ended the
 * connection: they will be sent again, however long that takes. */
static bool is_awaited(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side)
{
    int64_t newest = side->queue.tail->where.time, heard = side->sender.heard_time;
    bool is_unheard = side->queue.head->start > side->next && side->queue.acked && side->queue.acked <= side->next;
    return is_unheard && (tcp->may_be_reset || heard >= newest || (uint64_t)newest - (uint64_t)heard < (uint64_t)HEARD);
}

/* Of a hole, what was acknowledged first: the rest may be awaited. */
static int give_up(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_missing_why awaited)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (side->state == ARMTAP_TCP_HELD) {
        begin_held(tcp);
    } else if (is_next_chunk(side)) {
        side->was_in_vain = true;
    } else if (side->queue.head->start > side->next) {
        uint64_t start = side->queue.head->start, acked = side->queue.acked;
        TRY(armtap_tcp_lose(tcp, direction, acked > side->next && acked < start ? acked : start,
                            is_awaited(tcp, side) ? awaited : ARMTAP_MISSING_LOST, &side->queue.head->where));
    }
    return armtap_tcp_drain(tcp);
}

int armtap_tcp_give_up_hole(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    return give_up(tcp, direction, ARMTAP_MISSING_LOST);
}

static bool is_given_up(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side)
{
    const struct armtap_pool *pool = tcp->pool;
    const struct armtap_chunk *head = side->queue.head;
    bool held = side->state == ARMTAP_TCP_HELD;
    if (is_next_chunk(side))
        return armtap_tcp_elapsed(pool->now.time, head->where.time) >= GRACE_TIME;
    uint64_t packet = held ? side->held_packet : head->acked_packet;
    int64_t waited = armtap_tcp_elapsed(pool->now.time, held          ? side->held_time
                                                        : head->acked ? head->acked_time
                                                                      : head->where.time);
    if (waited >= PATIENCE)
        return held || !is_awaited(tcp, side);
    if ((!held && !head->acked) || pool->packets - packet < GRACE_PACKETS)
        return false;
    bool is_short = held || head->where.file != pool->now.file;
    return waited >= (is_short ? SHORT_TIME : GRACE_TIME);
}

int armtap_tcp_give_up_overdue(struct armtap_tcp *tcp)
{
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        while (side->queue.head && is_given_up(tcp, side))
            TRY(armtap_tcp_give_up_hole(tcp, (enum armtap_direction)i));
    }
    return 0;
}

int armtap_tcp_flush(struct armtap_tcp *tcp)
{
    for (;;) {
        TRY(armtap_tcp_drain(tcp));
        const struct armtap_chunk *heads[2] = {tcp->side[0].queue.head, tcp->side[1].queue.head};
        if (!heads[0] && !heads[1])
            return 0;
        TRY(give_up(tcp, heads[0] && heads[1] ? earlier(tcp) : (enum armtap_direction)(heads[1] != NULL),
                    ARMTAP_MISSING_UNHEARD));
    }
}

int armtap_tcp_relieve(struct armtap_pool *pool, bool *done)
{
    struct armtap_queue *largest = armtap_pool_largest(pool);
    *done = largest != NULL;
    return largest ? armtap_tcp_give_up_hole(largest->owner, largest->direction) : 0;
}

int armtap_tcp_sweep(struct armtap_pool *pool)
{
    size_t count = pool->waiting < ARMTAP_SWEEP_QUEUES ? pool->waiting : ARMTAP_SWEEP_QUEUES;
    while (count-- && pool->ring)
        TRY(armtap_tcp_give_up_overdue(armtap_pool_next(pool)->owner));
    return 0;
}
