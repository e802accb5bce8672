#define _POSIX_C_SOURCE 200809L
#include "read_ahead.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/process/thread.h"

/* One is being filled, one is in use, two are spare for jitter. */
#define BLOCKS 4

struct read_ahead {
    read_ahead_fill *fill;
    void *user;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* one condition serves both sides: they never wait at the same time */
    size_t filled;          /* guarded by lock, as are the next two; never reset */
    size_t taken;           /* the last one taken is in use */
    bool over;
    struct read_ahead_block block[BLOCKS];
};

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* Waits for a free block (the one in use is not free); false if no more are wanted. */
static bool wait_for_room(struct read_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->over && ahead->filled + 1 - ahead->taken == BLOCKS)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    bool goes_on = !ahead->over;
    pthread_mutex_unlock(&ahead->lock);
    return goes_on;
}

static void *work(void *user)
{
    struct read_ahead *ahead = user;
    bool is_last = false;
    for (size_t number = 0; !is_last && wait_for_room(ahead); number++) {
        struct read_ahead_block *block = &ahead->block[number % BLOCKS];
        ahead->fill(ahead->user, block);
        is_last = block->is_last;
        pthread_mutex_lock(&ahead->lock);
        ahead->filled = number + 1;
        pthread_cond_signal(&ahead->changed);
        pthread_mutex_unlock(&ahead->lock);
    }
    return NULL;
}

bool read_ahead_is_over(struct read_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    bool over = ahead->over;
    pthread_mutex_unlock(&ahead->lock);
    return over;
}

/* ---- the user's side --------------------------------------------------------------------------------------------- */

const struct read_ahead_block *read_ahead_take(struct read_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    size_t number = ahead->taken++;
    pthread_cond_signal(&ahead->changed);
    while (ahead->filled == number)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return &ahead->block[number % BLOCKS];
}

static void end_locks(struct read_ahead *ahead)
{
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
}

int read_ahead_start(struct read_ahead **begun, read_ahead_fill *fill, void *user)
{
    struct read_ahead *ahead = *begun = malloc(sizeof *ahead);
    if (!ahead)
        return -1;
    ahead->fill = fill;
    ahead->user = user;
    ahead->filled = 0;
    ahead->taken = 0;
    ahead->over = false;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (thread_begin(&ahead->thread, work, ahead) == 0)
        return 0;
    end_locks(ahead);
    free(ahead);
    *begun = NULL;
    return -1;
}

void read_ahead_free(struct read_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->over = true;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    end_locks(ahead);
    free(ahead);
}
