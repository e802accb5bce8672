/* armtap infer: an RTDE recipe from the data alone, for captures whose handshake is missing. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/process/message.h"
#include "input/stream_rank.h"
#include "command_line/commands.h"
#include "command_line/shared_text.h"
#include "command_line/options.h"
#include "infer.h"

/* Connections whose data is kept, some MB each; the streams of a capture are numbered only when it was read. */
#define CONNECTIONS_MAX 24

struct job {
    struct options options;
    struct armtap_streams *streams;
    struct connection {
        uint64_t number;
        struct armtap_inference *inference;
    } connections[CONNECTIONS_MAX];
    size_t count;
    uint64_t stream;
    bool one_stream, no_handshake, json;
    enum exit_status status;
};

#define OPTIONS_STRUCT struct job
static const struct option_row rows[] = {
#define OPTIONS_INFER
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "infer",
    .arguments = "CAPTURE...",
    .summary = "Infers the RTDE recipe from the data alone: for captures that begin after the handshake of an unknown "
               "client. Comments show the evidence. Only names that are almost certain are printed; field_12 is the "
               "unnamed value at byte 12. If the arm does not move, only types are inferred. Save the recipe, check "
               "it, and use it with --recipe.",
    .rows = rows,
    .groups = GROUPS_infer,
    .examples = "  armtap infer late.pcapng > recipe.txt\n"
                "  armtap export --recipe recipe.txt late.pcapng\n"
                "  armtap infer --no-handshake --stream 0 robot.pcapng\n"};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static struct armtap_inference *inference_of(const struct job *job, uint64_t connection)
{
    for (size_t i = 0; i < job->count; i++)
        if (job->connections[i].number == connection)
            return job->connections[i].inference;
    return NULL;
}

/* NULL if there are too many connections, or without memory. */
static struct armtap_inference *make_inference(struct job *job, uint64_t connection)
{
    struct armtap_inference *inference = inference_of(job, connection);
    if (inference || job->count == CONNECTIONS_MAX || !(inference = armtap_inference_new()))
        return inference;
    job->connections[job->count++] = (struct connection){connection, inference};
    return inference;
}

static int infer_record(struct job *job, const struct armtap_record *record)
{
    bool is_full = job->count == CONNECTIONS_MAX;
    struct armtap_inference *inference = make_inference(job, record->stream->connection);
    if (!inference)
        return is_full ? 0 : -1;
    return armtap_inference_record(inference, record) == ARMTAP_OK ? 0 : -1;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    bool ours = record->protocol == ARMTAP_RTDE && record->direction == ARMTAP_FROM_ROBOT;
    if (ours && infer_record(job, record) != 0)
        return REPLAY_NO_MEMORY;
    return armtap_streams_record(job->streams, record) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

/* Types that a set-up's reply alone gave: what is inferred has them. */
static int take_types(struct job *job, const struct armtap_recipe_event *event)
{
    bool is_typed = event->stream->protocol == ARMTAP_RTDE && event->direction == ARMTAP_FROM_ROBOT &&
                    !(event->flags & ARMTAP_GUESSED) && invented_names(event->recipe) > 0;
    struct armtap_inference *inference = is_typed ? make_inference(job, event->stream->connection) : NULL;
    if (!is_typed || (!inference && job->count == CONNECTIONS_MAX))
        return 0;
    return inference && armtap_inference_types(inference, event->recipe) == ARMTAP_OK ? 0 : -1;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (take_types(job, event) != 0)
        return REPLAY_NO_MEMORY;
    return armtap_streams_recipe(job->streams, event) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    return armtap_streams_event(job->streams, event) == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static bool has_data(const struct armtap_stream_summary *summary)
{
    return summary->stream->protocol == ARMTAP_RTDE && summary->stream->records[ARMTAP_FROM_ROBOT] > 0;
}

/* Whether its names came by the wire. */
static bool has_handshake(const struct armtap_stream_summary *summary)
{
    return summary->recipe && !summary->guess && invented_names(summary->recipe) == 0;
}

/* The only stream of data that lacks its handshake, or of all data; NULL after a message. */
static const struct armtap_stream_summary *choose(const struct job *job)
{
    const struct armtap_stream_summary *summary, *lacking = NULL, *any = NULL;
    size_t lacking_count = 0, count = 0;
    for (size_t i = 0; (summary = armtap_streams_at(job->streams, i)); i++) {
        if (!has_data(summary))
            continue;
        any = summary;
        count++;
        lacking = has_handshake(summary) ? lacking : summary;
        lacking_count += !has_handshake(summary);
    }
    if (lacking_count == 1)
        return lacking;
    if (lacking_count == 0 && count == 1)
        return any;
    if (count == 0)
        message_error("infer: no stream has RTDE data from a robot; armtap info lists the streams");
    else
        message_error("infer: %zu streams have RTDE data%s; choose one with --stream N (armtap info lists them)",
                      lacking_count > 0 ? lacking_count : count, lacking_count > 0 ? " without a handshake" : "");
    return NULL;
}

static const struct armtap_stream_summary *choose_stream(const struct job *job)
{
    const struct armtap_stream_summary *summary =
        job->one_stream ? armtap_streams_at(job->streams, (size_t)job->stream) : choose(job);
    if (!summary && job->one_stream)
        message_error("infer: there is no stream %" PRIu64 "; armtap info lists them", job->stream);
    else if (summary && !has_data(summary))
        message_error("infer: stream %u has no RTDE data from a robot", summary->number);
    else if (summary && has_handshake(summary) && !job->no_handshake)
        message_error("infer: the handshake of stream %u was captured: armtap recipe --from CAPTURE --stream %u prints "
                      "its recipe; --no-handshake infers it nevertheless",
                      summary->number, summary->number);
    else
        return summary;
    return NULL;
}

static void print_fields(struct job *job)
{
    const struct armtap_stream_summary *summary = choose_stream(job);
    struct armtap_inference *inference = summary ? inference_of(job, summary->stream->connection) : NULL;
    job->status = EXIT_FAILED;
    if (summary && !inference) {
        message_error("infer: more than %d connections have data; stream %u is not among the first", CONNECTIONS_MAX,
                      summary->number);
        return;
    }
    int error = inference ? armtap_inference_finish(inference) : ARMTAP_OK;
    if (error == ARMTAP_ERR_NOT_READY)
        message_error("infer: stream %u has too few packages of one size, or too long ones", summary->number);
    else if (error != ARMTAP_OK)
        message_no_memory();
    const struct armtap_inferred *inferred = inference ? armtap_inference_result(inference) : NULL;
    if (!inferred)
        return;
    job->status = EXIT_DONE;
    if (job->json)
        infer_print_json(inferred, summary);
    else
        infer_print_recipe(inferred, summary);
    if (has_handshake(summary))
        infer_compare(inferred, summary->recipe);
}

static void run_inference(struct job *job)
{
    const struct armtap_sink sink = {
        .size = sizeof sink, .on_record = on_record, .on_recipe = on_recipe, .on_event = on_event};
    struct replay_totals totals;
    enum exit_status status = replay(&job->options.source, &sink, job, &totals);
    job->status = EXIT_FAILED;
    if (totals.broken_off)
        return;
    armtap_streams_number(job->streams);
    if (armtap_streams_count(job->streams) == 0) {
        if (status == EXIT_DONE)
            no_telemetry_report(job->streams, &totals);
        return;
    }
    print_fields(job);
    job->status = job->status == EXIT_DONE ? status : job->status;
}

int cmd_infer(int argc, char **argv)
{
    struct job job = {.status = EXIT_FAILED};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &job.options, &job);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    job.streams = armtap_streams_new();
    if (job.streams)
        run_inference(&job);
    else
        message_no_memory();
    for (size_t i = 0; i < job.count; i++)
        armtap_inference_free(job.connections[i].inference);
    armtap_streams_free(job.streams);
    options_free(&job.options);
    return (int)job.status;
}
