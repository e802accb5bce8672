/* WebSocket (RFC 6455) with permessage-deflate (RFC 7692), read passively: the HTTP head, the length of a frame, and
 * messages reassembled from frames, one `struct armtap_websocket` for each direction. It does not interpret messages or
 * enforce masking: masked and plain frames are read from both sides. */
#ifndef ARMTAP_WEBSOCKET_H
#define ARMTAP_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The libraries that it uses, and their versions: a constant. */
const char *armtap_websocket_libraries(void);

/* ---- the HTTP head ---- */

#define ARMTAP_WEBSOCKET_HEAD_MAX 16384u /* bytes, the empty line included */

/* Length of the HTTP/1 head that begins at `bytes`, of a request or an answer with any status, up to and including the
 * empty line; 0: more bytes are needed; -1: none begins here. Lines end with CRLF, methods are capital letters. */
long armtap_websocket_http(const uint8_t *bytes, size_t length);

/* How far an incomplete head was read. All zero: not at all. */
struct armtap_websocket_progress {
    size_t line; /* where the last line begins */
    size_t text; /* bytes of it that were read */
};
/* The same for a head that was partly read before: reads only the new bytes. */
long armtap_websocket_http_on(const uint8_t *bytes, size_t length, struct armtap_websocket_progress *progress);

enum armtap_websocket_head_kind {
    ARMTAP_WEBSOCKET_REQUEST, /* asks for the upgrade */
    ARMTAP_WEBSOCKET_ANSWER,  /* grants it: status 101; frames follow */
    ARMTAP_WEBSOCKET_OTHER    /* HTTP that does not lead to a WebSocket, including a refusal */
};

struct armtap_websocket_head {
    enum armtap_websocket_head_kind kind;
    unsigned status; /* of an answer; 0: a request */
    bool deflate;    /* permessage-deflate is offered (request) or agreed upon (answer) */
};
/* Classifies a whole head; `length` as armtap_websocket_http returned it. */
void armtap_websocket_head_read(const uint8_t *bytes, size_t length, struct armtap_websocket_head *head);

/* ---- a frame ---- */

#define ARMTAP_WEBSOCKET_PAYLOAD_MAX (1u << 20) /* bytes of one frame; a header that announces more is not a frame */

/* Length of the frame that begins at `bytes`, header included, as soon as its length field is there (at most 10
 * bytes); 0: more bytes are needed; -1: none begins here. RSV1 is for armtap_websocket_take to judge. */
long armtap_websocket_frame(const uint8_t *bytes, size_t length);

/* Length of its header alone, as soon as the length field is there, and the payload length that it announces, however
 * large; 0: more bytes are needed; -1: none begins here. */
long armtap_websocket_header(const uint8_t *bytes, size_t length, uint64_t *payload);

/* ---- messages ---- */

enum armtap_websocket_event_kind {
    ARMTAP_WEBSOCKET_NOTHING, /* a fragment, or a discarded rest whose fault was already reported */
    ARMTAP_WEBSOCKET_MESSAGE,
    ARMTAP_WEBSOCKET_TOO_LONG, /* reported once, at the fragment that exceeds the limit */
    ARMTAP_WEBSOCKET_BAD,      /* `fault` says why; the message is dropped, the next one is read */
    ARMTAP_WEBSOCKET_PING,
    ARMTAP_WEBSOCKET_PONG,
    ARMTAP_WEBSOCKET_CLOSED,
    ARMTAP_WEBSOCKET_SPENT /* more was inflated than `allowed`: the direction cannot be read further */
};

#define ARMTAP_WEBSOCKET_NO_CODE 1005u

struct armtap_websocket_event {
    enum armtap_websocket_event_kind kind;
    const uint8_t *bytes; /* MESSAGE: its content; PING, PONG: theirs; CLOSED: the reason. A NUL follows them */
    size_t length;
    bool text;         /* of a MESSAGE: text, which is valid UTF-8, not binary */
    bool compressed;   /* of a MESSAGE, TOO_LONG, BAD: the message came compressed */
    unsigned code;     /* of CLOSED; NO_CODE if none was sent */
    const char *fault; /* of BAD: a few words, static */
};

#define ARMTAP_WEBSOCKET_INFLATER 45000u /* bytes: about what zlib takes to inflate a direction */

enum armtap_websocket_state {
    ARMTAP_WEBSOCKET_BETWEEN, /* between messages */
    ARMTAP_WEBSOCKET_WITHIN,
    ARMTAP_WEBSOCKET_OVERFLOWN, /* too long: not kept, but inflated, because later messages may refer to it */
    ARMTAP_WEBSOCKET_DROPPED    /* bad: the rest is discarded */
};

struct wslay_frame_context;
struct z_stream_s;

/* One direction. Frame reader and inflater point into it: it must stay where it is until it is freed. */
struct armtap_websocket {
    size_t limit;
    enum armtap_websocket_state state;
    bool text, compressed;
    bool ended;       /* the deflate stream ended with the last byte: no flush is missing */
    uint8_t *message; /* the message so far; scratch space if it is too long */
    size_t length, capacity;
    struct z_stream_s *inflater; /* NULL: nothing compressed was seen */
    size_t inflater_bytes;
    uint64_t inflated, allowed; /* bytes that came out of the inflater, and how many may */
    struct wslay_frame_context *reader;
    const uint8_t *source, *source_end; /* what the reader has not read */
    uint8_t control[126];               /* the last control frame, and a NUL */
    size_t control_length;
};

/* A message may be `limit` bytes long, inflated; at most ARMTAP_WEBSOCKET_PAYLOAD_MAX. To limit what is inflated in
 * total, set `allowed` before each frame; it is exceeded by at most one message. Allocates nothing. */
void armtap_websocket_init(struct armtap_websocket *websocket, size_t limit);
/* Takes one whole frame; `length` as armtap_websocket_frame returned it. What `event` points to is valid until the next
 * call. Returns 0; ERR_MEMORY: then all is freed, and the direction cannot be read further; ERR_ARGUMENT if the bytes
 * are not just one frame.
 *
 * A compressed message is inflated with the window of the earlier ones, whatever was negotiated: a sender that resets
 * it for each message does not refer to it. If one cannot be inflated, the window is emptied, and later messages that
 * refer to it are bad, too. */
int armtap_websocket_take(struct armtap_websocket *websocket, const uint8_t *frame, size_t length,
                          struct armtap_websocket_event *event);
/* Passes over a frame whose payload is longer than PAYLOAD_MAX, and so over its message: `header` is a whole one. The
 * next message is read again; if this one came compressed, those that refer to it are bad. */
void armtap_websocket_pass(struct armtap_websocket *websocket, const uint8_t *header);
/* Bytes allocated now. */
size_t armtap_websocket_held(const struct armtap_websocket *websocket);
/* Frees all memory and leaves it as after init. */
void armtap_websocket_free(struct armtap_websocket *websocket);

#endif
