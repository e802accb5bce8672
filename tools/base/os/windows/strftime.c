/* What POSIX has beyond the conversions of Windows' strftime(), which it refuses, and its names of zones. Times here
 * are UTC.
 */
#include <stdbool.h>

#include "base/os/names.h"
#undef strftime

#define PATTERN_MAX 1024

static const struct {
    char letter;
    const char *means;
} others[] = {{'D', "%m/%d/%y"}, {'F', "%Y-%m-%d"}, {'R', "%H:%M"}, {'T', "%H:%M:%S"}, {'Z', "GMT"},
              {'h', "%b"},       {'n', "\n"},       {'t', "\t"},    {'z', "+0000"}};

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The week that its Thursday is in, and the year of that. */
static int iso_week(const struct tm *time, int *year)
{
    int thursday = time->tm_yday - (time->tm_wday + 6) % 7 + 3;
    *year = time->tm_year + 1900;
    if (thursday < 0)
        thursday += is_leap(--*year) ? 366 : 365;
    else if (thursday >= (is_leap(*year) ? 366 : 365))
        thursday -= is_leap((*year)++) ? 366 : 365;
    return thursday / 7 + 1;
}

/* Writes a number for the letter; false if it stands for none. */
static bool put_number(char to[24], char letter, const struct tm *time)
{
    struct tm copy = *time;
    int year, week = iso_week(time, &year);
    if (letter == 'C')
        snprintf(to, 24, "%02d", (time->tm_year + 1900) / 100);
    else if (letter == 'G')
        snprintf(to, 24, "%d", year);
    else if (letter == 'V')
        snprintf(to, 24, "%02d", week);
    else if (letter == 'e')
        snprintf(to, 24, "%2d", time->tm_mday);
    else if (letter == 'g')
        snprintf(to, 24, "%02d", year % 100);
    else if (letter == 's')
        snprintf(to, 24, "%lld", (long long)mktime(&copy));
    else if (letter == 'u')
        snprintf(to, 24, "%d", (time->tm_wday + 6) % 7 + 1);
    else
        return false;
    return true;
}

size_t names_strftime(char *to, size_t room, const char *pattern, const struct tm *time)
{
    char whole[PATTERN_MAX], piece[24];
    size_t length = 0;
    for (; *pattern != '\0' && length + sizeof piece < sizeof whole; pattern++) {
        piece[0] = *pattern;
        piece[1] = '\0';
        if (*pattern == '%' && pattern[1] != '\0' && !put_number(piece, *++pattern, time)) {
            bool is_theirs = strchr("AaBbcdHIjMmpSUWwXxYy%", *pattern) != NULL;
            snprintf(piece, sizeof piece, is_theirs ? "%%%c" : "%%%%%c", *pattern);
            for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                if (others[i].letter == *pattern)
                    snprintf(piece, sizeof piece, "%s", others[i].means);
        }
        length += (size_t)snprintf(whole + length, sizeof whole - length, "%s", piece);
    }
    if (*pattern == '\0')
        return strftime(to, room, whole, time);
    errno = ERANGE;
    return 0;
}
