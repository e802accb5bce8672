#include "script.h"

#include <stdlib.h>
#include <string.h>

#include "connection/connection.h"

#define CONN_BYTES_MAX (4u * 1024 * 1024) /* of one connection, recipes and waiting requests included */
#define SINGLE_BYTES_MAX 600              /* longer ones are not pushed byte by byte */

void script_step(struct script *script, enum script_kind kind, enum armtap_direction direction, const uint8_t *bytes,
                 size_t length)
{
    if (script->count < SCRIPT_STEPS)
        script->steps[script->count++] = (struct script_step){kind, direction, bytes, length};
}

void script_pieces(struct script *script, struct input *input)
{
    enum { GAP = 2 };
    while (input_left(input) > 0) {
        unsigned head = input_byte(input);
        enum armtap_direction direction = (enum armtap_direction)(head & 1);
        size_t length = input_byte(input);
        if (head & GAP) {
            script_step(script, SCRIPT_GAP, direction, NULL, length);
            continue;
        }
        const uint8_t *bytes = input_bytes(input, &length);
        script_step(script, SCRIPT_BYTES, direction, bytes, length);
    }
}

struct player {
    struct armtap_conn *conn;
    struct watch *watch;
    size_t largest; /* piece; 0: steps as they are */
    uint64_t seed;
};

static size_t next_size(struct player *player, size_t left)
{
    if (player->largest == 0)
        return left;
    player->seed ^= player->seed << 13;
    player->seed ^= player->seed >> 7;
    player->seed ^= player->seed << 17;
    size_t size = (size_t)(player->seed % player->largest) + 1;
    return size < left ? size : left;
}

static int push(struct player *player, const struct script_step *step, const struct armtap_where *where)
{
    int error = ARMTAP_OK;
    for (size_t at = 0; at < step->length && error == ARMTAP_OK;) {
        size_t size = next_size(player, step->length - at);
        uint8_t *piece = copy_of(step->bytes + at, size);
        player->watch->pushed[step->direction] += size;
        error = armtap_conn_push(player->conn, step->direction, piece, size, where);
        free(piece);
        at += size;
        if (error == ARMTAP_OK)
            watch_counters(player->watch, false);
    }
    return error;
}

static int take_step(struct player *player, const struct script_step *step, uint64_t number)
{
    struct armtap_where where = {.size = sizeof where, .time = (int64_t)number * 1000000, .packet = number};
    if (step->kind == SCRIPT_BYTES)
        return push(player, step, &where);
    if (step->kind == SCRIPT_CLOSE)
        return armtap_conn_close(player->conn, step->direction, &where);
    player->watch->pushed[step->direction] += step->length;
    return armtap_conn_gap(player->conn, step->direction, step->length, &where);
}

static void add_stream(struct watch *watch, const struct armtap_stream *stream)
{
    watch_number(watch, stream->protocol);
    watch_number(watch, (uint64_t)stream->version);
    watch_number(watch, stream->generation);
    watch_number(watch, stream->gaps);
    watch_add(watch, stream->controller_version, strlen(stream->controller_version));
    for (int i = 0; i < 2; i++) {
        watch_number(watch, stream->records[i]);
        watch_number(watch, stream->bytes_decoded[i]);
        watch_number(watch, stream->bytes_lost[i]);
        watch_number(watch, stream->bytes_skipped[i]);
    }
}

static struct armtap_conn *make_conn(const struct script *script, struct watch *watch)
{
    struct armtap_sink sink = watch_sink();
    struct armtap_conn *conn;
    struct armtap_recipe *recipe;
    CHECK(armtap_conn_create(&script->setup, &sink, watch, &conn) == ARMTAP_OK);
    if (script->recipe_names) {
        const char *names = script->recipe_names;
        CHECK((names[0] == '[' ? armtap_recipe_aubo(names, strlen(names), &recipe)
                               : armtap_recipe_rtde(names, NULL, &recipe)) == ARMTAP_OK);
        CHECK(armtap_conn_set_recipe(conn, recipe) == ARMTAP_OK);
        armtap_recipe_release(recipe);
    }
    return conn;
}

static uint64_t play(const struct script *script, size_t largest)
{
    struct watch watch = {.stop_at = script->stop_at};
    size_t before = bytes_held();
    struct armtap_conn *conn = make_conn(script, &watch);
    struct player player = {conn, &watch, largest, script->count * 2654435761u + 1};
    int error = ARMTAP_OK;
    watch.conn = conn;
    watch_trace("pieces of up to %zu", largest);
    for (size_t i = 0; i < script->count && error == ARMTAP_OK; i++) {
        error = take_step(&player, &script->steps[i], i + 1);
        CHECK(bytes_held() <= before + CONN_BYTES_MAX);
    }
    for (int i = 0; i < 2 && error == ARMTAP_OK; i++)
        error = armtap_conn_close(conn, (enum armtap_direction)i, NULL);
    CHECK(error == (script->stop_at && watch.calls >= script->stop_at ? ARMTAP_ERR_STOPPED : ARMTAP_OK));
    CHECK(error != ARMTAP_ERR_STOPPED || watch.calls == script->stop_at);
    if (error == ARMTAP_OK) {
        watch_counters(&watch, true);
        add_stream(&watch, armtap_conn_stream(conn));
    }
    armtap_conn_free(conn);
    return watch.digest;
}

void script_check(const struct script *script)
{
    size_t length = 0;
    for (size_t i = 0; i < script->count; i++)
        length += script->steps[i].length;
    uint64_t whole = play(script, 0);
    CHECK(play(script, 2 + length / 12) == whole || script->stop_at);
    if (length <= SINGLE_BYTES_MAX)
        CHECK(play(script, 1) == whole || script->stop_at);
}
