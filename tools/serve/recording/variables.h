/* What a robot can be asked for by name: RTDE variables, each with its place in an image. An image holds the values of
 * all of them at one moment, as they are on the wire. */
#ifndef SERVE_VARIABLES_H
#define SERVE_VARIABLES_H

#include "armtap.h"

#define VARIABLES_MAX 2048
#define VARIABLE_NAME_MAX 255

struct variable {
    char *name;
    size_t name_length;
    enum armtap_type type;
    unsigned count;
    size_t index;                     /* in the list */
    size_t offset, size;              /* in the image */
    const struct armtap_field *field; /* NULL: the table has no such field, or it has another type */
    bool recorded;                    /* at some time of the capture */
    uint8_t *fill;                    /* its value where it is not recorded; NULL: none */
};
/* Otherwise only what clients write can be read back. */
static inline bool variable_is_played(const struct variable *variable)
{
    return variable->recorded || variable->fill;
}

struct variables;
/* NULL if memory runs out. */
struct variables *variables_new(void);
void variables_free(struct variables *variables);
/* Adds what clients may both write and read back, unless it is there. 0, or -1 if memory runs out. */
int variables_add_registers(struct variables *variables);
/* Adds a variable, or finds it: the first type of a name stays. Sets *added to it, or to NULL if there are too many or
 * RTDE has no such type. 0, or -1 if memory runs out. `image` grows with it, filled with zeros. */
int variables_add(struct variables *variables, const char *name, enum armtap_type type, unsigned count,
                  struct variable **added);
/* Adds a field, unless it is there, and its value for the times at which it is not recorded. Sets *filled to it, or to
 * NULL if there are too many or the one that is there has another type. 0, or -1 if memory runs out. */
int variables_fill(struct variables *variables, const struct armtap_value *value, struct variable **filled);
/* NULL if there is none. */
const struct variable *variables_find(const struct variables *variables, const char *name, size_t length);
const struct variable *variables_of_field(const struct variables *variables, size_t id);
size_t variables_count(const struct variables *variables);
const struct variable *variables_at(const struct variables *variables, size_t i);
/* Bytes of an image. */
size_t variables_size(const struct variables *variables);
/* The image of first values, which whoever adds variables fills. */
uint8_t *variables_first(struct variables *variables);

/* Writes the elements of a value as they are on the wire. */
void value_put(uint8_t *to, const struct armtap_value *value);
/* Reads a variable in an image; it has a field. */
void variable_value(const struct variable *variable, const uint8_t *image, struct armtap_value *value);
/* Reads element `i` of a variable in an image as a number. */
double variable_number(const struct variable *variable, const uint8_t *image, unsigned i);

/* The newest value of each variable of a robot, from all its streams together: an image. */

struct robot_view;
/* Learns the variables of a record, and of those that are new the first values. Fields of legacy packets count under
 * their RTDE names. 0, or -1 if memory runs out. */
int robot_view_learn(struct variables *variables, const struct armtap_record *record);

/* Whether all bytes of a value are there: records may be short, or cut by the snapshot length. */
bool robot_view_has(const struct armtap_record *record, size_t offset, size_t size);

/* Begins with zeros: no value is there before it was recorded. The variables must outlive it and stay as they are. NULL
 * if memory runs out. */
struct robot_view *robot_view_new(const struct variables *variables);
void robot_view_free(struct robot_view *view);
/* Takes the values of a record. 0, or -1 if memory runs out. */
int robot_view_take(struct robot_view *view, const struct armtap_record *record);
const uint8_t *robot_view_image(const struct robot_view *view);

/* --fill NAME=VALUE: what clients get of a field where the capture lacks it. */

struct fill {
    const char *text; /* as given */
    struct armtap_value value;
};

/* Reads an element for each of the field's, or one for all of them, as its type in the table demands. 0, or -1 after a
 * message. */
int fill_parse(struct fill *fill, const char *text);

#endif
