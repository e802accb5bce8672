#define _POSIX_C_SOURCE 200809L
#include "other_ports.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define PORTS_MAX 128u      /* four of each of 32 robots */
#define REQUESTS_MAX 1024u  /* different ones, of all robots */
#define REPLIES_MAX 16384u  /* of all requests; one that repeats the last counts no more */
#define TEXT_MAX (1u << 20) /* bytes of all replies */

struct reply {
    int64_t time;
    char *text;
};
struct request {
    char robot[64];
    char *text;
    struct reply *replies; /* in order of time */
    size_t count;
};
struct recorded_ports {
    struct recorded_port ports[PORTS_MAX];
    size_t port_count;
    struct request requests[REQUESTS_MAX];
    size_t request_count;
    size_t replies, text; /* of all requests */
    uint64_t left_out;
};

struct recorded_ports *recorded_ports_new(void)
{
    return calloc(1, sizeof(struct recorded_ports));
}

void recorded_ports_free(struct recorded_ports *ports)
{
    for (size_t i = 0; ports && i < ports->port_count; i++)
        free(ports->ports[i].greeting);
    for (size_t i = 0; ports && i < ports->request_count; i++) {
        struct request *request = &ports->requests[i];
        for (size_t k = 0; k < request->count; k++)
            free(request->replies[k].text);
        free(request->replies);
        free(request->text);
    }
    free(ports);
}

uint64_t recorded_ports_left_out(const struct recorded_ports *ports)
{
    return ports->left_out;
}

/* ---- the primary and secondary interface ------------------------------------------------------------------------- */

const struct recorded_port *recorded_ports_find(const struct recorded_ports *ports, const char *robot, uint16_t port)
{
    for (size_t i = 0; i < ports->port_count; i++)
        if (ports->ports[i].port == port && strcmp(ports->ports[i].robot, robot) == 0)
            return &ports->ports[i];
    return NULL;
}

int recorded_ports_message(struct recorded_ports *ports, const struct port_message *message)
{
    struct recorded_port *port = (struct recorded_port *)recorded_ports_find(ports, message->robot, message->port);
    if (!port && ports->port_count == PORTS_MAX) {
        ports->left_out++;
        return 0;
    }
    if (!port) {
        port = &ports->ports[ports->port_count++];
        memcpy(port->robot, message->robot, strlen(message->robot) + 1);
        port->port = message->port;
    }
    port->messages++;
    if (!message->is_greeting || port->greeting)
        return 0;
    port->greeting = malloc(message->length);
    if (!port->greeting)
        return -1;
    memcpy(port->greeting, message->bytes, message->length);
    port->greeting_length = message->length;
    return 0;
}

/* ---- the dashboard server ---------------------------------------------------------------------------------------- */

static struct request *find_request(const struct recorded_ports *ports, const char *robot, const char *text)
{
    for (size_t i = 0; i < ports->request_count; i++)
        if (strcmp(ports->requests[i].text, text) == 0 && strcmp(ports->requests[i].robot, robot) == 0)
            return (struct request *)&ports->requests[i];
    return NULL;
}

static struct request *add_request(struct recorded_ports *ports, const struct port_reply *reply)
{
    struct request *request = &ports->requests[ports->request_count];
    request->text = strdup(reply->request);
    if (!request->text)
        return NULL;
    memcpy(request->robot, reply->robot, strlen(reply->robot) + 1);
    ports->request_count++;
    return request;
}

static int add_reply(struct recorded_ports *ports, struct request *request, const struct port_reply *reply)
{
    if (!MAKE_ROOM(request->replies, request->count))
        return -1;
    struct reply *added = &request->replies[request->count];
    *added = (struct reply){reply->time, strdup(reply->reply)};
    if (!added->text)
        return -1;
    request->count++;
    ports->replies++;
    ports->text += strlen(added->text);
    return 0;
}

int recorded_ports_reply(struct recorded_ports *ports, const struct port_reply *reply)
{
    struct request *request = find_request(ports, reply->robot, reply->request);
    if (request && request->count > 0 && strcmp(request->replies[request->count - 1].text, reply->reply) == 0)
        return 0;
    if ((!request && ports->request_count == REQUESTS_MAX) || ports->replies == REPLIES_MAX ||
        ports->text + strlen(reply->reply) > TEXT_MAX) {
        ports->left_out++;
        return 0;
    }
    if (!request)
        request = add_request(ports, reply);
    return request ? add_reply(ports, request, reply) : -1;
}

const char *recorded_ports_answer(const struct recorded_ports *ports, const char *robot, const char *request,
                                  int64_t time)
{
    const struct request *found = find_request(ports, robot, request);
    if (!found || found->count == 0)
        return NULL;
    size_t at = 0;
    for (size_t i = 1; i < found->count; i++)
        if (found->replies[i].time <= time)
            at = i;
    return found->replies[at].text;
}

size_t recorded_ports_requests(const struct recorded_ports *ports, const char *robot)
{
    size_t count = 0;
    for (size_t i = 0; i < ports->request_count; i++)
        count += strcmp(ports->requests[i].robot, robot) == 0;
    return count;
}
