#include "json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define NODES_MAX 1000000

struct reading {
    struct armtap_json json;
    struct json_node *nodes;
    size_t count;
    size_t open[ARMTAP_JSON_DEPTH_MAX]; /* nodes that are not closed */
    const struct json_taker *taker;     /* NULL: none */
    size_t list;                        /* of the taker, whose element came last; 0: none */
    bool is_first;
    enum json_fault fault;
};

static bool fail(struct reading *reading, enum json_fault fault)
{
    reading->fault = fault;
    return false;
}

static bool add_node(struct reading *reading, const struct armtap_json_token *token)
{
    bool has_quotes = token->kind == ARMTAP_JSON_STRING || token->kind == ARMTAP_JSON_KEY;
    if (reading->count == NODES_MAX)
        return fail(reading, JSON_TOO_LARGE);
    if (!MAKE_ROOM(reading->nodes, reading->count))
        return fail(reading, JSON_NO_MEMORY);
    reading->nodes[reading->count++] = (struct json_node){
        .kind = token->kind,
        .size = 1,
        .text = token->text + has_quotes,
        .length = token->length - 2 * has_quotes,
    };
    return true;
}

/* Whether a member of the root is one of the taker's lists. */
static bool is_listed(const struct json_taker *taker, const struct json_node *key)
{
    for (size_t i = 0; taker->names[i]; i++)
        if (json_node_is(key, taker->names[i]))
            return true;
    return false;
}

/* Whether no member before has the same name: of several the first counts. */
static bool is_first(const struct json_node *root, const struct json_node *key)
{
    const struct json_node *at = root + 1;
    while (at->length != key->length || memcmp(at->text, key->text, key->length) != 0)
        at = json_node_next(at + 1);
    return at == key;
}

/* An element is complete: if it is one of the taker's lists, it goes to the taker. */
static bool hand_over(struct reading *reading)
{
    const struct json_taker *taker = reading->taker;
    const struct json_node *root = reading->nodes, *list = root + reading->open[1];
    if (!taker || reading->json.depth != 2 || root->kind != ARMTAP_JSON_OBJECT || list->kind != ARMTAP_JSON_ARRAY ||
        !is_listed(taker, list - 1))
        return true;
    if (reading->list != reading->open[1])
        reading->is_first = is_first(root, list - 1);
    reading->list = reading->open[1];
    if (taker->take && reading->is_first && !taker->take(taker->user, list, list + 1))
        return fail(reading, JSON_STOPPED);
    reading->count = reading->open[1] + 1;
    return true;
}

/* Makes a node of a token, or closes one. */
static bool add_token(struct reading *reading, const struct armtap_json_token *token)
{
    unsigned depth = reading->json.depth;
    if (token->kind == ARMTAP_JSON_CLOSE) {
        struct json_node *node = &reading->nodes[reading->open[depth]];
        node->size = reading->count - reading->open[depth];
        node->length = (size_t)(token->text + 1 - node->text);
        return hand_over(reading);
    }
    bool opens = token->kind == ARMTAP_JSON_ARRAY || token->kind == ARMTAP_JSON_OBJECT;
    bool is_finite = token->kind != ARMTAP_JSON_NUMBER || armtap_json_is_digit(token->text[token->length - 1]);
    if (opens)
        reading->open[depth - 1] = reading->count;
    if (!is_finite)
        return fail(reading, JSON_MALFORMED);
    return add_node(reading, token) && (opens || token->kind == ARMTAP_JSON_KEY || hand_over(reading));
}

struct json_node *json_read(const char *text, size_t length, enum json_fault *fault, size_t *at)
{
    return json_read_by_element(text, length, NULL, fault, at);
}

struct json_node *json_read_by_element(const char *text, size_t length, const struct json_taker *taker,
                                       enum json_fault *fault, size_t *at)
{
    struct reading reading = {.json = armtap_json_begin(text, length), .taker = taker};
    struct armtap_json_token token;
    while (reading.fault == JSON_FINE && armtap_json_next(&reading.json, &token))
        add_token(&reading, &token);
    if (reading.json.fault != ARMTAP_JSON_FINE)
        reading.fault = reading.json.fault == ARMTAP_JSON_TOO_DEEP ? JSON_TOO_LARGE : JSON_MALFORMED;
    *fault = reading.fault;
    *at = (size_t)((reading.json.wrong ? reading.json.wrong : reading.json.at) - text);
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
    return node && (node->kind == ARMTAP_JSON_STRING || node->kind == ARMTAP_JSON_KEY) &&
           node->length == strlen(text) && memcmp(node->text, text, node->length) == 0;
}

const struct json_node *json_node_member(const struct json_node *node, const char *name)
{
    if (!node || node->kind != ARMTAP_JSON_OBJECT)
        return NULL;
    for (const struct json_node *at = json_node_first(node); at != json_node_end(node); at = json_node_next(at + 1))
        if (json_node_is(at, name))
            return at + 1;
    return NULL;
}

bool json_node_unsigned(const struct json_node *node, uint64_t *number)
{
    *number = 0;
    if (!node || node->kind != ARMTAP_JSON_NUMBER)
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
    bool negative = node && node->kind == ARMTAP_JSON_NUMBER && node->text[0] == '-';
    struct json_node digits =
        negative ? (struct json_node){ARMTAP_JSON_NUMBER, 1, node->text + 1, node->length - 1} : (struct json_node){0};
    uint64_t size;
    *number = 0;
    if (!json_node_unsigned(negative ? &digits : node, &size) || size > INT64_MAX)
        return false;
    *number = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

bool json_node_double(const struct json_node *node, double *number)
{
    struct armtap_json_token token;
    *number = 0;
    if (!node || node->kind != ARMTAP_JSON_NUMBER)
        return false;
    token = (struct armtap_json_token){.kind = node->kind, .text = node->text, .length = node->length};
    armtap_json_decimal(node->text, node->text + node->length, &token.decimal);
    *number = armtap_json_double(&token);
    return true;
}

char *json_node_text(const struct json_node *node)
{
    if (!node || node->kind != ARMTAP_JSON_STRING)
        return NULL;
    const struct armtap_json_token string = {.kind = node->kind, .text = node->text - 1, .length = node->length + 2};
    char *text = malloc(string.length);
    if (text)
        text[armtap_json_text(&string, text)] = '\0';
    return text;
}

bool json_elements_begin(struct armtap_json *elements, const struct armtap_value *value)
{
    if (!value->present || value->type != ARMTAP_JSON || value->length == 0 || value->text[0] != '[')
        return false;
    *elements = armtap_json_begin(value->text, value->length);
    return true;
}

bool json_elements_next(struct armtap_json *elements, struct armtap_json_token *element)
{
    struct armtap_json here;
    do {
        here = *elements;
        if (!armtap_json_next(elements, element))
            return false;
    } while (element->kind == ARMTAP_JSON_ARRAY || element->kind == ARMTAP_JSON_CLOSE);
    if (element->kind != ARMTAP_JSON_OBJECT)
        return true;
    *elements = here;
    return armtap_json_value(elements, element);
}

size_t json_elements_count(const struct armtap_value *value)
{
    struct armtap_json elements;
    struct armtap_json_token element;
    size_t count = 0;
    if (!json_elements_begin(&elements, value))
        return 0;
    while (json_elements_next(&elements, &element))
        count++;
    return count == 0 ? 1 : count;
}

void json_element_text(const struct armtap_json_token *element, struct buffer *out)
{
    char *room = buffer_room(out, element->length);
    if (room)
        out->length += armtap_json_text(element, room);
}

bool json_element_is_whole(const struct armtap_json_token *element)
{
    size_t digits = element->text[0] == '-';
    while (digits < element->length && armtap_json_is_digit(element->text[digits]))
        digits++;
    return element->kind == ARMTAP_JSON_NUMBER && digits == element->length;
}
