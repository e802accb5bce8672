/* How well recipes are inferred from data alone, on robots that are simulated for it: types of bytes, names, models,
 * and whether names are right as often as their certainty says.
 *
 * Inference is tuned on the first family of robots, seeds 1 to 60. The figure is that of the other one, seeds 1 to 60,
 * which has other models, other shapes of motion and other noise; the test plays this one and fails where it falls
 * below the goals, in a sample a little further. Arguments: captures for each row, the number of a family (0, 1), that
 * of a row, the seed of the first capture; a fifth one prints every field. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../share.h"
#include "analysis/armtap-analysis.h"
#include "arm_model.h"

enum { FIELDS_MAX = 160, BYTES_MAX = 4096, MISTAKES_MAX = 1000 };
/* With CHECK=all; else a sample of the family that is judged, whose figures may lie so far below the goal. */
enum { TRIALS = 60, SAMPLED = 2, ROWS_ALIKE = 5 };
enum order { IN_GUIDE_ORDER, IN_OTHER_ORDER };
/* Which fields a recipe has. */
enum draw {
    LIKE_CLIENTS,   /* 6 to 40, such as well-known clients ask for, each as often */
    ANY_FIELDS,     /* 6 to 40, each equally often */
    HALF_REGISTERS, /* a few, and at least as many registers */
    TOOL_FIELDS,    /* as LIKE_CLIENTS, and the tool's modes */
    ONE_TO_FIVE,
    POSE /* actual_TCP_pose, alone or with actual_q */
};
enum rates { USUAL_RATES, LOW_RATES };

/* What the figure must reach: all of it. `least`: rows and bands with fewer names are not judged. */
static const struct goals {
    unsigned least;
    double precision, row_precision; /* of all rows together; of each */
    double calibration;              /* certainty against the share that is right, in each band, at most */
    double models, seconds;
    /* a sample's, of all rows together */
    double sample_precision, sample_recall, sample_types;
} aims = {100, 0.98, 0.97, 0.03, 0.98, 5, 0.97, 0.5, 0.85},
  /* What is reached today, where it is less. */
    today = {100, 0.98, 0.955, 0.03, 0.98, 5, 0.95, 0.5, 0.85};

/* A row of the table. */
static const struct kind {
    const char *name;
    bool moves;
    enum order order;
    enum draw draw;
    double seconds;
    enum rates rates;
    unsigned behaviour;
    bool varied;          /* behaviours, rates, seconds and order are drawn for each capture */
    double recall, types; /* of the held-out robots, at least */
} kinds[] = {
    {"moving, 10 s, guide order", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, 0, false, 0.69, 0.98},
    {"moving, 10 s, guide order, any fields", true, IN_GUIDE_ORDER, ANY_FIELDS, 10, USUAL_RATES, 0, false, 0.46, 0.95},
    {"moving, 1 s, guide order", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 1, USUAL_RATES, 0, false, 0.65, 0.98},
    {"moving, 10 s, other order", true, IN_OTHER_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, 0, false, 0.37, 0.93},
    {"standing still, 10 s, guide order", false, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, 0, false, 0, 0.85},
    {"led by hand", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_LED, false, 0.54, 0.97},
    {"led by hand, stiff joints", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_LED | BEHAVES_STIFF,
     false, 0.5, 0.87},
    {"force control", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_PUSHING, false, 0.66, 0.98},
    {"accelerations of 0", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_UNSPED, false, 0.7, 0.97},
    {"nothing moves at rest", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_HOLDING, false, 0.7, 0.98},
    {"bare arm", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_BARE, false, 0.61, 0.95},
    {"half are registers at 0", true, IN_GUIDE_ORDER, HALF_REGISTERS, 10, USUAL_RATES, BEHAVES_UNWRITTEN, false, 0.15,
     0.68},
    {"tool modes", true, IN_GUIDE_ORDER, TOOL_FIELDS, 10, USUAL_RATES, BEHAVES_WITH_MODES, false, 0.61, 0.98},
    {"6 or 9 decimals", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_ROUNDED, false, 0.69, 0.97},
    {"as recorded", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_AS_RECORDED, false, 0.66, 0.98},
    {"as recorded, any fields", true, IN_GUIDE_ORDER, ANY_FIELDS, 10, USUAL_RATES, BEHAVES_AS_RECORDED, false, 0.43,
     0.95},
    {"as recorded, standing still", false, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_AS_RECORDED, false, 0,
     0.73},
    {"packages missing", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, BEHAVES_LOSSY, false, 0.65, 0.98},
    {"20 to 50 Hz", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, LOW_RATES, 0, false, 0.66, 0.98},
    {"20 to 50 Hz, 2 s", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 2, LOW_RATES, 0, false, 0.56, 0.98},
    {"2 s", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 2, USUAL_RATES, 0, false, 0.67, 0.97},
    {"1 to 5 fields", true, IN_GUIDE_ORDER, ONE_TO_FIVE, 10, USUAL_RATES, 0, false, 0.17, 0.98},
    {"1 to 5 fields, as recorded, any order", true, IN_OTHER_ORDER, ONE_TO_FIVE, 10, LOW_RATES, BEHAVES_AS_RECORDED,
     false, 0.06, 0.9},
    {"pose, alone or with joints", true, IN_GUIDE_ORDER, POSE, 10, LOW_RATES, BEHAVES_LED | BEHAVES_STIFF, false, 0.69,
     0.99},
    {"1 to 5 fields, force control", true, IN_GUIDE_ORDER, ONE_TO_FIVE, 10, USUAL_RATES,
     BEHAVES_AS_RECORDED | BEHAVES_PUSHING, false, 0.17, 0.98},
    {"as recorded, rounded, half registers", true, IN_GUIDE_ORDER, HALF_REGISTERS, 10, LOW_RATES,
     BEHAVES_AS_RECORDED | BEHAVES_ROUNDED | BEHAVES_UNWRITTEN | BEHAVES_BARE, false, 0.11, 0.67},
    {"led, as recorded, low rates, 2 s", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 2, LOW_RATES,
     BEHAVES_LED | BEHAVES_STIFF | BEHAVES_AS_RECORDED, false, 0.44, 0.82},
    {"behaviours, rates, lengths drawn", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, USUAL_RATES, 0, true, 0.42, 0.89},
    {"the same, any fields", true, IN_GUIDE_ORDER, ANY_FIELDS, 10, USUAL_RATES, 0, true, 0.27, 0.85},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Bands of certainty. */
static const double bands[] = {0, 0.5, 0.7, 0.9, 0.95, 0.98, 0.995, 2};
enum { BANDS = sizeof bands / sizeof *bands - 1 };
struct band {
    unsigned count, right;
    double sum; /* of certainties */
};

/* A name that is wrong, and what is there. */
struct mistake {
    char given[64], truth[64];
    const char *row; /* where it was first */
    unsigned count;
};

/* Where a wrong name stands. */
enum standing { AT_A_FIELD, IN_A_FIELD, HALF_A_VECTOR, STANDINGS };

struct score {
    unsigned trials, fields, registers, given, right, models, models_right;
    unsigned long bytes, typed;
    double longest; /* s */
};

/* Of all rows. */
struct tally {
    struct score score;
    struct band given[BANDS], likeliest[BANDS];
    unsigned standing[STANDINGS], constant, constant_right;
    struct mistake mistakes[MISTAKES_MAX];
    unsigned kinds_of_mistakes;
};

struct recipe {
    size_t field[FIELDS_MAX];
    size_t count;
};

/* What is captured, and how. */
struct scene {
    const struct kind *kind;
    struct recipe recipe;
    enum order order;
    double seconds;
    uint8_t first[BYTES_MAX], changed[BYTES_MAX]; /* values of the first package; bits that changed */
};

/* ---- recipes ----------------------------------------------------------------------------------------------------- */

static bool is_register(const char *name)
{
    return strstr(name, "_register") != NULL;
}

static bool is_tool_mode(const struct arm_field *field)
{
    return strcmp(field->type, "UINT8") == 0 || strcmp(field->name, "tool_mode") == 0 ||
           strcmp(field->name, "tool_output_voltage") == 0;
}

static double weight_of(const struct kind *kind, const struct arm_field *field, bool registers)
{
    bool like_clients = kind->draw != ANY_FIELDS;
    if (is_register(field->name))
        return !registers || field->spare ? 0 : like_clients ? field->popularity + 0.3 : 5;
    if (kind->draw == TOOL_FIELDS && is_tool_mode(field))
        return 80;
    return like_clients ? field->popularity + 0.3 : 10;
}

static size_t draw_count(struct random *random, const struct kind *kind)
{
    size_t wanted = 6 + random_below(random, 35);
    if (kind->draw == HALF_REGISTERS)
        return 3 + wanted / 4;
    return kind->draw == ONE_TO_FIVE ? 1 + wanted % 5 : wanted;
}

/* At least as many as are chosen: whole numbers and doubles, each from the first of a half on. */
static void choose_registers(struct random *random, size_t wanted, bool *chosen)
{
    static const char *const types[] = {"INT32", "DOUBLE"};
    const struct arm_field *field;
    for (unsigned i = 0; i < 2; i++) {
        size_t left = wanted / 2 + random_below(random, (unsigned)wanted), skipped = random_below(random, 2) * 12;
        for (size_t k = 0; (field = arm_field_at(k)); k++) {
            if (strncmp(field->name, "output_", 7) != 0 || !is_register(field->name) ||
                strcmp(field->type, types[i]) != 0)
                continue;
            chosen[k] = skipped == 0 && left > 0;
            left -= chosen[k];
            skipped -= skipped > 0;
        }
    }
}

static void choose_pose(struct random *random, bool *chosen)
{
    const struct arm_field *field;
    bool with_joints = random_below(random, 2) > 0;
    for (size_t k = 0; (field = arm_field_at(k)); k++)
        chosen[k] =
            strcmp(field->name, "actual_TCP_pose") == 0 || (with_joints && strcmp(field->name, "actual_q") == 0);
}

static void choose_fields(struct random *random, const struct kind *kind, bool *chosen)
{
    const struct arm_field *field;
    size_t count = 0, wanted = draw_count(random, kind);
    bool registers = random_unit(random) < 0.4;
    double weights[FIELDS_MAX], total = 0;
    for (; (field = arm_field_at(count)); count++) {
        weights[count] = weight_of(kind, field, registers && kind->draw != HALF_REGISTERS);
        total += weights[count];
    }
    for (size_t i = 0; i < wanted && total > 1e-9; i++) {
        double at = random_unit(random) * total;
        size_t k = 0;
        while (k + 1 < count && (at >= weights[k] || weights[k] == 0))
            at -= weights[k++];
        chosen[k] = true;
        total -= weights[k];
        weights[k] = 0;
    }
    if (kind->draw == HALF_REGISTERS)
        choose_registers(random, wanted, chosen);
}

static void draw_recipe(struct random *random, struct scene *scene)
{
    struct recipe *recipe = &scene->recipe;
    bool chosen[FIELDS_MAX] = {false};
    if (scene->kind->draw == POSE)
        choose_pose(random, chosen);
    else
        choose_fields(random, scene->kind, chosen);
    recipe->count = 0;
    for (size_t k = 0; k < FIELDS_MAX; k++)
        if (chosen[k])
            recipe->field[recipe->count++] = k;
    for (size_t i = recipe->count; i > 1 && scene->order == IN_OTHER_ORDER; i--) {
        size_t k = random_below(random, (unsigned)i), swap = recipe->field[k];
        recipe->field[k] = recipe->field[i - 1];
        recipe->field[i - 1] = swap;
    }
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

/* A byte is right if it belongs to a value of its field's type that begins where the field does. */
static void count_types(const struct recipe *recipe, const struct armtap_inferred *found, struct score *score)
{
    size_t offset = 0, at = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct arm_field *field = arm_field_at(recipe->field[i]);
        while (found && at < found->count && found->fields[at].offset < offset)
            at++;
        bool right = found && at < found->count && found->fields[at].offset == offset &&
                     strcmp(armtap_type_name(found->fields[at].type, found->fields[at].count), field->type) == 0;
        score->bytes += field->size;
        score->typed += right ? field->size : 0;
        score->fields++;
        score->registers += is_register(field->name);
        offset += field->size;
    }
}

/* The field that holds the byte at an offset, and where it begins. */
static const struct arm_field *field_around(const struct recipe *recipe, size_t offset, size_t *begin)
{
    size_t at = 0, i = 0;
    while (i < recipe->count && at + arm_field_at(recipe->field[i])->size <= offset)
        at += arm_field_at(recipe->field[i++])->size;
    *begin = at;
    return i < recipe->count ? arm_field_at(recipe->field[i]) : NULL;
}

static const char *truth_at(const struct recipe *recipe, size_t offset)
{
    size_t begin;
    const struct arm_field *field = field_around(recipe, offset, &begin);
    return field && begin == offset ? field->name : "(no field begins here)";
}

static enum standing standing_of(const struct recipe *recipe, const struct armtap_inferred_field *found)
{
    size_t begin, size = armtap_type_width(found->type) * found->count;
    const struct arm_field *field = field_around(recipe, found->offset, &begin);
    if (!field || found->offset + size > begin + field->size || size == field->size)
        return AT_A_FIELD;
    bool is_half = strcmp(field->type, "VECTOR6D") == 0 && 2 * size == field->size &&
                   (found->offset == begin || found->offset == begin + size);
    return is_half ? HALF_A_VECTOR : IN_A_FIELD;
}

static bool is_constant(const struct scene *scene, const struct armtap_inferred_field *found)
{
    for (size_t i = 0; i < armtap_type_width(found->type) * found->count; i++)
        if (scene->changed[found->offset + i] != 0)
            return false;
    return true;
}

static void show(const struct armtap_inferred_field *field, const char *truth)
{
    const char *mark = !field->field ? " " : strcmp(truth, field->name) == 0 ? "+" : "X";
    printf("    %s %4zu %-12s %-28s is %-28s (%s %.3f, type %.3f)  %s\n", mark, field->offset,
           armtap_type_name(field->type, field->count), field->name, truth, field->likeliest, field->certainty,
           field->type_certainty, field->evidence);
}

static void count_certainty(struct band *of, double certainty, bool right)
{
    unsigned i = 0;
    while (i + 1 < BANDS && certainty >= bands[i + 1])
        i++;
    of[i].count++;
    of[i].right += right;
    of[i].sum += certainty;
}

static void count_mistake(struct tally *tally, const char *given, const char *truth, const char *row)
{
    unsigned i = 0;
    while (i < tally->kinds_of_mistakes &&
           (strcmp(tally->mistakes[i].given, given) != 0 || strcmp(tally->mistakes[i].truth, truth) != 0))
        i++;
    if (i == MISTAKES_MAX)
        return;
    if (i == tally->kinds_of_mistakes) {
        struct mistake *mistake = &tally->mistakes[tally->kinds_of_mistakes++];
        snprintf(mistake->given, sizeof mistake->given, "%s", given);
        snprintf(mistake->truth, sizeof mistake->truth, "%s", truth);
        mistake->row = row;
    }
    tally->mistakes[i].count++;
}

static void count_name(const struct scene *scene, const struct armtap_inferred_field *field, const char *truth,
                       struct tally *tally)
{
    bool right = strcmp(truth, field->name) == 0, constant = is_constant(scene, field);
    count_certainty(tally->given, field->certainty, right);
    tally->constant += constant;
    tally->constant_right += constant && right;
    if (right)
        return;
    tally->standing[standing_of(&scene->recipe, field)]++;
    count_mistake(tally, field->name, truth, scene->kind->name);
}

static void count_names(const struct scene *scene, const struct armtap_inferred *found, struct score *score,
                        struct tally *tally, bool verbose)
{
    for (size_t k = 0; found && k < found->count; k++) {
        const struct armtap_inferred_field *field = &found->fields[k];
        const char *truth = truth_at(&scene->recipe, field->offset);
        if (verbose)
            show(field, truth);
        if (field->field)
            count_name(scene, field, truth, tally);
        else if (field->likeliest[0] != '\0')
            count_certainty(tally->likeliest, field->certainty, strcmp(truth, field->likeliest) == 0);
        score->given += field->field != NULL;
        score->right += field->field && strcmp(truth, field->name) == 0;
    }
}

static void count_model(const struct arm *arm, const struct armtap_inferred *found, struct score *score)
{
    bool right = false;
    if (!found || found->kinematics.outcome != ARMTAP_KINEMATICS_MODEL)
        return;
    for (size_t i = 0; i < found->kinematics.model_count; i++)
        right = right || strcmp(found->kinematics.models[i]->name, arm_name(arm)) == 0;
    score->models++;
    score->models_right += right;
}

/* ---- captures ---------------------------------------------------------------------------------------------------- */

static void note_changes(struct scene *scene, const uint8_t *values, size_t length, bool is_first)
{
    if (is_first)
        memcpy(scene->first, values, length);
    for (size_t i = 0; i < length; i++)
        scene->changed[i] |= scene->first[i] ^ values[i];
}

/* Packages of both protocols: two in three have a recipe id. */
static int play(struct random *random, struct scene *scene, struct arm *arm, unsigned hz,
                struct armtap_inference *inference)
{
    uint8_t package[BYTES_MAX];
    size_t skip = random_below(random, 3) > 0;
    int error = ARMTAP_OK;
    for (unsigned i = 0; i < scene->seconds * hz && error == ARMTAP_OK; i++) {
        uint8_t *to = package + skip;
        arm_step(arm);
        package[0] = 1;
        for (size_t k = 0; k < scene->recipe.count; k++)
            to = arm_put(arm, scene->recipe.field[k], to);
        note_changes(scene, package + skip, (size_t)(to - package) - skip, i == 0);
        error = armtap_inference_package(inference, package, (size_t)(to - package));
    }
    return error;
}

static unsigned draw_rate(struct random *random, enum rates rates)
{
    static const unsigned usual[] = {125, 125, 250, 500, 500}, low[] = {20, 25, 25, 50, 50};
    return (rates == LOW_RATES ? low : usual)[random_below(random, 5)];
}

/* Each behaviour in three captures of ten, and at most one hand on the arm. */
static void vary(struct random *random, struct scene *scene, struct arm_plan *plan)
{
    static const double seconds[] = {10, 10, 2, 1};
    for (unsigned i = 0; i < BEHAVIOURS; i++)
        plan->behaviour |= random_unit(random) < 0.3 ? 1u << i : 0;
    if (plan->behaviour & BEHAVES_LED)
        plan->behaviour &= ~(unsigned)BEHAVES_PUSHING;
    if (random_below(random, 3) == 0)
        plan->hz = draw_rate(random, LOW_RATES);
    scene->seconds = seconds[random_below(random, 4)];
    scene->order = random_below(random, 4) == 0 ? IN_OTHER_ORDER : IN_GUIDE_ORDER;
}

static void judge(const struct scene *scene, const struct arm *arm, const struct armtap_inferred *found,
                  struct score *score, struct tally *tally, bool verbose)
{
    score->trials++;
    count_types(&scene->recipe, found, score);
    count_names(scene, found, score, tally, verbose);
    if (found)
        count_model(arm, found, score);
    if (verbose && found)
        printf("  %s, %zu fields, recipe id %d, order '%s', moved %d\n", arm_name(arm), scene->recipe.count,
               found->recipe_id, found->order, found->moved);
}

/* The first rows share their arms, and recipes where the order is the same; all others have their own. */
static uint64_t seed_of(const struct kind *kind, uint64_t seed)
{
    size_t row = (size_t)(kind - kinds);
    return row < ROWS_ALIKE ? seed : seed + 1000 * row;
}

static int try(enum family family, const struct kind *kind, uint64_t seed, struct score *score, struct tally *tally,
               bool verbose)
{
    uint64_t own = seed_of(kind, seed);
    struct random random = {own * 7919 + (uint64_t)family * 1000003 + (uint64_t)kind->order};
    struct arm_plan plan = {family, own, kind->moves, draw_rate(&random, kind->rates), kind->behaviour};
    struct scene scene = {.kind = kind, .order = kind->order, .seconds = kind->seconds};
    if (kind->varied)
        vary(&random, &scene, &plan);
    struct arm *arm = arm_new(&plan);
    struct armtap_inference *inference = armtap_inference_new();
    int error = ARMTAP_ERR_MEMORY;
    draw_recipe(&random, &scene);
    if (arm && inference)
        error = play(&random, &scene, arm, plan.hz, inference);
    clock_t begin = clock();
    if (error == ARMTAP_OK)
        error = armtap_inference_finish(inference);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    score->longest = seconds > score->longest ? seconds : score->longest;
    if (verbose)
        printf("  seed %llu: %u Hz, %.0f s, behaviour %#x\n", (unsigned long long)seed, plan.hz, scene.seconds,
               plan.behaviour);
    if (arm)
        judge(&scene, arm, error == ARMTAP_OK ? armtap_inference_result(inference) : NULL, score, tally, verbose);
    armtap_inference_free(inference);
    arm_free(arm);
    return error;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static double share(unsigned long part, unsigned long whole)
{
    return whole == 0 ? 1 : (double)part / (double)whole;
}

static bool is_good(const struct kind *kind, const struct score *score)
{
    return (score->given < today.least || share(score->right, score->given) >= today.row_precision) &&
           share(score->right, score->fields) >= kind->recall && share(score->typed, score->bytes) >= kind->types;
}

static void add(struct score *to, const struct score *score)
{
    to->trials += score->trials;
    to->fields += score->fields;
    to->registers += score->registers;
    to->given += score->given;
    to->right += score->right;
    to->models += score->models;
    to->models_right += score->models_right;
    to->bytes += score->bytes;
    to->typed += score->typed;
    to->longest = score->longest > to->longest ? score->longest : to->longest;
}

static void print_score(const char *robots, const char *name, const struct score *score, bool good)
{
    printf("%-8s  %-38s %5u  %6.3f  %6.3f  %6.3f  %6.3f  %4u/%-4u  %4.2f%s\n", robots, name, score->given,
           share(score->right, score->given), share(score->right, score->fields),
           share(score->right, score->fields - score->registers), share(score->typed, score->bytes),
           score->models_right, score->models, score->longest, good ? "" : "  below the goal");
}

static bool run_row(enum family family, const struct kind *kind, unsigned first, unsigned trials, struct tally *tally,
                    bool verbose)
{
    struct score score = {.trials = 0};
    bool failed = false;
    for (unsigned seed = first; seed < first + trials; seed++)
        failed |= try(family, kind, seed, &score, tally, verbose) != ARMTAP_OK;
    bool judged = family == FAMILY_HELD_OUT && trials >= TRIALS, good = !failed && (!judged || is_good(kind, &score));
    print_score(family == FAMILY_TUNED ? "tuned" : "held out", kind->name, &score, good);
    add(&tally->score, &score);
    return good;
}

static bool print_bands(const char *title, const struct band *of, double most)
{
    bool good = true;
    printf("\n%-24s %6s  %9s  %6s  %10s\n", title, "count", "certainty", "right", "difference");
    for (unsigned i = 0; i < BANDS; i++) {
        if (of[i].count == 0)
            continue;
        double certainty = of[i].sum / of[i].count, right = share(of[i].right, of[i].count);
        bool fits = of[i].count < today.least || fabs(certainty - right) <= most;
        printf("  %-5g to %-13g %6u  %9.3f  %6.3f  %+10.3f%s\n", bands[i], fmin(bands[i + 1], 1), of[i].count,
               certainty, right, right - certainty, fits ? "" : "  beyond the goal");
        good &= fits;
    }
    return good;
}

static int by_count(const void *a, const void *b)
{
    const struct mistake *one = a, *other = b;
    return one->count == other->count ? strcmp(one->given, other->given) : one->count < other->count ? 1 : -1;
}

static void print_mistakes(struct tally *tally)
{
    printf("\nwrong names: %u inside another field, %u halves of vectors of 6, %u others\n",
           tally->standing[IN_A_FIELD], tally->standing[HALF_A_VECTOR], tally->standing[AT_A_FIELD]);
    printf("names of what never changes: %u, %u of them right\n", tally->constant, tally->constant_right);
    qsort(tally->mistakes, tally->kinds_of_mistakes, sizeof tally->mistakes[0], by_count);
    for (unsigned i = 0; i < tally->kinds_of_mistakes; i++)
        printf("  %4u  %-30s <- %-30s (%s)\n", tally->mistakes[i].count, tally->mistakes[i].given,
               tally->mistakes[i].truth, tally->mistakes[i].row);
}

/* A sample says nothing about calibration. */
static bool judge_all(struct tally *tally, bool is_sample, bool judged)
{
    const struct score *score = &tally->score;
    double precision = share(score->right, score->given), recall = share(score->right, score->fields),
           types = share(score->typed, score->bytes);
    bool good = share(score->models_right, score->models) >= today.models && score->longest < today.seconds;
    if (is_sample)
        good &= precision >= today.sample_precision && recall >= today.sample_recall && types >= today.sample_types;
    else
        good &= precision >= today.precision;
    print_score("", "all", score, good || !judged);
    if (precision < aims.precision || today.calibration > aims.calibration)
        printf("the aims: precision %.3f, of a row %.3f, certainty within %.3f\n", aims.precision, aims.row_precision,
               aims.calibration);
    good &= print_bands("names given", tally->given, is_sample ? 1 : today.calibration);
    print_bands("likeliest, not given", tally->likeliest, 1);
    print_mistakes(tally);
    return good || !judged;
}

int main(int argc, char **argv)
{
    unsigned trials = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)share_of(TRIALS, SAMPLED, "captures of each kind");
    unsigned first = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
    struct tally *tally = calloc(1, sizeof *tally);
    bool good = tally != NULL;
    printf("%-8s  %-38s %5s  %6s  %6s  %6s  %6s  %9s  %4s\n", "robots", "captures", "names", "precis", "recall",
           "no reg", "types", "models", "s");
    for (int family = argc > 1 ? FAMILY_TUNED : FAMILY_HELD_OUT; tally && family < 2; family++)
        for (size_t i = 0; i < KINDS; i++)
            if ((argc <= 2 || atoi(argv[2]) == family) && (argc <= 3 || atoi(argv[3]) == (int)i))
                good &= run_row((enum family)family, &kinds[i], first, trials, tally, argc > 5);
    if (tally)
        good &= judge_all(tally, trials < TRIALS, argc == 1);
    free(tally);
    return good ? 0 : 1;
}
