/* The description of AUBO's protocol, also for builds without its decoder. */
#ifndef ARMTAP_AUBO_INFO_H
#define ARMTAP_AUBO_INFO_H

#include "protocol/decoder.h"

#define ARMTAP_AUBO_INFO                                                                                               \
    .size = sizeof(struct armtap_protocol_info), .protocol = ARMTAP_AUBO, .name = "aubo", .title = "AUBO",             \
    .description = "AUBO's RTDE: JSON over TCP or a WebSocket, on channels that clients subscribe to",                 \
    .ports = (const uint16_t[]){30010, 9013, 0},                                                                       \
    .traits = ARMTAP_TRAIT_TEXT | ARMTAP_TRAIT_CHANNELS | ARMTAP_TRAIT_ON_CHANGE | ARMTAP_TRAIT_OWN_NAMES,             \
    .cycle = 0.005 /* of the controller; how it rounds requested frequencies is not documented */

#endif
