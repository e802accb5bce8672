/* What transcripts keep of a record's state and of a message. The analysis looks at no more. */
#ifndef DIAGNOSE_KEPT_VALUES_H
#define DIAGNOSE_KEPT_VALUES_H

#include "armtap.h"

#define KEPT_MODES 5
extern const enum armtap_field_id kept_modes[KEPT_MODES];
int64_t kept_mode(const struct armtap_state *state, size_t i);
/* A value that kept_mode() gave. */
void set_kept_mode(struct armtap_state *state, size_t i, int64_t value);

/* Joints with the pose of the tool: the actual ones, or without them the targets; and the tool's offset, if it is told.
 */
enum kept_pose {
    KEPT_NO_POSE,
    KEPT_ACTUAL_POSE,
    KEPT_TARGET_POSE,
    KEPT_ACTUAL_POSE_OF_TOOL,
    KEPT_TARGET_POSE_OF_TOOL,
    KEPT_POSES
};
#define KEPT_POSE 18 /* at most: six joints, six numbers of the tool, six of its offset */
/* Numbers of a pose; 0 without one. */
size_t kept_pose_size(enum kept_pose which);
enum kept_pose kept_pose_of(const struct armtap_set *updated);
void get_kept_pose(const struct armtap_state *state, enum kept_pose which, double pose[KEPT_POSE]);
void set_kept_pose(struct armtap_state *state, enum kept_pose which, const double pose[KEPT_POSE]);
void add_kept_pose(struct armtap_set *updated, enum kept_pose which);

/* Only RTDE's are looked at, while there is no data, and only their type. */
bool is_kept_message(const struct armtap_message *message);
/* False if the message is too short to have one. */
bool kept_type(const struct armtap_message *message, uint8_t *type);
/* The bytes of a message of which only the type was kept: its length and its type. */
struct bare_message {
    uint8_t bytes[3];
};
struct bare_message bare_message_of(uint8_t type);

#endif
