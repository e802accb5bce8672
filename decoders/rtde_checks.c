/* What no robot sends: values beyond the limits of their field, modes that it lacks, states that do not last, a clock
 * that keeps no time. One such value contradicts a recipe, whatever speaks for it. */
#include "rtde_judge.h"

#include <string.h>

#include "bytes.h"
#include "evidence/evidence.h"
#include "protocol/clock.h"

/* Bytes that are not a double can show any exponent. */
#define ABSURD 1e15
#define TINY 1e-100

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

/* ---- the subject: a recipe and its sample ---------------------------------------------------------------------- */

struct subject {
    const struct armtap_recipe *recipe;
    const struct armtap_sample *sample;
    size_t skip;
};

static const uint8_t *bytes_at(const struct subject *subject, unsigned package, const struct armtap_recipe_entry *entry)
{
    return armtap_sample_at(subject->sample, package) + subject->skip + entry->offset;
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

static bool clock_fits(const struct subject *subject, long clock)
{
    const struct armtap_recipe_entry *entry = entry_of(subject->recipe, ARMTAP_ID_timestamp);
    return entry ? is_clock(subject->sample, subject->skip + entry->offset) : clock < 0;
}

/* ---- doubles --------------------------------------------------------------------------------------------------- */

size_t armtap_rtde_limits(const struct armtap_recipe *recipe, struct armtap_rtde_limit *limits)
{
    size_t count = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct armtap_recipe_entry *entry = &recipe->entries[i];
        for (unsigned k = 0; entry->type == ARMTAP_DOUBLE && k < entry->count; k++, count++) {
            double least = -ABSURD, most = ABSURD;
            if (entry->field)
                armtap_inference_limits(entry->field, k, &least, &most);
            if (limits)
                limits[count] = (struct armtap_rtde_limit){entry->offset + 8 * k, least, most};
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

static bool doubles_fit(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    for (unsigned k = 0; k < entry->count; k++) {
        double least = -ABSURD, most = ABSURD;
        if (entry->field)
            armtap_inference_limits(entry->field, k, &least, &most);
        for (unsigned i = 0; i < subject->sample->count; i++) {
            double number = armtap_be_double(bytes_at(subject, i, entry) + 8 * k);
            if (!(number >= least && number <= most) || (number != 0 && size_of(number) < TINY))
                return false;
        }
    }
    return true;
}

/* ---- whole numbers --------------------------------------------------------------------------------------------- */

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

static bool integers_fit(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    unsigned count = subject->sample->count, large = 0, odd = 0;
    int64_t fits = INT64_MIN; /* the last number checked: most stay the same */
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < entry->count; k++) {
            int64_t number = integer_of(entry, bytes_at(subject, i, entry), k);
            if ((entry->field && number != fits && !integer_fits(entry->field, number)) ||
                (entry->type == ARMTAP_BOOL && number > 1))
                return false;
            fits = number;
            odd += entry->field && !can_last(entry->field, number);
            large += is_large(number);
        }
    return (!is_int_register(entry->field) || large <= count / 2) && odd <= count / 2;
}

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

static bool is_steady(const struct armtap_field *field)
{
    struct inference_field like;
    for (size_t i = 0; field && i < armtap_inference_field_count(); i++)
        if (armtap_inference_field_at(i, &like) && like.field == field)
            return like.is_steady;
    return false;
}

static bool entry_fits(const struct subject *subject, const struct armtap_recipe_entry *entry)
{
    unsigned pairs, changes = changes_of(subject, entry, &pairs);
    if (changes > 2 + pairs / 16 && is_steady(entry->field))
        return false;
    return entry->type == ARMTAP_DOUBLE ? doubles_fit(subject, entry) : integers_fit(subject, entry);
}

/* Two fields say whether a program runs. */
static bool program_fits(const struct subject *subject)
{
    const struct armtap_recipe_entry *state = entry_of(subject->recipe, ARMTAP_ID_runtime_state);
    const struct armtap_recipe_entry *bits = entry_of(subject->recipe, ARMTAP_ID_robot_status_bits);
    unsigned apart = 0;
    for (unsigned i = 0; state && bits && i < subject->sample->count; i++) {
        int64_t runtime = integer_of(state, bytes_at(subject, i, state), 0);
        bool runs = integer_of(bits, bytes_at(subject, i, bits), 0) & 2;
        apart += (runtime == 2 && !runs) || (runtime == 1 && runs);
    }
    return apart <= subject->sample->count / 4;
}

bool armtap_rtde_check(const struct armtap_recipe *recipe, const struct armtap_sample *sample, size_t skip, long clock,
                       const char **against)
{
    const struct subject subject = {recipe, sample, skip};
    *against = NULL;
    if (recipe->open || recipe->size + skip != sample->length)
        return false;
    if (!clock_fits(&subject, clock))
        *against = "timestamp";
    for (size_t i = 0; i < recipe->count && !*against; i++)
        if (!entry_fits(&subject, &recipe->entries[i]))
            *against = recipe->entries[i].name;
    if (!*against && !program_fits(&subject))
        *against = "runtime_state";
    return !*against;
}
