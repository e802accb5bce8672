/* `describe` of the primary interface. */
#ifndef ARMTAP_PRIMARY_DESCRIBE_H
#define ARMTAP_PRIMARY_DESCRIBE_H

#include "protocol/decoder.h"
#include "protocol/describe.h"

int armtap_primary_describe(struct armtap_pieces *pieces, const char **kind);

enum armtap_fit armtap_primary_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt);

#endif
