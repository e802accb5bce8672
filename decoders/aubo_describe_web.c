#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "aubo_describe.h"
#include "aubo_session.h"

#define FIN 0x80
#define COMPRESSED 0x40
#define OPCODE 0x0f
#define MASKED 0x80
#define LENGTH 0x7f

enum { CONTINUED = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

static const char *const opcode_names[] = {[CONTINUED] = "continuation",
                                           [TEXT] = "text",
                                           [BINARY] = "binary",
                                           [CLOSE] = "close",
                                           [PING] = "ping",
                                           [PONG] = "pong"};

/* ---- the head ---- */

static bool is_head(const uint8_t *bytes, size_t length)
{
    return (length >= 4 && armtap_aubo_web_is_head(ARMTAP_TO_ROBOT, bytes, length)) ||
           (length >= 5 && armtap_aubo_web_is_head(ARMTAP_FROM_ROBOT, bytes, length));
}

static void describe_line(struct armtap_pieces *pieces, size_t at, size_t end)
{
    const char *text = (const char *)pieces->subject->bytes + at, *colon;
    size_t length = end - at;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    if (length == 0) {
        armtap_pieces_add(pieces, at, end - at, "end of the head");
        return;
    }
    colon = at == 0 ? NULL : memchr(text, ':', length);
    if (!colon) {
        armtap_pieces_add(pieces, at, end - at, at > 0 ? "line" : text[0] == 'G' ? "request" : "status");
        armtap_pieces_text(pieces, text, length);
        return;
    }
    size_t name = (size_t)(colon - text), from = name + 1;
    while (from < length && text[from] == ' ')
        from++;
    armtap_pieces_add(pieces, at, end - at, NULL);
    armtap_pieces_name(pieces, text, name);
    armtap_pieces_text(pieces, text + from, length - from);
}

static void describe_head(struct armtap_pieces *pieces)
{
    const struct armtap_subject *subject = pieces->subject;
    for (size_t at = 0; at < subject->length;) {
        const uint8_t *end = memchr(subject->bytes + at, '\n', subject->length - at);
        size_t next = end ? (size_t)(end - subject->bytes) + 1 : subject->length;
        describe_line(pieces, at, next);
        at = next;
    }
}

/* ---- frames ---- */

struct frame {
    unsigned opcode;
    bool fin, compressed, masked;
    size_t header;  /* bytes */
    size_t payload; /* bytes, according to the header */
    size_t here;    /* bytes of the payload present */
};

/* False if the header is incomplete or invalid. */
static bool read_header(const uint8_t *bytes, size_t length, struct frame *frame)
{
    uint64_t payload;
    long header = armtap_websocket_header(bytes, length, &payload);
    if (header <= 0 || (size_t)header > length || payload > SIZE_MAX / 2)
        return false;
    size_t here = length - (size_t)header;
    *frame = (struct frame){.opcode = bytes[0] & OPCODE,
                            .fin = bytes[0] & FIN,
                            .compressed = bytes[0] & COMPRESSED,
                            .masked = bytes[1] & MASKED,
                            .header = (size_t)header,
                            .payload = (size_t)payload,
                            .here = here < payload ? here : (size_t)payload};
    return true;
}

/* The head ends with an empty line. Unlike armtap_websocket_http, accepts a damaged one. */
static size_t head_length(const uint8_t *bytes, size_t length)
{
    for (size_t i = 4; i <= length; i++)
        if (memcmp(bytes + i - 4, "\r\n\r\n", 4) == 0)
            return i;
    return length;
}

size_t armtap_aubo_web_length(const uint8_t *bytes, size_t length)
{
    struct frame frame;
    if (is_head(bytes, length))
        return head_length(bytes, length);
    return read_header(bytes, length, &frame) ? frame.header + frame.payload : 0;
}

static void describe_header(struct armtap_pieces *pieces, const struct frame *frame)
{
    const uint8_t *bytes = pieces->subject->bytes;
    size_t extended = frame->header - 2 - (frame->masked ? 4 : 0);
    armtap_pieces_add(pieces, 0, 1, "opcode");
    armtap_pieces_unsigned(pieces, frame->opcode);
    armtap_pieces_remark(pieces, "%s%s%s", opcode_names[frame->opcode],
                         frame->fin ? ", fin: end of a message" : ", more frames follow",
                         frame->compressed ? ", compressed" : "");
    armtap_pieces_add(pieces, 1, 1, "length");
    armtap_pieces_unsigned(pieces, bytes[1] & LENGTH);
    armtap_pieces_remark(pieces, "%s%s", extended > 0 ? "extended length follows" : "bytes",
                         frame->masked ? ", masked" : "");
    if (extended > 0) {
        armtap_pieces_number(pieces, 2, extended, "extended length");
        armtap_pieces_remark(pieces, "bytes");
    }
    if (frame->masked) {
        armtap_pieces_add(pieces, frame->header - 4, 4, "masking key");
        armtap_pieces_remark(pieces, "each byte of the payload is XORed with one of these");
    }
}

static void describe_control(struct armtap_pieces *pieces, const struct frame *frame, const uint8_t *plain)
{
    size_t at = frame->header, code = frame->opcode == CLOSE && frame->here >= 2 ? 2 : 0;
    if (code > 0) {
        armtap_pieces_add(pieces, at, code, "code");
        armtap_pieces_unsigned(pieces, armtap_be16(plain));
    }
    if (frame->here > code) {
        armtap_pieces_add(pieces, at + code, frame->here - code, frame->opcode == CLOSE ? "reason" : "payload");
        armtap_pieces_text(pieces, plain + code, frame->here - code);
    }
}

/* Adds the message that a frame completes, after the frame, if the frame's own bytes do not show it. */
static void describe_content(struct armtap_pieces *pieces, const struct frame *frame, const uint8_t *content,
                             size_t length)
{
    const struct armtap_aubo_text text = {(const char *)content, length, pieces->subject->length, true};
    if (frame->here > 0) {
        armtap_pieces_add(pieces, frame->header, frame->here, "payload");
        armtap_pieces_remark(pieces, "%s%s; %u bytes of text in total:", frame->compressed ? "compressed" : "",
                             frame->opcode == CONTINUED ? "end of a fragmented message" : "", (uint64_t)length);
    }
    armtap_pieces_add(pieces, pieces->subject->length, 0, "text");
    armtap_pieces_text(pieces, content, length);
    armtap_aubo_describe_list(pieces, &text);
}

/* Describes a compressed message that needs no earlier one. Sets *is_alone to false if it needs one, or is damaged. */
static int describe_inflated(struct armtap_pieces *pieces, const struct frame *frame, bool *is_alone)
{
    struct armtap_websocket websocket;
    struct armtap_websocket_event event;
    armtap_websocket_init(&websocket, ARMTAP_WEBSOCKET_PAYLOAD_MAX);
    websocket.allowed = ARMTAP_WEBSOCKET_PAYLOAD_MAX;
    int error = armtap_websocket_take(&websocket, pieces->subject->bytes, frame->header + frame->payload, &event);
    *is_alone = error == ARMTAP_OK && event.kind == ARMTAP_WEBSOCKET_MESSAGE && event.length > 0;
    if (*is_alone)
        describe_content(pieces, frame, event.bytes, event.length);
    armtap_pieces_end(pieces); /* the last piece points into freed memory otherwise */
    armtap_websocket_free(&websocket);
    return error == ARMTAP_ERR_MEMORY ? error : ARMTAP_OK;
}

static int describe_data(struct armtap_pieces *pieces, const struct frame *frame, const uint8_t *plain)
{
    const struct armtap_subject *subject = pieces->subject;
    const struct armtap_aubo_text text = {(const char *)plain, frame->here, frame->header, false};
    bool is_whole = frame->fin && frame->opcode != CONTINUED && frame->here == frame->payload, is_alone = false;
    if (is_whole && !frame->compressed) {
        armtap_aubo_describe_list(pieces, &text);
        return ARMTAP_OK;
    }
    if (subject->content) {
        describe_content(pieces, frame, subject->content, subject->content_length);
        return ARMTAP_OK;
    }
    int error = is_whole ? describe_inflated(pieces, frame, &is_alone) : ARMTAP_OK;
    if (error == ARMTAP_OK && !is_alone && frame->here > 0) {
        armtap_pieces_add(pieces, frame->header, frame->here, "payload");
        armtap_pieces_remark(pieces, is_whole ? "compressed; it needs earlier messages, or is damaged"
                                     : frame->here < frame->payload
                                         ? "cut"
                                         : "part of a message, which is shown with its last frame");
    }
    return error;
}

/* `plain`: the unmasked payload, as far as present. */
static int describe_frame(struct armtap_pieces *pieces, const struct frame *frame, const uint8_t *plain)
{
    describe_header(pieces, frame);
    if (frame->opcode < CLOSE)
        return describe_data(pieces, frame, plain);
    describe_control(pieces, frame, plain);
    return ARMTAP_OK;
}

static int describe_masked(struct armtap_pieces *pieces, const struct frame *frame)
{
    const uint8_t *payload = pieces->subject->bytes + frame->header;
    uint8_t *plain = malloc(frame->here > 0 ? frame->here : 1);
    if (!plain)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < frame->here; i++)
        plain[i] = payload[i] ^ payload[(ptrdiff_t)(i % 4) - 4];
    int error = describe_frame(pieces, frame, plain);
    armtap_pieces_end(pieces); /* the last piece points into `plain` */
    free(plain);
    return error;
}

int armtap_aubo_describe_web(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    struct frame frame;
    pieces->rest = "not JSON";
    if (is_head(subject->bytes, subject->length)) {
        *kind = "HTTP head";
        describe_head(pieces);
        return ARMTAP_OK;
    }
    if (!read_header(subject->bytes, subject->length, &frame))
        return ARMTAP_OK;
    *kind = "WebSocket frame";
    return frame.masked ? describe_masked(pieces, &frame)
                        : describe_frame(pieces, &frame, subject->bytes + frame.header);
}
