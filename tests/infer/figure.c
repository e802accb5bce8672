/* How well recipes are inferred from data alone, on robots that are simulated for it: types of bytes, names, models.
 *
 * Inference was tuned on the first family of robots. The figure is that of the other one, which has other models, other
 * shapes of motion and other noise; the test plays this one and fails where it falls below the goal, in a sample a
 * little further. Arguments: captures for each row, the number of a family (0, 1), that of a row, the seed of the first
 * capture; a fifth one prints every field. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../share.h"
#include "analysis/armtap-analysis.h"
#include "arm_model.h"

enum { FIELDS_MAX = 100, BYTES_MAX = 4096 };
/* With CHECK=all; else a sample of the family that is judged, whose figures may lie so far below the goal. */
enum { TRIALS = 60, SAMPLED = 2 };
static const struct slack {
    double precision, others;
} in_sample = {0.03, 0.2}, in_all = {0, 0};
enum order { IN_GUIDE_ORDER, IN_OTHER_ORDER };
/* Which fields a recipe has: such as well-known clients ask for, each as often; or any, each equally often. */
enum draw { LIKE_CLIENTS, ANY_FIELDS };

/* A row of the table. */
static const struct kind {
    const char *name;
    bool moves;
    enum order order;
    enum draw draw;
    double seconds;
    double precision, recall, types; /* of the held-out robots, at least */
} kinds[] = {
    {"moving, 10 s, guide order", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, 0.98, 0.79, 0.99},
    {"moving, 10 s, guide order, any fields", true, IN_GUIDE_ORDER, ANY_FIELDS, 10, 0.97, 0.55, 0.955},
    {"moving, 1 s, guide order", true, IN_GUIDE_ORDER, LIKE_CLIENTS, 1, 0.97, 0.74, 0.98},
    {"moving, 10 s, other order", true, IN_OTHER_ORDER, LIKE_CLIENTS, 10, 0.98, 0.34, 0.93},
    {"standing still, 10 s, guide order", false, IN_GUIDE_ORDER, LIKE_CLIENTS, 10, 1, 0, 0.81},
};
#define KINDS (sizeof kinds / sizeof *kinds)
#define SECONDS_MAX 5

struct score {
    unsigned trials, fields, registers, given, right, wrong, models, models_right;
    unsigned long bytes, typed;
    double longest; /* s */
};

struct recipe {
    size_t field[FIELDS_MAX];
    size_t count;
};

static bool is_register(const char *name)
{
    return strstr(name, "_register") != NULL;
}

/* From 6 to 40 fields. */
static void draw_recipe(struct random *random, const struct kind *kind, struct recipe *recipe)
{
    const struct arm_field *field;
    size_t count = 0, wanted = 6 + random_below(random, 35);
    bool registers = random_unit(random) < 0.4, chosen[FIELDS_MAX] = {false};
    double weights[FIELDS_MAX], total = 0;
    for (; (field = arm_field_at(count)); count++) {
        weights[count] = kind->draw == LIKE_CLIENTS ? field->popularity + 0.3 : 10;
        if (is_register(field->name))
            weights[count] = !registers ? 0 : kind->draw == LIKE_CLIENTS ? weights[count] : 5;
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
    recipe->count = 0;
    for (size_t k = 0; k < count; k++)
        if (chosen[k])
            recipe->field[recipe->count++] = k;
    for (size_t i = recipe->count; i > 1 && kind->order == IN_OTHER_ORDER; i--) {
        size_t k = random_below(random, (unsigned)i), swap = recipe->field[k];
        recipe->field[k] = recipe->field[i - 1];
        recipe->field[i - 1] = swap;
    }
}

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

static const char *truth_at(const struct recipe *recipe, size_t offset)
{
    size_t at = 0, i = 0;
    while (i < recipe->count && at < offset)
        at += arm_field_at(recipe->field[i++])->size;
    return i < recipe->count && at == offset ? arm_field_at(recipe->field[i])->name : "(no field begins here)";
}

static void show(const struct armtap_inferred_field *field, const char *truth)
{
    const char *mark = !field->field ? " " : strcmp(truth, field->name) == 0 ? "+" : "X";
    printf("    %s %4zu %-12s %-28s is %-28s (%s %.3f, type %.3f)  %s\n", mark, field->offset,
           armtap_type_name(field->type, field->count), field->name, truth, field->likeliest, field->certainty,
           field->type_certainty, field->evidence);
}

static void count_names(const struct recipe *recipe, const struct armtap_inferred *found, struct score *score,
                        bool verbose)
{
    for (size_t k = 0; found && k < found->count; k++) {
        const struct armtap_inferred_field *field = &found->fields[k];
        const char *truth = truth_at(recipe, field->offset);
        bool right = strcmp(truth, field->name) == 0;
        if (verbose)
            show(field, truth);
        score->given += field->field != NULL;
        score->right += field->field && right;
        score->wrong += field->field && !right;
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

/* Packages of both protocols: two in three have a recipe id. */
static int play(struct random *random, const struct kind *kind, const struct recipe *recipe, struct arm *arm,
                unsigned hz, struct armtap_inference *inference)
{
    uint8_t package[BYTES_MAX];
    bool with_id = random_below(random, 3) > 0;
    int error = ARMTAP_OK;
    for (unsigned i = 0; i < kind->seconds * hz && error == ARMTAP_OK; i++) {
        uint8_t *to = package;
        arm_step(arm);
        if (with_id)
            *to++ = 1;
        for (size_t k = 0; k < recipe->count; k++)
            to = arm_put(arm, recipe->field[k], to);
        error = armtap_inference_package(inference, package, (size_t)(to - package));
    }
    return error;
}

static int try(enum family family, const struct kind *kind, uint64_t seed, struct score *score, bool verbose)
{
    static const unsigned rates[] = {125, 125, 250, 500, 500};
    struct random random = {seed * 7919 + (uint64_t)family * 1000003 + (uint64_t)kind->order};
    struct arm_plan plan = {family, seed, kind->moves, rates[random_below(&random, 5)]};
    struct arm *arm = arm_new(&plan);
    struct armtap_inference *inference = armtap_inference_new();
    struct recipe recipe;
    int error = ARMTAP_ERR_MEMORY;
    draw_recipe(&random, kind, &recipe);
    if (arm && inference)
        error = play(&random, kind, &recipe, arm, plan.hz, inference);
    clock_t begin = clock();
    if (error == ARMTAP_OK)
        error = armtap_inference_finish(inference);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    const struct armtap_inferred *found = error == ARMTAP_OK ? armtap_inference_result(inference) : NULL;
    score->trials++;
    score->longest = seconds > score->longest ? seconds : score->longest;
    count_types(&recipe, found, score);
    count_names(&recipe, found, score, verbose);
    if (found)
        count_model(arm, found, score);
    if (verbose && found)
        printf("  seed %llu: %s, %u Hz, %zu fields, recipe id %d, order '%s', moved %d\n", (unsigned long long)seed,
               arm_name(arm), plan.hz, recipe.count, found->recipe_id, found->order, found->moved);
    armtap_inference_free(inference);
    arm_free(arm);
    return error;
}

static double share(unsigned long part, unsigned long whole)
{
    return whole == 0 ? 1 : (double)part / (double)whole;
}

static bool is_good(const struct kind *kind, const struct score *score)
{
    const struct slack *slack = score->trials < TRIALS ? &in_sample : &in_all;
    return share(score->right, score->given) >= kind->precision - slack->precision &&
           share(score->right, score->fields) >= kind->recall - slack->others &&
           share(score->typed, score->bytes) >= kind->types - slack->others && score->longest < SECONDS_MAX &&
           share(score->models_right, score->models) >= 0.98;
}

static bool run_row(enum family family, const struct kind *kind, unsigned first, unsigned trials, bool verbose)
{
    struct score score = {.trials = 0};
    bool failed = false;
    for (unsigned seed = first; seed < first + trials; seed++)
        failed |= try(family, kind, seed, &score, verbose) != ARMTAP_OK;
    bool good = !failed && (family == FAMILY_TUNED || is_good(kind, &score));
    printf("%-8s  %-38s %6.3f  %6.3f  %6.3f  %6.3f  %3u/%-3u  %4.2f%s\n", family == FAMILY_TUNED ? "tuned" : "held out",
           kind->name, share(score.right, score.given), share(score.right, score.fields),
           share(score.right, score.fields - score.registers), share(score.typed, score.bytes), score.models_right,
           score.models, score.longest, good ? "" : "  below the goal");
    return good;
}

int main(int argc, char **argv)
{
    unsigned trials = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)share_of(TRIALS, SAMPLED, "captures of each kind");
    unsigned first = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
    bool good = true;
    printf("%-8s  %-38s %6s  %6s  %6s  %6s  %7s  %4s\n", "robots", "captures", "precis", "recall", "no reg", "types",
           "models", "s");
    for (int family = argc > 1 ? FAMILY_TUNED : FAMILY_HELD_OUT; family < 2; family++)
        for (size_t i = 0; i < KINDS; i++)
            if ((argc <= 2 || atoi(argv[2]) == family) && (argc <= 3 || atoi(argv[3]) == (int)i))
                good &= run_row((enum family)family, &kinds[i], first, trials, argc > 5);
    return good ? 0 : 1;
}
