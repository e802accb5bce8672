#include "sender.h"

enum {
    STEP_MOST = 1024, /* packets to other peers between two of one connection, if they share a counter of IP ids */
    SCORE_MOST = 16,
    SCORE_LEAST = -16,
    SCORE_THAT_PROVES = 8,
    COUNTED = 1, /* added for an id that counts up */
    JUMPED = 4,  /* subtracted for one that does not */
    REPORTS_THAT_ASK = 3,
    ECHOES_A_ROUND = 64,
    ECHOES_THAT_TELL = 16,
    REPEATS = 3, /* ids in a row that do not change: they are all the same */
    TICKS_LEAST = 8,
    REPAIRS_THAT_TELL = 4
};
#define JITTER INT64_C(40000)          /* ns: repairs are alike that differ by less, and a 16th */
#define REPAIR_STEP INT64_C(4000)      /* ns: what is kept of their time, up to 262 ms; later, a timer repaired it */
#define TICK_SLOWEST INT64_C(10000000) /* ns: a clock of 100 Hz */
#define ROUND_TRIP_MOST INT64_C(60000000000) /* ns: anything longer is not a round trip */

static int32_t clock_difference(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

static int16_t id_difference(uint16_t a, uint16_t b)
{
    return (int16_t)(uint16_t)(a - b);
}

/* ---- what comes ------------------------------------------------------------------------------------------------ */

static void take_id(struct armtap_sender *sender, uint16_t ip_id)
{
    int16_t step = id_difference(ip_id, sender->ip_id);
    if (sender->has_id) {
        int score = sender->id_score + (step > 0 && step <= STEP_MOST ? COUNTED : -JUMPED);
        sender->id_score = (int8_t)(score > SCORE_MOST ? SCORE_MOST : score < SCORE_LEAST ? SCORE_LEAST : score);
    }
    if (step)
        sender->id_repeats = 0;
    else if (sender->has_id && sender->id_repeats < REPEATS)
        sender->id_repeats++;
    sender->has_id = true;
    sender->ip_id = ip_id;
}

void armtap_sender_sent(struct armtap_sender *sender, uint16_t ip_id, uint64_t end, int64_t time)
{
    take_id(sender, ip_id);
    sender->resent_times = 0;
    armtap_sender_measure(sender, end, time);
}

void armtap_sender_measure(struct armtap_sender *sender, uint64_t end, int64_t now)
{
    if (sender->is_measured || now == ARMTAP_NO_TIME)
        return;
    sender->is_measured = true;
    sender->measured_end = end;
    sender->measured_time = now;
}

void armtap_sender_resent(struct armtap_sender *sender, uint64_t start)
{
    bool is_further = clock_difference((uint32_t)start, sender->resent_from) > 0;
    sender->is_measured = false;
    if (is_further)
        sender->resent_times = 0;
    if (sender->resent_times < UINT16_MAX)
        sender->resent_times++;
    sender->resent_from = (uint32_t)start;
}

/* At least 1; 0 without a clock, or with a nonsensical one. */
static int64_t time_between(int64_t from, int64_t to)
{
    uint64_t time = (uint64_t)to - (uint64_t)from;
    if (to == ARMTAP_NO_TIME || to < from || time > INT64_MAX)
        return 0;
    return time ? (int64_t)time : 1;
}

static void keep_shorter(int64_t *shortest, int64_t time)
{
    if (time && time <= ROUND_TRIP_MOST && (!*shortest || time < *shortest))
        *shortest = time;
}

static void take_echo(struct armtap_echoes *echoes, int64_t time)
{
    keep_shorter(&echoes->shortest, time);
    if (++echoes->count < ECHOES_A_ROUND)
        return;
    echoes->rounds[echoes->round++ % 3] = echoes->shortest;
    echoes->shortest = 0;
    echoes->count = 0;
}

void armtap_sender_ticked(struct armtap_sender *sender, const struct armtap_segment *segment, int64_t now)
{
    bool is_newer = !sender->has_clock || clock_difference(segment->tsval, sender->newest_tsval) > 0;
    if (!segment->has_timestamps || now == ARMTAP_NO_TIME || !is_newer)
        return;
    if (!sender->has_clock) {
        sender->has_clock = true;
        sender->first_tsval = segment->tsval;
        sender->first_time = now;
    }
    sender->newest_tsval = segment->tsval;
    sender->newest_time = now;
    if (!sender->is_echo_awaited) {
        sender->is_echo_awaited = true;
        sender->echo = segment->tsval;
        sender->echo_time = now;
    }
}

void armtap_sender_echoed(struct armtap_sender *sender, const struct armtap_segment *segment, int64_t now)
{
    if (!sender->is_echo_awaited || !segment->has_timestamps || clock_difference(segment->tsecr, sender->echo) < 0)
        return;
    sender->is_echo_awaited = false;
    if (segment->tsecr == sender->echo)
        take_echo(&sender->echoes, time_between(sender->echo_time, now));
}

/* A block below the acknowledgement is bytes that came twice (DSACK): nothing is lacking before them. One that lies
 * within the block behind it is among bytes that the peer has, anyway. */
static bool is_duplicate_report(const struct armtap_segment *segment, unsigned i)
{
    return (int32_t)(segment->sack[i].end - segment->ack) <= 0;
}

/* It reports bytes behind a hole; without SACK, it only repeats what was acknowledged before. */
static bool is_report(const struct armtap_sender *sender, const struct armtap_segment *segment, uint64_t acked)
{
    if (segment->length + segment->cut)
        return false;
    return segment->sack_count ? segment->sack_count > 1 || !is_duplicate_report(segment, 0) : acked == sender->acked;
}

static void take_report(struct armtap_sender *sender, uint64_t acked, int64_t now)
{
    sender->reports++;
    if (sender->reports == 1 || sender->reports == REPORTS_THAT_ASK)
        sender->asked_time = now;
    sender->hole = sender->reports < REPORTS_THAT_ASK ? acked : UINT64_MAX;
}

/* The peer got the missing bytes, resent or late, before it asked a third time. */
static void take_repair(struct armtap_sender *sender, int64_t now)
{
    int64_t steps = time_between(sender->asked_time, now) / REPAIR_STEP;
    if (sender->reports >= REPORTS_THAT_ASK || steps > UINT16_MAX)
        return;
    sender->repairs[sender->repair_count++ % ARMTAP_REPAIRS] = (uint16_t)steps;
    if (sender->repair_count == 2 * ARMTAP_REPAIRS)
        sender->repair_count = ARMTAP_REPAIRS;
}

void armtap_sender_heard(struct armtap_sender *sender, const struct armtap_segment *segment, uint64_t acked,
                         int64_t now)
{
    if (sender->is_measured && acked >= sender->measured_end) {
        sender->is_measured = false;
        keep_shorter(&sender->acked_after, time_between(sender->measured_time, now));
    }
    if (acked < sender->acked)
        return;
    if (acked > sender->acked && sender->reports)
        take_repair(sender, now);
    if (acked > sender->acked) {
        sender->reports = 0;
        sender->resent_times = 0;
        sender->grown_time = now == ARMTAP_NO_TIME ? 0 : now;
    }
    if (is_report(sender, segment, acked))
        take_report(sender, acked, now);
    sender->acked = acked;
    sender->heard_time = now;
    sender->block_count = 0;
    for (unsigned i = 0; i < segment->sack_count; i++) {
        if (is_duplicate_report(segment, i))
            continue;
        uint64_t start = acked + (uint64_t)(int64_t)(int32_t)(segment->sack[i].start - segment->ack);
        uint64_t end = acked + (uint64_t)(int64_t)(int32_t)(segment->sack[i].end - segment->ack);
        sender->blocks[sender->block_count].start = start;
        sender->blocks[sender->block_count++].end = end;
        if (end > sender->sacked_to)
            sender->sacked_to = end;
    }
}

/* Of bytes that were captured before is known since when they wait; of others, since when the peer had nothing new. */
struct armtap_resent armtap_sender_resent_what(const struct armtap_sender *sender, uint64_t end, int64_t after,
                                               bool is_missed, int64_t now)
{
    struct armtap_resent what = {.is_acknowledged = sender->acked >= end && sender->acked > 0,
                                 .is_missed = is_missed,
                                 .times = sender->resent_times,
                                 .late = after};
    int64_t still = sender->grown_time && now >= sender->grown_time ? time_between(sender->grown_time, now) : -1;
    if (still >= 0 && (what.is_acknowledged || is_missed || after < 0))
        what.late = still;
    return what;
}

/* ---- what it tells --------------------------------------------------------------------------------------------- */

bool armtap_sender_lacks(const struct armtap_sender *sender, uint64_t start, uint64_t end)
{
    if (!sender->acked || start < sender->acked)
        return false;
    if (!sender->sacked_to)
        return start == sender->acked && sender->reports >= REPORTS_THAT_ASK;
    if (end > sender->sacked_to)
        return false;
    for (unsigned i = 0; i < sender->block_count; i++)
        if (sender->blocks[i].start <= start && end <= sender->blocks[i].end)
            return false;
    return true;
}

int64_t armtap_sender_asked_since(const struct armtap_sender *sender, uint64_t start, int64_t now)
{
    if (start != sender->acked || sender->reports < REPORTS_THAT_ASK || now < sender->asked_time)
        return -1;
    return (int64_t)((uint64_t)now - (uint64_t)sender->asked_time);
}

int64_t armtap_sender_lacked_for(const struct armtap_sender *sender, uint64_t start, int64_t now)
{
    return start == sender->hole ? time_between(sender->asked_time, now) : 0;
}

bool armtap_sender_usually_repairs(const struct armtap_sender *sender, int64_t after)
{
    unsigned count = sender->repair_count < ARMTAP_REPAIRS ? sender->repair_count : ARMTAP_REPAIRS, alike = 0;
    int64_t near = after / 16 + JITTER;
    for (unsigned i = 0; after > 0 && i < count; i++) {
        int64_t repair = sender->repairs[i] * REPAIR_STEP;
        alike += repair > after - near && repair < after + near;
    }
    return alike >= REPAIRS_THAT_TELL && alike * 8 >= count * 3;
}

static int64_t echoed_after(const struct armtap_echoes *echoes)
{
    int64_t a = echoes->rounds[0], b = echoes->rounds[1], c = echoes->rounds[2];
    if (!c)
        return a ? a : echoes->shortest;
    int64_t less = a < b ? a : b, more = a < b ? b : a;
    return c < less ? less : c > more ? more : c;
}

int64_t armtap_sender_round_trip(const struct armtap_sender *sender)
{
    int64_t shortest = sender->acked_after;
    keep_shorter(&shortest, echoed_after(&sender->echoes));
    return shortest;
}

bool armtap_sender_has_echoes(const struct armtap_sender *sender)
{
    return sender->echoes.round || sender->echoes.count >= ECHOES_THAT_TELL;
}

int64_t armtap_sender_tick(const struct armtap_sender *sender)
{
    int32_t ticks = clock_difference(sender->newest_tsval, sender->first_tsval);
    int64_t time = time_between(sender->first_time, sender->newest_time);
    if (ticks < TICKS_LEAST || time <= 0 || time / ticks > TICK_SLOWEST)
        return TICK_SLOWEST;
    return time / ticks;
}

static enum armtap_order order_of(int32_t difference)
{
    return difference < 0 ? ARMTAP_ORDER_BEFORE : difference > 0 ? ARMTAP_ORDER_AFTER : ARMTAP_ORDER_UNKNOWN;
}

/* IP ids order packets where they count up: two that lie near each other, and one from there to just beyond the last;
 * an id of 0 is none, and one that is far from all others was not counted. */
static enum armtap_order order_of_ids(const struct armtap_sender *sender, uint16_t a, uint16_t b)
{
    int16_t step = id_difference(a, b);
    bool is_near = step >= -STEP_MOST && step <= STEP_MOST;
    bool is_counted = step > 0 && id_difference(a, sender->ip_id) <= STEP_MOST && sender->id_score == SCORE_MOST;
    return sender->id_score >= 0 && a && b && (is_near || is_counted) ? order_of(step) : ARMTAP_ORDER_UNKNOWN;
}

/* What only grows while a sender sends: its clock, the peer's that it echoes, and what it acknowledges. */
static enum armtap_order order_of_clocks(const struct armtap_sent *a, const struct armtap_sent *b)
{
    enum armtap_order order = ARMTAP_ORDER_UNKNOWN;
    if (a->has_timestamps && b->has_timestamps)
        order = order_of(clock_difference(a->tsval, b->tsval));
    if (!order && a->has_timestamps && b->has_timestamps)
        order = order_of(clock_difference(a->tsecr, b->tsecr));
    return order ? order : order_of(clock_difference(a->ack, b->ack));
}

enum armtap_order armtap_sender_order(const struct armtap_sender *sender, const struct armtap_sent *a,
                                      const struct armtap_sent *b)
{
    enum armtap_order order = order_of_clocks(a, b);
    return order ? order : order_of_ids(sender, a->ip_id, b->ip_id);
}

bool armtap_sender_order_is_proven(const struct armtap_sender *sender, const struct armtap_sent *a,
                                   const struct armtap_sent *b)
{
    return order_of_clocks(a, b) || (sender->id_score >= SCORE_THAT_PROVES && order_of_ids(sender, a->ip_id, b->ip_id));
}

bool armtap_sender_ids_differ(const struct armtap_sender *sender)
{
    return sender->id_repeats < REPEATS;
}
