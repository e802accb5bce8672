#define _GNU_SOURCE
#include "capture_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "part_name.h"

#define SECOND INT64_C(1000000000)
/* Names tried for a part before giving up. */
#define COPIES_MAX 999999
/* Between two flushes of a file that someone may follow. */
#define FLUSH_TURN SECOND
/* Of IPv6 and TCP, before a record's bytes. */
#define HEADERS_MAX 60

static const char standard_output[] = "-", repeated_comment[] = "repeated from an earlier part";

/* A part that was completed. */
struct part {
    struct part *next;
    uint64_t size;
    char name[];
};

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
    int64_t cut;             /* the next cut by time */
    int64_t synced, flushed; /* monotonic clock */
    bool failed;
    struct part *oldest, **newest; /* parts that may be deleted */
    uint64_t kept;                 /* their bytes */
};

static const char *shown(const char *name)
{
    return strcmp(name, standard_output) == 0 ? "standard output" : name;
}

/* ---- completed parts --------------------------------------------------------------------------------------------- */

static int remember_part(struct capture_series *recording)
{
    size_t length = strlen(recording->name) + 1;
    struct part *part = malloc(sizeof *part + length);
    if (!part) {
        message_no_memory();
        return -1;
    }
    part->next = NULL;
    part->size = capture_file_size(recording->file);
    memcpy(part->name, recording->name, length);
    *recording->newest = part;
    recording->newest = &part->next;
    recording->kept += part->size;
    return 0;
}

static struct part *take_oldest(struct capture_series *recording)
{
    struct part *part = recording->oldest;
    if (!part)
        return NULL;
    recording->oldest = part->next;
    if (!recording->oldest)
        recording->newest = &recording->oldest;
    recording->kept -= part->size;
    return part;
}

/* False if there is none to delete. */
static bool delete_oldest(struct capture_series *recording)
{
    struct part *part = take_oldest(recording);
    if (!part)
        return false;
    if (unlink(part->name) != 0 && errno != ENOENT)
        message_warning("%s: cannot be deleted: %s", part->name, strerror(errno));
    recording->totals.deleted++;
    free(part);
    return true;
}

static void make_room(struct capture_series *recording)
{
    while (recording->wish.keep > 0 && recording->kept + capture_file_size(recording->file) > recording->wish.keep &&
           delete_oldest(recording))
        ;
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

/* Closes a file that takes no more. Returns how many packets are not in it; they are the last ones, and those that
 * repeat others are the first. */
static uint64_t give_up(struct capture_series *recording)
{
    uint64_t lost = capture_file_free(recording->file);
    lost = lost < recording->packets ? lost : recording->packets;
    recording->file = NULL;
    recording->failed = true;
    recording->totals.lost += lost;
    recording->totals.packets -= lost;
    return lost;
}

static int fail(struct capture_series *recording, const char *problem, const char *remedy)
{
    uint64_t lost = give_up(recording);
    message_error("%s: %s; %" PRIu64 " packet%s that came %s not in it%s%s", shown(recording->name), problem, lost,
                  lost == 1 ? "" : "s", lost == 1 ? "is" : "are", *remedy ? ": " : "", remedy);
    return -1;
}

static int end_for_reader(struct capture_series *recording)
{
    give_up(recording);
    recording->totals.closed = 1;
    return -1;
}

typedef enum capture_file_outcome write_again(struct capture_file *file);

/* Judges what writing returned; a full disk gets room by deleting the oldest part. */
static int judge(struct capture_series *recording, enum capture_file_outcome outcome, write_again *again)
{
    while (outcome == CAPTURE_FILE_FULL && recording->wish.keep > 0 && recording->oldest) {
        if (!recording->told_full)
            message_warning("%s: the disk is full: from now on the oldest parts are deleted, %s first", recording->name,
                            recording->oldest->name);
        recording->told_full = true;
        delete_oldest(recording);
        outcome = again(recording->file);
    }
    switch (outcome) {
    case CAPTURE_FILE_OK:
        return 0;
    case CAPTURE_FILE_FULL:
        return fail(recording, "the disk is full",
                    "make room, or record with --rotate and --keep, which delete the oldest parts");
    case CAPTURE_FILE_CLOSED:
        return end_for_reader(recording);
    case CAPTURE_FILE_OVERDUE:
        return fail(recording, "its reader takes nothing", "");
    case CAPTURE_FILE_NO_MEMORY:
        message_no_memory();
        return fail(recording, "out of memory", "");
    default:
        return fail(recording, strerror(errno), "");
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

struct repetition {
    struct capture_series *recording;
    uint32_t count;
    bool writes; /* else it counts */
};

static int take_repeated(void *user, int64_t time, const uint8_t *packet, size_t length)
{
    struct repetition *repetition = user;
    repetition->count++;
    if (!repetition->writes)
        return 0;
    struct capture_file *file = repetition->recording->file;
    const struct capture_packet again = {.time = time, .bytes = packet, .length = length, .comment = repeated_comment};
    return judge(repetition->recording, capture_file_packet(file, &again), capture_file_flush);
}

static int repeat(struct capture_series *recording, int64_t time, struct repetition *repetition)
{
    const struct capture_series_wish *wish = &recording->wish;
    if (!wish->repeat || recording->section.part == 1)
        return 0;
    int outcome = wish->repeat(wish->user, time, take_repeated, repetition);
    if (outcome != 0 && !recording->failed)
        message_no_memory();
    return outcome;
}

static int report_open(const struct capture_series *recording)
{
    if (errno == EEXIST)
        message_error("%s: exists already, and no recording overwrites a file: name another, or put the time into the "
                      "name: -o '%%Y%%m%%dT%%H%%M%%SZ-ROBOT.pcapng'",
                      recording->name);
    else if (errno == ENOMEM)
        message_no_memory();
    else
        message_error("%s: cannot be opened: %s", shown(recording->name), strerror(errno));
    return -1;
}

/* The number that a part's name begins with: one more than the last part's if both would have the same name, though
 * earlier ones be deleted. */
static int number_name(struct capture_series *recording, int64_t time)
{
    char before[PART_NAME_MAX];
    memcpy(before, recording->first_name, sizeof before);
    if (part_name(recording->first_name, recording->wish.output, recording->wish.robot, time, 1) != 0)
        return -1;
    recording->copy = strcmp(before, recording->first_name) == 0 ? recording->copy + 1 : 1;
    return 0;
}

/* A name that the time or other parts have used already gets a number. */
static int open_file(struct capture_series *recording, int64_t time)
{
    const struct capture_series_wish *wish = &recording->wish;
    bool may_number = recording->section.part > 1 || strchr(wish->output, '%');
    errno = 0;
    if (number_name(recording, time) != 0)
        return report_open(recording);
    while (!recording->file && recording->copy <= COPIES_MAX) {
        if (part_name(recording->name, wish->output, wish->robot, time, recording->copy) != 0)
            return report_open(recording);
        recording->file = capture_file_open(recording->name, &recording->section);
        bool is_taken = !recording->file && errno == EEXIST && may_number;
        bool is_full = !recording->file && (errno == ENOSPC || errno == EDQUOT) && delete_oldest(recording);
        recording->copy += is_taken ? 1 : 0;
        if (!recording->file && !is_taken && !is_full)
            return report_open(recording);
    }
    return recording->file ? 0 : report_open(recording);
}

static int begin_part(struct capture_series *recording, int64_t time)
{
    struct repetition counted = {recording, 0, false}, written = {recording, 0, true};
    recording->section.part++;
    if (recording->wish.rotate > 0)
        recording->cut = (time / recording->wish.rotate + 1) * recording->wish.rotate;
    if (repeat(recording, time, &counted) != 0)
        return -1;
    recording->section.repeated = counted.count;
    if (open_file(recording, time) != 0)
        return -1;
    recording->totals.parts++;
    recording->packets = 0;
    return repeat(recording, time, &written);
}

static int end_part(struct capture_series *recording)
{
    if (judge(recording, capture_file_end(recording->file), capture_file_end) != 0)
        return -1;
    recording->completed += capture_file_size(recording->file);
    recording->totals.bytes = recording->completed;
    if (recording->wish.keep > 0 && remember_part(recording) != 0)
        return -1;
    capture_file_free(recording->file);
    recording->file = NULL;
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
    struct capture_series *recording = calloc(1, sizeof *recording);
    if (!recording) {
        message_no_memory();
        return NULL;
    }
    recording->wish = *wish;
    recording->newest = &recording->oldest;
    recording->section.from_socket = true;
    if (!make_id(recording->section.recording))
        message_error("no random number for the recording: %s", strerror(errno));
    else if (begin_part(recording, time) == 0)
        return recording;
    capture_series_free(recording);
    return NULL;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static bool is_part_due(const struct capture_series *recording, int64_t time, size_t length)
{
    const struct capture_series_wish *wish = &recording->wish;
    const struct capture_packet packet = {.length = length + HEADERS_MAX};
    if (wish->rotate > 0 && time >= recording->cut)
        return true;
    return wish->part_size > 0 && recording->packets > 0 &&
           capture_file_size(recording->file) + capture_file_cost(&packet) > wish->part_size;
}

int capture_series_cut(struct capture_series *recording, int64_t time, size_t length)
{
    if (recording->failed)
        return -1;
    if (!is_part_due(recording, time, length))
        return 0;
    if (end_part(recording) != 0 || begin_part(recording, time) != 0) {
        recording->failed = true;
        return -1;
    }
    make_room(recording);
    return 0;
}

int capture_series_packet(struct capture_series *recording, const struct capture_packet *packet)
{
    if (recording->failed)
        return -1;
    recording->totals.packets++;
    recording->packets++;
    recording->totals.bytes = recording->completed + capture_file_size(recording->file);
    return judge(recording, capture_file_packet(recording->file, packet), capture_file_flush);
}

int capture_series_turn(struct capture_series *recording, int64_t now, bool is_idle)
{
    if (recording->failed)
        return -1;
    if (now - recording->synced >= recording->wish.sync) {
        recording->synced = recording->flushed = now;
        if (judge(recording, capture_file_sync(recording->file), capture_file_sync) != 0)
            return -1;
        make_room(recording);
        return 0;
    }
    if (!is_idle || (!capture_file_is_awaited(recording->file) && now - recording->flushed < FLUSH_TURN))
        return 0;
    recording->flushed = now;
    return judge(recording, capture_file_flush(recording->file), capture_file_flush);
}

int capture_series_end(struct capture_series *recording)
{
    return recording->failed ? -1 : end_part(recording);
}

void capture_series_free(struct capture_series *recording)
{
    if (!recording)
        return;
    capture_file_free(recording->file);
    while (recording->oldest)
        free(take_oldest(recording));
    free(recording);
}

const struct capture_series_totals *capture_series_totals(const struct capture_series *recording)
{
    return &recording->totals;
}

const char *capture_series_name(const struct capture_series *recording)
{
    return recording->name;
}
