/* What an export hears of its captures: the first reading finds the tables, the second writes the rows; a source that
 * is read once has both together. */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_COARSE */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/process/message.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

#define NS_PER_S 1000000000
#define SHOW_EVERY_NS 200000000

/* ---- the first reading ----------------------------------------------------------------------------------------- */

static int stop_without_memory(struct job *job, enum tables_outcome outcome)
{
    return outcome == TABLES_NO_MEMORY ? job_give_up_memory(job) : 0;
}

static int survey_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    struct table *table;
    const struct table_layout *layout;
    if (armtap_streams_record(job->streams, record) != 0 || missing_data_record(job->missing, record) != 0 ||
        robot_clocks_learn(&job->clocks, record) != 0)
        return job_give_up_memory(job);
    if (record->direction != job->wish->direction)
        return stop_without_memory(job, tables_stream(job->tables, record->stream));
    job->heard = true;
    if (grid_learn(job, record) != 0)
        return -1;
    return stop_without_memory(job, tables_record(job->tables, record, &table, &layout));
}

static int follow_recipe(struct job *job, const struct armtap_recipe_event *event)
{
    if (event->direction != job->wish->direction)
        return stop_without_memory(job, tables_stream(job->tables, event->stream));
    return stop_without_memory(job, tables_recipe(job->tables, event));
}

static int survey_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (armtap_streams_recipe(job->streams, event) != 0 || missing_data_recipe(job->missing, event) != 0)
        return job_give_up_memory(job);
    return follow_recipe(job, event);
}

static void keep_cut(struct job *job, const struct armtap_note *note)
{
    if (job->cut_count++ >= CUTS_KEPT)
        return;
    struct cut *cut = &job->cuts[job->cut_count - 1];
    *cut = (struct cut){.connection = note->stream->connection, .where = note->where};
    snprintf(cut->robot, sizeof cut->robot, "%s", labels_name(job->source->labels, note->stream->robot));
    snprintf(cut->client, sizeof cut->client, "%s", labels_name(job->source->labels, note->stream->client));
    snprintf(cut->text, sizeof cut->text, "%s", note->text);
}

static int survey_note(void *user, const struct armtap_note *note)
{
    struct job *job = user;
    if (job->totals.elsewhere)
        return missing_data_note(job->missing, note) != 0 ? job_give_up_memory(job) : 0;
    if (note->stream && strcmp(note->kind->id, "input.hostile") == 0)
        keep_cut(job, note);
    if (armtap_streams_note(job->streams, note) != 0 || missing_data_note(job->missing, note) != 0)
        return job_give_up_memory(job);
    return 0;
}

static int survey_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct job *job = user;
    return armtap_streams_candidates(job->streams, candidates) == 0 ? 0 : job_give_up_memory(job);
}

/* Frees the state of a closed stream beyond those that are listed on their own. */
static void let_go(struct job *job, const struct armtap_event *event)
{
    struct armtap_note note;
    if (job->grid)
        grid_let_go(job->grid, event->stream->connection);
    tables_let_go(job->tables, event->stream->connection);
    missing_data_let_go(job->missing, event->stream->connection);
    if (armtap_streams_due_note(job->streams, event, &note) && armtap_streams_note(job->streams, &note) != 0)
        job_give_up_memory(job);
}

static void end_changes(struct job *job, const struct armtap_event *event)
{
    if (job->changes && event->type == ARMTAP_EVENT_CLOSE && missing_data_is_over(job->missing, event->stream))
        changes_close(job->changes, event->stream->connection);
}

static int survey_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    if (armtap_streams_event(job->streams, event) != 0 || missing_data_event(job->missing, event) != 0)
        return job_give_up_memory(job);
    tables_close(job->tables, event);
    end_changes(job, event);
    if (armtap_streams_let_go(job->streams))
        let_go(job, event);
    if (job->once)
        return stop_without_memory(job, live_numbering_event(&job->numbering, job->tables, event));
    if (event->type != ARMTAP_EVENT_RECOGNISED)
        return 0;
    return stop_without_memory(job, tables_stream(job->tables, event->stream));
}

/* ---- the second reading ---------------------------------------------------------------------------------------- */

static void resolve_times(struct job *job)
{
    const struct export_wish *wish = job->wish;
    job->times_known = true;
    job->range = timestamp_range(&wish->from, &wish->to, job->totals.first_time, wish->zone);
    missing_data_limit(job->missing, &job->range);
}

/* Records of a capture have a time, unless that of their packet is damaged. */
static int refuse_time(struct job *job, const struct armtap_record *record)
{
    char list[FORMATS_LIST_MAX], packet[40] = "";
    const char *name = job->source->count > 0 ? replay_file_name(job->source, record->where.file) : "input";
    const char *plural = job->totals.first_time == ARMTAP_NO_TIME ? "s" : "";
    const char *remedy = *plural ? "capture by armtap record, tcpdump or Wireshark" : "remove the packet with editcap";
    if (!*plural)
        snprintf(packet, sizeof packet, "packet %" PRIu64 ": ", record->where.packet);
    if (!format_has(job->wish->format, FORMAT_NEEDS_TIME))
        message_error("%s: %sit has no capture time%s, so %s", name, packet, plural,
                      job->grid                 ? "--grid cannot place its rows; remove it, or use --every N"
                      : job->wish->every.ns > 0 ? "--every cannot count in time; use a number of records"
                                                : "--from and --to cannot be applied; remove them");
    else
        message_error("%s: %sit has no capture time%s, which messages of -f %s need; use -f %s, or %s", name, packet,
                      plural, job->wish->format->name, format_names(list, 0, FORMAT_NEEDS_TIME), remedy);
    return job_give_up(job);
}

/* Whether a record is within --from and --to. 0, or -1 after a message if it has no time. */
static int check_time(struct job *job, const struct armtap_record *record, bool *is_within)
{
    bool has_time = record->read.time != ARMTAP_NO_TIME;
    bool is_limited = job->wish->from.given || job->wish->to.given;
    *is_within = true;
    if (!has_time &&
        (is_limited || job->grid || job->wish->every.ns > 0 || format_has(job->wish->format, FORMAT_NEEDS_TIME)))
        return refuse_time(job, record);
    if (!is_limited)
        return 0;
    if (!job->times_known)
        resolve_times(job);
    *is_within = record->read.time >= job->range.from && record->read.time <= job->range.to;
    return 0;
}

/* Asked for each record: one that the kernel only reads, where there is one. */
#ifdef CLOCK_MONOTONIC_COARSE
#define COARSE_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define COARSE_CLOCK CLOCK_MONOTONIC
#endif

/* Writes the rows of a live source at short intervals, so that a reader sees them soon. */
int job_keep_up(struct job *job)
{
    struct timespec time;
    if (!job->once)
        return 0;
    clock_gettime(COARSE_CLOCK, &time);
    int64_t now = (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
    if (now - job->last_flush < SHOW_EVERY_NS)
        return 0;
    job->last_flush = now;
    if (job->batches && job_check_sink(job, batches_drain(job->batches)) != 0)
        return -1;
    if (now - job->last_show >= NS_PER_S) {
        job->last_show = now;
        if (job_check_sink(job, targets_show(&job->targets)) != 0)
            return -1;
    }
    return job_check_sink(job, output_files_flush_all(&job->outlets));
}

static int print_on_record(void *user, const struct armtap_record *record)
{
    struct job *job = user;
    struct table *table;
    const struct table_layout *layout;
    bool is_of_rows = record->direction == job->wish->direction;
    if (job->grid && is_of_rows && grid_before(job, record) != 0)
        return -1;
    if ((job->once &&
         (armtap_streams_record(job->streams, record) != 0 || robot_clocks_learn(&job->clocks, record) != 0)) ||
        missing_data_record(job->missing, record) != 0)
        return job_give_up_memory(job);
    if (!is_of_rows)
        return stop_without_memory(job, tables_stream(job->tables, record->stream));
    job->heard = true;
    enum tables_outcome outcome = tables_record(job->tables, record, &table, &layout);
    if (job->closed || job->gave_up)
        return -1;
    if (!job_wants_stream(job, tables_stream_number(job->tables, record->stream->connection)) ||
        job_leaves_protocol(job, record->protocol)) {
        if (outcome == TABLES_OK && job_watch(job, record, table, layout) != 0)
            return -1;
        return stop_without_memory(job, outcome);
    }
    bool is_within;
    if (check_time(job, record, &is_within) != 0)
        return -1;
    if (job->grid && outcome == TABLES_OK && table && grid_take(job, record, table, layout) != 0)
        return -1;
    if (!is_within) {
        job->out_of_time += !job->totals.elsewhere;
        if (missing_data_count_part(job->missing, record) != 0)
            return job_give_up_memory(job);
        missing_data_drop(job->missing, record);
        if (outcome == TABLES_OK && job_watch(job, record, table, layout) != 0)
            return -1;
        job->is_over = job->source->robots && job->range.to < record->read.time - OUT_OF_ORDER_NS;
        return job->is_over ? -1 : 0;
    }
    if ((!job->totals.elsewhere && missing_data_count(job->missing, record) != 0) || outcome == TABLES_NO_MEMORY)
        return job_give_up_memory(job);
    int printed = 0;
    job->in_time += outcome == TABLES_OK && table && !job->totals.elsewhere;
    if (outcome == TABLES_GREW)
        request_leave_over(job, record, true);
    else if (outcome == TABLES_MANY)
        printed = job_leave_out(job, record);
    else if (!job->grid)
        printed = table ? job_print_record(job, record, table, layout) : job_print_opaque(job, record);
    return printed == 0 ? job_keep_up(job) : printed;
}

static int print_on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct job *job = user;
    if (job->once)
        return survey_recipe(user, event);
    if (missing_data_recipe(job->missing, event) != 0)
        return job_give_up_memory(job);
    return follow_recipe(job, event);
}

static int print_on_event(void *user, const struct armtap_event *event)
{
    struct job *job = user;
    if (job->grid && event->type == ARMTAP_EVENT_CLOSE &&
        (event->a != ARMTAP_CLOSE_FIN || event->direction == job->wish->direction) &&
        grid_close(job, event->stream->connection) != 0)
        return -1;
    if (job->once)
        return survey_event(user, event);
    tables_close(job->tables, event);
    if (missing_data_event(job->missing, event) != 0)
        return job_give_up_memory(job);
    end_changes(job, event);
    if (event->type == ARMTAP_EVENT_CLOSE && missing_data_is_over(job->missing, event->stream) &&
        !armtap_streams_of(job->streams, event->stream->connection))
        let_go(job, event);
    return 0;
}

static int print_on_note(void *user, const struct armtap_note *note)
{
    struct job *job = user;
    if (job->once)
        return survey_note(user, note);
    return missing_data_note(job->missing, note) != 0 ? job_give_up_memory(job) : 0;
}

static int print_on_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct job *job = user;
    return job->once ? survey_candidates(user, candidates) : 0;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* Rows come from records' bytes: only the list of streams looks at a state, here and there. */
static int print_wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    const struct job *job = user;
    return job->once ? armtap_streams_wants(NULL, stream, direction) : 0;
}

/* ---- answers --------------------------------------------------------------------------------------------------- */

/* The callbacks above return a value other than 0 if the job gave up, the reader closed the pipe or all is written. */
#define ANSWER(callback, type)                                                                                         \
    static int callback##_answer(void *user, const struct type *what)                                                  \
    {                                                                                                                  \
        const struct job *job = user;                                                                                  \
        if (callback(user, what) == 0)                                                                                 \
            return REPLAY_GO_ON;                                                                                       \
        return job->closed || job->is_over ? REPLAY_HAS_ENOUGH : job->gave_up ? REPLAY_GAVE_UP : REPLAY_NO_MEMORY;     \
    }
ANSWER(survey_record, armtap_record)
ANSWER(survey_recipe, armtap_recipe_event)
ANSWER(survey_note, armtap_note)
ANSWER(survey_event, armtap_event)
ANSWER(print_on_record, armtap_record)
ANSWER(print_on_recipe, armtap_recipe_event)
ANSWER(print_on_note, armtap_note)
ANSWER(print_on_event, armtap_event)
ANSWER(survey_candidates, armtap_candidates)
ANSWER(print_on_candidates, armtap_candidates)
#undef ANSWER

const struct armtap_sink job_survey_sink = {.size = sizeof job_survey_sink,
                                            .on_record = survey_record_answer,
                                            .on_recipe = survey_recipe_answer,
                                            .on_note = survey_note_answer,
                                            .on_event = survey_event_answer,
                                            .on_candidates = survey_candidates_answer,
                                            .wants = armtap_streams_wants};
const struct armtap_sink job_print_sink = {.size = sizeof job_print_sink,
                                           .on_record = print_on_record_answer,
                                           .on_recipe = print_on_recipe_answer,
                                           .on_note = print_on_note_answer,
                                           .on_event = print_on_event_answer,
                                           .on_candidates = print_on_candidates_answer,
                                           .wants = print_wants};

/* The same for a format that also says what was found. Of an archive, only what is found in the capture itself. */
#define HEARD(member, type, answer)                                                                                    \
    static int member##_heard(void *user, const struct type *what)                                                     \
    {                                                                                                                  \
        const struct job *job = user;                                                                                  \
        if (!job->totals.elsewhere && remarks_sink(job->remarks)->member(job->remarks, what) != ARMTAP_OK)             \
            return REPLAY_NO_MEMORY;                                                                                   \
        return answer;                                                                                                 \
    }
HEARD(on_record, armtap_record, print_on_record_answer(user, what))
HEARD(on_recipe, armtap_recipe_event, print_on_recipe_answer(user, what))
HEARD(on_note, armtap_note, print_on_note_answer(user, what))
HEARD(on_event, armtap_event, print_on_event_answer(user, what))
HEARD(on_message, armtap_message, REPLAY_GO_ON)
HEARD(on_command, armtap_command, REPLAY_GO_ON)
#undef HEARD

const struct armtap_sink job_hear_sink = {.size = sizeof job_hear_sink,
                                          .on_record = on_record_heard,
                                          .on_recipe = on_recipe_heard,
                                          .on_note = on_note_heard,
                                          .on_event = on_event_heard,
                                          .on_message = on_message_heard,
                                          .on_command = on_command_heard,
                                          .on_candidates = print_on_candidates_answer};
