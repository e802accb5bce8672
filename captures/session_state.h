/* The state of a client of the scene, shared by its steps for RTDE and for AUBO. */
#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include "armtap.h"
#include "aubo.h"
#include "motion.h"
#include "scene.h"
#include "wire.h"

enum { SESSION_INPUTS = 24, SESSION_HELD = 16384 };

/* What one connection carried, for the summary. */
struct session_tally {
    int64_t time; /* of its first packet */
    const struct scene_client *client;
    enum armtap_protocol protocol;
    unsigned version;    /* RTDE protocol, or bytes of a realtime packet */
    uint64_t records[2]; /* by enum armtap_direction */
};

struct session {
    const struct scene *scene;
    const struct scene_client *client;
    const char *path; /* of the script, for errors */
    struct wire_connection connection;
    struct prng prng;
    struct motion *motion;
    size_t step; /* the next */
    unsigned protocol;
    size_t realtime;          /* bytes of a packet; 0: none are sent */
    bool primary;             /* the primary interface is sent */
    unsigned command_timeout; /* ms; of the commands that a driver sends each cycle; 0: it sends none */
    /* The robot's program obeys ur_rtde's commands: */
    bool obeys;
    unsigned obeys_at;     /* offset of its registers */
    unsigned obeys_cycles; /* that a command takes */
    unsigned obeys_left;   /* until it is done; 0: nothing is to be done */
    int32_t obeys_state;   /* what it says of that */
    bool streaming;        /* RTDE data is being sent */
    struct armtap_recipe *outputs;
    unsigned every; /* cycles between two data packages */
    struct armtap_recipe *inputs[SESSION_INPUTS];
    unsigned input_count;
    struct armtap_state *written; /* values that the client writes */
    unsigned watchdog;            /* input recipe sent in answer to every package; 0: none */
    const struct armtap_field *watchdog_field;
    uint64_t watchdog_count;
    uint8_t held[SESSION_HELD]; /* data held back until the next packet */
    size_t held_length;
    struct session_tally *tallies; /* room for the connections of the scene */
    size_t *tally_count;
    struct session_tally *tally; /* of the connection */
    struct aubo aubo;
    bool failed;
};

#define SESSION_TALLIES 64

/* Prints what is wrong with a step on standard error; the session has failed. */
void session_fail(struct session *session, const struct client_step *step, const char *problem, const char *thing);
/* Sends the controller's data together with what was held back before. */
void session_flush(struct session *session, int64_t time);

#endif
