#include "external_control_layout.h"

#include "../lib/bytes.h"

#define WORD ARMTAP_CONTROL_WORD
#define MICRO_SCALE 1e6
#define MILLI_SCALE 1e3
#define TIMEOUT_LEAST 2       /* ms: a step of the controller; less would wait for ever */
#define TIMEOUT_MOST 3600000  /* ms */
#define NUMBER_MOST 31        /* of modes and commands that newer drivers may add */
#define JOINT_MOST 7000000    /* just over a full turn */
#define LONGEST_MILLI 1000000 /* a duration above, times 1000, would be over 1000 s */
#define SPLINE 51
#define QUINTIC_TYPE 2
#define ONE_MICRO 1000000

/* Words of a message that tell more than its selector. */
enum { POINT_PROFILE = 12, POINT_FLAG = 14, POINT_ZEROS = 15, POINT_DURATION = 18, POINT_BLEND = 19 };

/* What a value needs besides its selector: bits. */
enum condition { ALWAYS = 0, Q_NEAR = 1, PROFILE = 2, QUINTIC = 4, SCALED = 8, UNSCALED = 16 };

/* Bits of selectors: those of REVERSE begin at -2, a spline has bit 14, an unknown selector none. */
#define ONE(bit) (UINT32_C(1) << (bit))
#define EVERY UINT32_MAX
#define SPLINES ONE(14)
#define MOTIONS (ONE(14) - 1)
#define CIRCLES (ONE(3) | ONE(9) | ONE(10) | ONE(11))
#define NO_CIRCLES (MOTIONS & ~CIRCLES)
#define MIXED_POINTS (ONE(10) | ONE(11))
#define JOINT_POINTS (ONE(0) | ONE(4) | ONE(7) | ONE(8) | ONE(9) | ONE(13) | SPLINES)
#define POSE_POINTS (MOTIONS & ~(JOINT_POINTS | MIXED_POINTS))

static const struct armtap_control_layout layouts[] = {
#define KIND(name, title)
#define LAYOUT(name, port, words, kind) {port, words, ARMTAP_CONTROL_##kind},
#define SELECTOR(...)
#define VALUE(...)
#include "external_control_layouts.def"
#undef KIND
#undef LAYOUT
#undef SELECTOR
#undef VALUE
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

static const struct selector {
    enum armtap_control_kind kind;
    int number;
    const char *name;
} selectors[] = {
#define KIND(name, title)
#define LAYOUT(...)
#define SELECTOR(kind, number, name) {ARMTAP_CONTROL_##kind, number, name},
#define VALUE(...)
#include "external_control_layouts.def"
#undef KIND
#undef LAYOUT
#undef SELECTOR
#undef VALUE
};

static const struct armtap_control_value all_values[] = {
#define KIND(name, title)
#define LAYOUT(...)
#define SELECTOR(...)
#define VALUE(kind, selectors, condition, word, count, name, wire)                                                     \
    {ARMTAP_CONTROL_##kind, selectors, condition, word, count, name, ARMTAP_CONTROL_##wire},
#include "external_control_layouts.def"
#undef KIND
#undef LAYOUT
#undef SELECTOR
#undef VALUE
};

static const char *const titles[] = {
#define KIND(name, title) title,
#define LAYOUT(...)
#define SELECTOR(...)
#define VALUE(...)
#include "external_control_layouts.def"
#undef KIND
#undef LAYOUT
#undef SELECTOR
#undef VALUE
};

/* Where the word is that says what a message is for. */
static const uint8_t selector_word[] = {
    [ARMTAP_CONTROL_REVERSE] = 7,     [ARMTAP_CONTROL_SERVO] = 6,  [ARMTAP_CONTROL_POINT] = 20,
    [ARMTAP_CONTROL_EARLY_POINT] = 8, [ARMTAP_CONTROL_SCRIPT] = 0,
};

int32_t armtap_control_word(const uint8_t *message, size_t word)
{
    return (int32_t)armtap_be32(message + word * WORD);
}

static int32_t selector_of(const struct armtap_control_layout *layout, const uint8_t *message)
{
    return armtap_control_word(message, selector_word[layout->kind]);
}

const char *armtap_control_title(const struct armtap_control_layout *layout)
{
    return titles[layout->kind];
}

const char *armtap_control_selector(const struct armtap_control_layout *layout, const uint8_t *message)
{
    int32_t number = selector_of(layout, message);
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
        if (selectors[i].kind == layout->kind && selectors[i].number == number)
            return selectors[i].name;
    return NULL;
}

bool armtap_control_is_selector(const struct armtap_control_layout *layout, const struct armtap_control_value *value)
{
    return value->word == selector_word[layout->kind];
}

const struct armtap_control_layout *armtap_control_layout_of(size_t length)
{
    for (size_t i = 0; i < LAYOUTS; i++)
        if (layouts[i].words * WORD == length)
            return &layouts[i];
    return NULL;
}

/* ---- whether bytes are a message ---- */

static bool is_within(int32_t number, int32_t least, int32_t most)
{
    return number >= least && number <= most;
}

static bool fits_reverse(const uint8_t *message, bool strict)
{
    int32_t timeout = armtap_control_word(message, 0), mode = armtap_control_word(message, 7);
    return is_within(timeout, strict ? TIMEOUT_LEAST : -TIMEOUT_MOST, TIMEOUT_MOST) &&
           is_within(mode, -2, strict ? 8 : NUMBER_MOST);
}

static bool fits_servo(const uint8_t *message)
{
    for (size_t i = 0; i < 6; i++)
        if (!is_within(armtap_control_word(message, i), -JOINT_MOST, JOINT_MOST))
            return false;
    return is_within(armtap_control_word(message, 6), 0, 1);
}

static bool fits_point(const uint8_t *message)
{
    int32_t type = armtap_control_word(message, 20);
    return (is_within(type, 0, NUMBER_MOST) || type == SPLINE) && armtap_control_word(message, POINT_DURATION) >= 0 &&
           armtap_control_word(message, POINT_BLEND) >= 0;
}

static bool fits_early_point(const uint8_t *message)
{
    return is_within(armtap_control_word(message, 8), 0, 1) && armtap_control_word(message, 6) >= 0 &&
           armtap_control_word(message, 7) >= 0;
}

/* The words that a command does not use are zero. */
static bool fits_script(const struct armtap_control_layout *layout, const uint8_t *message, bool strict)
{
    const struct armtap_control_value *values[ARMTAP_CONTROL_ROWS];
    uint32_t used = 0;
    int shape;
    if (!is_within(armtap_control_word(message, 0), 0, strict ? 12 : NUMBER_MOST))
        return false;
    size_t count = armtap_control_values(layout, message, false, values, &shape);
    for (size_t i = 0; i < count; i++)
        used |= (ONE(values[i]->count) - 1) << values[i]->word;
    for (size_t i = 0; i < layout->words && strict; i++)
        if ((used & ONE(i)) == 0 && armtap_control_word(message, i) != 0)
            return false;
    return true;
}

bool armtap_control_fits(const struct armtap_control_layout *layout, const uint8_t *message, bool strict)
{
    switch (layout->kind) {
    case ARMTAP_CONTROL_REVERSE:
        return fits_reverse(message, strict);
    case ARMTAP_CONTROL_SERVO:
        return fits_servo(message);
    case ARMTAP_CONTROL_POINT:
        return fits_point(message);
    case ARMTAP_CONTROL_EARLY_POINT:
        return fits_early_point(message);
    case ARMTAP_CONTROL_SCRIPT:
        return fits_script(layout, message, strict);
    }
    return false;
}

/* How one layout fits the first bytes. */
static enum armtap_control_choice fit_of(const struct armtap_control_layout *layout,
                                         const struct armtap_control_look *look, const uint8_t *bytes, size_t length,
                                         size_t *need)
{
    size_t size = layout->words * WORD, count = 0;
    bool strict = look->strict || layout->kind == ARMTAP_CONTROL_SCRIPT;
    while (count < look->most && (count + 1) * size <= length) {
        if (!armtap_control_fits(layout, bytes + count * size, strict))
            return ARMTAP_CONTROL_NONE;
        count++;
    }
    *need = (count + 1) * size;
    if (count >= look->need || (count > 0 && look->whole))
        return ARMTAP_CONTROL_CHOSEN;
    return look->whole ? ARMTAP_CONTROL_NONE : ARMTAP_CONTROL_WAIT;
}

enum armtap_control_choice armtap_control_choose(const struct armtap_control_look *look, const uint8_t *bytes,
                                                 size_t length, const struct armtap_control_layout **layout,
                                                 size_t *need)
{
    for (size_t i = 0; i < LAYOUTS; i++) {
        if (look->port != 0 && layouts[i].port != look->port)
            continue;
        *layout = &layouts[i];
        enum armtap_control_choice choice = fit_of(*layout, look, bytes, length, need);
        if (choice != ARMTAP_CONTROL_NONE)
            return choice;
    }
    return ARMTAP_CONTROL_NONE;
}

/* ---- what a message says ---- */

/* Bit of the selector; 31 if it is unknown. */
static unsigned selector_bit(const struct armtap_control_layout *layout, const uint8_t *message)
{
    int32_t number = selector_of(layout, message);
    if (!armtap_control_selector(layout, message))
        return layout->kind == ARMTAP_CONTROL_SERVO ? 0 : NUMBER_MOST;
    return number == SPLINE ? 14 : layout->kind == ARMTAP_CONTROL_REVERSE ? (unsigned)(number + 2) : (unsigned)number;
}

/* Drivers that state velocity and acceleration set the three words behind them to zero. */
static unsigned point_conditions(const uint8_t *message, bool scale_known)
{
    unsigned met = scale_known ? SCALED : UNSCALED;
    bool zeros = true;
    for (size_t i = POINT_ZEROS; i < POINT_DURATION; i++)
        zeros = zeros && armtap_control_word(message, i) == 0;
    if (zeros && armtap_control_word(message, POINT_PROFILE) >= 0 &&
        armtap_control_word(message, POINT_PROFILE + 1) >= 0)
        met |= PROFILE | (armtap_control_word(message, POINT_FLAG) == ONE_MICRO ? Q_NEAR : 0u);
    if (armtap_control_word(message, POINT_BLEND) == QUINTIC_TYPE)
        met |= QUINTIC;
    return met;
}

bool armtap_control_shows_scale(const struct armtap_control_layout *layout, const uint8_t *message)
{
    return layout->kind == ARMTAP_CONTROL_POINT && armtap_control_word(message, POINT_DURATION) > LONGEST_MILLI;
}

size_t armtap_control_values(const struct armtap_control_layout *layout, const uint8_t *message, bool scale_known,
                             const struct armtap_control_value **values, int *shape)
{
    unsigned bit = selector_bit(layout, message), met = ALWAYS;
    size_t count = 0;
    uint64_t rows = 0;
    if (layout->kind == ARMTAP_CONTROL_POINT)
        met = point_conditions(message, scale_known);
    for (size_t i = 0; i < sizeof all_values / sizeof *all_values; i++) {
        const struct armtap_control_value *value = &all_values[i];
        if (value->kind != layout->kind || (value->selectors & ONE(bit)) == 0 || (value->condition & ~met) != 0 ||
            value->word + value->count > layout->words || count == ARMTAP_CONTROL_ROWS)
            continue;
        values[count++] = value;
        rows |= value->condition == ALWAYS ? 0u : value->condition;
    }
    /* Bits 0 to 4: the selector; 5 to 7: profile, q_near or quintic, and scale. */
    bool second = (rows & (Q_NEAR | QUINTIC)) != 0;
    *shape = (int)(1 + bit + 32u * ((rows & PROFILE) != 0) + 64u * second + 128u * ((rows & SCALED) != 0));
    if (*shape > UINT8_MAX)
        *shape = UINT8_MAX;
    return count;
}

double armtap_control_number(const struct armtap_control_value *value, const uint8_t *message, size_t element)
{
    double number = armtap_control_word(message, value->word + element);
    return value->wire == ARMTAP_CONTROL_MICRO   ? number / MICRO_SCALE
           : value->wire == ARMTAP_CONTROL_MILLI ? number / MILLI_SCALE
                                                 : number;
}

size_t armtap_control_put(const struct armtap_control_value *value, const uint8_t *message, uint8_t *to)
{
    if (value->wire == ARMTAP_CONTROL_RAW) {
        memcpy(to, message + value->word * WORD, value->count * WORD);
        return value->count * WORD;
    }
    for (size_t i = 0; i < value->count; i++)
        armtap_put_double(to + i * sizeof(double), armtap_control_number(value, message, i));
    return value->count * sizeof(double);
}
