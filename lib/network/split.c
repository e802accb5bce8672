/* Deals the packets of a capture out to nets, by their connections. */
#include "bytes.h"
#include "packet/link.h"

#include <stdlib.h>
#include <string.h>

enum { ETHERNET = 1, TYPE_AT = 12, IP_AT = 14, TCP_AT = 34, HEADERS = 54, WORDS = 65536 / 64 };

struct armtap_split {
    unsigned parts;
    struct armtap_where last;
    uint64_t is_telemetry[WORDS]; /* by port: a bit for those on which a decoder or the user expects telemetry */
};

static void add_port(struct armtap_split *split, uint16_t port)
{
    split->is_telemetry[port / 64] |= UINT64_C(1) << port % 64;
}

int armtap_split_new(const struct armtap_port *ports, size_t count, unsigned parts, struct armtap_split **out)
{
    struct armtap_port known;
    if (out)
        *out = NULL;
    if (!out || parts == 0 || parts > ARMTAP_PARTS_MAX || (count && !ports))
        return ARMTAP_ERR_ARGUMENT;
    struct armtap_split *split = calloc(1, sizeof *split);
    if (!split)
        return ARMTAP_ERR_MEMORY;
    split->parts = parts;
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        add_port(split, known.port);
    for (size_t i = 0; i < count; i++)
        add_port(split, ports[i].port);
    *out = split;
    return ARMTAP_OK;
}

void armtap_split_free(struct armtap_split *split)
{
    free(split);
}

static bool has_port(const struct armtap_split *split, uint16_t port)
{
    return split->is_telemetry[port / 64] >> port % 64 & 1;
}

/* The same for both directions. */
static unsigned part_of(const struct armtap_split *split, uint64_t one, uint64_t other, uint16_t port,
                        uint16_t other_port)
{
    if (!has_port(split, port) && !has_port(split, other_port))
        return 0;
    uint64_t a = (one ^ (uint64_t)port << 40) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t b = (other ^ (uint64_t)other_port << 40) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t both = ((a ^ a >> 32) + (b ^ b >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return (unsigned)((both >> 32) * split->parts >> 32);
}

static uint64_t address_number(const struct armtap_address *address)
{
    uint64_t high, low;
    memcpy(&low, address->bytes, sizeof low);
    memcpy(&high, address->bytes + sizeof low, sizeof high);
    return low ^ high * UINT64_C(0xd6e8feb86659fd93);
}

/* Whether it is TCP over IPv4 over Ethernet, without options or fragments, as nearly all are. */
static bool is_usual(const struct armtap_packet *packet)
{
    static const uint8_t type_and_version[] = {0x08, 0x00, 0x45}; /* and the length of a header without options */
    enum { FRAGMENT_AT = IP_AT + 6, PROTOCOL_AT = IP_AT + 9, PROTOCOL_TCP = 6, OFFSET = 0x1fff };
    return packet->link_type == ETHERNET && packet->captured >= HEADERS &&
           memcmp(packet->data + TYPE_AT, type_and_version, sizeof type_and_version) == 0 &&
           packet->data[PROTOCOL_AT] == PROTOCOL_TCP && !(armtap_be16(packet->data + FRAGMENT_AT) & OFFSET);
}

static unsigned part_of_usual(const struct armtap_split *split, const uint8_t *data)
{
    uint32_t source, target;
    memcpy(&source, data + IP_AT + 12, sizeof source);
    memcpy(&target, data + IP_AT + 16, sizeof target);
    uint8_t bytes[2][8] = {{0}};
    uint64_t one, other;
    memcpy(bytes[0], &source, sizeof source);
    memcpy(bytes[1], &target, sizeof target);
    memcpy(&one, bytes[0], sizeof one);
    memcpy(&other, bytes[1], sizeof other);
    return part_of(split, one, other, armtap_be16(data + TCP_AT), armtap_be16(data + TCP_AT + 2));
}

/* Whatever has no connection is the first part's. */
static unsigned part_of_any(const struct armtap_split *split, const struct armtap_packet *packet)
{
    struct armtap_segment segment;
    const char *fault;
    enum armtap_link_result result = armtap_link_parse(packet, &segment, &fault);
    if (result != ARMTAP_LINK_TCP && result != ARMTAP_LINK_UNREACHABLE)
        return 0;
    return part_of(split, address_number(&segment.source), address_number(&segment.target), segment.source_port,
                   segment.target_port);
}

unsigned armtap_split_part(struct armtap_split *split, const struct armtap_packet *packet, bool *concerns_all)
{
    bool is_valid = split && packet && (!packet->captured || packet->data);
    if (concerns_all)
        *concerns_all = false;
    if (!is_valid)
        return 0;
    uint64_t step = (uint64_t)packet->where.time - (uint64_t)split->last.time;
    bool jumps =
        step >= ARMTAP_UNTOLD_MOST || packet->where.file != split->last.file || packet->where.time == ARMTAP_NO_TIME;
    split->last = packet->where;
    if (concerns_all)
        *concerns_all = jumps;
    return is_usual(packet) ? part_of_usual(split, packet->data) : part_of_any(split, packet);
}
