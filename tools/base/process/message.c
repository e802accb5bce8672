#define _POSIX_C_SOURCE 200809L
#include "message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os/names.h"
#include "nanoseconds.h"
#include "base/numbers/timestamp.h"
#include "base/text/json_writer.h"
#include "base/text/utf8.h"

#define LEAD_MAX 96
#define ID_MAX 64
#define TEXT_MAX 2048
#define SHOWN_MAX (4 * TEXT_MAX)
#define MESSAGE_MAX (LEAD_MAX + ID_MAX + 64 + 2 * SHOWN_MAX) /* quoted, a backslash becomes two */

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

/* How a message is marked: for people, and for programs. */
struct mark {
    const char *lead, *severity;
};
static const struct mark error = {"", "error"}, warning = {"warning: ", "warning"}, info = {"", "info"};

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

/* On a terminal it replaces the progress line. */
static size_t put_for_people(char *to, const struct mark *mark, const char *text)
{
    char times[LEAD_MAX];
    size_t length = 0;
    if (isatty(STDERR_FILENO)) {
        memcpy(to, "\r\033[K", 4);
        length = 4;
    }
    write_times(times);
    return length + (size_t)sprintf(to + length, "%sarmtap: %s%s", times, mark->lead, text);
}

static size_t put_for_programs(char *to, const struct mark *mark, const char *id, const char *text)
{
    int64_t now = read_clock(CLOCK_REALTIME);
    const char *quote = id ? "\"" : "";
    size_t length = (size_t)snprintf(
        to, LEAD_MAX + ID_MAX,
        "{\"severity\":\"%s\",\"id\":%s%.*s%s,\"time\":%" PRId64 ".%09" PRId64 ",\"text\":", mark->severity, quote,
        ID_MAX, id ? id : "null", quote, now / SECOND, now % SECOND);
    length += json_quote(to + length, text, strlen(text));
    to[length++] = '}';
    return length;
}

/* Writes the line at once, so that lines of several programs do not mix. */
PRINTF_FORMAT(3, 0) static void say(const struct mark *mark, const char *id, const char *format, va_list arguments)
{
    char text[TEXT_MAX], shown[SHOWN_MAX], line[MESSAGE_MAX];
    const char *form = getenv("ARMTAP_MESSAGES");
    size_t length = 0;
    vsnprintf(text, sizeof text, format, arguments);
    shown[0] = '\0';
    for (size_t at = 0, left = strlen(text), used; left > 0; left -= used, at += used)
        length += utf8_show(shown + length, text + at, left, &used);
    length =
        form && strcmp(form, "json") == 0 ? put_for_programs(line, mark, id, shown) : put_for_people(line, mark, shown);
    line[length++] = '\n';
    fflush(stdout);
    fwrite(line, 1, length, stderr);
    fflush(stderr); /* which has a buffer on Windows */
}

void message_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(&error, NULL, format, arguments);
    va_end(arguments);
}

void message_error_called(const char *id, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(&error, id, format, arguments);
    va_end(arguments);
}

void message_info(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(&info, NULL, format, arguments);
    va_end(arguments);
}

void message_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(&warning, NULL, format, arguments);
    va_end(arguments);
}

void message_still(int64_t time)
{
    message_warning(
        "armtap itself stood still for %.1f s: it was stopped, the machine slept, or the processor was busy; do not "
        "blame the robot or the network for this time",
        (double)time / 1e9);
}

int message_no_memory(void)
{
    message_error("out of memory; close other programs, or read fewer or shorter captures at a time (editcap -c splits "
                  "one)");
    return -1;
}
