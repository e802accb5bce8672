#include "dialogue.h"

#include <stdlib.h>
#include <string.h>

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };

static enum armtap_direction other(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
}

/* ---- dialogues ---- */

void dialogue_say(struct dialogue *dialogue, int64_t time, enum armtap_direction direction, const void *bytes,
                  size_t length)
{
    if (dialogue->count == dialogue->room) {
        dialogue->room = dialogue->room ? 2 * dialogue->room : 64;
        dialogue->turns = realloc(dialogue->turns, dialogue->room * sizeof *dialogue->turns);
        assert_non_null(dialogue->turns);
    }
    dialogue->turns[dialogue->count++] = (struct turn){time, direction, length};
    bytes_add(&dialogue->stream[direction], bytes, length);
}

void dialogue_free(struct dialogue *dialogue)
{
    bytes_free(&dialogue->stream[0]);
    bytes_free(&dialogue->stream[1]);
    free(dialogue->turns);
    *dialogue = (struct dialogue){0};
}

static unsigned be16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static uint32_t be32(const uint8_t *at)
{
    return (uint32_t)be16(at) << 16 | be16(at + 2);
}

struct seen {
    const uint8_t *addresses;
    size_t address_length; /* of both */
    uint16_t source, target;
    uint32_t seq;
    unsigned flags;
    const uint8_t *payload;
    size_t length;
};

/* Ethernet, VLAN tags, IPv4 or IPv6, TCP: what the samples are made of. */
static bool look(const uint8_t *bytes, size_t length, struct seen *seen)
{
    size_t at = 12;
    while (at + 4 < length && be16(bytes + at) == 0x8100)
        at += 4;
    const uint8_t *ip = bytes + at + 2, *tcp, *end;
    if (length < at + 2 + 40)
        return false;
    if (be16(bytes + at) == 0x0800 && ip[9] == 6) {
        tcp = ip + 4 * (ip[0] & 15);
        end = ip + be16(ip + 2);
        seen->addresses = ip + 12;
        seen->address_length = 8;
    } else if (be16(bytes + at) == 0x86dd && ip[6] == 6) {
        tcp = ip + 40;
        end = tcp + be16(ip + 4);
        seen->addresses = ip + 8;
        seen->address_length = 32;
    } else {
        return false;
    }
    seen->source = (uint16_t)be16(tcp);
    seen->target = (uint16_t)be16(tcp + 2);
    seen->seq = be32(tcp + 4);
    seen->flags = tcp[13];
    seen->payload = tcp + 4 * (tcp[12] >> 4);
    seen->length = (size_t)(end - seen->payload);
    return true;
}

static bool is_caller_of(const struct seen *seen, const struct seen *opened)
{
    return seen->source == opened->source && seen->target == opened->target &&
           seen->address_length == opened->address_length &&
           memcmp(seen->addresses, opened->addresses, opened->address_length) == 0;
}

static bool is_callee_of(const struct seen *seen, const struct seen *opened)
{
    size_t half = opened->address_length / 2;
    return seen->source == opened->target && seen->target == opened->source &&
           seen->address_length == opened->address_length &&
           memcmp(seen->addresses, opened->addresses + half, half) == 0;
}

void dialogue_read(struct dialogue *dialogue, const char *file, unsigned index)
{
    struct bytes content = {0};
    struct capture_list list = {0};
    struct seen opened = {0}, seen;
    uint32_t next[2] = {0};
    bool open = false;
    file_read(file, &content);
    capture_parse(&content, &list);
    assert_int_equal(list.link, LINK_ETHERNET);
    for (size_t i = 0; i < list.count; i++) {
        const struct packet *packet = &list.packets[i];
        if (!look(list.bytes.at + packet->at, packet->length, &seen))
            continue;
        if ((seen.flags & (SYN | ACK)) == SYN) {
            if (open && is_caller_of(&seen, &opened))
                break;
            if (!open && index-- == 0) {
                open = true;
                opened = seen;
            }
        }
        if (!open || (!is_caller_of(&seen, &opened) && !is_callee_of(&seen, &opened)))
            continue;
        bool is_robot = is_callee_of(&seen, &opened) != dialogue->robot_calls;
        enum armtap_direction direction = is_robot ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
        if (seen.flags & SYN)
            next[direction] = seen.seq + 1;
        if (seen.length == 0)
            continue;
        assert_int_equal(seen.seq, next[direction]);
        next[direction] += (uint32_t)seen.length;
        dialogue_say(dialogue, packet->time, direction, seen.payload, seen.length);
    }
    dialogue->robot_port = dialogue->robot_calls ? opened.source : opened.target;
    dialogue->client_port = dialogue->robot_calls ? opened.target : opened.source;
    capture_list_free(&list);
    bytes_free(&content);
    assert_true(dialogue->count > 0);
}

/* ---- segments ---- */

void segments_add(struct segments *segments, const struct segment *segment)
{
    if (segments->count == segments->room) {
        segments->room = segments->room ? 2 * segments->room : 256;
        segments->at = realloc(segments->at, segments->room * sizeof *segments->at);
        assert_non_null(segments->at);
    }
    segments->at[segments->count++] = *segment;
}

void segments_insert(struct segments *segments, size_t place, const struct segment *segment)
{
    struct segment copy = *segment;
    segments_add(segments, &copy);
    memmove(segments->at + place + 1, segments->at + place, (segments->count - 1 - place) * sizeof *segments->at);
    segments->at[place] = copy;
}

void segments_free(struct segments *segments)
{
    free(segments->at);
    *segments = (struct segments){0};
}

struct cutter {
    struct segments *segments;
    size_t sent[2];
    uint16_t ip_id[2];
    int64_t now;
};

static void emit(struct cutter *cutter, enum armtap_direction direction, size_t length, unsigned flags, bool has_ack)
{
    struct segment segment = {.time = cutter->now,
                              .direction = direction,
                              .from = cutter->sent[direction],
                              .to = cutter->sent[direction] + length,
                              .acked = cutter->sent[other(direction)],
                              .flags = flags,
                              .ip_id = ++cutter->ip_id[direction],
                              .has_ack = has_ack};
    cutter->sent[direction] += length;
    cutter->now += 1000;
    segments_add(cutter->segments, &segment);
}

void cut(const struct dialogue *dialogue, const struct cutting *cutting, struct segments *segments)
{
    struct cutter cutter = {.segments = segments, .now = dialogue->turns[0].time - 5000000};
    uint64_t seed = cutting->seed * 2 + 1;
    if (cutting->handshake) {
        enum armtap_direction caller = dialogue->robot_calls ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
        emit(&cutter, caller, 0, SYN, false);
        emit(&cutter, other(caller), 0, SYN, true);
        emit(&cutter, caller, 0, 0, true);
    }
    for (size_t i = 0; i < dialogue->count; i++) {
        const struct turn *turn = &dialogue->turns[i];
        if (cutter.now < turn->time)
            cutter.now = turn->time;
        for (size_t left = turn->length; left > 0;) {
            size_t length = left;
            if (cutting->most > 0)
                length = cutting->least + random_bits(&seed) % (cutting->most - cutting->least + 1);
            if (length > left)
                length = left;
            emit(&cutter, turn->direction, length, PSH, true);
            left -= length;
        }
        if (!cutting->without_acks)
            emit(&cutter, other(turn->direction), 0, 0, true);
    }
    if (!cutting->end)
        return;
    emit(&cutter, ARMTAP_TO_ROBOT, 0, FIN, true);
    emit(&cutter, ARMTAP_FROM_ROBOT, 0, FIN, true);
}

/* ---- packets ---- */

static void add_ends(struct bytes *packet, enum armtap_direction direction, bool v6)
{
    static const char *const ends4[] = {"0a000002", "0a000009"};
    static const char *const ends6[] = {"fd000000000000000000000000000002", "fd000000000000000000000000000009"};
    const char *const *ends = v6 ? ends6 : ends4;
    bytes_hex(packet, ends[direction]);
    bytes_hex(packet, ends[other(direction)]);
}

static void add_tags(struct bytes *packet, unsigned tags, unsigned type)
{
    for (unsigned i = 0; i < tags; i++) {
        bytes_number(packet, i + 1 < tags ? 0x88a8 : 0x8100, 2);
        bytes_number(packet, 5 + i, 2);
    }
    bytes_number(packet, type, 2);
}

static void add_link(struct bytes *packet, enum armtap_direction direction, const struct clothing *clothing)
{
    unsigned type = clothing->v6 ? 0x86dd : 0x0800, family = clothing->v6 ? 30 : 2;
    switch (clothing->link) {
    case LINK_ETHERNET:
        bytes_hex(packet, direction == ARMTAP_FROM_ROBOT ? "020000000009 020000000002" : "020000000002 020000000009");
        add_tags(packet, clothing->tags, type);
        break;
    case LINK_SLL:
        bytes_hex(packet, direction == ARMTAP_FROM_ROBOT ? "0000" : "0004");
        bytes_hex(packet, "0001 0006 0200000000020000");
        add_tags(packet, clothing->tags, type);
        break;
    case LINK_SLL2:
        bytes_number(packet, type, 2);
        bytes_hex(packet, "0000 00000003 0001 00 06 0200000000020000");
        break;
    case LINK_NULL:
        bytes_number(packet, clothing->little_endian ? (uint64_t)family << 24 : family, 4);
        break;
    case LINK_LOOP:
        bytes_number(packet, clothing->v6 ? 24 : 2, 4);
        break;
    default:
        break;
    }
}

static void add_ip(struct bytes *packet, const struct segment *segment, const struct clothing *clothing, size_t tcp)
{
    size_t extensions = clothing->v6 && clothing->extensions ? 8 + 16 : 0;
    size_t length = tcp + extensions + (clothing->v6 ? 0 : 20);
    if (clothing->no_ip_length)
        length = 0;
    if (clothing->v6) {
        bytes_hex(packet, "60000000");
        bytes_number(packet, length, 2);
        bytes_hex(packet, extensions ? "0040" : "0640");
    } else {
        bytes_hex(packet, "4500");
        bytes_number(packet, length, 2);
        bytes_number(packet, segment->ip_id, 2);
        bytes_hex(packet, "4000 4006 0000");
    }
    add_ends(packet, segment->direction, clothing->v6);
    if (extensions) {
        bytes_hex(packet, "3c00 0104 00000000"); /* hop-by-hop options, then destination options, then TCP */
        bytes_hex(packet, "0601 010c 000000000000000000000000");
    }
}

static void add_tcp(struct bytes *packet, const struct dialogue *dialogue, const struct segment *segment,
                    const struct clothing *clothing)
{
    enum armtap_direction direction = segment->direction;
    uint32_t seq = clothing->isn[direction] + (segment->flags & SYN ? 0 : 1) + (uint32_t)segment->from;
    bool from_robot = direction == ARMTAP_FROM_ROBOT;
    bytes_number(packet, from_robot ? dialogue->robot_port : dialogue->client_port, 2);
    bytes_number(packet, from_robot ? dialogue->client_port : dialogue->robot_port, 2);
    bytes_number(packet, seq, 4);
    bytes_number(packet, segment->has_ack ? clothing->isn[other(direction)] + 1 + (uint32_t)segment->acked : 0, 4);
    bytes_number(packet, 0x50, 1);
    bytes_number(packet, segment->flags | (segment->has_ack ? ACK : 0), 1);
    bytes_hex(packet, "ffff 0000 0000");
    if (segment->to > segment->from)
        bytes_add(packet, dialogue->stream[direction].at + segment->from, segment->to - segment->from);
}

void dress(const struct dialogue *dialogue, const struct segments *segments, const struct clothing *clothing,
           struct capture_list *list)
{
    struct bytes packet = {0};
    list->link = clothing->link;
    for (size_t i = 0; i < segments->count; i++) {
        const struct segment *segment = &segments->at[i];
        packet.length = 0;
        add_link(&packet, segment->direction, clothing);
        add_ip(&packet, segment, clothing, 20 + segment->to - segment->from);
        add_tcp(&packet, dialogue, segment, clothing);
        while (clothing->padded && packet.length < 60)
            bytes_number(&packet, 0xee, 1);
        capture_list_add(list, segment->time, &packet);
    }
    bytes_free(&packet);
}
