/* What explain shows of a message: the library takes it apart. */
#ifndef EXPLAIN_ANNOTATE_H
#define EXPLAIN_ANNOTATE_H

#include "pieces.h"

/* A message, or bytes that are none. */
struct subject {
    struct armtap_subject message; /* of `skipped`: bytes, length and direction */
    bool skipped;                  /* it is no message, but for `whole` */
    size_t whole;                  /* bytes of the message that bytes skipped begin; 0: they begin none */
    char doubt[PIECE_REMARK_MAX];  /* of bytes skipped: what they may be, and what speaks against it; "" mostly */
};

/* Takes the message apart. Returns what kind it is, "DATA_PACKAGE". Without memory pieces->failed is set. */
const char *annotate(const struct subject *subject, struct pieces *pieces);

#endif
