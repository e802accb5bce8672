/* What an export may cost: so much for each byte that was captured of a connection, and what goes beyond that out of
 * one reserve for all. Cost is about the bytes of text that it makes. Who sends little can so make little of it, and no
 * connection lives at another's expense.
 *
 * The budget is `text` of lib/budgets.def. `row` is free of each row whose record has all values of its recipe: that
 * much a format may write around the values, however small the record is. A package of 4 bytes may be all that a robot
 * was asked for, and gnuplot's 152 columns are 760 bytes. Other records may have thousands of empty columns. */
#ifndef EXPORT_OUTPUT_ALLOWANCE_H
#define EXPORT_OUTPUT_ALLOWANCE_H

#include "armtap.h"

/* Of a captured packet besides its payload. */
#define ALLOWANCE_HEADERS 66

/* The account of each connection begins as zeros. */
struct allowance {
    const struct armtap_budget *budget;
    uint64_t row;
    uint64_t lent; /* of the reserve */
};
struct allowance allowance_begin(void);
struct allowance_account {
    uint64_t spent, lent;
};

/* What is to be spent for a row that costs so much. */
uint64_t allowance_row(const struct allowance *allowance, const struct armtap_record *record, uint64_t cost);
/* False, and nothing is spent, where the connection cannot afford it. */
bool allowance_spend(struct allowance *allowance, struct allowance_account *account, const struct armtap_stream *stream,
                     uint64_t cost);

#endif
