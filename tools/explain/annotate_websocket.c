/* WebSockets for people: the head of HTTP line by line, a frame's header bit by bit, and what it carries. */
#include "annotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FIN 0x80
#define RSV 0x70
#define COMPRESSED 0x40
#define OPCODE 0x0f
#define MASKED 0x80
#define LENGTH 0x7f
#define IN_TWO 126
#define INFLATED_MAX (1024 * 1024)

enum { CONTINUED = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

static const char *opcode_name(unsigned opcode)
{
    static const char *const names[] = {[CONTINUED] = "continuation",
                                        [TEXT] = "text",
                                        [BINARY] = "binary",
                                        [CLOSE] = "close",
                                        [PING] = "ping",
                                        [PONG] = "pong"};
    const char *name = opcode < sizeof names / sizeof *names ? names[opcode] : NULL;
    return name ? name : "reserved";
}

/* ---- the head -------------------------------------------------------------------------------------------------- */

static bool is_head(const uint8_t *bytes, size_t length)
{
    return (length >= 4 && memcmp(bytes, "GET ", 4) == 0) || (length >= 5 && memcmp(bytes, "HTTP/", 5) == 0);
}

static size_t head_length(const uint8_t *bytes, size_t length)
{
    for (size_t i = 4; i <= length; i++)
        if (memcmp(bytes + i - 4, "\r\n\r\n", 4) == 0)
            return i;
    return length;
}

static void take_line(const struct subject *subject, struct pieces *pieces, size_t at, size_t end)
{
    const char *text = (const char *)subject->bytes + at, *colon;
    size_t length = end - at;
    char field[PIECE_FIELD_MAX];
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    if (length == 0) {
        pieces_add(pieces, at, end - at, "end of the head");
        return;
    }
    colon = at == 0 ? NULL : memchr(text, ':', length);
    if (!colon) {
        snprintf(field, sizeof field, at > 0 ? "line" : text[0] == 'G' ? "request" : "status");
        piece_set_text(pieces_add(pieces, at, end - at, field), text, length);
        return;
    }
    size_t name = (size_t)(colon - text), from = name + 1;
    snprintf(field, sizeof field, "%.*s", (int)(name < PIECE_FIELD_MAX ? name : PIECE_FIELD_MAX - 1), text);
    while (from < length && text[from] == ' ')
        from++;
    piece_set_text(pieces_add(pieces, at, end - at, field), text + from, length - from);
}

static void take_head(const struct subject *subject, struct pieces *pieces)
{
    for (size_t at = 0; at < subject->length;) {
        const uint8_t *end = memchr(subject->bytes + at, '\n', subject->length - at);
        size_t next = end ? (size_t)(end - subject->bytes) + 1 : subject->length;
        take_line(subject, pieces, at, next);
        at = next;
    }
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

struct frame {
    unsigned opcode;
    bool fin, compressed, masked;
    size_t header;  /* bytes */
    size_t payload; /* bytes, as the header says */
};

/* False where the header is not whole, or no frame begins so. */
static bool read_header(const uint8_t *bytes, size_t length, struct frame *frame)
{
    if (length < 2)
        return false;
    *frame = (struct frame){
        bytes[0] & OPCODE, (bytes[0] & FIN) != 0, (bytes[0] & COMPRESSED) != 0, (bytes[1] & MASKED) != 0, 2,
        bytes[1] & LENGTH};
    size_t more = frame->payload < IN_TWO ? 0 : frame->payload == IN_TWO ? 2 : 8;
    frame->header += more + (frame->masked ? 4 : 0);
    if (length < frame->header || strcmp(opcode_name(frame->opcode), "reserved") == 0 ||
        (bytes[0] & RSV & ~COMPRESSED) != 0)
        return false;
    if (more > 0)
        frame->payload = (size_t)annotate_integer(bytes + 2, more);
    return frame->payload < SIZE_MAX / 2;
}

size_t annotate_web_length(const uint8_t *bytes, size_t length)
{
    struct frame frame;
    if (is_head(bytes, length))
        return head_length(bytes, length);
    return read_header(bytes, length, &frame) ? frame.header + frame.payload : 0;
}

static void take_header(const struct subject *subject, const struct frame *frame, struct pieces *pieces)
{
    const uint8_t *bytes = subject->bytes;
    size_t mask = frame->masked ? 4 : 0;
    pieces_add_number(pieces, 0, 1, "opcode", frame->opcode);
    pieces_remark(pieces, "%s%s%s", opcode_name(frame->opcode),
                  frame->fin ? ", fin: the end of a message" : ", more follow",
                  frame->compressed ? ", compressed" : "");
    pieces_add_number(pieces, 1, 1, "length", bytes[1] & LENGTH);
    pieces_remark(pieces, "%s%s", frame->header - mask > 2 ? "it follows" : "bytes", frame->masked ? ", masked" : "");
    if (frame->header - mask > 2) {
        pieces_add_number(pieces, 2, frame->header - mask - 2, "extended length", frame->payload);
        pieces_remark(pieces, "bytes");
    }
    if (frame->masked) {
        pieces_add(pieces, frame->header - 4, 4, "masking key");
        pieces_remark(pieces, "each byte of the payload is XORed with one of these");
    }
}

/* The payload as it was before it was masked; NULL without memory. */
static const uint8_t *unmask(const struct subject *subject, const struct frame *frame, size_t length,
                             struct pieces *pieces)
{
    const uint8_t *payload = subject->bytes + frame->header;
    if (!frame->masked || length == 0)
        return payload;
    uint8_t *plain = pieces_keep(pieces, malloc(length));
    for (size_t i = 0; plain && i < length; i++)
        plain[i] = payload[i] ^ subject->bytes[frame->header - 4 + i % 4];
    return plain;
}

/* A message that refers to none before it. Returns its length, 0 where it does, or is damaged. */
static size_t inflate_alone(const uint8_t *bytes, size_t length, struct pieces *pieces, const uint8_t **plain)
{
    static const uint8_t tail[4] = {0, 0, 0xff, 0xff};
    uint8_t *in = malloc(length + sizeof tail), *out = pieces_keep(pieces, malloc(INFLATED_MAX));
    z_stream stream = {
        .next_in = in, .avail_in = (uInt)(length + sizeof tail), .next_out = out, .avail_out = INFLATED_MAX};
    size_t count = 0;
    if (in && out && length <= INFLATED_MAX && inflateInit2(&stream, -15) == Z_OK) {
        memcpy(in, bytes, length);
        memcpy(in + length, tail, sizeof tail);
        int outcome = inflate(&stream, Z_SYNC_FLUSH);
        if ((outcome == Z_OK || outcome == Z_STREAM_END) && stream.avail_in == 0)
            count = INFLATED_MAX - stream.avail_out;
        inflateEnd(&stream);
    }
    free(in);
    *plain = out;
    return count;
}

static void take_control(const struct frame *frame, const uint8_t *plain, size_t length, struct pieces *pieces)
{
    size_t at = frame->header, code = frame->opcode == CLOSE && length >= 2 ? 2 : 0;
    if (code > 0)
        pieces_add_number(pieces, at, code, "code", annotate_integer(plain, code));
    if (length > code)
        piece_set_text(pieces_add(pieces, at + code, length - code, frame->opcode == CLOSE ? "reason" : "payload"),
                       (const char *)plain + code, length - code);
}

/* What a frame brings to its end, where its bytes do not show it: behind them. */
static void take_content(const struct subject *subject, const struct frame *frame, size_t length,
                         const uint8_t *content, size_t content_length, struct pieces *pieces)
{
    const struct annotate_text text = {(const char *)content, content_length, subject->length, true};
    if (length > 0) {
        pieces_add(pieces, frame->header, length, "payload");
        pieces_remark(pieces, "%s%s; %zu bytes of text as a whole:", frame->compressed ? "compressed" : "",
                      frame->opcode == CONTINUED ? "the end of a message in parts" : "", content_length);
    }
    piece_set_text(pieces_add(pieces, subject->length, 0, "text"), (const char *)content, content_length);
    annotate_list(subject, &text, pieces);
}

static void take_data(const struct subject *subject, const struct frame *frame, const uint8_t *plain, size_t length,
                      struct pieces *pieces)
{
    const struct annotate_text text = {(const char *)plain, length, frame->header, false};
    const uint8_t *inflated;
    size_t inflated_length;
    bool is_whole = frame->fin && frame->opcode != CONTINUED && length == frame->payload;
    if (is_whole && !frame->compressed) {
        annotate_list(subject, &text, pieces);
    } else {
        if (subject->content) {
            take_content(subject, frame, length, subject->content, subject->content_length, pieces);
        } else if (is_whole && (inflated_length = inflate_alone(plain, length, pieces, &inflated)) > 0) {
            take_content(subject, frame, length, inflated, inflated_length, pieces);
        } else if (length > 0) {
            pieces_add(pieces, frame->header, length, "payload");
            pieces_remark(pieces, is_whole ? "compressed; it refers to messages before it, or is damaged"
                                  : length < frame->payload ? "cut"
                                                            : "a part of a message; its last frame shows it whole");
        }
    }
}

const char *annotate_web(const struct subject *subject, struct pieces *pieces, const char **why)
{
    struct frame frame;
    *why = "no text of JSON";
    if (is_head(subject->bytes, subject->length)) {
        take_head(subject, pieces);
        return "HTTP head";
    }
    if (!read_header(subject->bytes, subject->length, &frame))
        return "bytes";
    size_t here = subject->length - frame.header, length = here < frame.payload ? here : frame.payload;
    const uint8_t *plain = unmask(subject, &frame, length, pieces);
    take_header(subject, &frame, pieces);
    if (!plain)
        pieces->failed = true;
    else if (frame.opcode >= CLOSE)
        take_control(&frame, plain, length, pieces);
    else
        take_data(subject, &frame, plain, length, pieces);
    return "WebSocket frame";
}
