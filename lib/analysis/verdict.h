/* What findings add up to: verdicts, and incidents. */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include "findings.h"

/* ---- verdict.c ----
 *
 * The conclusion of a diagnosis: a sentence for each stream with faults, and one for the capture. Claims no more than
 * the findings show. */

/* What the verdicts are based on; must be settled. */
struct verdict_grounds {
    const struct findings *findings;
    const struct armtap_streams *streams;
    const struct armtap_zone *zone;
};

/* Starts as zeros. */
struct verdicts {
    struct armtap_verdict *all;
    size_t count;
};
/* 0, or -1 if memory runs out. */
int armtap_verdicts_reach(struct verdicts *verdicts, const struct verdict_grounds *grounds);
void armtap_verdicts_free(struct verdicts *verdicts);

/* Bytes of a stream captured but not decoded, except the rest of a message that began before the capture. */
double armtap_verdict_unread(const struct armtap_stream *stream);

/* ---- incident.c, incident_text.c ----
 *
 * Stops of robots. Each has a cause, if a connection of that robot shows one just before or after, and a side: a false
 * one is worse than none. Claims no more than the findings show. */

#define INCIDENTS_MAX 200
#define INCIDENT_EVIDENCE 16
/* ns: what stops within this time after the first stop belongs to it, but for a stop of another kind. */
#define INCIDENT_JOINED INT64_C(1000000000)

enum incident_kind { INCIDENT_STOP, INCIDENT_PROGRAM, INCIDENT_DATA };

struct incident {
    enum incident_kind kind;
    size_t evidence[INCIDENT_EVIDENCE]; /* indices of findings, in their order */
    size_t evidence_count;
    size_t stop; /* index of the finding */
    bool has_cause;
    enum armtap_blame side;
    char *text;
};

/* In order of time. Starts as zeros. */
struct incidents {
    struct incident *all;
    size_t count;
};
/* 0, or -1 if memory runs out. */
int armtap_incidents_find(struct incidents *incidents, const struct verdict_grounds *grounds);
void armtap_incidents_free(struct incidents *incidents);
/* The incident that a finding is evidence of, or NULL. */
const struct incident *armtap_incidents_of(const struct incidents *incidents, size_t finding);

/* What the text of an incident is made of; indices of findings, SIZE_MAX for none. */
struct incident_cause {
    size_t finding, with;
    const char *meaning; /* a clause, or NULL */
    bool is_hinted;      /* an earlier incident of the robot says where its reasons would be */
};
/* NULL if memory runs out. */
char *armtap_incident_text(const struct verdict_grounds *grounds, const struct incident *incident,
                           const struct incident_cause *cause);

/* Whether two ends, "10.0.0.2:30004", have the same host. */
bool armtap_incident_same_host(const char *one, const char *other);

#endif
