/* Addresses of both systems: they have the same resolver. */
#define _GNU_SOURCE /* getaddrinfo's errors */
#include "base/os/system_address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HOST_MAX 256

/* ---- as the system has them -------------------------------------------------------------------------------------- */

socklen_t tcp_address_for_system(const struct tcp_address *address, struct sockaddr_storage *to)
{
    memset(to, 0, sizeof *to);
    if (address->version == 6) {
        struct sockaddr_in6 six = {
            .sin6_family = AF_INET6, .sin6_port = htons(address->port), .sin6_scope_id = address->scope};
        memcpy(&six.sin6_addr, address->host, sizeof six.sin6_addr);
        memcpy(to, &six, sizeof six);
        return sizeof six;
    }
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(address->port)};
    memcpy(&four.sin_addr, address->host, sizeof four.sin_addr);
    memcpy(to, &four, sizeof four);
    return sizeof four;
}

struct tcp_address tcp_address_of(const struct sockaddr_storage *from)
{
    struct tcp_address address = {.version = 0};
    if (from->ss_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, from, sizeof six);
        address = (struct tcp_address){.version = 6, .port = ntohs(six.sin6_port), .scope = six.sin6_scope_id};
        memcpy(address.host, &six.sin6_addr, sizeof six.sin6_addr);
    } else if (from->ss_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, from, sizeof four);
        address = (struct tcp_address){.version = 4, .port = ntohs(four.sin_port)};
        memcpy(address.host, &four.sin_addr, sizeof four.sin_addr);
    }
    return address;
}

/* ---- without the system ------------------------------------------------------------------------------------------ */

uint16_t tcp_address_port(const struct tcp_address *address)
{
    return address->port;
}

void tcp_address_set_port(struct tcp_address *address, uint16_t port)
{
    address->port = port;
}

bool tcp_address_is_loopback(const struct tcp_address *address)
{
    static const uint8_t six[16] = {[15] = 1};
    return address->version == 6 ? memcmp(address->host, six, sizeof six) == 0 : address->host[0] == 127;
}

/* As in IPv6. */
static void host_of(const struct tcp_address *address, uint8_t host[16])
{
    static const uint8_t mapped[16] = {[10] = 0xFF, [11] = 0xFF};
    memcpy(host, address->version == 6 ? address->host : mapped, 16);
    if (address->version != 6)
        memcpy(host + 12, address->host, 4);
}

bool tcp_address_same_host(const struct tcp_address *one, const struct tcp_address *other)
{
    uint8_t first[16], second[16];
    host_of(one, first);
    host_of(other, second);
    return memcmp(first, second, sizeof first) == 0;
}

/* ---- text and names ---------------------------------------------------------------------------------------------- */

bool ip_read(uint8_t host[16], const char *text, unsigned version)
{
    return inet_pton(version == 6 ? AF_INET6 : AF_INET, text, host) == 1;
}

void ip_write(char text[IP_TEXT_MAX], const uint8_t host[16], unsigned version)
{
    if (!inet_ntop(version == 6 ? AF_INET6 : AF_INET, host, text, IP_TEXT_MAX))
        text[0] = '\0';
}

void tcp_address_text(const struct tcp_address *address, char text[TCP_ADDRESS_MAX])
{
    char host[TCP_ADDRESS_MAX - 16] = "?";
    struct sockaddr_storage at;
    sockets_begin();
    socklen_t length = tcp_address_for_system(address, &at);
    getnameinfo((struct sockaddr *)&at, length, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    snprintf(text, TCP_ADDRESS_MAX, address->version == 6 ? "[%s]:%u" : "%s:%u", host, address->port);
}

/* Stores addresses of a host; returns 0 or getaddrinfo's error. */
static int look_up(const char *host, uint16_t port, int flags, struct tcp_address *addresses, size_t room,
                   size_t *count)
{
    const struct addrinfo hints = {.ai_flags = flags, .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    *count = 0;
    sockets_begin();
    int error = getaddrinfo(host, NULL, &hints, &all);
    if (error)
        return error;
    for (const struct addrinfo *one = all; one && *count < room; one = one->ai_next) {
        struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
        memcpy(&at, one->ai_addr, one->ai_addrlen < sizeof at ? (size_t)one->ai_addrlen : sizeof at);
        addresses[*count] = tcp_address_of(&at);
        addresses[*count].port = port;
        *count += addresses[*count].version != 0;
    }
    freeaddrinfo(all);
    return *count ? 0 : EAI_NONAME;
}

/* In words of our own where C libraries have other words each. */
static const char *why_not_found(int error)
{
    switch (error) {
    case EAI_NONAME:
#ifdef EAI_NODATA
    case EAI_NODATA:
#endif
        return "no address is known for this name";
    case EAI_AGAIN:
        return "the name server does not answer";
#ifdef EAI_SYSTEM
    case EAI_SYSTEM:
        return strerror(errno);
#endif
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
