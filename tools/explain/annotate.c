#include "explain.h"

/* Of a message that is cut, decoders know the head. */
static int on_head(void *user, const struct armtap_piece *piece)
{
    struct pieces *pieces = user;
    struct armtap_piece rest = *piece;
    if (*piece->name == '\0')
        rest.remark = "cut: armtap decodes whole messages only";
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
            subject->doubt[0] != '\0' ? subject->doubt : "skipped: no message of a protocol that armtap reads";
    } else {
        int error = armtap_describe(message, subject->whole > 0 ? on_head : on_piece, pieces, &kind);
        pieces->failed = pieces->failed || error == ARMTAP_ERR_MEMORY;
        pieces->rest = armtap_strerror(error);
    }
    pieces_end(pieces, message->length);
    return kind;
}
