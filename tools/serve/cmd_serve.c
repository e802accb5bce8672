/* armtap serve: a capture acts as the controller that it was taken from. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "serve/ports/clients.h"
#include "command_line/commands.h"
#include "command_line/shared_text.h"
#include "serve/bridge/bridge.h"
#include "serve/robot/servers.h"
#include "serve/bridge/legacy_layout.h"
#include "nanoseconds.h"
#include "serve/playing/timeline.h"
#include "serve_options.h"

/* Without any clock in the capture. */
#define CYCLE (8 * MILLISECOND)
#define NS 1e9

struct serve {
    struct serve_options options;
    struct armtap_knowledge *knowledge;
    struct replay_source source;
    struct recording recording;
    size_t robot;
    bool has_leader;
    uint64_t leader; /* a connection */
    uint32_t release[4];
    size_t packet_size;
    int64_t cycle[SERVED_COUNT];
    struct event_loop *loop;
    struct clients *clients;
    struct rtde_server *rtde;
    struct realtime_server realtime, realtime_read_only;
    const struct variable **cells;
    struct dashboard_stub dashboard;
    struct primary_stub primary;
    struct primary_server primary_ports[SERVED_PORTS]; /* by index of the port */
    struct timeline_wish wish;
    struct player player;
};

/* ---- a paused server shall begin --------------------------------------------------------------------------------- */

/* Global because a handler takes no user pointer. */
static _Atomic(struct event_loop *) woken;
static atomic_bool start_came;

static void on_start(void)
{
    struct event_loop *loop = atomic_load(&woken);
    atomic_store(&start_came, true);
    if (loop)
        event_loop_wake(loop);
}

/* From now on the signal wakes the loop; NULL: none. */
static void hold_start_signal(struct event_loop *loop)
{
    atomic_store(&woken, loop);
    interrupt_on_start(on_start);
}

/* ---- which robot ------------------------------------------------------------------------------------------------- */

static int choose_by_address(struct serve *serve, const char *address)
{
    long index = recording_robot(&serve->recording, address);
    if (index < 0) {
        message_error("--robot %s: no robot with that address sent RTDE or legacy data; the first that did is %s",
                      address, serve->recording.robots[0]->address);
        return -1;
    }
    serve->robot = (size_t)index;
    return 0;
}

static int choose_by_stream(struct serve *serve)
{
    long index = recording_robot_of_stream(&serve->recording, serve->options.stream, &serve->leader);
    if (index < 0) {
        message_error("--stream %" PRIu64 ": no such stream with RTDE or legacy data from a robot; armtap info lists "
                      "them",
                      serve->options.stream);
        return -1;
    }
    serve->has_leader = true;
    serve->robot = (size_t)index;
    return 0;
}

static int complain_about_several(const struct recording *recording)
{
    char list[512];
    size_t length = 0;
    for (size_t i = 0; i < recording->robot_count && length < sizeof list - 80; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : ", ",
                                   recording->robots[i]->address);
    message_error("the capture has %zu robots; choose one with --robot ADDRESS: %s",
                  recording->robot_count + recording->robots_left_out, list);
    return -1;
}

static int choose_robot(struct serve *serve)
{
    const struct recording *recording = &serve->recording;
    if (recording->robot_count == 0 && recording->opaque > 0) {
        message_error("the fields of %" PRIu64 " record%s from the robot are not known, because the handshake was not "
                      "captured: nothing can be played; specify the recipe: --recipe FILE, or "
                      "--recipe @NAME of armtap "
                      "recipe --list",
                      recording->opaque, recording->opaque == 1 ? "" : "s");
        return -1;
    }
    if (recording->robot_count == 0 && recording->has_other) {
        message_error("no telemetry of a UR robot: serve speaks RTDE and the legacy protocol, not AUBO's");
        return -1;
    }
    if (recording->robot_count == 0) {
        if (!serve->source.quiet) /* else what could not be read was said */
            no_telemetry_report(recording->numbers, &recording->totals);
        return -1;
    }
    if (serve->options.has_stream)
        return choose_by_stream(serve);
    if (serve->options.robot)
        return choose_by_address(serve, serve->options.robot);
    return recording->robot_count == 1 ? 0 : complain_about_several(recording);
}

/* ---- what it is like --------------------------------------------------------------------------------------------- */

static void choose_release(struct serve *serve)
{
    const struct recorded_robot *robot = serve->recording.robots[serve->robot];
    bool is_captured = controller_release_parse(serve->release, robot->version) == 0;
    if (!is_captured)
        controller_release_of_size(serve->release, robot->packet_size);
    if (serve->options.has_release)
        memcpy(serve->release, serve->options.release, sizeof serve->release);
    else if (!is_captured)
        message_info("simulated: controller version %u.%u.%u.%u (--controller-version)", serve->release[0],
                     serve->release[1], serve->release[2], serve->release[3]);
    serve->packet_size = robot->packet_size > 0 ? robot->packet_size : controller_release_size(serve->release);
}

/* A protocol that was not captured has the other one's rate. */
static void choose_cycles(struct serve *serve)
{
    const struct recorded_robot *robot = serve->recording.robots[serve->robot];
    for (unsigned i = 0; i < SERVED_COUNT; i++) {
        int64_t own = recording_cycle(robot, (enum served)i), other = recording_cycle(robot, (enum served) !i);
        serve->cycle[i] = own > 0 ? own : other > 0 ? other : CYCLE;
    }
}

static size_t count_recorded(const struct variables *variables)
{
    size_t count = 0;
    for (size_t i = 0; i < variables_count(variables); i++)
        count += variables_at(variables, i)->recorded;
    return count;
}

/* What is doubtful about the records, or lacks in them. */
static void describe_records(const struct serve *serve)
{
    const struct recorded_robot *robot = serve->recording.robots[serve->robot];
    uint64_t cut = robot->cut[SERVED_RTDE] + robot->cut[SERVED_REALTIME];
    if (robot->guessed > 0)
        message_warning("the field names of %" PRIu64
                        " record%s are guessed, because the handshake was not captured: see armtap info; --recipe FILE "
                        "sets the recipe, --no-guess plays none of them",
                        robot->guessed, robot->guessed == 1 ? "" : "s");
    if (serve->recording.opaque > 0)
        message_warning("the fields of %" PRIu64
                        " record%s are not known, because the handshake was not captured: they are not played "
                        "(--recipe FILE)",
                        serve->recording.opaque, serve->recording.opaque == 1 ? "" : "s");
    if (cut > 0)
        message_warning("the snapshot length cut %" PRIu64 " of %" PRIu64
                        " records: their complete fields are played as recorded; further columns of legacy packets are "
                        "0 (capture whole packets: tcpdump -s 0, or Wireshark)",
                        cut, robot->records[SERVED_RTDE] + robot->records[SERVED_REALTIME]);
}

/* What clients get that was not captured must be known before they are believed. */
static void describe_made_up(const struct serve *serve)
{
    const struct recorded_robot *robot = serve->recording.robots[serve->robot];
    bool is_cb2 = robot->generation == ARMTAP_GENERATION_CB2;
    if (robot->records[SERVED_REALTIME] == 0)
        message_info("simulated: legacy packets of %zu bytes, from RTDE's values; columns that are not recorded are 0",
                     serve->packet_size);
    if (robot->records[SERVED_RTDE] == 0)
        message_info("simulated: RTDE, from the legacy packets%s",
                     is_cb2 ? "; a CB2 has no RTDE: modes have CB2's numbers, robot_mode 0 is RUNNING" : "");
    if (presence_is_cut(robot->presence))
        message_warning("the capture has too many recipes or silences: not all of it is played");
    if (robot->silence > 0 && serve->options.gaps == GAPS_HOLD)
        message_info("simulated: nothing was captured in %.1f s: the last values are repeated (--gaps keep or squeeze)",
                     (double)robot->silence / NS);
}

static void describe(const struct serve *serve)
{
    const struct recorded_robot *robot = serve->recording.robots[serve->robot];
    char realtime[96] = "", rtde[96] = "";
    if (robot->records[SERVED_RTDE] > 0)
        snprintf(rtde, sizeof rtde, "; RTDE at %.5g Hz", NS / (double)serve->cycle[SERVED_RTDE]);
    if (robot->records[SERVED_REALTIME] > 0)
        snprintf(realtime, sizeof realtime, "; legacy packets of %zu bytes at %.5g Hz", serve->packet_size,
                 NS / (double)serve->cycle[SERVED_REALTIME]);
    message_info("%s%s: %s%s%s%zu variables%s%s", robot->address[0] == '\0' ? "the robot" : "robot ", robot->address,
                 robot->version[0] == '\0' ? "" : "controller ", robot->version, robot->version[0] == '\0' ? "" : "; ",
                 count_recorded(robot->variables), rtde, realtime);
    bool is_paused = serve->options.is_paused || serve->options.at_most;
    if (robot->last_time != ARMTAP_NO_TIME && serve->options.loop == LOOP_NONE)
        message_info("%.1f s of data, %s; stops at its end (--loop)",
                     (double)(robot->last_time - robot->first_time) / NS,
                     is_paused                ? "from the first client that requests data on"
                     : serve->options.no_wait ? "from now on"
                                              : "from the first client on (--no-wait)");
    describe_records(serve);
    describe_made_up(serve);
}

/* ---- servers ----------------------------------------------------------------------------------------------------- */

/* A name that nobody can ask for is a typing error. */
static void warn_of_unknown(const struct serve_names *names, const char *option, const struct variables *variables)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->names[i];
        if (!variables_find(variables, name, strlen(name)) && !armtap_field_find(name, strlen(name)))
            message_warning("%s %s: armtap fields lists no such name, and the capture has none", option, name);
    }
}

/* Silences of the robot are filled unless the user wants otherwise; single variables only if asked for. */
static bool holds(const struct serve_options *options)
{
    return options->has_gaps && options->gaps == GAPS_HOLD;
}

static struct moments moments(const struct serve *serve)
{
    bool has_times = serve->recording.robots[serve->robot]->last_time != ARMTAP_NO_TIME;
    return (struct moments){has_times, serve->options.shared.zone};
}

static int make_rtde(struct serve *serve)
{
    struct variables *variables = serve->recording.robots[serve->robot]->variables;
    const struct serve_options *options = &serve->options;
    if (variables_add_registers(variables) != 0)
        return -1;
    warn_of_unknown(&options->hidden, "--hide", variables);
    warn_of_unknown(&options->in_use, "--in-use", variables);
    const struct timestamp_range range =
        timestamp_range(&options->from, &options->to, serve->recording.totals.first_time, options->shared.zone);
    struct rtde_server_options wish = {.variables = variables,
                                       .presence = serve->recording.robots[serve->robot]->presence,
                                       .from = range.from,
                                       .to = range.to,
                                       .holds = holds(options),
                                       .moments = moments(serve),
                                       .max_protocol = options->max_protocol,
                                       .cycle = serve->cycle[SERVED_RTDE],
                                       .hidden = {options->hidden.names, options->hidden.count},
                                       .in_use = {options->in_use.names, options->in_use.count},
                                       .text = options->text};
    memcpy(wish.release, serve->release, sizeof wish.release);
    serve->rtde = rtde_server_new(&wish);
    return serve->rtde ? 0 : -1;
}

/* A recipe of all that can be played, NULL if there is nothing. 0, or -1 if memory runs out. */
static int make_recipe(const struct variables *variables, struct armtap_recipe **recipe)
{
    struct buffer names = {0}, types = {0};
    for (size_t i = 0; i < variables_count(variables); i++) {
        const struct variable *variable = variables_at(variables, i);
        if (!variable->field || !variable_is_played(variable))
            continue;
        buffer_string(&names, names.length > 0 ? "," : "");
        buffer_string(&names, variable->name);
        buffer_string(&types, types.length > 0 ? "," : "");
        buffer_string(&types, armtap_type_name(variable->type, variable->count));
    }
    buffer_put(&names, "", 1);
    buffer_put(&types, "", 1);
    int outcome = names.failed || types.failed ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
    *recipe = NULL;
    if (outcome == ARMTAP_OK && names.length > 1)
        outcome = armtap_recipe_rtde(names.data, types.data, recipe);
    free(names.data);
    free(types.data);
    return outcome == ARMTAP_OK ? 0 : -1;
}

/* Which cells of packets that are made of RTDE's values are always 0. */
static int describe_cells(const struct serve *serve)
{
    const struct recorded_robot *robot = serve->recording.robots[serve->robot];
    struct legacy_layout layout;
    struct armtap_recipe *played;
    if (robot->records[SERVED_REALTIME] > robot->cut[SERVED_REALTIME])
        return 0;
    if (make_recipe(robot->variables, &played) != 0)
        return -1;
    int outcome = legacy_layout_begin(&layout, serve->packet_size);
    if (played && outcome == 0)
        legacy_report(&layout, played, "the capture");
    legacy_layout_end(&layout);
    armtap_recipe_release(played);
    return outcome;
}

/* The variables that have cells in a legacy packet. */
static int make_realtime(struct serve *serve)
{
    const struct variables *variables = serve->recording.robots[serve->robot]->variables;
    struct armtap_recipe *layout;
    serve->cells = calloc(variables_count(variables) + 1, sizeof(const struct variable *));
    if (!serve->cells || armtap_recipe_realtime(serve->packet_size, &layout) != ARMTAP_OK)
        return -1;
    struct field_watch watch = {
        .variables = serve->cells, .lacking = "0 in the legacy packets", .moments = moments(serve)};
    for (size_t i = 0; i < armtap_recipe_count(layout); i++) {
        const struct armtap_field *field = armtap_recipe_at(layout, i)->field;
        const struct variable *variable = field ? variables_of_field(variables, field->id) : NULL;
        if (variable && variable->field)
            serve->cells[watch.count++] = variable;
    }
    armtap_recipe_release(layout);
    serve->realtime.cells = serve->realtime_read_only.cells = watch;
    return describe_cells(serve);
}

/* What is made up must be known before it is believed. */
static int fill(struct serve *serve)
{
    struct variables *variables = serve->recording.robots[serve->robot]->variables;
    for (size_t i = 0; i < serve->options.fill_count; i++) {
        const struct fill *one = &serve->options.fills[i];
        struct variable *filled;
        if (variables_fill(variables, &one->value, &filled) != 0)
            return -1;
        if (!filled)
            message_warning("--fill %s has no effect: the capture's %s is of another type", one->text, one->value.name);
        else if (filled->recorded)
            message_info("simulated: %s, where it is not recorded; elsewhere the recorded values", one->text);
        else
            message_info("simulated: %s, which the capture lacks", one->text);
    }
    return 0;
}

static const char *robot_address(const struct serve *serve)
{
    return serve->recording.robots[serve->robot]->address;
}

/* A port that takes script and its read-only twin say the same: what was captured of either serves both. */
static const struct recorded_port *captured_port(const struct serve *serve, uint16_t port)
{
    static const uint16_t twins[][2] = {{30001, 30011}, {30002, 30012}, {30011, 30001}, {30012, 30002}};
    const struct recorded_port *found = recorded_ports_find(serve->recording.ports, robot_address(serve), port);
    for (unsigned i = 0; i < sizeof twins / sizeof *twins && !found; i++)
        if (twins[i][0] == port)
            found = recorded_ports_find(serve->recording.ports, robot_address(serve), twins[i][1]);
    return found;
}

static bool is_captured(const struct serve *serve, const struct served_port *port)
{
    if (port->server == PORT_DASHBOARD)
        return recorded_ports_requests(serve->recording.ports, robot_address(serve)) > 0;
    return port->server == PORT_PRIMARY && captured_port(serve, port->controllers);
}

/* Whether one of a server's ports is imitated from the beginning on. */
static bool is_imitated(const struct serve *serve, enum port_server server)
{
    for (unsigned i = 0; i < SERVED_PORTS; i++) {
        const struct served_port *port = &serve->options.ports[i];
        const struct recorded_port *captured = captured_port(serve, port->controllers);
        if (port->is_served && port->server == server &&
            (!is_captured(serve, port) || (captured && !captured->greeting)))
            return serve->options.stubs[server];
    }
    return false;
}

static void describe_sources(const struct serve *serve)
{
    char captured[64] = "", imitated[64] = "";
    for (unsigned i = 0; i < SERVED_PORTS; i++) {
        const struct served_port *port = &serve->options.ports[i];
        bool is = is_captured(serve, port);
        if (!port->is_served || (!is && !serve->options.stubs[port->server]))
            continue;
        char *list = is ? captured : imitated;
        size_t length = strlen(list);
        snprintf(list + length, sizeof captured - length, "%s%u", length == 0 ? "" : ", ", port->controllers);
    }
    if (captured[0] != '\0')
        message_info("from the capture: ports %s%s%s", captured, imitated[0] == '\0' ? "" : "; simulated: ", imitated);
    if (recorded_ports_left_out(serve->recording.ports) > 0)
        message_warning("the capture has too much data of other ports: %" PRIu64 " messages and replies were omitted",
                        recorded_ports_left_out(serve->recording.ports));
}

static void describe_dashboard(const struct variables *variables)
{
    static const enum armtap_field_id ids[] = {ARMTAP_ID_robot_mode, ARMTAP_ID_safety_mode, ARMTAP_ID_runtime_state};
    char list[128] = "";
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct variable *variable = variables_of_field(variables, ids[i]);
        size_t length = strlen(list);
        if (!variable || !variable_is_played(variable))
            snprintf(list + length, sizeof list - length, "%s, ", armtap_field_at(ids[i])->name);
    }
    message_info("simulated: the dashboard server's %smodel, serial number, program, operational mode, user role, "
                 "remote "
                 "control",
                 list);
}

static int make_stubs(struct serve *serve)
{
    struct recorded_robot *robot = serve->recording.robots[serve->robot];
    serve->dashboard.generation =
        robot->generation != ARMTAP_GENERATION_UNKNOWN ? robot->generation : ARMTAP_GENERATION_CB3E;
    memcpy(serve->dashboard.release, serve->release, sizeof serve->release);
    memcpy(serve->primary.release, serve->release, sizeof serve->release);
    if (latest_begin(&serve->dashboard.latest, robot->variables, robot->presence) != 0 ||
        latest_begin(&serve->primary.latest, robot->variables, robot->presence) != 0)
        return -1;
    serve->dashboard.imitates = serve->options.stubs[PORT_DASHBOARD];
    serve->dashboard.recorded = serve->recording.ports;
    serve->dashboard.robot = robot->address;
    for (unsigned i = 0; i < SERVED_PORTS; i++) {
        bool imitates = serve->options.stubs[PORT_PRIMARY];
        const struct recorded_port *port = captured_port(serve, serve->options.ports[i].controllers);
        serve->primary_ports[i] =
            (struct primary_server){.stub = &serve->primary,
                                    .imitates = imitates,
                                    .fills = imitates && (!port || serve->options.gaps != GAPS_KEEP),
                                    .recorded = port};
    }
    describe_sources(serve);
    if (is_imitated(serve, PORT_PRIMARY))
        message_info("simulated: the primary interface's kinematics and configuration, and other data that the capture "
                     "lacks");
    if (is_imitated(serve, PORT_DASHBOARD))
        describe_dashboard(robot->variables);
    return 0;
}

static const struct server_kind *primary_kind(const struct serve *serve, const struct served_port *port)
{
    bool is_secondary = port->controllers == 30002 || port->controllers == 30012;
    if (is_captured(serve, port))
        return is_secondary ? &secondary_captured_kind : &primary_captured_kind;
    return serve->options.stubs[PORT_PRIMARY] ? &primary_imitated_kind : NULL;
}

/* The server of a port; NULL: none imitates it. */
static const struct server_kind *server_of(struct serve *serve, const struct served_port *port, void **server)
{
    switch (port->server) {
    case PORT_RTDE:
        *server = serve->rtde;
        return &rtde_server_kind;
    case PORT_REALTIME:
        *server = port->read_only ? &serve->realtime_read_only : &serve->realtime;
        return &realtime_server_kind;
    case PORT_PRIMARY:
        *server = &serve->primary_ports[port - serve->options.ports];
        return primary_kind(serve, port);
    case PORT_DASHBOARD:
        *server = &serve->dashboard;
        if (is_captured(serve, port))
            return &dashboard_captured_kind;
        return serve->options.stubs[PORT_DASHBOARD] ? &dashboard_stub_kind : NULL;
    default:
        return NULL;
    }
}

static int listen_on(struct serve *serve, const struct served_port *port)
{
    void *server;
    const struct server_kind *kind = server_of(serve, port, &server);
    if (!port->is_served || !kind)
        return 0;
    return listening_begin(serve->clients, port, &serve->options.address, kind, server);
}

static int listen_on_all(struct serve *serve)
{
    listening_warn(&serve->options.address);
    for (unsigned i = 0; i < SERVED_PORTS; i++)
        if (listen_on(serve, &serve->options.ports[i]) != 0)
            return -1;
    return 0;
}

/* ---- playing ----------------------------------------------------------------------------------------------------- */

static void on_change(void *user)
{
    struct serve *serve = user;
    if (serve->player.timeline)
        player_go_on(&serve->player);
}

static void on_wake(void *user)
{
    struct serve *serve = user;
    if (!serve->player.timeline)
        return;
    if (atomic_load(&start_came) && serve->player.is_waiting)
        player_start(&serve->player);
    else
        player_go_on(&serve->player);
}

/* In the timeline's thread. */
static void on_ready(void *user)
{
    struct serve *serve = user;
    event_loop_wake(serve->loop);
}

static void wish_for_timeline(struct serve *serve)
{
    const struct serve_options *options = &serve->options;
    int64_t rtde = serve->cycle[SERVED_RTDE], realtime = serve->cycle[SERVED_REALTIME];
    serve->wish = (struct timeline_wish){.source = &serve->source,
                                         .recording = &serve->recording,
                                         .robot = serve->robot,
                                         .has_leader = serve->has_leader,
                                         .leader = serve->leader,
                                         .from = options->from,
                                         .to = options->to,
                                         .zone = options->shared.zone,
                                         .gaps = options->gaps,
                                         .holds = holds(options),
                                         .loop = options->loop,
                                         .cycle = rtde < realtime ? rtde : realtime,
                                         .packet_size = serve->packet_size,
                                         .on_ready = on_ready,
                                         .user = serve};
}

static void report_end(const struct player *player)
{
    char repeated[64] = "", clients[LISTENING_TOTALS_MAX];
    if (player->repeated > 0)
        snprintf(repeated, sizeof repeated, ", the last one was repeated %" PRIu64 " times", player->repeated);
    listening_totals(clients, player->clients);
    message_info("%" PRIu64 " records were played%s%s%s", player->played, repeated,
                 player->was_wanted ? "" : "; no client requested data", clients);
}

static enum exit_status play(struct serve *serve)
{
    struct player *player = &serve->player;
    player->loop = serve->loop;
    player->clients = serve->clients;
    player->moments = moments(serve);
    player->silence = serve->options.gaps == GAPS_SQUEEZE ? "it is skipped" : "no data";
    player->speed = serve->options.speed;
    player->at_most = serve->options.at_most;
    player->is_paused = serve->options.is_paused || serve->options.at_most;
    player->is_waiting = player->is_paused || !serve->options.no_wait;
    event_loop_on_wake(serve->loop, on_wake, serve);
    hold_start_signal(serve->loop);
    wish_for_timeline(serve);
    if (player_begin(player) != 0 || !(player->timeline = timeline_start(&serve->wish))) {
        message_no_memory();
        return EXIT_FAILED;
    }
    message_show_times();
    player_go_on(player);
    enum event_loop_end end = event_loop_run(serve->loop);
    if (end == EVENT_LOOP_INTERRUPTED)
        clients_close(serve->clients, false, "closed: interrupted");
    if (end == EVENT_LOOP_FAILED)
        message_error("cannot wait for clients: %s", strerror(errno));
    else if (end != EVENT_LOOP_INTERRUPTED && player->played == 0 &&
             (serve->options.from.given || serve->options.to.given))
        message_warning("no record from the robot in that time: nothing was played");
    clients_tell_hidden(serve->clients);
    report_end(player);
    return end == EVENT_LOOP_FAILED || timeline_has_failed(player->timeline) ? EXIT_FAILED : EXIT_DONE;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void end_play(struct serve *serve)
{
    hold_start_signal(NULL);
    timeline_free(serve->player.timeline);
    serve->player.timeline = NULL;
    player_end(&serve->player);
    clients_free(serve->clients);
    rtde_server_free(serve->rtde);
    free(serve->cells);
    latest_end(&serve->dashboard.latest);
    latest_end(&serve->primary.latest);
    event_loop_free(serve->loop);
}

static enum exit_status run_servers(struct serve *serve)
{
    const struct clients_wish wish = {.say = listening_say, .on_change = on_change, .user = serve};
    struct clients_wish clients = wish;
    enum exit_status status = EXIT_FAILED;
    serve->loop = event_loop_new();
    clients.loop = serve->loop;
    serve->clients = serve->loop ? clients_new(&clients) : NULL;
    if (serve->loop)
        event_loop_on_still(serve->loop, listening_still, NULL);
    if (!serve->clients || fill(serve) != 0 || make_rtde(serve) != 0 || make_realtime(serve) != 0 ||
        make_stubs(serve) != 0)
        message_no_memory();
    else if (listen_on_all(serve) == 0)
        status = play(serve);
    end_play(serve);
    return status;
}

/* A robot in place of a capture: its bridge. */
static enum exit_status run_bridge(const struct serve_options *options)
{
    const struct robot_sources *robots = &options->shared.robots;
    struct bridge_wish wish = {.robot = robots->robots,
                               .layout = (unsigned)options->layout,
                               .hz = options->hz,
                               .on_loss = options->on_loss,
                               .allow_script = options->allow_script,
                               .allowed_count = options->allowed_count,
                               .address = options->address,
                               .ports = options->ports,
                               .strict = robots->client.strict,
                               .give_up = robots->client.give_up};
    memcpy(wish.allowed, options->allowed, sizeof wish.allowed);
    interrupt_hold();
    return bridge_run(&wish);
}

static enum exit_status run_server(struct serve *serve)
{
    if (serve->options.shared.robots.count > 0)
        return run_bridge(&serve->options);
    serve->source = serve->options.shared.source;
    if (!replay_is_repeatable(&serve->source)) {
        message_error("serve: the capture is read more than once, so it must be in files; save it first");
        return EXIT_FAILED;
    }
    if (armtap_knowledge_new(&serve->knowledge) != ARMTAP_OK) {
        message_no_memory();
        return EXIT_FAILED;
    }
    serve->source.knowledge = serve->knowledge;
    enum exit_status read = recording_read(&serve->recording, &serve->source);
    serve->source.quiet = read == EXIT_FAILED;
    if (serve->recording.totals.broken_off || choose_robot(serve) != 0)
        return EXIT_FAILED;
    timestamp_count_back(&serve->options.from, serve->recording.totals.last_time);
    timestamp_count_back(&serve->options.to, serve->recording.totals.last_time);
    choose_release(serve);
    choose_cycles(serve);
    describe(serve);
    interrupt_hold();
    interrupt_ignore_closed_pipes(); /* whoever read the lines about clients may go: the clients stay */
    enum exit_status played = run_servers(serve);
    return played > read ? played : read;
}

int cmd_serve(int argc, char **argv)
{
    struct serve *serve = calloc(1, sizeof *serve);
    if (!serve) {
        message_no_memory();
        return EXIT_FAILED;
    }
    serve->realtime_read_only.read_only = true;
    enum options_outcome outcome = serve_options_parse(&serve->options, argc, argv);
    int status = outcome == OPTIONS_RUN ? (int)run_server(serve) : options_status(outcome);
    recording_free(&serve->recording);
    armtap_knowledge_free(serve->knowledge);
    if (outcome == OPTIONS_RUN)
        options_free(&serve->options.shared);
    free(serve);
    return status;
}
