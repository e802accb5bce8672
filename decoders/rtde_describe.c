#include "rtde_package.h"

#include <string.h>

#include "protocol/describe.h"
#include "bytes.h"

#define NAME_MAX 60 /* characters of a field's name in "type of NAME" */

/* ---- parts of a package ---- */

/* Where the next piece begins. */
struct taker {
    const struct armtap_subject *subject;
    struct armtap_pieces *pieces;
    size_t at;
};

static void take_number(struct taker *taker, size_t length, const char *name)
{
    armtap_pieces_number(taker->pieces, taker->at, length, name);
    taker->at += length;
}

static void take_answer(struct taker *taker)
{
    bool accepted = taker->subject->bytes[taker->at] != 0;
    take_number(taker, 1, "accepted");
    armtap_pieces_remark(taker->pieces, accepted ? "yes" : "refused");
}

static void take_text(struct taker *taker, size_t length, const char *name)
{
    if (length > 0) {
        armtap_pieces_add(taker->pieces, taker->at, length, name);
        armtap_pieces_text(taker->pieces, taker->subject->bytes + taker->at, length);
    }
    taker->at += length;
}

/* Takes a text and the length before it. */
static void take_counted(struct taker *taker, const char *count, const char *name)
{
    size_t length = taker->subject->bytes[taker->at];
    take_number(taker, 1, count);
    take_text(taker, length, name);
}

static void take_frequency(struct taker *taker, double hertz)
{
    armtap_pieces_add(taker->pieces, taker->at, 8, "frequency");
    armtap_pieces_double(taker->pieces, hertz);
    armtap_pieces_unit(taker->pieces, "Hz");
    if (taker->subject->version == 1)
        armtap_pieces_remark(taker->pieces, "read as in protocol 2, which no reply has accepted");
    taker->at += 8;
}

/* "name 1"; "type of actual_q" if the set-up succeeded. */
static void name_item(struct taker *taker, const char *of, size_t i, const struct armtap_recipe *made)
{
    const struct armtap_recipe_entry *entry = armtap_recipe_at(made, i);
    armtap_pieces_name(taker->pieces, of, strlen(of));
    armtap_pieces_name(taker->pieces, entry ? " of " : " ", 4);
    if (entry)
        armtap_pieces_name(taker->pieces, entry->name, NAME_MAX);
    else
        armtap_pieces_name_number(taker->pieces, i + 1);
}

/* Takes names or types, each with the comma after it. */
static void take_list(struct taker *taker, size_t length, const char *of)
{
    const char *text = (const char *)taker->subject->bytes;
    const struct armtap_recipe *made = of[0] == 't' ? taker->subject->set_up : NULL;
    size_t end = taker->at + length;
    for (size_t i = 0; taker->at < end; i++) {
        const char *comma = memchr(text + taker->at, ',', end - taker->at);
        const char *cursor = text + taker->at, *stop = comma ? comma : text + end;
        size_t next = comma ? (size_t)(comma - text) + 1 : end;
        struct armtap_item item = {stop, 0};
        armtap_list_next(&cursor, stop, &item); /* false if it is empty */
        armtap_pieces_add(taker->pieces, taker->at, next - taker->at, NULL);
        name_item(taker, of, i, made);
        armtap_pieces_text(taker->pieces, item.text, item.length);
        if (armtap_item_is(&item, "NOT_FOUND"))
            armtap_pieces_remark(taker->pieces, "the controller does not know it");
        if (armtap_item_is(&item, "NOT_SET"))
            armtap_pieces_remark(taker->pieces, "the controller has no value for it");
        if (armtap_item_is(&item, "IN_USE"))
            armtap_pieces_remark(taker->pieces, "it is in use already");
        taker->at = next;
    }
}

static void take_message(struct taker *taker, const struct armtap_rtde_package *package)
{
    static const char *const levels[] = {"exception", "error", "warning", "info"};
    bool is_old = package->protocol < 2 && package->direction == ARMTAP_FROM_ROBOT;
    if (!is_old) {
        take_counted(taker, "text length", "text");
        take_counted(taker, "source length", "source");
    }
    take_number(taker, 1, "level");
    if (package->level < sizeof levels / sizeof *levels)
        armtap_pieces_remark(taker->pieces, "%s", levels[package->level]);
    if (is_old)
        take_text(taker, package->text_length, "text");
}

static void take_release(struct taker *taker, const struct armtap_rtde_package *package)
{
    static const char *const names[] = {"major", "minor", "bugfix", "build"};
    for (unsigned i = 0; i < package->release_count; i++)
        take_number(taker, 4, names[i]);
}

static void take_set_up(struct taker *taker, const struct armtap_rtde_package *package)
{
    if (package->direction == ARMTAP_FROM_ROBOT) {
        if (package->has_id)
            take_number(taker, 1, "recipe id");
        take_list(taker, package->types_length, "type");
        return;
    }
    if (package->type == ARMTAP_RTDE_SETUP_OUTPUTS && package->protocol >= 2)
        take_frequency(taker, package->frequency);
    take_list(taker, package->names_length, "name");
}

static void take_values(struct taker *taker, size_t length)
{
    if (taker->subject->recipe)
        armtap_pieces_values(taker->pieces, taker->subject->recipe, taker->at, length);
    taker->at += length;
}

/* The recipe shows whether there is an id, by where its values begin; without a recipe the protocol does. */
static void describe_data(struct taker *taker)
{
    const struct armtap_subject *subject = taker->subject;
    bool has_id = subject->recipe ? subject->values_at > ARMTAP_RTDE_HEADER
                                  : subject->version >= 2 || subject->direction == ARMTAP_TO_ROBOT;
    if (has_id && subject->length > ARMTAP_RTDE_HEADER)
        take_number(taker, 1, "recipe id");
    take_values(taker, subject->length - taker->at);
}

/* The controller's release is packed into a number. */
static bool take_software_version(struct taker *taker, const struct armtap_recipe_entry *entry, size_t length)
{
    static const char name[] = "v1.software.version";
    size_t at = taker->at + entry->offset;
    if (strcmp(entry->name, name) != 0 || entry->type != ARMTAP_UINT64 || entry->offset + entry->wire_size > length)
        return false;
    const uint8_t *bytes = taker->subject->bytes + at;
    armtap_pieces_number(taker->pieces, at, entry->wire_size, name);
    armtap_pieces_remark(taker->pieces, "release %u.%u.%u.%u", (uint64_t)armtap_be16(bytes),
                         (uint64_t)armtap_be16(bytes + 2), (uint64_t)armtap_be16(bytes + 4),
                         (uint64_t)armtap_be16(bytes + 6));
    return true;
}

static void take_properties(struct taker *taker, size_t length)
{
    const struct armtap_recipe *recipe = taker->subject->recipe;
    for (size_t i = 0; recipe && i < recipe->count; i++)
        if (!take_software_version(taker, &recipe->entries[i], length))
            armtap_pieces_entry(taker->pieces, recipe, i, taker->at, length);
    taker->at += length;
}

static void take_payload(struct taker *taker, const struct armtap_rtde_package *package)
{
    bool from_robot = package->direction == ARMTAP_FROM_ROBOT;
    switch (package->type) {
    case ARMTAP_RTDE_VERSION:
        if (from_robot)
            take_answer(taker);
        else
            take_number(taker, 2, "protocol");
        break;
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        take_release(taker, package);
        break;
    case ARMTAP_RTDE_TEXT:
        take_message(taker, package);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
        take_set_up(taker, package);
        break;
    case ARMTAP_RTDE_START:
    case ARMTAP_RTDE_PAUSE:
        if (from_robot)
            take_answer(taker);
        break;
    case ARMTAP_RTDE_PROPERTIES:
        if (from_robot) {
            take_number(taker, 2, "types length");
            take_list(taker, package->types_length, "type");
            take_properties(taker, package->values_length);
        } else {
            take_list(taker, package->names_length, "name");
        }
        break;
    default:
        describe_data(taker);
    }
}

/* ---- packages ---- */

/* Reads a package in the known protocol; if unknown, by the strict rules of a search, then by those within a stream. */
static bool reads(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol,
                  struct armtap_rtde_package *package)
{
    bool is_known = protocol != 0;
    return armtap_rtde_read(bytes, length, direction, protocol, is_known, package) ||
           (!is_known && armtap_rtde_read(bytes, length, direction, 0, true, package));
}

static const char *rest_of(const struct armtap_subject *subject)
{
    if (subject->length > ARMTAP_RTDE_HEADER && subject->bytes[2] == ARMTAP_RTDE_DATA)
        return subject->recipe ? "beyond the recipe"
                               : "values of an unknown recipe: give it with --recipe FILE or @NAME";
    if (subject->length >= ARMTAP_RTDE_HEADER && armtap_be16(subject->bytes) > subject->length)
        return "cut: only a whole package of this type can be decoded";
    return "does not fit a package of this type";
}

static void take_header(struct taker *taker, const char *name)
{
    const uint8_t *type = taker->subject->bytes + 2;
    armtap_pieces_size(taker->pieces, 0, 2, "size");
    armtap_pieces_add(taker->pieces, 2, 1, "type");
    if (*type > ' ' && *type <= '~')
        armtap_pieces_text(taker->pieces, type, 1);
    if (!name)
        armtap_pieces_remark(taker->pieces, "not an RTDE type");
    taker->at = ARMTAP_RTDE_HEADER;
}

int armtap_rtde_describe(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    struct armtap_rtde_package package = {.size = sizeof package};
    struct taker taker = {subject, pieces, 0};
    pieces->rest = rest_of(subject);
    *kind = "package, cut";
    if (subject->length < ARMTAP_RTDE_HEADER)
        return ARMTAP_OK;
    const char *name = armtap_rtde_type_name(subject->bytes[2]);
    *kind = name ? name : "package of an unknown type";
    take_header(&taker, name);
    if (subject->bytes[2] == ARMTAP_RTDE_DATA)
        describe_data(&taker);
    else if (name && armtap_be16(subject->bytes) == subject->length &&
             reads(subject->bytes, subject->length, subject->direction, subject->version, &package))
        take_payload(&taker, &package);
    return ARMTAP_OK;
}

/* ---- identifying ---- */

/* The recipe's length shows whether an id precedes the values: protocol 1 has none from the robot. */
static void identify_data(struct armtap_subject *subject)
{
    size_t payload = subject->length - ARMTAP_RTDE_HEADER;
    subject->recipe = payload == 0 ? NULL : subject->recipe;
    if (!subject->recipe)
        return;
    bool has_id = payload != subject->recipe->size;
    subject->values_at = ARMTAP_RTDE_HEADER + (has_id ? 1 : 0);
    subject->version = has_id ? 2 : 1;
}

/* Whether a whole package is valid in one of the directions. Only a set-up shows the protocol. */
static bool identify_content(struct armtap_subject *subject, bool directed)
{
    static const enum armtap_direction directions[] = {ARMTAP_FROM_ROBOT, ARMTAP_TO_ROBOT};
    struct armtap_rtde_package package = {.size = sizeof package};
    for (size_t i = 0; i < 2; i++) {
        if ((directed && directions[i] != subject->direction) ||
            !reads(subject->bytes, subject->length, directions[i], 0, &package))
            continue;
        subject->direction = directions[i];
        subject->version = package.type == ARMTAP_RTDE_SETUP_OUTPUTS ? package.protocol : 0;
        return true;
    }
    return false;
}

enum armtap_fit armtap_rtde_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt)
{
    const uint8_t *bytes = subject->bytes;
    size_t size = subject->length < ARMTAP_RTDE_HEADER ? 0 : armtap_be16(bytes);
    if (size < ARMTAP_RTDE_HEADER || (!named && !armtap_rtde_type_name(bytes[2])))
        return ARMTAP_FIT_NO;
    bool is_cut = size > subject->length;
    subject->length = is_cut ? subject->length : size;
    subject->generation = ARMTAP_GENERATION_CB3E;
    if (bytes[2] == ARMTAP_RTDE_DATA)
        identify_data(subject);
    else
        subject->recipe = NULL;
    if (is_cut || bytes[2] == ARMTAP_RTDE_DATA || identify_content(subject, directed))
        return ARMTAP_FIT_MAYBE; /* text may look like a header */
    armtap_line_format(doubt,
                       "begins like an RTDE package of %u bytes and type \"%b\", but its content does not fit that "
                       "type",
                       (uint64_t)size, (const void *)(bytes + 2), (size_t)1);
    return ARMTAP_FIT_MAYBE;
}
