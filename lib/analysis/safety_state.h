/* Which modes and bits mean that a robot is stopped or at fault, and which of them were said of each robot. */
#ifndef ANALYSIS_SAFETY_STATE_H
#define ANALYSIS_SAFETY_STATE_H

#include "armtap-analysis.h"

enum safety_class {
    SAFETY_ORDINARY,
    SAFETY_STOP,   /* protective, safeguard and emergency stops */
    SAFETY_FAULT,  /* a violation or a fault; an undefined mode after another one */
    SAFETY_UNKNOWN /* none of them, and not known as one in which an arm works */
};
/* Of a value or a bit of robot_mode, safety_mode, safety_status or safety_status_bits, by its name, which may be NULL.
 * `is_first`: no other is known before it, so that the controller may be booting. */
enum safety_class armtap_safety_class(enum armtap_field_id field, int64_t value, const char *name, bool is_first);

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

#endif
