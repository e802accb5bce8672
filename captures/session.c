#include "session.h"

#include "aubo_session.h"
#include "driver.h"
#include "primary.h"
#include "ur_rtde.h"
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PACKAGE 65535

int session_begin(struct session *session, const struct scene_client *client, struct motion *motion, size_t arm_count)
{
    session->aubo.topics = (struct topics){.arms = motion, .arm_count = arm_count};
    session->client = client;
    session->motion = motion;
    session->protocol = 1;
    session->written = armtap_state_new();
    struct wire_connection *connection = &session->connection;
    connection->end[ARMTAP_FROM_ROBOT].address = client->robot->address;
    connection->end[ARMTAP_FROM_ROBOT].port = client->server_port;
    connection->end[ARMTAP_TO_ROBOT].address = client->address;
    connection->end[ARMTAP_TO_ROBOT].port = client->port;
    connection->vlan = client->robot->vlan;
    connection->robot_calls = client->is_driver;
    connection->prng.state = prng_next(&session->prng);
    return session->written ? 0 : -1;
}

static void forget_recipes(struct session *session)
{
    if (session->outputs)
        armtap_recipe_release(session->outputs);
    for (unsigned i = 0; i < session->input_count; i++)
        armtap_recipe_release(session->inputs[i]);
    session->outputs = NULL;
    session->input_count = 0;
}

void session_end(struct session *session)
{
    forget_recipes(session);
    armtap_state_free(session->written);
}

/* ---- packages -------------------------------------------------------------------------------------------------- */

static void send_package(struct session *session, struct armtap_rtde_package *package, enum armtap_direction direction,
                         int64_t time)
{
    static const int64_t turnaround = 350;
    uint8_t bytes[MAX_PACKAGE];
    package->direction = direction;
    package->protocol = (int)session->protocol;
    session->tally->protocol = ARMTAP_RTDE;
    session->tally->version = session->protocol;
    package->size = sizeof *package;
    int length = armtap_rtde_write(package, bytes, sizeof bytes);
    if (length < 0) {
        fprintf(stderr, "%s: a package cannot be written: %s\n", session->path, armtap_strerror(length));
        session->failed = true;
        return;
    }
    session_flush(session, time);
    if (direction == ARMTAP_FROM_ROBOT)
        time = session->connection.now + turnaround * MICROSECOND;
    wire_send(&session->connection, direction, bytes, (size_t)length, time);
}

static void ask(struct session *session, struct armtap_rtde_package package, int64_t time)
{
    send_package(session, &package, ARMTAP_TO_ROBOT, time);
}

static void reply(struct session *session, struct armtap_rtde_package package)
{
    send_package(session, &package, ARMTAP_FROM_ROBOT, 0);
}

static void send_data(struct session *session, const struct armtap_recipe *recipe, const struct armtap_state *state,
                      unsigned id, enum armtap_direction direction, int64_t time)
{
    uint8_t values[MAX_PACKAGE];
    uint8_t bytes[MAX_PACKAGE];
    int length = armtap_encode_values(recipe, state, values, sizeof values);
    struct armtap_rtde_package package = {.size = sizeof package,
                                          .type = ARMTAP_RTDE_DATA,
                                          .direction = direction,
                                          .protocol = (int)session->protocol,
                                          .has_id = direction == ARMTAP_TO_ROBOT || session->protocol > 1,
                                          .id = id,
                                          .values = values,
                                          .values_length = (size_t)(length > 0 ? length : 0)};
    length = armtap_rtde_write(&package, bytes, sizeof bytes);
    if (length < 0 || session->held_length + (size_t)length > sizeof session->held) {
        session->failed = true;
        return;
    }
    session->tally->records[direction]++;
    if (direction == ARMTAP_TO_ROBOT) {
        wire_send(&session->connection, direction, bytes, (size_t)length, time);
        return;
    }
    memcpy(session->held + session->held_length, bytes, (size_t)length);
    session->held_length += (size_t)length;
}

/* ---- names and types ------------------------------------------------------------------------------------------- */

/* The type of a field on this controller; the configurable outputs grew with protocol 3. */
static const char *type_of(const struct session *session, const char *name, size_t length,
                           enum armtap_field_direction direction)
{
    const struct armtap_field *field = armtap_field_find(name, length);
    const char *busy = session->client->robot->busy;
    if (!field || !(field->direction & direction) || field->direction == ARMTAP_FIELD_LEGACY)
        return "NOT_FOUND";
    if (direction == ARMTAP_FIELD_INPUT && busy && strlen(busy) == length && memcmp(busy, name, length) == 0)
        return "IN_USE";
    if (session->protocol < 3 &&
        (field->id == ARMTAP_ID_configurable_digital_output || field->id == ARMTAP_ID_configurable_digital_output_mask))
        return "UINT8";
    return armtap_type_name(field->type, field->count);
}

/* The reply to a list of names. Returns whether all were accepted. */
static bool types_of(const struct session *session, const char *names, enum armtap_field_direction direction,
                     char *types, size_t capacity)
{
    bool accepted = true;
    size_t used = 0;
    types[0] = '\0';
    while (*names) {
        size_t length = strcspn(names, ",");
        const char *type = type_of(session, names, length, direction);
        accepted = accepted && strcmp(type, "NOT_FOUND") != 0 && strcmp(type, "IN_USE") != 0;
        int written = snprintf(types + used, capacity - used, "%s%s", used ? "," : "", type);
        used += written > 0 && (size_t)written < capacity - used ? (size_t)written : 0;
        names += length;
        names += *names == ',';
    }
    return accepted;
}

static struct armtap_recipe *recipe_of(struct session *session, const struct client_step *step, const char *types)
{
    struct armtap_recipe *recipe = NULL;
    int error = armtap_recipe_rtde(step->words[0], types, &recipe);
    if (error)
        session_fail(session, step, "no recipe can be made of it", armtap_strerror(error));
    return recipe;
}

/* ---- the steps of a client ------------------------------------------------------------------------------------- */

static void open_connection(struct session *session, const struct client_step *step, int64_t time)
{
    forget_recipes(session);
    session->protocol = 1;
    session->streaming = false;
    session->realtime = 0;
    session->primary = false;
    session->command_timeout = 0;
    session->watchdog = 0;
    session->obeys = false;
    aubo_begin(&session->aubo);
    if (*session->tally_count == SESSION_TALLIES) {
        session_fail(session, step, "too many connections", NULL);
        return;
    }
    session->tally = &session->tallies[(*session->tally_count)++];
    *session->tally =
        (struct session_tally){.client = session->client,
                               .protocol = session->client->is_driver ? ARMTAP_EXTERNAL_CONTROL : ARMTAP_PROTOCOL_NONE};
    wire_open(&session->connection, time);
    session->tally->time = time;
}

/* An attempt to connect that fails, or the SYN of the last one again. */
static void call(struct session *session, const struct client_step *step, int64_t time)
{
    const char *how = step->words[0];
    if (strcmp(how, "again") == 0)
        wire_ask_again(&session->connection, time);
    else
        wire_ask(&session->connection, time);
    if (strcmp(how, "refused") == 0)
        wire_refuse(&session->connection);
}

static void close_connection(struct session *session, const struct client_step *step, int64_t time)
{
    const char *how = step->words[0];
    session_flush(session, time);
    aubo_session_close(session, strcmp(how, "client") == 0 ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT, time);
    if (strcmp(how, "client") == 0)
        wire_close(&session->connection, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN, time);
    else if (strcmp(how, "robot") == 0)
        wire_close(&session->connection, ARMTAP_FROM_ROBOT, WIRE_CLOSE_FIN, time);
    else if (strcmp(how, "reset") == 0)
        wire_close(&session->connection, ARMTAP_FROM_ROBOT, WIRE_CLOSE_RESET, time);
    else
        session_fail(session, step, "closed by client, robot or reset", how);
}

static void say(struct session *session, const struct client_step *step, int64_t time)
{
    const char *text = step->words[0];
    enum armtap_direction direction = step->kind == CLIENT_SAY ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
    session_flush(session, time);
    if (session->client->robot->aubo) {
        aubo_session_say(session, direction, text, time);
        return;
    }
    wire_send(&session->connection, direction, text, strlen(text), time);
    bool is_script = session->client->is_driver && direction == ARMTAP_TO_ROBOT;
    for (const char *at = text; (session->realtime || session->primary || is_script) && *at; at++)
        session->tally->records[direction] += *at == '\n';
}

static void ask_version(struct session *session, const struct client_step *step, int64_t time)
{
    bool accepted = step->count <= session->client->robot->newest_protocol;
    ask(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .version = step->count}, time);
    reply(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .accepted = accepted});
    if (accepted)
        session->protocol = step->count;
}

static void ask_controller(struct session *session, int64_t time)
{
    struct armtap_rtde_package version = {.type = ARMTAP_RTDE_CONTROLLER_VERSION, .release_count = 4};
    for (size_t i = 0; i < 4; i++)
        version.release[i] = session->client->robot->release[i];
    ask(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_CONTROLLER_VERSION}, time);
    reply(session, version);
}

static void text_message(struct session *session, const struct client_step *step)
{
    static const char *const levels[] = {"exception", "error", "warning", "info"};
    unsigned level = 0;
    while (level < 4 && strcmp(levels[level], step->words[0]) != 0)
        level++;
    if (level == 4)
        session_fail(session, step, "not a level (exception, error, warning, info)", step->words[0]);
    reply(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_TEXT,
                                                .level = level,
                                                .source = step->words[1],
                                                .source_length = strlen(step->words[1]),
                                                .text = step->words[2],
                                                .text_length = strlen(step->words[2])});
}

static void set_up_outputs(struct session *session, const struct client_step *step, int64_t time)
{
    char types[MAX_PACKAGE];
    const char *names = step->words[0];
    unsigned cycles_per_second = 1000 / session->client->robot->cycle_ms;
    double frequency = step->seconds > 0.01 ? step->seconds : cycles_per_second;
    bool accepted = types_of(session, names, ARMTAP_FIELD_OUTPUT, types, sizeof types);
    if (session->outputs)
        armtap_recipe_release(session->outputs);
    session->outputs = accepted ? recipe_of(session, step, types) : NULL;
    session->every = session->protocol > 1 ? (unsigned)(cycles_per_second / frequency) : 1;
    if (session->every == 0)
        session->every = 1;
    ask(session,
        (struct armtap_rtde_package){
            .type = ARMTAP_RTDE_SETUP_OUTPUTS, .frequency = frequency, .names = names, .names_length = strlen(names)},
        time);
    reply(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_SETUP_OUTPUTS,
                                                .has_id = session->protocol > 1,
                                                .id = accepted,
                                                .types = types,
                                                .types_length = strlen(types)});
}

static void set_up_inputs(struct session *session, const struct client_step *step, int64_t time)
{
    char types[MAX_PACKAGE];
    const char *names = step->words[0];
    bool accepted = types_of(session, names, ARMTAP_FIELD_INPUT, types, sizeof types);
    if (session->input_count == SESSION_INPUTS) {
        session_fail(session, step, "too many input recipes", NULL);
        return;
    }
    if (accepted)
        session->inputs[session->input_count++] = recipe_of(session, step, types);
    ask(session,
        (struct armtap_rtde_package){.type = ARMTAP_RTDE_SETUP_INPUTS, .names = names, .names_length = strlen(names)},
        time);
    reply(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_SETUP_INPUTS,
                                                .has_id = true,
                                                .id = accepted ? session->input_count : 0,
                                                .types = types,
                                                .types_length = strlen(types)});
}

static void start_or_pause(struct session *session, enum armtap_rtde_type type, int64_t time)
{
    bool start = type == ARMTAP_RTDE_START;
    bool accepted = !start || session->outputs;
    ask(session, (struct armtap_rtde_package){.type = type}, time);
    reply(session, (struct armtap_rtde_package){.type = type, .accepted = accepted});
    session->streaming = start && accepted;
}

/* Sets a field that the client writes; if the controller mirrors it as an output, it does so at once. */
static void set_input(struct session *session, const struct armtap_field *field, double number)
{
    struct armtap_value value = {.field = field, .type = field->type, .count = field->count, .present = true};
    for (unsigned i = 0; i < field->count; i++) {
        if (field->type == ARMTAP_DOUBLE)
            value.f64[i] = number;
        else if (field->type == ARMTAP_INT32)
            value.i64[i] = (int64_t)number;
        else
            value.u64[i] = (uint64_t)number;
    }
    if (armtap_state_set(session->written, field, &value))
        session->failed = true;
    if (field->direction == ARMTAP_FIELD_BOTH && armtap_state_set(session->motion->state, field, &value))
        session->failed = true;
}

static const struct armtap_recipe *input_recipe(struct session *session, const struct client_step *step)
{
    if (step->count >= 1 && step->count <= session->input_count)
        return session->inputs[step->count - 1];
    session_fail(session, step, "there is no such input recipe", NULL);
    return NULL;
}

static void write_inputs(struct session *session, const struct client_step *step, int64_t time)
{
    const struct armtap_recipe *recipe = input_recipe(session, step);
    for (size_t i = 0; i < step->word_count; i++) {
        const char *word = step->words[i];
        size_t length = strcspn(word, "=");
        const struct armtap_field *field = armtap_field_find(word, length);
        char *end = NULL;
        double number = word[length] ? strtod(word + length + 1, &end) : 0;
        if (!field || !end || *end || !(number >= INT32_MIN && number <= UINT32_MAX))
            session_fail(session, step, "not NAME=NUMBER", word);
        else
            set_input(session, field, number);
    }
    if (!session->failed && recipe)
        send_data(session, recipe, session->written, step->count, ARMTAP_TO_ROBOT, time);
    ur_rtde_session_wrote(session);
}

static void set_watchdog(struct session *session, const struct client_step *step)
{
    const char *name = step->words[0];
    session->watchdog_field = armtap_field_find(name, strlen(name));
    if (!session->watchdog_field)
        session_fail(session, step, "no such field", name);
    else if (input_recipe(session, step))
        session->watchdog = step->count;
}

struct property {
    const char *name;
    const char *type;
    size_t size;
    uint64_t value; /* of v1.software.version: from the robot's release */
};

static const struct property properties[] = {
    {"v1.software.version", "UINT64", 8, 0},
    {"v1.control_box.type", "UINT32", 4, 5},
    {"v1.robot_arm.tool_flange.type", "UINT32", 4, 0x0102},
};

static const struct property *property_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (strlen(properties[i].name) == length && memcmp(properties[i].name, name, length) == 0)
            return &properties[i];
    return NULL;
}

static void read_properties(struct session *session, const struct client_step *step, int64_t time)
{
    const unsigned *release = session->client->robot->release;
    const char *names = step->words[0];
    char types[256] = "";
    uint8_t values[64];
    size_t used = 0;
    bool found = true;
    for (const char *at = names; *at && used + 8 <= sizeof values && strlen(types) + 12 < sizeof types;) {
        size_t length = strcspn(at, ",");
        const struct property *property = property_named(at, length);
        strcat(strcat(types, *types ? "," : ""), property ? property->type : "NOT_FOUND");
        found = found && property;
        uint64_t value = property && property->value ? property->value
                                                     : (uint64_t)release[0] << 48 | (uint64_t)release[1] << 32 |
                                                           (uint64_t)release[2] << 16 | release[3];
        for (size_t i = property ? property->size : 0; i > 0; i--)
            values[used++] = (uint8_t)(value >> 8 * (i - 1));
        at += length + (at[length] == ',');
    }
    ask(session,
        (struct armtap_rtde_package){.type = ARMTAP_RTDE_PROPERTIES, .names = names, .names_length = strlen(names)},
        time);
    reply(session, (struct armtap_rtde_package){.type = ARMTAP_RTDE_PROPERTIES,
                                                .types = types,
                                                .types_length = strlen(types),
                                                .values = values,
                                                .values_length = found ? used : 0});
}

static void begin_realtime(struct session *session, const struct client_step *step)
{
    if (step->count < 12 || step->count > 4096)
        session_fail(session, step, "not the size of a realtime packet", NULL);
    session->realtime = step->count;
    session->tally->protocol = ARMTAP_REALTIME;
    session->tally->version = step->count;
}

static void take_step(struct session *session, const struct client_step *step, int64_t time)
{
    switch (step->kind) {
    case CLIENT_OPEN:
        open_connection(session, step, time);
        break;
    case CLIENT_CALL:
        call(session, step, time);
        break;
    case CLIENT_CLOSE:
        close_connection(session, step, time);
        break;
    case CLIENT_REALTIME:
        begin_realtime(session, step);
        break;
    case CLIENT_PRIMARY:
        primary_session_begin(session, step, time);
        break;
    case CLIENT_ERROR:
    case CLIENT_PROGRAM:
    case CLIENT_EXCEPTION:
    case CLIENT_POPUP:
        primary_session_step(session, step, time);
        break;
    case CLIENT_SAY:
    case CLIENT_ANSWER:
        say(session, step, time);
        break;
    case CLIENT_PROTOCOL:
        ask_version(session, step, time);
        break;
    case CLIENT_CONTROLLER:
        ask_controller(session, time);
        break;
    case CLIENT_TEXT:
        if (session->client->robot->aubo)
            aubo_session_step(session, step, time);
        else
            text_message(session, step);
        break;
    case CLIENT_OUTPUTS:
        set_up_outputs(session, step, time);
        break;
    case CLIENT_INPUTS:
        set_up_inputs(session, step, time);
        break;
    case CLIENT_START:
        start_or_pause(session, ARMTAP_RTDE_START, time);
        break;
    case CLIENT_PAUSE:
        start_or_pause(session, ARMTAP_RTDE_PAUSE, time);
        break;
    case CLIENT_WRITE:
        write_inputs(session, step, time);
        break;
    case CLIENT_WATCHDOG:
        set_watchdog(session, step);
        break;
    case CLIENT_PROPERTIES:
        read_properties(session, step, time);
        break;
    case CLIENT_WEBSOCKET:
    case CLIENT_DIALECT:
    case CLIENT_SUBSCRIBE:
    case CLIENT_PUBLISH:
    case CLIENT_SEND:
    case CLIENT_FRAGMENT:
        aubo_session_step(session, step, time);
        break;
    case CLIENT_WORDS:
        driver_session_words(session, step, time);
        break;
    case CLIENT_RESULT:
        driver_session_result(session, step, time);
        break;
    case CLIENT_SCRIPT:
        ur_rtde_session_script(session, step, time);
        break;
    case CLIENT_OBEYS:
        ur_rtde_session_obey(session, step);
        break;
    case CLIENT_COMMANDS:
        session->command_timeout = step->count;
        break;
    case CLIENT_UNTIL:
        break;
    }
}

/* ---- cycles ---------------------------------------------------------------------------------------------------- */

/* Most data is sent at once; now and then it waits for the next packet, or is split in two. */
static void send_held(struct session *session, int64_t time)
{
    if (prng_one_in(&session->prng, 16))
        return;
    if (session->held_length > 1 && prng_one_in(&session->prng, 16)) {
        size_t cut = 1 + (size_t)(prng_next(&session->prng) % (session->held_length - 1));
        wire_send(&session->connection, ARMTAP_FROM_ROBOT, session->held, cut, time);
        memmove(session->held, session->held + cut, session->held_length - cut);
        session->held_length -= cut;
        time += 150 * MICROSECOND;
    }
    session_flush(session, time);
}

static void send_realtime(struct session *session)
{
    uint8_t *at = session->held + session->held_length;
    if (session->held_length + session->realtime > sizeof session->held ||
        armtap_encode_realtime(session->motion->state, session->realtime, at)) {
        fprintf(stderr, "%s: a realtime packet cannot be written\n", session->path);
        session->failed = true;
        return;
    }
    session->held_length += session->realtime;
    session->tally->records[ARMTAP_FROM_ROBOT]++;
}

static void stream(struct session *session, int64_t time)
{
    bool due = session->streaming && session->motion->cycle % session->every == 0;
    bool messages = aubo_session_data(session) || primary_session_data(session);
    if (!due && !session->realtime && !messages)
        return;
    if (due)
        send_data(session, session->outputs, session->motion->state, 1, ARMTAP_FROM_ROBOT, time);
    else if (session->realtime)
        send_realtime(session);
    if (!session->failed)
        send_held(session, time);
    aubo_session_answer(session);
    if (due && session->watchdog && session->held_length == 0 && !session->failed) {
        set_input(session, session->watchdog_field, (double)++session->watchdog_count);
        send_data(session, session->inputs[session->watchdog - 1], session->written, session->watchdog, ARMTAP_TO_ROBOT,
                  session->connection.now + 200 * MICROSECOND);
    }
}

/* The network's share of a cycle's delay: mostly some tens of µs, rarely some hundreds. */
static int64_t lateness(struct session *session)
{
    double most = prng_one_in(&session->prng, 50) ? 400 : 60;
    return (int64_t)(prng_between(&session->prng, 0, most) * 1000);
}

void session_cycle(struct session *session, int64_t time)
{
    const struct scene_client *client = session->client;
    double now = (double)(time - session->scene->start) / 1e9;
    while (session->step < client->step_count && client->steps[session->step].kind == CLIENT_UNTIL &&
           client->steps[session->step].seconds <= now)
        session->step++;
    time += lateness(session);
    bool busy = session->connection.now > time;
    const struct client_step *step = session->step < client->step_count ? &client->steps[session->step] : NULL;
    if (session->connection.open) {
        ur_rtde_session_cycle(session);
        wire_wait(&session->connection, time);
        stream(session, time);
        driver_session_command(session, time);
    }
    if (!step || step->kind == CLIENT_UNTIL || busy || session->failed)
        return;
    if (!session->connection.open && step->kind != CLIENT_OPEN && step->kind != CLIENT_CALL) {
        session_fail(session, step, "the client is not connected", NULL);
        return;
    }
    session->step++;
    take_step(session, step, time + 100 * MICROSECOND);
}
