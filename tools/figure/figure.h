/* The arm as a stick figure, for pages: only where it is certain which model's lengths it has. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"
#include "base/text/buffer.h"

/* A record's. */
struct pose {
    int64_t time;
    float q[6];
    float tool[3];   /* the tool centre point, m; NAN: the record has none */
    uint64_t number; /* of the records with joint angles */
    bool is_kept;    /* however many come */
};

/* As many poses as a page tells apart, and one at each of so many stops. */
#define POSES_MAX 900
#define POSES_STOPS_MAX 100

/* Of a stream. Starts as zeros. */
struct poses {
    struct pose *all; /* owned */
    size_t count, stops;
    uint64_t seen;    /* records with joint angles */
    unsigned thinned; /* one of 2^thinned is kept */
    struct pose last;
    const struct armtap_robot_model *configured; /* the first of the geometry that the robot reports; NULL: none */
    bool is_unclear;                             /* it reports several, or one of no model */
};
/* Takes a record from the robot, at that time. 0, or -1 without memory. */
int poses_take(struct poses *poses, const struct armtap_record *record, int64_t time);
/* Keeps the latest record. 0, or -1 without memory. */
int poses_keep(struct poses *poses);
void poses_free(struct poses *poses);

/* What the streams of one robot say. Starts as zeros. */
struct figure {
    const struct armtap_robot_model *shown, *configured; /* by poses, by configuration; NULL: not known */
    bool is_contradicted, has_poses;
    enum armtap_kinematics_outcome worst;   /* of poses that do not show one geometry */
    const struct armtap_robot_model *model; /* the first of its geometry; NULL: there is nothing to draw, ... */
    const char *doubt;                      /* ... because of this; NULL: there is nothing anyway */
    struct poses poses;                     /* in order of time */
    unsigned across;                        /* axis from left to right in the side view: 0 x, 1 y */
};
/* Adds what a stream says of the model. */
void figure_add(struct figure *figure, const struct armtap_stream_summary *summary, const struct poses *poses);
/* Decides, and takes over the poses of the stream that is drawn. 0, or -1 without memory. */
int figure_settle(struct figure *figure, struct poses *poses);
/* The latest pose at that time, or the first one before all; there is a model. */
size_t figure_at(const struct figure *figure, int64_t time);
/* Appends the two views of a pose, with a line below; `class` is "arm live" for the one that the script moves. */
void figure_put(struct buffer *page, const struct figure *figure, size_t pose, const char *class, const char *line);
/* Appends, as members of an object of JSON, what the script needs: seconds count from `from`. */
void figure_put_data(struct buffer *page, const struct figure *figure, int64_t from);

#endif
