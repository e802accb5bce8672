/* What commands of the program do for an input of operations, in proportion to its bytes: a byte that chooses the
 * command, then the operations. */
#include <string.h>

#include "command.h"
#include "honest.h"

#define WORK_CONSTANT 10000000 /* 10 ms */
#define OUTPUT_CONSTANT 100000

static const struct {
    const char *arguments[8];
    uint64_t memory; /* in MB; a quarter of what is promised for any capture: these are small */
} commands[] = {
    {{"info", "--threads", "1", "--json"}, 8},
    {{"info", "--threads", "1"}, 8},
    {{"export", "--threads", "1", "-f", "ndjson"}, 16},
    {{"export", "--threads", "1", "-f", "csv", "--stream", "0"}, 16},
    {{"export", "--threads", "1", "-f", "gnuplot", "--stream", "0"}, 16},
    {{"export", "--threads", "1", "-f", "csv", "--union"}, 16},
    {{"diagnose", "--threads", "1"}, 16},
    {{"compare", "--threads", "1"}, 16},
};
#define COMMANDS (sizeof commands / sizeof *commands)

static size_t chosen;

static struct cost cost_of(const struct scene *scene)
{
    const char *arguments[COMMAND_ARGUMENTS] = {NULL};
    size_t count = 0;
    for (; commands[chosen].arguments[count]; count++)
        arguments[count] = commands[chosen].arguments[count];
    arguments[count] = input_file(scene->capture.at, scene->capture.used);
    cost_begin();
    uint64_t output = command_run_unseen(arguments);
    struct cost cost = cost_end();
    cost.output = output;
    return cost;
}

FUZZ_TARGET(amplify_program)
{
    static struct limits limits[COMMANDS];
    struct scene scene;
    if (size == 0)
        return 0;
    chosen = data[0] % COMMANDS;
    struct limits *own = &limits[chosen];
    if (own->work[PLAIN] <= 0) {
        own->constant = (struct cost){WORK_CONSTANT, commands[chosen].memory << 20, OUTPUT_CONSTANT};
        honest_measure(own, cost_of);
    }
    scene_begin(&scene);
    scene_play(&scene, data + 1, size - 1);
    struct cost cost = cost_of(&scene), allowed = honest_allows(own, &scene);
    struct costly input = {commands[chosen].arguments[0], scene_mostly(&scene), scene.capture.used};
    cost_judge(&input, &cost, &allowed);
    scene_free(&scene);
    return 0;
}

#ifdef ARMTAP_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (size < 1 || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, room);
    return 1 + scene_mutate(data + 1, size - 1, room - 1, seed * 2654435761u);
}
#endif
