/* A folder as a partitioned data set (-o DIR/): DIR/robot=ADDRESS%3APORT/date=2026-01-31/CAPTURE-BEGIN-CLIENT.parquet,
 * or DIR/robot=LABEL/date=2026-01-31/CAPTURE-BEGIN-CLIENT-ADDRESS%3APORT.parquet, with .1 where a recipe was replaced,
 * .to-robot, and .again1 if times go back by days. Names depend on the capture and its label only, whatever is read
 * beside it, so a run that is repeated replaces its files, and runs on other captures leave them alone (below). */
#ifndef EXPORT_PARTITION_H
#define EXPORT_PARTITION_H

#include "armtap.h"
#include "base/text/buffer.h"

/* Which file of the folder a row belongs to. */
struct partition {
    const char *robot;   /* its label; NULL: none */
    const char *address; /* "": not known */
    int64_t day;         /* since the epoch; PARTITION_NO_DAY: the capture has no times */
    const char *capture; /* that was read when the row came out; NULL: an interface or a robot */
    int64_t begin;       /* time of the connection's first packet in it */
    const char *client;  /* "": not known */
    enum armtap_direction direction;
    unsigned part;  /* counts the recipes of the connection in that capture */
    unsigned again; /* counts the files of these rows: more than one if times go back and forth by days */
};
#define PARTITION_NO_DAY INT64_MIN

/* The day of a time, in UTC. */
int64_t partition_day(int64_t time);
/* NULL without memory; the caller frees. `folder` ends in a slash; `ending` as in ".parquet". */
char *partition_name(const char *folder, const struct partition *partition, const char *ending);

/* Makes the folder that the name ends in a file of, with those above it. 0, or -1 after a message. */
int partition_make_folders(const char *name);
/* Whether the folder, made if need be, can be written to: 0, or -1 after a message. */
int partition_check_folder(const char *folder);

/* Whose rows a file of a folder holds: of which connection in which capture, and how many. A file that is there already
 * is only replaced by rows of the same connection, --grid and --changes, of at least as much of its capture. */

struct provenance {
    const char *capture; /* as the user named it; NULL: an interface or a robot */
    uint32_t file;       /* its index */
    uint64_t connection;
    char client[64];
    struct armtap_beginning beginning; /* of the connection in that capture */
    uint64_t first_row;                /* packet of the capture that carried the end of the first row; 0: none did */
    uint64_t rows;
    int64_t grid;        /* ns from one row to the next; 0: rows are records */
    const char *changes; /* the fields of --changes; NULL: rows need no change */
    bool is_guessed;     /* the recipe of a row was guessed */
};

/* Of a file whose first row is this one, read from that file of the captures. */
struct provenance provenance_of(const struct armtap_record *record, const char *capture, uint32_t file);
/* Counts a row of the file. */
void provenance_add(struct provenance *provenance, const struct armtap_record *record);

/* Appends the capture's name: without its folder, and without the ending of a compression. "stdin", "live". */
void provenance_put_capture(const char *capture, struct buffer *out);

/* Whether the file of that name may be replaced by these rows, or is not there: 0, or -1 after a message that names
 * both. */
int provenance_check(const struct provenance *provenance, const char *name);

/* The notes of a Parquet file that provenance_check() reads. */
enum provenance_note {
    PROVENANCE_CAPTURE,
    PROVENANCE_CLIENT,
    PROVENANCE_FIRST_TIME,  /* ns since the epoch, of the connection's first packet in the capture */
    PROVENANCE_FIRST_BYTES, /* number of the first bytes that the sum is of */
    PROVENANCE_FIRST_SUM,   /* FNV-1a in hexadecimal */
    PROVENANCE_FIRST_ROW,
    PROVENANCE_GRID,
    PROVENANCE_CHANGES,
    PROVENANCE_GUESSED,
    PROVENANCE_NOTES
};
const char *provenance_key(enum provenance_note note);
/* Appends the value; nothing if there is none. */
void provenance_put(const struct provenance *provenance, enum provenance_note note, struct buffer *out);

#endif
