#include "tcp.h"

#include <stdlib.h>
#include <string.h>

enum {
    JUMP = 16 << 20,     /* bytes: farther than any window, so another connection */
    BEFORE_SYN = 65536,  /* bytes that may be captured before their own SYN */
    BEFORE_ALL = 65536,  /* bytes before the first one seen that may be of the same connection */
    QUEUE_CHUNKS = 4096, /* of one direction */
    HISTORIES = 256,     /* directions that keep one */
    GRACE_PACKETS = 32,  /* cards with several queues deliver packets behind their acknowledgement */
    SWEEP_QUEUES = 4     /* looked at per captured packet */
};
#define GRACE_TIME INT64_C(50000000)    /* ns */
#define PATIENCE INT64_C(2000000000)    /* ns: a hole that old is given up */
#define RESEND_TIME INT64_C(200000000)  /* ns: what fills a hole that old was sent again */
#define CLOCK_STEP INT64_C(-1000000000) /* ns: a capture's clock that went back so far was set anew */

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int try_error = (call);                                                                                        \
        if (try_error)                                                                                                 \
            return try_error;                                                                                          \
    } while (0)

/* What is left of a segment's payload. */
struct piece {
    uint64_t start;
    const uint8_t *bytes;
    size_t length; /* bytes at hand */
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

static int64_t elapsed(int64_t now, int64_t then)
{
    if (now == ARMTAP_NO_TIME || then == ARMTAP_NO_TIME)
        return GRACE_TIME; /* without a clock packets alone count */
    int64_t time = (int64_t)((uint64_t)now - (uint64_t)then);
    if (time < 0)
        return time < CLOCK_STEP ? PATIENCE : 0;
    return time;
}

static int32_t distance(uint32_t seq, uint64_t position)
{
    return (int32_t)(seq - (uint32_t)position);
}

static uint64_t position_of(const struct armtap_tcp_side *side, uint32_t seq)
{
    return side->next + (uint64_t)(int64_t)distance(seq, side->next);
}

static bool is_near(uint32_t seq, uint64_t position)
{
    int32_t d = distance(seq, position);
    return d >= -JUMP && d <= JUMP;
}

bool armtap_tcp_is_near(uint32_t a, uint32_t b)
{
    return is_near(a, b);
}

static bool was_seen(const struct armtap_tcp_side *side)
{
    return side->highest != 0;
}

static struct armtap_tcp_side *peer_of(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    return &tcp->side[!direction];
}

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

static void forget(struct armtap_tcp *tcp, struct armtap_tcp_side *side)
{
    armtap_queue_clear(&side->queue);
    side->has_probe = false;
    if (side->history)
        tcp->pool->histories--;
    free(side->history);
    side->history = NULL;
}

void armtap_tcp_clear(struct armtap_tcp *tcp)
{
    forget(tcp, &tcp->side[0]);
    forget(tcp, &tcp->side[1]);
}

void armtap_tcp_ignore(struct armtap_tcp *tcp)
{
    if (tcp->ignored)
        return;
    tcp->ignored = true;
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        forget(tcp, side);
        side->next = side->highest;
        side->lost = 0;
        if (side->state == ARMTAP_TCP_HELD)
            side->state = ARMTAP_TCP_OPEN;
    }
}

bool armtap_tcp_is_closed(const struct armtap_tcp *tcp)
{
    return tcp->side[0].state == ARMTAP_TCP_CLOSED && tcp->side[1].state == ARMTAP_TCP_CLOSED;
}

/* ---- out: bytes, gaps, ends, in stream order ------------------------------------------------------------------- */

static int tell_gap(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint64_t lost = side->lost;
    side->lost = 0;
    return lost ? tcp->calls->gap(tcp->user, direction, lost, &side->lost_where) : 0;
}

/* The bytes up to `end` are missing. Told once the bytes behind them come, so that neighbouring holes are one gap. */
static void lose(struct armtap_tcp_side *side, uint64_t end, const struct armtap_where *where)
{
    if (!side->lost) {
        side->lost_where = *where;
        side->lost_from = side->next;
    }
    side->lost += end - side->next;
    side->lost_to = side->next = end;
    if (side->highest < end)
        side->highest = end;
}

static int keep_history(struct armtap_tcp *tcp, struct armtap_tcp_side *side)
{
    if (side->history || tcp->pool->histories >= HISTORIES)
        return 0;
    side->history = armtap_history_new();
    if (!side->history)
        return ARMTAP_ERR_MEMORY;
    tcp->pool->histories++;
    return 0;
}

static int deliver(struct armtap_tcp *tcp, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                   const struct armtap_where *where)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    TRY(tell_gap(tcp, direction));
    if (!length)
        return 0;
    if (side->history)
        armtap_history_add(side->history, side->next, bytes, length);
    side->next += length;
    if (side->highest < side->next)
        side->highest = side->next;
    side->repeated_acks = 0;
    return tcp->calls->push(tcp->user, direction, bytes, length, where);
}

static int close_side(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    TRY(tell_gap(tcp, direction));
    forget(tcp, side);
    side->state = ARMTAP_TCP_CLOSED;
    return tcp->calls->close(tcp->user, direction, where);
}

static int close_by_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where)
{
    TRY(close_side(tcp, direction, where));
    return tcp->calls->event(tcp->user, direction, ARMTAP_EVENT_CLOSE, ARMTAP_CLOSE_FIN, where);
}

static int deliver_chunk(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    struct armtap_chunk *chunk = armtap_queue_take(&side->queue);
    int error = 0;
    if (chunk->kind == ARMTAP_CHUNK_END) {
        struct armtap_where where = chunk->where;
        free(chunk);
        return close_by_fin(tcp, direction, &where);
    }
    if (chunk->kind == ARMTAP_CHUNK_MISSING)
        lose(side, chunk->end, &chunk->where);
    else
        error = deliver(tcp, direction, chunk->bytes, (size_t)(chunk->end - chunk->start), &chunk->where);
    free(chunk);
    return error;
}

static bool is_ready(const struct armtap_tcp_side *side)
{
    return side->state == ARMTAP_TCP_OPEN && side->queue.head && side->queue.head->start <= side->next;
}

/* The direction whose first chunk was captured earlier. */
static enum armtap_direction earlier(const struct armtap_tcp *tcp)
{
    const struct armtap_where *a = &tcp->side[0].queue.head->where;
    const struct armtap_where *b = &tcp->side[1].queue.head->where;
    bool first = a->file != b->file ? a->file < b->file : a->packet <= b->packet;
    return first ? (enum armtap_direction)0 : (enum armtap_direction)1;
}

/* Gives out what no hole holds back, both directions in the order of capture. */
static int drain(struct armtap_tcp *tcp)
{
    for (;;) {
        bool ready[2] = {is_ready(&tcp->side[0]), is_ready(&tcp->side[1])};
        if (!ready[0] && !ready[1])
            return 0;
        enum armtap_direction direction = ready[0] && ready[1] ? earlier(tcp) : (enum armtap_direction)ready[1];
        TRY(deliver_chunk(tcp, direction));
    }
}

/* Both directions that began in mid-stream begin with the earliest bytes that came. */
static void release(struct armtap_tcp *tcp)
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

/* Gives up the first hole. */
static int declare(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (side->state == ARMTAP_TCP_HELD)
        release(tcp);
    else if (side->queue.head->start > side->next)
        lose(side, side->queue.head->start, &side->queue.head->where);
    return drain(tcp);
}

static bool is_given_up(const struct armtap_tcp_side *side, const struct armtap_pool *pool)
{
    const struct armtap_chunk *head = side->queue.head;
    bool held = side->state == ARMTAP_TCP_HELD;
    uint64_t packet = held ? side->held_packet : head->acked_packet;
    int64_t waited = elapsed(pool->now.time, held ? side->held_time : head->where.time);
    if (waited >= PATIENCE)
        return true;
    if ((!held && !head->acked) || pool->packets - packet < GRACE_PACKETS)
        return false;
    return elapsed(pool->now.time, held ? side->held_time : head->acked_time) >= GRACE_TIME;
}

static int judge(struct armtap_tcp *tcp)
{
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        while (side->queue.head && is_given_up(side, tcp->pool))
            TRY(declare(tcp, (enum armtap_direction)i));
    }
    return 0;
}

int armtap_tcp_sweep(struct armtap_pool *pool)
{
    size_t count = pool->waiting < SWEEP_QUEUES ? pool->waiting : SWEEP_QUEUES;
    while (count-- && pool->ring)
        TRY(judge(armtap_pool_next(pool)->owner));
    return 0;
}

/* ---- is it this connection? ------------------------------------------------------------------------------------ */

static bool is_other_syn(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side, uint32_t isn)
{
    if (side->has_isn)
        return isn != side->isn;
    if (!side->has_first)
        return armtap_tcp_is_closed(tcp);
    int32_t ahead = (int32_t)(side->first - (isn + 1));
    return ahead < -1 || ahead > BEFORE_SYN;
}

/* Bytes behind the end of a closed connection. One byte alone may be a keep-alive, which after a FIN lies there. */
static bool is_after_end(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side,
                         const struct armtap_segment *segment)
{
    size_t length = segment->length + segment->cut;
    if (tcp->ignored || !armtap_tcp_is_closed(tcp) || length < 2)
        return false;
    if (!was_seen(side) && !side->has_first)
        return true;
    uint64_t end = was_seen(side) ? side->highest : side->first;
    return distance(segment->seq + (uint32_t)length, end) > 1;
}

/* Bytes long before the first of a direction that began in mid-stream: an older file read behind a newer one. */
static bool is_before_start(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side,
                            const struct armtap_segment *segment)
{
    if (tcp->ignored || side->has_isn || side->state == ARMTAP_TCP_HELD)
        return false;
    uint64_t end = position_of(side, segment->seq) + segment->length + segment->cut;
    return end + BEFORE_ALL < side->start;
}

bool armtap_tcp_is_other(const struct armtap_tcp *tcp, enum armtap_direction direction,
                         const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    if (segment->flags & ARMTAP_TCP_RST)
        return false;
    if (segment->flags & ARMTAP_TCP_SYN)
        return is_other_syn(tcp, side, segment->seq);
    if (segment->length + segment->cut == 0)
        return false;
    if (is_after_end(tcp, side, segment))
        return true;
    if (!was_seen(side))
        return false;
    if (is_before_start(tcp, side, segment))
        return true;
    return distance(segment->seq, side->highest) > JUMP || distance(segment->seq, side->next) < -JUMP;
}

/* ---- in: headers ----------------------------------------------------------------------------------------------- */

static void begin(struct armtap_tcp *tcp, struct armtap_tcp_side *side, uint32_t seq, enum armtap_tcp_state state)
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

static int take_syn(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (side->has_isn || side->state == ARMTAP_TCP_CLOSED)
        return 0;
    side->has_isn = true;
    side->isn = segment->seq;
    side->scale = (int8_t)segment->window_scale;
    if (side->state == ARMTAP_TCP_UNSEEN) {
        begin(tcp, side, segment->seq + 1, ARMTAP_TCP_OPEN);
    } else if (side->state == ARMTAP_TCP_HELD) {
        side->state = ARMTAP_TCP_OPEN;
        side->next = position_of(side, segment->seq + 1);
        if (side->queue.head && side->queue.head->start < side->next)
            side->next = side->queue.head->start;
    }
    return drain(tcp);
}

static void take_ack(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *peer = peer_of(tcp, direction);
    if (!(segment->flags & ARMTAP_TCP_ACK))
        return;
    if (!was_seen(peer)) {
        if (!peer->has_first) {
            peer->has_first = true;
            peer->first = segment->ack;
        }
        return;
    }
    if (!is_near(segment->ack, peer->next))
        return;
    uint64_t position = position_of(peer, segment->ack);
    if (position == peer->next && peer->queue.head && segment->length + segment->cut == 0 && peer->repeated_acks < 255)
        peer->repeated_acks++;
    armtap_queue_acknowledge(&peer->queue, position);
}

/* A packet without bytes tells where its sender's next byte belongs, unless it is a leftover of an older connection. */
static void take_first(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = peer_of(tcp, direction);
    if (side->has_first || segment->length + segment->cut || !(segment->flags & ARMTAP_TCP_ACK))
        return;
    if (was_seen(peer) && !is_near(segment->ack, peer->next))
        return;
    side->has_first = true;
    side->first = segment->seq;
}

static int take_window(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = peer_of(tcp, direction);
    uint64_t window = segment->window;
    if (segment->flags & ARMTAP_TCP_SYN)
        return 0;
    if (side->scale > 0 && (peer->scale >= 0 || !peer->has_isn))
        window <<= side->scale;
    /* A capture may begin while a reader is stuck. */
    bool tell = !window
                    ? !side->has_window || side->window
                    : side->has_window && window != side->window && (!side->window || window <= side->window_peak / 2);
    if (tell || !side->has_window || window > side->window_peak)
        side->window_peak = window;
    side->has_window = true;
    side->window = window;
    if (!tell)
        return 0;
    return tcp->calls->event(tcp->user, direction, ARMTAP_EVENT_WINDOW, window, &tcp->pool->now);
}

static bool is_reset_believed(const struct armtap_tcp *tcp, enum armtap_direction direction,
                              const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = &tcp->side[!direction];
    if (was_seen(side) ? is_near(segment->seq, side->next) : !side->has_first || is_near(segment->seq, side->first))
        return true;
    /* the answer to a SYN that nobody expects has sequence number 0 and an acknowledgement */
    return segment->flags & ARMTAP_TCP_ACK && was_seen(peer) && is_near(segment->ack, peer->next);
}

/* ---- in: bytes ------------------------------------------------------------------------------------------------- */

/* Sent to see whether the peer is alive: a byte that it has already, or none. */
static bool is_keep_alive(const struct armtap_tcp_side *side, const struct piece *piece)
{
    if (piece_end(piece) - piece->start != 1)
        return false;
    return piece->start + 1 == side->highest || (side->state == ARMTAP_TCP_OPEN && piece->start + 1 == side->next);
}

/* One byte sent into a window of 0. The peer mostly drops it, and it is sent again with those behind it; only what
 * follows tells. */
static bool is_window_probe(struct armtap_tcp *tcp, enum armtap_direction direction, const struct piece *piece)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    const struct armtap_tcp_side *peer = peer_of(tcp, direction);
    return side->state == ARMTAP_TCP_OPEN && !side->queue.head && piece->length == 1 && piece->cut == 0 &&
           piece->start == side->next && peer->has_window && peer->window == 0;
}

/* `start` is the position of what follows the probe: if behind it, the probe's byte was taken. */
static int settle_probe(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t start)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    bool taken = side->has_probe && start > side->next;
    side->has_probe = false;
    return taken ? deliver(tcp, direction, &side->probe_byte, 1, &side->probe_where) : 0;
}

static int note_cut(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    if (!segment->cut || tcp->cut_noted)
        return 0;
    tcp->cut_noted = true;
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_format(&line, "%u of %u payload bytes were captured; further cut packets of this stream are not noted",
                       (uint64_t)segment->length, (uint64_t)(segment->length + segment->cut));
    return tcp->calls->note(tcp->user, direction, ARMTAP_NOTE_capture_truncated, &tcp->pool->now, line.text);
}

static int note_difference(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t length)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_format(&line, "of %u bytes sent twice some differ; the first copy was kept", length);
    return tcp->calls->note(tcp->user, direction, ARMTAP_NOTE_tcp_overlap_differs, &tcp->pool->now, line.text);
}

static bool fits(const struct armtap_tcp_side *side, const struct piece *piece)
{
    return side->state == ARMTAP_TCP_OPEN && piece->start <= side->next &&
           (!side->queue.head || piece_end(piece) <= side->queue.head->start);
}

/* Makes room in the pool for a piece that has to wait; where there can be none, the hole before it is given up. */
static int make_room(struct armtap_tcp *tcp, enum armtap_direction direction, const struct piece *piece)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    while (side->queue.chunks >= QUEUE_CHUNKS)
        TRY(declare(tcp, direction));
    while (!armtap_pool_has_room(tcp->pool, piece->length)) {
        struct armtap_queue *largest = armtap_pool_largest(tcp->pool);
        if (largest) {
            TRY(declare(largest->owner, largest->direction));
            continue;
        }
        if (side->state == ARMTAP_TCP_HELD)
            side->state = ARMTAP_TCP_OPEN;
        else if (side->state == ARMTAP_TCP_OPEN && piece->start > side->next)
            lose(side, piece->start, &tcp->pool->now);
        break;
    }
    return 0;
}

/* What a segment brought: for the events. */
struct arrival {
    bool is_copy;      /* the same packet was captured a moment before */
    bool was_given_up; /* its bytes were declared missing */
    bool was_resent;   /* what fills a hole was sent after what follows the hole */
    uint64_t old;      /* bytes that were there */
    uint64_t late;     /* new bytes, before others that came already */
    bool differs;
};

/* The segment fills a hole before the first chunk that waits. Was it reordered on its way, or lost before it came to
 * the capture, and sent again? */
static bool was_resent(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side, uint16_t ip_id)
{
    const struct armtap_chunk *head = side->queue.head;
    if (!head)
        return false;
    int16_t after = (int16_t)(uint16_t)(ip_id - head->ip_id);
    if (ip_id && head->ip_id && after)
        if (after < 0 || side->repeated_acks)
            return after > 0;
    return elapsed(tcp->pool->now.time, head->where.time) >= RESEND_TIME;
}

static int tell_arrival(struct armtap_tcp *tcp, enum armtap_direction direction, const struct arrival *arrival)
{
    const struct armtap_where *where = &tcp->pool->now;
    if (arrival->old) {
        enum armtap_event_type type = arrival->is_copy        ? ARMTAP_EVENT_DUPLICATE
                                      : arrival->was_given_up ? ARMTAP_EVENT_OUT_OF_ORDER
                                                              : ARMTAP_EVENT_RETRANSMISSION;
        TRY(tcp->calls->event(tcp->user, direction, type, arrival->old, where));
    }
    if (arrival->late) {
        enum armtap_event_type type = arrival->was_resent ? ARMTAP_EVENT_RETRANSMISSION : ARMTAP_EVENT_OUT_OF_ORDER;
        TRY(tcp->calls->event(tcp->user, direction, type, arrival->late, where));
    }
    return arrival->differs ? note_difference(tcp, direction, arrival->old) : 0;
}

/* Takes off the piece's front what was delivered already. */
static void trim_delivered(const struct armtap_tcp_side *side, struct piece *piece, struct arrival *arrival)
{
    if (side->state != ARMTAP_TCP_OPEN || piece->start >= side->next)
        return;
    uint64_t end = piece_end(piece) < side->next ? piece_end(piece) : side->next;
    arrival->old = end - piece->start;
    arrival->was_given_up = piece->start >= side->lost_from && end <= side->lost_to;
    size_t at_hand = arrival->old < piece->length ? (size_t)arrival->old : piece->length;
    if (side->history)
        arrival->differs = armtap_history_differs(side->history, piece->start, piece->bytes, at_hand);
    trim_front(piece, end);
}

static int enqueue(struct armtap_tcp_side *side, const struct piece *piece, uint16_t ip_id, struct arrival *arrival)
{
    struct armtap_overlap overlap = {0, false};
    if (piece->length)
        TRY(armtap_queue_insert(&side->queue, piece->start, piece->bytes, piece->length, ip_id, &overlap));
    if (piece->cut)
        TRY(armtap_queue_insert(&side->queue, piece->start + piece->length, NULL, piece->cut, ip_id, &overlap));
    arrival->old += overlap.bytes;
    arrival->differs = arrival->differs || overlap.differs;
    return 0;
}

/* Puts a piece where it belongs, tells what it was, and gives out what became whole. */
static int place(struct armtap_tcp *tcp, enum armtap_direction direction, struct piece *piece, uint16_t ip_id)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint64_t start = piece->start, end = piece_end(piece), highest = side->highest;
    struct arrival arrival = {0};
    TRY(keep_history(tcp, side));
    if (side->history)
        arrival.is_copy = armtap_history_has_copy(side->history, start, end - start, ip_id, tcp->pool->now.time);
    trim_delivered(side, piece, &arrival);
    uint64_t delivered = arrival.old;
    bool direct = fits(side, piece);
    arrival.was_resent = was_resent(tcp, side, ip_id);
    if (!direct)
        TRY(enqueue(side, piece, ip_id, &arrival));
    uint64_t below = (end < highest ? end : highest) - (start < highest ? start : highest);
    if (below > arrival.old)
        arrival.late = below - arrival.old;
    if (side->highest < end)
        side->highest = end;
    if (side->history)
        armtap_history_saw(side->history, start, end - start, ip_id, tcp->pool->now.time);
    TRY(tell_arrival(tcp, direction, &arrival));
    if (direct && start + delivered < end) {
        TRY(deliver(tcp, direction, piece->bytes, piece->length, &tcp->pool->now));
        if (piece->cut)
            lose(side, end, &tcp->pool->now);
    }
    return drain(tcp);
}

static int take_bytes(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t seq = segment->seq + (segment->flags & ARMTAP_TCP_SYN ? 1 : 0);
    struct piece piece = {0, segment->payload, segment->length, segment->cut};
    if (side->state == ARMTAP_TCP_CLOSED || piece_end(&piece) == 0)
        return 0;
    if (side->state == ARMTAP_TCP_UNSEEN) {
        if (side->has_first && seq + 1 == side->first && piece_end(&piece) == 1)
            return 0; /* a keep-alive */
        bool is_first = side->has_first && seq == side->first;
        bool waits = peer_of(tcp, direction)->state == ARMTAP_TCP_HELD; /* an answer comes not before its question */
        begin(tcp, side, seq, is_first && !waits ? ARMTAP_TCP_OPEN : ARMTAP_TCP_HELD);
    }
    piece.start = position_of(side, seq);
    if (is_keep_alive(side, &piece))
        return 0;
    if (is_window_probe(tcp, direction, &piece)) {
        side->has_probe = true;
        side->probe_byte = piece.bytes[0];
        side->probe_where = tcp->pool->now;
        return 0;
    }
    TRY(settle_probe(tcp, direction, piece.start));
    TRY(note_cut(tcp, direction, segment));
    if (side->has_end)
        trim_back(&piece, side->end);
    if (!fits(side, &piece))
        TRY(make_room(tcp, direction, &piece));
    if (side->state == ARMTAP_TCP_CLOSED || piece_end(&piece) == piece.start)
        return 0;
    return place(tcp, direction, &piece, segment->ip_id);
}

static int take_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t seq = segment->seq + (uint32_t)(segment->length + segment->cut);
    if (!(segment->flags & ARMTAP_TCP_FIN) || side->state == ARMTAP_TCP_CLOSED || side->has_end)
        return 0;
    if (side->state == ARMTAP_TCP_UNSEEN)
        begin(tcp, side, seq, ARMTAP_TCP_OPEN);
    uint64_t position = position_of(side, seq);
    if (!is_near(seq, side->next) || position < side->highest)
        return 0;
    TRY(settle_probe(tcp, direction, position));
    side->has_end = true;
    side->end = position;
    if (side->state == ARMTAP_TCP_OPEN && !side->queue.head && side->next == position)
        return close_by_fin(tcp, direction, &tcp->pool->now);
    return armtap_queue_insert_end(&side->queue, position, segment->ip_id);
}

/* ---- a segment, and the end ------------------------------------------------------------------------------------ */

/* Of a connection that is ignored only the ends are followed, in whatever order its packets come. */
static int follow(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t seq = segment->seq + (segment->flags & ARMTAP_TCP_SYN ? 1 : 0);
    if (side->state == ARMTAP_TCP_CLOSED)
        return 0;
    if (!was_seen(side))
        begin(tcp, side, seq, ARMTAP_TCP_OPEN);
    if (segment->flags & ARMTAP_TCP_SYN && !side->has_isn) {
        side->has_isn = true;
        side->isn = segment->seq;
    }
    uint64_t end = position_of(side, seq) + segment->length + segment->cut;
    if (end > side->highest && is_near(seq, side->next))
        side->next = side->highest = end;
    return segment->flags & ARMTAP_TCP_FIN ? close_by_fin(tcp, direction, &tcp->pool->now) : 0;
}

int armtap_tcp_segment(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    if (armtap_tcp_is_closed(tcp))
        return 0;
    if (segment->flags & ARMTAP_TCP_RST)
        return is_reset_believed(tcp, direction, segment) ? armtap_tcp_finish(tcp, direction, ARMTAP_CLOSE_RESET) : 0;
    if (tcp->ignored)
        return follow(tcp, direction, segment);
    if (segment->flags & ARMTAP_TCP_SYN)
        TRY(take_syn(tcp, direction, segment));
    else
        take_first(tcp, direction, segment);
    take_ack(tcp, direction, segment);
    TRY(take_window(tcp, direction, segment));
    TRY(take_bytes(tcp, direction, segment));
    TRY(take_fin(tcp, direction, segment));
    return judge(tcp);
}

/* Gives out all that waits, both directions in the order of capture. */
static int flush(struct armtap_tcp *tcp)
{
    for (;;) {
        TRY(drain(tcp));
        const struct armtap_chunk *heads[2] = {tcp->side[0].queue.head, tcp->side[1].queue.head};
        if (!heads[0] && !heads[1])
            return 0;
        TRY(declare(tcp, heads[0] && heads[1] ? earlier(tcp) : (enum armtap_direction)(heads[1] != NULL)));
    }
}

/* What the peer acknowledged, and nobody captured. One such position is a FIN rather than a byte. */
static void lose_acknowledged(struct armtap_tcp *tcp, struct armtap_tcp_side *side)
{
    if (was_seen(side) && side->queue.acked > side->next + 1)
        lose(side, side->queue.acked, &tcp->pool->now);
}

int armtap_tcp_finish(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason)
{
    for (int i = 0; i < 2; i++)
        TRY(settle_probe(tcp, (enum armtap_direction)i, tcp->side[i].queue.acked));
    TRY(flush(tcp));
    if (armtap_tcp_is_closed(tcp))
        return 0;
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        if (side->state == ARMTAP_TCP_CLOSED)
            continue;
        if (!tcp->ignored)
            lose_acknowledged(tcp, side);
        TRY(close_side(tcp, (enum armtap_direction)i, &tcp->pool->now));
    }
    return tcp->calls->event(tcp->user, direction, ARMTAP_EVENT_CLOSE, reason, &tcp->pool->now);
}
