/* The state of an RTDE connection: protocol, requests waiting for their replies, recipes. */
#ifndef ARMTAP_RTDE_SESSION_H
#define ARMTAP_RTDE_SESSION_H

#include "protocol/decoder.h"
#include "rtde_package.h"
#include "rtde_judge.h"

/* A set-up, version or property request whose reply has not come. */
struct armtap_rtde_request {
    struct armtap_rtde_request *next;
    enum armtap_rtde_type type;
    unsigned version;
    int protocol; /* that its layout follows */
    double frequency;
    size_t frequency_commas; /* among its bytes */
    uint64_t offset;         /* of its package */
    struct armtap_where where;
    bool answered;                /* by a reply that cannot be read */
    bool settled;                 /* of properties: that no answer came is noted, or cannot be known */
    bool passed;                  /* the client continued to START */
    bool missed;                  /* its reply should have come by now */
    bool in_force;                /* an output set-up that data follows, although its reply is missing */
    struct armtap_recipe *recipe; /* of these names, with the table's types; NULL until `tried` */
    bool tried;
    bool is_set_up;      /* for inputs: without the reply */
    size_t unfit_length; /* of data that these names do not fit, if any came without the reply */
    size_t names_length;
    char names[];
};

/* Set-up requests of one direction that were dropped at a limit. */
struct armtap_rtde_forgotten {
    const struct armtap_budget *limit; /* NULL: none dropped, or a later one was answered */
    uint64_t owed;                     /* their replies yet to come, before all others */
    size_t unclaimed; /* replies that came while requests were being looked for behind missing bytes: those may be
                         theirs */
};

/* A set-up reply that cannot be read, or that refuses. */
struct armtap_rtde_bad {
    bool seen;
    bool refused;
    uint64_t packet;
};

/* A refused request for a protocol, which is not a fault if the client then got another one. */
struct armtap_rtde_refusal {
    unsigned version;
    uint64_t offset;
    struct armtap_where where;
};
#define ARMTAP_RTDE_REFUSALS 4

/* A refused set-up of outputs that was read from a socket. It is not a fault if the client then leaves names out and
 * has the rest accepted. */
struct armtap_rtde_held {
    char *lists; /* names, then their types; NULL: none is held */
    size_t names_length, types_length;
    uint64_t offset;
    struct armtap_where where;
};

/* Data packages that do not fit their recipe, one after another: the first is noted, then how many there were. */
struct armtap_rtde_misfits {
    bool noted;
    uint64_t more;   /* behind the first, which is noted */
    uint64_t offset; /* of the last */
    struct armtap_where where;
};

/* Whether bytes missing in both directions may hold another set-up. */
struct armtap_rtde_doubt {
    unsigned gaps; /* from the robot so far */
    bool judging;  /* data after the last one is being sampled */
};

/* What each data package needs comes first: where thousands of connections take turns, none of it is in a cache. */
struct armtap_rtde {
    int protocol;          /* 0: the handshake was not captured */
    bool begun;            /* a package was seen */
    bool default_in_force; /* protocol 1, and only requests for another one and texts were seen */
    bool assumed;          /* protocol 1 by default; neither a V reply nor a set-up says so */
    bool outputs_refused;
    bool outputs_unnamed;  /* only the reply with their types was captured; to be noted */
    bool outputs_guessed;  /* not from a handshake */
    bool outputs_inferred; /* guessed from the data itself: all of it must keep within the limits */
    bool in_step[2];
    bool missing_noted[2]; /* data without a recipe */
    int outputs_id;        /* in data of protocols 2 and 3; -1 until the first package shows it */
    struct armtap_rtde_request *requests, **requests_end;
    size_t request_bytes, request_count;
    size_t claimed;      /* bytes, of the connection's memory */
    size_t recipe_bytes; /* of all recipes below, and of those of requests */
    struct armtap_recipe *outputs;
    struct armtap_recipe *typed;       /* what is known by the reply alone: types; NULL: the names, too, or nothing */
    struct armtap_rtde_inputs *inputs; /* NULL: none was set up */
    long clock_offset;                 /* of timestamp in the outputs, -1 without it */
    size_t last_data[2];               /* size of the last data package, by direction */
    size_t refusal_count;
    size_t limit_count;
    struct armtap_rtde_doubt doubt;
    struct armtap_rtde_held held;             /* yet to be noted */
    bool lost_requests;                       /* bytes to the robot are missing, or could not be read */
    struct armtap_rtde_misfits misfits[2][2]; /* by direction: short ones, long ones */
    double frequency;                         /* asked for with the outputs */
    unsigned refused_version;
    struct armtap_rtde_refusal refusals[ARMTAP_RTDE_REFUSALS]; /* yet to be noted */
    struct armtap_rtde_forgotten forgotten[2];                 /* by direction: set-ups of outputs and of inputs */
    struct armtap_rtde_limit *limits;
    bool judged;                              /* the sample of data without a handshake was judged */
    long sampled_clock;                       /* where in the payload the clock was found, -1 without it ... */
    size_t sampled_length;                    /* ... in data packages of that payload */
    struct armtap_rtde_candidates candidates; /* for data that stays without names */
    struct armtap_rtde_not_taken *not_taken;  /* at the last judgement, yet to be noted; NULL: none */
    uint64_t judged_offset;                   /* the package of that judgement */
    struct armtap_where judged_where;
    size_t input_entries;                /* of all input recipes, to keep them bounded */
    struct armtap_rtde_bad bad_reply[2]; /* to the last set-up of a direction's data */
};

/* ---- rtde_requests.c ---- */

/* Remembers a request until its reply comes. */
int armtap_rtde_remember(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                         const struct armtap_rtde_package *package);
/* Frees a request that was taken out of the queue. */
void armtap_rtde_free_request(struct armtap_rtde *rtde, struct armtap_rtde_request *request);
void armtap_rtde_forget_requests(struct armtap_rtde *rtde);
/* The request that a reply of that type would answer, or NULL. */
struct armtap_rtde_request *armtap_rtde_waiting(const struct armtap_rtde *rtde, enum armtap_rtde_type type);
/* The same, removed from the queue with earlier ones that explain nothing. The caller frees it. */
struct armtap_rtde_request *armtap_rtde_answered(struct armtap_rtde *rtde, enum armtap_rtde_type type);
/* The same for an unreadable reply: the request stays because its names may explain data, but waits for nothing. */
void armtap_rtde_answered_badly(struct armtap_rtde *rtde, enum armtap_rtde_type type);
/* The client sent START, so all its requests were answered. */
void armtap_rtde_went_on(struct armtap_rtde *rtde);
/* All requests so far were answered: what the controller sends from now on follows their replies. */
void armtap_rtde_missed_replies(struct armtap_rtde *rtde);
/* Gives up the output recipe if a later set-up must have replaced it by now. */
int armtap_rtde_doubt_outputs(struct armtap_rtde *rtde, struct armtap_conn *conn, int64_t now);

/* Whether its reply should have come by now. */
bool armtap_rtde_is_overdue(const struct armtap_rtde_request *request, int64_t now);

/* ---- rtde_doubt.c ---- */

/* Handles missing bytes in the direction of `here`: takes the outcome of an earlier pass, or begins to check the
 * recipe. */
int armtap_rtde_gap(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *here);
/* Checks data from the robot after such gaps, and gives up the recipe if the data cannot follow it. */
int armtap_rtde_doubt_data(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame);

/* ---- rtde_session.c ---- */

/* Reads packages as those of protocol 1, or 2 and later: set-ups and data of 2 and 3 are alike, so that the stream's
 * version is not known then. */
void armtap_rtde_read_as(struct armtap_rtde *rtde, struct armtap_conn *conn, int protocol);
/* Stores a recipe that the caller holds, or NULL, and releases the one stored before. */
void armtap_rtde_put(struct armtap_rtde *rtde, struct armtap_recipe **place, struct armtap_recipe *recipe);
/* Whether a recipe of that many fields may be made: `may` becomes false, with a note, if it would exceed a budget. */
int armtap_rtde_may_make(struct armtap_conn *conn, const struct armtap_frame *frame, size_t fields, size_t name_bytes,
                         bool *may);
/* Reports the memory in use to the connection, if it is another amount than the last time. */
static inline void armtap_rtde_claim(struct armtap_rtde *rtde, struct armtap_conn *conn)
{
    size_t bytes = rtde->recipe_bytes + rtde->request_bytes + (rtde->inputs ? sizeof *rtde->inputs : 0) +
                   rtde->limit_count * sizeof *rtde->limits + (rtde->not_taken ? sizeof *rtde->not_taken : 0);
    if (bytes != rtde->claimed)
        armtap_conn_claim(conn, bytes);
    rtde->claimed = bytes;
}

/* Of timestamp in the values of a recipe, -1 without it. */
long armtap_rtde_clock_offset(const struct armtap_recipe *recipe);
/* Makes a recipe that the caller holds, or NULL, the output recipe. */
void armtap_rtde_take_outputs(struct armtap_rtde *rtde, struct armtap_recipe *recipe);
/* Whether data tells no more about its recipe. */
static inline bool armtap_rtde_size_is_known(const struct armtap_recipe *recipe)
{
    return !recipe->replied && !recipe->open;
}

/* Data to the robot, where the controller's replies to set-ups were not captured: sets up what the client asked for
 * with the table's types, if they fit the data. */
int armtap_rtde_assume_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame);
/* Data without a handshake: samples it, and finds a recipe for it if there is enough evidence; gives up one that data
 * contradicts. */
int armtap_rtde_guess(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame);
/* No more data: says which well-known recipes of its length were not taken. */
int armtap_rtde_note_not_taken(struct armtap_rtde *rtde, struct armtap_conn *conn);

/* ---- rtde_set_up.c ---- */

int armtap_rtde_open(void *context);
void armtap_rtde_close(void *context);
/* Makes a recipe that the caller holds that of an id of inputs, within the budget: otherwise it is released. */
int armtap_rtde_put_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                           struct armtap_recipe *recipe, uint8_t id);
/* The recipe at `place`, for data of the frame's direction, has an unknown type, or data shows more of it: replaces it
 * by the recipe for values of `length` bytes, or by the open one if the length varies. */
int armtap_rtde_size_unknown(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                             struct armtap_recipe **place, size_t length);
/* Replies to O and I: notes refusals, makes the recipe, passes it on. */
int armtap_rtde_set_up_outputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                               const struct armtap_rtde_package *package);
int armtap_rtde_set_up_inputs(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame,
                              const struct armtap_rtde_package *package);
/* A reply whose bytes do not follow the layout. */
int armtap_rtde_unreadable(struct armtap_rtde *rtde, struct armtap_conn *conn, const struct armtap_frame *frame);

#endif
