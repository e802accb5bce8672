#define _POSIX_C_SOURCE 200809L
#include "capture_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os/interrupt.h"
#include "base/os/names.h"
#include "base/os/path.h"
#include "base/text/buffer.h"
#include "export/files/gzip_text.h"

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    BYTE_ORDER_MARK = 0x1A2B3C4D,
    LINK_TYPE_RAW = 101,
    OPTION_COMMENT = 1,
    OPTION_TIME_RESOLUTION = 9, /* of an interface description */
    OPTION_DROPS_BEFORE = 4,    /* of a packet */
    OPTION_DROPPED = 7,         /* of interface statistics: by the operating system */
    NANOSECONDS = 9,
    BLOCK_ENDS = 12, /* type, and length at both ends */
    PACKET_HEAD = 20
};

/* Between two attempts to write to a full pipe. */
static const struct timespec nap = {.tv_nsec = 5000000};

/* Packets are put into `blocks`; these become `out`, which is written whole before the next blocks are. */
struct capture_file {
    int file;
    bool ordinary;        /* can be synced and cut */
    struct gzip *gzip;    /* NULL: plain */
    struct buffer blocks; /* not compressed */
    struct buffer out;
    size_t written;      /* bytes of `out` that are in the file already */
    uint64_t whole;      /* length of the file without them */
    uint64_t packets[2]; /* in `blocks`, in `out` */
    uint64_t dropped;    /* packets that never came */
    uint64_t reported;   /* those in the newest statistics */
    int64_t time;        /* of the last packet */
    bool ended;          /* the end of gzip is written, or in `out` */
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static void put_value(struct buffer *to, const void *value, size_t length)
{
    buffer_put(to, value, length);
}

static void put16(struct buffer *to, uint16_t value)
{
    put_value(to, &value, sizeof value);
}

static void put32(struct buffer *to, uint32_t value)
{
    put_value(to, &value, sizeof value);
}

static size_t padded(size_t length)
{
    return (length + 3) / 4 * 4;
}

static void put_padded(struct buffer *to, const void *bytes, size_t length)
{
    put_value(to, bytes, length);
    put_value(to, "\0\0", padded(length) - length);
}

static void put_option(struct buffer *to, uint16_t code, const void *bytes, size_t length)
{
    put16(to, code);
    put16(to, (uint16_t)length);
    put_padded(to, bytes, length);
}

static size_t option_length(size_t length)
{
    return 4 + padded(length);
}

#define OPTIONS_END 4

static void begin_block(struct buffer *to, uint32_t type, size_t body)
{
    put32(to, type);
    put32(to, (uint32_t)(BLOCK_ENDS + body));
}

static void end_block(struct buffer *to, size_t body)
{
    put32(to, (uint32_t)(BLOCK_ENDS + body));
}

static void put_section(struct buffer *to, const struct section_comment *comment)
{
    static const int64_t unknown_length = -1;
    char text[SECTION_COMMENT_MAX];
    size_t length = armtap_section_comment_write(text, comment), body = 16 + option_length(length) + OPTIONS_END;
    begin_block(to, BLOCK_SECTION, body);
    put32(to, BYTE_ORDER_MARK);
    put16(to, 1);
    put16(to, 0);
    put_value(to, &unknown_length, sizeof unknown_length);
    put_option(to, OPTION_COMMENT, text, length);
    put32(to, 0);
    end_block(to, body);
}

static void put_interface(struct buffer *to)
{
    static const uint8_t resolution = NANOSECONDS;
    size_t body = 8 + option_length(sizeof resolution) + OPTIONS_END;
    begin_block(to, BLOCK_INTERFACE, body);
    put16(to, LINK_TYPE_RAW);
    put16(to, 0);
    put32(to, 0); /* no snapshot length */
    put_option(to, OPTION_TIME_RESOLUTION, &resolution, sizeof resolution);
    put32(to, 0);
    end_block(to, body);
}

static void put_time(struct buffer *to, int64_t time)
{
    uint64_t since = time > 0 ? (uint64_t)time : 0;
    put32(to, (uint32_t)(since >> 32));
    put32(to, (uint32_t)since);
}

static size_t options_of(const struct capture_packet *packet)
{
    size_t length = packet->dropped > 0 ? option_length(sizeof packet->dropped) : 0;
    length += packet->comment ? option_length(strlen(packet->comment)) : 0;
    return length > 0 ? length + OPTIONS_END : 0;
}

size_t capture_file_cost(const struct capture_packet *packet)
{
    return BLOCK_ENDS + PACKET_HEAD + padded(packet->length) + options_of(packet);
}

static void put_packet(struct buffer *to, const struct capture_packet *packet)
{
    size_t body = capture_file_cost(packet) - BLOCK_ENDS;
    begin_block(to, BLOCK_PACKET, body);
    put32(to, 0); /* the interface */
    put_time(to, packet->time);
    put32(to, (uint32_t)packet->length);
    put32(to, (uint32_t)packet->length);
    put_padded(to, packet->bytes, packet->length);
    if (packet->comment)
        put_option(to, OPTION_COMMENT, packet->comment, strlen(packet->comment));
    if (packet->dropped > 0)
        put_option(to, OPTION_DROPS_BEFORE, &packet->dropped, sizeof packet->dropped);
    if (options_of(packet) > 0)
        put32(to, 0);
    end_block(to, body);
}

/* How many packets were dropped so far; readers take the newest. */
static void put_statistics(struct capture_file *file)
{
    struct buffer *to = &file->blocks;
    size_t body = 12 + option_length(sizeof file->dropped) + OPTIONS_END;
    if (file->dropped == file->reported)
        return;
    begin_block(to, BLOCK_STATISTICS, body);
    put32(to, 0);
    put_time(to, file->time);
    put_option(to, OPTION_DROPPED, &file->dropped, sizeof file->dropped);
    put32(to, 0);
    end_block(to, body);
    file->reported = file->dropped;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static enum capture_file_outcome outcome_of(int error)
{
    return error == ENOSPC || error == EDQUOT ? CAPTURE_FILE_FULL
           : error == EPIPE                   ? CAPTURE_FILE_CLOSED
                                              : CAPTURE_FILE_FAILED;
}

/* Writes what is left of the output. A pipe takes no more than it has room for. */
static enum capture_file_outcome write_out(struct capture_file *file)
{
    while (file->written < file->out.length) {
        ptrdiff_t part = file_write_some(file->file, file->out.data + file->written, file->out.length - file->written);
        if (part >= 0) {
            file->written += (size_t)part;
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return outcome_of(errno);
        if (interrupt_is_overdue())
            return CAPTURE_FILE_OVERDUE;
        if (errno == EAGAIN)
            nanosleep(&nap, NULL);
    }
    return CAPTURE_FILE_OK;
}

/* Makes the blocks the output; `ends`: of gzip, too. */
static void begin_output(struct capture_file *file, bool ends)
{
    if (file->gzip) {
        gzip_add(file->gzip, file->blocks.data, file->blocks.length, true, &file->out);
        file->blocks.length = 0;
        if (ends)
            gzip_end(file->gzip, &file->out);
    } else {
        struct buffer empty = file->out;
        file->out = file->blocks;
        file->blocks = empty;
    }
    file->packets[1] = file->packets[0];
    file->packets[0] = 0;
    file->written = 0;
}

static enum capture_file_outcome end_output(struct capture_file *file)
{
    if (file->blocks.failed || file->out.failed)
        return CAPTURE_FILE_NO_MEMORY;
    enum capture_file_outcome outcome = write_out(file);
    if (outcome != CAPTURE_FILE_OK)
        return outcome;
    file->whole += file->out.length;
    file->packets[1] = 0;
    file->written = file->out.length = 0;
    return CAPTURE_FILE_OK;
}

enum capture_file_outcome capture_file_flush(struct capture_file *file)
{
    enum capture_file_outcome outcome = end_output(file);
    if (outcome != CAPTURE_FILE_OK || file->blocks.length == 0)
        return outcome;
    begin_output(file, false);
    return end_output(file);
}

static enum capture_file_outcome wait_for_disk(const struct capture_file *file)
{
    while (file->ordinary && fdatasync(file->file) != 0) {
        if (errno != EINTR)
            return outcome_of(errno);
    }
    return CAPTURE_FILE_OK;
}

enum capture_file_outcome capture_file_sync(struct capture_file *file)
{
    put_statistics(file);
    enum capture_file_outcome outcome = capture_file_flush(file);
    return outcome == CAPTURE_FILE_OK ? wait_for_disk(file) : outcome;
}

enum capture_file_outcome capture_file_end(struct capture_file *file)
{
    put_statistics(file);
    enum capture_file_outcome outcome = end_output(file);
    if (outcome != CAPTURE_FILE_OK)
        return outcome;
    if (!file->ended)
        begin_output(file, true);
    file->ended = true;
    outcome = end_output(file);
    return outcome == CAPTURE_FILE_OK ? wait_for_disk(file) : outcome;
}

enum capture_file_outcome capture_file_packet(struct capture_file *file, const struct capture_packet *packet)
{
    put_packet(&file->blocks, packet);
    file->packets[0]++;
    file->dropped += packet->dropped;
    file->time = packet->time;
    if (file->blocks.failed)
        return CAPTURE_FILE_NO_MEMORY;
    return file->blocks.length < CAPTURE_FILE_BUFFER ? CAPTURE_FILE_OK : capture_file_flush(file);
}

bool capture_file_is_awaited(const struct capture_file *file)
{
    return !file->ordinary;
}

uint64_t capture_file_size(const struct capture_file *file)
{
    return file->whole + file->out.length + file->blocks.length;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

/* A pipe, waiting for its reader; or a device. */
static int open_existing(const char *path)
{
    int file;
    while ((file = file_open(path, O_WRONLY | O_NONBLOCK)) < 0 && errno == ENXIO) {
        if (interrupt_asked()) {
            errno = EINTR;
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return file;
}

static int open_path(const char *path)
{
    struct file_status status;
    if (strcmp(path, "-") == 0)
        return file_open_output();
    if (file_status(path, &status) == 0 && status.kind != FILE_IS_ORDINARY)
        return open_existing(path);
    return file_open(path, O_WRONLY | O_CREAT | O_EXCL);
}

static void sync_folder(const char *path)
{
    char *folder = path_folder(path);
    if (folder)
        path_sync_folder(folder);
    free(folder);
}

static bool is_gzip(const char *path)
{
    static const char ending[] = ".gz";
    size_t length = strlen(path);
    return length >= sizeof ending - 1 && strcmp(path + length - (sizeof ending - 1), ending) == 0;
}

/* 0, or -1 if memory runs out. */
static int begin_file(struct capture_file *file, const char *path, const struct section_comment *comment)
{
    struct file_status status;
    file->ordinary = file_status_of_open(file->file, &status) == 0 && status.kind == FILE_IS_ORDINARY;
    off_t position = file->ordinary ? lseek(file->file, 0, SEEK_CUR) : 0;
    file->whole = position > 0 ? (uint64_t)position : 0;
    if (is_gzip(path) && !(file->gzip = gzip_new()))
        return -1;
    put_section(&file->blocks, comment);
    put_interface(&file->blocks);
    return file->blocks.failed ? -1 : 0;
}

struct capture_file *capture_file_open(const char *path, const struct section_comment *comment)
{
    struct capture_file *file = calloc(1, sizeof *file);
    if (!file) {
        errno = ENOMEM;
        return NULL;
    }
    interrupt_ignore_closed_pipes();
    file->file = open_path(path);
    if (file->file < 0 || begin_file(file, path, comment) != 0) {
        int error = file->file < 0 ? errno : ENOMEM;
        capture_file_free(file);
        errno = error;
        return NULL;
    }
    if (file->ordinary) {
        file_lock(file->file, false); /* no other run deletes it; where files cannot be locked, nobody asks */
        sync_folder(path);
    }
    return file;
}

/* Cuts the file after the last whole block that is in it; gzip after the last whole output. */
static void cut(struct capture_file *file)
{
    size_t whole = 0;
    while (!file->gzip && file->written - whole >= BLOCK_ENDS) {
        uint32_t type, length;
        memcpy(&type, file->out.data + whole, sizeof type);
        memcpy(&length, file->out.data + whole + sizeof type, sizeof length);
        if (length > file->written - whole)
            break;
        file->packets[1] -= type == BLOCK_PACKET ? 1 : 0;
        whole += length;
    }
    file->whole += whole;
    file->written = 0;
    /* If it cannot be cut, readers say that it ends within a packet. */
    if (ftruncate(file->file, (off_t)file->whole) != 0)
        return;
}

uint64_t capture_file_give_up(struct capture_file *file)
{
    if (file->ordinary && file->written > 0)
        cut(file);
    uint64_t lost = file->packets[0] + file->packets[1];
    file->packets[0] = file->packets[1] = 0;
    file->blocks.length = file->out.length = 0;
    return lost;
}

uint64_t capture_file_free(struct capture_file *file)
{
    if (!file)
        return 0;
    uint64_t lost = capture_file_give_up(file);
    if (file->file >= 0)
        close(file->file);
    gzip_free(file->gzip);
    free(file->blocks.data);
    free(file->out.data);
    free(file);
    return lost;
}
