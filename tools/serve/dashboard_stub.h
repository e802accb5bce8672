/* An imitation of the dashboard server: questions are answered from the recorded state, commands fail. */
#ifndef SERVE_DASHBOARD_STUB_H
#define SERVE_DASHBOARD_STUB_H

#include "latest.h"

struct dashboard_stub {
    struct latest latest;
    uint32_t release[4];
    enum armtap_generation generation;
};
extern const struct server_kind dashboard_stub_kind;

#endif
