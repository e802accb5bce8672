/* The library's edges: structures that callers fill begin with their size, a state says whose it is, and known is what
 * the recipe in force has. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armtap.h"
#include "analysis/armtap-analysis.h"
#include "capture/armtap-capture.h"
#include "client/armtap-client.h"

/* ---- whose a state is -------------------------------------------------------------------------------------------- */

struct owners {
    enum armtap_protocol protocol; /* whose records count */
    enum armtap_generation generation;
    size_t records;
    bool wrong;
};

static int check_owner(void *user, const struct armtap_record *record)
{
    struct owners *owners = user;
    for (size_t i = 0; i < record->arm_count; i++) {
        const struct armtap_state *state = record->arms[i].state;
        owners->wrong = owners->wrong || state->protocol != record->protocol || state->time != record->where.time ||
                        state->generation != record->stream->generation || state->version != record->version ||
                        state->arm != record->arms[i].number;
    }
    if (record->direction == ARMTAP_FROM_ROBOT && record->state->protocol == owners->protocol) {
        owners->records++;
        owners->generation = record->state->generation;
    }
    return 0;
}

static void test_a_state_says_whose_it_is(void **unused)
{
    static const struct {
        const char *name;
        enum armtap_protocol protocol;
        enum armtap_generation generation;
    } samples[] = {{"cb2-812.pcap.gz", ARMTAP_REALTIME, ARMTAP_GENERATION_CB2},
                   {"cb3-1060.pcap.gz", ARMTAP_REALTIME, ARMTAP_GENERATION_CB3E},
                   {"e-series-1220.pcapng.gz", ARMTAP_REALTIME, ARMTAP_GENERATION_CB3E},
                   {"rtde-stop.pcap", ARMTAP_RTDE, ARMTAP_GENERATION_CB3E},
                   {"primary-stop.pcap.gz", ARMTAP_PRIMARY, ARMTAP_GENERATION_CB3E},
                   {"aubo-two-arms.pcap.gz", ARMTAP_AUBO, ARMTAP_GENERATION_AUBO}};
    (void)unused;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct armtap_sink sink = {.size = sizeof sink, .on_record = check_owner};
        struct owners owners = {.protocol = samples[i].protocol};
        struct armtap_net *net;
        char path[400];
        if (!armtap_protocol_name(samples[i].protocol))
            continue;
        snprintf(path, sizeof path, "%s/captures/%s", getenv("srcdir") ? getenv("srcdir") : ".", samples[i].name);
        struct armtap_capture *capture = armtap_capture_open(path);
        assert_int_equal(armtap_net_new(NULL, &sink, &owners, &net), ARMTAP_OK);
        int error = armtap_capture_push(capture, net);
        if (error != ARMTAP_OK)
            fail_msg("%s", armtap_capture_problem(capture));
        armtap_net_finish(net);
        if (owners.wrong || owners.records < 5 || owners.generation != samples[i].generation)
            fail_msg("%s: %zu records, generation %d", samples[i].name, owners.records, (int)owners.generation);
        armtap_net_free(net);
        armtap_capture_close(capture);
    }
}

/* The name of mode 7 in a packet of that size, by the state alone. */
static const char *mode_seven(size_t size, struct armtap_state *state)
{
    uint8_t packet[1220];
    const struct armtap_field *mode = armtap_field_at(ARMTAP_ID_robot_mode);
    struct armtap_state *sent = armtap_state_new();
    assert_non_null(sent);
    sent->robot_mode = 7;
    armtap_set_add(&sent->known, ARMTAP_ID_robot_mode);
    assert_int_equal(armtap_encode_realtime(sent, size, packet), ARMTAP_OK);
    assert_int_equal(armtap_decode_realtime(packet, size, state), size);
    armtap_state_free(sent);
    return armtap_enum_name(mode, state->robot_mode, state->generation);
}

static void test_a_mode_is_read_by_its_state(void **unused)
{
    struct armtap_state *state = armtap_state_new(), *other = armtap_state_new();
    (void)unused;
    assert_true(state->time == ARMTAP_NO_TIME && state->protocol == ARMTAP_PROTOCOL_NONE && state->arm == 0);
    assert_string_equal(mode_seven(1060, state), "RUNNING");
    assert_true(state->protocol == ARMTAP_REALTIME && state->version == 1060 && state->arm == 1);
    assert_string_equal(mode_seven(812, state), "NO_POWER");
    assert_int_equal(state->version, 812);
    armtap_state_copy(other, state);
    assert_true(other->generation == ARMTAP_GENERATION_CB2 && other->version == 812);
    armtap_state_clear(other);
    assert_true(other->generation == ARMTAP_GENERATION_UNKNOWN && other->time == ARMTAP_NO_TIME);
    armtap_state_merge(other, state);
    assert_true(other->generation == ARMTAP_GENERATION_CB2 && other->protocol == ARMTAP_REALTIME);
    armtap_state_free(state);
    armtap_state_free(other);
}

/* In memory of the caller's: nothing is written beyond it, and it is the caller's again afterwards. */
static void test_a_state_needs_no_malloc(void **unused)
{
    uint64_t memory[ARMTAP_STATE_BYTES / sizeof(uint64_t) + 3], guard = UINT64_C(0x5a5a5a5a5a5a5a5a);
    size_t last = ARMTAP_STATE_BYTES / sizeof(uint64_t) + 1;
    (void)unused;
    memset(memory, 0x5a, sizeof memory);
    assert_null(armtap_state_in(NULL, sizeof memory));
    assert_null(armtap_state_in(memory + 1, ARMTAP_STATE_BYTES - 1));
    assert_null(armtap_state_in((char *)(memory + 1) + 1, ARMTAP_STATE_BYTES + 8));
    assert_true(memory[0] == guard && memory[1] == guard && memory[last] == guard);
    struct armtap_state *state = armtap_state_in(memory + 1, ARMTAP_STATE_BYTES), *other = armtap_state_new();
    assert_ptr_equal(state, memory + 1);
    assert_true(state->time == ARMTAP_NO_TIME && !armtap_set_has(&state->known, ARMTAP_ID_robot_mode));
    assert_string_equal(mode_seven(1220, state), "RUNNING");
    armtap_state_copy(other, state);
    armtap_state_clear(state);
    armtap_state_merge(state, other);
    assert_true(state->robot_mode == 7 && state->version == 1220);
    armtap_state_free(other);
    armtap_state_free(state);
    assert_true(memory[0] == guard && memory[last] == guard && state->robot_mode == 7);
    uint8_t packet[1220] = {0, 0, 4, 196, 63, 248};
    assert_int_equal(armtap_decode_realtime(packet, sizeof packet, state), ARMTAP_ERR_ARGUMENT);
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

struct seen {
    struct armtap_set known;
    size_t records;
};

static int keep_known(void *user, const struct armtap_record *record)
{
    struct seen *seen = user;
    seen->known = record->state->known;
    seen->records++;
    return 0;
}

static struct armtap_conn *connect_by(enum armtap_protocol protocol, struct seen *seen)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = keep_known};
    struct armtap_conn_options options = {.size = sizeof options, .protocol = protocol};
    struct armtap_conn *conn;
    *seen = (struct seen){.records = 0};
    assert_int_equal(armtap_conn_new(&options, &sink, seen, &conn), ARMTAP_OK);
    return conn;
}

static void push_legacy(struct armtap_conn *conn, size_t size, double clock)
{
    uint8_t packet[1220];
    struct armtap_state *state = armtap_state_new();
    assert_non_null(state);
    state->timestamp = clock;
    armtap_set_add(&state->known, ARMTAP_ID_timestamp);
    assert_int_equal(armtap_encode_realtime(state, size, packet), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, packet, size, NULL), ARMTAP_OK);
    armtap_state_free(state);
}

static void test_shorter_packets_know_less(void **unused)
{
    struct seen seen;
    struct armtap_recipe *recipe;
    struct armtap_conn *conn = connect_by(ARMTAP_REALTIME, &seen);
    (void)unused;
    assert_int_equal(armtap_recipe_realtime(1220, &recipe), ARMTAP_OK);
    const struct armtap_field *last = armtap_recipe_at(recipe, armtap_recipe_count(recipe) - 1)->field;
    for (int i = 0; i < 3; i++)
        push_legacy(conn, 1220, 100 + i * 0.002);
    assert_true(seen.records >= 1 && armtap_set_has(&seen.known, last->id));
    for (int i = 0; i < 4; i++)
        push_legacy(conn, 1060, 101 + i * 0.002);
    assert_true(armtap_set_has(&seen.known, ARMTAP_ID_timestamp) && !armtap_set_has(&seen.known, last->id));
    armtap_recipe_release(recipe);
    armtap_conn_free(conn);
}

static void push_package(struct armtap_conn *conn, struct armtap_rtde_package package)
{
    uint8_t bytes[1024];
    package.size = sizeof package;
    package.protocol = 2;
    int length = armtap_rtde_write(&package, bytes, sizeof bytes);
    assert_true(length > 0);
    assert_int_equal(armtap_conn_push(conn, package.direction, bytes, (size_t)length, NULL), ARMTAP_OK);
}

static void set_up_as(struct armtap_conn *conn, enum armtap_rtde_type type, const char *names, const char *types,
                      unsigned id)
{
    push_package(conn, (struct armtap_rtde_package){.type = type,
                                                    .direction = ARMTAP_TO_ROBOT,
                                                    .frequency = 125,
                                                    .names = names,
                                                    .names_length = strlen(names)});
    push_package(conn, (struct armtap_rtde_package){.type = type,
                                                    .direction = ARMTAP_FROM_ROBOT,
                                                    .has_id = true,
                                                    .id = id,
                                                    .types = types,
                                                    .types_length = strlen(types)});
}

static void set_up(struct armtap_conn *conn, const char *names, const char *types, unsigned id)
{
    set_up_as(conn, ARMTAP_RTDE_SETUP_OUTPUTS, names, types, id);
}

static void set_up_inputs(struct armtap_conn *conn, const char *names, const char *types, unsigned id)
{
    set_up_as(conn, ARMTAP_RTDE_SETUP_INPUTS, names, types, id);
}

static void push_values(struct armtap_conn *conn, enum armtap_direction direction, unsigned id, size_t length)
{
    static const uint8_t values[256];
    push_package(conn, (struct armtap_rtde_package){.type = ARMTAP_RTDE_DATA,
                                                    .direction = direction,
                                                    .has_id = true,
                                                    .id = id,
                                                    .values = values,
                                                    .values_length = length});
}

static void test_another_recipe_knows_its_own(void **unused)
{
    struct seen seen;
    struct armtap_conn *conn = connect_by(ARMTAP_RTDE, &seen);
    (void)unused;
    push_package(conn,
                 (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .direction = ARMTAP_TO_ROBOT, .version = 2});
    push_package(
        conn, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .direction = ARMTAP_FROM_ROBOT, .accepted = 1});
    set_up(conn, "timestamp,actual_q", "DOUBLE,VECTOR6D", 1);
    push_values(conn, ARMTAP_FROM_ROBOT, 1, 8 + 48);
    assert_int_equal(seen.records, 1);
    assert_true(armtap_set_has(&seen.known, ARMTAP_ID_actual_q));
    set_up(conn, "timestamp,robot_mode", "DOUBLE,INT32", 2);
    push_values(conn, ARMTAP_FROM_ROBOT, 2, 8 + 4);
    assert_int_equal(seen.records, 2);
    assert_true(armtap_set_has(&seen.known, ARMTAP_ID_robot_mode) && armtap_set_has(&seen.known, ARMTAP_ID_timestamp));
    assert_false(armtap_set_has(&seen.known, ARMTAP_ID_actual_q));
    armtap_conn_free(conn);
}

/* Whether exactly these fields are known: names, comma separated. */
static void expect_known(const struct seen *seen, const char *names)
{
    struct armtap_set wanted = {{0}};
    for (const char *at = names; *at != '\0'; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        armtap_set_add(&wanted, (unsigned)armtap_field_find(at, length)->id);
        at += length;
    }
    for (unsigned id = 0; id < ARMTAP_FIELD_COUNT; id++)
        if (armtap_set_has(&seen->known, id) != armtap_set_has(&wanted, id))
            fail_msg("of %s: %s is %sknown", names, armtap_field_at(id)->name,
                     armtap_set_has(&wanted, id) ? "not " : "");
}

/* Recipes of inputs take turns: all that are set up are in force, of one id the last. */
static void test_inputs_know_what_is_set_up(void **unused)
{
    struct seen seen;
    struct armtap_conn *conn = connect_by(ARMTAP_RTDE, &seen);
    (void)unused;
    push_package(conn,
                 (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .direction = ARMTAP_TO_ROBOT, .version = 2});
    push_package(
        conn, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .direction = ARMTAP_FROM_ROBOT, .accepted = 1});
    set_up_inputs(conn, "speed_slider_mask,speed_slider_fraction", "UINT32,DOUBLE", 1);
    set_up_inputs(conn, "speed_slider_fraction,input_int_register_0", "DOUBLE,INT32", 2);
    push_values(conn, ARMTAP_TO_ROBOT, 1, 12);
    expect_known(&seen, "speed_slider_mask,speed_slider_fraction");
    push_values(conn, ARMTAP_TO_ROBOT, 2, 12);
    expect_known(&seen, "speed_slider_mask,speed_slider_fraction,input_int_register_0");
    set_up_inputs(conn, "input_int_register_1", "INT32", 1);
    push_values(conn, ARMTAP_TO_ROBOT, 1, 4);
    expect_known(&seen, "speed_slider_fraction,input_int_register_0,input_int_register_1");
    assert_int_equal(seen.records, 3);
    armtap_conn_free(conn);
}

static void say(struct armtap_conn *conn, enum armtap_direction direction, const char *text)
{
    assert_int_equal(armtap_conn_push(conn, direction, text, strlen(text), NULL), ARMTAP_OK);
}

#define SET_UP(channel, segments)                                                                                      \
    "[100,{\"chanel\":" channel ",\"frequency\":50.0,\"segments\":[" segments "],\"to_server\":false,\"trigger\":0}]"

/* Channels too: what only a recipe has that was replaced or ended is not known, also after data that was in transit. */
static void test_channels_know_what_is_set_up(void **unused)
{
    struct seen seen;
    (void)unused;
    if (!armtap_protocol_name(ARMTAP_AUBO))
        skip();
    struct armtap_conn *conn = connect_by(ARMTAP_AUBO, &seen);
    say(conn, ARMTAP_TO_ROBOT, SET_UP("0", "\"R1_actual_q\",\"R1_actual_TCP_pose\""));
    say(conn, ARMTAP_TO_ROBOT, SET_UP("1", "\"R1_actual_q\",\"R1_actual_qd\""));
    say(conn, ARMTAP_FROM_ROBOT, "[0,[1,2,3,4,5,6],[1,2,3,4,5,6]]");
    expect_known(&seen, "actual_q,actual_TCP_pose");
    say(conn, ARMTAP_FROM_ROBOT, "[1,[1,2,3,4,5,6],[1,2,3,4,5,6]]");
    expect_known(&seen, "actual_q,actual_TCP_pose,actual_qd");
    say(conn, ARMTAP_TO_ROBOT, SET_UP("0", "\"timestamp\""));
    say(conn, ARMTAP_FROM_ROBOT, "[0,[1,2,3,4,5,6],[1,2,3,4,5,6]]"); /* of before */
    expect_known(&seen, "actual_q,actual_TCP_pose,actual_qd");
    say(conn, ARMTAP_FROM_ROBOT, "[1,[1,2,3,4,5,6],[1,2,3,4,5,6]]");
    expect_known(&seen, "actual_q,actual_qd");
    say(conn, ARMTAP_FROM_ROBOT, "[0,0.25]");
    expect_known(&seen, "actual_q,actual_qd,timestamp");
    say(conn, ARMTAP_TO_ROBOT, SET_UP("1", ""));
    say(conn, ARMTAP_FROM_ROBOT, "[0,0.5]");
    expect_known(&seen, "timestamp");
    say(conn, ARMTAP_FROM_ROBOT, "[1,[1,2,3,4,5,6],[1,2,3,4,5,6]]"); /* in transit */
    expect_known(&seen, "actual_q,actual_qd,timestamp");
    say(conn, ARMTAP_FROM_ROBOT, "[0,0.75]");
    expect_known(&seen, "timestamp");
    assert_int_equal(seen.records, 8);
    armtap_conn_free(conn);
}

/* A channel of another arm is no reason to forget. */
static void test_arms_know_their_own(void **unused)
{
    struct seen seen;
    (void)unused;
    if (!armtap_protocol_name(ARMTAP_AUBO))
        skip();
    struct armtap_conn *conn = connect_by(ARMTAP_AUBO, &seen);
    say(conn, ARMTAP_TO_ROBOT, SET_UP("0", "\"R1_actual_q\""));
    say(conn, ARMTAP_TO_ROBOT, SET_UP("1", "\"R2_actual_q\""));
    say(conn, ARMTAP_TO_ROBOT, SET_UP("2", "\"R2_actual_qd\""));
    say(conn, ARMTAP_FROM_ROBOT, "[0,[1,2,3,4,5,6]]");
    say(conn, ARMTAP_FROM_ROBOT, "[1,[1,2,3,4,5,6]]");
    say(conn, ARMTAP_TO_ROBOT, SET_UP("0", "\"R1_actual_qd\""));
    say(conn, ARMTAP_FROM_ROBOT, "[2,[1,2,3,4,5,6]]");
    expect_known(&seen, "actual_q,actual_qd");
    say(conn, ARMTAP_FROM_ROBOT, "[0,[1,2,3,4,5,6]]");
    expect_known(&seen, "actual_qd");
    assert_int_equal(seen.records, 4);
    armtap_conn_free(conn);
}

struct grown {
    struct armtap_set known;
    size_t records, kept; /* records of states; those of them that know more than they brought */
};

static int check_grown(void *user, const struct armtap_record *record)
{
    struct grown *grown = user;
    size_t more = 0;
    if (record->protocol != ARMTAP_PRIMARY || record->direction != ARMTAP_FROM_ROBOT)
        return 0;
    for (unsigned id = 0; id < ARMTAP_FIELD_COUNT; id++) {
        bool is_known = armtap_set_has(&record->state->known, id);
        if (!is_known && armtap_set_has(&grown->known, id))
            fail_msg("%s is forgotten", armtap_field_at(id)->name);
        more += is_known && !armtap_set_has(record->updated, id);
    }
    grown->known = record->state->known;
    grown->records++;
    grown->kept += more > 0;
    return 0;
}

/* Parts of its state come once, and when they change: what came stays known. */
static void test_the_primary_interface_forgets_nothing(void **unused)
{
    struct grown grown = {.records = 0};
    struct armtap_sink sink = {.size = sizeof sink, .on_record = check_grown};
    struct armtap_net_options options = {.size = sizeof options};
    struct armtap_net *net;
    char path[400];
    (void)unused;
    if (!armtap_protocol_name(ARMTAP_PRIMARY))
        skip();
    snprintf(path, sizeof path, "%s/captures/primary-stop.pcap.gz", getenv("srcdir") ? getenv("srcdir") : ".");
    struct armtap_capture *capture = armtap_capture_open(path);
    assert_int_equal(armtap_net_new(&options, &sink, &grown, &net), ARMTAP_OK);
    assert_int_equal(armtap_capture_push(capture, net), ARMTAP_OK);
    armtap_net_finish(net);
    armtap_net_free(net);
    armtap_capture_close(capture);
    assert_true(grown.records > 10 && grown.kept > 5);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* As programs have them that were built with a newer header. */
struct newer_port {
    struct armtap_port port;
    uint64_t more;
};

/* Structures whose first member is a size. */
union sized {
    size_t size;
    struct armtap_sink sink;
    struct armtap_conn_options conn;
    struct armtap_net_options net;
    struct armtap_packet packet;
    struct armtap_subject subject;
    struct armtap_rtde_package package;
    struct armtap_recipe_problem problem;
    struct armtap_client_options client;
    struct armtap_diagnosis_options diagnosis;
    struct armtap_comparison_options comparison;
    struct armtap_where where;
    uint8_t bytes[512];
};

static int make_conn(const struct armtap_conn_options *options, const struct armtap_sink *sink)
{
    struct armtap_conn *conn;
    int error = armtap_conn_new(options, sink, NULL, &conn);
    armtap_conn_free(conn);
    return error;
}

static int make_net(const struct armtap_net_options *options)
{
    struct armtap_net *net;
    int error = armtap_net_new(options, NULL, NULL, &net);
    armtap_net_free(net);
    return error;
}

static int take_sink(union sized *sized)
{
    return make_conn(NULL, &sized->sink);
}

static int take_conn_options(union sized *sized)
{
    return make_conn(&sized->conn, NULL);
}

static int take_net_options(union sized *sized)
{
    return make_net(&sized->net);
}

static int take_packet(union sized *sized)
{
    struct armtap_net *net;
    sized->packet.link_type = 1;
    assert_int_equal(armtap_net_new(NULL, NULL, NULL, &net), ARMTAP_OK);
    int error = armtap_net_packet(net, &sized->packet);
    armtap_net_free(net);
    return error;
}

static int read_packet(union sized *sized)
{
    char path[400];
    snprintf(path, sizeof path, "%s/captures/rtde-stop.pcap", getenv("srcdir") ? getenv("srcdir") : ".");
    struct armtap_capture *capture = armtap_capture_open(path);
    int error = armtap_capture_next(capture, &sized->packet);
    armtap_capture_close(capture);
    return error == 1 ? ARMTAP_OK : error;
}

static int take_subject(union sized *sized)
{
    const char *kind;
    sized->subject.protocol = ARMTAP_REALTIME;
    return armtap_describe(&sized->subject, NULL, NULL, &kind);
}

static int parse_package(union sized *sized)
{
    return armtap_rtde_parse("\0\3v", 3, ARMTAP_TO_ROBOT, 2, &sized->package);
}

static int write_package(union sized *sized)
{
    uint8_t bytes[8];
    sized->package.type = ARMTAP_RTDE_START;
    sized->package.direction = ARMTAP_TO_ROBOT;
    int length = armtap_rtde_write(&sized->package, bytes, sizeof bytes);
    return length > 0 ? ARMTAP_OK : length;
}

static int find_problem(union sized *sized)
{
    return armtap_recipe_rtde_problem("timestamp", NULL, &sized->problem);
}

static int make_client(union sized *sized)
{
    struct armtap_client *client;
    sized->client.protocol = ARMTAP_REALTIME;
    int error = armtap_client_new(&sized->client, NULL, NULL, &client);
    armtap_client_free(client);
    return error;
}

static int make_diagnosis(union sized *sized)
{
    struct armtap_diagnosis *diagnosis = NULL;
    int error = armtap_diagnosis_new(&sized->diagnosis, &diagnosis);
    armtap_diagnosis_free(diagnosis);
    return error;
}

static int make_comparison(union sized *sized)
{
    struct armtap_comparison *comparison = NULL;
    int error = armtap_comparison_new(&sized->comparison, &comparison);
    armtap_comparison_free(comparison);
    return error;
}

/* What a program may do with a structure, and the size that it had in 0.1.0. */
static const struct {
    const char *name;
    size_t least;
    int (*use)(union sized *sized);
} uses[] = {
    {"sink", offsetof(struct armtap_sink, on_recipe), take_sink},
    {"options of a connection", sizeof(struct armtap_conn_options), take_conn_options},
    {"options of a net", sizeof(struct armtap_net_options), take_net_options},
    {"packet", sizeof(struct armtap_packet), take_packet},
    {"packet of a capture", sizeof(struct armtap_packet), read_packet},
    {"subject", sizeof(struct armtap_subject), take_subject},
    {"package, parsed", sizeof(struct armtap_rtde_package), parse_package},
    {"package, written", sizeof(struct armtap_rtde_package), write_package},
    {"problem of a recipe", sizeof(struct armtap_recipe_problem), find_problem},
    {"options of a client", sizeof(struct armtap_client_options), make_client},
    {"options of a diagnosis", sizeof(struct armtap_diagnosis_options), make_diagnosis},
    {"options of a comparison", sizeof(struct armtap_comparison_options), make_comparison},
};

/* A size that was forgotten is 0, or what was in memory; a newer program's is larger. */
static void test_sizes_of_other_releases(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const size_t bad[] = {0, 1, sizeof(size_t), uses[i].least / 2, SIZE_MAX, (size_t)0x5a5a5a5a5a5a5a5a};
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            union sized sized = {.bytes = {0}};
            sized.size = bad[k];
            int error = uses[i].use(&sized);
            if (error != ARMTAP_ERR_SIZE)
                fail_msg("%s of %zu bytes: %s", uses[i].name, bad[k], armtap_strerror(error));
        }
        for (size_t more = 0; more <= 4 * sizeof(void *); more += sizeof(void *)) {
            union sized sized = {.bytes = {0}};
            sized.size = uses[i].least + more;
            int error = uses[i].use(&sized);
            if (error != ARMTAP_OK)
                fail_msg("%s of %zu bytes: %s", uses[i].name, sized.size, armtap_strerror(error));
        }
    }
}

static void test_ports_have_their_own_size(void **unused)
{
    struct newer_port ports[2] = {{.port = {sizeof ports[0], 40001, ARMTAP_RTDE}, .more = 1},
                                  {.port = {sizeof ports[0], 40002, ARMTAP_RTDE}, .more = 1}};
    struct armtap_net_options options = {.size = sizeof options, .ports = &ports[0].port, .port_count = 2};
    struct armtap_port port = {.size = sizeof port - 1};
    struct armtap_robot_port robot_port = {.size = sizeof robot_port - 1};
    (void)unused;
    assert_int_equal(make_net(&options), ARMTAP_OK);
    ports[0].port.size = 0;
    assert_int_equal(make_net(&options), ARMTAP_ERR_SIZE);
    assert_false(armtap_port_at(0, &port) || armtap_robot_port_at(0, &robot_port));
    port.size = sizeof port;
    robot_port.size = sizeof robot_port;
    assert_true(armtap_port_at(0, &port) && armtap_robot_port_at(0, &robot_port));
}

static int keep_where(void *user, const struct armtap_record *record)
{
    *(struct armtap_where *)user = record->where;
    return 0;
}

static void test_where_has_its_size(void **unused)
{
    struct armtap_where where = {.time = 5, .packet = 7}, seen = {.size = 0};
    struct armtap_sink sink = {.size = sizeof sink, .on_record = keep_where};
    struct armtap_conn *conn;
    uint8_t packet[1220];
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_int_equal(armtap_encode_realtime(state, sizeof packet, packet), ARMTAP_OK);
    armtap_state_free(state);
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_REALTIME};
    assert_int_equal(armtap_conn_new(&options, &sink, &seen, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, packet, sizeof packet, &where), ARMTAP_ERR_SIZE);
    assert_int_equal(armtap_conn_gap(conn, ARMTAP_FROM_ROBOT, 1, &where), ARMTAP_ERR_SIZE);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, &where), ARMTAP_ERR_SIZE);
    where.size = sizeof where + 8; /* a newer program's */
    for (int i = 0; i < 3; i++)
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, packet, sizeof packet, &where), ARMTAP_OK);
    assert_true(seen.size == sizeof seen && seen.time == 5 && seen.packet == 7);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, &seen), ARMTAP_OK);
    armtap_conn_free(conn);
}

/* A packet's own place needs no size: the packet's covers it. What comes out has it. */
static void test_where_of_a_packet(void **unused)
{
    struct armtap_where until = {.time = 5};
    struct armtap_net *net;
    (void)unused;
    assert_int_equal(armtap_net_new(NULL, NULL, NULL, &net), ARMTAP_OK);
    assert_false(armtap_net_is_settled(net, &until));
    until.size = sizeof until;
    assert_true(armtap_net_is_settled(net, &until));
    armtap_net_free(net);
}

/* Values within other structures: they keep their layout (armtap-abi.7, docs/bindings.md). */
static void test_values_keep_their_layout(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(struct armtap_where), 24);
    assert_int_equal(offsetof(struct armtap_where, file), 4);
    assert_int_equal(offsetof(struct armtap_where, time), 8);
    assert_int_equal(offsetof(struct armtap_where, packet), 16);
    assert_int_equal(sizeof(struct armtap_set), 128);
    assert_int_equal(sizeof(struct armtap_missing), 2 * sizeof(size_t));
    assert_int_equal(offsetof(struct armtap_state, known), 0);
    assert_int_equal(offsetof(struct armtap_state, time), 128);
    assert_int_equal(offsetof(struct armtap_state, protocol), 136);
    assert_int_equal(offsetof(struct armtap_state, generation), 140);
    assert_int_equal(offsetof(struct armtap_state, version), 144);
    assert_int_equal(offsetof(struct armtap_state, arm), 148);
    assert_int_equal(offsetof(struct armtap_state, own), 152);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_state_says_whose_it_is),
        cmocka_unit_test(test_a_mode_is_read_by_its_state),
        cmocka_unit_test(test_a_state_needs_no_malloc),
        cmocka_unit_test(test_shorter_packets_know_less),
        cmocka_unit_test(test_another_recipe_knows_its_own),
        cmocka_unit_test(test_inputs_know_what_is_set_up),
        cmocka_unit_test(test_channels_know_what_is_set_up),
        cmocka_unit_test(test_arms_know_their_own),
        cmocka_unit_test(test_the_primary_interface_forgets_nothing),
        cmocka_unit_test(test_sizes_of_other_releases),
        cmocka_unit_test(test_ports_have_their_own_size),
        cmocka_unit_test(test_where_has_its_size),
        cmocka_unit_test(test_where_of_a_packet),
        cmocka_unit_test(test_values_keep_their_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
