/* Monitors each telemetry stream while a capture is read: rate, clocks, modes, and who closes it. */
#ifndef ANALYSIS_STREAM_MONITOR_H
#define ANALYSIS_STREAM_MONITOR_H

#include "analysis/facts/detectors.h"
#include "analysis/facts/mode_timeline.h"
#include "analysis/facts/flow_rate.h"
#include "analysis/inside.h"

/* Keep-alives, or packets sent again, since the peer last sent a packet, and how many it had sent by then (of this, the
 * last 32 bits). */
struct asking {
    uint32_t count, heard;
};

/* What is followed while a stream runs. */
struct running_stream {
    struct armtap_rates *rates;
    struct robot_clock *robot; /* NULL: its packets are not from a socket, or no clock was seen yet */
    struct modes_last *modes;  /* of the arms seen so far; NULL: none */
    unsigned arms;
    bool is_left;              /* the capture ended, and the connection goes on */
    bool was_full;             /* the client stopped reading for a while, which delayed data */
    uint16_t answered;         /* keep-alives since the last record, as far as they can be counted */
    struct asking resent[2];   /* by direction, what was sent again */
    struct asking asking[2];   /* the same, keep-alives */
    struct armtap_where stuck; /* where the client's receive buffer became full; packet 0: it is not full */
    struct narrow_window narrow;
    struct lossy lossy;
    struct missing_records holes;
    struct clock_drift clocks;
    struct repeats *repeats;   /* NULL: there was no record that it looks at */
    uint64_t seen[2];          /* records by direction */
    struct armtap_set outputs; /* of the set-up in force, as far as the table knows them */
    bool has_outputs;          /* RTDE's, not guessed */
};

/* The stops of each arm; NULL: none. */
struct arms_stops {
    struct stop_windows *arm[ARMTAP_ARMS_MAX];
};

/* Thousands of streams that have ended may be kept: what few of them have is allocated when it is needed. */
struct stream_monitor {
    struct running_stream *running;       /* NULL once the stream has ended */
    struct running_stream *ended;         /* what it was then, of a capture in an archive */
    struct arms_stops *stops;             /* NULL: none, or not wanted */
    struct unanswered_requests *requests; /* of RTDE; NULL: none */
    struct open_robot_command *command;   /* NULL: there were no commands */
    bool closing;                         /* a FIN was seen */
    bool closed[2];
    struct armtap_rates_totals stream_rates_totals; /* set when the stream ends */
    struct armtap_clock_totals clock_drift_totals;
};

/* Call the functions below from the callbacks of a sink; they return -1 if memory runs out. */
struct monitors;
/* `reach`: ns to keep around a safety stop; 0: none. `frequency_wanted`: as in struct armtap_diagnosis_options. */
struct monitors *armtap_monitors_new(struct findings *findings, struct modes *modes, int64_t reach,
                                     bool frequency_wanted);
void armtap_monitors_free(struct monitors *monitors);
/* What they look at, as bits of enum armtap_wanted. */
int armtap_monitors_want(const struct monitors *monitors, const struct armtap_stream *stream,
                         enum armtap_direction direction);
int armtap_monitors_record(struct monitors *monitors, const struct armtap_record *record);
int armtap_monitors_recipe(struct monitors *monitors, const struct armtap_recipe_event *event);
int armtap_monitors_event(struct monitors *monitors, const struct armtap_event *event);
int armtap_monitors_message(struct monitors *monitors, const struct armtap_message *message);
int armtap_monitors_command(struct monitors *monitors, const struct armtap_command *command);
int armtap_monitors_note(struct monitors *monitors, const struct armtap_note *note);
/* Whether the monitor keeps the note until its extent is known; otherwise the caller adds it as a finding. */
bool armtap_monitors_keep(struct monitors *monitors, const struct armtap_note *note);
/* The connection is one of the many that are only counted. */
void armtap_monitors_forget(struct monitors *monitors, uint64_t connection);
/* Call after the reading. 0, or -1 if memory runs out. */
int armtap_monitors_end(struct monitors *monitors);
/* A capture of an archive begins: what came so far is known, and counts no more. */
void armtap_monitors_begin(struct monitors *monitors);
/* The capture ends, and the connection goes on. */
void armtap_monitors_leave(struct monitors *monitors, const struct armtap_stream *stream);
/* The monitor of a stream whose sums are added up; NULL if memory runs out. */
struct running_stream *armtap_monitors_add(struct monitors *monitors, const struct armtap_stream *stream);
/* NULL if there is none. */
const struct stream_monitor *armtap_monitors_of(const struct monitors *monitors, uint64_t connection);

#endif
