/* What a client's connection tells: passed on to the caller's sink, and acted upon. */
#include <math.h>
#include <string.h>

#include "try.h"
#include "client.h"

#define FOREIGN_MAX (128 * 1024) /* bytes without a message that is known: no package is longer than half of that */

/* Calls the caller's callback, if there is one. */
#define PASS_ON(client, callback, what)                                                                                \
    do {                                                                                                               \
        if ((client)->sink.callback && (client)->sink.callback((client)->user, what) != 0)                             \
            return ARMTAP_ERR_STOPPED;                                                                                 \
        if ((client)->doomed)                                                                                          \
            return ARMTAP_ERR_STOPPED;                                                                                 \
    } while (0)

/* Whether what comes still matters for what the client does. */
static bool acts(const struct armtap_client *client)
{
    return client->link.open && client->verdict.what == ARMTAP_CLIENT_GO_ON;
}

static bool was_asked(const struct armtap_client *client, enum armtap_rtde_type type)
{
    return client->link.awaiting && client->link.asked == type && client->link.sent >= client->link.asked_end;
}

/* The clock of a controller that was booted meanwhile is behind that of the connection before. */
static int note_clock(struct armtap_client *client, double clock)
{
    double before = client->last_clock;
    bool first = isnan(client->agreed.first_clock);
    if (isnan(clock))
        return ARMTAP_OK;
    if (first)
        client->agreed.first_clock = clock;
    client->agreed.last_clock = client->last_clock = clock;
    if (!first || !(clock < before))
        return ARMTAP_OK;
    client->agreed.restarts++;
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_string(&line, "the controller was restarted: its clock was at ");
    armtap_line_double(&line, before);
    armtap_line_string(&line, " s and now starts at ");
    armtap_line_double(&line, clock);
    return armtap_client_tell(client, ARMTAP_CLIENT_EVENT_RESTARTED, ARMTAP_WARNING, "%s s", line.text);
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct armtap_client *client = user;
    PASS_ON(client, on_record, record);
    if (record->direction != ARMTAP_FROM_ROBOT)
        return ARMTAP_OK;
    client->agreed.records++;
    if (!acts(client))
        return ARMTAP_OK;
    TRY(note_clock(client, record->clock));
    bool started = client->state == ARMTAP_CLIENT_STATE_WAITING || client->state == ARMTAP_CLIENT_STATE_STREAMING ||
                   (client->state == ARMTAP_CLIENT_STATE_START && client->link.sent >= client->link.asked_end);
    if (!started)
        return ARMTAP_OK;
    client->link.had_data = client->talked = true;
    client->unanswered = 0;
    return armtap_client_has_data(client);
}

/* A reply with another number of types than there were names sets up nothing: which is whose is not known. */
static bool fits(const struct armtap_recipe *recipe, const struct armtap_name_list *names)
{
    return armtap_recipe_count(recipe) == names->count - names->dropped;
}

static void keep_recipe(const struct armtap_recipe **place, const struct armtap_recipe *recipe)
{
    const struct armtap_recipe *before = *place;
    *place = armtap_recipe_hold(recipe);
    armtap_recipe_release((struct armtap_recipe *)before);
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct armtap_client *client = user;
    PASS_ON(client, on_recipe, event);
    if (client->options.protocol != ARMTAP_RTDE)
        return ARMTAP_OK;
    if (event->direction == ARMTAP_FROM_ROBOT && fits(event->recipe, &client->outputs)) {
        keep_recipe(&client->agreed.recipe, event->recipe);
        client->link.gathered.recipe |= was_asked(client, ARMTAP_RTDE_SETUP_OUTPUTS);
    } else if (event->direction == ARMTAP_TO_ROBOT && was_asked(client, ARMTAP_RTDE_SETUP_INPUTS)) {
        struct armtap_client_input *input = &client->inputs[client->link.input];
        if (!fits(event->recipe, &input->names))
            return ARMTAP_OK;
        keep_recipe(&input->recipe, event->recipe);
        input->id = (unsigned)event->recipe_id;
        client->link.gathered.recipe = true;
    }
    return ARMTAP_OK;
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    struct armtap_client *client = user;
    PASS_ON(client, on_refused, setup);
    bool outputs = setup->direction == ARMTAP_FROM_ROBOT;
    if (!was_asked(client, outputs ? ARMTAP_RTDE_SETUP_OUTPUTS : ARMTAP_RTDE_SETUP_INPUTS))
        return ARMTAP_OK;
    struct armtap_name_list *names = outputs ? &client->outputs : &client->inputs[client->link.input].names;
    for (size_t i = 0; i < setup->refused_count; i++) {
        const struct armtap_refused *refused = &setup->refused[i];
        if (refused->why == ARMTAP_REFUSAL_IN_USE)
            client->link.gathered.in_use++;
        else if (refused->why != ARMTAP_REFUSAL_MISREAD)
            client->link.gathered.lacking += armtap_name_list_drop(names, refused->name, refused->length, refused->why);
    }
    return ARMTAP_OK;
}

/* A text may come at any time; one of them says why no data comes. */
static int on_text(void *user, const struct armtap_text *text)
{
    static const char unconfirmed[] = "SafetySetup has not been confirmed";
    struct armtap_client *client = user;
    PASS_ON(client, on_text, text);
    if (text->direction != ARMTAP_FROM_ROBOT)
        return ARMTAP_OK;
    armtap_line_begin(&client->said);
    armtap_line_span(&client->said, text->text, text->text_length);
    for (size_t i = 0; i + sizeof unconfirmed - 1 <= text->text_length; i++)
        client->link.unconfirmed |= memcmp(text->text + i, unconfirmed, sizeof unconfirmed - 1) == 0;
    bool waits = client->state == ARMTAP_CLIENT_STATE_WAITING && acts(client);
    return client->link.unconfirmed && waits ? armtap_client_miss_data(client) : ARMTAP_OK;
}

/* What is only passed on. */
#define ONLY_PASSED_ON(callback, type)                                                                                 \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        struct armtap_client *client = user;                                                                           \
        PASS_ON(client, callback, what);                                                                               \
        return ARMTAP_OK;                                                                                              \
    }
ONLY_PASSED_ON(on_note, armtap_note)
ONLY_PASSED_ON(on_event, armtap_event)
ONLY_PASSED_ON(on_properties, armtap_record)
ONLY_PASSED_ON(on_candidates, armtap_candidates)

static int on_message(void *user, const struct armtap_message *message)
{
    struct armtap_client *client = user;
    PASS_ON(client, on_message, message);
    struct armtap_client_gathered gathered = client->link.gathered;
    client->link.gathered = (struct armtap_client_gathered){0};
    if (message->direction != ARMTAP_FROM_ROBOT || !acts(client))
        return ARMTAP_OK;
    bool known =
        !message->skipped && (client->options.protocol != ARMTAP_RTDE || armtap_rtde_client_knows(message->bytes[2]));
    client->link.foreign = known ? 0 : client->link.foreign + message->length;
    if (client->link.foreign > FOREIGN_MAX)
        return armtap_client_lose(client, "the data is not %s", armtap_protocol_info(client->options.protocol)->title);
    if (message->skipped || client->options.protocol != ARMTAP_RTDE)
        return ARMTAP_OK;
    return armtap_rtde_client_take(client, message, &gathered);
}

void armtap_client_sink(const struct armtap_client *client, struct armtap_sink *sink)
{
    const struct armtap_sink *own = &client->sink;
    *sink = (struct armtap_sink){
        .size = sizeof *sink,
        .on_record = on_record,
        .on_recipe = on_recipe,
        .on_text = on_text,
        .on_note = own->on_note ? on_note : NULL,
        .on_event = own->on_event ? on_event : NULL,
        .on_properties = own->on_properties ? on_properties : NULL,
        .on_message = on_message,
        .on_refused = on_refused,
        .on_candidates = own->on_candidates ? on_candidates : NULL,
    };
}
