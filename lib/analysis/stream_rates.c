#include "stream_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct stream_rates {
    struct stream_rates_room *room;
    size_t channel_count;
    struct histogram jitter;
    struct flow_rate_learned *learned;         /* NULL: nobody wants to know */
    struct flow_rate *channel[RATES_CHANNELS]; /* the only one is the first, but for AUBO; NULL: no data yet */
    bool failed;
};

struct stream_rates_room stream_rates_room_begin(void)
{
    return (struct stream_rates_room){.left = armtap_budget_find("channels")->once};
}

struct stream_rates *stream_rates_new(struct stream_rates_room *room)
{
    struct stream_rates *rates = calloc(1, sizeof(struct stream_rates));
    if (rates != NULL)
        rates->room = room;
    return rates;
}

void stream_rates_free(struct stream_rates *rates)
{
    if (rates == NULL)
        return;
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        flow_rate_free(rates->channel[i]);
    if (rates->channel_count > 1)
        rates->room->left += rates->channel_count - 1;
    histogram_clear(&rates->jitter);
    free(rates);
}

bool stream_rates_failed(const struct stream_rates *rates)
{
    return rates->failed || rates->jitter.failed;
}

void stream_rates_learn(struct stream_rates *rates, struct flow_rate_learned *learned)
{
    rates->learned = learned;
}

/* RATES_CHANNELS or above: there is no such channel. */
static size_t channel_of(const struct armtap_stream *stream, int recipe_id)
{
    return stream->protocol == ARMTAP_AUBO && recipe_id > 0 ? (size_t)recipe_id : 0;
}

/* The flow of that recipe id, made if there is none; NULL without room or memory. */
static struct flow_rate *flow_rate_of(struct stream_rates *rates, const struct armtap_stream *stream, int recipe_id)
{
    size_t i = channel_of(stream, recipe_id);
    if (i >= RATES_CHANNELS || rates->channel[i] != NULL)
        return i >= RATES_CHANNELS ? NULL : rates->channel[i];
    bool is_first = rates->channel_count == 0;
    if (!is_first && rates->room->left == 0) {
        rates->room->is_cut = true;
        return NULL;
    }
    rates->channel[i] = flow_rate_new(stream, (int)i, &rates->jitter);
    if (rates->channel[i] == NULL) {
        rates->failed = true;
        return NULL;
    }
    flow_rate_learn(rates->channel[i], rates->learned);
    rates->channel_count++;
    rates->room->left -= !is_first;
    return rates->channel[i];
}

void stream_rates_last_step(const struct stream_rates *rates, const struct armtap_record *record,
                            struct flow_rate_step *step)
{
    size_t i = channel_of(record->stream, record->recipe_id);
    *step = (struct flow_rate_step){.clock = NAN};
    if (record->direction == ARMTAP_FROM_ROBOT && i < RATES_CHANNELS && rates->channel[i] != NULL)
        flow_rate_last_step(rates->channel[i], step);
}

void stream_rates_record(struct stream_rates *rates, struct findings *findings, const struct armtap_record *record)
{
    struct flow_rate *flow =
        record->direction == ARMTAP_FROM_ROBOT ? flow_rate_of(rates, record->stream, record->recipe_id) : NULL;
    bool fell_back = flow != NULL && flow_rate_record(flow, findings, record);
    rates->failed = rates->failed || (flow != NULL && flow_rate_failed(flow));
    if (!fell_back)
        return;
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        if (rates->channel[i] != NULL && rates->channel[i] != flow)
            flow_rate_forget_clock(rates->channel[i]);
}

void stream_rates_recipe(struct stream_rates *rates, struct findings *findings, const struct armtap_recipe_event *event)
{
    struct flow_rate *flow =
        event->direction == ARMTAP_FROM_ROBOT ? flow_rate_of(rates, event->stream, event->recipe_id) : NULL;
    if (flow != NULL)
        flow_rate_set_up(flow, findings, event);
}

void stream_rates_event(struct stream_rates *rates, struct findings *findings, const struct armtap_event *event)
{
    bool is_aubo = event->stream->protocol == ARMTAP_AUBO, of_channel = is_aubo && event->type == ARMTAP_EVENT_PAUSE;
    if (!is_aubo)
        flow_rate_of(rates, event->stream, 0);
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        if (rates->channel[i] != NULL && (!of_channel || (event->direction == ARMTAP_FROM_ROBOT && event->a == i)))
            flow_rate_event(rates->channel[i], findings, event);
}

void stream_rates_blame(struct stream_rates *rates, const char *why)
{
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        if (rates->channel[i] != NULL)
            flow_rate_blame(rates->channel[i], why);
}

void stream_rates_note(struct stream_rates *rates, struct findings *findings, const struct armtap_note *note)
{
    bool is_blind = strcmp(note->kind->id, "websocket.bad") == 0;
    bool is_unread =
        strcmp(note->kind->id, "aubo.message.bad") == 0 || strcmp(note->kind->id, "aubo.message.too-long") == 0;
    for (size_t i = 0; (is_blind || is_unread) && i < RATES_CHANNELS; i++) {
        if (rates->channel[i] == NULL)
            continue;
        if (is_blind)
            flow_rate_blind(rates->channel[i], findings, note->stream, note->direction);
        else
            flow_rate_unread(rates->channel[i], note->direction);
    }
}

void stream_rates_totals(const struct stream_rates *rates, struct stream_rates_totals *totals)
{
    const struct histogram *jitter = &rates->jitter;
    bool is_expected = true;
    *totals = (struct stream_rates_totals){.jitter_p50 = histogram_quantile(jitter, 50),
                                           .jitter_p99 = histogram_quantile(jitter, 99),
                                           .jitter_max = jitter->count > 0 ? jitter->largest : -1,
                                           .longest_silence = -1,
                                           .longest_gap = -1};
    for (size_t i = 0; i < RATES_CHANNELS; i++) {
        struct flow_rate_totals channel;
        if (rates->channel[i] == NULL)
            continue;
        flow_rate_totals(rates->channel[i], &channel);
        is_expected = is_expected && (channel.expected_hz > 0 || !(channel.rate_hz > 0));
        totals->expected_hz += channel.expected_hz;
        totals->rate_hz += channel.rate_hz;
        totals->skipped += channel.skipped;
        totals->requested_hz = channel.highest_hz > 0 ? channel.requested_hz : 0;
        totals->highest_hz = channel.highest_hz;
        if (channel.longest_silence > totals->longest_silence)
            totals->longest_silence = channel.longest_silence;
        if (channel.longest_gap > totals->longest_gap)
            totals->longest_gap = channel.longest_gap;
    }
    if (!is_expected)
        totals->expected_hz = 0;
}
