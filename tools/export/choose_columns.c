/* The columns of each table that is exported, and what is checked before the first row. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"

enum armtap_generation job_layout(const struct job *job, const struct table *table)
{
    if (job->wish->layout != ARMTAP_GENERATION_UNKNOWN)
        return job->wish->layout;
    return table->generation == ARMTAP_GENERATION_CB2 ? ARMTAP_GENERATION_CB2 : ARMTAP_GENERATION_CB3E;
}

static void measure_view(struct view *view)
{
    enum { CELL = 4, NUMBER = 3 }; /* a separator and an absent value; the number after a name */
    const struct picks *picks = &view->picks;
    for (size_t i = 0; i < picks->count; i++) {
        size_t count = picks->pick[i].count, key = picks->pick[i].key ? strlen(picks->pick[i].key) : 0;
        view->cells += count;
        view->keys += key;
        view->longest_key = key > view->longest_key ? key : view->longest_key;
        view->width += CELL * count + key;
        view->header += count * (strlen(picks->pick[i].name) + NUMBER);
    }
}

static int name_modes(struct job *job, struct view *view)
{
    bool if_mixed;
    enum mode_names how = request_mode_names(job, view->table, &if_mixed);
    int outcome = mode_names_apply(how, view->table->columns, &view->picks);
    for (size_t i = 0; i < view->picks.count; i++)
        view->picks.pick[i].if_mixed = if_mixed && view->picks.pick[i].by_name;
    if (how != job->wish->enums && !if_mixed && !job->is_checked)
        message_warning("the controllers of %s number their modes differently, so these are written by name; for "
                        "numbers as well use --enums both",
                        view->table->is_joined ? "these streams" : "a stream whose packets changed");
    return outcome;
}

/* --fields, behind what --changes watches. 0, or -1 without memory. */
static int choose(struct job *job, const struct table *table, struct picks *picks)
{
    if (!job->changes)
        return selection_apply(&job->selection, table->columns, table->column_count, picks);
    if (selection_apply(&job->watched, table->columns, table->column_count, picks) != 0)
        return -1;
    for (size_t i = 0; i < picks->count; i++)
        picks->pick[i].is_watched = picks->pick[i].row_column == ROW_COLUMN_NONE;
    if (!job->wish->fields)
        return 0;
    struct picks others = {0};
    job->selection.without = picks;
    int outcome = selection_apply(&job->selection, table->columns, table->column_count, &others);
    job->selection.without = NULL;
    return picks_append(picks, &others) != 0 ? -1 : outcome;
}

/* 0, or -1 after a message. */
static int fill_view(struct job *job, struct view *view, const struct table *table)
{
    job->selection.parts = table->parts;
    job->selection.part_count = table->part_count;
    if (choose(job, table, &view->picks) != 0)
        return job_give_up_memory(job);
    if (!job->is_checked && check_texts(job, view) != 0)
        return -1;
    if (!job->is_checked)
        request_warn_shadowed(job, view);
    if (name_modes(job, view) != 0 || (job->changes && changes_watch(job->changes, &view->picks) != 0))
        return job_give_up_memory(job);
    /* Readers of the folder take it from the name. */
    if (job->wish->is_folder)
        picks_drop(&view->picks, ROW_COLUMN_robot);
    const struct format *format = job->wish->format;
    if (format->writer->prepare && format->writer->prepare(view, job_layout(job, table)) != 0)
        return job_give_up_memory(job);
    measure_view(view);
    view->header += format->writer->column_cost * view->cells;
    return 0;
}

int job_make_view(struct job *job, struct table *table)
{
    if (table->view)
        return 0;
    if (tables_build(job->tables, table) != 0)
        return job_give_up_memory(job);
    struct view *view = calloc(1, sizeof *view);
    if (!view)
        return job_give_up_memory(job);
    table->view = view;
    view->table = table;
    view->is_shown = job->wish->is_shown;
    view->is_guarded = job->wish->is_guarded;
    return fill_view(job, view, table);
}

int job_make_checked_view(struct job *job, struct table *table)
{
    return job_make_view(job, table) != 0 ? -1 : check_width(job, table);
}

static int check_wanted_views(struct job *job)
{
    for (size_t i = 0; i < tables_count(job->tables) && format_has(job->wish->format, FORMAT_ONLY_NUMBERS); i++) {
        struct table *table = tables_at(job->tables, i);
        if (job_wants(job, table) && (job_make_view(job, table) != 0 || check_view(job, table) != 0))
            return -1;
    }
    return 0;
}

/* Checks what can be checked before the first row. Rows that name their fields take all fields, unless --fields is
 * given. */
int job_check_before_rows(struct job *job)
{
    bool by_name =
        format_has(job->wish->format, FORMAT_ALL_TABLES) && !job->wish->joined && !job->wish->fields && !job->changes;
    size_t wanted = 0;
    for (size_t i = 0; i < tables_count(job->tables); i++) {
        struct table *table = tables_at(job->tables, i);
        if (!job_wants(job, table))
            continue;
        wanted++;
        job->generations |= table->generations;
        if (!by_name && job_make_checked_view(job, table) != 0)
            return -1;
    }
    if (wanted > 0 && check_names(job) != 0)
        return -1;
    if (check_wanted_views(job) != 0)
        return -1;
    job->is_checked = true;
    return 0;
}
