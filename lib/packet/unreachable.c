#include "link.h"

#include "bytes.h"

enum { MESSAGE_HEADER = 8, TCP_QUOTED = 8, PROTOCOL_TCP = 6 };
enum { TYPE_V4 = 3, TYPE_V6 = 1, TOO_BIG = 4 /* of IPv4: the packet, not the target, is at fault */ };

static const char firewall[] = "a firewall rejects the connection";
static const char no_host[] = "no machine answers at this address";
static const char no_route[] = "there is no route to it";

/* By code (RFC 792, 1122 and 1812; RFC 4443). A machine answers to a closed port with a RST, so that "port unreachable"
 * comes from a firewall. */
static const char *const reasons_v4[] = {
    no_route, no_host, "its machine does not know TCP", firewall, NULL,     "the source route failed",
    no_route, no_host, "the sender is isolated",        firewall, firewall, no_route,
    no_host,  firewall};
static const char *const reasons_v6[] = {
    no_route, firewall, "it lies beyond the scope of the client's address", no_host, firewall, firewall, no_route};

const char *armtap_unreachable_reason(unsigned version, unsigned code)
{
    size_t count = version == 4 ? sizeof reasons_v4 / sizeof *reasons_v4 : sizeof reasons_v6 / sizeof *reasons_v6;
    const char *reason = code >= count ? NULL : version == 4 ? reasons_v4[code] : reasons_v6[code];
    return reason ? reason : "it cannot be reached";
}

static void take_address(struct armtap_address *address, unsigned version, const uint8_t *bytes)
{
    memset(address, 0, sizeof *address);
    address->version = (uint8_t)version;
    memcpy(address->bytes, bytes, version == 4 ? 4 : 16);
}

/* The length of the quoted IP header; 0 if it does not begin a TCP segment. */
static size_t quoted_header(const uint8_t *ip, size_t length, unsigned version)
{
    size_t least = version == 4 ? 20 : 40;
    if (length < least || ip[0] >> 4 != version)
        return 0;
    if (version == 6)
        return ip[6] == PROTOCOL_TCP ? least : 0;
    size_t header = (size_t)(ip[0] & 15) * 4;
    bool is_first = (armtap_be16(ip + 6) & 0x1fff) == 0;
    return ip[9] == PROTOCOL_TCP && is_first && header >= least ? header : 0;
}

bool armtap_unreachable_parse(const uint8_t *message, size_t length, unsigned version, struct armtap_segment *segment)
{
    if (length < MESSAGE_HEADER || message[0] != (version == 4 ? TYPE_V4 : TYPE_V6))
        return false;
    unsigned type = message[0], code = message[1];
    const uint8_t *ip = message + MESSAGE_HEADER;
    size_t header = quoted_header(ip, length - MESSAGE_HEADER, version);
    if (!header || length - MESSAGE_HEADER < header + TCP_QUOTED || (version == 4 && code == TOO_BIG))
        return false;
    struct armtap_address reporter = segment->source;
    const uint8_t *tcp = ip + header;
    *segment = (struct armtap_segment){.reporter = reporter, .icmp_type = type, .icmp_code = code};
    take_address(&segment->source, version, ip + (version == 4 ? 12 : 8));
    take_address(&segment->target, version, ip + (version == 4 ? 16 : 24));
    segment->source_port = armtap_be16(tcp);
    segment->target_port = armtap_be16(tcp + 2);
    segment->seq = armtap_be32(tcp + 4);
    segment->flags = ARMTAP_TCP_SYN;
    return true;
}
