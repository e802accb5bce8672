/* The newest value of each variable of a robot, from all its streams together: an image. */
#ifndef SERVE_ROBOT_VIEW_H
#define SERVE_ROBOT_VIEW_H

#include "variables.h"

struct robot_view;
/* Learns the variables of a record, and of those that are new the first values. Fields of legacy packets count under
 * their RTDE names. 0, or -1 if memory runs out. */
int robot_view_learn(struct variables *variables, const struct armtap_record *record);

/* Whether all bytes of a value are there: records may be short, or cut by the snapshot length. */
bool robot_view_has(const struct armtap_record *record, size_t offset, size_t size);

/* Begins with zeros: no value is there before it was recorded. The variables must outlive it and stay as they are. NULL
 * if memory runs out. */
struct robot_view *robot_view_new(const struct variables *variables);
void robot_view_free(struct robot_view *view);
/* Takes the values of a record. 0, or -1 if memory runs out. */
int robot_view_take(struct robot_view *view, const struct armtap_record *record);
const uint8_t *robot_view_image(const struct robot_view *view);

#endif
