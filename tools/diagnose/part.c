#include "diagnosis.h"

#include <stdlib.h>

#include "base/process/message.h"
#include "input/sidecars/sidecar.h"
#include "input/files/file_reader.h"
#include "transcript.h"

struct diagnosis_part {
    struct archive *archive;
    struct transcript *transcript;
    const uint8_t *bytes; /* of it, at the end */
    size_t length;
    struct transcript_player *player;
    struct armtap_streams *streams; /* of the archive */
    const struct replay_totals *totals;
};

static int forget(void *user)
{
    struct diagnosis_part *part = user;
    transcript_free(part->transcript);
    armtap_streams_free(part->streams);
    part->transcript = transcript_new();
    part->streams = armtap_streams_new();
    return part->transcript && part->streams ? 0 : -1;
}

struct diagnosis_part *diagnosis_part_new(struct archive *archive)
{
    struct diagnosis_part *part = calloc(1, sizeof *part);
    if (!part) {
        archive_free(archive);
        return NULL;
    }
    part->archive = archive;
    part->player = transcript_player_new();
    if (part->player && forget(part) == 0)
        return part;
    diagnosis_part_free(part);
    return NULL;
}

void diagnosis_part_free(struct diagnosis_part *part)
{
    if (!part)
        return;
    archive_free(part->archive);
    transcript_free(part->transcript);
    transcript_player_free(part->player);
    armtap_streams_free(part->streams);
    free(part);
}

const struct archive *diagnosis_part_archive(const struct diagnosis_part *part)
{
    return part->archive;
}

const uint8_t *diagnosis_part_transcript(const struct diagnosis_part *part, size_t *length)
{
    *length = part->length;
    return part->bytes;
}

const struct armtap_streams *diagnosis_part_streams(const struct diagnosis_part *part)
{
    return part->streams;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* All captures number the streams, one goes to the transcript. */
#define TAKE(callback, type, to_streams, to_transcript)                                                                \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        struct diagnosis_part *part = user;                                                                            \
        bool failed = to_streams(part->streams, what) != ARMTAP_OK;                                                    \
        failed = failed || (!part->totals->elsewhere && to_transcript(part->transcript, what) != 0);                   \
        return failed ? REPLAY_NO_MEMORY : REPLAY_GO_ON;                                                               \
    }
TAKE(on_record, armtap_record, armtap_streams_record, transcript_record)
TAKE(on_recipe, armtap_recipe_event, armtap_streams_recipe, transcript_recipe)
TAKE(on_note, armtap_note, armtap_streams_note, transcript_note)
TAKE(on_event, armtap_event, armtap_streams_event, transcript_event)
#undef TAKE

static int on_message(void *user, const struct armtap_message *message)
{
    struct diagnosis_part *part = user;
    bool is_own = !part->totals->elsewhere;
    return is_own && transcript_message(part->transcript, message) != 0 ? REPLAY_NO_MEMORY : REPLAY_GO_ON;
}

static int on_command(void *user, const struct armtap_command *command)
{
    struct diagnosis_part *part = user;
    bool is_own = !part->totals->elsewhere;
    return is_own && transcript_command(part->transcript, command) != 0 ? REPLAY_NO_MEMORY : REPLAY_GO_ON;
}

static enum exit_status play(struct diagnosis_part *part, const struct diagnosis *diagnosis)
{
    const struct armtap_sink *sink = armtap_diagnosis_sink(diagnosis->found);
    part->bytes = transcript_end(part->transcript, &part->length);
    if (part->bytes &&
        transcript_play(part->player, part->bytes, part->length, sink, diagnosis->found) == TRANSCRIPT_PLAYED)
        return EXIT_DONE;
    message_no_memory();
    return EXIT_FAILED;
}

enum exit_status diagnosis_part_read(struct diagnosis_part *part, struct diagnosis *diagnosis)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_message = on_message,
                                     .on_command = on_command};
    struct replay_source source = *diagnosis->source;
    source.archive = part->archive;
    source.part = REPLAY_AMONG;
    source.comments = &diagnosis->comments;
    part->totals = &diagnosis->totals;
    enum exit_status status = replay_learning(&source, &sink, part, forget, &diagnosis->totals);
    diagnosis->is_whole = status == EXIT_DONE;
    if (diagnosis->totals.broken_off)
        return status;
    armtap_streams_number(part->streams);
    if (transcript_is_cut(part->transcript)) {
        message_error(
            "%s: more than a summary holds (%zu MB of what findings are made of): cut it into smaller captures",
            reader_name(diagnosis->source->names[0]), TRANSCRIPT_MAX >> 20);
        diagnosis->totals.broken_off = true;
        return EXIT_FAILED;
    }
    if (play(part, diagnosis) == EXIT_DONE)
        return status;
    diagnosis->totals.broken_off = true;
    return EXIT_FAILED;
}
