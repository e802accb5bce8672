/* A conversation with the dashboard server: lines, and which one answers which. */
#ifndef SERVE_DASHBOARD_TALK_H
#define SERVE_DASHBOARD_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DASHBOARD_REQUEST_MAX 256u
#define DASHBOARD_REPLY_MAX 4096u
#define DASHBOARD_PENDING_MAX 16u /* requests without their reply */

/* `request` is "" for the greeting. 0, or another number to end it. */
typedef int dashboard_talk_take(void *user, const char *request, const char *reply);

struct dashboard_line {
    size_t length;
    bool is_too_long;
    char text[DASHBOARD_REPLY_MAX + 1];
};
struct dashboard_talk {
    bool greets;                                                    /* the robot's next line is its greeting */
    bool is_lost;                                                   /* which line answers which is no longer certain */
    struct dashboard_line said[2];                                  /* by enum armtap_direction */
    unsigned first, count;                                          /* of the requests that wait */
    char pending[DASHBOARD_PENDING_MAX][DASHBOARD_REQUEST_MAX + 1]; /* "": a request too long to be kept */
};

/* `from_start`: its first bytes are the connection's. */
void dashboard_talk_begin(struct dashboard_talk *talk, bool from_start);
/* Bytes are missing, in either direction. */
void dashboard_talk_gap(struct dashboard_talk *talk);
/* Calls `take` for each reply. 0, or what `take` returned. */
int dashboard_talk_bytes(struct dashboard_talk *talk, bool from_robot, const uint8_t *bytes, size_t length,
                         dashboard_talk_take *take, void *user);
/* Cuts blanks off the end of a line. */
size_t dashboard_line_trim(const char *line, size_t length);

#endif
