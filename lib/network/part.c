#include "part.h"

#include <string.h>

#include "protocol/budget.h"
#include "tcp/tcp_deliver.h"

static void raise_to(size_t *most, size_t now)
{
    if (*most < now)
        *most = now;
}

void armtap_part_note(struct armtap_part *part, const struct armtap_part_use *use)
{
    for (size_t i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        raise_to(&part->flows[i], use->flows->class[i].count);
    raise_to(&part->kept, use->kept);
    raise_to(&part->held, use->reserve->held);
    raise_to(&part->knowledge.learned, use->knowledge.learned);
    raise_to(&part->knowledge.samples, use->knowledge.samples);
    raise_to(&part->knowledge.guesses, use->knowledge.guesses);
    raise_to(&part->knowledge.robots, use->knowledge.robots);
    raise_to(&part->waiting, use->pool->waiting);
    raise_to(&part->histories, use->pool->histories);
    raise_to(&part->doubts, use->doubts);
    part->is_strained = part->is_strained || use->pool->is_crowded;
}

void armtap_part_add(struct armtap_part_sum *sum, const struct armtap_part *part, const struct armtap_reserve *reserve)
{
    struct armtap_part *most = &sum->most;
    most->is_strained = most->is_strained || part->is_strained;
    for (size_t i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        most->flows[i] += part->flows[i];
    most->kept += part->kept;
    most->held += part->held;
    most->knowledge.learned += part->knowledge.learned;
    most->knowledge.samples += part->knowledge.samples;
    most->knowledge.guesses += part->knowledge.guesses;
    most->knowledge.robots += part->knowledge.robots;
    most->waiting += part->waiting;
    most->histories += part->histories;
    most->doubts += part->doubts;
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++)
        sum->drawn[i] += armtap_budget_at(i)->once - reserve->left[i];
}

struct row {
    uint64_t used, limit;
};

enum { FULL = 1000000, ROWS = 10 + ARMTAP_FLOW_CLASSES + ARMTAP_ACCOUNTS };

/* What was used at different times need not have been used at once, and what else a limit is compared with is small
 * beside half of it. */
static void list(const struct armtap_part_sum *sum, struct row rows[ROWS])
{
    const struct armtap_part *most = &sum->most;
    const struct row totals[] = {
        {most->kept, ARMTAP_LIMIT_memory / 2},
        {most->kept, ARMTAP_LIMIT_waiting / 2},
        {most->held, ARMTAP_LIMIT_held / 2},
        {most->knowledge.learned, ARMTAP_LIMIT_learned / 2},
        {most->knowledge.samples, ARMTAP_LIMIT_samples / 2},
        {most->knowledge.guesses, ARMTAP_GUESSES / 2},
        {most->knowledge.robots, ARMTAP_LIMIT_robots},
        {most->waiting, ARMTAP_SWEEP_QUEUES},
        {most->histories, ARMTAP_LIMIT_histories},
        {most->doubts, ARMTAP_DOUBTS},
    };
    size_t count = sizeof totals / sizeof *totals;
    _Static_assert(sizeof totals / sizeof *totals + ARMTAP_FLOW_CLASSES + ARMTAP_ACCOUNTS == ROWS, "");
    memcpy(rows, totals, sizeof totals);
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        rows[count++] = (struct row){most->flows[i], armtap_flow_most((enum armtap_flow_class)i)};
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++)
        rows[count++] = (struct row){sum->drawn[i], armtap_budget_at(i)->once / 2};
}

bool armtap_part_has_room(const struct armtap_part_sum *sum)
{
    struct row rows[ROWS];
    bool has = !sum->most.is_strained;
    list(sum, rows);
    for (size_t i = 0; i < ROWS; i++)
        has = has && rows[i].used <= rows[i].limit;
    return has;
}

static unsigned millionths(uint64_t used, uint64_t limit)
{
    return used < limit ? (unsigned)(FULL * used / limit) : FULL;
}

unsigned armtap_part_load(const struct armtap_part_sum *sum, unsigned *lasting)
{
    struct row rows[ROWS];
    unsigned load = sum->most.is_strained ? FULL : 0;
    list(sum, rows);
    for (size_t i = 0; i < ROWS; i++) {
        unsigned each = millionths(rows[i].used, rows[i].limit);
        load = each > load ? each : load;
    }
    *lasting = millionths(sum->most.flows[ARMTAP_FLOW_IDLE], armtap_flow_most(ARMTAP_FLOW_IDLE));
    return load;
}
