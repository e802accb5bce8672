#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "layouts.h"

/* A recipe that rows may follow now. */
struct alive {
    int id;
    struct armtap_recipe *recipe; /* held */
    struct table_layout *layout;  /* in the open table, NULL: not looked for yet */
};

/* One direction of a stream. */
struct side {
    struct alive *alive; /* in order of set-up */
    size_t alive_count;
    size_t latest;      /* which of them the last row followed */
    struct table *open; /* NULL: the next row begins a table */
    size_t next_part;
    struct table **parts;
    size_t part_count;
};

struct track {
    uint64_t connection;
    unsigned number;
    struct side side[2];
    uint64_t counted; /* rows of a joined table */
};

struct tables {
    bool joined;
    struct track **tracks; /* sorted by connection */
    size_t track_count;
    size_t track_room;
    struct track *latest;
    struct table **tables;
    size_t table_count;
    size_t table_room;
    bool rewound;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Room for one element more in an array of `count`; NULL without memory, the array is untouched then. */
static void *grown(void *array, size_t count, size_t *room, size_t element)
{
    if (count < *room)
        return array;
    size_t wanted = *room == 0 ? 8 : 2 * *room;
    if (wanted > SIZE_MAX / element)
        return NULL;
    void *larger = realloc(array, wanted * element);
    if (larger != NULL)
        *room = wanted;
    return larger;
}

struct tables *tables_new(bool joined)
{
    struct tables *tables = calloc(1, sizeof *tables);
    if (tables != NULL)
        tables->joined = joined;
    return tables;
}

static void table_free(struct table *table)
{
    for (size_t i = 0; i < table->layout_count; i++) {
        armtap_recipe_release(table->layouts[i]->recipe);
        free(table->layouts[i]->entry_of);
        free(table->layouts[i]->leaves);
        free(table->layouts[i]);
    }
    for (size_t i = 0; i < table->own_name_count; i++)
        free(table->own_names[i]);
    free(table->own_names);
    free(table->layouts);
    free(table->columns);
    free(table);
}

static void side_forget(struct side *side)
{
    for (size_t i = 0; i < side->alive_count; i++)
        armtap_recipe_release(side->alive[i].recipe);
    free(side->alive);
    *side = (struct side){.parts = side->parts, .part_count = side->part_count};
}

void tables_free(struct tables *tables)
{
    if (tables == NULL)
        return;
    for (size_t i = 0; i < tables->track_count; i++) {
        for (unsigned d = 0; d < 2; d++) {
            side_forget(&tables->tracks[i]->side[d]);
            free(tables->tracks[i]->side[d].parts);
        }
        free(tables->tracks[i]);
    }
    for (size_t i = 0; i < tables->table_count; i++)
        table_free(tables->tables[i]);
    free(tables->tracks);
    free(tables->tables);
    free(tables);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* Where the connection is in the sorted array, or belongs. */
static size_t track_place(const struct tables *tables, uint64_t connection)
{
    size_t low = 0;
    size_t high = tables->track_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tables->tracks[middle]->connection < connection)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct track *track_find(const struct tables *tables, uint64_t connection)
{
    size_t place = track_place(tables, connection);
    if (place < tables->track_count && tables->tracks[place]->connection == connection)
        return tables->tracks[place];
    return NULL;
}

static struct track *track_of(struct tables *tables, uint64_t connection)
{
    if (tables->latest != NULL && tables->latest->connection == connection)
        return tables->latest;
    struct track *track = track_find(tables, connection);
    if (track == NULL) {
        struct track **tracks = grown(tables->tracks, tables->track_count, &tables->track_room, sizeof(struct track *));
        if (tracks == NULL)
            return NULL;
        tables->tracks = tracks;
        track = calloc(1, sizeof *track);
        if (track == NULL)
            return NULL;
        track->connection = connection;
        track->number = (unsigned)tables->track_count;
        size_t place = track_place(tables, connection);
        memmove(tracks + place + 1, tracks + place, (tables->track_count - place) * sizeof *tracks);
        tracks[place] = track;
        tables->track_count++;
    }
    tables->latest = track;
    return track;
}

enum tables_outcome tables_stream(struct tables *tables, const struct armtap_stream *stream)
{
    return track_of(tables, stream->connection) == NULL ? TABLES_NO_MEMORY : TABLES_OK;
}

unsigned tables_stream_number(const struct tables *tables, uint64_t connection)
{
    if (tables->latest != NULL && tables->latest->connection == connection)
        return tables->latest->number;
    const struct track *track = track_find(tables, connection);
    return track == NULL ? 0 : track->number;
}

uint64_t tables_count_row(struct tables *tables, const struct armtap_stream *stream)
{
    struct track *track = track_find(tables, stream->connection);
    return track == NULL ? 0 : track->counted++;
}

size_t tables_stream_count(const struct tables *tables)
{
    return tables->track_count;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* The table's layout of that recipe, made if need be. */
static enum tables_outcome table_layout_of(struct table *table, const struct armtap_recipe *recipe,
                                           struct table_layout **found)
{
    size_t entries = armtap_recipe_count(recipe);
    for (size_t i = 0; i < table->layout_count; i++) {
        if (layouts_recipe_same(table->layouts[i]->recipe, recipe)) {
            *found = table->layouts[i];
            return TABLES_OK;
        }
        entries +=
            armtap_recipe_protocol(recipe) == ARMTAP_REALTIME ? 0 : armtap_recipe_count(table->layouts[i]->recipe);
    }
    if (entries > TABLES_COLUMNS_MAX)
        return TABLES_MANY;
    struct table_layout **layouts = realloc(table->layouts, (table->layout_count + 1) * sizeof(struct table_layout *));
    if (layouts == NULL)
        return TABLES_NO_MEMORY;
    table->layouts = layouts;
    struct table_layout *layout = calloc(1, sizeof *layout);
    if (layout == NULL)
        return TABLES_NO_MEMORY;
    layout->recipe = armtap_recipe_hold(recipe);
    enum tables_outcome outcome = table->arranged ? layout_join(table, layout) : TABLES_OK;
    if (outcome != TABLES_OK) {
        armtap_recipe_release(layout->recipe);
        free(layout->entry_of);
        free(layout);
        return outcome;
    }
    table->layouts[table->layout_count++] = layout;
    *found = layout;
    return TABLES_OK;
}

static enum tables_outcome table_make(struct tables *tables, struct track *track, enum armtap_direction direction)
{
    struct side *side = &track->side[direction];
    if (tables->table_count >= TABLES_MAX)
        return TABLES_MANY;
    struct table **all = grown(tables->tables, tables->table_count, &tables->table_room, sizeof(struct table *));
    if (all == NULL)
        return TABLES_NO_MEMORY;
    tables->tables = all;
    struct table **parts = realloc(side->parts, (side->part_count + 1) * sizeof(struct table *));
    if (parts == NULL)
        return TABLES_NO_MEMORY;
    side->parts = parts;
    struct table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return TABLES_NO_MEMORY;
    table->index = tables->table_count;
    table->stream = track->number;
    table->part = (unsigned)side->part_count;
    table->direction = direction;
    table->is_joined = tables->joined;
    all[tables->table_count++] = table;
    parts[side->part_count++] = table;
    return TABLES_OK;
}

/* The next row's table: of a first reading a new one, of a second the one that it was then. */
static enum tables_outcome side_open(struct tables *tables, struct track *track, enum armtap_direction direction,
                                     const struct armtap_stream *stream)
{
    struct side *side = &track->side[direction];
    bool is_joined = tables->joined && tables->table_count > 0;
    if (!is_joined && side->next_part == side->part_count) {
        enum tables_outcome outcome = table_make(tables, track, direction);
        if (outcome != TABLES_OK)
            return outcome;
    }
    side->open = is_joined ? tables->tables[0] : side->parts[side->next_part++];
    if (!tables->rewound)
        side->open->summary = *stream;
    for (size_t i = 0; i < side->alive_count; i++) {
        enum tables_outcome outcome = table_layout_of(side->open, side->alive[i].recipe, &side->alive[i].layout);
        if (outcome != TABLES_OK)
            return outcome;
    }
    return TABLES_OK;
}

static void side_close(struct side *side)
{
    side->open = NULL;
    for (size_t i = 0; i < side->alive_count; i++)
        side->alive[i].layout = NULL;
}

/* The recipe takes the place of an earlier one under its id; it is the last set up then. */
static void side_replace(struct side *side, size_t at, const struct armtap_recipe *recipe)
{
    struct alive alive = side->alive[at];
    bool same = layouts_recipe_same(alive.recipe, recipe);
    struct armtap_recipe *earlier = alive.recipe;
    alive.recipe = armtap_recipe_hold(recipe);
    armtap_recipe_release(earlier);
    if (same) {
        side->alive[at] = alive;
        return;
    }
    if (armtap_recipe_protocol(recipe) != ARMTAP_REALTIME)
        side_close(side);
    alive.layout = NULL;
    memmove(side->alive + at, side->alive + at + 1, (side->alive_count - at - 1) * sizeof alive);
    side->alive[side->alive_count - 1] = alive;
}

static enum tables_outcome side_set_up(struct side *side, int id, const struct armtap_recipe *recipe)
{
    size_t at = 0;
    while (at < side->alive_count && side->alive[at].id != id)
        at++;
    if (at < side->alive_count) {
        side_replace(side, at, recipe);
    } else {
        struct alive *alive = realloc(side->alive, (side->alive_count + 1) * sizeof *alive);
        if (alive == NULL)
            return TABLES_NO_MEMORY;
        side->alive = alive;
        alive[side->alive_count++] = (struct alive){.id = id, .recipe = armtap_recipe_hold(recipe)};
    }
    struct alive *latest = &side->alive[side->alive_count - 1];
    /* An arranged table cannot grow: whether it must is seen when a row comes. */
    if (side->open == NULL || side->open->arranged || latest->layout != NULL)
        return TABLES_OK;
    return table_layout_of(side->open, latest->recipe, &latest->layout);
}

/* Which recipes replace one another: those of one id; a controller has one output recipe, whatever its id. */
static int replacement_id(const struct armtap_recipe *recipe, enum armtap_direction direction, int id)
{
    enum armtap_protocol protocol = armtap_recipe_protocol(recipe);
    bool single = protocol == ARMTAP_REALTIME || (protocol == ARMTAP_RTDE && direction == ARMTAP_FROM_ROBOT);
    return single ? 0 : id;
}

enum tables_outcome tables_recipe(struct tables *tables, const struct armtap_recipe_event *event)
{
    if (event->recipe == NULL)
        return TABLES_OK;
    struct track *track = track_of(tables, event->stream->connection);
    if (track == NULL)
        return TABLES_NO_MEMORY;
    return side_set_up(&track->side[event->direction],
                       replacement_id(event->recipe, event->direction, event->recipe_id), event->recipe);
}

/* The row's recipe among those alive. A record whose recipe was not announced counts as its announcement. */
static enum tables_outcome side_follow(struct side *side, const struct armtap_record *record)
{
    if (side->latest < side->alive_count && side->alive[side->latest].recipe == record->recipe)
        return TABLES_OK;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        for (side->latest = 0; side->latest < side->alive_count; side->latest++)
            if (side->alive[side->latest].recipe == record->recipe)
                return TABLES_OK;
        enum tables_outcome outcome =
            side_set_up(side, replacement_id(record->recipe, record->direction, record->recipe_id), record->recipe);
        if (outcome != TABLES_OK)
            return outcome;
    }
    return TABLES_OK;
}

enum tables_outcome tables_record(struct tables *tables, const struct armtap_record *record, struct table **table,
                                  const struct table_layout **layout)
{
    *table = NULL;
    *layout = NULL;
    struct track *track = track_of(tables, record->stream->connection);
    if (track == NULL)
        return TABLES_NO_MEMORY;
    if (record->recipe == NULL)
        return TABLES_OPAQUE;
    struct side *side = &track->side[record->direction];
    enum tables_outcome outcome = side_follow(side, record);
    if (outcome == TABLES_OK && side->open == NULL)
        outcome = side_open(tables, track, record->direction, record->stream);
    if (outcome != TABLES_OK)
        return outcome;
    struct alive *alive = &side->alive[side->latest];
    if (alive->layout == NULL)
        outcome = table_layout_of(side->open, alive->recipe, &alive->layout);
    if (outcome == TABLES_OK && record->protocol == ARMTAP_AUBO && !side->open->arranged)
        outcome = layout_measure(alive->layout, record);
    if (outcome != TABLES_OK)
        return outcome;
    if (!tables->rewound)
        side->open->rows++;
    side->open->generations |= 1u << record->stream->generation;
    *table = side->open;
    *layout = alive->layout;
    return TABLES_OK;
}

/* ---- a second reading -------------------------------------------------------------------------------------------- */

static int table_order(const void *left, const void *right)
{
    const struct table *a = *(struct table *const *)left;
    const struct table *b = *(struct table *const *)right;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    if (a->direction != b->direction)
        return a->direction < b->direction ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

void tables_rewind(struct tables *tables, const struct streams *streams)
{
    tables->rewound = true;
    for (size_t i = 0; i < tables->track_count; i++) {
        struct track *track = tables->tracks[i];
        const struct stream_summary *summary = streams_of(streams, track->connection);
        if (summary != NULL)
            track->number = summary->number;
        for (unsigned d = 0; d < 2; d++) {
            side_forget(&track->side[d]);
            for (size_t k = 0; k < track->side[d].part_count; k++) {
                track->side[d].parts[k]->stream = track->number;
                if (summary != NULL)
                    track->side[d].parts[k]->summary = summary->stream;
            }
        }
    }
    if (tables->table_count > 0)
        qsort(tables->tables, tables->table_count, sizeof(struct table *), table_order);
    for (size_t i = 0; i < tables->table_count; i++)
        tables->tables[i]->index = i;
}

size_t tables_count(const struct tables *tables)
{
    return tables->table_count;
}

struct table *tables_at(const struct tables *tables, size_t index)
{
    return index < tables->table_count ? tables->tables[index] : NULL;
}
