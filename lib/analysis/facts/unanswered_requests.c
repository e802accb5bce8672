#include "analysis/facts/detectors.h"

#include <string.h>

#include "analysis/numbers.h"

/* s; a controller answers within milliseconds */
#define NO_REPLY 1
/* The dashboard server answers most requests at once, but those to load something when it is loaded, and this one in
 * any time. */
#define NO_DASHBOARD_REPLY 3
#define NO_LOADED_REPLY 5
#define SLOW "generate support file"

/* Requests that a controller answers with a package of the same type; one that does not know the first two ignores
 * them. */
static const char requests[UNANSWERED_REQUESTS] = {ARMTAP_RTDE_VERSION,       ARMTAP_RTDE_CONTROLLER_VERSION,
                                                   ARMTAP_RTDE_SETUP_OUTPUTS, ARMTAP_RTDE_SETUP_INPUTS,
                                                   ARMTAP_RTDE_START,         ARMTAP_RTDE_PAUSE};

/* Bytes from the robot that the capture lacks, or that could not be read: replies may be among them. */
static uint64_t lost_of(const struct armtap_stream *stream)
{
    return stream->bytes_lost[ARMTAP_FROM_ROBOT] - stream->bytes_cut[ARMTAP_FROM_ROBOT] +
           stream->bytes_skipped[ARMTAP_FROM_ROBOT];
}

bool armtap_unanswered_is_request(const struct armtap_message *message)
{
    return message->length >= 3 && memchr(requests, message->bytes[2], sizeof requests);
}

/* Whatever the robot says may be the reply: which is known only in order, of lines that are whole. */
static void take_line(struct unanswered_requests *dialogue, const struct armtap_message *message)
{
    struct rtde_request *request = &dialogue->asked[0];
    size_t length = 0;
    bool is_reply = message->direction == ARMTAP_FROM_ROBOT;
    if (is_reply) {
        request->where.packet = 0;
        dialogue->last = message->where;
    }
    /* Of a connection that is recognised late, replies may be read before what they answer. */
    if (is_reply || message->skipped || request->where.packet != 0 ||
        armtap_time_is_before(&message->first, &dialogue->last))
        return;
    while (length < message->length && length < sizeof request->line - 1 && message->bytes[length] >= ' ')
        length++;
    if (length == 0)
        return; /* an empty line need not be answered */
    *request = (struct rtde_request){message->first, message->stream->packets[ARMTAP_FROM_ROBOT],
                                     lost_of(message->stream), ""};
    memcpy(request->line, message->bytes, length);
}

void armtap_unanswered_message(struct unanswered_requests *dialogue, const struct armtap_message *message)
{
    if (message->stream->protocol == ARMTAP_DASHBOARD) {
        take_line(dialogue, message);
        return;
    }
    if (message->skipped || message->length < 3)
        return;
    uint8_t type = message->bytes[2];
    const char *known = memchr(requests, type, sizeof requests);
    bool is_reply = message->direction == ARMTAP_FROM_ROBOT;
    dialogue->robot_seen = dialogue->robot_seen || is_reply;
    /* A client that sends inputs knows their set-up's id: the capture lacks the reply. */
    if (type == ARMTAP_RTDE_DATA && !is_reply)
        dialogue->asked[UNANSWERED_INPUTS].where.packet = 0;
    if (!known)
        return;
    struct rtde_request *request = &dialogue->asked[known - requests];
    if (is_reply) {
        dialogue->granted = dialogue->granted || type == ARMTAP_RTDE_SETUP_OUTPUTS;
        dialogue->is_paused = type == ARMTAP_RTDE_PAUSE || (dialogue->is_paused && type != ARMTAP_RTDE_START);
        request->where.packet = dialogue->asked[0].where.packet = 0;
        if (type != ARMTAP_RTDE_VERSION)
            dialogue->asked[UNANSWERED_CONTROLLER].where.packet = 0;
        return;
    }
    dialogue->start_asked = dialogue->start_asked || type == ARMTAP_RTDE_START;
    if (type != ARMTAP_RTDE_CONTROLLER_VERSION)
        dialogue->last = message->first;
    /* Two clocks in one capture may show the reply first. */
    bool is_answered = type == ARMTAP_RTDE_PAUSE && dialogue->is_paused;
    /* What asks for the controller's version beside data need not wait for the reply. */
    bool is_aside = type == ARMTAP_RTDE_CONTROLLER_VERSION && message->stream->records[ARMTAP_FROM_ROBOT] > 0;
    if (request->where.packet == 0 && !is_answered && !is_aside)
        *request = (struct rtde_request){message->first, message->stream->packets[ARMTAP_FROM_ROBOT],
                                         lost_of(message->stream), ""};
}

unsigned armtap_unanswered_count(const struct unanswered_requests *dialogue)
{
    unsigned count = 0;
    for (size_t i = 0; i < UNANSWERED_REQUESTS; i++)
        count += dialogue->asked[i].where.packet != 0;
    return count;
}

bool armtap_unanswered_record(struct unanswered_requests *dialogue, bool is_first)
{
    for (size_t i = 0; i < UNANSWERED_REQUESTS; i++)
        if (is_first || (dialogue->is_paused && requests[i] == ARMTAP_RTDE_START))
            dialogue->asked[i].where.packet = 0;
    dialogue->is_paused = false;
    return armtap_unanswered_count(dialogue) == 0;
}

void armtap_unanswered_event(struct unanswered_requests *dialogue, const struct armtap_event *event)
{
    bool is_packet =
        event->type == ARMTAP_EVENT_WINDOW || (event->type == ARMTAP_EVENT_CLOSE && event->a <= ARMTAP_CLOSE_RESET);
    if (is_packet && event->direction == ARMTAP_FROM_ROBOT)
        dialogue->robot_seen = true;
    if (event->type == ARMTAP_EVENT_RETRANSMISSION && event->direction == ARMTAP_TO_ROBOT)
        dialogue->resent = event->where;
    dialogue->is_paused = dialogue->is_paused || event->type == ARMTAP_EVENT_PAUSE;
    if (event->type == ARMTAP_EVENT_CLOSE && !dialogue->is_closing) {
        dialogue->is_closing = true;
        dialogue->until = event->where.time;
    }
}

/* Whether it is known that no answer came, and that something else does not say so. `last`: the robot's last record. */
static bool is_unanswered(const struct unanswered_requests *dialogue, const struct rtde_request *request,
                          const struct armtap_stream *stream, const struct armtap_where *last)
{
    bool has_data = stream->records[ARMTAP_FROM_ROBOT] > 0, is_pause = request == &dialogue->asked[UNANSWERED_PAUSE];
    if (request->where.packet == 0 || lost_of(stream) != request->lost ||
        !(armtap_time_seconds(request->where.time, dialogue->until) >= NO_REPLY))
        return false;
    /* Data that ends with an unanswered request is a silence. */
    return !has_data || dialogue->is_paused || is_pause ||
           armtap_time_seconds(request->where.time, last->time) >= NO_REPLY;
}

static bool is_resent(const struct unanswered_requests *dialogue, const struct rtde_request *request)
{
    return dialogue->resent.packet != 0 && armtap_time_seconds(request->where.time, dialogue->resent.time) >= 0;
}

static void end_dashboard(const struct unanswered_requests *dialogue, struct findings *findings,
                          const struct armtap_event *close)
{
    const struct armtap_stream *stream = close->stream;
    const struct rtde_request *request = &dialogue->asked[0];
    double seconds = armtap_time_seconds(request->where.time, dialogue->until);
    double longest = strncmp(request->line, "load", 4) == 0 ? NO_LOADED_REPLY : NO_DASHBOARD_REPLY;
    uint64_t heard = stream->packets[ARMTAP_FROM_ROBOT];
    if (request->where.packet == 0 || heard == 0 || lost_of(stream) != request->lost || !(seconds >= longest) ||
        strncmp(request->line, SLOW, sizeof SLOW - 1) == 0)
        return;
    armtap_findings_raise(
        findings, &(struct fact){
                      .code = ARMTAP_FINDING_command_unanswered,
                      .stream = stream,
                      .where = &request->where,
                      .arguments = ARGS(arg_until(ARMTAP_WORD_no_reply),
                                        arg_quoted(request->line, strlen(request->line)), arg_duration_s(seconds),
                                        arg_is_acknowledged(!is_resent(dialogue, request) && heard > request->heard))});
}

void armtap_unanswered_end(const struct unanswered_requests *dialogue, struct findings *findings,
                           const struct armtap_event *close, const struct armtap_where *last)
{
    if (close->stream->protocol == ARMTAP_DASHBOARD) {
        end_dashboard(dialogue, findings, close);
        return;
    }
    const struct armtap_stream *stream = close->stream;
    const struct rtde_request *first = NULL;
    uint64_t records = stream->records[ARMTAP_FROM_ROBOT];
    bool is_whole = !stream->midstream && stream->bytes_lost[0] + stream->bytes_lost[1] == 0;
    bool is_over = close->a != ARMTAP_CLOSE_END_OF_CAPTURE;
    bool is_left = records == 0 && dialogue->granted && !dialogue->start_asked && dialogue->last.packet != 0;
    unsigned asked = armtap_unanswered_count(dialogue);
    for (size_t i = 0; i < UNANSWERED_REQUESTS; i++) {
        const struct rtde_request *request = &dialogue->asked[i];
        if (is_unanswered(dialogue, request, stream, last) && (!first || request->where.packet < first->where.packet))
            first = request;
    }
    double seconds = armtap_time_seconds((first ? first->where : dialogue->last).time, dialogue->until);
    if ((records == 0 && !(dialogue->robot_seen && is_whole)) ||
        !(first || (is_left && asked == 0 && seconds >= (is_over ? 0 : NO_REPLY))))
        return;
    const struct armtap_where *since = first ? &first->where : &dialogue->last;
    armtap_findings_raise(
        findings,
        &(struct fact){.code = first ? ARMTAP_FINDING_rtde_no_reply : ARMTAP_FINDING_rtde_no_data,
                       .stream = stream,
                       .where = &close->where,
                       .arguments = ARGS(arg_duration_s(seconds), arg_since_packet(since->packet),
                                         arg_is_acknowledged(first && !(records > 0 && is_resent(dialogue, first)) &&
                                                             stream->packets[ARMTAP_FROM_ROBOT] > first->heard),
                                         records > 0 ? arg_records((double)records) : arg_none(true),
                                         arg_is_earlier_file(since->file != close->where.file))});
}
