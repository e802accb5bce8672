/* Threads that share the parts of a task, each with a compressor of its own: the columns of a table, the chunks of a
 * file. */
#ifndef BASE_PACKER_H
#define BASE_PACKER_H

#include "compression.h"

/* What a thread has to itself while it works on a part. */
struct packer_desk {
    struct compressor *compressor;
    struct buffer scratch; /* for what is to be compressed; keeps its memory */
    struct buffer notes;   /* the same for anything else */
};

struct packer;

/* `threads` includes the caller's. Starts the others, which sleep until there is work. Fewer will do, even none. NULL
 * without memory. */
struct packer *packer_new(enum compression compression, unsigned threads);
void packer_free(struct packer *packer);
enum compression packer_compression(const struct packer *packer);
/* How many threads there are, with the caller's. */
size_t packer_threads(const struct packer *packer);

#define PACKER_RESULTS 32
/* Buffers for what the parts of a task make, for whoever runs one: kept from task to task. */
struct buffer *packer_results(struct packer *packer);

/* Does parts 0 to count - 1 of a task, at the same time and in any order. Returns when all are done. */
void packer_run(struct packer *packer, size_t count, void (*work)(void *task, size_t part, struct packer_desk *desk),
                void *task);

#endif
