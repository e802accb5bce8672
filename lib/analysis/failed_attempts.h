/* Attempts to connect that failed: refused, without an answer, or accepted and then nothing; one entry for each robot's
 * port, client and outcome, however often the client tried, until it comes through. */
#ifndef ANALYSIS_FAILED_ATTEMPTS_H
#define ANALYSIS_FAILED_ATTEMPTS_H

#include "armtap.h"
#include "base/timestamp.h"

/* Pairs of robot and client that are told apart; those beyond are only counted. */
#define ATTEMPTS_PAIRS 1000
/* Entries of one pair and outcome, and of all that are not the first of theirs; those beyond go on in the last one. */
#define ATTEMPTS_EPISODES 10
#define ATTEMPTS_ALL 2000

enum attempt_outcome {
    ATTEMPT_REFUSED,
    ATTEMPT_UNREACHABLE, /* said by an ICMP error */
    ATTEMPT_NO_ANSWER,
    /* Accepted, but no byte was sent either way: */
    ATTEMPT_RESET,  /* the robot reset the connection */
    ATTEMPT_CLOSED, /* the robot closed it */
    ATTEMPT_SILENT, /* it was open for 2 s or more */
    ATTEMPT_LEFT,   /* the client ended it sooner, as a program does that only probes the port */
    ATTEMPT_OUTCOMES
};

struct attempt_summary {
    enum attempt_outcome outcome;
    char robot[64];  /* with its port: "10.0.0.2:30004" */
    char client[64]; /* its address alone: "10.0.0.9", "fd00::9" */
    uint64_t count;
    uint64_t syns;                   /* of all of them together; more than `count`: some were sent again */
    struct armtap_where first, last; /* the refusing packets, the first SYNs of the unanswered ones, or the ends */
    int64_t first_syn, last_syn;     /* times; of one attempt its own */
    int64_t shortest, longest;       /* ns for which those that were accepted were open */
    bool confirmed;                  /* of one that was accepted, the client sent more than its SYN */
    struct armtap_where connected;   /* where the client came through after the last of them */
    bool has_connected;
    struct armtap_unreachable unreachable; /* of the last that was: by whom, and why */
    uint64_t between;                      /* how often it came through between the first and the last of them */
};

/* SYNs that the capture's end left open. */
struct attempt_open {
    char robot[64], client[64];
    uint64_t count;
    struct armtap_where last; /* the first SYN of the last one */
};

struct attempts;
struct attempts *attempts_new(void);
void attempts_free(struct attempts *attempts);
/* 0, or -1 without memory */
int attempts_event(struct attempts *attempts, const struct armtap_event *event);
/* What the last event changed for those who follow it live: a pair's first failure, a new one after it had connected,
 * or that it connected at last; NULL: nothing. */
const struct attempt_summary *attempts_news(const struct attempts *attempts);
/* In the order in which they came to be; NULL beyond the last. */
const struct attempt_summary *attempts_at(const struct attempts *attempts, size_t i);
/* Attempts of pairs beyond the bound. */
uint64_t attempts_left_out(const struct attempts *attempts, enum attempt_outcome outcome);

/* Attempts with that outcome. */
uint64_t attempts_total(const struct attempts *attempts, enum attempt_outcome outcome);
/* Whether any of them speaks of something wrong. */
bool attempts_have_fault(const struct attempts *attempts);
/* The attempts of pair i that the capture's end left open; false beyond the last. */
bool attempts_open_at(const struct attempts *attempts, size_t i, struct attempt_open *open);

/* The id of the outcome: "tcp.refused", "tcp.no-answer". */
const char *attempt_id(enum attempt_outcome outcome);
/* "refused", "unreachable", "no-answer", "reset", "closed", "silent", "left" */
const char *attempt_outcome_name(enum attempt_outcome outcome);
/* What became of them, in one line. */
#define ATTEMPT_TEXT_MAX 480
void attempt_text(char text[ATTEMPT_TEXT_MAX], const struct attempts *attempts, const struct attempt_summary *summary,
                  enum timestamp_zone zone);
void attempt_open_text(char text[ATTEMPT_TEXT_MAX], const struct attempt_open *open, enum timestamp_zone zone);
/* All of them of one id as a clause: "10.0.0.2:30004 refused 10.0.0.9 3 times"; "" where there is none. Returns how
 * many attempts that are. */
uint64_t attempts_clause(char text[ATTEMPT_TEXT_MAX], const struct attempts *attempts, const char *id,
                         enum timestamp_zone zone);

#endif
