/* JSON values from the wire: the elements of an array, with those of nested arrays in their places. */
#ifndef BASE_JSON_ELEMENTS_H
#define BASE_JSON_ELEMENTS_H

#include "buffer.h"
#include "table/json.h"

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
