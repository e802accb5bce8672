/* UR's legacy realtime interface, TCP 30003 and 30013 ("Matlab interface").
 *
 * From the robot: packets of {int32 length, counting itself; doubles}, big-endian, 125 or 500 a second, no type, no
 * checksum. The length decides the layout. To the robot: URScript, lines of text, on 30003 only.
 *
 * Source: UR's realtime tables ("RealTime" tabs of the client interface spreadsheet, and the G3/G5 document). */
#include <string.h>

#include "protocol/decoder.h"
#include "table/field.h"
#include "realtime_packet.h"
#include "urscript.h"

#define LENGTH_WORD ARMTAP_REALTIME_LENGTH_WORD
#define HEADER ARMTAP_REALTIME_HEADER
#define WITH_MODES 764u  /* bytes: the robot mode is in it */
#define WITH_CLOCK 3u    /* packets that show a stream of another size, or with odd modes */
#define WITHOUT_CLOCK 5u /* the same if the clock stands still */

struct layout {
    size_t size;
    struct armtap_recipe *recipe;
};

/* What each packet needs comes first. */
struct realtime {
    size_t last_size;
    bool searching;           /* resynchronising */
    struct layout layouts[4]; /* the last few sizes seen, newest first */
    struct armtap_urscript script;
    uint32_t noted_sizes[8];
    unsigned noted_count;
};

/* Its size is that of the longest packet documented. */
union longest_packet {
#define SIZE(bytes, software) uint8_t of_##bytes[bytes];
#include "realtime_sizes.def"
};

/* ---- frames ---- */

static long packet_length(const uint8_t *bytes, size_t length)
{
    if (length < LENGTH_WORD)
        return 0;
    uint32_t size = armtap_be32(bytes);
    if (!armtap_realtime_size_fits(size))
        return -1;
    if (length < HEADER)
        return 0;
    return armtap_realtime_clock_fits(armtap_be_double(bytes + LENGTH_WORD)) ? (long)size : -1;
}

/* When resynchronising, only the previous size and documented sizes count: a zero followed by a cell of 2 to 32 looks
 * like a length of 64. */
static bool is_other_size(const struct realtime *rt, size_t size)
{
    return rt && rt->searching && rt->last_size != 0 && size != rt->last_size && !armtap_realtime_is_listed(size);
}

static long realtime_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    if (direction == ARMTAP_FROM_ROBOT) {
        long size = packet_length(bytes, length);
        return size > 0 && is_other_size(context, (size_t)size) ? -1 : size;
    }
    return context ? armtap_urscript_frame(bytes, length) : -1; /* lines of text prove nothing */
}

static unsigned realtime_sure(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    const struct realtime *rt = context;
    (void)frame;
    return direction == ARMTAP_TO_ROBOT ||
           (rt->last_size == 0 ? armtap_realtime_is_listed(length) : length == rt->last_size);
}

enum modes { MODES_ODD, MODES_SILENT, MODES_SPEAK };

static bool is_whole(const struct armtap_realtime_cells *cells, size_t length)
{
    return cells->column > 0 && LENGTH_WORD + 8u * (cells->column + cells->count - 1u) <= length;
}

/* Temperatures too can rise by whole cycles; but a frame that starts in the wrong place has no integers for modes.
 * SILENT: there are none, or all are 0. */
static enum modes modes_of(const uint8_t *frame, size_t length)
{
    enum modes modes = MODES_SILENT;
    int32_t mode;
    const struct armtap_realtime_cells *cells = armtap_realtime_modes(armtap_realtime_generation(length));
    for (; cells->count > 0; cells++)
        for (size_t cell = cells->column; is_whole(cells, length) && cell < cells->column + cells->count; cell++) {
            if (!armtap_cell_int32(frame + LENGTH_WORD + 8 * (cell - 1), &mode))
                return MODES_ODD;
            modes = mode != 0 ? MODES_SPEAK : modes;
        }
    return modes;
}

static enum armtap_fit realtime_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                        size_t length, const uint8_t *next, size_t available)
{
    const struct realtime *rt = context;
    if (direction == ARMTAP_TO_ROBOT)
        return ARMTAP_FIT_YES;
    if (available < HEADER)
        return ARMTAP_FIT_MORE;
    if (packet_length(next, available) < 0)
        return ARMTAP_FIT_NO;
    enum armtap_fit clock = armtap_clock_fit(frame + LENGTH_WORD, next + LENGTH_WORD);
    if (clock == ARMTAP_FIT_NO)
        return clock;
    bool is_known = armtap_realtime_is_listed(length) || (rt && rt->last_size != 0);
    if (!is_known && (armtap_be32(next) != length || clock != ARMTAP_FIT_WELL))
        return ARMTAP_FIT_NO; /* any binary protocol has consecutive small numbers */
    bool same_size = armtap_be32(next) == length && (!rt || rt->last_size == 0 || rt->last_size == length);
    bool well = same_size && armtap_realtime_is_listed(length) && clock == ARMTAP_FIT_WELL &&
                modes_of(frame, length) != MODES_ODD;
    return well ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
}

/* An undocumented size needs plausible modes as evidence, or the user's word. */
static bool size_may_be(size_t size, enum armtap_hint hint)
{
    return armtap_realtime_is_listed(size) || hint == ARMTAP_HINT_USER ||
           (hint == ARMTAP_HINT_PORT && size >= WITH_MODES && (size - LENGTH_WORD) % 8 == 0);
}

/* Consecutive packets: the second is certain if size, clock and modes all are a robot's. A clock that stands still, or
 * an undocumented size, needs more packets, and a matching port. */
static enum armtap_fit realtime_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need)
{
    if (direction == ARMTAP_TO_ROBOT)
        return armtap_urscript_shows(sight, need);
    long length = packet_length(sight->bytes, sight->length);
    *need = HEADER;
    if (length <= 0)
        return length < 0 || sight->whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    size_t size = (size_t)length;
    bool is_listed = armtap_realtime_is_listed(size), goes_on = true, has_modes = true, speaks = true;
    if (!size_may_be(size, sight->hint))
        return ARMTAP_FIT_NO;
    enum armtap_fit weak = sight->hint == ARMTAP_HINT_NONE ? ARMTAP_FIT_NO : ARMTAP_FIT_YES;
    for (size_t seen = 2;; seen++) {
        const uint8_t *next = sight->bytes + (seen - 1) * size, *packet = next - size;
        *need = (seen - 1) * size + HEADER;
        if (sight->length < *need)
            return !sight->whole ? ARMTAP_FIT_MORE : seen > 2 && is_listed && speaks ? weak : ARMTAP_FIT_NO;
        enum armtap_fit clock = armtap_clock_fit(packet + LENGTH_WORD, next + LENGTH_WORD);
        if (packet_length(next, HEADER) != length || clock == ARMTAP_FIT_NO)
            return ARMTAP_FIT_NO;
        goes_on = goes_on && clock == ARMTAP_FIT_WELL;
        enum modes modes = modes_of(packet, size);
        has_modes = has_modes && modes != MODES_ODD;
        speaks = speaks && modes == MODES_SPEAK;
        if (goes_on && has_modes && is_listed)
            return ARMTAP_FIT_WELL;
        if (!is_listed && !(goes_on && (speaks || sight->hint == ARMTAP_HINT_USER)))
            return ARMTAP_FIT_NO;
        if (seen == WITH_CLOCK && goes_on)
            return weak;
        if (seen == WITHOUT_CLOCK)
            return speaks ? weak : ARMTAP_FIT_NO;
    }
}

static enum armtap_fit realtime_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    if (direction == ARMTAP_TO_ROBOT)
        return ARMTAP_FIT_NO;
    long size = packet_length(bytes, length);
    if (size < 0)
        return ARMTAP_FIT_NO;
    if (size != 0 && !armtap_realtime_is_listed((size_t)size))
        return ARMTAP_FIT_NO;
    if (size == 0 || length < (size_t)size)
        return ARMTAP_FIT_MORE;
    bool is_plain = armtap_be_double(bytes + LENGTH_WORD) != 0 && modes_of(bytes, (size_t)size) == MODES_SPEAK;
    return is_plain ? ARMTAP_FIT_YES : ARMTAP_FIT_MAYBE;
}

static void realtime_close(void *context)
{
    struct realtime *rt = context;
    for (size_t i = 0; i < sizeof rt->layouts / sizeof rt->layouts[0]; i++)
        armtap_recipe_release(rt->layouts[i].recipe);
    armtap_urscript_close(&rt->script);
}

static int realtime_lost(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap)
{
    struct realtime *rt = context;
    (void)gap;
    if (here->direction == ARMTAP_TO_ROBOT)
        armtap_urscript_lost(&rt->script, conn);
    else
        rt->searching = true;
    return ARMTAP_OK;
}

/* The recipe of a size; asked for when the size is first seen, or seen again after several others. */
static int layout_of(struct realtime *rt, struct armtap_conn *conn, size_t size, const struct armtap_recipe **recipe)
{
    size_t count = sizeof rt->layouts / sizeof rt->layouts[0], i = 0;
    struct layout found = {size, NULL};
    while (i < count - 1 && rt->layouts[i].size != size)
        i++;
    if (rt->layouts[i].size == size) {
        found = rt->layouts[i];
    } else {
        int error = armtap_conn_layout(conn, size, armtap_recipe_realtime, &found.recipe);
        if (error != ARMTAP_OK)
            return error;
        armtap_recipe_release(rt->layouts[i].recipe);
    }
    memmove(rt->layouts + 1, rt->layouts, i * sizeof rt->layouts[0]);
    rt->layouts[0] = found;
    *recipe = found.recipe;
    return ARMTAP_OK;
}

static int note_unknown_size(struct realtime *rt, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    unsigned room = sizeof rt->noted_sizes / sizeof rt->noted_sizes[0];
    for (unsigned i = 0; i < rt->noted_count; i++)
        if (rt->noted_sizes[i] == frame->length)
            return ARMTAP_OK;
    if (rt->noted_count == room)
        return ARMTAP_OK;
    rt->noted_sizes[rt->noted_count++] = (uint32_t)frame->length;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_rt_size_unknown, ARGS(arg_bytes(frame->length)));
}

static int new_size(struct realtime *rt, struct armtap_conn *conn, const struct armtap_frame *frame,
                    const struct armtap_recipe *recipe)
{
    int error = ARMTAP_OK;
    if (!armtap_realtime_is_listed(frame->length))
        error = note_unknown_size(rt, conn, frame);
    if (error == ARMTAP_OK && rt->last_size != 0)
        error = armtap_conn_raise(conn, frame, ARMTAP_NOTE_rt_size_changed,
                                  ARGS(arg_bytes(frame->length), arg_bytes_before(rt->last_size)));
    rt->last_size = frame->length;
    if (error == ARMTAP_OK)
        error = armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, 0, 0, 0, recipe);
    return error;
}

static int decode_packet(struct realtime *rt, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    const struct armtap_recipe *recipe = rt->layouts[0].recipe;
    int error = ARMTAP_OK;
    rt->searching = false;
    if (frame->length != rt->last_size) {
        error = layout_of(rt, conn, frame->length, &recipe);
        if (error == ARMTAP_OK)
            error = new_size(rt, conn, frame, recipe);
        if (error != ARMTAP_OK)
            return error;
        armtap_conn_version(conn, (int)frame->length, armtap_realtime_generation(frame->length));
    }
    struct armtap_data data = {
        .recipe = recipe,
        .version = (int)frame->length,
        .values = frame->bytes + LENGTH_WORD,
        .values_length = frame->length - LENGTH_WORD,
        .is_alone = true,
    };
    return armtap_conn_record(conn, frame, &data);
}

static int realtime_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct realtime *rt = context;
    return frame->direction == ARMTAP_FROM_ROBOT
               ? decode_packet(rt, conn, frame)
               : armtap_urscript_decode(&rt->script, ARMTAP_REALTIME, (int)rt->last_size, conn, frame);
}

/* Takes a last line without its line end. Part of a packet does not count. */
static int realtime_rest(void *context, struct armtap_conn *conn, const struct armtap_frame *frame, bool *used)
{
    *used = frame->direction == ARMTAP_TO_ROBOT;
    return *used ? realtime_decode(context, conn, frame) : ARMTAP_OK;
}

/* Of a packet the cells that are there, if its clock is. */
static size_t realtime_cut(enum armtap_direction direction, const uint8_t *frame)
{
    (void)frame;
    return direction == ARMTAP_FROM_ROBOT ? HEADER : 0;
}

static size_t realtime_expects(const void *context, enum armtap_direction direction, uint8_t head[ARMTAP_HEAD_MOST],
                               size_t *head_length)
{
    const struct realtime *rt = context;
    if (direction == ARMTAP_TO_ROBOT)
        return 0;
    armtap_put32(head, (uint32_t)rt->last_size);
    *head_length = LENGTH_WORD;
    return rt->last_size;
}

static const uint16_t ports[] = {30003, 30013, 0};

const struct armtap_decoder armtap_decoder_realtime = {
    .info = {.size = sizeof(struct armtap_protocol_info),
             .protocol = ARMTAP_REALTIME,
             .name = "realtime",
             .title = "legacy realtime",
             .description = "Universal Robots' legacy packets of one fixed layout, and scripts to the robot",
             .ports = ports,
             .traits = ARMTAP_TRAIT_UNASKED | ARMTAP_TRAIT_UR_CYCLE | ARMTAP_TRAIT_UR_COLUMNS,
             .header = LENGTH_WORD},
    .context_size = sizeof(struct realtime),
    .usual = sizeof(union longest_packet),
    .close = realtime_close,
    .frame = realtime_frame,
    .sure = realtime_sure,
    .follows = realtime_follows,
    .begins = realtime_begins,
    .speaks = armtap_urscript_speaks,
    .shows = realtime_shows,
    .cut = realtime_cut,
    .expects = realtime_expects,
    .decode = realtime_decode,
    .rest = realtime_rest,
    .lost = realtime_lost,
    .describe = armtap_realtime_describe,
    .identify = armtap_realtime_identify,
};

/* ---- one packet, without a connection ---- */

/* The plan of the last packet, kept after its state, because consecutive packets mostly have one size. */
struct last_plan {
    uint32_t word; /* the length word, which decides the layout; 0: there is no plan yet */
    uint32_t size; /* bytes at hand */
    struct armtap_plan plan;
    struct armtap_step steps[ARMTAP_COLUMNS_CB3E];
};
_Static_assert(sizeof(struct last_plan) <= ARMTAP_STATE_ROOM, "it fits behind the state");

/* The step for the field that armtap_realtime_next finds. */
static bool next_step(enum armtap_generation generation, size_t size, unsigned *column, unsigned *id,
                      struct armtap_step *step)
{
    size_t cell = *column - 1u;
    if (!armtap_realtime_next(generation, size, column, id))
        return false;
    *step = armtap_plan_step(armtap_op_for_cell((enum armtap_type)armtap_member_at(*id)->type), *id, 8 * cell);
    return true;
}

static void make_plan(struct last_plan *last, uint32_t word, uint32_t size)
{
    enum armtap_generation generation = armtap_realtime_generation(word);
    unsigned column = 1, id;
    struct armtap_step step;
    *last = (struct last_plan){.word = word, .size = size};
    armtap_plan_init(&last->plan, last->steps);
    while (next_step(generation, size, &column, &id, &step))
        armtap_plan_add(&last->plan, step, id);
}

/* Field by field, if a cell does not hold an integer. */
static void decode_fields(const uint8_t *cells, uint32_t word, uint32_t size, struct armtap_state *state)
{
    enum armtap_generation generation = armtap_realtime_generation(word);
    unsigned column = 1, id;
    struct armtap_step step;
    memset(&state->known, 0, sizeof state->known);
    while (next_step(generation, size, &column, &id, &step))
        if (armtap_step_decode(&step, cells, state))
            armtap_set_add(&state->known, id);
}

int armtap_decode_realtime(const void *packet, size_t length, struct armtap_state *state)
{
    const uint8_t *bytes = packet;
    if (!packet || !armtap_state_is_ours(state) || !armtap_state_room(state))
        return ARMTAP_ERR_ARGUMENT;
    if (length < HEADER)
        return ARMTAP_ERR_SHORT;
    uint32_t word = armtap_be32(bytes);
    if (!armtap_realtime_size_fits(word))
        return ARMTAP_ERR_NOT_OURS;
    uint32_t size = word < length ? word : (uint32_t)length;
    struct last_plan *last = armtap_state_room(state);
    if (last->word != word || last->size != size)
        make_plan(last, word, size);
    if (!last->plan.decode(&last->plan, bytes + LENGTH_WORD, state, &state->known, last->plan.count))
        decode_fields(bytes + LENGTH_WORD, word, size, state);
    state->time = ARMTAP_NO_TIME;
    state->protocol = ARMTAP_REALTIME;
    state->generation = armtap_realtime_generation(word);
    state->version = (int)word;
    state->arm = 1;
    return (int)size;
}

int armtap_encode_realtime(const struct armtap_state *state, size_t size, void *buffer)
{
    uint8_t *bytes = buffer;
    if (!state || !buffer || !armtap_realtime_size_fits(size))
        return ARMTAP_ERR_ARGUMENT;
    memset(bytes, 0, size);
    armtap_put32(bytes, (uint32_t)size);
    unsigned column = 1, id;
    struct armtap_step step;
    enum armtap_generation generation = armtap_realtime_generation(size);
    while (next_step(generation, size, &column, &id, &step))
        if (armtap_set_has(&state->known, id))
            armtap_step_encode(&step, state, bytes + LENGTH_WORD);
    return ARMTAP_OK;
}
