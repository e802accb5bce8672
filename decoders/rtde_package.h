/* RTDE packages as bytes: what the decoder and the encoder share, and how packages are told from other bytes. */
#ifndef ARMTAP_RTDE_PACKAGE_H
#define ARMTAP_RTDE_PACKAGE_H

#include "protocol/decoder.h"

#define ARMTAP_RTDE_HEADER 3u

/* Whether a package of that type and size, header included, can exist in that direction. */
bool armtap_rtde_size_fits(uint8_t type, enum armtap_direction direction, size_t size);
/* Bytes before the first header with such a size; a truncated header counts. */
size_t armtap_rtde_before_package(enum armtap_direction direction, const uint8_t *bytes, size_t length);
/* RTDE's own name of a type; NULL for a byte that is not a type. */
const char *armtap_rtde_type_name(uint8_t type);
/* Printable except for line ends, tabs and up to `control_max` other control bytes. Texts have a length, so they may
 * contain a NUL. */
bool armtap_rtde_is_text(const char *text, size_t length, size_t control_max);

/* Parses a package in the known protocol (0: none), or in whichever it fits. The layouts are distinguishable: a
 * protocol 2 set-up begins with a frequency or an id, neither of which is a letter. `in_step`: a package must begin
 * here. */
bool armtap_rtde_read(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol, bool in_step,
                      struct armtap_rtde_package *package);

/* Before anything is known about a connection: both as in struct armtap_decoder. */
enum armtap_fit armtap_rtde_begins(enum armtap_direction direction, const uint8_t *bytes, size_t length);
enum armtap_fit armtap_rtde_shows(enum armtap_direction direction, const struct armtap_sight *sight, size_t *need);

#endif
