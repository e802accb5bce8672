/* What diagnose found: collected while a capture is read, sorted by time afterwards.
 *
 * Memory is bounded: the first FINDINGS_EACH per id and stream are kept one by one, up to FINDINGS_ALL or
 * FINDINGS_BYTES in all. Further ones are summed up in one finding per id and stream, with their number, first and last
 * place, and the largest. If even these are too many, those of further streams are summed up together. */
#ifndef ANALYSIS_FINDINGS_H
#define ANALYSIS_FINDINGS_H

#include "protocol/fact.h"
#include "analysis/stream_list.h"

#define FINDINGS_EACH 10000
#define FINDINGS_ALL 40000
#define FINDINGS_BYTES 9000000 /* bytes of memory; the sums of each stream take at most a quarter more */

struct findings;
struct findings *armtap_findings_new(void);
void armtap_findings_free(struct findings *findings);
/* Called when a finding is added; returning non-zero stops. */
typedef int findings_listener(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream);
void armtap_findings_listen(struct findings *findings, findings_listener *listener, void *user);
/* What a detector found. */
struct fact {
    enum armtap_note_code code;
    const struct armtap_stream *stream; /* NULL: the whole capture */
    const struct armtap_where *where;
    const struct armtap_arguments *arguments; /* NULL: none */
    bool is_doubtful;                         /* the packets do not prove it */
    uint64_t more;                            /* it stands for so many more like it, ... */
    const struct armtap_where *until;         /* ... the last of them there */
    bool is_sum;                              /* it sums up these, of which it is the largest, ... */
    double total;                             /* ... whose measures add up to this */
};
/* Adds a finding; copies what it is given. If memory runs out, nothing is added and armtap_findings_failed() is true.
 * Does nothing if `findings` is NULL. */
void armtap_findings_raise(struct findings *findings, const struct fact *fact);
/* While muted nothing is added. */
void armtap_findings_mute(struct findings *findings, bool is_muted);
bool armtap_findings_is_muted(const struct findings *findings);
/* Drops those of a kind that a later one at that place replaces: of a stream, at other places; of the capture, there.
 */
void armtap_findings_drop(struct findings *findings, const struct armtap_note_kind *kind,
                          const struct armtap_stream *stream, const struct armtap_where *where);
bool armtap_findings_failed(const struct findings *findings);
/* ERR_MEMORY if that is so, ERR_STOPPED if the listener stopped. */
int armtap_findings_outcome(const struct findings *findings);
/* The connection carries no telemetry: drops its findings. */
void armtap_findings_forget(struct findings *findings, uint64_t connection);
/* The connection is one of the many that are only counted: adds its findings to the sums per id for all of these. */
void armtap_findings_add_up(struct findings *findings, uint64_t connection);

/* Call after the reading and armtap_streams_number(): keeps the findings of numbered streams and of the capture, in
 * time order. 0, or -1 if memory runs out. */
int armtap_findings_settle(struct findings *findings, const struct armtap_streams *streams);
size_t armtap_findings_count(const struct findings *findings);
/* The number of pairs of stream and id; the findings' `pair` is below it. */
size_t armtap_findings_pairs(const struct findings *findings);
struct armtap_finding *armtap_findings_at(const struct findings *findings, size_t i);

/* The sentence of a finding; of a sum, that of the largest. */
void armtap_finding_line(struct armtap_line *line, const struct armtap_finding *finding,
                         const struct armtap_zone *zone);
/* Whether two ends, "10.0.0.2:30004", have the same host. */
bool armtap_same_host(const char *one, const char *other);

#endif
