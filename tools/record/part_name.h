/* Names of the parts of a recording. */
#ifndef RECORD_PART_NAME_H
#define RECORD_PART_NAME_H

#include <stddef.h>
#include <stdint.h>

#define PART_NAME_MAX 4096
#define PART_NAME_ROBOT "ROBOT"
#define PART_NAME_DEFAULT "%Y%m%dT%H%M%SZ-" PART_NAME_ROBOT ".pcapng"

/* Whether a command can write to such a name, "-" for standard output. 0, or -1 after a message. */
int part_name_check(const char *command, const char *pattern);

/* Writes the name for a part that begins at `time` (ns since the epoch): strftime()'s conversions in the pattern become
 * the time in UTC, the word ROBOT becomes `robot`. `copy` above 1 is put before the ending, as in "x_00002.pcapng.gz",
 * and sorts behind the name without it. 0, or -1 with errno if the name is too long or the pattern makes none. */
int part_name(char name[PART_NAME_MAX], const char *pattern, const char *robot, int64_t time, unsigned copy);

#endif
