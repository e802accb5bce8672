/* A capture built of operations, so that a fuzzer changes conversations instead of bytes. An input is a row of
 * operations of six bytes; scene.c executes them, packets.c writes the packets, messages.c their payload. */
#ifndef FUZZ_SCENE_H
#define FUZZ_SCENE_H

#include "target.h"

#define SCENE_CONNECTIONS 8
#define SCENE_CAPTURE_MAX (64u * 1024)
#define SCENE_MESSAGE_MAX (128u * 1024)

/* Bytes to append to; what no longer fits is dropped. */
struct bytes {
    uint8_t *at;
    size_t used, room;
};
void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_number(struct bytes *bytes, uint64_t number, unsigned width); /* big-endian */
__attribute__((format(printf, 2, 3))) void bytes_text(struct bytes *bytes, const char *format, ...);

/* One TCP connection; [0] is the robot's side, [1] the client's, as in enum armtap_direction. */
struct talk {
    uint32_t sequence[2];
    uint16_t port[2];
    uint8_t host; /* last byte of the robot's address */
    bool opened;
    bool is_text;       /* AUBO's JSON was sent on it */
    bool is_deflated;   /* messages in such frames were sent on it */
    bool is_expected;   /* AUBO's JSON belongs here: its port, captured from the beginning, nothing else sent before */
    bool is_web;        /* messages go in WebSocket frames */
    unsigned spoken;    /* a bit for each protocol that was sent on it: RTDE, legacy, AUBO */
    unsigned version;   /* of RTDE */
    size_t recipe_size; /* of the last set-up reply */
};

/* The operations; many and size are exponents, one byte covers 0 to 50,000. */
enum scene_kind {
    SCENE_OPEN,     /* kind: protocol; value: RTDE's version, whether the handshake was captured */
    SCENE_REQUEST,  /* set-up of `many` names; kind: which names, bit 7: inputs */
    SCENE_REPLY,    /* `many` types; kind: which types, bit 7: inputs; value: recipe id */
    SCENE_START,    /* START or PAUSE and its reply */
    SCENE_DATA,     /* `many` packages of `size`, 0: the recipe's; kind: contents, bit 7: of the client, bit 6: a packet
                       each, bit 5: every other one is longer */
    SCENE_REALTIME, /* `many` legacy packets; kind: their size; value: contents */
    SCENE_TEXT,     /* `many` text messages of `size` bytes */
    SCENE_SUBSCRIBE, /* AUBO's set-up of `many` topics on channel `value`; kind: names, bit 7: to the server */
    SCENE_VALUES, /* `many` AUBO messages of `size` values; kind: what they are, bit 7: deflated where it is the web */
    SCENE_RAW,    /* `many` times `size` bytes */
    SCENE_HOLE,   /* bytes that were not captured */
    SCENE_AGAIN,  /* the last packet, `many` times */
    SCENE_CLOSE,  /* FIN or RST */
    SCENE_CROWD,  /* `many` connections; kind: how far they get */
    SCENE_WAIT,   /* time goes by */
    SCENE_LOOP,   /* the last `value` operations, `many` times */
    SCENE_KINDS
};

struct scene {
    struct bytes capture; /* a pcap file, Ethernet */
    struct talk talks[SCENE_CONNECTIONS];
    uint64_t microseconds;
    uint16_t next_port;
    size_t text_bytes;                 /* of packets of connections that are text */
    size_t deflated_bytes;             /* of those, of connections with deflated frames */
    size_t searched_bytes;             /* of those, where a search has to find that they are JSON */
    size_t mixed_bytes;                /* of packets that are no text, of connections of more than one protocol */
    size_t last_packet;                /* its offset in the capture */
    unsigned round;                    /* of a loop: names and numbers differ by it */
    size_t messages;                   /* that were sent, and packets */
    size_t steps;                      /* operations done, rounds of loops included */
    size_t spoken;                     /* bytes of JSON made, before deflating */
    size_t bytes_by_kind[SCENE_KINDS]; /* of the capture, by the operation that made them */
    struct bytes message;
};

#define SCENE_OPERATION 6
struct operation {
    uint8_t what, where, many, size, kind, value;
};

void scene_begin(struct scene *scene);
/* The rows of operations of an input; ends early when the capture is full. */
void scene_play(struct scene *scene, const uint8_t *operations, size_t length);
void free_scene(struct scene *scene);
/* What most of the capture consists of. */
enum scene_kind scene_mostly(const struct scene *scene);

/* ---- change.c ---- */

/* Changes a row of operations: inserts, repeats, removes, moves, widens or alters some of them. Returns the new length.
 */
size_t scene_mutate(uint8_t *operations, size_t length, size_t room, unsigned seed);
/* Writes the front of one row and the back of another to `to`. Returns its length. */
size_t scene_cross(const struct input *one, const struct input *other, uint8_t *to, size_t room, unsigned seed);

/* ---- packets.c ---- */

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PUSH = 8, TCP_ACK = 16 };

bool scene_is_full(const struct scene *scene);
void scene_packet(struct scene *scene, struct talk *talk, unsigned side, unsigned flags, const void *bytes,
                  size_t length);
/* Sends it in segments as large as Ethernet allows. */
void scene_send(struct scene *scene, struct talk *talk, unsigned side, const void *bytes, size_t length);
/* Repeats the last packet unchanged. */
void scene_repeat(struct scene *scene);
void scene_handshake(struct scene *scene, struct talk *talk);

/* ---- messages.c: each is appended ---- */

void rtde_package(struct bytes *out, char kind, const void *body, size_t length);
void rtde_request(struct bytes *out, const struct operation *operation, const struct talk *talk, unsigned round);
/* Returns the bytes of a data package of these types. */
size_t rtde_reply(struct bytes *out, const struct operation *operation, const struct talk *talk);
void rtde_data(struct bytes *out, const struct operation *operation, const struct talk *talk, unsigned number);
void realtime_packet(struct bytes *out, const struct operation *operation, unsigned number);
void aubo_subscription(struct bytes *out, const struct operation *operation, unsigned round);
void aubo_values(struct bytes *out, const struct operation *operation);
void web_frame(struct bytes *out, const void *message, size_t length, bool masked, bool deflated);
extern const char web_request[], web_answer[];

/* 0 to 15, then in steps of an eighth or less up to 50,000. */
size_t scene_count(uint8_t exponent);

#endif
