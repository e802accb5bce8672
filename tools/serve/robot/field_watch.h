/* Says to whom it matters which variables begin and cease to be recorded, and when in the capture. */
#ifndef SERVE_FIELD_WATCH_H
#define SERVE_FIELD_WATCH_H

#include "base/numbers/timestamp.h"
#include "server.h"

/* How moments are shown. */
struct moments {
    bool has_times; /* the capture has; else it is the controller's clock */
    enum timestamp_zone zone;
};
#define MOMENT_MAX (WHEN_DATE_MAX + 32)
void moment_text(const struct moments *moments, int64_t captured, char text[MOMENT_MAX]);

/* Lines for a client; a capture that is played in rounds repeats them. */
#define FIELD_WATCH_LINES 100u

struct field_watch {
    const struct variable *const *variables;
    size_t count;
    const char *lacking; /* what follows: "no packages" */
    struct moments moments;
    uint8_t *told; /* enum given, what was said of each; by field_watch_begin */
    unsigned lines;
};

/* The variables must outlive it; sets what is above them, too. 0, or -1 if memory runs out. */
int field_watch_begin(struct field_watch *watch);
void field_watch_end(struct field_watch *watch);
/* Says what is different from the tick before, or from all being recorded. Returns whether all are given. */
bool field_watch_tick(struct field_watch *watch, const struct tick *tick, const struct peer_wish *wish);

#endif
