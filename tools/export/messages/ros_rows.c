#include "ros_rows.h"

#include <math.h>
#include <stdio.h>

#include "base/text/json_reader.h"
#include "base/text/json_writer.h"
#include "base/text/utf8.h"
#include "export/formats/line_cells.h"
#include "export/rows/field_selection.h"
#include "base/text/names_apart.h"

#define TWO_TO_63 9223372036854775808.0

/* Members before and behind the fields. */
static const char stamp_member[] = "header", absent_member[] = "absent";

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Foxglove's parser accepts only names that begin with a small letter, and have single underscores between small
 * letters and digits. Appends such a name. */
static size_t put_name(char *to, const char *name)
{
    size_t length = 0;
    bool is_apart = false;
    for (; *name != '\0'; name++) {
        char letter = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        bool is_digit = letter >= '0' && letter <= '9', is_letter = letter >= 'a' && letter <= 'z';
        if (!is_letter && !is_digit) {
            is_apart = length > 0;
            continue;
        }
        if (length == 0 && is_digit)
            to[length++] = 'n';
        if (is_apart)
            to[length++] = '_';
        is_apart = false;
        to[length++] = letter;
    }
    if (length == 0)
        to[length++] = 'x';
    to[length] = '\0';
    return length;
}

/* NULL without memory; the caller frees. */
static char *member_name(const struct pick *pick)
{
    char *name = malloc(strlen(pick->name) + 2 + NAMES_APART_ROOM);
    size_t length = name ? put_name(name, pick->name) : 0;
    if (name && pick->element)
        name_append_number(name, length, pick->first);
    return name;
}

int ros_name_members(struct view *view)
{
    static const char *const reserved[] = {stamp_member, absent_member, NULL};
    struct picks *picks = &view->picks;
    char **names = calloc(picks->count + 1, sizeof(char *));
    int outcome = names ? 0 : -1;
    picks_drop(picks, ROW_COLUMN_time); /* the stamp */
    picks_drop_if_mixed(picks);         /* a topic has the rows of one robot */
    for (size_t i = 0; i < picks->count && outcome == 0; i++) {
        names[i] = member_name(&picks->pick[i]);
        outcome = names[i] ? 0 : -1;
    }
    if (outcome == 0)
        outcome = names_set_apart(reserved, names, picks->count);
    for (size_t i = 0; names && i < picks->count; i++)
        picks->pick[i].key = names[i];
    free(names);
    return outcome;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

enum shape { SHAPE_SCALAR, SHAPE_ARRAY, SHAPE_SEQUENCE };

struct member {
    enum armtap_type type;
    enum shape shape;
    unsigned count; /* of an array's elements; else 1 */
};

/* Arrays of a text protocol may be of any length. */
static bool is_of_text(const struct view *view)
{
    const struct table *table = view->table;
    for (size_t i = 0; table && i < table->layout_count; i++)
        if (armtap_protocol_has(armtap_recipe_protocol(table->layouts[i]->recipe), ARMTAP_TRAIT_TEXT))
            return true;
    return false;
}

static struct member member_of(const struct view *view, const struct pick *pick, bool is_text)
{
    if (pick->row_column != ROW_COLUMN_NONE)
        return (struct member){row_column_type(pick->row_column), SHAPE_SCALAR, 1};
    const struct table_column *column = &view->table->columns[pick->column];
    enum armtap_type type = pick_type(view, pick);
    bool is_vector = !pick->element && column->count > 1;
    enum shape shape = !is_vector ? SHAPE_SCALAR : is_text ? SHAPE_SEQUENCE : SHAPE_ARRAY;
    return (struct member){type, shape, shape == SHAPE_ARRAY ? column->count : 1};
}

void ros_state_schema(const struct view *view, struct buffer *out)
{
    static const char *const types[] = {
        [ARMTAP_BOOL] = "bool",     [ARMTAP_UINT8] = "uint8", [ARMTAP_UINT32] = "uint32",  [ARMTAP_UINT64] = "uint64",
        [ARMTAP_INT32] = "int32",   [ARMTAP_INT64] = "int64", [ARMTAP_DOUBLE] = "float64", [ARMTAP_STRING] = "string",
        [ARMTAP_BYTES] = "uint8[]", [ARMTAP_JSON] = "string",
    };
    bool is_text = is_of_text(view);
    struct buffer text = {0};
    buffer_string(&text, "std_msgs/Header header\n");
    for (size_t i = 0; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        const struct member member = member_of(view, pick, is_text);
        char count[24];
        snprintf(count, sizeof count, "[%u]", member.count);
        buffer_string(&text, types[member.type]);
        buffer_string(&text, member.shape == SHAPE_ARRAY ? count : member.shape == SHAPE_SEQUENCE ? "[]" : "");
        buffer_char(&text, ' ');
        buffer_string(&text, pick->key);
        buffer_char(&text, '\n');
    }
    buffer_string(&text, "string[] absent\n");
    ros_definition(text.data, text.length, out);
    out->failed = out->failed || text.failed;
    free(text.data);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void put_text(const struct cdr *cdr, const char *text, size_t length)
{
    struct buffer clean = {0};
    char shown[UTF8_SHOWN_MAX];
    size_t plain = 0;
    while (plain < length && text[plain] >= ' ' && text[plain] <= '~')
        plain++;
    if (plain == length) {
        cdr_text(cdr, text, length);
        return;
    }
    for (size_t done = 0, used; done < length; done += used)
        buffer_put(&clean, shown, utf8_store(shown, text + done, length - done, &used));
    cdr_text(cdr, clean.data, clean.length);
    cdr->out->failed = cdr->out->failed || clean.failed;
    free(clean.data);
}

/* Numbers are 64 bits until they are put: those of a double, or of an integer in two's complement. */
static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* What stands for an absent number. Integers have no NaN; the member `absent` names them. */
static uint64_t no_number(enum armtap_type type)
{
    return type == ARMTAP_DOUBLE ? bits_of(NAN) : 0;
}

static void put_number(const struct cdr *cdr, enum armtap_type type, uint64_t bits)
{
    switch (type) {
    case ARMTAP_BOOL:
        cdr_bool(cdr, bits != 0);
        break;
    case ARMTAP_UINT8:
        cdr_u8(cdr, (uint8_t)bits);
        break;
    case ARMTAP_UINT32:
    case ARMTAP_INT32:
        cdr_u32(cdr, (uint32_t)bits);
        break;
    default:
        cdr_u64(cdr, bits);
    }
}

/* Whether integers of that type hold a number. */
static bool holds(enum armtap_type type, double number)
{
    switch (type) {
    case ARMTAP_BOOL:
        return number == 0 || number == 1;
    case ARMTAP_UINT8:
        return number >= 0 && number <= UINT8_MAX;
    case ARMTAP_UINT32:
        return number >= 0 && number <= UINT32_MAX;
    case ARMTAP_INT32:
        return number >= INT32_MIN && number <= INT32_MAX;
    case ARMTAP_INT64:
        return number >= -TWO_TO_63 && number < TWO_TO_63;
    default:
        return number >= 0 && number < 2 * TWO_TO_63;
    }
}

/* A double as a number of that type. False if it is none. */
static bool convert(double number, enum armtap_type type, uint64_t *bits)
{
    if (type == ARMTAP_DOUBLE) {
        *bits = bits_of(number);
        return true;
    }
    if (!holds(type, number) || floor(number) != number)
        return false;
    *bits = number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
    return true;
}

/* Only values of a text protocol may have another type than their column. */
static bool read_number(const struct armtap_value *value, unsigned element, enum armtap_type type, uint64_t *bits)
{
    bool is_signed = armtap_value_is_signed(value);
    if (!value->present || armtap_value_is_text(value) || element >= value->count)
        return false;
    if (value->type == type) {
        *bits = value->u64[element];
        return true;
    }
    if (value->type == ARMTAP_DOUBLE)
        return convert(value->f64[element], type, bits);
    double number = is_signed ? (double)value->i64[element] : (double)value->u64[element];
    if (type == ARMTAP_DOUBLE)
        return convert(number, type, bits);
    *bits = value->u64[element];
    return holds(type, number);
}

/* ---- members of a message ---------------------------------------------------------------------------------------- */

/* A member of a message being made. */
struct making {
    const struct cdr *cdr;
    const struct member *member;
    const struct pick *pick;
    const struct armtap_value *value;
    enum armtap_generation generation;
    uint64_t *misfits; /* values that are not of the member's type */
};

/* These put a member, or an element of it, and return whether it is there. */
static bool put_mode(const struct making *making, unsigned element)
{
    char digits[MODE_NAME_MAX];
    const struct armtap_value *value = making->value;
    bool is_there = value->present && !armtap_value_is_text(value) && element < value->count;
    const char *name = is_there ? mode_name(value, element, making->generation, digits) : NULL;
    cdr_string(making->cdr, name ? name : "");
    return name != NULL;
}

/* A value of any type, as JSON; "" if it is absent or JSON has no such number. */
static bool put_as_json(const struct making *making)
{
    static const struct cell_style json = {.truth = {"false", "true"}};
    const struct armtap_value *value = making->value;
    struct buffer text = {0};
    if (value->present && value->type == ARMTAP_JSON)
        json_put_mended(&text, value->text, value->length);
    else if (value->present && value->type == ARMTAP_STRING)
        json_put_quoted(&text, value->text, value->length);
    else if (value->present && !armtap_value_is_text(value) &&
             (value->type != ARMTAP_DOUBLE || isfinite(value->f64[0])))
        cells_number(value, 0, &json, &text);
    cdr_text(making->cdr, text.data, text.length);
    making->cdr->out->failed = making->cdr->out->failed || text.failed;
    free(text.data);
    return text.length > 0;
}

static bool put_string(const struct making *making, unsigned element)
{
    const struct armtap_value *value = making->value;
    if (making->member->type == ARMTAP_JSON)
        return put_as_json(making);
    if (!armtap_value_is_text(value))
        return put_mode(making, element);
    bool is_there = value->present && element == 0;
    put_text(making->cdr, is_there ? value->text : "", is_there ? value->length : 0);
    return is_there;
}

static bool put_bytes(const struct making *making)
{
    const struct armtap_value *value = making->value;
    bool is_there = value->present && armtap_value_is_text(value);
    *making->misfits += value->present && !is_there;
    cdr_bytes(making->cdr, is_there ? value->text : "", is_there ? value->length : 0);
    return is_there;
}

static bool put_element(const struct making *making, unsigned element)
{
    const struct armtap_value *value = making->value;
    enum armtap_type type = making->member->type;
    uint64_t bits;
    if (type == ARMTAP_STRING || type == ARMTAP_JSON)
        return put_string(making, element);
    if (type == ARMTAP_BYTES)
        return put_bytes(making);
    bool is_there = read_number(value, element, type, &bits);
    if (!is_there && value->present && element < (armtap_value_is_text(value) ? 1 : value->count))
        ++*making->misfits;
    put_number(making->cdr, type, is_there ? bits : no_number(type));
    return is_there;
}

/* An element of a JSON array. */
static bool put_item(const struct making *making, const struct armtap_json_token *item)
{
    enum armtap_type type = making->member->type;
    bool is_number = item->kind == ARMTAP_JSON_NUMBER;
    bool is_truth = item->kind == ARMTAP_JSON_FALSE || item->kind == ARMTAP_JSON_TRUE;
    uint64_t bits = item->kind == ARMTAP_JSON_TRUE;
    if (type == ARMTAP_STRING || type == ARMTAP_JSON) {
        cdr_text(making->cdr, item->text, item->length);
        return true;
    }
    bool is_there = is_number ? convert(armtap_json_double(item), type, &bits) : is_truth && type != ARMTAP_DOUBLE;
    *making->misfits += !is_there && item->kind != ARMTAP_JSON_NULL;
    put_number(making->cdr, type, is_there ? bits : no_number(type));
    return is_there;
}

static bool put_items(const struct making *making, struct armtap_json items)
{
    struct armtap_json again = items;
    struct armtap_json_token item;
    size_t count = 0;
    bool is_there = true;
    while (json_elements_next(&items, &item))
        count++;
    cdr_count(making->cdr, count);
    while (json_elements_next(&again, &item))
        is_there &= put_item(making, &item);
    return is_there;
}

static bool put_item_at(const struct making *making, struct armtap_json items, unsigned element)
{
    static const struct armtap_json_token none = {.kind = ARMTAP_JSON_NULL, .text = ""};
    struct armtap_json_token item;
    while (json_elements_next(&items, &item))
        if (element-- == 0)
            return put_item(making, &item);
    put_item(making, &none);
    return false;
}

static bool put_sequence(const struct making *making)
{
    const struct armtap_value *value = making->value;
    struct armtap_json items;
    bool is_there = true;
    if (json_elements_begin(&items, value))
        return put_items(making, items);
    unsigned count = !value->present ? 0 : armtap_value_is_text(value) ? 1 : value->count;
    cdr_count(making->cdr, count);
    for (unsigned i = 0; i < count; i++)
        is_there &= put_element(making, i);
    return is_there && value->present;
}

static bool put_member(const struct making *making)
{
    const struct armtap_value *value = making->value;
    const struct pick *pick = making->pick;
    struct armtap_json items;
    bool is_there = true;
    if (making->member->shape == SHAPE_SEQUENCE)
        return put_sequence(making);
    if (value->present && value->type == ARMTAP_DOUBLE && making->member->type == ARMTAP_DOUBLE &&
        pick->first + making->member->count <= value->count) {
        cdr_f64s(making->cdr, value->f64 + pick->first, making->member->count);
        return true;
    }
    if ((making->member->type != ARMTAP_JSON || pick->element) && json_elements_begin(&items, value))
        return put_item_at(making, items, pick->first);
    for (unsigned k = 0; k < making->member->count; k++)
        is_there &= put_element(making, pick->first + k);
    return is_there;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct ros_rows {
    const struct view *view;
    struct buffer absent; /* size_t: picks of the current row */
    uint64_t misfits;     /* of all rows */
    /* Values that topics need have a slot of their own, the others share the last. */
    struct armtap_value values[ROS_INPUTS + 1];
    struct plan {
        struct member member;
        enum ros_input input;
    } plans[]; /* by pick */
};

/* The input that a pick is as a whole, of the first arm. */
static enum ros_input input_of(const struct view *view, const struct pick *pick)
{
    if (pick->row_column != ROW_COLUMN_NONE || pick->element)
        return ROS_INPUTS;
    const struct table_column *column = &view->table->columns[pick->column];
    return column->field && column->arm <= 1 ? ros_input_of(column->field) : ROS_INPUTS;
}

struct ros_rows *ros_rows_new(const struct view *view)
{
    struct ros_rows *rows = calloc(1, sizeof *rows + view->picks.count * sizeof *rows->plans);
    if (!rows)
        return NULL;
    rows->view = view;
    bool is_text = is_of_text(view);
    for (size_t i = 0; i < view->picks.count; i++) {
        const struct pick *pick = &view->picks.pick[i];
        rows->plans[i] = (struct plan){member_of(view, pick, is_text), input_of(view, pick)};
    }
    return rows;
}

void ros_rows_free(struct ros_rows *rows)
{
    if (!rows)
        return;
    free(rows->absent.data);
    free(rows);
}

static void put_absent(const struct cdr *cdr, const struct ros_rows *rows)
{
    const size_t *picks = (const size_t *)(const void *)rows->absent.data;
    size_t count = rows->absent.length / sizeof *picks;
    cdr_count(cdr, count);
    for (size_t i = 0; i < count; i++)
        cdr_string(cdr, rows->view->picks.pick[picks[i]].key);
}

void ros_rows_state(struct ros_rows *rows, const struct output_row *row, struct buffer *out)
{
    const struct cdr cdr = cdr_begin(out);
    rows->absent.length = 0;
    cdr_header(&cdr, row->read.time, "");
    for (size_t i = 0; i < rows->view->picks.count; i++) {
        const struct pick *pick = &rows->view->picks.pick[i];
        const struct plan *plan = &rows->plans[i];
        struct armtap_value *value = &rows->values[plan->input];
        if (pick->row_column != ROW_COLUMN_NONE)
            row_column_value(pick->row_column, row, value);
        else
            pick_read(pick, row, value);
        const struct making making = {&cdr, &plan->member, pick, value, row->generation, &rows->misfits};
        if (!put_member(&making))
            buffer_put(&rows->absent, (const char *)&i, sizeof i);
    }
    put_absent(&cdr, rows);
    out->failed = out->failed || rows->absent.failed;
}

uint64_t ros_rows_misfits(const struct ros_rows *rows)
{
    return rows->misfits;
}

struct ros_record ros_rows_record(const struct ros_rows *rows, const struct output_row *row)
{
    return (struct ros_record){
        .time = row->read.time, .generation = row->generation, .release = row->release, .values = rows->values};
}
