/* --rotate and --keep, of every command that records. */
#ifndef RECORD_ROTATION_H
#define RECORD_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "command_line/options.h"

struct rotation {
    int64_t time;                /* ns between two files; 0: no matter how long */
    uint64_t part_size;          /* bytes of a file; 0: no matter how many */
    unsigned has_time, has_size; /* how often they were given */
    uint64_t keep;               /* bytes of all files together; 0: all are kept */
};

/* Readers of --rotate and of --keep, into a struct rotation. */
option_reader rotation_read, rotation_read_keep;
/* Whether they go together, and with the output. 0, or -1 after a message. */
int rotation_check(const struct rotation *rotation, const char *command, const char *output);

/* Names of the parts of a recording. */

#define PART_NAME_MAX 4096
#define PART_NAME_ROBOT "ROBOT"
#define PART_NAME_DEFAULT "%Y%m%dT%H%M%SZ-" PART_NAME_ROBOT ".pcapng"

/* Whether a command can write to such a name, "-" for standard output. 0, or -1 after a message. */
int part_name_check(const char *command, const char *pattern);

/* Writes the name for a part that begins at `time` (ns since the epoch): strftime()'s conversions in the pattern become
 * the time in UTC, the word ROBOT becomes `robot`. `copy` above 1 is put before the ending, as in "x_00002.pcapng.gz",
 * and sorts behind the name without it. 0, or -1 with errno if the name is too long or the pattern makes none. */
int part_name(char name[PART_NAME_MAX], const char *pattern, const char *robot, int64_t time, unsigned copy);

/* The digits of such a number, as long as there are fewer than 100,000 parts, and at most. */
#define PART_NAME_DIGITS 5u
#define PART_NAME_DIGITS_MAX 6u
enum part_glob_outcome {
    PART_GLOB_OK,
    PART_GLOB_TOO_LONG,
    PART_GLOB_UNSURE /* it has a conversion that makes other things than a fixed number of digits */
};
/* A pattern of glob() for the names that part_name() makes at any time: those with a number of so many digits, or with
 * 0 those without one. */
#define PART_GLOB_MAX 16384
enum part_glob_outcome part_name_glob(char glob[PART_GLOB_MAX], const char *pattern, const char *robot,
                                      unsigned digits);

/* The files of a recording: those that this run writes, and those that earlier runs of the same pattern left. With a
 * limit on all together the oldest are deleted. */

struct kept_parts;
struct kept_part;

/* `keep`: bytes of all together; 0: no matter how many, and nothing is ever deleted. NULL if memory runs out. */
struct kept_parts *kept_parts_new(uint64_t keep);
/* Accepts NULL. */
void kept_parts_free(struct kept_parts *kept);

/* Before this run writes any: adds what earlier runs left, if there is a limit. Only whole names that the pattern makes
 * for this robot count, of ordinary files that armtap recorded and no other run is writing. 0, or -1 after a message.
 */
int kept_parts_find(struct kept_parts *kept, const char *pattern, const char *robot);
/* A file that is being written. `may_go`: it may be deleted once it is ended. NULL if memory runs out. */
struct kept_part *kept_parts_begin(struct kept_parts *kept, const char *name, bool may_go);
void kept_parts_grow(struct kept_parts *kept, struct kept_part *part, uint64_t size);
void kept_parts_end(struct kept_parts *kept, struct kept_part *part);

/* Deletes the oldest ones until all together fit. */
void kept_parts_make_room(struct kept_parts *kept);
/* The one to be deleted next; NULL: none may be. */
const char *kept_parts_oldest(const struct kept_parts *kept);
/* Deletes it; false if there is none. A file that was replaced by another meanwhile is forgotten instead. */
bool kept_parts_delete_oldest(struct kept_parts *kept);

/* Names each file that this run wrote and that is still there, with its size, in lines of its own. */
void kept_parts_list(const struct kept_parts *kept);
/* How many were deleted. */
uint64_t kept_parts_deleted(const struct kept_parts *kept);

#endif
