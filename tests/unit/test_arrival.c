/* Only the decision: what was captured before, a segment, and its classification. Times are in µs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tcp/arrival.h"

#define US INT64_C(1000)
#define LENGTH 100

struct scene {
    struct armtap_pool pool;
    struct armtap_queue queue;
    struct armtap_history *history;
    struct armtap_sender sender, peer;
    uint64_t highest;
    bool given_up;
};

static void scene_begin(struct scene *scene)
{
    *scene = (struct scene){0};
    armtap_pool_init(&scene->pool, 1 << 20);
    armtap_queue_init(&scene->queue, &scene->pool, scene, ARMTAP_FROM_ROBOT);
    scene->history = armtap_history_new();
    assert_non_null(scene->history);
}

static void scene_end(struct scene *scene)
{
    armtap_queue_clear(&scene->queue);
    free(scene->history);
}

static struct armtap_sent at(uint64_t start, int64_t us)
{
    return (struct armtap_sent){.start = start, .end = start + LENGTH, .time = us * US, .flags = 16};
}

static struct armtap_sent numbered(uint64_t start, int64_t us, uint16_t ip_id)
{
    struct armtap_sent sent = at(start, us);
    sent.ip_id = ip_id;
    return sent;
}

static struct armtap_sent stamped(uint64_t start, int64_t us, uint32_t tsval, uint32_t tsecr)
{
    struct armtap_sent sent = at(start, us);
    sent.has_timestamps = true;
    sent.tsval = tsval;
    sent.tsecr = tsecr;
    return sent;
}

/* Captured and delivered. */
static void delivered(struct scene *scene, struct armtap_sent sent)
{
    armtap_history_saw(scene->history, &sent);
    scene->highest = sent.end > scene->highest ? sent.end : scene->highest;
}

/* Captured, and waiting after a hole. */
static void waits(struct scene *scene, struct armtap_sent sent)
{
    static const uint8_t bytes[LENGTH];
    struct armtap_overlap overlap = {0, false};
    assert_int_equal(armtap_queue_insert(&scene->queue, sent.start, bytes, LENGTH, &sent, &overlap), 0);
    delivered(scene, sent);
}

static struct armtap_judgement judgement(const struct scene *scene, struct armtap_sent sent)
{
    struct armtap_evidence evidence = {.sender = &scene->sender,
                                       .peer = &scene->peer,
                                       .queue = &scene->queue,
                                       .history = scene->history,
                                       .highest = scene->highest,
                                       .given_up = scene->given_up};
    return armtap_arrival_of(&evidence, &sent);
}

#define assert_arrival(scene, sent, kind) assert_int_equal(judgement(scene, sent).arrival, ARMTAP_ARRIVAL_##kind)
#define assert_proven(scene, sent, kind)                                                                               \
    do {                                                                                                               \
        assert_arrival(scene, sent, kind);                                                                             \
        assert_false(judgement(scene, sent).doubtful);                                                                 \
    } while (0)
#define assert_likely(scene, sent, kind)                                                                               \
    do {                                                                                                               \
        assert_arrival(scene, sent, kind);                                                                             \
        assert_true(judgement(scene, sent).doubtful);                                                                  \
    } while (0)

/* A packet of the sender with a timestamp. */
static void ticks(struct armtap_sender *sender, int64_t us, uint32_t tsval)
{
    struct armtap_segment segment = {.has_timestamps = true, .tsval = tsval};
    armtap_sender_ticked(sender, &segment, us * US);
}

/* The peer acknowledges up to `acked`, and reports `blocks` pairs of start and end. */
static void hears(struct armtap_sender *sender, int64_t us, uint64_t acked, const uint32_t *edges, unsigned blocks)
{
    struct armtap_segment segment = {.ack = (uint32_t)acked, .sack_count = blocks};
    for (unsigned i = 0; i < blocks; i++) {
        segment.sack[i].start = edges[2 * i];
        segment.sack[i].end = edges[2 * i + 1];
    }
    armtap_sender_heard(sender, &segment, acked, us * US);
}

/* ---- the order of sending -------------------------------------------------------------------------------------- */

/* Three holes: each is compared with what follows it directly, not with the first waiting segment. */
static void test_right_neighbour(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    waits(&s, numbered(200, 0, 12));
    waits(&s, numbered(400, 0, 14));
    waits(&s, numbered(600, 0, 16));
    assert_arrival(&s, numbered(500, 900, 15), LATE);
    assert_arrival(&s, numbered(300, 900, 13), LATE);
    assert_arrival(&s, numbered(300, 900, 15), AGAIN);
    assert_arrival(&s, numbered(500, 900, 17), AGAIN);
    scene_end(&s);
}

/* A retransmitted neighbour does not show when its bytes were first sent. */
static void test_neighbour_sent_again(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    struct armtap_sent again = numbered(200, 0, 30);
    again.again = true;
    waits(&s, again);
    waits(&s, numbered(300, 0, 14));
    assert_arrival(&s, numbered(100, 900, 29), AGAIN);
    assert_arrival(&s, numbered(100, 900, 12), LATE);
    scene_end(&s);
}

static void test_ids_wrap_and_are_zero(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    waits(&s, numbered(200, 0, 2));
    assert_arrival(&s, numbered(100, 900, 0xffff), LATE);
    assert_arrival(&s, numbered(100, 900, 3), AGAIN);
    assert_arrival(&s, numbered(100, 900, 0), LATE); /* none: silent */
    scene_end(&s);
}

/* Just two ids give an order only if they are close. */
static void test_ids_far_apart(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    waits(&s, numbered(200, 0, 2000));
    assert_arrival(&s, numbered(100, 900, 2000 + 1024), AGAIN);
    assert_arrival(&s, numbered(100, 900, 2000 + 1025), LATE);
    for (uint16_t i = 0; i < 20; i++) { /* but all of them count up */
        struct armtap_sent sent = numbered(1000 + (uint64_t)LENGTH * i, 0, (uint16_t)(2000 + 100 * i));
        armtap_sender_sent(&s.sender, sent.ip_id, sent.end, sent.time);
    }
    assert_arrival(&s, numbered(100, 900, 2000 + 1025), AGAIN);
    for (uint16_t i = 0; i < 5; i++) { /* until some do not */
        struct armtap_sent sent = numbered(4000 + (uint64_t)LENGTH * i, 0, (uint16_t)(60000 - 7000 * i));
        armtap_sender_sent(&s.sender, sent.ip_id, sent.end, sent.time);
    }
    assert_arrival(&s, numbered(100, 900, 2000 + 1024), LATE);
    scene_end(&s);
}

/* Ids that do not count up give no order. */
static void test_random_ids(void **state)
{
    static const uint16_t ids[] = {100, 40000, 7, 65000, 1234};
    struct scene s;
    (void)state;
    scene_begin(&s);
    waits(&s, numbered(200, 0, 500));
    assert_arrival(&s, numbered(100, 900, 510), AGAIN);
    for (size_t i = 0; i < 5; i++) {
        struct armtap_sent sent = numbered(1000 + LENGTH * i, 0, ids[i]);
        armtap_sender_sent(&s.sender, sent.ip_id, sent.end, sent.time);
    }
    assert_arrival(&s, numbered(100, 900, 510), LATE);
    scene_end(&s);
}

static void test_timestamps(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    ticks(&s.sender, 0, 0xffffffff);
    waits(&s, stamped(200, 0, 0xffffffff, 70));
    assert_arrival(&s, stamped(100, 100, 0xfffffffe, 70), LATE);
    assert_arrival(&s, stamped(100, 100, 0, 70), AGAIN); /* wrapped */
    assert_arrival(&s, stamped(100, 100, 0xffffffff, 69), LATE);
    assert_arrival(&s, stamped(100, 100, 0xffffffff, 71), AGAIN); /* it echoes something newer */
    assert_arrival(&s, stamped(100, 100, 0xffffffff, 70), LATE);  /* silent */
    struct armtap_sent counted = stamped(100, 100, 0xfffffffe, 70);
    counted.ip_id = 20; /* timestamps take precedence over ids */
    assert_arrival(&s, counted, LATE);
    scene_end(&s);
}

/* ---- proof ------------------------------------------------------------------------------------------------------- */

/* A timestamp proves the order; ids do once they have counted up eight times. */
static void test_proof_by_order(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    waits(&s, numbered(200, 0, 50));
    for (uint16_t i = 0; i < 8; i++) {
        struct armtap_sent sent = numbered(1000 + LENGTH * (uint64_t)i, 0, (uint16_t)(51 + i));
        armtap_sender_sent(&s.sender, sent.ip_id, sent.end, sent.time);
    }
    assert_likely(&s, numbered(100, 900, 49), LATE);
    assert_likely(&s, numbered(100, 900, 60), AGAIN);
    struct armtap_sent ninth = numbered(2000, 0, 59);
    armtap_sender_sent(&s.sender, ninth.ip_id, ninth.end, ninth.time);
    assert_proven(&s, numbered(100, 900, 49), LATE);
    assert_proven(&s, numbered(100, 900, 60), AGAIN);
    scene_end(&s);

    scene_begin(&s);
    waits(&s, stamped(200, 0, 20, 70));
    assert_proven(&s, stamped(100, 100, 19, 70), LATE);
    assert_proven(&s, stamped(100, 100, 21, 70), AGAIN);
    assert_likely(&s, stamped(100, 100, 20, 70), LATE);
    scene_end(&s);
}

/* `count` echoes of the sender's timestamps, each captured `us` after the timestamp. */
static void echoes(struct armtap_sender *sender, int count, int64_t us)
{
    for (int i = 0; i < count; i++) {
        struct armtap_segment echo = {.has_timestamps = true, .tsecr = sender->newest_tsval + 1};
        ticks(sender, sender->newest_time / US + 3000, sender->newest_tsval + 1);
        armtap_sender_echoed(sender, &echo, sender->newest_time + us * US);
    }
}

/* The timestamp equals its neighbour's, and the clock has advanced since. This is proof only if the clock ticks faster
 * than a repair can come: an eighth of the round trip, once that was measured 16 times. */
static void test_proof_by_clock(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    echoes(&s.sender, 16, 12000);
    echoes(&s.peer, 15, 12000);
    struct armtap_sent right = stamped(200, s.sender.newest_time / US, s.sender.newest_tsval, 70), late = right;
    late.start = 100;
    late.end = 200;
    late.time += 9000 * US;
    waits(&s, right);
    assert_likely(&s, late, LATE);
    echoes(&s.peer, 1, 12000); /* 24 ms in all: eight ticks */
    assert_proven(&s, late, LATE);
    echoes(&s.peer, 1, 11999);
    assert_likely(&s, late, LATE);
    scene_end(&s);
}

/* Time alone proves nothing, however short it is: the handshake may have been slow. */
static void test_no_proof_by_time(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    s.sender.acked_after = 1000 * US;
    s.peer.acked_after = 3000 * US;
    delivered(&s, at(0, 1000));
    waits(&s, at(200, 2000));
    assert_likely(&s, at(100, 2001), LATE);
    assert_likely(&s, at(100, 300000), AGAIN);
    scene_end(&s);
}

/* Two packets with the same bytes: the second repeats the first, unless the path stalled or reorders. */
static void test_proof_by_order_of_capture(void **state)
{
    struct armtap_sent late;
    struct scene s;
    (void)state;
    for (int stall = 0; stall <= 1; stall++) {
        scene_begin(&s);
        delivered(&s, numbered(0, 1000, 7));
        delivered(&s, numbered(100, 10999 + stall, 60000));
        if (stall)
            assert_likely(&s, numbered(100, 12000, 3), AGAIN);
        else
            assert_proven(&s, numbered(100, 12000, 3), AGAIN);
        assert_proven(&s, numbered(100, 1010999 + stall, 3), AGAIN); /* a second later it is forgotten */
        scene_end(&s);
    }
    scene_begin(&s);
    late = numbered(0, 1000, 7);
    late.late = true;
    delivered(&s, late);
    delivered(&s, numbered(100, 2000, 60000));
    assert_likely(&s, numbered(100, 3000, 3), AGAIN);
    scene_end(&s);
}

/* The same packet twice, with nothing in between: no retransmission timer is that short. */
static void test_proof_of_copies(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    delivered(&s, at(0, 0));
    assert_proven(&s, at(0, 999), COPY);
    delivered(&s, at(100, 500));
    assert_likely(&s, at(0, 999), COPY); /* its sender may have received an acknowledgement of the next */
    scene_end(&s);

    scene_begin(&s);
    struct armtap_sent again = at(0, 0);
    again.again = true;
    delivered(&s, again);
    assert_likely(&s, at(0, 10), COPY); /* or the original */
    scene_end(&s);
}

/* ---- the same packet ------------------------------------------------------------------------------------------- */

static void test_copies_by_id(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    delivered(&s, numbered(100, 0, 12));
    assert_arrival(&s, numbered(100, 0, 12), COPY);
    assert_arrival(&s, numbered(100, 700000, 12), COPY); /* however late */
    assert_arrival(&s, numbered(100, 0, 13), AGAIN);     /* however soon */
    struct armtap_sent longer = numbered(100, 0, 12);
    longer.end += 20;
    assert_arrival(&s, longer, AGAIN);
    for (uint64_t i = 0; i < 5; i++) { /* a stack that gives all packets one id */
        struct armtap_sent sent = numbered(1000 + LENGTH * i, 0, 12);
        armtap_sender_sent(&s.sender, sent.ip_id, sent.end, sent.time);
    }
    assert_arrival(&s, numbered(100, 700000, 12), AGAIN);
    scene_end(&s);
}

static void test_copies_by_clock(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    ticks(&s.sender, 0, 100);
    ticks(&s.sender, 40000, 140); /* 1 ms a tick */
    delivered(&s, stamped(100, 40000, 140, 7));
    assert_arrival(&s, stamped(100, 40300, 140, 7), COPY);
    assert_arrival(&s, stamped(100, 40300, 141, 7), AGAIN);
    assert_arrival(&s, stamped(100, 40300, 140, 8), AGAIN);
    assert_arrival(&s, stamped(100, 400000, 140, 7), COPY); /* sent now it would carry 500 */
    scene_end(&s);
}

/* By time alone: 200 ms. */
static void test_copies_by_time(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    delivered(&s, at(100, 0));
    delivered(&s, at(200, 0));
    assert_arrival(&s, at(100, 199999), COPY);
    assert_arrival(&s, at(100, 200000), AGAIN);
    scene_end(&s);
}

/* The unacknowledged tail is probed after two round trips plus 2 ms, or plus 40 ms if it is one segment, whose
 * acknowledgement the peer delays. */
static void test_tail(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    s.sender.acked_after = s.peer.acked_after = 8000 * US; /* 16 ms, of which 15 are counted */
    delivered(&s, at(100, 0));
    delivered(&s, at(200, 0));
    hears(&s.sender, 0, 100, NULL, 0);
    assert_arrival(&s, at(200, 31999), COPY);
    assert_arrival(&s, at(200, 32000), AGAIN);
    hears(&s.sender, 0, 200, NULL, 0);
    assert_arrival(&s, at(200, 69999), COPY);
    assert_arrival(&s, at(200, 70000), AGAIN);
    hears(&s.sender, 0, 300, NULL, 0);
    assert_arrival(&s, at(200, 70000), COPY);
    scene_end(&s);
}

/* A retransmission was captured first; now its original arrives, or a copy of it. */
static void test_behind_its_retransmission(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    struct armtap_sent again = stamped(100, 10000, 60, 7);
    again.again = true;
    delivered(&s, stamped(200, 0, 50, 7));
    delivered(&s, again);
    assert_arrival(&s, stamped(100, 12000, 49, 7), LATE);
    assert_arrival(&s, stamped(100, 12000, 60, 7), COPY);
    assert_arrival(&s, stamped(100, 12000, 61, 7), AGAIN);
    scene_end(&s);

    scene_begin(&s);
    again = numbered(100, 10000, 60000);
    again.again = true;
    s.sender.id_score = -16; /* random ids */
    delivered(&s, again);
    assert_arrival(&s, numbered(100, 209999, 333), LATE);
    assert_arrival(&s, numbered(100, 210000, 333), AGAIN);
    scene_end(&s);

    scene_begin(&s);
    again = at(100, 10000);
    again.again = true;
    delivered(&s, again);
    delivered(&s, at(200, 10000));
    assert_arrival(&s, at(100, 10999), COPY); /* by a mirror port */
    assert_arrival(&s, at(100, 11000), LATE);
    scene_end(&s);
}

/* ---- time ------------------------------------------------------------------------------------------------------ */

static void test_round_trip(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    s.sender.acked_after = 6000 * US;
    s.peer.acked_after = 10000 * US; /* 16 ms, of which 15 are counted */
    waits(&s, at(200, 0));
    waits(&s, at(300, 1000));
    assert_arrival(&s, at(100, 14999), LATE);
    assert_arrival(&s, at(100, 15000),
                   AGAIN); /* the earliest repair by a sender that does not wait for a third report */
    assert_arrival(&s, at(100, 26249), AGAIN);
    assert_arrival(&s, at(100, 26250), LATE);
    assert_arrival(&s, at(100, 100000), LATE); /* only two after it */
    assert_arrival(&s, at(100, 199999), LATE);
    assert_arrival(&s, at(100, 200000), AGAIN);
    waits(&s, at(400, 30000));
    assert_arrival(&s, at(100, 44999), LATE);
    assert_arrival(&s, at(100, 45000), AGAIN); /* the third came at 30 ms */
    s.given_up = true;
    assert_arrival(&s, at(100, 45000), LATE);
    scene_end(&s);
}

/* The peer reported the hole three times; the packets that made it do so were not captured. */
static void test_asked_for(void **state)
{
    static const uint32_t behind[] = {200, 300};
    struct scene s;
    (void)state;
    scene_begin(&s);
    s.sender.acked_after = 1;
    s.peer.acked_after = 16000 * US;
    waits(&s, at(200, 0));
    for (int i = 0; i < 3; i++)
        hears(&s.sender, i * 30000, 100, behind, 1);
    assert_arrival(&s, at(100, 74999), LATE);
    assert_arrival(&s, at(100, 75000), AGAIN);
    scene_end(&s);
}

/* The same tick as its neighbour: sent together with it, if the clock has advanced since. */
static void test_same_tick(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    s.sender.acked_after = s.peer.acked_after = 100 * US;
    ticks(&s.sender, 0, 100);
    ticks(&s.sender, 7000, 107);
    assert_int_equal(armtap_sender_tick(&s.sender), 10000 * US); /* too few to know */
    ticks(&s.sender, 8000, 108);
    assert_int_equal(armtap_sender_tick(&s.sender), 1000 * US);
    for (uint64_t i = 0; i < 3; i++)
        waits(&s, stamped(200 + LENGTH * i, 8000, 108, 7));
    assert_arrival(&s, stamped(100, 9046, 108, 7), AGAIN);
    assert_likely(&s, stamped(100, 9047, 108, 7), LATE);
    scene_end(&s);
}

/* It echoes a timestamp older than the peer's third report: the sender had not received that report yet. */
static void test_echo_of_the_third(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    ticks(&s.peer, 0, 70);
    for (uint64_t i = 0; i < 3; i++) {
        struct armtap_sent sent = stamped(200 + LENGTH * i, 0, 50, 70);
        sent.peer_tsval = 71;
        waits(&s, sent);
    }
    assert_arrival(&s, stamped(100, 5000, 50, 70), LATE);
    s.queue.head->after->after->sent.peer_tsval = 70;
    s.queue.head->after->sent.peer_tsval = 70;
    s.queue.head->sent.peer_tsval = 70;
    assert_arrival(&s, stamped(100, 5000, 50, 70), AGAIN);
    scene_end(&s);
}

static void test_no_clock(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    struct armtap_sent first = at(200, 0), second = at(100, 0);
    first.time = second.time = ARMTAP_NO_TIME;
    waits(&s, first);
    assert_arrival(&s, second, LATE);
    assert_arrival(&s, first, COPY);
    scene_end(&s);
}

/* ---- the peer's acknowledgements --------------------------------------------------------------------------------- */

static void test_reports(void **state)
{
    static const uint32_t behind[] = {200, 500}, copy[] = {50, 100}, copy_within[] = {300, 400, 200, 500};
    struct armtap_sender sender = {0};
    (void)state;
    assert_false(armtap_sender_lacks(&sender, 100, 200)); /* never reported */
    hears(&sender, 0, 100, copy, 1);
    assert_false(armtap_sender_lacks(&sender, 100, 200)); /* it arrived twice, nothing is missing */
    hears(&sender, 1, 100, behind, 1);
    assert_true(armtap_sender_lacks(&sender, 100, 200));
    assert_false(armtap_sender_lacks(&sender, 200, 300));
    assert_false(armtap_sender_lacks(&sender, 500, 600)); /* beyond everything that the peer has */
    assert_int_equal(armtap_sender_asked_since(&sender, 100, 9 * US), -1);
    hears(&sender, 2, 100, copy_within, 2);
    hears(&sender, 3, 100, behind, 1);
    assert_int_equal(armtap_sender_asked_since(&sender, 100, 9 * US), 6 * US);
    assert_int_equal(armtap_sender_asked_since(&sender, 101, 9 * US), -1);
    hears(&sender, 4, 500, NULL, 0);
    assert_false(armtap_sender_lacks(&sender, 100, 200));
    assert_int_equal(armtap_sender_asked_since(&sender, 500, 9 * US), -1);
}

/* Without SACK: the third repeated acknowledgement. */
static void test_repeated_acknowledgements(void **state)
{
    struct armtap_sender sender = {0};
    (void)state;
    hears(&sender, 0, 100, NULL, 0);
    hears(&sender, 1, 100, NULL, 0);
    hears(&sender, 2, 100, NULL, 0);
    assert_false(armtap_sender_lacks(&sender, 100, 200));
    hears(&sender, 3, 100, NULL, 0);
    assert_true(armtap_sender_lacks(&sender, 100, 200));
    assert_false(armtap_sender_lacks(&sender, 200, 300));
}

/* Captured before the path: retransmitted a round trip after its neighbour because the peer lacks it. */
static void test_repair(void **state)
{
    static const uint32_t behind[] = {200, 300};
    struct scene s;
    (void)state;
    scene_begin(&s);
    s.sender.acked_after = 16000 * US;
    s.peer.acked_after = 1;
    delivered(&s, at(100, 0));
    delivered(&s, at(200, 1000));
    delivered(&s, at(300, 2000));
    assert_arrival(&s, at(100, 16500), COPY);
    hears(&s.sender, 16000, 100, behind, 1);
    assert_arrival(&s, at(100, 15900), COPY);
    assert_arrival(&s, at(100, 16100), AGAIN);
    scene_end(&s);
}

static void test_round_trip_by_echoes(void **state)
{
    struct armtap_sender sender = {0};
    int64_t now = 1000 * US;
    (void)state;
    assert_int_equal(armtap_sender_round_trip(&sender), 0);
    for (uint32_t i = 0; i < 64 * 3; i++, now += 1000 * US) {
        struct armtap_segment segment = {.has_timestamps = true, .tsval = i + 1, .tsecr = i + 1};
        armtap_sender_ticked(&sender, &segment, now);
        int64_t after = i == 70 ? 3 : 300 + i % 10; /* one echoed packet was not captured the first time */
        armtap_sender_echoed(&sender, &segment, now + after * US);
    }
    assert_int_equal(armtap_sender_round_trip(&sender), 300 * US);
    assert_int_equal(armtap_sender_tick(&sender), 1000 * US);
}

/* A capture may hold any times; anything longer than a minute is not taken for a round trip. */
static void test_round_trip_of_years(void **unused)
{
    struct armtap_sender sender = {0};
    struct armtap_segment ack = {.flags = 16, .ack = 100};
    (void)unused;
    armtap_sender_measure(&sender, 100, 0);
    armtap_sender_heard(&sender, &ack, 100, INT64_MAX);
    assert_int_equal(armtap_sender_round_trip(&sender), 0);
}

/* A hole that the peer reports at `us` and that is filled `after` µs later. */
static void repaired(struct armtap_sender *sender, uint64_t start, int64_t us, int64_t after)
{
    uint32_t behind[] = {(uint32_t)start + 100, (uint32_t)start + 200};
    hears(sender, us, start, behind, 1);
    hears(sender, us + after, start + 200, NULL, 0);
}

/* Without a measured round trip: segments that arrive at the time when repairs usually arrive. */
static void test_usual_repair(void **state)
{
    static const uint32_t behind[] = {2100, 2200, 2300, 2400, 2900, 3000};
    struct scene s;
    (void)state;
    scene_begin(&s);
    for (uint64_t i = 0; i < 3; i++)
        repaired(&s.sender, 200 * i, (int64_t)(10000 * i), 350);
    for (uint64_t i = 3; i < 7; i++)
        repaired(&s.sender, 200 * i, (int64_t)(10000 * i), (int64_t)(1000 * i));
    waits(&s, at(2100, 90000));
    hears(&s.sender, 90000, 2000, behind, 1);
    assert_arrival(&s, at(2000, 90350), LATE); /* three times of seven */
    hears(&s.sender, 90350, 2200, NULL, 0);    /* four of eight */
    hears(&s.sender, 100000, 2200, behind + 2, 1);
    waits(&s, at(2300, 100000));
    assert_likely(&s, at(2200, 100350), AGAIN);
    assert_likely(&s, at(2200, 100411), AGAIN);
    assert_likely(&s, at(2200, 100293), AGAIN);
    assert_likely(&s, at(2200, 100415), LATE);
    assert_likely(&s, at(2200, 100289), LATE);
    assert_likely(&s, at(2200, 103500), LATE);
    for (uint64_t i = 0; i < 3; i++)
        repaired(&s.sender, 2200 + 200 * i, (int64_t)(110000 + 10000 * i), (int64_t)(8000 + 1000 * i));
    hears(&s.sender, 200000, 2800, behind + 4, 1);
    waits(&s, at(2900, 200000));
    assert_likely(&s, at(2800, 200350), LATE); /* four of eleven */
    scene_end(&s);
}

/* A hole that the peer reports three times is treated differently. */
static void test_unusual_repair(void **state)
{
    static const uint32_t behind[] = {2100, 2200};
    struct scene s;
    (void)state;
    scene_begin(&s);
    for (uint64_t i = 0; i < 5; i++)
        repaired(&s.sender, 200 * i, (int64_t)(10000 * i), 350);
    waits(&s, at(2100, 90000));
    hears(&s.sender, 90000, 2000, behind, 1);
    assert_likely(&s, at(1900, 90350), LATE); /* another hole */
    assert_likely(&s, at(2000, 90350), AGAIN);
    s.sender.first_tsval = 0; /* a clock that should have ticked */
    for (unsigned i = 0; i < 12; i++)
        ticks(&s.sender, 87000 + 300 * i, i);
    struct armtap_sent first = stamped(2100, 90000, 11, 5), second = stamped(2000, 90350, 11, 5);
    waits(&s, first);
    assert_likely(&s, second, LATE);
    hears(&s.sender, 90010, 2000, behind, 1);
    hears(&s.sender, 90020, 2000, behind, 1);
    assert_int_equal(armtap_sender_lacked_for(&s.sender, 2000, 90350 * US), 0);
    scene_end(&s);
}

/* A retransmission at the usual time has a later timestamp, unless the sender's clock ticks more slowly than that. */
static void test_usual_repair_within_a_tick(void **state)
{
    static const uint32_t behind[] = {2100, 2200};
    (void)state;
    for (unsigned tick = 340; tick <= 360; tick++) {
        struct scene s;
        scene_begin(&s);
        for (uint64_t i = 0; i < 5; i++)
            repaired(&s.sender, 200 * i, (int64_t)(10000 * i), 350);
        for (unsigned i = 0; i < 12; i++)
            ticks(&s.sender, 90000 - tick * (11 - i), i + 1);
        waits(&s, stamped(2100, 90000, 12, 5));
        hears(&s.sender, 90000, 2000, behind, 1);
        if (tick < 350)
            assert_likely(&s, stamped(2000, 90350, 12, 5), LATE);
        else
            assert_likely(&s, stamped(2000, 90350, 12, 5), AGAIN);
        assert_likely(&s, at(2000, 90350), AGAIN); /* without a timestamp it is no evidence */
        scene_end(&s);
    }
}

/* The peer reported it missing, but its timestamp is too old for a packet sent since. */
static void test_held_up(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    for (unsigned i = 0; i < 11; i++)
        ticks(&s.sender, 1000 * i, i);
    for (uint64_t start = 200; start < 500; start += 100)
        waits(&s, stamped(start, 10100, 10, 5));
    assert_likely(&s, stamped(100, 11000, 10, 5), AGAIN);
    assert_likely(&s, stamped(100, 11001, 10, 5), LATE);
    s.sender.acked_after = s.peer.acked_after = 400 * US; /* a quarter of both, less a 16th, may also pass */
    assert_likely(&s, stamped(100, 11187, 10, 5), AGAIN);
    assert_likely(&s, stamped(100, 11188, 10, 5), LATE);
    delivered(&s, stamped(100, 10200, 10, 5)); /* the same packet: a copy, not sent again */
    assert_likely(&s, stamped(100, 11187, 10, 5), AGAIN);
    assert_likely(&s, stamped(100, 11188, 10, 5), COPY);
    scene_end(&s);
}

/* Late bytes were retransmitted in vain if most late bytes are; a copy arrives at any time. */
static void test_usual_repair_in_vain(void **state)
{
    static const uint32_t behind[] = {2100, 2200};
    struct armtap_sent same = at(2000, 91000);
    struct scene s;
    (void)state;
    scene_begin(&s);
    for (uint64_t i = 0; i < 5; i++)
        repaired(&s.sender, 200 * i, (int64_t)(10000 * i), 3500);
    waits(&s, at(2100, 90000));
    hears(&s.sender, 90000, 2000, behind, 1);
    delivered(&s, same);
    hears(&s.sender, 91000, 2200, NULL, 0);
    assert_arrival(&s, at(2000, 93500), COPY);
    same.late = true;
    delivered(&s, same);
    assert_likely(&s, at(2000, 93500), AGAIN);
    assert_arrival(&s, at(2000, 95000), COPY);
    scene_end(&s);
}

/* Repairs after three reports say nothing about senders that do not wait for three. */
static void test_repairs_that_were_asked_for(void **state)
{
    struct scene s;
    (void)state;
    scene_begin(&s);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t behind[] = {200 * i + 100, 200 * i + 200};
        for (unsigned k = 0; k < (i < 4 ? 3 : 2); k++)
            hears(&s.sender, 10000 * i, 200 * i, behind, 1);
        assert_false(armtap_sender_usually_repairs(&s.sender, 350 * US));
        hears(&s.sender, 10000 * i + 350, 200 * i + 200, NULL, 0);
    }
    assert_true(armtap_sender_usually_repairs(&s.sender, 350 * US));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_neighbour),
        cmocka_unit_test(test_neighbour_sent_again),
        cmocka_unit_test(test_ids_wrap_and_are_zero),
        cmocka_unit_test(test_ids_far_apart),
        cmocka_unit_test(test_random_ids),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_proof_by_order),
        cmocka_unit_test(test_proof_by_clock),
        cmocka_unit_test(test_no_proof_by_time),
        cmocka_unit_test(test_proof_by_order_of_capture),
        cmocka_unit_test(test_proof_of_copies),
        cmocka_unit_test(test_copies_by_id),
        cmocka_unit_test(test_copies_by_clock),
        cmocka_unit_test(test_copies_by_time),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_behind_its_retransmission),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_asked_for),
        cmocka_unit_test(test_same_tick),
        cmocka_unit_test(test_echo_of_the_third),
        cmocka_unit_test(test_no_clock),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_repeated_acknowledgements),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_usual_repair),
        cmocka_unit_test(test_unusual_repair),
        cmocka_unit_test(test_usual_repair_within_a_tick),
        cmocka_unit_test(test_usual_repair_in_vain),
        cmocka_unit_test(test_repairs_that_were_asked_for),
        cmocka_unit_test(test_held_up),
        cmocka_unit_test(test_round_trip_by_echoes),
        cmocka_unit_test(test_round_trip_of_years),
    };
    return cmocka_run_group_tests_name("arrival", tests, NULL, NULL);
}
