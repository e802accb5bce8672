/* What an arm's values show that no single record does. */
#ifndef ANALYSIS_WATCH_H
#define ANALYSIS_WATCH_H

#include "analysis/facts/mode_timeline.h"

/* ---- repeats.c ----
 *
 * A controller that repeats itself: records that come as ever, but with the same clock, or with the same values.
 *
 * That a clock stands still is proof. That all values stand is none, since those of a simulator's arm do so at rest:
 * they repeat if the clock stands, too; or if they had noise before; or if they say that joints move which do not. Not
 * all records of a live stream are looked at: a few bytes of each, a copy of every eighth, and noise in a quarter of
 * them. */

struct repeats;
void armtap_repeats_free(struct repeats *repeats);
/* Takes a record from the robot; *repeats is NULL before the first. `modes`: what is known of the stream's; may be
 * NULL. Says also where the controller's own targets are not followed. False if memory runs out. */
bool armtap_repeats_record(struct repeats **repeats, struct findings *findings, const struct armtap_record *record,
                           const struct modes_last *modes);
/* Whether the arm moved in the seconds before that time, as far as its speeds, angles or poses show. `repeats` may be
 * NULL. */
bool armtap_repeats_had_motion(const struct repeats *repeats, int64_t time);
/* The stream, or the capture, ends. `repeats` may be NULL. */
void armtap_repeats_end(struct repeats *repeats, struct findings *findings);

/* ---- following.c ----
 *
 * Commands that an arm does not follow: they ask a joint to be elsewhere, and it stands still for a second, though
 * nothing known holds it. One that lags, however far, moves; so does one that is led by hand. Of a controller's own
 * target a joint misses far less: it stands if the target moves by many times as much, over seconds, in a program or
 * beside joints that move. */

#define FOLLOW_JOINTS 6
/* What commands ask for: angles of joints, their speeds, a pose of the tool, its speeds. */
enum follow { FOLLOW_ANGLES, FOLLOW_SPEEDS, FOLLOW_POSE, FOLLOW_TOOL_SPEEDS };

/* A command, or a controller's target, and where the arm is. */
struct follow_sample {
    const struct armtap_stream *stream;
    struct armtap_where where;
    enum follow kind;
    const char *name, *field; /* of a driver's mode; of the controller's target; one of them is NULL */
    double asked[FOLLOW_JOINTS], actual[FOLLOW_JOINTS];
    bool is_held;    /* by a stop, a pause, brakes */
    bool is_playing; /* known: a program runs */
    double patience; /* s that it may stand besides: a slow motion begins slowly */
};

/* A joint that stands while its controller's target moves, however little: by the share of the one in the other. */
struct stuck_joint {
    struct armtap_where since;
    float stood, first; /* where it came to stand, and the target then */
    float last;         /* target of the sample before */
    float farthest;     /* the target was from both */
    float run;          /* s that it is on one side of both, further than the joint may lag or be moved */
    float spent;        /* s that the target moved there, up to now */
    uint16_t samples;   /* of that side, at most MOMENT_SAMPLES; 0: it is not */
    bool is_above;      /* that side */
};

/* Starts as zeros. */
struct following {
    bool is_begun, is_open; /* one is not followed */
    enum follow kind;
    struct armtap_where last, since, until; /* the sample before; the first and the last one that was not followed */
    double stood[FOLLOW_JOINTS];            /* where joints stand */
    double first[FOLLOW_JOINTS];            /* what was asked for when they came there */
    double away[FOLLOW_JOINTS + 1];         /* how far from there; the last one is the tool, m */
    struct armtap_where begun[FOLLOW_JOINTS + 1]; /* since when it is too far; packet 0: it is not */
    unsigned worst;
    double farthest;
    struct stuck_joint stuck[FOLLOW_JOINTS]; /* only of a controller's target */
    int64_t moved_time;                      /* of any of them */
};
void armtap_following_take(struct following *following, struct findings *findings, const struct follow_sample *sample);
/* Nothing more is known of the commands, or of the arm. */
void armtap_following_end(struct following *following, struct findings *findings, const struct armtap_stream *stream,
                          const char *name, const char *field);

/* Trajectories: a driver sends points on a connection of their own, and another one has the robot go through them. The
 * arm must begin with the first point that is elsewhere. */
struct trajectories;
void armtap_trajectories_free(struct trajectories *trajectories);
/* Takes a point, or the robot's result. `actual`: where the arm is; NULL: it is not known. False if memory runs out. */
bool armtap_trajectories_record(struct trajectories **trajectories, struct findings *findings,
                                const struct armtap_record *record, const double *actual);
/* Takes where an arm is, of that robot; `is_due`: it is to go through the points. */
void armtap_trajectories_actual(struct trajectories *trajectories, struct findings *findings,
                                const struct armtap_record *record, const double *actual, bool is_held, bool is_due);
/* A trajectory of that robot begins or is cancelled, or the input ends (NULL). `trajectories` may be NULL. */
void armtap_trajectories_end(struct trajectories *trajectories, struct findings *findings, const char *robot);

#endif
