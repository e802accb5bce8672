/* The topics of AUBO's RTDE that have the meaning of a field (aubo_topics.def). */
#ifndef ARMTAP_AUBO_TOPICS_H
#define ARMTAP_AUBO_TOPICS_H

#include "armtap.h"

/* The field of a topic, by its name with the arm; NULL if it has none. *arm becomes the arm's number, 0 if the name
 * tells none. */
const struct armtap_field *armtap_aubo_topic_field(const char *name, size_t length, unsigned *arm);
/* What the numbers of the field's topic are multiplied by, to be of the field's unit. */
double armtap_aubo_topic_factor(const struct armtap_field *field);

#endif
