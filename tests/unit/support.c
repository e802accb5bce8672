#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "inside.h"

void need_aubo(void)
{
    if (!armtap_aubo_libraries())
        skip();
}

/* ---- byte strings ---- */

static void *grown(void *at, size_t need, size_t *capacity)
{
    if (need <= *capacity)
        return at;
    *capacity = need < 256 ? 256 : 2 * need;
    at = realloc(at, *capacity);
    assert_non_null(at);
    return at;
}

void bytes_add(struct bytes *bytes, const void *more, size_t length)
{
    bytes->at = grown(bytes->at, bytes->length + length + 1, &bytes->capacity);
    if (length > 0)
        memcpy(bytes->at + bytes->length, more, length);
    bytes->length += length;
}

void bytes_number(struct bytes *bytes, uint64_t number, unsigned width)
{
    while (width > 0) {
        uint8_t byte = (uint8_t)(number >> (8 * --width));
        bytes_add(bytes, &byte, 1);
    }
}

void bytes_double(struct bytes *bytes, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bytes_number(bytes, bits, 8);
}

void bytes_text(struct bytes *bytes, const char *text)
{
    bytes_add(bytes, text, strlen(text));
}

void bytes_hex(struct bytes *bytes, const char *digits)
{
    static const char hex[] = "0123456789abcdef";
    unsigned value = 0, count = 0;
    for (; *digits; digits++) {
        const char *place = strchr(hex, *digits);
        if (*digits == ' ')
            continue;
        assert_non_null(place);
        value = value << 4 | (unsigned)(place - hex);
        if (++count % 2 == 0)
            bytes_number(bytes, value & 255, 1);
    }
    assert_int_equal(count % 2, 0);
}

void expect_hex(const void *got, size_t length, const char *digits)
{
    struct bytes wanted = {0};
    bytes_hex(&wanted, digits);
    assert_int_equal(length, wanted.length);
    assert_memory_equal(got, wanted.at, length);
    bytes_free(&wanted);
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct bytes){0};
}

void put_raw_cell(uint8_t *packet, unsigned column, uint64_t bits)
{
    for (unsigned i = 0; i < 8; i++)
        packet[4 + 8 * (column - 1) + i] = (uint8_t)(bits >> (56 - 8 * i));
}

void put_cell(uint8_t *packet, unsigned column, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_raw_cell(packet, column, bits);
}

void bytes_packet(struct bytes *bytes, size_t size, double clock)
{
    size_t begin = bytes->length;
    bytes_number(bytes, size, 4);
    for (unsigned column = 1; bytes->length - begin + 8 <= size; column++)
        bytes_double(bytes, column == 1 ? clock : (double)column);
    while (bytes->length - begin < size)
        bytes_number(bytes, 0xee, 1);
}

void bytes_package(struct bytes *bytes, char type, const struct bytes *payload)
{
    bytes_number(bytes, 3 + payload->length, 2);
    bytes_number(bytes, (uint8_t)type, 1);
    bytes_add(bytes, payload->at, payload->length);
}

void bytes_list(struct bytes *bytes, char type, const char *head, const char *text)
{
    struct bytes payload = {0};
    bytes_hex(&payload, head);
    bytes_text(&payload, text);
    bytes_package(bytes, type, &payload);
    bytes_free(&payload);
}

uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

size_t random_size(size_t limit, uint64_t *seed)
{
    return (size_t)(random_bits(seed) % limit);
}

/* ---- packets ---- */

static void put_number(uint8_t *to, uint32_t number, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        to[i] = (uint8_t)(number >> 8 * (width - 1 - i));
}

void put_segment(uint8_t *packet, const struct tcp_segment *segment, const void *data, size_t length)
{
    memset(packet, 0, 40);
    packet[0] = 0x45;
    put_number(packet + 2, (uint32_t)(40 + length), 2);
    packet[9] = 6;
    for (unsigned i = 0; i < 2; i++) {
        put_number(packet + 12 + 4 * i, segment->address[i], 4);
        put_number(packet + 20 + 2 * i, segment->port[i], 2);
    }
    put_number(packet + 24, segment->seq, 4);
    put_number(packet + 28, segment->ack, 4);
    packet[32] = 0x50;
    packet[33] = (uint8_t)segment->flags;
    put_number(packet + 34, 8192, 2);
    if (length > 0)
        memcpy(packet + 40, data, length);
}

/* ---- the log ---- */

static void log_add(struct log *log, const char *format, ...) PRINTF_FORMAT(2, 3);

static void log_arguments(struct log *log, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    log->text = grown(log->text, log->length + 256, &log->capacity);
    int length = vsnprintf(log->text + log->length, log->capacity - log->length, format, arguments);
    assert_true(length >= 0);
    if (log->length + (size_t)length + 1 > log->capacity) {
        log->text = grown(log->text, log->length + (size_t)length + 1, &log->capacity);
        vsnprintf(log->text + log->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    log->length += (size_t)length;
}

static void log_add(struct log *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_arguments(log, format, arguments);
    va_end(arguments);
}

void log_line(struct log *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_arguments(log, format, arguments);
    va_end(arguments);
    log_add(log, "\n");
}

static void log_double(struct log *log, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.17g", number);
    log_add(log, "%s", text);
}

static void log_element(struct log *log, const struct armtap_value *value, unsigned i)
{
    if (value->type == ARMTAP_DOUBLE)
        log_double(log, value->f64[i]);
    else if (value->type == ARMTAP_INT32 || value->type == ARMTAP_INT64)
        log_add(log, "%" PRId64, value->i64[i]);
    else
        log_add(log, "%" PRIu64, value->u64[i]);
}

void log_value(struct log *log, const struct armtap_value *value)
{
    if (!value->present) {
        log_add(log, "absent");
    } else if (value->type == ARMTAP_STRING) {
        log_add(log, "\"%.*s\"", (int)value->length, value->text);
    } else if (value->type == ARMTAP_JSON) {
        log_add(log, "json %.*s", (int)value->length, value->text);
    } else if (value->type == ARMTAP_BYTES) {
        log_add(log, "%zu bytes", value->length);
    } else if (value->count == 1) {
        log_element(log, value, 0);
    } else {
        for (unsigned i = 0; i < value->count; i++) {
            log_add(log, i == 0 ? "[" : ", ");
            log_element(log, value, i);
        }
        log_add(log, "]");
    }
}

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Four independent sums make the hash four times as fast. They are no array: gcc would multiply its elements with
 * vector instructions, which have no product of 64 bits and take three times as long. */
static uint64_t hash_of(const void *bytes, size_t length)
{
    const uint8_t *p = bytes;
    uint64_t a = UINT64_C(0xcbf29ce484222325), b = 1, c = 2, d = 3;
    for (; length >= 32; p += 32, length -= 32) {
        a = mixed(a, word_at(p));
        b = mixed(b, word_at(p + 8));
        c = mixed(c, word_at(p + 16));
        d = mixed(d, word_at(p + 24));
    }
    uint64_t hash = mixed(mixed(mixed(a, b), c), d);
    for (; length >= 8; p += 8, length -= 8)
        hash = mixed(hash, word_at(p));
    for (; length > 0; p++, length--)
        hash = (hash ^ *p) * UINT64_C(0x100000001b3);
    return hash;
}

static const char *arrow(enum armtap_direction direction)
{
    return direction == ARMTAP_FROM_ROBOT ? "<" : ">";
}

static void log_flags(struct log *log, unsigned flags)
{
    static const char *const names[] = {"after-gap", "guessed", "short", "long", "cut"};
    for (unsigned i = 0; i < 5; i++)
        if (flags >> i & 1)
            log_add(log, " %s", names[i]);
    assert_int_equal(flags >> 5, 0);
}

static void log_values(struct log *log, const struct armtap_record *record)
{
    struct armtap_value value;
    if (!record->recipe)
        log_add(log, " opaque");
    for (size_t i = 0; armtap_record_value(record, i, &value); i++) {
        log_add(log, " %s=", value.name);
        log_value(log, &value);
    }
}

/* Of all but what is private. */
static uint64_t hash_of_state(const struct armtap_state *state)
{
    const size_t fields = offsetof(struct armtap_state, own) + sizeof state->own;
    return mixed(hash_of(&state->known, sizeof state->known),
                 hash_of((const char *)state + fields, sizeof *state - fields));
}

/* What a record says about arms other than the first. */
static void log_arms(struct log *log, const struct armtap_record *record)
{
    for (size_t i = 1; i < record->arm_count; i++)
        log_add(log, " arm %u %016" PRIx64 " %016" PRIx64, record->arms[i].number,
                hash_of(record->arms[i].updated, sizeof *record->arms[i].updated),
                hash_of_state(record->arms[i].state));
}

static void log_record(struct log *log, const char *kind, const struct armtap_record *record)
{
    log_add(log, "%s %s @%" PRIu64 " +%zu v%d id%d", kind, arrow(record->direction), record->offset,
            record->frame_length, record->version, record->recipe_id);
    log_flags(log, record->flags);
    if (record->where.packet)
        log_add(log, " packet %" PRIu64, record->where.packet);
    if (record->read.packet != record->where.packet)
        log_add(log, " read %" PRIu64, record->read.packet);
    if (!armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT) &&
        (!armtap_stream_has(record->stream, ARMTAP_TRAIT_GATHERED) || !record->recipe)) {
        assert_true(record->values >= record->frame);
        assert_true(record->values + record->values_length <= record->frame + record->frame_length);
    }
    if (log->values)
        log_values(log, record);
    else
        log_add(log, " %016" PRIx64 " %016" PRIx64 " %016" PRIx64, hash_of(record->frame, record->frame_length),
                hash_of(record->updated, sizeof *record->updated), record->state ? hash_of_state(record->state) : 0);
    log_arms(log, record);
    log_add(log, "\n");
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct log *log = user;
    log->records[record->direction]++;
    log->after_gap += record->flags & ARMTAP_AFTER_GAP ? 1u : 0u;
    log_record(log, "record", record);
    return log->stop;
}

static int on_properties(void *user, const struct armtap_record *record)
{
    struct log *log = user;
    log->properties++;
    log_record(log, "properties", record);
    return log->stop;
}

static void log_entries(struct log *log, const struct armtap_recipe *recipe)
{
    for (size_t i = 0; i < armtap_recipe_count(recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(recipe, i);
        log_add(log, " %s:%s%s", entry->name, armtap_type_name(entry->type, entry->count), entry->field ? "" : "?");
    }
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct log *log = user;
    log->recipes++;
    log_add(log, "recipe %s id%d %g Hz", arrow(event->direction), event->recipe_id, event->frequency);
    log_flags(log, event->flags);
    if (!log->values)
        log_add(log, " %zu bytes", armtap_recipe_size(event->recipe));
    if (log->values)
        log_entries(log, event->recipe);
    log_add(log, "\n");
    return log->stop;
}

static int on_text(void *user, const struct armtap_text *text)
{
    struct log *log = user;
    log->texts++;
    if (text->kind != ARMTAP_TEXT_MESSAGE)
        log_add(log, "%s C%dA%d \"%.*s\" report %d mode %d line %d:%d data %u %#x clock %.6f from %d, ",
                armtap_text_kind_name(text->kind), (int)text->code, (int)text->argument, (int)text->title_length,
                text->title_length ? text->title : "", text->report_level, text->safety_mode, (int)text->line,
                (int)text->column, (unsigned)text->data_type, (unsigned)text->data, text->clock, text->source_number);
    log_line(log, "text %s level %d \"%.*s\" of \"%.*s\"", arrow(text->direction), text->level, (int)text->text_length,
             text->text_length ? text->text : "", (int)text->source_length, text->source_length ? text->source : "");
    return log->stop;
}

/* Bytes from the wire between quotation marks, so that an empty argument shows. */
static void log_quoted(struct log *log, const char *bytes, size_t length)
{
    log_add(log, "'");
    for (size_t i = 0; i < length; i++)
        log_add(log, bytes[i] >= ' ' && bytes[i] < 127 ? "%c" : "\\x%02x", (unsigned char)bytes[i]);
    log_add(log, "'");
}

void log_note_arguments(struct log *log, const struct armtap_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const struct armtap_argument *argument = &arguments->all[i];
        const struct armtap_argument_kind *kind = armtap_argument_kind(argument);
        if (argument->id == 0)
            continue; /* absent */
        log_add(log, kind->type == ARMTAP_FLAG ? " %s" : " %s=", kind->name);
        if (kind->type == ARMTAP_NUMBER)
            log_double(log, argument->value.number);
        else if (kind->type == ARMTAP_COUNT)
            log_add(log, "%" PRIu64, argument->value.count);
        else if (kind->type == ARMTAP_INTEGER || kind->type == ARMTAP_TIME)
            log_add(log, "%" PRId64, argument->value.integer);
        else if (kind->type >= ARMTAP_NAMES)
            log_quoted(log, argument->value.text, argument->length);
        else if (kind->type != ARMTAP_FLAG)
            log_add(log, "%s", armtap_argument_text(argument));
    }
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct log *log = user;
    log->notes++;
    assert_true(note->text && *note->text);
    for (const char *p = note->text; *p; p++)
        assert_true((unsigned char)*p >= ' '); /* bytes from the wire are escaped in the sentence */
    log_add(log, "note %s %s:", arrow(note->direction), note->kind->id);
    log_note_arguments(log, &note->arguments);
    log_add(log, "\n");
    return log->stop;
}

static int on_event(void *user, const struct armtap_event *event)
{
    static const char *const names[] = {"open",        "close",        "recognised", "gap",       "retransmission",
                                        "duplicate",   "out-of-order", "window",     "start",     "pause",
                                        "connected",   "refused",      "no-answer",  "syn-again", "too-soon",
                                        "unreachable", "keep-alive"};
    struct log *log = user;
    log_line(log, "event %s %s %" PRIu64, arrow(event->direction), names[event->type], event->a);
    return log->stop;
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    static const char *const why[] = {"NOT_FOUND", "IN_USE", "NOT_SET", "MISREAD"};
    struct log *log = user;
    log_add(log, "refused %s %g Hz, accepted", arrow(setup->direction), setup->frequency);
    log_entries(log, setup->accepted);
    log_add(log, "; left out");
    for (size_t i = 0; i < setup->refused_count; i++)
        log_add(log, " %.*s:%s", (int)setup->refused[i].length, setup->refused[i].name, why[setup->refused[i].why]);
    log_add(log, "\n");
    return log->stop;
}

static int on_command(void *user, const struct armtap_command *command)
{
    struct log *log = user;
    log_add(log, "command %d %s, offset %u, by %s of %s to %s, packets %" PRIu64 " %" PRIu64 " %" PRIu64 "%s:",
            (int)command->code, armtap_command_ending_name(command->ending), command->register_offset,
            armtap_command_evidence_name(command->evidence), command->first_release, command->last_release,
            command->issued.packet, command->done.packet, command->acknowledged.packet,
            command->bytes_missing ? ", bytes missing" : "");
    for (size_t i = 0; i < command->reading_count; i++) {
        const struct armtap_command_reading *reading = &command->readings[i];
        log_add(log, " %s(", reading->name);
        for (size_t k = 0; k < reading->argument_count; k++)
            log_value(log, &reading->arguments[k].value);
        log_add(log, ") = ");
        for (size_t k = 0; k < reading->result_count; k++)
            log_value(log, &reading->results[k].value);
    }
    log_add(log, "\n");
    return log->stop;
}

struct armtap_sink log_sink(void)
{
    return (struct armtap_sink){.size = sizeof(struct armtap_sink),
                                .on_record = on_record,
                                .on_recipe = on_recipe,
                                .on_text = on_text,
                                .on_note = on_note,
                                .on_event = on_event,
                                .on_properties = on_properties,
                                .on_refused = on_refused,
                                .on_command = on_command};
}

void log_stream(struct log *log, const struct armtap_conn *conn)
{
    static const char *const generations[] = {"unknown", "cb2", "cb3e", "aubo"};
    const struct armtap_stream *stream = armtap_conn_stream(conn);
    const char *protocol = armtap_protocol_name(stream->protocol);
    log_line(log, "stream %s v%d %s controller \"%s\" gaps %" PRIu64, protocol ? protocol : "none", stream->version,
             generations[stream->generation], stream->controller_version, stream->gaps);
    for (int i = 0; i < 2; i++)
        log_line(log, "  %s records %" PRIu64 " decoded %" PRIu64 " lost %" PRIu64 " skipped %" PRIu64,
                 arrow((enum armtap_direction)i), stream->records[i], stream->bytes_decoded[i], stream->bytes_lost[i],
                 stream->bytes_skipped[i]);
}

void log_clear(struct log *log)
{
    struct log empty = {.text = log->text, .capacity = log->capacity, .values = log->values, .stop = log->stop};
    *log = empty;
    if (log->text)
        log->text[0] = '\0';
}

void log_free(struct log *log)
{
    free(log->text);
    *log = (struct log){0};
}

unsigned log_count(const struct log *log, const char *text)
{
    unsigned count = 0;
    for (const char *p = log->text; p && (p = strstr(p, text)); p += strlen(text))
        count++;
    return count;
}

bool log_has(const struct log *log, const char *text)
{
    if (log_count(log, text) > 0)
        return true;
    print_error("not in the log: %s\n%s", text, log->text ? log->text : "(empty)\n");
    return false;
}

/* ---- scripts ---- */

void script_add(struct script *script, enum armtap_direction direction, const struct bytes *bytes)
{
    bytes_add(&script->bytes, bytes->at, bytes->length);
    if (script->count == 0 || script->parts[script->count - 1].direction != direction) {
        assert_true(script->count < SCRIPT_PARTS);
        script->parts[script->count++].direction = direction;
    }
    script->parts[script->count - 1].end = script->bytes.length;
}

void script_hex(struct script *script, enum armtap_direction direction, const char *digits)
{
    struct bytes bytes = {0};
    bytes_hex(&bytes, digits);
    script_add(script, direction, &bytes);
    bytes_free(&bytes);
}

void script_list(struct script *script, enum armtap_direction direction, char type, const char *head, const char *text)
{
    struct bytes bytes = {0};
    bytes_list(&bytes, type, head, text);
    script_add(script, direction, &bytes);
    bytes_free(&bytes);
}

void script_free(struct script *script)
{
    bytes_free(&script->bytes);
    script->count = 0;
}

static void push_copy(struct armtap_conn *conn, enum armtap_direction direction, const uint8_t *bytes, size_t length)
{
    uint8_t *copy = malloc(length);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    assert_int_equal(armtap_conn_push(conn, direction, copy, length, NULL), ARMTAP_OK);
    free(copy);
}

void script_play(const struct script *script, const struct armtap_conn_options *options, const size_t *cuts,
                 size_t cut_count, struct log *log)
{
    struct armtap_sink sink = log_sink();
    struct armtap_conn *conn;
    size_t at = 0, cut = 0;
    assert_int_equal(armtap_conn_new(options, &sink, log, &conn), ARMTAP_OK);
    for (size_t i = 0; i < script->count; i++) {
        size_t end = script->parts[i].end;
        while (at < end) {
            while (cut < cut_count && cuts[cut] <= at)
                cut++;
            size_t to = cut < cut_count && cuts[cut] < end ? cuts[cut] : end;
            if (script->in_place)
                armtap_conn_push(conn, script->parts[i].direction, script->bytes.at + at, to - at, NULL);
            else
                push_copy(conn, script->parts[i].direction, script->bytes.at + at, to - at);
            at = to;
        }
    }
    assert_int_equal(armtap_conn_close(conn, ARMTAP_TO_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    log_stream(log, conn);
    armtap_conn_free(conn);
}

struct log script_log(const struct script *script, const struct armtap_conn_options *options)
{
    struct log log = {.values = true};
    script_play(script, options, NULL, 0, &log);
    return log;
}

/* ---- tables of facts ---- */

static size_t split(char *line, char *cells[TABLE_CELLS])
{
    size_t count = 0;
    for (char *p = strtok(line, ",\n"); p && count < TABLE_CELLS; p = strtok(NULL, ",\n"))
        cells[count++] = p;
    return count;
}

size_t table_each(const char *name, void (*row)(void *user, char *const cells[TABLE_CELLS], size_t count), void *user)
{
    const char *folder = getenv("srcdir");
    char path[1024], line[4096];
    size_t rows = 0;
    bool headed = false;
    snprintf(path, sizeof path, "%s/tests/unit/data/%s", folder ? folder : ".", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        char *cells[TABLE_CELLS] = {NULL};
        if (line[0] == '#')
            continue;
        size_t count = split(line, cells);
        if (headed && count > 0) {
            row(user, cells, count);
            rows++;
        }
        headed = true;
    }
    fclose(file);
    return rows;
}

#define LEGACY_SIZES 64

struct legacy_sizes {
    size_t size[LEGACY_SIZES];
    size_t count;
};

static void add_legacy_size(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    struct legacy_sizes *sizes = user;
    size_t size = strtoul(cells[0], NULL, 10), i = 0;
    (void)count;
    while (i < sizes->count && sizes->size[i] < size)
        i++;
    if (i < sizes->count && sizes->size[i] == size)
        return;
    assert_true(sizes->count < LEGACY_SIZES);
    memmove(&sizes->size[i + 1], &sizes->size[i], (sizes->count++ - i) * sizeof sizes->size[0]);
    sizes->size[i] = size;
}

static const struct legacy_sizes *legacy_sizes(void)
{
    static struct legacy_sizes sizes;
    if (sizes.count == 0)
        table_each("realtime_layout.csv", add_legacy_size, &sizes);
    return &sizes;
}

size_t legacy_size(size_t i)
{
    return i < legacy_sizes()->count ? legacy_sizes()->size[i] : 0;
}

size_t legacy_size_count(void)
{
    return legacy_sizes()->count;
}

const struct armtap_field *field_named(const char *name)
{
    const struct armtap_field *field = armtap_field_find(name, strlen(name));
    if (!field)
        fail_msg("no field %s", name);
    return field;
}

/* ---- files ---- */

int make_folder(const char *folder)
{
    remove_folder(folder);
    return mkdir(folder, 0777);
}

int remove_folder(const char *folder)
{
    const struct dirent *entry;
    char name[600];
    DIR *opened = opendir(folder);
    while (opened && (entry = readdir(opened))) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        path_remove(name);
    }
    if (opened)
        closedir(opened);
    return rmdir(folder);
}

size_t count_names(const char *folder)
{
    DIR *opened = opendir(folder);
    size_t count = 0;
    assert_non_null(opened);
    while (readdir(opened))
        count++;
    closedir(opened);
    return count - 2;
}

int make_pipe(int ends[2])
{
#ifdef _WIN32
    return _pipe(ends, 65536, O_BINARY);
#else
    return pipe(ends);
#endif
}

int make_link(const char *to, const char *name)
{
#ifdef _WIN32
    (void)to;
    (void)name;
    return -1;
#else
    return symlink(to, name);
#endif
}

char *take_text(FILE *file)
{
    long length = ftell(file);
    char *text = malloc((size_t)length + 1);
    rewind(file);
    assert_true(text && fread(text, 1, (size_t)length, file) == (size_t)length);
    text[length] = '\0';
    fclose(file);
    return text;
}
