#define _POSIX_C_SOURCE 200809L
#include "format_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "base/message.h"

enum {
    ROWS_MAX = 512,            /* in a batch */
    ROWS_IN_FLIGHT = 4096,     /* in all batches together */
    BYTES_MAX = 128 * 1024,    /* of the rows' values in a batch */
    BATCHES_PER_THREAD = 4,    /* so that nobody waits for the slowest ... */
    BATCHES_MAX = 32,          /* ... where there are few */
    BYTES_IN_FLIGHT = 1 << 20, /* of values, in all batches together */
    WIDTH_SHARE = 4,           /* of a batch's bytes: so much text besides values; a few values can have a long row */
    TEXT_KEPT = 4 << 20,       /* the batches' texts keep no more room than that together */
    TURNS_AWAKE = 2000,        /* a millisecond or so */
    THREADS_MAX = 16,          /* more have nothing to do: who reads cannot feed them */
};

struct batch_row {
    struct output_row row;
    const struct view *view;
    struct output_file *outlet;
    size_t values_at; /* in the batch's bytes; they move while the batch is filled */
    size_t robot_at;
    size_t client_at;
    size_t text_end; /* of its text, in the batch's */
};

enum batch_state { BATCH_FILLING, BATCH_READY, BATCH_BUSY, BATCH_DONE };

struct batch {
    enum batch_state state; /* the lock's, unless FILLING */
    size_t count;
    size_t width; /* of the rows' views, together */
    struct buffer bytes;
    struct buffer text;
    struct batch_row rows[]; /* as many as a batch may have */
};

struct batches {
    const struct format *format;
    struct output_files *outlets;
    size_t rows_max;  /* of a batch */
    size_t bytes_max; /* the same */
    size_t text_kept; /* the same */
    struct batch **ring;
    size_t room;
    size_t first;  /* the oldest that is not in its outlet; counts on for ever, as do the next two */
    size_t begun;  /* the lock's: the oldest that nobody formats */
    size_t filled; /* the lock's: the one that is filled */
    pthread_t *workers;
    size_t worker_count;
    bool has_lock;
    bool ends; /* the lock's */
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_cond_t done;
};

static struct batch *batch_at(const struct batches *batches, size_t number)
{
    return batches->ring[number % batches->room];
}

/* ---- formatting ------------------------------------------------------------------------------------------------ */

static void format(const struct format *format, struct batch *batch)
{
    batch->text.length = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_row *one = &batch->rows[i];
        one->row.values = (const uint8_t *)batch->bytes.data + one->values_at;
        one->row.robot = batch->bytes.data + one->robot_at;
        one->row.client = batch->bytes.data + one->client_at;
        format->writer->row(one->view, &one->row, &batch->text);
        one->text_end = batch->text.length;
    }
}

/* Formats the oldest batch that waits; with the lock held, which it gives away meanwhile. False where none waits. */
static bool format_next(struct batches *batches)
{
    if (batches->begun == batches->filled)
        return false;
    struct batch *batch = batch_at(batches, batches->begun++);
    batch->state = BATCH_BUSY;
    pthread_mutex_unlock(&batches->lock);
    format(batches->format, batch);
    pthread_mutex_lock(&batches->lock);
    batch->state = BATCH_DONE;
    pthread_cond_signal(&batches->done);
    return true;
}

/* Waits for a turn. Short waits are spent awake: a thread that sleeps may be woken on the processor of the one that
 * wakes it, and then both take turns there while the other processor is idle; kernels of virtual machines do that. */
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

/* Puts the text of a batch into the outlets: neighbouring rows of one outlet at once. */
static enum sink_outcome collect(const struct batches *batches, struct batch *batch)
{
    enum sink_outcome outcome = SINK_OK;
    if (batch->text.failed) {
        message_no_memory();
        return SINK_FAILED;
    }
    for (size_t i = 0, from = 0; i < batch->count && outcome == SINK_OK; i++) {
        struct output_file *outlet = batch->rows[i].outlet;
        if (i + 1 < batch->count && batch->rows[i + 1].outlet == outlet)
            continue;
        buffer_put(&outlet->buffer, batch->text.data + from, batch->rows[i].text_end - from);
        from = batch->rows[i].text_end;
        outcome = output_files_flush_full(batches->outlets, outlet);
    }
    batch->state = BATCH_FILLING;
    batch->count = 0;
    batch->width = 0;
    batch->bytes.length = 0;
    shrink(batches, &batch->text);
    return outcome;
}

/* Waits until the oldest batch is text, working meanwhile, and collects it. */
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

/* Where a name is kept: with the row before, mostly, whose is at `before`. */
static size_t keep_name(struct batch *batch, size_t before, const char *name)
{
    if (batch->count > 0 && strcmp(batch->bytes.data + before, name) == 0)
        return before;
    return keep(&batch->bytes, name, strlen(name) + 1);
}

static bool is_full(const struct batches *batches, const struct batch *batch)
{
    return batch->count == batches->rows_max || batch->bytes.length >= batches->bytes_max ||
           batch->width >= WIDTH_SHARE * batches->bytes_max;
}

enum sink_outcome batches_row(struct batches *batches, struct output_file *outlet, const struct view *view,
                              const struct output_row *row)
{
    struct batch *batch = batch_at(batches, batches->filled);
    struct batch_row *one = &batch->rows[batch->count];
    one->row = *row;
    one->view = view;
    one->outlet = outlet;
    one->robot_at = keep_name(batch, one[-(batch->count > 0)].robot_at, row->robot);
    one->client_at = keep_name(batch, one[-(batch->count > 0)].client_at, row->client);
    one->values_at = keep(&batch->bytes, row->values, row->values_length);
    if (batch->bytes.failed) {
        message_no_memory();
        return SINK_FAILED;
    }
    batch->count++;
    batch->width += view->width;
    return is_full(batches, batch) ? submit(batches) : SINK_OK;
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

/* ---- making ---------------------------------------------------------------------------------------------------- */

static int make_ring(struct batches *batches, size_t threads)
{
    size_t wanted = threads * BATCHES_PER_THREAD, count = wanted < BATCHES_MAX ? wanted : BATCHES_MAX;
    size_t rows = ROWS_IN_FLIGHT / count, bytes = BYTES_IN_FLIGHT / count;
    batches->rows_max = rows < ROWS_MAX ? rows : ROWS_MAX;
    batches->bytes_max = bytes < BYTES_MAX ? bytes : BYTES_MAX;
    batches->text_kept = TEXT_KEPT / count;
    size_t batch_size = sizeof(struct batch) + batches->rows_max * sizeof(struct batch_row);
    batches->ring = calloc(count, sizeof(struct batch *));
    if (!batches->ring)
        return -1;
    for (; batches->room < count; batches->room++)
        if (!(batches->ring[batches->room] = calloc(1, batch_size)))
            return -1;
    return 0;
}

/* Signals are for the thread that reads and writes. Fewer workers than asked for do as well, even none. */
static int start_workers(struct batches *batches, size_t count)
{
    sigset_t all, before;
    batches->workers = calloc(count + 1, sizeof(pthread_t));
    if (!batches->workers)
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (batches->worker_count < count &&
           pthread_create(&batches->workers[batches->worker_count], NULL, work, batches) == 0)
        batches->worker_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return 0;
}

static int make_lock(struct batches *batches)
{
    batches->has_lock = pthread_mutex_init(&batches->lock, NULL) == 0 && pthread_cond_init(&batches->work, NULL) == 0 &&
                        pthread_cond_init(&batches->done, NULL) == 0;
    return batches->has_lock ? 0 : -1;
}

struct batches *batches_new(const struct format *format, struct output_files *outlets, unsigned threads)
{
    struct batches *batches = calloc(1, sizeof *batches);
    if (!batches)
        return NULL;
    batches->format = format;
    batches->outlets = outlets;
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
    for (size_t i = 0; i < batches->room; i++) {
        free(batches->ring[i]->bytes.data);
        free(batches->ring[i]->text.data);
        free(batches->ring[i]);
    }
    free(batches->ring);
    if (batches->has_lock) {
        pthread_cond_destroy(&batches->work);
        pthread_cond_destroy(&batches->done);
        pthread_mutex_destroy(&batches->lock);
    }
    free(batches);
}
