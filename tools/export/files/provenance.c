#define _POSIX_C_SOURCE 200809L
#include "partition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "atomic_file.h"
#include "base/process/message.h"
#include "parquet/parquet.h"

/* Larger than any footer of armtap's; a file may be anybody's. */
#define FOOTER_MAX ((size_t)256 << 20)

/* ---- making ------------------------------------------------------------------------------------------------------ */

struct provenance provenance_of(const struct armtap_record *record, const char *capture, uint32_t file)
{
    struct provenance provenance = {.capture = capture,
                                    .file = file,
                                    .connection = record->stream->connection,
                                    .first_row = record->where.file == file ? record->where.packet : 0};
    snprintf(provenance.client, sizeof provenance.client, "%s", record->stream->client);
    return provenance;
}

void provenance_add(struct provenance *provenance, const struct armtap_record *record)
{
    provenance->rows++;
    provenance->is_guessed = provenance->is_guessed || (record->flags & ARMTAP_GUESSED);
    if (provenance->beginning.bytes < ARMTAP_BEGINNING_BYTES)
        provenance->beginning = record->stream->beginning;
}

/* The length of the ending that tells how a file is packed, 0 if it has none. */
static size_t packed_ending(const char *name, size_t length)
{
    static const char *const packed[] = {".gz", ".zst", ".xz", ".lz4", ".bz2"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t ending = strlen(packed[i]);
        if (length > ending && strncasecmp(name + length - ending, packed[i], ending) == 0)
            return ending;
    }
    return 0;
}

/* However often it is packed. */
void provenance_put_capture(const char *capture, struct buffer *out)
{
    const char *base = capture ? path_base(capture) : NULL;
    if (!capture || strcmp(capture, "-") == 0)
        base = capture ? "stdin" : "live";
    size_t length = strlen(base), ending;
    while ((ending = packed_ending(base, length)) > 0)
        length -= ending;
    buffer_put(out, base, length);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* The number of bytes that are compared, and their sum: the most that are known. */
static uint64_t beginning_sum(const struct armtap_beginning *beginning, uint64_t *bytes)
{
    uint64_t sum = 0;
    *bytes = 0;
    for (unsigned i = 0; i < sizeof beginning->sums / sizeof *beginning->sums; i++) {
        if (beginning->bytes < ARMTAP_BEGINNING_LENGTH(i))
            break;
        *bytes = ARMTAP_BEGINNING_LENGTH(i);
        sum = beginning->sums[i];
    }
    return sum;
}

const char *provenance_key(enum provenance_note note)
{
    static const char *const keys[PROVENANCE_NOTES] = {
        [PROVENANCE_CAPTURE] = "armtap.capture",
        [PROVENANCE_CLIENT] = "armtap.client",
        [PROVENANCE_FIRST_TIME] = "armtap.first_time_ns",
        [PROVENANCE_FIRST_BYTES] = "armtap.first_bytes",
        [PROVENANCE_FIRST_SUM] = "armtap.first_bytes_fnv1a",
        [PROVENANCE_FIRST_ROW] = "armtap.first_row_packet",
        [PROVENANCE_GRID] = "armtap.grid_ns",
        [PROVENANCE_CHANGES] = "armtap.changes",
        [PROVENANCE_GUESSED] = "armtap.guessed",
    };
    return keys[note];
}

void provenance_put(const struct provenance *provenance, enum provenance_note note, struct buffer *out)
{
    char number[24] = "";
    uint64_t bytes, sum = beginning_sum(&provenance->beginning, &bytes);
    if (note == PROVENANCE_CAPTURE)
        provenance_put_capture(provenance->capture, out);
    else if (note == PROVENANCE_CLIENT)
        buffer_string(out, provenance->client);
    else if (note == PROVENANCE_FIRST_TIME && provenance->beginning.where.time != ARMTAP_NO_TIME)
        snprintf(number, sizeof number, "%" PRId64, provenance->beginning.where.time);
    else if (note == PROVENANCE_FIRST_BYTES)
        snprintf(number, sizeof number, "%" PRIu64, bytes);
    else if (note == PROVENANCE_FIRST_SUM)
        snprintf(number, sizeof number, "%016" PRIx64, sum);
    else if (note == PROVENANCE_FIRST_ROW)
        snprintf(number, sizeof number, "%" PRIu64, provenance->first_row);
    else if (note == PROVENANCE_GRID && provenance->grid > 0)
        snprintf(number, sizeof number, "%" PRId64, provenance->grid);
    else if (note == PROVENANCE_CHANGES && provenance->changes)
        buffer_string(out, provenance->changes);
    else if (note == PROVENANCE_GUESSED && provenance->is_guessed)
        snprintf(number, sizeof number, "true");
    buffer_string(out, number);
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* A file that is there. */
struct earlier {
    bool is_ours; /* armtap wrote it for a folder */
    bool has_time, is_guessed;
    int64_t time, grid;
    uint64_t bytes, sum, first_row, rows;
    const char *now; /* the fields of --changes of the rows that come; NULL: none */
    bool has_changes, has_same_changes;
};

static void take_note(void *user, const char *key, size_t key_length, const char *value, size_t value_length)
{
    struct earlier *earlier = user;
    char text[24];
    unsigned note = 0;
    while (note < PROVENANCE_NOTES &&
           (strlen(provenance_key(note)) != key_length || memcmp(provenance_key(note), key, key_length) != 0))
        note++;
    snprintf(text, sizeof text, "%.*s", (int)(value_length < sizeof text ? value_length : 0), value);
    if (note == PROVENANCE_FIRST_TIME) {
        earlier->has_time = true;
        earlier->time = strtoll(text, NULL, 10);
    } else if (note == PROVENANCE_FIRST_BYTES) {
        earlier->bytes = strtoull(text, NULL, 10);
    } else if (note == PROVENANCE_FIRST_SUM) {
        earlier->is_ours = true;
        earlier->sum = strtoull(text, NULL, 16);
    } else if (note == PROVENANCE_FIRST_ROW) {
        earlier->first_row = strtoull(text, NULL, 10);
    } else if (note == PROVENANCE_GRID) {
        earlier->grid = strtoll(text, NULL, 10);
    } else if (note == PROVENANCE_CHANGES) {
        earlier->has_changes = true;
        earlier->has_same_changes =
            earlier->now && strlen(earlier->now) == value_length && memcmp(earlier->now, value, value_length) == 0;
    } else if (note == PROVENANCE_GUESSED) {
        earlier->is_guessed = true;
    }
}

/* 0, or an errno; EBADMSG: it is no Parquet file. */
static int read_footer(int file, struct earlier *earlier)
{
    struct file_status status;
    char tail[PARQUET_TAIL];
    if (file_status_of_open(file, &status) != 0)
        return errno;
    off_t size = (off_t)status.size;
    if (status.kind != FILE_IS_ORDINARY || size < (off_t)sizeof tail ||
        pread(file, tail, sizeof tail, size - (off_t)sizeof tail) != (ssize_t)sizeof tail)
        return EBADMSG;
    size_t length = parquet_footer_length(tail);
    off_t place = size - (off_t)sizeof tail - (off_t)length;
    if (length == 0 || length > FOOTER_MAX || place < 0)
        return EBADMSG;
    char *footer = malloc(length);
    if (!footer)
        return ENOMEM;
    struct parquet_reader reader = {.on_note = take_note, .user = earlier};
    bool is_read =
        pread(file, footer, length, place) == (ssize_t)length && parquet_footer_read(footer, length, &reader);
    earlier->rows = reader.rows;
    free(footer);
    return is_read ? 0 : EBADMSG;
}

/* 0 with `earlier` filled, or an errno. */
static int read_earlier(const char *name, struct earlier *earlier)
{
    int file = file_open(name, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return errno;
    int error = read_footer(file, earlier);
    close(file);
    return error;
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* Whether the connection began as the one whose rows are there, as far as both are known. */
static bool begins_alike(const struct provenance *provenance, const struct earlier *earlier)
{
    const struct armtap_beginning *beginning = &provenance->beginning;
    int64_t time = earlier->has_time ? earlier->time : ARMTAP_NO_TIME;
    if (beginning->where.time != time)
        return false;
    for (unsigned i = 0; i < sizeof beginning->sums / sizeof *beginning->sums; i++)
        if (ARMTAP_BEGINNING_LENGTH(i) == earlier->bytes && beginning->bytes >= earlier->bytes)
            return beginning->sums[i] == earlier->sum;
    return true; /* one of them is too short to tell */
}

static int refuse(const struct provenance *provenance, const char *name, const char *why)
{
    struct buffer capture = {0};
    provenance_put_capture(provenance->capture, &capture);
    buffer_char(&capture, '\0');
    message_error("%s: %s%s; nothing was written: name another folder with -o, or move this file away", name, why,
                  provenance->capture ? provenance->capture
                  : capture.failed    ? ""
                                      : capture.data);
    free(capture.data);
    return -1;
}

static int refuse_less(const struct provenance *provenance, const char *name, const struct earlier *earlier)
{
    char why[200];
    if (provenance->is_guessed && !earlier->is_guessed)
        return refuse(provenance, name, "its rows have a known recipe, which is only guessed for ");
    if (provenance->first_row > earlier->first_row)
        snprintf(why, sizeof why,
                 "its rows begin at packet %" PRIu64 ", before packet %" PRIu64 ", the first now "
                 "exported from ",
                 earlier->first_row, provenance->first_row);
    else
        snprintf(why, sizeof why, "it holds %" PRIu64 " rows, more than the %" PRIu64 " now exported from ",
                 earlier->rows, provenance->rows);
    return refuse(provenance, name, why);
}

static int check_kind(const struct provenance *provenance, const char *name, const struct earlier *earlier)
{
    if (earlier->grid != provenance->grid)
        return refuse(provenance, name,
                      provenance->grid == 0 ? "its rows are instants of --grid, not the records of "
                      : earlier->grid == 0  ? "its rows are records, not instants of --grid of "
                                            : "its rows are instants of another --grid than now of ");
    if (earlier->has_changes != (provenance->changes != NULL) || earlier->has_changes != earlier->has_same_changes)
        return refuse(provenance, name,
                      !provenance->changes   ? "its rows are those of --changes, not all records of "
                      : earlier->has_changes ? "its rows are changes of other fields than now of "
                                             : "its rows are records, not those of --changes of ");
    return 0;
}

int provenance_check(const struct provenance *provenance, const char *name)
{
    struct earlier earlier = {.now = provenance->changes};
    int error = read_earlier(name, &earlier);
    if (error == ENOENT)
        return 0;
    if (error == ENOMEM)
        return message_no_memory();
    if (error != 0 && error != EBADMSG)
        return sink_file_report(name, error);
    if (error == EBADMSG || !earlier.is_ours)
        return refuse(provenance, name, "armtap did not write this file, which has the name of the rows of ");
    if (!begins_alike(provenance, &earlier))
        return refuse(provenance, name,
                      "it holds rows of another capture with this name: its first packets differ from those of ");
    if (check_kind(provenance, name, &earlier) != 0)
        return -1;
    bool is_less = (provenance->is_guessed && !earlier.is_guessed) || provenance->first_row > earlier.first_row ||
                   provenance->rows < earlier.rows;
    return is_less ? refuse_less(provenance, name, &earlier) : 0;
}
