#include "tcp_deliver.h"

#include "try.h"

#include "protocol/budget.h"

#define KEEP_ALIVE_AGAIN INT64_C(500000000) /* ns: senders wait longer for an answer; an earlier one is a copy */

struct piece {
    uint64_t start;
    const uint8_t *bytes;
    size_t length; /* bytes captured */
    size_t cut;    /* bytes after them that are missing for good */
};

static uint64_t piece_end(const struct piece *piece)
{
    return piece->start + piece->length + piece->cut;
}

static void trim_front(struct piece *piece, uint64_t start)
{
    uint64_t count = start - piece->start;
    size_t at_hand = count < piece->length ? (size_t)count : piece->length;
    piece->bytes += at_hand;
    piece->length -= at_hand;
    piece->cut -= (size_t)count - at_hand;
    piece->start = start;
}

static void trim_back(struct piece *piece, uint64_t end)
{
    uint64_t keep = end > piece->start ? end - piece->start : 0;
    if (piece->length > keep)
        piece->length = (size_t)keep;
    if (piece->cut > keep - piece->length)
        piece->cut = (size_t)(keep - piece->length);
}

/* A keep-alive: a byte that the peer already has, or none. */
static bool is_keep_alive(const struct armtap_tcp_side *side, const struct piece *piece)
{
    if (piece_end(piece) - piece->start != 1)
        return false;
    return piece->start + 1 == side->highest || (side->state == ARMTAP_TCP_OPEN && piece->start + 1 == side->next);
}

static int tell_keep_alive(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    int64_t now = tcp->pool->now.time;
    bool is_copy = side->keep_alives && armtap_tcp_elapsed(now, side->keep_alive_time) < KEEP_ALIVE_AGAIN;
    if (is_copy)
        return 0;
    side->keep_alive_time = now;
    return tcp->calls->event(tcp->user, direction, ARMTAP_EVENT_KEEP_ALIVE, ++side->keep_alives, &tcp->pool->now);
}

/* Without a byte, but where the last one was. */
static bool is_empty_keep_alive(const struct armtap_tcp_side *side, const struct armtap_segment *segment)
{
    enum { OTHERS = ARMTAP_TCP_SYN | ARMTAP_TCP_FIN };
    if (side->state != ARMTAP_TCP_OPEN || segment->flags & OTHERS || !(segment->flags & ARMTAP_TCP_ACK))
        return false;
    return !side->has_end && segment->seq + 1 == (uint32_t)side->next && side->next == side->highest;
}

/* One byte sent into a window of 0. The peer mostly drops it, and it is sent again with those behind it; only what
 * follows tells. */
static bool is_window_probe(struct armtap_tcp *tcp, enum armtap_direction direction, const struct piece *piece)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = armtap_tcp_peer(tcp, direction);
    return side->state == ARMTAP_TCP_OPEN && !side->queue.head && piece->length == 1 && piece->cut == 0 &&
           piece->start == side->next && peer->has_window && peer->window == 0;
}

int armtap_tcp_settle_probe(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t start)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    bool taken = side->has_probe && start > side->next;
    side->has_probe = false;
    return taken ? armtap_tcp_deliver(tcp, direction, &side->probe_byte, 1, &side->probe_where) : 0;
}

static int note_cut(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    if (!segment->cut || tcp->cut_noted)
        return 0;
    tcp->cut_noted = true;
    return tcp->calls->note(tcp->user, direction, ARMTAP_NOTE_capture_truncated, &tcp->pool->now,
                            ARGS(arg_bytes(segment->length), arg_bytes_of(segment->length + segment->cut)));
}

static int note_difference(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t length)
{
    return tcp->calls->note(tcp->user, direction, ARMTAP_NOTE_tcp_overlap_differs, &tcp->pool->now,
                            ARGS(arg_bytes(length)));
}

static bool fits(const struct armtap_tcp *tcp, enum armtap_direction direction, const struct piece *piece,
                 const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    return side->state == ARMTAP_TCP_OPEN && piece->start <= side->next &&
           (!side->queue.head || piece_end(piece) <= side->queue.head->start) &&
           armtap_tcp_is_caused(tcp, direction, segment->flags, segment->ack);
}

/* Makes room in the pool for a piece that has to wait; if that is impossible, gives up the hole before it. */
static int make_room(struct armtap_tcp *tcp, enum armtap_direction direction, const struct piece *piece)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    while (side->queue.chunks >= ARMTAP_LIMIT_segments)
        TRY(armtap_tcp_give_up_hole(tcp, direction));
    while (!armtap_pool_has_room(tcp->pool, piece->length)) {
        struct armtap_queue *largest = armtap_pool_largest(tcp->pool);
        if (largest) {
            TRY(armtap_tcp_give_up_hole(largest->owner, largest->direction));
            continue;
        }
        if (side->state == ARMTAP_TCP_HELD) {
            side->state = ARMTAP_TCP_OPEN;
        } else if (side->state == ARMTAP_TCP_OPEN && piece->start > side->next) {
            TRY(armtap_tcp_lose(tcp, direction, piece->start, ARMTAP_MISSING_LOST, &tcp->pool->now));
        }
        break;
    }
    return 0;
}

/* The part of a segment's bytes that was there before. */
struct repeated {
    uint64_t bytes;
    bool differs;
};

static struct armtap_sent sent_of(const struct armtap_segment *segment, const struct piece *piece,
                                  const struct armtap_sender *peer, int64_t now)
{
    struct armtap_sent sent = {.start = piece->start,
                               .end = piece_end(piece),
                               .time = now,
                               .tsval = segment->tsval,
                               .tsecr = segment->tsecr,
                               .ack = segment->ack,
                               .peer_tsval = peer->newest_tsval,
                               .ip_id = segment->ip_id,
                               .window = (uint16_t)segment->window,
                               .flags = (uint8_t)segment->flags,
                               .has_timestamps = segment->has_timestamps};
    return sent;
}

static struct armtap_judgement judge(struct armtap_tcp *tcp, enum armtap_direction direction,
                                     const struct armtap_sent *sent)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    if (sent->start >= side->highest) /* the peer may have later ones that were not captured */
        return (struct armtap_judgement){ARMTAP_ARRIVAL_IN_ORDER, sent->start < side->sender.sacked_to, 0, -1};
    struct armtap_evidence evidence = {.sender = &side->sender,
                                       .peer = &armtap_tcp_peer(tcp, direction)->sender,
                                       .queue = &side->queue,
                                       .history = side->history,
                                       .highest = side->highest,
                                       .given_up = sent->start >= side->lost_from && sent->end <= side->lost_to};
    return armtap_arrival_of(&evidence, sent);
}

/* The bytes in question are those of [sent->start, sent->end) before `highest`. */
static int tell_arrival(struct armtap_tcp *tcp, enum armtap_direction direction,
                        const struct armtap_judgement *judgement, const struct armtap_sent *sent, uint64_t highest)
{
    static const enum armtap_event_type types[] = {
        [ARMTAP_ARRIVAL_COPY] = ARMTAP_EVENT_DUPLICATE,
        [ARMTAP_ARRIVAL_AGAIN] = ARMTAP_EVENT_RETRANSMISSION,
        [ARMTAP_ARRIVAL_LATE] = ARMTAP_EVENT_OUT_OF_ORDER,
    };
    if (judgement->arrival == ARMTAP_ARRIVAL_IN_ORDER)
        return 0;
    uint64_t bytes = (sent->end < highest ? sent->end : highest) - sent->start;
    return tcp->calls->arrival(tcp->user, direction, types[judgement->arrival], bytes, judgement->doubtful,
                               &tcp->pool->now);
}

/* One clock has no acknowledgement before its data: how long before, is taken of one segment at a time. */
static void measure_ahead(struct armtap_tcp_side *side, enum armtap_arrival arrival, const struct armtap_sent *sent,
                          const struct armtap_where *now)
{
    if (sent->end > side->queue.acked)
        return;
    bool is_first = arrival != ARMTAP_ARRIVAL_AGAIN && arrival != ARMTAP_ARRIVAL_COPY;
    bool is_it = side->ahead > sent->start && side->ahead <= sent->end;
    if (is_first)
        armtap_tcp_saw_behind(&side->apart, sent->end - sent->start,
                              is_it ? armtap_tcp_elapsed(now->time, side->ahead_time) : 0, now);
    if (is_it)
        side->ahead = 0;
}

/* For what comes later. */
static void remember(struct armtap_tcp_side *side, enum armtap_arrival arrival, const struct armtap_sent *sent)
{
    if (arrival != ARMTAP_ARRIVAL_COPY && side->history)
        armtap_history_saw(side->history, sent);
    if (arrival == ARMTAP_ARRIVAL_IN_ORDER)
        armtap_sender_sent(&side->sender, sent->ip_id, sent->end, sent->time);
    if (arrival == ARMTAP_ARRIVAL_AGAIN)
        armtap_sender_resent(&side->sender, sent->start);
}

/* Removes the already delivered part from the front of the piece. */
static void trim_delivered(const struct armtap_tcp_side *side, struct piece *piece, struct repeated *repeated)
{
    if (side->state != ARMTAP_TCP_OPEN || piece->start >= side->next)
        return;
    uint64_t end = piece_end(piece) < side->next ? piece_end(piece) : side->next;
    repeated->bytes = end - piece->start;
    size_t at_hand = repeated->bytes < piece->length ? (size_t)repeated->bytes : piece->length;
    if (side->history)
        repeated->differs = armtap_history_differs(side->history, piece->start, piece->bytes, at_hand);
    trim_front(piece, end);
}

static int enqueue(struct armtap_tcp_side *side, const struct piece *piece, const struct armtap_sent *sent,
                   struct repeated *repeated)
{
    struct armtap_overlap overlap = {0, false};
    if (piece->length)
        TRY(armtap_queue_insert(&side->queue, piece->start, piece->bytes, piece->length, sent, &overlap));
    if (piece->cut)
        TRY(armtap_queue_insert(&side->queue, piece->start + piece->length, NULL, piece->cut, sent, &overlap));
    repeated->bytes += overlap.bytes;
    repeated->differs = repeated->differs || overlap.differs;
    return 0;
}

/* Puts a piece where it belongs, reports what it was, and delivers what became complete. */
static int place(struct armtap_tcp *tcp, enum armtap_direction direction, struct piece *piece,
                 const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    struct armtap_sent sent = sent_of(segment, piece, &armtap_tcp_peer(tcp, direction)->sender, tcp->pool->now.time);
    uint64_t highest = side->highest;
    bool is_missed = side->state == ARMTAP_TCP_OPEN && sent.start >= side->next;
    armtap_tcp_peer(tcp, direction)->was_in_vain = false;
    struct repeated repeated = {0, false};
    TRY(armtap_tcp_keep_history(tcp, side));
    struct armtap_judgement judgement = judge(tcp, direction, &sent);
    sent.again = judgement.arrival == ARMTAP_ARRIVAL_AGAIN;
    sent.late = judgement.arrival == ARMTAP_ARRIVAL_LATE;
    sent.doubtful = judgement.doubtful;
    trim_delivered(side, piece, &repeated);
    bool direct = fits(tcp, direction, piece, segment), is_new = piece->start < sent.end;
    if (!direct)
        TRY(enqueue(side, piece, &sent, &repeated));
    if (side->highest < sent.end)
        side->highest = sent.end;
    remember(side, judgement.arrival, &sent);
    if (judgement.arrival == ARMTAP_ARRIVAL_COPY && !judgement.doubtful)
        armtap_tcp_saw_copy(&side->apart, judgement.apart, &tcp->pool->now);
    if (judgement.arrival == ARMTAP_ARRIVAL_AGAIN)
        tcp->resent =
            armtap_sender_resent_what(&side->sender, sent.end, judgement.after, is_missed, tcp->pool->now.time);
    TRY(tell_arrival(tcp, direction, &judgement, &sent, highest));
    if (repeated.differs)
        TRY(note_difference(tcp, direction, repeated.bytes));
    if (direct && is_new) {
        TRY(armtap_tcp_deliver(tcp, direction, piece->bytes, piece->length, &tcp->pool->now));
        if (piece->cut)
            TRY(armtap_tcp_lose(tcp, direction, sent.end, ARMTAP_MISSING_CUT, &tcp->pool->now));
    }
    TRY(armtap_tcp_drain(tcp));
    measure_ahead(side, judgement.arrival, &sent, &tcp->pool->now);
    return 0;
}

int armtap_tcp_take_bytes(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t seq = segment->seq + (segment->flags & ARMTAP_TCP_SYN ? 1 : 0);
    struct piece piece = {0, segment->payload, segment->length, segment->cut};
    if (side->state == ARMTAP_TCP_CLOSED)
        return 0;
    if (piece_end(&piece) == 0 && side->state == ARMTAP_TCP_OPEN && armtap_tcp_is_near(seq, (uint32_t)side->next))
        side->said = armtap_tcp_position(side, seq);
    if (piece_end(&piece) == 0)
        return is_empty_keep_alive(side, segment) ? tell_keep_alive(tcp, direction) : 0;
    if (side->state == ARMTAP_TCP_UNSEEN) {
        if (side->has_first && seq + 1 == side->first && piece_end(&piece) == 1)
            return 0; /* a keep-alive */
        bool is_first = side->has_first && seq == side->first;
        bool waits = armtap_tcp_peer(tcp, direction)->state == ARMTAP_TCP_HELD; /* a reply cannot precede its request */
        armtap_tcp_begin(tcp, side, seq, is_first && !waits ? ARMTAP_TCP_OPEN : ARMTAP_TCP_HELD);
    }
    piece.start = armtap_tcp_position(side, seq);
    if (is_keep_alive(side, &piece))
        return tell_keep_alive(tcp, direction);
    if (is_window_probe(tcp, direction, &piece)) {
        side->has_probe = true;
        side->probe_byte = piece.bytes[0];
        side->probe_where = tcp->pool->now;
        return 0;
    }
    TRY(armtap_tcp_settle_probe(tcp, direction, piece.start));
    TRY(note_cut(tcp, direction, segment));
    if (side->has_end)
        trim_back(&piece, side->end);
    if (!fits(tcp, direction, &piece, segment))
        TRY(make_room(tcp, direction, &piece));
    if (side->state == ARMTAP_TCP_CLOSED || piece_end(&piece) == piece.start)
        return 0;
    return place(tcp, direction, &piece, segment);
}

int armtap_tcp_take_next(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    struct piece piece = {side->next, segment->payload, segment->length, 0};
    if (!side->history)
        TRY(armtap_tcp_keep_history(tcp, side));
    struct armtap_sent sent = sent_of(segment, &piece, &armtap_tcp_peer(tcp, direction)->sender, tcp->pool->now.time);
    sent.doubtful = sent.start < side->sender.sacked_to;
    remember(side, ARMTAP_ARRIVAL_IN_ORDER, &sent);
    armtap_tcp_peer(tcp, direction)->was_in_vain = false;
    if (side->lost)
        TRY(armtap_tcp_deliver(tcp, direction, segment->payload, segment->length, &tcp->pool->now));
    else
        TRY(armtap_tcp_pass_on(tcp, direction, segment->payload, segment->length, &tcp->pool->now));
    measure_ahead(side, ARMTAP_ARRIVAL_IN_ORDER, &sent, &tcp->pool->now);
    return 0;
}

int armtap_tcp_take_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t seq = segment->seq + (uint32_t)(segment->length + segment->cut);
    if (!(segment->flags & ARMTAP_TCP_FIN) || side->state == ARMTAP_TCP_CLOSED || side->has_end)
        return 0;
    if (side->state == ARMTAP_TCP_UNSEEN)
        armtap_tcp_begin(tcp, side, seq, ARMTAP_TCP_OPEN);
    uint64_t position = armtap_tcp_position(side, seq);
    if (!armtap_tcp_is_near(seq, (uint32_t)side->next) || position < side->highest)
        return 0;
    TRY(armtap_tcp_settle_probe(tcp, direction, position));
    side->has_end = true;
    side->end = position;
    if (side->state == ARMTAP_TCP_OPEN && !side->queue.head && side->next == position &&
        armtap_tcp_is_caused(tcp, direction, segment->flags, segment->ack))
        return armtap_tcp_close_by_fin(tcp, direction, segment->ack, &tcp->pool->now);
    struct piece end = {position, NULL, 0, 0};
    struct armtap_sent sent = sent_of(segment, &end, &armtap_tcp_peer(tcp, direction)->sender, tcp->pool->now.time);
    return armtap_queue_insert_end(&side->queue, position, &sent);
}
