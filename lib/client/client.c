/* The life of a client: connections, verdicts, deadlines, and what is to be sent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "connection/conn.h"
#include "try.h"
#include "client.h"
#include "inside.h"

#define PAUSE_TIME SECOND
#define WRONG_PORT_TIME SECOND /* without a byte, on a port that is for another protocol */
#define INPUTS_MAX 255

/* ---- which options a client takes ---- */

static const char *names_problem(const char *names)
{
    if (!names || armtap_name_list_bytes(names) == 0)
        return "a recipe has no names";
    return armtap_name_list_bytes(names) > ARMTAP_NAMES_MAX
               ? "the names of a recipe have more than the 2048 bytes that a controller accepts: request fewer fields"
               : NULL;
}

static const char *rtde_problem(const struct armtap_client_options *options)
{
    if (options->max_version < 0 || options->max_version > 3)
        return "RTDE has the protocols 1, 2 and 3";
    if (!(options->frequency == 0 || options->frequency >= 1) || isinf(options->frequency))
        return "a frequency is 1 Hz or more";
    if (options->input_count > INPUTS_MAX || (options->input_count > 0 && !options->inputs))
        return "a client has at most 255 input recipes";
    const char *problem = names_problem(options->outputs);
    for (size_t i = 0; i < options->input_count && !problem; i++)
        problem = names_problem(options->inputs[i]);
    return problem;
}

const char *armtap_client_problem(const struct armtap_client_options *options)
{
    if (!options)
        return "there are no options";
    if (!armtap_is_sized(options->size, sizeof *options))
        return "the size of the options is not set";
    if (options->give_up < 0)
        return "the time after which to give up is negative";
    if (options->protocol == ARMTAP_RTDE)
        return rtde_problem(options);
    bool listens = options->protocol == ARMTAP_REALTIME || options->protocol == ARMTAP_PRIMARY;
    return listens ? NULL : "the protocol is neither RTDE nor realtime nor primary";
}

/* ---- making ---- */

static void copy_text(char *to, size_t room, const char *from)
{
    if (from)
        strncpy(to, from, room - 1);
}

static int take_names(struct armtap_client *client, const struct armtap_client_options *options)
{
    TRY(armtap_name_list_take(&client->outputs, options->outputs));
    if (options->input_count == 0)
        return ARMTAP_OK;
    client->inputs = calloc(options->input_count, sizeof *client->inputs);
    if (!client->inputs)
        return ARMTAP_ERR_MEMORY;
    for (size_t i = 0; i < options->input_count; i++)
        TRY(armtap_name_list_take(&client->inputs[i].names, options->inputs[i]));
    return ARMTAP_OK;
}

int armtap_client_new(const struct armtap_client_options *options, const struct armtap_sink *sink, void *user,
                      struct armtap_client **out)
{
    struct armtap_sink taken;
    if (!out)
        return ARMTAP_ERR_ARGUMENT;
    *out = NULL;
    if (options && !armtap_is_sized(options->size, sizeof *options))
        return ARMTAP_ERR_SIZE;
    if (armtap_client_problem(options))
        return ARMTAP_ERR_ARGUMENT;
    TRY(armtap_sink_take(&taken, sink));
    if (!armtap_protocol_name(options->protocol))
        return ARMTAP_ERR_UNSUPPORTED;
    struct armtap_client *client = calloc(1, sizeof *client);
    if (!client)
        return ARMTAP_ERR_MEMORY;
    memcpy(&client->options, options, sizeof client->options);
    copy_text(client->robot, sizeof client->robot, options->robot);
    copy_text(client->client, sizeof client->client, options->client);
    client->sink = taken;
    client->user = user;
    client->verdict = (struct armtap_client_verdict){ARMTAP_CLIENT_RECONNECT, INT64_MIN, client->reason.text};
    client->agreed.size = sizeof client->agreed;
    client->agreed.said = client->said.text;
    client->agreed.first_clock = client->agreed.last_clock = client->last_clock = NAN;
    client->deadline = INT64_MAX;
    client->backoff = BACKOFF_FIRST;
    int error = options->protocol == ARMTAP_RTDE ? take_names(client, options) : ARMTAP_OK;
    if (error != ARMTAP_OK)
        armtap_client_free(client);
    else
        *out = client;
    return error;
}

/* What was set up on the connection before is no more. */
static void forget_set_up(struct armtap_client *client)
{
    armtap_recipe_release((struct armtap_recipe *)client->agreed.recipe);
    client->agreed.recipe = NULL;
    for (size_t i = 0; client->inputs && i < client->options.input_count; i++) {
        armtap_recipe_release((struct armtap_recipe *)client->inputs[i].recipe);
        client->inputs[i].recipe = NULL;
    }
}

void armtap_client_free(struct armtap_client *client)
{
    if (!client)
        return;
    if (client->busy) {
        client->doomed = true;
        return;
    }
    armtap_conn_free(client->conn);
    forget_set_up(client);
    armtap_name_list_free(&client->outputs);
    for (size_t i = 0; client->inputs && i < client->options.input_count; i++)
        armtap_name_list_free(&client->inputs[i].names);
    free(client->inputs);
    free(client);
}

/* ---- calls ---- */

/* Begins a call that may invoke callbacks. */
static int enter(struct armtap_client *client, int64_t now)
{
    if (!client)
        return ARMTAP_ERR_ARGUMENT;
    if (client->busy)
        return ARMTAP_ERR_BUSY;
    if (client->error != ARMTAP_OK)
        return client->error;
    if (!client->begun || now > client->now)
        client->now = now;
    if (!client->begun)
        client->good = now;
    client->begun = client->busy = true;
    return ARMTAP_OK;
}

/* Ends it. After an error there is nothing left to do. */
static int leave(struct armtap_client *client, int error)
{
    client->busy = false;
    if (client->doomed) {
        armtap_client_free(client);
        return ARMTAP_ERR_STOPPED;
    }
    if (error == ARMTAP_OK || client->error != ARMTAP_OK)
        return error;
    client->error = error;
    client->options.on_event = NULL;
    armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "%s", armtap_strerror(error));
    return error;
}

static bool goes_on(const struct armtap_client *client)
{
    return client->verdict.what == ARMTAP_CLIENT_GO_ON;
}

/* ---- time ---- */

/* When it has been long enough without data. */
static int64_t give_up_time(const struct armtap_client *client)
{
    int64_t after = client->options.give_up;
    bool may = client->verdict.what <= ARMTAP_CLIENT_RECONNECT && client->state != ARMTAP_CLIENT_STATE_PAUSING;
    if (after == 0 || !client->begun || !may || client->good > INT64_MAX - after)
        return INT64_MAX;
    return client->good + after;
}

int64_t armtap_client_deadline(const struct armtap_client *client)
{
    if (!client)
        return INT64_MAX;
    int64_t last = give_up_time(client);
    return client->deadline < last ? client->deadline : last;
}

static int give_up(struct armtap_client *client)
{
    struct armtap_line before = client->reason, time;
    const char *why = client->verdict.what == ARMTAP_CLIENT_RECONNECT ? before.text : client->said.text;
    armtap_line_begin(&time);
    armtap_line_double(&time, (double)client->options.give_up / (double)SECOND);
    return armtap_client_finish(client, ARMTAP_CLIENT_GIVE_UP, "no data for %s s%s%s", time.text, why[0] ? ": " : "",
                                why);
}

static bool is_due(const struct armtap_client *client, int64_t time)
{
    return time != INT64_MAX && client->now >= time;
}

static int expire(struct armtap_client *client)
{
    if (is_due(client, give_up_time(client)))
        return give_up(client);
    if (!is_due(client, client->deadline))
        return ARMTAP_OK;
    if (client->state != ARMTAP_CLIENT_STATE_PAUSING && armtap_client_is_misled(client))
        return armtap_client_leave_port(client);
    switch (client->state) {
    case ARMTAP_CLIENT_STATE_WAITING:
    case ARMTAP_CLIENT_STATE_STREAMING:
        return armtap_client_miss_data(client);
    case ARMTAP_CLIENT_STATE_PAUSING:
        return armtap_client_finish(client, ARMTAP_CLIENT_DONE, "stopped; the robot did not answer PAUSE");
    default:
        return armtap_rtde_client_expire(client);
    }
}

int armtap_client_expire(struct armtap_client *client, int64_t now)
{
    TRY(enter(client, now));
    return leave(client, expire(client));
}

/* ---- connections ---- */

/* The connection's last words. */
static int close_conn(struct armtap_client *client, const struct armtap_where *where)
{
    if (!client->link.open)
        return ARMTAP_OK;
    client->link.open = false;
    client->link.awaiting = false;
    client->out_length = 0;
    TRY(armtap_conn_close(client->conn, ARMTAP_FROM_ROBOT, where));
    return armtap_conn_close(client->conn, ARMTAP_TO_ROBOT, where);
}

static int open_conn(struct armtap_client *client)
{
    struct armtap_sink sink;
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = client->options.protocol,
                                          .robot = client->robot,
                                          .client = client->client,
                                          .connection = client->agreed.connections,
                                          .no_guess = true};
    armtap_conn_free(client->conn);
    client->conn = NULL;
    armtap_client_sink(client, &sink);
    return armtap_conn_new(&options, &sink, client, &client->conn);
}

/* Nothing is known about a new connection. */
static void begin(struct armtap_client *client)
{
    client->link = (struct armtap_client_link){.open = true, .lasting = armtap_client_later(client, BACKOFF_MAX)};
    client->agreed.connections++;
    client->agreed.version = 0;
    client->agreed.answers = ARMTAP_PROTOCOL_NONE;
    client->agreed.frequency = client->agreed.rate = 0;
    client->agreed.controller_version[0] = '\0';
    client->agreed.first_clock = client->agreed.last_clock = NAN;
    armtap_line_begin(&client->said);
    armtap_line_begin(&client->reason);
    client->verdict.what = ARMTAP_CLIENT_GO_ON;
}

static int connected(struct armtap_client *client, const struct armtap_where *where)
{
    if (client->verdict.what > ARMTAP_CLIENT_RECONNECT)
        return ARMTAP_OK;
    TRY(close_conn(client, where));
    TRY(open_conn(client));
    forget_set_up(client);
    begin(client);
    TRY(armtap_client_tell(client, ARMTAP_CLIENT_EVENT_CONNECTED, ARMTAP_INFO, "connected"));
    if (client->options.protocol == ARMTAP_RTDE)
        return armtap_rtde_client_begin(client);
    TRY(armtap_client_wait(client));
    if (armtap_client_is_misled(client))
        client->deadline = armtap_client_later(client, WRONG_PORT_TIME);
    return ARMTAP_OK;
}

int armtap_client_connected(struct armtap_client *client, int64_t now, const struct armtap_where *where)
{
    TRY(enter(client, now));
    bool may = client->verdict.what <= ARMTAP_CLIENT_RECONNECT;
    int error = leave(client, connected(client, where));
    return error == ARMTAP_OK && !may ? ARMTAP_ERR_NOT_READY : error;
}

static const char *failure_text(enum armtap_client_failure failure)
{
    switch (failure) {
    case ARMTAP_CLIENT_REFUSED:
        return "the robot refuses connections";
    case ARMTAP_CLIENT_NO_ANSWER:
        return "the robot does not answer";
    case ARMTAP_CLIENT_UNREACHABLE:
        return "the robot's network cannot be reached";
    default:
        return "connecting failed";
    }
}

int armtap_client_failed(struct armtap_client *client, int64_t now, enum armtap_client_failure failure,
                         const char *detail)
{
    TRY(enter(client, now));
    int error = close_conn(client, NULL);
    if (error == ARMTAP_OK && client->verdict.what <= ARMTAP_CLIENT_RECONNECT)
        error = armtap_client_lose(client, "%s%s%s", failure_text(failure), detail ? ": " : "", detail ? detail : "");
    return leave(client, error);
}

/* A change between local and remote control ends connections to ports 30001 to 30003, not those to their read-only
 * twins. The twin; 0: the port is none of these. */
static unsigned read_only_twin(const struct armtap_client *client)
{
    unsigned port = armtap_conn_port_of(client->robot);
    return port >= 30001 && port <= 30003 ? port + 10 : 0;
}

static int lose_connection(struct armtap_client *client, enum armtap_client_end how)
{
    static const char *const texts[] = {"the robot closed the connection", "the robot reset the connection",
                                        "the robot stopped answering", "the connection was closed on this side"};
    const char *text = (unsigned)how < sizeof texts / sizeof texts[0] ? texts[how] : texts[0];
    if (how <= ARMTAP_CLIENT_RESET && read_only_twin(client))
        return armtap_client_lose(client,
                                  "%s; switching between local and remote control closes this port, but not port "
                                  "%u",
                                  text, (uint64_t)read_only_twin(client));
    if (armtap_rtde_client_asks(client))
        return armtap_client_lose(client, "%s instead of answering %s", text, armtap_rtde_client_asks(client));
    if (!client->link.had_data)
        return armtap_client_lose(client, "%s before any data", text);
    return armtap_client_lose(client, "%s", text);
}

static int closed(struct armtap_client *client, enum armtap_client_end how, const struct armtap_where *where)
{
    bool was_open = client->link.open;
    enum armtap_client_state state = client->state;
    TRY(close_conn(client, where));
    client->state = state;
    if (!was_open || !goes_on(client))
        return ARMTAP_OK;
    if (state == ARMTAP_CLIENT_STATE_PAUSING)
        return armtap_client_finish(client, ARMTAP_CLIENT_DONE, "stopped");
    return lose_connection(client, how);
}

int armtap_client_closed(struct armtap_client *client, int64_t now, enum armtap_client_end how,
                         const struct armtap_where *where)
{
    TRY(enter(client, now));
    return leave(client, closed(client, how, where));
}

/* ---- bytes ---- */

/* The first bytes show what answers. A robot that never stops sending keeps no deadline from passing. */
static int receive(struct armtap_client *client, const void *bytes, size_t length, const struct armtap_where *where)
{
    armtap_client_keep_head(client, bytes, length);
    TRY(armtap_conn_push(client->conn, ARMTAP_FROM_ROBOT, bytes, length, where));
    TRY(goes_on(client) ? armtap_client_judge_head(client) : ARMTAP_OK);
    return expire(client);
}

int armtap_client_receive(struct armtap_client *client, const void *bytes, size_t length, int64_t now,
                          const struct armtap_where *where)
{
    if (!bytes && length > 0)
        return ARMTAP_ERR_ARGUMENT;
    TRY(enter(client, now));
    if (client->link.open)
        return leave(client, receive(client, bytes, length, where));
    leave(client, ARMTAP_OK);
    return ARMTAP_ERR_NOT_READY;
}

size_t armtap_client_send(const struct armtap_client *client, const void **bytes)
{
    if (bytes)
        *bytes = NULL;
    if (!client || !bytes || !client->link.open || !goes_on(client))
        return 0;
    *bytes = client->out;
    return client->out_length;
}

/* A callback may append inputs while the connection reads the first bytes in place: these are removed afterwards. */
static int sent(struct armtap_client *client, size_t length, const struct armtap_where *where)
{
    TRY(armtap_conn_push(client->conn, ARMTAP_TO_ROBOT, client->out, length, where));
    client->link.sent += length;
    client->out_length -= length;
    memmove(client->out, client->out + length, client->out_length);
    return ARMTAP_OK;
}

int armtap_client_sent(struct armtap_client *client, size_t length, int64_t now, const struct armtap_where *where)
{
    TRY(enter(client, now));
    if (client->link.open && length <= client->out_length)
        return leave(client, sent(client, length, where));
    leave(client, ARMTAP_OK);
    return ARMTAP_ERR_ARGUMENT;
}

/* ---- the end, and inputs ---- */

static int stop(struct armtap_client *client)
{
    bool started = client->state >= ARMTAP_CLIENT_STATE_START && client->state <= ARMTAP_CLIENT_STATE_STREAMING;
    if (client->state >= ARMTAP_CLIENT_STATE_PAUSING)
        return ARMTAP_OK;
    if (!client->link.open || !started || client->options.protocol != ARMTAP_RTDE)
        return armtap_client_finish(client, ARMTAP_CLIENT_DONE, "stopped");
    client->state = ARMTAP_CLIENT_STATE_PAUSING;
    client->deadline = armtap_client_later(client, PAUSE_TIME);
    return armtap_rtde_client_pause(client);
}

int armtap_client_stop(struct armtap_client *client, int64_t now)
{
    TRY(enter(client, now));
    return leave(client, stop(client));
}

int armtap_client_write(struct armtap_client *client, size_t input, const struct armtap_state *values)
{
    uint8_t packed[OUT_BYTES];
    if (!client || !values || input >= client->options.input_count)
        return ARMTAP_ERR_ARGUMENT;
    if (client->error != ARMTAP_OK)
        return client->error;
    bool ready = client->link.open && client->state >= ARMTAP_CLIENT_STATE_START &&
                 client->state <= ARMTAP_CLIENT_STATE_STREAMING;
    struct armtap_client_input *own = client->inputs ? &client->inputs[input] : NULL;
    if (!ready || !own || !own->recipe)
        return ARMTAP_ERR_NOT_READY;
    int length = armtap_encode_values(own->recipe, values, packed, sizeof packed);
    if (length < 0)
        return length;
    struct armtap_rtde_package package = {.size = sizeof(struct armtap_rtde_package),
                                          .type = ARMTAP_RTDE_DATA,
                                          .direction = ARMTAP_TO_ROBOT,
                                          .protocol = client->agreed.version,
                                          .has_id = true,
                                          .id = own->id,
                                          .values = packed,
                                          .values_length = (size_t)length};
    return armtap_client_put(client, &package, OUT_LAST);
}
