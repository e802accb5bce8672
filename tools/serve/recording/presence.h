/* When each variable of a robot was recorded. A moment is the number of one of its records, since the times of a
 * capture may jump; runs of records of one connection that carry the same variables are kept, not the records. */
#ifndef SERVE_PRESENCE_H
#define SERVE_PRESENCE_H

#include "variables.h"

/* A variable is recorded between two of its records unless they are further apart, and further than usual: ns on the
 * capture's clock, s on the controller's. */
#define PRESENCE_GAP INT64_C(1000000000)
#define PRESENCE_SKIP 0.1
#define PRESENCE_SETS_MAX 256u
#define PRESENCE_CONNECTIONS_MAX 64u /* at a time */

/* What all robots of a capture may take; what lies beyond counts as not recorded. */
struct presence_room {
    size_t runs;  /* 48 bytes each */
    size_t names; /* of different recipes, some 100 bytes each */
};
#define PRESENCE_ROOM                                                                                                  \
    {                                                                                                                  \
        1u << 18, 1u << 17                                                                                             \
    }

struct presence;
/* NULL if memory runs out. The variables and the room must outlive it. */
struct presence *presence_new(struct variables *variables, struct presence_room *room);
/* Accepts NULL. */
void presence_free(struct presence *presence);
/* Each record of the robot, in order. New variables are added, with their first values. 0, or -1 if memory runs out. */
int presence_learn(struct presence *presence, const struct armtap_record *record);
/* After the last record, before anything else is asked. 0, or -1 if memory runs out. */
int presence_end(struct presence *presence);
/* Whether there were more runs or sets than are kept. */
bool presence_is_cut(const struct presence *presence);
/* Whether the variable was recorded soon after the first record: within 0.1 s. */
bool presence_begins_with(const struct presence *presence, const struct variable *variable);
/* Times of the variable's first and last record; false if there is none. */
bool presence_span(const struct presence *presence, const struct variable *variable, int64_t *begin, int64_t *end);

struct presence_wish {
    const struct variable *const *variables;
    size_t count;
    int64_t from, to; /* of the capture, what is played */
    bool holds;       /* what was recorded once stays */
};
/* Finds the moment at which the most of them are recorded together: sets lacks[i] of those that are not, and returns
 * how many. */
size_t presence_together(const struct presence *presence, const struct presence_wish *wish, bool *lacks);

/* Goes through the same records once more. */
struct presence_cursor {
    const struct presence *presence;
    uint64_t position; /* of the next record */
    size_t next;       /* run */
    const struct presence_run *active[PRESENCE_CONNECTIONS_MAX];
    size_t active_count;
    uint8_t holders[VARIABLES_MAX]; /* by index of a variable: active runs that have it */
    bool was_recorded[VARIABLES_MAX];
    bool has_changed; /* since its user last set it to false */
};
void presence_rewind(struct presence_cursor *cursor, const struct presence *presence);
void presence_step(struct presence_cursor *cursor);
/* Whether that connection had data at the record of the last step. */
bool presence_has_connection(const struct presence_cursor *cursor, uint64_t connection);

#endif
