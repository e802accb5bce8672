#include "analysis/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/numbers.h"
#include "analysis/inside.h"

#define MS INT64_C(1000000) /* ns */
#define NONE SIZE_MAX
/* ns: what stops within this time after the first stop belongs to it, but for a stop of another kind. */
#define JOINED INT64_C(1000000000)
#define SHORTEST_CYCLE 0.002 /* s, of any controller: the least time per skipped package */
/* Ordinary ones that are looked at, and findings near each, before and after: in a flood the rest is left out. */
#define TRIED_MAX 400
#define NEAR_MAX 2000
#define NEAR_OTHER_MAX 200
/* ns: errors that are further apart are incidents of their own. */
#define ERRORS_APART INT64_C(60000000000)
/* The share of a stream's bytes that counts as many, if they could not be decoded. */
#define UNREAD_MUCH 0.01

/* ---- whom a finding is about ------------------------------------------------------------------------------------- */

/* The robot's end of a finding; "" if it has none. */
static const char *robot_of(const struct armtap_facts *facts, const struct armtap_finding *finding)
{
    const struct armtap_stream *stream = armtap_stream_of(facts, finding);
    const char *robot = stream ? stream->robot : armtap_finding_text(finding, "robot");
    return robot ? robot : "";
}

static bool is_silence(const struct armtap_finding *finding)
{
    return finding->kind == armtap_note_at(ARMTAP_FINDING_silence);
}

/* When what it reports began. */
static int64_t begin_of(const struct armtap_finding *finding)
{
    bool is_reported_afterwards = is_silence(finding);
    return is_reported_afterwards && finding->where.time != ARMTAP_NO_TIME
               ? armtap_time_shift(finding->where.time, -(int64_t)(finding->size * 1e9))
               : finding->where.time;
}

/* When it ended: of what lasts, after `size` seconds. */
static int64_t end_of(const struct armtap_finding *finding)
{
    bool does_last = finding->kind == armtap_note_at(ARMTAP_FINDING_tcp_zero_window) ||
                     finding->kind == armtap_note_at(ARMTAP_FINDING_values_frozen) ||
                     finding->kind == armtap_note_at(ARMTAP_FINDING_clock_frozen);
    return does_last && finding->where.time != ARMTAP_NO_TIME
               ? armtap_time_shift(finding->where.time,
                                   finding->size < 1e9 ? (int64_t)(finding->size * 1e9) : INT64_MAX)
               : finding->where.time;
}

/* How often it happened, and the last time: of attempts to connect, a finding counts those of a robot and a client. */
static uint64_t times_of(const struct armtap_finding *finding, struct armtap_where *last)
{
    const struct armtap_argument *times = armtap_argument_of(&finding->arguments, ARMTAP_ARGUMENT_times),
                                 *packet = armtap_argument_of(&finding->arguments, ARMTAP_ARGUMENT_last_packet),
                                 *time = armtap_argument_of(&finding->arguments, ARMTAP_ARGUMENT_last_time);
    *last = finding->last;
    if (!times || !packet)
        return finding->count;
    last->packet = packet->value.count;
    last->time = time ? time->value.integer : ARMTAP_NO_TIME;
    return times->value.count;
}

static enum armtap_word kind_of_stop(const struct armtap_finding *stop)
{
    return armtap_word_of(&stop->arguments, ARMTAP_ARGUMENT_case);
}

static bool is_same_text(const struct armtap_finding *one, const struct armtap_finding *other, const char *name)
{
    const char *of_one = armtap_finding_text(one, name), *of_other = armtap_finding_text(other, name);
    return of_one && of_other && strcmp(of_one, of_other) == 0;
}

/* Whether a finding reports the stop, and not a later one. What one record shows began together, as far as it reports.
 */
static bool reports(const struct armtap_finding *finding, const struct armtap_finding *stop)
{
    bool is_same_field = finding->stream == stop->stream && is_same_text(finding, stop, "field");
    return finding->kind == stop->kind &&
           (finding->where.time == stop->where.time || (kind_of_stop(finding) == kind_of_stop(stop) && !is_same_field));
}

/* A stop of another kind has its own cause. */
static bool is_another_stop(const struct armtap_finding *one, const struct armtap_finding *other)
{
    return one->kind == other->kind && one->where.time != other->where.time && kind_of_stop(one) != kind_of_stop(other);
}

/* Whether what lasted explains what happened: no more packages were skipped than fit into it, and no longer silence. */
static bool is_long_enough(const struct armtap_finding *cause, const struct armtap_finding *what)
{
    double least = is_silence(what) ? what->size - (double)JOINED * 1e-9 : what->size * SHORTEST_CYCLE;
    return cause->count == 1 && what->count == 1 && cause->size > 0 && least <= cause->size;
}

/* ---- what is near -------------------------------------------------------------------------------------------------
 */

/* ns: how long the program had run that ended, as far as it is known. */
static int64_t ran_for(const struct armtap_finding *what)
{
    const struct armtap_argument *ran = armtap_argument_of(&what->arguments, ARMTAP_ARGUMENT_ran_s);
    return ran ? (int64_t)(ran->value.number * 1e9) : INT64_MAX;
}

/* How far a sign is from what happened; -1 if it does not belong to it. */
static int64_t distance(const struct armtap_facts *facts, const struct armtap_finding *what,
                        const struct armtap_finding *finding, const struct sign *sign)
{
    int64_t time = finding->where.time, end = sign->is_span ? end_of(finding) : time, begin = begin_of(what), far = 0;
    int64_t since = begin_of(finding);
    const struct armtap_stream *stream = armtap_stream_of(facts, finding);
    if (sign->is_span) {
        far = what->where.time > end ? armtap_time_between(end, what->where.time) : 0;
        if (time > what->where.time || far > sign->after * MS || !is_long_enough(finding, what))
            return -1;
    } else if (time < begin) {
        far = armtap_time_between(time, begin);
    } else if (since > what->where.time) {
        far = armtap_time_between(what->where.time, since);
    }
    if (!sign->is_span && far > (time < begin ? sign->before : sign->after) * MS)
        return -1;
    if ((sign->is_drivers && !(stream && stream->protocol == ARMTAP_EXTERNAL_CONTROL)) ||
        (sign->is_stop && !reports(finding, what)) || (sign->is_in_run && far > ran_for(what)) ||
        (sign->is_same_stream && finding->stream != what->stream) ||
        !armtap_same_host(robot_of(facts, what), robot_of(facts, finding)))
        return -1;
    return far;
}

/* Those of the findings that are a sign, by their indices. */
struct signs {
    size_t *all;
    size_t count;
};

/* What is looked at, and of each rule its signs: most rules have none. */
struct search {
    const struct armtap_facts *facts;
    struct rule_signs {
        struct signs cause, with, unless;
    } * of;
};

/* 0, or -1 if memory runs out. */
static int find_signs(struct signs *signs, const struct armtap_facts *facts, const struct sign *sign)
{
    size_t count = sign->is_needed ? facts->finding_count : 0;
    for (size_t i = 0; i < count; i++) {
        if (!armtap_sign_fits(sign, &facts->findings[i]))
            continue;
        if (!MAKE_ROOM(signs->all, signs->count))
            return -1;
        signs->all[signs->count++] = i;
    }
    return 0;
}

static int search_begin(struct search *search, const struct armtap_facts *facts)
{
    search->facts = facts;
    search->of = calloc(armtap_rule_count(), sizeof *search->of);
    for (size_t i = 0; search->of && i < armtap_rule_count(); i++) {
        const struct rule *rule = armtap_rule_at(i);
        struct rule_signs *of = &search->of[i];
        if (find_signs(&of->cause, facts, &rule->cause) != 0)
            return -1;
        if (of->cause.count > 0 &&
            (find_signs(&of->with, facts, &rule->with) != 0 || find_signs(&of->unless, facts, &rule->unless) != 0))
            return -1;
    }
    return search->of ? 0 : -1;
}

static void search_end(struct search *search)
{
    for (size_t i = 0; search->of && i < armtap_rule_count(); i++) {
        free(search->of[i].cause.all);
        free(search->of[i].with.all);
        free(search->of[i].unless.all);
    }
    free(search->of);
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

/* The sign that is nearest to what happened, of so many findings before and after it. */
static size_t nearest(const struct armtap_facts *facts, size_t what, const struct sign *sign, const struct signs *signs,
                      size_t reach)
{
    const struct armtap_finding *of = &facts->findings[what];
    int64_t best = INT64_MAX;
    size_t found = NONE, first = what > reach ? what - reach : 0;
    for (size_t place = place_of(signs, first); place < signs->count && signs->all[place] <= what + reach; place++) {
        const struct armtap_finding *finding = &facts->findings[signs->all[place]];
        int64_t far = finding->where.time == ARMTAP_NO_TIME ? -1 : distance(facts, of, finding, sign);
        if (far >= 0 && far < best) {
            best = far;
            found = signs->all[place];
        }
    }
    return found;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

struct reason {
    const struct rule *rule; /* NULL: none fits */
    size_t cause, with;
};

static bool applies(const struct rule *rule, enum incident_class class, const struct armtap_finding *what)
{
    return (rule->classes & (unsigned)class) && (class != CLASS_OTHER || armtap_note_at(rule->what) == what->kind);
}

static struct reason reason_of(const struct search *search, size_t what, enum incident_class class)
{
    size_t reach = class == CLASS_OTHER ? NEAR_OTHER_MAX : NEAR_MAX;
    const struct armtap_finding *of = &search->facts->findings[what];
    for (size_t i = 0; i < armtap_rule_count() && of->where.time != ARMTAP_NO_TIME; i++) {
        const struct rule *rule = armtap_rule_at(i);
        const struct rule_signs *signs = &search->of[i];
        struct reason reason = {rule, NONE, NONE};
        if (signs->cause.count == 0 || !applies(rule, class, of))
            continue;
        reason.cause = nearest(search->facts, what, &rule->cause, &signs->cause, reach);
        if (reason.cause == NONE)
            continue;
        reason.with = nearest(search->facts, what, &rule->with, &signs->with, reach);
        if ((rule->with.is_needed && reason.with == NONE) ||
            nearest(search->facts, what, &rule->unless, &signs->unless, reach) != NONE)
            continue;
        return reason;
    }
    return (struct reason){NULL, NONE, NONE};
}

/* ---- incidents --------------------------------------------------------------------------------------------------- */

/* The incidents so far, and to which each finding belongs. */
struct judging {
    const struct armtap_facts *facts;
    struct search search;
    struct armtap_incidents *incidents;
    uint16_t *of; /* by finding: its incident, plus 1; 0: none */
};
_Static_assert(ARMTAP_INCIDENTS_MAX < UINT16_MAX, "of has 16 bits for them");

/* Keeps the findings in order, each once. 0, or -1 if memory runs out. */
static int add_evidence(struct judging *judging, struct incident *incident, size_t finding)
{
    size_t count = incident->public.evidence_count, place = count;
    if (finding == NONE)
        return 0;
    while (place > 0 && incident->evidence[place - 1] > finding)
        place--;
    if (place > 0 && incident->evidence[place - 1] == finding)
        return 0;
    if (!MAKE_ROOM(incident->evidence, count))
        return -1;
    memmove(incident->evidence + place + 1, incident->evidence + place, (count - place) * sizeof *incident->evidence);
    incident->evidence[place] = finding;
    incident->public.evidence_count++;
    if (judging->of[finding] == 0)
        judging->of[finding] = (uint16_t)(incident - judging->incidents->all + 1);
    return 0;
}

/* Whether data of one connection stood still with that of another: for the same reason, which is not that connection's
 * own. */
static bool stood_still_together(const struct incident *incident, const struct armtap_finding *of)
{
    bool is_own = incident->rule && incident->rule->cause.is_span;
    return incident->what->stream == of->stream ||
           (!is_own && armtap_word_of(&incident->what->arguments, ARMTAP_ARGUMENT_reason) ==
                           armtap_word_of(&of->arguments, ARMTAP_ARGUMENT_reason));
}

static int64_t apart_of(int64_t one, int64_t other)
{
    return one <= other ? armtap_time_between(one, other) : armtap_time_between(other, one);
}

/* The nearest incident that a stop belongs to, or NULL. A program that ends while the robot is stopped belongs to that
 * stop, whenever it began. */
static struct incident *joins(const struct judging *judging, const struct armtap_finding *of, enum incident_class class)
{
    const struct armtap_facts *facts = judging->facts;
    bool is_in_stop = of->kind == armtap_note_at(ARMTAP_FINDING_program_ended) &&
                      armtap_argument_of(&of->arguments, ARMTAP_ARGUMENT_case) != NULL;
    struct incident *nearest = NULL;
    int64_t least = is_in_stop ? INT64_MAX : JOINED + 1;
    for (size_t i = 0; i < judging->incidents->count; i++) {
        struct incident *incident = &judging->incidents->all[i];
        const struct armtap_finding *first = incident->what;
        bool is_after = first->where.time <= of->where.time;
        int64_t apart = apart_of(first->where.time, of->where.time);
        if (incident->class == CLASS_PROGRAM && apart > apart_of(incident->last.time, of->where.time))
            apart = apart_of(incident->last.time, of->where.time);
        if (apart >= least || incident->class == CLASS_OTHER ||
            (incident->class == CLASS_DATA) != (class == CLASS_DATA) ||
            (is_in_stop && (incident->class != CLASS_STOP || (!is_after && apart > JOINED))) ||
            (class == CLASS_DATA && !stood_still_together(incident, of)) ||
            !armtap_same_host(robot_of(facts, first), robot_of(facts, of)) || is_another_stop(first, of))
            continue;
        nearest = incident;
        least = apart;
    }
    return nearest;
}

/* Begins one. NULL if there are too many. */
static struct incident *begin(struct judging *judging, size_t what, enum incident_class class,
                              const struct reason *reason)
{
    const struct armtap_finding *findings = judging->facts->findings;
    struct armtap_incidents *incidents = judging->incidents;
    if (incidents->count == ARMTAP_INCIDENTS_MAX)
        return NULL;
    struct incident *incident = &incidents->all[incidents->count++];
    *incident = (struct incident){.class = class,
                                  .rule = reason->rule,
                                  .what = &findings[what],
                                  .cause = reason->cause == NONE ? NULL : &findings[reason->cause],
                                  .with = reason->with == NONE ? NULL : &findings[reason->with]};
    times_of(incident->what, &incident->last);
    incident->more = incident->what->count - 1;
    incident->total = incident->what->total;
    return incident;
}

/* 0, or -1 if memory runs out. */
static int take(struct judging *judging, size_t what, enum incident_class class, const struct reason *reason)
{
    struct incident *incident = begin(judging, what, class, reason);
    if (!incident)
        return 0;
    bool is_kept = add_evidence(judging, incident, what) == 0 && add_evidence(judging, incident, reason->cause) == 0 &&
                   add_evidence(judging, incident, reason->with) == 0;
    return is_kept ? 0 : -1;
}

/* What begins there, of those that are ordinary, or of the others; NULL: nothing. */
static const struct start *start_of(const struct armtap_facts *facts, const struct armtap_finding *finding,
                                    bool is_ordinary)
{
    const struct start *start;
    bool is_begun = armtap_argument_of(&finding->arguments, ARMTAP_ARGUMENT_is_begun) != NULL;
    if (finding->where.time == ARMTAP_NO_TIME || is_begun || *robot_of(facts, finding) == '\0')
        return NULL;
    for (size_t i = 0; (start = armtap_start_at(i)); i++)
        if (start->is_ordinary == is_ordinary && armtap_sign_fits(&start->sign, finding))
            return start;
    return NULL;
}

/* Whether it explains what comes after it, and is an incident before that. */
static bool is_root(const struct armtap_finding *finding)
{
    return finding->kind == armtap_note_at(ARMTAP_NOTE_protocol_wrong_port);
}

/* Whether something near it cuts a program off. */
static bool is_cut(const struct armtap_facts *facts, const struct armtap_finding *what)
{
    const struct sign *cut;
    for (size_t i = 0; i < facts->finding_count; i++)
        for (size_t k = 0; (cut = armtap_cut_at(k)); k++)
            if (armtap_sign_fits(cut, &facts->findings[i]) && distance(facts, what, &facts->findings[i], cut) >= 0)
                return true;
    return false;
}

/* Adds one more of its kind. 0, or -1 if memory runs out. */
static int repeat(struct judging *judging, struct incident *incident, size_t what, const struct reason *reason)
{
    const struct armtap_finding *finding = &judging->facts->findings[what];
    struct armtap_where last;
    incident->more += times_of(finding, &last);
    incident->total += finding->total;
    if (armtap_time_is_before(&incident->last, &last))
        incident->last = last;
    return add_evidence(judging, incident, what) == 0 ? add_evidence(judging, incident, reason->cause) : -1;
}

/* An earlier end of a program that was as ordinary: a client that sends one script after another would fill the page.
 */
static struct incident *same_end(const struct judging *judging, const struct armtap_finding *what,
                                 const struct rule *rule)
{
    const struct armtap_facts *facts = judging->facts;
    if (what->kind != armtap_note_at(ARMTAP_FINDING_program_ended) ||
        (rule && rule->cause.code != ARMTAP_NOTE_ur_program) || is_cut(facts, what))
        return NULL;
    for (size_t i = 0; i < judging->incidents->count; i++) {
        struct incident *incident = &judging->incidents->all[i];
        if (incident->class == CLASS_PROGRAM && incident->what->kind == what->kind && incident->rule == rule &&
            !is_cut(facts, incident->what) && armtap_same_host(robot_of(facts, incident->what), robot_of(facts, what)))
            return incident;
    }
    return NULL;
}

/* Finds those that are ordinary, or those that are not. 0, or -1 if memory runs out. */
static int find_starts(struct judging *judging, bool is_ordinary)
{
    const struct armtap_finding *findings = judging->facts->findings;
    size_t tried = 0;
    for (size_t i = 0; i < judging->facts->finding_count; i++) {
        const struct armtap_finding *finding = &findings[i];
        const struct start *start = start_of(judging->facts, finding, is_ordinary);
        if (!start)
            continue;
        struct incident *same = joins(judging, finding, start->class);
        struct reason reason = {NULL, NONE, NONE};
        if (same && add_evidence(judging, same, i) != 0)
            return -1;
        if (same)
            continue;
        if (is_ordinary && tried++ == TRIED_MAX)
            return 0;
        reason = reason_of(&judging->search, i, start->class);
        if (!reason.rule && start->needs_cause)
            continue;
        struct incident *root =
            reason.cause != NONE && is_root(&findings[reason.cause]) && judging->of[reason.cause] > 0
                ? &judging->incidents->all[judging->of[reason.cause] - 1]
                : NULL;
        struct incident *earlier = same_end(judging, finding, reason.rule);
        if ((root      ? add_evidence(judging, root, i)
             : earlier ? repeat(judging, earlier, i, &reason)
                       : take(judging, i, start->class, &reason)) != 0)
            return -1;
    }
    return 0;
}

/* ---- what else was found ------------------------------------------------------------------------------------------
 */

static double both(const uint64_t counts[2])
{
    return (double)(counts[0] + counts[1]);
}

double armtap_unread_bytes(const struct armtap_stream *stream)
{
    uint64_t decoded = stream->bytes_decoded[ARMTAP_FROM_ROBOT], records = stream->records[ARMTAP_FROM_ROBOT];
    double rest = stream->midstream && records > 0 ? (double)decoded / (double)records : 0;
    return fmax(0, both(stream->bytes_skipped) - both(stream->bytes_unfinished) - rest);
}

/* Undecoded bytes may hide anything: many of them are more than a notice. So are values that may be of other fields
 * than their names say. */
static enum armtap_severity severity_of(const struct armtap_facts *facts, const struct armtap_finding *finding)
{
    const struct armtap_stream *stream = armtap_stream_of(facts, finding);
    enum armtap_severity own = finding->kind->severity;
    bool is_unsure = finding->kind == armtap_note_at(ARMTAP_NOTE_rtde_recipe_unsure), is_much = false;
    if (stream && finding->kind == armtap_note_at(ARMTAP_NOTE_stream_resync))
        is_much =
            armtap_unread_bytes(stream) >= UNREAD_MUCH * (both(stream->bytes_skipped) + both(stream->bytes_decoded));
    return (is_much || is_unsure) && own < ARMTAP_WARNING ? ARMTAP_WARNING : own;
}

/* Whether two findings of a kind say the same, but for names, numbers and times. */
static bool say_the_same(const struct armtap_finding *one, const struct armtap_finding *other)
{
    static const enum armtap_argument_id compared[] = {ARMTAP_ARGUMENT_who,    ARMTAP_ARGUMENT_case,
                                                       ARMTAP_ARGUMENT_reason, ARMTAP_ARGUMENT_code,
                                                       ARMTAP_ARGUMENT_line,   ARMTAP_ARGUMENT_advice};
    /* what resets several connections at once finds each of them in another state */
    size_t count = one->kind == armtap_note_at(ARMTAP_NOTE_tcp_reset) ? 1 : sizeof compared / sizeof *compared;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_argument *a = armtap_argument_of(&one->arguments, compared[i]),
                                     *b = armtap_argument_of(&other->arguments, compared[i]);
        if (!a != !b || (a && !armtap_is_same_argument(a, b)))
            return false;
    }
    return true;
}

/* An incident of the same robot with the same kinds, not long before: they are one, several times. */
static struct incident *alike(const struct judging *judging, const struct armtap_finding *what,
                              const struct reason *reason)
{
    for (size_t i = 0; i < judging->incidents->count; i++) {
        struct incident *incident = &judging->incidents->all[i];
        const struct armtap_facts *facts = judging->facts;
        const char *robot = robot_of(facts, what), *of = robot_of(facts, incident->what);
        if (incident->class == CLASS_OTHER && incident->what->kind == what->kind && incident->rule == reason->rule &&
            armtap_side_of(incident->what) == armtap_side_of(what) && say_the_same(incident->what, what) &&
            !(what->kind->severity == ARMTAP_ERROR && what->stream != ARMTAP_NO_STREAM &&
              armtap_time_between(incident->last.time, what->where.time) > ERRORS_APART) &&
            (armtap_same_host(robot, of) || strcmp(robot, of) == 0))
            return incident;
    }
    return NULL;
}

/* The incident that something else of the kind on the stream has caused. */
static struct incident *caused_too(const struct judging *judging, const struct armtap_finding *what)
{
    for (size_t i = 0; i < judging->incidents->count; i++) {
        struct incident *incident = &judging->incidents->all[i];
        const struct armtap_finding *cause = incident->cause;
        if (incident->class == CLASS_OTHER && cause && cause->kind == what->kind && cause->stream == what->stream &&
            what->stream != ARMTAP_NO_STREAM && say_the_same(cause, what) &&
            incident->rule->side == armtap_side_of(what))
            return incident;
    }
    return NULL;
}

/* Takes what is left: first what explains others, then what has a cause, then the rest. 0, or -1 if memory runs out. */
enum step { ROOTS, CAUSED, REST };
static int find_others(struct judging *judging, enum step step)
{
    bool has_cause = step == CAUSED;
    const struct armtap_finding *findings = judging->facts->findings;
    for (size_t i = 0; i < judging->facts->finding_count; i++) {
        const struct armtap_finding *finding = &findings[i];
        if (judging->of[i] > 0 || severity_of(judging->facts, finding) < ARMTAP_WARNING ||
            (step == ROOTS && !is_root(finding)))
            continue;
        struct reason reason = {NULL, NONE, NONE};
        if (has_cause)
            reason = reason_of(&judging->search, i, CLASS_OTHER);
        if (has_cause && !reason.rule)
            continue;
        size_t of_cause = reason.cause == NONE ? 0 : judging->of[reason.cause];
        struct incident *of = of_cause > 0  ? &judging->incidents->all[of_cause - 1]
                              : reason.rule ? NULL
                                            : caused_too(judging, finding);
        struct incident *same = of ? of : alike(judging, finding, &reason);
        int error = of     ? add_evidence(judging, same, i)
                    : same ? repeat(judging, same, i, &reason)
                           : take(judging, i, CLASS_OTHER, &reason);
        if (error != 0)
            return -1;
    }
    return 0;
}

/* ---- what is known of an incident ----------------------------------------------------------------------------------
 */

/* Whether the capture has such a connection of the robot: 1 decoded, 0 none, -1 some that was not decoded, maybe of
 * another robot. */
static int has_messages(const struct armtap_facts *facts, const char *robot)
{
    for (size_t i = 0; i < facts->stream_count; i++)
        if (armtap_same_host(facts->streams[i]->robot, robot) && armtap_is_message_port(facts->streams[i]->robot))
            return 1;
    for (size_t i = 0; i < facts->port_count; i++)
        if (armtap_is_message_port(facts->ports[i]))
            return -1;
    return 0;
}

static enum doubt doubt_of(const struct incident *incident, const struct armtap_facts *facts)
{
    const struct armtap_stream *stream = armtap_stream_of(facts, incident->what);
    bool is_stop = incident->class == CLASS_STOP && !incident->cause;
    enum armtap_word doubt = armtap_word_of(&incident->what->arguments, ARMTAP_ARGUMENT_doubt);
    if (doubt == ARMTAP_WORD_guessed)
        return DOUBT_GUESSED;
    if (doubt == ARMTAP_WORD_port_guessed)
        return DOUBT_PORT;
    if (incident->what->is_doubtful || doubt != ARMTAP_WORD_none)
        return DOUBT_FINDING;
    if (!is_stop || !stream || stream->protocol == ARMTAP_AUBO)
        return DOUBT_NONE;
    int has = has_messages(facts, stream->robot);
    return has > 0 ? DOUBT_SILENT_MESSAGES : has < 0 ? DOUBT_UNREAD : DOUBT_NO_MESSAGES;
}

/* What was read from a socket does not show what the network did. */
static enum armtap_blame side_of(const struct incident *incident, const struct armtap_facts *facts)
{
    const struct armtap_stream *stream = armtap_stream_of(facts, incident->what);
    enum armtap_blame side = incident->rule                   ? incident->rule->side
                             : incident->class == CLASS_OTHER ? armtap_side_of(incident->what)
                                                              : ARMTAP_BLAME_UNCLEAR;
    bool is_of_socket = stream && stream->origin == ARMTAP_ORIGIN_SOCKET;
    return side == ARMTAP_BLAME_NETWORK && is_of_socket ? ARMTAP_BLAME_UNCLEAR : side;
}

/* Whether the robot's data is complete, and nothing points to the network. */
static bool is_network_clean(const struct incident *incident, const struct armtap_facts *facts)
{
    const struct armtap_stream *stream = armtap_stream_of(facts, incident->what);
    if (!stream || stream->origin == ARMTAP_ORIGIN_SOCKET || stream->records[ARMTAP_FROM_ROBOT] == 0)
        return false;
    for (size_t i = 0; i < facts->finding_count; i++) {
        const struct armtap_finding *finding = &facts->findings[i];
        if ((finding->stream == incident->what->stream || finding->stream == ARMTAP_NO_STREAM) &&
            armtap_is_of_network(finding))
            return false;
    }
    return true;
}

static void extend(struct armtap_incident *incident, const struct armtap_finding *finding)
{
    struct armtap_where last;
    times_of(finding, &last);
    int64_t from = begin_of(finding), to = last.time;
    if (from != ARMTAP_NO_TIME && (incident->from == ARMTAP_NO_TIME || from < incident->from))
        incident->from = from;
    if (to != ARMTAP_NO_TIME && (incident->to == ARMTAP_NO_TIME || to > incident->to))
        incident->to = to;
}

/* How a program ended decides on the severity of its end. */
static void grade(const struct incident *incident, const struct armtap_facts *facts)
{
    const struct armtap_note_kind *ended = armtap_note_at(ARMTAP_FINDING_program_ended);
    for (size_t i = 0; i < incident->public.evidence_count && incident->class == CLASS_PROGRAM; i++) {
        struct armtap_finding *finding = &facts->findings[incident->evidence[i]];
        if (finding->kind == ended && is_cut(facts, finding))
            finding->kind = armtap_note_at(ARMTAP_FINDING_program_cut_off);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

/* The streams of its evidence. 0, or -1 if memory runs out. */
static int find_streams(struct incident *incident, const struct armtap_facts *facts)
{
    size_t count = 0;
    incident->streams = malloc((incident->public.evidence_count + 1) * sizeof *incident->streams);
    if (!incident->streams)
        return -1;
    for (size_t i = 0; i < incident->public.evidence_count; i++) {
        uint32_t stream = facts->findings[incident->evidence[i]].stream;
        if (stream != ARMTAP_NO_STREAM)
            incident->streams[count++] = stream;
    }
    qsort(incident->streams, count, sizeof *incident->streams, by_number);
    for (size_t i = 0; i < count; i++)
        if (incident->public.stream_count == 0 ||
            incident->streams[incident->public.stream_count - 1] != incident->streams[i])
            incident->streams[incident->public.stream_count++] = incident->streams[i];
    return 0;
}

/* "[fd00::2]:30004" is fd00::2. */
static void set_host(char host[ROBOT_MAX], const char *end)
{
    const char *colon = strrchr(end, ':');
    size_t length = colon ? (size_t)(colon - end) : strlen(end);
    bool is_bracketed = *end == '[' && length >= 2;
    length -= is_bracketed ? 2 : 0;
    length = length < ROBOT_MAX ? length : ROBOT_MAX - 1;
    memcpy(host, end + (is_bracketed ? 1 : 0), length);
    host[length] = '\0';
}

/* 0, or -1 if memory runs out. */
static int publish(struct incident *incident, const struct armtap_facts *facts)
{
    struct armtap_incident *public = &incident->public;
    grade(incident, facts);
    incident->doubt = doubt_of(incident, facts);
    set_host(incident->robot, robot_of(facts, incident->what));
    public->robot = incident->robot;
    public->where = incident->what->where;
    public->began = incident->what;
    public->what = incident->what->kind;
    public->cause = incident->cause
                        ? (incident->with && incident->cause == incident->what ? incident->with : incident->cause)->kind
                        : NULL;
    public->side = side_of(incident, facts);
    public->severity = severity_of(facts, incident->what);
    public->incident_class = incident->class == CLASS_STOP      ? ARMTAP_INCIDENT_STOP
                             : incident->class == CLASS_PROGRAM ? ARMTAP_INCIDENT_PROGRAM
                             : is_silence(incident->what)       ? ARMTAP_INCIDENT_DATA
                                                                : ARMTAP_INCIDENT_OTHER;
    public->lacks_messages = incident->doubt == DOUBT_NO_MESSAGES;
    public->from = public->to = ARMTAP_NO_TIME;
    for (size_t i = 0; i < public->evidence_count; i++) {
        const struct armtap_finding *finding = &facts->findings[incident->evidence[i]];
        extend(public, finding);
        if (severity_of(facts, finding) > public->severity)
        public->severity = severity_of(facts, finding);
    }
    public->is_network_clean = public->side == ARMTAP_BLAME_ROBOT && is_network_clean(incident, facts);
    if (find_streams(incident, facts) != 0)
        return -1;
    public->streams = incident->streams;
    public->evidence = incident->evidence;
    return armtap_incident_write(incident, facts);
}

static int by_time(const void *a, const void *b)
{
    const struct incident *one = a, *other = b;
    return one->what < other->what ? -1 : one->what > other->what; /* findings are in order of time */
}

int armtap_incidents_find(struct armtap_incidents *incidents, const struct armtap_facts *facts)
{
    struct judging judging = {.facts = facts, .incidents = incidents};
    incidents->all = calloc(ARMTAP_INCIDENTS_MAX, sizeof *incidents->all);
    judging.of = calloc(facts->finding_count + 1, sizeof *judging.of);
    bool is_found = incidents->all && judging.of && search_begin(&judging.search, facts) == 0 &&
                    find_others(&judging, ROOTS) == 0 && find_starts(&judging, false) == 0 &&
                    find_starts(&judging, true) == 0 && find_others(&judging, CAUSED) == 0 &&
                    find_others(&judging, REST) == 0;
    search_end(&judging.search);
    free(judging.of);
    if (!is_found)
        return -1;
    qsort(incidents->all, incidents->count, sizeof *incidents->all, by_time);
    for (size_t i = 0; i < incidents->count; i++)
        if (publish(&incidents->all[i], facts) != 0)
            return -1;
    return 0;
}

void armtap_incidents_free(struct armtap_incidents *incidents)
{
    for (size_t i = 0; incidents->all && i < incidents->count; i++) {
        free(incidents->all[i].evidence);
        free(incidents->all[i].streams);
        free((char *)incidents->all[i].public.text);
        free((char *)incidents->all[i].public.brief);
    }
    free(incidents->all);
    *incidents = (struct armtap_incidents){0};
}

const char *armtap_blame_name(enum armtap_blame side)
{
    static const char *const names[] = {"robot", "network", "client", "capture", "unclear"};
    return (size_t)side < sizeof names / sizeof *names ? names[side] : "";
}

const struct armtap_incident *armtap_incidents_at(const struct armtap_incidents *incidents, size_t i)
{
    return i < incidents->count ? &incidents->all[i].public : NULL;
}
