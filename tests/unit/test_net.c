/* From captured packets to connections: link, IP and TCP headers, and connections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes.h"
#include "network/flow.h"
#include "packet/link.h"
#include "inside.h"

#ifdef _WIN32
#include <ws2tcpip.h> /* last: it has macros called near and far */
#else
#include <arpa/inet.h>
#endif

/* ---- headers --------------------------------------------------------------------------------------------------- */

/* 10.0.0.2:30004 to 10.0.0.9:51234, seq 0x01020304, ack 0x0a0b0c0d, PSH ACK, window 500, "hello"; IP id 0x1234 */
#define TCP_HELLO "7534c822010203040a0b0c0d501801f40000000068656c6c6f"
#define IPV4_HELLO                                                                                                     \
    "4500002d1234400040060000"                                                                                         \
    "0a000002"                                                                                                         \
    "0a000009" TCP_HELLO
/* the same between fd00::2 and fd00::9 */
#define IPV6_ENDS                                                                                                      \
    "fd000000000000000000000000000002"                                                                                 \
    "fd000000000000000000000000000009"
#define IPV6_HELLO                                                                                                     \
    "60000000"                                                                                                         \
    "0019"                                                                                                             \
    "0640" IPV6_ENDS TCP_HELLO
#define MACS                                                                                                           \
    "020000000009"                                                                                                     \
    "020000000002"

static size_t from_hex(const char *hex, uint8_t *bytes)
{
    size_t length = strlen(hex) / 2;
    for (size_t i = 0; i < length; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        char *end;
        bytes[i] = (uint8_t)strtoul(digits, &end, 16);
        assert_int_equal(*end, '\0');
    }
    return length;
}

struct parsed {
    enum armtap_link_result result;
    struct armtap_segment segment;
    const char *fault;
    uint8_t bytes[512];
};

/* Parses a packet given in hex whose last `cut` bytes were not captured. The bytes fill a block of their own, so that
 * the sanitizer detects a read beyond them. */
static void parse(int link_type, const char *hex, size_t cut, struct parsed *parsed)
{
    size_t length = from_hex(hex, parsed->bytes);
    uint8_t *exact = malloc(length - cut ? length - cut : 1);
    assert_non_null(exact);
    memcpy(exact, parsed->bytes, length - cut);
    struct armtap_packet packet = {.size = sizeof(struct armtap_packet),
                                   .link_type = link_type,
                                   .data = exact,
                                   .captured = length - cut,
                                   .length = length};
    parsed->fault = NULL;
    parsed->result = armtap_link_parse(&packet, &parsed->segment, &parsed->fault);
    if (parsed->result == ARMTAP_LINK_TCP)
        parsed->segment.payload = parsed->bytes + (parsed->segment.payload - exact);
    free(exact);
}

static void assert_hello(const struct parsed *parsed, int version)
{
    const struct armtap_segment *s = &parsed->segment;
    assert_int_equal(parsed->result, ARMTAP_LINK_TCP);
    assert_int_equal(s->source.version, version);
    assert_int_equal(s->source.bytes[version == 4 ? 3 : 15], 2);
    assert_int_equal(s->target.bytes[version == 4 ? 3 : 15], 9);
    assert_int_equal(s->source_port, 30004);
    assert_int_equal(s->target_port, 51234);
    assert_int_equal(s->seq, 0x01020304);
    assert_int_equal(s->ack, 0x0a0b0c0d);
    assert_int_equal(s->flags, ARMTAP_TCP_ACK | 8);
    assert_int_equal(s->window, 500);
    assert_int_equal(s->ip_id, version == 4 ? 0x1234 : 0);
    assert_int_equal(s->length, 5);
    assert_int_equal(s->cut, 0);
    assert_memory_equal(s->payload, "hello", 5);
}

/* clang-format off */
static const struct {
    int link_type, version;
    const char *hex;
} hellos[] = {
    {1, 4, MACS "0800" IPV4_HELLO},
    {1, 6, MACS "86dd" IPV6_HELLO},
    {1, 4, MACS "0800" IPV4_HELLO "000000000000"},                      /* padded to the shortest frame */
    {1, 6, MACS "86dd" IPV6_HELLO "deadbeef"},                          /* a trailer */
    {1, 4, MACS "81000005" "0800" IPV4_HELLO},                          /* 802.1Q */
    {1, 4, MACS "88a80007" "81000005" "0800" IPV4_HELLO},               /* 802.1ad */
    {1, 6, MACS "91000007" "81000005" "81000006" "86dd" IPV6_HELLO},    /* three tags */
    {113, 4, "0000" "0001" "0006" "0200000000020000" "0800" IPV4_HELLO}, /* Linux cooked v1 */
    {113, 6, "0004" "0304" "0006" "0200000000020000" "86dd" IPV6_HELLO},
    {113, 4, "0000" "0001" "0006" "0200000000020000" "81000005" "0800" IPV4_HELLO},
    {276, 4, "0800" "0000" "00000003" "0001" "00" "06" "0200000000020000" IPV4_HELLO}, /* Linux cooked v2 */
    {276, 6, "86dd" "0000" "00000003" "0001" "00" "06" "0200000000020000" IPV6_HELLO},
    {101, 4, IPV4_HELLO}, /* raw */
    {101, 6, IPV6_HELLO},
    {12, 4, IPV4_HELLO},
    {14, 6, IPV6_HELLO},
    {228, 4, IPV4_HELLO},
    {229, 6, IPV6_HELLO},
    {0, 4, "02000000" IPV4_HELLO}, /* null, little-endian */
    {0, 4, "00000002" IPV4_HELLO}, /* and big-endian */
    {0, 6, "1e000000" IPV6_HELLO}, /* macOS */
    {0, 6, "0000001c" IPV6_HELLO}, /* FreeBSD */
    {0, 6, "18000000" IPV6_HELLO}, /* OpenBSD */
    {108, 4, "00000002" IPV4_HELLO}, /* loop */
    {108, 6, "00000018" IPV6_HELLO},
    {101, 4, "46000031" "1234400040060000" "0a000002" "0a000009" "01010100" TCP_HELLO}, /* IP options */
    {101, 4, "45000000" "1234400040060000" "0a000002" "0a000009" TCP_HELLO}, /* length 0: the network card fills it in */
    {101, 6, "60000000" "0000" "0640" IPV6_ENDS TCP_HELLO},
    {101, 6, "60000000" "0021" "0040" IPV6_ENDS "0600010400000000" TCP_HELLO}, /* hop-by-hop */
    {101, 6, "60000000" "0031" "3c40" IPV6_ENDS "2b01010c000000000000000000000000" "0600000000000000" TCP_HELLO},
    {101, 6, "60000000" "0021" "2c40" IPV6_ENDS "0600000000000001" TCP_HELLO}, /* an atomic fragment */
    /* AH; its length counts words of four bytes, minus two */
    {101, 6, "60000000" "0031" "3340" IPV6_ENDS "060400000000000100000001" "000000000000000000000000" TCP_HELLO},
};
/* clang-format on */

static void test_links(void **state)
{
    static struct parsed parsed;
    (void)state;
    for (size_t i = 0; i < sizeof hellos / sizeof hellos[0]; i++) {
        assert_true(armtap_link_type_known(hellos[i].link_type));
        parse(hellos[i].link_type, hellos[i].hex, 0, &parsed);
        assert_hello(&parsed, hellos[i].version);
    }
    assert_false(armtap_link_type_known(105));
    parse(105, MACS "0800" IPV4_HELLO, 0, &parsed);
    assert_int_equal(parsed.result, ARMTAP_LINK_UNKNOWN);
}

/* Wherever the snapshot length cuts, either the headers are whole or the packet is ignored. */
static void test_cut_anywhere(void **state)
{
    static struct parsed parsed;
    (void)state;
    for (size_t i = 0; i < sizeof hellos / sizeof hellos[0]; i++) {
        size_t length = strlen(hellos[i].hex) / 2;
        for (size_t cut = 1; cut <= length; cut++) {
            parse(hellos[i].link_type, hellos[i].hex, cut, &parsed);
            if (parsed.result == ARMTAP_LINK_TCP)
                assert_int_equal(parsed.segment.length + parsed.segment.cut, 5);
            else
                assert_int_equal(parsed.result, ARMTAP_LINK_CUT);
        }
    }
    parse(101, IPV4_HELLO, 2, &parsed);
    assert_int_equal(parsed.segment.length, 3);
    assert_int_equal(parsed.segment.cut, 2);
}

/* clang-format off */
static const struct {
    enum armtap_link_result result;
    const char *hex;
} odd[] = {
    {ARMTAP_LINK_FRAGMENT, "4500002d1234200040060000" "0a000002" "0a000009" TCP_HELLO}, /* more fragments */
    {ARMTAP_LINK_FRAGMENT, "4500002d1234000140060000" "0a000002" "0a000009" TCP_HELLO}, /* an offset */
    {ARMTAP_LINK_FRAGMENT, "4500002d1234000140110000" "0a000002" "0a000009" TCP_HELLO}, /* of UDP */
    {ARMTAP_LINK_OTHER, "4500002d1234000140010000" "0a000002" "0a000009" TCP_HELLO},    /* of ICMP */
    {ARMTAP_LINK_OTHER, "4500002d1234000040110000" "0a000002" "0a000009" TCP_HELLO},
    {ARMTAP_LINK_FRAGMENT, "60000000" "0021" "2c40" IPV6_ENDS "0600000100000001" TCP_HELLO},
    {ARMTAP_LINK_FRAGMENT, "60000000" "0021" "2c40" IPV6_ENDS "0600000800000001" TCP_HELLO},
    {ARMTAP_LINK_FRAGMENT, "60000000" "0021" "2c40" IPV6_ENDS "1100000800000001" TCP_HELLO},
    {ARMTAP_LINK_OTHER, "60000000" "0019" "3240" IPV6_ENDS TCP_HELLO}, /* ESP */
    {ARMTAP_LINK_BAD, "4400002d1234400040060000" "0a000002" "0a000009" TCP_HELLO},    /* header of 16 */
    {ARMTAP_LINK_BAD, "450000131234400040060000" "0a000002" "0a000009" TCP_HELLO},    /* length below the header */
    {ARMTAP_LINK_BAD, "4500002e1234400040060000" "0a000002" "0a000009" TCP_HELLO},    /* longer than the packet */
    {ARMTAP_LINK_BAD, "450000271234400040060000" "0a000002" "0a000009" TCP_HELLO},    /* no room for TCP */
    {ARMTAP_LINK_BAD, "4f00002d1234400040060000" "0a000002" "0a000009" TCP_HELLO},    /* options up to the end */
    {ARMTAP_LINK_BAD, "60000000" "001a" "0640" IPV6_ENDS TCP_HELLO},
    {ARMTAP_LINK_BAD, "60000000" "0021" "0040" IPV6_ENDS "0604010400000000" TCP_HELLO}, /* extension too long */
    {ARMTAP_LINK_BAD, "60000000" "0007" "0040" IPV6_ENDS "06000104000000"},
    {ARMTAP_LINK_BAD, "4500002d1234400040060000" "0a000002" "0a000009"
                      "7534c822010203040a0b0c0d401801f40000000068656c6c6f"}, /* TCP header of 16 */
    {ARMTAP_LINK_BAD, "4500002d1234400040060000" "0a000002" "0a000009"
                      "7534c822010203040a0b0c0d701801f40000000068656c6c6f"}, /* of 28 */
    {ARMTAP_LINK_BAD, "4500"},
    {ARMTAP_LINK_BAD, "6000"},
    {ARMTAP_LINK_OTHER, "7500002d1234400040060000" "0a000002" "0a000009" TCP_HELLO},
};
/* clang-format on */

static void test_odd_headers(void **state)
{
    static struct parsed parsed;
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        parse(101, odd[i].hex, 0, &parsed);
        assert_int_equal(parsed.result, odd[i].result);
        assert_true((parsed.fault != NULL) == (parsed.result == ARMTAP_LINK_BAD));
    }
    parse(1, MACS "0800" IPV6_HELLO, 0, &parsed); /* the EtherType contradicts the version */
    assert_int_equal(parsed.result, ARMTAP_LINK_BAD);
    parse(1, MACS "0806" IPV4_HELLO, 0, &parsed);
    assert_int_equal(parsed.result, ARMTAP_LINK_OTHER);
    parse(1, MACS, 0, &parsed);
    assert_int_equal(parsed.result, ARMTAP_LINK_OTHER);
}

static int window_scale(const char *options)
{
    static struct parsed parsed;
    char hex[256];
    size_t words = (20 + strlen(options) / 2) / 4;
    snprintf(hex, sizeof hex,
             "4500000012344000400600000a0000020a000009"
             "7534c8220000000100000000%zx00201f400000000%s",
             words, options);
    parse(101, hex, 0, &parsed);
    assert_int_equal(parsed.result, ARMTAP_LINK_TCP);
    assert_int_equal(parsed.segment.flags, ARMTAP_TCP_SYN);
    assert_int_equal(parsed.segment.length, 0);
    return parsed.segment.window_scale;
}

static void test_window_scale(void **state)
{
    (void)state;
    assert_int_equal(window_scale(""), -1);
    assert_int_equal(window_scale("020405b4"
                                  "01030307"),
                     7);
    assert_int_equal(window_scale("030300"
                                  "01"),
                     0);
    assert_int_equal(window_scale("0303ff00"), 14); /* more than the standard allows */
    assert_int_equal(window_scale("00030307"), -1); /* after the end of the options */
    assert_int_equal(window_scale("02000303"), -1); /* an option of length 0 */
    assert_int_equal(window_scale("02090303"), -1); /* longer than all options */
    assert_int_equal(window_scale("01010103"), -1); /* cut */
}

static void test_address_text(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int i = 0; i < 20000; i++) {
        struct armtap_address address = {.version = i % 8 ? 6 : 4};
        char text[64], plain[INET6_ADDRSTRLEN], expected[80];
        for (int k = 0; k < (address.version == 6 ? 16 : 4); k++) {
            random = random * 1664525 + 1013904223;
            address.bytes[k] = random >> 30 && i % 3 ? 0 : (uint8_t)(random >> 20);
        }
        address.bytes[1] |= address.version == 6; /* otherwise the system may print an embedded IPv4 address */
        inet_ntop(address.version == 6 ? AF_INET6 : AF_INET, address.bytes, plain, sizeof plain);
        snprintf(expected, sizeof expected, address.version == 6 ? "[%s]:%d" : "%s:%d", plain, i);
        armtap_address_text(&address, (uint16_t)i, text);
        assert_string_equal(text, expected);
    }
    struct armtap_address mapped = {6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 2}}, any = {.version = 6};
    char text[64];
    armtap_address_text(&mapped, 1, text);
    assert_string_equal(text, "[::ffff:10.0.0.2]:1");
    armtap_address_text(&any, 65535, text);
    assert_string_equal(text, "[::]:65535");
}

/* A TCP segment of 4 bytes over IPv4 or IPv6 and Ethernet with one byte changed: the reported fault, "" for none. */
static void test_what_is_wrong_with_headers(void **state)
{
    enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40, TCP = 20, DATA = 4 };
    static const struct {
        unsigned version;
        size_t at;
        uint8_t value;
        size_t less; /* bytes missing at the packet's end */
        const char *fault;
    } cases[] = {
        {4, 0, 0x45, 0, ""},
        {4, 0, 0x35, 0, "the IP version is not 4"},
        {4, 0, 0x44, 0, "the IPv4 header length is below 20"},
        {4, 3, IPV4 - 1, 0, "the IPv4 length is below that of its header"},
        {4, 3, IPV4, 0, "the packet is too short for a TCP header"},
        {4, 3, IPV4 + TCP - 1, 0, "the packet is too short for a TCP header"},
        {4, 3, IPV4 + TCP, 0, ""},
        {4, 3, IPV4 + TCP + DATA + 1, 0, "the IPv4 length exceeds the packet"},
        {4, 0, 0x45, TCP + DATA + 1, "the packet is too short for an IPv4 header"},
        {4, IPV4 + 12, 0x40, 0, "the TCP header length is below 20"},
        {4, IPV4 + 12, 0x60, 0, ""},
        {4, IPV4 + 12, 0x70, 0, "the TCP header is longer than its packet"},
        {6, 0, 0x60, 0, ""},
        {6, 0, 0x50, 0, "the IP version is not 6"},
        {6, 5, TCP + DATA, 0, ""},
        {6, 5, TCP + DATA + 1, 0, "the IPv6 length exceeds the packet"},
        {6, 0, 0x60, TCP + DATA + 1, "the packet is too short for an IPv6 header"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t frame[ETHERNET + IPV6 + TCP + DATA] = {0}, *bytes = frame + ETHERNET;
        size_t ip = cases[i].version == 4 ? IPV4 : IPV6;
        frame[12] = cases[i].version == 4 ? 0x08 : 0x86;
        frame[13] = cases[i].version == 4 ? 0x00 : 0xdd;
        bytes[0] = cases[i].version == 4 ? 0x45 : 0x60;
        bytes[cases[i].version == 4 ? 3 : 5] = (uint8_t)(cases[i].version == 4 ? ip + TCP + DATA : TCP + DATA);
        bytes[cases[i].version == 4 ? 9 : 6] = 6;
        bytes[ip] = 0x75, bytes[ip + 1] = 0x33, bytes[ip + 12] = 0x50;
        bytes[cases[i].at] = cases[i].value;
        struct armtap_packet packet = {.size = sizeof(struct armtap_packet), .link_type = 1, .data = frame};
        struct armtap_segment segment;
        const char *fault = "";
        packet.captured = packet.length = ETHERNET + ip + TCP + DATA - cases[i].less;
        enum armtap_link_result result = armtap_link_parse(&packet, &segment, &fault);
        if (strcmp(fault, cases[i].fault) != 0)
            fail_msg("IPv%u, byte %zu %#x: '%s', not '%s'", cases[i].version, cases[i].at, cases[i].value, fault,
                     cases[i].fault);
        assert_int_equal(result == ARMTAP_LINK_BAD, *cases[i].fault != '\0');
    }
}

/* ---- connections ----------------------------------------------------------------------------------------------- */

/* The client's sequence numbers start elsewhere than the robot's. */
enum { FRAME = 1060, CLIENT_AHEAD = 123456 };

struct world {
    struct armtap_net *net;
    struct armtap_where where;
    uint64_t records, opened, closed[4], notes[3], gaps, unanswered;
    bool is_last_note; /* the newest one said so */
    uint64_t last_connection;
    bool last_midstream;
    char robot[64], client[64];
    enum armtap_protocol protocol;
    uint64_t stop_at; /* record at which to stop; 0: never */
};

static int on_record(void *user, const struct armtap_record *record)
{
    struct world *world = user;
    assert_int_equal(record->frame_length, FRAME);
    world->records++;
    world->protocol = record->protocol;
    return world->records == world->stop_at;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct world *world = user;
    if (event->type == ARMTAP_EVENT_OPEN) {
        assert_int_equal(event->stream->connection, world->opened++);
        world->last_connection = event->stream->connection;
        world->last_midstream = event->a == 0;
        strcpy(world->robot, event->stream->robot);
        strcpy(world->client, event->stream->client);
    }
    if (event->type == ARMTAP_EVENT_CLOSE)
        world->closed[event->a]++;
    if (event->type == ARMTAP_EVENT_GAP)
        world->gaps++;
    world->unanswered += event->type == ARMTAP_EVENT_NO_ANSWER;
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    static const char *const ids[] = {"ip.fragment", "ip.bad-header", "capture.truncated"};
    struct world *world = user;
    for (size_t i = 0; i < 3; i++)
        world->notes[i] += strcmp(note->kind->id, ids[i]) == 0;
    world->is_last_note = strstr(note->text, "further ones are not reported") != NULL;
    return 0;
}

static void world_begin(struct world *world, const struct armtap_net_options *options)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_note = on_note, .on_event = on_event};
    memset(world, 0, sizeof *world);
    world->where.time = INT64_C(1700000000000000000);
    assert_int_equal(armtap_net_new(options, &sink, world, &world->net), 0);
}

static void world_end(struct world *world)
{
    assert_int_equal(armtap_net_finish(world->net), 0);
    armtap_net_free(world->net);
}

struct end {
    uint8_t host;
    uint16_t port;
};
static const struct end robot = {2, 30003}, client = {9, 51234};

/* A packet between 10.0.0.x, raw IP, into `bytes`; returns its length. */
static size_t build(uint8_t *bytes, struct end from, struct end to, uint32_t seq, unsigned flags, const void *payload,
                    size_t length)
{
    from_hex("4500000000004000400600000a0000000a000000", bytes);
    armtap_put16(bytes + 2, (uint16_t)(40 + length));
    armtap_put16(bytes + 4, (uint16_t)(seq >> 4));
    bytes[15] = from.host;
    bytes[19] = to.host;
    armtap_put16(bytes + 20, from.port);
    armtap_put16(bytes + 22, to.port);
    armtap_put32(bytes + 24, seq);
    armtap_put32(bytes + 28, 0);
    from_hex("500001f400000000", bytes + 32);
    bytes[33] = (uint8_t)flags;
    memcpy(bytes + 40, payload, length);
    return 40 + length;
}

static int transmit_cut(struct world *world, struct end from, struct end to, uint32_t seq, unsigned flags,
                        const void *payload, size_t length, size_t cut)
{
    static uint8_t bytes[4096];
    size_t size = build(bytes, from, to, seq, flags, payload, length);
    world->where.packet++;
    world->where.time += 1000000;
    struct armtap_packet packet = {sizeof packet, 101, world->where, bytes, size - cut, size};
    return armtap_net_packet(world->net, &packet);
}

static void transmit(struct world *world, struct end from, struct end to, uint32_t seq, unsigned flags,
                     const void *payload, size_t length)
{
    assert_int_equal(transmit_cut(world, from, to, seq, flags, payload, length, 0), 0);
}

static void handshake(struct world *world, uint32_t isn)
{
    transmit(world, client, robot, isn + CLIENT_AHEAD, ARMTAP_TCP_SYN, "", 0);
    transmit(world, robot, client, isn, ARMTAP_TCP_SYN, "", 0);
}

/* A legacy packet whose clock is i times 8 ms. */
static void make_frame(uint8_t *frame, unsigned i)
{
    memset(frame, 0, FRAME);
    armtap_put32(frame, FRAME);
    armtap_put_double(frame + 4, 100 + 0.008 * i);
}

static void send_frames(struct world *world, uint32_t seq, unsigned from, unsigned to)
{
    uint8_t frame[FRAME];
    for (unsigned i = from; i < to; i++) {
        make_frame(frame, i);
        transmit(world, robot, client, seq + FRAME * (i - from), 0, frame, FRAME);
    }
}

static void test_records(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    handshake(&w, 999);
    send_frames(&w, 1000, 0, 20);
    w.where.file = 1; /* the capture continues in the next file */
    w.where.packet = 0;
    send_frames(&w, 1000 + 20 * FRAME, 20, 30);
    transmit(&w, robot, client, 1000 + 30 * FRAME, ARMTAP_TCP_FIN, "", 0);
    transmit(&w, client, robot, 1000 + CLIENT_AHEAD, ARMTAP_TCP_FIN, "", 0);
    assert_int_equal(w.records, 30);
    assert_int_equal(w.protocol, ARMTAP_REALTIME);
    assert_int_equal(w.opened, 1);
    assert_int_equal(w.closed[ARMTAP_CLOSE_FIN], 2);
    transmit(&w, robot, client, 1000 + 29 * FRAME, 0, "straggler", 9);
    transmit(&w, client, robot, 1001 + CLIENT_AHEAD, 0, "", 0);
    assert_int_equal(w.opened, 1);
    assert_string_equal(w.robot, "10.0.0.2:30003");
    assert_string_equal(w.client, "10.0.0.9:51234");
    assert_false(w.last_midstream);
    world_end(&w);
    assert_int_equal(w.closed[ARMTAP_CLOSE_END_OF_CAPTURE], 0);
}

static void test_ports_used_again(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        handshake(&w, 999 + 100000000 * i);
        handshake(&w, 999 + 100000000 * i);
        send_frames(&w, 1000 + 100000000 * i, 0, 5);
        assert_int_equal(w.opened, i + 1);
        assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED], i);
    }
    send_frames(&w, 1000 + 500000000, 0, 5); /* a jump */
    assert_int_equal(w.opened, 4);
    assert_true(w.last_midstream);
    world_end(&w);
    assert_int_equal(w.records, 20);
    assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED], 3);
    assert_int_equal(w.closed[ARMTAP_CLOSE_END_OF_CAPTURE], 1);
}

static void close_by(struct world *world, unsigned flag, uint32_t seq)
{
    transmit(world, client, robot, 1000 + CLIENT_AHEAD, flag, "", 0);
    if (flag == ARMTAP_TCP_FIN)
        transmit(world, robot, client, seq, flag, "", 0);
}

/* Bytes after a reset or after both FINs, late, repeated or new, begin no connection. New ones were on their way when
 * it was reset, until for a while none comes; behind a FIN there are none. */
static void test_bytes_behind_the_end(void **state)
{
    static const unsigned flags[] = {ARMTAP_TCP_RST, ARMTAP_TCP_FIN};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct world w;
        uint32_t end = 1000 + 18 * FRAME;
        world_begin(&w, NULL);
        handshake(&w, 999);
        send_frames(&w, 1000, 0, 18);
        close_by(&w, flags[i], end);
        send_frames(&w, end - 2 * FRAME, 16, 18);
        transmit(&w, robot, client, end - 1, 0, "k", 1); /* keep-alives */
        transmit(&w, client, robot, 999 + CLIENT_AHEAD, 0, "k", 1);
        close_by(&w, flags[i], end);
        assert_int_equal(w.opened, 1);
        assert_int_equal(w.records, 18);
        send_frames(&w, end, 18, 30);
        w.where.time += INT64_C(3000000000);
        send_frames(&w, end + 12 * FRAME, 30, 60);
        assert_int_equal(w.closed[ARMTAP_CLOSE_RESET], flags[i] == ARMTAP_TCP_RST);
        close_by(&w, flags[i], end);
        world_end(&w);
        assert_int_equal(w.opened, 1);
        assert_int_equal(w.records, flags[i] == ARMTAP_TCP_RST ? 30 : 18);
        assert_int_equal(w.gaps, 0);
        assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED], 0);
    }
}

/* Where only the robot's packets are captured, nothing but bytes tells that a reset ended nothing: no record is lost.
 */
static void test_bytes_behind_the_end_of_one_side(void **state)
{
    (void)state;
    for (int is_late = 0; is_late < 2; is_late++) {
        struct world w;
        uint32_t end = 1000 + 18 * FRAME;
        world_begin(&w, NULL);
        send_frames(&w, 1000, 0, 18);
        transmit(&w, robot, client, end, ARMTAP_TCP_RST, "", 0);
        w.where.time += is_late ? INT64_C(3000000000) : 0;
        send_frames(&w, end, 18, 100);
        world_end(&w);
        assert_int_equal(w.opened, 1 + is_late);
        assert_int_equal(w.records, 100);
    }
}

/* A SYN of the same number in another file, by over a second later than all else, begins another connection. */
static void test_syn_in_another_file(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct world w;
        world_begin(&w, NULL);
        handshake(&w, 999);
        send_frames(&w, 1000, 0, 5);
        w.where.file = 1;
        w.where.time += INT64_C(999000000) + late; /* and the millisecond between packets */
        transmit(&w, robot, client, 999, ARMTAP_TCP_SYN, "", 0);
        assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED], late);
        world_end(&w);
    }
}

/* So many connections may wait, each with a segment far from the others; one more has no doubt. */
static void test_doubts_are_limited(void **state)
{
    enum { DOUBTS = 64 };
    struct world w;
    uint8_t frame[FRAME];
    (void)state;
    world_begin(&w, NULL);
    for (uint16_t i = 0; i <= DOUBTS; i++) {
        struct end from = {client.host, (uint16_t)(client.port + i)};
        transmit(&w, from, robot, 999 + CLIENT_AHEAD, ARMTAP_TCP_SYN, "", 0);
        transmit(&w, robot, from, 999, ARMTAP_TCP_SYN, "", 0);
        for (unsigned k = 0; k < 5; k++) {
            make_frame(frame, k);
            transmit(&w, robot, from, 1000 + FRAME * k, 0, frame, FRAME);
        }
    }
    assert_int_equal(w.records, 5 * (DOUBTS + 1));
    for (uint16_t i = 0; i <= DOUBTS; i++) {
        transmit(&w, robot, (struct end){client.host, (uint16_t)(client.port + i)}, 500000000, 0, frame, FRAME);
        assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED], i == DOUBTS);
    }
    world_end(&w);
}

/* A capture in two files; the newer one is read first. */
static void test_older_file_last(void **state)
{
    static const unsigned ends[] = {0, ARMTAP_TCP_FIN};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct world w;
        uint32_t middle = 1000 + 150 * FRAME;
        world_begin(&w, NULL);
        send_frames(&w, middle, 150, 200);
        w.where.time += INT64_C(1000000000);
        send_frames(&w, middle + 50 * FRAME, 200, 300);
        send_frames(&w, middle - 10 * FRAME, 140, 142); /* not far enough before */
        send_frames(&w, 1000, 0, 1);
        send_frames(&w, middle + 150 * FRAME, 300, 301);
        assert_int_equal(w.opened, 1);
        assert_int_equal(w.notes[1], 1);
        if (ends[i])
            close_by(&w, ends[i], middle + 151 * FRAME);
        send_frames(&w, 1000, 0, 150);
        world_end(&w);
        assert_int_equal(w.opened, 2);
        assert_true(w.last_midstream);
        assert_int_equal(w.records, 301);
        assert_int_equal(w.gaps, 0);
    }
}

/* One packet with a damaged sequence number does not end a connection; as the last packet it may begin a new one. */
static void test_jump_of_one_packet(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    handshake(&w, 999);
    send_frames(&w, 1000, 0, 10);
    send_frames(&w, 0x80000000U + 1000 + 10 * FRAME, 10, 11);
    assert_int_equal(w.opened, 1);
    send_frames(&w, 1000 + 11 * FRAME, 11, 20);
    assert_int_equal(w.opened, 1);
    assert_int_equal(w.notes[1], 1);
    send_frames(&w, 0x40000000U, 20, 21); /* two in a row, far from each other */
    send_frames(&w, 0x80000000U, 20, 21);
    assert_int_equal(w.opened, 1);
    world_end(&w);
    assert_int_equal(w.gaps, 1);
    assert_int_equal(w.opened, 2);
    assert_int_equal(w.notes[1], 2);
    assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED], 1);
    assert_int_equal(w.records, 20);
}

static void assert_roles(const struct armtap_net_options *options, struct end from, struct end to, unsigned flags,
                         const char *robot_name)
{
    struct world w;
    world_begin(&w, options);
    transmit(&w, from, to, 1, flags, "", 0);
    assert_string_equal(w.robot, robot_name);
    world_end(&w);
}

static void test_roles(void **state)
{
    (void)state;
    struct armtap_port port = {sizeof port, 4000, ARMTAP_RTDE};
    struct armtap_net_options options = {.size = sizeof options, .ports = &port, .port_count = 1};
    struct end low = {1, 3000}, given = {3, 4000}, high = {4, 5000};
    assert_roles(NULL, robot, client, 0, "10.0.0.2:30003");
    assert_roles(NULL, client, robot, 0, "10.0.0.2:30003");
    assert_roles(NULL, low, robot, 0, "10.0.0.2:30003");
    assert_roles(NULL, robot, low, ARMTAP_TCP_SYN, "10.0.0.2:30003");
    assert_roles(&options, given, robot, 0, "10.0.0.3:4000"); /* the user's option takes precedence */
    assert_roles(&options, low, given, 0, "10.0.0.3:4000");
    assert_roles(&options, given, low, ARMTAP_TCP_SYN, "10.0.0.3:4000");
    assert_roles(NULL, low, high, ARMTAP_TCP_SYN, "10.0.0.4:5000");
    assert_roles(NULL, low, high, ARMTAP_TCP_SYN | ARMTAP_TCP_ACK, "10.0.0.1:3000");
    assert_roles(NULL, high, low, ARMTAP_TCP_ACK, "10.0.0.1:3000");
    assert_roles(NULL, low, high, ARMTAP_TCP_ACK, "10.0.0.1:3000");
}

static void test_notes(void **state)
{
    struct world w;
    uint8_t bytes[512];
    (void)state;
    world_begin(&w, NULL);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        size_t length = from_hex(odd[i].hex, bytes);
        struct armtap_packet packet = {sizeof packet, 101, w.where, bytes, length, length};
        assert_int_equal(armtap_net_packet(w.net, &packet), 0);
    }
    assert_int_equal(w.notes[0], 0);
    assert_int_equal(w.notes[1], 14); /* two are of fragments whose length is no multiple of 8 */
    assert_int_equal(w.opened, 0);
    size_t length = from_hex(IPV4_HELLO, bytes);
    struct armtap_packet packet = {sizeof packet, 101,    w.where,
                                   bytes,         length, 10}; /* captured length above the original length */
    assert_int_equal(armtap_net_packet(w.net, &packet), 0);
    assert_int_equal(w.notes[1], 15);
    assert_int_equal(w.opened, 1);
    packet.captured = 30;
    packet.length = length;
    assert_int_equal(armtap_net_packet(w.net, &packet), 0);
    assert_int_equal(w.notes[2], 1);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(armtap_net_packet(w.net, &packet), 0);
    assert_true(w.notes[2] < 100); /* bounded */
    world_end(&w);
}

static void test_cut_payload(void **state)
{
    struct world w;
    uint8_t frame[FRAME];
    (void)state;
    world_begin(&w, NULL);
    handshake(&w, 999);
    send_frames(&w, 1000, 0, 10);
    make_frame(frame, 10);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(transmit_cut(&w, robot, client, 1000 + FRAME * (10 + i), 0, frame, FRAME, 900), 0);
    send_frames(&w, 1000 + 12 * FRAME, 12, 20);
    world_end(&w);
    assert_int_equal(w.records, 20);
    assert_int_equal(w.notes[2], 1);
    assert_int_equal(w.gaps, 0); /* both records are delivered without those bytes */
}

static void test_hosts_of_a_packet(void **state)
{
    char from[64], to[64];
    uint8_t bytes[100];
    (void)state;
    size_t size = build(bytes, robot, client, 1000, 0, "1234", 4);
    struct armtap_packet packet = {sizeof packet, 101, {.time = ARMTAP_NO_TIME}, bytes, size, size};
    assert_true(armtap_packet_hosts(&packet, from, to));
    assert_string_equal(from, "10.0.0.2");
    assert_string_equal(to, "10.0.0.9");
    packet.link_type = 147;
    assert_false(armtap_packet_hosts(&packet, from, to));
}

/* The ports of UR's controllers, from UR's article "Remote Control Via TCP/IP". */
static void test_ports_of_robots(void **state)
{
    static const uint16_t known[] = {29999, 30001, 30002, 30003, 30004, 30011, 30012, 30013, 30020};
    struct armtap_robot_port port = {.size = sizeof port};
    size_t found = 0, count = 0;
    (void)state;
    for (; armtap_robot_port_at(count, &port); count++) {
        assert_non_null(port.name);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found += port.port == known[i] ? 1 : 0;
        assert_int_not_equal(port.port, 502); /* other machines have it, too */
    }
    assert_int_equal(found, sizeof known / sizeof *known);
    assert_false(armtap_robot_port_at(count + 1, &port));
    assert_false(armtap_robot_port_at(0, NULL));
}

/* ---- bytes of ports that no decoder reads ------------------------------------------------------------------------ */

#define SAID_MAX 32768

/* What a side said: '?' for each missing byte. */
struct said {
    size_t length[2];
    uint16_t port;
    char robot[64];
    bool closed; /* bytes after this are a fault */
    int answer;  /* of the callback */
    char text[2][SAID_MAX];
};

static int on_bytes(void *user, const struct armtap_bytes *bytes)
{
    struct said *said = user;
    size_t *length = &said->length[bytes->direction];
    assert_false(said->closed);
    assert_int_equal(bytes->offset, *length);
    assert_true(*length + bytes->length < SAID_MAX);
    for (uint64_t i = 0; i < bytes->length; i++)
        said->text[bytes->direction][(*length)++] = bytes->bytes ? (char)bytes->bytes[i] : '?';
    said->port = bytes->port;
    memcpy(said->robot, bytes->stream->robot, sizeof said->robot);
    return said->answer;
}

static int on_close(void *user, const struct armtap_event *event)
{
    struct said *said = user;
    said->closed = said->closed || event->type == ARMTAP_EVENT_CLOSE;
    return 0;
}

static void listen_to(struct world *world, struct said *said)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_event = on_close, .on_bytes = on_bytes};
    memset(world, 0, sizeof *world);
    memset(said, 0, sizeof *said);
    assert_int_equal(armtap_net_new(NULL, &sink, said, &world->net), 0);
}

static void assert_said(const struct said *said, enum armtap_direction direction, const char *text)
{
    assert_int_equal(said->length[direction], strlen(text));
    assert_memory_equal(said->text[direction], text, strlen(text));
}

static void test_bytes_of_other_ports(void **state)
{
    static struct said said;
    struct world w;
    struct end other = {2, 30020};
    (void)state;
    listen_to(&w, &said);
    transmit(&w, client, other, 99, ARMTAP_TCP_SYN, "", 0);
    transmit(&w, other, client, 999, ARMTAP_TCP_SYN, "", 0);
    transmit(&w, other, client, 1006, 0, "there", 5); /* before its time */
    transmit(&w, other, client, 1000, 0, "hello ", 6);
    transmit(&w, client, other, 100, 0, "play\n", 5);
    transmit(&w, other, client, 1000, 0, "hello ", 6); /* again */
    transmit(&w, other, client, 1014, 0, "end", 3);    /* three are missing */
    world_end(&w);
    assert_said(&said, ARMTAP_FROM_ROBOT, "hello there???end");
    assert_said(&said, ARMTAP_TO_ROBOT, "play\n");
    assert_int_equal(said.port, 30020);
    assert_string_equal(said.robot, "10.0.0.2:30020");
    assert_true(said.closed);
}

/* Without its beginning, the client's port below the robot's; long after other foreign connections are ignored; another
 * connection on the same ports. */
static void test_bytes_from_the_middle(void **state)
{
    static struct said said;
    static char text[1000];
    struct world w;
    struct end primary = {2, 30020}, low = {9, 20000}, web = {2, 80};
    (void)state;
    memset(text, 'x', sizeof text);
    listen_to(&w, &said);
    for (uint32_t i = 0; i < 20; i++) {
        transmit(&w, primary, low, 5000 + 1000 * i, 0, text, sizeof text);
        w.where.time += 1000000000; /* earlier ones may come no more */
    }
    for (uint32_t i = 0; i < 20; i++)
        transmit(&w, web, client, 5000 + 1000 * i, 0, text, sizeof text);
    transmit(&w, primary, low, 25000, 0, "last", 4);
    assert_int_equal(said.length[ARMTAP_FROM_ROBOT], 20004);
    assert_memory_equal(said.text[0] + 20000, "last", 4);
    assert_int_equal(said.port, 30020);
    assert_string_equal(said.robot, "10.0.0.2:30020");
    said.length[ARMTAP_FROM_ROBOT] = 0;
    transmit(&w, primary, low, 25004, ARMTAP_TCP_RST, "", 0);
    assert_false(said.closed); /* what is on its way still comes, and it sent once a second */
    w.where.time += INT64_C(4000000000);
    transmit(&w, web, client, 5000, 0, text, sizeof text);
    assert_true(said.closed);
    said.closed = false;
    transmit(&w, low, primary, 7, ARMTAP_TCP_SYN, "", 0);
    transmit(&w, primary, low, 70000, ARMTAP_TCP_SYN, "", 0);
    transmit(&w, primary, low, 70001, 0, "new", 3);
    assert_said(&said, ARMTAP_FROM_ROBOT, "new");
    assert_int_equal(said.length[ARMTAP_TO_ROBOT], 0);
    said.answer = 1;
    assert_int_equal(transmit_cut(&w, primary, low, 70004, 0, "more", 4, 0), ARMTAP_ERR_STOPPED);
    armtap_net_free(w.net);
}

static void test_faults_of_the_caller(void **state)
{
    char from[64], to[64];
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    uint8_t bytes[64] = {0};
    struct armtap_packet packet = {sizeof packet, 147, w.where, bytes, sizeof bytes, sizeof bytes};
    assert_int_equal(armtap_net_packet(w.net, &packet), ARMTAP_ERR_UNSUPPORTED);
    packet.data = NULL;
    assert_int_equal(armtap_net_packet(w.net, &packet), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_packet(w.net, NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_packet(NULL, &packet), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_origin(NULL, ARMTAP_ORIGIN_SOCKET), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_origin(w.net, (enum armtap_origin)2), ARMTAP_ERR_ARGUMENT);
    assert_false(armtap_packet_hosts(NULL, from, to));
    assert_false(armtap_packet_hosts(&packet, from, to));
    assert_int_equal(armtap_net_finish(NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_net_new(NULL, NULL, NULL, NULL), ARMTAP_ERR_ARGUMENT);
    packet.captured = packet.length = 0;
    packet.link_type = 1;
    assert_int_equal(armtap_net_packet(w.net, &packet), 0);
    world_end(&w);
    armtap_net_free(NULL);
}

static void test_stop(void **state)
{
    struct world w;
    uint8_t frame[FRAME];
    (void)state;
    world_begin(&w, NULL);
    w.stop_at = 3;
    handshake(&w, 999);
    int error = 0;
    for (unsigned i = 0; i < 10 && !error; i++) {
        make_frame(frame, i);
        error = transmit_cut(&w, robot, client, 1000 + FRAME * i, 0, frame, FRAME, 0);
    }
    assert_int_equal(error, ARMTAP_ERR_STOPPED);
    armtap_net_free(w.net);
}

/* Very many connections: old ones are dropped, the one that carries telemetry is not. */
static void test_flood(void **state)
{
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    handshake(&w, 999);
    send_frames(&w, 1000, 0, 10);
    for (unsigned i = 0; i < 30000; i++) {
        struct end from = {(uint8_t)(10 + i % 100), (uint16_t)(1024 + i / 2)};
        transmit(&w, from, robot, i, ARMTAP_TCP_SYN, "", 0);
    }
    assert_int_equal(w.opened, 30001);
    assert_true(w.closed[ARMTAP_CLOSE_REPLACED] > 20000);
    send_frames(&w, 1000 + 10 * FRAME, 10, 20);
    assert_int_equal(w.opened, 30001);
    world_end(&w);
    assert_int_equal(w.records, 20);
    assert_int_equal(w.closed[ARMTAP_CLOSE_REPLACED] + w.closed[ARMTAP_CLOSE_END_OF_CAPTURE], 30001);
}

static void send_frame_to(struct world *world, struct end to, unsigned i)
{
    uint8_t frame[FRAME];
    make_frame(frame, i);
    transmit(world, robot, to, 1000 + FRAME * i, 0, frame, FRAME);
}

/* Very many connections wait for missing bytes at once: bytes that come late are not lost, and holes that are never
 * filled are given up soon, whichever connection sends. */
static void test_many_holes_at_once(void **state)
{
    enum { HOLES = 300, SWEPT_EACH = 4 };
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    for (unsigned i = 0; i < HOLES; i++) {
        struct end from = {10, (uint16_t)(1024 + i)};
        transmit(&w, from, robot, 999 + CLIENT_AHEAD, ARMTAP_TCP_SYN, "", 0);
        transmit(&w, robot, from, 999, ARMTAP_TCP_SYN, "", 0);
        send_frame_to(&w, from, 0);
        send_frame_to(&w, from, 2);
    }
    for (unsigned i = 0; i < HOLES; i += 2)
        send_frame_to(&w, (struct end){10, (uint16_t)(1024 + i)}, 1);
    assert_int_equal(w.gaps, 0);
    w.where.time += INT64_C(3000000000);
    handshake(&w, 999);
    send_frames(&w, 1000, 0, HOLES / 2 / SWEPT_EACH);
    assert_int_equal(w.gaps, HOLES / 2);
    world_end(&w);
    assert_int_equal(w.gaps, HOLES / 2);
    assert_int_equal(w.records, HOLES / 2 * (3 + 2) + HOLES / 2 / SWEPT_EACH);
}

/* Robots that do not answer: that is told at the first packet of anybody after 3 s, of each at another one. */
static void test_attempts_end_by_others(void **state)
{
    enum { SILENT = 5, APART = 100 };
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    handshake(&w, 999);
    for (unsigned i = 0; i < SILENT; i++) {
        transmit(&w, client, (struct end){(uint8_t)(50 + i), 30003}, 999, ARMTAP_TCP_SYN, "", 0);
        send_frames(&w, 1000 + i * APART * FRAME, i * APART, (i + 1) * APART);
    }
    w.where.time += INT64_C(3000000000) - SILENT * (APART + 1) * INT64_C(1000000);
    for (unsigned i = 0; i < SILENT; i++) {
        unsigned at = (SILENT + i) * APART;
        assert_int_equal(w.unanswered, i);
        send_frames(&w, 1000 + at * FRAME, at, at + APART);
    }
    assert_int_equal(w.unanswered, SILENT);
    world_end(&w);
    assert_int_equal(w.unanswered, SILENT);
}

/* Notes of the capture: 64 of a kind are given, and the last one says so. */
static void test_notes_of_a_kind(void **state)
{
    enum { MOST = 64 };
    struct world w;
    (void)state;
    world_begin(&w, NULL);
    for (unsigned i = 1; i <= 2 * MOST; i++) {
        transmit_cut(&w, robot, client, 1000, 0, "", 0, 30);
        assert_int_equal(w.notes[2], i < MOST ? i : MOST);
        assert_int_equal(w.is_last_note, i >= MOST);
    }
    world_end(&w);
}

/* ---- the table of connections ---- */

#define KEYS 100

/* What the table should hold, in plain arrays. */
struct model {
    struct armtap_flow *flows[KEYS]; /* by key; NULL: none */
    unsigned last[KEYS], classes[KEYS];
};

static struct armtap_flow_key key_of(unsigned i)
{
    struct armtap_flow_key key = {.port = {(uint16_t)(1000 + i), 30003}};
    return key;
}

static void check_table(const struct armtap_flow_table *table, const struct model *model)
{
    size_t count = 0, counts[ARMTAP_FLOW_CLASSES] = {0};
    const struct armtap_flow *oldest[ARMTAP_FLOW_CLASSES] = {NULL};
    unsigned first[ARMTAP_FLOW_CLASSES] = {0};
    bool has_recent = !table->recent;
    for (unsigned i = 0; i < KEYS; i++) {
        struct armtap_flow_key key = key_of(i);
        unsigned class = model->classes[i];
        assert_ptr_equal(armtap_flow_find(table, &key), model->flows[i]);
        if (!model->flows[i])
            continue;
        has_recent = has_recent || table->recent == model->flows[i];
        count++;
        counts[class]++;
        if (!oldest[class] || model->last[i] < first[class]) {
            oldest[class] = model->flows[i];
            first[class] = model->last[i];
        }
    }
    assert_true(has_recent); /* not one that was removed */
    assert_int_equal(table->count, count);
    for (unsigned class = 0; class < ARMTAP_FLOW_CLASSES; class ++) {
        assert_int_equal(table->class[class].count, counts[class]);
        assert_ptr_equal(table->class[class].oldest, oldest[class]);
    }
}

static void test_flow_table(void **unused)
{
    struct armtap_flow_table table;
    struct model model = {.last = {0}};
    uint32_t chance = 1;
    (void)unused;
    armtap_flow_table_init(&table);
    for (unsigned time = 1; time < 3000; time++) {
        chance = chance * 1664525 + 1013904223;
        unsigned i = (chance >> 8) % KEYS, class = (chance >> 20) % ARMTAP_FLOW_CLASSES;
        struct armtap_flow_key key = key_of(i);
        if (!model.flows[i]) {
            model.flows[i] = armtap_flow_add(&table, &key);
            model.classes[i] = ARMTAP_FLOW_NEW;
        } else if (chance >> 28 < 5) {
            armtap_flow_remove(&table, model.flows[i]);
            model.flows[i] = NULL;
        } else {
            armtap_flow_enter(&table, model.flows[i], (enum armtap_flow_class) class);
            model.classes[i] = class;
        }
        model.last[i] = time;
        check_table(&table, &model);
    }
    for (unsigned i = 0; i < KEYS; i++)
        if (model.flows[i])
            armtap_flow_remove(&table, model.flows[i]);
    armtap_flow_table_free(&table);
}

/* ---- messages that a connection cannot be made ---- */

struct quoted {
    unsigned version, at, byte; /* of the message, what is written there */
    bool is_taken;
};

/* ICMP's destination unreachable quotes the IP header and eight bytes of TCP's: RFC 792, RFC 4443. */
static void test_unreachable(void **unused)
{
    static const struct quoted quoted[] = {
        {4, 0, 3, true},      {4, 0, 11, false},    {4, 0, 1, false},      {4, 1, 3, true},
        {4, 1, 4, false},     {4, 8, 0x45, true},   {4, 8, 0x65, false},   {4, 8, 0x44, false},
        {4, 8, 0x46, false},  {4, 8 + 9, 6, true},  {4, 8 + 9, 17, false}, {4, 8 + 6, 0x40, true},
        {4, 8 + 6, 1, false}, {4, 8 + 7, 1, false}, {6, 0, 1, true},       {6, 0, 3, false},
        {6, 1, 4, true},      {6, 8, 0x60, true},   {6, 8, 0x45, false},   {6, 8 + 6, 17, false},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        const struct quoted *one = &quoted[i];
        size_t header = one->version == 4 ? 20 : 40, length = 8 + header + 8;
        uint8_t message[8 + 40 + 8] = {one->version == 4 ? 3 : 1};
        message[8] = one->version == 4 ? 0x45 : 0x60;
        message[8 + (one->version == 4 ? 9 : 6)] = 6;
        message[8 + header] = 0x75;
        message[8 + header + 7] = 9;
        message[one->at] = (uint8_t)one->byte;
        struct armtap_segment segment = {.length = 1};
        assert_int_equal(armtap_unreachable_parse(message, length, one->version, &segment), one->is_taken);
        assert_true(!one->is_taken || (segment.source_port == 0x7500 && segment.seq == 9));
        assert_false(armtap_unreachable_parse(message, length - 1, one->version, &segment));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_odd_headers),
        cmocka_unit_test(test_what_is_wrong_with_headers),
        cmocka_unit_test(test_window_scale),
        cmocka_unit_test(test_address_text),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_ports_used_again),
        cmocka_unit_test(test_bytes_behind_the_end),
        cmocka_unit_test(test_bytes_behind_the_end_of_one_side),
        cmocka_unit_test(test_syn_in_another_file),
        cmocka_unit_test(test_doubts_are_limited),
        cmocka_unit_test(test_older_file_last),
        cmocka_unit_test(test_jump_of_one_packet),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_cut_payload),
        cmocka_unit_test(test_hosts_of_a_packet),
        cmocka_unit_test(test_ports_of_robots),
        cmocka_unit_test(test_bytes_of_other_ports),
        cmocka_unit_test(test_bytes_from_the_middle),
        cmocka_unit_test(test_faults_of_the_caller),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_many_holes_at_once),
        cmocka_unit_test(test_attempts_end_by_others),
        cmocka_unit_test(test_notes_of_a_kind),
        cmocka_unit_test(test_flow_table),
        cmocka_unit_test(test_unreachable),
    };
    return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
