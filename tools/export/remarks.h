/* What is said beside the rows, for formats with FORMAT_REMARKS: what the diagnosis finds in the captured data. Text
 * messages of controllers are among it (rtde.text.info and others). Memory is bounded: findings beyond the first 10000
 * of an id and stream, or 40000 in all, come as one that sums them up. */
#ifndef EXPORT_REMARKS_H
#define EXPORT_REMARKS_H

#include "armtap.h"
#include "analysis/armtap-analysis.h"

struct job;

struct remark {
    const struct armtap_note_kind *kind;
    int64_t time; /* that of the first packet if the finding has none */
    char text[ARMTAP_FINDING_TEXT_MAX];
    unsigned stream;   /* its number, if it has a robot */
    const char *robot; /* what it is called; NULL: the whole capture */
    const char *file;  /* NULL: an interface */
    uint64_t packet;   /* 0: none */
};

struct remarks;
/* NULL without memory. */
struct remarks *remarks_new(const struct job *job);
void remarks_free(struct remarks *remarks);
/* Takes what a job's callbacks get; the user is `remarks`. */
const struct armtap_sink *remarks_sink(const struct remarks *remarks);
/* All has been read. 0, or -1 without memory. */
int remarks_finish(struct remarks *remarks);
/* The next remark of the streams and times that are exported, by time. Start with *i 0; false after the last, and for
 * NULL. */
bool remarks_next(const struct remarks *remarks, size_t *i, struct remark *remark);

#endif
