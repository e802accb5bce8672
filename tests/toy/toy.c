/* A toy protocol on TCP 40000: the test shows what a new protocol needs.
 *
 * From the robot, without a request, 100 times a second, all big-endian: a header of 16 bytes {"TOY1", uint32 length of
 * the message, double seconds since the robot started}, then doubles: the joint positions, and a level that is not in
 * the dictionary. A message may end after any value. */
#include <string.h>

#include "../../lib/bytes.h"
#include "protocol/decoder.h"
#include "protocol/describe.h"
#include "table/recipe.h"

#define HEADER 16u
#define BEFORE_VALUES 8u /* the clock is also a value */
#define LARGEST 1024u
#define PROTOCOL ((enum armtap_protocol)1000)

static const struct armtap_recipe_row rows[] = {
    {"timestamp", ARMTAP_DOUBLE, 1},
    {"actual_q", ARMTAP_DOUBLE, 6},
    {"toy_level", ARMTAP_DOUBLE, 1},
};

struct toy {
    struct armtap_recipe *recipe;
};

static long toy_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    static const uint8_t magic[4] = {'T', 'O', 'Y', '1'};
    (void)context;
    if (direction != ARMTAP_FROM_ROBOT || memcmp(bytes, magic, length < 4 ? length : 4) != 0)
        return -1;
    if (length < 8)
        return 0;
    uint32_t size = armtap_be32(bytes + 4);
    return size < HEADER || size > LARGEST ? -1 : (long)size;
}

static int toy_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct toy *toy = context;
    if (!toy->recipe) {
        int error = armtap_recipe_of_rows(PROTOCOL, rows, sizeof rows / sizeof *rows, &toy->recipe);
        if (error == ARMTAP_OK)
            error = armtap_conn_recipe(conn, frame, ARMTAP_FROM_ROBOT, 0, 0, 0, toy->recipe);
        if (error != ARMTAP_OK)
            return error;
    }
    const struct armtap_data data = {
        .recipe = toy->recipe, .values = frame->bytes + BEFORE_VALUES, .values_length = frame->length - BEFORE_VALUES};
    return armtap_conn_record(conn, frame, &data);
}

static int toy_describe(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    struct armtap_recipe *recipe = NULL;
    *kind = "joints";
    pieces->rest = "cut, or beyond the last value";
    if (subject->length < BEFORE_VALUES)
        return ARMTAP_OK;
    armtap_pieces_add(pieces, 0, 4, "magic");
    armtap_pieces_text(pieces, subject->bytes, 4);
    armtap_pieces_size(pieces, 4, 4, "length");
    int error = armtap_recipe_of_rows(PROTOCOL, rows, sizeof rows / sizeof *rows, &recipe);
    if (error == ARMTAP_OK)
        armtap_pieces_values(pieces, recipe, BEFORE_VALUES, subject->length - BEFORE_VALUES);
    armtap_recipe_release(recipe);
    return error;
}

static void toy_close(void *context)
{
    struct toy *toy = context;
    armtap_recipe_release(toy->recipe);
}

static const uint16_t ports[] = {40000, 0};

const struct armtap_decoder armtap_decoder_toy = {
    .info = {.size = sizeof(struct armtap_protocol_info),
             .protocol = PROTOCOL,
             .name = "toy",
             .title = "toy",
             .description = "a toy's joints, for tests",
             .ports = ports,
             .traits = ARMTAP_TRAIT_UNASKED,
             .header = BEFORE_VALUES},
    .context_size = sizeof(struct toy),
    .close = toy_close,
    .frame = toy_frame,
    .decode = toy_decode,
    .describe = toy_describe,
};
