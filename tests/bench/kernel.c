/* Decoding one legacy packet of 1220 bytes into a state, with warm caches, compared with libc's memcpy of its 1216
 * bytes of cells.
 *
 *   kernel [ROUNDS]
 *
 * Prints for each way a line: its name and the median of ns per packet. The ways take turns in each round. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table/recipe.h"

#define CELLS 152u
#define LENGTH (8 * CELLS)
#define PAGE 4096u
#define SHIFT 208u /* bytes */
#define DEPTHS 16u
#define TURNS 5000u
#define MOST_ROUNDS 999u

/* What is measured, and with what. */
struct bench {
    struct armtap_recipe *recipe;
    struct armtap_recipe *doubles; /* only the runs of doubles of its plan */
    uint8_t *packet, *packets;
    uint8_t *copy, *room; /* the copy has the same offset in its page as the state's doubles */
    struct armtap_state *state;
    struct armtap_set *updated; /* not part of this struct: writing beside what is read would cost 2 ns */
};

/* Called through a volatile pointer, so that the compiler cannot inline or drop it. */
static void *(*volatile copy_bytes)(void *, const void *, size_t) = memcpy;

static void run_memcpy(struct bench *bench)
{
    copy_bytes(bench->copy, bench->packet + 4, LENGTH);
}

static void run_doubles(struct bench *bench)
{
    bench->doubles->plan.decode(&bench->doubles->plan, bench->packet + 4, bench->state, NULL,
                                bench->doubles->plan.count);
}

static void run_packet(struct bench *bench)
{
    armtap_recipe_decode(bench->recipe, bench->packet + 4, LENGTH, bench->state, bench->updated);
}

static void run_call(struct bench *bench)
{
    armtap_decode_realtime(bench->packet, LENGTH + 4, bench->state);
}

static void run_plain_doubles(struct bench *bench)
{
    armtap_plan_decode(&bench->doubles->plan, bench->packet + 4, bench->state, NULL, bench->doubles->plan.count);
}

static void run_plain_packet(struct bench *bench)
{
    armtap_plan_decode(&bench->recipe->plan, bench->packet + 4, bench->state, bench->updated,
                       bench->recipe->plan.count);
}

static const struct way {
    const char *name;
    void (*run)(struct bench *bench);
} ways[] = {
    {"memcpy", run_memcpy},
    {"doubles", run_doubles},
    {"packet", run_packet},
    {"armtap_decode_realtime", run_call},
    {"doubles, plain C", run_plain_doubles},
    {"packet, plain C", run_plain_packet},
};
#define WAYS (sizeof ways / sizeof *ways)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double turn(const struct way *way, struct bench *bench)
{
    void (*volatile run)(struct bench *) = way->run;
    for (unsigned i = 0; i < TURNS; i++) /* warms caches and branch prediction */
        run(bench);
    double begin = now();
    for (unsigned i = 0; i < TURNS; i++)
        run(bench);
    return (now() - begin) / TURNS;
}

/* The same, deeper in the stack. */
static double turn_below(unsigned depth, const struct way *way, struct bench *bench)
{
    volatile char room[SHIFT] = {(char)depth}; /* volatile, so that it is not optimised away */
    return depth > 0 ? turn_below(depth - 1, way, bench) + 0 * room[0] : turn(way, bench);
}

static int compare(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* Cells as the layout requires: whole numbers for modes and digital bits. */
static void fill_packet(struct bench *bench)
{
    armtap_state_clear(bench->state);
    for (size_t id = 0; id < armtap_field_count(); id++) {
        struct armtap_value value = {.present = false};
        const struct armtap_field *field = armtap_field_at(id);
        armtap_state_get(bench->state, field, &value);
        for (unsigned i = 0; i < field->count; i++)
            if (field->type == ARMTAP_DOUBLE)
                value.f64[i] = 1.1 * (double)id + 0.7 * i;
            else
                value.u64[i] = id + i;
        if (field->column_cb3e > 0)
            armtap_state_set(bench->state, field, &value);
    }
    armtap_encode_realtime(bench->state, LENGTH + 4, bench->packet);
}

/* Only the runs of doubles; other cells inside a run are byte-swapped as doubles. */
static void keep_doubles(struct armtap_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->steps[i].op == ARMTAP_OP_SWAP8)
            plan->steps[count++] = plan->steps[i];
    plan->count = count;
    plan->covered.count = 0;
}

/* Allocates everything again, elsewhere: on some processors reading is slower at the page offset that is being written
 * in another page, so the address would matter more than what is measured. */
static bool place(struct bench *bench, unsigned round)
{
    size_t shift = SHIFT * round % PAGE;
    bench->room = malloc(2 * PAGE + LENGTH + shift);
    bench->packets = malloc(PAGE + LENGTH + 4);
    bench->state = armtap_state_new();
    bench->updated = malloc(sizeof *bench->updated);
    if (!bench->room || !bench->packets || !bench->state || !bench->updated ||
        armtap_recipe_realtime(LENGTH + 4, &bench->recipe) != ARMTAP_OK ||
        armtap_recipe_realtime(LENGTH + 4, &bench->doubles) != ARMTAP_OK)
        return false;
    bench->copy = bench->room + ((uintptr_t)&bench->state->timestamp - (uintptr_t)bench->room) % PAGE;
    bench->packet = bench->packets + SHIFT * 7 * round % PAGE;
    fill_packet(bench);
    keep_doubles(&bench->doubles->plan);
    return true;
}

static void leave(struct bench *bench)
{
    free(bench->room);
    free(bench->packets);
    armtap_state_free(bench->state);
    free(bench->updated);
    armtap_recipe_release(bench->recipe);
    armtap_recipe_release(bench->doubles);
}

int main(int argc, char **argv)
{
    static double times[WAYS][MOST_ROUNDS];
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 401;
    if (rounds == 0 || rounds > MOST_ROUNDS)
        return 2;
    for (unsigned round = 0; round < rounds; round++) {
        struct bench bench = {.recipe = NULL};
        if (!place(&bench, round))
            return 2;
        for (size_t i = 0; i < WAYS; i++)
            times[i][round] = turn_below(round * 3 % DEPTHS, &ways[i], &bench);
        leave(&bench);
    }
    for (size_t i = 0; i < WAYS; i++) {
        qsort(times[i], rounds, sizeof *times[i], compare);
        printf("%s\t%.2f\n", ways[i].name, times[i][rounds / 2]);
    }
    return 0;
}
