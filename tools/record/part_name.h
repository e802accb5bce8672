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

#endif
