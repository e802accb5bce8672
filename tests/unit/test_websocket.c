/* WebSocket: heads, frames, reassembled messages. The bytes are the examples of RFC 6455 and RFC 7692, worked out by
 * hand, or written by Python's zlib; the lengths of frames are compared with wslay's. Every allocation fails in turn:
 * the linker redirects malloc, calloc, realloc, free and wslay's allocation to counting functions. */
#include "allocations.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wslay/wslay.h>

#include "../../decoders/websocket.h"

#define LIMIT 65536u

/* ---- the allocator --------------------------------------------------------------------------------------------- */

int __real_wslay_frame_context_init(wslay_frame_context_ptr *reader, const struct wslay_frame_callbacks *callbacks,
                                    void *user);
void __real_wslay_frame_context_free(wslay_frame_context_ptr reader);
int __wrap_wslay_frame_context_init(wslay_frame_context_ptr *reader, const struct wslay_frame_callbacks *callbacks,
                                    void *user);
void __wrap_wslay_frame_context_free(wslay_frame_context_ptr reader);

int __wrap_wslay_frame_context_init(wslay_frame_context_ptr *reader, const struct wslay_frame_callbacks *callbacks,
                                    void *user)
{
    if (allocations_refuse()) {
        *reader = NULL;
        return WSLAY_ERR_NOMEM;
    }
    int error = __real_wslay_frame_context_init(reader, callbacks, user);
    memory.held += error == 0;
    return error;
}

void __wrap_wslay_frame_context_free(wslay_frame_context_ptr reader)
{
    memory.held--;
    __real_wslay_frame_context_free(reader);
}

/* ---- a stream of frames, and the messages in it ------------------------------------------------------------------ */

struct story {
    char text[4096];
    size_t length;
};

static void add(struct story *story, const char *text)
{
    int length = snprintf(story->text + story->length, sizeof story->text - story->length, "%s", text);
    assert_true(length >= 0 && (size_t)length < sizeof story->text - story->length);
    story->length += (size_t)length;
}

static void add_bytes(struct story *story, const uint8_t *bytes, size_t length)
{
    char byte[8];
    add(story, "'");
    for (size_t i = 0; i < length && i < 100; i++) {
        snprintf(byte, sizeof byte, bytes[i] < 32 || bytes[i] > 126 ? "\\%02x" : "%c", bytes[i]);
        add(story, byte);
    }
    add(story, "'");
}

static void add_event(struct story *story, const struct armtap_websocket_event *event)
{
    static const char *const names[] = {"", "message", "too long", "bad", "ping", "pong", "closed"};
    char number[16];
    if (event->kind == ARMTAP_WEBSOCKET_NOTHING)
        return;
    add(story, story->length ? "; " : "");
    add(story, event->compressed ? "z " : "");
    add(story, event->kind == ARMTAP_WEBSOCKET_MESSAGE ? event->text ? "text" : "binary" : names[event->kind]);
    if (event->kind == ARMTAP_WEBSOCKET_CLOSED) {
        snprintf(number, sizeof number, " %u", event->code);
        add(story, number);
    }
    if (event->bytes) {
        add(story, " ");
        add_bytes(story, event->bytes, event->length);
        assert_int_equal(event->bytes[event->length], '\0');
    }
    assert_int_equal(event->fault != NULL, event->kind == ARMTAP_WEBSOCKET_BAD);
    if (event->fault) {
        add(story, " ");
        add(story, event->fault);
    }
}

/* The length of the frame, asked for with ever more of its bytes, each time in an exact block. */
static size_t whole_length(const uint8_t *bytes, size_t left)
{
    long whole = armtap_websocket_frame(bytes, left);
    assert_true(whole > 0 && (size_t)whole <= left);
    bool known = false;
    for (size_t n = 0; n <= 14 && n <= left; n++) {
        uint8_t *part = __real_malloc(n + 1);
        memcpy(part + 1, bytes, n);
        long now = armtap_websocket_frame(part + 1, n);
        __real_free(part);
        assert_true(now == whole || (now == 0 && !known));
        known = now == whole;
    }
    assert_true(known);
    return (size_t)whole;
}

static int take_all(struct armtap_websocket *websocket, const struct bytes *bytes, struct story *story)
{
    for (size_t at = 0, size; at < bytes->length; at += size) {
        struct armtap_websocket_event event;
        size = whole_length(bytes->at + at, bytes->length - at);
        uint8_t *frame = __real_malloc(size);
        memcpy(frame, bytes->at + at, size);
        int error = armtap_websocket_take(websocket, frame, size, &event);
        __real_free(frame);
        if (error)
            return error;
        add_event(story, &event);
    }
    return 0;
}

struct stream {
    const char *frames;
    const char *story;
};

static void check_streams(const struct stream *streams, size_t count, size_t limit)
{
    long held = memory.held;
    for (size_t i = 0; i < count; i++) {
        struct armtap_websocket websocket;
        struct bytes bytes = {0};
        struct story story = {0};
        bytes_hex(&bytes, streams[i].frames);
        armtap_websocket_init(&websocket, limit);
        assert_int_equal(take_all(&websocket, &bytes, &story), 0);
        assert_string_equal(story.text, streams[i].story);
        armtap_websocket_free(&websocket);
        assert_int_equal(armtap_websocket_held(&websocket), 0);
        bytes_free(&bytes);
    }
    assert_int_equal(memory.held, held);
}

#define CHECK_STREAMS(streams, limit) check_streams(streams, sizeof streams / sizeof streams[0], limit)

#define HELLO "81 05 48 65 6c 6c 6f "

/* ---- streams --------------------------------------------------------------------------------------------------- */

static void test_plain(void **unused)
{
    (void)unused;
    static const struct stream streams[] = {
        /* RFC 6455, section 5.7 */
        {"81 05 48 65 6c 6c 6f", "text 'Hello'"},
        {"81 85 37 fa 21 3d 7f 9f 4d 51 58", "text 'Hello'"},
        {"01 03 48 65 6c 80 02 6c 6f", "text 'Hello'"},
        {"89 05 48 65 6c 6c 6f 8a 85 37 fa 21 3d 7f 9f 4d 51 58", "ping 'Hello'; pong 'Hello'"},
        /* by hand */
        {HELLO HELLO "82 02 00 ff", "text 'Hello'; text 'Hello'; binary '\\00\\ff'"},
        {"81 00 82 80 01 02 03 04", "text ''; binary ''"},
        {"01 03 48 65 6c 89 01 78 00 00 8a 00 80 02 6c 6f", "ping 'x'; pong ''; text 'Hello'"},
        {"01 00 00 00 00 05 48 65 6c 6c 6f 80 00", "text 'Hello'"},
        {"88 00", "closed 1005 ''"},
        {"88 02 03 e8", "closed 1000 ''"},
        {"88 85 01 02 03 04 02 eb 61 7d 64", "closed 1001 'bye'"},
        /* a client's request, masked by Python */
        {"81 dc 01 02 03 04 5a 33 33 34 2d 79 21 67 69 63 6d 61 6d 20 39 35 2d 20 65 76 64 73 76 61 6f 61 7a 26 3b 37 "
         "33 2a 31 2e 21 77 64 65 6e 61 6f 76 70 26 3b 59 21 56 30 5d 62 67 75 77 62 68 5e 73 21 59 2d 20 77 6b 5e 71 "
         "66 76 77 67 71 26 3b 64 62 68 72 67 2f 26 75 70 6a 63 66 67 71 26 3b 32 7e 59",
         "text "
         "'[100,{\"chanel\":1,\"frequency\":50.0,\"segments\":[\"R1_actual_q\"],\"to_server\":false,\"trigger\":0}]'"},
    };
    CHECK_STREAMS(streams, LIMIT);
}

static void test_compressed(void **unused)
{
    (void)unused;
    static const struct stream streams[] = {
        /* RFC 7692, section 7.2.3: one block, in two fragments, twice with the window kept, not compressed, BFINAL, two
         * blocks */
        {"c1 07 f2 48 cd c9 c9 07 00", "z text 'Hello'"},
        {"41 03 f2 48 cd 80 04 c9 c9 07 00", "z text 'Hello'"},
        {"c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00", "z text 'Hello'; z text 'Hello'"},
        {"c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00", "z text 'Hello'"},
        {"c1 08 f3 48 cd c9 c9 07 00 00", "z text 'Hello'"},
        {"c1 0d f2 48 05 00 00 00 ff ff ca c9 c9 07 00", "z text 'Hello'"},
        /* Python: one compressor for all messages; plain messages and a ping between them are not part of the window */
        {"c1 19 8a 36 d0 89 36 d4 33 d5 31 02 62 63 20 36 01 62 53 20 36 d3 33 8d 8d 05 00" HELLO
         "41 03 8a c6 29 89 00 80 05 69 0e 94 05 00 c1 05 8a c6 a7 15 00",
         "z text '[0,[1.5,2.5,3.5,4.5,5.5,6.5]]'; text 'Hello'; ping ''; z text '[0,[1.5,2.5,3.5,4.5,5.5,6.75]]'; "
         "z text '[0,[1.5,2.5,3.5,4.5,5.5,6.5]]'"},
        /* Python: a compressor for each message; one with a window of 512 bytes */
        {"c1 0d 8a 36 d4 31 d6 33 d4 31 d1 33 8c 05 00 c1 0d 8a 36 d4 31 d6 33 d4 31 d1 33 8c 05 00",
         "z text '[1,3.1,4.1]'; z text '[1,3.1,4.1]'"},
        {"c2 0d 8a 36 d4 31 d6 33 d4 31 d1 33 8c 05 00 c2 05 8a 46 30 01 00",
         "z binary '[1,3.1,4.1]'; z binary '[1,3.1,4.1]'"},
        /* Python: the stream is finished, and the next message refers to its content; with and without the last byte */
        {"c1 10 f3 48 cd c9 c9 d7 51 28 cf cc 4b c9 2f 07 00 00 c1 06 f2 40 e6 28 02 00",
         "z text 'Hello, window'; z text 'Hello, window!'"},
        {"c1 0f f3 48 cd c9 c9 d7 51 28 cf cc 4b c9 2f 07 00 c1 06 f2 40 e6 28 02 00",
         "z text 'Hello, window'; z text 'Hello, window!'"},
        /* empty: as in the RFC (7.2.3.6), in fragments, and without any byte */
        {"c1 01 00 c1 07 f2 48 cd c9 c9 07 00", "z text ''; z text 'Hello'"},
        {"41 00 00 00 80 07 f2 48 cd c9 c9 07 00", "z text 'Hello'"},
        {"41 07 f2 48 cd c9 c9 07 00 00 00 80 00", "z text 'Hello'"},
        {"c1 00 c1 07 f2 48 cd c9 c9 07 00", "z text ''; z text 'Hello'"},
    };
    CHECK_STREAMS(streams, LIMIT);
}

#define LONE "a continuation without a beginning"
#define NESTED "a new message within a fragmented one"
#define BROKEN "compressed data that cannot be inflated"

static void test_bad(void **unused)
{
    (void)unused;
    static const struct stream streams[] = {
        {"80 02 6c 6f" HELLO, "bad " LONE "; text 'Hello'"},
        {"00 02 6c 6f 00 01 6c 80 01 6f" HELLO, "bad " LONE "; text 'Hello'"},
        {"00 02 6c 6f" HELLO, "bad " LONE "; text 'Hello'"},
        {"01 03 48 65 6c" HELLO HELLO, "bad " NESTED "; text 'Hello'"},
        {"01 03 48 65 6c 01 03 48 65 6c 80 02 6c 6f" HELLO, "bad " NESTED "; text 'Hello'"},
        {"01 03 48 65 6c c0 02 6c 6f" HELLO, "bad RSV1 on a continuation; text 'Hello'"},
        {"01 03 48 65 6c 40 00 40 00 80 02 6c 6f" HELLO, "bad RSV1 on a continuation; text 'Hello'"},
        {"01 03 48 65 6c c9 00 80 02 6c 6f", "bad RSV1 on a control frame; text 'Hello'"},
        {"88 01 03", "bad half a code in a close frame"},
        /* a block of an invalid type; whole, or in fragments */
        {"c1 01 07 c1 07 f2 48 cd c9 c9 07 00", "z bad " BROKEN "; z text 'Hello'"},
        {"41 01 07 00 01 07 80 01 07" HELLO, "z bad " BROKEN "; text 'Hello'"},
        {"41 08 f2 48 05 00 00 00 ff ff 00 01 07 80 00 c1 07 f2 48 cd c9 c9 07 00", "z bad " BROKEN "; z text 'Hello'"},
        /* lost content is never invented: the second message refers to it; the third to nothing; the fourth to the
           third */
        {"c1 01 07 c1 05 f2 00 11 00 00 c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00",
         "z bad " BROKEN "; z bad " BROKEN "; z text 'Hello'; z text 'Hello'"},
        {"c1 07 f2 48 cd c9 c9 07 00 c1 01 07 c1 05 f2 00 11 00 00", "z text 'Hello'; z bad " BROKEN "; z bad " BROKEN},
        {"c1 07 f2 48 cd c9 c9 07 00 80 00 c1 05 f2 00 11 00 00", "z text 'Hello'; bad " LONE "; z bad " BROKEN},
        {"c1 07 f2 48 cd c9 c9 07 00 01 00 c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00",
         "z text 'Hello'; z bad " NESTED "; z bad " BROKEN},
        /* a stored block of ten bytes, cut: with the end of the flush it has six */
        {"c1 07 00 0a 00 f5 ff 48 65" HELLO, "z bad compressed data that ends too early; text 'Hello'"},
        /* a bad plain message does not damage the compression window */
        {"c1 07 f2 48 cd c9 c9 07 00 01 00" HELLO "c1 05 f2 00 11 00 00",
         "z text 'Hello'; bad " NESTED "; z text 'Hello'"},
    };
    CHECK_STREAMS(streams, LIMIT);
}

#define UTF8 "text that is not UTF-8"

static void test_utf8(void **unused)
{
    (void)unused;
    static const struct stream streams[] = {
        /* the ends of the ranges of RFC 3629, section 4 */
        {"81 04 00 7f c2 80", "text '\\00\\7f\\c2\\80'"},
        {"81 05 df bf e0 a0 80", "text '\\df\\bf\\e0\\a0\\80'"},
        {"81 06 ed 9f bf ee 80 80", "text '\\ed\\9f\\bf\\ee\\80\\80'"},
        {"81 0b ef bf bf f0 90 80 80 f4 8f bf bf", "text '\\ef\\bf\\bf\\f0\\90\\80\\80\\f4\\8f\\bf\\bf'"},
        {"81 01 80", "bad " UTF8},
        {"81 02 c1 bf", "bad " UTF8},
        {"81 02 c2 7f", "bad " UTF8},
        {"81 03 e0 9f bf", "bad " UTF8},
        {"81 03 ed a0 80", "bad " UTF8},
        {"81 03 e2 82 c0", "bad " UTF8},
        {"81 02 e2 82", "bad " UTF8},
        {"81 04 f0 8f bf bf", "bad " UTF8},
        {"81 04 f4 90 80 80", "bad " UTF8},
        {"81 04 f5 80 80 80", "bad " UTF8},
        {"81 04 f1 80 80 41", "bad " UTF8},
        {"01 01 e2 00 01 82 80 01 ac", "text '\\e2\\82\\ac'"},
        {"82 02 c1 bf", "binary '\\c1\\bf'"},
        /* a stored block with an invalid byte, and a message that refers to it: the window has it */
        {"c1 0b 00 05 00 fa ff ff 65 6c 6c 6f 00 c2 05 f2 00 11 00 00", "z bad " UTF8 "; z binary 'Hello'"},
    };
    CHECK_STREAMS(streams, LIMIT);
}

/* Eight bytes of ASCII are taken at once: what is not ASCII is judged anywhere among them. */
static void test_utf8_at_any_place(void **unused)
{
    (void)unused;
    for (size_t at = 0; at < 20; at++) {
        char good[256] = "81 16 ", bad[256] = "81 16 ", wanted[256] = "text '";
        for (size_t i = 0; i < 21; i++) {
            strcat(good, i == at ? "c3 a4 " : "61 ");
            strcat(bad, i == at ? "c3 61 " : "61 ");
            strcat(wanted, i == at ? "\\c3\\a4" : "a");
        }
        strcat(wanted, "'");
        const struct stream streams[] = {{good, wanted}, {bad, "bad " UTF8}};
        CHECK_STREAMS(streams, LIMIT);
    }
}

/* "a" 100000 times, then "aaaaaaaaaaaaaaaaaaaatail", from the same compressor. */
#define TEN "00 00 00 00 00 00 00 00 00 00 "
#define BOMB_64 "ec c1 31 01 00 00 00 c2 a0 ac eb 5f c2 1a 1e 40 01 " TEN TEN TEN TEN "00 00 00 00 00 00 00 "
#define BOMB_51 TEN TEN TEN TEN "00 00 00 00 00 00 00 00 00 af 06 "
#define BOMB BOMB_64 BOMB_51
#define TAIL "c2 06 4a 12 33 73 00 00 "

static void test_too_long(void **unused)
{
    (void)unused;
    static const struct stream small[] = {
        {"81 05 48 65 6c 6c 6f 81 06 48 65 6c 6c 6f 21" HELLO, "text 'Hello'; too long; text 'Hello'"},
        {"01 05 48 65 6c 6c 6f 89 00 00 01 21 00 06 21 21 21 21 21 21 80 01 21" HELLO,
         "ping ''; too long; text 'Hello'"},
        {"01 05 48 65 6c 6c 6f 00 00 80 00", "text 'Hello'"},
        {"01 05 48 65 6c 6c 6f 00 01 21" HELLO HELLO, "too long; bad " NESTED "; text 'Hello'"},
        /* a stored block of six bytes, then of five */
        {"c1 0c 00 06 00 f9 ff 48 65 6c 6c 6f 21 00 c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00",
         "z too long; z text 'Hello'"},
    };
    static const struct stream large[] = {
        {"c1 73 " BOMB "c1 08 " TAIL, "z too long; z text 'aaaaaaaaaaaaaaaaaaaatail'"},
    };
    static const struct stream parts[] = {
        {"41 40 " BOMB_64 "89 00 00 33 " BOMB_51 "00 00 80 00 c1 08 " TAIL,
         "ping ''; z too long; z text 'aaaaaaaaaaaaaaaaaaaatail'"},
    };
    static const struct stream tiny[] = {
        {"41 40 " BOMB_64 "89 00 00 33 " BOMB_51 "00 00 80 00 c1 08 " TAIL,
         "z too long; ping ''; z text 'aaaaaaaaaaaaaaaaaaaatail'"},
    };
    CHECK_STREAMS(small, 5);
    CHECK_STREAMS(large, LIMIT);
    CHECK_STREAMS(large, 99999);
    CHECK_STREAMS(large, 24);
    CHECK_STREAMS(parts, LIMIT);
    CHECK_STREAMS(tiny, 24);
}

static void append_frame(struct bytes *bytes, uint8_t first, size_t length, uint8_t fill)
{
    bytes_number(bytes, first, 1);
    bytes_number(bytes, length < 126 ? length : length < 65536 ? 126 : 127, 1);
    if (length > 125)
        bytes_number(bytes, length, length < 65536 ? 2 : 8);
    while (length-- > 0)
        bytes_number(bytes, fill, 1);
}

/* Payload lengths on both sides of every change of the header's size, and of wslay's buffer. */
static void test_lengths(void **unused)
{
    long held = memory.held;
    (void)unused;
    static const size_t lengths[] = {1,    124,  125,  126,  127,  255,   256,   1023,  1024,
                                     4083, 4084, 4096, 4097, 8192, 65535, 65536, 65537, 1u << 20};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (size_t limit = lengths[i] - 1; limit <= lengths[i]; limit++) {
            struct armtap_websocket websocket;
            struct armtap_websocket_event event;
            struct bytes bytes = {0};
            append_frame(&bytes, 0x82, lengths[i], 'x');
            armtap_websocket_init(&websocket, limit);
            assert_int_equal(whole_length(bytes.at, bytes.length), bytes.length);
            assert_int_equal(armtap_websocket_take(&websocket, bytes.at, bytes.length, &event), 0);
            assert_int_equal(event.kind, limit < lengths[i] ? ARMTAP_WEBSOCKET_TOO_LONG : ARMTAP_WEBSOCKET_MESSAGE);
            if (event.bytes) {
                assert_int_equal(event.length, lengths[i]);
                assert_int_equal(strspn((const char *)event.bytes, "x"), lengths[i]);
            }
            armtap_websocket_free(&websocket);
            bytes_free(&bytes);
        }
    assert_int_equal(memory.held, held);
}

/* A message longer than the limit, in fragments that are all delivered again. */
static void test_long_fragments(void **unused)
{
    long held = memory.held;
    (void)unused;
    struct armtap_websocket websocket;
    struct armtap_websocket_event event;
    armtap_websocket_init(&websocket, LIMIT);
    for (unsigned i = 0; i < 3; i++) {
        struct bytes bytes = {0};
        append_frame(&bytes, i == 0 ? 0x01 : i == 1 ? 0x00 : 0x80, 20000, (uint8_t)('a' + i));
        assert_int_equal(armtap_websocket_take(&websocket, bytes.at, bytes.length, &event), 0);
        bytes_free(&bytes);
    }
    assert_int_equal(event.length, 60000);
    for (unsigned i = 0; i < 60000; i++)
        assert_int_equal(event.bytes[i], 'a' + i / 20000);
    armtap_websocket_free(&websocket);
    assert_int_equal(memory.held, held);
}

/* ---- the length of a frame ------------------------------------------------------------------------------------- */

static ssize_t read_bytes(uint8_t *to, size_t room, int flags, void *user)
{
    struct bytes *bytes = user;
    size_t length = bytes->length < room ? bytes->length : room;
    (void)flags;
    memcpy(to, bytes->at, length);
    bytes->at += length;
    bytes->length -= length;
    return (ssize_t)length;
}

/* The length of the frame that wslay reads from a header of 14 bytes and one more, or -1. */
static int64_t length_by_wslay(const uint8_t header[15])
{
    static const struct wslay_frame_callbacks callbacks = {NULL, read_bytes, NULL};
    uint8_t copy[15];
    struct bytes bytes = {copy, sizeof copy, 0};
    struct wslay_frame_iocb frame;
    wslay_frame_context_ptr reader;
    memcpy(copy, header, sizeof copy);
    assert_int_equal(__real_wslay_frame_context_init(&reader, &callbacks, &bytes), 0);
    ssize_t read = wslay_frame_recv(reader, &frame);
    __real_wslay_frame_context_free(reader);
    if (read < 0)
        return -1;
    size_t extended = (header[1] & 127) == 126 ? 2 : (header[1] & 127) == 127 ? 8 : 0;
    return (int64_t)(2 + extended + (frame.mask ? 4 : 0) + frame.payload_length);
}

/* Checks that wslay leaves to its user: reserved bits and opcodes, and a maximum length. */
static bool is_foreign(const uint8_t *header, int64_t length)
{
    static const bool known[16] = {[0] = true, [1] = true, [2] = true, [8] = true, [9] = true, [10] = true};
    return header[0] & 0x30 || !known[header[0] & 15] || length > (1 << 20) + 14;
}

static void test_frame_lengths(void **unused)
{
    (void)unused;
    static const uint64_t lengths[] = {0, 1, 125, 126, 127, 255, 65535, 65536, 65537, 1u << 20, UINT64_C(1) << 62};
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++)
            for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
                uint8_t header[15] = {(uint8_t)first, (uint8_t)second};
                size_t extended = (second & 127) == 126 ? 2 : (second & 127) == 127 ? 8 : 0;
                for (size_t k = 0; k < extended; k++)
                    header[2 + k] = (uint8_t)(lengths[i] >> (8 * (extended - 1 - k)));
                int64_t length = length_by_wslay(header);
                assert_int_equal(armtap_websocket_frame(header, sizeof header),
                                 is_foreign(header, length) ? -1 : length);
            }
    static const uint8_t bound[] = {0x82, 127, 0, 0, 0, 0, 0, 16, 0, 1};
    assert_int_equal(armtap_websocket_frame(bound, 9), 0);
    assert_int_equal(armtap_websocket_frame(bound, 10), -1);
}

static void test_not_one_frame(void **unused)
{
    (void)unused;
    static const uint8_t frames[] = {0x81, 1, 'a', 0x81, 1, 'b'}, foreign[] = {0x83, 0};
    struct armtap_websocket websocket;
    struct armtap_websocket_event event;
    armtap_websocket_init(&websocket, LIMIT);
    assert_int_equal(armtap_websocket_take(&websocket, frames, 2, &event), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_websocket_take(&websocket, frames, 4, &event), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_websocket_take(&websocket, foreign, 2, &event), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_websocket_held(&websocket), 0);
}

/* ---- the HTTP head --------------------------------------------------------------------------------------------- */

#define REQUEST ARMTAP_WEBSOCKET_REQUEST
#define ANSWER ARMTAP_WEBSOCKET_ANSWER
#define OTHER ARMTAP_WEBSOCKET_OTHER
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

static const struct {
    const char *head;
    enum armtap_websocket_head_kind kind;
    unsigned status;
    bool deflate;
} heads[] = {
    /* RFC 6455, section 1.3, and RFC 7692, section 7.1 */
    {"GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" KEY
     "Origin: http://example.com\r\nSec-WebSocket-Protocol: chat, superchat\r\nSec-WebSocket-Version: 13\r\n\r\n",
     REQUEST, 0, false},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" ACCEPT
     "Sec-WebSocket-Protocol: chat\r\n\r\n",
     ANSWER, 101, false},
    {"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" KEY
     "Sec-WebSocket-Extensions:\r\n permessage-deflate; client_max_window_bits; server_max_window_bits=10,\r\n"
     " permessage-deflate; client_max_window_bits\r\n\r\n",
     REQUEST, 0, true},
    {"HTTP/1.1 101\r\nupgrade:WebSocket\r\nCONNECTION:\tkeep-alive ,UPGRADE\t\r\nsec-websocket-extensions: x, "
     "Permessage-Deflate\r\n\r\n",
     ANSWER, 101, true},
    {"GET / HTTP/1.1\r\nConnection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: h2c, websocket\r\n\r\n", REQUEST, 0,
     false},
    /* heads that do not lead to a WebSocket */
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", OTHER, 101, false},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: keep-alive\r\n\r\n", OTHER, 101, false},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websockets\r\nConnection: Upgrade\r\n\r\n", OTHER, 101, false},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: web\r\nConnection: Upgrade\r\n\r\n", OTHER, 101, false},
    {"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", OTHER, 426, false},
    {"HTTP/1.0 100 \r\n\r\n", OTHER, 100, false},
    {"POST / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", OTHER, 0, false},
    {"GET / HTTP/1.1\r\n\r\n", OTHER, 0, false},
    {"GET / HTTP/1.1\r\nX-Upgrade: websocket\r\nConnection: Upgrade\r\nX: permessage-deflate\r\n\r\n", OTHER, 0, false},
    {"GET / HTTP/1.1\r\nUpgrade: x;websocket\r\nConnection: Upgrade\r\n\r\n", OTHER, 0, false},
};

static long http_of(const char *bytes, size_t length)
{
    uint8_t *copy = __real_malloc(length + 1);
    memcpy(copy + 1, bytes, length);
    long head = armtap_websocket_http(copy + 1, length);
    __real_free(copy);
    return head;
}

static void test_heads(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t length = strlen(heads[i].head);
        for (size_t n = 0; n < length; n++)
            assert_int_equal(http_of(heads[i].head, n), 0);
        struct bytes bytes = {0};
        bytes_text(&bytes, heads[i].head);
        bytes_hex(&bytes, "81 05 48");
        assert_int_equal(http_of((const char *)bytes.at, bytes.length), length);
        bytes_free(&bytes);
        uint8_t *copy = __real_malloc(length);
        memcpy(copy, heads[i].head, length);
        struct armtap_websocket_head head;
        armtap_websocket_head_read(copy, length, &head);
        __real_free(copy);
        assert_int_equal(head.kind, heads[i].kind);
        assert_int_equal(head.status, heads[i].status);
        assert_int_equal(head.deflate, heads[i].deflate);
    }
}

static void test_no_heads(void **unused)
{
    (void)unused;
    static const char *const none[] = {
        "[",
        "{",
        " ",
        "\r\n",
        "\x81\x05Hello",
        "get / ",
        "GET/ ",
        "GET  HTTP/1.1\r\n",
        "GET / HTTP/2",
        "GET / HTTP/1.1 ",
        "GET / \r\n",
        "GET /\r\n",
        "GET\r\n",
        "G\r\n",
        "GET /\x7f",
        "GET / HTTP/1.\r\n",
        "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\r\r",
        "ABCDEFGHIJKLMNOPQ",
        "HTTP/1.1 10\r\n",
        "HTTP/1.1 1010",
        "HTTP/1.1 2x",
        "HTTP/1.1 200OK",
        "HTTP/1.1  ",
        "GET / HTTP/1.1\r\n: x",
        "GET / HTTP/1.1\r\nName x",
        "GET / HTTP/1.1\r\nName\r\n",
        "GET / HTTP/1.1\r\nName: x\ny",
        "GET / HTTP/1.1\r\nName: \x01",
        "GET / HTTP/1.1\r\n[1,2",
    };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        size_t length = strlen(none[i]);
        if (http_of(none[i], length) != -1)
            fail_msg("taken for a head: %s", none[i]);
        for (size_t n = 0; n < length; n++)
            assert_true(http_of(none[i], n) <= 0);
    }
}

static void test_longest_head(void **unused)
{
    (void)unused;
    for (size_t size = 16383; size <= 16385; size++) {
        struct bytes bytes = {0};
        bytes_text(&bytes, "GET / HTTP/1.1\r\nX: ");
        while (bytes.length < size - 4)
            bytes_text(&bytes, "x");
        bytes_text(&bytes, "\r\n\r\n");
        assert_int_equal(http_of((const char *)bytes.at, bytes.length), size <= 16384 ? (long)size : -1);
        assert_int_equal(http_of((const char *)bytes.at, 16383), size == 16383 ? 16383 : 0);
        bytes_free(&bytes);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void steady(struct armtap_websocket *websocket, const char *frames, int rounds)
{
    struct bytes bytes = {0};
    bytes_hex(&bytes, frames);
    for (int i = 0; i < rounds; i++) {
        struct story story = {0};
        assert_int_equal(take_all(websocket, &bytes, &story), 0);
    }
    bytes_free(&bytes);
}

#define STEADY                                                                                                         \
    HELLO "01 03 48 65 6c 89 00 80 02 6c 6f c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00 "                          \
          "c1 08 f3 48 cd c9 c9 07 00 00 c1 01 07 80 00 "

static void test_steady(void **unused)
{
    long before = memory.held;
    (void)unused;
    struct armtap_websocket websocket;
    armtap_websocket_init(&websocket, LIMIT);
    assert_int_equal(armtap_websocket_held(&websocket), 0);
    steady(&websocket, HELLO, 1);
    size_t allocated = websocket.capacity + malloc_usable_size(websocket.reader);
    assert_in_range(armtap_websocket_held(&websocket), allocated, allocated + 128);
    steady(&websocket, STEADY, 1);
    struct bytes bytes = {0};
    bytes_hex(&bytes, STEADY);
    size_t held = armtap_websocket_held(&websocket);
    unsigned long count = memory.count;
    for (int i = 0; i < 100; i++) {
        struct story story = {0};
        assert_int_equal(take_all(&websocket, &bytes, &story), 0);
    }
    assert_int_equal(memory.count, count);
    assert_int_equal(armtap_websocket_held(&websocket), held);
    assert_in_range(held, 32768, 65536);
    bytes_free(&bytes);
    armtap_websocket_free(&websocket);
    assert_int_equal(memory.held, before);
}

/* A long message is freed with the next frame; its buffer never grows beyond the limit. */
static void test_bound(void **unused)
{
    long held = memory.held;
    (void)unused;
    struct armtap_websocket websocket;
    struct bytes bytes = {0};
    struct story story = {0};
    armtap_websocket_init(&websocket, SIZE_MAX);
    assert_int_equal(websocket.limit, ARMTAP_WEBSOCKET_PAYLOAD_MAX);
    armtap_websocket_init(&websocket, LIMIT);
    steady(&websocket, HELLO, 1);
    size_t small = armtap_websocket_held(&websocket);
    append_frame(&bytes, 0x82, LIMIT, 'x');
    assert_int_equal(take_all(&websocket, &bytes, &story), 0);
    assert_in_range(armtap_websocket_held(&websocket), LIMIT, small + LIMIT + 1);
    steady(&websocket, HELLO, 1);
    assert_int_equal(armtap_websocket_held(&websocket), small);
    bytes.length = 0;
    append_frame(&bytes, 0x02, LIMIT, 'x');
    append_frame(&bytes, 0x00, 1, 'x');
    assert_int_equal(take_all(&websocket, &bytes, &story), 0);
    assert_in_range(armtap_websocket_held(&websocket), 0, small);
    steady(&websocket, "80 00" HELLO, 1);
    steady(&websocket, "c1 73 " BOMB "c1 08 " TAIL, 1);
    assert_in_range(armtap_websocket_held(&websocket), 32768, 65536);
    steady(&websocket, "41 73 " BOMB, 1);
    assert_in_range(armtap_websocket_held(&websocket), 32768, LIMIT + 65536);
    bytes_free(&bytes);
    armtap_websocket_free(&websocket);
    assert_int_equal(memory.held, held);
}

static void test_every_allocation_fails(void **unused)
{
    long before = memory.held;
    (void)unused;
    struct bytes bytes = {0};
    bytes_hex(&bytes, STEADY "41 73 " BOMB "80 08 " TAIL);
    append_frame(&bytes, 0x02, 5000, 'x');
    append_frame(&bytes, 0x80, 50000, 'x');
    bytes_hex(&bytes, HELLO);
    unsigned failures = 0;
    for (int error = ARMTAP_ERR_MEMORY; error; failures++) {
        struct armtap_websocket websocket;
        struct story story = {0};
        long held = memory.held;
        armtap_websocket_init(&websocket, LIMIT);
        memory.fail_at = memory.count + 1 + failures;
        error = take_all(&websocket, &bytes, &story);
        memory.fail_at = 0;
        assert_true(error == 0 || error == ARMTAP_ERR_MEMORY);
        if (error) {
            assert_int_equal(armtap_websocket_held(&websocket), 0);
            assert_int_equal(memory.held, held);
        }
        armtap_websocket_free(&websocket);
        assert_int_equal(memory.held, held);
    }
    assert_in_range(failures, 8, 30);
    bytes_free(&bytes);
    assert_int_equal(memory.held, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_utf8_at_any_place),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_long_fragments),
        cmocka_unit_test(test_frame_lengths),
        cmocka_unit_test(test_not_one_frame),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_no_heads),
        cmocka_unit_test(test_longest_head),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
