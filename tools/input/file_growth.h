/* Waits for a file to grow, and tells when it is no longer the file that was read. */
#ifndef INPUT_FILE_GROWTH_H
#define INPUT_FILE_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "input_files.h"

struct growth;

/* Of the open file of that name, which must outlive it. NULL without memory. */
struct growth *growth_new(const char *name, int file);
/* NULL is fine. */
void growth_free(struct growth *growth);
/* Returns when the file may have grown, after a signal, and otherwise soon. */
void growth_wait(struct growth *growth);
/* Keeps in mind the next bytes that were read of the file, in their order, from its beginning. */
void growth_keep(struct growth *growth, const uint8_t *bytes, size_t length);
/* Whether the file still has the first and the last of the bytes kept: else INPUT_SHORTENED, INPUT_REWRITTEN, or
 * INPUT_FAILED with errno. Bytes read before a call that gives INPUT_OK belong to the file that was read so far. */
enum input_outcome growth_judge(const struct growth *growth);
/* Warns, once, if the name stands for another file now, or for none: what is written to that one is not seen. */
void growth_watch_name(struct growth *growth);

#endif
