#include <string.h>

#include "table/json.h"
#include "table/recipe.h"
#include "aubo_describe.h"
#include "aubo_text.h"

/* Walks through a text and adds a piece for each value. The piece includes the brackets and the key before the value,
 * and the separator after it: it ends where the next one begins. */
struct walker {
    struct armtap_pieces *pieces;
    const struct armtap_aubo_text *text;
    size_t begin;   /* in the text: of the next piece, or of the one that has not ended */
    bool has_piece; /* which has not ended */
    bool is_set_up;
    unsigned depth;
    struct level {
        bool is_object;
        size_t index;
        const char *key;
        size_t key_length;
    } level[ARMTAP_AUBO_DEPTH_MAX];
};

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
static void set_word(const struct walker *walker, const struct armtap_json_token *token)
{
    struct armtap_value *value = &walker->pieces->piece.value, word = {.present = false, .type = ARMTAP_JSON};
    if (token->kind == ARMTAP_JSON_NUMBER) {
        armtap_json_number(token, &word);
    } else if (token->kind != ARMTAP_JSON_NULL) {
        word = (struct armtap_value){.type = ARMTAP_BOOL, .present = true};
        word.u64[0] = token->kind == ARMTAP_JSON_TRUE;
    }
    bool is_digits = armtap_json_is_digit(token->text[token->length - 1]);
    value->type = is_digits ? ARMTAP_JSON : word.type;
    value->count = 1;
    value->present = word.present;
    if (!word.present) {
        armtap_pieces_remark(walker->pieces, "null: absent");
    } else if (is_digits) {
        value->text = token->text;
        value->length = token->length;
        set_field(walker, &word);
    } else {
        value->u64[0] = word.u64[0]; /* copies any member of the union */
    }
    remark_set_up(walker, &word);
}

/* ---- walking ---- */

static void end_piece(struct walker *walker, const char *here)
{
    size_t at = (size_t)(here - walker->text->bytes);
    if (walker->has_piece && !walker->text->outside)
        armtap_pieces_lengthen(walker->pieces, at - walker->begin);
    if (walker->has_piece)
        walker->begin = at;
    walker->has_piece = false;
}

static void begin_piece(struct walker *walker)
{
    armtap_pieces_add(walker->pieces, walker->text->at + (walker->text->outside ? 0 : walker->begin), 0, NULL);
    name_value(walker);
    walker->has_piece = true;
}

/* What follows a value is the next one of its array; `here` is behind it. */
static void pass_value(struct walker *walker, const char *here)
{
    if (walker->depth > 0)
        walker->level[walker->depth - 1].index++;
    else
        end_piece(walker, here);
}

static void add_value(struct walker *walker, const struct armtap_json_token *value)
{
    begin_piece(walker);
    if (value->kind == ARMTAP_JSON_STRING)
        armtap_pieces_text(walker->pieces, value->text + 1, value->length - 2);
    else
        set_word(walker, value);
    pass_value(walker, value->text + value->length);
}

/* Enters an array or object, or adds it as an empty value. */
static void open_level(struct walker *walker, struct armtap_json *json, bool is_object)
{
    struct armtap_json after = *json;
    struct armtap_json_token token;
    if (armtap_json_next(&after, &token) && token.kind == ARMTAP_JSON_CLOSE) {
        *json = after;
        begin_piece(walker);
        armtap_pieces_remark(walker->pieces, "empty");
        pass_value(walker, after.at);
    } else {
        walker->level[walker->depth++] = (struct level){.is_object = is_object};
    }
}

static void take_token(struct walker *walker, struct armtap_json *json, const struct armtap_json_token *token)
{
    struct level *level = walker->depth > 0 ? &walker->level[walker->depth - 1] : NULL;
    if (token->kind == ARMTAP_JSON_CLOSE) {
        walker->depth--;
        pass_value(walker, token->text + 1);
        return;
    }
    end_piece(walker, token->text);
    if (token->kind == ARMTAP_JSON_KEY) {
        level->key = token->text + 1;
        level->key_length = token->length - 2;
    } else if (token->kind == ARMTAP_JSON_ARRAY || token->kind == ARMTAP_JSON_OBJECT) {
        open_level(walker, json, token->kind == ARMTAP_JSON_OBJECT);
    } else {
        add_value(walker, token);
    }
}

void armtap_aubo_describe_list(struct armtap_pieces *pieces, const struct armtap_aubo_text *text)
{
    struct walker walker = {.pieces = pieces, .text = text};
    struct armtap_json_token token;
    unsigned number;
    while (walker.begin < text->length && armtap_aubo_is_blank((uint8_t)text->bytes[walker.begin]))
        walker.begin++;
    if (walker.begin > 0 && !text->outside)
        armtap_pieces_add(pieces, text->at, walker.begin, "white space");
    walker.is_set_up = pieces->subject->direction == ARMTAP_TO_ROBOT &&
                       armtap_aubo_prefix((const uint8_t *)text->bytes + walker.begin, text->length - walker.begin,
                                          &number) == ARMTAP_AUBO_WHOLE &&
                       number == ARMTAP_AUBO_SET_UP;
    struct armtap_json json = armtap_json_begin(text->bytes + walker.begin, text->length - walker.begin);
    if (json.at == json.end || *json.at != '[')
        return;
    while (pieces->error == ARMTAP_OK && armtap_json_next(&json, &token))
        take_token(&walker, &json, &token);
    end_piece(&walker, json.at);
    if (json.fault != ARMTAP_JSON_BAD_WORD)
        return;
    const char *end = json.at;
    while (end < json.end && !strchr(",]}", *end))
        end++;
    begin_piece(&walker);
    armtap_pieces_remark(pieces, "not a JSON value");
    end_piece(&walker, end);
}
