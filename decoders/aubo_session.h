/* The state of an AUBO connection: a recipe for each channel and direction. */
#ifndef ARMTAP_AUBO_SESSION_H
#define ARMTAP_AUBO_SESSION_H

#include "table/cells.h"
#include "protocol/decoder.h"
#include "table/recipe.h"
#include "aubo_scan.h"
#include "aubo_values.h"
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

#endif
