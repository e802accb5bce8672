/* A message taken apart into pieces that cover every byte of it, each with what it says. */
#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "armtap.h"
#include "number.h"

enum piece_kind { PIECE_BARE, PIECE_NUMBER, PIECE_TRUTH, PIECE_TEXT };

#define PIECE_FIELD_MAX 80
#define PIECE_UNIT_MAX 24
#define PIECE_REMARK_MAX 160

struct piece {
    size_t offset, length;       /* in the message */
    char field[PIECE_FIELD_MAX]; /* "" where the bytes are nothing that is known */
    unsigned column;             /* UR's gnuplot column of a legacy cell, 0 elsewhere */
    enum piece_kind kind;
    char number[NUMBER_MAX + 1]; /* of NUMBER and TRUTH, as text */
    const char *text;            /* of TEXT: bytes of the message */
    size_t text_length;
    char unit[PIECE_UNIT_MAX];     /* "" without one */
    char remark[PIECE_REMARK_MAX]; /* name of a mode, what is wrong; "" mostly */
};

/* Begins as all zeros. */
struct pieces {
    struct piece *piece;
    size_t count, room;
    bool failed;        /* without memory: not all are there */
    struct piece spare; /* written to then */
};
void pieces_free(struct pieces *pieces);

/* A message, and what is known of it. */
struct subject {
    const uint8_t *bytes;
    size_t length;
    bool skipped; /* it is no message */
    enum armtap_protocol protocol;
    enum armtap_direction direction;
    int version; /* RTDE protocol, 0: not known */
    enum armtap_generation generation;
    const struct armtap_recipe *recipe; /* of its values, or NULL */
    size_t values_at;                   /* with a recipe: where the values begin */
    const struct armtap_recipe *set_up; /* what a reply to a set-up made, or NULL */
};

/* Takes the message apart. Returns what kind it is, "DATA_PACKAGE". */
const char *annotate(const struct subject *subject, struct pieces *pieces);

/* ---- for the files that know one protocol each ---- */

/* A new piece; never NULL. */
struct piece *pieces_add(struct pieces *pieces, size_t offset, size_t length, const char *field);
void pieces_add_number(struct pieces *pieces, size_t offset, size_t length, const char *field, uint64_t number);
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

#endif
