#include "budget.h"
#include "inside.h"

#include <string.h>

static const struct armtap_budget budgets[ARMTAP_BUDGET_COUNT] = {
#define BUDGET(code, name, each, once, unit, cut)                                                                      \
    [ARMTAP_BUDGET_##code] = {                                                                                         \
        name, each, once, unit, "a capture", cut, "more than " #each " " unit " for each byte captured: " cut},
#define LIMIT(code, name, most, unit, of, cut)                                                                         \
    [ARMTAP_BUDGET_##code] = {name, 0, most, unit, of, cut, "more than " #most " " unit " for " of ": " cut},
#include "budgets.def"
};

_Static_assert(ARMTAP_BUDGET_COUNT <= 32, "a bit each");

#define BUDGET(code, ...)                                                                                              \
    _Static_assert((int)ARMTAP_BUDGET_##code < (int)ARMTAP_ACCOUNTS, #code " stands behind a limit");
#include "budgets.def"

const struct armtap_budget *armtap_budget_at(size_t i)
{
    return i < ARMTAP_BUDGET_COUNT ? &budgets[i] : NULL;
}

const struct armtap_budget *armtap_budget_find(const char *name)
{
    for (size_t i = 0; name && i < ARMTAP_BUDGET_COUNT; i++)
        if (strcmp(budgets[i].name, name) == 0)
            return &budgets[i];
    return NULL;
}
