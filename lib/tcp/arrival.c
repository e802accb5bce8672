/* Evidence, the strongest first:
 *
 * 1. The same packet. A copy equals its original in every header field. Equal IP ids prove it where ids differ from
 *    packet to packet; equal timestamps prove it if the sender's clock has advanced since, because a retransmission
 *    would show that.
 * 2. The order of sending. Bytes sent after later bytes of the stream were sent again. Timestamps show the order, then
 *    what the packet echoes and acknowledges, then IP ids that count up. A segment is compared with its right neighbour
 *    among those sent for the first time, whatever other holes are open.
 * 3. Time. A sender cannot hear of a loss before a round trip has passed since the third segment after the hole; one
 *    that does not wait for a third repairs after a recurring time. A timeout takes 200 ms.
 * 4. What the peer reports (SACK): it lacks these bytes and has later ones.
 *
 * Without any evidence, bytes that were captured before are a copy, and bytes that were not are out of order: a
 * network does either without losing anything. Bytes older than the history were sent again. */
#include "arrival.h"

enum {
    SEGMENTS_THAT_TELL = 3, /* after a hole, before a sender considers it lost */
    LOOKED_AT = 256         /* chunks for them: as many as the history has segments */
};
#define TIMEOUT INT64_C(200000000)      /* ns: the shortest time that senders wait for an acknowledgement */
#define TIMER INT64_C(2000000)          /* ns: the shortest that a sender sets */
#define AT_ONCE INT64_C(1000000)        /* ns: a mirror port's copy comes within */
#define DELAYED_ACK INT64_C(40000000)   /* ns: how long peers keep the acknowledgement of a single segment */
#define STALL INT64_C(10000000)         /* ns without a segment: the path, or the sender, held them up */
#define STALL_KNOWN INT64_C(1000000000) /* ns: what came after a stall may be late for so long */
#define PROBE_SLACK INT64_C(2000000)    /* ns: added to two round trips before the tail of several is sent again */

/* What a segment is compared with. */
struct meeting {
    const struct armtap_evidence *evidence;
    const struct armtap_sent *sent;
    const struct armtap_sent *same;  /* the last before it with the same header fields */
    const struct armtap_sent *first; /* that held some of its bytes */
    const struct armtap_sent *right; /* the next one after it that was sent for the first time */
    const struct armtap_sent *hint;  /* the first captured of those behind it: its sender may have heard that it came */
    const struct armtap_sent *telling; /* the third behind it */
};

/* Nanoseconds from the capture of `then` to that of the segment; 0 without a clock. */
static int64_t since(const struct meeting *meeting, const struct armtap_sent *then)
{
    int64_t now = meeting->sent->time;
    if (now == ARMTAP_NO_TIME || then->time == ARMTAP_NO_TIME || now < then->time)
        return 0;
    return (int64_t)((uint64_t)now - (uint64_t)then->time);
}

/* ---- who it meets ---------------------------------------------------------------------------------------------- */

static bool is_same(const struct armtap_sent *a, const struct armtap_sent *b)
{
    return a->start == b->start && a->end == b->end && a->ip_id == b->ip_id && a->ack == b->ack &&
           a->window == b->window && a->flags == b->flags && a->has_timestamps == b->has_timestamps &&
           a->tsval == b->tsval && a->tsecr == b->tsecr;
}

static void look_back(struct meeting *meeting)
{
    const struct armtap_history *history = meeting->evidence->history;
    const struct armtap_sent *sent = meeting->sent;
    unsigned behind = 0;
    for (unsigned i = 0; history && i < history->count; i++) {
        const struct armtap_sent *other = armtap_history_segment(history, i);
        if (is_same(other, sent))
            meeting->same = other;
        if (!meeting->first && other->start < sent->end && sent->start < other->end)
            meeting->first = other;
        if (other->start < sent->end)
            continue;
        if (!meeting->hint)
            meeting->hint = other;
        if (other->again)
            continue;
        if (!meeting->right || other->start < meeting->right->start)
            meeting->right = other;
        if (++behind == SEGMENTS_THAT_TELL && !meeting->telling)
            meeting->telling = other;
    }
}

static void look_right(struct meeting *meeting)
{
    unsigned behind = 0;
    const struct armtap_queue *queue = meeting->evidence->queue;
    const struct armtap_chunk *before = armtap_queue_find(queue, meeting->sent->end);
    const struct armtap_chunk *chunk = before ? before : queue->head;
    for (unsigned seen = 0; chunk && behind < SEGMENTS_THAT_TELL && seen < LOOKED_AT; chunk = chunk->after, seen++) {
        if (chunk->start < meeting->sent->end || chunk->sent.again)
            continue;
        behind++;
        if (!meeting->right)
            meeting->right = &chunk->sent;
        if (!meeting->telling || chunk->sent.time > meeting->telling->time)
            meeting->telling = &chunk->sent;
    }
    if (behind < SEGMENTS_THAT_TELL)
        meeting->telling = NULL;
}

/* ---- time ------------------------------------------------------------------------------------------------------ */

/* The least time in which a sender hears of a loss, 0: not known. Less than measured, for those measured were held up,
 * too. */
static int64_t round_trip(const struct meeting *meeting)
{
    int64_t there = armtap_sender_round_trip(meeting->evidence->sender);
    int64_t back = armtap_sender_round_trip(meeting->evidence->peer);
    return there && back ? (there + back) / 16 * 15 : 0;
}

/* A time in which no sender can have heard anything, 0: not known. Whatever was measured may have been held up, all the
 * more where it was few times, as in a handshake: so it takes many echoes of timestamps, and an eighth of their least,
 * for an echo may have waited for data to go with, too. */
static int64_t surely_too_soon(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender, *peer = meeting->evidence->peer;
    if (!armtap_sender_has_echoes(sender) || !armtap_sender_has_echoes(peer))
        return 0;
    return (armtap_sender_round_trip(sender) + armtap_sender_round_trip(peer)) / 8;
}

/* The sender's clock advanced between the two, so a retransmission would have a later timestamp. */
static bool clock_went_on(const struct meeting *meeting, const struct armtap_sent *then)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    if (!then->has_timestamps)
        return false;
    if ((int32_t)(sender->newest_tsval - then->tsval) > 0)
        return true;
    return sender->newest_tsval != sender->first_tsval && since(meeting, then) > 2 * armtap_sender_tick(sender);
}

/* Its timestamp is the newest, and so old that a packet sent in its last moment should have come: this one was held up
 * on its way, as one that is late is, and one sent again seldom. */
static bool was_held_up(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent;
    if (!sent->has_timestamps || !sender->has_clock || sent->tsval != sender->newest_tsval ||
        sent->time < sender->newest_time)
        return false;
    int64_t age = (int64_t)((uint64_t)sent->time - (uint64_t)sender->newest_time);
    return age > armtap_sender_tick(sender) + round_trip(meeting) / 4;
}

/* A retransmission comes at least one tick of the clock later. */
static bool clock_shows_repairs(const struct meeting *meeting)
{
    return armtap_sender_tick(meeting->evidence->sender) <= surely_too_soon(meeting);
}

/* The sender can have heard, when it sent this, that the third segment behind had come. */
static bool was_asked_for(const struct meeting *meeting)
{
    const struct armtap_sent *sent = meeting->sent, *telling = meeting->telling;
    const struct armtap_evidence *evidence = meeting->evidence;
    int64_t asked = armtap_sender_asked_since(evidence->sender, sent->start, sent->time);
    int64_t back = armtap_sender_round_trip(evidence->peer);
    if (back && asked >= back / 16 * 15)
        return true;
    if (!telling || since(meeting, telling) < round_trip(meeting))
        return false;
    return !sent->has_timestamps || !evidence->peer->has_clock || (int32_t)(sent->tsecr - telling->peer_tsval) >= 0;
}

/* ---- the path ---------------------------------------------------------------------------------------------------- */

/* The path was steady of late: it neither stood still shortly before, when it may have held up what its sender took for
 * lost, nor, unless `may_reorder`, did any segment come late. */
static bool is_steady(const struct meeting *meeting, bool may_reorder)
{
    const struct armtap_history *history = meeting->evidence->history;
    const struct armtap_sent *before = NULL;
    for (unsigned i = 0; history && i < history->count; i++) {
        const struct armtap_sent *other = armtap_history_segment(history, i);
        bool stalled = before && other->time - before->time >= STALL && since(meeting, other) < STALL_KNOWN;
        if (stalled || (other->late && !may_reorder))
            return false;
        before = other;
    }
    return true;
}

/* ---- the decision ---------------------------------------------------------------------------------------------- */

static struct armtap_judgement proven(enum armtap_arrival arrival)
{
    return (struct armtap_judgement){arrival, false, 0, -1};
}

static struct armtap_judgement likely(enum armtap_arrival arrival)
{
    return (struct armtap_judgement){arrival, true, 0, -1};
}

/* Proven if there is `proof`. */
static struct armtap_judgement judged(enum armtap_arrival arrival, bool proof)
{
    return (struct armtap_judgement){arrival, !proof, 0, -1};
}

/* The last bytes sent were unacknowledged for so long that their sender probes for a loss (RFC 8985). */
static bool is_probe(const struct meeting *meeting)
{
    const struct armtap_sent *sent = meeting->sent;
    uint64_t acked = meeting->evidence->sender->acked;
    if (sent->end != meeting->evidence->highest || sent->end <= acked)
        return false;
    int64_t way = round_trip(meeting), slack = sent->start <= acked ? DELAYED_ACK : PROBE_SLACK;
    if (!way) {
        way = armtap_sender_round_trip(meeting->evidence->sender);
        slack = DELAYED_ACK;
    }
    return since(meeting, meeting->same) >= 2 * way + slack;
}

/* The peer lacks it, or lacked it until it came late, and the sender can have heard so. */
static bool is_repair(const struct meeting *meeting)
{
    const struct armtap_sent *sent = meeting->sent, *telling = meeting->telling, *right = meeting->right;
    if (armtap_sender_lacks(meeting->evidence->sender, sent->start, sent->end))
        return right && since(meeting, right) >= round_trip(meeting);
    return telling && since(meeting, telling) > since(meeting, meeting->same) && was_asked_for(meeting);
}

/* The same header fields as a retransmission: a copy of it, or what it repeats, if that may have been sent in the same
 * tick. */
static struct armtap_judgement copy_or_late(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    bool is_later = meeting->right && armtap_sender_order(sender, meeting->sent, meeting->right) == ARMTAP_ORDER_AFTER;
    if (is_later)
        return judged(ARMTAP_ARRIVAL_COPY, clock_shows_repairs(meeting));
    return likely(since(meeting, meeting->same) < AT_ONCE ? ARMTAP_ARRIVAL_COPY : ARMTAP_ARRIVAL_LATE);
}

/* With nothing after it, only a timer makes the sender send it again. */
static bool is_too_soon_for_timer(const struct meeting *meeting)
{
    if (meeting->sent->has_timestamps && armtap_sender_tick(meeting->evidence->sender) <= TIMER)
        return true;
    return since(meeting, meeting->same) < TIMER && is_steady(meeting, true);
}

/* It equals one that came in its turn, and a retransmission would have another timestamp: its sender's clock went on
 * before the first reason to send it again, or it came before there can have been one. */
static bool is_surely_copy(const struct meeting *meeting, bool clock_stood)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent, *same = meeting->same, *right = meeting->right;
    if (same->again || same->late || same->doubtful)
        return false;
    if (since(meeting, same) < surely_too_soon(meeting) && is_steady(meeting, true))
        return true;
    if (!meeting->hint && is_too_soon_for_timer(meeting))
        return true;
    if (right && armtap_sender_order(sender, sent, right) == ARMTAP_ORDER_BEFORE)
        return armtap_sender_order_is_proven(sender, sent, right);
    return !clock_stood && (!right || clock_shows_repairs(meeting));
}

/* It comes when bytes that the peer lacked mostly come, and before the sender's clock would show that it was sent so
 * late. */
static bool is_usual(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent;
    int64_t lacked = armtap_sender_lacked_for(sender, sent->start, sent->time);
    if (sent->has_timestamps && lacked > armtap_sender_tick(sender))
        return false;
    return armtap_sender_usually_repairs(sender, lacked);
}

/* A packet with the same header fields came before: was it sent twice, or copied on its way? */
static struct armtap_judgement copy_or_again(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent, *same = meeting->same;
    int64_t apart = since(meeting, same), soon = round_trip(meeting);
    bool clock_stood = !clock_went_on(meeting, same);
    if (sent->ip_id && armtap_sender_ids_differ(sender))
        return proven(ARMTAP_ARRIVAL_COPY);
    if (apart < (soon ? soon : AT_ONCE))
        return judged(ARMTAP_ARRIVAL_COPY, is_surely_copy(meeting, clock_stood));
    bool may_be_again = clock_stood && !was_held_up(meeting);
    if (may_be_again && (apart >= TIMEOUT || is_probe(meeting)))
        return likely(ARMTAP_ARRIVAL_AGAIN);
    if (same->again)
        return copy_or_late(meeting);
    if (may_be_again && (is_repair(meeting) || (same->late && is_usual(meeting))))
        return likely(ARMTAP_ARRIVAL_AGAIN);
    return judged(ARMTAP_ARRIVAL_COPY, is_surely_copy(meeting, clock_stood));
}

/* It was sent before the bytes after it, so it is not a retransmission. */
static bool is_surely_first(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent, *right = meeting->right;
    if (right && armtap_sender_order(sender, sent, right) == ARMTAP_ORDER_BEFORE)
        return armtap_sender_order_is_proven(sender, sent, right);
    return sent->has_timestamps && clock_shows_repairs(meeting);
}

/* Some of its bytes came before, in another packet. Where that one was a retransmission, this is what it repeats, for
 * nothing is sent a third time before a timeout. */
static struct armtap_judgement again_or_late(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent, *first = meeting->first, *right = meeting->right;
    if (right && armtap_sender_order(sender, sent, right) == ARMTAP_ORDER_AFTER)
        return judged(ARMTAP_ARRIVAL_AGAIN, armtap_sender_order_is_proven(sender, sent, right));
    bool proof = armtap_sender_order_is_proven(sender, sent, first);
    switch (armtap_sender_order(sender, sent, first)) {
    case ARMTAP_ORDER_BEFORE:
        return judged(ARMTAP_ARRIVAL_LATE, proof && is_surely_first(meeting));
    case ARMTAP_ORDER_AFTER:
        return judged(ARMTAP_ARRIVAL_AGAIN, proof);
    default:
        if (first->again && since(meeting, first) < TIMEOUT)
            return likely(ARMTAP_ARRIVAL_LATE);
        return judged(ARMTAP_ARRIVAL_AGAIN, !first->again && !first->doubtful && is_steady(meeting, false));
    }
}

/* It comes as soon as a sender can repair that hears of a single segment behind it (RFC 8985). */
static bool is_prompt(const struct meeting *meeting)
{
    int64_t after = since(meeting, meeting->hint ? meeting->hint : meeting->right), way = round_trip(meeting);
    return after >= way && after < way / 4 * 7;
}

/* None of its bytes came before, and the headers do not decide. */
static struct armtap_judgement by_time(const struct meeting *meeting)
{
    if (clock_went_on(meeting, meeting->right))
        return judged(ARMTAP_ARRIVAL_LATE, clock_shows_repairs(meeting));
    if (was_held_up(meeting))
        return likely(ARMTAP_ARRIVAL_LATE);
    if (since(meeting, meeting->right) >= TIMEOUT || is_prompt(meeting) || is_usual(meeting))
        return likely(ARMTAP_ARRIVAL_AGAIN);
    return likely(was_asked_for(meeting) ? ARMTAP_ARRIVAL_AGAIN : ARMTAP_ARRIVAL_LATE);
}

static struct armtap_judgement judgement_of(const struct meeting *meeting)
{
    const struct armtap_evidence *evidence = meeting->evidence;
    if (meeting->same)
        return copy_or_again(meeting);
    if (meeting->first)
        return again_or_late(meeting);
    if (!meeting->right)
        return likely(evidence->given_up ? ARMTAP_ARRIVAL_LATE : ARMTAP_ARRIVAL_AGAIN);
    bool proof = armtap_sender_order_is_proven(evidence->sender, meeting->sent, meeting->right);
    switch (armtap_sender_order(evidence->sender, meeting->sent, meeting->right)) {
    case ARMTAP_ORDER_BEFORE:
        return judged(ARMTAP_ARRIVAL_LATE, proof);
    case ARMTAP_ORDER_AFTER:
        return judged(ARMTAP_ARRIVAL_AGAIN, proof);
    default:
        return evidence->given_up ? likely(ARMTAP_ARRIVAL_LATE) : by_time(meeting);
    }
}

struct armtap_judgement armtap_arrival_of(const struct armtap_evidence *evidence, const struct armtap_sent *sent)
{
    struct meeting meeting = {.evidence = evidence, .sent = sent};
    look_right(&meeting);
    look_back(&meeting);
    const struct armtap_history *history = evidence->history;
    bool is_known = history && history->count > 0 && armtap_history_segment(history, 0)->start <= sent->start;
    const struct armtap_sent *then = meeting.first ? meeting.first : is_known ? meeting.hint : NULL;
    struct armtap_judgement judgement = judgement_of(&meeting);
    judgement.apart = meeting.same ? since(&meeting, meeting.same) : 0;
    judgement.after = then ? since(&meeting, then) : -1;
    return judgement;
}
