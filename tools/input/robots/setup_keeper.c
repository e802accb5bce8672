#include "robot_traffic.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

/* RTDE's messages; those after which data makes sense: protocol, release, recipes, start and pause. */
#define RTDE_TYPES "VvMOISPUR"
#define SETUP_TYPES "VvOISP"
#define RTDE_HEAD 3u
#define LENGTH_HEAD 4u
#define LENGTH_MAX (1u << 20)
/* The primary interface begins with a message that says the controller's software, on which later ones depend. */
#define VERSION_MAX 255u
#define MESSAGE_TYPE_AT 4u
#define ROBOT_MESSAGE 20
#define MESSAGE_KIND_AT 14u
#define VERSION_KIND 3

void setup_keeper_begin(struct setup_keeper *keeper)
{
    memset(keeper->way, 0, sizeof keeper->way);
    keeper->count = keeper->bytes.length = 0;
}

static bool is_one_of(const char *types, uint8_t type)
{
    return type != '\0' && strchr(types, type);
}

static bool is_version(const struct setup_keeper *keeper, const struct setup_message *message)
{
    const uint8_t *bytes = (const uint8_t *)keeper->bytes.data + message->at;
    return message->length > MESSAGE_KIND_AT && bytes[MESSAGE_TYPE_AT] == ROBOT_MESSAGE &&
           bytes[MESSAGE_KIND_AT] == VERSION_KIND;
}

/* Puts bytes of the message that is being kept into its place. */
static void fill(struct setup_keeper *keeper, struct setup_way *way, const uint8_t *bytes, size_t length)
{
    if (!way->message)
        return;
    memcpy(keeper->bytes.data + way->message->at + way->filled, bytes, length);
    way->filled += length;
    way->message->is_whole =
        way->filled == way->message->length && (way->kind != SETUP_LENGTHS || is_version(keeper, way->message));
}

/* A message begins, which is to be kept as far as there is room, or not. 0, or -1 if memory runs out. */
static int begin_message(struct setup_keeper *keeper, enum armtap_direction direction, size_t length, bool is_kept)
{
    struct setup_way *way = &keeper->way[direction];
    unsigned head = way->have;
    way->have = 0;
    way->left = length - head;
    way->filled = 0;
    way->message = NULL;
    if (!is_kept || keeper->count == SETUP_PARTS || length > SETUP_MAX - keeper->bytes.length)
        return 0;
    if (!buffer_room(&keeper->bytes, length))
        return -1;
    way->message = &keeper->messages[keeper->count++];
    *way->message = (struct setup_message){.direction = direction, .at = keeper->bytes.length, .length = length};
    keeper->bytes.length += length;
    fill(keeper, way, way->head, head);
    return 0;
}

/* The length of a message whose head begins with these bytes; 0: more of them are needed, or it is none. */
static size_t head_says(enum setup_kind kind, const uint8_t *head, unsigned have)
{
    if (have >= RTDE_HEAD && (kind == SETUP_UNSURE || kind == SETUP_RTDE)) {
        size_t length = armtap_be16(head);
        if (length >= RTDE_HEAD && is_one_of(RTDE_TYPES, head[2]))
            return length;
    }
    if (have >= LENGTH_HEAD && (kind == SETUP_UNSURE || kind == SETUP_LENGTHS)) {
        size_t length = armtap_be32(head);
        if (length > LENGTH_HEAD && length <= LENGTH_MAX)
            return length;
    }
    return 0;
}

size_t setup_keeper_next(const struct setup_keeper *keeper, enum armtap_direction direction, const uint8_t *bytes,
                         size_t length, size_t *whole)
{
    const struct setup_way *way = &keeper->way[direction];
    uint8_t head[LENGTH_HEAD];
    unsigned have = way->have;
    memcpy(head, way->head, sizeof head);
    for (size_t i = 0; i < length && have < LENGTH_HEAD; i++)
        head[have++] = bytes[i];
    size_t says = way->left > 0 ? way->left : head_says(way->kind, head, have);
    *whole = way->left > 0 || way->have > 0 ? 0 : says > 0 ? says : length;
    size_t rest = says - (way->left > 0 || says == 0 ? 0 : way->have);
    return says > 0 && rest < length ? rest : length;
}

/* One more byte of a head came. 0, or -1 if memory runs out. */
static int take_head(struct setup_keeper *keeper, enum armtap_direction direction)
{
    struct setup_way *way = &keeper->way[direction];
    size_t length = head_says(way->kind, way->head, way->have);
    if (length == 0) {
        bool is_rtde = way->kind == SETUP_RTDE && way->have == RTDE_HEAD;
        if (is_rtde || way->have == LENGTH_HEAD) {
            way->kind = SETUP_NEITHER;
            way->have = 0;
        }
        return 0;
    }
    way->kind = way->have == RTDE_HEAD ? SETUP_RTDE : SETUP_LENGTHS;
    bool is_kept = way->kind == SETUP_RTDE
                       ? is_one_of(SETUP_TYPES, way->head[2])
                       : direction == ARMTAP_FROM_ROBOT && keeper->count == 0 && length <= VERSION_MAX;
    return begin_message(keeper, direction, length, is_kept);
}

int setup_keeper_take(struct setup_keeper *keeper, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    struct setup_way *way = &keeper->way[direction];
    int outcome = 0;
    while (length > 0 && way->kind != SETUP_NEITHER && outcome == 0) {
        size_t part = way->left < length ? way->left : length;
        fill(keeper, way, bytes, part);
        way->left -= part;
        if (part == 0) {
            way->head[way->have++] = *bytes;
            outcome = take_head(keeper, direction);
            part = 1;
        }
        bytes += part;
        length -= part;
    }
    return outcome;
}

void setup_keeper_skip(struct setup_keeper *keeper, enum armtap_direction direction)
{
    struct setup_way *way = &keeper->way[direction];
    way->have = 0;
    way->left = 0;
    way->message = NULL;
}

size_t setup_keeper_parts(const struct setup_keeper *keeper, struct synthetic_part parts[SETUP_PARTS])
{
    size_t count = 0;
    for (size_t i = 0; i < keeper->count; i++) {
        const struct setup_message *message = &keeper->messages[i];
        if (message->is_whole)
            parts[count++] = (struct synthetic_part){
                message->direction, (const uint8_t *)keeper->bytes.data + message->at, message->length};
    }
    return count;
}

void setup_keeper_free(struct setup_keeper *keeper)
{
    free(keeper->bytes.data);
    *keeper = (struct setup_keeper){.count = 0};
}
