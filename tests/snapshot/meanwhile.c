/* Preloaded into a program: does something to a file at a chosen moment of its reading, as another program might, so
 * that tests of it need no luck. In the environment: MEANWHILE_AT, "POSITION N": at the first read at or behind
 * POSITION after the Nth read at 0; MEANWHILE_DO, "append", "overwrite", "rename" (FROM takes TO's place) or "cut"
 * (FROM is the length); MEANWHILE_FROM; MEANWHILE_TO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int readings;
static atomic_flag done = ATOMIC_FLAG_INIT;

static void copy(const char *from, const char *to, int flags)
{
    char bytes[65536];
    ssize_t length;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | flags);
    if (in < 0 || out < 0)
        abort();
    while ((length = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)length) != length)
            abort();
    close(in);
    close(out);
}

static void act(const char *what, const char *from, const char *to)
{
    if (strcmp(what, "append") == 0)
        copy(from, to, O_APPEND);
    else if (strcmp(what, "overwrite") == 0)
        copy(from, to, 0);
    else if (strcmp(what, "rename") == 0 ? rename(from, to) != 0 : truncate(to, atol(from)) != 0)
        abort();
}

static void look(off_t position)
{
    const char *at = getenv("MEANWHILE_AT");
    char *count;
    if (!at)
        return;
    long wanted = strtol(at, &count, 10);
    int reading = position == 0 ? atomic_fetch_add(&readings, 1) + 1 : atomic_load(&readings);
    if (reading == atoi(count) && position >= wanted && !atomic_flag_test_and_set(&done))
        act(getenv("MEANWHILE_DO"), getenv("MEANWHILE_FROM"), getenv("MEANWHILE_TO"));
}

#define READ(name, offset)                                                                                             \
    ssize_t name(int file, void *to, size_t length, offset position)                                                   \
    {                                                                                                                  \
        ssize_t (*next)(int, void *, size_t, offset) =                                                                 \
            (ssize_t(*)(int, void *, size_t, offset))dlsym(RTLD_NEXT, #name);                                          \
        look(position);                                                                                                \
        return next(file, to, length, position);                                                                       \
    }
READ(pread, off_t)
READ(pread64, off64_t)
