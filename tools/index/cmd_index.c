/* armtap index: what each capture leaves behind for those after it. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/names.h"
#include "base/os/path.h"
#include "base/process/message.h"
#include "base/text/utf8.h"
#include "command_line/commands.h"
#include "command_line/options.h"
#include "export/files/atomic_file.h"
#include "input/sidecars/sidecar.h"
#include "inside.h"

/* Sidecars that get their names together: each such time waits for the disk. */
#define BATCH 64

struct job {
    struct options options;
    const char *folder;
    enum exit_status status;
    struct sink_run run;
    struct sink_file *written[BATCH]; /* whole, but without their names yet */
    size_t written_count;
};

#define OPTIONS_STRUCT struct job
static const struct option_row rows[] = {
#define OPTIONS_INDEX
#include "command_line/options.def"
};

static const struct option_usage usage = {
    .command = "index",
    .arguments = "CAPTURE...",
    .summary =
        "Writes for each capture a sidecar with what later captures need, so that armtap export --after decodes each "
        "one alone, on any machine, with the rows of one export of all captures. Captures may be indexed one by one, "
        "in parallel, or several in one run, which makes smaller files and cannot fail where data is missing between "
        "two captures.",
    .rows = rows,
    .groups = GROUPS_index,
    .examples = "  armtap index -o sidecars monday-*.pcapng\n"
                "  for f in monday-*.pcapng; do armtap export --after sidecars $f -o ${f%.pcapng}.csv; done\n"};

/* ---- sidecars ---------------------------------------------------------------------------------------------------- */

static char *name_of(const struct job *job, uint32_t file)
{
    return strdup(path_base(job->options.source.names[file]));
}

/* Appends the text of a sidecar. */
static void make_text(const struct job *job, const struct replay_indexed *indexed, struct buffer *text)
{
    struct sidecar sidecar = {.capture = name_of(job, indexed->file),
                              .after = indexed->file > 0 ? name_of(job, indexed->file - 1) : NULL,
                              .packets = indexed->packets,
                              .first_time = indexed->first_time,
                              .last_time = indexed->last_time,
                              .section = *indexed->section};
    if (sidecar.capture && (sidecar.after || indexed->file == 0))
        sidecar_write(text, &sidecar, indexed->digest);
    else
        text->failed = true;
    sidecar_free(&sidecar);
}

/* Gives the sidecars their names. 0, or -1 after a message. */
static int place_written(struct job *job)
{
    size_t count = job->written_count;
    job->written_count = 0;
    return sink_files_commit(job->written, count) == SINK_OK ? 0 : -1;
}

static enum replay_answer save(struct job *job, const struct replay_indexed *indexed, const char *path)
{
    struct buffer text = {0};
    make_text(job, indexed, &text);
    struct sink_file *sink = text.failed ? NULL : sink_file_open(path, &job->run);
    if (sink && sink_file_write(sink, text.data, text.length) != SINK_OK) {
        sink_file_discard(sink);
        sink = NULL;
    }
    free(text.data);
    if (text.failed)
        return REPLAY_NO_MEMORY;
    if (!sink)
        return REPLAY_GAVE_UP;
    job->written[job->written_count++] = sink;
    return job->written_count < BATCH || place_written(job) == 0 ? REPLAY_GO_ON : REPLAY_GAVE_UP;
}

static enum replay_answer on_indexed(void *user, const struct replay_indexed *indexed)
{
    struct job *job = user;
    const char *name = job->options.source.names[indexed->file];
    if (!armtap_digest_is_whole(indexed->digest)) {
        message_error(
            "%s: later captures need more of it than a sidecar can hold (%zu MB): it has very many short connections, "
            "whose first records are kept, a compressed stream, or one that is mostly no data; split it with editcap "
            "-c 10000, or export it together with the captures before it",
            name, SIDECAR_PACKETS_MAX >> 20);
        return REPLAY_GAVE_UP;
    }
    size_t room = strlen(job->folder) + strlen(path_base(name)) + sizeof SIDECAR_ENDING + 1;
    char *path = malloc(room);
    if (!path)
        return REPLAY_NO_MEMORY;
    snprintf(path, room, "%s/%s%s", job->folder, path_base(name), SIDECAR_ENDING);
    enum replay_answer answer = save(job, indexed, path);
    free(path);
    return answer;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool is_utf8(const char *text)
{
    size_t length = strlen(text), size = 1;
    uint32_t character;
    for (size_t at = 0; at < length && size > 0; at += size)
        size = utf8_character(text + at, length - at, &character);
    return size > 0;
}

/* A sidecar has its capture's name inside, as text, and one that is hidden is not found among those of a folder. */
static int check_name(const char *name)
{
    const char *base = path_base(name);
    if (strcmp(name, "-") == 0)
        message_error("standard input has no name for a sidecar; name a file");
    else if (base[0] == '.')
        message_error("%s: its sidecar would be hidden; rename the capture so that its name does not begin with a dot",
                      name);
    else if (!is_utf8(base))
        message_error("%s: its name is not UTF-8, which a sidecar requires; rename the capture", name);
    else
        return 0;
    return -1;
}

/* Sidecars are named after captures. */
static int check_names(const struct replay_source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        if (check_name(source->names[i]) != 0)
            return -1;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(path_base(source->names[i]), path_base(source->names[k])) != 0)
                continue;
            message_error("%s and %s would have the same sidecar; index them into separate folders", source->names[k],
                          source->names[i]);
            return -1;
        }
    }
    return 0;
}

static int check_asked(const struct job *job)
{
    const struct replay_source *source = &job->options.source;
    if (!job->folder)
        message_error("index: name a folder for the sidecars with -o");
    else if (replay_is_endless(source))
        message_error("index: reads only files; record an interface or a robot first");
    else if (check_names(source) != 0)
        return -1;
    else if (mkdir(job->folder, 0777) != 0 && errno != EEXIST)
        message_error("%s: the folder cannot be created: %s; name another one with -o", job->folder, strerror(errno));
    else
        return 0;
    return -1;
}

/* A digest holds what such callbacks are told: so there are all that read digests, and none does anything. */
#define IGNORE(callback, type)                                                                                         \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        (void)user;                                                                                                    \
        (void)what;                                                                                                    \
        return REPLAY_GO_ON;                                                                                           \
    }
IGNORE(on_record, armtap_record)
IGNORE(on_recipe, armtap_recipe_event)
IGNORE(on_text, armtap_text)
IGNORE(on_note, armtap_note)
IGNORE(on_event, armtap_event)
IGNORE(on_properties, armtap_record)
IGNORE(on_refused, armtap_refused_setup)
IGNORE(on_candidates, armtap_candidates)
IGNORE(on_command, armtap_command)
#undef IGNORE
static const struct armtap_sink nothing = {.size = sizeof nothing,
                                           .on_record = on_record,
                                           .on_recipe = on_recipe,
                                           .on_text = on_text,
                                           .on_note = on_note,
                                           .on_event = on_event,
                                           .on_properties = on_properties,
                                           .on_refused = on_refused,
                                           .on_candidates = on_candidates,
                                           .on_command = on_command};

int cmd_index(int argc, char **argv)
{
    struct job job = {.status = EXIT_FAILED};
    struct replay_totals totals;
    enum options_outcome outcome = options_parse(&usage, argc, argv, &job.options, &job);
    if (outcome != OPTIONS_RUN)
        return options_status(outcome);
    if (check_asked(&job) == 0) {
        job.options.source.on_indexed = on_indexed;
        job.run.inputs = job.options.inputs;
        job.status = replay(&job.options.source, &nothing, &job, &totals);
        if (place_written(&job) != 0)
            job.status = EXIT_FAILED;
        if (totals.interrupted) {
            message_error("interrupted: the captures read so far have their sidecars");
            job.status = EXIT_FAILED;
        }
    }
    options_free(&job.options);
    return (int)job.status;
}
