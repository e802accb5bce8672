/* RTDE's handshake: V, v, O, I, S; and P at the end. One request at a time; a reply is known by its type, since texts
 * and data may come between. */
#include <string.h>

#include "protocol/release.h"
#include "try.h"
#include "client.h"

#define VERSION_TIME SECOND     /* for a reply to V: UR's client waits as long */
#define AGAIN_TIME SECOND       /* for a reply to a second set-up on one connection */
#define REPLY_TIME (5 * SECOND) /* for others: UR's client waits for ever, its Python client 1 s */
#define VERSION_TRIES 2u        /* connections on which V is not answered, until protocol 1 is taken */
#define IN_USE_TIME SECOND      /* until inputs in use are asked for again */
#define IN_USE_TRIES 3u
#define LINE_ENOUGH 320u /* bytes of a line after which no further name is begun: one and its releases fit */

/* ---- requests ---- */

static int ask(struct armtap_client *client, enum armtap_client_state state, int64_t time,
               struct armtap_rtde_package *package)
{
    package->direction = ARMTAP_TO_ROBOT;
    package->protocol = client->agreed.version > 1 ? client->agreed.version : 1;
    TRY(armtap_client_put(client, package, 0));
    client->link.asked = package->type;
    client->link.awaiting = true;
    client->link.asked_end = client->link.sent + client->out_length;
    client->state = state;
    client->deadline = armtap_client_later(client, time);
    return ARMTAP_OK;
}

static int ask_version(struct armtap_client *client, int version)
{
    client->link.asking_version = version;
    return ask(client, ARMTAP_CLIENT_STATE_VERSION, VERSION_TIME,
               &(struct armtap_rtde_package){.size = sizeof(struct armtap_rtde_package),
                                             .type = ARMTAP_RTDE_VERSION,
                                             .version = (unsigned)version});
}

static int ask_controller(struct armtap_client *client, int version)
{
    client->agreed.version = version;
    return ask(client, ARMTAP_CLIENT_STATE_CONTROLLER, REPLY_TIME,
               &(struct armtap_rtde_package){.size = sizeof(struct armtap_rtde_package),
                                             .type = ARMTAP_RTDE_CONTROLLER_VERSION});
}

static int ask_outputs(struct armtap_client *client)
{
    char names[ARMTAP_NAMES_MAX];
    return ask(client, ARMTAP_CLIENT_STATE_SETUP, client->link.asked_again ? AGAIN_TIME : REPLY_TIME,
               &(struct armtap_rtde_package){.size = sizeof(struct armtap_rtde_package),
                                             .type = ARMTAP_RTDE_SETUP_OUTPUTS,
                                             .frequency = client->agreed.frequency,
                                             .names = names,
                                             .names_length = armtap_name_list_write(&client->outputs, names)});
}

static int ask_inputs(struct armtap_client *client)
{
    char names[ARMTAP_NAMES_MAX];
    return ask(client, ARMTAP_CLIENT_STATE_INPUTS, client->link.asked_again ? AGAIN_TIME : REPLY_TIME,
               &(struct armtap_rtde_package){
                   .size = sizeof(struct armtap_rtde_package),
                   .type = ARMTAP_RTDE_SETUP_INPUTS,
                   .names = names,
                   .names_length = armtap_name_list_write(&client->inputs[client->link.input].names, names)});
}

/* The next input recipe that has names, or START. */
static int ask_next(struct armtap_client *client)
{
    const struct armtap_client_options *options = &client->options;
    client->link.asked_again = false;
    client->link.tries = 0;
    while (client->link.input < options->input_count &&
           client->inputs[client->link.input].names.dropped == client->inputs[client->link.input].names.count)
        client->link.input++;
    if (client->link.input < options->input_count)
        return ask_inputs(client);
    return ask(client, ARMTAP_CLIENT_STATE_START, REPLY_TIME,
               &(struct armtap_rtde_package){.size = sizeof(struct armtap_rtde_package), .type = ARMTAP_RTDE_START});
}

int armtap_rtde_client_begin(struct armtap_client *client)
{
    int version = client->options.max_version ? client->options.max_version : 3;
    return version > 1 && client->unanswered < VERSION_TRIES ? ask_version(client, version) : ask_controller(client, 1);
}

const char *armtap_rtde_client_asks(const struct armtap_client *client)
{
    switch (client->state) {
    case ARMTAP_CLIENT_STATE_VERSION:
        return "the protocol request";
    case ARMTAP_CLIENT_STATE_CONTROLLER:
        return "the version request";
    case ARMTAP_CLIENT_STATE_SETUP:
        return "the output setup";
    case ARMTAP_CLIENT_STATE_INPUTS:
        return "the input setup";
    case ARMTAP_CLIENT_STATE_START:
        return "START";
    default:
        return NULL;
    }
}

bool armtap_rtde_client_knows(uint8_t type)
{
    static const char types[] = "VvMOISPUR";
    return memchr(types, type, sizeof types - 1) != NULL;
}

int armtap_rtde_client_pause(struct armtap_client *client)
{
    client->link.asked = ARMTAP_RTDE_PAUSE;
    client->link.awaiting = true;
    TRY(armtap_client_put(client,
                          &(struct armtap_rtde_package){.size = sizeof(struct armtap_rtde_package),
                                                        .type = ARMTAP_RTDE_PAUSE,
                                                        .direction = ARMTAP_TO_ROBOT},
                          0));
    client->link.asked_end = client->link.sent + client->out_length;
    return ARMTAP_OK;
}

/* ---- replies ---- */

static int take_version(struct armtap_client *client, bool accepted)
{
    int version = client->link.asking_version;
    if (accepted) {
        client->unanswered = 0;
        return ask_controller(client, version);
    }
    TRY(armtap_client_tell(client, ARMTAP_CLIENT_EVENT_PROTOCOL, ARMTAP_NOTICE, "the controller refused protocol %u",
                           (uint64_t)version));
    return version > 1 ? ask_version(client, version - 1) : ask_controller(client, 1);
}

/* A controller takes 1 Hz to its own frequency, and sends in every n-th of its cycles. Which frequency is its own
 * follows from its release. */
static int choose_frequency(struct armtap_client *client, unsigned major)
{
    double most = major < 5 ? 125 : 500, wanted = client->options.frequency;
    struct armtap_client_agreement *agreed = &client->agreed;
    agreed->frequency = agreed->version < 2 ? 0 : wanted == 0 || wanted > most ? most : wanted;
    agreed->rate = agreed->frequency > 0 ? most / (double)(unsigned)(most / agreed->frequency) : most;
    if (wanted == 0 || agreed->rate == wanted)
        return ARMTAP_OK;
    struct armtap_line line;
    armtap_line_begin(&line);
    armtap_line_double(&line, wanted);
    armtap_line_string(&line, " Hz were requested; a controller of this version sends ");
    armtap_line_double(&line, agreed->rate);
    return armtap_client_tell(client, ARMTAP_CLIENT_EVENT_PROTOCOL, ARMTAP_NOTICE, "%s Hz", line.text);
}

static int take_controller(struct armtap_client *client, const struct armtap_rtde_package *package)
{
    const char *release = armtap_conn_stream(client->conn)->controller_version;
    memcpy(client->agreed.controller_version, release, sizeof client->agreed.controller_version);
    if (strcmp(release, client->judged_version) != 0) { /* another release has other names */
        armtap_name_list_restore(&client->outputs);
        for (size_t i = 0; i < client->options.input_count; i++)
            armtap_name_list_restore(&client->inputs[i].names);
        memcpy(client->judged_version, release, sizeof client->judged_version);
    }
    TRY(choose_frequency(client, package->release[0]));
    return ask_outputs(client);
}

/* Which release introduced a field: of the controller's own series, if it is one that may lack it. */
static void put_since(const struct armtap_field *field, const char *release, struct armtap_line *line)
{
    const char *own;
    size_t length;
    if (!field || field->since[0] == '\0')
        return;
    armtap_line_string(line, armtap_release_judge(field->since, release) == ARMTAP_RELEASE_HAS
                                 ? " (although introduced in "
                                 : " (introduced in ");
    if (armtap_release_of_series(field->since, release, &own, &length))
        armtap_line_format(line, "%b", (const void *)own, length);
    else
        armtap_release_list(line, field->since);
    armtap_line_string(line, ")");
}

/* Why a name may be lacking: it came with another release, is none of that direction, or is misspelled. */
static void put_reason(const char *name, enum armtap_field_direction direction, const char *release,
                       struct armtap_line *line)
{
    const struct armtap_field *field = armtap_field_find(name, strlen(name));
    const struct armtap_field *meant = field ? NULL : armtap_field_nearest(name, strlen(name), direction);
    if (field && !(field->direction & direction))
        armtap_line_string(line, field->direction == ARMTAP_FIELD_INPUT    ? " (an input)"
                                 : field->direction == ARMTAP_FIELD_OUTPUT ? " (an output)"
                                                                           : " (not in RTDE)");
    else if (meant)
        armtap_line_format(line, " (did you mean %s?)", meant->name);
    else
        put_since(field, release, line);
}

/* The names that were left out, and why: from the i-th on, as many as a line has room for. Returns where the next line
 * begins. */
static size_t put_lacking(const struct armtap_client *client, const struct armtap_name_list *names, size_t i,
                          struct armtap_line *line)
{
    const char *before = "";
    for (; i < names->count && line->length < LINE_ENOUGH; i++) {
        const char *name = names->names[i].text;
        if (!names->names[i].dropped)
            continue;
        armtap_line_format(line, "%s%b", before, (const void *)name, strlen(name));
        put_reason(name, names == &client->outputs ? ARMTAP_FIELD_OUTPUT : ARMTAP_FIELD_INPUT,
                   client->agreed.controller_version, line);
        before = ", ";
    }
    while (i < names->count && !names->names[i].dropped)
        i++;
    return i;
}

/* Tells which names the controller lacks, all of them, in as many lines as that takes; the last one is left to the
 * caller. */
static int tell_lacking(struct armtap_client *client, const struct armtap_name_list *names, struct armtap_line *line)
{
    size_t next = 0;
    for (;;) {
        armtap_line_begin(line);
        armtap_line_format(line, "the controller, %s, lacks ", client->agreed.controller_version);
        next = put_lacking(client, names, next, line);
        if (next == names->count)
            return ARMTAP_OK;
        TRY(armtap_client_tell(client, ARMTAP_CLIENT_EVENT_DROPPED, ARMTAP_WARNING,
                               client->options.strict ? "%s" : "%s: left out", line->text));
    }
}

/* Some names were not found. Asks again without them, once on a connection. */
static int drop_names(struct armtap_client *client, struct armtap_name_list *names, bool *again)
{
    struct armtap_line line;
    TRY(tell_lacking(client, names, &line));
    *again = false;
    if (client->options.strict)
        return armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "%s", line.text);
    TRY(armtap_client_tell(client, ARMTAP_CLIENT_EVENT_DROPPED, ARMTAP_WARNING, "%s: left out", line.text));
    if (names->dropped < names->count && client->link.asked_again)
        return armtap_client_lose(client,
                                  "the controller lacks further names, after a request without those it lacked");
    client->link.asked_again = *again = true;
    return ARMTAP_OK;
}

/* A reply that neither sets up nor refuses names. */
static int lose_unreadable(struct armtap_client *client, bool in_use)
{
    return armtap_client_lose(client,
                              in_use ? "the controller answers %s with IN_USE, which only applies to inputs"
                                     : "the controller's answer to %s cannot be read",
                              armtap_rtde_client_asks(client));
}

static int take_outputs(struct armtap_client *client, const struct armtap_client_gathered *gathered)
{
    bool again;
    if (gathered->recipe) {
        client->link.awaiting = false;
        return ask_next(client);
    }
    if (gathered->lacking == 0)
        return lose_unreadable(client, gathered->in_use > 0);
    TRY(drop_names(client, &client->outputs, &again));
    if (again && client->outputs.count - client->outputs.dropped <= client->options.beside)
        return armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "the controller knows none of the requested fields");
    return again ? ask_outputs(client) : ARMTAP_OK;
}

static int take_in_use(struct armtap_client *client)
{
    static const char text[] =
        "inputs are in use: by EtherNet/IP (it claims all), PROFINET, a URCap, another client, or "
        "an earlier connection that the robot still serves";
    client->link.awaiting = false;
    if (client->link.tries++ == IN_USE_TRIES)
        return client->talked ? armtap_client_lose(client, text)
                              : armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, text);
    client->deadline = armtap_client_later(client, IN_USE_TIME);
    return armtap_client_tell(client, ARMTAP_CLIENT_EVENT_IN_USE, ARMTAP_WARNING, "%s; requesting again", text);
}

static int take_inputs(struct armtap_client *client, const struct armtap_client_gathered *gathered)
{
    struct armtap_name_list *names = &client->inputs[client->link.input].names;
    bool again = true;
    if (gathered->recipe) {
        client->link.input++;
        return ask_next(client);
    }
    if (gathered->lacking == 0 && gathered->in_use == 0)
        return lose_unreadable(client, false);
    if (gathered->lacking > 0)
        TRY(drop_names(client, names, &again));
    if (!again)
        return ARMTAP_OK;
    if (names->dropped == names->count)
        return ask_next(client);
    return gathered->in_use > 0 ? take_in_use(client) : ask_inputs(client);
}

static int take_start(struct armtap_client *client, bool accepted)
{
    client->link.awaiting = false;
    if (!accepted)
        return armtap_client_lose(client, "the controller refused to start");
    client->talked = true;
    client->unanswered = 0;
    TRY(armtap_client_tell(client, ARMTAP_CLIENT_EVENT_STARTED, ARMTAP_INFO, "started"));
    return client->state == ARMTAP_CLIENT_STATE_START ? armtap_client_wait(client) : ARMTAP_OK;
}

int armtap_rtde_client_take(struct armtap_client *client, const struct armtap_message *message,
                            const struct armtap_client_gathered *gathered)
{
    struct armtap_rtde_package package = {.size = sizeof package};
    if (!client->link.awaiting || message->bytes[2] != (uint8_t)client->link.asked ||
        client->link.sent < client->link.asked_end)
        return ARMTAP_OK;
    if (client->link.asked == ARMTAP_RTDE_SETUP_OUTPUTS)
        return take_outputs(client, gathered);
    if (client->link.asked == ARMTAP_RTDE_SETUP_INPUTS)
        return take_inputs(client, gathered);
    if (armtap_rtde_parse(message->bytes, message->length, ARMTAP_FROM_ROBOT, 1, &package) != ARMTAP_OK)
        return ARMTAP_OK;
    switch (client->link.asked) {
    case ARMTAP_RTDE_VERSION:
        return take_version(client, package.accepted);
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        return take_controller(client, &package);
    case ARMTAP_RTDE_START:
        return take_start(client, package.accepted);
    default:
        return armtap_client_finish(client, ARMTAP_CLIENT_DONE, "stopped");
    }
}

/* ---- no reply ---- */

int armtap_rtde_client_expire(struct armtap_client *client)
{
    if (client->state == ARMTAP_CLIENT_STATE_INPUTS && !client->link.awaiting)
        return ask_inputs(client);
    if (client->state == ARMTAP_CLIENT_STATE_VERSION) {
        client->unanswered++;
        return armtap_client_lose(client, "the controller does not answer %s%s", armtap_rtde_client_asks(client),
                                  client->unanswered < VERSION_TRIES ? "" : "; assuming protocol 1");
    }
    return armtap_client_lose(client, "the controller does not answer %s", armtap_rtde_client_asks(client));
}
