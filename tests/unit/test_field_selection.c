/* --fields: which columns of a table are selected, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/rows/field_selection.h"

#define COLUMN(column_name, column_type, elements)                                                                     \
    {                                                                                                                  \
        .name = column_name, .type = column_type, .count = elements                                                    \
    }
static const struct table_column robot[] = {
    COLUMN("timestamp", ARMTAP_DOUBLE, 1),  COLUMN("actual_q", ARMTAP_DOUBLE, 6),
    COLUMN("actual_qd", ARMTAP_DOUBLE, 6),  COLUMN("robot_mode", ARMTAP_INT32, 1),
    COLUMN("joint_mode", ARMTAP_INT32, 6),  COLUMN("output_int_register_0", ARMTAP_INT32, 1),
    COLUMN("payload_cog", ARMTAP_DOUBLE, 3)};
/* A vector, and a field that has the name of one of its elements. */
static const struct table_column confusing[] = {COLUMN("a", ARMTAP_DOUBLE, 3), COLUMN("a_1", ARMTAP_DOUBLE, 1),
                                                COLUMN("[x]", ARMTAP_DOUBLE, 1), COLUMN("time", ARMTAP_DOUBLE, 1),
                                                COLUMN("a_1", ARMTAP_DOUBLE, 1)};
static const struct table_column lone[] = {COLUMN("timestamp", ARMTAP_DOUBLE, 1)};
/* AUBO columns: the first arm's fields have names without a prefix; arrays are as wide as the longest. */
static const struct table_column arms[] = {
    {.name = "actual_q", .wire = "R1_actual_q", .type = ARMTAP_DOUBLE, .count = 6, .arm = 1},
    {.name = "R2_actual_q", .wire = "R2_actual_q", .type = ARMTAP_DOUBLE, .count = 6, .arm = 2, .longest_array = 7},
    {.name = "R1_points", .wire = "R1_points", .type = ARMTAP_JSON, .count = 1, .arm = 1, .longest_array = 100},
    {.name = "R1_message", .wire = "R1_message", .type = ARMTAP_JSON, .count = 1, .arm = 1},
    {.name = "lone", .wire = "lone", .type = ARMTAP_JSON, .count = 1, .longest_array = 1}};

/* "column:first+count", an element with a leading dot, a column that is not a field as @name; after a bar, the names
 * that match nothing. */
static const char *picked(const char *list, const struct table_column *columns, size_t count, char *out, size_t room)
{
    struct selection selection;
    struct picks picks;
    size_t length = 0;
    out[0] = '\0';
    assert_int_equal(selection_parse(list, &selection), 0);
    assert_int_equal(selection_apply(&selection, columns, count, &picks), 0);
    for (size_t i = 0; i < picks.count; i++) {
        const struct pick *pick = &picks.pick[i];
        if (pick->row_column != ROW_COLUMN_NONE) {
            length += (size_t)snprintf(out + length, room - length, "%s@%s", i == 0 ? "" : " ", pick->name);
            continue;
        }
        assert_string_equal(pick->name, columns[pick->column].name);
        length += (size_t)snprintf(out + length, room - length, "%s%s%zu:%u+%u", i == 0 ? "" : " ",
                                   pick->element ? "." : "", pick->column, pick->first, pick->count);
    }
    for (size_t i = 0; i < selection.count; i++)
        if (!selection.found[i])
            length += (size_t)snprintf(out + length, room - length, "|%s", selection.names[i]);
    picks_free(&picks);
    selection_free(&selection);
    return out;
}

#define PICKED(list, columns) picked(list, columns, sizeof(columns) / sizeof *(columns), out, sizeof out)

static void all(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED(NULL, robot), "0:0+1 1:0+6 2:0+6 3:0+1 4:0+6 5:0+1 6:0+3");
}

static void names_in_the_order_wanted(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("robot_mode,timestamp", robot), "3:0+1 0:0+1");
    assert_string_equal(PICKED("actual_q", robot), "1:0+6");
    assert_string_equal(PICKED(" actual_qd ,, timestamp,", robot), "2:0+6 0:0+1");
}

static void elements(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("actual_q_5,actual_q_0", robot), ".1:5+1 .1:0+1");
    assert_string_equal(PICKED("output_int_register_0", robot), "5:0+1");
    assert_string_equal(PICKED("actual_q_6", robot), "|actual_q_6");
    assert_string_equal(PICKED("payload_cog_2,payload_cog_3", robot), ".6:2+1|payload_cog_3");
    assert_string_equal(PICKED("actual_q_00,actual_q_,actual_q_-1,actual_q_0x,timestamp_0", robot),
                        "|actual_q_00|actual_q_|actual_q_-1|actual_q_0x|timestamp_0");
    assert_string_equal(PICKED("actual_q_18446744073709551616", robot), "|actual_q_18446744073709551616");
    assert_string_equal(PICKED("actual_q_0,timestamp,actual_q", robot), "0:0+1 1:0+6");
    assert_string_equal(PICKED("actual_q,actual_q_0", robot), "1:0+6");
}

static void exact_names_go_first(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("a_1", confusing), "1:0+1 4:0+1");
    assert_string_equal(PICKED("a_2", confusing), ".0:2+1");
    assert_string_equal(PICKED("[x]", confusing), "2:0+1");
    assert_string_equal(PICKED("time", confusing), "3:0+1");
}

static void globs(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("actual_*", robot), "1:0+6 2:0+6");
    assert_string_equal(PICKED("*_mode", robot), "3:0+1 4:0+6");
    assert_string_equal(PICKED("actual_q_[0-1]", robot), ".1:0+1 .1:1+1");
    assert_string_equal(PICKED("*_0", robot), ".1:0+1 .2:0+1 .4:0+1 5:0+1 .6:0+1");
    assert_string_equal(PICKED("*", robot), "0:0+1 1:0+6 2:0+6 3:0+1 4:0+6 5:0+1 6:0+3");
    assert_string_equal(PICKED("target_*", robot), "|target_*");
}

static void nothing_comes_twice(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("timestamp,timestamp", robot), "0:0+1");
    assert_string_equal(PICKED("robot_mode,*", robot), "3:0+1 0:0+1 1:0+6 2:0+6 4:0+6 5:0+1 6:0+3");
    assert_string_equal(PICKED("actual_q_1,actual_q_*", robot), ".1:1+1 .1:0+1 .1:2+1 .1:3+1 .1:4+1 .1:5+1");
}

static void what_is_left_out(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("*,!actual_*", robot), "0:0+1 3:0+1 4:0+6 5:0+1 6:0+3");
    assert_string_equal(PICKED("!actual_*,!payload_cog", robot), "0:0+1 3:0+1 4:0+6 5:0+1");
    assert_string_equal(PICKED("actual_q,!actual_q_3", robot), ".1:0+1 .1:1+1 .1:2+1 .1:4+1 .1:5+1");
    assert_string_equal(PICKED("!timestamp,timestamp,robot_mode,time,!time", robot), "3:0+1");
    assert_string_equal(PICKED("*_mode,!rt_*", robot), "3:0+1 4:0+6");
    assert_string_equal(PICKED("robot_mode,!robot_mod", robot), "3:0+1|!robot_mod");
}

static void columns_that_are_no_fields(void **state)
{
    char out[300];
    (void)state;
    assert_string_equal(PICKED("time,timestamp", robot), "@time 0:0+1");
    assert_string_equal(PICKED("packet,time_ns,robot_mode,packet", robot), "@packet @time_ns 3:0+1");
    assert_string_equal(PICKED("*", lone), "0:0+1");
    assert_string_equal(PICKED("pack*,[s]tream,time_n?", robot), "|pack*|[s]tream|time_n?");
    assert_string_equal(PICKED("Packet,packet_0,time_", robot), "|Packet|packet_0|time_");
    /* The field takes precedence. */
    assert_string_equal(PICKED("time,packet", confusing), "3:0+1 @packet");
}

static void dropped(void **state)
{
    struct selection selection;
    struct picks picks;
    (void)state;
    assert_int_equal(selection_parse("time,timestamp,packet", &selection), 0);
    assert_int_equal(selection_apply(&selection, robot, 1, &picks), 0);
    picks_drop(&picks, ROW_COLUMN_time);
    picks_drop(&picks, ROW_COLUMN_stream);
    assert_int_equal(picks.count, 2);
    assert_string_equal(picks.pick[0].name, "timestamp");
    assert_string_equal(picks.pick[1].name, "packet");
    picks_free(&picks);
    selection_free(&selection);
}

static void what_is_not_there(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED("actual_Q,timestamp,Robot_mode", robot), "0:0+1|actual_Q|Robot_mode");
    assert_string_equal(picked("a,time", robot, 0, out, sizeof out), "@time|a");
}

static void names_of_the_wire(void **state)
{
    char out[400];
    (void)state;
    assert_string_equal(PICKED(NULL, arms), "0:0+6 1:0+7 2:0+100 3:0+1 4:0+1");
    assert_string_equal(PICKED("R1_actual_q", arms), "0:0+6");
    assert_string_equal(PICKED("actual_q,R1_actual_q", arms), "0:0+6");
    assert_string_equal(PICKED("R1_actual_q_5,actual_q_5,R1_actual_q_6", arms), ".0:5+1|R1_actual_q_6");
    assert_string_equal(PICKED("R2_actual_q_6,R2_actual_q_7", arms), ".1:6+1|R2_actual_q_7");
    assert_string_equal(PICKED("R1_*", arms), "0:0+6 2:0+100 3:0+1");
    assert_string_equal(PICKED("R?_actual_q_0", arms), ".0:0+1 .1:0+1");
    assert_string_equal(PICKED("R1_points_99,R1_points_63,R1_points_31", arms), ".2:99+1 .2:63+1 .2:31+1");
    assert_string_equal(PICKED("lone_0,R1_message_0", arms), ".4:0+1|R1_message_0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all),
        cmocka_unit_test(names_in_the_order_wanted),
        cmocka_unit_test(elements),
        cmocka_unit_test(exact_names_go_first),
        cmocka_unit_test(globs),
        cmocka_unit_test(nothing_comes_twice),
        cmocka_unit_test(what_is_left_out),
        cmocka_unit_test(columns_that_are_no_fields),
        cmocka_unit_test(dropped),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(names_of_the_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
