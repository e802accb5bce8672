/* What a robot says about itself becomes notes: its errors, exceptions, popups, programs and messages. */
#ifndef ARMTAP_ROBOT_MESSAGE_H
#define ARMTAP_ROBOT_MESSAGE_H

#include "protocol/decoder.h"

/* Notes a text from the robot, if its kind is one that people act upon. `level`: the name of its report level, as the
 * controller's documents write it; NULL: unknown. ERR_MEMORY, or what the sink returned. */
int armtap_robot_message_say(struct armtap_conn *conn, const struct armtap_frame *frame, const struct armtap_text *text,
                             const char *level);

#endif
