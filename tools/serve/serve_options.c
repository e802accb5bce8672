#include "serve_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "serve/robot/servers.h"
#include "serve/bridge/legacy_layout.h"

#define TEXT_MAX 254u /* bytes of a message in all protocols */

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int read_address(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    if (tcp_address_parse(&options->address, value, 0) == 0 && tcp_address_port(&options->address) == 0)
        return 0;
    return option_refuse(row, value, "an address without a port, as in --listen 127.0.0.11");
}

static int read_ports(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    (void)row;
    return ports_parse(options->ports, value);
}

static int read_speed(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    char *end;
    options->at_most = strcmp(value, "max") == 0;
    if (options->at_most)
        return 0;
    options->speed = strtod(value, &end);
    if (end == value || *end != '\0' || !(options->speed >= 0.001) || options->speed > 1000)
        return option_refuse(row, value, "max, or a number from 0.001 to 1000");
    return 0;
}

static int read_loop(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    options->loop = value ? LOOP_RAW : LOOP_SMOOTH;
    return !value || strcmp(value, row->words) == 0 ? 0 : option_refuse(row, value, "--loop or --loop=raw");
}

/* Into a struct serve_names. */
static int read_name(const struct option_row *row, const char *value, void *place)
{
    struct serve_names *names = place;
    if (names->count == SERVE_NAMES_MAX || *value == '\0')
        return option_refuse(row, value, "at most 256 names");
    names->names[names->count++] = value;
    return 0;
}

static int read_fill(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    if (options->fill_count == SERVE_FILLS_MAX)
        return option_refuse(row, value, "at most 1024 of them");
    struct fill *fill = &options->fills[options->fill_count];
    if (fill_parse(fill, value) != 0)
        return -1;
    for (size_t i = 0; i < options->fill_count; i++)
        if (options->fills[i].value.field == fill->value.field)
            return option_refuse(row, value, "one --fill for each field: another gives this one");
    options->fill_count++;
    return 0;
}

static int read_stubs(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    options->stubs[PORT_PRIMARY] =
        strcmp(value, "primary") == 0 || strstr(value, "primary,") || strstr(value, ",primary");
    options->stubs[PORT_DASHBOARD] =
        strcmp(value, "dashboard") == 0 || strstr(value, "dashboard,") || strstr(value, ",dashboard");
    static const char *const lists[] = {"none", "primary", "dashboard", "primary,dashboard", "dashboard,primary"};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strcmp(value, lists[i]) == 0)
            return 0;
    return option_refuse(row, value, "primary,dashboard, one of them, or none");
}

static int read_release(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    return controller_release_parse(options->release, value) == 0
               ? 0
               : option_refuse(row, value, "two to four numbers, as in 5.11.1.108");
}

static int read_text(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    options->text = value;
    return strlen(value) <= TEXT_MAX ? 0 : option_refuse(row, value, "at most 254 bytes");
}

static int read_layout(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    char sizes[LEGACY_LAYOUT_LIST];
    if (options_number("--layout", value, 0, UINT32_MAX, &options->layout) != 0)
        return -1;
    if (legacy_layout_knows((size_t)options->layout, sizes))
        return 0;
    message_error("--%s %s: no controller sends packets of that size; known are %s", row->name, value, sizes);
    return -1;
}

static int read_allowed(const struct option_row *row, const char *value, void *place)
{
    struct serve_options *options = place;
    struct tcp_address *address = &options->allowed[options->allowed_count];
    if (options->allowed_count == BRIDGE_ALLOWED_MAX)
        return option_refuse(row, value, "at most 16 addresses");
    if (tcp_address_parse(address, value, 0) != 0 || tcp_address_port(address) != 0)
        return option_refuse(row, value, "an address without a port, as in --allow-from 127.0.0.1");
    options->allowed_count++;
    return 0;
}

#define OPTIONS_STRUCT struct serve_options
static const struct option_row rows[] = {
#define OPTIONS_SERVE
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "serve",
    .arguments = "CAPTURE... | --layout SIZE rtde://HOST",
    .summary =
        "Simulates the controller of a capture: RTDE on port 30004, the legacy interface on 30003 and 30013, and "
        "simulated primary interface and dashboard server. Clients choose fields and receive the recorded data at the "
        "recorded pace, or at a lower rate they request; nothing they send moves a robot. A field is sent where it was "
        "recorded; fields that the capture lacks are NOT_FOUND. With a robot, serve is a bridge: it builds legacy "
        "packets of --layout from RTDE, so that an old program runs unchanged.",
    .rows = rows,
    .groups = GROUPS_serve,
    .examples = "  armtap serve --loop robot.pcapng\n  armtap serve --listen 127.0.0.11 --speed max --hide payload "
                "robot.pcapng\n  armtap serve --layout 1108 rtde://10.0.0.2\n"};

static int check_options(const struct serve_options *options)
{
    const struct robot_sources *robots = &options->shared.robots;
    char sizes[LEGACY_LAYOUT_LIST];
    if (robots->count == 0)
        return 0;
    if (robots->count > 1 || robots->robots[0].protocol != ARMTAP_RTDE) {
        message_error("serve: the bridge reads one robot, over RTDE: armtap serve --layout 1220 rtde://HOST");
        return -1;
    }
    if (options->layout == 0) {
        legacy_layout_knows(0, sizes);
        message_error("serve: no packet size chosen; name the size that the old program expects, one of %s: --layout "
                      "1220",
                      sizes);
        return -1;
    }
    return 0;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

enum options_outcome serve_options_parse(struct serve_options *options, int argc, char **argv)
{
    *options = (struct serve_options){.speed = 1, .max_protocol = 3};
    tcp_address_parse(&options->address, "127.0.0.1", 0);
    ports_default(options->ports);
    options->stubs[PORT_PRIMARY] = options->stubs[PORT_DASHBOARD] = true;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &options->shared, options);
    if (outcome != OPTIONS_RUN || check_options(options) == 0)
        return outcome;
    options_free(&options->shared);
    return OPTIONS_BAD;
}
