#include "diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/stream_rank.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* Findings of one id and stream that are shown one by one. */
#define FLOOD 10
/* Findings alike in more streams of a robot, or at more robots' ports, are a crowd, of which one is shown; so many
 * kinds of them are told apart. */
#define CROWD 3
#define CROWD_ROBOTS 10
#define CROWDS 500
#define SUM_MAX (ARMTAP_FINDING_TEXT_MAX + 200)

/* ---- floods ------------------------------------------------------------------------------------------------------ */

/* The findings of one id and stream, or a crowd: the largest are shown and the rest are summed up. */
struct flood {
    uint64_t total;
    const struct armtap_finding *largest[FLOOD + 1]; /* the largest first; equal ones in time order */
    size_t count;
    const struct armtap_finding *sum; /* the sum of those not kept one by one, or NULL */
    struct armtap_where last;
    bool summed_up;
    const struct armtap_finding *first;   /* of a crowd, or NULL */
    const char *robots[CROWD_ROBOTS + 1]; /* of a crowd, the first ones; so are the streams */
    size_t robot_count;
    uint32_t streams[CROWD + 2];
    size_t stream_count;
};

static bool is_crowd(const struct flood *flood)
{
    return flood->stream_count > CROWD || flood->robot_count > CROWD_ROBOTS;
}

static void keep_largest(struct flood *flood, const struct armtap_finding *finding)
{
    size_t place = flood->count;
    while (place > 0 && flood->largest[place - 1]->size < finding->size)
        place--;
    if (place > FLOOD)
        return;
    flood->count += flood->count <= FLOOD;
    memmove(flood->largest + place + 1, flood->largest + place, (flood->count - place - 1) * sizeof(*flood->largest));
    flood->largest[place] = finding;
}

static void measure(struct flood *flood, const struct armtap_finding *finding)
{
    flood->total += finding->count;
    flood->last = finding->last;
    if (finding->is_sum)
        flood->sum = finding;
    else
        keep_largest(flood, finding);
}

/* How many of a flood are shown: one more if it would only replace the line of the sum. */
static size_t shown_of(const struct flood *flood)
{
    if (is_crowd(flood))
        return 1;
    return flood->total == flood->count ? flood->count : flood->count < FLOOD ? flood->count : FLOOD;
}

static bool is_shown(const struct flood *flood, const struct armtap_finding *finding)
{
    for (size_t i = 0; i < shown_of(flood); i++)
        if (flood->largest[i] == finding)
            return true;
    return false;
}

/* What the sum at the first finding that is not shown says. */
static void sum_up(char text[SUM_MAX], const struct flood *flood, enum timestamp_zone zone)
{
    size_t shown = shown_of(flood);
    const struct armtap_finding *smallest = shown > 0 ? flood->largest[shown - 1] : NULL;
    uint64_t more = flood->total;
    char clock[CELL_MAX], sentence[ARMTAP_FINDING_TEXT_MAX];
    for (size_t i = 0; i < shown; i++)
        more -= flood->largest[i]->count;
    bool is_larger = flood->sum && flood->sum->size > (smallest ? smallest->size : 0);
    int length = snprintf(text, SUM_MAX, "and %" PRIu64 " more%s", more,
                          !smallest || smallest->size <= 0 || is_larger ? "" : ", none larger");
    if (flood->robot_count > CROWD_ROBOTS)
        length += snprintf(text + length, SUM_MAX - (size_t)length, " at other robots");
    for (size_t i = 0, named = 0; is_crowd(flood) && i < flood->stream_count; i++)
        if (flood->streams[i] != smallest->stream && named++ < CROWD)
            length += snprintf(text + length, SUM_MAX - (size_t)length, "%s %" PRIu32,
                               named == 1 ? ", also in streams" : ",", flood->streams[i]);
    length += snprintf(text + length, SUM_MAX - (size_t)length, "%s, up to packet %" PRIu64,
                       flood->stream_count > CROWD + 1 ? ", ..." : "", flood->last.packet);
    if (flood->last.time != ARMTAP_NO_TIME)
        length += snprintf(text + length, SUM_MAX - (size_t)length, " (%s)", cell_clock(clock, flood->last.time, zone));
    if (!is_larger)
        return;
    struct armtap_finding largest = *flood->sum;
    largest.is_sum = false;
    armtap_finding_say(sentence, &largest, timestamp_zone(zone));
    snprintf(text + length, SUM_MAX - (size_t)length, "; the largest: %s, in packet %" PRIu64, sentence,
             largest.largest.packet);
}

/* Findings of one record stand side by side: how far to look for another one. */
#define BESIDE 8

/* Whether both are of one record, and about one field. */
static bool is_same_change(const struct armtap_finding *one, const struct armtap_finding *other)
{
    const char *field = armtap_finding_text(one, "field"), *of_other = armtap_finding_text(other, "field");
    return one->stream == other->stream && one->where.packet == other->where.packet &&
           one->where.file == other->where.file && one->where.time == other->where.time && field && of_other &&
           strcmp(field, of_other) == 0;
}

/* Whether a change of a mode is also the stop or the fault that another finding is about. */
static bool is_told_as_stop(const struct armtap_diagnosis *found, size_t i)
{
    const struct armtap_finding *finding = armtap_diagnosis_finding_at(found, i);
    if (strcmp(finding->kind->id, "mode.changed") != 0 || finding->is_sum)
        return false;
    for (size_t k = i > BESIDE ? i - BESIDE : 0; k <= i + BESIDE; k++) {
        const struct armtap_finding *other = armtap_diagnosis_finding_at(found, k);
        if (other && strncmp(other->kind->id, "safety.", 7) == 0 && is_same_change(finding, other))
            return true;
    }
    return false;
}

static bool is_to_tell(const struct diagnosis *diagnosis, bool is_brief, size_t i)
{
    return diagnosis_shows(diagnosis, &armtap_diagnosis_finding_at(diagnosis->found, i)->where) &&
           !(is_brief && is_told_as_stop(diagnosis->found, i));
}

static void count_robot(struct flood *crowd, const char *robot)
{
    for (size_t i = 0; i < crowd->robot_count; i++)
        if (strcmp(crowd->robots[i], robot) == 0)
            return;
    if (crowd->robot_count < sizeof crowd->robots / sizeof *crowd->robots)
        crowd->robots[crowd->robot_count++] = robot;
}

static void count_stream(struct flood *crowd, uint32_t stream)
{
    for (size_t i = 0; i < crowd->stream_count; i++)
        if (crowd->streams[i] == stream)
            return;
    if (crowd->stream_count < sizeof crowd->streams / sizeof *crowd->streams)
        crowd->streams[crowd->stream_count++] = stream;
}

/* Whom a finding joins: those alike in the streams of `robot`, or of all robots if that is NULL. NULL if there is no
 * room for one more kind of them. */
static struct flood *join(struct flood crowds[CROWDS], const struct armtap_finding *finding, const char *robot)
{
    for (size_t i = 0; i < CROWDS; i++) {
        struct flood *crowd = &crowds[i];
        if (!crowd->first)
            *crowd = (struct flood){.first = finding, .robots = {robot}, .robot_count = robot != NULL};
        if ((robot && strcmp(crowd->robots[0], robot) != 0) || !armtap_findings_are_alike(crowd->first, finding))
            continue;
        count_stream(crowd, finding->stream);
        return crowd;
    }
    return NULL;
}

/* Crowds at many robots come first, then those of one. */
static void join_crowds(const struct diagnosis *diagnosis, struct flood crowds[2 * CROWDS],
                        const struct armtap_finding *finding, struct flood *of[2])
{
    const struct armtap_stream_summary *summary = armtap_streams_at(diagnosis->streams, finding->stream);
    const char *robot = summary ? summary->stream->robot : armtap_finding_text(finding, "robot");
    if (!robot || finding->is_sum)
        return;
    of[0] = join(crowds, finding, NULL);
    of[1] = summary ? join(crowds + CROWDS, finding, robot) : NULL;
    if (of[0])
        count_robot(of[0], robot);
}

static struct flood *crowd_of(struct flood *const of[2])
{
    return of[0] && of[0]->robot_count > CROWD_ROBOTS ? of[0] : of[1] && is_crowd(of[1]) ? of[1] : NULL;
}

/* Sets the flood of each finding that is told, the first of two: its crowd, or that of its pair. */
static void find_floods(const struct diagnosis *diagnosis, bool is_brief, struct flood *floods, struct flood *(*of)[2])
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found), pairs = armtap_diagnosis_pairs(diagnosis->found);
    for (size_t i = 0; is_brief && i < count; i++)
        if (is_to_tell(diagnosis, is_brief, i))
            join_crowds(diagnosis, floods + pairs, armtap_diagnosis_finding_at(diagnosis->found, i), of[i]);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        bool is_told = is_to_tell(diagnosis, is_brief, i);
        struct flood *crowd = crowd_of(of[i]);
        of[i][0] = !is_told ? NULL : crowd ? crowd : &floods[finding->pair];
        if (is_told)
            measure(of[i][0], finding);
    }
}

int findings_tell(const struct diagnosis *diagnosis, bool is_brief,
                  void (*tell)(void *user, const struct armtap_finding *finding, const char *text), void *user)
{
    size_t count = armtap_diagnosis_finding_count(diagnosis->found);
    struct flood *floods = calloc(armtap_diagnosis_pairs(diagnosis->found) + 2 * CROWDS, sizeof *floods);
    struct flood *(*of)[2] = calloc(count + 1, sizeof *of);
    bool has_memory = floods && of;
    if (has_memory)
        find_floods(diagnosis, is_brief, floods, of);
    for (size_t i = 0; has_memory && i < count; i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        struct flood *flood = of[i][0];
        char text[SUM_MAX];
        if (!flood)
            continue;
        if (is_shown(flood, finding) || flood->total == finding->count) {
            finding_say(diagnosis, finding, text, sizeof text);
            tell(user, finding, text);
        } else if (!flood->summed_up) {
            sum_up(text, flood, diagnosis->zone);
            labels_in_text(diagnosis->source->labels, text, sizeof text);
            tell(user, finding, text);
            flood->summed_up = true;
        }
    }
    free(floods);
    free(of);
    return has_memory ? 0 : -1;
}

/* ---- remedies ---------------------------------------------------------------------------------------------------- */

static size_t note_index(const struct armtap_note_kind *kind)
{
    return (size_t)(kind - armtap_note_at(0));
}

/* --around is itself the remedy of these findings. */
static bool is_remedy_taken(const struct diagnosis *diagnosis, const struct armtap_note_kind *kind)
{
    return diagnosis->around && strcmp(kind->id, diagnosis->around->id) == 0 && strstr(kind->command, "--around");
}

/* 1 + the number of another stream of this client and robot whose recipe has the size of the data; 0: none. */
static uint32_t setup_beside(const struct diagnosis *diagnosis, const struct armtap_finding *finding)
{
    const struct armtap_stream_summary *lacking = armtap_streams_at(diagnosis->streams, finding->stream), *other;
    double bytes = 0;
    const char *direction = armtap_finding_text(finding, "direction");
    if (!lacking || !armtap_finding_number(finding, "bytes", &bytes) ||
        (direction && strcmp(direction, "to-robot") == 0))
        return 0;
    for (uint32_t i = 0; (other = armtap_streams_at(diagnosis->streams, i)); i++) {
        size_t id = other->stream->version >= 2; /* bytes before the values */
        if (other->recipe && bytes == (double)(id + armtap_recipe_size(other->recipe)) && other != lacking &&
            !other->guess && other->stream->protocol == ARMTAP_RTDE &&
            stream_same_host(other->stream->client, lacking->stream->client) &&
            stream_same_host(other->stream->robot, lacking->stream->robot))
            return diagnosis_number(diagnosis, i) + 1;
    }
    return 0;
}

static struct shell_subject subject_of(const struct diagnosis *diagnosis, const struct armtap_finding *finding)
{
    const struct armtap_stream_summary *summary = armtap_streams_at(diagnosis->streams, finding->stream);
    return (struct shell_subject){.where = &finding->largest,
                                  .arguments = &finding->arguments,
                                  .stream = summary ? diagnosis_number(diagnosis, finding->stream) : SHELL_NO_STREAM,
                                  .robot = summary ? summary->stream->robot : NULL};
}

/* Whether `next` is a better example for the remedy than `first`: it has a command that prints something, is larger, or
 * says more. */
static bool explains_better(const struct diagnosis *diagnosis, const struct armtap_finding *first,
                            const struct armtap_finding *next)
{
    struct shell_subject one = subject_of(diagnosis, first), other = subject_of(diagnosis, next);
    bool is_offered = remedy_is_offered(&diagnosis->offers, first->kind, diagnosis->source, &one);
    if (is_offered != remedy_is_offered(&diagnosis->offers, next->kind, diagnosis->source, &other))
        return !is_offered;
    return next->size != first->size ? next->size > first->size : next->arguments.count > first->arguments.count;
}

/* The finding that explains each kind best, by the kind's index; kinds that are not shown have none. */
static void find_examples(const struct diagnosis *diagnosis, const struct armtap_finding **examples)
{
    for (size_t i = 0; i < armtap_diagnosis_finding_count(diagnosis->found); i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, i);
        const struct armtap_finding **of_kind = &examples[note_index(finding->kind)];
        if (is_remedy_taken(diagnosis, finding->kind) || !diagnosis_shows(diagnosis, &finding->where))
            continue;
        if (!*of_kind || explains_better(diagnosis, *of_kind, finding))
            *of_kind = finding;
    }
}

/* Whether an incident before this one advises the same. */
static bool is_advised(const struct diagnosis *diagnosis, size_t incident)
{
    const char *robot = armtap_diagnosis_incident_at(diagnosis->found, incident)->robot;
    for (size_t i = 0; i < incident; i++) {
        const struct armtap_incident *before = armtap_diagnosis_incident_at(diagnosis->found, i);
        if (before->lacks_messages && diagnosis_shows(diagnosis, &before->where) && strcmp(before->robot, robot) == 0)
            return true;
    }
    return false;
}

/* The first stream of an incident that can be read again from the robot itself; NULL: there is none. */
static const struct armtap_stream *telemetry_of(const struct diagnosis *diagnosis,
                                                const struct armtap_incident *incident)
{
    for (size_t i = 0; i < incident->stream_count; i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(diagnosis->streams, incident->streams[i]);
        enum armtap_protocol protocol = summary ? summary->stream->protocol : ARMTAP_PROTOCOL_NONE;
        if (protocol == ARMTAP_RTDE || protocol == ARMTAP_REALTIME)
            return summary->stream;
    }
    return NULL;
}

/* How to learn the cause of a stop when it happens again. */
enum { OF_ROBOT, OF_ROBOT_ALONE, OF_ROBOTS };
static const struct {
    const char *why, *command;
} advice[] = {
    [OF_ROBOT] = {"to record what the robot reports when it stops again", "armtap record TELEMETRY PRIMARY"},
    [OF_ROBOT_ALONE] = {"to record what the robot reports when it stops again", "armtap record PRIMARY"},
    [OF_ROBOTS] = {"to capture what the robots report when they stop again (in Wireshark with the same filter)",
                   "tcpdump -i any -w NEW \"tcp port (30001 or 30002 or 30011 or 30012)\""},
};

/* Whether the stop of an incident needs that advice, which none before it has for this robot. */
static bool needs_messages(const struct diagnosis *diagnosis, size_t incident)
{
    const struct armtap_incident *of = armtap_diagnosis_incident_at(diagnosis->found, incident);
    return of->lacks_messages && diagnosis_shows(diagnosis, &of->where) && !is_advised(diagnosis, incident);
}

/* Many robots get the advice together; of a robot that is being read itself, a message has told why its port 30001 is
 * not. */
static void tell_messages(const struct diagnosis *diagnosis, const struct remedy_listener *listener)
{
    size_t robots = 0;
    if (diagnosis->source->robots)
        return;
    for (size_t i = 0; i < armtap_diagnosis_incident_count(diagnosis->found); i++)
        robots += needs_messages(diagnosis, i);
    bool are_many = robots > CROWD_ROBOTS;
    for (size_t i = 0; i < armtap_diagnosis_incident_count(diagnosis->found); i++) {
        const struct armtap_incident *incident = armtap_diagnosis_incident_at(diagnosis->found, i);
        const struct shell_subject subject = {
            .robot = incident->robot, .stream = SHELL_NO_STREAM, .telemetry = telemetry_of(diagnosis, incident)};
        int of = are_many ? OF_ROBOTS : subject.telemetry ? OF_ROBOT : OF_ROBOT_ALONE;
        struct remedy remedy = {.count = 0};
        char all[40];
        if (!needs_messages(diagnosis, i) || !shell_is_known(advice[of].command, diagnosis->source, &subject))
            continue;
        remedy_add(&remedy, advice[of].why, advice[of].command, diagnosis->source, &subject);
        const char *name = diagnosis_name(diagnosis, incident);
        snprintf(all, sizeof all, "%zu robots", robots);
        listener->tell(listener->user, are_many ? all : name ? name : incident->robot, &remedy);
        if (are_many)
            return;
    }
}

int remedies_tell(const struct diagnosis *diagnosis, const struct remedy_listener *listener)
{
    const struct armtap_finding **examples = calloc(armtap_note_count(), sizeof(*examples));
    struct remedy remedy;
    if (!examples)
        return -1;
    find_examples(diagnosis, examples);
    tell_messages(diagnosis, listener);
    for (int severity = ARMTAP_ERROR; severity >= ARMTAP_WARNING; severity--)
        for (size_t i = 0; i < armtap_note_count(); i++) {
            const struct armtap_note_kind *kind = armtap_note_at(i);
            if (!examples[i] || (int)kind->severity != severity)
                continue;
            struct shell_subject subject = subject_of(diagnosis, examples[i]);
            subject.setup = setup_beside(diagnosis, examples[i]);
            remedy_find(&remedy, kind, diagnosis->source, &diagnosis->offers, &subject);
            if (remedy.steps[0].advice[0] != '\0')
                listener->tell(listener->user, kind->id, &remedy);
        }
    free(examples);
    return 0;
}
