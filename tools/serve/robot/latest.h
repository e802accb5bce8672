/* The newest values of a robot, for the imitations, which need a few of them now and then. */
#ifndef SERVE_LATEST_H
#define SERVE_LATEST_H

#include "serve/recording/presence.h"
#include "server.h"

struct latest {
    const struct variables *variables;
    uint8_t *image;
    bool is_known[VARIABLES_MAX]; /* by index: the image has its value */
    int64_t time;                 /* of the last tick */
    int64_t captured;             /* the same, on the capture's clock; INT64_MIN before the first */
};
/* Begins with the values that were recorded at the beginning; `presence` NULL: with all. 0, or -1 if memory runs out.
 * The variables must outlive it and stay as they are. */
int latest_begin(struct latest *latest, struct variables *variables, const struct presence *presence);
void latest_end(struct latest *latest);
void latest_take(struct latest *latest, const struct tick *tick);
/* Element `i` of a field; `otherwise` where it has not come so far. */
double latest_number(const struct latest *latest, enum armtap_field_id id, unsigned i, double otherwise);

#endif
