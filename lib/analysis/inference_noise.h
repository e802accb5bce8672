/* Whether noise, or its lack, shows that a vector is what a robot aims at, or what it measures. */
#ifndef ANALYSIS_INFERENCE_NOISE_H
#define ANALYSIS_INFERENCE_NOISE_H

#include "inference_tiling.h"

struct inference_side {
    const char *other; /* "actual_q" of "target_q"; NULL: the name is of no pair, or noise beside tells both apart */
    bool is_proven;    /* not the other one */
    const char *words; /* what shows it, or why nothing does */
};
/* Names count as known from that probability on. */
struct inference_side armtap_inference_side_of(const struct inference_columns *columns,
                                               const struct inference_relations *relations,
                                               const struct inference_tiling *tiling, const struct tiling_piece *piece,
                                               double enough);

#endif
