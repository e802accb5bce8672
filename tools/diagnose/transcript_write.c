#include <stdlib.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "transcript_rows.h"
#include "analysis/inside.h"

struct transcript {
    struct buffer bytes;
    struct by_connection told; /* struct told */
    struct told capture;       /* of calls without a stream */
    uint64_t connection;       /* of the last entry */
    bool is_cut;
};

struct transcript *transcript_new(void)
{
    struct transcript *transcript = calloc(1, sizeof *transcript);
    if (!transcript)
        return NULL;
    buffer_char(&transcript->bytes, TRANSCRIPT_VERSION);
    if (!transcript->bytes.failed)
        return transcript;
    transcript_free(transcript);
    return NULL;
}

void transcript_free(struct transcript *transcript)
{
    if (!transcript)
        return;
    rows_forget(&transcript->told);
    free(transcript->told.slots);
    free(transcript->bytes.data);
    free(transcript);
}

bool transcript_is_cut(const struct transcript *transcript)
{
    return transcript->is_cut;
}

const uint8_t *transcript_end(struct transcript *transcript, size_t *length)
{
    struct buffer *bytes = &transcript->bytes;
    uint64_t sum = rows_sum((const uint8_t *)bytes->data, bytes->length);
    for (unsigned i = 0; i < SUM_BYTES; i++)
        buffer_char(bytes, (char)(sum >> 8 * i & 0xFF));
    *length = bytes->length;
    return bytes->failed ? NULL : (const uint8_t *)bytes->data;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void put_number(struct buffer *to, uint64_t number)
{
    for (; number > 0x7F; number >>= 7)
        buffer_char(to, (char)(number | 0x80));
    buffer_char(to, (char)number);
}

/* A text, or NULL. */
static void put_text(struct buffer *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(to, text ? length + 1 : 0);
    if (text)
        buffer_put(to, text, length);
}

static void put_row(struct buffer *to, struct row *row, const uint64_t numbers[ROW_MAX], size_t count)
{
    uint64_t expected[ROW_MAX], mask = 0;
    rows_expect(row, expected);
    for (size_t i = 0; i < count; i++)
        mask |= (uint64_t)(numbers[i] != expected[i]) << i;
    put_number(to, mask);
    for (size_t i = 0; i < count; i++) {
        uint64_t off = numbers[i] - expected[i];
        if (off != 0)
            put_number(to, off << 1 ^ (off >> 63 ? UINT64_MAX : 0));
    }
    rows_advance(row, numbers, count);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static struct told *told_of(struct transcript *transcript, const struct armtap_stream *stream)
{
    struct told *told = by_connection_find(&transcript->told, stream->connection);
    if (told)
        return told;
    if (transcript->told.count == STREAMS_MAX) {
        rows_forget(&transcript->told);
        buffer_char(&transcript->bytes, ENTRY_FORGET);
    }
    told = calloc(1, sizeof *told);
    if (told && by_connection_add(&transcript->told, stream->connection, told))
        return told;
    free(told);
    return NULL;
}

static bool has_names_of(const struct armtap_stream *one, const struct armtap_stream *other)
{
    return strcmp(one->robot, other->robot) == 0 && strcmp(one->client, other->client) == 0 &&
           strcmp(one->controller_version, other->controller_version) == 0;
}

/* The beginning of an entry, up to the rows of stream and call. */
static struct told *begin_row(struct transcript *transcript, unsigned kind, const struct armtap_stream *stream,
                              const struct call *call)
{
    struct buffer *to = &transcript->bytes;
    struct told *told = stream ? told_of(transcript, stream) : &transcript->capture;
    uint64_t numbers[ROW_MAX];
    transcript->is_cut = transcript->is_cut || to->length > TRANSCRIPT_MAX;
    if (!told || transcript->is_cut)
        return NULL;
    if (stream)
        kind |= ENTRY_HAS_STREAM | (stream->connection != transcript->connection ? ENTRY_OTHER_STREAM : 0u) |
                (has_names_of(stream, &told->stream) ? 0u : ENTRY_NAMES);
    buffer_char(to, (char)kind);
    if (kind & ENTRY_OTHER_STREAM)
        put_number(to, transcript->connection = stream->connection);
    if (kind & ENTRY_NAMES) {
        put_text(to, stream->robot);
        put_text(to, stream->client);
        put_text(to, stream->controller_version);
    }
    put_row(to, &told->of_call[kind & ENTRY_KIND], numbers, rows_from_call(numbers, call));
    if (stream) {
        put_row(to, &told->of_stream, numbers, rows_from_stream(numbers, stream, call));
        told->stream = *stream;
    }
    return told;
}

/* What callers return: 0 if the entry is there, or is left out because there are too many. */
static int end_row(const struct transcript *transcript, const struct told *told)
{
    return transcript->bytes.failed || (!told && !transcript->is_cut) ? -1 : 0;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void arm_numbers(uint64_t numbers[ARM_NUMBERS], const struct armtap_arm *arm)
{
    numbers[0] = arm->number;
    numbers[1] = 0;
    for (size_t i = 0; i < KEPT_MODES; i++) {
        bool is_set = armtap_set_has(arm->updated, kept_modes[i]);
        numbers[1] |= (uint64_t)is_set << i;
        numbers[2 + i] = is_set ? (uint64_t)kept_mode(arm->state, i) : 0;
    }
}

/* Of the few records whose pose the analysis compares with the joints. */
static enum kept_pose pose_of(const struct armtap_record *record)
{
    return armtap_streams_reads_pose(record) ? kept_pose_of(record->updated) : KEPT_NO_POSE;
}

static void put_pose(struct buffer *to, const struct armtap_state *state, enum kept_pose which)
{
    double pose[KEPT_POSE];
    get_kept_pose(state, which, pose);
    for (size_t i = 0; i < kept_pose_size(which); i++) {
        uint64_t bits;
        memcpy(&bits, &pose[i], sizeof bits);
        for (unsigned shift = 0; shift < 64; shift += 8)
            buffer_char(to, (char)(bits >> shift));
    }
}

int transcript_record(struct transcript *transcript, const struct armtap_record *record)
{
    const struct call call = {.content = (uint32_t)pose_of(record),
                              .where = record->where,
                              .frame_length = record->frame_length,
                              .clock = record->clock,
                              .direction = record->direction,
                              .version = (uint32_t)record->version,
                              .flags = record->flags,
                              .recipe_id = (uint32_t)record->recipe_id,
                              .arms = (uint32_t)record->arm_count,
                              .has_recipe = record->recipe != NULL};
    struct told *told = begin_row(transcript, ENTRY_RECORD, record->stream, &call);
    uint64_t numbers[ROW_MAX] = {0};
    for (size_t i = 0; i < record->arm_count && i < ARMTAP_ARMS_MAX; i++)
        arm_numbers(numbers + i * ARM_NUMBERS, &record->arms[i]);
    if (told && record->arm_count > 0)
        put_row(&transcript->bytes, &told->of_modes, numbers, ARMTAP_ARMS_MAX * ARM_NUMBERS);
    if (told && call.content != KEPT_NO_POSE)
        put_pose(&transcript->bytes, record->state, (enum kept_pose)call.content);
    return end_row(transcript, told);
}

/* The fields that the table knows, of a set-up that the controller granted. */
static bool is_kept_field(const struct armtap_recipe_event *event, size_t i)
{
    return event->stream->protocol == ARMTAP_RTDE && armtap_recipe_at(event->recipe, i)->field;
}

static void put_fields(struct buffer *to, const struct armtap_recipe_event *event)
{
    size_t count = 0;
    for (size_t i = 0; i < armtap_recipe_count(event->recipe); i++)
        count += is_kept_field(event, i);
    put_number(to, count < FIELDS_MAX ? count : FIELDS_MAX);
    for (size_t i = 0, put = 0; i < armtap_recipe_count(event->recipe) && put < FIELDS_MAX; i++)
        if (is_kept_field(event, i)) {
            put_text(to, armtap_recipe_at(event->recipe, i)->field->name);
            put++;
        }
}

int transcript_recipe(struct transcript *transcript, const struct armtap_recipe_event *event)
{
    const struct call call = {.where = event->where,
                              .direction = event->direction,
                              .recipe_id = (uint32_t)event->recipe_id,
                              .flags = event->flags,
                              .frequency = event->frequency};
    struct told *told = begin_row(transcript, ENTRY_RECIPE, event->stream, &call);
    if (told)
        put_fields(&transcript->bytes, event);
    return end_row(transcript, told);
}

static bool is_text(const struct armtap_argument *argument)
{
    enum armtap_argument_type type = armtap_argument_kind(argument)->type;
    return type == ARMTAP_TEXT || type == ARMTAP_QUOTED;
}

static void put_arguments(struct buffer *to, const struct armtap_arguments *arguments)
{
    put_number(to, arguments->count);
    for (size_t i = 0; i < arguments->count; i++) {
        const struct armtap_argument *argument = &arguments->all[i];
        put_number(to, argument->id);
        put_number(to, argument->word);
        put_number(to, is_text(argument) ? argument->length : argument->value.count);
        if (is_text(argument))
            buffer_put(to, argument->value.text, argument->length);
    }
}

int transcript_note(struct transcript *transcript, const struct armtap_note *note)
{
    const struct call call = {.where = note->where, .direction = note->direction};
    struct told *told = begin_row(transcript, ENTRY_NOTE, note->stream, &call);
    if (told) {
        put_text(&transcript->bytes, note->kind->id);
        put_text(&transcript->bytes, note->text);
        put_arguments(&transcript->bytes, &note->arguments);
    }
    return end_row(transcript, told);
}

int transcript_event(struct transcript *transcript, const struct armtap_event *event)
{
    const struct armtap_unreachable *why = event->unreachable;
    const struct call call = {.where = event->where,
                              .direction = event->direction,
                              .type = event->type,
                              .a = event->a,
                              .doubtful = event->doubtful,
                              .has_text = why != NULL,
                              .version = why ? why->type : 0,
                              .code = why ? why->code : 0};
    struct told *told = begin_row(transcript, ENTRY_EVENT, event->stream, &call);
    if (told && why) {
        put_text(&transcript->bytes, why->reporter);
        put_text(&transcript->bytes, why->reason);
    }
    return end_row(transcript, told);
}

/* With its names joined, as the findings have them. */
static void put_names(struct buffer *to, const struct armtap_command *command)
{
    static const char between[] = " or ";
    size_t length = 0;
    for (size_t i = 0; i < command->reading_count; i++)
        length += strlen(command->readings[i].name) + (i > 0 ? sizeof between - 1 : 0);
    put_number(to, length + 1);
    for (size_t i = 0; i < command->reading_count; i++) {
        buffer_string(to, i > 0 ? between : "");
        buffer_string(to, command->readings[i].name);
    }
}

/* What it usually takes; 0 if one of its meanings moves the arm. */
static double usual_of(const struct armtap_command *command)
{
    double most = command->readings[0].usual;
    for (size_t i = 1; i < command->reading_count; i++) {
        double usual = command->readings[i].usual;
        most = usual <= 0 || most <= 0 ? 0 : usual > most ? usual : most;
    }
    return most;
}

/* What a motion is known by: it is that of another command if that has the same target, and everything else. */
static uint64_t sum_of_arguments(const struct armtap_command_reading *reading)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < reading->argument_count; i++) {
        const struct armtap_value *value = &reading->arguments[i].value;
        const uint64_t bytes[2] = {sum, rows_sum((const void *)value->u64, value->count * sizeof *value->u64)};
        sum = rows_sum((const void *)bytes, sizeof bytes);
    }
    return sum;
}

static bool has_argument(const struct armtap_command_reading *reading, const char *name, bool is_set)
{
    for (size_t i = 0; i < reading->argument_count; i++) {
        const struct armtap_value *value = &reading->arguments[i].value;
        if (strcmp(value->name, name) == 0)
            return !is_set || value->u64[0] != 0;
    }
    return false;
}

/* Of those that a client sends each cycle without waiting, it is only kept that there were some. */
int transcript_command(struct transcript *transcript, const struct armtap_command *command)
{
    struct told *of = told_of(transcript, command->stream);
    if (command->ending == ARMTAP_COMMAND_SENT) {
        if (of)
            of->has_sent = true;
        return of || transcript->is_cut ? 0 : -1;
    }
    const struct armtap_command_reading *reading = &command->readings[0];
    bool is_one = command->reading_count == 1 && !command->is_unknown;
    const struct call call = {
        .a = is_one ? sum_of_arguments(reading) : 0,
        .flags = (of && of->has_sent ? COMMAND_AFTER_SENT : 0u) | (command->was_paused ? COMMAND_WAS_PAUSED : 0u) |
                 (is_one && has_argument(reading, "target", false) ? COMMAND_HAS_TARGET : 0u) |
                 (is_one && has_argument(reading, "asynchronous", true) ? COMMAND_IS_ASYNCHRONOUS : 0u),
        .where = command->issued,
        .first = command->acknowledged,
        .clock = command->duration,
        .least = command->duration_least,
        .frequency = usual_of(command),
        .type = command->ending,
        .code = (uint32_t)command->code,
        .content = command->is_acknowledged,
        .doubtful = command->bytes_missing,
        .has_recipe = command->is_unknown,
        .has_text = command->cause != NULL};
    struct told *told = begin_row(transcript, ENTRY_COMMAND, command->stream, &call);
    if (told) {
        told->has_sent = false;
        put_names(&transcript->bytes, command);
        put_text(&transcript->bytes, command->cause);
    }
    return end_row(transcript, told);
}

int transcript_message(struct transcript *transcript, const struct armtap_message *message)
{
    uint8_t type;
    if (!is_kept_message(message))
        return 0;
    bool is_whole = kept_type(message, &type);
    const struct call call = {.where = message->where,
                              .first = message->first,
                              .direction = message->direction,
                              .content = type,
                              .doubtful = !is_whole};
    return end_row(transcript, begin_row(transcript, ENTRY_MESSAGE, message->stream, &call));
}
