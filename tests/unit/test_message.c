/* on_message: it gets the bytes of a connection once, in order, as whole messages or skipped bytes, after the record
 * that was made from them. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

struct seen {
    struct bytes all[2]; /* received, by direction */
    uint64_t whole[2], skipped[2];
    unsigned records, messages;
    const uint8_t *record; /* bytes of the last record, until its message comes */
    bool in_order;
    uint64_t first, last; /* packets of the last message */
    int stop_at;          /* the message whose callback stops; 0: none */
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct seen *seen = user;
    seen->records++;
    seen->record = record->frame;
    return 0;
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct seen *seen = user;
    struct bytes *all = &seen->all[message->direction];
    seen->in_order = seen->in_order && message->offset == all->length && message->length > 0 &&
                     (!seen->record || seen->record == message->bytes);
    seen->record = NULL;
    bytes_add(all, message->bytes, message->length);
    *(message->skipped ? &seen->skipped[message->direction] : &seen->whole[message->direction]) += message->length;
    seen->first = message->first.packet;
    seen->last = message->where.packet;
    return (int)++seen->messages == seen->stop_at;
}

static const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_message = on_message};

static void seen_clear(struct seen *seen)
{
    bytes_free(&seen->all[0]);
    bytes_free(&seen->all[1]);
    *seen = (struct seen){.in_order = true};
}

/* Packets, other bytes, packets, and half a packet. */
static void make(struct bytes *bytes)
{
    for (unsigned i = 0; i < 4; i++)
        bytes_packet(bytes, 1060, 1.0 + 0.008 * i);
    bytes_text(bytes, "these bytes are not a packet, and resynchronising takes two packets in a row");
    for (unsigned i = 4; i < 8; i++)
        bytes_packet(bytes, 1060, 1.0 + 0.008 * i);
    bytes->length -= 500;
}

static void push(struct armtap_conn *conn, enum armtap_direction direction, const struct bytes *bytes, size_t chunk)
{
    for (size_t at = 0; at < bytes->length; at += chunk) {
        struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME, .packet = 1 + at / chunk};
        size_t length = bytes->length - at < chunk ? bytes->length - at : chunk;
        assert_int_equal(armtap_conn_push(conn, direction, bytes->at + at, length, &where), ARMTAP_OK);
    }
    assert_int_equal(armtap_conn_close(conn, direction, NULL), ARMTAP_OK);
}

static void every_byte_once(void **state)
{
    static const size_t chunks[] = {1, 3, 100, 1059, 1060, 1061, 5000, 100000};
    struct bytes from = {0}, to = {0};
    struct seen seen = {.in_order = true};
    (void)state;
    make(&from);
    bytes_text(&to, "movej([0])\nlast line without its end");
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct armtap_conn *conn;
        assert_int_equal(armtap_conn_new(NULL, &sink, &seen, &conn), ARMTAP_OK);
        push(conn, ARMTAP_FROM_ROBOT, &from, chunks[i]);
        push(conn, ARMTAP_TO_ROBOT, &to, chunks[i]);
        const struct armtap_stream *stream = armtap_conn_stream(conn);
        assert_true(seen.in_order);
        assert_int_equal(seen.all[0].length, from.length);
        assert_memory_equal(seen.all[0].at, from.at, from.length);
        assert_int_equal(seen.all[1].length, to.length);
        assert_memory_equal(seen.all[1].at, to.at, to.length);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(seen.whole[side], stream->bytes_decoded[side]);
            assert_int_equal(seen.skipped[side], stream->bytes_skipped[side]);
        }
        assert_int_equal(seen.records, 9); /* seven packets, two lines */
        armtap_conn_free(conn);
        seen_clear(&seen);
    }
    bytes_free(&from);
    bytes_free(&to);
}

/* Pieces of 300 bytes: a packet of 1060 ends in the fourth. */
static void packets_of_a_message(void **state)
{
    struct bytes bytes = {0};
    struct seen seen = {.in_order = true, .stop_at = 2};
    struct armtap_conn *conn;
    int error = ARMTAP_OK;
    (void)state;
    make(&bytes);
    assert_int_equal(armtap_conn_new(NULL, &sink, &seen, &conn), ARMTAP_OK);
    for (size_t at = 0; at < bytes.length && error == ARMTAP_OK; at += 300) {
        struct armtap_where where = {.size = sizeof where, .time = ARMTAP_NO_TIME, .packet = 1 + at / 300};
        error = armtap_conn_push(conn, ARMTAP_FROM_ROBOT, bytes.at + at, 300, &where);
    }
    assert_int_equal(error, ARMTAP_ERR_STOPPED);
    assert_int_equal(seen.first, 4); /* bytes 1060 to 2119 of the stream */
    assert_int_equal(seen.last, 8);
    armtap_conn_free(conn);
    seen_clear(&seen);
    bytes_free(&bytes);
}

/* A caller built against an older header has no such member. */
static void older_callers(void **state)
{
    struct bytes bytes = {0};
    struct seen seen = {.in_order = true};
    struct armtap_sink older = sink;
    struct armtap_conn *conn;
    (void)state;
    older.size = offsetof(struct armtap_sink, on_message);
    make(&bytes);
    assert_int_equal(armtap_conn_new(NULL, &older, &seen, &conn), ARMTAP_OK);
    push(conn, ARMTAP_FROM_ROBOT, &bytes, 700);
    assert_int_equal(seen.records, 7);
    assert_int_equal(seen.messages, 0);
    armtap_conn_free(conn);
    seen_clear(&seen);
    bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_once),
        cmocka_unit_test(packets_of_a_message),
        cmocka_unit_test(older_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
