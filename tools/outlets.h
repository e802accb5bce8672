/* Where an export's text goes: one file, or with --split one for each table. */
#ifndef OUTLETS_H
#define OUTLETS_H

#include "buffer.h"
#include "sink_file.h"

/* One file; what is in the buffer will be written to it. */
struct outlet {
    unsigned stream; /* of which table it is; 0, 0 where there is one file for all */
    unsigned part;
    struct sink_file *sink;
    struct buffer buffer;
};

struct outlets {
    const char *name; /* "-": standard output */
    bool split;
    struct outlet **outlet;
    size_t count;
    size_t room;
};

/* OUT.csv gives OUT.0.csv for part 0 of stream 0 and OUT.0-1.csv for part 1. NULL without memory; the caller frees. */
char *outlets_split_name(const char *name, unsigned stream, unsigned part);

/* The outlet of a table, opened if there is none yet; NULL after a message. Without `split` there is one for all. */
struct outlet *outlets_open(struct outlets *outlets, unsigned stream, unsigned part);
/* Writes the buffer out once enough has come together. */
enum sink_outcome outlets_flush_full(const struct outlets *outlets, struct outlet *outlet);
/* Writes what has come together so far. */
enum sink_outcome outlets_flush_all(const struct outlets *outlets);
/* Writes all that is left, and puts the files in their places. */
enum sink_outcome outlets_commit(struct outlets *outlets);
/* Takes away what is not in its place. After either, the outlets are empty. */
void outlets_discard(struct outlets *outlets);
/* Whether a file is being written beside its place. */
bool outlets_are_pending(const struct outlets *outlets);

#endif
