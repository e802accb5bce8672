#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "flow_rate.h"
#include "mode_timeline.h"
#include "numbers.h"
#include "inside.h"

#define MS INT64_C(1000000) /* ns */
#define NONE SIZE_MAX

/* A finding near a stop of the same robot. */
struct sign {
    const char *id;    /* or its beginning, if it ends with a dot; NULL: no finding is needed */
    const char *words; /* that its text contains, or begins with after a ^; NULL: any */
    int before, after; /* ms */
    bool is_drivers;   /* only on a driver's connection to External Control */
    bool is_stop;      /* only the stop itself, what another field or connection calls it, or one in the same record */
};
#define NEAR(id, words, before, after)                                                                                 \
    {                                                                                                                  \
        id, words, before, after, false, false                                                                         \
    }
#define NEAR_DRIVERS(id, words, before, after)                                                                         \
    {                                                                                                                  \
        id, words, before, after, true, false                                                                          \
    }
#define STOP(words, after)                                                                                             \
    {                                                                                                                  \
        "safety.stop", words, 0, after, false, true                                                                    \
    }

/* What findings of a driver say that others of the same id do not: the robot's program ended; a step that no joint can
 * do; a first target that is not where the arm is. */
#define ENDED "then the robot's program ends"
#define TOO_FAST "the robot's program accepts"
#define TOO_FAST_MEANS "the driver's commands ask for more than a joint can do"
#define AWAY "^the first target in this mode"
#define AWAY_MEANS "the driver began away from where the arm was"

#define CONTROLLER_ERROR NEAR("ur.error", NULL, 1000, 1000)
/* The controller's check of the path, or of speed against position, fails just after a driver's jump. */
#define PATH_CHECK(code, jump, meaning)                                                                                \
    {                                                                                                                  \
        NEAR("ur.error", "^" code, 1000, 1000), NEAR("command.jump", jump, 500, 0), {0}, ARMTAP_BLAME_CLIENT, meaning  \
    }

/* In this order: what only a stop of its kind has; a driver's missing commands and jumps, which explain what the
 * controller then reports, but not beside an error of another kind; the controller's own words; what others asked for.
 * Times are those within which people take things for related: 1 s for what is reported at once, half as much again for
 * a wait of the robot's program that comes before, half of it for a command that the controller must refuse. A stop is
 * told by its own name, since no document gives an order in which the controller enters several stops for one cause;
 * what safety_status or another connection calls SAFEGUARD_STOP may have a more exact name up to two cycles of 8 ms
 * later. The first rule whose cause is there, with `with` and without `unless`, says why a robot stopped. */
static const struct rule {
    struct sign cause, with, unless;
    enum armtap_blame side;
    const char *meaning; /* what it means, as a clause */
} rules[] = {
    /* A machine beside the robot may ask for these. */
    {STOP("PROFISAFE", 16), {0}, {0}, ARMTAP_BLAME_UNCLEAR, "a PLC asked for it by PROFIsafe"},
    {STOP("SAFETY_API", 16), {0}, {0}, ARMTAP_BLAME_UNCLEAR, "a program asked for it"},
    {STOP("EMERGENCY", 0), {0}, {0}, ARMTAP_BLAME_ROBOT, "somebody or something in the cell asked for it"},
    {STOP("Emergency", 0), {0}, {0}, ARMTAP_BLAME_ROBOT, "somebody or something in the cell asked for it"},
    {STOP("SAFEGUARD", 0), {0}, {0}, ARMTAP_BLAME_ROBOT, "a safety device of the cell asked for it"},
    {STOP("Safeguard", 0), {0}, {0}, ARMTAP_BLAME_ROBOT, "a safety device of the cell asked for it"},
    {STOP("THREE_POSITION", 0), {0}, {0}, ARMTAP_BLAME_ROBOT, "the enabling device was let go or pressed"},
    /* Commands of a driver, which the robot's program waits for. */
    {NEAR("command.timeout", NULL, 1500, 1500), NEAR_DRIVERS("tcp.retransmission", "to the robot", 1000, 1000),
     CONTROLLER_ERROR, ARMTAP_BLAME_NETWORK, "the network did not deliver what the driver sent"},
    {NEAR("command.timeout", NULL, 1500, 1500), NEAR("command.gap", "allows", 1500, 0), CONTROLLER_ERROR,
     ARMTAP_BLAME_CLIENT, "the driver sent no command in time"},
    {NEAR("command.timeout", "closed the connection", 1500, 1500),
     {0},
     CONTROLLER_ERROR,
     ARMTAP_BLAME_CLIENT,
     "the driver broke off"},
    {NEAR("command.timeout", NULL, 1500, 1500), {0}, CONTROLLER_ERROR, ARMTAP_BLAME_UNCLEAR, NULL},
    {NEAR("command.gap", ENDED, 1500, 0), NEAR_DRIVERS("tcp.retransmission", "to the robot", 1000, 1000),
     CONTROLLER_ERROR, ARMTAP_BLAME_UNCLEAR, "the driver sent no command in time, or the network did not deliver it"},
    {NEAR("command.gap", ENDED, 1500, 0),
     {0},
     CONTROLLER_ERROR,
     ARMTAP_BLAME_CLIENT,
     "the driver sent no command in time"},
    PATH_CHECK("C204", TOO_FAST, TOO_FAST_MEANS),
    PATH_CHECK("C205", TOO_FAST, TOO_FAST_MEANS),
    PATH_CHECK("C206", TOO_FAST, TOO_FAST_MEANS),
    PATH_CHECK("C204", AWAY, AWAY_MEANS),
    PATH_CHECK("C205", AWAY, AWAY_MEANS),
    PATH_CHECK("C206", AWAY, AWAY_MEANS),
    {NEAR("command.jump", TOO_FAST, 500, 0), {0}, CONTROLLER_ERROR, ARMTAP_BLAME_CLIENT, TOO_FAST_MEANS},
    /* The controller's own words, which do not say whose fault it is. */
    {CONTROLLER_ERROR, {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {NEAR("ur.exception", "which a client sent in packet", 1000, 1000),
     {0},
     NEAR("safety.stop", NULL, 1000, 1000),
     ARMTAP_BLAME_CLIENT,
     "a client sent what failed"},
    {NEAR("ur.exception", NULL, 1000, 1000), {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {NEAR("rtde.text.exception", NULL, 1000, 1000), {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {NEAR("rtde.text.error", NULL, 1000, 1000), {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {NEAR("ur.popup", "^error: ", 1000, 1000), {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    /* What the program of Universal Robots' driver says before it ends. */
    {NEAR("ur.message", "^Receiving trajectory point failed", 1000, 1000),
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the next point of the driver's trajectory did not come in time"},
    {NEAR("ur.message", "^Terminating robot program due to targets", 1000, 1000),
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the robot's program found that the driver's targets violate its limits"},
    /* Sent before the stop, and started after it. */
    {NEAR("ur.program", "which a client sent in packet", 0, 1000),
     NEAR("ur.program", "^a client sent the program", 1000, 0), NEAR("safety.stop", NULL, 1000, 1000),
     ARMTAP_BLAME_CLIENT, "it took the place of the one that ran"},
    /* Data that came late: the finding itself says that the controller went on. */
    {NEAR("silence", "delayed on its way", 0, 0), NEAR("tcp.retransmission", "from the robot", 0, 1000),
     NEAR("tcp.zero-window", NULL, 1000, 1000), ARMTAP_BLAME_NETWORK,
     "the robot sent again what the network had not delivered"},
    {NEAR("silence", "delayed on its way", 0, 0),
     {0},
     NEAR("tcp.zero-window", NULL, 1000, 1000),
     ARMTAP_BLAME_UNCLEAR,
     "the network held it up, or the capturing machine"},
    /* Data that the robot could not send. */
    {NEAR("silence", FLOW_RATE_HELD_UP, 0, 0),
     {0},
     NEAR("tcp.zero-window", NULL, 1000, 1000),
     ARMTAP_BLAME_UNCLEAR,
     "no acknowledgement reached the robot: the network lost data or answers, or the client gave none"},
    /* Somebody else's request. What stops for safety has another reason. */
    {NEAR("dashboard.command", NULL, 600, 200),
     {0},
     NEAR("safety.stop", NULL, 1000, 1000),
     ARMTAP_BLAME_CLIENT,
     "a client of the dashboard server asked for it"},
};
#define RULES (sizeof rules / sizeof *rules)

/* Kinds of stops, by what their names contain in any field of any maker. Those without are one kind: protective stops,
 * which the controller decides on. A robot's own emergency stop is not the system's. */
static const char *const stop_kinds[] = {"ROBOT_EMERGENCY", "RobotEmergency", "EMERGENCY",     "Emergency",
                                         "SAFEGUARD",       "Safeguard",      "THREE_POSITION"};
#define STOP_KINDS (sizeof stop_kinds / sizeof *stop_kinds)

/* What the packets do not prove is no cause. */
static const char doubt[] = "the packets do not distinguish";

/* What an incident begins with. Those that are ordinary need a cause to be one. */
static const struct start {
    struct sign sign;
    enum incident_kind kind;
    bool is_ordinary;
} starts[] = {
    {NEAR("safety.stop", NULL, 0, 0), INCIDENT_STOP, false},
    {NEAR("safety.state", NULL, 0, 0), INCIDENT_STOP, true},
    {NEAR("mode.changed", "runtime_state PLAYING -> STOPP", 0, 0), INCIDENT_PROGRAM, true},
    {NEAR("mode.changed", "runtime_state PLAYING -> PAUS", 0, 0), INCIDENT_PROGRAM, true},
    {NEAR("command.timeout", NULL, 0, 0), INCIDENT_PROGRAM, true},
    {NEAR("ur.program", "^program stopped", 0, 0), INCIDENT_PROGRAM, true},
    {NEAR("silence", NULL, 0, 0), INCIDENT_DATA, true},
};
#define STARTS (sizeof starts / sizeof *starts)
/* Ordinary ones that are looked at, and findings near each, before and after: in a flood the rest is left out. */
#define TRIED_MAX 400
#define NEAR_MAX 2000

/* ---- what is near a stop ----------------------------------------------------------------------------------------- */

/* NULL for a finding of the capture. */
static const struct armtap_stream *stream_of(const struct verdict_grounds *grounds,
                                             const struct armtap_finding *finding)
{
    const struct armtap_stream_summary *summary =
        finding->stream == ARMTAP_NO_STREAM ? NULL : armtap_streams_at(grounds->streams, finding->stream);
    return summary ? summary->stream : NULL;
}

/* The robot's end of a finding's stream; "" for a finding of the capture. */
static const char *robot_of(const struct verdict_grounds *grounds, const struct armtap_finding *finding)
{
    const struct armtap_stream *stream = stream_of(grounds, finding);
    return stream ? stream->robot : "";
}

/* A number at the end of the words goes no further in the text. */
static bool has_words(const char *text, const char *words)
{
    if (!words)
        return true;
    if (*words != '^')
        return strstr(text, words) != NULL;
    size_t length = strlen(words + 1);
    return strncmp(text, words + 1, length) == 0 && !(text[length] >= '0' && text[length] <= '9');
}

static bool is_of_kind(const struct armtap_note_kind *kind, const struct sign *sign)
{
    size_t length = strlen(sign->id);
    return sign->id[length - 1] == '.' ? strncmp(kind->id, sign->id, length) == 0 : strcmp(kind->id, sign->id) == 0;
}

static bool is_sign(const struct armtap_finding *finding, const struct sign *sign)
{
    return is_of_kind(finding->kind, sign) && !finding->is_sum && has_words(finding->text, sign->words) &&
           !armtap_modes_is_guess(finding->text) && !strstr(finding->text, doubt);
}

static bool is_drivers(const struct verdict_grounds *grounds, const struct armtap_finding *finding)
{
    const struct armtap_stream *stream = stream_of(grounds, finding);
    return stream && stream->protocol == ARMTAP_EXTERNAL_CONTROL;
}

static size_t kind_of_stop(const struct armtap_finding *stop)
{
    size_t kind = 0;
    while (kind < STOP_KINDS && !strstr(stop->text, stop_kinds[kind]))
        kind++;
    return kind;
}

static bool is_same_field(const struct armtap_finding *one, const struct armtap_finding *other)
{
    char field[ARMTAP_MODE_NAME_MAX], other_field[ARMTAP_MODE_NAME_MAX];
    return one->stream == other->stream &&
           strcmp(armtap_modes_stop_field(one->text, field), armtap_modes_stop_field(other->text, other_field)) == 0;
}

/* Whether a finding tells of the stop, and not of a later one. What one record shows began together, as far as it
 * tells. */
static bool tells_of(const struct armtap_finding *finding, const struct armtap_finding *stop)
{
    return finding->kind == stop->kind &&
           (finding->where.time == stop->where.time ||
            (kind_of_stop(finding) == kind_of_stop(stop) && !is_same_field(finding, stop)));
}

/* A stop of another kind has its own cause. */
static bool is_another_stop(const struct armtap_finding *one, const struct armtap_finding *other)
{
    return one->kind == other->kind && one->where.time != other->where.time && kind_of_stop(one) != kind_of_stop(other);
}

/* When what it tells began. */
static int64_t begin_of(const struct armtap_finding *finding)
{
    bool is_told_afterwards = strcmp(finding->kind->id, "silence") == 0;
    return is_told_afterwards ? armtap_time_shift(finding->where.time, -(int64_t)(finding->size * 1e9))
                              : finding->where.time;
}

/* How far a sign is from the stop; -1 if it does not belong to it. */
static int64_t distance(const struct verdict_grounds *grounds, const struct armtap_finding *stop,
                        const struct armtap_finding *finding, const struct sign *sign)
{
    int64_t time = finding->where.time, begin = begin_of(stop), far = 0;
    if (time < begin)
        far = armtap_time_between(time, begin);
    else if (time > stop->where.time)
        far = armtap_time_between(stop->where.time, time);
    if (far > (time < begin ? sign->before : sign->after) * MS || (sign->is_drivers && !is_drivers(grounds, finding)) ||
        (sign->is_stop && !tells_of(finding, stop)) ||
        !armtap_incident_same_host(robot_of(grounds, stop), robot_of(grounds, finding)))
        return -1;
    return far;
}

/* Those of the findings that are a sign, by their indices. */
struct signs {
    size_t *all;
    size_t count, room;
};

/* What is looked at, and of each rule its signs: most rules have none. */
struct search {
    const struct verdict_grounds *grounds;
    struct rule_signs {
        struct signs cause, with, unless;
    } of[RULES];
};

/* 0, or -1 if memory runs out. */
static int find_signs(struct signs *signs, const struct findings *findings, const struct sign *sign)
{
    const struct armtap_note_kind *kind = sign->id ? armtap_note_find(sign->id) : NULL;
    size_t count = sign->id ? armtap_findings_count(findings) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_finding *finding = armtap_findings_at(findings, i);
        if ((kind && kind != finding->kind) || !is_sign(finding, sign))
            continue;
        if (signs->count == signs->room) {
            size_t room = 2 * signs->room + 8;
            size_t *all = realloc(signs->all, room * sizeof *all);
            if (!all)
                return -1;
            signs->all = all;
            signs->room = room;
        }
        signs->all[signs->count++] = i;
    }
    return 0;
}

static int search_begin(struct search *search, const struct verdict_grounds *grounds)
{
    search->grounds = grounds;
    for (size_t i = 0; i < RULES; i++) {
        struct rule_signs *of = &search->of[i];
        if (find_signs(&of->cause, grounds->findings, &rules[i].cause) != 0)
            return -1;
        if (of->cause.count > 0 && (find_signs(&of->with, grounds->findings, &rules[i].with) != 0 ||
                                    find_signs(&of->unless, grounds->findings, &rules[i].unless) != 0))
            return -1;
    }
    return 0;
}

static void search_end(struct search *search)
{
    for (size_t i = 0; i < RULES; i++) {
        free(search->of[i].cause.all);
        free(search->of[i].with.all);
        free(search->of[i].unless.all);
    }
}

/* The place of the first sign that is this finding, or a later one. */
static size_t place_of(const struct signs *signs, size_t finding)
{
    size_t low = 0, high = signs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (signs->all[middle] < finding)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sign that is nearest to the stop. */
static size_t nearest(const struct verdict_grounds *grounds, size_t stop, const struct sign *sign,
                      const struct signs *signs)
{
    const struct findings *findings = grounds->findings;
    const struct armtap_finding *of = armtap_findings_at(findings, stop), *finding;
    int64_t from = armtap_time_shift(begin_of(of), -sign->before * MS);
    int64_t until = armtap_time_shift(of->where.time, sign->after * MS), best = INT64_MAX;
    size_t place = place_of(signs, stop > NEAR_MAX ? stop - NEAR_MAX : 0), found = NONE, first = stop;
    if (place == signs->count || signs->all[place] > stop + NEAR_MAX)
        return NONE;
    while (first > 0 && stop - first < NEAR_MAX &&
           (finding = armtap_findings_at(findings, first - 1))->where.time >= from &&
           finding->where.time != ARMTAP_NO_TIME)
        first--;
    size_t end = first;
    while (end <= stop + NEAR_MAX && (finding = armtap_findings_at(findings, end)) && finding->where.time <= until)
        end++;
    for (place = place_of(signs, first); place < signs->count && signs->all[place] < end; place++) {
        int64_t far = distance(grounds, of, armtap_findings_at(findings, signs->all[place]), sign);
        if (far >= 0 && far < best) {
            best = far;
            found = signs->all[place];
        }
    }
    return found;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static const struct rule *rule_of(const struct search *search, size_t stop, struct incident_cause *cause)
{
    for (size_t i = 0; i < RULES; i++) {
        const struct rule *rule = &rules[i];
        const struct rule_signs *of = &search->of[i];
        cause->finding = nearest(search->grounds, stop, &rule->cause, &of->cause);
        if (cause->finding == NONE)
            continue;
        cause->with = nearest(search->grounds, stop, &rule->with, &of->with);
        if ((rule->with.id && cause->with == NONE) ||
            nearest(search->grounds, stop, &rule->unless, &of->unless) != NONE)
            continue;
        cause->meaning = rule->meaning;
        return rule;
    }
    *cause = (struct incident_cause){.finding = NONE, .with = NONE};
    return NULL;
}

/* ---- incidents --------------------------------------------------------------------------------------------------- */

/* Keeps the findings in order, each once; more than fit are left out. */
static void add_evidence(struct incident *incident, size_t finding)
{
    size_t place = incident->evidence_count;
    while (place > 0 && finding != NONE && incident->evidence[place - 1] > finding)
        place--;
    if (finding == NONE || incident->evidence_count == INCIDENT_EVIDENCE ||
        (place > 0 && incident->evidence[place - 1] == finding))
        return;
    memmove(incident->evidence + place + 1, incident->evidence + place,
            (incident->evidence_count++ - place) * sizeof *incident->evidence);
    incident->evidence[place] = finding;
}

/* The nearest incident that a stop belongs to, or NULL. */
static struct incident *joins(const struct incidents *incidents, const struct verdict_grounds *grounds, size_t stop,
                              enum incident_kind kind)
{
    const struct armtap_finding *of = armtap_findings_at(grounds->findings, stop);
    struct incident *nearest = NULL;
    int64_t least = INCIDENT_JOINED + 1;
    for (size_t i = 0; i < incidents->count; i++) {
        const struct armtap_finding *first = armtap_findings_at(grounds->findings, incidents->all[i].stop);
        bool is_after = first->where.time <= of->where.time;
        int64_t apart = is_after ? armtap_time_between(first->where.time, of->where.time)
                                 : armtap_time_between(of->where.time, first->where.time);
        if (apart >= least || (incidents->all[i].kind == INCIDENT_DATA) != (kind == INCIDENT_DATA) ||
            !armtap_incident_same_host(robot_of(grounds, first), robot_of(grounds, of)) || is_another_stop(first, of))
            continue;
        nearest = &incidents->all[i];
        least = apart;
    }
    return nearest;
}

/* Whether one before it is of the same robot, and without a cause. */
static bool is_hinted(const struct incidents *incidents, const struct verdict_grounds *grounds, size_t at)
{
    const struct armtap_finding *stop = armtap_findings_at(grounds->findings, incidents->all[at].stop);
    for (size_t i = 0; i < at; i++) {
        const struct armtap_finding *first = armtap_findings_at(grounds->findings, incidents->all[i].stop);
        if (!incidents->all[i].has_cause &&
            armtap_incident_same_host(robot_of(grounds, first), robot_of(grounds, stop)))
            return true;
    }
    return false;
}

/* Takes what is ordinary only if it has a cause. 0, or -1 if memory runs out. */
static int take(struct incidents *incidents, const struct search *search, const struct start *start, size_t i)
{
    const struct verdict_grounds *grounds = search->grounds;
    struct incident *incident = &incidents->all[incidents->count];
    struct incident_cause cause;
    const struct rule *rule = rule_of(search, i, &cause);
    if (!rule && start->is_ordinary)
        return 0;
    *incident = (struct incident){.stop = i, .kind = start->kind, .has_cause = rule != NULL};
    incident->side = rule ? rule->side : ARMTAP_BLAME_UNCLEAR;
    cause.is_hinted = !rule && is_hinted(incidents, grounds, incidents->count);
    add_evidence(incident, i);
    add_evidence(incident, cause.finding);
    add_evidence(incident, cause.with);
    incident->text = armtap_incident_text(grounds, incident, &cause);
    incidents->count++;
    return incident->text ? 0 : -1;
}

/* What begins there, and when is known, of those that are ordinary, or of the others; NULL: nothing. */
static const struct start *start_of(const struct verdict_grounds *grounds, const struct armtap_finding *finding,
                                    bool is_ordinary)
{
    if (finding->where.time == ARMTAP_NO_TIME || *robot_of(grounds, finding) == '\0')
        return NULL;
    if (strcmp(finding->kind->id, "safety.state") == 0 && armtap_modes_is_begun(finding->text))
        return NULL;
    for (size_t i = 0; i < STARTS; i++)
        if (starts[i].is_ordinary == is_ordinary && is_sign(finding, &starts[i].sign))
            return &starts[i];
    return NULL;
}

/* Finds those that are ordinary, or those that are not. 0, or -1 if memory runs out. */
static int find_some(struct incidents *incidents, const struct search *search, bool is_ordinary)
{
    const struct verdict_grounds *grounds = search->grounds;
    size_t tried = 0;
    for (size_t i = 0; i < armtap_findings_count(grounds->findings); i++) {
        const struct start *start = start_of(grounds, armtap_findings_at(grounds->findings, i), is_ordinary);
        if (!start)
            continue;
        struct incident *same = joins(incidents, grounds, i, start->kind);
        if (same)
            add_evidence(same, i);
        else if (incidents->count == INCIDENTS_MAX || (is_ordinary && tried++ == TRIED_MAX))
            return 0;
        else if (take(incidents, search, start, i) != 0)
            return -1;
    }
    return 0;
}

static int by_stop(const void *a, const void *b)
{
    const struct incident *one = a, *other = b;
    return one->stop < other->stop ? -1 : one->stop > other->stop;
}

int armtap_incidents_find(struct incidents *incidents, const struct verdict_grounds *grounds)
{
    struct search search = {0};
    incidents->all = calloc(INCIDENTS_MAX, sizeof *incidents->all);
    bool is_found = incidents->all && search_begin(&search, grounds) == 0 &&
                    find_some(incidents, &search, false) == 0 && find_some(incidents, &search, true) == 0;
    search_end(&search);
    if (!is_found)
        return -1;
    qsort(incidents->all, incidents->count, sizeof *incidents->all, by_stop);
    return 0;
}

void armtap_incidents_free(struct incidents *incidents)
{
    for (size_t i = 0; i < incidents->count; i++)
        free(incidents->all[i].text);
    free(incidents->all);
    *incidents = (struct incidents){0};
}

const struct incident *armtap_incidents_of(const struct incidents *incidents, size_t finding)
{
    for (size_t i = 0; i < incidents->count; i++) {
        const struct incident *incident = &incidents->all[i];
        for (size_t k = 0; k < incident->evidence_count && incident->evidence[k] <= finding; k++)
            if (incident->evidence[k] == finding)
                return incident;
    }
    return NULL;
}
