/* What a field's place says about the places of the others: of two names, both vectors must have the bond that their
 * values have on a robot. */
#ifndef ANALYSIS_INFERENCE_PAIRS_H
#define ANALYSIS_INFERENCE_PAIRS_H

#include "inference_tiling.h"

/* Adds to `bits` what the names that are already likely say, given the shares of a first sum. */
void armtap_inference_pairs_weigh(const struct inference_tiling *tiling, const struct inference_relations *relations,
                                  float *bits);

#endif
