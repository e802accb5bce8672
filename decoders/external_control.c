/* External Control: the ports on which a driver's PC listens and to which the robot's program connects. TCP 50001, a
 * command each cycle; 50002, the program itself; 50003, points of trajectories; 50004, further commands.
 *
 * To the robot come words of 32 bits without a header or anything that marks where a message begins: the port, and how
 * well the words fit, choose the layout. From the robot come a result of 4 bytes now and then, and a line that asks for
 * the program. */
#include <string.h>

#include "protocol/decoder.h"
#include "table/recipe.h"
#include "external_control_layout.h"
#include "external_control_words.h"
#include "urscript.h"

#define WORD ARMTAP_CONTROL_WORD
#define RECIPES 8u /* the last few shapes of a stream */
#define PORT_COMMANDS 50001u

static const uint16_t ports[] = {PORT_COMMANDS, SCRIPT_PORT, 50003, 50004, 0};
static const char request[] = SCRIPT_REQUEST;

struct composed {
    int shape;
    struct armtap_recipe *recipe; /* NULL: none */
};

struct control {
    struct armtap_urscript script;              /* stands first: urscript.h */
    uint16_t port;                              /* 0: not one of the driver's, but the user says that it is */
    const struct armtap_control_layout *layout; /* NULL: not known yet */
    bool scale_known;                           /* durations are times 1000000 */
    bool searching[2];                          /* resynchronising, by direction */
    struct composed recipes[RECIPES];           /* newest first */
    struct armtap_recipe *result;
    uint8_t values[ARMTAP_CONTROL_VALUES];
};

static bool is_script(const struct control *control)
{
    return control->port == SCRIPT_PORT;
}

/* The port, if it is one of the driver's; else 0. */
static uint16_t own_port(uint16_t port)
{
    for (const uint16_t *own = ports; *own; own++)
        if (*own == port)
            return port;
    return 0;
}

static void control_listens(void *context, uint16_t port)
{
    struct control *control = context;
    control->port = own_port(port);
}

/* ---- frames ---- */

static long result_frame(const uint8_t *bytes, size_t length)
{
    if (length < WORD)
        return 0;
    int32_t result = armtap_control_word(bytes, 0);
    return result >= RESULT_LEAST && result <= RESULT_MOST ? (long)WORD : -1;
}

static long from_robot(const struct control *control, const uint8_t *bytes, size_t length)
{
    bool asks = length > 0 && bytes[0] == (uint8_t)request[0];
    if (is_script(control) || control->port == PORT_COMMANDS || (control->port == 0 && asks))
        return armtap_urscript_frame(bytes, length);
    return result_frame(bytes, length);
}

/* Commands come all the time, so that some may be waited for. */
static struct armtap_control_look look_at(uint16_t port, bool starts)
{
    unsigned messages = port == 0 || port == PORT_COMMANDS || !starts ? ARMTAP_CONTROL_CHAIN : 1;
    return (struct armtap_control_look){.port = port, .most = messages, .need = messages, .strict = !starts};
}

static long control_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    const struct control *control = context;
    if (!control)
        return -1; /* words prove nothing without their port */
    if (direction == ARMTAP_FROM_ROBOT)
        return from_robot(control, bytes, length);
    if (is_script(control))
        return armtap_urscript_frame(bytes, length);
    const struct armtap_control_layout *layout = control->layout;
    bool searching = control->searching[ARMTAP_TO_ROBOT];
    size_t need;
    if (!layout) {
        struct armtap_control_look look = look_at(control->port, !searching);
        enum armtap_control_choice choice = armtap_control_choose(&look, bytes, length, &layout, &need);
        if (choice != ARMTAP_CONTROL_CHOSEN)
            return choice == ARMTAP_CONTROL_NONE ? -1 : 0;
    }
    size_t size = layout->words * WORD;
    if (length >= size && !armtap_control_fits(layout, bytes, searching))
        return -1;
    return (long)size;
}

static unsigned control_sure(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    const struct control *control = context;
    (void)frame;
    (void)length;
    return !control->searching[direction] || is_script(control);
}

/* In a search a whole message must follow: its first words show little. */
static enum armtap_fit control_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                       size_t length, const uint8_t *next, size_t available)
{
    const struct control *control = context;
    const struct armtap_control_layout *layout = armtap_control_layout_of(length);
    (void)frame;
    if (!control)
        return ARMTAP_FIT_NO;
    if (is_script(control) || (direction == ARMTAP_FROM_ROBOT && length != WORD))
        return ARMTAP_FIT_YES;
    if (available < length)
        return ARMTAP_FIT_MORE;
    bool fits = direction == ARMTAP_FROM_ROBOT ? result_frame(next, available) > 0
                                               : layout && armtap_control_fits(layout, next, true);
    return fits ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

/* What is not told yet. */
static enum armtap_fit wait_for(const struct armtap_sight *sight, size_t length, size_t *need)
{
    *need = length;
    return sight->whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
}

static enum armtap_fit asks(const struct armtap_sight *sight, size_t *need)
{
    size_t all = sizeof request - 1, here = sight->length < all ? sight->length : all;
    if (memcmp(sight->bytes, request, here) != 0)
        return ARMTAP_FIT_NO;
    return here == all ? ARMTAP_FIT_WELL : wait_for(sight, all, need);
}

static enum armtap_fit is_result(const struct armtap_sight *sight, size_t *need)
{
    if (sight->port == PORT_COMMANDS)
        return ARMTAP_FIT_NO;
    long length = result_frame(sight->bytes, sight->length);
    return length < 0 ? ARMTAP_FIT_NO : length > 0 ? ARMTAP_FIT_WELL : wait_for(sight, WORD, need);
}

/* Whether bytes are a driver's: only on ports that say so. */
static enum armtap_fit control_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need)
{
    uint16_t port = own_port(sight->port);
    const struct armtap_control_layout *layout;
    if (sight->hint == ARMTAP_HINT_NONE)
        return ARMTAP_FIT_NO;
    if (direction == ARMTAP_FROM_ROBOT)
        return port == 0 || port == SCRIPT_PORT ? asks(sight, need) : is_result(sight, need);
    if (port == SCRIPT_PORT)
        return ARMTAP_FIT_WELL;
    struct armtap_control_look look = look_at(port, sight->starts);
    look.whole = sight->whole;
    look.strict = port == 0;
    *sight->work += ARMTAP_CONTROL_CHAIN * ARMTAP_CONTROL_VALUES;
    switch (armtap_control_choose(&look, sight->bytes, sight->length, &layout, need)) {
    case ARMTAP_CONTROL_CHOSEN:
        return ARMTAP_FIT_WELL;
    case ARMTAP_CONTROL_WAIT:
        return ARMTAP_FIT_MORE;
    default:
        return ARMTAP_FIT_NO;
    }
}

static enum armtap_fit control_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    (void)direction;
    (void)bytes;
    (void)length;
    return ARMTAP_FIT_NO; /* the port must say more */
}

static int control_lost(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap)
{
    struct control *control = context;
    (void)gap;
    control->searching[here->direction] = true;
    if (here->direction == ARMTAP_TO_ROBOT && is_script(control))
        armtap_urscript_lost(&control->script, conn);
    return ARMTAP_OK;
}

static void control_close(void *context)
{
    struct control *control = context;
    for (size_t i = 0; i < RECIPES; i++)
        armtap_recipe_release(control->recipes[i].recipe);
    armtap_recipe_release(control->result);
    armtap_urscript_close(&control->script);
}

/* ---- records ---- */

static void claim(const struct control *control, struct armtap_conn *conn)
{
    size_t bytes = 0;
    for (size_t i = 0; i < RECIPES; i++)
        bytes += control->recipes[i].recipe ? control->recipes[i].recipe->bytes : 0;
    armtap_conn_claim(conn, bytes);
}

static int compose(const struct armtap_control_value **values, size_t count, struct armtap_recipe **recipe)
{
    struct armtap_recipe_row rows[ARMTAP_CONTROL_ROWS];
    for (size_t i = 0; i < count; i++) {
        enum armtap_type type = values[i]->wire == ARMTAP_CONTROL_RAW ? ARMTAP_INT32 : ARMTAP_DOUBLE;
        rows[i] = (struct armtap_recipe_row){values[i]->name, type, values[i]->count};
    }
    return armtap_recipe_of_rows(ARMTAP_EXTERNAL_CONTROL, rows, count, recipe);
}

/* A recipe for a new shape, in the place of the oldest; *made stays NULL if a budget is spent. */
static int add_recipe(struct control *control, struct armtap_conn *conn, const struct armtap_frame *frame,
                      const struct armtap_control_value **values, size_t count, int shape, struct armtap_recipe **made)
{
    bool has;
    int error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, count, &has);
    if (error == ARMTAP_OK && has)
        error = armtap_conn_may_keep(conn, frame, armtap_recipe_bytes(count, 0), &has);
    if (error == ARMTAP_OK && has)
        error = compose(values, count, made);
    if (error != ARMTAP_OK || !*made)
        return error;
    armtap_recipe_release(control->recipes[RECIPES - 1].recipe);
    memmove(control->recipes + 1, control->recipes, (RECIPES - 1) * sizeof *control->recipes);
    control->recipes[0] = (struct composed){shape, *made};
    claim(control, conn);
    return armtap_conn_recipe(conn, frame, ARMTAP_TO_ROBOT, shape, 0, 0, *made);
}

static int decode_words(struct control *control, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const struct armtap_control_value *values[ARMTAP_CONTROL_ROWS];
    struct armtap_data data = {.values = control->values};
    int error = ARMTAP_OK;
    control->searching[ARMTAP_TO_ROBOT] = false;
    control->layout = armtap_control_layout_of(frame->length);
    control->scale_known = control->scale_known || armtap_control_shows_scale(control->layout, frame->bytes);
    size_t count = armtap_control_values(control->layout, frame->bytes, control->scale_known, values, &data.recipe_id);
    struct armtap_recipe *recipe = NULL;
    for (size_t i = 0; i < RECIPES && !recipe; i++)
        if (control->recipes[i].shape == data.recipe_id)
            recipe = control->recipes[i].recipe;
    if (!recipe)
        error = add_recipe(control, conn, frame, values, count, data.recipe_id, &recipe);
    if (error != ARMTAP_OK)
        return error;
    data.recipe = recipe;
    for (size_t i = 0; i < count; i++)
        data.values_length += armtap_control_put(values[i], frame->bytes, control->values + data.values_length);
    if (!recipe) {
        data.values = frame->bytes;
        data.values_length = frame->length;
    }
    return armtap_conn_record(conn, frame, &data);
}

static const char *result_name(uint16_t at)
{
#define RESULT(port, name)                                                                                             \
    if (at == (port))                                                                                                  \
        return name;
#include "external_control_layouts.def"
    return "result";
}

/* What came of a trajectory, or of a tool contact. */
static int decode_result(struct control *control, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_recipe_row row = {result_name(control->port), ARMTAP_INT32, 1};
    control->searching[ARMTAP_FROM_ROBOT] = false;
    if (!control->result) {
        int error = armtap_recipe_of_rows(ARMTAP_EXTERNAL_CONTROL, &row, 1, &control->result);
        if (error == ARMTAP_OK)
            error = armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, 0, 0, 0, control->result);
        if (error != ARMTAP_OK)
            return error;
    }
    struct armtap_data data = {.recipe = control->result, .values = frame->bytes, .values_length = frame->length};
    return armtap_conn_record(conn, frame, &data);
}

static int decode_line(struct control *control, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    control->searching[frame->direction] = false;
    return frame->direction == ARMTAP_TO_ROBOT
               ? armtap_urscript_decode(&control->script, ARMTAP_EXTERNAL_CONTROL, 0, conn, frame)
               : ARMTAP_OK;
}

static int control_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct control *control = context;
    bool is_result = frame->direction == ARMTAP_FROM_ROBOT && frame->length == WORD && !is_script(control) &&
                     control->port != PORT_COMMANDS;
    if (is_result)
        return decode_result(control, conn, frame);
    return frame->direction == ARMTAP_FROM_ROBOT || is_script(control) ? decode_line(control, conn, frame)
                                                                       : decode_words(control, conn, frame);
}

/* Messages that were too few to tell their layout while more could come. */
static void control_whole(void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    struct control *control = context;
    struct armtap_control_look look = look_at(control->port, true);
    const struct armtap_control_layout *layout;
    size_t need;
    look.whole = true;
    if (direction == ARMTAP_TO_ROBOT && !is_script(control) && !control->layout &&
        armtap_control_choose(&look, bytes, length, &layout, &need) == ARMTAP_CONTROL_CHOSEN)
        control->layout = layout;
}

/* Takes a last line without its line end. */
static int control_rest(void *context, struct armtap_conn *conn, const struct armtap_frame *frame, bool *used)
{
    struct control *control = context;
    *used = frame->direction == ARMTAP_TO_ROBOT && is_script(control);
    return *used ? decode_line(control, conn, frame) : ARMTAP_OK;
}

const struct armtap_decoder armtap_decoder_external_control = {
    .info = {.size = sizeof(struct armtap_protocol_info),
             .protocol = ARMTAP_EXTERNAL_CONTROL,
             .name = "external_control",
             .title = "External Control",
             .description = "what a driver on a PC sends to Universal Robots' program: commands, points, the program",
             .ports = ports,
             .traits = ARMTAP_TRAIT_GATHERED | ARMTAP_TRAIT_BESIDE | ARMTAP_TRAIT_ROBOT_CONNECTS},
    .context_size = sizeof(struct control),
    .common = true,
    .open = armtap_urscript_open,
    .close = control_close,
    .listens = control_listens,
    .starts = armtap_urscript_starts,
    .frame = control_frame,
    .sure = control_sure,
    .follows = control_follows,
    .begins = control_begins,
    .shows = control_shows,
    .decode = control_decode,
    .whole = control_whole,
    .rest = control_rest,
    .lost = control_lost,
    .describe = armtap_control_describe,
    .identify = armtap_control_identify,
};
