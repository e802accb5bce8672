/* Addresses as the system's sockets take them: for the files of this folder only. */
#ifndef BASE_SYSTEM_ADDRESS_H
#define BASE_SYSTEM_ADDRESS_H

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>

/* To be called before any function of the system's sockets; again does no harm. In wait.c. */
void sockets_begin(void);
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

static inline void sockets_begin(void)
{
}
#endif

#include "base/os/tcp_socket.h"

/* The length of what was written. */
socklen_t tcp_address_for_system(const struct tcp_address *address, struct sockaddr_storage *to);
/* All zeros if it is neither IPv4 nor IPv6. */
struct tcp_address tcp_address_of(const struct sockaddr_storage *from);

#endif
