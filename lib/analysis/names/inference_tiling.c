/* Tilings are sums over paths: a path places one field after the other, and pays for each by what its values say and by
 * the odds that a recipe has it. In an order, only later fields may follow, or the path pays for a break. Sums from the
 * left and from the right of each place give the probability of each field there, over all tilings (forward-backward);
 * the probabilities of several orders, and of several ways to choose the fields, are added by what the whole package
 * says for each. */
#include "analysis/names/inference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- choices of fields ------------------------------------------------------------------------------------------- */

/* How clients may have chosen the fields of a recipe, which nobody tells: as well-known clients do, though more of them
 * or fewer, or any. Each way gives a field other odds, and is weighed by what the whole package says for it. In bits.
 */
struct inference_odds {
    double beforehand;                     /* for this way to choose */
    double of_field[INFERENCE_FIELDS_MAX]; /* that a recipe has it, against that it has not */
    double of_none;                        /* that a recipe has no field at all */
    double of_more; /* by which fields are likelier than in the recipes of well-known clients; 0 or more */
};

/* Odds of registers, of which a recipe may have any number: below 1. */
#define REPEATED_MOST (-0.15)

enum choice_kind { LIKE_CLIENTS, ANY_FIELD };

/* bits: for it beforehand; odds: log2 of those of each field, times those in the recipes of well-known clients if it is
 * chosen like theirs. A recipe has 6 fields or 60. */
static const struct choice {
    enum choice_kind kind;
    double bits, odds;
} choices[] = {
    {LIKE_CLIENTS, -1, -3}, {LIKE_CLIENTS, -1, -2}, {LIKE_CLIENTS, -1, -1},
    {LIKE_CLIENTS, -1, 0},  {LIKE_CLIENTS, -1, 1},  {LIKE_CLIENTS, -1, 2},
    {ANY_FIELD, -4, -4},    {ANY_FIELD, -4, -2.5},  {ANY_FIELD, -4, -1},
};
_Static_assert(sizeof choices / sizeof *choices <= INFERENCE_CHOICES_MAX, "too many choices for the tables of tilings");

static size_t choice_count(void)
{
    return sizeof choices / sizeof *choices;
}

static double odds_of(const struct choice *choice, const struct inference_field *field)
{
    if (choice->kind == LIKE_CLIENTS) {
        double bits = field->log_chance + choice->odds;
        return field->repeats ? fmin(bits, REPEATED_MOST) : bits;
    }
    return field->repeats ? fmin(field->log_chance, REPEATED_MOST) : choice->odds;
}

static void choice_at(size_t choice, const struct inference_field *fields, size_t count, struct inference_odds *odds)
{
    const struct choice *chosen = &choices[choice];
    odds->beforehand = chosen->bits;
    odds->of_none = 0;
    odds->of_more = chosen->kind == LIKE_CLIENTS ? fmax(chosen->odds, 0) : 0;
    for (size_t i = 0; i < count; i++) {
        double bits = odds->of_field[i] = odds_of(chosen, &fields[i]);
        odds->of_none += fields[i].repeats ? log2(1 - exp2(bits)) : -log2(1 + exp2(bits));
    }
}

/* ---- tilings ----------------------------------------------------------------------------------------------------- */

/* Bits: a field out of order; one of any order, among some fields that are left. */
#define BREAK 20
#define ANYWHERE 4
/* Behind a break, a path may place fields once more: that must not pay where fields are likelier. */
#define BREAK_OF_MORE 10
/* Bits for a first byte that never changes as the usual recipe id, and as another. */
#define ID_USUAL 6
#define ID_OTHER 0
#define RECIPE_ID 1
/* Bits of a field where known types leave no place for it. */
#define NEVER (-10000.0f)
/* How often names are weighed by those of the round before. */
#define ROUNDS 3
/* Shares of all paths from which on an order with a choice counts, and is tried again in the next round. */
#define SHARE_LEAST 1e-5
#define WAY_LEAST 1e-12

static const double order_bits[ORDERS] = {[ORDER_GUIDE] = -0.7, [ORDER_ALPHABET] = -9, [ORDER_ANY] = -2};

struct paths {
    const struct inference_tiling *tiling;
    struct inference_odds odds;
    enum tiling_order order;
    size_t ranks[ORDERS][INFERENCE_FIELDS_MAX];
    const size_t *field;  /* by rank in the order */
    double *left, *right; /* by offset and rank of the last field: log2 of the sum of all paths up to it, and on
                             from it */
    double start[2];      /* at the first byte, and behind a recipe id */
    double *follow;       /* of one offset, by rank: scratch */
};

/* Less than a double's last bit is nothing. */
static double add(double a, double b)
{
    double more = a > b ? a : b, less = a > b ? b : a;
    return less < more - DBL_MANT_DIG || more == -INFINITY ? more : more + log2(1 + exp2(less - more));
}

static double *at(double *table, const struct paths *paths, size_t offset)
{
    return table + offset * paths->tiling->fields;
}

static double cost_of(const struct paths *paths, size_t rank, size_t offset)
{
    const struct inference_tiling *tiling = paths->tiling;
    size_t field = paths->field[rank];
    double bits = (double)tiling->bits[offset * tiling->fields + field];
    return bits + paths->odds.of_field[field] - (paths->order == ORDER_ANY ? ANYWHERE : 0);
}

static bool has_place(const struct paths *paths, size_t rank, size_t offset)
{
    return offset + paths->tiling->field[paths->field[rank]].size <= paths->tiling->length;
}

static size_t end_of(const struct paths *paths, size_t rank, size_t offset)
{
    return offset + paths->tiling->field[paths->field[rank]].size;
}

static double bits_of_break(const struct paths *paths)
{
    return BREAK + BREAK_OF_MORE * paths->odds.of_more;
}

static double start_at(const struct paths *paths, size_t offset)
{
    return offset < 2 ? paths->start[offset] : -INFINITY;
}

/* follow[rank]: all paths up to the offset after which that field may come. */
static void sum_before(const struct paths *paths, size_t offset)
{
    const double *left = at(paths->left, paths, offset);
    const size_t fields = paths->tiling->fields;
    const double breaks = bits_of_break(paths);
    double all = -INFINITY, earlier = start_at(paths, offset);
    for (size_t rank = 0; rank < fields; rank++)
        all = add(all, left[rank]);
    for (size_t rank = 0; rank < fields; rank++) {
        if (paths->order == ORDER_ANY) {
            paths->follow[rank] = add(all, start_at(paths, offset));
            continue;
        }
        bool repeats = paths->tiling->field[paths->field[rank]].repeats;
        paths->follow[rank] = add(repeats ? add(earlier, left[rank]) : earlier, all - breaks);
        earlier = add(earlier, left[rank]);
    }
}

static void sum_left(const struct paths *paths)
{
    const struct inference_tiling *tiling = paths->tiling;
    for (size_t i = 0; i < (tiling->length + 1) * tiling->fields; i++)
        paths->left[i] = -INFINITY;
    for (size_t offset = 0; offset < tiling->length; offset++) {
        sum_before(paths, offset);
        for (size_t rank = 0; rank < tiling->fields; rank++)
            if (paths->follow[rank] > -INFINITY && has_place(paths, rank, offset))
                at(paths->left, paths, end_of(paths, rank, offset))[rank] =
                    paths->follow[rank] + cost_of(paths, rank, offset);
    }
}

static void sum_right(const struct paths *paths)
{
    const struct inference_tiling *tiling = paths->tiling;
    const size_t fields = tiling->fields;
    const double breaks = bits_of_break(paths);
    for (size_t rank = 0; rank < fields; rank++)
        at(paths->right, paths, tiling->length)[rank] = 0;
    for (size_t offset = tiling->length; offset-- > 0;) {
        double *right = at(paths->right, paths, offset), all = -INFINITY, later = -INFINITY;
        for (size_t rank = 0; rank < fields; rank++) {
            paths->follow[rank] =
                has_place(paths, rank, offset)
                    ? cost_of(paths, rank, offset) + at(paths->right, paths, end_of(paths, rank, offset))[rank]
                    : -INFINITY;
            all = add(all, paths->follow[rank]);
        }
        for (size_t rank = fields; rank-- > 0;) {
            bool repeats = tiling->field[paths->field[rank]].repeats;
            right[rank] =
                paths->order == ORDER_ANY ? all : add(repeats ? add(later, paths->follow[rank]) : later, all - breaks);
            later = add(later, paths->follow[rank]);
        }
    }
}

static double total_of(const struct paths *paths)
{
    const double *left = at(paths->left, paths, paths->tiling->length);
    double total = -INFINITY;
    for (size_t rank = 0; rank < paths->tiling->fields; rank++)
        total = add(total, left[rank]);
    return total;
}

/* Adds the probabilities of this order and choice, times their own. */
static void add_shares(struct inference_tiling *tiling, struct paths *paths, double share)
{
    sum_left(paths);
    sum_right(paths);
    const double total = total_of(paths);
    for (size_t offset = 0; offset < tiling->length; offset++) {
        sum_before(paths, offset);
        for (size_t rank = 0; rank < tiling->fields; rank++) {
            if (paths->follow[rank] == -INFINITY || !has_place(paths, rank, offset))
                continue;
            double path = paths->follow[rank] + cost_of(paths, rank, offset) +
                          at(paths->right, paths, end_of(paths, rank, offset))[rank] - total;
            tiling->share[offset * tiling->fields + paths->field[rank]] += (float)(share * exp2(path));
        }
    }
}

/* ---- orders and choices ------------------------------------------------------------------------------------------ */

static void sort_fields(const struct inference_tiling *tiling, enum tiling_order order, size_t *ranks)
{
    for (size_t i = 0; i < tiling->fields; i++) {
        size_t place = i;
        while (order == ORDER_ALPHABET && place > 0 &&
               strcmp(tiling->field[ranks[place - 1]].name, tiling->field[i].name) > 0) {
            ranks[place] = ranks[place - 1];
            place--;
        }
        ranks[place] = i;
    }
}

static void start_paths(struct paths *paths, const struct inference_columns *columns)
{
    const struct inference_view *sample = columns->sample;
    const uint8_t id = armtap_inference_row(sample, 0)[0];
    paths->start[0] = 0;
    paths->start[1] = id == RECIPE_ID ? ID_USUAL : ID_OTHER;
    for (unsigned row = 1; row < sample->count; row++)
        if (armtap_inference_row(sample, row)[0] != id)
            paths->start[1] = -INFINITY;
}

static void choose_by(struct paths *paths, size_t choice, enum tiling_order order)
{
    choice_at(choice, paths->tiling->field, paths->tiling->fields, &paths->odds);
    paths->order = order;
    paths->field = paths->ranks[order];
}

/* Of any order, a path may place a field as often as it likes: only few fields must be likely then. */
static double bits_of(struct paths *paths)
{
    if (paths->order == ORDER_ANY && paths->odds.of_more > 0)
        return -INFINITY;
    sum_left(paths);
    return total_of(paths) + order_bits[paths->order] + paths->odds.beforehand + paths->odds.of_none;
}

/* Of each order and choice, by what the paths say for it. What hardly had a part in the last sum has none. */
static void weigh_ways(struct inference_tiling *tiling, struct paths *paths)
{
    double all = -INFINITY;
    for (unsigned order = 0; order < ORDERS; order++)
        for (size_t choice = 0; choice < choice_count(); choice++) {
            double *way = &tiling->way[order][choice];
            choose_by(paths, choice, (enum tiling_order)order);
            *way = *way < WAY_LEAST ? -INFINITY : bits_of(paths);
            all = add(all, *way);
        }
    for (unsigned order = 0; order < ORDERS; order++)
        for (size_t choice = 0; choice < choice_count(); choice++)
            tiling->way[order][choice] = exp2(tiling->way[order][choice] - all);
}

static void sum_ways(struct inference_tiling *tiling, struct paths *paths)
{
    weigh_ways(tiling, paths);
    for (unsigned order = 0; order < ORDERS; order++) {
        tiling->order[order] = 0;
        for (size_t choice = 0; choice < choice_count(); choice++) {
            double share = tiling->way[order][choice];
            tiling->order[order] += share;
            choose_by(paths, choice, (enum tiling_order)order);
            if (share > SHARE_LEAST)
                add_shares(tiling, paths, share);
        }
    }
    tiling->with_id = 0;
    for (size_t field = 0; field < tiling->fields && tiling->length > 1; field++)
        tiling->with_id += (double)tiling->share[tiling->fields + field];
}

static int sum_paths(struct inference_tiling *tiling, const struct inference_columns *columns)
{
    const size_t places = (tiling->length + 1) * tiling->fields;
    struct paths paths = {.tiling = tiling, .left = malloc((2 * places + tiling->fields) * sizeof(double))};
    if (!paths.left)
        return ARMTAP_ERR_MEMORY;
    paths.right = paths.left + places;
    paths.follow = paths.right + places;
    for (unsigned order = 0; order < ORDERS; order++)
        sort_fields(tiling, (enum tiling_order)order, paths.ranks[order]);
    start_paths(&paths, columns);
    sum_ways(tiling, &paths);
    free(paths.left);
    return ARMTAP_OK;
}

/* With what the likeliest names say about each other, where the arm moved: else no bonds show. Each round counts half,
 * and the ones before it the rest: two names that contradict each other would else take turns. */
static int sum_again(struct inference_tiling *tiling, const struct inference_columns *columns,
                     const struct inference_relations *relations)
{
    const size_t places = (tiling->length + 1) * tiling->fields;
    float *alone = malloc(2 * places * sizeof *alone), *weighed = alone ? alone + places : NULL;
    int error = alone ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
    if (alone)
        memcpy(alone, tiling->bits, places * sizeof *alone);
    for (unsigned round = 0; round < ROUNDS && error == ARMTAP_OK; round++) {
        memcpy(weighed, alone, places * sizeof *alone);
        armtap_inference_pairs_weigh(tiling, relations, weighed);
        for (size_t i = 0; i < places; i++)
            tiling->bits[i] = round == 0 ? weighed[i] : (tiling->bits[i] + weighed[i]) / 2;
        memset(tiling->share, 0, places * sizeof *tiling->share);
        error = sum_paths(tiling, columns);
    }
    free(alone);
    return error;
}

/* ---- the best tiling --------------------------------------------------------------------------------------------- */

static bool same_type(const struct inference_field *a, const struct inference_field *b)
{
    return a->type == b->type && a->count == b->count;
}

/* The likeliest field of the same type, and how likely the type is. */
static struct tiling_piece piece_of(const struct inference_tiling *tiling, size_t offset, size_t of)
{
    const float *share = tiling->share + offset * tiling->fields;
    const struct inference_field *type = &tiling->field[of];
    struct tiling_piece piece = {offset, type->type, type->count, type->size, 0, of, 0};
    for (size_t i = 0; i < tiling->fields; i++) {
        if (!same_type(&tiling->field[i], type))
            continue;
        piece.type_certainty += (double)share[i];
        if ((double)share[i] > piece.certainty) {
            piece.certainty = (double)share[i];
            piece.field = i;
        }
    }
    return piece;
}

/* From the end: the tiling whose bytes have the most probable types. */
static int choose_pieces(struct inference_tiling *tiling)
{
    size_t length = tiling->length;
    double *best = malloc((length + 1) * sizeof *best);
    size_t *choice = malloc((length + 1) * sizeof *choice);
    tiling->pieces = calloc(length + 1, sizeof *tiling->pieces);
    for (size_t offset = length + 1; offset-- > 0 && best && choice && tiling->pieces;) {
        best[offset] = offset == length ? 0 : -INFINITY;
        for (size_t i = 0; i < tiling->fields && offset < length; i++) {
            size_t size = tiling->field[i].size;
            if (offset + size > length || best[offset + size] == -INFINITY)
                continue;
            /* Pieces of no probability serve only to reach the end. */
            double worth = (double)size * (piece_of(tiling, offset, i).type_certainty - 1e-3) + best[offset + size];
            if (worth > best[offset]) {
                best[offset] = worth;
                choice[offset] = i;
            }
        }
    }
    bool done = best && choice && tiling->pieces;
    for (size_t offset = tiling->with_id > 0.5 ? 1 : 0; done && offset < length;) {
        tiling->pieces[tiling->count] = piece_of(tiling, offset, choice[offset]);
        offset += tiling->pieces[tiling->count++].size;
    }
    free(best);
    free(choice);
    return done ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

static int begin_tiling(struct inference_tiling *tiling)
{
    tiling->field = calloc(armtap_inference_field_count(), sizeof *tiling->field);
    for (size_t i = 0; i < armtap_inference_field_count() && tiling->field; i++)
        if (!armtap_inference_field_at(i, &tiling->field[i]))
            tiling->field[i].size = SAMPLE_LENGTH_MAX + 1; /* fits nowhere */
    tiling->fields = armtap_inference_field_count();
    for (unsigned order = 0; order < ORDERS; order++)
        for (size_t choice = 0; choice < choice_count(); choice++)
            tiling->way[order][choice] = 1;
    return tiling->field ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

/* The known field whose values begin at that place; NULL: none does. A recipe id may come before them. */
static const struct armtap_recipe_entry *known_at(const struct armtap_recipe *types, size_t length, size_t offset)
{
    const struct armtap_recipe_entry *entry = NULL;
    size_t before = length - armtap_recipe_size(types);
    for (size_t i = 0; (entry = armtap_recipe_at(types, i)); i++)
        if (entry->offset + before == offset)
            break;
    return entry;
}

/* What speaks for each field at that place. Known types leave only fields of theirs. */
static void weigh_at(struct inference_tiling *tiling, const struct armtap_recipe *types,
                     const struct inference_columns *columns, const struct inference_relations *relations,
                     size_t offset)
{
    const struct armtap_recipe_entry *known = tiling->typed ? known_at(types, tiling->length, offset) : NULL;
    for (size_t i = 0; i < tiling->fields; i++) {
        const struct inference_field *field = &tiling->field[i];
        bool may_be = !tiling->typed || (known && known->type == field->type && known->count == field->count);
        if (offset + field->size <= tiling->length)
            tiling->bits[offset * tiling->fields + i] =
                may_be ? (float)armtap_inference_weigh(columns, relations, i, field, offset) : NEVER;
    }
}

int armtap_inference_tile(struct inference_tiling *tiling, const struct armtap_recipe *types,
                          const struct inference_columns *columns, const struct inference_relations *relations)
{
    *tiling = (struct inference_tiling){.length = columns->length};
    tiling->typed =
        types && columns->length >= armtap_recipe_size(types) && columns->length - armtap_recipe_size(types) <= 1;
    int error = begin_tiling(tiling);
    tiling->bits = calloc((tiling->length + 1) * tiling->fields, sizeof *tiling->bits);
    tiling->share = calloc((tiling->length + 1) * tiling->fields, sizeof *tiling->share);
    if (error != ARMTAP_OK || !tiling->bits || !tiling->share)
        return ARMTAP_ERR_MEMORY;
    for (size_t offset = 0; offset < tiling->length; offset++)
        weigh_at(tiling, types, columns, relations, offset);
    error = sum_paths(tiling, columns);
    if (error == ARMTAP_OK && relations->moved)
        error = sum_again(tiling, columns, relations);
    return error == ARMTAP_OK ? choose_pieces(tiling) : error;
}

void armtap_inference_tiling_clear(struct inference_tiling *tiling)
{
    free(tiling->field);
    free(tiling->bits);
    free(tiling->share);
    free(tiling->pieces);
    *tiling = (struct inference_tiling){.length = 0};
}
