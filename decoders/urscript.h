/* URScript sent to a robot, over the realtime and the primary interface: a record for each line. */
#ifndef ARMTAP_URSCRIPT_H
#define ARMTAP_URSCRIPT_H

#include "protocol/decoder.h"

struct armtap_urscript {
    struct armtap_recipe *recipe;
    bool line_is_cut; /* the beginning of the line was lost */
};

/* As a decoder's `frame` answers: a line with its end; a longer one comes in parts. */
long armtap_urscript_frame(const uint8_t *bytes, size_t length);
/* Length of a line without its end. */
size_t armtap_urscript_text(const uint8_t *line, size_t length);
/* Delivers a line, unless its beginning was lost. Of a line that need not be URScript. */
int armtap_urscript_deliver(struct armtap_urscript *script, enum armtap_protocol protocol, int version,
                            struct armtap_conn *conn, const struct armtap_frame *frame);
/* Delivers a line of URScript: it may belong to a program. */
int armtap_urscript_decode(struct armtap_urscript *script, enum armtap_protocol protocol, int version,
                           struct armtap_conn *conn, const struct armtap_frame *frame);
/* Bytes are missing, or were skipped. */
void armtap_urscript_lost(struct armtap_urscript *script, struct armtap_conn *conn);
void armtap_urscript_close(struct armtap_urscript *script);

struct armtap_pieces;
void armtap_urscript_describe(struct armtap_pieces *pieces);
/* Whether it may be a statement: a call, an assignment, or the end of a block. Other lines may be of any protocol. */
bool armtap_urscript_is_statement(const uint8_t *line, size_t length);
/* As a decoder's `shows` answers: lines prove nothing unless the user says so. */
enum armtap_fit armtap_urscript_shows(const struct armtap_sight *sight, size_t *need);
/* Whether no control characters are in it but those of text. */
bool armtap_urscript_is_text(const uint8_t *bytes, size_t length);
/* Takes a message for a line, if it is text; else says so in `doubt`. */
enum armtap_fit armtap_urscript_identify(struct armtap_subject *subject, struct armtap_line *doubt);

#endif
