/* UR's primary and secondary interface, TCP 30001 and 30002, read-only on 30011 and 30012.
 *
 * From the robot, big-endian: messages of {int32 length, counting itself; uint8 type; body}. A ROBOT_STATE, ten times a
 * second, consists of sub-packages; other messages come when something happens. To the robot: URScript, lines of text.
 *
 * Source: UR's documents of the client interfaces. They name no version in a state: the sizes of its sub-packages show
 * the layout, and that of RobotModeData the generation. */
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "protocol/decoder.h"
#include "table/recipe.h"
#include "primary_message.h"
#include "primary_layout.h"
#include "urscript.h"

#define RECIPES 3u /* the last few shapes of a stream */
#define TYPES 256u
#define FIRST_CB3 3u /* software; before, that of CB2 */

struct composed {
    struct armtap_primary_shape shape;
    struct armtap_recipe *recipe; /* NULL: none */
};

/* Types that a note named. */
struct named {
    uint64_t word[TYPES / 64];
};

struct primary {
    struct armtap_urscript script;    /* stands first: urscript.h */
    struct composed recipes[RECIPES]; /* newest first */
    struct armtap_primary_program program;
    enum armtap_generation generation; /* of the controller, as far as known */
    struct named longer_subpackages, longer_messages;
    bool searching; /* resynchronising */
    uint8_t values[ARMTAP_PRIMARY_VALUES];
};

static bool is_first(struct named *named, uint8_t type)
{
    uint64_t bit = UINT64_C(1) << type % 64;
    bool first = (named->word[type / 64] & bit) == 0;
    named->word[type / 64] |= bit;
    return first;
}

/* ---- frames ---- */

static long primary_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    const struct primary *primary = context;
    if (direction == ARMTAP_FROM_ROBOT)
        return armtap_primary_frame(primary && !primary->searching, bytes, length);
    return primary ? armtap_urscript_frame(bytes, length) : -1; /* lines of text prove nothing */
}

static unsigned primary_sure(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    const struct primary *primary = context;
    enum armtap_fit enough = primary->searching ? ARMTAP_FIT_YES : ARMTAP_FIT_MAYBE;
    return direction == ARMTAP_TO_ROBOT || armtap_primary_evidence(frame, length) >= enough;
}

static int primary_lost(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap)
{
    struct primary *primary = context;
    (void)gap;
    if (here->direction == ARMTAP_TO_ROBOT) {
        armtap_urscript_lost(&primary->script, conn);
    } else {
        primary->searching = true;
        armtap_sent_program_doubt(conn); /* the start of another one may be missing */
    }
    return ARMTAP_OK;
}

static void primary_close(void *context)
{
    struct primary *primary = context;
    for (size_t i = 0; i < RECIPES; i++)
        armtap_recipe_release(primary->recipes[i].recipe);
    armtap_primary_program_close(&primary->program);
    armtap_urscript_close(&primary->script);
}

/* ---- states ---- */

static int say_longer(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame,
                      const uint8_t *subpackage, size_t size, size_t known)
{
    const struct armtap_primary_layout *layout = armtap_primary_layout_named(subpackage[4]);
    if (size <= known || !is_first(&primary->longer_subpackages, subpackage[4]))
        return ARMTAP_OK;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_longer,
                             ARGS(arg_case(ARMTAP_WORD_sub_package), arg_type(subpackage[4]), arg_name(layout->name),
                                  arg_bytes(size), arg_bytes_known(known)));
}

static int say_unknown(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_word what, uint8_t type,
                       size_t size)
{
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_unknown,
                             ARGS(arg_case(what), arg_type(type), arg_bytes(size)));
}

/* Adds a sub-package to a state. Of two with one type the first counts. */
static int add_subpackage(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame,
                          struct armtap_primary_state *state, const uint8_t *subpackage, size_t size)
{
    uint8_t layouts[ARMTAP_PRIMARY_PARTS];
    size_t count = armtap_primary_layouts_of(subpackage, size, state->generation, layouts), known = 0;
    if (!armtap_primary_layout_named(subpackage[4]))
        return say_unknown(conn, frame, ARMTAP_WORD_sub_package, subpackage[4], size);
    for (size_t i = 0; i < count; i++) {
        size_t rows = armtap_primary_rows_of(layouts[i]), first = armtap_primary_layout_at(layouts[i])->first;
        known = rows > 0 ? armtap_primary_row_end(armtap_primary_row_at(first + rows - 1)) : size;
        if (state->subpackage[layouts[i]])
            continue;
        state->subpackage[layouts[i]] = subpackage;
        state->shape.rows[layouts[i]] = (uint8_t)armtap_primary_rows_within(layouts[i], size);
    }
    return say_longer(primary, conn, frame, subpackage, size, known);
}

/* The generation that a state shows; else what is known. */
static enum armtap_generation generation_of(const struct primary *primary, const struct armtap_frame *frame)
{
    enum armtap_generation shown = armtap_primary_state_generation(frame->bytes, frame->length);
    return shown != ARMTAP_GENERATION_UNKNOWN ? shown
           : primary->generation != ARMTAP_GENERATION_UNKNOWN
               ? primary->generation
               : armtap_primary_sizes_generation(frame->bytes, frame->length);
}

static int take_apart(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame,
                      struct armtap_primary_state *state)
{
    size_t at = ARMTAP_PRIMARY_HEADER;
    int error = ARMTAP_OK;
    state->generation = generation_of(primary, frame);
    for (size_t size; error == ARMTAP_OK && (size = armtap_primary_subpackage(frame->bytes, frame->length, at)) > 0;
         at += size)
        error = add_subpackage(primary, conn, frame, state, frame->bytes + at, size);
    if (error != ARMTAP_OK || at == frame->length)
        return error;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_message_bad,
                             ARGS(arg_case(ARMTAP_WORD_robot_state), arg_offset(at), arg_bytes(frame->length)));
}

/* Counts what the recipes take. */
static void claim(const struct primary *primary, struct armtap_conn *conn)
{
    size_t bytes = armtap_primary_program_bytes(&primary->program);
    for (size_t i = 0; i < RECIPES; i++)
        bytes += primary->recipes[i].recipe ? primary->recipes[i].recipe->bytes : 0;
    armtap_conn_claim(conn, bytes);
}

/* A recipe for a new shape, in the place of the oldest; *recipe stays NULL if a budget is spent. */
static int compose(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_primary_shape *shape,
                   struct composed *made)
{
    size_t fields = armtap_primary_fields(shape);
    bool has = fields > 0;
    int error = has ? armtap_conn_spend(conn, frame, ARMTAP_BUDGET_fields, fields, &has) : ARMTAP_OK;
    if (error == ARMTAP_OK && has)
        error = armtap_conn_may_keep(conn, frame, armtap_recipe_bytes(fields, 0), &has);
    if (error != ARMTAP_OK || !has)
        return error;
    made->shape = *shape;
    return armtap_primary_recipe(shape, &made->recipe);
}

/* The recipe that a shape follows becomes the newest; *found is false if there can be none. */
static int choose_recipe(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_primary_shape *shape, bool *found)
{
    struct composed *recipes = primary->recipes, chosen = {.recipe = NULL};
    size_t i = 0;
    *found = true;
    while (i < RECIPES && !(recipes[i].recipe && armtap_primary_shape_begins(shape, &recipes[i].shape)))
        i++;
    if (i == 0)
        return ARMTAP_OK;
    if (i < RECIPES) {
        chosen = recipes[i];
    } else {
        int error = compose(conn, frame, shape, &chosen);
        *found = chosen.recipe != NULL;
        if (error != ARMTAP_OK || !*found)
            return error;
        i = RECIPES - 1;
        armtap_recipe_release(recipes[i].recipe);
    }
    memmove(recipes + 1, recipes, i * sizeof *recipes);
    recipes[0] = chosen;
    claim(primary, conn);
    return armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, 0, 0, 0, chosen.recipe);
}

static int decode_state(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_primary_state state = {.generation = ARMTAP_GENERATION_UNKNOWN};
    bool found;
    int error = take_apart(primary, conn, frame, &state);
    if (error == ARMTAP_OK)
        error = choose_recipe(primary, conn, frame, &state.shape, &found);
    if (error != ARMTAP_OK)
        return error;
    if (state.generation != primary->generation) {
        primary->generation = state.generation;
        armtap_conn_version(conn, 0, state.generation);
    }
    struct armtap_data data = {.values = frame->bytes, .values_length = frame->length};
    if (found) {
        data.recipe = primary->recipes[0].recipe;
        data.values = primary->values;
        data.values_length = armtap_primary_put(&state, data.recipe, primary->values);
    }
    return armtap_conn_record(conn, frame, &data);
}

/* ---- robot messages ---- */

/* Our levels are RTDE's: 0 exception, 1 error, 2 warning, 3 info. */
static int level_of(const struct armtap_text *text, bool warns, bool errs)
{
    unsigned reported = (unsigned)text->report_level & 0x7fu; /* those for developers are 128 higher */
    switch (text->kind) {
    case ARMTAP_TEXT_EXCEPTION:
        return 0;
    case ARMTAP_TEXT_POPUP:
        return errs ? 1 : warns ? 2 : 3;
    case ARMTAP_TEXT_ERROR:
        return text->report_level < 0 || reported < 2 ? 3 : reported == 2 ? 2 : 1;
    default:
        return 3;
    }
}

/* What the parts of a robot message said so far. */
struct said {
    struct armtap_text text;
    bool warns, errs;
    uint64_t release[4];
    unsigned release_count;
};

/* A text with nothing but its clock. */
static struct armtap_text empty_text(const struct primary *primary, const struct armtap_frame *frame,
                                     enum armtap_text_kind kind)
{
    uint64_t clock = armtap_be64(frame->bytes + ARMTAP_PRIMARY_CLOCK);
    bool has_clock = clock != UINT64_MAX && primary->generation == ARMTAP_GENERATION_CB3E;
    return (struct armtap_text){.kind = kind,
                                .level = 3,
                                .argument = -1,
                                .report_level = -1,
                                .safety_mode = -1,
                                .clock = has_clock ? (double)clock / 1e6 : NAN};
}

static void begin_text(const struct primary *primary, const struct armtap_frame *frame,
                       const struct armtap_primary_kind *kind, struct said *said)
{
    int8_t source = (int8_t)frame->bytes[ARMTAP_PRIMARY_SOURCE];
    const char *name = armtap_primary_source(source);
    *said = (struct said){.text = empty_text(primary, frame, kind->text)};
    said->text.source = name;
    said->text.source_length = name ? strlen(name) : 0;
    said->text.source_number = source;
}

static void set_number(struct said *said, enum armtap_primary_member member, int64_t number)
{
    switch (member) {
    case ARMTAP_MEMBER_CODE:
        said->text.code = (int32_t)number;
        break;
    case ARMTAP_MEMBER_ARGUMENT:
        said->text.argument = (int32_t)number;
        break;
    case ARMTAP_MEMBER_REPORT_LEVEL:
        said->text.report_level = (int)number;
        break;
    case ARMTAP_MEMBER_DATA_TYPE:
        said->text.data_type = (uint32_t)number;
        break;
    case ARMTAP_MEMBER_DATA:
        said->text.data = (uint32_t)number;
        break;
    case ARMTAP_MEMBER_MODE:
        said->text.safety_mode = (int)number;
        break;
    case ARMTAP_MEMBER_LINE:
        said->text.line = (int32_t)number;
        break;
    case ARMTAP_MEMBER_COLUMN:
        said->text.column = (int32_t)number;
        break;
    case ARMTAP_MEMBER_WARNING:
        said->warns = number != 0;
        break;
    case ARMTAP_MEMBER_ERROR:
        said->errs = number != 0;
        break;
    case ARMTAP_MEMBER_RELEASE:
        said->release[said->release_count++ % 4] = (uint64_t)number;
        break;
    default:
        break;
    }
}

static void set_member(struct said *said, const struct armtap_primary_walk *walk)
{
    const char *bytes = (const char *)walk->message + walk->at;
    enum armtap_primary_member member = (enum armtap_primary_member)walk->part->member;
    if (member == ARMTAP_MEMBER_TEXT) {
        said->text.text = bytes;
        said->text.text_length = walk->next - walk->at;
    } else if (member == ARMTAP_MEMBER_TITLE) {
        said->text.title = bytes;
        said->text.title_length = walk->next - walk->at;
    } else {
        set_number(said, member, walk->number);
    }
}

/* The software that VERSION names. All known ones send 0 as the build, which is then left out. */
static void take_version(struct primary *primary, struct armtap_conn *conn, const struct said *said)
{
    struct armtap_line line;
    if (said->release_count < 4)
        return;
    armtap_line_begin(&line);
    armtap_line_format(&line, "%u.%u.%d", said->release[0], said->release[1], (int64_t)said->release[2]);
    if (said->release[3] != 0)
        armtap_line_format(&line, ".%d", (int64_t)said->release[3]);
    primary->generation = said->release[0] < FIRST_CB3 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
    armtap_conn_controller(conn, line.text);
    armtap_conn_version(conn, 0, primary->generation);
}

static int deliver_text(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame,
                        struct said *said, bool is_whole)
{
    said->text.level = level_of(&said->text, said->warns, said->errs);
    if (said->text.kind == ARMTAP_TEXT_VERSION)
        take_version(primary, conn, said);
    if (said->text.kind == ARMTAP_TEXT_OTHER)
        return ARMTAP_OK;
    int error = armtap_conn_text(conn, frame, &said->text);
    if (error != ARMTAP_OK || !is_whole)
        return error;
    return armtap_robot_message_say(conn, frame, &said->text, armtap_primary_report_level(said->text.report_level));
}

/* How a robot message's bytes differ from its parts. */
static int judge_end(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame,
                     const struct armtap_primary_kind *kind, const struct armtap_primary_walk *walk)
{
    if (walk->cut)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_message_bad,
                                 ARGS(arg_case(ARMTAP_WORD_part), arg_name(kind->name), arg_bytes(frame->length),
                                      arg_part(walk->part->name)));
    if (walk->next >= frame->length || !walk->part || !is_first(&primary->longer_messages, kind->type))
        return ARMTAP_OK;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_longer,
                             ARGS(arg_case(ARMTAP_WORD_message), arg_type(kind->type), arg_name(kind->name),
                                  arg_bytes(frame->length), arg_bytes_known(walk->next)));
}

static int decode_robot_message(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    if (frame->length < ARMTAP_PRIMARY_BODY)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_primary_message_bad,
                                 ARGS(arg_case(ARMTAP_WORD_robot_message), arg_bytes(frame->length)));
    uint8_t type = frame->bytes[ARMTAP_PRIMARY_BODY - 1];
    const struct armtap_primary_kind *kind = armtap_primary_kind_of(type);
    if (!kind)
        return say_unknown(conn, frame, ARMTAP_WORD_robot_message, type, frame->length);
    struct armtap_primary_walk walk = {frame->bytes, frame->length, .generation = primary->generation};
    struct said said;
    int error = ARMTAP_OK;
    begin_text(primary, frame, kind, &said);
    while (error == ARMTAP_OK && armtap_primary_walk_on(&walk)) {
        set_member(&said, &walk);
        if (!walk.ends)
            continue;
        error = deliver_text(primary, conn, frame, &said, true);
        begin_text(primary, frame, kind, &said);
    }
    if (error == ARMTAP_OK && walk.cut)
        error = deliver_text(primary, conn, frame, &said, false);
    return error == ARMTAP_OK ? judge_end(primary, conn, frame, kind, &walk) : error;
}

/* ---- everything else ---- */

static int decode_program(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_text text = {.kind = ARMTAP_TEXT_VARIABLE};
    if (frame->length >= ARMTAP_PRIMARY_CLOCK + sizeof(uint64_t))
        text = empty_text(primary, frame, ARMTAP_TEXT_VARIABLE);
    int error = armtap_primary_program_decode(&primary->program, conn, frame, &text);
    claim(primary, conn);
    return error;
}

static int decode_message(struct primary *primary, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    uint8_t type = frame->bytes[4];
    primary->searching = false;
    if (type == ARMTAP_PRIMARY_STATE)
        return decode_state(primary, conn, frame);
    if (type == ARMTAP_PRIMARY_ROBOT_MESSAGE)
        return decode_robot_message(primary, conn, frame);
    if (type == ARMTAP_PRIMARY_PROGRAM_STATE)
        return decode_program(primary, conn, frame);
    if (armtap_primary_message_name(type))
        return ARMTAP_OK;
    return say_unknown(conn, frame, ARMTAP_WORD_message, type, frame->length);
}

static int primary_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct primary *primary = context;
    return frame->direction == ARMTAP_FROM_ROBOT
               ? decode_message(primary, conn, frame)
               : armtap_urscript_decode(&primary->script, ARMTAP_PRIMARY, 0, conn, frame);
}

/* Takes a last line without its line end. */
static int primary_rest(void *context, struct armtap_conn *conn, const struct armtap_frame *frame, bool *used)
{
    *used = frame->direction == ARMTAP_TO_ROBOT;
    return *used ? primary_decode(context, conn, frame) : ARMTAP_OK;
}

static const uint16_t ports[] = {30001, 30002, 30011, 30012, 0};

const struct armtap_decoder armtap_decoder_primary = {
    .info = {.size = sizeof(struct armtap_protocol_info),
             .protocol = ARMTAP_PRIMARY,
             .name = "primary",
             .title = "primary interface",
             .description = "Universal Robots' state ten times a second, errors and messages, and scripts to the robot",
             .ports = ports,
             .traits = ARMTAP_TRAIT_UNASKED | ARMTAP_TRAIT_GATHERED | ARMTAP_TRAIT_BESIDE,
             .header = ARMTAP_PRIMARY_HEADER},
    .context_size = sizeof(struct primary),
    .open = armtap_urscript_open,
    .close = primary_close,
    .starts = armtap_urscript_starts,
    .frame = primary_frame,
    .sure = primary_sure,
    .follows = armtap_primary_follows,
    .begins = armtap_primary_begins,
    .speaks = armtap_urscript_speaks,
    .shows = armtap_primary_shows,
    .decode = primary_decode,
    .rest = primary_rest,
    .lost = primary_lost,
    .describe = armtap_primary_describe,
    .identify = armtap_primary_identify,
};
