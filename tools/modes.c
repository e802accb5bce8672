#include "modes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* In the order of the time line. */
static const enum armtap_field_id followed[MODES_FIELDS] = {ARMTAP_ID_robot_mode, ARMTAP_ID_safety_mode,
                                                            ARMTAP_ID_safety_status, ARMTAP_ID_runtime_state};

/* Protective, safeguard and emergency stops; the other numbers of the safety mode and status are none. */
static const int64_t safety_stops[] = {3, 5, 6, 7, 12, 13, 14, 15, 16, 18, 19, 20, 22};
/* CB2 has no safety mode: its robot mode tells. Security stop is its word for protective stop. */
static const int64_t cb2_stops[] = {4, 5, 10};

static bool is_among(int64_t value, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == value)
            return true;
    return false;
}

static bool is_stop(enum armtap_field_id id, int64_t value, enum armtap_generation generation)
{
    if (id == ARMTAP_ID_safety_mode || id == ARMTAP_ID_safety_status)
        return is_among(value, safety_stops, sizeof safety_stops / sizeof *safety_stops);
    return id == ARMTAP_ID_robot_mode && generation == ARMTAP_GENERATION_CB2 &&
           is_among(value, cb2_stops, sizeof cb2_stops / sizeof *cb2_stops);
}

void modes_free(struct modes *modes)
{
    free(modes->all);
    *modes = (struct modes){0};
}

static void add_entry(struct modes *modes, struct modes_last *last, const struct mode_entry *entry)
{
    if (last->entries >= MODES_EACH || modes->count >= MODES_ALL) {
        modes->left_out++;
        return;
    }
    if (modes->count == modes->room) {
        size_t room = modes->room == 0 ? 64 : modes->room * 2;
        struct mode_entry *all = realloc(modes->all, room * sizeof *all);
        if (all == NULL) {
            modes->failed = true;
            return;
        }
        modes->all = all;
        modes->room = room;
    }
    modes->all[modes->count++] = *entry;
    last->entries++;
}

static int64_t value_of(const struct armtap_state *state, enum armtap_field_id id)
{
    switch (id) {
    case ARMTAP_ID_robot_mode:
        return state->robot_mode;
    case ARMTAP_ID_safety_mode:
        return state->safety_mode;
    case ARMTAP_ID_safety_status:
        return state->safety_status;
    default:
        return state->runtime_state;
    }
}

#define NAME_MAX_LENGTH 80
/* Its name, or the number where it has none. */
static const char *describe(char to[NAME_MAX_LENGTH], int64_t value, const char *name)
{
    if (name != NULL)
        return name;
    snprintf(to, NAME_MAX_LENGTH, "%" PRId64, value);
    return to;
}

/* A mode changed from a value that was known. Returns whether that begins a stop. */
static bool tell_change(struct findings *findings, const struct armtap_record *record, const struct armtap_field *field,
                        int64_t old, int64_t value, bool stop_told)
{
    char before[NAME_MAX_LENGTH], after[NAME_MAX_LENGTH];
    enum armtap_generation generation = record->stream->generation;
    const char *from = describe(before, old, armtap_enum_name(field, old, generation));
    const char *to = describe(after, value, armtap_enum_name(field, value, generation));
    bool begins = is_stop(field->id, value, generation);
    if (begins && !stop_told)
        findings_say(findings, "safety.stop", record->stream, &record->where, "%s (%s %" PRId64 ")", to, field->name,
                     value);
    findings_say(findings, "mode.changed", record->stream, &record->where, "%s %s -> %s", field->name, from, to);
    return begins;
}

bool modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                  const struct armtap_record *record)
{
    bool stop_begins = false;
    if (record->direction != ARMTAP_FROM_ROBOT || record->updated == NULL)
        return false;
    for (size_t i = 0; i < MODES_FIELDS; i++) {
        const struct armtap_field *field = armtap_field_at(followed[i]);
        if (!armtap_set_has(record->updated, field->id))
            continue;
        int64_t value = value_of(record->state, field->id), old = last->value[i];
        bool was_known = last->known[i];
        if (was_known && value == old)
            continue;
        last->known[i] = true;
        last->value[i] = value;
        struct mode_entry entry = {record->stream->connection, record->where, field, value,
                                   armtap_enum_name(field, value, record->stream->generation)};
        add_entry(modes, last, &entry);
        if (was_known && tell_change(findings, record, field, old, value, stop_begins))
            stop_begins = true;
    }
    return stop_begins;
}
