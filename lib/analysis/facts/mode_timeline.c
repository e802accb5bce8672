#include "analysis/facts/mode_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "analysis/arm/watch.h"
#include "speed.h"
#include "analysis/inside.h"

/* In the order of the timeline. */
enum { ROBOT_MODE, SAFETY_MODE, SAFETY_STATUS, RUNTIME_STATE };
static const struct {
    enum armtap_field_id id;
    size_t at; /* in the state */
} followed[ARMTAP_MODE_FIELDS] = {
    [ROBOT_MODE] = {ARMTAP_ID_robot_mode, offsetof(struct armtap_state, robot_mode)},
    [SAFETY_MODE] = {ARMTAP_ID_safety_mode, offsetof(struct armtap_state, safety_mode)},
    [SAFETY_STATUS] = {ARMTAP_ID_safety_status, offsetof(struct armtap_state, safety_status)},
    [RUNTIME_STATE] = {ARMTAP_ID_runtime_state, offsetof(struct armtap_state, runtime_state)},
};
/* Among the fields of struct safety_arm, after those. */
#define STATUS_BITS ARMTAP_MODE_FIELDS

void armtap_modes_free(struct modes *modes)
{
    free(modes->all);
    *modes = (struct modes){0};
}

static void leave_out(struct modes *modes, const struct modes_last *last, size_t field, int64_t time)
{
    struct armtap_mode *kept = last->kept[field] > 0 ? &modes->all[last->kept_last[field]] : NULL;
    modes->left_out++;
    if (kept && kept->kept_until == ARMTAP_NO_TIME)
        kept->kept_until = time;
}

_Static_assert(MODES_EACH <= UINT16_MAX && MODES_ALL <= UINT16_MAX, "modes_last has 16 bits for them");

static void add_entry(struct modes *modes, struct modes_last *last, size_t field, const struct armtap_mode *entry)
{
    if (last->kept[field] >= MODES_EACH || modes->count >= MODES_ALL) {
        leave_out(modes, last, field, entry->where.time);
        return;
    }
    if (!MAKE_ROOM(modes->all, modes->count)) {
        modes->failed = true;
        return;
    }
    last->kept[field]++;
    last->kept_last[field] = (uint16_t)modes->count;
    modes->all[modes->count++] = *entry;
}

void armtap_modes_add(struct modes *modes, const struct armtap_mode *entry)
{
    struct modes_last unknown = {.bits = 0};
    add_entry(modes, &unknown, 0, entry);
}

static uint32_t bits_of(const struct armtap_state *state, size_t field)
{
    uint32_t bits;
    memcpy(&bits, (const char *)state + followed[field].at, sizeof bits);
    return bits;
}

/* The program's state has no sign. */
static int64_t value_of(uint32_t bits, size_t field)
{
    return field == RUNTIME_STATE ? (int64_t)bits : (int64_t)(int32_t)bits;
}

const char *armtap_mode_field(const struct armtap_mode *entry, char to[ARMTAP_MODE_NAME_MAX])
{
    if (!entry || !to)
        return "";
    if (entry->arm <= 1)
        return entry->field->name;
    snprintf(to, ARMTAP_MODE_NAME_MAX, "R%u_%s", entry->arm, entry->field->name);
    return to;
}

static enum armtap_word doubt_of(const struct armtap_record *record)
{
    return (record->flags & ARMTAP_GUESSED) != 0 ? ARMTAP_WORD_guessed : ARMTAP_WORD_none;
}

/* Reports a change from a known value. `ending`: what ends by it. */
static void report_change(struct findings *findings, const struct armtap_record *record,
                          const struct armtap_mode *entry, int64_t old, const char *old_name, enum armtap_word ending)
{
    char field[ARMTAP_MODE_NAME_MAX];
    armtap_findings_raise(
        findings,
        &(struct fact){.code = ARMTAP_FINDING_mode_changed,
                       .stream = record->stream,
                       .where = &record->where,
                       .arguments = ARGS(arg_case(ending), arg_field(armtap_mode_field(entry, field)),
                                         arg_name_before(old_name), arg_value_before(old), arg_name(entry->name),
                                         arg_value(entry->value), arg_doubt(doubt_of(record)))});
}

/* Whether the other field already showed this stop: safety mode and safety status change in the same record or soon
 * after each other. */
static bool is_reported(const struct modes_last *last, size_t field, int64_t value)
{
    size_t other = field == SAFETY_MODE ? SAFETY_STATUS : field == SAFETY_STATUS ? SAFETY_MODE : field;
    return other != field && last->known[other] && value_of(last->value[other], other) == value;
}

/* What the record's arm shows, and where it is told. */
struct sight {
    struct modes *modes;
    struct findings *findings;
    const struct armtap_record *record;
    const struct armtap_arm *arm;
    bool is_told, is_stop_begin; /* a state of safety in this record, and that it is the beginning of a stop */
    struct armtap_mode changed;  /* runtime_state or robot_mode, if it did in this record; without a field: none */
    int64_t before;              /* its value */
    const char *name_before;
    bool any; /* some mode changed */
    const struct repeats *records_before;
};

static struct safety_arm *states_of(const struct sight *sight)
{
    return armtap_safety_arm(&sight->modes->safety, sight->record->stream, sight->arm->number);
}

static bool is_guess(const struct sight *sight)
{
    return (sight->record->flags & ARMTAP_GUESSED) != 0;
}

/* Says a state that is no ordinary one. `is_first`: the field had no value before, so it may have begun any time ago.
 */
static void tell_state(struct sight *sight, enum safety_class class, const char *name, const char *field, int64_t value,
                       bool is_first)
{
    bool is_stop = class == SAFETY_STOP && !is_first;
    enum armtap_note_code code = is_stop                   ? ARMTAP_FINDING_safety_stop
                                 : class == SAFETY_UNKNOWN ? ARMTAP_FINDING_safety_unknown
                                                           : ARMTAP_FINDING_safety_state;
    sight->is_told = true;
    sight->is_stop_begin = sight->is_stop_begin || is_stop;
    armtap_findings_raise(
        sight->findings,
        &(struct fact){.code = code,
                       .stream = sight->record->stream,
                       .where = &sight->record->where,
                       .arguments =
                           ARGS(arg_case(is_stop ? armtap_stop_called(name) : ARMTAP_WORD_none),
                                arg_reason(is_stop ? armtap_stop_asked(name) : ARMTAP_WORD_none), arg_name(name),
                                arg_field(field), arg_value(value), arg_arm(sight->arm->number), arg_is_begun(is_first),
                                arg_doubt(doubt_of(sight->record)))});
}

/* Whether a state is to be said: an ordinary one never, others where they begin, or where the data begins with one that
 * no connection showed before. What is unknown may only be guessed wrong. */
static bool is_news(const struct sight *sight, enum safety_class class, size_t i, int64_t value, bool is_first)
{
    if (class == SAFETY_ORDINARY || (class == SAFETY_UNKNOWN && is_guess(sight)))
        return false;
    return !is_first || !armtap_safety_is_told(states_of(sight), class, i, value);
}

/* A guess is not remembered: what is known of another connection's state is said there. */
static void remember(const struct sight *sight, enum safety_class class, size_t i, int64_t value)
{
    bool is_told = class == SAFETY_STOP || class == SAFETY_FAULT;
    if (!is_guess(sight) && i != RUNTIME_STATE)
        armtap_safety_tell(states_of(sight), i, value, is_told);
}

/* A mode that is another than before. */
static ARMTAP_RARE void take_mode(struct sight *sight, struct modes_last *last, size_t i)
{
    const struct armtap_record *record = sight->record;
    uint32_t bits = bits_of(sight->arm->state, i);
    int64_t value = value_of(bits, i), old = value_of(last->value[i], i);
    bool is_first = !last->known[i];
    char name[ARMTAP_MODE_NAME_MAX];
    const struct armtap_field *field = armtap_field_at(followed[i].id);
    const struct armtap_mode entry = {record->stream->connection,
                                      record->where,
                                      field,
                                      i == RUNTIME_STATE ? 1 : sight->arm->number,
                                      value,
                                      armtap_enum_name(field, value, record->stream->generation),
                                      ARMTAP_NO_TIME};
    enum safety_class class = armtap_safety_class(field->id, value, entry.name, is_first);
    last->known[i] = true;
    last->value[i] = bits;
    add_entry(sight->modes, last, i, &entry);
    if (!sight->is_told && !is_reported(last, i, value) && is_news(sight, class, i, value, is_first))
        tell_state(sight, class, entry.name, armtap_mode_field(&entry, name), value, is_first);
    remember(sight, class, i, value);
    sight->any = true;
    const char *old_name = armtap_enum_name(field, old, record->stream->generation);
    if (i == ROBOT_MODE || i == RUNTIME_STATE) {
        sight->changed = entry;
        sight->before = old;
        sight->name_before = old_name;
    }
    if (!is_first)
        report_change(sight->findings, record, &entry, old, old_name,
                      armtap_mode_ending(field->id, old_name, entry.name));
}

/* The bits say what safety mode and status say, where a client asks for neither. */
static void take_bits(struct sight *sight, struct modes_last *last)
{
    const struct armtap_enum_value *bit;
    uint32_t bits = sight->arm->state->safety_status_bits, old = last->bits;
    bool is_first = !last->has_bits;
    if (last->known[SAFETY_MODE] || last->known[SAFETY_STATUS] || (!is_first && bits == old))
        return;
    const struct armtap_field *field = armtap_field_at(ARMTAP_ID_safety_status_bits);
    uint32_t reasons = armtap_safety_reasons(bits), risen = is_first ? reasons : reasons & ~old;
    last->has_bits = true;
    last->bits = bits;
    for (size_t k = 0; (bit = armtap_enum_at(field, k)); k++) {
        enum safety_class class = armtap_safety_class(field->id, bit->value, bit->name, is_first);
        if ((risen >> bit->value & 1) && is_news(sight, class, STATUS_BITS, reasons, is_first))
            tell_state(sight, class, bit->name, field->name, bits, is_first);
    }
    remember(sight, reasons != 0 ? SAFETY_STOP : SAFETY_ORDINARY, STATUS_BITS, reasons);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct sight *sight, const struct modes_last *last, size_t i)
{
    return armtap_enum_name(armtap_field_at(followed[i].id), value_of(last->value[i], i),
                            sight->record->stream->generation);
}

/* Bits of the robot's status. */
#define STATUS_POWER 1u
#define STATUS_PROGRAM 2u

/* The field that shows a program where runtime_state is not sent; NULL: none does. */
static const struct armtap_field *program_field(const struct sight *sight)
{
    static const enum armtap_field_id fields[] = {ARMTAP_ID_robot_status_bits, ARMTAP_ID_primary_is_program_running};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (armtap_set_has(sight->arm->updated, fields[i]))
            return armtap_field_at(fields[i]);
    return NULL;
}

/* The primary interface has bit 1 of the robot's status, and whether the program pauses, as numbers. */
static bool is_shown_alive(const struct sight *sight, const struct armtap_field *field)
{
    const struct armtap_state *state = sight->arm->state;
    if (field->id == ARMTAP_ID_robot_status_bits)
        return (state->robot_status_bits & STATUS_PROGRAM) != 0;
    return state->primary_is_program_running || state->primary_is_program_paused;
}

/* What the stop is called in which the arm is; none: it is in no stop. */
static enum armtap_word stop_of(const struct sight *sight, const struct modes_last *last)
{
    for (size_t i = 0; i < RUNTIME_STATE; i++) {
        const char *name = last->known[i] ? name_of(sight, last, i) : NULL;
        if (name && armtap_safety_class(followed[i].id, value_of(last->value[i], i), name, false) != SAFETY_ORDINARY)
            return armtap_stop_called(name);
    }
    return ARMTAP_WORD_none;
}

/* Bits that fall: `changed` is where a mode would say so. */
static void take_status(struct sight *sight, struct modes_last *last)
{
    uint32_t bits = sight->arm->state->robot_status_bits, old = last->status_bits;
    const struct armtap_mode entry = {.field = armtap_field_at(ARMTAP_ID_robot_status_bits), .arm = 1, .value = bits};
    last->status_bits = (uint16_t)bits;
    if ((old & ~bits & (STATUS_POWER | STATUS_PROGRAM)) && !sight->changed.field) {
        sight->changed = entry;
        sight->before = old;
    }
    if (last->known[ROBOT_MODE])
        return;
    last->is_powerless = !(bits & STATUS_POWER);
    if (old & ~bits & STATUS_POWER)
        report_change(sight->findings, sight->record, &entry, old, NULL, ARMTAP_WORD_power_lost);
}

/* The primary interface has no runtime_state: whether the program pauses is a number of its own, a mode once it
 * changes.
 */
static void take_pause(const struct sight *sight, struct modes_last *last)
{
    const struct armtap_record *record = sight->record;
    bool is_paused = sight->arm->state->primary_is_program_paused;
    if (last->knows_pause && last->is_paused != is_paused)
        armtap_modes_add(sight->modes, &(struct armtap_mode){record->stream->connection, record->where,
                                                             armtap_field_at(ARMTAP_ID_primary_is_program_paused), 1,
                                                             is_paused, NULL, ARMTAP_NO_TIME});
    last->knows_pause = true;
    last->is_paused = is_paused;
}

static void tell_end(const struct sight *sight, const struct modes_last *last, const struct armtap_field *shown)
{
    const struct armtap_mode *changed = &sight->changed;
    const struct armtap_field *field = changed->field ? changed->field : shown;
    int64_t ran = last->started > 0 ? armtap_time_between(last->started, sight->record->where.time) : 0;
    armtap_findings_raise(sight->findings,
                          &(struct fact){.code = ARMTAP_FINDING_program_ended,
                                         .stream = sight->record->stream,
                                         .where = &sight->record->where,
                                         .arguments = ARGS(arg_case(stop_of(sight, last)), arg_field(field->name),
                                                           arg_name_before(sight->name_before),
                                                           arg_value_before(changed->field ? sight->before : 1),
                                                           arg_name(changed->name), arg_value(changed->value),
                                                           ran > 0 ? arg_ran_s((double)ran / 1e9) : arg_none(true),
                                                           arg_doubt(doubt_of(sight->record)))});
}

/* Follows the robot's program, and says where it ends: it stops, or the arm that it moves has no power any more. */
static void follow_program(struct sight *sight, struct modes_last *last, bool has_status)
{
    bool was_alive = last->is_playing && !last->is_powerless;
    bool was_playing = last->is_playing, was_known = last->known_program;
    if (has_status)
        take_status(sight, last);
    bool is_changed = sight->changed.field != NULL;
    const struct armtap_field *shown = last->known[RUNTIME_STATE] ? NULL : program_field(sight);
    const char *name = is_changed && last->known[RUNTIME_STATE] ? name_of(sight, last, RUNTIME_STATE) : NULL;
    if (name)
        last->is_playing = !armtap_is_program_over(name);
    else if (shown)
        last->is_playing = is_shown_alive(sight, shown);
    /* Packets of old controllers, and many recipes, show no programs, but an arm that moves. */
    if (is_changed && !last->known_program && !shown && !last->is_powerless)
        was_alive = armtap_repeats_had_motion(sight->records_before, sight->record->where.time);
    if (is_changed && last->known[ROBOT_MODE])
        last->is_powerless = !armtap_has_power(name_of(sight, last, ROBOT_MODE));
    if (last->is_playing && !was_playing)
        last->started = was_known ? sight->record->where.time : 0;
    last->known_program = last->known_program || name || shown;
    if (was_alive && (last->is_powerless || (!last->is_playing && last->known_program)))
        tell_end(sight, last, shown);
}

static bool is_held(const struct sight *sight, const struct modes_last *last)
{
    const char *program = last->known[RUNTIME_STATE] ? name_of(sight, last, RUNTIME_STATE) : NULL;
    const char *mode = last->known[ROBOT_MODE] ? name_of(sight, last, ROBOT_MODE) : NULL;
    bool is_running = !program || strcmp(program, "PLAYING") == 0 || strcmp(program, "Running") == 0;
    bool is_released = !mode || strcmp(mode, "RUNNING") == 0 || strcmp(mode, "Running") == 0;
    return !is_running || !is_released || stop_of(sight, last) != ARMTAP_WORD_none;
}

bool armtap_modes_record(struct modes *modes, struct modes_last *last, struct findings *findings,
                         const struct armtap_record *record, size_t i, const struct repeats *before)
{
    /* Of a package that its recipe does not fit, no value is known. */
    if ((record->flags & ARMTAP_LONG) != 0)
        return false;
    const struct armtap_arm *arm = &record->arms[i];
    struct sight sight = {.modes = modes, .findings = findings, .record = record, .arm = arm, .records_before = before};
    for (size_t k = 0; k < ARMTAP_MODE_FIELDS; k++) {
        /* Each arm's state includes the fields of the whole robot. */
        struct modes_last *said = &last[k == RUNTIME_STATE ? 0 : arm->number - 1];
        if (armtap_set_has(arm->updated, followed[k].id) &&
            !(said->known[k] && said->value[k] == bits_of(arm->state, k)))
            take_mode(&sight, said, k);
    }
    if (armtap_set_has(arm->updated, ARMTAP_ID_safety_status_bits))
        take_bits(&sight, &last[arm->number - 1]);
    bool has_status = armtap_set_has(arm->updated, ARMTAP_ID_robot_status_bits);
    if (arm->number == 1 && (sight.changed.field || has_status || !last->known[RUNTIME_STATE]))
        follow_program(&sight, last, has_status);
    if (armtap_set_has(arm->updated, ARMTAP_ID_primary_is_program_paused))
        take_pause(&sight, last);
    if (arm->number == 1 && sight.any)
        last->is_held = is_held(&sight, last);
    return sight.is_stop_begin;
}
