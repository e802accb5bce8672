/* What a robot says on the ports besides those of telemetry: messages of the primary and secondary interface, replies
 * of the dashboard server. */
#ifndef SERVE_OTHER_PORTS_H
#define SERVE_OTHER_PORTS_H

#include "armtap.h"

#define DASHBOARD_PORT 29999u

/* A robot's address without its port. */
void other_ports_host(char to[64], const char *robot);

/* A message of the primary or secondary interface. */
struct port_message {
    const char *robot; /* its address without the port */
    uint16_t port;
    uint64_t connection;
    int64_t time;     /* ARMTAP_NO_TIME if unknown */
    bool is_greeting; /* all messages of a connection up to its first state: what a client gets on connecting */
    const uint8_t *bytes;
    size_t length;
};
/* A reply of the dashboard server. */
struct port_reply {
    const char *robot;
    int64_t time;
    const char *request; /* "": none, it is the greeting */
    const char *reply;
};
/* Each returns 0, or another number to end it. */
struct other_ports_wish {
    int (*on_message)(void *user, const struct port_message *message);
    int (*on_reply)(void *user, const struct port_reply *reply); /* may be NULL */
    void *user;
};

struct other_ports;
/* NULL if memory runs out. */
struct other_ports *other_ports_new(const struct other_ports_wish *wish);
/* Accepts NULL. */
void other_ports_free(struct other_ports *ports);
#define OTHER_PORTS_NO_MEMORY (-1)
/* The next bytes of a connection. 0, what a callback returned, or OTHER_PORTS_NO_MEMORY. */
int other_ports_bytes(struct other_ports *ports, const struct armtap_bytes *bytes);
/* The same of a connection whose port has a decoder: its messages. */
int other_ports_message(struct other_ports *ports, const struct armtap_message *message);
/* What happened to a connection: a gap, its end. */
int other_ports_event(struct other_ports *ports, const struct armtap_event *event);
/* A connection ended. */
int other_ports_close(struct other_ports *ports, uint64_t connection);

/* What a capture has of the ports that armtap does not decode, by robot: what clients of the primary and secondary
 * interface got on connecting, and what the dashboard server answered. */

struct recorded_port {
    char robot[64];
    uint16_t port;
    uint64_t messages;
    uint8_t *greeting; /* NULL: none was captured */
    size_t greeting_length;
};

struct recorded_ports;
/* NULL if memory runs out. */
struct recorded_ports *recorded_ports_new(void);
/* Accepts NULL. */
void recorded_ports_free(struct recorded_ports *ports);
/* 0, or -1 if memory runs out. */
int recorded_ports_message(struct recorded_ports *ports, const struct port_message *message);
int recorded_ports_reply(struct recorded_ports *ports, const struct port_reply *reply);
/* A robot's port of the primary or secondary interface; NULL if no message of it was captured. */
const struct recorded_port *recorded_ports_find(const struct recorded_ports *ports, const char *robot, uint16_t port);
/* The last reply to a request at or before a time, else the first; NULL if none was captured. */
const char *recorded_ports_answer(const struct recorded_ports *ports, const char *robot, const char *request,
                                  int64_t time);
/* How many different requests the dashboard server answered; its greeting counts, too. */
size_t recorded_ports_requests(const struct recorded_ports *ports, const char *robot);
/* What was too much to be kept: messages and replies of further ports, requests and changes. */
uint64_t recorded_ports_left_out(const struct recorded_ports *ports);

#endif
