/* What an AUBO connection has agreed upon: a recipe for each channel and direction. */
#ifndef ARMTAP_AUBO_SESSION_H
#define ARMTAP_AUBO_SESSION_H

#include "../lib/cells.h"
#include "../lib/decoder.h"
#include "../lib/recipe.h"
#include "aubo_json.h"
#include "aubo_scan.h"
#include "websocket.h"

/* One channel of one direction. */
struct armtap_aubo_channel {
    struct armtap_recipe *recipe;
    struct armtap_recipe *previous; /* until data comes that follows `recipe`: what is under way follows this one */
    int64_t begun_at;               /* capture time of the set-up */
    bool ended;                     /* by the client; what was under way may still come */
    int64_t ended_at;               /* capture time */
    bool missing_noted;             /* that its recipe is not known */
    bool count_noted;               /* that its messages have another number of values, until one is right again */
};

/* How a direction carries messages. */
enum armtap_aubo_form {
    ARMTAP_AUBO_UNTOLD, /* nothing of it was read */
    ARMTAP_AUBO_RAW,
    ARMTAP_AUBO_WEB,   /* HTTP, then frames of a WebSocket */
    ARMTAP_AUBO_OPAQUE /* a WebSocket that lost its step */
};

/* How far the message at hand was read while it waits for its end, so that it is not read again from its beginning with
 * every byte. */
struct armtap_aubo_look {
    size_t done; /* bytes; 0: none */
    struct armtap_aubo_scan scan;
    struct armtap_websocket_progress head; /* where it is one of HTTP */
    bool begun;                            /* a frame begins here, though its end was not seen */
};

/* One direction. */
struct armtap_aubo_side {
    enum armtap_aubo_form form;
    bool in_step;                 /* the last message ended where this one begins */
    bool found;                   /* a search found that a message begins with the next byte */
    bool astray;                  /* RAW: what was read last went wrong here, so that the next one is to be searched */
    bool swallows;                /* RAW: in the middle of a message that is too long */
    struct armtap_aubo_scan scan; /* how far that is read */
    struct armtap_aubo_look
        *look; /* of what is at hand: used where a message begins with it, and forgotten with each frame */
    struct armtap_websocket websocket;
    uint64_t passes;                      /* WEB: bytes to come of a frame that is too long */
    struct armtap_aubo_channel *channels; /* up to the highest number that was seen */
    size_t channel_count;
};

struct armtap_aubo {
    struct armtap_aubo_side sides[2];
    struct armtap_aubo_look looks[2];
    struct armtap_aubo_reader reader;
    struct armtap_cells cells;
    size_t recipe_bytes; /* of all channels */
    bool packed_noted;   /* that messages refer to what was not captured */
};
int armtap_aubo_open(void *context);
void armtap_aubo_close(void *context);

/* One message that is JSON, of so many elements, at byte `offset` of the stream; it need not be part of the frame that
 * carries it. */
int armtap_aubo_message(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                        const uint8_t *bytes, size_t length, size_t elements, uint64_t offset);
/* The same of one that is none, though its brackets match: says what is wrong. */
int armtap_aubo_no_message(struct armtap_aubo *aubo, struct armtap_conn *conn, const struct armtap_frame *frame,
                           const uint8_t *text, size_t length, uint64_t offset);
/* A note that bytes are no message. */
int armtap_aubo_say_bad(struct armtap_conn *conn, const struct armtap_frame *frame, const char *wrong, uint64_t offset);
int armtap_aubo_say_too_long(struct armtap_conn *conn, const struct armtap_frame *frame, uint64_t offset);

#endif
