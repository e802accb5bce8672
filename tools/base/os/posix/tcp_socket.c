#define _GNU_SOURCE /* accept4, SO_TIMESTAMPNS */
#include "base/os/tcp_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h> /* all of struct tcp_info, which <netinet/tcp.h> lacks */
#include <linux/sockios.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "nanoseconds.h"

#define BACKLOG 128
#define HOST_MAX 256
/* Keep-alive, s: first probe after IDLE seconds, then every BETWEEN; dead after PROBES without an answer. */
#define KEEPALIVE_IDLE 5
#define KEEPALIVE_BETWEEN 2
#define KEEPALIVE_PROBES 3
/* Reads of a round: those before the trial, whose beginning the kernel acknowledges at once in any case; those of the
 * trial; and all. */
#define BEFORE_TRIAL 50
#define TRIAL 100
#define ROUND 10000

int64_t tcp_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static const struct sockaddr *plain(const struct tcp_address *address)
{
    return (const struct sockaddr *)(const void *)address;
}

static socklen_t length_of(const struct tcp_address *address)
{
    return address->family == AF_INET6 ? sizeof address->six : sizeof address->four;
}

uint16_t tcp_address_port(const struct tcp_address *address)
{
    return ntohs(address->family == AF_INET6 ? address->six.sin6_port : address->four.sin_port);
}

void tcp_address_set_port(struct tcp_address *address, uint16_t port)
{
    if (address->family == AF_INET6)
        address->six.sin6_port = htons(port);
    else
        address->four.sin_port = htons(port);
}

bool tcp_address_is_loopback(const struct tcp_address *address)
{
    if (address->family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr);
    return ntohl(address->four.sin_addr.s_addr) >> 24 == 127;
}

/* As in IPv6. */
static struct in6_addr host_of(const struct tcp_address *address)
{
    struct in6_addr host = {.s6_addr = {[10] = 0xFF, [11] = 0xFF}};
    if (address->family == AF_INET6)
        return address->six.sin6_addr;
    memcpy(host.s6_addr + 12, &address->four.sin_addr, 4);
    return host;
}

bool tcp_address_same_host(const struct tcp_address *one, const struct tcp_address *other)
{
    struct in6_addr first = host_of(one), second = host_of(other);
    return memcmp(&first, &second, sizeof first) == 0;
}

void tcp_address_text(const struct tcp_address *address, char text[TCP_ADDRESS_MAX])
{
    char host[TCP_ADDRESS_MAX - 16] = "?";
    bool six = address->family == AF_INET6;
    getnameinfo(plain(address), length_of(address), host, sizeof host, NULL, 0, NI_NUMERICHOST);
    snprintf(text, TCP_ADDRESS_MAX, six ? "[%s]:%u" : "%s:%u", host, tcp_address_port(address));
}

/* Stores addresses of a host; returns 0 or getaddrinfo's error. */
static int look_up(const char *host, uint16_t port, int flags, struct tcp_address *addresses, size_t room,
                   size_t *count)
{
    const struct addrinfo hints = {.ai_flags = flags, .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    *count = 0;
    int error = getaddrinfo(host, NULL, &hints, &all);
    if (error)
        return error;
    for (const struct addrinfo *one = all; one && *count < room; one = one->ai_next) {
        if (one->ai_family != AF_INET && one->ai_family != AF_INET6)
            continue;
        struct tcp_address *address = &addresses[(*count)++];
        memset(address, 0, sizeof *address);
        memcpy(address, one->ai_addr, one->ai_addrlen < sizeof *address ? one->ai_addrlen : sizeof *address);
        tcp_address_set_port(address, port);
    }
    freeaddrinfo(all);
    return *count ? 0 : EAI_NONAME;
}

/* In words of our own where C libraries have other words each. */
static const char *why_not_found(int error)
{
    switch (error) {
    case EAI_NONAME:
        return "no address is known for this name";
    case EAI_AGAIN:
        return "the name server does not answer";
    case EAI_SYSTEM:
        return strerror(errno);
    default:
        return gai_strerror(error);
    }
}

size_t tcp_resolve(const char *host, uint16_t port, struct tcp_address *addresses, size_t room, const char **problem)
{
    size_t count;
    int error = look_up(host, port, 0, addresses, room, &count);
    if (error)
        *problem = why_not_found(error);
    return count;
}

static int read_port(const char *text, uint16_t *port)
{
    unsigned number = 0;
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 5 || text[length] != '\0')
        return -1;
    for (size_t i = 0; i < length; i++)
        number = number * 10 + (unsigned)(text[i] - '0');
    *port = (uint16_t)number;
    return number > UINT16_MAX ? -1 : 0;
}

int tcp_address_parse(struct tcp_address *address, const char *text, uint16_t port)
{
    char host[HOST_MAX];
    const char *from = text, *colon = strrchr(text, ':'), *bracket = strrchr(text, ']');
    size_t length = strlen(text), count;
    if (text[0] == '[') {
        if (!bracket || (bracket[1] != '\0' && bracket + 1 != colon))
            return -1;
        from = text + 1;
        length = (size_t)(bracket - from);
    } else if (colon && colon == strchr(text, ':'))
        length = (size_t)(colon - text);
    else
        colon = NULL;
    if (length == 0 || length >= sizeof host || (colon > bracket && read_port(colon + 1, &port) != 0))
        return -1;
    memcpy(host, from, length);
    host[length] = '\0';
    return look_up(host, port, AI_NUMERICHOST, address, 1, &count) == 0 ? 0 : -1;
}

int tcp_local_address(int fd, struct tcp_address *address)
{
    socklen_t length = sizeof *address;
    memset(address, 0, sizeof *address);
    return getsockname(fd, (struct sockaddr *)(void *)address, &length);
}

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

static void set_option(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof value);
}

/* All of these are wishes: a connection works without. */
static void set_options(int fd)
{
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_BETWEEN);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES);
    set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
    set_option(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
}

static int fail(int fd)
{
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int tcp_connect(const struct tcp_address *address)
{
    int fd = socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_options(fd);
    if (connect(fd, plain(address), length_of(address)) == 0 || errno == EINPROGRESS || errno == EINTR)
        return fd;
    return fail(fd);
}

int tcp_connect_outcome(int fd)
{
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

int tcp_listen(const struct tcp_address *address)
{
    int fd = socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (address->family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(fd, plain(address), length_of(address)) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    return fail(fd);
}

int tcp_accept(int fd, struct tcp_address *peer)
{
    socklen_t length = sizeof *peer;
    memset(peer, 0, sizeof *peer);
    int connection = accept4(fd, (struct sockaddr *)(void *)peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection >= 0)
        set_options(connection);
    return connection;
}

static int64_t time_told(struct msghdr *message)
{
    struct timespec time;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&time, CMSG_DATA(part), sizeof time);
        if (time.tv_sec > 0)
            return time.tv_sec * SECOND + time.tv_nsec;
    }
    return tcp_clock();
}

ssize_t tcp_receive(int fd, void *to, size_t room, int64_t *time)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec into = {to, room};
    struct msghdr message = {
        .msg_iov = &into, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t length = recvmsg(fd, &message, 0);
    if (length >= 0)
        *time = time_told(&message);
    return length;
}

/* Segments sent so far, acknowledgements too; 0 where the kernel does not count. */
static uint32_t segments_sent(int fd)
{
    struct tcp_info info = {.tcpi_segs_out = 0};
    socklen_t length = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info.tcpi_segs_out : 0;
}

void tcp_acknowledge(int fd, struct tcp_acknowledging *by)
{
    unsigned read = by->reads++;
    bool is_trial = read >= BEFORE_TRIAL && read < BEFORE_TRIAL + TRIAL;
    if (by->reads == ROUND)
        *by = (struct tcp_acknowledging){.reads = 0};
    else if (is_trial && read > BEFORE_TRIAL && segments_sent(fd) != by->sent)
        by->alone++;
    if (read >= BEFORE_TRIAL + TRIAL && by->alone == TRIAL - 1)
        return;
    set_option(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
    if (is_trial)
        by->sent = segments_sent(fd);
}

ssize_t tcp_send(int fd, const void *bytes, size_t length)
{
    return send(fd, bytes, length, MSG_NOSIGNAL);
}

void tcp_limit_unacknowledged(int fd, int64_t time)
{
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)(time / 1000000));
}

void tcp_limit_unsent(int fd, size_t bytes)
{
    set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, (int)bytes);
}

size_t tcp_unacknowledged(int fd)
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

bool tcp_has_ended(int fd)
{
    const struct timespec at_once = {.tv_sec = 0};
    struct pollfd wanted = {.fd = fd, .events = POLLRDHUP};
    return ppoll(&wanted, 1, &at_once, NULL) > 0;
}

void tcp_finish(int fd)
{
    shutdown(fd, SHUT_WR);
}

void tcp_close(int fd, bool reset)
{
    const struct linger none = {.l_onoff = 1};
    if (reset)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(fd);
}
