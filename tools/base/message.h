/* One-line messages on standard error: what, where, and what to do. */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#if defined(__GNUC__)
#define MESSAGE_FORMAT(text, values) __attribute__((format(printf, text, values)))
#else
#define MESSAGE_FORMAT(text, values)
#endif

/* "armtap: ..." and a line end. Control characters in names from outside are shown as \xHH. */
MESSAGE_FORMAT(1, 2) void message_error(const char *format, ...);
/* The same for what happens while a command runs: a client came, a file was begun. */
MESSAGE_FORMAT(1, 2) void message_info(const char *format, ...);
/* "armtap: warning: ...". Does not change the exit status. */
MESSAGE_FORMAT(1, 2) void message_warning(const char *format, ...);
/* The message for an allocation that failed. Returns -1. */
int message_no_memory(void);

#endif
