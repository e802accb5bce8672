/* Prints a page of this folder with its tables made anew: tables PAGE. What stands between the lines
 *
 *     <!-- made by "make protocols": NAME -->
 *     <!-- made -->
 *
 * is replaced by the table of that name; all other lines are written by hand and stay. */
#include "tables.h"

#include <string.h>

#define BEGIN "<!-- made by \"make protocols\": "
#define END "<!-- made -->\n"
#define LINE_MOST 4096

static const struct table {
    const char *name;
    void (*put)(FILE *to);
} tables[] = {
    {"realtime sizes", put_realtime_sizes},
    {"realtime cb3e", put_realtime_cb3e},
    {"realtime cb2", put_realtime_cb2},
    {"realtime enums", put_realtime_enums},
    {"rtde messages", put_rtde_messages},
    {"rtde types", put_rtde_types},
    {"rtde outputs", put_rtde_outputs},
    {"rtde inputs", put_rtde_inputs},
    {"rtde enums", put_rtde_enums},
    {"primary messages", put_primary_messages},
    {"primary sizes", put_primary_sizes},
    {"primary subpackages", put_primary_subpackages},
    {"primary robot messages", put_primary_robot_messages},
    {"primary levels", put_primary_levels},
    {"primary sources", put_primary_sources},
    {"primary value types", put_primary_value_types},
    {"primary enums", put_primary_enums},
    {"errors", put_errors},
    {"control messages", put_control_messages},
    {"control results", put_control_results},
    {"ur_rtde commands", put_ur_rtde_commands},
    {"ur_rtde history", put_ur_rtde_history},
    {"dashboard refusals", put_dashboard_refusals},
    {"aubo topics", put_aubo_topics},
    {"aubo names", put_aubo_names},
    {"aubo enums", put_aubo_enums},
};

void put_cell(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text == '|')
            fputs("\\|", to);
        else if (*text == '<')
            fputs("&lt;", to);
        else
            fputc(*text, to);
}

void put_code(FILE *to, const char *text)
{
    if (*text)
        fprintf(to, "`%s`", text);
}

void put_type(FILE *to, const char *type, unsigned count)
{
    fputs(type, to);
    if (count > 1)
        fprintf(to, "[%u]", count);
}

void put_modes(FILE *to, const char *name)
{
    static const struct mode {
        const char *name;
        int number;
        const char *text;
    } modes[] = {
#define MODE(name, number, text) {#name, number, text},
#include "fields/wire_names.def"
    };
    const char *before = ": ";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, name) == 0) {
            fprintf(to, "%s%d %s", before, modes[i].number, modes[i].text);
            before = ", ";
        }
}

const char *generation_words(enum armtap_generation generation)
{
    static const char *const words[] = {
        [ARMTAP_GENERATION_UNKNOWN] = "",
        [ARMTAP_GENERATION_CB2] = "CB2",
        [ARMTAP_GENERATION_CB3E] = "CB3, e-Series",
        [ARMTAP_GENERATION_AUBO] = "AUBO",
    };
    return words[generation];
}

/* The table that a line begins; NULL for other lines. */
static const struct table *table_of(const char *line, bool *begins)
{
    *begins = strncmp(line, BEGIN, strlen(BEGIN)) == 0;
    if (!*begins)
        return NULL;
    const char *name = line + strlen(BEGIN), *end = strstr(name, " -->\n");
    for (size_t i = 0; end && i < sizeof tables / sizeof *tables; i++)
        if (strlen(tables[i].name) == (size_t)(end - name) && memcmp(tables[i].name, name, (size_t)(end - name)) == 0)
            return &tables[i];
    return NULL;
}

static bool skip_old_table(FILE *page, char *line)
{
    while (fgets(line, LINE_MOST, page))
        if (strcmp(line, END) == 0)
            return true;
    return false;
}

/* Returns what is wrong with the page, or NULL. */
static const char *remake(FILE *page, FILE *to)
{
    char line[LINE_MOST];
    while (fgets(line, sizeof line, page)) {
        bool begins;
        const struct table *table = table_of(line, &begins);
        fputs(line, to);
        if (!begins)
            continue;
        if (!table)
            return "the line that begins a table";
        fputc('\n', to);
        table->put(to);
        fputs("\n" END, to);
        if (!skip_old_table(page, line))
            return table->name;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    FILE *page = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!page) {
        fprintf(stderr, "usage: %s PAGE\n", argv[0]);
        return 2;
    }
    const char *problem = remake(page, stdout);
    if (problem)
        fprintf(stderr, "%s: unknown table, or its end is missing: %s\n", argv[1], problem);
    fclose(page);
    return problem || fflush(stdout) != 0 || ferror(stdout) ? 2 : 0;
}
