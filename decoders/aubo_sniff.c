/* An array that begins with a small number is common in JSON. AUBO's arrays repeat: the same few channels, each with
 * the same number of values every time. */
#include "aubo_session.h"

#define CHANNELS_MAX 8u      /* in a chain */
#define MESSAGES_MAX 64u     /* in a chain */
#define REPEATS 3u           /* of known channels, in addition to one for each channel */
#define LAST_REPEATS 2u      /* the same at the end of the bytes */
#define MESSAGE_WORK 8u      /* bytes, the cost of a message in addition to its own */
#define COMPRESSED_ENOUGH 5u /* consecutive frames, a dozen bits of evidence each; one less at the end of the bytes */

struct chain {
    unsigned channel[CHANNELS_MAX], commas[CHANNELS_MAX];
    unsigned count;      /* of channels */
    unsigned messages;   /* all */
    unsigned first_seen; /* of the first message's channel */
    unsigned compressed; /* compressed frames */
};

static enum armtap_fit add_message(struct chain *chain, unsigned channel, unsigned commas)
{
    unsigned i = 0;
    while (i < chain->count && chain->channel[i] != channel)
        i++;
    if (i == CHANNELS_MAX || channel >= ARMTAP_AUBO_CHANNELS || (i < chain->count && chain->commas[i] != commas))
        return ARMTAP_FIT_NO;
    if (i == chain->count) {
        chain->channel[chain->count] = channel;
        chain->commas[chain->count++] = commas;
    }
    chain->messages++;
    chain->first_seen += i == 0;
    bool is_enough = chain->first_seen >= 2 && chain->messages - chain->count >= REPEATS + chain->count;
    return is_enough ? ARMTAP_FIT_YES : chain->messages < MESSAGES_MAX ? ARMTAP_FIT_MORE : ARMTAP_FIT_NO;
}

/* Decides at the end of the bytes. */
static enum armtap_fit check_end(const struct chain *chain, bool whole)
{
    bool is_enough = chain->first_seen >= 2 && chain->messages >= 2 * chain->count + LAST_REPEATS;
    if (!whole)
        return ARMTAP_FIT_MORE;
    return is_enough || chain->compressed + 1 >= COMPRESSED_ENOUGH ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

/* Adds one message. MORE: the chain continues after *used bytes; with *used 0 the message is incomplete. */
static enum armtap_fit add_list(struct chain *chain, enum armtap_direction direction, const uint8_t *bytes,
                                size_t length, size_t *used, size_t *work)
{
    struct armtap_aubo_scan scan = {0};
    unsigned channel = 0;
    *used = 0;
    enum armtap_aubo_end end = armtap_aubo_prefix(bytes, length, &channel);
    if (end == ARMTAP_AUBO_WHOLE && channel == ARMTAP_AUBO_SET_UP) {
        end = direction == ARMTAP_TO_ROBOT ? armtap_aubo_set_up_prefix(bytes, length) : ARMTAP_AUBO_WRONG;
        if (end == ARMTAP_AUBO_WHOLE)
            return ARMTAP_FIT_WELL;
    } else if (end == ARMTAP_AUBO_WHOLE) {
        end = armtap_aubo_scan(&scan, true, bytes, length, used);
        *work += *used + MESSAGE_WORK;
    }
    if (end == ARMTAP_AUBO_WHOLE)
        return add_message(chain, channel, scan.commas);
    *used = 0;
    return end == ARMTAP_AUBO_MORE && length < ARMTAP_AUBO_MESSAGE_MAX ? ARMTAP_FIT_MORE : ARMTAP_FIT_NO;
}

static enum armtap_fit raw_shows(enum armtap_direction direction, const uint8_t *bytes, size_t length, bool whole,
                                 size_t *need, size_t *work)
{
    struct chain chain = {.count = 0};
    size_t at = 0, used;
    do {
        enum armtap_fit fit =
            bytes[at] == '[' ? add_list(&chain, direction, bytes + at, length - at, &used, work) : ARMTAP_FIT_NO;
        if (fit != ARMTAP_FIT_MORE)
            return fit;
        at += used;
        at += used > 0 ? armtap_aubo_blanks(bytes + at, length - at) : 0;
    } while (used > 0 && at < length);
    *need = length + 1;
    return check_end(&chain, whole);
}

/* Adds one WebSocket frame. MORE and *used as above; *need if it is incomplete. */
static enum armtap_fit add_frame(struct chain *chain, enum armtap_direction direction, const uint8_t *bytes,
                                 size_t length, size_t *used, size_t *need)
{
    unsigned channel, commas;
    uint64_t payload;
    long header = armtap_websocket_header(bytes, length, &payload), frame = armtap_websocket_frame(bytes, length);
    *used = 0;
    *need = length + 1;
    if (frame <= 0)
        return frame < 0 ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    bool is_control = bytes[0] & 8, is_compressed = bytes[0] & 0x40;
    if (is_compressed && payload < 2)
        return ARMTAP_FIT_NO;
    *need = is_compressed ? (size_t)header + 1 : (size_t)frame;
    if (length < *need)
        return ARMTAP_FIT_MORE;
    *used = (size_t)frame;
    if (is_control)
        return chain->messages + chain->compressed > 0 && !is_compressed ? ARMTAP_FIT_MORE : ARMTAP_FIT_NO;
    if (is_compressed) {
        if (!armtap_aubo_web_compressed(direction, bytes, (size_t)header))
            return ARMTAP_FIT_NO;
        return ++chain->compressed >= COMPRESSED_ENOUGH ? ARMTAP_FIT_YES : ARMTAP_FIT_MORE;
    }
    if (direction == ARMTAP_TO_ROBOT && armtap_aubo_web_holds(bytes, *used, true))
        return ARMTAP_FIT_WELL;
    return armtap_aubo_web_list(bytes, *used, false, &channel, &commas) ? add_message(chain, channel, commas)
                                                                        : ARMTAP_FIT_NO;
}

static enum armtap_fit frames_show(enum armtap_direction direction, const uint8_t *bytes, size_t length, bool whole,
                                   size_t *need)
{
    struct chain chain = {.count = 0};
    size_t at = 0, used = 0;
    for (unsigned i = 0; i < MESSAGES_MAX && at < length; i++, at += used) {
        enum armtap_fit fit = add_frame(&chain, direction, bytes + at, length - at, &used, need);
        if (fit != ARMTAP_FIT_MORE)
            return fit;
        *need += at;
        if (used == 0)
            return check_end(&chain, whole);
    }
    if (at < length)
        return ARMTAP_FIT_NO;
    *need = at + 1;
    return check_end(&chain, whole);
}

/* Checks an upgrade and the bytes after it. */
static enum armtap_fit upgrade_shows(enum armtap_direction direction, const uint8_t *bytes, size_t length, bool whole,
                                     size_t *need)
{
    *need = length + 1;
    enum armtap_aubo_end end = armtap_aubo_looks_like_web(direction, bytes, length);
    if (end == ARMTAP_AUBO_WHOLE) {
        size_t head = (size_t)armtap_aubo_web_frame(direction, bytes, length);
        end = head < length ? armtap_aubo_looks_like_web(direction, bytes + head, length - head) : ARMTAP_AUBO_MORE;
    }
    if (end == ARMTAP_AUBO_MORE)
        return whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    return end == ARMTAP_AUBO_WHOLE ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

static enum armtap_fit any_shows(enum armtap_direction direction, const uint8_t *bytes, size_t length, bool whole,
                                 size_t *need, size_t *work)
{
    switch (bytes[0]) {
    case '[':
        return raw_shows(direction, bytes, length, whole, need, work);
    case 0x81:
    case ARMTAP_AUBO_COMPRESSED_FRAME:
        return frames_show(direction, bytes, length, whole, need);
    case 'G':
    case 'H':
        return armtap_aubo_web_is_head(direction, bytes, length) ? upgrade_shows(direction, bytes, length, whole, need)
                                                                 : ARMTAP_FIT_NO;
    default:
        return ARMTAP_FIT_NO;
    }
}

enum armtap_fit armtap_aubo_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need)
{
    *need = 1;
    if (sight->length == 0)
        return sight->whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    enum armtap_fit fit = any_shows(direction, sight->bytes, sight->length, sight->whole, need, sight->work);
    return fit == ARMTAP_FIT_YES && sight->hint == ARMTAP_HINT_NONE ? ARMTAP_FIT_NO : fit;
}

bool armtap_aubo_holds_compressed(const uint8_t *bytes, size_t length)
{
    size_t need;
    for (size_t at = 0; at < length; at++)
        for (unsigned side = 0; side < 2 && bytes[at] == ARMTAP_AUBO_COMPRESSED_FRAME; side++)
            if (frames_show((enum armtap_direction)side, bytes + at, length - at, true, &need) == ARMTAP_FIT_YES)
                return true;
    return false;
}
