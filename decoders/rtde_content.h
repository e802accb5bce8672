/* Telling RTDE packages from other bytes: whether a package's content matches its type, and in which protocol. */
#ifndef ARMTAP_RTDE_CONTENT_H
#define ARMTAP_RTDE_CONTENT_H

#include "rtde_package.h"

/* Parses a package in the known protocol (0: none), or in whichever it fits. The layouts are distinguishable: a
 * protocol 2 set-up begins with a frequency or an id, neither of which is a letter. `in_step`: a package must begin
 * here. */
bool armtap_rtde_read(const uint8_t *bytes, size_t length, enum armtap_direction direction, int protocol, bool in_step,
                      struct armtap_rtde_package *package);

#endif
