#define _POSIX_C_SOURCE 200809L
#include "compression.h"

#include "base/os/interrupt.h"

#define THREADS_MAX 16

struct packer {
    enum compression compression;
    struct packer_desk *desks; /* one for each thread; the first is the caller's */
    size_t desk_count;
    struct buffer results[PACKER_RESULTS];
    pthread_t *workers;
    size_t worker_count;
    bool has_lock;
    pthread_mutex_t lock;
    pthread_cond_t begin;
    pthread_cond_t done;
    /* guarded by the lock: the task */
    void (*work)(void *task, size_t part, struct packer_desk *desk);
    void *task;
    size_t next;  /* the first part that nobody has begun */
    size_t count; /* of parts */
    size_t busy;  /* threads at work */
    size_t seats; /* desks that workers have taken */
    bool ends;
};

/* Works on parts until none is left. Called with the lock held, releases it meanwhile. */
static void take_parts(struct packer *packer, struct packer_desk *desk)
{
    packer->busy++;
    while (packer->next < packer->count) {
        size_t part = packer->next++;
        pthread_mutex_unlock(&packer->lock);
        packer->work(packer->task, part, desk);
        pthread_mutex_lock(&packer->lock);
    }
    packer->busy--;
}

static void *help(void *user)
{
    struct packer *packer = user;
    pthread_mutex_lock(&packer->lock);
    struct packer_desk *desk = &packer->desks[++packer->seats];
    while (!packer->ends) {
        take_parts(packer, desk);
        pthread_cond_signal(&packer->done);
        if (!packer->ends)
            pthread_cond_wait(&packer->begin, &packer->lock);
    }
    pthread_mutex_unlock(&packer->lock);
    return NULL;
}

void packer_run(struct packer *packer, size_t count, void (*work)(void *task, size_t part, struct packer_desk *desk),
                void *task)
{
    pthread_mutex_lock(&packer->lock);
    packer->work = work;
    packer->task = task;
    packer->count = count;
    packer->next = 0;
    if (packer->worker_count > 0 && count > 1)
        pthread_cond_broadcast(&packer->begin);
    take_parts(packer, &packer->desks[0]);
    while (packer->busy > 0)
        pthread_cond_wait(&packer->done, &packer->lock);
    pthread_mutex_unlock(&packer->lock);
}

enum compression packer_compression(const struct packer *packer)
{
    return packer->compression;
}

size_t packer_threads(const struct packer *packer)
{
    return packer->worker_count + 1;
}

struct buffer *packer_results(struct packer *packer)
{
    return packer->results;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void start_workers(struct packer *packer)
{
    while (packer->worker_count + 1 < packer->desk_count &&
           thread_begin(&packer->workers[packer->worker_count], help, packer) == 0)
        packer->worker_count++;
}

static int set_up_desks(struct packer *packer, size_t count)
{
    packer->desks = calloc(count, sizeof *packer->desks);
    packer->workers = calloc(count, sizeof(pthread_t));
    if (!packer->desks || !packer->workers)
        return -1;
    for (; packer->desk_count < count; packer->desk_count++) {
        struct compressor *compressor = compressor_new(packer->compression);
        if (!compressor)
            return -1;
        packer->desks[packer->desk_count].compressor = compressor;
    }
    return 0;
}

static int make_lock(struct packer *packer)
{
    packer->has_lock = pthread_mutex_init(&packer->lock, NULL) == 0 && pthread_cond_init(&packer->begin, NULL) == 0 &&
                       pthread_cond_init(&packer->done, NULL) == 0;
    return packer->has_lock ? 0 : -1;
}

struct packer *packer_new(enum compression compression, unsigned threads)
{
    struct packer *packer = calloc(1, sizeof *packer);
    if (!packer)
        return NULL;
    packer->compression = compression;
    if (make_lock(packer) != 0 || set_up_desks(packer, threads < THREADS_MAX ? threads : THREADS_MAX) != 0) {
        packer_free(packer);
        return NULL;
    }
    start_workers(packer);
    return packer;
}

static void end_workers(struct packer *packer)
{
    pthread_mutex_lock(&packer->lock);
    packer->ends = true;
    pthread_cond_broadcast(&packer->begin);
    pthread_mutex_unlock(&packer->lock);
    for (size_t i = 0; i < packer->worker_count; i++)
        pthread_join(packer->workers[i], NULL);
}

void packer_free(struct packer *packer)
{
    if (!packer)
        return;
    if (packer->worker_count > 0)
        end_workers(packer);
    for (size_t i = 0; i < packer->desk_count; i++) {
        compressor_free(packer->desks[i].compressor);
        free(packer->desks[i].scratch.data);
        free(packer->desks[i].notes.data);
    }
    for (size_t i = 0; i < PACKER_RESULTS; i++)
        free(packer->results[i].data);
    free(packer->desks);
    free(packer->workers);
    if (packer->has_lock) {
        pthread_mutex_destroy(&packer->lock);
        pthread_cond_destroy(&packer->begin);
        pthread_cond_destroy(&packer->done);
    }
    free(packer);
}
