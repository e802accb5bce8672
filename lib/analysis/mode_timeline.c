#include "mode_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the timeline. */
enum { ROBOT_MODE, SAFETY_MODE, SAFETY_STATUS, RUNTIME_STATE };
static const enum armtap_field_id followed[ARMTAP_MODE_FIELDS] = {[ROBOT_MODE] = ARMTAP_ID_robot_mode,
                                                                  [SAFETY_MODE] = ARMTAP_ID_safety_mode,
                                                                  [SAFETY_STATUS] = ARMTAP_ID_safety_status,
                                                                  [RUNTIME_STATE] = ARMTAP_ID_runtime_state};

/* Protective, safeguard and emergency stops: these modes, and no others, have "stop" in their names. CB2 has no safety
 * mode; its robot mode shows them, and calls a protective stop a security stop. */
static bool is_stop(const struct armtap_mode *entry, enum armtap_generation generation)
{
    if (entry->field->id == ARMTAP_ID_robot_mode && generation != ARMTAP_GENERATION_CB2)
        return false;
    if (entry->field->id == ARMTAP_ID_runtime_state || !entry->name)
        return false;
    return strstr(entry->name, "STOP") || strstr(entry->name, "Stop");
}

void armtap_modes_free(struct modes *modes)
{
    free(modes->all);
    *modes = (struct modes){0};
}

static void leave_out(struct modes *modes, const struct modes_kept *kept, const struct armtap_mode *entry)
{
    modes->left_out++;
    if (kept->count > 0 && modes->all[kept->last].kept_until == ARMTAP_NO_TIME)
        modes->all[kept->last].kept_until = entry->where.time;
}

static void add_entry(struct modes *modes, struct modes_kept *kept, const struct armtap_mode *entry)
{
    if (kept->count >= MODES_EACH || modes->count >= MODES_ALL) {
        leave_out(modes, kept, entry);
        return;
    }
    if (modes->count == modes->room) {
        size_t room = modes->room == 0 ? 64 : modes->room * 2;
        struct armtap_mode *all = realloc(modes->all, room * sizeof *all);
        if (!all) {
            modes->failed = true;
            return;
        }
        modes->all = all;
        modes->room = room;
    }
    kept->last = modes->count++;
    kept->count++;
    modes->all[kept->last] = *entry;
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
/* Its name, or its number if it has none. */
static const char *describe(char to[NAME_MAX_LENGTH], int64_t value, const char *name)
{
    if (name)
        return name;
    snprintf(to, NAME_MAX_LENGTH, "%" PRId64, value);
    return to;
}

const char *armtap_mode_field(const struct armtap_mode *entry, char to[ARMTAP_MODE_NAME_MAX])
{
    if (entry->arm <= 1)
        return entry->field->name;
    snprintf(to, ARMTAP_MODE_NAME_MAX, "R%u_%s", entry->arm, entry->field->name);
    return to;
}

static const char by_guess[] = " (by a guessed recipe)";

static const char *doubt(const struct armtap_record *record)
{
    return (record->flags & ARMTAP_GUESSED) != 0 ? by_guess : "";
}

bool armtap_modes_is_guess(const char *text)
{
    return strstr(text, by_guess) != NULL;
}

const char *armtap_modes_stop_field(const char *text, char to[ARMTAP_MODE_NAME_MAX])
{
    const char *field = strchr(text, '(');
    field = field ? field + 1 : text;
    snprintf(to, ARMTAP_MODE_NAME_MAX, "%.*s", (int)strcspn(field, " "), field);
    return to;
}

/* Reports a change from a known value. */
static void report_change(struct findings *findings, const struct armtap_record *record,
                          const struct armtap_mode *entry, int64_t old)
{
    char name[ARMTAP_MODE_NAME_MAX], before[NAME_MAX_LENGTH], after[NAME_MAX_LENGTH];
    const char *old_name = armtap_enum_name(entry->field, old, record->stream->generation);
    armtap_findings_say(findings, "mode.changed", record->stream, &record->where, "%s %s -> %s%s",
                        armtap_mode_field(entry, name), describe(before, old, old_name),
                        describe(after, entry->value, entry->name), doubt(record));
}

/* Whether the other field already showed this stop: safety mode and safety status change in the same record or soon
 * after each other. */
static bool is_reported(const struct modes_last *last, size_t field, int64_t value)
{
    size_t other = followed[field] == ARMTAP_ID_safety_mode     ? SAFETY_STATUS
                   : followed[field] == ARMTAP_ID_safety_status ? SAFETY_MODE
                                                                : field;
    return other != field && last->known[other] && last->value[other] == value;
}

/* Returns whether a stop begins. */
static bool take_mode(struct modes *modes, struct modes_last *last, struct findings *findings,
                      const struct armtap_record *record, const struct armtap_arm *arm, size_t i, bool stop_told)
{
    const struct armtap_field *field = armtap_field_at(followed[i]);
    int64_t value = value_of(arm->state, field->id), old = last->value[i];
    bool was_known = last->known[i];
    char name[ARMTAP_MODE_NAME_MAX];
    if (was_known && value == old)
        return false;
    struct armtap_mode entry = {record->stream->connection,
                                record->where,
                                field,
                                i == RUNTIME_STATE ? 1 : arm->number,
                                value,
                                armtap_enum_name(field, value, record->stream->generation),
                                ARMTAP_NO_TIME};
    bool begins =
        was_known && !stop_told && is_stop(&entry, record->stream->generation) && !is_reported(last, i, value);
    last->known[i] = true;
    last->value[i] = value;
    add_entry(modes, &last->kept[i], &entry);
    if (begins)
        armtap_findings_say(findings, "safety.stop", record->stream, &record->where, "%s (%s %" PRId64 ")%s",
                            entry.name, armtap_mode_field(&entry, name), value, doubt(record));
    if (was_known)
        report_change(findings, record, &entry, old);
    return begins;
}

bool armtap_modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                         const struct armtap_record *record, size_t i)
{
    const struct armtap_arm *arm = &record->arms[i];
    bool stop_begins = false;
    for (size_t k = 0; k < ARMTAP_MODE_FIELDS; k++) {
        /* Each arm's state includes the fields of the whole robot. */
        struct modes_last *said = &last[k == RUNTIME_STATE ? 0 : arm->number - 1];
        if (armtap_set_has(arm->updated, followed[k]) && take_mode(modes, said, findings, record, arm, k, stop_begins))
            stop_begins = true;
    }
    return stop_begins;
}
