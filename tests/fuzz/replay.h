/* The replay of the corpus, and what of it is a system's. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <dirent.h>

#include "target.h"

typedef int fuzz_run(const uint8_t *data, size_t size);

/* The caller frees the bytes; a file that cannot be read ends the program. */
uint8_t *replay_input(const char *name, size_t *size);
/* Runs a file of the folder, so that one that crashes or hangs is one that failed; prints why. */
bool replay_alone(fuzz_run *run, const char *name, DIR *folder);

#endif
