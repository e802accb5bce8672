#include "diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "input/sidecars/sidecar.h"
#include "input/files/file_reader.h"
#include "input/robots/robot_link.h"
#include "base/numbers/timestamp.h"
#include "command_line/shared_text.h"
#include "input/stream_rank.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* ns: data that came this shortly before the capture's end goes on. */
#define GOES_ON 1000000000
/* ns: data that stopped longer before its connection's end did not go on to it. */
#define STOPPED_LEAST 500000000
/* Waits for data that are worth a line though no fault: ns, and steps of the expected rate. */
#define WAIT_LEAST 100000000
#define WAIT_STEPS 10
#define TRIP_MOST 400000000

void finding_say(const struct diagnosis *diagnosis, const struct armtap_finding *finding, char *text, size_t size)
{
    armtap_finding_say(text, finding, timestamp_zone(diagnosis->zone));
    labels_in_text(diagnosis->source->labels, text, size);
}

static int on_finding(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    const struct diagnosis *diagnosis = user;
    char text[ARMTAP_FINDING_TEXT_MAX];
    finding_say(diagnosis, finding, text, sizeof text);
    live_finding(diagnosis->live, finding->kind, stream, &finding->where, text);
    return 0;
}

int diagnosis_begin(struct diagnosis *diagnosis)
{
    /* The arm's rows are shown only around safety stops. */
    const struct robot_sources *robots = diagnosis->source->robots;
    bool stops = diagnosis->around && strcmp(diagnosis->around->id, "safety.stop") == 0;
    struct armtap_diagnosis_options options = {.size = sizeof options,
                                               .on_finding = diagnosis->live ? on_finding : NULL,
                                               .user = diagnosis,
                                               .reach = stops ? diagnosis->reach : 0,
                                               .zone = timestamp_zone(diagnosis->zone),
                                               .frequency_wanted = !robots || robots->client.frequency > 0};
    diagnosis_free(diagnosis);
    if (companions_begin(diagnosis) != 0 || armtap_diagnosis_new(&options, &diagnosis->found) != ARMTAP_OK)
        return -1;
    diagnosis->streams = armtap_diagnosis_streams(diagnosis->found);
    if (!diagnosis->archive)
        return 0;
    armtap_diagnosis_look_back(diagnosis->found);
    diagnosis->numbering = armtap_streams_new();
    return diagnosis->numbering ? 0 : -1;
}

void diagnosis_free(struct diagnosis *diagnosis)
{
    armtap_diagnosis_free(diagnosis->found);
    armtap_streams_free(diagnosis->numbering);
    free(diagnosis->near);
    free(diagnosis->ends);
    free(diagnosis->companions);
    diagnosis->companions = NULL;
    diagnosis->found = NULL;
    diagnosis->ends = NULL;
    diagnosis->numbering = NULL;
    diagnosis->is_over = false;
    diagnosis->streams = NULL;
    diagnosis->near = NULL;
    diagnosis->near_count = 0;
    diagnosis->offers.count = 0;
    armtap_comments_free(&diagnosis->comments);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Translates an error of the library into a callback's answer. */
static int answer_of(int outcome)
{
    return outcome == ARMTAP_OK ? REPLAY_GO_ON : REPLAY_NO_MEMORY;
}

/* All captures of an archive number the streams. */
#define TAKE(name, member, type, show, number)                                                                         \
    static int name(void *user, const struct type *what)                                                               \
    {                                                                                                                  \
        struct diagnosis *diagnosis = user;                                                                            \
        if (diagnosis->live && !companions_have(diagnosis, what->stream))                                              \
            show;                                                                                                      \
        int outcome = diagnosis->numbering ? number : ARMTAP_OK;                                                       \
        if (outcome == ARMTAP_OK && !diagnosis->is_over)                                                               \
            outcome = armtap_diagnosis_sink(diagnosis->found)->member(diagnosis->found, what);                         \
        return answer_of(outcome);                                                                                     \
    }
TAKE(take_record, on_record, armtap_record, live_record(diagnosis->live, what),
     armtap_streams_record(diagnosis->numbering, what))
TAKE(take_event, on_event, armtap_event, live_event(diagnosis->live, what),
     armtap_streams_event(diagnosis->numbering, what))
TAKE(on_recipe, on_recipe, armtap_recipe_event, (void)0, armtap_streams_recipe(diagnosis->numbering, what))
TAKE(on_note, on_note, armtap_note, (void)0, armtap_streams_note(diagnosis->numbering, what))
TAKE(on_message, on_message, armtap_message, (void)0, ARMTAP_OK)
TAKE(on_command, on_command, armtap_command, (void)0, ARMTAP_OK)
#undef TAKE

static int on_record(void *user, const struct armtap_record *record)
{
    int outcome = companions_record(user, record);
    return outcome == ARMTAP_OK ? take_record(user, record) : answer_of(outcome);
}

static int on_event(void *user, const struct armtap_event *event)
{
    return companions_hide(user, event) ? REPLAY_GO_ON : take_event(user, event);
}

static int wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    const struct diagnosis *diagnosis = user;
    return armtap_diagnosis_wants(diagnosis->found, stream, direction);
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    struct diagnosis *diagnosis = user;
    remedy_offer(&diagnosis->offers, setup);
    return 0;
}

static enum replay_answer on_capture(void *user, bool begins)
{
    struct diagnosis *diagnosis = user;
    diagnosis->is_over = !begins;
    if (begins)
        return answer_of(armtap_diagnosis_begin(diagnosis->found, (uint32_t)archive_current(diagnosis->archive)));
    armtap_diagnosis_leave(diagnosis->found);
    return REPLAY_GO_ON;
}

static int begin_again(void *user)
{
    return diagnosis_begin(user);
}

enum exit_status diagnosis_read(struct diagnosis *diagnosis)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_refused = on_refused,
                                     .on_message = on_message,
                                     .on_command = on_command,
                                     .wants = wants};
    struct replay_source source = *diagnosis->source;
    source.comments = &diagnosis->comments;
    source.archive = diagnosis->archive;
    source.part = REPLAY_AMONG;
    source.on_capture = diagnosis->archive ? on_capture : NULL;
    enum exit_status status = replay_learning(&source, &sink, diagnosis, begin_again, &diagnosis->totals);
    diagnosis->is_whole = status == EXIT_DONE;
    return status;
}

/* Collects the findings that --around names, in time order. */
static int collect_near(struct diagnosis *diagnosis)
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found);
    diagnosis->near = calloc(count + 1, sizeof(*diagnosis->near));
    if (!diagnosis->near)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        if (diagnosis->around && strcmp(finding->kind->id, diagnosis->around->id) == 0)
            diagnosis->near[diagnosis->near_count++] = finding;
    }
    return 0;
}

/* ---- how streams ended ------------------------------------------------------------------------------------------- */

/* At most what paths take: a client that seldom acknowledges shows no shorter one. ns */
static int64_t round_trip_of(const struct armtap_rates_totals *rates)
{
    return rates->round_trip < TRIP_MOST ? rates->round_trip : TRIP_MOST;
}

bool diagnosis_has_stopped(const struct diagnosis *diagnosis, const struct armtap_stream_diagnosis *stream)
{
    const struct armtap_rates_totals *rates = stream->rates;
    return rates &&
           rates->stopped > STOPPED_LEAST + 2 * round_trip_of(rates) + diagnosis->ends[stream->summary->number].apart;
}

bool diagnosis_has_waited(const struct armtap_stream_diagnosis *stream)
{
    const struct armtap_rates_totals *rates = stream->rates;
    return rates && rates->longest_wait > WAIT_LEAST + round_trip_of(rates) * 3 / 2 &&
           (double)rates->longest_wait * rates->expected_hz > WAIT_STEPS * 1e9;
}

/* The last packet of all streams. */
static int64_t end_of_capture(const struct diagnosis *diagnosis)
{
    int64_t end = ARMTAP_NO_TIME;
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++) {
        int64_t last = armtap_streams_at(diagnosis->streams, i)->stream->last.time;
        end = end == ARMTAP_NO_TIME || last > end ? last : end;
    }
    return end;
}

/* By stream, in one pass over the findings, which may be many; the first of a kind counts. */
static void look_at_findings(const struct diagnosis *diagnosis, struct ending *all)
{
    const struct armtap_finding *finding;
    double apart;
    for (size_t i = 0; (finding = armtap_diagnosis_finding_at(diagnosis->found, i)); i++) {
        struct ending *ending =
            finding->stream < armtap_streams_count(diagnosis->streams) ? &all[finding->stream] : NULL;
        if (!ending)
            continue;
        if (strcmp(finding->kind->id, "tcp.closed") == 0)
            ending->closed = ending->closed ? ending->closed : finding;
        const char *of = armtap_finding_text(finding, "case");
        if (strcmp(finding->kind->id, "capture.clocks-apart") == 0 && of && strcmp(of, "set-back") != 0 &&
            armtap_finding_number(finding, "duration_s", &apart))
            ending->apart = (int64_t)(apart * 1e9) > ending->apart ? (int64_t)(apart * 1e9) : ending->apart;
        ending->is_bursty = ending->is_bursty || strcmp(finding->kind->id, "rate.bursts") == 0;
        ending->is_empty = ending->is_empty || strcmp(finding->kind->id, "rtde.no-data") == 0;
    }
}

/* `end`: the capture's. Whoever paused the data may end the connection in any way. */
static void count_ending(struct diagnosis *diagnosis, const struct armtap_stream_diagnosis *stream, int64_t end)
{
    struct endings *endings = &diagnosis->endings;
    const struct ending *ending = &diagnosis->ends[stream->summary->number];
    const struct armtap_finding *closed = ending->closed;
    int64_t last = stream->summary->last[ARMTAP_FROM_ROBOT].time;
    double unread;
    const char *closer = closed && !closed->is_doubtful ? armtap_finding_text(closed, "who") : NULL;
    bool is_client = closer && strcmp(closer, "client") == 0 && !armtap_finding_text(closed, "reason");
    bool is_paused = stream->rates && stream->rates->is_paused, has_stopped = diagnosis_has_stopped(diagnosis, stream);
    bool is_reset = is_client && !is_paused && armtap_finding_number(closed, "unread_bytes", &unread) && !(unread > 0);
    bool is_near = last != ARMTAP_NO_TIME && end != ARMTAP_NO_TIME && end - last <= GOES_ON;
    endings->by_client += (is_client && !is_reset) || (is_paused && !closed);
    endings->by_reset += is_reset;
    endings->by_robot += closer && strcmp(closer, "robot") == 0;
    endings->going_on += !closed && !is_paused && is_near;
    endings->stopped += has_stopped;
    endings->bursts += ending->is_bursty;
    endings->empty += ending->is_empty;
    if (has_stopped && (!endings->longest || stream->rates->stopped > endings->longest->rates->stopped))
        endings->longest = stream;
}

/* Part of settling. 0, or -1 if memory runs out. */
static int find_endings(struct diagnosis *diagnosis)
{
    size_t count = armtap_diagnosis_stream_count(diagnosis->found);
    int64_t end = end_of_capture(diagnosis);
    diagnosis->endings = (struct endings){.streams = count};
    diagnosis->ends = calloc(count + 1, sizeof *diagnosis->ends);
    if (!diagnosis->ends)
        return -1;
    look_at_findings(diagnosis, diagnosis->ends);
    for (size_t i = 0; i < count; i++)
        count_ending(diagnosis, armtap_diagnosis_stream_at(diagnosis->found, i), end);
    return 0;
}

/* A program that pauses, or an arm that is not released. */
static bool is_standing(const struct armtap_mode *mode)
{
    const char *name = mode->name ? mode->name : "";
    if (mode->field->id == ARMTAP_ID_primary_is_program_paused)
        return mode->value != 0;
    return mode->field->id == ARMTAP_ID_robot_mode ? strcmp(name, "RUNNING") != 0 && strcmp(name, "Running") != 0
                                                   : strncmp(name, "PAUS", 4) == 0 || strncmp(name, "Paus", 4) == 0;
}

/* Takes the next mode of the same field and arm. The primary interface's pause is a mode only where it changes. */
static void follow(struct standing *standing, const struct armtap_mode *mode)
{
    bool stands = is_standing(mode), was_new = standing->is_new;
    standing->has_worked = standing->has_worked || !stands || mode->field->id == ARMTAP_ID_primary_is_program_paused;
    standing->is_new = stands && standing->has_worked && mode->kept_until == ARMTAP_NO_TIME;
    if (!was_new || standing->mode.value != mode->value)
        standing->mode = *mode;
}

size_t diagnosis_standing(const struct diagnosis *diagnosis, struct standing all[STANDING_MAX])
{
    const struct armtap_mode *mode;
    size_t count = 0, kept = 0, at;
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(diagnosis->found, i)); i++) {
        const struct armtap_stream_summary *summary = armtap_streams_of(diagnosis->streams, mode->connection);
        if (!summary || mode->field->id == ARMTAP_ID_safety_mode || mode->field->id == ARMTAP_ID_safety_status)
            continue;
        for (at = 0; at < count; at++)
            if (all[at].mode.field == mode->field && all[at].mode.arm == mode->arm &&
                labels_are_one(diagnosis->source->labels, all[at].robot, summary->stream->robot))
                break;
        if (at == count && count < STANDING_MAX)
            all[count++] = (struct standing){.robot = summary->stream->robot};
        if (at < count)
            follow(&all[at], mode);
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].is_new)
            all[kept++] = all[i];
    return kept;
}

int diagnosis_settle(struct diagnosis *diagnosis)
{
    if (diagnosis->numbering)
        armtap_streams_number(diagnosis->numbering);
    bool is_settled = armtap_diagnosis_finish(diagnosis->found) == ARMTAP_OK;
    return is_settled && find_endings(diagnosis) == 0 ? collect_near(diagnosis) : -1;
}

bool diagnosis_found_fault(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++)
        if (armtap_diagnosis_finding_at(diagnosis->found, i)->kind->severity >= ARMTAP_WARNING)
            return true;
    return false;
}

bool diagnosis_has_content(const struct diagnosis *diagnosis)
{
    return armtap_streams_count(diagnosis->streams) > 0 ||
           armtap_attempts_at(armtap_streams_attempts(diagnosis->streams), 0);
}

bool diagnosis_has_subject(const struct diagnosis *diagnosis)
{
    return armtap_streams_count(diagnosis->streams) > 0 ||
           armtap_attempts_have_fault(armtap_streams_attempts(diagnosis->streams)) ||
           no_telemetry_but_speech(diagnosis->streams);
}

const char *diagnosis_name(const struct diagnosis *diagnosis, const struct armtap_incident *incident)
{
    const struct armtap_stream_summary *summary =
        incident->stream_count > 0 ? armtap_streams_at(diagnosis->streams, incident->streams[0]) : NULL;
    const char *name = labels_find(diagnosis->source->labels, incident->robot);
    return name || !summary ? name : labels_find(diagnosis->source->labels, summary->stream->robot);
}

/* ---- what to show ------------------------------------------------------------------------------------------------ */

const char *diagnosis_file(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    const struct archive *archive = diagnosis->archive;
    if (diagnosis->source->interface)
        return diagnosis->source->interface;
    if (archive)
        return where->file < archive_count(archive) ? reader_name(archive_name(archive, where->file)) : NULL;
    return where->file < diagnosis->source->count ? reader_name(diagnosis->source->names[where->file]) : NULL;
}

uint32_t diagnosis_number(const struct diagnosis *diagnosis, uint32_t number)
{
    const struct armtap_stream_summary *own = armtap_streams_at(diagnosis->streams, number), *known = NULL;
    if (diagnosis->is_merged && own)
        return (uint32_t)own->stream->connection;
    if (diagnosis->numbering && own)
        known = armtap_streams_of(diagnosis->numbering, own->stream->connection);
    return known ? known->number : number;
}

/* Without times, only the same packet is near. */
static bool is_there(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    for (size_t i = 0; i < diagnosis->near_count; i++) {
        const struct armtap_where *near = &diagnosis->near[i]->where;
        if (near->time == where->time && near->file == where->file && near->packet == where->packet)
            return true;
    }
    return false;
}

bool diagnosis_shows(const struct diagnosis *diagnosis, const struct armtap_where *where)
{
    size_t low = 0, high = diagnosis->near_count;
    if (!diagnosis->around)
        return true;
    if (where->time == ARMTAP_NO_TIME)
        return is_there(diagnosis, where);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t near = diagnosis->near[middle]->where.time;
        if (near != ARMTAP_NO_TIME && near >= armtap_time_shift(where->time, -diagnosis->reach))
            high = middle;
        else
            low = middle + 1;
    }
    return low < diagnosis->near_count &&
           diagnosis->near[low]->where.time <= armtap_time_shift(where->time, diagnosis->reach);
}
