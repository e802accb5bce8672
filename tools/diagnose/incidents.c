/* The incidents and the verdict as sentences, for text and for pages. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"
#include "base/terminal/fold.h"
#include "analysis/inside.h"
#include "input/robots/labels.h"

/* Incidents that get their own paragraph. */
#define PARAGRAPHS 10
/* So many others alike are told with the first; so many kinds are told apart. */
#define ALIKE 3
#define KINDS ARMTAP_INCIDENTS_MAX
#define TEXT_MAX 4096
#define SUBJECT_MAX 100
/* Who gets the sentences. */
struct telling {
    const struct labels *labels;
    struct speech to;
    enum text_paint *tone; /* of the sentence that comes next; NULL if the words are enough */
    void (*said)(void *user, const struct armtap_incident *incident); /* after an incident's; may be NULL */
};

static void set_tone(const struct telling *telling, enum text_paint tone)
{
    if (telling->tone)
        *telling->tone = tone;
}

static void say_of(const struct telling *telling, const char *subject, const char *text)
{
    char named[3 * TEXT_MAX];
    snprintf(named, sizeof named, "%s", text);
    labels_in_text(telling->labels, named, sizeof named);
    telling->to.say(telling->to.user, subject, named);
}

static void say(const struct telling *telling, const char *text)
{
    say_of(telling, "", text);
}

static void say_in(const struct telling *telling, enum text_paint tone, const char *text)
{
    set_tone(telling, tone);
    say(telling, text);
}

/* ---- incidents --------------------------------------------------------------------------------------------------- */

static const char *side_text(enum armtap_blame side)
{
    return side == ARMTAP_BLAME_UNCLEAR ? "not proven" : armtap_blame_name(side);
}

/* No fault of the network was seen only if everything was read. */
static bool is_network_clean(const struct diagnosis *diagnosis, const struct armtap_incident *incident)
{
    return incident->is_network_clean && diagnosis->is_whole;
}

/* Of attempts to connect, the finding itself names both ends. */
static const char *robot_of(const struct diagnosis *diagnosis, const struct armtap_incident *incident)
{
    const char *name = diagnosis_name(diagnosis, incident);
    return incident->stream_count == 0 ? "" : name ? name : incident->robot;
}

static bool is_shown(const struct diagnosis *diagnosis, const struct armtap_incident *incident)
{
    return diagnosis_shows(diagnosis, &incident->where);
}

/* Incidents alike, at one robot or at several. */
struct alike {
    const struct armtap_incident *first, *last;
    size_t count, robots;
};

/* Those like this one, at its robot or at any; NULL if there is no room for more kinds. */
static struct alike *alike_of(struct alike kinds[KINDS], const struct armtap_incident *incident, bool at_any)
{
    for (size_t i = 0; i < KINDS; i++) {
        const struct armtap_incident *first = kinds[i].first;
        if (!first) {
            kinds[i].first = incident;
            return &kinds[i];
        }
        if (first->cause == incident->cause && first->side == incident->side && first->doubt == incident->doubt &&
            (at_any || strcmp(first->robot, incident->robot) == 0) &&
            armtap_findings_are_alike(first->began, incident->began))
            return &kinds[i];
    }
    return NULL;
}

static void count(struct alike *alike, const struct armtap_incident *incident, bool is_other_robot)
{
    if (!alike)
        return;
    alike->count++;
    alike->robots += is_other_robot;
    alike->last = incident;
}

static void count_alike(const struct diagnosis *diagnosis, struct alike at_one[KINDS], struct alike at_any[KINDS])
{
    const struct armtap_incident *incident;
    for (size_t i = 0; (incident = armtap_diagnosis_incident_at(diagnosis->found, i)); i++) {
        if (!is_shown(diagnosis, incident))
            continue;
        struct alike *alike = alike_of(at_one, incident, false);
        count(alike_of(at_any, incident, true), incident, alike && alike->count == 0);
        count(alike, incident, false);
    }
}

/* Those alike that are told with the first of them, or NULL. */
static const struct alike *crowd_of(struct alike at_one[KINDS], struct alike at_any[KINDS],
                                    const struct armtap_incident *incident)
{
    const struct alike *any = alike_of(at_any, incident, true), *one = alike_of(at_one, incident, false);
    return any && any->robots > PARAGRAPHS ? any : one && one->count > ALIKE ? one : NULL;
}

static void say_incident(const struct diagnosis *diagnosis, const struct telling *telling,
                         const struct armtap_incident *incident, const struct alike *crowd)
{
    char text[TEXT_MAX], clock[CELL_MAX], others[80] = "";
    int length =
        snprintf(text, sizeof text, "%s Responsible side: %s%s%s.%s", incident->text, side_text(incident->side),
                 incident->doubt ? "; " : "", incident->doubt ? incident->doubt : "",
                 is_network_clean(diagnosis, incident) ? " No fault of the network was seen." : "");
    bool is_lasting = crowd && crowd->last->stream_count == 0 && crowd->last->to > crowd->last->where.time;
    if (crowd && crowd->robots > 1)
        snprintf(others, sizeof others, " at %zu other robots", crowd->robots - 1);
    if (crowd)
        snprintf(text + length, sizeof text - (size_t)length,
                 " The same happened %zu more times%s, the last time %s %s (packet %" PRIu64 ")%s.", crowd->count - 1,
                 others, is_lasting ? "from" : "at", cell_clock(clock, crowd->last->where.time, diagnosis->zone),
                 crowd->last->where.packet, is_lasting ? " on" : "");
    set_tone(telling, text_paint_of(incident->severity));
    say_of(telling, robot_of(diagnosis, incident), text);
    if (telling->said)
        telling->said(telling->to.user, incident);
}

/* Those alike once, if they are many. */
static void say_incidents(const struct diagnosis *diagnosis, const struct telling *telling)
{
    struct alike at_one[KINDS] = {0}, at_any[KINDS] = {0};
    const struct armtap_incident *incident;
    char text[80];
    size_t shown = 0, more = 0;
    count_alike(diagnosis, at_one, at_any);
    for (size_t i = 0; (incident = armtap_diagnosis_incident_at(diagnosis->found, i)); i++) {
        const struct alike *crowd = crowd_of(at_one, at_any, incident);
        if (!is_shown(diagnosis, incident) || (crowd && crowd->first != incident))
            continue;
        if (shown++ < PARAGRAPHS)
            say_incident(diagnosis, telling, incident, crowd);
        else
            more++;
    }
    snprintf(text, sizeof text, "and %zu more: diagnose --json lists them", more);
    if (more > 0)
        say(telling, text);
}

/* ---- no faults --------------------------------------------------------------------------------------------------- */

static uint64_t records_of(const struct diagnosis *diagnosis)
{
    uint64_t records = 0;
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++)
        records += armtap_streams_at(diagnosis->streams, i)->stream->records[ARMTAP_FROM_ROBOT];
    return records;
}

/* The stream in which the capture's clock was set back furthest, or NULL. */
static const struct armtap_stream_summary *furthest_back(const struct diagnosis *diagnosis)
{
    const struct armtap_stream_summary *furthest = NULL;
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(diagnosis->streams, i);
        if (summary->back && (!furthest || summary->back->by > furthest->back->by))
            furthest = summary;
    }
    return furthest;
}

static void say_set_back(const struct diagnosis *diagnosis, const struct telling *telling)
{
    const struct armtap_stream_summary *summary = furthest_back(diagnosis);
    char text[200];
    if (!summary)
        return;
    snprintf(text, sizeof text,
             "The capture's clock was set back by %.3f s at packet %" PRIu64 "; rates are based on %s.",
             (double)summary->back->by / 1e9, summary->back->where.packet,
             isnan(summary->last_clock) ? "the usual interval there" : "the controller's clock");
    say(telling, text);
}

/* The stream whose data was waited for longest, or NULL if none was for long. */
static const struct armtap_stream_diagnosis *longest_wait(const struct diagnosis *diagnosis)
{
    const struct armtap_stream_diagnosis *longest = NULL;
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++) {
        const struct armtap_stream_diagnosis *stream = armtap_diagnosis_stream_at(diagnosis->found, i);
        if (diagnosis_has_waited(stream) && (!longest || stream->rates->longest_wait > longest->rates->longest_wait))
            longest = stream;
    }
    return longest;
}

/* Clients give up after a time of their own. */
static void say_wait(const struct telling *telling, const struct armtap_stream_diagnosis *stream)
{
    char text[200];
    if (!stream)
        return;
    snprintf(text, sizeof text,
             "Stream %u had no data for up to %.3f s (until packet %" PRIu64
             "): a client with a shorter timeout gives up.",
             stream->summary->number, (double)stream->rates->longest_wait / 1e9, stream->rates->wait_end.packet);
    say(telling, text);
}

static bool has_names(const struct armtap_stream_summary *summary)
{
    bool has = summary->channel_count > 0;
    for (size_t i = 0; i < armtap_recipe_count(summary->recipe); i++)
        has = has || armtap_recipe_at(summary->recipe, i)->field;
    return has;
}

/* Streams whose data does not show what the controller skipped. Of data without names, a finding tells. */
static size_t unclocked_streams(const struct diagnosis *diagnosis, size_t *first)
{
    size_t count = 0;
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++) {
        const struct armtap_stream_diagnosis *stream = armtap_diagnosis_stream_at(diagnosis->found, i);
        if (has_names(stream->summary) && stream->rates && !armtap_rates_know_skips(stream->rates) && count++ == 0)
            *first = i;
    }
    return count;
}

static void say_unclocked(const struct diagnosis *diagnosis, const struct telling *telling)
{
    size_t first = 0, count = unclocked_streams(diagnosis, &first);
    char subject[SUBJECT_MAX], text[300];
    if (count == 0)
        return;
    if (count == 1)
        snprintf(subject, sizeof subject, "The data of stream %zu", first);
    else
        snprintf(subject, sizeof subject, "The data of %zu streams", count);
    snprintf(text, sizeof text,
             "%s does not include the controller's timestamp, so skipped packages cannot be detected: request "
             "timestamp, too.",
             subject);
    say(telling, text);
}

static bool is_all_decoded(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++)
        if (armtap_diagnosis_stream_at(diagnosis->found, i)->unread > 0)
            return false;
    return true;
}

/* What no recording from a socket can show. */
static bool is_from_socket(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++)
        if (armtap_streams_at(diagnosis->streams, i)->stream->origin == ARMTAP_ORIGIN_SOCKET)
            return true;
    return false;
}

/* Whose data stopped before the end, and when. */
static const char *say_stopped(const struct diagnosis *diagnosis, char text[TEXT_MAX])
{
    const struct armtap_stream_diagnosis *stream = diagnosis->endings.longest;
    const struct armtap_rates_totals *rates = stream->rates;
    size_t more = diagnosis->endings.stopped - 1;
    bool is_closed = diagnosis->ends[stream->summary->number].closed;
    char clock[CELL_MAX];
    int length =
        snprintf(text, TEXT_MAX, "the data of stream %" PRIu32 ", from %s, stopped at %s (packet %" PRIu64 "), %.3f s",
                 diagnosis_number(diagnosis, stream->summary->number), stream->summary->stream->robot,
                 cell_clock(clock, rates->stopped_since.time, diagnosis->zone), rates->stopped_since.packet,
                 (double)rates->stopped / 1e9);
    if (rates->expected_hz > 0)
        length += snprintf(text + length, TEXT_MAX - (size_t)length, " or %.0f packages",
                           (double)rates->stopped / 1e9 * rates->expected_hz);
    length += snprintf(text + length, TEXT_MAX - (size_t)length, " before %s",
                       is_closed ? "its connection ended" : "the capture's end");
    if (more > 0)
        snprintf(text + length, TEXT_MAX - (size_t)length, ", and so did that of %zu more stream%s", more,
                 more == 1 ? "" : "s");
    return text;
}

static const char *say_still(const struct diagnosis *diagnosis, char text[TEXT_MAX])
{
    const struct armtap_stream_diagnosis *stream = longest_wait(diagnosis);
    snprintf(text, TEXT_MAX, "the data of stream %" PRIu32 " stalled for %.3f s, until packet %" PRIu64,
             diagnosis_number(diagnosis, stream->summary->number), (double)stream->rates->longest_wait / 1e9,
             stream->rates->wait_end.packet);
    return text;
}

/* Why the capture cannot show that all was well, perhaps in `text`; NULL: it can. */
static const char *limit_of(const struct diagnosis *diagnosis, char text[TEXT_MAX])
{
    const struct endings *endings = &diagnosis->endings;
    return !diagnosis->is_whole         ? "reading stopped early"
           : !is_all_decoded(diagnosis) ? "not all of it could be decoded"
           : unclocked_streams(diagnosis, &(size_t){0}) > 0
               ? "skipped packages cannot be detected without the controller's timestamp"
           : is_from_socket(diagnosis) ? "reading from a socket cannot show packet loss, retransmission and delay"
           : endings->empty > 0        ? "a stream has no data"
           : endings->longest          ? say_stopped(diagnosis, text)
           : longest_wait(diagnosis)   ? say_still(diagnosis, text)
           : endings->bursts > 0       ? "data arrived in bursts"
           : endings->by_robot > 0     ? "the robot closed a connection, and the capture does not show why"
           : endings->by_reset > 0 ? "a client reset its connection, and the capture does not show whether on purpose"
           : endings->by_client + endings->going_on < endings->streams ? "the capture does not show how each stream "
                                                                         "ended"
                                                                       : NULL;
}

/* "; 10.0.0.2's program has been PAUSED since 12:00:01.256Z (packet 512)", of the first ones. Returns `to`. */
static const char *put_standing(const struct diagnosis *diagnosis, char to[TEXT_MAX])
{
    struct standing all[STANDING_MAX];
    size_t count = diagnosis_standing(diagnosis, all), length = 0;
    char clock[CELL_MAX], value[24], name[ARMTAP_MODE_NAME_MAX];
    *to = '\0';
    for (size_t i = 0; i < count && i < ALIKE; i++) {
        const struct armtap_mode *mode = &all[i].mode;
        const struct armtap_stream_summary *summary = armtap_streams_of(diagnosis->streams, mode->connection);
        const char *label = labels_find(diagnosis->source->labels, all[i].robot), *port = strrchr(all[i].robot, ':');
        const char *robot = label ? label : port ? all[i].robot : "the robot";
        int shown = robot == all[i].robot ? (int)(port - robot) : (int)strlen(robot);
        bool is_pause = mode->field->id == ARMTAP_ID_primary_is_program_paused;
        snprintf(value, sizeof value, is_pause ? "paused" : "%" PRId64, mode->value);
        length += (size_t)snprintf(
            to + length, TEXT_MAX - length, "; %.*s's %s has been %s since %s (packet %" PRIu64 ")%s", shown, robot,
            mode->field->id == ARMTAP_ID_robot_mode ? armtap_mode_field(mode, name) : "program",
            mode->name ? mode->name : value, cell_clock(clock, mode->where.time, diagnosis->zone), mode->where.packet,
            summary && summary->guess ? ", by a guessed recipe" : "");
    }
    if (count > ALIKE)
        snprintf(to + length, TEXT_MAX - length, "; and %zu more: diagnose --json lists them", count - ALIKE);
    return to;
}

/* `ordinary`: what happened all the same, or NULL. What is missing without an incident was never acknowledged. */
static void say_nothing_is_wrong(const struct diagnosis *diagnosis, const struct telling *telling,
                                 const struct armtap_incident *ordinary)
{
    char text[2 * TEXT_MAX + 200], missing[80] = "", standing[TEXT_MAX];
    uint64_t records = records_of(diagnosis), lost = 0;
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++)
        for (int direction = 0; direction < 2; direction++)
            lost += armtap_streams_at(diagnosis->streams, i)->stream->bytes_lost[direction];
    if (lost > 0)
        snprintf(missing, sizeof missing, " except %" PRIu64 " byte%s never acknowledged", lost,
                 lost == 1 ? " that was" : "s that were");
    snprintf(text, sizeof text, "Nothing is wrong: %" PRIu64 " record%s decoded, and nothing is missing%s%s%s%s.",
             records, records == 1 ? " was" : "s were", missing, ordinary ? "; " : "", ordinary ? ordinary->brief : "",
             put_standing(diagnosis, standing));
    say_in(telling, *standing ? PAINT_NONE : PAINT_GOOD, text);
}

/* The verdict if there is no incident: no more than all that was captured shows. */
static void say_clean(const struct diagnosis *diagnosis, const struct telling *telling)
{
    char text[2 * TEXT_MAX + 80], why[TEXT_MAX], standing[TEXT_MAX];
    uint64_t records = records_of(diagnosis);
    const char *limit = limit_of(diagnosis, why);
    if (records == 0)
        say_in(telling, PAINT_WARNING,
               "The capture contains no data from the robot, so it does not show what the "
               "robot did.");
    else if (limit) {
        snprintf(text, sizeof text, "No fault was found in what was captured; but %s%s.", limit,
                 put_standing(diagnosis, standing));
        say_in(telling, diagnosis->is_whole ? PAINT_NONE : PAINT_WARNING, text);
    } else if (diagnosis->endings.by_client == diagnosis->endings.streams) {
        say_nothing_is_wrong(diagnosis, telling, NULL);
    } else {
        snprintf(text, sizeof text, "No fault in what was captured; it goes on%s.", put_standing(diagnosis, standing));
        say_in(telling, *standing ? PAINT_NONE : PAINT_GOOD, text);
    }
}

/* What is wrong goes before what is ordinary, then a stop before others. */
static bool is_worse(const struct armtap_incident *one, const struct armtap_incident *other)
{
    bool is_wrong = one->severity >= ARMTAP_WARNING, is_other_wrong = other->severity >= ARMTAP_WARNING;
    if (is_wrong != is_other_wrong)
        return is_wrong;
    return one->incident_class != other->incident_class ? one->incident_class < other->incident_class
                                                        : one->severity > other->severity;
}

/* The one to name: the worst, and of these the first. */
static const struct armtap_incident *worst_of(const struct diagnosis *diagnosis, size_t *count)
{
    const struct armtap_incident *incident, *worst = NULL;
    *count = 0;
    for (size_t i = 0; (incident = armtap_diagnosis_incident_at(diagnosis->found, i)); i++, ++*count)
        if (!worst || is_worse(incident, worst))
            worst = incident;
    return worst;
}

/* Whether the capture shows that all was well but for programs, which ran from beginning to end or were ended by a
 * client's request. */
static bool is_well(const struct diagnosis *diagnosis)
{
    const struct armtap_incident *incident;
    char why[TEXT_MAX];
    bool is = diagnosis->endings.by_client == diagnosis->endings.streams && !limit_of(diagnosis, why) &&
              records_of(diagnosis) > 0;
    double ran;
    for (size_t i = 0; is && (incident = armtap_diagnosis_incident_at(diagnosis->found, i)); i++)
        is = incident->severity == ARMTAP_INFO &&
             (incident->side == ARMTAP_BLAME_CLIENT || armtap_finding_number(incident->began, "ran_s", &ran));
    return is;
}

/* One sentence. */
static void say_verdict(const struct diagnosis *diagnosis, const struct telling *telling)
{
    char text[TEXT_MAX];
    size_t count;
    const struct armtap_incident *worst = worst_of(diagnosis, &count);
    if (worst && is_well(diagnosis)) {
        say_nothing_is_wrong(diagnosis, telling, worst);
        return;
    }
    if (!worst) {
        say_clean(diagnosis, telling);
        return;
    }
    const char *more = count == ARMTAP_INCIDENTS_MAX ? " or more" : "";
    int length = count > 1 ? snprintf(text, sizeof text, "%zu%s incidents; the worst: ", count, more) : 0;
    snprintf(text + length, sizeof text - (size_t)length, "%s%s%s; responsible side: %s.%s", robot_of(diagnosis, worst),
             *robot_of(diagnosis, worst) ? ": " : "", worst->brief, side_text(worst->side),
             diagnosis->is_whole ? "" : " Reading stopped early; the rest is unknown.");
    if (count == 1 && !*robot_of(diagnosis, worst) && *text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    say_in(telling, text_paint_of(worst->severity), text);
}

/* What is worth knowing besides. */
static void say_remarks(const struct diagnosis *diagnosis, const struct telling *telling)
{
    if (armtap_diagnosis_incident_count(diagnosis->found) == 0)
        say_wait(telling, longest_wait(diagnosis));
    say_set_back(diagnosis, telling);
    say_unclocked(diagnosis, telling);
    if (is_from_socket(diagnosis))
        say(telling,
            "This was read from a socket: it cannot show packet loss, retransmission or delay. A capture of the same "
            "traffic does: armtap diagnose -i INTERFACE, or one by tcpdump or Wireshark.");
}

void diagnosis_say_incidents(const struct diagnosis *diagnosis, const struct speech *speech,
                             void (*said)(void *user, const struct armtap_incident *incident))
{
    say_incidents(diagnosis, &(struct telling){diagnosis->source->labels, *speech, NULL, said});
}

void diagnosis_say_remarks(const struct diagnosis *diagnosis, const struct speech *speech)
{
    say_remarks(diagnosis, &(struct telling){diagnosis->source->labels, *speech, NULL, NULL});
}

void diagnosis_say_verdict(const struct diagnosis *diagnosis, const struct speech *speech)
{
    say_verdict(diagnosis, &(struct telling){diagnosis->source->labels, *speech, NULL, NULL});
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

/* Where sentences go. */
struct printed {
    enum text_paint tone; /* of the next one */
    bool any;
};

static void print_sentence(void *user, const char *subject, const char *text)
{
    struct printed *printed = user;
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 0);
    (void)subject;
    if (!printed->any)
        putchar('\n');
    printed->any = true;
    text_wrap_paint(&wrap, printed->tone);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
    printed->tone = PAINT_NONE;
}

static void print_incident(void *user, const char *subject, const char *text)
{
    struct printed *printed = user;
    if (!printed->any)
        text_heading(stdout, 2, "incidents");
    printed->any = true;
    size_t first = *subject ? 0 : strcspn(text, " ");
    const char *paint = text_paint(stdout, printed->tone), *plain = text_plain(stdout);
    struct text_wrap wrap = *subject ? text_lead(stdout, 4, "  %s%s%s:", paint, subject, plain)
                                     : text_lead(stdout, 4, "  %.*s", (int)first, text);
    if (wrap.column == wrap.indent) /* behind a name of one letter, which is no line's beginning */
        putc(' ', stdout);
    text_wrap_words(&wrap, text + first);
    text_wrap_end(&wrap);
    printed->tone = PAINT_NONE;
}

bool diagnosis_print_incidents(const struct diagnosis *diagnosis)
{
    struct printed printed = {.any = false};
    say_incidents(diagnosis,
                  &(struct telling){diagnosis->source->labels, {print_incident, &printed}, &printed.tone, NULL});
    return printed.any;
}

void diagnosis_print_verdict(const struct diagnosis *diagnosis)
{
    struct printed printed = {.any = false};
    const struct telling telling = {diagnosis->source->labels, {print_sentence, &printed}, &printed.tone, NULL};
    say_remarks(diagnosis, &telling);
    printed.any = false; /* a line apart */
    say_verdict(diagnosis, &telling);
}
