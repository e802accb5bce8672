/* Ticks of records: their times, what goes in the place of a gap, rounds, several connections. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nanoseconds.h"
#include "serve/recording/far_times.h"
#include "serve/playing/timeline.h"

#define MS INT64_C(1000000)
#define CYCLE (8 * MS)
#define BEGIN INT64_C(1769860800000000000)
#define TICKS_MAX 4000u
#define PACKET 1060u

/* ---- a capture: connections that say something at a time
 * -------------------------------------------------------------- */

struct said {
    unsigned connection; /* 0, 1: RTDE; 2: legacy; 3, 4: messages of port 30001, with `clock` as their number */
    int64_t time;        /* ns from the beginning */
    double clock;
};

struct scene {
    struct said said[2500];
    size_t count;
    struct armtap_conn *conns[3];
    struct armtap_where where;
    struct recording recording;
    struct recorded_robot robot;
    struct timeline_wish wish;
    struct tick_maker *maker; /* NULL: the scene is learned */
    int outcome;
    struct made {
        int64_t time;
        unsigned whom;
        bool is_repeated;
        double clock, packet_clock;
        size_t packet_length;
        int message; /* its number; -1: a record */
        int64_t captured;
        enum given robot_mode, safety_mode; /* of connections 0 and 1 */
    } made[TICKS_MAX];
    size_t made_count, silences;
};

static void say(struct scene *scene, unsigned connection, int64_t time, double clock)
{
    assert_true(scene->count < sizeof scene->said / sizeof *scene->said);
    scene->said[scene->count++] = (struct said){connection, time, clock};
}

/* `count` records, one each cycle; the controller's clock at `time` was `clock`. */
static void say_some(struct scene *scene, unsigned connection, int64_t time, double clock, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        say(scene, connection, time + i * CYCLE, clock + i * 0.008);
}

static double double_at(const uint8_t *bytes)
{
    uint64_t bits = 0;
    double number;
    for (unsigned i = 0; i < 8; i++)
        bits = bits << 8 | bytes[i];
    memcpy(&number, &bits, sizeof number);
    return number;
}

static enum given given_at(const struct scene *scene, const struct tick *tick, const char *name)
{
    const struct variable *variable = variables_find(scene->robot.variables, name, strlen(name));
    return variable ? (enum given)tick->given[variable->index] : GIVEN_NOT;
}

static int on_tick(void *user, const struct tick *tick)
{
    struct scene *scene = user;
    const struct variable *clock = variables_find(scene->robot.variables, "timestamp", 9);
    assert_true(scene->made_count < TICKS_MAX);
    if (tick->is_silent) {
        assert_true(scene->wish.gaps != GAPS_HOLD && tick->for_whom == TICK_RTDE);
        assert_int_equal(given_at(scene, tick, "timestamp"), GIVEN_NOT);
        scene->silences++;
        return 0;
    }
    if (tick->message) {
        assert_true(!tick->image && tick->for_whom == 0 && tick->message_port == 30001 && tick->message_length == 2);
        scene->made[scene->made_count++] = (struct made){.time = tick->time,
                                                         .message = tick->message[0] << 8 | tick->message[1],
                                                         .captured = far_difference(tick->captured, BEGIN)};
        return 0;
    }
    scene->made[scene->made_count++] =
        (struct made){.time = tick->time,
                      .whom = tick->for_whom,
                      .is_repeated = tick->is_repeated,
                      .clock = clock ? variable_number(clock, tick->image, 0) : NAN,
                      .packet_clock = tick->packet_length > 12 ? double_at(tick->packet + 4) : NAN,
                      .packet_length = tick->packet_length,
                      .message = -1,
                      .captured = far_difference(tick->captured, BEGIN),
                      .robot_mode = given_at(scene, tick, "robot_mode"),
                      .safety_mode = given_at(scene, tick, "safety_mode")};
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct scene *scene = user;
    enum served protocol;
    if (record->direction != ARMTAP_FROM_ROBOT)
        return 0;
    if (scene->maker) {
        scene->outcome = tick_maker_record(scene->maker, record, true);
        return scene->outcome;
    }
    assert_true(recording_protocol(record->protocol, &protocol));
    scene->robot.records[protocol]++;
    scene->robot.last_time = record->where.time;
    if (scene->robot.earliest == 0)
        scene->robot.earliest = record->where.time;
    if (record->where.time > scene->robot.latest)
        scene->robot.latest = record->where.time;
    struct recorded_stream *stream = &scene->recording.streams[record->stream->connection];
    stream->records++;
    return presence_learn(scene->robot.presence, record);
}

static void open_conn(struct scene *scene, unsigned connection)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record};
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = connection == 2 ? ARMTAP_REALTIME : ARMTAP_RTDE,
                                          .robot = connection == 2 ? "10.0.0.2:30003" : "10.0.0.2:30004",
                                          .connection = connection};
    struct bytes bytes = {0};
    assert_int_equal(armtap_conn_new(&options, &sink, scene, &scene->conns[connection]), 0);
    if (connection == 2)
        return;
    bytes_list(&bytes, 'O', "40 5f 40 00 00 00 00 00",
               connection == 0 ? "timestamp,robot_mode" : "timestamp,safety_mode");
    armtap_conn_push(scene->conns[connection], ARMTAP_TO_ROBOT, bytes.at, bytes.length, &scene->where);
    bytes.length = 0;
    bytes_list(&bytes, 'O', "01", "DOUBLE,INT32");
    armtap_conn_push(scene->conns[connection], ARMTAP_FROM_ROBOT, bytes.at, bytes.length, &scene->where);
    bytes_free(&bytes);
}

static void push_message(struct scene *scene, const struct said *said)
{
    const uint8_t bytes[2] = {(uint8_t)((unsigned)said->clock >> 8), (uint8_t)said->clock};
    const struct port_message message = {
        .port = 30001, .connection = said->connection, .time = BEGIN + said->time, .bytes = bytes, .length = 2};
    if (scene->maker)
        assert_int_equal(tick_maker_message(scene->maker, &message), 0);
}

static void push(struct scene *scene, const struct said *said)
{
    struct bytes bytes = {0}, payload = {0};
    scene->where.time = BEGIN + said->time;
    if (said->connection > 2) {
        push_message(scene, said);
        return;
    }
    if (said->connection == 2) {
        bytes_packet(&bytes, PACKET, said->clock);
    } else {
        bytes_number(&payload, 1, 1);
        bytes_double(&payload, said->clock);
        bytes_number(&payload, 7, 4);
        bytes_package(&bytes, 'U', &payload);
    }
    assert_int_equal(
        armtap_conn_push(scene->conns[said->connection], ARMTAP_FROM_ROBOT, bytes.at, bytes.length, &scene->where), 0);
    bytes_free(&bytes);
    bytes_free(&payload);
}

static void read_all(struct scene *scene)
{
    scene->where = (struct armtap_where){.size = sizeof(struct armtap_where), .time = BEGIN};
    for (unsigned i = 0; i < 3; i++)
        open_conn(scene, i);
    for (size_t i = 0; i < scene->count; i++)
        push(scene, &scene->said[i]);
    for (unsigned i = 0; i < 3; i++)
        armtap_conn_free(scene->conns[i]);
}

/* Learns the scene and plays it `rounds` times. */
static void play(struct scene *scene, unsigned rounds)
{
    scene->robot.variables = variables_new();
    scene->robot.presence = presence_new(scene->robot.variables, &scene->recording.room);
    assert_true(scene->robot.variables && scene->robot.presence);
    scene->recording.stream_count = 3;
    for (unsigned i = 0; i < 3; i++)
        scene->recording.streams[i].connection = i;
    read_all(scene);
    assert_int_equal(presence_end(scene->robot.presence), 0);
    scene->recording.robots[0] = &scene->robot;
    scene->recording.robot_count = 1;
    scene->wish.recording = &scene->recording;
    scene->wish.cycle = CYCLE;
    scene->wish.packet_size = PACKET;
    scene->maker = tick_maker_new(&scene->wish, on_tick, scene);
    assert_non_null(scene->maker);
    for (unsigned i = 0; i < rounds; i++) {
        assert_int_equal(tick_maker_begin_round(scene->maker), 0);
        read_all(scene);
        assert_int_equal(tick_maker_end_round(scene->maker), 0);
        assert_true(tick_maker_has_ticks(scene->maker));
    }
}

static struct scene *make(void)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->recording.room = (struct presence_room)PRESENCE_ROOM;
    return scene;
}

static void end(struct scene *scene)
{
    tick_maker_free(scene->maker);
    presence_free(scene->robot.presence);
    variables_free(scene->robot.variables);
    free(scene);
}

static void expect_near(int64_t time, int64_t expected, int64_t by)
{
    if (time - expected > by || expected - time > by)
        fail_msg("at %lld ns, expected at %lld", (long long)time, (long long)expected);
}

/* ---- times
 * ------------------------------------------------------------------------------------------------------------ */

/* The capture's times jitter and come in bursts, the controller's clock does not. */
static void test_grid(void **state)
{
    struct scene *scene = make();
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        say(scene, 0, i * CYCLE + (i % 10 == 0 ? 0 : (i * 7919) % 5 * MS), 100 + i * 0.008);
    play(scene, 1);
    assert_int_equal(scene->made_count, 100);
    for (unsigned i = 0; i < 100; i++)
        expect_near(scene->made[i].time, i * CYCLE, MS / 2);
    for (unsigned i = 1; i < 100; i++)
        expect_near(scene->made[i].time - scene->made[i - 1].time, CYCLE, 10000);
    end(scene);
}

/* The controller's clock is fast by a thousandth, 8 us a record; the grid follows by a 1024th of the difference: after
 * 1500 records it is behind by 8 us * 1024 * (1 - exp(-1500 / 1024)). */
static void test_drift(void **state)
{
    enum { RECORDS = 1500 };
    struct scene *scene = make();
    (void)state;
    for (unsigned i = 0; i < RECORDS; i++)
        say(scene, 0, i * CYCLE, 100 + i * 0.008 * 1.001);
    play(scene, 1);
    const struct made *last = &scene->made[scene->made_count - 1];
    expect_near(last->time, (RECORDS - 1) * CYCLE + 6300000, MS / 2);
    end(scene);
}

static void test_keep(void **state)
{
    struct scene *scene = make();
    (void)state;
    scene->wish.gaps = GAPS_KEEP;
    say_some(scene, 0, 0, 1, 5);
    say_some(scene, 0, 3500 * MS + 1, 1.04, 5); /* a stall: nothing was lost */
    play(scene, 1);
    assert_int_equal(scene->made_count, 10);
    assert_true(scene->made[4].time == 4 * CYCLE && scene->made[5].time == 3500 * MS + 1);
    end(scene);
}

/* Not later than the clock says, if the stall was shorter than half a second. */
static void test_stall(void **state)
{
    struct scene *scene = make();
    (void)state;
    say_some(scene, 0, 0, 1, 5);
    for (unsigned i = 5; i < 10; i++)
        say(scene, 0, 400 * MS, 1 + i * 0.008);
    play(scene, 1);
    assert_int_equal(scene->made_count, 10);
    for (unsigned i = 0; i < 10; i++)
        expect_near(scene->made[i].time, i * CYCLE, 2 * MS);
    end(scene);
}

/* ---- gaps
 * ------------------------------------------------------------------------------------------------------------- */

static void test_hold(void **state)
{
    struct scene *scene = make();
    (void)state;
    say_some(scene, 0, 0, 10, 5);
    say_some(scene, 0, 4000 * MS, 14, 5); /* 500 cycles after the first */
    play(scene, 1);
    assert_int_equal(scene->made_count, 505);
    for (unsigned i = 0; i < 505; i++) {
        assert_int_equal(scene->made[i].is_repeated, i >= 5 && i < 500);
        assert_true(scene->made[i].time == i * CYCLE);
        assert_true(fabs(scene->made[i].clock - (10 + i * 0.008)) < 1e-9);
        assert_true(scene->made[i].packet_clock == scene->made[i].clock);
        assert_int_equal(scene->made[i].whom, TICK_RTDE | TICK_REALTIME);
    }
    end(scene);
}

static void test_squeeze(void **state)
{
    struct scene *scene = make();
    (void)state;
    scene->wish.gaps = GAPS_SQUEEZE;
    say_some(scene, 0, 0, 10, 5);
    say_some(scene, 0, 4000 * MS, 14, 5);
    say(scene, 0, 4000 * MS + 6 * CYCLE, 14.048); /* one was skipped: no gap */
    play(scene, 1);
    assert_int_equal(scene->made_count, 11);
    for (unsigned i = 0; i < 10; i++)
        assert_true(scene->made[i].time == i * CYCLE);
    assert_true(scene->made[5].clock == 14);
    assert_int_equal(scene->silences, 1);
    assert_true(scene->made[10].time == 11 * CYCLE);
    end(scene);
}

/* A second is no gap, more is. */
static void test_second(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct scene *scene = make();
        say(scene, 0, 0, 10);
        say(scene, 0, 1000 * MS + more * 1000, 11 + more * 1e-6);
        play(scene, 1);
        assert_int_equal(scene->made_count, more == 0 ? 2 : 126);
        end(scene);
    }
}

/* The controller restarts: its clock begins anew. */
static void test_restart(void **state)
{
    struct scene *scene = make();
    (void)state;
    scene->wish.gaps = GAPS_KEEP;
    say_some(scene, 0, 0, 5000, 5);
    say_some(scene, 0, 900 * MS, 0.5, 5);
    play(scene, 1);
    assert_int_equal(scene->made_count, 10);
    assert_true(scene->made[5].time == 900 * MS && scene->made[5].clock == 0.5);
    end(scene);
}

/* ---- rounds
 * ----------------------------------------------------------------------------------------------------------- */

static void test_loop(void **state)
{
    (void)state;
    for (enum timeline_loop loop = LOOP_SMOOTH; loop <= LOOP_RAW; loop++) {
        struct scene *scene = make();
        scene->wish.loop = loop;
        say_some(scene, 0, 0, 10, 5);
        play(scene, 3);
        assert_int_equal(scene->made_count, 15);
        for (unsigned i = 0; i < 15; i++) {
            double expected = 10 + (loop == LOOP_SMOOTH ? i : i % 5) * 0.008;
            assert_true(scene->made[i].time == i * CYCLE);
            assert_true(fabs(scene->made[i].clock - expected) < 1e-9);
            assert_true(fabs(scene->made[i].packet_clock - expected) < 1e-9);
        }
        end(scene);
    }
}

/* ---- several connections
 * ------------------------------------------------------------------------------------------------ */

/* Each protocol has its own records; where one stops, the other stands in after a second. */
static void test_both_protocols(void **state)
{
    struct scene *scene = make();
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        say(scene, 0, i * CYCLE, 10 + i * 0.008);
        if (i < 100)
            say(scene, 2, i * CYCLE + MS, 10 + i * 0.008);
    }
    play(scene, 1);
    assert_int_equal(scene->made_count, 400);
    unsigned whom[4] = {0};
    for (unsigned i = 0; i < 400; i++)
        whom[scene->made[i].whom]++;
    assert_int_equal(whom[TICK_REALTIME], 100);
    assert_int_equal(scene->made[1].packet_length, PACKET);
    assert_true(scene->made[1].packet_clock == 10); /* as captured */
    /* The last packet came at 99 * 8 + 1 ms: RTDE stands in from 1793 ms on, record 225. */
    assert_int_equal(whom[TICK_RTDE | TICK_REALTIME], 75);
    assert_int_equal(whom[TICK_RTDE], 225);
    end(scene);
}

static void test_leader(void **state)
{
    struct scene *scene = make();
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        say(scene, 0, i * CYCLE, 10 + i * 0.008);
        if (i % 2 == 0)
            say(scene, 1, i * CYCLE + MS, 10 + i * 0.008);
    }
    play(scene, 1);
    assert_int_equal(scene->made_count, 100);
    end(scene);
    scene = make();
    scene->wish.has_leader = true;
    scene->wish.leader = 1;
    for (unsigned i = 0; i < 100; i++) {
        if (i % 2 == 0)
            say(scene, 1, i * CYCLE, 10 + i * 0.008);
        say(scene, 0, i * CYCLE + MS, 10 + i * 0.008);
    }
    play(scene, 1);
    assert_int_equal(scene->made_count, 50);
    end(scene);
}

/* A client comes, goes, and another one comes: all of them make ticks. */
static void test_successors(void **state)
{
    struct scene *scene = make();
    (void)state;
    say_some(scene, 0, 0, 10, 50);
    say_some(scene, 1, 2000 * MS, 12, 20);
    scene->wish.gaps = GAPS_KEEP;
    play(scene, 1);
    assert_int_equal(scene->made_count, 70);
    end(scene);
}

/* The first record of the next leader is no tick if it is within half a cycle of the last one's. */
static void test_next_leader_repeats(void **state)
{
    (void)state;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        struct scene *scene = make();
        scene->wish.gaps = GAPS_KEEP;
        scene->wish.has_leader = true;
        scene->wish.leader = 1;
        say_some(scene, 0, 0, 10, 10);
        say_some(scene, 1, 9 * CYCLE + CYCLE / 2 - !is_apart, 10.072, 10);
        play(scene, 1);
        assert_int_equal(scene->made_count, is_apart ? 20 : 19);
        end(scene);
    }
}

/* A leader has its last record: the next connection, with fewer of them, takes over at once, not after a second. */
static void test_end_of_leader(void **state)
{
    struct scene *scene = make();
    (void)state;
    scene->wish.gaps = GAPS_KEEP;
    say_some(scene, 0, 0, 10, 50);
    say_some(scene, 1, 500 * MS, 10.5, 20);
    play(scene, 1);
    assert_int_equal(scene->made_count, 70);
    end(scene);
}

/* ---- what is recorded
 * ------------------------------------------------------------------------------------------------------------ */

static void by_time(struct scene *scene);

/* Connection 1 has records at a steady rate, connection 0 from `begin` to `end` records of it, every `every`-th. */
static struct scene *beside(unsigned begin, unsigned end, unsigned every, bool holds)
{
    struct scene *scene = make();
    scene->wish.holds = holds;
    say_some(scene, 1, MS, 10, 600);
    for (unsigned i = begin; i < end; i += every)
        say(scene, 0, i * CYCLE, 10 + i * 0.008);
    by_time(scene);
    play(scene, 1);
    return scene;
}

/* From the first record to the last, and until the next one would be due; never before. */
static void test_recorded(void **state)
{
    static const unsigned every[] = {1, 5, 100}; /* the last: 0.8 s */
    (void)state;
    for (unsigned row = 0; row < 6; row++) {
        bool holds = row >= 3;
        unsigned step = every[row % 3], last = 100 + (400 / step - 1) * step;
        struct scene *scene = beside(100, 100 + 400 / step * step, step, holds);
        for (size_t i = 0; i < scene->made_count; i++) {
            int64_t at = (scene->made[i].captured + CYCLE / 4) / CYCLE;
            enum given after = holds ? GIVEN_AGAIN : GIVEN_NOT;
            assert_int_equal(scene->made[i].safety_mode, GIVEN_RECORDED);
            assert_int_equal(scene->made[i].robot_mode, at < 100           ? GIVEN_NOT
                                                        : at < last + step ? GIVEN_RECORDED
                                                                           : after);
        }
        end(scene);
    }
}

/* In a silence of over a second it is not recorded; in a record every two seconds there is none. */
static void test_silent_source(void **state)
{
    struct scene *scene = make();
    unsigned lacking = 0;
    (void)state;
    say_some(scene, 1, MS, 10, 600);
    say_some(scene, 0, 0, 10, 100);
    say_some(scene, 0, 300 * CYCLE, 12.4, 100);
    by_time(scene);
    play(scene, 1);
    for (size_t i = 0; i < scene->made_count; i++)
        lacking += scene->made[i].robot_mode == GIVEN_NOT;
    assert_int_equal(lacking, 400);
    end(scene);
    scene = make();
    say_some(scene, 1, MS, 10, 1200);
    for (unsigned i = 0; i < 5; i++)
        say(scene, 0, i * 2000 * MS, 10 + i * 2.0);
    by_time(scene);
    play(scene, 1);
    for (size_t i = 0; i < scene->made_count; i++)
        if (scene->made[i].captured > 2000 * MS)
            assert_int_equal(scene->made[i].robot_mode, GIVEN_RECORDED);
    end(scene);
}

/* What does not fit is not played, which is known. */
static void test_no_room(void **state)
{
    (void)state;
    for (unsigned runs = 0; runs < 3; runs++) {
        struct scene *scene = make();
        unsigned recorded = 0;
        scene->recording.room = (struct presence_room){runs, runs > 0 ? 1000 : 0}; /* of names, too */
        for (unsigned i = 0; i < 3; i++)
            say_some(scene, 0, i * 2000 * MS, 10 + i * 2.0, 10);
        scene->wish.gaps = GAPS_KEEP;
        play(scene, 1);
        for (size_t i = 0; i < scene->made_count; i++)
            recorded += scene->made[i].robot_mode == GIVEN_RECORDED;
        assert_int_equal(recorded, 10 * runs);
        assert_true(presence_is_cut(scene->robot.presence));
        end(scene);
    }
}

/* The most that are recorded together, within what is played. */
static void test_together(void **state)
{
    struct scene *scene = make();
    const struct variable *both[2];
    bool lacks[2];
    (void)state;
    say_some(scene, 0, 0, 10, 100);
    say_some(scene, 1, 200 * CYCLE, 11.6, 100);
    play(scene, 1);
    both[0] = variables_find(scene->robot.variables, "robot_mode", 10);
    both[1] = variables_find(scene->robot.variables, "safety_mode", 11);
    struct presence_wish wish = {.variables = both, .count = 2, .from = INT64_MIN, .to = INT64_MAX};
    assert_int_equal(presence_together(scene->robot.presence, &wish, lacks), 1);
    assert_true(!lacks[0] && lacks[1]);
    wish.from = BEGIN + 150 * CYCLE;
    assert_int_equal(presence_together(scene->robot.presence, &wish, lacks), 1);
    assert_true(lacks[0] && !lacks[1]);
    wish.holds = true;
    assert_int_equal(presence_together(scene->robot.presence, &wish, lacks), 0);
    wish.to = BEGIN + 160 * CYCLE;
    assert_int_equal(presence_together(scene->robot.presence, &wish, lacks), 1);
    end(scene);
}

/* ---- messages of other ports
 * ------------------------------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const struct said *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void by_time(struct scene *scene)
{
    qsort(scene->said, scene->count, sizeof *scene->said, compare);
}

static void expect_rising(const struct scene *scene)
{
    for (size_t i = 1; i < scene->made_count; i++)
        assert_true(scene->made[i].time >= scene->made[i - 1].time);
}

/* Each message at its distance from the first record, whatever the gaps do; those before the first record and long
 * after the last are not played. */
static void test_messages(void **state)
{
    (void)state;
    for (unsigned gaps = GAPS_HOLD; gaps <= GAPS_SQUEEZE; gaps++) {
        struct scene *scene = make();
        unsigned next = 0;
        scene->wish.gaps = (enum timeline_gaps)gaps;
        say_some(scene, 0, 0, 10, 100);         /* 0 to 0.8 s */
        say_some(scene, 0, 4000 * MS, 14, 100); /* 4 to 4.8 s */
        for (int i = -5; i < 70; i++)           /* -0.5 s to 7 s */
            say(scene, 3, i * 100 * MS + 3 * MS, i + 100);
        qsort(scene->said, scene->count, sizeof *scene->said, compare);
        play(scene, 1);
        expect_rising(scene);
        for (size_t i = 0; i < scene->made_count; i++) {
            int number = scene->made[i].message;
            if (number < 0)
                continue;
            assert_true(next == 0 ? number == 100 : number == (int)next + 1 || (gaps == GAPS_SQUEEZE && number == 140));
            next = (unsigned)number;
            assert_true(scene->made[i].captured == (number - 100) * 100 * MS + 3 * MS);
            if (gaps != GAPS_SQUEEZE || number < 109)
                expect_near(scene->made[i].time, (number - 100) * 100 * MS + 3 * MS, MS);
            else
                expect_near(scene->made[i].time, (number - 140) * 100 * MS + 3 * MS + 100 * CYCLE, MS);
        }
        assert_int_equal(next, 157); /* 5.703 s: less than a second after the last record, at 4.792 s */
        end(scene);
    }
}

/* In a gap more messages come than can wait for its end: none is lost, and the repeated records go on between them. */
static void test_many_messages(void **state)
{
    struct scene *scene = make();
    unsigned messages = 0, repeated = 0, late = 0;
    (void)state;
    scene->wish.gaps = GAPS_HOLD;
    say_some(scene, 0, 0, 10, 10);
    for (unsigned i = 0; i < 2000; i++)
        say(scene, 3, 80 * MS + i * 4 * MS, i);
    say_some(scene, 0, 8080 * MS, 18.08, 10);
    play(scene, 1);
    for (size_t i = 0; i < scene->made_count; i++) {
        const struct made *made = &scene->made[i];
        if (made->message >= 0)
            assert_int_equal(made->message, messages++);
        repeated += made->message < 0 && made->is_repeated;
        late += i > 0 && made->time < made[-1].time;
    }
    assert_int_equal(messages, 2000);
    assert_true(repeated > 990 && repeated <= 1000 && late == 0);
    end(scene);
}

/* Of two connections to a port one speaks; the other goes on when it ends, or is silent for a second. */
static void test_two_speakers(void **state)
{
    (void)state;
    for (unsigned silent = 0; silent < 2; silent++) {
        struct scene *scene = make();
        unsigned first = 0, second = 0;
        say_some(scene, 0, 0, 10, 500);
        for (unsigned i = 0; i < 40; i++) {
            if (i < 10 || !silent)
                say(scene, 3, i * 100 * MS + MS, i);
            say(scene, 4, i * 100 * MS + 2 * MS, 1000 + i);
        }
        qsort(scene->said, scene->count, sizeof *scene->said, compare);
        play(scene, 1);
        for (size_t i = 0; i < scene->made_count; i++) {
            first += scene->made[i].message >= 0 && scene->made[i].message < 1000;
            second += scene->made[i].message >= 1000;
        }
        assert_int_equal(first, silent ? 10 : 40);
        assert_int_equal(second, silent ? 21 : 0); /* from 1.902 s on, more than a second after 0.901 s */
        end(scene);
    }
}

/* Every round has them. */
static void test_messages_in_rounds(void **state)
{
    struct scene *scene = make();
    unsigned count[3] = {0};
    (void)state;
    scene->wish.loop = LOOP_SMOOTH;
    say_some(scene, 0, 0, 10, 50);
    for (unsigned i = 0; i < 3; i++)
        say(scene, 3, (400 + 100 * i) * MS + MS, i);
    qsort(scene->said, scene->count, sizeof *scene->said, compare);
    play(scene, 4);
    expect_rising(scene);
    for (size_t i = 0; i < scene->made_count; i++)
        if (scene->made[i].message >= 0)
            count[scene->made[i].message]++;
    assert_true(count[0] == 4 && count[1] == 4 && count[2] == 4);
    end(scene);
}

/* Times of a damaged capture, centuries apart, in every direction and round: ticks never go back. */
static void test_wild_times(void **state)
{
    static const int64_t wild[] = {INT64_MAX - BEGIN, 1 - BEGIN, INT64_MAX - BEGIN - SECOND, 0};
    static const double clocks[] = {-9e8, 9e8, 0, -9e8};
    (void)state;
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        struct scene *scene = make();
        scene->wish.gaps = keeps ? GAPS_KEEP : GAPS_SQUEEZE;
        for (unsigned i = 0; i < 16; i++)
            say(scene, 0, wild[i % 4], clocks[i / 2 % 4]);
        play(scene, 3);
        assert_true(scene->made_count > 0);
        for (size_t i = 1; i < scene->made_count; i++)
            assert_true(scene->made[i].time >= scene->made[i - 1].time);
        end(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_next_leader_repeats),
        cmocka_unit_test(test_keep),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_squeeze),
        cmocka_unit_test(test_second),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_both_protocols),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_many_messages),
        cmocka_unit_test(test_two_speakers),
        cmocka_unit_test(test_messages_in_rounds),
        cmocka_unit_test(test_end_of_leader),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_silent_source),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_wild_times),
        cmocka_unit_test(test_leader),
        cmocka_unit_test(test_successors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
