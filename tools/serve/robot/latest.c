#include "servers.h"

#include <stdlib.h>
#include <string.h>

static void know_first(struct latest *latest, const struct presence *presence)
{
    for (size_t i = 0; i < variables_count(latest->variables); i++) {
        const struct variable *variable = variables_at(latest->variables, i);
        bool begins = variable->recorded && (!presence || presence_begins_with(presence, variable));
        latest->is_known[i] = begins || variable->fill;
        if (!begins && variable->fill)
            memcpy(latest->image + variable->offset, variable->fill, variable->size);
    }
}

int latest_begin(struct latest *latest, struct variables *variables, const struct presence *presence)
{
    size_t size = variables_size(variables);
    latest->variables = variables;
    latest->time = latest->captured = INT64_MIN;
    latest->image = malloc(size + 1);
    if (!latest->image)
        return -1;
    if (size > 0)
        memcpy(latest->image, variables_first(variables), size);
    know_first(latest, presence);
    return 0;
}

void latest_end(struct latest *latest)
{
    free(latest->image);
}

/* What is not recorded any more stays: the newest that there is. */
static void keep_tick(struct latest *latest, const struct tick *tick)
{
    for (size_t i = 0; i < variables_count(latest->variables); i++) {
        const struct variable *variable = variables_at(latest->variables, i);
        if (tick->given && tick->given[i] <= GIVEN_AGAIN)
            continue;
        memcpy(latest->image + variable->offset, tick->image + variable->offset, variable->size);
        latest->is_known[i] = variable_is_played(variable);
    }
}

/* Every peer passes on every tick; the first one counts. */
void latest_take(struct latest *latest, const struct tick *tick)
{
    if (!tick->image)
        return;
    if (tick->time != latest->time)
        keep_tick(latest, tick);
    latest->time = tick->time;
    latest->captured = tick->captured;
}

double latest_number(const struct latest *latest, enum armtap_field_id id, unsigned i, double otherwise)
{
    const struct variable *variable = variables_of_field(latest->variables, id);
    return variable && latest->is_known[variable->index] && i < variable->count
               ? variable_number(variable, latest->image, i)
               : otherwise;
}
