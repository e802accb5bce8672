/* Data without its handshake: recipes of well-known clients, of the robot's other connections, given by the user, and
 * half handshakes. All other data is opaque, which is reported once. */
#include "outcome.h"
#include "robot_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cutting midstream = {.handshake = false}, opened = {.handshake = true, .end = true};
static const struct clothing plain = {.link = LINK_ETHERNET, .isn = {1000, 2000}};

enum { PACKAGES = 60, JUDGED = 32 }; /* packages of a dialogue, and after how many data is guessed */
#define NAMES_MAX 256

/* ---- a robot that moves ---- */

static struct robot moving_robot(void)
{
    const struct robot_options options = {.motion = MOTION_WAVES, .cycle = 0.008};
    struct robot robot;
    robot_begin(&robot, &options, 7);
    return robot;
}

static void say_data(struct dialogue *dialogue, const struct armtap_recipe *recipe, int protocol, unsigned id,
                     struct robot *robot)
{
    static uint8_t package[ROBOT_PACKAGE_MAX];
    robot_step(robot);
    size_t length = robot_package(robot, recipe, protocol, id, package);
    dialogue_say(dialogue, 1000000000 + (int64_t)robot->package * 8000000, ARMTAP_FROM_ROBOT, package, length);
}

static void say_list(struct dialogue *dialogue, enum armtap_direction direction, char type, const char *head,
                     const char *text)
{
    struct bytes whole = {0};
    bytes_list(&whole, type, head, text);
    dialogue_say(dialogue, 900000000 + (int64_t)dialogue->count * 1000000, direction, whole.at, whole.length);
    bytes_free(&whole);
}

static struct armtap_recipe *recipe_of(const char *names, const char *types)
{
    struct armtap_recipe *recipe;
    assert_int_equal(armtap_recipe_rtde(names, types, &recipe), 0);
    return recipe;
}

static void begin(struct dialogue *dialogue, uint16_t client_port)
{
    *dialogue = (struct dialogue){.robot_port = 30004, .client_port = client_port};
}

static struct dialogue data_of(const char *names, const char *types, int protocol)
{
    struct dialogue dialogue;
    struct armtap_recipe *recipe = recipe_of(names, types);
    struct robot robot = moving_robot();
    begin(&dialogue, 50001);
    for (unsigned i = 0; i < PACKAGES; i++)
        say_data(&dialogue, recipe, protocol, 1, &robot);
    armtap_recipe_release(recipe);
    return dialogue;
}

/* ---- well-known clients ---- */

/* Guide, "data types": bytes of each name in a reply. */
static size_t bytes_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"BOOL", 1},   {"UINT8", 1},     {"UINT32", 4},    {"UINT64", 8},        {"INT32", 4},
                 {"DOUBLE", 8}, {"VECTOR3D", 24}, {"VECTOR6D", 48}, {"VECTOR6INT32", 24}, {"VECTOR6UINT32", 24}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].bytes;
    fail_msg("type %s", type);
    return 0;
}

static void test_sizes(void **state)
{
    const struct armtap_known_recipe *known;
    size_t count = 0;
    (void)state;
    for (; (known = armtap_known_recipe_at(count)); count++) {
        struct armtap_recipe *recipe = recipe_of(known->fields, NULL);
        size_t sum = 0;
        for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
            const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
            sum += bytes_of_type(armtap_type_name(entry->type, entry->count));
        }
        if (armtap_recipe_size(recipe) != known->size || sum != known->size)
            fail_msg("%s: %zu bytes, the table says %zu", known->name, sum, known->size);
        armtap_recipe_release(recipe);
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(armtap_known_recipe_at(i)->name, known->name);
    }
    assert_in_range(count, 20, 128);
}

/* Checks that every guessed name is at its true place; returns how many entries have no name. */
static size_t unnamed(const struct armtap_recipe *guess, const struct armtap_recipe *truth, const char *what)
{
    size_t count = 0;
    assert_non_null(guess);
    assert_int_equal(armtap_recipe_size(guess), armtap_recipe_size(truth));
    for (size_t i = 0; i < armtap_recipe_count(guess); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(guess, i);
        bool found = false;
        for (size_t k = 0; k < armtap_recipe_count(truth); k++) {
            const struct armtap_recipe_entry *other = armtap_recipe_at(truth, k);
            found |= other->offset == entry->offset && strcmp(other->name, entry->name) == 0;
        }
        count += !entry->field;
        if (entry->field && !found)
            fail_msg("%s: %s at byte %zu is not there", what, entry->name, entry->offset);
    }
    return count;
}

/* Other recipes with the same size and order of types: where their names differ, no name may be given. */
static size_t disputed(const struct armtap_known_recipe *known, const struct armtap_recipe *truth)
{
    const struct armtap_known_recipe *other;
    bool differs[NAMES_MAX] = {false};
    size_t count = 0;
    for (size_t i = 0; (other = armtap_known_recipe_at(i)); i++) {
        if (other->size != known->size || other == known)
            continue;
        struct armtap_recipe *recipe = recipe_of(other->fields, NULL);
        bool twin = armtap_recipe_count(recipe) == armtap_recipe_count(truth);
        for (size_t k = 0; k < armtap_recipe_count(truth) && twin; k++)
            twin = armtap_recipe_at(recipe, k)->type == armtap_recipe_at(truth, k)->type &&
                   armtap_recipe_at(recipe, k)->count == armtap_recipe_at(truth, k)->count;
        for (size_t k = 0; k < armtap_recipe_count(truth) && twin && k < NAMES_MAX; k++)
            differs[k] |= strcmp(armtap_recipe_at(recipe, k)->name, armtap_recipe_at(truth, k)->name) != 0;
        armtap_recipe_release(recipe);
    }
    for (size_t k = 0; k < NAMES_MAX; k++)
        count += differs[k];
    return count;
}

/* Recipes that hold nothing by which they can be recognised. */
static bool speaks(const struct armtap_known_recipe *known)
{
    static const char *const mute[] = {"ur_rtde-io-0.0.1", "csharp-demo", "ur_rtde-control-0.0.1",
                                       "control-loop-example"};
    for (size_t i = 0; i < sizeof mute / sizeof mute[0]; i++)
        if (strcmp(mute[i], known->name) == 0)
            return false;
    return true;
}

/* The protocol that data alone shows: 1 has no recipe id; 2 and 3 are alike, so that neither is claimed. */
static int version_shown(int protocol)
{
    return protocol == 1 ? 1 : 0;
}

static void check_known(const struct armtap_known_recipe *known, int protocol)
{
    struct dialogue dialogue = data_of(known->fields, NULL, protocol);
    struct armtap_recipe *truth = recipe_of(known->fields, NULL);
    struct outcome outcome = {0};
    outcome_of_dialogue(&dialogue, &midstream, &plain, NULL, &outcome);
    unsigned guesses = outcome_notes(&outcome, "rtde.recipe.guessed");
    if (outcome.count[0] != PACKAGES || guesses != speaks(known))
        fail_msg("%s, protocol %d: %zu records\n%s", known->name, protocol, outcome.count[0],
                 outcome.notes.text ? outcome.notes.text : "");
    for (size_t i = 0; i < PACKAGES; i++) {
        bool guessed = guesses && i + 1 >= JUDGED;
        assert_int_equal(outcome.records[0][i].flags & ~(unsigned)ARMTAP_AFTER_GAP, guessed ? ARMTAP_GUESSED : 0);
        assert_int_equal(outcome.records[0][i].opaque, !guessed);
    }
    if (guesses && outcome.streams[0].version != version_shown(protocol))
        fail_msg("%s: protocol %d taken for %d", known->name, protocol, outcome.streams[0].version);
    if (guesses) {
        size_t lack = unnamed(outcome.recipe, truth, known->name);
        if (lack < disputed(known, truth))
            fail_msg("%s: names that other clients dispute", known->name);
        if (disputed(known, truth) == 0 && lack == 0)
            assert_non_null(strstr(outcome.notes.text, known->client));
    }
    outcome_free(&outcome);
    armtap_recipe_release(truth);
    dialogue_free(&dialogue);
}

static void test_well_known_clients(void **state)
{
    const struct armtap_known_recipe *known;
    (void)state;
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++)
        for (int protocol = 1; protocol <= 2; protocol++)
            check_known(known, protocol);
}

/* Twins that differ in the registers: neither name is given. */
static void test_twins(void **state)
{
    struct dialogue dialogue =
        data_of("robot_status_bits,safety_status_bits,output_int_register_0,output_int_register_1,"
                "output_double_register_0,output_double_register_1,output_double_register_2,"
                "output_double_register_3,output_double_register_4,output_double_register_5",
                NULL, 2);
    struct outcome outcome = {0};
    (void)state;
    outcome_of_dialogue(&dialogue, &midstream, &plain, NULL, &outcome);
    assert_non_null(outcome.recipe);
    assert_string_equal(armtap_recipe_at(outcome.recipe, 0)->name, "robot_status_bits");
    assert_string_equal(armtap_recipe_at(outcome.recipe, 1)->name, "safety_status_bits");
    for (size_t i = 2; i < armtap_recipe_count(outcome.recipe); i++)
        assert_null(armtap_recipe_at(outcome.recipe, i)->field);
    outcome_free(&outcome);
    dialogue_free(&dialogue);
}

/* Other fields of a known recipe's length, and a length that no client has: neither is guessed. */
static void test_strangers(void **state)
{
    static const char *const strangers[] = {
        "timestamp,actual_TCP_force,tcp_force_scalar",
        "actual_TCP_force",
        "timestamp,actual_TCP_speed",
        "output_double_register_0,output_int_register_0",
        "robot_mode,runtime_state",
        "timestamp,payload_cog",
        "timestamp,actual_TCP_pose,actual_TCP_speed,payload,tcp_force_scalar",
    };
    (void)state;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        struct dialogue dialogue = data_of(strangers[i], NULL, 2);
        struct outcome outcome = {0};
        outcome_of_dialogue(&dialogue, &midstream, &plain, NULL, &outcome);
        assert_int_equal(outcome.count[0], PACKAGES);
        for (size_t k = 0; k < PACKAGES; k++)
            assert_true(outcome.records[0][k].opaque);
        assert_int_equal(outcome_notes(&outcome, "rtde.recipe.missing"), 1);
        assert_int_equal(outcome_notes(&outcome, "rtde.recipe.guessed"), 0);
        outcome_free(&outcome);
        dialogue_free(&dialogue);
    }
}

/* ---- the same robot, another connection ---- */

#define ODD_NAMES "timestamp,actual_q,robot_mode,joint_mode,output_bit_register_70"
#define ODD_TYPES "DOUBLE,VECTOR6D,INT32,VECTOR6INT32,BOOL"

static struct dialogue shaken_for(const char *names, const char *types, uint16_t client_port, unsigned id)
{
    struct dialogue dialogue;
    struct armtap_recipe *recipe = recipe_of(names, types);
    char head[4];
    snprintf(head, sizeof head, "%02x", id);
    begin(&dialogue, client_port);
    say_list(&dialogue, ARMTAP_TO_ROBOT, 'V', "0002", "");
    say_list(&dialogue, ARMTAP_FROM_ROBOT, 'V', "01", "");
    say_list(&dialogue, ARMTAP_TO_ROBOT, 'O', "405f400000000000", names);
    say_list(&dialogue, ARMTAP_FROM_ROBOT, 'O', head, types);
    say_list(&dialogue, ARMTAP_TO_ROBOT, 'S', "", "");
    say_list(&dialogue, ARMTAP_FROM_ROBOT, 'S', "01", "");
    struct robot robot = moving_robot();
    for (unsigned i = 0; i < PACKAGES; i++)
        say_data(&dialogue, recipe, 2, id, &robot);
    armtap_recipe_release(recipe);
    return dialogue;
}

static struct dialogue shaken(uint16_t client_port, unsigned id)
{
    return shaken_for(ODD_NAMES, ODD_TYPES, client_port, id);
}

/* Two connections, one after the other. */
static void play(const struct dialogue *first, const struct cutting *first_cut, const struct dialogue *second,
                 const struct cutting *second_cut, struct armtap_knowledge *knowledge, struct outcome *outcome)
{
    struct armtap_net_options options = {.size = sizeof options, .knowledge = knowledge};
    struct segments one = {0}, two = {0};
    struct capture_list list = {0};
    cut(first, first_cut, &one);
    cut(second, second_cut, &two);
    for (size_t i = 0; i < two.count; i++)
        two.at[i].time += 1000000000;
    dress(first, &one, &plain, &list);
    dress(second, &two, &plain, &list);
    outcome_of(&list, &options, outcome);
    capture_list_free(&list);
    segments_free(&one);
    segments_free(&two);
}

/* Names from package `from` on, counted from 1; 0: never. */
static void assert_learned(const struct outcome *outcome, uint64_t connection, size_t from)
{
    size_t count = 0;
    for (size_t i = 0; i < outcome->count[0]; i++) {
        const struct outcome_record *record = &outcome->records[0][i];
        if (record->stream != connection)
            continue;
        bool learned = ++count >= from && from > 0;
        assert_int_equal(record->opaque, !learned);
        assert_int_equal(record->flags & ~(unsigned)ARMTAP_AFTER_GAP, learned ? ARMTAP_GUESSED : 0);
    }
    assert_int_equal(count, PACKAGES);
    assert_int_equal(outcome_notes(outcome, "rtde.recipe.guessed"), from > 0);
    assert_int_equal(outcome_notes(outcome, "rtde.recipe.missing"), from != 1);
}

static void test_learned(void **state)
{
    struct dialogue known = shaken(50001, 1), unknown = data_of(ODD_NAMES, ODD_TYPES, 2), other = shaken(50001, 2);
    struct armtap_knowledge *knowledge;
    struct outcome outcome = {0};
    (void)state;
    unknown.client_port = 50002;
    play(&known, &opened, &unknown, &midstream, NULL, &outcome);
    assert_learned(&outcome, 1, JUDGED);
    assert_non_null(strstr(outcome.notes.text, "another connection of this robot"));
    outcome_free(&outcome);
    play(&unknown, &midstream, &known, &opened, NULL, &outcome);
    assert_learned(&outcome, 0, 0); /* nothing tells it */
    outcome_free(&outcome);
    play(&other, &opened, &unknown, &midstream, NULL, &outcome);
    assert_learned(&outcome, 1, 0); /* another recipe id */
    outcome_free(&outcome);

    assert_int_equal(armtap_knowledge_new(&knowledge), 0);
    play(&unknown, &midstream, &known, &opened, knowledge, &outcome);
    outcome_free(&outcome);
    assert_true(armtap_knowledge_has_guesses(knowledge));
    armtap_knowledge_seal(knowledge);
    play(&unknown, &midstream, &known, &opened, knowledge, &outcome);
    assert_learned(&outcome, 0, 1);
    outcome_free(&outcome);
    armtap_knowledge_free(knowledge);
    dialogue_free(&known);
    dialogue_free(&unknown);
    dialogue_free(&other);
}

/* Another connection asked the robot for as many bytes, but nothing shows that the fields are the same: a clock is no
 * evidence, because every client asks for it. */
static void test_learned_without_evidence(void **state)
{
    static const char *const lists[][3] = {
        {"actual_q", "actual_TCP_speed", "VECTOR6D"},
        {"timestamp,actual_q", "timestamp,actual_TCP_force", "DOUBLE,VECTOR6D"},
        {"timestamp,actual_q", "timestamp,actual_q", "DOUBLE,VECTOR6D"},
        {"timestamp,target_q,actual_q", "timestamp,target_TCP_pose,actual_TCP_pose", "DOUBLE,VECTOR6D,VECTOR6D"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct dialogue known = shaken_for(lists[i][0], lists[i][2], 50001, 1), unknown = data_of(lists[i][1], NULL, 2);
        struct outcome outcome = {0};
        unknown.client_port = 50002;
        play(&known, &opened, &unknown, &midstream, NULL, &outcome);
        assert_learned(&outcome, 1, 0);
        outcome_free(&outcome);
        dialogue_free(&known);
        dialogue_free(&unknown);
    }
}

/* Two handshakes set up the same number of bytes and differ in one name: that name is not given. */
static void test_learned_twice(void **state)
{
    static const char names[] = "timestamp,robot_mode,joint_mode,actual_q",
                      types[] = "DOUBLE,INT32,VECTOR6INT32,VECTOR6D";
    struct dialogue known = shaken_for(names, types, 50001, 1), unknown = data_of(names, NULL, 2);
    struct armtap_knowledge *knowledge;
    struct outcome outcome = {0};
    (void)state;
    unknown.client_port = 50002;
    struct dialogue other = shaken_for("timestamp,robot_mode,joint_mode,actual_current", types, 50003, 1);
    assert_int_equal(armtap_knowledge_new(&knowledge), 0);
    play(&other, &opened, &known, &opened, knowledge, &outcome);
    outcome_free(&outcome);
    play(&known, &opened, &unknown, &midstream, knowledge, &outcome);
    assert_learned(&outcome, 1, JUDGED);
    assert_string_equal(armtap_recipe_at(outcome.recipe, 1)->name, "robot_mode");
    assert_string_equal(armtap_recipe_at(outcome.recipe, 2)->name, "joint_mode");
    assert_null(armtap_recipe_at(outcome.recipe, 3)->field);
    outcome_free(&outcome);
    armtap_knowledge_free(knowledge);
    dialogue_free(&known);
    dialogue_free(&unknown);
    dialogue_free(&other);
}

/* A guess that the first pass had to give up is not repeated in the second. */
static void test_guess_given_up(void **state)
{
    struct dialogue dialogue = data_of("timestamp,actual_q,actual_qd,speed_scaling,target_speed_fraction", NULL, 2);
    struct armtap_knowledge *knowledge;
    struct armtap_net_options options = {.size = sizeof options};
    struct outcome first = {0}, second = {0};
    (void)state;
    /* the last package's slider is at 1e30 */
    static const uint8_t huge[] = {0x46, 0x29, 0x3e, 0x59, 0x39, 0xa0, 0x8c, 0xea};
    memcpy(dialogue.stream[0].at + dialogue.stream[0].length - 8, huge, 8);
    assert_int_equal(armtap_knowledge_new(&knowledge), 0);
    options.knowledge = knowledge;
    outcome_of_dialogue(&dialogue, &midstream, &plain, &options, &first);
    assert_false(first.records[0][JUDGED - 1].opaque);
    assert_false(first.records[0][PACKAGES - 2].opaque);
    assert_true(first.records[0][PACKAGES - 1].opaque);
    armtap_knowledge_seal(knowledge);
    outcome_of_dialogue(&dialogue, &midstream, &plain, &options, &second);
    for (size_t i = 0; i < PACKAGES; i++)
        assert_true(second.records[0][i].opaque);
    assert_int_equal(outcome_notes(&second, "rtde.recipe.guessed"), 0);
    assert_int_equal(outcome_notes(&second, "rtde.recipe.missing"), 1);
    outcome_free(&first);
    outcome_free(&second);
    armtap_knowledge_free(knowledge);
    dialogue_free(&dialogue);
}

/* What is guessed, and from which record on, does not depend on the segments. */
static void test_cut_otherwise(void **state)
{
    struct dialogue dialogue =
        data_of("timestamp,actual_q,actual_qd,speed_scaling,target_speed_fraction,runtime_state", NULL, 2);
    struct outcome whole = {0};
    (void)state;
    outcome_of_dialogue(&dialogue, &midstream, &plain, NULL, &whole);
    assert_false(whole.records[0][JUDGED - 1].opaque);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct cutting cutting = {.least = 1, .most = (size_t)20 << seed, .seed = seed};
        struct outcome pieces = {0};
        outcome_of_dialogue(&dialogue, &cutting, &plain, NULL, &pieces);
        assert_same_records(&whole, &pieces, "a guess");
        assert_int_equal(outcome_notes(&pieces, "rtde.recipe.guessed"), 1);
        outcome_free(&pieces);
    }
    outcome_free(&whole);
    dialogue_free(&dialogue);
}

/* With no_guess in the options everything stays opaque, whatever the evidence. */
static void test_no_guess(void **state)
{
    struct dialogue dialogue = data_of("timestamp,actual_q,actual_qd,speed_scaling,target_speed_fraction", NULL, 2);
    struct armtap_net_options options = {.size = sizeof options, .no_guess = true};
    struct outcome outcome = {0};
    (void)state;
    outcome_of_dialogue(&dialogue, &midstream, &plain, &options, &outcome);
    assert_int_equal(outcome.count[0], PACKAGES);
    for (size_t i = 0; i < PACKAGES; i++)
        assert_true(outcome.records[0][i].opaque);
    assert_int_equal(outcome_notes(&outcome, "rtde.recipe.guessed"), 0);
    outcome_free(&outcome);
    dialogue_free(&dialogue);
}

/* ---- given by the user ---- */

static void test_given(void **state)
{
    (void)state;
    for (int protocol = 1; protocol <= 2; protocol++) {
        struct dialogue dialogue = data_of(ODD_NAMES, ODD_TYPES, protocol);
        struct armtap_recipe *recipe = recipe_of(ODD_NAMES, ODD_TYPES), *wrong = recipe_of("timestamp", "DOUBLE");
        struct armtap_net_options options = {.size = sizeof options, .recipe = recipe};
        struct outcome outcome = {0};
        outcome_of_dialogue(&dialogue, &midstream, &plain, &options, &outcome);
        assert_int_equal(outcome.count[0], PACKAGES);
        assert_int_equal(outcome.records[0][3].flags, 0);
        assert_false(outcome.records[0][0].opaque);
        assert_int_equal(outcome.streams[0].version, version_shown(protocol));
        assert_int_equal(unnamed(outcome.recipe, recipe, "given"), 0);
        assert_int_equal(outcome_notes(&outcome, "rtde.recipe.guessed"), 0);
        outcome_free(&outcome);
        options.recipe = wrong;
        outcome_of_dialogue(&dialogue, &midstream, &plain, &options, &outcome);
        assert_true(outcome.records[0][0].opaque);
        assert_int_equal(outcome_notes(&outcome, "rtde.recipe.missing"), 1);
        outcome_free(&outcome);
        armtap_recipe_release(recipe);
        armtap_recipe_release(wrong);
        dialogue_free(&dialogue);
    }
}

/* ---- half handshakes ---- */

static void half(bool request, bool reply, struct outcome *outcome)
{
    struct dialogue dialogue;
    struct armtap_recipe *recipe = recipe_of(ODD_NAMES, ODD_TYPES);
    begin(&dialogue, 50001);
    if (request)
        say_list(&dialogue, ARMTAP_TO_ROBOT, 'O', "405f400000000000", ODD_NAMES);
    if (reply)
        say_list(&dialogue, ARMTAP_FROM_ROBOT, 'O', "01", ODD_TYPES);
    say_list(&dialogue, ARMTAP_TO_ROBOT, 'S', "", "");
    say_list(&dialogue, ARMTAP_FROM_ROBOT, 'S', "01", "");
    struct robot robot = moving_robot();
    for (unsigned i = 0; i < PACKAGES; i++)
        say_data(&dialogue, recipe, 2, 1, &robot);
    outcome_of_dialogue(&dialogue, &midstream, &plain, NULL, outcome);
    assert_int_equal(outcome->count[0], PACKAGES);
    armtap_recipe_release(recipe);
    dialogue_free(&dialogue);
}

static void test_half_handshakes(void **state)
{
    struct outcome outcome = {0};
    (void)state;
    half(true, true, &outcome);
    assert_int_equal(outcome.records[0][0].flags & ARMTAP_GUESSED, 0);
    assert_string_equal(armtap_recipe_at(outcome.recipe, 4)->name, "output_bit_register_70");
    outcome_free(&outcome);

    half(true, false, &outcome); /* names, and types from the table */
    assert_int_equal(outcome.records[0][0].flags & ARMTAP_GUESSED, ARMTAP_GUESSED);
    assert_int_equal(outcome_notes(&outcome, "rtde.recipe.guessed"), 1);
    assert_string_equal(armtap_recipe_at(outcome.recipe, 1)->name, "actual_q");
    outcome_free(&outcome);

    half(false, true, &outcome); /* types, and no names */
    assert_false(outcome.records[0][0].opaque);
    assert_int_equal(armtap_recipe_count(outcome.recipe), 5);
    for (size_t i = 0; i < 5; i++)
        assert_null(armtap_recipe_at(outcome.recipe, i)->field);
    assert_int_equal(armtap_recipe_at(outcome.recipe, 1)->count, 6);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_well_known_clients),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_learned),
        cmocka_unit_test(test_guess_given_up),
        cmocka_unit_test(test_learned_without_evidence),
        cmocka_unit_test(test_learned_twice),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_cut_otherwise),
        cmocka_unit_test(test_no_guess),
        cmocka_unit_test(test_half_handshakes),
    };
    return cmocka_run_group_tests_name("recipes", tests, NULL, NULL);
}
