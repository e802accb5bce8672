/* Steps over what carries a robot's packets: tags, LLC, PPP, MPLS, and tunnels. */
#include "bytes.h"
#include "walk.h"

enum { TUNNELS_MOST = 8 }; /* one within another */

static enum armtap_layer enter(struct armtap_walk *walk, size_t header, enum armtap_layer layer)
{
    if (++walk->tunnels > TUNNELS_MOST)
        return armtap_walk_unread(walk, "more than 8 tunnels within one another");
    armtap_walk_skip(walk, header);
    return layer;
}

static enum armtap_layer enter_type(struct armtap_walk *walk, size_t header, unsigned type)
{
    walk->number = type;
    return enter(walk, header, ARMTAP_LAYER_TYPE);
}

/* ---- EtherTypes ------------------------------------------------------------------------------------------------- */

enum {
    TYPE_LEAST = 0x600, /* what is less is a length, and LLC follows */
    TYPE_IPV4 = 0x0800,
    TYPE_ARP = 0x0806,
    TYPE_IPV6 = 0x86dd,
    TYPE_COOKED_LLC = 4, /* in Linux cooked captures, where no length fits */
    TYPE_BRIDGED = 0x6558,
    TYPE_MPLS = 0x8847,
    TYPE_MPLS_MULTICAST = 0x8848,
    TYPE_PPP = 0x880b,
    TYPE_PPPOE = 0x8864,
    TYPE_JUMBO_LLC = 0x8870,
    TYPE_BACKBONE = 0x88e7,
    TYPE_ERSPAN = 0x88be,
    TYPE_ERSPAN_3 = 0x22eb
};

/* A tag of `length` bytes, whose last two are the EtherType of what follows. */
static const struct {
    uint16_t type;
    uint8_t length;
} tags[] = {
    {0x8100, 4}, {0x88a8, 4}, {0x9100, 4}, {0x9200, 4}, {0x9300, 4}, /* VLANs */
    {0x8926, 6},                                                     /* VN-Tag */
    {0x893f, 8},                                                     /* E-Tag */
    {0x8909, 8},                                                     /* Cisco's metadata */
    {0x892f, 6},                                                     /* HSR */
};

static const struct {
    uint16_t type;
    const char *name;
} unread_types[] = {
    {0x88e5, "MACsec"}, {0x894f, "NSH"},      {0x22f3, "TRILL"},
    {0x888e, "802.1X"}, {0x8892, "PROFINET"}, {0x88a4, "EtherCAT"},
};

/* Returns 0 if the type is no tag's. */
static size_t tag_length(unsigned type)
{
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i].type == type)
            return tags[i].length;
    return 0;
}

static enum armtap_layer step_over_tag(struct armtap_walk *walk, size_t length)
{
    if (walk->captured < length)
        return armtap_walk_short(walk, NULL);
    walk->number = armtap_be16(walk->data + length - 2);
    armtap_walk_skip(walk, length);
    return ARMTAP_LAYER_TYPE;
}

static enum armtap_layer step_over_pppoe(struct armtap_walk *walk)
{
    enum { HEADER = 6, VERSION_AND_TYPE = 0x11 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "PPPoE");
    if (walk->data[0] != VERSION_AND_TYPE || walk->data[1] != 0)
        return armtap_walk_unread(walk, "PPPoE of an unknown version");
    size_t length = armtap_be16(walk->data + 4);
    armtap_walk_skip(walk, HEADER);
    armtap_walk_limit(walk, length);
    return ARMTAP_LAYER_PPP;
}

/* A frame of a provider's backbone: a tag, then a whole frame of the customer's. */
static enum armtap_layer step_over_backbone(struct armtap_walk *walk)
{
    enum { HEADER = 4 };
    return walk->captured < HEADER ? armtap_walk_short(walk, NULL) : enter(walk, HEADER, ARMTAP_LAYER_ETHERNET);
}

static enum armtap_layer name_type(struct armtap_walk *walk)
{
    for (size_t i = 0; i < sizeof unread_types / sizeof *unread_types; i++)
        if (unread_types[i].type == walk->number)
            return armtap_walk_unread(walk, unread_types[i].name);
    return armtap_walk_unread(walk, NULL);
}

/* Of IPv4 addresses, unless the sender has none yet. */
static enum armtap_layer take_arp(struct armtap_walk *walk)
{
    static const uint8_t of_ipv4[] = {0, 1, 8, 0, 6, 4, 0}, nobody[4] = {0};
    enum { LENGTH = 28, OPERATION = 7, MAC = 8, SENDER = 14, TARGET = 24 };
    struct armtap_segment *segment = walk->segment;
    const uint8_t *arp = walk->data;
    if (walk->captured < LENGTH || memcmp(arp, of_ipv4, sizeof of_ipv4) != 0 || memcmp(arp + SENDER, nobody, 4) == 0)
        return armtap_walk_unread(walk, NULL);
    segment->source.version = segment->target.version = 4;
    memcpy(segment->source.bytes, arp + SENDER, 4);
    memcpy(segment->target.bytes, arp + TARGET, 4);
    segment->mac = (uint64_t)armtap_be16(arp + MAC) << 32 | armtap_be32(arp + MAC + 2);
    segment->flags = arp[OPERATION];
    return armtap_walk_end(walk, ARMTAP_LINK_ARP);
}

enum armtap_layer armtap_walk_type(struct armtap_walk *walk)
{
    size_t tag = tag_length(walk->number);
    if (tag)
        return step_over_tag(walk, tag);
    switch (walk->number) {
    case TYPE_IPV4:
        return ARMTAP_LAYER_IPV4;
    case TYPE_IPV6:
        return ARMTAP_LAYER_IPV6;
    case TYPE_ARP:
        return take_arp(walk);
    case TYPE_COOKED_LLC:
    case TYPE_JUMBO_LLC:
        return ARMTAP_LAYER_LLC;
    case TYPE_BRIDGED:
        return ARMTAP_LAYER_ETHERNET;
    case TYPE_MPLS:
    case TYPE_MPLS_MULTICAST:
        return ARMTAP_LAYER_MPLS;
    case TYPE_PPP:
        return ARMTAP_LAYER_PPP;
    case TYPE_PPPOE:
        return step_over_pppoe(walk);
    case TYPE_BACKBONE:
        return step_over_backbone(walk);
    default:
        break;
    }
    if (walk->number >= TYPE_LEAST)
        return name_type(walk);
    armtap_walk_limit(walk, walk->number);
    return ARMTAP_LAYER_LLC;
}

/* ---- LLC, PPP, MPLS ---------------------------------------------------------------------------------------------- */

enum armtap_layer armtap_walk_llc(struct armtap_walk *walk)
{
    static const uint8_t of_ip[] = {0x06, 0x06, 0x03}, of_snap[] = {0xaa, 0xaa, 0x03};
    enum { HEADER = 3, SNAP = 8 };

    if (walk->captured < HEADER)
        return armtap_walk_short(walk, NULL);
    if (memcmp(walk->data, of_ip, HEADER) == 0) {
        armtap_walk_skip(walk, HEADER);
        return ARMTAP_LAYER_IPV4;
    }
    if (memcmp(walk->data, of_snap, HEADER) != 0)
        return armtap_walk_unread(walk, NULL);
    if (walk->captured < SNAP)
        return armtap_walk_short(walk, NULL);
    uint32_t organisation = armtap_be32(walk->data + 2) & 0xffffff;
    unsigned type = armtap_be16(walk->data + 6);
    if ((organisation != 0 && organisation != 0xf8) || type < TYPE_LEAST) /* 0xf8: bridges of 802.1H */
        return armtap_walk_unread(walk, NULL);
    walk->number = type;
    armtap_walk_skip(walk, SNAP);
    return ARMTAP_LAYER_TYPE;
}

static const struct {
    uint16_t protocol;
    const char *name;
} unread_ppp[] = {
    {0x002d, "PPP with compressed TCP headers"},
    {0x002f, "PPP with compressed TCP headers"},
    {0x0031, "PPP that bridges"},
    {0x003d, "PPP over several links"},
    {0x0053, "PPP encrypted"},
    {0x0055, "PPP encrypted"},
    {0x00fb, "PPP compressed"},
    {0x00fd, "PPP compressed"},
};

/* Reads the number of a protocol, which may be shortened to one byte; returns its length, or 0 if it was cut. */
static size_t read_ppp_protocol(const uint8_t *data, size_t captured, unsigned *protocol)
{
    bool is_short = captured > 0 && data[0] & 1;
    if (captured < (is_short ? 1 : 2))
        return 0;
    *protocol = is_short ? data[0] : armtap_be16(data);
    return is_short ? 1 : 2;
}

enum armtap_layer armtap_walk_ppp(struct armtap_walk *walk)
{
    enum { IPV4 = 0x21, IPV6 = 0x57, MPLS = 0x281, MPLS_MULTICAST = 0x283 };
    unsigned protocol = 0;
    if (walk->captured >= 2 && walk->data[0] == 0xff && walk->data[1] == 3) /* address and control of HDLC */
        armtap_walk_skip(walk, 2);
    size_t length = read_ppp_protocol(walk->data, walk->captured, &protocol);
    if (length == 0)
        return armtap_walk_short(walk, "PPP");
    switch (protocol) {
    case IPV4:
        return enter(walk, length, ARMTAP_LAYER_IPV4);
    case IPV6:
        return enter(walk, length, ARMTAP_LAYER_IPV6);
    case MPLS:
    case MPLS_MULTICAST:
        return enter(walk, length, ARMTAP_LAYER_MPLS);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof unread_ppp / sizeof *unread_ppp; i++)
        if (unread_ppp[i].protocol == protocol)
            return armtap_walk_unread(walk, unread_ppp[i].name);
    return armtap_walk_unread(walk, NULL); /* it negotiates */
}

/* Whether an EtherType that a frame of a robot may have stands there. */
static bool has_type(const struct armtap_walk *walk, size_t at)
{
    if (walk->captured < at + 2)
        return false;
    unsigned type = armtap_be16(walk->data + at);
    return type == TYPE_IPV4 || type == TYPE_IPV6 || type == TYPE_MPLS || type == TYPE_PPPOE || tag_length(type) > 0;
}

/* MPLS does not say what it carries. Behind the labels is IP, or a frame, perhaps with a control word before it. */
static enum armtap_layer find_below_labels(struct armtap_walk *walk)
{
    enum { TYPE_AT = 12, CONTROL_WORD = 4, IPV4_LEAST = 0x45 };
    unsigned first = walk->data[0];
    if (has_type(walk, TYPE_AT))
        return ARMTAP_LAYER_ETHERNET;
    if (first >> 4 == 0 && has_type(walk, CONTROL_WORD + TYPE_AT)) {
        armtap_walk_skip(walk, CONTROL_WORD);
        return ARMTAP_LAYER_ETHERNET;
    }
    if ((first >> 4 == 4 && first >= IPV4_LEAST) || first >> 4 == 6)
        return ARMTAP_LAYER_IP;
    return armtap_walk_unread(walk, "MPLS with something other than IP or Ethernet");
}

enum armtap_layer armtap_walk_mpls(struct armtap_walk *walk)
{
    enum { LABEL = 4, LAST = 1 };
    bool is_last = false;
    while (!is_last) {
        if (walk->captured < LABEL)
            return armtap_walk_short(walk, "MPLS");
        is_last = walk->data[2] & LAST;
        armtap_walk_skip(walk, LABEL);
    }
    if (walk->captured == 0)
        return armtap_walk_short(walk, "MPLS");
    enum armtap_layer layer = enter(walk, 0, ARMTAP_LAYER_MPLS);
    return layer == ARMTAP_LAYER_DONE ? layer : find_below_labels(walk);
}

/* ---- GRE and what is in it --------------------------------------------------------------------------------------- */

/* Cisco's ERSPAN: type I has no header, type II one of 8 bytes and a sequence number in GRE's. */
static enum armtap_layer step_over_erspan(struct armtap_walk *walk, bool has_sequence)
{
    enum { HEADER_2 = 8, HEADER_3 = 12, PLATFORM = 8, IS_IP = 2 };

    if (walk->number == TYPE_ERSPAN && !has_sequence)
        return enter(walk, 0, ARMTAP_LAYER_ETHERNET);
    if (walk->captured < HEADER_2)
        return armtap_walk_short(walk, "GRE with ERSPAN");
    unsigned version = walk->data[0] >> 4;
    if (version == 1)
        return enter(walk, HEADER_2, ARMTAP_LAYER_ETHERNET);
    if (version != 2)
        return armtap_walk_unread(walk, "GRE with ERSPAN of an unknown version");
    if (walk->captured < HEADER_3)
        return armtap_walk_short(walk, "GRE with ERSPAN");
    unsigned frame = walk->data[10] >> 2 & 31;
    size_t header = HEADER_3 + (walk->data[11] & 1 ? PLATFORM : 0);
    if (walk->captured < header)
        return armtap_walk_short(walk, "GRE with ERSPAN");
    return enter(walk, header, frame == IS_IP ? ARMTAP_LAYER_IP : ARMTAP_LAYER_ETHERNET);
}

static enum armtap_layer step_over_gre(struct armtap_walk *walk)
{
    enum { CHECKSUM = 0x8000, ROUTING = 0x4000, KEY = 0x2000, SEQUENCE = 0x1000, ACKNOWLEDGES = 0x80, NUMBER = 7 };
    enum { HEADER = 4, WORD = 4 };
    static const unsigned options[] = {CHECKSUM, KEY, SEQUENCE};

    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "GRE");
    unsigned flags = armtap_be16(walk->data), version = flags & NUMBER;
    unsigned type = armtap_be16(walk->data + 2);
    if (version > 1 || flags & ROUTING)
        return armtap_walk_unread(walk, version > 1 ? "GRE of an unknown version" : "GRE with source routes");
    size_t header = HEADER;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        header += flags & options[i] ? WORD : 0u;
    if (version == 1 && flags & ACKNOWLEDGES)
        header += WORD;
    if (walk->captured < header)
        return armtap_walk_short(walk, "GRE");
    armtap_walk_skip(walk, header);
    walk->number = type;
    if (type == TYPE_ERSPAN || type == TYPE_ERSPAN_3)
        return step_over_erspan(walk, flags & SEQUENCE);
    enum armtap_layer layer = enter_type(walk, 0, type);
    bool is_known = type == TYPE_IPV4 || type == TYPE_IPV6 || type == TYPE_BRIDGED || type == TYPE_MPLS ||
                    type == TYPE_MPLS_MULTICAST || type == TYPE_PPP || tag_length(type) > 0;
    return is_known || layer == ARMTAP_LAYER_DONE ? layer
                                                  : armtap_walk_unread(walk, "GRE with something other than IP");
}

/* ---- UDP --------------------------------------------------------------------------------------------------------- */

static enum armtap_layer step_over_vxlan(struct armtap_walk *walk)
{
    enum { HEADER = 8, HAS_NUMBER = 8 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "VXLAN");
    return walk->data[0] & HAS_NUMBER ? enter(walk, HEADER, ARMTAP_LAYER_ETHERNET)
                                      : armtap_walk_unread(walk, "UDP port of VXLAN without its header");
}

static enum armtap_layer step_over_vxlan_gpe(struct armtap_walk *walk)
{
    enum { HEADER = 8, HAS_PROTOCOL = 4 };
    static const enum armtap_layer layers[] = {[1] = ARMTAP_LAYER_IPV4,
                                               [2] = ARMTAP_LAYER_IPV6,
                                               [3] = ARMTAP_LAYER_ETHERNET,
                                               [4] = ARMTAP_LAYER_DONE,
                                               [5] = ARMTAP_LAYER_MPLS};
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "VXLAN");
    unsigned next = walk->data[0] & HAS_PROTOCOL ? walk->data[3] : 3;
    if (next >= sizeof layers / sizeof *layers || layers[next] == ARMTAP_LAYER_DONE)
        return armtap_walk_unread(walk, "VXLAN with something other than Ethernet or IP");
    return enter(walk, HEADER, layers[next]);
}

static enum armtap_layer step_over_geneve(struct armtap_walk *walk)
{
    enum { HEADER = 8 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "Geneve");
    size_t length = HEADER + (size_t)(walk->data[0] & 0x3f) * 4;
    unsigned type = armtap_be16(walk->data + 2);
    if (walk->data[0] >> 6 != 0)
        return armtap_walk_unread(walk, "Geneve of an unknown version");
    return walk->captured < length ? armtap_walk_short(walk, "Geneve") : enter_type(walk, length, type);
}

static enum armtap_layer step_over_tzsp(struct armtap_walk *walk)
{
    enum { HEADER = 4, TAG_END = 1, TAG_PADDING = 0, OF_ETHERNET = 1 };
    size_t at = HEADER;
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "TZSP");
    if (walk->data[0] != 1 || armtap_be16(walk->data + 2) != OF_ETHERNET)
        return armtap_walk_unread(walk, "TZSP with something other than Ethernet");
    while (at < walk->captured && walk->data[at] != TAG_END)
        at += walk->data[at] == TAG_PADDING ? 1 : at + 1 < walk->captured ? (size_t)walk->data[at + 1] + 2 : 2;
    return at + 1 > walk->captured ? armtap_walk_short(walk, "TZSP") : enter(walk, at + 1, ARMTAP_LAYER_ETHERNET);
}

static enum armtap_layer step_over_gtp(struct armtap_walk *walk)
{
    enum { HEADER = 8, OPTIONAL = 4, HAS_OPTIONAL = 7, HAS_EXTENSION = 4, IS_USER_DATA = 255 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, "GTP");
    unsigned flags = walk->data[0];
    size_t length = HEADER + (flags & HAS_OPTIONAL ? OPTIONAL : 0);
    if (flags >> 4 != 3 || walk->data[1] != IS_USER_DATA)
        return armtap_walk_unread(walk, "GTP without a user's packet");
    if (walk->captured < length)
        return armtap_walk_short(walk, "GTP");
    unsigned extension = flags & HAS_EXTENSION ? walk->data[length - 1] : 0;
    while (extension) {
        size_t step = length < walk->captured ? (size_t)walk->data[length] * 4 : 0;
        if (step == 0 || walk->captured - length < step)
            return armtap_walk_short(walk, "GTP");
        length += step;
        extension = walk->data[length - 1];
    }
    return enter(walk, length, ARMTAP_LAYER_IP);
}

static enum armtap_layer step_over_mpls_in_udp(struct armtap_walk *walk)
{
    return enter(walk, 0, ARMTAP_LAYER_MPLS);
}

/* The ports on which tunnels end; what has no step is only named. */
static const struct {
    uint16_t port;
    enum armtap_layer (*step)(struct armtap_walk *walk);
    const char *name;
} udp_ports[] = {
    {4789, step_over_vxlan, NULL},
    {8472, step_over_vxlan, NULL}, /* Linux, by default */
    {4790, step_over_vxlan_gpe, NULL},
    {6081, step_over_geneve, NULL},
    {37008, step_over_tzsp, NULL},
    {2152, step_over_gtp, NULL},
    {6635, step_over_mpls_in_udp, NULL},
    {4754, step_over_gre, NULL},
    {51820, NULL, "WireGuard"},
    {4500, NULL, "ESP in UDP (IPsec)"},
    {500, NULL, "IKE (IPsec)"},
    {1194, NULL, "OpenVPN"},
    {1701, NULL, "L2TP"},
    {443, NULL, "QUIC"},
    {9993, NULL, "ZeroTier"},
    {41641, NULL, "Tailscale (WireGuard)"},
};

bool armtap_walk_is_tunnel_port(unsigned port)
{
    for (size_t i = 0; i < sizeof udp_ports / sizeof *udp_ports; i++)
        if (udp_ports[i].step && udp_ports[i].port == port)
            return true;
    return false;
}

static enum armtap_layer step_over_udp(struct armtap_walk *walk)
{
    enum { HEADER = 8 };
    if (walk->captured < HEADER)
        return armtap_walk_short(walk, NULL);
    unsigned source = armtap_be16(walk->data), target = armtap_be16(walk->data + 2);
    size_t length = armtap_be16(walk->data + 4);
    if (length > HEADER)
        armtap_walk_limit(walk, length);
    armtap_walk_skip(walk, HEADER);
    for (size_t i = 0; i < sizeof udp_ports / sizeof *udp_ports; i++) {
        if (udp_ports[i].step && udp_ports[i].port == target)
            return udp_ports[i].step(walk);
        if (udp_ports[i].name && (udp_ports[i].port == target || udp_ports[i].port == source))
            return armtap_walk_unread(walk, udp_ports[i].name);
    }
    return armtap_walk_unread(walk, NULL);
}

/* ---- IP protocols ------------------------------------------------------------------------------------------------ */

static enum armtap_layer step_over_ether_ip(struct armtap_walk *walk)
{
    enum { HEADER = 2 };
    return walk->captured < HEADER ? armtap_walk_short(walk, "EtherIP") : enter(walk, HEADER, ARMTAP_LAYER_ETHERNET);
}

static enum armtap_layer enter_ipv4(struct armtap_walk *walk)
{
    return enter(walk, 0, ARMTAP_LAYER_IPV4);
}

static enum armtap_layer enter_ipv6(struct armtap_walk *walk)
{
    return enter(walk, 0, ARMTAP_LAYER_IPV6);
}

static enum armtap_layer enter_ethernet(struct armtap_walk *walk)
{
    return enter(walk, 0, ARMTAP_LAYER_ETHERNET);
}

static const struct {
    uint8_t protocol;
    enum armtap_layer (*step)(struct armtap_walk *walk);
    const char *name;
} protocols[] = {
    {17, step_over_udp, NULL},
    {4, enter_ipv4, NULL},
    {41, enter_ipv6, NULL},
    {47, step_over_gre, NULL},
    {97, step_over_ether_ip, NULL},
    {137, step_over_mpls_in_udp, NULL},
    {143, enter_ethernet, NULL},
    {50, NULL, "ESP (IPsec)"},
    {55, NULL, "minimal encapsulation of IP"},
    {108, NULL, "IPComp (compressed)"},
    {115, NULL, "L2TP"},
    {132, NULL, "SCTP"},
};

enum armtap_layer armtap_walk_protocol(struct armtap_walk *walk)
{
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (protocols[i].protocol == walk->number)
            return protocols[i].step ? protocols[i].step(walk) : armtap_walk_unread(walk, protocols[i].name);
    return armtap_walk_unread(walk, NULL);
}
