#define _POSIX_C_SOURCE 200809L
#include "message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nanoseconds.h"
#include "base/numbers/timestamp.h"
#include "base/text/utf8.h"

#define LEAD_MAX 96

/* When the run began whose messages say the time, by the monotonic clock; 0: they do not. Global because messages come
 * from every thread and every layer. */
static atomic_llong began;

static int64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

void message_show_times(void)
{
    long long none = 0;
    atomic_compare_exchange_strong(&began, &none, read_clock(CLOCK_MONOTONIC));
}

/* "2026-01-31T12:00:00.250Z +3605.2 s ", or nothing. A clock that is set does not show in the seconds. */
static void write_times(char to[LEAD_MAX])
{
    char date[WHEN_DATE_MAX];
    int64_t since = atomic_load(&began);
    to[0] = '\0';
    if (since == 0)
        return;
    int64_t tenths = (read_clock(CLOCK_MONOTONIC) - since) / (SECOND / 10);
    timestamp_date(date, read_clock(CLOCK_REALTIME), TIMESTAMP_UTC);
    snprintf(to, LEAD_MAX, "%.23sZ +%" PRId64 ".%" PRId64 " s ", date, tenths / 10, tenths % 10);
}

/* Writes the line at once, so that lines of several programs do not mix. On a terminal it replaces the progress
 * line. */
static void say(const char *lead, const char *text)
{
    char line[4 * 2048 + 64 + LEAD_MAX], times[LEAD_MAX];
    size_t length = 0;
    if (isatty(STDERR_FILENO)) {
        memcpy(line, "\r\033[K", 4);
        length = 4;
    }
    write_times(times);
    length += (size_t)snprintf(line + length, 40 + LEAD_MAX, "%sarmtap: %s", times, lead);
    for (size_t left = strlen(text), used; left > 0; left -= used, text += used)
        length += utf8_show(line + length, text, left, &used);
    line[length++] = '\n';
    fflush(stdout);
    fwrite(line, 1, length, stderr);
}

MESSAGE_FORMAT(2, 0) static void say_formatted(const char *lead, const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    say(lead, text);
}

void message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_formatted("", format, arguments);
    va_end(arguments);
}

void message_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_formatted("", format, arguments);
    va_end(arguments);
}

void message_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_formatted("warning: ", format, arguments);
    va_end(arguments);
}

void message_still(int64_t time)
{
    message_warning(
        "armtap itself stood still for %.1f s: it was stopped, the machine slept, or the processor was busy; "
        "what did not come or go meanwhile is nobody else's fault",
        (double)time / 1e9);
}

int message_no_memory(void)
{
    message_error("out of memory; close other programs, or read fewer or shorter captures at a time (editcap -c splits "
                  "one)");
    return -1;
}
