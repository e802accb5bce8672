/* What diagnose watches on each telemetry stream while a capture is read: its data's regularity, clocks, modes, and who
 * ends it. */
#ifndef ANALYSIS_STREAM_MONITOR_H
#define ANALYSIS_STREAM_MONITOR_H

#include "clock_drift.h"
#include "unanswered_requests.h"
#include "findings.h"
#include "missing_records.h"
#include "mode_timeline.h"
#include "stop_window.h"
#include "stream_rates.h"
#include "window_stalls.h"

/* Keep-alives since the peer last sent a packet, and how many it had sent by then. */
struct asking {
    uint64_t count, heard;
};

struct watch {
    uint64_t connection;
    struct rates *rates; /* NULL once it is over */
    struct clocks *clocks;
    struct holes *holes;
    bool was_full; /* the client did not read for a while: what came then was late */
    struct modes_last modes[ARMTAP_ARMS_MAX];
    struct moments *moments[ARMTAP_ARMS_MAX]; /* by arm; NULL: none, or nobody wants them */
    uint64_t resent;                          /* by the robot since its last record */
    struct asking asking[2];                  /* by direction */
    struct armtap_where stuck;                /* since when the client's receive buffer is full; packet 0: it is not */
    struct dialogue dialogue;
    bool closing; /* a FIN was seen */
    bool closed[2];
    struct rates_totals rates_totals; /* set when it is over */
    struct clocks_totals clocks_totals;
};

/* Call its feeders from the callbacks of a sink; without memory they return -1. */
struct watches;
/* `reach`: ns around a safety stop that are kept; 0: none. */
struct watches *watches_new(struct findings *findings, struct modes *modes, int64_t reach);
void watches_free(struct watches *watches);
int watches_record(struct watches *watches, const struct armtap_record *record);
int watches_recipe(struct watches *watches, const struct armtap_recipe_event *event);
int watches_event(struct watches *watches, const struct armtap_event *event);
int watches_message(struct watches *watches, const struct armtap_message *message);
int watches_note(struct watches *watches, const struct armtap_note *note);
/* Whether a note becomes a finding later, when it is known how much it is about; otherwise the caller adds it. */
bool watches_keep(struct watches *watches, const struct armtap_note *note);
/* The connection is one of those that are only added up. */
void watches_forget(struct watches *watches, uint64_t connection);
/* After the reading. 0, or -1 without memory. */
int watches_end(struct watches *watches);
/* NULL: there is none. */
const struct watch *watches_of(const struct watches *watches, uint64_t connection);

#endif
