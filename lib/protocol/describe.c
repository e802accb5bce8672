#include "describe.h"

#include <string.h>

#include "bytes.h"
#include "decoder.h"
#include "note.h"
#include "table/recipe.h"

#define CELL 8
#define ELEMENT_NAME_MAX 60 /* characters of a field's name before the number of an element */

/* ---- pieces ---- */

static void deliver(struct armtap_pieces *pieces, const struct armtap_piece *piece)
{
    if (pieces->error == ARMTAP_OK && pieces->on_piece && pieces->on_piece(pieces->user, piece))
        pieces->error = ARMTAP_ERR_STOPPED;
}

void armtap_pieces_end(struct armtap_pieces *pieces)
{
    if (pieces->pending)
        deliver(pieces, &pieces->piece);
    pieces->pending = false;
}

/* Delivers the bytes up to `end`, which no piece covers, as a piece. */
static void fill(struct armtap_pieces *pieces, size_t end)
{
    struct armtap_piece piece = {
        .offset = pieces->at, .length = end - pieces->at, .name = "", .unit = "", .remark = pieces->rest};
    piece.value.type = ARMTAP_BYTES;
    deliver(pieces, &piece);
    pieces->at = end;
}

void armtap_pieces_add(struct armtap_pieces *pieces, size_t offset, size_t length, const char *name)
{
    armtap_pieces_end(pieces);
    if (offset > pieces->at)
        fill(pieces, offset);
    pieces->at = offset + length;
    pieces->pending = true;
    pieces->name[0] = pieces->unit[0] = pieces->remark[0] = '\0';
    pieces->piece = (struct armtap_piece){
        .offset = offset, .length = length, .name = pieces->name, .unit = pieces->unit, .remark = pieces->remark};
    pieces->piece.value.type = ARMTAP_BYTES;
    pieces->piece.value.name = pieces->name;
    if (name)
        armtap_pieces_name(pieces, name, strlen(name));
}

void armtap_pieces_lengthen(struct armtap_pieces *pieces, size_t length)
{
    pieces->piece.length = length;
    pieces->at = pieces->piece.offset + length;
}

/* Appends up to `length` characters, up to a NUL, as far as there is room. */
static void append(char *to, size_t room, const char *text, size_t length)
{
    size_t used = strlen(to);
    for (size_t i = 0; i < length && text[i] != '\0' && used + 1 < room; i++)
        to[used++] = text[i];
    to[used] = '\0';
}

void armtap_pieces_name(struct armtap_pieces *pieces, const char *text, size_t length)
{
    append(pieces->name, sizeof pieces->name, text, length);
}

void armtap_pieces_name_number(struct armtap_pieces *pieces, uint64_t number)
{
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_unsigned(&line, number);
    armtap_pieces_name(pieces, line.text, line.length);
}

void armtap_pieces_unit(struct armtap_pieces *pieces, const char *unit)
{
    pieces->unit[0] = '\0';
    append(pieces->unit, sizeof pieces->unit, unit, strlen(unit));
}

void armtap_pieces_remark(struct armtap_pieces *pieces, const char *format, ...)
{
    struct armtap_line line;
    va_list arguments;
    armtap_line_begin(&line);
    va_start(arguments, format);
    armtap_line_arguments(&line, format, arguments);
    va_end(arguments);
    pieces->remark[0] = '\0';
    append(pieces->remark, sizeof pieces->remark, line.text, line.length);
}

/* ---- values ---- */

static struct armtap_value *new_value(struct armtap_pieces *pieces, enum armtap_type type)
{
    struct armtap_value *value = &pieces->piece.value;
    value->type = type;
    value->count = 1;
    value->present = true;
    return value;
}

void armtap_pieces_unsigned(struct armtap_pieces *pieces, uint64_t number)
{
    new_value(pieces, ARMTAP_UINT64)->u64[0] = number;
}

void armtap_pieces_signed(struct armtap_pieces *pieces, int64_t number)
{
    new_value(pieces, ARMTAP_INT64)->i64[0] = number;
}

void armtap_pieces_double(struct armtap_pieces *pieces, double number)
{
    new_value(pieces, ARMTAP_DOUBLE)->f64[0] = number;
}

void armtap_pieces_text(struct armtap_pieces *pieces, const void *text, size_t length)
{
    struct armtap_value *value = new_value(pieces, ARMTAP_STRING);
    value->text = text;
    value->length = length;
}

/* Poses have the unit "m, rad": the first three elements are in metres, the others in radians. */
void armtap_pieces_field_unit(struct armtap_pieces *pieces, const struct armtap_field *field, unsigned element)
{
    const char *unit = field->unit;
    size_t length = strlen(unit);
    const char *both = memchr(unit, ',', length);
    if (strcmp(unit, "enum") == 0 || strcmp(unit, "bits") == 0)
        return;
    if (both && field->count == 6) {
        length = element < 3 ? (size_t)(both - unit) : strlen(both + 2);
        unit = element < 3 ? unit : both + 2;
    }
    pieces->unit[0] = '\0';
    append(pieces->unit, sizeof pieces->unit, unit, length);
}

/* Appends the name of a bit, or its number if it has none. */
static void remark_bit(struct armtap_pieces *pieces, const struct armtap_field *field, unsigned number)
{
    struct armtap_line line;
    const struct armtap_enum_value *bit;
    const char *name = NULL;
    for (size_t i = 0; !name && (bit = armtap_enum_at(field, i)); i++)
        if (bit->is_bit && bit->value == (int64_t)number)
            name = bit->name;
    armtap_line_begin(&line);
    armtap_line_string(&line, pieces->remark[0] == '\0' ? "" : ", ");
    if (name)
        armtap_line_string(&line, name);
    else
        armtap_line_format(&line, "bit %u", (uint64_t)number);
    append(pieces->remark, sizeof pieces->remark, line.text, line.length);
}

void armtap_pieces_field_remark(struct armtap_pieces *pieces, const struct armtap_field *field, int64_t number)
{
    const struct armtap_enum_value *first = armtap_enum_at(field, 0);
    const char *name = armtap_enum_name(field, number, pieces->subject->generation);
    if (strcmp(field->unit, "bits") == 0 || (first && first->is_bit)) {
        for (unsigned i = 0; i < 64; i++)
            if ((uint64_t)number >> i & 1)
                remark_bit(pieces, field, i);
    } else if (name) {
        armtap_pieces_remark(pieces, "%s", name);
    }
}

uint64_t armtap_pieces_integer(const uint8_t *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

void armtap_pieces_number(struct armtap_pieces *pieces, size_t offset, size_t length, const char *name)
{
    armtap_pieces_add(pieces, offset, length, name);
    armtap_pieces_unsigned(pieces, armtap_pieces_integer(pieces->subject->bytes + offset, length));
}

void armtap_pieces_size(struct armtap_pieces *pieces, size_t offset, size_t length, const char *name)
{
    uint64_t here = pieces->subject->length;
    armtap_pieces_number(pieces, offset, length, name);
    armtap_pieces_unit(pieces, "bytes");
    if (pieces->piece.value.u64[0] > here)
        armtap_pieces_remark(pieces, "(%u are here)", here);
}

/* ---- values of a recipe ---- */

void armtap_pieces_element(struct armtap_pieces *pieces, const struct armtap_field *field, unsigned element,
                           uint64_t bits)
{
    struct armtap_value *value = new_value(pieces, field->type);
    value->field = field;
    value->u64[0] = bits;
    armtap_pieces_field_unit(pieces, field, element);
    if (field->type != ARMTAP_DOUBLE && field->type != ARMTAP_BOOL)
        armtap_pieces_field_remark(pieces, field, value->i64[0]);
}

/* Sets an element of a value that is present. */
static void set_element(struct armtap_pieces *pieces, const struct armtap_value *from, unsigned element)
{
    uint64_t bits = from->u64[element]; /* of any member of the union */
    if (from->field)
        armtap_pieces_element(pieces, from->field, element, bits);
    else
        new_value(pieces, from->type)->u64[0] = bits;
}

/* Sets the remark for an element of a vector that is cut, or of a cell that is not an integer. */
static void set_absent(struct armtap_pieces *pieces, size_t size, bool is_double, bool is_cut)
{
    const struct armtap_piece *piece = &pieces->piece;
    if (piece->length < size) {
        armtap_pieces_remark(pieces, "cut: %u of its %u bytes", (uint64_t)piece->length, (uint64_t)size);
        return;
    }
    if (is_double && size == CELL)
        armtap_pieces_double(pieces, armtap_be_double(pieces->subject->bytes + piece->offset));
    armtap_pieces_remark(pieces,
                         is_cut ? "its field is cut, so it is absent" : "not an integer, so the field is absent");
}

static void add_elements(struct armtap_pieces *pieces, const struct armtap_recipe_entry *entry,
                         const struct armtap_value *value, size_t at, size_t end, bool is_cell)
{
    size_t size = entry->count == 0 ? 0 : entry->wire_size / entry->count;
    for (unsigned i = 0; i < entry->count && size > 0; i++) {
        size_t offset = at + entry->offset + i * size;
        if (offset >= end)
            return;
        armtap_pieces_add(pieces, offset, end - offset < size ? end - offset : size, NULL);
        armtap_pieces_name(pieces, entry->name, entry->count == 1 ? SIZE_MAX : ELEMENT_NAME_MAX);
        if (entry->count > 1) {
            armtap_pieces_name(pieces, "_", 1);
            armtap_pieces_name_number(pieces, i);
        }
        if (is_cell)
            pieces->piece.column = (unsigned)((entry->offset + i * size) / CELL) + 1;
        if (value->present)
            set_element(pieces, value, i);
        else
            set_absent(pieces, size, is_cell || entry->type == ARMTAP_DOUBLE,
                       at + entry->offset + entry->wire_size > end);
    }
}

static void add_value(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t i, size_t at,
                      size_t length, bool is_cell)
{
    const uint8_t *bytes = pieces->subject->bytes;
    const struct armtap_recipe_entry *entry = &recipe->entries[i];
    struct armtap_value value;
    if (entry->offset >= length)
        return; /* the data ends before it, or it has no place */
    armtap_recipe_read(recipe, i, bytes + at, length, &value);
    if (!armtap_value_is_text(&value)) {
        add_elements(pieces, entry, &value, at, at + length, is_cell);
    } else if (value.present && value.length > 0) {
        armtap_pieces_add(pieces, (size_t)(value.text - (const char *)bytes), value.length, entry->name);
        if (value.type == ARMTAP_STRING)
            armtap_pieces_text(pieces, value.text, value.length);
        else
            armtap_pieces_remark(pieces, "its type is unknown");
    }
}

static void add_values(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t at, size_t length,
                       bool are_cells)
{
    if (recipe->cells)
        return; /* text protocols have no offsets */
    for (size_t i = 0; i < recipe->count && pieces->error == ARMTAP_OK; i++)
        add_value(pieces, recipe, i, at, length, are_cells);
}

void armtap_pieces_entry(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t i, size_t at,
                         size_t length)
{
    add_value(pieces, recipe, i, at, length, false);
}

void armtap_pieces_values(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t at, size_t length)
{
    add_values(pieces, recipe, at, length, false);
}

void armtap_pieces_cells(struct armtap_pieces *pieces, const struct armtap_recipe *recipe, size_t at, size_t length)
{
    add_values(pieces, recipe, at, length, true);
}

/* ---- messages ---- */

/* For decoders without describe(): the values of the recipe. */
static int describe_values(struct armtap_pieces *pieces, const char **kind)
{
    const struct armtap_subject *subject = pieces->subject;
    *kind = "message";
    if (subject->recipe && subject->values_at <= subject->length)
        armtap_pieces_values(pieces, subject->recipe, subject->values_at, subject->length - subject->values_at);
    return ARMTAP_OK;
}

static int take_subject(struct armtap_subject *to, const struct armtap_subject *from)
{
    *to = (struct armtap_subject){.size = sizeof *to};
    if (!from)
        return ARMTAP_ERR_ARGUMENT;
    if (!armtap_is_sized(from->size, sizeof *to))
        return ARMTAP_ERR_SIZE;
    memcpy(to, from, sizeof *to);
    bool is_directed = to->direction == ARMTAP_FROM_ROBOT || to->direction == ARMTAP_TO_ROBOT;
    return is_directed && (to->bytes || to->length == 0) ? ARMTAP_OK : ARMTAP_ERR_ARGUMENT;
}

int armtap_describe(const struct armtap_subject *given, int (*on_piece)(void *user, const struct armtap_piece *piece),
                    void *user, const char **kind)
{
    struct armtap_subject subject;
    struct armtap_pieces pieces = {
        .subject = &subject, .rest = "no field is known here", .on_piece = on_piece, .user = user};
    int error = take_subject(&subject, given);
    if (error == ARMTAP_OK &&
        (!kind || subject.values_at > subject.length || (!subject.content && subject.content_length > 0)))
        error = ARMTAP_ERR_ARGUMENT;
    if (error != ARMTAP_OK)
        return error;
    const struct armtap_decoder *decoder = armtap_decoder_for(subject.protocol);
    *kind = "";
    if (!decoder)
        return ARMTAP_ERR_UNSUPPORTED;
    error = (decoder->describe ? decoder->describe : describe_values)(&pieces, kind);
    armtap_pieces_end(&pieces);
    if (pieces.at < subject.length)
        fill(&pieces, subject.length);
    return error != ARMTAP_OK ? error : pieces.error;
}

/* ---- identifying ---- */

/* For decoders without identify(): uses their frame() and begins(). */
static enum armtap_fit identify_frame(const struct armtap_decoder *decoder, struct armtap_subject *subject,
                                      bool directed)
{
    static const enum armtap_direction directions[] = {ARMTAP_FROM_ROBOT, ARMTAP_TO_ROBOT};
    for (size_t i = 0; i < 2; i++) {
        if (directed && directions[i] != subject->direction)
            continue;
        enum armtap_direction direction = directions[i];
        long length = decoder->frame(NULL, direction, subject->bytes, subject->length);
        enum armtap_fit fit =
            decoder->begins ? decoder->begins(direction, subject->bytes, subject->length) : ARMTAP_FIT_MAYBE;
        if (length < 0 || fit == ARMTAP_FIT_NO)
            continue;
        subject->direction = direction;
        if (length > 0 && (size_t)length < subject->length)
            subject->length = (size_t)length;
        if (subject->recipe && decoder->info.header <= subject->length)
            subject->values_at = decoder->info.header;
        else
            subject->recipe = NULL;
        return length == 0 || fit < ARMTAP_FIT_YES ? ARMTAP_FIT_MAYBE : ARMTAP_FIT_YES;
    }
    return ARMTAP_FIT_NO;
}

static enum armtap_fit ask(const struct armtap_decoder *decoder, struct armtap_subject *subject, bool directed,
                           bool named, struct armtap_line *doubt)
{
    armtap_line_begin(doubt);
    subject->protocol = decoder->info.protocol;
    if (armtap_recipe_protocol(subject->recipe) != decoder->info.protocol)
        subject->recipe = NULL;
    return decoder->identify ? decoder->identify(subject, directed, named, doubt)
                             : identify_frame(decoder, subject, directed);
}

/* Takes the first decoder that is certain, else the first without doubts, else reports the doubt of a decoder that is
 * certain of a damaged message, else the first doubt. */
static int ask_all(struct armtap_subject *subject, bool directed, struct armtap_line *doubt)
{
    const struct armtap_subject given = *subject;
    const struct armtap_decoder *decoder;
    struct armtap_line line;
    bool found = false;
    for (size_t i = 0; (decoder = armtap_decoder_at(i)); i++) {
        struct armtap_subject seen = given;
        enum armtap_fit fit = ask(decoder, &seen, directed, false, &line);
        bool is_damaged = fit == ARMTAP_FIT_YES && line.length > 0;
        bool is_certain = fit == ARMTAP_FIT_YES && !is_damaged, is_likely = fit == ARMTAP_FIT_MAYBE && line.length == 0;
        if (is_certain || (is_likely && !found))
            *subject = seen;
        found = found || is_certain || is_likely;
        if (!found && line.length > 0 && (is_damaged || doubt->length == 0)) {
            subject->protocol = decoder->info.protocol;
            *doubt = line;
        }
        if (is_certain || (is_damaged && !found))
            break;
    }
    if (!found)
        return ARMTAP_ERR_NOT_OURS;
    armtap_line_begin(doubt);
    return ARMTAP_OK;
}

static int ask_one(struct armtap_subject *subject, bool directed, struct armtap_line *doubt)
{
    struct armtap_subject seen = *subject;
    const struct armtap_decoder *decoder = armtap_decoder_for(subject->protocol);
    if (!decoder)
        return ARMTAP_ERR_UNSUPPORTED;
    if (ask(decoder, &seen, directed, true, doubt) == ARMTAP_FIT_NO)
        return ARMTAP_ERR_NOT_OURS;
    *subject = seen;
    return ARMTAP_OK;
}

int armtap_identify(struct armtap_subject *given, bool directed, char *doubt, size_t room)
{
    struct armtap_subject subject;
    struct armtap_line line;
    int error = take_subject(&subject, given);
    if (error == ARMTAP_OK && (!doubt || room == 0))
        error = ARMTAP_ERR_ARGUMENT;
    if (error != ARMTAP_OK)
        return error;
    armtap_line_begin(&line);
    subject.version = 0;
    subject.generation = ARMTAP_GENERATION_UNKNOWN;
    subject.values_at = 0;
    error = subject.protocol == ARMTAP_PROTOCOL_NONE ? ask_all(&subject, directed, &line)
                                                     : ask_one(&subject, directed, &line);
    doubt[0] = '\0';
    append(doubt, room, line.text, line.length);
    subject.size = given->size;
    memcpy(given, &subject, sizeof subject);
    return error;
}
