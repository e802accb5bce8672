#include "verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "flow_rate.h"
#include "mode_timeline.h"
#include "detectors.h"
#include "inside.h"

#define CLAUSE_MAX 240

/* Findings of one id and stream. */
struct tally {
    size_t kind; /* index of armtap_note_at */
    uint64_t count;
    uint64_t unsized;  /* those without a size */
    uint64_t doubtful; /* those that the packets do not prove */
    unsigned holders;  /* of refused inputs: enum armtap_input_holder, all together */
    uint64_t held_up;  /* those that say that the robot could not send */
    double total;      /* sum of their sizes */
    double of;         /* captured bytes of the stream, if the kind is weighed by them */
    const struct armtap_finding *first, *first_unsized;
};

enum measure { BY_COUNT, BY_PACKAGES, BY_BYTES, BY_SECONDS };

/* The clause for a kind of finding: # is its measure, @ the number of findings, % the bytes of its stream, $ what the
 * finding says, up to a colon. Kinds whose subject is the controller come first, so that they share it. */
static const struct clause {
    const char *id;
    bool of_controller;
    enum measure measure;
    const char *one, *many;
} clauses[] = {
    {"rtde.version.refused", true, BY_COUNT, "refused the requested protocol version",
     "refused the requested protocol version # times"},
    {"rtde.field.not-found", true, BY_COUNT, "does not know a requested field", "does not know # requested fields"},
    {"rtde.field.in-use", true, BY_COUNT, "refused an input that is in use", "refused # inputs that are in use"},
    {"rtde.property.unanswered", true, BY_COUNT, "did not answer a request for properties",
     "did not answer # requests for properties"},
    {"rtde.property.short", true, BY_COUNT,
     "answered a request for properties without the values that its types announce",
     "answered # requests for properties without the values that their types announce"},
    {"rtde.start.refused", true, BY_COUNT, "refused to start sending data", "refused # times to start sending data"},
    {"rtde.text.exception", true, BY_COUNT, "sent an exception message", "sent # exception messages"},
    {"rtde.text.error", true, BY_COUNT, "sent an error message", "sent # error messages"},
    {"rtde.text.warning", true, BY_COUNT, "sent a warning message", "sent # warning messages"},
    {"ur.error", true, BY_COUNT, "reported an error", "reported # errors"},
    {"ur.warning", true, BY_COUNT, "reported a warning", "reported # warnings"},
    {"clock.skipped", true, BY_PACKAGES, "skipped 1 package", "skipped # packages"},
    {"safety.state", true, BY_COUNT, "went into", "was stopped or at fault # times, at first in"},
    {"safety.stop", true, BY_COUNT, "went into", "stopped for safety # times, at first with"},
    {"ur.exception", false, BY_COUNT, "a script failed", "scripts failed # times"},
    {"silence", false, BY_SECONDS, "no data arrived for # s", "no data arrived for # s in all, in @ silences"},
    {"rate.low", false, BY_COUNT, "data arrived at a lower rate than requested",
     "data arrived at a lower rate than requested, @ times"},
    {"tcp.zero-window", false, BY_SECONDS, "a receiver stopped reading for # s",
     "a receiver stopped reading for # s in all, @ times"},
    {"clock.backwards", false, BY_COUNT, "the controller's clock went back",
     "the controller's clock went back # times"},
    {"tcp.refused", false, BY_COUNT, "a robot refused a connection", "# connections were refused"},
    {"tcp.unreachable", false, BY_COUNT, "a robot could not be reached", "robots could not be reached # times"},
    {"tcp.no-answer", false, BY_COUNT, "a connection got no answer", "# connections got no answer"},
    {"tcp.no-data", false, BY_COUNT, "a connection carried nothing", "# connections carried nothing"},
    {"tcp.reset", false, BY_COUNT, "$", "connections were reset # times"},
    {"tcp.retransmission", false, BY_COUNT, "bytes were sent again once", "bytes were sent again # times"},
    {"stream.gap", false, BY_BYTES, "the capture lacks # bytes", "the capture lacks # bytes in @ places"},
    {"capture.dropped", false, BY_COUNT, "the capturing machine dropped packets",
     "the capturing machine dropped packets, @ times"},
    {"capture.truncated", false, BY_COUNT, "packets were truncated during capture",
     "packets were truncated during capture"},
    {"rtde.recipe.missing", false, BY_COUNT, "data could not be decoded, so its content is unknown",
     "data could not be decoded, so its content is unknown"},
    {"rtde.recipe.unsure", false, BY_COUNT, "behind missing bytes the names of fields are unsure",
     "behind missing bytes the names of fields are unsure, # times"},
    {"aubo.channel.unknown", false, BY_COUNT, "data could not be decoded, so its content is unknown",
     "data of @ channels could not be decoded, so its content is unknown"},
    {"rtde.recipe.guessed", false, BY_COUNT, "the names of fields are guessed", "the names of fields are guessed"},
    {"stream.midstream", false, BY_COUNT, "its beginning was not captured", "its beginning was not captured"},
    {"stream.foreign", false, BY_COUNT, "no telemetry was found in a connection on a telemetry port",
     "no telemetry was found in # connections on telemetry ports"},
    {"stream.resync", false, BY_BYTES, "# of % captured bytes could not be decoded",
     "# of % captured bytes could not be decoded, in @ places"},
};
#define CLAUSE_COUNT (sizeof clauses / sizeof *clauses)

/* For other kinds the clause is the meaning of the note. */
static const struct clause other = {"", false, BY_COUNT, "", ""};
/* A skip without a number of packages. */
static const struct clause clock_set = {"clock.skipped", true, BY_COUNT, "had its clock set forward",
                                        "had its clock set forward # times"};
/* What the robot could not send, since what it had sent was not acknowledged. */
static const struct clause held_up_silence = {"silence", false, BY_SECONDS,
                                              "no data arrived for # s, held up by the client or the network",
                                              "no data arrived for # s in all, in @ silences, held up by the client or "
                                              "the network"};
static const struct clause held_up_skips = {"clock.skipped", true, BY_PACKAGES,
                                            "skipped 1 package while it sent earlier bytes again",
                                            "skipped # packages while it sent earlier bytes again"};
/* Guessed names prove no stop. */
static const struct clause guessed_stop = {"safety.stop", false, BY_COUNT, "a field guessed to be # shows",
                                           "a field guessed to be # shows @ safety stops, at first"};

/* Inputs of which the capture shows who has them. */
static const struct clause held_by_client = {"rtde.field.in-use", true, BY_COUNT,
                                             "refused an input that another connection of the same client set up",
                                             "refused # inputs that another connection of the same client set up"};
static const struct clause held_by_other = {"rtde.field.in-use", true, BY_COUNT,
                                            "refused an input that another client set up",
                                            "refused # inputs that another client set up"};

static const struct clause guessed_state = {
    "safety.state", false, BY_COUNT, "a field guessed to be # shows",
    "a field guessed to be # shows the robot stopped or at fault @ times, at first"};
/* A state whose beginning is not in the data. */
static const struct clause begun_state = {"safety.state", true, BY_COUNT, "was already in",
                                          "was stopped or at fault # times, at first already in"};

/* What contradicts "the network lost nothing", by id or by the beginning of the id. */
static const char *const of_network[] = {"silence",           "tcp.retransmission",
                                         "tcp.out-of-order",  "tcp.overlap-differs",
                                         "tcp.zero-window",   "tcp.reset",
                                         "tcp.refused",       "tcp.unreachable",
                                         "tcp.no-",           "stream.gap",
                                         "stream.resync",     "capture.dropped",
                                         "capture.truncated", "ip.",
                                         "websocket.",        "rate.low"};

/* A silence that was not the controller's: what follows it is its effect. */
static const char delayed[] = "delayed on its way";

/* The cause that is put before the controller's clauses, and its effects. */
static const char cause[] = "tcp.zero-window", skips_id[] = "clock.skipped", silence_id[] = "silence";
static const char reset_id[] = "tcp.reset";
#define SHORTEST_CYCLE 0.002     /* s, of any controller: the least time per skipped package */
#define SOON INT64_C(1000000000) /* ns: data resumes within this time after a stall */

/* Bytes captured but not decoded, and the share of a stream's bytes that counts as many. */
static const char unread[] = "stream.resync";
#define UNREAD_MUCH 0.01

struct verdict {
    const struct verdict_grounds *grounds;
    struct incidents incidents;
    struct tallies {
        struct tally *all; /* one for each kind that occurs */
        size_t count;
        struct armtap_verdict *reached;    /* NULL: none */
        uint64_t stalls, of_client;        /* stalls of receivers, and of clients among them */
        uint64_t effects, explained;       /* skips and silences, and those explained by a client's stall */
        int64_t stall_from, stall_until;   /* the client's stall with the latest end so far; ns */
        uint64_t skips, held_up;           /* skips, and those explained by data that was held up */
        const struct armtap_finding *hold; /* the last silence in which it was */
    } * tallies;                           /* by stream; the capture comes first */
    size_t streams;                        /* including the capture */
    size_t kinds[CLAUSE_COUNT];            /* those of the clauses, as indices of armtap_note_at */
};

static size_t index_of(const struct armtap_note_kind *kind)
{
    return (size_t)(kind - armtap_note_at(0));
}

/* A stream's tally of a kind; an empty one if it has none. */
static const struct tally *tally_at(const struct verdict *verdict, size_t stream, size_t kind)
{
    static const struct tally none;
    const struct tallies *tallies = &verdict->tallies[stream];
    for (size_t i = 0; i < tallies->count; i++)
        if (tallies->all[i].kind == kind)
            return &tallies->all[i];
    return &none;
}

/* Finds or adds a stream's tally of a kind; NULL if memory runs out. */
static struct tally *tally_of(const struct verdict *verdict, size_t stream, size_t kind)
{
    struct tallies *tallies = &verdict->tallies[stream];
    for (size_t i = 0; i < tallies->count; i++)
        if (tallies->all[i].kind == kind)
            return &tallies->all[i];
    struct tally *all = realloc(tallies->all, (tallies->count + 1) * sizeof *all);
    if (!all)
        return NULL;
    tallies->all = all;
    all[tallies->count] = (struct tally){.kind = kind};
    return &all[tallies->count++];
}

/* The index of its stream's tallies. */
static size_t stream_of(const struct armtap_finding *finding)
{
    return finding->stream == ARMTAP_NO_STREAM ? 0 : (size_t)finding->stream + 1;
}

static void note_stall(struct tallies *tallies, const struct armtap_finding *stall)
{
    bool is_client = armtap_stalls_is_client(stall->text);
    bool is_known = stall->count == 1 && stall->size > 0 && stall->where.time != ARMTAP_NO_TIME;
    tallies->stalls += stall->count;
    tallies->of_client += is_client ? stall->count : 0;
    if (!is_client || !is_known)
        return;
    int64_t until = armtap_time_shift(stall->where.time, stall->size < 1e9 ? (int64_t)(stall->size * 1e9) : INT64_MAX);
    if (tallies->of_client > 1 && until < tallies->stall_until)
        return;
    tallies->stall_from = stall->where.time;
    tallies->stall_until = until;
}

/* A client that does not read makes the controller skip what its buffers cannot hold: no more packages than fit into
 * the stall, found at the first record after it. */
static void note_effect(struct tallies *tallies, const struct armtap_finding *effect)
{
    bool is_skip = strcmp(effect->kind->id, skips_id) == 0;
    double least = is_skip ? effect->size * SHORTEST_CYCLE : effect->size - SOON * 1e-9;
    double stalled = (double)armtap_time_between(tallies->stall_from, tallies->stall_until) * 1e-9;
    tallies->effects += effect->count;
    if (effect->count == 1 && effect->size > 0 && effect->where.time != ARMTAP_NO_TIME && stalled > 0 &&
        effect->where.time >= tallies->stall_from &&
        effect->where.time <= armtap_time_shift(tallies->stall_until, SOON) && least <= stalled)
        tallies->explained++;
}

static bool is_held_up(const struct armtap_finding *finding)
{
    return !finding->is_sum && armtap_flow_rate_is_held_up(finding->text);
}

/* The robot's buffer is full while data is held up: it skips what does not fit, found at the first record after it. */
static void note_hold(struct tallies *tallies, const struct armtap_finding *finding)
{
    const struct armtap_finding *hold = tallies->hold;
    bool is_silence = strcmp(finding->kind->id, silence_id) == 0;
    if (is_silence && !finding->is_sum && finding->count == 1 && finding->where.time != ARMTAP_NO_TIME &&
        (is_held_up(finding) || strstr(finding->text, delayed)))
        tallies->hold = finding;
    if (is_silence)
        return;
    bool follows = hold && finding->count == 1 && finding->size > 0 && finding->where.time != ARMTAP_NO_TIME &&
                   finding->where.time <= armtap_time_shift(hold->where.time, SOON) &&
                   finding->size * SHORTEST_CYCLE <= hold->size;
    tallies->skips += finding->count;
    tallies->held_up += is_held_up(finding) || follows ? finding->count : 0;
}

/* Whether every skip is the effect of data that was held up. */
static bool is_hold_cause(const struct tallies *tallies)
{
    return tallies->skips > 0 && tallies->held_up == tallies->skips;
}

static int add(const struct verdict *verdict, const struct armtap_finding *finding)
{
    struct tally *tally = tally_of(verdict, stream_of(finding), index_of(finding->kind));
    if (!tally)
        return -1;
    if (strcmp(finding->kind->id, cause) == 0)
        note_stall(&verdict->tallies[stream_of(finding)], finding);
    else if (strcmp(finding->kind->id, skips_id) == 0 || strcmp(finding->kind->id, silence_id) == 0)
        note_effect(&verdict->tallies[stream_of(finding)], finding);
    if (strcmp(finding->kind->id, skips_id) == 0 || strcmp(finding->kind->id, silence_id) == 0)
        note_hold(&verdict->tallies[stream_of(finding)], finding);
    tally->held_up += is_held_up(finding) ? finding->count : 0;
    tally->count += finding->count;
    tally->total += finding->total;
    tally->doubtful += finding->is_doubtful ? finding->count : 0;
    if (strcmp(finding->kind->id, held_by_client.id) == 0)
        tally->holders |= armtap_input_holders_of(&finding->arguments);
    if (!tally->first)
        tally->first = finding;
    if (finding->total > 0)
        return 0;
    tally->unsized += finding->count;
    if (!tally->first_unsized)
        tally->first_unsized = finding;
    return 0;
}

static double both(const uint64_t counts[2])
{
    return (double)(counts[0] + counts[1]);
}

/* Uses the stream's totals, because some findings of gaps or unread bytes have no size. */
static int count_bytes(const struct verdict *verdict, const char *id, size_t stream, double bytes, double of)
{
    size_t kind = index_of(armtap_note_find(id));
    bool has_any = bytes > 0 || tally_at(verdict, stream, kind)->count > 0;
    struct tally *tally = has_any ? tally_of(verdict, stream, kind) : NULL;
    if (tally) {
        tally->total = bytes;
        tally->of = of;
    }
    return has_any && !tally ? -1 : 0;
}

static int count_missing_bytes(const struct verdict *verdict)
{
    for (size_t i = 1; i < verdict->streams; i++) {
        const struct armtap_stream *stream = armtap_streams_at(verdict->grounds->streams, i - 1)->stream;
        double skipped = both(stream->bytes_skipped), captured = skipped + both(stream->bytes_decoded);
        if (count_bytes(verdict, "stream.gap", i, both(stream->bytes_lost), 0) != 0 ||
            count_bytes(verdict, unread, i, skipped, captured) != 0)
            return -1;
    }
    return 0;
}

double armtap_verdict_unread(const struct armtap_stream *stream)
{
    uint64_t decoded = stream->bytes_decoded[ARMTAP_FROM_ROBOT], records = stream->records[ARMTAP_FROM_ROBOT];
    double rest = stream->midstream && records > 0 ? (double)decoded / (double)records : 0;
    return fmax(0, both(stream->bytes_skipped) - rest);
}

static double unread_of(const struct verdict *verdict, size_t stream)
{
    const struct armtap_stream_summary *summary =
        stream == 0 ? NULL : armtap_streams_at(verdict->grounds->streams, stream - 1);
    return summary ? armtap_verdict_unread(summary->stream) : 0;
}

/* Undecoded bytes may hide anything: many of them are more than a notice. So are values that may be of other fields
 * than their names say. */
static enum armtap_severity severity_of(const struct verdict *verdict, size_t stream,
                                        const struct armtap_note_kind *kind)
{
    bool is_much = strcmp(kind->id, unread) == 0 &&
                   unread_of(verdict, stream) >= UNREAD_MUCH * tally_at(verdict, stream, index_of(kind))->of;
    bool is_unsure = strcmp(kind->id, "rtde.recipe.unsure") == 0;
    return (is_much || is_unsure) && kind->severity < ARMTAP_WARNING ? ARMTAP_WARNING : kind->severity;
}

/* ---- sentences ------------------------------------------------------------------------------------------------- */

#define CLAUSES 12

struct sentence {
    char clause[CLAUSES][CLAUSE_MAX];
    size_t count;
    size_t before, of_controller; /* clauses from `before` to `of_controller` have the controller as subject */
    const char *first;            /* the kind of the clause before them; NULL: none */
    size_t more;                  /* clauses without room */
};

static void put_number(char to[CLAUSE_MAX], const struct clause *clause, const struct tally *tally)
{
    size_t used = strlen(to), room = CLAUSE_MAX - used;
    if (clause->measure == BY_SECONDS)
        snprintf(to + used, room, "%s", tally->total < 0.001 ? "less than 0.001" : DECIMAL(tally->total, 3));
    else
        snprintf(to + used, room, "%s", DECIMAL(clause->measure == BY_COUNT ? (double)tally->count : tally->total, 0));
}

static void append(char to[CLAUSE_MAX], const char *text, size_t length)
{
    size_t used = strlen(to), room = CLAUSE_MAX - 1 - used;
    length = length < room ? length : room;
    memcpy(to + used, text, length);
    to[used + length] = '\0';
}

/* What a finding says, without its explanation. */
static void append_words(char to[CLAUSE_MAX], const char *text)
{
    const char *end = strstr(text, ": ");
    append(to, text, end ? (size_t)(end - text) : strlen(text));
}

/* The clause for failed attempts to connect, with robot and number; they are findings of the capture. */
static bool write_attempts(char to[CLAUSE_MAX], const struct verdict *verdict, const struct tally *tally)
{
    char text[ARMTAP_ATTEMPT_TEXT_MAX], place[60];
    const struct armtap_finding *first = tally->first;
    if (first->stream != ARMTAP_NO_STREAM)
        return false;
    uint64_t count = armtap_attempts_clause(text, armtap_streams_attempts(verdict->grounds->streams), first->kind->id,
                                            verdict->grounds->zone);
    if (count == 0)
        return false;
    *to = '\0';
    snprintf(place, sizeof place, " (%spacket %" PRIu64 ")", count == 1 ? "" : "first in ", first->where.packet);
    append(to, text, strlen(text));
    append(to, place, strlen(place));
    return true;
}

static void write_pattern(char to[CLAUSE_MAX], const struct clause *clause, const struct tally *tally)
{
    bool is_one = clause->measure == BY_PACKAGES ? tally->total <= 1 : tally->count == 1;
    char count[24], of[24], field[ARMTAP_MODE_NAME_MAX];
    snprintf(count, sizeof count, "%" PRIu64, tally->count);
    snprintf(of, sizeof of, "%s", DECIMAL(tally->of, 0));
    for (const char *at = is_one ? clause->one : clause->many; *at != '\0'; at++)
        if (*at == '#' && (clause == &guessed_stop || clause == &guessed_state))
            append(to, field, strlen(armtap_modes_stop_field(tally->first->text, field)));
        else if (*at == '#')
            put_number(to, clause, tally);
        else if (*at == '$')
            append_words(to, tally->first->text);
        else if (*at == '@' || *at == '%')
            append(to, *at == '@' ? count : of, strlen(*at == '@' ? count : of));
        else
            append(to, at, 1);
}

static bool is_state(const char *id)
{
    return strcmp(id, guessed_stop.id) == 0 || strcmp(id, guessed_state.id) == 0;
}

/* The name of the stop or state, with which its finding begins, and its time. */
static void write_stop(char to[CLAUSE_MAX], const struct armtap_finding *stop, const struct armtap_zone *zone)
{
    char date[ARMTAP_TIME_MAX];
    append(to, " ", 1);
    append(to, stop->text, strcspn(stop->text, " "));
    if (stop->where.time == ARMTAP_NO_TIME)
        return;
    armtap_time_text(date, stop->where.time, zone);
    char *dot = strchr(date, '.');
    memmove(dot + 4, dot + 10, strlen(dot + 10) + 1);
    append(to, " at ", 4);
    append(to, strchr(date, 'T') + 1, strlen(strchr(date, 'T') + 1));
}

/* The meaning of the note, without its explanation. */
static void write_meaning(char to[CLAUSE_MAX], const struct tally *tally)
{
    const char *meaning = tally->first->kind->meaning;
    snprintf(to, CLAUSE_MAX, "%.*s", (int)strcspn(meaning, ":;"), meaning);
    if (tally->count == 1)
        return;
    size_t used = strlen(to);
    snprintf(to + used, CLAUSE_MAX - used, ", %" PRIu64 " times", tally->count);
}

static void write_doubt(char to[CLAUSE_MAX], const struct tally *tally)
{
    bool is_end = strcmp(tally->first->kind->id, reset_id) == 0;
    const char *why = is_end ? "perhaps after the other side had ended it" : "judged only by the delay";
    char doubt[80];
    if (tally->doubtful == 0 || (is_end && tally->count == 1)) /* the finding's own words say it */
        return;
    if (tally->doubtful < tally->count)
        snprintf(doubt, sizeof doubt, ", %" PRIu64 " of them %s", tally->doubtful, why);
    else
        snprintf(doubt, sizeof doubt, ", %s", why);
    append(to, doubt, strlen(doubt));
}

static void write_clause(char to[CLAUSE_MAX], const struct verdict *verdict, const struct clause *clause,
                         const struct tally *tally)
{
    char place[60];
    if (write_attempts(to, verdict, tally))
        return;
    bool is_stop = is_state(tally->first->kind->id);
    *to = '\0';
    /* Leaves out an unknown size. */
    if (clause == &other || (clause->measure != BY_COUNT && !(tally->total > 0)))
        write_meaning(to, tally);
    else
        write_pattern(to, clause, tally);
    if (is_stop)
        write_stop(to, tally->first, verdict->grounds->zone);
    write_doubt(to, tally);
    snprintf(place, sizeof place, " (%spacket %" PRIu64 ")", tally->count == 1 || is_stop ? "" : "first in ",
             tally->first->where.packet);
    if (tally->first->where.packet > 0)
        append(to, place, strlen(place));
}

/* Adds a clause if there is room. */
static void add_clause(struct sentence *sentence, const struct verdict *verdict, const struct clause *clause,
                       const struct tally *tally)
{
    if (tally->count > 0 && sentence->count == CLAUSES)
        sentence->more++;
    else if (tally->count > 0)
        write_clause(sentence->clause[sentence->count++], verdict, clause, tally);
}

/* A clock that was set is not a skip: only a skip has a number of packages. */
static void add_skips(struct sentence *sentence, const struct verdict *verdict, const struct clause *clause,
                      const struct tally *tally)
{
    struct tally skips = *tally, jumps = *tally;
    bool is_held_up_all = tally->held_up > 0 && tally->held_up == tally->count;
    skips.count -= tally->unsized;
    jumps.count = tally->unsized;
    jumps.first = tally->first_unsized;
    add_clause(sentence, verdict, is_held_up_all ? &held_up_skips : clause, &skips);
    add_clause(sentence, verdict, &clock_set, &jumps);
}

/* A stop has the controller as subject only if its field names are not guessed. */
static void add_kind(struct sentence *sentence, const struct verdict *verdict, const struct clause *clause,
                     const struct tally *tally, bool of_controller)
{
    bool is_guess = is_state(clause->id) && armtap_modes_is_guess(tally->first->text);
    if (is_guess && !of_controller)
        add_clause(sentence, verdict, strcmp(clause->id, guessed_stop.id) == 0 ? &guessed_stop : &guessed_state, tally);
    else if (is_guess || clause->of_controller != of_controller)
        return;
    else if (tally->holders == ARMTAP_HOLDER_SAME_CLIENT || tally->holders == ARMTAP_HOLDER_OTHER_CLIENT)
        add_clause(sentence, verdict, tally->holders == ARMTAP_HOLDER_SAME_CLIENT ? &held_by_client : &held_by_other,
                   tally);
    else if (strcmp(clause->id, clock_set.id) == 0)
        add_skips(sentence, verdict, clause, tally);
    else if (strcmp(clause->id, begun_state.id) == 0 && armtap_modes_is_begun(tally->first->text))
        add_clause(sentence, verdict, &begun_state, tally);
    else if (strcmp(clause->id, silence_id) == 0 && tally->held_up == tally->count)
        add_clause(sentence, verdict, &held_up_silence, tally);
    else
        add_clause(sentence, verdict, clause, tally);
}

static const struct clause *clause_of(const char *id)
{
    for (size_t i = 0; i < CLAUSE_COUNT; i++)
        if (strcmp(clauses[i].id, id) == 0)
            return &clauses[i];
    return &other;
}

static void add_found(struct sentence *sentence, const struct verdict *verdict, size_t stream,
                      const struct clause *clause, const struct tally *tally, enum armtap_severity severity,
                      bool of_controller)
{
    const struct armtap_note_kind *kind = armtap_note_at(tally->kind);
    if (tally->count > 0 && severity_of(verdict, stream, kind) >= severity &&
        (!sentence->first || strcmp(kind->id, sentence->first) != 0))
        add_kind(sentence, verdict, clause, tally, of_controller);
}

/* What was found of the first kind from `kind` on; NULL: nothing. */
static const struct tally *next_tally(const struct tallies *tallies, size_t kind)
{
    const struct tally *next = NULL;
    for (size_t i = 0; i < tallies->count; i++) {
        const struct tally *tally = &tallies->all[i];
        if (tally->count > 0 && tally->kind >= kind && (!next || tally->kind < next->kind))
            next = tally;
    }
    return next;
}

static bool has_clause(const struct verdict *verdict, size_t kind)
{
    for (size_t i = 0; i < CLAUSE_COUNT; i++)
        if (verdict->kinds[i] == kind)
            return true;
    return false;
}

/* What belongs to no stream, such as failed attempts to connect, is told in order of time, as the tallies are. */
static void add_kinds_of_capture(struct sentence *sentence, const struct verdict *verdict,
                                 enum armtap_severity severity, bool of_controller)
{
    const struct tallies *tallies = &verdict->tallies[0];
    for (size_t i = 0; i < tallies->count; i++) {
        const struct tally *tally = &tallies->all[i];
        add_found(sentence, verdict, 0, clause_of(armtap_note_at(tally->kind)->id), tally, severity, of_controller);
    }
}

/* Adds the clauses of at least `severity`, in the order of `clauses`, then of the notes. Of all kinds a stream has few.
 */
static void add_kinds_of_stream(struct sentence *sentence, const struct verdict *verdict, size_t stream,
                                enum armtap_severity severity, bool of_controller)
{
    const struct tallies *tallies = &verdict->tallies[stream];
    for (size_t i = 0; i < CLAUSE_COUNT; i++)
        for (size_t k = 0; k < tallies->count; k++)
            if (verdict->kinds[i] == tallies->all[k].kind)
                add_found(sentence, verdict, stream, &clauses[i], &tallies->all[k], severity, of_controller);
    for (const struct tally *tally = next_tally(tallies, 0); tally; tally = next_tally(tallies, tally->kind + 1))
        if (!has_clause(verdict, tally->kind))
            add_found(sentence, verdict, stream, &other, tally, severity, of_controller);
}

static void add_kinds(struct sentence *sentence, const struct verdict *verdict, size_t stream,
                      enum armtap_severity severity, bool of_controller)
{
    if (stream == 0)
        add_kinds_of_capture(sentence, verdict, severity, of_controller);
    else
        add_kinds_of_stream(sentence, verdict, stream, severity, of_controller);
    if (of_controller)
        sentence->of_controller = sentence->count;
}

/* Whether stalls of the client explain every skip and silence. */
static bool is_client_cause(const struct tallies *tallies)
{
    return tallies->effects > 0 && tallies->explained == tallies->effects && tallies->of_client == tallies->stalls;
}

static void add_cause(struct sentence *sentence, const struct verdict *verdict, size_t stream)
{
    const struct tallies *tallies = &verdict->tallies[stream];
    const char *first = is_client_cause(tallies) ? cause : is_hold_cause(tallies) && tallies->hold ? silence_id : NULL;
    if (!first)
        return;
    add_kind(sentence, verdict, clause_of(first), tally_at(verdict, stream, index_of(armtap_note_find(first))), false);
    sentence->before = sentence->count;
    sentence->first = first;
}

/* Whether the stream's packets were made from a socket's bytes: what the network did is unknown. */
static bool is_from_socket(const struct verdict *verdict, size_t stream)
{
    const struct armtap_stream_summary *summary =
        stream > 0 ? armtap_streams_at(verdict->grounds->streams, stream - 1) : NULL;
    return summary && summary->stream->origin == ARMTAP_ORIGIN_SOCKET;
}

static bool has_of_network(const struct tallies *tallies)
{
    for (size_t i = 0; i < tallies->count; i++)
        for (size_t k = 0; k < sizeof of_network / sizeof *of_network && tallies->all[i].count > 0; k++)
            if (strncmp(armtap_note_at(tallies->all[i].kind)->id, of_network[k], strlen(of_network[k])) == 0)
                return true;
    return false;
}

/* Whether there is complete data and nothing points to the network. */
static bool is_network_clean(const struct verdict *verdict, size_t stream)
{
    const struct armtap_stream_summary *summary = armtap_streams_at(verdict->grounds->streams, stream - 1);
    if (!summary || is_from_socket(verdict, stream) || summary->stream->records[ARMTAP_FROM_ROBOT] == 0)
        return false;
    return !has_of_network(&verdict->tallies[stream]) && !has_of_network(&verdict->tallies[0]) &&
           summary->begin.packet > 0;
}

/* The text between a clause and the next. */
static const char *sign_after(const struct sentence *sentence, size_t i)
{
    if (i + 1 == sentence->count)
        return sentence->more > 0 ? "; and more." : ".";
    if (i < sentence->before || i + 1 >= sentence->of_controller)
        return ";";
    return i + 2 == sentence->of_controller ? " and" : ",";
}

/* The text; NULL if memory runs out. */
static char *write_out(const struct sentence *sentence)
{
    char *text = malloc(sentence->count * (CLAUSE_MAX + 40) + 1);
    size_t length = 0;
    if (!text)
        return NULL;
    *text = '\0';
    for (size_t i = 0; i < sentence->count; i++) {
        bool has_subject = i == sentence->before && i < sentence->of_controller;
        length += (size_t)snprintf(text + length, CLAUSE_MAX + 40, "%s%s%s%s", i == 0 ? "" : " ",
                                   has_subject ? "the controller " : "", sentence->clause[i], sign_after(sentence, i));
    }
    return text;
}

/* Writes the text. 0, or -1 if memory runs out. */
static int write_sentence(const struct verdict *verdict, size_t stream, struct armtap_verdict *reached)
{
    struct sentence sentence = {.count = 0};
    add_cause(&sentence, verdict, stream);
    add_kinds(&sentence, verdict, stream, reached->severity, true);
    add_kinds(&sentence, verdict, stream, reached->severity, false);
    reached->is_network_clean = sentence.of_controller > sentence.before && stream > 0 && sentence.count < CLAUSES &&
                                is_network_clean(verdict, stream);
    reached->text = write_out(&sentence);
    return reached->text ? 0 : -1;
}

/* ---- verdicts -------------------------------------------------------------------------------------------------- */

static bool has(const struct verdict *verdict, size_t stream, enum armtap_severity severity)
{
    const struct tallies *tallies = &verdict->tallies[stream];
    for (size_t i = 0; i < tallies->count; i++)
        if (tallies->all[i].count > 0 && severity_of(verdict, stream, armtap_note_at(tallies->all[i].kind)) >= severity)
            return true;
    return false;
}

/* Who is to blame, by id or by the beginning of the id. */
static const struct {
    const char *id;
    enum armtap_blame side;
} sides[] = {{"rtde.version.refused", ARMTAP_BLAME_CLIENT},
             {"rtde.field.not-found", ARMTAP_BLAME_CLIENT},
             {"rtde.field.in-use", ARMTAP_BLAME_CLIENT},
             {"rtde.start.refused", ARMTAP_BLAME_CLIENT},
             {"rtde.text.", ARMTAP_BLAME_ROBOT},
             {"clock.", ARMTAP_BLAME_ROBOT},
             {"safety.", ARMTAP_BLAME_ROBOT},
             {"tcp.refused", ARMTAP_BLAME_ROBOT},
             {"tcp.no-data", ARMTAP_BLAME_ROBOT},
             {"tcp.unreachable", ARMTAP_BLAME_NETWORK},
             {"tcp.retransmission", ARMTAP_BLAME_NETWORK},
             {"tcp.out-of-order", ARMTAP_BLAME_NETWORK},
             {"ip.", ARMTAP_BLAME_NETWORK},
             {"capture.", ARMTAP_BLAME_CAPTURE},
             {"stream.", ARMTAP_BLAME_CAPTURE},
             {"rtde.property.unanswered", ARMTAP_BLAME_ROBOT},
             {"rtde.property.short", ARMTAP_BLAME_ROBOT},
             {"rtde.recipe.", ARMTAP_BLAME_CAPTURE},
             {"aubo.channel.unknown", ARMTAP_BLAME_CAPTURE}};

static enum armtap_blame side_of(const struct verdict *verdict, size_t index)
{
    const struct armtap_finding *finding = armtap_findings_at(verdict->grounds->findings, index);
    const struct incident *incident = armtap_incidents_of(&verdict->incidents, index);
    if (incident)
        return incident->side;
    if (is_held_up(finding))
        return ARMTAP_BLAME_UNCLEAR;
    bool is_full = strcmp(finding->kind->id, cause) == 0;
    if (is_full)
        return armtap_stalls_is_client(finding->text) ? ARMTAP_BLAME_CLIENT : ARMTAP_BLAME_ROBOT;
    if (armtap_modes_is_guess(finding->text))
        return ARMTAP_BLAME_UNCLEAR;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (strncmp(finding->kind->id, sides[i].id, strlen(sides[i].id)) == 0)
            return sides[i].side;
    return ARMTAP_BLAME_UNCLEAR;
}

/* Messages of the robot do not show who is to blame; the other findings do. */
static bool is_text(const struct armtap_finding *finding)
{
    static const char *const beginnings[] = {"rtde.text.", "ur."};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(finding->kind->id, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* A skip while, or after, data was held up: whatever held it up is to blame. */
static bool is_effect(const struct verdict *verdict, const struct armtap_finding *finding)
{
    return strcmp(finding->kind->id, skips_id) == 0 && is_hold_cause(&verdict->tallies[stream_of(finding)]);
}

/* Unclear if the findings disagree. */
static enum armtap_blame side_of_all(const struct verdict *verdict, const struct armtap_verdict *reached)
{
    enum armtap_blame side = ARMTAP_BLAME_UNCLEAR;
    bool any = false, any_text = false;
    for (size_t i = 0; i < reached->evidence_count; i++) {
        const struct armtap_finding *finding = armtap_findings_at(verdict->grounds->findings, reached->evidence[i]);
        enum armtap_blame one = side_of(verdict, reached->evidence[i]);
        if (is_effect(verdict, finding))
            continue;
        bool is_message = is_text(finding);
        any_text = any_text || (is_message && one == ARMTAP_BLAME_ROBOT);
        if (any && !is_message && one != side)
            return ARMTAP_BLAME_UNCLEAR;
        side = is_message ? side : one;
        any = any || !is_message;
    }
    return !any && any_text ? ARMTAP_BLAME_ROBOT : side;
}

/* Whether the robot stopped for a reason of its own, or one that is unknown. */
static bool has_incident(const struct verdict *verdict, const struct armtap_verdict *reached)
{
    for (size_t i = 0; i < reached->evidence_count; i++) {
        const struct incident *incident = armtap_incidents_of(&verdict->incidents, reached->evidence[i]);
        if (incident && incident->side != ARMTAP_BLAME_CLIENT)
            return true;
    }
    return false;
}

static void extend(struct armtap_verdict *reached, const struct armtap_finding *finding)
{
    if (reached->from == ARMTAP_NO_TIME)
        reached->from = finding->where.time;
    if (finding->last.time != ARMTAP_NO_TIME && (reached->to == ARMTAP_NO_TIME || finding->last.time > reached->to))
        reached->to = finding->last.time;
}

/* The verdict that a finding supports, or NULL. */
static struct armtap_verdict *verdict_of(const struct verdict *verdict, const struct armtap_finding *finding)
{
    struct armtap_verdict *reached = verdict->tallies[stream_of(finding)].reached;
    bool counts = reached && severity_of(verdict, stream_of(finding), finding->kind) >= reached->severity;
    return counts ? reached : NULL;
}

/* 0, or -1 if memory runs out. */
static int make_room(const struct verdict *verdict, struct verdicts *verdicts)
{
    struct armtap_verdict *reached;
    for (size_t i = 0; i < armtap_findings_count(verdict->grounds->findings); i++) {
        if ((reached = verdict_of(verdict, armtap_findings_at(verdict->grounds->findings, i))))
            reached->evidence_count++;
    }
    for (size_t i = 0; i < verdicts->count; i++) {
        verdicts->all[i].evidence = calloc(verdicts->all[i].evidence_count + 1, sizeof(size_t));
        verdicts->all[i].evidence_count = 0;
        if (!verdicts->all[i].evidence)
            return -1;
    }
    return 0;
}

/* 0, or -1 if memory runs out. */
static int collect_evidence(const struct verdict *verdict, struct verdicts *verdicts)
{
    if (make_room(verdict, verdicts) != 0)
        return -1;
    for (size_t i = 0; i < armtap_findings_count(verdict->grounds->findings); i++) {
        const struct armtap_finding *finding = armtap_findings_at(verdict->grounds->findings, i);
        struct armtap_verdict *reached = verdict_of(verdict, finding);
        if (!reached)
            continue;
        ((size_t *)reached->evidence)[reached->evidence_count++] = i;
        extend(reached, finding);
    }
    for (size_t stream = 0; stream < verdict->streams; stream++) {
        const struct tallies *tallies = &verdict->tallies[stream];
        if (tallies->reached)
            tallies->reached->side = is_client_cause(tallies) && !has_incident(verdict, tallies->reached)
                                         ? ARMTAP_BLAME_CLIENT
                                         : side_of_all(verdict, tallies->reached);
        if (tallies->reached && tallies->reached->side == ARMTAP_BLAME_NETWORK && is_from_socket(verdict, stream))
            tallies->reached->side = ARMTAP_BLAME_UNCLEAR;
    }
    return 0;
}

/* 0, or -1 if memory runs out. */
static int reach(const struct verdict *verdict, size_t stream, enum armtap_severity severity,
                 struct armtap_verdict *reached)
{
    *reached = (struct armtap_verdict){.stream = stream == 0 ? ARMTAP_NO_STREAM : (uint32_t)(stream - 1),
                                       .severity = severity,
                                       .from = ARMTAP_NO_TIME,
                                       .to = ARMTAP_NO_TIME};
    verdict->tallies[stream].reached = reached;
    return write_sentence(verdict, stream, reached);
}

/* A verdict for each stream, and for the capture, that has a finding of that severity. 0, or -1 if memory runs out. */
static int reach_all(const struct verdict *verdict, enum armtap_severity severity, struct verdicts *verdicts)
{
    size_t count = 0;
    for (size_t stream = 0; stream < verdict->streams; stream++)
        count += has(verdict, stream, severity);
    if (count == 0)
        return 0;
    verdicts->all = calloc(count, sizeof *verdicts->all);
    if (!verdicts->all)
        return -1;
    for (size_t stream = 0; stream < verdict->streams; stream++)
        if (has(verdict, stream, severity) && reach(verdict, stream, severity, &verdicts->all[verdicts->count++]) != 0)
            return -1;
    return collect_evidence(verdict, verdicts);
}

void armtap_verdicts_free(struct verdicts *verdicts)
{
    for (size_t i = 0; i < verdicts->count; i++) {
        free((char *)verdicts->all[i].text);
        free((size_t *)verdicts->all[i].evidence);
    }
    free(verdicts->all);
    *verdicts = (struct verdicts){0};
}

/* Takes the incident's text. Text or evidence is NULL if memory runs out. */
static void reach_incident(const struct verdict *verdict, struct incident *incident, struct armtap_verdict *reached)
{
    const struct armtap_finding *stop = armtap_findings_at(verdict->grounds->findings, incident->stop);
    size_t *evidence = malloc(incident->evidence_count * sizeof *evidence);
    *reached = (struct armtap_verdict){.stream = stop->stream,
                                       .side = incident->side,
                                       .severity = ARMTAP_WARNING,
                                       .from = ARMTAP_NO_TIME,
                                       .to = ARMTAP_NO_TIME,
                                       .text = incident->text,
                                       .evidence = evidence,
                                       .stop = stop};
    incident->text = NULL;
    for (size_t i = 0; evidence && i < incident->evidence_count; i++) {
        evidence[reached->evidence_count++] = incident->evidence[i];
        const struct armtap_finding *finding = armtap_findings_at(verdict->grounds->findings, incident->evidence[i]);
        extend(reached, finding);
        if (finding->kind->severity > reached->severity)
            reached->severity = finding->kind->severity;
    }
}

/* The incidents' verdicts, after those of streams. 0, or -1 if memory runs out. */
static int add_incidents(struct verdict *verdict, struct verdicts *verdicts)
{
    struct incidents *incidents = &verdict->incidents;
    struct armtap_verdict *all = realloc(verdicts->all, (verdicts->count + incidents->count + 1) * sizeof *all);
    if (!all)
        return -1;
    verdicts->all = all;
    for (size_t i = 0; i < incidents->count; i++) {
        struct incident *incident = &incidents->all[i];
        struct armtap_verdict *reached = &all[verdicts->count++];
        reach_incident(verdict, incident, reached);
        if (!reached->text || !reached->evidence)
            return -1;
    }
    return 0;
}

static void free_verdict(struct verdict *verdict)
{
    armtap_incidents_free(&verdict->incidents);
    for (size_t i = 0; i < verdict->streams; i++)
        free(verdict->tallies[i].all);
    free(verdict->tallies);
}

static int count_all(const struct verdict *verdict)
{
    const struct findings *findings = verdict->grounds->findings;
    for (size_t i = 0; i < armtap_findings_count(findings); i++)
        if (add(verdict, armtap_findings_at(findings, i)) != 0)
            return -1;
    return count_missing_bytes(verdict);
}

int armtap_verdicts_reach(struct verdicts *verdicts, const struct verdict_grounds *grounds)
{
    struct verdict verdict = {.grounds = grounds, .streams = armtap_streams_count(grounds->streams) + 1};
    for (size_t i = 0; i < CLAUSE_COUNT; i++)
        verdict.kinds[i] = index_of(armtap_note_find(clauses[i].id));
    verdict.tallies = calloc(verdict.streams, sizeof *verdict.tallies);
    if (!verdict.tallies)
        return -1;
    int outcome = armtap_incidents_find(&verdict.incidents, grounds);
    if (outcome == 0)
        outcome = count_all(&verdict);
    if (outcome == 0)
        outcome = reach_all(&verdict, ARMTAP_WARNING, verdicts);
    if (outcome == 0 && verdicts->count == 0 && verdict.incidents.count == 0)
        outcome = reach_all(&verdict, ARMTAP_NOTICE, verdicts);
    if (outcome == 0)
        outcome = add_incidents(&verdict, verdicts);
    free_verdict(&verdict);
    return outcome;
}

const char *armtap_blame_name(enum armtap_blame side)
{
    static const char *const names[] = {"robot", "network", "client", "capture", "unclear"};
    return (size_t)side < sizeof names / sizeof *names ? names[side] : "";
}
