#include "flow.h"

#include "protocol/budget.h"
#include "speed.h"

#include <stdlib.h>
#include <string.h>

static const size_t most[ARMTAP_FLOW_CLASSES] = {
    [ARMTAP_FLOW_IDLE] = ARMTAP_LIMIT_ended,
    [ARMTAP_FLOW_NEW] = ARMTAP_LIMIT_attempts,
    [ARMTAP_FLOW_LIVE] = ARMTAP_LIMIT_quiet,
    [ARMTAP_FLOW_SENDING] = ARMTAP_LIMIT_connections,
};

/* Of a direction, what each packet needs. */
#define WARM (offsetof(struct armtap_tcp_side, sender.measured_time) - offsetof(struct armtap_tcp_side, queue.head))

/* However scarce memory is. */
static const size_t least[ARMTAP_FLOW_CLASSES] = {
    [ARMTAP_FLOW_IDLE] = 64, [ARMTAP_FLOW_NEW] = 256, [ARMTAP_FLOW_LIVE] = 64, [ARMTAP_FLOW_SENDING] = 1};

unsigned armtap_flow_key_of(const struct armtap_segment *segment, struct armtap_flow_key *key)
{
    int order = memcmp(&segment->source, &segment->target, sizeof segment->source);
    unsigned sender = order > 0 || (order == 0 && segment->source_port > segment->target_port);
    memset(key, 0, sizeof *key);
    key->address[sender] = segment->source;
    key->address[!sender] = segment->target;
    key->port[sender] = segment->source_port;
    key->port[!sender] = segment->target_port;
    return sender;
}

/* Every bit of the result depends on every bit of the number. */
static uint64_t stir(uint64_t number)
{
    number = (number ^ number >> 32) * UINT64_C(0xd6e8feb86659fd93);
    number = (number ^ number >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return number ^ number >> 32;
}

/* A sum of products, keyed, so that forged packets cannot aim at one bucket: two keys differ in a factor, and what the
 * other factor is only the table knows. None of the products waits for another. */
static uint64_t hash_of(const struct armtap_flow_key *key, const struct armtap_flow_table *table)
{
    uint32_t words[ARMTAP_FLOW_WORDS];
    uint64_t hash = 0;
    memcpy(words, key->address[0].bytes, 16);
    memcpy(words + 4, key->address[1].bytes, 16);
    memcpy(words + 8, key->port, 4);
    words[9] = key->address[0].version;
    for (size_t i = 0; i < ARMTAP_FLOW_WORDS; i += 2)
        hash += (uint64_t)(uint32_t)(words[i] + table->addend[i]) * (uint32_t)(words[i + 1] + table->addend[i + 1]);
    return stir(hash);
}

void armtap_flow_table_init(struct armtap_flow_table *table)
{
    memset(table, 0, sizeof *table);
    /* the order in a bucket is never visible, so a seed that differs from run to run does no harm */
    uint64_t seed = (uint64_t)(uintptr_t)table * UINT64_C(0xff51afd7ed558ccd) ^ (uint64_t)(uintptr_t)&table;
    for (size_t i = 0; i < ARMTAP_FLOW_WORDS; i++)
        table->addend[i] = (uint32_t)stir(seed += UINT64_C(0x9e3779b97f4a7c15));
}

static bool is_same(const struct armtap_flow_key *a, const struct armtap_flow_key *b)
{
    return a->port[0] == b->port[0] && a->port[1] == b->port[1] &&
           memcmp(a->address, b->address, sizeof a->address) == 0;
}

struct armtap_flow *armtap_flow_find(const struct armtap_flow_table *table, const struct armtap_flow_key *key)
{
    if (table->recent && is_same(&table->recent->key, key))
        return table->recent;
    struct armtap_flow *in_turn = table->take_turns ? table->class[ARMTAP_FLOW_SENDING].oldest : NULL;
    if (in_turn && is_same(&in_turn->key, key))
        return in_turn;
    if (!table->bucket_count)
        return NULL;
    uint64_t hash = hash_of(key, table);
    struct armtap_flow *flow = table->buckets[hash & (table->bucket_count - 1)];
    while (flow && !is_same(&flow->key, key))
        flow = flow->next;
    return flow;
}

static bool grow(struct armtap_flow_table *table)
{
    size_t count = table->bucket_count ? 2 * table->bucket_count : 64;
    struct armtap_flow **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 0; i < table->bucket_count; i++) {
        for (struct armtap_flow *flow = table->buckets[i], *next; flow; flow = next) {
            next = flow->next;
            flow->next = buckets[flow->hash & (count - 1)];
            buckets[flow->hash & (count - 1)] = flow;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = count;
    return true;
}

static void wake(struct armtap_flow_table *table, struct armtap_flow *flow)
{
    flow->is_awake = true;
    table->awake_count++;
    if (!table->awake)
        table->awake = flow;
}

/* Before it leaves its place. */
static void forget_awake(struct armtap_flow_table *table, struct armtap_flow *flow)
{
    if (!flow->is_awake)
        return;
    if (table->awake == flow)
        table->awake = flow->newer;
    flow->is_awake = false;
    table->awake_count--;
}

void armtap_flow_doze(struct armtap_flow_table *table)
{
    forget_awake(table, table->awake);
    /* the one after the next, which the call before fetched, and the one after that */
    const struct armtap_flow *second = table->awake ? table->awake->newer : NULL;
    if (second)
        armtap_conn_prefetch_last(second->conn);
    if (second && second->newer)
        armtap_prefetch(second->newer, offsetof(struct armtap_flow, attempt));
}

static void append(struct armtap_flow_table *table, struct armtap_flow *flow, enum armtap_flow_class class)
{
    table->recent = flow;
    flow->class = class;
    flow->newer = NULL;
    flow->older = table->class[class].newest;
    *(flow->older ? &flow->older->newer : &table->class[class].oldest) = flow;
    table->class[class].newest = flow;
    table->class[class].count++;
    if (class == ARMTAP_FLOW_SENDING)
        wake(table, flow);
}

static void detach(struct armtap_flow_table *table, struct armtap_flow *flow)
{
    forget_awake(table, flow);
    *(flow->older ? &flow->older->newer : &table->class[flow->class].oldest) = flow->newer;
    *(flow->newer ? &flow->newer->older : &table->class[flow->class].newest) = flow->older;
    table->class[flow->class].count--;
}

struct armtap_flow *armtap_flow_add(struct armtap_flow_table *table, const struct armtap_flow_key *key)
{
    if (table->count >= table->bucket_count && !grow(table))
        return NULL;
    struct armtap_flow *flow = calloc(1, sizeof *flow);
    if (!flow)
        return NULL;
    flow->key = *key;
    flow->hash = hash_of(key, table);
    struct armtap_flow **bucket = &table->buckets[flow->hash & (table->bucket_count - 1)];
    flow->next = *bucket;
    *bucket = flow;
    table->count++;
    append(table, flow, ARMTAP_FLOW_NEW);
    return flow;
}

void armtap_flow_enter(struct armtap_flow_table *table, struct armtap_flow *flow, enum armtap_flow_class class)
{
    table->recent = flow;
    if (armtap_flow_is_newest(flow, class))
        return;
    if (class == ARMTAP_FLOW_SENDING)
        table->take_turns = flow == table->class[class].oldest;
    detach(table, flow);
    append(table, flow, class);
}

struct armtap_flow *armtap_flow_surplus(const struct armtap_flow_table *table, bool is_scarce)
{
    for (int i = 0; i < ARMTAP_FLOW_CLASSES; i++)
        if (table->class[i].count > most[i])
            return table->class[i].oldest;
    for (int i = 0; i < ARMTAP_FLOW_CLASSES && is_scarce; i++)
        if (table->class[i].count > least[i])
            return table->class[i].oldest;
    return NULL;
}

struct armtap_flow *armtap_flow_of(struct armtap_flow_attempt *attempt)
{
    void *flow = (char *)attempt - offsetof(struct armtap_flow, attempt);
    return flow;
}

void armtap_flow_prefetch(const struct armtap_flow *flow)
{
    armtap_prefetch(flow, offsetof(struct armtap_flow, attempt.state) + sizeof flow->attempt.state);
    armtap_prefetch(&flow->tcp, offsetof(struct armtap_tcp, side));
    for (int i = 0; i < 2; i++)
        armtap_prefetch(&flow->tcp.side[i].queue.head, WARM);
}

void armtap_flow_remove(struct armtap_flow_table *table, struct armtap_flow *flow)
{
    struct armtap_flow **at = &table->buckets[flow->hash & (table->bucket_count - 1)];
    while (*at != flow)
        at = &(*at)->next;
    *at = flow->next;
    detach(table, flow);
    if (table->recent == flow)
        table->recent = NULL;
    table->count--;
    free(flow);
}

void armtap_flow_table_free(struct armtap_flow_table *table)
{
    free(table->buckets);
}
