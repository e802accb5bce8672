/* The summaries to be merged: what armtap info --json or armtap diagnose --json printed. */
#ifndef MERGE_SUMMARIES_H
#define MERGE_SUMMARIES_H

#include "base/json_reader.h"

struct summary {
    const char *name;
    char *text;
    struct json_node *root;
    uint64_t capture;  /* its place in the archive, if it has one */
    uint64_t captures; /* of the archive; 0: not known */
    bool is_placed;
    bool is_diagnosis;
    char *file; /* of a diagnosis: the capture's name; NULL without an archive */
};

struct summaries {
    struct summary *all; /* of an archive: in its order */
    size_t count;
    bool is_diagnosis; /* printed by diagnose */
    bool is_archive;   /* they are of captures of one archive: a stream may go on from one to the next */
};

/* Reads them; "-" is standard input. Diagnoses of an archive are large, and let go of again: load each in its turn. 0,
 * or -1 after a message. Free them in both cases. */
int summaries_read(struct summaries *summaries, char *const *names, size_t count);
/* The text of one that was let go of; 0, or -1 after a message. What can be read only once was kept. */
int summary_load(struct summary *summary);
void summary_unload(struct summary *summary);
void summaries_free(struct summaries *summaries);

#endif
