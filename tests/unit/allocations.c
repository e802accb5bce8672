#include "allocations.h"

#include <malloc.h>

struct allocations memory;

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

bool allocations_refuse(void)
{
    return ++memory.count == memory.fail_at;
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
