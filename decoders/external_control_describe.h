/* External Control's messages, piece by piece. */
#ifndef ARMTAP_EXTERNAL_CONTROL_DESCRIBE_H
#define ARMTAP_EXTERNAL_CONTROL_DESCRIBE_H

#include "protocol/decoder.h"

int armtap_control_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_control_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt);

#endif
