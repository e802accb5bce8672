#include "inference_choices.h"

#include <math.h>

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

size_t armtap_inference_choice_count(void)
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

void armtap_inference_choice_at(size_t choice, const struct inference_field *fields, size_t count,
                                struct inference_odds *odds)
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
