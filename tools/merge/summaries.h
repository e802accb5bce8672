/* What merge reads, and what it adds up. */
#ifndef MERGE_SUMMARIES_H
#define MERGE_SUMMARIES_H

#include "base/text/json_reader.h"
#include "input/replay/replay.h"
#include "analysis/armtap-analysis.h"
#include "base/text/json_writer.h"
#include "values.h"

/* The summaries to be merged: what armtap info --json or armtap diagnose --json printed. */

struct summary {
    const char *name;
    char *text;
    size_t length;
    struct json_node *root;  /* its lists without elements, of which there may be any number */
    uint64_t capture;        /* its place in the archive, if it has one */
    uint64_t captures;       /* of the archive; 0: not known */
    uint64_t modes_left_out; /* of a diagnosis */
    uint64_t streams, findings;
    bool has_fault; /* a warning or an error is among the findings */
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

/* Called with one that armtap info printed; only its place is kept after. 0, or -1 after a message. */
typedef int summary_taker(void *user, struct summary *summary);

/* Reads them, in the order of `names`; "-" is standard input. Diagnoses of an archive are let go of again: take each in
 * its turn. 0, or -1 after a message. Free them in both cases. */
int summaries_read(struct summaries *summaries, char *const *names, size_t count, summary_taker *take_info, void *user);
/* Goes through the lists of one, which is read again if it was let go of; 0, or -1 after a message, unless it was the
 * taker that stopped. */
int summary_take(struct summary *summary, const struct json_taker *taker);
void summary_unload(struct summary *summary);
void summaries_free(struct summaries *summaries);

/* Adds up what armtap diagnose --json printed. */

struct facts {
    struct armtap_diagnosis *diagnosis;
    struct labels *labels;    /* that streams have; freed by the caller */
    const char *const *files; /* the captures by their places in the archive; those that no summary is of are NULL */
    uint32_t file;            /* the capture whose facts are taken */
    bool is_damaged, lacks_memory; /* why it stopped */
};
/* Adds an element of one of its lists. False: stop. */
bool facts_take(void *facts, const struct json_node *list, const struct json_node *element);
/* The lists, up to a NULL. */
extern const char *const facts_lists[];

/* Prints all or nothing: of the captures of an archive what diagnose prints of all of them at once, of others one after
 * another. EXIT_FOUND if a warning or an error is among it. */
enum exit_status diagnoses_merge(struct summaries *summaries);

/* The streams of all summaries, each with the sums of its parts. */

struct stream_sum;

/* All zeros is none. Release them in every case. */
struct stream_sums {
    struct stream_sum **all;
    size_t count;
    void *tree; /* of tsearch(): the same by number */
};

/* Adds the streams of a summary. Those of an archive go on where their number was in another one, whatever the order;
 * others are numbered anew. 0, or -1 after a message. */
int streams_add(struct stream_sums *sums, struct summary *summary);
/* By number; nothing may be added after. */
void streams_print(struct stream_sums *sums, struct json *json);
void streams_release(struct stream_sums *sums);

/* Adds up what armtap info --json printed. Only the sum is kept: memory grows with the streams, not with the summaries.
 */

/* All zeros is the sum of nothing. Release it in every case. */
struct infos {
    uint64_t packets, bytes;
    struct stream_sums streams;
    struct kept_text more_streams, more_recipes;
    struct kept_list attempts, other_ports;
    struct note_sum notes;
};

/* Adds a summary, in any order if it is of an archive. 0, or -1 after a message. */
int infos_add(struct infos *infos, struct summary *summary);
/* Prints what armtap info --json prints of all; nothing may be added after. */
void infos_print(struct infos *infos);
/* Whether a warning or an error is among the notes. */
bool infos_have_fault(const struct infos *infos);
void infos_release(struct infos *infos);

#endif
