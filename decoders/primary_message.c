#include "primary_message.h"

#define GENERATION_ANY ARMTAP_GENERATION_UNKNOWN
#define GENERATION_CB2 ARMTAP_GENERATION_CB2
#define GENERATION_CB3E ARMTAP_GENERATION_CB3E
#define IS_ONCE false
#define IS_REPEATED true

#define ROBOT_MESSAGE(type, name, kind, often) {type, IS_##often, ARMTAP_TEXT_##kind, name},
static const struct armtap_primary_kind kinds[] = {
#include "primary_messages.def"
};

#define PART(message, generation, wire, name, member)                                                                  \
    {message, GENERATION_##generation, ARMTAP_WIRE_##wire, ARMTAP_MEMBER_##member, name},
static const struct armtap_primary_part parts[] = {
#include "primary_messages.def"
};
#define PARTS (sizeof parts / sizeof *parts)

const struct armtap_primary_kind *armtap_primary_kind_of(uint8_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

/* The first part of a message from `i` on that its controllers send; NULL if there is none. */
static const struct armtap_primary_part *part_from(const struct armtap_primary_walk *walk, size_t i)
{
    enum armtap_generation generation =
        walk->generation == ARMTAP_GENERATION_CB2 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
    for (; i < PARTS; i++)
        if (parts[i].message == walk->message[ARMTAP_PRIMARY_BODY - 1] &&
            (parts[i].generation == GENERATION_ANY || parts[i].generation == generation))
            return &parts[i];
    return NULL;
}

/* The part after the last one, or the first again. */
static const struct armtap_primary_part *choose_part(struct armtap_primary_walk *walk)
{
    const struct armtap_primary_kind *kind = armtap_primary_kind_of(walk->message[ARMTAP_PRIMARY_BODY - 1]);
    if (!walk->part) {
        walk->next = ARMTAP_PRIMARY_BODY;
        return kind->repeated && walk->length == walk->next ? NULL : part_from(walk, 0);
    }
    const struct armtap_primary_part *part = part_from(walk, (size_t)(walk->part - parts) + 1);
    return !part && kind->repeated && walk->next < walk->length ? part_from(walk, 0) : part;
}

/* Bytes of a part; more than are left if it is cut or its length is wrong. */
static size_t part_length(const struct armtap_primary_walk *walk, const struct armtap_primary_part *part)
{
    size_t left = walk->length - walk->next;
    if (part->wire == ARMTAP_WIRE_REST)
        return left;
    if (part->wire == ARMTAP_WIRE_SPAN)
        return walk->span < 0 || (uint64_t)walk->span > left ? left + 1 : (size_t)walk->span;
    return armtap_primary_wire_width((enum armtap_primary_wire)part->wire);
}

bool armtap_primary_walk_on(struct armtap_primary_walk *walk)
{
    const struct armtap_primary_part *part = walk->cut ? NULL : choose_part(walk);
    if (!part)
        return false;
    size_t length = part_length(walk, part);
    walk->part = part;
    walk->at = walk->next;
    walk->cut = length > walk->length - walk->at;
    if (walk->cut)
        return false;
    walk->next = walk->at + length;
    if (part->wire < ARMTAP_WIRE_FLOAT)
        walk->number = armtap_primary_integer((enum armtap_primary_wire)part->wire, walk->message + walk->at);
    if (part->member == ARMTAP_MEMBER_LENGTH)
        walk->span = walk->number;
    walk->ends = !part_from(walk, (size_t)(part - parts) + 1);
    return true;
}

const char *armtap_primary_source(int8_t source)
{
    switch (source) {
#define SOURCE(number, name)                                                                                           \
    case number:                                                                                                       \
        return name;
#include "primary_sources.def"
    default:
        return NULL;
    }
}

const char *armtap_primary_report_level(int64_t level)
{
    switch (level) {
#define REPORT_LEVEL(number, name)                                                                                     \
    case number:                                                                                                       \
        return name;
#include "primary_messages.def"
    default:
        return NULL;
    }
}
