/* The release that a served controller claims to have, and the legacy packets of that release. */
#ifndef SERVE_CONTROLLER_RELEASE_H
#define SERVE_CONTROLLER_RELEASE_H

#include <stddef.h>
#include <stdint.h>

/* Reads "5.11", "5.11.1" or "5.11.1.108". 0, or -1 if it is no release. */
int controller_release_parse(uint32_t release[4], const char *text);
/* The newest known release whose legacy packets have that size, or one for a size that is not known. */
void controller_release_of_size(uint32_t release[4], size_t size);
/* Bytes of that release's legacy packets. */
size_t controller_release_size(const uint32_t release[4]);

#endif
