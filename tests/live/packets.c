/* packets NAME: writes a pcap of packets made by tools/input/robots/synthetic_tcp for synthetic-check.py to examine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/robots/synthetic_tcp.h"

#define LONG 200000
#define SECOND INT64_C(1000000000)
/* Sequence numbers of a connection begin as the time tells: at this one they wrap around soon. */
#define WRAP_TIME (INT64_C(0xFFFFFFFE) * 4096)

struct scene {
    const char *name, *robot, *client;
    int64_t time;
    int (*play)(struct synthetic_tcp *tcp, int64_t time);
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void put32(uint32_t number)
{
    fwrite(&number, sizeof number, 1, stdout);
}

static void put_header(void)
{
    put32(0xA1B23C4D);
    put32(4u << 16 | 2);
    put32(0);
    put32(0);
    put32(262144);
    put32(SYNTHETIC_LINK_TYPE);
}

static int put_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    (void)user;
    put32((uint32_t)(time / SECOND));
    put32((uint32_t)(time % SECOND));
    put32((uint32_t)length);
    put32((uint32_t)length);
    return fwrite(packet, 1, length, stdout) == length ? 0 : -1;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

static int say(struct synthetic_tcp *tcp, enum armtap_direction direction, const char *text, int64_t time)
{
    return synthetic_tcp_bytes(tcp, direction, text, strlen(text), time, put_packet, NULL);
}

static int talk(struct synthetic_tcp *tcp, int64_t time)
{
    return synthetic_tcp_open(tcp, time, put_packet, NULL) || say(tcp, ARMTAP_TO_ROBOT, "odd", time + 1) ||
           say(tcp, ARMTAP_FROM_ROBOT, "even", time + 2) || say(tcp, ARMTAP_FROM_ROBOT, "more", time + 3) ||
           synthetic_tcp_close(tcp, ARMTAP_TO_ROBOT, false, time + 4, put_packet, NULL) ||
           say(tcp, ARMTAP_FROM_ROBOT, "last", time + 5) ||
           synthetic_tcp_close(tcp, ARMTAP_FROM_ROBOT, false, time + 6, put_packet, NULL);
}

static int send_long(struct synthetic_tcp *tcp, int64_t time)
{
    uint8_t *bytes = malloc(LONG);
    if (!bytes)
        return -1;
    for (size_t i = 0; i < LONG; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    int outcome = synthetic_tcp_open(tcp, time, put_packet, NULL) ||
                  synthetic_tcp_bytes(tcp, ARMTAP_FROM_ROBOT, bytes, LONG, time, put_packet, NULL) ||
                  synthetic_tcp_close(tcp, ARMTAP_FROM_ROBOT, true, time, put_packet, NULL);
    free(bytes);
    return outcome;
}

static int refuse(struct synthetic_tcp *tcp, int64_t time)
{
    return synthetic_tcp_refused(tcp, time, put_packet, NULL);
}

static int not_answer(struct synthetic_tcp *tcp, int64_t time)
{
    return synthetic_tcp_unanswered(tcp, time, put_packet, NULL);
}

static int skip(struct synthetic_tcp *tcp, int64_t time)
{
    return synthetic_tcp_open(tcp, time, put_packet, NULL) || say(tcp, ARMTAP_FROM_ROBOT, "before", time) ||
           synthetic_tcp_skip(tcp, ARMTAP_FROM_ROBOT, 1000, time + 1, put_packet, NULL) ||
           say(tcp, ARMTAP_FROM_ROBOT, "after", time + 2);
}

/* The connection, then what a second file begins with, and then goes on. */
static int repeat(struct synthetic_tcp *tcp, int64_t time)
{
    static const struct synthetic_part parts[] = {{ARMTAP_TO_ROBOT, (const uint8_t *)"question", 8},
                                                  {ARMTAP_FROM_ROBOT, (const uint8_t *)"answer", 6},
                                                  {ARMTAP_TO_ROBOT, (const uint8_t *)"go", 2}};
    return talk(tcp, time) || synthetic_tcp_repeat(tcp, parts, 3, time + SECOND, put_packet, NULL) ||
           say(tcp, ARMTAP_FROM_ROBOT, "goes on", time + SECOND);
}

static const struct scene scenes[] = {
    {"four", "10.0.0.2:30004", "192.168.255.254:50000", SECOND, talk},
    {"six", "[fd00::2]:30004", "[fd00::ffff:1]:50000", SECOND, talk},
    {"mixed", "10.0.0.2:30004", "[::1]:50000", SECOND, talk},
    {"long", "10.0.0.2:30003", "10.0.0.9:65535", SECOND, send_long},
    {"long-six", "[fd00::2]:30003", "[fd00::9]:65535", SECOND, send_long},
    {"refused", "10.0.0.2:30003", "10.0.0.9:1", SECOND, refuse},
    {"unanswered", "10.0.0.2:30003", "10.0.0.9:1", SECOND, not_answer},
    {"skip", "10.0.0.2:30003", "10.0.0.9:1", SECOND, skip},
    {"repeat", "10.0.0.2:30003", "10.0.0.9:1", SECOND, repeat},
    {"wrap", "10.0.0.2:30003", "10.0.0.9:1", WRAP_TIME, repeat},
};

static int play(const struct scene *scene)
{
    struct tcp_address robot, client;
    struct synthetic_tcp tcp;
    if (tcp_address_parse(&robot, scene->robot, 0) != 0 || tcp_address_parse(&client, scene->client, 0) != 0)
        return 1;
    synthetic_tcp_begin(&tcp, &robot, &client);
    put_header();
    return scene->play(&tcp, scene->time) != 0 || fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i].name, argv[1]) == 0)
            return play(&scenes[i]);
    fputs("usage: packets NAME\n", stderr);
    return 2;
}
