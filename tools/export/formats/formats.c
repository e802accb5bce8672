#include "formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Found on the include path, so that a test can put a longer table before it. */
#define FORMAT(id, name, dialect, endings, flags, brief, about) extern const struct writer writer_##id;
#include "export/formats/formats.def"
#undef FORMAT

/* A column holds one value of each row. */
#define FORMAT(id, name, dialect, endings, flags, brief, about)                                                        \
    _Static_assert(!((flags)&FORMAT_COLUMNS) || (flags)&FORMAT_SPREADS,                                                \
                   #id " has FORMAT_COLUMNS without FORMAT_SPREADS");
#include "export/formats/formats.def"
#undef FORMAT

static const struct format formats[] = {
#define FORMAT(id, name, dialect, endings, flags, brief, about)                                                        \
    {(name), (dialect), (endings), (flags), (brief), &writer_##id},
#include "export/formats/formats.def"
#undef FORMAT
};
#define FORMATS_COUNT (sizeof formats / sizeof *formats)

const struct format *format_at(size_t index)
{
    return index < FORMATS_COUNT ? &formats[index] : NULL;
}

const struct format *format_find(const char *name, const char *dialect)
{
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if ((!name || strcmp(formats[i].name, name) == 0) && (!dialect || strcmp(formats[i].dialect, dialect) == 0))
            return &formats[i];
    return NULL;
}

const struct format *format_of_ending(const char *ending, size_t length)
{
    for (size_t i = 0; i < FORMATS_COUNT && length > 0; i++) {
        const char *at = formats[i].endings;
        for (size_t size = strcspn(at, " "); size > 0; size = strcspn(at, " ")) {
            if (size == length && strncasecmp(at, ending, length) == 0)
                return &formats[i];
            at += size + strspn(at + size, " ");
        }
    }
    return NULL;
}

const struct format *format_named(const char *word)
{
    char ending[FORMATS_ENDING_MAX];
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (strcasecmp(formats[i].name, word) == 0)
            return &formats[i];
    int length = snprintf(ending, sizeof ending, ".%s", word);
    return (size_t)length < sizeof ending ? format_of_ending(ending, (size_t)length) : NULL;
}

/* A dialect has the endings of its format. */
const char *format_ending(const struct format *format, char ending[FORMATS_ENDING_MAX])
{
    const char *endings = *format->endings != '\0' ? format->endings : format_find(format->name, "")->endings;
    snprintf(ending, FORMATS_ENDING_MAX, "%.*s", (int)strcspn(endings, " "), endings);
    return ending;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Appends an item, after a separator if the list is not empty. */
static void append(char list[FORMATS_LIST_MAX], const char *separator, const char *item, const char *between,
                   const char *more)
{
    size_t length = strlen(list);
    snprintf(list + length, FORMATS_LIST_MAX - length, "%s%s%s%s", length > 0 ? separator : "", item, between, more);
}

/* Whether it is what its name alone selects, and has these flags: a list says what to give to -f. */
static bool is_listed(size_t index, unsigned with, unsigned without)
{
    const struct format *format = &formats[index];
    return format == format_find(format->name, NULL) && (format->flags & with) == with &&
           (format->flags & without) == 0;
}

static const char *list_formats(char list[FORMATS_LIST_MAX], unsigned with, unsigned without, bool by_name)
{
    size_t last = 0;
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        last = is_listed(i, with, without) ? i : last;
    *list = '\0';
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (is_listed(i, with, without))
            append(list, i < last ? ", " : " or ", by_name ? formats[i].name : formats[i].brief, "", "");
    return list;
}

const char *format_names(char list[FORMATS_LIST_MAX], unsigned with, unsigned without)
{
    return list_formats(list, with, without, true);
}

const char *format_briefs(char list[FORMATS_LIST_MAX])
{
    return list_formats(list, 0, 0, false);
}

const char *format_dialects(char list[FORMATS_LIST_MAX])
{
    *list = '\0';
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (*formats[i].dialect != '\0')
            append(list, "; ", formats[i].dialect, ", of ", formats[i].name);
    return list;
}

const char *format_dialect_briefs(char list[FORMATS_LIST_MAX])
{
    *list = '\0';
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (*formats[i].dialect != '\0')
            append(list, "; ", formats[i].dialect, ": ", formats[i].brief);
    return list;
}

const char *format_dialect_names(char list[FORMATS_LIST_MAX])
{
    *list = '\0';
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (*formats[i].dialect != '\0')
            append(list, ", ", formats[i].dialect, "", "");
    return list;
}
