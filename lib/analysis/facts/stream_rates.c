#include "analysis/facts/flow_rate.h"

#include "speed.h"
#include "analysis/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct armtap_rates {
    struct armtap_rates_shared *shared;
    size_t channel_count;
    struct armtap_rates_learned *learned; /* may be NULL */
    struct flow_rate **channel;           /* NULL: no data yet */
    size_t room;             /* channels that have a place; RATES_CHANNELS once AUBO's need more than one */
    struct flow_rate *first; /* the only place, until then */
    bool only_learns, only_steps;
    bool failed;
    int64_t round_trip; /* ns; 0: unknown */
    struct histogram jitter;
};

struct armtap_rates_shared *armtap_rates_shared_new(size_t stretches)
{
    struct armtap_rates_shared *shared = calloc(1, sizeof *shared);
    if (shared)
        *shared = (struct armtap_rates_shared){.channels = (size_t)armtap_budget_find("channels")->once,
                                               .stretches = stretches};
    return shared;
}

void armtap_rates_shared_free(struct armtap_rates_shared *shared)
{
    free(shared);
}

struct armtap_rates_learned *armtap_rates_learned_new(struct armtap_rates_shared *shared)
{
    struct armtap_rates_learned *learned = calloc(1, sizeof *learned);
    if (learned && shared)
        learned->left = &shared->stretches;
    return learned;
}

void armtap_rates_learned_free(struct armtap_rates_learned *learned)
{
    if (learned)
        free(learned->all);
    free(learned);
}

void armtap_rates_learned_complete(struct armtap_rates_learned *learned)
{
    if (learned)
        learned->is_known = !learned->failed && !learned->is_cut;
}

struct armtap_rates *armtap_rates_new(struct armtap_rates_shared *shared, struct armtap_rates_learned *learned)
{
    struct armtap_rates *rates = shared ? calloc(1, sizeof *rates) : NULL;
    if (!rates)
        return NULL;
    rates->shared = shared;
    rates->learned = learned;
    rates->channel = &rates->first;
    rates->room = 1;
    return rates;
}

void armtap_rates_only_learn(struct armtap_rates *rates)
{
    if (rates)
        rates->only_learns = true;
}

void armtap_rates_only_steps(struct armtap_rates *rates)
{
    if (rates)
        rates->only_steps = true;
}

void armtap_rates_free(struct armtap_rates *rates)
{
    if (!rates)
        return;
    for (size_t i = 0; i < rates->room; i++)
        armtap_flow_rate_free(rates->channel[i]);
    if (rates->channel != &rates->first)
        free(rates->channel);
    if (rates->channel_count > 1)
        rates->shared->channels += rates->channel_count - 1;
    armtap_histogram_clear(&rates->jitter);
    free(rates);
}

void armtap_rates_prefetch(const struct armtap_rates *rates)
{
    armtap_prefetch(rates, sizeof *rates);
}

void armtap_rates_prefetch_flow(const struct armtap_rates *rates)
{
    if (rates->first)
        armtap_flow_rate_prefetch(rates->first);
}

bool armtap_rates_failed(const struct armtap_rates *rates)
{
    return rates->failed || rates->jitter.failed || (rates->learned && rates->learned->failed);
}

/* The channel's index; RATES_CHANNELS or above if it is not valid. */
static size_t channel_of(const struct armtap_stream *stream, int recipe_id)
{
    return armtap_stream_has(stream, ARMTAP_TRAIT_CHANNELS) && recipe_id > 0 ? (size_t)recipe_id : 0;
}

/* Gives all channels a place; false if memory runs out. */
static bool make_places(struct armtap_rates *rates)
{
    struct flow_rate **all = calloc(RATES_CHANNELS, sizeof(struct flow_rate *));
    if (!all)
        return false;
    all[0] = rates->first;
    rates->channel = all;
    rates->room = RATES_CHANNELS;
    return true;
}

/* Adds the flow of a channel; NULL if there is no room or memory. */
static struct flow_rate *add_flow_rate(struct armtap_rates *rates, const struct armtap_stream *stream, size_t i)
{
    if (i >= RATES_CHANNELS)
        return NULL;
    bool is_first = rates->channel_count == 0;
    if (!is_first && rates->shared->channels == 0) {
        rates->shared->is_cut = true;
        return NULL;
    }
    if (i >= rates->room && !make_places(rates)) {
        rates->failed = true;
        return NULL;
    }
    rates->channel[i] = armtap_flow_rate_new(stream, (int)i, &rates->jitter, rates->shared->frequency_wanted);
    if (!rates->channel[i]) {
        rates->failed = true;
        return NULL;
    }
    rates->failed = rates->failed || armtap_flow_rate_failed(rates->channel[i]);
    /* Channels share a clock: whether it went back in one shows when that is judged, and matters to the others. */
    armtap_flow_rate_learn(rates->channel[i], rates->learned,
                           rates->only_learns && !armtap_stream_has(stream, ARMTAP_TRAIT_CHANNELS));
    if (rates->only_steps)
        armtap_flow_rate_only_steps(rates->channel[i]);
    rates->channel_count++;
    rates->shared->channels -= !is_first;
    return rates->channel[i];
}

/* Finds or adds the flow of that recipe id; NULL if there is no room or memory. */
static inline struct flow_rate *flow_rate_of(struct armtap_rates *rates, const struct armtap_stream *stream,
                                             int recipe_id)
{
    size_t i = channel_of(stream, recipe_id);
    return i < rates->room && rates->channel[i] ? rates->channel[i] : add_flow_rate(rates, stream, i);
}

/* ---- feeding --------------------------------------------------------------------------------------------------- */

void armtap_rates_last_step(const struct armtap_rates *rates, const struct armtap_record *record,
                            struct armtap_rates_step *step)
{
    size_t i = channel_of(record->stream, record->recipe_id);
    *step = (struct armtap_rates_step){.clock = NAN};
    if (record->direction == ARMTAP_FROM_ROBOT && i < rates->room && rates->channel[i])
        armtap_flow_rate_last_step(rates->channel[i], step);
}

void armtap_rates_take_record(struct armtap_rates *rates, struct findings *findings, const struct armtap_record *record)
{
    struct flow_rate *flow =
        record->direction == ARMTAP_FROM_ROBOT ? flow_rate_of(rates, record->stream, record->recipe_id) : NULL;
    bool fell_back = flow && armtap_flow_rate_record(flow, findings, record);
    rates->failed = rates->failed || (flow && armtap_flow_rate_failed(flow));
    if (!fell_back)
        return;
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i] && rates->channel[i] != flow)
            armtap_flow_rate_forget_clock(rates->channel[i]);
}

void armtap_rates_take_recipe(struct armtap_rates *rates, struct findings *findings,
                              const struct armtap_recipe_event *event)
{
    struct flow_rate *flow =
        event->direction == ARMTAP_FROM_ROBOT ? flow_rate_of(rates, event->stream, event->recipe_id) : NULL;
    if (flow)
        armtap_flow_rate_set_up(flow, findings, event);
}

void armtap_rates_take_event(struct armtap_rates *rates, struct findings *findings, const struct armtap_event *event)
{
    bool has_channels = armtap_stream_has(event->stream, ARMTAP_TRAIT_CHANNELS);
    bool of_channel = has_channels && event->type == ARMTAP_EVENT_PAUSE;
    rates->round_trip = event->type == ARMTAP_EVENT_CLOSE ? event->round_trip : rates->round_trip;
    if (!has_channels)
        flow_rate_of(rates, event->stream, 0);
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i] && (!of_channel || (event->direction == ARMTAP_FROM_ROBOT && event->a == i)))
            armtap_flow_rate_event(rates->channel[i], findings, event);
}

bool armtap_rates_run(const struct armtap_rates *rates, const struct armtap_where *now)
{
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i] && armtap_flow_rate_runs(rates->channel[i], now))
            return true;
    return false;
}

void armtap_rates_blame(struct armtap_rates *rates, const struct flow_rate_blame *why)
{
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i])
            armtap_flow_rate_blame(rates->channel[i], why);
}

void armtap_rates_take_note(struct armtap_rates *rates, struct findings *findings, const struct armtap_note *note)
{
    bool is_blind = strcmp(note->kind->id, "websocket.bad") == 0;
    bool is_unread =
        strcmp(note->kind->id, "aubo.message.bad") == 0 || strcmp(note->kind->id, "aubo.message.too-long") == 0;
    for (size_t i = 0; (is_blind || is_unread) && i < rates->room; i++) {
        if (!rates->channel[i])
            continue;
        if (is_blind)
            armtap_flow_rate_blind(rates->channel[i], findings, note->stream, note->direction);
        else
            armtap_flow_rate_unread(rates->channel[i], note->direction);
    }
}

/* ---- without findings ------------------------------------------------------------------------------------------ */

static int outcome_of(const struct armtap_rates *rates)
{
    return armtap_rates_failed(rates) ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
}

int armtap_rates_record(struct armtap_rates *rates, const struct armtap_record *record)
{
    if (!rates || !record)
        return ARMTAP_ERR_ARGUMENT;
    armtap_rates_take_record(rates, NULL, record);
    return outcome_of(rates);
}

int armtap_rates_recipe(struct armtap_rates *rates, const struct armtap_recipe_event *event)
{
    if (!rates || !event)
        return ARMTAP_ERR_ARGUMENT;
    armtap_rates_take_recipe(rates, NULL, event);
    return outcome_of(rates);
}

int armtap_rates_event(struct armtap_rates *rates, const struct armtap_event *event)
{
    if (!rates || !event)
        return ARMTAP_ERR_ARGUMENT;
    armtap_rates_take_event(rates, NULL, event);
    return outcome_of(rates);
}

int armtap_rates_note(struct armtap_rates *rates, const struct armtap_note *note)
{
    if (!rates || !note)
        return ARMTAP_ERR_ARGUMENT;
    armtap_rates_take_note(rates, NULL, note);
    return outcome_of(rates);
}

/* ---- totals ---------------------------------------------------------------------------------------------------- */

void armtap_rates_totals(const struct armtap_rates *rates, struct armtap_rates_totals *totals)
{
    const struct histogram *jitter = &rates->jitter;
    bool is_expected = true;
    *totals = (struct armtap_rates_totals){.jitter_p50 = armtap_histogram_quantile(jitter, 50),
                                           .jitter_p99 = armtap_histogram_quantile(jitter, 99),
                                           .jitter_max = jitter->count > 0 ? jitter->largest : -1,
                                           .longest_silence = -1,
                                           .longest_gap = -1,
                                           .longest_wait = -1,
                                           .round_trip = rates->round_trip,
                                           .stopped = -1,
                                           .is_paused = rates->channel_count > 0};
    for (size_t i = 0; i < rates->room; i++) {
        struct flow_rate_totals channel;
        if (!rates->channel[i])
            continue;
        armtap_flow_rate_totals(rates->channel[i], &channel);
        const struct armtap_flow_sums *sums = armtap_flow_rate_sums(rates->channel[i]);
        is_expected = is_expected && (channel.expected_hz > 0 || !(channel.rate_hz > 0));
        totals->expected_hz += channel.expected_hz;
        totals->rate_hz += channel.rate_hz;
        totals->skipped += sums->skipped;
        totals->requested_hz = channel.highest_hz > 0 ? channel.requested_hz : 0;
        totals->highest_hz = channel.highest_hz;
        if (sums->longest_silence > totals->longest_silence)
            totals->longest_silence = sums->longest_silence;
        if (channel.longest_gap > totals->longest_gap)
            totals->longest_gap = channel.longest_gap;
        totals->steps += sums->judged;
        totals->unclocked += sums->unclocked;
        if (sums->longest_wait > totals->longest_wait) {
            totals->longest_wait = sums->longest_wait;
            totals->wait_end = sums->wait_end;
        }
        if (sums->stopped > totals->stopped) {
            totals->stopped = sums->stopped;
            totals->stopped_since = sums->stopped_since;
        }
        totals->is_paused = totals->is_paused && channel.is_paused;
    }
    if (!is_expected)
        totals->expected_hz = 0;
}

bool armtap_rates_know_skips(const struct armtap_rates_totals *totals)
{
    return totals && (totals->steps == 0 || totals->unclocked < totals->steps);
}

/* ---- captures of an archive -------------------------------------------------------------------------------------- */

void armtap_rates_pass(struct armtap_rates *rates)
{
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i])
            armtap_flow_rate_pass(rates->channel[i]);
}

void armtap_rates_begin(struct armtap_rates *rates)
{
    armtap_histogram_clear(&rates->jitter);
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i])
            armtap_flow_rate_begin(rates->channel[i]);
}

void armtap_rates_leave(struct armtap_rates *rates, struct findings *findings, const struct armtap_stream *stream)
{
    for (size_t i = 0; i < rates->room; i++)
        if (rates->channel[i])
            armtap_flow_rate_leave(rates->channel[i], findings, stream);
}

const struct armtap_flow_sums *armtap_rates_flow_at(const struct armtap_rates *rates, size_t *channel)
{
    while (*channel < rates->room && !rates->channel[*channel])
        ++*channel;
    return *channel < rates->room ? armtap_flow_rate_sums(rates->channel[(*channel)++]) : NULL;
}

int armtap_rates_add_flow(struct armtap_rates *rates, const struct armtap_stream *stream,
                          const struct armtap_flow_sums *sums)
{
    struct flow_rate *flow = sums->channel < RATES_CHANNELS ? flow_rate_of(rates, stream, (int)sums->channel) : NULL;
    if (flow)
        armtap_flow_rate_add(flow, sums);
    rates->round_trip = sums->round_trip > 0 ? sums->round_trip : rates->round_trip;
    return outcome_of(rates);
}

struct histogram *armtap_rates_jitter(struct armtap_rates *rates)
{
    return &rates->jitter;
}
