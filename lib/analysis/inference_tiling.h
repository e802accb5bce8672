/* All ways to tile a package with outputs of RTDE, weighed: how likely each field is at each offset. */
#ifndef ANALYSIS_INFERENCE_TILING_H
#define ANALYSIS_INFERENCE_TILING_H

#include "inference_choices.h"
#include "inference_fields.h"

enum tiling_order { ORDER_GUIDE, ORDER_ALPHABET, ORDER_ANY, ORDERS };

struct tiling_piece {
    size_t offset;
    enum armtap_type type;
    unsigned count, size;
    double type_certainty;
    size_t field; /* the likeliest of that type */
    double certainty;
};

/* Starts as zeros. */
struct inference_tiling {
    size_t length, fields;
    struct inference_field *field;
    bool typed;                                /* the types are known */
    float *bits;                               /* by offset and field: for and against it */
    float *share;                              /* by offset and field: its probability */
    double with_id;                            /* probability that the first byte is a recipe id */
    double order[ORDERS];                      /* probability */
    double way[ORDERS][INFERENCE_CHOICES_MAX]; /* the same with each choice of fields */
    struct tiling_piece *pieces;               /* the best tiling */
    size_t count;
};
/* `types`: those that are known; NULL: none. */
int armtap_inference_tile(struct inference_tiling *tiling, const struct armtap_recipe *types,
                          const struct inference_columns *columns, const struct inference_relations *relations);
void armtap_inference_tiling_clear(struct inference_tiling *tiling);

#endif
