#define _POSIX_C_SOURCE 200809L
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "capture.h"
#include "capture_drops.h"
#include "input_files.h"
#include "parts.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/privileges.h"
#include "base/progress.h"
#include "file_reader.h"
#include "base/timestamp.h"
#include "replay_end.h"
#include "replay_stop.h"
#include "robot_capture.h"
#include "base/sandbox.h"

/* Raw dumps are numbered from here, so that they never share a number with captured connections. */
#define RAW_CONNECTIONS (UINT64_C(1) << 48)
#define RAW_CHUNK 65536
#define PROGRESS_TURN 512
/* ns between two readings of the kernel's drop counter */
#define DROPS_TURN 100000000

/* The packets of a file. */
struct reading {
    struct capture *capture; /* NULL: none is open */
    uint64_t repeated;       /* packets at its beginning that the file before had */
    struct replay_indexed indexed;
    struct armtap_where last;
    enum capture_outcome outcome;
    bool is_live, is_block_full;
};

struct run {
    const struct replay_source *source;
    struct replay_stop stop;
    struct replay_ending ending;
    struct armtap_sink sink; /* its user is `stop` */
    struct replay_totals *totals;
    struct armtap_net *net;
    struct parts *parts; /* which get the packets, in place of the net */
    struct progress progress;
    uint64_t read_before; /* bytes in the files before this one */
    uint64_t turns;
    struct section_comment section; /* of the file before */
    struct beginning {
        int64_t time; /* of its first packet; ARMTAP_NO_TIME: there was none */
        char hosts[2][64];
        uint32_t file;
    } before; /* the beginning of the file before */
    struct drops drops;
    enum armtap_origin origin;    /* of the packets of this file */
    struct reading reading;       /* of the file that parts read ... */
    uint32_t next_file;           /* ... and the one after it */
    struct armtap_digest *digest; /* of the current file; NULL: none */
    bool damaged;
    bool stopped; /* by the sink, or by an error of the library */
    bool ended;   /* by Ctrl-C, as at the end of the source */
};

bool replay_is_repeatable(const struct replay_source *source)
{
    return !replay_is_endless(source) && !source->follow && inputs_are_ordinary(source->inputs, source->count);
}

const char *replay_file_name(const struct replay_source *source, uint32_t file)
{
    if (source->archive)
        return file < archive_count(source->archive) ? archive_name(source->archive, file) : NULL;
    return file < source->count ? source->names[file] : NULL;
}

bool replay_has_several_files(const struct replay_source *source)
{
    return source->archive ? archive_count(source->archive) > 1 : source->count > 1;
}

bool replay_is_endless(const struct replay_source *source)
{
    return source->interface || source->robots;
}

bool replay_asks_for_fields(const struct replay_source *source)
{
    for (size_t i = 0; source->robots && i < source->robots->count; i++)
        if (source->robots->robots[i].protocol != ARMTAP_RTDE)
            return false;
    return source->robots;
}

bool replay_is_live(const struct replay_source *source)
{
    return replay_is_endless(source) || source->follow || inputs_go_on(source->inputs, source->count);
}

/* Stops the reading; prints a message once, unless the callback already did. */
static void stop(struct run *run, int outcome)
{
    if (run->stopped)
        return;
    run->stopped = true;
    if (outcome == ARMTAP_ERR_STOPPED && run->stop.why == REPLAY_HAS_ENOUGH)
        return;
    run->totals->broken_off = true;
    if (outcome == ARMTAP_ERR_STOPPED && run->stop.why == REPLAY_GAVE_UP)
        return;
    if (outcome == ARMTAP_ERR_STOPPED || outcome == ARMTAP_ERR_MEMORY)
        message_no_memory();
    else
        message_error("%s", armtap_strerror(outcome));
}

/* Stops if a call of the library, or a callback in its place, returned an error. */
static void check(struct run *run, int outcome)
{
    if (outcome != ARMTAP_OK && outcome != ARMTAP_ERR_UNSUPPORTED)
        stop(run, outcome);
}

/* Damage in one file does not stop the other files; a lack of memory or a changed file does. */
static void fail_input(struct run *run, enum capture_outcome outcome)
{
    if (outcome == CAPTURE_NO_MEMORY)
        stop(run, ARMTAP_ERR_MEMORY);
    else
        run->damaged = true;
    if (outcome == CAPTURE_CHANGED)
        run->stopped = run->totals->broken_off = true;
}

static enum capture_outcome outcome_of_errno(int error)
{
    return error == ENOMEM ? CAPTURE_NO_MEMORY : error == ESTALE ? CAPTURE_CHANGED : CAPTURE_DAMAGED;
}

static void advance(struct run *run, const struct capture *capture)
{
    if (run->turns++ % PROGRESS_TURN == 0)
        progress_update(&run->progress, run->read_before + capture_position(capture));
}

/* Ctrl-C ends a source that never ends by itself, once its pending input is used; it breaks off all others. */
static void obey_interrupt(struct run *run)
{
    const struct replay_source *source = run->source;
    if (!interrupt_asked() || replay_is_endless(source))
        return;
    if (!replay_is_live(source))
        run->stopped = run->totals->broken_off = run->totals->interrupted = true;
    else if (source->follow || interrupt_asked_before(READER_GRACE))
        run->ended = true;
}

static void turn(struct run *run)
{
    obey_interrupt(run);
    if (!run->source->on_turn || run->stopped)
        return;
    run->stop.why = run->source->on_turn(run->stop.user, run->totals);
    if (run->stop.why != REPLAY_GO_ON)
        stop(run, ARMTAP_ERR_STOPPED);
}

/* Called while there is nothing to read. */
static bool wait_on(void *user)
{
    struct run *run = user;
    turn(run);
    return !run->stopped && !run->ended;
}

static void note_dropped(struct run *run, const char *id, const struct armtap_where *where, const char *text)
{
    struct armtap_note note = {.kind = armtap_note_find(id), .where = *where, .text = text};
    if (!note.kind || !run->sink.on_note)
        return;
    if (run->parts ? parts_note(run->parts, &note) != 0 : run->sink.on_note(&run->stop, &note) != 0)
        stop(run, run->parts ? ARMTAP_ERR_MEMORY : ARMTAP_ERR_STOPPED);
}

/* Reports the packets that the capturing machine, or armtap when it recorded, dropped, once the count is final. */
static void report_dropped(struct run *run, struct capture *capture, const struct armtap_where *where)
{
    char text[120];
    bool recorded = capture_section(capture)->from_socket;
    uint64_t dropped = capture_dropped(capture);
    if (dropped == 0 || run->stopped)
        return;
    snprintf(text, sizeof text, "%s dropped %llu %s", recorded ? "armtap" : "the kernel or the interface",
             (unsigned long long)dropped, recorded ? "records while it recorded" : "packets");
    if (run->source->interface)
        message_warning("%s: %s; narrow the --filter, or capture with tcpdump -B 65536 first", run->source->interface,
                        text);
    else
        note_dropped(run, recorded ? "record.dropped" : "capture.dropped", where, text);
}

static int64_t clock_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Notes when the capturing machine drops packets; its clock is the capture's. */
static void watch_drops(struct run *run, struct capture *capture, uint64_t packet, bool last)
{
    char text[200], from[WHEN_DATE_MAX], to[WHEN_DATE_MAX];
    struct armtap_where now = {.time = clock_time(), .packet = packet}, since;
    if (now.time - run->drops.read.time < DROPS_TURN && !last)
        return;
    uint64_t dropped = drops_read(&run->drops, capture_dropped(capture), &now, &since);
    if (dropped == 0 || run->stopped)
        return;
    timestamp_date(from, since.time, TIMESTAMP_UTC);
    timestamp_date(to, now.time, TIMESTAMP_UTC);
    snprintf(text, sizeof text, "the kernel or the interface dropped %llu packets between %.23sZ and %.23sZ",
             (unsigned long long)dropped, from, to);
    note_dropped(run, "capture.dropped", &since, text);
}

static void note_file_time(struct run *run, const struct armtap_packet *packet)
{
    if (run->totals->file_time == ARMTAP_NO_TIME)
        run->totals->file_time = packet->where.time;
}

static void take_packet(struct run *run, struct armtap_packet *packet)
{
    note_file_time(run, packet);
    run->totals->packets++;
    run->totals->bytes += packet->captured;
    if (run->totals->first_time == ARMTAP_NO_TIME)
        run->totals->first_time = packet->where.time;
    if (run->parts)
        run->reading.is_block_full = !parts_packet(run->parts, packet, run->origin);
    else
        check(run, armtap_net_packet(run->net, packet));
}

/* Says how many packets at the beginning of a file repeat what the part before it had, and was just read: with both, a
 * connection simply goes on. */
static uint64_t begin_section(struct run *run, const struct section_comment *section)
{
    bool follows = section_comment_follows(&run->section, section);
    run->section = *section;
    run->origin = section->from_socket ? ARMTAP_ORIGIN_SOCKET : ARMTAP_ORIGIN_NETWORK;
    if (run->net)
        check(run, armtap_net_origin(run->net, run->origin));
    return follows ? section->repeated : 0;
}

static bool share_host(const struct beginning *one, const struct beginning *other)
{
    for (int i = 0; i < 4; i++)
        if (one->hosts[i / 2][0] != '\0' && strcmp(one->hosts[i / 2], other->hosts[i % 2]) == 0)
            return true;
    return false;
}

/* Files of one robot that are not in order of time are hardly meant so. */
static void check_order(struct run *run, const struct armtap_packet *first)
{
    const struct replay_source *source = run->source;
    struct beginning begins = {.time = first->where.time, .file = first->where.file};
    if (begins.time == ARMTAP_NO_TIME || source->count == 0 ||
        !armtap_packet_hosts(first, begins.hosts[0], begins.hosts[1]))
        return;
    struct input *input = inputs_at(source->inputs, source->archive ? 0 : begins.file);
    if (run->before.time != ARMTAP_NO_TIME && begins.time < run->before.time && share_host(&begins, &run->before) &&
        !source->quiet && (!input || input_report_once(input)))
        message_warning("%s begins before %s, which is read first: name the files in order of time, or add --sort",
                        reader_name(replay_file_name(source, begins.file)),
                        reader_name(replay_file_name(source, run->before.file)));
    run->before = begins;
}

/* ---- digests ----------------------------------------------------------------------------------------------------- */

static void begin_digest(struct run *run)
{
    const struct armtap_digest_options options = {.size = sizeof options, .limit = SIDECAR_PACKETS_MAX};
    if (!run->source->on_indexed)
        return;
    check(run, armtap_digest_new(&options, &run->digest));
    if (run->digest)
        check(run, armtap_net_digest(run->net, run->digest));
}

static void end_digest(struct run *run, struct capture *capture, const struct replay_indexed *counted)
{
    struct replay_indexed indexed = *counted;
    if (!run->digest)
        return;
    check(run, armtap_net_digest(run->net, NULL));
    indexed.section = capture_section(capture);
    indexed.digest = run->digest;
    if (!run->stopped) {
        run->stop.why = run->source->on_indexed(run->stop.user, &indexed);
        if (run->stop.why != REPLAY_GO_ON)
            stop(run, ARMTAP_ERR_STOPPED);
    }
    armtap_digest_free(run->digest);
    run->digest = NULL;
}

static void count_indexed(struct replay_indexed *indexed, const struct armtap_packet *packet)
{
    indexed->packets = packet->where.packet;
    indexed->last_time = packet->where.time;
    if (indexed->packets == 1)
        indexed->first_time = packet->where.time;
}

/* What is known of the archive is of what the capture was then: rows of this one might be other rows. */
static void check_indexed(struct run *run, const struct replay_indexed *indexed)
{
    const struct archive *archive = run->source->archive;
    if (!archive || run->stopped || run->ended ||
        archive_current_is(archive, indexed->packets, indexed->first_time, indexed->last_time))
        return;
    if (!run->source->quiet)
        message_error("%s: not as it was when it was indexed: index it again, together with those after it, and read "
                      "those again",
                      reader_name(replay_file_name(run->source, indexed->file)));
    run->stopped = run->totals->broken_off = true;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static bool is_enough(struct run *run, const struct armtap_where *where)
{
    return run->ending.wish &&
           replay_ending_is_here(&run->ending, run->stop.user, run->net, where, run->totals->first_time);
}

static void begin_packets(struct run *run, struct reading *reading, struct capture *capture, uint32_t file)
{
    *reading = (struct reading){
        .capture = capture,
        .repeated = begin_section(run, capture_section(capture)),
        .indexed = {.file = file, .first_time = ARMTAP_NO_TIME, .last_time = ARMTAP_NO_TIME},
        .last = {ARMTAP_NO_TIME, 0, file},
        .outcome = CAPTURE_END,
        .is_live = run->source->interface != NULL,
    };
    begin_digest(run);
}

/* False at the end. */
static bool next_packet(struct run *run, struct reading *reading)
{
    struct armtap_packet packet;
    if (run->stopped || run->ended || (reading->outcome = capture_next(reading->capture, &packet)) <= CAPTURE_END)
        return false;
    reading->is_block_full = reading->outcome == CAPTURE_FULL;
    if (reading->outcome == CAPTURE_PACKET) {
        packet.where.file = reading->last.file;
        reading->last.packet = packet.where.packet;
        count_indexed(&reading->indexed, &packet);
        note_file_time(run, &packet);
        if (packet.where.packet == 1)
            check_order(run, &packet);
        if (packet.where.packet > reading->repeated)
            take_packet(run, &packet);
        advance(run, reading->capture);
        if (!run->parts && is_enough(run, &packet.where))
            return false;
    }
    if (reading->is_live)
        watch_drops(run, reading->capture, reading->last.packet, false);
    turn(run);
    return true;
}

static void end_packets(struct run *run, struct reading *reading)
{
    if (!run->stopped && reading->outcome < CAPTURE_END)
        fail_input(run, reading->outcome);
    reading->indexed.is_damaged = reading->outcome < CAPTURE_END;
    end_digest(run, reading->capture, &reading->indexed);
    check_indexed(run, &reading->indexed);
    if (reading->is_live)
        watch_drops(run, reading->capture, reading->last.packet, true);
    report_dropped(run, reading->capture, &reading->last);
}

static void run_packets(struct run *run, struct capture *capture, uint32_t file)
{
    struct reading reading;
    begin_packets(run, &reading, capture, file);
    while (next_packet(run, &reading))
        ;
    end_packets(run, &reading);
}

/* ---- raw dumps --------------------------------------------------------------------------------------------------- */

/* Ends the connection: a dump has no packets that do. */
static void end_raw(struct run *run, struct armtap_conn *conn, const struct armtap_where *where)
{
    check(run, armtap_conn_close(conn, ARMTAP_FROM_ROBOT, where));
    struct armtap_event event = {.stream = armtap_conn_stream(conn),
                                 .where = *where,
                                 .direction = ARMTAP_FROM_ROBOT,
                                 .type = ARMTAP_EVENT_CLOSE,
                                 .a = ARMTAP_CLOSE_END_OF_CAPTURE};
    if (!run->stopped && run->sink.on_event && run->sink.on_event(&run->stop, &event) != 0)
        stop(run, ARMTAP_ERR_STOPPED);
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
                      uint64_t arrived)
{
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
            message_error("%s: no telemetry: neither a capture (pcap, pcapng) nor a dump of a stream that armtap "
                          "recognises; if it is a dump, name its protocol: --raw %s",
                          reader_name(name), protocols);
    }
}

static void push_raw(struct run *run, struct capture *capture, struct armtap_conn *conn, const char *name,
                     const struct armtap_where *where)
{
    uint8_t *chunk = malloc(RAW_CHUNK);
    uint64_t length = 0;
    long got = 0;
    if (!chunk) {
        check(run, ARMTAP_ERR_MEMORY);
        return;
    }
    while (!run->stopped && !run->ended && (got = capture_read(capture, chunk, RAW_CHUNK)) > 0) {
        length += (uint64_t)got;
        run->totals->bytes += (uint64_t)got;
        check(run, armtap_conn_push(conn, ARMTAP_FROM_ROBOT, chunk, (size_t)got, where));
        advance(run, capture);
        turn(run);
    }
    free(chunk);
    if (!run->stopped && got != CAPTURE_NO_MEMORY)
        end_raw(run, conn, where);
    if (got < 0 && !run->stopped)
        fail_input(run, (enum capture_outcome)got);
    else
        check_raw(run, armtap_conn_stream(conn), name, length, capture_position(capture));
}

static void run_raw(struct run *run, struct capture *capture, uint32_t file, const char *name)
{
    struct armtap_conn_options options = {.size = sizeof options,
                                          .protocol = run->source->raw,
                                          .connection = RAW_CONNECTIONS + file,
                                          .no_guess = run->source->no_guess};
    struct armtap_where where = {.time = ARMTAP_NO_TIME, .file = file};
    struct armtap_conn *conn;
    int outcome = armtap_conn_new(&options, &run->sink, &run->stop, &conn);
    check(run, outcome);
    if (outcome != ARMTAP_OK)
        return;
    if (run->source->recipe)
        check(run, armtap_conn_set_recipe(conn, run->source->recipe));
    push_raw(run, capture, conn, name, &where);
    armtap_conn_free(conn);
}

/* ---- files and interfaces ---------------------------------------------------------------------------------------- */

/* A file that could not be read is no dump. */
static void refuse_dump(struct run *run, struct capture *capture, const char *name)
{
    uint8_t byte;
    long got = capture_read(capture, &byte, 1);
    if (got < 0) {
        fail_input(run, (enum capture_outcome)got);
        return;
    }
    message_error("%s: a dump of a stream, without packets: nothing shows where it goes on; put the parts of a dump "
                  "together with cat",
                  reader_name(name));
    run->damaged = true;
}

/* NULL after a message. */
static struct capture *open_file(struct run *run, uint32_t file)
{
    const char *name = replay_file_name(run->source, file);
    const struct reader_wish wish = {.name = name,
                                     .input = inputs_at(run->source->inputs, run->source->archive ? 0 : file),
                                     .quiet = run->source->quiet,
                                     .threads = run->source->threads,
                                     .follows = run->source->follow && file + 1 == run->source->count,
                                     .on_wait = wait_on,
                                     .user = run};
    struct capture *capture = capture_open(&wish);
    run->totals->file = file;
    run->totals->file_time = ARMTAP_NO_TIME;
    if (!capture)
        fail_input(run, outcome_of_errno(errno));
    return capture;
}

static void close_file(struct run *run, struct capture *capture)
{
    run->read_before += capture_position(capture);
    capture_close(capture);
}

static void run_file(struct run *run, uint32_t file)
{
    const char *name = replay_file_name(run->source, file);
    struct capture *capture = open_file(run, file);
    if (!capture)
        return;
    if (capture_is_raw(capture) && (run->source->on_indexed || run->source->archive))
        refuse_dump(run, capture, name);
    else if (capture_is_raw(capture))
        run_raw(run, capture, file, name);
    else
        run_packets(run, capture, file);
    close_file(run, capture);
}

static size_t add_port(char *filter, size_t length, size_t room, const struct armtap_port *port)
{
    int more = snprintf(filter + length, room - length, "%stcp port %u", length == 0 ? "" : " or ", port->port);
    return length + (more > 0 && (size_t)more < room - length ? (size_t)more : 0);
}

/* "Destination unreachable", in IPv4 and IPv6. */
static const char icmp_errors[] = " or icmp[0] == 3 or (ip6 proto 58 and ip6[40] == 1)";

/* A capture filter for the telemetry ports, and for the ICMP errors sent in a robot's place. The caller frees it; NULL
 * if memory runs out. */
static char *telemetry_filter(const struct replay_source *source)
{
    struct armtap_port port;
    size_t known = 0, length = 0;
    while (armtap_port_at(known, &port))
        known++;
    size_t room = (known + source->port_count) * sizeof " or tcp port 65535" + sizeof icmp_errors;
    char *filter = calloc(1, room);
    if (!filter)
        return NULL;
    for (size_t i = 0; armtap_port_at(i, &port); i++)
        length = add_port(filter, length, room, &port);
    for (size_t i = 0; i < source->port_count; i++)
        length = add_port(filter, length, room, &source->ports[i]);
    snprintf(filter + length, room - length, "%s", icmp_errors);
    return filter;
}

struct capture *replay_open_interface(const struct replay_source *source)
{
    char *made = source->filter ? NULL : telemetry_filter(source);
    const char *filter = made ? made : source->filter;
    if (!filter) {
        message_no_memory();
        return NULL;
    }
    struct capture *live = capture_open_live(source->interface, filter, made != NULL);
    int error = errno;
    free(made);
    if (!live && error == ENOMEM)
        message_no_memory();
    if (!live || (privileges_drop() == 0 && sandbox_enter() == 0))
        return live;
    capture_close(live);
    return NULL;
}

void replay_close_interface(struct capture *live)
{
    capture_close(live);
}

static void run_live(struct run *run)
{
    drops_begin(&run->drops, clock_time());
    run_packets(run, run->source->live, 0);
}

/* ---- robots ------------------------------------------------------------------------------------------------------ */

/* Notes what this machine could not keep, where it is missing. */
static void note_hole(struct run *run, const struct robot_event *hole, uint64_t packet)
{
    char text[200];
    const struct armtap_where where = {.time = hole->since, .packet = packet};
    snprintf(text, sizeof text, "%" PRIu64 " record%s of %.3f s of %s %s not kept", hole->lost_messages,
             hole->lost_messages == 1 ? "" : "s", (double)(hole->time - hole->since) / 1e9,
             run->source->robots->robots[hole->robot].url, hole->lost_messages == 1 ? "was" : "were");
    note_dropped(run, "record.dropped", &where, text);
}

static void report_holes(const struct robot_capture *capture)
{
    uint64_t dropped = robot_capture_dropped(capture);
    if (dropped > 0)
        message_warning("%" PRIu64 " record%s dropped, because the output did not keep up; write to a file, or ask for "
                        "fewer fields or a lower --frequency",
                        dropped, dropped == 1 ? " was" : "s were");
}

static void run_robots(struct run *run)
{
    struct armtap_packet packet;
    const struct robot_event *hole;
    enum capture_outcome outcome = CAPTURE_END;
    struct robot_capture *capture = robot_capture_open(run->source->robots);
    if (!capture) {
        run->stopped = run->totals->broken_off = true;
        return;
    }
    check(run, armtap_net_origin(run->net, ARMTAP_ORIGIN_SOCKET));
    while (!run->stopped && (outcome = robot_capture_next(capture, &packet, &hole)) > CAPTURE_END) {
        if (hole)
            note_hole(run, hole, packet.where.packet);
        if (outcome == CAPTURE_PACKET)
            take_packet(run, &packet);
        turn(run);
    }
    if (!run->stopped && outcome < CAPTURE_END)
        fail_input(run, outcome);
    report_holes(capture);
    robot_capture_close(capture);
}

/* ---- archives ---------------------------------------------------------------------------------------------------- */

static void refuse_sidecar(struct run *run, const struct sidecar *sidecar)
{
    const char *folder = archive_folder(run->source->archive);
    message_error("%s: the sidecar of %s does not follow those before it: a capture is missing, or bytes were missing "
                  "where it began; index all captures together: armtap index -o %s CAPTURE...",
                  folder, sidecar->capture, folder);
    run->stopped = run->totals->broken_off = true;
}

/* Gives the net what a sidecar kept of its capture. */
static void push_kept(struct run *run, const struct sidecar *sidecar, uint32_t file)
{
    uint64_t repeated = begin_section(run, &sidecar->section);
    for (size_t i = 0; i < sidecar->kept_count && !run->stopped; i++) {
        struct armtap_packet packet = sidecar->kept[i].packet;
        packet.where.file = file;
        if (packet.where.packet <= repeated)
            continue;
        int outcome = sidecar->kept[i].is_stretch
                          ? armtap_net_pass(run->net, &packet.where, packet.data, packet.captured)
                          : armtap_net_packet(run->net, &packet);
        if (outcome == ARMTAP_ERR_NOT_READY || outcome == ARMTAP_ERR_NOT_OURS)
            refuse_sidecar(run, sidecar);
        else
            check(run, outcome);
        turn(run);
    }
}

static void run_sidecar(struct run *run, uint32_t file)
{
    struct sidecar sidecar;
    if (archive_load(run->source->archive, file, &sidecar) == 0)
        push_kept(run, &sidecar, file);
    else
        run->stopped = run->totals->broken_off = true;
    if (!run->totals->elsewhere)
        run->totals->packets += sidecar.packets;
    sidecar_free(&sidecar);
}

static void tell_capture(struct run *run, bool begins)
{
    if (!run->source->on_capture || run->stopped)
        return;
    run->stop.why = run->source->on_capture(run->stop.user, begins);
    if (run->stop.why != REPLAY_GO_ON)
        stop(run, ARMTAP_ERR_STOPPED);
}

/* Connections that go on after the capture are left open. The last capture ends with them, and is not said to end. */
static void run_archive(struct run *run)
{
    const struct archive *archive = run->source->archive;
    size_t current = archive_current(archive);
    bool is_read = run->source->part != REPLAY_SIDECARS || !archive_current_is_indexed(archive);
    size_t count = run->source->part == REPLAY_CAPTURE ? current + 1 : archive_count(archive);
    run->totals->first_time = archive_first_time(archive);
    for (uint32_t i = 0; i < count && !run->stopped && !run->ended; i++) {
        run->totals->elsewhere = i != current;
        if (i == current)
            tell_capture(run, true);
        if (i == current && is_read)
            run_file(run, i);
        else
            run_sidecar(run, i);
        if (i == current && i + 1 < archive_count(archive))
            tell_capture(run, false);
    }
    run->ended = run->ended || count < archive_count(archive);
}

static struct armtap_net_options net_options(const struct replay_source *source, struct armtap_knowledge *knowledge)
{
    return (struct armtap_net_options){.size = sizeof(struct armtap_net_options),
                                       .ports = source->ports,
                                       .port_count = source->port_count,
                                       .recipe = source->recipe,
                                       .knowledge = knowledge,
                                       .no_guess = source->no_guess};
}

static void run_all(struct run *run)
{
    const struct armtap_net_options options = net_options(run->source, run->source->knowledge);
    int outcome = armtap_net_new(&options, &run->sink, &run->stop, &run->net);
    if (outcome == ARMTAP_OK)
        outcome = armtap_net_brief(run->net);
    check(run, outcome);
    if (outcome != ARMTAP_OK)
        return;
    if (run->source->interface)
        run_live(run);
    else if (run->source->robots)
        run_robots(run);
    else if (run->source->archive)
        run_archive(run);
    else
        for (uint32_t i = 0; i < run->source->count && !run->stopped && !run->ended; i++)
            run_file(run, i);
    if (!run->stopped && !(run->source->archive && run->ended))
        check(run, armtap_net_finish(run->net));
    armtap_net_free(run->net);
}

/* ---- by several threads ------------------------------------------------------------------------------------------ */

/* Bytes; what is smaller is read before threads have begun. Tests read everything in parts. */
#ifndef PARTS_LEAST
#define PARTS_LEAST (8 << 20)
#endif

/* Opens the next file that can be read; false: there is none. A dump is not for several threads. */
static bool begin_next_file(struct run *run)
{
    struct reading *reading = &run->reading;
    for (; run->next_file < run->source->count && !run->stopped && !run->ended; run->next_file++) {
        struct capture *capture = open_file(run, run->next_file);
        if (!capture)
            continue;
        begin_packets(run, reading, capture, run->next_file++);
        if (capture_is_raw(capture))
            parts_strain(run->parts);
        return !capture_is_raw(capture);
    }
    return false;
}

static void end_this_file(struct run *run)
{
    end_packets(run, &run->reading);
    close_file(run, run->reading.capture);
    run->reading.capture = NULL;
}

/* Reads until a block is full, or a file ends. */
static bool fill(void *user, struct parts *parts)
{
    struct run *run = user;
    struct reading *reading = &run->reading;
    size_t length;
    run->parts = parts;
    if (!reading->capture && !begin_next_file(run))
        return false;
    uint8_t *buffer = parts_buffer(parts, &length);
    capture_lend(reading->capture, buffer, length);
    for (bool goes_on = true; goes_on;) {
        if (!next_packet(run, reading)) {
            end_this_file(run);
            return true;
        }
        goes_on = !reading->is_block_full;
    }
    return true;
}

static bool may_run_in_parts(const struct replay_source *source, const struct armtap_sink *sink)
{
    return source->in_parts && source->threads > 1 && !source->end && replay_is_repeatable(source) &&
           !source->archive && !source->on_turn && !source->on_capture && !source->on_indexed &&
           source->raw == ARMTAP_PROTOCOL_NONE && inputs_length(source->inputs, source->count) >= PARTS_LEAST &&
           parts_suit(sink);
}

static void begin_run(struct run *run, const struct replay_source *source, const struct armtap_sink *sink, void *user,
                      struct replay_totals *totals)
{
    *run = (struct run){.source = source,
                        .stop = {.sink = sink, .user = user},
                        .ending = {.wish = source->archive || source->on_indexed ? NULL : source->end},
                        .totals = totals,
                        .before = {.time = ARMTAP_NO_TIME}};
    run->sink = replay_stop_wrap(&run->stop);
    *totals = (struct replay_totals){.first_time = ARMTAP_NO_TIME, .file_time = ARMTAP_NO_TIME};
    progress_begin(&run->progress, source->progress && !replay_is_endless(source) && !source->follow,
                   replay_is_endless(source) ? 0 : inputs_length(source->inputs, source->count));
}

static enum exit_status end_run(struct run *run)
{
    progress_hide(&run->progress);
    return run->damaged || run->totals->broken_off ? EXIT_FAILED : EXIT_DONE;
}

/* Reads by several threads. False if the sink was told other things than one thread would have told it. */
static bool replay_in_parts(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                            struct replay_totals *totals, enum exit_status *status)
{
    struct run run;
    int error;
    begin_run(&run, source, sink, user, totals);
    const struct armtap_net_options options = net_options(source, NULL);
    const struct parts_wish wish = {.threads = source->threads,
                                    .bytes = inputs_length(source->inputs, source->count),
                                    .options = &options,
                                    .sink = &run.sink,
                                    .user = &run.stop,
                                    .fill = fill,
                                    .source = &run};
    enum parts_outcome outcome = parts_run(&wish, &error);
    if (run.reading.capture)
        capture_close(run.reading.capture);
    if (outcome == PARTS_FAILED)
        stop(&run, error);
    *status = end_run(&run);
    totals->in_parts = outcome != PARTS_STRAINED;
    return totals->in_parts;
}

enum exit_status replay(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                        struct replay_totals *totals)
{
    struct run run;
    begin_run(&run, source, sink, user, totals);
    run_all(&run);
    return end_run(&run);
}

static enum exit_status worse(enum exit_status one, enum exit_status other)
{
    return one > other ? one : other;
}

/* Empties the sink for another reading. */
static bool has_forgotten(int (*forget)(void *user), void *user, struct replay_totals *totals)
{
    if (forget(user) == 0)
        return true;
    message_no_memory();
    totals->broken_off = true;
    return false;
}

enum exit_status replay_learning(const struct replay_source *source, const struct armtap_sink *sink, void *user,
                                 int (*forget)(void *user), struct replay_totals *totals)
{
    struct replay_source again = *source;
    enum exit_status status = EXIT_DONE;
    bool is_read = may_run_in_parts(source, sink) && replay_in_parts(source, sink, user, totals, &status);
    if (is_read)
        return status;
    again.quiet = source->quiet || status == EXIT_FAILED;
    if (may_run_in_parts(source, sink) && !has_forgotten(forget, user, totals))
        return EXIT_FAILED;
    status = worse(status, replay(&again, sink, user, totals));
    if (totals->broken_off || !armtap_knowledge_has_guesses(source->knowledge) || !replay_is_repeatable(source))
        return status;
    armtap_knowledge_seal(source->knowledge);
    again.quiet = source->quiet || status == EXIT_FAILED;
    return has_forgotten(forget, user, totals) ? worse(status, replay(&again, sink, user, totals)) : EXIT_FAILED;
}
