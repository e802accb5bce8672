#include "tcp.h"

#include <string.h>

#include "tcp_deliver.h"
#include "try.h"

enum {
    BEFORE_SYN = 65536, /* bytes that may be captured before their own SYN */
    BEFORE_ALL = 65536  /* bytes before the first one seen that may be of the same connection */
};

/* bytes: TCP may hold back a packet that does not fit into its receiver's window, and none is longer than this. */
#define WINDOW_SMALL 1460
#define SYN_AGAIN INT64_C(500000000) /* ns: a SYN that comes twice before is a copy */

/* ---- set-up ---------------------------------------------------------------------------------------------------- */

void armtap_tcp_init(struct armtap_tcp *tcp, struct armtap_pool *pool, const struct armtap_tcp_calls *calls, void *user)
{
    memset(tcp, 0, sizeof *tcp);
    tcp->pool = pool;
    tcp->calls = calls;
    tcp->user = user;
    for (int i = 0; i < 2; i++) {
        tcp->side[i].scale = -1;
        armtap_queue_init(&tcp->side[i].queue, pool, tcp, (enum armtap_direction)i);
    }
}

void armtap_tcp_clear(struct armtap_tcp *tcp)
{
    armtap_tcp_drop_reset(tcp);
    armtap_tcp_forget(tcp, &tcp->side[0]);
    armtap_tcp_forget(tcp, &tcp->side[1]);
}

void armtap_tcp_ignore(struct armtap_tcp *tcp)
{
    if (tcp->ignored)
        return;
    tcp->ignored = true;
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        armtap_tcp_forget(tcp, side);
        side->next = side->highest;
        side->lost = 0;
        if (side->state == ARMTAP_TCP_HELD)
            side->state = ARMTAP_TCP_OPEN;
    }
}

void armtap_tcp_pass(struct armtap_tcp_side *side, uint32_t seq)
{
    if (side->state == ARMTAP_TCP_UNSEEN)
        return;
    side->next += (uint32_t)(seq - (uint32_t)side->next);
    if (side->highest < side->next)
        side->highest = side->next;
    side->passed = side->next;
    side->sender.grown_time = 0;
    side->sender.resent_times = 0;
    if (side->history)
        armtap_history_restart(side->history, side->next);
}

/* ---- is it this connection? ------------------------------------------------------------------------------------ */

static bool is_other_syn(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side, uint32_t isn)
{
    if (side->has_isn)
        return isn != side->isn;
    if (!side->has_first)
        return armtap_tcp_is_closed(tcp) || tcp->may_be_reset;
    int32_t ahead = (int32_t)(side->first - (isn + 1));
    return ahead < -1 || ahead > BEFORE_SYN;
}

/* Up to where a side is known to have sent. */
static uint32_t sent_of(const struct armtap_tcp_side *side)
{
    return armtap_tcp_was_seen(side) ? (uint32_t)side->highest : side->first;
}

/* Whether a sequence number is more than a FIN behind that, as far as a connection can be. */
static bool is_beyond(const struct armtap_tcp_side *side, uint32_t seq)
{
    return (int32_t)(seq - sent_of(side)) > 1 && armtap_tcp_is_near(seq, sent_of(side));
}

/* Whether a closed connection went on: a side acknowledges bytes that came after the end. Bytes alone prove nothing,
 * for they were on their way when it ended, or are sent again. */
static bool goes_on(const struct armtap_tcp_side *peer, const struct armtap_segment *segment)
{
    return segment->flags & ARMTAP_TCP_ACK && peer->is_behind && is_beyond(peer, segment->ack);
}

void armtap_tcp_after_end(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    bool is_known = armtap_tcp_was_seen(side) || side->has_first;
    if (is_known && !(segment->flags & (ARMTAP_TCP_RST | ARMTAP_TCP_SYN)) &&
        is_beyond(side, armtap_tcp_end_of(segment)))
        side->is_behind = true;
}

/* Bytes long before the first of a direction that began in mid-stream: an older file was read after a newer one. */
static bool is_before_start(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side,
                            const struct armtap_segment *segment)
{
    if (tcp->ignored || side->has_isn || armtap_tcp_is_held(tcp, side))
        return false;
    uint64_t end = armtap_tcp_position(side, segment->seq) + segment->length + segment->cut;
    return end + BEFORE_ALL <
           (side->queue.head && side->state == ARMTAP_TCP_HELD ? side->queue.head->start : side->start);
}

/* Whether a segment after the end of a closed connection belongs to another one. */
static bool is_after_another(const struct armtap_tcp *tcp, enum armtap_direction direction,
                             const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    if (goes_on(peer, segment))
        return true;
    if (segment->length + segment->cut == 0)
        return false;
    if (armtap_tcp_was_seen(side) && is_before_start(tcp, side, segment))
        return true;
    /* who sends new bytes so long after a RST in its name has not sent that */
    bool is_late = tcp->reset.silence > 0 && tcp->reset.direction == direction &&
                   armtap_tcp_elapsed(tcp->pool->now.time, tcp->reset.active_time) >= tcp->reset.silence;
    if (armtap_tcp_was_seen(side) && !side->has_end && is_late && is_beyond(side, armtap_tcp_end_of(segment)))
        return true;
    /* no acknowledgement can come; what the sender itself ended has no further bytes */
    if (armtap_tcp_was_seen(side) && !armtap_tcp_is_heard(peer) && segment->length + segment->cut > 1 &&
        armtap_tcp_distance(armtap_tcp_end_of(segment), side->highest) > 1)
        return true;
    if (armtap_tcp_was_seen(side) || side->has_first)
        return !armtap_tcp_is_near(segment->seq, armtap_tcp_was_seen(side) ? (uint32_t)side->highest : side->first);
    return !armtap_tcp_was_seen(peer) || !(segment->flags & ARMTAP_TCP_ACK) ||
           !armtap_tcp_is_near(segment->ack, (uint32_t)peer->highest);
}

bool armtap_tcp_is_other(const struct armtap_tcp *tcp, enum armtap_direction direction,
                         const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    if (segment->flags & ARMTAP_TCP_RST)
        return false;
    if (segment->flags & ARMTAP_TCP_SYN)
        return is_other_syn(tcp, side, segment->seq);
    if (armtap_tcp_is_closed(tcp) && !tcp->ignored)
        return is_after_another(tcp, direction, segment);
    if (segment->length + segment->cut == 0)
        return false;
    if (!armtap_tcp_was_seen(side))
        return false;
    if (is_before_start(tcp, side, segment))
        return true;
    return armtap_tcp_distance(segment->seq, side->highest) > ARMTAP_TCP_JUMP ||
           armtap_tcp_distance(segment->seq, side->next) < -ARMTAP_TCP_JUMP;
}

bool armtap_tcp_is_repeat(const struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    size_t length = segment->length + segment->cut;
    if (segment->flags & ARMTAP_TCP_SYN)
        return side->has_isn && segment->seq == side->isn && side->next > side->start;
    return length > 1 && !tcp->ignored && armtap_tcp_was_seen(side) &&
           armtap_tcp_position(side, segment->seq) + length <=
               (side->state == ARMTAP_TCP_HELD ? side->highest : side->next);
}

/* ---- in: headers ----------------------------------------------------------------------------------------------- */

static int take_syn(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (side->has_isn && armtap_tcp_elapsed(tcp->pool->now.time, side->sender.measured_time) >= SYN_AGAIN)
        armtap_sender_resent(&side->sender, side->start);
    if (side->has_isn || side->state == ARMTAP_TCP_CLOSED)
        return 0;
    if (armtap_tcp_peer(tcp, direction)->has_isn && !(segment->flags & ARMTAP_TCP_ACK)) /* behind its answer */
        armtap_tcp_saw_behind(&side->apart, 0,
                              armtap_tcp_elapsed(tcp->pool->now.time, armtap_tcp_peer(tcp, direction)->held_time),
                              &tcp->pool->now);
    side->has_isn = true;
    side->isn = segment->seq;
    side->scale = (int8_t)segment->window_scale;
    if (side->state == ARMTAP_TCP_UNSEEN) {
        armtap_tcp_begin(tcp, side, segment->seq + 1, ARMTAP_TCP_OPEN);
        armtap_sender_measure(&side->sender, side->start, tcp->pool->now.time);
    } else if (side->state == ARMTAP_TCP_HELD) {
        side->state = ARMTAP_TCP_OPEN;
        side->next = armtap_tcp_position(side, segment->seq + 1);
        if (side->queue.head && side->queue.head->start < side->next)
            side->next = side->queue.head->start;
    }
    return armtap_tcp_drain(tcp);
}

static void take_ack(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *peer = armtap_tcp_peer(tcp, direction);
    if (!(segment->flags & ARMTAP_TCP_ACK))
        return;
    if (!armtap_tcp_was_seen(peer)) {
        if (!peer->has_first) {
            peer->has_first = true;
            peer->first = peer->acked_last = segment->ack;
        }
        int32_t further = (int32_t)(segment->ack - peer->acked_last);
        peer->acked_one = further > 0 ? further == 1 : peer->acked_one;
        peer->acked_last = further > 0 ? segment->ack : peer->acked_last;
        return;
    }
    if (!armtap_tcp_is_near(segment->ack, (uint32_t)peer->next))
        return;
    uint64_t position = armtap_tcp_position(peer, segment->ack);
    armtap_sender_heard(&peer->sender, segment, position, tcp->pool->now.time);
    if (position > peer->highest + 1 && peer->missed <= peer->highest + 1) { /* one is a FIN */
        peer->missed = position;
        peer->missed_where = tcp->pool->now;
    }
    if (position < peer->queue.acked)
        peer->apart.disorder++;
    if (position > peer->highest + 1 && !peer->ahead && tcp->pool->now.time != ARMTAP_NO_TIME) {
        peer->ahead = position;
        peer->ahead_time = tcp->pool->now.time;
    }
    if (position > peer->queue.acked)
        armtap_queue_acknowledge(&peer->queue, position);
}

/* A packet without bytes shows where its sender's next byte belongs, unless it is left over from an older connection.
 */
static void take_first(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = armtap_tcp_peer(tcp, direction);
    if (side->has_first || segment->length + segment->cut || !(segment->flags & ARMTAP_TCP_ACK))
        return;
    if (armtap_tcp_was_seen(peer) && !armtap_tcp_is_near(segment->ack, (uint32_t)peer->next))
        return;
    side->has_first = true;
    side->first = segment->seq;
}

/* Changes that matter: much less than before, none at all, and, where the scale is known, whether packets fit. A
 * capture may begin while a reader is stuck. */
static bool is_window_reported(const struct armtap_tcp_side *side, uint64_t window)
{
    uint64_t before = side->has_window ? side->window : UINT64_MAX;
    bool is_small = side->has_isn && (window < WINDOW_SMALL || before < WINDOW_SMALL);
    return !window || !before || is_small || (side->has_window && window <= side->window_peak / 2);
}

static int take_window(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = armtap_tcp_peer(tcp, direction);
    uint64_t window = segment->window;
    if (segment->flags & ARMTAP_TCP_SYN)
        return 0;
    if (side->scale > 0 && (peer->scale >= 0 || !peer->has_isn))
        window <<= side->scale;
    if (side->has_window && window == side->window)
        return 0;
    bool tell = is_window_reported(side, window);
    if (tell || !side->has_window || window > side->window_peak)
        side->window_peak = window;
    side->has_window = true;
    side->window = window;
    if (!tell)
        return 0;
    return tcp->calls->arrival(tcp->user, direction, ARMTAP_EVENT_WINDOW, window, !side->has_isn, &tcp->pool->now);
}

/* ---- a segment, and the end ------------------------------------------------------------------------------------ */

/* For an ignored connection only the ends are tracked, in whatever order its packets come. */
static int follow(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t seq = segment->seq + (segment->flags & ARMTAP_TCP_SYN ? 1 : 0);
    if (side->state == ARMTAP_TCP_CLOSED)
        return 0;
    if (!armtap_tcp_was_seen(side))
        armtap_tcp_begin(tcp, side, seq, ARMTAP_TCP_OPEN);
    if (segment->flags & ARMTAP_TCP_SYN && !side->has_isn) {
        side->has_isn = true;
        side->isn = segment->seq;
    }
    uint64_t end = armtap_tcp_position(side, seq) + segment->length + segment->cut;
    if (end > side->highest && armtap_tcp_is_near(seq, (uint32_t)side->next))
        side->next = side->highest = end;
    return segment->flags & ARMTAP_TCP_FIN ? armtap_tcp_close_by_fin(tcp, direction, segment->ack, &tcp->pool->now) : 0;
}

/* By which way its packets come. */
static void learn_way(struct armtap_tcp_side *side, const struct armtap_segment *segment)
{
    side->ttl_varies |= armtap_tcp_is_other_ttl(side, segment);
    side->mac_varies |= armtap_tcp_is_other_mac(side, segment);
    side->ttl = segment->ttl;
    side->mac = segment->mac;
}

int armtap_tcp_segment(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    if (armtap_tcp_is_closed(tcp))
        return 0;
    if (segment->flags & ARMTAP_TCP_RST)
        return armtap_tcp_take_reset(tcp, direction, segment);
    learn_way(&tcp->side[direction], segment);
    if (tcp->may_be_reset)
        TRY(armtap_tcp_doubt_reset(tcp, direction, segment));
    if (armtap_tcp_is_closed(tcp))
        return 0;
    if (tcp->ignored)
        return follow(tcp, direction, segment);
    if (segment->flags & ARMTAP_TCP_SYN)
        TRY(take_syn(tcp, direction, segment));
    else
        take_first(tcp, direction, segment);
    armtap_tcp_peer(tcp, direction)->keep_alives = 0;
    armtap_sender_echoed(&armtap_tcp_peer(tcp, direction)->sender, segment, tcp->pool->now.time);
    armtap_sender_ticked(&tcp->side[direction].sender, segment, tcp->pool->now.time);
    take_ack(tcp, direction, segment);
    TRY(take_window(tcp, direction, segment));
    TRY(armtap_tcp_take_bytes(tcp, direction, segment));
    if (segment->flags & ARMTAP_TCP_FIN && !tcp->side[direction].has_end) {
        tcp->side[direction].answers = armtap_tcp_peer(tcp, direction)->acked_one;
        tcp->side[direction].may_answer = armtap_tcp_acks_unseen(armtap_tcp_peer(tcp, direction), segment);
    }
    TRY(armtap_tcp_take_fin(tcp, direction, segment));
    if (tcp->may_be_reset && armtap_tcp_is_closed(tcp))
        return armtap_tcp_confirm_reset(tcp);
    return armtap_tcp_give_up_overdue(tcp);
}

bool armtap_tcp_is_next(const struct armtap_tcp *tcp, enum armtap_direction direction,
                        const struct armtap_segment *segment)
{
    enum { OTHERS = ARMTAP_TCP_SYN | ARMTAP_TCP_FIN | ARMTAP_TCP_RST };
    const struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    if (side->queue.head || peer->queue.head || side->has_probe || tcp->ignored || tcp->may_be_reset || side->has_end ||
        segment->cut || segment->flags & OTHERS || (segment->ttl != side->ttl && !side->ttl_varies) ||
        (segment->mac != side->mac && !side->mac_varies))
        return false;
    if (side->state == ARMTAP_TCP_UNSEEN) /* whose first position, if unknown, the plain way takes from the segment */
        return segment->length == 0 && side->has_first;
    /* A single byte may be a keep-alive, or a probe of a closed window; what comes before `next` may be one, too. */
    return side->state == ARMTAP_TCP_OPEN && side->next == side->highest && segment->seq == (uint32_t)side->next &&
           segment->length != 1 &&
           (segment->length == 0 || armtap_tcp_is_caused(tcp, direction, segment->flags, segment->ack));
}

int armtap_tcp_next(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *peer = armtap_tcp_peer(tcp, direction);
    peer->keep_alives = 0;
    if (segment->has_timestamps) {
        armtap_sender_echoed(&peer->sender, segment, tcp->pool->now.time);
        armtap_sender_ticked(&tcp->side[direction].sender, segment, tcp->pool->now.time);
    }
    take_ack(tcp, direction, segment);
    TRY(take_window(tcp, direction, segment));
    return segment->length > 0 ? armtap_tcp_take_next(tcp, direction, segment) : 0;
}

int armtap_tcp_finish(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason)
{
    return tcp->may_be_reset ? armtap_tcp_confirm_reset(tcp)
                             : armtap_tcp_end(tcp, direction, reason, false, &tcp->pool->now);
}

uint64_t armtap_tcp_unacknowledged(const struct armtap_tcp *tcp, enum armtap_direction direction)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_sender *sender = &side->sender;
    bool is_known = sender->resent_times > 0 && sender->acked > 0 && sender->acked < side->highest;
    return is_known ? side->highest - sender->acked : 0;
}

uint64_t armtap_tcp_unseen(const struct armtap_tcp *tcp, enum armtap_direction direction)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    uint64_t seen = side->queue.acked > side->highest ? side->queue.acked : side->highest;
    return side->said > seen ? side->said - seen : 0;
}
