/* The field that a wrong name probably means, and releases. The expected answers are those of a person who knows UR's
 * tables; there is none if two answers would be equally good. */
#include "support.h"

#include <string.h>

#include "table/field.h"
#include "protocol/note.h"
#include "protocol/release.h"

struct guess {
    const char *name, *meant; /* "" if no field is clearly nearest */
};

static void check_meant(const struct guess *guesses, size_t count, enum armtap_field_direction direction)
{
    for (size_t i = 0; i < count; i++) {
        const struct armtap_field *field = armtap_field_nearest(guesses[i].name, strlen(guesses[i].name), direction);
        const char *found = field ? field->name : "";
        if (strcmp(found, guesses[i].meant) != 0)
            fail_msg("%s: '%s', not '%s'", guesses[i].name, found, guesses[i].meant);
    }
}
#define CHECK_MEANT(guesses, direction) check_meant(guesses, sizeof guesses / sizeof guesses[0], direction)

static void test_case_and_separators(void **unused)
{
    static const struct guess guesses[] = {
        {"actual_Q", "actual_q"},
        {"ACTUAL_TCP_POSE", "actual_TCP_pose"},
        {"actual_tcp_pose", "actual_TCP_pose"},
        {"actualTCPPose", "actual_TCP_pose"},
        {"getActualTCPPose", "actual_TCP_pose"},
        {"getActualQ", "actual_q"},
        {"actual q", "actual_q"},
        {"actual-tcp-force", "actual_TCP_force"},
        {"q actual", "actual_q"},
        {"Program state", "runtime_state"},
        {"input_bit_registers_0_to_31", "input_bit_registers0_to_31"},
        {"standard_analog_input_0", "standard_analog_input0"},
        {"output_int_register24", "output_int_register_24"},
        {"getter_state", ""},
        {"", ""},
        {"_", ""},
    };
    (void)unused;
    CHECK_MEANT(guesses, ARMTAP_FIELD_OUTPUT);
}

static void test_elements_of_vectors(void **unused)
{
    static const struct guess guesses[] = {
        {"actual_q_0", "actual_q"},
        {"actual_q_5", "actual_q"},
        {"actual_q_6", ""},
        {"actual_q[3]", "actual_q"},
        {"actual_Q[3]", "actual_q"},
        {"actual_q3", "actual_q"},
        {"actual_q_3]", ""},
        {"elbow_position_2", "elbow_position"},
        {"elbow_position_3", ""},
        {"timestamp_0", ""},
        {"actual_TCP_pose_5", "actual_TCP_pose"},
    };
    (void)unused;
    CHECK_MEANT(guesses, ARMTAP_FIELD_OUTPUT);
}

/* Typing errors: as many as allowed and one more, near one field or two. */
static void test_slips(void **unused)
{
    static const struct guess guesses[] = {
        {"timestamp", "timestamp"},
        {"timestam", "timestamp"}, /* 8 letters: one error */
        {"timestammp", "timestamp"},
        {"timestmap", "timestamp"}, /* two neighbours swapped: one error */
        {"timesptam", ""},          /* two errors in 9 letters are too many */
        {"robot_node", "robot_mode"},
        {"robot_nude", ""},
        {"runtime_status", "runtime_state"}, /* 14 letters: two errors */
        {"rumtime_status", ""},
        {"runtime_sstatee", "runtime_state"}, /* two in 15 */
        {"actual_digital_imput_bitz", "actual_digital_input_bits"},
        {"actaul_digitl_imput_bits", "actual_digital_input_bits"}, /* three in 24 */
        {"actaul_digitl_imput_bitz", ""},                          /* four */
        {"safety_status_bit", "safety_status_bits"},
        {"saftey_mode", "safety_mode"},
        {"payload_cof", "payload_cog"},
        {"target_qq", ""}, /* target_q and target_qd are equally near */
        {"actual_a", ""},  /* something else */
        {"actual_x", ""},
        {"output_int_register_48", ""}, /* a wrong number is not a typing error */
        {"output_int_regster_24", "output_int_register_24"},
        {"standard_analog_input2", ""},
        {"joint_temperature", "joint_temperatures"},
        {"tool_acceleration", ""},
        {"target_TCP_force", ""},
        {"qdd", ""},
        {"xyzzy", ""},
    };
    (void)unused;
    CHECK_MEANT(guesses, ARMTAP_FIELD_OUTPUT);
}

static void test_misnomers_and_directions(void **unused)
{
    static const struct guess outputs[] = {
        {"actual_qdd", ""},    /* would be two errors from actual_q, and no release has it */
        {"actual_moment", ""}, /* not actual_momentum, which is something else */
        {"tool_force_scalar", "tcp_force_scalar"},
        {"controller_step", "control_step"},
        {"joint_positions", "actual_q"},
        {"speed_slider_mas", ""},
    };
    static const struct guess inputs[] = {
        {"speed_slider_mas", "speed_slider_mask"},
        {"actual_Q", ""},
        {"joint_positions", ""},
    };
    static const struct guess both[] = {{"actual_Q", "actual_q"}, {"speed_slider_mas", "speed_slider_mask"}};
    (void)unused;
    CHECK_MEANT(outputs, ARMTAP_FIELD_OUTPUT);
    CHECK_MEANT(inputs, ARMTAP_FIELD_INPUT);
    CHECK_MEANT(both, ARMTAP_FIELD_BOTH);
}

/* A name of the table is its own nearest: no other is offered. With a letter left out, it is found again or nothing is.
 */
static void test_all_names_with_a_letter_left_out(void **unused)
{
    unsigned back = 0, all = 0;
    (void)unused;
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const struct armtap_field *field = armtap_field_at(id);
        size_t length = strlen(field->name);
        if (!(field->direction & ARMTAP_FIELD_BOTH))
            continue;
        assert_ptr_equal(armtap_field_nearest(field->name, length, ARMTAP_FIELD_BOTH), field);
        for (size_t out = 0; out < length; out++) {
            char name[64];
            memcpy(name, field->name, out);
            memcpy(name + out, field->name + out + 1, length - out);
            if (strchr("0123456789", field->name[out]) || armtap_field_find(name, length - 1))
                continue;
            const struct armtap_field *found = armtap_field_nearest(name, length - 1, ARMTAP_FIELD_BOTH);
            if (found && found != field)
                fail_msg("%s is taken for %s, not %s", name, found->name, field->name);
            back += found == field;
            all++;
        }
    }
    print_message("a letter left out: %u of %u names found again, none taken for another\n", back, all);
    assert_true(back * 100 >= all * 90);
}

static void check_release(const char *since, const char *version, enum armtap_release_fit wanted)
{
    enum armtap_release_fit found = armtap_release_judge(since, version);
    if (found != wanted)
        fail_msg("since %s, controller %s: %d, not %d", since, version, (int)found, (int)wanted);
}

static void test_releases(void **unused)
{
    (void)unused;
    check_release("3.5.0 / 5.0.0", "3.4.9.9", ARMTAP_RELEASE_OLDER);
    check_release("3.5.0 / 5.0.0", "3.5.0.1", ARMTAP_RELEASE_HAS);
    check_release("3.10.0 / 5.4.0", "3.9.1", ARMTAP_RELEASE_OLDER); /* numbers, not letters */
    check_release("3.15 / 5.11", "3.15.0.1", ARMTAP_RELEASE_HAS);
    check_release("3.15 / 5.11", "5.10.9.1", ARMTAP_RELEASE_OLDER);
    check_release("3.11.0 / 5.5.1", "5.5.0.7", ARMTAP_RELEASE_OLDER);
    check_release("3.11.0 / 5.5.1", "5.5.1.7", ARMTAP_RELEASE_HAS);
    check_release("5.23.0 / 10.11.0", "3.15.8", ARMTAP_RELEASE_NEVER);
    check_release("5.23.0 / 10.11.0", "10.9.0", ARMTAP_RELEASE_OLDER);
    check_release("10.15.0", "5.26.0", ARMTAP_RELEASE_NEVER);
    check_release("3.4.0", "5.0.0", ARMTAP_RELEASE_HAS); /* later series had it from the start */
    check_release("5.2.0", "10.1.0", ARMTAP_RELEASE_HAS);
    check_release("", "5.0.0", ARMTAP_RELEASE_UNKNOWN);
    check_release("3.4.0", "", ARMTAP_RELEASE_UNKNOWN);
    check_release("3.4.0", "1.8.0", ARMTAP_RELEASE_UNKNOWN); /* a series without RTDE */
}

/* Every release in the table can be read. */
static void test_every_release_in_the_table(void **unused)
{
    (void)unused;
    for (size_t id = 0; id < armtap_field_count(); id++) {
        const char *since = armtap_field_at(id)->since;
        struct armtap_line line;
        if (since[0] == '\0')
            continue;
        armtap_line_begin(&line);
        armtap_release_list(&line, since);
        assert_true(strstr(line.text, "(CB3)") || strstr(line.text, "(e-Series)") ||
                    strstr(line.text, "(PolyScope X)"));
        assert_int_equal(armtap_release_judge(since, "10.99.0"), ARMTAP_RELEASE_HAS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_and_separators),
        cmocka_unit_test(test_elements_of_vectors),
        cmocka_unit_test(test_slips),
        cmocka_unit_test(test_misnomers_and_directions),
        cmocka_unit_test(test_all_names_with_a_letter_left_out),
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_every_release_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
