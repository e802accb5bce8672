/* The summaries to be merged: what armtap info --json or armtap diagnose --json printed. */
#ifndef MERGE_SUMMARIES_H
#define MERGE_SUMMARIES_H

#include "base/text/json_reader.h"

struct summary {
    const char *name;
    char *text;
    size_t length;
    struct json_node *root; /* of what armtap info printed without its streams */
    uint64_t capture;       /* its place in the archive, if it has one */
    uint64_t captures;      /* of the archive; 0: not known */
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

/* A stream, and its place in the list. 0, or -1 after a message. */
typedef int stream_taker(void *user, const struct json_node *stream, size_t place);
/* Goes through the streams of what armtap info printed; there may be very many. 0, or -1 after a message. */
int summary_streams(const struct summary *summary, stream_taker *take, void *user);

/* Called with one that armtap info printed; only its place is kept after. 0, or -1 after a message. */
typedef int summary_taker(void *user, const struct summary *summary);

/* Reads them, in the order of `names`; "-" is standard input. Diagnoses of an archive are large, and let go of again:
 * load each in its turn. 0, or -1 after a message. Free them in both cases. */
int summaries_read(struct summaries *summaries, char *const *names, size_t count, summary_taker *take_info, void *user);
/* The text of one that was let go of; 0, or -1 after a message. What can be read only once was kept. */
int summary_load(struct summary *summary);
void summary_unload(struct summary *summary);
void summaries_free(struct summaries *summaries);

#endif
