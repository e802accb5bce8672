/* Values by position: stored values are read back, cells never stored are absent, damaged cells do no harm; and recipes
 * of such values, with fields of several arms. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/recipe.h"
#include "inside.h"

static struct armtap_value text_of(enum armtap_type type, const char *text, size_t length)
{
    struct armtap_value value = {.type = type, .count = 1, .present = true};
    value.text = text;
    value.length = length;
    return value;
}

static bool is_text(enum armtap_type type)
{
    return type == ARMTAP_STRING || type == ARMTAP_BYTES || type == ARMTAP_JSON;
}

static struct armtap_value numbers_of(const double *numbers, unsigned count)
{
    struct armtap_value value = {.type = ARMTAP_DOUBLE, .count = count, .present = true};
    memcpy(value.f64, numbers, count * sizeof *numbers);
    return value;
}

static struct armtap_value whole_of(enum armtap_type type, int64_t number)
{
    struct armtap_value value = {.type = type, .count = 1, .present = true};
    value.i64[0] = number;
    return value;
}

static void what_was_put_is_read(void **state)
{
    static const double joints[6] = {0.1, -1.5, 3.0999999046325684, 1e308, -0.0, 5e-324};
    struct armtap_cells cells = {0};
    struct armtap_value put[] = {
        numbers_of(joints, 6),
        text_of(ARMTAP_STRING, "a\0b", 3),
        text_of(ARMTAP_JSON, "[[1,2],[3]]", 11),
        whole_of(ARMTAP_INT64, INT64_MIN),
        whole_of(ARMTAP_BOOL, 1),
        text_of(ARMTAP_STRING, "", 0),
        numbers_of(joints, 3),
    };
    size_t count = sizeof put / sizeof *put;
    (void)state;
    for (int round = 0; round < 2; round++) { /* the memory is reused */
        assert_int_equal(armtap_cells_begin(&cells, count + 1), ARMTAP_OK);
        for (size_t i = count; i-- > 0;)
            assert_int_equal(armtap_cells_put(&cells, i, &put[i]), ARMTAP_OK);
        for (size_t i = 0; i < count; i++) {
            struct armtap_value got;
            armtap_cells_read(cells.bytes, cells.length, i, &got);
            assert_true(got.present);
            assert_int_equal(got.type, put[i].type);
            assert_int_equal(got.count, put[i].count);
            if (is_text(got.type)) {
                assert_int_equal(got.length, put[i].length);
                assert_memory_equal(got.text, put[i].text, got.length);
            } else {
                assert_memory_equal(got.u64, put[i].u64, got.count * 8);
            }
        }
    }
    armtap_cells_free(&cells);
}

static void what_was_not_put_is_absent(void **state)
{
    struct armtap_cells cells = {0};
    struct armtap_value value = whole_of(ARMTAP_INT64, 1), got;
    (void)state;
    assert_int_equal(armtap_cells_begin(&cells, 2), ARMTAP_OK);
    value.present = false;
    assert_int_equal(armtap_cells_put(&cells, 0, &value), ARMTAP_OK);
    for (size_t i = 0; i < 4; i++) {
        got.present = true;
        armtap_cells_read(cells.bytes, cells.length, i, &got);
        assert_false(got.present);
    }
    value.present = true;
    assert_int_equal(armtap_cells_put(&cells, 2, &value), ARMTAP_ERR_ARGUMENT);
    value.count = 7;
    assert_int_equal(armtap_cells_put(&cells, 0, &value), ARMTAP_ERR_ARGUMENT);
    got.present = true;
    armtap_cells_read(NULL, 0, 0, &got);
    assert_false(got.present);
    armtap_cells_free(&cells);
}

/* Every cut and every changed byte: reading, under the sanitizers, stays within the cells. */
static void damaged_cells(void **state)
{
    static const double joints[6] = {1, 2, 3, 4, 5, 6};
    struct armtap_cells cells = {0};
    struct armtap_value put[] = {numbers_of(joints, 6), text_of(ARMTAP_JSON, "[1]", 3), whole_of(ARMTAP_BOOL, 1)}, got;
    (void)state;
    assert_int_equal(armtap_cells_begin(&cells, 3), ARMTAP_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(armtap_cells_put(&cells, i, &put[i]), ARMTAP_OK);
    for (size_t length = 0; length < cells.length; length++) {
        uint8_t *cut = malloc(length + 1); /* exact, so that the sanitizer detects a read beyond it */
        assert_non_null(cut);
        memcpy(cut, cells.bytes, length);
        for (size_t i = 0; i < 4; i++)
            armtap_cells_read(cut, length, i, &got);
        free(cut);
    }
    for (size_t at = 0; at < cells.length; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            uint8_t *damaged = malloc(cells.length);
            assert_non_null(damaged);
            memcpy(damaged, cells.bytes, cells.length);
            damaged[at] ^= (uint8_t)(1u << bit);
            for (size_t i = 0; i < 4; i++) {
                armtap_cells_read(damaged, cells.length, i, &got);
                if (got.present && is_text(got.type) && got.length > 0)
                    assert_in_range((uintptr_t)got.text + got.length, (uintptr_t)damaged,
                                    (uintptr_t)damaged + cells.length);
            }
            free(damaged);
        }
    armtap_cells_free(&cells);
}

/* R1 and R2 of one message go to separate states; a topic that names no arm goes to both; a value whose type differs
 * from its field's is delivered but sets nothing. */
static void arms_have_states_of_their_own(void **state)
{
    static const double first[6] = {1, 2, 3, 4, 5, 6}, second[6] = {-1, -2, -3, -4, -5, -6};
    const struct armtap_field *joints = armtap_field_find("actual_q", 8);
    struct armtap_state *one = armtap_state_new(), *two = armtap_state_new();
    struct armtap_cells cells = {0};
    struct armtap_recipe *recipe;
    struct armtap_set updated;
    struct armtap_value value;
    (void)state;
    assert_int_equal(armtap_recipe_of_cells(ARMTAP_AUBO, 5, 64, &recipe), ARMTAP_OK);
    armtap_recipe_add_cell(recipe, "R1_actual_q", 11, joints, 1);
    armtap_recipe_add_cell(recipe, "R2_actual_q", 11, joints, 2);
    armtap_recipe_add_cell(recipe, "timestamp", 9, armtap_field_find("timestamp", 9), 0);
    armtap_recipe_add_cell(recipe, "R2_robot_mode", 13, armtap_field_find("robot_mode", 10), 2);
    armtap_recipe_add_cell(recipe, "R1_message", 10, NULL, 1);
    assert_int_equal(recipe->arms, 3);
    assert_int_equal(armtap_cells_begin(&cells, 5), ARMTAP_OK);
    struct armtap_value put[] = {numbers_of(first, 6), numbers_of(second, 6), numbers_of(&second[5], 1),
                                 text_of(ARMTAP_STRING, "Dancing", 7), text_of(ARMTAP_STRING, "hello", 5)};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(armtap_cells_put(&cells, i, &put[i]), ARMTAP_OK);

    armtap_recipe_decode_arm(recipe, cells.bytes, cells.length, 1, one, &updated);
    assert_true(armtap_set_has(&updated, ARMTAP_ID_actual_q));
    assert_memory_equal(one->actual_q, first, sizeof first);
    armtap_recipe_decode_arm(recipe, cells.bytes, cells.length, 2, two, &updated);
    assert_memory_equal(two->actual_q, second, sizeof second);
    assert_false(armtap_set_has(&updated, ARMTAP_ID_robot_mode));
    assert_true(one->timestamp == -6 && two->timestamp == -6);

    armtap_recipe_read(recipe, 3, cells.bytes, cells.length, &value);
    assert_true(value.present && !value.field && value.type == ARMTAP_STRING && value.length == 7);
    armtap_recipe_read(recipe, 1, cells.bytes, cells.length, &value);
    assert_true(value.field == joints && strcmp(value.name, "R2_actual_q") == 0);
    assert_int_equal(armtap_recipe_at(recipe, 1)->arm, 2);
    assert_int_equal(armtap_encode_values(recipe, one, cells.bytes, cells.length), ARMTAP_ERR_ARGUMENT);
    armtap_cells_free(&cells);
    armtap_recipe_release(recipe);
    armtap_state_free(one);
    armtap_state_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_read),
        cmocka_unit_test(what_was_not_put_is_absent),
        cmocka_unit_test(damaged_cells),
        cmocka_unit_test(arms_have_states_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
