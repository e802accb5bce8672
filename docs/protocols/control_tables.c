/* Tables of External Control's messages, and of what the dashboard server answers. */
#include "tables.h"

#include <string.h>

#include "external_control_layout.h"
#include "external_control_words.h"

/* ---- names on the wire ---- */

enum vendor { CONTROL, AUBO };
static const struct name {
    const char *name;
    enum vendor vendor;
    const char *type;
    unsigned count;
    const char *unit, *direction, *meaning;
} names[] = {
#define NAME(name, vendor, type, count, unit, direction, meaning)                                                      \
    {#name, vendor, type, count, unit, direction, meaning},
#include "fields/wire_names.def"
};
#define NAMES (sizeof names / sizeof *names)

static const struct name *name_of(const char *text)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(names[i].name, text) == 0)
            return &names[i];
    return &names[0];
}

/* ---- messages to the robot ---- */

static const struct kind {
    const char *title;
    unsigned selector;
} kinds[] = {
#define KIND(name, title, selector) {title, selector},
#include "external_control_layouts.def"
};
#define KINDS (sizeof kinds / sizeof *kinds)

static const struct selector {
    enum armtap_control_kind kind;
    int number;
    const char *name;
} selectors[] = {
#define SELECTOR(kind, number, name) {ARMTAP_CONTROL_##kind, number, name},
#include "external_control_layouts.def"
};
#define SELECTORS (sizeof selectors / sizeof *selectors)

/* What a value needs besides its selector. */
enum condition { ALWAYS, Q_NEAR, PROFILE, QUINTIC, SCALED, UNSCALED };

static const struct value {
    enum armtap_control_kind kind;
    uint32_t selectors;
    enum condition condition;
    unsigned word, count;
    const char *name;
    enum armtap_control_wire wire;
} values[] = {
#define VALUE(kind, selectors, condition, word, count, name, wire)                                                     \
    {ARMTAP_CONTROL_##kind, selectors, condition, word, count, name, ARMTAP_CONTROL_##wire},
#include "external_control_layouts.def"
};

static void put_condition(FILE *to, enum condition condition)
{
    switch (condition) {
    case ALWAYS:
        break;
    case Q_NEAR:
        fprintf(to, ", if word %d is %d", POINT_FLAG, ONE_MICRO);
        break;
    case PROFILE:
        fprintf(to, ", if words %d to %d are 0", POINT_ZEROS, POINT_DURATION - 1);
        break;
    case QUINTIC:
        fprintf(to, ", if word %d is %d", POINT_BLEND, QUINTIC_TYPE);
        break;
    case SCALED:
        fputs(", if the driver's release is known", to);
        break;
    case UNSCALED:
        fputs(", if not", to);
        break;
    }
}

static size_t next_selector(enum armtap_control_kind kind, size_t i)
{
    while (i < SELECTORS && selectors[i].kind != kind)
        i++;
    return i;
}

/* The selectors whose messages have a value; those that lack it, where these are fewer. */
static void put_selectors(FILE *to, const struct value *value)
{
    unsigned count = 0, taken = 0, bit = 0;
    for (size_t i = 0; (i = next_selector(value->kind, i)) < SELECTORS; i++)
        taken += value->selectors >> count++ & 1;
    bool shown = 2 * taken <= count;
    const char *before = taken == count ? "all" : shown ? "" : "all but ";
    fputs(before, to);
    before = "";
    for (size_t i = 0; (i = next_selector(value->kind, i)) < SELECTORS; i++)
        if ((value->selectors >> bit++ & 1) == shown) {
            fprintf(to, "%s%s", before, selectors[i].name);
            before = ", ";
        }
    put_condition(to, value->condition);
}

/* The selectors of a kind, with their numbers. */
static void put_numbers(FILE *to, enum armtap_control_kind kind)
{
    const char *before = ": ";
    for (size_t i = 0; (i = next_selector(kind, i)) < SELECTORS; i++) {
        fprintf(to, "%s%d %s", before, selectors[i].number, selectors[i].name);
        before = ", ";
    }
}

static void put_value(FILE *to, const struct value *value)
{
    static const char *const scales[] = {
        [ARMTAP_CONTROL_RAW] = "", [ARMTAP_CONTROL_MILLI] = ", times 1000", [ARMTAP_CONTROL_MICRO] = ", times 1000000"};
    const struct name *name = name_of(value->name);
    fprintf(to, "| %u", value->word);
    if (value->count > 1)
        fprintf(to, "-%u", value->word + value->count - 1);
    fprintf(to, " | %u | ", value->word * ARMTAP_CONTROL_WORD);
    put_type(to, "int32", value->count);
    fprintf(to, "%s | `%s` | %s | ", scales[value->wire], value->name, name->unit);
    put_selectors(to, value);
    fputs(" | ", to);
    put_cell(to, name->meaning);
    if (value->word == kinds[value->kind].selector && value->selectors == EVERY)
        put_numbers(to, value->kind);
    else
        put_modes(to, value->name);
    fputs(" |\n", to);
}

/* How long messages of a kind are: those of newer drivers first. */
static void put_lengths(FILE *to, enum armtap_control_kind kind)
{
    const struct armtap_control_layout *layout;
    unsigned count = 0;
    for (size_t i = 0; (layout = armtap_control_layout_at(i)); i++)
        if (layout->kind == kind && count++ == 0)
            fprintf(to, "### Port %u, %u bytes: %s\n\n%u words", layout->port, layout->words * ARMTAP_CONTROL_WORD,
                    kinds[kind].title, layout->words);
        else if (layout->kind == kind)
            fprintf(to, "; older drivers send %u words, %u bytes", layout->words, layout->words * ARMTAP_CONTROL_WORD);
    fprintf(to, ". Word %u says what the message is for.\n\n", kinds[kind].selector);
}

void put_control_messages(FILE *to)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kind > 0)
            fputc('\n', to);
        put_lengths(to, (enum armtap_control_kind)kind);
        fputs("| word | offset | type | name | unit | for | meaning |\n|---|---:|---|---|---|---|---|\n", to);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            if (values[i].kind == kind)
                put_value(to, &values[i]);
    }
}

void put_control_results(FILE *to)
{
    fputs("| port | type | name | meaning |\n|---:|---|---|---|\n", to);
#define RESULT(port, name)                                                                                             \
    fprintf(to, "| %d | int32 | `%s` | %s", port, name, name_of(name)->meaning);                                       \
    put_modes(to, name);                                                                                               \
    fputs(" |\n", to);
#include "external_control_layouts.def"
}

/* ---- the dashboard server ---- */

void put_dashboard_refusals(FILE *to)
{
    fputs("| the answer begins with | what to do |\n|---|---|\n", to);
#define REFUSAL(words, advice) fputs("| `" words "` | " advice " |\n", to);
#include "dashboard_lines.def"
}
