#define _POSIX_C_SOURCE 200809L
#include "bridge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "clients.h"
#include "input/robot_link.h"
#include "legacy_layout.h"
#include "listening.h"
#include "realtime_server.h"
#include "script_forwarder.h"

#define SECOND INT64_C(1000000000)
/* To say good-bye to the robot. */
#define LAST_WORDS (3 * SECOND / 2)
#define LIST_MAX 700

struct bridge {
    const struct bridge_wish *wish;
    struct event_loop *loop;
    struct clients *clients;
    struct robot_link *link;
    struct script_forwarder *forwarder;
    struct legacy_layout layout;
    struct realtime_server port, read_only_port;
    struct event_timer *closer;            /* disconnects clients outside of their own callbacks */
    const struct armtap_recipe *described; /* its cells were listed */
    bool lost;                             /* no connection to the robot, since there was one or an attempt failed */
    bool held_back;                        /* the robot is in a mode that the layout cannot state */
    double next_due;                       /* s of the controller's clock, with --hz; NAN: at once */
    uint64_t records, packets, not_sent;
    uint8_t *packet;
};

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Columns of one kind: "94, 103-108 and 140-142". */
struct column_list {
    bool of_variables;
    char text[LIST_MAX];
    size_t length;
    unsigned first, last; /* the range that is not written yet; 0: none */
    unsigned cells;
};

static void write_range(struct column_list *list)
{
    size_t room = sizeof list->text - list->length;
    const char *separator = list->length == 0 ? "" : ", ";
    if (list->first == 0 || room < 40)
        return;
    if (list->first == list->last)
        list->length += (size_t)snprintf(list->text + list->length, room, "%s%u", separator, list->first);
    else
        list->length +=
            (size_t)snprintf(list->text + list->length, room, "%s%u-%u", separator, list->first, list->last);
}

static void add_range(void *user, const struct legacy_lack *lack)
{
    struct column_list *list = user;
    if (lack->is_variable != list->of_variables)
        return;
    list->cells += lack->last - lack->first + 1;
    if (list->first > 0 && lack->first == list->last + 1) {
        list->last = lack->last;
        return;
    }
    write_range(list);
    list->first = lack->first;
    list->last = lack->last;
}

/* One line for each variable that the robot does not send. */
static void say_variable(void *user, const struct legacy_lack *lack)
{
    const struct armtap_field *field = lack->field;
    (void)user;
    if (lack->is_variable)
        message_warning("column%s %u%s%.0u: always 0: the robot does not send %s%s%s",
                        lack->first == lack->last ? "" : "s", lack->first, lack->first == lack->last ? "" : "-",
                        lack->first == lack->last ? 0 : lack->last, field->name,
                        field->since[0] == '\0' ? "" : ", which came with ", field->since);
}

/* Says which cells of the packets are filled, once for each set of variables. */
static void describe(struct bridge *bridge, const struct armtap_recipe *received)
{
    const struct legacy_layout *layout = &bridge->layout;
    struct column_list reserved = {.of_variables = false};
    if (bridge->described == received)
        return;
    bridge->described = received;
    legacy_layout_lacks(layout, received, add_range, &reserved);
    write_range(&reserved);
    message_info("packets of %zu bytes: %u of %u cells come from RTDE; always 0, as RTDE lacks them: %s", layout->size,
                 legacy_layout_filled(layout, received), (unsigned)(layout->size - 4) / 8,
                 reserved.cells == 0 ? "none" : reserved.text);
    legacy_layout_lacks(layout, received, say_variable, NULL);
    if (layout->generation == ARMTAP_GENERATION_CB2)
        message_info("converted for CB2: robot mode from robot_mode and safety_mode; tool inputs are bits 8 and 9; "
                     "while the robot is in a mode that CB2 lacks, no packet is sent");
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* Whether a record is due at the rate asked for, by the controller's clock. */
static bool is_due(struct bridge *bridge, double clock)
{
    double step = bridge->wish->hz > 0 ? 1 / bridge->wish->hz : 0;
    if (step == 0 || isnan(clock))
        return true;
    /* Half a cycle of a fast robot: clocks are sums of cycles, not exact. */
    if (!isnan(bridge->next_due) && clock < bridge->next_due - 0.001 && clock > bridge->next_due - 10 * step)
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
    bridge->records++;
    describe(bridge, record->recipe);
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
    if (bridge->lost && bridge->wish->on_loss == BRIDGE_CLOSE && clients_count(bridge->clients) > 0)
        clients_close(bridge->clients, false, "closed: the robot is not connected (--on-loss hold keeps clients)");
}

static void on_client(void *user)
{
    struct bridge *bridge = user;
    if (bridge->lost)
        event_timer_set(bridge->closer, event_clock());
}

static void on_event(void *user, const struct robot_event *event)
{
    struct bridge *bridge = user;
    robot_event_say(event);
    switch (event->kind) {
    case ROBOT_OPENED:
        bridge->lost = false;
        bridge->next_due = NAN;
        break;
    case ROBOT_REFUSED:
    case ROBOT_UNANSWERED:
    case ROBOT_CLOSED:
        bridge->lost = true;
        event_timer_set(bridge->closer, event_clock());
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

static int on_program(void *user, const char *program, size_t length)
{
    struct bridge *bridge = user;
    return script_forwarder_send(bridge->forwarder, program, length);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void on_line(void *user, const char *client, const char *line)
{
    (void)user;
    message_info("%s: %s", client, line);
}

static int prepare(struct bridge *bridge)
{
    const struct bridge_wish *wish = bridge->wish;
    if (legacy_layout_begin(&bridge->layout, wish->layout) != 0)
        return -1;
    bridge->packet = malloc(wish->layout);
    bridge->loop = event_loop_new();
    if (!bridge->packet || !bridge->loop)
        return -1;
    struct clients_wish clients = {.loop = bridge->loop, .say = on_line, .on_change = on_client, .user = bridge};
    bridge->clients = clients_new(&clients);
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

static enum exit_status run(struct bridge *bridge)
{
    enum event_loop_end end = event_loop_run(bridge->loop);
    if (end == EVENT_LOOP_FAILED) {
        message_error("cannot wait: %s", strerror(errno));
        return EXIT_FAILED;
    }
    if (end == EVENT_LOOP_INTERRUPTED) {
        robot_link_stop(bridge->link);
        event_loop_drain(bridge->loop, event_clock() + LAST_WORDS);
    }
    clients_close(bridge->clients, false, "closed: the bridge ends");
    message_info("%" PRIu64 " records from the robot, %" PRIu64 " packets made, %" PRIu64 " held back", bridge->records,
                 bridge->packets, bridge->not_sent);
    return end == EVENT_LOOP_INTERRUPTED ? EXIT_DONE : EXIT_FAILED;
}

static void end(struct bridge *bridge)
{
    robot_link_free(bridge->link);
    script_forwarder_free(bridge->forwarder);
    clients_free(bridge->clients);
    event_timer_free(bridge->closer);
    event_loop_free(bridge->loop);
    legacy_layout_end(&bridge->layout);
    free(bridge->packet);
}

enum exit_status bridge_run(const struct bridge_wish *wish)
{
    struct bridge bridge = {.wish = wish, .next_due = NAN};
    enum exit_status status = EXIT_FAILED;
    if (prepare(&bridge) != 0)
        message_no_memory();
    else if (listen_on_ports(&bridge) == 0) {
        if (connect_to_robot(&bridge) != 0)
            message_no_memory();
        else
            status = run(&bridge);
    }
    end(&bridge);
    return status;
}
