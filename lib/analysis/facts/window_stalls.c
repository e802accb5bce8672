#include "analysis/facts/detectors.h"

#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "analysis/facts/flow_rate.h"
#include "analysis/numbers.h"
#include "nanoseconds.h"

void armtap_stalls_free(struct stalls *stalls)
{
    free(stalls->all);
    *stalls = (struct stalls){0};
}

/* `then`: what ended it; none: there was room again. */
static void report(struct findings *findings, const struct stall *stall, const struct armtap_where *until,
                   enum armtap_word then)
{
    double seconds = armtap_time_seconds(stall->from.time, until->time);
    const struct fact fact = {
        .code = ARMTAP_FINDING_tcp_zero_window,
        .stream = &stall->stream,
        .where = &stall->from,
        .arguments = ARGS(arg_who(stall->direction == ARMTAP_FROM_ROBOT ? ARMTAP_WORD_robot : ARMTAP_WORD_client),
                          seconds >= 0 ? arg_duration_s(seconds) : arg_none(true), arg_until(then))};
    armtap_findings_raise(findings, &fact);
}

enum armtap_word armtap_stalls_close_word(const struct armtap_event *event)
{
    return event->a == ARMTAP_CLOSE_END_OF_CAPTURE ? ARMTAP_WORD_capture_end : ARMTAP_WORD_connection_end;
}

static struct stall *stall_of(const struct stalls *stalls, uint64_t connection, enum armtap_direction direction)
{
    for (size_t i = 0; i < stalls->count; i++)
        if (stalls->all[i].stream.connection == connection && stalls->all[i].direction == direction)
            return &stalls->all[i];
    return NULL;
}

static int begin(struct stalls *stalls, struct findings *findings, const struct armtap_event *event)
{
    struct stall stall = {*event->stream, event->direction, event->where};
    if (stalls->count == STALLS_MAX) {
        const struct armtap_where nowhere = {.size = sizeof nowhere, .time = ARMTAP_NO_TIME};
        report(findings, &stall, &nowhere, ARMTAP_WORD_none);
        return 0;
    }
    if (!MAKE_ROOM(stalls->all, stalls->count))
        return -1;
    stalls->all[stalls->count++] = stall;
    return 0;
}

static void end(struct stalls *stalls, struct findings *findings, struct stall *stall, const struct armtap_where *until,
                enum armtap_word then)
{
    report(findings, stall, until, then);
    *stall = stalls->all[--stalls->count];
}

static void end_at_close(struct stalls *stalls, struct findings *findings, const struct armtap_event *event,
                         enum armtap_direction direction)
{
    struct stall *stall = stall_of(stalls, event->stream->connection, direction);
    if (stall)
        end(stalls, findings, stall, &event->where, armtap_stalls_close_word(event));
}

int armtap_stalls_event(struct stalls *stalls, struct findings *findings, const struct armtap_event *event)
{
    struct stall *stall = stall_of(stalls, event->stream->connection, event->direction);
    if (event->type == ARMTAP_EVENT_WINDOW && event->a == 0)
        return stall ? 0 : begin(stalls, findings, event);
    if (stall && event->type == ARMTAP_EVENT_WINDOW)
        end(stalls, findings, stall, &event->where, ARMTAP_WORD_none);
    if (event->type == ARMTAP_EVENT_CLOSE) {
        end_at_close(stalls, findings, event, event->direction);
        /* A FIN ends its sender's stall; anything else ends both. */
        if (event->a != ARMTAP_CLOSE_FIN)
            end_at_close(stalls, findings, event, !event->direction);
    }
    return 0;
}

/* ---- windows that are too small for a message ------------------------------------------------------------------ */

/* bytes: TCP cuts longer messages into packets. */
#define PACKET 1460
/* ns, and steps: as for the finding `silence`. */
#define SILENCE (2 * SECOND)
#define SILENT_STEPS 3
/* A window explains the time without data if it was narrow all the time, but for this share, and for a step. */
#define WIDE 0.1

static bool is_too_small(uint64_t window, size_t message)
{
    return window < (message < PACKET ? message : PACKET);
}

void armtap_narrow_event(struct narrow_window *narrow, const struct armtap_event *event, size_t message)
{
    /* Nobody waits for data between PAUSE and START. */
    if (event->type == ARMTAP_EVENT_PAUSE || event->type == ARMTAP_EVENT_START)
        *narrow = (struct narrow_window){.is_paused = event->type == ARMTAP_EVENT_PAUSE};
    if (event->type != ARMTAP_EVENT_WINDOW || event->direction != ARMTAP_TO_ROBOT || narrow->is_paused)
        return;
    bool is_open = !is_too_small(event->a, message), is_full = event->a == 0;
    bool begins = !is_open && !is_full && !event->doubtful && (narrow->from.packet == 0 || narrow->open.packet > 0);
    if (begins)
        *narrow = (struct narrow_window){.from = event->where, .room = event->a};
    if (narrow->from.packet == 0)
        return;
    if ((is_open || is_full) && narrow->until.packet == 0)
        narrow->until = event->where;
    if (is_open)
        narrow->open = event->where;
    else if (narrow->until.packet == 0 && event->a > narrow->room)
        narrow->room = event->a;
}

/* Whether the window was too small nearly all the time. */
static bool is_reason(const struct narrow_window *narrow, const struct narrow_end *end)
{
    const struct armtap_where *open = end->close ? &end->now : &narrow->open;
    double time = armtap_time_seconds(end->last.time, end->now.time);
    double narrow_time = armtap_time_seconds(narrow->from.time, open->time);
    bool is_silence = !end->is_after_gap && time * 1e9 > SILENCE && time > SILENT_STEPS * end->usual;
    return (end->is_skip || is_silence) && narrow_time >= 0 && is_too_small(narrow->room, end->message) &&
           time - narrow_time <= WIDE * time + end->usual;
}

static void report_narrow(struct findings *findings, const struct narrow_window *narrow, const struct narrow_end *end)
{
    const struct armtap_where *until = end->close ? &end->now : &narrow->until;
    const struct fact fact = {
        .code = ARMTAP_FINDING_tcp_zero_window,
        .stream = end->stream,
        .where = &narrow->from,
        .arguments = ARGS(arg_who(ARMTAP_WORD_client), arg_bytes(narrow->room), arg_message_bytes(end->message),
                          arg_duration_s(armtap_time_seconds(narrow->from.time, until->time)), arg_until(end->close))};
    armtap_findings_raise(findings, &fact);
}

bool armtap_narrow_end(struct narrow_window *narrow, struct findings *findings, const struct narrow_end *end)
{
    bool is_full = narrow->until.packet > 0 && narrow->open.packet == 0; /* now: a stall of its own */
    bool is_over = narrow->open.packet > 0 || end->close;
    bool is_told = narrow->from.packet > 0 && is_over && !is_full && end->last.packet > 0 && is_reason(narrow, end);
    if (is_told)
        report_narrow(findings, narrow, end);
    if (is_over || is_full)
        *narrow = (struct narrow_window){.room = 0};
    else if (narrow->from.packet > 0)
        narrow->from = end->now; /* the message went through, and the window has not changed since */
    return is_told;
}

/* ---- data that the network lost ---------------------------------------------------------------------------------- */

/* ns: TCP waits 200 ms for an acknowledgement, then twice as long: what stood still for longer lost more than a packet.
 * What is sent again within 2 s has one reason. */
#define STOOD_STILL (3 * SECOND / 10)
#define TOGETHER (2 * SECOND)
/* ns: what is sent again sooner is a probe, or was asked for. */
#define TIMED_OUT (2 * SECOND / 10)
/* A time without records is the network's if what came late came later than this share of it. */
#define SHARE 0.5
#define IN_VAIN 3
/* Packets of a client that is there. */
#define ANSWERS 3

/* What is not proven to be the network's, and lasted for longer, is a silence, which says as much. */
static void report_lossy(struct lossy *lossy, struct findings *findings, const struct armtap_stream *stream)
{
    uint32_t acknowledged = lossy->is_answered ? lossy->acknowledged : 0;
    bool are_acks_lost = lossy->is_proven && acknowledged > 0 && lossy->slow > 0 && lossy->slow_lost == 0;
    bool is_long = lossy->longest >= STOOD_STILL && (double)lossy->longest > SILENT_STEPS * lossy->usual * 1e9;
    if (is_long && (lossy->is_proven || lossy->longest <= SILENCE))
        armtap_findings_raise(
            findings,
            &(struct fact){
                .code = ARMTAP_FINDING_network_stalled,
                .stream = stream,
                .where = &lossy->longest_end,
                .arguments = ARGS(arg_duration_s((double)lossy->longest / 1e9), arg_times(lossy->count),
                                  arg_from_packet(lossy->first.packet), arg_until_packet(lossy->last.packet),
                                  arg_reason(are_acks_lost ? ARMTAP_WORD_acks_lost : ARMTAP_WORD_none),
                                  acknowledged > 0 && !are_acks_lost ? arg_acknowledged(acknowledged) : arg_none(true),
                                  arg_doubt(lossy->is_proven ? ARMTAP_WORD_none : ARMTAP_WORD_client_gone))});
    *lossy = (struct lossy){.count = 0};
}

static void take_longest(struct lossy *lossy, int64_t time, const struct armtap_where *where)
{
    if (time <= lossy->longest)
        return;
    lossy->longest = time;
    lossy->longest_end = *where;
}

static int64_t time_since(const struct armtap_where *then, const struct armtap_where *now)
{
    bool is_known = then->packet > 0 && then->time != ARMTAP_NO_TIME && now->time != ARMTAP_NO_TIME;
    return is_known && now->time >= then->time ? armtap_time_between(then->time, now->time) : -1;
}

void armtap_lossy_record(struct lossy *lossy, struct findings *findings, const struct armtap_record *record,
                         const struct armtap_where *last, double usual)
{
    lossy->usual = usual;
    lossy->is_over = true;
    int64_t pause = time_since(last, &record->where), since = time_since(&lossy->last, &record->where);
    if (pause > since && (double)lossy->late >= SHARE * (double)pause)
        take_longest(lossy, pause, &record->where);
    if (since > TOGETHER)
        report_lossy(lossy, findings, record->stream);
}

static void take_resent(struct lossy *lossy, struct findings *findings, const struct armtap_event *event)
{
    const struct armtap_resent *resent = &event->resent;
    uint32_t heard = (uint32_t)event->stream->packets[ARMTAP_TO_ROBOT];
    if (lossy->count > 0 && resent->times <= 1 && time_since(&lossy->last, &event->where) > TOGETHER)
        report_lossy(lossy, findings, event->stream);
    if (lossy->count == 0)
        *lossy = (struct lossy){.first = event->where, .heard = heard};
    if (resent->times <= 1)
        lossy->again = event->where;
    lossy->last = event->where;
    lossy->is_over = false;
    lossy->count++;
    lossy->times = resent->times;
    lossy->late = resent->late;
    lossy->acknowledged += resent->is_acknowledged;
    lossy->slow += resent->late >= TIMED_OUT;
    lossy->slow_lost += resent->late >= TIMED_OUT && !resent->is_acknowledged;
    lossy->is_answered = heard != lossy->heard;
    lossy->is_proven = lossy->is_proven || resent->is_missed || heard - lossy->heard >= ANSWERS;
    take_longest(lossy, resent->late, &event->where);
}

/* Whether what was sent again at last was never acknowledged; of a client that was not captured, only the robot knows.
 */
static bool is_in_vain(const struct lossy *lossy, const struct armtap_event *close)
{
    bool is_heard = close->stream->packets[ARMTAP_TO_ROBOT] > 0;
    return lossy->count > 0 && lossy->times >= IN_VAIN && (close->unacknowledged[ARMTAP_FROM_ROBOT] > 0 || !is_heard);
}

/* Whether data did not stand still, but had ended: what a client that was not captured closed is sent again, too. */
static bool may_be_closed(const struct lossy *lossy, const struct armtap_event *close)
{
    return close->stream->packets[ARMTAP_TO_ROBOT] == 0 && !lossy->is_proven && !lossy->is_over &&
           lossy->longest_end.packet == lossy->last.packet;
}

static void end_lossy(struct lossy *lossy, struct findings *findings, const struct armtap_event *event)
{
    uint64_t bytes = event->unacknowledged[ARMTAP_FROM_ROBOT];
    double seconds = armtap_time_seconds(lossy->again.time, lossy->last.time);
    if (is_in_vain(lossy, event)) {
        armtap_findings_raise(
            findings,
            &(struct fact){.code = ARMTAP_FINDING_tcp_not_acknowledged,
                           .stream = event->stream,
                           .where = &event->where,
                           .arguments = ARGS(bytes > 0 ? arg_bytes(bytes) : arg_none(true), arg_times(lossy->times),
                                             seconds >= 0 ? arg_duration_s(seconds) : arg_none(true),
                                             arg_from_packet(lossy->again.packet), arg_until_packet(lossy->last.packet),
                                             arg_until(armtap_stalls_close_word(event)))});
        *lossy = (struct lossy){.count = 0};
    } else if (lossy->count > 0 && !may_be_closed(lossy, event)) {
        report_lossy(lossy, findings, event->stream);
    }
}

void armtap_lossy_event(struct lossy *lossy, struct findings *findings, const struct armtap_event *event, bool can_read)
{
    if (event->type == ARMTAP_EVENT_RETRANSMISSION && event->direction == ARMTAP_FROM_ROBOT && can_read)
        take_resent(lossy, findings, event);
    else if (event->type == ARMTAP_EVENT_CLOSE)
        end_lossy(lossy, findings, event);
}

/* ---- data that waits --------------------------------------------------------------------------------------------- */

/* A controller's clock may drift: it is compared with the last minute or two. */
#define MINUTE (60 * SECOND)
/* A sender whose data waits fills its packets: of the last 16 packages so many share one with the one before. */
#define LAST_PACKAGES UINT32_C(0xffff)
#define JOINT 2

void armtap_backlog_take(struct backlog *backlog, int64_t time, double clock, bool is_joint)
{
    bool is_known = time != ARMTAP_NO_TIME && clock > 0;
    double behind = is_known ? (double)time / 1e9 - clock : 0;
    bool is_begun = backlog->is_begun && time >= backlog->since;
    backlog->joint = backlog->joint << 1 | is_joint;
    if (!is_known)
        return;
    if (!is_begun || armtap_time_between(backlog->since, time) >= MINUTE) {
        backlog->least[1] = is_begun ? backlog->least[0] : behind;
        backlog->least[0] = behind;
        backlog->since = time;
        backlog->is_begun = true;
    }
    backlog->least[0] = fmin(backlog->least[0], behind);
    backlog->late = behind - fmin(backlog->least[0], backlog->least[1]);
    if (!armtap_backlog_waits(backlog))
        backlog->times = 0;
}

void armtap_backlog_resent(struct backlog *backlog, uint64_t packet)
{
    if (backlog->times++ == 0)
        backlog->from_packet = packet;
    backlog->until_packet = packet;
}

bool armtap_backlog_waits(const struct backlog *backlog)
{
    unsigned joint = 0;
    for (uint32_t last = backlog->joint & LAST_PACKAGES; last; last &= last - 1)
        joint++;
    return backlog->late > BACKLOG_LATE || joint >= JOINT;
}

bool armtap_stalls_of_client(const struct stalls *stalls, uint64_t connection)
{
    return stall_of(stalls, connection, ARMTAP_TO_ROBOT) != NULL;
}

struct armtap_where armtap_stalls_begin_of_client(const struct stalls *stalls, uint64_t connection)
{
    const struct armtap_where nowhere = {.size = sizeof nowhere, .time = ARMTAP_NO_TIME};
    const struct stall *stall = stall_of(stalls, connection, ARMTAP_TO_ROBOT);
    return stall ? stall->from : nowhere;
}

void armtap_stalls_forget(struct stalls *stalls, uint64_t connection)
{
    for (size_t i = stalls->count; i-- > 0;)
        if (stalls->all[i].stream.connection == connection)
            stalls->all[i] = stalls->all[--stalls->count];
}
