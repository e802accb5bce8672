#include "primary_message.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/describe.h"
#include "primary_layout.h"
#include "urscript.h"

#define TYPE_AT 4u
#define HMC 22
#define SAFETY_SETUP 23
#define APART_MOST 8 /* bytes that a damaged message may have more or fewer than it says */

/* ---- sub-packages ---- */

/* An element of a row. */
struct element {
    const struct armtap_primary_row *row;
    size_t number;
    size_t at; /* in the sub-package */
};

/* The element of a sub-package's layouts that begins next, at `from` or behind it; false if none does. */
static bool next_element(const uint8_t *layouts, size_t count, size_t from, size_t length, struct element *next)
{
    *next = (struct element){.at = length};
    for (size_t i = 0; i < count; i++) {
        const struct armtap_primary_row *row = armtap_primary_row_at(armtap_primary_layout_at(layouts[i])->first);
        for (const struct armtap_primary_row *end = row + armtap_primary_rows_of(layouts[i]); row < end; row++)
            for (size_t number = 0; number < row->count; number++) {
                size_t at = row->offset + number * row->stride;
                if (at >= from && at < next->at)
                    *next = (struct element){row, number, at};
            }
    }
    return next->at < length;
}

static void name_element(struct armtap_pieces *pieces, const char *name, const struct element *element)
{
    armtap_pieces_name(pieces, name, strlen(name));
    if (element->row->count > 1) {
        armtap_pieces_name(pieces, "_", 1);
        armtap_pieces_name_number(pieces, element->number);
    }
}

static void set_plain(struct armtap_pieces *pieces, const struct armtap_primary_row *row, const uint8_t *wire)
{
    enum armtap_primary_wire type = (enum armtap_primary_wire)row->wire;
    uint64_t bits = armtap_primary_element(row, wire);
    double number;
    memcpy(&number, &bits, sizeof number);
    if (type == ARMTAP_WIRE_FLOAT || type == ARMTAP_WIRE_DOUBLE)
        armtap_pieces_double(pieces, number);
    else
        armtap_pieces_signed(pieces, armtap_primary_integer(type, wire));
}

static void describe_element(struct armtap_pieces *pieces, size_t subpackage, size_t size,
                             const struct element *element)
{
    const struct armtap_primary_row *row = element->row;
    const uint8_t *wire = pieces->subject->bytes + subpackage + element->at;
    size_t width = armtap_primary_wire_width((enum armtap_primary_wire)row->wire), here = size - element->at;
    const struct armtap_field *field = armtap_field_find(row->field, strlen(row->field));
    bool is_bit = row->conversion >= ARMTAP_CONVERT_BIT_0;
    armtap_pieces_add(pieces, subpackage + element->at, here < width ? here : width, NULL);
    name_element(pieces, field && !is_bit ? row->field : row->name, element);
    if (here < width)
        armtap_pieces_remark(pieces, "cut: %u of its %u bytes", (uint64_t)here, (uint64_t)width);
    else if (field && !is_bit)
        armtap_pieces_element(pieces, field, (unsigned)element->number, armtap_primary_element(row, wire));
    else
        set_plain(pieces, row, wire);
}

static void describe_subpackage(struct armtap_pieces *pieces, size_t at, size_t size, enum armtap_generation generation)
{
    const uint8_t *subpackage = pieces->subject->bytes + at;
    const struct armtap_primary_layout *layout = armtap_primary_layout_named(subpackage[TYPE_AT]);
    uint8_t layouts[ARMTAP_PRIMARY_PARTS];
    size_t count = armtap_primary_layouts_of(subpackage, size, generation, layouts);
    armtap_pieces_number(pieces, at, TYPE_AT, "sub-package length");
    armtap_pieces_unit(pieces, "bytes");
    armtap_pieces_number(pieces, at + TYPE_AT, 1, "sub-package type");
    armtap_pieces_remark(pieces, "%s", layout ? layout->name : "unknown");
    struct element element;
    for (size_t from = ARMTAP_SUBPACKAGE_HEADER; next_element(layouts, count, from, size, &element);
         from = element.at + 1)
        describe_element(pieces, at, size, &element);
}

/* The generation that the state's RobotModeData shows; else the stream's. */
static enum armtap_generation generation_of(const struct armtap_subject *subject)
{
    enum armtap_generation shown = armtap_primary_state_generation(subject->bytes, subject->length);
    return shown != ARMTAP_GENERATION_UNKNOWN ? shown
           : subject->generation != ARMTAP_GENERATION_UNKNOWN
               ? subject->generation
               : armtap_primary_sizes_generation(subject->bytes, subject->length);
}

static void describe_state(struct armtap_pieces *pieces)
{
    const struct armtap_subject *subject = pieces->subject;
    enum armtap_generation generation = generation_of(subject);
    size_t at = ARMTAP_PRIMARY_HEADER;
    for (size_t size; at + ARMTAP_SUBPACKAGE_HEADER <= subject->length; at += size) {
        uint64_t stated = armtap_pieces_integer(subject->bytes + at, TYPE_AT);
        size_t left = subject->length - at;
        if (stated < ARMTAP_SUBPACKAGE_HEADER)
            return;
        size = stated < left ? (size_t)stated : left;
        describe_subpackage(pieces, at, size, generation);
    }
}

/* ---- robot messages ---- */

static void describe_clock(struct armtap_pieces *pieces)
{
    uint64_t clock = armtap_pieces_integer(pieces->subject->bytes + ARMTAP_PRIMARY_CLOCK, 8);
    armtap_pieces_add(pieces, ARMTAP_PRIMARY_CLOCK, 8, "timestamp");
    if (clock == UINT64_MAX) {
        armtap_pieces_remark(pieces, "none");
        return;
    }
    armtap_pieces_unsigned(pieces, clock);
    armtap_pieces_unit(pieces, pieces->subject->generation == ARMTAP_GENERATION_CB2 ? "" : "us");
}

static void describe_part(struct armtap_pieces *pieces, const struct armtap_primary_walk *walk)
{
    const struct armtap_primary_part *part = walk->part;
    armtap_pieces_add(pieces, walk->at, walk->next - walk->at, part->name);
    if (part->wire >= ARMTAP_WIRE_SPAN)
        armtap_pieces_text(pieces, walk->message + walk->at, walk->next - walk->at);
    else
        armtap_pieces_signed(pieces, walk->number);
    const char *level = armtap_primary_report_level(walk->number);
    if (part->member == ARMTAP_MEMBER_REPORT_LEVEL && level)
        armtap_pieces_remark(pieces, "%s", level);
    if (part->member == ARMTAP_MEMBER_MODE)
        armtap_pieces_field_remark(pieces, armtap_field_at(ARMTAP_ID_safety_mode), walk->number);
}

static void describe_robot_message(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    if (subject->length < ARMTAP_PRIMARY_BODY)
        return;
    int8_t source = (int8_t)subject->bytes[ARMTAP_PRIMARY_SOURCE];
    uint8_t type = subject->bytes[ARMTAP_PRIMARY_BODY - 1];
    const struct armtap_primary_kind *known = armtap_primary_kind_of(type);
    const char *name = armtap_primary_source(source);
    describe_clock(pieces);
    armtap_pieces_add(pieces, ARMTAP_PRIMARY_SOURCE, 1, "source");
    armtap_pieces_signed(pieces, source);
    armtap_pieces_remark(pieces, "%s", name ? name : "unknown");
    armtap_pieces_number(pieces, ARMTAP_PRIMARY_BODY - 1, 1, "robotMessageType");
    armtap_pieces_remark(pieces, "%s", known ? known->name : "unknown");
    *kind = known ? known->name : "robot message";
    if (!known)
        return;
    struct armtap_primary_walk walk = {subject->bytes, subject->length, .generation = subject->generation};
    while (armtap_primary_walk_on(&walk))
        if (walk.next > walk.at)
            describe_part(pieces, &walk);
}

/* ---- messages ---- */

static void describe_names(struct armtap_pieces *pieces, size_t left)
{
    armtap_pieces_add(pieces, ARMTAP_PROGRAM_STATE_BODY, left, "variableNames");
    armtap_pieces_text(pieces, pieces->subject->bytes + ARMTAP_PROGRAM_STATE_BODY, left);
}

/* A value and the line end behind it; false, with a remark, if it cannot be read. */
static bool describe_value(struct armtap_pieces *pieces, struct armtap_value_reader *reader, uint64_t number)
{
    const uint8_t *bytes = pieces->subject->bytes, *from = reader->at;
    bool is_read = armtap_value_read(reader) && (reader->at == reader->end || *reader->at == '\n');
    reader->at = is_read ? reader->at + (reader->at < reader->end) : reader->end;
    armtap_pieces_add(pieces, (size_t)(from - bytes), (size_t)(reader->at - from), "variable ");
    armtap_pieces_name_number(pieces, number);
    if (is_read)
        armtap_pieces_text(pieces, reader->text, reader->length);
    else if (reader->unknown_type >= 0)
        armtap_pieces_remark(pieces, "a value of unknown type %u", (uint64_t)reader->unknown_type);
    else
        armtap_pieces_remark(pieces, "a value that cannot be read");
    armtap_pieces_end(pieces); /* before the text changes */
    return is_read;
}

static int describe_values(struct armtap_pieces *pieces, size_t left, uint64_t first)
{
    const struct armtap_subject *subject = pieces->subject;
    const uint8_t *from = subject->bytes + ARMTAP_PROGRAM_STATE_BODY;
    struct armtap_value_reader reader = {.numbering =
                                             armtap_value_numbering_of(subject->release ? subject->release : ""),
                                         .at = from,
                                         .end = from + left,
                                         .room = (left + 1) * ARMTAP_VALUE_TEXT};
    if (reader.numbering == ARMTAP_VALUES_UNKNOWN) {
        armtap_pieces_add(pieces, ARMTAP_PROGRAM_STATE_BODY, left, "variableValues");
        armtap_pieces_remark(pieces, "their types depend on the controller's release, which is not known here");
        return ARMTAP_OK;
    }
    reader.text = malloc(reader.room);
    if (!reader.text)
        return ARMTAP_ERR_MEMORY;
    while (reader.at < reader.end && describe_value(pieces, &reader, first))
        first++;
    free(reader.text);
    return ARMTAP_OK;
}

static int describe_program_state(struct armtap_pieces *pieces)
{
    const struct armtap_subject *subject = pieces->subject;
    if (subject->length < ARMTAP_PROGRAM_STATE_BODY)
        return ARMTAP_OK;
    describe_clock(pieces);
    armtap_pieces_number(pieces, ARMTAP_PROGRAM_STATE_KIND, 1, "robotMessageType");
    uint64_t kind = pieces->piece.value.u64[0];
    armtap_pieces_remark(pieces, "%s",
                         kind == ARMTAP_PROGRAM_STATE_NAMES    ? "GLOBAL_VARIABLES_SETUP"
                         : kind == ARMTAP_PROGRAM_STATE_VALUES ? "GLOBAL_VARIABLES_UPDATE"
                                                               : "unknown");
    armtap_pieces_number(pieces, ARMTAP_PROGRAM_STATE_KIND + 1, 2, "startIndex");
    uint64_t first = pieces->piece.value.u64[0];
    size_t left = subject->length - ARMTAP_PROGRAM_STATE_BODY;
    if (left > 0 && kind == ARMTAP_PROGRAM_STATE_NAMES)
        describe_names(pieces, left);
    return left > 0 && kind == ARMTAP_PROGRAM_STATE_VALUES ? describe_values(pieces, left, first) : ARMTAP_OK;
}

static int describe_message(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    if (subject->length < ARMTAP_PRIMARY_HEADER)
        return ARMTAP_OK;
    uint8_t type = subject->bytes[TYPE_AT];
    const char *name = armtap_primary_message_name(type);
    *kind = name ? name : "message";
    armtap_pieces_size(pieces, 0, TYPE_AT, "length");
    armtap_pieces_number(pieces, TYPE_AT, 1, "messageType");
    armtap_pieces_remark(pieces, "%s", name ? name : "unknown");
    if (type == ARMTAP_PRIMARY_STATE)
        describe_state(pieces);
    else if (type == ARMTAP_PRIMARY_ROBOT_MESSAGE)
        describe_robot_message(pieces, kind);
    else if (type == ARMTAP_PRIMARY_PROGRAM_STATE)
        return describe_program_state(pieces);
    return ARMTAP_OK;
}

int armtap_primary_describe(struct armtap_pieces *pieces, const char **kind)
{
    *kind = "URScript line";
    if (pieces->subject->direction == ARMTAP_FROM_ROBOT) {
        *kind = "message";
        return describe_message(pieces, kind);
    }
    armtap_urscript_describe(pieces);
    return ARMTAP_OK;
}

/* ---- identifying ---- */

/* Whether a message of a type whose layout is not public may be believed: another one must follow. */
static bool is_believed(const uint8_t *bytes, size_t here, size_t length)
{
    bool is_public = bytes[TYPE_AT] != HMC && bytes[TYPE_AT] != SAFETY_SETUP;
    return is_public || armtap_primary_frame(false, bytes + here, length - here) > 0;
}

/* A message of which a byte lacks, is too many or says a wrong length: as long as it says but for a few bytes, or a
 * state of whose sub-packages some are right. */
static enum armtap_fit doubt_message(const struct armtap_subject *subject, uint64_t size, struct armtap_line *doubt)
{
    const char *name = armtap_primary_message_name(subject->bytes[TYPE_AT]);
    bool is_state = subject->bytes[TYPE_AT] == ARMTAP_PRIMARY_STATE;
    size_t length = subject->length, count = 0, here = size < length ? (size_t)size : length;
    size_t at = is_state ? armtap_primary_chain(subject->bytes, ARMTAP_PRIMARY_HEADER, (size_t)size, here, &count) : 0;
    uint64_t apart = size < length ? length - size : size - length;
    if (!name || !(count > 0 || (apart > 0 && apart <= APART_MOST)))
        return ARMTAP_FIT_NO;
    armtap_line_format(doubt, "begins like a %s of %u bytes (%u are here), but ", name, size, (uint64_t)length);
    if (!is_state)
        armtap_line_string(doubt, "its content does not fit: a byte lacks, or is too many");
    else if (at + ARMTAP_SUBPACKAGE_HEADER <= here)
        armtap_line_format(doubt, "its sub-packages add up only to byte %u, where %u bytes are said to follow",
                           (uint64_t)at, armtap_pieces_integer(subject->bytes + at, TYPE_AT));
    else
        armtap_line_format(doubt, "its sub-packages add up only to byte %u", (uint64_t)at);
    return ARMTAP_FIT_YES;
}

/* A state of whose length and type a byte lacks or is too many: its sub-packages add up, but from another byte on. */
static enum armtap_fit doubt_head(const struct armtap_subject *subject, struct armtap_line *doubt)
{
    const size_t length = subject->length;
    for (size_t from = ARMTAP_PRIMARY_HEADER - 1; from <= ARMTAP_PRIMARY_HEADER + 1; from += 2) {
        size_t count, end = armtap_primary_chain(subject->bytes, from, length, length, &count);
        if (end != length || count < 2)
            continue;
        bool lacks = from < ARMTAP_PRIMARY_HEADER;
        armtap_line_format(doubt, "the sub-packages of a ROBOT_STATE of %u bytes add up from byte %u on, not from %u: ",
                           (uint64_t)(lacks ? length + 1 : length - 1), (uint64_t)from,
                           (uint64_t)ARMTAP_PRIMARY_HEADER);
        armtap_line_format(doubt, "of its length and type a byte %s", lacks ? "lacks" : "is too many");
        return ARMTAP_FIT_YES;
    }
    return ARMTAP_FIT_NO;
}

static enum armtap_fit identify_message(struct armtap_subject *subject, bool named, struct armtap_line *doubt)
{
    const uint8_t *bytes = subject->bytes;
    size_t length = subject->length;
    if (length < ARMTAP_PRIMARY_HEADER)
        return ARMTAP_FIT_NO;
    uint64_t size = armtap_pieces_integer(bytes, TYPE_AT);
    size_t here = size < length ? (size_t)size : length;
    if (size < ARMTAP_PRIMARY_HEADER || size > ARMTAP_PRIMARY_LONGEST)
        return ARMTAP_FIT_NO;
    if (!named && !armtap_primary_body_fits(bytes, (size_t)size, here))
        return doubt_message(subject, size, doubt);
    if (!named && !is_believed(bytes, here, length))
        return ARMTAP_FIT_NO;
    subject->direction = ARMTAP_FROM_ROBOT;
    subject->length = here;
    subject->generation = bytes[TYPE_AT] == ARMTAP_PRIMARY_STATE ? armtap_primary_state_generation(bytes, here)
                                                                 : ARMTAP_GENERATION_UNKNOWN;
    return ARMTAP_FIT_YES;
}

enum armtap_fit armtap_primary_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt)
{
    subject->recipe = NULL;
    if (!directed || subject->direction == ARMTAP_FROM_ROBOT) {
        enum armtap_fit fit = identify_message(subject, named, doubt);
        return fit == ARMTAP_FIT_NO && !named ? doubt_head(subject, doubt) : fit;
    }
    return named ? armtap_urscript_identify(subject, doubt) : ARMTAP_FIT_NO;
}
