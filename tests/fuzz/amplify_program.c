/* The program's work for an input of operations, in proportion to its bytes: a byte selects the command, the operations
 * follow. */
#include "command.h"
#include "honest.h"

static const struct {
    const char *arguments[8];
    uint64_t memory; /* in MB; a quarter of what is promised for any capture, because these are small */
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
#define WORK_ONCE 2400000 /* more than the library's: if data must be guessed, a capture is read again */

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
    if (size == 0)
        return 0;
    chosen = data[0] % COMMANDS;
    limits[chosen].memory = commands[chosen].memory << 20;
    limits[chosen].once = WORK_ONCE;
    honest_judge(&limits[chosen], cost_of, commands[chosen].arguments[0], data + 1, size - 1);
    return 0;
}

OPERATIONS_BEGIN(1);
