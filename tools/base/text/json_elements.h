/* JSON text from the wire, compact and well-formed: the elements of an array, with those of nested arrays in their
 * places, and the text in printable form. */
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
    const char *text; /* a string includes its quotes */
    size_t length;
};

/* Where the search for the next element starts. */
struct json_elements {
    const char *at;
    const char *end;
};
/* False if the value is not an array. */
bool json_elements_begin(struct json_elements *elements, const struct armtap_value *value);
/* False after the last. */
bool json_elements_next(struct json_elements *elements, struct json_element *element);
/* How many elements an array has; an empty one counts as one. 0 if the value is not an array. */
size_t json_elements_count(const struct armtap_value *value);

/* The text of a JSON_ELEMENT_STRING, its escapes resolved. */
void json_element_text(const struct json_element *element, struct buffer *out);
/* The number of a JSON_ELEMENT_NUMBER or JSON_ELEMENT_WHOLE. */
double json_element_number(const struct json_element *element);
/* JSON as received, its strings escaped as in all output (json_mend). */
void json_elements_copy(const char *json, size_t length, struct buffer *out);

#endif
