/* The pieces that a message is made of: they cover every byte of it, each with what it says. */
#ifndef EXPLAIN_PIECES_H
#define EXPLAIN_PIECES_H

#include "armtap.h"
#include "base/text/buffer.h"
#include "base/numbers/number_text.h"

enum piece_kind { PIECE_BARE, PIECE_NUMBER, PIECE_TRUTH, PIECE_TEXT };

#define PIECE_FIELD_MAX 80
#define PIECE_UNIT_MAX 24
#define PIECE_REMARK_MAX 256

struct piece {
    size_t offset, length;       /* in the message; 0 bytes: of the content that the bytes before it pack */
    char field[PIECE_FIELD_MAX]; /* "" if the bytes are nothing that is known */
    unsigned column;             /* UR's gnuplot column of a legacy cell, 0 elsewhere */
    enum piece_kind kind;
    char number[NUMBER_MAX + 1];   /* of NUMBER and TRUTH, as text */
    size_t text_at, text_length;   /* of TEXT: in the text of `struct pieces` */
    char unit[PIECE_UNIT_MAX];     /* "" without one */
    char remark[PIECE_REMARK_MAX]; /* name of a mode, what is wrong; "" mostly */
};

/* Begins as all zeros, but for `rest`. */
struct pieces {
    const char *rest; /* remark of bytes that no piece covers */
    struct piece *piece;
    size_t count;
    size_t at;          /* bytes that are covered */
    struct buffer text; /* of all pieces */
    bool failed;        /* out of memory: not all are there */
    struct piece spare; /* written to then */
};
void pieces_free(struct pieces *pieces);

/* Adds one. */
void pieces_take(struct pieces *pieces, const struct armtap_piece *from);
/* All is told up to there: bytes that no piece covers become one, with the remark `rest`. */
void pieces_end(struct pieces *pieces, size_t length);
/* The text of a piece, which needs no end. */
const char *pieces_text(const struct pieces *pieces, const struct piece *piece);

#endif
