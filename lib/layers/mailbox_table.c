#include "mailbox_script.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const releases[] = {
#define RELEASE(code, text) text,
#include "ur_rtde_releases.def"
};

const char *armtap_ur_rtde_first(armtap_ur_rtde_set set)
{
    unsigned release = 0;
    while (release + 1 < ARMTAP_UR_RTDE_RELEASES && !(set >> release & 1))
        release++;
    return releases[release];
}

const char *armtap_ur_rtde_last(armtap_ur_rtde_set set)
{
    unsigned release = ARMTAP_UR_RTDE_RELEASES - 1;
    while (release > 0 && !(set >> release & 1))
        release--;
    return releases[release];
}

#define RANGE(first, last) ((UINT64_C(1) << ARMTAP_UR_RTDE_##last << 1) - (UINT64_C(1) << ARMTAP_UR_RTDE_##first))

/* ---- recipes ----------------------------------------------------------------------------------------------------- */

struct recipe_row {
    enum armtap_ur_rtde_side side;
    armtap_ur_rtde_set releases;
    unsigned id;
    const char *fields;
};

static const struct recipe_row recipes[] = {
#define CONTROL(first, last, id, fields) {ARMTAP_UR_RTDE_CONTROL, RANGE(first, last), id, fields},
#define IO(first, last, id, fields) {ARMTAP_UR_RTDE_IO, RANGE(first, last), id, fields},
#include "ur_rtde_recipes.def"
};

/* Old controllers lack it, and since 1.5.9 clients may leave it out. */
static const char optional[] = "I0 external_force_torque";

static unsigned read_number(const char **at)
{
    unsigned number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        number = number * 10 + (unsigned)(**at - '0');
    return number;
}

bool armtap_ur_rtde_next_fields(const char **fields, unsigned offset, struct armtap_ur_rtde_wanted *wanted)
{
    const char *at = *fields;
    size_t length = strcspn(at, " ");
    if (length == 0)
        return false;
    *fields = at[length] == ' ' ? at + length + 1 : at + length;
    if (*at != 'I' && *at != 'D') {
        const struct armtap_field *field = armtap_field_find(at, length);
        *wanted = (struct armtap_ur_rtde_wanted){field ? field->id : ARMTAP_FIELD_COUNT, 1};
        return true;
    }
    unsigned base = *at == 'I' ? ARMTAP_ID_input_int_register : ARMTAP_ID_input_double_register;
    at++;
    unsigned first = read_number(&at), last = first;
    if (*at == '-') {
        at++;
        last = read_number(&at);
    }
    *wanted = (struct armtap_ur_rtde_wanted){base + offset + first, last - first + 1};
    return true;
}

static bool has_fields(const struct armtap_recipe *recipe, const char *fields, unsigned offset)
{
    struct armtap_ur_rtde_wanted wanted;
    size_t at = 0;
    while (armtap_ur_rtde_next_fields(&fields, offset, &wanted))
        for (unsigned i = 0; i < wanted.count; i++, at++) {
            const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, at);
            if (!entry || !entry->field || entry->field->id != (enum armtap_field_id)(wanted.id + i))
                return false;
        }
    return at == armtap_recipe_count(recipe);
}

armtap_ur_rtde_set armtap_ur_rtde_recipe(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, unsigned id,
                                         const struct armtap_recipe *recipe, unsigned offset)
{
    armtap_ur_rtde_set fitting = 0;
    for (size_t i = 0; i < COUNT(recipes); i++) {
        const struct recipe_row *row = &recipes[i];
        if (row->side == side && row->id == id && (row->releases & set) && has_fields(recipe, row->fields, offset))
            fitting |= row->releases;
    }
    return fitting & set;
}

/* Of a field in a package. */
static size_t field_bytes(const struct armtap_field *field)
{
    size_t width = field->type == ARMTAP_DOUBLE ? 8 : field->type == ARMTAP_UINT8 ? 1 : 4;
    return width * field->count;
}

static size_t recipe_bytes(const char *fields)
{
    struct armtap_ur_rtde_wanted wanted;
    size_t bytes = 0;
    while (armtap_ur_rtde_next_fields(&fields, 0, &wanted))
        bytes += wanted.count * field_bytes(armtap_field_at(wanted.id));
    return bytes;
}

armtap_ur_rtde_set armtap_ur_rtde_sized(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, unsigned id,
                                        size_t bytes)
{
    armtap_ur_rtde_set fitting = 0;
    for (size_t i = 0; i < COUNT(recipes); i++)
        if (recipes[i].side == side && recipes[i].id == id && (recipes[i].releases & set) &&
            recipe_bytes(recipes[i].fields) == bytes)
            fitting |= recipes[i].releases;
    return fitting & set;
}

const char *armtap_ur_rtde_fields(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, unsigned id)
{
    for (size_t i = 0; i < COUNT(recipes); i++)
        if (recipes[i].side == side && recipes[i].id == id && (recipes[i].releases & set))
            return recipes[i].fields;
    return NULL;
}

armtap_ur_rtde_set armtap_ur_rtde_clearers(unsigned recipe_id)
{
    armtap_ur_rtde_set with = 0, before = 0;
    for (size_t i = 0; i < COUNT(recipes); i++) {
        const struct recipe_row *row = &recipes[i];
        if (row->side != ARMTAP_UR_RTDE_CONTROL || strcmp(row->fields, "I0") != 0)
            continue;
        with |= row->id == recipe_id ? row->releases : 0;
        before |= row->id < recipe_id ? row->releases : 0;
    }
    return with & ~before;
}

armtap_ur_rtde_set armtap_ur_rtde_complete(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, uint64_t ids)
{
    for (size_t i = 0; i < COUNT(recipes); i++)
        if (recipes[i].side == side && !(ids >> recipes[i].id & 1) && strcmp(recipes[i].fields, optional) != 0)
            set &= ~recipes[i].releases;
    return set;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

#define RELEASE(first) (ARMTAP_UR_RTDE_ALL & ~((UINT64_C(1) << ARMTAP_UR_RTDE_##first) - 1))
#define NEVER 0
static const struct armtap_ur_rtde_row rows[] = {
#define OPERATION(code, text, waits, seconds)                                                                          \
    {ARMTAP_UR_RTDE_OPERATION, .operation = #code, .name = (text), .no_wait = (waits), .usual = (seconds)},
#define ROW(kind, text, its_unit, from, number) {ARMTAP_UR_RTDE_##kind, NULL, text, its_unit, from, number, 0, 0, 0},
#define DOUBLES(name, unit, first, count) ROW(DOUBLES, name, unit, first, count)
#define DOUBLES_OF(of, name, unit, first, count) {ARMTAP_UR_RTDE_DOUBLES, NULL, name, unit, first, count, of, 0, 0},
#define INTEGERS(name, first, count) ROW(INTEGERS, name, "", first, count)
#define FLAG(name, first) ROW(FLAG, name, "", first, 1)
#define FIELDS() ROW(FIELDS, NULL, "", 0, 0)
#define RESULT_DOUBLES(name, unit, count) ROW(RESULT_DOUBLES, name, unit, 0, count)
#define RESULT_INTEGER(name, first) ROW(RESULT_INTEGER, name, "", first, 1)
#define RESULT_FLAG(name) ROW(RESULT_FLAG, name, "", 1, 1)
#define PROGRESS(name, first) ROW(PROGRESS, name, "", first, 1)
#include "ur_rtde_operations.def"
    {ARMTAP_UR_RTDE_END, NULL, NULL, NULL, 0, 0, 0, 0, 0}};
#undef ROW

/* ---- codes ------------------------------------------------------------------------------------------------------- */

struct command_row {
    enum armtap_ur_rtde_side side;
    armtap_ur_rtde_set releases;
    int32_t code;
    const char *operation;
    unsigned recipe_id;
};

static const struct command_row commands[] = {
#define COMMAND(side, first, last, code, operation, recipe_id)                                                         \
    {ARMTAP_UR_RTDE_##side, RANGE(first, last), code, #operation, recipe_id},
#define CONTROL(...) COMMAND(CONTROL, __VA_ARGS__)
#define IO(...) COMMAND(IO, __VA_ARGS__)
#include "ur_rtde_commands.def"
#undef COMMAND
};

static const struct armtap_ur_rtde_row *operation(const char *id)
{
    const struct armtap_ur_rtde_row *row = rows;
    while (row->place != ARMTAP_UR_RTDE_END &&
           (row->place != ARMTAP_UR_RTDE_OPERATION || strcmp(row->operation, id) != 0))
        row++;
    return row;
}

static size_t value_count(const struct armtap_ur_rtde_row *operation)
{
    size_t count = 0;
    while (operation[count + 1].place != ARMTAP_UR_RTDE_OPERATION && operation[count + 1].place != ARMTAP_UR_RTDE_END)
        count++;
    return count;
}

/* Whether two are one function: some were renamed. */
static bool is_same(const struct armtap_ur_rtde_row *one, const struct armtap_ur_rtde_row *other)
{
    return strcmp(one->name, other->name) == 0 && value_count(one) == value_count(other);
}

size_t armtap_ur_rtde_meanings(enum armtap_ur_rtde_side side, armtap_ur_rtde_set set, int32_t code,
                               struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS])
{
    size_t count = 0, place;
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (commands[i].code != code || commands[i].side != side || !(commands[i].releases & set))
            continue;
        const struct armtap_ur_rtde_row *row = operation(commands[i].operation);
        for (place = 0; place < count && !is_same(meanings[place].row, row); place++)
            ;
        if (place == ARMTAP_UR_RTDE_MEANINGS)
            continue;
        if (place == count)
            meanings[count++] = (struct armtap_ur_rtde_meaning){row, 0};
        meanings[place].releases |= commands[i].releases & set;
    }
    return count;
}

armtap_ur_rtde_set armtap_ur_rtde_writers(enum armtap_ur_rtde_side side, int32_t code, unsigned recipe_id)
{
    armtap_ur_rtde_set writers = 0;
    for (size_t i = 0; i < COUNT(commands); i++)
        if (commands[i].code == code && commands[i].side == side && commands[i].recipe_id == recipe_id)
            writers |= commands[i].releases;
    return writers;
}

/* Codes that a client writes, but for which a script has no branch. */
static bool has_branch(const struct command_row *row)
{
    static const char *const without[] = {"SET_INPUT_INT_REGISTER", "SET_INPUT_DOUBLE_REGISTER",
                                          "SET_EXTERNAL_FORCE_TORQUE"};
    for (size_t i = 0; i < COUNT(without); i++)
        if (strcmp(row->operation, without[i]) == 0)
            return false;
    return row->side == ARMTAP_UR_RTDE_CONTROL;
}

armtap_ur_rtde_set armtap_ur_rtde_scripts(const uint64_t branches[ARMTAP_UR_RTDE_BRANCHES])
{
    armtap_ur_rtde_set with[ARMTAP_UR_RTDE_BRANCHES * 64] = {0}, scripts = ARMTAP_UR_RTDE_ALL;
    for (size_t i = 0; i < COUNT(commands); i++)
        if ((size_t)commands[i].code < COUNT(with) && has_branch(&commands[i]))
            with[commands[i].code] |= commands[i].releases;
    for (unsigned code = 1; code < COUNT(with); code++)
        if (with[code] && code != 44) /* 1.3.6 writes 44, but has no branch for it */
            scripts &= branches[code / 64] >> (code % 64) & 1 ? with[code] : ~with[code];
    return scripts;
}

armtap_ur_rtde_set armtap_ur_rtde_with_status(armtap_ur_rtde_set set)
{
    return set & RANGE(1_5_6, 1_6_0);
}

bool armtap_ur_rtde_has_branch(int32_t code)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (commands[i].code == code && has_branch(&commands[i]))
            return true;
    return false;
}

armtap_ur_rtde_set armtap_ur_rtde_with_offset(armtap_ur_rtde_set set)
{
    return set & RANGE(1_3_9, 1_6_0);
}

bool armtap_ur_rtde_is_stop(const struct armtap_ur_rtde_row *row)
{
    static const char *const stops[] = {"PROTECTIVE_STOP", "STOP", "STOP_SCRIPT"};
    for (size_t i = 0; i < COUNT(stops); i++)
        if (strcmp(row->operation, stops[i]) == 0)
            return true;
    return false;
}

bool armtap_ur_rtde_may_hide(const struct armtap_ur_rtde_row *row)
{
    return strcmp(row->operation, "GET_ACTUAL_TOOL_FLANGE_POSE") == 0;
}
