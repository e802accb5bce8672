/* The interface that decoders implement, and what a connection does for them.
 *
 * A decoder is a table of functions over a context of its own, one context a connection. The connection cuts the byte
 * stream into frames with `frame`, finds its way back with `follows`, and hands whole frames to `decode`; the decoder
 * turns a frame into records, recipes, texts and notes through the calls below. Every function that returns int returns
 * 0 or an error of the API, which stops the push. */
#ifndef ARMTAP_DECODER_H
#define ARMTAP_DECODER_H

#include "armtap.h"
#include "budget.h"
#include "note.h"
#include "rest.h"
#include "robot.h"

struct armtap_frame {
    enum armtap_direction direction;
    const uint8_t *bytes;
    size_t length;
    uint64_t offset; /* in its direction's stream */
    struct armtap_where where;
};

enum armtap_fit {
    ARMTAP_FIT_NO,
    ARMTAP_FIT_MORE,  /* cannot be told from so few bytes */
    ARMTAP_FIT_MAYBE, /* others look like it, too */
    ARMTAP_FIT_YES,
    ARMTAP_FIT_WELL /* nothing else would look like this */
};

/* Who says that a connection is of a decoder's protocol. */
enum armtap_told { ARMTAP_TOLD_BY_NOBODY, ARMTAP_TOLD_BY_PORT, ARMTAP_TOLD_BY_USER };

/* Bytes of a direction whose protocol is not known. */
struct armtap_sight {
    const uint8_t *bytes;
    size_t length;
    bool whole; /* none follow */
    enum armtap_told told;
    size_t *work; /* `shows` adds the bytes that it looked at beyond a header, more often where it did so more often */
};

struct armtap_decoder {
    const char *name;
    enum armtap_protocol protocol;
    const uint16_t *ports; /* ends with 0 */
    size_t context_size;   /* zeroed before `open` */
    bool common;           /* other protocols look like it: what begins like it is its own on its ports only */
    size_t usual;          /* bytes of the longest frame that is documented; 0 where any is as good */
    int (*open)(void *context);
    void (*close)(void *context);
    /* A direction was captured from its first byte on: a message begins there. May be NULL. */
    void (*starts)(void *context, enum armtap_direction direction);
    /* A search found that a frame begins with the next byte of a direction. May be NULL. */
    void (*found)(void *context, enum armtap_direction direction);
    /* Length of the frame that begins at `bytes`; 0: more bytes are needed; -1: no frame begins here. `context` is NULL
     * while the protocol of the connection is not known yet. */
    long (*frame)(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length);
    /* Where a search goes on that found no frame at bytes[at]: the first place behind it where one may begin, `length`
     * where none may. Only places are passed over where `frame` says -1, or that fail as bytes[at] did. May be NULL:
     * one may begin anywhere. */
    size_t (*next)(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                   size_t at);
    /* Whether a whole frame is beyond doubt by itself; otherwise a frame must follow that `follows` accepts. */
    bool (*sure)(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length);
    /* How well `next`, of which `available` bytes are here (maybe none), goes with the frame before it; WELL where that
     * holds whatever comes. */
    enum armtap_fit (*follows)(const void *context, enum armtap_direction direction, const uint8_t *frame,
                               size_t length, const uint8_t *next, size_t available);
    /* How well a connection whose first bytes in this direction these are would be ours: MAYBE where the user says so,
     * YES where the port says so too, WELL on any port. */
    enum armtap_fit (*begins)(enum armtap_direction direction, const uint8_t *bytes, size_t length);
    /* How much the frames that begin at the first byte, anywhere in a connection of which nothing is known yet, speak
     * for this protocol: NO where they break off before there is enough evidence, MORE while they fit, YES where
     * nothing that fits WELL begins within the first of them. *need becomes the bytes with which MORE can be decided
     * further. The answer never depends on how many bytes beyond those are there. */
    enum armtap_fit (*shows)(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);
    int (*decode)(void *context, struct armtap_conn *conn, const struct armtap_frame *frame);
    /* The rest of a direction that ended within a frame; 1 where it is worth nothing. May be NULL. */
    int (*rest)(void *context, struct armtap_conn *conn, const struct armtap_frame *frame);
    /* Messages of a direction are out of step at `here`, which holds no bytes: bytes are missing (`gap`), or no message
     * begins where one should. May be NULL. */
    int (*lost)(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap);
    /* A direction ended: nothing that was waited for will come. May be NULL. */
    int (*ends)(void *context, struct armtap_conn *conn, enum armtap_direction direction);
    /* What a connection is whose first bytes are these and that no decoder takes, where this one's vendor is known to
     * speak it: a few words; NULL otherwise. May be NULL. */
    const char *(*stranger)(const uint8_t *bytes, size_t length);
};

/* The decoders built in, by number; NULL beyond the last. */
const struct armtap_decoder *armtap_decoder_at(size_t i);
const struct armtap_decoder *armtap_decoder_for(enum armtap_protocol protocol);

/* ---- what a connection does for a decoder ---- */

struct armtap_data {
    const struct armtap_recipe *recipe; /* NULL: opaque */
    int recipe_id;
    int version;
    unsigned flags; /* enum armtap_record_flag; the connection adds AFTER_GAP */
    const uint8_t *values;
    size_t values_length;
    const uint8_t *clock; /* of opaque data: the double that was found to be the controller's clock; or NULL */
};
/* A record: decodes its values into the direction's state and hands it to the sink. */
int armtap_conn_record(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data);
int armtap_conn_properties(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data);
/* Data of `direction` follows this recipe from now on. */
int armtap_conn_recipe(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_direction direction,
                       int recipe_id, double frequency, unsigned flags, const struct armtap_recipe *recipe);
/* A set-up that was refused in part; `setup` lacks stream and where. Nobody may listen: ask first. */
bool armtap_conn_hears_refusals(const struct armtap_conn *conn);
int armtap_conn_refused(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_refused_setup *setup);
/* The same for data from the robot whose recipe was guessed, and why. */
int armtap_conn_guessed_recipe(struct armtap_conn *conn, const struct armtap_frame *frame, int recipe_id,
                               const struct armtap_recipe *recipe, const struct armtap_guess_evidence *evidence);
/* The well-known recipes that data from the robot without names may follow. */
int armtap_conn_candidates(struct armtap_conn *conn, const struct armtap_frame *frame,
                           const struct armtap_known_recipe *const *recipes, size_t count);
int armtap_conn_text(struct armtap_conn *conn, const struct armtap_frame *frame, int level,
                     const struct armtap_rtde_package *package);
int armtap_conn_signal(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_event_type type);
/* Data of `direction` was stopped on one of several channels. */
int armtap_conn_pause(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_direction direction,
                      int channel);
/* What the frame at hand brings to its end, where that is not its bytes as they are; valid until the next frame is
 * decoded. */
void armtap_conn_content(struct armtap_conn *conn, const uint8_t *content, size_t length);
/* A note about a frame; the format is that of armtap_line_format. */
int armtap_conn_say(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_note_code code,
                    const char *format, ...);
/* Facts that the decoder found out: the newest version, and the controller's. */
void armtap_conn_version(struct armtap_conn *conn, int version, enum armtap_generation generation);
void armtap_conn_controller(struct armtap_conn *conn, const char *version);
/* The release of the controller, as this connection or another one of its robot showed it; "" while none has. */
const char *armtap_conn_release(struct armtap_conn *conn);
/* Output recipes that handshakes of the same robot showed, newest first; NULL beyond the last. */
const struct armtap_learned *armtap_conn_learned(const struct armtap_conn *conn, size_t i);
int armtap_conn_teach(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                      int protocol, int recipe_id);
/* What is known of the recipe of a connection without a handshake; from an earlier pass, if there was one. */
int armtap_conn_guess(struct armtap_conn *conn, struct armtap_guess **guess);
/* Makes room for a sample of data packages of that length. Without room to spare it stays NULL. */
int armtap_conn_sample(struct armtap_conn *conn, struct armtap_guess *guess, size_t length);
/* Whether data without a handshake may get names: the user wants it, and gave no recipe. */
bool armtap_conn_may_guess(const struct armtap_conn *conn);
/* The recipe that the user gave for data without a handshake; NULL where there is none of this protocol. */
const struct armtap_recipe *armtap_conn_given_recipe(const struct armtap_conn *conn);
/* All that the decoder holds in memory beyond its context: it counts for the pool of what waits. */
void armtap_conn_claim(struct armtap_conn *conn, size_t bytes);

/* Takes `amount` of one of the connection's budgets. Where it is spent, `has` becomes false, the note is given, and
 * what the table says is to be cut. */
int armtap_conn_spend(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_budget_code code,
                      uint64_t amount, bool *has);
/* What is left of one of its budgets. */
uint64_t armtap_conn_left(const struct armtap_conn *conn, enum armtap_budget_code code);
/* Whether what the decoder keeps may grow by so many bytes; where it may not, the note is given. */
int armtap_conn_may_keep(struct armtap_conn *conn, const struct armtap_frame *frame, size_t bytes, bool *may);
/* A limit of the table was reached: gives the note, once. */
/* Whether its earlier part was given up, and with it the set-up. */
enum armtap_rest armtap_conn_rest(const struct armtap_conn *conn);
int armtap_conn_limit(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_budget_code code);

#endif
