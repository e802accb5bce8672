/* The rows of budgets.def as constants, and what a connection has spent of them: every byte of its packets adds to its
 * budgets; beyond that it draws on a reserve shared with the other connections of its capture. */
#ifndef ARMTAP_BUDGET_H
#define ARMTAP_BUDGET_H

#include "fact.h"
#include "table/layout.h"

/* Numbers for armtap_budget_at. */
enum armtap_budget_code {
#define BUDGET(code, ...) ARMTAP_BUDGET_##code,
#define LIMIT(code, ...) ARMTAP_BUDGET_##code,
#include "budgets.def"
    ARMTAP_BUDGET_COUNT
};

/* The budgets for which a connection has an account: they come first. */
enum {
#define BUDGET(code, ...) +1
    ARMTAP_ACCOUNTS = 0
#include "budgets.def"
};

/* ARMTAP_LIMIT_message: bytes of an AUBO message. */
enum {
#define LIMIT(code, name, most, ...) ARMTAP_LIMIT_##code = (most),
#include "budgets.def"
};

/* The arguments of its note: what is exceeded, and what is left out. */
#define BUDGET_ARGUMENTS 5
#define BUDGET_ARGS(budget)                                                                                            \
    ARGS(arg_limit((budget)->name), arg_most((budget)->each > 0 ? (budget)->each : (budget)->once),                    \
         arg_unit((budget)->unit), arg_scope((budget)->each > 0 ? "each byte captured" : (budget)->of),                \
         arg_meaning((budget)->cut))

struct armtap_reserve {
    uint64_t left[ARMTAP_ACCOUNTS];
    size_t held;   /* bytes that the decoders of all connections keep */
    size_t shares; /* bytes that connections with records add to the limit of memory */
    size_t taken;  /* bytes of memory that all connections take, those included; not what waits for missing bytes */
    bool is_brief; /* a record's state holds only what the record set */
    struct armtap_state
        *brief; /* then that of all records, if their connection has but one recipe; NULL: not needed yet */
    struct armtap_layouts *layouts; /* shared by its connections, or NULL */
    bool told_unshared;             /* noted that some robots share no recipes */
};
void armtap_reserve_init(struct armtap_reserve *reserve);

struct armtap_account {
    uint64_t spent[ARMTAP_ACCOUNTS]; /* of its own budget */
    uint32_t noted;                  /* by row of the table: the note was sent */
};

/* Takes `amount` if a connection that sent `bytes` has that much left; otherwise takes nothing and returns false. */
bool armtap_account_spend(struct armtap_account *account, struct armtap_reserve *reserve, enum armtap_budget_code code,
                          uint64_t bytes, uint64_t amount);

/* What is left of it. */
uint64_t armtap_account_left(const struct armtap_account *account, const struct armtap_reserve *reserve,
                             enum armtap_budget_code code, uint64_t bytes);

#endif
