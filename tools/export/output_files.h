/* Where an export's text goes: one file, or with --split one for each table. */
#ifndef EXPORT_OUTPUT_FILES_H
#define EXPORT_OUTPUT_FILES_H

#include "base/buffer.h"
#include "analysis/armtap-analysis.h"
#include "gzip_text.h"
#include "atomic_file.h"

/* One file; what is in the buffer will be written to it. */
struct output_file {
    unsigned stream; /* of which table it is; 0, 0 where there is one file for all */
    unsigned part;
    struct sink_file *sink;
    struct buffer buffer;
    uint64_t flushed;      /* bytes that the buffer has given away so far */
    struct target *target; /* what its format keeps of it (target.h); NULL: nothing yet */
    struct gzip *gzip;     /* at work on it; NULL: none */
    size_t place;          /* among those that have one */
};

/* A gzip at work holds a quarter of a megabyte. */
#define OUTPUT_PACKING_MAX 64

struct output_files {
    const char *name;            /* "-": standard output */
    const struct inputs *inputs; /* which no outlet may overwrite */
    bool split;
    bool gzipped;                                    /* what is written is compressed */
    struct buffer packed;                            /* what was compressed last */
    struct output_file *packing[OUTPUT_PACKING_MAX]; /* those that have a gzip at work; NULL: none */
    size_t packed_last;                              /* which place of these was taken last */
    struct output_file **outlet;
    size_t count;
    size_t room;
    struct armtap_hash_key key;
    struct output_file **slots; /* the same by stream and part; NULL: free */
    size_t slot_count;          /* a power of two, more than twice the count */
};

/* The ending of a name's last part, "" without one; that before ".gz" where the name has that too. */
const char *output_files_ending(const char *name);
/* Whether the name ends in ".gz". */
bool output_files_is_gzip(const char *name);
/* OUT.csv gives OUT.0.csv for part 0 of stream 0 and OUT.0-1.csv for part 1, OUT.csv.gz OUT.0.csv.gz. NULL without
 * memory; the caller frees. */
char *output_files_split_name(const char *name, unsigned stream, unsigned part);

/* The outlet of a table, opened if there is none yet; NULL after a message. Without `split` there is one for all. */
struct output_file *output_files_open(struct output_files *outlets, unsigned stream, unsigned part);
/* Appends bytes, which are written once enough have come together. */
enum sink_outcome output_files_put(struct output_files *outlets, struct output_file *outlet, const char *bytes,
                                   size_t length);
/* Writes the buffer out once enough has come together. */
enum sink_outcome output_files_flush_full(struct output_files *outlets, struct output_file *outlet);
/* Writes the buffer out. */
enum sink_outcome output_files_flush(struct output_files *outlets, struct output_file *outlet);
/* Writes what has come together so far, so that a reader can have it. */
enum sink_outcome output_files_flush_all(struct output_files *outlets);
/* Writes all that is left, and puts the files in their places. */
enum sink_outcome output_files_commit(struct output_files *outlets);
/* Takes away what is not in its place. After either, the outlets are empty. */
void output_files_discard(struct output_files *outlets);
/* Whether a file is being written beside its place. */
bool output_files_are_pending(const struct output_files *outlets);

#endif
