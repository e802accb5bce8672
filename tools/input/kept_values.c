#include "kept_values.h"

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
