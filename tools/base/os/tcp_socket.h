/* TCP sockets that never block, and their addresses. */
#ifndef BASE_OS_TCP_SOCKET_H
#define BASE_OS_TCP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* An IPv4 or IPv6 address and port. */
struct tcp_address {
    uint8_t version;  /* 4 or 6; 0: none */
    uint8_t host[16]; /* as on the wire; IPv4: the first four */
    uint16_t port;
    uint32_t scope; /* of fe80::1%eth0: the interface's number; else 0 */
};

/* "10.0.0.2:30004", "[fd00::2]:30004", "[fe80::1%eth0]:30004" */
#define TCP_ADDRESS_MAX 96
void tcp_address_text(const struct tcp_address *address, char text[TCP_ADDRESS_MAX]);
/* Reads such a text, or only its host without brackets, with the port given here. Looks no name up. 0, or -1 if it is
 * no address. */
int tcp_address_parse(struct tcp_address *address, const char *text, uint16_t port);
uint16_t tcp_address_port(const struct tcp_address *address);
void tcp_address_set_port(struct tcp_address *address, uint16_t port);
bool tcp_address_is_loopback(const struct tcp_address *address);
/* Whether two addresses name one host; 10.0.0.2 and ::ffff:10.0.0.2 do. */
bool tcp_address_same_host(const struct tcp_address *one, const struct tcp_address *other);
/* Reads an address without port, scope and brackets, as `host` above. False: it is none of that version. */
bool ip_read(uint8_t host[16], const char *text, unsigned version);
#define IP_TEXT_MAX 46
void ip_write(char text[IP_TEXT_MAX], const uint8_t host[16], unsigned version);
/* Looks a host's name up, or reads its address without brackets. May take seconds: call it before a loop. Returns how
 * many addresses were stored, in the order to try, or 0 and why as text. */
size_t tcp_resolve(const char *host, uint16_t port, struct tcp_address *addresses, size_t room, const char **problem);
/* Of a connected or listening socket; -1 with errno. */
int tcp_local_address(int fd, struct tcp_address *address);

/* The network interfaces of this machine: what people call each, and what its driver does. */
void interfaces_each(void (*take)(void *user, const char *name, const char *driver), void *user);

/* ---- sockets: what fails returns -1 with errno ------------------------------------------------------------------- */

/* A connection sends at once (NODELAY), notices a peer that is gone (KEEPALIVE) and learns when its bytes came. */

/* Begins to connect; once the socket is writable, tcp_connect_outcome() tells whether it did. */
int tcp_connect(const struct tcp_address *address);
/* 0, or the error number. */
int tcp_connect_outcome(int fd);
/* Listens, port 0: on any that is free; an address of IPv6 takes no IPv4. */
int tcp_listen(const struct tcp_address *address);
int tcp_accept(int fd, struct tcp_address *peer);
/* Bytes read, 0 at the end. `time`: when the last of them reached this machine, by the kernel's clock (ns since the
 * epoch); the present time where the kernel does not tell. */
ssize_t tcp_receive(int fd, void *to, size_t room, int64_t *time);
/* What is known of how a connection acknowledges. All zeros at first, and again after each write to it: one that
 * answers is taken to answer again, and its acknowledgements wait for that. */
struct tcp_acknowledging {
    unsigned reads; /* of this round */
    unsigned alone; /* in a trial: those that the kernel had acknowledged unasked */
    uint32_t sent;
};
/* To be called after each read: acknowledges at once what was received, also if the kernel would wait for more; a
 * controller that waits for that acknowledgement sends in bursts otherwise. Recent kernels do so unasked, which a trial
 * finds out now and then; between trials these are not asked. */
void tcp_acknowledge(int fd, struct tcp_acknowledging *by);
ssize_t tcp_send(int fd, const void *bytes, size_t length);
/* The connection breaks when the peer acknowledges nothing of what was sent for that time, ns; by default the system
 * sends it again for minutes. */
void tcp_limit_unacknowledged(int fd, int64_t time);
/* The kernel takes no more while so many bytes were not sent yet; by default they may be megabytes. */
void tcp_limit_unsent(int fd, size_t bytes);
/* Bytes that were sent and that the peer has not acknowledged. */
size_t tcp_unacknowledged(int fd);
/* Whether the peer will send no more, though what it sent may not have been read yet. */
bool tcp_has_ended(int fd);
/* Nothing more will be sent: the peer reads an end. */
void tcp_finish(int fd);
/* With `reset`, the peer gets RST rather than FIN. */
void tcp_close(int fd, bool reset);

/* The present time, ns since the epoch. */
int64_t tcp_clock(void);

#endif
