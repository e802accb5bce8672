/* Evidence in a sample of data packages for and against a recipe: from each field alone, the clock, and fields that
 * move together. A field that is always zero says nothing. */
#include "rtde_evidence.h"

#include <string.h>

#include "bytes.h"
#include "protocol/clock.h"

/* Bytes that are not a double can show any exponent. */
#define ABSURD 1e15
#define TINY 1e-100

/* ---- properties of fields ----------------------------------------------------------------------------------- */

struct doubles {
    enum armtap_field_id id;
    double least, most, most_behind, most_last, usual_least, usual_most;
    unsigned points;
};
struct integers {
    enum armtap_field_id id;
    unsigned points;
};
struct pair {
    enum armtap_field_id id, other;
    unsigned elements;
    double lag;
    unsigned points;
};

#define DOUBLES(name, ...) {ARMTAP_ID_##name, __VA_ARGS__},
static const struct doubles doubles_like[] = {
#include "rtde_evidence.def"
};

#define STEADY(name) ARMTAP_ID_##name,
static const enum armtap_field_id steady[] = {
#include "rtde_evidence.def"
};

#define INTEGERS(name, points) {ARMTAP_ID_##name, points},
static const struct integers integers_like[] = {
#include "rtde_evidence.def"
};

#define DERIVATIVE(name, other, elements, points) {ARMTAP_ID_##name, ARMTAP_ID_##other, elements, 0, points},
static const struct pair derivatives[] = {
#include "rtde_evidence.def"
};

#define FOLLOWS(name, other, elements, lag, points) {ARMTAP_ID_##name, ARMTAP_ID_##other, elements, lag, points},
static const struct pair followers[] = {
#include "rtde_evidence.def"
};

struct likeness {
    enum armtap_field_id id, other;
};

#define TWINS(name, other) {ARMTAP_ID_##name, ARMTAP_ID_##other},
static const struct likeness twins[] = {
#include "rtde_evidence.def"
};

#define SPACES(name, other) {ARMTAP_ID_##name, ARMTAP_ID_##other},
static const struct likeness spaces[] = {
#include "rtde_evidence.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static const struct doubles *doubles_of(const struct armtap_field *field)
{
    for (size_t i = 0; field && i < COUNT(doubles_like); i++)
        if (doubles_like[i].id == field->id)
            return &doubles_like[i];
    return NULL;
}

static bool is_steady(const struct armtap_field *field)
{
    for (size_t i = 0; field && i < COUNT(steady); i++)
        if (steady[i] == field->id)
            return true;
    return false;
}

static double most_of(const struct doubles *like, const struct armtap_recipe_entry *entry, unsigned element)
{
    return element < 3 ? like->most : element + 1 == entry->count ? like->most_last : like->most_behind;
}

static double least_of(const struct doubles *like, unsigned element, double most)
{
    return element < 3 || like->least >= 0 ? like->least : -most;
}

static bool is_within(const struct doubles *like, const struct armtap_recipe_entry *entry, unsigned element,
                      double number)
{
    double most = most_of(like, entry, element);
    return number <= most && number >= least_of(like, element, most);
}

/* ---- the subject: a recipe and its sample ---------------------------------------------------------------------- */

struct subject {
    const struct armtap_recipe *recipe;
    const struct armtap_sample *sample;
    size_t skip;
    long clock;
    const struct armtap_set *about; /* only tests of these fields; NULL: all tests */
    struct armtap_rtde_evidence *evidence;
};

static bool is_about(const struct subject *subject, enum armtap_field_id id)
{
    return !subject->about || armtap_set_has(subject->about, id);
}

static bool is_about_pair(const struct subject *subject, const struct pair *pair)
{
    return is_about(subject, pair->id) || is_about(subject, pair->other);
}

static bool is_about_entry(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    return !subject->about || (entry->field && armtap_set_has(subject->about, entry->field->id));
}

static const uint8_t *bytes_at(const struct subject *subject, unsigned package, const struct armtap_recipe_entry *entry)
{
    return armtap_sample_at(subject->sample, package) + subject->skip + entry->offset;
}

static double double_at(const struct subject *subject, unsigned package, const struct armtap_recipe_entry *entry,
                        unsigned element)
{
    return armtap_be_double(bytes_at(subject, package, entry) + 8 * element);
}

static int64_t integer_of(const struct armtap_recipe_entry *entry, const uint8_t *bytes, unsigned element)
{
    switch (entry->type) {
    case ARMTAP_INT32:
        return (int32_t)armtap_be32(bytes + 4 * element);
    case ARMTAP_UINT32:
        return armtap_be32(bytes + 4 * element);
    case ARMTAP_UINT64:
        return (int64_t)armtap_be64(bytes + 8 * element);
    default:
        return bytes[element];
    }
}

static const struct armtap_recipe_entry *entry_of(const struct armtap_recipe *recipe, enum armtap_field_id id)
{
    for (size_t i = 0; i < recipe->count; i++)
        if (recipe->entries[i].field && recipe->entries[i].field->id == id)
            return &recipe->entries[i];
    return NULL;
}

static void contradict(const struct subject *subject, const char *name)
{
    if (!subject->evidence->contradicted)
        subject->evidence->against = name;
    subject->evidence->contradicted = true;
}

static void support(const struct subject *subject, unsigned points, const char *what, const char *name,
                    const char *other)
{
    if (points == 0)
        return;
    subject->evidence->score += points;
    armtap_line_string(&subject->evidence->reasons, subject->evidence->reasons.length > 0 ? "; " : "");
    armtap_line_string(&subject->evidence->reasons, name);
    armtap_line_string(&subject->evidence->reasons, what);
    armtap_line_string(&subject->evidence->reasons, other);
}

/* ---- each field by itself -------------------------------------------------------------------------------------- */

/* How many of the consecutive packages differ from the previous one in these bytes. */
static unsigned changes_of(const struct subject *subject, const struct armtap_recipe_entry *entry, unsigned *pairs)
{
    unsigned changes = 0;
    *pairs = 0;
    for (unsigned i = 0; i + 1 < subject->sample->count; i++) {
        if (!armtap_sample_goes_on(subject->sample, i))
            continue;
        ++*pairs;
        changes += memcmp(bytes_at(subject, i, entry), bytes_at(subject, i + 1, entry), entry->wire_size) != 0;
    }
    return changes;
}

static bool is_absurd(double number)
{
    double size = size_of(number);
    return !(size < ABSURD) || (size != 0 && size < TINY);
}

/* An accelerometer at rest measures gravity. */
static bool is_gravity(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    unsigned near = 0, count = subject->sample->count;
    for (unsigned i = 0; i < count; i++) {
        double square = 0;
        for (unsigned k = 0; k < 3; k++)
            square += double_at(subject, i, entry, k) * double_at(subject, i, entry, k);
        near += square > 8.0 * 8.0 && square < 12.0 * 12.0;
    }
    return near > count - count / 4;
}

static void weigh_doubles(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    const struct doubles *like = doubles_of(entry->field);
    bool usual = like && like->points > 0;
    for (unsigned i = 0; i < subject->sample->count; i++)
        for (unsigned k = 0; k < entry->count; k++) {
            double number = double_at(subject, i, entry, k);
            if (is_absurd(number) || (like && !is_within(like, entry, k, number)))
                contradict(subject, entry->name);
            usual = usual && number != 0 && size_of(number) >= like->usual_least && size_of(number) <= like->usual_most;
        }
    if (usual)
        support(subject, like->points, " has usual values", entry->name, "");
    if (entry->field && entry->field->id == ARMTAP_ID_actual_tool_accelerometer && is_gravity(subject, entry))
        support(subject, 6, " shows gravity", entry->name, "");
}

/* Bits that the dictionary knows; 0: none for this field. */
static uint64_t known_bits(const struct armtap_field *field)
{
    const struct armtap_enum_value *value;
    uint64_t bits = 0;
    for (size_t i = 0; (value = armtap_enum_at(field, i)); i++)
        bits |= value->is_bit ? UINT64_C(1) << value->value : 0;
    return bits;
}

/* Lasting states of a robot: safety has one mode, no program runs without power, no button stays pressed, and starting
 * up, stopping and pausing end. */
static bool can_last(const struct armtap_field *field, int64_t number)
{
    switch ((int)field->id) {
    case ARMTAP_ID_robot_status_bits:
        return (number & 3) != 2 && (number & 12) == 0;
    case ARMTAP_ID_safety_status_bits:
        return (number & 1) == 0 || (number & 0x30a) == 0;
    case ARMTAP_ID_robot_mode:
        return number >= 3 && number <= 7;
    case ARMTAP_ID_runtime_state:
        return number == 1 || number == 2 || number == 4;
    default:
        return true;
    }
}

static bool integer_fits(const struct armtap_field *field, int64_t number)
{
    const struct armtap_enum_value *first = armtap_enum_at(field, 0);
    if (field->id == ARMTAP_ID_tool_output_voltage)
        return number == 0 || number == 12 || number == 24;
    if (field->id == ARMTAP_ID_script_control_line)
        return number < 1000000;
    if (first && first->is_bit)
        return ((uint64_t)number & ~known_bits(field)) == 0;
    return !first || armtap_enum_name(field, number, ARMTAP_GENERATION_CB3E);
}

/* The upper half of a double of ordinary size, or a lower half: unlikely in a register that counts. */
static bool is_large(int64_t number)
{
    return number >= 1 << 26 || number <= -(1 << 26);
}

static bool is_int_register(const struct armtap_field *field)
{
    return field && ((field->id >= ARMTAP_ID_input_int_register && field->id <= ARMTAP_ID_input_int_register_last) ||
                     (field->id >= ARMTAP_ID_output_int_register && field->id <= ARMTAP_ID_output_int_register_last));
}

static void weigh_integers(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    unsigned count = subject->sample->count, large = 0, odd = 0, zero = 0, points = 0;
    int64_t fits = INT64_MIN; /* the last number checked: most stay the same */
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < entry->count; k++) {
            int64_t number = integer_of(entry, bytes_at(subject, i, entry), k);
            if (entry->field && number != fits && !integer_fits(entry->field, number))
                contradict(subject, entry->name);
            if (entry->type == ARMTAP_BOOL && number > 1)
                contradict(subject, entry->name);
            fits = number;
            odd += entry->field && !can_last(entry->field, number);
            large += is_large(number);
            zero += number == 0;
        }
    if ((is_int_register(entry->field) && large > count / 2) || odd > count / 2)
        contradict(subject, entry->name);
    for (size_t i = 0; entry->field && i < COUNT(integers_like); i++)
        if (integers_like[i].id == entry->field->id)
            points = integers_like[i].points;
    if (zero == 0)
        support(subject, points, " has known values", entry->name, "");
}

static void weigh_field(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    unsigned pairs, changes = changes_of(subject, entry, &pairs);
    if (is_steady(entry->field) && changes > 2 + pairs / 16)
        contradict(subject, entry->name);
    if (entry->type == ARMTAP_DOUBLE)
        weigh_doubles(subject, entry);
    else
        weigh_integers(subject, entry);
}

/* ---- the clock ------------------------------------------------------------------------------------------------- */

/* s; packages are delayed on their way, often together. */
#define HELD_UP 0.5
/* The capture's clock and the controller's differ by less. */
#define DRIFT 0.01

/* Whether a clock can advance like this from one sampled package to a later one. */
static bool clock_goes_on(const struct armtap_sample *sample, unsigned from, unsigned to, size_t offset)
{
    const uint8_t *before = armtap_sample_at(sample, from) + offset, *after = armtap_sample_at(sample, to) + offset;
    double step = armtap_be_double(after) - armtap_be_double(before);
    double cycles = step / ARMTAP_CYCLE;
    if (!(step > 0 && step <= ARMTAP_CLOCK_MAX))
        return false;
    double whole = (double)(int64_t)(cycles + 0.5);
    if (whole < 1 || size_of(cycles - whole) > 1e-3)
        return false;
    if (sample->time[from] == ARMTAP_NO_TIME || sample->time[to] == ARMTAP_NO_TIME)
        return to > from + 1 || step < 1;
    double time = ((double)sample->time[to] - (double)sample->time[from]) / 1e9;
    return size_of(step - time) < HELD_UP + DRIFT * time;
}

/* A few packages may have been delayed, or the capture's clock set. */
static bool is_clock(const struct armtap_sample *sample, size_t offset)
{
    unsigned odd = 0, most = sample->count / 16;
    for (unsigned i = 0; i < sample->count; i++) {
        double now = armtap_be_double(armtap_sample_at(sample, i) + offset);
        if (!(now >= 0 && now <= ARMTAP_CLOCK_MAX))
            return false;
        odd += i > 0 && !clock_goes_on(sample, i - 1, i, offset);
        if (odd > most)
            return false;
    }
    return true;
}

long armtap_rtde_find_clock(const struct armtap_sample *sample)
{
    for (size_t offset = 0; offset + 8 <= sample->length && sample->count > 2; offset++)
        if (is_clock(sample, offset))
            return (long)offset;
    return -1;
}

static void weigh_clock(const struct subject *subject)
{
    const struct armtap_recipe_entry *entry = entry_of(subject->recipe, ARMTAP_ID_timestamp);
    bool here = entry && is_clock(subject->sample, subject->skip + entry->offset);
    if (entry ? !here : subject->clock >= 0)
        contradict(subject, "timestamp");
    if (here) /* most clients ask for it first */
        support(subject, entry->offset == 0 ? 3 : 8, " keeps time", entry->name, "");
}

/* ---- fields that move together --------------------------------------------------------------------------------- */

#define MOVING 0.05 /* rad/s, m/s, rad/s^2: above the noise of a robot at rest */
#define MOVES_LEAST 12

static double step_time(const struct subject *subject, unsigned i)
{
    if (subject->clock < 0)
        return 0;
    const uint8_t *now = armtap_sample_at(subject->sample, i) + subject->clock;
    const uint8_t *next = armtap_sample_at(subject->sample, i + 1) + subject->clock;
    return armtap_be_double(next) - armtap_be_double(now);
}

/* Sums over the steps of a position and of its speed. */
struct motion {
    double product, square, step_square;
    double off, most; /* of steps above the noise */
    unsigned count;
};

static void add_motion(const struct subject *subject, const struct armtap_recipe_entry *speed,
                       const struct armtap_recipe_entry *position, unsigned element, double time, struct motion *motion)
{
    for (unsigned i = 0; i + 1 < subject->sample->count; i++) {
        if (!armtap_sample_goes_on(subject->sample, i))
            continue;
        double step = double_at(subject, i + 1, position, element) - double_at(subject, i, position, element);
        double mean = (double_at(subject, i, speed, element) + double_at(subject, i + 1, speed, element)) / 2;
        double known = step_time(subject, i), seconds = known > 0 ? known : time;
        motion->product += step * mean;
        motion->square += mean * mean;
        motion->step_square += step * step;
        if (!(size_of(step) > MOVING * seconds) && !(size_of(mean) > MOVING))
            continue;
        motion->off += size_of(step - mean * seconds);
        motion->most += larger(size_of(step), size_of(mean) * seconds);
        motion->count++;
    }
}

/* Without a clock, uses the time between packages that fits best. */
static double fitting_time(const struct subject *subject, const struct armtap_recipe_entry *speed,
                           const struct armtap_recipe_entry *position, unsigned elements)
{
    struct motion motion = {0};
    for (unsigned k = 0; k < elements; k++)
        add_motion(subject, speed, position, k, ARMTAP_CYCLE, &motion);
    double time = motion.square > 0 ? motion.product / motion.square : 0;
    return time > ARMTAP_CYCLE / 2 && time < 1 ? time : ARMTAP_CYCLE;
}

static struct motion motion_of(const struct subject *subject, const struct armtap_recipe_entry *speed,
                               const struct armtap_recipe_entry *position, unsigned from, unsigned to, double time)
{
    struct motion motion = {0};
    for (unsigned k = from; k < to; k++)
        add_motion(subject, speed, position, k, time, &motion);
    return motion;
}

static bool is_derivative(const struct motion *motion)
{
    return motion->count >= MOVES_LEAST && motion->off < 0.25 * motion->most;
}

static void weigh_derivative(const struct subject *subject, const struct pair *pair)
{
    const struct armtap_recipe_entry *speed = entry_of(subject->recipe, pair->id);
    const struct armtap_recipe_entry *position = entry_of(subject->recipe, pair->other);
    if (!speed || !position || speed->type != ARMTAP_DOUBLE || position->type != ARMTAP_DOUBLE)
        return;
    double time = fitting_time(subject, speed, position, pair->elements);
    struct motion all = motion_of(subject, speed, position, 0, pair->elements, time);
    struct motion behind = motion_of(subject, speed, position, pair->elements, speed->count, time);
    if (all.count < MOVES_LEAST)
        return;
    /* A field sent every few cycles may miss what happened between, but still moves in the same direction. */
    bool same_way = all.product > 0 && all.product * all.product > 0.25 * all.square * all.step_square;
    if (all.off > 0.6 * all.most && !same_way)
        contradict(subject, speed->name);
    /* A rotation vector does not change by the angular velocity: where all elements do, these may be joints. */
    if (is_derivative(&all) && !is_derivative(&behind))
        support(subject, pair->points, " is the derivative of ", speed->name, position->name);
}

/* A field's jitter: the sum of its second differences. */
static double trembling(const struct subject *subject, const struct armtap_recipe_entry *entry, unsigned elements)
{
    double sum = 0;
    for (unsigned i = 0; i + 2 < subject->sample->count; i++) {
        if (!armtap_sample_goes_on(subject->sample, i) || !armtap_sample_goes_on(subject->sample, i + 1))
            continue;
        for (unsigned k = 0; k < elements; k++)
            sum += size_of(double_at(subject, i, entry, k) - 2 * double_at(subject, i + 1, entry, k) +
                           double_at(subject, i + 2, entry, k));
    }
    return sum;
}

/* Targets are computed, and smoother than measured values. */
static void weigh_follower(const struct subject *subject, const struct pair *pair)
{
    const struct armtap_recipe_entry *target = entry_of(subject->recipe, pair->id);
    const struct armtap_recipe_entry *actual = entry_of(subject->recipe, pair->other);
    double most = 0;
    unsigned told = 0;
    if (!target || !actual || target->type != ARMTAP_DOUBLE || actual->type != ARMTAP_DOUBLE)
        return;
    for (unsigned k = 0; k < pair->elements; k++) {
        bool both = true;
        for (unsigned i = 0; i < subject->sample->count; i++) {
            double one = double_at(subject, i, target, k), other = double_at(subject, i, actual, k);
            most = larger(most, size_of(one - other));
            both = both && size_of(one) > pair->lag && size_of(other) > pair->lag;
        }
        told += both;
    }
    if (trembling(subject, target, pair->elements) > 4 * trembling(subject, actual, pair->elements) + 1e-9)
        contradict(subject, target->name);
    if (most > 5 * pair->lag && told >= 2)
        contradict(subject, target->name);
    if (most < pair->lag && told >= 2)
        support(subject, pair->points, " follows ", target->name, actual->name);
}

/* Two fields say whether a program runs. */
static void weigh_program(const struct subject *subject)
{
    const struct armtap_recipe_entry *state = entry_of(subject->recipe, ARMTAP_ID_runtime_state);
    const struct armtap_recipe_entry *bits = entry_of(subject->recipe, ARMTAP_ID_robot_status_bits);
    unsigned apart = 0, together = 0;
    for (unsigned i = 0; state && bits && i < subject->sample->count; i++) {
        int64_t runtime = integer_of(state, bytes_at(subject, i, state), 0);
        bool runs = integer_of(bits, bytes_at(subject, i, bits), 0) & 2;
        apart += (runtime == 2 && !runs) || (runtime == 1 && runs);
        together += runtime == 2 && runs;
    }
    if (together > subject->sample->count / 16)
        support(subject, 4, " agrees with ", state->name, bits->name);
    if (apart > subject->sample->count / 4)
        contradict(subject, state->name);
}

/* ---- every package --------------------------------------------------------------------------------------------- */

size_t armtap_rtde_limits(const struct armtap_recipe *recipe, struct armtap_rtde_limit *limits)
{
    size_t count = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        const struct doubles *like = doubles_of(entry->field);
        for (unsigned k = 0; entry->type == ARMTAP_DOUBLE && k < entry->count; k++, count++) {
            double most = like ? most_of(like, entry, k) : ABSURD;
            if (limits)
                limits[count] =
                    (struct armtap_rtde_limit){entry->offset + 8 * k, like ? least_of(like, k, most) : -most, most};
        }
    }
    return count;
}

bool armtap_rtde_within(const struct armtap_rtde_limit *limits, size_t count, const uint8_t *values)
{
    for (size_t i = 0; i < count; i++) {
        double number = armtap_be_double(values + limits[i].offset);
        if (!(number >= limits[i].least && number <= limits[i].most))
            return false;
    }
    return true;
}

/* ---- the whole recipe------------------------------------------------------------------------------------------ */

bool armtap_rtde_has_test(const struct armtap_field *field)
{
    const struct doubles *like = doubles_of(field);
    bool has = (like && like->points > 0) || field->id == ARMTAP_ID_timestamp;
    for (size_t i = 0; i < COUNT(integers_like); i++)
        has = has || integers_like[i].id == field->id;
    for (size_t i = 0; i < COUNT(derivatives); i++)
        has = has || derivatives[i].id == field->id || derivatives[i].other == field->id;
    for (size_t i = 0; i < COUNT(followers); i++)
        has = has || followers[i].id == field->id || followers[i].other == field->id;
    return has || field->id == ARMTAP_ID_actual_tool_accelerometer;
}

static const struct armtap_field *other_of(const struct likeness *rows, size_t count, const struct armtap_field *field)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].id == field->id || rows[i].other == field->id)
            return armtap_field_at(rows[i].id == field->id ? rows[i].other : rows[i].id);
    return NULL;
}

const struct armtap_field *armtap_rtde_twin(const struct armtap_field *field)
{
    return other_of(twins, COUNT(twins), field);
}

const struct armtap_field *armtap_rtde_in_other_space(const struct armtap_field *field)
{
    return other_of(spaces, COUNT(spaces), field);
}

void armtap_rtde_weigh(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                       const struct armtap_set *about, struct armtap_rtde_evidence *evidence)
{
    struct subject subject = {recipe, sample, skip, clock, about, evidence};
    evidence->contradicted = recipe->open || recipe->size + skip != sample->length;
    evidence->against = NULL;
    evidence->score = 0;
    armtap_line_begin(&evidence->reasons);
    if (!evidence->contradicted && is_about(&subject, ARMTAP_ID_timestamp))
        weigh_clock(&subject);
    for (size_t i = 0; i < recipe->count && !evidence->contradicted; i++)
        if (is_about_entry(&subject, &recipe->entries[i]))
            weigh_field(&subject, &recipe->entries[i]);
    for (size_t i = 0; i < COUNT(derivatives) && !evidence->contradicted; i++)
        if (is_about_pair(&subject, &derivatives[i]))
            weigh_derivative(&subject, &derivatives[i]);
    for (size_t i = 0; i < COUNT(followers) && !evidence->contradicted; i++)
        if (is_about_pair(&subject, &followers[i]))
            weigh_follower(&subject, &followers[i]);
    if (!evidence->contradicted &&
        (is_about(&subject, ARMTAP_ID_runtime_state) || is_about(&subject, ARMTAP_ID_robot_status_bits)))
        weigh_program(&subject);
}
