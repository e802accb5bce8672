/* What diagnose found, and the functions that print it as text or JSON. */
#ifndef DIAGNOSE_DIAGNOSIS_H
#define DIAGNOSE_DIAGNOSIS_H

#include "live_findings.h"
#include "command_line/remedy.h"
#include "base/numbers/timestamp.h"
#include "input/capture/capture_comments.h"

struct diagnosis_part;

struct diagnosis {
    const struct replay_source *source;
    struct diagnosis_part *part;           /* the source is a capture of an archive; NULL: all of it */
    const struct armtap_note_kind *around; /* NULL: everything is shown */
    int64_t reach;                         /* ns */
    enum timestamp_zone zone;              /* of printed times */
    struct live *live;                     /* NULL: everything is printed at the end */
    struct armtap_diagnosis *found;
    const struct armtap_streams *streams; /* owned by `found` */
    struct remedy_offers offers;
    struct capture_comments comments;
    struct replay_totals totals;
    bool is_whole;                      /* everything was read; set by diagnosis_read */
    const struct armtap_finding **near; /* the findings that --around names */
    size_t near_count;
};

/* Prepares for a reading. 0, or -1 if memory runs out. */
int diagnosis_begin(struct diagnosis *diagnosis);
void diagnosis_free(struct diagnosis *diagnosis);
/* Reads the source, twice if that explains more of it. If totals.broken_off is set afterwards, print nothing. */
enum exit_status diagnosis_read(struct diagnosis *diagnosis);
/* Call after the reading. 0, or -1 if memory runs out. */
int diagnosis_settle(struct diagnosis *diagnosis);
/* Whether there is anything to report: a stream, or an attempt to connect. */
bool diagnosis_has_content(const struct diagnosis *diagnosis);
/* Whether that is telemetry, or a reason why there is none. */
bool diagnosis_has_subject(const struct diagnosis *diagnosis);
/* Whether a warning or an error was found. */
bool diagnosis_found_fault(const struct diagnosis *diagnosis);

/* Whether to show this place: it is near a finding that --around names, or --around was not given. */
bool diagnosis_shows(const struct diagnosis *diagnosis, const struct armtap_where *where);
/* The name of the file or interface. */
const char *diagnosis_file(const struct diagnosis *diagnosis, const struct armtap_where *where);

/* The number that users know a stream by; `number` is its place in this reading. */
uint32_t diagnosis_number(const struct diagnosis *diagnosis, uint32_t number);

/* 0, or -1 if memory runs out. */
int diagnosis_print(const struct diagnosis *diagnosis);
int diagnosis_print_json(const struct diagnosis *diagnosis);
/* Prints each stop that --around shows, with what happened around it. */
void diagnosis_print_stops(const struct diagnosis *diagnosis);
/* Prints the stops of robots, each with its cause. */
void diagnosis_print_incidents(const struct diagnosis *diagnosis);
/* Prints the verdict: a sentence per stream with faults, or one for all streams. */
void diagnosis_print_verdicts(const struct diagnosis *diagnosis);

/* Called for each sentence: `subject` is what it is about, such as "stream 3", or "" for all there is. */
struct speech {
    void (*say)(void *user, const char *subject, const char *text);
    void *user;
};
/* The verdicts: a sentence for each stream with faults, or one for all streams. */
void diagnosis_say_verdicts(const struct diagnosis *diagnosis, const struct speech *speech);
/* The stops of robots, each with its cause. */
void diagnosis_say_incidents(const struct diagnosis *diagnosis, const struct speech *speech);

/* Prints all kinds of findings, the worst first. */
void diagnosis_list(void);
void diagnosis_list_json(void);

#endif
