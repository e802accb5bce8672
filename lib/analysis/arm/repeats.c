#include "analysis/arm/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "analysis/numbers.h"

#define LEAST 1.0 /* s that something must have stood still, ... */
#define RECORDS_LEAST 20
#define RECORDS_WITHOUT_NOISE 50 /* ... and so many records where only noise shows it */
#define SAMPLE 8u                /* records from one copy to the next */
#define LIVE 3u                  /* copies one after another that differ: the values were changing */
/* Records of which noise is looked at, and from one such window to the next. */
#define WINDOW 64u
#define WINDOWS_APART 256u
/* Of the steps in a window: those that turn back where there is noise, and those that change what varies. A curve that
 * is sampled often turns back seldom. */
#define TURNS 13u
#define VARIES 32u
#define NOISE_OLD 8.0    /* s */
#define SPEED_MOVES 0.02 /* rad/s */
#define CHANNELS 18u
#define TARGET "target_q"
#define ELEMENTS_EACH 2u

#define LOOKS_APART 0.09  /* s from one look at the targets to the next, at most */
#define PLACES_APART 0.05 /* s from one look at where the arm is to the next */
#define MOVED_LATELY 2.0  /* s */

/* What shows where the arm is, the best first, and how far it goes when it moves. */
static const struct {
    enum armtap_field_id id;
    unsigned count;
    double moved;
} places[] = {
    {ARMTAP_ID_actual_q, 6, 0.005},
    {ARMTAP_ID_actual_TCP_pose, 3, 0.002},
    {ARMTAP_ID_target_q, 6, 0.005},
    {ARMTAP_ID_target_TCP_pose, 3, 0.002},
};
#define PLACES 4u
_Static_assert(PLACES == sizeof places / sizeof *places, "one for each");

/* What sensors measure, and speeds. */
static const struct {
    enum armtap_field_id id;
    bool is_speed;
} sensors[] = {
    {ARMTAP_ID_actual_qd, true},
    {ARMTAP_ID_actual_current, false},
    {ARMTAP_ID_actual_q, false},
    {ARMTAP_ID_actual_TCP_force, false},
    {ARMTAP_ID_actual_main_voltage, false},
    {ARMTAP_ID_actual_robot_current, false},
    {ARMTAP_ID_actual_tool_accelerometer, false},
};

/* One number of a record. */
struct channel {
    size_t at; /* in the values */
    bool is_speed, is_current;
    double last, step;
    unsigned turns, changes;
    bool is_noisy, varies; /* in the last window */
};

/* Records in which something stood still. */
struct stand {
    struct armtap_where since, until;
    uint64_t count;
};

struct repeats {
    struct armtap_stream stream; /* as it was at the first record of the recipe */
    const struct armtap_recipe *recipe;
    size_t length, clock_at;     /* of the values; SIZE_MAX: there is no clock among them */
    size_t target_at, actual_at; /* of the joints' angles; the same */
    uint64_t records;
    struct following following;
    int64_t look_time;             /* of the last look at the targets */
    unsigned place_kind, place_at; /* of `places`, PLACES if none is sent; in the values */
    float place[FOLLOW_JOINTS];
    int64_t place_time, moved_time; /* when it was looked at, and found elsewhere, last; ARMTAP_NO_TIME: never */
    unsigned flags;                 /* of the last record */
    double clock;
    struct stand clock_stands, values_stand;
    bool is_told;       /* that the clock stands */
    bool are_standing;  /* the values are those of the copy */
    unsigned live;      /* copies that differed */
    unsigned age;       /* records since the copy */
    uint64_t seen;      /* records of this recipe */
    int64_t noise_time; /* of the last window */
    bool has_power;
    struct channel channels[CHANNELS];
    unsigned channel_count;
    uint8_t copy[]; /* the values */
};

void armtap_repeats_free(struct repeats *repeats)
{
    free(repeats);
}

bool armtap_repeats_had_motion(const struct repeats *repeats, int64_t time)
{
    if (repeats && repeats->moved_time != ARMTAP_NO_TIME &&
        (repeats->moved_time == repeats->place_time || armtap_time_seconds(repeats->moved_time, time) < MOVED_LATELY))
        return true;
    for (unsigned i = 0; repeats && i < repeats->channel_count; i++)
        if (repeats->channels[i].is_speed &&
            fabs(armtap_be_double(repeats->copy + repeats->channels[i].at)) > SPEED_MOVES)
            return true;
    return false;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static double seconds_of(const struct stand *stand)
{
    return armtap_time_seconds(stand->since.time, stand->until.time);
}

/* With the last record's own cycle. */
static double whole_seconds_of(const struct stand *stand)
{
    return seconds_of(stand) * (double)stand->count / ((double)stand->count - 1);
}

static bool is_long(const struct stand *stand, uint64_t records)
{
    return stand->count >= records && seconds_of(stand) >= LEAST;
}

static void raise_frozen(const struct repeats *repeats, struct findings *findings, enum armtap_note_code code,
                         const struct stand *stand, enum armtap_word with, bool is_to_end)
{
    bool has_clock = code == ARMTAP_FINDING_clock_frozen;
    armtap_findings_raise(
        findings,
        &(struct fact){.code = code,
                       .stream = &repeats->stream,
                       .where = &stand->since,
                       .arguments = ARGS(
                           arg_case(with), arg_duration_s(whole_seconds_of(stand)), arg_records((double)stand->count),
                           has_clock ? arg_clock_s(repeats->clock) : arg_none(true),
                           arg_until_packet(stand->until.packet), arg_is_to_end(is_to_end),
                           arg_doubt((repeats->flags & ARMTAP_GUESSED) ? ARMTAP_WORD_guessed : ARMTAP_WORD_none))});
}

/* Whether motors have current, as far as is known. */
static bool has_current(const struct repeats *repeats)
{
    bool has_channel = false;
    for (unsigned i = 0; i < repeats->channel_count; i++) {
        const struct channel *channel = &repeats->channels[i];
        if (channel->is_current && armtap_be_double(repeats->copy + channel->at) != 0)
            return true;
        has_channel = has_channel || channel->is_current;
    }
    return !has_channel;
}

/* Whether the values that stand were measured: there was noise before, or they contradict themselves. */
static bool must_change(const struct repeats *repeats)
{
    bool has_power = repeats->has_power && has_current(repeats);
    bool is_recent = armtap_time_seconds(repeats->noise_time, repeats->values_stand.since.time) >= 0 &&
                     armtap_time_seconds(repeats->noise_time, repeats->values_stand.since.time) <= NOISE_OLD;
    for (unsigned i = 0; i < repeats->channel_count && is_recent; i++) {
        const struct channel *channel = &repeats->channels[i];
        double value = armtap_be_double(repeats->copy + channel->at);
        if ((channel->is_noisy && value != 0 && has_power) ||
            (channel->is_speed && channel->varies && fabs(value) > SPEED_MOVES && repeats->live >= LIVE))
            return true;
    }
    return false;
}

/* Whether all values stood still with the clock. */
static bool stood_together(const struct repeats *repeats)
{
    const struct stand *values = &repeats->values_stand, *clock = &repeats->clock_stands;
    return repeats->are_standing && values->count + SAMPLE >= clock->count;
}

/* Something moves again, or the stream ends: says what stood still. */
static void tell(struct repeats *repeats, struct findings *findings, bool has_clock_ended, bool have_values_ended,
                 bool is_to_end)
{
    const struct stand *values = &repeats->values_stand, *clock = &repeats->clock_stands;
    bool is_clock = !repeats->is_told && repeats->clock > 0 && is_long(clock, RECORDS_LEAST);
    if (is_clock && stood_together(repeats) && (has_clock_ended || have_values_ended)) {
        bool were_live = repeats->live >= LIVE;
        repeats->is_told = true;
        raise_frozen(repeats, findings, were_live ? ARMTAP_FINDING_values_frozen : ARMTAP_FINDING_clock_frozen, clock,
                     were_live ? ARMTAP_WORD_clock_too : ARMTAP_WORD_none, is_to_end);
    } else if (is_clock && has_clock_ended) {
        raise_frozen(repeats, findings, ARMTAP_FINDING_clock_frozen, clock, ARMTAP_WORD_data_changed, is_to_end);
    } else if (have_values_ended && repeats->are_standing && is_long(values, RECORDS_WITHOUT_NOISE) &&
               must_change(repeats)) {
        raise_frozen(repeats, findings, ARMTAP_FINDING_values_frozen, values,
                     repeats->clock > 0 ? ARMTAP_WORD_clock_moved : ARMTAP_WORD_none, is_to_end);
    }
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void add_channels(struct repeats *repeats, const struct armtap_recipe_entry *entry)
{
    for (size_t i = 0; i < sizeof sensors / sizeof *sensors && entry->field; i++) {
        if (entry->field->id != sensors[i].id || entry->type != ARMTAP_DOUBLE)
            continue;
        unsigned count = sensors[i].is_speed || entry->count < ELEMENTS_EACH ? entry->count : ELEMENTS_EACH;
        for (unsigned k = 0; k < count && repeats->channel_count < CHANNELS; k++)
            if (entry->offset + 8 * (k + 1) <= repeats->length)
                repeats->channels[repeats->channel_count++] =
                    (struct channel){.at = entry->offset + 8 * k,
                                     .is_speed = sensors[i].is_speed,
                                     .is_current = entry->field->id == ARMTAP_ID_actual_current};
    }
}

static void find_angles(struct repeats *repeats, const struct armtap_recipe_entry *entry)
{
    if (!entry->field || entry->type != ARMTAP_DOUBLE || entry->count != FOLLOW_JOINTS ||
        entry->offset + 8 * FOLLOW_JOINTS > repeats->length)
        return;
    if (entry->field->id == ARMTAP_ID_target_q)
        repeats->target_at = entry->offset;
    if (entry->field->id == ARMTAP_ID_actual_q)
        repeats->actual_at = entry->offset;
}

static void find_place(struct repeats *repeats, const struct armtap_recipe_entry *entry)
{
    for (unsigned i = 0; i < repeats->place_kind && entry->field && entry->type == ARMTAP_DOUBLE; i++) {
        if (entry->field->id != places[i].id || entry->offset + 8 * places[i].count > repeats->length)
            continue;
        repeats->place_kind = i;
        repeats->place_at = (unsigned)entry->offset;
    }
}

/* For the records of one recipe. NULL if memory runs out. */
static struct repeats *begin(struct repeats *old, const struct armtap_record *record)
{
    struct repeats *repeats =
        old && old->length >= record->values_length ? old : realloc(old, sizeof *repeats + record->values_length);
    if (!repeats)
        return NULL;
    memset(repeats, 0, sizeof *repeats);
    repeats->stream = *record->stream;
    repeats->recipe = record->recipe;
    repeats->length = record->values_length;
    repeats->clock_at = repeats->target_at = repeats->actual_at = SIZE_MAX;
    repeats->noise_time = repeats->place_time = repeats->moved_time = ARMTAP_NO_TIME;
    repeats->place_kind = PLACES;
    for (size_t i = 0; i < armtap_recipe_count(record->recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(record->recipe, i);
        if (entry->field && entry->field->id == ARMTAP_ID_timestamp && entry->offset + 8 <= repeats->length)
            repeats->clock_at = entry->offset;
        find_angles(repeats, entry);
        find_place(repeats, entry);
        add_channels(repeats, entry);
    }
    return repeats;
}

/* Whether all values but the clock are those of the copy. */
static bool is_same(const struct repeats *repeats, const uint8_t *values)
{
    size_t from = 0, to = repeats->clock_at == SIZE_MAX ? repeats->length : repeats->clock_at;
    if (memcmp(values, repeats->copy, to) != 0)
        return false;
    from = repeats->clock_at == SIZE_MAX ? repeats->length : repeats->clock_at + 8;
    return memcmp(values + from, repeats->copy + from, repeats->length - from) == 0;
}

static void take_copy(struct repeats *repeats, const struct armtap_record *record)
{
    memcpy(repeats->copy, record->values, repeats->length);
    repeats->values_stand = (struct stand){record->where, record->where, 1};
    repeats->age = 0;
}

static void look_for_noise(struct repeats *repeats, const struct armtap_record *record)
{
    unsigned place = (unsigned)(repeats->seen % WINDOWS_APART);
    for (unsigned i = 0; i < repeats->channel_count && place < WINDOW; i++) {
        struct channel *channel = &repeats->channels[i];
        double value = armtap_be_double(record->values + channel->at), step = value - channel->last;
        if (place == 0)
            channel->turns = channel->changes = 0;
        if (place > 0)
            channel->changes += step != 0;
        if (place > 1)
            channel->turns += step * channel->step < 0;
        channel->last = value;
        channel->step = step;
        channel->is_noisy = place == WINDOW - 1 ? channel->turns >= TURNS : channel->is_noisy;
        channel->varies = place == WINDOW - 1 ? channel->changes >= VARIES : channel->varies;
    }
    if (place == WINDOW - 1)
        repeats->noise_time = record->where.time;
    repeats->seen++;
}

static void extend(struct stand *stand, const struct armtap_record *record)
{
    stand->until = record->where;
    stand->count++;
}

/* The values differ from those of the copy. */
static void take_change(struct repeats *repeats, const struct armtap_record *record)
{
    bool is_due = ++repeats->age >= SAMPLE || repeats->are_standing;
    look_for_noise(repeats, record);
    if (!is_due)
        return;
    repeats->live = repeats->are_standing ? 0 : repeats->live + 1;
    repeats->are_standing = false;
    take_copy(repeats, record);
}

static void look_at_place(struct repeats *repeats, const struct armtap_record *record)
{
    bool is_first = repeats->place_time == ARMTAP_NO_TIME, has_moved = is_first;
    float now[FOLLOW_JOINTS];
    if (repeats->place_kind == PLACES ||
        (!is_first && armtap_time_seconds(repeats->place_time, record->where.time) < PLACES_APART))
        return;
    for (unsigned i = 0; i < places[repeats->place_kind].count; i++) {
        now[i] = (float)armtap_be_double(record->values + repeats->place_at + 8 * i);
        has_moved = has_moved || !(fabsf(now[i] - repeats->place[i]) <= places[repeats->place_kind].moved);
    }
    repeats->place_time = record->where.time;
    if (!has_moved)
        return;
    repeats->moved_time = is_first ? ARMTAP_NO_TIME : record->where.time;
    memcpy(repeats->place, now, sizeof now);
}

/* Whether the arm follows the controller's targets. */
static void look_at_targets(struct repeats *repeats, struct findings *findings, const struct armtap_record *record,
                            const struct modes_last *modes)
{
    struct follow_sample sample = {.stream = record->stream,
                                   .where = record->where,
                                   .kind = FOLLOW_ANGLES,
                                   .field = TARGET,
                                   .is_held = modes && modes->is_held,
                                   .is_playing = modes && modes->is_playing};
    repeats->look_time = record->where.time;
    if (repeats->target_at == SIZE_MAX || repeats->actual_at == SIZE_MAX || (record->flags & ARMTAP_GUESSED))
        return;
    for (unsigned i = 0; i < FOLLOW_JOINTS; i++) {
        sample.asked[i] = armtap_be_double(record->values + repeats->target_at + 8 * i);
        sample.actual[i] = armtap_be_double(record->values + repeats->actual_at + 8 * i);
    }
    armtap_following_take(&repeats->following, findings, &sample);
}

static bool is_fit(const struct armtap_record *record)
{
    bool is_plain = record->protocol == ARMTAP_RTDE || record->protocol == ARMTAP_REALTIME;
    return is_plain && record->recipe && record->where.time != ARMTAP_NO_TIME && record->values_length > 0 &&
           !(record->flags & (ARMTAP_SHORT | ARMTAP_LONG | ARMTAP_CUT));
}

bool armtap_repeats_record(struct repeats **repeats, struct findings *findings, const struct armtap_record *record,
                           const struct modes_last *modes)
{
    struct repeats *now = *repeats;
    if (!is_fit(record))
        return true;
    if (!now || now->recipe != record->recipe || now->length != record->values_length) {
        if (now) {
            tell(now, findings, true, true, false);
            armtap_following_end(&now->following, findings, &now->stream, NULL, TARGET);
        }
        now = begin(now, record);
        if (!now)
            return false;
        *repeats = now;
        take_copy(now, record);
    } else {
        bool is_same_clock = record->clock == now->clock, are_same_values = is_same(now, record->values);
        if ((!is_same_clock && now->clock_stands.count >= RECORDS_LEAST) || (!are_same_values && now->are_standing))
            tell(now, findings, !is_same_clock, !are_same_values, false);
        if (are_same_values) {
            now->are_standing = true;
            extend(&now->values_stand, record);
        } else {
            take_change(now, record);
        }
    }
    if (record->clock == now->clock)
        extend(&now->clock_stands, record);
    else
        now->clock_stands = (struct stand){record->where, record->where, 1}, now->is_told = false;
    now->clock = record->clock;
    now->flags = record->flags;
    look_at_place(now, record);
    now->has_power = !modes || !modes->is_powerless;
    if (now->records++ % SAMPLE == 0 || armtap_time_seconds(now->look_time, record->where.time) > LOOKS_APART)
        look_at_targets(now, findings, record, modes);
    return true;
}

void armtap_repeats_end(struct repeats *repeats, struct findings *findings)
{
    if (!repeats)
        return;
    tell(repeats, findings, true, true, true);
    armtap_following_end(&repeats->following, findings, &repeats->stream, NULL, TARGET);
}
