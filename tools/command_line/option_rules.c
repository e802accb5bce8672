/* Which options go together: the rules of options.def. What none of them allows is refused. */
#include <string.h>

#include "base/process/message.h"
#include "options.h"

static bool is_listed(const char *list, const char *name)
{
    size_t length;
    for (const char *word = list; word && (word = option_list_next(word, &length)); word += length)
        if (strlen(name) == length && memcmp(word, name, length) == 0)
            return true;
    return false;
}

/* The first option that was given of those in a list of names; NULL: none. */
static const struct option_row *given_of(const struct options *options, const char *list)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_given_at(options, i)); i++)
        if (is_listed(list, row->name))
            return row;
    return NULL;
}

/* The option that chooses the mode; NULL: none, the usual one. */
static const struct option_row *mode_of(const struct options *options)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_given_at(options, i)); i++)
        if (row->chooses)
            return row;
    return NULL;
}

static const char *needs_of(const struct option_usage *usage, const struct option_row *row)
{
    return row->group & (DECODES | GUESSES | READS_DUMPS) ? usage->decodes_with : row->needs;
}

/* Whether the option needs another, which may need others, down to this one. */
static bool leads_to(const struct option_usage *usage, const struct option_row *row, const struct option_row *mode)
{
    const char *needs = needs_of(usage, row);
    for (size_t i = 0; needs && i < OPTIONS_MAX; i++) { /* two may need each other */
        if (strcmp(needs, mode->name) == 0)
            return true;
        needs = needs_of(usage, options_row_named(usage, needs, strlen(needs)));
    }
    return false;
}

/* Whether the mode is for this option. Those of all commands change no output, and what decodes captures does so in
 * each mode that reads them. */
static bool is_of_mode(const struct options *options, const struct option_row *mode, const struct option_row *row)
{
    if (!mode || row == mode || row->group & ANY_COMMAND || is_listed(mode->takes, row->name))
        return true;
    return leads_to(options->usage, row, mode) || (row->group && !mode->reads_nothing);
}

static int refuse_beside(const struct options *options, const struct option_row *row, const struct option_row *other)
{
    message_error("%s: --%s %s; remove --%s", options->usage->command, row->name, row->why, other->name);
    return -1;
}

static int check_needs(const struct options *options, const struct option_row *row)
{
    const char *needs = needs_of(options->usage, row);
    if (!needs || given_of(options, needs))
        return 0;
    const struct option_row *needed = options_row_named(options->usage, needs, strlen(needs));
    message_error("%s: --%s needs --%s%s%s", options->usage->command, row->name, needs, needed->value ? " " : "",
                  needed->value ? needed->value : "");
    return -1;
}

static const char *sources_text(unsigned sources)
{
    if (sources == SOURCE_FILES)
        return "a capture file";
    if (sources == SOURCE_LIVE)
        return "-i INTERFACE";
    return sources == SOURCE_CAPTURE ? "a capture" : "a robot, such as rtde://HOST";
}

static const char *reading_text(unsigned sources)
{
    if (sources & SOURCE_LIVE)
        return "-i";
    if (sources & SOURCE_FILES)
        return "a capture";
    return sources & SOURCE_RTDE ? "rtde://" : "realtime:// or primary://";
}

static int check_sources(const struct options *options, const struct option_row *row, unsigned sources)
{
    if (row->sources == 0 || sources == 0 || row->sources & sources)
        return 0;
    message_error("%s: --%s works only with %s, not with %s", options->usage->command, row->name,
                  sources_text(row->sources), reading_text(sources));
    return -1;
}

static int check_row(const struct options *options, const struct option_row *row, unsigned sources)
{
    const struct option_row *mode = mode_of(options), *other = given_of(options, row->clashes);
    if (check_needs(options, row) != 0)
        return -1;
    if (!is_of_mode(options, mode, row))
        return refuse_beside(options, mode, row);
    return other ? refuse_beside(options, row, other) : check_sources(options, row, sources);
}

int option_rules_check(const struct options *options, unsigned sources)
{
    const struct option_row *row, *mode = mode_of(options);
    for (size_t i = 0; (row = options_given_at(options, i)); i++)
        if (check_row(options, row, sources) != 0)
            return -1;
    if (!mode || !mode->reads_nothing || options->operand_count == 0)
        return 0;
    message_error("%s: --%s %s; remove %s", options->usage->command, mode->name, mode->why, options->operands[0]);
    return -1;
}

bool option_rules_read(const struct options *options)
{
    const struct option_row *mode = mode_of(options);
    return !mode || !mode->reads_nothing;
}
