/* The mailbox of ur_rtde: its tables against the facts, its script line by line, a session in any chunks. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/mailbox_command.h"
#include "layers/mailbox_script.h"

/* ---- the tables against the facts -------------------------------------------------------------------------------- */

static unsigned release_named(const char *name)
{
    for (unsigned i = 0; i < ARMTAP_UR_RTDE_RELEASES; i++)
        if (strcmp(armtap_ur_rtde_first(UINT64_C(1) << i), name) == 0)
            return i;
    fail_msg("%s is in the facts, but not in ur_rtde_releases.def", name);
    return 0;
}

static void check_release(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    unsigned *next = user;
    assert_int_equal(count, 4);
    assert_int_equal(release_named(cells[0]), *next);
    assert_string_equal(armtap_ur_rtde_last(UINT64_C(1) << *next), cells[0]);
    ++*next;
}

static void test_releases_are_those_of_the_facts(void **unused)
{
    unsigned next = 0;
    (void)unused;
    table_each("ur_rtde_versions.csv", check_release, &next);
    assert_int_equal(next, ARMTAP_UR_RTDE_RELEASES);
}

/* Bits: the releases in which the facts have a code, by side. */
static armtap_ur_rtde_set in_facts[ARMTAP_UR_RTDE_SIDES][256];

static enum armtap_ur_rtde_side side_in(char *const cells[TABLE_CELLS])
{
    return strcmp(cells[4], "-") == 0 ? ARMTAP_UR_RTDE_IO : ARMTAP_UR_RTDE_CONTROL;
}

static void check_meaning(unsigned release, int32_t code, char *const cells[TABLE_CELLS])
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    size_t count = armtap_ur_rtde_meanings(side_in(cells), UINT64_C(1) << release, code, meanings);
    if (count != 1 || strcmp(meanings[0].row->operation, cells[3]) != 0)
        fail_msg("code %d of release %s is %s in the facts, %s in ur_rtde_commands.def", code,
                 armtap_ur_rtde_first(UINT64_C(1) << release), cells[3],
                 count == 1 ? meanings[0].row->operation : "none");
}

/* Each release sends the code with the facts' recipes, and with no others. */
static void check_writers(unsigned release, int32_t code, char *const cells[TABLE_CELLS])
{
    uint64_t wanted = 0;
    for (const char *at = cells[4]; *at != '\0'; at += strcspn(at, "|"), at += *at == '|')
        wanted |= UINT64_C(1) << strtoul(at, NULL, 10);
    for (unsigned id = 1; id < 40; id++) {
        bool has = armtap_ur_rtde_writers(ARMTAP_UR_RTDE_CONTROL, code, id) >> release & 1;
        if (has != (wanted >> id & 1))
            fail_msg("%s, code %d: recipe %u", armtap_ur_rtde_first(UINT64_C(1) << release), code, id);
    }
}

static void check_command(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    int32_t code = (int32_t)strtol(cells[2], NULL, 10);
    (void)user;
    assert_true(count >= 5);
    if (strcmp(cells[3], "NO_CMD") == 0 || strcmp(cells[3], "WATCHDOG") == 0)
        return; /* written as 0: no commands */
    for (unsigned i = release_named(cells[0]); i <= release_named(cells[1]); i++) {
        check_meaning(i, code, cells);
        in_facts[side_in(cells)][code] |= UINT64_C(1) << i;
        if (side_in(cells) == ARMTAP_UR_RTDE_CONTROL)
            check_writers(i, code, cells);
    }
}

static void test_commands_are_those_of_the_facts(void **unused)
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    (void)unused;
    memset(in_facts, 0, sizeof in_facts);
    assert_true(table_each("ur_rtde_commands_history.csv", check_command, NULL) > 0);
    for (unsigned side = 0; side < ARMTAP_UR_RTDE_SIDES; side++)
        for (int32_t code = -1; code < 256; code++)
            for (unsigned i = 0; i < ARMTAP_UR_RTDE_RELEASES; i++) {
                bool wanted = code >= 0 && (in_facts[side][code] >> i & 1);
                size_t has = armtap_ur_rtde_meanings((enum armtap_ur_rtde_side)side, UINT64_C(1) << i, code, meanings);
                if (has != wanted)
                    fail_msg("code %d of release %s, side %u: %zu meanings", code,
                             armtap_ur_rtde_first(UINT64_C(1) << i), side, has);
            }
}

/* A row of the list of 1.6.0's codes. */
static void check_latest(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    int32_t code = (int32_t)strtol(cells[1] ? cells[0] : "", NULL, 10);
    bool is_io = strstr(cells[2], "RTDEIOInterface");
    unsigned *rows = user;
    assert_true(count >= 3);
    if (code == 0 || code == 99 || code == 254 || strstr(cells[2], "only up to"))
        return;
    ++*rows;
    size_t has = armtap_ur_rtde_meanings(is_io ? ARMTAP_UR_RTDE_IO : ARMTAP_UR_RTDE_CONTROL,
                                         UINT64_C(1) << ARMTAP_UR_RTDE_1_6_0, code, meanings);
    assert_int_equal(has, 1);
    assert_string_equal(meanings[0].row->operation, cells[1]);
}

static void test_the_latest_codes_are_those_of_the_facts(void **unused)
{
    unsigned rows = 0;
    (void)unused;
    table_each("ur_rtde_commands.csv", check_latest, &rows);
    assert_int_equal(rows, 64);
}

/* The operation that some release sends; fails without one. */
static const struct armtap_ur_rtde_row *operation_named(const char *name)
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    for (unsigned i = 0; i < 256 * ARMTAP_UR_RTDE_RELEASES * ARMTAP_UR_RTDE_SIDES; i++) {
        enum armtap_ur_rtde_side side = i % 2 ? ARMTAP_UR_RTDE_CONTROL : ARMTAP_UR_RTDE_IO;
        armtap_ur_rtde_set release = UINT64_C(1) << i / 2 % ARMTAP_UR_RTDE_RELEASES;
        int32_t code = (int32_t)(i / 2 / ARMTAP_UR_RTDE_RELEASES);
        if (armtap_ur_rtde_meanings(side, release, code, meanings) == 1 &&
            strcmp(meanings[0].row->operation, name) == 0)
            return meanings[0].row;
    }
    fail_msg("%s is in the facts, but no release sends it", name);
    return NULL;
}

/* A value as the facts write it: "iD0-5 target m+rad", "iI1? asynchronous". */
static void spell_value(const struct armtap_ur_rtde_row *row, char *text, size_t size)
{
    static const char *const places[] = {[ARMTAP_UR_RTDE_DOUBLES] = "iD",        [ARMTAP_UR_RTDE_INTEGERS] = "iI",
                                         [ARMTAP_UR_RTDE_FLAG] = "iI",           [ARMTAP_UR_RTDE_FIELDS] = "fields",
                                         [ARMTAP_UR_RTDE_RESULT_DOUBLES] = "oD", [ARMTAP_UR_RTDE_RESULT_INTEGER] = "oI",
                                         [ARMTAP_UR_RTDE_RESULT_FLAG] = "oI",    [ARMTAP_UR_RTDE_PROGRESS] = "oI"};
    bool is_flag = row->place == ARMTAP_UR_RTDE_FLAG || row->place == ARMTAP_UR_RTDE_RESULT_FLAG;
    char last[16] = "", of[16] = "";
    if (row->place == ARMTAP_UR_RTDE_FIELDS) {
        snprintf(text, size, "fields");
        return;
    }
    if (row->count != 1)
        snprintf(last, sizeof last, "-%u", row->first + row->count - 1);
    if (row->of > 0)
        snprintf(of, sizeof of, "=%u", row->of);
    size_t used = (size_t)snprintf(text, size, "%s%u%s%s%s %s%s", places[row->place], row->first, last,
                                   is_flag ? "?" : "", of, row->name, *row->unit ? " " : "");
    for (const char *unit = row->unit; *unit != '\0' && used + 1 < size; unit++)
        if (*unit != ',')
            text[used++] = *unit == ' ' && unit[-1] == ',' ? '+' : *unit;
    text[used] = '\0';
}

static void check_operation(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    const struct armtap_ur_rtde_row *row = operation_named(cells[0]);
    char values[500] = "";
    (void)user;
    assert_int_equal(count, 5);
    assert_string_equal(row->name, cells[1]);
    assert_int_equal(!(row->no_wait >> ARMTAP_UR_RTDE_1_6_0 & 1), strcmp(cells[2], "yes") == 0);
    if (strcmp(cells[3], "-") != 0)
        assert_true(row->usual == (strcmp(cells[3], "yes") == 0 ? 0 : 1));
    while ((++row)->place != ARMTAP_UR_RTDE_OPERATION && row->place != ARMTAP_UR_RTDE_END) {
        size_t used = strlen(values);
        used += (size_t)snprintf(values + used, sizeof values - used, "%s", used > 0 ? ";" : "");
        spell_value(row, values + used, sizeof values - used);
    }
    if (strcmp(*values ? values : "-", cells[4]) != 0)
        fail_msg("%s carries %s in the facts, %s in ur_rtde_operations.def", cells[0], cells[4], values);
}

static void test_operations_are_those_of_the_facts(void **unused)
{
    (void)unused;
    assert_int_equal(table_each("ur_rtde_operations.csv", check_operation, NULL), 72);
}

/* "iI0 iD0 iD1" as the names of a set-up. */
static struct armtap_recipe *recipe_of(const char *fields, unsigned offset)
{
    char names[1024] = "", types[1024] = "";
    struct armtap_recipe *recipe = NULL;
    for (const char *at = fields; *at != '\0'; at += strcspn(at, " |"), at += *at == ' ') {
        size_t length = strlen(names), type = strlen(types);
        bool is_register = at[0] == 'i' && (at[1] == 'I' || at[1] == 'D');
        const char *comma = length > 0 ? "," : "";
        if (is_register)
            snprintf(names + length, sizeof names - length, "%sinput_%s_register_%lu", comma,
                     at[1] == 'I' ? "int" : "double", strtoul(at + 2, NULL, 10) + offset);
        else
            snprintf(names + length, sizeof names - length, "%s%.*s", comma, (int)strcspn(at, " |"), at);
        snprintf(types + type, sizeof types - type, "%s%s", comma,
                 !is_register   ? "VECTOR6D"
                 : at[1] == 'I' ? "INT32"
                                : "DOUBLE");
        if (at[strcspn(at, " |")] == '|')
            break;
    }
    assert_int_equal(armtap_recipe_rtde(names, types, &recipe), ARMTAP_OK);
    return recipe;
}

/* By release: recipes that the facts have, by id. */
static uint64_t ids_in_facts[ARMTAP_UR_RTDE_RELEASES];

static void check_one_recipe(unsigned id, const char *fields, armtap_ur_rtde_set releases)
{
    for (unsigned offset = 0; offset <= ARMTAP_UR_RTDE_UPPER; offset += ARMTAP_UR_RTDE_UPPER) {
        struct armtap_recipe *recipe = recipe_of(fields, offset);
        armtap_ur_rtde_set found =
            armtap_ur_rtde_recipe(ARMTAP_UR_RTDE_CONTROL, ARMTAP_UR_RTDE_ALL, id, recipe, offset);
        if ((found & releases) != releases)
            fail_msg("recipe %u, %s, of %s to %s is not in ur_rtde_recipes.def", id, fields,
                     armtap_ur_rtde_first(releases), armtap_ur_rtde_last(releases));
        assert_int_equal(armtap_ur_rtde_recipe(ARMTAP_UR_RTDE_CONTROL, ARMTAP_UR_RTDE_ALL, id, recipe,
                                               ARMTAP_UR_RTDE_UPPER - offset),
                         0);
        armtap_recipe_release(recipe);
    }
}

static void check_recipes(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    const char *ids = cells[4], *fields = cells[6];
    unsigned first = release_named(cells[0]), last = release_named(cells[1]);
    armtap_ur_rtde_set releases = (UINT64_C(1) << (last - first) << 1 << first) - (UINT64_C(1) << first);
    (void)user;
    (void)count;
    while (*ids != '-' && *ids != '\0') {
        unsigned id = (unsigned)strtoul(ids, NULL, 10);
        check_one_recipe(id, fields, releases);
        for (unsigned i = first; i <= last; i++)
            ids_in_facts[i] |= UINT64_C(1) << id;
        ids += strcspn(ids, "|");
        ids += *ids == '|';
        fields += strcspn(fields, "|");
        fields += *fields == '|';
    }
}

/* A release is complete with the facts' recipes, and with one less it is not, unless controllers may refuse that. */
static void check_complete(unsigned release)
{
    armtap_ur_rtde_set set = UINT64_C(1) << release;
    uint64_t ids = ids_in_facts[release];
    unsigned optional = 0;
    assert_int_equal(armtap_ur_rtde_complete(ARMTAP_UR_RTDE_CONTROL, set, ids), set);
    for (unsigned id = 1; id < 64; id++)
        if (ids >> id & 1)
            optional += armtap_ur_rtde_complete(ARMTAP_UR_RTDE_CONTROL, set, ids & ~(UINT64_C(1) << id)) == set;
    assert_int_equal(optional, release >= ARMTAP_UR_RTDE_1_5_0); /* the external force */
}

static void test_recipes_are_those_of_the_facts(void **unused)
{
    (void)unused;
    memset(ids_in_facts, 0, sizeof ids_in_facts);
    table_each("ur_rtde_commands_history.csv", check_recipes, NULL);
    for (unsigned i = 0; i < ARMTAP_UR_RTDE_RELEASES; i++)
        check_complete(i);
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

static bool read_line(struct armtap_mailbox_script *script, const char *line)
{
    return armtap_mailbox_script_line(script, 7, &(const struct armtap_where){0}, line, strlen(line));
}

/* The branches of releases 1.6.0 but for those given, which may be 0. */
static void read_branches(struct armtap_mailbox_script *script, int without, int more)
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    char line[64];
    for (int code = 1; code < 120; code++) {
        bool has = armtap_ur_rtde_meanings(ARMTAP_UR_RTDE_CONTROL, UINT64_C(1) << ARMTAP_UR_RTDE_1_6_0, code, meanings);
        if ((!has || code == 55 || code == without) && code != more)
            continue;
        snprintf(line, sizeof line, "  elif cmd == %d:", code);
        assert_true(read_line(script, line));
    }
    assert_true(read_line(script, "  elif cmd == 255:"));
}

static void test_script_tells_release_and_registers(void **unused)
{
    struct armtap_mailbox_script script = {.is_found = false};
    (void)unused;
    assert_false(read_line(&script, ""));
    assert_false(read_line(&script, "  if cmd == 0:"));
    assert_false(read_line(&script, "  if reg_offset_int == 24:"));
    assert_false(read_line(&script, "24    global reg_offset_float = 0"));
    assert_true(read_line(&script, "  global reg_offset_int = # int register offset"));
    assert_true(read_line(&script, "24    global force_mode_type = 2"));
    assert_false(script.is_found);
    read_branches(&script, 0, 0);
    assert_true(script.is_found);
    assert_int_equal(script.found, UINT64_C(1) << ARMTAP_UR_RTDE_1_6_0);
    assert_int_equal(script.found_offset, 24);
    read_line(&script, "  if cmd == 24 or cmd == 11:"); /* its main loop */
    assert_int_equal(script.found, UINT64_C(1) << ARMTAP_UR_RTDE_1_6_0);
    /* A later one, of a release that the tables lack, with codes of its own. */
    read_line(&script, "  global reg_offset_int = 0");
    read_branches(&script, 0, 66);
    assert_false(script.is_found);
    read_line(&script, "  global reg_offset_int = 0");
    read_branches(&script, 0, 0);
    assert_true(script.is_found);
    assert_int_equal(script.found, UINT64_C(1) << ARMTAP_UR_RTDE_1_6_0);
    assert_int_equal(script.found_offset, 0);
    read_line(&script, "  global reg_offset_int = 0");
    read_branches(&script, 65, 0);
    assert_int_equal(script.found, UINT64_C(7) << ARMTAP_UR_RTDE_1_5_7);
}

/* A client of the last release sends these lines before its branches. */
static int32_t offset_of(const char *first, const char *second)
{
    struct armtap_mailbox_script script = {.is_found = false};
    read_line(&script, first);
    read_line(&script, second);
    read_branches(&script, 0, 0);
    assert_true(script.is_found);
    return script.found_offset;
}

static void test_offset_of_registers(void **unused)
{
    (void)unused;
    assert_int_equal(offset_of("  global reg_offset_int = # int register offset", "24    global x = 2"), 24);
    assert_int_equal(offset_of("  global reg_offset_int = # int register offset", "0    global x = 2"), 0);
    assert_int_equal(offset_of("  global reg_offset_int = 24 # same line", "0    global x = 2"), 24);
    assert_int_equal(offset_of("  global reg_offset_int =", "24"), 24);
    assert_int_equal(offset_of("  global reg_offset_int = # int register offset", "    global x = 24"), -1);
    assert_int_equal(offset_of("  global reg_offset_int = # int register offset", ""), -1);
    assert_int_equal(offset_of("  global reg_offset_int = 7", "24"), -1);
    assert_int_equal(offset_of("  global reg_offset_int = # int register offset", "9999"), -1);
    assert_int_equal(offset_of("24    global reg_offset_int = # int register offset", "    global x = 2"), -1);
    assert_int_equal(offset_of("", "  if reg_offset_int == 24:"), -1);
}

static void test_script_that_fits_no_release_is_no_evidence(void **unused)
{
    struct armtap_mailbox_script script = {.is_found = false};
    (void)unused;
    read_branches(&script, 3, 0);
    assert_false(script.is_found);
    read_branches(&script, 0, 13);
    assert_false(script.is_found);
    /* Two connections at once: neither is whole. */
    assert_true(read_line(&script, "  if cmd == 1:"));
    assert_true(armtap_mailbox_script_line(&script, 8, &(const struct armtap_where){0}, "  cmd == 2:", 11));
    assert_true(read_line(&script, "  elif cmd == 255:"));
    assert_false(script.is_found);
}

/* Each connection has its own scripts, none has those of another one; the last sixteen are known. */
static void test_scripts_belong_to_connections(void **unused)
{
    struct armtap_mailbox_script script = {.is_found = false};
    bool is_new;
    (void)unused;
    assert_null(armtap_mailbox_script_of(&script, 0));
    read_branches(&script, 0, 0);
    for (uint64_t bound = 1; bound <= ARMTAP_SCRIPT_BINDINGS + 1; bound++) {
        for (int again = 0; again < 2; again++) {
            assert_int_equal(armtap_mailbox_script_bind(&script, bound, &is_new), ARMTAP_OK);
            assert_int_equal(is_new, !again);
        }
        for (uint64_t connection = 0; connection <= ARMTAP_SCRIPT_BINDINGS + 2; connection++) {
            const struct armtap_script_binding *own = armtap_mailbox_script_of(&script, connection);
            assert_int_equal(own != NULL,
                             connection > 0 && connection <= bound && connection + ARMTAP_SCRIPT_BINDINGS > bound);
            assert_true(!own || own->connection == connection);
        }
    }
    armtap_mailbox_script_free(&script);
}

/* ---- what the robot says ----------------------------------------------------------------------------------------- */

static bool keep(struct armtap_said_queue *queue, uint64_t packet, uint64_t client_bytes, int32_t state)
{
    struct armtap_said said = {
        .where = {.packet = packet}, .client_bytes = client_bytes, .shows_state = true, .state = state};
    return armtap_said_keep(queue, &said);
}

static uint64_t next(struct armtap_said_queue *queue, uint64_t before, struct armtap_said *said)
{
    struct armtap_where where = {.size = sizeof where, .packet = before};
    return armtap_said_next(queue, before ? &where : NULL, said) ? said->where.packet : 0;
}

static void test_what_is_said_is_kept_in_order(void **unused)
{
    struct armtap_said_queue queue = {.count = 0};
    struct armtap_said said;
    (void)unused;
    assert_true(keep(&queue, 1, 0, 1));
    assert_false(keep(&queue, 2, 0, 1));
    assert_true(keep(&queue, 3, 0, 2));
    assert_true(keep(&queue, 5, 8, 2)); /* behind a package of the client */
    assert_int_equal(next(&queue, 1, &said), 0);
    assert_int_equal(next(&queue, 4, &said), 1);
    assert_int_equal(next(&queue, 4, &said), 3);
    assert_int_equal(next(&queue, 4, &said), 0);
    queue.has_gap = true;
    assert_true(keep(&queue, 6, 8, 2));
    assert_true(armtap_said_has_gap(&queue));
    assert_int_equal(next(&queue, 0, &said), 5);
    assert_false(said.is_after_gap);
    assert_int_equal(next(&queue, 0, &said), 6);
    assert_true(said.is_after_gap);
    assert_false(armtap_said_has_gap(&queue));
}

static void test_what_is_not_kept_is_told(void **unused)
{
    struct armtap_said_queue queue = {.count = 0};
    struct armtap_said said;
    (void)unused;
    queue.has_gap = true;
    for (unsigned i = 0; i < ARMTAP_SAID_KEPT + 1; i++)
        assert_true(keep(&queue, i + 1, 0, (int32_t)i));
    assert_int_equal(next(&queue, 0, &said), ARMTAP_SAID_KEPT + 1);
    assert_true(said.is_after_rest && said.is_after_gap);
    assert_int_equal(next(&queue, 0, &said), 0);
}

/* ---- a session --------------------------------------------------------------------------------------------------- */

struct heard {
    char text[1024];
};

static int on_command(void *user, const struct armtap_command *command)
{
    struct heard *heard = user;
    size_t length = strlen(heard->text);
    snprintf(heard->text + length, sizeof heard->text - length, "%s %s %zu;", command->readings[0].name,
             armtap_command_ending_name(command->ending), command->readings[0].argument_count);
    return 0;
}

static void add_set_up(struct script *script, unsigned id, const char *fields)
{
    struct armtap_recipe *recipe = recipe_of(fields, 0);
    char names[1024] = "", types[1024] = "", head[8];
    const struct armtap_recipe_entry *entry;
    for (size_t i = 0; (entry = armtap_recipe_at(recipe, i)); i++) {
        strcat(strcat(names, entry->name), ",");
        strcat(strcat(types, i > 0 ? "," : ""), armtap_type_name(entry->type, entry->count));
    }
    snprintf(head, sizeof head, "%02x", id);
    script_list(script, ARMTAP_TO_ROBOT, 'I', "", names);
    script_list(script, ARMTAP_FROM_ROBOT, 'I', head, types);
    armtap_recipe_release(recipe);
}

static void add_data(struct script *script, enum armtap_direction direction, unsigned id, int32_t code,
                     unsigned doubles, unsigned integers)
{
    struct bytes payload = {0}, bytes = {0};
    bytes_number(&payload, id, 1);
    bytes_number(&payload, (uint32_t)code, 4);
    for (unsigned i = 0; i < doubles; i++)
        bytes_double(&payload, i + 0.5);
    for (unsigned i = 0; i < integers; i++)
        bytes_number(&payload, 0, 4);
    bytes_package(&bytes, 'U', &payload);
    script_add(script, direction, &bytes);
    bytes_free(&payload);
    bytes_free(&bytes);
}

/* Four recipes of 1.6.0, then moveL, done, and forceModeStop, withdrawn. */
static void make_session(struct script *script)
{
    script_hex(script, ARMTAP_TO_ROBOT, "0005 56 0002");
    script_hex(script, ARMTAP_FROM_ROBOT, "0004 56 01");
    script_list(script, ARMTAP_TO_ROBOT, 'O', "40 7f 40 00 00 00 00 00", "output_int_register_0,");
    script_list(script, ARMTAP_FROM_ROBOT, 'O', "01", "INT32");
    add_set_up(script, 1, "iI0 iD0 iD1 iD2 iD3 iD4 iD5 iD6 iD7 iI1");
    add_set_up(script, 2, "iI0 iD0 iD1 iD2 iD3 iD4 iD5 iD6 iD7 iD8 iD9 iD10");
    add_set_up(script, 3,
               "iI0 iI1 iI2 iI3 iI4 iI5 iI6 iI7 iD0 iD1 iD2 iD3 iD4 iD5 iD6 iD7 iD8 iD9 iD10 iD11 iD12 iD13 "
               "iD14 iD15 iD16 iD17");
    add_set_up(script, 4, "iI0");
    script_hex(script, ARMTAP_TO_ROBOT, "0003 53");
    script_hex(script, ARMTAP_FROM_ROBOT, "0004 53 01");
    add_data(script, ARMTAP_FROM_ROBOT, 1, 1, 0, 0);
    add_data(script, ARMTAP_TO_ROBOT, 1, 3, 8, 1);
    add_data(script, ARMTAP_FROM_ROBOT, 1, 1, 0, 0);
    add_data(script, ARMTAP_FROM_ROBOT, 1, 2, 0, 0);
    add_data(script, ARMTAP_TO_ROBOT, 4, 0, 0, 0);
    add_data(script, ARMTAP_FROM_ROBOT, 1, 1, 0, 0);
    add_data(script, ARMTAP_TO_ROBOT, 4, 7, 0, 0);
    add_data(script, ARMTAP_FROM_ROBOT, 1, 1, 0, 0);
    add_data(script, ARMTAP_TO_ROBOT, 4, 0, 0, 0);
    add_data(script, ARMTAP_FROM_ROBOT, 1, 1, 0, 0);
    add_data(script, ARMTAP_TO_ROBOT, 2, 11, 11, 0);
    add_data(script, ARMTAP_TO_ROBOT, 4, 8, 0, 0);
}

static void play(const struct script *script, size_t chunk, struct heard *heard)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_command = on_command};
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_RTDE};
    struct armtap_conn *conn;
    size_t at = 0;
    assert_int_equal(armtap_conn_new(&options, &sink, heard, &conn), ARMTAP_OK);
    for (size_t i = 0; i < script->count; i++)
        while (at < script->parts[i].end) {
            size_t length = script->parts[i].end - at < chunk ? script->parts[i].end - at : chunk;
            assert_int_equal(armtap_conn_push(conn, script->parts[i].direction, script->bytes.at + at, length, NULL),
                             ARMTAP_OK);
            at += length;
        }
    armtap_conn_close(conn, ARMTAP_TO_ROBOT, NULL);
    armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
    armtap_conn_free(conn);
}

static void test_commands_of_a_session_in_any_chunks(void **unused)
{
    static const size_t chunks[] = {65536, 1, 2, 3, 5, 7, 64};
    struct script script = {.count = 0};
    (void)unused;
    make_session(&script);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct heard heard = {""};
        play(&script, chunks[i], &heard);
        assert_string_equal(heard.text,
                            "moveL done 4;forceModeStop abandoned 0;servoJ sent 6;zeroFtSensor unfinished 0;");
    }
    script_free(&script);
}

static void test_words(void **unused)
{
    (void)unused;
    assert_string_equal(armtap_command_ending_name(ARMTAP_COMMAND_DONE), "done");
    assert_string_equal(armtap_command_ending_name(ARMTAP_COMMAND_UNFINISHED), "unfinished");
    assert_string_equal(armtap_command_ending_name((enum armtap_command_ending)99), "");
    assert_string_equal(armtap_command_evidence_name(ARMTAP_COMMAND_BY_SCRIPT), "script");
    assert_string_equal(armtap_command_evidence_name((enum armtap_command_evidence)99), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases_are_those_of_the_facts),
        cmocka_unit_test(test_commands_are_those_of_the_facts),
        cmocka_unit_test(test_the_latest_codes_are_those_of_the_facts),
        cmocka_unit_test(test_operations_are_those_of_the_facts),
        cmocka_unit_test(test_recipes_are_those_of_the_facts),
        cmocka_unit_test(test_script_tells_release_and_registers),
        cmocka_unit_test(test_offset_of_registers),
        cmocka_unit_test(test_script_that_fits_no_release_is_no_evidence),
        cmocka_unit_test(test_scripts_belong_to_connections),
        cmocka_unit_test(test_what_is_said_is_kept_in_order),
        cmocka_unit_test(test_what_is_not_kept_is_told),
        cmocka_unit_test(test_commands_of_a_session_in_any_chunks),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
