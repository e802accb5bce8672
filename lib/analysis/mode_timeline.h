/* The time line of a robot's modes, and where its safety stops begin. */
#ifndef ANALYSIS_MODE_TIMELINE_H
#define ANALYSIS_MODE_TIMELINE_H

#include "findings.h"

/* Room for the changes of one stream, and of all. */
#define MODES_EACH 10000
#define MODES_ALL 50000

struct mode_entry {
    uint64_t connection;
    struct armtap_where where;
    const struct armtap_field *field;
    unsigned arm; /* 1; with AUBO 1 to 4 */
    int64_t value;
    const char *name; /* NULL: the value has none */
};

#define MODES_NAME_MAX 40
/* The field's name as outputs have it: robot_mode, and R2_robot_mode of the second arm. */
const char *modes_field_name(const struct mode_entry *entry, char to[MODES_NAME_MAX]);

/* Entries in the order in which they came. Begins as zeros. */
struct modes {
    struct mode_entry *all;
    size_t count, room;
    uint64_t left_out;
    bool failed;
};
void modes_free(struct modes *modes);

#define MODES_FIELDS 4
/* What a stream said last of an arm; of the robot as a whole, with the first. Begins as zeros. */
struct modes_last {
    int64_t value[MODES_FIELDS];
    bool known[MODES_FIELDS];
    size_t entries;
};

/* Adds what the record changed of its i-th arm: entries, mode.changed and safety.stop. True where a safety stop begins.
 * `last` has a place for each arm that there can be. */
bool modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                  const struct armtap_record *record, size_t i);

/* How the text of a safety.stop or mode.changed tells that the names of the fields are guessed. */
bool modes_is_guess(const char *text);
/* The field that a safety.stop's text names. */
const char *modes_stop_field(const char *text, char to[MODES_NAME_MAX]);

#endif
