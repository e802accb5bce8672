/* Reads JSON that may be damaged or hostile: a whole text becomes an array of nodes that point into it. */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include "table/json.h"
#include "buffer.h"

/* An element, then those that it contains. In an object names and values take turns. */
struct json_node {
    enum armtap_json_kind kind;
    size_t size;      /* nodes, its own and those that it contains */
    const char *text; /* as in the text; a string without its quotes */
    size_t length;
};

/* What json_read found wrong. */
enum json_fault { JSON_FINE, JSON_MALFORMED, JSON_TOO_LARGE, JSON_NO_MEMORY, JSON_STOPPED };

/* Reads a text of up to a million nodes, nested up to 32 deep, which it must outlive. Returns the root, which the
 * caller frees; NULL with the fault, and where in the text it is. */
struct json_node *json_read(const char *text, size_t length, enum json_fault *fault, size_t *at);

/* Lists in the root that may have any number of elements: they are handed over one by one, and then forgotten. */
struct json_taker {
    const char *const *names; /* of the lists, up to a NULL */
    /* Gets the list as far as it was read, and an element. False: stop with JSON_STOPPED. NULL: only forget them. The
     * list's name is the node before it. */
    bool (*take)(void *user, const struct json_node *list, const struct json_node *element);
    void *user;
};
/* The same; in what it returns, the lists have no elements. */
struct json_node *json_read_by_element(const char *text, size_t length, const struct json_taker *taker,
                                       enum json_fault *fault, size_t *at);

/* The first element of an array or object, and the one after an element; compare with json_node_end. NULL is allowed:
 * then there is none. */
const struct json_node *json_node_first(const struct json_node *node);
const struct json_node *json_node_next(const struct json_node *node);
const struct json_node *json_node_end(const struct json_node *node);
/* The value of that name; NULL if the node is no object, or has none. */
const struct json_node *json_node_member(const struct json_node *node, const char *name);
/* Whether it is a string of that content, without escapes. */
bool json_node_is(const struct json_node *node, const char *text);
/* Whole numbers; false if it is none, or too large. */
bool json_node_unsigned(const struct json_node *node, uint64_t *number);
bool json_node_signed(const struct json_node *node, int64_t *number);
/* The nearest double; false if it is no number. */
bool json_node_double(const struct json_node *node, double *number);
/* A string's content with its escapes resolved, on the heap, NUL-terminated; NULL if memory runs out or it is none. */
char *json_node_text(const struct json_node *node);

/* JSON values from the wire: the elements of an array, with those of nested arrays in their places. */

/* False if the value is not an array. */
bool json_elements_begin(struct armtap_json *elements, const struct armtap_value *value);
/* An object counts as one. False after the last. */
bool json_elements_next(struct armtap_json *elements, struct armtap_json_token *element);
/* How many elements an array has; an empty one counts as one. 0 if the value is not an array. */
size_t json_elements_count(const struct armtap_value *value);

/* Whether an element is a number without point and exponent. */
bool json_element_is_whole(const struct armtap_json_token *element);
/* The text of a string, its escapes resolved. */
void json_element_text(const struct armtap_json_token *element, struct buffer *out);

#endif
