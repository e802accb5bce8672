#define _GNU_SOURCE
#include "capture_series.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/process/message.h"
#include "export/files/atomic_file.h"
#include "nanoseconds.h"
#include "rotation.h"
#include "amount.h"

/* Names tried for a part before giving up. */
#define COPIES_MAX 999999
/* Between two flushes of a file that someone may follow. */
#define FLUSH_TURN SECOND
/* Of IPv6 and TCP, before a record's bytes. */
#define HEADERS_MAX 60

static const char standard_output[] = "-", repeated_comment[] = "repeated from an earlier part";

struct capture_series {
    struct capture_series_wish wish;
    struct capture_series_totals totals;
    struct section_comment section;
    struct capture_file *file;
    char name[PART_NAME_MAX];
    char first_name[PART_NAME_MAX]; /* what it would be without a number */
    unsigned copy;                  /* its number, or 1 */
    bool told_full;
    uint64_t completed;      /* bytes of the parts before */
    uint64_t packets;        /* in this part, without repeated ones */
    int64_t cut;             /* the next cut by time; INT64_MAX: none */
    int64_t synced, flushed; /* monotonic clock */
    bool failed;
    struct kept_part *part; /* the one being written */
};

static const char *shown(const char *name)
{
    return strcmp(name, standard_output) == 0 ? "standard output" : name;
}

/* What is known of the parts' sizes. */
static void grow(struct capture_series *series)
{
    kept_parts_grow(series->wish.kept, series->part, capture_file_size(series->file));
}

static void make_room(struct capture_series *series)
{
    grow(series);
    kept_parts_make_room(series->wish.kept);
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

/* Closes a file that takes no more. The packets that are not in it are the last ones; those that repeat others are the
 * first. */
static void give_up(struct capture_series *series)
{
    uint64_t lost = capture_file_give_up(series->file);
    grow(series);
    kept_parts_end(series->wish.kept, series->part);
    series->totals.bytes = series->completed + capture_file_size(series->file);
    capture_file_free(series->file);
    lost = lost < series->packets ? lost : series->packets;
    series->file = NULL;
    series->failed = true;
    series->totals.lost += lost;
    series->totals.packets -= lost;
}

static int fail(struct capture_series *series, const char *problem, const char *remedy)
{
    give_up(series);
    message_error("%s: %s; later data is missing from it%s%s", shown(series->name), problem, *remedy ? ": " : "",
                  remedy);
    return -1;
}

static int end_for_reader(struct capture_series *series)
{
    give_up(series);
    series->totals.closed = 1;
    return -1;
}

typedef enum capture_file_outcome write_again(struct capture_file *file);

/* Judges what writing returned; a full disk gets room by deleting the oldest part. */
static int judge(struct capture_series *series, enum capture_file_outcome outcome, write_again *again)
{
    const char *oldest;
    while (outcome == CAPTURE_FILE_FULL && (oldest = kept_parts_oldest(series->wish.kept))) {
        if (!series->told_full)
            message_warning("%s: the disk is full: from now on the oldest parts are deleted, %s first", series->name,
                            oldest);
        series->told_full = true;
        kept_parts_delete_oldest(series->wish.kept);
        outcome = again(series->file);
    }
    switch (outcome) {
    case CAPTURE_FILE_OK:
        return 0;
    case CAPTURE_FILE_FULL:
        return fail(series, "the disk is full", "make room, or use --rotate and --keep, which delete the oldest parts");
    case CAPTURE_FILE_CLOSED:
        return end_for_reader(series);
    case CAPTURE_FILE_OVERDUE:
        return fail(series, "its reader does not read", "");
    case CAPTURE_FILE_NO_MEMORY:
        message_no_memory();
        return fail(series, "out of memory", "");
    default:
        return fail(series, strerror(errno), "");
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

struct repetition {
    struct capture_series *series;
    uint32_t count;
    bool writes; /* else it counts */
};

static int take_repeated(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct repetition *repetition = user;
    repetition->count++;
    if (!repetition->writes)
        return 0;
    struct capture_file *file = repetition->series->file;
    const struct capture_packet again = {.time = time, .bytes = packet, .length = length, .comment = repeated_comment};
    return judge(repetition->series, capture_file_packet(file, &again), capture_file_flush);
}

static int repeat(struct capture_series *series, int64_t time, struct repetition *repetition)
{
    const struct capture_series_wish *wish = &series->wish;
    if (!wish->repeat || series->section.part == 1)
        return 0;
    int outcome = wish->repeat(wish->user, time, take_repeated, repetition);
    if (outcome != 0 && !series->failed)
        message_no_memory();
    return outcome;
}

static int report_open(const struct capture_series *series)
{
    if (errno == EEXIST)
        message_error("%s: already exists, and a recording overwrites no file; name another, or put the time into the "
                      "name: -o '%%Y%%m%%dT%%H%%M%%SZ-ROBOT.pcapng'",
                      series->name);
    else if (errno == EINTR)
        message_error("%s: no program reads it, so nothing was recorded", shown(series->name));
    else if (errno == ENOMEM)
        message_no_memory();
    else if (errno == ENAMETOOLONG) /* the part's own may not have been made */
        message_error("-o: %s: %s", strerror(errno), series->wish.output);
    else
        sink_file_report(shown(series->name), errno);
    return -1;
}

/* The number that a part's name begins with: one more than the last part's if both would have the same name, though
 * earlier ones be deleted. */
static int number_name(struct capture_series *series, int64_t time)
{
    char before[PART_NAME_MAX];
    memcpy(before, series->first_name, sizeof before);
    if (part_name(series->first_name, series->wish.output, series->wish.robot, time, 1) != 0)
        return -1;
    series->copy = strcmp(before, series->first_name) == 0 ? series->copy + 1 : 1;
    return 0;
}

/* A name that the time or other parts have used already gets a number. */
static int open_file(struct capture_series *series, int64_t time)
{
    const struct capture_series_wish *wish = &series->wish;
    bool may_number = series->section.part > 1 || strchr(wish->output, '%');
    errno = 0;
    if (number_name(series, time) != 0)
        return report_open(series);
    while (!series->file && series->copy <= COPIES_MAX) {
        if (part_name(series->name, wish->output, wish->robot, time, series->copy) != 0)
            return report_open(series);
        series->file = capture_file_open(series->name, &series->section);
        bool is_taken = !series->file && errno == EEXIST && may_number;
        bool is_full = !series->file && (errno == ENOSPC || errno == EDQUOT) && kept_parts_delete_oldest(wish->kept);
        series->copy += is_taken ? 1 : 0;
        if (!series->file && !is_taken && !is_full)
            return report_open(series);
    }
    return series->file ? 0 : report_open(series);
}

static int64_t next_cut(const struct capture_series *series, int64_t time)
{
    int64_t rotate = series->wish.rotate;
    return rotate > 0 ? (time / rotate + 1) * rotate : INT64_MAX;
}

static int begin_part(struct capture_series *series, int64_t time)
{
    struct repetition counted = {series, 0, false}, written = {series, 0, true};
    series->section.part++;
    series->cut = next_cut(series, time);
    if (repeat(series, time, &counted) != 0)
        return -1;
    series->section.repeated = counted.count;
    if (open_file(series, time) != 0)
        return -1;
    series->part = kept_parts_begin(series->wish.kept, series->name, !capture_file_is_awaited(series->file));
    if (!series->part)
        return message_no_memory();
    series->totals.parts++;
    series->packets = 0;
    return repeat(series, time, &written);
}

static int end_part(struct capture_series *series)
{
    if (judge(series, capture_file_end(series->file), capture_file_end) != 0)
        return -1;
    series->completed += capture_file_size(series->file);
    series->totals.bytes = series->completed;
    grow(series);
    kept_parts_end(series->wish.kept, series->part);
    capture_file_free(series->file);
    series->file = NULL;
    return 0;
}

static bool make_id(char id[RECORDING_ID + 1])
{
    uint8_t bytes[RECORDING_ID / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

struct capture_series *capture_series_open(const struct capture_series_wish *wish, int64_t time)
{
    struct capture_series *series = calloc(1, sizeof *series);
    if (!series) {
        message_no_memory();
        return NULL;
    }
    series->wish = *wish;
    series->section.from_socket = true;
    if (!make_id(series->section.recording))
        message_error("no random number for the recording: %s", strerror(errno));
    else if (begin_part(series, time) == 0) {
        make_room(series);
        return series;
    }
    capture_series_free(series);
    return NULL;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

bool capture_series_has_room(const struct capture_series *series, size_t length)
{
    const struct capture_packet packet = {.length = length + HEADERS_MAX};
    uint64_t size = series->wish.part_size;
    return size == 0 || series->packets == 0 || capture_file_size(series->file) + capture_file_cost(&packet) <= size;
}

int capture_series_cut(struct capture_series *series, int64_t time, size_t length)
{
    if (series->failed)
        return -1;
    bool is_empty = series->packets == 0 && series->section.repeated == 0;
    if (is_empty && time >= series->cut) /* the first part, before a robot answered */
        series->cut = next_cut(series, time);
    if (time < series->cut && capture_series_has_room(series, length))
        return 0;
    if (end_part(series) != 0 || begin_part(series, time) != 0) {
        series->failed = true;
        return -1;
    }
    make_room(series);
    return 0;
}

int capture_series_packet(struct capture_series *series, const struct capture_packet *packet)
{
    if (series->failed)
        return -1;
    series->totals.packets++;
    series->packets++;
    series->totals.bytes = series->completed + capture_file_size(series->file);
    return judge(series, capture_file_packet(series->file, packet), capture_file_flush);
}

int capture_series_turn(struct capture_series *series, int64_t now, bool is_idle)
{
    if (series->failed)
        return -1;
    if (now - series->synced >= series->wish.sync) {
        series->synced = series->flushed = now;
        if (judge(series, capture_file_sync(series->file), capture_file_sync) != 0)
            return -1;
        make_room(series);
        return 0;
    }
    if (!is_idle || (!capture_file_is_awaited(series->file) && now - series->flushed < FLUSH_TURN))
        return 0;
    series->flushed = now;
    return judge(series, capture_file_flush(series->file), capture_file_flush);
}

int capture_series_end(struct capture_series *series)
{
    return series->failed ? -1 : end_part(series);
}

void capture_series_free(struct capture_series *series)
{
    if (!series)
        return;
    capture_file_free(series->file);
    free(series);
}

const struct capture_series_totals *capture_series_totals(const struct capture_series *series)
{
    return &series->totals;
}

const char *capture_series_name(const struct capture_series *series)
{
    return series->name;
}

int rotation_read(const struct option_row *row, const char *value, void *place)
{
    struct rotation *rotation = place;
    size_t length = strlen(value);
    bool is_size = length > 0 && strchr("kMGT", value[length - 1]);
    if (is_size ? amount_bytes(value, &rotation->part_size) != 0 : amount_time(value, &rotation->time) != 0)
        return option_refuse(row, value, "a time such as 60s, 15m, 1h or 1d, or a size such as 500M or 1G");
    if (!(is_size ? rotation->has_size++ : rotation->has_time++))
        return 0;
    message_error("--%s %s: another %s is already set; remove one of them", row->name, value,
                  is_size ? "size" : "time");
    return -1;
}

int rotation_read_keep(const struct option_row *row, const char *value, void *place)
{
    struct rotation *rotation = place;
    return amount_bytes(value, &rotation->keep) == 0 ? 0 : option_refuse(row, value, "a size such as 500M or 200G");
}

int rotation_check(const struct rotation *rotation, const char *command, const char *output)
{
    bool rotates = rotation->time > 0 || rotation->part_size > 0;
    if (strcmp(output, "-") == 0 && rotates)
        message_error("%s: --rotate needs files; standard output is one", command);
    else if (rotation->keep > 0 && rotation->keep < rotation->part_size)
        message_error("%s: --keep is less than one file of --rotate; use a larger --keep or a smaller --rotate",
                      command);
    else
        return 0;
    return -1;
}
