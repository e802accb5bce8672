/* Parses AUBO's messages, which are JSON. */
#ifndef ARMTAP_AUBO_JSON_H
#define ARMTAP_AUBO_JSON_H

#include <json-c/json.h>

#include "armtap.h"
#include "aubo_words.h"

/* Parser state kept between messages. Initially zero: nothing is allocated yet. */
struct armtap_aubo_reader {
    struct json_tokener *tokener;
    char *copy; /* of a text that must change before it is used */
    size_t capacity;
};
void armtap_aubo_reader_free(struct armtap_aubo_reader *reader);

/* Parses one text with json-c. If it is not JSON, sets *message to NULL, *wrong to the fault and *at to its byte. NaN,
 * Infinity and -Infinity count as numbers. The caller releases *message with json_object_put. */
int armtap_aubo_read(struct armtap_aubo_reader *reader, const uint8_t *text, size_t length,
                     struct json_object **message, const char **wrong, size_t *at);
/* Whether json-c would accept a text that begins and ends with brackets; sets *count to the number of its elements.
 * Values are read without json-c, which allocates an object for each and sets a locale for each text. */
bool armtap_aubo_is_json(const uint8_t *text, size_t length, size_t *count);

/* An element of a list: its text, without surrounding white space. */
struct armtap_aubo_element {
    const char *text;
    size_t length;
};
/* Gets the next element and advances `cursor`, which begins as the text of a whole JSON list. An empty list gives an
 * empty element. */
void armtap_aubo_next(struct armtap_aubo_element *cursor, struct armtap_aubo_element *element);

/* The value of an element by its own form: BOOL, INT64, UINT64 if larger, DOUBLE, STRING, JSON; null is absent. Texts
 * point into the element or the reader, valid until its next use. */
int armtap_aubo_value(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                      struct armtap_value *value);
/* The same as a value of `field`, numbers multiplied by `scale`. Sets *fits to false if type or count differ. A scalar
 * may come as an array of one element. */
int armtap_aubo_field_value(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                            const struct armtap_field *field, double scale, struct armtap_value *value, bool *fits);

#endif
