/* Functions of decoders (lib/protocol/decoder.h) that other files than theirs define: `describe` and `identify`, in
 * PROTOCOL_describe.c. */
#ifndef ARMTAP_DESCRIBERS_H
#define ARMTAP_DESCRIBERS_H

#include "protocol/decoder.h"
#include "protocol/describe.h"

int armtap_dashboard_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_dashboard_identify(struct armtap_subject *subject, bool directed, bool named,
                                          struct armtap_line *doubt);

int armtap_control_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_control_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt);

int armtap_primary_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_primary_identify(struct armtap_subject *subject, bool directed, bool named,
                                        struct armtap_line *doubt);

int armtap_realtime_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_realtime_identify(struct armtap_subject *subject, bool directed, bool named,
                                         struct armtap_line *doubt);

int armtap_rtde_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_rtde_identify(struct armtap_subject *subject, bool directed, bool named,
                                     struct armtap_line *doubt);

#endif
