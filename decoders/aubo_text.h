/* The texts of AUBO's messages. */
#ifndef ARMTAP_AUBO_TEXT_H
#define ARMTAP_AUBO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/budget.h"
#include "table/recipe.h"
#include "table/json.h"

/* ---- aubo_scan.c: where messages begin and end in a stream: JSON arrays one after the other, directly or with white
 * space between them ---- */

#define ARMTAP_AUBO_DEPTH_MAX ARMTAP_JSON_DEPTH_MAX
#define ARMTAP_AUBO_SEARCH_DEPTH_MAX 8 /* the same during a search, where each bracket may begin a message */
#define ARMTAP_AUBO_MESSAGE_MAX ((size_t)ARMTAP_LIMIT_message)
#define ARMTAP_AUBO_PIECE_MAX 4096u             /* bytes; a message that is too long is framed in such pieces */
#define ARMTAP_AUBO_BLANKS_MAX 256u             /* between messages; more become a frame */
#define ARMTAP_AUBO_CHANNELS 100                /* 0 to 99 */
#define ARMTAP_AUBO_SET_UP ARMTAP_AUBO_CHANNELS /* the number that begins a set-up */

enum armtap_aubo_end {
    ARMTAP_AUBO_MORE, /* the message does not end here */
    ARMTAP_AUBO_WHOLE,
    ARMTAP_AUBO_WRONG /* no message continues like this */
};

/* Scanner state within a message. Initially zero: before its first bracket. */
struct armtap_aubo_scan {
    uint32_t braces; /* bit d: the bracket open at depth d is an object */
    unsigned depth;
    bool in_string;
    bool escaped;
    /* Only of strict scans: */
    unsigned commas; /* between the elements of the outermost array */
    bool in_word;    /* a number, true, false, null */
    bool operand;    /* after a value: a comma or a bracket must follow */
    bool opened;     /* directly after an opening bracket */
};
/* Continues a scan. Sets *used to the bytes up to the end of the message (WHOLE), those before the wrong one (WRONG),
 * or all (MORE). Checks brackets and strings only. If `strict`, also rejects what JSON does not allow there, and
 * brackets beyond SEARCH_DEPTH_MAX. */
enum armtap_aubo_end armtap_aubo_scan(struct armtap_aubo_scan *scan, bool strict, const uint8_t *bytes, size_t length,
                                      size_t *used);

/* White space of JSON, or a NUL, which some clients send between messages. */
static inline bool armtap_aubo_is_blank(uint8_t c)
{
    return armtap_json_is_blank((char)c) || c == '\0';
}
/* Number of leading blanks, up to BLANKS_MAX. */
size_t armtap_aubo_blanks(const uint8_t *bytes, size_t length);

/* Whether bytes begin like a message: a bracket, the number of a channel or a set-up, then a comma or the closing
 * bracket. MORE: more bytes are needed to decide. `number` may be NULL. */
enum armtap_aubo_end armtap_aubo_prefix(const uint8_t *bytes, size_t length, unsigned *number);
/* Whether they begin like a set-up: [100,{"chanel": and the like. */
enum armtap_aubo_end armtap_aubo_set_up_prefix(const uint8_t *bytes, size_t length);

/* ---- aubo_values.c: whether they are JSON, and the values of data messages as cells ---- */

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

/* The field of a topic (aubo_topics.def), by its name with the arm; NULL if it has none. *arm becomes the arm's number,
 * 0 if the name tells none. */
const struct armtap_field *armtap_aubo_topic_field(const char *name, size_t length, unsigned *arm);

#endif
