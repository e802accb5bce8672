/* Gaps between the records of a robot's port, also across connections, and why: the columns gap_s and gap_cause. The
 * addresses of one label are one robot, whose ports are told apart by their protocols.
 *
 * A gap is as long as the capture's time says; how many cycles are missing says the controller's clock, where the
 * records have one. Without it only pauses, missing bytes and long silences show. The cause is that of most of them.
 * Connections to a port that exist at the same time have gaps of their own; one that begins goes on from the last
 * record of all. */
#ifndef EXPORT_GAPS_H
#define EXPORT_GAPS_H

#include "analysis/armtap-analysis.h"
#include "input/robots/labels.h"

enum gap_cause {
    GAP_NONE,
    GAP_RECONNECTED, /* the record before came on an earlier connection */
    GAP_PAUSED,      /* streaming was paused, or set up anew */
    GAP_LOST,        /* bytes are missing in the capture */
    GAP_CAPTURE,     /* bytes were captured, but cannot be read; or the capture begins anew within a connection */
    GAP_SILENT,      /* nothing came for some seconds */
    GAP_SKIPPED      /* the controller left packages out */
};
/* "lost"; NULL for GAP_NONE. */
const char *gap_cause_name(enum gap_cause cause);

struct gap {
    double seconds; /* since the record before */
    enum gap_cause cause;
};

/* The ports of robots; begins as zeros. */
struct robot_ports {
    bool is_wanted; /* else no gap is found */
    const struct labels *labels;
    struct robot_port **port;
    size_t count;
};
void robot_ports_forget(struct robot_ports *ports);

/* A connection; begins as zeros. */
struct gap_track {
    struct robot_port *port;
    int64_t last_read;
    double flowing; /* s between records, without gaps, and of how many; until the usual time is known */
    unsigned steps;
};

/* What is known of the time since the connection's record before. */
struct gap_sight {
    bool is_paused;
    double lost;   /* records that fit into the bytes missing in the capture */
    double unread; /* and into those that cannot be read */
    double usual;  /* time between two records, s; 0: unknown */
    double clock;  /* by how much the controller's clock advanced, s; NAN: unknown */
};

/* Takes the next record, if gaps are wanted. Sets *gap to the gap before it, zeros if there is none. 0, or -1 without
 * memory. */
int gap_find(struct robot_ports *ports, struct gap_track *track, const struct armtap_record *record,
             const struct gap_sight *sight, struct gap *gap);

/* In an earlier reading: takes the next record; then the end of each connection; then begins anew. 0, or -1 without
 * memory. */
int gap_learn(struct robot_ports *ports, struct gap_track *track, const struct armtap_record *record);
int gap_keep_end(const struct gap_track *track);
void robot_ports_rewind(struct robot_ports *ports);

#endif
