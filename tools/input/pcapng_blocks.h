/* Scans the blocks of a pcapng file for its interfaces, their drop counts, and armtap's comment: libpcap does not name
 * the interfaces when it refuses a file, and never exposes statistics and comments. */
#ifndef INPUT_PCAPNG_BLOCKS_H
#define INPUT_PCAPNG_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "section_comment.h"

#define BLOCKS_INTERFACES 32
#define BLOCKS_HEAD 512

struct blocks_interface {
    uint16_t link_type;
    uint32_t snapshot_length; /* 0: no limit */
    char name[32];            /* "" if it has none */
    uint64_t dropped;         /* packets, by the interface and by the system, from its newest statistics */
};

struct blocks {
    bool lost; /* a block's length is invalid: the rest is ignored */
    bool big_endian;
    size_t count;   /* of all interfaces; the first BLOCKS_INTERFACES are kept */
    size_t section; /* interfaces before this section, which counts its own from 0 */
    struct blocks_interface interface[BLOCKS_INTERFACES];
    size_t sections;
    struct section_comment comment; /* of the first section; all zeros if others differ in from_socket */
    uint64_t skip;                  /* bytes to the end of the block */
    size_t wanted;                  /* bytes of the block to gather before parsing it */
    size_t held;
    uint8_t head[BLOCKS_HEAD];
};
void blocks_begin(struct blocks *blocks);
/* The next bytes of the file, any number. */
void blocks_push(struct blocks *blocks, const uint8_t *bytes, size_t length);
/* Whether interfaces differ in link type or snapshot length. */
bool blocks_differ(const struct blocks *blocks);
/* Packets dropped on all interfaces together. */
uint64_t blocks_dropped(const struct blocks *blocks);

#endif
