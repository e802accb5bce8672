/* What diagnose shows while it reads a source that goes on, an interface or a pipe: findings as they come, a line each,
 * and on a terminal a line with the state of things. */
#ifndef DIAGNOSE_LIVE_FINDINGS_H
#define DIAGNOSE_LIVE_FINDINGS_H

#include "input/replay.h"
#include "base/timestamp.h"

struct live;
/* Of a pipe nothing is shown in the first second: it may be a file that somebody unpacks. NULL without memory. */
struct live *live_new(bool is_pipe, enum timestamp_zone zone);
void live_free(struct live *live);
/* A finding; `stream` NULL: of the capture. What comes in a flood is counted. */
void live_finding(struct live *live, const struct armtap_note_kind *kind, const struct armtap_stream *stream,
                  const struct armtap_where *where, const char *text);
void live_record(struct live *live, const struct armtap_record *record);
void live_event(struct live *live, const struct armtap_event *event);
/* Time goes by: call it often. A stream of an interface that falls silent is told then, not only at its next record. */
void live_turn(struct live *live, const struct replay_totals *totals);
/* The reading is over: the line is erased. Returns whether findings were shown. */
bool live_end(struct live *live);

#endif
