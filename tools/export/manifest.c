#define _POSIX_C_SOURCE 200809L
#include "manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append_line.h"
#include "base/json_writer.h"
#include "base/message.h"

int manifest_collect(struct manifest *manifest, struct job *job)
{
    struct missing_total total;
    struct missing_places places;
    bool are_kept;
    manifest->outputs = calloc(job->outlets.count + 1, sizeof *manifest->outputs);
    if (!manifest->outputs)
        return -1;
    for (; manifest->count < job->outlets.count; manifest->count++) {
        const char *name = sink_file_name(job->outlets.outlet[manifest->count]->sink);
        manifest->outputs[manifest->count] = strdup(name);
        if (!manifest->outputs[manifest->count])
            return -1;
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
    *manifest = (struct manifest){0};
}

static void write_inputs(struct json *json, const struct replay_source *source)
{
    json_key(json, "inputs");
    json_array(json, false);
    for (size_t i = 0; i < source->count; i++)
        json_text(json, source->names[i]);
    json_close(json);
}

static void write_notes(struct json *json, const struct armtap_streams *streams)
{
    json_key(json, "notes");
    json_object(json, false);
    for (size_t i = 0; streams && i < armtap_note_count(); i++) {
        if (armtap_streams_note_counts(streams)[i] == 0)
            continue;
        json_key(json, armtap_note_at(i)->id);
        json_unsigned(json, armtap_streams_note_counts(streams)[i]);
    }
    json_close(json);
}

static void write_line(FILE *file, const struct manifest *manifest, const struct job *job, enum exit_status status)
{
    struct json json;
    json_begin(&json, file);
    json_object(&json, false);
    write_inputs(&json, job->source);
    json_key(&json, "outputs");
    json_array(&json, false);
    for (size_t i = 0; i < manifest->count && status != EXIT_FAILED; i++)
        json_text(&json, manifest->outputs[i]);
    json_close(&json);
    json_key(&json, "rows");
    json_unsigned(&json, job->rows);
    json_key(&json, "bytes_lost");
    json_unsigned(&json, manifest->lost_bytes);
    write_notes(&json, job->streams);
    json_key(&json, "status");
    json_unsigned(&json, (uint64_t)status);
    json_key(&json, "version");
    json_text(&json, armtap_version());
    json_end(&json);
}

int manifest_write(const struct manifest *manifest, const struct job *job, const char *name, enum exit_status status)
{
    char *line = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&line, &length);
    if (file)
        write_line(file, manifest, job, status);
    bool failed = !file || ferror(file);
    if (file && fclose(file) != 0)
        failed = true;
    if (failed)
        message_no_memory();
    int error = failed ? 0 : append_line(name, line, length, "{\"inputs\": [");
    if (error)
        message_error("--manifest %s: %s", name, strerror(error));
    free(line);
    return failed || error ? -1 : 0;
}
