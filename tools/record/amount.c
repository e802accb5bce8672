#include "amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nanoseconds.h"

#define THOUSAND UINT64_C(1000)

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit sizes[] = {{"", 1},
                                    {"k", THOUSAND},
                                    {"M", THOUSAND *THOUSAND},
                                    {"G", THOUSAND *THOUSAND *THOUSAND},
                                    {"T", THOUSAND *THOUSAND *THOUSAND *THOUSAND}};
static const struct unit times[] = {
    {"", SECOND}, {"s", SECOND}, {"m", 60 * SECOND}, {"h", 3600 * SECOND}, {"d", 86400 * SECOND}};
#define UNITS 5
_Static_assert(sizeof sizes / sizeof *sizes == UNITS && sizeof times / sizeof *times == UNITS, "tables of one length");

/* A whole number above 0 and a unit. */
static int read_amount(const char *text, const struct unit units[UNITS], uint64_t max, uint64_t *amount)
{
    const char *at = text;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9' && number < max / 10; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    for (size_t i = 0; i < UNITS && at != text; i++)
        if (strcmp(at, units[i].name) == 0 && number > 0 && number <= max / units[i].factor) {
            *amount = number * units[i].factor;
            return 0;
        }
    return -1;
}

int amount_bytes(const char *text, uint64_t *bytes)
{
    return read_amount(text, sizes, INT64_MAX, bytes);
}

int amount_time(const char *text, int64_t *ns)
{
    uint64_t amount;
    if (read_amount(text, times, INT64_MAX, &amount) != 0)
        return -1;
    *ns = (int64_t)amount;
    return 0;
}

int amount_read(const struct option_row *row, const char *value, void *place)
{
    return amount_time(value, place) == 0 ? 0 : option_refuse(row, value, "a time such as 60s, 15m, 1h or 1d");
}

int64_t amount_time_end(int64_t now, int64_t ns)
{
    return ns == 0 || now > INT64_MAX - ns ? INT64_MAX : now + ns;
}

void amount_text(char to[AMOUNT_MAX], uint64_t bytes)
{
    size_t i = UNITS - 1;
    while (i > 0 && bytes < sizes[i].factor)
        i--;
    if (i == 0)
        snprintf(to, AMOUNT_MAX, "%" PRIu64 " B", bytes);
    else
        snprintf(to, AMOUNT_MAX, "%" PRIu64 ".%" PRIu64 " %sB", bytes / sizes[i].factor,
                 bytes % sizes[i].factor * 10 / sizes[i].factor, sizes[i].name);
}
