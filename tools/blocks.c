#include "blocks.h"

#include <string.h>

#define BLOCK_SECTION 0x0A0D0D0Au
#define BLOCK_INTERFACE 1u
#define OPTION_NAME 2u
/* Type, length, and what tells the byte order where it is a section's beginning. */
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

static void take_name(struct blocks *blocks, struct blocks_interface *interface)
{
    for (size_t at = 16; at + 4 <= blocks->held;) {
        uint32_t option = load(blocks, at, 2), length = load(blocks, at + 2, 2);
        at += 4;
        if (option == 0 || length > blocks->held - at)
            return;
        if (option == OPTION_NAME) {
            size_t kept = length < sizeof interface->name - 1 ? length : sizeof interface->name - 1;
            memcpy(interface->name, blocks->head + at, kept);
            interface->name[kept] = '\0';
            return;
        }
        at += (length + 3) / 4 * 4;
    }
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

/* The block's first 12 bytes are there, or all of it that is to be looked at. */
static void look(struct blocks *blocks)
{
    static const uint8_t big[] = {0x1A, 0x2B, 0x3C, 0x4D};
    uint32_t type, length;
    if (load(blocks, 0, 4) == BLOCK_SECTION)
        blocks->big_endian = memcmp(blocks->head + 8, big, sizeof big) == 0;
    type = load(blocks, 0, 4);
    length = load(blocks, 4, 4);
    if (length < BLOCK_MINIMUM || length % 4 != 0) {
        blocks->lost = true;
        return;
    }
    if (type == BLOCK_INTERFACE && blocks->held == BLOCK_MINIMUM && length > BLOCK_MINIMUM) {
        blocks->wanted = length < BLOCKS_HEAD ? length : BLOCKS_HEAD;
        return;
    }
    if (type == BLOCK_INTERFACE)
        take_interface(blocks);
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
