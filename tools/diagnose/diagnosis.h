/* What diagnose found, and the functions that print it as text or JSON. */
#ifndef DIAGNOSE_DIAGNOSIS_H
#define DIAGNOSE_DIAGNOSIS_H

#include <stdint.h>

#include "command_line/shared_text.h"
#include "base/numbers/timestamp.h"
#include "capture/comments.h"
#include "input/replay/replay.h"
#include "input/stream_kinds.h"

struct archive;
struct companion;

/* How streams ended; and those whose data stopped before, or never came. */
struct endings {
    size_t streams, by_client, by_reset, by_robot, going_on, stopped, empty, bursts;
    const struct armtap_stream_diagnosis *longest; /* of those that stopped; NULL: none */
};
/* What findings say of one stream. */
struct ending {
    const struct armtap_finding *closed; /* or NULL */
    int64_t apart;                       /* of clocks that stamped its packets, ns */
    bool is_bursty, is_empty;
};

struct diagnosis {
    const struct replay_source *source;
    struct archive *archive;               /* the source is one of its captures; NULL: all of it */
    struct armtap_streams *numbering;      /* of an archive: all its streams, which number those of the capture */
    bool is_over;                          /* of an archive: what comes now is of the captures after this one */
    uint64_t modes_left_out;               /* by the diagnoses of its captures, if they are merged */
    bool is_merged;                        /* streams have the numbers that their captures gave them */
    const struct armtap_note_kind *around; /* NULL: everything is shown */
    int64_t reach;                         /* ns */
    enum timestamp_zone zone;              /* of printed times */
    bool has_tables;                       /* rates, clocks and modes are printed, too */
    struct live *live;                     /* NULL: everything is printed at the end */
    struct companion *companions;          /* what is known of those of the source's robots; NULL: they have none */
    struct armtap_diagnosis *found;
    const struct armtap_streams *streams; /* owned by `found` */
    struct remedy_offers offers;
    struct capture_comments comments;
    struct replay_totals totals;
    bool is_whole;                      /* everything was read; set by diagnosis_read */
    const struct armtap_finding **near; /* the findings that --around names */
    size_t near_count;
    struct ending *ends;    /* by stream; set by diagnosis_settle */
    struct endings endings; /* of all streams */
};

/* Prepares for a reading. 0, or -1 if memory runs out. */
int diagnosis_begin(struct diagnosis *diagnosis);
void diagnosis_free(struct diagnosis *diagnosis);
/* Reads the source, twice if that explains more of it. If totals.broken_off is set afterwards, print nothing. */
enum exit_status diagnosis_read(struct diagnosis *diagnosis);
/* Call after the reading. 0, or -1 if memory runs out. */
int diagnosis_settle(struct diagnosis *diagnosis);
/* Whether its data stopped before its connection's end, or the capture's: by more than jitter, a round trip and clocks
 * that are apart explain. */
bool diagnosis_has_stopped(const struct diagnosis *diagnosis, const struct armtap_stream_diagnosis *stream);
/* Whether its data was waited for longer than a sender waits that goes by the round trip: worth a line though no fault.
 */
bool diagnosis_has_waited(const struct armtap_stream_diagnosis *stream);
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
/* Prints the incidents, each with its cause; returns whether there are any. */
bool diagnosis_print_incidents(const struct diagnosis *diagnosis);
/* Prints what is worth knowing besides, and the verdict in one sentence. */
void diagnosis_print_verdict(const struct diagnosis *diagnosis);

/* A mode in which a robot stands at the capture's end, and into which it went during the capture. */
struct standing {
    struct armtap_mode mode;
    const char *robot;
    bool is_new, has_worked; /* it stands in it, and did not before */
};
#define STANDING_MAX 64
/* Returns how many there are. */
size_t diagnosis_standing(const struct diagnosis *diagnosis, struct standing all[STANDING_MAX]);

/* Robots' companions: companions.c. Results are the library's, but that of companions_begin: 0, or -1 if memory runs
 * out. Records go to companions_record before the analysis gets them; it does not get events that are to be hidden. */
int companions_begin(struct diagnosis *diagnosis);
bool companions_have(const struct diagnosis *diagnosis, const struct armtap_stream *stream);
int companions_record(const struct diagnosis *diagnosis, const struct armtap_record *record);
bool companions_hide(const struct diagnosis *diagnosis, const struct armtap_event *event);

/* The label of an incident's robot; NULL: it has none. */
const char *diagnosis_name(const struct diagnosis *diagnosis, const struct armtap_incident *incident);
/* What a finding says, of up to ARMTAP_FINDING_TEXT_MAX bytes or `size`, with labels in place of addresses. */
void finding_say(const struct diagnosis *diagnosis, const struct armtap_finding *finding, char *text, size_t size);

/* Called for each sentence: `subject` is what it is about, such as a robot, or "" for all there is. */
struct speech {
    void (*say)(void *user, const char *subject, const char *text);
    void *user;
};
/* In one sentence. */
void diagnosis_say_verdict(const struct diagnosis *diagnosis, const struct speech *speech);
/* What is worth knowing besides the incidents. */
void diagnosis_say_remarks(const struct diagnosis *diagnosis, const struct speech *speech);
/* The incidents, each with its cause, and each then passed to `said`, too. */
void diagnosis_say_incidents(const struct diagnosis *diagnosis, const struct speech *speech,
                             void (*said)(void *user, const struct armtap_incident *incident));

/* Streams alike, also in their findings. False if memory runs out; free the kinds in any case. */
bool diagnosis_find_kinds(const struct diagnosis *diagnosis, struct stream_kinds *kinds);
/* What a group of them has together: sums, the lowest rate, the greatest jitter, gaps and drift. */
struct diagnosis_line {
    const struct armtap_stream_summary *any; /* one of them */
    struct armtap_rates_totals rates;        /* if they have any */
    bool has_rates;
    uint64_t records, lost;                  /* from the robot; bytes */
    const struct armtap_clock_totals *clock; /* of the one with the greatest drift, or NULL */
    const struct armtap_clock_back *back;    /* the furthest, or NULL */
};
struct diagnosis_line diagnosis_line_of(const struct diagnosis *diagnosis, const struct stream_kinds *kinds,
                                        const struct stream_group *group);

/* A mode change: its stream, and its index in the diagnosis. */
struct mode_place {
    unsigned stream;
    size_t index;
};

/* The changes of one stream, and the streams whose changes are told with them. */
struct mode_list {
    const struct mode_place *places;
    size_t count;
    uint64_t mark; /* of what is shown: the same where the values are */
    unsigned last; /* of those streams, and how many there are */
    size_t alike;
    bool is_told; /* with those of another stream */
};

/* In the order of streams. False if memory runs out; free them in any case. */
struct mode_lists {
    struct mode_place *places;
    struct mode_list *all;
    size_t count;
};
bool mode_lists_find(const struct diagnosis *diagnosis, struct mode_lists *lists);
void mode_lists_free(struct mode_lists *lists);

/* Prints all kinds of findings, the worst first. */
void diagnosis_list(void);
void diagnosis_list_json(void);

/* Findings and remedies as people can read them: of a flood of one id and stream, or of those alike in many streams of
 * a robot, the largest and a sum, and of each kind what to do about it, once. */

/* Calls `tell` for each finding that is shown, in order of time; where others of a flood begin, once for all of them,
 * with a text that sums them up. `is_brief`: without a change of a mode that is told as a stop, and one of those alike
 * in many streams. 0, or -1 if memory runs out. */
int findings_tell(const struct diagnosis *diagnosis, bool is_brief,
                  void (*tell)(void *user, const struct armtap_finding *finding, const char *text), void *user);

/* `subject`: the robot whose stop has no cause, or a finding's id. */
struct remedy_listener {
    void (*tell)(void *user, const char *subject, const struct remedy *remedy);
    void *user;
};
/* Tells what to do about each kind of fault that is shown, the worst first. 0, or -1 if memory runs out. */
int remedies_tell(const struct diagnosis *diagnosis, const struct remedy_listener *listener);

/* What diagnose shows while it reads an interface or a pipe: a line for each finding as it arrives, and on a terminal a
 * status line. */

struct live;
/* A pipe shows nothing in its first second, because it may be a file being unpacked. NULL if memory runs out. */
struct live *live_new(bool is_pipe, enum timestamp_zone zone, const struct labels *labels);
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

/* Cells of the report's tables. */

#define CELL_MAX 40

/* "12:00:00.559Z", in the machine's zone "13:00:00.559", or "-". Returns `to`. */
const char *cell_clock(char to[CELL_MAX], int64_t time, enum timestamp_zone zone);
/* With that many digits behind the point, up to 6; never "-0.0". Returns `to`. */
const char *cell_number(char to[CELL_MAX], double value, int digits);

#endif
