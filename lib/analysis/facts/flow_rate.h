/* How regularly data came. */
#ifndef ANALYSIS_FLOW_RATE_H
#define ANALYSIS_FLOW_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "analysis/facts/findings.h"
#include "analysis/inside.h"

/* ---- histogram.c ----
 *
 * A histogram of times whose bins are 1/32 of their value wide: quantiles are exact to 1.6 %, in bounded memory for any
 * number of times. */

#define SPREAD_BINS 32 /* per octave */
#define SPREAD_OCTAVES (ARMTAP_HISTOGRAM_BINS / SPREAD_BINS)

/* Starts as zeros. Only octaves with times have bins: the times of a stream are similar, and there may be thousands of
 * streams. */
struct histogram {
    uint8_t place[SPREAD_OCTAVES]; /* of an octave in `bins`, from 1; 0: it has no times */
    uint8_t used;
    bool failed;                   /* memory ran out: some times are missing */
    uint32_t (*bins)[SPREAD_BINS]; /* they saturate */
    uint64_t count;
    int64_t largest; /* exact */
};
void armtap_histogram_clear(struct histogram *histogram);

/* `time` in ns, not negative. */
void armtap_histogram_add(struct histogram *histogram, int64_t time);
/* The time that `percent` of the times do not exceed; -1 if there are none. */
int64_t armtap_histogram_quantile(const struct histogram *histogram, unsigned percent);

/* ---- waiting_arrivals.c ----
 *
 * The arrivals of a stretch whose usual step is not known yet: the first ones of each of thousands of streams may wait
 * at once. */

struct arrival {
    struct armtap_where where;
    int64_t read;   /* when it could be read, in order */
    double clock;   /* the controller's, s; 0: not set yet; NAN: none */
    double lost;    /* records that fit in the bytes missing before it */
    double whole;   /* the same if these are an exact multiple of its size; 0: unknown */
    size_t length;  /* its bytes */
    bool after_gap; /* bytes before it are missing or were not a message */
};

/* Starts as zeros. */
struct waiting_arrivals {
    unsigned count;
    unsigned room, gap_room; /* allocated */
    struct waiting_arrival *all;
    struct waiting_gap *gaps; /* before each of them; NULL: there is none */
};
void armtap_waiting_clear(struct waiting_arrivals *waiting);
/* False if memory runs out. */
bool armtap_waiting_add(struct waiting_arrivals *waiting, const struct arrival *arrival);
struct arrival armtap_waiting_at(const struct waiting_arrivals *waiting, unsigned i);
/* Sets clocks back to 0; those that have none stay without. */
void armtap_waiting_forget_clocks(struct waiting_arrivals *waiting);

/* ---- window_stalls.c ----
 *
 * Data that waited in the robot's system, or on its way, since the path or the client took less than was sent: packages
 * come later than the controller's clock says, or several in one packet. What a controller skips then it could not
 * send. */

/* s: what comes later than this waited. */
#define BACKLOG_LATE 0.05
/* Starts as zeros. */
struct backlog {
    bool is_begun;
    double least[2]; /* s, of the capture's clock less the controller's: in this minute, and in the one before */
    int64_t since;   /* where this minute began */
    double late;     /* s, the last package; 0: in time */
    uint32_t joint;  /* bits of the last packages, the latest lowest: it came in a packet with the one before */
    uint64_t times, from_packet, until_packet; /* what was sent again since a package came in time */
    struct armtap_where skipped; /* where packages were skipped at last since data waited; packet 0: nowhere */
};
/* Takes a package, and whether it came in the packet of the one before. A clock is NAN if it is unknown. */
void armtap_backlog_take(struct backlog *backlog, int64_t time, double clock, bool is_joint);
void armtap_backlog_resent(struct backlog *backlog, uint64_t packet);
/* Whether data waited when the last package came. */
bool armtap_backlog_waits(const struct backlog *backlog);

/* ---- flow_rate.c ----
 *
 * How regularly one flow of data arrived, that of an RTDE or legacy connection or of an AUBO channel: expected and
 * measured rate, jitter, silences, packages that the controller skipped, its clock going back.
 *
 * Data is judged in stretches: from START, or the first record, to PAUSE, a new set-up, or the end of the connection.
 * Time between two stretches is not judged. A stretch of an AUBO channel begins with its subscription, which gets no
 * reply.
 *
 * The expected rate is the one requested by the set-up, rounded to whole cycles as UR's controllers do: every floor(125
 * / f) cycles of 8 ms before software 5, every floor(500 / f) cycles of 2 ms from then on; protocol 1 and the legacy
 * stream send every cycle. If software or frequency are unknown, the usual step of the controller's clock decides: the
 * median of a stretch's first PACE_WAITING records. How AUBO's controllers round is unknown: the requested rate is
 * expected, and a rate is low only if it is also low for the next step in whole cycles. */

#define PACE_WAITING 64

struct flow_rate_totals {
    double expected_hz;  /* mean over the stretches; 0: unknown */
    double rate_hz;      /* the same, measured; 0: unknown */
    int64_t longest_gap; /* as the longest silence, with gaps of the capture */
    double requested_hz; /* by the last set-up; 0: unknown */
    double highest_hz;   /* what the controller can send; 0: unknown */
    bool is_paused;
};

/* What is known about each stretch of a stream's flows: a first reading fills it, a second one uses it. Starts as
 * zeros; armtap_rates_learned_free frees it. */
struct armtap_rates_learned {
    struct flow_rate_stretch {
        int channel;
        double expected, usual;
    } * all;
    size_t count, room;
    size_t *left;  /* how many more may be learned, shared by all streams */
    bool is_cut;   /* not all were learned */
    bool is_known; /* the first reading is over */
    bool failed;   /* memory ran out: incomplete */
};

struct flow_rate;
/* `channel` is used if the protocol has channels. Adds the differences between the steps of arrival and of the
 * controller's clock to `jitter`. `frequency_wanted`: as in struct armtap_diagnosis_options. NULL if memory runs out.
 */
struct flow_rate *armtap_flow_rate_new(const struct armtap_stream *stream, int channel, struct histogram *jitter,
                                       bool frequency_wanted);
/* Its next record will probably come soon. */
void armtap_flow_rate_prefetch(const struct flow_rate *flow);
void armtap_flow_rate_free(struct flow_rate *flow);
/* Whether memory ran out: not everything was judged. */
bool armtap_flow_rate_failed(const struct flow_rate *flow);
/* Call first: the flow adds to `learned`, or uses it if it is known. `only_learns`: it judges nothing. */
void armtap_flow_rate_learn(struct flow_rate *flow, struct armtap_rates_learned *learned, bool only_learns);
/* Call it first, too: nobody asks for anything but steps and whether memory ran out. */
void armtap_flow_rate_only_steps(struct flow_rate *flow);
/* Takes a record from the robot. Adds findings. Returns whether the clock went back. `findings` may be NULL, here and
 * below. */
bool armtap_flow_rate_record(struct flow_rate *flow, struct findings *findings, const struct armtap_record *record);
/* The step to the last record. In the first records of a stretch, while the usual step is unknown, the set-up or the
 * records so far decide; a learned step is known at once. */
void armtap_flow_rate_last_step(const struct flow_rate *flow, struct armtap_rates_step *step);
/* Another channel reported that the clock went back: forgets the last clock value. */
void armtap_flow_rate_forget_clock(struct flow_rate *flow);
void armtap_flow_rate_set_up(struct flow_rate *flow, struct findings *findings,
                             const struct armtap_recipe_event *event);
void armtap_flow_rate_event(struct flow_rate *flow, struct findings *findings, const struct armtap_event *event);
/* Whether data is due, and came up to now, but for a silence. */
bool armtap_flow_rate_runs(const struct flow_rate *flow, const struct armtap_where *now);
/* Why data stopped, as far as TCP shows; packets and numbers are 0 if they say nothing. */
struct flow_rate_blame {
    enum armtap_word reason; /* none: unknown */
    enum armtap_word doubt;  /* what else it may be */
    uint64_t bytes;          /* for which the client's receive buffer had room */
    uint64_t times;          /* that bytes or keep-alives were sent in vain */
    uint64_t from_packet;    /* the first of them, or where the receive buffer had no room */
    uint64_t until_packet;   /* the last of them */
    uint64_t mute_packet;    /* no packet of the client came up to there */
};
/* Call before the event that ends the stream. */
void armtap_flow_rate_blame(struct flow_rate *flow, const struct flow_rate_blame *why);
/* A message could not be read; it may belong to this flow, or be a request for it. */
void armtap_flow_rate_unread(struct flow_rate *flow, enum armtap_direction direction);
/* From here on nothing in that direction can be read, as far as known. */
void armtap_flow_rate_blind(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream,
                            enum armtap_direction direction);
void armtap_flow_rate_totals(const struct flow_rate *flow, struct flow_rate_totals *totals);
/* Packages were passed over: nobody knows how they came. */
void armtap_flow_rate_pass(struct flow_rate *flow);
/* A capture begins within the data, whose sums begin anew, ... */
void armtap_flow_rate_begin(struct flow_rate *flow);
/* ... or ends there, and what came so far is judged. */
void armtap_flow_rate_leave(struct flow_rate *flow, struct findings *findings, const struct armtap_stream *stream);
const struct armtap_flow_sums *armtap_flow_rate_sums(const struct flow_rate *flow);
void armtap_flow_rate_add(struct flow_rate *flow, const struct armtap_flow_sums *sums);

/* ---- stream_rates.c ----
 *
 * How regularly a stream's data came: the sum of its flows. RTDE and legacy streams have one, AUBO's one for each
 * channel (flow_rate.h). */

#define RATES_CHANNELS 100

struct armtap_rates_shared {
    size_t channels; /* further channels that may be monitored at once, besides the first of each stream */
    bool is_cut;     /* there were more */
    size_t stretches;
    bool frequency_wanted; /* as in struct armtap_diagnosis_options */
};

/* Like the public functions, but add findings. `findings` may be NULL. */
void armtap_rates_take_record(struct armtap_rates *rates, struct findings *findings,
                              const struct armtap_record *record);
void armtap_rates_take_recipe(struct armtap_rates *rates, struct findings *findings,
                              const struct armtap_recipe_event *event);
void armtap_rates_take_event(struct armtap_rates *rates, struct findings *findings, const struct armtap_event *event);
void armtap_rates_take_note(struct armtap_rates *rates, struct findings *findings, const struct armtap_note *note);
/* Whether data of any flow runs. */
bool armtap_rates_run(const struct armtap_rates *rates, const struct armtap_where *now);
/* As armtap_flow_rate_blame. */
void armtap_rates_blame(struct armtap_rates *rates, const struct flow_rate_blame *why);
/* Its next record will probably come soon: fetches it, or, once that is there, its first flow. */
void armtap_rates_prefetch(const struct armtap_rates *rates);
void armtap_rates_prefetch_flow(const struct armtap_rates *rates);
struct histogram *armtap_rates_jitter(struct armtap_rates *rates);
/* As of the flows. */
void armtap_rates_pass(struct armtap_rates *rates);
void armtap_rates_begin(struct armtap_rates *rates);
void armtap_rates_leave(struct armtap_rates *rates, struct findings *findings, const struct armtap_stream *stream);
/* Whether memory ran out: not everything was judged. */
bool armtap_rates_failed(const struct armtap_rates *rates);

#endif
