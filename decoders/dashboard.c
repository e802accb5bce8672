/* The dashboard server, TCP 29999: a line asks, a line answers, in order and without numbers. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "protocol/decoder.h"
#include "protocol/describe.h"
#include "table/recipe.h"
#include "urscript.h"

#define LONGEST_LINE 4096u
#define PENDING 16u       /* requests without their reply; beyond that, which answers which is not known */
#define REQUEST_KEPT 96u  /* bytes of each */
#define STATES 4u         /* of dashboard_lines.def */
#define SHORTEST_WORDS 7u /* of a reply that no other server gives */

struct request {
    size_t length;
    uint8_t text[REQUEST_KEPT];
};

struct dashboard {
    bool is_unsure;        /* requests or replies are missing: only the words show which belong together */
    bool reply_is_cut;     /* the beginning of the robot's line was lost */
    unsigned first, count; /* of the requests that wait */
    struct armtap_urscript to_robot;
    struct state {
        const char *field;
        struct armtap_recipe *recipe;
    } states[STATES];
    struct request pending[PENDING];
};

/* ---- what lines mean ---- */

/* A row of dashboard_lines.def. */
struct row {
    const char *request, *reply;
    const char *field; /* of which the reply names a value; NULL: none */
    bool stops;
};
struct refusal {
    const char *words, *advice;
};

static const char greeting[] = "Connected: Universal Robots Dashboard Server";

enum { STAYS, STOPS };
static const struct row rows[] = {
#define COMMAND(request, reply, effect) {request, reply, NULL, (effect) == STOPS},
#define STATE(request, reply, field) {request, reply, #field, false},
#include "dashboard_lines.def"
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct refusal refusals[] = {
#define REFUSAL(words, advice) {words, advice},
#include "dashboard_lines.def"
};
#define REFUSALS (sizeof refusals / sizeof *refusals)

/* Length of a line without its end and the blanks before it. */
static size_t text_length(const uint8_t *line, size_t length)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r' || line[length - 1] == ' '))
        length--;
    return length;
}

static int lower(int letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

static bool begins(const uint8_t *text, size_t length, const char *pattern)
{
    size_t i = 0;
    while (i < length && pattern[i] != '\0' && lower(text[i]) == lower((uint8_t)pattern[i]))
        i++;
    return pattern[i] == '\0';
}

/* A command ends there, or takes more after a blank. */
static bool is_request(const uint8_t *text, size_t length, const char *command)
{
    size_t end = strlen(command);
    return begins(text, length, command) && (command[end - 1] == ' ' || length == end || text[end] == ' ');
}

/* The next row after `row` of that request, the first for NULL; NULL: no more. */
static const struct row *next_row(const uint8_t *text, size_t length, const struct row *row)
{
    for (size_t i = row ? (size_t)(row - rows) + 1 : 0; i < ROWS; i++)
        if (is_request(text, length, rows[i].request))
            return &rows[i];
    return NULL;
}

/* The value that the reply names. False: none that is known. */
static bool names_value(const struct row *row, const uint8_t *reply, size_t length, int64_t *value)
{
    if (!row->field || !begins(reply, length, row->reply))
        return false;
    const uint8_t *word = reply + strlen(row->reply);
    size_t size = 0, left = length - strlen(row->reply);
    const struct armtap_field *field = armtap_field_find(row->field, strlen(row->field));
    const struct armtap_enum_value *known;
    while (size < left && word[size] != ' ')
        size++;
    for (size_t i = 0; (known = armtap_enum_at(field, i)); i++)
        if (armtap_enum_has(known, ARMTAP_GENERATION_CB3E) && strlen(known->name) == size &&
            begins(word, size, known->name)) {
            *value = known->value;
            return true;
        }
    return false;
}

/* The row of that request which that reply answers; NULL: none. */
static const struct row *row_answered(const uint8_t *request, size_t request_length, const uint8_t *reply,
                                      size_t length)
{
    const struct row *row = NULL;
    int64_t value;
    while ((row = next_row(request, request_length, row)))
        if (begins(reply, length, row->reply) && (row->reply[0] != '\0' || names_value(row, reply, length, &value)))
            return row;
    return NULL;
}

/* NULL: it is no known refusal. */
static const struct refusal *refusal_of(const uint8_t *reply, size_t length)
{
    for (size_t i = 0; i < REFUSALS; i++)
        if (begins(reply, length, refusals[i].words))
            return &refusals[i];
    return NULL;
}

/* Whether it answers no request. */
static bool answers_nothing(const uint8_t *reply, size_t length)
{
#define GREETING(words) words
    static const char words[] =
#include "dashboard_lines.def"
        ;
    return begins(reply, length, words);
}

/* Whether it is what UR's controllers say on connecting. */
static bool is_greeting(const uint8_t *reply, size_t length)
{
    return begins(reply, length, greeting);
}

/* Whether it is what a server says: the greeting, a refusal, or an answer that only a dashboard server gives. */
static bool is_servers(const uint8_t *reply, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].reply) >= SHORTEST_WORDS && begins(reply, length, rows[i].reply))
            return true;
    return is_greeting(reply, length) || refusal_of(reply, length);
}

/* ---- frames ---- */

static long line_at(const uint8_t *bytes, size_t length)
{
    const uint8_t *end = memchr(bytes, '\n', length < LONGEST_LINE ? length : LONGEST_LINE);
    return end ? (long)(end - bytes) + 1 : length < LONGEST_LINE ? 0 : -1;
}

static long dashboard_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    (void)direction;
    return context ? line_at(bytes, length) : -1; /* lines of text prove nothing */
}

/* A line that is too long is left out but for its end. */
static size_t dashboard_next(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                             size_t at)
{
    const uint8_t *end = memchr(bytes + at, '\n', length - at);
    size_t until = end ? (size_t)(end - bytes) + 1 : length;
    (void)context;
    (void)direction;
    return until > at + LONGEST_LINE ? until - LONGEST_LINE + !end : at + 1;
}

static unsigned dashboard_sure(const void *context, enum armtap_direction direction, const uint8_t *frame,
                               size_t length)
{
    (void)context;
    (void)direction;
    (void)frame;
    (void)length;
    return true;
}

/* Whether a line is one of the dashboard server's, or to it. */
static enum armtap_fit dashboard_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need)
{
    bool line_begins = sight->before == 0 || sight->bytes[-1] == '\n';
    if (sight->hint == ARMTAP_HINT_NONE || !line_begins)
        return ARMTAP_FIT_NO;
    long frame = line_at(sight->bytes, sight->length);
    *sight->work += frame > 0 ? (size_t)frame : sight->length < LONGEST_LINE ? sight->length : LONGEST_LINE;
    if (frame < 0 || (frame == 0 && sight->whole))
        return ARMTAP_FIT_NO;
    *need = sight->length + 1;
    if (frame == 0)
        return ARMTAP_FIT_MORE;
    size_t length = text_length(sight->bytes, (size_t)frame);
    bool is_known = direction == ARMTAP_FROM_ROBOT ? is_servers(sight->bytes, length)
                                                   : next_row(sight->bytes, length, NULL) != NULL;
    return is_known ? ARMTAP_FIT_WELL : ARMTAP_FIT_NO;
}

static enum armtap_fit dashboard_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    if (direction == ARMTAP_FROM_ROBOT && length < sizeof greeting - 1 && memcmp(bytes, greeting, length) == 0)
        return ARMTAP_FIT_MORE;
    bool greets = direction == ARMTAP_FROM_ROBOT && is_greeting(bytes, length);
    return greets ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

static enum armtap_fit dashboard_speaks(const uint8_t *bytes, size_t length, bool whole)
{
    long frame = line_at(bytes, length);
    size_t line = frame > 0 ? (size_t)frame : length;
    if (frame < 0 || !armtap_urscript_is_text(bytes, line))
        return ARMTAP_FIT_NO;
    if (frame == 0 && !whole)
        return ARMTAP_FIT_MORE;
    return next_row(bytes, text_length(bytes, line), NULL) ? ARMTAP_FIT_WELL : ARMTAP_FIT_NO;
}

/* ---- which reply answers which request ---- */

static struct request *pending_at(struct dashboard *dashboard, unsigned i)
{
    return &dashboard->pending[(dashboard->first + i) % PENDING];
}

static void forget(struct dashboard *dashboard, unsigned count)
{
    dashboard->first = (dashboard->first + count) % PENDING;
    dashboard->count -= count;
}

static void ask(struct dashboard *dashboard, const uint8_t *text, size_t length)
{
    if (dashboard->count == PENDING) {
        dashboard->is_unsure = true;
        forget(dashboard, 1);
    }
    struct request *request = pending_at(dashboard, dashboard->count++);
    request->length = length < REQUEST_KEPT ? length : REQUEST_KEPT;
    memcpy(request->text, text, request->length);
}

/* The request that a reply answers, copied; false if it is not known. */
static bool answers(struct dashboard *dashboard, const uint8_t *reply, size_t length, struct request *of)
{
    unsigned i = 0;
    while (dashboard->is_unsure && i < dashboard->count &&
           !row_answered(pending_at(dashboard, i)->text, pending_at(dashboard, i)->length, reply, length))
        i++;
    if (i >= dashboard->count)
        return false;
    *of = *pending_at(dashboard, i);
    forget(dashboard, i + 1);
    return true;
}

/* ---- what a reply says ---- */

/* The text of a state's reply as a record: the number that its name has elsewhere. */
static int deliver_state(struct dashboard *dashboard, struct armtap_conn *conn, const struct armtap_frame *frame,
                         const char *field, int64_t value)
{
    int id = 0;
    uint8_t wire[4];
    while (dashboard->states[id].field && strcmp(dashboard->states[id].field, field) != 0)
        id++;
    struct state *state = &dashboard->states[id];
    if (!state->recipe) {
        const struct armtap_field *known = armtap_field_find(field, strlen(field));
        struct armtap_recipe_row row = {field, known->type, 1};
        int error = armtap_recipe_of_rows(ARMTAP_DASHBOARD, &row, 1, &state->recipe);
        if (error == ARMTAP_OK)
            error = armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, id, 0, 0, state->recipe);
        if (error != ARMTAP_OK)
            return error;
        state->field = field;
    }
    armtap_conn_version(conn, 0, ARMTAP_GENERATION_CB3E); /* the numbers are theirs */
    armtap_put32(wire, (uint32_t)value);
    struct armtap_data data = {.recipe = state->recipe, .recipe_id = id, .values = wire, .values_length = sizeof wire};
    return armtap_conn_record(conn, frame, &data);
}

static int deliver_text(struct armtap_conn *conn, const struct armtap_frame *frame, size_t length,
                        const struct request *of, bool is_refused)
{
    struct armtap_text text = {.kind = ARMTAP_TEXT_REPLY,
                               .level = is_refused ? 2 : 3,
                               .text = (const char *)frame->bytes,
                               .text_length = length,
                               .title = of ? (const char *)of->text : NULL,
                               .title_length = of ? of->length : 0,
                               .argument = -1,
                               .report_level = -1,
                               .safety_mode = -1,
                               .clock = (double)NAN};
    return armtap_conn_text(conn, frame, &text);
}

static int say_refused(struct armtap_conn *conn, const struct armtap_frame *frame, size_t length,
                       const struct request *of, const struct refusal *refusal)
{
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_dashboard_refused,
                             ARGS(of ? arg_quoted(of->text, of->length) : arg_none(true),
                                  arg_quoted_reply(frame->bytes, length), arg_advice(refusal->advice)));
}

static int decode_reply(struct dashboard *dashboard, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    size_t length = text_length(frame->bytes, frame->length);
    const struct refusal *refusal = refusal_of(frame->bytes, length);
    struct request request;
    if (dashboard->reply_is_cut) {
        dashboard->reply_is_cut = false;
        return ARMTAP_OK;
    }
    bool is_answer = !answers_nothing(frame->bytes, length) && answers(dashboard, frame->bytes, length, &request);
    const struct request *of = is_answer ? &request : NULL;
    const struct row *row = of ? row_answered(request.text, request.length, frame->bytes, length) : NULL;
    int64_t value;
    int error = deliver_text(conn, frame, length, of, refusal != NULL);
    if (error == ARMTAP_OK && refusal)
        return say_refused(conn, frame, length, of, refusal);
    if (error == ARMTAP_OK && row && row->stops)
        return armtap_conn_raise(
            conn, frame, ARMTAP_NOTE_dashboard_command,
            ARGS(arg_quoted(request.text, request.length), arg_quoted_reply(frame->bytes, length)));
    bool is_old = strncmp(armtap_conn_release(conn), "1.", 2) == 0; /* CB2 has other modes of the same names */
    if (error == ARMTAP_OK && row && !is_old && names_value(row, frame->bytes, length, &value))
        return deliver_state(dashboard, conn, frame, row->field, value);
    return error;
}

static int decode_request(struct dashboard *dashboard, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    size_t length = text_length(frame->bytes, frame->length);
    if (!dashboard->to_robot.line_is_cut && length > 0)
        ask(dashboard, frame->bytes, length);
    dashboard->is_unsure = dashboard->is_unsure || length == 0; /* whether an empty line is answered is not known */
    return armtap_urscript_deliver(&dashboard->to_robot, ARMTAP_DASHBOARD, 0, conn, frame);
}

static int dashboard_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    return frame->direction == ARMTAP_FROM_ROBOT ? decode_reply(context, conn, frame)
                                                 : decode_request(context, conn, frame);
}

/* ---- beginning, loss, end ---- */

static int dashboard_open(void *context)
{
    struct dashboard *dashboard = context;
    dashboard->to_robot.line_is_cut = true;
    dashboard->reply_is_cut = true;
    dashboard->is_unsure = true;
    return ARMTAP_OK;
}

static void dashboard_starts(void *context, enum armtap_direction direction)
{
    struct dashboard *dashboard = context;
    if (direction == ARMTAP_TO_ROBOT)
        dashboard->to_robot.line_is_cut = false;
    else
        dashboard->reply_is_cut = false;
    dashboard->is_unsure = dashboard->to_robot.line_is_cut || dashboard->reply_is_cut;
}

static int dashboard_lost(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap)
{
    struct dashboard *dashboard = context;
    (void)conn;
    (void)gap;
    dashboard->is_unsure = true;
    if (here->direction == ARMTAP_TO_ROBOT)
        dashboard->to_robot.line_is_cut = true;
    else
        dashboard->reply_is_cut = true;
    return ARMTAP_OK;
}

static void dashboard_close(void *context)
{
    struct dashboard *dashboard = context;
    for (size_t i = 0; i < STATES; i++)
        armtap_recipe_release(dashboard->states[i].recipe);
    armtap_urscript_close(&dashboard->to_robot);
}

/* ---- for people ---- */

static int dashboard_describe(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    bool is_reply = subject->direction == ARMTAP_FROM_ROBOT;
    size_t length = text_length(subject->bytes, subject->length);
    const struct refusal *refusal = is_reply ? refusal_of(subject->bytes, length) : NULL;
    *kind = is_reply ? "reply" : "request";
    if (length > 0) {
        armtap_pieces_add(pieces, 0, length, *kind);
        armtap_pieces_text(pieces, subject->bytes, length);
    }
    if (refusal)
        armtap_pieces_remark(pieces, "refused: %s", refusal->advice);
    if (length < subject->length)
        armtap_pieces_add(pieces, length, subject->length - length, "line end");
    return ARMTAP_OK;
}

static enum armtap_fit dashboard_identify(struct armtap_subject *subject, bool directed, bool named,
                                          struct armtap_line *doubt)
{
    const uint8_t *end = memchr(subject->bytes, '\n', subject->length);
    size_t whole = end ? (size_t)(end - subject->bytes) + 1 : subject->length;
    size_t length = text_length(subject->bytes, whole);
    bool is_reply = is_servers(subject->bytes, length);
    if (named && !armtap_urscript_is_text(subject->bytes, whole)) {
        armtap_line_string(doubt, "what a dashboard server sends and gets is text, and this is none");
        return ARMTAP_FIT_NO;
    }
    if (!named && !is_greeting(subject->bytes, length))
        return ARMTAP_FIT_NO;
    if (!directed)
        subject->direction = is_reply ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
    subject->length = whole;
    subject->recipe = NULL;
    return is_reply ? ARMTAP_FIT_YES : ARMTAP_FIT_MAYBE;
}

static const uint16_t ports[] = {29999, 0};

const struct armtap_decoder armtap_decoder_dashboard = {
    .info = {.size = sizeof(struct armtap_protocol_info),
             .protocol = ARMTAP_DASHBOARD,
             .name = "dashboard",
             .title = "dashboard server",
             .description = "requests of clients to Universal Robots' dashboard server, and its replies",
             .ports = ports,
             .traits = ARMTAP_TRAIT_GATHERED | ARMTAP_TRAIT_BESIDE},
    .context_size = sizeof(struct dashboard),
    .common = true,
    .open = dashboard_open,
    .close = dashboard_close,
    .starts = dashboard_starts,
    .frame = dashboard_frame,
    .next = dashboard_next,
    .sure = dashboard_sure,
    .begins = dashboard_begins,
    .speaks = dashboard_speaks,
    .shows = dashboard_shows,
    .decode = dashboard_decode,
    .lost = dashboard_lost,
    .describe = dashboard_describe,
    .identify = dashboard_identify,
};
