#include "grid_union.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"
#include "array.h"
#include "base/process/message.h"
#include "nanoseconds.h"

#define QUEUE_BYTES ((size_t)128 << 20)
enum { ROW = 160, VALUE = 3, ROBOTS_LISTED = 8 }; /* bytes of a robot's text in a row, and for each of its record's */

/* A record that is sorted among the others, or the newest of its part. */
struct held {
    int64_t time;
    uint64_t order;
    size_t size;
    unsigned part;
    bool has_row; /* in the output */
    struct output_row row;
    struct armtap_missing bytes[]; /* of the row: what is cut, then the values, the robot and the client */
};

/* Records of a part that came when rows of their time were written. */
struct too_late {
    char robot[64];
    uint64_t records, rows;
    int64_t first, last, until; /* until: of the rows that are counted */
    int64_t most;               /* how late they were */
};

struct grid_union {
    struct grid_axis *axis;
    struct table *table;
    struct held **queue; /* a heap: the earliest first */
    size_t count, bytes;
    uint64_t order;
    int64_t delay;  /* so much later than others does one come, as the first reading showed */
    int64_t latest; /* of those that were taken since the axis began; ARMTAP_NO_TIME: none was */
    int64_t next;   /* where rows go on; ARMTAP_NO_TIME: at the first record */
    size_t parts, present;
    struct held **newest;    /* by part; NULL: none yet */
    struct output_row *rows; /* the same: of one row */
    struct too_late *late;   /* the same */
};

struct grid_union *grid_union_new(struct grid_axis *axis)
{
    struct grid_union *all = calloc(1, sizeof *all);
    if (all) {
        all->axis = axis;
        all->latest = all->next = ARMTAP_NO_TIME;
    }
    return all;
}

static void forget_newest(struct grid_union *all)
{
    for (size_t i = 0; i < all->parts; i++) {
        free(all->newest[i]);
        all->newest[i] = NULL;
    }
    all->present = 0;
}

void grid_union_free(struct grid_union *all)
{
    if (!all)
        return;
    forget_newest(all);
    for (size_t i = 0; i < all->count; i++)
        free(all->queue[i]);
    free(all->queue);
    free(all->newest);
    free(all->rows);
    free(all->late);
    free(all);
}

/* ---- the queue ------------------------------------------------------------------------------------------------- */

static bool is_before(const struct held *one, const struct held *other)
{
    return one->time != other->time ? one->time < other->time : one->order < other->order;
}

static int put_in(struct grid_union *all, struct held *held)
{
    if (!MAKE_ROOM(all->queue, all->count))
        return -1;
    size_t at = all->count++;
    for (; at > 0 && is_before(held, all->queue[(at - 1) / 2]); at = (at - 1) / 2)
        all->queue[at] = all->queue[(at - 1) / 2];
    all->queue[at] = held;
    all->bytes += held->size;
    return 0;
}

static struct held *take_out(struct grid_union *all)
{
    struct held *first = all->queue[0], *last = all->queue[--all->count];
    size_t at = 0;
    for (size_t next; (next = 2 * at + 1) < all->count; at = next) {
        if (next + 1 < all->count && is_before(all->queue[next + 1], all->queue[next]))
            next++;
        if (!is_before(all->queue[next], last))
            break;
        all->queue[at] = all->queue[next];
    }
    all->queue[at] = last;
    all->bytes -= first->size;
    return first;
}

/* A copy of a record's row; NULL without memory. */
static struct held *hold(struct job *job, struct grid_union *all, const struct armtap_record *record,
                         struct table *table, const struct table_layout *layout)
{
    const struct output_row row = job_row_of(job, record, table, layout);
    size_t cut = record->missing_count * sizeof *record->missing;
    size_t robot = strlen(row.robot) + 1, client = strlen(row.client) + 1;
    size_t size = sizeof(struct held) + cut + record->values_length + robot + client;
    struct held *held = malloc(size);
    if (!held)
        return NULL;
    *held =
        (struct held){.time = record->read.time, .order = all->order++, .size = size, .part = layout->part, .row = row};
    uint8_t *values = (uint8_t *)held->bytes + cut, *texts = values + record->values_length;
    if (cut > 0)
        memcpy(held->bytes, record->missing, cut);
    if (record->values_length > 0)
        memcpy(values, record->values, record->values_length);
    held->row.cut = held->bytes;
    held->row.values = values;
    held->row.robot = memcpy(texts, row.robot, robot);
    held->row.client = memcpy(texts + robot, row.client, client);
    held->row.is_mixed = false; /* a column is of one robot */
    if (held->time < job->range.from)
        held->row.missing = (struct missing_flow){0};
    missing_data_drop(job->missing, record);
    return held;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static const struct table_layout none;

static struct output_row row_at(const struct grid_union *all, size_t part, int64_t instant)
{
    const struct held *held = all->newest[part];
    if (!held)
        return (struct output_row){
            .read.time = instant, .age = ARMTAP_NO_TIME, .is_absent = true, .layout = &none, .robot = "", .client = ""};
    struct output_row row = held->row;
    row.read.time = instant;
    row.age = instant - held->time;
    return row;
}

static int write_row(struct job *job, struct grid_union *all, struct output_file *outlet, int64_t instant)
{
    outlet->rows++;
    for (size_t i = 0; i < all->parts; i++) {
        all->rows[i] = row_at(all, i, instant);
        all->rows[i].number = outlet->rows;
        if (all->newest[i]) {
            all->newest[i]->has_row = true;
            all->newest[i]->row.missing = (struct missing_flow){0};
        }
    }
    job->rows++;
    return job->batches ? job_check_sink(job, batches_row(job->batches, outlet, all->table->view, all->rows)) : -1;
}

/* Writes the rows before `end`. */
static int advance(struct job *job, struct grid_union *all, int64_t end)
{
    int64_t first;
    int outcome = 0;
    if (all->next == ARMTAP_NO_TIME)
        all->next = end;
    uint64_t count = grid_axis_count(all->axis, &job->range, all->next, end, &first);
    const struct timestamp_range silence = {all->next, end};
    all->next = end > all->next ? end : all->next;
    if (count == 0 || !grid_axis_affords(all->axis, "the robots", &silence, count, all->present))
        return 0;
    struct output_file *outlet = job_outlet(job, 0, 0);
    if (!outlet)
        return -1;
    all->table->outlet = outlet;
    all->table->begun = job->begun = true;
    for (uint64_t i = 0; i < count && outcome == 0; i++)
        outcome = write_row(job, all, outlet, (int64_t)((uint64_t)first + i * (uint64_t)all->axis->step));
    return outcome;
}

/* The earliest record of the queue becomes the newest of its part, unless it came too late for that. */
static int pass_on(struct job *job, struct grid_union *all)
{
    struct held *held = take_out(all), **newest = &all->newest[held->part];
    if (*newest && (*newest)->time > held->time) {
        missing_flow_add(&(*newest)->row.missing, &held->row.missing);
        free(held);
        return 0;
    }
    int outcome = advance(job, all, held->time);
    if (*newest && !(*newest)->has_row)
        missing_flow_add(&held->row.missing, &(*newest)->row.missing);
    all->present += !*newest;
    free(*newest);
    *newest = held;
    return outcome;
}

/* ---- what comes too late ---------------------------------------------------------------------------------------- */

/* Counts a record, and the rows of its time, if these are written. */
static void note_late(const struct job *job, const struct grid_union *all, const struct held *held)
{
    struct too_late *late = &all->late[held->part];
    const struct held *newest = all->newest[held->part];
    int64_t end = newest && newest->time > held->time ? newest->time : all->next, first;
    if (all->next == ARMTAP_NO_TIME || grid_axis_count(all->axis, &job->range, held->time, end, &first) == 0)
        return;
    int64_t by = armtap_time_between(held->time, all->latest);
    bool is_first = late->records++ == 0;
    if (is_first)
        snprintf(late->robot, sizeof late->robot, "%s", held->row.robot);
    late->first = is_first || held->time < late->first ? held->time : late->first;
    late->last = is_first || held->time > late->last ? held->time : late->last;
    late->most = by > late->most ? by : late->most;
    late->rows += grid_axis_count(all->axis, &job->range,
                                  is_first || late->until < held->time ? held->time : late->until, end, &first);
    late->until = is_first || end > late->until ? end : late->until;
}

void grid_union_report(const struct job *job, const struct grid_union *all)
{
    char first[WHEN_DATE_MAX], last[WHEN_DATE_MAX];
    uint64_t records = 0, robots = 0;
    for (size_t i = 0; i < all->parts; i++) {
        const struct too_late *late = &all->late[i];
        if (late->records == 0)
            continue;
        if (robots++ >= ROBOTS_LISTED) {
            records += late->records;
            continue;
        }
        timestamp_date(first, late->first, job->wish->zone);
        timestamp_date(last, late->last, job->wish->zone);
        message_warning("%s: %" PRIu64 " record%s from %s to %s arrived up to %.3f s after later ones, when the rows "
                        "of their time were already written: %" PRIu64 " row%s; sort the packets with "
                        "reordercap",
                        late->robot, late->records, late->records == 1 ? "" : "s", first, last,
                        (double)late->most / 1e9, late->rows, late->rows == 1 ? " lacks them" : "s lack them");
    }
    if (robots > ROBOTS_LISTED)
        message_warning("%" PRIu64 " more robots: %" PRIu64 " records arrived when the rows of their time were already "
                        "written",
                        robots - ROBOTS_LISTED, records);
}

/* ---- the course -------------------------------------------------------------------------------------------------- */

int grid_union_end(struct job *job, struct grid_union *all)
{
    int outcome = 0;
    while (all->count > 0 && outcome == 0)
        outcome = pass_on(job, all);
    if (outcome == 0 && all->latest != ARMTAP_NO_TIME && all->latest < INT64_MAX)
        outcome = advance(job, all, all->latest + 1);
    return outcome;
}

static int begin(struct job *job, struct grid_union *all, struct table *table)
{
    if (all->table)
        return 0;
    if (job_make_view(job, table) != 0)
        return -1;
    all->table = table;
    all->parts = tables_part_count(job->tables);
    all->newest = calloc(all->parts, sizeof *all->newest);
    all->rows = calloc(all->parts, sizeof *all->rows);
    all->late = calloc(all->parts, sizeof *all->late);
    return all->newest && all->rows && all->late ? 0 : job_give_up_memory(job);
}

/* Whether the axis begins anew: the capture's clock was set back. */
static bool is_anew(const struct grid_union *all, int64_t time, bool is_set_back)
{
    return is_set_back && all->latest != ARMTAP_NO_TIME && time < all->latest &&
           armtap_time_between(time, all->latest) > ARMTAP_CLOCK_STEP;
}

void grid_union_learn(struct grid_union *all, int64_t time, bool is_set_back)
{
    int64_t behind = 0;
    if (all->latest != ARMTAP_NO_TIME && !is_anew(all, time, is_set_back) && time < all->latest)
        behind = armtap_time_between(time, all->latest);
    else
        all->latest = time;
    all->delay = behind > all->delay ? behind : all->delay;
}

void grid_union_rewind(struct grid_union *all)
{
    all->latest = ARMTAP_NO_TIME;
}

int grid_union_take(struct job *job, struct grid_union *all, const struct armtap_record *record, struct table *table,
                    const struct table_layout *layout, bool is_set_back)
{
    const int64_t time = record->read.time;
    int outcome = begin(job, all, table);
    if (outcome == 0 && is_anew(all, time, is_set_back)) {
        outcome = grid_union_end(job, all);
        forget_newest(all);
        all->latest = all->next = ARMTAP_NO_TIME;
    }
    if (outcome != 0)
        return -1;
    if (!tables_spend(job->tables, record,
                      tables_row_price(job->tables, record, ROW + VALUE * (uint64_t)record->values_length)))
        return job_leave_out(job, record);
    struct held *held = hold(job, all, record, table, layout);
    if (!held || put_in(all, held) != 0) {
        free(held);
        return job_give_up_memory(job);
    }
    all->latest = all->latest == ARMTAP_NO_TIME || time > all->latest ? time : all->latest;
    note_late(job, all, held);
    while (outcome == 0 && all->count > 0 &&
           (all->bytes > QUEUE_BYTES || armtap_time_between(all->queue[0]->time, all->latest) > all->delay))
        outcome = pass_on(job, all);
    return outcome;
}
