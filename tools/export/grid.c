/* --grid: rows at the multiples of an interval since the epoch, in place of rows of records. Each has the newest record
 * at or before it: a record waits until the next one is known. */
#include "job.h"
#include "grid_union.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* The newest record of a stream; of AUBO's channels and of input recipes, of each one. */
struct waiting {
    int kind;
    bool is_kept;
    int64_t next; /* instant after the last one written; ARMTAP_NO_TIME: none was */
    struct armtap_stream stream;
    struct armtap_record record;
    struct buffer bytes; /* of the record */
    struct table *table;
    const struct table_layout *layout;
    uint64_t epoch; /* of the tables */
};

struct waiting_list {
    int64_t latest; /* with --union: the connection's latest record */
    struct waiting **waiting;
    size_t count;
};

struct grid {
    struct by_connection lists; /* struct waiting_list */
    struct grid_axis axis;
    struct grid_union *all; /* with --union; else NULL */
};

struct grid *grid_new(const struct export_wish *wish)
{
    struct grid *grid = calloc(1, sizeof *grid);
    if (!grid)
        return NULL;
    grid->axis = grid_axis_begin(wish->grid, wish->zone);
    if (wish->joined && !(grid->all = grid_union_new(&grid->axis))) {
        free(grid);
        return NULL;
    }
    return grid;
}

static void waiting_free(struct waiting *waiting)
{
    free(waiting->bytes.data);
    free(waiting);
}

static void list_free(struct waiting_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        waiting_free(list->waiting[i]);
    free(list->waiting);
    free(list);
}

static void free_lists(struct grid *grid)
{
    for (size_t i = 0; i < grid->lists.count; i++)
        list_free(grid->lists.slots[i].thing);
    free(grid->lists.slots);
    grid->lists = (struct by_connection){0};
}

void grid_rewind(struct grid *grid)
{
    if (!grid)
        return;
    free_lists(grid);
    if (grid->all)
        grid_union_rewind(grid->all);
}

void grid_free(struct grid *grid)
{
    if (!grid)
        return;
    free_lists(grid);
    grid_union_free(grid->all);
    free(grid);
}

/* ---- a stream's rows ------------------------------------------------------------------------------------------- */

/* Writes the rows of a record that was the newest until `end`. */
static int write_rows(struct job *job, struct waiting *waiting, int64_t end)
{
    const int64_t time = waiting->record.read.time;
    struct grid_axis *axis = &job->grid->axis;
    int64_t first;
    uint64_t count = grid_axis_count(axis, &job->range, waiting->next > time ? waiting->next : time, end, &first);
    if (count == 0)
        return 0;
    if (waiting->epoch != tables_epoch(job->tables))
        return job_leave_out(job, &waiting->record);
    struct armtap_record record = waiting->record;
    char who[40];
    snprintf(who, sizeof who, "stream %u", tables_stream_number(job->tables, waiting->stream.connection));
    if (!grid_axis_affords(axis, who, &(struct timestamp_range){time, end}, count, 1))
        return 0;
    uint64_t before = job->rows;
    int outcome = 0;
    for (uint64_t i = 0; i < count && outcome == 0 && job->rows == before + i; i++) {
        record.read.time = (int64_t)((uint64_t)first + i * (uint64_t)axis->step);
        job->age = record.read.time - time;
        job->is_again = i > 0;
        outcome = job_print_record(job, &record, waiting->table, waiting->layout);
    }
    waiting->next = record.read.time < INT64_MAX ? record.read.time + 1 : INT64_MAX;
    return outcome;
}

/* The record is superseded. */
static void drop(const struct job *job, struct waiting *waiting)
{
    if (waiting->is_kept && waiting->epoch == tables_epoch(job->tables))
        waiting->table->waiting--;
    waiting->is_kept = false;
}

static struct waiting_list *find_list(struct grid *grid, const struct armtap_record *record)
{
    struct waiting_list *list = by_connection_find(&grid->lists, record->stream->connection);
    if (!list && (list = by_connection_new(&grid->lists, record->stream->connection, sizeof *list)))
        list->latest = ARMTAP_NO_TIME;
    return list;
}

static struct waiting *find_waiting(struct job *job, const struct armtap_record *record)
{
    struct waiting_list *list = find_list(job->grid, record);
    bool has_kinds = record->direction == ARMTAP_TO_ROBOT || armtap_stream_has(record->stream, ARMTAP_TRAIT_CHANNELS);
    int kind = has_kinds ? record->recipe_id : 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        if (list->waiting[i]->kind == kind)
            return list->waiting[i];
    struct waiting *waiting = MAKE_ROOM(list->waiting, list->count) ? calloc(1, sizeof *waiting) : NULL;
    if (!waiting)
        return NULL;
    waiting->kind = kind;
    waiting->next = INT64_MIN;
    return list->waiting[list->count++] = waiting;
}

int grid_before(struct job *job, const struct armtap_record *record)
{
    struct waiting *waiting = job->grid->all ? NULL : find_waiting(job, record);
    if (job->grid->all)
        return 0;
    if (!waiting)
        return job_give_up_memory(job);
    if (!waiting->is_kept || record->read.time == ARMTAP_NO_TIME)
        return 0;
    int64_t before = waiting->record.read.time, now = record->read.time;
    if (now >= before)
        return write_rows(job, waiting, now);
    int outcome = write_rows(job, waiting, before + 1); /* the capture's clock was set back: the axis begins anew */
    waiting->next = INT64_MIN;
    return outcome;
}

/* Whether it is earlier than the connection's record before. 0, or -1 after a message. */
static int follow_time(struct job *job, const struct armtap_record *record, bool *is_set_back)
{
    struct waiting_list *list = find_list(job->grid, record);
    if (!list)
        return job_give_up_memory(job);
    *is_set_back = list->latest != ARMTAP_NO_TIME && record->read.time < list->latest;
    list->latest = record->read.time;
    return 0;
}

int grid_learn(struct job *job, const struct armtap_record *record)
{
    bool is_set_back = false;
    if (!job->grid || !job->grid->all || !record->recipe || record->read.time == ARMTAP_NO_TIME)
        return 0;
    if (follow_time(job, record, &is_set_back) != 0)
        return -1;
    grid_union_learn(job->grid->all, record->read.time, is_set_back);
    return 0;
}

/* The record for a row of all robots. */
static int take_for_all(struct job *job, const struct armtap_record *record, struct table *table,
                        const struct table_layout *layout)
{
    bool is_set_back = false;
    if (follow_time(job, record, &is_set_back) != 0)
        return -1;
    return grid_union_take(job, job->grid->all, record, table, layout, is_set_back);
}

int grid_take(struct job *job, const struct armtap_record *record, struct table *table,
              const struct table_layout *layout)
{
    if (job->grid->all)
        return take_for_all(job, record, table, layout);
    struct waiting *waiting = find_waiting(job, record);
    if (!waiting)
        return job_give_up_memory(job);
    drop(job, waiting);
    waiting->bytes.length = 0;
    buffer_put(&waiting->bytes, (const char *)record->missing, record->missing_count * sizeof *record->missing);
    buffer_put(&waiting->bytes, (const char *)record->values, record->values_length);
    if (waiting->bytes.failed)
        return job_give_up_memory(job);
    waiting->stream = *record->stream;
    waiting->record = *record;
    waiting->record.stream = &waiting->stream;
    waiting->record.missing = (const void *)waiting->bytes.data;
    waiting->record.values = (const uint8_t *)waiting->bytes.data + record->missing_count * sizeof *record->missing;
    waiting->table = table;
    waiting->layout = layout;
    waiting->epoch = tables_epoch(job->tables);
    waiting->is_kept = true;
    table->waiting++;
    return 0;
}

/* Nothing newer comes: the last row is that of the last record's own time, if that is an instant. */
static int end_list(struct job *job, struct waiting_list *list)
{
    int outcome = 0;
    for (size_t i = 0; i < list->count && outcome == 0; i++) {
        struct waiting *waiting = list->waiting[i];
        if (waiting->is_kept)
            outcome = write_rows(job, waiting, waiting->record.read.time + 1);
        drop(job, waiting);
    }
    return outcome;
}

int grid_close(struct job *job, uint64_t connection)
{
    struct waiting_list *list = by_connection_find(&job->grid->lists, connection);
    return list ? end_list(job, list) : 0;
}

void grid_let_go(struct grid *grid, uint64_t connection)
{
    struct waiting_list *list = by_connection_remove(&grid->lists, connection);
    if (list)
        list_free(list);
}

int grid_end(struct job *job)
{
    int outcome = job->grid->all ? grid_union_end(job, job->grid->all) : 0;
    for (size_t i = 0; i < job->grid->lists.count && outcome == 0; i++)
        outcome = end_list(job, job->grid->lists.slots[i].thing);
    if (job->grid->all)
        grid_union_report(job, job->grid->all);
    return outcome;
}
