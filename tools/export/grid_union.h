/* --grid with --union: all robots in one row. Records of several connections come in order of time only nearly, since
 * one that waits for missing bytes holds its own back, and captures may be joined in any order: they pass a queue in
 * which they are sorted, as long as the first of two readings shows that earlier ones may come. */
#ifndef EXPORT_GRID_UNION_H
#define EXPORT_GRID_UNION_H

#include "export/rows/grid_axis.h"
#include "job.h"

struct grid_union;

/* The axis must outlive it. NULL without memory. */
struct grid_union *grid_union_new(struct grid_axis *axis);
void grid_union_free(struct grid_union *all);
/* Takes a record, and writes the rows before those that are sorted now. `is_set_back`: it is earlier than the one
 * before of its connection. 0, or -1 if the export must stop. */
int grid_union_take(struct job *job, struct grid_union *all, const struct armtap_record *record, struct table *table,
                    const struct table_layout *layout, bool is_set_back);
/* A record of the first reading, and its end. */
void grid_union_learn(struct grid_union *all, int64_t time, bool is_set_back);
void grid_union_rewind(struct grid_union *all);
/* Writes what is left. */
int grid_union_end(struct job *job, struct grid_union *all);
/* Warns of records that came too late for their rows. */
void grid_union_report(const struct job *job, const struct grid_union *all);

#endif
