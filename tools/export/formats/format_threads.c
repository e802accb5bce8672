#define _POSIX_C_SOURCE 200809L
#include "target.h"

#include <pthread.h>
#include <sched.h>

#include "base/process/message.h"
#include "base/os/interrupt.h"
#include "format.h"

enum {
    ROWS_MAX = 512,            /* in a batch */
    ROWS_IN_FLIGHT = 4096,     /* in all batches together */
    BYTES_MAX = 128 * 1024,    /* of the rows' values in a batch */
    BATCHES_PER_THREAD = 4,    /* so that no thread waits for the slowest ... */
    BATCHES_MAX = 32,          /* ... with few threads */
    BYTES_IN_FLIGHT = 1 << 20, /* of values in all batches together */
    WIDTH_SHARE = 4,           /* text besides values, as a multiple of BYTES_MAX; a row with few values can be long */
    TEXT_KEPT = 4 << 20,       /* buffer size that all batches together keep for text */
    EASE_EVERY = 1 << 20,      /* bytes of rows after which targets_ease is called: it depends on the rows only */
    TURNS_AWAKE = 2000,        /* before sleeping: about a millisecond */
    THREADS_MAX = 16,          /* the reading thread cannot keep more busy */
};

/* What a batch keeps of a row besides what the format gets. */
struct batch_row {
    const struct view *view;
    struct output_file *outlet;
    size_t cut_at, before_at;
    size_t values_at; /* offset in the batch's bytes, which may move while it is filled */
    size_t robot_at;
    size_t client_at;
    size_t text_end; /* offset in the batch's text; valid for the last row of a run */
};

enum batch_state { BATCH_FILLING, BATCH_READY, BATCH_BUSY, BATCH_DONE };

struct batch {
    enum batch_state state; /* guarded by the lock, unless FILLING */
    size_t count;
    size_t width; /* sum over the rows' views */
    bool eases;   /* call targets_ease after it */
    struct buffer bytes;
    struct buffer text;
    struct columns columns;    /* of the current run */
    struct number_cell *above; /* the same */
    size_t above_room;
    struct pick_above *picks_above; /* the same */
    size_t picks_room;
    uint64_t misfits; /* of all its runs */
    struct output_row
        *rows; /* rows_max of them; of several robots in a row, so many of each, one robot after another */
    struct batch_row more[]; /* the same */
};

struct batches {
    struct targets *targets;
    size_t parts;     /* robots in a row */
    size_t rows_max;  /* of a batch */
    size_t bytes_max; /* the same */
    size_t text_kept; /* the same */
    size_t uneased;   /* bytes of rows since targets_ease was last due */
    uint64_t misfits; /* of the batches that have been collected */
    bool failed;      /* a batch: no row may follow those that are missing */
    struct batch **ring;
    size_t room;
    size_t first;  /* the oldest batch not collected; this and the next two only ever grow */
    size_t begun;  /* guarded by the lock: the oldest that no thread formats */
    size_t filled; /* guarded by the lock: the one being filled */
    pthread_t *workers;
    size_t worker_count;
    bool has_lock;
    bool ends; /* guarded by the lock */
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_cond_t done;
};

static struct batch *batch_at(const struct batches *batches, size_t number)
{
    return batches->ring[number % batches->room];
}

/* ---- formatting ------------------------------------------------------------------------------------------------ */

/* The end of the run of rows of one table in one file that begins at `from`. */
static size_t run_end(const struct batch *batch, size_t from)
{
    size_t to = from + 1;
    while (to < batch->count && batch->more[to].view == batch->more[from].view &&
           batch->more[to].outlet == batch->more[from].outlet)
        to++;
    return to;
}

/* What a run knows of its rows so far: nothing yet. The first row sets what its picks have. 0, or -1 if memory ran out.
 */
static int begin_cells(struct batch *batch, size_t cells, size_t picks)
{
    if (batch->picks_room < picks) {
        struct pick_above *above = realloc(batch->picks_above, picks * sizeof *above);
        if (!above)
            return -1;
        batch->picks_above = above;
        batch->picks_room = picks;
    }
    if (batch->above_room < cells) {
        struct number_cell *above = realloc(batch->above, cells * sizeof *above);
        if (!above)
            return -1;
        batch->above = above;
        batch->above_room = cells;
    }
    for (size_t i = 0; i < cells; i++)
        batch->above[i].length = 0;
    return 0;
}

static int format_run(const struct batches *batches, struct batch *batch, size_t from, size_t count)
{
    const struct format *format = batches->targets->format;
    struct row_batch run = {.view = batch->more[from].view,
                            .rows = &batch->rows[from],
                            .count = count,
                            .part_step = batches->parts > 1 ? batches->rows_max : 0,
                            .misfits = &batch->misfits};
    if (format_has(format, FORMAT_COLUMNS)) {
        batch->columns.part_step = run.part_step;
        if (columns_gather(&batch->columns, run.view, run.rows, count) != 0)
            return -1;
        batch->misfits += batch->columns.misfits;
        run.columns = &batch->columns;
    } else if (batches->parts > 1) {
        return format->writer->rows(&run, &batch->text);
    } else if (begin_cells(batch, run.view->cells, run.view->picks.count) != 0) {
        return -1;
    } else {
        run.above = batch->above;
        run.picks_above = batch->picks_above;
    }
    return format->writer->rows(&run, &batch->text);
}

/* The bytes of rows have their place now. */
static void find_rows(struct batch *batch, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) {
        batch->rows[i].cut = (const void *)(batch->bytes.data + batch->more[i].cut_at);
        batch->rows[i].before = batch->bytes.data + batch->more[i].before_at;
        batch->rows[i].values = (const uint8_t *)batch->bytes.data + batch->more[i].values_at;
        batch->rows[i].robot = batch->bytes.data + batch->more[i].robot_at;
        batch->rows[i].client = batch->bytes.data + batch->more[i].client_at;
    }
}

static void format(const struct batches *batches, struct batch *batch)
{
    batch->text.length = 0;
    batch->misfits = 0;
    for (size_t part = 0; part < batches->parts; part++)
        find_rows(batch, part * batches->rows_max, batch->count);
    for (size_t from = 0, to; from < batch->count; from = to) {
        to = run_end(batch, from);
        if (format_run(batches, batch, from, to - from) != 0)
            batch->text.failed = true;
        batch->more[to - 1].text_end = batch->text.length;
    }
}

/* Formats the oldest waiting batch. Called with the lock held, releases it meanwhile. False if no batch waits. */
static bool format_next(struct batches *batches)
{
    if (batches->begun == batches->filled)
        return false;
    struct batch *batch = batch_at(batches, batches->begun++);
    batch->state = BATCH_BUSY;
    pthread_mutex_unlock(&batches->lock);
    format(batches, batch);
    pthread_mutex_lock(&batches->lock);
    batch->state = BATCH_DONE;
    pthread_cond_signal(&batches->done);
    return true;
}

/* Waits. Spins before sleeping: a sleeping thread may be woken on the processor of the thread that wakes it, so that
 * both share it while another one is idle; kernels of virtual machines do that. */
static void wait_for(struct batches *batches, pthread_cond_t *what, unsigned turns)
{
    if (turns >= TURNS_AWAKE) {
        pthread_cond_wait(what, &batches->lock);
        return;
    }
    pthread_mutex_unlock(&batches->lock);
    sched_yield();
    pthread_mutex_lock(&batches->lock);
}

static void *work(void *user)
{
    struct batches *batches = user;
    pthread_mutex_lock(&batches->lock);
    for (unsigned turns = 0; !batches->ends; turns++)
        if (format_next(batches))
            turns = 0;
        else
            wait_for(batches, &batches->work, turns);
    pthread_mutex_unlock(&batches->lock);
    return NULL;
}

/* ---- collecting ------------------------------------------------------------------------------------------------ */

static void shrink(const struct batches *batches, struct buffer *text)
{
    if (text->room <= batches->text_kept)
        return;
    free(text->data);
    *text = (struct buffer){0};
}

/* Puts the text of a batch into its files. */
static enum sink_outcome collect(struct batches *batches, struct batch *batch)
{
    enum sink_outcome outcome = batches->failed ? SINK_FAILED : SINK_OK;
    if (outcome == SINK_OK && batch->text.failed) {
        message_no_memory();
        outcome = SINK_FAILED;
    }
    for (size_t from = 0, to, begin = 0; from < batch->count && outcome == SINK_OK; from = to) {
        to = run_end(batch, from);
        size_t end = batch->more[to - 1].text_end;
        outcome = target_put(batches->targets, batch->more[from].outlet, batch->more[from].view,
                             batch->text.data + begin, end - begin);
        begin = end;
    }
    if (outcome == SINK_OK && batch->eases)
        outcome = targets_ease(batches->targets);
    batches->failed = outcome == SINK_FAILED;
    batches->misfits += batch->misfits;
    batch->state = BATCH_FILLING;
    batch->count = 0;
    batch->width = 0;
    batch->eases = false;
    batch->bytes.length = 0;
    shrink(batches, &batch->text);
    return outcome;
}

/* Waits until the oldest batch is formatted, formatting others meanwhile, and collects it. */
static enum sink_outcome collect_first(struct batches *batches)
{
    struct batch *batch = batch_at(batches, batches->first);
    pthread_mutex_lock(&batches->lock);
    for (unsigned turns = 0; batch->state != BATCH_DONE; turns++)
        if (!format_next(batches))
            wait_for(batches, &batches->done, turns);
    pthread_mutex_unlock(&batches->lock);
    batches->first++;
    return collect(batches, batch);
}

static enum sink_outcome submit(struct batches *batches)
{
    pthread_mutex_lock(&batches->lock);
    batch_at(batches, batches->filled)->state = BATCH_READY;
    batches->filled++;
    pthread_cond_signal(&batches->work);
    pthread_mutex_unlock(&batches->lock);
    return batches->filled - batches->first < batches->room ? SINK_OK : collect_first(batches);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static size_t keep(struct buffer *bytes, const void *data, size_t length)
{
    size_t at = bytes->length;
    buffer_put(bytes, data, length);
    return at;
}

/* The same from where they may be read as what they are. */
static size_t keep_cut(struct buffer *bytes, const struct armtap_missing *cut, size_t count)
{
    static const char padding[_Alignof(struct armtap_missing)];
    size_t over = bytes->length % sizeof padding;
    if (count == 0)
        return 0;
    if (over > 0)
        buffer_put(bytes, padding, sizeof padding - over);
    return keep(bytes, cut, count * sizeof *cut);
}

static size_t keep_name(struct batch *batch, const char *name)
{
    return keep(&batch->bytes, name, strlen(name) + 1);
}

/* Whether the row before is of the same stream, whose names stay as they are. */
static bool has_names_before(const struct batch *batch, const struct output_row *row)
{
    return batch->count > 0 && row->stream == row[-1].stream && row->robot == row[-1].robot &&
           row->client == row[-1].client;
}

static bool is_full(const struct batches *batches, const struct batch *batch)
{
    return batch->count == batches->rows_max || batch->bytes.length >= batches->bytes_max ||
           batch->width >= WIDTH_SHARE * batches->bytes_max;
}

static inline void keep_row(struct batch *batch, size_t at, const struct output_row *row)
{
    struct batch_row *one = &batch->more[at];
    batch->rows[at] = *row;
    bool has_names = has_names_before(batch, &batch->rows[at]);
    one->robot_at = has_names ? one[-1].robot_at : keep_name(batch, row->robot);
    one->client_at = has_names ? one[-1].client_at : keep_name(batch, row->client);
    one->cut_at = keep_cut(&batch->bytes, row->cut, row->cut_count);
    one->before_at = row->before_length > 0 ? keep(&batch->bytes, row->before, row->before_length) : 0;
    one->values_at = keep(&batch->bytes, row->values, row->values_length);
}

enum sink_outcome batches_row(struct batches *batches, struct output_file *outlet, const struct view *view,
                              const struct output_row *row)
{
    struct batch *batch = batch_at(batches, batches->filled);
    size_t values = 0;
    batch->more[batch->count].view = view;
    batch->more[batch->count].outlet = outlet;
    for (size_t part = 0; part < batches->parts; part++) {
        keep_row(batch, batch->count + part * batches->rows_max, &row[part]);
        values += row[part].values_length;
    }
    if (batch->bytes.failed) {
        message_no_memory();
        return SINK_FAILED;
    }
    batch->count++;
    batch->width += view->width;
    batches->uneased += values + sizeof(uint64_t) * view->cells;
    batch->eases = batches->uneased >= EASE_EVERY;
    if (batch->eases)
        batches->uneased = 0;
    return batch->eases || is_full(batches, batch) ? submit(batches) : SINK_OK;
}

enum sink_outcome batches_drain(struct batches *batches)
{
    enum sink_outcome outcome = SINK_OK;
    if (batch_at(batches, batches->filled)->count > 0)
        outcome = submit(batches);
    while (batches->first != batches->filled && outcome == SINK_OK)
        outcome = collect_first(batches);
    return outcome;
}

uint64_t batches_misfits(const struct batches *batches)
{
    return batches->misfits;
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

static void batch_free(struct batch *batch)
{
    free(batch->bytes.data);
    free(batch->text.data);
    columns_free(&batch->columns);
    free(batch->above);
    free(batch->picks_above);
    free(batch->rows);
    free(batch);
}

static struct batch *batch_new(size_t rows)
{
    struct batch *batch = calloc(1, sizeof *batch + rows * sizeof *batch->more);
    if (!batch)
        return NULL;
    batch->rows = calloc(rows, sizeof *batch->rows);
    if (batch->rows)
        return batch;
    free(batch);
    return NULL;
}

static int make_ring(struct batches *batches, size_t threads)
{
    size_t wanted = threads == 1 ? 1 : threads * BATCHES_PER_THREAD,
           count = wanted < BATCHES_MAX ? wanted : BATCHES_MAX;
    size_t rows = ROWS_IN_FLIGHT / count / batches->parts, bytes = BYTES_IN_FLIGHT / count;
    batches->rows_max = rows == 0 ? 1 : rows < ROWS_MAX ? rows : ROWS_MAX;
    batches->bytes_max = bytes < BYTES_MAX ? bytes : BYTES_MAX;
    batches->text_kept = TEXT_KEPT / count;
    batches->ring = calloc(count, sizeof(struct batch *));
    for (; batches->ring && batches->room < count; batches->room++) {
        struct batch *batch = batch_new(batches->rows_max * batches->parts);
        if (!batch)
            return -1;
        batches->ring[batches->room] = batch;
    }
    return batches->ring ? 0 : -1;
}

/* Fewer workers than requested will do, even none. */
static int start_workers(struct batches *batches, size_t count)
{
    batches->workers = calloc(count + 1, sizeof(pthread_t));
    if (!batches->workers)
        return -1;
    while (batches->worker_count < count && thread_begin(&batches->workers[batches->worker_count], work, batches) == 0)
        batches->worker_count++;
    return 0;
}

static int make_lock(struct batches *batches)
{
    batches->has_lock = pthread_mutex_init(&batches->lock, NULL) == 0 && pthread_cond_init(&batches->work, NULL) == 0 &&
                        pthread_cond_init(&batches->done, NULL) == 0;
    return batches->has_lock ? 0 : -1;
}

struct batches *batches_new(struct targets *targets, unsigned threads, size_t parts)
{
    struct batches *batches = calloc(1, sizeof *batches);
    if (!batches)
        return NULL;
    batches->targets = targets;
    batches->parts = parts;
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    if (make_lock(batches) == 0 && make_ring(batches, threads) == 0 && start_workers(batches, threads - 1) == 0)
        return batches;
    batches_free(batches);
    return NULL;
}

static void end_workers(struct batches *batches)
{
    pthread_mutex_lock(&batches->lock);
    batches->ends = true;
    pthread_cond_broadcast(&batches->work);
    pthread_mutex_unlock(&batches->lock);
    for (size_t i = 0; i < batches->worker_count; i++)
        pthread_join(batches->workers[i], NULL);
    free(batches->workers);
}

void batches_free(struct batches *batches)
{
    if (!batches)
        return;
    if (batches->worker_count > 0)
        end_workers(batches);
    else
        free(batches->workers);
    for (size_t i = 0; i < batches->room; i++)
        batch_free(batches->ring[i]);
    free(batches->ring);
    if (batches->has_lock) {
        pthread_cond_destroy(&batches->work);
        pthread_cond_destroy(&batches->done);
        pthread_mutex_destroy(&batches->lock);
    }
    free(batches);
}
