/* Private to the RTDE server: a server, and a client of it. */
#ifndef SERVE_RTDE_PEER_H
#define SERVE_RTDE_PEER_H

#include "base/text/printf_format.h"
#include "servers.h"

#define RTDE_PACKAGE_MAX 65535u
#define RTDE_INPUTS_MAX 255u /* recipes */
#define RTDE_LINES_MAX 200u  /* printed for a client */

struct rtde_server {
    struct rtde_server_options options;
    const struct rtde_peer *holder[ARMTAP_FIELD_COUNT]; /* of each input */
    bool *is_written;                                   /* by index of a variable: `written` has its value */
    uint8_t *written;                                   /* an image */
};

/* An input recipe: what a client writes. */
struct input_field {
    const struct armtap_field *field;
    size_t offset, size;
};
struct input_recipe {
    size_t count, size;
    bool was_used;
    struct input_field fields[];
};

struct rtde_peer {
    struct rtde_server *server;
    struct peer_wish wish;
    unsigned lines;
    struct buffer pending; /* the beginning of a package */
    int protocol;
    const struct variable **outputs; /* in wire order */
    size_t output_count, output_size;
    bool has_outputs;
    struct field_watch watch; /* of the outputs */
    unsigned every;           /* ticks */
    bool is_started;
    bool has_begun;   /* data was sent since START */
    int64_t next_due; /* the time of the next tick to send */
    struct input_recipe *inputs[RTDE_INPUTS_MAX + 1];
};

void rtde_say(struct rtde_peer *peer, const char *format, ...) PRINTF_FORMAT(2, 3);
/* Appends a package; `package` lacks only direction and protocol. */
void rtde_send(const struct rtde_peer *peer, struct armtap_rtde_package *package, struct buffer *out);
bool rtde_is_listed(const struct rtde_names *names, const char *name, size_t length);

/* The requests O, I and the client's data. */
void rtde_set_up_outputs(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out);
void rtde_set_up_inputs(struct rtde_peer *peer, const struct armtap_rtde_package *request, struct buffer *out);
void rtde_take_inputs(struct rtde_peer *peer, const uint8_t *payload, size_t length);
/* Gives back what the client held. */
void rtde_release_inputs(struct rtde_peer *peer);

#endif
