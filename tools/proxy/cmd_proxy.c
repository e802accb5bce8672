/* armtap proxy: between clients and a robot, and a record of what they say. */
#include "command_line/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "command_line/options.h"
#include "input/robots/event_loop.h"
#include "nanoseconds.h"
#include "proxy_pair.h"
#include "record/amount.h"
#include "record/rotation.h"

#define PORTS_MAX 64
#define CLIENTS_MAX 400
/* Of one address, so that it cannot shut out the others. */
#define CLIENTS_OF_ADDRESS 100
/* ns in which nothing passed, after which a connection that one side has ended makes room for another. */
#define MAKES_ROOM (SECOND / 4)
#define SYNC (5 * SECOND)
/* Lines about clients in a second. */
#define LINES_MAX 300
#define LINES_TURN SECOND
/* ns until clients are accepted again when descriptors ran out. */
#define ACCEPT_AGAIN (SECOND / 2)

struct port {
    struct proxy *proxy;
    uint16_t robots, listens; /* numbers */
    int file;
    struct event_watch *watch;
};

struct client {
    struct proxy *proxy;
    struct proxy_pair *pair; /* NULL: the place is free */
    struct tcp_address address[2];
    uint64_t bytes[2];
    bool connected;
    char name[TCP_ADDRESS_MAX];
};

struct proxy {
    struct options options;
    const char *listen, *output, *robot;
    struct rotation rotation;
    struct kept_parts *kept;
    struct port ports[PORTS_MAX];
    size_t port_count;
    struct tcp_address here, there;
    struct event_loop *loop;
    int64_t span;              /* ns to go on; 0: without an end */
    struct event_timer *end;   /* when that is over */
    struct event_timer *again; /* accepts clients again */
    struct traffic_writer *writer;
    struct client clients[CLIENTS_MAX];
    uint64_t served, bytes, turned_away, let_go, cut_off; /* cut_off: by a reset, or by the robot's refusal */
    bool told_full;
    struct tcp_address told; /* the last address of which it was said that it has too many */
    int64_t lines_since;     /* the second that is counted */
    unsigned lines, left_out;
};

static int read_ports(const struct option_row *row, const char *list, void *place)
{
    struct proxy *proxy = place;
    struct port_pair pairs[PORTS_MAX];
    proxy->port_count = port_list_parse(list, pairs, PORTS_MAX);
    for (size_t i = 0; i < proxy->port_count; i++)
        proxy->ports[i] = (struct port){.robots = pairs[i].robots, .listens = pairs[i].here};
    if (proxy->port_count > 0)
        return 0;
    return option_refuse(row, list,
                         "the robot's ports, each with the port to listen on if it is another, as in --ports "
                         "30004,30003=40003");
}

#define OPTIONS_STRUCT struct proxy
static const struct option_row rows[] = {
#define OPTIONS_PROXY
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "proxy",
    .arguments = "ROBOT",
    .summary =
        "Forwards clients to a robot, on all of the robot's ports, and records both directions in a capture, under the "
        "addresses of robot and clients. Runs until Ctrl-C, or for the time of --for.",
    .rows = rows,
    .examples = "  armtap proxy --listen 192.168.1.5 -o cell.pcapng 10.0.0.2\n",
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void take_all_ports(struct proxy *proxy)
{
    struct armtap_robot_port port = {.size = sizeof port};
    for (size_t i = 0; proxy->port_count < PORTS_MAX && armtap_robot_port_at(i, &port); i++)
        proxy->ports[proxy->port_count++] = (struct port){.robots = port.port, .listens = port.port};
}

static int bad_robot(const char *robot, const char *problem)
{
    if (strchr(robot, ':') && !strchr(robot, '['))
        message_error("proxy: %s: name only the robot's address, without scheme and port; --ports chooses the ports",
                      robot);
    else
        message_error("proxy: %s: %s; use the robot's address", robot, problem);
    return -1;
}

static int check_options(struct proxy *proxy)
{
    const char *problem;
    if (proxy->options.operand_count != 1) {
        message_error("proxy: name one robot by its address, as in armtap proxy --listen 192.168.1.5 10.0.0.2");
        return -1;
    }
    proxy->robot = proxy->options.operands[0];
    if (rotation_check(&proxy->rotation, "proxy", proxy->output) != 0 || part_name_check("proxy", proxy->output) != 0)
        return -1;
    if (tcp_resolve(proxy->listen, 0, &proxy->here, 1, &problem) == 0) {
        message_error("--listen '%s': %s; use an address of this machine", proxy->listen, problem);
        return -1;
    }
    if (tcp_resolve(proxy->robot, 0, &proxy->there, 1, &problem) == 0)
        return bad_robot(proxy->robot, problem);
    if (proxy->port_count == 0)
        take_all_ports(proxy);
    return 0;
}

/* ---- what happens to clients ------------------------------------------------------------------------------------- */

static const char *side_name(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? "robot" : "client";
}

static void say_left_out(struct proxy *proxy)
{
    if (proxy->left_out > 0)
        message_info("%u more lines about clients were omitted", proxy->left_out);
    proxy->left_out = 0;
}

/* Whether there is room for a line: thousands of clients in a second are not worth thousands of lines. */
static bool may_say(struct proxy *proxy)
{
    int64_t now = event_loop_now(proxy->loop);
    if (now - proxy->lines_since >= LINES_TURN) {
        say_left_out(proxy);
        proxy->lines_since = now;
        proxy->lines = 0;
    }
    proxy->left_out += proxy->lines == LINES_MAX ? 1 : 0;
    proxy->lines += proxy->lines < LINES_MAX ? 1 : 0;
    return proxy->left_out == 0;
}

static void say(const struct client *client, const struct proxy_news *news)
{
    unsigned port = tcp_address_port(&client->address[ARMTAP_FROM_ROBOT]);
    switch (news->event) {
    case PROXY_CONNECTED:
        message_info("%s: connected to the robot's port %u", client->name, port);
        break;
    case PROXY_REFUSED:
        message_info("%s: the robot's port %u: %s; the client was reset", client->name, port, strerror(news->error));
        break;
    case PROXY_UNANSWERED:
        message_info("%s: the robot's port %u does not answer; the client was reset", client->name, port);
        break;
    case PROXY_RESET:
        message_info("%s: port %u: reset by the %s (%s)", client->name, port, side_name(news->direction),
                     strerror(news->error));
        break;
    case PROXY_LET_GO:
        message_info("%s: port %u: dropped: the %s ended it, and the %s neither sends nor ends it", client->name, port,
                     side_name(news->direction), news->direction == ARMTAP_FROM_ROBOT ? "client" : "robot");
        break;
    case PROXY_OVER:
        if (client->connected)
            message_info("%s: port %u: ended after %" PRIu64 " bytes from the robot and %" PRIu64 " to it",
                         client->name, port, client->bytes[ARMTAP_FROM_ROBOT], client->bytes[ARMTAP_TO_ROBOT]);
        break;
    default:
        break;
    }
}

static void record(struct client *client, const struct proxy_news *news)
{
    const struct proxy *proxy = client->proxy;
    const struct traffic traffic = {.event = news->event,
                                    .connection = (size_t)(client - proxy->clients),
                                    .time = news->time,
                                    .direction = news->direction,
                                    .address = {client->address[0], client->address[1]},
                                    .bytes = news->bytes,
                                    .length = news->length};
    if (news->event != PROXY_OVER)
        traffic_writer_put(proxy->writer, &traffic);
}

static void count(struct proxy *proxy, const struct proxy_news *news)
{
    proxy->bytes += news->length;
    proxy->let_go += news->event == PROXY_LET_GO ? 1 : 0;
    proxy->cut_off += news->event == PROXY_RESET || news->event == PROXY_REFUSED || news->event == PROXY_UNANSWERED;
}

static void on_news(void *user, const struct proxy_news *news)
{
    struct client *client = user;
    client->connected = client->connected || news->event == PROXY_CONNECTED;
    client->bytes[news->direction] += news->length;
    count(client->proxy, news);
    record(client, news);
    if (news->event != PROXY_BYTES && news->event != PROXY_FINISHED && may_say(client->proxy))
        say(client, news);
    if (news->event != PROXY_OVER)
        return;
    proxy_pair_free(client->pair);
    client->pair = NULL;
}

/* ---- accepting clients ------------------------------------------------------------------------------------------- */

static struct client *free_place(struct proxy *proxy)
{
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        if (!proxy->clients[i].pair)
            return &proxy->clients[i];
    return NULL;
}

static size_t count_of_host(const struct proxy *proxy, const struct tcp_address *host)
{
    size_t count = 0;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        const struct client *client = &proxy->clients[i];
        count += client->pair && tcp_address_same_host(&client->address[ARMTAP_TO_ROBOT], host) ? 1 : 0;
    }
    return count;
}

/* Lets that one go of which one side has ended, and on which nothing has passed for longest; of this host, or of all if
 * it is NULL. False if there is none. */
static bool make_room(struct proxy *proxy, const struct tcp_address *host)
{
    struct client *found = NULL;
    int64_t oldest = event_loop_awake(proxy->loop) - MAKES_ROOM;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &proxy->clients[i];
        if (!client->pair || (host && !tcp_address_same_host(&client->address[ARMTAP_TO_ROBOT], host)) ||
            proxy_pair_ending_since(client->pair) > oldest)
            continue;
        found = client;
        oldest = proxy_pair_ending_since(client->pair);
    }
    if (found)
        proxy_pair_let_go(found->pair);
    return found != NULL;
}

/* Resets the client, and says why: once in a row. */
static void turn_away(struct proxy *proxy, int file, const struct tcp_address *peer, bool is_of_address)
{
    char text[TCP_ADDRESS_MAX];
    struct tcp_address host = *peer;
    tcp_address_set_port(&host, 0);
    tcp_address_text(&host, text);
    text[strlen(text) - strlen(":0")] = '\0';
    bool is_told = is_of_address ? tcp_address_same_host(&proxy->told, peer) : proxy->told_full;
    bool is_said = !is_told && may_say(proxy);
    if (is_said && is_of_address)
        message_warning("%s has %d connections, the most for one address: further ones are reset", text,
                        CLIENTS_OF_ADDRESS);
    else if (is_said)
        message_warning("%d clients are connected, the most that are served: further ones are reset", CLIENTS_MAX);
    if (is_of_address)
        proxy->told = host;
    else
        proxy->told_full = true;
    proxy->turned_away++;
    tcp_close(file, true);
}

/* A place for a client of that address; NULL: it was turned away. */
static struct client *find_place(struct proxy *proxy, int file, const struct tcp_address *peer)
{
    bool is_of_address = count_of_host(proxy, peer) >= CLIENTS_OF_ADDRESS && !make_room(proxy, peer);
    struct client *client = is_of_address ? NULL : free_place(proxy);
    if (!client && !is_of_address && make_room(proxy, NULL))
        client = free_place(proxy);
    if (!client)
        turn_away(proxy, file, peer, is_of_address);
    return client;
}

static void serve(struct port *port, int file, const struct tcp_address *peer)
{
    struct proxy *proxy = port->proxy;
    struct client *client = find_place(proxy, file, peer);
    if (!client)
        return;
    *client = (struct client){.proxy = proxy};
    client->address[ARMTAP_FROM_ROBOT] = proxy->there;
    client->address[ARMTAP_TO_ROBOT] = *peer;
    tcp_address_set_port(&client->address[ARMTAP_FROM_ROBOT], port->robots);
    tcp_address_text(peer, client->name);
    const struct proxy_pair_wish wish = {.loop = proxy->loop,
                                         .client = file,
                                         .robot = &client->address[ARMTAP_FROM_ROBOT],
                                         .on_news = on_news,
                                         .user = client};
    client->pair = proxy_pair_new(&wish);
    if (client->pair)
        proxy->served++;
    else
        message_warning("%s: port %u: %s; the client was reset", client->name, port->robots, strerror(errno));
}

static void listen_again(void *user)
{
    struct proxy *proxy = user;
    for (size_t i = 0; i < proxy->port_count; i++)
        if (proxy->ports[i].watch)
            event_watch_want(proxy->ports[i].watch, EVENT_READ);
}

/* Without descriptors a client cannot even be refused: it waits. */
static void pause_listening(struct proxy *proxy)
{
    for (size_t i = 0; i < proxy->port_count; i++)
        if (proxy->ports[i].watch)
            event_watch_want(proxy->ports[i].watch, 0);
    event_timer_set(proxy->again, event_clock() + ACCEPT_AGAIN);
}

static void on_client(void *user, unsigned events)
{
    struct port *port = user;
    struct tcp_address peer;
    (void)events;
    int file = tcp_accept(port->file, &peer);
    if (file >= 0)
        serve(port, file, &peer);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        pause_listening(port->proxy);
}

/* ---- listening --------------------------------------------------------------------------------------------------- */

/* 0, or -1 with errno. */
static int open_port(struct proxy *proxy, struct port *port)
{
    struct tcp_address address = proxy->here;
    port->proxy = proxy;
    tcp_address_set_port(&address, port->listens);
    port->file = tcp_listen(&address);
    if (port->file < 0)
        return -1;
    if (tcp_local_address(port->file, &address) == 0)
        port->listens = tcp_address_port(&address);
    port->watch = event_watch_new(proxy->loop, port->file, on_client, port);
    return port->watch ? 0 : -1;
}

static bool is_same_host(const struct tcp_address *one, const struct tcp_address *other)
{
    char text[2][TCP_ADDRESS_MAX];
    struct tcp_address hosts[2] = {*one, *other};
    for (int i = 0; i < 2; i++) {
        tcp_address_set_port(&hosts[i], 0);
        tcp_address_text(&hosts[i], text[i]);
    }
    return strcmp(text[0], text[1]) == 0;
}

static bool is_any_host(const struct tcp_address *address)
{
    struct tcp_address four, six;
    return (tcp_address_parse(&four, "0.0.0.0", 0) == 0 && is_same_host(address, &four)) ||
           (tcp_address_parse(&six, "::", 0) == 0 && is_same_host(address, &six));
}

/* Whether the robot's address is this machine's, because a socket can have it. */
static bool is_this_machine(const struct tcp_address *address)
{
    struct tcp_address any_port = *address;
    tcp_address_set_port(&any_port, 0);
    int file = tcp_listen(&any_port);
    if (file < 0)
        return false;
    tcp_close(file, false);
    return true;
}

/* A port that forwards to one of ours would make an endless chain of connections. */
static int check_loop(const struct proxy *proxy)
{
    bool meets =
        is_same_host(&proxy->here, &proxy->there) || (is_any_host(&proxy->here) && is_this_machine(&proxy->there));
    for (size_t i = 0; meets && i < proxy->port_count; i++)
        for (size_t k = 0; k < proxy->port_count; k++)
            if (proxy->ports[i].watch && proxy->ports[k].watch && proxy->ports[i].robots == proxy->ports[k].listens) {
                message_error("proxy: port %u of %s is the proxy's own port: it would connect to itself; listen on "
                              "another "
                              "address (--listen 127.0.0.2) or on other ports (--ports %u=0)",
                              proxy->ports[i].robots, proxy->robot, proxy->ports[i].robots);
                return -1;
            }
    return 0;
}

/* One port in use is no reason to leave the others; none is. */
static int listen_on_ports(struct proxy *proxy)
{
    char host[TCP_ADDRESS_MAX];
    size_t open = 0;
    for (size_t i = 0; i < proxy->port_count; i++) {
        struct port *port = &proxy->ports[i];
        if (open_port(proxy, port) != 0) {
            message_warning("%s, port %u: %s; it is not forwarded", proxy->listen, port->listens, strerror(errno));
            continue;
        }
        open++;
        tcp_address_set_port(&proxy->here, port->listens);
        tcp_address_text(&proxy->here, host);
        message_info("%s forwards to %s, port %u", host, proxy->robot, port->robots);
    }
    if (open > 0 && !tcp_address_is_loopback(&proxy->here))
        message_warning("whoever reaches %s reaches the robot: there are no passwords", proxy->listen);
    if (open > 0)
        return check_loop(proxy);
    message_error("proxy: cannot listen on any port; use another address of this machine with --listen, or other "
                  "ports with --ports");
    return -1;
}

static void close_all(struct proxy *proxy)
{
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        proxy_pair_free(proxy->clients[i].pair);
    for (size_t i = 0; i < proxy->port_count; i++) {
        event_watch_free(proxy->ports[i].watch);
        if (proxy->ports[i].file > 0)
            tcp_close(proxy->ports[i].file, false);
    }
    event_timer_free(proxy->end);
    event_timer_free(proxy->again);
    event_loop_free(proxy->loop);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void on_end(void *user)
{
    struct proxy *proxy = user;
    event_loop_stop(proxy->loop);
}

static void on_still(void *user, int64_t time)
{
    (void)user;
    message_still(time);
}

static int begin_proxy(struct proxy *proxy)
{
    proxy->loop = event_loop_new();
    proxy->again = proxy->loop ? event_timer_new(proxy->loop, listen_again, proxy) : NULL;
    proxy->end = proxy->loop ? event_timer_new(proxy->loop, on_end, proxy) : NULL;
    if (!proxy->again || !proxy->end)
        return message_no_memory();
    event_timer_set(proxy->end, amount_time_end(event_clock(), proxy->span));
    event_loop_on_still(proxy->loop, on_still, NULL);
    proxy->kept = kept_parts_new(proxy->rotation.keep);
    if (!proxy->kept)
        return message_no_memory();
    const struct capture_series_wish wish = {.output = proxy->output,
                                             .robot = proxy->robot,
                                             .rotate = proxy->rotation.time,
                                             .part_size = proxy->rotation.part_size,
                                             .kept = proxy->kept,
                                             .sync = SYNC};
    if (kept_parts_find(proxy->kept, proxy->output, proxy->robot) != 0)
        return -1;
    proxy->writer = traffic_writer_new(&wish, CLIENTS_MAX);
    if (!proxy->writer || listen_on_ports(proxy) != 0)
        return -1;
    message_show_times();
    return 0;
}

static int report(struct proxy *proxy, const struct traffic_totals *totals)
{
    say_left_out(proxy);
    char forwarded[AMOUNT_MAX], recorded[AMOUNT_MAX], dropped[AMOUNT_MAX], deleted[48] = "";
    amount_text(forwarded, proxy->bytes);
    amount_text(recorded, totals->bytes);
    amount_text(dropped, totals->dropped);
    if (totals->dropped > 0)
        message_warning("%s were forwarded but not recorded, because the %s", dropped,
                        totals->failed ? "capture ended early" : "disk did not keep up");
    kept_parts_list(proxy->kept);
    if (kept_parts_deleted(proxy->kept) > 0)
        snprintf(deleted, sizeof deleted, "; %" PRIu64 " deleted, the oldest first", kept_parts_deleted(proxy->kept));
    message_info("forwarded %s for %" PRIu64 " client%s (%" PRIu64 " cut off, %" PRIu64 " dropped, %" PRIu64
                 " refused), recorded %s in %" PRIu64 " file%s%s; %s dropped",
                 forwarded, proxy->served, proxy->served == 1 ? "" : "s", proxy->cut_off, proxy->let_go,
                 proxy->turned_away, recorded, totals->parts, totals->parts == 1 ? "" : "s", deleted, dropped);
    return totals->failed ? EXIT_FAILED : EXIT_DONE;
}

static int run_proxy(struct proxy *proxy)
{
    bool runs = begin_proxy(proxy) == 0;
    if (runs && event_loop_run(proxy->loop) == EVENT_LOOP_FAILED) {
        message_error("proxy: cannot wait for clients: %s", strerror(errno));
        runs = false;
    }
    close_all(proxy);
    const struct traffic_totals totals = traffic_writer_free(proxy->writer);
    return runs ? report(proxy, &totals) : EXIT_FAILED;
}

int cmd_proxy(int argc, char **argv)
{
    struct proxy *proxy = calloc(1, sizeof *proxy);
    int status = EXIT_FAILED;
    if (!proxy) {
        message_no_memory();
        return EXIT_FAILED;
    }
    proxy->listen = "127.0.0.1";
    proxy->output = PART_NAME_DEFAULT;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &proxy->options, proxy);
    if (outcome != OPTIONS_RUN) {
        free(proxy);
        return options_status(outcome);
    }
    if (check_options(proxy) == 0) { /* looks up names, which a signal must be able to end */
        interrupt_hold();
        status = run_proxy(proxy);
    }
    options_free(&proxy->options);
    kept_parts_free(proxy->kept);
    free(proxy);
    return status;
}
