/* What diagnose found: collected while a capture is read, put into the order of time afterwards.
 *
 * Memory is bounded: of one id and stream the first FINDINGS_EACH are kept one by one, of all FINDINGS_ALL, or
 * FINDINGS_BYTES of them; those beyond are summed up in one finding for each id and stream, with their number, their
 * first and last place, and the largest of them. Where even these are too many, those of further streams are summed up
 * together. */
#ifndef ANALYSIS_FINDINGS_H
#define ANALYSIS_FINDINGS_H

#include "stream_list.h"

#define FINDINGS_EACH 10000
#define FINDINGS_ALL 40000
#define FINDINGS_BYTES 9000000 /* of memory; the sums of each stream take a quarter more at most */

#if defined(__GNUC__)
#define FINDINGS_FORMAT(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define FINDINGS_FORMAT(text, arguments)
#endif

struct findings;
struct findings *armtap_findings_new(void);
void armtap_findings_free(struct findings *findings);
/* Whoever wants to know of each finding when it is added; other than 0 stops. */
typedef int findings_listener(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream);
void armtap_findings_listen(struct findings *findings, findings_listener *listener, void *user);
/* `stream` NULL: of the capture. Without memory nothing is added, and findings_failed tells. */
void armtap_findings_add(struct findings *findings, const struct armtap_note_kind *kind,
                         const struct armtap_stream *stream, const struct armtap_where *where, const char *text);
/* The same of a registered id, with a text put together. `findings` NULL: nobody wants them. */
FINDINGS_FORMAT(5, 6)
void armtap_findings_say(struct findings *findings, const char *id, const struct armtap_stream *stream,
                         const struct armtap_where *where, const char *format, ...);
/* The same with a size. */
FINDINGS_FORMAT(6, 7)
void armtap_findings_measure(struct findings *findings, const char *id, double size, const struct armtap_stream *stream,
                             const struct armtap_where *where, const char *format, ...);
/* The same, of what the packets do not prove. */
FINDINGS_FORMAT(5, 6)
void armtap_findings_doubt(struct findings *findings, const char *id, const struct armtap_stream *stream,
                           const struct armtap_where *where, const char *format, ...);
bool armtap_findings_failed(const struct findings *findings);
/* Whether the listener said so. */
bool armtap_findings_stopped(const struct findings *findings);
/* The connection turned out to carry no telemetry. */
void armtap_findings_forget(struct findings *findings, uint64_t connection);
/* It is one of those that are only added up: its findings become one of each id, for all of them, of the capture. */
void armtap_findings_add_up(struct findings *findings, uint64_t connection);

/* After the reading, and streams_number: leaves what belongs to numbered streams or to the capture, in the order of
 * time. 0, or -1 without memory. */
int armtap_findings_settle(struct findings *findings, const struct armtap_streams *streams);
size_t armtap_findings_count(const struct findings *findings);
/* How many pairs of a stream and an id there are: the findings' `pair` is below that. */
size_t armtap_findings_pairs(const struct findings *findings);
const struct armtap_finding *armtap_findings_at(const struct findings *findings, size_t i);

#endif
