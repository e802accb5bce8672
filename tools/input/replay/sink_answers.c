#include "run.h"

#include <string.h>

#include "base/process/message.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"

static int remember(struct replay_stop *stop, int answer)
{
    if (answer == REPLAY_GO_ON)
        return 0;
    if (stop->why == REPLAY_GO_ON)
        stop->why =
            answer == REPLAY_GAVE_UP || answer == REPLAY_HAS_ENOUGH ? (enum replay_answer)answer : REPLAY_NO_MEMORY;
    return -1;
}

#define FORWARD(callback, type)                                                                                        \
    static int callback(void *user, const struct type *what)                                                           \
    {                                                                                                                  \
        struct replay_stop *stop = user;                                                                               \
        return remember(stop, stop->sink->callback(stop->user, what));                                                 \
    }
FORWARD(on_record, armtap_record)
FORWARD(on_recipe, armtap_recipe_event)
FORWARD(on_text, armtap_text)
FORWARD(on_event, armtap_event)
FORWARD(on_properties, armtap_record)
FORWARD(on_message, armtap_message)
FORWARD(on_refused, armtap_refused_setup)
FORWARD(on_traffic, armtap_traffic)
FORWARD(on_candidates, armtap_candidates)
FORWARD(on_bytes, armtap_bytes)
FORWARD(on_command, armtap_command)
#undef FORWARD

/* Whatever a command shows of it, it lacks what the snapshot length cut off. */
static void say_cut(const struct replay_source *source, const struct armtap_note *note)
{
    struct input *input =
        source && source->inputs && !source->archive ? inputs_at(source->inputs, note->where.file) : NULL;
    if (!input || !note->stream || strcmp(note->kind->id, "capture.truncated") != 0 || source->quiet ||
        !input_report_once(input))
        return;
    message_warning("%s: packet %llu: %s", reader_name(replay_file_name(source, note->where.file)),
                    (unsigned long long)note->where.packet, note->text);
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct replay_stop *stop = user;
    say_cut(stop->source, note);
    return stop->sink->on_note ? remember(stop, stop->sink->on_note(stop->user, note)) : 0;
}

static int wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    const struct replay_stop *stop = user;
    return stop->sink->wants(stop->user, stream, direction);
}

struct armtap_sink replay_stop_wrap(const struct replay_stop *stop)
{
    const struct armtap_sink *sink = stop->sink;
#define IF_WANTED(callback) .callback = sink->callback ? callback : NULL
    return (struct armtap_sink){.size = sizeof(struct armtap_sink),
                                IF_WANTED(on_record),
                                IF_WANTED(on_recipe),
                                IF_WANTED(on_text),
                                .on_note = on_note,
                                IF_WANTED(on_event),
                                IF_WANTED(on_properties),
                                IF_WANTED(on_message),
                                IF_WANTED(on_refused),
                                IF_WANTED(on_traffic),
                                IF_WANTED(on_candidates),
                                IF_WANTED(on_bytes),
                                IF_WANTED(on_command),
                                IF_WANTED(wants)};
#undef IF_WANTED
}
