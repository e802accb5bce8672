/* A connection: how it begins and ends, and what enters it. */
#include "connection.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/port.h"
#include "bytes.h"
#include "speed.h"
#include "table/recipe.h"
#include "try.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)
#define CONTEXT_WARM 256 /* bytes of a decoder's context that most messages need */

static const struct armtap_where nowhere = {.size = sizeof nowhere, .time = ARMTAP_NO_TIME};

/* ---- making ---- */

static void copy_name(char *to, size_t room, const char *from)
{
    if (from)
        strncpy(to, from, room - 1);
}

int armtap_sink_take(struct armtap_sink *to, const struct armtap_sink *from)
{
    const size_t first = offsetof(struct armtap_sink, on_record), each = sizeof from->on_record;
    *to = (struct armtap_sink){.size = sizeof *to};
    if (!from)
        return ARMTAP_OK;
    if (!armtap_is_sized(from->size, first + each) || (from->size - first) % each != 0)
        return ARMTAP_ERR_SIZE;
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    to->size = sizeof *to;
    return ARMTAP_OK;
}

/* A connection without a capture, and what it would share with the others of one. */
struct alone {
    struct armtap_conn conn; /* the first member */
    struct armtap_sink sink;
    struct armtap_reserve reserve;
};

static struct armtap_conn *alone_new(const struct armtap_sink *sink)
{
    struct alone *alone = calloc(1, sizeof *alone);
    if (!alone)
        return NULL;
    alone->sink = *sink;
    armtap_reserve_init(&alone->reserve);
    alone->conn.sink = &alone->sink;
    alone->conn.reserve = &alone->reserve;
    return &alone->conn;
}

static struct armtap_conn *one_of_capture(struct armtap_reserve *reserve, const struct armtap_sink *sink)
{
    struct armtap_conn *conn = calloc(1, sizeof *conn);
    if (!conn)
        return NULL;
    conn->sink = sink;
    conn->reserve = reserve;
    return conn;
}

int armtap_conn_create(const struct armtap_conn_setup *setup, const struct armtap_sink *sink, void *user,
                       struct armtap_conn **out)
{
    struct armtap_conn *conn = setup->reserve ? one_of_capture(setup->reserve, sink) : alone_new(sink);
    *out = conn;
    if (!conn)
        return ARMTAP_ERR_MEMORY;
    conn->user = user;
    conn->hint = setup->protocol;
    conn->forced = setup->forced;
    conn->is_alone = !setup->reserve;
    conn->port = setup->port;
    conn->pool_used = setup->pool_used;
    conn->pool_limit = setup->pool_limit;
    conn->knowledge = setup->knowledge;
    conn->no_guess = setup->no_guess;
    armtap_conn_take(conn, sizeof *conn + (setup->robot ? 0 : sizeof *conn->robot));
    conn->roles_guessed = setup->roles_guessed;
    conn->rest = setup->rest;
    conn->stream.forgotten = setup->rest == ARMTAP_REST_PERHAPS;
    conn->stream.connection = setup->connection;
    conn->stream.midstream = setup->midstream;
    conn->stream.first = conn->stream.last = setup->first;
    copy_name(conn->stream.robot, sizeof conn->stream.robot, setup->robot_name);
    copy_name(conn->stream.client, sizeof conn->stream.client, setup->client_name);
    conn->half[0].want = conn->half[1].want = 1;
    conn->half[0].read.time = conn->half[1].read.time = ARMTAP_NO_TIME;
    conn->robot = setup->robot ? armtap_robot_hold(setup->robot) : armtap_robot_new();
    if (!conn->robot) {
        conn->reserve->taken -= conn->taken;
        free(conn);
        *out = NULL;
        return ARMTAP_ERR_MEMORY;
    }
    return ARMTAP_OK;
}

uint16_t armtap_conn_port_of(const char *name)
{
    const char *colon = name ? strrchr(name, ':') : NULL;
    unsigned port = 0;
    for (const char *at = colon ? colon + 1 : ""; *at; at++) {
        if (*at < '0' || *at > '9' || (port = 10 * port + (unsigned)(*at - '0')) > UINT16_MAX)
            return 0;
    }
    return (uint16_t)port;
}

/* Whether the client listens, and the robot connects. */
static bool is_reversed(enum armtap_protocol protocol)
{
    const struct armtap_decoder *decoder = armtap_decoder_for(protocol);
    return decoder && (decoder->info.traits & ARMTAP_TRAIT_ROBOT_CONNECTS);
}

/* Takes from the addresses which end listens, and what its port is known to carry. */
static void take_port(const struct armtap_conn_options *options, struct armtap_conn_setup *setup)
{
    uint16_t robot = armtap_conn_port_of(options->robot), client = armtap_conn_port_of(options->client);
    enum armtap_protocol known = armtap_port_protocol(robot), of_client = armtap_port_protocol(client);
    if (!setup->forced)
        setup->protocol = known == ARMTAP_PROTOCOL_NONE && is_reversed(of_client) ? of_client : known;
    setup->port = is_reversed(setup->protocol) ? client : robot;
}

int armtap_conn_new(const struct armtap_conn_options *options, const struct armtap_sink *sink, void *user,
                    struct armtap_conn **conn)
{
    struct armtap_conn_options all = {0};
    struct armtap_sink taken;
    if (!conn)
        return ARMTAP_ERR_ARGUMENT;
    *conn = NULL;
    if (options && !armtap_is_sized(options->size, sizeof all))
        return ARMTAP_ERR_SIZE;
    if (options)
        memcpy(&all, options, sizeof all);
    TRY(armtap_sink_take(&taken, sink));
    if (all.protocol != ARMTAP_PROTOCOL_NONE && !armtap_decoder_for(all.protocol))
        return ARMTAP_ERR_UNSUPPORTED;
    struct armtap_conn_setup setup = {
        .protocol = all.protocol,
        .forced = all.protocol != ARMTAP_PROTOCOL_NONE,
        .midstream = all.midstream,
        .no_guess = all.no_guess,
        .roles_guessed = true,
        .robot_name = all.robot,
        .client_name = all.client,
        .connection = all.connection,
        .first = nowhere,
    };
    take_port(&all, &setup);
    return armtap_conn_create(&setup, &taken, user, conn);
}

static void destroy(struct armtap_conn *conn)
{
    for (int i = 0; i < 2; i++) {
        armtap_buffer_free(conn, &conn->half[i]);
        free(conn->half[i].bad_cells);
        free(conn->half[i].holes);
        for (size_t k = 0; k < ARMTAP_ARMS_MAX; k++)
            armtap_state_free(conn->half[i].state[k]);
    }
    if (conn->context && conn->decoder->close)
        conn->decoder->close(conn->context);
    armtap_spoken_free(conn);
    armtap_conn_claim(conn, 0);
    conn->reserve->held -= conn->state_bytes;
    conn->reserve->taken -= conn->taken;
    free(conn->context);
    armtap_mailbox_free(conn->mailbox);
    armtap_recipe_release(conn->given_recipe);
    armtap_guess_drop_sample(&conn->guess);
    armtap_robot_release(conn->robot);
    free(conn);
}

void armtap_conn_silence(struct armtap_conn *conn)
{
    static const struct armtap_sink silent = {.size = sizeof silent};
    conn->sink = &silent;
}

/* A callback may free the connection that invoked it, while the running call still needs it. */
void armtap_conn_free(struct armtap_conn *conn)
{
    if (!conn)
        return;
    if (!conn->busy) {
        destroy(conn);
        return;
    }
    conn->freed = true;
    armtap_conn_silence(conn);
}

/* Starts a call that may invoke callbacks: refused while another runs, and after an error. */
static int enter(struct armtap_conn *conn)
{
    if (conn->busy)
        return ARMTAP_ERR_BUSY;
    if (conn->error != ARMTAP_OK)
        return conn->error;
    conn->busy = true;
    return ARMTAP_OK;
}

static int leave(struct armtap_conn *conn, int error)
{
    conn->busy = false;
    conn->error = error;
    if (!conn->freed)
        return error;
    destroy(conn);
    return ARMTAP_ERR_STOPPED;
}

int armtap_conn_set_recipe(struct armtap_conn *conn, const struct armtap_recipe *recipe)
{
    if (!conn)
        return ARMTAP_ERR_ARGUMENT;
    if (conn->busy)
        return ARMTAP_ERR_BUSY;
    armtap_recipe_release(conn->given_recipe);
    conn->given_recipe = recipe ? armtap_recipe_hold(recipe) : NULL;
    return ARMTAP_OK;
}

const struct armtap_stream *armtap_conn_stream(const struct armtap_conn *conn)
{
    return conn ? &conn->stream : NULL;
}

bool armtap_conn_is_foreign(const struct armtap_conn *conn)
{
    return conn->foreign;
}

void armtap_conn_accept(struct armtap_conn *conn, const struct armtap_where *where)
{
    conn->stream.accepted = *where;
}

void armtap_conn_origin(struct armtap_conn *conn, enum armtap_origin origin)
{
    if (origin == ARMTAP_ORIGIN_SOCKET)
        conn->stream.origin = origin;
}

void armtap_conn_touch(struct armtap_conn *conn, enum armtap_direction direction, uint64_t payload,
                       const struct armtap_where *where)
{
    enum armtap_direction side = armtap_conn_real(conn, direction);
    conn->stream.payload[side] += payload;
    conn->stream.packets[side]++;
    conn->stream.last = *where;
}

static void add_to_beginning(struct armtap_beginning *beginning, const uint8_t *bytes, size_t length)
{
    enum { SUMS = sizeof beginning->sums / sizeof *beginning->sums };
    for (size_t i = 0; i < length && beginning->bytes < ARMTAP_BEGINNING_BYTES; i++) {
        beginning->sum = (beginning->sum ^ bytes[i]) * FNV_PRIME;
        beginning->bytes++;
        for (unsigned k = 0; k < SUMS; k++)
            if (beginning->bytes == ARMTAP_BEGINNING_LENGTH(k))
                beginning->sums[k] = beginning->sum;
    }
}

/* The connection's beginning in that file, unless its bytes are known. */
static struct armtap_beginning *beginning_in(struct armtap_conn *conn, const struct armtap_where *where)
{
    struct armtap_beginning *beginning = &conn->stream.beginning;
    if (!beginning->known || beginning->where.file != where->file)
        *beginning = (struct armtap_beginning){.known = true, .where = *where, .sum = FNV_BASIS};
    return beginning->bytes < ARMTAP_BEGINNING_BYTES ? beginning : NULL;
}

void armtap_conn_note_beginning(struct armtap_conn *conn, uint32_t seq, const uint8_t *bytes, size_t length,
                                const struct armtap_where *where)
{
    struct armtap_beginning *beginning = beginning_in(conn, where);
    if (!beginning)
        return;
    const uint8_t number[] = {(uint8_t)(seq >> 24), (uint8_t)(seq >> 16), (uint8_t)(seq >> 8), (uint8_t)seq};
    add_to_beginning(beginning, number, sizeof number);
    add_to_beginning(beginning, bytes, length);
}

/* Bytes that came without packets: from a dump or a socket. */
static void begin_without_packets(struct armtap_conn *conn, const uint8_t *bytes, size_t length,
                                  const struct armtap_where *where)
{
    bool has_packets = conn->stream.packets[0] + conn->stream.packets[1] > 0;
    struct armtap_beginning *beginning = has_packets ? NULL : beginning_in(conn, where);
    if (beginning)
        add_to_beginning(beginning, bytes, length);
}

void armtap_conn_prefetch(const struct armtap_conn *conn)
{
    armtap_prefetch(conn, offsetof(struct armtap_conn, stream.robot));
    armtap_prefetch(&conn->stream.last,
                    offsetof(struct armtap_conn, half[0].buffer) - offsetof(struct armtap_conn, stream.last));
}

void armtap_conn_prefetch_last(const struct armtap_conn *conn)
{
    if (conn)
        armtap_prefetch(&conn->stream.last, sizeof conn->stream.last);
}

void armtap_conn_prefetch_context(const struct armtap_conn *conn)
{
    if (conn->context)
        armtap_prefetch(conn->context, CONTEXT_WARM);
}

/* ---- what enters it ---- */

static bool is_direction(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT || direction == ARMTAP_TO_ROBOT;
}

/* What the caller says of the place; of a net's connections the library says it. */
static int take_where(const struct armtap_conn *conn, const struct armtap_where *given, struct armtap_where *where)
{
    *where = given ? *given : nowhere;
    if (conn->is_alone && !armtap_is_sized(where->size, sizeof *where))
        return ARMTAP_ERR_SIZE;
    where->size = sizeof *where;
    return ARMTAP_OK;
}

int armtap_conn_push(struct armtap_conn *conn, enum armtap_direction direction, const void *bytes, size_t length,
                     const struct armtap_where *where)
{
    struct armtap_where here;
    if (!conn || (!bytes && length > 0) || !is_direction(direction))
        return ARMTAP_ERR_ARGUMENT;
    TRY(take_where(conn, where, &here));
    TRY(enter(conn));
    begin_without_packets(conn, bytes, length, &here);
    return leave(conn, armtap_frames_push(conn, direction, bytes, length, &here));
}

int armtap_conn_miss(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                     enum armtap_missing_why why, const struct armtap_where *where)
{
    struct armtap_where here;
    if (!conn || !is_direction(direction))
        return ARMTAP_ERR_ARGUMENT;
    TRY(take_where(conn, where, &here));
    TRY(enter(conn));
    return leave(conn, armtap_frames_miss(conn, direction, length, why, &here));
}

int armtap_conn_gap(struct armtap_conn *conn, enum armtap_direction direction, uint64_t length,
                    const struct armtap_where *where)
{
    return armtap_conn_miss(conn, direction, length, ARMTAP_MISSING_LOST, where);
}

int armtap_conn_close(struct armtap_conn *conn, enum armtap_direction direction, const struct armtap_where *where)
{
    struct armtap_where here;
    if (!conn || !is_direction(direction))
        return ARMTAP_ERR_ARGUMENT;
    TRY(take_where(conn, where, &here));
    TRY(enter(conn));
    return leave(conn, armtap_frames_close(conn, direction, where ? &here : NULL));
}
