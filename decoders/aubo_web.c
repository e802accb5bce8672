#include "aubo_session.h"

#include <string.h>

#define TEXT_FRAME 0x81 /* first byte of a frame with a whole text */
#define BLOCK_TYPE 0x06 /* bits of the first byte of deflated data; both set: invalid */
#define COMPRESSED 0x40 /* of the first byte */
#define MASKED 0x80     /* of the second byte */
#define SHORT_LENGTH 0x7f
#define LENGTH_IN_TWO 126
#define OVERSIZED_MAX UINT32_MAX /* bytes of a frame; a longer one is damage */
#define PEEKED 64                /* bytes of a message unmasked to see its beginning */

/* Codes of a normal close. */
#define CLOSED_NORMALLY 1000
#define GOING_AWAY 1001

/* ---- recognising ---- */

bool armtap_aubo_web_is_head(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    const char *begins = direction == ARMTAP_TO_ROBOT ? "GET " : "HTTP/";
    size_t wanted = strlen(begins);
    return memcmp(bytes, begins, length < wanted ? length : wanted) == 0;
}

/* Length of a frame's header, from its first two bytes. */
static size_t header_length(const uint8_t *frame)
{
    unsigned length = frame[1] & SHORT_LENGTH;
    return 2u + (length == LENGTH_IN_TWO ? 2u : length > LENGTH_IN_TWO ? 8u : 0u) + (frame[1] & MASKED ? 4u : 0u);
}

/* Unmasks the first bytes of a payload; returns how many. */
static size_t peek(const uint8_t *frame, size_t length, uint8_t text[PEEKED])
{
    size_t header = header_length(frame), count = 0;
    for (; count < PEEKED && header + count < length; count++)
        text[count] = frame[header + count] ^ (frame[1] & MASKED ? frame[header - 4 + count % 4] : 0);
    return count;
}

bool armtap_aubo_web_is_upgrade(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    struct armtap_websocket_head head;
    long whole = armtap_aubo_web_is_head(direction, bytes, length) ? armtap_websocket_http(bytes, length) : -1;
    if (whole <= 0 || (size_t)whole > length)
        return false;
    armtap_websocket_head_read(bytes, (size_t)whole, &head);
    return head.kind == (direction == ARMTAP_TO_ROBOT ? ARMTAP_WEBSOCKET_REQUEST : ARMTAP_WEBSOCKET_ANSWER);
}

enum armtap_aubo_end armtap_aubo_looks_like_web(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    uint8_t text[PEEKED];
    if (armtap_aubo_web_is_head(direction, bytes, length)) {
        long head = armtap_websocket_http(bytes, length);
        if (head == 0)
            return ARMTAP_AUBO_MORE;
        return armtap_aubo_web_is_upgrade(direction, bytes, length) ? ARMTAP_AUBO_WHOLE : ARMTAP_AUBO_WRONG;
    }
    if (bytes[0] != TEXT_FRAME)
        return ARMTAP_AUBO_WRONG;
    if (length < 2 || length <= header_length(bytes))
        return ARMTAP_AUBO_MORE;
    return armtap_websocket_frame(bytes, length) < 0 ? ARMTAP_AUBO_WRONG
                                                     : armtap_aubo_prefix(text, peek(bytes, length, text), NULL);
}

long armtap_aubo_web_frame(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    return armtap_aubo_web_is_head(direction, bytes, length) ? armtap_websocket_http(bytes, length)
                                                             : armtap_websocket_frame(bytes, length);
}

/* Whether the header of a frame that is too long begins here; sets *payload to the payload's length. */
static bool is_oversized(const uint8_t *bytes, size_t length, long *header, uint64_t *payload)
{
    *header = armtap_websocket_header(bytes, length, payload);
    return *header > 0 && *payload > ARMTAP_WEBSOCKET_PAYLOAD_MAX && *payload <= OVERSIZED_MAX;
}

long armtap_aubo_web_piece(const struct armtap_aubo_side *side, enum armtap_direction direction, const uint8_t *bytes,
                           size_t length)
{
    long header;
    uint64_t payload;
    if (side->oversized_left > 0)
        return side->oversized_left < ARMTAP_AUBO_PIECE_MAX ? (long)side->oversized_left : (long)ARMTAP_AUBO_PIECE_MAX;
    if (side->in_step && !armtap_aubo_web_is_head(direction, bytes, length) &&
        is_oversized(bytes, length, &header, &payload))
        return header;
    return armtap_aubo_web_frame(direction, bytes, length);
}

bool armtap_aubo_web_list(const uint8_t *frame, size_t length, bool set_up, unsigned *number, unsigned *commas)
{
    struct armtap_aubo_scan scan = {0};
    uint8_t text[PEEKED];
    size_t used, header;
    if (length < 2 || frame[0] != TEXT_FRAME || (header = header_length(frame)) >= length)
        return false;
    size_t count = peek(frame, length, text);
    enum armtap_aubo_end end = armtap_aubo_prefix(text, count, number);
    if (set_up)
        end = armtap_aubo_set_up_prefix(text, count);
    for (size_t at = header; end == ARMTAP_AUBO_WHOLE && at < length; at++) {
        uint8_t c = frame[at] ^ (frame[1] & MASKED ? frame[header - 4 + (at - header) % 4] : 0);
        end = armtap_aubo_scan(&scan, true, &c, 1, &used);
        *commas = scan.commas;
        if (end == ARMTAP_AUBO_WHOLE)
            return at + 1 == length;
        end = end == ARMTAP_AUBO_MORE ? ARMTAP_AUBO_WHOLE : end;
    }
    return false;
}

bool armtap_aubo_web_holds(const uint8_t *frame, size_t length, bool set_up)
{
    unsigned number, commas;
    return armtap_aubo_web_list(frame, length, set_up, &number, &commas);
}

bool armtap_aubo_web_compressed(enum armtap_direction direction, const uint8_t *frame, size_t header)
{
    bool is_masked = frame[1] & MASKED;
    uint8_t first = frame[header] ^ (is_masked ? frame[header - 4] : 0);
    return frame[0] == ARMTAP_AUBO_COMPRESSED_FRAME && is_masked == (direction == ARMTAP_TO_ROBOT) &&
           (first & BLOCK_TYPE) != BLOCK_TYPE;
}

/* ---- decoding ---- */

static int decode_head(struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_websocket_head head;
    armtap_websocket_head_read(frame->bytes, frame->length, &head);
    if (frame->direction == ARMTAP_TO_ROBOT && head.kind != ARMTAP_WEBSOCKET_REQUEST)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_websocket_bad, ARGS(arg_case(ARMTAP_WORD_no_websocket)));
    if (frame->direction == ARMTAP_FROM_ROBOT && head.kind != ARMTAP_WEBSOCKET_ANSWER)
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_websocket_bad,
                                 ARGS(arg_case(ARMTAP_WORD_refused), arg_status((uint64_t)head.status)));
    return ARMTAP_OK;
}

/* Decodes a whole message; AUBO sends one list in each. */
static int decode_message(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                          const struct armtap_websocket_event *event)
{
    struct armtap_aubo_scan scan = {0};
    struct armtap_json_token message;
    size_t used, elements, blanks = armtap_aubo_blanks(event->bytes, event->length);
    const uint8_t *text = event->bytes + blanks;
    size_t length = event->length - blanks;
    int error;
    if (!event->text)
        return armtap_aubo_say_bad(conn, frame, "a binary message", frame->offset);
    if (armtap_aubo_known_data(aubo, conn, frame, text, length, &error))
        return error;
    if (armtap_aubo_is_json(text, length, &message, &elements))
        return armtap_aubo_message(aubo, conn, frame, &message, elements, frame->offset);
    if (armtap_aubo_scan(&scan, false, text, length, &used) != ARMTAP_AUBO_WHOLE)
        return armtap_aubo_say_bad(conn, frame, "a WebSocket message without a whole list", frame->offset);
    if (used + armtap_aubo_blanks(text + used, length - used) != length)
        return armtap_aubo_say_bad(conn, frame, "a WebSocket message with bytes after its list", frame->offset);
    if (armtap_aubo_is_json(text, used, &message, &elements))
        return armtap_aubo_message(aubo, conn, frame, &message, elements, frame->offset);
    return armtap_aubo_say_not_json(conn, frame, text, used, frame->offset);
}

static int decode_close(struct armtap_aubo_side *side, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_websocket_event *event)
{
    side->form = ARMTAP_AUBO_OPAQUE; /* nothing follows */
    if (event->code == CLOSED_NORMALLY || event->code == GOING_AWAY || event->code == ARMTAP_WEBSOCKET_NO_CODE)
        return ARMTAP_OK;
    return armtap_conn_raise(
        conn, frame, ARMTAP_NOTE_websocket_bad,
        ARGS(arg_case(ARMTAP_WORD_closed), arg_code(event->code), arg_quoted(event->bytes, event->length)));
}

/* Later messages need data that was sent before the capture began. */
static int give_up_compressed(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_aubo_side *side = &aubo->sides[frame->direction];
    side->form = ARMTAP_AUBO_OPAQUE;
    armtap_websocket_free(&side->websocket);
    if (aubo->compressed_noted)
        return ARMTAP_OK;
    aubo->compressed_noted = true;
    return armtap_conn_raise(conn, frame, ARMTAP_NOTE_websocket_bad, ARGS(arg_case(ARMTAP_WORD_compressed)));
}

/* Skips the header or a piece of a frame that is too long; false if this is neither. */
static bool skip_oversized(struct armtap_aubo_side *side, const struct armtap_frame *frame)
{
    long header;
    if (side->oversized_left > 0) {
        side->oversized_left -= frame->length;
        return true;
    }
    if (!is_oversized(frame->bytes, frame->length, &header, &side->oversized_left)) {
        side->oversized_left = 0;
        return false;
    }
    armtap_websocket_pass(&side->websocket, frame->bytes);
    return true;
}

/* Inflates no more than the connection's budget allows. */
static int take_frame(struct armtap_aubo_side *side, struct armtap_conn *conn, const struct armtap_frame *frame,
                      struct armtap_websocket_event *event)
{
    struct armtap_websocket *websocket = &side->websocket;
    bool has = true;
    int error = ARMTAP_OK;
    if (frame->bytes[0] & COMPRESSED && !websocket->inflater)
        error = armtap_conn_may_keep(conn, frame, ARMTAP_WEBSOCKET_INFLATER, &has);
    if (!has)
        *event = (struct armtap_websocket_event){.kind = ARMTAP_WEBSOCKET_SPENT};
    if (error != ARMTAP_OK || !has)
        return error;
    uint64_t before = websocket->inflated, left = armtap_conn_left(conn, ARMTAP_BUDGET_inflated);
    websocket->allowed = before + left;
    error = armtap_websocket_take(websocket, frame->bytes, frame->length, event);
    if (error != ARMTAP_OK)
        return error;
    uint64_t used = websocket->inflated - before;
    error = armtap_conn_spend(conn, frame, ARMTAP_BUDGET_inflated, used < left ? used : left, &has);
    if (error == ARMTAP_OK && event->kind == ARMTAP_WEBSOCKET_SPENT)
        error = armtap_conn_limit(conn, frame, ARMTAP_BUDGET_inflated);
    return error;
}

/* Gives up a direction whose budget is spent. */
static int give_up_spent(struct armtap_aubo_side *side)
{
    side->form = ARMTAP_AUBO_OPAQUE;
    armtap_websocket_free(&side->websocket);
    return ARMTAP_OK;
}

int armtap_aubo_web_decode(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_aubo_side *side = &aubo->sides[frame->direction];
    struct armtap_websocket_event event;
    bool is_inside = side->oversized_left > 0;
    if (!is_inside && armtap_aubo_web_is_head(frame->direction, frame->bytes, frame->length))
        return decode_head(conn, frame);
    if (skip_oversized(side, frame))
        return is_inside ? ARMTAP_OK : armtap_aubo_say_too_long(conn, frame, frame->offset);
    int error = take_frame(side, conn, frame, &event);
    if (error != ARMTAP_OK)
        return error;
    switch (event.kind) {
    case ARMTAP_WEBSOCKET_MESSAGE:
        armtap_conn_content(conn, event.bytes, event.length);
        return decode_message(aubo, conn, frame, &event);
    case ARMTAP_WEBSOCKET_TOO_LONG:
        return armtap_aubo_say_too_long(conn, frame, frame->offset);
    case ARMTAP_WEBSOCKET_SPENT:
        return give_up_spent(side);
    case ARMTAP_WEBSOCKET_BAD:
        if (event.compressed && armtap_conn_stream(conn)->midstream)
            return give_up_compressed(aubo, conn, frame);
        return armtap_conn_raise(conn, frame, ARMTAP_NOTE_websocket_bad,
                                 ARGS(arg_case(ARMTAP_WORD_frame), arg_offset(frame->offset), arg_fault(event.fault)));
    case ARMTAP_WEBSOCKET_CLOSED:
        return decode_close(side, conn, frame, &event);
    default:
        return ARMTAP_OK;
    }
}

int armtap_aubo_web_lost(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *here, bool gap,
                         bool ends)
{
    struct armtap_aubo_side *side = &aubo->sides[here->direction];
    if (side->form == ARMTAP_AUBO_OPAQUE)
        return ARMTAP_OK;
    side->form = ARMTAP_AUBO_OPAQUE;
    side->oversized_left = 0;
    armtap_websocket_free(&side->websocket);
    if (ends)
        return ARMTAP_OK;
    return armtap_conn_raise(conn, here, ARMTAP_NOTE_websocket_bad,
                             ARGS(arg_case(gap ? ARMTAP_WORD_gap : ARMTAP_WORD_no_frame), arg_offset(here->offset)));
}
