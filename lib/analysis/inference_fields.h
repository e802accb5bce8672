/* Which outputs of RTDE a value may be: what the values at an offset say for and against each. */
#ifndef ANALYSIS_INFERENCE_FIELDS_H
#define ANALYSIS_INFERENCE_FIELDS_H

#include "inference_relations.h"

#define INFERENCE_FIELDS_MAX 128

/* In the order of the guide. */
struct inference_field {
    const char *name;
    const struct armtap_field *field; /* NULL: registers of some kind */
    enum armtap_type type;
    unsigned count;
    unsigned size;     /* bytes */
    double log_chance; /* log2 of the odds that a recipe has it */
    bool repeats;      /* registers: there may be several */
};
size_t armtap_inference_field_count(void);
/* False if the dictionary of the running library lacks it. */
bool armtap_inference_field_at(size_t i, struct inference_field *field);

/* Whether joints and poses are known, and what is there does not belong to them as the field does. */
bool armtap_inference_is_stranger(const struct inference_relations *relations, const struct inference_field *about,
                                  size_t offset);

/* Bits for the field at that offset, against random bytes. */
double armtap_inference_weigh(const struct inference_columns *columns, const struct inference_relations *relations,
                              size_t field, const struct inference_field *about, size_t offset);

#endif
