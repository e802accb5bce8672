#define _GNU_SOURCE    /* RTLD_NEXT, fopencookie */
#undef _FORTIFY_SOURCE /* with it read() and pread() are inline, and these are not theirs */
#include "hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct starve_plan plan;
static atomic_bool counting;
static atomic_ulong calls[STARVE_KINDS];

enum verdict { PASSES, FAILS, DOES_A_PART };

static void show_trace(void)
{
    void *frames[40];
    backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
}

/* Counts a call. errno is set where it fails. */
static enum verdict count(enum starve_kind kind)
{
    if (!counting)
        return PASSES;
    unsigned long number = atomic_fetch_add(&calls[kind], 1) + 1;
    if (kind != plan.kind || plan.at == 0 || (plan.later ? number < plan.at : number != plan.at))
        return PASSES;
    if (plan.trace && number == plan.at) {
        counting = false;
        show_trace();
        counting = true;
    }
    if (plan.error == 0)
        return DOES_A_PART;
    errno = plan.error;
    return FAILS;
}

/* The definition that ours replaces: the sanitizers' or the C library's. */
#define NEXT(name) (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)
#define FETCH(name)                                                                                                    \
    static __typeof__(&name) next;                                                                                     \
    if (!next)                                                                                                         \
    next = NEXT(name)

/* ---- memory ---------------------------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
    FETCH(malloc);
    return count(STARVE_MEMORY) == PASSES ? next(size) : NULL;
}

void *calloc(size_t number, size_t size)
{
    FETCH(calloc);
    return count(STARVE_MEMORY) == PASSES ? next(number, size) : NULL;
}

void *realloc(void *block, size_t size)
{
    FETCH(realloc);
    return count(STARVE_MEMORY) == PASSES ? next(block, size) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    FETCH(aligned_alloc);
    return count(STARVE_MEMORY) == PASSES ? next(alignment, size) : NULL;
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    FETCH(posix_memalign);
    return count(STARVE_MEMORY) == PASSES ? next(block, alignment, size) : ENOMEM;
}

/* A thread needs memory. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user)
{
    FETCH(pthread_create);
    return count(STARVE_MEMORY) == PASSES ? next(thread, attributes, run, user) : EAGAIN;
}

/* ---- time ------------------------------------------------------------------------------------------------------ */

/* Each call advances the clock by two seconds, on any machine: a live source shows each finding at once. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static atomic_long looks;
    FETCH(clock_gettime);
    int outcome = next(clock, time);
    if (counting && clock == CLOCK_MONOTONIC)
        *time = (struct timespec){.tv_sec = 2 * (atomic_fetch_add(&looks, 1) + 1)};
    return outcome;
}

/* ---- system calls ---------------------------------------------------------------------------------------------- */

ssize_t write(int file, const void *bytes, size_t length)
{
    FETCH(write);
    enum verdict verdict = file == STDERR_FILENO ? PASSES : count(STARVE_WRITE);
    if (verdict == FAILS)
        return -1;
    return next(file, bytes, verdict == DOES_A_PART && length > 1 ? length / 2 : length);
}

ssize_t read(int file, void *to, size_t room)
{
    FETCH(read);
    enum verdict verdict = count(STARVE_READ);
    if (verdict == FAILS)
        return -1;
    return next(file, to, verdict == DOES_A_PART && room > 1 ? 1 : room);
}

/* The part of a file around the byte that this thread read last. */
struct window {
    unsigned long opened;
    int file;
    off_t from;
    ssize_t length;
    uint8_t bytes[4096];
};
static _Thread_local struct window window;
static atomic_ulong opened = 1; /* changes with each close(): another file may get the same descriptor */

static void look(__typeof__(&pread) next, int file, off_t from)
{
    window.opened = opened;
    window.file = file;
    window.from = from;
    window.length = next(file, window.bytes, sizeof window.bytes, from);
}

/* Reads a byte of a file that nobody writes to, with a system call only every 4 kB. */
static ssize_t read_byte(__typeof__(&pread) next, int file, uint8_t *to, off_t from)
{
    if (window.opened != opened || window.file != file || from < window.from || from - window.from >= window.length)
        look(next, file, from);
    if (window.length <= 0)
        return window.length;
    *to = window.bytes[from - window.from];
    return 1;
}

ssize_t pread(int file, void *to, size_t room, off_t from)
{
    FETCH(pread);
    enum verdict verdict = count(STARVE_READ);
    if (verdict == FAILS)
        return -1;
    return verdict == DOES_A_PART && room > 1 ? read_byte(next, file, to, from) : next(file, to, room, from);
}

static bool opens(int flags)
{
    return count((flags & O_ACCMODE) == O_RDONLY ? STARVE_READ : STARVE_WRITE) != FAILS;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char *name, int flags, ...)
{
    FETCH(open);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return opens(flags) ? next(name, flags, mode) : -1;
}

#ifndef __USE_FILE_OFFSET64 /* there open() has that name already */
int open64(const char *name, int flags, ...)
{
    FETCH(open64);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return opens(flags) ? next(name, flags, mode) : -1;
}
#endif

int dup(int file)
{
    FETCH(dup);
    return count(STARVE_READ) == FAILS ? -1 : next(file);
}

/* A descriptor is gone even if closing it failed. */
int close(int file)
{
    FETCH(close);
    bool fails = file != STDERR_FILENO && count(STARVE_WRITE) == FAILS;
    int error = errno;
    int outcome = next(file);
    opened++;
    if (fails)
        errno = error;
    return fails ? -1 : outcome;
}

int rename(const char *from, const char *to)
{
    FETCH(rename);
    return count(STARVE_WRITE) == FAILS ? -1 : next(from, to);
}

int fsync(int file)
{
    FETCH(fsync);
    return count(STARVE_WRITE) == FAILS ? -1 : next(file);
}

/* ---- streams --------------------------------------------------------------------------------------------------- */

static ssize_t stream_read(void *cookie, char *to, size_t room)
{
    return read((int)(intptr_t)cookie, to, room);
}

/* Like the C library: tries to write the rest until a write fails. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t length)
{
    size_t written = 0;
    while (written < length) {
        ssize_t more = write((int)(intptr_t)cookie, bytes + written, length - written);
        if (more <= 0)
            break;
        written += (size_t)more;
    }
    return (ssize_t)written;
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

static FILE *stream_of(int file, const char *mode)
{
    cookie_io_functions_t functions = {.read = stream_read, .write = stream_write, .close = stream_close};
    return fopencookie((void *)(intptr_t)file, mode, functions);
}

FILE *fopen(const char *name, const char *mode)
{
    FETCH(fopen);
    if (!counting)
        return next(name, mode);
    int file = open(name, (*mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC) | O_CLOEXEC, 0666);
    FILE *stream = file < 0 ? NULL : stream_of(file, mode);
    if (!stream && file >= 0)
        close(file);
    return stream;
}

int starve_begin(const struct starve_plan *wanted)
{
    FILE *in = stream_of(STDIN_FILENO, "r");
    FILE *out = stream_of(STDOUT_FILENO, "w");
    if (!in || !out)
        return -1;
    stdin = in;
    stdout = out;
    plan = *wanted;
    counting = true;
    return 0;
}

void starve_end(unsigned long counts[STARVE_KINDS])
{
    counting = false;
    for (int kind = 0; kind < STARVE_KINDS; kind++)
        counts[kind] = calls[kind];
}
