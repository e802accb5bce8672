/* The dictionary, compared with facts from other sources (data/); the state; recipes as objects. */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table/field.h"
#include "protocol/note.h"
#include "protocol/port.h"
#include "table/recipe.h"
#include "inside.h"

/* ---- the table against the facts ---- */

struct seen {
    bool field[ARMTAP_FIELD_COUNT];
};

static size_t entry_of(const struct armtap_recipe *recipe, const char *name)
{
    size_t i = 0;
    while (i < armtap_recipe_count(recipe) && strcmp(armtap_recipe_at(recipe, i)->name, name) != 0)
        i++;
    return i;
}

static void check_layout_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct seen *seen = user;
    struct armtap_recipe *recipe;
    assert_int_equal(count, 4);
    size_t size = strtoul(cells[0], NULL, 10), offset = strtoul(cells[1], NULL, 10);
    unsigned elements = (unsigned)strtoul(cells[3], NULL, 10), column = (unsigned)(1 + (offset - 4) / 8);
    const struct armtap_field *field = field_named(cells[2]);
    seen->field[field->id] = true;
    assert_int_equal(field->count, elements);
    assert_int_equal(size <= 812 ? field->column_cb2 : field->column_cb3e, column);
    assert_int_equal(armtap_recipe_realtime(size, &recipe), ARMTAP_OK);
    assert_int_equal(armtap_recipe_size(recipe), size - 4);
    size_t i = entry_of(recipe, cells[2]);
    const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
    if (!entry)
        fail_msg("packets of %zu bytes: %s is in tests/unit/data/realtime_layout.csv, but not in the layout that "
                 "follows from lib/armtap-fields.h",
                 size, cells[2]);
    assert_ptr_equal(entry->field, field);
    assert_int_equal(entry->offset, offset - 4);
    assert_int_equal(entry->wire_size, 8 * elements);
    assert_int_equal(entry->count, elements);
    armtap_recipe_release(recipe);
}

static void check_variable_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct seen *seen = user;
    const struct armtap_field *field = field_named(cells[0]);
    assert_int_equal(count, 5);
    seen->field[field->id] = true;
    const char *direction = field->direction == ARMTAP_FIELD_OUTPUT  ? "output"
                            : field->direction == ARMTAP_FIELD_INPUT ? "input"
                            : field->direction == ARMTAP_FIELD_BOTH  ? "both"
                                                                     : "legacy";
    assert_string_equal(direction, cells[1]);
    assert_string_equal(armtap_type_name(field->type, field->count), cells[3]);
    assert_int_equal(field->count, strtoul(cells[4], NULL, 10));
}

/* A value of the primary interface, delivered as a field, an element "_N" of one, or a bit ".bitN". */
static void check_primary_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct seen *seen = user;
    char name[80];
    assert_int_equal(count, 8);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(cells[7], "."), cells[7]);
    size_t length = strlen(name);
    if (strcmp(name, "-") == 0)
        return;
    if (!armtap_field_find(name, length) && length > 2 && name[length - 2] == '_')
        name[length - 2] = '\0';
    const struct armtap_field *field = field_named(name);
    bool is_own = strncmp(name, "primary_", 8) == 0;
    seen->field[field->id] |= is_own;
    assert_int_equal(field->direction == ARMTAP_FIELD_PRIMARY, is_own);
}

static void test_every_fact_is_in_the_table_and_back(void **unused)
{
    struct seen seen = {{false}};
    (void)unused;
    assert_true(table_each("realtime_layout.csv", check_layout_row, &seen) > 0);
    assert_true(table_each("rtde_variables.csv", check_variable_row, &seen) > 0);
    assert_true(table_each("primary_layout.csv", check_primary_row, &seen) > 0);
    for (unsigned id = 0; id < armtap_field_count(); id++)
        if (!seen.field[id])
            fail_msg("%s is in lib/armtap-fields.h, but not in tests/unit/data/rtde_variables.csv, "
                     "realtime_layout.csv or primary_layout.csv",
                     armtap_field_at(id)->name);
}

/* ---- the ABI ----------------------------------------------------------------------------------------------------- */

/* Ids and offsets are part of the ABI: a row of frozen_fields.csv never changes, and a new field is a new last row.
 * Offsets are those of machines with 8-byte alignment. */
static void check_frozen_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    size_t *id = user;
    const struct armtap_field *field = armtap_field_at(*id);
    assert_int_equal(count, 5);
    assert_int_equal(strtoul(cells[0], NULL, 10), *id);
    if (!field || strcmp(field->name, cells[1]) != 0)
        fail_msg("field %zu is %s, and was %s: a new field is a row at the END of lib/armtap-fields.h", *id,
                 field ? field->name : "missing", cells[1]);
    if (strcmp(armtap_type_name(field->type, 1), cells[2]) != 0 || field->count != strtoul(cells[3], NULL, 10) ||
        (_Alignof(uint64_t) == 8 && field->offset != strtoul(cells[4], NULL, 10)))
        fail_msg("%s: %s of %u at offset %u, and was %s of %s at %s: programs built before would break", cells[1],
                 armtap_type_name(field->type, 1), field->count, field->offset, cells[2], cells[3], cells[4]);
    ++*id;
}

static void test_ids_and_offsets_stay(void **unused)
{
    size_t id = 0;
    (void)unused;
    table_each("frozen_fields.csv", check_frozen_row, &id);
    const struct armtap_field *field = armtap_field_at(id);
    if (field)
        fail_msg("add to tests/unit/data/frozen_fields.csv: %zu,%s,%s,%u,%u", id, field->name,
                 armtap_type_name(field->type, 1), field->count, field->offset);
}

/* A field of a size, looked for in the layout file. */
struct layout_search {
    size_t size;
    const char *name;
    bool found;
    size_t rows; /* of that size */
};

static void look_at_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct layout_search *search = user;
    (void)count;
    search->rows += strtoul(cells[0], NULL, 10) == search->size;
    search->found =
        search->found || (strtoul(cells[0], NULL, 10) == search->size && strcmp(cells[2], search->name) == 0);
}

static void test_a_layout_holds_no_more_than_the_facts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < legacy_size_count(); i++) {
        const struct armtap_recipe_entry *entry;
        struct armtap_recipe *recipe;
        assert_int_equal(armtap_recipe_realtime(legacy_size(i), &recipe), ARMTAP_OK);
        size_t rows = 0;
        for (size_t k = 0; (entry = armtap_recipe_at(recipe, k)); k++) {
            struct layout_search search = {.size = legacy_size(i), .name = entry->name};
            table_each("realtime_layout.csv", look_at_row, &search);
            if (!search.found)
                fail_msg("packets of %zu bytes: %s is in the layout that follows from lib/armtap-fields.h, but not in "
                         "tests/unit/data/realtime_layout.csv",
                         search.size, entry->name);
            rows = search.rows;
        }
        assert_int_equal(rows, armtap_recipe_count(recipe));
        assert_int_equal(armtap_recipe_protocol(recipe), ARMTAP_REALTIME);
        armtap_recipe_release(recipe);
    }
}

static void test_columns_find_their_fields(void **unused)
{
    unsigned last = (unsigned)(legacy_size(legacy_size_count() - 1) - 4) / 8;
    (void)unused;
    assert_string_equal(armtap_field_at_column(ARMTAP_GENERATION_CB2, 74)->name, "actual_TCP_pose");
    assert_string_equal(armtap_field_at_column(ARMTAP_GENERATION_CB2, 80)->name, "target_TCP_speed");
    assert_string_equal(armtap_field_at_column(ARMTAP_GENERATION_CB3E, 74)->name, "target_TCP_pose");
    assert_string_equal(armtap_field_at_column(ARMTAP_GENERATION_CB3E, 80)->name, "target_TCP_speed");
    assert_string_equal(armtap_field_at_column(ARMTAP_GENERATION_CB3E, 104)->name, "rt_104");
    assert_null(armtap_field_at_column(ARMTAP_GENERATION_CB3E, 75));
    assert_null(armtap_field_at_column(ARMTAP_GENERATION_CB3E, 0));
    assert_null(armtap_field_at_column(ARMTAP_GENERATION_CB3E, last + 1));
    assert_null(armtap_field_at_column(ARMTAP_GENERATION_CB2, 102));
    assert_int_equal(armtap_layout_columns(ARMTAP_GENERATION_CB2), (812 - 4) / 8);
    assert_int_equal(armtap_layout_columns(ARMTAP_GENERATION_CB3E), last);
}

static void test_fields_do_not_share_their_place(void **unused)
{
    uint8_t *taken = calloc(1, sizeof(struct armtap_state));
    const size_t place = _Alignof(struct armtap_state);
    (void)unused;
    assert_non_null(taken);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        size_t length = armtap_type_width(field->type) * field->count;
        assert_int_equal(field->id, id);
        assert_true(field->offset >= sizeof(struct armtap_set));
        assert_true(field->offset + length <= sizeof(struct armtap_state));
        /* 32-bit x86 aligns a double in a struct to 4 bytes. */
        size_t width = armtap_type_width(field->type);
        assert_int_equal(field->offset % (width < place ? width : place), 0);
        for (size_t i = 0; i < length; i++)
            assert_int_equal(taken[field->offset + i]++, 0);
    }
    free(taken);
    assert_null(armtap_field_at(armtap_field_count()));
}

static void test_names_are_found_exactly(void **unused)
{
    (void)unused;
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        size_t length = strlen(field->name);
        char *exact = malloc(length + 1); /* one more byte, not a terminator */
        assert_non_null(exact);
        memcpy(exact, field->name, length);
        exact[length] = '7';
        assert_ptr_equal(armtap_field_find(exact, length), field);
        free(exact);
    }
    assert_null(armtap_field_find("actual_qq", 9));
    assert_null(armtap_field_find("actual_", 7));
    assert_null(armtap_field_find("", 0));
    assert_null(armtap_field_find("output_int_register_48", 22));
    assert_null(armtap_field_find("output_bit_register_63", 22));
    assert_null(armtap_field_find("output_int_register_01", 22));
    assert_null(armtap_field_find("ACTUAL_Q", 8));
    assert_null(armtap_field_find("actual_q\0", 9));
    assert_null(armtap_field_find("timestamp\0timestamp\0timestamp\0timestamp", 39));
}

static void test_register_families_are_arrays(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    struct armtap_value value;
    (void)unused;
    assert_non_null(state);
    state->output_int_register[47] = -5;
    state->input_bit_register[127 - 64] = 1;
    armtap_set_add(&state->known, ARMTAP_ID_output_int_register + 47);
    armtap_set_add(&state->known, ARMTAP_ID_input_bit_register + 63);
    armtap_state_get(state, field_named("output_int_register_47"), &value);
    assert_true(value.present);
    assert_int_equal(value.i64[0], -5);
    armtap_state_get(state, field_named("input_bit_register_127"), &value);
    assert_true(value.present);
    assert_int_equal(value.u64[0], 1);
    armtap_state_get(state, field_named("input_bit_register_126"), &value);
    assert_false(value.present);
    armtap_state_free(state);
}

/* ---- enumerations ---- */

static enum armtap_generation generation_named(const char *name)
{
    return strcmp(name, "cb2") == 0    ? ARMTAP_GENERATION_CB2
           : strcmp(name, "cb3e") == 0 ? ARMTAP_GENERATION_CB3E
           : strcmp(name, "aubo") == 0 ? ARMTAP_GENERATION_AUBO
                                       : ARMTAP_GENERATION_UNKNOWN;
}

/* As lib/table/enums.def writes it. */
static const char *generation_text(const struct armtap_enum_value *row)
{
    return row->is_bit                                 ? "bit"
           : row->generation == ARMTAP_GENERATION_CB2  ? "CB2"
           : row->generation == ARMTAP_GENERATION_CB3E ? "CB3E"
           : row->generation == ARMTAP_GENERATION_AUBO ? "AUBO"
                                                       : "UNKNOWN";
}

#define ENUM_ROWS 64 /* of one field, at most */

struct seen_values {
    bool row[ARMTAP_FIELD_COUNT][ENUM_ROWS];
};

/* The row of lib/table/enums.def for a row of the facts. */
static const struct armtap_enum_value *enum_row(struct seen_values *seen, const struct armtap_field *field,
                                                char *const cells[TABLE_CELLS])
{
    const struct armtap_enum_value *row;
    bool is_bit = strcmp(cells[1], "bit") == 0;
    for (size_t i = 0; (row = armtap_enum_at(field, i)); i++) {
        if (row->value != strtol(cells[2], NULL, 10) || row->is_bit != is_bit ||
            row->generation != generation_named(cells[1]))
            continue;
        seen->row[field->id][i] = true;
        return row;
    }
    fail_msg("%s: %s %s %s is in tests/unit/data/enums.csv, but not in lib/table/enums.def", cells[0], cells[1],
             cells[2], cells[3]);
    return NULL;
}

static void check_enum_row(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct seen_values *seen = user;
    const struct armtap_field *field = field_named(cells[0]);
    int64_t number = strtol(cells[2], NULL, 10);
    assert_int_equal(count, 4);
    const struct armtap_enum_value *row = enum_row(seen, field, cells);
    if (strcmp(row->name, cells[3]) != 0)
        fail_msg("%s: %s %s is %s in lib/table/enums.def, but %s in tests/unit/data/enums.csv", cells[0],
                 generation_text(row), cells[2], row->name, cells[3]);
    if (strcmp(cells[1], "bit") == 0) {
        assert_null(armtap_enum_name(field, number, ARMTAP_GENERATION_CB3E));
        return;
    }
    if (strcmp(cells[1], "aubo") == 0) {
        int64_t found = -99;
        assert_string_equal(armtap_enum_name(field, number, ARMTAP_GENERATION_AUBO), cells[3]);
        assert_true(armtap_enum_number(field, cells[3], strlen(cells[3]), ARMTAP_GENERATION_AUBO, &found));
        assert_int_equal(found, number);
        assert_false(armtap_enum_number(field, cells[3], strlen(cells[3]), ARMTAP_GENERATION_CB3E, &found));
        return;
    }
    if (strcmp(cells[1], "cb3e") != 0)
        assert_string_equal(armtap_enum_name(field, number, ARMTAP_GENERATION_CB2), cells[3]);
    if (strcmp(cells[1], "cb2") != 0)
        assert_string_equal(armtap_enum_name(field, number, ARMTAP_GENERATION_CB3E), cells[3]);
}

static void test_enumerations_are_those_of_the_facts(void **unused)
{
    static struct seen_values seen;
    const struct armtap_enum_value *row;
    (void)unused;
    assert_true(table_each("enums.csv", check_enum_row, &seen) > 0);
    for (unsigned id = 0; id < armtap_field_count(); id++)
        for (size_t i = 0; (row = armtap_enum_at(armtap_field_at(id), i)); i++)
            if (i >= ENUM_ROWS || !seen.row[id][i])
                fail_msg("%s: %s %" PRId64 " %s is in lib/table/enums.def, but not in tests/unit/data/enums.csv",
                         armtap_field_at(id)->name, generation_text(row), row->value, row->name);
}

/* Whether a number could mean both rows; UNKNOWN means CB2 and CB3E. */
static bool is_ambiguous(const struct armtap_enum_value *one, const struct armtap_enum_value *other)
{
    bool both_ur = one->generation != ARMTAP_GENERATION_AUBO && other->generation != ARMTAP_GENERATION_AUBO;
    bool any_unknown = one->generation == ARMTAP_GENERATION_UNKNOWN || other->generation == ARMTAP_GENERATION_UNKNOWN;
    return one->value == other->value && one->is_bit == other->is_bit &&
           (one->generation == other->generation || (both_ur && any_unknown));
}

static void test_a_number_occurs_once_per_generation(void **unused)
{
    const struct armtap_enum_value *one, *other;
    (void)unused;
    for (unsigned id = 0; id < armtap_field_count(); id++)
        for (size_t i = 0; (one = armtap_enum_at(armtap_field_at(id), i)); i++)
            for (size_t k = i + 1; (other = armtap_enum_at(armtap_field_at(id), k)); k++)
                if (is_ambiguous(one, other))
                    fail_msg("%s: %s %" PRId64 " is both %s and %s in lib/table/enums.def", armtap_field_at(id)->name,
                             generation_text(other), other->value, one->name, other->name);
}

static void test_one_number_means_two_things(void **unused)
{
    const struct armtap_field *mode = field_named("robot_mode");
    (void)unused;
    assert_string_equal(armtap_enum_name(mode, 0, ARMTAP_GENERATION_CB2), "RUNNING");
    assert_string_equal(armtap_enum_name(mode, 0, ARMTAP_GENERATION_CB3E), "DISCONNECTED");
    assert_string_equal(armtap_enum_name(mode, 7, ARMTAP_GENERATION_CB2), "NO_POWER");
    assert_string_equal(armtap_enum_name(mode, 7, ARMTAP_GENERATION_CB3E), "RUNNING");
    assert_null(armtap_enum_name(mode, 7, ARMTAP_GENERATION_UNKNOWN));
    assert_null(armtap_enum_name(mode, 99, ARMTAP_GENERATION_CB3E));
    assert_null(armtap_enum_name(field_named("actual_q"), 0, ARMTAP_GENERATION_CB3E));
    assert_null(armtap_enum_at(field_named("actual_q"), 0));
}

/* The shortest of several times that 10,000 look-ups of row i took. */
static clock_t lookup_time(const struct armtap_field *field, size_t i, bool exists)
{
    clock_t least = 0;
    for (int round = 0; round < 25; round++) {
        clock_t begin = clock();
        for (int k = 0; k < 10000; k++)
            assert_true((armtap_enum_at(field, i) != NULL) == exists);
        clock_t took = clock() - begin;
        least = round == 0 || took < least ? took : least;
    }
    return least;
}

/* A row is as near as the first one, wherever the enumeration stands in the table. Going through it takes 20 times as
 * long. */
static void test_rows_are_looked_up(void **unused)
{
    clock_t first = lookup_time(field_named("robot_mode"), 0, true);
    (void)unused;
    for (unsigned id = 0; id < armtap_field_count(); id += 7) {
        clock_t beyond = lookup_time(armtap_field_at(id), ENUM_ROWS, false);
        if (beyond > 5 * first + 5)
            fail_msg("%s: %ld us, not about %ld", armtap_field_at(id)->name, (long)beyond, (long)first);
    }
}

/* MAT-files hold the values as int32. */
static void test_values_are_small(void **unused)
{
    const struct armtap_enum_value *row;
    (void)unused;
    for (unsigned id = 0; id < armtap_field_count(); id++)
        for (size_t i = 0; (row = armtap_enum_at(armtap_field_at(id), i)); i++)
            assert_true(row->value >= INT32_MIN && row->value <= INT32_MAX);
}

/* Whether a generation has the value that `own` calls by that number. */
static bool has_value(const char *field, int64_t number, enum armtap_generation own, enum armtap_generation asked)
{
    const struct armtap_enum_value *row;
    for (size_t i = 0; (row = armtap_enum_at(field_named(field), i)); i++)
        if (row->value == number && row->generation == own)
            return armtap_enum_has(row, asked);
    fail_msg("%s has no such value", field);
    return false;
}

/* Robot mode 0 is another one in each generation; all have the bits. */
static void test_a_generation_has_its_values(void **unused)
{
    static const enum armtap_generation all[] = {ARMTAP_GENERATION_CB2, ARMTAP_GENERATION_CB3E, ARMTAP_GENERATION_AUBO};
    (void)unused;
    for (size_t own = 0; own < 3; own++)
        for (size_t asked = 0; asked < 3; asked++)
            assert_int_equal(has_value("robot_mode", 1, all[own], all[asked]), own == asked);
    assert_true(has_value("robot_mode", 1, ARMTAP_GENERATION_CB3E, ARMTAP_GENERATION_UNKNOWN));
    assert_false(has_value("robot_mode", 1, ARMTAP_GENERATION_CB2, ARMTAP_GENERATION_UNKNOWN));
    assert_true(has_value("runtime_state", 1, ARMTAP_GENERATION_UNKNOWN, ARMTAP_GENERATION_CB2));
    assert_false(has_value("runtime_state", 1, ARMTAP_GENERATION_UNKNOWN, ARMTAP_GENERATION_AUBO));
    assert_true(has_value("robot_status_bits", 0, ARMTAP_GENERATION_UNKNOWN, ARMTAP_GENERATION_AUBO));
}

/* ---- types, notes, errors, protocols ---- */

static void test_types_have_rtde_names(void **unused)
{
    enum armtap_type type;
    unsigned count;
    (void)unused;
    assert_string_equal(armtap_type_name(ARMTAP_DOUBLE, 6), "VECTOR6D");
    assert_string_equal(armtap_type_name(ARMTAP_DOUBLE, 3), "VECTOR3D");
    assert_string_equal(armtap_type_name(ARMTAP_UINT32, 6), "VECTOR6UINT32");
    assert_string_equal(armtap_type_name(ARMTAP_DOUBLE, 2), "");
    assert_string_equal(armtap_type_name(ARMTAP_STRING, 1), "");
    assert_true(armtap_type_find("VECTOR6INT32", 12, &type, &count));
    assert_int_equal(type, ARMTAP_INT32);
    assert_int_equal(count, 6);
    assert_false(armtap_type_find("NOT_FOUND", 9, &type, &count));
    assert_false(armtap_type_find("DOUBLE", 5, &type, &count));
}

static void test_notes_are_registered_once(void **unused)
{
    (void)unused;
    assert_true(armtap_note_count() >= 30);
    for (size_t i = 0; i < armtap_note_count(); i++) {
        const struct armtap_note_kind *kind = armtap_note_at(i);
        assert_true(strlen(kind->meaning) > 0);
        assert_true(strlen(kind->remedy) + strlen(kind->command) > 0 || kind->severity == ARMTAP_INFO);
        assert_int_equal(strlen(kind->offer) > 0, strlen(kind->command) > 0);
        assert_string_not_equal(armtap_severity_name(kind->severity), "");
        for (size_t k = 0; k < i; k++)
            assert_true(strcmp(kind->id, armtap_note_at(k)->id) != 0 || kind->severity != armtap_note_at(k)->severity);
    }
    assert_null(armtap_note_at(armtap_note_count()));
    assert_null(armtap_note_find("no.such.note"));
    assert_ptr_equal(armtap_note_find("rtde.field.not-found"), armtap_note_at(ARMTAP_NOTE_rtde_field_not_found));
    assert_string_equal(armtap_note_at(ARMTAP_NOTE_rtde_field_not_found)->id, "rtde.field.not-found");
    assert_int_equal(armtap_note_at(ARMTAP_NOTE_rtde_field_not_found)->severity, ARMTAP_ERROR);
}

static void test_lines_keep_utf8(void **unused)
{
    static const struct {
        const char *bytes, *shown;
    } texts[] = {
        {"Se\xc3\xb1or", "Se\xc3\xb1or"},
        {"\xe5\xae\x89\xe5\x85\xa8", "\xe5\xae\x89\xe5\x85\xa8"},
        {"\xf0\x9f\xa6\xbe", "\xf0\x9f\xa6\xbe"},
        {"a\tb\x1b[31m\x7f", "a\\x09b\\x1b[31m\\x7f"},
        {"Se\xf1or", "Se\\xf1or"}, /* Latin-1 */
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"},                                     /* C1: CSI */
        {"\xc2\xa0", "\xc2\xa0"},                              /* just beyond C1 */
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},                   /* reverses the text direction */
        {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},                   /* also */
        {"\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"}, /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                   /* half a surrogate pair */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},          /* beyond the last character */
        {"\xe5\xae", "\\xe5\\xae"},                            /* cut */
    };
    struct armtap_line line;
    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        armtap_line_begin(&line);
        armtap_line_span(&line, texts[i].bytes, strlen(texts[i].bytes));
        assert_string_equal(line.text, texts[i].shown);
    }
    /* A line is never cut within a character. */
    for (size_t begun = 0; begun < 4; begun++) {
        armtap_line_begin(&line);
        armtap_line_span(&line, "xxx", begun);
        for (int i = 0; i < 200; i++)
            armtap_line_span(&line, "\xe5\xae\x89", 3);
        assert_string_equal(line.text + line.length - 6, "\xe5\xae\x89...");
        assert_int_equal(strlen(line.text), line.length);
    }
}

static void test_lines_are_bounded(void **unused)
{
    struct armtap_line line;
    char long_text[1000];
    (void)unused;
    armtap_line_begin(&line);
    armtap_line_format(&line, "%s %u %d %x %b%%", "a", UINT64_MAX, INT64_MIN, UINT64_C(0x4f), (const void *)"\n\x7fq",
                       (size_t)3);
    assert_string_equal(line.text, "a 18446744073709551615 -9223372036854775808 0x4f \\x0a\\x7fq%");
    memset(long_text, 'y', sizeof long_text);
    for (size_t begun = 0; begun < sizeof line.text + 8; begun++) {
        armtap_line_begin(&line);
        armtap_line_span(&line, long_text, begun);
        armtap_line_span(&line, "\x01\x02\x03", 3);
        armtap_line_span(&line, long_text, 40);
        assert_true(strlen(line.text) < sizeof line.text);
        assert_int_equal(strlen(line.text), line.length);
        if (begun + 12 + 40 > sizeof line.text - 4)
            assert_string_equal(line.text + line.length - 3, "...");
    }
}

static void test_errors_and_protocols_have_names(void **unused)
{
    (void)unused;
    assert_string_equal(armtap_strerror(ARMTAP_ERR_STOPPED), "a callback asked to stop");
    assert_string_equal(armtap_strerror(-1000), "unknown error");
    assert_string_equal(armtap_strerror(0), "no error");
    char parts[32];
    snprintf(parts, sizeof parts, "%d.%d.%d", ARMTAP_VERSION_MAJOR, ARMTAP_VERSION_MINOR, ARMTAP_VERSION_PATCH);
    assert_string_equal(armtap_version(), parts);
    assert_string_equal(armtap_version(), ARMTAP_VERSION);
    assert_string_equal(armtap_protocol_name(ARMTAP_RTDE), "rtde");
    assert_int_equal(armtap_protocol_find("realtime"), ARMTAP_REALTIME);
    assert_int_equal(armtap_protocol_find("modbus"), ARMTAP_PROTOCOL_NONE);
    assert_null(armtap_protocol_name(ARMTAP_PROTOCOL_NONE));
    assert_string_equal(armtap_direction_name(ARMTAP_FROM_ROBOT), "from the robot");
    assert_string_equal(armtap_direction_name(ARMTAP_TO_ROBOT), "to the robot");
    struct armtap_port port = {.size = sizeof port};
    assert_true(armtap_port_at(0, &port));
    assert_int_equal(port.port, 30003);
    assert_int_equal(port.protocol, ARMTAP_REALTIME);
    assert_false(armtap_port_at(1000, &port));
    for (size_t i = 0; armtap_port_at(i, &port); i++)
        assert_int_equal(armtap_port_protocol(port.port), port.protocol);
    assert_int_equal(armtap_port_protocol(30013), ARMTAP_REALTIME);
    assert_int_equal(armtap_port_protocol(50004), ARMTAP_EXTERNAL_CONTROL);
    assert_int_equal(armtap_port_protocol(0), ARMTAP_PROTOCOL_NONE);
    assert_int_equal(armtap_port_protocol(80), ARMTAP_PROTOCOL_NONE);
}

/* The traits of each protocol, from the vendors' documents. */
static void test_protocols_are_described(void **unused)
{
    const unsigned ur = ARMTAP_TRAIT_UR_CYCLE;
    static const uint16_t realtime[] = {30003, 30013, 0}, rtde[] = {30004, 0}, aubo[] = {30010, 9013, 0},
                          primary[] = {30001, 30002, 30011, 30012, 0},
                          external_control[] = {50001, 50002, 50003, 50004, 0}, dashboard[] = {29999, 0};
    const struct {
        enum armtap_protocol protocol;
        const uint16_t *ports;
        unsigned traits, header;
    } facts[] = {
        {ARMTAP_REALTIME, realtime, ur | ARMTAP_TRAIT_UNASKED | ARMTAP_TRAIT_UR_COLUMNS, 4},
        {ARMTAP_RTDE, rtde, ur | ARMTAP_TRAIT_ANSWERED, 3},
        {ARMTAP_PRIMARY, primary, ARMTAP_TRAIT_UNASKED | ARMTAP_TRAIT_GATHERED | ARMTAP_TRAIT_BESIDE, 5},
        {ARMTAP_DASHBOARD, dashboard, ARMTAP_TRAIT_GATHERED | ARMTAP_TRAIT_BESIDE, 0},
        {ARMTAP_EXTERNAL_CONTROL, external_control,
         ARMTAP_TRAIT_GATHERED | ARMTAP_TRAIT_BESIDE | ARMTAP_TRAIT_ROBOT_CONNECTS, 0},
        {ARMTAP_AUBO, aubo, ARMTAP_TRAIT_TEXT | ARMTAP_TRAIT_CHANNELS | ARMTAP_TRAIT_ON_CHANGE | ARMTAP_TRAIT_OWN_NAMES,
         0},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const struct armtap_protocol_info *info = armtap_protocol_at(i);
        assert_non_null(info);
        assert_ptr_equal(armtap_protocol_info(info->protocol), info);
        assert_int_equal(info->size, sizeof *info);
        assert_int_equal(info->protocol, facts[i].protocol);
        assert_int_equal(info->traits, facts[i].traits);
        assert_int_equal(info->header, facts[i].header);
        for (size_t k = 0; k == 0 || facts[i].ports[k - 1] != 0; k++)
            assert_int_equal(info->ports[k], facts[i].ports[k]);
        for (unsigned bit = 1; bit <= ARMTAP_TRAIT_ROBOT_CONNECTS; bit *= 2)
            assert_int_equal(armtap_protocol_has(info->protocol, (enum armtap_trait)bit), (info->traits & bit) != 0);
        assert_true(strlen(info->name) > 0 && strlen(info->title) > 0 && strlen(info->description) > 0);
        if (!info->left_out)
            assert_int_equal(armtap_protocol_find(info->name), info->protocol);
    }
    const struct armtap_protocol_info *more = armtap_protocol_at(sizeof facts / sizeof *facts);
    if (more)
        fail_msg("%s has no row in the facts of this test", more->name);
    assert_null(armtap_protocol_info(ARMTAP_PROTOCOL_NONE));
    assert_null(armtap_protocol_info(ARMTAP_PROTOCOL_MAX));
    assert_false(armtap_protocol_has(ARMTAP_PROTOCOL_NONE, ARMTAP_TRAIT_TEXT));
}

static bool have_a_port_in_common(const struct armtap_protocol_info *one, const struct armtap_protocol_info *other)
{
    for (const uint16_t *port = one->ports; *port; port++)
        for (const uint16_t *same = other->ports; *same; same++)
            if (*port == *same)
                return true;
    return false;
}

/* Two decoders with one number, name or port would hide each other. */
static void test_protocols_differ(void **unused)
{
    const struct armtap_protocol_info *one, *other;
    (void)unused;
    for (size_t i = 0; (one = armtap_protocol_at(i)); i++)
        for (size_t k = 0; k < i; k++) {
            other = armtap_protocol_at(k);
            if (one->protocol == other->protocol)
                fail_msg("%s and %s both have the number %d", other->name, one->name, (int)one->protocol);
            if (strcmp(one->name, other->name) == 0)
                fail_msg("two protocols have the name %s", one->name);
            if (have_a_port_in_common(one, other))
                fail_msg("%s and %s have a port in common", other->name, one->name);
        }
}

/* A protocol that was left out has no port and cannot be found by number or name; its description says so. */
static void test_what_was_left_out_is_described(void **unused)
{
    const struct armtap_protocol_info *aubo = armtap_protocol_info(ARMTAP_AUBO);
    struct armtap_port port = {.size = sizeof port};
    bool has_port = false;
    (void)unused;
    for (size_t i = 0; armtap_port_at(i, &port); i++)
        has_port = has_port || port.protocol == ARMTAP_AUBO;
    assert_int_equal(armtap_port_protocol(30010) == ARMTAP_AUBO, has_port);
    assert_int_equal(armtap_port_protocol(9013) == ARMTAP_AUBO, has_port);
    assert_int_equal(has_port, armtap_aubo_libraries() != NULL);
    assert_int_equal(!aubo->left_out, armtap_aubo_libraries() != NULL);
    assert_int_equal(armtap_protocol_name(ARMTAP_AUBO) != NULL, !aubo->left_out);
}

/* Whether the file has a line that begins with `begin` and holds the text. */
static bool file_says(const char *name, const char *begin, const char *text)
{
    const char *folder = getenv("srcdir");
    char path[1024], line[4096];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!found && fgets(line, sizeof line, file))
        found = strncmp(line, begin, strlen(begin)) == 0 && strstr(line, text);
    fclose(file);
    return found;
}

/* The README's table names each protocol's ports, the manual its ports and its name. */
static void test_documents_name_the_protocols(void **unused)
{
    const struct armtap_protocol_info *info;
    (void)unused;
    for (size_t i = 0; (info = armtap_protocol_at(i)); i++) {
        assert_true(file_says("tools/manual/armtap-sources.7.in", ".", info->name));
        for (const uint16_t *port = info->ports; *port; port++) {
            char number[8];
            snprintf(number, sizeof number, "%u", *port);
            assert_true(file_says("README.md", "| ", number));
            assert_true(file_says("tools/manual/armtap-sources.7.in", "", number));
        }
    }
    assert_false(file_says("README.md", "| ", "40000"));
}

/* ---- the state ---- */

/* A value of the field's type whose elements differ and fit every type. */
static struct armtap_value some_value(const struct armtap_field *field, unsigned salt)
{
    struct armtap_value value = {.type = field->type, .count = field->count};
    for (unsigned i = 0; i < field->count; i++) {
        unsigned number = field->type == ARMTAP_BOOL ? salt % 2 : (salt + i) % 251;
        if (field->type == ARMTAP_DOUBLE)
            value.f64[i] = -0.5 - number;
        else if (field->type == ARMTAP_INT32)
            value.i64[i] = INT32_MIN + (int64_t)number;
        else if (field->type == ARMTAP_UINT32)
            value.u64[i] = UINT32_MAX - number;
        else if (field->type == ARMTAP_UINT64)
            value.u64[i] = UINT64_MAX - number;
        else
            value.u64[i] = number;
    }
    return value;
}

static void check_same_value(const struct armtap_state *state, const struct armtap_field *field,
                             const struct armtap_value *wanted)
{
    struct armtap_value value;
    armtap_state_get(state, field, &value);
    assert_true(value.present);
    assert_ptr_equal(value.field, field);
    assert_string_equal(value.name, field->name);
    assert_int_equal(value.type, wanted->type);
    assert_int_equal(value.count, wanted->count);
    assert_memory_equal(value.u64, wanted->u64, 8 * value.count);
}

static void test_every_field_is_set_and_read_back(void **unused)
{
    struct armtap_state *state = armtap_state_new(), *copy = armtap_state_new();
    (void)unused;
    assert_non_null(state);
    assert_non_null(copy);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        struct armtap_value value = some_value(armtap_field_at(id), id), before;
        armtap_state_get(state, armtap_field_at(id), &before);
        assert_false(before.present);
        assert_int_equal(armtap_state_set(state, armtap_field_at(id), &value), ARMTAP_OK);
    }
    armtap_state_copy(copy, state);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        struct armtap_value value = some_value(armtap_field_at(id), id);
        check_same_value(copy, armtap_field_at(id), &value);
    }
    armtap_state_clear(state);
    for (unsigned id = 0; id < armtap_field_count(); id++)
        assert_false(armtap_set_has(&state->known, id));
    armtap_state_free(state);
    armtap_state_free(copy);
    armtap_state_free(NULL);
}

static void test_setting_needs_the_fields_type(void **unused)
{
    struct armtap_state *state = armtap_state_new();
    struct armtap_value value = {.type = ARMTAP_DOUBLE, .count = 3, .f64 = {1, 2, 3}};
    (void)unused;
    assert_non_null(state);
    assert_int_equal(armtap_state_set(state, field_named("actual_q"), &value), ARMTAP_ERR_ARGUMENT);
    value.count = 6;
    assert_int_equal(armtap_state_set(state, field_named("joint_mode"), &value), ARMTAP_ERR_ARGUMENT);
    assert_false(armtap_set_has(&state->known, ARMTAP_ID_actual_q));
    assert_false(armtap_set_has(&state->known, ARMTAP_ID_joint_mode));
    assert_int_equal(armtap_state_set(state, field_named("actual_q"), &value), ARMTAP_OK);
    assert_true(state->actual_q[2] == 3);
    armtap_state_free(state);
}

static void test_merging_adds_what_the_other_knows(void **unused)
{
    struct armtap_state *a = armtap_state_new(), *b = armtap_state_new();
    (void)unused;
    assert_non_null(a);
    assert_non_null(b);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        struct armtap_value for_a = some_value(armtap_field_at(id), id),
                            for_b = some_value(armtap_field_at(id), id + 3);
        if (id % 3 != 0)
            armtap_state_set(a, armtap_field_at(id), &for_a);
        if (id % 3 != 1)
            armtap_state_set(b, armtap_field_at(id), &for_b);
    }
    armtap_state_merge(a, b);
    for (unsigned id = 0; id < armtap_field_count(); id++) {
        struct armtap_value wanted = some_value(armtap_field_at(id), id % 3 != 1 ? id + 3 : id);
        check_same_value(a, armtap_field_at(id), &wanted);
        assert_int_equal(armtap_set_has(&b->known, id), id % 3 != 1);
    }
    armtap_state_free(a);
    armtap_state_free(b);
}

static void test_sets_hold_each_id_by_itself(void **unused)
{
    struct armtap_set set = {{0}};
    (void)unused;
    for (unsigned id = 0; id < 1024; id += 3)
        armtap_set_add(&set, id);
    for (unsigned id = 0; id < 1024; id += 6)
        armtap_set_remove(&set, id);
    for (unsigned id = 0; id < 1024; id++)
        assert_int_equal(armtap_set_has(&set, id), id % 3 == 0 && id % 6 != 0);
}

/* ---- recipes as objects ---- */

static void test_rtde_recipes_from_lists(void **unused)
{
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_rtde(" timestamp, actual_q,\r\nmy_own ,", "DOUBLE,VECTOR6D,UINT8", &recipe), 0);
    assert_int_equal(armtap_recipe_count(recipe), 3);
    assert_int_equal(armtap_recipe_size(recipe), 8 + 48 + 1);
    assert_int_equal(armtap_recipe_protocol(recipe), ARMTAP_RTDE);
    assert_string_equal(armtap_recipe_at(recipe, 1)->name, "actual_q");
    assert_int_equal(armtap_recipe_at(recipe, 2)->offset, 56);
    assert_string_equal(armtap_recipe_at(recipe, 2)->name, "my_own");
    assert_null(armtap_recipe_at(recipe, 2)->field);
    assert_null(armtap_recipe_at(recipe, 3));
    struct armtap_recipe *held = armtap_recipe_hold(recipe);
    assert_ptr_equal(held, recipe);
    armtap_recipe_release(recipe);
    assert_int_equal(armtap_recipe_count(held), 3);
    armtap_recipe_release(held);
    armtap_recipe_release(NULL);
}

static void test_recipes_refuse_bad_arguments(void **unused)
{
    struct armtap_recipe *recipe = NULL;
    (void)unused;
    assert_int_equal(armtap_recipe_rtde("a,b", "DOUBLE", &recipe), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_rtde("a", "DOUBLE,DOUBLE", &recipe), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_rtde("a", "NOT_FOUND", &recipe), ARMTAP_ERR_TYPE);
    assert_null(recipe);
    assert_int_equal(armtap_recipe_rtde("a", "IN_USE", &recipe), ARMTAP_ERR_TYPE);
    assert_int_equal(armtap_recipe_rtde("a", "double", &recipe), ARMTAP_ERR_TYPE);
    assert_int_equal(armtap_recipe_rtde(NULL, "DOUBLE", &recipe), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_rtde("a", NULL, &recipe), ARMTAP_ERR_TYPE);
    assert_null(recipe);
    assert_int_equal(armtap_recipe_rtde("a", "DOUBLE", NULL), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_realtime(1220, NULL), ARMTAP_ERR_ARGUMENT);
}

/* What is wrong with two lists: "INDEX NAME TYPE MEANT". */
static const char *problem_of(const char *names, const char *types)
{
    static char said[128];
    struct armtap_recipe *recipe = NULL;
    struct armtap_recipe_problem problem = {.size = sizeof problem};
    int error = armtap_recipe_rtde(names, types, &recipe);
    assert_int_equal(armtap_recipe_rtde_problem(names, types, &problem), error);
    assert_int_equal(problem.error, error);
    armtap_recipe_release(recipe);
    snprintf(said, sizeof said, "%zu %.*s %.*s %s", problem.index, problem.name ? (int)problem.name_length : 1,
             problem.name ? problem.name : "-", problem.type ? (int)problem.type_length : 1,
             problem.type ? problem.type : "-", problem.meant ? problem.meant->name : "-");
    return said;
}

static void test_the_name_that_is_wrong_is_said(void **unused)
{
    struct armtap_recipe_problem problem = {.size = sizeof problem - 1};
    (void)unused;
    assert_string_equal(problem_of("timestamp,actual_q", NULL), "0 - - -");
    assert_string_equal(problem_of("timestamp, actual_Q ,wrong", NULL), "1 actual_Q - actual_q");
    assert_string_equal(problem_of("timestamp,entirely_other", NULL), "1 entirely_other - -");
    assert_string_equal(problem_of("timestamp,,actual_q", NULL), "1  - -");
    assert_string_equal(problem_of("rt_94", NULL), "0 rt_94 - -");
    assert_string_equal(problem_of("a,b,c", "DOUBLE, VECTOR7D,DOUBLE"), "1 b VECTOR7D -");
    assert_string_equal(problem_of("a,b", "DOUBLE"), "1 b - -");
    assert_string_equal(problem_of("a", "DOUBLE,INT32"), "1 - INT32 -");
    assert_string_equal(problem_of("", NULL), "0 - - -");
    assert_int_equal(armtap_recipe_rtde_problem("timestamp", NULL, &problem), ARMTAP_ERR_SIZE);
    assert_int_equal(armtap_recipe_rtde_problem(NULL, NULL, &problem), ARMTAP_ERR_ARGUMENT);
    assert_int_equal(armtap_recipe_rtde_problem("timestamp", NULL, NULL), ARMTAP_ERR_ARGUMENT);
}

static void test_a_type_that_would_lose_something_is_a_stranger(void **unused)
{
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_rtde("timestamp,actual_q,robot_mode,actual_digital_input_bits,rt_94",
                                        "INT32,VECTOR3D,DOUBLE,UINT32,DOUBLE", &recipe),
                     0);
    assert_null(armtap_recipe_at(recipe, 0)->field);
    assert_null(armtap_recipe_at(recipe, 1)->field);
    assert_null(armtap_recipe_at(recipe, 2)->field);
    assert_non_null(armtap_recipe_at(recipe, 3)->field); /* 32 bits fit 64 */
    assert_int_equal(armtap_recipe_at(recipe, 3)->wire_size, 4);
    assert_null(armtap_recipe_at(recipe, 4)->field); /* RTDE has no reserved cells */
    assert_int_equal(armtap_recipe_size(recipe), 4 + 24 + 8 + 4 + 8);
    armtap_recipe_release(recipe);
}

static void test_without_types_the_tables_are_taken(void **unused)
{
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_rtde("joint_mode,runtime_state,input_bit_register_64", NULL, &recipe), 0);
    assert_int_equal(armtap_recipe_size(recipe), 24 + 4 + 1);
    assert_int_equal(armtap_recipe_at(recipe, 0)->type, ARMTAP_INT32);
    assert_int_equal(armtap_recipe_at(recipe, 2)->offset, 28);
    armtap_recipe_release(recipe);
}

static void test_runs_of_one_kind_merge(void **unused)
{
    struct armtap_recipe *recipe;
    (void)unused;
    assert_int_equal(armtap_recipe_realtime(1220, &recipe), 0);
    assert_true(recipe->plan.count <= 20);
    armtap_recipe_release(recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_and_offsets_stay),
        cmocka_unit_test(test_every_fact_is_in_the_table_and_back),
        cmocka_unit_test(test_a_layout_holds_no_more_than_the_facts),
        cmocka_unit_test(test_columns_find_their_fields),
        cmocka_unit_test(test_fields_do_not_share_their_place),
        cmocka_unit_test(test_names_are_found_exactly),
        cmocka_unit_test(test_register_families_are_arrays),
        cmocka_unit_test(test_a_number_occurs_once_per_generation),
        cmocka_unit_test(test_enumerations_are_those_of_the_facts),
        cmocka_unit_test(test_one_number_means_two_things),
        cmocka_unit_test(test_rows_are_looked_up),
        cmocka_unit_test(test_a_generation_has_its_values),
        cmocka_unit_test(test_values_are_small),
        cmocka_unit_test(test_types_have_rtde_names),
        cmocka_unit_test(test_notes_are_registered_once),
        cmocka_unit_test(test_lines_are_bounded),
        cmocka_unit_test(test_lines_keep_utf8),
        cmocka_unit_test(test_errors_and_protocols_have_names),
        cmocka_unit_test(test_protocols_are_described),
        cmocka_unit_test(test_protocols_differ),
        cmocka_unit_test(test_what_was_left_out_is_described),
        cmocka_unit_test(test_documents_name_the_protocols),
        cmocka_unit_test(test_every_field_is_set_and_read_back),
        cmocka_unit_test(test_setting_needs_the_fields_type),
        cmocka_unit_test(test_merging_adds_what_the_other_knows),
        cmocka_unit_test(test_sets_hold_each_id_by_itself),
        cmocka_unit_test(test_rtde_recipes_from_lists),
        cmocka_unit_test(test_recipes_refuse_bad_arguments),
        cmocka_unit_test(test_the_name_that_is_wrong_is_said),
        cmocka_unit_test(test_a_type_that_would_lose_something_is_a_stranger),
        cmocka_unit_test(test_without_types_the_tables_are_taken),
        cmocka_unit_test(test_runs_of_one_kind_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
