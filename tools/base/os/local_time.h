/* The machine's time zone. */
#ifndef BASE_OS_LOCAL_TIME_H
#define BASE_OS_LOCAL_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What a clock there shows at that time, seconds since the epoch. False: unknown. */
bool local_time(int64_t seconds, struct tm *shown);
/* The zone that TZ names and the system does not know, so that the machine's own counts; NULL: none. */
const char *local_time_ignored(void);

#endif
