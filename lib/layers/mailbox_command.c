#include "mailbox_command.h"

#include <math.h>
#include <string.h>

#include "bytes.h"
#include "nanoseconds.h"
#include "layer.h"

#define ARGUMENTS (ARMTAP_PENDING_INTEGERS + ARMTAP_PENDING_DOUBLES + ARMTAP_PENDING_FIELDS)
#define PROGRESS_VALUES 3u /* more than any other result has */

/* ---- from its package -------------------------------------------------------------------------------------------- */

static bool is_argument(const struct armtap_field *field, unsigned offset)
{
    unsigned integers = ARMTAP_ID_input_int_register + offset, doubles = ARMTAP_ID_input_double_register + offset;
    return field && ((field->id >= integers && field->id < integers + ARMTAP_PENDING_INTEGERS) ||
                     (field->id >= doubles && field->id < doubles + ARMTAP_PENDING_DOUBLES));
}

static void take_registers(struct armtap_pending *pending, unsigned offset, const struct armtap_record *record)
{
    for (unsigned i = 1; i < ARMTAP_PENDING_INTEGERS; i++)
        if (armtap_set_has(record->updated, ARMTAP_ID_input_int_register + offset + i)) {
            pending->integers[i] = record->state->input_int_register[offset + i];
            pending->has_integers |= 1u << i;
        }
    for (unsigned i = 0; i < ARMTAP_PENDING_DOUBLES; i++)
        if (armtap_set_has(record->updated, ARMTAP_ID_input_double_register + offset + i)) {
            pending->doubles[i] = record->state->input_double_register[offset + i];
            pending->has_doubles |= 1u << i;
        }
}

/* Other fields, and how many doubles the recipe has. Its first field is the code. */
static void take_fields(struct armtap_pending *pending, unsigned offset, const struct armtap_record *record)
{
    const struct armtap_recipe_entry *entry;
    for (size_t i = 1; (entry = armtap_recipe_at(record->recipe, i)); i++) {
        pending->doubles_of += entry->type == ARMTAP_DOUBLE && entry->count == 1;
        if (!entry->field || is_argument(entry->field, offset) || pending->field_count == ARMTAP_PENDING_FIELDS)
            continue;
        struct armtap_command_value *given = &pending->fields[pending->field_count];
        if (!armtap_record_value(record, i, &given->value) || !given->value.present)
            continue;
        given->value.name = entry->field->name;
        given->value.field = NULL;
        given->unit = entry->field->unit;
        pending->field_count++;
    }
}

/* A field that is no argument register, or one whose number is not known. Its bytes. */
static size_t take_bare_field(struct armtap_pending *pending, const struct armtap_field *field, bool is_known,
                              const uint8_t *at)
{
    struct armtap_value value = {.name = field->name, .type = field->type, .count = field->count, .present = true};
    size_t width = field->type == ARMTAP_DOUBLE ? 8 : 4;
    for (unsigned i = 0; i < field->count; i++)
        if (field->type == ARMTAP_DOUBLE)
            value.f64[i] = armtap_be_double(at + i * width);
        else
            value.i64[i] = (int32_t)armtap_be32(at + i * width);
    if (is_known && pending->field_count < ARMTAP_PENDING_FIELDS)
        pending->fields[pending->field_count++] = (struct armtap_command_value){value, field->unit};
    return width * field->count;
}

static void take_bare_register(struct armtap_pending *pending, const struct armtap_field *field, unsigned offset,
                               const uint8_t *at)
{
    if (field->type == ARMTAP_DOUBLE) {
        unsigned number = field->id - ARMTAP_ID_input_double_register - offset;
        pending->doubles[number] = armtap_be_double(at);
        pending->has_doubles |= 1u << number;
    } else {
        unsigned number = field->id - ARMTAP_ID_input_int_register - offset;
        pending->integers[number] = (int32_t)armtap_be32(at);
        pending->has_integers |= 1u << number;
    }
}

/* Of a package whose set-up was not captured, by the table's recipe, which has its length. */
static void take_bare(struct armtap_pending *pending, const struct armtap_command_table *table,
                      const struct armtap_record *record)
{
    const char *fields = armtap_ur_rtde_fields(table->side, table->releases, pending->recipe_id);
    const uint8_t *at = record->frame + ARMTAP_PACKAGE_HEAD;
    struct armtap_ur_rtde_wanted wanted;
    while (fields && armtap_ur_rtde_next_fields(&fields, table->offset, &wanted))
        for (unsigned i = 0; i < wanted.count; i++) {
            const struct armtap_field *field = armtap_field_at(wanted.id + i);
            bool is_first = at == record->frame + ARMTAP_PACKAGE_HEAD;
            bool is_register = is_argument(field, table->offset);
            bool is_known = !is_register && (field->count > 1 || !table->is_offset_unknown);
            if (is_register && !is_first)
                take_bare_register(pending, field, table->offset, at);
            pending->doubles_of += field->type == ARMTAP_DOUBLE && field->count == 1;
            at += take_bare_field(pending, field, is_known && !is_first, at);
        }
}

bool armtap_command_code(const struct armtap_record *record, int32_t *code, size_t *bytes)
{
    if (record->frame_length < ARMTAP_PACKAGE_HEAD + sizeof *code)
        return false;
    *code = (int32_t)armtap_be32(record->frame + ARMTAP_PACKAGE_HEAD);
    *bytes = record->frame_length - ARMTAP_PACKAGE_HEAD;
    return true;
}

static bool has_result(const struct armtap_ur_rtde_row *operation)
{
    const struct armtap_ur_rtde_row *row = operation + 1;
    while (row->place != ARMTAP_UR_RTDE_OPERATION && row->place != ARMTAP_UR_RTDE_END)
        if ((row++)->place >= ARMTAP_UR_RTDE_RESULT_DOUBLES)
            return true;
    return false;
}

static enum armtap_waiting waiting_for(const struct armtap_command_table *table, int32_t code)
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    size_t count = armtap_ur_rtde_meanings(table->side, table->releases, code, meanings);
    bool may_wait = count == 0, may_not = count == 0, may_answer = false;
    if (table->side == ARMTAP_UR_RTDE_IO)
        return ARMTAP_WAITING_NO;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_ur_rtde_row *row = meanings[i].row;
        may_wait = may_wait || (meanings[i].releases & ~row->no_wait) != 0;
        may_not = may_not || (meanings[i].releases & row->no_wait) != 0 || armtap_ur_rtde_may_hide(row);
        may_answer = may_answer || has_result(row);
    }
    if (may_wait)
        return may_not ? ARMTAP_WAITING_PERHAPS : ARMTAP_WAITING_YES;
    return may_answer ? ARMTAP_WAITING_RESULT : ARMTAP_WAITING_NO;
}

static bool wants_stop(const struct armtap_command_table *table, int32_t code)
{
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    size_t count = armtap_ur_rtde_meanings(table->side, table->releases, code, meanings);
    bool wants = count > 0;
    for (size_t i = 0; i < count; i++)
        wants = wants && armtap_ur_rtde_is_stop(meanings[i].row);
    return wants;
}

void armtap_command_begin(struct armtap_pending *pending, const struct armtap_command_table *table,
                          const struct armtap_record *record, int32_t code)
{
    memset(pending, 0, sizeof *pending);
    pending->is_there = true;
    pending->code = code;
    pending->recipe_id = (unsigned)record->recipe_id;
    pending->issued = record->where;
    pending->waiting = waiting_for(table, code);
    pending->wants_stop = wants_stop(table, code);
    if (record->recipe) {
        take_registers(pending, table->offset, record);
        take_fields(pending, table->offset, record);
    } else {
        take_bare(pending, table, record);
    }
}

/* ---- to the sink ------------------------------------------------------------------------------------------------- */

/* Arguments of all readings, one after the other. */
struct given {
    struct armtap_command_value values[ARMTAP_UR_RTDE_MEANINGS * ARGUMENTS];
    size_t count;
    struct armtap_command_value results[ARMTAP_UR_RTDE_MEANINGS][PROGRESS_VALUES];
    struct armtap_command_reading readings[ARMTAP_UR_RTDE_MEANINGS];
};

static bool has_all(uint32_t has, unsigned first, unsigned count)
{
    uint32_t wanted = (UINT32_C(1) << count) - 1;
    return (has >> first & wanted) == wanted;
}

static void name_value(struct armtap_command_value *to, const char *name, const char *unit, enum armtap_type type,
                       unsigned count)
{
    memset(to, 0, sizeof *to);
    to->value.name = name;
    to->value.type = type;
    to->value.count = count;
    to->value.present = true;
    to->unit = unit;
}

static void set_doubles(struct armtap_command_value *to, const struct armtap_ur_rtde_row *row, const double *from)
{
    name_value(to, row->name, row->unit, ARMTAP_DOUBLE, row->count);
    memcpy(to->value.f64, from, row->count * sizeof *from);
}

static void set_integer(struct armtap_command_value *to, const struct armtap_ur_rtde_row *row, int32_t number)
{
    name_value(to, row->name, row->unit, ARMTAP_INT32, 1);
    to->value.i64[0] = number;
}

static void set_flag(struct armtap_command_value *to, const struct armtap_ur_rtde_row *row, int32_t number)
{
    name_value(to, row->name, row->unit, ARMTAP_BOOL, 1);
    to->value.u64[0] = number != 0;
}

static void add_integers(struct given *given, const struct armtap_ur_rtde_row *row,
                         const struct armtap_pending *pending)
{
    struct armtap_command_value *to = &given->values[given->count++];
    name_value(to, row->name, row->unit, ARMTAP_INT32, row->count);
    for (unsigned i = 0; i < row->count; i++)
        to->value.i64[i] = pending->integers[row->first + i];
}

static void add_argument(struct given *given, const struct armtap_ur_rtde_row *row,
                         const struct armtap_pending *pending)
{
    if (row->place == ARMTAP_UR_RTDE_DOUBLES && has_all(pending->has_doubles, row->first, row->count) &&
        (row->of == 0 || row->of == pending->doubles_of))
        set_doubles(&given->values[given->count++], row, pending->doubles + row->first);
    else if (row->place == ARMTAP_UR_RTDE_INTEGERS && has_all(pending->has_integers, row->first, row->count))
        add_integers(given, row, pending);
    else if (row->place == ARMTAP_UR_RTDE_FLAG && has_all(pending->has_integers, row->first, 1))
        set_flag(&given->values[given->count++], row, pending->integers[row->first]);
    else if (row->place == ARMTAP_UR_RTDE_FIELDS)
        for (size_t i = 0; i < pending->field_count; i++)
            given->values[given->count++] = pending->fields[i];
}

static bool is_asynchronous(const struct armtap_pending *pending)
{
    return has_all(pending->has_integers, 1, 1) && pending->integers[1] == 1;
}

/* What an asynchronous operation has come to: until 1.5.5 a progress, since 1.5.6 a word of bits; where both fit, the
 * register as it is. The number of values. */
static size_t set_progress(struct armtap_command_value *to, const struct armtap_ur_rtde_row *row, int32_t word,
                           armtap_ur_rtde_set releases)
{
    struct armtap_ur_rtde_row named = *row;
    armtap_ur_rtde_set with_status = armtap_ur_rtde_with_status(releases);
    if (with_status != releases) {
        named.name = with_status ? "status" : row->name;
        set_integer(to, &named, word);
        return 1;
    }
    set_integer(to, &named, word & 0x7fff);
    named.name = "running";
    set_flag(to + 1, &named, word & 1 << 15);
    named.name = "operation_id";
    set_integer(to + 2, &named, word >> 24 & 0x7f);
    return PROGRESS_VALUES;
}

/* The number of values; 0: the row is no result, or none was seen. */
static size_t set_results(struct armtap_command_value *to, const struct armtap_ur_rtde_row *row,
                          const struct armtap_pending *pending, armtap_ur_rtde_set releases)
{
    const struct armtap_said_results *results = &pending->results;
    if (row->place == ARMTAP_UR_RTDE_RESULT_DOUBLES && has_all(results->has_doubles, 0, row->count))
        set_doubles(to, row, results->doubles);
    else if (row->place == ARMTAP_UR_RTDE_RESULT_INTEGER && results->has_integer)
        set_integer(to, row, results->integer);
    else if (row->place == ARMTAP_UR_RTDE_RESULT_FLAG && results->has_integer)
        set_flag(to, row, results->integer);
    else if (row->place == ARMTAP_UR_RTDE_PROGRESS && results->has_progress && is_asynchronous(pending))
        return set_progress(to, row, results->progress, releases);
    else
        return 0;
    return 1;
}

static void read_meaning(struct given *given, size_t i, const struct armtap_ur_rtde_meaning *meaning,
                         const struct armtap_pending *pending)
{
    struct armtap_command_reading *reading = &given->readings[i];
    *reading = (struct armtap_command_reading){.name = meaning->row->name,
                                               .first_release = armtap_ur_rtde_first(meaning->releases),
                                               .last_release = armtap_ur_rtde_last(meaning->releases),
                                               .usual = meaning->row->usual,
                                               .arguments = given->values + given->count,
                                               .results = given->results[i]};
    size_t before = given->count;
    const struct armtap_ur_rtde_row *row = meaning->row + 1;
    for (; row->place != ARMTAP_UR_RTDE_OPERATION && row->place != ARMTAP_UR_RTDE_END; row++) {
        add_argument(given, row, pending);
        if (reading->result_count == 0)
            reading->result_count = set_results(given->results[i], row, pending, meaning->releases);
    }
    reading->argument_count = given->count - before;
}

/* No table has the code: its registers under their own names. */
static void read_registers(struct given *given, const struct armtap_command_table *table,
                           const struct armtap_pending *pending)
{
    for (unsigned i = 0; i < ARMTAP_PENDING_INTEGERS; i++) {
        unsigned id = ARMTAP_ID_input_int_register + table->offset + i;
        struct armtap_ur_rtde_row row = {.name = armtap_field_at(id)->name, .unit = ""};
        if (has_all(pending->has_integers, i, 1))
            set_integer(&given->values[given->count++], &row, pending->integers[i]);
    }
    for (unsigned i = 0; i < ARMTAP_PENDING_DOUBLES; i++) {
        unsigned id = ARMTAP_ID_input_double_register + table->offset + i;
        struct armtap_ur_rtde_row row = {.name = armtap_field_at(id)->name, .unit = "", .count = 1};
        if (has_all(pending->has_doubles, i, 1))
            set_doubles(&given->values[given->count++], &row, &pending->doubles[i]);
    }
    for (size_t i = 0; i < pending->field_count; i++)
        given->values[given->count++] = pending->fields[i];
    given->readings[0] = (struct armtap_command_reading){.name = "",
                                                         .first_release = armtap_ur_rtde_first(table->releases),
                                                         .last_release = armtap_ur_rtde_last(table->releases),
                                                         .argument_count = given->count,
                                                         .arguments = given->values};
}

static double duration_of(const struct armtap_pending *pending)
{
    bool has_times = pending->is_done && pending->issued.time != ARMTAP_NO_TIME && pending->done.time != ARMTAP_NO_TIME;
    return has_times ? (double)(pending->done.time - pending->issued.time) / SECOND : NAN;
}

static double least_duration_of(const struct armtap_pending *pending)
{
    bool has_least = pending->undone.packet != 0 && pending->undone.time != ARMTAP_NO_TIME;
    double duration = duration_of(pending);
    return isnan(duration) ? NAN : has_least ? (double)(pending->undone.time - pending->issued.time) / SECOND : 0;
}

/* Bytes that are missing may have shown the end of it. */
static const char *cause_of(const struct armtap_pending *pending, enum armtap_command_ending ending)
{
    bool is_known = ending == ARMTAP_COMMAND_FAILED || (ending == ARMTAP_COMMAND_UNFINISHED && !pending->bytes_missing);
    return is_known ? pending->cause : NULL;
}

int armtap_command_give(struct armtap_conn *conn, const struct armtap_command_table *table,
                        const struct armtap_pending *pending, enum armtap_command_ending ending)
{
    struct given given;
    struct armtap_ur_rtde_meaning meanings[ARMTAP_UR_RTDE_MEANINGS];
    size_t count = armtap_ur_rtde_meanings(table->side, table->releases, pending->code, meanings);
    given.count = 0;
    for (size_t i = 0; i < count; i++)
        read_meaning(&given, i, &meanings[i], pending);
    if (count == 0)
        read_registers(&given, table, pending);
    struct armtap_command command = {
        .code = pending->code,
        .reading_count = count > 0 ? count : 1,
        .readings = given.readings,
        .is_unknown = count == 0,
        .evidence = table->is_by_script     ? ARMTAP_COMMAND_BY_SCRIPT
                    : table->is_by_packages ? ARMTAP_COMMAND_BY_PACKAGES
                                            : ARMTAP_COMMAND_BY_RECIPES,
        .is_offset_unknown = table->is_offset_unknown,
        .first_release = armtap_ur_rtde_first(table->releases),
        .last_release = armtap_ur_rtde_last(table->releases),
        .register_offset = table->offset,
        .recipe_id = pending->recipe_id,
        .ending = ending,
        .cause = cause_of(pending, ending),
        .bytes_missing = pending->bytes_missing,
        .was_paused = pending->was_paused,
        .is_result_early = pending->waiting == ARMTAP_WAITING_RESULT,
        .issued = pending->issued,
        .is_done = pending->is_done,
        .is_acknowledged = pending->is_acknowledged,
        .done = pending->done,
        .acknowledged = pending->acknowledged,
        .duration = duration_of(pending),
        .duration_least = least_duration_of(pending),
    };
    return armtap_conn_command(conn, &command);
}
