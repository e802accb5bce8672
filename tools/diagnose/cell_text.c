#define _POSIX_C_SOURCE 200809L
#include "diagnosis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "armtap.h"
#include "base/numbers/number_text.h"

#define CLOCK_LENGTH 12 /* 12:00:00.559 */

/* Avoids "-0.0". */
static double cell_without_sign(double value, int digits)
{
    static const double halves[] = {0.5, 0.05, 0.005, 0.0005, 0.00005, 0.000005, 0.0000005};
    return fabs(value) < halves[digits] ? 0 : value;
}

_Static_assert(CELL_MAX >= NUMBER_MAX, "a number fits into a cell");

const char *cell_clock(char to[CELL_MAX], int64_t time, enum timestamp_zone zone)
{
    char date[WHEN_DATE_MAX];
    if (time == ARMTAP_NO_TIME) {
        snprintf(to, CELL_MAX, "-");
        return to;
    }
    timestamp_date(date, time, zone);
    const char *clock = strchr(date, 'T');
    size_t length = strnlen(clock ? clock + 1 : date, CLOCK_LENGTH);
    memcpy(to, clock ? clock + 1 : date, length);
    strcpy(to + length, zone == TIMESTAMP_UTC ? "Z" : "");
    return to;
}

const char *cell_number(char to[CELL_MAX], double value, int digits)
{
    to[number_fixed(cell_without_sign(value, digits), digits, to)] = '\0';
    return to;
}
