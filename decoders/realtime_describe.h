/* Explains legacy packets and URScript lines. */
#ifndef ARMTAP_REALTIME_DESCRIBE_H
#define ARMTAP_REALTIME_DESCRIBE_H

#include "protocol/decoder.h"
#include "protocol/describe.h"

int armtap_realtime_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_realtime_identify(struct armtap_subject *subject, bool directed, bool named,
                                         struct armtap_line *doubt);

#endif
