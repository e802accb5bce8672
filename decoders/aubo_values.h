/* The texts of AUBO's messages: whether they are JSON, and the values of data messages as cells. */
#ifndef ARMTAP_AUBO_VALUES_H
#define ARMTAP_AUBO_VALUES_H

#include "table/cells.h"
#include "table/json.h"
#include "table/recipe.h"

/* Room for texts that change before they are used. Initially zero: nothing is allocated yet. */
struct armtap_aubo_reader {
    char *copy;
    size_t capacity;
};
void armtap_aubo_reader_free(struct armtap_aubo_reader *reader);
/* Makes `copy` that long. */
int armtap_aubo_reader_room(struct armtap_aubo_reader *reader, size_t capacity);

/* Whether bytes are a list or object of JSON and white space. Sets *message to it, and *count to the number of its
 * elements; of an object that is 0. */
bool armtap_aubo_is_json(const uint8_t *bytes, size_t length, struct armtap_json_token *message, size_t *count);
/* The values after the channel in a message, which begins with a bracket, as far as the recipe has some. Sets *fits to
 * whether the message is JSON and has as many values as the recipe; if not, it must be one of armtap_aubo_is_json. */
int armtap_aubo_values(struct armtap_aubo_reader *reader, const struct armtap_recipe *recipe,
                       const struct armtap_json_token *message, struct armtap_cells *cells, bool *fits);

#endif
