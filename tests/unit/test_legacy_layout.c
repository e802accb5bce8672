/* Legacy packets made from RTDE's values: cells by UR's tables, the cells that stay empty, CB2's modes. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/bridge/legacy_layout.h"

struct lacks {
    char text[400];
    size_t length;
};

static void list_lack(void *user, const struct legacy_lack *lack)
{
    struct lacks *lacks = user;
    lacks->length +=
        (size_t)sprintf(lacks->text + lacks->length, "%u-%u%s ", lack->first, lack->last, lack->is_variable ? "!" : "");
}

static double cell(const uint8_t *packet, unsigned column)
{
    uint64_t bits = 0;
    double value;
    for (unsigned i = 0; i < 8; i++)
        bits = bits << 8 | packet[4 + 8 * (column - 1) + i];
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* UR's tables: 36 variables fill 134 of the 152 cells of 1220 bytes; the others are reserved. */
static void reserved_cells_have_no_source(void **state)
{
    struct legacy_layout layout;
    struct armtap_recipe *received;
    struct lacks lacks = {.length = 0};
    (void)state;
    assert_int_equal(legacy_layout_begin(&layout, 1220), 0);
    assert_int_equal(armtap_recipe_rtde(layout.names, NULL, &received), ARMTAP_OK);
    assert_int_equal(armtap_recipe_count(received), 36);
    /* 134 doubles, but for ten modes and states of 4 bytes. */
    assert_int_equal(armtap_recipe_size(received), 1032);
    assert_int_equal(strlen(layout.names), 567);
    assert_int_equal(legacy_layout_filled(&layout, received), 134);
    legacy_layout_lacks(&layout, received, list_lack, &lacks);
    assert_string_equal(lacks.text, "94-94 103-103 104-104 105-105 106-106 107-107 108-108 112-112 113-113 114-114 "
                                    "115-115 116-116 117-117 120-120 121-121 140-140 141-141 142-142 ");
    armtap_recipe_release(received);
    legacy_layout_end(&layout);
}

static void what_the_robot_lacks_is_listed(void **state)
{
    struct legacy_layout layout;
    struct armtap_recipe *received;
    struct lacks lacks = {.length = 0};
    (void)state;
    assert_int_equal(legacy_layout_begin(&layout, 1044), 0);
    assert_int_equal(armtap_recipe_rtde("timestamp,actual_q,target_q,speed_scaling", NULL, &received), ARMTAP_OK);
    assert_int_equal(legacy_layout_filled(&layout, received), 1 + 6 + 6 + 1);
    legacy_layout_lacks(&layout, received, list_lack, &lacks);
    assert_non_null(strstr(lacks.text, "8-13! "));
    assert_non_null(strstr(lacks.text, "94-94 "));
    assert_null(strstr(lacks.text, "131-"));
    armtap_recipe_release(received);
    legacy_layout_end(&layout);
}

static void sizes_are_those_of_the_table(void **state)
{
    char list[LEGACY_LAYOUT_LIST];
    (void)state;
    assert_true(legacy_layout_knows(812, list));
    assert_string_equal(list, "540, 692, 740, 756, 764, 812, 1044, 1060, 1108, 1116, 1140, 1220");
    assert_true(legacy_layout_knows(1220, list));
    assert_false(legacy_layout_knows(813, list));
    assert_false(legacy_layout_knows(0, list));
}

static struct armtap_state *running_robot(void)
{
    struct armtap_state *robot = armtap_state_new();
    assert_non_null(robot);
    robot->timestamp = 12.5;
    robot->actual_digital_input_bits = 5;
    robot->robot_mode = 7;
    robot->safety_mode = 1;
    for (unsigned i = 0; i < 6; i++) {
        robot->joint_mode[i] = 253;
        robot->actual_TCP_pose[i] = 0.1 * i;
        robot->target_TCP_pose[i] = -1;
    }
    static const unsigned ids[] = {
        ARMTAP_ID_timestamp,  ARMTAP_ID_actual_digital_input_bits, ARMTAP_ID_robot_mode,     ARMTAP_ID_safety_mode,
        ARMTAP_ID_joint_mode, ARMTAP_ID_actual_TCP_pose,           ARMTAP_ID_target_TCP_pose};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        armtap_set_add(&robot->known, ids[i]);
    return robot;
}

/* Columns as in UR's tables; bits and modes are doubles of the whole number. */
static void cells_are_where_the_tables_have_them(void **state)
{
    static const size_t sizes[] = {1220, 1044, 812};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t packet[4096] = {0};
        char reason[LEGACY_LAYOUT_REASON];
        struct legacy_layout layout;
        struct armtap_state *robot = running_robot();
        bool cb2 = sizes[i] == 812;
        assert_int_equal(legacy_layout_begin(&layout, sizes[i]), 0);
        assert_true(legacy_layout_make(&layout, robot, packet, reason));
        assert_int_equal(packet[2] << 8 | packet[3], sizes[i]);
        assert_true(cell(packet, 1) == 12.5);
        assert_true(cell(packet, 86) == 5.0);
        assert_true(cell(packet, 95) == (cb2 ? 0.0 : 7.0));
        assert_true(cell(packet, 101) == 253.0);
        assert_true(cell(packet, cb2 ? 79 : 61) == 0.5);
        assert_true(cb2 || cell(packet, 79) == -1.0);
        assert_true(cb2 || cell(packet, 102) == 1.0);
        assert_true(cell(packet, 32) == 0.0);
        legacy_layout_end(&layout);
        armtap_state_free(robot);
    }
}

/* Robot mode and safety mode of later controllers, CB2's robot mode; 99: it has none. From UR's lists of both. */
static const struct {
    int robot, safety, cb2;
} modes[] = {
    {7, 1, 0},  {7, 2, 0},  {3, 1, 7},  {0, 1, 8},  {-1, 1, -1}, {7, 3, 4},   {3, 7, 5},
    {5, 6, 5},  {7, 5, 10}, {3, 8, 6},  {3, 9, 6},  {1, 1, 99},  {2, 1, 99},  {4, 1, 99},
    {5, 1, 99}, {6, 1, 99}, {8, 1, 99}, {7, 4, 99}, {7, 10, 99}, {7, 12, 99}, {42, 1, 99},
};

static void modes_without_a_counterpart_are_not_sent(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        uint8_t packet[812];
        char reason[LEGACY_LAYOUT_REASON] = "";
        struct legacy_layout layout;
        struct armtap_state *robot = running_robot();
        assert_int_equal(legacy_layout_begin(&layout, sizeof packet), 0);
        assert_non_null(strstr(layout.names, ",safety_mode"));
        robot->robot_mode = modes[i].robot;
        robot->safety_mode = modes[i].safety;
        bool made = legacy_layout_make(&layout, robot, packet, reason);
        assert_int_equal(made ? (int)cell(packet, 95) : 99, modes[i].cb2);
        assert_int_equal(made, *reason == '\0');
        assert_int_equal(robot->robot_mode, modes[i].robot);
        legacy_layout_end(&layout);
        armtap_state_free(robot);
    }
}

static void joint_modes_of_another_meaning_are_not_sent(void **state)
{
    static const struct {
        int mode;
        bool same;
    } cases[] = {{253, true},  {255, true},  {252, true},  {236, true},
                 {240, false}, {247, false}, {251, false}, {17, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t packet[812];
        char reason[LEGACY_LAYOUT_REASON] = "";
        struct legacy_layout layout;
        struct armtap_state *robot = running_robot();
        assert_int_equal(legacy_layout_begin(&layout, sizeof packet), 0);
        robot->joint_mode[5] = cases[i].mode;
        assert_int_equal(legacy_layout_make(&layout, robot, packet, reason), cases[i].same);
        legacy_layout_end(&layout);
        armtap_state_free(robot);
    }
}

/* Bits 16 and 17, the tool's, are 8 and 9 on CB2; the configurable ones between do not exist there. */
static void tool_inputs_move(void **state)
{
    uint8_t packet[812];
    char reason[LEGACY_LAYOUT_REASON];
    struct legacy_layout layout;
    struct armtap_state *robot = running_robot();
    (void)state;
    assert_int_equal(legacy_layout_begin(&layout, sizeof packet), 0);
    robot->actual_digital_input_bits = 0x2FF81;
    assert_true(legacy_layout_make(&layout, robot, packet, reason));
    assert_true(cell(packet, 86) == 0x281);
    legacy_layout_end(&layout);
    armtap_state_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_cells_have_no_source),
        cmocka_unit_test(what_the_robot_lacks_is_listed),
        cmocka_unit_test(sizes_are_those_of_the_table),
        cmocka_unit_test(cells_are_where_the_tables_have_them),
        cmocka_unit_test(modes_without_a_counterpart_are_not_sent),
        cmocka_unit_test(joint_modes_of_another_meaning_are_not_sent),
        cmocka_unit_test(tool_inputs_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
