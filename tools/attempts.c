#include "attempts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "when.h"

/* Who connects without trouble takes no more than this of the room. */
#define CONNECTED_MAX (ATTEMPTS_PAIRS / 2)

struct pair {
    char robot[64], client[64];
    struct attempt_summary *failed[ATTEMPT_OUTCOMES]; /* NULL: none */
    struct armtap_where connected;                    /* the last time */
    bool has_connected;
};

struct attempts {
    struct pair *pairs;
    size_t pair_count;
    struct attempt_summary **all;
    size_t count;
    uint64_t left_out[ATTEMPT_OUTCOMES];
    const struct attempt_summary *news;
    bool both_ways; /* of some connection packets of both directions were captured */
    bool one_way;   /* of some only those of one */
};

struct attempts *attempts_new(void)
{
    struct attempts *attempts = calloc(1, sizeof *attempts);
    if (attempts == NULL)
        return NULL;
    attempts->pairs = calloc(ATTEMPTS_PAIRS, sizeof *attempts->pairs);
    attempts->all = calloc(ATTEMPTS_PAIRS * ATTEMPT_OUTCOMES, sizeof(*attempts->all));
    if (attempts->pairs != NULL && attempts->all != NULL)
        return attempts;
    attempts_free(attempts);
    return NULL;
}

void attempts_free(struct attempts *attempts)
{
    if (attempts == NULL)
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
    size_t length = colon == NULL ? strlen(end) : (size_t)(colon - end);
    bool bracketed = end[0] == '[' && length >= 2;
    snprintf(host, 64, "%.*s", (int)(bracketed ? length - 2 : length), bracketed ? end + 1 : end);
}

/* The pair of a stream, made where there is room; NULL where there is none. */
static struct pair *pair_of(struct attempts *attempts, const struct armtap_stream *stream, size_t room)
{
    char client[64];
    host_of(client, stream->client);
    for (size_t i = 0; i < attempts->pair_count; i++)
        if (strcmp(attempts->pairs[i].robot, stream->robot) == 0 && strcmp(attempts->pairs[i].client, client) == 0)
            return &attempts->pairs[i];
    if (attempts->pair_count >= room)
        return NULL;
    struct pair *pair = &attempts->pairs[attempts->pair_count++];
    strcpy(pair->robot, stream->robot);
    strcpy(pair->client, client);
    return pair;
}

static bool is_before(const struct armtap_where *a, const struct armtap_where *b)
{
    return a->file != b->file ? a->file < b->file : a->packet < b->packet;
}

static void connect(struct attempts *attempts, const struct armtap_event *event)
{
    struct pair *pair = pair_of(attempts, event->stream, CONNECTED_MAX);
    if (pair == NULL)
        return;
    pair->connected = event->where;
    pair->has_connected = true;
    for (int i = 0; i < ATTEMPT_OUTCOMES; i++) {
        struct attempt_summary *failed = pair->failed[i];
        if (failed == NULL || failed->has_connected)
            continue;
        failed->connected = event->where;
        failed->has_connected = true;
        attempts->news = failed;
    }
}

static struct attempt_summary *begin(struct attempts *attempts, struct pair *pair, enum attempt_outcome outcome,
                                     const struct armtap_where *where)
{
    struct attempt_summary *summary = calloc(1, sizeof *summary);
    if (summary == NULL)
        return NULL;
    summary->outcome = outcome;
    strcpy(summary->robot, pair->robot);
    strcpy(summary->client, pair->client);
    summary->first = *where;
    pair->failed[outcome] = attempts->all[attempts->count++] = summary;
    return summary;
}

/* That nobody answered is known some seconds later, and the client may have come through in between. */
static int fail(struct attempts *attempts, const struct armtap_event *event, enum attempt_outcome outcome)
{
    struct pair *pair = pair_of(attempts, event->stream, ATTEMPTS_PAIRS);
    if (pair == NULL) {
        attempts->left_out[outcome]++;
        return 0;
    }
    struct attempt_summary *summary = pair->failed[outcome];
    if (summary == NULL && (summary = begin(attempts, pair, outcome, &event->where)) == NULL)
        return -1;
    if (summary->count++ == 0 || summary->has_connected)
        attempts->news = summary;
    summary->syns += event->a;
    summary->last = event->where;
    summary->has_connected = pair->has_connected && is_before(&event->where, &pair->connected);
    if (summary->has_connected)
        summary->connected = pair->connected;
    return 0;
}

int attempts_event(struct attempts *attempts, const struct armtap_event *event)
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
        return fail(attempts, event, ATTEMPT_REFUSED);
    case ARMTAP_EVENT_NO_ANSWER:
        return fail(attempts, event, ATTEMPT_NO_ANSWER);
    default:
        return 0;
    }
}

/* ---- telling --------------------------------------------------------------------------------------------------- */

const struct attempt_summary *attempts_news(const struct attempts *attempts)
{
    return attempts->news;
}

const struct attempt_summary *attempts_at(const struct attempts *attempts, size_t i)
{
    return i < attempts->count ? attempts->all[i] : NULL;
}

uint64_t attempts_left_out(const struct attempts *attempts, enum attempt_outcome outcome)
{
    return attempts->left_out[outcome];
}

const char *attempt_id(enum attempt_outcome outcome)
{
    return outcome == ATTEMPT_REFUSED ? "tcp.refused" : "tcp.no-answer";
}

/* A client's machine sends a SYN again only where it got no answer. Without that, and without a packet from any robot,
 * the capture may lack one direction. */
static bool may_have_been_answered(const struct attempts *attempts, const struct attempt_summary *summary)
{
    return summary->outcome == ATTEMPT_NO_ANSWER && !attempts->both_ways &&
           (attempts->one_way || summary->syns == summary->count);
}

/* "2026-01-31T12:00:05.123Z (packet 7)" */
static int put_place(char *text, size_t room, const struct armtap_where *where, enum when_zone zone)
{
    char date[WHEN_DATE_MAX];
    if (where->time == ARMTAP_NO_TIME)
        return snprintf(text, room, "packet %" PRIu64, where->packet);
    when_date(date, where->time, zone);
    return snprintf(text, room, "%.23s%s (packet %" PRIu64 ")", date, date + 29, where->packet);
}

void attempt_text(char text[ATTEMPT_TEXT_MAX], const struct attempts *attempts, const struct attempt_summary *summary,
                  enum when_zone zone)
{
    size_t at = (size_t)snprintf(text, ATTEMPT_TEXT_MAX, "%s %s %s", summary->robot,
                                 summary->outcome == ATTEMPT_REFUSED ? "refused" : "did not answer", summary->client);
    if (summary->syns > summary->count)
        at += (size_t)snprintf(text + at, ATTEMPT_TEXT_MAX - at, ", which sent its SYN again");
    if (summary->count > 1) {
        at +=
            (size_t)snprintf(text + at, ATTEMPT_TEXT_MAX - at, ", %" PRIu64 " attempts, the last at ", summary->count);
        at += (size_t)put_place(text + at, ATTEMPT_TEXT_MAX - at, &summary->last, zone);
    }
    if (summary->has_connected) {
        at += (size_t)snprintf(text + at, ATTEMPT_TEXT_MAX - at, "; connected at ");
        at += (size_t)put_place(text + at, ATTEMPT_TEXT_MAX - at, &summary->connected, zone);
    }
    if (may_have_been_answered(attempts, summary))
        snprintf(text + at, ATTEMPT_TEXT_MAX - at,
                 "; the capture holds no packet from a robot: if it lacks that direction, an answer may have come");
}
