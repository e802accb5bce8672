/* The proxy's connections and files, by a clock of the test's own: connections that one side has ended are let go, and
 * no time counts in which the program stands still; set-ups are found however they are cut. The linker replaces
 * wait_clock() and wait_until() by those below. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <string.h>

#include "input/robots/event_loop.h"
#include "input/robots/robot_traffic.h"
#include "base/os/tcp_socket.h"
#include "base/os/wait.h"
#include "nanoseconds.h"
#include "proxy/proxy_pair.h"

/* ---- the clock --------------------------------------------------------------------------------------------------- */

static int64_t ahead;  /* of the system's clock */
static int64_t flight; /* how long what was sent may be on its way over loopback */

int64_t __real_wait_clock(void);
int64_t __wrap_wait_clock(void);
int __real_wait_until(struct wait_item *items, size_t count, int64_t deadline);
int __wrap_wait_until(struct wait_item *items, size_t count, int64_t deadline);

int64_t __wrap_wait_clock(void)
{
    return __real_wait_clock() + ahead;
}

/* Where nothing is ready, the time is over at once. */
int __wrap_wait_until(struct wait_item *items, size_t count, int64_t deadline)
{
    int ready = __real_wait_until(items, count, __real_wait_clock() + flight);
    int64_t left = deadline - __wrap_wait_clock();
    if (ready == 0 && left > 0)
        ahead += left;
    return ready;
}

/* ---- a pair ------------------------------------------------------------------------------------------------------ */

struct scene {
    struct event_loop *loop;
    struct proxy_pair *pair;
    struct event_timer *beat, *end;
    int client, robot; /* the far ends; -1: closed */
    int64_t begin, over;
    bool connected, let_go;
    int sends, beats; /* who sends a byte each 20 s, and how often */
};

static void on_news(void *user, const struct proxy_news *news)
{
    struct scene *scene = user;
    scene->connected = scene->connected || news->event == PROXY_CONNECTED;
    scene->let_go = scene->let_go || news->event == PROXY_LET_GO;
    if (news->event != PROXY_OVER)
        return;
    scene->over = event_loop_now(scene->loop) - scene->begin;
    proxy_pair_free(scene->pair);
    scene->pair = NULL;
    event_loop_stop(scene->loop);
}

static void on_end(void *user)
{
    struct scene *scene = user;
    event_loop_stop(scene->loop);
}

static void on_beat(void *user)
{
    struct scene *scene = user;
    if (scene->beats-- <= 0)
        return;
    assert_int_equal(tcp_send(scene->sends, "x", 1), 1);
    event_timer_set(scene->beat, event_clock() + 20 * SECOND);
}

static void run_for(struct scene *scene, int64_t seconds)
{
    scene->begin = event_clock();
    event_timer_set(scene->end, scene->begin + seconds * SECOND);
    event_loop_run(scene->loop);
}

static int listen_here(struct tcp_address *address)
{
    assert_int_equal(tcp_address_parse(address, "127.0.0.1", 0), 0);
    int file = tcp_listen(address);
    assert_true(file >= 0);
    assert_int_equal(tcp_local_address(file, address), 0);
    return file;
}

static void wait_to_read(int file)
{
    struct wait_item item = {.fd = file, .wanted = WAIT_READ};
    __real_wait_until(&item, 1, __real_wait_clock() + 10 * SECOND);
}

static int accept_soon(int listener)
{
    struct tcp_address peer;
    wait_to_read(listener);
    int file = tcp_accept(listener, &peer);
    assert_true(file >= 0);
    return file;
}

static struct scene *begin(void)
{
    static struct scene scene;
    struct tcp_address front, back;
    int listeners[2] = {listen_here(&front), listen_here(&back)};
    memset(&scene, 0, sizeof scene);
    scene.loop = event_loop_new();
    scene.client = tcp_connect(&front);
    const struct proxy_pair_wish wish = {
        .loop = scene.loop, .client = accept_soon(listeners[0]), .robot = &back, .on_news = on_news, .user = &scene};
    scene.pair = proxy_pair_new(&wish);
    scene.beat = event_timer_new(scene.loop, on_beat, &scene);
    scene.end = event_timer_new(scene.loop, on_end, &scene);
    assert_true(scene.pair && scene.beat && scene.end);
    scene.robot = accept_soon(listeners[1]);
    tcp_close(listeners[0], false);
    tcp_close(listeners[1], false);
    run_for(&scene, 1);
    assert_true(scene.connected);
    return &scene;
}

static void end(struct scene *scene)
{
    proxy_pair_free(scene->pair);
    event_loop_free(scene->loop);
    if (scene->client >= 0)
        tcp_close(scene->client, false);
    if (scene->robot >= 0)
        tcp_close(scene->robot, false);
}

/* One side ends it, all of it or its half, and the other does nothing: let go after 30 s, no sooner. */
static void a_silent_side_is_let_go(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        struct scene *scene = begin();
        int *ended = way % 2 ? &scene->client : &scene->robot;
        if (way < 2) {
            tcp_close(*ended, false);
            *ended = -1;
        } else
            tcp_finish(*ended);
        run_for(scene, 300);
        assert_null(scene->pair);
        assert_true(scene->let_go);
        assert_true(scene->over >= PROXY_PAIR_LINGER - SECOND && scene->over <= PROXY_PAIR_LINGER + 2 * SECOND);
        end(scene);
    }
}

/* The same where the end cannot be read, because the other side takes nothing of what came before it. */
static void nor_does_one_that_reads_nothing_stay(void **state)
{
    static char much[65536];
    int64_t time;
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct scene *scene = begin();
        int ended = way ? scene->client : scene->robot, other = way ? scene->robot : scene->client;
        tcp_limit_unsent(ended, 4096);
        for (int idle = 0; idle < 3;) { /* until all buffers are full */
            idle = tcp_send(ended, much, sizeof much) > 0 ? 0 : idle + 1;
            run_for(scene, 1);
        }
        run_for(scene, 200);
        assert_non_null(scene->pair); /* it is only slow */
        tcp_finish(ended);
        flight = 5 * MILLISECOND;
        do { /* all is taken, so that the end comes through */
            run_for(scene, 1);
            wait_to_read(other);
        } while (tcp_receive(other, much, sizeof much, &time) > 0);
        flight = 0;
        run_for(scene, 300);
        assert_true(!scene->pair && scene->let_go && scene->over <= 2 * PROXY_PAIR_LINGER + SECOND);
        end(scene);
    }
}

/* As long as the other still sends, now and then, it goes on. */
static void a_side_that_sends_is_not(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct scene *scene = begin();
        tcp_finish(way ? scene->client : scene->robot);
        scene->sends = way ? scene->robot : scene->client;
        scene->beats = 10;
        event_timer_set(scene->beat, event_clock() + 20 * SECOND);
        run_for(scene, 1000);
        assert_true(scene->let_go);
        assert_true(scene->over >= 229 * SECOND && scene->over <= 233 * SECOND);
        end(scene);
    }
}

/* Nor is one that nobody ended; one that both ended is over. */
static void nor_are_others(void **state)
{
    (void)state;
    struct scene *scene = begin();
    run_for(scene, 3600);
    assert_non_null(scene->pair);
    tcp_finish(scene->client);
    tcp_finish(scene->robot);
    run_for(scene, 300);
    assert_true(!scene->pair && !scene->let_go && scene->over < 2 * SECOND);
    end(scene);
}

/* ---- standing still ---------------------------------------------------------------------------------------------- */

struct still {
    struct event_loop *loop;
    struct event_timer *stop, *due;
    int64_t times[8], awake_before;
    size_t count;
    bool is_due;
};

static void on_still(void *user, int64_t time)
{
    struct still *still = user;
    assert_false(still->is_due); /* it comes before what is due */
    still->times[still->count++] = time;
}

static void stop_the_program(void *user)
{
    struct still *still = user;
    still->awake_before = event_loop_awake(still->loop);
    ahead += 12 * SECOND;
}

static void on_due(void *user)
{
    struct still *still = user;
    still->is_due = true;
    event_loop_stop(still->loop);
}

static void standing_still_counts_for_nobody(void **state)
{
    struct still still = {.loop = event_loop_new()};
    (void)state;
    event_loop_on_still(still.loop, on_still, &still);
    still.stop = event_timer_new(still.loop, stop_the_program, &still);
    still.due = event_timer_new(still.loop, on_due, &still);
    int64_t begin = event_loop_awake(still.loop);
    event_timer_set(still.stop, event_clock() + 50 * SECOND);
    event_timer_set(still.due, event_clock() + 55 * SECOND);
    event_loop_run(still.loop);
    assert_int_equal(still.count, 1);
    assert_true(still.times[0] >= 12 * SECOND - SECOND / 2 && still.times[0] < 13 * SECOND);
    assert_true(event_loop_awake(still.loop) - still.awake_before < 2 * SECOND);
    assert_true(event_loop_awake(still.loop) - begin < 52 * SECOND);
    assert_true(event_loop_stood_still(still.loop, 10 * SECOND) == still.times[0]);
    still.is_due = false;
    event_timer_set(still.due, event_loop_when_awake(still.loop, event_loop_awake(still.loop) + 100 * SECOND));
    begin = event_clock();
    event_loop_run(still.loop);
    assert_int_equal(still.count, 1); /* waiting is not standing still */
    assert_true(event_clock() - begin >= 99 * SECOND && event_clock() - begin < 102 * SECOND);
    assert_true(event_loop_stood_still(still.loop, 10 * SECOND) == 0);
    assert_true(event_loop_when_awake(still.loop, EVENT_NEVER) == EVENT_NEVER);
    event_loop_free(still.loop);
}

/* ---- set-ups ----------------------------------------------------------------------------------------------------- */

struct message {
    enum armtap_direction direction;
    char type;
    size_t length;
    bool is_kept;
};

static const struct message session[] = {
    {ARMTAP_TO_ROBOT, 'V', 5, true},    {ARMTAP_FROM_ROBOT, 'M', 40, false},  {ARMTAP_FROM_ROBOT, 'V', 4, true},
    {ARMTAP_TO_ROBOT, 'v', 3, true},    {ARMTAP_FROM_ROBOT, 'v', 19, true},   {ARMTAP_TO_ROBOT, 'O', 300, true},
    {ARMTAP_FROM_ROBOT, 'O', 90, true}, {ARMTAP_TO_ROBOT, 'I', 30, true},     {ARMTAP_FROM_ROBOT, 'I', 20, true},
    {ARMTAP_TO_ROBOT, 'S', 3, true},    {ARMTAP_FROM_ROBOT, 'S', 4, true},    {ARMTAP_FROM_ROBOT, 'U', 700, false},
    {ARMTAP_TO_ROBOT, 'U', 50, false},  {ARMTAP_FROM_ROBOT, 'U', 700, false}, {ARMTAP_TO_ROBOT, 'P', 3, true},
    {ARMTAP_FROM_ROBOT, 'P', 4, true},
};
#define MESSAGES (sizeof session / sizeof *session)

static size_t write_message(const struct message *message, uint8_t to[1024])
{
    memset(to, message->type ^ 0x55, message->length);
    to[0] = (uint8_t)(message->length >> 8);
    to[1] = (uint8_t)message->length;
    to[2] = (uint8_t)message->type;
    return message->length;
}

/* However the bytes are cut, the same messages are kept, whole and in order. */
static void set_ups_are_found_in_any_cut(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 800; piece += piece < 12 ? 1 : 97) {
        struct setup_keeper keeper = {.count = 0};
        struct synthetic_part parts[SETUP_PARTS];
        uint8_t bytes[1024];
        size_t kept = 0;
        for (size_t i = 0; i < MESSAGES; i++) {
            size_t length = write_message(&session[i], bytes);
            for (size_t at = 0; at < length; at += piece) {
                size_t part = length - at < piece ? length - at : piece;
                size_t whole;
                assert_int_equal(setup_keeper_next(&keeper, session[i].direction, bytes + at, part, &whole), part);
                assert_int_equal(whole, at > 0 ? 0 : part < 3 ? part : length);
                assert_int_equal(setup_keeper_take(&keeper, session[i].direction, bytes + at, part), 0);
            }
        }
        size_t count = setup_keeper_parts(&keeper, parts);
        for (size_t i = 0; i < MESSAGES; i++) {
            size_t length = write_message(&session[i], bytes);
            if (!session[i].is_kept)
                continue;
            assert_true(kept < count && parts[kept].direction == session[i].direction && parts[kept].length == length);
            assert_memory_equal(parts[kept++].bytes, bytes, length);
        }
        assert_int_equal(kept, count);
        setup_keeper_free(&keeper);
    }
}

/* Messages that come together are told apart. */
static void messages_are_told_apart(void **state)
{
    struct setup_keeper keeper = {.count = 0};
    uint8_t bytes[4096];
    size_t length = 0, whole;
    (void)state;
    for (size_t i = 0; i < MESSAGES; i++)
        length += session[i].direction == ARMTAP_FROM_ROBOT ? write_message(&session[i], bytes + length) : 0;
    const uint8_t *at = bytes;
    for (size_t i = 0; i < MESSAGES; i++) {
        if (session[i].direction != ARMTAP_FROM_ROBOT)
            continue;
        size_t left = length - (size_t)(at - bytes);
        assert_int_equal(setup_keeper_next(&keeper, ARMTAP_FROM_ROBOT, at, left, &whole), session[i].length);
        assert_int_equal(whole, session[i].length);
        assert_int_equal(setup_keeper_take(&keeper, ARMTAP_FROM_ROBOT, at, whole), 0);
        at += whole;
    }
    setup_keeper_free(&keeper);
}

/* Other protocols: nothing is kept; where a length begins messages, their ends are known. */
static void other_protocols_have_none(void **state)
{
    static const uint8_t legacy[1220 + 700] = {0, 0, 4, 0xC4, [1220] = 0, 0, 4, 0xC4},
                                       text[] = "Connected: Universal Robots Dashboard Server\n",
                                       huge[] = {0x7F, 0xFF, 0xFF, 0xFF, 1, 2, 3};
    struct synthetic_part parts[SETUP_PARTS];
    struct setup_keeper keeper = {.count = 0};
    size_t whole;
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(setup_keeper_next(&keeper, ARMTAP_FROM_ROBOT, legacy, sizeof legacy, &whole), 1220);
        assert_int_equal(whole, 1220);
        assert_int_equal(setup_keeper_take(&keeper, ARMTAP_FROM_ROBOT, legacy, sizeof legacy), 0);
        assert_int_equal(setup_keeper_next(&keeper, ARMTAP_FROM_ROBOT, legacy + 700, 1220, &whole), 520);
        assert_int_equal(whole, 0);
        assert_int_equal(setup_keeper_take(&keeper, ARMTAP_FROM_ROBOT, legacy + 700, 520), 0);
    }
    assert_int_equal(setup_keeper_take(&keeper, ARMTAP_TO_ROBOT, text, sizeof text), 0);
    assert_int_equal(setup_keeper_next(&keeper, ARMTAP_TO_ROBOT, text, sizeof text, &whole), sizeof text);
    assert_int_equal(whole, sizeof text);
    assert_int_equal(setup_keeper_parts(&keeper, parts), 0);
    setup_keeper_begin(&keeper);
    assert_int_equal(setup_keeper_next(&keeper, ARMTAP_FROM_ROBOT, huge, sizeof huge, &whole), sizeof huge);
    assert_int_equal(setup_keeper_take(&keeper, ARMTAP_FROM_ROBOT, huge, sizeof huge), 0);
    setup_keeper_free(&keeper);
}

/* A robot that sends set-ups without end costs bounded memory. */
static void kept_set_ups_are_bounded(void **state)
{
    static uint8_t bytes[60000] = {60000 >> 8, 60000 & 0xFF, 'O'};
    struct setup_keeper keeper = {.count = 0};
    struct synthetic_part parts[SETUP_PARTS];
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(setup_keeper_take(&keeper, ARMTAP_TO_ROBOT, bytes, sizeof bytes), 0);
    assert_int_equal(setup_keeper_parts(&keeper, parts), 1);
    assert_true(keeper.bytes.length <= SETUP_MAX);
    setup_keeper_free(&keeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_side_is_let_go),
        cmocka_unit_test(a_side_that_sends_is_not),
        cmocka_unit_test(nor_does_one_that_reads_nothing_stay),
        cmocka_unit_test(nor_are_others),
        cmocka_unit_test(standing_still_counts_for_nobody),
        cmocka_unit_test(set_ups_are_found_in_any_cut),
        cmocka_unit_test(other_protocols_have_none),
        cmocka_unit_test(messages_are_told_apart),
        cmocka_unit_test(kept_set_ups_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
