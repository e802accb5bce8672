/* The timeline of a robot's modes, and where its safety stops begin. */
#ifndef ANALYSIS_MODE_TIMELINE_H
#define ANALYSIS_MODE_TIMELINE_H

#include "findings.h"
#include "safety_state.h"

/* Limits for the changes of one field of a stream, and of all; indices fit into 16 bits. */
#define MODES_EACH 10000
#define MODES_ALL 50000

/* Entries in order of arrival. Starts as zeros. */
struct modes {
    struct armtap_mode *all;
    size_t count, room;
    uint64_t left_out;
    bool failed;
    struct safety_states safety; /* of all streams */
};
void armtap_modes_free(struct modes *modes);

/* The last values of an arm; values of the whole robot are kept with the first arm. Starts as zeros. There are four for
 * each stream of a capture: small numbers, and values in 32 bits as on the wire. */
struct modes_last {
    uint32_t value[ARMTAP_MODE_FIELDS];
    uint32_t bits; /* safety_status_bits, while no safety mode or status is known */
    uint16_t kept[ARMTAP_MODE_FIELDS], kept_last[ARMTAP_MODE_FIELDS]; /* entries of a field, and the last one's index */
    bool known[ARMTAP_MODE_FIELDS];
    bool has_bits;
};

/* Adds the changes of the record's i-th arm: entries, mode.changed, safety.stop, .state and .unknown. True if a safety
 * stop begins. `last` has a place for each possible arm. */
bool armtap_modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                         const struct armtap_record *record, size_t i);

/* Whether the text of a safety.stop, safety.state or mode.changed says that the field names are guessed. */
bool armtap_modes_is_guess(const char *text);
/* Whether a safety.state's text says that the state began before the data. */
bool armtap_modes_is_begun(const char *text);
/* The field that a safety.stop's or safety.state's text names. */
const char *armtap_modes_stop_field(const char *text, char to[ARMTAP_MODE_NAME_MAX]);

#endif
