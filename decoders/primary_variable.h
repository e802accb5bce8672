/* A value of a program's variable, as URScript writes it: 42, True, "a", p[1, 2, 3, 0, 0, 0], [1, 2]. */
#ifndef ARMTAP_PRIMARY_VARIABLE_H
#define ARMTAP_PRIMARY_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which numbers the types have. */
enum armtap_value_numbering {
    ARMTAP_VALUES_UNKNOWN,
    ARMTAP_VALUES_UNTIL_3_2,
    ARMTAP_VALUES_FROM_3_3, /* and from 5.0 */
    ARMTAP_VALUES_FROM_5_9  /* and from 3.14 */
};

/* That of a controller's release ("5.9.4"); UNKNOWN of "". */
enum armtap_value_numbering armtap_value_numbering_of(const char *release);

struct armtap_value_reader {
    enum armtap_value_numbering numbering;
    const uint8_t *at, *end;
    /* What was read; the room is at least ARMTAP_VALUE_TEXT for each byte to be read. */
    char *text;
    size_t length, room;
    /* Why a value could not be read: its type is unknown, or bytes are missing. */
    int unknown_type; /* -1: known */
};
#define ARMTAP_VALUE_TEXT 8u

/* Reads a value; false if it cannot be read. */
bool armtap_value_read(struct armtap_value_reader *reader);

#endif
