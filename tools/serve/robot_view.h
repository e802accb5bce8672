/* What is known about a robot at a moment, from all its streams together: an image for RTDE, a state for legacy
 * packets. */
#ifndef SERVE_ROBOT_VIEW_H
#define SERVE_ROBOT_VIEW_H

#include "variables.h"

struct robot_view;
/* Learns variables and their first values: give it every record before the first robot_view_new(). Fields of legacy
 * packets count under their RTDE names. 0, or -1 if memory runs out. */
int robot_view_learn(struct variables *variables, struct armtap_state *first, const struct armtap_record *record);

/* Begins with the first values. Both must outlive it. NULL if memory runs out. */
struct robot_view *robot_view_new(struct variables *variables, const struct armtap_state *first);
void robot_view_free(struct robot_view *view);
/* Takes the values of a record. 0, or -1 if memory runs out. */
int robot_view_take(struct robot_view *view, const struct armtap_record *record);
const uint8_t *robot_view_image(const struct robot_view *view);
const struct armtap_state *robot_view_state(const struct robot_view *view);

#endif
