/* Evidence, the strongest first:
 *
 * 1. The same packet. A copy equals its original in every header field. Equal IP ids prove it where ids differ from
 *    packet to packet; equal timestamps prove it where the sender's clock has moved on since, as a retransmission would
 *    show.
 * 2. The order of sending. Bytes that were sent after bytes behind them were sent again. Timestamps tell, then what the
 *    packet echoes and acknowledges, then IP ids that count up. A segment is compared with its right neighbour among
 *    those sent for the first time, whatever other holes are open.
 * 3. Time. A sender cannot have heard of a loss before a round trip has passed since the third segment behind the hole.
 *    A timeout takes 200 ms.
 * 4. What the peer reports (SACK): it lacks these bytes and has later ones.
 *
 * Where all of it is silent, bytes that were captured before are a copy, and bytes that were not are out of order: a
 * network does either without losing anything. Bytes so old that the history has forgotten them were sent again. */
#include "arrival.h"

enum { SEGMENTS_THAT_TELL = 3 /* behind a hole, until a sender takes it for lost */ };
#define TIMEOUT INT64_C(200000000)    /* ns: the least that senders wait for an acknowledgement */
#define AT_ONCE INT64_C(1000000)      /* ns: a mirror port's copy comes within */
#define DELAYED_ACK INT64_C(40000000) /* ns: how long peers keep the acknowledgement of a single segment */
#define PROBE_SLACK INT64_C(2000000)  /* ns: added to two round trips before the tail of several is sent again */

/* What a segment is held against. */
struct meeting {
    const struct armtap_evidence *evidence;
    const struct armtap_sent *sent;
    const struct armtap_sent *same;    /* the last before it with the same header fields */
    const struct armtap_sent *first;   /* that held some of its bytes */
    const struct armtap_sent *right;   /* the next behind it that was sent for the first time */
    const struct armtap_sent *telling; /* the third behind it */
};

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
    for (unsigned i = 0; history && i < ARMTAP_HISTORY_SEGMENTS; i++) {
        const struct armtap_sent *other = &history->segments[(history->next + i) % ARMTAP_HISTORY_SEGMENTS];
        if (other->end == other->start)
            continue;
        if (is_same(other, sent))
            meeting->same = other;
        if (!meeting->first && other->start < sent->end && sent->start < other->end)
            meeting->first = other;
        if (other->start < sent->end || other->again)
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
    const struct armtap_chunk *chunk = meeting->evidence->queue->head;
    for (; chunk && behind < SEGMENTS_THAT_TELL; chunk = chunk->after) {
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

/* Nanoseconds from the capture of `then` to that of the segment; 0 without a clock. */
static int64_t since(const struct meeting *meeting, const struct armtap_sent *then)
{
    int64_t now = meeting->sent->time;
    if (now == ARMTAP_NO_TIME || then->time == ARMTAP_NO_TIME || now < then->time)
        return 0;
    return (int64_t)((uint64_t)now - (uint64_t)then->time);
}

/* The least time in which a sender hears of a loss, 0: not known. Less than measured, for those measured were held up,
 * too. */
static int64_t round_trip(const struct meeting *meeting)
{
    int64_t there = armtap_sender_round_trip(meeting->evidence->sender);
    int64_t back = armtap_sender_round_trip(meeting->evidence->peer);
    return there && back ? (there + back) / 16 * 15 : 0;
}

/* The sender's clock went on between the two, so a retransmission would have a later timestamp. */
static bool clock_went_on(const struct meeting *meeting, const struct armtap_sent *then)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    if (!then->has_timestamps)
        return false;
    return (int32_t)(sender->newest_tsval - then->tsval) > 0 || since(meeting, then) > 2 * armtap_sender_tick(sender);
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

/* ---- the decision ---------------------------------------------------------------------------------------------- */

/* The last bytes sent, not acknowledged for so long that their sender probes for a loss (RFC 8985). */
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
static enum armtap_arrival copy_or_late(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    bool is_later = meeting->right && armtap_sender_order(sender, meeting->sent, meeting->right) == ARMTAP_ORDER_AFTER;
    return is_later || since(meeting, meeting->same) < AT_ONCE ? ARMTAP_ARRIVAL_COPY : ARMTAP_ARRIVAL_LATE;
}

/* A packet with the same header fields came before: did the sender send it twice, or was it copied on its way? */
static enum armtap_arrival copy_or_again(const struct meeting *meeting)
{
    const struct armtap_sender *sender = meeting->evidence->sender;
    const struct armtap_sent *sent = meeting->sent;
    int64_t apart = since(meeting, meeting->same), soon = round_trip(meeting);
    if ((sent->ip_id && armtap_sender_ids_differ(sender)) || apart < (soon ? soon : AT_ONCE))
        return ARMTAP_ARRIVAL_COPY;
    bool clock_stood = !clock_went_on(meeting, meeting->same);
    if (clock_stood && (apart >= TIMEOUT || is_probe(meeting)))
        return ARMTAP_ARRIVAL_AGAIN;
    if (meeting->same->again)
        return copy_or_late(meeting);
    return clock_stood && is_repair(meeting) ? ARMTAP_ARRIVAL_AGAIN : ARMTAP_ARRIVAL_COPY;
}

/* Some of its bytes came before, in another packet. Where that one was a retransmission, this is what it repeats, for
 * nothing is sent a third time before a timeout. */
static enum armtap_arrival again_or_late(const struct meeting *meeting)
{
    switch (armtap_sender_order(meeting->evidence->sender, meeting->sent, meeting->first)) {
    case ARMTAP_ORDER_BEFORE:
        return ARMTAP_ARRIVAL_LATE;
    case ARMTAP_ORDER_AFTER:
        return ARMTAP_ARRIVAL_AGAIN;
    default:
        return meeting->first->again && since(meeting, meeting->first) < TIMEOUT ? ARMTAP_ARRIVAL_LATE
                                                                                 : ARMTAP_ARRIVAL_AGAIN;
    }
}

/* None of its bytes came before, and headers do not tell. */
static enum armtap_arrival by_time(const struct meeting *meeting)
{
    if (since(meeting, meeting->right) >= TIMEOUT)
        return ARMTAP_ARRIVAL_AGAIN;
    if (clock_went_on(meeting, meeting->right))
        return ARMTAP_ARRIVAL_LATE;
    return was_asked_for(meeting) ? ARMTAP_ARRIVAL_AGAIN : ARMTAP_ARRIVAL_LATE;
}

enum armtap_arrival armtap_arrival_of(const struct armtap_evidence *evidence, const struct armtap_sent *sent)
{
    struct meeting meeting = {.evidence = evidence, .sent = sent};
    look_right(&meeting);
    look_back(&meeting);
    if (meeting.same)
        return copy_or_again(&meeting);
    if (meeting.first)
        return again_or_late(&meeting);
    if (!meeting.right)
        return evidence->given_up ? ARMTAP_ARRIVAL_LATE : ARMTAP_ARRIVAL_AGAIN;
    switch (armtap_sender_order(evidence->sender, sent, meeting.right)) {
    case ARMTAP_ORDER_BEFORE:
        return ARMTAP_ARRIVAL_LATE;
    case ARMTAP_ORDER_AFTER:
        return ARMTAP_ARRIVAL_AGAIN;
    default:
        return evidence->given_up ? ARMTAP_ARRIVAL_LATE : by_time(&meeting);
    }
}
