#include "latest.h"

#include <stdlib.h>
#include <string.h>

int latest_begin(struct latest *latest, struct variables *variables)
{
    size_t size = variables_size(variables);
    latest->variables = variables;
    latest->time = latest->captured = INT64_MIN;
    latest->image = malloc(size + 1);
    if (!latest->image)
        return -1;
    if (size > 0)
        memcpy(latest->image, variables_first(variables), size);
    return 0;
}

void latest_end(struct latest *latest)
{
    free(latest->image);
}

/* Every peer passes on every tick; the first one counts. */
void latest_take(struct latest *latest, const struct tick *tick)
{
    if (!tick->image)
        return;
    if (tick->time != latest->time)
        memcpy(latest->image, tick->image, variables_size(latest->variables));
    latest->time = tick->time;
    latest->captured = tick->captured;
}

double latest_number(const struct latest *latest, enum armtap_field_id id, unsigned i, double otherwise)
{
    const struct variable *variable = variables_of_field(latest->variables, id);
    return variable && variable->recorded && i < variable->count ? variable_number(variable, latest->image, i)
                                                                 : otherwise;
}
