/* The interface that decoders implement, and what a connection does for them.
 *
 * A decoder is a table of functions over its own context, one per connection. The connection cuts the byte stream into
 * frames with `frame`, resynchronises with `follows`, and passes whole frames to `decode`; the decoder turns a frame
 * into records, recipes, texts and notes through the calls below. Every function that returns int returns 0 or an error
 * of the API, which stops the push. */
#ifndef ARMTAP_DECODER_H
#define ARMTAP_DECODER_H

#include "armtap.h"
#include "budget.h"
#include "table/layout.h"
#include "fact.h"
#include "port.h"
#include "robot.h"

/* Bytes [from, to) of a direction's stream. */
struct armtap_hole {
    uint64_t from, to;
};

struct armtap_frame {
    enum armtap_direction direction;
    const uint8_t *bytes;
    size_t length;
    uint64_t offset; /* in its direction's stream */
    struct armtap_where where;
    unsigned reading; /* what `sure` just answered for it; 0: it was not asked, or not sure */
    /* What the snapshot length cut off: zeros stand there. Only in frames for which `cut` allows it; some may lie
     * outside the frame. */
    const struct armtap_hole *holes;
    size_t hole_count;
};

/* A frame without bytes. */
static inline struct armtap_frame armtap_place(enum armtap_direction direction, uint64_t offset,
                                               struct armtap_where where)
{
    return (struct armtap_frame){.direction = direction, .offset = offset, .where = where};
}

enum armtap_fit {
    ARMTAP_FIT_NO,
    ARMTAP_FIT_MORE,  /* too few bytes to decide */
    ARMTAP_FIT_MAYBE, /* other protocols look like this, too */
    ARMTAP_FIT_YES,
    ARMTAP_FIT_WELL /* no other protocol looks like this */
};

/* What indicates that a connection carries a decoder's protocol. */
enum armtap_hint { ARMTAP_HINT_NONE, ARMTAP_HINT_PORT, ARMTAP_HINT_USER };

/* Bytes of a direction whose protocol is unknown. */
struct armtap_sight {
    const uint8_t *bytes;
    size_t length;
    size_t before; /* bytes at hand in front of these */
    bool whole;    /* no more bytes follow */
    bool starts;   /* the direction was captured from this byte on, its first */
    enum armtap_hint hint;
    uint16_t port; /* on which one end of the connection listens; 0: not known */
    size_t *work;  /* `shows` adds the bytes that it examined beyond a header, once per examination */
};

struct armtap_pieces;

#define ARMTAP_HEAD_MOST 4 /* bytes of a head that `expects` puts */

/* Each comment says what NULL means; `frame` and `decode` must not be NULL. */
struct armtap_decoder {
    /* The public description of the protocol. Its number is an enumerator of armtap.h, or an unused number from 1000
     * on (1000 is that of tests/toy). */
    struct armtap_protocol_info info;
    size_t context_size; /* zeroed before `open`; at least 1 */
    bool common;         /* other protocols look like it, so it is recognised only on its own ports */
    size_t usual;        /* bytes of the longest documented frame; 0 if all lengths are equally likely */
    /* Prepare a context, and free what it holds. NULL: zeros are enough, nothing to free. */
    int (*open)(void *context);
    void (*close)(void *context);
    /* The port on which one end of the connection listens; 0: not known. After `open`. May be NULL. */
    void (*listens)(void *context, uint16_t port);
    /* A direction was captured from its first byte on: a message begins there. May be NULL. */
    void (*starts)(void *context, enum armtap_direction direction);
    /* A search found that a frame begins with the next byte of a direction. May be NULL. */
    void (*found)(void *context, enum armtap_direction direction);
    /* Length of the frame that begins at `bytes`; 0: more bytes are needed; -1: no frame begins here. `context` is NULL
     * while the protocol of the connection is not known yet. */
    long (*frame)(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length);
    /* Where a search continues that found no frame at bytes[at]: the next position where one may begin, or `length`. It
     * may only skip positions where `frame` returns -1, or that fail as bytes[at] did. May be NULL: a frame may begin
     * anywhere. */
    size_t (*next)(const void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                   size_t at);
    /* Not 0 if a whole frame is certain by itself; otherwise the next frame must be one that `follows` accepts. If
     * `decode` comes next it finds the answer in frame->reading. NULL: none is. */
    unsigned (*sure)(const void *context, enum armtap_direction direction, const uint8_t *frame, size_t length);
    /* How well `next`, of which `available` bytes have arrived (maybe none), fits the frame before it; WELL if that
     * holds whatever comes. `context` may be NULL where `shows` is. NULL: whatever `frame` accepts fits. */
    enum armtap_fit (*follows)(const void *context, enum armtap_direction direction, const uint8_t *frame,
                               size_t length, const uint8_t *next, size_t available);
    /* How well these first bytes of a direction fit this protocol: MAYBE is enough if the user says so, YES if the port
     * says so too, WELL on any port. NULL: MAYBE for a frame. */
    enum armtap_fit (*begins)(enum armtap_direction direction, const uint8_t *bytes, size_t length);
    /* The same for a client's first bytes on the port of another protocol: WELL if they are requests that only this one
     * takes. `whole`: no more follow. NULL: as `begins` says. */
    enum armtap_fit (*speaks)(const uint8_t *bytes, size_t length, bool whole);
    /* How strongly the frames that begin at the first byte, anywhere in an unknown connection, indicate this protocol:
     * NO if they break off before there is enough evidence, MORE while they fit, YES if nothing that fits WELL begins
     * within the first of them. *need becomes the number of bytes needed to decide further after MORE. The answer never
     * depends on how many bytes beyond those are there. NULL: a frame and what `follows` it are enough. */
    enum armtap_fit (*shows)(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);
    /* How many bytes of the beginning of a frame must be there so that it can be decoded though bytes behind them were
     * cut off; 0: all of them. `frame` NULL: not 0 if that may be said of any frame of the direction. NULL: all of
     * every frame. */
    size_t (*cut)(enum armtap_direction direction, const uint8_t *frame);
    /* What the head of the next frame must be if it is like the ones before: puts it, and returns the frame's length,
     * or 0 if that is not known. Asked where the head was cut off; the frame after it then proves the length. May be
     * NULL.
     */
    size_t (*expects)(const void *context, enum armtap_direction direction, uint8_t head[ARMTAP_HEAD_MOST],
                      size_t *head_length);
    /* Takes a whole frame. */
    int (*decode)(void *context, struct armtap_conn *conn, const struct armtap_frame *frame);
    /* Bytes that could not be told to be frames while more could follow are all that come: the context may now know
     * what they are. May be NULL. */
    void (*whole)(void *context, enum armtap_direction direction, const uint8_t *bytes, size_t length);
    /* The rest of a direction that ended within a frame; *used becomes false if it is useless. May be NULL. */
    int (*rest)(void *context, struct armtap_conn *conn, const struct armtap_frame *frame, bool *used);
    /* A direction lost sync at `here`, which holds no bytes: bytes are missing (`gap`), or no message begins where one
     * should. May be NULL. */
    int (*lost)(void *context, struct armtap_conn *conn, const struct armtap_frame *here, bool gap);
    /* A direction ended: nothing more will come. May be NULL. */
    int (*ends)(void *context, struct armtap_conn *conn, enum armtap_direction direction);
    /* Names, in a few words, what a connection with these first bytes is, if no decoder accepts it but this one's
     * vendor is known to use it; else NULL. May be NULL. */
    const char *(*stranger)(const uint8_t *bytes, size_t length);
    /* Whether data frames like the last one change nothing in the context that later frames depend on. NULL: they
     * never do. */
    bool (*steady)(const void *context);
    /* Describes a message piece by piece (describe.h); *kind names the message, after the protocol's title: "data
     * package". May be NULL: then only the values of its recipe are shown. */
    int (*describe)(struct armtap_pieces *pieces, const char **kind);
    /* What message begins with these bytes, if nothing else is known: sets what it can tell of the subject, as
     * armtap_identify says. MAYBE: other protocols look like this, too, or `doubt` says what speaks against it;
     * YES with a doubt: a message of this protocol, but damaged; `named`: the user says that it is this protocol. NO:
     * none begins here. May be NULL: `frame` and `begins` tell. */
    enum armtap_fit (*identify)(struct armtap_subject *subject, bool directed, bool named, struct armtap_line *doubt);
};

/* How many decoders there may be. */
#define ARMTAP_DECODERS_MAX 8

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
    bool is_alone;        /* data of its direction has no other recipe now: what this one lacks is no longer known */
    const uint8_t *clock; /* in opaque data: the double that turned out to be the controller's clock; or NULL */
};
/* A record: decodes its values into the direction's state and hands it to the sink. */
int armtap_conn_record(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data);
/* A frame with holes cannot be used after all: it counts as missing. */
int armtap_conn_unusable(struct armtap_conn *conn, const struct armtap_frame *frame);
int armtap_conn_properties(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_data *data);
/* Data of `direction` follows this recipe from now on. */
int armtap_conn_recipe(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_direction direction,
                       int recipe_id, double frequency, unsigned flags, const struct armtap_recipe *recipe);
/* Of the state of an arm, from 1 on, only these fields stay known: those of all recipes in force in that direction. For
 * decoders whose data is not alone, after a recipe was replaced or ended. */
void armtap_conn_keep_known(struct armtap_conn *conn, enum armtap_direction direction, unsigned arm,
                            const struct armtap_set *fields);
/* A partly refused set-up; leave stream and where of `setup` unset. First ask whether anyone listens. */
bool armtap_conn_hears_refusals(const struct armtap_conn *conn);
int armtap_conn_refused(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_refused_setup *setup);
/* The same for data from the robot whose recipe was guessed, and why. */
int armtap_conn_guessed_recipe(struct armtap_conn *conn, const struct armtap_frame *frame, int recipe_id,
                               const struct armtap_recipe *recipe, const struct armtap_guess_evidence *evidence);
/* The well-known recipes that data from the robot without names may follow. */
int armtap_conn_candidates(struct armtap_conn *conn, const struct armtap_frame *frame,
                           const struct armtap_known_recipe *const *recipes, size_t count);
/* A text for people; leave stream, where and direction unset. */
int armtap_conn_text(struct armtap_conn *conn, const struct armtap_frame *frame, struct armtap_text *text);
int armtap_conn_signal(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_event_type type);
/* Data of `direction` was stopped on one of several channels. */
int armtap_conn_pause(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_direction direction,
                      int channel);
/* The content that the current frame completes, if it differs from the frame's own bytes; valid until the next frame is
 * decoded. */
void armtap_conn_content(struct armtap_conn *conn, const uint8_t *content, size_t length);
/* A note about a frame. */
int armtap_conn_raise(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_note_code code,
                      const struct armtap_arguments *arguments);
/* Facts that the decoder learned: the newest version, and the controller's. */
void armtap_conn_version(struct armtap_conn *conn, int version, enum armtap_generation generation);
void armtap_conn_controller(struct armtap_conn *conn, const char *version);
/* The controller's release, as seen on this or another connection of its robot; "" if unknown. */
const char *armtap_conn_release(struct armtap_conn *conn);
/* Output recipes that handshakes of the same robot showed, newest first; NULL beyond the last. */
const struct armtap_learned *armtap_conn_learned(const struct armtap_conn *conn, size_t i);
int armtap_conn_teach(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                      int protocol, int recipe_id);
/* The recipe of a number, made unless another connection of the capture has asked for it; the caller releases it. */
int armtap_conn_layout(struct armtap_conn *conn, size_t number, armtap_layout_maker *make,
                       struct armtap_recipe **recipe);
/* The recipe that another connection of the capture made from the same text, for the caller to release, or NULL; and
 * keeps one for the next. Only for a recipe that follows from the text alone, and says all that there is to say. Who
 * stores a shared recipe counts among its users. */
struct armtap_recipe *armtap_conn_text_layout(struct armtap_conn *conn, const struct armtap_text_key *key);
int armtap_conn_keep_layout(struct armtap_conn *conn, const struct armtap_text_key *key, struct armtap_recipe *recipe);
/* What it shares with the other connections of its robot. */
struct armtap_robot *armtap_conn_shared(struct armtap_conn *conn);
/* What is known about the recipe of a connection without a handshake; from an earlier pass, if there was one. */
int armtap_conn_guess(struct armtap_conn *conn, struct armtap_guess **guess);
/* Makes room for a sample of data packages of that length. Without room to spare it stays NULL. */
int armtap_conn_sample(struct armtap_conn *conn, struct armtap_guess *guess, size_t length);
/* Whether data without a handshake may get guessed names: the user allows it and gave no recipe. */
bool armtap_conn_may_guess(const struct armtap_conn *conn);
/* The recipe that the user gave for data without a handshake; NULL if there is none for this protocol. */
const struct armtap_recipe *armtap_conn_given_recipe(const struct armtap_conn *conn);
/* Counts the decoder's memory besides its context towards the pool of waiting data. */
void armtap_conn_claim(struct armtap_conn *conn, size_t bytes);

/* Takes `amount` from one of the connection's budgets. When it is spent, `has` becomes false, the note is sent, and
 * what the table names must be cut. */
int armtap_conn_spend(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_budget_code code,
                      uint64_t amount, bool *has);
/* What is left of one of its budgets. */
uint64_t armtap_conn_left(const struct armtap_conn *conn, enum armtap_budget_code code);
/* Whether the decoder's memory may grow by that many bytes; if not, the note is sent. */
int armtap_conn_may_keep(struct armtap_conn *conn, const struct armtap_frame *frame, size_t bytes, bool *may);
/* Whether its earlier part was given up, and with it the set-up. */
enum armtap_rest armtap_conn_rest(const struct armtap_conn *conn);
/* A limit of the table was reached: sends the note, once. */
int armtap_conn_limit(struct armtap_conn *conn, const struct armtap_frame *frame, enum armtap_budget_code code);

#endif
