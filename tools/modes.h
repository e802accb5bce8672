/* The time line of a robot's modes, and where its safety stops begin. */
#ifndef MODES_H
#define MODES_H

#include "findings.h"

/* Room for the changes of one stream, and of all. */
#define MODES_EACH 10000
#define MODES_ALL 100000

struct mode_entry {
    uint64_t connection;
    struct armtap_where where;
    const struct armtap_field *field;
    int64_t value;
    const char *name; /* NULL: the value has none */
};

/* Entries in the order in which they came. Begins as zeros. */
struct modes {
    struct mode_entry *all;
    size_t count, room;
    uint64_t left_out;
    bool failed;
};
void modes_free(struct modes *modes);

#define MODES_FIELDS 4
/* What a stream said last. Begins as zeros. */
struct modes_last {
    int64_t value[MODES_FIELDS];
    bool known[MODES_FIELDS];
    size_t entries;
};

/* Adds what the record changed: entries, mode.changed and safety.stop. True where a safety stop begins. */
bool modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                  const struct armtap_record *record);

#endif
