#include "analysis/stream_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/armtap-analysis.h"
#include "analysis/numbers.h"
#include "analysis/inside.h"

/* Pairs without failures take no more of the room than this. */
#define CONNECTED_MAX (ATTEMPTS_PAIRS / 2)

/* ns: a connection open for this long without a byte was more than a probe of the port */
#define SILENT INT64_C(2000000000)
/* Connections that ended recently; only the first end of each counts. */
#define ENDED_KEPT 64
#define LEGACY_PORT 30003 /* whose clients only listen */
#define SLOTS 2048        /* a power of two, at least twice the pairs */
_Static_assert(SLOTS >= 2 * ATTEMPTS_PAIRS, "the hash table needs free slots");

#define SENTENCE(code, sentence) static const char code[] = sentence;
#include "protocol/findings.def"

struct pair {
    char robot[64], client[64];
    struct armtap_attempt *failed[ARMTAP_ATTEMPT_OUTCOMES]; /* the latest; NULL: none */
    unsigned episodes[ARMTAP_ATTEMPT_OUTCOMES];
    struct armtap_where connected; /* the last time */
    bool has_connected;
    bool has_spoken;     /* the client, on some connection */
    uint64_t unanswered; /* connection of the last NO_ANSWER, plus 1; 0: none */
    uint64_t open;       /* attempts left open by the end of the capture */
    struct armtap_where open_last;
};

struct armtap_attempts {
    struct pair *pairs;
    size_t pair_count;
    struct armtap_hash_key key;
    uint16_t slots[SLOTS]; /* indices of pairs, plus 1; 0: free */
    struct armtap_attempt **all;
    size_t count;
    uint64_t total[ARMTAP_ATTEMPT_OUTCOMES], left_out[ARMTAP_ATTEMPT_OUTCOMES];
    const struct armtap_attempt *news;
    uint64_t ended[ENDED_KEPT]; /* connection numbers, plus 1 */
    unsigned ended_at;
    bool both_ways; /* some connection has captured packets in both directions */
    bool one_way;   /* some connection has them in only one */
};

struct armtap_attempts *armtap_attempts_new(void)
{
    struct armtap_attempts *attempts = calloc(1, sizeof *attempts);
    if (!attempts)
        return NULL;
    attempts->key = armtap_hash_draw_key();
    attempts->pairs = calloc(ATTEMPTS_PAIRS, sizeof *attempts->pairs);
    if (attempts->pairs)
        return attempts;
    armtap_attempts_free(attempts);
    return NULL;
}

void armtap_attempts_free(struct armtap_attempts *attempts)
{
    if (!attempts)
        return;
    for (size_t i = 0; i < attempts->count; i++)
        free(attempts->all[i]);
    free(attempts->all);
    free(attempts->pairs);
    free(attempts);
}

/* ---- collecting ------------------------------------------------------------------------------------------------ */

/* "[fd00::9]:50000" is fd00::9. */
static void host_of(char host[64], const char *end)
{
    const char *colon = strrchr(end, ':');
    size_t length = colon ? (size_t)(colon - end) : strlen(end);
    bool bracketed = end[0] == '[' && length >= 2;
    length = bracketed ? length - 2 : length;
    length = length < 64 ? length : 63;
    memcpy(host, end + (bracketed ? 1 : 0), length);
    host[length] = '\0';
}

/* The slot of a pair, or the free one for it. */
static uint16_t *slot_of(struct armtap_attempts *attempts, const char *robot, const char *client)
{
    uint64_t hash = armtap_hash_numbers(&attempts->key, armtap_hash_text(&attempts->key, robot),
                                        armtap_hash_text(&attempts->key, client));
    size_t at = (size_t)hash % SLOTS;
    for (; attempts->slots[at] != 0; at = (at + 1) % SLOTS) {
        const struct pair *pair = &attempts->pairs[attempts->slots[at] - 1];
        if (strcmp(pair->robot, robot) == 0 && strcmp(pair->client, client) == 0)
            break;
    }
    return &attempts->slots[at];
}

/* Finds or adds the pair of a stream; NULL if there is no room. */
static struct pair *pair_of(struct armtap_attempts *attempts, const struct armtap_stream *stream, size_t room)
{
    char client[64];
    host_of(client, stream->client);
    uint16_t *slot = slot_of(attempts, stream->robot, client);
    if (*slot != 0)
        return &attempts->pairs[*slot - 1];
    if (attempts->pair_count >= room)
        return NULL;
    struct pair *pair = &attempts->pairs[attempts->pair_count++];
    *slot = (uint16_t)attempts->pair_count;
    strcpy(pair->robot, stream->robot);
    strcpy(pair->client, client);
    return pair;
}

static int64_t elapsed(int64_t from, int64_t to)
{
    return from == ARMTAP_NO_TIME || to == ARMTAP_NO_TIME || to < from ? 0 : armtap_time_shift(to, -from);
}

static void connect(struct armtap_attempts *attempts, const struct armtap_event *event)
{
    struct pair *pair = pair_of(attempts, event->stream, CONNECTED_MAX);
    if (!pair)
        return;
    pair->connected = event->where;
    pair->has_connected = true;
    for (int i = 0; i <= ARMTAP_ATTEMPT_NO_ANSWER; i++) {
        struct armtap_attempt *failed = pair->failed[i];
        if (!failed || failed->has_connected)
            continue;
        failed->connected = event->where;
        failed->has_connected = true;
        attempts->news = failed;
    }
}

static struct armtap_attempt *begin(struct armtap_attempts *attempts, struct pair *pair,
                                    enum armtap_attempt_outcome outcome, const struct armtap_event *event)
{
    struct armtap_attempt *summary = MAKE_ROOM(attempts->all, attempts->count) ? calloc(1, sizeof *summary) : NULL;
    if (!summary)
        return NULL;
    summary->outcome = outcome;
    strcpy(summary->robot, pair->robot);
    strcpy(summary->client, pair->client);
    summary->first = event->where;
    summary->first_syn = event->stream->first.time;
    summary->shortest = INT64_MAX;
    pair->failed[outcome] = attempts->all[attempts->count++] = summary;
    pair->episodes[outcome]++;
    return summary;
}

/* The summary that an attempt belongs to: failures after a successful connection are separate from those before it. A
 * missing answer is known only seconds later, and the client may have connected in between. NULL if memory runs out. */
static struct armtap_attempt *summary_of(struct armtap_attempts *attempts, struct pair *pair,
                                         enum armtap_attempt_outcome outcome, const struct armtap_event *event)
{
    struct armtap_attempt *summary = pair->failed[outcome];
    bool is_later = summary && summary->has_connected && armtap_time_is_before(&summary->connected, &event->where);
    if (!summary || (is_later && pair->episodes[outcome] < ATTEMPTS_EPISODES && attempts->count < ATTEMPTS_ALL))
        return begin(attempts, pair, outcome, event);
    summary->between += is_later;
    return summary;
}

static struct armtap_attempt *fail(struct armtap_attempts *attempts, struct pair *pair,
                                   const struct armtap_event *event, enum armtap_attempt_outcome outcome)
{
    struct armtap_attempt *summary = summary_of(attempts, pair, outcome, event);
    if (!summary)
        return NULL;
    if (summary->count++ == 0 || summary->has_connected)
        attempts->news = summary;
    attempts->total[outcome]++;
    summary->last = event->where;
    summary->last_syn = outcome == ARMTAP_ATTEMPT_NO_ANSWER ? event->stream->last.time : event->where.time;
    if (outcome > ARMTAP_ATTEMPT_NO_ANSWER)
        return summary;
    summary->syns += event->a;
    if (event->unreachable)
        summary->unreachable = *event->unreachable;
    summary->has_connected = pair->has_connected && armtap_time_is_before(&event->where, &pair->connected);
    if (summary->has_connected)
        summary->connected = pair->connected;
    return summary;
}

/* Withdraws NO_ANSWER: a RST or an ICMP error answered after all. */
static void withdraw(struct armtap_attempts *attempts, struct pair *pair, const struct armtap_event *event)
{
    struct armtap_attempt *summary = pair->failed[ARMTAP_ATTEMPT_NO_ANSWER];
    if (pair->unanswered != event->stream->connection + 1 || !summary)
        return;
    pair->unanswered = 0;
    attempts->total[ARMTAP_ATTEMPT_NO_ANSWER]--;
    summary->syns -= event->a < summary->syns ? event->a : summary->syns;
    if (--summary->count > 0)
        return;
    size_t at = attempts->count - 1; /* it is among the latest */
    while (attempts->all[at] != summary)
        at--;
    memmove(attempts->all + at, attempts->all + at + 1, (--attempts->count - at) * sizeof(*attempts->all));
    free(summary);
    pair->failed[ARMTAP_ATTEMPT_NO_ANSWER] = NULL;
}

/* 0, or -1 if memory runs out */
static int never_came(struct armtap_attempts *attempts, const struct armtap_event *event,
                      enum armtap_attempt_outcome outcome)
{
    struct pair *pair = pair_of(attempts, event->stream, ATTEMPTS_PAIRS);
    if (!pair) {
        attempts->total[outcome]++;
        attempts->left_out[outcome]++;
        return 0;
    }
    if (outcome != ARMTAP_ATTEMPT_NO_ANSWER)
        withdraw(attempts, pair, event);
    else
        pair->unanswered = event->stream->connection + 1;
    return fail(attempts, pair, event, outcome) ? 0 : -1;
}

static void ask_again(struct armtap_attempts *attempts, const struct armtap_event *event)
{
    struct pair *pair = pair_of(attempts, event->stream, 0);
    struct armtap_attempt *summary = pair ? pair->failed[ARMTAP_ATTEMPT_NO_ANSWER] : NULL;
    if (!summary || pair->unanswered != event->stream->connection + 1)
        return;
    summary->syns++;
    summary->last_syn = event->where.time;
}

static void leave_open(struct armtap_attempts *attempts, const struct armtap_event *event)
{
    struct pair *pair = pair_of(attempts, event->stream, ATTEMPTS_PAIRS);
    if (!pair)
        return;
    if (pair->open++ == 0 || armtap_time_is_before(&pair->open_last, &event->where))
        pair->open_last = event->where;
}

/* ---- accepted, then nothing ---- */

static bool is_first_end(struct armtap_attempts *attempts, uint64_t connection)
{
    for (unsigned i = 0; i < ENDED_KEPT; i++)
        if (attempts->ended[i] == connection + 1)
            return false;
    attempts->ended[attempts->ended_at++ % ENDED_KEPT] = connection + 1;
    return true;
}

static bool is_empty(const struct armtap_stream *stream)
{
    return stream->payload[0] + stream->payload[1] == 0;
}

static bool is_rtde_port(const char *end)
{
    const char *colon = strrchr(end, ':');
    struct armtap_port known = {.size = sizeof known};
    for (size_t i = 0; colon && armtap_port_at(i, &known); i++)
        if (known.protocol == ARMTAP_RTDE && strtoul(colon + 1, NULL, 10) == known.port)
            return true;
    return false;
}

/* How an open connection ended; OUTCOMES if only the capture ended. */
static enum armtap_attempt_outcome outcome_of(const struct armtap_event *event, int64_t open, bool has_spoken)
{
    bool is_mute = !has_spoken && event->stream->packets[ARMTAP_TO_ROBOT] > 1 && is_rtde_port(event->stream->robot);
    if (event->a == ARMTAP_CLOSE_RESET && event->direction == ARMTAP_FROM_ROBOT)
        return ARMTAP_ATTEMPT_RESET;
    if (event->a == ARMTAP_CLOSE_FIN && armtap_is_closed_by(event, ARMTAP_FROM_ROBOT))
        return ARMTAP_ATTEMPT_CLOSED;
    if (open >= SILENT)
        return is_mute ? ARMTAP_ATTEMPT_MUTE : ARMTAP_ATTEMPT_SILENT;
    return event->a == ARMTAP_CLOSE_END_OF_CAPTURE ? ARMTAP_ATTEMPT_OUTCOMES : ARMTAP_ATTEMPT_LEFT;
}

/* 0, or -1 if memory runs out */
static int end(struct armtap_attempts *attempts, const struct armtap_event *event)
{
    const struct armtap_stream *stream = event->stream;
    struct pair *pair = pair_of(attempts, stream, 0);
    if (pair && stream->payload[ARMTAP_TO_ROBOT] > 0)
        pair->has_spoken = true;
    if (stream->accepted.packet == 0 || !is_empty(stream) || !is_first_end(attempts, stream->connection))
        return 0;
    int64_t open = elapsed(stream->accepted.time, event->where.time);
    enum armtap_attempt_outcome outcome = outcome_of(event, open, pair && pair->has_spoken);
    pair = outcome == ARMTAP_ATTEMPT_OUTCOMES ? NULL : pair_of(attempts, stream, ATTEMPTS_PAIRS);
    if (!pair)
        return 0;
    struct armtap_attempt *summary = fail(attempts, pair, event, outcome);
    if (!summary)
        return -1;
    summary->shortest = open < summary->shortest ? open : summary->shortest;
    summary->longest = open > summary->longest ? open : summary->longest;
    summary->confirmed = summary->confirmed || stream->packets[ARMTAP_TO_ROBOT] > 1;
    summary->unsure = summary->unsure || (event->doubtful && !event->answers);
    return 0;
}

int armtap_attempts_event(struct armtap_attempts *attempts, const struct armtap_event *event)
{
    const uint64_t *packets = event->stream->packets;
    attempts->news = NULL;
    attempts->both_ways = attempts->both_ways || (packets[0] > 0 && packets[1] > 0);
    switch (event->type) {
    case ARMTAP_EVENT_CONNECTED:
        connect(attempts, event);
        attempts->one_way = attempts->one_way || event->direction == ARMTAP_TO_ROBOT;
        return 0;
    case ARMTAP_EVENT_REFUSED:
        return never_came(attempts, event, ARMTAP_ATTEMPT_REFUSED);
    case ARMTAP_EVENT_UNREACHABLE:
        return never_came(attempts, event, ARMTAP_ATTEMPT_UNREACHABLE);
    case ARMTAP_EVENT_NO_ANSWER:
        return never_came(attempts, event, ARMTAP_ATTEMPT_NO_ANSWER);
    case ARMTAP_EVENT_SYN_AGAIN:
        ask_again(attempts, event);
        return 0;
    case ARMTAP_EVENT_TOO_SOON:
        leave_open(attempts, event);
        return 0;
    case ARMTAP_EVENT_CLOSE:
        return end(attempts, event);
    default:
        return 0;
    }
}

/* ---- results --------------------------------------------------------------------------------------------------- */

const struct armtap_attempt *armtap_attempts_news(const struct armtap_attempts *attempts)
{
    return attempts->news;
}

const struct armtap_attempt *armtap_attempts_at(const struct armtap_attempts *attempts, size_t i)
{
    return i < attempts->count ? attempts->all[i] : NULL;
}

uint64_t armtap_attempts_left_out(const struct armtap_attempts *attempts, enum armtap_attempt_outcome outcome)
{
    return attempts->left_out[outcome];
}

uint64_t armtap_attempts_total(const struct armtap_attempts *attempts, enum armtap_attempt_outcome outcome)
{
    return attempts->total[outcome];
}

bool armtap_attempts_have_fault(const struct armtap_attempts *attempts)
{
    for (int i = 0; i < ARMTAP_ATTEMPT_OUTCOMES; i++)
        if (i != ARMTAP_ATTEMPT_LEFT && attempts->total[i] > 0)
            return true;
    return false;
}

bool armtap_attempts_open_at(const struct armtap_attempts *attempts, size_t i, struct armtap_attempt_open *open)
{
    for (size_t k = 0; k < attempts->pair_count; k++) {
        const struct pair *pair = &attempts->pairs[k];
        if (pair->open == 0 || i-- > 0)
            continue;
        *open = (struct armtap_attempt_open){.count = pair->open, .last = pair->open_last};
        strcpy(open->robot, pair->robot);
        strcpy(open->client, pair->client);
        return true;
    }
    return false;
}

enum armtap_note_code armtap_attempt_code(enum armtap_attempt_outcome outcome)
{
    static const enum armtap_note_code codes[] = {
        ARMTAP_NOTE_tcp_refused, ARMTAP_NOTE_tcp_unreachable, ARMTAP_NOTE_tcp_no_answer,       ARMTAP_NOTE_tcp_reset,
        ARMTAP_NOTE_tcp_no_data, ARMTAP_NOTE_tcp_no_data,     ARMTAP_NOTE_protocol_wrong_port, ARMTAP_NOTE_tcp_closed};
    return codes[outcome];
}

const char *armtap_attempt_id(enum armtap_attempt_outcome outcome)
{
    return armtap_note_at(armtap_attempt_code(outcome))->id;
}

const char *armtap_attempt_outcome_name(enum armtap_attempt_outcome outcome)
{
    static const char *const names[] = {"refused", "unreachable", "no-answer", "reset",
                                        "closed",  "silent",      "mute",      "left"};
    return names[outcome];
}

/* A client repeats a SYN only if it got no answer. Without repetitions, and without a packet from any robot, the
 * capture may lack one direction. */
static bool may_have_been_answered(const struct armtap_attempts *attempts, const struct armtap_attempt *summary)
{
    return summary->outcome == ARMTAP_ATTEMPT_NO_ANSWER && !attempts->both_ways &&
           (attempts->one_way || summary->syns == summary->count);
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

/* A time that a capture may lack. */
static struct armtap_argument time_argument(struct armtap_argument argument)
{
    return argument.value.integer == ARMTAP_NO_TIME ? arg_none(true) : argument;
}

static void add_argument(struct attempt_arguments *to, struct armtap_argument argument)
{
    to->all[to->arguments.count++] = argument;
}

/* How many SYNs were sent, and within which time. */
static void add_syns(struct attempt_arguments *to, const struct armtap_attempt *summary)
{
    if (summary->outcome != ARMTAP_ATTEMPT_NO_ANSWER && summary->syns <= summary->count)
        return;
    add_argument(to, arg_syns(summary->syns));
    if (summary->syns > 1)
        add_argument(to, arg_within_s((double)elapsed(summary->first_syn, summary->last_syn) / 1e9));
}

/* Who reported it unreachable, and why. */
static void add_report(struct attempt_arguments *to, const struct armtap_attempt *summary)
{
    const struct armtap_unreachable *why = &summary->unreachable;
    char host[64];
    host_of(host, summary->robot);
    snprintf(to->reporter, sizeof to->reporter, "%s", why->reporter);
    if (*why->reporter == '[')
        snprintf(to->reporter, sizeof to->reporter, "%.*s", (int)strlen(why->reporter) - 2, why->reporter + 1);
    add_argument(to, arg_meaning(why->reason));
    add_argument(to, arg_who(strcmp(host, to->reporter) == 0 ? ARMTAP_WORD_robot : ARMTAP_WORD_between));
    add_argument(to, arg_reporter(to->reporter));
    add_argument(to, arg_protocol(strchr(host, ':') ? "ICMPv6" : "ICMP"));
    add_argument(to, arg_icmp_type(why->type));
    add_argument(to, arg_icmp_code(why->code));
}

/* For how long accepted connections were open, and who ended them. */
static void add_end(struct attempt_arguments *to, const struct armtap_attempt *summary)
{
    bool is_mute = summary->outcome == ARMTAP_ATTEMPT_MUTE,
         is_silent = is_mute || summary->outcome == ARMTAP_ATTEMPT_SILENT;
    bool is_left = summary->outcome == ARMTAP_ATTEMPT_LEFT;
    double shortest = (double)summary->shortest / 1e9, longest = (double)summary->longest / 1e9;
    if (summary->outcome == ARMTAP_ATTEMPT_CLOSED || is_silent)
        add_argument(to, arg_case(is_silent ? ARMTAP_WORD_silent : ARMTAP_WORD_closed));
    if (!is_silent)
        add_argument(to, arg_who(!is_left          ? ARMTAP_WORD_robot
                                 : summary->unsure ? ARMTAP_WORD_unknown
                                                   : ARMTAP_WORD_client));
    if (!(longest - shortest < 0.0005))
        add_argument(to, arg_shortest_s(shortest));
    add_argument(to, arg_longest_s(longest));
    if (is_mute) {
        add_argument(to, arg_port_meant(LEGACY_PORT));
        add_argument(to, arg_doubt(ARMTAP_WORD_port_guessed));
    }
    if (is_silent && !is_mute && !summary->confirmed)
        add_argument(to, arg_doubt(ARMTAP_WORD_unconfirmed));
    if (summary->outcome == ARMTAP_ATTEMPT_RESET && summary->unsure)
        add_argument(to, arg_doubt(ARMTAP_WORD_perhaps_after));
}

void armtap_attempt_arguments(struct attempt_arguments *to, const struct armtap_attempts *attempts,
                              const struct armtap_attempt *summary)
{
    to->arguments = (struct armtap_arguments){to->all, 0};
    add_argument(to, arg_robot(summary->robot));
    add_argument(to, arg_client(summary->client));
    add_argument(to, arg_times(summary->count));
    if (summary->outcome <= ARMTAP_ATTEMPT_NO_ANSWER)
        add_syns(to, summary);
    else
        add_end(to, summary);
    if (summary->count > 1) {
        add_argument(to, time_argument(arg_last_time(summary->last.time)));
        add_argument(to, arg_last_packet(summary->last.packet));
    }
    if (summary->outcome == ARMTAP_ATTEMPT_UNREACHABLE)
        add_report(to, summary);
    if (summary->between > 0)
        add_argument(to, arg_connected_times(summary->between));
    if (summary->has_connected) {
        add_argument(to, time_argument(arg_connected_time(summary->connected.time)));
        add_argument(to, arg_connected_packet(summary->connected.packet));
    }
    if (may_have_been_answered(attempts, summary))
        add_argument(to, arg_doubt(ARMTAP_WORD_unheard));
}

static void put_sentence(char text[ARMTAP_ATTEMPT_TEXT_MAX], const char *sentence,
                         const struct armtap_arguments *arguments, const struct armtap_zone *zone)
{
    const struct armtap_clock_face face = {armtap_line_time, zone};
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_sentence(&line, sentence, arguments, &face);
    snprintf(text, ARMTAP_ATTEMPT_TEXT_MAX, "%s", line.text);
}

void armtap_attempt_text(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempts *attempts,
                         const struct armtap_attempt *summary, const struct armtap_zone *zone)
{
    struct attempt_arguments found;
    armtap_attempt_arguments(&found, attempts, summary);
    put_sentence(text, armtap_note_sentence(armtap_attempt_code(summary->outcome)), &found.arguments, zone);
}

void armtap_attempt_open_text(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempt_open *open,
                              const struct armtap_zone *zone)
{
    put_sentence(text, attempts_open,
                 ARGS(arg_client(open->client), arg_syns(open->count), arg_robot(open->robot),
                      time_argument(arg_last_time(open->last.time)), arg_last_packet(open->last.packet)),
                 zone);
}
