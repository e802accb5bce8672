#include "transcript_rows.h"

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
    bool is_actual, has_offset;
} poses[KEPT_POSES] = {[KEPT_ACTUAL_POSE] = {true, false},
                       [KEPT_TARGET_POSE] = {false, false},
                       [KEPT_ACTUAL_POSE_OF_TOOL] = {true, true},
                       [KEPT_TARGET_POSE_OF_TOOL] = {false, true}};

enum { JOINTS, TOOL, OFFSET, PARTS };
#define PART (KEPT_POSE / PARTS)

static unsigned field_of(enum kept_pose which, int part)
{
    static const enum armtap_field_id actual[PARTS] = {ARMTAP_ID_actual_q, ARMTAP_ID_actual_TCP_pose,
                                                       ARMTAP_ID_tcp_offset};
    static const enum armtap_field_id target[PARTS] = {ARMTAP_ID_target_q, ARMTAP_ID_target_TCP_pose,
                                                       ARMTAP_ID_tcp_offset};
    return (unsigned)(poses[which].is_actual ? actual : target)[part];
}

static int parts_of(enum kept_pose which)
{
    return which == KEPT_NO_POSE ? 0 : poses[which].has_offset ? PARTS : OFFSET;
}

size_t kept_pose_size(enum kept_pose which)
{
    return (size_t)parts_of(which) * PART;
}

enum kept_pose kept_pose_of(const struct armtap_set *updated)
{
    static const enum kept_pose in_order[] = {KEPT_ACTUAL_POSE_OF_TOOL, KEPT_ACTUAL_POSE, KEPT_TARGET_POSE_OF_TOOL,
                                              KEPT_TARGET_POSE};
    for (size_t i = 0; i < sizeof in_order / sizeof *in_order; i++) {
        int part = 0;
        while (part < parts_of(in_order[i]) && armtap_set_has(updated, field_of(in_order[i], part)))
            part++;
        if (part == parts_of(in_order[i]))
            return in_order[i];
    }
    return KEPT_NO_POSE;
}

void get_kept_pose(const struct armtap_state *state, enum kept_pose which, double pose[KEPT_POSE])
{
    bool actual = poses[which].is_actual;
    const double *from[PARTS] = {actual ? state->actual_q : state->target_q,
                                 actual ? state->actual_TCP_pose : state->target_TCP_pose, state->tcp_offset};
    for (int part = 0; part < parts_of(which); part++)
        memcpy(pose + part * PART, from[part], PART * sizeof *pose);
}

void set_kept_pose(struct armtap_state *state, enum kept_pose which, const double pose[KEPT_POSE])
{
    bool actual = poses[which].is_actual;
    double *to[PARTS] = {actual ? state->actual_q : state->target_q,
                         actual ? state->actual_TCP_pose : state->target_TCP_pose, state->tcp_offset};
    for (int part = 0; part < parts_of(which); part++)
        memcpy(to[part], pose + part * PART, PART * sizeof *pose);
}

void add_kept_pose(struct armtap_set *updated, enum kept_pose which)
{
    for (int part = 0; part < parts_of(which); part++)
        armtap_set_add(updated, field_of(which, part));
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
