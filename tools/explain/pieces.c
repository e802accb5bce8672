#include "pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "explain.h"

void pieces_free(struct pieces *pieces)
{
    free(pieces->piece);
    free(pieces->text.data);
    *pieces = (struct pieces){.rest = ""};
}

static struct piece *new_piece(struct pieces *pieces, size_t offset, size_t length)
{
    struct piece *piece = &pieces->spare;
    if (!MAKE_ROOM(pieces->piece, pieces->count))
        pieces->failed = true;
    else
        piece = &pieces->piece[pieces->count++];
    *piece = (struct piece){.offset = offset, .length = length};
    pieces->at = offset + length;
    return piece;
}

/* Bytes up to there that no piece covers become a piece of their own. */
void pieces_end(struct pieces *pieces, size_t length)
{
    size_t at = pieces->at;
    if (length > at)
        snprintf(new_piece(pieces, at, length - at)->remark, PIECE_REMARK_MAX, "%s", pieces->rest);
}

/* Never NULL, valid until the next one. */
static struct piece *add_piece(struct pieces *pieces, size_t offset, size_t length, const char *field)
{
    pieces_end(pieces, offset);
    struct piece *piece = new_piece(pieces, offset, length);
    snprintf(piece->field, sizeof piece->field, "%s", field);
    return piece;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static void set_unsigned(struct piece *piece, uint64_t number)
{
    piece->kind = PIECE_NUMBER;
    piece->number[number_unsigned(number, piece->number)] = '\0';
}

static void set_signed(struct piece *piece, int64_t number)
{
    piece->kind = PIECE_NUMBER;
    piece->number[number_signed(number, piece->number)] = '\0';
}

static void set_double(struct piece *piece, double number)
{
    piece->kind = PIECE_NUMBER;
    piece->number[number_repr(number, piece->number)] = '\0';
}

static void set_text(struct pieces *pieces, struct piece *piece, const char *text, size_t length)
{
    piece->kind = PIECE_TEXT;
    piece->text_at = pieces->text.length;
    piece->text_length = length;
    buffer_put(&pieces->text, text, length);
    pieces->failed = pieces->failed || pieces->text.failed;
}

const char *pieces_text(const struct pieces *pieces, const struct piece *piece)
{
    return pieces->text.data ? pieces->text.data + piece->text_at : "";
}

/* ---- from the library ------------------------------------------------------------------------------------------ */

/* A number that came as text keeps its digits, unless there are too many. */
static void set_digits(struct pieces *pieces, struct piece *piece, const struct armtap_value *value)
{
    if (value->length > NUMBER_MAX) {
        set_text(pieces, piece, value->text, value->length);
        return;
    }
    piece->kind = PIECE_NUMBER;
    memcpy(piece->number, value->text, value->length);
    piece->number[value->length] = '\0';
}

static void set_value(struct pieces *pieces, struct piece *piece, const struct armtap_value *value)
{
    switch (value->type) {
    case ARMTAP_BOOL:
        piece->kind = PIECE_TRUTH;
        snprintf(piece->number, sizeof piece->number, value->u64[0] != 0 ? "true" : "false");
        break;
    case ARMTAP_DOUBLE:
        set_double(piece, value->f64[0]);
        break;
    case ARMTAP_JSON:
        set_digits(pieces, piece, value);
        break;
    case ARMTAP_STRING:
    case ARMTAP_BYTES:
        set_text(pieces, piece, value->text, value->length);
        break;
    default:
        if (armtap_value_is_signed(value))
            set_signed(piece, value->i64[0]);
        else
            set_unsigned(piece, value->u64[0]);
    }
}

void pieces_take(struct pieces *pieces, const struct armtap_piece *from)
{
    struct piece *piece = add_piece(pieces, from->offset, from->length, from->name);
    piece->column = from->column;
    snprintf(piece->unit, sizeof piece->unit, "%s", from->unit);
    snprintf(piece->remark, sizeof piece->remark, "%s", from->remark);
    if (from->value.present)
        set_value(pieces, piece, &from->value);
}

/* Of a message that is cut, decoders know the head. */
static int on_head(void *user, const struct armtap_piece *piece)
{
    struct pieces *pieces = user;
    struct armtap_piece rest = *piece;
    if (*piece->name == '\0')
        rest.remark = "cut: armtap decodes only complete messages";
    pieces_take(pieces, &rest);
    return pieces->failed;
}

static int on_piece(void *user, const struct armtap_piece *piece)
{
    struct pieces *pieces = user;
    pieces_take(pieces, piece);
    return pieces->failed;
}

const char *annotate(const struct subject *subject, struct pieces *pieces)
{
    const struct armtap_subject *message = &subject->message;
    const char *kind = "no message";
    if (subject->skipped && subject->whole == 0) {
        pieces->rest =
            subject->doubt[0] != '\0' ? subject->doubt : "skipped: not a message of a protocol that armtap decodes";
    } else {
        int error = armtap_describe(message, subject->whole > 0 ? on_head : on_piece, pieces, &kind);
        pieces->failed = pieces->failed || error == ARMTAP_ERR_MEMORY;
        pieces->rest = armtap_strerror(error);
    }
    pieces_end(pieces, message->length);
    return kind;
}
