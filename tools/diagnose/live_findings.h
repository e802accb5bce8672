/* What diagnose shows while it reads an interface or a pipe: a line for each finding as it arrives, and on a terminal a
 * status line. */
#ifndef DIAGNOSE_LIVE_FINDINGS_H
#define DIAGNOSE_LIVE_FINDINGS_H

#include "input/replay/replay.h"
#include "base/numbers/timestamp.h"

struct live;
/* A pipe shows nothing in its first second, because it may be a file being unpacked. NULL if memory runs out. */
struct live *live_new(bool is_pipe, enum timestamp_zone zone);
void live_free(struct live *live);
/* Shows a finding; `stream` is NULL for one of the whole capture. A flood of findings is only counted. */
void live_finding(struct live *live, const struct armtap_note_kind *kind, const struct armtap_stream *stream,
                  const struct armtap_where *where, const char *text);
void live_record(struct live *live, const struct armtap_record *record);
void live_event(struct live *live, const struct armtap_event *event);
/* Call it often: it updates the status line and reports a silent stream of an interface before its next record. */
void live_turn(struct live *live, const struct replay_totals *totals);
/* Ends the live display and erases the status line. Returns whether findings were shown. */
bool live_end(struct live *live);

#endif
