/* Known recipes without a handshake: windows of 2 s of simulated arms, as data of a connection whose beginning was not
 * captured. A well-known client's recipe is recognised; other fields of the same length are not given its names. What
 * is true comes from the simulation alone. An argument prints every wrong place of every window. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../share.h"
#include "arm_model.h"
#include "armtap.h"

enum { FIELDS_MAX = 160, LAYOUT_MAX = 400, PACKAGE_MAX = 4096, PLACES_MAX = 128, PAIRS_MAX = 4000 };
enum { SECONDS = 2, LEAST_FIELDS = 12, USES = 25 }; /* of a captured window: how many recipes */

/* What must be reached: all of it. */
static const struct goals {
    double recognised; /* of record.py's windows */
    unsigned wrong;    /* of the windows of other recipes: with a wrong name whose values differ from the true one's */
    unsigned twins;    /* the same, but of what is aimed at and what is measured, where noise tells both apart */
} aims = {0.95, 0, 0},
  /* What is reached today, where it is less. */
    today = {0.92, 470, 23}, today_of_sample = {0.91, 18, 2};

/* Windows of each known recipe, of record.py's, and of other recipes: with CHECK=all, and else. */
static const struct amount {
    unsigned known, record, others;
} all_windows = {24, 240, 10000}, sampled_windows = {3, 24, 300};

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* All fields of an arm, package by package. */
struct window {
    struct arm_plan plan;
    size_t packages, width;
    size_t at[FIELDS_MAX]; /* where each field stands in a package */
    uint8_t *values;
};

static size_t field_count(void)
{
    size_t count = 0;
    while (arm_field_at(count))
        count++;
    return count;
}

static size_t field_number(const char *name, size_t length)
{
    const struct arm_field *field;
    for (size_t i = 0; (field = arm_field_at(i)); i++)
        if (strlen(field->name) == length && memcmp(field->name, name, length) == 0)
            return i;
    return SIZE_MAX;
}

static struct arm_plan plan_of(unsigned number)
{
    static const unsigned rates[] = {25, 125, 500};
    static const unsigned behaviours[] = {
        0,
        BEHAVES_LED,
        BEHAVES_AS_RECORDED,
        BEHAVES_UNSPED,
        BEHAVES_LED | BEHAVES_STIFF | BEHAVES_AS_RECORDED,
        BEHAVES_PUSHING,
        BEHAVES_AS_RECORDED | BEHAVES_ROUNDED | BEHAVES_UNSPED | BEHAVES_BARE,
        BEHAVES_HOLDING | BEHAVES_UNWRITTEN,
    };
    return (struct arm_plan){.family = FAMILY_HELD_OUT,
                             .seed = 50000 + number,
                             .moves = true,
                             .hz = rates[number % 3],
                             .behaviour = behaviours[number / 3 % (sizeof behaviours / sizeof *behaviours)]};
}

static bool capture(struct window *window, unsigned number)
{
    *window = (struct window){.plan = plan_of(number)};
    for (size_t i = 0; arm_field_at(i); i++) {
        window->at[i] = window->width;
        window->width += arm_field_at(i)->size;
    }
    window->packages = (size_t)window->plan.hz * SECONDS;
    window->values = malloc(window->packages * window->width);
    struct arm *arm = arm_new(&window->plan);
    for (size_t i = 0; i < window->packages && arm && window->values; i++) {
        uint8_t *to = window->values + i * window->width;
        arm_step(arm);
        for (size_t k = 0; arm_field_at(k); k++)
            to = arm_put(arm, k, to);
    }
    bool good = arm && window->values;
    arm_free(arm);
    return good;
}

static const uint8_t *value_at(const struct window *window, size_t package, size_t field)
{
    return window->values + package * window->width + window->at[field];
}

/* ---- recipes ----------------------------------------------------------------------------------------------------- */

struct layout {
    size_t field[LAYOUT_MAX];
    size_t count;
};

/* False if the simulation lacks a field. */
static bool layout_of(const char *names, struct layout *layout)
{
    layout->count = 0;
    for (const char *at = names; *at; at += *at == ',') {
        size_t length = strcspn(at, ","), field = field_number(at, length);
        if (field == SIZE_MAX || layout->count == LAYOUT_MAX)
            return false;
        layout->field[layout->count++] = field;
        at += length;
    }
    return true;
}

static bool has_field(const struct layout *layout, size_t field)
{
    for (size_t i = 0; i < layout->count; i++)
        if (layout->field[i] == field)
            return true;
    return false;
}

static bool same_type(size_t a, size_t b)
{
    return strcmp(arm_field_at(a)->type, arm_field_at(b)->type) == 0;
}

/* The number-th pair of places with different fields of the same type. */
static void exchange(struct layout *layout, unsigned number)
{
    unsigned pairs = 0;
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0, seen = 0; i < layout->count; i++)
            for (size_t k = i + 1; k < layout->count; k++) {
                size_t a = layout->field[i], b = layout->field[k];
                if (a == b || !same_type(a, b))
                    continue;
                pairs += round == 0;
                if (round == 0 || seen++ != number % pairs)
                    continue;
                layout->field[i] = b;
                layout->field[k] = a;
                return;
            }
}

static void permute(struct layout *layout, struct random *random)
{
    for (size_t i = layout->count; i > 1; i--) {
        size_t k = random_below(random, (unsigned)i), swap = layout->field[k];
        layout->field[k] = layout->field[i - 1];
        layout->field[i - 1] = swap;
    }
}

/* A field that the recipe lacks: of that type, or of at most that size. */
static size_t other_field(const struct layout *layout, struct random *random, const char *type, size_t size)
{
    unsigned count = (unsigned)field_count();
    for (unsigned i = 0; i < 1000; i++) {
        size_t field = random_below(random, count);
        const struct arm_field *about = arm_field_at(field);
        if (!has_field(layout, field) && (type ? strcmp(about->type, type) == 0 : about->size <= size))
            return field;
    }
    return SIZE_MAX;
}

static void replace(struct layout *layout, struct random *random)
{
    size_t place = random_below(random, (unsigned)layout->count);
    size_t field = other_field(layout, random, arm_field_at(layout->field[place])->type, 0);
    if (field != SIZE_MAX)
        layout->field[place] = field;
}

/* Others of the same number of bytes instead of one, unless chance finds none. */
static void split(struct layout *layout, struct random *random)
{
    struct layout other = *layout;
    size_t place = random_below(random, (unsigned)layout->count), size = arm_field_at(layout->field[place])->size;
    other.count = place;
    for (unsigned tries = 0; size > 0 && other.count < LAYOUT_MAX; tries++) {
        if (tries == 200)
            return;
        size_t field = other_field(layout, random, NULL, size);
        if (field == SIZE_MAX || (size == arm_field_at(field)->size && other.count == place && size > 4) ||
            has_field(&other, field))
            continue;
        other.field[other.count++] = field;
        size -= arm_field_at(field)->size;
    }
    for (size_t i = place + 1; i < layout->count && other.count < LAYOUT_MAX; i++)
        other.field[other.count++] = layout->field[i];
    *layout = other;
}

enum change { EXCHANGED, SEVERAL_EXCHANGED, PERMUTED, REPLACED, OTHER_LAYOUT, CHANGES };
static const char *const changes[] = {"two exchanged", "several exchanged", "permuted", "one replaced", "other layout"};

static void change(struct layout *layout, enum change how, unsigned number, uint64_t seed)
{
    struct random random = {seed * 7919 + 17};
    unsigned times = 2 + random_below(&random, 3);
    switch (how) {
    case EXCHANGED:
        exchange(layout, number);
        break;
    case SEVERAL_EXCHANGED:
        while (times-- > 0)
            exchange(layout, random_below(&random, 100000));
        break;
    case PERMUTED:
        permute(layout, &random);
        break;
    case REPLACED:
        replace(layout, &random);
        break;
    default:
        while (times-- > 1)
            split(layout, &random);
    }
}

/* ---- what the library makes of it -------------------------------------------------------------------------------- */

struct place {
    const struct armtap_field *given;
    size_t truth; /* SIZE_MAX: no field begins there */
};

struct outcome {
    const struct layout *layout;
    bool recognised;                 /* at the end, with no wrong name */
    bool whole;                      /* and with all names: other clients' recipes dispute none */
    bool named;                      /* some name was given, at any time */
    struct place places[PLACES_MAX]; /* with a wrong name, at any time */
    size_t count;
};

static size_t truth_at(const struct layout *layout, size_t offset)
{
    size_t at = 0, i = 0;
    while (i < layout->count && at < offset)
        at += arm_field_at(layout->field[i++])->size;
    return i < layout->count && at == offset ? layout->field[i] : SIZE_MAX;
}

static void note_place(struct outcome *outcome, const struct armtap_field *given, size_t truth)
{
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->places[i].given == given && outcome->places[i].truth == truth)
            return;
    if (outcome->count < PLACES_MAX)
        outcome->places[outcome->count++] = (struct place){given, truth};
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct outcome *outcome = user;
    const struct armtap_recipe_entry *entry;
    outcome->recognised = outcome->whole = true;
    for (size_t i = 0; (entry = armtap_recipe_at(event->recipe, i)); i++) {
        size_t truth = truth_at(outcome->layout, entry->offset);
        bool right = entry->field && truth != SIZE_MAX && strcmp(entry->field->name, arm_field_at(truth)->name) == 0;
        outcome->named |= entry->field != NULL;
        outcome->recognised &= right || !entry->field;
        outcome->whole &= right;
        if (entry->field && !right)
            note_place(outcome, entry->field, truth);
    }
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct outcome *outcome = user;
    outcome->recognised &= record->recipe != NULL;
    outcome->whole &= record->recipe != NULL;
    return 0;
}

static size_t package_of(const struct window *window, const struct layout *layout, size_t number, bool with_id,
                         uint8_t *package)
{
    uint8_t *to = package + 3;
    if (with_id)
        *to++ = 1;
    for (size_t k = 0; k < layout->count; k++) {
        size_t size = arm_field_at(layout->field[k])->size;
        memcpy(to, value_at(window, number, layout->field[k]), size);
        to += size;
    }
    size_t length = (size_t)(to - package);
    package[0] = (uint8_t)(length >> 8);
    package[1] = (uint8_t)length;
    package[2] = 'U';
    return length;
}

/* The robot's half of a connection that was open before. */
static bool listen_to(const struct window *window, const struct layout *layout, bool with_id, struct outcome *outcome)
{
    struct armtap_conn_options options = {
        .size = sizeof options, .robot = "10.0.0.2:30004", .client = "10.0.0.9:50000", .midstream = true};
    struct armtap_sink sink = {.size = sizeof sink, .on_recipe = on_recipe, .on_record = on_record};
    struct armtap_where where = {.size = sizeof where, .packet = 0};
    struct armtap_conn *conn;
    uint8_t package[PACKAGE_MAX];
    *outcome = (struct outcome){.layout = layout};
    int error = armtap_conn_new(&options, &sink, outcome, &conn);
    if (error != ARMTAP_OK)
        return false;
    for (size_t i = 0; i < window->packages && error == ARMTAP_OK; i++) {
        size_t length = package_of(window, layout, i, with_id, package);
        where.time = INT64_C(1769860800000000000) + (int64_t)(i * 1000000000 / window->plan.hz);
        where.packet = i + 1;
        error = armtap_conn_push(conn, ARMTAP_FROM_ROBOT, package, length, &where);
    }
    if (error == ARMTAP_OK)
        error = armtap_conn_close(conn, ARMTAP_FROM_ROBOT, &where);
    armtap_conn_free(conn);
    return error == ARMTAP_OK;
}

/* ---- which wrong names could be known ---------------------------------------------------------------------------- */

/* How far the values of a given name and of the true one are apart in a window. */
enum distance {
    DIFFERENT, /* in what the values are like */
    TWINS,     /* a target and its measurement: like one another, but one has noise */
    ALIKE,     /* nobody could tell: in freedrive, of analog inputs, of constants */
    EQUAL,     /* the same bytes in every package */
    DISTANCES
};
static const char *const distances[] = {"different", "twins", "alike", "equal"};

static double double_at(const uint8_t *bytes)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | bytes[i];
    memcpy(&value, &bits, 8);
    return value;
}

struct likeness {
    double mean, spread, step;
};

static struct likeness likeness_of(const struct window *window, size_t field, size_t element)
{
    struct likeness like = {0, 0, 0};
    double last = 0, squares = 0, count = (double)window->packages;
    for (size_t i = 0; i < window->packages; i++) {
        double value = double_at(value_at(window, i, field) + 8 * element);
        like.mean += value / count;
        like.step += i > 0 ? fabs(value - last) / count : 0;
        last = value;
    }
    for (size_t i = 0; i < window->packages; i++) {
        double off = double_at(value_at(window, i, field) + 8 * element) - like.mean;
        squares += off * off / count;
    }
    like.spread = sqrt(squares);
    return like;
}

static bool are_near(double a, double b)
{
    return fmin(a, b) >= fmax(a, b) / 3;
}

/* A constant is one of these by its value. */
static bool is_ranged(const char *name)
{
    static const char *const ranged[] = {"temperature", "voltage", "timestamp", "_pose", "actual_q", "target_q"};
    for (size_t i = 0; i < sizeof ranged / sizeof *ranged; i++)
        if (strstr(name, ranged[i]))
            return true;
    return false;
}

/* Element by element: the same place, width and pace. */
static bool are_alike(const struct window *window, size_t a, size_t b)
{
    bool ranged = is_ranged(arm_field_at(a)->name) || is_ranged(arm_field_at(b)->name);
    for (size_t i = 0; i < arm_field_at(a)->size / 8; i++) {
        struct likeness one = likeness_of(window, a, i), other = likeness_of(window, b, i);
        double wide = fmax(one.spread, other.spread);
        if (wide < 1e-12 && (!ranged || fabs(one.mean - other.mean) < 2))
            continue;
        if (fabs(one.mean - other.mean) > 2 * wide || !are_near(one.spread, other.spread) ||
            !are_near(one.step, other.step))
            return false;
    }
    return true;
}

static bool are_equal(const struct window *window, size_t a, size_t b)
{
    for (size_t i = 0; i < window->packages; i++)
        if (memcmp(value_at(window, i, a), value_at(window, i, b), arm_field_at(a)->size) != 0)
            return false;
    return true;
}

static bool are_of(const char *const pairs[][2], size_t count, const char *a, const char *b)
{
    for (size_t i = 0; i < count; i++)
        if ((strcmp(pairs[i][0], a) == 0 && strcmp(pairs[i][1], b) == 0) ||
            (strcmp(pairs[i][0], b) == 0 && strcmp(pairs[i][1], a) == 0))
            return true;
    return false;
}

static bool are_twins(const char *a, const char *b)
{
    static const char *const twins[][2] = {{"target_q", "actual_q"},
                                           {"target_qd", "actual_qd"},
                                           {"target_TCP_pose", "actual_TCP_pose"},
                                           {"target_TCP_speed", "actual_TCP_speed"},
                                           {"target_current", "actual_current"},
                                           {"target_current", "joint_control_output"},
                                           {"joint_control_output", "actual_current"}};
    return are_of(twins, sizeof twins / sizeof *twins, a, b);
}

/* The same quantity, measured in two places. */
static bool are_one_quantity(const char *a, const char *b)
{
    static const char *const quantities[][2] = {{"actual_main_voltage", "actual_robot_voltage"},
                                                {"actual_TCP_force", "ft_raw_wrench"}};
    return are_of(quantities, sizeof quantities / sizeof *quantities, a, b);
}

/* Whatever a program keeps there, or is wired to it. */
static bool is_anything(const char *name)
{
    return strstr(name, "_register") || strstr(name, "actual_digital_") || strstr(name, "analog_") ||
           strstr(name, "euromap67");
}

static enum distance distance_of(const struct window *window, const struct place *place)
{
    size_t given = field_number(place->given->name, strlen(place->given->name)), truth = place->truth;
    bool follows = (window->plan.behaviour & (BEHAVES_LED | BEHAVES_PUSHING)) != 0;
    if (given == SIZE_MAX || truth == SIZE_MAX || !same_type(given, truth))
        return DIFFERENT;
    const char *a = arm_field_at(given)->name, *b = arm_field_at(truth)->name;
    if (are_equal(window, given, truth))
        return EQUAL;
    if (are_twins(a, b))
        return follows ? ALIKE : TWINS;
    if ((is_anything(a) && is_anything(b)) || are_one_quantity(a, b))
        return ALIKE;
    bool doubles = strchr(arm_field_at(given)->type, 'D') != NULL; /* DOUBLE, VECTOR3D, VECTOR6D */
    return doubles && are_alike(window, given, truth) ? ALIKE : DIFFERENT;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

struct pair {
    enum distance distance;
    const char *given, *truth;
    unsigned count; /* windows */
};

struct row {
    unsigned windows, unnamed, right, by_distance[DISTANCES];
};

struct tally {
    struct row row[CHANGES];
    struct pair pairs[PAIRS_MAX];
    size_t pair_count;
    unsigned known, known_right, record, record_right, known_wrong;
};

static void count_pair(struct tally *tally, enum distance distance, const char *given, const char *truth)
{
    size_t i = 0;
    while (i < tally->pair_count && (tally->pairs[i].distance != distance ||
                                     strcmp(tally->pairs[i].given, given) != 0 || tally->pairs[i].truth != truth))
        i++;
    if (i == PAIRS_MAX)
        return;
    if (i == tally->pair_count)
        tally->pairs[tally->pair_count++] = (struct pair){distance, given, truth, 0};
    tally->pairs[i].count++;
}

/* The farthest of its wrong names; DISTANCES if none is wrong. */
static enum distance judge(const struct window *window, const struct outcome *outcome, struct tally *tally,
                           bool verbose)
{
    enum distance worst = DISTANCES;
    for (size_t i = 0; i < outcome->count; i++) {
        const struct place *place = &outcome->places[i];
        enum distance distance = distance_of(window, place);
        const char *truth = place->truth == SIZE_MAX ? "(no field begins here)" : arm_field_at(place->truth)->name;
        worst = distance < worst ? distance : worst;
        count_pair(tally, distance, place->given->name, truth);
        if (verbose)
            printf("  seed %u, %u Hz, behaviour %#x: %s <- %s, %s\n", (unsigned)window->plan.seed, window->plan.hz,
                   window->plan.behaviour, place->given->name, truth, distances[distance]);
    }
    return worst;
}

static int by_distance(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;
    if (one->distance != other->distance)
        return one->distance < other->distance ? -1 : 1;
    return one->count == other->count ? strcmp(one->given, other->given) : one->count < other->count ? 1 : -1;
}

static void print_pairs(struct tally *tally)
{
    qsort(tally->pairs, tally->pair_count, sizeof tally->pairs[0], by_distance);
    printf("\nwrong names (given <- true): windows\n");
    for (size_t i = 0; i < tally->pair_count; i++)
        printf("  %-9s %5u  %-28s <- %s\n", distances[tally->pairs[i].distance], tally->pairs[i].count,
               tally->pairs[i].given, tally->pairs[i].truth);
}

static bool is_record(const struct armtap_known_recipe *known)
{
    return strncmp(known->name, "record.py", 9) == 0;
}

/* ---- known recipes ----------------------------------------------------------------------------------------------- */

static bool run_known(const struct armtap_known_recipe *known, unsigned windows, unsigned *number, struct tally *tally,
                      bool verbose)
{
    struct layout layout;
    struct outcome outcome;
    unsigned right = 0, whole = 0, wrong = 0;
    if (!layout_of(known->fields, &layout) || layout.count < LEAST_FIELDS)
        return true;
    for (unsigned i = 0; i < windows; i++) {
        struct window window;
        bool good = capture(&window, (*number)++) && listen_to(&window, &layout, i % 2 == 0, &outcome);
        if (good)
            judge(&window, &outcome, tally, verbose);
        free(window.values);
        if (!good)
            return false;
        right += outcome.recognised;
        whole += outcome.whole;
        wrong += outcome.count > 0;
        if (verbose && !outcome.recognised)
            printf("  %s: seed %u, %u Hz, behaviour %#x: not recognised\n", known->name, (unsigned)window.plan.seed,
                   window.plan.hz, window.plan.behaviour);
    }
    printf("  %-34s %6zu  %5u  %5u  %5u  %5u\n", known->name, known->size, windows, right, whole, wrong);
    tally->known += windows;
    tally->known_right += right;
    tally->known_wrong += wrong;
    tally->record += is_record(known) ? windows : 0;
    tally->record_right += is_record(known) ? whole : 0;
    return true;
}

static bool run_all_known(const struct amount *amount, struct tally *tally, bool verbose)
{
    const struct armtap_known_recipe *known;
    unsigned number = 0;
    bool good = true;
    printf("%-36s %6s  %5s  %5s  %5s  %5s\n", "known recipes of at least 12 fields", "bytes", "of", "right", "whole",
           "wrong");
    for (size_t i = 0; good && (known = armtap_known_recipe_at(i)); i++)
        good = run_known(known, is_record(known) ? amount->record : amount->known, &number, tally, verbose);
    return good;
}

/* ---- other recipes ----------------------------------------------------------------------------------------------- */

/* Every other one is changed from a recipe of record.py, whose pairs all come in turn. */
static bool base_of(unsigned number, struct layout *layout)
{
    const struct armtap_known_recipe *known;
    unsigned wanted = number / 2;
    for (unsigned seen = 0;;) {
        unsigned before = seen;
        for (size_t i = 0; (known = armtap_known_recipe_at(i)); i++)
            if ((number % 2 == 0) == is_record(known) && layout_of(known->fields, layout) &&
                layout->count >= LEAST_FIELDS && seen++ == wanted)
                return true;
        if (seen == before)
            return false;
        wanted %= seen;
        seen = 0;
    }
}

static bool run_other(const struct window *window, unsigned number, struct tally *tally, bool verbose)
{
    enum change how = (enum change)(number % CHANGES);
    struct row *row = &tally->row[how];
    struct layout layout;
    struct outcome outcome;
    if (!base_of(number / CHANGES, &layout))
        return false;
    change(&layout, how, number / CHANGES / 4, number);
    if (!listen_to(window, &layout, number % 3 > 0, &outcome))
        return false;
    enum distance worst = judge(window, &outcome, tally, verbose);
    row->windows++;
    row->unnamed += !outcome.named;
    if (worst < DISTANCES)
        row->by_distance[worst]++;
    else
        row->right += outcome.named;
    return true;
}

static bool run_others(unsigned windows, struct tally *tally, bool verbose)
{
    bool good = true;
    for (unsigned i = 0; i < windows && good; i += USES) {
        struct window window;
        good = capture(&window, 10000 + i / USES);
        for (unsigned k = i; k < i + USES && k < windows && good; k++)
            good = run_other(&window, k, tally, verbose);
        free(window.values);
    }
    return good;
}

static struct row print_rows(const struct tally *tally)
{
    struct row sum = {.windows = 0};
    printf("\n%-36s %6s  %7s  %5s  wrong: %-9s  %5s  %5s  %5s\n", "other recipes of the same length", "of", "unnamed",
           "right", "different", "twins", "alike", "equal");
    for (int i = 0; i <= CHANGES; i++) {
        const struct row *row = i < CHANGES ? &tally->row[i] : &sum;
        printf("  %-34s %6u  %7u  %5u  %16u  %5u  %5u  %5u\n", i < CHANGES ? changes[i] : "all", row->windows,
               row->unnamed, row->right, row->by_distance[DIFFERENT], row->by_distance[TWINS], row->by_distance[ALIKE],
               row->by_distance[EQUAL]);
        sum.windows += i < CHANGES ? row->windows : 0;
        sum.unnamed += i < CHANGES ? row->unnamed : 0;
        sum.right += i < CHANGES ? row->right : 0;
        for (int k = 0; k < DISTANCES && i < CHANGES; k++)
            sum.by_distance[k] += row->by_distance[k];
    }
    return sum;
}

static bool judge_all(struct tally *tally)
{
    const struct goals *goals = checks_all() ? &today : &today_of_sample;
    struct row sum = print_rows(tally);
    double recognised = (double)tally->record_right / tally->record;
    bool good = recognised >= goals->recognised && sum.by_distance[DIFFERENT] <= goals->wrong &&
                sum.by_distance[TWINS] <= goals->twins && sum.windows > 0;
    print_pairs(tally);
    printf("\nrecord.py's windows: %.3f recognised (aim %.2f, today %.2f); all known: %.3f; of other recipes %u wrong "
           "(aim "
           "%u, today %u), %u of twins (aim %u, today %u)%s\n",
           recognised, aims.recognised, goals->recognised, (double)tally->known_right / tally->known,
           sum.by_distance[DIFFERENT], aims.wrong, goals->wrong, sum.by_distance[TWINS], aims.twins, goals->twins,
           good ? "" : ": below the goal");
    return good;
}

int main(int argc, char **argv)
{
    const struct amount *amount = checks_all() ? &all_windows : &sampled_windows;
    struct tally *tally = calloc(1, sizeof *tally);
    (void)argv;
    printf("%u of %u windows of other recipes\n", amount->others, all_windows.others);
    bool good = tally && run_all_known(amount, tally, argc > 1) && run_others(amount->others, tally, argc > 1) &&
                judge_all(tally);
    free(tally);
    return good ? 0 : 1;
}
