#include "link.h"

#include "bytes.h"
#include "walk.h"

static const struct link {
    int type;
    enum armtap_layer layer;
    uint8_t type_at; /* of an EtherType */
    uint8_t header;
} links[] = {
    {1, ARMTAP_LAYER_ETHERNET, 0, 0}, {113, ARMTAP_LAYER_TYPE, 14, 16}, /* Linux cooked v1 */
    {276, ARMTAP_LAYER_TYPE, 0, 20},                                    /* Linux cooked v2 */
    {0, ARMTAP_LAYER_FAMILY, 0, 0},                                 /* null: host byte order of the capturing machine */
    {108, ARMTAP_LAYER_FAMILY, 0, 0},                               /* loop: network byte order */
    {101, ARMTAP_LAYER_IP, 0, 0},                                   /* raw */
    {12, ARMTAP_LAYER_IP, 0, 0},                                    /* raw, in files of some systems */
    {14, ARMTAP_LAYER_IP, 0, 0},                                    /* the same of OpenBSD */
    {228, ARMTAP_LAYER_IP, 0, 0},                                   /* IPv4 */
    {229, ARMTAP_LAYER_IP, 0, 0},                                   /* IPv6 */
    {9, ARMTAP_LAYER_PPP, 0, 0},      {50, ARMTAP_LAYER_PPP, 0, 0}, /* PPP in frames like HDLC's */
    {51, ARMTAP_LAYER_TYPE, 0, 0},                                  /* PPPoE, from its header on */
    {104, ARMTAP_LAYER_TYPE, 2, 4},                                 /* Cisco's HDLC */
    {219, ARMTAP_LAYER_MPLS, 0, 0},
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

static enum armtap_layer walk_tcp(struct armtap_walk *walk)
{
    enum { HEADER = 20 };
    struct armtap_segment *segment = walk->segment;
    if (walk->length < HEADER)
        return armtap_walk_bad(walk, "the packet is too short for a TCP header");
    if (walk->captured < HEADER)
        return armtap_walk_end(walk, ARMTAP_LINK_CUT);
    const uint8_t *tcp = walk->data;
    size_t header = (size_t)(tcp[12] >> 4) * 4;
    if (header < HEADER)
        return armtap_walk_bad(walk, "the TCP header length is below 20");
    if (header > walk->length)
        return armtap_walk_bad(walk, "the TCP header is longer than its packet");
    size_t at_hand = header < walk->captured ? header : walk->captured;
    segment->tcp = tcp;
    segment->source_port = armtap_be16(tcp);
    segment->target_port = armtap_be16(tcp + 2);
    segment->seq = armtap_be32(tcp + 4);
    segment->ack = armtap_be32(tcp + 8);
    segment->flags = tcp[13];
    segment->window = armtap_be16(tcp + 14);
    segment->window_scale = -1;
    read_options(tcp + HEADER, at_hand - HEADER, segment);
    segment->payload = tcp + at_hand;
    segment->length = walk->captured - at_hand;
    segment->cut = walk->length - header - segment->length;
    return armtap_walk_end(walk, ARMTAP_LINK_TCP);
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

static enum armtap_layer walk_icmp(struct armtap_walk *walk, unsigned version)
{
    bool is_unreachable = armtap_unreachable_parse(walk->data, walk->captured, version, walk->segment);
    return armtap_walk_end(walk, is_unreachable ? ARMTAP_LINK_UNREACHABLE : ARMTAP_LINK_OTHER);
}

/* A part of a packet: its bytes are the segment's payload. */
static enum armtap_layer end_at_fragment(struct armtap_walk *walk, uint32_t id, unsigned units, bool more)
{
    struct armtap_segment *segment = walk->segment;
    if (walk->number == IP_ICMP || walk->number == IP_ICMPV6)
        return armtap_walk_end(walk, ARMTAP_LINK_OTHER);
    segment->payload = walk->data;
    segment->length = walk->captured;
    segment->cut = walk->length - walk->captured;
    segment->fragment.id = id;
    segment->fragment.at = units * 8;
    segment->fragment.more = more;
    segment->fragment.protocol = (uint8_t)walk->number;
    return armtap_walk_end(walk, ARMTAP_LINK_FRAGMENT);
}

static const char *fault_of_ipv4(const struct armtap_walk *walk, size_t header, size_t total)
{
    return walk->data[0] >> 4 != 4 ? "the IP version is not 4"
           : header < 20           ? "the IPv4 header length is below 20"
           : total < header        ? "the IPv4 length is below that of its header"
           : total > walk->length  ? "the IPv4 length exceeds the packet"
                                   : NULL;
}

static void take_addresses(struct armtap_segment *segment, unsigned version, const uint8_t *source, size_t length)
{
    segment->source = segment->target = (struct armtap_address){.version = (uint8_t)version};
    memcpy(segment->source.bytes, source, length);
    memcpy(segment->target.bytes, source + length, length);
}

static enum armtap_layer walk_ipv4(struct armtap_walk *walk)
{
    enum { HEADER = 20, MORE = 0x2000, OFFSET = 0x1fff };
    struct armtap_segment *segment = walk->segment;
    if (walk->length < HEADER)
        return armtap_walk_bad(walk, "the packet is too short for an IPv4 header");
    if (walk->captured < HEADER)
        return armtap_walk_end(walk, ARMTAP_LINK_CUT);
    const uint8_t *ip = walk->data;
    size_t header = (size_t)(ip[0] & 15) * 4;
    size_t total = armtap_be16(ip + 2);
    if (total == 0) /* segmentation offload: the card would have filled it in */
        total = walk->length;
    const char *fault = fault_of_ipv4(walk, header, total);
    if (fault)
        return armtap_walk_bad(walk, fault);
    segment->ip = ip;
    take_addresses(segment, 4, ip + 12, 4);
    segment->ip_id = armtap_be16(ip + 4);
    segment->ttl = ip[8];
    armtap_walk_limit(walk, total);
    if (walk->captured < header)
        return armtap_walk_end(walk, ip[9] == IP_TCP ? ARMTAP_LINK_CUT : ARMTAP_LINK_OTHER);
    armtap_walk_skip(walk, header);
    walk->number = ip[9];
    unsigned fragment = armtap_be16(ip + 6);
    return fragment & (MORE | OFFSET) ? end_at_fragment(walk, segment->ip_id, fragment & OFFSET, fragment & MORE)
                                      : ARMTAP_LAYER_PROTOCOL;
}

static bool is_extension(unsigned protocol)
{
    return protocol == IP_HOP_BY_HOP || protocol == IP_ROUTING || protocol == IP_FRAGMENT ||
           protocol == IP_AUTHENTICATION || protocol == IP_DESTINATION || protocol == IP_MOBILITY ||
           protocol == IP_HIP || protocol == IP_SHIM6;
}

/* Steps over an extension header of IPv6, or over an authentication header of either version. */
static enum armtap_layer walk_extension(struct armtap_walk *walk)
{
    enum { LEAST = 8, OFFSET = 0xfff8, MORE = 1 };
    static const char fault[] = "an IPv6 extension header is longer than its packet";
    if (walk->length < LEAST)
        return armtap_walk_bad(walk, fault);
    if (walk->captured < LEAST)
        return armtap_walk_end(walk, ARMTAP_LINK_CUT);
    const uint8_t *header = walk->data;
    size_t length = walk->number == IP_FRAGMENT         ? LEAST
                    : walk->number == IP_AUTHENTICATION ? ((size_t)header[1] + 2) * 4
                                                        : ((size_t)header[1] + 1) * 8;
    bool is_fragment = walk->number == IP_FRAGMENT;
    if (length > walk->length)
        return armtap_walk_bad(walk, fault);
    if (length > walk->captured)
        return armtap_walk_end(walk, ARMTAP_LINK_CUT);
    walk->number = header[0];
    armtap_walk_skip(walk, length);
    unsigned place = armtap_be16(header + 2);
    if (is_fragment && place & (OFFSET | MORE)) /* otherwise an atomic fragment */
        return end_at_fragment(walk, armtap_be32(header + 4), (place & OFFSET) / 8, place & MORE);
    return ARMTAP_LAYER_PROTOCOL;
}

static enum armtap_layer walk_ipv6(struct armtap_walk *walk)
{
    enum { HEADER = 40 };
    struct armtap_segment *segment = walk->segment;
    if (walk->length < HEADER)
        return armtap_walk_bad(walk, "the packet is too short for an IPv6 header");
    if (walk->captured < HEADER)
        return armtap_walk_end(walk, ARMTAP_LINK_CUT);
    const uint8_t *ip = walk->data;
    size_t payload = armtap_be16(ip + 4);
    if (ip[0] >> 4 != 6)
        return armtap_walk_bad(walk, "the IP version is not 6");
    segment->ip = ip;
    segment->ip_id = 0;
    segment->ttl = ip[7];
    take_addresses(segment, 6, ip + 8, 16);
    armtap_walk_skip(walk, HEADER);
    if (payload == 0) /* segmentation offload */
        payload = walk->length;
    if (payload > walk->length)
        return armtap_walk_bad(walk, "the IPv6 length exceeds the packet");
    armtap_walk_limit(walk, payload);
    walk->number = ip[6];
    return ARMTAP_LAYER_PROTOCOL;
}

static enum armtap_layer walk_ip_protocol(struct armtap_walk *walk)
{
    unsigned version = walk->segment->source.version;
    if (walk->number == IP_TCP)
        return walk_tcp(walk);
    if (walk->number == (version == 4 ? IP_ICMP : IP_ICMPV6))
        return walk_icmp(walk, version);
    bool is_header = version == 4 ? walk->number == IP_AUTHENTICATION : is_extension(walk->number);
    return is_header ? walk_extension(walk) : armtap_walk_protocol(walk);
}

/* ---- link ------------------------------------------------------------------------------------------------------ */

static enum armtap_layer walk_ip(struct armtap_walk *walk)
{
    if (walk->captured == 0)
        return armtap_walk_short(walk, NULL);
    switch (walk->data[0] >> 4) {
    case 4:
        return ARMTAP_LAYER_IPV4;
    case 6:
        return ARMTAP_LAYER_IPV6;
    default:
        return armtap_walk_unread(walk, NULL);
    }
}

static enum armtap_layer walk_family(struct armtap_walk *walk)
{
    enum { HEADER = 4 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, NULL);
    uint32_t family = armtap_be32(walk->data);
    if (family > 0xffff) /* written by a little-endian machine: families are small numbers */
        family = family >> 24 | (family >> 8 & 0xff00);
    armtap_walk_skip(walk, HEADER);
    switch (family) {
    case 2:
        return ARMTAP_LAYER_IPV4;
    case 10: /* systems number IPv6 differently: Linux, Windows, NetBSD and OpenBSD, FreeBSD, macOS */
    case 23:
    case 24:
    case 28:
    case 30:
        return ARMTAP_LAYER_IPV6;
    default:
        return armtap_walk_unread(walk, NULL);
    }
}

static enum armtap_layer walk_ethernet(struct armtap_walk *walk)
{
    enum { HEADER = 14, SOURCE_AT = 6, TYPE_AT = 12 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, NULL);
    walk->segment->mac = (uint64_t)armtap_be16(walk->data + SOURCE_AT) << 32 | armtap_be32(walk->data + SOURCE_AT + 2);
    walk->number = armtap_be16(walk->data + TYPE_AT);
    armtap_walk_skip(walk, HEADER);
    return ARMTAP_LAYER_TYPE;
}

static enum armtap_layer take_step(struct armtap_walk *walk, enum armtap_layer layer)
{
    static enum armtap_layer (*const steps[])(struct armtap_walk * walk) = {
        [ARMTAP_LAYER_ETHERNET] = walk_ethernet,
        [ARMTAP_LAYER_TYPE] = armtap_walk_type,
        [ARMTAP_LAYER_LLC] = armtap_walk_llc,
        [ARMTAP_LAYER_FAMILY] = walk_family,
        [ARMTAP_LAYER_PPP] = armtap_walk_ppp,
        [ARMTAP_LAYER_MPLS] = armtap_walk_mpls,
        [ARMTAP_LAYER_IP] = walk_ip,
        [ARMTAP_LAYER_IPV4] = walk_ipv4,
        [ARMTAP_LAYER_IPV6] = walk_ipv6,
        [ARMTAP_LAYER_PROTOCOL] = walk_ip_protocol,
    };
    return steps[layer](walk);
}

static enum armtap_layer enter_link(struct armtap_walk *walk, const struct link *link)
{
    enum { PPPOE = 51, PPPOE_TYPE = 0x8864 };
    if (walk->captured < link->header)
        return armtap_walk_short(walk, NULL);
    if (link->layer == ARMTAP_LAYER_TYPE)
        walk->number = link->type == PPPOE ? PPPOE_TYPE : armtap_be16(walk->data + link->type_at);
    armtap_walk_skip(walk, link->header);
    return link->layer;
}

enum armtap_link_result armtap_link_parse(const struct armtap_packet *packet, struct armtap_segment *segment,
                                          const char **fault)
{
    const struct link *link = find_link(packet->link_type);
    if (!link)
        return ARMTAP_LINK_UNKNOWN;
    memset(segment, 0, sizeof *segment);
    const uint8_t *data = packet->data ? packet->data : (const uint8_t *)""; /* even 0 must not be added to NULL */
    struct armtap_walk walk = {data, packet->captured, packet->length, .segment = segment};
    if (walk.length < walk.captured) /* the bytes are there, whatever the file's header says */
        walk.length = walk.captured;
    enum armtap_layer layer = enter_link(&walk, link);
    while (layer != ARMTAP_LAYER_DONE)
        layer = take_step(&walk, layer);
    if (walk.fault)
        *fault = walk.fault;
    return walk.result;
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

void armtap_mac_text(uint64_t mac, char text[ARMTAP_MAC_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    unsigned shift = 48;
    for (size_t i = 0; i < ARMTAP_MAC_TEXT - 1; i++)
        text[i] = i % 3 == 2 ? ':' : digits[mac >> (shift -= 4) & 15];
    text[ARMTAP_MAC_TEXT - 1] = '\0';
}
