/* AUBO's messages for people: lists of JSON, whose values have the names that the set-up gave them. */
#include "annotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32

/* Goes through a text, and makes a piece of every value, with the brackets and the key before it and what separates it
 * from the next one behind it. */
struct walker {
    const struct subject *subject;
    struct pieces *pieces;
    const struct annotate_text *text;
    size_t at;    /* in the text */
    size_t begin; /* of the next piece */
    bool is_set_up;
    unsigned depth;
    struct level {
        bool is_object;
        size_t index;
        const char *key;
        size_t key_length;
    } level[DEPTH_MAX];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static void skip_blanks(struct walker *walker)
{
    while (walker->at < walker->text->length && is_blank(walker->text->bytes[walker->at]))
        walker->at++;
}

static char here(const struct walker *walker)
{
    return walker->at < walker->text->length ? walker->text->bytes[walker->at] : '\0';
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* The topic of the value at hand, NULL in a set-up and where it is not known. */
static const struct armtap_recipe_entry *entry_of(const struct walker *walker)
{
    size_t index = walker->level[0].index;
    bool is_value = !walker->is_set_up && index > 0 && walker->subject->recipe;
    return is_value ? armtap_recipe_at(walker->subject->recipe, index - 1) : NULL;
}

static void name_value(const struct walker *walker, char name[PIECE_FIELD_MAX])
{
    const struct armtap_recipe_entry *entry = entry_of(walker);
    size_t length = 0, index = walker->level[0].index;
    name[0] = '\0';
    if (index == 0)
        length = (size_t)snprintf(name, PIECE_FIELD_MAX, walker->is_set_up ? "set-up" : "channel");
    else {
        if (entry)
            length = (size_t)snprintf(name, PIECE_FIELD_MAX, "%s", entry->name);
        else if (!walker->is_set_up)
            length = (size_t)snprintf(name, PIECE_FIELD_MAX, "value %zu", index);
    }
    for (unsigned i = 1; i < walker->depth && length < PIECE_FIELD_MAX - 1; i++) {
        const struct level *level = &walker->level[i];
        size_t room = PIECE_FIELD_MAX - length;
        if (level->is_object)
            length += (size_t)snprintf(name + length, room, "%s%.*s", length == 0 ? "" : ".", (int)level->key_length,
                                       level->key);
        else
            length += (size_t)snprintf(name + length, room, "_%zu", level->index);
    }
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static size_t digits_at(const char *text, size_t length, size_t at)
{
    size_t count = 0;
    while (at + count < length && text[at + count] >= '0' && text[at + count] <= '9')
        count++;
    return count;
}

/* As JSON has them. */
static bool is_number(const char *text, size_t length)
{
    size_t at = length > 0 && text[0] == '-' ? 1 : 0, whole = digits_at(text, length, at);
    if (whole == 0 || (whole > 1 && text[at] == '0'))
        return false;
    at += whole;
    if (at < length && text[at] == '.') {
        size_t fraction = digits_at(text, length, at + 1);
        at += fraction == 0 ? 0 : 1 + fraction;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at += at + 1 < length && (text[at + 1] == '-' || text[at + 1] == '+') ? 2 : 1;
        size_t digits = digits_at(text, length, at);
        return digits > 0 && at + digits == length;
    }
    return at == length;
}

/* Units and names of numbers where the topic is a field of the table. */
static void set_field(const struct walker *walker, struct piece *piece, const char *text, size_t length)
{
    const struct armtap_recipe_entry *entry = entry_of(walker);
    const struct armtap_field *field = entry ? entry->field : NULL;
    size_t element = walker->depth == 2 ? walker->level[1].index : 0;
    if (!field || walker->depth > 2 || element >= field->count || (walker->depth == 2 && walker->level[1].is_object))
        return;
    piece_set_unit(piece, field, (unsigned)element);
    /* The table has UR's mA; AUBO sends A. */
    if (strcmp(piece->unit, "mA") == 0)
        snprintf(piece->unit, PIECE_UNIT_MAX, "A");
    if (field->type != ARMTAP_DOUBLE && !memchr(text, '.', length))
        piece_remark_value(piece, field, strtoll(piece->number, NULL, 10), walker->subject->generation);
}

static bool set_word(const struct walker *walker, struct piece *piece, const char *text, size_t length)
{
    static const struct {
        const char *word, *number, *remark;
        enum piece_kind kind;
    } words[] = {{"true", "true", "", PIECE_TRUTH},        {"false", "false", "", PIECE_TRUTH},
                 {"null", "", "null: absent", PIECE_BARE}, {"NaN", "nan", "", PIECE_NUMBER},
                 {"Infinity", "inf", "", PIECE_NUMBER},    {"-Infinity", "-inf", "", PIECE_NUMBER}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) != length || memcmp(words[i].word, text, length) != 0)
            continue;
        piece->kind = words[i].kind;
        snprintf(piece->number, sizeof piece->number, "%s", words[i].number);
        snprintf(piece->remark, sizeof piece->remark, "%s", words[i].remark);
        return true;
    }
    if (!is_number(text, length))
        return false;
    if (length >= sizeof piece->number) {
        piece_set_text(piece, text, length);
        return true;
    }
    piece->kind = PIECE_NUMBER;
    memcpy(piece->number, text, length);
    piece->number[length] = '\0';
    set_field(walker, piece, text, length);
    return true;
}

/* What the members of a set-up mean. */
static void remark_set_up(const struct walker *walker, struct piece *piece)
{
    bool is_text = piece->kind == PIECE_TEXT;
    if (!walker->is_set_up || is_text)
        return;
    if (strcmp(piece->field, "frequency") == 0)
        snprintf(piece->unit, PIECE_UNIT_MAX, "Hz");
    if (strcmp(piece->field, "frequency") == 0 && strtod(piece->number, NULL) == 0)
        snprintf(piece->remark, PIECE_REMARK_MAX, "ends the channel");
    if (strcmp(piece->field, "to_server") == 0 && piece->kind == PIECE_TRUTH)
        snprintf(piece->remark, PIECE_REMARK_MAX,
                 piece->number[0] == 't' ? "the client sends it" : "the controller sends it");
    if (strcmp(piece->field, "trigger") == 0 && strcmp(piece->number, "0") == 0)
        snprintf(piece->remark, PIECE_REMARK_MAX, "periodic");
}

/* The end of a string whose first quote is at `at`; 0 where it has none. */
static size_t string_end(const struct walker *walker, size_t at)
{
    for (at++; at < walker->text->length; at++) {
        if (walker->text->bytes[at] == '"')
            return at + 1;
        at += walker->text->bytes[at] == '\\';
    }
    return 0;
}

/* ---- going through --------------------------------------------------------------------------------------------- */

static void close_levels(struct walker *walker)
{
    for (; walker->depth > 0 && walker->at < walker->text->length; walker->at++) {
        char c = here(walker);
        if (c == ',')
            walker->level[walker->depth - 1].index++;
        else if (c == ']' || c == '}')
            walker->depth--;
        else if (!is_blank(c))
            return;
    }
}

/* A value of `length` bytes is here; `inner` of a string is without its quotes. */
static bool add_value(struct walker *walker, size_t length, bool is_string)
{
    const struct annotate_text *text = walker->text;
    const char *value = text->bytes + walker->at;
    char name[PIECE_FIELD_MAX];
    name_value(walker, name);
    struct piece *piece = pieces_add(walker->pieces, text->at + (text->packed ? 0 : walker->begin), 0, name);
    bool known = true;
    if (is_string)
        piece_set_text(piece, value + 1, length - 2);
    else if (value[0] == '[' || value[0] == '{')
        snprintf(piece->remark, PIECE_REMARK_MAX, "empty");
    else
        known = set_word(walker, piece, value, length);
    remark_set_up(walker, piece);
    if (!known)
        snprintf(piece->remark, PIECE_REMARK_MAX, "no value of JSON");
    walker->at += length;
    close_levels(walker);
    if (!text->packed)
        piece->length = walker->at - walker->begin;
    walker->begin = walker->at;
    return known;
}

/* A bracket is here: goes into it, unless it is closed at once. */
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
    if (walker->depth == DEPTH_MAX)
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
           !is_blank(walker->text->bytes[walker->at + length]))
        length++;
    return length > 0 && add_value(walker, length, false);
}

bool annotate_list(const struct subject *subject, const struct annotate_text *text, struct pieces *pieces)
{
    struct walker walker = {.subject = subject, .pieces = pieces, .text = text};
    skip_blanks(&walker);
    if (walker.at > 0 && !text->packed)
        pieces_add(pieces, text->at, walker.at, "white space");
    walker.begin = walker.at;
    if (here(&walker) != '[' || !open_level(&walker))
        return false;
    skip_blanks(&walker);
    walker.is_set_up = subject->direction == ARMTAP_TO_ROBOT && text->length - walker.at > 3 &&
                       memcmp(text->bytes + walker.at, "100", 3) == 0;
    while (walker.depth > 0 && walker.at < text->length) {
        skip_blanks(&walker);
        if (walker.level[walker.depth - 1].is_object && !take_key(&walker))
            return false;
        if (!take_value(&walker))
            return false;
    }
    return walker.depth == 0;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

static size_t blanks_of(const uint8_t *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && is_blank((char)bytes[count]))
        count++;
    return count;
}

static bool is_list(const uint8_t *bytes, size_t length)
{
    size_t blanks = blanks_of(bytes, length);
    return blanks < length && (bytes[blanks] == '[' || bytes[blanks] == '{');
}

static bool is_set_up(const uint8_t *bytes, size_t length)
{
    size_t blanks = blanks_of(bytes, length);
    return length - blanks > 4 && memcmp(bytes + blanks, "[100", 4) == 0;
}

const char *annotate_aubo(const struct subject *subject, struct pieces *pieces, const char **why)
{
    bool is_web = annotate_web_length(subject->bytes, subject->length) == subject->length;
    *why = "not JSON, or a part of a message";
    if (!subject->content && is_list(subject->bytes, subject->length) &&
        (!is_web || subject->bytes[0] == '[' || subject->bytes[0] == '{')) {
        const struct annotate_text text = {(const char *)subject->bytes, subject->length, 0, false};
        annotate_list(subject, &text, pieces);
        if (subject->direction == ARMTAP_TO_ROBOT && is_set_up(subject->bytes, subject->length))
            return "set-up";
        return "data";
    }
    if (!is_web && blanks_of(subject->bytes, subject->length) == subject->length) {
        pieces_add(pieces, 0, subject->length, "white space");
        return "white space";
    }
    if (is_web || subject->content || annotate_web_length(subject->bytes, subject->length) > 0)
        return annotate_web(subject, pieces, why);
    return "bytes";
}

size_t annotate_aubo_length(const uint8_t *bytes, size_t length)
{
    size_t web = is_list(bytes, length) ? 0 : annotate_web_length(bytes, length);
    unsigned depth = 0;
    bool in_string = false;
    if (web > 0)
        return web < length ? web : length;
    for (size_t i = 0; i < length; i++) {
        if (in_string) {
            in_string = bytes[i] != '"';
            i += bytes[i] == '\\';
        } else if (bytes[i] == '"') {
            in_string = true;
        } else if (bytes[i] == '[' || bytes[i] == '{') {
            depth++;
        } else if ((bytes[i] == ']' || bytes[i] == '}') && depth > 0 && --depth == 0) {
            return i + 1;
        }
    }
    return length;
}

bool annotate_aubo_to_robot(const uint8_t *bytes, size_t length)
{
    bool is_request = length >= 4 && memcmp(bytes, "GET ", 4) == 0;
    bool is_masked = !is_list(bytes, length) && length >= 2 && annotate_web_length(bytes, length) > 0 &&
                     bytes[0] >= 0x80 && (bytes[1] & 0x80) != 0;
    return is_request || is_masked || (is_list(bytes, length) && is_set_up(bytes, length));
}
