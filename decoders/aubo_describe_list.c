#include <string.h>

#include "table/json.h"
#include "table/recipe.h"
#include "aubo_describe.h"
#include "aubo_scan.h"

/* Walks through a text and adds a piece for each value. The piece includes the brackets and the key before the value,
 * and the separator after it. */
struct walker {
    struct armtap_pieces *pieces;
    const struct armtap_aubo_text *text;
    size_t at;    /* in the text */
    size_t begin; /* of the next piece */
    bool is_set_up;
    unsigned depth;
    struct level {
        bool is_object;
        size_t index;
        const char *key;
        size_t key_length;
    } level[ARMTAP_AUBO_DEPTH_MAX];
};

static void skip_blanks(struct walker *walker)
{
    while (walker->at < walker->text->length && armtap_aubo_is_blank((uint8_t)walker->text->bytes[walker->at]))
        walker->at++;
}

static char here(const struct walker *walker)
{
    return walker->at < walker->text->length ? walker->text->bytes[walker->at] : '\0';
}

/* ---- names ---- */

/* The topic of the current value; NULL in a set-up, or if unknown. */
static const struct armtap_recipe_entry *entry_of(const struct walker *walker)
{
    size_t index = walker->level[0].index;
    bool is_value = !walker->is_set_up && index > 0;
    return is_value ? armtap_recipe_at(walker->pieces->subject->recipe, index - 1) : NULL;
}

static void name_topic(const struct walker *walker)
{
    const struct armtap_recipe_entry *entry = entry_of(walker);
    size_t index = walker->level[0].index;
    const char *name = walker->is_set_up ? (index == 0 ? "set-up" : "")
                       : index == 0      ? "channel"
                       : entry           ? entry->name
                                         : "value ";
    armtap_pieces_name(walker->pieces, name, SIZE_MAX);
    if (index > 0 && !entry && !walker->is_set_up)
        armtap_pieces_name_number(walker->pieces, index);
}

/* "value 2.key_0"; in a set-up "segments_0". */
static void name_value(const struct walker *walker)
{
    struct armtap_pieces *pieces = walker->pieces;
    name_topic(walker);
    for (unsigned i = 1; i < walker->depth; i++) {
        const struct level *level = &walker->level[i];
        if (level->is_object) {
            armtap_pieces_name(pieces, ".", pieces->name[0] == '\0' ? 0 : 1);
            armtap_pieces_name(pieces, level->key, level->key_length);
        } else {
            armtap_pieces_name(pieces, "_", 1);
            armtap_pieces_name_number(pieces, level->index);
        }
    }
}

/* ---- values ---- */

/* Sets the unit, and the name of the number, if the topic is a field of the table. */
static void set_field(const struct walker *walker, const struct armtap_value *number)
{
    struct armtap_pieces *pieces = walker->pieces;
    const struct armtap_recipe_entry *entry = entry_of(walker);
    const struct armtap_field *field = entry ? entry->field : NULL;
    size_t element = walker->depth == 2 ? walker->level[1].index : 0;
    if (!field || walker->depth > 2 || element >= field->count || (walker->depth == 2 && walker->level[1].is_object))
        return;
    pieces->piece.value.field = field;
    armtap_pieces_field_unit(pieces, field, (unsigned)element);
    /* The table has UR's mA; AUBO sends A. */
    if (strcmp(pieces->unit, "mA") == 0)
        armtap_pieces_unit(pieces, "A");
    if (field->type != ARMTAP_DOUBLE && number->type != ARMTAP_DOUBLE)
        armtap_pieces_field_remark(pieces, field, number->i64[0]);
}

/* Explains the members of a set-up. */
static void remark_set_up(const struct walker *walker, const struct armtap_value *value)
{
    struct armtap_pieces *pieces = walker->pieces;
    bool is_zero = value->type == ARMTAP_DOUBLE ? value->f64[0] == 0 : value->u64[0] == 0;
    if (!walker->is_set_up || !value->present)
        return;
    if (strcmp(pieces->name, "frequency") == 0) {
        armtap_pieces_unit(pieces, "Hz");
        if (is_zero)
            armtap_pieces_remark(pieces, "ends the channel");
    }
    if (strcmp(pieces->name, "to_server") == 0 && value->type == ARMTAP_BOOL)
        armtap_pieces_remark(pieces, value->u64[0] ? "the client sends it" : "the controller sends it");
    if (strcmp(pieces->name, "trigger") == 0 && is_zero)
        armtap_pieces_remark(pieces, "periodic");
}

/* Sets a value that is not a string. A number keeps its digits. */
static bool set_word(const struct walker *walker, const char *text, size_t length)
{
    struct armtap_value *value = &walker->pieces->piece.value, word = {.present = false, .type = ARMTAP_JSON};
    struct armtap_json json = armtap_json_begin(text, length);
    struct armtap_json_token token;
    if (!armtap_json_next(&json, &token) || json.at != json.end) {
        armtap_pieces_remark(walker->pieces, "not a JSON value");
        return false;
    }
    if (token.kind == ARMTAP_JSON_NUMBER) {
        armtap_json_number(&token, &word);
    } else if (token.kind != ARMTAP_JSON_NULL) {
        word = (struct armtap_value){.type = ARMTAP_BOOL, .present = true};
        word.u64[0] = token.kind == ARMTAP_JSON_TRUE;
    }
    bool is_digits = armtap_json_is_digit(text[length - 1]);
    value->type = is_digits ? ARMTAP_JSON : word.type;
    value->count = 1;
    value->present = word.present;
    if (!word.present) {
        armtap_pieces_remark(walker->pieces, "null: absent");
    } else if (is_digits) {
        value->text = text;
        value->length = length;
        set_field(walker, &word);
    } else {
        value->u64[0] = word.u64[0]; /* copies any member of the union */
    }
    remark_set_up(walker, &word);
    return true;
}

/* The end of the string whose first quote is at `at`; 0 if it does not end. */
static size_t string_end(const struct walker *walker, size_t at)
{
    for (at++; at < walker->text->length; at++) {
        if (walker->text->bytes[at] == '"')
            return at + 1;
        at += walker->text->bytes[at] == '\\';
    }
    return 0;
}

/* ---- walking ---- */

static void close_levels(struct walker *walker)
{
    for (; walker->depth > 0 && walker->at < walker->text->length; walker->at++) {
        char c = here(walker);
        if (c == ',')
            walker->level[walker->depth - 1].index++;
        else if (c == ']' || c == '}')
            walker->depth--;
        else if (!armtap_aubo_is_blank((uint8_t)c))
            return;
    }
}

/* Adds the value of `length` bytes here. Its piece ends where the next one begins. */
static bool add_value(struct walker *walker, size_t length, bool is_string)
{
    const struct armtap_aubo_text *text = walker->text;
    const char *value = text->bytes + walker->at;
    bool known = true;
    armtap_pieces_add(walker->pieces, text->at + (text->outside ? 0 : walker->begin), 0, NULL);
    name_value(walker);
    if (is_string)
        armtap_pieces_text(walker->pieces, value + 1, length - 2);
    else if (value[0] == '[' || value[0] == '{')
        armtap_pieces_remark(walker->pieces, "empty");
    else
        known = set_word(walker, value, length);
    walker->at += length;
    close_levels(walker);
    if (!text->outside)
        armtap_pieces_lengthen(walker->pieces, walker->at - walker->begin);
    walker->begin = walker->at;
    return known;
}

/* Enters the bracket here, or adds it as an empty value. */
static bool open_level(struct walker *walker)
{
    size_t first = walker->at++;
    bool is_object = walker->text->bytes[first] == '{';
    skip_blanks(walker);
    if (here(walker) == (is_object ? '}' : ']')) {
        size_t length = walker->at + 1 - first;
        walker->at = first;
        return add_value(walker, length, false);
    }
    if (walker->depth == ARMTAP_AUBO_DEPTH_MAX)
        return false;
    walker->level[walker->depth++] = (struct level){.is_object = is_object};
    return true;
}

static bool take_key(struct walker *walker)
{
    struct level *level = &walker->level[walker->depth - 1];
    size_t end = here(walker) == '"' ? string_end(walker, walker->at) : 0;
    if (end == 0)
        return false;
    level->key = walker->text->bytes + walker->at + 1;
    level->key_length = end - walker->at - 2;
    walker->at = end;
    skip_blanks(walker);
    if (here(walker) != ':')
        return false;
    walker->at++;
    skip_blanks(walker);
    return true;
}

static bool take_value(struct walker *walker)
{
    size_t length = 0;
    char c = here(walker);
    if (c == '[' || c == '{')
        return open_level(walker);
    if (c == '"') {
        size_t end = string_end(walker, walker->at);
        return end > 0 && add_value(walker, end - walker->at, true);
    }
    while (walker->at + length < walker->text->length &&
           !strchr(",]}[{:\"", walker->text->bytes[walker->at + length]) &&
           !armtap_aubo_is_blank((uint8_t)walker->text->bytes[walker->at + length]))
        length++;
    return length > 0 && add_value(walker, length, false);
}

void armtap_aubo_describe_list(struct armtap_pieces *pieces, const struct armtap_aubo_text *text)
{
    struct walker walker = {.pieces = pieces, .text = text};
    unsigned number;
    skip_blanks(&walker);
    if (walker.at > 0 && !text->outside)
        armtap_pieces_add(pieces, text->at, walker.at, "white space");
    walker.begin = walker.at;
    walker.is_set_up = pieces->subject->direction == ARMTAP_TO_ROBOT &&
                       armtap_aubo_prefix((const uint8_t *)text->bytes + walker.at, text->length - walker.at,
                                          &number) == ARMTAP_AUBO_WHOLE &&
                       number == ARMTAP_AUBO_SET_UP;
    if (here(&walker) != '[' || !open_level(&walker))
        return;
    while (walker.depth > 0 && walker.at < text->length && pieces->error == ARMTAP_OK) {
        skip_blanks(&walker);
        if (walker.level[walker.depth - 1].is_object && !take_key(&walker))
            return;
        if (!take_value(&walker))
            return;
    }
}
