#include "output_allowance.h"

/* The captured bytes of a stream; a raw dump has no packets. */
static uint64_t captured_of(const struct armtap_stream *stream)
{
    uint64_t payload = 0, taken = 0, packets = 0;
    for (int i = 0; i < 2; i++) {
        payload += stream->payload[i];
        packets += stream->packets[i];
        taken += stream->bytes_decoded[i] + stream->bytes_skipped[i];
    }
    return (payload > 0 ? payload : taken) + packets * ALLOWANCE_HEADERS;
}

struct allowance allowance_begin(void)
{
    return (struct allowance){.budget = armtap_budget_find("text"), .row = armtap_budget_find("row")->once};
}

uint64_t allowance_row(const struct allowance *allowance, const struct armtap_record *record, uint64_t cost)
{
    uint64_t is_free = record->flags & ARMTAP_SHORT ? 0 : allowance->row;
    return cost > is_free ? cost - is_free : 0;
}

bool allowance_spend(struct allowance *allowance, struct allowance_account *account, const struct armtap_stream *stream,
                     uint64_t cost)
{
    uint64_t earned = captured_of(stream) * allowance->budget->each + account->lent;
    uint64_t wanted = account->spent + cost;
    uint64_t beyond = wanted > earned ? wanted - earned : 0;
    if (beyond > allowance->budget->once - allowance->lent)
        return false;
    allowance->lent += beyond;
    account->lent += beyond;
    account->spent = wanted;
    return true;
}
