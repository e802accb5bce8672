#include "attempt.h"

/* ns: an answer within a network takes milliseconds, SYNs are sent again after 1, 3 and 7 s */
#define PATIENCE INT64_C(3000000000)
/* ns: sooner, a SYN comes again as a copy, or after a RST (Windows tries again within 0.5 s) */
#define RESEND_TIME INT64_C(800000000)
/* ns after a pause of the whole capture: if only its clock was set forward, the answer comes by then */
#define AFTER_PAUSE INT64_C(1000000000)

/* ns between two places; 0 if unknown or if the clock went back. */
static int64_t elapsed(const struct armtap_where *from, const struct armtap_where *to)
{
    if (from->time == ARMTAP_NO_TIME || to->time == ARMTAP_NO_TIME || to->time < from->time)
        return 0;
    uint64_t time = (uint64_t)to->time - (uint64_t)from->time;
    return time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

static void unlink_waiting(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt)
{
    if (attempt->state != ARMTAP_FLOW_ATTEMPT_WAITING)
        return;
    *(attempt->older ? &attempt->older->newer : &attempts->oldest) = attempt->newer;
    *(attempt->newer ? &attempt->newer->older : &attempts->newest) = attempt->older;
    attempt->older = attempt->newer = NULL;
}

static void leave(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                  enum armtap_flow_attempt_state state)
{
    unlink_waiting(attempts, attempt);
    attempt->state = state;
}

static void wait_as_newest(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt)
{
    attempt->state = ARMTAP_FLOW_ATTEMPT_WAITING;
    attempt->newer = NULL;
    attempt->older = attempts->newest;
    *(attempts->newest ? &attempts->newest->newer : &attempts->oldest) = attempt;
    attempts->newest = attempt;
}

void armtap_flow_attempts_tick(struct armtap_flow_attempts *attempts, const struct armtap_where *now)
{
    uint64_t step = (uint64_t)now->time - (uint64_t)attempts->last.time;
    if (step < (uint64_t)PATIENCE && now->file == attempts->last.file) {
        attempts->last = *now;
        return;
    }
    bool paused = attempts->last.packet && now->file != attempts->last.file && elapsed(&attempts->last, now) > PATIENCE;
    for (struct armtap_flow_attempt *attempt = paused ? attempts->oldest : NULL, *newer; attempt; attempt = newer) {
        newer = attempt->newer;
        if (attempt->syns == 1)
            leave(attempts, attempt, ARMTAP_FLOW_ATTEMPT_NONE);
    }
    if (attempts->last.packet && elapsed(&attempts->last, now) >= PATIENCE) {
        attempts->before_pause = attempts->last;
        attempts->after_pause = *now;
    }
    attempts->last = *now;
}

/* Nobody answered a single SYN only because nothing at all was captured for a while, or the capture's clock was set
 * forward; what comes next tells. */
static bool is_in_doubt(const struct armtap_flow_attempts *attempts, const struct armtap_flow_attempt *attempt)
{
    const struct armtap_where *pause = &attempts->after_pause;
    return attempt->syns == 1 && pause->packet && elapsed(pause, &attempts->last) < AFTER_PAUSE &&
           elapsed(&attempt->last, pause) >= PATIENCE && elapsed(&attempt->last, &attempts->before_pause) < PATIENCE;
}

struct armtap_flow_attempt *armtap_flow_attempts_overdue(const struct armtap_flow_attempts *attempts)
{
    struct armtap_flow_attempt *oldest = attempts->oldest;
    if (!oldest || elapsed(&oldest->last, &attempts->last) < PATIENCE || is_in_doubt(attempts, oldest))
        return NULL;
    return oldest;
}

/* Whether a segment is a SYN of another attempt than the current one. */
static bool is_other(const struct armtap_flow_attempt *attempt, unsigned sender, const struct armtap_segment *segment)
{
    return (segment->flags & (ARMTAP_TCP_SYN | ARMTAP_TCP_ACK)) == ARMTAP_TCP_SYN &&
           (attempt->state == ARMTAP_FLOW_ATTEMPT_NONE || attempt->client != sender || attempt->isn != segment->seq);
}

void armtap_flow_attempt_ask(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                             unsigned sender, const struct armtap_segment *segment)
{
    const struct armtap_where *now = &attempts->last;
    if (is_other(attempt, sender, segment)) {
        unlink_waiting(attempts, attempt);
        *attempt =
            (struct armtap_flow_attempt){.early_ack = attempt->early_ack,
                                         .early = attempt->early,
                                         .client = sender,
                                         .isn = segment->seq,
                                         .acknowledged = segment->seq + 1 + (uint32_t)(segment->length + segment->cut),
                                         .syns = 1,
                                         .first = *now,
                                         .last = *now};
        wait_as_newest(attempts, attempt);
        return;
    }
    attempt->syns += elapsed(&attempt->last, now) >= RESEND_TIME;
    attempt->last = *now;
    if (attempt->state == ARMTAP_FLOW_ATTEMPT_WAITING) {
        unlink_waiting(attempts, attempt);
        wait_as_newest(attempts, attempt);
    }
}

/* Whether an acknowledgement answers the SYN. */
static bool answers(const struct armtap_flow_attempt *attempt, const struct armtap_segment *segment)
{
    return segment->flags & ARMTAP_TCP_ACK && segment->ack != attempt->isn &&
           segment->ack - attempt->isn <= attempt->acknowledged - attempt->isn;
}

void armtap_flow_attempt_hear_early(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                                    const struct armtap_segment *segment)
{
    enum { REFUSAL = ARMTAP_TCP_RST | ARMTAP_TCP_ACK };
    if (attempt->state != ARMTAP_FLOW_ATTEMPT_NONE || (segment->flags & REFUSAL) != REFUSAL || segment->seq != 0)
        return;
    attempt->early_ack = segment->ack;
    attempt->early = attempts->last;
}

bool armtap_flow_attempt_was_refused(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                                     struct armtap_where *where)
{
    bool is_early = attempt->early.packet && elapsed(&attempt->early, &attempts->last) < PATIENCE;
    if (!is_early || attempt->state != ARMTAP_FLOW_ATTEMPT_WAITING || attempt->early_ack != attempt->acknowledged)
        return false;
    *where = attempt->early;
    leave(attempts, attempt, ARMTAP_FLOW_ATTEMPT_REFUSED);
    return true;
}

bool armtap_flow_attempt_unreachable(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt,
                                     unsigned sender, const struct armtap_segment *segment)
{
    bool is_open = attempt->state == ARMTAP_FLOW_ATTEMPT_WAITING || attempt->state == ARMTAP_FLOW_ATTEMPT_UNANSWERED;
    if (!is_open || sender != attempt->client || segment->seq != attempt->isn)
        return false;
    leave(attempts, attempt, ARMTAP_FLOW_ATTEMPT_UNREACHABLE);
    return true;
}

enum armtap_flow_attempt_state armtap_flow_attempt_hear(struct armtap_flow_attempts *attempts,
                                                        struct armtap_flow_attempt *attempt, unsigned sender,
                                                        const struct armtap_segment *segment)
{
    enum armtap_flow_attempt_state was = attempt->state, is = ARMTAP_FLOW_ATTEMPT_NONE;
    if (was == ARMTAP_FLOW_ATTEMPT_NONE || was == ARMTAP_FLOW_ATTEMPT_CONNECTED)
        return ARMTAP_FLOW_ATTEMPT_NONE;
    if (sender == attempt->client)
        is =
            segment->flags & ARMTAP_TCP_ACK && !(segment->flags & ARMTAP_TCP_RST) ? ARMTAP_FLOW_ATTEMPT_CONNECTED : was;
    else if (answers(attempt, segment))
        is = segment->flags & ARMTAP_TCP_RST ? ARMTAP_FLOW_ATTEMPT_REFUSED : ARMTAP_FLOW_ATTEMPT_CONNECTED;
    if (is == was)
        return ARMTAP_FLOW_ATTEMPT_NONE;
    leave(attempts, attempt, is);
    return is;
}

bool armtap_flow_attempt_give_up(struct armtap_flow_attempts *attempts, struct armtap_flow_attempt *attempt)
{
    bool sure = attempt->syns > 1 || elapsed(&attempt->last, &attempts->last) >= PATIENCE;
    if (attempt->state != ARMTAP_FLOW_ATTEMPT_WAITING)
        return false;
    leave(attempts, attempt, sure ? ARMTAP_FLOW_ATTEMPT_UNANSWERED : ARMTAP_FLOW_ATTEMPT_NONE);
    return sure;
}
