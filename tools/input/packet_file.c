#define _DEFAULT_SOURCE /* madvise */
#include "packet_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/little_endian.h"
#include "input_files.h"
#include "mapped_file.h"
#include "nanoseconds.h"
#include "rare.h"

/* The largest packet that libpcap accepts. */
#define SNAPSHOT_MAX 262144u
#define PAGE ((size_t)4096)
#define LARGE_PAGE ((size_t)2 * 1024 * 1024)
#define KEPT_MAX 65536
#define INTERFACES_MAX 32

/* pcap */
#define FILE_HEADER 24
#define RECORD_HEADER 16
#define MAGIC_MICROSECONDS 0xA1B2C3D4u
#define MAGIC_NANOSECONDS 0xA1B23C4Du

/* pcapng */
#define BLOCK_MIN 12
#define BLOCK_MAX (SNAPSHOT_MAX + 4096)
#define SECTION_MIN 28
#define INTERFACE_MIN 20
#define PACKET_MIN 32
#define MAGIC_SECTION 0x1A2B3C4Du
enum block_type {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_NAMES = 4,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    BLOCK_SECRETS = 10
};
enum { OPTION_END = 0, OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };

struct packet_file {
    struct reader *reader;
    struct mapped_file *mapped; /* the reader's */
    packet_file_block *on_block;
    void *user;
    packet_file_turn *on_turn;
    void *turn_user;
    bool is_pcapng;
    int link_type; /* -1: not known yet */
    uint32_t snapshot;
    uint32_t said_snapshot;              /* as the header has it */
    bool is_nanoseconds[INTERFACES_MAX]; /* pcap: the first */
    size_t interfaces;
    size_t kept, handed_over; /* bytes of `header` */
    size_t at, end;           /* of `buffer` */
    uint8_t header[KEPT_MAX]; /* what libpcap needs before it can go on with a packet */
    uint8_t *own_buffer, *buffer;
    size_t capacity;       /* of `buffer` */
    bool is_lent, is_full; /* full: another one must be lent */
};

struct packet_file *packet_file_new(struct reader *reader, bool is_pcapng, packet_file_block *on_block, void *user)
{
    struct packet_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->capacity = PACKET_FILE_BUFFER;
    file->buffer = file->own_buffer = packet_file_buffer(file->capacity);
    if (!file->buffer) {
        free(file);
        return NULL;
    }
    file->reader = reader;
    file->mapped = reader_allow_mapping(reader);
    file->is_pcapng = is_pcapng;
    file->on_block = on_block;
    file->user = user;
    file->link_type = -1;
    file->at = file->end = PACKET_FILE_CARRY;
    return file;
}

void packet_file_free(struct packet_file *file)
{
    if (!file)
        return;
    reader_end_mapping(file->reader);
    free(file->own_buffer);
    free(file);
}

void packet_file_on_turn(struct packet_file *file, packet_file_turn *on_turn, void *user)
{
    file->on_turn = on_turn;
    file->turn_user = user;
}

/* The kernel copies whole pages faster, and it takes long to give a large buffer its pages one by one. */
uint8_t *packet_file_buffer(size_t length)
{
    size_t page = length < LARGE_PAGE ? PAGE : LARGE_PAGE;
    uint8_t *buffer = aligned_alloc(page, (length + page - 1) / page * page);
#ifdef MADV_HUGEPAGE
    if (buffer && page == LARGE_PAGE)
        (void)madvise(buffer, length / page * page, MADV_HUGEPAGE);
#endif
    return buffer;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static const uint8_t *here(const struct packet_file *file)
{
    return file->buffer + file->at;
}

/* Makes room for a block in a buffer, behind what is left of the one before. */
static void turn_over(struct packet_file *file, uint8_t *buffer)
{
    size_t rest = file->end - file->at;
    if (file->on_turn)
        file->on_turn(file->turn_user, true);
    memmove(buffer + PACKET_FILE_CARRY - rest, here(file), rest);
    file->buffer = buffer;
    file->at = PACKET_FILE_CARRY - rest;
    file->end = PACKET_FILE_CARRY;
}

void packet_file_lend(struct packet_file *file, uint8_t *buffer, size_t length)
{
    turn_over(file, buffer);
    reader_end_mapping(file->reader);
    file->capacity = length;
    file->is_lent = true;
    file->is_full = false;
}

/* Reads on until so many bytes follow; false if there are fewer, or a lent buffer is full. */
ARMTAP_RARE static bool read_on(struct packet_file *file, size_t length)
{
    while (file->end - file->at < length) {
        if (file->capacity - file->end < INPUT_BLOCK) {
            file->is_full = file->is_lent;
            turn_over(file, file->is_full ? file->own_buffer : file->buffer);
            if (file->is_full)
                return false;
        }
        size_t got = reader_read(file->reader, file->buffer + file->end, INPUT_BLOCK);
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
static enum packet_file_outcome at_end(const struct packet_file *file)
{
    if (file->is_full)
        return PACKET_FILE_FULL;
    return file->at == file->end ? PACKET_FILE_END : PACKET_FILE_UNUSUAL;
}

static uint32_t word(const struct packet_file *file, size_t offset)
{
    return le32_load((const char *)here(file) + offset);
}

static uint16_t half_word(const struct packet_file *file, size_t offset)
{
    return (uint16_t)(here(file)[offset] | here(file)[offset + 1] << 8);
}

static bool keep(struct packet_file *file, size_t length)
{
    if (KEPT_MAX - file->kept < length)
        return false;
    memcpy(file->header + file->kept, here(file), length);
    file->kept += length;
    return true;
}

/* Numbers of link types that mean the same in files, in libpcap and in armtap. */
static bool is_usual(int link_type)
{
    static const int usual[] = {0, 1, 101, 108, 113, 228, 229, 276};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i] == link_type)
            return true;
    return false;
}

/* libpcap cuts or refuses packets that are longer. */
static uint32_t snapshot_of(uint32_t said)
{
    return said == 0 || said > SNAPSHOT_MAX ? SNAPSHOT_MAX : said;
}

/* ---- pcap -------------------------------------------------------------------------------------------------------- */

static enum packet_file_outcome begin_pcap(struct packet_file *file)
{
    if (!has(file, FILE_HEADER))
        return PACKET_FILE_UNUSUAL;
    uint32_t magic = word(file, 0), network = word(file, 20);
    bool is_known = magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS;
    if (!is_known || word(file, 4) != (2 | 4 << 16) || network > UINT16_MAX || !is_usual((int)network))
        return PACKET_FILE_UNUSUAL;
    file->is_nanoseconds[0] = magic == MAGIC_NANOSECONDS;
    file->snapshot = snapshot_of(word(file, 16));
    file->link_type = (int)network;
    keep(file, FILE_HEADER);
    file->at += FILE_HEADER;
    return PACKET_FILE_PACKET;
}

static enum packet_file_outcome next_record(struct packet_file *file, struct armtap_packet *packet)
{
    if (!has(file, RECORD_HEADER))
        return at_end(file);
    uint32_t seconds = word(file, 0), fraction = word(file, 4), captured = word(file, 8), length = word(file, 12);
    bool is_fine = file->is_nanoseconds[0];
    if (seconds > INT32_MAX || fraction >= (is_fine ? SECOND : SECOND / 1000) || captured > file->snapshot)
        return PACKET_FILE_UNUSUAL;
    if (!has(file, RECORD_HEADER + captured))
        return file->is_full ? PACKET_FILE_FULL : PACKET_FILE_UNUSUAL;
    *packet =
        (struct armtap_packet){.link_type = file->link_type,
                               .where = {.time = (int64_t)seconds * SECOND + (int64_t)fraction * (is_fine ? 1 : 1000)},
                               .data = here(file) + RECORD_HEADER,
                               .captured = captured,
                               .length = length};
    file->at += RECORD_HEADER + captured;
    mapped_file_bring(file->mapped, RECORD_HEADER + captured);
    return PACKET_FILE_PACKET;
}

/* ---- pcapng ------------------------------------------------------------------------------------------------------ */

static bool take_section(struct packet_file *file, uint32_t length)
{
    uint16_t minor = length >= SECTION_MIN ? half_word(file, 14) : 1;
    return file->kept == 0 && word(file, 8) == MAGIC_SECTION && half_word(file, 12) == 1 &&
           (minor == 0 || minor == 2) && keep(file, length);
}

/* The resolution of an interface's times; false if they have another one, or an offset. */
static bool take_options(struct packet_file *file, uint32_t length, bool *is_nanoseconds)
{
    for (size_t at = 16; at + 4 <= length - 4;) {
        uint16_t code = half_word(file, at), size = half_word(file, at + 2);
        if (code == OPTION_END)
            return size == 0;
        if (((size_t)size + 3) / 4 * 4 > length - 8 - at || code == OPTION_OFFSET)
            return false;
        uint8_t resolution = code == OPTION_RESOLUTION ? here(file)[at + 4] : 6;
        if (code == OPTION_RESOLUTION && (size != 1 || (resolution != 6 && resolution != 9)))
            return false;
        *is_nanoseconds = *is_nanoseconds || resolution == 9;
        at += 4 + ((size_t)size + 3) / 4 * 4;
    }
    return true;
}

static bool take_interface(struct packet_file *file, uint32_t length)
{
    if (file->kept == 0 || length < INTERFACE_MIN || file->interfaces == INTERFACES_MAX)
        return false;
    int link_type = half_word(file, 8);
    uint32_t snapshot = word(file, 12);
    bool is_alike = file->interfaces == 0 || (link_type == file->link_type && snapshot == file->said_snapshot);
    bool *is_nanoseconds = &file->is_nanoseconds[file->interfaces];
    if (!is_alike || !is_usual(link_type) || !take_options(file, length, is_nanoseconds) || !keep(file, length))
        return false;
    file->interfaces++;
    file->link_type = link_type;
    file->said_snapshot = snapshot;
    file->snapshot = snapshot_of(snapshot);
    return true;
}

/* A block that is not a packet; false if it is unusual. */
ARMTAP_RARE static bool take_block(struct packet_file *file, uint32_t type, uint32_t length)
{
    bool is_good = type == BLOCK_SECTION ? take_section(file, length)
                   : type == BLOCK_INTERFACE
                       ? take_interface(file, length)
                       : file->kept > 0 && (type == BLOCK_NAMES || type == BLOCK_STATISTICS || type == BLOCK_SECRETS);
    if (is_good && file->on_block)
        file->on_block(file->user, here(file), length);
    file->at += is_good ? length : 0;
    return is_good;
}

static bool take_packet(struct packet_file *file, uint32_t length, struct armtap_packet *packet)
{
    if (length < PACKET_MIN)
        return false;
    uint32_t interface = word(file, 8), captured = word(file, 20);
    uint64_t time = (uint64_t)word(file, 12) << 32 | word(file, 16);
    if (interface >= file->interfaces || captured > length - PACKET_MIN || captured > file->snapshot)
        return false;
    uint64_t unit = file->is_nanoseconds[interface] ? 1 : 1000;
    if (time > INT64_MAX / 2 / unit)
        return false;
    *packet = (struct armtap_packet){.link_type = file->link_type,
                                     .where = {.time = (int64_t)(time * unit)},
                                     .data = here(file) + 28,
                                     .captured = captured,
                                     .length = word(file, 24)};
    file->at += length;
    mapped_file_bring(file->mapped, length);
    return true;
}

/* A whole block follows; false: none, or an unusual one. */
static bool has_block(struct packet_file *file, uint32_t *length)
{
    if (!has(file, BLOCK_MIN))
        return false;
    *length = word(file, 4);
    return *length >= BLOCK_MIN && *length % 4 == 0 && *length <= BLOCK_MAX && has(file, *length) &&
           word(file, *length - 4) == *length;
}

/* Up to a packet, or where it is wanted only up to the first interface. */
static inline enum packet_file_outcome next_block(struct packet_file *file, struct armtap_packet *packet)
{
    uint32_t length;
    while (has_block(file, &length)) {
        uint32_t type = word(file, 0);
        if (type == BLOCK_PACKET)
            return packet && take_packet(file, length, packet) ? PACKET_FILE_PACKET : PACKET_FILE_UNUSUAL;
        if (!take_block(file, type, length))
            return PACKET_FILE_UNUSUAL;
        if (!packet && file->interfaces > 0)
            return PACKET_FILE_PACKET;
    }
    return at_end(file);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

enum packet_file_outcome packet_file_begin(struct packet_file *file, int *link_type)
{
    enum packet_file_outcome outcome = file->is_pcapng ? next_block(file, NULL) : begin_pcap(file);
    *link_type = file->link_type;
    return outcome == PACKET_FILE_PACKET ? outcome : PACKET_FILE_UNUSUAL;
}

enum packet_file_outcome packet_file_next(struct packet_file *file, struct armtap_packet *packet)
{
    return file->is_pcapng ? next_block(file, packet) : next_record(file, packet);
}

size_t packet_file_hand_over(struct packet_file *file, void *to, size_t room, bool *is_known)
{
    reader_end_mapping(file->reader);
    *is_known = file->handed_over < file->kept;
    size_t *at = *is_known ? &file->handed_over : &file->at;
    size_t length = (*is_known ? file->kept : file->end) - *at;
    length = length < room ? length : room;
    memcpy(to, (*is_known ? file->header : file->buffer) + *at, length);
    *at += length;
    return length;
}
