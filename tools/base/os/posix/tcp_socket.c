#define _GNU_SOURCE /* accept4, SO_TIMESTAMPNS */
#include "base/os/tcp_socket.h"

#include <errno.h>
#include <linux/tcp.h> /* all of struct tcp_info, which <netinet/tcp.h> lacks */
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/os/system_address.h"
#include "nanoseconds.h"

#define BACKLOG 128
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

int tcp_local_address(int fd, struct tcp_address *address)
{
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    int outcome = getsockname(fd, (struct sockaddr *)&own, &length);
    *address = outcome == 0 ? tcp_address_of(&own) : (struct tcp_address){.version = 0};
    return outcome;
}

void interfaces_each(void (*take)(void *user, const char *name, const char *driver), void *user)
{
    struct if_nameindex *interfaces = if_nameindex();
    for (size_t i = 0; interfaces && interfaces[i].if_index != 0; i++)
        take(user, interfaces[i].if_name, interfaces[i].if_name);
    if (interfaces)
        if_freenameindex(interfaces);
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
    struct sockaddr_storage there;
    socklen_t length = tcp_address_for_system(address, &there);
    int fd = socket(there.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_options(fd);
    if (connect(fd, (struct sockaddr *)&there, length) == 0 || errno == EINPROGRESS || errno == EINTR)
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
    struct sockaddr_storage here;
    socklen_t length = tcp_address_for_system(address, &here);
    int fd = socket(here.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (here.ss_family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(fd, (struct sockaddr *)&here, length) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    return fail(fd);
}

int tcp_accept(int fd, struct tcp_address *peer)
{
    struct sockaddr_storage there;
    socklen_t length = sizeof there;
    int connection = accept4(fd, (struct sockaddr *)&there, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    *peer = connection >= 0 ? tcp_address_of(&there) : (struct tcp_address){.version = 0};
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
