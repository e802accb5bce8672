/* The rows of budgets.def as constants. */
#ifndef ARMTAP_BUDGET_H
#define ARMTAP_BUDGET_H

#include "armtap.h"

/* Numbers for armtap_budget_at. */
enum armtap_budget_code {
#define BUDGET(code, ...) ARMTAP_BUDGET_##code,
#define LIMIT(code, ...) ARMTAP_BUDGET_##code,
#include "budgets.def"
#undef BUDGET
#undef LIMIT
    ARMTAP_BUDGET_COUNT
};

/* The budgets for which a connection has an account: they come first. */
enum {
#define BUDGET(code, ...) +1
#define LIMIT(...)
    ARMTAP_ACCOUNTS = 0
#include "budgets.def"
#undef BUDGET
#undef LIMIT
};

/* ARMTAP_LIMIT_message: bytes of an AUBO message. */
enum {
#define BUDGET(...)
#define LIMIT(code, name, most, ...) ARMTAP_LIMIT_##code = (most),
#include "budgets.def"
#undef BUDGET
#undef LIMIT
};

#endif
