#define _POSIX_C_SOURCE 200809L
#include "command_line/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amount.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "capture_series.h"
#include "command_line/options.h"
#include "input/event_loop.h"
#include "input/robot_reader.h"
#include "input/robot_traffic.h"
#include "nanoseconds.h"
#include "part_name.h"

#define STATUS_TURN (SECOND / 2)
#define SYNC_DEFAULT 5
#define SYNC_MAX 3600
/* ns: a recording need not be on its way to the disk sooner. */
#define PATIENCE (SECOND / 20)

enum option_id { OPTION_OUT = 1, OPTION_FOR, OPTION_ROTATE, OPTION_KEEP, OPTION_SYNC };

static const struct option_row rows[] = {
    {OPTION_OUT, 'o', "output", "OUT",
     "file to write, - for standard output; %Y%m%dT%H%M%SZ is the time in UTC at which it begins, ROBOT the robot's "
     "address, a final .gz compresses it; robots share a file unless its name has ROBOT; default: "
     "%Y%m%dT%H%M%SZ-ROBOT.pcapng"},
    {OPTION_FOR, 0, "for", "TIME", "end after that time (60s, 15m, 8h) instead of at Ctrl-C"},
    {OPTION_ROTATE, 0, "rotate", "T|SIZE",
     "begin another file at each multiple of T (60s, 15m, 1h, 1d), or before a file grows larger than SIZE (500M, 1G); "
     "may be given once for each; a number alone is seconds"},
    {OPTION_KEEP, 0, "keep", "SIZE", "delete the oldest files of this recording when all together exceed SIZE (200G)"},
    {OPTION_SYNC, 0, "sync", "SECONDS", "see that everything is on the disk so often (default: 5)"},
};

static const struct option_usage usage = {
    .command = "record",
    .arguments = "ROBOT...",
    .summary =
        "Records what robots send, as a client of theirs, in captures that every other command and Wireshark read. "
        "Needs no privileges. Goes on until Ctrl-C, or --for a time, and connects again when a connection ends.",
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .reads_robots = true,
    .examples =
        "  armtap record --all rtde://10.0.0.2\n"
        "  armtap record -o '/data/%Y%m%dT%H%M%SZ-ROBOT.pcapng.gz' --rotate 1h --keep 200G realtime://10.0.0.2\n",
};

/* What goes into one file, or into one series of parts. */
struct track {
    struct capture_series *series;
    struct robot_traffic *traffic;
    uint64_t dropped; /* messages before the next packet */
};

struct record {
    struct options options;
    struct capture_series_wish wish;
    struct robot_reader *reader;
    struct track *tracks; /* one for all robots, or one for each host if the name tells them apart */
    size_t track_count;
    size_t *track_of; /* by robot */
    uint64_t records, dropped;
    int64_t span, end; /* ns to record, 0: without an end; and when that is over */
    int64_t shown;
    bool shows; /* a status line */
    int status;
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int take_rotate(struct record *record, const char *value)
{
    size_t length = strlen(value);
    bool is_size = length > 0 && strchr("kMGT", value[length - 1]);
    if (is_size ? amount_bytes(value, &record->wish.part_size) == 0 : amount_time(value, &record->wish.rotate) == 0)
        return 0;
    message_error("--rotate '%s': expected a time such as 60s, 15m, 1h or 1d, or a size such as 500M or 1G", value);
    return -1;
}

static int take(void *user, int id, const char *value)
{
    struct record *record = user;
    uint64_t seconds;
    switch (id) {
    case OPTION_OUT:
        record->wish.output = value;
        return 0;
    case OPTION_FOR:
        return amount_time_option("--for", value, &record->span);
    case OPTION_ROTATE:
        return take_rotate(record, value);
    case OPTION_KEEP:
        if (amount_bytes(value, &record->wish.keep) == 0)
            return 0;
        message_error("--keep '%s': expected a size such as 500M or 200G", value);
        return -1;
    default:
        if (options_number("--sync", value, 1, SYNC_MAX, &seconds) != 0)
            return -1;
        record->wish.sync = (int64_t)seconds * SECOND;
        return 0;
    }
}

static int check_options(const struct record *record)
{
    const struct capture_series_wish *wish = &record->wish;
    bool rotates = wish->rotate > 0 || wish->part_size > 0;
    if (strcmp(wish->output, "-") == 0 && rotates)
        message_error("record: --rotate needs files; standard output is one");
    else if (wish->keep > 0 && !rotates)
        message_error("record: --keep deletes whole files; give --rotate too");
    else if (wish->keep > 0 && wish->keep < wish->part_size)
        message_error("record: --keep is less than one file of --rotate; give a larger --keep or a smaller --rotate");
    else
        return part_name_check("record", wish->output);
    return -1;
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

static int open_tracks(struct record *record)
{
    const struct robot_sources *robots = &record->options.robots;
    record->tracks = calloc(robots->count + 1, sizeof *record->tracks);
    record->track_of = calloc(robots->count + 1, sizeof *record->track_of);
    if (!record->tracks || !record->track_of)
        return message_no_memory();
    for (size_t i = 0; i < robots->count; i++) {
        size_t leader = leader_of(record, i);
        record->track_of[i] = leader == i ? record->track_count++ : record->track_of[leader];
        if (leader == i && open_track(record, &record->tracks[record->track_of[i]], &robots->robots[i]) != 0)
            return -1;
    }
    return 0;
}

static int take_packet(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct track *track = user;
    const struct capture_packet made = {.time = time, .bytes = packet, .length = length, .dropped = track->dropped};
    track->dropped = 0;
    return capture_series_packet(track->series, &made);
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
        sum.deleted += one->deleted;
        sum.closed += one->closed;
    }
    return sum;
}

static void show_status(struct record *record, int64_t now)
{
    char size[AMOUNT_MAX];
    if (!record->shows || now - record->shown < STATUS_TURN)
        return;
    record->shown = now;
    amount_text(size, total_of(record).bytes);
    fprintf(stderr, "\r\033[K%" PRIu64 " messages, %s", record->records, size);
    if (record->dropped > 0)
        fprintf(stderr, ", %" PRIu64 " DROPPED", record->dropped);
    fflush(stderr);
}

static void hide_status(const struct record *record)
{
    if (record->shows)
        fputs("\r\033[K", stderr);
}

/* 0, or -1 after a message: the recording is over. */
static int take_event(struct record *record, const struct robot_event *event)
{
    struct track *track = &record->tracks[record->track_of[event->robot]];
    robot_event_say(event);
    if (event->kind == ROBOT_SAID)
        return 0;
    if (event->kind == ROBOT_BYTES && event->direction == ARMTAP_FROM_ROBOT)
        record->records++;
    if (event->kind == ROBOT_DROPPED) {
        record->dropped += event->lost_messages;
        track->dropped += event->lost_messages;
    }
    if (capture_series_cut(track->series, event->time, event->length) != 0)
        return -1;
    return robot_traffic_take(track->traffic, event, take_packet, track);
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

/* Nothing more can be written: says how much came that no file has been given. */
static void count_rest(struct record *record)
{
    struct robot_event event;
    uint64_t rest = 0;
    while (robot_reader_next(record->reader, &event) == ROBOT_READER_EVENT) {
        if (event.kind == ROBOT_BYTES && event.direction == ARMTAP_FROM_ROBOT)
            rest++;
        else if (event.kind == ROBOT_DROPPED)
            rest += event.lost_messages;
    }
    if (rest > 0)
        message_error("%" PRIu64 " more message%s came, and %s not recorded", rest, rest == 1 ? "" : "s",
                      rest == 1 ? "is" : "are");
}

static void run(struct record *record)
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
    record->status = (written == 0 || is_enough) && outcome != ROBOT_READER_GAVE_UP && outcome != ROBOT_READER_NO_MEMORY
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
    char size[AMOUNT_MAX];
    const struct capture_series_totals total = total_of(record);
    amount_text(size, total.bytes);
    if (record->dropped > 0)
        message_warning("%" PRIu64
                        " messages were dropped because the disk did not keep up: record to a faster one, or "
                        "ask for fewer fields or a lower --frequency",
                        record->dropped);
    message_info("recorded %" PRIu64 " packets from %zu robot%s, %s in %" PRIu64 " file%s%s%s", total.packets, robots,
                 robots == 1 ? "" : "s", size, total.parts, total.parts == 1 ? "" : "s",
                 total.deleted > 0 ? ", the oldest of them deleted" : "",
                 record->records == 0 ? "; armtap diagnose says why nothing came" : "");
}

static void close_tracks(struct record *record)
{
    for (size_t i = 0; i < record->track_count && record->tracks; i++) {
        capture_series_free(record->tracks[i].series);
        robot_traffic_free(record->tracks[i].traffic);
    }
    free(record->tracks);
    free(record->track_of);
}

int cmd_record(int argc, char **argv)
{
    struct record record = {.status = EXIT_FAILED,
                            .wish = {.output = PART_NAME_DEFAULT, .sync = SYNC_DEFAULT * SECOND}};
    enum options_outcome outcome = options_parse(&usage, argc, argv, &record.options, take, &record);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    interrupt_hold();
    record.shows = isatty(STDERR_FILENO);
    record.options.robots.patience = PATIENCE;
    if (check_options(&record) == 0 && open_tracks(&record) == 0 &&
        (record.reader = robot_reader_start(&record.options.robots))) {
        run(&record);
        report(&record);
    }
    robot_reader_free(record.reader);
    close_tracks(&record);
    options_free(&record.options);
    return record.status;
}
