/* Kaitai Struct descriptions (.ksy) of what is on the wire: kaitai-struct-compiler makes readers in eleven languages of
 * them. The pieces of a description, which is YAML: identifiers, types, attributes, enumerations. */
#ifndef KAITAI_KAITAI_H
#define KAITAI_KAITAI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "armtap.h"
#include "base/text/printf_format.h"

#define KSY_ID_MAX 96

/* The identifier of a name, which may be any text: "actual_TCP_pose" becomes actual_tcp_pose, "messageTitle"
 * message_title; a word of a programming language gets an underscore behind it. Never empty. */
void ksy_id(char id[KSY_ID_MAX], const char *name);
/* The same where a name is there several times; number 1 is the first: message_title, message_title_2. */
void ksy_numbered_id(char id[KSY_ID_MAX], const char *name, unsigned number);

/* The type of numbers of so many bytes: "f8". */
const char *ksy_number(enum armtap_type type, size_t width);

/* A description that is being written. */
struct ksy {
    FILE *to;
    int depth;                   /* of the keys of the type that is being written: 0 for the description's own */
    bool has_seq, has_instances; /* whether the type has begun its list of attributes, its map of instances */
};

/* A line, `more` levels deeper than the type's keys. */
void ksy_line(const struct ksy *ksy, int more, const char *format, ...) PRINTF_FORMAT(3, 4);
/* KEY: "TEXT", escaped; nothing for an empty text. */
void ksy_text(const struct ksy *ksy, int more, const char *key, const char *text);

/* The first lines; what follows is of the description's own type. Of a type attributes come first, then instances. */
void ksy_begin(struct ksy *ksy, const char *id, const char *title, const char *about);
/* What follows belongs to a type of its own; `types:` stands before the first one. */
void ksy_types(struct ksy *ksy);
void ksy_type(struct ksy *ksy, const char *id, const char *about);

/* What is read: one number or several. */
struct ksy_attribute {
    const char *id;
    const char *type;                 /* f8, u1, ... or one of the description's own; NULL: bytes */
    const char *size;                 /* an expression; "": all that is left; NULL: that of the type */
    unsigned count;                   /* above 1: an array */
    const char *condition;            /* an expression; NULL: always there */
    const struct armtap_field *field; /* whose name, unit and meaning are shown; NULL: none */
    const char *name;                 /* UR's; NULL: that of the field */
};
void ksy_attribute(struct ksy *ksy, const struct ksy_attribute *attribute);
/* The last one: the bytes that are left, if there are any. */
void ksy_rest(struct ksy *ksy, const char *id);
/* The attribute `body`, whose type depends on the attribute `kind`; size as in ksy_attribute. Its cases follow. */
void ksy_body(struct ksy *ksy, const char *size);
void ksy_case(const struct ksy *ksy, unsigned kind, const char *type);
/* The first line of an attribute or an instance, below that of its list or map: "- id: frequency", "data:". */
void ksy_seq(struct ksy *ksy, const char *line);
void ksy_instance(struct ksy *ksy, const char *line);
/* An instance that is computed. `enumeration` and `condition` may be NULL. */
void ksy_value(struct ksy *ksy, const char *id, const char *value, const char *enumeration, const char *condition);

/* ---- enumerations, behind all types ---- */

void ksy_enums(struct ksy *ksy);
void ksy_enum(const struct ksy *ksy, const char *id);
void ksy_enum_value(const struct ksy *ksy, int64_t number, const char *name);
/* Whether the values of a field have names there; bits do not count. */
bool ksy_has_enum(const struct armtap_field *field, enum armtap_generation generation);
/* Whether CB2 numbers them in its own way. */
bool ksy_has_cb2_enum(const struct armtap_field *field);
/* The identifier of its enumeration: robot_mode; robot_mode_cb2 of CB2, if it has its own. */
void ksy_field_enum_id(char id[KSY_ID_MAX], const struct armtap_field *field, enum armtap_generation generation);
/* An instance ENUMERATION_name: the name of the number in NAME; `as_integer` makes an integer of it: "", ".to_i". */
void ksy_field_name(struct ksy *ksy, const struct armtap_field *field, enum armtap_generation generation,
                    const char *as_integer, const char *condition);
void ksy_field_enum(const struct ksy *ksy, const struct armtap_field *field, enum armtap_generation generation);

/* ---- descriptions ---- */

enum kaitai_wire { KAITAI_NONE, KAITAI_REALTIME, KAITAI_RTDE, KAITAI_PRIMARY };

/* Each describes one message: a packet, a package. 0, or -1 after a message. */
int kaitai_realtime(struct ksy *ksy);
int kaitai_primary(struct ksy *ksy);
/* With a recipe of RTDE data its values have names; NULL: data stays bytes. */
int kaitai_rtde(struct ksy *ksy, const struct armtap_recipe *recipe);

/* ---- the primary interface: states in primary_states.c, messages in primary.c ---- */

/* Types on the wire, by the names that the tables of decoders use. */
#define WIRE_BOOL "u1", 1
#define WIRE_INT8 "s1", 1
#define WIRE_UINT8 "u1", 1
#define WIRE_INT16 "s2", 2
#define WIRE_UINT16 "u2", 2
#define WIRE_INT32 "s4", 4
#define WIRE_UINT32 "u4", 4
#define WIRE_UINT64 "u8", 8
#define WIRE_FLOAT "f4", 4
#define WIRE_DOUBLE "f8", 8
#define WIRE_SPAN "str", 0
#define WIRE_REST "str", 0
#define ARMTAP_GENERATION_ANY ARMTAP_GENERATION_UNKNOWN

/* The types of a state and its parts, of which the first is robot_state; their enumerations. */
void primary_states(struct ksy *ksy);
void primary_state_enums(const struct ksy *ksy);

/* The condition that a message is of that generation's controllers; NULL: it is, of any. */
const char *primary_condition(enum armtap_generation generation);

#endif
