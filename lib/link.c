#include "link.h"

#include "bytes.h"
#include "unreachable.h"

/* The rest of a packet after the headers read so far. */
struct rest {
    const uint8_t *data;
    size_t captured; /* bytes at data */
    size_t length;   /* bytes on the wire, never fewer than captured */
};

enum { ETHER_IPV4 = 0x0800, ETHER_IPV6 = 0x86dd, ETHER_VLAN = 0x8100, ETHER_QINQ = 0x88a8, ETHER_QINQ_OLD = 0x9100 };

enum link_shape {
    LINK_ETHERNET_TYPE, /* `type_at` is the offset of an EtherType */
    LINK_FAMILY,        /* four bytes of address family */
    LINK_IP             /* IP directly; its version field says which */
};

static const struct link {
    int type;
    enum link_shape shape;
    uint8_t type_at;
    uint8_t header;
} links[] = {
    {1, LINK_ETHERNET_TYPE, 12, 14},   /* Ethernet */
    {113, LINK_ETHERNET_TYPE, 14, 16}, /* Linux cooked v1 */
    {276, LINK_ETHERNET_TYPE, 0, 20},  /* Linux cooked v2 */
    {0, LINK_FAMILY, 0, 4},            /* null: host byte order of the capturing machine */
    {108, LINK_FAMILY, 0, 4},          /* loop: network byte order */
    {101, LINK_IP, 0, 0},              /* raw */
    {12, LINK_IP, 0, 0},               /* raw, in files of some systems */
    {14, LINK_IP, 0, 0},               /* the same of OpenBSD */
    {228, LINK_IP, 0, 0},              /* IPv4 */
    {229, LINK_IP, 0, 0},              /* IPv6 */
};

static const struct link *find_link(int type)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (links[i].type == type)
            return &links[i];
    return NULL;
}

bool armtap_link_type_known(int link_type)
{
    return find_link(link_type) != NULL;
}

static void skip(struct rest *rest, size_t count)
{
    rest->data += count;
    rest->captured -= count;
    rest->length -= count;
}

/* Drops what lies after the first `length` bytes: padding, trailers. */
static void limit(struct rest *rest, size_t length)
{
    rest->length = length;
    if (rest->captured > length)
        rest->captured = length;
}

/* ---- TCP ------------------------------------------------------------------------------------------------------- */

enum tcp_option { OPTION_END = 0, OPTION_NOP = 1, OPTION_WINDOW_SCALE = 3, OPTION_SACK = 5, OPTION_TIMESTAMPS = 8 };

static void read_timestamps(const uint8_t *option, struct armtap_segment *segment)
{
    segment->has_timestamps = true;
    segment->tsval = armtap_be32(option + 2);
    segment->tsecr = armtap_be32(option + 6);
}

static void read_sack(const uint8_t *option, struct armtap_segment *segment)
{
    segment->sack_count = 0;
    for (unsigned at = 2; at + 8 <= option[1] && segment->sack_count < ARMTAP_SACK_BLOCKS; at += 8) {
        segment->sack[segment->sack_count].start = armtap_be32(option + at);
        segment->sack[segment->sack_count++].end = armtap_be32(option + at + 4);
    }
}

static void read_option(const uint8_t *option, struct armtap_segment *segment)
{
    enum { LARGEST_SHIFT = 14 };

    if (option[0] == OPTION_WINDOW_SCALE && option[1] == 3 && segment->flags & ARMTAP_TCP_SYN)
        segment->window_scale = option[2] > LARGEST_SHIFT ? LARGEST_SHIFT : option[2];
    if (option[0] == OPTION_TIMESTAMPS && option[1] == 10)
        read_timestamps(option, segment);
    if (option[0] == OPTION_SACK)
        read_sack(option, segment);
}

static void read_options(const uint8_t *options, size_t length, struct armtap_segment *segment)
{
    static const uint8_t timestamps_alone[] = {OPTION_NOP, OPTION_NOP, OPTION_TIMESTAMPS, 10};
    size_t i = 0;
    if (length == 12 && memcmp(options, timestamps_alone, sizeof timestamps_alone) == 0) {
        read_timestamps(options + 2, segment); /* almost every segment that has options at all */
        return;
    }
    while (i < length && options[i] != OPTION_END) {
        if (options[i] == OPTION_NOP) {
            i++;
            continue;
        }
        if (length - i < 2 || options[i + 1] < 2 || options[i + 1] > length - i)
            return;
        read_option(options + i, segment);
        i += options[i + 1];
    }
}

static enum armtap_link_result parse_tcp(struct rest rest, struct armtap_segment *segment, const char **fault)
{
    if (rest.length < 20) {
        *fault = "the packet is too short for a TCP header";
        return ARMTAP_LINK_BAD;
    }
    if (rest.captured < 20)
        return ARMTAP_LINK_CUT;
    const uint8_t *tcp = rest.data;
    size_t header = (size_t)(tcp[12] >> 4) * 4;
    if (header < 20 || header > rest.length) {
        *fault = header < 20 ? "the TCP header length is below 20" : "the TCP header is longer than its packet";
        return ARMTAP_LINK_BAD;
    }
    size_t at_hand = header < rest.captured ? header : rest.captured;
    segment->tcp = tcp;
    segment->source_port = armtap_be16(tcp);
    segment->target_port = armtap_be16(tcp + 2);
    segment->seq = armtap_be32(tcp + 4);
    segment->ack = armtap_be32(tcp + 8);
    segment->flags = tcp[13];
    segment->window = armtap_be16(tcp + 14);
    segment->window_scale = -1;
    read_options(tcp + 20, at_hand - 20, segment);
    segment->payload = tcp + at_hand;
    segment->length = rest.captured - at_hand;
    segment->cut = rest.length - header - segment->length;
    return ARMTAP_LINK_TCP;
}

/* ---- IP -------------------------------------------------------------------------------------------------------- */

enum ip_protocol {
    IP_HOP_BY_HOP = 0,
    IP_ICMP = 1,
    IP_TCP = 6,
    IP_ROUTING = 43,
    IP_FRAGMENT = 44,
    IP_AUTHENTICATION = 51,
    IP_ICMPV6 = 58,
    IP_DESTINATION = 60,
    IP_MOBILITY = 135,
    IP_HIP = 139,
    IP_SHIM6 = 140
};

static enum armtap_link_result parse_icmp(struct rest rest, unsigned version, struct armtap_segment *segment)
{
    bool is_unreachable = armtap_unreachable_parse(rest.data, rest.captured, version, segment);
    return is_unreachable ? ARMTAP_LINK_UNREACHABLE : ARMTAP_LINK_OTHER;
}

static enum armtap_link_result parse_ipv4(struct rest rest, struct armtap_segment *segment, const char **fault)
{
    if (rest.length < 20) {
        *fault = "the packet is too short for an IPv4 header";
        return ARMTAP_LINK_BAD;
    }
    if (rest.captured < 20)
        return ARMTAP_LINK_CUT;
    const uint8_t *ip = rest.data;
    size_t header = (size_t)(ip[0] & 15) * 4;
    size_t total = armtap_be16(ip + 2);
    if (total == 0) /* segmentation offload: the card would have filled it in */
        total = rest.length;
    if (ip[0] >> 4 != 4 || header < 20 || total < header || total > rest.length) {
        *fault = ip[0] >> 4 != 4  ? "the IP version is not 4"
                 : header < 20    ? "the IPv4 header length is below 20"
                 : total < header ? "the IPv4 length is below that of its header"
                                  : "the IPv4 length exceeds the packet";
        return ARMTAP_LINK_BAD;
    }
    segment->ip = ip;
    segment->source.version = segment->target.version = 4;
    memcpy(segment->source.bytes, ip + 12, 4);
    memcpy(segment->target.bytes, ip + 16, 4);
    segment->ip_id = armtap_be16(ip + 4);
    if (ip[9] == IP_ICMP && !(armtap_be16(ip + 6) & 0x1fff) && rest.captured >= header) {
        limit(&rest, total);
        skip(&rest, header);
        return parse_icmp(rest, 4, segment);
    }
    if (ip[9] != IP_TCP)
        return ARMTAP_LINK_OTHER;
    if (armtap_be16(ip + 6) & 0x3fff) /* more fragments, or an offset */
        return ARMTAP_LINK_FRAGMENT;
    limit(&rest, total);
    if (rest.captured < header)
        return ARMTAP_LINK_CUT;
    skip(&rest, header);
    return parse_tcp(rest, segment, fault);
}

static bool is_extension(unsigned protocol)
{
    return protocol == IP_HOP_BY_HOP || protocol == IP_ROUTING || protocol == IP_FRAGMENT ||
           protocol == IP_AUTHENTICATION || protocol == IP_DESTINATION || protocol == IP_MOBILITY ||
           protocol == IP_HIP || protocol == IP_SHIM6;
}

/* Steps over the extension headers; `protocol` is that of the first, and becomes that of what follows the last. */
static enum armtap_link_result skip_extensions(struct rest *rest, unsigned *protocol, const char **fault)
{
    while (is_extension(*protocol)) {
        if (rest->length < 8) {
            *fault = "an IPv6 extension header is longer than its packet";
            return ARMTAP_LINK_BAD;
        }
        if (rest->captured < 8)
            return ARMTAP_LINK_CUT;
        const uint8_t *header = rest->data;
        size_t length = ((size_t)header[1] + 1) * 8;
        if (*protocol == IP_AUTHENTICATION)
            length = ((size_t)header[1] + 2) * 4;
        if (*protocol == IP_FRAGMENT) {
            length = 8;
            if (armtap_be16(header + 2) & 0xfff9) /* an offset, or more fragments: not an atomic fragment */
                return header[0] == IP_TCP || is_extension(header[0]) ? ARMTAP_LINK_FRAGMENT : ARMTAP_LINK_OTHER;
        }
        if (length > rest->length) {
            *fault = "an IPv6 extension header is longer than its packet";
            return ARMTAP_LINK_BAD;
        }
        if (length > rest->captured)
            return ARMTAP_LINK_CUT;
        *protocol = header[0];
        skip(rest, length);
    }
    return *protocol == IP_TCP ? ARMTAP_LINK_TCP : ARMTAP_LINK_OTHER;
}

static enum armtap_link_result parse_ipv6(struct rest rest, struct armtap_segment *segment, const char **fault)
{
    if (rest.length < 40) {
        *fault = "the packet is too short for an IPv6 header";
        return ARMTAP_LINK_BAD;
    }
    if (rest.captured < 40)
        return ARMTAP_LINK_CUT;
    const uint8_t *ip = rest.data;
    size_t payload = armtap_be16(ip + 4);
    unsigned protocol = ip[6];
    segment->ip = ip;
    segment->source.version = segment->target.version = 6;
    memcpy(segment->source.bytes, ip + 8, 16);
    memcpy(segment->target.bytes, ip + 24, 16);
    skip(&rest, 40);
    if (payload == 0) /* segmentation offload */
        payload = rest.length;
    if (ip[0] >> 4 != 6 || payload > rest.length) {
        *fault = ip[0] >> 4 != 6 ? "the IP version is not 6" : "the IPv6 length exceeds the packet";
        return ARMTAP_LINK_BAD;
    }
    limit(&rest, payload);
    enum armtap_link_result result = skip_extensions(&rest, &protocol, fault);
    if (result == ARMTAP_LINK_OTHER && protocol == IP_ICMPV6)
        return parse_icmp(rest, 6, segment);
    return result == ARMTAP_LINK_TCP ? parse_tcp(rest, segment, fault) : result;
}

/* ---- link ------------------------------------------------------------------------------------------------------ */

static enum armtap_link_result parse_raw(struct rest rest, struct armtap_segment *segment, const char **fault)
{
    if (rest.captured == 0)
        return rest.length ? ARMTAP_LINK_CUT : ARMTAP_LINK_OTHER;
    switch (rest.data[0] >> 4) {
    case 4:
        return parse_ipv4(rest, segment, fault);
    case 6:
        return parse_ipv6(rest, segment, fault);
    default:
        return ARMTAP_LINK_OTHER;
    }
}

static enum armtap_link_result parse_family(struct rest rest, struct armtap_segment *segment, const char **fault)
{
    uint32_t family = armtap_be32(rest.data);
    if (family > 0xffff) /* written by a little-endian machine: families are small numbers */
        family = family >> 24 | (family >> 8 & 0xff00);
    skip(&rest, 4);
    switch (family) {
    case 2:
        return parse_ipv4(rest, segment, fault);
    case 10: /* systems number IPv6 differently: Linux, Windows, NetBSD and OpenBSD, FreeBSD, macOS */
    case 23:
    case 24:
    case 28:
    case 30:
        return parse_ipv6(rest, segment, fault);
    default:
        return ARMTAP_LINK_OTHER;
    }
}

static enum armtap_link_result parse_ethernet_type(struct rest rest, unsigned type, struct armtap_segment *segment,
                                                   const char **fault)
{
    while (type == ETHER_VLAN || type == ETHER_QINQ || type == ETHER_QINQ_OLD) {
        if (rest.captured < 4)
            return rest.length > rest.captured ? ARMTAP_LINK_CUT : ARMTAP_LINK_OTHER;
        type = armtap_be16(rest.data + 2);
        skip(&rest, 4);
    }
    switch (type) {
    case ETHER_IPV4:
        return parse_ipv4(rest, segment, fault);
    case ETHER_IPV6:
        return parse_ipv6(rest, segment, fault);
    default:
        return ARMTAP_LINK_OTHER;
    }
}

enum armtap_link_result armtap_link_parse(const struct armtap_packet *packet, struct armtap_segment *segment,
                                          const char **fault)
{
    const struct link *link = find_link(packet->link_type);
    if (!link)
        return ARMTAP_LINK_UNKNOWN;
    memset(segment, 0, sizeof *segment);
    struct rest rest = {packet->data, packet->captured, packet->length};
    if (rest.length < rest.captured) /* the bytes are there, whatever the file's header says */
        rest.length = rest.captured;
    if (rest.captured < link->header)
        return rest.length > rest.captured ? ARMTAP_LINK_CUT : ARMTAP_LINK_OTHER;
    if (link->shape == LINK_IP)
        return parse_raw(rest, segment, fault);
    if (link->shape == LINK_FAMILY)
        return parse_family(rest, segment, fault);
    unsigned type = armtap_be16(rest.data + link->type_at);
    skip(&rest, link->header);
    return parse_ethernet_type(rest, type, segment, fault);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static char *put_number(char *at, unsigned number, unsigned base)
{
    char digits[8];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    while (count)
        *at++ = digits[--count];
    return at;
}

static char *put_ipv4(char *at, const uint8_t *bytes)
{
    for (int i = 0; i < 4; i++) {
        if (i)
            *at++ = '.';
        at = put_number(at, bytes[i], 10);
    }
    return at;
}

/* The longest run of at least two zero groups, the first of equals (RFC 5952); false without one. */
static bool find_zeros(const uint8_t *bytes, int *from, int *to)
{
    *from = *to = 0;
    for (int i = 0; i < 8; i++) {
        int end = i;
        while (end < 8 && armtap_be16(bytes + 2 * end) == 0)
            end++;
        if (end - i > *to - *from) {
            *from = i;
            *to = end;
        }
    }
    return *to - *from >= 2;
}

static char *put_ipv6(char *at, const uint8_t *bytes)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (memcmp(bytes, mapped, sizeof mapped) == 0) {
        memcpy(at, "::ffff:", 7);
        return put_ipv4(at + 7, bytes + 12);
    }
    int from, to;
    bool shortened = find_zeros(bytes, &from, &to);
    for (int i = 0; i < 8; i++) {
        if (shortened && i >= from && i < to) {
            if (i == from)
                *at++ = ':';
            if (i == 7)
                *at++ = ':';
            continue;
        }
        if (i)
            *at++ = ':';
        at = put_number(at, armtap_be16(bytes + 2 * i), 16);
    }
    return at;
}

void armtap_address_text(const struct armtap_address *address, uint16_t port, char text[64])
{
    char *at = text;
    if (address->version == 6) {
        *at++ = '[';
        at = put_ipv6(at, address->bytes);
        *at++ = ']';
    } else {
        at = put_ipv4(at, address->bytes);
    }
    *at++ = ':';
    at = put_number(at, port, 10);
    *at = '\0';
}
