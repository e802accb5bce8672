/* A decoder describes a message by adding pieces in byte order, each with a value and a remark. */
#ifndef ARMTAP_DESCRIBE_H
#define ARMTAP_DESCRIBE_H

#include "armtap.h"

#define ARMTAP_PIECE_NAME_MAX 80
#define ARMTAP_PIECE_UNIT_MAX 24
#define ARMTAP_PIECE_REMARK_MAX 256

/* One message being described. The last piece added is kept until the next one, so that it can still change. */
struct armtap_pieces {
    const struct armtap_subject *subject;
    const char *rest; /* remark for bytes that no piece covers */
    size_t at;        /* bytes covered so far */
    int (*on_piece)(void *user, const struct armtap_piece *piece);
    void *user;
    int error; /* ARMTAP_OK until memory runs out or `on_piece` stops */
    bool pending;
    struct armtap_piece piece;
    char name[ARMTAP_PIECE_NAME_MAX], unit[ARMTAP_PIECE_UNIT_MAX], remark[ARMTAP_PIECE_REMARK_MAX];
};

/* Begins a piece without a value. If `name` is NULL, the two calls below build it. Bytes between the last piece and
 * this one become a separate piece. */
void armtap_pieces_add(struct armtap_pieces *pieces, size_t offset, size_t length, const char *name);

/* Delivers the last piece; call it before freeing what the piece points to. */
void armtap_pieces_end(struct armtap_pieces *pieces);
/* Sets the length of the last piece, which had 0 bytes. */
void armtap_pieces_lengthen(struct armtap_pieces *pieces, size_t length);
/* All of these change the last piece. Long texts are cut. */
void armtap_pieces_name(struct armtap_pieces *pieces, const char *text, size_t length);
void armtap_pieces_name_number(struct armtap_pieces *pieces, uint64_t number);
void armtap_pieces_unit(struct armtap_pieces *pieces, const char *unit);
/* The format is that of armtap_line_format. Replaces the remark. */
void armtap_pieces_remark(struct armtap_pieces *pieces, const char *format, ...);
void armtap_pieces_unsigned(struct armtap_pieces *pieces, uint64_t number);
void armtap_pieces_signed(struct armtap_pieces *pieces, int64_t number);
void armtap_pieces_double(struct armtap_pieces *pieces, double number);
void armtap_pieces_text(struct armtap_pieces *pieces, const void *text, size_t length);
/* The unit of one element of a field. */
void armtap_pieces_field_unit(struct armtap_pieces *pieces, const struct armtap_field *field, unsigned element);
/* An element of a field: an integer, or the bits of a double; with its unit, and the name of a mode. */
void armtap_pieces_element(struct armtap_pieces *pieces, const struct armtap_field *field, unsigned element,
                           uint64_t bits);
/* Adds the names of a field's value or bits, if it has any. */
void armtap_pieces_field_remark(struct armtap_pieces *pieces, const struct armtap_field *field, int64_t number);

/* A big-endian number of up to 8 bytes of the message. */
void armtap_pieces_number(struct armtap_pieces *pieces, size_t offset, size_t length, const char *name);
/* The message length from its header, with a remark if fewer bytes are here. */
void armtap_pieces_size(struct armtap_pieces *pieces, size_t offset, size_t length, const char *name);
/* The values of a recipe in the `length` bytes at `at`. */
void armtap_pieces_values(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t at, size_t length);
/* The value of one of its entries; nothing if it is not among them. */
void armtap_pieces_entry(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t i, size_t at,
                         size_t length);
/* The same for legacy cells, which are all doubles on the wire and have a column. */
void armtap_pieces_cells(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t at, size_t length);

/* Big-endian, up to 8 bytes. */
uint64_t armtap_pieces_integer(const uint8_t *bytes, size_t length);

#endif
