/* How clients may have chosen the fields of a recipe, which nobody tells: as well-known clients do, though more of them
 * or fewer, or any. Each way gives a field other odds, and is weighed by what the whole package says for it. */
#ifndef ANALYSIS_INFERENCE_CHOICES_H
#define ANALYSIS_INFERENCE_CHOICES_H

#include "inference_fields.h"

/* Bits. */
struct inference_odds {
    double beforehand;                     /* for this way to choose */
    double of_field[INFERENCE_FIELDS_MAX]; /* that a recipe has it, against that it has not */
    double of_none;                        /* that a recipe has no field at all */
    double of_more; /* by which fields are likelier than in the recipes of well-known clients; 0 or more */
};

#define INFERENCE_CHOICES_MAX 16
size_t armtap_inference_choice_count(void);
void armtap_inference_choice_at(size_t choice, const struct inference_field *fields, size_t count,
                                struct inference_odds *odds);

#endif
