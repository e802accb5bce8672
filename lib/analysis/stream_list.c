#include "stream_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "armtap-analysis.h"
#include "by_connection.h"
#include "speed.h"
#include "analysis/arm/kinematics.h"
#include "numbers.h"
#include "inside.h"
#include "protocol/fact.h"
#include "protocol/budget.h"

/* Ports of connections kept for the message about missing telemetry. */
#define PORTS_KEPT 12

/* Bytes of all recipes, channels and reasons of guesses that are kept; further streams have none. */
#define KEPT_MAX ((size_t)2 << 20)

#define MANY 64 /* streams that may not all be in a cache */

struct armtap_streams {
    struct armtap_recipe_store recipes; /* of the streams, and some that were replaced */
    struct armtap_recipe *given, *kept; /* the last one that came, and the same in the store; both held, or NULL */
    bool is_full;
    size_t others; /* bytes of channels and reasons of guesses */
    uint64_t recipes_left_out;
    struct by_connection all; /* struct stream_entry, or packed_stream */
    bool packs, failed;       /* failed: memory ran out while unpacking */
    bool has_like, has_ended;
    uint64_t ended;                          /* the last one that ended, which is not packed yet */
    struct armtap_stream_summary **numbered; /* has the room of `all` */
    size_t numbered_count;
    uint64_t *note_counts;
    struct armtap_streams_rest rest;
    bool removed;                                      /* the last event removed a stream */
    struct armtap_argument too_many[BUDGET_ARGUMENTS]; /* what the note says when the first one is removed */
    uint64_t most;
    struct armtap_attempts *attempts;
    uint64_t attempts_counted[ARMTAP_ATTEMPT_OUTCOMES]; /* part of note_counts */
    struct armtap_connections connections;
    char ports[PORTS_KEPT][8];
    const char *port_names[PORTS_KEPT]; /* the same */
    struct stream_entry like;           /* what packed ones are compared with, once one was packed */
};

struct armtap_streams *armtap_streams_new(void)
{
    struct armtap_streams *streams = calloc(1, sizeof *streams);
    if (!streams)
        return NULL;
    memcpy(streams->too_many, BUDGET_ARGS(armtap_budget_find("streams"))->all, sizeof streams->too_many);
    streams->note_counts = calloc(armtap_note_count() + 1, sizeof *streams->note_counts);
    streams->attempts = armtap_attempts_new();
    streams->most = armtap_budget_find("streams")->once;
    streams->connections.ports = streams->port_names;
    if (streams->note_counts && streams->attempts)
        return streams;
    armtap_streams_free(streams);
    return NULL;
}

static size_t guess_bytes(const struct armtap_stream_guess *guess)
{
    return guess ? sizeof *guess + strlen(guess->source) + strlen(guess->reasons) + 2 : 0;
}

static void forget_guess(struct armtap_streams *streams, struct armtap_stream_summary *summary)
{
    streams->others -= guess_bytes(summary->guess);
    free(summary->guess);
    summary->guess = NULL;
}

static void forget_candidates(struct armtap_stream_summary *summary)
{
    free(summary->candidates);
    summary->candidates = NULL;
    summary->candidate_count = 0;
}

static void clear_entry(struct armtap_streams *streams, struct stream_entry *entry)
{
    struct armtap_stream_summary *summary = &entry->summary;
    if (summary->recipe)
        armtap_recipe_release(summary->recipe);
    for (size_t i = 0; i < summary->channel_count; i++)
        armtap_recipe_release(summary->channels[i].recipe);
    streams->others -= summary->channel_count * sizeof *summary->channels;
    forget_guess(streams, summary);
    forget_candidates(summary);
    free(summary->channels);
    free(summary->back);
    armtap_kinematics_free(summary->kinematics);
    free(entry->notes);
}

/* The entry, or what it was before it was packed, in `room`. */
static struct stream_entry *look_at(const struct armtap_streams *streams, void *thing, struct stream_entry *room)
{
    if (!armtap_entry_is_packed(thing))
        return thing;
    armtap_entry_unpack(thing, &streams->like, room);
    return room;
}

static void free_entry(struct armtap_streams *streams, void *thing)
{
    struct stream_entry room;
    clear_entry(streams, look_at(streams, thing, &room));
    free(thing);
}

void armtap_streams_free(struct armtap_streams *streams)
{
    if (!streams)
        return;
    for (size_t i = 0; i < streams->all.count; i++)
        free_entry(streams, streams->all.slots[i].thing);
    free(streams->all.slots);
    armtap_recipe_release(streams->given);
    armtap_recipe_release(streams->kept);
    armtap_recipe_store_clear(&streams->recipes);
    free(streams->numbered);
    free(streams->note_counts);
    armtap_attempts_free(streams->attempts);
    free(streams);
}

/* ---- packing --------------------------------------------------------------------------------------------------- */

static void pack(struct armtap_streams *streams, struct by_connection_slot *slot)
{
    struct stream_entry *entry = armtap_entry_is_packed(slot->thing) ? NULL : slot->thing;
    if (!entry || entry->is_told || !entry->closed[0] || !entry->closed[1])
        return;
    if (entry->summary.kinematics)
        entry->summary.kinematics = armtap_kinematics_end(entry->summary.kinematics);
    if (!streams->has_like)
        streams->like = *entry;
    streams->has_like = true;
    struct packed_stream *packed = armtap_entry_pack(entry, &streams->like);
    if (!packed)
        return;
    slot->thing = packed;
    free(entry);
}

/* NULL if memory runs out. */
static struct stream_entry *unpack(const struct armtap_streams *streams, struct by_connection_slot *slot)
{
    struct packed_stream *packed = slot->thing;
    if (!armtap_entry_is_packed(packed))
        return slot->thing;
    struct stream_entry *entry = malloc(sizeof *entry);
    if (!entry)
        return NULL;
    armtap_entry_unpack(packed, &streams->like, entry);
    slot->thing = entry;
    free(packed);
    return entry;
}

/* More may come of a stream that has just ended: the one before it is packed. */
static void pack_before(struct armtap_streams *streams, uint64_t connection)
{
    size_t place = by_connection_place(&streams->all, streams->ended);
    if (streams->has_ended && streams->ended != connection && by_connection_is_at(&streams->all, place, streams->ended))
        pack(streams, &streams->all.slots[place]);
    streams->has_ended = true;
    streams->ended = connection;
}

void armtap_streams_pack(struct armtap_streams *streams)
{
    streams->packs = true;
}

int armtap_streams_unpack(struct armtap_streams *streams)
{
    streams->packs = false;
    for (size_t i = 0; i < streams->all.count; i++)
        if (!unpack(streams, &streams->all.slots[i]))
            return ARMTAP_ERR_MEMORY;
    return ARMTAP_OK;
}

/* ---- finding --------------------------------------------------------------------------------------------------- */

/* NULL if there is none, or if memory runs out (streams->failed). */
static struct armtap_stream_summary *find(struct armtap_streams *streams, uint64_t connection)
{
    void *thing = by_connection_find(&streams->all, connection);
    if (!thing || !armtap_entry_is_packed(thing))
        return thing;
    struct stream_entry *entry = unpack(streams, &streams->all.slots[streams->all.recent]);
    streams->failed = streams->failed || !entry;
    if (entry && streams->packs)
        pack_before(streams, connection);
    return entry ? &entry->summary : NULL;
}

/* Finds or adds the summary of a connection and updates its stream; NULL if memory runs out. `numbered` gets as much
 * room as `all`, so that numbering needs no memory. */
static struct armtap_stream_summary *find_or_add(struct armtap_streams *streams, const struct armtap_stream *stream,
                                                 const struct armtap_where *where)
{
    struct armtap_stream_summary *summary = find(streams, stream->connection);
    if (!summary) {
        bool has_room = !streams->failed && MAKE_ROOM(streams->numbered, streams->all.count);
        struct stream_entry *entry = has_room ? armtap_entry_new() : NULL;
        if (!entry || !by_connection_add(&streams->all, stream->connection, entry)) {
            free(entry);
            return NULL;
        }
        summary = &entry->summary;
        summary->begin = stream->first.packet > 0 ? stream->first : *where;
    }
    armtap_copy_in_parts(&armtap_entry_of(summary)->stream, stream, sizeof *stream);
    return summary;
}

static void forget(struct armtap_streams *streams, uint64_t connection)
{
    void *thing = by_connection_remove(&streams->all, connection);
    if (thing)
        free_entry(streams, thing);
}

/* The time since the last record if the capture's clock was set back in between: by the controller's clock, or 0 if
 * there is none. */
static int64_t hidden_step(const struct armtap_stream_summary *summary, const struct armtap_record *record)
{
    double clock = record->direction == ARMTAP_FROM_ROBOT ? record->clock - summary->last_clock : NAN;
    return clock > 0 && clock < 1e6 ? (int64_t)(clock * 1e9 + 0.5) : 0;
}

/* The capture's clock was set back before this record. False if memory runs out. */
static bool count_back(struct armtap_stream_summary *summary, const struct armtap_record *record, int64_t step)
{
    enum armtap_direction direction = record->direction;
    int64_t by = armtap_time_shift(armtap_time_between(record->where.time, summary->last[direction].time), step);
    summary->hidden[direction] = armtap_time_shift(summary->hidden[direction], by);
    if (direction != ARMTAP_FROM_ROBOT)
        return true;
    if (!summary->back && !(summary->back = calloc(1, sizeof *summary->back)))
        return false;
    summary->back->count++;
    if (by > summary->back->by) {
        summary->back->by = by;
        summary->back->where = record->where;
    }
    return true;
}

/* 0, or ERR_MEMORY. */
static int follow_time(struct armtap_stream_summary *summary, const struct armtap_record *record)
{
    int64_t *first = &summary->first_time[record->direction];
    struct armtap_where *last = &summary->last[record->direction];
    int64_t step = 0;
    if (*first == ARMTAP_NO_TIME) {
        *first = record->where.time;
    } else if (armtap_time_is_set_back(last, &record->where)) {
        step = hidden_step(summary, record);
        if (!count_back(summary, record, step))
            return ARMTAP_ERR_MEMORY;
    } else {
        step = record->where.time >= last->time ? armtap_time_between(last->time, record->where.time)
                                                : -armtap_time_between(record->where.time, last->time);
    }
    *last = record->where;
    if (record->direction != ARMTAP_FROM_ROBOT)
        return 0;
    if (summary->stream->records[ARMTAP_FROM_ROBOT] > 1 && !armtap_entry_of(summary)->is_paused) {
        summary->streaming = armtap_time_shift(summary->streaming, step);
        summary->steps++;
    }
    armtap_entry_of(summary)->is_paused = false;
    summary->last_clock = record->clock;
    return 0;
}

static void prefetch_entry(const struct stream_entry *entry)
{
    armtap_prefetch(entry, offsetof(struct stream_entry, notes));
    armtap_prefetch(&entry->stream.protocol, sizeof entry->stream - offsetof(struct armtap_stream, protocol));
}

/* Where many streams take turns none is in a cache: fetches the one after the next. */
static void prefetch_ahead(const struct armtap_streams *streams)
{
    if (streams->all.count >= MANY)
        prefetch_entry(by_connection_ahead(&streams->all, 2));
}

/* Copies all of a stream but its addresses, which stay. */
static struct armtap_stream_summary *find_for_record(struct armtap_streams *streams, const struct armtap_record *record)
{
    const size_t from = offsetof(struct armtap_stream, protocol);
    size_t before = streams->all.recent;
    struct armtap_stream_summary *summary = find(streams, record->stream->connection);
    if (!summary)
        return find_or_add(streams, record->stream, &record->where);
    if (streams->all.recent != before)
        prefetch_ahead(streams);
    armtap_copy_in_parts((char *)&armtap_entry_of(summary)->stream + from, (const char *)record->stream + from,
                         sizeof *record->stream - from);
    return summary;
}

static bool has_both(const struct armtap_record *record, enum armtap_field_id joints, enum armtap_field_id pose)
{
    return armtap_set_has(record->updated, joints) && armtap_set_has(record->updated, pose);
}

/* Comparing one takes as long as decoding several records, so fewer and fewer of a long stream are compared, and a
 * stream of a few records, which shows no motion, costs nothing. */
static bool is_pose_due(uint64_t records)
{
    const uint64_t each = records < 256 ? 1 : records < 2048 ? 16 : records < 16384 ? 128 : 1024; /* powers of two */
    return (records & (each - 1)) == 0 && records >= 32;
}

int armtap_streams_wants(void *unused, const struct armtap_stream *stream, enum armtap_direction direction)
{
    (void)unused;
    bool is_read = direction == ARMTAP_FROM_ROBOT && is_pose_due(stream->records[ARMTAP_FROM_ROBOT]) &&
                   !armtap_stream_has(stream, ARMTAP_TRAIT_OWN_NAMES);
    return is_read ? ARMTAP_WANTS_STATE : 0;
}

static inline bool reads_pose(const struct armtap_record *record)
{
    return armtap_streams_wants(NULL, record->stream, record->direction) && record->updated && record->state;
}

/* 0, or ERR_MEMORY. */
static int compare_pose(struct armtap_stream_summary *summary, const struct armtap_record *record)
{
    const struct armtap_state *state = record->state;
    bool actual = has_both(record, ARMTAP_ID_actual_q, ARMTAP_ID_actual_TCP_pose);
    if (!actual && !has_both(record, ARMTAP_ID_target_q, ARMTAP_ID_target_TCP_pose))
        return 0;
    if (!summary->kinematics && !(summary->kinematics = armtap_kinematics_new()))
        return ARMTAP_ERR_MEMORY;
    const double *q = actual ? state->actual_q : state->target_q;
    const double *pose = actual ? state->actual_TCP_pose : state->target_TCP_pose;
    if (armtap_set_has(record->updated, ARMTAP_ID_tcp_offset))
        armtap_kinematics_add_tool(summary->kinematics, q, pose, state->tcp_offset);
    else
        armtap_kinematics_add(summary->kinematics, q, pose);
    return 0;
}

int armtap_streams_record(struct armtap_streams *streams, const struct armtap_record *record)
{
    struct armtap_stream_summary *summary = find_for_record(streams, record);
    if (!summary)
        return ARMTAP_ERR_MEMORY;
    if (record->where.time != ARMTAP_NO_TIME && follow_time(summary, record) != 0)
        return ARMTAP_ERR_MEMORY;
    summary->guessed += record->direction == ARMTAP_FROM_ROBOT && (record->flags & ARMTAP_GUESSED) != 0;
    return reads_pose(record) ? compare_pose(summary, record) : 0;
}

static void forget_given(struct armtap_streams *streams)
{
    armtap_recipe_release(streams->given);
    armtap_recipe_release(streams->kept);
    streams->given = streams->kept = NULL;
}

/* Drops replaced recipes. */
static void clean_recipes(struct armtap_streams *streams)
{
    forget_given(streams);
    armtap_recipe_store_clear(&streams->recipes);
    for (size_t i = 0; i < streams->all.count; i++) {
        struct stream_entry room;
        const struct armtap_stream_summary *summary = &look_at(streams, streams->all.slots[i].thing, &room)->summary;
        if (summary->recipe)
            armtap_recipe_release(armtap_recipe_store_hold(&streams->recipes, summary->recipe));
        for (size_t k = 0; k < summary->channel_count; k++) {
            if (summary->channels[k].recipe)
                armtap_recipe_release(armtap_recipe_store_hold(&streams->recipes, summary->channels[k].recipe));
        }
    }
    streams->is_full = streams->recipes.bytes + streams->others > KEPT_MAX / 2;
}

static bool has_room(const struct armtap_streams *streams, size_t bytes)
{
    return streams->recipes.bytes + streams->others + bytes <= KEPT_MAX;
}

/* Stores the recipe, or an equal one, in an empty place if there is room. 0, or ERR_MEMORY. */
static int hold_recipe(struct armtap_streams *streams, const struct armtap_recipe *recipe, struct armtap_recipe **place)
{
    if (recipe == streams->given) {
        *place = armtap_recipe_hold(streams->kept);
        return ARMTAP_OK;
    }
    size_t bytes = armtap_recipe_memory(recipe);
    if (!has_room(streams, bytes) && !streams->is_full)
        clean_recipes(streams);
    if (!has_room(streams, bytes) && !armtap_recipe_store_has(&streams->recipes, recipe)) {
        streams->recipes_left_out++;
        return 0;
    }
    *place = armtap_recipe_store_hold(&streams->recipes, recipe);
    if (!*place)
        return ARMTAP_ERR_MEMORY;
    forget_given(streams);
    streams->given = armtap_recipe_hold(recipe);
    streams->kept = armtap_recipe_hold(*place);
    return ARMTAP_OK;
}

uint64_t armtap_streams_recipes_left_out(const struct armtap_streams *streams)
{
    return streams->recipes_left_out;
}

/* Appends a channel; NULL if there is no room (*full) or no memory. */
static struct armtap_stream_channel *add_channel(struct armtap_streams *streams, struct armtap_stream_summary *summary,
                                                 bool *full)
{
    *full = !has_room(streams, sizeof(struct armtap_stream_channel));
    if (*full)
        return NULL;
    struct armtap_stream_channel *channels =
        realloc(summary->channels, (summary->channel_count + 1) * sizeof *summary->channels);
    if (!channels)
        return NULL;
    streams->others += sizeof *channels;
    summary->channels = channels;
    return &channels[summary->channel_count++];
}

/* A channel that is set up again moves to the end. */
static int follow_channel(struct armtap_streams *streams, struct armtap_stream_summary *summary,
                          const struct armtap_recipe_event *event)
{
    size_t at = 0;
    while (at < summary->channel_count &&
           (summary->channels[at].id != event->recipe_id || summary->channels[at].direction != event->direction))
        at++;
    if (at < summary->channel_count) {
        armtap_recipe_release(summary->channels[at].recipe);
        memmove(summary->channels + at, summary->channels + at + 1,
                (--summary->channel_count - at) * sizeof *summary->channels);
        streams->others -= sizeof *summary->channels;
    }
    bool full;
    struct armtap_stream_channel *channel = add_channel(streams, summary, &full);
    summary->channels_left_out += full;
    if (!channel)
        return full ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
    *channel = (struct armtap_stream_channel){event->recipe_id, event->direction, event->frequency,
                                              armtap_recipe_count(event->recipe), NULL};
    return hold_recipe(streams, event->recipe, &channel->recipe);
}

/* 0, or ERR_MEMORY */
static int keep_guess(struct armtap_streams *streams, struct armtap_stream_summary *summary,
                      const struct armtap_guess_evidence *from)
{
    size_t source = strlen(from->source) + 1, reasons = strlen(from->reasons) + 1;
    struct armtap_stream_guess *guess = calloc(1, sizeof *guess + source + reasons);
    if (!guess)
        return ARMTAP_ERR_MEMORY;
    char *text = (char *)(guess + 1);
    memcpy(text, from->source, source);
    memcpy(text + source, from->reasons, reasons);
    guess->source = text;
    guess->reasons = text + source;
    guess->score = from->score;
    guess->needed = from->needed;
    guess->names_captured = !from->supported;
    guess->types_captured = from->types_captured;
    if (from->supported)
        guess->supported = *from->supported;
    summary->guess = guess;
    streams->others += guess_bytes(guess);
    return 0;
}

bool armtap_streams_is_by_position(const struct armtap_stream_summary *summary, const struct armtap_recipe_entry *entry)
{
    const struct armtap_stream_guess *guess = summary->guess;
    return guess && !guess->names_captured && entry->field && !armtap_set_has(&guess->supported, entry->field->id);
}

size_t armtap_streams_by_position(const struct armtap_stream_summary *summary, size_t *names)
{
    size_t count = 0;
    *names = 0;
    for (size_t i = 0; i < armtap_recipe_count(summary->recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(summary->recipe, i);
        *names += entry->field != NULL;
        count += armtap_streams_is_by_position(summary, entry);
    }
    return count;
}

static bool has_other_fields(const struct armtap_recipe *one, const struct armtap_recipe *other)
{
    size_t count = armtap_recipe_count(one);
    if (armtap_recipe_count(other) != count)
        return true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(armtap_recipe_at(one, i)->name, armtap_recipe_at(other, i)->name) != 0)
            return true;
    return false;
}

/* Whether a set-up gives data that has come other fields from now on. What was guessed may have been wrong. */
static bool is_replaced(const struct armtap_stream_summary *summary, const struct armtap_recipe_event *event)
{
    return event->stream->protocol == ARMTAP_RTDE && event->stream->records[ARMTAP_FROM_ROBOT] > 0 && summary->recipe &&
           !summary->guess && !event->guess && has_other_fields(summary->recipe, event->recipe);
}

/* Keeps a guessed recipe only together with its reasons. 0, or ERR_MEMORY. */
static int keep_recipe(struct armtap_streams *streams, struct armtap_stream_summary *summary,
                       const struct armtap_recipe_event *event)
{
    summary->replaced += is_replaced(summary, event);
    if (summary->recipe)
        armtap_recipe_release(summary->recipe);
    summary->recipe = NULL;
    forget_guess(streams, summary);
    forget_candidates(summary);
    size_t reasons =
        event->guess ? sizeof *summary->guess + strlen(event->guess->source) + strlen(event->guess->reasons) + 2 : 0;
    if (!has_room(streams, reasons)) {
        streams->recipes_left_out++;
        return 0;
    }
    if (hold_recipe(streams, event->recipe, &summary->recipe) != 0)
        return ARMTAP_ERR_MEMORY;
    return !summary->recipe || !event->guess ? 0 : keep_guess(streams, summary, event->guess);
}

int armtap_streams_recipe(struct armtap_streams *streams, const struct armtap_recipe_event *event)
{
    struct armtap_stream_summary *summary = find_or_add(streams, event->stream, &event->where);
    if (!summary ||
        (armtap_stream_has(event->stream, ARMTAP_TRAIT_CHANNELS) && follow_channel(streams, summary, event) != 0))
        return ARMTAP_ERR_MEMORY;
    if (event->direction != ARMTAP_FROM_ROBOT)
        return 0;
    return keep_recipe(streams, summary, event);
}

int armtap_streams_candidates(struct armtap_streams *streams, const struct armtap_candidates *candidates)
{
    struct armtap_stream_summary *summary = find_or_add(streams, candidates->stream, &candidates->where);
    if (!summary)
        return ARMTAP_ERR_MEMORY;
    forget_candidates(summary);
    if (candidates->count == 0)
        return 0;
    summary->candidates = calloc(candidates->count, sizeof *summary->candidates);
    if (!summary->candidates)
        return ARMTAP_ERR_MEMORY;
    memcpy(summary->candidates, candidates->recipes, candidates->count * sizeof *summary->candidates);
    summary->candidate_count = candidates->count;
    return 0;
}

/* Counts a note of a stream. 0, or ERR_MEMORY. */
static int count_note(struct stream_entry *entry, size_t kind)
{
    size_t at = 0;
    while (at < entry->note_kinds && entry->notes[at].kind != kind)
        at++;
    if (at == entry->note_kinds) {
        if (!MAKE_ROOM(entry->notes, at))
            return ARMTAP_ERR_MEMORY;
        entry->notes[entry->note_kinds++] = (struct stream_notes){(uint32_t)kind, 0};
    }
    entry->notes[at].count += entry->notes[at].count < UINT32_MAX;
    return 0;
}

uint64_t armtap_streams_notes_of(const struct armtap_stream_summary *summary, size_t kind)
{
    const struct stream_entry *entry = summary ? armtap_entry_of(summary) : NULL;
    for (size_t i = 0; entry && i < entry->note_kinds; i++)
        if (entry->notes[i].kind == kind)
            return entry->notes[i].count;
    return 0;
}

int armtap_streams_note(struct armtap_streams *streams, const struct armtap_note *note)
{
    struct armtap_stream_summary *summary = note->stream ? find_or_add(streams, note->stream, &note->where) : NULL;
    if (note->stream && !summary)
        return ARMTAP_ERR_MEMORY;
    size_t kind = (size_t)(note->kind - armtap_note_at(0));
    if (kind >= armtap_note_count())
        return ARMTAP_ERR_ARGUMENT;
    streams->note_counts[kind]++;
    return summary && count_note(armtap_entry_of(summary), kind) != 0 ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
}

static bool is_telemetry_port(const char *port)
{
    struct armtap_port known = {.size = sizeof known};
    unsigned long number = strtoul(port, NULL, 10);
    for (size_t i = 0; armtap_port_at(i, &known); i++)
        if (known.port == number)
            return true;
    return false;
}

/* Keeps a port that may carry telemetry with --port; telemetry's own ports are known. */
static void keep_port(struct armtap_streams *streams, const struct armtap_stream *stream)
{
    const char *colon = strrchr(stream->robot, ':');
    if (!colon || strlen(colon + 1) >= sizeof streams->ports[0] || is_telemetry_port(colon + 1))
        return;
    for (size_t i = 0; i < streams->connections.port_count; i++)
        if (strcmp(streams->ports[i], colon + 1) == 0)
            return;
    if (streams->connections.port_count == PORTS_KEPT) {
        streams->connections.more_ports = true;
        return;
    }
    strcpy(streams->ports[streams->connections.port_count], colon + 1);
    streams->port_names[streams->connections.port_count] = streams->ports[streams->connections.port_count];
    streams->connections.port_count++;
}

static void add_up(struct armtap_streams_rest *rest, const struct armtap_stream *stream,
                   const struct armtap_where *where)
{
    if (rest->count++ == 0)
        rest->first = *where;
    rest->gaps += stream->gaps;
    for (int direction = 0; direction < 2; direction++) {
        rest->records[direction] += stream->records[direction];
        rest->bytes_decoded += stream->bytes_decoded[direction];
        rest->bytes_lost += stream->bytes_lost[direction];
        rest->bytes_skipped += stream->bytes_skipped[direction];
    }
}

/* Keeps an ended stream if it is among the first, which get the lowest numbers. */
static void take_close(struct armtap_streams *streams, struct armtap_stream_summary *summary,
                       const struct armtap_event *event)
{
    bool *closed = armtap_entry_of(summary)->closed;
    closed[event->direction] = true;
    if (event->a != ARMTAP_CLOSE_FIN)
        closed[!event->direction] = true;
    if (!closed[0] || !closed[1])
        return;
    if (by_connection_place(&streams->all, event->stream->connection) < streams->most) {
        if (streams->packs && event->a != ARMTAP_CLOSE_END_OF_CAPTURE)
            pack_before(streams, event->stream->connection);
        return;
    }
    add_up(&streams->rest, event->stream, &event->where);
    streams->removed = true;
    forget(streams, event->stream->connection);
}

bool armtap_streams_let_go(const struct armtap_streams *streams)
{
    return streams->removed;
}

const struct armtap_connections *armtap_streams_connections(const struct armtap_streams *streams)
{
    return &streams->connections;
}

const struct armtap_streams_rest *armtap_streams_rest(const struct armtap_streams *streams)
{
    return &streams->rest;
}

bool armtap_streams_due_note(const struct armtap_streams *streams, const struct armtap_event *event,
                             struct armtap_note *note)
{
    if (!streams->removed || streams->rest.count > 1)
        return false;
    *note = (struct armtap_note){.kind = armtap_note_find("input.hostile"),
                                 .where = event->where,
                                 .text = armtap_budget_find("streams")->text,
                                 .arguments = {streams->too_many, BUDGET_ARGUMENTS}};
    return true;
}

int armtap_streams_event(struct armtap_streams *streams, const struct armtap_event *event)
{
    const struct armtap_stream *stream = event->stream;
    streams->removed = false;
    if (event->type == ARMTAP_EVENT_OPEN) {
        streams->connections.count++;
        keep_port(streams, stream);
    }
    if (armtap_attempts_event(streams->attempts, event) != 0)
        return ARMTAP_ERR_MEMORY;
    struct armtap_stream_summary *summary = find(streams, stream->connection);
    if (stream->protocol != ARMTAP_PROTOCOL_NONE || summary)
        summary = find_or_add(streams, stream, &event->where);
    if (streams->failed || (stream->protocol != ARMTAP_PROTOCOL_NONE && !summary))
        return ARMTAP_ERR_MEMORY;
    bool is_new_stretch = event->type == ARMTAP_EVENT_START || event->type == ARMTAP_EVENT_PAUSE;
    bool is_close = event->type == ARMTAP_EVENT_CLOSE; /* by one side: the other may send on, but nothing is due */
    if (summary && (is_close || (is_new_stretch && armtap_stream_has(stream, ARMTAP_TRAIT_ANSWERED))))
        armtap_entry_of(summary)->is_paused = true;
    if (event->type == ARMTAP_EVENT_CLOSE && stream->protocol == ARMTAP_PROTOCOL_NONE)
        forget(streams, stream->connection);
    else if (event->type == ARMTAP_EVENT_CLOSE && summary)
        take_close(streams, summary, event);
    return 0;
}

/* In the order of their first packets, as they were read: of files side by side by time; a raw dump has no packets and
 * is placed by its file. */
static int compare(const void *a, const void *b)
{
    const struct armtap_stream_summary *one = *(const struct armtap_stream_summary *const *)a;
    const struct armtap_stream_summary *other = *(const struct armtap_stream_summary *const *)b;
    bool have_packets = one->begin.packet > 0 && other->begin.packet > 0;
    if (one->begin.file != other->begin.file && !have_packets)
        return one->begin.file < other->begin.file ? -1 : 1;
    if (one->begin.file == other->begin.file && one->begin.packet != other->begin.packet)
        return one->begin.packet < other->begin.packet ? -1 : 1;
    return one->stream->connection < other->stream->connection ? -1
                                                               : one->stream->connection > other->stream->connection;
}

/* Counts attempts as notes. */
static void count_attempts(struct armtap_streams *streams)
{
    for (int outcome = 0; outcome < ARMTAP_ATTEMPT_OUTCOMES; outcome++) {
        uint64_t total = armtap_attempts_total(streams->attempts, (enum armtap_attempt_outcome)outcome);
        for (size_t i = 0; i < armtap_note_count(); i++)
            if (strcmp(armtap_note_at(i)->id, armtap_attempt_id((enum armtap_attempt_outcome)outcome)) == 0)
                streams->note_counts[i] += total - streams->attempts_counted[outcome];
        streams->attempts_counted[outcome] = total;
    }
}

void armtap_streams_number(struct armtap_streams *streams)
{
    count_attempts(streams);
    streams->numbered_count = 0;
    for (size_t i = 0; i < streams->all.count; i++) {
        struct stream_entry *entry = unpack(streams, &streams->all.slots[i]);
        if (!entry || entry->stream.protocol == ARMTAP_PROTOCOL_NONE)
            continue;
        entry->is_told = true;
        streams->numbered[streams->numbered_count++] = &entry->summary;
    }
    if (streams->numbered_count > 0)
        qsort(streams->numbered, streams->numbered_count, sizeof *streams->numbered, compare);
    for (size_t i = 0; i < streams->numbered_count; i++)
        streams->numbered[i]->number = (unsigned)i;
}

size_t armtap_streams_count(const struct armtap_streams *streams)
{
    return streams->numbered_count;
}

const struct armtap_stream_summary *armtap_streams_at(const struct armtap_streams *streams, size_t number)
{
    return number < streams->numbered_count ? streams->numbered[number] : NULL;
}

const struct armtap_stream_summary *armtap_streams_of(const struct armtap_streams *streams, uint64_t connection)
{
    const struct by_connection *all = &streams->all;
    size_t place = all->recent;
    if (!by_connection_is_at(all, place, connection))
        place = by_connection_place(all, connection);
    struct stream_entry *entry =
        by_connection_is_at(all, place, connection) ? unpack(streams, &all->slots[place]) : NULL;
    if (!entry || entry->stream.protocol == ARMTAP_PROTOCOL_NONE)
        return NULL;
    entry->is_told = true;
    return &entry->summary;
}

const uint64_t *armtap_streams_note_counts(const struct armtap_streams *streams)
{
    return streams->note_counts;
}

const struct armtap_attempts *armtap_streams_attempts(const struct armtap_streams *streams)
{
    return streams->attempts;
}

bool armtap_streams_data_have_warning(const struct armtap_streams *streams)
{
    uint64_t attempts = 0, notes = 0;
    for (int i = 0; i < ARMTAP_ATTEMPT_OUTCOMES; i++)
        if (i != ARMTAP_ATTEMPT_LEFT)
            attempts += streams->attempts_counted[i];
    for (size_t i = 0; i < armtap_note_count(); i++)
        if (armtap_note_at(i)->severity >= ARMTAP_WARNING)
            notes += streams->note_counts[i];
    return notes > attempts;
}

bool armtap_streams_have_warning(const struct armtap_streams *streams)
{
    for (size_t i = 0; i < armtap_note_count(); i++)
        if (streams->note_counts[i] > 0 && armtap_note_at(i)->severity >= ARMTAP_WARNING)
            return true;
    return false;
}
