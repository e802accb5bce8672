/* Counts the work between cost_begin() and cost_end(): a unit for each edge of the project's code, as the compiler
 * reports them, and units for what it asks of libraries. Compiled without instrumentation and linked with --wrap for
 * the names below, without a sanitizer, because this would replace its malloc. */
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "protocol/budget.h"
#include "work.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static uint64_t units, held, most, before;

/* ---- edges ---- */

#define EDGES_MAX 32768 /* further ones count as one */
static uint32_t hits[EDGES_MAX], edges;

/* A new value of a counter is new coverage to libFuzzer. Its own counters do not distinguish 200 runs of a loop from
 * 200,000; with these it keeps an input that takes an edge twice as often as any before, and changes it further. */
#define TOLD_FROM 8 /* the exponent of 2 */
#define TOLD_LEVELS 16
#define RECORD_FROM 32
#if defined(__linux__)
__attribute__((section("__libfuzzer_extra_counters")))
#endif
static uint8_t told[EDGES_MAX][TOLD_LEVELS / 8];

static void tell_level(uint32_t edge)
{
    static const uint8_t values[] = {1, 2, 3, 4, 8, 16, 32, 128}; /* those that libFuzzer distinguishes */
    unsigned level = 31u - (unsigned)__builtin_clz(hits[edge]) - TOLD_FROM;
    if (level >= TOLD_LEVELS)
        level = TOLD_LEVELS - 1;
    told[edge][level / 8] = values[level % 8];
}

void __wrap___sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to);
void __wrap___sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to)
{
    for (; from < to && *from == 0; from++)
        *from = edges < EDGES_MAX - 1 ? ++edges : edges;
}

void __wrap___sanitizer_cov_trace_pc_guard(const uint32_t *guard);
void __wrap___sanitizer_cov_trace_pc_guard(const uint32_t *guard)
{
    hits[*guard]++;
}

void cost_begin(void)
{
    units = 0;
    most = before = held;
    memset(hits, 0, (edges + 1) * sizeof hits[0]);
}

struct cost cost_end(void)
{
    struct cost cost = {.work = units, .memory = most - before};
    for (uint32_t i = 1; i <= edges; i++) {
        cost.work += hits[i];
        if (hits[i] >= 1u << TOLD_FROM)
            tell_level(i);
    }
    return cost;
}

/* ---- the costliest inputs ---- */

#define POOL 1024
#define INPUT_MAX 600
static struct kept {
    unsigned uses;  /* by edges and classes; 0: free */
    unsigned turns; /* how often it was changed */
    size_t length;
    uint8_t operations[INPUT_MAX];
} pool[POOL];
static struct record {
    uint64_t most;
    struct kept *by;
} records[EDGES_MAX + COST_CLASSES];

static struct kept *free_place(void)
{
    for (size_t i = 0; i < POOL; i++)
        if (pool[i].uses == 0)
            return &pool[i];
    return NULL;
}

/* A record is an eighth more than before, or as much for a shorter input. The first one takes *place. */
static void compete(struct record *record, uint64_t cost, const struct costly *input, struct kept **place)
{
    bool is_shorter = record->by && cost >= record->most && input->length < record->by->length;
    if (!is_shorter && cost <= record->most + record->most / 8)
        return;
    if (!*place && !(*place = free_place()))
        return;
    if (record->by)
        record->by->uses--;
    *record = (struct record){cost, *place};
    if ((*place)->uses++ > 0)
        return;
    (*place)->turns = 0;
    (*place)->length = input->length;
    memcpy((*place)->operations, input->operations, input->length);
}

void cost_keep(const struct costly *input, uint64_t share)
{
    struct kept *place = NULL;
    if (input->length > INPUT_MAX)
        return;
    for (uint32_t i = 1; i <= edges; i++)
        if (hits[i] >= RECORD_FROM)
            compete(&records[i], hits[i], input, &place);
    compete(&records[EDGES_MAX + input->class % COST_CLASSES], share, input, &place);
}

/* Finds the one that was changed least often, starting at a random place. */
static struct kept *least_changed(uint32_t random)
{
    struct kept *least = NULL;
    for (size_t i = 0; i < POOL; i++) {
        struct kept *kept = &pool[(random + i) % POOL];
        if (kept->uses > 0 && (!least || kept->turns < least->turns))
            least = kept;
    }
    return least;
}

size_t cost_costly(uint8_t *to, size_t room, uint32_t random)
{
    const struct record *class = &records[EDGES_MAX + random / 4 % COST_CLASSES];
    struct kept *kept = random % 4 == 0 && class->by ? class->by : least_changed(random / 4);
    if (!kept || kept->length > room)
        return 0;
    kept->turns++;
    memcpy(to, kept->operations, kept->length);
    return kept->length;
}

/* ---- what a capture may cost once ---- */

#define SMALLER 64 /* than a capture that may use the whole one-time allowance */

static void cut_down(struct armtap_budget *to, const struct armtap_budget *from)
{
    *to = *from;
    if (from->each > 0)
        to->once /= SMALLER;
}

const struct armtap_budget *__real_armtap_budget_at(size_t i);
const struct armtap_budget *__wrap_armtap_budget_at(size_t i);
const struct armtap_budget *__wrap_armtap_budget_at(size_t i)
{
    static struct armtap_budget budgets[ARMTAP_BUDGET_COUNT];
    if (i >= ARMTAP_BUDGET_COUNT)
        return NULL;
    if (!budgets[i].name)
        cut_down(&budgets[i], __real_armtap_budget_at(i));
    return &budgets[i];
}

const struct armtap_budget *__wrap_armtap_budget_find(const char *name);
const struct armtap_budget *__wrap_armtap_budget_find(const char *name)
{
    size_t i = 0;
    const struct armtap_budget *budget = __wrap_armtap_budget_at(i);
    while (budget && strcmp(budget->name, name) != 0)
        budget = __wrap_armtap_budget_at(++i);
    return budget;
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

/* ---- memory that is held ---- */

static void *took(void *block)
{
    if (!block)
        return NULL;
    held += malloc_usable_size(block);
    most = held > most ? held : most;
    units += 4;
    return block;
}

static void gave(void *block)
{
    size_t size = block ? malloc_usable_size(block) : 0;
    if (size > held) { /* a block that took() was not told of */
        static const char text[] = "counting: more memory was given back than taken\n";
        if (write(2, text, sizeof text - 1) >= 0)
            abort();
    }
    held -= size;
}

void *malloc(size_t size)
{
    return took(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return took(__libc_calloc(count, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return took(__libc_memalign(alignment, size));
}

void *realloc(void *block, size_t size)
{
    size_t old = block ? malloc_usable_size(block) : 0;
    gave(block);
    void *moved = __libc_realloc(block, size);
    if (!moved && size > 0) {
        held += old;
        return NULL;
    }
    units += old / 16;
    return moved ? took(moved) : NULL;
}

void free(void *block)
{
    gave(block);
    __libc_free(block);
}
