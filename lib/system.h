/* What the systems do differently that the library runs on: no other file of it asks which one it is. */
#ifndef ARMTAP_SYSTEM_H
#define ARMTAP_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <io.h>
#include <ntsecapi.h>

#define SYSTEM_PATH_MAX 32768 /* the longest that Windows has */

/* False: the system has none yet. */
static inline bool system_random(void *to, size_t length)
{
    return RtlGenRandom(to, (ULONG)length) != 0;
}

/* The path is UTF-8; one that is not is taken to be in the program's code page. */
static inline int system_open(const char *path)
{
    static const unsigned pages[] = {CP_UTF8, CP_ACP};
    wchar_t *wide = malloc(SYSTEM_PATH_MAX * sizeof *wide);
    int descriptor = -1, length = 0;
    for (size_t i = 0; wide && i < sizeof pages / sizeof pages[0] && length == 0; i++)
        length = MultiByteToWideChar(pages[i], MB_ERR_INVALID_CHARS, path, -1, wide, SYSTEM_PATH_MAX);
    errno = wide ? ENOENT : ENOMEM;
    if (length > 0)
        descriptor = _wopen(wide, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    free(wide);
    return descriptor;
}

/* The bytes read; 0 at the end; negative: errno. */
static inline ptrdiff_t system_read(int descriptor, void *to, size_t room)
{
    return _read(descriptor, to, room < INT_MAX ? (unsigned)room : INT_MAX);
}

static inline void system_close(int descriptor)
{
    _close(descriptor);
}

static inline bool system_error_text(int error, char *text, size_t size)
{
    return strerror_s(text, size, error) == 0;
}

/* Memory of whole pages where free() takes such. */
static inline void *system_pages(size_t size)
{
    return malloc(size);
}

#else

#include <sys/random.h>
#include <unistd.h>

static inline bool system_random(void *to, size_t length)
{
    return getrandom(to, length, GRND_NONBLOCK) == (ssize_t)length;
}

static inline int system_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

static inline ptrdiff_t system_read(int descriptor, void *to, size_t room)
{
    ssize_t got;
    do
        got = read(descriptor, to, room);
    while (got < 0 && errno == EINTR);
    return got;
}

static inline void system_close(int descriptor)
{
    close(descriptor);
}

static inline bool system_error_text(int error, char *text, size_t size)
{
    return strerror_r(error, text, size) == 0;
}

/* The size is one of whole pages, too. */
static inline void *system_pages(size_t size)
{
    return aligned_alloc(4096, size);
}

#endif

#endif
