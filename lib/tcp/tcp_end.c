/* How a connection ends. Whether a RST ended it, and whether the side in whose name it came sent it, is known only by
 * what comes later: until then, bytes are decoded as before. */
#include "tcp_deliver.h"

#include "connection/span.h"
#include "try.h"

#define AT_ONCE INT64_C(50000000)   /* ns: cards with several queues deliver packets in another order within it */
#define LATER INT64_C(1000000000)   /* ns: longer than what was sent before a RST came is on its way */
#define SILENCE INT64_C(2000000000) /* ns: after a RST at the byte expected next, and what was still on its way */

#define SILENCE_MOST INT64_C(30000000000) /* ns: the same where a side sends seldom */

enum {
    REPEATS = 3,     /* one may get lost */
    STEPS = 8,       /* between segments, looked at */
    STEPS_SILENT = 3 /* of those */
};

enum verdict { RESET_IGNORED, RESET_UNSURE, RESET_BELIEVED };

bool armtap_tcp_acks_unseen(const struct armtap_tcp_side *peer, const struct armtap_segment *segment)
{
    return segment->flags & ARMTAP_TCP_ACK && !armtap_tcp_was_seen(peer) && peer->has_first &&
           (int32_t)(segment->ack - peer->first) > 0;
}

/* What the peer acknowledged but was not captured. A single such position is a FIN rather than a byte. */
static int lose_acknowledged(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (!armtap_tcp_was_seen(side) || side->queue.acked <= side->next + 1)
        return 0;
    bool is_known = side->missed > side->next + 1;
    return armtap_tcp_lose(tcp, direction, side->queue.acked, ARMTAP_MISSING_LOST,
                           is_known ? &side->missed_where : where);
}

int armtap_tcp_end(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason, bool is_doubtful,
                   const struct armtap_where *where)
{
    for (int i = 0; i < 2; i++)
        TRY(armtap_tcp_settle_probe(tcp, (enum armtap_direction)i, tcp->side[i].queue.acked));
    TRY(armtap_tcp_flush(tcp));
    if (armtap_tcp_is_closed(tcp))
        return 0;
    for (int i = 0; i < 2; i++) {
        struct armtap_tcp_side *side = &tcp->side[i];
        if (side->state == ARMTAP_TCP_CLOSED)
            continue;
        if (!tcp->ignored)
            TRY(lose_acknowledged(tcp, (enum armtap_direction)i, where));
        TRY(armtap_tcp_close_side(tcp, (enum armtap_direction)i, where));
    }
    return tcp->calls->arrival(tcp->user, direction, ARMTAP_EVENT_CLOSE, reason, is_doubtful, where);
}

/* ---- what the receiver of a RST makes of it --------------------------------------------------------------------- */

/* A RST of a side of which nothing else with a place was captured. */
static enum verdict judge_first_reset(const struct armtap_tcp *tcp, enum armtap_direction direction,
                                      const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    if (!side->has_first || armtap_tcp_is_near(segment->seq, side->first))
        return RESET_BELIEVED;
    /* the answer to a SYN that nobody expects has sequence number 0 and an acknowledgement */
    bool is_answer = segment->flags & ARMTAP_TCP_ACK && armtap_tcp_was_seen(peer) &&
                     armtap_tcp_is_near(segment->ack, (uint32_t)peer->next);
    return is_answer ? RESET_BELIEVED : RESET_IGNORED;
}

/* What the receiver of a RST makes of it (RFC 9293, RFC 5961). The byte that it expects next lies between what it
 * acknowledged and the end of what was captured. */
static enum verdict judge_reset(const struct armtap_tcp *tcp, enum armtap_direction direction,
                                const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    if (!armtap_tcp_was_seen(side))
        return judge_first_reset(tcp, direction, segment);
    if (!armtap_tcp_is_near(segment->seq, (uint32_t)side->next))
        return RESET_IGNORED;
    uint64_t position = armtap_tcp_position(side, segment->seq);
    if (tcp->ignored || side->has_end || position == side->highest)
        return RESET_BELIEVED;
    if (position < side->queue.acked)
        return RESET_IGNORED;
    bool is_window_known = peer->has_window && peer->has_isn;
    return is_window_known && position > side->highest + peer->window ? RESET_IGNORED : RESET_UNSURE;
}

/* ---- RSTs of which it is not known what they did ----------------------------------------------------------------- */

/* In the order of what came last. Only those at the byte expected next are believed without a further sign. */
static void leave(struct armtap_tcp *tcp)
{
    struct armtap_tcp_reset *reset = &tcp->reset;
    if (!reset->is_listed)
        return;
    *(reset->older ? &reset->older->reset.newer : &tcp->pool->oldest_reset) = reset->newer;
    *(reset->newer ? &reset->newer->reset.older : &tcp->pool->newest_reset) = reset->older;
    reset->older = reset->newer = NULL;
    reset->is_listed = false;
}

static void enter(struct armtap_tcp *tcp)
{
    struct armtap_tcp_reset *reset = &tcp->reset;
    leave(tcp);
    reset->active_time = tcp->pool->now.time;
    if (!reset->is_exact)
        return;
    reset->older = tcp->pool->newest_reset;
    *(reset->older ? &reset->older->reset.newer : &tcp->pool->oldest_reset) = tcp;
    tcp->pool->newest_reset = tcp;
    reset->is_listed = true;
}

/* The longest that a side was silent between its last segments. */
static int64_t longest_step(const struct armtap_history *history)
{
    int64_t longest = 0;
    for (unsigned i = history->count > STEPS ? history->count - STEPS : 1; i < history->count; i++) {
        int64_t step =
            armtap_tcp_elapsed(armtap_history_segment(history, i)->time, armtap_history_segment(history, i - 1)->time);
        longest = step > longest ? step : longest;
    }
    return longest;
}

/* After so long without a new byte, no more comes: longer than either side was silent between its segments, unless it
 * is silent for longer than that already. */
static int64_t silence_of(const struct armtap_tcp *tcp)
{
    int64_t silence = SILENCE;
    for (int i = 0; i < 2; i++) {
        const struct armtap_history *history = tcp->side[i].history;
        int64_t usual = history ? STEPS_SILENT * longest_step(history) : 0;
        bool is_active =
            usual > 0 &&
            armtap_tcp_elapsed(tcp->pool->now.time, armtap_history_segment(history, history->count - 1)->time) < usual;
        silence = is_active && usual > silence ? usual : silence;
    }
    return silence < SILENCE_MOST ? silence : SILENCE_MOST;
}

struct armtap_tcp *armtap_tcp_overdue(const struct armtap_pool *pool)
{
    struct armtap_tcp *tcp = pool->oldest_reset;
    return tcp && armtap_tcp_elapsed(pool->now.time, tcp->reset.active_time) >= tcp->reset.silence ? tcp : NULL;
}

void armtap_tcp_drop_reset(struct armtap_tcp *tcp)
{
    if (tcp->may_be_reset)
        leave(tcp);
    tcp->may_be_reset = false;
}

/* ---- what it was ------------------------------------------------------------------------------------------------ */

static bool is_foreign(const struct armtap_reset *what)
{
    return what->went_on || what->is_both || what->ttl != what->ttl_of_rest || what->mac != what->mac_of_rest;
}

/* Whether another machine has the sender's address: its packets come from somewhere else, or, from as far away, it
 * answers for a connection that it does not know, and that its owner goes on with. */
static bool is_conflict(const struct armtap_reset *what, bool has_ended)
{
    if (what->mac != what->mac_of_rest)
        return armtap_ttl_hops(what->ttl) == armtap_ttl_hops(what->ttl_of_rest);
    return has_ended && what->went_on && what->is_answer &&
           armtap_ttl_hops(what->ttl) == armtap_ttl_hops(what->ttl_of_rest);
}

/* Somebody else sent it. */
static int tell_foreign(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_reset *what,
                        bool has_ended, const struct armtap_where *where)
{
    static const enum armtap_note_code codes[] = {ARMTAP_NOTE_tcp_foreign_reset, ARMTAP_NOTE_address_conflict};
    char mac[ARMTAP_MAC_TEXT], rest[ARMTAP_MAC_TEXT];
    if (!is_foreign(what))
        return 0;
    armtap_mac_text(what->mac, mac);
    armtap_mac_text(what->mac_of_rest, rest);
    const bool is_other_ttl = what->ttl != what->ttl_of_rest, is_other_mac = what->mac != what->mac_of_rest;
    const struct armtap_arguments *arguments =
        ARGS(arg_direction(armtap_direction_word(direction)), is_other_ttl ? arg_ttl(what->ttl) : arg_none(true),
             is_other_ttl ? arg_ttl_of_rest(what->ttl_of_rest) : arg_none(true),
             is_other_mac ? arg_mac(mac) : arg_none(true), is_other_mac ? arg_mac_of_rest(rest) : arg_none(true),
             arg_case(armtap_reset_case(what)), arg_is_ignored(!has_ended));
    for (unsigned i = 0; i < 1U + is_conflict(what, has_ended); i++)
        TRY(tcp->calls->note(tcp->user, direction, codes[i], where, arguments));
    return 0;
}

/* It ended nothing. */
static int refute(struct armtap_tcp *tcp)
{
    armtap_tcp_drop_reset(tcp);
    tcp->reset.what.went_on = true;
    return tell_foreign(tcp, tcp->reset.direction, &tcp->reset.what, false, &tcp->reset.where);
}

/* The robot goes on, though its client's system answers all by RSTs: they go somewhere else. */
static int tell_unheard(struct armtap_tcp *tcp)
{
    const struct armtap_tcp_reset *reset = &tcp->reset;
    bool is_unheard = reset->is_unheard && reset->repeated == REPEATS && !is_foreign(&reset->what);
    if (!is_unheard || reset->direction != ARMTAP_TO_ROBOT || armtap_tcp_is_closed(tcp))
        return 0;
    return tcp->calls->note(tcp->user, ARMTAP_TO_ROBOT, ARMTAP_NOTE_address_conflict, &reset->where,
                            ARGS(arg_case(ARMTAP_WORD_not_reached)));
}

int armtap_tcp_confirm_reset(struct armtap_tcp *tcp)
{
    const struct armtap_tcp_reset *reset = &tcp->reset;
    struct armtap_tcp_side *peer = &tcp->side[!reset->direction];
    leave(tcp);
    if (!is_foreign(&reset->what) && peer->sender.heard_time <= reset->where.time)
        armtap_queue_acknowledge(&peer->queue, reset->acked < peer->highest ? reset->acked : peer->highest);
    TRY(tell_foreign(tcp, reset->direction, &reset->what, !armtap_tcp_is_closed(tcp), &reset->where));
    TRY(tell_unheard(tcp));
    TRY(armtap_tcp_end(tcp, reset->direction, ARMTAP_CLOSE_RESET, reset->is_doubtful, &reset->where));
    tcp->may_be_reset = false;
    return 0;
}

/* ---- what comes later ------------------------------------------------------------------------------------------- */

/* Up to where a side sent, a FIN included. */
static uint64_t sent_by(const struct armtap_tcp_side *side)
{
    return side->highest + side->has_end;
}

/* Whether a segment acknowledges all up to there. */
static bool acks_up_to(const struct armtap_segment *segment, uint32_t end)
{
    return segment->flags & ARMTAP_TCP_ACK && (int32_t)(segment->ack - end) >= 0;
}

/* A segment of the side in whose name the RST came, which sent nothing more if it was its own. */
static bool refutes_own(struct armtap_tcp *tcp, const struct armtap_segment *segment, uint32_t end)
{
    struct armtap_tcp_reset *reset = &tcp->reset;
    bool has_more = reset->has_beyond && (int32_t)(end - reset->beyond) > 0;
    bool hears_more = reset->has_sent && acks_up_to(segment, reset->sent + 1);
    reset->what.went_on = reset->what.went_on || has_more || hears_more;
    return reset->what.went_on && (reset->is_late || !armtap_tcp_is_heard(&tcp->side[!reset->direction]));
}

/* A segment of its receiver: does it have what was captured later, or speak when it would long have heard of the RST?
 */
static bool refutes_other(struct armtap_tcp *tcp, const struct armtap_segment *segment, bool is_new)
{
    struct armtap_tcp_reset *reset = &tcp->reset;
    const struct armtap_tcp_side *sender = &tcp->side[reset->direction];
    bool has_more = acks_up_to(segment, reset->beyond + 1) && armtap_tcp_is_near(segment->ack, reset->beyond) &&
                    (armtap_tcp_distance(segment->ack, sent_by(sender)) <= 0 || acks_up_to(segment, reset->seq + 1));
    if (reset->has_beyond && has_more)
        return true;
    reset->is_late = reset->is_late || armtap_tcp_elapsed(tcp->pool->now.time, reset->where.time) >= LATER;
    reset->is_unheard = reset->is_unheard || (reset->is_late && is_new);
    return reset->is_late && (reset->what.went_on || (is_new && !armtap_tcp_is_heard(sender)));
}

int armtap_tcp_doubt_reset(struct armtap_tcp *tcp, enum armtap_direction direction,
                           const struct armtap_segment *segment)
{
    struct armtap_tcp_reset *reset = &tcp->reset;
    const struct armtap_tcp_side *side = &tcp->side[direction];
    uint32_t end = armtap_tcp_end_of(segment) + (segment->flags & ARMTAP_TCP_FIN ? 1 : 0);
    bool is_own = direction == reset->direction;
    bool is_new = armtap_tcp_was_seen(side) && armtap_tcp_distance(end, sent_by(side)) > 0;
    if (is_new)
        enter(tcp);
    if (armtap_tcp_elapsed(tcp->pool->now.time, reset->where.time) < AT_ONCE)
        return 0;
    if (is_own ? refutes_own(tcp, segment, end) : refutes_other(tcp, segment, is_new))
        return refute(tcp);
    /* what ends by FIN before the other side can have noticed a RST of which nothing else tells, and lacks nothing
     * before it */
    bool ends = segment->flags & ARMTAP_TCP_FIN && !is_own && reset->is_exact && !is_foreign(&reset->what) &&
                armtap_tcp_distance(segment->seq, side->next) <= 0 && !tcp->side[!direction].queue.head;
    return ends ? armtap_tcp_confirm_reset(tcp) : 0;
}

/* ---- a RST comes ------------------------------------------------------------------------------------------------ */

/* How far the peer's bytes are acknowledged by the time of a RST, which is no packet of the stream. */
static uint64_t acked_by(const struct armtap_tcp_side *peer, const struct armtap_segment *segment)
{
    bool counts = segment->flags & ARMTAP_TCP_ACK && armtap_tcp_was_seen(peer) &&
                  armtap_tcp_is_near(segment->ack, (uint32_t)peer->next);
    uint64_t position = counts ? armtap_tcp_position(peer, segment->ack) : 0;
    return position > peer->queue.acked ? position : peer->queue.acked;
}

static uint64_t unacknowledged(const struct armtap_tcp_side *side)
{
    uint64_t acked = side->queue.acked > side->passed ? side->queue.acked : side->passed;
    return acked && side->highest > acked ? side->highest - acked : 0;
}

static struct armtap_reset what_of(const struct armtap_tcp *tcp, enum armtap_direction direction,
                                   const struct armtap_segment *segment)
{
    const struct armtap_tcp_side *side = &tcp->side[direction];
    return (struct armtap_reset){
        /* a system answers what comes for a socket that it lacks without an acknowledgement (RFC 9293, 3.10.7.1) */
        .is_answer = !(segment->flags & ARMTAP_TCP_ACK),
        .ttl = segment->ttl,
        .ttl_of_rest = armtap_tcp_is_other_ttl(side, segment) ? side->ttl : segment->ttl,
        .mac = segment->mac,
        .mac_of_rest = armtap_tcp_is_other_mac(side, segment) ? side->mac : segment->mac,
        .unread = unacknowledged(&tcp->side[!direction])};
}

static void begin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment,
                  bool is_exact, const struct armtap_reset *what)
{
    struct armtap_tcp_side *side = &tcp->side[direction], *peer = &tcp->side[!direction];
    uint64_t acked = acked_by(peer, segment), sent = sent_by(peer);
    bool was_seen = armtap_tcp_was_seen(side);
    uint32_t beyond = was_seen ? (uint32_t)sent_by(side) : side->first;
    side->may_answer = armtap_tcp_acks_unseen(peer, segment);
    tcp->reset = (struct armtap_tcp_reset){.is_doubtful = armtap_tcp_may_answer(tcp, direction, acked, &tcp->pool->now),
                                           .direction = direction,
                                           .is_exact = is_exact,
                                           .what = *what,
                                           .has_beyond = was_seen || side->has_first,
                                           .beyond = beyond,
                                           .seq = (int32_t)(segment->seq - beyond) > 0 ? segment->seq : beyond,
                                           .has_sent = armtap_tcp_was_seen(peer) || segment->flags & ARMTAP_TCP_ACK,
                                           .sent = !armtap_tcp_was_seen(peer) ? segment->ack
                                                                              : (uint32_t)(sent > acked ? sent : acked),
                                           .acked = acked,
                                           .silence = silence_of(tcp),
                                           .where = tcp->pool->now};
    tcp->may_be_reset = true;
    enter(tcp);
}

/* Whether a further RST shows more than the one before. */
static bool replaces(const struct armtap_tcp *tcp, enum armtap_direction direction, bool is_exact,
                     const struct armtap_reset *what)
{
    const struct armtap_tcp_reset *before = &tcp->reset;
    bool went_on = before->what.went_on, is_closed = tcp->side[direction].has_end;
    if (!is_exact)
        return false;
    if (direction == before->direction)
        return went_on || !before->is_exact;
    /* its receiver has the connection no longer: perhaps because of the one before, unless it closed it itself */
    return what->is_answer && !is_closed ? !before->is_exact && !went_on : !before->is_exact || went_on;
}

/* Whether somebody resets both sides: who has got a RST sends none of its own. */
static bool is_of_both(const struct armtap_tcp *tcp, const struct armtap_reset *what)
{
    const struct armtap_tcp_reset *before = &tcp->reset;
    return before->is_exact && !before->what.is_answer && !what->is_answer && !before->is_doubtful &&
           armtap_tcp_elapsed(tcp->pool->now.time, before->where.time) < LATER;
}

int armtap_tcp_take_reset(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment)
{
    struct armtap_tcp_reset *before = &tcp->reset;
    enum verdict verdict = judge_reset(tcp, direction, segment);
    const struct armtap_reset what = what_of(tcp, direction, segment);
    bool is_exact = verdict == RESET_BELIEVED;
    if (verdict == RESET_IGNORED)
        return tell_foreign(tcp, direction, &what, false, &tcp->pool->now);
    if (!tcp->may_be_reset) {
        begin(tcp, direction, segment, is_exact, &what);
        return tcp->is_made ? armtap_tcp_confirm_reset(tcp) : 0;
    } else if (replaces(tcp, direction, is_exact, &what)) {
        TRY(tell_foreign(tcp, before->direction, &before->what, false, &before->where));
        leave(tcp);
        begin(tcp, direction, segment, is_exact, &what);
    } else if (is_exact && direction == before->direction) {
        before->repeated = (uint8_t)(before->repeated + (before->repeated < REPEATS));
    } else if (is_exact) {
        before->what.is_both = before->what.is_both || is_of_both(tcp, &what);
        before->is_exact = true;
        enter(tcp);
    }
    return 0;
}
