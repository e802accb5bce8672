/* A message taken apart, found alone and with anything claimed about it: the pieces cover each byte once, in order, and
 * what they point to can be read. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#define DIRECTED 1
#define TO_ROBOT 2
#define ALONE 4
#define NAMED 8
#define WITH_RECIPE 16
#define WITH_CONTENT 32
#define STOPS 64

struct seen {
    size_t at, length, packed, stop_at;
    unsigned sum; /* of all bytes that pieces point to */
};

static void read_text(struct seen *seen, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        seen->sum += (unsigned char)text[i];
}

static int on_piece(void *user, const struct armtap_piece *piece)
{
    struct seen *seen = user;
    CHECK(piece->offset == seen->at && piece->length <= seen->length - seen->at);
    CHECK(piece->length > 0 || seen->at == seen->length);
    CHECK(!piece->value.present || piece->value.count == 1);
    seen->at += piece->length;
    seen->packed += piece->length == 0;
    read_text(seen, piece->name, strlen(piece->name));
    read_text(seen, piece->unit, strlen(piece->unit));
    read_text(seen, piece->remark, strlen(piece->remark));
    if (piece->value.present && armtap_value_is_text(&piece->value))
        read_text(seen, piece->value.text, piece->value.length);
    return seen->stop_at > 0 && seen->at >= seen->stop_at;
}

static void check_describe(const struct armtap_subject *subject, size_t stop_at)
{
    struct seen seen = {.length = subject->length, .stop_at = stop_at};
    const char *kind = NULL;
    int error = armtap_describe(subject, on_piece, &seen, &kind);
    if (!armtap_protocol_name(subject->protocol)) {
        CHECK(error == ARMTAP_ERR_UNSUPPORTED);
        return;
    }
    CHECK(error == ARMTAP_OK || (error == ARMTAP_ERR_STOPPED && stop_at > 0));
    CHECK(kind && *kind != '\0');
    CHECK(error != ARMTAP_OK || seen.at == subject->length);
    CHECK(seen.packed <= (1u << 20)); /* what a frame inflates to */
}

/* Found alone: one message after the other. */
static void check_alone(struct armtap_subject subject, bool directed)
{
    char doubt[40];
    for (size_t length; subject.length > 0; subject.bytes += length) {
        struct armtap_subject found = subject;
        int error = armtap_identify(&found, directed, doubt, sizeof doubt);
        CHECK(memchr(doubt, '\0', sizeof doubt));
        CHECK(found.length > 0 && found.length <= subject.length);
        if (error != ARMTAP_OK) {
            CHECK(error == ARMTAP_ERR_NOT_OURS && found.length == subject.length);
            return;
        }
        check_describe(&found, 0);
        length = found.length;
        subject.length -= length;
    }
}

static struct armtap_recipe *make_recipe(enum armtap_protocol protocol)
{
    static const char set_up[] = "[100,{\"chanel\":0,\"segments\":[\"R1_actual_q\",\"x\",\"R1_robot_mode\"]}]";
    struct armtap_recipe *recipe = NULL;
    if (protocol == ARMTAP_RTDE)
        CHECK(armtap_recipe_rtde("timestamp,actual_q,a,robot_mode,b", "DOUBLE,VECTOR6D,BOOL,INT32,UINT64", &recipe) ==
              ARMTAP_OK);
    else if (protocol == ARMTAP_AUBO)
        CHECK(armtap_recipe_aubo(set_up, sizeof set_up - 1, &recipe) != ARMTAP_ERR_ARGUMENT);
    else
        CHECK(armtap_recipe_realtime(812, &recipe) == ARMTAP_OK);
    return recipe;
}

FUZZ_TARGET(describe)
{
    struct input input = {data, data + size};
    unsigned flags = input_byte(&input), protocols = input_byte(&input), version = input_byte(&input);
    size_t values_at = input_byte(&input), content_length = flags & WITH_CONTENT ? input_byte(&input) : 0;
    const uint8_t *content = input_bytes(&input, &content_length);
    size_t length = input_left(&input);
    uint8_t *bytes = copy_of(input_bytes(&input, &length), length), *copy = copy_of(content, content_length);
    enum armtap_protocol protocol = (enum armtap_protocol)(protocols % 4);
    struct armtap_recipe *recipe = make_recipe((enum armtap_protocol)(1 + protocols / 4 % 3));
    struct armtap_subject subject = {.size = sizeof subject,
                                     .protocol = flags & ALONE && !(flags & NAMED) ? ARMTAP_PROTOCOL_NONE : protocol,
                                     .direction = flags & TO_ROBOT ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT,
                                     .bytes = bytes,
                                     .length = length,
                                     .version = (int)version % 4,
                                     .generation = (enum armtap_generation)(version / 4 % 4),
                                     .recipe = flags & WITH_RECIPE ? recipe : NULL,
                                     .values_at = values_at < length ? values_at : length,
                                     .set_up = flags & WITH_RECIPE ? recipe : NULL,
                                     .content = flags & WITH_CONTENT ? copy : NULL,
                                     .content_length = content_length};
    if (flags & ALONE && (subject.protocol == ARMTAP_PROTOCOL_NONE || armtap_protocol_name(protocol)))
        check_alone(subject, flags & DIRECTED);
    else
        check_describe(&subject, flags & STOPS ? 1 + length / 2 : 0);
    armtap_recipe_release(recipe);
    free(copy);
    free(bytes);
    return 0;
}
