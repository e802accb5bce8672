/* What a robot says on the ports besides those of telemetry: messages of the primary and secondary interface, replies
 * of the dashboard server. */
#ifndef SERVE_OTHER_PORTS_H
#define SERVE_OTHER_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "armtap.h"
#include "base/text/buffer.h"

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

/* A conversation with the dashboard server: lines, and which one answers which. */

#define DASHBOARD_REQUEST_MAX 256u
#define DASHBOARD_REPLY_MAX 4096u
#define DASHBOARD_PENDING_MAX 16u /* requests without their reply */

/* `request` is "" for the greeting. 0, or another number to end it. */
typedef int dashboard_talk_take(void *user, const char *request, const char *reply);

struct dashboard_line {
    size_t length;
    bool is_too_long;
    char text[DASHBOARD_REPLY_MAX + 1];
};
struct dashboard_talk {
    bool greets;                                                    /* the robot's next line is its greeting */
    bool is_lost;                                                   /* which line answers which is no longer certain */
    struct dashboard_line said[2];                                  /* by enum armtap_direction */
    unsigned first, count;                                          /* of the requests that wait */
    char pending[DASHBOARD_PENDING_MAX][DASHBOARD_REQUEST_MAX + 1]; /* "": a request too long to be kept */
};

/* `from_start`: its first bytes are the connection's. */
void dashboard_talk_begin(struct dashboard_talk *talk, bool from_start);
/* Bytes are missing, in either direction. */
void dashboard_talk_gap(struct dashboard_talk *talk);
/* Calls `take` for each reply. 0, or what `take` returned. */
int dashboard_talk_bytes(struct dashboard_talk *talk, bool from_robot, const uint8_t *bytes, size_t length,
                         dashboard_talk_take *take, void *user);
/* Cuts blanks off the end of a line. */
size_t dashboard_line_trim(const char *line, size_t length);

/* Whole messages of the primary and secondary interface in the bytes that a robot sent: a length of four bytes that
 * counts itself, a type, the rest. */

#define PRIMARY_MESSAGE_MAX 65535u
#define PRIMARY_ROBOT_STATE 16u
/* The type of a message. */
static inline uint8_t primary_message_type(const uint8_t *message)
{
    return message[4];
}

struct primary_stream {
    struct buffer held; /* part of a message, or bytes among which one is looked for */
    bool is_synced;     /* a message begins at the first of them */
};
/* 0, or another number to end it. */
typedef int primary_stream_take(void *user, const uint8_t *message, size_t length);

/* `is_synced`: the first byte begins a message. */
void primary_stream_begin(struct primary_stream *stream, bool is_synced);
void primary_stream_end(struct primary_stream *stream);
/* Bytes are missing here. */
void primary_stream_gap(struct primary_stream *stream);
/* Calls `take` for each message that they complete. 0, what `take` returned, or -1 if memory runs out. */
int primary_stream_bytes(struct primary_stream *stream, const uint8_t *bytes, size_t length, primary_stream_take *take,
                         void *user);

#endif
