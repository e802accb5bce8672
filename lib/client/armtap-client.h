/* armtap: a client of robots, without sockets and without a clock.
 *
 * A client reads telemetry from one robot: over RTDE it negotiates the protocol, sets up recipes, starts and pauses; on
 * the legacy ports and those of the primary interface it listens. It opens nothing: the caller owns the socket and the
 * clock, and calls
 *
 *   armtap_client_connected, _failed, _receive, _closed   what happened on the socket
 *   armtap_client_send, _sent                             bytes to send, and how many were sent
 *   armtap_client_deadline, _expire                       when to call even if nothing happened
 *   armtap_client_verdict                                 what to do with the connection; ask after every call
 *
 * Inside is an armtap_conn that gets both directions. Its records, recipes, texts and notes go to the caller's sink, as
 * from a capture of the same bytes. The first verdict is RECONNECT, immediately. armtap's sources have a complete
 * program in lib/client/README.md.
 *
 * Errors, misuse and threads are as in armtap.h. `now` is a monotonic clock in ns with any start; a step back counts as
 * no time passed. `where` is the capture time, for the sink; NULL: none.
 */
#ifndef ARMTAP_CLIENT_H
#define ARMTAP_CLIENT_H

#include "armtap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armtap_client;

/* ---- making ---------------------------------------------------------------------------------------------------- */

/* What happened, in this order. */
enum armtap_client_event_type {
    ARMTAP_CLIENT_EVENT_CONNECTED, /* a new connection: the handshake begins */
    ARMTAP_CLIENT_EVENT_PROTOCOL,  /* a protocol was refused, or cannot do what was requested */
    ARMTAP_CLIENT_EVENT_DROPPED,   /* names that the controller lacks were dropped; an event for each line of them */
    ARMTAP_CLIENT_EVENT_IN_USE,    /* inputs are in use; they are requested again */
    ARMTAP_CLIENT_EVENT_STARTED,   /* the robot agreed to send data */
    ARMTAP_CLIENT_EVENT_RESTARTED, /* the controller's clock stepped back between two connections: it was restarted */
    ARMTAP_CLIENT_EVENT_DATA,      /* data arrives, for the first time or again */
    ARMTAP_CLIENT_EVENT_WAITING,   /* connected, but no data arrives */
    ARMTAP_CLIENT_EVENT_VERDICT    /* the verdict is no longer GO_ON; the text is its reason */
};
struct armtap_client_event {
    enum armtap_client_event_type type;
    enum armtap_severity severity;
    const char *text; /* one line */
};

struct armtap_client_options {
    size_t size;                   /* sizeof(struct armtap_client_options) */
    enum armtap_protocol protocol; /* ARMTAP_RTDE, ARMTAP_REALTIME or ARMTAP_PRIMARY */
    int max_version;               /* RTDE: the protocol to request first, 1 to 3; 0: 3 */
    const char *outputs;           /* RTDE: comma-separated names, at most 2048 bytes without blanks */
    size_t beside;                 /* the first `beside` outputs are not wanted for themselves (a clock): give up if the
                                    * controller lacks all others */
    double frequency;              /* RTDE: Hz, 1 or more; 0, or above the controller's own: its own */
    const char *const *inputs;     /* RTDE: input recipes, each as `outputs`; NULL: none */
    size_t input_count;            /* at most 255 */
    bool strict;                   /* RTDE: give up if the controller lacks a name; otherwise only if it lacks all */
    const char *robot, *client;    /* addresses for the stream, "10.0.0.2:30004"; or NULL */
    int64_t give_up;               /* ns without data after which the client gives up; 0: never */
    int (*on_event)(void *user, const struct armtap_client_event *event); /* or NULL; as a callback of a sink */
};
/* The reason why armtap_client_new would refuse these options, in words; NULL if it would not. */
ARMTAP_API const char *armtap_client_problem(const struct armtap_client_options *options);
/* Options, sink and what they point to are copied; `user` is passed to all callbacks. ERR_ARGUMENT for options with a
 * problem, ERR_SIZE without their size; ERR_UNSUPPORTED if the protocol was left out of the library. */
ARMTAP_API int armtap_client_new(const struct armtap_client_options *options, const struct armtap_sink *sink,
                                 void *user, struct armtap_client **client);
ARMTAP_API void armtap_client_free(struct armtap_client *client);

/* ---- the socket ------------------------------------------------------------------------------------------------ */

/* The caller should abort a connection attempt after this many ns: a robot answers within milliseconds. */
#define ARMTAP_CLIENT_CONNECT_TIME INT64_C(2000000000)

/* Why a connection attempt failed. */
enum armtap_client_failure {
    ARMTAP_CLIENT_REFUSED,
    ARMTAP_CLIENT_NO_ANSWER,
    ARMTAP_CLIENT_UNREACHABLE,
    ARMTAP_CLIENT_FAILED /* any other reason */
};
/* How a connection ended. */
enum armtap_client_end {
    ARMTAP_CLIENT_CLOSED_BY_ROBOT, /* an orderly end */
    ARMTAP_CLIENT_RESET,           /* ECONNRESET, EPIPE */
    ARMTAP_CLIENT_DEAD,            /* keep-alives without an answer, the network became unreachable */
    ARMTAP_CLIENT_CLOSED_HERE      /* by the caller, as the verdict asked */
};
/* A new TCP connection is established; a previous one still open is closed. ERR_NOT_READY after DONE or GIVE_UP. */
ARMTAP_API int armtap_client_connected(struct armtap_client *client, int64_t now, const struct armtap_where *where);
/* A connection attempt failed. `detail` is appended to the reason in words: the remedy, or, for FAILED, the cause;
 * NULL: nothing. */
ARMTAP_API int armtap_client_failed(struct armtap_client *client, int64_t now, enum armtap_client_failure failure,
                                    const char *detail);
/* Bytes from the robot, any number of them. ERR_NOT_READY without a connection. */
ARMTAP_API int armtap_client_receive(struct armtap_client *client, const void *bytes, size_t length, int64_t now,
                                     const struct armtap_where *where);
/* The connection ended, or the caller closed it, as the verdict asked. Otherwise armtap_client_connected, _failed and
 * _free do the same, but the sink gets the connection's remaining data only then. */
ARMTAP_API int armtap_client_closed(struct armtap_client *client, int64_t now, enum armtap_client_end how,
                                    const struct armtap_where *where);
/* The bytes to send now; returns their number, 0 if there are none. They are valid until the next call that changes
 * the client. */
ARMTAP_API size_t armtap_client_send(const struct armtap_client *client, const void **bytes);
/* The first `length` of them were sent. */
ARMTAP_API int armtap_client_sent(struct armtap_client *client, size_t length, int64_t now,
                                  const struct armtap_where *where);

/* ---- time ------------------------------------------------------------------------------------------------------ */

/* When armtap_client_expire is due; INT64_MAX: never. Changes with every other call. It does not include the time to
 * reconnect, which is in the verdict: wait for the earlier of both. */
ARMTAP_API int64_t armtap_client_deadline(const struct armtap_client *client);
/* Does what is due; nothing before the deadline. After a pause of the program, first pass the bytes that have arrived
 * during the pause. */
ARMTAP_API int armtap_client_expire(struct armtap_client *client, int64_t now);

/* ---- what it does ---------------------------------------------------------------------------------------------- */

/* Ends in an orderly way: pauses data and receives what is still in transit, for at most a second; then the verdict is
 * DONE, immediately if no data was started. */
ARMTAP_API int armtap_client_stop(struct armtap_client *client, int64_t now);
/* Queues values for the robot, those of input recipe `input` (from 0), for armtap_client_send. A field of the recipe
 * that is not known in `values` is sent as 0, which is a command for outputs and masks. Callbacks may call it.
 * ERR_NOT_READY if that recipe is not set up, ERR_SPACE if the buffer is full because the robot does not read earlier
 * data. */
ARMTAP_API int armtap_client_write(struct armtap_client *client, size_t input, const struct armtap_state *values);

enum armtap_client_state {
    ARMTAP_CLIENT_STATE_CONNECTING, /* no connection */
    ARMTAP_CLIENT_STATE_VERSION,    /* RTDE: requested a protocol */
    ARMTAP_CLIENT_STATE_CONTROLLER, /* RTDE: requested the controller's version */
    ARMTAP_CLIENT_STATE_SETUP,      /* RTDE: requested outputs */
    ARMTAP_CLIENT_STATE_INPUTS,     /* RTDE: requested inputs, or about to request them again */
    ARMTAP_CLIENT_STATE_START,      /* RTDE: requested data */
    ARMTAP_CLIENT_STATE_WAITING,    /* data should arrive, but does not, or not yet */
    ARMTAP_CLIENT_STATE_STREAMING,  /* data arrives */
    ARMTAP_CLIENT_STATE_PAUSING,    /* RTDE: requested a pause */
    ARMTAP_CLIENT_STATE_CLOSED      /* the verdict is DONE or GIVE_UP */
};
/* STATE_CLOSED for NULL. */
ARMTAP_API enum armtap_client_state armtap_client_state(const struct armtap_client *client);
/* "streaming"; "" for others. */
ARMTAP_API const char *armtap_client_state_name(enum armtap_client_state state);

enum armtap_client_decision {
    ARMTAP_CLIENT_GO_ON,
    ARMTAP_CLIENT_RECONNECT, /* close the connection, if there is one, and reconnect at `at` */
    ARMTAP_CLIENT_DONE,      /* finished: close */
    ARMTAP_CLIENT_GIVE_UP    /* close; retrying is useless, or was tried long enough */
};
struct armtap_client_verdict {
    enum armtap_client_decision what;
    int64_t at;         /* for RECONNECT; INT64_MIN, as at the beginning: immediately */
    const char *reason; /* one line; "" for GO_ON, and before the first connection */
};
/* Never NULL; valid until the client is freed. For NULL: GIVE_UP. */
ARMTAP_API const struct armtap_client_verdict *armtap_client_verdict(const struct armtap_client *client);

/* What was agreed with the robot and received from it. Only the library creates it. */
struct armtap_client_agreement {
    size_t size;                 /* bytes of this structure in the running library; it grows at its end */
    int version;                 /* RTDE protocol in force; 0: not agreed yet, or another protocol */
    char controller_version[32]; /* "5.11.1.108"; "" while unknown */
    double frequency;            /* Hz requested; 0: not requested, or the protocol has none */
    double rate;                 /* expected Hz, by software version: before 5 at most 125, others 500; 0: unknown */
    const struct armtap_recipe *recipe; /* of the outputs; NULL while there is none */
    const char *said;                   /* the robot's last text on this connection; "" without one */
    uint64_t connections;               /* so far */
    uint64_t restarts;                  /* how often the controller's clock stepped back between two of them */
    uint64_t records;                   /* data records of all of them */
    double first_clock, last_clock;     /* the controller's, s: of this connection's first and last record; NAN: none */
    enum armtap_protocol answers;       /* after GIVE_UP: the protocol of this port instead; NONE: not known */
};
/* Valid until the client is freed; NULL for NULL. */
ARMTAP_API const struct armtap_client_agreement *armtap_client_agreement(const struct armtap_client *client);

/* A dropped name. */
struct armtap_client_dropped {
    size_t size; /* sizeof(struct armtap_client_dropped) */
    const char *name;
    const char *since; /* the software versions that introduced it, as in the field dictionary; "" if unknown */
    enum armtap_refusal why;
    enum armtap_direction direction; /* ARMTAP_TO_ROBOT: of an input recipe ... */
    size_t input;                    /* ... and which */
};
/* The i-th of them; false beyond the last. */
ARMTAP_API bool armtap_client_dropped(const struct armtap_client *client, size_t i,
                                      struct armtap_client_dropped *dropped);
/* The recipe of an input; NULL if it is not set up on this connection. */
ARMTAP_API const struct armtap_recipe *armtap_client_input(const struct armtap_client *client, size_t input);
/* What is known about the connection; NULL before the first. Valid until the next connection. */
ARMTAP_API const struct armtap_stream *armtap_client_stream(const struct armtap_client *client);

#ifdef __cplusplus
}
#endif

#endif
