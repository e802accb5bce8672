/* Sends the packets of a capture to an interface at a steady rate, as they are:
 *
 *   wire FILE INTERFACE RATE
 *
 * RATE packets a second, in bursts of a millisecond. Prints how many it sent and the seconds that took. For root, or in
 * a network namespace of one's own. Uses nothing of the library. */
#define _GNU_SOURCE /* sendmmsg */
#include <errno.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FILE_HEADER 24
#define RECORD_HEADER 16
#define BURST_MAX 1024
#define MILLISECOND 1000000

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint8_t *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail(name);
    long size = ftell(file);
    uint8_t *bytes = size < FILE_HEADER ? NULL : malloc((size_t)size);
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        fail(name);
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

static int open_interface(const char *name)
{
    int sender = socket(AF_PACKET, SOCK_RAW, 0);
    struct sockaddr_ll place = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name)};
    if (sender < 0 || place.sll_ifindex == 0 || bind(sender, (struct sockaddr *)&place, sizeof place) != 0)
        fail(name);
    return sender;
}

/* Up to `most` packets from `at` on; moves `at`. */
static unsigned gather(uint8_t *bytes, size_t length, size_t *at, unsigned most, struct mmsghdr *messages,
                       struct iovec *parts)
{
    unsigned count = 0;
    while (count < most && length - *at >= RECORD_HEADER) {
        uint32_t captured;
        memcpy(&captured, bytes + *at + 8, sizeof captured);
        if (captured > length - *at - RECORD_HEADER)
            break;
        parts[count] = (struct iovec){bytes + *at + RECORD_HEADER, captured};
        messages[count] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[count], .msg_iovlen = 1}};
        *at += RECORD_HEADER + captured;
        count++;
    }
    return count;
}

static void send_all(int sender, struct mmsghdr *messages, unsigned count)
{
    while (count > 0) {
        int sent = sendmmsg(sender, messages, count, 0);
        if (sent < 0 && errno != ENOBUFS && errno != EINTR)
            fail("sendmmsg");
        messages += sent > 0 ? sent : 0;
        count -= sent > 0 ? (unsigned)sent : 0;
    }
}

static struct timespec later(struct timespec time, long nanoseconds)
{
    time.tv_nsec += nanoseconds;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

int main(int argc, char **argv)
{
    static struct mmsghdr messages[BURST_MAX];
    static struct iovec parts[BURST_MAX];
    size_t length, at = FILE_HEADER;
    unsigned burst = argc == 4 ? (unsigned)atoi(argv[3]) / 1000 : 0, count;
    if (burst < 1 || burst > BURST_MAX) {
        fputs("usage: wire FILE INTERFACE RATE (1000 to 1024000 packets a second)\n", stderr);
        return 2;
    }
    uint8_t *bytes = read_file(argv[1], &length);
    int sender = open_interface(argv[2]);
    struct timespec begin, now, next;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    next = begin;
    unsigned long sent = 0;
    while ((count = gather(bytes, length, &at, burst, messages, parts)) > 0) {
        send_all(sender, messages, count);
        sent += count;
        next = later(next, MILLISECOND);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%lu %.3f\n", sent, (double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9);
    close(sender);
    free(bytes);
    return 0;
}
