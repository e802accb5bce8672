#include "play.h"

#include <stdlib.h>
#include <string.h>

#include "nanoseconds.h"
#include "inside.h"

enum { PACKAGE_MAX = 4096, ETHERNET = 14, IPV4 = 20, IPV6 = 40 };

static const uint8_t robot_address[4] = {10, 0, 0, 2};
static const uint8_t client_address[4] = {10, 0, 0, 9};

int play_begin(struct play *play)
{
    memset(play, 0, sizeof *play);
    play->state = armtap_state_new();
    if (!play->state)
        return -1;
    play->protocol = 1;
    play->time = INT64_C(1769860800) * 1000 * MILLISECOND; /* 2026-01-31T12:00:00Z */
    play->step = 8 * MILLISECOND;
    play->state->timestamp = 1000;
    play->state->robot_mode = 7;
    play->state->safety_mode = 1;
    play->state->safety_status = 1;
    play->state->runtime_state = 2;
    for (int i = 0; i < 6; i++)
        play->state->actual_q[i] = 0.25 * i - 1;
    for (unsigned id = 0; id < ARMTAP_FIELD_COUNT; id++)
        armtap_set_add(&play->state->known, id);
    return 0;
}

void play_end(struct play *play)
{
    if (play->recipe)
        armtap_recipe_release(play->recipe);
    armtap_state_free(play->state);
    wire_free(&play->wire);
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A pcapng block: type, body, and its length before and after. The body is padded to four bytes. */
static void write_block(FILE *file, uint32_t type, const uint8_t *body, size_t length, const uint8_t *more, size_t rest)
{
    static const uint8_t zeros[4];
    size_t padding = (4 - (length + rest) % 4) % 4;
    uint8_t words[8];
    put32(words, type);
    put32(words + 4, (uint32_t)(12 + length + rest + padding));
    fwrite(words, 8, 1, file);
    fwrite(body, 1, length, file);
    if (rest > 0)
        fwrite(more, 1, rest, file);
    fwrite(zeros, 1, padding, file);
    fwrite(words + 4, 4, 1, file);
}

static void put64_halves(uint8_t *at, uint64_t value)
{
    put32(at, (uint32_t)(value >> 32));
    put32(at + 4, (uint32_t)value);
}

/* Section, interface (Ethernet, times in ns), packets, statistics of the interface: option 5, packets dropped by it. */
static void write_pcapng(const struct play *play, FILE *file)
{
    static const uint8_t section[16] = {0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255};
    static const uint8_t interface[20] = {1, 0, 0, 0, 255, 255, 0, 0, 9, 0, 1, 0, 9};
    /* An option of type 1, a comment, and the end of the options. */
    static const uint8_t comment[] = "\1\0\x1c\0armtap 0.1: from a socket  \0\0\0\0";
    uint8_t head[28] = {0};
    write_block(file, 0x0A0D0D0A, section, sizeof section, comment, play->recorded ? sizeof comment : 0);
    write_block(file, 1, interface, sizeof interface, NULL, 0);
    for (size_t i = 0; i < play->wire.count; i++) {
        const struct wire_packet *packet = &play->wire.packets[i];
        put64_halves(head + 4, (uint64_t)packet->time);
        put32(head + 12, (uint32_t)packet->length);
        put32(head + 16, (uint32_t)packet->length);
        write_block(file, 6, head, 20, packet->bytes, packet->length);
    }
    put32(head + 12, 8u << 16 | 5u);
    put32(head + 16, (uint32_t)play->dropped);
    put32(head + 20, (uint32_t)(play->dropped >> 32));
    put32(head + 24, 0);
    write_block(file, 5, head, 28, NULL, 0);
}

static void write_pcap(const struct play *play, FILE *file)
{
    uint8_t header[24] = {0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0};
    put32(header + 16, 65535);
    put32(header + 20, 1);
    fwrite(header, sizeof header, 1, file);
    for (size_t i = 0; i < play->wire.count; i++) {
        const struct wire_packet *packet = &play->wire.packets[i];
        size_t captured = i + 1 == play->cut ? play->cut_to : packet->length;
        put32(header, (uint32_t)(packet->time / 1000000000));
        put32(header + 4, (uint32_t)(packet->time % 1000000000));
        put32(header + 8, (uint32_t)captured);
        put32(header + 12, (uint32_t)packet->length);
        fwrite(header, 16, 1, file);
        fwrite(packet->bytes, captured, 1, file);
    }
}

int play_write(const struct play *play, FILE *file)
{
    if (play->dropped > 0)
        write_pcapng(play, file);
    else
        write_pcap(play, file);
    return ferror(file) || play->failed || play->wire.out_of_memory ? -1 : 0;
}

/* ---- what goes over the wire ----------------------------------------------------------------------------------- */

/* The current time, always after the latest packet. */
static int64_t now(const struct play *play)
{
    int64_t earliest = play->connection.now + 50 * MICROSECOND;
    return play->time > earliest ? play->time : earliest;
}

static void set_address(const struct play *play, struct wire_address *address, const uint8_t bytes[4])
{
    address->v6 = play->v6;
    if (play->v6) {
        address->bytes[0] = 0xfd;
        address->bytes[15] = bytes[3];
    } else {
        memcpy(address->bytes, bytes, 4);
    }
}

void play_call(struct play *play, uint16_t port)
{
    struct wire_connection *connection = &play->connection;
    play->time = now(play);
    memset(connection, 0, sizeof *connection);
    connection->wire = &play->wire;
    connection->prng.state = 7 + play->connections;
    set_address(play, &connection->end[ARMTAP_FROM_ROBOT].address, robot_address);
    connection->end[ARMTAP_FROM_ROBOT].address.bytes[2] = (uint8_t)(play->robot >> 8);
    connection->end[ARMTAP_FROM_ROBOT].address.bytes[1] = (uint8_t)play->robot;
    set_address(play, &connection->end[ARMTAP_TO_ROBOT].address, client_address);
    connection->end[ARMTAP_FROM_ROBOT].port = port;
    connection->end[ARMTAP_TO_ROBOT].port = (uint16_t)(50000 + play->connections++);
    wire_ask(connection, play->time);
    play->protocol = 1;
    play->size = 0;
}

void play_call_again(struct play *play)
{
    wire_ask_again(&play->connection, now(play));
}

void play_refuse(struct play *play)
{
    wire_refuse(&play->connection);
}

void play_accept(struct play *play)
{
    wire_accept(&play->connection);
}

void play_connect(struct play *play, uint16_t port)
{
    play_call(play, port);
    play_accept(play);
}

void play_bytes(struct play *play, enum armtap_direction sender, const void *bytes, size_t length)
{
    wire_send(&play->connection, sender, bytes, length, now(play));
}

static void send_package(struct play *play, struct armtap_rtde_package *package, enum armtap_direction sender)
{
    uint8_t bytes[PACKAGE_MAX];
    package->direction = sender;
    package->protocol = play->protocol;
    package->size = sizeof *package;
    int length = armtap_rtde_write(package, bytes, sizeof bytes);
    if (length < 0)
        play->failed = true;
    else
        play_bytes(play, sender, bytes, (size_t)length);
}

void play_ask(struct play *play, struct armtap_rtde_package package)
{
    send_package(play, &package, ARMTAP_TO_ROBOT);
}

void play_reply(struct play *play, struct armtap_rtde_package package)
{
    send_package(play, &package, ARMTAP_FROM_ROBOT);
}

void play_greet(struct play *play, unsigned major)
{
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .version = 2});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .accepted = 1});
    play->protocol = 2;
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_CONTROLLER_VERSION});
    play_reply(play, (struct armtap_rtde_package){
                         .type = ARMTAP_RTDE_CONTROLLER_VERSION, .release = {major, 9, 4, 10}, .release_count = 4});
}

/* The types that the table has for the names. */
static void types_of(struct play *play, const char *names, char types[PACKAGE_MAX])
{
    types[0] = '\0';
    while (*names) {
        size_t length = strcspn(names, ",");
        const struct armtap_field *field = armtap_field_find(names, length);
        if (!field)
            play->failed = true;
        strcat(types, *types ? "," : "");
        strcat(types, field ? armtap_type_name(field->type, field->count) : "");
        names += length + (names[length] == ',');
    }
}

void play_set_up(struct play *play, double frequency, const char *names, const char *types)
{
    char known[PACKAGE_MAX];
    if (!types) {
        types_of(play, names, known);
        types = known;
    }
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_SETUP_OUTPUTS,
                                                .frequency = frequency,
                                                .names = names,
                                                .names_length = strlen(names)});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_SETUP_OUTPUTS,
                                                  .has_id = play->protocol > 1,
                                                  .id = 1,
                                                  .types = types,
                                                  .types_length = strlen(types)});
    if (play->recipe)
        armtap_recipe_release(play->recipe);
    play->recipe = NULL;
    /* A refused set-up has no recipe. */
    armtap_recipe_rtde(names, types, &play->recipe);
}

void play_start(struct play *play)
{
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_START});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_START, .accepted = 1});
}

void play_pause(struct play *play)
{
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_PAUSE});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_PAUSE, .accepted = 1});
}

void play_stream(struct play *play, double frequency, const char *names)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, frequency, names, NULL);
    play_start(play);
}

void play_realtime(struct play *play, unsigned size)
{
    play_connect(play, 30003);
    play->size = size;
}

/* Writes one package; returns its length, 0 on failure. */
static size_t encode(struct play *play, uint8_t bytes[PACKAGE_MAX], int more)
{
    uint8_t values[PACKAGE_MAX] = {0};
    if (play->size > 0)
        return armtap_encode_realtime(play->state, play->size, bytes) == 0 ? play->size : 0;
    int length = play->recipe ? armtap_encode_values(play->recipe, play->state, values, sizeof values) : -1;
    if (length < 0)
        return 0;
    struct armtap_rtde_package package = {.size = sizeof package,
                                          .type = ARMTAP_RTDE_DATA,
                                          .direction = ARMTAP_FROM_ROBOT,
                                          .protocol = play->protocol,
                                          .has_id = play->protocol > 1,
                                          .id = 1,
                                          .values = values,
                                          .values_length = (size_t)(length + more)};
    length = armtap_rtde_write(&package, bytes, PACKAGE_MAX);
    return length < 0 ? 0 : (size_t)length;
}

static void tick(struct play *play, int64_t time)
{
    play->state->timestamp += (double)time / 1e9 * (1 + play->fast);
}

void play_wait(struct play *play, int64_t time)
{
    play->time += time;
    tick(play, time);
}

void play_odd_data(struct play *play, int more)
{
    uint8_t bytes[PACKAGE_MAX];
    size_t length = encode(play, bytes, more);
    if (length == 0)
        play->failed = true;
    play_bytes(play, ARMTAP_FROM_ROBOT, bytes, length);
    play_wait(play, play->step);
}

void play_data(struct play *play, unsigned count)
{
    while (count-- > 0)
        play_odd_data(play, 0);
}

void play_realtime_data(struct play *play, unsigned size, unsigned count)
{
    play->size = size;
    play_data(play, count);
}

void play_stall(struct play *play, int64_t time)
{
    int64_t begin = play->time;
    for (int64_t due = 0; due < time; due += play->step) {
        play->time = begin + time;
        play_data(play, 1);
    }
    play->time = begin + (time + play->step - 1) / play->step * play->step;
}

void play_close(struct play *play, enum armtap_direction sender, enum wire_close how)
{
    wire_close(&play->connection, sender, how, now(play));
}

/* ---- packets --------------------------------------------------------------------------------------------------- */

size_t play_latest(const struct play *play)
{
    return play->wire.count - 1;
}

static bool is_v6(const struct play *play, size_t index)
{
    return play->wire.packets[index].bytes[ETHERNET] >> 4 == 6;
}

uint8_t *play_payload(const struct play *play, size_t index, size_t *length)
{
    const struct wire_packet *packet = &play->wire.packets[index];
    size_t tcp = ETHERNET + (is_v6(play, index) ? IPV6 : IPV4);
    size_t header = tcp + (size_t)(packet->bytes[tcp + 12] >> 4) * 4;
    *length = packet->length - header;
    return packet->bytes + header;
}

static bool is_of(const struct play *play, size_t index, enum armtap_direction sender)
{
    const uint8_t *address = sender == ARMTAP_FROM_ROBOT ? robot_address : client_address;
    const uint8_t *ip = play->wire.packets[index].bytes + ETHERNET;
    uint8_t last = is_v6(play, index) ? ip[8 + 15] : ip[12 + 3]; /* the only byte in which they differ */
    return last == address[3];
}

static bool is_data_of(const struct play *play, size_t index, enum armtap_direction sender)
{
    size_t length;
    play_payload(play, index, &length);
    return length > 0 && is_of(play, index, sender);
}

size_t play_set_clock(struct play *play, enum armtap_direction sender, int64_t ahead)
{
    size_t first = 0;
    for (size_t i = 0; i < play->wire.count; i++)
        play->wire.packets[i].time += is_of(play, i, sender) ? ahead : 0;
    wire_sort(&play->wire);
    while (first + 1 < play->wire.count && !is_of(play, first, sender))
        first++;
    return first;
}

size_t play_last(const struct play *play, enum armtap_direction sender)
{
    size_t i = play->wire.count - 1;
    while (i > 0 && !is_data_of(play, i, sender))
        i--;
    return i;
}

size_t play_next(const struct play *play, size_t index, enum armtap_direction sender)
{
    size_t i = index + 1;
    while (i + 1 < play->wire.count && !is_data_of(play, i, sender))
        i++;
    return i;
}

void play_drop(struct play *play, size_t index)
{
    struct wire *wire = &play->wire;
    free(wire->packets[index].bytes);
    wire->count--;
    memmove(wire->packets + index, wire->packets + index + 1, (wire->count - index) * sizeof *wire->packets);
}

size_t play_repeat(struct play *play, size_t index, int64_t after)
{
    struct wire *wire = &play->wire;
    struct wire_packet copy = wire->packets[index];
    copy.bytes = malloc(copy.length);
    if (copy.bytes && wire->count == wire->capacity) {
        struct wire_packet *packets = realloc(wire->packets, 2 * wire->capacity * sizeof *packets);
        wire->capacity *= packets ? 2 : 1;
        wire->packets = packets ? packets : wire->packets;
    }
    if (!copy.bytes || wire->count == wire->capacity) {
        free(copy.bytes);
        play->failed = true;
        return index;
    }
    memcpy(copy.bytes, wire->packets[index].bytes, copy.length);
    copy.time = wire->packets[wire->count - 1].time + after;
    wire->packets[wire->count] = copy;
    play->connection.now = copy.time;
    return wire->count++;
}

/* Writes the ICMP error into a buffer with room for the headers and the quoted packet. */
static void write_unreachable(uint8_t *at, const uint8_t *packet, size_t quoted, bool v6, uint8_t code)
{
    static const uint8_t router = 1; /* last byte of its address */
    size_t header = v6 ? IPV6 : IPV4, source = v6 ? 8 : 12, width = v6 ? 16 : 4;
    uint8_t *ip = at + ETHERNET, *icmp = ip + header;
    size_t length = v6 ? 8 + quoted : header + 8 + quoted;
    memcpy(at, packet, ETHERNET + header);
    ip[v6 ? 4 : 2] = (uint8_t)(length >> 8);
    ip[v6 ? 5 : 3] = (uint8_t)length;
    ip[v6 ? 6 : 9] = v6 ? 58 : 1;
    memcpy(ip + source + width, packet + ETHERNET + source, width); /* back to the sender */
    ip[source + width - 1] = router;
    memset(icmp, 0, 8);
    icmp[0] = v6 ? 1 : 3;
    icmp[1] = code;
    memcpy(icmp + 8, packet + ETHERNET, quoted);
}

size_t play_unreachable(struct play *play, size_t index, uint8_t code, int64_t after)
{
    bool v6 = is_v6(play, index);
    size_t copy = play_repeat(play, index, after), quoted = play->wire.packets[index].length - ETHERNET;
    size_t length = (size_t)(v6 ? ETHERNET + IPV6 : ETHERNET + IPV4) + 8 + quoted;
    uint8_t *bytes = malloc(length);
    if (!bytes || play->failed) {
        play->failed = true;
        free(bytes);
        return copy;
    }
    write_unreachable(bytes, play->wire.packets[index].bytes, quoted, v6, code);
    free(play->wire.packets[copy].bytes);
    play->wire.packets[copy].bytes = bytes;
    play->wire.packets[copy].length = length;
    return copy;
}

unsigned play_ip_id(const struct play *play, size_t index)
{
    const uint8_t *ip = play->wire.packets[index].bytes + ETHERNET;
    return (unsigned)ip[4] << 8 | ip[5];
}

void play_set_ip_id(const struct play *play, size_t index, unsigned id)
{
    uint8_t *ip = play->wire.packets[index].bytes + ETHERNET;
    if (is_v6(play, index)) /* IPv6 has no id: these bytes are its length */
        return;
    ip[4] = (uint8_t)(id >> 8);
    ip[5] = (uint8_t)id;
}

void play_swap(struct play *play, size_t one, size_t other)
{
    struct wire_packet *packets = play->wire.packets;
    struct wire_packet held = packets[one];
    packets[one].bytes = packets[other].bytes;
    packets[one].length = packets[other].length;
    packets[other].bytes = held.bytes;
    packets[other].length = held.length;
}

void play_forget(struct play *play)
{
    while (play->wire.count > 0)
        play_drop(play, play->wire.count - 1);
}

/* ---- what must be found ---------------------------------------------------------------------------------------- */

void play_expect_of(struct play *play, const char *id, int stream, size_t index)
{
    if (play->finding_count == PLAY_FINDINGS)
        play->failed = true;
    else
        play->findings[play->finding_count++] = (struct play_finding){id, stream, index + 1};
}

void play_expect(struct play *play, const char *id, size_t index)
{
    play_expect_of(play, id, 0, index);
}
