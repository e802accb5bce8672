#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum {
    ETHERNET_HEADER = 14,
    VLAN_TAG = 4,
    IPV4_HEADER = 20,
    IPV6_HEADER = 40,
    TCP_HEADER = 20,
    MSS = 1440, /* fits Ethernet under IPv4 and IPv6 */
    FIN = 1,
    SYN = 2,
    RST = 4,
    PSH = 8,
    ACK = 16
};

#define DELAYED_ANSWER INT64_C(40000000) /* ns */

struct segment {
    enum armtap_direction sender;
    unsigned flags;
    const uint8_t *options;
    size_t options_length;
    const uint8_t *payload;
    size_t payload_length;
};

void wire_free(struct wire *wire)
{
    for (size_t i = 0; i < wire->count; i++)
        free(wire->packets[i].bytes);
    free(wire->packets);
    memset(wire, 0, sizeof *wire);
}

static int by_time(const void *a, const void *b)
{
    const struct wire_packet *one = a;
    const struct wire_packet *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

void wire_sort(struct wire *wire)
{
    if (wire->count > 1)
        qsort(wire->packets, wire->count, sizeof *wire->packets, by_time);
}

/* A zeroed packet of `length` bytes at that time; NULL if out of memory. */
static uint8_t *new_packet(struct wire *wire, int64_t time, size_t length)
{
    if (wire->count == wire->capacity) {
        size_t capacity = wire->capacity ? 2 * wire->capacity : 1024;
        struct wire_packet *packets = realloc(wire->packets, capacity * sizeof *packets);
        if (!packets)
            return NULL;
        wire->packets = packets;
        wire->capacity = capacity;
    }
    uint8_t *bytes = calloc(1, length);
    if (!bytes)
        return NULL;
    wire->packets[wire->count] = (struct wire_packet){time, wire->count, bytes, length};
    wire->count++;
    return bytes;
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

static uint32_t sum16(uint32_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i + 1 < length; i += 2)
        sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
    if (length % 2)
        sum += (uint32_t)bytes[length - 1] << 8;
    return sum;
}

static unsigned fold(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

static void put_mac(uint8_t *at, const struct wire_address *address)
{
    size_t last = address->v6 ? 16 : 4;
    at[0] = 2; /* locally administered */
    at[1] = 0;
    memcpy(at + 2, address->bytes + last - 4, 4);
}

static size_t put_ethernet(uint8_t *at, const struct wire_connection *connection, const struct wire_end *from,
                           const struct wire_end *to)
{
    put_mac(at, &to->address);
    put_mac(at + 6, &from->address);
    unsigned type = from->address.v6 ? 0x86dd : 0x0800;
    if (!connection->vlan) {
        put16(at + 12, type);
        return ETHERNET_HEADER;
    }
    put16(at + 12, 0x8100);
    put16(at + 14, connection->vlan);
    put16(at + 16, type);
    return ETHERNET_HEADER + VLAN_TAG;
}

static size_t put_ip(uint8_t *at, struct wire_end *from, const struct wire_end *to, size_t tcp_length)
{
    if (from->address.v6) {
        put32(at, 0x60000000);
        put16(at + 4, (unsigned)tcp_length);
        at[6] = 6;
        at[7] = 64;
        memcpy(at + 8, from->address.bytes, 16);
        memcpy(at + 24, to->address.bytes, 16);
        return IPV6_HEADER;
    }
    at[0] = 0x45;
    put16(at + 2, (unsigned)(IPV4_HEADER + tcp_length));
    put16(at + 4, from->ip_id++);
    put16(at + 6, 0x4000); /* don't fragment */
    at[8] = 64;
    at[9] = 6;
    memcpy(at + 12, from->address.bytes, 4);
    memcpy(at + 16, to->address.bytes, 4);
    put16(at + 10, fold(sum16(0, at, IPV4_HEADER)));
    return IPV4_HEADER;
}

static void put_tcp(uint8_t *at, const struct wire_end *from, const struct wire_end *to, const struct segment *segment)
{
    size_t header = TCP_HEADER + segment->options_length;
    put16(at, from->port);
    put16(at + 2, to->port);
    put32(at + 4, from->sequence);
    put32(at + 8, segment->flags & ACK ? from->received : 0);
    at[12] = (uint8_t)(header / 4 << 4);
    at[13] = (uint8_t)segment->flags;
    /* The window of a SYN is never scaled. */
    put16(at + 14, segment->flags & SYN ? 64240 : from->window);
    if (segment->options_length)
        memcpy(at + TCP_HEADER, segment->options, segment->options_length);
    if (segment->payload_length)
        memcpy(at + header, segment->payload, segment->payload_length);

    size_t length = header + segment->payload_length;
    size_t address_length = from->address.v6 ? 16 : 4;
    uint32_t sum = 6 + (uint32_t)length;
    sum = sum16(sum, from->address.bytes, address_length);
    sum = sum16(sum, to->address.bytes, address_length);
    put16(at + 16, fold(sum16(sum, at, length)));
}

/* Sends one segment `after` ns after the connection's latest, or at `time` if that is later. */
static void emit(struct wire_connection *connection, const struct segment *segment, int64_t time, int64_t after)
{
    struct wire_end *from = &connection->end[segment->sender];
    struct wire_end *to = &connection->end[!segment->sender];
    size_t tcp_length = TCP_HEADER + segment->options_length + segment->payload_length;
    size_t length = (size_t)ETHERNET_HEADER + (connection->vlan ? VLAN_TAG : 0) +
                    (from->address.v6 ? IPV6_HEADER : IPV4_HEADER) + tcp_length;
    connection->now = connection->now + after > time ? connection->now + after : time;
    uint8_t *at = new_packet(connection->wire, connection->now, length);
    if (!at) {
        connection->wire->out_of_memory = true;
        return;
    }
    at += put_ethernet(at, connection, from, to);
    at += put_ip(at, from, to, tcp_length);
    put_tcp(at, from, to, segment);
    from->sequence += (uint32_t)segment->payload_length + (segment->flags & (SYN | FIN) ? 1 : 0);
    to->received = from->sequence;
    from->unanswered = 0;
}

/* A machine's reaction time: `least` µs and a little more. */
static int64_t some_time(struct wire_connection *connection, double least)
{
    return (int64_t)prng_between(&connection->prng, least, 1.6 * least) * MICROSECOND;
}

static void emit_flags(struct wire_connection *connection, enum armtap_direction sender, unsigned flags, int64_t time,
                       int64_t after)
{
    emit(connection, &(struct segment){.sender = sender, .flags = flags}, time, after);
}

/* MSS, SACK permitted, window scale: 5 for the robot, 7 for the client. */
static const uint8_t syn_options[2][12] = {{2, 4, MSS >> 8, MSS & 0xff, 1, 1, 4, 2, 1, 3, 3, 5},
                                           {2, 4, MSS >> 8, MSS & 0xff, 1, 1, 4, 2, 1, 3, 3, 7}};

static void emit_syn(struct wire_connection *connection, enum armtap_direction sender, unsigned flags, int64_t time,
                     int64_t after)
{
    emit(connection,
         &(struct segment){.sender = sender,
                           .flags = flags,
                           .options = syn_options[sender],
                           .options_length = sizeof syn_options[sender]},
         time, after);
}

static enum armtap_direction caller_of(const struct wire_connection *connection)
{
    return connection->robot_calls ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
}

void wire_ask(struct wire_connection *connection, int64_t time)
{
    for (int i = 0; i < 2; i++) {
        struct wire_end *end = &connection->end[i];
        end->sequence = (uint32_t)prng_next(&connection->prng);
        end->ip_id = (uint16_t)prng_next(&connection->prng);
        end->window = (uint16_t)(i == ARMTAP_FROM_ROBOT ? 29056 >> 5 : 64128 >> 7);
        end->unanswered = 0;
    }
    emit_syn(connection, caller_of(connection), SYN, time, some_time(connection, 30));
}

void wire_ask_again(struct wire_connection *connection, int64_t time)
{
    connection->end[caller_of(connection)].sequence--;
    emit_syn(connection, caller_of(connection), SYN, time, some_time(connection, 30));
}

void wire_accept(struct wire_connection *connection)
{
    emit_syn(connection, !caller_of(connection), SYN | ACK, 0, some_time(connection, 180));
    emit_flags(connection, caller_of(connection), ACK, 0, some_time(connection, 25));
    connection->open = true;
}

void wire_refuse(struct wire_connection *connection)
{
    connection->end[!caller_of(connection)].sequence = 0;
    emit_flags(connection, !caller_of(connection), RST | ACK, 0, some_time(connection, 180));
}

void wire_open(struct wire_connection *connection, int64_t time)
{
    wire_ask(connection, time);
    wire_accept(connection);
}

void wire_wait(struct wire_connection *connection, int64_t time)
{
    for (int i = 0; i < 2; i++) {
        struct wire_end *end = &connection->end[i];
        if (connection->open && end->unanswered && end->answer_due < time)
            emit_flags(connection, (enum armtap_direction)i, ACK, end->answer_due, some_time(connection, 5));
    }
}

/* Every second segment is acknowledged at once, a single one a little later; now and then a reader is slow for a moment
 * and opens its window again. */
static void answer(struct wire_connection *connection, enum armtap_direction reader)
{
    struct wire_end *end = &connection->end[reader];
    if (++end->unanswered == 1) {
        end->answer_due = connection->now + DELAYED_ANSWER;
        return;
    }
    uint16_t window = end->window;
    if (prng_one_in(&connection->prng, 24)) {
        end->window = (uint16_t)(window - window / 8);
        emit_flags(connection, reader, ACK, 0, some_time(connection, 20));
        end->window = window;
    }
    emit_flags(connection, reader, ACK, 0, some_time(connection, 20));
}

void wire_send(struct wire_connection *connection, enum armtap_direction sender, const void *bytes, size_t length,
               int64_t time)
{
    wire_wait(connection, time);
    const uint8_t *at = bytes;
    while (length > 0) {
        size_t part = length < MSS ? length : MSS;
        length -= part;
        struct segment segment = {
            .sender = sender, .flags = ACK | (length ? 0 : PSH), .payload = at, .payload_length = part};
        emit(connection, &segment, time, some_time(connection, 8));
        answer(connection, !sender);
        at += part;
    }
}

void wire_close(struct wire_connection *connection, enum armtap_direction sender, enum wire_close how, int64_t time)
{
    enum armtap_direction other = !sender;
    wire_wait(connection, time);
    if (how == WIRE_CLOSE_RESET) {
        emit_flags(connection, sender, RST | ACK, time, some_time(connection, 20));
    } else {
        emit_flags(connection, sender, FIN | ACK, time, some_time(connection, 20));
        emit_flags(connection, other, FIN | ACK, 0, some_time(connection, 180));
        emit_flags(connection, sender, ACK, 0, some_time(connection, 20));
    }
    connection->open = false;
}
