#include "pcapng_blocks.h"

#include <string.h>

#define BLOCK_SECTION 0x0A0D0D0Au
#define BLOCK_INTERFACE 1u
#define BLOCK_STATISTICS 5u
#define OPTION_COMMENT 1u
#define OPTION_NAME 2u              /* of an interface description */
#define OPTION_INTERFACE_DROPPED 5u /* of interface statistics */
#define OPTION_SYSTEM_DROPPED 7u
#define OPTIONS_OF_SECTION 24
#define OPTIONS_OF_INTERFACE 16
#define OPTIONS_OF_STATISTICS 20
/* Type, length, and the byte-order magic if it is a section header. */
#define BLOCK_MINIMUM 12

static uint32_t load(const struct blocks *blocks, size_t at, size_t bytes)
{
    uint32_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | blocks->head[at + (blocks->big_endian ? i : bytes - 1 - i)];
    return number;
}

void blocks_begin(struct blocks *blocks)
{
    memset(blocks, 0, sizeof *blocks);
    blocks->wanted = BLOCK_MINIMUM;
}

struct option {
    uint32_t code;
    size_t at; /* offset of its value in the block */
    size_t length;
};

/* Reads the option at *at, and moves *at past it; false after the last. */
static bool next_option(const struct blocks *blocks, size_t *at, struct option *option)
{
    if (blocks->held < 4 || *at > blocks->held - 4)
        return false;
    *option = (struct option){load(blocks, *at, 2), *at + 4, load(blocks, *at + 2, 2)};
    *at = option->at + (option->length + 3) / 4 * 4;
    return option->code != 0 && option->length <= blocks->held - option->at;
}

static void take_name(struct blocks *blocks, struct blocks_interface *interface)
{
    struct option option;
    for (size_t at = OPTIONS_OF_INTERFACE; next_option(blocks, &at, &option);) {
        if (option.code != OPTION_NAME)
            continue;
        size_t kept = option.length < sizeof interface->name - 1 ? option.length : sizeof interface->name - 1;
        memcpy(interface->name, blocks->head + option.at, kept);
        interface->name[kept] = '\0';
        return;
    }
}

static uint64_t load_long(const struct blocks *blocks, size_t at)
{
    uint64_t first = load(blocks, at, 4), second = load(blocks, at + 4, 4);
    return blocks->big_endian ? first << 32 | second : second << 32 | first;
}

/* Statistics count from the start of the capture; the last ones are the newest. */
static void take_statistics(struct blocks *blocks)
{
    size_t number = blocks->section + (blocks->held >= OPTIONS_OF_STATISTICS ? load(blocks, 8, 4) : UINT32_MAX);
    uint64_t dropped = 0;
    struct option option;
    if (number >= blocks->count || number >= BLOCKS_INTERFACES)
        return;
    for (size_t at = OPTIONS_OF_STATISTICS; next_option(blocks, &at, &option);)
        if ((option.code == OPTION_INTERFACE_DROPPED || option.code == OPTION_SYSTEM_DROPPED) && option.length == 8)
            dropped += load_long(blocks, option.at);
    blocks->interface[number].dropped = dropped;
}

/* What holds for one section holds for the file only if it holds for all. */
static void take_section(struct blocks *blocks)
{
    struct section_comment comment = {.part = 0};
    struct option option;
    for (size_t at = OPTIONS_OF_SECTION; !comment.from_socket && next_option(blocks, &at, &option);)
        if (option.code == OPTION_COMMENT)
            comment = section_comment_read((const char *)blocks->head + option.at, option.length);
    if (blocks->sections++ == 0)
        blocks->comment = comment;
    else if (comment.from_socket != blocks->comment.from_socket)
        memset(&blocks->comment, 0, sizeof blocks->comment);
}

static void take_interface(struct blocks *blocks)
{
    if (blocks->count < BLOCKS_INTERFACES && blocks->held >= 16) {
        struct blocks_interface *interface = &blocks->interface[blocks->count];
        interface->link_type = (uint16_t)load(blocks, 8, 2);
        interface->snapshot_length = load(blocks, 12, 4);
        take_name(blocks, interface);
    }
    blocks->count++;
}

/* Called with the block's first 12 bytes, and again with all of it that is wanted. */
static void look(struct blocks *blocks)
{
    static const uint8_t big[] = {0x1A, 0x2B, 0x3C, 0x4D};
    uint32_t type, length;
    if (load(blocks, 0, 4) == BLOCK_SECTION) {
        blocks->big_endian = memcmp(blocks->head + 8, big, sizeof big) == 0;
        blocks->section = blocks->count;
    }
    type = load(blocks, 0, 4);
    length = load(blocks, 4, 4);
    if (length < BLOCK_MINIMUM || length % 4 != 0) {
        blocks->lost = true;
        return;
    }
    bool is_wanted = type == BLOCK_SECTION || type == BLOCK_INTERFACE || type == BLOCK_STATISTICS;
    if (is_wanted && blocks->held == BLOCK_MINIMUM && length > BLOCK_MINIMUM) {
        blocks->wanted = length < BLOCKS_HEAD ? length : BLOCKS_HEAD;
        return;
    }
    if (type == BLOCK_SECTION)
        take_section(blocks);
    else if (type == BLOCK_INTERFACE)
        take_interface(blocks);
    else if (type == BLOCK_STATISTICS)
        take_statistics(blocks);
    blocks->skip = length - blocks->held;
    blocks->held = 0;
    blocks->wanted = BLOCK_MINIMUM;
}

void blocks_push(struct blocks *blocks, const uint8_t *bytes, size_t length)
{
    while (length > 0 && !blocks->lost) {
        size_t part;
        if (blocks->skip > 0) {
            part = blocks->skip < length ? (size_t)blocks->skip : length;
            blocks->skip -= part;
        } else {
            part = blocks->wanted - blocks->held < length ? blocks->wanted - blocks->held : length;
            memcpy(blocks->head + blocks->held, bytes, part);
            blocks->held += part;
            if (blocks->held == blocks->wanted)
                look(blocks);
        }
        bytes += part;
        length -= part;
    }
}

bool blocks_differ(const struct blocks *blocks)
{
    size_t kept = blocks->count < BLOCKS_INTERFACES ? blocks->count : BLOCKS_INTERFACES;
    for (size_t i = 1; i < kept; i++)
        if (blocks->interface[i].link_type != blocks->interface[0].link_type ||
            blocks->interface[i].snapshot_length != blocks->interface[0].snapshot_length)
            return true;
    return false;
}

uint64_t blocks_dropped(const struct blocks *blocks)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < blocks->count && i < BLOCKS_INTERFACES; i++)
        dropped += blocks->interface[i].dropped;
    return dropped;
}
