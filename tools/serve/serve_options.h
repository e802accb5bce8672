/* What the user asks `armtap serve` for. */
#ifndef SERVE_SERVE_OPTIONS_H
#define SERVE_SERVE_OPTIONS_H

#include "serve/bridge/bridge.h"
#include "command_line/options.h"
#include "serve/recording/variables.h"
#include "base/os/tcp_socket.h"
#include "serve/ports/clients.h"
#include "serve/playing/timeline.h"

#define SERVE_NAMES_MAX 256u
#define SERVE_FILLS_MAX 1024u /* more than RTDE has outputs */

struct serve_names {
    const char *names[SERVE_NAMES_MAX];
    size_t count;
};

struct serve_options {
    struct options shared;
    struct tcp_address address;
    struct served_port ports[SERVED_PORTS];
    double speed;
    bool at_most; /* --speed max */
    bool is_paused, no_wait;
    enum timeline_gaps gaps;
    bool has_gaps; /* as the user asked */
    enum timeline_loop loop;
    struct timestamp from, to;
    bool has_release;
    uint32_t release[4];
    struct serve_names hidden, in_use;
    struct fill fills[SERVE_FILLS_MAX];
    size_t fill_count;
    int max_protocol;
    const char *text;
    const char *robot; /* its address, as given */
    bool has_stream;
    uint64_t stream;
    bool stubs[PORT_SERVERS];
    /* The bridge. */
    uint64_t layout; /* 0: not given */
    double hz;       /* 0: every record */
    enum bridge_loss on_loss;
    bool allow_script;
    struct tcp_address allowed[BRIDGE_ALLOWED_MAX];
    size_t allowed_count;
};

enum options_outcome serve_options_parse(struct serve_options *options, int argc, char **argv);

#endif
