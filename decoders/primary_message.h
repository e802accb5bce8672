/* The robot messages of the primary interface, from primary_messages.def. */
#ifndef ARMTAP_PRIMARY_MESSAGE_H
#define ARMTAP_PRIMARY_MESSAGE_H

#include "armtap.h"
#include "primary_layout.h"

/* What a part of a message becomes. */
enum armtap_primary_member {
    ARMTAP_MEMBER_NOTHING,
    ARMTAP_MEMBER_LENGTH, /* of the SPAN that follows */
    ARMTAP_MEMBER_TEXT,
    ARMTAP_MEMBER_TITLE,
    ARMTAP_MEMBER_CODE,
    ARMTAP_MEMBER_ARGUMENT,
    ARMTAP_MEMBER_REPORT_LEVEL,
    ARMTAP_MEMBER_DATA_TYPE,
    ARMTAP_MEMBER_DATA,
    ARMTAP_MEMBER_MODE,
    ARMTAP_MEMBER_LINE,
    ARMTAP_MEMBER_COLUMN,
    ARMTAP_MEMBER_WARNING,
    ARMTAP_MEMBER_ERROR,
    ARMTAP_MEMBER_RELEASE /* the next of its four numbers */
};

struct armtap_primary_part {
    uint8_t message;
    uint8_t generation; /* enum armtap_generation; UNKNOWN: both */
    uint8_t wire;       /* enum armtap_primary_wire */
    uint8_t member;     /* enum armtap_primary_member */
    const char *name;   /* UR's */
};

/* A kind of robot message. */
struct armtap_primary_kind {
    uint8_t type;
    bool repeated;
    enum armtap_text_kind text;
    const char *name; /* UR's */
};
/* NULL for unknown types. */
const struct armtap_primary_kind *armtap_primary_kind_of(uint8_t type);

/* Goes through the parts of a robot message. Set message, length and generation (UNKNOWN counts as CB3E). */
struct armtap_primary_walk {
    const uint8_t *message;
    size_t length;
    enum armtap_generation generation;
    size_t at, next; /* the part's first byte, and the one behind it */
    const struct armtap_primary_part *part;
    int64_t number; /* of an integer */
    int64_t span;   /* the last LENGTH */
    bool ends;      /* a text ends with this part */
    bool cut;       /* the message ends within the part: the walk is over */
};
/* The next part; false beyond the last, and where the message is cut. */
bool armtap_primary_walk_on(struct armtap_primary_walk *walk);
/* The name of a report level; NULL for unknown ones. */
const char *armtap_primary_report_level(int64_t level);
/* The name of a message's source; NULL for unknown ones. */
const char *armtap_primary_source(int8_t source);

#endif
