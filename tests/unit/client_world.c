#include "client_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "armtap.h"

#define STEPS_MAX 200000 /* of a world: more is a client that never comes to rest */
#define PACKAGE_MAX 70000

/* ---- the robot ---- */

static struct armtap_rtde_package text_of(const struct robot *robot)
{
    const char *text = robot->manners->text;
    return (struct armtap_rtde_package){
        .type = ARMTAP_RTDE_TEXT, .text = text, .text_length = strlen(text), .source = "", .level = 3};
}

static void put_package(struct robot *robot, struct armtap_rtde_package package)
{
    static uint8_t buffer[PACKAGE_MAX];
    package.size = sizeof package;
    package.direction = ARMTAP_FROM_ROBOT;
    package.protocol = robot->protocol;
    int length = armtap_rtde_write(&package, buffer, sizeof buffer);
    assert_true(length > 0);
    bytes_add(&robot->out, buffer, (size_t)length);
}

static void say(struct robot *robot, struct armtap_rtde_package package)
{
    if (robot->manners->text)
        put_package(robot, text_of(robot));
    put_package(robot, package);
    if (robot->manners->text)
        put_package(robot, text_of(robot));
}

static void say_data(struct robot *robot, unsigned count)
{
    for (; count > 0; count--) {
        struct bytes values = {0};
        bytes_double(&values, robot->clock);
        while (values.length < robot->values)
            bytes_number(&values, 0, 1);
        say(robot, (struct armtap_rtde_package){
                       .type = ARMTAP_RTDE_DATA, .id = 1, .values = values.at, .values_length = robot->values});
        robot->clock += 0.008;
        bytes_free(&values);
    }
}

/* Whether ",name," is in a list. */
static bool is_listed(const char *list, const char *name, size_t length)
{
    char key[200];
    snprintf(key, sizeof key, ",%.*s,", (int)length, name);
    return list && strstr(list, key);
}

/* The types of a set-up's names, and the bytes of their values. */
static void type_names(struct robot *robot, const struct armtap_rtde_package *request, struct bytes *types,
                       size_t *size)
{
    bool inputs = request->type == ARMTAP_RTDE_SETUP_INPUTS;
    const char *name = request->names, *end = request->names + request->names_length;
    *size = 0;
    while (name < end) {
        size_t length = 0;
        while (name + length < end && name[length] != ',')
            length++;
        const struct armtap_field *field = armtap_field_find(name, length);
        bool lacks = !field || is_listed(robot->manners->lacks, name, length) ||
                     (robot->requests['O'] > 1 && is_listed(robot->manners->lacks_again, name, length));
        const char *type = lacks ? "NOT_FOUND" : inputs && robot->in_use < robot->manners->in_use ? "IN_USE" : NULL;
        if (types->length > 0)
            bytes_text(types, ",");
        bytes_text(types, type ? type : armtap_type_name(field->type, field->count));
        if (!type)
            *size += (field->type == ARMTAP_DOUBLE || field->type == ARMTAP_UINT64 ? 8u : 4u) * field->count;
        name += length + 1;
    }
    robot->in_use += inputs;
}

static void reply_set_up(struct robot *robot, const struct armtap_rtde_package *request)
{
    struct bytes types = {0};
    size_t size;
    type_names(robot, request, &types, &size);
    bool refused = strstr((bytes_number(&types, 0, 1), (const char *)types.at), "_");
    if (request->type == ARMTAP_RTDE_SETUP_OUTPUTS) {
        robot->values = size;
        robot->frequency = request->frequency;
        robot->asked.length = 0;
        bytes_add(&robot->asked, request->names, request->names_length);
        bytes_number(&robot->asked, 0, 1);
    }
    bool is_input = request->type == ARMTAP_RTDE_SETUP_INPUTS;
    unsigned id = refused ? 0 : is_input ? ++robot->inputs : 1;
    say(robot, (struct armtap_rtde_package){
                   .type = request->type, .id = id, .types = (const char *)types.at, .types_length = types.length - 1});
    bytes_free(&types);
}

static void reply_start(struct robot *robot)
{
    bool accepted = robot->starts++ >= robot->manners->refuse_start;
    if (accepted)
        say_data(robot, robot->manners->early);
    say(robot, (struct armtap_rtde_package){.type = ARMTAP_RTDE_START, .accepted = accepted});
    robot->started = accepted;
    if (accepted)
        say_data(robot, robot->manners->data);
}

static void reply_version(struct robot *robot, unsigned asked)
{
    int most = robot->manners->protocol ? robot->manners->protocol : 3;
    bool accepted = (int)asked <= most;
    put_package(robot, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .accepted = accepted});
    if (robot->manners->text)
        put_package(robot, text_of(robot));
    if (accepted)
        robot->protocol = (int)asked;
}

static void reply_controller(struct robot *robot)
{
    static const uint32_t usual[4] = {5, 11, 1, 108};
    const struct manners *manners = robot->manners;
    struct armtap_rtde_package package = {.type = ARMTAP_RTDE_CONTROLLER_VERSION,
                                          .release_count = manners->release_count ? manners->release_count : 4};
    memcpy(package.release, manners->release[0] ? manners->release : usual, sizeof usual);
    if (manners->release_again && robot->connections > 1)
        package.release[0] = manners->release_again;
    say(robot, package);
}

static void answer(struct robot *robot, const struct armtap_rtde_package *request)
{
    const struct manners *manners = robot->manners;
    unsigned count = ++robot->requests[request->type];
    bool is_silent = manners->silent_only ? count == manners->silent_only || count == 3
                                          : count >= (manners->silent_from ? manners->silent_from : 1);
    if (manners->silent && strchr(manners->silent, (int)request->type) && is_silent)
        return;
    switch (request->type) {
    case ARMTAP_RTDE_VERSION:
        reply_version(robot, request->version);
        break;
    case ARMTAP_RTDE_CONTROLLER_VERSION:
        reply_controller(robot);
        break;
    case ARMTAP_RTDE_SETUP_OUTPUTS:
    case ARMTAP_RTDE_SETUP_INPUTS:
        reply_set_up(robot, request);
        break;
    case ARMTAP_RTDE_START:
        reply_start(robot);
        break;
    case ARMTAP_RTDE_PAUSE:
        say_data(robot, manners->late);
        put_package(robot, (struct armtap_rtde_package){.type = ARMTAP_RTDE_PAUSE, .accepted = 1});
        break;
    default:
        break;
    }
}

static void robot_receive(struct robot *robot, const void *bytes, size_t length)
{
    struct armtap_rtde_package request = {.size = sizeof request};
    bytes_add(&robot->in, bytes, length);
    while (robot->in.length >= 3) {
        size_t size = (size_t)robot->in.at[0] << 8 | robot->in.at[1];
        if (robot->in.length < size)
            return;
        assert_int_equal(armtap_rtde_parse(robot->in.at, size, ARMTAP_TO_ROBOT, robot->protocol, &request), ARMTAP_OK);
        answer(robot, &request);
        memmove(robot->in.at, robot->in.at + size, robot->in.length - size);
        robot->in.length -= size;
    }
}

static void robot_connected(struct robot *robot)
{
    const struct manners *manners = robot->manners;
    robot->protocol = 1;
    robot->started = manners->realtime > 0;
    robot->inputs = 0;
    robot->in.length = robot->out.length = 0;
    robot->clock = robot->connections++ > 0 ? manners->clock_again : manners->clock;
    for (unsigned i = 0; manners->realtime && i < manners->data; i++, robot->clock += 0.008)
        bytes_packet(&robot->out, manners->realtime, robot->clock);
}

/* ---- the world ---- */

static int on_event(void *user, const struct armtap_client_event *event)
{
    static const char *const names[] = {"connected", "protocol", "dropped", "in-use", "started",
                                        "restarted", "data",     "waiting", "verdict"};
    struct world *world = user;
    log_line(&world->log, "client %s %s at %" PRId64 " ms: %s", names[event->type],
             armtap_severity_name(event->severity), world->now / MS, event->text);
    return world->log.stop;
}

struct armtap_client_options client_options(void)
{
    return (struct armtap_client_options){.size = sizeof(struct armtap_client_options),
                                          .protocol = ARMTAP_RTDE,
                                          .outputs = "timestamp,actual_q",
                                          .robot = "10.0.0.2:30004",
                                          .client = "10.0.0.1:40000"};
}

void bytes_primary_version(struct bytes *bytes)
{
    /* 55 bytes, type 20, no clock, source -2, kind 3, the name, 5.9.4, build 0, a date */
    bytes_hex(bytes, "00 00 00 37 14 ff ff ff ff ff ff ff ff fe 03 09");
    bytes_text(bytes, "URControl");
    bytes_hex(bytes, "05 09 00 00 00 04 00 00 00 00");
    bytes_text(bytes, "03-05-2019, 06:39:00");
}

static void expect(struct world *world, int error)
{
    world->error = world->error ? world->error : error;
}

static void close_world(struct world *world, enum armtap_client_end how)
{
    expect(world, armtap_client_closed(world->client, world->now, how, NULL));
}

/* The robot's next bytes arrive; it may close after them. */
static void deliver(struct world *world)
{
    struct robot *robot = &world->robot;
    const struct manners *manners = &world->manners;
    size_t length = world->chunk && world->chunk < robot->out.length ? world->chunk : robot->out.length;
    if (manners->close_after && length > manners->close_after - robot->given)
        length = manners->close_after - robot->given;
    struct bytes block = {0}; /* the sanitizer reports reads beyond it */
    bytes_add(&block, robot->out.at, length);
    expect(world, armtap_client_receive(world->client, block.at, length, world->now, NULL));
    bytes_free(&block);
    memmove(robot->out.at, robot->out.at + length, robot->out.length - length);
    robot->out.length -= length;
    robot->given += length;
    bool closes = manners->closes && robot->started && robot->out.length == 0;
    if (closes || (manners->close_after && robot->given == manners->close_after))
        close_world(world, manners->reset ? ARMTAP_CLIENT_RESET : ARMTAP_CLIENT_CLOSED_BY_ROBOT);
}

/* Nothing moves: time does. */
static bool pass_time(struct world *world)
{
    int64_t next = armtap_client_deadline(world->client);
    if (world->stop_at && !world->stopped && world->log.records[ARMTAP_FROM_ROBOT] >= world->stop_at) {
        world->stopped = true;
        expect(world, armtap_client_stop(world->client, world->now));
        return true;
    }
    if (next == INT64_MAX || next > world->until)
        return false;
    if (next > world->now)
        world->now = next;
    expect(world, armtap_client_expire(world->client, world->now));
    assert_true(armtap_client_deadline(world->client) > world->now);
    return true;
}

static bool connect_world(struct world *world, int64_t at)
{
    int64_t deadline = armtap_client_deadline(world->client);
    if (deadline <= at && deadline <= world->until) {
        world->now = deadline;
        expect(world, armtap_client_expire(world->client, world->now));
        return true;
    }
    if (at > world->until)
        return false;
    if (at > world->now)
        world->now = at;
    world->robot.given = 0;
    robot_connected(&world->robot);
    expect(world, armtap_client_connected(world->client, world->now, NULL));
    return true;
}

static bool step(struct world *world)
{
    const struct armtap_client_verdict *verdict = armtap_client_verdict(world->client);
    const void *bytes;
    size_t length = armtap_client_send(world->client, &bytes);
    if (world->error || verdict->what > ARMTAP_CLIENT_RECONNECT)
        return false;
    if (verdict->what == ARMTAP_CLIENT_RECONNECT)
        return connect_world(world, verdict->at);
    if (world->send_chunk && length > world->send_chunk)
        length = world->send_chunk;
    if (length > 0) {
        robot_receive(&world->robot, bytes, length);
        expect(world, armtap_client_sent(world->client, length, world->now, NULL));
    } else if (world->robot.out.length > 0) {
        deliver(world);
    } else {
        return pass_time(world);
    }
    if (verdict->what != ARMTAP_CLIENT_GO_ON)
        close_world(world, ARMTAP_CLIENT_CLOSED_HERE);
    return true;
}

void world_run(struct world *world, const struct armtap_client_options *options)
{
    struct armtap_sink sink = world->sink ? *world->sink : log_sink();
    struct armtap_client_options told = *options;
    told.on_event = on_event;
    world->robot.manners = &world->manners;
    world->until = world->until ? world->until : 60000 * MS;
    world->error = armtap_client_new(&told, &sink, world, &world->client);
    while (!world->error && step(world))
        assert_true(++world->steps < STEPS_MAX);
    const struct armtap_client_verdict *verdict = armtap_client_verdict(world->client);
    log_line(&world->log, "end %s verdict %d \"%s\" error %d",
             armtap_client_state_name(armtap_client_state(world->client)), (int)verdict->what, verdict->reason,
             world->error);
}

bool same_lines(const char *got, const char *wanted)
{
    size_t start = 0, i = 0;
    for (; got[i] == wanted[i]; i++) {
        if (got[i] == '\0')
            return true;
        if (got[i] == '\n')
            start = i + 1;
    }
    fprintf(stderr, "got:    %.300s\nwanted: %.300s\n", got + start, wanted + start);
    return false;
}

void world_free(struct world *world)
{
    armtap_client_free(world->client);
    bytes_free(&world->robot.out);
    bytes_free(&world->robot.in);
    bytes_free(&world->robot.asked);
    log_free(&world->log);
}
