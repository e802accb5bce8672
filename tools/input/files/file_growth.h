/* Waits for a file to grow, and checks that it is still the file that was read. */
#ifndef INPUT_FILE_GROWTH_H
#define INPUT_FILE_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "input_files.h"

struct growth;

/* For the open file of that name; both must outlive the result. NULL if memory runs out. */
struct growth *growth_new(const char *name, int file);
/* Accepts NULL. */
void growth_free(struct growth *growth);
/* Returns when the file may have grown, on a signal, or else soon. */
void growth_wait(struct growth *growth);
/* Call with all bytes read from the file, in order, from its beginning. */
void growth_keep(struct growth *growth, const uint8_t *bytes, size_t length);
/* As ends_check() for this file. Bytes read before a call that returns INPUT_OK belong to the file as read so far. */
enum input_outcome growth_check(const struct growth *growth);
/* Warns once if the name now belongs to another file, or to none: what is written there is not seen. */
void growth_watch_name(struct growth *growth);

#endif
