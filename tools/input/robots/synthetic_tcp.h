/* The packets that a connection's bytes might have travelled in: IPv4 or IPv6 and TCP, without a link layer (link type
 * 101), with right checksums. Bytes that came from a socket so become a capture that every reader takes. */
#ifndef INPUT_SYNTHETIC_TCP_H
#define INPUT_SYNTHETIC_TCP_H

#include "armtap.h"
#include "base/os/tcp_socket.h"

#define SYNTHETIC_LINK_TYPE 101
/* Most bytes of a connection in one packet, and the longest packet (with headers of IPv6). */
#define SYNTHETIC_DATA_MAX 65495
#define SYNTHETIC_PACKET_MAX (SYNTHETIC_DATA_MAX + 60)

/* One connection. Members are private. */
struct synthetic_tcp {
    bool six;
    uint8_t address[2][16]; /* by the direction that this side sends in; IPv4: the first four bytes */
    uint16_t port[2];
    uint32_t next[2]; /* sequence number of the next byte, by direction */
    uint16_t number;  /* of the next IPv4 packet */
};

/* Takes a packet; other than 0 stops, and is returned by the function that made it. */
typedef int synthetic_take(void *user, int64_t time, const uint8_t *packet, size_t length);

/* If the addresses are of different families, both become IPv6, the one of IPv4 as ::ffff:10.0.0.2. */
void synthetic_tcp_begin(struct synthetic_tcp *tcp, const struct tcp_address *robot, const struct tcp_address *client);
/* SYN, SYN ACK and ACK. Sequence numbers begin as the time tells, so that a later connection on the same ports is
 * another one. */
int synthetic_tcp_open(struct synthetic_tcp *tcp, int64_t time, synthetic_take *take, void *user);
/* The same if the robot refused (SYN and RST), or did not answer (only SYN). */
int synthetic_tcp_refused(struct synthetic_tcp *tcp, int64_t time, synthetic_take *take, void *user);
int synthetic_tcp_unanswered(struct synthetic_tcp *tcp, int64_t time, synthetic_take *take, void *user);
/* As many packets as it takes. */
int synthetic_tcp_bytes(struct synthetic_tcp *tcp, enum armtap_direction direction, const void *bytes, size_t length,
                        int64_t time, synthetic_take *take, void *user);
/* That many bytes are not recorded. The other side acknowledges them, which tells a reader not to wait for them. */
int synthetic_tcp_skip(struct synthetic_tcp *tcp, enum armtap_direction direction, uint64_t length, int64_t time,
                       synthetic_take *take, void *user);
/* FIN, or RST, of the side that sends in this direction. */
int synthetic_tcp_close(struct synthetic_tcp *tcp, enum armtap_direction direction, bool reset, int64_t time,
                        synthetic_take *take, void *user);

/* Bytes that went in one direction. */
struct synthetic_part {
    enum armtap_direction direction;
    const uint8_t *bytes;
    size_t length;
};
/* Opens the connection again, for a file that begins in the middle of it: SYN, SYN ACK, ACK and these bytes, in
 * sequence numbers that end where the connection is now. */
int synthetic_tcp_repeat(struct synthetic_tcp *tcp, const struct synthetic_part *parts, size_t count, int64_t time,
                         synthetic_take *take, void *user);

#endif
