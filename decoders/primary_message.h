/* The messages of the primary interface. */
#ifndef ARMTAP_PRIMARY_MESSAGE_H
#define ARMTAP_PRIMARY_MESSAGE_H

#include "protocol/decoder.h"
#include "primary_layout.h"

/* ---- primary_frame.c: {int32 length, counting itself; uint8 type; body}, and in a ROBOT_STATE sub-packages of {uint32
 * length, counting itself; uint8 type; fields} ---- */

#define ARMTAP_PRIMARY_HEADER 5u
#define ARMTAP_PRIMARY_LONGEST 65535u
#define ARMTAP_PRIMARY_CLOCK 5u /* in a robot message: uint64 */
#define ARMTAP_PRIMARY_SOURCE 13u
#define ARMTAP_PRIMARY_BODY 15u /* where a robot message's own parts begin */

#define ARMTAP_PROGRAM_STATE_KIND 13u /* uint8; then uint16 index of the first variable */
#define ARMTAP_PROGRAM_STATE_BODY 16u
#define ARMTAP_PROGRAM_STATE_NAMES 0u /* the kind that names variables */
#define ARMTAP_PROGRAM_STATE_VALUES 1u

enum armtap_primary_type {
    ARMTAP_PRIMARY_STATE = 16,
    ARMTAP_PRIMARY_ROBOT_MESSAGE = 20,
    ARMTAP_PRIMARY_PROGRAM_STATE = 25
};

/* UR's name of a message type; NULL for others. */
const char *armtap_primary_message_name(uint8_t type);
/* Whether a message of `size` bytes is what its type says, as far as its first `length` bytes show; at least its
 * header.
 */
bool armtap_primary_body_fits(const uint8_t *bytes, size_t size, size_t length);
/* As a decoder's `frame` answers. `in_step`: a message begins here, of whatever type. */
long armtap_primary_frame(bool in_step, const uint8_t *bytes, size_t length);
/* Where the sub-packages from `at` on of a ROBOT_STATE of `size` bytes stop following one another, and how many there
 * are until then; `length` bytes are there. */
size_t armtap_primary_chain(const uint8_t *bytes, size_t at, size_t size, size_t length, size_t *count);
/* The sub-package of a ROBOT_STATE at `at`: its length; 0 at the end, or where its length cannot be one. */
size_t armtap_primary_subpackage(const uint8_t *frame, size_t length, size_t at);
/* How much a whole message says for the protocol: NO if its parts contradict it, WELL if nothing else looks like it. */
enum armtap_fit armtap_primary_evidence(const uint8_t *frame, size_t length);

enum armtap_fit armtap_primary_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                       size_t length, const uint8_t *next, size_t available);
enum armtap_fit armtap_primary_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length);
enum armtap_fit armtap_primary_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);

/* ---- primary_message.c: the robot messages, from primary_messages.def ---- */

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

/* ---- primary_variable.c: a value of a program's variable, as URScript writes it: 42, True, "a", p[1, 2, 3, 0, 0, 0],
 * [1, 2] ---- */

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

/* ---- primary_program.c: PROGRAM_STATE: the global variables of a program, their names when it starts, their values
 * when they change ---- */

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

/* ---- primary_describe.c: as in struct armtap_decoder ---- */

int armtap_primary_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_primary_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt);

#endif
