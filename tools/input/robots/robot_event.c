#include "robot_event.h"

#include "base/process/message.h"

void robot_event_say(const struct robot_event *event)
{
    const char *text = (const char *)event->bytes;
    if (event->kind == ROBOT_STILL)
        message_still(event->time - event->since);
    if (event->kind != ROBOT_SAID)
        return;
    if (event->severity == ARMTAP_WARNING)
        message_warning("%s", text);
    else
        message_error("%s", text);
}
