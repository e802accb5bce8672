/* Each package of a chain is evidence, counted in bits: how improbable it is among random bytes. A header of data alone
 * is one byte, its type; the same size and type once more are three. Up to 16 kB are searched, so that 40 bits leave
 * less than one false chain in ten million connections. Repetition is no accident, but may come from another protocol's
 * records: without a clock that advances in cycles, more packages are needed. */

#include <string.h>

#include "bytes.h"
#include "protocol/clock.h"
#include "rtde_package.h"

#define ENOUGH 40u         /* bits */
#define HEADER_BITS 24u    /* of a package that has one size or few */
#define TYPE_BITS 8u       /* of data of any size */
#define AGAIN_BITS 24u     /* of data of a size seen before */
#define FIRST_BYTE_BITS 8u /* and of the same first byte: the recipe's id, or part of the first value */
#define CLOCK_BITS 10u     /* of an advancing clock where most clients have it */
#define FRAMES_MAX 16u     /* in a chain */
#define KINDS_MAX 4u       /* of data, by size */
#define SPOKEN_LEAST 32u   /* bytes of a client's first request that show what it is */
#define EXAMINED_MAX 520u  /* bytes of a package's content that are examined: the longest text to the robot */
#define WITHOUT_CLOCK 4u   /* data packages of a kind */
#define ITEM_MAX 64u       /* characters of a variable's name */
#define LIST_MIN 4u        /* characters of a list that is no accident: "BOOL" */
#define TEXT_MIN 32u       /* bytes of values, at least one of which is not text */
#define HERTZ_MAX 1000.0

/* ---- packages other than data: bits of evidence, 0 if none ---- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\r' || c == '\n' || c == '\t' || c == '\0';
}

static bool is_item_char(uint8_t c, bool lower)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (lower && ((c >= 'a' && c <= 'z') || c == '.'));
}

/* Characters of a list of names or, without `lower`, of types, separated by commas; 0 if it is not a list. */
static size_t list_characters(const uint8_t *text, size_t length, bool lower)
{
    size_t count = 0, item = 0;
    bool ended = false; /* blanks follow the item */
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',') {
            if (item == 0)
                return 0;
            item = 0;
            ended = false;
        } else if (is_blank(text[i])) {
            ended = item > 0;
        } else if (is_item_char(text[i], lower) && !ended && item++ < ITEM_MAX) {
            count++;
        } else {
            return 0;
        }
    }
    return count;
}

static unsigned list_bits(const uint8_t *text, size_t length, bool lower)
{
    size_t count = list_characters(text, length, lower);
    return count < LIST_MIN ? 0 : HEADER_BITS + 2 * (unsigned)(count < 16 ? count : 16);
}

static unsigned best_of(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* A list after a header of either length. */
static unsigned either_bits(const uint8_t *payload, size_t length, size_t head, bool lower)
{
    return best_of(list_bits(payload, length, lower),
                   length > head ? list_bits(payload + head, length - head, lower) : 0);
}

static unsigned outputs_bits(enum armtap_direction direction, const uint8_t *payload, size_t length)
{
    if (direction == ARMTAP_FROM_ROBOT)
        return either_bits(payload, length, 1, false);
    double hertz = length >= 8 ? armtap_be_double(payload) : 0;
    return hertz > 0 && hertz <= HERTZ_MAX ? list_bits(payload + 8, length - 8, true)
                                           : list_bits(payload, length, true);
}

static bool is_text(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0' || (text[i] < 0x20 && !is_blank(text[i])))
            return false;
    return true;
}

/* Protocol 1, from the robot: a level and the text; otherwise text and source with their lengths, and a level. */
static unsigned text_bits(enum armtap_direction direction, const uint8_t *payload, size_t length, size_t size)
{
    bool is_old = direction == ARMTAP_FROM_ROBOT && payload[0] <= 8 && is_text(payload + 1, length - 1);
    size_t text = payload[0], source = text + 1 < length ? payload[text + 1] : 0;
    bool is_new = text + source + 3 == size && size <= length && payload[size - 1] <= 8 && is_text(payload + 1, text) &&
                  is_text(payload + text + 2, source);
    return is_old || is_new ? HEADER_BITS + 2 : 0;
}

static unsigned release_bits(enum armtap_direction direction, const uint8_t *payload, size_t length)
{
    if (direction == ARMTAP_TO_ROBOT)
        return HEADER_BITS;
    if (length != 12 && length != 16)
        return 0;
    return armtap_be32(payload) < 100 && armtap_be32(payload + 4) < 1000 && armtap_be32(payload + 8) < 100000
               ? HEADER_BITS + 16
               : 0;
}

static unsigned answer_bits(enum armtap_direction direction, const uint8_t *payload)
{
    return direction == ARMTAP_TO_ROBOT ? HEADER_BITS : payload[0] <= 1 ? HEADER_BITS + 7 : 0;
}

static unsigned version_bits(enum armtap_direction direction, const uint8_t *payload)
{
    if (direction == ARMTAP_FROM_ROBOT)
        return answer_bits(direction, payload);
    unsigned version = armtap_be16(payload);
    return version >= 1 && version <= 16 ? HEADER_BITS + 12 : 0;
}

/* Types with their length, then values. */
static unsigned properties_bits(enum armtap_direction direction, const uint8_t *payload, size_t length)
{
    size_t types = direction == ARMTAP_FROM_ROBOT && length > 2 ? armtap_be16(payload) : 0;
    if (direction == ARMTAP_TO_ROBOT)
        return list_bits(payload, length, true);
    return types + 2 <= length ? list_bits(payload + 2, types, false) : 0;
}

/* Evidence in a package of `size` bytes, of which the first EXAMINED_MAX are present. */
static unsigned package_bits(enum armtap_direction direction, const uint8_t *frame, size_t size)
{
    const uint8_t *payload = frame + ARMTAP_RTDE_HEADER;
    size_t length = (size < EXAMINED_MAX ? size : EXAMINED_MAX) - ARMTAP_RTDE_HEADER;
    switch (frame[2]) {
    case ARMTAP_RTDE_VERSION:
        return version_bits(direction, payload);
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        return release_bits(direction, payload, length);
    case ARMTAP_RTDE_TEXT:
        return length > 0 ? text_bits(direction, payload, length, size - ARMTAP_RTDE_HEADER) : 0;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
        return outputs_bits(direction, payload, length);
    case ARMTAP_RTDE_SETUP_INPUTS:
        return direction == ARMTAP_TO_ROBOT ? list_bits(payload, length, true) : either_bits(payload, length, 1, false);
    case ARMTAP_RTDE_START:
    case ARMTAP_RTDE_PAUSE:
        return answer_bits(direction, payload);
    default:
        return properties_bits(direction, payload, length);
    }
}

/* ---- chains ---- */

/* Data packages of one size. */
struct kind {
    size_t size;
    unsigned seen;
    const uint8_t *frames[3]; /* the first ones */
};

struct chain {
    enum armtap_direction direction;
    const uint8_t *end; /* of the bytes at hand */
    bool whole;         /* none follow */
    size_t *work;       /* bytes looked at */
    unsigned bits;
    struct kind kinds[KINDS_MAX];
    unsigned count;
};

static struct kind *kind_of(struct chain *chain, const uint8_t *frame, size_t size)
{
    unsigned i = 0;
    while (i < chain->count && chain->kinds[i].size != size)
        i++;
    if (i == KINDS_MAX)
        return NULL;
    if (i == chain->count)
        chain->kinds[chain->count++] = (struct kind){size, 0, {frame, NULL, NULL}};
    return &chain->kinds[i];
}

/* Most clients ask for the clock first: only the clock advances in whole cycles there, which distinguishes a package
 * from a register that always looks like a header. */
static bool has_clock_first(const struct kind *kind)
{
    for (size_t at = ARMTAP_RTDE_HEADER; at <= ARMTAP_RTDE_HEADER + 1 && at + 8 <= kind->size; at++) {
        double clock = armtap_be_double(kind->frames[0] + at);
        if (armtap_clock_may_show(clock) &&
            armtap_clock_fit(kind->frames[0] + at, kind->frames[1] + at) == ARMTAP_FIT_WELL)
            return true;
    }
    return false;
}

/* A clock at any position advances from the first package to the second, and to the third. */
static bool has_clock(const struct kind *kind)
{
    for (size_t at = ARMTAP_RTDE_HEADER; at + 8 <= kind->size; at++) {
        double clock = armtap_be_double(kind->frames[0] + at);
        if (armtap_clock_may_show(clock) &&
            armtap_clock_fit(kind->frames[0] + at, kind->frames[1] + at) == ARMTAP_FIT_WELL &&
            armtap_clock_fit(kind->frames[1] + at, kind->frames[2] + at) == ARMTAP_FIT_WELL)
            return true;
    }
    return false;
}

/* A robot's numbers contain bytes that text does not. */
static bool is_all_text(const struct kind *kind)
{
    for (size_t at = ARMTAP_RTDE_HEADER; at < kind->size; at++)
        if (!is_text(kind->frames[0] + at, 1) || kind->frames[0][at] > 0x7e)
            return false;
    return kind->size >= ARMTAP_RTDE_HEADER + TEXT_MIN;
}

/* Records of a part of the size, of which several make up what looks like a package. */
static bool is_several(const struct kind *kind)
{
    for (size_t parts = 2; parts <= kind->size / 4; parts++) {
        size_t part = kind->size / parts, at = part;
        if (kind->size % parts != 0)
            continue;
        while (at < kind->size && memcmp(kind->frames[0], kind->frames[0] + at, 4) == 0)
            at += part;
        if (at == kind->size)
            return true;
    }
    return false;
}

/* What data can begin with: a small id or integer, or the sign and exponent of a number of everyday size. */
static bool begins_like_data(const struct kind *kind)
{
    unsigned first = kind->frames[0][3], size = first & 0x7fu;
    return first < 0x20 || (size >= 0x3e && size <= 0x43) || first == 0xff;
}

static bool is_data(const struct kind *kind)
{
    return begins_like_data(kind) && !is_all_text(kind) && !is_several(kind);
}

/* The chain has no bytes left. */
static enum armtap_fit judge_end(const struct chain *chain)
{
    const struct kind *kind = &chain->kinds[0];
    if (!chain->whole)
        return ARMTAP_FIT_MORE;
    if (chain->bits < ENOUGH)
        return ARMTAP_FIT_NO;
    return chain->count == 0 || (kind->seen >= 2 && is_data(kind)) ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

/* Adds data; *need becomes the bytes of it needed to decide, 0 if none are missing. */
static enum armtap_fit add_data(struct chain *chain, const uint8_t *frame, size_t size, size_t *need)
{
    struct kind *kind = kind_of(chain, frame, size);
    size_t left = (size_t)(chain->end - frame);
    if (!kind)
        return ARMTAP_FIT_NO;
    size_t wanted = kind->seen == 1 && size > ARMTAP_RTDE_HEADER + 9 ? ARMTAP_RTDE_HEADER + 9 : size;
    chain->bits += kind->seen == 0 ? TYPE_BITS : AGAIN_BITS;
    chain->bits += kind->seen > 0 && kind->frames[0][3] == frame[3] ? FIRST_BYTE_BITS : 0;
    if (kind->seen < 3)
        kind->frames[kind->seen] = frame;
    kind->seen++;
    if (kind != &chain->kinds[0])
        return ARMTAP_FIT_MORE;
    if ((kind->seen == 2 || kind->seen == 3) && left < wanted) {
        *need = wanted;
        return ARMTAP_FIT_MORE;
    }
    bool from_robot = chain->direction == ARMTAP_FROM_ROBOT;
    if (from_robot && kind->seen == 2 && chain->bits + CLOCK_BITS >= ENOUGH && has_clock_first(kind))
        return ARMTAP_FIT_WELL;
    if (chain->bits < ENOUGH)
        return ARMTAP_FIT_MORE;
    *chain->work += kind->seen == 3 || kind->seen == WITHOUT_CLOCK ? size : 0;
    if (from_robot && kind->seen == 3 && has_clock(kind))
        return is_all_text(kind) ? ARMTAP_FIT_NO : ARMTAP_FIT_YES;
    if (kind->seen < WITHOUT_CLOCK)
        return ARMTAP_FIT_MORE;
    return is_data(kind) ? ARMTAP_FIT_YES : ARMTAP_FIT_NO;
}

/* Adds any other package of which enough has arrived. */
static enum armtap_fit add_other(struct chain *chain, const uint8_t *frame, size_t size)
{
    unsigned bits = package_bits(chain->direction, frame, size);
    *chain->work += size < EXAMINED_MAX ? size : EXAMINED_MAX;
    bool is_list = frame[2] == ARMTAP_RTDE_SETUP_OUTPUTS || frame[2] == ARMTAP_RTDE_SETUP_INPUTS;
    if (bits == 0)
        return ARMTAP_FIT_NO;
    chain->bits += bits;
    if (chain->count > 0 || chain->bits < ENOUGH)
        return ARMTAP_FIT_MORE; /* data before it must show by itself that it is data */
    return is_list ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
}

/* Bytes of a package that are examined; 0: none begins here. */
static size_t judged_bytes(enum armtap_direction direction, const uint8_t *header)
{
    size_t size = armtap_be16(header);
    if (!armtap_rtde_size_fits(header[2], direction, size))
        return 0;
    if (header[2] == ARMTAP_RTDE_DATA)
        return size > ARMTAP_RTDE_HEADER ? ARMTAP_RTDE_HEADER + 1 : 0;
    return size < EXAMINED_MAX ? size : EXAMINED_MAX;
}

static enum armtap_fit judge_chain(struct chain *chain, const uint8_t *bytes, size_t length, size_t *need)
{
    size_t at = 0;
    for (unsigned i = 0; i < FRAMES_MAX; i++, at += armtap_be16(bytes + at)) {
        const uint8_t *frame = bytes + at;
        size_t left = length > at ? length - at : 0, least = ARMTAP_RTDE_HEADER, lacking = 0;
        if (left >= ARMTAP_RTDE_HEADER && (least = judged_bytes(chain->direction, frame)) == 0)
            return ARMTAP_FIT_NO;
        *need = at + least;
        if (left < least)
            return judge_end(chain);
        enum armtap_fit fit = frame[2] == ARMTAP_RTDE_DATA ? add_data(chain, frame, armtap_be16(frame), &lacking)
                                                           : add_other(chain, frame, armtap_be16(frame));
        if (fit != ARMTAP_FIT_MORE)
            return fit;
        *need = at + lacking;
        if (lacking > 0)
            return judge_end(chain);
    }
    return ARMTAP_FIT_NO;
}

enum armtap_fit armtap_rtde_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need)
{
    if (sight->length >= ARMTAP_RTDE_HEADER && judged_bytes(direction, sight->bytes) == 0)
        return ARMTAP_FIT_NO; /* the usual case: no chain is built */
    struct chain chain = {
        .direction = direction, .end = sight->bytes + sight->length, .whole = sight->whole, .work = sight->work};
    return judge_chain(&chain, sight->bytes, sight->length, need);
}

enum armtap_fit armtap_rtde_speaks(const uint8_t *bytes, size_t length, bool whole)
{
    size_t size = length >= ARMTAP_RTDE_HEADER ? armtap_be16(bytes) : 0, there = size < length ? size : length;
    if (length < ARMTAP_RTDE_HEADER)
        return ARMTAP_FIT_MORE;
    if (bytes[2] == ARMTAP_RTDE_DATA || !armtap_rtde_size_fits(bytes[2], ARMTAP_TO_ROBOT, size))
        return ARMTAP_FIT_NO;
    if (there < size && there < SPOKEN_LEAST)
        return whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
    return package_bits(ARMTAP_TO_ROBOT, bytes, there) > 0 ? ARMTAP_FIT_WELL : ARMTAP_FIT_NO;
}

enum armtap_fit armtap_rtde_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    if (length < ARMTAP_RTDE_HEADER)
        return ARMTAP_FIT_MORE;
    size_t size = armtap_be16(bytes);
    if (bytes[2] == ARMTAP_RTDE_DATA || !armtap_rtde_size_fits(bytes[2], direction, size))
        return ARMTAP_FIT_NO;
    if (length < size && length < EXAMINED_MAX)
        return ARMTAP_FIT_MORE;
    if (package_bits(direction, bytes, size) == 0)
        return ARMTAP_FIT_NO;
    if (length < size)
        return ARMTAP_FIT_MORE;
    return bytes[2] == ARMTAP_RTDE_VERSION ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
}
