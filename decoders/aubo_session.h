/* The state of an AUBO connection: a recipe for each channel and direction. */
#ifndef ARMTAP_AUBO_SESSION_H
#define ARMTAP_AUBO_SESSION_H

#include "protocol/decoder.h"
#include "table/recipe.h"
#include "aubo_text.h"
#include "websocket.h"

/* One channel of one direction. */
struct armtap_aubo_channel {
    struct armtap_recipe *recipe;
    struct armtap_recipe *previous; /* data in transit still follows this one; NULL once data follows `recipe` */
    int64_t begun_at;               /* capture time of the set-up */
    bool ended;                     /* by the client; data in transit may still arrive */
    int64_t ended_at;               /* capture time */
    bool missing_noted;             /* the note on its unknown recipe was given */
    bool count_noted;               /* the note on a wrong number of values was given; false again after a right one */
    bool has_messages;              /* the recipe has a topic of robot messages */
    uint32_t messages_seen;         /* digest of the last ones */
};

/* How a direction carries messages. */
enum armtap_aubo_form {
    ARMTAP_AUBO_UNKNOWN, /* nothing was read yet */
    ARMTAP_AUBO_RAW,
    ARMTAP_AUBO_WEB,   /* HTTP, then WebSocket frames */
    ARMTAP_AUBO_OPAQUE /* a WebSocket whose frames can no longer be found */
};

/* How far an incomplete message was read, so that later bytes do not make it be read again from its beginning. */
struct armtap_aubo_progress {
    size_t done; /* bytes; 0: none */
    struct armtap_aubo_scan scan;
    struct armtap_websocket_progress head; /* of an HTTP head */
    bool begun;                            /* a frame begins here; its end is not yet seen */
};

/* One direction. */
struct armtap_aubo_side {
    enum armtap_aubo_form form;
    bool in_step;                          /* the last message ended where this one begins */
    bool found;                            /* a search found a message at the next byte */
    bool failed;                           /* RAW: the last message was damaged: search for the next one */
    bool oversized;                        /* RAW: inside a message that is too long */
    struct armtap_aubo_scan scan;          /* the scanner's state in that message */
    struct armtap_aubo_progress *progress; /* in the next message; reset after each frame */
    struct armtap_websocket websocket;
    uint64_t oversized_left;              /* WEB: remaining bytes of a frame that is too long */
    struct armtap_aubo_channel *channels; /* up to the highest number seen */
    size_t channel_count;
};

struct armtap_aubo {
    struct armtap_aubo_side sides[2];
    struct armtap_aubo_progress progress[2];
    struct armtap_aubo_reader reader;
    struct armtap_cells cells;
    size_t recipe_bytes;   /* of all channels */
    bool compressed_noted; /* the note on messages that need uncaptured ones was given */
};
int armtap_aubo_open(void *context);
void armtap_aubo_close(void *context);

/* Decodes data of a channel that is set up, checking and converting it in one pass. False, and nothing was done, if it
 * is no JSON or has another number of values: then armtap_aubo_is_json and armtap_aubo_message decide. */
bool armtap_aubo_known_data(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                            const uint8_t *bytes, size_t length, int *error);
/* Decodes one message of armtap_aubo_is_json with that number of elements, at byte `offset` of the stream. It may lie
 * outside the frame. */
int armtap_aubo_message(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const struct armtap_json_token *message, size_t elements, uint64_t offset);
/* Notes what is wrong with a text whose brackets match, but which is not JSON. */
int armtap_aubo_say_not_json(struct armtap_conn *conn, const struct armtap_frame *frame, const uint8_t *bytes,
                             size_t length, uint64_t offset);
/* Notes that bytes are not a message. */
int armtap_aubo_say_bad(struct armtap_conn *conn, const struct armtap_frame *frame, const char *wrong, uint64_t offset);
int armtap_aubo_say_too_long(struct armtap_conn *conn, const struct armtap_frame *frame, uint64_t offset);

/* ---- aubo_robot_message.c: messages of controllers, the topics R1_message to R4_message, of type RobotMsg ---- */

/* Whether a recipe has such a topic. */
bool armtap_aubo_has_messages(const struct armtap_recipe *recipe);
/* Delivers the messages in a list of values as texts. `list` is the whole message, which begins with its channel. A
 * list of messages that came in the data before, by *seen, is not delivered again. ERR_MEMORY, or what the sink
 * returned. */
int armtap_aubo_robot_messages(struct armtap_aubo_reader *reader, struct armtap_conn *conn,
                               const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                               const struct armtap_json_token *list, uint32_t *seen);

/* ---- aubo_web.c: messages over a WebSocket: HTTP heads, then frames ---- */

#define ARMTAP_AUBO_COMPRESSED_FRAME 0xc1 /* first byte of a frame with a whole compressed text */

/* Whether bytes of an unknown form look like a WebSocket: a head, or a text frame with a message. MORE: more bytes are
 * needed to decide. */
enum armtap_aubo_end armtap_aubo_looks_like_web(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* Whether bytes begin like a head, as no frame does. */
bool armtap_aubo_web_is_head(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* Length of the head or frame that begins at `bytes`; 0: more bytes are needed; -1: none begins here. */
long armtap_aubo_web_frame(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* The same if the form is known. A frame that is too long is split: its header, then its payload piece by piece. */
long armtap_aubo_web_piece(const struct armtap_aubo_side *side, enum armtap_direction direction, const uint8_t *bytes,
                           size_t length);
/* Whether a whole text frame holds one message and nothing else; a set-up if `set_up`. */
bool armtap_aubo_web_holds(const uint8_t *frame, size_t length, bool set_up);
/* The same; sets the message's first number and the number of commas between its values. */
bool armtap_aubo_web_list(const uint8_t *frame, size_t length, bool set_up, unsigned *number, unsigned *commas);
/* Whether a frame, of which the header and one byte of payload are present, holds compressed text and is masked as its
 * direction requires. */
bool armtap_aubo_web_compressed(enum armtap_direction direction, const uint8_t *frame, size_t header);
/* Whether this is a head that opens a WebSocket. */
bool armtap_aubo_web_is_upgrade(enum armtap_direction direction, const uint8_t *bytes, size_t length);

int armtap_aubo_web_decode(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame);
/* Gives up the direction, with one note; without it if the stream just `ends` inside a frame. */
int armtap_aubo_web_lost(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *here, bool gap,
                         bool ends);

/* ---- aubo_sniff.c: AUBO's messages told from other JSON and other WebSockets on an unknown connection ---- */

/* As in struct armtap_decoder. */
enum armtap_fit armtap_aubo_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);
/* Whether consecutive frames of a compressed WebSocket are somewhere in these bytes. */
bool armtap_aubo_holds_compressed(const uint8_t *bytes, size_t length);

#endif
