#define _POSIX_C_SOURCE 200809L
#include "packet_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "nanoseconds.h"
#include "speed.h"
#include "system.h"

/* The largest packet that programs write; more of one is not kept. */
#define SNAPSHOT_MAX 262144u
#define PROBLEM_MAX 160
/* Where in the buffer a block begins. It is read to where the one before ended, so that packets are whole in memory: in
 * front of it is room for the beginning of a packet. */
#define CARRY (3 * SOURCE_BLOCK)
#define BUFFER (CARRY + SOURCE_BLOCK)

/* pcap */
#define FILE_HEADER 24
#define RECORD_HEADER 16
#define PATCHED_HEADER 24 /* of Kuznetzov's libpcap: with an interface and a protocol */
#define LINK_TYPE 0x03FFFFFFu
#define MINOR_PLAIN 4 /* from this version on the captured length comes first */

static const struct variant {
    uint32_t magic;
    uint32_t fraction; /* ns */
    uint8_t record;    /* bytes of a header */
} variants[] = {{0xA1B2C3D4, 1000, RECORD_HEADER}, {0xA1B23C4D, 1, RECORD_HEADER}, {0xA1B2CD34, 1000, PATCHED_HEADER}};

/* pcapng */
#define BLOCK_HELD (SNAPSHOT_MAX + 4096) /* of longer ones the rest is skipped */
#define BLOCK_MAX (16u * 1024 * 1024)
#define BLOCK_END 4 /* its length again */
#define PACKET_HEAD 28
#define SIMPLE_HEAD 12

enum swapped { SWAPPED_NEVER, SWAPPED_PERHAPS, SWAPPED_ALWAYS };

struct packet_file {
    byte_source *source;
    void *from;
    bool is_pcapng, is_big;
    bool is_cut;
    char problem[PROBLEM_MAX];
    /* pcap */
    int link_type;
    uint32_t magic;
    uint32_t fraction;
    size_t record;
    enum swapped swapped;
    /* pcapng */
    struct pcapng pcapng;
    uint32_t skip; /* bytes of a long block, up to the next */
    /* both */
    size_t at, end;  /* of `buffer` */
    uint8_t *buffer; /* of BUFFER bytes */
};

static bool is_magic(const uint8_t *first, uint32_t magic)
{
    uint32_t little = armtap_le32(first), big = armtap_be32(first);
    return little == magic || big == magic;
}

bool armtap_packet_file_is_one(const uint8_t first[PACKET_FILE_MAGIC], bool *is_pcapng)
{
    *is_pcapng = is_magic(first, PCAPNG_SECTION);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (is_magic(first, variants[i].magic))
            return true;
    return *is_pcapng;
}

struct packet_file *armtap_packet_file_new(byte_source *source, void *from, bool is_pcapng, pcapng_comment *on_comment,
                                           void *user)
{
    struct packet_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->buffer = system_pages(BUFFER); /* the kernel copies whole pages faster */
    if (!file->buffer) {
        free(file);
        return NULL;
    }
    file->source = source;
    file->from = from;
    file->is_pcapng = is_pcapng;
    file->pcapng.on_comment = on_comment;
    file->pcapng.user = user;
    file->at = file->end = CARRY;
    return file;
}

void armtap_packet_file_free(struct packet_file *file)
{
    if (!file)
        return;
    armtap_pcapng_end(&file->pcapng);
    free(file->buffer);
    free(file);
}

const struct section_comment *armtap_packet_file_section(const struct packet_file *file)
{
    return &file->pcapng.comment;
}

uint64_t armtap_packet_file_dropped(const struct packet_file *file)
{
    return armtap_pcapng_dropped(&file->pcapng);
}

const char *armtap_packet_file_problem(const struct packet_file *file, bool *is_cut)
{
    *is_cut = file->is_cut;
    return file->problem;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static inline const uint8_t *here(const struct packet_file *file)
{
    return file->buffer + file->at;
}

/* Makes room for a block, behind what is left of the one before. */
static void turn_over(struct packet_file *file)
{
    size_t rest = file->end - file->at;
    memmove(file->buffer + CARRY - rest, here(file), rest);
    file->at = CARRY - rest;
    file->end = CARRY;
}

/* Reads on until so many bytes follow; false if there are fewer. */
ARMTAP_RARE static bool read_on(struct packet_file *file, size_t length)
{
    while (file->end - file->at < length) {
        if (BUFFER - file->end < SOURCE_BLOCK)
            turn_over(file);
        size_t got = file->source(file->from, file->buffer + file->end, SOURCE_BLOCK);
        if (got == 0)
            return false;
        file->end += got;
    }
    return true;
}

/* Whether so many bytes follow. */
static inline bool has(struct packet_file *file, size_t length)
{
    return file->end - file->at >= length || read_on(file, length);
}

/* Where fewer bytes follow than were wanted. */
ARMTAP_RARE static enum packet_file_outcome at_end(struct packet_file *file, size_t wanted, const char *of)
{
    if (file->at == file->end)
        return PACKET_FILE_END;
    file->is_cut = true;
    snprintf(file->problem, sizeof file->problem, "of %zu bytes of a %s there are %zu", wanted, of,
             file->end - file->at);
    return PACKET_FILE_DAMAGED;
}

ARMTAP_RARE static enum packet_file_outcome damaged(struct packet_file *file, const char *why)
{
    snprintf(file->problem, sizeof file->problem, "%s", why);
    return PACKET_FILE_DAMAGED;
}

ARMTAP_RARE static enum packet_file_outcome absurd(struct packet_file *file, const char *what, uint32_t length)
{
    snprintf(file->problem, sizeof file->problem, "%s says that it has %" PRIu32 " bytes", what, length);
    return PACKET_FILE_DAMAGED;
}

static inline uint32_t word(const struct packet_file *file, size_t offset)
{
    const uint8_t *at = here(file) + offset;
    return file->is_big ? armtap_be32(at) : armtap_le32(at);
}

static inline uint16_t half_word(const struct packet_file *file, size_t offset)
{
    const uint8_t *at = here(file) + offset;
    return (uint16_t)(file->is_big ? at[0] << 8 | at[1] : at[0] | at[1] << 8);
}

/* ---- pcap -------------------------------------------------------------------------------------------------------- */

static const struct variant *find_variant(struct packet_file *file)
{
    for (int big = 0; big < 2; big++) {
        file->is_big = big;
        for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
            if (word(file, 0) == variants[i].magic)
                return &variants[i];
    }
    return NULL;
}

/* Old programs wrote a packet's own length before the captured one. 543.0 is one of them. */
static bool take_version(struct packet_file *file, unsigned major, unsigned minor)
{
    file->swapped = major == 543 || minor < MINOR_PLAIN - 1 ? SWAPPED_ALWAYS
                    : minor == MINOR_PLAIN - 1              ? SWAPPED_PERHAPS
                                                            : SWAPPED_NEVER;
    return major == 2 || major == 543;
}

static enum packet_file_outcome begin_pcap(struct packet_file *file)
{
    if (!has(file, FILE_HEADER))
        return at_end(file, FILE_HEADER, "file header");
    const struct variant *variant = find_variant(file);
    if (!variant || !take_version(file, half_word(file, 4), half_word(file, 6)))
        return damaged(file, "its header has a version of pcap that armtap does not know");
    file->magic = variant->magic;
    file->fraction = variant->fraction;
    file->record = variant->record;
    file->link_type = (int)(word(file, 20) & LINK_TYPE);
    file->at += FILE_HEADER;
    return PACKET_FILE_PACKET;
}

/* A fraction of more than a second is damage: which time it was is not known. */
static inline int64_t record_time(const struct packet_file *file)
{
    int64_t fraction = (int64_t)word(file, 4) * (int64_t)file->fraction;
    return fraction < SECOND ? (int64_t)word(file, 0) * SECOND + fraction : ARMTAP_NO_TIME;
}

/* Captures that were put together by cat: the header of the next one, where a packet would have a time in 2055. */
static inline bool is_next_file(const struct packet_file *file)
{
    return word(file, 0) == file->magic && word(file, 8) == 0 && word(file, 12) == 0 && half_word(file, 4) == 2 &&
           half_word(file, 6) == MINOR_PLAIN;
}

static inline enum packet_file_outcome next_record(struct packet_file *file, struct armtap_packet *packet)
{
    enum packet_file_outcome outcome = PACKET_FILE_PACKET;
    bool has_head;
    while ((has_head = has(file, file->record)) && is_next_file(file) && outcome == PACKET_FILE_PACKET)
        outcome = begin_pcap(file);
    if (outcome != PACKET_FILE_PACKET)
        return outcome;
    if (!has_head)
        return at_end(file, file->record, "packet's header");
    uint32_t captured = word(file, 8), length = word(file, 12);
    if (file->swapped != SWAPPED_NEVER && (file->swapped == SWAPPED_ALWAYS || captured > length)) {
        uint32_t first = captured;
        captured = length;
        length = first;
    }
    if (captured > SNAPSHOT_MAX)
        return absurd(file, "a packet", captured);
    if (!has(file, file->record + captured))
        return at_end(file, file->record + captured, "packet");
    *packet = (struct armtap_packet){.size = sizeof(struct armtap_packet),
                                     .link_type = file->link_type,
                                     .where = {.size = sizeof packet->where, .time = record_time(file)},
                                     .data = here(file) + file->record,
                                     .captured = captured,
                                     .length = length};
    file->at += file->record + captured;
    return PACKET_FILE_PACKET;
}

/* ---- pcapng ------------------------------------------------------------------------------------------------------ */

/* The interface of a packet; NULL if the section has none of that number. */
static inline const struct pcapng_interface *interface_of(struct packet_file *file, uint32_t number)
{
    if (number < file->pcapng.count)
        return &file->pcapng.interfaces[number];
    snprintf(file->problem, sizeof file->problem, "a packet is of interface %" PRIu32 ", which its section lacks",
             number);
    return NULL;
}

static inline enum packet_file_outcome take_enhanced(struct packet_file *file, uint32_t type, size_t held,
                                                     struct armtap_packet *packet)
{
    if (held < PACKET_HEAD)
        return damaged(file, "a packet's block is too short");
    uint32_t captured = word(file, 20), number = type == PCAPNG_PACKET ? word(file, 8) : half_word(file, 8);
    const struct pcapng_interface *interface = interface_of(file, number);
    if (!interface)
        return PACKET_FILE_DAMAGED;
    size_t padded = ((size_t)captured + 3) / 4 * 4;
    if (captured > (held < BLOCK_HELD ? held - PACKET_HEAD : BLOCK_MAX))
        return absurd(file, "a packet, more than its block,", captured);
    uint64_t time = (uint64_t)word(file, 12) << 32 | word(file, 16);
    *packet = (struct armtap_packet){.size = sizeof(struct armtap_packet),
                                     .link_type = interface->link_type,
                                     .where = {.size = sizeof packet->where,
                                               .time = interface->unit > 0 && time <= interface->unit_most
                                                           ? (int64_t)(time * interface->unit)
                                                           : armtap_pcapng_time(interface, time)},
                                     .data = here(file) + PACKET_HEAD,
                                     .captured = captured < SNAPSHOT_MAX ? captured : SNAPSHOT_MAX,
                                     .length = word(file, 24)};
    if (held > PACKET_HEAD + padded)
        armtap_pcapng_comments(&file->pcapng, COMMENT_PACKET, number, here(file), PACKET_HEAD + padded, held);
    return PACKET_FILE_PACKET;
}

/* It has no time, and is cut to the snapshot length of the section's first interface. */
static enum packet_file_outcome take_simple(struct packet_file *file, size_t held, struct armtap_packet *packet)
{
    const struct pcapng_interface *interface = interface_of(file, 0);
    if (!interface)
        return PACKET_FILE_DAMAGED;
    if (held < SIMPLE_HEAD)
        return damaged(file, "a packet's block is too short");
    uint32_t length = word(file, 8);
    size_t captured = length < held - SIMPLE_HEAD ? length : held - SIMPLE_HEAD;
    if (interface->snapshot > 0 && captured > interface->snapshot)
        captured = interface->snapshot;
    *packet = (struct armtap_packet){.size = sizeof(struct armtap_packet),
                                     .link_type = interface->link_type,
                                     .where = {.size = sizeof packet->where, .time = ARMTAP_NO_TIME},
                                     .data = here(file) + SIMPLE_HEAD,
                                     .captured = captured < SNAPSHOT_MAX ? captured : SNAPSHOT_MAX,
                                     .length = length};
    return PACKET_FILE_PACKET;
}

/* Skips the rest of a long block. */
ARMTAP_RARE static enum packet_file_outcome skip(struct packet_file *file)
{
    while (file->skip > 0) {
        if (!has(file, 1)) {
            file->is_cut = true;
            return damaged(file, "the end of a block is missing");
        }
        size_t length = file->end - file->at < file->skip ? file->end - file->at : file->skip;
        file->at += length;
        file->skip -= (uint32_t)length;
    }
    return PACKET_FILE_PACKET;
}

/* Reads the head of a block, and all that is held of it. */
static inline enum packet_file_outcome begin_block(struct packet_file *file, uint32_t *length, size_t *held)
{
    bool is_bad = false;
    if (!has(file, PCAPNG_BLOCK_MIN))
        return at_end(file, PCAPNG_BLOCK_MIN, "block");
    if (here(file)[0] == (PCAPNG_SECTION & 0xFF))
        armtap_pcapng_begins_section(&file->pcapng, here(file), &is_bad);
    if (is_bad)
        return damaged(file, "a section does not show its byte order");
    file->is_big = file->pcapng.is_big;
    *length = word(file, 4);
    if (*length < PCAPNG_BLOCK_MIN || *length % 4 != 0 || *length > BLOCK_MAX)
        return absurd(file, "a block", *length);
    *held = *length <= BLOCK_HELD ? *length : BLOCK_HELD;
    if (!has(file, *held))
        return at_end(file, *length, "block");
    if (*held == *length && word(file, *length - BLOCK_END) != *length)
        return damaged(file, "a block's two lengths differ");
    return PACKET_FILE_PACKET;
}

/* So much of the block is before its end, and held. */
static inline size_t before_end(uint32_t length, size_t held)
{
    return held < length ? held : held - BLOCK_END;
}

/* A block that is not a packet. */
ARMTAP_RARE static enum packet_file_outcome take_other(struct packet_file *file, uint32_t type, size_t held)
{
    const char *why = "";
    enum pcapng_outcome outcome = armtap_pcapng_take(&file->pcapng, type, here(file), held, &why);
    return outcome == PCAPNG_TAKEN       ? PACKET_FILE_PACKET
           : outcome == PCAPNG_NO_MEMORY ? PACKET_FILE_NO_MEMORY
                                         : damaged(file, why);
}

static inline enum packet_file_outcome take_block(struct packet_file *file, size_t held, struct armtap_packet *packet,
                                                  bool *is_packet)
{
    uint32_t type = word(file, 0);
    *is_packet = type == PCAPNG_PACKET || type == PCAPNG_OLD_PACKET || type == PCAPNG_SIMPLE_PACKET;
    if (!*is_packet)
        return take_other(file, type, held);
    if (!packet)
        return damaged(file, "a packet comes before its interface");
    return type == PCAPNG_SIMPLE_PACKET ? take_simple(file, held, packet) : take_enhanced(file, type, held, packet);
}

/* Up to a packet, or where none is wanted up to the first interface. */
static inline enum packet_file_outcome next_block(struct packet_file *file, struct armtap_packet *packet)
{
    uint32_t length = 0;
    size_t held = 0;
    bool is_packet = false;
    enum packet_file_outcome outcome = PACKET_FILE_PACKET;
    while (outcome == PACKET_FILE_PACKET && !is_packet && (packet || file->pcapng.count == 0)) {
        if (file->skip > 0 && (outcome = skip(file)) != PACKET_FILE_PACKET)
            break;
        if ((outcome = begin_block(file, &length, &held)) != PACKET_FILE_PACKET)
            break;
        outcome = take_block(file, before_end(length, held), packet, &is_packet);
        if (outcome != PACKET_FILE_PACKET)
            break;
        file->skip = length - (uint32_t)held;
        file->at += held;
    }
    return outcome;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

enum packet_file_outcome armtap_packet_file_begin(struct packet_file *file, int *link_type)
{
    enum packet_file_outcome outcome = file->is_pcapng ? next_block(file, NULL) : begin_pcap(file);
    *link_type = !file->is_pcapng         ? file->link_type
                 : file->pcapng.count > 0 ? file->pcapng.interfaces[0].link_type
                                          : -1;
    return outcome;
}

enum packet_file_outcome armtap_packet_file_next(struct packet_file *file, struct armtap_packet *packet)
{
    return file->is_pcapng ? next_block(file, packet) : next_record(file, packet);
}
