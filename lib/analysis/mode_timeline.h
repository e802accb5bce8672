/* The time line of a robot's modes, and where its safety stops begin. */
#ifndef ANALYSIS_MODE_TIMELINE_H
#define ANALYSIS_MODE_TIMELINE_H

#include "findings.h"

/* Room for the changes of one stream, and of all. */
#define MODES_EACH 10000
#define MODES_ALL 50000

/* Entries in the order in which they came. Begins as zeros. */
struct modes {
    struct armtap_mode *all;
    size_t count, room;
    uint64_t left_out;
    bool failed;
};
void armtap_modes_free(struct modes *modes);

/* What a stream said last of an arm; of the robot as a whole, with the first. Begins as zeros. */
struct modes_last {
    int64_t value[ARMTAP_MODE_FIELDS];
    bool known[ARMTAP_MODE_FIELDS];
    size_t entries;
};

/* Adds what the record changed of its i-th arm: entries, mode.changed and safety.stop. True where a safety stop begins.
 * `last` has a place for each arm that there can be. */
bool armtap_modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                         const struct armtap_record *record, size_t i);

/* How the text of a safety.stop or mode.changed tells that the names of the fields are guessed. */
bool armtap_modes_is_guess(const char *text);
/* The field that a safety.stop's text names. */
const char *armtap_modes_stop_field(const char *text, char to[ARMTAP_MODE_NAME_MAX]);

#endif
