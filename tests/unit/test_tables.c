/* The decoders' tables, compared with lists from vendors and authors of clients that were collected independently. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtde_judge.h"
#include "rtde_package.h"

/* ---- recipes of well-known clients ---- */

#define RECIPES 63
#define TEXT_MAX 4000

struct recipes_seen {
    bool seen[RECIPES];
};

/* The recipe as one text: "timestamp:DOUBLE actual_q:VECTOR6D". */
static void spell(const struct armtap_recipe *recipe, char text[TEXT_MAX])
{
    size_t at = 0;
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        at += (size_t)snprintf(text + at, TEXT_MAX - at, "%s%s:%s", i ? " " : "", entry->name,
                               armtap_type_name(entry->type, entry->count));
        assert_true(at < TEXT_MAX);
    }
}

static void check_known_recipe(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct recipes_seen *found = user;
    const struct armtap_known_recipe *known;
    assert_int_equal(count, 3);
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++) {
        char text[TEXT_MAX];
        struct armtap_recipe *recipe;
        assert_int_equal(armtap_recipe_rtde(known->fields, NULL, &recipe), ARMTAP_OK);
        spell(recipe, text);
        armtap_recipe_release(recipe);
        if (strcmp(text, cells[2]) != 0 || found->seen[i])
            continue;
        assert_int_equal(known->size, strtoul(cells[1], NULL, 10));
        found->seen[i] = true;
        return;
    }
    fail_msg("no known recipe of %s with %s bytes: %s", cells[0], cells[1], cells[2]);
}

static void test_known_recipes_are_those_of_the_clients(void **unused)
{
    struct recipes_seen found = {{false}};
    (void)unused;
    assert_non_null(armtap_known_recipe_at(RECIPES - 1));
    assert_null(armtap_known_recipe_at(RECIPES));
    assert_int_equal(table_each("known_recipes.csv", check_known_recipe, &found), RECIPES);
    for (size_t i = 0; i < RECIPES; i++)
        if (!found.seen[i])
            fail_msg("%s is not in known_recipes.csv", armtap_known_recipe_at(i)->name);
}

/* ---- AUBO's topics ---- */

static int keep_value(void *user, const struct armtap_record *record)
{
    armtap_record_value(record, 0, user);
    return 0;
}

/* The topic's value after an array of six 0.5, or a single 0.5, was sent. */
static double sent_half(const char *topic, unsigned elements)
{
    char setup[300];
    const char *data = elements == 6   ? "[0,[0.5,0.5,0.5,0.5,0.5,0.5]]"
                       : elements == 3 ? "[0,[0.5,0.5,0.5]]"
                                       : "[0,0.5]";
    struct armtap_value value = {.present = false};
    struct armtap_sink sink = {.size = sizeof sink, .on_record = keep_value};
    struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_AUBO};
    struct armtap_conn *conn;
    snprintf(setup, sizeof setup,
             "[100,{\"chanel\":0,\"frequency\":10.0,\"segments\":[\"%s\"],\"to_server\":false,\"trigger\":0}]", topic);
    assert_int_equal(armtap_conn_new(&options, &sink, &value, &conn), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_TO_ROBOT, setup, strlen(setup), NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, data, strlen(data), NULL), ARMTAP_OK);
    armtap_conn_free(conn);
    if (!value.present || value.type != ARMTAP_DOUBLE || !value.field)
        fail_msg("%s: no double value was delivered", topic);
    return value.f64[0];
}

struct topics_seen {
    unsigned fields, scaled;
};

static void check_topic(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct topics_seen *found = user;
    char message[300];
    struct armtap_recipe *recipe;
    assert_int_equal(count, 4);
    int length = snprintf(
        message, sizeof message,
        "[100,{\"chanel\":0,\"frequency\":10.0,\"segments\":[\"%s\"],\"to_server\":false,\"trigger\":0}]", cells[0]);
    assert_int_equal(armtap_recipe_aubo(message, (size_t)length, &recipe), ARMTAP_OK);
    const struct armtap_field *field = armtap_recipe_at(recipe, 0)->field;
    armtap_recipe_release(recipe);
    if (strcmp(field ? field->name : "-", cells[1]) != 0)
        fail_msg("%s: field %s, not %s", cells[0], field ? field->name : "-", cells[1]);
    if (!field)
        return;
    found->fields++;
    if (field->type != ARMTAP_DOUBLE)
        return;
    bool milli = strcmp(cells[2], "A") == 0 && strcmp(field->unit, "mA") == 0;
    found->scaled += milli;
    if (sent_half(cells[0], field->count) != (milli ? 500 : 0.5))
        fail_msg("%s, in %s: 0.5 became %g %s", cells[0], cells[2], sent_half(cells[0], field->count), field->unit);
}

static void test_topics_are_the_fields_that_mean_the_same(void **unused)
{
    struct topics_seen found = {0, 0};
    (void)unused;
    need_aubo();
    assert_int_equal(table_each("aubo_topics.csv", check_topic, &found), 108);
    assert_int_equal(found.fields, 42);
    assert_int_equal(found.scaled, 3);
}

/* ---- sizes of RTDE packages ---- */

/* From the guide's layouts, in both directions: a header of 3 bytes plus the mandatory members. */
static void test_packages_have_the_sizes_of_the_guide(void **unused)
{
    static const struct {
        char type;
        enum armtap_direction direction;
        size_t fewest, most;
    } sizes[] = {
        {'V', ARMTAP_TO_ROBOT, 5, 5},       /* uint16 protocol */
        {'V', ARMTAP_FROM_ROBOT, 4, 4},     /* uint8 accepted */
        {'v', ARMTAP_TO_ROBOT, 3, 3},       /* nothing */
        {'v', ARMTAP_FROM_ROBOT, 15, 19},   /* 3 or 4 uint32 */
        {'M', ARMTAP_TO_ROBOT, 6, 516},     /* length and text, length and source, level */
        {'M', ARMTAP_FROM_ROBOT, 4, 65535}, /* protocol 1: level, text to the end */
        {'U', ARMTAP_FROM_ROBOT, 3, 65535}, {'U', ARMTAP_TO_ROBOT, 3, 65535}, {'O', ARMTAP_TO_ROBOT, 3, 65535},
        {'O', ARMTAP_FROM_ROBOT, 3, 65535}, {'I', ARMTAP_TO_ROBOT, 3, 65535}, {'I', ARMTAP_FROM_ROBOT, 3, 65535},
        {'S', ARMTAP_TO_ROBOT, 3, 3},   /* nothing */
        {'S', ARMTAP_FROM_ROBOT, 4, 4}, /* uint8 accepted */
        {'P', ARMTAP_TO_ROBOT, 3, 3},       {'P', ARMTAP_FROM_ROBOT, 4, 4},   {'R', ARMTAP_TO_ROBOT, 3, 65535},
        {'R', ARMTAP_FROM_ROBOT, 5, 65535},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t type = (uint8_t)sizes[i].type;
        assert_true(armtap_rtde_size_fits(type, sizes[i].direction, sizes[i].fewest));
        assert_true(armtap_rtde_size_fits(type, sizes[i].direction, sizes[i].most));
        assert_false(armtap_rtde_size_fits(type, sizes[i].direction, sizes[i].fewest - 1));
        assert_false(armtap_rtde_size_fits(type, sizes[i].direction, sizes[i].most + 1));
    }
    for (int type = 0; type < 256; type++)
        assert_true(!strchr("VvMUOISPR", type) || type == 0
                        ? !armtap_rtde_size_fits((uint8_t)type, ARMTAP_FROM_ROBOT, 100)
                        : armtap_rtde_type_name((uint8_t)type) != NULL);
}

/* ---- values that a guess may hold ---- */

#define ANY (-1)
/* Values that UR's largest arms can show, rounded up, and values that none can: joints in radians with 363 degrees
 * either way, except the last, which turns without end; 191 degrees a second, UR30's moments, limits of the sensors and
 * inputs. */
static const struct {
    const char *field;
    int element; /* ANY: each by itself */
    double possible, impossible;
} shown[] = {
    {"target_q", 0, -6.33, -7},
    {"actual_q", 4, 6.33, 7},
    {"actual_q", 5, 60, 200},
    {"target_q", 5, -60, -200},
    {"target_qd", ANY, 5, 20},
    {"actual_qd", ANY, -5, -20},
    {"target_qdd", ANY, 80, 1000},
    {"target_current", ANY, 30, 100},
    {"actual_current", ANY, -30, -100},
    {"joint_control_output", ANY, 30, 100},
    {"target_moment", ANY, 350, 3000},
    {"actual_TCP_pose", 0, 1.9, 10},
    {"target_TCP_pose", 2, -1.9, -10},
    {"actual_TCP_pose", 3, 3.15, 10},
    {"target_TCP_pose", 5, -3.15, -10},
    {"actual_TCP_speed", ANY, 5, 30},
    {"target_TCP_speed", ANY, -5, -30},
    {"actual_TCP_force", 1, 500, 10000},
    {"actual_TCP_force", 4, 100, 2000},
    {"ft_raw_wrench", 2, -500, -10000},
    {"ft_raw_wrench", 3, -100, -2000},
    {"joint_temperatures", ANY, 85, 200},
    {"tool_temperature", 0, 85, 200},
    {"actual_execution_time", 0, 8, 1000},
    {"actual_tool_accelerometer", ANY, -60, -1000},
    {"speed_scaling", 0, 1, 1.5},
    {"target_speed_fraction", 0, 1, 1.5},
    {"actual_momentum", 0, 100, 10000},
    {"actual_main_voltage", 0, 50, 100},
    {"actual_robot_voltage", 0, 50, 100},
    {"actual_robot_current", 0, 30, 200},
    {"actual_joint_voltage", ANY, 50, 100},
    {"tcp_offset", 2, 1, 10},
    {"tcp_offset", 3, -3.15, -10},
    {"payload", 0, 30, 200},
    {"payload_cog", ANY, 0.5, 5},
    {"payload_inertia", ANY, 100, 1000},
    {"standard_analog_input0", 0, 20, 50},
    {"standard_analog_input1", 0, 20, 50},
    {"standard_analog_output0", 0, 20, 50},
    {"standard_analog_output1", 0, 20, 50},
    {"tool_analog_input0", 0, 20, 50},
    {"tool_analog_input1", 0, 20, 50},
    {"io_current", 0, 2000, 10000},
    {"tool_output_current", 0, 2000, 10000},
    {"tcp_force_scalar", 0, 800, 10000},
    {"joint_position_deviation_ratio", 0, 1, 100},
};

/* Whether a package in which only this value is not 0 is within its field's limits. */
static bool may_show(const char *field, unsigned element, double value)
{
    struct armtap_recipe *recipe;
    struct armtap_rtde_limit limits[6];
    struct bytes values = {0};
    assert_int_equal(armtap_recipe_rtde(field, NULL, &recipe), ARMTAP_OK);
    unsigned elements = armtap_recipe_at(recipe, 0)->count;
    for (unsigned i = 0; i < elements; i++)
        bytes_double(&values, i == element ? value : 0);
    bool within = armtap_rtde_within(limits, armtap_rtde_limits(recipe, limits), values.at);
    bytes_free(&values);
    armtap_recipe_release(recipe);
    return within;
}

static unsigned elements_of(const char *field)
{
    return armtap_field_find(field, strlen(field))->count;
}

static void test_limits_are_wider_than_robots_and_narrower_than_numbers(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        unsigned first = shown[i].element == ANY ? 0 : (unsigned)shown[i].element;
        unsigned last = shown[i].element == ANY ? elements_of(shown[i].field) - 1 : first;
        for (unsigned element = first; element <= last; element++) {
            if (!may_show(shown[i].field, element, shown[i].possible))
                fail_msg("%s[%u] cannot be %g", shown[i].field, element, shown[i].possible);
            if (may_show(shown[i].field, element, shown[i].impossible))
                fail_msg("%s[%u] can be %g", shown[i].field, element, shown[i].impossible);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_recipes_are_those_of_the_clients),
        cmocka_unit_test(test_topics_are_the_fields_that_mean_the_same),
        cmocka_unit_test(test_packages_have_the_sizes_of_the_guide),
        cmocka_unit_test(test_limits_are_wider_than_robots_and_narrower_than_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
