#include "link.h"

#include <string.h>

#include "bytes.h"

enum {
    IPV4_HEADER = 20,
    IPV6_HEADER = 40,
    TCP_HEADER = 20,
    TIMESTAMPS = 12, /* with the two NOPs before them */
    TCP_PSH = 8,
};

typedef uint64_t word __attribute__((vector_size(16)));

/* Bytes that have to stay as they are; all others of the headers may change from packet to packet. */
struct span {
    uint8_t at, length, bits;
};

static const struct span of_ipv4[] = {
    {0, 1, 0xFF},  /* version, header length */
    {6, 1, 0x3F},  /* more fragments, offset; not "do not fragment" */
    {7, 3, 0xFF},  /* TTL, protocol */
    {12, 8, 0xFF}, /* addresses */
    {0, 0, 0},
};

static const struct span of_ipv6[] = {
    {0, 1, 0xF0},  /* version */
    {6, 34, 0xFF}, /* next header, hop limit, addresses */
    {0, 0, 0},
};

static const struct span of_tcp[] = {
    {0, 4, 0xFF}, /* ports */
    {12, 1, 0xF0},
    {13, 1, (uint8_t)~TCP_PSH}, /* header length, flags */
    {0, 0, 0},
};

static const struct span of_timestamps[] = {
    {20, 4, 0xFF}, /* NOP, NOP, kind, length */
    {0, 0, 0},
};

static void mark(uint8_t mask[ARMTAP_PATTERN_BYTES], size_t at, const struct span *spans)
{
    for (; spans->length > 0; spans++)
        memset(mask + at + spans->at, spans->bits, spans->length);
}

/* Whether the headers are the plain ones, with nothing between them. */
static bool is_usual(const struct armtap_packet *packet, const struct armtap_segment *segment)
{
    static const uint8_t timestamps_alone[] = {1, 1, 8, 10};
    bool is_four = segment->source.version == 4;
    size_t tcp_header = TCP_HEADER + (segment->has_timestamps ? TIMESTAMPS : 0);
    bool has_ip = is_four ? segment->ip[0] == 0x45 : true;
    bool is_data = (segment->flags & ~(unsigned)TCP_PSH) == ARMTAP_TCP_ACK && !segment->sack_count && !segment->cut;
    return is_data && has_ip && segment->tcp - segment->ip == (is_four ? IPV4_HEADER : IPV6_HEADER) &&
           (size_t)(segment->payload - segment->tcp) == tcp_header &&
           segment->payload - packet->data <= ARMTAP_PATTERN_BYTES &&
           (!segment->has_timestamps || memcmp(segment->tcp + TCP_HEADER, timestamps_alone, 4) == 0);
}

void armtap_header_pattern_learn(struct armtap_header_pattern *pattern, const struct armtap_packet *packet,
                                 const struct armtap_segment *segment)
{
    pattern->length = 0;
    if (!is_usual(packet, segment))
        return;
    pattern->link_type = packet->link_type;
    pattern->length = (size_t)(segment->payload - packet->data);
    pattern->tcp_at = (size_t)(segment->tcp - packet->data);
    pattern->ip_at = (size_t)(segment->ip - packet->data);
    memset(pattern->mask, 0, sizeof pattern->mask);
    memset(pattern->same, 0, sizeof pattern->same);
    memset(pattern->mask, 0xFF, pattern->ip_at);
    mark(pattern->mask, pattern->ip_at, segment->source.version == 4 ? of_ipv4 : of_ipv6);
    mark(pattern->mask, pattern->tcp_at, of_tcp);
    if (segment->has_timestamps)
        mark(pattern->mask, pattern->tcp_at, of_timestamps);
    for (size_t i = 0; i < pattern->length; i++)
        pattern->same[i] = packet->data[i] & pattern->mask[i];
    pattern->segment = *segment;
}

static inline word load(const uint8_t *bytes)
{
    word loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

static inline word difference(const struct armtap_header_pattern *pattern, const uint8_t *data, size_t at)
{
    return (load(data + at) & load(pattern->mask + at)) ^ load(pattern->same + at);
}

/* The last word ends with the headers, and overlaps the one before: a request may have few bytes behind them. */
static bool has_headers(const struct armtap_header_pattern *pattern, const uint8_t *data)
{
    size_t last = pattern->length - sizeof(word);
    word differs = difference(pattern, data, last);
    for (size_t at = 0; at < last; at += sizeof(word))
        differs |= difference(pattern, data, at);
    return (differs[0] | differs[1]) == 0;
}

bool armtap_header_pattern_read(struct armtap_header_pattern *pattern, const struct armtap_packet *packet)
{
    if (pattern->length == 0 || packet->link_type != pattern->link_type || packet->captured > packet->length ||
        packet->captured < pattern->length || !has_headers(pattern, packet->data))
        return false;
    struct armtap_segment *segment = &pattern->segment;
    const uint8_t *ip = packet->data + pattern->ip_at, *tcp = packet->data + pattern->tcp_at;
    bool is_four = segment->source.version == 4;
    size_t length = is_four ? armtap_be16(ip + 2) : armtap_be16(ip + 4) + (size_t)IPV6_HEADER;
    size_t headers = pattern->length - pattern->ip_at;
    /* Segmentation offload says nothing, which is less than the headers, too. */
    if (length < headers || length > packet->captured - pattern->ip_at)
        return false;
    segment->ip_id = is_four ? armtap_be16(ip + 4) : 0;
    segment->seq = armtap_be32(tcp + 4);
    segment->ack = armtap_be32(tcp + 8);
    segment->flags = tcp[13];
    segment->window = armtap_be16(tcp + 14);
    if (segment->has_timestamps) {
        segment->tsval = armtap_be32(tcp + 24);
        segment->tsecr = armtap_be32(tcp + 28);
    }
    segment->payload = packet->data + pattern->length;
    segment->length = length - headers;
    return true;
}
