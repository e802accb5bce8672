/* A robot as the user names it: rtde://HOST[:PORT] or realtime://HOST[:PORT]. */
#ifndef INPUT_ROBOT_ADDRESS_H
#define INPUT_ROBOT_ADDRESS_H

#include "armtap.h"
#include "tcp_socket.h"

#define ROBOT_ADDRESSES 8
#define ROBOT_HOST_MAX 256

struct robot_address {
    const char *url; /* as given; must outlive this */
    enum armtap_protocol protocol;
    char host[ROBOT_HOST_MAX];
    uint16_t port;
    struct tcp_address addresses[ROBOT_ADDRESSES]; /* of the host, in the order to try */
    size_t count;
};

/* Whether a word of the command line names a robot: it contains "://". */
bool robot_address_is(const char *word);
/* Reads the URL. 0, or -1 after a message. */
int robot_address_parse(struct robot_address *robot, const char *url);
/* Looks the host up, which may take seconds. 0, or -1 after a message. */
int robot_address_resolve(struct robot_address *robot);

#endif
