/* What values say of the outputs of RTDE: what stands at each offset of a sample of data packages, which vectors belong
 * together, and the bits that speak for and against each output. Decoders judge known recipes by it, the analysis
 * infers unknown ones; each compiles it in. */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <stdbool.h>

#include "armtap.h"

/* ---- the sample ---- */

#define EVIDENCE_ROWS 1024u

/* Data packages of one size, one behind the other: runs of consecutive ones. */
struct inference_view {
    const uint8_t *bytes;
    size_t length; /* of every package */
    unsigned count;
    uint16_t begin[EVIDENCE_ROWS]; /* of each row: the first one of its run */
};

static inline const uint8_t *armtap_inference_row(const struct inference_view *sample, unsigned row)
{
    return sample->bytes + row * sample->length;
}
/* Whether the next `many` packages follow this one directly. */
static inline bool armtap_inference_go_on(const struct inference_view *sample, unsigned row, unsigned many)
{
    return row + many < sample->count && sample->begin[row + many] == sample->begin[row];
}
static inline bool armtap_inference_goes_on(const struct inference_view *sample, unsigned row)
{
    return armtap_inference_go_on(sample, row, 1);
}
/* How many packages before this one follow one another directly. */
static inline unsigned armtap_inference_before(const struct inference_view *sample, unsigned row)
{
    return row - sample->begin[row];
}
/* Big-endian, of up to 8 bytes. */
uint64_t armtap_inference_integer(const uint8_t *bytes, unsigned size);
/* Whether a double is infinite or one of the NaN that arithmetic gives: whole numbers hardly look like those. */
bool armtap_inference_is_no_number(uint64_t bits);

/* ---- columns.c ----
 *
 * What stands at each offset of a package, read as a double or an integer: how well it fits the type, and what its
 * values are like over the sample. */

enum column_change { CHANGE_NEVER, CHANGE_RARELY, CHANGE_OFTEN, CHANGE_ALWAYS, CHANGES };
/* Held: rounded to decimals by whoever recorded them, which hides what they were. */
enum column_digits { DIGITS_SHORT, DIGITS_FLOAT, DIGITS_FULL, DIGITS_HELD, DIGITS };
enum column_curve { CURVE_SMOOTH, CURVE_MIXED, CURVE_ROUGH, CURVES };
enum column_pace { PACE_FLOWS, PACE_SWAYS, PACE_DRIFTS, PACE_FLICKERS, PACES };
enum column_gain { GAIN_DOUBLE, GAIN_INT32, GAIN_UINT32, GAIN_UINT64, GAIN_BYTE, GAINS };

/* Doubles at an offset that look like doubles. */
struct column {
    size_t offset;
    double least, most, mean, spread; /* range, mean and standard deviation */
    double centre;                    /* median */
    double growth; /* squares of differences against those of half the distance: 4 for motion, 2 for a random walk,
                      1 for noise */
    double grain;  /* third differences against second ones: near 0 on a smooth curve, near 2 for noise */
    double still;  /* share of packages that repeat the value before */
    double pace;   /* steps from package to package against the spread: 1 for noise, near 0 for motion */
    bool rises;    /* and never falls */
    enum column_change change;
    enum column_digits digits;
    enum column_curve curve;
    enum column_pace paces;
    double *values; /* of each row; NULL if they are all the same */
};

/* Starts as zeros. */
struct inference_columns {
    const struct inference_view *sample;
    const uint8_t *wanted; /* by offset: 0, or 1 and the number of the element of a value that is read; NULL: all */
    size_t length;         /* bytes of a package */
    struct column *columns;
    size_t count;
    int *at;            /* by offset: the number of its column; -1: no doubles */
    float *plain;       /* by offset: bits of the bytes before it, each anew where it changes */
    float *gain[GAINS]; /* by offset: bits that this type saves against those */
};
/* Rows by whose bytes a type is judged, spread over the sample. */
#define COLUMNS_JUDGED 16u
static inline unsigned armtap_inference_judged(const struct inference_view *sample, unsigned i)
{
    return i * (sample->count - 1) / (COLUMNS_JUDGED - 1);
}
enum column_gain armtap_inference_gain_of(enum armtap_type type);
/* For qsort: doubles, the least first. */
int armtap_inference_by_size(const void *a, const void *b);
int armtap_inference_columns_read(struct inference_columns *columns, const struct inference_view *sample,
                                  const uint8_t *wanted);
void armtap_inference_columns_clear(struct inference_columns *columns);

static inline const uint8_t *armtap_inference_bytes(const struct inference_columns *columns, unsigned row,
                                                    size_t offset)
{
    return armtap_inference_row(columns->sample, row) + offset;
}
/* The column at an offset; NULL if there are no doubles. */
static inline const struct column *armtap_inference_column(const struct inference_columns *columns, size_t offset)
{
    return offset + 8 <= columns->length && columns->at[offset] >= 0 ? &columns->columns[columns->at[offset]] : NULL;
}
/* The values that were there. */
struct inference_past {
    unsigned count;
    uint64_t values[COLUMNS_JUDGED];
};
/* Bits of a value that is one of those. If it is not: INFINITY, and it is added, unless that many bits are too many for
 * a state of a program. */
double armtap_inference_return_cost(struct inference_past *past, uint64_t value, double alone);
/* Bits of a whole number behind another. */
double armtap_inference_step_cost(uint64_t value, uint64_t before);

/* ---- relations.c ----
 *
 * Values that belong together: a clock, vectors that are the derivative of others, joints and the pose that follows
 * from them, targets and what was measured, currents and moments. Chance does not produce them. */

/* Of the vector of six doubles at an offset; of three where it says so. */
enum inference_role {
    ROLE_HAS_SPEED = 1,        /* another vector is its derivative */
    ROLE_IS_SPEED = 2,         /* it is the derivative of another */
    ROLE_HAS_LINEAR_SPEED = 4, /* the same, but only the first three elements: a pose */
    ROLE_IS_LINEAR_SPEED = 8,
    ROLE_JOINTS = 16,  /* a pose follows from it */
    ROLE_POSE = 32,    /* it follows from joints */
    ROLE_CURRENT = 64, /* another vector is proportional to it, joint by joint, with a motor's constant */
    ROLE_MOMENT = 128,
    ROLE_HAS_SPEED_3 = 256, /* of the three doubles at the offset, which are not part of a pose */
    ROLE_IS_SPEED_3 = 512,
    ROLE_IS_JOINT_SPEED = 2048, /* the derivative of joints from which a pose follows */
    ROLE_TWIN = 1024,           /* another vector is nearly the same */
    ROLE_PLACE_TWIN = 4096,     /* its first three elements are */
    ROLE_IS_STRANGE = 8192      /* the derivative of a vector that does not belong to known joints */
};

/* What one vector of six doubles is to another. */
enum inference_bond {
    BOND_TWIN = 1,         /* nearly the same */
    BOND_PLACE_TWIN = 2,   /* the same, but only the first three elements: of poses, whose rotation vectors jump */
    BOND_SPEED = 4,        /* the other one is its derivative */
    BOND_LINEAR_SPEED = 8, /* the same of the first three elements */
    BOND_CURRENTS = 16,    /* both rise and fall together, joint by joint, by as much */
    BOND_MOMENT = 32,      /* where weight loads a joint, it is a multiple of the other one */
    BOND_FRICTION = 64,    /* where no weight does, it has the other one's sign */
    BOND_POSE = 256,       /* the other one is the pose that follows from it */
    BOND_FRICTION_OF_PLACE = 128 /* the same, of the other one's derivative */
};

#define INFERENCE_VECTORS_MAX 320u

struct inference_relations {
    unsigned vectors;                     /* of six doubles, some of which move */
    size_t vector[INFERENCE_VECTORS_MAX]; /* offsets */
    int joints[INFERENCE_VECTORS_MAX];    /* of a pose: the number of the vector from which it follows; -1: none */
    double step;                          /* s from package to package; 0: unknown */
    size_t clock;                         /* offset; SIZE_MAX: none */
    uint16_t *roles;                      /* by offset */
    int *block;                           /* by offset: number of the vector there; -1: none, or none that moves */
    uint16_t *bonds;                      /* by number of one and of another */
    float *kind;                          /* by offset: bits that say target (above 0) or actual (below) */
    float *tremble; /* by offset: share of packages at rest in which the vector there changes; below 0: nothing rests,
                       or nothing trembles then */
    float *tremor;  /* the same: its steps meanwhile against its spread, of the median element */
    bool moved;     /* something here moves like an arm */
    bool joints_known; /* and the pose that follows from them, for some seconds: whatever belongs to them shows */
};
/* Finds joints and poses among the vectors that were found so far, by the kinematics of arms. */
typedef int inference_solver(void *user, const struct inference_columns *columns,
                             struct inference_relations *relations);
/* `solve` NULL: joints and poses stay unknown. */
int armtap_inference_relations_find(struct inference_relations *relations, const struct inference_columns *columns,
                                    inference_solver *solve, void *user);
/* Of a solver: one vector holds joints, the other one the pose that follows from them. By their numbers. */
void armtap_inference_add_pose(struct inference_relations *relations, unsigned joints, unsigned pose);
/* Bonds from one offset to another; none if one of them is no vector that moves. */
unsigned armtap_inference_bonds(const struct inference_relations *relations, size_t from, size_t to);
void armtap_inference_relations_clear(struct inference_relations *relations);

/* ---- fields.c ----
 *
 * Which outputs of RTDE a value may be: what the values at an offset say for and against each. */

#define INFERENCE_FIELDS_MAX 128

/* Vectors that a bond does not tell apart. */
enum inference_group {
    GROUP_JOINTS,
    GROUP_SPEEDS,
    GROUP_POSES,
    GROUP_TOOL_SPEEDS,
    GROUP_CURRENTS,
    GROUP_TARGET_CURRENT,
    GROUP_MOMENT,
    GROUP_ACCELERATIONS,
    GROUP_TOOL_ACCELERATIONS,
    GROUP_FORCES,
    GROUPS
};

/* In the order of the guide. */
struct inference_field {
    const char *name;
    size_t row;                       /* its number; the count of fields: of none of the tables by field */
    const struct armtap_field *field; /* NULL: registers of some kind */
    enum armtap_type type;
    unsigned count;
    unsigned size;                             /* bytes */
    double log_chance;                         /* log2 of the odds that a recipe has it */
    bool repeats;                              /* registers: there may be several */
    bool is_state;                             /* a mode of the robot, which hardly ever is another */
    bool is_steady;                            /* keeps its value for nearly all packages */
    bool is_never_zero;                        /* measured, and far from 0 on any robot that is switched on */
    enum inference_group group;                /* GROUPS: none */
    const struct armtap_field *in_other_space; /* the same of joints, or of the tool; NULL: none */
};
size_t armtap_inference_field_count(void);
/* False if the dictionary of the running library lacks it. */
bool armtap_inference_field_at(size_t i, struct inference_field *field);

/* The range of an element that no robot leaves; false: any. */
bool armtap_inference_limits(const struct armtap_field *field, unsigned element, double *least, double *most);

/* The range of nearly all values of a field of numbers. */
void armtap_inference_usual(size_t field, unsigned element, double *least, double *most);
/* Whether the one never trembles more than the other. */
bool armtap_inference_is_calmer(const struct inference_field *one, const struct inference_field *other);

struct inference_pair {
    enum inference_group one, other;
    enum inference_bond bond;
    float proof, denial;
};
/* NULL: no more. */
const struct inference_pair *armtap_inference_pair_at(size_t i);

/* What a vector does while another one, which moves otherwise, stands still to the last bit, and something trembles: a
 * target holds, too; what was measured trembles. Of a load, as currents and forces are, both do, but not as much. */
#define INFERENCE_TREMBLES 0.5 /* share of packages at rest in which what is measured changes, at least */
enum inference_rest { REST_UNKNOWN, REST_HELD, REST_TREMBLES };
enum inference_rest armtap_inference_rest_of(const struct inference_relations *relations,
                                             const struct inference_field *about, size_t offset);

/* Whether joints and poses are known, and what is there does not belong to them as the field does. */
bool armtap_inference_is_stranger(const struct inference_relations *relations, const struct inference_field *about,
                                  size_t offset);

/* Whether the last three of six doubles turn over as rotation vectors do, which are never longer than half a turn. */
bool armtap_inference_turns_over(const struct inference_columns *columns, size_t offset);

/* Bits for the field at that offset, against random bytes. */
double armtap_inference_weigh(const struct inference_columns *columns, const struct inference_relations *relations,
                              size_t field, const struct inference_field *about, size_t offset);

#endif
