/* A packet of ICMP, all of its bytes: what answers a connection that fails says so in words of its own, and quotes the
 * packet that it answers. Names as in RFC 792, 1122, 1812 and 4443. */
#include "icmp.h"

#include <stdio.h>
#include <string.h>

#include "bytes.h"

#define TEXT_MAX 64
#define TAGS_MOST 3

enum { IP_ICMP = 1, IP_TCP = 6, IP_UDP = 17, IP_ICMPV6 = 58 };
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8 };
enum { LINK_ETHERNET = 1, LINK_RAW = 101, LINK_COOKED = 113, LINK_IPV4 = 228, LINK_IPV6 = 229, LINK_COOKED_2 = 276 };

/* ---- names ------------------------------------------------------------------------------------------------------- */

struct name {
    unsigned version, type;
    int code; /* -1: of the type */
    const char *text;
};

static const struct name names[] = {
    {4, 0, -1, "echo reply"},
    {4, 3, -1, "destination unreachable"},
    {4, 3, 0, "network unreachable"},
    {4, 3, 1, "host unreachable"},
    {4, 3, 2, "protocol unreachable"},
    {4, 3, 3, "port unreachable"},
    {4, 3, 4, "fragmentation needed, but not allowed"},
    {4, 3, 5, "source route failed"},
    {4, 3, 6, "destination network unknown"},
    {4, 3, 7, "destination host unknown"},
    {4, 3, 8, "source host isolated"},
    {4, 3, 9, "network administratively prohibited"},
    {4, 3, 10, "host administratively prohibited"},
    {4, 3, 11, "network unreachable for this type of service"},
    {4, 3, 12, "host unreachable for this type of service"},
    {4, 3, 13, "communication administratively prohibited"},
    {4, 3, 14, "host precedence violation"},
    {4, 3, 15, "precedence cutoff in effect"},
    {4, 4, -1, "source quench"},
    {4, 5, -1, "redirect"},
    {4, 5, 0, "for the network"},
    {4, 5, 1, "for the host"},
    {4, 8, -1, "echo request"},
    {4, 9, -1, "router advertisement"},
    {4, 10, -1, "router solicitation"},
    {4, 11, -1, "time exceeded"},
    {4, 11, 0, "time to live exceeded in transit"},
    {4, 11, 1, "fragment reassembly time exceeded"},
    {4, 12, -1, "parameter problem"},
    {6, 1, -1, "destination unreachable"},
    {6, 1, 0, "no route to destination"},
    {6, 1, 1, "communication administratively prohibited"},
    {6, 1, 2, "beyond the scope of the source address"},
    {6, 1, 3, "address unreachable"},
    {6, 1, 4, "port unreachable"},
    {6, 1, 5, "source address failed a policy"},
    {6, 1, 6, "route rejected"},
    {6, 2, -1, "packet too big"},
    {6, 3, -1, "time exceeded"},
    {6, 3, 0, "hop limit exceeded in transit"},
    {6, 3, 1, "fragment reassembly time exceeded"},
    {6, 4, -1, "parameter problem"},
    {6, 128, -1, "echo request"},
    {6, 129, -1, "echo reply"},
    {6, 133, -1, "router solicitation"},
    {6, 134, -1, "router advertisement"},
    {6, 135, -1, "neighbor solicitation"},
    {6, 136, -1, "neighbor advertisement"},
    {6, 143, -1, "multicast listener report"},
};

static const char *name_of(unsigned version, unsigned type, int code)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].version == version && names[i].type == type && names[i].code == code)
            return names[i].text;
    return "";
}

static const char *protocol_name(unsigned protocol)
{
    return protocol == IP_TCP      ? "TCP"
           : protocol == IP_UDP    ? "UDP"
           : protocol == IP_ICMP   ? "ICMP"
           : protocol == IP_ICMPV6 ? "ICMPv6"
                                   : "";
}

/* ---- headers ----------------------------------------------------------------------------------------------------- */

enum form { BARE, NUMBER, ADDRESS };

struct part {
    const char *name;
    size_t at, length;
    enum form form;
};

static const struct part ethernet[] = {{"destination", 0, 6, ADDRESS}, {"source", 6, 6, ADDRESS}, {NULL, 0, 0, BARE}};
static const struct part ipv4[] = {{"version and header", 0, 1, BARE},
                                   {"type of service", 1, 1, NUMBER},
                                   {"total length", 2, 2, NUMBER},
                                   {"identification", 4, 2, NUMBER},
                                   {"flags and fragment", 6, 2, BARE},
                                   {"time to live", 8, 1, NUMBER},
                                   {"protocol", 9, 1, NUMBER},
                                   {"header checksum", 10, 2, BARE},
                                   {"source", 12, 4, ADDRESS},
                                   {"destination", 16, 4, ADDRESS},
                                   {NULL, 0, 0, BARE}};
static const struct part ipv6[] = {{"version, class, flow", 0, 4, BARE},
                                   {"payload length", 4, 2, NUMBER},
                                   {"next header", 6, 1, NUMBER},
                                   {"hop limit", 7, 1, NUMBER},
                                   {"source", 8, 16, ADDRESS},
                                   {"destination", 24, 16, ADDRESS},
                                   {NULL, 0, 0, BARE}};
static const struct part unused[] = {{"unused", 4, 4, BARE}, {NULL, 0, 0, BARE}};
static const struct part next_mtu[] = {{"unused", 4, 2, BARE}, {"next hop's MTU", 6, 2, NUMBER}, {NULL, 0, 0, BARE}};
static const struct part whole_mtu[] = {{"MTU", 4, 4, NUMBER}, {NULL, 0, 0, BARE}};
static const struct part gateway[] = {{"gateway", 4, 4, ADDRESS}, {NULL, 0, 0, BARE}};
static const struct part echo[] = {{"identifier", 4, 2, NUMBER}, {"sequence number", 6, 2, NUMBER}, {NULL, 0, 0, BARE}};
static const struct part ports[] = {
    {"source port", 0, 2, NUMBER}, {"destination port", 2, 2, NUMBER}, {NULL, 0, 0, BARE}};
static const struct part tcp[] = {{"sequence number", 4, 4, NUMBER},
                                  {"acknowledgement", 8, 4, NUMBER},
                                  {"header and flags", 12, 2, BARE},
                                  {"window", 14, 2, NUMBER},
                                  {"checksum", 16, 2, BARE},
                                  {"urgent pointer", 18, 2, NUMBER},
                                  {NULL, 0, 0, BARE}};

/* A packet that is taken apart. */
struct packet {
    struct pieces *pieces;
    const uint8_t *bytes;
    size_t length, at; /* all of it, and where the header begins */
    const char *of;    /* before the names of its parts */
};

/* "10.0.0.2", "fd00:0:0:0:0:0:0:2", "02:00:00:00:00:01". */
static void write_address(char text[TEXT_MAX], const uint8_t *bytes, size_t length)
{
    size_t at = 0, each = length == 16 ? 2 : 1;
    for (size_t i = 0; i < length; i += each) {
        char sign = length == 4 ? '.' : ':';
        if (i > 0)
            text[at++] = sign;
        unsigned number = each == 2 ? armtap_be16(bytes + i) : bytes[i];
        const char *form = length == 4 ? "%u" : length == 16 ? "%x" : "%02x";
        at += (size_t)snprintf(text + at, TEXT_MAX - at, form, number);
    }
}

static uint64_t number_of(const uint8_t *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* A part that is there as a whole; false: it is not. */
static bool add(struct packet *packet, const struct part *part, const char *remark)
{
    char name[PIECE_FIELD_MAX], text[TEXT_MAX] = "";
    size_t at = packet->at + part->at;
    if (at > packet->length || part->length > packet->length - at)
        return false;
    struct armtap_piece piece = {
        .offset = at, .length = part->length, .name = name, .unit = "", .remark = remark ? remark : ""};
    snprintf(name, sizeof name, "%s%s", packet->of, part->name);
    piece.value.present = part->form != BARE;
    piece.value.count = 1;
    if (part->form == NUMBER) {
        piece.value.type = ARMTAP_UINT64;
        piece.value.u64[0] = number_of(packet->bytes + at, part->length);
    } else if (part->form == ADDRESS) {
        write_address(text, packet->bytes + at, part->length);
        piece.value.type = ARMTAP_STRING;
        piece.value.text = text;
        piece.value.length = strlen(text);
    }
    pieces_take(packet->pieces, &piece);
    return true;
}

static bool add_all(struct packet *packet, const struct part *parts)
{
    for (; parts->name; parts++) {
        bool is_protocol = parts->form == NUMBER && parts->length == 1 && (parts->at == 9 || parts->at == 6);
        size_t at = packet->at + parts->at;
        if (!add(packet, parts, is_protocol && at < packet->length ? protocol_name(packet->bytes[at]) : ""))
            return false;
    }
    return true;
}

static bool add_rest(struct packet *packet, const char *name, size_t until)
{
    const struct part rest = {name, 0, until > packet->at ? until - packet->at : 0, BARE};
    return rest.length == 0 || add(packet, &rest, "");
}

/* ---- the packet -------------------------------------------------------------------------------------------------- */

/* The version and the protocol of IP; its header's length, 0: none is there. */
static size_t ip_header(const uint8_t *ip, size_t length, unsigned *version, unsigned *protocol)
{
    *version = length > 0 ? ip[0] >> 4 : 0;
    *protocol = *version == 4 && length >= 20 ? ip[9] : *version == 6 && length >= 40 ? ip[6] : 0;
    if (*version == 4 && length >= 20)
        return (ip[0] & 15) >= 5 && (size_t)(ip[0] & 15) * 4 <= length ? (size_t)(ip[0] & 15) * 4 : 0;
    size_t header = *version == 6 && length >= 40 ? 40 : 0;
    bool has_options = header > 0 && *protocol == 0 && length >= 48 && 48 + (size_t)ip[41] * 8 <= length;
    if (has_options) {
        header = 48 + (size_t)ip[41] * 8;
        *protocol = ip[40];
    }
    return header;
}

/* IP's header, and its options, after which packet->at stands. The protocol; -1: it ends before. */
static int add_ip(struct packet *packet)
{
    unsigned version, protocol;
    size_t header = ip_header(packet->bytes + packet->at, packet->length - packet->at, &version, &protocol);
    size_t end = packet->at + header;
    bool is_cut = packet->length - packet->at < (version == 4 ? 20 : 40);
    if ((version != 4 && version != 6) || (header == 0 && !is_cut))
        return -1;
    if (!add_all(packet, version == 6 ? ipv6 : ipv4) || header == 0)
        return -1;
    packet->at += version == 6 ? 40 : 20;
    if (!add_rest(packet, "options", end))
        return -1;
    packet->at = end;
    return (int)protocol;
}

static const struct part *rest_of_head(unsigned version, unsigned type, unsigned code)
{
    if (version == 4)
        return type == 3 && code == 4 ? next_mtu : type == 5 ? gateway : type == 0 || type == 8 ? echo : unused;
    return type == 2 ? whole_mtu : type == 128 || type == 129 ? echo : unused;
}

static bool is_error(unsigned version, unsigned type)
{
    return version == 4 ? type >= 3 && type <= 12 && type != 8 && type != 9 && type != 10 : type >= 1 && type <= 4;
}

static void add_quoted(struct packet *packet, size_t end)
{
    packet->of = "quoted ";
    int protocol = add_ip(packet);
    bool has_ports = protocol == IP_TCP || protocol == IP_UDP;
    if (protocol < 0 || (has_ports && !add_all(packet, ports)))
        return;
    if (protocol == IP_TCP && !add_all(packet, tcp))
        return;
    packet->at += protocol == IP_TCP ? 20 : has_ports ? 4 : 0;
    add_rest(packet, protocol == IP_TCP ? "TCP options or data" : "data", end);
}

static void add_icmp(struct packet *packet, unsigned version, size_t end)
{
    const uint8_t *head = packet->bytes + packet->at;
    bool has_head = packet->length - packet->at >= 2;
    unsigned type = has_head ? head[0] : 0, code = has_head ? head[1] : 0;
    const struct part parts[] = {{"type", 0, 1, NUMBER}, {"code", 1, 1, NUMBER}, {"checksum", 2, 2, BARE}};
    packet->of = version == 6 ? "ICMPv6 " : "ICMP ";
    if (!add(packet, &parts[0], name_of(version, type, -1)) ||
        !add(packet, &parts[1], name_of(version, type, (int)code)) || !add(packet, &parts[2], "") ||
        !add_all(packet, rest_of_head(version, type, code)))
        return;
    packet->at += 8;
    if (is_error(version, type))
        add_quoted(packet, end);
    else
        add_rest(packet, "data", end);
}

/* Where IP begins in a packet; SIZE_MAX: nobody knows. */
static size_t ip_at(int link_type, const uint8_t *bytes, size_t length)
{
    size_t type_at = link_type == LINK_COOKED ? 14 : link_type == LINK_COOKED_2 ? 0 : 12;
    size_t header = link_type == LINK_COOKED ? 16 : link_type == LINK_COOKED_2 ? 20 : 14;
    if (link_type == LINK_RAW || link_type == LINK_IPV4 || link_type == LINK_IPV6)
        return 0;
    if (link_type != LINK_ETHERNET && link_type != LINK_COOKED && link_type != LINK_COOKED_2)
        return SIZE_MAX;
    for (int tags = 0; tags <= TAGS_MOST && header <= length; tags++) {
        unsigned type = armtap_be16(bytes + type_at);
        if (type != TYPE_VLAN && type != TYPE_QINQ)
            return type == TYPE_IPV4 || type == TYPE_IPV6 ? header : SIZE_MAX;
        type_at = header + 2;
        header += 4;
    }
    return SIZE_MAX;
}

bool icmp_is(int link_type, const uint8_t *bytes, size_t length)
{
    unsigned version, protocol;
    size_t at = ip_at(link_type, bytes, length);
    if (at >= length || ip_header(bytes + at, length - at, &version, &protocol) == 0)
        return false;
    bool is_part = version == 4 && (armtap_be16(bytes + at + 6) & 0x1fff) != 0;
    return !is_part && protocol == (version == 4 ? IP_ICMP : IP_ICMPV6);
}

const char *icmp_annotate(int link_type, const uint8_t *bytes, size_t length, struct pieces *pieces)
{
    struct packet packet = {pieces, bytes, length, 0, ""};
    size_t ip = ip_at(link_type, bytes, length);
    unsigned version = bytes[ip] >> 4;
    size_t says = version == 4 ? armtap_be16(bytes + ip + 2) : 40u + armtap_be16(bytes + ip + 4);
    size_t end = says < length - ip ? ip + says : length;
    if (link_type == LINK_ETHERNET) {
        add_all(&packet, ethernet);
        packet.at = 12;
    }
    add_rest(&packet, link_type == LINK_ETHERNET ? "EtherType" : "link header", ip);
    packet.at = ip;
    packet.length = end; /* what follows is padding */
    if (add_ip(&packet) >= 0)
        add_icmp(&packet, version, end);
    packet.of = "";
    packet.at = end;
    packet.length = length;
    pieces->rest = "not a complete header of a known protocol";
    if (end < length)
        add_rest(&packet, "padding", length);
    pieces_end(pieces, length);
    return version == 4 ? "ICMP" : "ICMPv6";
}
