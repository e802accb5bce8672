/* What diagnose has to say, and its two ways of saying it. */
#ifndef DIAGNOSE_DIAGNOSIS_H
#define DIAGNOSE_DIAGNOSIS_H

#include "live_findings.h"
#include "command_line/remedy.h"
#include "base/timestamp.h"

struct diagnosis {
    const struct replay_source *source;
    const struct armtap_note_kind *around; /* NULL: everything is shown */
    int64_t reach;                         /* ns */
    enum timestamp_zone zone;              /* of times for people */
    struct live *live;                     /* NULL: everything is told at the end */
    struct armtap_diagnosis *found;
    const struct armtap_streams *streams; /* its own */
    struct remedy_offers offers;
    struct replay_totals totals;
    bool is_whole;                      /* all was read; set by diagnosis_read */
    const struct armtap_finding **near; /* those that --around names */
    size_t near_count;
};

/* Makes ready for a reading. 0, or -1 without memory. */
int diagnosis_begin(struct diagnosis *diagnosis);
void diagnosis_free(struct diagnosis *diagnosis);
/* Reads the source, twice where that explains more of it. Where totals.broken_off says so, nothing may be told of it.
 */
enum exit_status diagnosis_read(struct diagnosis *diagnosis);
/* After the reading. 0, or -1 without memory. */
int diagnosis_settle(struct diagnosis *diagnosis);
/* Whether there is anything to tell about: a stream, or an attempt to connect. */
bool diagnosis_has_content(const struct diagnosis *diagnosis);
/* Whether that is telemetry, or what kept it from coming. */
bool diagnosis_has_subject(const struct diagnosis *diagnosis);
/* Whether a warning or an error was found. */
bool diagnosis_found_fault(const struct diagnosis *diagnosis);

/* Whether what happened there is to be shown: near a finding that --around names, or anywhere without it. */
bool diagnosis_shows(const struct diagnosis *diagnosis, const struct armtap_where *where);
/* The file's name, or the interface's. */
const char *diagnosis_file(const struct diagnosis *diagnosis, const struct armtap_where *where);

/* 0, or -1 without memory. */
int diagnosis_print(const struct diagnosis *diagnosis);
int diagnosis_print_json(const struct diagnosis *diagnosis);
/* What it comes to: a sentence for each stream that something is wrong with, or one for all. */
void diagnosis_print_verdicts(const struct diagnosis *diagnosis);
/* The registered kinds, the worst first. */
void diagnosis_list(void);
void diagnosis_list_json(void);

#endif
