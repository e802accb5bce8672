/* AUBO's messages for people: lists of JSON, raw or in a WebSocket. */
#ifndef ARMTAP_AUBO_DESCRIBE_H
#define ARMTAP_AUBO_DESCRIBE_H

#include "../lib/decoder.h"
#include "../lib/describe.h"

int armtap_aubo_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_aubo_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt);

/* Text of JSON, and where it is in the message. */
struct armtap_aubo_text {
    const char *bytes;
    size_t length;
    size_t at;
    bool packed; /* its bytes are not those of the message */
};
/* A piece for each value of a list, as far as it is JSON. */
void armtap_aubo_describe_list(struct armtap_pieces *pieces, const struct armtap_aubo_text *text);
/* The head or a frame of a WebSocket. */
int armtap_aubo_describe_web(struct armtap_pieces *pieces, const char **kind);
/* Bytes of the head or frame that begins here, as it says itself; 0 if none does. */
size_t armtap_aubo_web_length(const uint8_t *bytes, size_t length);

#endif
