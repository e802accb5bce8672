#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/os/names.h"
#include "nanoseconds.h"

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

void progress_begin(struct progress *progress, bool wanted, uint64_t total)
{
    *progress = (struct progress){.wanted = wanted && isatty(STDERR_FILENO), .total = total};
    if (progress->wanted)
        progress->begin = progress->last = now();
}

static void draw(const struct progress *progress, uint64_t done, double seconds)
{
    double rate = (double)done / seconds;
    fputs("\r\033[K", stderr);
    if (progress->total == 0 || done == 0 || done > progress->total) {
        fprintf(stderr, "%.0f MB  %.1f MB/s", (double)done / 1e6, rate / 1e6);
    } else {
        uint64_t left = (uint64_t)((double)(progress->total - done) / rate) + 1;
        fprintf(stderr, "%3u %%  %.1f MB/s  %" PRIu64 ":%02u left",
                (unsigned)((double)done / (double)progress->total * 100.0), rate / 1e6, left / 60,
                (unsigned)(left % 60));
    }
    fflush(stderr);
}

void progress_update(struct progress *progress, uint64_t done)
{
    if (!progress->wanted)
        return;
    int64_t time = now();
    if (time - progress->begin < SECOND || time - progress->last < SECOND / 5)
        return;
    progress->last = time;
    progress->shown = true;
    draw(progress, done, (double)(time - progress->begin) / 1e9);
}

void progress_hide(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown = false;
}
