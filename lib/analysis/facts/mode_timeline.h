/* The timeline of a robot's modes, and where its safety stops begin; which modes and bits mean that a robot is stopped
 * or at fault, and which of them were said of each robot. */
#ifndef ANALYSIS_MODE_TIMELINE_H
#define ANALYSIS_MODE_TIMELINE_H

#include "analysis/facts/findings.h"
#include "analysis/inside.h"

enum safety_class {
    SAFETY_ORDINARY,
    SAFETY_STOP,   /* protective, safeguard and emergency stops */
    SAFETY_FAULT,  /* a violation or a fault; an undefined mode after another one */
    SAFETY_UNKNOWN /* none of them, and not known as one in which an arm works */
};
/* Of a value or a bit of robot_mode, safety_mode, safety_status or safety_status_bits, by its name, which may be NULL.
 * `is_first`: no other is known before it, so that the controller may be booting. */
enum safety_class armtap_safety_class(enum armtap_field_id field, int64_t value, const char *name, bool is_first);

/* What a stop of that name is: the argument `case` of safety.stop; and who asks for it, its `reason`, if the name
 * tells.
 */
enum armtap_word armtap_stop_called(const char *name);
enum armtap_word armtap_stop_asked(const char *name);
/* Whether a running program stopped or paused, or a running arm lost its power or its controller, by the names of
 * runtime_state or robot_mode: the argument `case` of mode.changed. */
enum armtap_word armtap_mode_ending(enum armtap_field_id field, const char *before, const char *name);
/* Whether no program runs or pauses, by the name of runtime_state; whether an arm has power, by that of robot_mode. */
bool armtap_is_program_over(const char *name);
bool armtap_has_power(const char *name);

/* The bits that say why a robot is stopped or at fault: without those that only sum up others that are set. */
uint32_t armtap_safety_reasons(uint32_t safety_status_bits);

/* The last states of so many arms, whatever connections showed them. The first field is the robot mode. */
#define SAFETY_ARMS_MAX 64
#define SAFETY_FIELDS (ARMTAP_MODE_FIELDS + 1)
struct safety_arm {
    char host[64];
    unsigned number;
    bool known[SAFETY_FIELDS], is_told[SAFETY_FIELDS];
    int64_t value[SAFETY_FIELDS];
};
/* Starts as zeros. */
struct safety_states {
    struct safety_arm arms[SAFETY_ARMS_MAX];
    size_t count;
};
/* The arm of a robot, added if it is new; NULL if its address is unknown, or too many are known. */
struct safety_arm *armtap_safety_arm(struct safety_states *states, const struct armtap_stream *stream, unsigned number);
/* Whether a connection already showed this state of that class, which is no ordinary one; `arm` may be NULL. */
bool armtap_safety_is_told(const struct safety_arm *arm, enum safety_class class, size_t field, int64_t value);
/* `is_told`: it is a stop or a fault, and there is a finding. */
void armtap_safety_tell(struct safety_arm *arm, size_t field, int64_t value, bool is_told);

/* Limits for the changes of one field of a stream, and of all; indices fit into 16 bits. */
#define MODES_EACH 10000
#define MODES_ALL 50000

/* Entries in order of arrival. Starts as zeros. */
struct modes {
    struct armtap_mode *all;
    size_t count;
    uint64_t left_out;
    bool failed;
    struct safety_states safety; /* of all streams */
};
void armtap_modes_free(struct modes *modes);
/* Adds an entry of which nothing else is known. */
void armtap_modes_add(struct modes *modes, const struct armtap_mode *entry);

/* The last values of an arm; values of the whole robot are kept with the first arm. Starts as zeros. There are four for
 * each stream of a capture: small numbers, and values in 32 bits as on the wire. */
struct modes_last {
    uint32_t value[ARMTAP_MODE_FIELDS];
    uint32_t bits; /* safety_status_bits, while no safety mode or status is known */
    uint16_t kept[ARMTAP_MODE_FIELDS], kept_last[ARMTAP_MODE_FIELDS]; /* entries of a field, and the last one's index */
    bool known[ARMTAP_MODE_FIELDS];
    bool has_bits;
    bool is_held;                  /* as far as known, by a pause, a stop or brakes: no command can move the arm */
    bool is_playing, is_powerless; /* a program runs or pauses; the arm has no power, or no controller */
    bool known_program;            /* whether one runs is known */
    bool knows_pause, is_paused;   /* the primary interface says whether the program pauses, and it does */
    uint16_t status_bits;          /* robot_status_bits: there are four */
    int64_t started;               /* that program; 0: before the data began, or its time is not known */
};

struct repeats;
/* Adds the changes of the record's i-th arm: entries, mode.changed, program.ended, safety.stop, .state and .unknown.
 * True if a safety stop begins. `last` has a place for each possible arm; `before`: the records before, may be NULL. */
bool armtap_modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                         const struct armtap_record *record, size_t i, const struct repeats *before);

#endif
