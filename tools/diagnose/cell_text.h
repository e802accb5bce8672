/* Cells of the report's tables. */
#ifndef DIAGNOSE_CELL_TEXT_H
#define DIAGNOSE_CELL_TEXT_H

#include <stdint.h>

#include "base/timestamp.h"

#define CELL_MAX 40

/* "12:00:00.559Z", in the machine's zone "13:00:00.559", or "-". Returns `to`. */
const char *cell_clock(char to[CELL_MAX], int64_t time, enum timestamp_zone zone);
/* A capture may have thousands of streams, and printf takes longer than all else about their rows. These return `to`.
 */
const char *cell_count(char to[CELL_MAX], uint64_t count);
const char *cell_integer(char to[CELL_MAX], int64_t number);
/* With that many digits behind the point, up to 6; never "-0.0". */
const char *cell_number(char to[CELL_MAX], double value, int digits);

#endif
