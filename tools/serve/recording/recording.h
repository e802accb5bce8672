/* What a capture has of its robots, found by reading it once: before it is served it must be known which variables
 * there are, of which types, and how often they come. */
#ifndef SERVE_RECORDING_H
#define SERVE_RECORDING_H

#include "input/replay/replay.h"
#include "other_ports.h"
#include "presence.h"

#define RECORDING_ROBOTS_MAX 32u
#define RECORDING_STREAMS_MAX 256u

/* The protocols that are served. */
enum served { SERVED_RTDE, SERVED_REALTIME, SERVED_COUNT };

/* A telemetry connection. */
struct recorded_stream {
    uint64_t connection;
    size_t robot; /* index */
    enum served protocol;
    uint64_t records;
    double clock; /* of its last record */
};

/* ns: a silence of more than this is a gap. */
#define RECORDING_GAP PRESENCE_GAP
#define RECORDING_STEPS 1001 /* ms */
struct recorded_robot {
    char address[64]; /* "10.0.0.2"; "" in a raw dump */
    struct variables *variables;
    struct presence *presence; /* when they were recorded */
    uint64_t records[SERVED_COUNT];
    uint64_t cut[SERVED_COUNT];                    /* of these, by the snapshot length */
    uint64_t guessed;                              /* of these, by a recipe that was guessed */
    uint32_t steps[SERVED_COUNT][RECORDING_STEPS]; /* how often the clock advanced by so many ms */
    int64_t first_time, last_time;                 /* of its records; ARMTAP_NO_TIME if unknown */
    int64_t earliest, latest;                      /* the same, whichever way the capture's clock was set */
    int64_t silence;                               /* ns in gaps between them (RECORDING_GAP) */
    size_t packet_size;                            /* the longest legacy packet; 0 without any */
    char version[32];                              /* of the controller; "" if it was not captured */
    enum armtap_generation generation;
};

struct recording {
    struct recorded_robot *robots[RECORDING_ROBOTS_MAX];
    size_t robot_count, robots_left_out;
    struct presence_room room;
    struct recorded_stream streams[RECORDING_STREAMS_MAX];
    size_t stream_count;
    uint64_t opaque;                /* records of RTDE from robots whose recipe is not known */
    bool has_other;                 /* telemetry that is neither RTDE nor legacy: AUBO's */
    struct recorded_ports *ports;   /* that armtap does not decode */
    struct other_ports *other;      /* while it is read */
    struct armtap_streams *numbers; /* the streams as armtap info numbers them */
    struct replay_totals totals;
};

/* Reads a repeatable source. EXIT_DONE; EXIT_FAILED after a message: what came before the damage is there unless
 * totals.broken_off. */
enum exit_status recording_read(struct recording *recording, const struct replay_source *source);
void recording_free(struct recording *recording);
/* Index of the robot with that address, or of stream `number` as armtap info counts; -1 if there is none. */
long recording_robot(const struct recording *recording, const char *address);
long recording_robot_of_stream(const struct recording *recording, uint64_t number, uint64_t *connection);
bool recording_protocol(enum armtap_protocol protocol, enum served *served);
/* ns between records, the step most often seen; 0 if unknown. */
int64_t recording_cycle(const struct recorded_robot *robot, enum served protocol);
/* Records of a connection; 0 if it is not one of the first RECORDING_STREAMS_MAX. */
uint64_t recording_weight(const struct recording *recording, uint64_t connection);

#endif
