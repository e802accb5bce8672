/* The output files of an export: one, or with --split one for each table. */
#ifndef EXPORT_OUTPUT_FILES_H
#define EXPORT_OUTPUT_FILES_H

#include "base/text/buffer.h"
#include "analysis/armtap-analysis.h"
#include "gzip_text.h"
#include "atomic_file.h"

/* One file, and what is not written to it yet. */
struct output_file {
    unsigned stream; /* stream and part of its table; 0, 0 for the only file */
    unsigned part;
    char *name;                    /* of a file in a folder; else NULL */
    struct provenance *provenance; /* of the rows of a file in a folder by robot and day; else NULL; malloc() made it */
    bool is_over;                  /* it is complete but for its name */
    struct sink_file *sink;
    struct buffer buffer;
    uint64_t flushed;           /* bytes that have left the buffer */
    struct target_file *target; /* what its format knows of it (target.c); NULL: nothing yet */
    struct gzip *gzip;          /* that compresses it; NULL: none */
    size_t place;               /* in `packing` */
    uint64_t rows;
};

/* Each gzip holds a quarter of a megabyte. */
#define OUTPUT_PACKING_MAX 64

struct output_files {
    const char *name; /* "-": standard output */
    struct sink_run run;
    char *folder; /* that was made last; NULL: none */
    bool split;
    bool gzipped; /* compress the output */
    bool is_live; /* a reader may want whatever has come: all that is written ends with a row, also if compressed */
    struct buffer packed;                            /* compressed bytes to be written */
    struct output_file *packing[OUTPUT_PACKING_MAX]; /* files that have a gzip; NULL: free */
    size_t packed_last;                              /* the place that was taken last */
    struct output_file **outlet;
    size_t count;
    void *tree; /* of tsearch(): the same by stream and part, or by name */
};

/* The ending of a file name, "" if it has none. x.csv.gz has ".csv.gz". */
const char *output_files_ending(const char *name);
/* Whether the name ends in ".gz". */
bool output_files_is_gzip(const char *name);

/* The file of a table, opened if necessary; NULL after a message. Without `split` all tables share one. */
struct output_file *output_files_open(struct output_files *outlets, unsigned stream, unsigned part);
/* The file of that name, which lies in a folder, if it is open; else NULL. */
struct output_file *output_files_find_named(const struct output_files *outlets, char *name);
/* Opens it, and makes the folders above it; NULL after a message. Takes the name, which malloc() made. */
struct output_file *output_files_open_named(struct output_files *outlets, char *name);
/* Appends bytes, and writes them once there are enough. */
enum sink_outcome output_files_put(struct output_files *outlets, struct output_file *outlet, const char *bytes,
                                   size_t length);
/* Writes the buffer if it holds enough. */
enum sink_outcome output_files_flush_full(struct output_files *outlets, struct output_file *outlet);
/* Writes the buffer. */
enum sink_outcome output_files_flush(struct output_files *outlets, struct output_file *outlet);
/* Writes all buffers, so that a reader can see them. */
enum sink_outcome output_files_flush_all(struct output_files *outlets);
/* Writes the rest and renames the files to their final names. */
enum sink_outcome output_files_commit(struct output_files *outlets);
/* Removes files that were not committed. After either call there are no files open. */
void output_files_discard(struct output_files *outlets);

#endif
