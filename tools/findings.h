/* What diagnose found: collected while a capture is read, put into the order of time afterwards.
 *
 * Memory is bounded: of one id and stream the first FINDINGS_EACH are kept one by one, of all FINDINGS_ALL; those
 * beyond are summed up in one finding for each id and stream, with their number and their first and last place. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "streams.h"

#define FINDINGS_EACH 10000
#define FINDINGS_ALL 200000

#define FINDING_NO_STREAM UINT32_MAX

struct finding {
    const struct armtap_note_kind *kind;
    struct armtap_where where; /* of the first, where it sums up several */
    struct armtap_where last;
    uint64_t count;  /* 1, or how many it sums up */
    uint64_t order;  /* in which they were found */
    uint32_t stream; /* number, or FINDING_NO_STREAM: of the capture; set by findings_settle */
    char *text;      /* one line */
};

#if defined(__GNUC__)
#define FINDINGS_FORMAT __attribute__((format(printf, 5, 6)))
#else
#define FINDINGS_FORMAT
#endif

struct findings;
struct findings *findings_new(void);
void findings_free(struct findings *findings);
/* `stream` NULL: of the capture. Without memory nothing is added, and findings_failed tells. */
void findings_add(struct findings *findings, const struct armtap_note_kind *kind, const struct armtap_stream *stream,
                  const struct armtap_where *where, const char *text);
/* The same of a registered id, with a text put together. `findings` NULL: nobody wants them. */
FINDINGS_FORMAT void findings_say(struct findings *findings, const char *id, const struct armtap_stream *stream,
                                  const struct armtap_where *where, const char *format, ...);
bool findings_failed(const struct findings *findings);
/* The connection turned out to carry no telemetry. */
void findings_forget(struct findings *findings, uint64_t connection);

/* After the reading, and streams_number: leaves what belongs to numbered streams or to the capture, in the order of
 * time. 0, or -1 without memory. */
int findings_settle(struct findings *findings, const struct streams *streams);
size_t findings_count(const struct findings *findings);
const struct finding *findings_at(const struct findings *findings, size_t i);

/* The registered kind of that id, NULL if there is none. */
const struct armtap_note_kind *findings_kind(const char *id);

#endif
