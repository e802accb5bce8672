/* The inside of a client: client.c has its life, sink.c what its connection tells, rtde_client.c the handshake,
 * other_protocol.c what answers instead, client_says.c what all of them tell the caller. What these files share is
 * named like the public functions, which are those of armtap-client.h. */
#ifndef ARMTAP_CLIENT_INSIDE_H
#define ARMTAP_CLIENT_INSIDE_H

#include "nanoseconds.h"
#include "protocol/note.h"
#include "armtap-client.h"

/* ---- name_list.c: the names of a recipe to be set up, and which of them were left out ---- */

#define ARMTAP_NAMES_MAX 2048 /* bytes that a controller takes, by UR's guide */

struct armtap_name {
    const char *text;
    enum armtap_refusal why;
    bool dropped;
};

struct armtap_name_list {
    char *text;
    struct armtap_name *names;
    size_t count, dropped;
};

/* Bytes of a comma separated list as it will be sent: without blanks and empty names. */
size_t armtap_name_list_bytes(const char *list);
int armtap_name_list_take(struct armtap_name_list *names, const char *list);
void armtap_name_list_free(struct armtap_name_list *names);
/* Writes the names that were not dropped, comma separated; returns their bytes. */
size_t armtap_name_list_write(const struct armtap_name_list *names, char buffer[ARMTAP_NAMES_MAX]);
/* Leaves out a name; returns how many there were of it. */
size_t armtap_name_list_drop(struct armtap_name_list *names, const char *name, size_t length, enum armtap_refusal why);
/* Takes all of them again. */
void armtap_name_list_restore(struct armtap_name_list *names);

/* ---- the client ---- */

/* Before the next attempt to connect. */
#define BACKOFF_FIRST (SECOND / 4)
#define BACKOFF_MAX (5 * SECOND)

#define HEAD_BYTES 2048u /* of a connection show its protocol: more than any first message has */
#define OUT_BYTES 4096u  /* to be sent */
#define OUT_LAST 8u      /* of them for PAUSE */

/* An input recipe. */
struct armtap_client_input {
    struct armtap_name_list names;
    const struct armtap_recipe *recipe; /* NULL: not set up on this connection */
    unsigned id;
};

/* What the current message brought besides itself. */
struct armtap_client_gathered {
    bool recipe; /* for the data that was asked for */
    size_t lacking, in_use;
};

/* What is known about one connection; a new one begins with zeros. */
struct armtap_client_link {
    bool open;       /* it stands */
    int64_t lasting; /* data from then on sets the back-off back */
    uint8_t head[HEAD_BYTES];
    size_t head_length; /* first bytes, kept until they show what answers */
    bool is_judged;     /* they did */
    uint64_t foreign;   /* bytes since the last message that are none */
    bool had_data;
    bool unconfirmed; /* the robot says that it sends no data until its safety setup is confirmed */
    bool told_waiting;

    /* RTDE: one request at a time. */
    enum armtap_rtde_type asked;
    bool awaiting;
    uint64_t sent, asked_end; /* bytes sent, and how many with the request */
    struct armtap_client_gathered gathered;
    int asking_version;
    bool asked_again; /* without some names */
    size_t input;     /* which is being set up */
    unsigned tries;   /* to get inputs that are in use */
};

struct armtap_client {
    struct armtap_client_options options; /* its texts are copied elsewhere */
    char robot[64], client[64];
    struct armtap_name_list outputs;
    struct armtap_client_input *inputs;
    struct armtap_sink sink;
    void *user;

    struct armtap_conn *conn;
    struct armtap_client_link link;
    enum armtap_client_state state;
    struct armtap_client_verdict verdict;
    struct armtap_line reason, said;
    struct armtap_client_agreement agreed;
    int error;         /* repeated from then on */
    bool busy, doomed; /* within a call; and freed there */

    int64_t now;
    int64_t deadline; /* of the state; INT64_MAX: none */
    int64_t good;     /* when data came, or the first call */
    bool begun;       /* there was a first call */

    /* Over all connections. */
    int64_t backoff;         /* before the next attempt to connect */
    bool talked;             /* data was started */
    unsigned unanswered;     /* connections in a row on which the request for a protocol was not */
    double last_clock;       /* NAN: none */
    char judged_version[32]; /* the release that lacked the dropped names */

    uint8_t out[OUT_BYTES]; /* to be sent */
    size_t out_length;
};

/* ---- client_says.c ---- */

int64_t armtap_client_later(const struct armtap_client *client, int64_t ns);
/* Tells the caller. */
int armtap_client_tell(struct armtap_client *client, enum armtap_client_event_type type, enum armtap_severity severity,
                       const char *format, ...);
/* The connection is to be closed, and made anew later. The format is that of armtap_line_format. */
int armtap_client_lose(struct armtap_client *client, const char *format, ...);
/* It is to be closed for good: DONE or GIVE_UP. */
int armtap_client_finish(struct armtap_client *client, enum armtap_client_decision what, const char *format, ...);
/* Data came, or should come from now on. */
int armtap_client_has_data(struct armtap_client *client);
int armtap_client_wait(struct armtap_client *client);
/* Data should have come. */
int armtap_client_miss_data(struct armtap_client *client);
/* Writes a package behind what is to be sent; `spare` bytes stay free. */
int armtap_client_put(struct armtap_client *client, const struct armtap_rtde_package *package, size_t spare);

/* ---- other_protocol.c ---- */

/* Keeps the first bytes of a connection. */
void armtap_client_keep_head(struct armtap_client *client, const uint8_t *bytes, size_t length);
/* Gives up if they are another protocol's than the one asked for; loses the connection if RTDE's are none. */
int armtap_client_judge_head(struct armtap_client *client);
/* Whether nothing has come, and the port is known to carry another protocol; then it is to be given up. */
bool armtap_client_is_misled(const struct armtap_client *client);
int armtap_client_leave_port(struct armtap_client *client);

/* ---- sink.c ---- */

/* The sink of the client's connection. */
void armtap_client_sink(const struct armtap_client *client, struct armtap_sink *sink);

/* ---- rtde_client.c ---- */

int armtap_rtde_client_begin(struct armtap_client *client);
/* What is not answered: "the set-up of outputs"; NULL if nothing is asked. */
const char *armtap_rtde_client_asks(const struct armtap_client *client);
/* Whether a package of that type may come from a controller. */
bool armtap_rtde_client_knows(uint8_t type);
/* A whole message came. */
int armtap_rtde_client_take(struct armtap_client *client, const struct armtap_message *message,
                            const struct armtap_client_gathered *gathered);
/* The deadline of a request passed. */
int armtap_rtde_client_expire(struct armtap_client *client);
/* Asks for no more data. */
int armtap_rtde_client_pause(struct armtap_client *client);

#endif
