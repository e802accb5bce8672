/* When missing bytes are given up: 32 packets and 750 ms after they were acknowledged; after 2 s; at the connection's
 * end. A packet that is captured soon after its own acknowledgement is not lost. */
#include "outcome.h"

#include <stdlib.h>

enum { FRAME = 540, FRAMES = 600, HOLE = 50 };
#define MS INT64_C(1000000)

static const struct clothing plain = {.link = LINK_ETHERNET, .isn = {1000, 2000}};

static void make(struct segments *segments, struct dialogue *dialogue, int64_t cycle, const struct cutting *cutting)
{
    *dialogue = (struct dialogue){.robot_port = 30003, .client_port = 50001};
    for (unsigned i = 0; i < FRAMES; i++) {
        struct bytes packet = {0};
        bytes_packet(&packet, FRAME, 100 + i * 0.008);
        dialogue_say(dialogue, 1000 * MS + i * cycle, ARMTAP_FROM_ROBOT, packet.at, packet.length);
        bytes_free(&packet);
    }
    cut(dialogue, cutting, segments);
}

static size_t place_of(const struct segments *segments, unsigned frame)
{
    size_t i = 0;
    while (segments->at[i].direction != ARMTAP_FROM_ROBOT || segments->at[i].to != (frame + 1) * (size_t)FRAME)
        i++;
    return i;
}

/* Removes a segment, or moves it `later` places back if that is not 0. */
static void delay(struct segments *segments, size_t place, size_t later)
{
    struct segment moved = segments->at[place];
    for (size_t i = place; i + 1 < segments->count; i++)
        segments->at[i] = segments->at[i + 1];
    segments->count--;
    if (later == 0)
        return;
    moved.time = segments->at[place + later - 1].time + 1;
    segments_insert(segments, place + later, &moved);
}

/* Returns after which packet, from 0, the gap was reported; the number of packets if it was at the end. */
static size_t gap_at(const struct dialogue *dialogue, const struct segments *segments, struct outcome *outcome)
{
    struct capture_list list = {0};
    struct armtap_net *net;
    struct armtap_sink sink = outcome_sink();
    size_t at = segments->count;
    dress(dialogue, segments, &plain, &list);
    assert_int_equal(armtap_net_new(NULL, &sink, outcome, &net), 0);
    for (size_t i = 0; i < list.count; i++) {
        struct armtap_packet packet = {.size = sizeof(struct armtap_packet),
                                       .link_type = (int)list.link,
                                       .where = {.time = list.packets[i].time, .packet = i + 1},
                                       .data = list.bytes.at + list.packets[i].at,
                                       .captured = list.packets[i].length,
                                       .length = list.packets[i].length};
        assert_int_equal(armtap_net_packet(net, &packet), 0);
        if (outcome->gap_events[ARMTAP_FROM_ROBOT] > 0 && at == segments->count)
            at = i;
    }
    assert_int_equal(armtap_net_finish(net), 0);
    armtap_net_free(net);
    capture_list_free(&list);
    return at;
}

struct result {
    size_t packets; /* from the first behind the hole to the report of the gap */
    int64_t time;
    bool at_end;
    uint64_t gaps, lost, records;
};

static struct result run(int64_t cycle, const struct cutting *cutting, unsigned frame, size_t later)
{
    struct dialogue dialogue;
    struct segments segments = {0};
    struct outcome outcome = {0};
    make(&segments, &dialogue, cycle, cutting);
    delay(&segments, place_of(&segments, frame), later);
    size_t behind = place_of(&segments, frame + 1), at = gap_at(&dialogue, &segments, &outcome);
    struct result result = {.at_end = at == segments.count,
                            .gaps = outcome.streams[0].gaps,
                            .lost = outcome.streams[0].bytes_lost[0],
                            .records = outcome.count[0]};
    if (!result.at_end) {
        result.packets = at - behind;
        result.time = segments.at[at].time - segments.at[behind].time;
    }
    assert_int_equal(outcome.streams[0].bytes_decoded[0] + result.lost + outcome.streams[0].bytes_skipped[0],
                     dialogue.stream[0].length);
    outcome_free(&outcome);
    segments_free(&segments);
    dialogue_free(&dialogue);
    return result;
}

static void assert_lost(const struct result *result)
{
    assert_int_equal(result->gaps, 1);
    assert_int_equal(result->lost, FRAME);
    assert_int_equal(result->records, FRAMES - 1);
}

static const struct cutting acked = {.handshake = true, .end = true};
static const struct cutting silent = {.handshake = true, .end = true, .without_acks = true};

static void test_acknowledged(void **state)
{
    (void)state;
    struct result fast = run(2 * MS, &acked, HOLE, 0); /* 750 ms, which are 750 packets */
    assert_lost(&fast);
    assert_in_range(fast.time, 750 * MS, 753 * MS);
    struct result slow = run(64 * MS, &acked, HOLE, 0); /* 32 packets, which are 1024 ms */
    assert_lost(&slow);
    assert_in_range(slow.packets, 31, 34);
}

/* The client's handshake was heard: its acknowledgement may come for 30 s. The hole is at 3.2 s. */
static void test_unheard(void **state)
{
    (void)state;
    struct result result = run(64 * MS, &silent, HOLE, 0);
    assert_lost(&result);
    assert_in_range(result.time, 26000 * MS, 27500 * MS);
    result = run(8 * MS, &silent, HOLE, 0);
    assert_lost(&result);
    assert_true(result.at_end);
}

static void test_the_end(void **state)
{
    (void)state;
    struct result result = run(8 * MS, &acked, FRAMES - 2, 0); /* too near the end for packets and time */
    assert_lost(&result);
    struct cutting open = acked;
    open.end = false;
    result = run(8 * MS, &open, FRAMES - 3, 0);
    assert_lost(&result);
    assert_true(result.at_end);
}

/* The missing end of a stream, which only acknowledgements reveal. */
static void test_the_tail(void **state)
{
    struct dialogue dialogue;
    struct segments segments = {0};
    struct outcome outcome = {0};
    struct cutting open = {.handshake = true};
    (void)state;
    make(&segments, &dialogue, 8 * MS, &open);
    delay(&segments, place_of(&segments, FRAMES - 1), 0);
    gap_at(&dialogue, &segments, &outcome);
    assert_int_equal(outcome.streams[0].gaps, 1);
    assert_int_equal(outcome.streams[0].bytes_lost[0], FRAME);
    assert_int_equal(outcome.count[0], FRAMES - 1);
    outcome_free(&outcome);
    segments_free(&segments);
    dialogue_free(&dialogue);
}

static void test_late_but_there(void **state)
{
    static const struct {
        int64_t cycle;
        size_t later;
    } late[] = {{8 * MS, 2}, {8 * MS, 31}, {1 * MS, 31}, {8 * MS, 180}};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct result result = run(late[i].cycle, &acked, HOLE, late[i].later);
        assert_int_equal(result.gaps, 0);
        assert_int_equal(result.records, FRAMES);
    }
    struct result result = run(8 * MS, &acked, HOLE, 200); /* too late: lost, and no record twice */
    assert_lost(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acknowledged), cmocka_unit_test(test_unheard),        cmocka_unit_test(test_the_end),
        cmocka_unit_test(test_the_tail),     cmocka_unit_test(test_late_but_there),
    };
    return cmocka_run_group_tests_name("gaps", tests, NULL, NULL);
}
