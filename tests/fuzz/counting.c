/* Counts what runs between cost_begin() and cost_end(): a unit for each edge of the project's code, which the compiler
 * reports, and for what libraries are asked to do on its behalf. Compiled without instrumentation, linked with --wrap
 * for the names below, and with no sanitizer, whose malloc this would replace. */
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "work.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static uint64_t units, held, most, before;

void cost_begin(void)
{
    units = 0;
    most = before = held;
}

struct cost cost_end(void)
{
    return (struct cost){.work = units, .memory = most - before};
}

void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void)
{
    units++;
}

/* ---- memory that is moved, set or compared: 16 bytes are one unit ---- */

#define COUNTED(type, name, parameters, arguments, length)                                                             \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        type outcome = __real_##name arguments;                                                                        \
        units += 1 + (uint64_t)(length) / 16;                                                                          \
        return outcome;                                                                                                \
    }
COUNTED(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), n)
COUNTED(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), n)
COUNTED(void *, memset, (void *to, int byte, size_t n), (to, byte, n), n)
COUNTED(size_t, strlen, (const char *text), (text), outcome)
/* those end where they know */
COUNTED(void *, memchr, (const void *at, int byte, size_t n), (at, byte, n),
        outcome ? (const char *)outcome - (const char *)at : (ptrdiff_t)n)
COUNTED(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), outcome == 0 ? n : 0)
COUNTED(int, strcmp, (const char *a, const char *b), (a, b), 0)
COUNTED(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n), 0)

/* ---- libraries ---- */

int __real_inflate(z_streamp stream, int flush);
int __wrap_inflate(z_streamp stream, int flush);
int __wrap_inflate(z_streamp stream, int flush)
{
    uLong in = stream->total_in, out = stream->total_out;
    int outcome = __real_inflate(stream, flush);
    units += (stream->total_in - in) * 2 + (stream->total_out - out) / 4;
    return outcome;
}

struct json_tokener;
struct json_object;
size_t __attribute__((weak)) json_tokener_get_parse_end(struct json_tokener *tokener);
struct json_object *__real_json_tokener_parse_ex(struct json_tokener *tokener, const char *text, int length);
struct json_object *__wrap_json_tokener_parse_ex(struct json_tokener *tokener, const char *text, int length);
struct json_object *__wrap_json_tokener_parse_ex(struct json_tokener *tokener, const char *text, int length)
{
    struct json_object *object = __real_json_tokener_parse_ex(tokener, text, length);
    units += 4 * json_tokener_get_parse_end(tokener);
    return object;
}

/* ---- memory that is held ---- */

static void *took(void *block)
{
    if (block == NULL)
        return NULL;
    held += malloc_usable_size(block);
    most = held > most ? held : most;
    units += 4;
    return block;
}

static void gave(void *block)
{
    if (block != NULL)
        held -= malloc_usable_size(block);
}

void *malloc(size_t size)
{
    return took(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return took(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    size_t old = block ? malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, size);
    if (moved == NULL && size > 0)
        return NULL;
    held -= old;
    units += old / 16;
    return moved ? took(moved) : NULL;
}

void free(void *block)
{
    gave(block);
    __libc_free(block);
}
