/* The blocks of a pcapng file that are no packets: sections, interfaces, statistics, and the comments of all blocks. */
#ifndef ARMTAP_PCAPNG_BLOCKS_H
#define ARMTAP_PCAPNG_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comments.h"

enum pcapng_type {
    PCAPNG_SECTION = 0x0A0D0D0A,
    PCAPNG_INTERFACE = 1,
    PCAPNG_OLD_PACKET = 2,
    PCAPNG_SIMPLE_PACKET = 3,
    PCAPNG_STATISTICS = 5,
    PCAPNG_PACKET = 6
};

/* Bytes of a section header up to the mark of its byte order, which comes first there, or of any other empty block. */
#define PCAPNG_BLOCK_MIN 12
/* In a section. */
#define PCAPNG_INTERFACES_MAX 65536

struct pcapng_interface {
    int link_type;
    uint32_t snapshot;  /* bytes; 0: no limit */
    uint8_t resolution; /* of times: 10^-n s, or with the highest bit 2^-n s */
    uint64_t unit;      /* ns in a unit of time; 0: it takes more than a factor */
    uint64_t unit_most; /* times up to this one need no more than the factor */
    int64_t offset;     /* s, added to times */
    uint64_t dropped;   /* packets, by the interface and by the system, from its newest statistics */
};

/* A comment's bytes, from outside; without a NUL. `index` of an interface in its section. */
typedef void pcapng_comment(void *user, enum comment_about about, size_t index, const char *text, size_t length);

struct pcapng {
    bool is_big; /* the section's byte order */
    size_t sections;
    struct pcapng_interface *interfaces; /* of the section */
    size_t count;
    uint64_t dropped_before;        /* in the sections before */
    struct section_comment comment; /* of the first section; all zeros if others differ in from_socket */
    pcapng_comment *on_comment;     /* NULL: none is called */
    void *user;
};

enum pcapng_outcome { PCAPNG_TAKEN, PCAPNG_BAD, PCAPNG_NO_MEMORY };

/* Starts as zeros. */
void armtap_pcapng_end(struct pcapng *pcapng);
/* Whether the block begins a section, and sets the byte order then; else false, with `is_bad` if it should. */
bool armtap_pcapng_begins_section(struct pcapng *pcapng, const uint8_t *block, bool *is_bad);
/* A block that is not a packet: its first `length` bytes, without the length at its end. BAD: `why` is a constant text.
 */
enum pcapng_outcome armtap_pcapng_take(struct pcapng *pcapng, uint32_t type, const uint8_t *block, size_t length,
                                       const char **why);
/* Calls on_comment for the comments among options that begin at `at`. */
void armtap_pcapng_comments(const struct pcapng *pcapng, enum comment_about about, size_t index, const uint8_t *block,
                            size_t at, size_t length);
/* ns since the epoch; ARMTAP_NO_TIME if 64 bits cannot hold it. */
int64_t armtap_pcapng_time(const struct pcapng_interface *interface, uint64_t time);
/* Packets dropped on all interfaces together. */
uint64_t armtap_pcapng_dropped(const struct pcapng *pcapng);

#endif
