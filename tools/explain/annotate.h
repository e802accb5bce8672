/* A message taken apart into pieces that cover every byte of it, each with what it says. */
#ifndef EXPLAIN_ANNOTATE_H
#define EXPLAIN_ANNOTATE_H

#include "armtap.h"
#include "base/number_text.h"

#if defined(__GNUC__)
#define ANNOTATE_FORMAT __attribute__((format(printf, 2, 3)))
#else
#define ANNOTATE_FORMAT
#endif

enum piece_kind { PIECE_BARE, PIECE_NUMBER, PIECE_TRUTH, PIECE_TEXT };

#define PIECE_FIELD_MAX 80
#define PIECE_UNIT_MAX 24
#define PIECE_REMARK_MAX 256

struct piece {
    size_t offset, length;       /* in the message; 0 bytes: told of the content that the bytes before it pack */
    size_t order;                /* in which they were added */
    char field[PIECE_FIELD_MAX]; /* "" where the bytes are nothing that is known */
    unsigned column;             /* UR's gnuplot column of a legacy cell, 0 elsewhere */
    enum piece_kind kind;
    char number[NUMBER_MAX + 1]; /* of NUMBER and TRUTH, as text */
    const char *text;            /* of TEXT: bytes of the message, or of its content */
    size_t text_length;
    char unit[PIECE_UNIT_MAX];     /* "" without one */
    char remark[PIECE_REMARK_MAX]; /* name of a mode, what is wrong; "" mostly */
};

#define PIECES_KEPT 2
/* Begins as all zeros. */
struct pieces {
    struct piece *piece;
    size_t count, room;
    bool failed;                /* without memory: not all are there */
    struct piece spare;         /* written to then */
    uint8_t *kept[PIECES_KEPT]; /* what texts point to beside the message; owned */
};
void pieces_free(struct pieces *pieces);

/* A message, and what is known of it. */
struct subject {
    const uint8_t *bytes;
    size_t length;
    bool skipped;                 /* it is no message */
    bool primary;                 /* it is one of UR's primary interface */
    char doubt[PIECE_REMARK_MAX]; /* of bytes skipped: what they may be, and what speaks against it; "" mostly */
    enum armtap_protocol protocol;
    enum armtap_direction direction;
    int version; /* RTDE protocol, 0: not known */
    enum armtap_generation generation;
    const struct armtap_recipe *recipe; /* of its values, or NULL */
    size_t values_at;                   /* with a recipe: where the values begin */
    const struct armtap_recipe *set_up; /* what a reply to a set-up made, or NULL */
    const uint8_t *content; /* of a WebSocket: what the frame brings to its end; NULL: nothing, or not known */
    size_t content_length;
};

/* Takes the message apart. Returns what kind it is, "DATA_PACKAGE". */
const char *annotate(const struct subject *subject, struct pieces *pieces);

/* ---- for the files that know one protocol each ---- */

/* A new piece; never NULL. */
struct piece *pieces_add(struct pieces *pieces, size_t offset, size_t length, const char *field);
void pieces_add_number(struct pieces *pieces, size_t offset, size_t length, const char *field, uint64_t number);
/* Written on the last one. */
ANNOTATE_FORMAT void pieces_remark(struct pieces *pieces, const char *format, ...);
/* Memory that the pieces free; returns it. NULL is none. */
uint8_t *pieces_keep(struct pieces *pieces, void *memory);
void piece_set_unit(struct piece *piece, const struct armtap_field *field, unsigned element);
/* The name of a number, or of its bits, where it has one. */
void piece_remark_value(struct piece *piece, const struct armtap_field *field, int64_t number,
                        enum armtap_generation generation);
void piece_set_double(struct piece *piece, double number);
void piece_set_text(struct piece *piece, const char *text, size_t length);
/* The values of a recipe, `length` bytes at `at`. */
void annotate_values(const struct subject *subject, const struct armtap_recipe *recipe, size_t at, size_t length,
                     struct pieces *pieces);
/* The first piece is a message's length. */
void annotate_size(struct pieces *pieces, size_t whole, size_t here);
uint64_t annotate_integer(const uint8_t *bytes, size_t length); /* big-endian, up to 8 bytes */

/* An RTDE package. `bytes` may hold less than its header says. */
const char *annotate_rtde(const struct subject *subject, struct pieces *pieces);
/* Whether a package of a known type, of this length and content, begins here; gives direction and protocol, where they
 * are not said (`direction_known`; protocol 0). */
bool annotate_rtde_fits(const uint8_t *bytes, size_t length, bool direction_known, enum armtap_direction *direction,
                        int *protocol);

/* Text of JSON, and where it stands in the message. */
struct annotate_text {
    const char *bytes;
    size_t length;
    size_t at;
    bool packed; /* its bytes are not those of the message */
};
/* AUBO's: JSON, or what a WebSocket has. *why becomes what is to be said of bytes that are nothing known. */
const char *annotate_aubo(const struct subject *subject, struct pieces *pieces, const char **why);
/* A list of JSON, data or a set-up. False where it is no whole one. */
bool annotate_list(const struct subject *subject, const struct annotate_text *text, struct pieces *pieces);
/* Length of the message that begins here, or of what there is of it. */
size_t annotate_aubo_length(const uint8_t *bytes, size_t length);
/* Whether it is one that clients alone send. */
bool annotate_aubo_to_robot(const uint8_t *bytes, size_t length);

/* A message of UR's primary or secondary interface: what there is of it in bytes, 0 where none begins. */
size_t annotate_primary_length(const uint8_t *bytes, size_t length);
/* *why as in annotate_aubo. */
const char *annotate_primary(const struct subject *subject, struct pieces *pieces, const char **why);

/* The head or a frame of a WebSocket. */
const char *annotate_web(const struct subject *subject, struct pieces *pieces, const char **why);
/* Bytes of the head or frame that begins here, as its header says; 0 where none does. */
size_t annotate_web_length(const uint8_t *bytes, size_t length);

#endif
