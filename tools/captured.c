#include "captured.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "streams.h"

/* No capture of a robot has a hundredth of it. */
enum { setups_max = 65536, listed_max = 20 };

/* A recipe that a connection set up. */
struct setup {
    uint64_t connection;
    enum armtap_direction direction;
    size_t order; /* in the capture */
    struct armtap_where where;
    bool guessed;
    struct armtap_recipe *recipe; /* held */
};

struct reading {
    const struct captured_wish *wish;
    struct streams *streams;
    struct setup *setup; /* sorted by connection, direction and order after the reading */
    size_t count, room;
    size_t left_out; /* beyond setups_max */
    bool broken_off;
};

static int out_of_memory(void)
{
    message_no_memory();
    return REPLAY_GAVE_UP;
}

static int forget_setups(void *user)
{
    struct reading *reading = user;
    for (size_t i = 0; i < reading->count; i++)
        armtap_recipe_release(reading->setup[i].recipe);
    reading->count = reading->left_out = 0;
    return 0;
}

/* ---- what is set up -------------------------------------------------------------------------------------------- */

static int add_setup(struct reading *reading, const struct armtap_recipe_event *event)
{
    if (reading->count == setups_max) {
        reading->left_out++;
        return 0;
    }
    if (reading->count == reading->room) {
        size_t room = reading->room == 0 ? 16 : 2 * reading->room;
        struct setup *setup = realloc(reading->setup, room * sizeof *setup);
        if (setup == NULL)
            return -1;
        reading->setup = setup;
        reading->room = room;
    }
    reading->setup[reading->count] = (struct setup){.connection = event->stream->connection,
                                                    .direction = event->direction,
                                                    .order = reading->count,
                                                    .where = event->where,
                                                    .guessed = (event->flags & ARMTAP_GUESSED) != 0,
                                                    .recipe = armtap_recipe_hold(event->recipe)};
    reading->count++;
    return 0;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct reading *reading = user;
    bool wanted = (event->direction == ARMTAP_TO_ROBOT) == reading->wish->to_robot && event->recipe != NULL;
    if (wanted && add_setup(reading, event) != 0)
        return out_of_memory();
    return streams_recipe(reading->streams, event) == 0 ? 0 : out_of_memory();
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct reading *reading = user;
    return streams_event(reading->streams, event) == 0 ? 0 : out_of_memory();
}

static int by_connection(const void *a, const void *b)
{
    const struct setup *one = a, *other = b;
    if (one->connection != other->connection)
        return one->connection < other->connection ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

static bool same_fields(const struct armtap_recipe *one, const struct armtap_recipe *other)
{
    if (armtap_recipe_count(one) != armtap_recipe_count(other))
        return false;
    for (size_t i = 0; i < armtap_recipe_count(one); i++) {
        const struct armtap_recipe_entry *a = armtap_recipe_at(one, i), *b = armtap_recipe_at(other, i);
        if (a->type != b->type || a->count != b->count || strcmp(a->name, b->name) != 0)
            return false;
    }
    return true;
}

/* Sorts, and of recipes that a client set up again right away keeps the last. */
static void sort_setups(struct reading *reading)
{
    size_t kept = 0;
    if (reading->count > 1)
        qsort(reading->setup, reading->count, sizeof *reading->setup, by_connection);
    for (size_t i = 0; i < reading->count; i++) {
        struct setup *last = kept == 0 ? NULL : &reading->setup[kept - 1], *setup = &reading->setup[i];
        if (last != NULL && last->connection == setup->connection && same_fields(last->recipe, setup->recipe))
            armtap_recipe_release(last->recipe);
        else
            kept++;
        reading->setup[kept - 1] = *setup;
    }
    reading->count = kept;
}

/* Those of a connection, in order; returns how many. */
static size_t setups_of(const struct reading *reading, uint64_t connection, const struct setup **first)
{
    size_t low = 0, high = reading->count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reading->setup[middle].connection < connection)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < reading->count && reading->setup[end].connection == connection; end++)
        ;
    *first = reading->setup + low;
    return end - low;
}

static enum exit_status read_all(struct reading *reading)
{
    const struct captured_wish *wish = reading->wish;
    const struct armtap_sink sink = {.size = sizeof sink, .on_recipe = on_recipe, .on_event = on_event};
    struct replay_source source = {.names = wish->names, .count = wish->count, .progress = true};
    struct replay_totals totals = {.broken_off = true};
    enum exit_status status = EXIT_FAILED;
    if (armtap_knowledge_new(&source.knowledge) != ARMTAP_OK || (reading->streams = streams_new()) == NULL)
        out_of_memory();
    else
        status = replay_learning(&source, &sink, reading, forget_setups, &totals);
    armtap_knowledge_free(source.knowledge);
    reading->broken_off = totals.broken_off;
    if (totals.broken_off)
        return EXIT_FAILED;
    streams_number(reading->streams);
    sort_setups(reading);
    if (streams_count(reading->streams) == 0 && status == EXIT_DONE) {
        streams_report_none(reading->streams, &totals);
        status = EXIT_FAILED;
    }
    return status;
}

/* ---- which of them --------------------------------------------------------------------------------------------- */

static const char *kind(const struct captured_wish *wish)
{
    return wish->to_robot ? "input" : "output";
}

static void refuse_stream(const struct reading *reading, size_t with, const char *numbers)
{
    const struct captured_wish *wish = reading->wish;
    size_t count = streams_count(reading->streams);
    if (wish->one_stream && wish->stream >= count)
        message_error("recipe: there is no stream %" PRIu64 ": they are numbered from 0 to %zu; armtap info lists them",
                      wish->stream, count - 1);
    else if (wish->one_stream)
        message_error("recipe: stream %" PRIu64 " set up no %s recipe that the robot accepted", wish->stream,
                      kind(wish));
    else if (with == 0)
        message_error("recipe: none of the streams has an %s recipe; armtap info lists them", kind(wish));
    else
        message_error("recipe: streams %s have recipes; choose one with --stream N, armtap info lists them", numbers);
}

/* The stream asked for, or the only one that has a recipe. NULL after a message. */
static const struct stream_summary *choose_stream(const struct reading *reading)
{
    const struct captured_wish *wish = reading->wish;
    const struct stream_summary *chosen = NULL;
    const struct setup *first;
    char numbers[200] = "";
    size_t length = 0, with = 0, count = streams_count(reading->streams);
    for (size_t i = 0; i < count; i++) {
        const struct stream_summary *summary = streams_at(reading->streams, i);
        if ((wish->one_stream && i != wish->stream) || setups_of(reading, summary->stream.connection, &first) == 0)
            continue;
        chosen = summary;
        if (++with <= listed_max)
            length += (size_t)snprintf(numbers + length, sizeof numbers - length, "%s%zu", with == 1 ? "" : ", ", i);
        else if (with == listed_max + 1)
            snprintf(numbers + length, sizeof numbers - length, " ...");
    }
    if (with == 1)
        return chosen;
    refuse_stream(reading, with, numbers);
    return NULL;
}

/* "  --setup 2: packet 11, 3 fields: actual_q, ..." for each. */
static void list_setups(const struct setup *first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char fields[80] = "";
        size_t length = 0, entries = armtap_recipe_count(first[i].recipe);
        if (i == listed_max) {
            message_error("  ... and %zu more", count - i);
            return;
        }
        for (size_t k = 0; k < entries && length < sizeof fields; k++)
            length += (size_t)snprintf(fields + length, sizeof fields - length, "%s%s", k == 0 ? "" : ", ",
                                       armtap_recipe_at(first[i].recipe, k)->name);
        message_error("  --setup %zu: packet %" PRIu64 ", %zu field%s: %s%s", i + 1, first[i].where.packet, entries,
                      entries == 1 ? "" : "s", fields, length < sizeof fields ? "" : "...");
    }
}

/* NULL after a message. */
static const struct setup *choose_setup(const struct reading *reading, const struct stream_summary *summary)
{
    const struct captured_wish *wish = reading->wish;
    const struct setup *first;
    size_t count = setups_of(reading, summary->stream.connection, &first);
    if (wish->setup > count || (wish->setup == 0 && wish->to_robot && count > 1)) {
        message_error("recipe: stream %u set up %zu %s recipe%s; %s", summary->number, count, kind(wish),
                      count == 1 ? "" : "s", wish->setup > 0 ? "--setup takes one of these:" : "choose one:");
        list_setups(first, count);
        return NULL;
    }
    if (wish->setup > 0)
        return &first[wish->setup - 1];
    if (count > 1 && !first[count - 1].guessed)
        message_warning("stream %u had %zu recipes, one after another; this is the last, --setup 1 is the first",
                        summary->number, count);
    return &first[count - 1];
}

static void take_recipe(const struct reading *reading, struct captured *captured)
{
    const struct stream_summary *summary = choose_stream(reading);
    const struct setup *setup = summary == NULL ? NULL : choose_setup(reading, summary);
    if (setup == NULL)
        return;
    if (setup->guessed)
        message_warning("the handshake of stream %u was not captured: its recipe was guessed", summary->number);
    if (reading->left_out > 0)
        message_warning("%zu more recipes were set up in this capture; they are not looked at", reading->left_out);
    captured->recipe = armtap_recipe_hold(setup->recipe);
    captured->protocol = summary->stream.protocol;
    captured->generation = summary->stream.generation;
}

enum exit_status captured_read(const struct captured_wish *wish, struct captured *captured)
{
    struct reading reading = {.wish = wish};
    *captured = (struct captured){.recipe = NULL};
    enum exit_status status = read_all(&reading);
    if (!reading.broken_off && streams_count(reading.streams) > 0)
        take_recipe(&reading, captured);
    forget_setups(&reading);
    free(reading.setup);
    streams_free(reading.streams);
    return captured->recipe == NULL ? EXIT_FAILED : status;
}
