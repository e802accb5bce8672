/* --grid: rows at the multiples of an interval since the epoch, in place of rows of records. Each has the newest record
 * at or before it: a record waits until the next one is known. */
#include "job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/process/message.h"

/* Rows of one record: more are taken from a reserve of the export, so that a clock that is set by years does not fill
 * the disk. */
#define ROWS_OF_RECORD 1000
#define ROWS_RESERVED 10000000

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
    struct waiting **waiting;
    size_t count;
};

struct grid {
    struct by_connection lists; /* struct waiting_list */
    uint64_t reserved;          /* rows */
};

struct grid *grid_new(void)
{
    struct grid *grid = calloc(1, sizeof *grid);
    if (grid)
        grid->reserved = ROWS_RESERVED;
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

void grid_free(struct grid *grid)
{
    if (!grid)
        return;
    for (size_t i = 0; i < grid->lists.count; i++)
        list_free(grid->lists.slots[i].thing);
    free(grid->lists.slots);
    free(grid);
}

/* ---- instants -------------------------------------------------------------------------------------------------- */

/* The first instant at a time or later; false if there is none. */
static bool first_instant(int64_t time, int64_t step, int64_t *instant)
{
    int64_t rest = time % step;
    int64_t ahead = rest == 0 ? 0 : rest < 0 ? -rest : step - rest;
    if (time > INT64_MAX - ahead)
        return false;
    *instant = time + ahead;
    return true;
}

/* Instants from a record's time on, before `end`, and within --from and --to. */
static uint64_t count_instants(const struct job *job, int64_t from, int64_t end, int64_t *first)
{
    int64_t step = job->wish->grid;
    if (from < job->range.from)
        from = job->range.from;
    if (end > job->range.to)
        end = job->range.to < INT64_MAX ? job->range.to + 1 : INT64_MAX;
    if (!first_instant(from, step, first) || *first >= end)
        return 0;
    return ((uint64_t)end - 1 - (uint64_t)*first) / (uint64_t)step + 1;
}

/* Whether a record may have so many rows. */
static bool is_affordable(struct job *job, unsigned stream, int64_t from, int64_t end, uint64_t count)
{
    struct grid *grid = job->grid;
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    if (count <= ROWS_OF_RECORD)
        return true;
    if (count <= grid->reserved) {
        grid->reserved -= count;
        return true;
    }
    timestamp_date(first, from, job->wish->zone);
    timestamp_date(last, end, job->wish->zone);
    message_warning("stream %u: no record from %s to %s: the %" PRIu64 " rows of this silence are left out, as --grid "
                    "writes at most %d in silences; give a longer --grid, or --from and --to",
                    stream, first, last, count, ROWS_RESERVED);
    return false;
}

/* ---- a stream's rows ------------------------------------------------------------------------------------------- */

/* Writes the rows of a record that was the newest until `end`. */
static int write_rows(struct job *job, struct waiting *waiting, int64_t end)
{
    const int64_t time = waiting->record.read.time;
    int64_t first;
    uint64_t count = count_instants(job, waiting->next > time ? waiting->next : time, end, &first);
    if (count == 0)
        return 0;
    if (waiting->epoch != tables_epoch(job->tables))
        return job_leave_out(job, &waiting->record);
    struct armtap_record record = waiting->record;
    if (!is_affordable(job, tables_stream_number(job->tables, waiting->stream.connection), time, end, count))
        return 0;
    uint64_t before = job->rows;
    int outcome = 0;
    for (uint64_t i = 0; i < count && outcome == 0 && job->rows == before + i; i++) {
        record.read.time = (int64_t)((uint64_t)first + i * (uint64_t)job->wish->grid);
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

static struct waiting *find_waiting(struct job *job, const struct armtap_record *record)
{
    struct waiting_list *list = by_connection_find(&job->grid->lists, record->stream->connection);
    bool has_kinds = record->direction == ARMTAP_TO_ROBOT || armtap_stream_has(record->stream, ARMTAP_TRAIT_CHANNELS);
    int kind = has_kinds ? record->recipe_id : 0;
    if (!list && !(list = by_connection_new(&job->grid->lists, record->stream->connection, sizeof *list)))
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
    struct waiting *waiting = find_waiting(job, record);
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

int grid_take(struct job *job, const struct armtap_record *record, struct table *table,
              const struct table_layout *layout)
{
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
    int outcome = 0;
    for (size_t i = 0; i < job->grid->lists.count && outcome == 0; i++)
        outcome = end_list(job, job->grid->lists.slots[i].thing);
    return outcome;
}
