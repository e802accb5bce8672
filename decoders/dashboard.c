/* The dashboard server, TCP 29999: a line asks, a line answers, in order and without numbers. */
#include <math.h>
#include <string.h>

#include "protocol/decoder.h"
#include "table/recipe.h"
#include "describers.h"
#include "dashboard_line.h"
#include "urscript.h"

#define LONGEST_LINE 4096u
#define PENDING 16u      /* requests without their reply; beyond that, which answers which is not known */
#define REQUEST_KEPT 96u /* bytes of each */
#define STATES 4u        /* of dashboard_lines.def */

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
    size_t length = armtap_dashboard_text(sight->bytes, (size_t)frame);
    bool is_known = direction == ARMTAP_FROM_ROBOT ? armtap_dashboard_is_servers(sight->bytes, length)
                                                   : armtap_dashboard_command(sight->bytes, length, NULL) != NULL;
    return is_known ? ARMTAP_FIT_WELL : ARMTAP_FIT_NO;
}

static enum armtap_fit dashboard_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    bool greets = direction == ARMTAP_FROM_ROBOT && armtap_dashboard_is_greeting(bytes, length);
    return greets ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
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
           !armtap_dashboard_answer(pending_at(dashboard, i)->text, pending_at(dashboard, i)->length, reply, length))
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
    for (unsigned i = 0; i < sizeof wire; i++)
        wire[i] = (uint8_t)((uint32_t)value >> 8 * (sizeof wire - 1 - i));
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
                       const struct request *of, const struct armtap_dashboard_refusal *refusal)
{
    if (of)
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_dashboard_refused, "'%b' was refused: '%b'; %s",
                               (const void *)of->text, of->length, (const void *)frame->bytes, length, refusal->advice);
    return armtap_conn_say(conn, frame, ARMTAP_NOTE_dashboard_refused,
                           "a request, which is not known for certain, was refused: '%b'; %s",
                           (const void *)frame->bytes, length, refusal->advice);
}

static int decode_reply(struct dashboard *dashboard, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    size_t length = armtap_dashboard_text(frame->bytes, frame->length);
    const struct armtap_dashboard_refusal *refusal = armtap_dashboard_refusal(frame->bytes, length);
    struct request request;
    if (dashboard->reply_is_cut) {
        dashboard->reply_is_cut = false;
        return ARMTAP_OK;
    }
    bool is_answer =
        !armtap_dashboard_greets(frame->bytes, length) && answers(dashboard, frame->bytes, length, &request);
    const struct request *of = is_answer ? &request : NULL;
    const struct armtap_dashboard_row *row =
        of ? armtap_dashboard_answer(request.text, request.length, frame->bytes, length) : NULL;
    int64_t value;
    int error = deliver_text(conn, frame, length, of, refusal != NULL);
    if (error == ARMTAP_OK && refusal)
        return say_refused(conn, frame, length, of, refusal);
    if (error == ARMTAP_OK && row && row->stops)
        return armtap_conn_say(conn, frame, ARMTAP_NOTE_dashboard_command, "a client's '%b' was obeyed: '%b'",
                               (const void *)request.text, request.length, (const void *)frame->bytes, length);
    bool is_old = strncmp(armtap_conn_release(conn), "1.", 2) == 0; /* CB2 has other modes of the same names */
    if (error == ARMTAP_OK && row && !is_old && armtap_dashboard_state(row, frame->bytes, length, &value))
        return deliver_state(dashboard, conn, frame, row->field, value);
    return error;
}

static int decode_request(struct dashboard *dashboard, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    size_t length = armtap_dashboard_text(frame->bytes, frame->length);
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
    .shows = dashboard_shows,
    .decode = dashboard_decode,
    .lost = dashboard_lost,
    .describe = armtap_dashboard_describe,
    .identify = armtap_dashboard_identify,
};
