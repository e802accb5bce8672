/* Captured packets: two bytes of options and link type, then packets {time, captured, length, bytes} as they are, or
 * segments {flags, time, sequence, acknowledgement, length, bytes} for which the headers are made here, so that changed
 * inputs stay TCP. */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define HELD_MAX (64u << 20)
#define PACKETS_MAX 2000

enum option { MADE = 1, SMALL_POOL = 2, RECIPE = 4, PORTS = 8, TWICE = 16 };
enum segment { TO_ROBOT = 1, SECOND_ONE = 2, SYN = 4, FIN = 8, RST = 16, FAR = 32, SHORTENED = 64, V6 = 128 };

static const int link_types[] = {1, 113, 276, 0, 108, 101, 12, 14, 228, 229, 105, -1};

struct stage {
    struct armtap_net *net;
    struct armtap_where now;
    size_t before; /* bytes held */
};

static void put(uint8_t *at, uint32_t number, unsigned width)
{
    while (width > 0)
        *at++ = (uint8_t)(number >> (8 * --width));
}

static void push(struct stage *stage, int link_type, const uint8_t *bytes, size_t captured, size_t length)
{
    uint8_t *copy = copy_of(bytes, captured);
    struct armtap_packet packet = {sizeof packet, link_type, stage->now, copy, captured, length};
    int error = armtap_net_packet(stage->net, &packet);
    free(copy);
    CHECK(error == (armtap_link_type_known(link_type) ? ARMTAP_OK : ARMTAP_ERR_UNSUPPORTED));
    CHECK(bytes_held() <= stage->before + HELD_MAX);
}

static void take_raw(struct stage *stage, struct input *input, int link_type)
{
    stage->now.time += (int64_t)input_two(input) * 100000;
    stage->now.packet++;
    size_t captured = input_two(input);
    int more = (int)input_byte(input) - 16;
    const uint8_t *bytes = input_bytes(input, &captured);
    size_t length = more < 0 && captured < (size_t)-more ? 0 : captured + (size_t)(ptrdiff_t)more;
    push(stage, link_type, bytes, captured, length);
}

/* Headers of IPv4 or IPv6 and TCP; returns their length. */
static size_t make_headers(uint8_t *at, unsigned head, uint32_t seq, uint32_t ack, size_t payload)
{
    size_t ip = head & V6 ? 40 : 20;
    unsigned from = head & TO_ROBOT ? 9 : 2, to = head & TO_ROBOT ? 2 : 9;
    uint32_t client = head & SECOND_ONE ? 40002 : 40001, robot = head & SECOND_ONE ? 30003 : 30004;
    memset(at, 0, ip + 20);
    if (head & V6) {
        at[0] = 0x60;
        put(at + 4, (uint32_t)(20 + payload), 2);
        at[6] = 6;
        at[23] = (uint8_t)from;
        at[39] = (uint8_t)to;
    } else {
        at[0] = 0x45;
        put(at + 2, (uint32_t)(40 + payload), 2);
        at[9] = 6;
        put(at + 12, 0x0a000000 + from, 4);
        put(at + 16, 0x0a000000 + to, 4);
    }
    at += ip;
    put(at, head & TO_ROBOT ? client : robot, 2);
    put(at + 2, head & TO_ROBOT ? robot : client, 2);
    put(at + 4, seq, 4);
    put(at + 8, ack, 4);
    at[12] = 0x50;
    at[13] = (uint8_t)((head & SYN ? 2 : 0) | (head & FIN ? 1 : 0) | (head & RST ? 4 : 0) | (ack ? 16 : 0));
    put(at + 14, ack & 1 ? 0 : 8192, 2);
    return ip + 20;
}

static void take_made(struct stage *stage, struct input *input)
{
    uint8_t packet[60 + 4096];
    unsigned head = input_byte(input);
    stage->now.time += (int64_t)input_byte(input) * 10000000;
    stage->now.packet++;
    uint32_t seq = 0xFFFFFF00u + input_two(input), ack = input_two(input);
    size_t length = input_two(input) & 4095;
    const uint8_t *bytes = input_bytes(input, &length);
    if (head & FAR)
        seq += 0x20000000;
    size_t headers = make_headers(packet, head, seq, ack ? 0xFFFFFF00u + ack : 0, length);
    if (length > 0)
        memcpy(packet + headers, bytes, length);
    size_t cut = head & SHORTENED ? length / 3 : 0;
    push(stage, 101, packet, headers + length - cut, headers + length);
}

static uint64_t run(const uint8_t *data, size_t size, struct armtap_knowledge *knowledge)
{
    static const struct armtap_port ports[] = {{sizeof *ports, 40002, ARMTAP_RTDE},
                                               {sizeof *ports, 30003, ARMTAP_PROTOCOL_NONE}};
    struct input input = {data, data + size};
    unsigned options = input_byte(&input);
    int link_type = link_types[input_byte(&input) % (sizeof link_types / sizeof link_types[0])];
    struct watch watch = {.connection = UINT64_MAX};
    struct armtap_sink sink = watch_sink();
    struct armtap_recipe *recipe = NULL;
    if (options & RECIPE)
        CHECK(armtap_recipe_rtde("timestamp,actual_q", "DOUBLE,VECTOR6D", &recipe) == ARMTAP_OK);
    struct armtap_net_options net = {.size = sizeof net,
                                     .ports = ports,
                                     .port_count = options & PORTS ? 2 : 0,
                                     .recipe = recipe,
                                     .pool_bytes = options & SMALL_POOL ? 3000 : 0,
                                     .knowledge = knowledge};
    struct stage stage = {.now = {.time = 1000000000}, .before = bytes_held()};
    CHECK(armtap_net_new(&net, &sink, &watch, &stage.net) == ARMTAP_OK);
    armtap_recipe_release(recipe);
    for (int i = 0; i < PACKETS_MAX && input_left(&input) > 0; i++) {
        if (options & MADE)
            take_made(&stage, &input);
        else
            take_raw(&stage, &input, link_type);
    }
    CHECK(armtap_net_finish(stage.net) == ARMTAP_OK);
    CHECK(armtap_net_finish(stage.net) == ARMTAP_OK);
    armtap_net_free(stage.net);
    return watch.digest;
}

FUZZ_TARGET(packet)
{
    struct armtap_knowledge *knowledge;
    uint64_t alone = run(data, size, NULL);
    CHECK(armtap_knowledge_new(&knowledge) == ARMTAP_OK);
    CHECK(run(data, size, knowledge) == alone);
    armtap_knowledge_seal(knowledge);
    uint64_t second = run(data, size, knowledge);
    CHECK(size == 0 || !(data[0] & TWICE) || run(data, size, knowledge) == second);
    armtap_knowledge_free(knowledge);
    return 0;
}
