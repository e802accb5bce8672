#include "analysis/arm/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"

enum {
    WINDOW_RECORDS = 16384, /* 32 s at 500 Hz */
    WINDOW_BYTES = 1 << 24,
    READ_AHEAD_RECORDS = 1024,
    STEP_SAMPLE = 256
};

/* Clocks are sums of cycles in binary fractions. */
#define ROUNDING 1e-6
/* s: a restart sets the clock back by more than this; a correction by less. */
#define RESTART_MIN 0.5
/* s: a clock farther than this from the last one must be confirmed by the next record; so must the first. */
#define LEAP_MIN 30
/* The cycle of the fastest controllers, for when neither side has two records. */
#define FALLBACK_CYCLE 0.002

struct kept {
    struct sample sample;
    uint8_t *copy;
    struct armtap_recipe *recipe; /* held */
    unsigned epoch;               /* number of clock restarts before it */
};

struct queue {
    struct kept *ring;
    size_t first, count;
    size_t bytes;
    bool ended;
    bool begun;
    unsigned epoch;
    double clock; /* of the newest record */
    bool has_gone;
    unsigned gone_epoch;
    double gone; /* clock of the last record that was paired or dropped */
    struct kept suspect;
    bool has_suspect;
};

struct pairing {
    struct queue queue[ARMTAP_SIDES];
    struct armtap_pairing_tally tally;
    bool in_capture_order;
    pairing_found *found;
    void *user;
};

struct pairing *armtap_pairing_new(bool in_capture_order, pairing_found *found, void *user)
{
    struct pairing *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return NULL;
    pairs->in_capture_order = in_capture_order;
    pairs->found = found;
    pairs->user = user;
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        pairs->queue[side].ring = calloc(WINDOW_RECORDS, sizeof *pairs->queue[side].ring);
        if (!pairs->queue[side].ring) {
            armtap_pairing_free(pairs);
            return NULL;
        }
    }
    return pairs;
}

static void release(struct kept *kept)
{
    if (kept->recipe)
        armtap_recipe_release(kept->recipe);
    free(kept->copy);
    *kept = (struct kept){0};
}

static struct kept *at(const struct queue *queue, size_t i)
{
    return &queue->ring[(queue->first + i) % WINDOW_RECORDS];
}

static void pop(struct queue *queue)
{
    struct kept *kept = at(queue, 0);
    queue->has_gone = true;
    queue->gone_epoch = kept->epoch;
    queue->gone = kept->sample.clock;
    queue->bytes -= kept->sample.length;
    release(kept);
    queue->first = (queue->first + 1) % WINDOW_RECORDS;
    queue->count--;
}

void armtap_pairing_free(struct pairing *pairs)
{
    if (!pairs)
        return;
    for (int side = 0; side < ARMTAP_SIDES; side++) {
        struct queue *queue = &pairs->queue[side];
        while (queue->ring && queue->count > 0)
            pop(queue);
        if (queue->has_suspect)
            release(&queue->suspect);
        free(queue->ring);
    }
    free(pairs);
}

const struct armtap_pairing_tally *armtap_pairing_tally(const struct pairing *pairs)
{
    return &pairs->tally;
}

/* ---- the cycle ------------------------------------------------------------------------------------------------- */

/* The median step of the clock; 0 if there is none. */
static double typical_step(const struct queue *queue)
{
    double steps[STEP_SAMPLE];
    size_t count = 0;
    for (size_t i = 1; i < queue->count && count < STEP_SAMPLE; i++) {
        double step = at(queue, i)->sample.clock - at(queue, i - 1)->sample.clock;
        if (at(queue, i)->epoch == at(queue, i - 1)->epoch && step > ROUNDING)
            steps[count++] = step;
    }
    qsort(steps, count, sizeof *steps, armtap_by_size);
    return count == 0 ? 0 : steps[count / 2];
}

static void find_cycle(struct pairing *pairs)
{
    struct armtap_pairing_tally *tally = &pairs->tally;
    for (int side = 0; side < ARMTAP_SIDES; side++)
        tally->step[side] = typical_step(&pairs->queue[side]);
    double one = tally->step[0], other = tally->step[1];
    tally->cycle = one > 0 && (one < other || other <= 0) ? one : other > 0 ? other : FALLBACK_CYCLE;
}

static bool is_full(const struct queue *queue)
{
    return queue->count == WINDOW_RECORDS || queue->bytes >= WINDOW_BYTES;
}

/* Whether the cycle can be determined: enough records arrived, or no more will. */
static bool is_sampled(const struct queue *queue)
{
    return queue->count > STEP_SAMPLE || queue->ended || is_full(queue);
}

/* ---- pairing --------------------------------------------------------------------------------------------------- */

static void drop(struct pairing *pairs, enum armtap_side side)
{
    pairs->tally.unpaired[side]++;
    pop(&pairs->queue[side]);
}

static int join(struct pairing *pairs)
{
    struct armtap_pairing_tally *tally = &pairs->tally;
    const struct sample samples[ARMTAP_SIDES] = {at(&pairs->queue[0], 0)->sample, at(&pairs->queue[1], 0)->sample};
    double apart = fabs(samples[0].clock - samples[1].clock);
    if (tally->pairs++ == 0)
        tally->first = samples[ARMTAP_SIDE_LEGACY].clock;
    tally->last = samples[ARMTAP_SIDE_LEGACY].clock;
    if (apart > tally->farthest)
        tally->farthest = apart;
    int outcome = pairs->found(pairs->user, samples);
    pop(&pairs->queue[0]);
    pop(&pairs->queue[1]);
    return outcome;
}

/* Whether a side's second record is nearer to the other side's clock than its first. */
static bool second_is_nearer(const struct queue *queue, double clock)
{
    if (queue->count < 2 || at(queue, 1)->epoch != at(queue, 0)->epoch)
        return false;
    return fabs(at(queue, 1)->sample.clock - clock) < fabs(at(queue, 0)->sample.clock - clock);
}

/* Whether a side's last removed record was nearer to the other side's record. */
static bool gone_is_nearer(const struct queue *queue, const struct kept *kept, double apart)
{
    return queue->has_gone && queue->gone_epoch == kept->epoch && fabs(queue->gone - kept->sample.clock) < fabs(apart);
}

static bool may_have_second(const struct queue *queue)
{
    return queue->count < 2 && !queue->ended;
}

enum decision { DECISION_WAIT, DECISION_DROP_LEGACY, DECISION_DROP_RTDE, DECISION_JOIN };

/* Decides about the oldest record of each side. */
static enum decision decide(const struct pairing *pairs, bool now)
{
    const struct queue *legacy = &pairs->queue[ARMTAP_SIDE_LEGACY], *rtde = &pairs->queue[ARMTAP_SIDE_RTDE];
    if (legacy->count == 0)
        return rtde->count > 0 && (legacy->ended || now) ? DECISION_DROP_RTDE : DECISION_WAIT;
    if (rtde->count == 0)
        return rtde->ended || now ? DECISION_DROP_LEGACY : DECISION_WAIT;
    const struct kept *a = at(legacy, 0), *b = at(rtde, 0);
    if (a->epoch != b->epoch)
        return a->epoch < b->epoch ? DECISION_DROP_LEGACY : DECISION_DROP_RTDE;
    double apart = b->sample.clock - a->sample.clock, reach = pairs->tally.cycle / 2 * (1 + ROUNDING);
    if (apart > reach || gone_is_nearer(rtde, a, apart))
        return DECISION_DROP_LEGACY;
    if (apart < -reach || gone_is_nearer(legacy, b, apart))
        return DECISION_DROP_RTDE;
    if (apart != 0 && !now && (may_have_second(legacy) || may_have_second(rtde)))
        return DECISION_WAIT;
    if (second_is_nearer(rtde, a->sample.clock))
        return DECISION_DROP_RTDE;
    return second_is_nearer(legacy, b->sample.clock) ? DECISION_DROP_LEGACY : DECISION_JOIN;
}

enum settling {
    SETTLED_ONE,
    SETTLING_WAITS, /* needs more records */
    SETTLING_STOPS  /* the callback stopped */
};

/* Carries out the decision about the oldest records. */
static enum settling settle_one(struct pairing *pairs, bool now)
{
    switch (decide(pairs, now)) {
    case DECISION_DROP_LEGACY:
        drop(pairs, ARMTAP_SIDE_LEGACY);
        return SETTLED_ONE;
    case DECISION_DROP_RTDE:
        drop(pairs, ARMTAP_SIDE_RTDE);
        return SETTLED_ONE;
    case DECISION_JOIN:
        return join(pairs) == 0 ? SETTLED_ONE : SETTLING_STOPS;
    case DECISION_WAIT:
        break;
    }
    return SETTLING_WAITS;
}

static int settle(struct pairing *pairs)
{
    enum settling outcome = SETTLED_ONE;
    const struct queue *queue = pairs->queue;
    if (pairs->tally.cycle <= 0) {
        bool one_sided = queue[0].count == 0 || queue[1].count == 0;
        if (is_full(&queue[0]) || is_full(&queue[1]) ? !one_sided : is_sampled(&queue[0]) && is_sampled(&queue[1]))
            find_cycle(pairs);
    }
    while (outcome == SETTLED_ONE && pairs->tally.cycle > 0)
        outcome = settle_one(pairs, false);
    while (outcome != SETTLING_STOPS && (is_full(&queue[0]) || is_full(&queue[1])))
        outcome = settle_one(pairs, true);
    return outcome == SETTLING_STOPS ? -1 : 0;
}

/* ---- input ----------------------------------------------------------------------------------------------------- */

static int keep(struct kept *kept, const struct sample *sample)
{
    *kept = (struct kept){.sample = *sample};
    if (sample->length > 0) {
        kept->copy = malloc(sample->length);
        if (!kept->copy)
            return -1;
        memcpy(kept->copy, sample->values, sample->length);
    }
    kept->sample.values = kept->copy;
    if (sample->recipe)
        kept->recipe = armtap_recipe_hold(sample->recipe);
    return 0;
}

/* After a restart of its clock, or at its start, a side matches the other side's newest records. */
static unsigned next_epoch(const struct pairing *pairs, enum armtap_side side)
{
    const struct queue *queue = &pairs->queue[side], *other = &pairs->queue[!side];
    unsigned own = queue->begun ? queue->epoch + 1 : 0;
    return pairs->in_capture_order && other->epoch > own ? other->epoch : own;
}

/* Takes ownership of `kept`. There is room: a full window was settled at once. */
static int admit(struct pairing *pairs, enum armtap_side side, struct kept *kept)
{
    struct queue *queue = &pairs->queue[side];
    bool restarted = queue->begun && queue->clock - kept->sample.clock > RESTART_MIN;
    if (!queue->begun || restarted)
        queue->epoch = next_epoch(pairs, side);
    pairs->tally.restarts[side] += restarted ? 1 : 0;
    kept->epoch = queue->epoch;
    queue->begun = true;
    queue->clock = kept->sample.clock;
    *at(queue, queue->count) = *kept;
    queue->count++;
    queue->bytes += kept->sample.length;
    return settle(pairs);
}

static bool is_leap(double from, double to)
{
    return to < from - RESTART_MIN || to > from + LEAP_MIN;
}

/* Whether a clock continues from the suspect rather than from the record before it. */
static bool confirms(const struct queue *queue, double clock)
{
    double suspect = queue->suspect.sample.clock;
    return !is_leap(suspect, clock) && (!queue->begun || fabs(clock - suspect) < fabs(clock - queue->clock));
}

static void drop_suspect(struct pairing *pairs, enum armtap_side side)
{
    pairs->tally.strays[side]++;
    pairs->queue[side].has_suspect = false;
    release(&pairs->queue[side].suspect);
}

static int admit_suspect(struct pairing *pairs, enum armtap_side side)
{
    pairs->queue[side].has_suspect = false;
    return admit(pairs, side, &pairs->queue[side].suspect);
}

int armtap_pairing_push(struct pairing *pairs, enum armtap_side side, const struct sample *sample)
{
    struct queue *queue = &pairs->queue[side];
    struct kept kept;
    pairs->tally.records[side]++;
    if (!isfinite(sample->clock)) {
        pairs->tally.strays[side]++;
        return 0;
    }
    if (keep(&kept, sample) != 0)
        return -1;
    if (queue->has_suspect) {
        if (!confirms(queue, sample->clock))
            drop_suspect(pairs, side);
        else if (admit_suspect(pairs, side) != 0) {
            release(&kept);
            return -1;
        }
    }
    if (queue->begun && !is_leap(queue->clock, sample->clock))
        return admit(pairs, side, &kept);
    queue->suspect = kept;
    queue->has_suspect = true;
    return 0;
}

int armtap_pairing_end(struct pairing *pairs, enum armtap_side side)
{
    struct queue *queue = &pairs->queue[side];
    if (queue->ended)
        return 0;
    int outcome = queue->has_suspect ? admit_suspect(pairs, side) : 0;
    queue->ended = true;
    return outcome != 0 ? outcome : settle(pairs);
}

bool armtap_pairing_is_ahead(const struct pairing *pairs, enum armtap_side side)
{
    return pairs->queue[side].count >= READ_AHEAD_RECORDS;
}
