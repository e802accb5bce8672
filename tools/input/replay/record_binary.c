#include "raw_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_MOST 65531u /* bytes of the values of a data package of protocol 2 */

struct word {
    const char *text;
    size_t length;
};

/* A line's words. */
struct words {
    struct word *word;
    size_t count;
};

static const struct type {
    const char *name;
    unsigned count;
    const char *element;
} types[] = {
    {"BOOL", 1, "BOOL"},          {"UINT8", 1, "UINT8"},          {"UINT32", 1, "UINT32"},   {"UINT64", 1, "UINT64"},
    {"INT32", 1, "INT32"},        {"DOUBLE", 1, "DOUBLE"},        {"VECTOR3D", 3, "DOUBLE"}, {"VECTOR6D", 6, "DOUBLE"},
    {"VECTOR6INT32", 6, "INT32"}, {"VECTOR6UINT32", 6, "UINT32"},
};
#define TYPES (sizeof types / sizeof *types)

static bool is_word(const struct word *word, const char *text)
{
    return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

static const struct type *type_of(const struct word *word)
{
    for (size_t i = 0; i < TYPES; i++)
        if (is_word(word, types[i].name))
            return &types[i];
    return NULL;
}

static bool is_letter(char c, bool lower)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (lower && c >= 'a' && c <= 'z');
}

/* ---- the two lines --------------------------------------------------------------------------------------------- */

/* Splits a line at its blanks. False if other characters are in it. */
static bool split(const char *line, size_t length, bool lower, struct words *words)
{
    words->count = 0;
    while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' '))
        length--;
    for (size_t at = 0; at < length; at++) {
        if (line[at] == ' ')
            continue;
        if (!is_letter(line[at], lower))
            return false;
        if (at == 0 || line[at - 1] == ' ')
            words->word[words->count++] = (struct word){line + at, 0};
        words->word[words->count - 1].length++;
    }
    return words->count > 0;
}

/* Bytes up to and with the line's end; 0: it does not end here. */
static size_t line_at(const uint8_t *bytes, size_t length)
{
    const uint8_t *end = memchr(bytes, '\n', length);
    return end ? (size_t)(end - bytes) + 1 : 0;
}

/* Whether the bytes of an unfinished line may go on as a list. */
static bool may_be_list(const uint8_t *bytes, size_t length, bool lower)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != ' ' && bytes[i] != '\r' && !is_letter((char)bytes[i], lower))
            return false;
    return true;
}

static bool has_known_type(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (type_of(&words->word[i]))
            return true;
    return false;
}

/* ---- fields ---------------------------------------------------------------------------------------------------- */

/* The names and types of a set-up, separated by commas. */
struct lists {
    char *names, *types;
    size_t names_length, types_length;
};

static void add_field(struct lists *lists, const struct word *name, size_t cut, const char *type)
{
    lists->names_length += (size_t)sprintf(lists->names + lists->names_length, "%s%.*s",
                                           lists->names_length > 0 ? "," : "", (int)(name->length - cut), name->text);
    lists->types_length +=
        (size_t)sprintf(lists->types + lists->types_length, "%s%s", lists->types_length > 0 ? "," : "", type);
}

/* Whether `count` words are the elements of one vector: name_0, name_1 and so on. */
static bool are_elements(const struct word *name, size_t left, unsigned count)
{
    size_t stem = name->length - 1;
    if (left < count || name->length < 3)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (name[i].length != name->length || memcmp(name[i].text, name->text, stem) != 0 ||
            name[i].text[stem] != (char)('0' + i) || name[i].text[stem - 1] != '_')
            return false;
    return true;
}

static bool are_alike(const struct word *type, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (type[i].length != type->length || memcmp(type[i].text, type->text, type->length) != 0)
            return false;
    return true;
}

/* The vector whose elements begin here, each with its element's type; NULL: none. Registers have such names, too. */
static const struct type *vector_of(const struct word *name, const struct word *type, size_t left)
{
    if (armtap_field_find(name->text, name->length))
        return NULL;
    for (size_t i = TYPES; i-- > 0;)
        if (types[i].count > 1 && is_word(type, types[i].element) && are_elements(name, left, types[i].count) &&
            are_alike(type, types[i].count) && !are_elements(name, left, types[i].count + 1))
            return &types[i];
    return NULL;
}

static int say(struct record_binary *binary, const char *what, const struct word *word)
{
    snprintf(binary->problem, sizeof binary->problem, "%s%s%.*s", what, word ? " " : "",
             word ? (int)(word->length < 80 ? word->length : 80) : 0, word ? word->text : "");
    return -1;
}

/* Types may stand once a field, once an element as the field's type, or once an element as its own. 0, or -1 with a
 * problem. */
static int list_fields(const struct words *names, const struct words *kinds, struct lists *lists,
                       struct record_binary *binary)
{
    bool by_element = names->count == kinds->count;
    size_t n = 0, k = 0;
    while (n < names->count && k < kinds->count) {
        const struct word *name = &names->word[n], *kind = &kinds->word[k];
        size_t left = names->count - n;
        const struct type *type = type_of(kind);
        if (!type)
            return say(binary, "line 2 has an unknown type:", kind);
        const struct type *vector = type->count > 1 ? type : by_element ? vector_of(name, kind, left) : NULL;
        if (type->count > 1 &&
            (!are_elements(name, left, type->count) || (by_element && !are_alike(kind, type->count))))
            return say(binary, "the names of line 1 do not fit the vectors of line 2, at", name);
        add_field(lists, name, vector ? 2 : 0, vector ? vector->name : type->name);
        n += vector ? vector->count : 1;
        k += vector && by_element ? vector->count : 1;
    }
    return n == names->count && k == kinds->count
               ? 0
               : say(binary, "line 1 has more or fewer names than line 2 types", NULL);
}

static int make_recipe(const struct words *names, const struct words *kinds, struct lists *lists,
                       struct record_binary *binary, enum record_binary_look *look)
{
    *look = RECORD_BINARY_BAD;
    if (list_fields(names, kinds, lists, binary) != 0)
        return 0;
    int error = armtap_recipe_rtde(lists->names, lists->types, &binary->recipe);
    if (error == ARMTAP_ERR_MEMORY)
        return -1;
    if (error != ARMTAP_OK) {
        say(binary, "its two lines are not a recipe", NULL);
    } else if (armtap_recipe_size(binary->recipe) > ROW_MOST) {
        say(binary, "a row of it is longer than any RTDE package", NULL);
        armtap_recipe_release(binary->recipe);
        binary->recipe = NULL;
    } else {
        *look = RECORD_BINARY_YES;
    }
    return 0;
}

/* ---- looking --------------------------------------------------------------------------------------------------- */

/* Both lines are there. */
static int look_at_lines(const char *text, size_t first, size_t second, struct record_binary *binary,
                         enum record_binary_look *look)
{
    struct words names = {malloc((first + 1) * sizeof *names.word), 0};
    struct words kinds = {malloc((second + 1) * sizeof *kinds.word), 0};
    struct lists lists = {malloc(2 * first + 2), malloc(16 * (first + second) + 2), 0, 0};
    int outcome = names.word && kinds.word && lists.names && lists.types ? 0 : -1;
    *look = RECORD_BINARY_NO;
    if (outcome == 0 && split(text, first - 1, true, &names) && split(text + first, second - 1, false, &kinds) &&
        has_known_type(&kinds))
        outcome = make_recipe(&names, &kinds, &lists, binary, look);
    binary->header = first + second;
    free(names.word);
    free(kinds.word);
    free(lists.names);
    free(lists.types);
    return outcome;
}

int record_binary_look(const uint8_t *bytes, size_t length, bool whole, struct record_binary *binary,
                       enum record_binary_look *look)
{
    size_t first = line_at(bytes, length), second = first > 0 ? line_at(bytes + first, length - first) : 0;
    *binary = (struct record_binary){0};
    if (second > 0)
        return look_at_lines((const char *)bytes, first, second, binary, look);
    bool may_be = first == 0 ? may_be_list(bytes, length, true)
                             : may_be_list(bytes, first - 1, true) && may_be_list(bytes + first, length - first, false);
    *look = may_be && !whole ? RECORD_BINARY_MORE : RECORD_BINARY_NO;
    return 0;
}
