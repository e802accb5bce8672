#include "watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection/connection.h"
#include "table/recipe.h"

/* A half holds at most one frame of 64 KB or the 128 KB of a search, in blocks that double. */
#define HALF_MAX (512u * 1024)

void watch_add(struct watch *watch, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length; i++)
        watch->digest = (watch->digest ^ p[i]) * UINT64_C(0x100000001b3);
    watch->digest ^= watch->digest >> 29;
}

void watch_number(struct watch *watch, uint64_t number)
{
    watch_add(watch, &number, sizeof number);
}

static void add_text(struct watch *watch, const char *text, size_t length)
{
    watch_number(watch, length);
    if (length > 0)
        watch_add(watch, text, length);
}

void watch_trace(const char *format, ...)
{
    va_list arguments;
    if (!getenv("FUZZ_TRACE"))
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static int answer(struct watch *watch)
{
    return ++watch->calls == watch->stop_at ? 1 : 0;
}

/* ---- counters ---- */

enum armtap_direction watch_side(const struct watch *watch, enum armtap_direction direction)
{
    return watch->conn && watch->conn->swapped ? armtap_other(direction) : direction;
}

static uint64_t accounted(const struct armtap_stream *stream, enum armtap_direction direction)
{
    return stream->bytes_decoded[direction] + stream->bytes_skipped[direction] + stream->bytes_lost[direction];
}

void watch_counters(const struct watch *watch, bool all)
{
    for (int i = 0; i < 2; i++) {
        enum armtap_direction direction = (enum armtap_direction)i, side = watch_side(watch, direction);
        const struct armtap_half *half = &watch->conn->half[side];
        uint64_t sum = accounted(&watch->conn->stream, side);
        CHECK(sum <= watch->pushed[direction]);
        CHECK(sum == half->offset);
        CHECK(!all || sum == watch->pushed[direction]);
        CHECK(!all || half->used == 0);
        CHECK(half->capacity <= HALF_MAX);
    }
}

/* ---- records ---- */

static void check_place(struct watch *watch, const struct armtap_record *record)
{
    const struct armtap_stream *stream = record->stream;
    enum armtap_direction direction = record->direction;
    uint64_t end = record->offset + record->frame_length;
    CHECK(record->frame_length > 0);
    if (!armtap_stream_has(stream, ARMTAP_TRAIT_TEXT) &&
        (!armtap_stream_has(stream, ARMTAP_TRAIT_GATHERED) || !record->recipe)) {
        CHECK(record->values >= record->frame);
        CHECK(record->values_length <= record->frame_length);
        CHECK(record->values + record->values_length <= record->frame + record->frame_length);
    }
    /* the rest of a stream may turn out to be no message: it is counted after its record */
    CHECK(accounted(stream, direction) == end || accounted(stream, direction) == record->offset);
    if (watch->conn)
        CHECK(end <= watch->pushed[watch_side(watch, direction)]);
    if (!watch->conn && stream->connection != watch->connection) {
        watch->connection = stream->connection;
        watch->end[0] = watch->end[1] = 0;
    }
    CHECK(record->offset >= watch->end[direction]);
    watch->end[direction] = end;
}

static void check_value(struct watch *watch, const struct armtap_record *record, const struct armtap_value *value)
{
    CHECK(value->count >= 1 && value->count <= 6);
    add_text(watch, value->name, strlen(value->name));
    watch_number(watch, value->present);
    if (!value->present)
        return;
    if (value->type == ARMTAP_STRING || value->type == ARMTAP_BYTES || value->type == ARMTAP_JSON) {
        CHECK((const uint8_t *)value->text >= record->values);
        CHECK((const uint8_t *)value->text + value->length <= record->values + record->values_length);
        add_text(watch, value->text, value->length);
    } else {
        watch_add(watch, value->u64, value->count * sizeof value->u64[0]);
    }
}

/* A value that was read is the same in the state; if a recipe names a field twice, the last one counts. */
static void check_state(const struct armtap_arm *arm, const struct armtap_value *value, struct armtap_set *seen)
{
    struct armtap_value known;
    if (!value->field)
        return;
    if (armtap_set_has(seen, value->field->id))
        return;
    armtap_set_add(seen, value->field->id);
    if (!value->present)
        return;
    CHECK(armtap_set_has(arm->updated, value->field->id));
    armtap_state_get(arm->state, value->field, &known);
    CHECK(known.present && known.type == value->type && known.count == value->count);
    CHECK(memcmp(known.u64, value->u64, value->count * sizeof value->u64[0]) == 0);
}

/* The arm of entry i; the first if its name tells none. */
static size_t arm_of(const struct armtap_record *record, size_t i)
{
    unsigned number = armtap_recipe_at(record->recipe, i)->arm;
    size_t arm = 0;
    while (number != 0 && arm < record->arm_count && record->arms[arm].number != number)
        arm++;
    CHECK(arm < record->arm_count);
    return arm;
}

static void check_values(struct watch *watch, const struct armtap_record *record)
{
    struct armtap_value value;
    struct armtap_set seen[ARMTAP_ARMS_MAX] = {{{0}}};
    size_t count = record->recipe ? armtap_recipe_count(record->recipe) : 0;
    CHECK(!armtap_record_value(record, count, &value));
    for (size_t i = count; i-- > 0;) {
        CHECK(armtap_record_value(record, i, &value));
        check_value(watch, record, &value);
        if (record->state) {
            size_t arm = arm_of(record, i);
            check_state(&record->arms[arm], &value, &seen[arm]);
        }
    }
}

static void add_record(struct watch *watch, const struct armtap_record *record)
{
    watch_number(watch, record->offset);
    watch_number(watch, record->where.packet);
    watch_number(watch, record->direction);
    watch_number(watch, record->protocol);
    watch_number(watch, (uint64_t)record->version);
    watch_number(watch, record->flags);
    watch_number(watch, (uint64_t)record->recipe_id);
    add_text(watch, (const char *)record->frame, record->frame_length);
    watch_add(watch, record->updated, sizeof *record->updated);
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct watch *watch = user;
    watch->records++;
    watch_trace("record %d @%" PRIu64 " +%zu id%d flags %u recipe %zu packet %" PRIu64, record->direction,
                record->offset, record->frame_length, record->recipe_id, record->flags,
                record->recipe ? armtap_recipe_count(record->recipe) : 0, record->where.packet);
    check_place(watch, record);
    for (size_t i = 0; i < sizeof record->updated->word / sizeof record->updated->word[0]; i++)
        CHECK((record->updated->word[i] & ~record->state->known.word[i]) == 0);
    if (record->protocol != ARMTAP_AUBO) {
        CHECK((record->flags & ARMTAP_SHORT) == 0 || record->values_length < armtap_recipe_size(record->recipe));
        CHECK((record->flags & ARMTAP_LONG) == 0 || record->values_length > armtap_recipe_size(record->recipe));
    }
    for (size_t i = 0; i < record->arm_count; i++) {
        watch_number(watch, record->arms[i].number);
        watch_add(watch, record->arms[i].updated, sizeof *record->arms[i].updated);
    }
    check_values(watch, record);
    add_record(watch, record);
    watch_add(watch, record->state->known.word, sizeof record->state->known.word);
    return answer(watch);
}

static int on_properties(void *user, const struct armtap_record *record)
{
    struct watch *watch = user;
    check_place(watch, record);
    CHECK(record->state && record->arm_count == 1 && record->arms[0].state == record->state);
    check_values(watch, record);
    add_record(watch, record);
    return answer(watch);
}

/* ---- everything else ---- */

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct watch *watch = user;
    size_t end = 0;
    watch_trace("recipe %d id%d fields %zu", event->direction, event->recipe_id, armtap_recipe_count(event->recipe));
    watch_number(watch, event->direction);
    watch_number(watch, (uint64_t)event->recipe_id);
    watch_number(watch, event->where.packet);
    watch_number(watch, event->flags);
    for (size_t i = 0; i < armtap_recipe_count(event->recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(event->recipe, i);
        CHECK(entry->offset == end || entry->offset == SIZE_MAX);
        end += entry->offset == SIZE_MAX ? 0 : entry->wire_size;
        add_text(watch, entry->name, strlen(entry->name));
        watch_number(watch, entry->type);
        watch_number(watch, entry->count);
    }
    CHECK(!armtap_recipe_at(event->recipe, armtap_recipe_count(event->recipe)));
    CHECK(armtap_recipe_size(event->recipe) == end);
    return answer(watch);
}

static int on_text(void *user, const struct armtap_text *text)
{
    struct watch *watch = user;
    watch_trace("text %d level %d, %zu bytes", text->direction, text->level, text->text_length);
    watch_number(watch, text->direction);
    watch_number(watch, text->where.packet);
    watch_number(watch, (uint64_t)text->level);
    add_text(watch, text->text, text->text_length);
    add_text(watch, text->source, text->source_length);
    return answer(watch);
}

/* ASCII without control characters, or complete UTF-8 sequences. */
static bool is_shown(const unsigned char *byte)
{
    if (*byte < 0x80)
        return *byte >= ' ' && *byte <= '~';
    if ((*byte & 0xC0) == 0x80)
        return byte[-1] >= 0x80;
    unsigned more = *byte >= 0xF0 ? 3 : *byte >= 0xE0 ? 2 : 1;
    for (unsigned i = 1; i <= more; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return false;
    return *byte >= 0xC2 && *byte <= 0xF4 && (byte[more + 1] & 0xC0) != 0x80;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct watch *watch = user;
    size_t length = strlen(note->text);
    watch_trace("note %d %s: %s (packet %" PRIu64 ")", note->direction, note->kind->id, note->text, note->where.packet);
    CHECK(length > 0 && length < sizeof((struct armtap_line *)0)->text);
    for (size_t i = 0; i < length; i++)
        CHECK(is_shown((const unsigned char *)note->text + i));
    watch_number(watch, note->direction);
    watch_number(watch, note->where.packet);
    add_text(watch, note->kind->id, strlen(note->kind->id));
    add_text(watch, note->text, length);
    return answer(watch);
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct watch *watch = user;
    watch_trace("event %d type %d %" PRIu64 " packet %" PRIu64, event->direction, event->type, event->a,
                event->where.packet);
    watch_number(watch, event->direction);
    watch_number(watch, event->type);
    watch_number(watch, event->a);
    watch_number(watch, event->where.packet);
    return answer(watch);
}

static int on_bytes(void *user, const struct armtap_bytes *bytes)
{
    struct watch *watch = user;
    watch_trace("bytes %d of port %u at %" PRIu64 ", %" PRIu64 "%s", bytes->direction, bytes->port, bytes->offset,
                bytes->length, bytes->bytes ? "" : " missing");
    CHECK(bytes->length > 0);
    watch_number(watch, bytes->direction);
    watch_number(watch, bytes->offset);
    if (bytes->bytes)
        add_text(watch, (const char *)bytes->bytes, bytes->length);
    return answer(watch);
}

static void add_command_value(struct watch *watch, const struct armtap_command_value *value)
{
    CHECK(value->value.present && value->value.count >= 1 && value->value.count <= 6 && !value->value.field);
    add_text(watch, value->value.name, strlen(value->value.name));
    add_text(watch, value->unit, strlen(value->unit));
    for (unsigned i = 0; i < value->value.count; i++)
        watch_number(watch, value->value.u64[i]);
}

static int on_command(void *user, const struct armtap_command *command)
{
    struct watch *watch = user;
    watch_trace("command %d %s packet %" PRIu64, (int)command->code, armtap_command_ending_name(command->ending),
                command->issued.packet);
    CHECK(command->reading_count > 0 && (!command->is_unknown || command->reading_count == 1));
    watch_number(watch, (uint64_t)command->code);
    watch_number(watch, command->ending);
    watch_number(watch, command->issued.packet);
    watch_number(watch, command->is_done ? command->done.packet : 0);
    watch_number(watch, command->is_acknowledged ? command->acknowledged.packet : 0);
    add_text(watch, command->first_release, strlen(command->first_release));
    add_text(watch, command->last_release, strlen(command->last_release));
    for (size_t i = 0; i < command->reading_count; i++) {
        const struct armtap_command_reading *reading = &command->readings[i];
        add_text(watch, reading->name, strlen(reading->name));
        for (size_t k = 0; k < reading->argument_count; k++)
            add_command_value(watch, &reading->arguments[k]);
        for (size_t k = 0; k < reading->result_count; k++)
            add_command_value(watch, &reading->results[k]);
    }
    return answer(watch);
}

struct armtap_sink watch_sink(void)
{
    return (struct armtap_sink){.size = sizeof(struct armtap_sink),
                                .on_record = on_record,
                                .on_recipe = on_recipe,
                                .on_text = on_text,
                                .on_note = on_note,
                                .on_event = on_event,
                                .on_properties = on_properties,
                                .on_bytes = on_bytes,
                                .on_command = on_command};
}
