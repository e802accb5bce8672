/* Sheets and pages of armtap watch: what stands in which cell, whatever the text; keys. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "watch/pages.h"

static void text_of(char to[200], const struct sheet *sheet, int row)
{
    *to = '\0';
    for (int i = 0; i < sheet->columns; i++) {
        const struct cell *cell = &sheet->cells[row * sheet->columns + i];
        if (!cell->is_right_half)
            strcat(to, cell->text[0] != '\0' ? cell->text : " ");
    }
}

static void expect_row(const struct sheet *sheet, int row, const char *text)
{
    char shown[200];
    text_of(shown, sheet, row);
    assert_string_equal(shown, text);
}

/* ---- sheets ------------------------------------------------------------------------------------------------------ */

static void texts_stay_in_their_cells(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"abc", "abc       "},
        {"0123456789", "0123456789"},
        {"0123456789abc", "012345678>"}, /* what was cut is marked */
        {"012345678    ", "012345678 "},
        {"\033[2J", "\\x1b[2J   "},
        {"a\nb\tc", "a\\x0ab\\x0>"}, /* as far as it fits */
        {"\xff", "\\xff      "},
        {"\xc2\x9b"
         "1m",
         "\\xc2\\x9b1m"},
        {"\xc3\xbc"
         "ber",
         "\xc3\xbc"
         "ber      "},
        {"e\xcc\x81"
         "a",
         "e\xcc\x81"
         "a        "},                                                  /* a mark that combines is no column */
        {"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac      "}, /* two columns each */
        {"123456789\xe6\x97\xa5", "123456789>"},                        /* half of it does not fit */
        {"12345678\xe6\x97\xa5x", "12345678 >"},
        {"\xe2\x80\xae"
         "x",
         "\\xe2\\x80"},
    };
    struct sheet sheet = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(sheet_begin(&sheet, 2, 10), 0);
        struct pen pen = pen_at(&sheet, 0, 0);
        pen_put(&pen, cases[i].text);
        if (strncmp(cases[i].text, "\xe2\x80\xae", 3) != 0)
            expect_row(&sheet, 0, cases[i].shown);
        expect_row(&sheet, 1, "          ");
    }
    sheet_free(&sheet);
}

static void nothing_is_written_outside(void **state)
{
    struct sheet sheet = {0};
    (void)state;
    assert_int_equal(sheet_begin(&sheet, 3, 5), 0);
    for (int row = -2; row < 6; row++)
        for (int column = -3; column < 9; column++) {
            struct pen pen = pen_at(&sheet, row, column);
            pen_put(&pen, "\xe6\x97\xa5xyz");
            pen_to(&pen, 20);
            sheet_wrap(&sheet, row, column, 4, 3, plain, "some words that go on");
        }
    sheet_free(&sheet);
}

static void words_are_wrapped(void **state)
{
    struct sheet sheet = {0};
    (void)state;
    assert_int_equal(sheet_begin(&sheet, 3, 12), 0);
    assert_int_equal(sheet_wrap(NULL, 0, 0, 10, 3, plain, "one two three four"), 2);
    assert_int_equal(sheet_wrap(&sheet, 0, 1, 10, 3, plain, "one two three four"), 2);
    expect_row(&sheet, 0, " one two    ");
    expect_row(&sheet, 1, " three four ");
    assert_int_equal(sheet_begin(&sheet, 2, 12), 0);
    assert_int_equal(sheet_wrap(&sheet, 0, 0, 10, 2, plain, "0123456789abcdefghijklmnop"), 2);
    expect_row(&sheet, 0, "0123456789  ");
    expect_row(&sheet, 1, "abcdefg...  ");
    sheet_free(&sheet);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static struct watch_robot robot;

static void begin_scene(struct watch_scene *scene)
{
    *scene = (struct watch_scene){.robots = {&robot}, .robot_count = 1, .now = 100 * SECOND, .begun = 0};
    memset(&robot, 0, sizeof robot);
    robot.state = armtap_state_in(robot.memory, sizeof robot.memory);
    snprintf(robot.name, sizeof robot.name, "cell-3");
    robot.arm = 1;
    robot.generation = ARMTAP_GENERATION_CB3E;
    robot.first = robot.newest = scene->now;
    robot.curves.slot = -1;
    robot.edge.time = ARMTAP_NO_TIME;
    snprintf(scene->found.verdict.text, sizeof scene->found.verdict.text, "So far: all is well.");
}

/* Whether some row of the page contains the text. */
static bool has(const struct sheet *sheet, const char *text)
{
    char row[1000];
    for (int i = 0; i < sheet->rows; i++) {
        *row = '\0';
        for (int k = 0; k < sheet->columns; k++)
            strcat(row, sheet->cells[i * sheet->columns + k].text[0] ? sheet->cells[i * sheet->columns + k].text : " ");
        if (strstr(row, text))
            return true;
    }
    return false;
}

static void set_number(unsigned field, unsigned element, double number)
{
    struct armtap_value value;
    armtap_state_get(robot.state, armtap_field_at(field), &value);
    for (unsigned i = 0; i < value.count && !value.present; i++)
        value.f64[i] = 0;
    value.f64[element] = number;
    if (value.type != ARMTAP_DOUBLE)
        value.u64[element] = (uint64_t)number;
    assert_int_equal(armtap_state_set(robot.state, armtap_field_at(field), &value), ARMTAP_OK);
}

static void values_have_their_places(void **state)
{
    struct watch_scene scene;
    struct view view = {.page = PAGE_robot, .source = "x"};
    struct sheet sheet = {0};
    (void)state;
    begin_scene(&scene);
    set_number(ARMTAP_ID_robot_mode, 0, 7);
    set_number(ARMTAP_ID_safety_status, 0, 8);
    set_number(ARMTAP_ID_actual_q, 2, 1.5707963267948966);
    set_number(ARMTAP_ID_actual_digital_input_bits, 0, 0x10002);
    assert_int_equal(page_draw(&sheet, 24, 80, &scene, &view), 0);
    assert_true(has(&sheet, " mode      RUNNING"));
    assert_true(has(&sheet, " safety    VIOLATION"));
    assert_true(has(&sheet, " elbow        90.00 "));
    assert_true(has(&sheet, "digital_in \xe2\x97\x8b\xe2\x97\x8f\xe2\x97\x8b"));
    assert_true(has(&sheet, "tool_in \xe2\x97\x8f\xe2\x97\x8b"));
    assert_true(has(&sheet, "So far: all is well."));
    view.is_ascii = true;
    assert_int_equal(page_draw(&sheet, 24, 80, &scene, &view), 0);
    assert_true(has(&sheet, "digital_in oXooo"));
    sheet_free(&sheet);
}

/* Every page, of every size, of values that no robot has. */
static void any_size_and_value_will_do(void **state)
{
    static const double strange[] = {0, -1e300, 1e300, (double)NAN, (double)INFINITY, 1e-300};
    struct watch_scene scene;
    struct sheet sheet = {0};
    (void)state;
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        begin_scene(&scene);
        for (unsigned k = 0; k < 6; k++) {
            set_number(ARMTAP_ID_actual_q, k, strange[i]);
            set_number(ARMTAP_ID_actual_qd, k, strange[i]);
            set_number(ARMTAP_ID_actual_TCP_pose, k, strange[i]);
        }
        set_number(ARMTAP_ID_speed_scaling, 0, strange[i]);
        for (enum page page = 0; page < PAGES; page++)
            for (int rows = 1; rows < 60; rows += 7)
                for (int columns = 1; columns < 200; columns += 13) {
                    const struct view view = {.page = page, .source = "x", .scroll = rows % 5, .has_keys = true};
                    assert_int_equal(page_draw(&sheet, rows, columns, &scene, &view), 0);
                }
    }
    scene.robot_count = 0;
    assert_int_equal(page_draw(&sheet, 24, 80, &scene, &(struct view){.source = "rtde://10.0.0.2"}), 0);
    assert_true(has(&sheet, "rtde://10.0.0.2: no data for 1 min 40 s"));
    assert_int_equal(page_draw(&sheet, 10, 40, &scene, &(struct view){.source = "x"}), 0);
    assert_true(has(&sheet, "This terminal has 40 x 10; armtap watch"));
    sheet_free(&sheet);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void keys_change_the_view_only(void **state)
{
    struct view view = {.page = PAGE_robot};
    (void)state;
    assert_int_equal(view_key(&view, '\t', 3), WISH_NONE);
    assert_int_equal(view.page, PAGE_joints);
    view_key(&view, VIEW_BACK_TAB, 3);
    view_key(&view, VIEW_BACK_TAB, 3);
    assert_int_equal(view.page, PAGE_fields);
    view_key(&view, VIEW_LEFT, 3);
    assert_int_equal(view.robot, 2);
    view_key(&view, VIEW_RIGHT, 3);
    view_key(&view, VIEW_RIGHT, 3);
    assert_int_equal(view.robot, 1);
    view_key(&view, VIEW_UP, 3);
    assert_int_equal(view.scroll, 0);
    assert_int_equal(view_key(&view, '/', 3), WISH_NONE);
    assert_int_equal(view_key(&view, 'q', 3), WISH_NONE); /* is typed */
    assert_string_equal(view.filter, "q");
    view_key(&view, 127, 3);
    assert_string_equal(view.filter, "");
    for (int i = 0; i < 100; i++)
        view_key(&view, 'x', 3);
    assert_int_equal(strlen(view.filter), FILTER_MAX - 1);
    view_key(&view, VIEW_ESCAPE, 3);
    assert_string_equal(view.filter, "");
    assert_int_equal(view_key(&view, 'q', 3), WISH_QUIT);
    assert_int_equal(view_key(&view, 'r', 3), WISH_RECORD);
    for (int key = 0; key < 256; key++)
        view_key(&view, key, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay_in_their_cells),  cmocka_unit_test(nothing_is_written_outside),
        cmocka_unit_test(words_are_wrapped),          cmocka_unit_test(values_have_their_places),
        cmocka_unit_test(any_size_and_value_will_do), cmocka_unit_test(keys_change_the_view_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
