/* AUBO's RTDE, TCP 30010 and WebSocket 9013, both directions.
 *
 * Messages are JSON arrays that begin with a number. A client sets up a channel, 0 to 99, for data from the robot or to
 * it: [100,{"chanel":0,"frequency":50.0,"segments":["R1_actual_q"],"to_server":false,"trigger":0}]. Data follow in the
 * order of its segments: [0,[0.0,0.1,0.2,0.3,0.4,0.5]]. The controller sends no replies. On raw TCP, messages follow
 * each other directly or after white space.
 *
 * Source: AUBO's RTDE guide and SDK 0.25.0-rc.4; what separates messages on raw TCP is not documented. */
#include <string.h>

#include "aubo_describe.h"
#include "aubo_session.h"
#include "inside.h"

/* Resumes where `progress` stopped; without it, starts from `scan`, the state before these bytes. */
static enum armtap_aubo_end resume_scan(struct armtap_aubo_progress *progress, struct armtap_aubo_scan scan,
                                        bool strict, const uint8_t *bytes, size_t length, size_t *used)
{
    size_t done = progress && progress->done <= length ? progress->done : 0;
    if (done > 0)
        scan = progress->scan;
    enum armtap_aubo_end end = armtap_aubo_scan(&scan, strict, bytes + done, length - done, used);
    *used += done;
    if (progress && end == ARMTAP_AUBO_MORE)
        *progress = (struct armtap_aubo_progress){.done = length, .scan = scan};
    return end;
}

/* A piece of the rest of a message that is too long. Pieces end at the same bytes, however the bytes arrive. */
static long oversized_frame(const struct armtap_aubo_side *side, const uint8_t *bytes, size_t length)
{
    size_t used, piece = length < ARMTAP_AUBO_PIECE_MAX ? length : ARMTAP_AUBO_PIECE_MAX;
    switch (resume_scan(side->progress, side->scan, false, bytes, piece, &used)) {
    case ARMTAP_AUBO_WHOLE:
        return (long)used;
    case ARMTAP_AUBO_WRONG:
        return used > 0 ? (long)used : -1;
    default:
        return piece == ARMTAP_AUBO_PIECE_MAX ? (long)piece : 0;
    }
}

/* A message after its white space. In step, bytes up to the first wrong one are a frame too: decode() notes the fault.
 */
static long message_frame(struct armtap_aubo_progress *progress, bool in_step, const uint8_t *bytes, size_t length)
{
    struct armtap_aubo_scan begin = {0};
    size_t used, limit = length < ARMTAP_AUBO_MESSAGE_MAX ? length : ARMTAP_AUBO_MESSAGE_MAX;
    if (!in_step && bytes[0] != '{' && armtap_aubo_prefix(bytes, limit, NULL) == ARMTAP_AUBO_WRONG)
        return -1;
    switch (resume_scan(progress, begin, !in_step, bytes, limit, &used)) {
    case ARMTAP_AUBO_WHOLE:
        return (long)used;
    case ARMTAP_AUBO_WRONG:
        return in_step && used > 0 ? (long)used : -1;
    default:
        return limit == ARMTAP_AUBO_MESSAGE_MAX ? (long)limit : 0;
    }
}

static long raw_frame(const struct armtap_aubo_side *side, const uint8_t *bytes, size_t length)
{
    if (side && side->failed)
        return -1;
    if (side && side->oversized)
        return oversized_frame(side, bytes, length);
    bool in_step = side && side->in_step, stays = in_step || (side && side->found);
    size_t blanks = in_step ? armtap_aubo_blanks(bytes, length) : 0; /* a search would count them again at each byte */
    if (blanks == ARMTAP_AUBO_BLANKS_MAX)
        return (long)blanks;
    if (blanks == length)
        return 0;
    if (!in_step && bytes[0] != '[' && !(side && bytes[0] == '{'))
        return -1;
    long frame = message_frame(stays ? side->progress : NULL, in_step, bytes + blanks, length - blanks);
    return frame > 0 ? (long)blanks + frame : frame;
}

/* The form of a direction; if unknown, that of the other direction. */
static enum armtap_aubo_form form_of(const struct armtap_aubo *aubo, enum armtap_direction direction)
{
    if (!aubo)
        return ARMTAP_AUBO_UNKNOWN;
    enum armtap_aubo_form form = aubo->sides[direction].form, other = aubo->sides[!direction].form;
    if (form != ARMTAP_AUBO_UNKNOWN)
        return form;
    return other == ARMTAP_AUBO_OPAQUE ? ARMTAP_AUBO_WEB : other;
}

static void reset_progress(struct armtap_aubo_side *side)
{
    *side->progress = (struct armtap_aubo_progress){.done = 0};
}

/* Whether an HTTP head begins here that needs more bytes. */
static bool is_partial_head(struct armtap_aubo_progress *progress, enum armtap_aubo_form form,
                            enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    return (form == ARMTAP_AUBO_UNKNOWN || form == ARMTAP_AUBO_WEB) &&
           armtap_aubo_web_is_head(direction, bytes, length) &&
           armtap_websocket_http_on(bytes, length, &progress->head) == 0;
}

static long frame_of(const struct armtap_aubo *aubo, enum armtap_direction direction, const uint8_t *bytes,
                     size_t length)
{
    enum armtap_aubo_form form = form_of(aubo, direction);
    if (aubo && aubo->sides[direction].in_step &&
        is_partial_head(aubo->sides[direction].progress, form, direction, bytes, length))
        return 0;
    switch (form) {
    case ARMTAP_AUBO_OPAQUE:
        return -1;
    case ARMTAP_AUBO_WEB:
        return armtap_aubo_web_piece(&aubo->sides[direction], direction, bytes, length);
    case ARMTAP_AUBO_RAW:
        return raw_frame(&aubo->sides[direction], bytes, length);
    default:
        break;
    }
    if (length > 0 && bytes[0] == ARMTAP_AUBO_COMPRESSED_FRAME)
        return armtap_aubo_web_frame(direction, bytes, length);
    switch (armtap_aubo_looks_like_web(direction, bytes, length)) {
    case ARMTAP_AUBO_WHOLE:
        return armtap_aubo_web_frame(direction, bytes, length);
    case ARMTAP_AUBO_MORE:
        return 0;
    default:
        return raw_frame(aubo ? &aubo->sides[direction] : NULL, bytes, length);
    }
}

static long aubo_frame(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    const struct armtap_aubo *aubo = context;
    long frame = frame_of(aubo, direction, bytes, length);
    if (aubo)
        aubo->sides[direction].progress->begun = frame >= 0 && length < ARMTAP_AUBO_MESSAGE_MAX;
    return frame;
}

/* A search skips white space: a message begins with its bracket. */
static size_t aubo_next(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                        size_t at)
{
    bool is_raw = form_of(context, direction) == ARMTAP_AUBO_RAW;
    at++;
    while (is_raw && at < length && bytes[at] != '[' && bytes[at] != '{')
        at++;
    return at;
}

/* Whether the message has a channel with a known recipe, and as many values as that recipe. */
static bool fits_channel(const struct armtap_aubo *aubo, enum armtap_direction direction, const uint8_t *message,
                         size_t length)
{
    struct armtap_aubo_scan scan = {0};
    unsigned number;
    size_t used;
    if (!aubo || armtap_aubo_prefix(message, length, &number) != ARMTAP_AUBO_WHOLE || number >= ARMTAP_AUBO_CHANNELS)
        return false;
    const struct armtap_aubo_side *side = &aubo->sides[direction];
    const struct armtap_recipe *recipe = number < side->channel_count ? side->channels[number].recipe : NULL;
    return recipe && armtap_aubo_scan(&scan, true, message, length, &used) == ARMTAP_AUBO_WHOLE &&
           scan.commas == recipe->count;
}

/* Whether a whole frame is a set-up, which nothing else looks like. */
static bool is_set_up(enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    size_t blanks = armtap_aubo_blanks(frame, length);
    return direction == ARMTAP_TO_ROBOT &&
           (armtap_aubo_set_up_prefix(frame + blanks, length - blanks) == ARMTAP_AUBO_WHOLE ||
            armtap_aubo_web_holds(frame, length, true));
}

static unsigned aubo_sure(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length)
{
    const struct armtap_aubo *aubo = context;
    size_t blanks = armtap_aubo_blanks(frame, length);
    return aubo->sides[direction].in_step || is_set_up(direction, frame, length) ||
           fits_channel(aubo, direction, frame + blanks, length - blanks) ||
           armtap_aubo_looks_like_web(direction, frame, length) == ARMTAP_AUBO_WHOLE ||
           (form_of(aubo, direction) == ARMTAP_AUBO_WEB && armtap_aubo_web_is_head(direction, frame, length));
}

static enum armtap_fit fit_of(enum armtap_aubo_end end)
{
    return end == ARMTAP_AUBO_WHOLE ? ARMTAP_FIT_YES : end == ARMTAP_AUBO_MORE ? ARMTAP_FIT_MORE : ARMTAP_FIT_NO;
}

/* Whether another message follows, and the beginning of a third. A list inside a message is followed by a comma or a
 * bracket, inside a string by a quote. */
static enum armtap_fit raw_follows(enum armtap_direction direction, const uint8_t *frame, size_t length,
                                   const uint8_t *next, size_t available)
{
    struct armtap_aubo_scan scan = {0};
    size_t used, blanks = armtap_aubo_blanks(frame, length), between = armtap_aubo_blanks(next, available);
    if (blanks == length || length - blanks == ARMTAP_AUBO_MESSAGE_MAX || between == ARMTAP_AUBO_BLANKS_MAX)
        return ARMTAP_FIT_NO;
    next += between;
    available -= between;
    if (available > ARMTAP_AUBO_MESSAGE_MAX)
        available = ARMTAP_AUBO_MESSAGE_MAX;
    enum armtap_aubo_end end = armtap_aubo_prefix(next, available, NULL);
    if (end == ARMTAP_AUBO_WHOLE && is_set_up(direction, next, available))
        return ARMTAP_FIT_YES;
    if (end == ARMTAP_AUBO_WHOLE)
        end = armtap_aubo_scan(&scan, true, next, available, &used);
    if (end == ARMTAP_AUBO_MORE && available == ARMTAP_AUBO_MESSAGE_MAX)
        return ARMTAP_FIT_NO;
    if (end != ARMTAP_AUBO_WHOLE)
        return fit_of(end);
    if (used == available)
        return ARMTAP_FIT_MORE;
    return armtap_aubo_blanks(next + used, 1) == 1 || next[used] == '[' ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

static enum armtap_fit aubo_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                    size_t length, const uint8_t *next, size_t available)
{
    size_t blanks = armtap_aubo_blanks(frame, length);
    if (is_set_up(direction, frame, length))
        return ARMTAP_FIT_WELL;
    if (armtap_aubo_web_holds(frame, length, false))
        return ARMTAP_FIT_YES;
    if (armtap_aubo_web_is_upgrade(direction, frame, length))
        return available == 0 ? ARMTAP_FIT_MORE : fit_of(armtap_aubo_looks_like_web(direction, next, available));
    if (form_of(context, direction) == ARMTAP_AUBO_WEB || frame[0] == ARMTAP_AUBO_COMPRESSED_FRAME)
        return ARMTAP_FIT_NO;
    enum armtap_fit fit = raw_follows(direction, frame, length, next, available);
    bool fits = fit == ARMTAP_FIT_YES && fits_channel(context, direction, frame + blanks, length - blanks);
    return fits ? ARMTAP_FIT_WELL : fit;
}

/* Whether a whole text frame that holds a set-up begins here. */
static bool web_sets_up(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    long frame = direction == ARMTAP_TO_ROBOT ? armtap_websocket_frame(bytes, length) : -1;
    return frame > 0 && (size_t)frame <= length && armtap_aubo_web_holds(bytes, (size_t)frame, true);
}

/* Any WebSocket begins with an upgrade; only AUBO's continues with a set-up. */
static enum armtap_fit web_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    enum armtap_aubo_end end = armtap_aubo_looks_like_web(direction, bytes, length);
    long frame = end == ARMTAP_AUBO_WHOLE ? armtap_aubo_web_frame(direction, bytes, length) : -1;
    if (end != ARMTAP_AUBO_WHOLE)
        return fit_of(end);
    if ((size_t)frame > length)
        return ARMTAP_FIT_MORE;
    if (web_sets_up(direction, bytes, length))
        return ARMTAP_FIT_WELL;
    if (!armtap_aubo_web_is_upgrade(direction, bytes, (size_t)frame))
        return ARMTAP_FIT_NO;
    return web_sets_up(direction, bytes + frame, length - (size_t)frame) ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
}

static enum armtap_fit aubo_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    unsigned number;
    if (length == 0)
        return ARMTAP_FIT_MORE;
    if (bytes[0] != '[')
        return web_begins(direction, bytes, length);
    enum armtap_aubo_end end = armtap_aubo_prefix(bytes, length, &number);
    if (end != ARMTAP_AUBO_WHOLE)
        return fit_of(end);
    if (number < ARMTAP_AUBO_CHANNELS)
        return ARMTAP_FIT_MAYBE;
    if (direction == ARMTAP_FROM_ROBOT)
        return ARMTAP_FIT_NO;
    end = armtap_aubo_set_up_prefix(bytes, length);
    return end == ARMTAP_AUBO_WHOLE ? ARMTAP_FIT_WELL : fit_of(end);
}

/* AUBO's JSON-RPC service uses one of UR's ports. */
static const char *aubo_stranger(const uint8_t *bytes, size_t length)
{
    static const char key[] = "\"jsonrpc\"";
    size_t at = armtap_aubo_blanks(bytes, length);
    if (armtap_aubo_holds_compressed(bytes, length))
        return "a compressed WebSocket that began before the capture, which cannot be decoded";
    if (at == length || bytes[at] != '{')
        return NULL;
    for (; at + sizeof key - 1 <= length; at++)
        if (memcmp(bytes + at, key, sizeof key - 1) == 0)
            return "AUBO's JSON-RPC, whose telemetry is on ports 30010 and 9013";
    return NULL;
}

static int skip_oversized(struct armtap_aubo_side *side, const struct armtap_frame *frame)
{
    size_t used;
    side->oversized = armtap_aubo_scan(&side->scan, false, frame->bytes, frame->length, &used) == ARMTAP_AUBO_MORE;
    return ARMTAP_OK;
}

/* A piece that is not a whole message: the beginning of one that is too long, or the bytes before a wrong one. */
static int decode_piece(struct armtap_aubo_side *side, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_aubo_scan *scan, size_t length)
{
    uint64_t offset = frame->offset + frame->length - length;
    side->oversized = length == ARMTAP_AUBO_MESSAGE_MAX;
    if (side->oversized) {
        side->scan = *scan;
        return armtap_aubo_say_too_long(conn, frame, offset);
    }
    side->in_step = false;
    side->failed = true;
    return armtap_aubo_say_bad(conn, frame,
                               scan->in_string
                                   ? "a control character inside a string"
                                   : "mismatched or too deeply nested brackets, or a byte that JSON does not allow",
                               frame->offset + frame->length);
}

static int raw_decode(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_aubo_side *side = &aubo->sides[frame->direction];
    struct armtap_aubo_scan scan = {0};
    struct armtap_json_token message;
    size_t used, elements, blanks = armtap_aubo_blanks(frame->bytes, frame->length);
    const uint8_t *text = frame->bytes + blanks;
    size_t length = frame->length - blanks;
    int error;
    if (side->oversized)
        return skip_oversized(side, frame);
    if (length == 0)
        return ARMTAP_OK;
    if (armtap_aubo_known_data(aubo, conn, frame, text, length, &error))
        return error;
    if (armtap_aubo_is_json(text, length, &message, &elements))
        return armtap_aubo_message(aubo, conn, frame, &message, elements, frame->offset + blanks);
    if (armtap_aubo_scan(&scan, false, text, length, &used) != ARMTAP_AUBO_WHOLE)
        return decode_piece(side, conn, frame, &scan, length);
    return armtap_aubo_say_not_json(conn, frame, text, length, frame->offset + blanks);
}

static int aubo_decode(void *context, struct armtap_conn *conn, const struct armtap_frame *frame)
{
    struct armtap_aubo *aubo = context;
    struct armtap_aubo_side *side = &aubo->sides[frame->direction];
    enum armtap_aubo_form form = form_of(aubo, frame->direction);
    if (form == ARMTAP_AUBO_UNKNOWN)
        form = frame->bytes[0] == ARMTAP_AUBO_COMPRESSED_FRAME ||
                       armtap_aubo_looks_like_web(frame->direction, frame->bytes, frame->length) == ARMTAP_AUBO_WHOLE
                   ? ARMTAP_AUBO_WEB
                   : ARMTAP_AUBO_RAW;
    side->form = form;
    side->in_step = true;
    side->found = false;
    reset_progress(side);
    if (armtap_conn_stream(conn)->generation == ARMTAP_GENERATION_UNKNOWN)
        armtap_conn_version(conn, 0, ARMTAP_GENERATION_AUBO);
    int error = form == ARMTAP_AUBO_WEB ? armtap_aubo_web_decode(aubo, conn, frame) : raw_decode(aubo, conn, frame);
    armtap_conn_claim(
        conn, aubo->recipe_bytes + aubo->cells.capacity + aubo->reader.capacity +
                  (aubo->sides[0].channel_count + aubo->sides[1].channel_count) * sizeof(struct armtap_aubo_channel) +
                  armtap_websocket_held(&aubo->sides[0].websocket) + armtap_websocket_held(&aubo->sides[1].websocket));
    return error;
}

/* White space at the end of a stream is no loss; part of a message is. */
static int aubo_rest(void *context, struct armtap_conn *conn, const struct armtap_frame *frame, bool *used)
{
    (void)context;
    (void)conn;
    *used = armtap_aubo_blanks(frame->bytes, frame->length) == frame->length;
    return ARMTAP_OK;
}

static void aubo_starts(void *context, enum armtap_direction direction)
{
    struct armtap_aubo *aubo = context;
    aubo->sides[direction].in_step = true;
}

/* Until the next bytes are decoded or lost, frame() is called with the first of them. */
static void aubo_found(void *context, enum armtap_direction direction)
{
    struct armtap_aubo *aubo = context;
    aubo->sides[direction].found = true;
    reset_progress(&aubo->sides[direction]);
}

static int aubo_lost(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap)
{
    struct armtap_aubo *aubo = context;
    struct armtap_aubo_side *side = &aubo->sides[here->direction];
    bool was_in_step = side->in_step, ends = !gap && side->progress->begun;
    side->in_step = side->found = side->oversized = side->failed = false;
    reset_progress(side);
    enum armtap_aubo_form form = form_of(aubo, here->direction);
    if (form == ARMTAP_AUBO_WEB || form == ARMTAP_AUBO_OPAQUE)
        return armtap_aubo_web_lost(aubo, conn, here, gap, ends);
    if (gap || !was_in_step)
        return ARMTAP_OK;
    return armtap_aubo_say_bad(conn, here, "bytes that do not begin a message", here->offset);
}

static bool is_steady(const struct armtap_aubo_side *side)
{
    return !side->websocket.inflater && side->websocket.state == ARMTAP_WEBSOCKET_BETWEEN;
}

/* Compressed messages refer to those before them. */
static bool aubo_steady(const void *context)
{
    const struct armtap_aubo *aubo = context;
    return is_steady(&aubo->sides[0]) && is_steady(&aubo->sides[1]);
}

const char *armtap_aubo_libraries(void)
{
    return armtap_websocket_libraries();
}

const struct armtap_decoder armtap_decoder_aubo = {
    .info = {ARMTAP_AUBO_INFO},
    .context_size = sizeof(struct armtap_aubo),
    .common = true,
    .open = armtap_aubo_open,
    .close = armtap_aubo_close,
    .starts = aubo_starts,
    .found = aubo_found,
    .frame = aubo_frame,
    .next = aubo_next,
    .sure = aubo_sure,
    .follows = aubo_follows,
    .begins = aubo_begins,
    .shows = armtap_aubo_shows,
    .decode = aubo_decode,
    .rest = aubo_rest,
    .lost = aubo_lost,
    .stranger = aubo_stranger,
    .steady = aubo_steady,
    .describe = armtap_aubo_describe,
    .identify = armtap_aubo_identify,
};
