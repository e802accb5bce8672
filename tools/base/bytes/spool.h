/* Bytes that are set aside until later: in memory, and in a file without a name once they are many. */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct spool;

/* Keeps up to `in_memory` bytes in memory, then makes its file in the folder. NULL without memory. */
struct spool *spool_new(const char *folder, size_t in_memory);
void spool_free(struct spool *spool);
/* Sets bytes aside; *place is where spool_get finds them. 0, or -1 after a message. */
int spool_put(struct spool *spool, const void *bytes, size_t length, uint64_t *place);
/* Copies them. 0, or -1 after a message. */
int spool_get(struct spool *spool, uint64_t place, void *bytes, size_t length);

#endif
