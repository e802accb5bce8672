#include "release.h"

#include <string.h>

#define PARTS 3 /* major, minor, bugfix */

struct release {
    uint32_t part[PARTS];
};

static struct release parse(const char *text)
{
    struct release release = {{0}};
    for (size_t i = 0; i < PARTS && *text >= '0' && *text <= '9'; i++) {
        for (; *text >= '0' && *text <= '9'; text++)
            release.part[i] = release.part[i] * 10 + (uint32_t)(*text - '0');
        text += *text == '.';
    }
    return release;
}

static bool is_before(const struct release *a, const struct release *b)
{
    for (size_t i = 0; i < PARTS; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i];
    return false;
}

/* The next release of a list "3.5.0 / 5.0.0"; false at its end. */
static bool next_release(const char **cursor, const char **text, size_t *length)
{
    static const char separators[] = " /";
    if (**cursor == '\0')
        return false;
    *text = *cursor;
    *length = strcspn(*cursor, separators);
    *cursor += *length;
    *cursor += strspn(*cursor, separators);
    return true;
}

const char *armtap_release_series(const char *version)
{
    switch (parse(version).part[0]) {
    case 3:
        return "CB3";
    case 5:
        return "e-Series";
    case 10:
        return "PolyScope X";
    default:
        return NULL;
    }
}

bool armtap_release_of_series(const char *since, const char *version, const char **text, size_t *length)
{
    struct release controller = parse(version);
    for (const char *cursor = since; next_release(&cursor, text, length);)
        if (parse(*text).part[0] == controller.part[0])
            return true;
    return false;
}

enum armtap_release_fit armtap_release_judge(const char *since, const char *version)
{
    struct release controller = parse(version);
    const char *text;
    size_t length;
    bool earlier = false;
    if (since[0] == '\0' || !armtap_release_series(version))
        return ARMTAP_RELEASE_UNKNOWN;
    for (const char *cursor = since; next_release(&cursor, &text, &length);) {
        struct release first = parse(text);
        if (first.part[0] == controller.part[0])
            return is_before(&controller, &first) ? ARMTAP_RELEASE_OLDER : ARMTAP_RELEASE_HAS;
        earlier |= first.part[0] < controller.part[0];
    }
    return earlier ? ARMTAP_RELEASE_HAS : ARMTAP_RELEASE_NEVER;
}

void armtap_release_list(struct armtap_line *line, const char *since)
{
    const char *text, *before = "";
    size_t length;
    for (const char *cursor = since; next_release(&cursor, &text, &length); before = ", ") {
        const char *series = armtap_release_series(text);
        armtap_line_format(line, series ? "%s%b (%s)" : "%s%b", before, (const void *)text, length, series);
    }
}
