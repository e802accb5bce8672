#include "serve_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "controller_release.h"
#include "legacy_layout.h"

enum option {
    OPTION_LISTEN = 1, /* with a capture and with a robot */
    OPTION_PORTS,
    OPTION_SPEED, /* from here on with a capture */
    OPTION_LOOP,
    OPTION_FROM,
    OPTION_TO,
    OPTION_PAUSED,
    OPTION_NO_WAIT,
    OPTION_GAPS,
    OPTION_FILL,
    OPTION_STREAM,
    OPTION_ROBOT,
    OPTION_RELEASE,
    OPTION_HIDE,
    OPTION_IN_USE,
    OPTION_PROTOCOL,
    OPTION_TEXT,
    OPTION_STUB,
    OPTION_LAYOUT, /* from here on with a robot */
    OPTION_HZ,
    OPTION_ON_LOSS,
    OPTION_ALLOW_SCRIPT,
    OPTION_ALLOW_FROM
};

#define TEXT_MAX 254u /* bytes of a message in all protocols */

static const struct option_row rows[] = {
    {OPTION_LISTEN, 0, "listen", "ADDRESS",
     "the address to listen on (default: 127.0.0.1); 127.0.0.11 leaves the controller's ports free on the others"},
    {OPTION_PORTS, 0, "ports", "LIST",
     "which of a controller's ports, and what to use in their place: 30004,30003=40003; 0 is any free port"},
    {OPTION_SPEED, 0, "speed", "X",
     "2 for twice as fast; max for as fast as the slowest client reads, from the first client on"},
    {OPTION_LOOP, 0, "loop", "[raw]",
     "again and again, with the controller's clock going on; raw: with the recorded clock"},
    {OPTION_FROM, 0, "from", "T", "begin there: 2026-01-31T12:00:00Z, 08:53:30 or +10 after the first packet"},
    {OPTION_TO, 0, "to", "T", "end there"},
    {OPTION_PAUSED, 0, "paused", NULL, "begin with the first client that asks for data, or at SIGUSR1"},
    {OPTION_NO_WAIT, 0, "no-wait", NULL, "begin at once, not with the first client that connects"},
    {OPTION_GAPS, 0, "gaps", "HOW",
     "where nothing was captured for over a second: hold the last values, with the clock running (default); keep "
     "everything at the time at which it was captured; squeeze: pass the gap over. hold, if given, also repeats a "
     "field that is not recorded while others are"},
    {OPTION_FILL, 0, "fill", "NAME=VALUE",
     "give this field where it is not recorded: payload=1.5, actual_q=0,-1.57,0,0,0,0 (may be repeated)"},
    {OPTION_STREAM, 0, "stream", "N", "the robot and the pace of this stream; armtap info numbers them"},
    {OPTION_ROBOT, 0, "robot", "ADDRESS", "which robot, if the capture has several"},
    {OPTION_RELEASE, 0, "controller-version", "VERSION",
     "the release to claim instead of the captured one: 5.11.1.108"},
    {OPTION_HIDE, 0, "hide", "NAME", "answer NOT_FOUND for this RTDE variable (may be repeated)"},
    {OPTION_IN_USE, 0, "in-use", "NAME", "answer IN_USE for this RTDE input (may be repeated)"},
    {OPTION_PROTOCOL, 0, "max-protocol", "N", "refuse RTDE protocols above N (default: 3)"},
    {OPTION_TEXT, 0, "text", "TEXT", "send RTDE clients this message when they connect"},
    {OPTION_STUB, 0, "stub", "LIST",
     "which ports to imitate, with what the capture lacks made up: primary,dashboard (default) or none"},
    {OPTION_LAYOUT, 0, "layout", "SIZE",
     "of a robot: the bytes of a legacy packet that the old program expects: 1220, 1108, 812, ..."},
    {OPTION_HZ, 0, "hz", "HZ", "of a robot: at most so many packets a second (default: the robot's rate)"},
    {OPTION_ON_LOSS, 0, "on-loss", "HOW",
     "of a robot: when it is lost, close the clients' connections (default), or hold them without data"},
    {OPTION_ALLOW_SCRIPT, 0, "allow-script", NULL,
     "of a robot: forward programs that clients send to port 30003, which may move it; needs --allow-from"},
    {OPTION_ALLOW_FROM, 0, "allow-from", "ADDRESS",
     "of a robot: whose programs to forward (may be repeated); needs --allow-script"},
};

static const struct option_words words[] = {
    {OPTION_LOOP, "raw"},
    {OPTION_SPEED, "max"},
    {OPTION_GAPS, "hold, keep or squeeze"},
    {OPTION_STUB, "primary, dashboard or none"},
    {OPTION_ON_LOSS, "close or hold"},
};

static const struct option_usage usage = {
    .command = "serve",
    .arguments = "CAPTURE... | --layout SIZE rtde://HOST",
    .summary =
        "Acts as the controller that a capture was taken from: RTDE on port 30004, the legacy interface on 30003 "
        "and 30013, imitations of the primary interface and the dashboard server. Clients get the recorded data, at "
        "the recorded pace, whatever they ask for; nothing that they "
        "send moves anything. A field is played where it was recorded; what the capture lacks is NOT_FOUND. With a "
        "robot: the bridge, which makes "
        "legacy packets of --layout from RTDE, so that an old program runs unchanged.",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .reads_captures = true,
    .needs_files = true,
    .reads_robots = true,
    .fixed_request = true,
    .words = words,
    .words_count = sizeof words / sizeof *words,
    .examples = "  armtap serve --loop robot.pcapng\n  armtap serve --listen 127.0.0.11 --speed max --hide payload "
                "robot.pcapng\n  armtap serve --layout 1108 rtde://10.0.0.2\n"};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int bad(const char *option, const char *value, const char *expected)
{
    message_error("%s '%s': expected %s", option, value, expected);
    return -1;
}

static int take_speed(struct serve_options *options, const char *value)
{
    char *end;
    options->at_most = strcmp(value, "max") == 0;
    options->speed = 1;
    if (options->at_most)
        return 0;
    double speed = strtod(value, &end);
    if (end == value || *end != '\0' || !(speed >= 0.001) || speed > 1000)
        return bad("--speed", value, "max, or a number from 0.001 to 1000");
    options->speed = speed;
    return 0;
}

static int take_gaps(struct serve_options *options, const char *value)
{
    static const char *const names[] = {[GAPS_HOLD] = "hold", [GAPS_KEEP] = "keep", [GAPS_SQUEEZE] = "squeeze"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) {
            options->gaps = (enum timeline_gaps)i;
            options->has_gaps = true;
            return 0;
        }
    return bad("--gaps", value, "hold, keep or squeeze");
}

static int take_time(const char *option, const char *value, struct timestamp *when)
{
    return timestamp_parse(value, when) == 0 ? 0 : bad(option, value, when_forms);
}

static int take_name(struct serve_names *names, const char *option, const char *value)
{
    if (names->count == SERVE_NAMES_MAX || *value == '\0')
        return bad(option, value, "at most 256 names");
    names->names[names->count++] = value;
    return 0;
}

static int take_fill(struct serve_options *options, const char *value)
{
    if (options->fill_count == SERVE_FILLS_MAX)
        return bad("--fill", value, "at most 1024 of them");
    struct fill *fill = &options->fills[options->fill_count];
    if (fill_parse(fill, value) != 0)
        return -1;
    for (size_t i = 0; i < options->fill_count; i++)
        if (options->fills[i].value.field == fill->value.field)
            return bad("--fill", value, "one --fill for each field: another gives this one");
    options->fill_count++;
    return 0;
}

static int take_stubs(struct serve_options *options, const char *value)
{
    options->stubs[PORT_PRIMARY] =
        strcmp(value, "primary") == 0 || strstr(value, "primary,") || strstr(value, ",primary");
    options->stubs[PORT_DASHBOARD] =
        strcmp(value, "dashboard") == 0 || strstr(value, "dashboard,") || strstr(value, ",dashboard");
    static const char *const lists[] = {"none", "primary", "dashboard", "primary,dashboard", "dashboard,primary"};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(value, lists[i]) == 0)
            return 0;
    return bad("--stub", value, "primary,dashboard, one of them, or none");
}

static int take_loop(struct serve_options *options, const char *value)
{
    options->loop = value ? LOOP_RAW : LOOP_SMOOTH;
    return !value || strcmp(value, "raw") == 0 ? 0 : bad("--loop", value, "--loop or --loop=raw");
}

static int take_address(struct serve_options *options, const char *value)
{
    if (tcp_address_parse(&options->address, value, 0) != 0 || tcp_address_port(&options->address) != 0)
        return bad("--listen", value, "an address without a port, as in --listen 127.0.0.11");
    return 0;
}

static int take_number(struct serve_options *options, int id, const char *value)
{
    uint64_t number;
    if (id == OPTION_STREAM) {
        options->has_stream = true;
        return options_number("--stream", value, 0, UINT32_MAX, &options->stream);
    }
    if (options_number("--max-protocol", value, 1, 3, &number) != 0)
        return -1;
    options->max_protocol = (int)number;
    return 0;
}

static int take_release(struct serve_options *options, const char *value)
{
    options->has_release = true;
    return controller_release_parse(options->release, value) == 0
               ? 0
               : bad("--controller-version", value, "two to four numbers, as in 5.11.1.108");
}

static int take_text(struct serve_options *options, const char *value)
{
    options->text = value;
    return strlen(value) <= TEXT_MAX ? 0 : bad("--text", value, "at most 254 bytes");
}

/* ---- the bridge -------------------------------------------------------------------------------------------------- */

static int take_layout(struct serve_options *options, const char *value)
{
    char sizes[LEGACY_LAYOUT_LIST];
    if (options_number("--layout", value, 0, UINT32_MAX, &options->layout) != 0)
        return -1;
    if (legacy_layout_knows(options->layout, sizes))
        return 0;
    message_error("--layout %s: no controller sends packets of that size; known are %s", value, sizes);
    return -1;
}

static int take_hz(struct serve_options *options, const char *value)
{
    char *end;
    options->hz = strtod(value, &end);
    return end != value && *end == '\0' && options->hz >= 1 && options->hz <= 1000
               ? 0
               : bad("--hz", value, "a number from 1 to 1000");
}

static int take_on_loss(struct serve_options *options, const char *value)
{
    options->on_loss = strcmp(value, "hold") == 0 ? BRIDGE_HOLD : BRIDGE_CLOSE;
    return options->on_loss == BRIDGE_HOLD || strcmp(value, "close") == 0 ? 0
                                                                          : bad("--on-loss", value, "close or hold");
}

static int take_allowed(struct serve_options *options, const char *value)
{
    struct tcp_address *address = &options->allowed[options->allowed_count];
    if (options->allowed_count == BRIDGE_ALLOWED_MAX)
        return bad("--allow-from", value, "at most 16 addresses");
    if (tcp_address_parse(address, value, 0) != 0 || tcp_address_port(address) != 0)
        return bad("--allow-from", value, "an address without a port, as in --allow-from 127.0.0.1");
    options->allowed_count++;
    return 0;
}

static int take_for_bridge(struct serve_options *options, int id, const char *value)
{
    switch (id) {
    case OPTION_LAYOUT:
        return take_layout(options, value);
    case OPTION_HZ:
        return take_hz(options, value);
    case OPTION_ON_LOSS:
        return take_on_loss(options, value);
    case OPTION_ALLOW_SCRIPT:
        options->allow_script = true;
        return 0;
    default:
        return take_allowed(options, value);
    }
}

static const char *option_name(int id)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].id == id)
            return rows[i].name;
    return "";
}

/* An option that was given and has no effect here; 0: none. */
static int useless_option(const struct serve_options *options, bool with_robot)
{
    for (int id = 1; id <= OPTION_ALLOW_FROM; id++)
        if (options->given & 1U << id && id > OPTION_PORTS && (id >= OPTION_LAYOUT) != with_robot)
            return id;
    return 0;
}

static int check(const struct serve_options *options)
{
    const struct robot_sources *robots = &options->shared.robots;
    int useless = useless_option(options, robots->count > 0);
    char sizes[LEGACY_LAYOUT_LIST];
    if (useless != 0) {
        message_error("serve: --%s works only with a %s", option_name(useless),
                      robots->count > 0 ? "capture" : "robot: armtap serve --layout 1220 rtde://HOST");
        return -1;
    }
    if (options->is_paused && options->no_wait) {
        message_error("serve: --paused waits for a client, --no-wait does not: choose one of them");
        return -1;
    }
    if (robots->count == 0)
        return 0;
    if (options->shared.recipe) {
        message_error("serve: --recipe works only with a capture: what the bridge asks for follows from --layout");
        return -1;
    }
    if (robots->count > 1 || robots->robots[0].protocol != ARMTAP_RTDE) {
        message_error("serve: the bridge reads one robot, over RTDE: armtap serve --layout 1220 rtde://HOST");
        return -1;
    }
    if (options->layout == 0) {
        legacy_layout_knows(0, sizes);
        message_error("serve: which packets does the old program expect? Give their size, one of %s: --layout 1220",
                      sizes);
        return -1;
    }
    if (options->allow_script == (options->allowed_count > 0))
        return 0;
    message_error("serve: programs are forwarded only if both are given: --allow-script and --allow-from ADDRESS");
    return -1;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int take(void *user, int id, const char *value)
{
    struct serve_options *options = user;
    options->given |= 1U << id;
    switch (id) {
    case OPTION_LISTEN:
        return take_address(options, value);
    case OPTION_PORTS:
        return ports_parse(options->ports, value);
    case OPTION_SPEED:
        return take_speed(options, value);
    case OPTION_LOOP:
        return take_loop(options, value);
    case OPTION_FROM:
        return take_time("--from", value, &options->from);
    case OPTION_TO:
        return take_time("--to", value, &options->to);
    case OPTION_PAUSED:
        options->is_paused = true;
        return 0;
    case OPTION_NO_WAIT:
        options->no_wait = true;
        return 0;
    case OPTION_FILL:
        return take_fill(options, value);
    case OPTION_GAPS:
        return take_gaps(options, value);
    case OPTION_ROBOT:
        options->robot = value;
        return 0;
    case OPTION_RELEASE:
        return take_release(options, value);
    case OPTION_HIDE:
        return take_name(&options->hidden, "--hide", value);
    case OPTION_IN_USE:
        return take_name(&options->in_use, "--in-use", value);
    case OPTION_TEXT:
        return take_text(options, value);
    case OPTION_STUB:
        return take_stubs(options, value);
    case OPTION_STREAM:
    case OPTION_PROTOCOL:
        return take_number(options, id, value);
    default:
        return take_for_bridge(options, id, value);
    }
}

enum options_outcome serve_options_parse(struct serve_options *options, int argc, char **argv)
{
    *options = (struct serve_options){.speed = 1, .max_protocol = 3};
    tcp_address_parse(&options->address, "127.0.0.1", 0);
    ports_default(options->ports);
    options->stubs[PORT_PRIMARY] = options->stubs[PORT_DASHBOARD] = true;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &options->shared, take, options);
    if (outcome != OPTIONS_RUN || check(options) == 0)
        return outcome;
    options_free(&options->shared);
    return OPTIONS_BAD;
}
