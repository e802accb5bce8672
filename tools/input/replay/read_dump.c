/* Dumps of a stream: bytes without packets. */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/message.h"
#include "input/files/file_reader.h"
#include "raw_kind.h"

/* They are numbered from here, so that they never share a number with captured connections. */
#define RAW_CONNECTIONS (UINT64_C(1) << 48)
#define RAW_CHUNK 65536

/* A dump that is being read. */
struct raw {
    struct run *run;
    struct capture *capture;
    const char *name;
    struct armtap_where where;
    struct raw_kind kind;
    enum record_binary_look look; /* whether it is what record.py --binary wrote */
    struct record_binary binary;
    uint8_t *head; /* its first bytes, until it is known what they are */
    size_t length;
    long got; /* by the last reading */
};

/* Ends the connection: a dump has no packets that do. */
static void end_raw(const struct raw *raw, struct armtap_conn *conn)
{
    struct run *run = raw->run;
    run_check(run, armtap_conn_close(conn, raw->kind.direction, &raw->where));
    struct armtap_event event = {.stream = armtap_conn_stream(conn),
                                 .where = raw->where,
                                 .direction = raw->kind.direction,
                                 .type = ARMTAP_EVENT_CLOSE,
                                 .a = ARMTAP_CLOSE_END_OF_CAPTURE};
    if (!run->stopped && run->sink.on_event && run->sink.on_event(&run->stop, &event) != 0)
        run_stop(run, ARMTAP_ERR_STOPPED);
}

void replay_protocols(char names[REPLAY_PROTOCOLS_MAX], const char *between, const char *before_last)
{
    const struct armtap_protocol_info *info;
    size_t length = 0;
    names[0] = '\0';
    for (size_t i = 0; (info = armtap_protocol_at(i)) && length < REPLAY_PROTOCOLS_MAX; i++)
        length += (size_t)snprintf(names + length, REPLAY_PROTOCOLS_MAX - length, "%s%s",
                                   i == 0                      ? ""
                                   : armtap_protocol_at(i + 1) ? between
                                                               : before_last,
                                   info->name);
}

static void check_raw(struct run *run, const struct armtap_stream *stream, const char *name, uint64_t length,
                      const struct capture *capture)
{
    uint64_t arrived = capture_position(capture);
    const char *guess = capture_guess(capture);
    if (run->stopped || stream->bytes_decoded[ARMTAP_FROM_ROBOT] + stream->bytes_decoded[ARMTAP_TO_ROBOT] > 0 ||
        stream->records[ARMTAP_FROM_ROBOT] + stream->records[ARMTAP_TO_ROBOT] > 0)
        return;
    run->damaged = true;
    if (run->source->quiet)
        return;
    const char *wanted = armtap_protocol_name(run->source->raw);
    char protocols[REPLAY_PROTOCOLS_MAX];
    replay_protocols(protocols, "|", "|");
    if (length == 0 && arrived > 0)
        message_error("%s: no telemetry: it ends after %" PRIu64 " byte%s, inside the file header", reader_name(name),
                      arrived, arrived == 1 ? "" : "s");
    else if (length == 0)
        message_error("%s: no telemetry: it is empty", reader_name(name));
    else {
        if (wanted)
            message_error(
                "%s: no telemetry: it holds no complete %s message; without --raw, armtap detects the protocol",
                reader_name(name), wanted);
        else
            message_error("%s: no telemetry: %s%sneither a capture (pcap, pcapng) nor a dump of a stream that armtap "
                          "recognises; if it is a dump, name its protocol: --raw %s",
                          reader_name(name), guess ? guess : "", guess ? ", " : "", protocols);
    }
}

/* Reads on; false at the end, or if something stopped it. */
static bool read_more(struct raw *raw, uint8_t *to, size_t room)
{
    struct run *run = raw->run;
    if (run->stopped || run->ended || (raw->got = capture_read(raw->capture, to, room)) <= 0)
        return false;
    run->totals->bytes += (uint64_t)raw->got;
    run_advance(run, raw->capture);
    run_turn(run);
    return true;
}

/* Looks at what came so far. False: more is needed. */
static bool look_at_head(struct raw *raw, bool whole)
{
    const struct raw_head head = {raw->head, raw->length, whole, raw->run->source->recipe};
    bool chosen = false, may_be = raw->kind.protocol == ARMTAP_PROTOCOL_NONE || raw->kind.protocol == ARMTAP_RTDE;
    if (may_be && record_binary_look(raw->head, raw->length, whole, &raw->binary, &raw->look) != 0)
        run_check(raw->run, ARMTAP_ERR_MEMORY);
    if (raw->look == RECORD_BINARY_BAD || raw->look == RECORD_BINARY_YES || raw->run->stopped)
        return true;
    if (raw->look == RECORD_BINARY_NO)
        run_check(raw->run, raw_kind_choose(&head, &raw->kind, &chosen));
    return chosen || whole;
}

/* Reads as much as it takes to know what the dump is, looking each time that there is twice as much. */
static void read_head(struct raw *raw)
{
    bool is_known = false;
    size_t looked = 0;
    raw->head = malloc(RAW_CHUNK);
    if (!raw->head)
        run_check(raw->run, ARMTAP_ERR_MEMORY);
    while (!is_known && !raw->run->stopped) {
        bool whole = raw->length == RAW_CHUNK || !read_more(raw, raw->head + raw->length, RAW_CHUNK - raw->length);
        raw->length += whole ? 0 : (size_t)raw->got;
        if (!whole && raw->length < 2 * looked)
            continue;
        looked = raw->length;
        is_known = look_at_head(raw, whole);
    }
}

/* Gives the connection the head and what comes behind it; returns how many bytes. */
static uint64_t push_raw(struct raw *raw, struct armtap_conn *conn)
{
    struct run *run = raw->run;
    uint64_t length = raw->length;
    run_check(run, armtap_conn_push(conn, raw->kind.direction, raw->head, raw->length, &raw->where));
    while (raw->got > 0 && read_more(raw, raw->head, RAW_CHUNK)) {
        length += (uint64_t)raw->got;
        run_check(run, armtap_conn_push(conn, raw->kind.direction, raw->head, (size_t)raw->got, &raw->where));
    }
    if (!run->stopped && raw->got != CAPTURE_NO_MEMORY)
        end_raw(raw, conn);
    return length;
}

/* ---- what record.py --binary wrote ------------------------------------------------------------------------------ */

#define PACKAGE_HEAD 4 /* size, type, recipe id */

/* A row is put together as the data package from which it came. */
struct rows {
    uint8_t *package;
    size_t size, length; /* bytes of a package, and those that are there */
    uint64_t count;
};

static void push_rows(struct raw *raw, struct armtap_conn *conn, struct rows *rows, const uint8_t *bytes, size_t length)
{
    while (length > 0 && !raw->run->stopped) {
        size_t take = rows->size - rows->length < length ? rows->size - rows->length : length;
        memcpy(rows->package + rows->length, bytes, take);
        rows->length += take;
        bytes += take;
        length -= take;
        if (rows->length < rows->size)
            return;
        run_check(raw->run, armtap_conn_push(conn, ARMTAP_FROM_ROBOT, rows->package, rows->size, &raw->where));
        rows->length = PACKAGE_HEAD;
        rows->count++;
    }
}

static void end_rows(struct raw *raw, const struct rows *rows)
{
    struct run *run = raw->run;
    if (run->stopped)
        return;
    if (raw->got < 0) {
        run_fail_input(run, (enum capture_outcome)raw->got);
    } else if (rows->length > PACKAGE_HEAD || rows->count == 0) {
        run->damaged = true;
        if (!run->source->quiet && rows->count == 0 && rows->length == PACKAGE_HEAD)
            message_error("%s: no telemetry: a recording of record.py --binary without a row", reader_name(raw->name));
        else if (!run->source->quiet)
            message_error_called(
                MESSAGE_INPUT_DAMAGED,
                "%s: cut in row %" PRIu64 " of a recording of record.py --binary: %zu of its %zu bytes are there",
                reader_name(raw->name), rows->count + 1, rows->length - PACKAGE_HEAD, rows->size - PACKAGE_HEAD);
    }
}

static void run_rows(struct raw *raw, struct armtap_conn *conn)
{
    struct run *run = raw->run;
    struct rows rows = {.size = PACKAGE_HEAD + armtap_recipe_size(raw->binary.recipe), .length = PACKAGE_HEAD};
    rows.package = malloc(rows.size);
    if (!rows.package) {
        run_check(run, ARMTAP_ERR_MEMORY);
        return;
    }
    memcpy(rows.package, (uint8_t[PACKAGE_HEAD]){(uint8_t)(rows.size >> 8), (uint8_t)rows.size, 'U', 1}, PACKAGE_HEAD);
    push_rows(raw, conn, &rows, raw->head + raw->binary.header, raw->length - raw->binary.header);
    while (raw->got > 0 && read_more(raw, raw->head, RAW_CHUNK))
        push_rows(raw, conn, &rows, raw->head, (size_t)raw->got);
    if (!run->stopped && raw->got != CAPTURE_NO_MEMORY)
        end_raw(raw, conn);
    end_rows(raw, &rows);
    free(rows.package);
}

/* Its recipe is the file's own. */
static void run_binary(struct raw *raw)
{
    struct run *run = raw->run;
    struct armtap_conn_options options = {
        .size = sizeof options, .protocol = ARMTAP_RTDE, .connection = RAW_CONNECTIONS + raw->where.file};
    struct armtap_conn *conn;
    int outcome = armtap_conn_new(&options, &run->sink, &run->stop, &conn);
    run_check(run, outcome);
    if (outcome != ARMTAP_OK)
        return;
    run_check(run, armtap_conn_set_recipe(conn, raw->binary.recipe));
    run_rows(raw, conn);
    armtap_conn_free(conn);
}

static void refuse_binary(const struct raw *raw)
{
    raw->run->damaged = true;
    if (!raw->run->source->quiet)
        message_error("%s: a recording of record.py --binary that cannot be read: %s", reader_name(raw->name),
                      raw->binary.problem);
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static void run_conn(struct raw *raw)
{
    struct run *run = raw->run;
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = raw->kind.protocol,
                                          .connection = RAW_CONNECTIONS + raw->where.file,
                                          .no_guess = run->source->no_guess};
    struct armtap_conn *conn;
    int outcome = armtap_conn_new(&options, &run->sink, &run->stop, &conn);
    run_check(run, outcome);
    if (outcome != ARMTAP_OK)
        return;
    if (run->source->recipe)
        run_check(run, armtap_conn_set_recipe(conn, run->source->recipe));
    uint64_t length = push_raw(raw, conn);
    if (raw->got < 0 && !run->stopped)
        run_fail_input(run, (enum capture_outcome)raw->got);
    else
        check_raw(run, armtap_conn_stream(conn), raw->name, length, raw->capture);
    armtap_conn_free(conn);
}

void run_raw(struct run *run, struct capture *capture, uint32_t file, const char *name)
{
    struct raw raw = {.run = run,
                      .capture = capture,
                      .name = name,
                      .where = {.size = sizeof(struct armtap_where), .time = ARMTAP_NO_TIME, .file = file},
                      .kind = {run->source->raw, ARMTAP_FROM_ROBOT}};
    read_head(&raw);
    if (run->stopped)
        ;
    else if (raw.look == RECORD_BINARY_BAD)
        refuse_binary(&raw);
    else if (raw.look == RECORD_BINARY_YES)
        run_binary(&raw);
    else
        run_conn(&raw);
    armtap_recipe_release(raw.binary.recipe);
    free(raw.head);
}
