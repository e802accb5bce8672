#include "analysis/facts/stream_monitor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_connection.h"
#include "analysis/numbers.h"
#include "analysis/arm/watch.h"
#include "analysis/facts/commands.h"
#include "analysis/facts/flow_rate.h"
#include "speed.h"
#include "analysis/inside.h"
#include "protocol/budget.h"

/* A sender that repeats its data this often got no answer. */
#define RESENT_UNANSWERED 3
/* Streams that may not all be in a cache. */
#define MANY 64
/* A second keep-alive shows that the first was not answered. */
#define KEEPALIVES_UNANSWERED 2
#define FIELDS_LISTED 12

/* So many robots' clocks are followed from one connection to the next, and a clock that fell by more than this many
 * seconds meanwhile shows a restart: connections that overlap are never that far apart. */
#define ROBOTS_MAX 64
#define CLOCK_FALL 1.0

/* The clock of a robot that a program reads from a socket: it connects again when a connection is lost. */
struct robot_clock {
    char robot[64]; /* with its port */
    double clock;
};

struct monitors {
    struct findings *findings;
    struct modes *modes;
    int64_t reach;
    struct armtap_rates_shared *shared;
    bool is_cut;  /* a limit was reached, and reported */
    bool is_part; /* of an archive */
    size_t stops; /* of all streams */
    bool failed;  /* memory ran out for a stream that has ended */
    size_t asked; /* requests of all RTDE clients that wait for a reply */
    struct stalls stalls;
    struct drivers drivers;
    struct usual_motions usual; /* of ur_rtde's commands */
    struct robot_clock robots[ROBOTS_MAX];
    size_t robot_count;
    struct by_connection all; /* struct stream_monitor */
};

struct monitors *armtap_monitors_new(struct findings *findings, struct modes *modes, int64_t reach,
                                     bool frequency_wanted)
{
    struct monitors *monitors = calloc(1, sizeof *monitors);
    if (!monitors)
        return NULL;
    monitors->findings = findings;
    monitors->modes = modes;
    monitors->reach = reach;
    monitors->usual.key = armtap_hash_draw_key();
    monitors->shared = armtap_rates_shared_new(0);
    if (!monitors->shared) {
        free(monitors);
        return NULL;
    }
    monitors->shared->frequency_wanted = frequency_wanted;
    return monitors;
}

static void free_running(struct running_stream *running)
{
    if (!running)
        return;
    armtap_rates_free(running->rates);
    armtap_clock_drift_clear(&running->clocks);
    armtap_missing_records_clear(&running->holes);
    armtap_repeats_free(running->repeats);
    free(running->modes);
    free(running);
}

/* `all`: else only those rows that were kept for a stop that never came. */
static void free_stops(struct stream_monitor *monitor, bool all)
{
    bool is_empty = true;
    for (size_t i = 0; monitor->stops && i < ARMTAP_ARMS_MAX; i++) {
        struct stop_windows **stops = &monitor->stops->arm[i];
        if (*stops && (all || (*stops)->count == 0)) {
            armtap_stop_window_free(*stops);
            free(*stops);
            *stops = NULL;
        }
        is_empty = is_empty && !*stops;
    }
    if (!is_empty)
        return;
    free(monitor->stops);
    monitor->stops = NULL;
}

/* Frees the large state of a running stream and keeps its small results. */
static void free_requests(struct monitors *monitors, struct stream_monitor *monitor)
{
    monitors->asked -= monitor->requests ? armtap_unanswered_count(monitor->requests) : 0;
    free(monitor->requests);
    monitor->requests = NULL;
}

static void end_monitor(struct monitors *monitors, struct stream_monitor *monitor)
{
    struct running_stream *running = monitor->running;
    if (!running)
        return;
    if (!running->is_left)
        armtap_missing_records_end(&running->holes, monitors->findings);
    armtap_repeats_end(running->repeats, monitors->findings);
    armtap_rates_totals(running->rates, &monitor->stream_rates_totals);
    armtap_clock_drift_totals(&running->clocks, &monitor->clock_drift_totals);
    monitor->clock_drift_totals.has_drift = monitor->clock_drift_totals.has_drift && !running->was_full;
    monitors->failed =
        monitors->failed || armtap_rates_failed(running->rates) || running->clocks.failed || running->holes.failed;
    if (monitors->is_part)
        monitor->ended = running;
    else
        free_running(running);
    free_stops(monitor, false);
    free_requests(monitors, monitor);
    monitor->running = NULL;
}

static void monitor_free(struct stream_monitor *monitor)
{
    free_running(monitor->running);
    free_running(monitor->ended);
    free_stops(monitor, true);
    free(monitor->requests);
    free(monitor->command);
    free(monitor);
}

void armtap_monitors_free(struct monitors *monitors)
{
    if (!monitors)
        return;
    for (size_t i = 0; i < monitors->all.count; i++)
        monitor_free(monitors->all.slots[i].thing);
    armtap_stalls_free(&monitors->stalls);
    armtap_drivers_free(&monitors->drivers);
    armtap_usual_motions_free(&monitors->usual);
    armtap_rates_shared_free(monitors->shared);
    free(monitors->all.slots);
    free(monitors);
}

/* ---- finding --------------------------------------------------------------------------------------------------- */

const struct stream_monitor *armtap_monitors_of(const struct monitors *monitors, uint64_t connection)
{
    return by_connection_look_up(&monitors->all, connection);
}

static struct stream_monitor *monitor_new(struct monitors *monitors)
{
    struct stream_monitor *monitor = calloc(1, sizeof *monitor);
    if (!monitor)
        return NULL;
    monitor->running = calloc(1, sizeof *monitor->running);
    if (monitor->running && (monitor->running->rates = armtap_rates_new(monitors->shared, NULL)))
        return monitor;
    monitor_free(monitor);
    return NULL;
}

/* Finds or adds the monitor of a connection; NULL if memory runs out. */
static struct stream_monitor *find_or_add(struct monitors *monitors, const struct armtap_stream *stream)
{
    struct stream_monitor *monitor = by_connection_find(&monitors->all, stream->connection);
    if (monitor)
        return monitor;
    monitor = monitor_new(monitors);
    if (!monitor)
        return NULL;
    monitor->running->was_full = armtap_stalls_of_client(&monitors->stalls, stream->connection);
    if (by_connection_add(&monitors->all, stream->connection, monitor))
        return monitor;
    monitor_free(monitor);
    return NULL;
}

/* ---- feeding --------------------------------------------------------------------------------------------------- */

/* A place for the stops of an arm, from 1; NULL if memory runs out. */
static struct stop_windows *stops_of(struct stream_monitor *monitor, unsigned arm)
{
    if (!monitor->stops && !(monitor->stops = calloc(1, sizeof *monitor->stops)))
        return NULL;
    struct stop_windows **stops = &monitor->stops->arm[arm - 1];
    if (!*stops)
        *stops = calloc(1, sizeof **stops);
    return *stops;
}

/* Whether to keep the rows around a stop: there is room for one more. */
static bool shows_stop(struct monitors *monitors, const struct stop_windows *stops, bool stop_begins)
{
    bool shows = stop_begins && stops->count < STOP_WINDOWS_EACH && monitors->stops < STOP_WINDOWS_ALL;
    monitors->stops += shows;
    return shows;
}

static int watch_stops(struct monitors *monitors, struct stream_monitor *monitor, const struct armtap_record *record,
                       const struct armtap_arm *arm, bool stop_begins)
{
    struct stop_windows *stops = stops_of(monitor, arm->number);
    if (!stops)
        return -1;
    return armtap_stop_window_record(stops, record, arm, shows_stop(monitors, stops, stop_begins), monitors->reach);
}

/* Keeps what drivers commanded before a stop of their robot. */
static int mark_commands(struct monitors *monitors, const struct armtap_record *record)
{
    uint64_t connection;
    for (size_t from = 0; armtap_drivers_next(&monitors->drivers, record->stream->robot, &from, &connection);) {
        const struct stream_monitor *driver = armtap_monitors_of(monitors, connection);
        struct stop_windows *stops = driver && driver->stops ? driver->stops->arm[0] : NULL;
        unsigned count = stops ? stops->count : 0;
        if (!stops || monitors->stops == STOP_WINDOWS_ALL)
            continue;
        if (armtap_stop_window_mark(stops, &record->where, monitors->reach) != 0)
            return -1;
        monitors->stops += stops->count - count;
    }
    return 0;
}

static int watch_commands(struct monitors *monitors, struct stream_monitor *monitor, const struct armtap_record *record)
{
    struct command command;
    if (!record->recipe || record->protocol != ARMTAP_EXTERNAL_CONTROL || !armtap_command_read(record, &command))
        return 0;
    struct stop_windows *stops = stops_of(monitor, 1);
    if (!stops)
        return -1;
    armtap_stop_window_command(stops, &command, monitors->reach);
    return 0;
}

/* Makes place for the modes of the record's arms; the first has those of the robot, too. False if memory runs out. */
static bool make_places(struct running_stream *running, const struct armtap_record *record)
{
    unsigned arms = running->arms;
    for (size_t i = 0; i < record->arm_count; i++)
        arms = record->arms[i].number > arms ? record->arms[i].number : arms;
    if (arms == running->arms)
        return true;
    struct modes_last *modes = realloc(running->modes, arms * sizeof *modes);
    if (!modes)
        return false;
    memset(modes + running->arms, 0, (arms - running->arms) * sizeof *modes);
    running->modes = modes;
    running->arms = arms;
    return true;
}

static int watch_arms(struct monitors *monitors, struct stream_monitor *monitor, const struct armtap_record *record)
{
    struct running_stream *running = monitor->running;
    if (!record->recipe)
        return 0;
    if (!make_places(running, record))
        return -1;
    for (size_t i = 0; i < record->arm_count; i++) {
        const struct armtap_arm *arm = &record->arms[i];
        bool stop_begins =
            armtap_modes_record(monitors->modes, running->modes, monitors->findings, record, i, running->repeats);
        if (monitors->modes->failed || armtap_findings_failed(monitors->findings))
            return -1;
        if (monitors->reach > 0 && stop_begins && mark_commands(monitors, record) != 0)
            return -1;
        if (monitors->reach > 0 && watch_stops(monitors, monitor, record, arm, stop_begins) != 0)
            return -1;
    }
    return 0;
}

/* The robot's clock, added if it is new; NULL if too many are known. */
static struct robot_clock *robot_clock_of(struct monitors *monitors, const char *robot)
{
    for (size_t i = 0; i < monitors->robot_count; i++)
        if (strcmp(monitors->robots[i].robot, robot) == 0)
            return &monitors->robots[i];
    if (monitors->robot_count == ROBOTS_MAX || strlen(robot) >= sizeof monitors->robots->robot)
        return NULL;
    struct robot_clock *added = &monitors->robots[monitors->robot_count++];
    snprintf(added->robot, sizeof added->robot, "%s", robot);
    added->clock = -INFINITY;
    return added;
}

/* Compares a connection's first clock with the last one of the robot's connection before. */
static void follow_clock(struct monitors *monitors, struct running_stream *running, const struct armtap_record *record)
{
    const struct armtap_stream *stream = record->stream;
    if (stream->origin != ARMTAP_ORIGIN_SOCKET || record->direction != ARMTAP_FROM_ROBOT || !(record->clock > 0))
        return;
    bool first = !running->robot;
    if (first)
        running->robot = robot_clock_of(monitors, stream->robot);
    if (!running->robot)
        return;
    if (first && record->clock < running->robot->clock - CLOCK_FALL)
        armtap_findings_raise(
            monitors->findings,
            &(struct fact){.code = ARMTAP_FINDING_clock_backwards,
                           .stream = stream,
                           .where = &record->where,
                           .arguments = ARGS(arg_case(ARMTAP_WORD_restarted), arg_clock_before_s(running->robot->clock),
                                             arg_clock_s(record->clock))});
    running->robot->clock = record->clock;
}

/* Where many streams take turns none is in a cache: what the next ones need is fetched in four steps, each of which
 * finds its way by what the one before fetched. */
static void prefetch_ahead(const struct monitors *monitors)
{
    if (monitors->all.count < MANY)
        return;
    const struct stream_monitor *next = by_connection_ahead(&monitors->all, 1);
    const struct stream_monitor *second = by_connection_ahead(&monitors->all, 2);
    const struct stream_monitor *third = by_connection_ahead(&monitors->all, 3);
    if (next->running)
        armtap_rates_prefetch_flow(next->running->rates);
    if (second->running)
        armtap_rates_prefetch(second->running->rates);
    if (third->running)
        armtap_prefetch(third->running, offsetof(struct running_stream, clocks.best));
    armtap_prefetch(by_connection_ahead(&monitors->all, 4), offsetof(struct stream_monitor, stream_rates_totals));
}

/* Whether an RTDE client has no data yet: its messages show what it asks for. */
static bool lacks_data(const struct armtap_stream *stream)
{
    return stream->protocol == ARMTAP_RTDE && stream->records[ARMTAP_FROM_ROBOT] == 0;
}

/* A place for what a client asks for. 0, or -1 if memory runs out. */
static int make_requests(struct stream_monitor *monitor)
{
    if (!monitor->requests)
        monitor->requests = calloc(1, sizeof *monitor->requests);
    return monitor->requests ? 0 : -1;
}

/* Whether a window that was too small explains why the record came late. `last`: the record before. */
static void end_narrow(const struct monitors *monitors, struct running_stream *running,
                       const struct armtap_record *record, const struct armtap_where *last)
{
    struct armtap_rates_step step;
    armtap_rates_last_step(running->rates, record, &step);
    const struct narrow_end end = {.stream = record->stream,
                                   .last = *last,
                                   .now = record->where,
                                   .message = record->frame_length,
                                   .usual = step.usual,
                                   .is_skip = step.skipped > 0,
                                   .is_after_gap = (record->flags & ARMTAP_AFTER_GAP) != 0};
    running->was_full = armtap_narrow_end(&running->narrow, monitors->findings, &end) || running->was_full;
}

static void follow_lossy(const struct monitors *monitors, struct running_stream *running,
                         const struct armtap_record *record)
{
    struct armtap_rates_step step;
    armtap_rates_last_step(running->rates, record, &step);
    armtap_lossy_record(&running->lossy, monitors->findings, record, &running->holes.last, step.usual);
}

/* Of the captures before that of an archive not all records are there, but all are counted. */
static void pass(const struct monitors *monitors, struct running_stream *running, const struct armtap_record *record)
{
    uint64_t now = record->stream->records[record->direction], before = running ? running->seen[record->direction] : 0;
    if (running)
        running->seen[record->direction] = now;
    if (before == 0 || now == before + 1 || !armtap_findings_is_muted(monitors->findings))
        return;
    if (record->direction == ARMTAP_FROM_ROBOT)
        armtap_rates_pass(running->rates);
    else
        armtap_drivers_pass(&monitors->drivers, record->stream->connection);
}

/* All of a state for the rows of stops, and where the arm is that drivers command. */
int armtap_monitors_want(const struct monitors *monitors, const struct armtap_stream *stream,
                         enum armtap_direction direction)
{
    int state = monitors->reach > 0 || monitors->drivers.count > 0 ? ARMTAP_WANTS_STATE : ARMTAP_WANTS_MODES;
    bool may_ask = stream->protocol == ARMTAP_DASHBOARD ||
                   (stream->protocol == ARMTAP_RTDE && (direction == ARMTAP_TO_ROBOT || monitors->asked > 0));
    return may_ask || lacks_data(stream) ? state | ARMTAP_WANTS_MESSAGE : state;
}

/* Data answers what was asked before it. */
static void take_data(struct monitors *monitors, struct stream_monitor *monitor, const struct armtap_record *record)
{
    unsigned before = armtap_unanswered_count(monitor->requests);
    bool is_settled = armtap_unanswered_record(monitor->requests, record->stream->records[ARMTAP_FROM_ROBOT] <= 1);
    monitors->asked -= before - armtap_unanswered_count(monitor->requests);
    if (is_settled)
        free_requests(monitors, monitor);
}

int armtap_monitors_record(struct monitors *monitors, const struct armtap_record *record)
{
    size_t before = monitors->all.recent;
    struct stream_monitor *monitor = find_or_add(monitors, record->stream);
    if (!monitor)
        return -1;
    if (monitors->all.recent != before)
        prefetch_ahead(monitors);
    pass(monitors, monitor->running, record);
    struct running_stream *running = monitor->running;
    if (armtap_drivers_record(&monitors->drivers, monitors->findings, record, running ? running->modes : NULL) != 0)
        return -1;
    if (monitor->requests && record->direction == ARMTAP_FROM_ROBOT)
        take_data(monitors, monitor, record);
    if (!running)
        return 0;
    if (record->direction == ARMTAP_FROM_ROBOT && running->resent[ARMTAP_FROM_ROBOT].heard == 0)
        running->resent[ARMTAP_FROM_ROBOT].count = 0; /* the client's packets are not in the capture */
    if (record->direction == ARMTAP_FROM_ROBOT)
        running->answered = 0;
    bool is_narrow = running->narrow.from.packet > 0 && record->direction == ARMTAP_FROM_ROBOT;
    const struct armtap_where last = is_narrow ? running->holes.last : record->where;
    if (record->direction == ARMTAP_FROM_ROBOT && running->lossy.count > 0)
        follow_lossy(monitors, running, record);
    armtap_missing_records_record(&running->holes, monitors->findings, record);
    follow_clock(monitors, running, record);
    armtap_rates_take_record(running->rates, monitors->findings, record);
    if (is_narrow)
        end_narrow(monitors, running, record, &last);
    armtap_clock_drift_record(&running->clocks, record);
    if (armtap_rates_failed(running->rates) || running->clocks.failed)
        return -1;
    if (monitors->shared->is_cut && !monitors->is_cut) {
        monitors->is_cut = true;
        armtap_findings_raise(monitors->findings,
                              &(struct fact){.code = ARMTAP_NOTE_input_hostile,
                                             .stream = record->stream,
                                             .where = &record->where,
                                             .arguments = BUDGET_ARGS(armtap_budget_find("channels"))});
    }
    if (record->direction == ARMTAP_FROM_ROBOT)
        return watch_arms(monitors, monitor, record) == 0 &&
                       armtap_repeats_record(&running->repeats, monitors->findings, record, running->modes)
                   ? 0
                   : -1;
    return monitors->reach > 0 ? watch_commands(monitors, monitor, record) : 0;
}

int armtap_monitors_message(struct monitors *monitors, const struct armtap_message *message)
{
    bool is_line = message->stream->protocol == ARMTAP_DASHBOARD;
    if ((message->stream->protocol != ARMTAP_RTDE && !is_line) ||
        !(is_line || monitors->asked > 0 || lacks_data(message->stream) || armtap_unanswered_is_request(message)))
        return 0;
    struct stream_monitor *monitor = find_or_add(monitors, message->stream);
    if (!monitor || make_requests(monitor) != 0)
        return -1;
    unsigned before = armtap_unanswered_count(monitor->requests);
    armtap_unanswered_message(monitor->requests, message);
    monitors->asked += armtap_unanswered_count(monitor->requests) - before;
    return 0;
}

int armtap_monitors_command(struct monitors *monitors, const struct armtap_command *command)
{
    struct stream_monitor *monitor = find_or_add(monitors, command->stream);
    if (!monitor || (!monitor->command && !(monitor->command = calloc(1, sizeof *monitor->command))))
        return -1;
    int error = armtap_robot_commands_take(monitor->command, &monitors->usual, monitors->findings, command);
    return error != 0 || armtap_findings_failed(monitors->findings) ? -1 : 0;
}

int armtap_monitors_note(struct monitors *monitors, const struct armtap_note *note)
{
    const struct stream_monitor *monitor = note->stream ? armtap_monitors_of(monitors, note->stream->connection) : NULL;
    const struct running_stream *running = monitor ? monitor->running : NULL;
    if (running)
        armtap_rates_take_note(running->rates, monitors->findings, note);
    armtap_drivers_note(&monitors->drivers, monitors->findings, note);
    bool has_failed = running && running->holes.failed;
    return has_failed || armtap_findings_failed(monitors->findings) ? -1 : 0;
}

bool armtap_monitors_keep(struct monitors *monitors, const struct armtap_note *note)
{
    const struct stream_monitor *monitor = note->stream ? armtap_monitors_of(monitors, note->stream->connection) : NULL;
    return monitor && monitor->running && armtap_missing_records_note(&monitor->running->holes, note);
}

/* What `one` has beyond `other`. Returns how many more there are than are listed. */
static uint64_t list_fields(struct armtap_line *names, const struct armtap_set *one, const struct armtap_set *other)
{
    uint64_t listed = 0, more = 0;
    armtap_line_begin(names);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        if (!armtap_set_has(one, id) || armtap_set_has(other, id))
            continue;
        if (listed < FIELDS_LISTED && armtap_line_name(names, armtap_field_at(id)->name))
            listed++;
        else
            more++;
    }
    return more;
}

/* Reports a set-up that gives the data of a running stream other fields. */
static void follow_outputs(struct monitors *monitors, struct running_stream *running,
                           const struct armtap_recipe_event *event)
{
    struct armtap_set outputs = {{0}};
    struct armtap_line lacks, has;
    bool is_known = event->stream->protocol == ARMTAP_RTDE && !(event->flags & ARMTAP_GUESSED);
    if (event->direction != ARMTAP_FROM_ROBOT)
        return;
    for (size_t i = 0; is_known && i < armtap_recipe_count(event->recipe); i++)
        if (armtap_recipe_at(event->recipe, i)->field)
            armtap_set_add(&outputs, armtap_recipe_at(event->recipe, i)->field->id);
    uint64_t more_before = list_fields(&lacks, &running->outputs, &outputs);
    uint64_t more = list_fields(&has, &outputs, &running->outputs);
    bool is_changed = lacks.length > 0 || has.length > 0;
    if (is_changed && is_known && running->has_outputs && event->stream->records[ARMTAP_FROM_ROBOT] > 0)
        armtap_findings_raise(
            monitors->findings,
            &(struct fact){.code = ARMTAP_FINDING_rtde_recipe_changed,
                           .stream = event->stream,
                           .where = &event->where,
                           .arguments = ARGS(arg_names_before(&lacks),
                                             more_before > 0 ? arg_more_before(more_before) : arg_none(true),
                                             arg_names(&has), more > 0 ? arg_more(more) : arg_none(true))});
    running->outputs = outputs;
    running->has_outputs = is_known;
}

int armtap_monitors_recipe(struct monitors *monitors, const struct armtap_recipe_event *event)
{
    struct stream_monitor *monitor = find_or_add(monitors, event->stream);
    if (!monitor)
        return -1;
    struct armtap_rates *rates = monitor->running ? monitor->running->rates : NULL;
    if (rates)
        armtap_rates_take_recipe(rates, monitors->findings, event);
    if (monitor->running)
        follow_outputs(monitors, monitor->running, event);
    return armtap_findings_failed(monitors->findings) || (rates && armtap_rates_failed(rates)) ? -1 : 0;
}

/* A socket does not show whether a program broke off, or its system did because nothing answered. */
static bool may_be_cut(const struct armtap_event *event)
{
    return event->stream->origin == ARMTAP_ORIGIN_SOCKET && event->direction == ARMTAP_TO_ROBOT &&
           event->a == ARMTAP_CLOSE_RESET;
}

/* What a close leaves open. */
static enum armtap_word doubt_of(const struct armtap_event *event)
{
    if (event->doubtful && !event->answers)
        return event->stream->packets[!event->direction] == 0 ? ARMTAP_WORD_unheard : ARMTAP_WORD_perhaps_after;
    return may_be_cut(event) ? ARMTAP_WORD_perhaps_given_up : ARMTAP_WORD_none;
}

/* Reports a robot that closes while its data runs, as its client neither does nor asks for. */
static void report_end(struct monitors *monitors, const struct stream_monitor *monitor,
                       const struct armtap_event *event)
{
    const struct armtap_stream *stream = event->stream;
    bool is_steady = !armtap_stream_has(stream, ARMTAP_TRAIT_BESIDE) || armtap_stream_has(stream, ARMTAP_TRAIT_UNASKED);
    if (monitor->closing || event->a != ARMTAP_CLOSE_FIN || !armtap_is_closed_by(event, ARMTAP_FROM_ROBOT) ||
        !is_steady || !armtap_rates_run(monitor->running->rates, &event->where))
        return;
    armtap_findings_raise(monitors->findings,
                          &(struct fact){.code = ARMTAP_FINDING_stream_ended_by_robot,
                                         .stream = stream,
                                         .where = &event->where,
                                         .arguments = ARGS(arg_records((double)stream->records[ARMTAP_FROM_ROBOT]))});
}

/* Whether what one side asked got no answer up to the end of the connection. Answers are known only if the capture has
 * the other side. */
static bool is_unanswered(const struct asking *asking, const struct armtap_event *event, enum armtap_direction by)
{
    uint64_t heard = event->stream->packets[!by];
    bool is_closer = event->direction != by && (event->a == ARMTAP_CLOSE_FIN || event->a == ARMTAP_CLOSE_RESET);
    uint32_t since = (uint32_t)heard - asking->heard;
    return heard > 0 && (since == 0 || (is_closer && since == 1));
}

/* Adds what was asked before, if that got an answer. `is_over`: a packet that ends the connection is none. */
static void count_answer(struct running_stream *running, const struct armtap_event *event, enum armtap_direction by)
{
    struct asking *asking = &running->asking[by];
    bool has_answer = asking->count > 0 && event->stream->packets[!by] > 0 && !is_unanswered(asking, event, by);
    if (has_answer && running->answered < UINT16_MAX)
        running->answered++;
    asking->count = 0;
}

static bool keepalives_unanswered(const struct running_stream *running, const struct armtap_event *event,
                                  enum armtap_direction by)
{
    const struct asking *asking = &running->asking[by];
    return asking->count >= KEEPALIVES_UNANSWERED && is_unanswered(asking, event, by);
}

static bool resends_unanswered(const struct running_stream *running, const struct armtap_event *event,
                               enum armtap_direction by)
{
    const struct asking *resent = &running->resent[by];
    return resent->count >= RESENT_UNANSWERED && is_unanswered(resent, event, by);
}

/* What a RST shows besides: its sender got no answer, or no longer has the connection. */
static enum armtap_word reason_of_reset(const struct stream_monitor *monitor, const struct armtap_event *event)
{
    static const enum armtap_word gone[] = {
        [ARMTAP_FROM_ROBOT] = ARMTAP_WORD_robot_gone, [ARMTAP_TO_ROBOT] = ARMTAP_WORD_client_gone};
    const struct running_stream *running = monitor->running;
    enum armtap_direction by = event->direction;
    if (event->stream->origin == ARMTAP_ORIGIN_SOCKET || event->stream->records[ARMTAP_FROM_ROBOT] == 0)
        return ARMTAP_WORD_none;
    if (running && (keepalives_unanswered(running, event, by) || resends_unanswered(running, event, by)))
        return gone[!by];
    return event->reset.is_answer ? gone[by] : ARMTAP_WORD_none;
}

/* Whether a RST is how the client's system ends a connection for a program that ended, or answers what comes
 * afterwards; so does one that only looks whether a port greets it. Of a robot's, which closes by FIN, neither is
 * known.
 */
static bool is_ordinary_reset(const struct armtap_event *event, enum armtap_word reason)
{
    return event->direction == ARMTAP_TO_ROBOT && event->stream->origin != ARMTAP_ORIGIN_SOCKET &&
           reason != ARMTAP_WORD_robot_gone &&
           (event->stream->records[ARMTAP_FROM_ROBOT] > 0 ||
            (event->stream->payload[ARMTAP_FROM_ROBOT] > 0 && event->stream->payload[ARMTAP_TO_ROBOT] == 0));
}

/* Reports the side that closes first. The other side's answer belongs to that close, and so does a reset during it (a
 * program that quits while data still arrives). */
static void report_close(struct monitors *monitors, struct stream_monitor *monitor, const struct armtap_event *event)
{
    const struct armtap_reset *reset = &event->reset;
    bool is_reset = event->a == ARMTAP_CLOSE_RESET;
    if (monitor->closing || (event->a != ARMTAP_CLOSE_FIN && !is_reset))
        return;
    bool is_other_ttl = reset->ttl != reset->ttl_of_rest, is_other_mac = reset->mac != reset->mac_of_rest;
    bool is_foreign = is_reset && (is_other_ttl || is_other_mac || reset->went_on || reset->is_both);
    enum armtap_word reason = is_reset && !is_foreign ? reason_of_reset(monitor, event) : ARMTAP_WORD_none;
    bool is_ordinary = is_reset && !is_foreign && is_ordinary_reset(event, reason);
    bool is_robot = (event->direction == ARMTAP_FROM_ROBOT) != event->answers;
    enum armtap_word side = is_robot ? ARMTAP_WORD_robot : ARMTAP_WORD_client;
    const struct fact fact = {
        .code = is_reset && !is_ordinary ? ARMTAP_NOTE_tcp_reset : ARMTAP_NOTE_tcp_closed,
        .stream = event->stream,
        .where = &event->where,
        .arguments = ARGS(arg_who(is_foreign ? ARMTAP_WORD_between : side), arg_doubt(doubt_of(event)),
                          arg_direction(is_foreign ? armtap_direction_word(event->direction) : ARMTAP_WORD_none),
                          is_other_ttl ? arg_ttl(reset->ttl) : arg_none(true),
                          is_other_ttl ? arg_ttl_of_rest(reset->ttl_of_rest) : arg_none(true),
                          arg_case(armtap_reset_case(reset)), arg_reason(reason),
                          is_ordinary && !reset->is_answer ? arg_unread_bytes(reset->unread) : arg_none(true)),
        .is_doubtful = (event->doubtful && !event->answers) || is_foreign};
    armtap_findings_raise(monitors->findings, &fact);
}

/* Whether a window that is too small explains why no record came until the connection ended. */
static bool is_narrow_until(const struct monitors *monitors, struct running_stream *running,
                            const struct armtap_event *event)
{
    const struct narrow_end end = {.stream = event->stream,
                                   .last = running->holes.last,
                                   .now = event->where,
                                   .message = running->holes.length,
                                   .close = armtap_stalls_close_word(event)};
    return armtap_narrow_end(&running->narrow, monitors->findings, &end);
}

/* Explains the silence before a close by what TCP shows. Of what was read from a socket, keep-alives are not known. */
static void blame(const struct monitors *monitors, struct running_stream *running, const struct armtap_event *event)
{
    const struct narrow_window narrow = running->narrow;
    bool is_narrow = is_narrow_until(monitors, running, event);
    bool is_robot_gone = keepalives_unanswered(running, event, ARMTAP_TO_ROBOT);
    bool is_client_gone = keepalives_unanswered(running, event, ARMTAP_FROM_ROBOT);
    const uint64_t asked[2] = {running->asking[0].count, running->asking[1].count};
    count_answer(running, event, ARMTAP_TO_ROBOT);
    count_answer(running, event, ARMTAP_FROM_ROBOT);
    struct flow_rate_blame why = {.reason = ARMTAP_WORD_none};
    if (running->stuck.packet > 0)
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_client_stopped_reading,
                                       .from_packet = running->stuck.packet};
    else if (is_narrow)
        why = (struct flow_rate_blame){
            .reason = ARMTAP_WORD_client_stopped_reading, .bytes = narrow.room, .from_packet = narrow.from.packet};
    else if (resends_unanswered(running, event, ARMTAP_FROM_ROBOT))
        why =
            (struct flow_rate_blame){.reason = ARMTAP_WORD_held_up, .times = running->resent[ARMTAP_FROM_ROBOT].count};
    else if (is_robot_gone)
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_robot_gone, .times = asked[ARMTAP_TO_ROBOT]};
    else if (is_client_gone)
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_client_gone, .times = asked[ARMTAP_FROM_ROBOT]};
    else if (running->answered > 0 && event->unseen[ARMTAP_FROM_ROBOT] > 0)
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_not_captured, .bytes = event->unseen[ARMTAP_FROM_ROBOT]};
    else if (running->answered > 0)
        why = (struct flow_rate_blame){.reason = ARMTAP_WORD_program_silent, .times = running->answered};
    else if (may_be_cut(event))
        why.reason = ARMTAP_WORD_reset;
    armtap_rates_blame(running->rates, &why);
}

static void take_close(struct monitors *monitors, struct stream_monitor *monitor, const struct armtap_event *event)
{
    report_close(monitors, monitor, event);
    if (monitor->command)
        armtap_robot_commands_close(monitor->command, monitors->findings, event);
    if (monitor->running && !monitor->closing) {
        report_end(monitors, monitor, event);
        armtap_lossy_event(&monitor->running->lossy, monitors->findings, event, monitor->running->stuck.packet == 0);
        blame(monitors, monitor->running, event);
        armtap_rates_take_event(monitor->running->rates, monitors->findings, event);
    }
    monitor->closing = true;
    monitor->closed[event->direction] = true;
    if (event->a == ARMTAP_CLOSE_FIN && !monitor->closed[!event->direction])
        return;
    if (monitor->requests && monitor->running)
        armtap_unanswered_end(monitor->requests, monitors->findings, event, &monitor->running->holes.last);
    end_monitor(monitors, monitor);
}

/* What happened to a packet on the network. Also for connections whose protocol is not known yet. */
static void report_transport(struct monitors *monitors, const struct armtap_event *event)
{
    static const struct {
        enum armtap_event_type type;
        enum armtap_note_code code;
    } kinds[] = {{ARMTAP_EVENT_RETRANSMISSION, ARMTAP_FINDING_tcp_retransmission},
                 {ARMTAP_EVENT_DUPLICATE, ARMTAP_FINDING_capture_duplicate},
                 {ARMTAP_EVENT_OUT_OF_ORDER, ARMTAP_FINDING_tcp_out_of_order}};
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && kinds[i].type != event->type)
        i++;
    if (i == sizeof kinds / sizeof *kinds)
        return;
    bool is_late = event->type == ARMTAP_EVENT_RETRANSMISSION && event->resent.late >= 0;
    const struct fact fact = {.code = kinds[i].code,
                              .stream = event->stream,
                              .where = &event->where,
                              .arguments =
                                  ARGS(arg_bytes(event->a), arg_direction(armtap_direction_word(event->direction)),
                                       is_late ? arg_duration_s((double)event->resent.late / 1e9) : arg_none(true),
                                       arg_is_acknowledged(event->resent.is_acknowledged),
                                       arg_doubt(event->doubtful ? ARMTAP_WORD_by_delay : ARMTAP_WORD_none)),
                              .is_doubtful = event->doubtful};
    armtap_findings_raise(monitors->findings, &fact);
}

/* What TCP shows of a stream that runs. */
static void take_running(struct monitors *monitors, struct running_stream *running, const struct armtap_event *event)
{
    uint32_t heard = (uint32_t)event->stream->packets[!event->direction];
    struct asking *resent = &running->resent[event->direction];
    running->was_full = running->was_full || armtap_stalls_of_client(&monitors->stalls, event->stream->connection);
    if (event->type == ARMTAP_EVENT_RETRANSMISSION)
        *resent = (struct asking){resent->heard == heard ? resent->count + 1 : 1, heard};
    if (event->type == ARMTAP_EVENT_KEEP_ALIVE && event->a == 1)
        count_answer(running, event, event->direction);
    if (event->type == ARMTAP_EVENT_KEEP_ALIVE)
        running->asking[event->direction] = (struct asking){(uint32_t)event->a, heard};
    if (event->type == ARMTAP_EVENT_CLOSE)
        return;
    armtap_lossy_event(&running->lossy, monitors->findings, event, running->stuck.packet == 0);
    armtap_narrow_event(&running->narrow, event, running->holes.length);
    armtap_missing_records_event(&running->holes, event);
    armtap_rates_take_event(running->rates, monitors->findings, event);
}

/* Of a connection with telemetry. `stuck`: where its client's receive buffer became full. 0, or -1 if memory runs out.
 */
static int take_event(struct monitors *monitors, const struct armtap_event *event, struct armtap_where stuck)
{
    struct stream_monitor *monitor = find_or_add(monitors, event->stream);
    bool is_pause = event->type == ARMTAP_EVENT_PAUSE && event->stream->protocol == ARMTAP_RTDE;
    if (!monitor || ((is_pause || lacks_data(event->stream)) && make_requests(monitor) != 0))
        return -1;
    if (monitor->requests)
        armtap_unanswered_event(monitor->requests, event);
    if (event->type == ARMTAP_EVENT_GAP && monitor->command)
        armtap_robot_commands_gap(monitor->command);
    if (monitor->running) {
        monitor->running->stuck = stuck;
        take_running(monitors, monitor->running, event);
    }
    if (event->type == ARMTAP_EVENT_CLOSE)
        take_close(monitors, monitor, event);
    return 0;
}

int armtap_monitors_event(struct monitors *monitors, const struct armtap_event *event)
{
    struct armtap_where stuck = armtap_stalls_begin_of_client(&monitors->stalls, event->stream->connection);
    report_transport(monitors, event);
    armtap_drivers_event(&monitors->drivers, monitors->findings, event);
    if (armtap_stalls_event(&monitors->stalls, monitors->findings, event) != 0)
        return -1;
    if (event->stream->protocol != ARMTAP_PROTOCOL_NONE) {
        if (take_event(monitors, event, stuck) != 0)
            return -1;
    } else if (event->type == ARMTAP_EVENT_CLOSE) {
        armtap_stalls_forget(&monitors->stalls, event->stream->connection);
        armtap_findings_forget(monitors->findings, event->stream->connection);
    }
    return monitors->failed || armtap_findings_failed(monitors->findings) ? -1 : 0;
}

void armtap_monitors_forget(struct monitors *monitors, uint64_t connection)
{
    struct stream_monitor *monitor = by_connection_remove(&monitors->all, connection);
    if (monitor)
        monitor_free(monitor);
    armtap_stalls_forget(&monitors->stalls, connection);
    armtap_findings_add_up(monitors->findings, connection);
}

void armtap_monitors_begin(struct monitors *monitors)
{
    monitors->is_part = true;
    for (size_t i = 0; i < monitors->all.count; i++) {
        struct stream_monitor *monitor = monitors->all.slots[i].thing;
        if (!monitor->running)
            continue;
        monitor->running->was_full = false;
        armtap_rates_begin(monitor->running->rates);
        armtap_clock_drift_begin(&monitor->running->clocks);
    }
}

void armtap_monitors_leave(struct monitors *monitors, const struct armtap_stream *stream)
{
    const struct stream_monitor *monitor = armtap_monitors_of(monitors, stream->connection);
    if (!monitor || !monitor->running)
        return;
    monitor->running->is_left = true;
    armtap_rates_leave(monitor->running->rates, monitors->findings, stream);
}

struct running_stream *armtap_monitors_add(struct monitors *monitors, const struct armtap_stream *stream)
{
    const struct stream_monitor *monitor = find_or_add(monitors, stream);
    return monitor ? monitor->running : NULL;
}

int armtap_monitors_end(struct monitors *monitors)
{
    armtap_drivers_end(&monitors->drivers, monitors->findings);
    for (size_t i = 0; i < monitors->all.count; i++)
        end_monitor(monitors, monitors->all.slots[i].thing);
    return monitors->failed ? -1 : 0;
}
