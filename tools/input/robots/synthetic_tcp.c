#include "synthetic_tcp.h"

#include <string.h>

#include "bytes.h"

#define FOUR_HEADER 20
#define SIX_HEADER 40
#define TCP_HEADER 20
#define PROTOCOL_TCP 6
#define HOPS 64
#define WINDOW 65535
#define DO_NOT_FRAGMENT 0x4000

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };

/* Where packets go, and the time they get. */
struct way {
    synthetic_take *take;
    void *user;
    int64_t time;
};

/* ---- bytes of headers -------------------------------------------------------------------------------------------- */

/* The one's complement sum of RFC 1071, before it is complemented; `sum` is of an even number of bytes before. */
static uint64_t add_bytes(uint64_t sum, const uint8_t *bytes, size_t length)
{
    for (; length > 1; bytes += 2, length -= 2)
        sum += armtap_be16(bytes);
    return length ? sum + ((unsigned)bytes[0] << 8) : sum;
}

static uint16_t checksum_of(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}

static size_t address_length(const struct synthetic_tcp *tcp)
{
    return tcp->six ? 16 : 4;
}

static enum armtap_direction other(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
}

static size_t put_four(struct synthetic_tcp *tcp, enum armtap_direction direction, uint8_t *packet, size_t length)
{
    memset(packet, 0, FOUR_HEADER);
    packet[0] = 0x45;
    armtap_put16(packet + 2, (uint16_t)(FOUR_HEADER + length));
    armtap_put16(packet + 4, tcp->number++);
    armtap_put16(packet + 6, DO_NOT_FRAGMENT);
    packet[8] = HOPS;
    packet[9] = PROTOCOL_TCP;
    memcpy(packet + 12, tcp->address[direction], 4);
    memcpy(packet + 16, tcp->address[other(direction)], 4);
    armtap_put16(packet + 10, checksum_of(add_bytes(0, packet, FOUR_HEADER)));
    return FOUR_HEADER;
}

static size_t put_six(const struct synthetic_tcp *tcp, enum armtap_direction direction, uint8_t *packet, size_t length)
{
    memset(packet, 0, SIX_HEADER);
    packet[0] = 0x60;
    armtap_put16(packet + 4, (uint16_t)length);
    packet[6] = PROTOCOL_TCP;
    packet[7] = HOPS;
    memcpy(packet + 8, tcp->address[direction], 16);
    memcpy(packet + 24, tcp->address[other(direction)], 16);
    return SIX_HEADER;
}

/* The header of a segment whose data lies behind it. */
static void put_tcp(const struct synthetic_tcp *tcp, enum armtap_direction direction, unsigned flags, uint8_t *segment,
                    size_t length)
{
    memset(segment, 0, TCP_HEADER);
    armtap_put16(segment, tcp->port[direction]);
    armtap_put16(segment + 2, tcp->port[other(direction)]);
    armtap_put32(segment + 4, tcp->next[direction]);
    if (flags & ACK)
        armtap_put32(segment + 8, tcp->next[other(direction)]);
    segment[12] = TCP_HEADER / 4 << 4;
    segment[13] = (uint8_t)flags;
    if (!(flags & RST))
        armtap_put16(segment + 14, WINDOW);
    uint64_t sum = PROTOCOL_TCP + TCP_HEADER + length;
    sum = add_bytes(sum, tcp->address[direction], address_length(tcp));
    sum = add_bytes(sum, tcp->address[other(direction)], address_length(tcp));
    armtap_put16(segment + 16, checksum_of(add_bytes(sum, segment, TCP_HEADER + length)));
}

/* One packet; SYN and FIN count as a byte. */
static int give(struct synthetic_tcp *tcp, enum armtap_direction direction, unsigned flags, const uint8_t *bytes,
                size_t length, const struct way *way)
{
    uint8_t packet[SYNTHETIC_PACKET_MAX];
    size_t headers = TCP_HEADER + length;
    headers = tcp->six ? put_six(tcp, direction, packet, headers) : put_four(tcp, direction, packet, headers);
    if (length > 0)
        memcpy(packet + headers + TCP_HEADER, bytes, length);
    put_tcp(tcp, direction, flags, packet + headers, length);
    tcp->next[direction] += (uint32_t)length + (flags & (SYN | FIN) ? 1 : 0);
    return way->take(way->user, way->time, packet, headers + TCP_HEADER + length);
}

static int give_bytes(struct synthetic_tcp *tcp, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                      const struct way *way)
{
    int outcome = 0;
    while (length > 0 && outcome == 0) {
        size_t now = length < SYNTHETIC_DATA_MAX ? length : SYNTHETIC_DATA_MAX;
        outcome = give(tcp, direction, PSH | ACK, bytes, now, way);
        bytes += now;
        length -= now;
    }
    return outcome;
}

static int give_handshake(struct synthetic_tcp *tcp, const struct way *way)
{
    int outcome = give(tcp, ARMTAP_TO_ROBOT, SYN, NULL, 0, way);
    if (outcome == 0)
        outcome = give(tcp, ARMTAP_FROM_ROBOT, SYN | ACK, NULL, 0, way);
    if (outcome == 0)
        outcome = give(tcp, ARMTAP_TO_ROBOT, ACK, NULL, 0, way);
    return outcome;
}

/* ---- the connection ---------------------------------------------------------------------------------------------- */

/* An address of IPv4 among IPv6: ::ffff:10.0.0.2. */
static void map(uint8_t to[16], const uint8_t four[4])
{
    memset(to, 0, 10);
    memset(to + 10, 0xFF, 2);
    memcpy(to + 12, four, 4);
}

static void put_address(struct synthetic_tcp *tcp, enum armtap_direction direction, const struct tcp_address *address)
{
    uint8_t *to = tcp->address[direction];
    tcp->port[direction] = tcp_address_port(address);
    if (tcp->six && address->version != 6)
        map(to, address->host);
    else
        memcpy(to, address->host, address_length(tcp));
}

void synthetic_tcp_begin(struct synthetic_tcp *tcp, const struct tcp_address *robot, const struct tcp_address *client)
{
    *tcp = (struct synthetic_tcp){.six = robot->version == 6 || client->version == 6, .number = 1};
    put_address(tcp, ARMTAP_FROM_ROBOT, robot);
    put_address(tcp, ARMTAP_TO_ROBOT, client);
}

/* As the clock of RFC 793: one number every 4 us. */
static void number_from(struct synthetic_tcp *tcp, int64_t time)
{
    tcp->next[ARMTAP_TO_ROBOT] = (uint32_t)(time / 4096);
    tcp->next[ARMTAP_FROM_ROBOT] = tcp->next[ARMTAP_TO_ROBOT] + (UINT32_C(1) << 31);
}

int synthetic_tcp_open(struct synthetic_tcp *tcp, int64_t time, synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    number_from(tcp, time);
    return give_handshake(tcp, &way);
}

int synthetic_tcp_refused(struct synthetic_tcp *tcp, int64_t time, synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    number_from(tcp, time);
    int outcome = give(tcp, ARMTAP_TO_ROBOT, SYN, NULL, 0, &way);
    tcp->next[ARMTAP_FROM_ROBOT] = 0;
    return outcome ? outcome : give(tcp, ARMTAP_FROM_ROBOT, RST | ACK, NULL, 0, &way);
}

int synthetic_tcp_unanswered(struct synthetic_tcp *tcp, int64_t time, synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    number_from(tcp, time);
    return give(tcp, ARMTAP_TO_ROBOT, SYN, NULL, 0, &way);
}

int synthetic_tcp_bytes(struct synthetic_tcp *tcp, enum armtap_direction direction, const void *bytes, size_t length,
                        int64_t time, synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    return give_bytes(tcp, direction, bytes, length, &way);
}

int synthetic_tcp_skip(struct synthetic_tcp *tcp, enum armtap_direction direction, uint64_t length, int64_t time,
                       synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    tcp->next[direction] += (uint32_t)length;
    return give(tcp, other(direction), ACK, NULL, 0, &way);
}

int synthetic_tcp_close(struct synthetic_tcp *tcp, enum armtap_direction direction, bool reset, int64_t time,
                        synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    return give(tcp, direction, (reset ? RST : FIN) | ACK, NULL, 0, &way);
}

int synthetic_tcp_repeat(struct synthetic_tcp *tcp, const struct synthetic_part *parts, size_t count, int64_t time,
                         synthetic_take *take, void *user)
{
    const struct way way = {take, user, time};
    for (int direction = 0; direction < 2; direction++)
        tcp->next[direction]--; /* SYN */
    for (size_t i = 0; i < count; i++)
        tcp->next[parts[i].direction] -= (uint32_t)parts[i].length;
    int outcome = give_handshake(tcp, &way);
    for (size_t i = 0; i < count && outcome == 0; i++)
        outcome = give_bytes(tcp, parts[i].direction, parts[i].bytes, parts[i].length, &way);
    return outcome;
}
