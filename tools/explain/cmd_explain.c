/* armtap explain: an annotated hex dump of a packet's messages, or of bytes given by hand. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line/shared_text.h"
#include "command_line/commands.h"
#include "explain.h"
#include "hex_text.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "command_line/options.h"
#include "input/files/file_reader.h"
#include "base/os/shell_word.h"
#include "base/terminal/fold.h"

struct explain_job {
    uint64_t packet, file;
    const char *hex;
    bool to_robot, json;
    struct options options;
};

#define OPTIONS_STRUCT struct explain_job
static const struct option_row rows[] = {
#define OPTIONS_EXPLAIN
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "explain",
    .arguments = "CAPTURE... --packet N | --hex BYTES",
    .summary = "Shows every byte of a message: offset, bytes, field, value, unit. If no message ends in the packet, "
               "describes the packet itself.",
    .rows = rows,
    .groups = GROUPS_explain,
    .nothing = "name a capture and --packet N, or use --hex BYTES",
    .examples = "  armtap explain robot.pcapng --packet 42\n"
                "  armtap explain --hex \"00 05 56 00 02\"\n"
                "  xxd -p dump | armtap explain --hex - --raw realtime\n"};

/* Whether what was said goes together. */
static int judge(const struct explain_job *job)
{
    const struct replay_source *source = &job->options.source;
    if (job->hex)
        return 0;
    if (job->packet == 0)
        message_error("explain: no packet chosen; use --packet N, as numbered by Wireshark");
    else if (source->count > 1 && job->file == 0)
        message_error("explain: packets are numbered from 1 in each of the %zu captures; choose one with --file I",
                      source->count);
    else if (job->file > source->count)
        message_error("explain: --file %" PRIu64 ": %zu capture%s named", job->file, source->count,
                      source->count == 1 ? " is" : "s are");
    else
        return 0;
    return -1;
}

/* ---- bytes given by hand --------------------------------------------------------------------------------------- */

static int show_packet(struct json *json, const struct explained *explained, enum timestamp_zone zone, bool first)
{
    if (json)
        return explain_json(json, explained);
    if (!first)
        putchar('\n');
    return explain_print(explained, zone);
}

static int show_hex(const struct explain_hex *hex, struct json *json)
{
    int outcome = 0;
    for (size_t at = 0; at < hex->length && outcome == 0;) {
        struct explained explained = {.number = -1};
        outcome = explain_hex_next(hex, at, &explained.subject);
        if (outcome == 0)
            outcome = show_packet(json, &explained, TIMESTAMP_UTC, at == 0);
        at += explained.subject.message.length;
    }
    return outcome;
}

/* Prints a remark below the messages. */
static void print_remark(const char *remark)
{
    struct text_wrap wrap = text_wrap_begin(stdout, 0, 4);
    printf("  - ");
    wrap.column = 4;
    text_wrap_words(&wrap, remark);
    text_wrap_end(&wrap);
}

static int show_hex_all(const struct explain_hex *hex, const char *const remarks[], size_t count)
{
    int outcome = show_hex(hex, NULL);
    bool is_first = true;
    for (size_t i = 0; i < count && outcome == 0; i++) {
        if (remarks[i][0] == '\0')
            continue;
        if (is_first)
            putchar('\n');
        is_first = false;
        print_remark(remarks[i]);
    }
    return outcome;
}

static int show_hex_json(const struct explain_hex *hex, const char *const remarks[], size_t count)
{
    struct json json;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_array(&json, "messages", true);
    if (show_hex(hex, &json) != 0) /* what is not whole must not look so */
        return -1;
    json_close(&json);
    json_member_array(&json, "remarks", true);
    for (size_t i = 0; i < count; i++)
        if (remarks[i][0] != '\0')
            json_text(&json, remarks[i]);
    json_end(&json);
    return 0;
}

static enum exit_status run_hex(const struct explain_job *job)
{
    struct explain_hex hex = {.protocol = job->options.source.raw, .recipe = job->options.source.recipe};
    struct hex_text read = {.remark = ""};
    struct hex_frame frame;
    int outcome = explain_hex_read(job->hex, &read);
    const uint8_t *bytes = (const uint8_t *)read.bytes.data;
    if (outcome == 0 && hex_frame_find(bytes, read.bytes.length, &frame) != HEX_FRAME_REFUSED) {
        const char *const remarks[] = {read.remark, frame.remark};
        hex.bytes = bytes + frame.at;
        hex.length = frame.length;
        hex.to_robot = job->to_robot || frame.to_robot;
        outcome = (job->json ? show_hex_json : show_hex_all)(&hex, remarks, sizeof remarks / sizeof *remarks);
    } else {
        outcome = -1;
    }
    free(read.bytes.data);
    return outcome == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* ---- a packet of a capture ------------------------------------------------------------------------------------- */

#define REMARK_MAX 400

static void write_passing(char *remark, const struct explanation *explanation, const struct passing *passing)
{
    const struct armtap_stream_summary *summary = armtap_streams_of(explanation->streams, passing->connection);
    char of[40] = "a foreign connection";
    bool begins = passing->first.packet == explanation->packet && passing->first.file == explanation->file;
    if (summary)
        snprintf(of, sizeof of, "stream %u", summary->number);
    snprintf(remark, REMARK_MAX,
             begins ? "it carries the beginning of %s of %s %s, %zu bytes, which ends in packet %" PRIu64 ": --packet "
                      "%" PRIu64 " shows all of it"
                    : "%s of %s %s, %zu bytes, begins before it, ends after it in packet %" PRIu64 ", and may have a "
                      "part here: "
                      "--packet %" PRIu64 " shows all of it",
             passing->skipped ? "bytes outside any message" : "a message", of,
             armtap_direction_name(passing->direction), passing->length, passing->where.packet, passing->where.packet);
}

/* The i-th remark on the packet; false beyond the last. */
static bool remark_at(const struct explanation *explanation, size_t i, char remark[REMARK_MAX])
{
    size_t shown = 0;
    for (size_t k = 0; k < explanation->passing_count; k++) {
        const struct passing *passing = &explanation->passing[k];
        bool begins = passing->first.packet == explanation->packet && passing->first.file == explanation->file;
        /* Where messages end here, one that merely spans the packet is most likely of another connection. */
        if ((begins || explanation->count == 0) && shown++ == i) {
            write_passing(remark, explanation, passing);
            return true;
        }
    }
    bool is_nothing = shown == 0 && explanation->happened_count == 0 && explanation->count == 0;
    if (explanation->captured < explanation->length && shown++ == i) {
        snprintf(remark, REMARK_MAX,
                 "the snapshot length of the capture cut the packet: %zu of its %zu bytes were captured; capture "
                 "whole packets (tcpdump -s 0, or Wireshark)",
                 explanation->captured, explanation->length);
        return true;
    }
    if (i - shown < explanation->happened_count) {
        snprintf(remark, REMARK_MAX, "%s", explanation->happened[i - shown]);
        return true;
    }
    if (i != shown || !is_nothing)
        return false;
    snprintf(remark, REMARK_MAX,
             "it carries no bytes of telemetry: it opens, acknowledges or closes a connection, or belongs to none that "
             "armtap decodes; Wireshark shows it: frame.number == %" PRIu64,
             explanation->packet);
    return true;
}

static int print_text(const struct explanation *explanation, enum timestamp_zone zone)
{
    char remark[REMARK_MAX];
    int outcome = 0;
    if (explanation->count == 0)
        text_line(stdout, 2, "packet %" PRIu64 ": no message ends in it", explanation->packet);
    else if (explanation->count == 1)
        printf("packet %" PRIu64 ": 1 message\n\n", explanation->packet);
    else
        printf("packet %" PRIu64 ": %zu messages\n\n", explanation->packet, explanation->count);
    for (size_t i = 0; i < explanation->count && outcome == 0; i++)
        outcome = show_packet(NULL, &explanation->message[i], zone, i == 0);
    for (size_t i = 0; outcome == 0 && remark_at(explanation, i, remark); i++) {
        if (i == 0 && explanation->count > 0)
            putchar('\n');
        print_remark(remark);
    }
    return outcome;
}

static int print_json(const struct explanation *explanation, const struct explain_job *job)
{
    const struct replay_source *source = &job->options.source;
    char remark[REMARK_MAX];
    struct json json;
    int outcome = 0;
    json_begin(&json, stdout);
    json_object(&json, true);
    json_member_unsigned(&json, "packet", explanation->packet);
    if (source->count > 1)
        json_member_text(&json, "file", reader_name(source->names[explanation->file]));
    json_member_array(&json, "messages", true);
    for (size_t i = 0; i < explanation->count && outcome == 0; i++)
        outcome = show_packet(&json, &explanation->message[i], job->options.zone, i == 0);
    if (outcome != 0) /* what is not whole must not look so */
        return outcome;
    json_close(&json);
    json_member_array(&json, "remarks", true);
    for (size_t i = 0; remark_at(explanation, i, remark); i++)
        json_text(&json, remark);
    json_end(&json);
    return 0;
}

/* The options with which --hex reads the bytes of a dump: none for words whose layout their port tells. */
static void put_options(char options[80], const struct explanation *explanation)
{
    const struct armtap_stream_summary *summary = armtap_streams_at(explanation->streams, 0);
    const uint64_t *decoded = summary ? summary->stream->bytes_decoded : NULL;
    options[0] = '\0';
    if (summary && summary->stream->protocol != ARMTAP_EXTERNAL_CONTROL)
        snprintf(options, 80, " --raw %s%s", armtap_protocol_name(summary->stream->protocol),
                 decoded[ARMTAP_TO_ROBOT] > decoded[ARMTAP_FROM_ROBOT] ? " --to-robot" : "");
}

static void refuse_dump(const struct replay_source *source, const struct explanation *explanation)
{
    char file[SHELL_MAX] = "", options[80];
    bool is_file = source->count == 1 && strcmp(source->names[0], "-") != 0;
    if (!is_file || !shell_word(file, sizeof file, source->names[0]))
        strcpy(file, "FILE");
    put_options(options, explanation);
    message_error("explain: %s is a dump without packets; explain its bytes: xxd -p %s | armtap explain --hex -%s",
                  source->count == 1 ? reader_name(source->names[0]) : "the source", file, options);
}

static enum exit_status run_packet(const struct explain_job *job)
{
    struct explanation explanation = {.packet = job->packet, .file = job->file == 0 ? 0 : (uint32_t)(job->file - 1)};
    const struct replay_source *source = &job->options.source;
    enum exit_status status = explanation_read(&explanation, source);
    bool is_single = source->count <= 1, is_read = !explanation.totals.broken_off;
    if (is_read && is_single && explanation.totals.packets == 0 && explanation.totals.bytes > 0) {
        if (status == EXIT_DONE)
            refuse_dump(source, &explanation);
        status = EXIT_FAILED;
    } else if (is_read && is_single && explanation.totals.packets < explanation.packet) {
        if (status == EXIT_DONE || explanation.totals.packets > 0)
            message_error("explain: there is no packet %" PRIu64 ": the capture has %" PRIu64, explanation.packet,
                          explanation.totals.packets);
        status = EXIT_FAILED;
    } else if (is_read) {
        if ((job->json ? print_json(&explanation, job) : print_text(&explanation, job->options.zone)) != 0)
            status = EXIT_FAILED;
        bool is_icmp = explanation.count > 0 && explanation.message[0].subject.is_icmp;
        if (armtap_streams_count(explanation.streams) == 0 && !is_icmp) {
            no_telemetry_report(explanation.streams, &explanation.totals);
            status = EXIT_FAILED;
        }
    }
    explanation_free(&explanation);
    return status;
}

int cmd_explain(int argc, char **argv)
{
    struct explain_job job = {.packet = 0};
    enum exit_status status = EXIT_FAILED;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &job.options, &job);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    if (judge(&job) == 0)
        status = job.hex ? run_hex(&job) : run_packet(&job);
    options_free(&job.options);
    return (int)status;
}
