#define _POSIX_C_SOURCE 200809L
#include "command_line/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/names.h"
#include "amount.h"
#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "capture_series.h"
#include "command_line/options.h"
#include "input/robots/event_loop.h"
#include "input/robots/robot_link.h"
#include "input/robots/robot_event.h"
#include "input/robots/robot_traffic.h"
#include "base/os/shell_word.h"
#include "nanoseconds.h"
#include "rotation.h"

#define STATUS_TURN (SECOND / 2)
#define SYNC_DEFAULT 5
#define SYNC_MAX 3600
/* ns: a recording need not be on its way to the disk sooner. */
#define PATIENCE (SECOND / 20)

/* What goes into one file, or into one series of parts. */
struct track {
    struct capture_series *series;
    struct robot_traffic *traffic;
    uint64_t dropped; /* packets before the next one */
    char remark[80];  /* on the next packet, or "" */
};

struct record {
    struct options options;
    struct rotation rotation;
    struct capture_series_wish wish;
    struct robot_reader *reader;
    struct track *tracks; /* one for all robots, or one for each host if the name tells them apart */
    size_t track_count;
    size_t *track_of;            /* by robot */
    struct robot_tally *tallies; /* by robot */
    uint64_t lost;               /* packets that came when nothing more could be written */
    uint64_t sync;               /* seconds */
    int64_t span, end;           /* ns to record, 0: without an end; and when that is over */
    int64_t shown;
    bool shows; /* a status line */
    int status;
};

#define OPTIONS_STRUCT struct record
static const struct option_row rows[] = {
#define OPTIONS_RECORD
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "record",
    .arguments = "ROBOT...",
    .summary =
        "Connects to robots as a client and records their data in captures, which every other command and Wireshark "
        "can read. Needs no privileges. Reconnects when a connection ends; runs until Ctrl-C, or for the time of "
        "--for.",
    .rows = rows,
    .groups = GROUPS_record,
    .examples = "  armtap record --all rtde://10.0.0.2\n"
                "  armtap record -o /data/%Y%m%dT%H%M%SZ-ROBOT.pcapng.gz --rotate 1h --keep 200G realtime://10.0.0.2\n",
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int check_options(struct record *record)
{
    record->wish.sync = (int64_t)record->sync * SECOND;
    record->wish.rotate = record->rotation.time;
    record->wish.part_size = record->rotation.part_size;
    if (rotation_check(&record->rotation, "record", record->wish.output) != 0)
        return -1;
    return part_name_check("record", record->wish.output);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static int repeat(void *user, int64_t time, synthetic_take *write, void *taker)
{
    const struct track *track = user;
    return robot_traffic_repeat(track->traffic, time, write, taker);
}

static int open_track(struct record *record, struct track *track, const struct robot_address *robot)
{
    struct capture_series_wish wish = record->wish;
    wish.robot = robot->host;
    wish.repeat = repeat;
    wish.user = track;
    track->traffic = robot_traffic_new(record->options.robots.count);
    if (!track->traffic)
        return message_no_memory();
    track->series = capture_series_open(&wish, tcp_clock());
    return track->series ? 0 : -1;
}

/* The first robot that shares this one's track. */
static size_t leader_of(const struct record *record, size_t robot)
{
    const struct robot_address *robots = record->options.robots.robots;
    bool is_one_each = strstr(record->wish.output, PART_NAME_ROBOT);
    size_t leader = 0;
    while (is_one_each && strcmp(robots[leader].host, robots[robot].host) != 0)
        leader++;
    return leader;
}

static int find_earlier(struct record *record)
{
    const struct robot_sources *robots = &record->options.robots;
    for (size_t i = 0; i < robots->count; i++)
        if (leader_of(record, i) == i &&
            kept_parts_find(record->wish.kept, record->wish.output, robots->robots[i].host) != 0)
            return -1;
    return 0;
}

static int open_tracks(struct record *record)
{
    const struct robot_sources *robots = &record->options.robots;
    record->tracks = calloc(robots->count + 1, sizeof *record->tracks);
    record->track_of = calloc(robots->count + 1, sizeof *record->track_of);
    record->tallies = calloc(robots->count + 1, sizeof *record->tallies);
    record->wish.kept = kept_parts_new(record->rotation.keep);
    if (!record->tracks || !record->track_of || !record->tallies || !record->wish.kept)
        return message_no_memory();
    if (find_earlier(record) != 0)
        return -1;
    for (size_t i = 0; i < robots->count; i++) {
        size_t leader = leader_of(record, i);
        record->track_of[i] = leader == i ? record->track_count++ : record->track_of[leader];
        if (leader == i && open_track(record, &record->tracks[record->track_of[i]], &robots->robots[i]) != 0)
            return -1;
    }
    return 0;
}

static int record_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct track *track = user;
    const struct capture_packet made = {.time = time,
                                        .bytes = packet,
                                        .length = length,
                                        .dropped = track->dropped,
                                        .comment = track->remark[0] != '\0' ? track->remark : NULL};
    int outcome = capture_series_packet(track->series, &made);
    track->dropped = 0;
    track->remark[0] = '\0';
    return outcome;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static struct capture_series_totals total_of(const struct record *record)
{
    struct capture_series_totals sum = {.parts = 0};
    for (size_t i = 0; i < record->track_count; i++) {
        const struct capture_series_totals *one = capture_series_totals(record->tracks[i].series);
        sum.packets += one->packets;
        sum.bytes += one->bytes;
        sum.parts += one->parts;
        sum.lost += one->lost;
        sum.closed += one->closed;
    }
    return sum;
}

static struct robot_tally tally_of(const struct record *record)
{
    struct robot_tally sum = {.records = 0};
    for (size_t i = 0; i < record->options.robots.count; i++)
        robot_tally_add(&sum, &record->tallies[i], tcp_clock());
    return sum;
}

static void show_status(struct record *record, int64_t now)
{
    char size[AMOUNT_MAX];
    if (!record->shows || now - record->shown < STATUS_TURN)
        return;
    const struct capture_series_totals total = total_of(record);
    const struct robot_tally tally = tally_of(record);
    record->shown = now;
    amount_text(size, total.bytes);
    fprintf(stderr, "\r\033[K%" PRIu64 " records, %" PRIu64 " packets, %s", tally.records, total.packets, size);
    if (tally.dropped > 0)
        fprintf(stderr, ", %" PRIu64 " DROPPED", tally.dropped);
    fflush(stderr);
}

static void hide_status(const struct record *record)
{
    if (record->shows)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* The next packet of each file says that armtap itself stood still. */
static void remark_still(struct record *record, const struct robot_event *event)
{
    for (size_t i = 0; i < record->track_count; i++)
        snprintf(record->tracks[i].remark, sizeof record->tracks[i].remark,
                 "armtap itself stood still for %.1f s before it read this",
                 (double)(event->time - event->since) / 1e9);
}

/* 0, or -1 after a message: the recording is over. */
static int take_event(struct record *record, const struct robot_event *event)
{
    struct track *track = &record->tracks[record->track_of[event->robot]];
    robot_event_say(event);
    robot_tally_take(&record->tallies[event->robot], event);
    if (event->kind == ROBOT_STILL)
        remark_still(record, event);
    if (event->kind == ROBOT_SAID || event->kind == ROBOT_STILL)
        return 0;
    if (event->kind == ROBOT_DROPPED)
        track->dropped += event->lost_messages;
    if (capture_series_cut(track->series, event->time, event->length) != 0)
        return -1;
    return robot_traffic_take(track->traffic, event, record_packet, track);
}

/* 0, or -1 after a message. */
static int turn(struct record *record, bool is_idle)
{
    int64_t now = event_clock();
    int outcome = 0;
    for (size_t i = 0; i < record->track_count && outcome == 0; i++)
        outcome = capture_series_turn(record->tracks[i].series, now, is_idle);
    show_status(record, now);
    if (now >= record->end)
        robot_reader_stop(record->reader);
    return outcome;
}

static int count_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct record *record = user;
    (void)time;
    (void)packet;
    (void)length;
    record->lost++;
    return 0;
}

/* Nothing more can be written: counts what came that no file has been given. */
static void count_rest(struct record *record)
{
    struct robot_event event;
    while (robot_reader_next(record->reader, &event) == ROBOT_READER_EVENT) {
        if (event.kind == ROBOT_DROPPED)
            record->lost += event.lost_messages;
        robot_traffic_take(record->tracks[record->track_of[event.robot]].traffic, &event, count_packet, record);
    }
}

/* Whether a port tells what it carries. */
static bool is_known_port(uint16_t number)
{
    struct armtap_port port = {.size = sizeof port};
    for (size_t i = 0; armtap_port_at(i, &port); i++)
        if (port.port == number)
            return true;
    return false;
}

static void say_nothing_came(const struct robot_address *robot, const char *file)
{
    char quoted[SHELL_MAX] = "";
    if (strcmp(file, "-") == 0 || !shell_word(quoted, sizeof quoted, file))
        message_error("%s: no record came", robot->url);
    else if (is_known_port(robot->port))
        message_error("%s: no record arrived; to see why: armtap diagnose %s", robot->url, quoted);
    else
        message_error("%s: no record arrived; to see why: armtap diagnose --port %u=%s %s", robot->url,
                      (unsigned)robot->port, armtap_protocol_name(robot->protocol), quoted);
}

/* Whether each robot gave a record; says which gave none. */
static bool judge_robots(const struct record *record)
{
    const struct robot_sources *robots = &record->options.robots;
    bool is_whole = true;
    for (size_t i = 0; i < robots->count; i++) {
        if (record->tallies[i].records > 0)
            continue;
        is_whole = false;
        say_nothing_came(&robots->robots[i], capture_series_name(record->tracks[record->track_of[i]].series));
    }
    return is_whole;
}

static void run_recording(struct record *record)
{
    enum robot_reader_outcome outcome = ROBOT_READER_SILENT;
    struct robot_event event;
    int written = 0;
    record->end = amount_time_end(event_clock(), record->span);
    while (written == 0 && (outcome = robot_reader_next(record->reader, &event)) <= ROBOT_READER_SILENT) {
        if (outcome == ROBOT_READER_EVENT)
            written = take_event(record, &event);
        if (written == 0)
            written = turn(record, outcome == ROBOT_READER_SILENT);
    }
    hide_status(record);
    if (outcome == ROBOT_READER_NO_MEMORY)
        message_no_memory();
    for (size_t i = 0; i < record->track_count; i++)
        written |= capture_series_end(record->tracks[i].series);
    bool is_enough = total_of(record).closed == record->track_count;
    if (written != 0 && !is_enough)
        count_rest(record);
    bool is_whole = judge_robots(record);
    record->status =
        is_whole && (written == 0 || is_enough) && outcome != ROBOT_READER_GAVE_UP && outcome != ROBOT_READER_NO_MEMORY
            ? EXIT_DONE
            : EXIT_FAILED;
}

static size_t count_hosts(const struct robot_sources *robots)
{
    size_t count = 0;
    for (size_t i = 0; i < robots->count; i++) {
        size_t k = 0;
        while (strcmp(robots->robots[k].host, robots->robots[i].host) != 0)
            k++;
        count += k == i ? 1 : 0;
    }
    return count;
}

static void report(const struct record *record)
{
    size_t robots = count_hosts(&record->options.robots);
    char size[AMOUNT_MAX], interruptions[ROBOT_TALLY_MAX], deleted[48] = "";
    const struct capture_series_totals total = total_of(record);
    const struct robot_tally tally = tally_of(record);
    uint64_t lost = total.lost + record->lost;
    if (tally.dropped > 0)
        message_warning("%" PRIu64 " packet%s dropped because the disk did not keep up: record to a faster one, or "
                        "request fewer fields or a lower --frequency",
                        tally.dropped, tally.dropped == 1 ? " was" : "s were");
    if (lost > 0)
        message_error("%" PRIu64 " packet%s received %s in no file", lost, lost == 1 ? "" : "s",
                      lost == 1 ? "is" : "are");
    kept_parts_list(record->wish.kept);
    amount_text(size, total.bytes);
    robot_tally_text(interruptions, &tally);
    if (kept_parts_deleted(record->wish.kept) > 0)
        snprintf(deleted, sizeof deleted, "; %" PRIu64 " deleted, the oldest first",
                 kept_parts_deleted(record->wish.kept));
    message_info("recorded %" PRIu64 " packets from %zu robot%s, %s in %" PRIu64 " file%s%s; %" PRIu64 " dropped%s",
                 total.packets, robots, robots == 1 ? "" : "s", size, total.parts, total.parts == 1 ? "" : "s", deleted,
                 tally.dropped, interruptions);
}

static void close_tracks(struct record *record)
{
    for (size_t i = 0; i < record->track_count && record->tracks; i++) {
        capture_series_free(record->tracks[i].series);
        robot_traffic_free(record->tracks[i].traffic);
    }
    free(record->tracks);
    free(record->track_of);
    free(record->tallies);
    kept_parts_free(record->wish.kept);
}

int cmd_record(int argc, char **argv)
{
    struct record record = {.status = EXIT_FAILED, .sync = SYNC_DEFAULT, .wish = {.output = PART_NAME_DEFAULT}};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &record.options, &record);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    interrupt_hold();
    record.shows = isatty(STDERR_FILENO);
    record.options.robots.patience = PATIENCE;
    if (check_options(&record) == 0 && open_tracks(&record) == 0 &&
        (record.reader = robot_reader_start(&record.options.robots))) {
        message_show_times();
        run_recording(&record);
        report(&record);
    }
    robot_reader_free(record.reader);
    close_tracks(&record);
    options_free(&record.options);
    return record.status;
}
