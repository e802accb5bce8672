/* armtap-analysis: judges robot and network by their telemetry.
 *
 * Records and events go in through the sink of an armtap_net or an armtap_conn, and findings come out:
 *
 *   armtap_diagnosis_*    what went wrong, when, in which packet, the responsible side; rates, clocks, modes
 *   armtap_comparison_*   the legacy and the RTDE stream of one robot, paired by the controller's clock, field by field
 *   armtap_streams_*      the streams of a capture, and failed connection attempts
 *   armtap_kinematics_*   whether a pose matches the joint angles, and by which model's geometry
 *   armtap_inference_*    the fields of RTDE data whose handshake was not captured, from the data alone
 *
 * Like libarmtap, this library opens nothing, prints nothing, reads no clock and no locale, and has no globals; a keyed
 * hash asks the system for a random number. Memory is bounded for captures of any length and content. Only
 * one thread at a time may use an object; different threads may use different objects.
 *
 * Times are ns since the epoch, or ARMTAP_NO_TIME; members give other units. Functions that return int return 0 or one
 * of armtap.h's negative errors, unless their comment says otherwise. For NULL instead of a required pointer, functions
 * of diagnosis and comparison return ERR_ARGUMENT or do nothing; the other parts require their object. An index beyond
 * the end gives NULL. After ERR_MEMORY an object repeats that error.
 *
 * A struct that is returned by pointer belongs to the object, lives as long as it, and may grow at its end in later
 * releases. The caller creates only the options, which begin with their size, and structs whose comment says so. A
 * program that creates records and events itself sets `info` of their stream, which describes the protocol. */
#ifndef ARMTAP_ANALYSIS_H
#define ARMTAP_ANALYSIS_H

#include "armtap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The time zone of times in texts. */
struct armtap_zone {
    /* Seconds by which the zone is ahead of UTC at a time given in s since the epoch. */
    int64_t (*offset)(void *user, int64_t seconds);
    void *user;
};
struct armtap_kinematics;

/* ---- streams --------------------------------------------------------------------------------------------------- */

/* An AUBO channel: the last subscription on it or, in the direction to the robot, the last publication. Its size is
 * fixed. */
struct armtap_stream_channel {
    int id;
    enum armtap_direction direction;
    double frequency; /* Hz requested; 0 if not given */
    size_t topics;
    struct armtap_recipe *recipe; /* NULL: not kept */
};

/* Why the names of a stream's data were guessed. */
struct armtap_stream_guess {
    unsigned score, needed;
    bool names_captured;         /* the request was captured, with the names */
    struct armtap_set supported; /* fields whose values support their name */
    const char *source;
    const char *reasons; /* separated by "; " */
    bool types_captured; /* the reply was captured, with the types, but not the request */
};

/* How often the capture's clock was set back between two records from the robot, and the largest step. */
struct armtap_clock_back {
    uint64_t count;
    struct armtap_where where; /* of the largest step back: the record after it */
    int64_t by;                /* ns; the largest step back */
};

struct armtap_stream_summary {
    const struct armtap_stream *stream; /* as last seen */
    unsigned number;                    /* set by armtap_streams_number */
    struct armtap_where begin;          /* its first packet; in a raw dump, its file */
    int64_t first_time[2];              /* of its data records, by direction; ARMTAP_NO_TIME without one */
    struct armtap_where last[2];        /* its last data records; a time as above */
    int64_t hidden[2];              /* ns that these times lack because the capture's clock was set back between them */
    int64_t streaming;              /* ns from record to record from the robot, without pauses */
    uint64_t steps;                 /* number of such steps from record to record */
    double last_clock;              /* the controller's, in the last record from the robot; NAN: none */
    struct armtap_clock_back *back; /* NULL: never */
    struct armtap_recipe *recipe;   /* the last output recipe, or an identical one; NULL without one */
    struct armtap_stream_channel *channels; /* in the order of their setups */
    size_t channel_count;
    uint64_t channels_left_out;        /* setups of channels that are not kept */
    struct armtap_stream_guess *guess; /* of the last output recipe; NULL: not guessed */
    uint64_t guessed;                  /* records from the robot whose recipe was guessed */
    /* Well-known recipes that data without names may follow. */
    const struct armtap_known_recipe **candidates;
    size_t candidate_count;
    /* The arm by its joints and poses: measured ones, or targets if it lacks them; NULL if no record has both, or the
     * robot is not UR's. */
    struct armtap_kinematics *kinematics;
    uint64_t replaced; /* how often a setup changed the fields of running data: RTDE's, not guessed */
};

/* Totals of the streams that are not kept individually. */
struct armtap_streams_rest {
    uint64_t count;
    uint64_t records[2];
    uint64_t gaps;
    uint64_t bytes_decoded, bytes_lost, bytes_skipped;
    struct armtap_where first; /* where the first of them ended */
};

/* Collects summaries: call armtap_streams_record, _recipe, _candidates, _note and _event from the callbacks of a sink.
 * Connections that close without being recognised are dropped, so that foreign traffic takes no memory; the first
 * streams are kept, up to the budget `streams`, and further ones are added to the totals when they close. */
struct armtap_streams;
/* NULL if out of memory. */
ARMTAP_API struct armtap_streams *armtap_streams_new(void);
ARMTAP_API void armtap_streams_free(struct armtap_streams *streams);
ARMTAP_API int armtap_streams_record(struct armtap_streams *streams, const struct armtap_record *record);
ARMTAP_API int armtap_streams_recipe(struct armtap_streams *streams, const struct armtap_recipe_event *event);
ARMTAP_API int armtap_streams_candidates(struct armtap_streams *streams, const struct armtap_candidates *candidates);
ARMTAP_API int armtap_streams_note(struct armtap_streams *streams, const struct armtap_note *note);
ARMTAP_API int armtap_streams_event(struct armtap_streams *streams, const struct armtap_event *event);
/* Numbers the connections that carry telemetry, in the order of their first packets. */
ARMTAP_API void armtap_streams_number(struct armtap_streams *streams);
/* How many are numbered. */
ARMTAP_API size_t armtap_streams_count(const struct armtap_streams *streams);
ARMTAP_API const struct armtap_stream_summary *armtap_streams_at(const struct armtap_streams *streams, size_t number);
/* By the number of the connection; NULL if it carries no telemetry. */
ARMTAP_API const struct armtap_stream_summary *armtap_streams_of(const struct armtap_streams *streams,
                                                                 uint64_t connection);
ARMTAP_API const struct armtap_streams_rest *armtap_streams_rest(const struct armtap_streams *streams);
/* Number of a stream's notes of the kind armtap_note_at(kind). */
ARMTAP_API uint64_t armtap_streams_notes_of(const struct armtap_stream_summary *summary, size_t kind);

/* ---- attempts to connect --------------------------------------------------------------------------------------- */

/* Attempts that failed: refused, not answered, or accepted but left empty. All attempts of a client at a robot port
 * with one outcome are one entry, until it connects. */
enum armtap_attempt_outcome {
    ARMTAP_ATTEMPT_REFUSED,
    ARMTAP_ATTEMPT_UNREACHABLE, /* reported by an ICMP error */
    ARMTAP_ATTEMPT_NO_ANSWER,
    /* Accepted, but no byte was sent either way: */
    ARMTAP_ATTEMPT_RESET,  /* the robot reset the connection */
    ARMTAP_ATTEMPT_CLOSED, /* the robot closed it */
    ARMTAP_ATTEMPT_SILENT, /* it was open for 2 s or more */
    ARMTAP_ATTEMPT_MUTE,   /* the same on RTDE's port, where a client must send a request, and this one never did */
    ARMTAP_ATTEMPT_LEFT,   /* the client ended it sooner, like a program that only probes the port */
    ARMTAP_ATTEMPT_OUTCOMES
};

struct armtap_attempt {
    enum armtap_attempt_outcome outcome;
    char robot[64];  /* with its port: "10.0.0.2:30004" */
    char client[64]; /* its address without port: "10.0.0.9", "fd00::9" */
    uint64_t count;
    uint64_t syns;                   /* of attempts not accepted; if more than `count`, some were retransmitted */
    struct armtap_where first, last; /* the refusing packets, the first SYNs of unanswered attempts, or the ends */
    int64_t first_syn, last_syn;     /* time of the first SYN; time of the last SYN, refusal or end */
    int64_t shortest, longest;       /* ns for which accepted connections were open */
    bool confirmed;                  /* accepted, and the client sent more than its SYN */
    struct armtap_where connected;   /* where the client connected after the last attempt */
    bool has_connected;
    struct armtap_unreachable unreachable; /* who reported the last unreachable attempt, and why */
    uint64_t between;                      /* how often the client connected between the first and the last attempt */
    bool unsure; /* accepted, and the capture does not show which side was the first to end it, or one of them */
};

/* The attempts of a capture; they are not streams. */
struct armtap_attempts;
ARMTAP_API const struct armtap_attempts *armtap_streams_attempts(const struct armtap_streams *streams);
/* In the order in which the entries were created. */
ARMTAP_API const struct armtap_attempt *armtap_attempts_at(const struct armtap_attempts *attempts, size_t i);
/* Attempts of robots and clients that have no entry because there are too many. */
ARMTAP_API uint64_t armtap_attempts_left_out(const struct armtap_attempts *attempts,
                                             enum armtap_attempt_outcome outcome);
/* Number of attempts with that outcome. */
ARMTAP_API uint64_t armtap_attempts_total(const struct armtap_attempts *attempts, enum armtap_attempt_outcome outcome);

/* ---- rates ----------------------------------------------------------------------------------------------------- */

/* How regularly a stream's data arrived. With several AUBO channels: the sum over the channels, each over the time in
 * which it was requested. */
struct armtap_rates_totals {
    double expected_hz, rate_hz; /* means over the time in which data was due; 0: unknown */
    uint64_t skipped;            /* packages that the controller skipped */
    /* Differences between the intervals at which packages could be read, in order, and the steps of the controller's
     * clock, of all channels; ns, -1: unknown. */
    int64_t jitter_p50, jitter_p99, jitter_max;
    int64_t longest_silence; /* of one channel, while data was due; ns, -1: unknown */
    int64_t longest_gap;     /* the same, including gaps of the capture */
    /* RTDE: the rate that the last set-up requested, and the highest that the controller can send; 0: unknown. */
    double requested_hz, highest_hz;
    /* Steps from package to package while data was due, and those of them to packages without the controller's clock,
     * where it does not show whether packages were skipped. Of protocols that send every cycle, or at a rate. */
    uint64_t steps, unclocked;
    int64_t longest_wait;         /* for a package while data was due, without gaps of the capture; ns, -1: unknown */
    struct armtap_where wait_end; /* that package */
    int64_t round_trip;           /* round-trip time between client and robot, ns; 0: unknown */
    /* Before the end of the connection, or of the capture, if data was due: for how long there was none, if more than
     * three packages are missing, and the last package. ns, -1: not the case. */
    int64_t stopped;
    struct armtap_where stopped_since;
    bool is_paused; /* a request of the client had ended the data before */
};

/* ---- diagnosis ------------------------------------------------------------------------------------------------- */

#define ARMTAP_NO_STREAM UINT32_MAX

/* A finding. The first 10000 findings of each id and stream are kept individually, at most 40000 in all; the rest is
 * summed up in one finding for each id and stream. */
struct armtap_finding {
    const struct armtap_note_kind *kind;
    struct armtap_where where; /* if it sums up several: of the first */
    struct armtap_where last;
    struct armtap_where largest; /* of the one whose arguments these are */
    bool is_sum;                 /* sums up findings that are not kept individually, ... */
    bool is_of_streams;          /* ... those of further streams */
    bool is_doubtful;            /* the packets do not prove it, or not all findings that it sums up */
    uint64_t count;              /* 1, or how many it sums up */
    double size;                 /* packages, bytes or seconds, to find the largest of its kind; 0 if it has no size */
    double total;                /* sum of the sizes */
    uint64_t order;              /* in which findings were made */
    uint32_t stream;             /* number; ARMTAP_NO_STREAM: the whole capture, or not numbered yet */
    uint32_t pair;               /* number of this combination of stream and id */
    struct armtap_arguments arguments; /* of a sum: those of the largest; none if it has no size */
};
#define ARMTAP_FINDING_TEXT_MAX 700
/* Writes it as one line for people. `zone`: of times in it; NULL: UTC. */
ARMTAP_API void armtap_finding_say(char text[ARMTAP_FINDING_TEXT_MAX], const struct armtap_finding *finding,
                                   const struct armtap_zone *zone);
/* The argument with that name as a number: armtap_finding_number(finding, "duration_s", &seconds). False if there is
 * none, or it is not a number. */
static inline bool armtap_finding_number(const struct armtap_finding *finding, const char *name, double *number)
{
    const struct armtap_argument *argument = armtap_argument_find(&finding->arguments, name);
    enum armtap_argument_type type = armtap_argument_kind(argument)->type;
    if (!argument || type > ARMTAP_FLAG)
        return false;
    *number = type == ARMTAP_NUMBER                         ? argument->value.number
              : type == ARMTAP_COUNT || type == ARMTAP_FLAG ? (double)argument->value.count
                                                            : (double)argument->value.integer;
    return true;
}
/* The same as a text, for the words of its kind and the texts of a table; NULL if there is none. */
static inline const char *armtap_finding_text(const struct armtap_finding *finding, const char *name)
{
    return armtap_argument_text(armtap_argument_find(&finding->arguments, name));
}
/* The same for transmitted text, and for names: any bytes, followed by a NUL. */
static inline const char *armtap_finding_quoted(const struct armtap_finding *finding, const char *name, size_t *length)
{
    const struct armtap_argument *argument = armtap_argument_find(&finding->arguments, name);
    if (!argument || armtap_argument_kind(argument)->type < ARMTAP_NAMES)
        return NULL;
    *length = argument->length;
    return argument->value.text;
}

/* The controller's clock against the capture's. */
struct armtap_clock_totals {
    bool has_offset, has_drift;
    int64_t offset;   /* ns to add to the controller's clock to get the capture's time, at the first package */
    double drift_ppm; /* by how much the controller's clock is fast */
};

struct armtap_stream_diagnosis {
    const struct armtap_stream_summary *summary;
    const struct armtap_rates_totals *rates; /* NULL: not judged */
    const struct armtap_clock_totals *clock; /* NULL: not judged */
    /* Bytes that were captured but not decoded, without the rest of a message that began before the capture. */
    double unread;
};

/* Number of fields that describe the modes of an arm. */
#define ARMTAP_MODE_FIELDS 4
/* A mode, and where it began. */
struct armtap_mode {
    uint64_t connection;
    struct armtap_where where;
    const struct armtap_field *field;
    unsigned arm; /* 1; with AUBO 1 to 4 */
    int64_t value;
    const char *name; /* NULL: the value has no name */
    /* The time of the field's next change, if that one was not kept: the mode is unknown from then on. ARMTAP_NO_TIME:
     * the next change was kept, or there is none. */
    int64_t kept_until;
};

/* The arm around a safety stop: rows before and after, evenly spaced over the requested time. */
#define ARMTAP_STOP_ROWS 6 /* before, and as many after */
enum armtap_stop_vector {
    ARMTAP_STOP_POSITION,
    ARMTAP_STOP_CURRENT,
    ARMTAP_STOP_FORCE,
    ARMTAP_STOP_COMMAND,
    ARMTAP_STOP_VECTORS
};
/* actual_q, actual_current, actual_TCP_force; or the target of a driver's command, in the unit of its mode. Its size is
 * fixed. */
struct armtap_stop_row {
    struct armtap_where where;
    bool has[ARMTAP_STOP_VECTORS];
    double value[ARMTAP_STOP_VECTORS][6];
    const char *mode; /* of a driver's command, such as "SERVOJ"; else NULL */
};
struct armtap_stop_window {
    uint32_t stream; /* number */
    unsigned arm;    /* 1; with AUBO 1 to 4 */
    unsigned count;
    unsigned at;       /* the row of the stop itself; of commands, the last one before it */
    bool has_commands; /* of a driver to the robot that stopped, instead of the arm's values */
    struct armtap_stop_row rows[2 * ARMTAP_STOP_ROWS + 2]; /* including the one just before the stop */
};

/* The responsible side, as far as the findings show; UNCLEAR: not proven. */
enum armtap_blame {
    ARMTAP_BLAME_ROBOT,
    ARMTAP_BLAME_NETWORK,
    ARMTAP_BLAME_CLIENT,
    ARMTAP_BLAME_CAPTURE,
    ARMTAP_BLAME_UNCLEAR
};
/* "robot", "network", "client", "capture", "unclear" */
ARMTAP_API const char *armtap_blame_name(enum armtap_blame side);

/* The worse ones first. */
enum armtap_incident_class {
    ARMTAP_INCIDENT_STOP,    /* the robot made a safety stop, or is in fault */
    ARMTAP_INCIDENT_PROGRAM, /* its program stopped */
    ARMTAP_INCIDENT_DATA,    /* data stalled */
    ARMTAP_INCIDENT_OTHER
};

/* One event of a robot, in one or several connections. It claims no more than the findings prove. */
struct armtap_incident {
    const char *robot; /* its address, "10.0.0.2"; "": the capture's */
    int64_t from, to;  /* ns; ARMTAP_NO_TIME without times */
    struct armtap_where where;
    const struct armtap_finding *began;   /* with this finding, ... */
    const struct armtap_note_kind *what;  /* ... of this kind */
    const struct armtap_note_kind *cause; /* NULL: the capture does not show it */
    enum armtap_incident_class incident_class;
    enum armtap_blame side;
    enum armtap_severity severity; /* the worst of its findings */
    const char *text;              /* begins in lower case, like findings; ends in a full stop */
    const char *brief;             /* one sentence, without its full stop */
    const char *doubt;             /* why it, or its cause, is not certain; NULL: certain */
    const uint32_t *streams;       /* numbers */
    size_t stream_count;
    const size_t *evidence; /* indices of findings, in their order */
    size_t evidence_count;
    /* The robot's data is complete and nothing points to the network: if the whole capture was read, there was no
     * network fault. */
    bool is_network_clean;
    bool lacks_messages; /* the port on which the robot reports causes was not captured */
};

struct armtap_diagnosis;
struct armtap_diagnosis_options {
    size_t size; /* sizeof(struct armtap_diagnosis_options) */
    /* Called with each finding as soon as it is made, also in open streams; may be NULL. `stream` is NULL for the whole
     * capture; it has no protocol until telemetry is recognised in it. A return value other than 0 stops. For repeated
     * connection attempts of a client only the first failure is reported here; findings of armtap_diagnosis_finish are
     * not. */
    int (*on_finding)(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream);
    void *user;
    int64_t reach; /* ns before and after each safety stop for which the arm's rows are kept; 0: none */
    const struct armtap_zone *zone; /* of times in texts; must outlive the diagnosis; NULL: UTC */
    /* For connections read from a socket (ARMTAP_ORIGIN_SOCKET): whether the user chose the requested frequency.
     * Otherwise it may only be the maximum, and a controller that sends less, evenly, is not at fault. */
    bool frequency_wanted;
};
/* `options` may be NULL. */
ARMTAP_API int armtap_diagnosis_new(const struct armtap_diagnosis_options *options,
                                    struct armtap_diagnosis **diagnosis);
/* Must not be called from within on_finding. */
ARMTAP_API void armtap_diagnosis_free(struct armtap_diagnosis *diagnosis);
/* The sink to pass to armtap_net_new or armtap_conn_new, with the diagnosis as its user. A program with its own sink
 * may call these callbacks from it, each time its own are called. They return 0, or an error that they repeat from then
 * on: ERR_MEMORY, or ERR_STOPPED if on_finding asked to stop; after armtap_diagnosis_finish ERR_ARGUMENT. */
ARMTAP_API const struct armtap_sink *armtap_diagnosis_sink(const struct armtap_diagnosis *diagnosis);
/* The input ends: numbers the streams, sorts the findings by time, and finds the incidents. Everything below is empty
 * until then. ERR_MEMORY, or ERR_STOPPED as above; from within on_finding ERR_BUSY. */
ARMTAP_API int armtap_diagnosis_finish(struct armtap_diagnosis *diagnosis);

/* Sorted by time. */
ARMTAP_API size_t armtap_diagnosis_finding_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_finding *armtap_diagnosis_finding_at(const struct armtap_diagnosis *diagnosis, size_t i);
/* By number. */
ARMTAP_API size_t armtap_diagnosis_stream_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_stream_diagnosis *armtap_diagnosis_stream_at(const struct armtap_diagnosis *diagnosis,
                                                                            size_t number);
/* The list of streams, with connection attempts; may be called at any time. */
ARMTAP_API const struct armtap_streams *armtap_diagnosis_streams(const struct armtap_diagnosis *diagnosis);
/* Modes in the order in which they were captured, for each stream from its first known mode on. */
ARMTAP_API size_t armtap_diagnosis_mode_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_mode *armtap_diagnosis_mode_at(const struct armtap_diagnosis *diagnosis, size_t i);
/* Changes that are not kept: 10000 are kept for each field of a stream (with AUBO, of an arm), 50000 in all. */
ARMTAP_API uint64_t armtap_diagnosis_modes_left_out(const struct armtap_diagnosis *diagnosis);
/* By stream and arm: the first 4 of each, at most 400 in all. */
ARMTAP_API size_t armtap_diagnosis_stop_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_stop_window *armtap_diagnosis_stop_at(const struct armtap_diagnosis *diagnosis,
                                                                     size_t i);
/* In order of time, at most 200. Every warning and error is evidence of one, as long as there is room. */
ARMTAP_API size_t armtap_diagnosis_incident_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_incident *armtap_diagnosis_incident_at(const struct armtap_diagnosis *diagnosis,
                                                                      size_t i);

/* ---- comparison ------------------------------------------------------------------------------------------------ */

/* Records of two streams of one robot are paired by the controller's clock, in bounded memory: two records make a pair
 * if their clocks are at most half a cycle apart and neither has a nearer record on the other side; each is in at most
 * one pair. The cycle is the smaller one of the two sides' typical clock steps. */
enum armtap_side { ARMTAP_SIDE_LEGACY, ARMTAP_SIDE_RTDE, ARMTAP_SIDES };

struct armtap_pairing_tally {
    uint64_t pairs;
    uint64_t records[ARMTAP_SIDES];
    uint64_t unpaired[ARMTAP_SIDES];
    uint64_t restarts[ARMTAP_SIDES]; /* of the clock */
    uint64_t strays[ARMTAP_SIDES];   /* ignored: a clock far from those of the neighbouring records, or NaN */
    double step[ARMTAP_SIDES];       /* typical, s; 0 if unknown */
    double cycle;                    /* s; 0 while unknown */
    double farthest;                 /* largest difference between the clocks of a pair, s */
    double first, last;              /* clock of the first and the last pair, from the legacy record */
};

enum armtap_equality { ARMTAP_EQUAL, ARMTAP_DIFFERS, ARMTAP_ONLY_LEGACY, ARMTAP_ONLY_RTDE };

/* How the legacy packet holds an integer: as a double of that value, as UR documents and robots do, or as the integer
 * itself. */
enum armtap_integer_form { ARMTAP_INTEGER_ZERO, ARMTAP_INTEGER_DOUBLE, ARMTAP_INTEGER_RAW, ARMTAP_INTEGER_FORMS };

/* How a field differs between paired records. */
struct armtap_difference {
    const char *name;
    const struct armtap_field *field; /* NULL: not in the dictionary */
    unsigned count;                   /* elements */
    enum armtap_equality verdict;
    uint64_t pairs;  /* in which both records have the field */
    uint64_t differ; /* of those, pairs with an element that differs by more than the tolerance */
    uint64_t absent; /* pairs in which only one record has the field, although both recipes list it */
    /* Over all elements; NaN without a pair, or if the difference of some values is not finite. */
    double largest, mean;
    /* Where the difference is largest; the first place if values differ only in the sign of zero, or by no finite
     * number. */
    unsigned element;
    struct armtap_where where[ARMTAP_SIDES];
    double clock;                            /* the legacy record's */
    struct armtap_value value[ARMTAP_SIDES]; /* never text */
    uint64_t forms[ARMTAP_INTEGER_FORMS];    /* of the legacy values of a bit field */
    bool is_constant; /* each side had the same value in all pairs, so being equal proves little */
};

struct armtap_comparison;
struct armtap_comparison_options {
    size_t size; /* sizeof(struct armtap_comparison_options) */
    /* Doubles are equal if they differ by no more than this; with 0, if their bits are the same; NaN equals NaN.
     * Integers must be the same. */
    double tolerance;
    /* Both sides' records are given in capture order, so that a clock restart on one side also counts for the other. */
    bool in_capture_order;
};
/* `options` may be NULL. */
ARMTAP_API int armtap_comparison_new(const struct armtap_comparison_options *options,
                                     struct armtap_comparison **comparison);
ARMTAP_API void armtap_comparison_free(struct armtap_comparison *comparison);
/* The next record of a side, in the order of its stream; a record without a clock is ignored. ERR_MEMORY; ERR_SPACE if
 * there are more fields than a robot has. */
ARMTAP_API int armtap_comparison_record(struct armtap_comparison *comparison, enum armtap_side side,
                                        const struct armtap_record *record);
/* No more records follow on this side. */
ARMTAP_API int armtap_comparison_end(struct armtap_comparison *comparison, enum armtap_side side);
/* Whether a side has so many waiting records that the other side's should come next. */
ARMTAP_API bool armtap_comparison_is_ahead(const struct armtap_comparison *comparison, enum armtap_side side);
/* May be called at any time. */
ARMTAP_API const struct armtap_pairing_tally *armtap_comparison_tally(const struct armtap_comparison *comparison);
/* Ends both sides and sums up; there are no differences until then. */
ARMTAP_API int armtap_comparison_finish(struct armtap_comparison *comparison);
/* Fields that both sides have, in the order of the legacy packet, then those that only the legacy stream has, then
 * those that only RTDE has. */
ARMTAP_API size_t armtap_comparison_count(const struct armtap_comparison *comparison);
ARMTAP_API const struct armtap_difference *armtap_comparison_at(const struct armtap_comparison *comparison, size_t i);

/* ---- kinematics ------------------------------------------------------------------------------------------------ */

/* The geometry of a robot as its maker publishes it. The calibration of a single robot differs by up to a few mm. */
struct armtap_robot_model {
    const char *name;              /* "UR5e" */
    double d1, a2, a3, d4, d5, d6; /* Denavit-Hartenberg parameters, m; the others are 0 */
};
/* Models of the same geometry follow each other; NULL beyond the last. */
ARMTAP_API const struct armtap_robot_model *armtap_robot_model_at(size_t i);

enum armtap_kinematics_outcome {
    ARMTAP_KINEMATICS_UNKNOWN,  /* too few samples, or the arm hardly moved: every model matches */
    ARMTAP_KINEMATICS_MODEL,    /* the pose matches the joint angles by the geometry of `models` */
    ARMTAP_KINEMATICS_UNLISTED, /* it matches them, but by none of these geometries */
    ARMTAP_KINEMATICS_MISMATCH  /* it does not match them */
};
#define ARMTAP_KINEMATICS_MODELS 16
/* The arm by its joints and poses. The caller creates it; its size is fixed. */
struct armtap_kinematics_result {
    enum armtap_kinematics_outcome outcome;
    /* All models that explain the poses: of one geometry, or ones that these motions do not distinguish. */
    const struct armtap_robot_model *models[ARMTAP_KINEMATICS_MODELS];
    size_t model_count;
    double residual;  /* m, RMS of the best model's positions; of UNLISTED, of the best geometry */
    double next;      /* m, the same of the best model that is not in `models`; INFINITY without one */
    double turn;      /* rad, RMS of the orientations */
    double tool[6];   /* pose of the tool centre point in the frame of the flange: m, rotation vector */
    unsigned tools;   /* how often it changed, plus 1; `tool` is the last */
    bool jumps;       /* it changed so often that no tool explains it, and the residuals mean nothing */
    uint64_t samples; /* compared joints and poses: a bounded number of those added */
};
/* Compares joint angles with poses by forward kinematics. Bounded memory. */
struct armtap_kinematics;
/* NULL if out of memory. */
ARMTAP_API struct armtap_kinematics *armtap_kinematics_new(void);
ARMTAP_API void armtap_kinematics_free(struct armtap_kinematics *kinematics);
/* Joint angles (rad) and the pose of the tool centre point (m, rotation vector) of one record, in order of time. */
ARMTAP_API void armtap_kinematics_add(struct armtap_kinematics *kinematics, const double q[6], const double pose[6]);
/* The same, with the tool's offset that the robot reported along with it: its pose in the frame of the flange (m,
 * rotation vector), as UR's tcp_offset. */
ARMTAP_API void armtap_kinematics_add_tool(struct armtap_kinematics *kinematics, const double q[6],
                                           const double pose[6], const double offset[6]);
/* May be called at any time. */
ARMTAP_API void armtap_kinematics_result(const struct armtap_kinematics *kinematics,
                                         struct armtap_kinematics_result *result);

/* The distance between the tool by the poses and the reported offset. False if not known: no model explains the poses,
 * three joints did not move by 0.5 rad, not all poses had the same offset, or the tool changed. */
struct armtap_tool_gap {
    double distance; /* m */
    double angle;    /* rad */
    bool is_other;   /* it is another tool: more than 10 mm or 0.05 rad away, and 6 times the residuals */
};
ARMTAP_API bool armtap_kinematics_tool_gap(const struct armtap_kinematics *kinematics, struct armtap_tool_gap *gap);

/* ---- inference ------------------------------------------------------------------------------------------------- */

/* The fields of RTDE data whose handshake was not captured, from the data alone. All tilings of a package with the
 * types and names of outputs are weighed against each other by what the values show: a clock, modes, temperatures,
 * derivatives, kinematics, the noise of sensors; and by the order in which clients request fields. A field gets a name
 * only if it is almost certain; without motion there are none. */

/* A value of a package. */
struct armtap_inferred_field {
    const char *name;                 /* "actual_q"; if it is not certain "field_12", by its offset */
    const struct armtap_field *field; /* NULL: the name is not certain */
    enum armtap_type type;
    unsigned count;
    size_t offset;    /* from the first value of the package */
    double certainty; /* of the name, or of the likeliest one: the share of such names that are right, as measured */
    double type_certainty;
    const char *likeliest; /* a name that is not certain; "" if no name stands out */
    const char *evidence;  /* "keeps time; ..."; "" if there is none except its place */
};
struct armtap_inferred {
    const struct armtap_inferred_field *fields; /* in the order of the bytes, without a gap */
    size_t count;
    size_t named;            /* how many have a certain name */
    size_t size;             /* bytes of all values */
    int recipe_id;           /* of protocol 2 and 3, the byte before the values; -1: protocol 1 has none */
    uint64_t packages;       /* that were added, of the same size */
    uint64_t other_packages; /* of other sizes */
    bool typed;              /* the types are known from the reply to a setup */
    bool moved;              /* the arm moved, or no field shows motion; without motion there are no names */
    const char *order;       /* "guide", "alphabet": the order that the fields seem to have; "" if none is apparent */
    struct armtap_kinematics_result kinematics; /* of joints and pose, if both were found; else UNKNOWN */
};
struct armtap_inference;
/* NULL if out of memory. */
ARMTAP_API struct armtap_inference *armtap_inference_new(void);
ARMTAP_API void armtap_inference_free(struct armtap_inference *inference);
/* The content of the next data package from the robot, after its size and type. ERR_MEMORY. */
ARMTAP_API int armtap_inference_package(struct armtap_inference *inference, const uint8_t *content, size_t length);
/* The same of a record, whether or not its recipe is known; records that are not RTDE's data from the robot are
 * ignored. */
ARMTAP_API int armtap_inference_record(struct armtap_inference *inference, const struct armtap_record *record);
/* No more packages follow. ERR_NOT_READY if there are fewer than 8 of one size, of 1 to 4096 bytes; ERR_MEMORY. */
ARMTAP_API int armtap_inference_finish(struct armtap_inference *inference);
/* Before that: the types from the controller's reply to the setup, if the request with the names was not captured. The
 * result has these types at these places; the last call counts. */
ARMTAP_API int armtap_inference_types(struct armtap_inference *inference, const struct armtap_recipe *recipe);
/* NULL before armtap_inference_finish, or if that failed. */
ARMTAP_API const struct armtap_inferred *armtap_inference_result(const struct armtap_inference *inference);

#ifdef __cplusplus
}
#endif

#endif
