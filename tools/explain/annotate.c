#include "annotate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_WORD 4
#define CELL 8

/* ---- pieces ---------------------------------------------------------------------------------------------------- */

void pieces_free(struct pieces *pieces)
{
    free(pieces->piece);
    for (size_t i = 0; i < PIECES_KEPT; i++)
        free(pieces->kept[i]);
    *pieces = (struct pieces){0};
}

static bool grow(struct pieces *pieces)
{
    size_t room = pieces->room == 0 ? 64 : 2 * pieces->room;
    struct piece *piece = realloc(pieces->piece, room * sizeof *piece);
    if (!piece)
        return false;
    pieces->piece = piece;
    pieces->room = room;
    return true;
}

struct piece *pieces_add(struct pieces *pieces, size_t offset, size_t length, const char *field)
{
    struct piece *piece = &pieces->spare;
    if (pieces->count == pieces->room && !grow(pieces))
        pieces->failed = true;
    else
        piece = &pieces->piece[pieces->count++];
    *piece = (struct piece){.offset = offset, .length = length, .order = pieces->count};
    snprintf(piece->field, sizeof piece->field, "%s", field);
    return piece;
}

void pieces_add_number(struct pieces *pieces, size_t offset, size_t length, const char *field, uint64_t number)
{
    struct piece *piece = pieces_add(pieces, offset, length, field);
    piece->kind = PIECE_NUMBER;
    piece->number[number_unsigned(number, piece->number)] = '\0';
}

void pieces_remark(struct pieces *pieces, const char *format, ...)
{
    struct piece *last = pieces->failed || pieces->count == 0 ? &pieces->spare : &pieces->piece[pieces->count - 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last->remark, PIECE_REMARK_MAX, format, arguments);
    va_end(arguments);
}

uint8_t *pieces_keep(struct pieces *pieces, void *memory)
{
    size_t i = 0;
    while (i < PIECES_KEPT && pieces->kept[i])
        i++;
    if (i == PIECES_KEPT) {
        free(memory);
        return NULL;
    }
    pieces->kept[i] = memory;
    return memory;
}

void piece_set_double(struct piece *piece, double number)
{
    piece->kind = PIECE_NUMBER;
    piece->number[number_repr(number, piece->number)] = '\0';
}

void piece_set_text(struct piece *piece, const char *text, size_t length)
{
    piece->kind = PIECE_TEXT;
    piece->text = text;
    piece->text_length = length;
}

static int by_offset(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;
    if (one->offset != other->offset)
        return one->offset < other->offset ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

/* Bytes that no piece covers get one that says so. */
static void fill(struct pieces *pieces, size_t length, const char *why)
{
    size_t count = pieces->count, at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t offset = pieces->piece[i].offset, end = offset + pieces->piece[i].length;
        if (offset > at)
            snprintf(pieces_add(pieces, at, offset - at, "")->remark, PIECE_REMARK_MAX, "%s", why);
        at = end > at ? end : at;
    }
    if (at < length)
        snprintf(pieces_add(pieces, at, length - at, "")->remark, PIECE_REMARK_MAX, "%s", why);
    if (pieces->count > 1)
        qsort(pieces->piece, pieces->count, sizeof *pieces->piece, by_offset);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

uint64_t annotate_integer(const uint8_t *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

static double be_double(const uint8_t *bytes)
{
    uint64_t bits = annotate_integer(bytes, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Names of the bits that are set, or their numbers where they have none. */
static void remark_bits(struct piece *piece, const struct armtap_field *field, uint64_t bits)
{
    const struct armtap_enum_value *bit;
    bool has_names = armtap_enum_at(field, 0) != NULL;
    size_t length = 0;
    for (unsigned i = 0; i < 64 && length + 1 < PIECE_REMARK_MAX; i++) {
        char number[16];
        const char *name = number;
        if ((bits >> i & 1) == 0)
            continue;
        snprintf(number, sizeof number, "bit %u", i);
        for (size_t k = 0; has_names && (bit = armtap_enum_at(field, k)); k++)
            if (bit->is_bit && bit->value == (int64_t)i)
                name = bit->name;
        length +=
            (size_t)snprintf(piece->remark + length, PIECE_REMARK_MAX - length, "%s%s", length == 0 ? "" : ", ", name);
    }
}

void piece_remark_value(struct piece *piece, const struct armtap_field *field, int64_t number,
                        enum armtap_generation generation)
{
    const struct armtap_enum_value *first = armtap_enum_at(field, 0);
    const char *name = armtap_enum_name(field, number, generation);
    if (strcmp(field->unit, "bits") == 0 || (first && first->is_bit))
        remark_bits(piece, field, (uint64_t)number);
    else {
        if (name)
            snprintf(piece->remark, PIECE_REMARK_MAX, "%s", name);
    }
}

/* Of poses, "m, rad": the first three elements are metres, the others radians. */
void piece_set_unit(struct piece *piece, const struct armtap_field *field, unsigned element)
{
    const char *unit = field->unit, *both = strstr(unit, ", ");
    size_t length = strlen(unit);
    if (strcmp(unit, "enum") == 0 || strcmp(unit, "bits") == 0)
        return;
    if (both && field->count == 6) {
        length = element < 3 ? (size_t)(both - unit) : strlen(both + 2);
        unit = element < 3 ? unit : both + 2;
    }
    snprintf(piece->unit, sizeof piece->unit, "%.*s", (int)length, unit);
}

static void set_element(const struct subject *subject, struct piece *piece, const struct armtap_value *value,
                        unsigned element)
{
    const struct armtap_field *field = value->field;
    size_t length = 0;
    piece->kind = PIECE_NUMBER;
    if (field)
        piece_set_unit(piece, field, element);
    if (value->type == ARMTAP_BOOL) {
        piece->kind = PIECE_TRUTH;
        length = (size_t)snprintf(piece->number, sizeof piece->number, value->u64[element] != 0 ? "true" : "false");
    } else if (value->type == ARMTAP_DOUBLE) {
        length = number_repr(value->f64[element], piece->number);
    } else if (value->type == ARMTAP_INT32) {
        length = number_signed(value->i64[element], piece->number);
    } else {
        length = number_unsigned(value->u64[element], piece->number);
    }
    piece->number[length] = '\0';
    if (field && value->type == ARMTAP_INT32)
        piece_remark_value(piece, field, value->i64[element], subject->generation);
    else if (field && value->type != ARMTAP_DOUBLE && value->type != ARMTAP_BOOL)
        piece_remark_value(piece, field, (int64_t)value->u64[element], subject->generation);
}

/* An element of a value that could not be read: of a vector that is cut, or a cell without a whole number. */
static void set_absent(const struct subject *subject, struct piece *piece, enum armtap_type type, size_t size,
                       bool is_cut)
{
    bool is_double = size == CELL && (type == ARMTAP_DOUBLE || subject->protocol == ARMTAP_REALTIME);
    if (piece->length < size) {
        snprintf(piece->remark, PIECE_REMARK_MAX, "cut: %zu of its %zu bytes", piece->length, size);
        return;
    }
    if (is_double)
        piece_set_double(piece, be_double(subject->bytes + piece->offset));
    snprintf(piece->remark, PIECE_REMARK_MAX,
             is_cut ? "of a field that is cut, so it is absent" : "no whole number, so the field is absent");
}

static void add_elements(const struct subject *subject, const struct armtap_recipe_entry *entry,
                         const struct armtap_value *value, size_t at, size_t end, struct pieces *pieces)
{
    size_t size = entry->count == 0 ? 0 : entry->wire_size / entry->count;
    for (unsigned i = 0; i < entry->count && size > 0; i++) {
        size_t offset = at + entry->offset + i * size;
        char name[PIECE_FIELD_MAX];
        if (offset >= end)
            return;
        if (entry->count == 1)
            snprintf(name, sizeof name, "%s", entry->name);
        else
            snprintf(name, sizeof name, "%.60s_%u", entry->name, i);
        struct piece *piece = pieces_add(pieces, offset, end - offset < size ? end - offset : size, name);
        if (subject->protocol == ARMTAP_REALTIME)
            piece->column = (unsigned)((entry->offset + i * size) / CELL) + 1;
        if (value->present)
            set_element(subject, piece, value, i);
        else
            set_absent(subject, piece, entry->type, size, at + entry->offset + entry->wire_size > end);
    }
}

void annotate_values(const struct subject *subject, const struct armtap_recipe *recipe, size_t at, size_t length,
                     struct pieces *pieces)
{
    struct armtap_value value;
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        armtap_recipe_read(recipe, i, subject->bytes + at, length, &value);
        if (!armtap_value_is_text(&value)) {
            add_elements(subject, entry, &value, at, at + length, pieces);
        } else if (value.present && value.length > 0) {
            size_t offset = (size_t)(value.text - (const char *)subject->bytes);
            struct piece *piece = pieces_add(pieces, offset, value.length, entry->name);
            if (value.type == ARMTAP_STRING)
                piece_set_text(piece, value.text, value.length);
            else
                snprintf(piece->remark, PIECE_REMARK_MAX, "its type is not known");
        }
    }
}

/* What a header says of the length, and how much of it is here. */
void annotate_size(struct pieces *pieces, size_t whole, size_t here)
{
    struct piece *piece = pieces->failed ? &pieces->spare : &pieces->piece[0];
    snprintf(piece->unit, sizeof piece->unit, "bytes");
    if (whole > here)
        snprintf(piece->remark, sizeof piece->remark, "(%zu are here)", here);
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

static const char *annotate_packet(const struct subject *subject, struct pieces *pieces)
{
    size_t whole = subject->length < LENGTH_WORD ? 0 : (size_t)annotate_integer(subject->bytes, LENGTH_WORD);
    if (subject->length < LENGTH_WORD)
        return "realtime packet";
    pieces_add_number(pieces, 0, LENGTH_WORD, "length", whole);
    annotate_size(pieces, whole, subject->length);
    if (subject->recipe)
        annotate_values(subject, subject->recipe, subject->values_at, subject->length - subject->values_at, pieces);
    return "realtime packet";
}

static const char *annotate_line(const struct subject *subject, struct pieces *pieces)
{
    const char *text = (const char *)subject->bytes;
    size_t length = subject->length;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    if (length > 0)
        piece_set_text(pieces_add(pieces, 0, length, "URScript"), text, length);
    if (length < subject->length)
        pieces_add(pieces, length, subject->length - length, "line end");
    return "URScript line";
}

const char *annotate(const struct subject *subject, struct pieces *pieces)
{
    const char *what = "message", *why = "no field is known here";
    if (subject->skipped) {
        what = "no message";
        why = subject->doubt[0] != '\0' ? subject->doubt : "skipped: no message of a protocol that armtap reads";
    } else if (subject->primary) {
        what = annotate_primary(subject, pieces, &why);
    } else if (subject->protocol == ARMTAP_REALTIME) {
        what =
            subject->direction == ARMTAP_FROM_ROBOT ? annotate_packet(subject, pieces) : annotate_line(subject, pieces);
    } else if (subject->protocol == ARMTAP_RTDE) {
        what = annotate_rtde(subject, pieces);
        if (subject->length > 3 && subject->bytes[2] == 'U' && !subject->recipe)
            why = "values; their recipe is not known: give it with --recipe FILE or @NAME";
        else if (subject->length > 3 && subject->bytes[2] == 'U')
            why = "beyond the recipe";
        else if (subject->length > 2 && annotate_integer(subject->bytes, 2) > subject->length)
            why = "cut: what it holds can be told of whole packages only";
        else
            why = "not what a package of this type holds";
    }
    if (!subject->skipped && subject->protocol == ARMTAP_AUBO)
        what = annotate_aubo(subject, pieces, &why);
    fill(pieces, subject->length, why);
    return what;
}
