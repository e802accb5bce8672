/* Lines of the dashboard server for people. */
#ifndef ARMTAP_DASHBOARD_DESCRIBE_H
#define ARMTAP_DASHBOARD_DESCRIBE_H

#include "protocol/decoder.h"

int armtap_dashboard_describe(struct armtap_pieces *pieces, const char **kind);
enum armtap_fit armtap_dashboard_identify(struct armtap_subject *subject, bool directed, bool named,
                                          struct armtap_line *doubt);

#endif
