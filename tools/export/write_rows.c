/* From a record to a row in its file. */
#include "job.h"

#include <stdlib.h>

#include "base/process/message.h"
#include "export/formats/line_cells.h"
#include "export/files/partition.h"
#include "ros/ros.h"
#include "input/robots/labels.h"
#include "input/stream_rank.h"

/* ---- the file of a row ----------------------------------------------------------------------------------------- */

struct output_file *job_outlet(struct job *job, unsigned stream, unsigned part)
{
    bool by_stream = format_has(job->wish->format, FORMAT_ALL_TABLES);
    struct output_file *outlet = output_files_open(&job->outlets, stream, by_stream ? 0 : part);
    if (outlet && format_has(job->wish->format, FORMAT_SEEKS) && !sink_file_path(outlet->sink)) {
        message_error("%s: not a regular file; -f %s must seek in its output; name another one with -o",
                      sink_file_name(outlet->sink), job->wish->format->name);
        outlet = NULL;
    }
    if (!outlet)
        job_give_up(job);
    return outlet;
}

/* Completes a file of a folder that gets no more rows, so that it takes no more memory. */
static int end_outlet(struct job *job, struct output_file *outlet)
{
    if (!outlet || outlet->is_over || !job->batches)
        return 0;
    if (job_check_sink(job, batches_drain(job->batches)) != 0 ||
        job_check_sink(job, target_end(&job->targets, outlet)) != 0)
        return -1;
    outlet->is_over = true;
    return 0;
}

/* The input whose file in the folder a row belongs to: the one with which it was decided, as when each is exported by
 * itself; of files side by side, that of its connection's last packet. */
static uint32_t input_of(const struct job *job, const struct armtap_record *record)
{
    return job->totals.is_beside ? record->stream->beginning.where.file : job->totals.file;
}

/* Two captures of one name hold the same connection, or one capture was named twice. Returns -1. */
static int refuse_twice(struct job *job, const struct output_file *outlet, const struct partition *partition)
{
    message_error(
        "%s and %s: both would be %s, since their names and the first packet of %s are the same; remove one of them, "
        "or rename it",
        outlet->provenance->capture, partition->capture, outlet->name,
        partition->robot ? partition->robot : partition->address);
    return job_give_up(job);
}

/* The open file of that name, if the row may go there; else NULL. *is_taken: it is another's. */
static struct output_file *find_own(const struct job *job, const struct armtap_record *record, char *name,
                                    bool *is_taken)
{
    struct output_file *outlet = output_files_find_named(&job->outlets, name);
    *is_taken = outlet && (outlet->is_over || outlet->provenance->connection != record->stream->connection);
    return outlet;
}

/* Finds the row's file in the folder: *outlet is NULL if it is not open, then *name is its name, which the caller
 * frees. 0, or -1 after a message. */
static int find_in_folder(struct job *job, struct partition *partition, const struct armtap_record *record,
                          struct output_file **outlet, char **name)
{
    char ending[FORMATS_ENDING_MAX];
    bool is_taken;
    do {
        *name = partition_name(job->wish->out, partition, format_ending(job->wish->format, ending));
        if (!*name)
            return job_give_up_memory(job);
        *outlet = find_own(job, record, *name, &is_taken);
        if (*outlet) {
            free(*name);
            *name = NULL;
        }
        if (*outlet && (*outlet)->provenance->file != input_of(job, record))
            return refuse_twice(job, *outlet, partition);
        partition->again++;
    } while (is_taken);
    return 0;
}

static bool is_aimed(const struct table *table, uint32_t input, int64_t day, const struct armtap_record *record)
{
    return table->outlet && table->outlet_file == input && table->outlet_day == day &&
           table->outlet_part == table->part_in_file && table->outlet_connection == record->stream->connection;
}

/* Sets table->outlet to the row's file in the folder if that is open; else to NULL, and *name to its name, which the
 * caller frees. The file before the last one gets no more rows. 0, or -1 after a message. */
static int aim_at_folder(struct job *job, struct table *table, const struct armtap_record *record, char **name)
{
    uint32_t input = input_of(job, record);
    struct output_file *outlet = NULL;
    struct partition partition = {.robot = labels_find(job->source->labels, record->stream->robot),
                                  .address = record->stream->robot,
                                  .day = partition_day(record->read.time),
                                  .capture = replay_file_name(job->source, input),
                                  .begin = record->stream->beginning.where.time,
                                  .client = record->stream->client,
                                  .direction = record->direction,
                                  .part = table->part_in_file};
    *name = NULL;
    if (is_aimed(table, input, partition.day, record))
        return 0;
    if (find_in_folder(job, &partition, record, &outlet, name) != 0)
        return -1;
    if (table->outlet && outlet != table->outlet_before && end_outlet(job, table->outlet_before) != 0) {
        free(*name);
        return -1;
    }
    table->outlet_before = table->outlet ? table->outlet : table->outlet_before;
    table->outlet = outlet;
    table->outlet_file = input;
    table->outlet_connection = record->stream->connection;
    table->outlet_part = table->part_in_file;
    table->outlet_day = partition.day;
    return 0;
}

/* Opens a file in the folder, whose name malloc() made: NULL after a message. */
static struct output_file *open_in_folder(struct job *job, char *name, const struct armtap_record *record)
{
    struct provenance *provenance = malloc(sizeof *provenance);
    uint32_t input = input_of(job, record);
    struct output_file *outlet = NULL;
    if (provenance)
        outlet = output_files_open_named(&job->outlets, name);
    else
        free(name);
    if (!outlet) {
        free(provenance);
        provenance ? job_give_up(job) : job_give_up_memory(job);
        return NULL;
    }
    *provenance = provenance_of(record, replay_file_name(job->source, input), input);
    provenance->grid = job->wish->grid;
    provenance->changes = job->wish->changes;
    outlet->provenance = provenance;
    return outlet;
}

/* ---- the first row of a table ---------------------------------------------------------------------------------- */

static bool checks_later(const struct job *job)
{
    return job->once && (job->wish->split || format_has(job->wish->format, FORMAT_ALL_TABLES));
}

/* For a source that is read once: the checks at the first row of a table. */
static int check_first_row(struct job *job, struct table *table, const struct armtap_record *record)
{
    job->only_table = table;
    job->only_stream = *record->stream;
    if (check_width(job, table) != 0)
        return -1;
    return checks_later(job) ? 0 : check_names(job);
}

static int begin_table(struct job *job, struct table *table, const struct armtap_record *record)
{
    bool all_tables = format_has(job->wish->format, FORMAT_ALL_TABLES);
    if (job->once && !all_tables && check_first_row(job, table, record) != 0)
        return -1;
    unsigned stream = all_tables ? tables_stream_number(job->tables, record->stream->connection) : table->stream;
    if (!job->wish->is_folder)
        table->outlet = job_outlet(job, stream, table->part);
    if (!table->outlet)
        return -1;
    table->begun = true;
    job->begun = true;
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* What is missing before the row of a connection that continues its table. */
static struct missing_flow missing_before(struct job *job, const struct armtap_record *record, struct table *table)
{
    struct missing_flow missing = *missing_data_before(job->missing, record);
    if (table && table->hole_from != ARMTAP_NO_TIME) {
        int64_t time = job->age == ARMTAP_NO_TIME ? record->read.time : record->read.time - job->age;
        missing.seconds += (double)((time - table->hole_from) / 1000) / 1e6;
        missing.from = LOST_FROM_TIME;
        table->hole_from = ARMTAP_NO_TIME;
    }
    return missing;
}

/* Looks up what the ends of a connection are called, once for records that follow one another. */
static void find_names(struct job *job, const struct armtap_stream *stream)
{
    const struct labels *labels = job->source->labels;
    if (labels && (!job->named.is_known || job->named.connection != stream->connection))
        job->named = (struct named_ends){true, stream->connection, labels_find(labels, stream->robot),
                                         labels_find(labels, stream->client)};
}

/* Inline, so that no row is copied. */
static inline struct output_row row_of(struct job *job, const struct armtap_record *record, struct table *table,
                                       const struct table_layout *layout)
{
    job->generations |= 1u << record->stream->generation;
    find_names(job, record->stream);
    return (struct output_row){
        .where = record->where,
        .read = record->read,
        .stream = tables_stream_number(job->tables, record->stream->connection),
        .robot = job->named.robot ? job->named.robot : record->stream->robot,
        .client = job->named.client ? job->named.client : record->stream->client,
        .file = replay_file_name(job->source, record->where.file),
        .several_files = replay_has_several_files(job->source),
        .protocol = record->protocol,
        .direction = record->direction,
        .generation = record->stream->generation,
        .release = ros_release(record->stream),
        .is_mixed = mode_names_are_mixed(job->generations),
        .layout = layout,
        .missing = missing_before(job, record, table),
        .age = job->age,
        .robot_time = robot_clocks_time(&job->clocks, record),
        .values = record->values,
        .values_length = record->values_length,
        .before = job->changes ? changes_before(job->changes)->data : NULL,
        .before_length = job->changes ? changes_before(job->changes)->length : 0,
        .cut = record->missing,
        .cut_count = record->missing_count,
    };
}

struct output_row job_row_of(struct job *job, const struct armtap_record *record, struct table *table,
                             const struct table_layout *layout)
{
    return row_of(job, record, table, layout);
}

static int print_row(struct job *job, const struct armtap_record *record, struct table *table,
                     const struct table_layout *layout, struct output_file *outlet)
{
    struct view *view = table ? table->view : &job->opaque_view;
    if (!job->batches)
        return -1;
    struct output_row row = row_of(job, record, table, layout);
    row.number = ++outlet->rows;
    if (format_has(job->wish->format, FORMAT_SPREADS) && armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT))
        request_warn_cells(job, view, &row);
    if (format_has(job->wish->format, FORMAT_REMARKS)) {
        const struct lane *lane = job_lane(job, record, row.robot);
        if (!lane)
            return job_give_up_memory(job);
        row.lane = lane->number;
        row.place = lane->place;
    }
    job->rows++;
    missing_data_drop(job->missing, record);
    return job_check_sink(job, batches_row(job->batches, outlet, view, &row));
}

/* The row is another capture's. */
static int pass_over(struct job *job, const struct armtap_record *record, struct table *table)
{
    job->generations |= 1u << record->stream->generation;
    missing_before(job, record, table);
    missing_data_drop(job->missing, record);
    return 0;
}

static int make_opaque_view(struct job *job)
{
    struct view *view = &job->opaque_view;
    job->opaque_begun = true;
    if (selection_apply(&job->selection, NULL, 0, &view->picks) != 0)
        return job_give_up_memory(job);
    if (job->wish->format->writer->prepare && job->wish->format->writer->prepare(view, job->wish->layout) != 0)
        return job_give_up_memory(job);
    return 0;
}

int job_print_opaque(struct job *job, const struct armtap_record *record)
{
    job->opaque += !job->totals.elsewhere;
    if (!format_has(job->wish->format, FORMAT_OPAQUE) || job->changes)
        return 0;
    if (job->totals.elsewhere)
        return pass_over(job, record, NULL);
    unsigned stream = tables_stream_number(job->tables, record->stream->connection);
    struct output_file *outlet = job_outlet(job, stream, 0);
    if (!outlet || (!job->opaque_begun && make_opaque_view(job) != 0))
        return -1;
    return print_row(job, record, NULL, NULL, outlet);
}

/* Estimates the bytes of a row's text, plus one for each column that must be looked at. */
static uint64_t row_cost(const struct job *job, const struct view *view, const struct armtap_record *record)
{
    enum { ROW = 160, VALUE = 3 }; /* bytes of the leading columns; bytes of text for a byte of the frame */
    const struct format *format = job->wish->format;
    size_t absent = format_has(format, FORMAT_COLUMNS)        ? sizeof(uint64_t) + 1
                    : format_has(format, FORMAT_ONLY_NUMBERS) ? sizeof "NaN"
                                                              : format->writer->begin != NULL;
    /* Only present values have a key, and each takes at least a byte of the frame. */
    size_t named = record->values_length < view->keys ? record->values_length * view->longest_key : view->keys;
    size_t keys = named < view->keys ? named : view->keys;
    size_t values = record->values_length + (job->changes ? changes_before(job->changes)->length : 0);
    return ROW + keys + view->picks.count + absent * view->cells + VALUE * values;
}

/* Pays for a row, and for the header if it is the first in its file. */
static bool pay(struct job *job, const struct armtap_record *record, const struct view *view, bool is_first)
{
    uint64_t header = is_first && job->wish->format->writer->begin ? view->header : 0;
    uint64_t price = job->is_again ? 0 : tables_row_price(job->tables, record, row_cost(job, view, record));
    return tables_spend(job->tables, record, header + price);
}

/* An output with all tables has one file for each stream. */
static struct output_file *outlet_of_row(struct job *job, struct table *table, const struct armtap_record *record)
{
    if (!format_has(job->wish->format, FORMAT_ALL_TABLES))
        return table->outlet;
    return job_outlet(job, tables_stream_number(job->tables, record->stream->connection), 0);
}

int job_leave_out(struct job *job, const struct armtap_record *record)
{
    tables_leave_out(job->tables, record, true);
    return 0;
}

static bool has_place(const struct job *job, const struct table *table)
{
    bool is_one = job->once && !format_has(job->wish->format, FORMAT_ALL_TABLES) && !job->wish->split;
    return !is_one || !job->only_table || job->only_table == table;
}

/* Whether something changed. One whose last values cannot be afforded has no row. 0, or -1 after a message. */
static int see_changes(struct job *job, const struct armtap_record *record, const struct table *table,
                       const struct table_layout *layout, bool *is_row)
{
    const struct view *view = table->view;
    uint64_t cost = changes_cost(job->changes, record, layout, &view->picks);
    *is_row = false;
    if (cost > 0 && !tables_spend(job->tables, record, cost))
        return job_leave_out(job, record);
    return changes_see(job->changes, record, layout, &view->picks, is_row) == 0 ? 0 : job_give_up_memory(job);
}

int job_watch(struct job *job, const struct armtap_record *record, struct table *table,
              const struct table_layout *layout)
{
    bool is_row;
    if (!job->changes || !table || table->left_out ||
        (!table->view && !tables_spend(job->tables, record, table_cost(table))))
        return 0;
    if (job_make_view(job, table) != 0)
        return -1;
    return see_changes(job, record, table, layout, &is_row);
}

int job_print_record(struct job *job, const struct armtap_record *record, struct table *table,
                     const struct table_layout *layout)
{
    if (!has_place(job, table) && job->only_table &&
        stream_rank(job->only_table->protocol, job->wish->direction) <
            stream_rank(table->protocol, job->wish->direction))
        return 0; /* it goes beside the telemetry that is written */
    if (!has_place(job, table)) {
        request_leave_over(job, record, false);
        return 0;
    }
    if (table->left_out || (!table->view && !tables_spend(job->tables, record, table_cost(table))))
        return job_leave_out(job, record);
    if (job_make_view(job, table) != 0 || job->closed || job->gave_up)
        return -1;
    bool is_row = tables_wants_row(job->tables, record, &job->wish->every);
    if (is_row && job->changes && see_changes(job, record, table, layout, &is_row) != 0)
        return -1;
    if (!is_row)
        return 0;
    if (job->totals.elsewhere)
        return pass_over(job, record, table);
    char *name = NULL; /* of a file in a folder that must be opened */
    if (job->wish->is_folder && aim_at_folder(job, table, record, &name) != 0)
        return -1;
    if (!pay(job, record, table->view, !table->begun || name)) {
        free(name);
        table->outlet = name ? NULL : table->outlet;
        return job_leave_out(job, record);
    }
    if (name && !(table->outlet = open_in_folder(job, name, record)))
        return -1;
    if (!table->begun && begin_table(job, table, record) != 0)
        return -1;
    struct output_file *outlet = outlet_of_row(job, table, record);
    if (outlet && outlet->provenance)
        provenance_add(outlet->provenance, record);
    return outlet ? print_row(job, record, table, layout, outlet) : -1;
}
