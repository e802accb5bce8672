/* Messages of UR's primary and secondary interfaces, as far as explain names them. */
#ifndef EXPLAIN_PRIMARY_H
#define EXPLAIN_PRIMARY_H

#include "pieces.h"

/* What there is of a message in these bytes; 0 where none begins. */
size_t primary_length(const uint8_t *bytes, size_t length);
/* Takes such a message apart; returns what kind it is. */
const char *primary_annotate(const uint8_t *bytes, size_t length, struct pieces *pieces);

#endif
