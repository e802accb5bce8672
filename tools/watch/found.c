/* Findings as they come, the incidents that follow from them so far, and the verdict. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/robots/labels.h"
#include "input/robots/robot_link.h"
#include "model_parts.h"

/* Findings of a kind and robot that have lines of their own; more become one. */
#define ALIKE 5

/* ---- the list ---------------------------------------------------------------------------------------------------- */

/* Moves a place of the list to the front. */
static void to_front(struct watch_found *found, size_t place)
{
    uint8_t index = found->order[place];
    memmove(found->order + 1, found->order, place);
    found->order[0] = index;
}

/* The place of the line that takes one more of its kind; the count if it gets a line of its own. */
static size_t place_of(const struct watch_found *found, const struct armtap_note_kind *kind, const char *robot)
{
    size_t alike = 0, newest = found->count;
    for (size_t i = 0; i < found->count; i++) {
        const struct watch_finding *line = &found->findings[found->order[i]];
        if (line->kind != kind || strcmp(line->robot, robot) != 0)
            continue;
        newest = alike == 0 ? i : newest;
        alike++;
    }
    return alike < ALIKE ? found->count : newest;
}

static struct watch_finding *line_for(struct watch_found *found, const struct armtap_note_kind *kind, const char *robot)
{
    size_t place = place_of(found, kind, robot);
    bool is_more = place < found->count;
    if (!is_more && found->count < WATCH_FINDINGS)
        found->order[found->count++] = (uint8_t)place;
    else if (!is_more)
        place--; /* the oldest makes room */
    struct watch_finding *line = &found->findings[found->order[place]];
    *line = (struct watch_finding){.kind = kind, .count = is_more ? line->count : 0};
    to_front(found, place);
    return line;
}

static void list_finding(struct model *model, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    char text[ARMTAP_FINDING_TEXT_MAX], robot[64] = "";
    const char *label = stream ? labels_find(model->source->labels, stream->robot) : NULL;
    const char *port = stream ? strrchr(stream->robot, ':') : NULL;
    if (label)
        snprintf(robot, sizeof robot, "%s", label);
    else if (port)
        snprintf(robot, sizeof robot, "%.*s", (int)(port - stream->robot), stream->robot);
    finding_say(&model->diagnosis, finding, text, sizeof text);
    struct watch_finding *line = line_for(&model->scene.found, finding->kind, robot);
    memcpy(line->robot, robot, sizeof robot);
    line->time = finding->where.time;
    line->packet = finding->where.packet;
    line->count++;
    snprintf(line->text, sizeof line->text, "%.*s", WATCH_TEXT - 1, text);
    if (finding->kind->severity <= ARMTAP_ERROR)
        model->scene.found.totals[finding->kind->severity]++;
}

/* ---- what incidents are found from ------------------------------------------------------------------------------- */

static void drop(struct model *model, size_t place)
{
    armtap_arguments_free(&model->kept[place].arguments);
    model->kept_count--;
    memmove(&model->kept[place], &model->kept[place + 1], (model->kept_count - place) * sizeof *model->kept);
}

/* The oldest finding of the lowest severity. */
static size_t least_of(const struct model *model)
{
    size_t least = 0;
    for (size_t i = 1; i < model->kept_count; i++)
        if (model->kept[i].kind->severity < model->kept[least].kind->severity)
            least = i;
    return least;
}

static uint32_t number_of(struct model *model, const struct armtap_stream *stream)
{
    if (!stream)
        return ARMTAP_NO_STREAM;
    size_t i = 0;
    while (i < model->stream_count && model->streams[i].connection != stream->connection)
        i++;
    if (i == KEPT_STREAMS)
        return ARMTAP_NO_STREAM;
    model->stream_count += i == model->stream_count;
    model->streams[i] = *stream;
    return (uint32_t)i;
}

static void keep(struct model *model, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    struct armtap_finding kept = *finding;
    if (model->kept_count == KEPT_FINDINGS)
        drop(model, least_of(model));
    kept.stream = number_of(model, stream);
    kept.order = model->order++;
    if (!armtap_arguments_copy(&kept.arguments, &finding->arguments)) {
        model->has_failed = true;
        return;
    }
    size_t place = model->kept_count++;
    for (; place > 0 && model->kept[place - 1].where.time > kept.where.time; place--)
        model->kept[place] = model->kept[place - 1];
    model->kept[place] = kept;
    model->is_judged = false;
}

static int on_finding(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream)
{
    struct model *model = user;
    list_finding(model, finding, stream);
    keep(model, finding, stream);
    return 0;
}

/* ---- incidents and verdict --------------------------------------------------------------------------------------- */

static void put_incident(struct model *model, struct watch_incident *line, const struct armtap_incident *incident)
{
    const char *name = incident->robot[0] != '\0' ? labels_name(model->source->labels, incident->robot) : "";
    *line = (struct watch_incident){.time = incident->from, .severity = incident->severity};
    snprintf(line->text, sizeof line->text, "%s%s%s", name, *name ? ": " : "", incident->text);
    labels_in_text(model->source->labels, line->text, sizeof line->text);
}

static const char *side_of(const struct armtap_incident *incident)
{
    return incident->side == ARMTAP_BLAME_UNCLEAR ? "not proven" : armtap_blame_name(incident->side);
}

/* What is wrong goes before what is ordinary, then a stop before others. */
static bool is_worse(const struct armtap_incident *one, const struct armtap_incident *other)
{
    bool is_wrong = one->severity >= ARMTAP_WARNING, is_other_wrong = other->severity >= ARMTAP_WARNING;
    if (is_wrong != is_other_wrong)
        return is_wrong;
    return one->incident_class < other->incident_class;
}

static void say_incidents(struct model *model, const struct armtap_incident *worst, size_t count)
{
    struct verdict *verdict = &model->scene.found.verdict;
    const char *name = worst->robot[0] != '\0' ? labels_name(model->source->labels, worst->robot) : "";
    char many[60] = "";
    if (count > 1)
        snprintf(many, sizeof many, "%zu incidents; the worst: ", count);
    verdict->paint = text_paint_of(worst->severity);
    snprintf(verdict->text, sizeof verdict->text, "So far: %s%s%s%s; responsible side: %s.", many, name,
             *name ? ": " : "", worst->brief, side_of(worst));
    labels_in_text(model->source->labels, verdict->text, sizeof verdict->text);
}

static void say_clean(struct model *model)
{
    const struct watch_scene *scene = &model->scene;
    struct verdict *verdict = &model->scene.found.verdict;
    uint64_t records = 0;
    for (size_t i = 0; i < scene->robot_count; i++)
        records += scene->robots[i]->records;
    verdict->paint = records > 0 ? PAINT_GOOD : PAINT_NONE;
    if (records > 0)
        snprintf(verdict->text, sizeof verdict->text, "So far: no fault in %" PRIu64 " record%s.", records,
                 records == 1 ? "" : "s");
    else
        snprintf(verdict->text, sizeof verdict->text, "So far: no data from a robot.");
}

static void take_incidents(struct model *model, const struct armtap_incidents *incidents)
{
    struct watch_found *found = &model->scene.found;
    const struct armtap_incident *incident, *worst = NULL;
    size_t count = 0;
    for (; (incident = armtap_incidents_at(incidents, count)); count++)
        if (!worst || is_worse(incident, worst))
            worst = incident;
    found->incident_count = count < WATCH_INCIDENTS ? count : WATCH_INCIDENTS;
    for (size_t i = 0; i < found->incident_count; i++)
        put_incident(model, &found->incidents[i], armtap_incidents_at(incidents, count - 1 - i));
    if (worst)
        say_incidents(model, worst, count);
    else
        say_clean(model);
}

void judge_so_far(struct model *model)
{
    struct armtap_incidents incidents = {0};
    const struct armtap_stream *streams[KEPT_STREAMS];
    if (model->is_judged || model->kept_count == 0) {
        if (model->scene.found.incident_count == 0)
            say_clean(model);
        return;
    }
    model->is_judged = true;
    for (size_t i = 0; i < model->stream_count; i++)
        streams[i] = &model->streams[i];
    const struct armtap_facts facts = {.findings = model->kept,
                                       .finding_count = model->kept_count,
                                       .streams = streams,
                                       .stream_count = model->stream_count,
                                       .zone = timestamp_zone(model->diagnosis.zone)};
    if (armtap_incidents_find(&incidents, &facts) != 0)
        model->has_failed = true;
    else
        take_incidents(model, &incidents);
    armtap_incidents_free(&incidents);
}

/* The same rates, jitter and skips that diagnose reports. */
void take_rates(struct model *model)
{
    for (size_t i = 0; i < model->scene.robot_count; i++) {
        struct watch_robot *robot = model->scene.robots[i];
        for (size_t k = 0; k < robot->stream_count; k++)
            armtap_diagnosis_rates_so_far(model->diagnosis.found, robot->streams[k].connection,
                                          &robot->streams[k].rates);
    }
}

static void say(void *user, const char *subject, const char *text)
{
    struct verdict *verdict = user;
    (void)subject;
    snprintf(verdict->text, sizeof verdict->text, "%s", text);
}

int model_finish(struct model *model, const struct replay_totals *totals, bool is_whole)
{
    struct diagnosis *diagnosis = &model->diagnosis;
    struct watch_found *found = &model->scene.found;
    const struct armtap_incident *incident;
    diagnosis->totals = *totals;
    diagnosis->is_whole = is_whole;
    take_rates(model);
    judge_so_far(model);
    if (model->has_failed || diagnosis_settle(diagnosis) != 0)
        return -1;
    size_t count = armtap_diagnosis_incident_count(diagnosis->found);
    found->incident_count = 0;
    if (count == 0)
        found->verdict.paint = diagnosis_found_fault(diagnosis) ? PAINT_WARNING : PAINT_GOOD;
    for (size_t i = count; i-- > 0 && found->incident_count < WATCH_INCIDENTS;) {
        incident = armtap_diagnosis_incident_at(diagnosis->found, i);
        put_incident(model, &found->incidents[found->incident_count++], incident);
    }
    diagnosis_say_verdict(diagnosis, &(struct speech){say, &found->verdict});
    return 0;
}

int judge_begin(struct model *model, enum timestamp_zone zone)
{
    const struct robot_sources *robots = model->source->robots;
    const struct armtap_diagnosis_options options = {.size = sizeof options,
                                                     .on_finding = on_finding,
                                                     .user = model,
                                                     .zone = timestamp_zone(zone),
                                                     .frequency_wanted = !robots || robots->client.frequency > 0};
    model->diagnosis.source = model->source;
    model->diagnosis.zone = zone;
    if (companions_begin(&model->diagnosis) != 0 ||
        armtap_diagnosis_new(&options, &model->diagnosis.found) != ARMTAP_OK)
        return -1;
    model->diagnosis.streams = armtap_diagnosis_streams(model->diagnosis.found);
    say_clean(model);
    return 0;
}

void judge_free(struct model *model)
{
    for (size_t i = 0; i < model->kept_count; i++)
        armtap_arguments_free(&model->kept[i].arguments);
    diagnosis_free(&model->diagnosis);
}

void model_report_nothing(const struct model *model, const struct replay_totals *totals)
{
    if (model->source->robots)
        no_telemetry_report_robots(model->source, model->diagnosis.streams);
    else
        no_telemetry_report(model->diagnosis.streams, totals);
}
