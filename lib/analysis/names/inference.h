/* How fields are inferred from data without a handshake: what its steps give one another, the first step first. */
#ifndef ANALYSIS_INFERENCE_H
#define ANALYSIS_INFERENCE_H

#include "analysis/armtap-analysis.h"
#include "evidence/evidence.h"

/* ---- inference_sample.c ----
 *
 * Data packages of one size from all over a stream: runs of consecutive ones, in bounded memory. */

#define SAMPLE_RUN 16u
#define SAMPLE_RUNS 64u
#define SAMPLE_ROWS (SAMPLE_RUN * SAMPLE_RUNS)
#define SAMPLE_LENGTH_MAX 4097u /* with a recipe id */

/* Starts as zeros. */
struct inference_sample {
    size_t length; /* of every package */
    uint64_t seen, others;
    uint64_t every; /* one run in so many is kept */
    unsigned count;
    uint8_t *bytes;
};
void armtap_inference_sample_clear(struct inference_sample *sample);
/* A size that becomes more frequent than the one before begins anew. */
int armtap_inference_sample_add(struct inference_sample *sample, const uint8_t *package, size_t length);

/* At the end: leaves out runs that say nothing about the arm, if enough remain: those before it was switched on or
 * after it was switched off, when nearly all values are 0, and those with values that are no numbers. */
void armtap_inference_sample_settle(struct inference_sample *sample);
/* Shows it to whoever weighs values, while it does not change. */
void armtap_inference_sample_view(const struct inference_sample *sample, struct inference_view *view);

/* ---- inference_poses.c ---- */

/* An inference_solver. `best`: a struct armtap_kinematics_result of zeros, which tells the model. */
int armtap_inference_find_poses(void *best, const struct inference_columns *columns,
                                struct inference_relations *relations);

/* ---- inference_tiling.c ----
 *
 * All ways to tile a package with outputs of RTDE, weighed: how likely each field is at each offset. */

#define INFERENCE_CHOICES_MAX 16 /* ways in which clients may have chosen their fields */

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

/* What a field's place says about the places of the others (inference_pairs.c): of two names, both vectors must have
 * the bond that their values have on a robot. Adds to `bits` what the names that are already likely say, given the
 * shares of a first sum. */
void armtap_inference_pairs_weigh(const struct inference_tiling *tiling, const struct inference_relations *relations,
                                  float *bits);

/* Whether noise, or its lack, shows that a vector is what a robot aims at, or what it measures (inference_noise.c). */
struct inference_side {
    const char *other; /* "actual_q" of "target_q"; NULL: the name is of no pair, or noise beside tells both apart */
    bool is_proven;    /* not the other one */
    const char *words; /* what shows it, or why nothing does */
    double doubt;      /* share of such proofs that are wrong */
};
/* Names count as known from that probability on. */
struct inference_side armtap_inference_side_of(const struct inference_columns *columns,
                                               const struct inference_relations *relations,
                                               const struct inference_tiling *tiling, const struct tiling_piece *piece,
                                               double enough);

/* ---- inference_verdict.c ----
 *
 * Whether a name is given, and how certain it is. */

/* All that was found in a sample. */
struct inference_reading {
    struct inference_columns columns;
    struct inference_relations relations;
    struct armtap_kinematics_result kinematics;
    struct inference_tiling tiling;
    bool has_pose; /* a vector turns over as only poses do */
    double rival;  /* bits by which another whole number may fit better */
};
/* What the whole says about each name: is done once, before the first one is judged. */
void armtap_inference_settle(struct inference_reading *reading);

/* What there is to say about a name. */
struct inference_verdict {
    size_t copy;                /* where its numbers stand once more; SIZE_MAX: nowhere */
    struct inference_side side; /* target or actual */
    bool is_alone;
    double certainty;
    bool is_given;
};
/* Of piece `i`. `has_order`: the package is in a known order; `has_moved`: something in it moves like an arm. */
struct inference_verdict armtap_inference_judge(const struct inference_reading *reading, size_t i, bool has_order,
                                                bool has_moved);

#endif
