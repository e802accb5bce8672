/* Explains RTDE packages. */
#ifndef ARMTAP_RTDE_DESCRIBE_H
#define ARMTAP_RTDE_DESCRIBE_H

#include "protocol/decoder.h"
#include "protocol/describe.h"

int armtap_rtde_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_rtde_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt);

#endif
