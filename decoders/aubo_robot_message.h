/* Messages of AUBO's controllers: the topics R1_message to R4_message, of type RobotMsg. */
#ifndef ARMTAP_AUBO_ROBOT_MESSAGE_H
#define ARMTAP_AUBO_ROBOT_MESSAGE_H

#include "protocol/decoder.h"
#include "table/recipe.h"
#include "aubo_values.h"

/* Whether a recipe has such a topic. */
bool armtap_aubo_has_messages(const struct armtap_recipe *recipe);
/* Delivers the messages in a list of values as texts. `list` is the whole message, which begins with its channel. A
 * list of messages that came in the data before, by *seen, is not delivered again. ERR_MEMORY, or what the sink
 * returned. */
int armtap_aubo_robot_messages(struct armtap_aubo_reader *reader, struct armtap_conn *conn,
                               const struct armtap_frame *frame, const struct armtap_recipe *recipe,
                               const struct armtap_json_token *list, uint32_t *seen);

#endif
