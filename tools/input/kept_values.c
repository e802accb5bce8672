#include "kept_values.h"

#include <string.h>

const enum armtap_field_id kept_modes[KEPT_MODES] = {ARMTAP_ID_robot_mode, ARMTAP_ID_safety_mode,
                                                     ARMTAP_ID_safety_status, ARMTAP_ID_runtime_state,
                                                     ARMTAP_ID_safety_status_bits};

int64_t kept_mode(const struct armtap_state *state, size_t i)
{
    const int64_t modes[KEPT_MODES] = {state->robot_mode, state->safety_mode, state->safety_status,
                                       state->runtime_state, state->safety_status_bits};
    return modes[i];
}

void set_kept_mode(struct armtap_state *state, size_t i, int64_t value)
{
    switch (kept_modes[i]) {
    case ARMTAP_ID_robot_mode:
        state->robot_mode = (int32_t)value;
        break;
    case ARMTAP_ID_safety_mode:
        state->safety_mode = (int32_t)value;
        break;
    case ARMTAP_ID_safety_status:
        state->safety_status = (int32_t)value;
        break;
    case ARMTAP_ID_runtime_state:
        state->runtime_state = (uint32_t)value;
        break;
    default:
        state->safety_status_bits = (uint32_t)value;
        break;
    }
}

/* By enum kept_pose. */
static const struct {
    enum armtap_field_id joints, tool;
} poses[] = {[KEPT_ACTUAL_POSE] = {ARMTAP_ID_actual_q, ARMTAP_ID_actual_TCP_pose},
             [KEPT_TARGET_POSE] = {ARMTAP_ID_target_q, ARMTAP_ID_target_TCP_pose}};

enum kept_pose kept_pose_of(const struct armtap_set *updated)
{
    for (int which = KEPT_ACTUAL_POSE; which <= KEPT_TARGET_POSE; which++)
        if (armtap_set_has(updated, poses[which].joints) && armtap_set_has(updated, poses[which].tool))
            return (enum kept_pose)which;
    return KEPT_NO_POSE;
}

void get_kept_pose(const struct armtap_state *state, enum kept_pose which, double pose[KEPT_POSE])
{
    bool actual = which == KEPT_ACTUAL_POSE;
    memcpy(pose, actual ? state->actual_q : state->target_q, sizeof state->actual_q);
    memcpy(pose + KEPT_POSE / 2, actual ? state->actual_TCP_pose : state->target_TCP_pose,
           sizeof state->actual_TCP_pose);
}

void set_kept_pose(struct armtap_state *state, enum kept_pose which, const double pose[KEPT_POSE])
{
    bool actual = which == KEPT_ACTUAL_POSE;
    memcpy(actual ? state->actual_q : state->target_q, pose, sizeof state->actual_q);
    memcpy(actual ? state->actual_TCP_pose : state->target_TCP_pose, pose + KEPT_POSE / 2,
           sizeof state->actual_TCP_pose);
}

void add_kept_pose(struct armtap_set *updated, enum kept_pose which)
{
    if (which == KEPT_NO_POSE)
        return;
    armtap_set_add(updated, (unsigned)poses[which].joints);
    armtap_set_add(updated, (unsigned)poses[which].tool);
}

bool is_kept_message(const struct armtap_message *message)
{
    return message->stream->protocol == ARMTAP_RTDE && message->stream->records[ARMTAP_FROM_ROBOT] == 0;
}

#define HEADER sizeof(struct bare_message)

bool kept_type(const struct armtap_message *message, uint8_t *type)
{
    bool has = !message->skipped && message->length >= HEADER;
    *type = has ? message->bytes[HEADER - 1] : 0;
    return has;
}

struct bare_message bare_message_of(uint8_t type)
{
    return (struct bare_message){{0, HEADER, type}};
}
