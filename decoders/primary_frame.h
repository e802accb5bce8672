/* The framing of the primary interface: {int32 length, counting itself; uint8 type; body}, and in a ROBOT_STATE
 * sub-packages of {uint32 length, counting itself; uint8 type; fields}. */
#ifndef ARMTAP_PRIMARY_FRAME_H
#define ARMTAP_PRIMARY_FRAME_H

#include "protocol/decoder.h"

#define ARMTAP_PRIMARY_HEADER 5u
#define ARMTAP_PRIMARY_LONGEST 65535u
#define ARMTAP_PRIMARY_CLOCK 5u /* in a robot message: uint64 */
#define ARMTAP_PRIMARY_SOURCE 13u
#define ARMTAP_PRIMARY_BODY 15u /* where a robot message's own parts begin */

#define ARMTAP_PROGRAM_STATE_KIND 13u /* uint8; then uint16 index of the first variable */
#define ARMTAP_PROGRAM_STATE_BODY 16u
#define ARMTAP_PROGRAM_STATE_NAMES 0u /* the kind that names variables */
#define ARMTAP_PROGRAM_STATE_VALUES 1u

enum armtap_primary_type {
    ARMTAP_PRIMARY_STATE = 16,
    ARMTAP_PRIMARY_ROBOT_MESSAGE = 20,
    ARMTAP_PRIMARY_PROGRAM_STATE = 25
};

/* UR's name of a message type; NULL for others. */
const char *armtap_primary_message_name(uint8_t type);
/* Whether a message of `size` bytes is what its type says, as far as its first `length` bytes show; at least its
 * header.
 */
bool armtap_primary_body_fits(const uint8_t *bytes, size_t size, size_t length);
/* As a decoder's `frame` answers. `in_step`: a message begins here, of whatever type. */
long armtap_primary_frame(bool in_step, const uint8_t *bytes, size_t length);
/* Where the sub-packages from `at` on of a ROBOT_STATE of `size` bytes stop following one another, and how many there
 * are until then; `length` bytes are there. */
size_t armtap_primary_chain(const uint8_t *bytes, size_t at, size_t size, size_t length, size_t *count);
/* The sub-package of a ROBOT_STATE at `at`: its length; 0 at the end, or where its length cannot be one. */
size_t armtap_primary_subpackage(const uint8_t *frame, size_t length, size_t at);
/* How much a whole message says for the protocol: NO if its parts contradict it, WELL if nothing else looks like it. */
enum armtap_fit armtap_primary_evidence(const uint8_t *frame, size_t length);

enum armtap_fit armtap_primary_follows(const void *context, enum armtap_direction direction, const uint8_t *frame,
                                       size_t length, const uint8_t *next, size_t available);
enum armtap_fit armtap_primary_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length);
enum armtap_fit armtap_primary_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);

#endif
