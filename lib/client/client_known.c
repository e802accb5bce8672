/* What may be read from a client at any time. */
#include <string.h>

#include "bytes.h"
#include "client.h"

enum armtap_client_state armtap_client_state(const struct armtap_client *client)
{
    return client ? client->state : ARMTAP_CLIENT_STATE_CLOSED;
}

const char *armtap_client_state_name(enum armtap_client_state state)
{
    static const char *const names[] = {"connecting", "version", "controller", "set-up",  "inputs",
                                        "start",      "waiting", "streaming",  "pausing", "closed"};
    return (unsigned)state < sizeof names / sizeof names[0] ? names[state] : "";
}

const struct armtap_client_verdict *armtap_client_verdict(const struct armtap_client *client)
{
    static const struct armtap_client_verdict none = {ARMTAP_CLIENT_GIVE_UP, 0, "there is no client"};
    return client ? &client->verdict : &none;
}

const struct armtap_client_agreement *armtap_client_agreement(const struct armtap_client *client)
{
    return client ? &client->agreed : NULL;
}

const struct armtap_recipe *armtap_client_input(const struct armtap_client *client, size_t input)
{
    return client && client->inputs && input < client->options.input_count ? client->inputs[input].recipe : NULL;
}

const struct armtap_stream *armtap_client_stream(const struct armtap_client *client)
{
    return client && client->conn ? armtap_conn_stream(client->conn) : NULL;
}

/* The i-th dropped name of a list; `i` becomes what is left of it. */
static const struct armtap_name *dropped_of(const struct armtap_name_list *names, size_t *i)
{
    if (*i >= names->dropped) {
        *i -= names->dropped;
        return NULL;
    }
    for (size_t k = 0;; k++)
        if (names->names[k].dropped && (*i)-- == 0)
            return &names->names[k];
}

bool armtap_client_dropped(const struct armtap_client *client, size_t i, struct armtap_client_dropped *dropped)
{
    if (!client || !dropped || !armtap_is_sized(dropped->size, sizeof *dropped))
        return false;
    const struct armtap_name *name = dropped_of(&client->outputs, &i);
    size_t input = 0;
    enum armtap_direction direction = name ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
    for (; !name && client->inputs && input < client->options.input_count; input++)
        name = dropped_of(&client->inputs[input].names, &i);
    if (!name)
        return false;
    const struct armtap_field *field = armtap_field_find(name->text, strlen(name->text));
    *dropped = (struct armtap_client_dropped){.size = dropped->size,
                                              .name = name->text,
                                              .since = field ? field->since : "",
                                              .why = name->why,
                                              .direction = direction,
                                              .input = direction == ARMTAP_TO_ROBOT ? input - 1 : 0};
    return true;
}
