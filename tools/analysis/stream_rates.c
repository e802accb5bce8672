#include "stream_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rates {
    struct rates_room *room;
    size_t channel_count;
    struct spread jitter;
    struct pace_learned *learned;         /* NULL: nobody wants to know */
    struct pace *channel[RATES_CHANNELS]; /* the only one is the first, but for AUBO; NULL: no data yet */
    bool failed;
};

struct rates_room rates_room_begin(void)
{
    return (struct rates_room){.left = armtap_budget_find("channels")->once};
}

struct rates *rates_new(struct rates_room *room)
{
    struct rates *rates = calloc(1, sizeof(struct rates));
    if (rates != NULL)
        rates->room = room;
    return rates;
}

void rates_free(struct rates *rates)
{
    if (rates == NULL)
        return;
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        pace_free(rates->channel[i]);
    if (rates->channel_count > 1)
        rates->room->left += rates->channel_count - 1;
    spread_clear(&rates->jitter);
    free(rates);
}

bool rates_failed(const struct rates *rates)
{
    return rates->failed || rates->jitter.failed;
}

void rates_learn(struct rates *rates, struct pace_learned *learned)
{
    rates->learned = learned;
}

/* RATES_CHANNELS or above: there is no such channel. */
static size_t channel_of(const struct armtap_stream *stream, int recipe_id)
{
    return stream->protocol == ARMTAP_AUBO && recipe_id > 0 ? (size_t)recipe_id : 0;
}

/* The flow of that recipe id, made if there is none; NULL without room or memory. */
static struct pace *pace_of(struct rates *rates, const struct armtap_stream *stream, int recipe_id)
{
    size_t i = channel_of(stream, recipe_id);
    if (i >= RATES_CHANNELS || rates->channel[i] != NULL)
        return i >= RATES_CHANNELS ? NULL : rates->channel[i];
    bool is_first = rates->channel_count == 0;
    if (!is_first && rates->room->left == 0) {
        rates->room->is_cut = true;
        return NULL;
    }
    rates->channel[i] = pace_new(stream, (int)i, &rates->jitter);
    if (rates->channel[i] == NULL) {
        rates->failed = true;
        return NULL;
    }
    pace_learn(rates->channel[i], rates->learned);
    rates->channel_count++;
    rates->room->left -= !is_first;
    return rates->channel[i];
}

void rates_last_step(const struct rates *rates, const struct armtap_record *record, struct pace_step *step)
{
    size_t i = channel_of(record->stream, record->recipe_id);
    *step = (struct pace_step){.clock = NAN};
    if (record->direction == ARMTAP_FROM_ROBOT && i < RATES_CHANNELS && rates->channel[i] != NULL)
        pace_last_step(rates->channel[i], step);
}

void rates_record(struct rates *rates, struct findings *findings, const struct armtap_record *record)
{
    struct pace *pace =
        record->direction == ARMTAP_FROM_ROBOT ? pace_of(rates, record->stream, record->recipe_id) : NULL;
    bool fell_back = pace != NULL && pace_record(pace, findings, record);
    rates->failed = rates->failed || (pace != NULL && pace_failed(pace));
    if (!fell_back)
        return;
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        if (rates->channel[i] != NULL && rates->channel[i] != pace)
            pace_forget_clock(rates->channel[i]);
}

void rates_recipe(struct rates *rates, struct findings *findings, const struct armtap_recipe_event *event)
{
    struct pace *pace = event->direction == ARMTAP_FROM_ROBOT ? pace_of(rates, event->stream, event->recipe_id) : NULL;
    if (pace != NULL)
        pace_set_up(pace, findings, event);
}

void rates_event(struct rates *rates, struct findings *findings, const struct armtap_event *event)
{
    bool is_aubo = event->stream->protocol == ARMTAP_AUBO, of_channel = is_aubo && event->type == ARMTAP_EVENT_PAUSE;
    if (!is_aubo)
        pace_of(rates, event->stream, 0);
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        if (rates->channel[i] != NULL && (!of_channel || (event->direction == ARMTAP_FROM_ROBOT && event->a == i)))
            pace_event(rates->channel[i], findings, event);
}

void rates_blame(struct rates *rates, const char *why)
{
    for (size_t i = 0; i < RATES_CHANNELS; i++)
        if (rates->channel[i] != NULL)
            pace_blame(rates->channel[i], why);
}

void rates_note(struct rates *rates, struct findings *findings, const struct armtap_note *note)
{
    bool is_blind = strcmp(note->kind->id, "websocket.bad") == 0;
    bool is_unread =
        strcmp(note->kind->id, "aubo.message.bad") == 0 || strcmp(note->kind->id, "aubo.message.too-long") == 0;
    for (size_t i = 0; (is_blind || is_unread) && i < RATES_CHANNELS; i++) {
        if (rates->channel[i] == NULL)
            continue;
        if (is_blind)
            pace_blind(rates->channel[i], findings, note->stream, note->direction);
        else
            pace_unread(rates->channel[i], note->direction);
    }
}

void rates_totals(const struct rates *rates, struct rates_totals *totals)
{
    const struct spread *jitter = &rates->jitter;
    bool is_expected = true;
    *totals = (struct rates_totals){.jitter_p50 = spread_quantile(jitter, 50),
                                    .jitter_p99 = spread_quantile(jitter, 99),
                                    .jitter_max = jitter->count > 0 ? jitter->largest : -1,
                                    .longest_silence = -1,
                                    .longest_gap = -1};
    for (size_t i = 0; i < RATES_CHANNELS; i++) {
        struct pace_totals channel;
        if (rates->channel[i] == NULL)
            continue;
        pace_totals(rates->channel[i], &channel);
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
