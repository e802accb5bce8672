/* The messages that External Control's driver sends to the robot, by the rows of external_control_layouts.def. */
#ifndef ARMTAP_EXTERNAL_CONTROL_LAYOUT_H
#define ARMTAP_EXTERNAL_CONTROL_LAYOUT_H

#include "protocol/decoder.h"

#define ARMTAP_CONTROL_WORD 4u
#define ARMTAP_CONTROL_VALUES 256u /* bytes of a message's values, or more */
#define ARMTAP_CONTROL_ROWS 16u    /* values of a message, or more */
#define ARMTAP_CONTROL_CHAIN 3u    /* messages in a row that prove a layout */

enum armtap_control_kind {
#define KIND(name, title, selector) ARMTAP_CONTROL_##name,
#include "external_control_layouts.def"
};

enum armtap_control_wire { ARMTAP_CONTROL_RAW, ARMTAP_CONTROL_MILLI, ARMTAP_CONTROL_MICRO };

/* Messages of one length. */
struct armtap_control_layout {
    uint16_t port;
    uint8_t words;
    enum armtap_control_kind kind;
};

/* A value of a message: neighbouring words. */
struct armtap_control_value {
    enum armtap_control_kind kind;
    uint32_t selectors; /* bits */
    uint8_t condition;
    uint8_t word, count;
    const char *name;
    enum armtap_control_wire wire;
};

/* The i-th layout; NULL beyond the last. */
const struct armtap_control_layout *armtap_control_layout_at(size_t i);
/* The layout whose messages have that many bytes; NULL if none. */
const struct armtap_control_layout *armtap_control_layout_of(size_t length);

enum armtap_control_choice {
    ARMTAP_CONTROL_NONE, /* no layout fits */
    ARMTAP_CONTROL_WAIT, /* more bytes are needed to tell: *need of them */
    ARMTAP_CONTROL_CHOSEN
};
/* How a direction's first bytes are looked at. */
struct armtap_control_look {
    uint16_t port; /* 0: any */
    unsigned most; /* messages in a row that are looked at; all of them must fit */
    unsigned need; /* of which so many must be there */
    bool whole;    /* no more bytes come: one is enough */
    bool strict;   /* as armtap_control_fits says */
};
/* Which layout they have. */
enum armtap_control_choice armtap_control_choose(const struct armtap_control_look *look, const uint8_t *bytes,
                                                 size_t length, const struct armtap_control_layout **layout,
                                                 size_t *need);
/* Whether a whole message is believable; `strict`: where a message is searched for. */
bool armtap_control_fits(const struct armtap_control_layout *layout, const uint8_t *message, bool strict);

/* A word of a message as a number. */
int32_t armtap_control_word(const uint8_t *message, size_t word);
/* Whether a point shows that durations are times 1000000: times 1000 it would take over 1000 s. */
bool armtap_control_shows_scale(const struct armtap_control_layout *layout, const uint8_t *message);
/* The values that mean something in a message, in the order of their words: how many, up to ARMTAP_CONTROL_ROWS. *shape
 * becomes a number from 1 to 255 that is the same for the same values of one layout. */
size_t armtap_control_values(const struct armtap_control_layout *layout, const uint8_t *message, bool scale_known,
                             const struct armtap_control_value **values, int *shape);
/* Writes a value as a recipe has it: whole numbers as INT32, others as DOUBLE. Returns its bytes. */
size_t armtap_control_put(const struct armtap_control_value *value, const uint8_t *message, uint8_t *to);
double armtap_control_number(const struct armtap_control_value *value, const uint8_t *message, size_t element);
/* What a message is called. */
const char *armtap_control_title(const struct armtap_control_layout *layout);
/* The name of a message's mode, type or command; NULL if unknown. */
const char *armtap_control_selector(const struct armtap_control_layout *layout, const uint8_t *message);

/* Whether a value is the one that has that name. */
bool armtap_control_is_selector(const struct armtap_control_layout *layout, const struct armtap_control_value *value);

/* external_control_describe.c; as in struct armtap_decoder */
int armtap_control_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_control_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt);

#endif
