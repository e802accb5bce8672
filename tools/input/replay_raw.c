/* Dumps of a stream: bytes without packets. */
#include "replay_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "file_reader.h"

/* They are numbered from here, so that they never share a number with captured connections. */
#define RAW_CONNECTIONS (UINT64_C(1) << 48)
#define RAW_CHUNK 65536

/* Ends the connection: a dump has no packets that do. */
static void end_raw(struct run *run, struct armtap_conn *conn, const struct armtap_where *where)
{
    run_check(run, armtap_conn_close(conn, ARMTAP_FROM_ROBOT, where));
    struct armtap_event event = {.stream = armtap_conn_stream(conn),
                                 .where = *where,
                                 .direction = ARMTAP_FROM_ROBOT,
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
    if (run->stopped || stream->bytes_decoded[ARMTAP_FROM_ROBOT] > 0 || stream->records[ARMTAP_FROM_ROBOT] > 0)
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
                "%s: no telemetry: it holds no complete %s message; without --raw, armtap recognises the protocol",
                reader_name(name), wanted);
        else
            message_error("%s: no telemetry: %s%sneither a capture (pcap, pcapng) nor a dump of a stream that armtap "
                          "recognises; if it is a dump, name its protocol: --raw %s",
                          reader_name(name), guess ? guess : "", guess ? ", " : "", protocols);
    }
}

static void push_raw(struct run *run, struct capture *capture, struct armtap_conn *conn, const char *name,
                     const struct armtap_where *where)
{
    uint8_t *chunk = malloc(RAW_CHUNK);
    uint64_t length = 0;
    long got = 0;
    if (!chunk) {
        run_check(run, ARMTAP_ERR_MEMORY);
        return;
    }
    while (!run->stopped && !run->ended && (got = capture_read(capture, chunk, RAW_CHUNK)) > 0) {
        length += (uint64_t)got;
        run->totals->bytes += (uint64_t)got;
        run_check(run, armtap_conn_push(conn, ARMTAP_FROM_ROBOT, chunk, (size_t)got, where));
        run_advance(run, capture);
        run_turn(run);
    }
    free(chunk);
    if (!run->stopped && got != CAPTURE_NO_MEMORY)
        end_raw(run, conn, where);
    if (got < 0 && !run->stopped)
        run_fail_input(run, (enum capture_outcome)got);
    else
        check_raw(run, armtap_conn_stream(conn), name, length, capture);
}

void run_raw(struct run *run, struct capture *capture, uint32_t file, const char *name)
{
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = run->source->raw,
                                          .connection = RAW_CONNECTIONS + file,
                                          .no_guess = run->source->no_guess};
    struct armtap_where where = {.time = ARMTAP_NO_TIME, .file = file};
    struct armtap_conn *conn;
    int outcome = armtap_conn_new(&options, &run->sink, &run->stop, &conn);
    run_check(run, outcome);
    if (outcome != ARMTAP_OK)
        return;
    if (run->source->recipe)
        run_check(run, armtap_conn_set_recipe(conn, run->source->recipe));
    push_raw(run, capture, conn, name, &where);
    armtap_conn_free(conn);
}
