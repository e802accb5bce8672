/* What a dump of one direction of a stream is: which protocol, and whether the robot sent it or its client. */
#include "raw_kind.h"

#include <string.h>

#define LINE_MOST 4096 /* bytes of a line that are looked at */
#define LINES_MOST 64
#define WORDS_LEAST 4 /* messages of words without a header that are no accident */
#define CUT_MOST 112  /* bytes of a message of words that the dump ends in */

/* ---- trying a protocol ----------------------------------------------------------------------------------------- */

/* What a connection makes of the bytes. */
struct trial {
    bool is_recognised;
    enum armtap_protocol protocol;
    enum armtap_direction direction; /* of most of what was decoded */
    uint64_t decoded, skipped;
    uint64_t records[2];
};

static int try(const struct raw_head *head, struct raw_kind kind, struct trial *trial)
{
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = kind.protocol, .no_guess = true};
    const struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME};
    struct armtap_conn *conn;
    int error = armtap_conn_new(&options, NULL, NULL, &conn);
    *trial = (struct trial){0};
    if (error != ARMTAP_OK)
        return error;
    if (head->recipe)
        error = armtap_conn_set_recipe(conn, head->recipe);
    if (error == ARMTAP_OK)
        error = armtap_conn_push(conn, kind.direction, head->bytes, head->length, &where);
    if (error == ARMTAP_OK && head->whole)
        error = armtap_conn_close(conn, kind.direction, &where);
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    trial->is_recognised = stream->protocol != ARMTAP_PROTOCOL_NONE;
    trial->protocol = stream->protocol;
    trial->direction = stream->bytes_decoded[ARMTAP_TO_ROBOT] > stream->bytes_decoded[ARMTAP_FROM_ROBOT]
                           ? ARMTAP_TO_ROBOT
                           : ARMTAP_FROM_ROBOT;
    for (size_t i = 0; i < 2; i++) {
        trial->decoded += stream->bytes_decoded[i];
        trial->skipped += stream->bytes_skipped[i];
        trial->records[i] = stream->records[i];
    }
    armtap_conn_free(conn);
    return error;
}

/* ---- protocols that look like others: without a port more must speak for them ---------------------------------- */

static size_t line_length(const struct raw_head *head, size_t at)
{
    size_t left = head->length - at, most = left < LINE_MOST ? left : LINE_MOST;
    const uint8_t *end = memchr(head->bytes + at, '\n', most);
    return end ? (size_t)(end - (head->bytes + at)) + 1 : 0;
}

static bool is_blank(const uint8_t *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", line[i]) || line[i] == '\0')
            return false;
    return true;
}

/* Of the lines, the first and three in four are of the protocol: a text may hold a few that look like it. */
static int are_lines_of(const struct raw_head *head, bool (*is_line)(struct raw_kind kind, const uint8_t *, size_t),
                        struct raw_kind kind, bool *are)
{
    size_t lines = 0, fitting = 0, length = 0;
    *are = false;
    for (size_t at = 0; lines < LINES_MOST && (length = line_length(head, at)) > 0; at += length) {
        if (is_blank(head->bytes + at, length))
            continue;
        lines++;
        fitting += is_line(kind, head->bytes + at, length);
        if (fitting == 0)
            return ARMTAP_OK;
    }
    *are = lines > 0 && 4 * fitting >= 3 * lines;
    return ARMTAP_OK;
}

static bool is_script(struct raw_kind kind, const uint8_t *line, size_t length)
{
    char doubt[256];
    struct armtap_subject subject = {.size = sizeof subject, .bytes = line, .length = length};
    return armtap_identify(&subject, false, doubt, sizeof doubt) == ARMTAP_OK && doubt[0] == '\0' &&
           subject.protocol == ARMTAP_REALTIME && subject.direction == kind.direction;
}

/* As a line of its own. */
static bool is_dashboards(struct raw_kind kind, const uint8_t *line, size_t length)
{
    const struct raw_head one = {line, length, true, NULL};
    struct trial trial;
    return try(&one, kind, &trial) == ARMTAP_OK && trial.decoded == length;
}

static int are_scripts(const struct raw_head *head, struct raw_kind kind, bool *are)
{
    return are_lines_of(head, is_script, kind, are);
}

static int are_dashboards(const struct raw_head *head, struct raw_kind kind, bool *are)
{
    return are_lines_of(head, is_dashboards, kind, are);
}

/* Words: all of them fit, and they say something. */
static int are_words(const struct raw_head *head, struct raw_kind kind, bool *are)
{
    struct trial trial;
    size_t zeros = 0;
    int error = try(head, kind, &trial);
    while (zeros < head->length && head->bytes[zeros] == 0)
        zeros++;
    *are = trial.is_recognised && trial.skipped < CUT_MOST && zeros < head->length &&
           trial.records[ARMTAP_TO_ROBOT] >= WORDS_LEAST;
    return error;
}

static const struct {
    struct raw_kind kind;
    int (*are)(const struct raw_head *head, struct raw_kind kind, bool *are);
} others[] = {
    {{ARMTAP_DASHBOARD, ARMTAP_TO_ROBOT}, are_dashboards},
    {{ARMTAP_DASHBOARD, ARMTAP_FROM_ROBOT}, are_dashboards},
    {{ARMTAP_REALTIME, ARMTAP_TO_ROBOT}, are_scripts}, /* 30001 to 30003 take the same text */
    {{ARMTAP_EXTERNAL_CONTROL, ARMTAP_TO_ROBOT}, are_words},
};

/* ---- choosing -------------------------------------------------------------------------------------------------- */

/* Tries both directions: that in which more of the bytes are messages. The first alone if it leaves nothing over: a
 * connection recognises by itself what can only come from the other side. Data looks alike in both, and takes more
 * bytes to be recognised as the robot's: while these may come, it is not the client's. */
static int try_both(const struct raw_head *head, enum armtap_protocol protocol, struct trial *best)
{
    struct trial client;
    int error = try(head, (struct raw_kind){protocol, ARMTAP_FROM_ROBOT}, best);
    if (error != ARMTAP_OK || head->recipe || (best->is_recognised && best->skipped == 0))
        return error;
    if (!best->is_recognised && best->skipped == 0 && !head->whole)
        return error;
    error = try(head, (struct raw_kind){protocol, ARMTAP_TO_ROBOT}, &client);
    if (client.is_recognised && (!best->is_recognised || client.decoded > best->decoded))
        *best = client;
    return error;
}

static int choose(const struct raw_head *head, enum armtap_protocol protocol, struct raw_kind *kind, bool *chosen)
{
    struct trial trial;
    int error = try_both(head, protocol, &trial);
    *chosen = trial.is_recognised && (kind->protocol == ARMTAP_PROTOCOL_NONE || kind->protocol == trial.protocol);
    kind->direction = *chosen ? trial.direction : ARMTAP_FROM_ROBOT;
    return error;
}

int raw_kind_choose(const struct raw_head *head, struct raw_kind *kind, bool *chosen)
{
    enum armtap_protocol asked = kind->protocol;
    int error = choose(head, ARMTAP_PROTOCOL_NONE, kind, chosen);
    if (error == ARMTAP_OK && !*chosen && asked != ARMTAP_PROTOCOL_NONE)
        error = choose(head, asked, kind, chosen);
    for (size_t i = 0; i < sizeof others / sizeof *others && error == ARMTAP_OK && !*chosen; i++) {
        if (!head->whole || asked != ARMTAP_PROTOCOL_NONE)
            break;
        error = others[i].are(head, others[i].kind, chosen);
        if (*chosen)
            *kind = others[i].kind;
    }
    return error;
}
