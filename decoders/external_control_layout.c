#include "external_control_layout.h"

#include <limits.h>

#include "bytes.h"
#include "external_control_words.h"

#define WORD ARMTAP_CONTROL_WORD
#define POINT_WORDS 21u
/* What a value needs besides its selector: bits. */
enum condition { ALWAYS = 0, Q_NEAR = 1, PROFILE = 2, QUINTIC = 4, SCALED = 8, UNSCALED = 16 };

static const struct armtap_control_layout layouts[] = {
#define LAYOUT(name, port, words, kind) {port, words, ARMTAP_CONTROL_##kind},
#include "external_control_layouts.def"
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

static const struct selector {
    enum armtap_control_kind kind;
    int number;
    const char *name;
} selectors[] = {
#define SELECTOR(kind, number, name) {ARMTAP_CONTROL_##kind, number, name},
#include "external_control_layouts.def"
};

static const struct armtap_control_value all_values[] = {
#define VALUE(kind, selectors, condition, word, count, name, wire)                                                     \
    {ARMTAP_CONTROL_##kind, selectors, condition, word, count, name, ARMTAP_CONTROL_##wire},
#include "external_control_layouts.def"
};

static const char *const titles[] = {
#define KIND(name, title, selector) title,
#include "external_control_layouts.def"
};

/* Where the word is that says what a message is for. */
static const uint8_t selector_word[] = {
#define KIND(name, title, selector) [ARMTAP_CONTROL_##name] = selector,
#include "external_control_layouts.def"
};

enum when { ALWAYS_BOUND, IN_SEARCH_BOUND };
static const struct bound {
    enum armtap_control_kind kind;
    enum when when;
    uint8_t word, count;
    int32_t least, most;
} bounds[] = {
#define BOUND(kind, when, word, count, least, most) {ARMTAP_CONTROL_##kind, when##_BOUND, word, count, least, most},
#include "external_control_layouts.def"
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

const struct armtap_control_layout *armtap_control_layout_at(size_t i)
{
    return i < LAYOUTS ? &layouts[i] : NULL;
}

const struct armtap_control_layout *armtap_control_layout_of(size_t length)
{
    for (size_t i = 0; i < LAYOUTS; i++)
        if (layouts[i].words * WORD == length)
            return &layouts[i];
    return NULL;
}

/* ---- whether bytes are a message ---- */

static bool is_within(const struct bound *bound, const uint8_t *message)
{
    for (size_t word = bound->word; word < (size_t)bound->word + bound->count; word++)
        if (armtap_control_word(message, word) < bound->least || armtap_control_word(message, word) > bound->most)
            return false;
    return true;
}

/* The words that a command does not use are zero. */
static bool is_zero_elsewhere(const struct armtap_control_layout *layout, const uint8_t *message)
{
    const struct armtap_control_value *values[ARMTAP_CONTROL_ROWS];
    uint32_t used = 0;
    int shape;
    size_t count = armtap_control_values(layout, message, false, values, &shape);
    for (size_t i = 0; i < count; i++)
        used |= (ONE(values[i]->count) - 1) << values[i]->word;
    for (size_t i = 0; i < layout->words; i++)
        if ((used & ONE(i)) == 0 && armtap_control_word(message, i) != 0)
            return false;
    return true;
}

bool armtap_control_fits(const struct armtap_control_layout *layout, const uint8_t *message, bool strict)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].kind == layout->kind && (strict || bounds[i].when == ALWAYS_BOUND) &&
            !is_within(&bounds[i], message))
            return false;
    return !strict || layout->kind != ARMTAP_CONTROL_SCRIPT || is_zero_elsewhere(layout, message);
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

/* The bits in which the words of one message differ from those of the next, per word: few in the layout that they
 * have. */
static unsigned unrest_of(const struct armtap_control_layout *layout, const uint8_t *bytes, size_t length)
{
    size_t size = layout->words * WORD, words = 0;
    unsigned bits = 0;
    for (size_t at = size; at + WORD <= length && words < ARMTAP_CONTROL_CHAIN * POINT_WORDS; at += WORD, words++) {
        int64_t now = armtap_control_word(bytes + at, 0), before = armtap_control_word(bytes + at - size, 0);
        for (uint64_t change = (uint64_t)(now > before ? now - before : before - now); change > 0; change >>= 1)
            bits++;
    }
    return words == 0 ? UINT_MAX : bits * 16u / (unsigned)words;
}

/* Without a port, what fits the first messages of several layouts has the one in which they are most alike. */
static enum armtap_control_choice choose_any(const struct armtap_control_look *look, const uint8_t *bytes,
                                             size_t length, const struct armtap_control_layout **layout, size_t *need)
{
    unsigned least = 0;
    size_t least_need = 0;
    bool waits = false;
    *layout = NULL;
    for (size_t i = 0; i < LAYOUTS; i++) {
        size_t its_need = 0;
        enum armtap_control_choice choice = fit_of(&layouts[i], look, bytes, length, &its_need);
        if (choice == ARMTAP_CONTROL_NONE)
            continue;
        size_t seen = its_need - layouts[i].words * WORD;
        waits = waits || choice == ARMTAP_CONTROL_WAIT;
        least_need = choice == ARMTAP_CONTROL_WAIT && its_need > least_need ? its_need : least_need;
        unsigned unrest = unrest_of(&layouts[i], bytes, seen);
        if (!*layout || unrest < least) {
            *layout = &layouts[i];
            least = unrest;
        }
    }
    *need = least_need;
    return waits ? ARMTAP_CONTROL_WAIT : *layout ? ARMTAP_CONTROL_CHOSEN : ARMTAP_CONTROL_NONE;
}

enum armtap_control_choice armtap_control_choose(const struct armtap_control_look *look, const uint8_t *bytes,
                                                 size_t length, const struct armtap_control_layout **layout,
                                                 size_t *need)
{
    if (look->port == 0)
        return choose_any(look, bytes, length, layout, need);
    for (size_t i = 0; i < LAYOUTS; i++) {
        if (layouts[i].port != look->port)
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
    unsigned bit = 0;
    if (layout->kind == ARMTAP_CONTROL_SERVO) /* its selector has no names */
        return 0;
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        if (selectors[i].kind == layout->kind && selectors[i].number == selector_of(layout, message))
            return bit;
        bit += selectors[i].kind == layout->kind;
    }
    return NUMBER_MOST;
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
