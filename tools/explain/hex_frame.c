#include "hex_text.h"

#include <stdio.h>
#include <string.h>

#include "armtap.h"
#include "bytes.h"
#include "base/process/message.h"

#define ADDRESS_TEXT 48
#define TAGS_MOST 3
#define ETHERNET_LEAST 60 /* bytes; shorter packets are filled up */

enum { TYPE_IPV4 = 0x0800, TYPE_ARP = 0x0806, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8 };

/* Link layers by where the type of what they carry stands, and where that begins. */
static const struct link {
    const char *name;
    size_t type_at, header;
} links[] = {{"Ethernet, ", 12, 14}, {"Linux's cooked header, ", 14, 16}, {"Linux's cooked header 2, ", 0, 20}};

/* A packet of IP within the bytes. */
struct packet {
    const char *link, *ip;
    const uint8_t *bytes; /* from IP's header on */
    size_t there, length; /* bytes that are there, and that the header says */
    size_t header;        /* of IP */
    uint8_t protocol;
    bool is_part; /* a fragment */
    char from[ADDRESS_TEXT], to[ADDRESS_TEXT];
};

static uint16_t sum_of(const uint8_t *bytes, size_t length)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < length; i += 2)
        sum += armtap_be16(bytes + i);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

/* The sum of its header, or a length that fits exactly, shows that it is one. */
static bool take_ipv4(struct packet *packet)
{
    const uint8_t *ip = packet->bytes;
    if (packet->there < 20 || ip[0] >> 4 != 4)
        return false;
    packet->ip = "IPv4";
    packet->header = (size_t)(ip[0] & 15) * 4;
    packet->length = armtap_be16(ip + 2);
    packet->protocol = ip[9];
    packet->is_part = (armtap_be16(ip + 6) & 0x3fff) != 0;
    if (packet->header < 20 || packet->header > packet->there || packet->length < packet->header)
        return false;
    snprintf(packet->from, sizeof packet->from, "%u.%u.%u.%u", ip[12], ip[13], ip[14], ip[15]);
    snprintf(packet->to, sizeof packet->to, "%u.%u.%u.%u", ip[16], ip[17], ip[18], ip[19]);
    bool is_summed = armtap_be16(ip + 10) != 0 && sum_of(ip, packet->header) == 0xffff;
    return is_summed || (armtap_be16(ip + 10) == 0 && packet->length == packet->there);
}

static void write_ipv6(char text[ADDRESS_TEXT], const uint8_t *address)
{
    size_t at = 0;
    for (size_t i = 0; i < 16; i += 2)
        at += (size_t)snprintf(text + at, ADDRESS_TEXT - at, i == 0 ? "[%x" : ":%x", armtap_be16(address + i));
    snprintf(text + at, ADDRESS_TEXT - at, "]");
}

/* It has no sum: only its length shows that it is one. */
static bool take_ipv6(struct packet *packet)
{
    const uint8_t *ip = packet->bytes;
    if (packet->there < 40 || ip[0] >> 4 != 6)
        return false;
    packet->ip = "IPv6";
    packet->header = 40;
    packet->length = 40u + armtap_be16(ip + 4);
    packet->protocol = ip[6];
    write_ipv6(packet->from, ip + 8);
    write_ipv6(packet->to, ip + 24);
    return packet->length == packet->there && packet->length > packet->header &&
           (packet->link[0] != '\0' || packet->protocol == 6);
}

static bool take_ip(struct packet *packet, const char *link, const uint8_t *bytes, size_t length, unsigned type)
{
    *packet = (struct packet){.link = link, .bytes = bytes, .there = length};
    return type == TYPE_IPV4 ? take_ipv4(packet) : type == TYPE_IPV6 && take_ipv6(packet);
}

static bool take_link(struct packet *packet, const struct link *link, const uint8_t *bytes, size_t length)
{
    size_t type_at = link->type_at, header = link->header;
    for (int tags = 0; tags <= TAGS_MOST && header <= length; tags++) {
        unsigned type = armtap_be16(bytes + type_at);
        if (type != TYPE_VLAN && type != TYPE_QINQ)
            return take_ip(packet, link->name, bytes + header, length - header, type);
        type_at = header + 2;
        header += 4;
    }
    return false;
}

static bool find_ip(struct packet *packet, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (take_link(packet, &links[i], bytes, length))
            return true;
    return take_ip(packet, "", bytes, length, TYPE_IPV4) || take_ip(packet, "", bytes, length, TYPE_IPV6);
}

static bool is_arp(const uint8_t *bytes, size_t length)
{
    static const uint8_t arp[] = {0x08, 0x06, 0, 1, 0x08, 0, 6, 4};
    return length >= 42 && length <= ETHERNET_LEAST + 4 && memcmp(bytes + 12, arp, sizeof arp) == 0;
}

static bool is_robot_port(unsigned number)
{
    struct armtap_robot_port port = {.size = sizeof port};
    for (size_t i = 0; armtap_robot_port_at(i, &port); i++)
        if (port.port == number)
            return true;
    return false;
}

static enum hex_frame_outcome refuse(const char *what, const struct packet *packet)
{
    message_error("--hex: the bytes are a whole packet (%s%s), but %s; pass one that carries a robot's data",
                  packet->link, packet->ip, what);
    return HEX_FRAME_REFUSED;
}

/* What TCP carries in the packet. */
static enum hex_frame_outcome take_tcp(const struct packet *packet, const uint8_t *bytes, struct hex_frame *frame)
{
    size_t here = packet->length < packet->there ? packet->length : packet->there;
    const uint8_t *tcp = packet->bytes + packet->header;
    if (packet->protocol != 6)
        return refuse(packet->protocol == 17 ? "it is UDP, which no protocol here uses" : "it is not TCP", packet);
    if (packet->is_part)
        return refuse("it is a fragment: another packet has its beginning or its rest", packet);
    size_t header = here < packet->header + 20 ? SIZE_MAX : (size_t)(tcp[12] >> 4) * 4;
    if (header < 20 || header > here - packet->header)
        return refuse("TCP's header is cut or damaged", packet);
    unsigned from = armtap_be16(tcp), to = armtap_be16(tcp + 2);
    frame->at = (size_t)(tcp - bytes) + header;
    frame->length = here - packet->header - header;
    frame->to_robot = is_robot_port(to) && !is_robot_port(from);
    if (frame->length == 0)
        return refuse("it carries no TCP data", packet);
    snprintf(frame->remark, sizeof frame->remark,
             "a whole packet: %s%s and TCP, %s:%u to %s:%u; %zu bytes of headers are not shown%s", packet->link,
             packet->ip, packet->from, from, packet->to, to, frame->at,
             packet->length > packet->there ? "; its end is missing" : "");
    return HEX_FRAME_FOUND;
}

enum hex_frame_outcome hex_frame_find(const uint8_t *bytes, size_t length, struct hex_frame *frame)
{
    struct packet packet;
    *frame = (struct hex_frame){.length = length};
    if (find_ip(&packet, bytes, length))
        return take_tcp(&packet, bytes, frame);
    if (!is_arp(bytes, length))
        return HEX_FRAME_NONE;
    message_error("--hex: the bytes are a whole ARP packet; pass one that carries a robot's data");
    return HEX_FRAME_REFUSED;
}
