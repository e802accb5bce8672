/* Limits the size of an export: each captured byte of a connection earns an allowance, and one reserve is shared by all
 * connections. The cost is about the number of bytes written. So a connection with little data cannot cause much
 * output.
 *
 * The budget is `text` of lib/protocol/budgets.def. `row` of the cost is free for each complete record, because a
 * format writes text around the values of even the smallest one: a recipe may hold 4 bytes, and gnuplot takes 5 for
 * each column. Incomplete records get none of it: they may have thousands of empty columns. */
#ifndef EXPORT_OUTPUT_ALLOWANCE_H
#define EXPORT_OUTPUT_ALLOWANCE_H

#include "armtap.h"

/* Bytes of a captured packet besides its payload. */
#define ALLOWANCE_HEADERS 66

/* Zero-initialise the account of each connection. */
struct allowance {
    const struct armtap_budget *budget;
    uint64_t row;
    uint64_t lent; /* from the reserve */
};
struct allowance allowance_begin(void);
struct allowance_account {
    uint64_t spent, lent;
};

/* The cost of a row, less its free part. */
uint64_t allowance_row(const struct allowance *allowance, const struct armtap_record *record, uint64_t cost);
/* False if the connection cannot afford it; then nothing is spent. */
bool allowance_spend(struct allowance *allowance, struct allowance_account *account, const struct armtap_stream *stream,
                     uint64_t cost);

#endif
