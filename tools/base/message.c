#define _POSIX_C_SOURCE 200809L
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

/* Writes the line at once, so that lines of several programs do not mix. On a terminal it replaces the progress
 * line. */
static void say(const char *lead, const char *text)
{
    char line[4 * 2048 + 64];
    size_t length = 0;
    if (isatty(STDERR_FILENO)) {
        memcpy(line, "\r\033[K", 4);
        length = 4;
    }
    length += (size_t)snprintf(line + length, 40, "armtap: %s", lead);
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

int message_no_memory(void)
{
    message_error("out of memory; close other programs, or read fewer or shorter captures at a time (editcap -c splits "
                  "one)");
    return -1;
}
