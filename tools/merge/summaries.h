/* The summaries to be merged: what armtap info --json printed. */
#ifndef MERGE_SUMMARIES_H
#define MERGE_SUMMARIES_H

#include "base/json_reader.h"

struct summary {
    const char *name;
    char *text;
    struct json_node *root;
    uint64_t capture; /* its place in the archive */
};

struct summaries {
    struct summary *all; /* of an archive: in its order */
    size_t count;
    bool is_archive; /* they are of captures of one archive: a stream may go on from one to the next */
};

/* Reads them; "-" is standard input. 0, or -1 after a message. Free them in both cases. */
int summaries_read(struct summaries *summaries, char *const *names, size_t count);
void summaries_free(struct summaries *summaries);

#endif
