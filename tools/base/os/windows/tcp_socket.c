#include "base/os/tcp_socket.h"

#include <errno.h>
#include <stdlib.h>

#include "base/os/system_address.h"
#include "nanoseconds.h"

#include <iphlpapi.h>
#include <mstcpip.h>

#include "errors.h"

#define BACKLOG 128
/* Keep-alive, ms: first probe after IDLE, then every BETWEEN; dead after PROBES without an answer, or where these
 * cannot be set, after the system's ten. */
#define KEEPALIVE_IDLE 5000
#define KEEPALIVE_BETWEEN 2000
#define KEEPALIVE_PROBES 3
#define FILETIME_UNIX_EPOCH INT64_C(116444736000000000) /* 100 ns */
#define NAME_MAX_BYTES 256
/* What headers of mingw lack. */
#ifndef TCP_KEEPCNT
#define TCP_KEEPCNT 16
#endif
#ifndef TCP_MAXRT
#define TCP_MAXRT 5
#endif
#ifndef SIO_TCP_SET_ACK_FREQUENCY
#define SIO_TCP_SET_ACK_FREQUENCY _WSAIOW(IOC_VENDOR, 23)
#endif
#ifndef SIO_TCP_INFO
#define SIO_TCP_INFO _WSAIORW(IOC_VENDOR, 39)
#endif
/* TCP_INFO_v0. */
struct info {
    ULONG state, mss;
    ULONG64 connected_ms;
    BOOLEAN timestamps;
    ULONG rtt, least_rtt, in_flight, cwnd, send_window, window, buffer;
    ULONG64 out, in;
    ULONG reordered, sent_again, fast, duplicates, timeouts;
    UCHAR syns;
};

int64_t tcp_clock(void)
{
    FILETIME time;
    GetSystemTimePreciseAsFileTime(&time);
    return ((int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) - FILETIME_UNIX_EPOCH) * 100;
}

int tcp_local_address(int fd, struct tcp_address *address)
{
    struct sockaddr_storage own;
    int length = sizeof own;
    *address = (struct tcp_address){.version = 0};
    if (getsockname((SOCKET)fd, (struct sockaddr *)&own, &length) != 0)
        return errors_set();
    *address = tcp_address_of(&own);
    return 0;
}

/* Npcap has a device of its own for what does not leave the machine. */
static void take_adapter(const IP_ADAPTER_ADDRESSES *adapter,
                         void (*take)(void *user, const char *name, const char *driver), void *user)
{
    char name[NAME_MAX_BYTES];
    if (WideCharToMultiByte(CP_UTF8, 0, adapter->FriendlyName, -1, name, sizeof name, NULL, NULL) > 0)
        take(user, name, adapter->IfType == IF_TYPE_SOFTWARE_LOOPBACK ? "Loopback" : adapter->AdapterName);
}

void interfaces_each(void (*take)(void *user, const char *name, const char *driver), void *user)
{
    const ULONG leave_out =
        GAA_FLAG_SKIP_UNICAST | GAA_FLAG_SKIP_ANYCAST | GAA_FLAG_SKIP_MULTICAST | GAA_FLAG_SKIP_DNS_SERVER;
    ULONG size = 0;
    IP_ADAPTER_ADDRESSES *all = NULL;
    if (GetAdaptersAddresses(AF_UNSPEC, leave_out, NULL, NULL, &size) == ERROR_BUFFER_OVERFLOW)
        all = malloc(size);
    if (all && GetAdaptersAddresses(AF_UNSPEC, leave_out, NULL, all, &size) == 0)
        for (const IP_ADAPTER_ADDRESSES *one = all; one; one = one->Next)
            take_adapter(one, take, user);
    free(all);
}

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

static void set_option(SOCKET socket, int level, int option, int value)
{
    setsockopt(socket, level, option, (const char *)&value, sizeof value);
}

/* All but the first of these are wishes: a connection works without. */
static void set_options(SOCKET socket)
{
    const struct tcp_keepalive keepalive = {1, KEEPALIVE_IDLE, KEEPALIVE_BETWEEN};
    int each = 1;
    DWORD length;
    u_long is_nonblocking = 1;
    ioctlsocket(socket, (long)FIONBIO, &is_nonblocking);
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    WSAIoctl(socket, SIO_KEEPALIVE_VALS, (void *)(uintptr_t)&keepalive, sizeof keepalive, NULL, 0, &length, NULL, NULL);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES);
    WSAIoctl(socket, SIO_TCP_SET_ACK_FREQUENCY, &each, sizeof each, NULL, 0, &length, NULL, NULL);
}

static int fail(SOCKET socket)
{
    errors_set();
    closesocket(socket);
    return -1;
}

static SOCKET open_socket(int family)
{
    sockets_begin();
    SOCKET opened = WSASocketW(family, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (opened != INVALID_SOCKET)
        set_options(opened);
    return opened;
}

int tcp_connect(const struct tcp_address *address)
{
    struct sockaddr_storage there;
    int length = tcp_address_for_system(address, &there);
    SOCKET opened = open_socket(there.ss_family);
    if (opened == INVALID_SOCKET)
        return errors_set();
    if (connect(opened, (struct sockaddr *)&there, length) == 0 || WSAGetLastError() == WSAEWOULDBLOCK)
        return (int)opened;
    return fail(opened);
}

int tcp_connect_outcome(int fd)
{
    int error = 0, length = sizeof error;
    if (getsockopt((SOCKET)fd, SOL_SOCKET, SO_ERROR, (char *)&error, &length) != 0)
        error = WSAGetLastError();
    return error ? errors_number((unsigned long)error) : 0;
}

/* Nobody else may take the port, as it is elsewhere without asking. */
int tcp_listen(const struct tcp_address *address)
{
    struct sockaddr_storage here;
    int length = tcp_address_for_system(address, &here);
    SOCKET opened = open_socket(here.ss_family);
    if (opened == INVALID_SOCKET)
        return errors_set();
    set_option(opened, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
    if (here.ss_family == AF_INET6)
        set_option(opened, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(opened, (struct sockaddr *)&here, length) == 0 && listen(opened, BACKLOG) == 0)
        return (int)opened;
    fail(opened);
    errno = errno == EACCES ? EADDRINUSE : errno; /* another has it alone, or Windows keeps it for Hyper-V */
    return -1;
}

int tcp_accept(int fd, struct tcp_address *peer)
{
    struct sockaddr_storage there;
    int length = sizeof there;
    SOCKET connection = accept((SOCKET)fd, (struct sockaddr *)&there, &length);
    *peer = (struct tcp_address){.version = 0};
    if (connection == INVALID_SOCKET)
        return errors_set();
    SetHandleInformation((HANDLE)connection, HANDLE_FLAG_INHERIT, 0);
    *peer = tcp_address_of(&there);
    set_options(connection);
    return (int)connection;
}

static int at_most(size_t length)
{
    return length < INT32_MAX ? (int)length : INT32_MAX;
}

/* The kernel does not tell the time. */
ssize_t tcp_receive(int fd, void *to, size_t room, int64_t *time)
{
    int length = recv((SOCKET)fd, to, at_most(room), 0);
    if (length < 0)
        return errors_set();
    *time = tcp_clock();
    return length;
}

/* Each segment is acknowledged at once by an option of the connection. */
void tcp_acknowledge(int fd, struct tcp_acknowledging *by)
{
    (void)fd;
    (void)by;
}

ssize_t tcp_send(int fd, const void *bytes, size_t length)
{
    int sent = send((SOCKET)fd, bytes, at_most(length), 0);
    return sent < 0 ? errors_set() : sent;
}

void tcp_limit_unacknowledged(int fd, int64_t time)
{
    set_option((SOCKET)fd, IPPROTO_TCP, TCP_MAXRT, (int)((time + SECOND - 1) / SECOND));
}

/* Of all that was not acknowledged. */
void tcp_limit_unsent(int fd, size_t bytes)
{
    set_option((SOCKET)fd, SOL_SOCKET, SO_SNDBUF, at_most(bytes));
}

/* Of the bytes in the network; older systems do not count them. */
size_t tcp_unacknowledged(int fd)
{
    struct info info = {.in_flight = 0};
    DWORD version = 0, length;
    int outcome = WSAIoctl((SOCKET)fd, SIO_TCP_INFO, &version, sizeof version, &info, sizeof info, &length, NULL, NULL);
    return outcome == 0 ? info.in_flight : 0;
}

bool tcp_has_ended(int fd)
{
    WSAPOLLFD wanted = {.fd = (SOCKET)fd, .events = POLLRDNORM};
    char byte;
    if (WSAPoll(&wanted, 1, 0) <= 0)
        return false;
    return wanted.revents & (POLLHUP | POLLERR) || recv((SOCKET)fd, &byte, 1, MSG_PEEK) == 0;
}

void tcp_finish(int fd)
{
    shutdown((SOCKET)fd, SD_SEND);
}

void tcp_close(int fd, bool reset)
{
    const struct linger none = {.l_onoff = 1};
    if (reset)
        setsockopt((SOCKET)fd, SOL_SOCKET, SO_LINGER, (const char *)&none, sizeof none);
    closesocket((SOCKET)fd);
}
