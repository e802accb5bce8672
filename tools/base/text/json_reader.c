#include "json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "json_elements.h"

#define DEPTH_MAX 32
#define NODES_MAX 1000000

struct reading {
    const char *text, *at, *end;
    struct json_node *nodes;
    size_t count, room;
    size_t open[DEPTH_MAX]; /* nodes that are not closed */
    size_t depth;
    const struct json_taker *taker; /* NULL: none */
    enum json_fault fault;
};

static bool fail(struct reading *reading, enum json_fault fault)
{
    reading->fault = fault;
    return false;
}

static void skip_blanks(struct reading *reading)
{
    while (reading->at < reading->end && strchr(" \t\r\n", *reading->at) && *reading->at != '\0')
        reading->at++;
}

static bool add_node(struct reading *reading, enum json_kind kind, const char *text, size_t length)
{
    if (reading->count == NODES_MAX)
        return fail(reading, JSON_TOO_LARGE);
    if (reading->count == reading->room) {
        size_t room = reading->room ? 2 * reading->room : 256;
        struct json_node *nodes = realloc(reading->nodes, room * sizeof *nodes);
        if (!nodes)
            return fail(reading, JSON_NO_MEMORY);
        reading->nodes = nodes;
        reading->room = room;
    }
    reading->nodes[reading->count++] = (struct json_node){kind, 1, text, length};
    return true;
}

/* ---- single elements --------------------------------------------------------------------------------------------- */

static bool read_string(struct reading *reading)
{
    const char *from = ++reading->at;
    for (; reading->at < reading->end && *reading->at != '"'; reading->at++) {
        if ((unsigned char)*reading->at < ' ')
            return fail(reading, JSON_MALFORMED);
        if (*reading->at == '\\' && ++reading->at == reading->end)
            break;
    }
    if (reading->at == reading->end)
        return fail(reading, JSON_MALFORMED);
    return add_node(reading, JSON_STRING, from, (size_t)(reading->at++ - from));
}

static bool read_number(struct reading *reading)
{
    const char *from = reading->at;
    while (reading->at < reading->end && *reading->at != '\0' && strchr("+-.0123456789eE", *reading->at))
        reading->at++;
    size_t length = (size_t)(reading->at - from);
    bool has_digit = length > 0 && from[length - 1] >= '0' && from[length - 1] <= '9';
    if (!has_digit || length > 400 || *from == '+' || *from == '.')
        return fail(reading, JSON_MALFORMED);
    return add_node(reading, JSON_NUMBER, from, length);
}

static bool read_word(struct reading *reading, const char *word, enum json_kind kind)
{
    size_t length = strlen(word);
    if ((size_t)(reading->end - reading->at) < length || memcmp(reading->at, word, length) != 0)
        return fail(reading, JSON_MALFORMED);
    reading->at += length;
    return add_node(reading, kind, reading->at - length, length);
}

static bool read_scalar(struct reading *reading)
{
    switch (*reading->at) {
    case '"':
        return read_string(reading);
    case 't':
        return read_word(reading, "true", JSON_TRUE);
    case 'f':
        return read_word(reading, "false", JSON_FALSE);
    case 'n':
        return read_word(reading, "null", JSON_NULL);
    default:
        return read_number(reading);
    }
}

/* ---- nesting ----------------------------------------------------------------------------------------------------- */

static bool is_next(struct reading *reading, char character)
{
    skip_blanks(reading);
    if (reading->at == reading->end || *reading->at != character)
        return false;
    reading->at++;
    return true;
}

static bool read_name(struct reading *reading)
{
    skip_blanks(reading);
    if (reading->at == reading->end || *reading->at != '"')
        return fail(reading, JSON_MALFORMED);
    return read_string(reading) && (is_next(reading, ':') || fail(reading, JSON_MALFORMED));
}

static bool open_container(struct reading *reading, enum json_kind kind)
{
    if (reading->depth == DEPTH_MAX)
        return fail(reading, JSON_TOO_LARGE);
    reading->open[reading->depth++] = reading->count;
    return add_node(reading, kind, reading->at++, 0);
}

static void close_container(struct reading *reading)
{
    struct json_node *node = &reading->nodes[reading->open[--reading->depth]];
    node->size = reading->count - (size_t)(node - reading->nodes);
    node->length = (size_t)(reading->at - node->text);
}

/* An element is complete: if it is one of the taker's list, it goes to the taker. */
static bool hand_over(struct reading *reading)
{
    const struct json_taker *taker = reading->taker;
    const struct json_node *root = reading->nodes, *list = root + reading->open[1];
    if (!taker || reading->depth != 2 || root->kind != JSON_OBJECT || list->kind != JSON_ARRAY ||
        !json_node_is(list - 1, taker->name))
        return true;
    if (taker->take && !taker->take(taker->user, list, list + 1))
        return fail(reading, JSON_STOPPED);
    reading->count = reading->open[1] + 1;
    return true;
}

/* After an element: closes containers that end here, or goes on to their next one. *done: nothing is open. */
static bool read_after(struct reading *reading, bool *done)
{
    while (reading->depth > 0) {
        if (!hand_over(reading))
            return false;
        bool is_object = reading->nodes[reading->open[reading->depth - 1]].kind == JSON_OBJECT;
        if (is_next(reading, ','))
            return !is_object || read_name(reading);
        if (!is_next(reading, is_object ? '}' : ']'))
            return fail(reading, JSON_MALFORMED);
        close_container(reading);
    }
    *done = true;
    return true;
}

/* An element; of a container that is not empty only its beginning. *whole: it is complete. */
static bool read_element(struct reading *reading, bool *whole)
{
    skip_blanks(reading);
    *whole = true;
    if (reading->at == reading->end)
        return fail(reading, JSON_MALFORMED);
    bool is_object = *reading->at == '{';
    if (!is_object && *reading->at != '[')
        return read_scalar(reading);
    if (!open_container(reading, is_object ? JSON_OBJECT : JSON_ARRAY))
        return false;
    if (is_next(reading, is_object ? '}' : ']')) {
        close_container(reading);
        return true;
    }
    *whole = false;
    return !is_object || read_name(reading);
}

struct json_node *json_read(const char *text, size_t length, enum json_fault *fault, size_t *at)
{
    return json_read_by_element(text, length, NULL, fault, at);
}

struct json_node *json_read_by_element(const char *text, size_t length, const struct json_taker *taker,
                                       enum json_fault *fault, size_t *at)
{
    struct reading reading = {.text = text, .at = text, .end = text + length, .taker = taker};
    bool done = false, whole = false, fine = true;
    while (fine && !done) {
        fine = read_element(&reading, &whole);
        if (fine && whole)
            fine = read_after(&reading, &done);
    }
    skip_blanks(&reading);
    if (fine && reading.at != reading.end)
        fail(&reading, JSON_MALFORMED);
    *fault = reading.fault;
    *at = (size_t)(reading.at - text);
    if (reading.fault == JSON_FINE)
        return reading.nodes;
    free(reading.nodes);
    return NULL;
}

/* ---- access ------------------------------------------------------------------------------------------------------ */

const struct json_node *json_node_first(const struct json_node *node)
{
    return node ? node + 1 : NULL;
}

const struct json_node *json_node_next(const struct json_node *node)
{
    return node + node->size;
}

const struct json_node *json_node_end(const struct json_node *node)
{
    return node ? node + node->size : NULL;
}

bool json_node_is(const struct json_node *node, const char *text)
{
    return node && node->kind == JSON_STRING && node->length == strlen(text) &&
           memcmp(node->text, text, node->length) == 0;
}

const struct json_node *json_node_member(const struct json_node *node, const char *name)
{
    if (!node || node->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_node *at = json_node_first(node); at != json_node_end(node); at = json_node_next(at + 1))
        if (json_node_is(at, name))
            return at + 1;
    return NULL;
}

bool json_node_unsigned(const struct json_node *node, uint64_t *number)
{
    *number = 0;
    if (!node || node->kind != JSON_NUMBER)
        return false;
    for (size_t i = 0; i < node->length; i++) {
        unsigned digit = (unsigned)(node->text[i] - '0');
        if (digit > 9 || *number > (UINT64_MAX - digit) / 10)
            return false;
        *number = 10 * *number + digit;
    }
    return true;
}

bool json_node_signed(const struct json_node *node, int64_t *number)
{
    bool negative = node && node->kind == JSON_NUMBER && node->text[0] == '-';
    struct json_node digits =
        negative ? (struct json_node){JSON_NUMBER, 1, node->text + 1, node->length - 1} : (struct json_node){0};
    uint64_t size;
    *number = 0;
    if (!json_node_unsigned(negative ? &digits : node, &size) || size > INT64_MAX)
        return false;
    *number = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

char *json_node_text(const struct json_node *node)
{
    struct buffer out = {0};
    if (!node || node->kind != JSON_STRING)
        return NULL;
    const struct json_element element = {JSON_ELEMENT_STRING, node->text - 1, node->length + 2};
    json_element_text(&element, &out);
    buffer_char(&out, '\0');
    if (!out.failed)
        return out.data;
    free(out.data);
    return NULL;
}
