// What live commands are measured with; no armtap in it:
//
//     live robot VARIABLES SIZE HZ PACKETS    a robot: legacy packets of SIZE bytes and RTDE with any outputs listed in
//                                             VARIABLES ("name type" a line); prints "LEGACY-PORT RTDE-PORT", ends
//                                             after so many packets to either kind of client
//     live relay PORT                         the least that stands between two sockets: accepts once, forwards both
//     ways live client PORT PACKETS [NAMES]        reads legacy packets, or RTDE with these outputs, `timestamp` and
//     `target_q`
//                                             first; prints the delays p50 and p99 in us, and how many packets it
//                                             missed
//
// The robot's clock, `timestamp`, is CLOCK_MONOTONIC in seconds when a packet is sent, so that who reads it knows the
// delay; `target_q` counts cycles.
#define _GNU_SOURCE // ppoll
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HOST "127.0.0.1"
#define ROOM 65536
#define CLIENTS 8
#define VARIABLES 512
#define SECOND 1000000000LL
#define WARM 100 // packets that a client reads before it measures

struct variable {
    char name[64], type[16];
};

struct package {
    uint8_t bytes[ROOM];
    size_t length;
};

static void fail(const char *what)
{
    fprintf(stderr, "live: %s: %s\n", what, strerror(errno));
    exit(2);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

static void put_double(uint8_t *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(bits >> (56 - 8 * i));
}

static double get_double(const uint8_t *at)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | at[i];
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static void immediate(int fd)
{
    int on = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        fail("TCP_NODELAY");
}

static struct sockaddr_in address_of(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, HOST, &address.sin_addr);
    return address;
}

// A listening socket on any free port; its number.
static int listen_somewhere(int *port)
{
    struct sockaddr_in address = address_of(0);
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, CLIENTS) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        fail("listen");
    *port = ntohs(address.sin_port);
    return fd;
}

static int connect_to(int port)
{
    struct sockaddr_in address = address_of(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        fail("connect");
    immediate(fd);
    return fd;
}

// False: the peer is gone.
static bool send_all(int fd, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = recv(fd, bytes, length, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

// ---- RTDE
// ----------------------------------------------------------------------------------------------------------------

static void begin(struct package *p, char kind)
{
    p->length = 3;
    p->bytes[2] = (uint8_t)kind;
}

static void add(struct package *p, const void *bytes, size_t length)
{
    if (p->length + length > ROOM) {
        errno = EMSGSIZE;
        fail("package");
    }
    memcpy(p->bytes + p->length, bytes, length);
    p->length += length;
}

static bool send_package(int fd, struct package *p)
{
    p->bytes[0] = (uint8_t)(p->length >> 8);
    p->bytes[1] = (uint8_t)p->length;
    return send_all(fd, p->bytes, p->length);
}

static bool read_package(int fd, struct package *p)
{
    if (!read_all(fd, p->bytes, 3))
        return false;
    p->length = (size_t)p->bytes[0] << 8 | p->bytes[1];
    return p->length >= 3 && read_all(fd, p->bytes + 3, p->length - 3);
}

// ---- the robot
// ----------------------------------------------------------------------------------------------------------

struct client {
    int fd;
    bool started;                  // RTDE: after S
    size_t values, clock, counter; // bytes of a data package's values, and where `timestamp` and `target_q` are
    long sent;
};

struct robot {
    struct variable variables[VARIABLES];
    size_t variable_count, size;
    int legacy, rtde; // listening sockets
    struct client legacy_clients[CLIENTS], rtde_clients[CLIENTS];
    long late; // packets that went out more than a period late
};

static size_t bytes_of(const char *type)
{
    static const struct {
        const char *type;
        size_t bytes;
    } sizes[] = {{"BOOL", 1},   {"UINT8", 1},     {"UINT32", 4},    {"INT32", 4},         {"UINT64", 8},
                 {"DOUBLE", 8}, {"VECTOR3D", 24}, {"VECTOR6D", 48}, {"VECTOR6INT32", 24}, {"VECTOR6UINT32", 24}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(sizes[i].type, type) == 0)
            return sizes[i].bytes;
    return 0;
}

static void read_variables(struct robot *robot, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path);
    struct variable *v = robot->variables;
    while (robot->variable_count < VARIABLES && fscanf(file, "%63s %15s", v->name, v->type) == 2) {
        v++;
        robot->variable_count++;
    }
    fclose(file);
}

static const char *type_of(const struct robot *robot, const char *name)
{
    for (size_t i = 0; i < robot->variable_count; i++)
        if (strcmp(robot->variables[i].name, name) == 0)
            return robot->variables[i].type;
    return "NOT_FOUND";
}

// Answers O: the types of the names, which follow the frequency.
static void set_up(struct robot *robot, struct client *client, struct package *asked, struct package *reply)
{
    char names[ROOM];
    size_t length = asked->length - 11;
    memcpy(names, asked->bytes + 11, length);
    names[length] = '\0';
    client->values = 0;
    begin(reply, 'O');
    add(reply, "\1", 1);
    char *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        const char *type = type_of(robot, name);
        if (reply->length > 4)
            add(reply, ",", 1);
        if (strcmp(name, "timestamp") == 0)
            client->clock = client->values;
        else if (strcmp(name, "target_q") == 0)
            client->counter = client->values;
        add(reply, type, strlen(type));
        client->values += bytes_of(type);
    }
}

static bool answer(struct robot *robot, struct client *client)
{
    static const uint8_t version[16] = {0, 0, 0, 5, 0, 0, 0, 11, 0, 0, 0, 1, 0, 0, 0, 108};
    static struct package asked, reply;
    if (!read_package(client->fd, &asked))
        return false;
    char kind = (char)asked.bytes[2];
    begin(&reply, kind);
    if (kind == 'V')
        add(&reply, asked.bytes[4] <= 2 ? "\1" : "\0", 1);
    else if (kind == 'v')
        add(&reply, version, sizeof version);
    else if (kind == 'O' && asked.length >= 11)
        set_up(robot, client, &asked, &reply);
    else if (kind == 'S' || kind == 'P')
        add(&reply, "\1", 1);
    else
        return true;
    client->started = kind == 'S';
    return send_package(client->fd, &reply);
}

static void leave(struct client *client)
{
    close(client->fd);
    client->fd = -1;
}

static void take(int listener, struct client *clients)
{
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; fd >= 0 && i < CLIENTS; i++)
        if (clients[i].fd < 0) {
            immediate(fd);
            clients[i] = (struct client){.fd = fd};
            return;
        }
    if (fd >= 0)
        close(fd);
}

// Connections and requests, until it is time.
static void listen_until(struct robot *robot, int64_t due)
{
    struct pollfd polled[2 + CLIENTS] = {{.fd = robot->legacy, .events = POLLIN},
                                         {.fd = robot->rtde, .events = POLLIN}};
    int64_t left;
    while ((left = due - now()) > 0) {
        for (int i = 0; i < CLIENTS; i++)
            polled[2 + i] = (struct pollfd){.fd = robot->rtde_clients[i].fd, .events = POLLIN};
        struct timespec wait = {.tv_sec = left / SECOND, .tv_nsec = left % SECOND};
        if (ppoll(polled, 2 + CLIENTS, &wait, NULL) <= 0)
            continue;
        if (polled[0].revents)
            take(robot->legacy, robot->legacy_clients);
        if (polled[1].revents)
            take(robot->rtde, robot->rtde_clients);
        for (int i = 0; i < CLIENTS; i++)
            if (polled[2 + i].revents && robot->rtde_clients[i].fd >= 0 && !answer(robot, &robot->rtde_clients[i]))
                leave(&robot->rtde_clients[i]);
    }
}

static void sent_to(struct client *client, bool sent)
{
    if (!sent)
        leave(client);
    client->sent += sent;
}

static void send_packet(const struct robot *robot, struct client *client, long cycle)
{
    static uint8_t packet[ROOM];
    uint32_t size = htonl((uint32_t)robot->size);
    memcpy(packet, &size, 4);
    put_double(packet + 12, (double)cycle);
    put_double(packet + 4, (double)now() / SECOND);
    sent_to(client, send_all(client->fd, packet, robot->size));
}

static void send_data(struct client *client, long cycle)
{
    static const uint8_t zeros[ROOM];
    static struct package data;
    begin(&data, 'U');
    add(&data, "\1", 1);
    add(&data, zeros, client->values);
    put_double(data.bytes + 4 + client->counter, (double)cycle);
    put_double(data.bytes + 4 + client->clock, (double)now() / SECOND);
    sent_to(client, send_package(client->fd, &data));
}

static void send_cycle(struct robot *robot, long cycle)
{
    for (int i = 0; i < CLIENTS; i++)
        if (robot->legacy_clients[i].fd >= 0)
            send_packet(robot, &robot->legacy_clients[i], cycle);
    for (int i = 0; i < CLIENTS; i++)
        if (robot->rtde_clients[i].fd >= 0 && robot->rtde_clients[i].started)
            send_data(&robot->rtde_clients[i], cycle);
}

static long most_sent(const struct robot *robot)
{
    long most = 0;
    for (int i = 0; i < CLIENTS; i++) {
        most = robot->legacy_clients[i].sent > most ? robot->legacy_clients[i].sent : most;
        most = robot->rtde_clients[i].sent > most ? robot->rtde_clients[i].sent : most;
    }
    return most;
}

static int play_robot(char **arguments)
{
    static struct robot robot;
    int legacy, rtde;
    read_variables(&robot, arguments[0]);
    robot.size = strtoul(arguments[1], NULL, 10);
    int64_t period = (int64_t)(SECOND / strtod(arguments[2], NULL));
    long packets = strtol(arguments[3], NULL, 10);
    robot.legacy = listen_somewhere(&legacy);
    robot.rtde = listen_somewhere(&rtde);
    for (int i = 0; i < CLIENTS; i++)
        robot.legacy_clients[i].fd = robot.rtde_clients[i].fd = -1;
    printf("%d %d\n", legacy, rtde);
    fflush(stdout);
    int64_t due = now();
    for (long cycle = 0; most_sent(&robot) < packets; cycle++) {
        due += period;
        listen_until(&robot, due);
        robot.late += now() > due + period;
        send_cycle(&robot, cycle);
    }
    printf("%ld sent %ld late\n", most_sent(&robot), robot.late);
    return 0;
}

// ---- the relay
// ----------------------------------------------------------------------------------------------------------

static int relay(char **arguments)
{
    static uint8_t bytes[ROOM];
    int port;
    int listener = listen_somewhere(&port);
    printf("%d\n", port);
    fflush(stdout);
    int client = accept(listener, NULL, NULL);
    if (client < 0)
        fail("accept");
    immediate(client);
    struct pollfd ends[2] = {{.fd = client, .events = POLLIN},
                             {.fd = connect_to(atoi(arguments[0])), .events = POLLIN}};
    for (;;) {
        if (poll(ends, 2, -1) < 0)
            continue;
        for (int i = 0; i < 2; i++) {
            if (!ends[i].revents)
                continue;
            ssize_t n = recv(ends[i].fd, bytes, sizeof bytes, 0);
            if (n <= 0 || !send_all(ends[1 - i].fd, bytes, (size_t)n))
                return 0;
        }
    }
}

// ---- the client
// ---------------------------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void ask(int fd, struct package *p, char kind, const void *payload, size_t length)
{
    begin(p, kind);
    add(p, payload, length);
    if (!send_package(fd, p))
        fail("send");
    do
        if (!read_package(fd, p))
            fail("no answer");
    while (p->bytes[2] != (uint8_t)kind);
}

static void start_rtde(int fd, const char *names)
{
    static struct package p;
    uint8_t outputs[ROOM] = {0};
    size_t length = strlen(names);
    put_double(outputs, 500);
    memcpy(outputs + 8, names, length);
    ask(fd, &p, 'V', "\0\2", 2);
    ask(fd, &p, 'v', "", 0);
    ask(fd, &p, 'O', outputs, 8 + length);
    ask(fd, &p, 'S', "", 0);
}

// Reads a packet; its values begin at the result.
static const uint8_t *next_values(int fd, bool rtde, struct package *p)
{
    if (!rtde) {
        if (!read_all(fd, p->bytes, 4))
            fail("packet");
        size_t size = (size_t)p->bytes[2] << 8 | p->bytes[3];
        if (size < 20 || !read_all(fd, p->bytes + 4, size - 4))
            fail("packet");
        return p->bytes + 4;
    }
    do
        if (!read_package(fd, p))
            fail("package");
    while (p->bytes[2] != 'U');
    return p->bytes + 4;
}

static int measure(char **arguments)
{
    static struct package p;
    int fd = connect_to(atoi(arguments[0]));
    long count = strtol(arguments[1], NULL, 10), lost = 0, last = -1;
    double *delays = calloc((size_t)count, sizeof *delays);
    if (!delays)
        fail("packets");
    if (arguments[2])
        start_rtde(fd, arguments[2]);
    for (long i = -WARM; i < count; i++) {
        const uint8_t *values = next_values(fd, arguments[2] != NULL, &p);
        double delay = (double)now() / SECOND - get_double(values);
        long cycle = (long)get_double(values + 8);
        lost += last >= 0 ? cycle - last - 1 : 0;
        last = cycle;
        if (i >= 0)
            delays[i] = delay * 1e6;
    }
    qsort(delays, (size_t)count, sizeof *delays, by_value);
    printf("%.1f %.1f %ld\n", delays[count / 2], delays[count * 99 / 100], lost);
    free(delays);
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 6 && strcmp(arguments[1], "robot") == 0)
        return play_robot(arguments + 2);
    if (count == 3 && strcmp(arguments[1], "relay") == 0)
        return relay(arguments + 2);
    if ((count == 4 || count == 5) && strcmp(arguments[1], "client") == 0)
        return measure(arguments + 2);
    fprintf(stderr, "live robot VARIABLES SIZE HZ PACKETS | relay PORT | client PORT PACKETS [NAMES]\n");
    return 2;
}
