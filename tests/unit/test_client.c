/* A client of robots: what it asks, what it makes of the answers, when it connects again and when it gives up. */
#include "client_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 2048

/* Runs, and checks the last line: state, verdict, reason. */
static void run_to(struct world *world, const struct armtap_client_options *options, const char *end)
{
    world_run(world, options);
    const char *last = strstr(world->log.text, "\nend ");
    assert_non_null(last);
    assert_string_equal(last + 1, end);
}

#define STOPPED "end closed verdict 2 \"stopped\" error 0\n"

/* ---- sessions ---- */

static void test_an_rtde_session(void **unused)
{
    struct world world = {.manners = {.data = 2, .late = 1, .clock = 1.5}, .stop_at = 2, .log = {.values = true}};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_string_equal(world.log.text, "client connected info at 0 ms: connected\n"
                                        "event > recognised 0\n"
                                        "recipe < id1 500 Hz timestamp:DOUBLE actual_q:VECTOR6D\n"
                                        "event < start 0\n"
                                        "client started info at 0 ms: started\n"
                                        "record < @46 +60 v3 id1 timestamp=1.5 actual_q=[0, 0, 0, 0, 0, 0]\n"
                                        "client data info at 0 ms: data arrives\n"
                                        "record < @106 +60 v3 id1 timestamp=1.508 actual_q=[0, 0, 0, 0, 0, 0]\n"
                                        "record < @166 +60 v3 id1 timestamp=1.516 actual_q=[0, 0, 0, 0, 0, 0]\n"
                                        "event < pause 0\n"
                                        "client verdict info at 0 ms: stopped\n" STOPPED);
    assert_int_equal(world.robot.requests['I'], 0); /* who reads only sets up no inputs */
    const struct armtap_client_agreement *agreed = armtap_client_agreement(world.client);
    assert_int_equal(agreed->version, 3);
    assert_string_equal(agreed->controller_version, "5.11.1.108");
    assert_int_equal(agreed->records, 3);
    assert_true(agreed->first_clock == 1.5);
    assert_true(fabs(agreed->last_clock - 1.516) < 1e-12); /* where doubles are added with more digits, too */
    assert_int_equal(armtap_recipe_count(agreed->recipe), 2);
    assert_string_equal(armtap_client_stream(world.client)->robot, "10.0.0.2:30004");
    world_free(&world);
}

static void test_a_realtime_session(void **unused)
{
    struct world world = {.manners = {.data = 3, .clock = 1, .realtime = 1220}, .stop_at = 3};
    struct armtap_client_options options = client_options();
    (void)unused;
    options.protocol = ARMTAP_REALTIME;
    options.outputs = NULL;
    run_to(&world, &options, STOPPED);
    assert_int_equal(world.log.records[ARMTAP_FROM_ROBOT], 3);
    assert_int_equal(world.robot.in.length, 0); /* it sends nothing */
    world_free(&world);
}

/* A state with nothing but RobotModeData, 47 bytes, as of CB3 from 3.5 on. */
static void put_state(struct bytes *bytes, uint64_t clock_us)
{
    bytes_hex(bytes, "00 00 00 34 10 00 00 00 2f 00");
    bytes_number(bytes, clock_us, 8);
    bytes_hex(bytes, "01 01 01 00 00 01 00 07 00");
    for (int i = 0; i < 3; i++)
        bytes_double(bytes, 1);
    bytes_hex(bytes, "00");
}

static void test_a_primary_session(void **unused)
{
    struct armtap_client_options options = client_options();
    struct armtap_client *client;
    struct bytes came = {0};
    const void *out;
    (void)unused;
    options.protocol = ARMTAP_PRIMARY;
    options.robot = "10.0.0.2:30001";
    bytes_primary_version(&came);
    put_state(&came, 5000000);
    put_state(&came, 5100000);
    for (size_t piece = 1; piece < 200; piece = piece * 3 + 1) {
        assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
        assert_int_equal(armtap_client_connected(client, 0, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_state(client), ARMTAP_CLIENT_STATE_WAITING);
        for (size_t at = 0; at < came.length; at += piece)
            armtap_client_receive(client, came.at + at, piece < came.length - at ? piece : came.length - at, 0, NULL);
        assert_int_equal(armtap_client_state(client), ARMTAP_CLIENT_STATE_STREAMING);
        assert_int_equal(armtap_client_send(client, &out), 0); /* it sends nothing */
        const struct armtap_client_agreement *agreed = armtap_client_agreement(client);
        assert_int_equal(agreed->records, 2);
        assert_true(agreed->first_clock == 5 && agreed->last_clock == 5.1);
        assert_int_equal(armtap_client_deadline(client), 2000 * MS);
        assert_int_equal(armtap_client_stop(client, 0), ARMTAP_OK);
        assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_DONE);
        armtap_client_free(client);
    }
    bytes_free(&came);
}

/* ---- protocols ---- */

static void check_protocol(int most, int max_version, unsigned requests, int version)
{
    struct world world = {.manners = {.protocol = most, .data = 2}, .stop_at = 2};
    struct armtap_client_options options = client_options();
    options.max_version = max_version;
    run_to(&world, &options, STOPPED);
    assert_int_equal(world.robot.requests['V'], requests);
    assert_int_equal(world.robot.connections, 1);
    assert_int_equal(armtap_client_agreement(world.client)->version, version);
    assert_int_equal(armtap_client_stream(world.client)->version, version);
    assert_int_equal(world.log.records[ARMTAP_FROM_ROBOT], 2);
    assert_int_equal(log_count(&world.log, "opaque"), 0);
    world_free(&world);
}

static void test_refused_protocols(void **unused)
{
    (void)unused;
    check_protocol(3, 0, 1, 3);
    check_protocol(2, 0, 2, 2);
    check_protocol(1, 0, 3, 1);
    check_protocol(-1, 0, 3, 1); /* protocol 1 is in force even if it was refused */
    check_protocol(3, 2, 1, 2);
    check_protocol(3, 1, 0, 1); /* nothing to negotiate */
}

static void test_a_controller_that_knows_no_versions(void **unused)
{
    struct world world = {.manners = {.silent = "V", .data = 2, .closes = true}, .until = 5000 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_true(
        log_has(&world.log, "client verdict warning at 1000 ms: the controller does not answer the protocol request"));
    assert_true(log_has(&world.log, "client connected info at 1250 ms"));
    assert_true(
        log_has(&world.log, "client verdict warning at 2250 ms: the controller does not answer the protocol request"));
    assert_true(log_has(&world.log, "client data info at 2750 ms"));
    assert_true(log_has(&world.log, " v1 "));
    /* After data it asks again, on two connections. */
    assert_true(log_has(&world.log, "client verdict warning at 2750 ms: the robot closed the connection"));
    assert_true(log_has(&world.log, "client connected info at 3750 ms"));
    assert_true(
        log_has(&world.log, "client verdict warning at 4750 ms: the controller does not answer the protocol request"));
    assert_int_equal(world.robot.requests['V'], 3);
    assert_int_equal(world.robot.requests['v'], 1);
    world_free(&world);
}

/* Slow twice, but not twice in a row: while it boots, say. */
static void test_a_controller_that_is_slow_at_times(void **unused)
{
    struct world world = {.manners = {.silent = "V", .silent_only = 1, .close_after = 30}, .until = 6000 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_true(world.robot.connections > 3);
    assert_int_equal(world.robot.requests['V'], world.robot.connections);
    world_free(&world);
}

static void check_frequency(uint32_t major, int protocol, double wanted, double asked, double rate, bool told)
{
    struct world world = {.manners = {.protocol = protocol, .release = {major, 1}, .data = 1}, .stop_at = 1};
    struct armtap_client_options options = client_options();
    options.frequency = wanted;
    run_to(&world, &options, STOPPED);
    assert_true(world.robot.frequency == asked);
    assert_true(armtap_client_agreement(world.client)->frequency == asked);
    assert_true(armtap_client_agreement(world.client)->rate == rate);
    assert_int_equal(strstr(world.log.text, "Hz were requested") != NULL, told);
    world_free(&world);
}

static void test_frequencies(void **unused)
{
    (void)unused;
    check_frequency(5, 3, 0, 500, 500, false);
    check_frequency(10, 3, 0, 500, 500, false);
    check_frequency(3, 2, 0, 125, 125, false);
    check_frequency(5, 3, 125, 125, 125, false);
    check_frequency(5, 3, 200, 200, 250, true); /* every second cycle */
    check_frequency(3, 2, 500, 125, 125, true);
    check_frequency(5, 3, 1e9, 500, 500, true);
    check_frequency(3, 1, 10, 0, 125, true); /* protocol 1 has no frequency */
}

static void test_an_old_version_reply(void **unused)
{
    struct world world = {.manners = {.release = {3, 2, 4}, .release_count = 3, .data = 1}, .stop_at = 1};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, STOPPED);
    assert_string_equal(armtap_client_agreement(world.client)->controller_version, "3.2.4");
    world_free(&world);
}

/* ---- names ---- */

static void test_names_that_are_dropped(void **unused)
{
    struct world world = {.manners = {.lacks = ",safety_status,", .release = {5, 3}, .data = 2}, .stop_at = 2};
    struct armtap_client_options options = client_options();
    struct armtap_client_dropped dropped = {.size = sizeof dropped};
    (void)unused;
    options.outputs = " timestamp, safety_status ,actual_q,nonsense,";
    run_to(&world, &options, STOPPED);
    assert_int_equal(world.robot.requests['O'], 2);
    assert_int_equal(world.robot.connections, 1);
    assert_string_equal((const char *)world.robot.asked.at, "timestamp,actual_q");
    assert_true(log_has(&world.log, "client dropped warning at 0 ms: the controller, 5.3.0.0, lacks safety_status "
                                    "(introduced in 5.4.0), nonsense: left out\n"));
    assert_true(armtap_client_dropped(world.client, 0, &dropped));
    assert_string_equal(dropped.name, "safety_status");
    assert_string_equal(dropped.since, "3.10.0 / 5.4.0");
    assert_int_equal(dropped.why, ARMTAP_REFUSAL_NOT_FOUND);
    assert_int_equal(dropped.direction, ARMTAP_FROM_ROBOT);
    assert_true(armtap_client_dropped(world.client, 1, &dropped));
    assert_string_equal(dropped.name, "nonsense");
    assert_string_equal(dropped.since, "");
    assert_false(armtap_client_dropped(world.client, 2, &dropped));
    world_free(&world);
}

static void test_strict(void **unused)
{
    struct world world = {.manners = {.lacks = ",safety_status,", .data = 2}, .stop_at = 2};
    struct armtap_client_options options = client_options();
    (void)unused;
    options.outputs = "timestamp,safety_status";
    options.strict = true;
    run_to(
        &world, &options,
        "end closed verdict 3 \"the controller, 5.11.1.108, lacks safety_status (although introduced in 5.4.0)\" error "
        "0\n");
    assert_int_equal(world.robot.requests['O'], 1);
    world_free(&world);
}

static void test_no_name_is_known(void **unused)
{
    struct world world = {.manners = {.data = 2}, .stop_at = 2};
    struct armtap_client_options options = client_options();
    (void)unused;
    options.outputs = "a,b";
    run_to(&world, &options, "end closed verdict 3 \"the controller knows none of the requested fields\" error 0\n");
    world_free(&world);
}

/* The second set-up on a connection may get no answer: then another connection asks without the names at once. */
static void test_no_answer_to_a_second_set_up(void **unused)
{
    struct world world = {.manners = {.lacks = ",actual_q,", .silent = "O", .silent_from = 2}, .until = 1300 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_true(
        log_has(&world.log, "client verdict warning at 1000 ms: the controller does not answer the output setup"));
    assert_true(log_has(&world.log, "client connected info at 1250 ms"));
    assert_int_equal(world.robot.requests['O'], 3);
    assert_int_equal(log_count(&world.log, "client dropped"), 1);
    world_free(&world);
}

static void test_further_names_lacking(void **unused)
{
    struct world world = {
        .manners = {.lacks = ",actual_q,", .lacks_again = ",timestamp,", .data = 1}, .until = 1300 * MS, .stop_at = 1};
    struct armtap_client_options options = client_options();
    (void)unused;
    options.outputs = "timestamp,actual_q,actual_qd";
    run_to(&world, &options, STOPPED);
    assert_int_equal(world.robot.requests['O'], 3);
    assert_int_equal(world.robot.connections, 2);
    assert_string_equal((const char *)world.robot.asked.at, "actual_qd");
    world_free(&world);
}

/* Another release may know the names. */
static void test_another_release(void **unused)
{
    struct world world = {.manners = {.lacks = ",actual_q,", .data = 1, .closes = true, .release_again = 6},
                          .until = 400 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_int_equal(world.robot.connections, 2);
    assert_int_equal(world.robot.requests['O'], 4);
    world_free(&world);

    struct world same = {.manners = {.lacks = ",actual_q,", .data = 1, .closes = true}, .until = 400 * MS};
    world_run(&same, &options);
    assert_int_equal(same.robot.connections, 2);
    assert_int_equal(same.robot.requests['O'], 3);
    world_free(&same);
}

static void check_names(const char *names, bool good)
{
    struct armtap_client_options options = client_options();
    struct armtap_client *client;
    options.outputs = names;
    assert_int_equal(!armtap_client_problem(&options), good);
    assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), good ? ARMTAP_OK : ARMTAP_ERR_ARGUMENT);
    assert_int_equal(client != NULL, good);
    armtap_client_free(client);
}

static void test_options(void **unused)
{
    char names[NAMES_MAX + 4];
    struct armtap_client_options options = client_options();
    static const double bad[] = {-1, 0.5, NAN, INFINITY, -INFINITY};
    (void)unused;
    memset(names, 'a', sizeof names);
    names[NAMES_MAX] = '\0';
    check_names(names, true);
    memcpy(names + NAMES_MAX, " ,", 3); /* not sent */
    check_names(names, true);
    memcpy(names + NAMES_MAX, "a", 2);
    check_names(names, false);
    check_names(NULL, false);
    check_names("", false);
    check_names(" , ,", false);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        options.frequency = bad[i];
        assert_non_null(armtap_client_problem(&options));
    }
    options = client_options();
    options.max_version = 4;
    assert_non_null(armtap_client_problem(&options));
    options = client_options();
    options.input_count = 1;
    assert_non_null(armtap_client_problem(&options));
    options = client_options();
    options.protocol = ARMTAP_AUBO;
    assert_non_null(armtap_client_problem(&options));
    options = client_options();
    options.give_up = -1;
    assert_non_null(armtap_client_problem(&options));
    options.size = 0;
    assert_non_null(armtap_client_problem(&options));
    assert_non_null(armtap_client_problem(NULL));
}

/* ---- inputs ---- */

static const char *const inputs[] = {"input_int_register_24,wonder", "speed_slider_mask"};

static struct armtap_client_options input_options(void)
{
    struct armtap_client_options options = client_options();
    options.inputs = inputs;
    options.input_count = 2;
    return options;
}

static void test_inputs(void **unused)
{
    struct world world = {.manners = {.data = 1}, .until = 1000 * MS, .log = {.values = true}};
    struct armtap_client_options options = input_options();
    struct armtap_client_dropped dropped = {.size = sizeof dropped};
    struct armtap_state *state = armtap_state_new();
    const void *bytes;
    (void)unused;
    world_run(&world, &options);
    assert_int_equal(world.robot.requests['I'], 3);
    assert_true(armtap_client_dropped(world.client, 0, &dropped));
    assert_string_equal(dropped.name, "wonder");
    assert_int_equal(dropped.direction, ARMTAP_TO_ROBOT);
    assert_int_equal(dropped.input, 0);
    state->input_int_register[24] = -2;
    armtap_set_add(&state->known, ARMTAP_ID_input_int_register + 24);
    assert_int_equal(armtap_client_write(world.client, 0, state), ARMTAP_OK);
    size_t length = armtap_client_send(world.client, &bytes);
    assert_int_equal(length, 8);
    assert_memory_equal(bytes, "\0\10U\1\377\377\377\376", 8);
    assert_int_equal(armtap_client_sent(world.client, length, world.now, NULL), ARMTAP_OK);
    assert_true(log_has(&world.log, "v3 id1 input_int_register_24=-2\n"));
    assert_int_equal(armtap_client_write(world.client, 2, state), ARMTAP_ERR_ARGUMENT);
    armtap_state_free(state);
    world_free(&world);
}

/* Input packages that the robot does not take fill the buffer; PAUSE still has room. */
static void test_a_full_buffer(void **unused)
{
    struct world world = {.manners = {.data = 1}, .until = 1000 * MS};
    struct armtap_client_options options = input_options();
    struct armtap_state *state = armtap_state_new();
    const void *bytes;
    unsigned count = 0;
    int error;
    (void)unused;
    world_run(&world, &options);
    assert_int_equal(armtap_client_send(world.client, &bytes), 0);
    while ((error = armtap_client_write(world.client, 0, state)) == ARMTAP_OK)
        count++;
    assert_int_equal(error, ARMTAP_ERR_SPACE);
    assert_int_equal(armtap_client_send(world.client, &bytes), 8 * count);
    assert_in_range(8 * count, 4000, 4096);
    assert_int_equal(armtap_client_stop(world.client, world.now), ARMTAP_OK);
    size_t length = armtap_client_send(world.client, &bytes);
    assert_int_equal(length, 8 * count + 3);
    assert_memory_equal((const char *)bytes + length - 3, "\0\3P", 3);
    assert_int_equal(armtap_client_write(world.client, 0, state), ARMTAP_ERR_NOT_READY);
    assert_int_equal(armtap_client_sent(world.client, length + 1, world.now, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_sent(world.client, length, world.now, NULL), ARMTAP_OK);
    armtap_state_free(state);
    world_free(&world);
}

static void test_inputs_before_their_set_up(void **unused)
{
    struct armtap_client_options options = input_options();
    struct armtap_client *client;
    struct armtap_state *state = armtap_state_new();
    (void)unused;
    assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
    assert_int_equal(armtap_client_write(client, 0, state), ARMTAP_ERR_NOT_READY);
    assert_int_equal(armtap_client_connected(client, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_write(client, 0, state), ARMTAP_ERR_NOT_READY);
    assert_null(armtap_client_input(client, 0));
    armtap_client_free(client);
    armtap_state_free(state);
}

static void test_inputs_in_use(void **unused)
{
    struct world world = {.manners = {.in_use = 3, .data = 1}, .stop_at = 1};
    struct armtap_client_options options = input_options();
    (void)unused;
    options.input_count = 1;
    run_to(&world, &options, STOPPED);
    assert_true(log_has(&world.log, "client in-use warning at 0 ms: inputs are in use: by EtherNet/IP"));
    assert_true(log_has(&world.log, "client in-use warning at 2000 ms"));
    assert_true(log_has(&world.log, "client started info at 3000 ms"));
    world_free(&world);

    struct world never = {.manners = {.in_use = 99, .data = 1}, .stop_at = 1};
    world_run(&never, &options);
    assert_int_equal(never.robot.requests['I'], 4);
    assert_int_equal(never.now, 3000 * MS);
    assert_int_equal(armtap_client_verdict(never.client)->what, ARMTAP_CLIENT_GIVE_UP);
    assert_non_null(strstr(armtap_client_verdict(never.client)->reason, "PROFINET"));
    world_free(&never);
}

/* ---- start, data, and the lack of it ---- */

static void test_start_is_refused(void **unused)
{
    struct world world = {.manners = {.refuse_start = 2, .data = 1}, .stop_at = 1};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, STOPPED);
    assert_true(log_has(&world.log, "client verdict warning at 0 ms: the controller refused to start"));
    assert_true(log_has(&world.log, "client verdict warning at 250 ms: the controller refused to start"));
    assert_true(log_has(&world.log, "client started info at 750 ms"));
    world_free(&world);
}

static void test_data_before_the_reply(void **unused)
{
    struct world world = {.manners = {.early = 2, .data = 1, .silent = "S"}, .stop_at = 3};
    struct armtap_client_options options = client_options();
    (void)unused;
    world.manners.silent = NULL;
    run_to(&world, &options, STOPPED);
    const char *data = strstr(world.log.text, "client data"), *started = strstr(world.log.text, "client started");
    assert_true(data && started && data < started);
    assert_int_equal(world.log.records[ARMTAP_FROM_ROBOT], 3);
    world_free(&world);
}

static void test_an_unconfirmed_safety_setup(void **unused)
{
    static const char text[] = "SafetySetup has not been confirmed yet, therefore no data will be send yet";
    struct world world = {.manners = {.text = text}, .until = 3600 * 1000 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, "end waiting verdict 0 \"\" error 0\n");
    assert_int_equal(world.robot.connections, 1);
    assert_int_equal(log_count(&world.log, "client waiting"), 1);
    assert_true(
        log_has(&world.log, "client waiting warning at 0 ms: connected, but no data arrives; the robot sent: Safe"));
    assert_string_equal(armtap_client_agreement(world.client)->said, text);
    world_free(&world);
}

static void test_silence(void **unused)
{
    struct world world = {.manners = {.data = 1}, .until = 3600 * 1000 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, "end waiting verdict 0 \"\" error 0\n");
    assert_int_equal(world.robot.connections, 1);
    assert_int_equal(log_count(&world.log, "client waiting"), 1);
    assert_true(log_has(&world.log, "client waiting warning at 2000 ms: connected, but no data has arrived for 2 s"));
    world_free(&world);
}

/* ---- connections that end ---- */

static void test_back_off(void **unused)
{
    static const int64_t times[] = {0, 250, 750, 1750, 3750, 7750, 12750, 17750};
    struct world world = {.manners = {.close_after = 1}, .until = 20000 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_int_equal(world.robot.connections, 8);
    for (size_t i = 0; i < 8; i++) {
        char line[100];
        snprintf(line, sizeof line, "client connected info at %d ms", (int)times[i]);
        assert_true(log_has(&world.log, line));
    }
    assert_true(log_has(&world.log, "client verdict warning at 0 ms: the robot closed the connection instead of "
                                    "answering the protocol request\n"));
    world_free(&world);
}

/* Connects a legacy client, gives it data at two times, and closes: how long it then waits. */
static int64_t wait_after(struct armtap_client *client, int64_t start, int64_t lasting)
{
    struct bytes packets = {0};
    for (int i = 0; i < 4; i++)
        bytes_packet(&packets, 1220, (double)(start / MS) + 0.002 * i);
    assert_int_equal(armtap_client_connected(client, start, NULL), ARMTAP_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(armtap_client_receive(client, packets.at + i * packets.length / 2, packets.length / 2,
                                               i > 0 ? start + lasting : start, NULL),
                         ARMTAP_OK);
    assert_int_equal(armtap_client_closed(client, start + lasting, ARMTAP_CLIENT_RESET, NULL), ARMTAP_OK);
    bytes_free(&packets);
    return (armtap_client_verdict(client)->at - start - lasting) / MS;
}

/* A robot that closes after each record must not make a client connect four times a second for ever. */
static void test_what_sets_the_back_off_back(void **unused)
{
    struct armtap_client_options options = client_options();
    struct armtap_client *client;
    (void)unused;
    options.protocol = ARMTAP_REALTIME;
    assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
    assert_int_equal(wait_after(client, 0, 0), 250);
    assert_int_equal(wait_after(client, 10000 * MS, 4999 * MS), 500);
    assert_int_equal(wait_after(client, 20000 * MS, 100 * MS), 1000);
    assert_int_equal(wait_after(client, 30000 * MS, 5000 * MS), 250);
    assert_int_equal(wait_after(client, 40000 * MS, 0), 500);
    assert_int_equal(wait_after(client, 0, 0), 41000); /* the clock went back: it stands still at 40 s */
    armtap_client_free(client);
}

static void test_a_restarted_controller(void **unused)
{
    struct world world = {.manners = {.data = 1, .closes = true, .clock = 5000.5, .clock_again = 1.25},
                          .until = 400 * MS};
    struct armtap_client_options options = client_options();
    (void)unused;
    world_run(&world, &options);
    assert_int_equal(log_count(&world.log,
                               "client restarted warning at 250 ms: the controller was restarted: its clock "
                               "was at 5000.5 s and now starts at 1.25 s\n"),
                     1);
    assert_int_equal(armtap_client_agreement(world.client)->restarts, 1);
    world_free(&world);

    struct world later = {.manners = {.data = 1, .closes = true, .clock = 5000.5, .clock_again = 5010},
                          .until = 400 * MS};
    world_run(&later, &options);
    assert_int_equal(log_count(&later.log, "client restarted"), 0);
    assert_int_equal(later.robot.connections, 2);
    world_free(&later);
}

static void check_mode_change(const char *robot, bool told)
{
    struct world world = {.manners = {.data = 2, .realtime = 1108, .closes = true}, .until = 200 * MS};
    struct armtap_client_options options = client_options();
    options.protocol = ARMTAP_REALTIME;
    options.robot = robot;
    world_run(&world, &options);
    assert_int_equal(strstr(world.log.text, "between local and remote control") != NULL, told);
    assert_int_equal(armtap_client_verdict(world.client)->what, ARMTAP_CLIENT_RECONNECT);
    world_free(&world);
}

static void test_changes_of_mode(void **unused)
{
    (void)unused;
    check_mode_change("10.0.0.2:30003", true);
    check_mode_change("[fd00::2]:30003", true);
    check_mode_change("10.0.0.2:30013", false);
    check_mode_change(NULL, false);
}

static void check_failure(enum armtap_client_failure failure, const char *detail, const char *reason)
{
    struct armtap_client_options options = client_options();
    struct armtap_client *client;
    assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
    assert_int_equal(armtap_client_failed(client, 7, failure, detail), ARMTAP_OK);
    const struct armtap_client_verdict *verdict = armtap_client_verdict(client);
    assert_int_equal(verdict->what, ARMTAP_CLIENT_RECONNECT);
    assert_int_equal(verdict->at, 7 + 250 * MS);
    assert_memory_equal(verdict->reason, reason, strlen(reason));
    armtap_client_failed(client, 8, failure, detail);
    assert_int_equal(verdict->at, 8 + 500 * MS);
    armtap_client_free(client);
}

static void test_failed_attempts(void **unused)
{
    (void)unused;
    check_failure(ARMTAP_CLIENT_REFUSED, "is it on?", "the robot refuses connections: is it on?");
    check_failure(ARMTAP_CLIENT_NO_ANSWER, NULL, "the robot does not answer");
    check_failure(ARMTAP_CLIENT_UNREACHABLE, "no route", "the robot's network cannot be reached: no route");
    check_failure(ARMTAP_CLIENT_FAILED, "no descriptors", "connecting failed: no descriptors");
}

static void test_giving_up(void **unused)
{
    struct world world = {.manners = {.close_after = 1}};
    struct armtap_client_options options = client_options();
    (void)unused;
    options.give_up = 3000 * MS;
    run_to(&world, &options,
           "end closed verdict 3 \"no data for 3 s: the robot closed the connection instead of answering the protocol "
           "request\" error 0\n");
    assert_int_equal(world.now, 3000 * MS);
    world_free(&world);

    struct world waits = {.manners = {.data = 1}};
    run_to(&waits, &options, "end closed verdict 3 \"no data for 3 s\" error 0\n");
    assert_int_equal(waits.now, 3000 * MS);
    world_free(&waits);

    struct world stops = {.manners = {.data = 1, .silent = "P"}, .stop_at = 1};
    options.give_up = 500 * MS; /* it ends anyway */
    run_to(&stops, &options, "end closed verdict 2 \"stopped; the robot did not answer PAUSE\" error 0\n");
    world_free(&stops);
}

/* ---- the end ---- */

static void test_the_drain(void **unused)
{
    struct world world = {.manners = {.data = 3, .late = 1000}, .stop_at = 3};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, STOPPED);
    assert_int_equal(world.log.records[ARMTAP_FROM_ROBOT], 1003);
    world_free(&world);
}

static void test_no_answer_to_pause(void **unused)
{
    struct world world = {.manners = {.data = 3, .silent = "P"}, .stop_at = 3};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, "end closed verdict 2 \"stopped; the robot did not answer PAUSE\" error 0\n");
    assert_int_equal(world.now, 1000 * MS);
    world_free(&world);
}

static void test_the_robot_closes_while_pausing(void **unused)
{
    struct world world = {.manners = {.data = 1, .late = 3, .close_after = 150}, .stop_at = 1};
    struct armtap_client_options options = client_options();
    (void)unused;
    run_to(&world, &options, STOPPED);
    assert_int_equal(world.robot.connections, 1);
    world_free(&world);
}

static void test_stopping_before_data(void **unused)
{
    static const char types[] = "VvO";
    struct armtap_client_options options = client_options();
    struct armtap_client *client;
    (void)unused;
    assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
    assert_int_equal(armtap_client_stop(client, 0), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_DONE);
    assert_int_equal(armtap_client_connected(client, 0, NULL), ARMTAP_ERR_NOT_READY);
    armtap_client_free(client);
    for (size_t i = 0; types[i]; i++) {
        char silent[2] = {types[i], '\0'};
        struct world world = {.manners = {.silent = silent}, .until = 500 * MS};
        const void *bytes;
        world_run(&world, &options);
        assert_int_equal(armtap_client_state(world.client), ARMTAP_CLIENT_STATE_VERSION + (int)i);
        assert_int_equal(armtap_client_stop(world.client, world.now), ARMTAP_OK);
        assert_int_equal(armtap_client_verdict(world.client)->what, ARMTAP_CLIENT_DONE);
        assert_int_equal(armtap_client_deadline(world.client), INT64_MAX);
        assert_int_equal(armtap_client_send(world.client, &bytes), 0);
        world_free(&world);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_rtde_session),
        cmocka_unit_test(test_a_realtime_session),
        cmocka_unit_test(test_a_primary_session),
        cmocka_unit_test(test_refused_protocols),
        cmocka_unit_test(test_a_controller_that_knows_no_versions),
        cmocka_unit_test(test_a_controller_that_is_slow_at_times),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_an_old_version_reply),
        cmocka_unit_test(test_names_that_are_dropped),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_no_name_is_known),
        cmocka_unit_test(test_no_answer_to_a_second_set_up),
        cmocka_unit_test(test_further_names_lacking),
        cmocka_unit_test(test_another_release),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_a_full_buffer),
        cmocka_unit_test(test_inputs_before_their_set_up),
        cmocka_unit_test(test_inputs_in_use),
        cmocka_unit_test(test_start_is_refused),
        cmocka_unit_test(test_data_before_the_reply),
        cmocka_unit_test(test_an_unconfirmed_safety_setup),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_back_off),
        cmocka_unit_test(test_what_sets_the_back_off_back),
        cmocka_unit_test(test_a_restarted_controller),
        cmocka_unit_test(test_changes_of_mode),
        cmocka_unit_test(test_failed_attempts),
        cmocka_unit_test(test_giving_up),
        cmocka_unit_test(test_the_drain),
        cmocka_unit_test(test_no_answer_to_pause),
        cmocka_unit_test(test_the_robot_closes_while_pausing),
        cmocka_unit_test(test_stopping_before_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
