/* Prints the verdicts as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"
#include "base/word_wrap.h"

/* Streams that get their own sentence. */
#define SENTENCES 10
/* A verdict has at most a dozen clauses. */
#define VERDICT_MAX 4096

static void print_line(const char *text)
{
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 0);
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
}

/* Prints which stream it is about, if there are several. Returns the column. */
static int print_subject(const struct diagnosis *diagnosis, const struct armtap_verdict *verdict)
{
    if (armtap_streams_count(diagnosis->streams) <= 1)
        return 0;
    return verdict->stream == ARMTAP_NO_STREAM ? printf("capture:") : printf("stream %" PRIu32 ":", verdict->stream);
}

/* "The network lost nothing" holds only if everything was read. */
static const char *end_of(const struct diagnosis *diagnosis, const struct armtap_verdict *verdict)
{
    return verdict->is_network_clean && diagnosis->is_whole ? "; the network lost nothing." : ".";
}

static void print_verdict(const struct diagnosis *diagnosis, const struct armtap_verdict *verdict)
{
    int column = print_subject(diagnosis, verdict);
    size_t length = strlen(verdict->text) - 1; /* without its full stop */
    char text[VERDICT_MAX];
    struct text_wrap wrap = text_wrap_begin(stdout, column, column == 0 ? 0 : 2);
    snprintf(text, sizeof text, "%.*s%s", (int)length, verdict->text, end_of(diagnosis, verdict));
    if (column == 0 && *text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    text_wrap_words(&wrap, text);
    text_wrap_end(&wrap);
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

static void print_verdicts(const struct diagnosis *diagnosis)
{
    size_t count = count_of_streams(diagnosis);
    for (size_t i = 0; i < count && i < SENTENCES; i++)
        print_verdict(diagnosis, armtap_diagnosis_verdict_at(diagnosis->found, i));
    if (count > SENTENCES)
        printf("and %zu more stream%s: see the findings above\n", count - SENTENCES, count - SENTENCES == 1 ? "" : "s");
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

static void print_set_back(const struct diagnosis *diagnosis)
{
    const struct armtap_stream_summary *summary = furthest_back(diagnosis);
    char text[200];
    if (!summary)
        return;
    snprintf(text, sizeof text,
             "The capture's clock was set back by %.3f s at packet %" PRIu64 "; rates are based on %s.",
             (double)summary->back->by / 1e9, summary->back->where.packet,
             isnan(summary->last_clock) ? "the usual step there" : "the controller's clock");
    print_line(text);
}

/* Prints why streams have no data; returns for how many. */
static size_t print_reasons(const struct diagnosis *diagnosis)
{
    size_t told = 0;
    for (size_t i = 0; i < armtap_diagnosis_stream_count(diagnosis->found); i++) {
        const char *reason = armtap_diagnosis_stream_at(diagnosis->found, i)->no_data;
        char sentence[400];
        if (*reason == '\0' || told++ >= SENTENCES)
            continue;
        snprintf(sentence, sizeof sentence, "Stream %zu has no data: %s.", i, reason);
        print_line(sentence);
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

/* Prints the summary if there are no warnings or errors. */
static void print_clean(const struct diagnosis *diagnosis)
{
    uint64_t records = records_of(diagnosis);
    bool notices = count_of_streams(diagnosis) > 0 || furthest_back(diagnosis);
    size_t told = print_reasons(diagnosis);
    if (records == 0 && told == 0)
        puts("The capture holds no data from the robot, so what the robot did is unknown.");
    else if (records > 0 && !diagnosis->is_whole)
        puts("Nothing wrong was found in what could be read; the rest is unknown.");
    else if (records > 0 && !is_all_decoded(diagnosis))
        printf("Nothing wrong was found in what could be decoded.%s\n", notices ? " Worth knowing:" : "");
    else if (records > 0 && notices)
        puts("Nothing is wrong with the data that was captured. Worth knowing:");
    else if (records > 0)
        printf("Nothing is wrong: %" PRIu64 " record%s decoded, and nothing is missing.\n", records,
               records == 1 ? " was" : "s were");
    print_verdicts(diagnosis);
}

/* What no recording from a socket can show, and where to look for it. */
static void print_origin(const struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < armtap_streams_count(diagnosis->streams); i++)
        if (armtap_streams_at(diagnosis->streams, i)->stream->origin == ARMTAP_ORIGIN_SOCKET) {
            print_line("This was read from a socket: it cannot show what the network lost, repeated or delayed. A "
                       "capture on the wire at the same time does: armtap diagnose -i INTERFACE, or tcpdump -w FILE.");
            return;
        }
}

static void print_incident(const struct diagnosis *diagnosis, const struct armtap_verdict *verdict)
{
    int column = armtap_streams_count(diagnosis->streams) > 1
                     ? printf("  stream %" PRIu32 ", side %s:", verdict->stream, armtap_blame_name(verdict->side))
                     : printf("  side %s:", armtap_blame_name(verdict->side));
    struct text_wrap wrap = text_wrap_begin(stdout, column, 4);
    text_wrap_words(&wrap, verdict->text);
    text_wrap_end(&wrap);
}

void diagnosis_print_incidents(const struct diagnosis *diagnosis)
{
    const struct armtap_verdict *verdict;
    size_t shown = 0, more = 0;
    for (size_t i = count_of_streams(diagnosis); (verdict = armtap_diagnosis_verdict_at(diagnosis->found, i)); i++) {
        if (!diagnosis_shows(diagnosis, &verdict->stop->where))
            continue;
        if (shown == SENTENCES) {
            more++;
            continue;
        }
        if (shown++ == 0)
            puts("\nstops and their causes");
        print_incident(diagnosis, verdict);
    }
    if (more > 0)
        printf("  and %zu more; --json has them\n", more);
}

void diagnosis_print_verdicts(const struct diagnosis *diagnosis)
{
    const struct armtap_verdict *first = armtap_diagnosis_verdict_at(diagnosis->found, 0);
    bool is_wrong = first && first->severity >= ARMTAP_WARNING;
    if (!is_wrong || !first->stop) /* a stop without a sentence on its stream was printed above */
        putchar('\n');
    if (is_wrong)
        print_verdicts(diagnosis);
    else
        print_clean(diagnosis);
    if (is_wrong && !diagnosis->is_whole)
        puts("Reading stopped early; the rest is unknown.");
    print_set_back(diagnosis);
    print_origin(diagnosis);
}
