/* What a capture has of the ports that armtap does not decode, by robot: what clients of the primary and secondary
 * interface got on connecting, and what the dashboard server answered. */
#ifndef SERVE_RECORDED_PORTS_H
#define SERVE_RECORDED_PORTS_H

#include "other_ports.h"

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
