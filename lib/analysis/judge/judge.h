/* The judge: incidents from facts. Each has a cause if the capture shows one, and a side if a rule proves it: a false
 * one is worse than none. It reads kinds and arguments, never a text. */
#ifndef ANALYSIS_JUDGE_H
#define ANALYSIS_JUDGE_H

#include "analysis/facts/findings.h"
#include "analysis/inside.h"

/* ---- rules.c ---- */

/* What happened, by how it is judged. */
enum incident_class {
    CLASS_STOP = 1,    /* the robot stopped for safety, or is at fault */
    CLASS_PROGRAM = 2, /* its program ended */
    CLASS_DATA = 4,    /* data stood still */
    CLASS_OTHER = 8    /* by the kind alone */
};

/* A finding that a rule needs, near what happened. */
struct sign {
    bool is_needed;
    enum armtap_note_code code;
    int before, after;                /* ms */
    enum armtap_argument_id argument; /* what it must say, ... */
    enum armtap_word word;            /* ... in this word, ... */
    int least, most;                  /* ... or between these; both 0: anything */
    enum armtap_argument_id also;     /* what it must say besides */
    enum armtap_argument_id lacks;    /* what it must not say */
    bool is_drivers;                  /* only on a driver's connection to External Control */
    bool is_stop; /* only the stop itself, what another field or connection calls it, or one in the same record */
    bool is_same_stream;
    bool may_be_doubted;
    bool is_in_run; /* not before the program began that ended */
    bool is_span;   /* it lasts, and must be long enough for what happened */
};

/* Why something happened. */
struct rule {
    unsigned classes;           /* enum incident_class */
    enum armtap_note_code what; /* of CLASS_OTHER */
    struct sign cause, with, unless;
    enum armtap_blame side;
    const char *meaning; /* a clause, or NULL */
};
const struct rule *armtap_rule_at(size_t i);
size_t armtap_rule_count(void);

/* What an incident begins with. What is ordinary belongs to others near it, and may need a cause to be one. */
struct start {
    struct sign sign;
    enum incident_class class;
    bool is_ordinary, needs_cause;
};
const struct start *armtap_start_at(size_t i);
/* Of what came just before or after, what cuts a program off. */
const struct sign *armtap_cut_at(size_t i);

/* Whether a finding says what the sign wants, and is certain. */
bool armtap_sign_fits(const struct sign *sign, const struct armtap_finding *finding);
/* Who is to blame for a finding that no rule explains. */
enum armtap_blame armtap_side_of(const struct armtap_finding *finding);
/* Whether a finding contradicts that no network fault was seen. */
bool armtap_is_of_network(const struct armtap_finding *finding);

/* ---- judge.c ---- */

/* Why an incident is not certain, or its cause not known. */
enum doubt {
    DOUBT_NONE,
    DOUBT_FINDING,        /* its own finding is doubtful */
    DOUBT_GUESSED,        /* names of fields are guessed */
    DOUBT_PORT,           /* so is the port that a client wanted */
    DOUBT_NO_MESSAGES,    /* the robot's messages were not captured */
    DOUBT_UNREAD,         /* they may have been captured, but were not decoded */
    DOUBT_SILENT_MESSAGES /* they were, and do not show it */
};

#define ROBOT_MAX 64

struct incident {
    struct armtap_incident public;
    char robot[ROBOT_MAX];
    enum incident_class class;
    const struct armtap_finding *what, *cause, *with; /* NULL: none */
    const struct rule *rule;                          /* NULL: none */
    enum doubt doubt;
    size_t *evidence;
    uint32_t *streams;
    uint64_t more; /* times that its first finding does not tell */
    double total;  /* of all measures */
    struct armtap_where last;
};

/* Bytes of a stream captured but not decoded, except the rest of a message that began before the capture. */
double armtap_unread_bytes(const struct armtap_stream *stream);
/* NULL for a finding of the capture. */
static inline const struct armtap_stream *armtap_stream_of(const struct armtap_facts *facts,
                                                           const struct armtap_finding *finding)
{
    return finding->stream < facts->stream_count ? facts->streams[finding->stream] : NULL;
}

/* ---- incident_text.c ---- */

/* Ports of a UR controller that report causes. */
bool armtap_is_message_port(const char *end);
/* Writes text, brief and doubt of an incident. 0, or -1 if memory runs out. */
int armtap_incident_write(struct incident *incident, const struct armtap_facts *facts);

#endif
