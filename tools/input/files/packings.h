/* What armtap says of compression: a file that this build cannot unpack, and the libraries that unpack. */
#ifndef INPUT_PACKINGS_H
#define INPUT_PACKINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/unpacker.h"

/* Whether it can be unpacked: 0, or -1 after a message, unless `quiet`, that names the library which this build lacks,
 * and the program that does it. */
int packing_check(const struct packing *packing, const char *file, bool quiet);
/* "zlib version 1.2.13", of the libraries that armtap packs nothing with, and zlib; NULL behind the last. */
const char *packing_library(size_t index, char text[64]);

#endif
