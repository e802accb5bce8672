#include "from_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static int out_of_memory(void)
{
    message_no_memory();
    return REPLAY_GAVE_UP;
}

static void release(struct explained *explained)
{
    armtap_recipe_release(explained->held);
    armtap_recipe_release(explained->set_up);
    free(explained->copy);
}

static void forget_pending(struct found *found)
{
    release(&found->pending);
    found->pending = (struct explained){.number = -1};
}

/* Ready for another reading. */
static void empty(struct found *found)
{
    forget_pending(found);
    for (size_t i = 0; i < found->count; i++)
        release(&found->message[i]);
    found->count = found->passing_count = found->happened_count = 0;
}

void found_free(struct found *found)
{
    empty(found);
    free(found->message);
    armtap_streams_free(found->streams);
    *found = (struct found){0};
}

/* ---- what is kept ---------------------------------------------------------------------------------------------- */

static bool is_here(const struct found *found, const struct armtap_where *where)
{
    return where->packet == found->packet && where->file == found->file;
}

static bool is_before(const struct found *found, const struct armtap_where *where)
{
    return where->file != found->file ? where->file < found->file : where->packet < found->packet;
}

/* Where the values begin in the frame; 0 if they are not bytes of it, as in a text protocol. */
static size_t values_at(const struct armtap_record *record)
{
    uintptr_t frame = (uintptr_t)record->frame, values = (uintptr_t)record->values;
    bool is_inside = record->recipe && values >= frame && values - frame <= record->frame_length;
    return is_inside ? (size_t)(values - frame) : 0;
}

static int keep_record(struct found *found, const struct armtap_record *record)
{
    struct explained *pending = &found->pending;
    if (!is_here(found, &record->where))
        return 0;
    armtap_recipe_release(pending->held);
    pending->held = record->recipe ? armtap_recipe_hold(record->recipe) : NULL;
    pending->subject.message.recipe = pending->held;
    pending->subject.message.values_at = values_at(record);
    pending->subject.message.version = record->version;
    pending->flags = record->flags;
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    return keep_record(user, record);
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct found *found = user;
    if (is_here(found, &event->where) && (event->flags & ARMTAP_GUESSED) == 0) {
        armtap_recipe_release(found->pending.set_up);
        found->pending.set_up = armtap_recipe_hold(event->recipe);
        found->pending.subject.message.set_up = found->pending.set_up;
    }
    return armtap_streams_recipe(found->streams, event) == 0 ? 0 : out_of_memory();
}

static struct explained *new_message(struct found *found, const struct armtap_message *from)
{
    if (found->count == found->room) {
        size_t room = found->room == 0 ? 16 : 2 * found->room;
        struct explained *more = realloc(found->message, room * sizeof *more);
        if (!more)
            return NULL;
        found->message = more;
        found->room = room;
    }
    struct explained *message = &found->message[found->count];
    *message = found->pending;
    message->copy = malloc(from->length + from->content_length);
    if (!message->copy)
        return NULL;
    memcpy(message->copy, from->bytes, from->length);
    if (from->content) {
        memcpy(message->copy + from->length, from->content, from->content_length);
        message->subject.message.content = message->copy + from->length;
        message->subject.message.content_length = from->content_length;
    }
    message->subject.message.size = sizeof message->subject.message;
    message->subject.message.bytes = message->copy;
    message->subject.message.length = from->length;
    found->pending = (struct explained){.number = -1};
    found->count++;
    return message;
}

static int keep_message(struct found *found, const struct armtap_message *message)
{
    struct explained *kept = new_message(found, message);
    if (!kept)
        return out_of_memory();
    kept->captured = true;
    kept->stream = *message->stream;
    kept->where = message->where;
    kept->first = message->first;
    kept->offset = message->offset;
    kept->subject.skipped = message->skipped;
    kept->subject.message.protocol = message->stream->protocol;
    kept->subject.message.direction = message->direction;
    kept->subject.message.generation = message->stream->generation;
    if (kept->subject.message.version == 0)
        kept->subject.message.version = message->stream->version;
    return 0;
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct found *found = user;
    if (is_here(found, &message->where))
        return keep_message(found, message);
    bool passes =
        !is_before(found, &message->where) && (is_before(found, &message->first) || is_here(found, &message->first));
    if (passes && found->passing_count < PASSING_MAX)
        found->passing[found->passing_count++] = (struct passing){.connection = message->stream->connection,
                                                                  .direction = message->direction,
                                                                  .first = message->first,
                                                                  .where = message->where,
                                                                  .length = message->length,
                                                                  .skipped = message->skipped};
    return 0;
}

/* ---- what happened --------------------------------------------------------------------------------------------- */

static char *new_line(struct found *found)
{
    return found->happened_count < HAPPENED_MAX ? found->happened[found->happened_count++] : NULL;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct found *found = user;
    char *line = is_here(found, &note->where) ? new_line(found) : NULL;
    if (line)
        snprintf(line, HAPPENED_LENGTH, "%s %s: %s", armtap_severity_name(note->kind->severity), note->kind->id,
                 note->text ? note->text : note->kind->meaning);
    return 0;
}

/* What TCP did in the packet; NULL for what is no news. */
static const char *words_of(const struct armtap_event *event)
{
    switch (event->type) {
    case ARMTAP_EVENT_OPEN:
        return event->a == 1 ? "a connection begins" : "the first packet of a connection that began before the capture";
    case ARMTAP_EVENT_CLOSE:
        return event->a == ARMTAP_CLOSE_RESET ? "the connection is reset"
               : event->a == ARMTAP_CLOSE_FIN ? "one side closes the connection"
                                              : NULL;
    case ARMTAP_EVENT_GAP:
        return "bytes that are missing in the capture are noticed here";
    case ARMTAP_EVENT_RETRANSMISSION:
        return "bytes that came before are sent again";
    case ARMTAP_EVENT_DUPLICATE:
        return "a copy of a packet captured before";
    case ARMTAP_EVENT_OUT_OF_ORDER:
        return "bytes that come after later ones";
    default:
        return NULL;
    }
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct found *found = user;
    const char *words = is_here(found, &event->where) ? words_of(event) : NULL;
    char *line = words ? new_line(found) : NULL;
    if (line)
        snprintf(line, HAPPENED_LENGTH, "%s and %s: %s%s", event->stream->robot, event->stream->client, words,
                 event->type == ARMTAP_EVENT_OPEN        ? ""
                 : event->direction == ARMTAP_FROM_ROBOT ? " (by the robot)"
                                                         : " (by the client)");
    return armtap_streams_event(found->streams, event) == 0 ? 0 : out_of_memory();
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Makes ready for a reading. 0, or -1 without memory. */
static int begin(void *user)
{
    struct found *found = user;
    struct armtap_streams *streams = armtap_streams_new();
    if (!streams)
        return -1;
    empty(found);
    armtap_streams_free(found->streams);
    found->streams = streams;
    return 0;
}

enum exit_status found_read(struct found *found, const struct replay_source *source)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_properties = on_record,
                                     .on_message = on_message};
    struct replay_source with = *source;
    enum exit_status status = EXIT_FAILED;
    found->totals.broken_off = true;
    if (begin(found) != 0 || armtap_knowledge_new(&with.knowledge) != ARMTAP_OK)
        message_no_memory();
    else
        status = replay_learning(&with, &sink, found, begin, &found->totals);
    armtap_knowledge_free(with.knowledge);
    if (found->totals.broken_off)
        return EXIT_FAILED;
    armtap_streams_number(found->streams);
    for (size_t i = 0; i < found->count; i++) {
        const struct armtap_stream_summary *summary =
            armtap_streams_of(found->streams, found->message[i].stream.connection);
        found->message[i].number = summary ? (long)summary->number : -1;
    }
    return status;
}
