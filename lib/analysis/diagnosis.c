#include <stdlib.h>
#include <string.h>

#include "analysis/facts/detectors.h"
#include "analysis/facts/stream_monitor.h"
#include "analysis/judge/judge.h"
#include "analysis/robot_changes.h"
#include "bytes.h"
#include "inside.h"

/* The size in 0.1.0. */
#define OPTIONS_MIN (offsetof(struct armtap_diagnosis_options, zone) + sizeof(const struct armtap_zone *))
#define FOREIGN_ARGUMENTS 8 /* of a note of a connection without telemetry, and its ends */

struct armtap_diagnosis {
    struct armtap_diagnosis_options options;
    struct armtap_sink sink;
    struct armtap_streams *streams;
    struct findings *findings;
    struct modes modes;
    struct monitors *monitors;
    struct input_holders inputs;
    struct refused_fields refused;
    bool is_part, is_left; /* of an archive; connections go on after it */
    uint32_t file;         /* that capture's */
    uint64_t *tried;       /* what was known of each attempt before it */
    size_t tried_count;
    int error;    /* permanent */
    bool is_busy; /* on_finding is being called */
    bool is_finished;
    /* Set by armtap_diagnosis_finish. */
    struct armtap_stream_diagnosis *summaries; /* by stream number */
    size_t told_count;
    const struct armtap_stop_window **stops;
    size_t stop_count;
    struct armtap_incidents incidents;
    const struct armtap_stream **judged; /* of the incidents, by number */
};

/* ---- input ----------------------------------------------------------------------------------------------------- */

/* Keeps the error of a collecting object. */
static int keep_error(struct armtap_diagnosis *diagnosis, int outcome)
{
    if (diagnosis->error == ARMTAP_OK)
        diagnosis->error = outcome != 0 ? ARMTAP_ERR_MEMORY : armtap_findings_outcome(diagnosis->findings);
    return diagnosis->error;
}

/* Checks that input is allowed. */
static int ready(const struct armtap_diagnosis *diagnosis, const void *what)
{
    if (!diagnosis || !what)
        return ARMTAP_ERR_ARGUMENT;
    if (diagnosis->is_busy)
        return ARMTAP_ERR_BUSY;
    if (diagnosis->error != ARMTAP_OK)
        return diagnosis->error;
    return diagnosis->is_finished ? ARMTAP_ERR_ARGUMENT : ARMTAP_OK;
}

static void add_note(struct armtap_diagnosis *diagnosis, const struct armtap_note *note)
{
    struct armtap_argument holder[INPUT_HOLDER_ARGUMENTS];
    const struct armtap_arguments held = {holder, INPUT_HOLDER_ARGUMENTS};
    bool is_held = armtap_input_holders_arguments(&diagnosis->inputs, note, holder);
    armtap_findings_raise(diagnosis->findings,
                          &(struct fact){.code = (enum armtap_note_code)(note->kind - armtap_note_at(0)),
                                         .stream = note->stream,
                                         .where = &note->where,
                                         .arguments = is_held ? &held : &note->arguments});
}

/* A connection without telemetry has no number: names its ends instead. */
static void add_foreign(struct armtap_diagnosis *diagnosis, const struct armtap_note *note)
{
    struct armtap_argument all[FOREIGN_ARGUMENTS];
    size_t count = note->arguments.count < FOREIGN_ARGUMENTS - 2 ? note->arguments.count : FOREIGN_ARGUMENTS - 2;
    memcpy(all, ARGS(arg_robot(note->stream->robot), arg_client(note->stream->client))->all, 2 * sizeof *all);
    if (count > 0)
        memcpy(all + 2, note->arguments.all, count * sizeof *all);
    armtap_findings_raise(diagnosis->findings,
                          &(struct fact){.code = (enum armtap_note_code)(note->kind - armtap_note_at(0)),
                                         .where = &note->where,
                                         .arguments = &(struct armtap_arguments){all, count + 2}});
}

static int take_note(struct armtap_diagnosis *diagnosis, const struct armtap_note *note)
{
    if (armtap_streams_note(diagnosis->streams, note) != ARMTAP_OK)
        return -1;
    if (note->stream && note->stream->protocol == ARMTAP_PROTOCOL_NONE)
        add_foreign(diagnosis, note);
    else if (!armtap_monitors_keep(diagnosis->monitors, note))
        add_note(diagnosis, note);
    armtap_refused_note(&diagnosis->refused, note);
    return armtap_monitors_note(diagnosis->monitors, note);
}

static int call_listener(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    struct armtap_diagnosis *diagnosis = user;
    diagnosis->is_busy = true;
    int answer = diagnosis->options.on_finding(diagnosis->options.user, finding, stream);
    diagnosis->is_busy = false;
    return answer;
}

/* Reports the first attempt of a client that keeps trying. The others are evaluated at the end. */
static void follow_attempts(struct armtap_diagnosis *diagnosis, const struct armtap_event *event)
{
    struct attempt_arguments found;
    const struct armtap_attempt *news = armtap_attempts_news(armtap_streams_attempts(diagnosis->streams));
    if (!news || !diagnosis->options.on_finding)
        return;
    armtap_attempt_arguments(&found, armtap_streams_attempts(diagnosis->streams), news);
    const struct armtap_finding finding = {.kind = armtap_note_at(armtap_attempt_code(news->outcome)),
                                           .where = event->where,
                                           .last = event->where,
                                           .count = 1,
                                           .stream = ARMTAP_NO_STREAM,
                                           .arguments = found.arguments};
    if (call_listener(diagnosis, &finding, NULL) != 0 && diagnosis->error == ARMTAP_OK)
        diagnosis->error = ARMTAP_ERR_STOPPED;
}

static int take_event(struct armtap_diagnosis *diagnosis, const struct armtap_event *event)
{
    struct armtap_note note;
    if (armtap_streams_event(diagnosis->streams, event) != ARMTAP_OK)
        return -1;
    follow_attempts(diagnosis, event);
    if (armtap_monitors_event(diagnosis->monitors, event) != 0)
        return -1;
    armtap_input_holders_event(&diagnosis->inputs, event);
    if (armtap_streams_let_go(diagnosis->streams))
        armtap_monitors_forget(diagnosis->monitors, event->stream->connection);
    return armtap_streams_due_note(diagnosis->streams, event, &note) ? take_note(diagnosis, &note) : 0;
}

/* The callbacks. `outcome` is not 0 if memory ran out. */
#define TAKE(member, type, outcome)                                                                                    \
    static int member(void *user, const struct type *what)                                                             \
    {                                                                                                                  \
        struct armtap_diagnosis *diagnosis = user;                                                                     \
        int error = ready(diagnosis, what);                                                                            \
        return error == ARMTAP_OK ? keep_error(diagnosis, outcome) : error;                                            \
    }
TAKE(on_record, armtap_record,
     armtap_streams_record(diagnosis->streams, what) || armtap_monitors_record(diagnosis->monitors, what))
TAKE(on_recipe, armtap_recipe_event,
     armtap_streams_recipe(diagnosis->streams, what) || armtap_input_holders_recipe(&diagnosis->inputs, what) ||
         armtap_monitors_recipe(diagnosis->monitors, what))
TAKE(on_note, armtap_note, take_note(diagnosis, what))
TAKE(on_event, armtap_event, take_event(diagnosis, what))
TAKE(on_message, armtap_message, armtap_monitors_message(diagnosis->monitors, what))
TAKE(on_command, armtap_command, armtap_monitors_command(diagnosis->monitors, what))
#undef TAKE

int armtap_diagnosis_wants(const struct armtap_diagnosis *diagnosis, const struct armtap_stream *stream,
                           enum armtap_direction direction)
{
    return armtap_monitors_want(diagnosis->monitors, stream, direction) | armtap_streams_wants(NULL, stream, direction);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static int begin(struct armtap_diagnosis *diagnosis, const struct armtap_diagnosis_options *options)
{
    if (options)
        memcpy(&diagnosis->options, options,
               options->size < sizeof *options ? options->size : sizeof diagnosis->options);
    diagnosis->sink = (struct armtap_sink){.size = sizeof diagnosis->sink,
                                           .on_record = on_record,
                                           .on_recipe = on_recipe,
                                           .on_note = on_note,
                                           .on_event = on_event,
                                           .on_message = on_message,
                                           .on_command = on_command};
    diagnosis->streams = armtap_streams_new();
    if (diagnosis->streams)
        armtap_streams_pack(diagnosis->streams);
    diagnosis->findings = armtap_findings_new();
    if (diagnosis->findings && diagnosis->options.on_finding)
        armtap_findings_listen(diagnosis->findings, call_listener, diagnosis);
    if (diagnosis->findings)
        diagnosis->monitors = armtap_monitors_new(diagnosis->findings, &diagnosis->modes, diagnosis->options.reach,
                                                  diagnosis->options.frequency_wanted);
    return !diagnosis->streams || !diagnosis->monitors ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
}

int armtap_diagnosis_new(const struct armtap_diagnosis_options *options, struct armtap_diagnosis **diagnosis)
{
    if (options && !armtap_is_sized(options->size, OPTIONS_MIN))
        return ARMTAP_ERR_SIZE;
    if (!diagnosis || (options && options->reach < 0))
        return ARMTAP_ERR_ARGUMENT;
    *diagnosis = calloc(1, sizeof **diagnosis);
    if (*diagnosis && begin(*diagnosis, options) == ARMTAP_OK)
        return ARMTAP_OK;
    armtap_diagnosis_free(*diagnosis);
    *diagnosis = NULL;
    return ARMTAP_ERR_MEMORY;
}

void armtap_diagnosis_free(struct armtap_diagnosis *diagnosis)
{
    if (!diagnosis)
        return;
    armtap_incidents_free(&diagnosis->incidents);
    free(diagnosis->judged);
    armtap_streams_free(diagnosis->streams);
    armtap_monitors_free(diagnosis->monitors);
    armtap_findings_free(diagnosis->findings);
    armtap_modes_free(&diagnosis->modes);
    armtap_input_holders_clear(&diagnosis->inputs);
    free(diagnosis->summaries);
    free(diagnosis->stops);
    free(diagnosis->tried);
    free(diagnosis);
}

const struct armtap_sink *armtap_diagnosis_sink(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? &diagnosis->sink : NULL;
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

/* A number that every change of it makes larger. */
static uint64_t tries_of(const struct armtap_attempt *attempt)
{
    return attempt->count + attempt->syns + attempt->has_connected;
}

/* Whether that is in the capture that is diagnosed, and not in one before. */
static bool is_here(const struct armtap_diagnosis *diagnosis, const struct armtap_where *where)
{
    return !diagnosis->is_part || where->file == diagnosis->file;
}

/* One finding per robot port and client, however often the client tried. */
static void find_attempts(struct armtap_diagnosis *diagnosis)
{
    struct attempt_arguments found;
    const struct armtap_attempts *attempts = armtap_streams_attempts(diagnosis->streams);
    const struct armtap_attempt *attempt = NULL;
    for (size_t i = 0; (attempt = armtap_attempts_at(attempts, i)); i++) {
        if (i < diagnosis->tried_count && diagnosis->tried[i] == tries_of(attempt))
            continue;
        armtap_attempt_arguments(&found, attempts, attempt);
        armtap_findings_raise(diagnosis->findings, &(struct fact){.code = armtap_attempt_code(attempt->outcome),
                                                                  .where = &attempt->first,
                                                                  .arguments = &found.arguments});
    }
    for (int i = 0; i < ARMTAP_ATTEMPT_OUTCOMES; i++) {
        enum armtap_attempt_outcome outcome = (enum armtap_attempt_outcome)i;
        uint64_t more = armtap_attempts_left_out(attempts, outcome);
        const struct armtap_where nowhere = {.size = sizeof nowhere, .time = ARMTAP_NO_TIME};
        if (more > 0)
            armtap_findings_raise(diagnosis->findings, &(struct fact){.code = armtap_attempt_code(outcome),
                                                                      .where = &nowhere,
                                                                      .arguments = ARGS(arg_more(more))});
    }
}

static void summarize_stream(struct armtap_diagnosis *diagnosis, size_t number)
{
    struct armtap_stream_diagnosis *summaries = &diagnosis->summaries[number];
    const struct armtap_stream_summary *summary = armtap_streams_at(diagnosis->streams, number);
    const struct armtap_stream *stream = summary->stream;
    const struct stream_monitor *monitor = armtap_monitors_of(diagnosis->monitors, stream->connection);
    *summaries = (struct armtap_stream_diagnosis){.summary = summary, .unread = armtap_unread_bytes(stream)};
    if (monitor) {
        summaries->rates = &monitor->stream_rates_totals;
        summaries->clock = &monitor->clock_drift_totals;
    }
}

/* 0, or -1 if memory runs out. */
static int summarize_streams(struct armtap_diagnosis *diagnosis)
{
    size_t count = armtap_streams_count(diagnosis->streams);
    diagnosis->summaries = calloc(count + 1, sizeof *diagnosis->summaries);
    if (!diagnosis->summaries)
        return -1;
    while (diagnosis->told_count < count)
        summarize_stream(diagnosis, diagnosis->told_count++);
    return 0;
}

static void collect_stops(struct armtap_diagnosis *diagnosis, size_t number)
{
    uint64_t connection = diagnosis->summaries[number].summary->stream->connection;
    const struct stream_monitor *monitor = armtap_monitors_of(diagnosis->monitors, connection);
    for (unsigned arm = 1; monitor && monitor->stops && arm <= ARMTAP_ARMS_MAX; arm++) {
        const struct stop_windows *windows = monitor->stops->arm[arm - 1];
        for (unsigned i = 0; windows && i < windows->count; i++) {
            windows->all[i]->stream = (uint32_t)number;
            windows->all[i]->arm = arm;
            diagnosis->stops[diagnosis->stop_count++] = windows->all[i];
        }
    }
}

/* 0, or -1 if memory runs out. */
static int collect_all_stops(struct armtap_diagnosis *diagnosis)
{
    diagnosis->stops = calloc(STOP_WINDOWS_ALL, sizeof(*diagnosis->stops));
    if (!diagnosis->stops)
        return -1;
    for (size_t i = 0; i < diagnosis->told_count; i++)
        collect_stops(diagnosis, i);
    return 0;
}

static void raise_mismatch(struct armtap_diagnosis *diagnosis, const struct armtap_stream_summary *summary,
                           const struct armtap_arguments *arguments)
{
    armtap_findings_raise(diagnosis->findings, &(struct fact){.code = ARMTAP_FINDING_model_mismatch,
                                                              .stream = summary->stream,
                                                              .where = &summary->last[ARMTAP_FROM_ROBOT],
                                                              .arguments = arguments});
}

/* Whether the tool that the poses show is the one that the robot reports. */
static void find_other_tool(struct armtap_diagnosis *diagnosis, const struct armtap_stream_summary *summary,
                            uint64_t poses)
{
    struct armtap_tool_gap gap;
    if (armtap_kinematics_tool_gap(summary->kinematics, &gap) && gap.is_other)
        raise_mismatch(diagnosis, summary,
                       ARGS(arg_case(ARMTAP_WORD_other_tool), arg_distance_mm(gap.distance * 1000),
                            arg_angle_rad(gap.angle), arg_poses(poses)));
}

/* Whether the pose of the tool follows from the joints. */
static void find_mismatch(struct armtap_diagnosis *diagnosis, const struct armtap_stream_summary *summary)
{
    struct armtap_kinematics_result result;
    if (!summary->kinematics || !is_here(diagnosis, &summary->last[ARMTAP_FROM_ROBOT]))
        return;
    armtap_kinematics_result(summary->kinematics, &result);
    find_other_tool(diagnosis, summary, result.samples);
    if (result.outcome != ARMTAP_KINEMATICS_MISMATCH)
        return;
    if (result.jumps)
        raise_mismatch(diagnosis, summary,
                       ARGS(arg_case(ARMTAP_WORD_jumps), arg_poses_off(result.tools - 1), arg_poses(result.samples)));
    else
        raise_mismatch(diagnosis, summary,
                       ARGS(arg_case(ARMTAP_WORD_no_fit), arg_poses(result.samples),
                            arg_distance_mm(result.residual * 1000), arg_angle_rad(result.turn)));
}

/* Where the capture's clock was set back furthest between the records of a stream. */
static void find_set_back(struct armtap_diagnosis *diagnosis, const struct armtap_stream_summary *summary)
{
    const struct armtap_clock_back *back = summary->back;
    if (back && is_here(diagnosis, &back->where))
        armtap_findings_raise(
            diagnosis->findings,
            &(struct fact){.code = ARMTAP_NOTE_capture_clocks_apart,
                           .stream = summary->stream,
                           .where = &back->where,
                           .arguments = ARGS(arg_case(ARMTAP_WORD_set_back), arg_duration_s((double)back->by / 1e9),
                                             arg_times(back->count))});
}

/* 0, or -1 if memory runs out. */
static int judge(struct armtap_diagnosis *diagnosis)
{
    const struct armtap_connections *connections = armtap_streams_connections(diagnosis->streams);
    struct armtap_facts facts = {.findings = armtap_findings_at(diagnosis->findings, 0),
                                 .finding_count = armtap_findings_count(diagnosis->findings),
                                 .stream_count = armtap_streams_count(diagnosis->streams),
                                 .ports = connections->ports,
                                 .port_count = connections->port_count,
                                 .zone = diagnosis->options.zone};
    diagnosis->judged = calloc(facts.stream_count + 1, sizeof *diagnosis->judged);
    if (!diagnosis->judged)
        return -1;
    for (size_t i = 0; i < facts.stream_count; i++)
        diagnosis->judged[i] = armtap_streams_at(diagnosis->streams, i)->stream;
    facts.streams = diagnosis->judged;
    return armtap_incidents_find(&diagnosis->incidents, &facts);
}

/* 0, or -1 if memory runs out. */
static int settle(struct armtap_diagnosis *diagnosis)
{
    armtap_findings_listen(diagnosis->findings, NULL, NULL);
    if (armtap_streams_unpack(diagnosis->streams) != ARMTAP_OK)
        return -1;
    armtap_streams_number(diagnosis->streams);
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams) && diagnosis->is_left; i++)
        armtap_monitors_leave(diagnosis->monitors, armtap_streams_at(diagnosis->streams, i)->stream);
    bool has_ended = armtap_monitors_end(diagnosis->monitors) == 0;
    find_attempts(diagnosis);
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++) {
        find_mismatch(diagnosis, armtap_streams_at(diagnosis->streams, i));
        find_set_back(diagnosis, armtap_streams_at(diagnosis->streams, i));
    }
    bool is_compared = armtap_robot_changes_find(diagnosis->findings, diagnosis->streams, &diagnosis->refused,
                                                 diagnosis->is_part ? diagnosis->file : UINT32_MAX) == 0;
    if (!has_ended || !is_compared || armtap_findings_failed(diagnosis->findings) || diagnosis->modes.failed ||
        armtap_findings_settle(diagnosis->findings, diagnosis->streams) != 0)
        return -1;
    if (summarize_streams(diagnosis) != 0 || collect_all_stops(diagnosis) != 0)
        return -1;
    return judge(diagnosis);
}

int armtap_diagnosis_finish(struct armtap_diagnosis *diagnosis)
{
    if (!diagnosis)
        return ARMTAP_ERR_ARGUMENT;
    if (diagnosis->is_busy)
        return ARMTAP_ERR_BUSY;
    if (diagnosis->is_finished || diagnosis->error == ARMTAP_ERR_MEMORY)
        return diagnosis->error;
    diagnosis->is_finished = true;
    if (settle(diagnosis) != 0)
        diagnosis->error = ARMTAP_ERR_MEMORY;
    return diagnosis->error;
}

/* ---- captures of an archive -------------------------------------------------------------------------------------- */

void armtap_diagnosis_look_back(struct armtap_diagnosis *diagnosis)
{
    armtap_findings_mute(diagnosis->findings, true);
}

int armtap_diagnosis_begin(struct armtap_diagnosis *diagnosis, uint32_t file)
{
    const struct armtap_attempts *attempts = armtap_streams_attempts(diagnosis->streams);
    size_t count = 0;
    while (armtap_attempts_at(attempts, count))
        count++;
    diagnosis->tried = calloc(count + 1, sizeof *diagnosis->tried);
    if (!diagnosis->tried)
        return ARMTAP_ERR_MEMORY;
    for (; diagnosis->tried_count < count; diagnosis->tried_count++)
        diagnosis->tried[diagnosis->tried_count] = tries_of(armtap_attempts_at(attempts, diagnosis->tried_count));
    armtap_findings_mute(diagnosis->findings, false);
    armtap_monitors_begin(diagnosis->monitors);
    diagnosis->modes.count = 0;
    diagnosis->modes.left_out = 0;
    diagnosis->is_part = true;
    diagnosis->file = file;
    return ARMTAP_OK;
}

void armtap_diagnosis_leave(struct armtap_diagnosis *diagnosis)
{
    diagnosis->is_left = true;
}

static struct armtap_part part_of(struct running_stream *running)
{
    return (struct armtap_part){running->rates, armtap_rates_jitter(running->rates), &running->clocks,
                                &running->was_full};
}

bool armtap_diagnosis_part(const struct armtap_diagnosis *diagnosis, uint64_t connection, struct armtap_part *part)
{
    const struct stream_monitor *monitor = armtap_monitors_of(diagnosis->monitors, connection);
    if (!monitor || !monitor->ended)
        return false;
    *part = part_of(monitor->ended);
    return true;
}

bool armtap_diagnosis_rates_so_far(const struct armtap_diagnosis *diagnosis, uint64_t connection,
                                   struct armtap_rates_totals *totals)
{
    const struct stream_monitor *monitor = armtap_monitors_of(diagnosis->monitors, connection);
    if (monitor && monitor->running)
        armtap_rates_totals(monitor->running->rates, totals);
    else if (monitor)
        *totals = monitor->stream_rates_totals;
    return monitor;
}

int armtap_diagnosis_add_stream(struct armtap_diagnosis *diagnosis, const struct armtap_stream *stream,
                                struct armtap_part *part)
{
    const struct armtap_event event = {.stream = stream, .where = stream->first, .type = ARMTAP_EVENT_RECOGNISED};
    struct running_stream *running = NULL;
    if (armtap_streams_event(diagnosis->streams, &event) == ARMTAP_OK)
        running = armtap_monitors_add(diagnosis->monitors, stream);
    if (!running)
        return ARMTAP_ERR_MEMORY;
    *part = part_of(running);
    return ARMTAP_OK;
}

/* Whether a later capture says it anew, with what came since. */
static bool is_repeated(const struct armtap_note_kind *kind)
{
    bool is_repeated = kind == armtap_note_at(ARMTAP_FINDING_model_mismatch);
    for (int i = 0; i < ARMTAP_ATTEMPT_OUTCOMES; i++)
        is_repeated = is_repeated || kind == armtap_note_at(armtap_attempt_code((enum armtap_attempt_outcome)i));
    return is_repeated;
}

int armtap_diagnosis_add_finding(struct armtap_diagnosis *diagnosis, const struct armtap_finding *finding,
                                 const struct armtap_stream *stream)
{
    const struct fact fact = {.code = (enum armtap_note_code)(finding->kind - armtap_note_at(0)),
                              .stream = stream,
                              .where = &finding->where,
                              .arguments = &finding->arguments,
                              .is_doubtful = finding->is_doubtful,
                              .more = finding->count - 1,
                              .until = &finding->last,
                              .is_sum = finding->is_sum,
                              .total = finding->total};
    if (is_repeated(finding->kind) && !finding->is_sum)
        armtap_findings_drop(diagnosis->findings, finding->kind, stream, &finding->where);
    armtap_findings_raise(diagnosis->findings, &fact);
    return keep_error(diagnosis, 0);
}

int armtap_diagnosis_add_mode(struct armtap_diagnosis *diagnosis, const struct armtap_mode *mode)
{
    armtap_modes_add(&diagnosis->modes, mode);
    return diagnosis->modes.failed ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
}

/* ---- results --------------------------------------------------------------------------------------------------- */

size_t armtap_diagnosis_finding_count(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? armtap_findings_count(diagnosis->findings) : 0;
}

const struct armtap_finding *armtap_diagnosis_finding_at(const struct armtap_diagnosis *diagnosis, size_t i)
{
    return diagnosis ? armtap_findings_at(diagnosis->findings, i) : NULL;
}

size_t armtap_diagnosis_pairs(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? armtap_findings_pairs(diagnosis->findings) : 0;
}

size_t armtap_diagnosis_stream_count(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? diagnosis->told_count : 0;
}

const struct armtap_stream_diagnosis *armtap_diagnosis_stream_at(const struct armtap_diagnosis *diagnosis,
                                                                 size_t number)
{
    return number < armtap_diagnosis_stream_count(diagnosis) ? &diagnosis->summaries[number] : NULL;
}

const struct armtap_streams *armtap_diagnosis_streams(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? diagnosis->streams : NULL;
}

size_t armtap_diagnosis_mode_count(const struct armtap_diagnosis *diagnosis)
{
    return !diagnosis || !diagnosis->is_finished ? 0 : diagnosis->modes.count;
}

const struct armtap_mode *armtap_diagnosis_mode_at(const struct armtap_diagnosis *diagnosis, size_t i)
{
    return i < armtap_diagnosis_mode_count(diagnosis) ? &diagnosis->modes.all[i] : NULL;
}

uint64_t armtap_diagnosis_modes_left_out(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? diagnosis->modes.left_out : 0;
}

size_t armtap_diagnosis_stop_count(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? diagnosis->stop_count : 0;
}

const struct armtap_stop_window *armtap_diagnosis_stop_at(const struct armtap_diagnosis *diagnosis, size_t i)
{
    return i < armtap_diagnosis_stop_count(diagnosis) ? diagnosis->stops[i] : NULL;
}

size_t armtap_diagnosis_incident_count(const struct armtap_diagnosis *diagnosis)
{
    return diagnosis ? diagnosis->incidents.count : 0;
}

const struct armtap_incident *armtap_diagnosis_incident_at(const struct armtap_diagnosis *diagnosis, size_t i)
{
    return diagnosis ? armtap_incidents_at(&diagnosis->incidents, i) : NULL;
}
