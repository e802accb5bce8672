/* Functions of the analysis that only armtap's own program uses: no header is installed that declares them, and the
 * shared library does not export them. They keep the rules of armtap-analysis.h. */
#ifndef ARMTAP_ANALYSIS_INSIDE_H
#define ARMTAP_ANALYSIS_INSIDE_H

#include "armtap-analysis.h"

/* ---- times ----------------------------------------------------------------------------------------------------- */

/* A capture may hold any times: these functions do not overflow. */

#define ARMTAP_TIME_LONGEST INT64_C(9000000000000000000)
/* ns from one time to a later one, at most ARMTAP_TIME_LONGEST. */
static inline int64_t armtap_time_between(int64_t from, int64_t to)
{
    uint64_t time = (uint64_t)to - (uint64_t)from;
    return time > (uint64_t)ARMTAP_TIME_LONGEST ? ARMTAP_TIME_LONGEST : (int64_t)time;
}
/* The time `by` ns later, or earlier if negative. */
static inline int64_t armtap_time_shift(int64_t time, int64_t by)
{
    if (by > 0 && time > INT64_MAX - by)
        return INT64_MAX;
    if (by < 0 && time < INT64_MIN + 1 - by)
        return INT64_MIN + 1; /* INT64_MIN means no time */
    return time + by;
}

#define ARMTAP_TIME_MAX 40
/* Writes "2026-01-31T12:00:00.500000000Z", or with a zone "2026-01-31T13:00:00.500000000+01:00", and a NUL; a NULL zone
 * means UTC. Returns the length. */
size_t armtap_time_text(char to[ARMTAP_TIME_MAX], int64_t time, const struct armtap_zone *zone);
struct armtap_line;
/* Adds a time to a line, "2026-01-31T12:00:05.123Z": for struct armtap_clock_face. */
void armtap_line_time(struct armtap_line *line, int64_t time, const void *zone);

/* ---- streams ---------------------------------------------------------------------------------------------------- */

/* TCP connections, with or without telemetry, and the robot ports among them on which no decoder expects its protocol.
 */
struct armtap_connections {
    uint64_t count;
    const char *const *ports;
    size_t port_count;
    bool more_ports;
};

/* A sink's `wants`, of what armtap_streams_record looks at: joints and pose of some records. */
int armtap_streams_wants(void *unused, const struct armtap_stream *stream, enum armtap_direction direction);
/* Whether the last event ended a stream that went into the totals: the caller may free what it keeps for that stream.
 */
bool armtap_streams_let_go(const struct armtap_streams *streams);
/* The note that streams are only added to the totals, if the last event made it due. */
bool armtap_streams_due_note(const struct armtap_streams *streams, const struct armtap_event *event,
                             struct armtap_note *note);
/* Keeps streams that have ended packed, in less than 200 bytes each instead of 650, until armtap_streams_unpack: call
 * that before armtap_streams_number. Summaries that armtap_streams_of has returned stay where they are. */
void armtap_streams_pack(struct armtap_streams *streams);
/* 0, or ARMTAP_ERR_MEMORY */
int armtap_streams_unpack(struct armtap_streams *streams);
const struct armtap_connections *armtap_streams_connections(const struct armtap_streams *streams);
/* Set-ups whose recipes were not kept: memory for them is bounded. */
uint64_t armtap_streams_recipes_left_out(const struct armtap_streams *streams);
/* Whether only its position in the stream's guessed recipe gives an entry its name. */
bool armtap_streams_is_by_position(const struct armtap_stream_summary *summary,
                                   const struct armtap_recipe_entry *entry);
/* How many names of the recipe only their position gives; *names becomes the number of all its names. */
size_t armtap_streams_by_position(const struct armtap_stream_summary *summary, size_t *names);
/* Numbers of notes of the whole capture, including those of no stream (one for each attempt to connect), by index of
 * armtap_note_at. */
const uint64_t *armtap_streams_note_counts(const struct armtap_streams *streams);
/* Whether there is a note of severity warning or error. */
bool armtap_streams_have_warning(const struct armtap_streams *streams);
/* The same without failed attempts to connect: they cost no records. */
bool armtap_streams_data_have_warning(const struct armtap_streams *streams);

/* Attempts whose outcome is unknown because the capture ends. */
struct armtap_attempt_open {
    char robot[64], client[64];
    uint64_t count;
    struct armtap_where last; /* the first SYN of the last attempt */
};

/* Whether any of them shows a fault. */
bool armtap_attempts_have_fault(const struct armtap_attempts *attempts);
/* The i-th robot and client with attempts of unknown outcome; false beyond the last. */
bool armtap_attempts_open_at(const struct armtap_attempts *attempts, size_t i, struct armtap_attempt_open *open);
/* "refused", "unreachable", "no-answer", "reset", "closed", "silent", "mute", "left" */
const char *armtap_attempt_outcome_name(enum armtap_attempt_outcome outcome);
#define ARMTAP_ATTEMPT_TEXT_MAX 480
/* One line on what became of the attempts; its times are UTC if `zone` is NULL. */
void armtap_attempt_text(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempts *attempts,
                         const struct armtap_attempt *attempt, const struct armtap_zone *zone);
void armtap_attempt_open_text(char text[ARMTAP_ATTEMPT_TEXT_MAX], const struct armtap_attempt_open *open,
                              const struct armtap_zone *zone);
/* The id of the outcome's finding: "tcp.refused", "tcp.no-answer". */
const char *armtap_attempt_id(enum armtap_attempt_outcome outcome);

/* Whether a FIN or a RST shows that this side ended the connection. */
static inline bool armtap_is_closed_by(const struct armtap_event *event, enum armtap_direction side)
{
    return event->answers ? event->direction != side : !event->doubtful && event->direction == side;
}

/* ---- rates ------------------------------------------------------------------------------------------------------ */

/* Whether `skipped` is known: some of the data has the controller's clock, or no package follows another. */
bool armtap_rates_know_skips(const struct armtap_rates_totals *totals);

/* The step from one record to the next. The caller creates it; its size is fixed. */
struct armtap_rates_step {
    uint64_t skipped; /* packages that the controller skipped */
    double lost;      /* approximate number of packages that the capture lacks; INFINITY: any number */
    double clock;     /* by how much the controller's clock advanced, s; NAN: unknown */
    double usual;     /* time between two packages, s; 0: unknown */
};

/* What the streams of a capture share: the budget `channels`, and how many stretches of data may be learned. */
struct armtap_rates_shared;
struct armtap_rates_shared *armtap_rates_shared_new(size_t stretches);
/* Free it after all objects that were given it. */
void armtap_rates_shared_free(struct armtap_rates_shared *shared);

/* What a first pass learns about a stream, so that a second pass can judge it from its first record on. NULL if out of
 * memory. */
struct armtap_rates_learned;
struct armtap_rates_learned *armtap_rates_learned_new(struct armtap_rates_shared *shared);
void armtap_rates_learned_free(struct armtap_rates_learned *learned);
/* The first pass is over. */
void armtap_rates_learned_complete(struct armtap_rates_learned *learned);

/* The rates of one stream: call armtap_rates_record, _recipe, _event and _note from the callbacks of a sink. `learned`
 * may be NULL. NULL if out of memory. */
struct armtap_rates;
struct armtap_rates *armtap_rates_new(struct armtap_rates_shared *shared, struct armtap_rates_learned *learned);
/* Before any record: the pass is there for what it learns, so it judges nothing more. Steps and totals mean nothing. */
void armtap_rates_only_learn(struct armtap_rates *rates);
/* Before any record: nobody asks for totals, only for steps. */
void armtap_rates_only_steps(struct armtap_rates *rates);
void armtap_rates_free(struct armtap_rates *rates);
int armtap_rates_record(struct armtap_rates *rates, const struct armtap_record *record);
int armtap_rates_recipe(struct armtap_rates *rates, const struct armtap_recipe_event *event);
int armtap_rates_event(struct armtap_rates *rates, const struct armtap_event *event);
int armtap_rates_note(struct armtap_rates *rates, const struct armtap_note *note);
/* The step to a record, which must be the last one given to armtap_rates_record, from the one before it on its channel.
 */
void armtap_rates_last_step(const struct armtap_rates *rates, const struct armtap_record *record,
                            struct armtap_rates_step *step);
void armtap_rates_totals(const struct armtap_rates *rates, struct armtap_rates_totals *totals);
/* The controller's clock in a record, s; NAN if it has none. */
double armtap_rates_clock(const struct armtap_record *record);

/* ---- diagnosis and comparison ---- */

/* What the judge is given: findings in order of time, and the streams that they number. It makes those of programs
 * program_cut_off that were cut off. */
struct armtap_facts {
    struct armtap_finding *findings;
    size_t finding_count;
    const struct armtap_stream *const *streams;
    size_t stream_count;
    const char *const *ports; /* of robots, whose connections were not decoded */
    size_t port_count;
    const struct armtap_zone *zone; /* NULL: UTC */
};
struct incident;
/* In order of time. Starts as zeros. */
struct armtap_incidents {
    struct incident *all;
    size_t count;
};
/* The facts must stay as long as the incidents. 0, or -1 if memory runs out. */
int armtap_incidents_find(struct armtap_incidents *incidents, const struct armtap_facts *facts);
const struct armtap_incident *armtap_incidents_at(const struct armtap_incidents *incidents, size_t i);
void armtap_incidents_free(struct armtap_incidents *incidents);

/* What the diagnosis looks at, for the sink's `wants`. */
int armtap_diagnosis_wants(const struct armtap_diagnosis *diagnosis, const struct armtap_stream *stream,
                           enum armtap_direction direction);

/* How regularly a stream's data arrived so far; may be called at any time. False if that is not judged. */
bool armtap_diagnosis_rates_so_far(const struct armtap_diagnosis *diagnosis, uint64_t connection,
                                   struct armtap_rates_totals *totals);

/* ---- captures of an archive ---- */

/* From a new diagnosis up to _begin, what comes is of the captures before: some of their packets, but all that set up
 * and ended connections and the last of each. It is known then, and neither reported nor counted. */
void armtap_diagnosis_look_back(struct armtap_diagnosis *diagnosis);
/* The capture itself begins, whose number files have. 0, or ERR_MEMORY. */
int armtap_diagnosis_begin(struct armtap_diagnosis *diagnosis, uint32_t file);
/* It ends, and connections go on in the next. Finish the diagnosis after that. */
void armtap_diagnosis_leave(struct armtap_diagnosis *diagnosis);

/* Of one flow of data. */
struct armtap_flow_sums {
    unsigned channel;
    uint64_t steps;             /* from package to package while data was due, */
    double time, expected;      /* how many s they took, and how many were expected; NAN: unknown */
    double usual;               /* s from one to the next; 0: unknown */
    uint64_t skipped;           /* packages, by the controller */
    uint64_t judged, unclocked; /* steps, and those without a clock */
    int64_t longest_silence;    /* ns; -1: unknown */
    int64_t longest_wait;       /* of the silences that a package ended, or a request of the client; 0: none */
    struct armtap_where wait_end;
    int64_t stopped, round_trip; /* before the end, if data was due; of the stream; 0: unknown */
    struct armtap_where stopped_since;
};
/* The controller's clock against the capture's, between two times at which it went back. */
struct armtap_clock_run {
    int64_t first_time; /* of the capture, ns */
    double first_clock; /* the controller's, s */
    double last_clock;
    double last;   /* of the capture, s since the first */
    double length; /* of a block, s; 0 before the first package */
    uint64_t packages;
    int channel; /* of the last record: AUBO's channel or RTDE's recipe id */
    /* Of each block the package that came soonest; NULL before the first package. */
    struct armtap_clock_point {
        double x, y; /* s: capture time since the first package; how much more it advanced than the clock */
        bool used;
    } * block;
    size_t block_room; /* as many as the time needs */
};
/* Starts as zeros. */
struct clock_drift {
    struct armtap_clock_run now, best;
    bool failed; /* memory ran out */
};
void armtap_clock_drift_record(struct clock_drift *clocks, const struct armtap_record *record);
void armtap_clock_drift_totals(const struct clock_drift *clocks, struct armtap_clock_totals *totals);
/* Whether one of the two clocks was set during the run that counts. */
bool armtap_clock_drift_was_set(const struct clock_drift *clocks);
/* The capture's time, ns, at which the controller's clock showed that of a record of the run that counts, by the
 * totals; ARMTAP_NO_TIME for one of another run, or if unknown. */
int64_t armtap_clock_drift_axis(const struct clock_drift *clocks, const struct armtap_clock_totals *totals,
                                const struct armtap_record *record);
void armtap_clock_drift_clear(struct clock_drift *clocks);
struct histogram;
/* Its bins, up to this one; false for one beyond. A histogram that lacks memory says so when the diagnosis ends. */
#define ARMTAP_HISTOGRAM_BINS 1920
uint32_t armtap_histogram_at(const struct histogram *histogram, size_t bin);
int64_t armtap_histogram_largest(const struct histogram *histogram);
bool armtap_histogram_add_bin(struct histogram *histogram, size_t bin, uint32_t times, int64_t largest);

/* What the rates and the clock of a stream are made of, to be added up over captures. */
struct armtap_part {
    struct armtap_rates *rates;
    struct histogram *jitter;
    struct clock_drift *clocks;
    bool *was_full; /* the client stopped reading for a while, which delayed data */
};
/* Of a finished diagnosis of such a capture; false if the stream has none. */
bool armtap_diagnosis_part(const struct armtap_diagnosis *diagnosis, uint64_t connection, struct armtap_part *part);
/* The next one, from channel 0 on; NULL: no more. */
const struct armtap_flow_sums *armtap_rates_flow_at(const struct armtap_rates *rates, size_t *channel);

/* Adds what a capture left to a new diagnosis, in the order of captures: streams, whose connection is their number, and
 * then their parts, findings and modes. */
int armtap_diagnosis_add_stream(struct armtap_diagnosis *diagnosis, const struct armtap_stream *stream,
                                struct armtap_part *part);
int armtap_rates_add_flow(struct armtap_rates *rates, const struct armtap_stream *stream,
                          const struct armtap_flow_sums *sums);
int armtap_clock_add_run(struct clock_drift *clocks, const struct armtap_clock_run *run);
/* `stream` may be NULL. */
int armtap_diagnosis_add_finding(struct armtap_diagnosis *diagnosis, const struct armtap_finding *finding,
                                 const struct armtap_stream *stream);
int armtap_diagnosis_add_mode(struct armtap_diagnosis *diagnosis, const struct armtap_mode *mode);

/* ---- arguments of findings, names ---- */

/* Copies arguments with their texts, in one piece of memory; absent ones are left out. False if memory runs out. */
bool armtap_arguments_copy(struct armtap_arguments *to, const struct armtap_arguments *from);
void armtap_arguments_free(struct armtap_arguments *arguments);

#define ARMTAP_REMEDY_MAX 480
/* Writes what to do about a note or a finding with these arguments; NULL: about any of that kind. */
void armtap_remedy_say(char text[ARMTAP_REMEDY_MAX], const struct armtap_note_kind *kind,
                       const struct armtap_arguments *arguments);
/* Whether they say the same, but for amounts and times. */
bool armtap_findings_are_alike(const struct armtap_finding *one, const struct armtap_finding *other);
/* How many combinations of a stream and an id the findings have. */
size_t armtap_diagnosis_pairs(const struct armtap_diagnosis *diagnosis);
#define ARMTAP_MODE_NAME_MAX 40
/* The field's name as in the program's output: robot_mode, or R2_robot_mode for the second arm. */
const char *armtap_mode_field(const struct armtap_mode *mode, char to[ARMTAP_MODE_NAME_MAX]);
/* The controller's clock of a record, by which it is paired; false if it has none, or NaN. */
bool armtap_comparison_clock(const struct armtap_record *record, double *clock);

/* ---- rotations ---- */

/* Position (m) and rotation of the flange in the frame of the base, for joint angles in rad. */
void armtap_robot_model_flange(const struct armtap_robot_model *model, const double q[6], double position[3],
                               double rotation[3][3]);
/* Where an arm's joints are: shoulder, elbow, wrists 1 to 3, and the flange; m, in the frame of the base, for joint
 * angles in rad. */
#define ARMTAP_ARM_POINTS 6
void armtap_robot_model_points(const struct armtap_robot_model *model, const double q[6],
                               double points[ARMTAP_ARM_POINTS][3]);
/* How far the flange gets from the shoulder, m. */
double armtap_robot_model_reach(const struct armtap_robot_model *model);
/* Whether two models have one geometry. */
bool armtap_robot_model_is_alike(const struct armtap_robot_model *one, const struct armtap_robot_model *other);
/* From a rotation vector (axis times angle, rad) to a matrix, and back, with an angle from 0 to pi. */
void armtap_rotation_matrix(const double vector[3], double rotation[3][3]);
void armtap_rotation_vector(double rotation[3][3], double vector[3]);

/* ---- incidents ------------------------------------------------------------------------------------------------- */

/* A diagnosis has at most so many: each finding is compared with all of them. */
#define ARMTAP_INCIDENTS_MAX 500

/* ---- hash tables for untrusted keys ---------------------------------------------------------------------------- */

/* A keyed hash (SipHash-1-3, Aumasson and Bernstein): an attacker who chooses the names cannot make them collide. Every
 * table draws its own key. */
struct armtap_hash_key {
    uint64_t word[2];
};
struct armtap_hash_key armtap_hash_draw_key(void);
uint64_t armtap_hash_text(const struct armtap_hash_key *key, const char *text);
uint64_t armtap_hash_numbers(const struct armtap_hash_key *key, uint64_t a, uint64_t b);

/* Approximate memory that a recipe takes, in bytes. */
size_t armtap_recipe_memory(const struct armtap_recipe *recipe);

struct armtap_recipe_map_slot {
    uint64_t hash;
    const struct armtap_recipe *recipe; /* NULL: free */
    void *thing;
};
/* Maps recipes to things; identical recipes are one key. The caller creates it, filled with zeros; its size is fixed.
 * It owns neither recipes nor things, and both must outlive their entry. */
struct armtap_recipe_map {
    struct armtap_hash_key key;
    struct armtap_recipe_map_slot *slots;
    size_t room, count;
};
/* The recipe's thing; NULL if there is none. */
void *armtap_recipe_map_find(const struct armtap_recipe_map *map, const struct armtap_recipe *recipe);
/* The recipe must not be in the map yet. */
int armtap_recipe_map_add(struct armtap_recipe_map *map, const struct armtap_recipe *recipe, void *thing);
void armtap_recipe_map_clear(struct armtap_recipe_map *map);

/* Recipes, identical ones stored only once. The caller creates it, filled with zeros; its size is fixed. */
struct armtap_recipe_store {
    struct armtap_recipe_map map; /* the recipes, each held */
    size_t entries;               /* of all recipes */
    size_t bytes;                 /* approximate memory */
};
/* Whether the recipe, or an identical one, is in the store. */
bool armtap_recipe_store_has(const struct armtap_recipe_store *store, const struct armtap_recipe *recipe);
/* The store's copy of the recipe, added if it had none; the caller releases it. NULL if out of memory. */
struct armtap_recipe *armtap_recipe_store_hold(struct armtap_recipe_store *store, const struct armtap_recipe *recipe);
void armtap_recipe_store_clear(struct armtap_recipe_store *store);

#endif
