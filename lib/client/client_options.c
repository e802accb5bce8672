/* Which options a client takes. */
#include <math.h>

#include "client.h"

#define INPUTS_MAX 255

static const char *names_problem(const char *names)
{
    if (!names || armtap_name_list_bytes(names) == 0)
        return "no names are given for a recipe";
    return armtap_name_list_bytes(names) > ARMTAP_NAMES_MAX
               ? "the names of a recipe have more than the 2048 bytes that a controller takes: ask for fewer fields"
               : NULL;
}

static const char *rtde_problem(const struct armtap_client_options *options)
{
    if (options->max_version < 0 || options->max_version > 3)
        return "RTDE has the protocols 1, 2 and 3";
    if (!(options->frequency == 0 || options->frequency >= 1) || isinf(options->frequency))
        return "a frequency is 1 Hz or more";
    if (options->input_count > INPUTS_MAX || (options->input_count > 0 && !options->inputs))
        return "a client has at most 255 input recipes";
    const char *problem = names_problem(options->outputs);
    for (size_t i = 0; i < options->input_count && !problem; i++)
        problem = names_problem(options->inputs[i]);
    return problem;
}

const char *armtap_client_problem(const struct armtap_client_options *options)
{
    if (!options || options->size < sizeof *options)
        return "there are no options, or their size is not set";
    if (options->give_up < 0)
        return "the time after which to give up is negative";
    if (options->protocol == ARMTAP_RTDE)
        return rtde_problem(options);
    return options->protocol == ARMTAP_REALTIME ? NULL : "the protocol is neither RTDE nor realtime";
}
