/* Counts allocations and makes one of them fail, in programs that are linked with --wrap=malloc, calloc, realloc and
 * free: the linker hands each of them to the functions of allocations.c. */
#ifndef ARMTAP_TEST_ALLOCATIONS_H
#define ARMTAP_TEST_ALLOCATIONS_H

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

struct allocations {
    unsigned long count;   /* so far */
    unsigned long fail_at; /* the one that fails; 0: none */
    bool forks;            /* each fails in a process of its own, for which this is false, and the others go on */
    unsigned long broken;  /* the first of those whose process did not end with status 0; 0: none */
    long held;             /* blocks not freed; cmocka's own, too, where it is linked statically */
    size_t bytes;          /* in those blocks */
};
extern struct allocations memory;

/* Counts a request; whether it is the one that fails. Also for allocators of other libraries. */
bool allocations_refuse(void);

#ifdef _WIN32
size_t malloc_usable_size(void *block);
#endif

/* The allocator itself, for memory of the test that is not counted. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);

#endif
