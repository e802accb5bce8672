#include "primary_message.h"

#include <string.h>

#include "bytes.h"
#include "primary_layout.h"
#include "urscript.h"

#define TYPE_AT 4u
#define SUBPACKAGE_HEADER ARMTAP_SUBPACKAGE_HEADER
#define KIND_AT 14u
#define SEARCHED_MOST 8192u /* bytes of a message that a search believes; states have 1.5 kB */
#define KIND_VERSION 3u
#define DISCONNECT 255
#define MODBUS_INFO 5
#define MODBUS_MOST 64u /* bytes; 9 were seen */
#define TOLERANCES 24
#define PROGRAM_STATE_KINDS 1u
#define KIND_MOST 31u        /* the highest robot message and sub-package that a search believes */
#define CLOCK_MOST (1 << 17) /* of a clock's upper half: 2^49 us are 17 years */
#define MODE_LEAST 29u       /* bytes of RobotModeData */

const char *armtap_primary_message_name(uint8_t type)
{
    switch (type) {
#define MESSAGE(number, name)                                                                                          \
    case number:                                                                                                       \
        return name;
#include "primary_messages.def"
    default:
        return NULL;
    }
}

/* Whether a clock is one, in microseconds, or says that there is none. */
static bool is_clock(const uint8_t *wire)
{
    uint64_t clock = armtap_be64(wire);
    return clock == UINT64_MAX || clock >> 32 < CLOCK_MOST;
}

size_t armtap_primary_chain(const uint8_t *bytes, size_t at, size_t size, size_t length, size_t *count)
{
    *count = 0;
    while (at < size && at + SUBPACKAGE_HEADER <= length) {
        size_t subpackage = armtap_primary_subpackage(bytes, size, at);
        if (subpackage == 0 || bytes[at + TYPE_AT] > KIND_MOST)
            break;
        at += subpackage;
        ++*count;
    }
    return at;
}

/* Whether sub-packages follow one another to just the end of a state, as far as it has arrived. */
static bool chain_fits(const uint8_t *bytes, size_t size, size_t length)
{
    size_t count, at = armtap_primary_chain(bytes, ARMTAP_PRIMARY_HEADER, size, length, &count);
    return at == size || (at < size && at + SUBPACKAGE_HEADER > length && length < size);
}

bool armtap_primary_body_fits(const uint8_t *bytes, size_t size, size_t length)
{
    switch (bytes[TYPE_AT]) {
    case ARMTAP_PRIMARY_STATE:
        return size > ARMTAP_PRIMARY_HEADER && chain_fits(bytes, size, length);
    case ARMTAP_PRIMARY_ROBOT_MESSAGE:
        return size >= ARMTAP_PRIMARY_BODY && (length < ARMTAP_PRIMARY_BODY ||
                                               (bytes[KIND_AT] <= KIND_MOST && is_clock(bytes + ARMTAP_PRIMARY_CLOCK)));
    case ARMTAP_PRIMARY_PROGRAM_STATE:
        return size >= ARMTAP_PROGRAM_STATE_BODY &&
               (length <= ARMTAP_PROGRAM_STATE_KIND || bytes[ARMTAP_PROGRAM_STATE_KIND] <= PROGRAM_STATE_KINDS);
    case MODBUS_INFO:
        return size > ARMTAP_PRIMARY_HEADER && size <= MODBUS_MOST;
    case TOLERANCES: /* of which the first is a small number */
        return (size - ARMTAP_PRIMARY_HEADER) % 8 == 0 &&
               (length == ARMTAP_PRIMARY_HEADER || bytes[TYPE_AT + 1] == 0 || bytes[TYPE_AT + 1] == 0x3f);
    case DISCONNECT:
        return size == ARMTAP_PRIMARY_HEADER;
    default:
        return armtap_primary_message_name(bytes[TYPE_AT]) != NULL;
    }
}

long armtap_primary_frame(bool in_step, const uint8_t *bytes, size_t length)
{
    if (length < TYPE_AT)
        return length > 0 && bytes[0] != 0 ? -1 : 0;
    uint32_t size = armtap_be32(bytes);
    if (size < ARMTAP_PRIMARY_HEADER || size > (in_step ? ARMTAP_PRIMARY_LONGEST : SEARCHED_MOST))
        return -1;
    if (length < ARMTAP_PRIMARY_HEADER)
        return 0;
    if (in_step)
        return (long)size;
    if (!armtap_primary_body_fits(bytes, size, length < size ? length : size))
        return -1;
    return length < ARMTAP_PRIMARY_BODY && length < size ? 0 : (long)size;
}

size_t armtap_primary_subpackage(const uint8_t *frame, size_t length, size_t at)
{
    if (length - at < SUBPACKAGE_HEADER)
        return 0;
    uint32_t size = armtap_be32(frame + at);
    return size >= SUBPACKAGE_HEADER && size <= length - at ? size : 0;
}

/* A state whose sub-packages fill it exactly. Nothing else has three of them, of which the first is RobotModeData. */
static enum armtap_fit state_evidence(const uint8_t *frame, size_t length)
{
    size_t at = ARMTAP_PRIMARY_HEADER, count = 0, mode = 0;
    if (!armtap_primary_body_fits(frame, length, length))
        return ARMTAP_FIT_NO;
    for (size_t size; (size = armtap_primary_subpackage(frame, length, at)) > 0; at += size, count++)
        mode += frame[at + TYPE_AT] == 0 && size >= MODE_LEAST;
    return mode == 1 && count >= 3 ? ARMTAP_FIT_WELL : ARMTAP_FIT_MAYBE;
}

static bool is_version(const uint8_t *frame, size_t length)
{
    static const uint8_t name[] = {9, 'U', 'R', 'C', 'o', 'n', 't', 'r', 'o', 'l'};
    return length >= ARMTAP_PRIMARY_BODY + sizeof name && frame[KIND_AT] == KIND_VERSION &&
           memcmp(frame + ARMTAP_PRIMARY_BODY, name, sizeof name) == 0;
}

static enum armtap_fit message_evidence(const uint8_t *frame, size_t length)
{
    if (!armtap_primary_body_fits(frame, length, length))
        return ARMTAP_FIT_NO;
    return is_version(frame, length) ? ARMTAP_FIT_WELL : ARMTAP_FIT_YES;
}

enum armtap_fit armtap_primary_evidence(const uint8_t *frame, size_t length)
{
    switch (frame[TYPE_AT]) {
    case ARMTAP_PRIMARY_STATE:
        return state_evidence(frame, length);
    case ARMTAP_PRIMARY_ROBOT_MESSAGE:
        return message_evidence(frame, length);
    default:
        return armtap_primary_body_fits(frame, length, length) ? ARMTAP_FIT_MAYBE : ARMTAP_FIT_NO;
    }
}

/* Whether a message may begin here, as far as its first bytes show: what comes after them never changes the answer. */
static long frame_by_head(const uint8_t *bytes, size_t length)
{
    return length > 0 ? armtap_primary_frame(false, bytes, length < ARMTAP_PRIMARY_BODY ? length : ARMTAP_PRIMARY_BODY)
                      : 0;
}

enum armtap_fit armtap_primary_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                       size_t length, const uint8_t *next, size_t available)
{
    (void)context;
    if (direction == ARMTAP_TO_ROBOT)
        return ARMTAP_FIT_YES;
    enum armtap_fit evidence = armtap_primary_evidence(frame, length);
    if (evidence == ARMTAP_FIT_WELL)
        return evidence;
    long following = frame_by_head(next, available);
    return following < 0 ? ARMTAP_FIT_NO : following == 0 ? ARMTAP_FIT_MORE : ARMTAP_FIT_YES;
}

enum armtap_fit armtap_primary_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    long size = direction == ARMTAP_FROM_ROBOT ? armtap_primary_frame(false, bytes, length) : -1;
    if (size < 0)
        return ARMTAP_FIT_NO;
    if (size == 0 || length < (size_t)size)
        return ARMTAP_FIT_MORE;
    return armtap_primary_evidence(bytes, (size_t)size);
}

/* Whether a message counts in a chain: those of unknown layout say nothing, short ones too little. */
static bool is_told(const uint8_t *frame, enum armtap_fit evidence)
{
    return evidence == ARMTAP_FIT_YES || frame[TYPE_AT] == ARMTAP_PRIMARY_STATE ||
           frame[TYPE_AT] == ARMTAP_PRIMARY_PROGRAM_STATE;
}

/* A message that only this protocol has, within a chain of messages; on its own ports a chain is enough. */
enum armtap_fit armtap_primary_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need)
{
    size_t at = 0, count = 0;
    *need = ARMTAP_PRIMARY_BODY;
    if (direction == ARMTAP_TO_ROBOT)
        return armtap_urscript_shows(sight, need);
    for (;;) {
        size_t left = sight->length - at;
        long size = frame_by_head(sight->bytes + at, left);
        if (size < 0)
            return ARMTAP_FIT_NO;
        bool is_chain = count >= 2 && sight->hint != ARMTAP_HINT_NONE;
        if (is_chain && (size > 0 || (left == 0 && sight->whole)))
            return ARMTAP_FIT_YES;
        *need = at + (size == 0 ? ARMTAP_PRIMARY_BODY : (size_t)size);
        if (size == 0 || left < (size_t)size)
            return sight->whole ? ARMTAP_FIT_NO : ARMTAP_FIT_MORE;
        enum armtap_fit evidence = armtap_primary_evidence(sight->bytes + at, (size_t)size);
        *sight->work += (size_t)size;
        if (evidence == ARMTAP_FIT_NO || evidence == ARMTAP_FIT_WELL)
            return evidence;
        count += is_told(sight->bytes + at, evidence);
        at += (size_t)size;
    }
}
