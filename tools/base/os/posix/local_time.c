#define _POSIX_C_SOURCE 200809L
#include "base/os/local_time.h"

#include <stddef.h>

bool local_time(int64_t seconds, struct tm *shown)
{
    time_t time = (time_t)seconds;
    tzset(); /* localtime_r need not call it */
    return localtime_r(&time, shown) != NULL;
}

const char *local_time_ignored(void)
{
    return NULL;
}
