/* Connections that never came to be: refused, or without an answer; one entry for each robot's port and client, however
 * often the client tried. */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include "armtap.h"
#include "when.h"

/* Pairs of robot and client that are told apart; those beyond are only counted. */
#define ATTEMPTS_PAIRS 1000

enum attempt_outcome { ATTEMPT_REFUSED, ATTEMPT_NO_ANSWER, ATTEMPT_OUTCOMES };

struct attempt_summary {
    enum attempt_outcome outcome;
    char robot[64];  /* with its port: "10.0.0.2:30004" */
    char client[64]; /* its address alone: "10.0.0.9", "fd00::9" */
    uint64_t count;
    uint64_t syns;                   /* of all of them together; more than `count`: some were sent again */
    struct armtap_where first, last; /* the refusing packets, or the first SYNs of the unanswered ones */
    struct armtap_where connected;   /* where the client came through after the last of them */
    bool has_connected;
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

/* The id of the outcome: "tcp.refused", "tcp.no-answer". */
const char *attempt_id(enum attempt_outcome outcome);
/* What became of them, in one line. */
#define ATTEMPT_TEXT_MAX 480
void attempt_text(char text[ATTEMPT_TEXT_MAX], const struct attempts *attempts, const struct attempt_summary *summary,
                  enum when_zone zone);

#endif
