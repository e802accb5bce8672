#include "allocations.h"

#include <malloc.h>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

struct allocations memory;

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

#ifdef _WIN32

size_t malloc_usable_size(void *block)
{
    return block ? _msize(block) : 0;
}

/* There is no fork(), and nothing fails so. */
static bool is_fork_that_fails(void)
{
    return false;
}

#else

/* Whether this is the process in which the allocation fails. The other one waits for it. */
static bool is_fork_that_fails(void)
{
    int status = -1;
    pid_t process = fork();
    memory.forks = process != 0;
    if (process == 0)
        return true;
    bool is_sound = process > 0 && waitpid(process, &status, 0) == process && status == 0;
    if (!is_sound && memory.broken == 0)
        memory.broken = memory.count;
    return false;
}

#endif

bool allocations_refuse(void)
{
    ++memory.count;
    return memory.forks ? is_fork_that_fails() : memory.count == memory.fail_at;
}

static void *counted(void *block)
{
    memory.held += block != NULL;
    memory.bytes += malloc_usable_size(block);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return allocations_refuse() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocations_refuse() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (allocations_refuse())
        return NULL;
    size_t before = malloc_usable_size(block);
    void *moved = __real_realloc(block, size);
    memory.held += !block && moved;
    if (moved)
        memory.bytes += malloc_usable_size(moved) - before;
    return moved;
}

void __wrap_free(void *block)
{
    memory.held -= block != NULL;
    memory.bytes -= malloc_usable_size(block);
    __real_free(block);
}
