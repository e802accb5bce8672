/* How often data without its handshake gets a wrong name, and how often a well-known client's recipe is found: measured
 * on robots that move and stand still, with recipes like those that users write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../share.h"
#include "armtap.h"
#include "protocol/budget.h"
#include "connection/conn.h"
#include "table/field.h"
#include "connection/knowledge.h"
#include "table/recipe.h"
#include "robot_model.h"

#define LENGTHS_MAX 160
#define CANDIDATES_MAX 8

/* ---- counting -------------------------------------------------------------------------------------------------- */

struct outcome {
    const struct armtap_recipe *truth;
    unsigned guesses; /* recipes named at any time */
    unsigned wrong;   /* names in any of them at bytes that hold another field */
    unsigned right;
    unsigned supported;       /* names reported as supported by the data itself */
    unsigned supported_wrong; /* wrong ones among them, at any time */
    size_t bytes, supported_bytes;
    char first_wrong[64];
    char reasons[600];
    bool guessed;                                             /* at the end */
    const struct armtap_known_recipe *listed[CANDIDATES_MAX]; /* at the end, as possible recipes */
    size_t listed_count;
};

static bool has(const struct armtap_recipe *truth, const struct armtap_recipe_entry *entry)
{
    for (size_t i = 0; i < armtap_recipe_count(truth); i++) {
        const struct armtap_recipe_entry *other = armtap_recipe_at(truth, i);
        if (other->offset == entry->offset && other->type == entry->type && other->count == entry->count &&
            strcmp(other->name, entry->name) == 0)
            return true;
    }
    return false;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct outcome *outcome = user;
    assert_int_equal(event->flags, ARMTAP_GUESSED);
    assert_non_null(event->guess);
    outcome->guesses++;
    outcome->listed_count = 0;
    snprintf(outcome->reasons, sizeof outcome->reasons, "%s: %u: %s", event->guess->source, event->guess->score,
             event->guess->reasons);
    outcome->right = outcome->supported = 0;
    outcome->bytes = outcome->supported_bytes = 0;
    for (size_t i = 0; i < armtap_recipe_count(event->recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(event->recipe, i);
        if (!entry->field)
            continue;
        bool right = has(outcome->truth, entry);
        bool supported = armtap_set_has(event->guess->supported, entry->field->id);
        outcome->right += right;
        outcome->supported += supported;
        outcome->bytes += entry->wire_size;
        outcome->supported_bytes += supported ? entry->wire_size : 0;
        outcome->supported_wrong += supported && !right;
        if (!right && outcome->wrong++ == 0)
            snprintf(outcome->first_wrong, sizeof outcome->first_wrong, "%s", entry->name);
    }
    return 0;
}

static int on_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct outcome *outcome = user;
    assert_in_range(candidates->count, 0, CANDIDATES_MAX);
    assert_false(outcome->guessed);
    if (candidates->count)
        memcpy(outcome->listed, candidates->recipes, candidates->count * sizeof *candidates->recipes);
    outcome->listed_count = candidates->count;
    return 0;
}

static bool is_listed(const struct outcome *outcome, const struct armtap_known_recipe *known)
{
    for (size_t i = 0; i < outcome->listed_count; i++)
        if (outcome->listed[i] == known)
            return true;
    return false;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct outcome *outcome = user;
    outcome->guessed = record->recipe != NULL;
    return 0;
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

struct trial {
    struct robot_options options;
    int protocol;
    unsigned packages;
    uint64_t seed;
    const struct armtap_recipe *learned; /* that another connection of the robot set up with the same id; or NULL */
};

static struct outcome run(const struct armtap_recipe *recipe, const struct trial *trial)
{
    static uint8_t package[ROBOT_PACKAGE_MAX];
    const struct armtap_sink sink = {
        .size = sizeof sink, .on_recipe = on_recipe, .on_record = on_record, .on_candidates = on_candidates};
    struct outcome outcome = {.truth = recipe};
    struct armtap_robot *shared = armtap_robot_new();
    const struct armtap_conn_setup setup = {
        .protocol = ARMTAP_RTDE, .forced = true, .midstream = true, .robot = shared};
    struct armtap_conn *conn;
    struct robot robot;
    robot_begin(&robot, &trial->options, trial->seed);
    double begin = robot_clock(&robot), late = 0;
    assert_non_null(shared);
    if (trial->learned)
        armtap_robot_learn(shared, trial->learned, trial->protocol, 1);
    assert_int_equal(armtap_conn_create(&setup, &sink, &outcome, &conn), 0);
    for (unsigned i = 0; i < trial->packages; i++) {
        robot_step(&robot);
        size_t length = robot_package(&robot, recipe, trial->protocol, 1, package);
        late = dice_roll(&robot.dice, 50) == 0 ? dice_between(&robot.dice, 0, 0.03) : late * 0.5;
        double time = robot_clock(&robot) - begin + late + dice_between(&robot.dice, 0, 3e-4);
        struct armtap_where where = {
            .size = sizeof where, .time = 1700000000000000000 + (int64_t)(time * 1e9), .packet = i + 1};
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, package, length, &where), 0);
    }
    armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
    armtap_conn_free(conn);
    armtap_robot_release(shared);
    return outcome;
}

/* ---- custom recipes ---------------------------------------------------------------------------------------------- */

struct names {
    const struct armtap_field *field[400];
    size_t count;
};

static size_t bytes_of(const struct armtap_field *field)
{
    static const size_t size[] = {[ARMTAP_BOOL] = 1,   [ARMTAP_UINT8] = 1, [ARMTAP_UINT32] = 4,
                                  [ARMTAP_UINT64] = 8, [ARMTAP_INT32] = 4, [ARMTAP_DOUBLE] = 8};
    return size[field->type] * field->count;
}

static bool is_output(const struct armtap_field *field)
{
    return field->direction == ARMTAP_FIELD_OUTPUT || field->direction == ARMTAP_FIELD_BOTH;
}

static bool is_register(const struct armtap_field *field)
{
    return strstr(field->name, "_register") != NULL;
}

static bool contains(const struct names *names, const struct armtap_field *field)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->field[i] == field)
            return true;
    return false;
}

/* The fields that well-known clients request, without registers. */
static const struct names *popular_fields(void)
{
    const struct armtap_known_recipe *known;
    static struct names all;
    if (all.count > 0)
        return &all;
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++)
        for (const char *at = known->fields; *at != '\0'; at += strspn(at, ",")) {
            const struct armtap_field *field = armtap_field_find(at, strcspn(at, ","));
            if (!contains(&all, field) && !is_register(field))
                all.field[all.count++] = field;
            at += strcspn(at, ",");
        }
    return &all;
}

/* A field of RTDE or the legacy interface: those of other interfaces change no recipe here. */
static const struct armtap_field *any_telemetry_field(struct dice *dice)
{
    static size_t ids[1024], count;
    bool is_new = count == 0;
    assert_in_range(armtap_field_count(), 1, sizeof ids / sizeof *ids);
    for (size_t id = 0; is_new && id < armtap_field_count(); id++)
        if (armtap_field_at(id)->direction != ARMTAP_FIELD_PRIMARY)
            ids[count++] = id;
    return armtap_field_at(ids[dice_roll(dice, count)]);
}

/* All outputs, or only the popular ones. */
static const struct armtap_field *any_field(struct dice *dice, bool popular)
{
    const struct names *all = popular_fields();
    return popular ? all->field[dice_roll(dice, all->count)] : any_telemetry_field(dice);
}

/* A field that was not chosen yet and that fits; NULL after many tries. */
static const struct armtap_field *another(struct dice *dice, const struct names *names, size_t room, double registers)
{
    for (int tries = 0; tries < 400; tries++) {
        bool wants_register = dice_between(dice, 0, 1) < registers;
        const struct armtap_field *field = any_field(dice, !wants_register && dice_roll(dice, 3) > 0);
        bool wanted = is_register(field) == wants_register && is_output(field);
        if (wanted && bytes_of(field) <= room && bytes_of(field) != 1 && !contains(names, field))
            return field;
    }
    return NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct armtap_field *one = *(const struct armtap_field *const *)a;
    const struct armtap_field *other = *(const struct armtap_field *const *)b;
    return (one->id > other->id) - (one->id < other->id);
}

/* Names of exactly `length` bytes: half of the recipes begin with the time, half keep the guide's order. */
static bool write_names(struct dice *dice, size_t length, struct names *names)
{
    const struct armtap_field *clock = armtap_field_find("timestamp", 9), *next;
    double registers = dice_roll(dice, 2) ? 0.1 : 0.4;
    size_t sum = 0;
    *names = (struct names){.count = 0};
    if (dice_roll(dice, 2) && length >= 8) {
        names->field[names->count++] = clock;
        sum = 8;
    }
    while (sum < length && names->count < 400 && (next = another(dice, names, length - sum, registers))) {
        names->field[names->count++] = next;
        sum += bytes_of(next);
    }
    if (dice_roll(dice, 2))
        qsort(names->field, names->count, sizeof *names->field, by_id);
    return sum == length;
}

static struct armtap_recipe *recipe_of(const struct names *names)
{
    static char text[400 * 64];
    struct armtap_recipe *recipe;
    size_t length = 0;
    for (size_t i = 0; i < names->count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "," : "", names->field[i]->name);
    assert_int_equal(armtap_recipe_rtde(text, NULL, &recipe), 0);
    return recipe;
}

static struct armtap_recipe *written(struct dice *dice, size_t length)
{
    struct names names;
    for (int tries = 0; tries < 1000; tries++)
        if (write_names(dice, length, &names))
            return recipe_of(&names);
    fail_msg("no recipe of %zu bytes", length);
    return NULL;
}

static struct armtap_recipe *known_recipe(const struct armtap_known_recipe *known)
{
    struct armtap_recipe *recipe;
    assert_int_equal(armtap_recipe_rtde(known->fields, NULL, &recipe), 0);
    return recipe;
}

/* A well-known recipe with one field replaced by another of its type, or two fields swapped. */
static struct armtap_recipe *altered(struct dice *dice, const struct armtap_known_recipe *known)
{
    struct armtap_recipe *recipe = known_recipe(known);
    struct names names = {.count = armtap_recipe_count(recipe)};
    for (size_t i = 0; i < names.count; i++)
        names.field[i] = armtap_recipe_at(recipe, i)->field;
    armtap_recipe_release(recipe);
    for (int tries = 0; tries < 4000; tries++) {
        size_t i = (size_t)dice_roll(dice, names.count), k = (size_t)dice_roll(dice, names.count);
        const struct armtap_field *mine = names.field[i], *other = any_telemetry_field(dice);
        if (dice_roll(dice, 2))
            other = names.field[k];
        if (other == mine || other->type != mine->type || other->count != mine->count || !is_output(other))
            continue;
        if (contains(&names, other))
            names.field[k] = other == names.field[k] ? mine : names.field[k];
        else
            k = names.count;
        if (k < names.count && names.field[k] != mine)
            continue;
        names.field[i] = other;
        return recipe_of(&names);
    }
    return known_recipe(known);
}

/* ---- measurement ------------------------------------------------------------------------------------------------- */

/* The evidence was tuned on the first set; the figures that count come from the second, whose robots move differently.
 */
struct set {
    const char *name;
    uint64_t seed;
    enum motion motion[2];
};
static const struct set development = {"development", 1, {MOTION_NONE, MOTION_WAVES}};
static const struct set evaluation = {"evaluation", 20261121, {MOTION_NONE, MOTION_MOVES}};

static struct trial trial_of(struct dice *dice, enum motion motion)
{
    static const double cycles[] = {0.002, 0.002, 0.008, 0.008, 0.004, 0.01, 0.02, 0.04};
    struct trial trial = {.options = {.motion = motion, .cycle = cycles[dice_roll(dice, 8)]},
                          .protocol = 1 + (int)dice_roll(dice, 2),
                          .packages = (unsigned)(48 + dice_roll(dice, 128)),
                          .seed = 1 + dice_roll(dice, UINT64_C(1) << 40)};
    trial.options.simulated = dice_roll(dice, 5) == 0;
    return trial;
}

static size_t known_lengths(size_t lengths[LENGTHS_MAX])
{
    const struct armtap_known_recipe *known;
    size_t count = 0;
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++) {
        bool seen = false;
        for (size_t k = 0; k < count; k++)
            seen |= lengths[k] == known->size;
        if (!seen)
            lengths[count++] = known->size;
    }
    return count;
}

struct tally {
    unsigned trials, guessed, wrong;
    unsigned listed;          /* not named, but a well-known recipe was listed as possible */
    unsigned recognised;      /* well-known ones that were named or listed */
    unsigned supported_wrong; /* trials with a wrong name reported as supported by the data itself */
    size_t names, supported, bytes, supported_bytes;
};

static void add(struct tally *tally, const struct outcome *outcome, size_t length, const struct trial *trial)
{
    tally->trials++;
    tally->guessed += outcome->guessed;
    tally->listed += outcome->listed_count > 0;
    tally->wrong += outcome->wrong > 0;
    tally->supported_wrong += outcome->supported_wrong > 0;
    tally->names += outcome->right;
    tally->supported += outcome->supported;
    tally->bytes += outcome->bytes;
    tally->supported_bytes += outcome->supported_bytes;
    if (outcome->wrong > 0 && getenv("GUESSES_SHOW"))
        print_message("  wrong: %zu bytes, motion %d: %s (and %u more, %u of all supported); %s\n", length,
                      trial->options.motion, outcome->first_wrong, outcome->wrong - 1, outcome->supported_wrong,
                      outcome->reasons);
}

static struct tally measure_written(const struct set *set, unsigned each)
{
    size_t lengths[LENGTHS_MAX], count = known_lengths(lengths);
    struct dice dice = {set->seed};
    struct tally tally = {0};
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < each; k++) {
            struct armtap_recipe *recipe = written(&dice, lengths[i]);
            struct trial trial = trial_of(&dice, set->motion[(i + k) % 2]);
            struct outcome outcome = run(recipe, &trial);
            add(&tally, &outcome, lengths[i], &trial);
            armtap_recipe_release(recipe);
        }
    return tally;
}

static struct tally measure_altered(const struct set *set, unsigned each)
{
    struct dice dice = {set->seed + 1};
    struct tally tally = {0};
    const struct armtap_known_recipe *known;
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++)
        for (unsigned k = 0; k < each; k++) {
            struct armtap_recipe *recipe = altered(&dice, known);
            struct trial trial = trial_of(&dice, set->motion[(i + k) % 2]);
            struct outcome outcome = run(recipe, &trial);
            add(&tally, &outcome, known->size, &trial);
            armtap_recipe_release(recipe);
        }
    return tally;
}

static void add_learned(struct tally *tally, const struct armtap_recipe *learned, const struct armtap_recipe *sent,
                        struct trial *trial)
{
    trial->learned = learned;
    struct outcome outcome = run(sent, trial);
    add(tally, &outcome, armtap_recipe_size(sent), trial);
}

/* ---- another set-up within a gap -------------------------------------------------------------------------------- */

struct behind_gap {
    unsigned refuted, unsure;
    unsigned named; /* records in all */
};

static int on_record_behind(void *user, const struct armtap_record *record)
{
    struct behind_gap *behind = user;
    behind->named += record->recipe != NULL;
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct behind_gap *behind = user;
    behind->refuted += strcmp(note->kind->id, "rtde.recipe.missing") == 0;
    behind->unsure += strcmp(note->kind->id, "rtde.recipe.unsure") == 0;
    return 0;
}

static void push_package(struct armtap_conn *conn, enum armtap_direction direction, char type, const char *head,
                         size_t head_length, const char *text)
{
    static const struct armtap_where where = {.size = sizeof where, .time = 1700000000000000000, .packet = 1};
    static uint8_t package[ROBOT_PACKAGE_MAX];
    size_t length = 3 + head_length + strlen(text);
    package[0] = (uint8_t)(length >> 8);
    package[1] = (uint8_t)length;
    package[2] = (uint8_t)type;
    memcpy(package + 3, head, head_length);
    memcpy(package + 3 + head_length, text, strlen(text));
    assert_int_equal(armtap_conn_push(conn, direction, package, length, &where), 0);
}

static void set_up(struct armtap_conn *conn, const struct armtap_recipe *recipe)
{
    static char names[400 * 64], types[400 * 16];
    size_t n = 0, t = 0;
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? "," : "", entry->name);
        t += (size_t)snprintf(types + t, sizeof types - t, "%s%s", i ? "," : "",
                              armtap_type_name(entry->type, entry->count));
    }
    push_package(conn, ARMTAP_TO_ROBOT, 'V', "\0\2", 2, "");
    push_package(conn, ARMTAP_FROM_ROBOT, 'V', "\1", 1, "");
    push_package(conn, ARMTAP_TO_ROBOT, 'O', "\x40\x5f\x40\0\0\0\0\0", 8, names);
    push_package(conn, ARMTAP_FROM_ROBOT, 'O', "\1", 1, types);
}

/* Sets up `before`; after a gap in both directions, data of `after` follows. */
#define BEFORE_GAP 8
static struct behind_gap run_gap(const struct armtap_recipe *before, const struct armtap_recipe *after,
                                 const struct trial *trial)
{
    static uint8_t package[ROBOT_PACKAGE_MAX];
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_RTDE};
    const struct armtap_sink sink = {.size = sizeof sink, .on_note = on_note, .on_record = on_record_behind};
    struct behind_gap behind = {0};
    struct armtap_conn *conn;
    struct robot robot;
    robot_begin(&robot, &trial->options, trial->seed);
    double begin = robot_clock(&robot);
    assert_int_equal(armtap_conn_new(&options, &sink, &behind, &conn), 0);
    set_up(conn, before);
    for (unsigned i = 0; i < trial->packages; i++) {
        struct armtap_where where = {.size = sizeof where, .time = 1700000000000000000, .packet = i + 2};
        robot_step(&robot);
        where.time += (int64_t)((robot_clock(&robot) - begin) * 1e9);
        for (unsigned direction = 0; i == BEFORE_GAP && direction < 2; direction++)
            assert_int_equal(armtap_conn_gap(conn, (enum armtap_direction)direction, 90, &where), 0);
        size_t length = robot_package(&robot, i < BEFORE_GAP ? before : after, 2, 1, package);
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, package, length, &where), 0);
    }
    armtap_conn_free(conn);
    return behind;
}

struct gap_tally {
    unsigned trials, refuted, unsure, silent;
};

static struct gap_tally measure_gaps(const struct set *set, unsigned each, bool same)
{
    size_t lengths[LENGTHS_MAX], count = known_lengths(lengths);
    struct dice dice = {set->seed + 8 + same};
    struct gap_tally tally = {0};
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < each; k++) {
            struct armtap_recipe *before = written(&dice, lengths[i]), *after = written(&dice, lengths[i]);
            struct trial trial = trial_of(&dice, set->motion[(i + k) % 2]);
            struct behind_gap behind = run_gap(before, same ? before : after, &trial);
            tally.trials++;
            tally.refuted += behind.refuted > 0;
            tally.unsure += behind.refuted == 0 && behind.unsure > 0;
            tally.silent +=
                behind.refuted + behind.unsure == 0 && behind.named > BEFORE_GAP && !armtap_recipe_same(before, after);
            armtap_recipe_release(before);
            armtap_recipe_release(after);
        }
    return tally;
}

static void judge_gaps(const struct set *set, unsigned each)
{
    struct gap_tally same = measure_gaps(set, 2 * each, true), other = measure_gaps(set, each, false);
    print_message(
        "%s: after a gap in both directions, of %u recipes that continued %u were dropped, %u called unsure; of %u "
        "others of the same length %u were detected, %u called unsure, %u were decoded and %u not\n",
        set->name, same.trials, same.refuted, same.unsure, other.trials, other.refuted, other.unsure, other.silent,
        other.trials - other.refuted - other.unsure - other.silent);
    assert_true(same.refuted * 1000 <= same.trials);
    assert_true(other.silent * 1000 <= other.trials && other.refuted * 2 >= other.trials);
}

/* Another connection of the robot set up a different recipe of the same length, or the same recipe. */
static struct tally measure_learned(const struct set *set, unsigned each, bool same)
{
    static const size_t few[] = {56, 60, 104, 108, 152};
    size_t lengths[LENGTHS_MAX], count = known_lengths(lengths);
    struct dice dice = {set->seed + 4 + same};
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        lengths[count++] = few[i];
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < each; k++) {
            struct armtap_recipe *learned = written(&dice, lengths[i]), *sent = written(&dice, lengths[i]);
            struct trial trial = trial_of(&dice, set->motion[(i + k) % 2]);
            add_learned(&tally, learned, same ? learned : sent, &trial);
            armtap_recipe_release(learned);
            armtap_recipe_release(sent);
        }
    return tally;
}

/* Recipes that differ only in what motion reveals: one is learned while the other is sent. */
static struct tally measure_alike(const struct set *set, unsigned each)
{
    static const char *const pairs[][2] = {
        {"timestamp,actual_q", "timestamp,actual_TCP_force"},
        {"timestamp,actual_q", "timestamp,actual_TCP_pose"},
        {"timestamp,target_q,actual_q", "timestamp,target_TCP_pose,actual_TCP_pose"},
        {"timestamp,actual_q,actual_qd", "timestamp,actual_TCP_pose,actual_TCP_speed"},
        {"timestamp,actual_q,actual_qd", "timestamp,target_q,target_qd"},
        {"timestamp,target_q,actual_q,target_qd,actual_qd",
         "timestamp,target_TCP_pose,actual_TCP_pose,target_TCP_speed,actual_TCP_speed"},
        {"timestamp,target_q,actual_q,robot_mode,safety_mode",
         "timestamp,target_TCP_pose,actual_TCP_pose,safety_mode,runtime_state"},
    };
    struct dice dice = {set->seed + 6};
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned k = 0; k < 2 * each; k++) {
            struct armtap_recipe *learned, *sent;
            assert_int_equal(armtap_recipe_rtde(pairs[i][k % 2], NULL, &learned), 0);
            assert_int_equal(armtap_recipe_rtde(pairs[i][!(k % 2)], NULL, &sent), 0);
            struct trial trial = trial_of(&dice, set->motion[k / 2 % 2]);
            add_learned(&tally, learned, sent, &trial);
            armtap_recipe_release(learned);
            armtap_recipe_release(sent);
        }
    return tally;
}

static void judge_learned(const struct set *set, unsigned each)
{
    struct tally other = measure_learned(set, each, false), same = measure_learned(set, each, true);
    struct tally alike = measure_alike(set, each);
    print_message("%s: with a recipe of another connection, of %u other recipes of its length %u got a wrong name, "
                  "of %u that look like it %u; of %u times the same recipe %u were found (%.1f %%)\n",
                  set->name, other.trials, other.wrong, alike.trials, alike.wrong, same.trials, same.guessed,
                  100.0 * same.guessed / same.trials);
    assert_true(other.wrong * 1000 <= other.trials);
    assert_int_equal(alike.wrong, 0);
    assert_int_equal(same.wrong, 0);
    assert_true(same.guessed * 100 >= same.trials * 70);
}

/* Whether a field of a recipe can distinguish it from others: recipes without a clock, modes or two status words cannot
 * be distinguished, nor can a position and a speed alone. */
static bool can_speak(const char *fields)
{
    return strstr(fields, "timestamp") || strstr(fields, "joint_mode") || strstr(fields, "robot_mode") ||
           strstr(fields, "actual_TCP_speed") || strstr(fields, "safety_status_bits");
}

static struct tally measure_known(const struct set *set, unsigned each, bool speaking)
{
    struct dice dice = {set->seed + 2 + speaking};
    struct tally tally = {0};
    const struct armtap_known_recipe *known;
    for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++)
        for (unsigned k = 0; k < each && can_speak(known->fields) == speaking; k++) {
            struct armtap_recipe *recipe = known_recipe(known);
            struct trial trial = trial_of(&dice, set->motion[(i + k) % 2]);
            struct outcome outcome = run(recipe, &trial);
            add(&tally, &outcome, known->size, &trial);
            tally.recognised += outcome.guessed || is_listed(&outcome, known);
            if (!outcome.guessed && getenv("GUESSES_SHOW"))
                print_message("  not named%s: %s, motion %d, %u packages\n",
                              is_listed(&outcome, known) ? " but listed" : " nor listed", known->name,
                              trial.options.motion, trial.packages);
            armtap_recipe_release(recipe);
        }
    return tally;
}

static void measure(const struct set *set, unsigned each)
{
    const char *more = getenv("GUESSES_EACH"), *seed = getenv("GUESSES_SEED");
    struct set chosen = *set;
    if (more)
        each = (unsigned)strtoul(more, NULL, 10);
    if (seed)
        chosen.seed = strtoull(seed, NULL, 10);
    set = &chosen;
    struct tally wrote = measure_written(set, each), alter = measure_altered(set, (each + 7) / 8);
    struct tally known = measure_known(set, (each + 7) / 8, true), all = known,
                 mute = measure_known(set, (each + 7) / 8, false);
    all.trials += mute.trials;
    all.guessed += mute.guessed;
    all.recognised += mute.recognised;
    print_message("%s: of %u custom recipes of known lengths %u were named, %u with a wrong name; for %u (%.1f %%) a "
                  "well-known recipe was listed as possible\n",
                  set->name, wrote.trials, wrote.guessed, wrote.wrong, wrote.listed,
                  100.0 * wrote.listed / wrote.trials);
    print_message("%s: of %u known recipes with a field altered %u were named, %u with a wrong name; "
                  "%u with a wrong name that was reported as supported by the data\n",
                  set->name, alter.trials, alter.guessed, alter.wrong, alter.supported_wrong);
    print_message(
        "%s: of %u known recipes with a discriminating field %u were named (%.1f %%), of all %u %u (%.1f %%); "
        "%u with a wrong name\n",
        set->name, known.trials, known.guessed, 100.0 * known.guessed / known.trials, all.trials, all.guessed,
        100.0 * all.guessed / all.trials, known.wrong + mute.wrong);
    print_message("%s: of %u known recipes %u were recognised (%.1f %%): %u named, %u listed as possible; "
                  "of those without a discriminating field %u of %u\n",
                  set->name, all.trials, all.recognised, 100.0 * all.recognised / all.trials, all.guessed,
                  all.recognised - all.guessed, mute.recognised, mute.trials);
    print_message("%s: the data supports %.1f %% of their names and %.1f %% of their bytes\n", set->name,
                  100.0 * (double)known.supported / (double)known.names,
                  100.0 * (double)known.supported_bytes / (double)known.bytes);
    assert_true(wrote.trials > 2000 || each < 42);
    assert_true(wrote.wrong * 1000 <= wrote.trials || wrote.trials < 1000);
    assert_true(wrote.listed * 20 <= wrote.trials);
    assert_true(known.guessed * 100 >= known.trials * 95);
    assert_true(all.recognised * 100 >= all.trials * 95);
    assert_int_equal(mute.guessed + known.wrong + mute.wrong, 0);
    assert_true(alter.wrong > 10 && alter.supported_wrong * 50 <= alter.guessed);
    assert_true(known.supported * 100 >= known.names * 12 && known.supported_bytes * 100 >= known.bytes * 13);
    judge_learned(set, (each + 3) / 4);
    judge_gaps(set, (each + 3) / 4);
}

static void test_development(void **state)
{
    (void)state;
    if (checks_all() || getenv("GUESSES_DEVELOPMENT"))
        measure(&development, 2);
}

static void test_evaluation(void **state)
{
    (void)state;
    if (!getenv("GUESSES_DEVELOPMENT"))
        measure(&evaluation, (unsigned)share_of(42, 14, "trials of each recipe"));
}

/* ---- one field against the recipe ------------------------------------------------------------------------------- */

static void put_be(uint8_t *at, size_t width, uint64_t bits)
{
    for (size_t i = 0; i < width; i++)
        at[i] = (uint8_t)(bits >> 8 * (width - 1 - i));
}

static void put_doubles(uint8_t *at, double first, unsigned package)
{
    for (unsigned k = 0; k < 6; k++) {
        double value = first + 0.25 * ((package * 7 + k) % 16);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        put_be(at + 8 * k, 8, bits);
    }
}

/* Power on and a program running, as in a working robot. */
static void put_steady_bits(uint8_t *at, unsigned package)
{
    (void)package;
    put_be(at, 4, 3);
}

/* A robot may show each of these for long, but none starts and ends its program with every package. */
static void put_flickering_bits(uint8_t *at, unsigned package)
{
    put_be(at, 4, package % 2 ? 1 : 3);
}

static void put_forces(uint8_t *at, unsigned package)
{
    put_doubles(at, 20, package);
}

/* N; ten times what the strongest arm can hold. */
static void put_large_forces(uint8_t *at, unsigned package)
{
    put_doubles(at, 4000, package);
}

/* How many records get names from another connection's recipe if `put` wrote the last field. */
static unsigned named_with(const char *names, void (*put)(uint8_t *at, unsigned package))
{
    static uint8_t package[ROBOT_PACKAGE_MAX];
    const struct robot_options options = {.motion = MOTION_WAVES, .cycle = 0.008};
    const struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record_behind};
    struct armtap_robot *shared = armtap_robot_new();
    const struct armtap_conn_setup setup = {
        .protocol = ARMTAP_RTDE, .forced = true, .midstream = true, .robot = shared};
    struct behind_gap outcome = {0};
    struct armtap_recipe *recipe;
    struct armtap_conn *conn;
    struct robot robot;
    assert_non_null(shared);
    assert_int_equal(armtap_recipe_rtde(names, NULL, &recipe), 0);
    armtap_robot_learn(shared, recipe, 2, 1);
    assert_int_equal(armtap_conn_create(&setup, &sink, &outcome, &conn), 0);
    robot_begin(&robot, &options, 77);
    double begin = robot_clock(&robot);
    for (unsigned i = 0; i < 150; i++) {
        robot_step(&robot);
        size_t length = robot_package(&robot, recipe, 2, 1, package);
        put(package + length - armtap_recipe_at(recipe, armtap_recipe_count(recipe) - 1)->wire_size, i);
        struct armtap_where where = {.size = sizeof where,
                                     .time = 1700000000000000000 + (int64_t)((robot_clock(&robot) - begin) * 1e9),
                                     .packet = i + 1};
        assert_int_equal(armtap_conn_push(conn, ARMTAP_FROM_ROBOT, package, length, &where), 0);
    }
    armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL);
    armtap_conn_free(conn);
    armtap_recipe_release(recipe);
    armtap_robot_release(shared);
    return outcome.named;
}

static void test_one_field_against_it(void **state)
{
    static const char bits[] = "timestamp,robot_mode,safety_mode,joint_mode,actual_q,actual_qd,robot_status_bits",
                      force[] = "timestamp,robot_mode,safety_mode,joint_mode,actual_q,actual_qd,actual_TCP_force";
    (void)state;
    assert_true(named_with(bits, put_steady_bits) > 0);
    assert_int_equal(named_with(bits, put_flickering_bits), 0);
    assert_true(named_with(force, put_forces) > 0);
    assert_int_equal(named_with(force, put_large_forces), 0);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Evenly spread runs of consecutive packages, beginning with the first, in a buffer of fixed size. */
static void test_sample(void **state)
{
    struct armtap_sample *sample = armtap_sample_new(1);
    (void)state;
    assert_non_null(sample);
    for (unsigned i = 0; i < 100000; i++) {
        uint8_t package = (uint8_t)(i * 7);
        armtap_sample_add(sample, &package, i);
        assert_in_range(sample->count, i < 48 ? i + 1 : 45, 96);
    }
    for (unsigned i = 0; i < sample->count; i++) {
        uint64_t spacing = i > 0 ? sample->number[i] - sample->number[i - 1] : 0;
        assert_int_equal(spacing, i == 0 ? 0 : i % 4 ? 1 : 4 * sample->every - 3);
        assert_int_equal(sample->time[i], sample->number[i]);
        assert_int_equal(*armtap_sample_at(sample, i), (uint8_t)(sample->number[i] * 7));
    }
    assert_int_equal(sample->number[0], 0);
    assert_true(sample->number[sample->count - 1] + 4 * sample->every > 100000 - 4);
    free(sample);
}

/* Samples of many connections: the oldest are dropped, and their recipes are not guessed. */
static void test_room(void **state)
{
    enum { CONNECTIONS = 400, BYTES = 1241 };
    struct armtap_knowledge *knowledge;
    struct armtap_guess *guess[CONNECTIONS];
    size_t held = 0;
    (void)state;
    assert_int_equal(armtap_knowledge_new(&knowledge), 0);
    for (uint64_t i = 0; i < CONNECTIONS; i++) {
        assert_int_equal(armtap_knowledge_guess(knowledge, i, &guess[i]), 0);
        assert_int_equal(armtap_knowledge_sample(knowledge, guess[i], BYTES), 0);
    }
    for (size_t i = 0; i < CONNECTIONS; i++) {
        assert_int_equal(guess[i]->ruled_out, !guess[i]->sample);
        held += guess[i]->sample ? armtap_sample_room(BYTES) : 0;
    }
    assert_null(guess[0]->sample);
    assert_non_null(guess[CONNECTIONS - 1]->sample);
    assert_in_range(held, ARMTAP_LIMIT_samples - (1 << 18), ARMTAP_LIMIT_samples);
    armtap_knowledge_free(knowledge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_one_field_against_it),
        cmocka_unit_test(test_development),
        cmocka_unit_test(test_evaluation),
    };
    return cmocka_run_group_tests_name("guesses", tests, NULL, NULL);
}
