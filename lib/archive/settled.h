/* Whether what a connection brought up to some packet can still be seen in another light. */
#ifndef ARMTAP_SETTLED_H
#define ARMTAP_SETTLED_H

#include "network/flow.h"

/* Whether no later packet can change what is said of the flow's packets up to `until`: it is known what the flow
 * carries, no byte waits for missing ones, and no message is unfinished that began by then. */
bool armtap_flow_is_settled(const struct armtap_flow *flow, const struct armtap_where *until);

#endif
