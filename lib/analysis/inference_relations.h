/* Values that belong together: a clock, vectors that are the derivative of others, joints and the pose that follows
 * from them, targets and what was measured, currents and moments. Chance does not produce them. */
#ifndef ANALYSIS_INFERENCE_RELATIONS_H
#define ANALYSIS_INFERENCE_RELATIONS_H

#include "inference_columns.h"

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

struct inference_relations {
    double step;       /* s from package to package; 0: unknown */
    size_t clock;      /* offset; SIZE_MAX: none */
    uint16_t *roles;   /* by offset */
    int *block;        /* by offset: number of the vector there; -1: none, or none that moves */
    uint16_t *bonds;   /* by number of one and of another */
    float *kind;       /* by offset: bits that say target (above 0) or actual (below) */
    bool moved;        /* something here moves like an arm */
    bool joints_known; /* and the pose that follows from them, for some seconds: whatever belongs to them shows */
    struct armtap_kinematics_result kinematics;
};
int armtap_inference_relations_find(struct inference_relations *relations, const struct inference_columns *columns);
/* Bonds from one offset to another; none if one of them is no vector that moves. */
unsigned armtap_inference_bonds(const struct inference_relations *relations, size_t from, size_t to);
void armtap_inference_relations_clear(struct inference_relations *relations);

#endif
