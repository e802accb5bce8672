/* AUBO's protocol for people: its description, also for builds without its decoder, and the explanation of its
 * messages: JSON lists, raw or in a WebSocket. */
#ifndef ARMTAP_AUBO_DESCRIBE_H
#define ARMTAP_AUBO_DESCRIBE_H

#include "protocol/decoder.h"
#include "protocol/describe.h"

#define ARMTAP_AUBO_INFO                                                                                               \
    .size = sizeof(struct armtap_protocol_info), .protocol = ARMTAP_AUBO, .name = "aubo", .title = "AUBO",             \
    .description = "AUBO's RTDE: JSON over TCP or a WebSocket, on channels that clients subscribe to",                 \
    .ports = (const uint16_t[]){30010, 9013, 0},                                                                       \
    .traits = ARMTAP_TRAIT_TEXT | ARMTAP_TRAIT_CHANNELS | ARMTAP_TRAIT_ON_CHANGE | ARMTAP_TRAIT_OWN_NAMES,             \
    .cycle = 0.005 /* of the controller; how it rounds requested frequencies is not documented */

int armtap_aubo_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_aubo_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt);

/* JSON text, and its offset in the message. */
struct armtap_aubo_text {
    const char *bytes;
    size_t length;
    size_t at;
    bool outside; /* not part of the message's bytes: inflated or put together */
};
/* Adds a piece for each value of a list, as far as it is JSON. */
void armtap_aubo_describe_list(struct armtap_pieces *pieces, const struct armtap_aubo_text *text);
/* Describes the head or a frame of a WebSocket. */
int armtap_aubo_describe_web(struct armtap_pieces *pieces, const char **kind);
/* Length of the head or frame that begins here, according to its header; 0 if none does. */
size_t armtap_aubo_web_length(const uint8_t *bytes, size_t length);

#endif
