#define _POSIX_C_SOURCE 200809L
#include "word_wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/names.h"

static const char *const sequences[] = {
    [PAINT_GOOD] = "\033[32m",   [PAINT_WARNING] = "\033[33m", [PAINT_BAD] = "\033[31m",
    [PAINT_HEADING] = "\033[1m", [PAINT_PACKET] = "\033[36m",
};

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value != '\0';
}

int text_colour_choose(const char *when)
{
    if (strcmp(when, "auto") == 0)
        return 0;
    if (strcmp(when, "never") == 0)
        return setenv("NO_COLOR", "1", 1);
    if (strcmp(when, "always") == 0)
        return unsetenv("NO_COLOR") == 0 ? setenv("CLICOLOR_FORCE", "1", 1) : -1;
    return -1;
}

bool text_is_coloured(FILE *file)
{
    const char *terminal = getenv("TERM"), *forced = getenv("CLICOLOR_FORCE");
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(forced, "0") != 0)
        return true;
    return isatty(fileno(file)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

enum text_paint text_paint_of(enum armtap_severity severity)
{
    return severity == ARMTAP_ERROR ? PAINT_BAD : severity == ARMTAP_WARNING ? PAINT_WARNING : PAINT_NONE;
}

const char *text_paint_if(bool coloured, enum text_paint paint)
{
    return paint == PAINT_NONE || !coloured ? "" : sequences[paint];
}

const char *text_plain_if(bool coloured)
{
    return coloured ? "\033[0m" : "";
}

const char *text_paint(FILE *file, enum text_paint paint)
{
    return text_paint_if(paint != PAINT_NONE && text_is_coloured(file), paint);
}

const char *text_colour(FILE *file, enum armtap_severity severity)
{
    return text_paint(file, text_paint_of(severity));
}

const char *text_plain(FILE *file)
{
    return text_plain_if(text_is_coloured(file));
}
