/* Cells of the report's tables. */
#ifndef DIAGNOSE_CELL_TEXT_H
#define DIAGNOSE_CELL_TEXT_H

#include <stdint.h>

#include "base/numbers/timestamp.h"

#define CELL_MAX 40

/* "12:00:00.559Z", in the machine's zone "13:00:00.559", or "-". Returns `to`. */
const char *cell_clock(char to[CELL_MAX], int64_t time, enum timestamp_zone zone);
/* With that many digits behind the point, up to 6; never "-0.0". Returns `to`. */
const char *cell_number(char to[CELL_MAX], double value, int digits);

#endif
