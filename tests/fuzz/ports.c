/* Ports that armtap does not decode: a byte that chooses the port and how the connection begins, then operations: bytes
 * of either side, a hole, the connection's end. Two listeners live through the same; one gets its bytes one at a time,
 * and must hear the same. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "serve/recording/other_ports.h"

#define LIVES 2
#define HELD_MAX (2 << 20) /* bytes: of two listeners */

enum operation { ROBOT, CLIENT, HOLE, END, OPERATIONS };

struct life {
    struct other_ports *ports;
    struct recorded_ports *recorded;
    struct armtap_stream stream;
    uint16_t port;
    uint64_t offset[2];
    uint64_t heard, digest;
};

static void add(struct life *life, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length; i++)
        life->digest = (life->digest ^ p[i]) * UINT64_C(0x100000001b3);
    life->heard++;
}

/* Whole messages; a greeting ends with its only state. */
static int on_message(void *user, const struct port_message *message)
{
    struct life *life = user;
    unsigned states = 0, count = 0;
    CHECK(strcmp(message->robot, "10.0.0.2") == 0 && message->port == life->port);
    for (size_t at = 0; at < message->length; count++) {
        const uint8_t *bytes = message->bytes + at;
        CHECK(message->length - at >= 5);
        size_t length = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
        CHECK(length >= 5 && length <= 65535 && length <= message->length - at);
        states += bytes[4] == 16;
        at += length;
    }
    CHECK(message->is_greeting ? states == 1 && count <= 16 : count == 1);
    add(life, message->bytes, message->length);
    CHECK(recorded_ports_message(life->recorded, message) == 0);
    return 0;
}

static int on_reply(void *user, const struct port_reply *reply)
{
    struct life *life = user;
    CHECK(!strchr(reply->request, '\n') && !strchr(reply->reply, '\n'));
    add(life, reply->request, strlen(reply->request) + 1);
    add(life, reply->reply, strlen(reply->reply) + 1);
    CHECK(recorded_ports_reply(life->recorded, reply) == 0);
    CHECK(strcmp(recorded_ports_answer(life->recorded, "10.0.0.2", reply->request, INT64_MAX), reply->reply) == 0);
    return 0;
}

static void give(struct life *life, enum armtap_direction direction, const uint8_t *bytes, size_t length, size_t step)
{
    for (size_t at = 0; at < length; at += step) {
        size_t some = length - at < step ? length - at : step;
        uint8_t *copy = bytes ? copy_of(bytes + at, some) : NULL;
        const struct armtap_bytes given = {.stream = &life->stream,
                                           .direction = direction,
                                           .port = life->port,
                                           .offset = life->offset[direction],
                                           .bytes = copy,
                                           .length = some};
        CHECK(other_ports_bytes(life->ports, &given) == 0);
        free(copy);
        life->offset[direction] += some;
    }
}

static void step(struct life lives[LIVES], struct input *input)
{
    unsigned what = input_byte(input);
    enum operation operation = (enum operation)(what % OPERATIONS);
    size_t length = what & 4 ? input_two(input) : what >> 3;
    const uint8_t *bytes = operation <= CLIENT ? input_bytes(input, &length) : NULL;
    for (unsigned k = 0; k < LIVES; k++) {
        struct life *life = &lives[k];
        if (operation <= CLIENT)
            give(life, operation == ROBOT ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT, bytes, length,
                 k == 0 ? SIZE_MAX / 2 : 1);
        else if (operation == HOLE)
            give(life, what & 8 ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT, NULL, length, SIZE_MAX / 2);
        else
            CHECK(other_ports_close(life->ports, 0) == 0);
    }
    CHECK(lives[0].heard == lives[1].heard && lives[0].digest == lives[1].digest);
}

FUZZ_TARGET(ports)
{
    static const uint16_t ports[] = {30001, 30002, 30011, 29999};
    struct input input = {data, data + size};
    unsigned how = input_byte(&input);
    struct life lives[LIVES] = {0};
    size_t before = bytes_held();
    for (unsigned k = 0; k < LIVES; k++) {
        const struct other_ports_wish wish = {on_message, on_reply, &lives[k]};
        lives[k].port = ports[how % 4];
        lives[k].stream.midstream = (how & 4) != 0;
        memcpy(lives[k].stream.robot, "10.0.0.2", 8);
        lives[k].ports = other_ports_new(&wish);
        lives[k].recorded = recorded_ports_new();
        CHECK(lives[k].ports && lives[k].recorded);
    }
    while (input_left(&input) > 0)
        step(lives, &input);
    CHECK(bytes_held() - before < HELD_MAX + 4 * size);
    for (unsigned k = 0; k < LIVES; k++) {
        other_ports_free(lives[k].ports);
        recorded_ports_free(lives[k].recorded);
    }
    return 0;
}
