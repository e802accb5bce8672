/* RTDE packages as bytes: what the decoder and the encoder share. */
#ifndef ARMTAP_RTDE_PACKAGE_H
#define ARMTAP_RTDE_PACKAGE_H

#include "armtap.h"

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

#endif
