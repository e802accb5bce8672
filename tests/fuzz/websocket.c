/* WebSocket: heads and frames get the same length from any prefix; messages stay within their limit, and memory stays
 * bounded. Every frame is a block of its own. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "../../decoders/websocket.h"

#define HELD_MAX 131072u /* the window, the inflater, wslay's buffer, and a message of the limit below */

/* The same for every prefix: more bytes are needed until the length is known. */
static void check_beginnings(long (*ask)(const uint8_t *bytes, size_t length), const uint8_t *bytes, size_t length)
{
    long before = 0;
    for (size_t n = 0; n <= length && n < 300; n++) {
        uint8_t *part = copy_of(bytes, n);
        long told = ask(part, n);
        free(part);
        CHECK(told >= -1 && (before == 0 || told == before));
        before = told;
    }
}

static void check_head(const uint8_t *bytes, size_t length)
{
    struct armtap_websocket_head head;
    long told = armtap_websocket_http(bytes, length);
    check_beginnings(armtap_websocket_http, bytes, length);
    CHECK(told >= -1 && told <= (long)length && told <= (long)ARMTAP_WEBSOCKET_HEAD_MAX);
    if (told <= 0)
        return;
    uint8_t *copy = copy_of(bytes, (size_t)told);
    armtap_websocket_head_read(copy, (size_t)told, &head);
    CHECK(head.status <= 999);
    CHECK(head.kind != ARMTAP_WEBSOCKET_ANSWER || head.status == 101);
    CHECK(head.kind != ARMTAP_WEBSOCKET_REQUEST || head.status == 0);
    free(copy);
}

static void check_event(const struct armtap_websocket_event *event, size_t limit)
{
    CHECK((event->fault != NULL) == (event->kind == ARMTAP_WEBSOCKET_BAD));
    CHECK(!event->bytes || event->bytes[event->length] == '\0');
    CHECK(event->kind != ARMTAP_WEBSOCKET_MESSAGE || (event->bytes && event->length <= limit));
    if (event->kind >= ARMTAP_WEBSOCKET_PING)
        CHECK(event->bytes && event->length <= 125);
}

FUZZ_TARGET(websocket)
{
    struct input input = {data, data + size};
    size_t limit = input_two(&input);
    size_t length = input_left(&input);
    const uint8_t *bytes = input_bytes(&input, &length);
    struct armtap_websocket websocket;
    struct armtap_websocket_event event;
    long frame;
    check_head(bytes, length);
    armtap_websocket_init(&websocket, limit);
    for (size_t at = 0; at < length; at += (size_t)frame) {
        frame = armtap_websocket_frame(bytes + at, length - at);
        check_beginnings(armtap_websocket_frame, bytes + at, length - at < 16 ? length - at : 16);
        if (frame <= 0 || (size_t)frame > length - at)
            break;
        uint8_t *copy = copy_of(bytes + at, (size_t)frame);
        CHECK(armtap_websocket_take(&websocket, copy, (size_t)frame, &event) == 0);
        free(copy);
        check_event(&event, limit);
        CHECK(armtap_websocket_held(&websocket) <= HELD_MAX);
    }
    armtap_websocket_free(&websocket);
    CHECK(armtap_websocket_held(&websocket) == 0);
    return 0;
}
