/* One-line messages on standard error: what, where, and what to do. With ARMTAP_MESSAGES=json in the environment each
 * is an object with severity, id, time and text, for programs. */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdint.h>

#include "base/text/printf_format.h"

/* Several tables have rows, and the output holds one. */
#define MESSAGE_SEVERAL_TABLES "export.several-tables"
/* An input ends too early or is damaged there; everything before was read. */
#define MESSAGE_INPUT_DAMAGED "input.damaged"

/* "armtap: ..." and a line end. Control characters in names from outside are shown as \xHH. */
PRINTF_FORMAT(1, 2) void message_error(const char *format, ...);
/* The same with an id, by which programs know it (the manual lists them), or NULL. */
PRINTF_FORMAT(2, 3) void message_error_called(const char *id, const char *format, ...);
/* The same as message_error for what happens while a command runs: a client came, a file was begun. */
PRINTF_FORMAT(1, 2) void message_info(const char *format, ...);
/* "armtap: warning: ...". Does not change the exit status. */
PRINTF_FORMAT(1, 2) void message_warning(const char *format, ...);
/* From now on each message begins with the time in UTC and the seconds since this call, by a clock that nobody sets:
 * "2026-01-31T12:00:00.250Z +3605.2 s armtap: ...". For commands that run until they are ended, once they run; further
 * calls change nothing. */
void message_show_times(void);
/* The message for a time, ns, in which the program could do nothing. */
void message_still(int64_t time);
/* The message for an allocation that failed. Returns -1. */
int message_no_memory(void);

#endif
