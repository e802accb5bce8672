#define _XOPEN_SOURCE 700
#include "export/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "atomic_file.h"
#include "base/text/json_writer.h"
#include "base/process/message.h"
#include "analysis/inside.h"

/* How each line begins. */
static const char ours[] = "{\"inputs\": [";

/* ---- a file of lines to which many programs append --------------------------------------------------------------- */

enum { TAIL_BYTES = 65536 };

/* Waits until nobody else appends; whether the file has an end, and it is ours until the file is closed. */
static bool lock(int file, uint64_t *end)
{
    struct file_status status;
    if (file_lock_waiting(file) != 0 || file_status_of_open(file, &status) != 0 || status.kind != FILE_IS_ORDINARY)
        return false;
    *end = status.size;
    return true;
}

/* Makes the file end in a newline. */
static int end_last_line(int file, uint64_t *end)
{
    char tail[TAIL_BYTES];
    uint64_t from = *end > TAIL_BYTES ? *end - TAIL_BYTES : 0;
    ssize_t got = pread(file, tail, (size_t)(*end - from), (off_t)from);
    if (got <= 0 || tail[got - 1] == '\n')
        return 0;
    ssize_t start = got;
    while (start > 0 && tail[start - 1] != '\n')
        start--;
    size_t left = (size_t)(got - start), known = strlen(ours);
    bool is_ours = (start > 0 || from == 0) && memcmp(tail + start, ours, left < known ? left : known) == 0;
    if (!is_ours)
        return file_write_all(file, "\n", 1);
    *end = from + (uint64_t)start;
    return ftruncate(file, (off_t)*end) == 0 ? 0 : errno;
}

/* Opens the file, and makes it if there is none. Its descriptor, or -1 with errno set. */
static int open_for_lines(const char *name)
{
    int file = file_open(name, O_RDWR | O_APPEND | O_CREAT);
    return file < 0 ? file_open(name, O_WRONLY | O_APPEND | O_CREAT) : file;
}

/* Appends a line, which ends in a newline, as a whole or not at all. What a killed program left of a line of ours is
 * removed first. 0, or an error number. */
static int append_line(int file, const char *line, size_t length)
{
    uint64_t end = 0;
    bool is_locked = lock(file, &end);
    int error = is_locked ? end_last_line(file, &end) : 0;
    if (!error)
        error = file_write_all(file, line, length);
    if (error && is_locked)
        (void)!ftruncate(file, (off_t)end);
    return error;
}

/* ---- the manifest ------------------------------------------------------------------------------------------------ */

/* Whether the file of that name is the manifest; "-": standard output. */
static bool is_output(const struct manifest *manifest, const char *name)
{
    struct file_status own, other;
    int outcome = strcmp(name, "-") == 0 ? file_status_of_open(STDOUT_FILENO, &other) : file_status(name, &other);
    return outcome == 0 && file_status_of_open(manifest->file, &own) == 0 && own.kind != FILE_IS_DEVICE &&
           file_is_same(&own, &other);
}

static bool is_input(const struct manifest *manifest, const struct job *job)
{
    struct file_status own;
    return file_status_of_open(manifest->file, &own) == 0 && inputs_have(job->source->inputs, &own);
}

/* Whether it begins as a manifest does, blanks aside, or is empty. What cannot be read is taken for one. */
static bool begins_well(const struct manifest *manifest)
{
    char start[64];
    const char *wanted = ours;
    ssize_t got = pread(manifest->file, start, sizeof start, 0);
    for (ssize_t i = 0; i < got && *wanted != '\0'; i++) {
        if (strchr(" \t\r\n", start[i]) && start[i] != '\0')
            continue;
        wanted += strspn(wanted, " ");
        if (*wanted++ != start[i])
            return false;
    }
    return true;
}

static int refuse_output(const char *name)
{
    message_error("--manifest %s: this file is also an output; name another one", name);
    return -1;
}

static int refuse_place(const char *name, int error)
{
    bool lacks_folder = error == ENOENT || error == ENOTDIR;
    message_error("--manifest %s: %s; %s", name, strerror(error),
                  lacks_folder ? "create its folder first, or name another file" : "name another file");
    return -1;
}

static int check_file(const struct manifest *manifest, const struct job *job, const char *name)
{
    if (is_output(manifest, job->wish->out))
        return refuse_output(name);
    if (is_input(manifest, job))
        message_error("--manifest %s: this file is also an input; name another one", name);
    else if (!begins_well(manifest))
        message_error("--manifest %s: not a manifest: it was left unchanged; name another file", name);
    else
        return 0;
    return -1;
}

/* Removes the file that was made for a manifest which is refused. */
static void remove_made(const char *name)
{
    struct file_status status;
    char *place = NULL;
    if (path_find(name, &place, &status) == PLACE_FILE && status.size == 0)
        path_remove(place);
    free(place);
}

int manifest_open(struct manifest *manifest, const struct job *job)
{
    struct file_status status;
    const char *name = job->wish->manifest;
    bool is_new = file_status(name, &status) != 0 && errno == ENOENT;
    manifest->file = open_for_lines(name);
    if (manifest->file < 0)
        return refuse_place(name, errno);
    if (check_file(manifest, job, name) == 0)
        return 0;
    close(manifest->file);
    manifest->file = -1;
    if (is_new)
        remove_made(name);
    return -1;
}

static int no_memory(void)
{
    message_no_memory();
    return -1;
}

int manifest_collect(struct manifest *manifest, const struct job *job)
{
    struct missing_total total;
    struct missing_places places;
    bool are_kept;
    manifest->outputs = calloc(job->outlets.count + 1, sizeof *manifest->outputs);
    if (!manifest->outputs)
        return no_memory();
    for (; manifest->count < job->outlets.count; manifest->count++) {
        const char *name = sink_file_name(job->outlets.outlet[manifest->count]->sink);
        if (is_output(manifest, name)) {
            refuse_output(job->wish->manifest);
            return -1;
        }
        manifest->outputs[manifest->count] = strdup(name);
        if (!manifest->outputs[manifest->count])
            return no_memory();
    }
    for (size_t i = 0; i < armtap_streams_count(job->streams); i++)
        if (missing_data_total(job->missing, armtap_streams_at(job->streams, i)->stream, &total, &places, &are_kept))
            manifest->lost_bytes += total.gaps.sum.bytes;
    return 0;
}

void manifest_free(struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->count; i++)
        free(manifest->outputs[i]);
    free(manifest->outputs);
    if (manifest->file >= 0)
        close(manifest->file);
    *manifest = (struct manifest){.file = -1};
}

static void write_inputs(struct json *json, const struct replay_source *source)
{
    json_member_array(json, "inputs", false);
    for (size_t i = 0; i < source->count; i++)
        json_text(json, source->names[i]);
    json_close(json);
}

static void write_notes(struct json *json, const struct armtap_streams *streams)
{
    json_member_object(json, "notes", false);
    for (size_t i = 0; streams && i < armtap_note_count(); i++) {
        if (armtap_streams_note_counts(streams)[i] == 0)
            continue;
        json_member_unsigned(json, armtap_note_at(i)->id, armtap_streams_note_counts(streams)[i]);
    }
    json_close(json);
}

static void write_line(struct buffer *line, const struct manifest *manifest, const struct job *job)
{
    struct json json;
    json_begin_text(&json, line);
    json_object(&json, false);
    write_inputs(&json, job->source);
    json_member_array(&json, "outputs", false);
    for (size_t i = 0; i < manifest->count && !job->gave_up; i++)
        json_text(&json, manifest->outputs[i]);
    json_close(&json);
    json_member_unsigned(&json, "rows", job->rows);
    json_member_unsigned(&json, "bytes_lost", manifest->lost_bytes);
    write_notes(&json, job->streams);
    json_member_unsigned(&json, "status", (uint64_t)job->status);
    json_member_text(&json, "version", armtap_version());
    json_end(&json);
}

int manifest_write(const struct manifest *manifest, const struct job *job)
{
    struct buffer line = {0};
    if (manifest->file < 0)
        return 0;
    write_line(&line, manifest, job);
    int error = line.failed ? 0 : append_line(manifest->file, line.data, line.length);
    if (line.failed)
        message_no_memory();
    if (error)
        message_error("--manifest %s: %s", job->wish->manifest, strerror(error));
    free(line.data);
    return line.failed || error ? -1 : 0;
}
