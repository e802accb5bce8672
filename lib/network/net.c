#include "net.h"

#include "bytes.h"
#include "speed.h"
#include "tcp/tcp_deliver.h"
#include "try.h"
#include "packet/link.h"
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#define LATELY UINT64_C(10000000000) /* ns */

enum {
    WAITING_LEAST = 2560 * 1024, /* bytes that may wait for missing ones, however scarce memory is */
    HISTORIES_LEAST = 32,        /* the same, directions whose last bytes are kept */
    SHARES_EACH = 256,           /* packets after which shares are counted anew, though no memory was taken */
    FRAGMENTED_MOST = 4,         /* times that what came in fragments may carry fragments again */
    DOUBTS_MOST = 64,            /* segments in doubt at a time */
    MANY = 64                    /* connections that may not all be in a cache */
};
/* ns: longer than anybody waits before a segment is sent again, and a SYN that was answered */
#define SENT_AGAIN UINT64_C(150000000000)
#define SYN_AGAIN UINT64_C(1000000000)

/* ---- what the reassembler calls -------------------------------------------------------------------------------- */

/* `bytes` NULL: they are missing. */
static int hand_over(struct armtap_flow *flow, enum armtap_direction direction, const uint8_t *bytes, uint64_t length,
                     const struct armtap_where *where)
{
    const struct armtap_net *net = flow->taker;
    if (!net->sink.on_bytes)
        return 0;
    const struct armtap_bytes given = {.stream = armtap_conn_stream(flow->conn),
                                       .where = *where,
                                       .direction = direction,
                                       .port = flow->key.port[flow->robot_end],
                                       .offset = flow->taken[direction],
                                       .bytes = bytes,
                                       .length = length};
    flow->taken[direction] += length;
    return net->sink.on_bytes(net->user, &given) ? ARMTAP_ERR_STOPPED : 0;
}

/* An end by FIN, with what TCP knows of it, or of a RST. */
static int tell_close(struct armtap_flow *flow, struct armtap_event *told)
{
    for (int i = 0; i < 2; i++) {
        told->unacknowledged[i] = armtap_tcp_unacknowledged(&flow->tcp, (enum armtap_direction)i);
        told->unseen[i] = armtap_tcp_unseen(&flow->tcp, (enum armtap_direction)i);
        told->round_trip += armtap_sender_round_trip(&flow->tcp.side[i].sender);
    }
    return armtap_conn_arrival(flow->conn, told);
}

/* A side ended before any data came, which may be on its way: what the connection was, that shows. */
static bool is_before_data(const struct armtap_flow *flow, const struct armtap_event *told)
{
    const struct armtap_stream *stream = armtap_conn_stream(flow->conn);
    return told->a == ARMTAP_CLOSE_FIN && stream->payload[0] + stream->payload[1] == 0 &&
           !armtap_tcp_is_closed(&flow->tcp) && !flow->early.is_there;
}

static int tell_early(struct armtap_flow *flow)
{
    struct armtap_event told = {.where = flow->early.where,
                                .direction = flow->early.direction,
                                .type = ARMTAP_EVENT_CLOSE,
                                .a = ARMTAP_CLOSE_FIN,
                                .doubtful = flow->early.is_doubtful,
                                .answers = flow->early.answers};
    if (!flow->early.is_there)
        return 0;
    flow->early.is_there = false;
    return tell_close(flow, &told);
}

static int push(void *user, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                const struct armtap_where *where)
{
    struct armtap_flow *flow = user;
    TRY(armtap_conn_push(flow->conn, direction, bytes, length, where));
    if (flow->early.is_there && armtap_conn_stream(flow->conn)->protocol != ARMTAP_PROTOCOL_NONE)
        TRY(tell_early(flow));
    return flow->taker ? hand_over(flow, direction, bytes, length, where) : 0;
}

static int gap(void *user, enum armtap_direction direction, uint64_t length, enum armtap_missing_why why,
               const struct armtap_where *where)
{
    struct armtap_flow *flow = user;
    TRY(armtap_conn_miss(flow->conn, direction, length, why, where));
    return flow->taker ? hand_over(flow, direction, NULL, length, where) : 0;
}

static int close_direction(void *user, enum armtap_direction direction, const struct armtap_where *where)
{
    struct armtap_flow *flow = user;
    return armtap_conn_close(flow->conn, direction, where);
}

/* Packets that were made from a socket's bytes tell nothing about those on the network. */
static bool is_made(const struct armtap_flow *flow)
{
    return armtap_conn_stream(flow->conn)->origin == ARMTAP_ORIGIN_SOCKET;
}

static int event(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t a,
                 const struct armtap_where *where)
{
    struct armtap_flow *flow = user;
    if (is_made(flow) && type == ARMTAP_EVENT_KEEP_ALIVE)
        return 0;
    return armtap_conn_event(flow->conn, direction, type, a, where);
}

static int arrival(void *user, enum armtap_direction direction, enum armtap_event_type type, uint64_t bytes,
                   bool doubtful, const struct armtap_where *where)
{
    struct armtap_flow *flow = user;
    if (is_made(flow) && type != ARMTAP_EVENT_CLOSE)
        return 0;
    struct armtap_event told = {
        .where = *where, .direction = direction, .type = type, .a = bytes, .doubtful = doubtful};
    if (type == ARMTAP_EVENT_CLOSE && bytes == ARMTAP_CLOSE_RESET)
        told.reset = flow->tcp.reset.what;
    told.answers = type == ARMTAP_EVENT_CLOSE && bytes == ARMTAP_CLOSE_FIN && flow->tcp.is_answer;
    if (type == ARMTAP_EVENT_RETRANSMISSION)
        told.resent = flow->tcp.resent;
    if (type != ARMTAP_EVENT_CLOSE)
        return armtap_conn_arrival(flow->conn, &told);
    if (is_before_data(flow, &told)) {
        flow->early = (struct armtap_early_end){*where, direction, doubtful, told.answers, true};
        return 0;
    }
    TRY(tell_early(flow));
    return tell_close(flow, &told);
}

static int note(void *user, enum armtap_direction direction, enum armtap_note_code code,
                const struct armtap_where *where, const struct armtap_arguments *arguments)
{
    struct armtap_flow *flow = user;
    if (is_made(flow) && code == ARMTAP_NOTE_tcp_overlap_differs)
        return 0;
    return armtap_conn_note(flow->conn, direction, code, where, arguments);
}

static const struct armtap_tcp_calls calls = {push, gap, close_direction, event, arrival, note};

/* ---- set-up ---------------------------------------------------------------------------------------------------- */

static int copy_ports(struct armtap_net *net, const struct armtap_net_options *options)
{
    if (!options->port_count)
        return 0;
    net->ports = calloc(options->port_count, sizeof *net->ports);
    if (!net->ports)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < options->port_count; i++)
        memcpy(&net->ports[i], (const uint8_t *)options->ports + i * options->ports->size, sizeof *net->ports);
    net->port_count = options->port_count;
    return 0;
}

int armtap_net_new(const struct armtap_net_options *options, const struct armtap_sink *sink, void *user,
                   struct armtap_net **out)
{
    struct armtap_net_options all = {0};
    struct armtap_sink taken;
    if (!out)
        return ARMTAP_ERR_ARGUMENT;
    *out = NULL;
    if (options && !armtap_is_sized(options->size, sizeof all))
        return ARMTAP_ERR_SIZE;
    if (options)
        memcpy(&all, options, sizeof all);
    if (all.port_count > UINT16_MAX || (all.port_count && !all.ports))
        return ARMTAP_ERR_ARGUMENT;
    if (all.port_count && !armtap_is_sized(all.ports->size, sizeof *all.ports))
        return ARMTAP_ERR_SIZE;
    TRY(armtap_sink_take(&taken, sink));
    struct armtap_net *net = calloc(1, sizeof *net);
    if (!net)
        return ARMTAP_ERR_MEMORY;
    int error = copy_ports(net, &all);
    net->knowledge = all.knowledge;
    if (!error)
        error = net->knowledge ? armtap_knowledge_hold(net->knowledge) : armtap_knowledge_new(&net->knowledge);
    if (error) {
        free(net->ports);
        free(net);
        return error;
    }
    net->sink = taken;
    net->user = user;
    net->no_guess = all.no_guess;
    net->recipe = all.recipe ? armtap_recipe_hold(all.recipe) : NULL;
    armtap_pool_init(&net->pool, all.pool_bytes ? all.pool_bytes : ARMTAP_LIMIT_waiting);
    armtap_reserve_init(&net->reserve);
    net->reserve.layouts = &net->layouts;
    armtap_flow_table_init(&net->flows);
    *out = net;
    return 0;
}

static size_t doubt_bytes(const struct armtap_doubt *doubt)
{
    return sizeof *doubt + doubt->segment.length;
}

static void drop_doubt(struct armtap_net *net, struct armtap_flow *flow)
{
    if (flow->doubt) {
        net->doubts--;
        net->pool.used -= doubt_bytes(flow->doubt);
    }
    free(flow->doubt);
    flow->doubt = NULL;
}

static void forget_usual(struct armtap_net *net, struct armtap_flow *flow)
{
    for (size_t i = 0; i < ARMTAP_USUALS && flow->is_usual; i++)
        if (net->usual[i].flow == flow)
            net->usual[i].flow = NULL;
    flow->is_usual = false;
}

static void drop_flow(struct armtap_net *net, struct armtap_flow *flow)
{
    forget_usual(net, flow);
    armtap_digest_forget(flow);
    drop_doubt(net, flow);
    armtap_flow_attempt_give_up(&net->attempts, &flow->attempt);
    if (!flow->decoded)
        armtap_traffics_add(&net->traffics, &flow->traffic);
    armtap_tcp_clear(&flow->tcp);
    armtap_conn_free(flow->conn);
    armtap_flow_remove(&net->flows, flow);
}

static void destroy(struct armtap_net *net)
{
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        while (net->flows.class[i].oldest)
            drop_flow(net, net->flows.class[i].oldest);
    armtap_flow_table_free(&net->flows);
    armtap_fragments_clear(&net->fragments);
    armtap_layouts_clear(&net->layouts);
    armtap_state_free(net->reserve.brief);
    armtap_knowledge_free(net->knowledge);
    armtap_recipe_release(net->recipe);
    free(net->ports);
    free(net);
}

/* Calls no callback from now on. */
static void silence(struct armtap_net *net)
{
    net->sink = (struct armtap_sink){.size = sizeof net->sink};
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        for (struct armtap_flow *flow = net->flows.class[i].oldest; flow; flow = flow->newer)
            if (flow->conn)
                armtap_conn_silence(flow->conn);
}

/* A callback may free the net that invoked it, while the running call still needs it. */
void armtap_net_free(struct armtap_net *net)
{
    if (!net)
        return;
    if (!net->busy) {
        destroy(net);
        return;
    }
    net->freed = true;
    silence(net);
}

int armtap_net_enter(struct armtap_net *net)
{
    if (net->busy)
        return ARMTAP_ERR_BUSY;
    if (net->error)
        return net->error;
    net->busy = true;
    return 0;
}

int armtap_net_leave(struct armtap_net *net, int error)
{
    net->busy = false;
    net->error = error == ARMTAP_ERR_UNSUPPORTED ? 0 : error; /* that error concerns only one packet */
    if (!net->freed)
        return error;
    destroy(net);
    return ARMTAP_ERR_STOPPED;
}

/* ---- connections ----------------------------------------------------------------------------------------------- */

static int open_conn(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                     unsigned sender)
{
    char robot_name[64], client_name[64];
    struct armtap_conn_setup setup = {.connection = net->connections, .first = net->pool.now};
    bool has_syn = segment->flags & ARMTAP_TCP_SYN;
    setup.midstream = !has_syn;
    setup.rest = has_syn          ? ARMTAP_REST_NOT
                 : flow->given_up ? ARMTAP_REST_SURELY
                 : net->forgot    ? ARMTAP_REST_PERHAPS
                                  : ARMTAP_REST_NOT;
    flow->given_up = false;
    armtap_net_tell_roles(net, flow, segment, sender, &setup);
    armtap_net_find_taker(net, flow, has_syn, &setup);
    unsigned robot = flow->robot_end;
    armtap_address_text(&flow->key.address[robot], flow->key.port[robot], robot_name);
    armtap_address_text(&flow->key.address[!robot], flow->key.port[!robot], client_name);
    setup.robot_name = robot_name;
    setup.client_name = client_name;
    setup.knowledge = net->knowledge;
    setup.no_guess = net->no_guess;
    setup.reserve = &net->reserve;
    setup.pool_used = &net->pool.used;
    setup.pool_limit = net->pool.limit;
    TRY(armtap_knowledge_robot(net->knowledge, &flow->key.address[robot], &setup.robot));
    int error = armtap_conn_create(&setup, &net->sink, net->user, &flow->conn);
    armtap_robot_release(setup.robot);
    TRY(error);
    armtap_tcp_init(&flow->tcp, &net->pool, &calls, flow);
    net->connections++;
    if (net->recipe)
        TRY(armtap_conn_set_recipe(flow->conn, net->recipe));
    enum armtap_direction direction = sender == robot ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
    return armtap_conn_event(flow->conn, direction, ARMTAP_EVENT_OPEN, has_syn, &net->pool.now);
}

static bool is_decoded(const struct armtap_flow *flow)
{
    const struct armtap_stream *stream = armtap_conn_stream(flow->conn);
    return stream->bytes_decoded[0] || stream->bytes_decoded[1];
}

static bool has_records(const struct armtap_flow *flow)
{
    const struct armtap_stream *stream = armtap_conn_stream(flow->conn);
    return stream->records[0] || stream->records[1];
}

static void free_conn(struct armtap_flow *flow)
{
    flow->decoded = flow->decoded || is_decoded(flow);
    armtap_tcp_clear(&flow->tcp);
    armtap_conn_free(flow->conn);
    flow->conn = NULL;
    flow->early.is_there = false;
}

static int end_conn(struct armtap_flow *flow, enum armtap_direction direction, enum armtap_close reason)
{
    if (!flow->conn)
        return 0;
    int error = armtap_tcp_finish(&flow->tcp, direction, reason);
    free_conn(flow);
    return error;
}

/* ---- attempts to connect ----------------------------------------------------------------------------------------- */

/* No answer will come, or it can no longer be known. */
static int end_attempt(struct armtap_net *net, struct armtap_flow *flow)
{
    if (!armtap_flow_attempt_give_up(&net->attempts, &flow->attempt) || !flow->conn)
        return 0;
    return armtap_conn_event(flow->conn, ARMTAP_TO_ROBOT, ARMTAP_EVENT_NO_ANSWER, flow->attempt.syns,
                             &flow->attempt.first);
}

/* The capture ends. */
static int finish_attempt(struct armtap_net *net, struct armtap_flow *flow)
{
    bool waits = flow->attempt.state == ARMTAP_FLOW_ATTEMPT_WAITING;
    TRY(end_attempt(net, flow));
    if (!waits || !flow->conn || flow->attempt.state == ARMTAP_FLOW_ATTEMPT_UNANSWERED)
        return 0;
    return armtap_conn_event(flow->conn, ARMTAP_TO_ROBOT, ARMTAP_EVENT_TOO_SOON, flow->attempt.syns,
                             &flow->attempt.first);
}

static bool is_ask(const struct armtap_net *net, const struct armtap_segment *segment)
{
    unsigned flags = segment->flags & (ARMTAP_TCP_SYN | ARMTAP_TCP_ACK | ARMTAP_TCP_RST);
    return flags == ARMTAP_TCP_SYN &&
           (armtap_net_is_telemetry(net, segment->target_port) || armtap_traffic_is_robots(segment->target_port));
}

/* Reports what a segment says about the attempt to connect. */
static int follow_attempt(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                          unsigned sender)
{
    if (is_ask(net, segment) && flow->robot_end != sender) {
        unsigned before = flow->attempt.syns;
        struct armtap_where refused;
        armtap_flow_attempt_ask(&net->attempts, &flow->attempt, sender, segment);
        if (armtap_flow_attempt_was_refused(&net->attempts, &flow->attempt, &refused))
            return armtap_conn_event(flow->conn, ARMTAP_FROM_ROBOT, ARMTAP_EVENT_REFUSED, flow->attempt.syns, &refused);
        if (flow->attempt.state != ARMTAP_FLOW_ATTEMPT_UNANSWERED || flow->attempt.syns == before)
            return 0;
        return armtap_conn_event(flow->conn, ARMTAP_TO_ROBOT, ARMTAP_EVENT_SYN_AGAIN, flow->attempt.syns,
                                 &net->pool.now);
    }
    if (sender == flow->robot_end)
        armtap_flow_attempt_hear_early(&net->attempts, &flow->attempt, segment);
    switch (armtap_flow_attempt_hear(&net->attempts, &flow->attempt, sender, segment)) {
    case ARMTAP_FLOW_ATTEMPT_CONNECTED:
        if (sender == flow->robot_end && armtap_net_is_telemetry(net, segment->source_port))
            armtap_conn_accept(flow->conn, &net->pool.now);
        return armtap_conn_event(flow->conn, armtap_net_direction(flow, sender), ARMTAP_EVENT_CONNECTED,
                                 flow->attempt.syns, &net->pool.now);
    case ARMTAP_FLOW_ATTEMPT_REFUSED:
        return armtap_conn_event(flow->conn, ARMTAP_FROM_ROBOT, ARMTAP_EVENT_REFUSED, flow->attempt.syns,
                                 &net->pool.now);
    default:
        return 0;
    }
}

/* An ICMP error answers a SYN in the robot's place. */
static int take_unreachable(struct armtap_net *net, const struct armtap_segment *segment)
{
    struct armtap_flow_key key;
    unsigned sender = armtap_flow_key_of(segment, &key);
    struct armtap_flow *flow = armtap_flow_find(&net->flows, &key);
    if (!flow || !flow->conn || !armtap_flow_attempt_unreachable(&net->attempts, &flow->attempt, sender, segment))
        return 0;
    struct armtap_unreachable unreachable = {
        .type = segment->icmp_type,
        .code = segment->icmp_code,
        .reason = armtap_unreachable_reason(segment->source.version, segment->icmp_code)};
    armtap_net_host_text(&segment->reporter, unreachable.reporter);
    return armtap_conn_unreachable(flow->conn, flow->attempt.syns, &unreachable, &net->pool.now);
}

/* Telemetry came. */
static int prove(struct armtap_net *net, const struct armtap_flow *flow)
{
    const struct armtap_address *address = &flow->key.address[flow->robot_end];
    return armtap_knowledge_prove(net->knowledge, address, armtap_conn_robot(flow->conn))
               ? 0
               : armtap_conn_tell_unshared(flow->conn, ARMTAP_BUDGET_robots, &net->pool.now);
}

/* The connection may have ended, or shown what it is. */
static int classify(struct armtap_net *net, struct armtap_flow *flow)
{
    enum armtap_flow_class class = flow->class;
    int error = 0;
    if (flow->conn && armtap_tcp_is_closed(&flow->tcp))
        free_conn(flow);
    if (flow->conn && armtap_conn_is_foreign(flow->conn) && !flow->taker)
        armtap_tcp_ignore(&flow->tcp);
    if (!flow->conn || flow->tcp.ignored) {
        class = ARMTAP_FLOW_IDLE;
    } else if (class == ARMTAP_FLOW_NEW) {
        if (is_decoded(flow)) {
            class = ARMTAP_FLOW_LIVE;
            error = prove(net, flow);
        }
        class = has_records(flow) ? ARMTAP_FLOW_SENDING : class;
    } else if (class == ARMTAP_FLOW_LIVE) {
        class = has_records(flow) ? ARMTAP_FLOW_SENDING : class;
    } else if (class == ARMTAP_FLOW_IDLE) {
        class = ARMTAP_FLOW_NEW;
    }
    armtap_flow_enter(&net->flows, flow, class);
    return error;
}

int armtap_net_end_overdue(struct armtap_net *net)
{
    struct armtap_flow_attempt *attempt;
    struct armtap_tcp *tcp;
    while ((attempt = armtap_flow_attempts_overdue(&net->attempts)))
        TRY(end_attempt(net, armtap_flow_of(attempt)));
    while ((tcp = armtap_tcp_overdue(&net->pool))) {
        TRY(armtap_tcp_finish(tcp, ARMTAP_FROM_ROBOT, ARMTAP_CLOSE_RESET));
        TRY(classify(net, tcp->user));
    }
    return 0;
}

static void note_beginning(const struct armtap_net *net, const struct armtap_flow *flow,
                           const struct armtap_segment *segment)
{
    if (!net->is_copy)
        armtap_conn_note_beginning(flow->conn, segment->seq, segment->payload, segment->length, &net->pool.now);
}

static int feed(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment, unsigned sender)
{
    flow->traffic.packets++;
    flow->traffic.bytes += segment->length + segment->cut;
    if (flow->conn) {
        armtap_conn_origin(flow->conn, net->origin);
        flow->tcp.is_made = is_made(flow);
        armtap_conn_touch(flow->conn, armtap_net_direction(flow, sender), segment->length + segment->cut,
                          &net->pool.now);
        note_beginning(net, flow, segment);
        TRY(follow_attempt(net, flow, segment, sender));
        TRY(armtap_tcp_segment(&flow->tcp, armtap_net_direction(flow, sender), segment));
    } else {
        armtap_tcp_after_end(&flow->tcp, armtap_net_direction(flow, sender), segment);
    }
    return classify(net, flow);
}

static int replace_conn(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                        unsigned sender)
{
    TRY(end_attempt(net, flow));
    TRY(end_conn(flow, armtap_net_direction(flow, sender), ARMTAP_CLOSE_REPLACED));
    armtap_flow_enter(&net->flows, flow, ARMTAP_FLOW_NEW);
    return open_conn(net, flow, segment, sender);
}

/* ---- doubt: is a jump another connection, or one damaged packet? ----------------------------------------------- */

static int keep_doubt(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                      unsigned sender)
{
    flow->doubt = malloc(sizeof *flow->doubt + segment->length);
    if (!flow->doubt)
        return ARMTAP_ERR_MEMORY;
    net->doubts++;
    flow->doubt->where = net->pool.now;
    flow->doubt->sender = sender;
    flow->doubt->segment = *segment;
    if (segment->length)
        memcpy(flow->doubt->bytes, segment->payload, segment->length);
    flow->doubt->segment.payload = flow->doubt->bytes;
    net->pool.used += doubt_bytes(flow->doubt);
    return 0;
}

/* The connection continued as if that segment had not existed. */
static int reject_doubt(struct armtap_net *net, struct armtap_flow *flow)
{
    struct armtap_where now = net->pool.now;
    net->pool.now = flow->doubt->where;
    int error =
        armtap_net_note(net, ARMTAP_NOTE_ip_bad_header, &flow->doubt->segment, ARGS(arg_case(ARMTAP_WORD_sequence)));
    net->pool.now = now;
    drop_doubt(net, flow);
    return error;
}

/* It was the first of another connection. */
static int confirm_doubt(struct armtap_net *net, struct armtap_flow *flow)
{
    struct armtap_where now = net->pool.now;
    struct armtap_doubt *doubt = flow->doubt;
    flow->doubt = NULL;
    net->doubts--;
    net->pool.used -= doubt_bytes(doubt);
    net->pool.now = doubt->where;
    int error = replace_conn(net, flow, &doubt->segment, doubt->sender);
    if (!error)
        error = feed(net, flow, &doubt->segment, doubt->sender);
    net->pool.now = now;
    free(doubt);
    return error;
}

/* The segment after a doubtful one decides. In the same direction it belongs to one of the two connections; a jump in
 * the other direction too is no accident. */
static int settle_doubt(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                        unsigned sender)
{
    const struct armtap_doubt *doubt = flow->doubt;
    bool jumps = armtap_tcp_is_other(&flow->tcp, armtap_net_direction(flow, sender), segment);
    if (segment->flags & ARMTAP_TCP_SYN)
        return jumps ? reject_doubt(net, flow) : 0;
    if (segment->length + segment->cut == 0 || (sender != doubt->sender && !jumps))
        return 0;
    if (jumps && (sender != doubt->sender || armtap_tcp_is_near(segment->seq, doubt->segment.seq)))
        return confirm_doubt(net, flow);
    return reject_doubt(net, flow);
}

static bool is_doubtful(const struct armtap_net *net, const struct armtap_flow *flow,
                        const struct armtap_segment *segment)
{
    return flow->class >= ARMTAP_FLOW_LIVE && !(segment->flags & ARMTAP_TCP_SYN) && net->doubts < DOUBTS_MOST &&
           armtap_pool_has_room(&net->pool, segment->length);
}

/* ---- segments -------------------------------------------------------------------------------------------------- */

/* It stays known, so that its rest is not mistaken for the beginning of a connection. */
static int give_up(struct armtap_net *net, struct armtap_flow *flow, enum armtap_budget_code limit)
{
    bool may_go_on = flow->given_up || (flow->conn && !flow->tcp.ignored);
    net->forgot = net->forgot || (flow->class < ARMTAP_FLOW_LIVE && may_go_on);
    TRY(flow->doubt ? confirm_doubt(net, flow) : 0);
    TRY(end_attempt(net, flow));
    if (flow->conn) {
        flow->given_up = is_decoded(flow);
        TRY(armtap_conn_give_up(flow->conn, limit, &net->pool.now));
    }
    TRY(end_conn(flow, ARMTAP_FROM_ROBOT, ARMTAP_CLOSE_REPLACED));
    armtap_flow_enter(&net->flows, flow, ARMTAP_FLOW_IDLE);
    return 0;
}

/* What connections need that were silent for long is in no cache. It is fetched in three steps, each of which finds its
 * way by what the one before fetched. */
static void fetch(const struct armtap_flow *next)
{
    const struct armtap_flow *second = next ? next->newer : NULL, *third = second ? second->newer : NULL;
    if (!third || !next->conn || !second->conn)
        return;
    armtap_conn_prefetch_context(next->conn);
    armtap_conn_prefetch(second->conn);
    armtap_flow_prefetch(third);
}

/* Because of that limit. The next one will be needed soon. */
static int shed(struct armtap_net *net, struct armtap_flow *flow, enum armtap_budget_code limit)
{
    fetch(flow->newer);
    bool keeps = flow->class >= ARMTAP_FLOW_LIVE;
    int error = net->digest ? armtap_digest_flush(net->digest, flow) : 0;
    if (!error)
        error = give_up(net, flow, limit);
    if (!keeps || error)
        drop_flow(net, flow);
    return error;
}

/* Bytes of memory in use. */
static size_t kept(const struct armtap_net *net)
{
    return armtap_flow_bytes(&net->flows) + net->fragments.bytes + net->reserve.taken + net->pool.used +
           net->layouts.text_bytes + net->pool.histories * sizeof(struct armtap_history) +
           armtap_knowledge_bytes(net->knowledge);
}

/* What that may be. */
static size_t allowed(const struct armtap_net *net)
{
    return ARMTAP_LIMIT_memory + net->reserve.shares;
}

/* Keeps few histories from now on: drops those of the connections silent longest. */
static void drop_histories(struct armtap_net *net)
{
    net->pool.histories_most = HISTORIES_LEAST;
    for (int i = ARMTAP_FLOW_NEW; i < ARMTAP_FLOW_CLASSES; i++)
        for (struct armtap_flow *flow = net->flows.class[i].oldest; flow; flow = flow->newer)
            armtap_tcp_drop_histories(&flow->tcp, HISTORIES_LEAST);
}

/* Keeps all histories again if they would leave half of the free memory. */
static void restore_histories(struct armtap_net *net)
{
    size_t all = ARMTAP_LIMIT_histories * sizeof(struct armtap_history);
    if (net->pool.histories_most < ARMTAP_LIMIT_histories && net->kept + 2 * all < allowed(net))
        net->pool.histories_most = ARMTAP_LIMIT_histories;
}

static bool is_silent(const struct armtap_net *net, const struct armtap_flow *flow)
{
    int64_t last = flow->conn ? armtap_conn_stream(flow->conn)->last.time : ARMTAP_NO_TIME, now = net->pool.now.time;
    return last != ARMTAP_NO_TIME && now != ARMTAP_NO_TIME && last < now && (uint64_t)now - (uint64_t)last > LATELY;
}

/* Counts those that sent lately: the others live on what is left of the rest, or make place. */
static void count_shares(struct armtap_net *net)
{
    const struct armtap_flow *flow;
    while ((flow = net->flows.awake) && is_silent(net, flow))
        armtap_flow_doze(&net->flows);
    net->reserve.shares = net->flows.awake_count * ARMTAP_LIMIT_share;
}

/* Gives up what is least needed; *done says whether there was anything. */
static int give_way(struct armtap_net *net, bool *done)
{
    *done = net->pool.histories > HISTORIES_LEAST;
    if (*done)
        drop_histories(net);
    else if (net->pool.used > WAITING_LEAST)
        TRY(armtap_tcp_relieve(&net->pool, done));
    if (!*done)
        *done = armtap_knowledge_shrink(net->knowledge);
    if (*done)
        return 0;
    struct armtap_flow *flow = armtap_flow_surplus(&net->flows, true);
    *done = flow != NULL;
    return flow ? shed(net, flow, ARMTAP_BUDGET_memory) : 0;
}

/* After a packet there may be too many connections, or too little memory. */
static int make_place(struct armtap_net *net)
{
    struct armtap_flow *flow;
    while ((flow = armtap_flow_surplus(&net->flows, false)))
        TRY(shed(net, flow, ARMTAP_BUDGET_connections));
    count_shares(net);
    bool done = true;
    while ((net->kept = kept(net)) > allowed(net) && done) {
        TRY(give_way(net, &done));
        count_shares(net);
    }
    restore_histories(net);
    return 0;
}

/* Whether a connection's next bytes, or acknowledgement, may take the short way: take_next() then does what the plain
 * way would; only shares are counted anew at each SHARES_EACH-th packet. */
static bool may_be_next(const struct armtap_net *net, const struct armtap_flow *flow)
{
    enum armtap_flow_attempt_state attempt = flow->attempt.state;
    return flow->class != ARMTAP_FLOW_IDLE && flow->conn && !flow->doubt && !net->digest && !net->pool.waiting &&
           net->origin == ARMTAP_ORIGIN_NETWORK &&
           (attempt == ARMTAP_FLOW_ATTEMPT_NONE || attempt == ARMTAP_FLOW_ATTEMPT_CONNECTED);
}

static int take_next(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_segment *segment,
                     unsigned sender)
{
    enum armtap_direction direction = armtap_net_direction(flow, sender);
    const enum armtap_flow_class was = flow->class;
    flow->traffic.packets++;
    flow->traffic.bytes += segment->length;
    armtap_conn_touch(flow->conn, direction, segment->length, &net->pool.now);
    note_beginning(net, flow, segment);
    TRY(armtap_tcp_next(&flow->tcp, direction, segment));
    if (was != ARMTAP_FLOW_SENDING)
        TRY(classify(net, flow));
    else if (!armtap_flow_is_newest(flow, ARMTAP_FLOW_SENDING))
        armtap_flow_enter(&net->flows, flow, ARMTAP_FLOW_SENDING);
    bool is_unchanged = flow->class == was && net->pool.packets % SHARES_EACH != 0 && kept(net) == net->kept;
    return is_unchanged ? 0 : make_place(net);
}

/* Whether `one` is later than `other` by more than that, ns. */
static bool is_later(int64_t one, int64_t other, uint64_t by)
{
    return one != ARMTAP_NO_TIME && other != ARMTAP_NO_TIME && one > other && (uint64_t)one - (uint64_t)other > by;
}

/* Whether another file repeats numbers of the connection at a time at which nobody sends again: those of an emulated
 * robot, which begin alike each day. A copy of an earlier file is of the same time. */
static bool is_of_another_time(const struct armtap_net *net, const struct armtap_flow *flow,
                               const struct armtap_segment *segment, unsigned sender)
{
    const struct armtap_stream *stream = armtap_conn_stream(flow->conn);
    const struct armtap_where *now = &net->pool.now;
    if (!stream || stream->last.file == now->file ||
        !armtap_tcp_is_repeat(&flow->tcp, armtap_net_direction(flow, sender), segment))
        return false;
    uint64_t late = segment->flags & ARMTAP_TCP_SYN ? SYN_AGAIN : SENT_AGAIN;
    return is_later(now->time, stream->last.time, late) || is_later(stream->first.time, now->time, SENT_AGAIN);
}

/* `flow` is NULL if there is none of that key. */
static int take_segment(struct armtap_net *net, struct armtap_flow *flow, const struct armtap_flow_key *key,
                        const struct armtap_segment *segment, unsigned sender)
{
    if (!flow) {
        flow = armtap_flow_add(&net->flows, key);
        if (!flow)
            return ARMTAP_ERR_MEMORY;
        armtap_net_begin_traffic(net, flow, segment, sender);
        TRY(open_conn(net, flow, segment, sender));
        return feed(net, flow, segment, sender);
    }
    if (flow->doubt)
        TRY(settle_doubt(net, flow, segment, sender));
    bool resumes = flow->given_up && !flow->conn && segment->length > 0 && !(segment->flags & ARMTAP_TCP_SYN);
    if (resumes || is_of_another_time(net, flow, segment, sender)) {
        TRY(replace_conn(net, flow, segment, sender));
    } else if (armtap_tcp_is_other(&flow->tcp, armtap_net_direction(flow, sender), segment)) {
        if (is_doubtful(net, flow, segment))
            return keep_doubt(net, flow, segment, sender);
        TRY(replace_conn(net, flow, segment, sender));
    }
    return feed(net, flow, segment, sender);
}

/* ---- packets --------------------------------------------------------------------------------------------------- */

/* The place of a packet's sender among the usual ones; NULL if the packet is too short. */
static struct armtap_usual *usual_of(struct armtap_net *net, const struct armtap_packet *packet)
{
    uint32_t ports;
    if (packet->captured < net->ports_at + sizeof ports)
        return NULL;
    memcpy(&ports, packet->data + net->ports_at, sizeof ports);
    /* The two directions of a connection have neighbouring places, never the same. */
    const uint32_t both = (ports ^ ports >> 16) & 0xFFFF;
    return &net->usual[(both * UINT32_C(0x9E3779B1) >> 27) * 2 + (ports >> 16 > (ports & 0xFFFF))];
}

/* Learns the headers of a sender whose packet went the plain way, if the one before it in this place was its, too. */
static void learn_usual(struct armtap_net *net, struct armtap_flow *flow, unsigned sender,
                        const struct armtap_packet *packet, const struct armtap_segment *segment)
{
    net->ports_at = (size_t)(segment->tcp - packet->data);
    struct armtap_usual *usual = usual_of(net, packet);
    if (!usual || flow->class != ARMTAP_FLOW_SENDING)
        return;
    if (usual->flow == flow && usual->sender == sender) {
        armtap_header_pattern_learn(&usual->pattern, packet, segment);
        return;
    }
    flow->is_usual = true;
    usual->flow = flow;
    usual->sender = sender;
    usual->pattern.length = 0;
}

/* Where many connections take turns, the one that was silent longest probably comes next. */
static void foresee(const struct armtap_net *net)
{
    if (net->flows.take_turns && net->flows.class[ARMTAP_FLOW_SENDING].count >= MANY)
        fetch(net->flows.class[ARMTAP_FLOW_SENDING].oldest);
}

/* Whether its headers alone tell that a packet brings only a connection's next bytes, or an acknowledgement. */
static bool is_next(const struct armtap_net *net, struct armtap_usual *usual, const struct armtap_packet *packet)
{
    const struct armtap_flow *flow = usual ? usual->flow : NULL;
    return flow && may_be_next(net, flow) && armtap_header_pattern_read(&usual->pattern, packet) &&
           armtap_tcp_is_next(&flow->tcp, armtap_net_direction(flow, usual->sender), &usual->pattern.segment);
}

/* What follows each packet. */
static int end_packet(struct armtap_net *net, const struct armtap_packet *packet, const struct armtap_segment *segment)
{
    TRY(armtap_net_digest_after(net, packet, segment));
    return make_place(net);
}

static int take_tcp(struct armtap_net *net, const struct armtap_packet *packet, const struct armtap_segment *segment)
{
    struct armtap_flow_key key;
    unsigned sender = armtap_flow_key_of(segment, &key);
    struct armtap_flow *flow = armtap_flow_find(&net->flows, &key);
    bool has_more = packet->captured > packet->length;
    if (flow && !has_more && may_be_next(net, flow) &&
        armtap_tcp_is_next(&flow->tcp, armtap_net_direction(flow, sender), segment)) {
        learn_usual(net, flow, sender, packet, segment);
        return take_next(net, flow, segment, sender);
    }
    armtap_net_digest_before(net, segment);
    TRY(take_segment(net, flow, &key, segment, sender));
    if (segment->flags & (ARMTAP_TCP_SYN | ARMTAP_TCP_RST) && armtap_ttl_hops(segment->ttl) == 0)
        TRY(armtap_hosts_claim(net, segment));
    if (has_more)
        TRY(armtap_net_note(net, ARMTAP_NOTE_ip_bad_header, segment, ARGS(arg_case(ARMTAP_WORD_surplus))));
    TRY(end_packet(net, packet, segment));
    flow = armtap_flow_find(&net->flows, &key); /* another one, or none, since */
    if (flow)
        learn_usual(net, flow, sender, packet, segment);
    return armtap_tcp_sweep(&net->pool);
}

static int take_other(struct armtap_net *net, const struct armtap_packet *packet, enum armtap_link_result result,
                      const struct armtap_segment *segment, const char *fault)
{
    bool is_unreachable = result == ARMTAP_LINK_UNREACHABLE;
    armtap_net_digest_before(net, NULL);
    if (result == ARMTAP_LINK_ARP)
        TRY(armtap_hosts_claim(net, segment));
    else
        TRY(is_unreachable ? take_unreachable(net, segment) : armtap_net_note_unread(net, result, segment, fault));
    TRY(end_packet(net, packet, is_unreachable ? segment : NULL));
    return armtap_tcp_sweep(&net->pool);
}

/* ---- fragments --------------------------------------------------------------------------------------------------- */

static int give_up_fragments(struct armtap_net *net, enum armtap_fragments_why why)
{
    struct armtap_unfinished_datagram unfinished;
    while (armtap_fragments_give_up(&net->fragments, why, net->pool.now.time, &unfinished))
        TRY(armtap_net_note_unfinished(net, &unfinished));
    return 0;
}

static int take_one(struct armtap_net *net, const struct armtap_packet *packet, unsigned fragmented);

static int take_fragment(struct armtap_net *net, const struct armtap_segment *segment, unsigned fragmented)
{
    enum armtap_fragment_outcome outcome;
    struct armtap_packet whole = {.size = sizeof whole};
    if (fragmented == FRAGMENTED_MOST)
        return armtap_net_note(net, ARMTAP_NOTE_input_hostile, segment, ARGS(arg_case(ARMTAP_WORD_fragments_nested)));
    TRY(give_up_fragments(net, ARMTAP_FRAGMENTS_OVERDUE));
    TRY(armtap_fragments_take(&net->fragments, segment, &net->pool.now, &whole, &outcome));
    TRY(armtap_net_note_refused(net, outcome, segment));
    if (outcome == ARMTAP_FRAGMENT_WHOLE)
        TRY(take_one(net, &whole, fragmented + 1)); /* a digest keeps it rather than its fragments */
    TRY(give_up_fragments(net, ARMTAP_FRAGMENTS_SURPLUS));
    TRY(make_place(net));
    return armtap_tcp_sweep(&net->pool);
}

/* The plain way. `fragmented`: how often what carries it came in fragments. */
static int take_one(struct armtap_net *net, const struct armtap_packet *packet, unsigned fragmented)
{
    struct armtap_segment segment;
    const char *fault = "";
    enum armtap_link_result result = armtap_link_parse(packet, &segment, &fault);
    switch (result) {
    case ARMTAP_LINK_TCP:
        return take_tcp(net, packet, &segment);
    case ARMTAP_LINK_FRAGMENT:
        return take_fragment(net, &segment, fragmented);
    case ARMTAP_LINK_UNKNOWN:
        return ARMTAP_ERR_UNSUPPORTED;
    default:
        return take_other(net, packet, result, &segment, fault);
    }
}

ARMTAP_RARE static int take_any(struct armtap_net *net, const struct armtap_packet *packet)
{
    return take_one(net, packet, 0);
}

static int take_packet(struct armtap_net *net, const struct armtap_packet *packet)
{
    net->pool.now = packet->where;
    net->pool.now.size = sizeof net->pool.now;
    net->pool.packets++;
    armtap_flow_attempts_tick(&net->attempts, &net->pool.now);
    if (net->attempts.oldest || net->pool.oldest_reset)
        TRY(armtap_net_end_overdue(net));
    foresee(net);
    struct armtap_usual *usual = usual_of(net, packet);
    if (is_next(net, usual, packet))
        return take_next(net, usual->flow, &usual->pattern.segment, usual->sender);
    return take_any(net, packet);
}

int armtap_net_packet(struct armtap_net *net, const struct armtap_packet *packet)
{
    if (!net || !packet)
        return ARMTAP_ERR_ARGUMENT;
    if (!armtap_is_sized(packet->size, sizeof *packet))
        return ARMTAP_ERR_SIZE;
    if (packet->captured && !packet->data)
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_net_enter(net);
    return error ? error : armtap_net_leave(net, take_packet(net, packet));
}

int armtap_net_origin(struct armtap_net *net, enum armtap_origin origin)
{
    if (!net || (origin != ARMTAP_ORIGIN_NETWORK && origin != ARMTAP_ORIGIN_SOCKET))
        return ARMTAP_ERR_ARGUMENT;
    if (net->busy)
        return ARMTAP_ERR_BUSY;
    net->origin = origin;
    return ARMTAP_OK;
}

int armtap_net_copies(struct armtap_net *net, bool are_copies)
{
    if (!net)
        return ARMTAP_ERR_ARGUMENT;
    if (net->busy)
        return ARMTAP_ERR_BUSY;
    net->is_copy = are_copies;
    return ARMTAP_OK;
}

int armtap_net_brief(struct armtap_net *net)
{
    if (!net)
        return ARMTAP_ERR_ARGUMENT;
    if (net->busy || net->connections > 0)
        return ARMTAP_ERR_BUSY;
    net->reserve.is_brief = true;
    return ARMTAP_OK;
}

/* ---- the end of the capture ------------------------------------------------------------------------------------- */

static int compare_connections(const void *a, const void *b)
{
    const struct armtap_flow *const *x = a, *const *y = b;
    uint64_t m = armtap_conn_stream((*x)->conn)->connection, n = armtap_conn_stream((*y)->conn)->connection;
    return (m > n) - (m < n);
}

/* In the order of their numbers. */
static size_t list_open(const struct armtap_net *net, struct armtap_flow **open)
{
    size_t count = 0;
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        for (struct armtap_flow *flow = net->flows.class[i].oldest; flow; flow = flow->newer)
            if (flow->conn)
                open[count++] = flow;
    qsort(open, count, sizeof *open, compare_connections);
    return count;
}

static int finish(struct armtap_net *net)
{
    TRY(give_up_fragments(net, ARMTAP_FRAGMENTS_ALL));
    if (!net->flows.count)
        return 0;
    TRY(armtap_hosts_finish(net));
    struct armtap_flow **open = malloc(net->flows.count * sizeof *open);
    if (!open)
        return ARMTAP_ERR_MEMORY;
    size_t count = list_open(net, open);
    int error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = open[i]->doubt ? confirm_doubt(net, open[i]) : 0;
    count = list_open(net, open);
    for (size_t i = 0; i < count && !error; i++) {
        error = finish_attempt(net, open[i]);
        if (!error)
            error = end_conn(open[i], ARMTAP_FROM_ROBOT, ARMTAP_CLOSE_END_OF_CAPTURE);
        armtap_flow_enter(&net->flows, open[i], ARMTAP_FLOW_IDLE);
    }
    free(open);
    return error ? error : armtap_net_tell_traffic(net);
}

int armtap_net_finish(struct armtap_net *net)
{
    if (!net)
        return ARMTAP_ERR_ARGUMENT;
    int error = armtap_net_enter(net);
    return error ? error : armtap_net_leave(net, finish(net));
}
