#include "work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum signal { SIGNAL_WORK, SIGNAL_MEMORY, SIGNAL_OUTPUT, SIGNAL_COUNT };

/* A new value of a counter is new coverage to libFuzzer. Each level is one, with eight levels for each doubling of the
 * share of the budget, so that it keeps what costs a little more than all before, and changes it further. */
#define LEVELS 160
#define LEVEL_OF_BUDGET 48
#define STEPS 8
#if defined(__linux__)
__attribute__((section("__libfuzzer_extra_counters")))
#endif
static uint8_t levels[SIGNAL_COUNT][COST_CLASSES][LEVELS];

static unsigned level_of(double share)
{
    int level = LEVEL_OF_BUDGET;
    for (; share >= 2 && level < LEVELS - 2 * STEPS; share /= 2)
        level += STEPS;
    for (; share < 1 && level > 0; share *= 2)
        level -= STEPS;
    return share < 1 ? 0 : (unsigned)(level + (int)((share < 2 ? share - 1 : 1) * STEPS));
}

static bool judge(const struct costly *input, enum signal signal, uint64_t cost, uint64_t allowed)
{
    static const char *const names[] = {"work", "memory", "output"};
    const char *mode = getenv("FUZZ_COSTS");
    double share = (double)cost / (double)(allowed + 1);
    levels[signal][input->class % COST_CLASSES][level_of(share)] = 1;
    if (mode || cost > allowed)
        fprintf(stderr, "%s: %s %" PRIu64 " for %" PRIu64 " bytes of capture, %.2f times what is allowed%s\n",
                input->what, names[signal], cost, input->bytes, share, cost > allowed ? " does not hold" : "");
    return cost <= allowed || (mode && strcmp(mode, "only") == 0);
}

void cost_judge(const struct costly *input, const struct cost *cost, const struct cost *allowed)
{
    cost_keep(input, cost->work * 1000 / (allowed->work + 1));
    bool work_in_proportion = judge(input, SIGNAL_WORK, cost->work, allowed->work);
    bool memory_as_promised = judge(input, SIGNAL_MEMORY, cost->memory, allowed->memory);
    bool output_in_proportion = judge(input, SIGNAL_OUTPUT, cost->output, allowed->output);
    CHECK(work_in_proportion);
    CHECK(memory_as_promised);
    CHECK(output_in_proportion);
}
