/* A client of robots, whatever comes on the wire: any chunks, an end after every byte, texts between any two packages,
 * no answer in every state, garbage, lengths that lie: the same verdict and the same records, and it always comes to
 * rest. */
#include "client_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT "a text that comes at any time"

static const char *const inputs[] = {"input_int_register_24", "speed_slider_mask,wonder"};

/* Everything at once: a lower protocol, dropped names, inputs in use, texts, early and late data. */
static struct manners busy_manners(void)
{
    return (struct manners){
        .protocol = 2, .lacks = ",actual_qd,", .in_use = 1, .text = TEXT, .early = 2, .data = 3, .late = 2};
}

static struct armtap_client_options busy_options(void)
{
    struct armtap_client_options options = client_options();
    options.outputs = "timestamp,actual_qd,actual_q";
    options.inputs = inputs;
    options.input_count = 2;
    return options;
}

static void run_chunks(struct world *world, const struct manners *manners, size_t chunk, size_t send_chunk)
{
    struct armtap_client_options options = busy_options();
    *world = (struct world){.manners = *manners, .chunk = chunk, .send_chunk = send_chunk};
    world->stop_at = 5;
    world_run(world, &options);
}

/* ---- chunks ---- */

static void check_same(const struct world *whole, const struct manners *manners, size_t chunk, size_t send_chunk)
{
    struct world world;
    run_chunks(&world, manners, chunk, send_chunk);
    assert_true(same_lines(world.log.text, whole->log.text));
    assert_int_equal(world.now, whole->now);
    world_free(&world);
}

static void test_any_chunks(void **unused)
{
    struct manners manners = busy_manners();
    struct world whole;
    (void)unused;
    run_chunks(&whole, &manners, 0, 0);
    assert_true(log_has(&whole.log, "end closed verdict 2 \"stopped\" error 0"));
    assert_int_equal(whole.log.records[ARMTAP_FROM_ROBOT], 7);
    for (size_t chunk = 1; chunk < 100; chunk++)
        check_same(&whole, &manners, chunk, chunk % 5);
    world_free(&whole);
}

/* ---- the end, anywhere ---- */

static void run_until(struct world *world, const struct manners *manners, size_t end, bool reset, size_t chunk)
{
    struct armtap_client_options options = busy_options();
    *world = (struct world){.manners = *manners, .chunk = chunk, .until = 2100 * MS, .stop_at = 5};
    world->manners.close_after = end;
    world->manners.reset = reset;
    world->manners.in_use = 0; /* it takes no time */
    world->until = 100 * MS;   /* one connection */
    world_run(world, &options);
}

/* Bytes that the robot sends on a connection without an end. */
static size_t length_of(const struct manners *manners)
{
    struct world world;
    run_until(&world, manners, 0, false, 0);
    size_t length = world.robot.given;
    assert_true(log_has(&world.log, "verdict 2 \"stopped\""));
    world_free(&world);
    return length;
}

static void test_an_end_after_every_byte(void **unused)
{
    struct manners manners = busy_manners();
    size_t length = length_of(&manners);
    (void)unused;
    assert_in_range(length, 500, 5000);
    for (size_t end = 1; end < length; end++) {
        struct world whole, pieces, reset;
        run_until(&whole, &manners, end, false, 0);
        run_until(&pieces, &manners, end, false, 1);
        run_until(&reset, &manners, end, true, 7);
        const struct armtap_client_verdict *verdict = armtap_client_verdict(whole.client);
        bool pausing = whole.stopped;
        assert_true(same_lines(pieces.log.text, whole.log.text));
        assert_int_equal(verdict->what, pausing ? ARMTAP_CLIENT_DONE : ARMTAP_CLIENT_RECONNECT);
        assert_int_equal(armtap_client_verdict(reset.client)->what, verdict->what);
        assert_int_equal(whole.log.records[ARMTAP_FROM_ROBOT], reset.log.records[ARMTAP_FROM_ROBOT]);
        if (!pausing)
            assert_int_equal(verdict->at, 250 * MS);
        world_free(&whole);
        world_free(&pieces);
        world_free(&reset);
    }
}

/* ---- texts ---- */

/* The log without what texts add: their lines, and offsets. */
static char *without_texts(const char *log)
{
    char *rest = calloc(1, strlen(log) + 1), *to = rest;
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        bool is_text = strncmp(line, "text ", 5) == 0 || strncmp(line, "note < rtde.text.", 17) == 0;
        for (size_t i = 0; i < length && !is_text; i++) {
            if (line[i] == '@')
                i += strcspn(line + i, " ");
            *to++ = line[i];
        }
        line += length;
    }
    return rest;
}

static void test_texts_between_any_two_packages(void **unused)
{
    struct manners manners = busy_manners(), silent = manners;
    struct world with, without;
    (void)unused;
    silent.text = NULL;
    run_chunks(&with, &manners, 0, 0);
    run_chunks(&without, &silent, 0, 0);
    assert_int_equal(without.log.texts, 0);
    assert_in_range(with.log.texts, 25, 100);
    char *rest = without_texts(with.log.text), *plain = without_texts(without.log.text);
    assert_true(same_lines(rest, plain));
    free(rest);
    free(plain);
    world_free(&with);
    world_free(&without);
}

/* ---- no answer ---- */

static void check_silence(const char *silent, int64_t lost, const char *state)
{
    struct armtap_client_options options = busy_options();
    struct world world = {.manners = busy_manners(), .until = (lost + 1) * MS};
    char line[200];
    world.manners.silent = silent;
    world.manners.in_use = 0;
    world_run(&world, &options);
    snprintf(line, sizeof line, "client verdict warning at %d ms: the controller does not answer%s", (int)lost, state);
    assert_true(log_has(&world.log, line));
    assert_int_equal(armtap_client_verdict(world.client)->what, ARMTAP_CLIENT_RECONNECT);
    assert_int_equal(armtap_client_verdict(world.client)->at, (lost + 250) * MS);
    world_free(&world);
}

static void test_no_answer_in_any_state(void **unused)
{
    (void)unused;
    check_silence("V", 1000, " the protocol request");
    check_silence("v", 5000, " the version request");
    check_silence("O", 5000, " the output setup");
    check_silence("I", 5000, " the input setup");
    check_silence("S", 5000, " START");
}

static struct armtap_client *connected_to(enum armtap_protocol protocol, const char *robot)
{
    struct armtap_client_options options = client_options();
    struct armtap_client *client;
    options.protocol = protocol;
    options.robot = robot;
    assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
    assert_int_equal(armtap_client_connected(client, 0, NULL), ARMTAP_OK);
    return client;
}

/* A client that has sent its first request. */
static struct armtap_client *asking(enum armtap_protocol protocol)
{
    struct armtap_client *client = connected_to(protocol, client_options().robot);
    const void *bytes;
    size_t length = armtap_client_send(client, &bytes);
    assert_int_equal(armtap_client_sent(client, length, 0, NULL), ARMTAP_OK);
    return client;
}

/* Texts are no answer: a robot that only talks is left when one that says nothing is. */
static void test_texts_are_no_answer(void **unused)
{
    static const char text[] = "\0\11M\5noise";
    struct armtap_client *client = asking(ARMTAP_RTDE);
    int64_t now = 0;
    (void)unused;
    for (; armtap_client_verdict(client)->what == ARMTAP_CLIENT_GO_ON && now < 5000 * MS; now += MS) {
        assert_int_equal(armtap_client_receive(client, text, 9, now, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_expire(client, now), ARMTAP_OK);
    }
    assert_int_equal(now, 1001 * MS);
    armtap_client_free(client);
}

/* ---- what no controller sends ---- */

/* Bytes until a client leaves a stranger that sends these again and again, after a `head`. */
static size_t left_after(enum armtap_protocol protocol, const struct bytes *head, const void *bytes, size_t length)
{
    struct armtap_client *client = asking(protocol);
    size_t got = 0;
    assert_int_equal(armtap_client_receive(client, head->at, head->length, 0, NULL), ARMTAP_OK);
    for (; got < 1000000 && armtap_client_verdict(client)->what == ARMTAP_CLIENT_GO_ON; got += length)
        assert_int_equal(armtap_client_receive(client, bytes, length, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_RECONNECT);
    assert_non_null(strstr(armtap_client_verdict(client)->reason, " is not "));
    armtap_client_free(client);
    return got;
}

static void test_other_protocols(void **unused)
{
    static const char web[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    uint8_t noise[1000];
    struct bytes none = {0}, version = {0};
    uint64_t seed = 7;
    (void)unused;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)random_bits(&seed);
    bytes_hex(&version, "00 04 56 01");
    /* The third byte tells RTDE, the fourth what else begins with a length; later it takes more than two packages. */
    assert_int_equal(left_after(ARMTAP_RTDE, &none, web, sizeof web - 1), sizeof web - 1);
    for (size_t i = 1; i <= 3; i++)
        assert_in_range(left_after(ARMTAP_RTDE, &none, web, i), 4, 6);
    assert_int_equal(left_after(ARMTAP_RTDE, &none, noise, sizeof noise), sizeof noise);
    assert_in_range(left_after(ARMTAP_RTDE, &version, web, sizeof web - 1), 130000, 300000);
    assert_in_range(left_after(ARMTAP_RTDE, &version, noise, sizeof noise), 130000, 300000);
    assert_in_range(left_after(ARMTAP_REALTIME, &none, web, sizeof web - 1), 4096, 300000);
    assert_in_range(left_after(ARMTAP_REALTIME, &none, noise, sizeof noise), 4096, 300000);
    bytes_free(&version);
}

/* What a client says that gets another protocol's bytes, in pieces of that length. */
static void check_other(enum armtap_protocol wanted, const char *robot, const struct bytes *first, size_t piece,
                        enum armtap_protocol answers, const char *reason)
{
    struct armtap_client *client = connected_to(wanted, robot);
    for (size_t at = 0; at < first->length && armtap_client_verdict(client)->what == ARMTAP_CLIENT_GO_ON; at += piece)
        assert_int_equal(armtap_client_receive(client, first->at + at,
                                               piece < first->length - at ? piece : first->length - at, 0, NULL),
                         ARMTAP_OK);
    assert_string_equal(armtap_client_verdict(client)->reason, reason);
    assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_GIVE_UP);
    assert_int_equal(armtap_client_agreement(client)->answers, answers);
    armtap_client_free(client);
}

/* The first bytes of each protocol, whatever the port, however they are cut. */
static void test_what_answers_instead(void **unused)
{
    struct bytes version = {0}, packets = {0}, banner = {0};
    (void)unused;
    bytes_primary_version(&version);
    bytes_packet(&packets, 1220, 12.5);
    bytes_text(&banner, "Connected: Universal Robots Dashboard Server\n");
    for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
        check_other(ARMTAP_RTDE, "10.0.0.2:40000", &packets, piece, ARMTAP_REALTIME,
                    "this port sends realtime packets of 1220 bytes, not RTDE packages");
        check_other(ARMTAP_PRIMARY, "10.0.0.2:40000", &packets, piece, ARMTAP_REALTIME,
                    "this port sends realtime packets of 1220 bytes, not messages of the primary interface");
        check_other(ARMTAP_RTDE, "10.0.0.2:30004", &version, piece, ARMTAP_PRIMARY,
                    "this port sends messages of the primary interface, not RTDE packages");
        check_other(ARMTAP_REALTIME, "10.0.0.2:30001", &version, piece, ARMTAP_PRIMARY,
                    "this port sends messages of the primary interface, not realtime packets");
        check_other(ARMTAP_RTDE, "10.0.0.2:29999", &banner, piece, ARMTAP_DASHBOARD,
                    "this port sends lines of the dashboard server, not RTDE packages");
    }
    bytes_free(&version);
    bytes_free(&packets);
    bytes_free(&banner);
}

/* Where nothing comes, the port tells; one that is known for nothing, or for what was asked, tells nothing. */
static void check_silent_port(enum armtap_protocol wanted, const char *robot, const char *reason)
{
    struct armtap_client *client = connected_to(wanted, robot);
    int64_t deadline = armtap_client_deadline(client);
    assert_int_equal(armtap_client_expire(client, deadline), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->what == ARMTAP_CLIENT_GIVE_UP, reason != NULL);
    if (reason) {
        assert_string_equal(armtap_client_verdict(client)->reason, reason);
        assert_int_equal(deadline, 1000 * MS);
    }
    armtap_client_free(client);
}

static void test_silent_ports(void **unused)
{
    (void)unused;
    check_silent_port(ARMTAP_REALTIME, "10.0.0.2:30004",
                      "nothing arrives; this port is for RTDE packages, not realtime packets");
    check_silent_port(ARMTAP_PRIMARY, "[fd00::2]:30004",
                      "nothing arrives; this port is for RTDE packages, not messages of the primary interface");
    check_silent_port(ARMTAP_RTDE, "10.0.0.2:30013",
                      "nothing arrives; this port is for realtime packets, not RTDE packages");
    check_silent_port(ARMTAP_REALTIME, "10.0.0.2:30013", NULL);
    check_silent_port(ARMTAP_PRIMARY, "10.0.0.2:40004", NULL);
    check_silent_port(ARMTAP_RTDE, "10.0.0.2:30004", NULL);
    check_silent_port(ARMTAP_RTDE, NULL, NULL);
}

/* A reply that lies about its length is waited for no longer than one that does not come. */
static void test_lengths_that_lie(void **unused)
{
    static const char *const heads[] = {"\377\377V", "\0\0V", "\0\2V", "\377\377U", "\377\377M", "\0\3V", "\0\5V\1\1"};
    static const size_t lengths[] = {3, 3, 3, 3, 3, 3, 5};
    uint8_t zeros[4096] = {0};
    (void)unused;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct armtap_client *client = asking(ARMTAP_RTDE);
        assert_int_equal(armtap_client_receive(client, heads[i], lengths[i], 0, NULL), ARMTAP_OK);
        for (size_t k = 0; k < 14; k++)
            assert_int_equal(armtap_client_receive(client, zeros, sizeof zeros, 0, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_deadline(client), 1000 * MS);
        assert_int_equal(armtap_client_expire(client, 1000 * MS), ARMTAP_OK);
        assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_RECONNECT);
        armtap_client_free(client);
    }
}

/* Replies to what was not asked, or not sent yet, answer nothing. */
static void test_replies_that_nobody_asked_for(void **unused)
{
    static const char replies[] = "\0\4V\1\0\23v\0\0\0\5\0\0\0\13\0\0\0\1\0\0\0\154\0\4S\1\0\4P\1\0\12O\1DOUBLE\0\4U\1";
    struct armtap_client *client = connected_to(ARMTAP_RTDE, client_options().robot);
    const void *bytes;
    (void)unused;
    assert_int_equal(armtap_client_receive(client, replies, sizeof replies - 1, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_state(client), ARMTAP_CLIENT_STATE_VERSION);
    assert_int_equal(armtap_client_send(client, &bytes), 5);
    assert_memory_equal(bytes, "\0\5V\0\3", 5);
    armtap_client_free(client);
}

/* An answer that came before its request was sent names the fields of what follows, but answers nothing. */
static void test_an_answer_too_early(void **unused)
{
    static const char version[] = "\0\4V\1", release[] = "\0\23v\0\0\0\5\0\0\0\13\0\0\0\1\0\0\0\154";
    static const char early[] = "\0\23O\1DOUBLE,VECTOR6D", refused[] = "\0\26O\0NOT_FOUND,VECTOR6D";
    struct armtap_client *client = asking(ARMTAP_RTDE);
    const void *bytes;
    (void)unused;
    assert_int_equal(armtap_client_receive(client, version, sizeof version - 1, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_sent(client, armtap_client_send(client, &bytes), 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_receive(client, release, sizeof release - 1, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_receive(client, early, sizeof early - 1, 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_sent(client, armtap_client_send(client, &bytes), 0, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_state(client), ARMTAP_CLIENT_STATE_SETUP);
    assert_int_equal(armtap_client_receive(client, refused, sizeof refused - 1, 0, NULL), ARMTAP_OK);
    assert_int_not_equal(armtap_client_state(client), ARMTAP_CLIENT_STATE_START);
    armtap_client_free(client);
}

/* A reply with more or fewer types than names: which is whose is not known. */
static void test_another_number_of_types(void **unused)
{
    static const char version[] = "\0\4V\1", release[] = "\0\23v\0\0\0\5\0\0\0\13\0\0\0\1\0\0\0\154";
    static const char more[] = "\0\31O\1DOUBLE,VECTOR6D,INT32", fewer[] = "\0\12O\1DOUBLE";
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct armtap_client *client = asking(ARMTAP_RTDE);
        const void *bytes;
        assert_int_equal(armtap_client_receive(client, version, sizeof version - 1, 0, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_sent(client, armtap_client_send(client, &bytes), 0, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_receive(client, release, sizeof release - 1, 0, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_sent(client, armtap_client_send(client, &bytes), 0, NULL), ARMTAP_OK);
        const char *reply = i ? more : fewer;
        assert_int_equal(armtap_client_receive(client, reply, (size_t)reply[1], 0, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_RECONNECT);
        assert_string_equal(armtap_client_verdict(client)->reason,
                            "the controller's answer to the output setup cannot be read");
        assert_null(armtap_client_agreement(client)->recipe);
        armtap_client_free(client);
    }
}

/* A robot that never stops sending keeps no deadline from passing, even if the program only receives. */
static void test_deadlines_pass_while_data_comes(void **unused)
{
    static const char text[] = "\0\11M\5noise";
    struct armtap_client *client = asking(ARMTAP_RTDE);
    (void)unused;
    assert_int_equal(armtap_client_receive(client, text, 9, 999 * MS, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_GO_ON);
    assert_int_equal(armtap_client_receive(client, text, 9, 1000 * MS, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_RECONNECT);
    armtap_client_free(client);
}

/* Whoever forgets armtap_client_closed does not connect for ever without a pause. */
static void test_failing_without_closing(void **unused)
{
    struct armtap_client *client = asking(ARMTAP_RTDE);
    (void)unused;
    assert_int_equal(armtap_client_expire(client, 1000 * MS), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->at, 1250 * MS);
    assert_int_equal(armtap_client_failed(client, 1250 * MS, ARMTAP_CLIENT_REFUSED, NULL), ARMTAP_OK);
    assert_int_equal(armtap_client_verdict(client)->at, 1750 * MS);
    armtap_client_free(client);
}

/* Nothing of a connection is left on the next one. */
static void test_a_new_connection_is_new(void **unused)
{
    struct armtap_client_options options = busy_options();
    struct world world = {.manners = {.data = 1}, .until = 100 * MS};
    uint8_t zeros[100000] = {0};
    (void)unused;
    world_run(&world, &options);
    assert_non_null(armtap_client_agreement(world.client)->recipe);
    assert_non_null(armtap_client_input(world.client, 0));
    for (int i = 0; i < 3; i++) { /* together more than makes a stranger */
        assert_int_equal(armtap_client_closed(world.client, world.now, ARMTAP_CLIENT_RESET, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_connected(world.client, world.now, NULL), ARMTAP_OK);
        assert_null(armtap_client_agreement(world.client)->recipe);
        assert_null(armtap_client_input(world.client, 0));
        assert_int_equal(armtap_client_agreement(world.client)->version, 0);
        assert_int_equal(armtap_client_receive(world.client, "\0\11M\5noise", 9, world.now, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_receive(world.client, zeros, sizeof zeros, world.now, NULL), ARMTAP_OK);
        assert_int_equal(armtap_client_verdict(world.client)->what, ARMTAP_CLIENT_GO_ON);
    }
    world_free(&world);
}

/* Inputs may be written from callbacks, also while the connection reads what is being sent. */
static int write_on_message(void *user, const struct armtap_message *message)
{
    struct world *world = user;
    if (message->direction == ARMTAP_TO_ROBOT && message->bytes[2] == 'U' && world->steps++ < 3)
        assert_int_equal(armtap_client_write(world->client, 0, world->input), ARMTAP_OK);
    return 0;
}

static void test_writing_from_callbacks(void **unused)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_message = write_on_message};
    struct armtap_client_options options = busy_options();
    struct world world = {.manners = {.data = 1}, .until = 100 * MS, .sink = &sink};
    const void *bytes;
    (void)unused;
    world.input = armtap_state_new();
    world_run(&world, &options);
    world.steps = 0;
    assert_int_equal(armtap_client_write(world.client, 0, world.input), ARMTAP_OK);
    for (unsigned total = 0; total < 4 * 8; total++) { /* byte by byte */
        assert_in_range(armtap_client_send(world.client, &bytes), 1, 16);
        assert_int_equal(*(const uint8_t *)bytes, "\0\10U\1\0\0\0\0"[total % 8]);
        assert_int_equal(armtap_client_sent(world.client, 1, world.now, NULL), ARMTAP_OK);
    }
    assert_int_equal(armtap_client_send(world.client, &bytes), 0);
    assert_int_equal(armtap_client_stream(world.client)->records[ARMTAP_TO_ROBOT], 4);
    armtap_state_free(world.input);
    world_free(&world);
}

/* ---- callbacks ---- */

struct user {
    struct armtap_client *client;
    enum { CALL, FREE, STOP } deed;
    unsigned calls;
};

static int act(struct user *user)
{
    const void *bytes;
    user->calls++;
    if (user->deed == STOP)
        return 1;
    if (user->deed == FREE) {
        armtap_client_free(user->client);
        return 0;
    }
    assert_int_equal(armtap_client_connected(user->client, 0, NULL), ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_client_failed(user->client, 0, ARMTAP_CLIENT_REFUSED, NULL), ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_client_receive(user->client, "", 1, 0, NULL), ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_client_closed(user->client, 0, ARMTAP_CLIENT_RESET, NULL), ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_client_sent(user->client, 0, 0, NULL), ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_client_expire(user->client, 0), ARMTAP_ERR_BUSY);
    assert_int_equal(armtap_client_stop(user->client, 0), ARMTAP_ERR_BUSY);
    armtap_client_send(user->client, &bytes);
    armtap_client_deadline(user->client);
    assert_non_null(armtap_client_verdict(user->client));
    return 0;
}

static int act_on_message(void *user, const struct armtap_message *message)
{
    (void)message;
    return act(user);
}

static int act_on_event(void *user, const struct armtap_client_event *event)
{
    (void)event;
    return act(user);
}

/* What a callback does on the first call that has one, and what that call returns. */
static void check_deed(struct user user, bool of_sink, int error)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_message = act_on_message};
    struct armtap_client_options options = client_options();
    const void *bytes;
    options.on_event = of_sink ? NULL : act_on_event;
    assert_int_equal(armtap_client_new(&options, of_sink ? &sink : NULL, &user, &user.client), ARMTAP_OK);
    int answer = armtap_client_connected(user.client, 0, NULL);
    if (of_sink) {
        assert_int_equal(answer, ARMTAP_OK);
        size_t length = armtap_client_send(user.client, &bytes);
        answer = armtap_client_sent(user.client, length, 0, NULL);
    }
    assert_int_equal(answer, error);
    assert_int_equal(user.calls, 1);
    if (user.deed == FREE)
        return;
    if (user.deed == STOP) {
        assert_int_equal(armtap_client_verdict(user.client)->what, ARMTAP_CLIENT_GIVE_UP);
        assert_int_equal(armtap_client_expire(user.client, 0), ARMTAP_ERR_STOPPED);
        assert_int_equal(armtap_client_receive(user.client, "", 1, 0, NULL), ARMTAP_ERR_STOPPED);
        assert_int_equal(user.calls, 1);
    }
    armtap_client_free(user.client);
}

static void test_calls_from_callbacks(void **unused)
{
    (void)unused;
    for (int of_sink = 0; of_sink < 2; of_sink++) {
        check_deed((struct user){.deed = CALL}, of_sink, ARMTAP_OK);
        check_deed((struct user){.deed = FREE}, of_sink, ARMTAP_ERR_STOPPED);
        check_deed((struct user){.deed = STOP}, of_sink, ARMTAP_ERR_STOPPED);
    }
}

static void test_nothing(void **unused)
{
    const void *bytes;
    struct armtap_client_dropped dropped = {.size = sizeof dropped};
    (void)unused;
    armtap_client_free(NULL);
    assert_int_equal(armtap_client_new(NULL, NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_connected(NULL, 0, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_failed(NULL, 0, ARMTAP_CLIENT_REFUSED, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_receive(NULL, "", 0, 0, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_closed(NULL, 0, ARMTAP_CLIENT_RESET, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_sent(NULL, 0, 0, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_expire(NULL, 0), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_stop(NULL, 0), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_write(NULL, 0, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_client_send(NULL, &bytes), 0);
    assert_int_equal(armtap_client_deadline(NULL), INT64_MAX);
    assert_int_equal(armtap_client_state(NULL), ARMTAP_CLIENT_STATE_CLOSED);
    assert_int_equal(armtap_client_verdict(NULL)->what, ARMTAP_CLIENT_GIVE_UP);
    assert_null(armtap_client_agreement(NULL));
    assert_null(armtap_client_stream(NULL));
    assert_null(armtap_client_input(NULL, 0));
    assert_false(armtap_client_dropped(NULL, 0, &dropped));
    assert_string_equal(armtap_client_state_name((enum armtap_client_state)99), "");
    assert_string_equal(armtap_client_state_name(ARMTAP_CLIENT_STATE_CLOSED), "closed");
}

/* A clock at either end of its range, and one that goes back. */
static void test_clocks(void **unused)
{
    static const int64_t times[] = {INT64_MIN, INT64_MAX, -1, 0};
    (void)unused;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct armtap_client_options options = client_options();
        struct armtap_client *client;
        options.give_up = INT64_MAX;
        assert_int_equal(armtap_client_new(&options, NULL, NULL, &client), ARMTAP_OK);
        assert_int_equal(armtap_client_connected(client, times[i], NULL), ARMTAP_OK);
        int64_t deadline = armtap_client_deadline(client);
        assert_true(deadline > times[i] || deadline == INT64_MAX);
        assert_int_equal(armtap_client_expire(client, INT64_MIN), ARMTAP_OK);
        assert_int_equal(armtap_client_deadline(client), deadline);
        assert_int_equal(armtap_client_verdict(client)->what, ARMTAP_CLIENT_GO_ON);
        armtap_client_free(client);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_chunks),
        cmocka_unit_test(test_an_end_after_every_byte),
        cmocka_unit_test(test_texts_between_any_two_packages),
        cmocka_unit_test(test_no_answer_in_any_state),
        cmocka_unit_test(test_texts_are_no_answer),
        cmocka_unit_test(test_other_protocols),
        cmocka_unit_test(test_what_answers_instead),
        cmocka_unit_test(test_silent_ports),
        cmocka_unit_test(test_lengths_that_lie),
        cmocka_unit_test(test_replies_that_nobody_asked_for),
        cmocka_unit_test(test_an_answer_too_early),
        cmocka_unit_test(test_another_number_of_types),
        cmocka_unit_test(test_deadlines_pass_while_data_comes),
        cmocka_unit_test(test_failing_without_closing),
        cmocka_unit_test(test_a_new_connection_is_new),
        cmocka_unit_test(test_writing_from_callbacks),
        cmocka_unit_test(test_calls_from_callbacks),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
