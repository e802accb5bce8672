/* What looks at a stream's records, notes and events, each for one thing that may be wrong. */
#ifndef ANALYSIS_DETECTORS_H
#define ANALYSIS_DETECTORS_H

#include <stddef.h>

#include "analysis/facts/findings.h"
#include "analysis/facts/commands.h"
#include "by_connection.h"

/* ---- clock_drift.c ----
 *
 * The controller's clock against the capture's: offset and drift.
 *
 * Method: delays between sending and capture only add time, so the packages that came through fastest show the
 * difference of the clocks. Time is cut into at most CLOCKS_BLOCKS blocks of one length, which doubles when they are
 * used up; each block keeps the package with the smallest (capture time - controller's clock). The drift is the median
 * of the slopes of all pairs of blocks (Theil and Sen): even many late blocks do not move it. It is known if the first
 * and the second half of the time agree: not if the capture's clock was set, nor if the time is so short that network
 * delays hide the drift. The offset is the line's median height at the first package. A clock that goes back starts a
 * new run; the run with most packages counts. */

#define CLOCKS_BLOCKS 128
/* Fewer packages yield no offset; fewer blocks or seconds no drift. */
#define CLOCKS_PACKAGES 10
#define CLOCKS_DRIFT_BLOCKS 16
#define CLOCKS_DRIFT_SECONDS 5
/* ppm: how much the halves may differ from the whole. */
#define CLOCKS_DRIFT_APART 25
/* s: the smallest change that counts as setting the capture's clock. */
#define CLOCKS_SET 0.02
/* By how much no clock is faster than another. */
#define CLOCKS_FAST 5e-4

/* A capture begins within the data: the packages so far count no more, but the runs and their beginnings stay. */
void armtap_clock_drift_begin(struct clock_drift *clocks);

/* ---- missing_records.c ----
 *
 * Missing or unreadable bytes of a stream's data: about how many records they held, and for how long no data came.
 * Reported with the next record. */

/* Holes between two records, those alike that the snapshot length made as one; further ones are reported as the library
 * does. */
#define HOLES_WAITING 16
#define HOLE_ARGUMENTS 6

/* Starts as zeros. */
struct missing_records {
    bool has_last;
    struct armtap_where last; /* record */
    uint64_t skipped;         /* the stream's counter at the last record */
    uint64_t records, bytes;  /* of all records */
    size_t length;            /* of the last record; 0: lengths differ */
    double clock, step;       /* the controller's at the last record, and the last step without a hole, s; 0: unknown */
    uint64_t missing;         /* bytes missing, from the last event */
    uint64_t cuts;            /* the stream's counter of gaps that the snapshot length made, at the last event */
    bool is_cut;              /* the last gap is one of these */
    struct armtap_stream *stream; /* as last seen; NULL while there was no hole */
    struct missing_run {
        const struct armtap_note_kind *kind;
        struct armtap_where where;
        uint64_t bytes;            /* 0: unknown */
        uint64_t times;            /* how many alike, the first of which this is; each has `bytes` */
        struct armtap_where until; /* the last of them */
        bool is_cut;               /* by the snapshot length */
        struct armtap_argument argument[HOLE_ARGUMENTS]; /* of the note: numbers and words */
        size_t argument_count;
    } * waiting; /* at most HOLES_WAITING */
    size_t count;
    bool failed; /* memory ran out */
};
void armtap_missing_records_clear(struct missing_records *holes);

/* Keeps a note of missing or unreadable data until the next record. False for any other note, which the caller
 * reports. */
bool armtap_missing_records_note(struct missing_records *holes, const struct armtap_note *note);
void armtap_missing_records_event(struct missing_records *holes, const struct armtap_event *event);
void armtap_missing_records_record(struct missing_records *holes, struct findings *findings,
                                   const struct armtap_record *record);
/* Call when no more records will come. */
void armtap_missing_records_end(struct missing_records *holes, struct findings *findings);

/* ---- unanswered_requests.c ----
 *
 * Requests of a client of RTDE, or of the dashboard server, that the robot did not answer: explains streams without
 * data, pauses that do not end, and commands without effect. */

#define UNANSWERED_REQUESTS 6 /* kinds of them; the last one is PAUSE */
#define UNANSWERED_PAUSE (UNANSWERED_REQUESTS - 1)
#define UNANSWERED_CONTROLLER 1 /* for its version */
#define UNANSWERED_INPUTS 3     /* their set-up */

/* Starts as zeros. */
struct unanswered_requests {
    struct rtde_request {
        struct armtap_where where; /* packet 0: none waits for its reply */
        uint64_t heard, lost;      /* packets of the robot when it came, and bytes that the capture lacked */
        char line[32];             /* to the dashboard server, as far as it fits; "" otherwise */
    } asked[UNANSWERED_REQUESTS];
    struct armtap_where last, resent; /* the last request; what the client sent again; packet 0: none */
    int64_t until;                    /* the first end of the connection */
    bool is_closing;                  /* `until` is known */
    bool granted;                     /* a set-up of outputs was answered */
    bool start_asked, is_paused;
    bool robot_seen; /* packets of the robot were captured */
};

/* Whether a client's message is looked at besides a stream's first ones. */
bool armtap_unanswered_is_request(const struct armtap_message *message);
/* A message of RTDE, or a line to or from the dashboard server. */
void armtap_unanswered_message(struct unanswered_requests *dialogue, const struct armtap_message *message);
/* Those that wait for a reply. */
unsigned armtap_unanswered_count(const struct unanswered_requests *dialogue);
/* A record of the robot, which shows that it was asked for: true if no request waits. */
bool armtap_unanswered_record(struct unanswered_requests *dialogue, bool is_first);
void armtap_unanswered_event(struct unanswered_requests *dialogue, const struct armtap_event *event);
/* The connection ends. `last`: the robot's last record. */
void armtap_unanswered_end(const struct unanswered_requests *dialogue, struct findings *findings,
                           const struct armtap_event *close, const struct armtap_where *last);

/* ---- window_stalls.c ----
 *
 * How long receive buffers were full: from a zero window to the next open one, or to the end. */

/* Stalls at a time; further ones are reported without duration. */
#define STALLS_MAX 1000

struct stalls {
    struct stall {
        struct armtap_stream stream; /* as it was at that time */
        enum armtap_direction direction;
        struct armtap_where from;
    } * all;
    size_t count;
};

/* Starts as zeros. */
void armtap_stalls_free(struct stalls *stalls);
/* Adds tcp.zero-window when a stall is over, at the packet where it began. 0, or -1 if memory runs out. */
int armtap_stalls_event(struct stalls *stalls, struct findings *findings, const struct armtap_event *event);
/* What that close says about the end of a stall: the connection ended, or only the capture. */
enum armtap_word armtap_stalls_close_word(const struct armtap_event *event);
/* Where the receive buffer of that connection's client became full; packet 0: it is not full. */
struct armtap_where armtap_stalls_begin_of_client(const struct stalls *stalls, uint64_t connection);
/* Whether the receive buffer of that connection's client is full now. */
bool armtap_stalls_of_client(const struct stalls *stalls, uint64_t connection);
/* The client of one connection offers a window that is not 0, but too small for the robot's next message, which TCP may
 * hold back until the client has read. */
struct narrow_window {
    struct armtap_where from;  /* packet 0: it is wide enough */
    struct armtap_where until; /* where it was 0 or wide enough again; packet 0: nowhere yet */
    struct armtap_where open;  /* where it was wide enough again */
    uint64_t room;             /* bytes that it offered meanwhile, at most */
    bool is_paused;            /* no data is due */
};
/* Starts as zeros. `message`: bytes of the robot's last one; 0: unknown. */
void armtap_narrow_event(struct narrow_window *narrow, const struct armtap_event *event, size_t message);
/* What is known when the robot's next record comes, or the connection ends. */
struct narrow_end {
    const struct armtap_stream *stream;
    struct armtap_where last, now; /* the record before, and this one or the end */
    size_t message;                /* bytes of this record, or of the last one */
    double usual;                  /* s between records; 0: unknown */
    bool is_skip;                  /* the controller skipped packages */
    bool is_after_gap;             /* of the capture: what it lacks was no silence */
    enum armtap_word close;        /* the end that it is; none: it is a record */
};
/* Adds tcp.zero-window, and returns true, if that window is why no record came for so long: the controller skipped
 * some, or it was silent. Call at every record. */
bool armtap_narrow_end(struct narrow_window *narrow, struct findings *findings, const struct narrow_end *end);
/* What the robot sent again, one soon after the other, and how long its data stood still. */
struct lossy {
    struct armtap_where first, last; /* of them; packet 0: none */
    struct armtap_where again;       /* the first of the last ones that brought no progress */
    struct armtap_where longest_end;
    int64_t longest, late; /* ns; of all, and of the last */
    double usual;          /* s between records; 0: unknown */
    uint32_t count, times; /* of all, and of those from `again` on */
    uint32_t acknowledged; /* of all, those that the client had: its answers were lost, or late */
    uint32_t slow;         /* of all, those for which its system waited for an answer; ... */
    uint32_t slow_lost;    /* ... of these, those that the client lacked */
    uint32_t heard;        /* packets of the client before them */
    bool is_proven;        /* that the network lost something */
    bool is_answered;      /* the client sent something since */
    bool is_over;          /* data came after the last of them */
};
/* Starts as zeros. `last`: the record before; `usual`: s between records. `can_read`: the client's receive buffer is
 * not full. */
void armtap_lossy_record(struct lossy *lossy, struct findings *findings, const struct armtap_record *record,
                         const struct armtap_where *last, double usual);
void armtap_lossy_event(struct lossy *lossy, struct findings *findings, const struct armtap_event *event,
                        bool can_read);
/* The connection carries no telemetry: drops its stalls. */
void armtap_stalls_forget(struct stalls *stalls, uint64_t connection);

/* ---- stop_window.c ----
 *
 * The arm around the start of a safety stop, or a driver's commands to it: a few rows of joint positions, currents and
 * TCP force, or of targets, before and after it, spread evenly over the requested time. */

#define STOP_WINDOWS_EACH 4
#define STOP_WINDOWS_ALL 400 /* of all streams */

/* The windows of one arm of a stream, or of a driver's commands. Starts as zeros. */
struct stop_windows {
    struct armtap_stop_row before[ARMTAP_STOP_ROWS]; /* the latest, a ring */
    struct armtap_stop_row just_before;              /* the record before */
    bool is_between;                                 /* just_before is not in the ring */
    unsigned seen;
    int64_t latest; /* time of the last one put into the ring */
    struct armtap_stop_window *all[STOP_WINDOWS_EACH];
    unsigned count;
};

/* Call for every record of the arm. `begins`: a stop begins with this one; `reach`: ns before and after. 0, or -1 if
 * memory runs out. */
int armtap_stop_window_record(struct stop_windows *windows, const struct armtap_record *record,
                              const struct armtap_arm *arm, bool begins, int64_t reach);
/* Call for every command of a driver. */
void armtap_stop_window_command(struct stop_windows *windows, const struct command *command, int64_t reach);
/* Call when a stop of the driver's robot begins. 0, or -1 if memory runs out. */
int armtap_stop_window_mark(struct stop_windows *windows, const struct armtap_where *stop, int64_t reach);
void armtap_stop_window_free(struct stop_windows *windows);

/* ---- input_holders.c ----
 *
 * Which connection set up a robot's inputs, as far as was captured, until it ended: it explains why another connection
 * is refused them. */

#define INPUT_HOLDER_ARGUMENTS 6

/* Starts as zeros. Of at most 256 connections at a time. */
struct input_holders {
    struct by_connection all; /* struct input_holder */
};

/* 0, or -1 if memory runs out. */
int armtap_input_holders_recipe(struct input_holders *holders, const struct armtap_recipe_event *event);
void armtap_input_holders_event(struct input_holders *holders, const struct armtap_event *event);
/* What a finding of the note says of a refused input if its holder is known, pointing into `holders`; false if it is
 * not, or for another note. */
bool armtap_input_holders_arguments(const struct input_holders *holders, const struct armtap_note *note,
                                    struct armtap_argument arguments[INPUT_HOLDER_ARGUMENTS]);
void armtap_input_holders_clear(struct input_holders *holders);

#endif
