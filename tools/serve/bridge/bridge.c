#define _POSIX_C_SOURCE 200809L
#include "bridge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "serve/ports/clients.h"
#include "input/robots/robot_link.h"
#include "input/robots/robot_event.h"
#include "legacy_layout.h"
#include "nanoseconds.h"
#include "serve/robot/servers.h"

/* To say good-bye to the robot. */
#define LAST_WORDS (3 * SECOND / 2)
/* Without data for so long, the robot is not there to run a script. */
#define SCRIPT_SILENCE (2 * SECOND)
/* s: half a cycle of a fast robot, since clocks are sums of cycles and not exact. */
#define CLOCK_NOISE 0.001
/* Names of fields in a message. */
#define LACKING_MAX 300
/* A clock that is so many packets behind was set back. */
#define STEPS_BACK 10

struct bridge {
    const struct bridge_wish *wish;
    struct event_loop *loop;
    struct clients *clients;
    struct robot_link *link;
    struct script_forwarder *forwarder;
    struct legacy_layout layout;
    struct realtime_server port, read_only_port;
    struct event_timer *closer;      /* disconnects clients outside of their own callbacks */
    struct armtap_recipe *described; /* its cells were listed: what packets are made of */
    char lacking[LACKING_MAX];       /* fields of it that the robot came back without; "": none */
    int64_t data_time;               /* of the last record, by the monotonic clock; 0: none */
    bool lost;                       /* no connection to the robot, since there was one or an attempt failed */
    bool ends;                       /* the user ended it: the robot is left, not lost */
    bool held_back;                  /* the robot is in a mode that the layout cannot state */
    double next_due;                 /* s of the controller's clock, with --hz; NAN: at once */
    uint64_t packets, not_sent;
    struct robot_tally tally;
    uint8_t *packet;
};

/* ---- data -------------------------------------------------------------------------------------------------------- */

static bool has_entry(const struct armtap_recipe *recipe, const char *name)
{
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++)
        if (strcmp(armtap_recipe_at(recipe, i)->name, name) == 0)
            return true;
    return false;
}

static void list_lacking(struct bridge *bridge, const struct armtap_recipe *received)
{
    size_t length = 0;
    bridge->lacking[0] = '\0';
    for (size_t i = 0; i < armtap_recipe_count(bridge->described) && length < LACKING_MAX; i++) {
        const char *name = armtap_recipe_at(bridge->described, i)->name;
        if (!has_entry(received, name))
            length +=
                (size_t)snprintf(bridge->lacking + length, LACKING_MAX - length, "%s%s", length == 0 ? "" : ", ", name);
    }
}

/* Says which cells are filled, once for each set of variables. A robot that comes back with fewer, from an upgrade or
 * as another one, is not the one that the clients know: nothing is made up in its place. */
static void describe(struct bridge *bridge, const struct armtap_recipe *received)
{
    if (bridge->described == received || (bridge->described && armtap_recipe_same(bridge->described, received))) {
        bridge->lacking[0] = '\0';
        return;
    }
    bool was_lacking = bridge->lacking[0] != '\0';
    if (bridge->described)
        list_lacking(bridge, received);
    if (bridge->lacking[0] != '\0') {
        if (!was_lacking)
            message_warning(
                "the robot reconnected without %s: no packets and no clients until it has that again, or until the "
                "bridge is restarted, which sets these columns to 0",
                bridge->lacking);
        event_timer_set(bridge->closer, event_clock());
        return;
    }
    armtap_recipe_release(bridge->described);
    bridge->described = armtap_recipe_hold(received);
    legacy_report(&bridge->layout, received, "this robot");
    if (bridge->layout.generation == ARMTAP_GENERATION_CB2)
        message_info("converted for CB2: robot mode from robot_mode and safety_mode; tool inputs are bits 8 and 9; "
                     "no packet is sent while the robot is in a mode that CB2 lacks");
}

/* Whether a record is due at the rate asked for, by the controller's clock. */
static bool is_due(struct bridge *bridge, double clock)
{
    double step = bridge->wish->hz > 0 ? 1 / bridge->wish->hz : 0;
    if (step == 0 || isnan(clock))
        return true;
    if (!isnan(bridge->next_due) && clock < bridge->next_due - CLOCK_NOISE &&
        clock > bridge->next_due - STEPS_BACK * step)
        return false;
    bool is_late = isnan(bridge->next_due) || fabs(clock - bridge->next_due) > step;
    bridge->next_due = (is_late ? clock : bridge->next_due) + step;
    return true;
}

static void say_held_back(struct bridge *bridge, const char *reason)
{
    bridge->not_sent++;
    if (!bridge->held_back)
        message_warning("%s: no packets until it has", reason);
    bridge->held_back = true;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct bridge *bridge = user;
    char reason[LEGACY_LAYOUT_REASON];
    if (record->direction != ARMTAP_FROM_ROBOT || !record->recipe)
        return 0;
    bridge->data_time = event_loop_now(bridge->loop);
    describe(bridge, record->recipe);
    if (bridge->lacking[0] != '\0') {
        bridge->not_sent++;
        return 0;
    }
    if (!is_due(bridge, record->clock))
        return 0;
    if (!legacy_layout_make(&bridge->layout, record->state, bridge->packet, reason)) {
        say_held_back(bridge, reason);
        return 0;
    }
    struct tick tick = {.time = record->where.time,
                        .for_whom = TICK_REALTIME,
                        .packet = bridge->packet,
                        .packet_length = bridge->layout.size};
    bridge->held_back = false;
    bridge->packets++;
    clients_tick(bridge->clients, &tick);
    return 0;
}

/* ---- the robot comes and goes ------------------------------------------------------------------------------------ */

/* Clients of a robot that is lost see what the robot's own clients would see. */
static void close_clients(void *user)
{
    struct bridge *bridge = user;
    char reason[LACKING_MAX + 60];
    if (bridge->lacking[0] != '\0') {
        snprintf(reason, sizeof reason, "closed: the robot reconnected without %s", bridge->lacking);
        clients_close(bridge->clients, false, reason);
    }
    if (bridge->lost && bridge->wish->on_loss == BRIDGE_CLOSE && clients_count(bridge->clients) > 0)
        clients_close(bridge->clients, false, "closed: the robot is not connected (--on-loss hold keeps clients)");
}

static void on_client(void *user)
{
    struct bridge *bridge = user;
    if (bridge->lost || bridge->lacking[0] != '\0')
        event_timer_set(bridge->closer, event_clock());
}

static void lose_robot(struct bridge *bridge)
{
    bridge->lost = true;
    bridge->data_time = 0;
    script_forwarder_abort(bridge->forwarder, "the robot's connection is lost");
    event_timer_set(bridge->closer, event_clock());
}

static void on_event(void *user, const struct robot_event *event)
{
    struct bridge *bridge = user;
    robot_event_say(event);
    robot_tally_take(&bridge->tally, event);
    switch (event->kind) {
    case ROBOT_OPENED:
        bridge->lost = false;
        bridge->next_due = NAN;
        break;
    case ROBOT_REFUSED:
    case ROBOT_UNANSWERED:
    case ROBOT_CLOSED:
        if (!bridge->ends)
            lose_robot(bridge);
        break;
    default:
        break;
    }
}

static void on_end(void *user)
{
    struct bridge *bridge = user;
    event_loop_stop(bridge->loop);
}

/* ---- script ------------------------------------------------------------------------------------------------------ */

static bool may_send_script(void *user, const struct tcp_address *client)
{
    const struct bridge *bridge = user;
    for (size_t i = 0; i < bridge->wish->allowed_count; i++)
        if (tcp_address_same_host(&bridge->wish->allowed[i], client))
            return true;
    return false;
}

/* A program is for the robot as the client sees it: not for one that is away and comes back. */
static void on_program(void *user, const char *client, const char *program, size_t length)
{
    struct bridge *bridge = user;
    if (bridge->lost || bridge->data_time == 0 || event_clock() - bridge->data_time > SCRIPT_SILENCE)
        script_forwarder_refuse(bridge->forwarder, client, length, "no data arrives from the robot");
    else
        script_forwarder_send(bridge->forwarder, client, program, length);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int prepare(struct bridge *bridge)
{
    const struct bridge_wish *wish = bridge->wish;
    if (legacy_layout_begin(&bridge->layout, wish->layout) != 0)
        return -1;
    bridge->packet = malloc(wish->layout);
    bridge->loop = event_loop_new();
    if (!bridge->packet || !bridge->loop)
        return -1;
    struct clients_wish clients = {.loop = bridge->loop, .say = listening_say, .on_change = on_client, .user = bridge};
    bridge->clients = clients_new(&clients);
    event_loop_on_still(bridge->loop, listening_still, NULL);
    bridge->closer = event_timer_new(bridge->loop, close_clients, bridge);
    bridge->forwarder = script_forwarder_new(bridge->loop, &wish->robot->addresses[0]);
    if (!bridge->clients || !bridge->closer || !bridge->forwarder)
        return -1;
    bridge->read_only_port.read_only = true;
    if (wish->allow_script)
        bridge->port = (struct realtime_server){.may_send = may_send_script, .on_program = on_program, .user = bridge};
    return 0;
}

static int connect_to_robot(struct bridge *bridge)
{
    struct armtap_client_options client = {.size = sizeof client,
                                           .outputs = bridge->layout.names,
                                           .strict = bridge->wish->strict,
                                           .give_up = bridge->wish->give_up};
    struct robot_link_wish link = {.address = bridge->wish->robot,
                                   .client = &client,
                                   .user = bridge,
                                   .on_event = on_event,
                                   .on_record = on_record,
                                   .on_end = on_end};
    bridge->link = robot_link_new(bridge->loop, &link);
    return bridge->link ? 0 : -1;
}

static int listen_on_ports(struct bridge *bridge)
{
    const struct served_port *ports = bridge->wish->ports;
    listening_warn(&bridge->wish->address);
    for (unsigned i = 0; i < SERVED_PORTS; i++) {
        void *server = ports[i].read_only ? &bridge->read_only_port : &bridge->port;
        if (ports[i].server == PORT_REALTIME && ports[i].is_served &&
            listening_begin(bridge->clients, &ports[i], &bridge->wish->address, &realtime_server_kind, server) != 0)
            return -1;
    }
    return 0;
}

/* Whether records came. */
static bool report(const struct bridge *bridge)
{
    char clients[LISTENING_TOTALS_MAX], interruptions[ROBOT_TALLY_MAX];
    struct robot_tally tally = {.records = 0};
    robot_tally_add(&tally, &bridge->tally, tcp_clock());
    robot_tally_text(interruptions, &tally);
    listening_totals(clients, bridge->clients);
    message_info("%" PRIu64 " records from the robot, %" PRIu64 " packets made, %" PRIu64 " held back%s%s",
                 tally.records, bridge->packets, bridge->not_sent, clients, interruptions);
    if (tally.records == 0)
        message_error("%s: no record came", bridge->wish->robot->url);
    return tally.records > 0;
}

static enum exit_status run_bridge(struct bridge *bridge)
{
    enum event_loop_end end = event_loop_run(bridge->loop);
    if (end == EVENT_LOOP_FAILED) {
        message_error("cannot wait: %s", strerror(errno));
        return EXIT_FAILED;
    }
    if (end == EVENT_LOOP_INTERRUPTED) {
        bridge->ends = true;
        robot_link_stop(bridge->link);
        if (robot_link_outcome(bridge->link) == ROBOT_LINK_GOES_ON)
            event_loop_drain(bridge->loop, event_clock() + LAST_WORDS);
    }
    clients_close(bridge->clients, false, "closed: the bridge stops");
    clients_tell_hidden(bridge->clients);
    return report(bridge) && end == EVENT_LOOP_INTERRUPTED ? EXIT_DONE : EXIT_FAILED;
}

static void end_bridge(struct bridge *bridge)
{
    robot_link_free(bridge->link);
    script_forwarder_free(bridge->forwarder);
    clients_free(bridge->clients);
    event_timer_free(bridge->closer);
    event_loop_free(bridge->loop);
    legacy_layout_end(&bridge->layout);
    armtap_recipe_release(bridge->described);
    free(bridge->packet);
}

enum exit_status bridge_run(const struct bridge_wish *wish)
{
    struct bridge bridge = {.wish = wish, .next_due = NAN};
    enum exit_status status = EXIT_FAILED;
    if (prepare(&bridge) != 0)
        message_no_memory();
    else if (listen_on_ports(&bridge) == 0) {
        message_show_times();
        if (connect_to_robot(&bridge) != 0)
            message_no_memory();
        else
            status = run_bridge(&bridge);
    }
    end_bridge(&bridge);
    return status;
}
