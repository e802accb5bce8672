/* Reads a robot over RTDE: client HOST [PORT]
 *
 * Prints the controller's time and the base joint ten times a second, and on standard error what happens.
 * libarmtap-client makes the handshake, leaves out names that the controller lacks, and says when to connect again;
 * this program owns the socket and the clock. It ends when the robot has sent nothing for ten seconds, or on Ctrl-C. */
#define _POSIX_C_SOURCE 200809L
#include <armtap-client.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static int print_base(void *user, const struct armtap_record *record)
{
    if (armtap_set_has(record->updated, ARMTAP_ID_actual_q))
        fprintf(user, "%.17g %.17g\n", record->state->timestamp, record->state->actual_q[0]);
    return fflush(user); /* other than 0 stops */
}

static int print_event(void *user, const struct armtap_client_event *event)
{
    (void)user;
    fprintf(stderr, "%s\n", event->text);
    return 0;
}

/* A socket, or -1 after the client was told that there is none. */
static int connect_to(struct armtap_client *client, const struct addrinfo *robot)
{
    int connection = socket(robot->ai_family, SOCK_STREAM, 0);
    if (connection >= 0 && connect(connection, robot->ai_addr, robot->ai_addrlen) == 0) {
        armtap_client_connected(client, now(), NULL);
        return connection;
    }
    if (connection >= 0)
        close(connection);
    armtap_client_failed(client, now(), ARMTAP_CLIENT_REFUSED, NULL);
    return -1;
}

/* Sends what is to be sent, and takes what comes; waits until something is due. */
static void exchange(struct armtap_client *client, int connection)
{
    const void *out;
    char in[4096];
    size_t length = armtap_client_send(client, &out);
    ssize_t sent = length > 0 ? send(connection, out, length, MSG_NOSIGNAL) : 0;
    if (sent > 0)
        armtap_client_sent(client, (size_t)sent, now(), NULL);
    struct pollfd robot = {.fd = connection, .events = POLLIN};
    int64_t left = (armtap_client_deadline(client) - now()) / (SECOND / 1000) + 1;
    if (poll(&robot, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left) > 0) {
        ssize_t got = recv(connection, in, sizeof in, 0);
        if (got > 0)
            armtap_client_receive(client, in, (size_t)got, now(), NULL);
        else
            armtap_client_closed(client, now(), got == 0 ? ARMTAP_CLIENT_CLOSED_BY_ROBOT : ARMTAP_CLIENT_RESET, NULL);
    }
    armtap_client_expire(client, now());
}

/* Follows the client's verdicts to the end. */
static void run(struct armtap_client *client, const struct addrinfo *robot)
{
    int connection = -1;
    for (;;) {
        const struct armtap_client_verdict *verdict = armtap_client_verdict(client);
        if (verdict->what != ARMTAP_CLIENT_GO_ON && connection >= 0) {
            close(connection);
            armtap_client_closed(client, now(), ARMTAP_CLIENT_CLOSED_HERE, NULL);
            connection = -1;
        } else if (verdict->what == ARMTAP_CLIENT_GO_ON && connection >= 0) {
            exchange(client, connection);
        } else if (verdict->what == ARMTAP_CLIENT_RECONNECT && verdict->at > now()) {
            poll(NULL, 0, 10);
        } else if (verdict->what == ARMTAP_CLIENT_RECONNECT) {
            connection = connect_to(client, robot);
        } else {
            break;
        }
    }
}

int main(int count, char **words)
{
    struct armtap_sink sink = {.size = sizeof sink, .on_record = print_base};
    struct armtap_client_options options = {.size = sizeof options,
                                            .protocol = ARMTAP_RTDE,
                                            .outputs = "timestamp,actual_q",
                                            .frequency = 10,
                                            .give_up = 10 * SECOND,
                                            .on_event = print_event};
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *robot;
    struct armtap_client *client;
    if (count < 2 || getaddrinfo(words[1], count > 2 ? words[2] : "30004", &wanted, &robot) != 0) {
        fprintf(stderr, "usage: client HOST [PORT]\n");
        return 2;
    }
    if (armtap_client_new(&options, &sink, stdout, &client) != ARMTAP_OK)
        return 2;
    run(client, robot);
    armtap_client_free(client);
    freeaddrinfo(robot);
    return 0;
}
