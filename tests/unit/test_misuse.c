/* Misuse of the API: calls from within callbacks, indices beyond the end, NULL, sinks and states of wrong sizes, calls
 * after an error. Each gives what armtap.h promises, also under the sanitizers. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "armtap.h"
#include "inside.h"

enum { PACKET_BYTES = 1220, PACKETS = 3 };

/* Legacy packets with a clock that starts at 100 s. */
static void fill_packets(uint8_t bytes[PACKETS * PACKET_BYTES])
{
    memset(bytes, 0, PACKETS * PACKET_BYTES);
    for (size_t k = 0; k < PACKETS; k++) {
        double clock = 100 + 0.008 * (double)k;
        uint64_t bits;
        memcpy(&bits, &clock, sizeof bits);
        bytes[k * PACKET_BYTES + 2] = PACKET_BYTES >> 8;
        bytes[k * PACKET_BYTES + 3] = PACKET_BYTES & 0xff;
        for (size_t i = 0; i < 8; i++)
            bytes[k * PACKET_BYTES + 4 + i] = (uint8_t)(bits >> (56 - 8 * i));
    }
}

/* What a callback does, and the result. */
enum deed { PUSH, GAP, CLOSE, SET_RECIPE, FREE, FREE_AND_STOP, STOP, NET_PACKET, NET_FINISH, NET_FREE, NOTHING };

struct user {
    enum deed deed;
    struct armtap_conn *conn;
    struct armtap_net *net;
    unsigned calls;
    int answer;
    uint8_t bytes[PACKETS * PACKET_BYTES];
};

static int act(struct user *user)
{
    static const struct armtap_packet packet = {.size = sizeof(struct armtap_packet), .link_type = 1};
    user->calls++;
    switch (user->deed) {
    case PUSH:
        user->answer = armtap_conn_push(user->conn, ARMTAP_FROM_ROBOT, user->bytes, PACKET_BYTES, NULL);
        return 0;
    case GAP:
        user->answer = armtap_conn_gap(user->conn, ARMTAP_FROM_ROBOT, 5, NULL);
        return 0;
    case CLOSE:
        user->answer = armtap_conn_close(user->conn, ARMTAP_FROM_ROBOT, NULL);
        return 0;
    case SET_RECIPE:
        user->answer = armtap_conn_set_recipe(user->conn, NULL);
        return 0;
    case FREE:
        armtap_conn_free(user->conn);
        return 0;
    case FREE_AND_STOP:
        armtap_conn_free(user->conn);
        return 1;
    case STOP:
        return 1;
    case NET_PACKET:
        user->answer = armtap_net_packet(user->net, &packet);
        return 0;
    case NET_FINISH:
        user->answer = armtap_net_finish(user->net);
        return 0;
    case NET_FREE:
        armtap_net_free(user->net);
        return 0;
    case NOTHING:
        break;
    }
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    (void)record;
    return act(user);
}

static int on_event(void *user, const struct armtap_event *event)
{
    (void)event;
    return act(user);
}

static const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record};
static const struct armtap_sink events = {.size = sizeof events, .on_event = on_event, .on_record = on_record};

static struct user *user_of(enum deed deed)
{
    struct user *user = calloc(1, sizeof *user);
    assert_non_null(user);
    user->deed = deed;
    fill_packets(user->bytes);
    assert_int_equal(armtap_conn_new(NULL, &sink, user, &user->conn), ARMTAP_OK);
    return user;
}

/* In two pieces, so that bytes wait in the connection while the callback runs. */
static int push_all(struct user *user)
{
    int error = armtap_conn_push(user->conn, ARMTAP_FROM_ROBOT, user->bytes, 700, NULL);
    return error != ARMTAP_OK
               ? error
               : armtap_conn_push(user->conn, ARMTAP_FROM_ROBOT, user->bytes + 700, sizeof user->bytes - 700, NULL);
}

/* ---- from within a callback -------------------------------------------------------------------------------------- */

static void calls_from_within_are_refused(void **state)
{
    static const enum deed deeds[] = {PUSH, GAP, CLOSE, SET_RECIPE};
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct user *user = user_of(deeds[i]);
        assert_int_equal(push_all(user), ARMTAP_OK);
        assert_int_equal(armtap_conn_close(user->conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
        assert_int_equal(user->answer, ARMTAP_ERR_BUSY);
        assert_int_equal(user->calls, PACKETS); /* nothing was lost or repeated */
        assert_int_equal(armtap_conn_stream(user->conn)->bytes_decoded[ARMTAP_FROM_ROBOT], sizeof user->bytes);
        armtap_conn_free(user->conn);
        free(user);
    }
}

static void freed_from_within(void **state)
{
    static const enum deed deeds[] = {FREE, FREE_AND_STOP};
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct user *user = user_of(deeds[i]);
        assert_int_equal(push_all(user), ARMTAP_ERR_STOPPED);
        assert_int_equal(user->calls, 1); /* no callback followed */
        free(user);
    }
}

static size_t segment(uint8_t *frame, uint32_t sequence, uint8_t flags, const uint8_t *payload, size_t length)
{
    static const uint8_t head[] = {0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,  8, 0, 0x45, 0,    0,    0,    0,
                                   1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 2, 10, 0, 0, 9,    0x75, 0x33, 0xc3, 0x50};
    size_t total = 40 + length;
    memset(frame, 0, 14 + total);
    memcpy(frame, head, sizeof head);
    frame[16] = (uint8_t)(total >> 8);
    frame[17] = (uint8_t)total;
    for (size_t i = 0; i < 4; i++)
        frame[38 + i] = (uint8_t)(sequence >> (24 - 8 * i));
    frame[46] = 0x50;
    frame[47] = flags;
    frame[48] = 0xff;
    memcpy(frame + 54, payload, length);
    return 14 + total;
}

static int net_play(struct user *user)
{
    uint8_t frame[54 + PACKET_BYTES];
    int error = ARMTAP_OK;
    for (size_t i = 0; i < PACKETS && error == ARMTAP_OK; i++) {
        size_t length =
            segment(frame, (uint32_t)(1 + i * PACKET_BYTES), 0x18, user->bytes + i * PACKET_BYTES, PACKET_BYTES);
        struct armtap_packet packet = {
            .size = sizeof(struct armtap_packet), .link_type = 1, .data = frame, .captured = length, .length = length};
        packet.where =
            (struct armtap_where){.size = sizeof(struct armtap_where), .time = (int64_t)i * 1000000, .packet = i + 1};
        error = armtap_net_packet(user->net, &packet);
    }
    return error;
}

static void a_net_from_within(void **state)
{
    static const enum deed deeds[] = {NET_PACKET, NET_FINISH, NET_FREE};
    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct user *user = user_of(deeds[i]);
        assert_int_equal(armtap_net_new(NULL, &events, user, &user->net), ARMTAP_OK);
        int error = net_play(user);
        if (deeds[i] == NET_FREE) {
            assert_int_equal(error, ARMTAP_ERR_STOPPED);
            assert_int_equal(user->calls, 1);
        } else {
            assert_int_equal(error, ARMTAP_OK);
            assert_int_equal(armtap_net_finish(user->net), ARMTAP_OK);
            assert_int_equal(user->answer, ARMTAP_ERR_BUSY);
            assert_true(user->calls > PACKETS);
            armtap_net_free(user->net);
        }
        armtap_conn_free(user->conn);
        free(user);
    }
}

/* ---- after an error ---------------------------------------------------------------------------------------------- */

static void an_error_stays(void **state)
{
    struct user *user = user_of(STOP);
    (void)state;
    assert_int_equal(armtap_conn_push(user->conn, (enum armtap_direction)9, user->bytes, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_push(user->conn, ARMTAP_FROM_ROBOT, NULL, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(push_all(user), ARMTAP_ERR_STOPPED);
    user->deed = NOTHING;
    assert_int_equal(push_all(user), ARMTAP_ERR_STOPPED);
    assert_int_equal(armtap_conn_gap(user->conn, ARMTAP_FROM_ROBOT, 1, NULL), ARMTAP_ERR_STOPPED);
    assert_int_equal(armtap_conn_close(user->conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_ERR_STOPPED);
    assert_int_equal(user->calls, 1);
    armtap_conn_free(user->conn);

    user->deed = STOP;
    assert_int_equal(armtap_net_new(NULL, &events, user, &user->net), ARMTAP_OK);
    assert_int_equal(
        armtap_net_packet(user->net, &(struct armtap_packet){.size = sizeof(struct armtap_packet), .link_type = -1}),
        ARMTAP_ERR_UNSUPPORTED);
    assert_int_equal(net_play(user), ARMTAP_ERR_STOPPED); /* an unknown link type does not end the net */
    user->deed = NOTHING;
    assert_int_equal(net_play(user), ARMTAP_ERR_STOPPED);
    assert_int_equal(armtap_net_finish(user->net), ARMTAP_ERR_STOPPED);
    armtap_net_free(user->net);
    free(user);
}

static void in_the_wrong_order(void **state)
{
    struct user *user = user_of(NOTHING);
    (void)state;
    assert_int_equal(armtap_conn_close(user->conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_close(user->conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(push_all(user), ARMTAP_OK);
    assert_int_equal(armtap_conn_gap(user->conn, ARMTAP_FROM_ROBOT, UINT64_MAX, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_gap(user->conn, ARMTAP_FROM_ROBOT, UINT64_MAX, NULL), ARMTAP_OK);
    assert_int_equal(push_all(user), ARMTAP_OK);
    armtap_conn_free(user->conn);

    struct armtap_knowledge *knowledge;
    assert_int_equal(armtap_knowledge_new(&knowledge), ARMTAP_OK);
    struct armtap_net_options options = {.size = sizeof options, .knowledge = knowledge};
    assert_int_equal(armtap_net_new(&options, &sink, user, &user->net), ARMTAP_OK);
    armtap_knowledge_free(knowledge); /* the net still holds it */
    assert_int_equal(net_play(user), ARMTAP_OK);
    assert_int_equal(armtap_net_finish(user->net), ARMTAP_OK);
    assert_int_equal(armtap_net_finish(user->net), ARMTAP_OK);
    assert_int_equal(net_play(user), ARMTAP_OK);
    armtap_net_free(user->net);
    free(user);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void sinks_of_any_size(void **state)
{
    struct {
        struct armtap_sink sink;
        uint8_t more[4096];
    } newer;
    size_t first = offsetof(struct armtap_sink, on_record), each = sizeof sink.on_record;
    struct user *user = user_of(NOTHING);
    (void)state;
    armtap_conn_free(user->conn);
    memset(&newer, 0x5a, sizeof newer);
    for (size_t size = 0; size < sizeof newer; size++) {
        newer.sink = sink;
        newer.sink.size = size;
        int wanted = size > first && (size - first) % each == 0 ? ARMTAP_OK : ARMTAP_ERR_SIZE;
        assert_int_equal(armtap_conn_new(NULL, &newer.sink, user, &user->conn), wanted);
        assert_int_equal(armtap_net_new(NULL, &newer.sink, user, &user->net), wanted);
        assert_true((!user->conn) == (wanted != ARMTAP_OK) && (!user->net) == (wanted != ARMTAP_OK));
        user->calls = 0;
        if (wanted == ARMTAP_OK && size % 256 == 0)
            assert_true(push_all(user) == ARMTAP_OK && user->calls > 0);
        armtap_conn_free(user->conn);
        armtap_net_free(user->net);
    }
    free(user);
}

static void options_of_any_size(void **state)
{
    struct armtap_port port = {sizeof port, 30003, ARMTAP_REALTIME};
    struct armtap_conn *conn;
    struct armtap_net *net;
    (void)state;
    for (size_t size = 0; size < 256; size++) {
        union {
            struct armtap_conn_options conn;
            struct armtap_net_options net;
            uint8_t bytes[256];
        } options;
        memset(&options, 0, sizeof options);
        options.conn.size = size;
        assert_int_equal(armtap_conn_new(&options.conn, NULL, NULL, &conn),
                         size < sizeof options.conn ? ARMTAP_ERR_SIZE : ARMTAP_OK);
        armtap_conn_free(conn);
        assert_int_equal(armtap_net_new(&options.net, NULL, NULL, &net),
                         size < sizeof options.net ? ARMTAP_ERR_SIZE : ARMTAP_OK);
        armtap_net_free(net);
    }
    struct armtap_net_options many = {.size = sizeof many, .ports = &port, .port_count = SIZE_MAX};
    assert_int_equal(armtap_net_new(&many, NULL, NULL, &net), ARMTAP_ERR_ARGUMENT);
    many.ports = NULL;
    many.port_count = 1;
    assert_int_equal(armtap_net_new(&many, NULL, NULL, &net), ARMTAP_ERR_ARGUMENT);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* States that the library did not create: on the stack, zeroed by hand, a copy of a good one. */
static void strange_states_are_not_written(void **state)
{
    struct user *user = user_of(NOTHING);
    struct armtap_state *good = armtap_state_new(), *zeroed = calloc(1, sizeof *zeroed), before;
    struct armtap_value value;
    const struct armtap_field *field = armtap_field_at(ARMTAP_ID_actual_q);
    (void)state;
    assert_true(good && zeroed);
    assert_int_equal(armtap_decode_realtime(user->bytes, PACKET_BYTES, good), PACKET_BYTES);
    armtap_state_get(good, field, &value);
    for (int copied = 0; copied < 2; copied++) {
        if (copied)
            *zeroed = *good;
        before = *zeroed;
        assert_int_equal(armtap_decode_realtime(user->bytes, PACKET_BYTES, zeroed), ARMTAP_ERR_ARGUMENT);
        assert_int_equal(armtap_state_set(zeroed, field, &value), ARMTAP_ERR_ARGUMENT);
        armtap_state_clear(zeroed);
        armtap_state_copy(zeroed, good);
        armtap_state_merge(zeroed, good);
        armtap_state_free(zeroed);
        assert_memory_equal(zeroed, &before, sizeof before);
    }
    armtap_state_copy(good, zeroed); /* reading it is allowed */
    armtap_state_copy(good, good);
    armtap_state_merge(good, good);
    assert_true(armtap_set_has(&good->known, ARMTAP_ID_actual_q));
    assert_int_equal(armtap_decode_realtime(user->bytes, PACKET_BYTES, good), PACKET_BYTES);
    armtap_state_clear(good);
    assert_int_equal(armtap_decode_realtime(user->bytes, PACKET_BYTES, good), PACKET_BYTES);
    armtap_state_free(good);
    free(zeroed);
    armtap_conn_free(user->conn);
    free(user);
}

static void strange_fields(void **state)
{
    struct armtap_state *good = armtap_state_new();
    struct armtap_field field = *armtap_field_at(ARMTAP_ID_timestamp);
    struct armtap_value value = {.type = ARMTAP_DOUBLE, .count = 1, .present = true, .f64 = {7}};
    (void)state;
    assert_non_null(good);
    field.offset = 1u << 30; /* the caller's copy is ignored */
    assert_int_equal(armtap_state_set(good, &field, &value), ARMTAP_OK);
    assert_true(good->timestamp == 7);
    field.id = ARMTAP_FIELD_COUNT;
    assert_int_equal(armtap_state_set(good, &field, &value), ARMTAP_ERR_ARGUMENT);
    armtap_state_get(good, &field, &value);
    assert_true(!value.present && !value.name);
    value = (struct armtap_value){.type = ARMTAP_DOUBLE, .count = 1000};
    assert_int_equal(armtap_state_set(good, armtap_field_at(0), &value), ARMTAP_ERR_ARGUMENT);
    armtap_state_free(good);
}

static bool may_set(enum armtap_field_id id, enum armtap_type type, int64_t number)
{
    struct armtap_state *state = armtap_state_new();
    const struct armtap_field *field = armtap_field_at(id);
    struct armtap_value value = {.type = type, .count = field->count}, got;
    assert_true(state && field->type == type);
    value.i64[0] = number;
    int outcome = armtap_state_set(state, field, &value);
    assert_int_equal(outcome == ARMTAP_OK, armtap_set_has(&state->known, id));
    armtap_state_get(state, field, &got);
    assert_true(outcome != ARMTAP_OK || got.i64[0] == number);
    armtap_state_free(state);
    return outcome == ARMTAP_OK;
}

/* What does not fit is refused, not cut. */
static void numbers_must_fit(void **unused)
{
    static const struct armtap_rtde_package fits = {
        .size = sizeof(struct armtap_rtde_package), .protocol = 2, .id = 255, .level = 255, .has_id = true};
    struct armtap_rtde_package package = {
        .size = sizeof(struct armtap_rtde_package), .protocol = 2, .accepted = 256, .direction = ARMTAP_FROM_ROBOT};
    uint8_t buffer[64];
    (void)unused;
    assert_true(may_set(ARMTAP_ID_robot_mode, ARMTAP_INT32, INT32_MIN));
    assert_false(may_set(ARMTAP_ID_robot_mode, ARMTAP_INT32, INT64_C(1) << 31));
    assert_false(may_set(ARMTAP_ID_robot_mode, ARMTAP_INT32, INT64_C(-2147483649)));
    assert_true(may_set(ARMTAP_ID_runtime_state, ARMTAP_UINT32, UINT32_MAX));
    assert_false(may_set(ARMTAP_ID_runtime_state, ARMTAP_UINT32, INT64_C(1) << 32));
    assert_false(may_set(ARMTAP_ID_runtime_state, ARMTAP_UINT32, -1));
    package.type = ARMTAP_RTDE_START;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
    package.accepted = 255;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), 4);
    assert_int_equal(buffer[3], 255);
    const enum armtap_rtde_type types[] = {ARMTAP_RTDE_DATA, ARMTAP_RTDE_TEXT};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        package = fits;
        package.type = types[i];
        assert_true(armtap_rtde_write(&package, buffer, sizeof buffer) > 0);
        package.id = 256;
        assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
        package.id = 0;
        package.level = 256;
        assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
        for (int protocol = -1; protocol <= 4; protocol++) {
            package = fits;
            package.type = types[i];
            package.protocol = protocol;
            assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer) > 0, protocol >= 1 && protocol <= 3);
        }
    }
    package = (struct armtap_rtde_package){.size = sizeof(struct armtap_rtde_package),
                                           .type = ARMTAP_RTDE_VERSION,
                                           .direction = ARMTAP_TO_ROBOT,
                                           .version = 65535};
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), 5);
    package.version = 65536;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
}

/* ---- beyond the end, and NULL ------------------------------------------------------------------------------------ */

static void beyond_the_end(void **state)
{
    struct armtap_recipe *recipe;
    struct armtap_value value = {.present = true};
    uint8_t bytes[PACKET_BYTES] = {0};
    (void)state;
    assert_int_equal(armtap_recipe_realtime(PACKET_BYTES, &recipe), ARMTAP_OK);
    size_t count = armtap_recipe_count(recipe), beyond[] = {count, count + 1, 5000, SIZE_MAX};
    armtap_recipe_read(recipe, count - 1, bytes, sizeof bytes, &value);
    assert_true(value.present && value.name);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        value.present = true;
        armtap_recipe_read(recipe, beyond[i], bytes, sizeof bytes, &value);
        assert_true(!value.present && !value.name && !value.field && value.count == 0);
        assert_null(armtap_recipe_at(recipe, beyond[i]));
    }
    armtap_recipe_read(recipe, 0, NULL, sizeof bytes, &value);
    assert_false(value.present);
    armtap_recipe_release(recipe);
    assert_null(armtap_field_at(SIZE_MAX));
    assert_null(armtap_note_at(SIZE_MAX));
    assert_null(armtap_note_find(NULL));
    assert_null(armtap_known_recipe_at(SIZE_MAX));
    assert_null(armtap_enum_at(armtap_field_at(ARMTAP_ID_robot_mode), SIZE_MAX));
    assert_string_equal(armtap_severity_name((enum armtap_severity)77), "");
    assert_string_equal(armtap_type_name((enum armtap_type)99, 7), "");
    assert_int_equal(armtap_type_width((enum armtap_type)99), 0);
    assert_null(armtap_protocol_name((enum armtap_protocol) - 1));
    assert_string_equal(armtap_direction_name((enum armtap_direction)2), "");
    assert_string_equal(armtap_strerror(ARMTAP_ERR_BUSY), "called from within a callback of the same object");
}

static int stop(void *user, const struct armtap_piece *piece)
{
    (void)piece;
    return ++*(int *)user == 2;
}

static void messages_to_describe(void **state)
{
    static const uint8_t package[] = {0, 5, 'V', 0, 2};
    struct armtap_subject subject = {.size = sizeof subject,
                                     .protocol = ARMTAP_RTDE,
                                     .direction = ARMTAP_TO_ROBOT,
                                     .bytes = package,
                                     .length = sizeof package};
    const char *kind = NULL;
    char doubt[4] = "abc";
    int calls = 0;
    (void)state;
    assert_int_equal(armtap_describe(&subject, NULL, NULL, &kind), ARMTAP_OK);
    assert_string_equal(kind, "REQUEST_PROTOCOL_VERSION");
    assert_int_equal(armtap_describe(&subject, stop, &calls, &kind), ARMTAP_ERR_STOPPED);
    assert_int_equal(calls, 2);
    assert_int_equal(armtap_describe(NULL, NULL, NULL, &kind), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_describe(&subject, NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_identify(NULL, false, doubt, sizeof doubt), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_identify(&subject, false, NULL, 0), ARMTAP_ERR_ARGUMENT);
    subject.length = 4; /* cut: whose content cannot be judged */
    assert_int_equal(armtap_identify(&subject, false, doubt, sizeof doubt), ARMTAP_OK);
    assert_string_equal(doubt, "");
    struct armtap_subject bad = subject;
    bad.size = sizeof bad - 1;
    assert_int_equal(armtap_describe(&bad, NULL, NULL, &kind), ARMTAP_ERR_SIZE);
    bad = subject;
    bad.values_at = bad.length + 1;
    assert_int_equal(armtap_describe(&bad, NULL, NULL, &kind), ARMTAP_ERR_ARGUMENT);
    bad = subject;
    bad.bytes = NULL;
    assert_int_equal(armtap_describe(&bad, NULL, NULL, &kind), ARMTAP_ERR_ARGUMENT);
    bad = subject;
    bad.protocol = (enum armtap_protocol)999;
    assert_int_equal(armtap_describe(&bad, NULL, NULL, &kind), ARMTAP_ERR_UNSUPPORTED);
    assert_int_equal(armtap_identify(&bad, false, doubt, sizeof doubt), ARMTAP_ERR_UNSUPPORTED);
}

static void nothing_at_all(void **state)
{
    struct armtap_value value = {.present = true};
    struct armtap_rtde_package package = {
        .size = sizeof(struct armtap_rtde_package), .type = ARMTAP_RTDE_SETUP_OUTPUTS, .direction = ARMTAP_TO_ROBOT};
    char buffer[16];
    (void)state;
    assert_true(!armtap_field_find(NULL, 5) && !armtap_field_nearest(NULL, 5, ARMTAP_FIELD_BOTH));
    assert_false(armtap_enum_has(NULL, ARMTAP_GENERATION_CB2));
    assert_true(!armtap_enum_at(NULL, 0) && !armtap_enum_name(NULL, 0, ARMTAP_GENERATION_CB2));
    assert_int_equal(armtap_protocol_find(NULL), ARMTAP_PROTOCOL_NONE);
    armtap_state_free(NULL);
    armtap_state_clear(NULL);
    armtap_state_copy(NULL, NULL);
    assert_null(armtap_budget_find(NULL));
    armtap_digest_free(NULL);
    armtap_state_merge(NULL, NULL);
    armtap_state_get(NULL, NULL, &value);
    assert_false(value.present);
    armtap_state_get(NULL, NULL, NULL);
    assert_int_equal(armtap_state_set(NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_true(armtap_recipe_count(NULL) == 0 && !armtap_recipe_at(NULL, 0) && armtap_recipe_size(NULL) == 0);
    assert_int_equal(armtap_recipe_protocol(NULL), ARMTAP_PROTOCOL_NONE);
    assert_null(armtap_recipe_hold(NULL));
    armtap_recipe_release(NULL);
    value.present = true;
    armtap_recipe_read(NULL, 0, NULL, 0, &value);
    assert_false(value.present);
    armtap_recipe_read(NULL, 0, NULL, 0, NULL);
    assert_false(armtap_record_value(NULL, 0, &value));
    assert_int_equal(armtap_recipe_realtime(PACKET_BYTES, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_rtde(NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_not_equal(armtap_recipe_aubo(NULL, 5, NULL), ARMTAP_OK);
    assert_int_equal(armtap_decode_realtime(NULL, PACKET_BYTES, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_realtime(NULL, PACKET_BYTES, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_encode_values(NULL, NULL, NULL, 0), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_rtde_parse(NULL, 5, ARMTAP_FROM_ROBOT, 2, &package), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_rtde_write(NULL, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
    package.type = ARMTAP_RTDE_SETUP_OUTPUTS;
    package.direction = ARMTAP_TO_ROBOT;
    package.names_length = 5;
    assert_int_equal(armtap_rtde_write(&package, buffer, sizeof buffer), ARMTAP_ERR_ARGUMENT);
    package.names = "x";
    package.names_length = SIZE_MAX; /* longer than a package, and than the buffer */
    assert_true(armtap_rtde_write(&package, buffer, sizeof buffer) < 0);
    assert_int_equal(armtap_conn_new(NULL, NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_push(NULL, ARMTAP_FROM_ROBOT, buffer, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_gap(NULL, ARMTAP_FROM_ROBOT, 1, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_close(NULL, ARMTAP_FROM_ROBOT, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_conn_set_recipe(NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_null(armtap_conn_stream(NULL));
    armtap_conn_free(NULL);
    assert_int_equal(armtap_net_new(NULL, NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_packet(NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_finish(NULL), ARMTAP_ERR_ARGUMENT);
    armtap_net_free(NULL);
    assert_int_equal(armtap_knowledge_new(NULL), ARMTAP_ERR_ARGUMENT);
    armtap_knowledge_seal(NULL);
    armtap_knowledge_free(NULL);
    assert_false(armtap_knowledge_has_guesses(NULL));
    assert_false(armtap_net_is_settled(NULL, NULL));
    assert_false(armtap_port_at(0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_from_within_are_refused),
        cmocka_unit_test(freed_from_within),
        cmocka_unit_test(a_net_from_within),
        cmocka_unit_test(an_error_stays),
        cmocka_unit_test(in_the_wrong_order),
        cmocka_unit_test(sinks_of_any_size),
        cmocka_unit_test(options_of_any_size),
        cmocka_unit_test(strange_states_are_not_written),
        cmocka_unit_test(strange_fields),
        cmocka_unit_test(numbers_must_fit),
        cmocka_unit_test(beyond_the_end),
        cmocka_unit_test(messages_to_describe),
        cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
