/* A message of the primary and secondary interface: its length and type, then a state or what a robot says. */
#include "kaitai.h"

#include <string.h>

static const char about[] =
    "One message of Universal Robots' primary or secondary interface (ports 30001 and 30002, 30011 and "
    "30012). Read one after the other from the same stream. `is_cb2`: the controller is one of CB2, whose "
    "layouts differ; the major number of its VERSION message is below 3. Fields that a sub-package lacks "
    "are absent, bytes beyond its layout in `rest`. A number's name is in NAME_name, in NAME_cb2_name "
    "where CB2 numbers differently.";

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const struct message {
    int type;
    const char *name;
} messages[] = {
#define MESSAGE(type, name) {type, name},
#include "../../decoders/primary_messages.def"
};

enum often { ONCE, REPEATED };

static const struct said {
    int type;
    const char *name;
    enum often often;
} said[] = {
#define ROBOT_MESSAGE(type, name, kind, often) {type, name, often},
#include "../../decoders/primary_messages.def"
};

static const struct part {
    int type; /* of the message */
    enum armtap_generation generation;
    const char *wire;
    unsigned width;   /* 0: a text */
    const char *form; /* of a text: SPAN, of the length that the part before says;
                         REST, up to the end */
    const char *name, *member;
} parts[] = {
#define PART(type, generation, wire, name, member)                                                                     \
    {type, ARMTAP_GENERATION_##generation, WIRE_##wire, #wire, name, #member},
#include "../../decoders/primary_messages.def"
};

static const struct number {
    int64_t number;
    const char *name;
} sources[] = {
#define SOURCE(number, name) {number, name},
#include "../../decoders/primary_sources.def"
};
static const struct number levels[] = {
#define REPORT_LEVEL(number, name) {number, name},
#include "../../decoders/primary_messages.def"
};

enum {
    MESSAGES = sizeof messages / sizeof *messages,
    SAID = sizeof said / sizeof *said,
    PARTS = sizeof parts / sizeof *parts,
    SOURCES = sizeof sources / sizeof *sources,
    LEVELS = sizeof levels / sizeof *levels
};

/* ---- what robots say --------------------------------------------------------------------------------------------- */

/* The UR name, with a number if it is not the first of that name in its message. */
static void part_id(char id[KSY_ID_MAX], const struct part *part)
{
    unsigned number = 1;
    for (const struct part *before = parts; before < part; before++)
        number += before->type == part->type && strcmp(before->name, part->name) == 0;
    ksy_numbered_id(id, part->name, number);
}

static void write_part(struct ksy *ksy, const struct part *part)
{
    char id[KSY_ID_MAX], length[KSY_ID_MAX] = "";
    part_id(id, part);
    if (strcmp(part->form, "SPAN") == 0)
        part_id(length, part - 1);
    ksy_attribute(ksy, &(struct ksy_attribute){.id = id,
                                               .type = part->wire,
                                               .size = part->width > 0 ? NULL : length,
                                               .count = 1,
                                               .condition = primary_condition(part->generation),
                                               .name = part->name});
}

/* The name of its number, if numbers of that kind have names. */
static void write_part_name(struct ksy *ksy, const struct part *part)
{
    static const struct {
        const char *member, *enumeration;
    } named[] = {{"REPORT_LEVEL", "report_level"}, {"MODE", "safety_mode"}};
    char id[KSY_ID_MAX], name[KSY_ID_MAX + 8];
    part_id(id, part);
    snprintf(name, sizeof name, "%s_name", id);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(part->member, named[i].member) == 0)
            ksy_value(ksy, name, id, named[i].enumeration, NULL);
}

static void message_type(char id[KSY_ID_MAX], const struct said *message, const char *suffix)
{
    char name[KSY_ID_MAX];
    ksy_id(name, message->name);
    snprintf(id, KSY_ID_MAX, "%.60s_%s", name, suffix);
}

/* One kind of message; of one that repeats its parts, also the type of its entries. */
static void write_said(struct ksy *ksy, const struct said *message)
{
    char type[KSY_ID_MAX], entry[KSY_ID_MAX], line[2 * KSY_ID_MAX];
    message_type(type, message, "message");
    message_type(entry, message, "entry");
    ksy_type(ksy, type, message->name);
    if (message->often == REPEATED) {
        snprintf(line, sizeof line, "- {id: entries, type: %s, repeat: eos}", entry);
        ksy_seq(ksy, line);
        ksy_type(ksy, entry, message->name);
    }
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].type == message->type)
            write_part(ksy, &parts[i]);
    if (message->often == ONCE)
        ksy_rest(ksy, "rest");
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].type == message->type)
            write_part_name(ksy, &parts[i]);
}

static void write_robot_message(struct ksy *ksy)
{
    char type[KSY_ID_MAX];
    ksy_type(ksy, "robot_message", "What a robot says: its clock, who says it, the kind of message.");
    ksy_seq(ksy, "- {id: timestamp, type: u8, -unit: us, doc: all bits set without one}");
    ksy_seq(ksy, "- {id: source, type: s1}");
    ksy_seq(ksy, "- {id: kind, type: u1}");
    ksy_body(ksy, "");
    for (size_t i = 0; i < SAID; i++) {
        message_type(type, &said[i], "message");
        ksy_case(ksy, (unsigned)said[i].type, type);
    }
    ksy_value(ksy, "source_name", "source", "source", NULL);
    ksy_value(ksy, "kind_name", "kind", "robot_message_kind", NULL);
}

/* ---- other messages ---------------------------------------------------------------------------------------------- */

static void write_others(struct ksy *ksy)
{
    ksy_type(
        ksy, "program_state",
        "A program's variables: their names, or values from one of them on, whose types are numbered by the release.");
    ksy_seq(ksy, "- {id: timestamp, type: u8, -unit: us, doc: all bits set without one}");
    ksy_seq(ksy, "- {id: kind, type: u1, doc: '0 names, 1 values'}");
    ksy_seq(ksy, "- {id: start_index, type: u2, doc: number of the first variable}");
    ksy_seq(ksy, "- {id: names, type: str, terminator: 10, eos-error: false, repeat: eos, if: kind == 0}");
    ksy_seq(ksy, "- {id: values, size-eos: true, if: kind != 0}");
    ksy_type(ksy, "safety_compliance_tolerances", "22 numbers without names.");
    ksy_seq(ksy, "- {id: values, type: f8, repeat: expr, repeat-expr: _io.size / 8}");
    ksy_rest(ksy, "rest");
}

/* ---- the description --------------------------------------------------------------------------------------------- */

static void write_message(struct ksy *ksy)
{
    /* Those whose bytes are described; the others stay bytes. */
    static const char *const described[] = {"ROBOT_STATE", "ROBOT_MESSAGE", "SAFETY_COMPLIANCE_TOLERANCES",
                                            "PROGRAM_STATE"};
    char id[KSY_ID_MAX];
    ksy_line(ksy, 0, "params:");
    ksy_line(ksy, 1, "- {id: is_cb2, type: bool}");
    ksy_seq(ksy, "- {id: len_message, type: u4}");
    ksy_seq(ksy, "- {id: kind, type: u1}");
    ksy_body(ksy, "len_message - 5");
    for (size_t i = 0; i < MESSAGES; i++)
        for (size_t one = 0; one < sizeof described / sizeof *described; one++)
            if (strcmp(messages[i].name, described[one]) == 0) {
                ksy_id(id, described[one]);
                ksy_case(ksy, (unsigned)messages[i].type, id);
            }
    ksy_value(ksy, "kind_name", "kind", "message_kind", NULL);
}

static void write_numbers(const struct ksy *ksy, const char *id, const struct number *numbers, size_t count)
{
    ksy_enum(ksy, id);
    for (size_t i = 0; i < count; i++)
        ksy_enum_value(ksy, numbers[i].number, numbers[i].name);
}

static void write_enums(struct ksy *ksy)
{
    ksy_enums(ksy);
    ksy_enum(ksy, "message_kind");
    for (size_t i = 0; i < MESSAGES; i++)
        ksy_enum_value(ksy, messages[i].type, messages[i].name);
    ksy_enum(ksy, "robot_message_kind");
    for (size_t i = 0; i < SAID; i++)
        ksy_enum_value(ksy, said[i].type, said[i].name);
    write_numbers(ksy, "source", sources, SOURCES);
    write_numbers(ksy, "report_level", levels, LEVELS);
    primary_state_enums(ksy);
}

int kaitai_primary(struct ksy *ksy)
{
    ksy_begin(ksy, "ur_primary", "Universal Robots' primary and secondary interface", about);
    write_message(ksy);
    ksy_types(ksy);
    primary_states(ksy);
    write_robot_message(ksy);
    for (size_t i = 0; i < SAID; i++)
        write_said(ksy, &said[i]);
    write_others(ksy);
    write_enums(ksy);
    return 0;
}
