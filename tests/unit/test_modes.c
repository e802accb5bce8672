/* The timeline of modes, and what is found in it. */
#include <stdio.h>
#include <string.h>

#include "analysis_scene.h"
#include "support.h"

/* Each of these fields changes by itself, and the other is not used up by it. */
#define MODES_OF_A_FIELD 10000

static const struct armtap_mode *last_of(const struct armtap_diagnosis *diagnosis, const char *field, size_t *count)
{
    const struct armtap_mode *mode = NULL, *last = NULL;
    *count = 0;
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(diagnosis, i)); i++) {
        if (strcmp(mode->field->name, field) != 0)
            continue;
        if (last)
            assert_true(last->kept_until == ARMTAP_NO_TIME);
        last = mode;
        ++*count;
    }
    return last;
}

/* A program that starts and stops uses up the room of runtime_state, but not that of safety_mode; the last state that
 * is kept ends where the first that is not begins. */
static void a_field_has_room_of_its_own(void **state)
{
    struct analysis_scene scene;
    size_t count;
    int64_t first_lost = 0;
    (void)state;
    scene_prepare(&scene);
    armtap_set_add(&scene.updated, ARMTAP_ID_runtime_state);
    assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
    for (unsigned i = 1; i <= MODES_OF_A_FIELD + 5; i++) {
        scene.state->runtime_state = i % 2 == 0 ? 1 : 2;
        assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        if (i == MODES_OF_A_FIELD + 1)
            first_lost = scene.record.where.time;
    }
    scene.state->safety_mode = 5;
    assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    const struct armtap_mode *program = last_of(scene.diagnosis, "runtime_state", &count);
    assert_int_equal(count, MODES_OF_A_FIELD);
    assert_int_equal(program->where.packet, MODES_OF_A_FIELD);
    assert_true(program->kept_until == first_lost);
    const struct armtap_mode *safety = last_of(scene.diagnosis, "safety_mode", &count);
    assert_int_equal(count, 2);
    assert_string_equal(safety->name, "SAFEGUARD_STOP");
    assert_true(safety->kept_until == ARMTAP_NO_TIME);
    assert_int_equal(armtap_diagnosis_modes_left_out(scene.diagnosis), 5);
    scene_clear(&scene);
}

/* As many changes as are kept, and one more, which no list of other changes is needed for. */
static void the_last_that_fits_has_no_end(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        struct analysis_scene scene;
        size_t count;
        scene_prepare(&scene);
        assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
        for (unsigned i = 0; i < MODES_OF_A_FIELD + more; i++) {
            scene.state->safety_mode = i % 2 == 0 ? 1 : 2;
            assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        }
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_mode *safety = last_of(scene.diagnosis, "safety_mode", &count);
        assert_int_equal(count, MODES_OF_A_FIELD);
        assert_int_equal(safety->kept_until != ARMTAP_NO_TIME, more);
        assert_int_equal(armtap_diagnosis_modes_left_out(scene.diagnosis), more);
        scene_clear(&scene);
    }
}

/* The room of all streams together: the fields that change last end early. */
static void all_streams_share_the_rest(void **state)
{
    struct analysis_scene scene;
    const struct armtap_mode *mode = NULL;
    (void)state;
    scene_prepare(&scene);
    assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
    for (unsigned stream = 0; stream < 6; stream++) {
        scene.stream.connection = stream;
        for (unsigned i = 0; i < (stream < 5 ? 9999U : 20U); i++) {
            scene.state->safety_mode = i % 2 == 0 ? 1 : 2;
            assert_int_equal(scene_record(&scene, 1), ARMTAP_OK);
        }
    }
    int64_t lost = scene.record.where.time - 14 * INT64_C(8000000);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_mode_count(scene.diagnosis), 5 * MODES_OF_A_FIELD);
    assert_int_equal(armtap_diagnosis_modes_left_out(scene.diagnosis), 15);
    for (size_t i = 0; (mode = armtap_diagnosis_mode_at(scene.diagnosis, i)); i++) {
        bool is_last = i == 5 * MODES_OF_A_FIELD - 1;
        assert_true(mode->kept_until == (is_last ? lost : ARMTAP_NO_TIME));
    }
    scene_clear(&scene);
}

/* ---- states of safety -------------------------------------------------------------------------------------------- */

enum shown { NOTHING, STOP, STATE, UNKNOWN };
static const char *const shown_ids[] = {NULL, "safety.stop", "safety.state", "safety.unknown"};

static const char *said(const struct armtap_finding *finding, const char *argument)
{
    const char *text = armtap_finding_text(finding, argument);
    return text ? text : "-";
}

/* What a finding says of a mode: NULL for a name or a doubt that it must not have. */
static void expect_state(const struct armtap_finding *finding, const char *name, const char *field, int64_t value,
                         bool is_begun, const char *doubt)
{
    double number = 0;
    assert_non_null(finding);
    assert_string_equal(said(finding, "name"), name ? name : "-");
    assert_string_equal(said(finding, "field"), field);
    assert_true(armtap_finding_number(finding, "value", &number));
    assert_true(number == (double)value);
    assert_int_equal(armtap_finding_number(finding, "is_begun", &number), is_begun);
    assert_string_equal(said(finding, "doubt"), doubt ? doubt : "-");
}

/* The safety findings of the diagnosis, in order; NULL beyond the last. */
static const struct armtap_finding *safety_finding(const struct armtap_diagnosis *diagnosis, size_t at)
{
    const struct armtap_finding *finding;
    for (size_t i = 0; (finding = armtap_diagnosis_finding_at(diagnosis, i)); i++)
        if (strncmp(finding->kind->id, "safety.", 7) == 0 && at-- == 0)
            return finding;
    return NULL;
}

/* Prepared for a stream of that generation, whose records have one mode. */
static void prepare(struct analysis_scene *scene, enum armtap_generation generation, enum armtap_field_id field)
{
    scene_prepare(scene);
    assert_int_equal(scene_begin(scene, NULL), ARMTAP_OK);
    scene->stream.generation = generation;
    scene->updated = (struct armtap_set){{0}};
    armtap_set_add(&scene->updated, ARMTAP_ID_timestamp);
    armtap_set_add(&scene->updated, field);
}

static void show(struct analysis_scene *scene, enum armtap_field_id field, int64_t value)
{
    if (field == ARMTAP_ID_robot_mode)
        scene->state->robot_mode = (int32_t)value;
    else if (field == ARMTAP_ID_safety_mode)
        scene->state->safety_mode = (int32_t)value;
    else if (field == ARMTAP_ID_safety_status)
        scene->state->safety_status = (int32_t)value;
    else if (field == ARMTAP_ID_safety_status_bits)
        scene->state->safety_status_bits = (uint32_t)value;
    else
        scene->state->runtime_state = (uint32_t)value;
    assert_int_equal(scene_record(scene, 1), ARMTAP_OK);
}

/* What a value shows that a field changes into, or has from the start. */
static void expect_shown(enum armtap_generation generation, enum armtap_field_id field, int64_t before, int64_t value,
                         enum shown wanted, const char *name, bool is_first)
{
    struct analysis_scene scene;
    prepare(&scene, generation, field);
    if (!is_first)
        show(&scene, field, before);
    show(&scene, field, value);
    show(&scene, field, value);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    const struct armtap_finding *finding = safety_finding(scene.diagnosis, 0);
    if ((finding != NULL) != (wanted != NOTHING))
        print_error("%s %s %lld\n", armtap_field_at(field)->name, name ? name : "unknown", (long long)value);
    assert_int_equal(finding != NULL, wanted != NOTHING);
    assert_null(safety_finding(scene.diagnosis, 1));
    const struct armtap_incident *incident = armtap_diagnosis_incident_at(scene.diagnosis, 0);
    bool is_end = field == ARMTAP_ID_runtime_state && !is_first && name &&
                  (strstr(name, "topp") || strstr(name, "STOPP") || strstr(name, "Abort"));
    assert_int_equal(incident != NULL, wanted == STOP || wanted == STATE || is_end);
    if (finding) {
        assert_string_equal(finding->kind->id, shown_ids[wanted]);
        assert_int_equal(finding->where.packet, is_first ? 1 : 2);
        expect_state(finding, name, armtap_field_at(field)->name, value, is_first, NULL);
    }
    if (is_end) {
        assert_string_equal(incident->what->id, "program.ended");
        assert_int_equal(incident->severity, ARMTAP_INFO);
    } else if (incident) {
        assert_ptr_equal(incident->what, finding->kind);
        assert_int_equal(incident->severity, ARMTAP_WARNING);
        assert_true(wanted != STATE || incident->side == (is_first ? ARMTAP_BLAME_UNCLEAR : ARMTAP_BLAME_ROBOT));
    }
    scene_clear(&scene);
}

/* Numbers in a text, as " 3 4 ". */
struct wanted {
    const char *stops, *states, *booting, *unknown; /* `booting`: a state, but unknown from the start */
    bool are_all_known;                             /* numbers without a name show nothing */
};

static enum shown wanted_of(const struct wanted *wanted, int64_t value, const char *name, bool is_first)
{
    char number[24];
    snprintf(number, sizeof number, " %lld ", (long long)value);
    if (strstr(wanted->stops, number))
        return is_first ? STATE : STOP;
    if (strstr(wanted->states, number))
        return STATE;
    if (strstr(wanted->booting, number))
        return is_first ? UNKNOWN : STATE;
    bool is_unknown = strstr(wanted->unknown, number) || (!name && !wanted->are_all_known && value != 0);
    return is_unknown ? UNKNOWN : NOTHING;
}

/* Each value of a field, named or not, after an ordinary one, and from the start. */
static void expect_values(enum armtap_generation generation, enum armtap_field_id field, int64_t ordinary,
                          const struct wanted *wanted)
{
    for (int64_t value = -2; value < 40; value++) {
        const char *name = armtap_enum_name(armtap_field_at(field), value, generation);
        if (value != ordinary)
            expect_shown(generation, field, ordinary, value, wanted_of(wanted, value, name, false), name, false);
        expect_shown(generation, field, ordinary, value, wanted_of(wanted, value, name, true), name, true);
    }
}

static void each_value_shows_what_it_is(void **state)
{
    static const struct wanted ur = {" 3 5 6 7 12 13 14 15 16 18 19 20 22 ", " 8 9 ", " 11 ", " 10 17 21 ", false};
    static const struct wanted aubo = {" 5 6 7 8 ", " 4 9 ", " 0 ", "", false};
    static const struct wanted cb2 = {" 4 5 10 ", " 6 ", "", "", true}, aubo_robot = {"", " 10 ", "", "", true};
    static const struct wanted nothing = {"", "", "", "", true};
    (void)state;
    expect_values(ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_mode, 1, &ur);
    expect_values(ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_status, 1, &ur);
    expect_values(ARMTAP_GENERATION_UNKNOWN, ARMTAP_ID_safety_status, 1, &ur);
    expect_values(ARMTAP_GENERATION_AUBO, ARMTAP_ID_safety_mode, 1, &aubo);
    expect_values(ARMTAP_GENERATION_CB2, ARMTAP_ID_robot_mode, 0, &cb2);
    expect_values(ARMTAP_GENERATION_CB3E, ARMTAP_ID_robot_mode, 7, &nothing);
    expect_values(ARMTAP_GENERATION_AUBO, ARMTAP_ID_robot_mode, 8, &aubo_robot);
    expect_values(ARMTAP_GENERATION_CB3E, ARMTAP_ID_runtime_state, 2, &nothing);
    expect_values(ARMTAP_GENERATION_AUBO, ARMTAP_ID_runtime_state, 0, &nothing);
}

static void each_bit_shows_what_it_is(void **state)
{
    static const struct {
        const char *name;
        enum shown shown;
    } bits[] = {{"IS_NORMAL_MODE", NOTHING},
                {"IS_REDUCED_MODE", NOTHING},
                {"IS_PROTECTIVE_STOPPED", STOP},
                {"IS_RECOVERY_MODE", NOTHING},
                {"IS_SAFEGUARD_STOPPED", STOP},
                {"IS_SYSTEM_EMERGENCY_STOPPED", STOP},
                {"IS_ROBOT_EMERGENCY_STOPPED", STOP},
                {"IS_EMERGENCY_STOPPED", STOP},
                {"IS_VIOLATION", STATE},
                {"IS_FAULT", STATE},
                {"IS_STOPPED_DUE_TO_SAFETY", STOP},
                {"IS_3PE_INPUT_ACTIVE", NOTHING},
                {"-", NOTHING}};
    (void)state;
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
        enum shown at_first = bits[i].shown == NOTHING ? NOTHING : STATE;
        expect_shown(ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_status_bits, 0, 1 << i, bits[i].shown, bits[i].name,
                     false);
        expect_shown(ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_status_bits, 0, 1 << i, at_first, bits[i].name, true);
    }
}

/* Two reasons at once are two findings; bits that sum up others are none. */
static void bits_have_their_reasons(void **state)
{
    struct analysis_scene scene;
    (void)state;
    prepare(&scene, ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_status_bits);
    show(&scene, ARMTAP_ID_safety_status_bits, 0x001);
    show(&scene, ARMTAP_ID_safety_status_bits, 0x5c4);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    expect_state(safety_finding(scene.diagnosis, 0), "IS_PROTECTIVE_STOPPED", "safety_status_bits", 1476, false, NULL);
    expect_state(safety_finding(scene.diagnosis, 1), "IS_ROBOT_EMERGENCY_STOPPED", "safety_status_bits", 1476, false,
                 NULL);
    assert_string_equal(safety_finding(scene.diagnosis, 2)->kind->id, "safety.state");
    expect_state(safety_finding(scene.diagnosis, 2), "IS_VIOLATION", "safety_status_bits", 1476, false, NULL);
    assert_null(safety_finding(scene.diagnosis, 3));
    scene_clear(&scene);
}

/* What a second stream says that begins in a state, after the first began in one, or went on to others. */
static void a_state_is_said_once(void **state)
{
    static const struct {
        int mode[2];                 /* of the first stream, at first and at last */
        enum armtap_field_id second; /* the second one's field and value */
        int value;
        bool same_robot, is_news;
    } cases[] = {{{3, 3}, ARMTAP_ID_safety_mode, 3, true, false},
                 {{3, 3}, ARMTAP_ID_safety_mode, 3, false, true},
                 {{3, 3}, ARMTAP_ID_safety_mode, 7, true, true},
                 {{1, 3}, ARMTAP_ID_safety_mode, 3, true, false},
                 {{3, 1}, ARMTAP_ID_safety_mode, 3, true, true},
                 {{3, 9}, ARMTAP_ID_safety_mode, 9, true, false},
                 {{5, 5}, ARMTAP_ID_safety_status, 12, true, false},
                 {{5, 1}, ARMTAP_ID_safety_status, 12, true, true},
                 {{3, 3}, ARMTAP_ID_safety_status_bits, 0x404, true, false},
                 {{3, 1}, ARMTAP_ID_safety_status_bits, 0x404, true, true},
                 {{11, 11}, ARMTAP_ID_safety_mode, 11, true, false},
                 {{11, 11}, ARMTAP_ID_safety_mode, 11, false, true},
                 {{11, 11}, ARMTAP_ID_safety_mode, 3, true, true},
                 {{11, 11}, ARMTAP_ID_safety_status, 3, true, true},
                 {{3, 3}, ARMTAP_ID_safety_mode, 11, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        prepare(&scene, ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_mode);
        show(&scene, ARMTAP_ID_safety_mode, cases[i].mode[0]);
        show(&scene, ARMTAP_ID_safety_mode, cases[i].mode[1]);
        scene.stream.connection = 1;
        snprintf(scene.stream.robot, sizeof scene.stream.robot, "%s",
                 cases[i].same_robot ? "10.0.0.2:30013" : "10.0.0.3:30004");
        scene.updated = (struct armtap_set){{0}};
        armtap_set_add(&scene.updated, cases[i].second);
        scene.record.where.packet = 99;
        show(&scene, cases[i].second, cases[i].value);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_finding *finding = NULL;
        for (size_t k = 0; !finding && safety_finding(scene.diagnosis, k); k++)
            if (safety_finding(scene.diagnosis, k)->where.packet == 100)
                finding = safety_finding(scene.diagnosis, k);
        assert_int_equal(finding != NULL, cases[i].is_news);
        scene_clear(&scene);
    }
}

/* What a program does says nothing of safety. */
static void a_program_ends_no_state(void **state)
{
    struct analysis_scene scene;
    (void)state;
    prepare(&scene, ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_mode);
    armtap_set_add(&scene.updated, ARMTAP_ID_runtime_state);
    armtap_set_add(&scene.updated, ARMTAP_ID_robot_mode);
    show(&scene, ARMTAP_ID_safety_mode, 3);
    show(&scene, ARMTAP_ID_runtime_state, 1);
    show(&scene, ARMTAP_ID_robot_mode, 5);
    scene.stream.connection = 1;
    show(&scene, ARMTAP_ID_safety_mode, 3);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_non_null(safety_finding(scene.diagnosis, 0));
    assert_null(safety_finding(scene.diagnosis, 1));
    scene_clear(&scene);
}

/* Streams without a robot's address, as of raw dumps, may be of different robots. */
static void unknown_robots_are_not_the_same(void **state)
{
    struct analysis_scene scene;
    (void)state;
    prepare(&scene, ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_mode);
    scene.stream.robot[0] = '\0';
    show(&scene, ARMTAP_ID_safety_mode, 3);
    scene.stream.connection = 1;
    show(&scene, ARMTAP_ID_safety_mode, 3);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_non_null(safety_finding(scene.diagnosis, 1));
    scene_clear(&scene);
}

static bool is_change(const struct armtap_finding *finding, int64_t from, int64_t to, const char *name_before,
                      const char *name)
{
    double before = 0, after = 0;
    return strcmp(finding->kind->id, "mode.changed") == 0 && armtap_finding_number(finding, "value_before", &before) &&
           armtap_finding_number(finding, "value", &after) && before == (double)from && after == (double)to &&
           strcmp(said(finding, "name_before"), name_before) == 0 && strcmp(said(finding, "name"), name) == 0;
}

/* Modes may be negative, the program's state may not: a change names the old one as it was. */
static void values_keep_their_sign(void **state)
{
    static const struct {
        enum armtap_field_id field;
        int64_t from, to;
        const char *name_before, *name; /* "-": none */
    } cases[] = {{ARMTAP_ID_robot_mode, -1, 7, "NO_CONTROLLER", "RUNNING"},
                 {ARMTAP_ID_robot_mode, 7, -1, "RUNNING", "NO_CONTROLLER"},
                 {ARMTAP_ID_safety_mode, -2147483647, 1, "-", "NORMAL"},
                 {ARMTAP_ID_runtime_state, 4294967295, 1, "-", "STOPPED"},
                 {ARMTAP_ID_runtime_state, 1, 4294967295, "STOPPED", "-"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        const struct armtap_finding *finding;
        bool is_said = false;
        prepare(&scene, ARMTAP_GENERATION_CB3E, cases[i].field);
        show(&scene, cases[i].field, cases[i].from);
        show(&scene, cases[i].field, cases[i].from);
        show(&scene, cases[i].field, cases[i].to);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        assert_int_equal(armtap_diagnosis_mode_count(scene.diagnosis), 2);
        for (size_t k = 0; (finding = armtap_diagnosis_finding_at(scene.diagnosis, k)); k++)
            is_said = is_said || is_change(finding, cases[i].from, cases[i].to, cases[i].name_before, cases[i].name);
        assert_true(is_said);
        scene_clear(&scene);
    }
}

/* More robots than are remembered: each is said, some more than once. */
static void many_robots_are_all_said(void **state)
{
    struct analysis_scene scene;
    size_t count = 0;
    (void)state;
    prepare(&scene, ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_mode);
    for (unsigned i = 0; i < 200; i++) {
        scene.stream.connection = i;
        snprintf(scene.stream.robot, sizeof scene.stream.robot, "10.0.0.%u:30004", i % 100);
        show(&scene, ARMTAP_ID_safety_mode, 3);
    }
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    while (safety_finding(scene.diagnosis, count))
        count++;
    assert_int_equal(count, 100 + 36);
    scene_clear(&scene);
}

/* Guessed names prove nothing: that is said, nobody is blamed, and the same state of a sure stream is still news. */
static void a_guess_is_doubtful(void **state)
{
    struct analysis_scene scene;
    (void)state;
    prepare(&scene, ARMTAP_GENERATION_CB3E, ARMTAP_ID_safety_mode);
    scene.record.flags = ARMTAP_GUESSED;
    show(&scene, ARMTAP_ID_safety_mode, 3);
    show(&scene, ARMTAP_ID_safety_mode, 9);
    show(&scene, ARMTAP_ID_safety_mode, 99); /* nothing is known of it, nor of the field */
    scene.stream.connection = 1;
    scene.record.flags = 0;
    show(&scene, ARMTAP_ID_safety_mode, 9);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    expect_state(safety_finding(scene.diagnosis, 0), "PROTECTIVE_STOP", "safety_mode", 3, true, "guessed");
    expect_state(safety_finding(scene.diagnosis, 1), "FAULT", "safety_mode", 9, false, "guessed");
    expect_state(safety_finding(scene.diagnosis, 2), "FAULT", "safety_mode", 9, true, NULL);
    const struct armtap_incident *guess = armtap_diagnosis_incident_at(scene.diagnosis, 0);
    assert_string_equal(guess->what->id, "safety.state");
    assert_int_equal(guess->side, ARMTAP_BLAME_UNCLEAR);
    assert_int_equal(guess->evidence_count, 3); /* and what had begun before, which proves no side either */
    assert_non_null(guess->doubt);
    scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_has_room_of_its_own),
        cmocka_unit_test(the_last_that_fits_has_no_end),
        cmocka_unit_test(all_streams_share_the_rest),
        cmocka_unit_test(each_value_shows_what_it_is),
        cmocka_unit_test(each_bit_shows_what_it_is),
        cmocka_unit_test(bits_have_their_reasons),
        cmocka_unit_test(a_state_is_said_once),
        cmocka_unit_test(a_program_ends_no_state),
        cmocka_unit_test(unknown_robots_are_not_the_same),
        cmocka_unit_test(values_keep_their_sign),
        cmocka_unit_test(many_robots_are_all_said),
        cmocka_unit_test(a_guess_is_doubtful),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
