#include "analysis/judge/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"
#include "analysis/inside.h"

#define TEXT_MAX 2000

/* The ports with a controller's messages. Of the secondary interface only some are known: errors come on the primary.
 */
static const char *const message_ports[] = {"30001", "30011"};

static const char *port_of(const char *end)
{
    const char *colon = strrchr(end, ':');
    return colon ? colon + 1 : end;
}

bool armtap_is_message_port(const char *end)
{
    for (size_t i = 0; i < sizeof message_ports / sizeof *message_ports; i++)
        if (strcmp(port_of(end), message_ports[i]) == 0)
            return true;
    return false;
}

struct text {
    char bytes[TEXT_MAX];
    size_t length;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, TEXT_MAX - text->length, format, arguments);
    va_end(arguments);
    text->length += length < 0 ? 0 : (size_t)length;
    if (text->length >= TEXT_MAX)
        text->length = TEXT_MAX - 1;
}

#define ENDED                                                                                                          \
    "the robot's program stopped ({field} {name_before?*={name_before}|-={value_before}} -> "                          \
    "{name?*={name}|-={value}})"

/* What a person at the cell says of it, where that is not the finding's own sentence. */
static const struct {
    enum armtap_note_code code;
    const char *sentence;
} leads[] = {
    {ARMTAP_FINDING_safety_stop,
     "{doubt?guessed=a field guessed to be {field} shows|-=the robot entered} {name?*={name}|-=an unknown mode}"},
    {ARMTAP_FINDING_safety_state, "{doubt?guessed=a field guessed to be {field} shows|-=the robot {is_begun?*=was "
                                  "already in|-=entered}} {name?*={name}|-=an unknown mode}"},
    {ARMTAP_FINDING_mode_changed, "the robot's program paused ({field} {name_before} -> {name})"},
    {ARMTAP_FINDING_program_ended, ENDED},
    {ARMTAP_FINDING_program_cut_off, ENDED},
    {ARMTAP_FINDING_silence, "no data arrived for {duration_s} s"},
};

static void put_sentence(struct text *text, const struct armtap_finding *finding, const struct armtap_zone *zone)
{
    struct armtap_line line;
    armtap_finding_line(&line, finding, zone);
    put(text, "%s", line.text);
}

/* Silences are reported when data resumes. */
static bool is_silence(const struct incident *incident)
{
    return incident->what->kind == armtap_note_at(ARMTAP_FINDING_silence);
}

/* The cause is told besides, so that a silence need not say what is known of it. */
static bool has_own_cause(const struct incident *incident)
{
    return incident->cause && (incident->cause != incident->what || incident->rule->meaning);
}

/* What a person at the cell says of it; NULL: the finding's own sentence. */
static const char *lead_of(const struct incident *incident)
{
    if (incident->what->is_sum || (is_silence(incident) && !has_own_cause(incident)))
        return NULL;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (armtap_note_at(leads[i].code) == incident->what->kind)
            return leads[i].sentence;
    return NULL;
}

/* "12:00:01.256Z" */
static void put_clock(struct text *text, int64_t time, const struct armtap_zone *zone)
{
    char date[ARMTAP_TIME_MAX];
    armtap_time_text(date, time, zone);
    memmove(date + 23, date + 29, strlen(date + 29) + 1);
    put(text, "%s", date + strcspn(date, "T") + 1);
}

/* What happened, when, and in which packet. */
static void put_what(struct text *text, const struct incident *incident, const struct armtap_zone *zone)
{
    const struct armtap_where *where = &incident->what->where;
    const char *lead = lead_of(incident);
    struct armtap_line line;
    armtap_line_begin(&line);
    if (!lead) {
        put_sentence(text, incident->what, zone);
        put(text, where->time != ARMTAP_NO_TIME || where->packet > 0 ? " (" : "");
    } else {
        armtap_line_sentence(&line, lead, &incident->what->arguments, NULL);
        put(text, "%s", line.text);
        put(text, where->time == ARMTAP_NO_TIME ? "" : is_silence(incident) ? " until " : " at ");
    }
    if (where->time != ARMTAP_NO_TIME)
        put_clock(text, where->time, zone);
    if (where->packet > 0)
        put(text,
            lead                            ? " (packet %" PRIu64 ")"
            : where->time == ARMTAP_NO_TIME ? "packet %" PRIu64
                                            : ", packet %" PRIu64,
            where->packet);
    if (!lead && (where->time != ARMTAP_NO_TIME || where->packet > 0))
        put(text, ")");
}

/* "; and 4 more, until 12:01:02.000Z (packet 99)" */
static void put_repeats(struct text *text, const struct incident *incident, const struct armtap_zone *zone)
{
    if (incident->more == 0)
        return;
    put(text, "; and %" PRIu64 " more", incident->more);
    if (incident->last.time != ARMTAP_NO_TIME) {
        put(text, ", until ");
        put_clock(text, incident->last.time, zone);
    }
    if (incident->last.packet > 0)
        put(text, " (packet %" PRIu64 ")", incident->last.packet);
}

/* "; 500 bytes in all" */
static void put_total(struct text *text, const struct incident *incident)
{
    static const struct {
        enum armtap_argument_id measure;
        const char *unit;
        unsigned digits;
    } units[] = {{ARMTAP_ARGUMENT_duration_s, "s", 3},
                 {ARMTAP_ARGUMENT_bytes, "bytes", 0},
                 {ARMTAP_ARGUMENT_packages, "packages", 0}};
    enum armtap_argument_id measure =
        armtap_note_measure((enum armtap_note_code)(incident->what->kind - armtap_note_at(0)));
    for (size_t i = 0; incident->more > 0 && i < sizeof units / sizeof *units; i++)
        if (units[i].measure == measure && incident->total > 0) {
            struct armtap_line total;
            armtap_line_begin(&total);
            armtap_line_decimal(&total, incident->total, units[i].digits);
            put(text, "; %s %s in all", total.text, units[i].unit);
        }
}

/* Where a finding was, and how long before or after what happened. */
static void put_place(struct text *text, const struct armtap_facts *facts, const struct armtap_finding *finding,
                      const struct armtap_finding *what)
{
    const struct armtap_stream *stream = armtap_stream_of(facts, finding);
    bool is_before = finding->where.time < what->where.time;
    double seconds = is_before ? armtap_time_seconds(finding->where.time, what->where.time)
                               : armtap_time_seconds(what->where.time, finding->where.time);
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_decimal(&line, seconds, 3);
    put(text, " (");
    if (stream && armtap_is_message_port(stream->robot))
        put(text, "port %s, ", port_of(stream->robot));
    else if (stream)
        put(text, "stream %" PRIu32 ", ", finding->stream);
    put(text, "packet %" PRIu64 ", %s s %s)", finding->where.packet, line.text, is_before ? "earlier" : "later");
}

static void put_cause(struct text *text, const struct armtap_facts *facts, const struct incident *incident)
{
    const char *sign = ": ";
    if (incident->cause && incident->cause != incident->what) {
        put(text, "%s", sign);
        put_sentence(text, incident->cause, facts->zone);
        put_place(text, facts, incident->cause, incident->what);
        sign = "; ";
    }
    if (incident->rule && incident->rule->meaning) {
        put(text, "%s%s", sign, incident->rule->meaning);
        sign = ": ";
    }
    if (incident->with && incident->with != incident->what) {
        put(text, "%s", sign);
        put_sentence(text, incident->with, facts->zone);
        put_place(text, facts, incident->with, incident->what);
    }
}

static const char *doubt_text(const struct incident *incident)
{
    static const char *const texts[] = {
        [DOUBT_NONE] = NULL,
        [DOUBT_FINDING] = "the packets do not prove it",
        [DOUBT_GUESSED] = "the names of the fields are guessed",
        [DOUBT_PORT] = "a silent client does not show which port it wanted",
        [DOUBT_NO_MESSAGES] = "port 30001, which reports causes, was not captured",
        [DOUBT_UNREAD] = "port 30001, which reports causes, was captured but not decoded",
        [DOUBT_SILENT_MESSAGES] = "the robot's messages, which were captured, do not show the cause"};
    return texts[incident->doubt];
}

static char *copy_of(const struct text *text)
{
    char *copy = malloc(text->length + 1);
    return copy ? memcpy(copy, text->bytes, text->length + 1) : NULL;
}

/* One sentence: what happened, how often, and its cause without explanations. */
static void write_brief(struct text *text, const struct incident *incident, const struct armtap_facts *facts)
{
    put_what(text, incident, facts->zone);
    put_repeats(text, incident, facts->zone);
    if (incident->cause && incident->cause != incident->what) {
        put(text, ": ");
        put_sentence(text, incident->cause, facts->zone);
    } else if (incident->rule && incident->rule->meaning) {
        put(text, ": %s", incident->rule->meaning);
    } else if (incident->class == CLASS_STOP) {
        put(text, ": the capture does not show the cause");
    }
}

int armtap_incident_write(struct incident *incident, const struct armtap_facts *facts)
{
    struct text text = {.length = 0}, brief = {.length = 0};
    put_what(&text, incident, facts->zone);
    put_repeats(&text, incident, facts->zone);
    put_total(&text, incident);
    if (incident->rule)
        put_cause(&text, facts, incident);
    else if (incident->class == CLASS_STOP)
        put(&text, ": the capture does not show the cause");
    else if (incident->class == CLASS_PROGRAM)
        put(&text,
            ": the capture shows no request for it; it may have stopped by itself, from the pendant, or with its "
            "driver's connection");
    put(&text, ".");
    write_brief(&brief, incident, facts);
    incident->public.text = copy_of(&text);
    incident->public.brief = copy_of(&brief);
    incident->public.doubt = doubt_text(incident);
    return incident->public.text && incident->public.brief ? 0 : -1;
}
