/* Apart from the table: the fuzzers put a smaller one in its place when they link. */
#include "budget.h"
#include "inside.h"

void armtap_reserve_init(struct armtap_reserve *reserve)
{
    *reserve = (struct armtap_reserve){.held = 0};
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++)
        reserve->left[i] = armtap_budget_at(i)->once;
}

static uint64_t own_left(const struct armtap_account *account, enum armtap_budget_code code, uint64_t bytes)
{
    uint64_t earned = bytes * armtap_budget_at(code)->each, spent = account->spent[code];
    return earned > spent ? earned - spent : 0;
}

uint64_t armtap_account_left(const struct armtap_account *account, const struct armtap_reserve *reserve,
                             enum armtap_budget_code code, uint64_t bytes)
{
    return own_left(account, code, bytes) + reserve->left[code];
}

bool armtap_account_spend(struct armtap_account *account, struct armtap_reserve *reserve, enum armtap_budget_code code,
                          uint64_t bytes, uint64_t amount)
{
    uint64_t own = own_left(account, code, bytes);
    if (own > amount)
        own = amount;
    if (amount - own > reserve->left[code])
        return false;
    reserve->left[code] -= amount - own;
    account->spent[code] += own;
    return true;
}
