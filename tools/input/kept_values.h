/* What is kept of a record's state and of a message where they are stored to be told later: in transcripts, and in what
 * several threads say of their parts. Commands without rows look at no more. */
#ifndef INPUT_KEPT_VALUES_H
#define INPUT_KEPT_VALUES_H

#include "armtap.h"

#define KEPT_MODES 5
extern const enum armtap_field_id kept_modes[KEPT_MODES];
int64_t kept_mode(const struct armtap_state *state, size_t i);
/* A value that kept_mode() gave. */
void set_kept_mode(struct armtap_state *state, size_t i, int64_t value);

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
