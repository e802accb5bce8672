/* The dashboard server: captured replies first; else an imitation, which answers questions from the recorded state and
 * fails commands. */
#ifndef SERVE_DASHBOARD_STUB_H
#define SERVE_DASHBOARD_STUB_H

#include "latest.h"
#include "serve/recording/recorded_ports.h"

struct dashboard_stub {
    struct latest latest;
    uint32_t release[4];
    enum armtap_generation generation;
    const struct recorded_ports *recorded; /* NULL: nothing of it was captured */
    const char *robot;                     /* address */
    bool imitates;                         /* what was not captured; else it is not understood */
};
extern const struct server_kind dashboard_stub_kind;     /* all is imitated */
extern const struct server_kind dashboard_captured_kind; /* not all is */

#endif
