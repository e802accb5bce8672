/* A folder as a partitioned data set (-o DIR/): DIR/robot=ADDRESS%3APORT/date=2026-01-31/CAPTURE-BEGIN-CLIENT.parquet,
 * with .1 after the client where a recipe was replaced, .to-robot, and .again1 if times go back by days. Names depend
 * on the capture only, whatever is read beside it, so a run that is repeated replaces its files, and runs on other
 * captures leave them alone (provenance.h). */
#ifndef EXPORT_PARTITION_H
#define EXPORT_PARTITION_H

#include "armtap.h"

/* Which file of the folder a row belongs to. */
struct partition {
    const char *robot;   /* "": not known */
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

#endif
