/* The verdicts as sentences, for text and for pages. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"
#include "base/terminal/fold.h"
#include "analysis/inside.h"

/* Streams that get their own sentence. */
#define SENTENCES 10
/* A verdict has at most a dozen clauses. */
#define VERDICT_MAX 4096
#define SUBJECT_MAX 60
/* Waits for data that are worth telling though no fault: ns, and steps of the expected rate. */
#define WAIT_LEAST 100000000
#define WAIT_STEPS 10

/* Who is told. */
struct telling {
    struct speech to;
    enum text_paint *tone; /* of the sentence that comes next; NULL if the words are enough */
};

static void set_tone(const struct telling *telling, enum text_paint tone)
{
    if (telling->tone)
        *telling->tone = tone;
}

static void say(const struct telling *telling, const char *text)
{
    telling->to.say(telling->to.user, "", text);
}

static void say_in(const struct telling *telling, enum text_paint tone, const char *text)
{
    set_tone(telling, tone);
    say(telling, text);
}

/* As bad as the worst of what it counts. */
static enum text_paint tone_of(const struct diagnosis *diagnosis, const struct armtap_verdict *verdict)
{
    enum armtap_severity worst = ARMTAP_INFO;
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct armtap_finding *finding = armtap_diagnosis_finding_at(diagnosis->found, verdict->evidence[i]);
        if (finding && finding->kind->severity > worst)
            worst = finding->kind->severity;
    }
    return text_paint_of(worst);
}

/* Which stream it is about, if there are several. "capture" would be the name of a side. */
static void subject_of(char subject[SUBJECT_MAX], const struct diagnosis *diagnosis,
                       const struct armtap_verdict *verdict)
{
    subject[0] = '\0';
    if (armtap_streams_count(diagnosis->streams) <= 1)
        return;
    if (verdict->stream == ARMTAP_NO_STREAM)
        snprintf(subject, SUBJECT_MAX, "overall");
    else
        snprintf(subject, SUBJECT_MAX, "stream %" PRIu32, verdict->stream);
}

/* "The network lost nothing" holds only if everything was read. */
static const char *end_of(const struct diagnosis *diagnosis, const struct armtap_verdict *verdict)
{
    return verdict->is_network_clean && diagnosis->is_whole ? "; the network lost nothing." : ".";
}

static void say_verdict(const struct diagnosis *diagnosis, const struct telling *telling,
                        const struct armtap_verdict *verdict)
{
    size_t length = strlen(verdict->text) - 1; /* without its full stop */
    char subject[SUBJECT_MAX], text[VERDICT_MAX];
    subject_of(subject, diagnosis, verdict);
    snprintf(text, sizeof text, "%.*s%s", (int)length, verdict->text, end_of(diagnosis, verdict));
    if (subject[0] == '\0' && *text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    set_tone(telling, tone_of(diagnosis, verdict));
    telling->to.say(telling->to.user, subject, text);
}

/* How many are about streams: those come first. */
static size_t count_of_streams(const struct diagnosis *diagnosis)
{
    size_t count = 0;
    const struct armtap_verdict *verdict;
    while ((verdict = armtap_diagnosis_verdict_at(diagnosis->found, count)) && !verdict->stop)
        count++;
    return count;
}

static void say_of_streams(const struct diagnosis *diagnosis, const struct telling *telling)
{
    char text[80];
    size_t count = count_of_streams(diagnosis);
    for (size_t i = 0; i < count && i < SENTENCES; i++)
        say_verdict(diagnosis, telling, armtap_diagnosis_verdict_at(diagnosis->found, i));
    if (count <= SENTENCES)
        return;
    snprintf(text, sizeof text, "and %zu more stream%s: see the findings", count - SENTENCES,
             count - SENTENCES == 1 ? "" : "s");
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
             isnan(summary->last_clock) ? "the usual step there" : "the controller's clock");
    say(telling, text);
}

/* The stream whose data was waited for longest, or NULL if none was for long. */
static const struct armtap_stream_diagnosis *longest_wait(const struct diagnosis *diagnosis)
{
    const struct armtap_stream_diagnosis *longest = NULL;
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++) {
        const struct armtap_stream_diagnosis *stream = armtap_diagnosis_stream_at(diagnosis->found, i);
        const struct armtap_rates_totals *rates = stream->rates;
        if (rates && rates->longest_wait > WAIT_LEAST &&
            (double)rates->longest_wait * rates->expected_hz > WAIT_STEPS * 1e9 &&
            (!longest || rates->longest_wait > longest->rates->longest_wait))
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
    snprintf(
        text, sizeof text,
        "%s has no clock of the controller, so whether it skipped packages is unknown: ask for its timestamp, too.",
        subject);
    say(telling, text);
}

/* Says why streams have no data; returns for how many. */
static size_t say_reasons(const struct diagnosis *diagnosis, const struct telling *telling)
{
    size_t told = 0;
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++) {
        const char *reason = armtap_diagnosis_stream_at(diagnosis->found, i)->no_data;
        char sentence[400];
        if (*reason == '\0' || told++ >= SENTENCES)
            continue;
        snprintf(sentence, sizeof sentence, "Stream %zu has no data: %s.", i, reason);
        say(telling, sentence);
    }
    return told;
}

static bool is_all_decoded(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++)
        if (armtap_diagnosis_stream_at(diagnosis->found, i)->unread > 0)
            return false;
    return true;
}

/* The summary if there are no warnings or errors. */
static void say_clean(const struct diagnosis *diagnosis, const struct telling *telling)
{
    char text[120];
    uint64_t records = records_of(diagnosis);
    bool notices = count_of_streams(diagnosis) > 0 || furthest_back(diagnosis) || longest_wait(diagnosis);
    size_t told = say_reasons(diagnosis, telling);
    snprintf(text, sizeof text, "Nothing is wrong: %" PRIu64 " record%s decoded, and nothing is missing.", records,
             records == 1 ? " was" : "s were");
    if (records == 0 && told == 0)
        say_in(telling, PAINT_WARNING, "The capture holds no data from the robot, so what the robot did is unknown.");
    else if (records > 0 && !diagnosis->is_whole)
        say_in(telling, PAINT_WARNING, "Nothing wrong was found in what could be read; the rest is unknown.");
    else if (records > 0 && !is_all_decoded(diagnosis))
        say(telling, notices ? "Nothing wrong was found in what could be decoded. Worth knowing:"
                             : "Nothing wrong was found in what could be decoded.");
    else if (records > 0 && unclocked_streams(diagnosis, &(size_t){0}) > 0)
        say(telling, notices ? "Nothing wrong was found in the data that was captured. Worth knowing:"
                             : "Nothing wrong was found in the data that was captured.");
    else if (records > 0)
        say_in(telling, PAINT_GOOD,
               notices ? "Nothing is wrong with the data that was captured. Worth knowing:" : text);
    say_of_streams(diagnosis, telling);
    say_wait(telling, longest_wait(diagnosis));
}

/* What no recording from a socket can show, and where to look for it. */
static void say_origin(const struct diagnosis *diagnosis, const struct telling *telling)
{
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++)
        if (armtap_streams_at(diagnosis->streams, i)->stream->origin == ARMTAP_ORIGIN_SOCKET) {
            say(telling,
                "This was read from a socket: it cannot show what the network lost, repeated or delayed. A "
                "capture on the wire at the same time does: armtap diagnose -i INTERFACE, or tcpdump -w FILE.");
            return;
        }
}

static void say_incidents(const struct diagnosis *diagnosis, const struct telling *telling)
{
    const struct armtap_verdict *verdict;
    char subject[SUBJECT_MAX], text[80];
    size_t shown = 0, more = 0;
    for (size_t i = count_of_streams(diagnosis); (verdict = armtap_diagnosis_verdict_at(diagnosis->found, i)); i++) {
        if (!diagnosis_shows(diagnosis, &verdict->stop->where))
            continue;
        if (shown == SENTENCES) {
            more++;
            continue;
        }
        shown++;
        subject_of(subject, diagnosis, verdict);
        size_t length = strlen(subject);
        snprintf(subject + length, sizeof subject - length, "%sside %s", length > 0 ? ", " : "",
                 armtap_blame_name(verdict->side));
        set_tone(telling, tone_of(diagnosis, verdict));
        telling->to.say(telling->to.user, subject, verdict->text);
    }
    snprintf(text, sizeof text, "and %zu more; diagnose --json has them", more);
    if (more > 0)
        say(telling, text);
}

static bool is_wrong(const struct diagnosis *diagnosis)
{
    const struct armtap_verdict *first = armtap_diagnosis_verdict_at(diagnosis->found, 0);
    return first && first->severity >= ARMTAP_WARNING;
}

static void say_verdicts(const struct diagnosis *diagnosis, const struct telling *telling)
{
    if (is_wrong(diagnosis))
        say_of_streams(diagnosis, telling);
    else
        say_clean(diagnosis, telling);
    if (is_wrong(diagnosis) && !diagnosis->is_whole)
        say_in(telling, PAINT_WARNING, "Reading stopped early; the rest is unknown.");
    say_set_back(diagnosis, telling);
    say_unclocked(diagnosis, telling);
    say_origin(diagnosis, telling);
}

void diagnosis_say_incidents(const struct diagnosis *diagnosis, const struct speech *speech)
{
    say_incidents(diagnosis, &(struct telling){*speech, NULL});
}

void diagnosis_say_verdicts(const struct diagnosis *diagnosis, const struct speech *speech)
{
    say_verdicts(diagnosis, &(struct telling){*speech, NULL});
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
    text_wrap_paint(&wrap, printed->tone);
    if (*subject) {
        wrap.column = printf("%s:", subject);
        wrap.indent = 2;
    }
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
    printed->tone = PAINT_NONE;
}

static void print_incident(void *user, const char *subject, const char *text)
{
    struct printed *printed = user;
    size_t first = *subject ? 0 : strcspn(text, " ");
    if (!printed->any)
        text_heading(stdout, 2, "\nstops and their causes");
    printed->any = true;
    const char *paint = text_paint(stdout, printed->tone), *plain = text_plain(stdout);
    struct text_wrap wrap = *subject ? text_lead(stdout, 4, "  %s%s%s:", paint, subject, plain)
                                     : text_lead(stdout, 4, "  %.*s", (int)first, text);
    text_wrap_words(&wrap, text + first);
    text_wrap_end(&wrap);
    printed->tone = PAINT_NONE;
}

void diagnosis_print_incidents(const struct diagnosis *diagnosis)
{
    struct printed printed = {.any = false};
    say_incidents(diagnosis, &(struct telling){{print_incident, &printed}, &printed.tone});
}

void diagnosis_print_verdicts(const struct diagnosis *diagnosis)
{
    const struct armtap_verdict *first = armtap_diagnosis_verdict_at(diagnosis->found, 0);
    struct printed printed = {.any = false};
    if (!is_wrong(diagnosis) || !first->stop) /* a stop without a sentence on its stream was printed above */
        putchar('\n');
    say_verdicts(diagnosis, &(struct telling){{print_sentence, &printed}, &printed.tone});
}
