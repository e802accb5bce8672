/* Tables of ur_rtde's commands in RTDE registers: by release, with their recipes and values. */
#include "tables.h"

#include <string.h>

#include "layers/mailbox_script.h"

enum side { CONTROL_SIDE, IO_SIDE };
static const char *const sides[] = {[CONTROL_SIDE] = "Control", [IO_SIDE] = "IO"};

static const char *const releases[] = {
#define RELEASE(code, text) text,
#include "layers/ur_rtde_releases.def"
};
#define RELEASES (sizeof releases / sizeof *releases)

static const struct recipe {
    enum side side;
    unsigned first, last;
    unsigned id;
    const char *fields;
} recipes[] = {
#define CONTROL(first, last, id, fields) {CONTROL_SIDE, ARMTAP_UR_RTDE_##first, ARMTAP_UR_RTDE_##last, id, fields},
#define IO(first, last, id, fields) {IO_SIDE, ARMTAP_UR_RTDE_##first, ARMTAP_UR_RTDE_##last, id, fields},
#include "layers/ur_rtde_recipes.def"
};

static const struct command {
    enum side side;
    unsigned first, last;
    int code;
    const char *operation;
    unsigned recipe;
} commands[] = {
#define ROW(side, first, last, code, operation, recipe)                                                                \
    {side, ARMTAP_UR_RTDE_##first, ARMTAP_UR_RTDE_##last, code, #operation, recipe},
#define CONTROL(...) ROW(CONTROL_SIDE, __VA_ARGS__)
#define IO(...) ROW(IO_SIDE, __VA_ARGS__)
#include "layers/ur_rtde_commands.def"
#undef ROW
};
#define COMMANDS (sizeof commands / sizeof *commands)

/* A value of an operation; the operation itself, if `name` is NULL. */
static const struct value {
    const char *operation, *function; /* both NULL: of the operation before */
    const char *name, *unit, *registers;
    unsigned first, count;
} values[] = {
#define ROW(name, unit, registers, first, count) {NULL, NULL, name, unit, registers, first, count},
#define OPERATION(code, name, waits, usual) {#code, name, NULL, NULL, NULL, 0, 0},
#define DOUBLES(name, unit, first, count) ROW(name, unit, "iD", first, count)
#define DOUBLES_OF(of, name, unit, first, count) ROW(name, unit, "of " #of " doubles: iD", first, count)
#define INTEGERS(name, first, count) ROW(name, "", "iI", first, count)
#define FLAG(name, first) ROW(name, "0 or 1", "iI", first, 1)
#define FIELDS() ROW("the fields of the recipe", "", "", 0, 0)
#define RESULT_DOUBLES(name, unit, count) ROW(name, unit, "oD", 0, count)
#define RESULT_INTEGER(name, first) ROW(name, "", "oI", first, 1)
#define RESULT_FLAG(name) ROW(name, "0 or 1", "oI", 1, 1)
#define PROGRESS(name, first) ROW(name, "", "oI", first, 1)
#include "layers/ur_rtde_operations.def"
#undef ROW
};
#define VALUES (sizeof values / sizeof *values)

/* The fields of the recipe that carries a command in a release. */
static const char *fields_of(const struct command *command, unsigned release)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (recipes[i].side == command->side && recipes[i].id == command->recipe && recipes[i].first <= release &&
            recipes[i].last >= release)
            return recipes[i].fields;
    return "";
}

static size_t operation_of(const char *name)
{
    size_t i = 0;
    while (i < VALUES && (!values[i].operation || strcmp(values[i].operation, name) != 0))
        i++;
    return i;
}

/* What the client gives, or what the script answers: the values whose registers begin with that letter or not. */
static void put_values(FILE *to, size_t operation, bool results)
{
    const char *before = "";
    for (size_t i = operation + 1; i < VALUES && values[i].name; i++) {
        const struct value *value = &values[i];
        if ((*value->registers == 'o' && value->registers[1] != 'f') != results)
            continue;
        fprintf(to, "%s%s", before, value->registers);
        before = "; ";
        if (value->count > 0)
            fprintf(to, "%u", value->first);
        if (value->count > 1)
            fprintf(to, "-%u", value->first + value->count - 1);
        fprintf(to, "%s%s", value->count > 0 ? " " : "", value->name);
        if (*value->unit)
            fprintf(to, " (%s)", value->unit);
    }
}

void put_ur_rtde_commands(FILE *to)
{
    fputs("| code | command | function | by | recipe | fields of the recipe | values | results |\n"
          "|---:|---|---|---|---:|---|---|---|\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++) {
        const struct command *command = &commands[i];
        size_t operation = operation_of(command->operation);
        if (command->last + 1 < RELEASES)
            continue;
        fprintf(to, "| %d | %s | %s | %s | %u | %s | ", command->code, command->operation,
                operation < VALUES ? values[operation].function : "", sides[command->side], command->recipe,
                fields_of(command, command->last));
        put_values(to, operation, false);
        fputs(" | ", to);
        put_values(to, operation, true);
        fputs(" |\n", to);
    }
}

/* Whether the rows of a command and of the next one are one: the same, without a release between them. */
static bool continues(const struct command *command, const struct command *next)
{
    return next < commands + COMMANDS && next->side == command->side && next->code == command->code &&
           next->recipe == command->recipe && next->first == command->last + 1 &&
           strcmp(next->operation, command->operation) == 0;
}

static void put_span(FILE *to, const struct command *command, unsigned first, unsigned last)
{
    fprintf(to, "| %d | %s | %s | %s", command->code, command->operation, sides[command->side], releases[first]);
    if (last != first)
        fprintf(to, " to %s", releases[last]);
    fprintf(to, " | %u | %s |\n", command->recipe, fields_of(command, last));
}

void put_ur_rtde_history(FILE *to)
{
    fputs("| code | command | by | releases | recipe | fields of the recipe |\n|---:|---|---|---|---:|---|\n", to);
    for (const struct command *command = commands; command < commands + COMMANDS; command++) {
        unsigned first = command->first, last = command->last;
        while (continues(command, command + 1))
            last = (++command)->last;
        for (unsigned release = first; release <= last; release++)
            if (release == last || strcmp(fields_of(command, release), fields_of(command, release + 1)) != 0) {
                put_span(to, command, first, release);
                first = release + 1;
            }
    }
}
