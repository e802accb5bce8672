#define _POSIX_C_SOURCE 200809L
#include "command_line/shared_text.h"
#include "recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/os/names.h"
#include "input/files/input_files.h"
#include "input/stream_rank.h"
#include "base/process/message.h"
#include "analysis/armtap-analysis.h"
#include "analysis/inside.h"

/* Limits; real captures stay below 1 % of them. */
enum { SETUPS_MAX = 65536, BYTES_MAX = 24 << 20, LISTED_MAX = 20 };

/* A recipe set up by a connection. */
struct setup {
    uint64_t connection;
    enum armtap_direction direction;
    size_t order; /* order in the capture */
    struct armtap_where where;
    bool guessed;
    bool is_refused;              /* partly; the recipe is the rest */
    struct armtap_recipe *recipe; /* held */
    struct capture_recipe_refusal *refused;
    size_t refused_count;
    int version; /* protocol version in force */
};

struct reading {
    const struct capture_recipe_wish *wish;
    struct armtap_streams *streams;
    struct setup *setup; /* after the reading: sorted by connection, direction and order */
    size_t count;
    struct armtap_recipe_store recipes;
    size_t others;   /* bytes of other recipes and of refused names */
    size_t left_out; /* beyond SETUPS_MAX or BYTES_MAX */
    bool broken_off;
};

static void refusals_free(struct capture_recipe_refusal *refused, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(refused[i].name);
    free(refused);
}

static void forget_setup(struct setup *setup)
{
    armtap_recipe_release(setup->recipe);
    refusals_free(setup->refused, setup->refused_count);
}

static int forget_setups(void *user)
{
    struct reading *reading = user;
    for (size_t i = 0; i < reading->count; i++)
        forget_setup(&reading->setup[i]);
    reading->count = reading->left_out = reading->others = 0;
    armtap_recipe_store_clear(&reading->recipes);
    return 0;
}

/* ---- collecting set-ups ---------------------------------------------------------------------------------------- */

/* Holds a recipe; equal recipes of set-ups with a reply are kept once. NULL if memory runs out. */
static struct armtap_recipe *hold(struct reading *reading, const struct armtap_recipe *recipe)
{
    if (armtap_protocol_has(armtap_recipe_protocol(recipe), ARMTAP_TRAIT_ANSWERED))
        return armtap_recipe_store_hold(&reading->recipes, recipe);
    reading->others += armtap_recipe_memory(recipe);
    return armtap_recipe_hold(recipe);
}

/* A new set-up; NULL if memory runs out. */
static struct setup *add_setup(struct reading *reading, const struct armtap_stream *stream,
                               const struct armtap_where *where, enum armtap_direction direction,
                               const struct armtap_recipe *recipe)
{
    if (!MAKE_ROOM(reading->setup, reading->count))
        return NULL;
    struct setup *setup = &reading->setup[reading->count];
    *setup = (struct setup){.connection = stream->connection,
                            .direction = direction,
                            .order = reading->count,
                            .where = *where,
                            .recipe = hold(reading, recipe)};
    reading->count += setup->recipe != NULL;
    return setup->recipe ? setup : NULL;
}

/* Whether a set-up is wanted and there is room for it. */
static bool is_wanted(struct reading *reading, const struct armtap_where *where, enum armtap_direction direction)
{
    const struct capture_recipe_wish *wish = reading->wish;
    uint64_t file = wish->file == 0 ? 0 : wish->file - 1;
    if (wish->packet > 0 ? where->packet != wish->packet || where->file != file
                         : (direction == ARMTAP_TO_ROBOT) != wish->to_robot)
        return false;
    size_t bytes = reading->count * sizeof(struct setup) + reading->recipes.bytes + reading->others;
    if (reading->count < SETUPS_MAX && bytes < BYTES_MAX)
        return true;
    reading->left_out++;
    return false;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct reading *reading = user;
    if (is_wanted(reading, &event->where, event->direction)) {
        struct setup *setup = add_setup(reading, event->stream, &event->where, event->direction, event->recipe);
        if (!setup)
            return REPLAY_NO_MEMORY;
        setup->guessed = (event->flags & ARMTAP_GUESSED) != 0;
    }
    return armtap_streams_recipe(reading->streams, event) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static int on_refused(void *user, const struct armtap_refused_setup *refused)
{
    struct reading *reading = user;
    if (!is_wanted(reading, &refused->where, refused->direction))
        return 0;
    struct setup *setup = add_setup(reading, refused->stream, &refused->where, refused->direction, refused->accepted);
    if (!setup)
        return REPLAY_NO_MEMORY;
    setup->is_refused = true;
    setup->version = refused->version;
    setup->refused = calloc(refused->refused_count + 1, sizeof *setup->refused);
    for (size_t i = 0; i < refused->refused_count && setup->refused; i++) {
        const struct armtap_refused *name = &refused->refused[i];
        setup->refused[i] = (struct capture_recipe_refusal){strndup(name->name, name->length), name->why};
        setup->refused_count = i + 1;
        reading->others += sizeof *setup->refused + name->length + 32;
        if (!setup->refused[i].name)
            return REPLAY_NO_MEMORY;
    }
    return setup->refused ? 0 : REPLAY_NO_MEMORY;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct reading *reading = user;
    return armtap_streams_event(reading->streams, event) == 0 ? 0 : REPLAY_NO_MEMORY;
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

/* If some set-ups of the wanted stream (or of all) were partly refused, keeps only those. */
static void keep_refused(struct reading *reading)
{
    const struct capture_recipe_wish *wish = reading->wish;
    const struct armtap_stream_summary *only =
        wish->one_stream ? armtap_streams_at(reading->streams, (size_t)wish->stream) : NULL;
    size_t kept = 0;
    bool any = false;
    for (size_t i = 0; i < reading->count; i++)
        any |= reading->setup[i].is_refused && (!only || only->stream->connection == reading->setup[i].connection);
    for (size_t i = 0; i < reading->count; i++)
        if (any && !reading->setup[i].is_refused)
            forget_setup(&reading->setup[i]);
        else
            reading->setup[kept++] = reading->setup[i];
    reading->count = kept;
}

/* Sorts the set-ups; of those that a client repeated at once, keeps the last. */
static void sort_setups(struct reading *reading)
{
    size_t kept = 0;
    if (reading->wish->accepted)
        keep_refused(reading);
    if (reading->count > 1)
        qsort(reading->setup, reading->count, sizeof *reading->setup, by_connection);
    for (size_t i = 0; i < reading->count; i++) {
        struct setup *last = kept == 0 ? NULL : &reading->setup[kept - 1], *setup = &reading->setup[i];
        if (last && last->connection == setup->connection && last->direction == setup->direction &&
            same_fields(last->recipe, setup->recipe))
            forget_setup(last);
        else
            kept++;
        reading->setup[kept - 1] = *setup;
    }
    reading->count = kept;
}

static int compare_connection(const void *key, const void *item)
{
    uint64_t connection = *(const uint64_t *)key, other = ((const struct setup *)item)->connection;
    return connection < other ? -1 : connection > other;
}

/* The set-ups of a connection, in order; returns how many. */
static size_t setups_of(const struct reading *reading, uint64_t connection, struct setup **first)
{
    struct setup *any = reading->count == 0 ? NULL
                                            : bsearch(&connection, reading->setup, reading->count,
                                                      sizeof *reading->setup, compare_connection);
    size_t count = 0;
    while (any && any > reading->setup && any[-1].connection == connection)
        any--;
    *first = any;
    while (any && any + count < reading->setup + reading->count && any[count].connection == connection)
        count++;
    return count;
}

static enum exit_status read_all(struct reading *reading)
{
    const struct capture_recipe_wish *wish = reading->wish;
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_recipe = on_recipe,
                                     .on_event = on_event,
                                     .on_refused = wish->accepted ? on_refused : NULL};
    struct replay_source source = {.names = wish->names,
                                   .count = wish->count,
                                   .ports = wish->how->ports,
                                   .port_count = wish->how->port_count,
                                   .raw = wish->how->raw,
                                   .no_guess = wish->how->no_guess,
                                   .progress = true};
    struct replay_totals totals = {.broken_off = true};
    enum exit_status status = EXIT_FAILED;
    source.inputs = inputs_open(source.names, source.count, NULL);
    if (!source.inputs || armtap_knowledge_new(&source.knowledge) != ARMTAP_OK ||
        !(reading->streams = armtap_streams_new()))
        message_no_memory();
    else
        status = replay_learning(&source, &sink, reading, forget_setups, &totals);
    inputs_free(source.inputs);
    armtap_knowledge_free(source.knowledge);
    reading->broken_off = totals.broken_off;
    if (totals.broken_off)
        return EXIT_FAILED;
    armtap_streams_number(reading->streams);
    sort_setups(reading);
    if (armtap_streams_count(reading->streams) == 0 && status == EXIT_DONE) {
        no_telemetry_report(reading->streams, &totals);
        status = EXIT_FAILED;
    }
    return status;
}

/* ---- choosing a set-up ----------------------------------------------------------------------------------------- */

static const char *kind(const struct capture_recipe_wish *wish)
{
    return wish->to_robot ? "input" : "output";
}

static void refuse_stream(const struct reading *reading, size_t with, const char *numbers)
{
    const struct capture_recipe_wish *wish = reading->wish;
    size_t count = armtap_streams_count(reading->streams);
    if (wish->one_stream && wish->stream >= count)
        message_error("recipe: there is no stream %" PRIu64 ": they are numbered from 0 to %zu; armtap info lists them",
                      wish->stream, count - 1);
    else if (wish->packet > 0)
        message_error("recipe: no setup was answered in packet %" PRIu64 "%s; armtap diagnose shows the packets",
                      wish->packet, wish->accepted ? "" : " and fully accepted");
    else if (wish->one_stream)
        message_error("recipe: the robot accepted no %s recipe of stream %" PRIu64, kind(wish), wish->stream);
    else if (with == 0)
        message_error("recipe: no stream has an %s recipe; armtap info lists the streams", kind(wish));
    else
        message_error("recipe: streams %s have recipes; choose one with --stream N (armtap info lists them)", numbers);
}

/* The rank of the stream that is meant if none is chosen. */
static unsigned first_rank(const struct reading *reading)
{
    unsigned first = STREAM_RANK_LAST;
    struct setup *setup;
    for (size_t i = 0; i < armtap_streams_count(reading->streams); i++) {
        const struct armtap_stream *stream = armtap_streams_at(reading->streams, i)->stream;
        if (setups_of(reading, stream->connection, &setup) == 0)
            continue;
        unsigned rank = stream_rank(stream->protocol, setup->direction);
        first = rank < first ? rank : first;
    }
    return first;
}

/* The requested stream, or the only one with a recipe. NULL after a message. */
static const struct armtap_stream_summary *choose_stream(const struct reading *reading)
{
    const struct capture_recipe_wish *wish = reading->wish;
    const struct armtap_stream_summary *chosen = NULL;
    struct setup *first;
    char numbers[200] = "";
    size_t length = 0, with = 0, count = armtap_streams_count(reading->streams);
    unsigned rank = wish->one_stream || wish->packet > 0 ? STREAM_RANK_LAST : first_rank(reading);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(reading->streams, i);
        if ((wish->one_stream && i != wish->stream) || setups_of(reading, summary->stream->connection, &first) == 0 ||
            stream_rank(summary->stream->protocol, first->direction) > rank)
            continue;
        chosen = summary;
        if (++with <= LISTED_MAX)
            length += (size_t)snprintf(numbers + length, sizeof numbers - length, "%s%zu", with == 1 ? "" : ", ", i);
        else if (with == LISTED_MAX + 1)
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
        if (i == LISTED_MAX) {
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
static struct setup *choose_setup(const struct reading *reading, const struct armtap_stream_summary *summary)
{
    const struct capture_recipe_wish *wish = reading->wish;
    struct setup *first;
    size_t count = setups_of(reading, summary->stream->connection, &first);
    bool takes_last = !wish->to_robot || wish->accepted || wish->packet > 0;
    if (wish->setup > count || (wish->setup == 0 && !takes_last && count > 1)) {
        message_error("recipe: stream %u set up %zu %s recipe%s; %s", summary->number, count, kind(wish),
                      count == 1 ? "" : "s", wish->setup > 0 ? "--setup accepts one of these:" : "choose one:");
        list_setups(first, count);
        return NULL;
    }
    if (wish->setup > 0)
        return &first[wish->setup - 1];
    if (count > 1 && first[count - 1].is_refused)
        message_warning("stream %u had %zu partly refused setups; this is the last, --setup 1 is the first",
                        summary->number, count);
    else if (count > 1 && !first[count - 1].guessed)
        message_warning("stream %u had %zu recipes, one after another; this is the last, --setup 1 is the first",
                        summary->number, count);
    return &first[count - 1];
}

/* Checks that the controller accepted a field. */
static bool has_fields(const struct setup *setup)
{
    if (armtap_recipe_count(setup->recipe) > 0)
        return true;
    message_error("recipe: the controller refused all names of the setup answered in packet %" PRIu64 " (%zu); "
                  "armtap diagnose shows why",
                  setup->where.packet, setup->refused_count);
    return false;
}

/* Checks that the request was captured. */
static bool has_names(const struct setup *setup)
{
    size_t count = armtap_recipe_count(setup->recipe);
    if (invented_names(setup->recipe) < count)
        return true;
    message_error("recipe: for the setup answered in packet %" PRIu64
                  " only the types of %zu field%s were captured, not the "
                  "request with the names; capture the client's packets, too",
                  setup->where.packet, count, count == 1 ? "" : "s");
    return false;
}

static void take_recipe(struct reading *reading, struct capture_recipe *captured)
{
    const struct armtap_stream_summary *summary = choose_stream(reading);
    struct setup *setup = summary ? choose_setup(reading, summary) : NULL;
    if (!setup || !has_fields(setup) || !has_names(setup))
        return;
    if (setup->guessed)
        message_warning("the handshake of stream %u was not captured: its recipe was guessed", summary->number);
    if (reading->left_out > 0)
        message_warning("%zu more recipes were set up in this capture; armtap ignored them", reading->left_out);
    captured->recipe = armtap_recipe_hold(setup->recipe);
    captured->direction = setup->direction;
    captured->version = setup->version;
    captured->refused = setup->refused;
    captured->refused_count = setup->refused_count;
    setup->refused = NULL;
    setup->refused_count = 0;
    captured->protocol = summary->stream->protocol;
    captured->generation = summary->stream->generation;
}

enum exit_status capture_recipe_read(const struct capture_recipe_wish *wish, struct capture_recipe *captured)
{
    struct reading reading = {.wish = wish};
    *captured = (struct capture_recipe){.recipe = NULL};
    enum exit_status status = read_all(&reading);
    if (!reading.broken_off && armtap_streams_count(reading.streams) > 0)
        take_recipe(&reading, captured);
    forget_setups(&reading);
    free(reading.setup);
    armtap_streams_free(reading.streams);
    return captured->recipe ? status : EXIT_FAILED;
}

void capture_recipe_free(struct capture_recipe *captured)
{
    armtap_recipe_release(captured->recipe);
    refusals_free(captured->refused, captured->refused_count);
    *captured = (struct capture_recipe){.recipe = NULL};
}
