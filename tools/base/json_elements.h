/* JSON text that came over the wire, compact and well-formed: an array's elements, those of nested arrays in their
 * places, and the text as it may be printed. */
#ifndef BASE_JSON_ELEMENTS_H
#define BASE_JSON_ELEMENTS_H

#include "armtap.h"
#include "buffer.h"
#include "value.h"

enum leaf_kind { LEAF_NULL, LEAF_FALSE, LEAF_TRUE, LEAF_WHOLE, LEAF_NUMBER, LEAF_STRING, LEAF_OBJECT };

struct leaf {
    enum leaf_kind kind;
    const char *text; /* with the quotes of a string */
    size_t length;
};

/* Where the next leaf is looked for. */
struct leaves {
    const char *at;
    const char *end;
};
/* Whether the value is an array, whose leaves may be asked for then. */
bool leaves_begin(struct leaves *leaves, const struct armtap_value *value);
/* False behind the last. */
bool leaves_next(struct leaves *leaves, struct leaf *leaf);
/* How many leaves an array has; an empty one counts as one. 0 for what is no array. */
size_t leaves_count(const struct armtap_value *value);

/* The text of a LEAF_STRING, its escapes resolved. */
void leaf_text(const struct leaf *leaf, struct buffer *out);
/* The number of a LEAF_NUMBER or LEAF_WHOLE. */
double leaf_number(const struct leaf *leaf);
/* JSON as it came, its strings escaped as in all that is written (json_mend). */
void leaves_copy(const char *json, size_t length, struct buffer *out);

#endif
