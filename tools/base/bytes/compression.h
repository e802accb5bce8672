/* Compression of blocks of bytes, by libraries that a build may lack. */
#ifndef BASE_COMPRESSION_H
#define BASE_COMPRESSION_H

#include "base/text/buffer.h"

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_LZ4, COMPRESSION_ZSTD, COMPRESSION_END };

/* Those that a format can take; none is of every family. */
enum compression_family {
    COMPRESSION_MODERN = 1,  /* lz4 and zstd */
    COMPRESSION_DEFLATE = 2, /* gzip: zlib's */
    COMPRESSION_ANY = 3
};

/* "zstd" */
const char *compression_name(enum compression compression);
/* COMPRESSION_END if no compression has that name. */
enum compression compression_find(const char *name);
bool compression_is_of(enum compression compression, enum compression_family family);
/* The one of the family that packs best of those that are built in. */
enum compression compression_best(enum compression_family family);
/* Whether it is built in: 0, or -1 after a message that names the library, its package and configure's option. */
int compression_check(enum compression compression);

#define COMPRESSION_LIST_MAX 60
/* "none, lz4 or zstd": all of the family, built in or not. */
const char *compression_names(char list[COMPRESSION_LIST_MAX], enum compression_family family);
/* "libzstd version 1.5.4", or "built without libzstd". */
const char *compression_library(enum compression compression, char text[64]);

/* What a block is. zstd always makes a frame with its size, gzip what zlib's compress() makes. */
enum compression_shape {
    COMPRESSION_FRAMED, /* messages; lz4 makes a frame with the size */
    COMPRESSION_BARE    /* a column; lz4 makes a block without: the reader knows the size */
};

struct compressor;

/* For one thread at a time; NULL without memory. The compression must be built in. */
struct compressor *compressor_new(enum compression compression);
void compressor_free(struct compressor *compressor);
/* Appends the bytes to `out`, compressed at a level that is faster than most disks. They are less than a gigabyte. Sets
 * out->failed without memory. */
void compressor_pack(struct compressor *compressor, enum compression_shape shape, const void *bytes, size_t length,
                     struct buffer *out);

/* Threads that share the parts of a task, each with a compressor of its own: the columns of a table, the chunks of a
 * file. */

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
