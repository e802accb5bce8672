/* JSON text that came over the wire, compact and well-formed: an array's elements, those of nested arrays in their
 * places, and the text as it may be printed. */
#ifndef BASE_JSON_ELEMENTS_H
#define BASE_JSON_ELEMENTS_H

#include "armtap.h"
#include "buffer.h"

enum json_element_kind {
    JSON_ELEMENT_NULL,
    JSON_ELEMENT_FALSE,
    JSON_ELEMENT_TRUE,
    JSON_ELEMENT_WHOLE,
    JSON_ELEMENT_NUMBER,
    JSON_ELEMENT_STRING,
    JSON_ELEMENT_OBJECT
};

struct json_element {
    enum json_element_kind kind;
    const char *text; /* with the quotes of a string */
    size_t length;
};

/* Where the next leaf is looked for. */
struct json_elements {
    const char *at;
    const char *end;
};
/* Whether the value is an array, whose leaves may be asked for then. */
bool json_elements_begin(struct json_elements *leaves, const struct armtap_value *value);
/* False behind the last. */
bool json_elements_next(struct json_elements *leaves, struct json_element *leaf);
/* How many leaves an array has; an empty one counts as one. 0 for what is no array. */
size_t json_elements_count(const struct armtap_value *value);

/* The text of a JSON_ELEMENT_STRING, its escapes resolved. */
void json_element_text(const struct json_element *leaf, struct buffer *out);
/* The number of a JSON_ELEMENT_NUMBER or JSON_ELEMENT_WHOLE. */
double json_element_number(const struct json_element *leaf);
/* JSON as it came, its strings escaped as in all that is written (json_mend). */
void json_elements_copy(const char *json, size_t length, struct buffer *out);

#endif
