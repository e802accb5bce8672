#include "shared_text.h"

#include <stdio.h>

#include "inside.h"

const char *model_controller(enum armtap_generation generation, const char *version)
{
    const char *series = generation == ARMTAP_GENERATION_CB3E ? armtap_release_series(version) : NULL;
    return generation == ARMTAP_GENERATION_CB2    ? "CB2"
           : series                               ? series
           : generation == ARMTAP_GENERATION_CB3E ? "CB3 or e-Series"
                                                  : "";
}

const char *model_names(char to[MODEL_NAMES_MAX], const struct armtap_kinematics_result *result)
{
    size_t length = 0;
    to[0] = '\0';
    for (size_t i = 0; i < result->model_count && length < MODEL_NAMES_MAX; i++)
        length += (size_t)snprintf(to + length, MODEL_NAMES_MAX - length, "%s%s",
                                   i == 0                         ? ""
                                   : i + 1 == result->model_count ? " or "
                                                                  : ", ",
                                   result->models[i]->name);
    return to;
}

void model_names_json(struct json *json, const struct armtap_kinematics_result *result)
{
    json_array(json, false);
    for (size_t i = 0; i < result->model_count; i++)
        json_text(json, result->models[i]->name);
    json_close(json);
}

struct armtap_kinematics_result model_of_stream(const struct armtap_stream_summary *summary)
{
    struct armtap_kinematics_result result = {.outcome = ARMTAP_KINEMATICS_UNKNOWN};
    if (summary->kinematics)
        armtap_kinematics_result(summary->kinematics, &result);
    return result;
}
