#include "analysis/facts/detectors.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/inside.h"

#define HOLDERS_MAX 256

/* A connection's inputs, in the order of their set-up. */
struct input_holder {
    char robot[64], client[64]; /* with their ports */
    struct armtap_set inputs;
    struct held {
        uint16_t id;
        struct armtap_where where; /* of the reply that granted it */
    } * held;
    size_t count;
};

static void holder_free(struct input_holder *holder)
{
    if (!holder)
        return;
    free(holder->held);
    free(holder);
}

void armtap_input_holders_clear(struct input_holders *holders)
{
    for (size_t i = 0; i < holders->all.count; i++)
        holder_free(holders->all.slots[i].thing);
    free(holders->all.slots);
    *holders = (struct input_holders){.all = {.count = 0}};
}

/* Finds or adds the holder; NULL if there are too many (`full`) or memory runs out. */
static struct input_holder *holder_of(struct input_holders *holders, const struct armtap_stream *stream, bool *full)
{
    struct input_holder *holder = by_connection_find(&holders->all, stream->connection);
    *full = !holder && holders->all.count == HOLDERS_MAX;
    if (holder || *full)
        return holder;
    holder = by_connection_new(&holders->all, stream->connection, sizeof *holder);
    if (!holder)
        return NULL;
    memcpy(holder->robot, stream->robot, sizeof holder->robot);
    memcpy(holder->client, stream->client, sizeof holder->client);
    return holder;
}

/* 0, or -1 if memory runs out. */
static int hold(struct input_holder *holder, unsigned id, const struct armtap_where *where)
{
    if (armtap_set_has(&holder->inputs, id))
        return 0;
    if (!MAKE_ROOM(holder->held, holder->count))
        return -1;
    armtap_set_add(&holder->inputs, id);
    holder->held[holder->count++] = (struct held){(uint16_t)id, *where};
    return 0;
}

int armtap_input_holders_recipe(struct input_holders *holders, const struct armtap_recipe_event *event)
{
    bool full, is_granted = event->direction == ARMTAP_TO_ROBOT && !(event->flags & ARMTAP_GUESSED);
    if (!is_granted || event->stream->protocol != ARMTAP_RTDE)
        return 0;
    struct input_holder *holder = holder_of(holders, event->stream, &full);
    if (!holder)
        return full ? 0 : -1;
    for (size_t i = 0; i < armtap_recipe_count(event->recipe); i++) {
        const struct armtap_field *field = armtap_recipe_at(event->recipe, i)->field;
        if (field && hold(holder, field->id, &event->where) != 0)
            return -1;
    }
    return 0;
}

void armtap_input_holders_event(struct input_holders *holders, const struct armtap_event *event)
{
    if (event->type == ARMTAP_EVENT_CLOSE)
        holder_free(by_connection_remove(&holders->all, event->stream->connection));
}

/* Whether two ends, with their ports, are on one host. */
static bool is_same_host(const char *one, const char *other)
{
    const char *port = strrchr(one, ':'), *other_port = strrchr(other, ':');
    return port && other_port && port - one == other_port - other && strncmp(one, other, (size_t)(port - one)) == 0;
}

/* The holder of an input of that robot: the refused client's own if there is one, and the latest. NULL: none. */
static const struct input_holder *find(const struct input_holders *holders, const struct armtap_stream *refused,
                                       unsigned id)
{
    const struct input_holder *found = NULL;
    bool is_own = false;
    for (size_t i = 0; i < holders->all.count; i++) {
        const struct by_connection_slot *slot = &holders->all.slots[i];
        const struct input_holder *holder = slot->thing;
        if (slot->connection == refused->connection || !armtap_set_has(&holder->inputs, id) ||
            strcmp(holder->robot, refused->robot) != 0)
            continue;
        bool is_own_too = is_same_host(holder->client, refused->client);
        found = is_own && !is_own_too ? found : holder;
        is_own = is_own || is_own_too;
    }
    return found;
}

static const struct armtap_where *place_of(const struct input_holder *holder, unsigned id)
{
    size_t i = 0;
    while (holder->held[i].id != id)
        i++;
    return &holder->held[i].where;
}

bool armtap_input_holders_arguments(const struct input_holders *holders, const struct armtap_note *note,
                                    struct armtap_argument arguments[INPUT_HOLDER_ARGUMENTS])
{
    if (holders->all.count == 0 || !note->stream || strcmp(note->kind->id, "rtde.field.in-use") != 0)
        return false;
    const struct armtap_argument *name = armtap_argument_of(&note->arguments, ARMTAP_ARGUMENT_field);
    const struct armtap_field *field = name ? armtap_field_find(name->value.text, name->length) : NULL;
    const struct input_holder *holder = field ? find(holders, note->stream, field->id) : NULL;
    if (!holder)
        return false;
    const struct armtap_where *where = place_of(holder, field->id);
    bool is_own = is_same_host(holder->client, note->stream->client);
    arguments[0] = arg_field(field->name);
    arguments[1] = arg_case(is_own ? ARMTAP_WORD_same_client : ARMTAP_WORD_other_client);
    arguments[2] = arg_client(holder->client);
    arguments[3] = arg_packet(where->packet);
    arguments[4] = arg_is_earlier_file(where->file != note->where.file);
    arguments[5] = arg_is_left_to_clients(armtap_argument_of(&note->arguments, ARMTAP_ARGUMENT_is_left_to_clients));
    return true;
}
