/* Parses and writes RTDE packages: {uint16 size with the header, uint8 type, payload}, big-endian.
 *
 *           to the robot                          from the robot
 *   V   uint16 version                            uint8 accepted
 *   v   -                                         uint32 major, minor, bugfix, build (absent on old ones)
 *   M   uint8 length, text, uint8 length, source, uint8 level; protocol 1 from the robot: uint8 level, text
 *   O   double Hz (protocol 2, 3), names          uint8 id (protocol 2, 3), types
 *   I   names                                     uint8 id, types
 *   S P -                                         uint8 accepted
 *   U   uint8 id, values                          uint8 id (protocol 2, 3), values
 *   R   names                                     uint16 length, types, values
 *
 * Source: UR's RTDE guide; where it disagrees with UR's own clients, these (protocol 1 has no id from the robot). */
#include "rtde_package.h"

#include <string.h>

#include "bytes.h"

#define LARGEST 65535u
#define TEXT_MAX 255u

struct message {
    const char *name;
    size_t min[2], max[2]; /* by enum armtap_direction */
};
/* Indexed by type, so that sniffing is cheap. */
static const struct message messages[128] = {
#define MESSAGE(type, name, to_fewest, to_most, from_fewest, from_most)                                                \
    [type] = {name, {from_fewest, to_fewest}, {from_most, to_most}},
#include "rtde_messages.def"
};

static const struct message *message_of(uint8_t type)
{
    return type < sizeof messages / sizeof messages[0] && messages[type].name ? &messages[type] : NULL;
}

const char *armtap_rtde_type_name(uint8_t type)
{
    const struct message *message = message_of(type);
    return message ? message->name : NULL;
}

bool armtap_rtde_size_fits(uint8_t type, enum armtap_direction direction, size_t size)
{
    const struct message *message = message_of(type);
    return message && size >= message->min[direction] && size <= message->max[direction];
}

size_t armtap_rtde_before_package(enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at + ARMTAP_RTDE_HEADER <= length &&
           !armtap_rtde_size_fits(bytes[at + 2], direction, armtap_be16(bytes + at)))
        at++;
    return at;
}

bool armtap_rtde_is_text(const char *text, size_t length, size_t control_max)
{
    size_t control = 0;
    for (size_t i = 0; i < length && control <= control_max; i++)
        control +=
            (unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\r' && text[i] != '\t' && text[i] != '\0';
    return control <= control_max;
}

static bool is_direction(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT || direction == ARMTAP_TO_ROBOT;
}

/* ---- parsing: a cursor over the payload ---- */

struct cursor {
    const uint8_t *at, *end;
    bool short_of;
};

static const uint8_t *take(struct cursor *cursor, size_t length)
{
    if ((size_t)(cursor->end - cursor->at) < length) {
        cursor->short_of = true;
        return NULL;
    }
    const uint8_t *bytes = cursor->at;
    cursor->at += length;
    return bytes;
}

static unsigned take8(struct cursor *cursor)
{
    const uint8_t *p = take(cursor, 1);
    return p ? *p : 0;
}

static unsigned take16(struct cursor *cursor)
{
    const uint8_t *p = take(cursor, 2);
    return p ? armtap_be16(p) : 0;
}

static void take_rest(struct cursor *cursor, const char **text, size_t *length)
{
    *text = (const char *)cursor->at;
    *length = (size_t)(cursor->end - cursor->at);
    cursor->at = cursor->end;
}

static void take_counted(struct cursor *cursor, size_t count, const char **text, size_t *length)
{
    *text = (const char *)take(cursor, count);
    *length = *text ? count : 0;
}

static void parse_text(struct cursor *cursor, struct armtap_rtde_package *p)
{
    if (p->protocol < 2 && p->direction == ARMTAP_FROM_ROBOT) {
        p->level = take8(cursor);
        take_rest(cursor, &p->text, &p->text_length);
        return;
    }
    take_counted(cursor, take8(cursor), &p->text, &p->text_length);
    take_counted(cursor, take8(cursor), &p->source, &p->source_length);
    p->level = take8(cursor);
}

static void parse_values(struct cursor *cursor, struct armtap_rtde_package *p)
{
    p->values = cursor->at;
    p->values_length = (size_t)(cursor->end - cursor->at);
    cursor->at = cursor->end;
}

static void parse_to_robot(struct cursor *cursor, struct armtap_rtde_package *p)
{
    const uint8_t *hertz;
    switch (p->type) {
    case ARMTAP_RTDE_VERSION:
        p->version = take16(cursor);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
        hertz = p->protocol >= 2 ? take(cursor, 8) : NULL;
        p->frequency = hertz ? armtap_be_double(hertz) : 0;
        take_rest(cursor, &p->names, &p->names_length);
        break;
    case ARMTAP_RTDE_SETUP_INPUTS:
    case ARMTAP_RTDE_PROPERTIES:
        take_rest(cursor, &p->names, &p->names_length);
        break;
    default:
        break;
    }
}

static void parse_from_robot(struct cursor *cursor, struct armtap_rtde_package *p)
{
    switch (p->type) {
    case ARMTAP_RTDE_VERSION:
    case ARMTAP_RTDE_START:
    case ARMTAP_RTDE_PAUSE:
        p->accepted = take8(cursor);
        break;
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        for (; p->release_count < 4 && cursor->at < cursor->end; p->release_count++) {
            const uint8_t *number = take(cursor, 4);
            p->release[p->release_count] = number ? armtap_be32(number) : 0;
        }
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
        take_rest(cursor, &p->types, &p->types_length);
        break;
    case ARMTAP_RTDE_PROPERTIES:
        take_counted(cursor, take16(cursor), &p->types, &p->types_length);
        parse_values(cursor, p);
        break;
    default:
        break;
    }
}

/* In protocol 1 the robot sends no id, except in the reply to an input set-up. */
static bool carries_id(const struct armtap_rtde_package *p)
{
    if (p->type == ARMTAP_RTDE_SETUP_INPUTS)
        return p->direction == ARMTAP_FROM_ROBOT;
    if (p->type == ARMTAP_RTDE_SETUP_OUTPUTS)
        return p->direction == ARMTAP_FROM_ROBOT && p->protocol >= 2;
    return p->type == ARMTAP_RTDE_DATA && (p->direction == ARMTAP_TO_ROBOT || p->protocol >= 2);
}

int armtap_rtde_parse(const void *bytes, size_t length, enum armtap_direction direction, int protocol,
                      struct armtap_rtde_package *package)
{
    const uint8_t *p = bytes;
    if (!bytes || !package || !is_direction(direction))
        return ARMTAP_ERR_ARGUMENT;
    if (!armtap_is_sized(package->size, sizeof *package))
        return ARMTAP_ERR_SIZE;
    if (length < ARMTAP_RTDE_HEADER)
        return ARMTAP_ERR_SHORT;
    size_t size = armtap_be16(p);
    *package = (struct armtap_rtde_package){.size = package->size};
    if (!message_of(p[2]) || size < ARMTAP_RTDE_HEADER)
        return ARMTAP_ERR_NOT_OURS;
    if (size > length)
        return ARMTAP_ERR_SHORT;
    package->type = (enum armtap_rtde_type)p[2];
    package->direction = direction;
    package->protocol = protocol;
    package->has_id = carries_id(package);
    struct cursor cursor = {p + ARMTAP_RTDE_HEADER, p + size, false};
    if (package->has_id) /* comes first */
        package->id = take8(&cursor);
    if (package->type == ARMTAP_RTDE_DATA)
        parse_values(&cursor, package);
    else if (package->type == ARMTAP_RTDE_TEXT)
        parse_text(&cursor, package);
    else if (direction == ARMTAP_TO_ROBOT)
        parse_to_robot(&cursor, package);
    else
        parse_from_robot(&cursor, package);
    if (cursor.short_of)
        return ARMTAP_ERR_SHORT;
    return cursor.at == cursor.end ? ARMTAP_OK : ARMTAP_ERR_NOT_OURS;
}

/* ---- writing ---- */

struct writer {
    uint8_t *at, *end;
    bool full;
    bool lacks; /* a span has a length but no bytes */
};

static void write_bytes(struct writer *writer, const void *bytes, size_t length)
{
    if ((size_t)(writer->end - writer->at) < length) {
        writer->full = true;
        return;
    }
    writer->lacks |= !bytes && length > 0;
    if (bytes && length > 0)
        memcpy(writer->at, bytes, length);
    writer->at += length;
}

static void write_number(struct writer *writer, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    armtap_put64(bytes, number);
    write_bytes(writer, bytes + 8 - width, width);
}

static void write_double(struct writer *writer, double number)
{
    uint8_t bytes[8];
    armtap_put_double(bytes, number);
    write_bytes(writer, bytes, sizeof bytes);
}

static void write_text(struct writer *writer, const struct armtap_rtde_package *p)
{
    if (p->protocol < 2 && p->direction == ARMTAP_FROM_ROBOT) {
        write_number(writer, p->level, 1);
        write_bytes(writer, p->text, p->text_length);
        return;
    }
    write_number(writer, p->text_length, 1);
    write_bytes(writer, p->text, p->text_length);
    write_number(writer, p->source_length, 1);
    write_bytes(writer, p->source, p->source_length);
    write_number(writer, p->level, 1);
}

static void write_to_robot(struct writer *writer, const struct armtap_rtde_package *p)
{
    switch (p->type) {
    case ARMTAP_RTDE_VERSION:
        write_number(writer, p->version, 2);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
        if (p->protocol >= 2)
            write_double(writer, p->frequency);
        write_bytes(writer, p->names, p->names_length);
        break;
    case ARMTAP_RTDE_SETUP_INPUTS:
    case ARMTAP_RTDE_PROPERTIES:
        write_bytes(writer, p->names, p->names_length);
        break;
    default:
        break;
    }
}

static void write_from_robot(struct writer *writer, const struct armtap_rtde_package *p)
{
    switch (p->type) {
    case ARMTAP_RTDE_VERSION:
    case ARMTAP_RTDE_START:
    case ARMTAP_RTDE_PAUSE:
        write_number(writer, p->accepted, 1);
        break;
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        for (unsigned i = 0; i < p->release_count; i++)
            write_number(writer, p->release[i], 4);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
        if (p->has_id)
            write_number(writer, p->id, 1);
        write_bytes(writer, p->types, p->types_length);
        break;
    case ARMTAP_RTDE_PROPERTIES:
        write_number(writer, p->types_length, 2);
        write_bytes(writer, p->types, p->types_length);
        write_bytes(writer, p->values, p->values_length);
        break;
    default:
        break;
    }
}

static void write_values(struct writer *writer, const struct armtap_rtde_package *p)
{
    if (p->has_id)
        write_number(writer, p->id, 1);
    write_bytes(writer, p->values, p->values_length);
}

/* Whether its numbers fit their bytes. */
static bool fits(const struct armtap_rtde_package *p)
{
    bool decides = p->type == ARMTAP_RTDE_TEXT || p->type == ARMTAP_RTDE_SETUP_OUTPUTS || p->type == ARMTAP_RTDE_DATA;
    return (!decides || p->protocol >= 1) && p->protocol <= 3 && p->id <= UINT8_MAX && p->level <= UINT8_MAX &&
           p->accepted <= UINT8_MAX && p->version <= UINT16_MAX;
}

int armtap_rtde_write(const struct armtap_rtde_package *package, void *buffer, size_t capacity)
{
    uint8_t *bytes = buffer;
    if (package && !armtap_is_sized(package->size, sizeof *package))
        return ARMTAP_ERR_SIZE;
    if (!package || !buffer || !message_of((uint8_t)package->type) || package->release_count > 4 ||
        !is_direction(package->direction) || !fits(package))
        return ARMTAP_ERR_ARGUMENT;
    bool counted =
        package->type == ARMTAP_RTDE_TEXT && (package->protocol >= 2 || package->direction == ARMTAP_TO_ROBOT);
    if (counted && (package->text_length > TEXT_MAX || package->source_length > TEXT_MAX))
        return ARMTAP_ERR_ARGUMENT;
    if (capacity < ARMTAP_RTDE_HEADER)
        return ARMTAP_ERR_SPACE;
    bool roomy = capacity > LARGEST;
    struct armtap_rtde_package p = *package;
    p.has_id = package->has_id || carries_id(package);
    struct writer writer = {bytes + ARMTAP_RTDE_HEADER, bytes + (roomy ? LARGEST : capacity), false, false};
    if (p.type == ARMTAP_RTDE_DATA)
        write_values(&writer, &p);
    else if (p.type == ARMTAP_RTDE_TEXT)
        write_text(&writer, &p);
    else if (p.direction == ARMTAP_TO_ROBOT)
        write_to_robot(&writer, &p);
    else
        write_from_robot(&writer, &p);
    if (writer.lacks)
        return ARMTAP_ERR_ARGUMENT;
    if (writer.full)
        return roomy ? ARMTAP_ERR_ARGUMENT : ARMTAP_ERR_SPACE;
    armtap_put16(bytes, (uint16_t)(writer.at - bytes));
    bytes[2] = (uint8_t)p.type;
    return (int)(writer.at - bytes);
}
