/* The cases: each plays a capture with something wrong in it, or with ordinary life that must not look wrong. */
#ifndef CASES_H
#define CASES_H

#include "play.h"

struct fault_case {
    const char *name; /* of an id where it raises one */
    void (*play)(struct play *play);
};

/* Ends in a row without a name. */
extern const struct fault_case fault_cases[];
extern const struct fault_case ordinary_cases[];

#endif
