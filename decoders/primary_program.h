/* PROGRAM_STATE: the global variables of a program, their names when it starts, their values when they change. */
#ifndef ARMTAP_PRIMARY_PROGRAM_H
#define ARMTAP_PRIMARY_PROGRAM_H

#include "protocol/decoder.h"

#define ARMTAP_PROGRAM_NAMES 8u /* messages with names that are remembered */

struct armtap_primary_program {
    struct armtap_primary_names {
        char *text; /* each name ends with a line feed */
        size_t length;
        uint32_t first, count;
    } names[ARMTAP_PROGRAM_NAMES]; /* newest first */
};

/* Delivers the variables of a message as copies of `text`, each with its name as title and its number as code. */
int armtap_primary_program_decode(struct armtap_primary_program *program, struct armtap_conn *conn,
                                  const struct armtap_frame *frame, const struct armtap_text *text);
/* Bytes of what it remembers. */
size_t armtap_primary_program_bytes(const struct armtap_primary_program *program);
void armtap_primary_program_close(struct armtap_primary_program *program);

#endif
