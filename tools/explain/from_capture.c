#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/process/message.h"
#include "base/numbers/number_text.h"
#include "icmp.h"
#include "input/robots/labels.h"

static void release(struct explained *explained)
{
    armtap_recipe_release(explained->held);
    armtap_recipe_release(explained->set_up);
    free(explained->copy);
}

static void forget_pending(struct explanation *explanation)
{
    release(&explanation->pending);
    explanation->pending = (struct explained){.number = -1};
}

/* Ready for another reading. */
static void empty(struct explanation *explanation)
{
    forget_pending(explanation);
    for (size_t i = 0; i < explanation->count; i++)
        release(&explanation->message[i]);
    explanation->count = explanation->passing_count = explanation->happened_count = 0;
}

void explanation_free(struct explanation *explanation)
{
    empty(explanation);
    free(explanation->message);
    armtap_streams_free(explanation->streams);
    *explanation = (struct explanation){0};
}

/* ---- what is kept ---------------------------------------------------------------------------------------------- */

static bool is_here(const struct explanation *explanation, const struct armtap_where *where)
{
    return where->packet == explanation->packet && where->file == explanation->file;
}

static bool is_before(const struct explanation *explanation, const struct armtap_where *where)
{
    return where->file != explanation->file ? where->file < explanation->file : where->packet < explanation->packet;
}

/* Where the values begin in the frame; 0 if they are not bytes of it, as in a text protocol. */
static size_t values_at(const struct armtap_record *record)
{
    uintptr_t frame = (uintptr_t)record->frame, values = (uintptr_t)record->values;
    bool is_inside = record->recipe && values >= frame && values - frame <= record->frame_length;
    return is_inside ? (size_t)(values - frame) : 0;
}

static int keep_record(struct explanation *explanation, const struct armtap_record *record)
{
    struct explained *pending = &explanation->pending;
    if (!is_here(explanation, &record->where))
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
    struct explanation *explanation = user;
    if (is_here(explanation, &event->where) && (event->flags & ARMTAP_GUESSED) == 0) {
        armtap_recipe_release(explanation->pending.set_up);
        explanation->pending.set_up = armtap_recipe_hold(event->recipe);
        explanation->pending.subject.message.set_up = explanation->pending.set_up;
    }
    return armtap_streams_recipe(explanation->streams, event) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static struct explained *new_message(struct explanation *explanation, const struct armtap_message *from)
{
    if (!MAKE_ROOM(explanation->message, explanation->count))
        return NULL;
    struct explained *message = &explanation->message[explanation->count];
    *message = explanation->pending;
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
    explanation->pending = (struct explained){.number = -1};
    explanation->count++;
    return message;
}

static int keep_message(struct explanation *explanation, const struct armtap_message *message)
{
    struct explained *kept = new_message(explanation, message);
    if (!kept)
        return REPLAY_NO_MEMORY;
    kept->captured = true;
    kept->stream = *message->stream;
    kept->where = message->where;
    kept->first = message->first;
    kept->offset = message->offset;
    kept->subject.skipped = message->skipped;
    kept->subject.whole = message->whole;
    kept->subject.message.protocol = message->stream->protocol;
    kept->subject.message.direction = message->direction;
    kept->subject.message.generation = message->stream->generation;
    if (kept->subject.message.version == 0)
        kept->subject.message.version = message->stream->version;
    return 0;
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct explanation *explanation = user;
    if (is_here(explanation, &message->where))
        return keep_message(explanation, message);
    bool passes = !is_before(explanation, &message->where) &&
                  (is_before(explanation, &message->first) || is_here(explanation, &message->first));
    if (passes && explanation->passing_count < PASSING_MAX)
        explanation->passing[explanation->passing_count++] = (struct passing){.connection = message->stream->connection,
                                                                              .direction = message->direction,
                                                                              .first = message->first,
                                                                              .where = message->where,
                                                                              .length = message->length,
                                                                              .skipped = message->skipped};
    return 0;
}

/* ---- what happened --------------------------------------------------------------------------------------------- */

static char *new_line(struct explanation *explanation)
{
    return explanation->happened_count < HAPPENED_MAX ? explanation->happened[explanation->happened_count++] : NULL;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct explanation *explanation = user;
    char *line = is_here(explanation, &note->where) ? new_line(explanation) : NULL;
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
        return "the gap in the capture is detected here";
    case ARMTAP_EVENT_RETRANSMISSION:
        return "earlier bytes are retransmitted";
    case ARMTAP_EVENT_DUPLICATE:
        return "a duplicate of an earlier packet";
    case ARMTAP_EVENT_OUT_OF_ORDER:
        return "bytes that arrive after later ones";
    default:
        return NULL;
    }
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct explanation *explanation = user;
    explanation->heard = explanation->heard || event->type == ARMTAP_EVENT_RECOGNISED;
    const char *words = is_here(explanation, &event->where) ? words_of(event) : NULL;
    char *line = words ? new_line(explanation) : NULL;
    if (line)
        snprintf(line, HAPPENED_LENGTH, "%s and %s: %s%s", event->stream->robot, event->stream->client, words,
                 event->type == ARMTAP_EVENT_OPEN        ? ""
                 : event->direction == ARMTAP_FROM_ROBOT ? " (by the robot)"
                                                         : " (by the client)");
    return armtap_streams_event(explanation->streams, event) == 0 ? 0 : REPLAY_NO_MEMORY;
}

/* ---- commands of ur_rtde ------------------------------------------------------------------------------------------
 */

/* "moveL", "speedJ or speedL", "command 77". */
static void put_name(char *line, const struct armtap_command *command)
{
    size_t length = strlen(line);
    if (command->is_unknown)
        snprintf(line + length, HAPPENED_LENGTH - length, "command %" PRId32, command->code);
    for (size_t i = 0; !command->is_unknown && i < command->reading_count; i++) {
        length = strlen(line);
        snprintf(line + length, HAPPENED_LENGTH - length, "%s%s", i > 0 ? " or " : "", command->readings[i].name);
    }
}

static size_t number_of(const struct armtap_value *value, unsigned i, char text[NUMBER_MAX])
{
    if (value->type == ARMTAP_BOOL)
        return (size_t)snprintf(text, NUMBER_MAX, "%s", value->u64[i] ? "true" : "false");
    return value->type == ARMTAP_DOUBLE    ? number_repr(value->f64[i], text)
           : armtap_value_is_signed(value) ? number_signed(value->i64[i], text)
                                           : number_unsigned(value->u64[i], text);
}

static void put_value(char *line, const struct armtap_command_value *value)
{
    char text[NUMBER_MAX];
    size_t length = strlen(line);
    snprintf(line + length, HAPPENED_LENGTH - length, ", %s", value->value.name);
    for (unsigned i = 0; i < value->value.count; i++) {
        int digits = (int)number_of(&value->value, i, text);
        length = strlen(line);
        snprintf(line + length, HAPPENED_LENGTH - length, " %.*s", digits, text);
    }
    length = strlen(line);
    if (*value->unit != '\0')
        snprintf(line + length, HAPPENED_LENGTH - length, " %s%s%s", strchr(value->unit, ',') ? "(" : "", value->unit,
                 strchr(value->unit, ',') ? ")" : "");
}

static void tell_issue(struct explanation *explanation, const struct armtap_command *command)
{
    char *line = new_line(explanation);
    if (!line)
        return;
    snprintf(line, HAPPENED_LENGTH, "a ur_rtde command: ");
    put_name(line, command);
    for (size_t i = 0; command->reading_count == 1 && i < command->readings[0].argument_count; i++)
        put_value(line, &command->readings[0].arguments[i]);
    size_t length = strlen(line);
    snprintf(line + length, HAPPENED_LENGTH - length, "; it ended as %s", armtap_command_ending_name(command->ending));
}

/* What becomes of a command that was issued before. */
static void tell_end(struct explanation *explanation, const struct armtap_command *command, const char *words)
{
    char *line = new_line(explanation);
    if (!line)
        return;
    snprintf(line, HAPPENED_LENGTH, "%s ", words);
    put_name(line, command);
    size_t length = strlen(line);
    snprintf(line + length, HAPPENED_LENGTH - length, ", a ur_rtde command in packet %" PRIu64, command->issued.packet);
}

static int on_command(void *user, const struct armtap_command *command)
{
    struct explanation *explanation = user;
    if (is_here(explanation, &command->issued))
        tell_issue(explanation, command);
    if (command->is_done && is_here(explanation, &command->done))
        tell_end(explanation, command, "the robot's script has completed");
    if (command->is_acknowledged && is_here(explanation, &command->acknowledged))
        tell_end(explanation, command, "the client clears");
    return 0;
}

/* Without memory it is left out. */
static void keep_icmp(struct explanation *explanation, const struct armtap_packet *packet)
{
    const struct armtap_message whole = {.bytes = packet->data, .length = packet->captured};
    struct explained *kept = explanation->count == 0 ? new_message(explanation, &whole) : NULL;
    if (kept) {
        kept->subject.is_icmp = true;
        kept->subject.link_type = packet->link_type;
    }
}

static void on_packet(void *user, const struct armtap_packet *packet)
{
    struct explanation *explanation = user;
    if (!is_here(explanation, &packet->where))
        return;
    explanation->captured = packet->captured;
    explanation->length = packet->length;
    if (icmp_is(packet->link_type, packet->data, packet->captured))
        keep_icmp(explanation, packet);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Without telemetry until now, whether there is any is not known. */
static bool has_heard(const void *user)
{
    const struct explanation *explanation = user;
    return explanation->heard;
}

/* Makes ready for a reading. 0, or -1 without memory. */
static int start_over(void *user)
{
    struct explanation *explanation = user;
    struct armtap_streams *streams = armtap_streams_new();
    if (!streams)
        return -1;
    empty(explanation);
    armtap_streams_free(explanation->streams);
    explanation->streams = streams;
    explanation->heard = false;
    return 0;
}

enum exit_status explanation_read(struct explanation *explanation, const struct replay_source *source)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_note = on_note,
                                     .on_event = on_event,
                                     .on_properties = on_record,
                                     .on_message = on_message,
                                     .on_command = on_command};
    const struct replay_end end = {.file = explanation->file, .packet = explanation->packet, .is_enough = has_heard};
    struct replay_source with = *source;
    enum exit_status status = EXIT_FAILED;
    with.on_packet = on_packet;
    with.end = replay_is_repeatable(source) ? &end : NULL;
    explanation->totals.broken_off = true;
    if (start_over(explanation) != 0 || armtap_knowledge_new(&with.knowledge) != ARMTAP_OK)
        message_no_memory();
    else
        status = replay_learning(&with, &sink, explanation, start_over, &explanation->totals);
    armtap_knowledge_free(with.knowledge);
    if (explanation->totals.broken_off)
        return EXIT_FAILED;
    armtap_streams_number(explanation->streams);
    for (size_t i = 0; i < explanation->count; i++) {
        const struct armtap_stream_summary *summary =
            armtap_streams_of(explanation->streams, explanation->message[i].stream.connection);
        explanation->message[i].labels = source->labels;
        explanation->message[i].number = summary ? (long)summary->number : -1;
        explanation->message[i].subject.message.release = explanation->message[i].stream.controller_version;
    }
    for (size_t i = 0; i < explanation->happened_count; i++)
        labels_in_text(source->labels, explanation->happened[i], HAPPENED_LENGTH);
    return status;
}
