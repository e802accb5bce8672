/* armtap-analysis: what telemetry says about robot and network.
 *
 * Records and events go in, through the sink of an armtap_net or an armtap_conn, and findings come out:
 *
 *   armtap_diagnosis_*    what went wrong, when, in which packet, whose side it is on; rates, clocks, modes
 *   armtap_comparison_*   the legacy and the RTDE stream of one robot, paired by the controller's clock, field by field
 *   armtap_streams_*      the streams of a capture, and attempts to connect that failed
 *   armtap_rates_*        how regularly one stream's data came
 *
 * As libarmtap, this library opens nothing, prints nothing, reads no clock and no locale, and holds no globals; a keyed
 * hash asks the system for a random number. Memory is bounded, however long a capture is and whatever it holds. An
 * object is used by one thread at a time; several threads may have one each.
 *
 * Times are ns since the epoch, or ARMTAP_NO_TIME; other units stand with their members. Functions that return int
 * return 0 or one of armtap.h's negative errors, unless their comment says otherwise. Diagnosis and comparison answer
 * NULL where a pointer must be: ERR_ARGUMENT, or nothing is done; the other parts must be given their object. An index
 * beyond the end gives NULL. Lack of memory is ERR_MEMORY, and stays so.
 *
 * What is handed out by pointer is the object's, lives as long as it, and may grow at its end in later releases. Only
 * options are made by the caller; they begin with their size. */
#ifndef ARMTAP_ANALYSIS_H
#define ARMTAP_ANALYSIS_H

#include "armtap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- times ----------------------------------------------------------------------------------------------------- */

/* Times of captures may be anything: these do not overflow. */

#define ARMTAP_TIME_LONGEST INT64_C(9000000000000000000)
/* ns from one time to a later one, at most ARMTAP_TIME_LONGEST. */
ARMTAP_API int64_t armtap_time_between(int64_t from, int64_t to);
/* So many ns later, or earlier. */
ARMTAP_API int64_t armtap_time_shift(int64_t time, int64_t by);

/* Whose clock on the wall people look at. */
struct armtap_zone {
    /* By how many seconds it is ahead of UTC at that time, s since the epoch. */
    int64_t (*offset)(void *user, int64_t seconds);
    void *user;
};
#define ARMTAP_TIME_MAX 40
/* "2026-01-31T12:00:00.500000000Z", or "2026-01-31T13:00:00.500000000+01:00" of a zone, and a NUL. NULL: UTC. Returns
 * the length. */
ARMTAP_API size_t armtap_time_text(char to[ARMTAP_TIME_MAX], int64_t time, const struct armtap_zone *zone);

/* ---- streams --------------------------------------------------------------------------------------------------- */

/* A channel of AUBO: what was last subscribed to on it, or with the direction to the robot published. Its size stays.
 */
struct armtap_stream_channel {
    int id;
    enum armtap_direction direction;
    double frequency; /* Hz asked for; 0 where not said */
    size_t topics;
    struct armtap_recipe *recipe; /* NULL: it was not kept */
};

/* Why the names of a stream's data were guessed. */
struct armtap_stream_guess {
    unsigned score, needed;
    bool names_captured;         /* in the request */
    struct armtap_set supported; /* fields whose values speak for their name */
    const char *source;
    const char *reasons; /* "; " between */
};

/* Where the capture's clock was set back between two records from the robot. */
struct armtap_clock_back {
    uint64_t count;
    struct armtap_where where; /* of the largest: the record after it */
    int64_t by;                /* ns; of the largest */
};

struct armtap_stream_summary {
    const struct armtap_stream *stream; /* as it was last seen */
    unsigned number;                    /* set by armtap_streams_number */
    struct armtap_where begin;          /* its first packet; of a raw dump its file */
    int64_t first_time[2];              /* of its data records, by direction; ARMTAP_NO_TIME without one */
    int64_t last_time[2];
    int64_t hidden[2]; /* ns that pass between those times unseen: the capture's clock was set back */
    int64_t streaming; /* ns from record to record from the robot, pauses left out */
    uint64_t steps;    /* so many from one record to the next */
    double last_clock; /* the controller's, of the last record from the robot; NAN: none */
    struct armtap_clock_back back;
    struct armtap_recipe *recipe;           /* the last output recipe, or one that is the same; NULL without one */
    struct armtap_stream_channel *channels; /* in the order of set-up */
    size_t channel_count;
    uint64_t channels_left_out;        /* set-ups of channels that are not kept */
    struct armtap_stream_guess *guess; /* of the last output recipe; NULL: not guessed */
    uint64_t guessed;                  /* records from the robot that go by a guess */
    /* Well-known recipes that data without names may follow. */
    const struct armtap_known_recipe **candidates;
    size_t candidate_count;
};

/* What is known of streams beyond those that are kept one by one, all together. */
struct armtap_streams_rest {
    uint64_t count;
    uint64_t records[2];
    uint64_t gaps;
    uint64_t bytes_decoded, bytes_lost, bytes_skipped;
    struct armtap_where first; /* where the first of them ended */
};

/* TCP connections, telemetry or not, and the ports of robots among them that no decoder expects its protocol on. */
struct armtap_connections {
    uint64_t count;
    const char *const *ports;
    size_t port_count;
    bool more_ports;
};

/* Collects summaries: call its feeders from the callbacks of a sink. What closes without having been recognised is
 * forgotten, so that foreign traffic takes no room; of the budget `streams` the first are kept, and those beyond are
 * added up when they close. */
struct armtap_streams;
/* NULL without memory. */
ARMTAP_API struct armtap_streams *armtap_streams_new(void);
ARMTAP_API void armtap_streams_free(struct armtap_streams *streams);
ARMTAP_API int armtap_streams_record(struct armtap_streams *streams, const struct armtap_record *record);
ARMTAP_API int armtap_streams_recipe(struct armtap_streams *streams, const struct armtap_recipe_event *event);
ARMTAP_API int armtap_streams_candidates(struct armtap_streams *streams, const struct armtap_candidates *candidates);
ARMTAP_API int armtap_streams_note(struct armtap_streams *streams, const struct armtap_note *note);
ARMTAP_API int armtap_streams_event(struct armtap_streams *streams, const struct armtap_event *event);
/* Whether the last event ended a stream of those that are only added up; whoever keeps something of it can let it go.
 */
ARMTAP_API bool armtap_streams_let_go(const struct armtap_streams *streams);
/* The note about that, where the last event made it due. */
ARMTAP_API bool armtap_streams_due_note(const struct armtap_streams *streams, const struct armtap_event *event,
                                        struct armtap_note *note);
/* Gives numbers to the connections that turned out to carry telemetry, in the order of their first packets. */
ARMTAP_API void armtap_streams_number(struct armtap_streams *streams);
/* Of numbered ones. */
ARMTAP_API size_t armtap_streams_count(const struct armtap_streams *streams);
ARMTAP_API const struct armtap_stream_summary *armtap_streams_at(const struct armtap_streams *streams, size_t number);
/* By the number of the connection; NULL where it carries no telemetry. */
ARMTAP_API const struct armtap_stream_summary *armtap_streams_of(const struct armtap_streams *streams,
                                                                 uint64_t connection);
ARMTAP_API const struct armtap_streams_rest *armtap_streams_rest(const struct armtap_streams *streams);
ARMTAP_API const struct armtap_connections *armtap_streams_connections(const struct armtap_streams *streams);
/* Set-ups whose recipes were not kept: memory for them is bounded. */
ARMTAP_API uint64_t armtap_streams_recipes_left_out(const struct armtap_streams *streams);
/* Whether nothing speaks for the name of an entry of the stream's recipe but its place there. */
ARMTAP_API bool armtap_streams_is_by_position(const struct armtap_stream_summary *summary,
                                              const struct armtap_recipe_entry *entry);
/* How many names are so; *names of how many. */
ARMTAP_API size_t armtap_streams_by_position(const struct armtap_stream_summary *summary, size_t *names);
/* Notes of a stream, of the kind that armtap_note_at has at `kind`. */
ARMTAP_API uint64_t armtap_streams_notes_of(const struct armtap_stream_summary *summary, size_t kind);
/* Notes of the whole capture, those that belong to no stream included (of attempts to connect, one each), by index of
 * armtap_note_at. */
ARMTAP_API const uint64_t *armtap_streams_note_counts(const struct armtap_streams *streams);
/* Whether there is a note of warning or error. */
ARMTAP_API bool armtap_streams_have_warning(const struct armtap_streams *streams);
/* The same without attempts to connect that failed: no record is missing because of them. */
ARMTAP_API bool armtap_streams_data_have_warning(const struct armtap_streams *streams);

/* ---- attempts to connect --------------------------------------------------------------------------------------- */

/* Attempts that failed: refused, without an answer, or accepted and then nothing; one entry for each robot's port,
 * client and outcome, however often the client tried, until it comes through. */
enum armtap_attempt_outcome {
    ARMTAP_ATTEMPT_REFUSED,
    ARMTAP_ATTEMPT_UNREACHABLE, /* said by an ICMP error */
    ARMTAP_ATTEMPT_NO_ANSWER,
    /* Accepted, but no byte was sent either way: */
    ARMTAP_ATTEMPT_RESET,  /* the robot reset the connection */
    ARMTAP_ATTEMPT_CLOSED, /* the robot closed it */
    ARMTAP_ATTEMPT_SILENT, /* it was open for 2 s or more */
    ARMTAP_ATTEMPT_LEFT,   /* the client ended it sooner, as a program does that only probes the port */
    ARMTAP_ATTEMPT_OUTCOMES
};

struct armtap_attempt {
    enum armtap_attempt_outcome outcome;
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
struct armtap_attempt_open {
    char robot[64], client[64];
    uint64_t count;
    struct armtap_where last; /* the first SYN of the last one */
};

/* Those of a capture; they are no streams. */
struct armtap_attempts;
ARMTAP_API const struct armtap_attempts *armtap_streams_attempts(const struct armtap_streams *streams);
/* In the order in which they came to be. */
ARMTAP_API const struct armtap_attempt *armtap_attempts_at(const struct armtap_attempts *attempts, size_t i);
/* Attempts of robots and clients beyond those that are told apart. */
ARMTAP_API uint64_t armtap_attempts_left_out(const struct armtap_attempts *attempts,
                                             enum armtap_attempt_outcome outcome);
/* Attempts with that outcome. */
ARMTAP_API uint64_t armtap_attempts_total(const struct armtap_attempts *attempts, enum armtap_attempt_outcome outcome);
/* Whether any of them speaks of something wrong. */
ARMTAP_API bool armtap_attempts_have_fault(const struct armtap_attempts *attempts);
/* The i-th robot and client whose attempts the capture's end left open; false beyond the last. */
ARMTAP_API bool armtap_attempts_open_at(const struct armtap_attempts *attempts, size_t i,
                                        struct armtap_attempt_open *open);
/* The id of the outcome's finding: "tcp.refused", "tcp.no-answer". */
ARMTAP_API const char *armtap_attempt_id(enum armtap_attempt_outcome outcome);
/* "refused", "unreachable", "no-answer", "reset", "closed", "silent", "left" */
ARMTAP_API const char *armtap_attempt_outcome_name(enum armtap_attempt_outcome outcome);
#define ARMTAP_ATTEMPT_TEXT_MAX 480
/* What became of them, in one line; times in it are UTC's where `zone` is NULL. */
ARMTAP_API void armtap_attempt_text(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempts *attempts,
                                    const struct armtap_attempt *attempt, const struct armtap_zone *zone);
ARMTAP_API void armtap_attempt_open_text(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempt_open *open,
                                         const struct armtap_zone *zone);

/* ---- rates ----------------------------------------------------------------------------------------------------- */

/* How regularly a stream's data came. Of AUBO's several channels the sum of each one's, over the time in which it was
 * asked for. */
struct armtap_rates_totals {
    double expected_hz, rate_hz; /* means over the time in which data was due; 0: not known */
    uint64_t skipped;            /* packages that the controller left out */
    /* Differences between the steps in which packages arrived and those of the controller's clock, of all channels; ns,
     * -1: not known. */
    int64_t jitter_p50, jitter_p99, jitter_max;
    int64_t longest_silence; /* of a channel, while data was due; ns, -1: not known */
    int64_t longest_gap;     /* the same with what the capture lacks */
    /* Of RTDE: what the last set-up asked for, and what the controller can send; 0: not known. */
    double requested_hz, highest_hz;
};

/* What is between a record and the one before it. The caller's; its size stays. */
struct armtap_rates_step {
    uint64_t skipped; /* packages that the controller left out */
    double lost;      /* packages that the capture lacks, about; INFINITY: any number */
    double clock;     /* by how much the controller's clock went on, s; NAN: not known */
    double usual;     /* time between two packages, s; 0: not known */
};

/* What the streams of a capture share: the budget `channels`, and how many stretches of data may be learned. */
struct armtap_rates_shared;
ARMTAP_API struct armtap_rates_shared *armtap_rates_shared_new(size_t stretches);
/* After all that were given it. */
ARMTAP_API void armtap_rates_shared_free(struct armtap_rates_shared *shared);

/* What is learned of a stream in a first reading and told to a second one, which then judges from the first record on.
 * NULL without memory. */
struct armtap_rates_learned;
ARMTAP_API struct armtap_rates_learned *armtap_rates_learned_new(struct armtap_rates_shared *shared);
ARMTAP_API void armtap_rates_learned_free(struct armtap_rates_learned *learned);
/* The first reading is over. */
ARMTAP_API void armtap_rates_learned_complete(struct armtap_rates_learned *learned);

/* The rates of one stream: call the feeders from the callbacks of a sink. `learned` may be NULL. NULL without memory.
 */
struct armtap_rates;
ARMTAP_API struct armtap_rates *armtap_rates_new(struct armtap_rates_shared *shared,
                                                 struct armtap_rates_learned *learned);
ARMTAP_API void armtap_rates_free(struct armtap_rates *rates);
ARMTAP_API int armtap_rates_record(struct armtap_rates *rates, const struct armtap_record *record);
ARMTAP_API int armtap_rates_recipe(struct armtap_rates *rates, const struct armtap_recipe_event *event);
ARMTAP_API int armtap_rates_event(struct armtap_rates *rates, const struct armtap_event *event);
ARMTAP_API int armtap_rates_note(struct armtap_rates *rates, const struct armtap_note *note);
/* What is between a record, the last that armtap_rates_record had, and the one before it on its channel. */
ARMTAP_API void armtap_rates_last_step(const struct armtap_rates *rates, const struct armtap_record *record,
                                       struct armtap_rates_step *step);
ARMTAP_API void armtap_rates_totals(const struct armtap_rates *rates, struct armtap_rates_totals *totals);
/* The controller's clock in a record, s; NAN where it has none. */
ARMTAP_API double armtap_rates_clock(const struct armtap_record *record);

/* ---- diagnosis ------------------------------------------------------------------------------------------------- */

#define ARMTAP_NO_STREAM UINT32_MAX

/* What was found. Of one id and stream the first 10000 are kept one by one, of all 40000; those beyond are summed up in
 * one finding for each id and stream. */
struct armtap_finding {
    const struct armtap_note_kind *kind;
    struct armtap_where where; /* of the first, where it sums up several */
    struct armtap_where last;
    bool is_sum;      /* of those beyond what is kept one by one */
    bool is_doubtful; /* or one of those that it sums up is: the packets do not prove it */
    uint64_t count;   /* 1, or how many it sums up */
    double size;      /* packages, bytes or seconds, to find the largest of its kind; 0 where it has none */
    double total;     /* of all that it sums up */
    uint64_t order;   /* in which they were found */
    uint32_t stream;  /* number, or ARMTAP_NO_STREAM: of the capture, or not numbered yet */
    uint32_t pair;    /* number of its stream and id together, below armtap_diagnosis_pairs */
    const char *text; /* one line */
    size_t largest;   /* of several: where in the text the largest stands; 0: nowhere */
};

/* The controller's clock against the capture's. */
struct armtap_clock_totals {
    bool has_offset, has_drift;
    int64_t offset;   /* ns to add to the controller's clock for the capture's time, at the first package */
    double drift_ppm; /* by how much the controller's clock is fast */
};

struct armtap_stream_diagnosis {
    const struct armtap_stream_summary *summary;
    const struct armtap_rates_totals *rates; /* NULL where nothing was judged */
    const struct armtap_clock_totals *clock; /* NULL where nothing was judged */
    const char *no_data; /* a sentence without its end on why a whole stream holds no data; "" where not known */
    /* Bytes that were captured and not decoded; not the rest of a message that began before the capture. */
    double unread;
};

/* A mode that a robot was in from there on. Of an arm there are so many at a time. */
#define ARMTAP_MODE_FIELDS 4
struct armtap_mode {
    uint64_t connection;
    struct armtap_where where;
    const struct armtap_field *field;
    unsigned arm; /* 1; with AUBO 1 to 4 */
    int64_t value;
    const char *name; /* NULL: the value has none */
};

/* The arm around a safety stop: rows before and after, evenly thinned out of the time asked for. */
#define ARMTAP_STOP_ROWS 6 /* before, and as many after */
enum armtap_stop_vector { ARMTAP_STOP_POSITION, ARMTAP_STOP_CURRENT, ARMTAP_STOP_FORCE, ARMTAP_STOP_VECTORS };
/* actual_q, actual_current, actual_TCP_force. Its size stays. */
struct armtap_stop_row {
    struct armtap_where where;
    bool has[ARMTAP_STOP_VECTORS];
    double value[ARMTAP_STOP_VECTORS][6];
};
struct armtap_stop_window {
    uint32_t stream; /* number */
    unsigned arm;    /* 1; with AUBO 1 to 4 */
    unsigned count;
    unsigned at;                                           /* the row of the stop itself */
    struct armtap_stop_row rows[2 * ARMTAP_STOP_ROWS + 2]; /* the one just before the stop as well */
};

/* On whose side the cause is, as far as the findings show. */
enum armtap_blame {
    ARMTAP_BLAME_ROBOT,
    ARMTAP_BLAME_NETWORK,
    ARMTAP_BLAME_CLIENT,
    ARMTAP_BLAME_CAPTURE,
    ARMTAP_BLAME_UNCLEAR
};
/* "robot", "network", "client", "capture", "unclear" */
ARMTAP_API const char *armtap_blame_name(enum armtap_blame side);

/* What the findings of a stream, or of the capture, come to. It claims no more than they show. */
struct armtap_verdict {
    uint32_t stream; /* number, or ARMTAP_NO_STREAM: of the capture */
    enum armtap_blame side;
    enum armtap_severity
        severity;           /* at least this is wrong: WARNING; NOTICE where nothing is worse in all the capture */
    int64_t from, to;       /* of the findings; ARMTAP_NO_TIME without times */
    const char *text;       /* a sentence; it begins in lower case, as findings do */
    const size_t *evidence; /* indices of findings, in their order */
    size_t evidence_count;
    /* The controller's doings are among it, all data is there, and nothing hints at the network: if the whole capture
     * was read, the network lost nothing. */
    bool is_network_clean;
};

struct armtap_diagnosis;
struct armtap_diagnosis_options {
    size_t size; /* sizeof(struct armtap_diagnosis_options) */
    /* Each finding when it is found, also of streams that go on; NULL: nobody wants them. `stream` is NULL of the
     * capture, and has no protocol while it may still turn out to carry no telemetry. Other than 0 stops. A client that
     * tries to connect again and again is told the first time. What armtap_diagnosis_finish finds is not told here. */
    int (*on_finding)(void *user, const struct armtap_finding *finding, const struct armtap_stream *stream);
    void *user;
    int64_t reach;                  /* ns before and after safety stops of which the arm's rows are kept; 0: none */
    const struct armtap_zone *zone; /* of times in texts; it outlives the diagnosis; NULL: UTC */
};
/* `options` may be NULL. */
ARMTAP_API int armtap_diagnosis_new(const struct armtap_diagnosis_options *options,
                                    struct armtap_diagnosis **diagnosis);
/* Not from within on_finding. */
ARMTAP_API void armtap_diagnosis_free(struct armtap_diagnosis *diagnosis);
/* The sink to hand to armtap_net_new or armtap_conn_new, with the diagnosis as its user. Whoever has a sink of his own
 * may call these callbacks from it, for all that comes. They return 0, or an error, which they repeat from then on:
 * ERR_MEMORY, or ERR_STOPPED where on_finding said so; after armtap_diagnosis_finish ERR_ARGUMENT. */
ARMTAP_API const struct armtap_sink *armtap_diagnosis_sink(const struct armtap_diagnosis *diagnosis);
/* No more will come. Numbers the streams, puts the findings into the order of time, and comes to verdicts; before it,
 * all that follows is empty. ERR_MEMORY, or ERR_STOPPED as above; from within on_finding ERR_BUSY. */
ARMTAP_API int armtap_diagnosis_finish(struct armtap_diagnosis *diagnosis);

/* In the order of time. */
ARMTAP_API size_t armtap_diagnosis_finding_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_finding *armtap_diagnosis_finding_at(const struct armtap_diagnosis *diagnosis, size_t i);
/* How many pairs of a stream and an id the findings have. */
ARMTAP_API size_t armtap_diagnosis_pairs(const struct armtap_diagnosis *diagnosis);
/* By number. */
ARMTAP_API size_t armtap_diagnosis_stream_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_stream_diagnosis *armtap_diagnosis_stream_at(const struct armtap_diagnosis *diagnosis,
                                                                            size_t number);
/* The list of streams, with attempts to connect; at any time. */
ARMTAP_API const struct armtap_streams *armtap_diagnosis_streams(const struct armtap_diagnosis *diagnosis);
/* Modes in the order in which they came, those of each stream from the first one that is known. */
ARMTAP_API size_t armtap_diagnosis_mode_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_mode *armtap_diagnosis_mode_at(const struct armtap_diagnosis *diagnosis, size_t i);
/* Changes beyond those that are kept: of a stream 10000, of all 50000. */
ARMTAP_API uint64_t armtap_diagnosis_modes_left_out(const struct armtap_diagnosis *diagnosis);
#define ARMTAP_MODE_NAME_MAX 40
/* The field's name as outputs have it: robot_mode, and R2_robot_mode of the second arm. */
ARMTAP_API const char *armtap_mode_field(const struct armtap_mode *mode, char to[ARMTAP_MODE_NAME_MAX]);
/* By stream and arm: of each the first 4, of all 400. */
ARMTAP_API size_t armtap_diagnosis_stop_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_stop_window *armtap_diagnosis_stop_at(const struct armtap_diagnosis *diagnosis,
                                                                     size_t i);
/* One for each stream, and first for the capture, with a warning or an error; where there is none, with a notice. */
ARMTAP_API size_t armtap_diagnosis_verdict_count(const struct armtap_diagnosis *diagnosis);
ARMTAP_API const struct armtap_verdict *armtap_diagnosis_verdict_at(const struct armtap_diagnosis *diagnosis, size_t i);

/* ---- comparison ------------------------------------------------------------------------------------------------ */

/* Records of two streams of one robot are paired by the controller's clock, in bounded memory: two make a pair where
 * their clocks are no more than half a cycle apart and neither has a nearer one on the other side; each is in one pair
 * at most. The cycle is the smaller of both sides' typical steps of the clock. */
enum armtap_side { ARMTAP_SIDE_LEGACY, ARMTAP_SIDE_RTDE, ARMTAP_SIDES };

struct armtap_pairing_tally {
    uint64_t pairs;
    uint64_t records[ARMTAP_SIDES];
    uint64_t unpaired[ARMTAP_SIDES];
    uint64_t restarts[ARMTAP_SIDES]; /* the clock began again */
    uint64_t strays[ARMTAP_SIDES];   /* left out: a clock far from the records before and after it, or no number */
    double step[ARMTAP_SIDES];       /* typical, s; 0 where it cannot be told */
    double cycle;                    /* s; 0 while it is not known */
    double farthest;                 /* between the clocks of a pair, s */
    double first, last;              /* clock of the first and the last pair, by the legacy record */
};

enum armtap_equality { ARMTAP_EQUAL, ARMTAP_DIFFERS, ARMTAP_ONLY_LEGACY, ARMTAP_ONLY_RTDE };

/* How the legacy packet holds an integer: as a double of that value, as UR says and robots do, or as the integer. */
enum armtap_integer_form { ARMTAP_INTEGER_ZERO, ARMTAP_INTEGER_DOUBLE, ARMTAP_INTEGER_RAW, ARMTAP_INTEGER_FORMS };

/* What a field of paired records differs by. */
struct armtap_difference {
    const char *name;
    const struct armtap_field *field; /* NULL: not in the table */
    unsigned count;                   /* elements */
    enum armtap_equality verdict;
    uint64_t pairs;  /* both records have it */
    uint64_t differ; /* of those, in any element by more than the tolerance */
    uint64_t absent; /* pairs of which only one record has it, though both their recipes do */
    /* Over all elements; NaN where values differ that cannot be subtracted to a finite number, or without a pair. */
    double largest, mean;
    /* Where it is largest; of values that differ by a zero's sign or cannot be subtracted, the first. */
    unsigned element;
    struct armtap_where where[ARMTAP_SIDES];
    double clock;                            /* the legacy record's */
    struct armtap_value value[ARMTAP_SIDES]; /* no text */
    uint64_t forms[ARMTAP_INTEGER_FORMS];    /* of the cells of a field of bits */
};

struct armtap_comparison;
struct armtap_comparison_options {
    size_t size; /* sizeof(struct armtap_comparison_options) */
    /* Doubles are equal that differ by no more than it; with 0, those of the same bits; NaN equals NaN. Integers are
     * equal where they are the same. */
    double tolerance;
    /* What comes on either side comes in the order of the capture, so that a clock that began again on one side tells
     * about the other. */
    bool in_capture_order;
};
/* `options` may be NULL. */
ARMTAP_API int armtap_comparison_new(const struct armtap_comparison_options *options,
                                     struct armtap_comparison **comparison);
ARMTAP_API void armtap_comparison_free(struct armtap_comparison *comparison);
/* The controller's clock of a record, by which it is paired; false where it has none, or none that is a number. */
ARMTAP_API bool armtap_comparison_clock(const struct armtap_record *record, double *clock);
/* The next record of a side, in the order of its stream; one without a clock is passed over. ERR_MEMORY; ERR_SPACE
 * where there are more fields than a robot has. */
ARMTAP_API int armtap_comparison_record(struct armtap_comparison *comparison, enum armtap_side side,
                                        const struct armtap_record *record);
/* No more records come on this side. */
ARMTAP_API int armtap_comparison_end(struct armtap_comparison *comparison, enum armtap_side side);
/* Whether enough of a side waits for the other one, which should come now. */
ARMTAP_API bool armtap_comparison_is_ahead(const struct armtap_comparison *comparison, enum armtap_side side);
/* At any time. */
ARMTAP_API const struct armtap_pairing_tally *armtap_comparison_tally(const struct armtap_comparison *comparison);
/* Ends both sides and sums up; before it there are no differences. */
ARMTAP_API int armtap_comparison_finish(struct armtap_comparison *comparison);
/* Fields of both sides in the order of the legacy packet, then those of the legacy one, then RTDE's. */
ARMTAP_API size_t armtap_comparison_count(const struct armtap_comparison *comparison);
ARMTAP_API const struct armtap_difference *armtap_comparison_at(const struct armtap_comparison *comparison, size_t i);

/* ---- tables of what strangers choose --------------------------------------------------------------------------- */

/* A keyed hash (SipHash-1-3, Aumasson and Bernstein): whoever chooses the names cannot choose them so that they
 * collide. Every table draws a key of its own. */
struct armtap_hash_key {
    uint64_t word[2];
};
ARMTAP_API struct armtap_hash_key armtap_hash_draw_key(void);
ARMTAP_API uint64_t armtap_hash_text(const struct armtap_hash_key *key, const char *text);
/* Of two numbers. */
ARMTAP_API uint64_t armtap_hash_numbers(const struct armtap_hash_key *key, uint64_t a, uint64_t b);

/* Bytes of memory that a recipe takes, about. */
ARMTAP_API size_t armtap_recipe_memory(const struct armtap_recipe *recipe);

struct armtap_recipe_map_slot {
    uint64_t hash;
    const struct armtap_recipe *recipe; /* NULL: free */
    void *thing;
};
/* Things of recipes, found by what a recipe holds. The caller's; begins as zeros, and its size stays. Neither recipes
 * nor things are its own: both outlive their place in it. */
struct armtap_recipe_map {
    struct armtap_hash_key key;
    struct armtap_recipe_map_slot *slots;
    size_t room, count;
};
/* NULL if there is none. */
ARMTAP_API void *armtap_recipe_map_find(const struct armtap_recipe_map *map, const struct armtap_recipe *recipe);
/* Of a recipe that has none yet. */
ARMTAP_API int armtap_recipe_map_add(struct armtap_recipe_map *map, const struct armtap_recipe *recipe, void *thing);
ARMTAP_API void armtap_recipe_map_clear(struct armtap_recipe_map *map);

/* Recipes that hold the same, each of them once. The caller's; begins as zeros, and its size stays. */
struct armtap_recipe_store {
    struct armtap_recipe_map map; /* the recipes themselves, held */
    size_t entries;               /* of all of them */
    size_t bytes;                 /* of memory, about */
};
/* Whether the recipe, or one that is the same, is in it. */
ARMTAP_API bool armtap_recipe_store_has(const struct armtap_recipe_store *store, const struct armtap_recipe *recipe);
/* The recipe of the store that is the same, added if there was none; the caller releases it. NULL without memory. */
ARMTAP_API struct armtap_recipe *armtap_recipe_store_hold(struct armtap_recipe_store *store,
                                                          const struct armtap_recipe *recipe);
ARMTAP_API void armtap_recipe_store_clear(struct armtap_recipe_store *store);

#ifdef __cplusplus
}
#endif

#endif
