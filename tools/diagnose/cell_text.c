#include "cell_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "armtap.h"

const char *cell_clock(char to[CELL_MAX], int64_t time, enum timestamp_zone zone)
{
    char date[WHEN_DATE_MAX];
    if (time == ARMTAP_NO_TIME) {
        snprintf(to, CELL_MAX, "-");
        return to;
    }
    timestamp_date(date, time, zone);
    const char *clock = strchr(date, 'T');
    snprintf(to, CELL_MAX, "%.12s%s", clock ? clock + 1 : date, zone == TIMESTAMP_UTC ? "Z" : "");
    return to;
}

double cell_without_sign(double value, int digits)
{
    return fabs(value) < 0.5 * pow(10, -digits) ? 0 : value;
}
