/* What is known of robots while they are watched: newest values, when each changed, half a minute of curves, edges of
 * inputs and outputs, how data arrives, what was found. Pages are made of it; nothing here knows a terminal. Memory is
 * bounded whatever comes. */
#ifndef WATCH_MODEL_H
#define WATCH_MODEL_H

#include "analysis/armtap-analysis.h"
#include "input/replay/replay.h"
#include "nanoseconds.h"

enum {
    JOINTS = 6,
    WATCH_ROBOTS = 32,  /* further ones are counted */
    WATCH_STREAMS = 8,  /* of a robot; the same */
    WATCH_POINTS = 240, /* of a curve */
    WATCH_BITS = 64,    /* of the inputs, and of the outputs */
    WATCH_COUNTS = 10   /* of records, to tell the rate */
};
/* ns of a curve's points, and of all of them; of a count. */
#define WATCH_POINT (SECOND / 8)
#define WATCH_SPAN (WATCH_POINTS * WATCH_POINT)
#define WATCH_COUNT (SECOND / WATCH_COUNTS)

/* The quantities of joints. */
enum curve { CURVE_POSITION, CURVE_SPEED, CURVE_CURRENT, CURVE_TEMPERATURE, CURVES };

struct curves {
    int64_t slot;                               /* of the newest point: time / WATCH_POINT; -1: none */
    float points[CURVES][JOINTS][WATCH_POINTS]; /* at slot % WATCH_POINTS; NAN: no value */
};

/* A connection that brings data. */
struct watch_stream {
    uint64_t connection;
    enum armtap_protocol protocol;
    const char *title;          /* "RTDE" */
    char robot[64], client[64]; /* with ports */
    int64_t first, newest;      /* times of records from the robot */
    uint64_t records;
    int64_t slot; /* of the newest count: time / WATCH_COUNT */
    uint32_t counts[WATCH_COUNTS + 1];
    struct armtap_rates_totals rates; /* since the beginning, as of the last refresh */
    uint64_t bytes_lost, gaps;
    double least[2]; /* least difference between arrival and the controller's clock, s: of this half minute and the
                        last; INFINITY: unknown */
    int64_t least_slot;
    double late; /* s by which the newest record came later than that; NAN: unknown */
    bool is_closed;
};

/* Why there is no data, as far as packets show it. */
enum silence {
    SILENCE_UNKNOWN,
    SILENCE_CLOSED_BY_ROBOT,
    SILENCE_CLOSED_BY_CLIENT,
    SILENCE_RESET,
    SILENCE_REFUSED,
    SILENCE_UNANSWERED,
    SILENCE_UNREACHABLE,
    SILENCE_PAUSED
};

/* A change of an input or output. */
struct edge {
    int64_t time; /* ARMTAP_NO_TIME: none yet */
    unsigned bit;
    bool is_output, level;
};

/* An arm. */
struct watch_robot {
    char name[64];       /* its label, or its address */
    char end[64];        /* the address and a port, as packets have it; "": a dump's */
    uint64_t connection; /* of a dump */
    unsigned arm;        /* 1; with AUBO 1 to 4 */
    char version[32];
    enum armtap_generation generation;
    int64_t first, newest; /* times of its records; ARMTAP_NO_TIME: none yet */
    uint64_t records;
    struct watch_stream streams[WATCH_STREAMS];
    size_t stream_count;
    uint64_t streams_left_out;
    struct curves curves;
    struct edge edges[2][WATCH_BITS]; /* inputs, outputs: the last of each */
    struct edge edge;                 /* the last of all */
    enum silence silence;
    int64_t silent_since;
    struct armtap_set changed_ever;              /* fields whose value has changed since the first one */
    int64_t changed[ARMTAP_FIELD_COUNT][JOINTS]; /* when each element got the value that it has */
    int64_t seen[ARMTAP_FIELD_COUNT];            /* when a record had the field last */
    struct armtap_state *state;                  /* in `memory` */
    uint64_t memory[ARMTAP_STATE_BYTES / sizeof(uint64_t)];
};

/* What was found. */
enum { WATCH_FINDINGS = 100, WATCH_INCIDENTS = 20, WATCH_TEXT = 400 };
struct watch_finding {
    const struct armtap_note_kind *kind;
    char robot[64]; /* its name; "": the capture */
    int64_t time;
    uint64_t packet;
    uint64_t count; /* so many alike */
    char text[WATCH_TEXT];
};
struct watch_incident {
    int64_t time;
    enum armtap_severity severity;
    char text[WATCH_TEXT];
};
struct verdict {
    enum text_paint paint;
    char text[2 * WATCH_TEXT];
};
/* The newest first. */
struct watch_found {
    struct watch_finding findings[WATCH_FINDINGS];
    uint8_t order[WATCH_FINDINGS];
    size_t count;
    uint64_t totals[ARMTAP_ERROR + 1]; /* by severity, all that there were */
    struct watch_incident incidents[WATCH_INCIDENTS];
    size_t incident_count;
    struct verdict verdict;
};

/* What pages are made of. */
struct watch_scene {
    struct watch_robot *robots[WATCH_ROBOTS];
    size_t robot_count;
    uint64_t robots_left_out;
    struct watch_found found;
    int64_t now;   /* of what is watched; ARMTAP_NO_TIME: nothing came yet */
    int64_t begun; /* when the watching began, in the same time */
};

struct model;
/* NULL if memory runs out. The source must outlive it. */
struct model *model_new(const struct replay_source *source, enum timestamp_zone zone);
void model_free(struct model *model);
/* The sink of a reading, with the model as its user. */
extern const struct armtap_sink model_sink;
/* The present, in the time of what is watched; it never goes back. Takes what is known by then. */
void model_advance(struct model *model, int64_t now);
const struct watch_scene *model_scene(const struct model *model);
/* From now on nothing more is taken. */
void model_stop(struct model *model);
/* The input has ended: judges all of it. 0, or -1 if memory runs out. */
int model_finish(struct model *model, const struct replay_totals *totals, bool is_whole);

/* Says on standard error that there is no robot, and what there is instead. */
void model_report_nothing(const struct model *model, const struct replay_totals *totals);

/* A copy that stays as it is. NULL if memory runs out. */
struct watch_scene *scene_copy(const struct watch_scene *scene);
void scene_free(struct watch_scene *scene);

/* ---- values ------------------------------------------------------------------------------------------------------ */

bool robot_has(const struct watch_robot *robot, unsigned field);
/* A value, or NAN. */
double robot_number(const struct watch_robot *robot, unsigned field, unsigned element);
/* When the value began to be what it is; ARMTAP_NO_TIME: it is not known. */
int64_t robot_changed(const struct watch_robot *robot, unsigned field, unsigned element);
/* Whether it has not changed for a second. */
bool robot_is_still(const struct watch_robot *robot, unsigned field, unsigned element, int64_t now);
/* s since a record had the field last, if the robot no longer sends it; else 0. Its other fields may go on. */
double robot_field_age(const struct watch_robot *robot, unsigned field, int64_t now);
/* The name of a mode; NULL: the value is not known. A number without a name is written into `digits`. */
#define MODE_DIGITS 24
const char *robot_mode_name(const struct watch_robot *robot, unsigned field, char digits[MODE_DIGITS]);
/* The stream that tells most: of RTDE or the legacy protocol, with the highest rate; NULL: there is none. */
const struct watch_stream *robot_stream(const struct watch_robot *robot, int64_t now);
/* Records per second, over the last second. */
double stream_rate(const struct watch_stream *stream, int64_t now);
/* s since the newest record; NAN: there was none. */
double robot_age(const struct watch_robot *robot, int64_t now);

#endif
