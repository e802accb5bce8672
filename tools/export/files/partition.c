#define _XOPEN_SOURCE 700
#include "partition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "atomic_file.h"
#include "base/text/buffer.h"
#include "base/numbers/timestamp.h"

#define NS_PER_DAY INT64_C(86400000000000)
/* Bytes of a capture's name in that of a file, which may have 255. */
#define CAPTURE_MAX 100

/* What readers of such folders take for null. */
static const char no_value[] = "__HIVE_DEFAULT_PARTITION__";

int64_t partition_day(int64_t time)
{
    return time == ARMTAP_NO_TIME ? PARTITION_NO_DAY : time / NS_PER_DAY - (time % NS_PER_DAY < 0);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Appends a text with all but letters, digits and some signs as %XX. A name must not begin with "." or "_": Spark
 * leaves such files out. */
static void put_escaped(struct buffer *out, const char *text, size_t length, bool begins)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_",
                      digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < length; i++) {
        unsigned byte = (unsigned char)text[i];
        bool hides = begins && i == 0 && (byte == '.' || byte == '_');
        if (!hides && strchr(kept, text[i])) {
            buffer_char(out, text[i]);
            continue;
        }
        buffer_char(out, '%');
        buffer_char(out, digits[byte >> 4]);
        buffer_char(out, digits[byte & 15]);
    }
}

/* "-20260131T120000.000000500Z" */
static void put_begin(struct buffer *out, int64_t time)
{
    char date[WHEN_DATE_MAX];
    if (time == ARMTAP_NO_TIME)
        return;
    timestamp_date(date, time, TIMESTAMP_UTC);
    buffer_char(out, '-');
    for (const char *at = date; *at != '\0'; at++)
        if (*at != '-' && *at != ':')
            buffer_char(out, *at);
}

/* With its beginning: captures of one name, in different folders or from standard input, must not replace each other.
 */
static void put_capture(struct buffer *out, const struct partition *partition)
{
    struct buffer name = {0}, escaped = {0};
    provenance_put_capture(partition->capture, &name);
    put_escaped(&escaped, name.data, name.length, true);
    size_t length = escaped.length;
    if (length > CAPTURE_MAX)
        for (length = CAPTURE_MAX; escaped.data[length - 1] == '%' || escaped.data[length - 2] == '%';)
            length--;
    buffer_put(out, escaped.data, length);
    out->failed = out->failed || name.failed || escaped.failed;
    free(name.data);
    free(escaped.data);
    put_begin(out, partition->begin);
}

static void put_day(struct buffer *out, int64_t day)
{
    char date[WHEN_DATE_MAX];
    timestamp_date(date, day * NS_PER_DAY, TIMESTAMP_UTC);
    buffer_put(out, date, strcspn(date, "T"));
}

char *partition_name(const char *folder, const struct partition *partition, const char *ending)
{
    char number[40];
    struct buffer name = {0};
    buffer_string(&name, folder);
    buffer_string(&name, "robot=");
    const char *robot = partition->robot ? partition->robot : partition->address;
    if (*robot != '\0')
        put_escaped(&name, robot, strlen(robot), true);
    else
        buffer_string(&name, no_value);
    buffer_string(&name, "/date=");
    if (partition->day != PARTITION_NO_DAY)
        put_day(&name, partition->day);
    else
        buffer_string(&name, no_value);
    buffer_char(&name, '/');
    put_capture(&name, partition);
    buffer_string(&name, *partition->client != '\0' ? "-" : "");
    put_escaped(&name, partition->client, strlen(partition->client), false);
    if (partition->robot) { /* several addresses and ports may have it */
        buffer_char(&name, '-');
        put_escaped(&name, partition->address, strlen(partition->address), false);
    }
    snprintf(number, sizeof number, ".%u", partition->part);
    buffer_string(&name, partition->part > 0 ? number : "");
    buffer_string(&name, partition->direction == ARMTAP_TO_ROBOT ? ".to-robot" : "");
    snprintf(number, sizeof number, ".again%u", partition->again);
    buffer_string(&name, partition->again > 0 ? number : "");
    buffer_string(&name, ending);
    buffer_char(&name, '\0');
    if (!name.failed)
        return name.data;
    free(name.data);
    return NULL;
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

int partition_make_folders(const char *name)
{
    char *folder = strdup(name);
    int error = folder ? 0 : ENOMEM;
    for (const char *at = folder ? path_behind_root(folder) : ""; *at != '\0' && error == 0; at++) {
        char separator = *at;
        if (!path_is_separator(separator))
            continue;
        folder[at - folder] = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            error = errno;
        folder[at - folder] = separator;
    }
    free(folder);
    return error == 0 ? 0 : sink_file_report(name, error);
}

int partition_check_folder(const char *folder)
{
    struct file_status status;
    if (partition_make_folders(folder) != 0)
        return -1;
    if (file_status(folder, &status) == 0 && status.kind != FILE_IS_FOLDER)
        return sink_file_report(folder, ENOTDIR);
    return path_check_folder(folder) == 0 ? 0 : sink_file_report(folder, errno);
}
