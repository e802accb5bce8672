/* AUBO's messages as JSON: texts to values. */
#ifndef ARMTAP_AUBO_JSON_H
#define ARMTAP_AUBO_JSON_H

#include <json-c/json.h>

#include "../lib/armtap.h"
#include "aubo_words.h"

/* What reads JSON, and is kept for the next message. All zero: nothing is allocated yet. */
struct armtap_aubo_reader {
    struct json_tokener *tokener;
    char *copy; /* of a text that is not taken as it came */
    size_t capacity;
};
void armtap_aubo_reader_free(struct armtap_aubo_reader *reader);

/* Reads one text by json-c. *message becomes NULL where it is no JSON, with what is wrong and at which byte; NaN,
 * Infinity and -Infinity are taken as numbers. The caller releases *message with json_object_put. */
int armtap_aubo_read(struct armtap_aubo_reader *reader, const uint8_t *text, size_t length,
                     struct json_object **message, const char **wrong, size_t *at);
/* Whether json-c would take a text that begins and ends with brackets; *count becomes how many elements it has. Values
 * are read without json-c, which makes an object of each and sets a locale for each text. */
bool armtap_aubo_is_json(const uint8_t *text, size_t length, size_t *count);

/* Elements of a list one after the other, as text without white space around it. */
struct armtap_aubo_element {
    const char *text;
    size_t length;
};
/* The next of them; `cursor` begins as the text of a whole list that is JSON, and moves on. Empty in an empty list. */
void armtap_aubo_next(struct armtap_aubo_element *cursor, struct armtap_aubo_element *element);

/* The value that an element gives of itself: BOOL, INT64, UINT64 beyond it, DOUBLE, STRING, JSON; null is absent. Texts
 * point into the element or the reader: until it is used again. */
int armtap_aubo_value(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                      struct armtap_value *value);
/* The same as a value of `field`, its number multiplied by `scale`; *fits becomes false where it has not that type and
 * count. An array of one element may stand for it. */
int armtap_aubo_field_value(struct armtap_aubo_reader *reader, const struct armtap_aubo_element *element,
                            const struct armtap_field *field, double scale, struct armtap_value *value, bool *fits);

#endif
