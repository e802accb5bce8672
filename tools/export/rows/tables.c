#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "input/stream_rank.h"
#include "analysis/armtap-analysis.h"
#include "by_connection.h"
#include "analysis/inside.h"

/* A recipe in use. */
struct active {
    int id;
    enum tables_outcome refused;  /* outcome of the open table refusing it; OK: not refused */
    struct armtap_recipe *recipe; /* held */
    struct table_layout *layout;  /* in the open table; NULL: not looked up yet */
    struct table *table;          /* by recipe: its table, valid in that epoch */
    unsigned epoch;
    unsigned part; /* by robot: 1 more than its part; 0: it has none yet */
};

/* One direction of a stream. */
struct side {
    struct active *active; /* in order of set-up */
    size_t active_count;
    size_t latest;      /* the one of the last row */
    struct table *open; /* NULL: the next row begins a table */
    size_t next_part;
    struct table **parts;
    size_t part_count;
    bool is_open;     /* the next row continues a table */
    uint64_t counted; /* rows of the open table */
    int64_t interval; /* of the last one, in units of --every */
    /* Once a row came: in which input, in which table, and how many tables before it there. */
    bool is_numbered;
    uint32_t file;
    uint64_t file_table;
    unsigned file_part;
};

struct track {
    unsigned number;
    struct side side[2];
    struct allowance_account account;
    struct tables_left_out left_out;
};

struct tables {
    struct tables_options options;
    struct by_connection tracks; /* struct track */
    unsigned streams;            /* next stream number */
    uint64_t tables_max;
    struct table **tables;
    size_t table_count;
    struct table_part *parts;
    size_t part_count;

    size_t made;                        /* number of parts so far */
    uint64_t next_number;               /* for the next table */
    struct armtap_recipe_map layouts;   /* joined: the layouts of the table; by recipe: the tables */
    unsigned epoch;                     /* counts how often all tables were freed */
    struct armtap_recipe_store recipes; /* that tables hold */
    struct allowance allowance;
    uint64_t rest_left_out; /* rows of streams that were let go */
    struct table *built;
    size_t built_columns;
    bool rewound;
};

/* Entries of all recipes that tables hold. */
#define ENTRIES_MAX 100000
/* Columns times recipes of a joined table. */
#define CELLS_MAX (1U << 20)
#define PARTS_MAX 4000
/* Columns of all tables that are built at a time; fewer by recipe, because each column also has a key. */
#define BUILT_MAX 50000
#define BUILT_BY_RECIPE_MAX 20000
/* The cost of an entry of a recipe in a table, and of the table itself. */
#define COST_ENTRY 64
#define COST_TABLE 256

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct tables *tables_new(const struct tables_options *options)
{
    struct tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return NULL;
    tables->options = *options;
    tables->epoch = 1;
    tables->allowance = allowance_begin();
    tables->tables_max = armtap_budget_find("tables")->once;
    return tables;
}

static void layout_free(struct table_layout *layout)
{
    armtap_recipe_release(layout->recipe);
    free(layout->entry_of);
    free(layout->longest);
    free(layout);
}

static void table_free(struct table *table)
{
    layouts_take_down(table);
    for (size_t i = 0; i < table->layout_count; i++)
        layout_free(table->layouts[i]);
    free(table->layouts);
    free(table);
}

static void side_forget(struct tables *tables, struct side *side)
{
    for (size_t i = 0; i < side->active_count; i++) {
        armtap_recipe_release(side->active[i].recipe);
        if (side->active[i].part > 0)
            tables->parts[side->active[i].part - 1].users--;
    }
    free(side->active);
    side->active = NULL;
    side->active_count = side->latest = 0;
}

/* Frees all tables, and what refers to them. */
static void free_tables(struct tables *tables)
{
    for (size_t i = 0; i < tables->table_count; i++)
        table_free(tables->tables[i]);
    free(tables->tables);
    armtap_recipe_map_clear(&tables->layouts);
    tables->tables = NULL;
    tables->table_count = 0;
    tables->built = NULL;
    tables->built_columns = 0;
    armtap_recipe_store_clear(&tables->recipes);
    tables->epoch++;
}

void tables_free(struct tables *tables)
{
    if (!tables)
        return;
    for (size_t i = 0; i < tables->tracks.count; i++) {
        struct track *track = tables->tracks.slots[i].thing;
        for (unsigned d = 0; d < 2; d++) {
            side_forget(tables, &track->side[d]);
            free(track->side[d].parts);
        }
        free(track);
    }
    free_tables(tables);
    free(tables->parts);
    free(tables->tracks.slots);
    free(tables);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static struct track *track_find(const struct tables *tables, uint64_t connection)
{
    return by_connection_look_up(&tables->tracks, connection);
}

static struct track *track_add(struct tables *tables, uint64_t connection)
{
    struct track *track = by_connection_new(&tables->tracks, connection, sizeof *track);
    if (track)
        track->number = tables->streams++;
    return track;
}

/* Added if necessary; NULL without memory. */
static inline struct track *track_of(struct tables *tables, uint64_t connection)
{
    struct track *track = by_connection_find(&tables->tracks, connection);
    return track ? track : track_add(tables, connection);
}

enum tables_outcome tables_stream(struct tables *tables, const struct armtap_stream *stream)
{
    return track_of(tables, stream->connection) ? TABLES_OK : TABLES_NO_MEMORY;
}

unsigned tables_stream_number(const struct tables *tables, uint64_t connection)
{
    const struct track *track = track_find(tables, connection);
    return track ? track->number : 0;
}

bool tables_wants_row(struct tables *tables, const struct armtap_record *record, const struct row_interval *every)
{
    struct track *track = track_find(tables, record->stream->connection);
    if (!track)
        return true;
    struct side *side = &track->side[record->direction];
    uint64_t before = side->counted++;
    if (every->records > 0 || record->read.time == ARMTAP_NO_TIME)
        return every->records == 0 || before % every->records == 0;
    int64_t rest = record->read.time % every->ns;
    int64_t interval = record->read.time / every->ns - (rest < 0);
    bool is_first = before == 0 || interval != side->interval;
    side->interval = interval;
    return is_first;
}

static bool spend(struct tables *tables, struct track *track, const struct armtap_stream *stream, uint64_t cost)
{
    return allowance_spend(&tables->allowance, &track->account, stream, cost);
}

bool tables_spend(struct tables *tables, const struct armtap_record *record, uint64_t cost)
{
    struct track *track = track_find(tables, record->stream->connection);
    return !track || spend(tables, track, record->stream, cost);
}

uint64_t tables_row_price(const struct tables *tables, const struct armtap_record *record, uint64_t cost)
{
    return allowance_row(&tables->allowance, record, cost);
}

void tables_leave_out(struct tables *tables, const struct armtap_record *record, bool has_file)
{
    struct track *track = track_find(tables, record->stream->connection);
    if (!track)
        return;
    if (!has_file)
        track->left_out.others++;
    else if (track->left_out.rows++ == 0)
        track->left_out.first = record->where;
}

uint64_t tables_rest_left_out(const struct tables *tables)
{
    return tables->rest_left_out;
}

struct tables_left_out tables_left_out(const struct tables *tables, uint64_t connection)
{
    const struct tables_left_out none = {0};
    const struct track *track = track_find(tables, connection);
    return track ? track->left_out : none;
}

size_t tables_stream_count(const struct tables *tables)
{
    return tables->streams;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

uint64_t table_cost(const struct table *table)
{
    return COST_TABLE + COST_ENTRY * (uint64_t)table->entries;
}

/* Frees the columns of all tables. */
static void take_down(struct tables *tables)
{
    if (!tables->built)
        return;
    tables->options.drain(tables->options.user);
    for (struct table *table = tables->built, *next; table; table = next) {
        next = table->built;
        table->built = NULL;
        tables->options.forget(tables->options.user, table);
        layouts_take_down(table);
    }
    tables->built = NULL;
    tables->built_columns = 0;
}

int tables_build(struct tables *tables, struct table *table)
{
    if (table->columns)
        return 0;
    parts_name(tables->parts, tables->part_count);
    table->parts = tables->parts;
    table->part_count = tables->part_count;
    size_t columns_max = tables->options.mode == TABLES_BY_RECIPE ? BUILT_BY_RECIPE_MAX : BUILT_MAX;
    if (tables->built_columns + table->entries > columns_max)
        take_down(tables);
    if (layouts_build(table) != 0)
        return -1;
    table->built = tables->built;
    tables->built = table;
    tables->built_columns += table->entries;
    return 0;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static size_t entries_with(const struct tables *tables, const struct table *table, const struct armtap_recipe *recipe)
{
    size_t count = armtap_recipe_count(recipe);
    if (!tables->options.by_robot && armtap_protocol_has(armtap_recipe_protocol(recipe), ARMTAP_TRAIT_UR_COLUMNS))
        return count > table->entries ? count : table->entries;
    return table->entries + count;
}

static struct table_layout *layout_find(const struct tables *tables, const struct table *table,
                                        const struct active *active)
{
    unsigned part = active->part > 0 ? active->part - 1 : 0;
    if (table->is_joined && !tables->options.by_robot)
        return armtap_recipe_map_find(&tables->layouts, active->recipe);
    for (size_t i = 0; i < table->layout_count; i++)
        if (table->layouts[i]->part == part && armtap_recipe_same(table->layouts[i]->recipe, active->recipe))
            return table->layouts[i];
    return NULL;
}

/* Adds a layout; a fixed table must have its columns already. */
static enum tables_outcome layout_add(struct tables *tables, struct table *table, const struct armtap_recipe *recipe,
                                      unsigned part, struct table_layout **found)
{
    struct table_layout *layout = MAKE_ROOM(table->layouts, table->layout_count) ? calloc(1, sizeof *layout) : NULL;
    if (!layout)
        return TABLES_NO_MEMORY;
    layout->part = part;
    layout->recipe = armtap_recipe_store_hold(&tables->recipes, recipe);
    if (!layout->recipe) {
        free(layout);
        return TABLES_NO_MEMORY;
    }
    enum tables_outcome outcome = TABLES_OK;
    if (table->fixed)
        outcome = tables_build(tables, table) != 0 ? TABLES_NO_MEMORY : layout_join(table, layout);
    if (outcome == TABLES_OK && table->is_joined && !tables->options.by_robot &&
        armtap_recipe_map_add(&tables->layouts, layout->recipe, layout) != 0)
        outcome = TABLES_NO_MEMORY;
    if (outcome != TABLES_OK) {
        layout_free(layout);
        return outcome;
    }
    table->entries = entries_with(tables, table, recipe);
    table->layouts[table->layout_count++] = layout;
    *found = layout;
    return TABLES_OK;
}

/* Finds the table's layout of a recipe, and adds it if necessary. */
static enum tables_outcome table_layout_of(struct tables *tables, struct table *table, struct active *active)
{
    if (active->refused != TABLES_OK)
        return active->refused;
    if (tables->options.by_robot && active->part == 0)
        return TABLES_OK;
    active->layout = layout_find(tables, table, active);
    if (active->layout)
        return TABLES_OK;
    size_t count = armtap_recipe_count(active->recipe), entries = entries_with(tables, table, active->recipe);
    bool is_held =
        tables->recipes.entries + count <= ENTRIES_MAX || armtap_recipe_store_has(&tables->recipes, active->recipe);
    struct table_part *part = active->part > 0 ? &tables->parts[active->part - 1] : NULL;
    size_t cells = part ? table->cells + (part->layouts + 1) * (part->entries + count) - part->layouts * part->entries
                        : (table->layout_count + 1) * entries;
    bool fits = entries <= TABLES_COLUMNS_MAX && cells <= CELLS_MAX;
    active->refused =
        fits && is_held && !tables->rewound
            ? layout_add(tables, table, active->recipe, active->part > 0 ? active->part - 1 : 0, &active->layout)
            : TABLES_MANY;
    if (active->refused == TABLES_OK)
        table->cells = cells;
    if (active->refused == TABLES_OK && part) {
        part->layouts++;
        part->entries += count;
    }
    return active->refused;
}

/* Adds a table; NULL without memory. */
static struct table *table_make(struct tables *tables)
{
    struct table *table = MAKE_ROOM(tables->tables, tables->table_count) ? calloc(1, sizeof *table) : NULL;
    if (!table)
        return NULL;
    table->is_joined = tables->options.mode == TABLES_JOINED;
    table->number = tables->next_number++;
    table->latest = table->hole_from = ARMTAP_NO_TIME;
    tables->tables[tables->table_count++] = table;
    return table;
}

/* For a source that is read once: when there are many tables, frees those that get no more rows. */
static void free_over(struct tables *tables)
{
    size_t kept = 0;
    if (tables->recipes.entries <= ENTRIES_MAX / 2 && tables->table_count < tables->tables_max / 20)
        return;
    take_down(tables);
    for (size_t i = 0; i < tables->table_count; i++) {
        struct table *table = tables->tables[i];
        if (table->over && table->waiting == 0 && (!table->begun || tables->options.next)) {
            table_free(table);
        } else {
            tables->tables[kept++] = table;
        }
    }
    tables->table_count = kept;
    armtap_recipe_store_clear(&tables->recipes);
}

static enum tables_outcome part_make(struct tables *tables, struct track *track, enum armtap_direction direction,
                                     const struct armtap_stream *stream)
{
    struct side *side = &track->side[direction];
    uint64_t cost = COST_TABLE;
    for (size_t i = 0; i < side->active_count; i++)
        cost += COST_ENTRY * (1 + (uint64_t)armtap_recipe_count(side->active[i].recipe));
    if (tables->made >= tables->tables_max || !spend(tables, track, stream, cost))
        return TABLES_MANY;
    if (tables->options.once)
        free_over(tables);
    struct table *table = MAKE_ROOM(side->parts, side->part_count) ? table_make(tables) : NULL;
    if (!table)
        return TABLES_NO_MEMORY;
    table->stream = track->number;
    table->part = (unsigned)side->part_count;
    table->direction = direction;
    side->parts[side->part_count++] = table;
    tables->made++;
    return TABLES_OK;
}

/* The table of an earlier connection to the same robot that has just these columns and gets no more rows, or NULL. */
static struct table *table_to_continue(const struct tables *tables, const struct side *side,
                                       enum armtap_direction direction, const struct armtap_stream *stream)
{
    if (!tables->options.continues || tables->options.mode != TABLES_APART || side->active_count != 1)
        return NULL;
    for (size_t i = tables->table_count; i-- > 0;) {
        struct table *table = tables->tables[i];
        if (table->over && table->begun && table->direction == direction && table->protocol == stream->protocol &&
            table->layout_count == 1 && strcmp(table->robot, stream->robot) == 0 &&
            armtap_recipe_same(table->layouts[0]->recipe, side->active[0].recipe))
            return table;
    }
    return NULL;
}

/* Opens the next row's table: a new one in the first reading, the same one again in the second. */
static enum tables_outcome side_open(struct tables *tables, struct track *track, enum armtap_direction direction,
                                     const struct armtap_stream *stream)
{
    struct side *side = &track->side[direction];
    bool is_joined = tables->options.mode == TABLES_JOINED && tables->table_count > 0;
    struct table *earlier = table_to_continue(tables, side, direction, stream);
    if (!earlier && !is_joined && side->next_part == side->part_count) {
        enum tables_outcome outcome = tables->rewound ? TABLES_MANY : part_make(tables, track, direction, stream);
        if (outcome != TABLES_OK)
            return outcome;
    }
    side->open = earlier ? earlier : is_joined ? tables->tables[0] : side->parts[side->next_part++];
    side->open->over = false;
    side->open->hole_from = earlier ? earlier->latest : ARMTAP_NO_TIME;
    if (!tables->rewound) {
        snprintf(side->open->robot, sizeof side->open->robot, "%s", stream->robot);
        side->open->protocol = stream->protocol;
        side->open->generation = stream->generation;
    }
    for (size_t i = 0; i < side->active_count; i++)
        if (table_layout_of(tables, side->open, &side->active[i]) == TABLES_NO_MEMORY)
            return TABLES_NO_MEMORY;
    return TABLES_OK;
}

static void side_close(struct side *side)
{
    if (side->open)
        side->open->over = !side->open->is_joined;
    side->open = NULL;
    side->is_open = false;
    for (size_t i = 0; i < side->active_count; i++) {
        side->active[i].layout = NULL;
        side->active[i].refused = TABLES_OK;
    }
}

/* Replaces the recipe of an id; a different recipe moves to the end of the set-up order. */
static void side_replace(struct side *side, size_t at, const struct armtap_recipe *recipe)
{
    struct active active = side->active[at];
    bool same = armtap_recipe_same(active.recipe, recipe);
    struct armtap_recipe *earlier = active.recipe;
    active.recipe = armtap_recipe_hold(recipe);
    armtap_recipe_release(earlier);
    if (same) {
        side->active[at] = active;
        return;
    }
    if (!armtap_protocol_has(armtap_recipe_protocol(recipe), ARMTAP_TRAIT_UR_COLUMNS))
        side_close(side);
    active.layout = NULL;
    active.refused = TABLES_OK;
    active.epoch = 0;
    memmove(side->active + at, side->active + at + 1, (side->active_count - at - 1) * sizeof active);
    side->active[side->active_count - 1] = active;
}

static enum tables_outcome side_set_up(struct tables *tables, struct side *side, int id,
                                       const struct armtap_recipe *recipe)
{
    size_t at = 0;
    while (at < side->active_count && side->active[at].id != id)
        at++;
    if (at < side->active_count) {
        side_replace(side, at, recipe);
    } else {
        if (!MAKE_ROOM(side->active, side->active_count))
            return TABLES_NO_MEMORY;
        side->active[side->active_count++] = (struct active){.id = id, .recipe = armtap_recipe_hold(recipe)};
    }
    struct active *latest = &side->active[side->active_count - 1];
    /* A fixed table cannot grow: whether it has to shows with the next row. */
    if (!side->open || side->open->fixed || latest->layout)
        return TABLES_OK;
    return table_layout_of(tables, side->open, latest) == TABLES_NO_MEMORY ? TABLES_NO_MEMORY : TABLES_OK;
}

/* Recipes of one id replace each other; so do all output recipes of a controller, which has one at a time. */
static int replacement_id(const struct armtap_recipe *recipe, enum armtap_direction direction, int id)
{
    bool has_channels = armtap_protocol_has(armtap_recipe_protocol(recipe), ARMTAP_TRAIT_CHANNELS);
    return direction == ARMTAP_FROM_ROBOT && !has_channels ? 0 : id;
}

enum tables_outcome tables_recipe(struct tables *tables, const struct armtap_recipe_event *event)
{
    struct track *track = track_of(tables, event->stream->connection);
    if (!track)
        return TABLES_NO_MEMORY;
    return side_set_up(tables, &track->side[event->direction],
                       replacement_id(event->recipe, event->direction, event->recipe_id), event->recipe);
}

/* Finds the row's recipe among those in use. A record whose recipe was not announced sets it up. */
static enum tables_outcome side_follow(struct tables *tables, struct side *side, const struct armtap_record *record)
{
    if (side->latest < side->active_count && side->active[side->latest].recipe == record->recipe)
        return TABLES_OK;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        for (side->latest = 0; side->latest < side->active_count; side->latest++)
            if (side->active[side->latest].recipe == record->recipe)
                return TABLES_OK;
        enum tables_outcome outcome = side_set_up(
            tables, side, replacement_id(record->recipe, record->direction, record->recipe_id), record->recipe);
        if (outcome != TABLES_OK)
            return outcome;
    }
    return TABLES_OK;
}

/* The table of a recipe, for all streams. Frees all tables if there are too many. */
static enum tables_outcome recipe_table(struct tables *tables, const struct armtap_recipe *recipe,
                                        enum armtap_direction direction, struct table **found)
{
    size_t count = armtap_recipe_count(recipe);
    *found = armtap_recipe_map_find(&tables->layouts, recipe);
    if (*found)
        return TABLES_OK;
    if (tables->recipes.entries + count > ENTRIES_MAX || tables->table_count >= tables->tables_max) {
        take_down(tables);
        free_tables(tables);
    }
    struct table *table = table_make(tables);
    struct table_layout *layout;
    if (!table || layout_add(tables, table, recipe, 0, &layout) != TABLES_OK ||
        armtap_recipe_map_add(&tables->layouts, layout->recipe, table) != 0)
        return TABLES_NO_MEMORY;
    table->direction = direction;
    *found = table;
    return TABLES_OK;
}

static enum tables_outcome follow_recipe(struct tables *tables, struct side *side, enum armtap_direction direction,
                                         struct table **table)
{
    struct active *active = &side->active[side->latest];
    side->counted = side->is_open ? side->counted : 0;
    side->is_open = true;
    if (active->epoch != tables->epoch) {
        enum tables_outcome outcome = recipe_table(tables, active->recipe, direction, &active->table);
        if (outcome != TABLES_OK)
            return outcome;
        active->epoch = tables->epoch;
    }
    *table = active->table;
    return TABLES_OK;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* What a robot is called: its label, or its host: "10.0.0.2:30004" is of 10.0.0.2, "[fd00::2]:30004" of fd00::2. */
static void name_robot(const struct labels *labels, const char *end, char name[64])
{
    const char *label = labels_find(labels, end);
    size_t length = (size_t)stream_host(end);
    bool is_bracketed = length > 1 && end[0] == '[' && end[length - 1] == ']';
    if (label)
        snprintf(name, 64, "%s", label);
    else
        snprintf(name, 64, "%.*s", (int)(is_bracketed ? length - 2 : length), is_bracketed ? end + 1 : end);
}

/* The robot's port if it tells robots apart: one where robots do not listen by themselves, without a label of its own;
 * else 0. */
static unsigned port_apart(const struct labels *labels, const struct armtap_stream *stream)
{
    struct armtap_robot_port usual = {.size = sizeof usual};
    char host[64];
    const char *colon = strrchr(stream->robot, ':');
    unsigned port = colon && colon[1] != '\0' ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    for (size_t i = 0; armtap_robot_port_at(i, &usual); i++)
        if (usual.port == port)
            return 0;
    if (port == 0 || armtap_stream_has(stream, ARMTAP_TRAIT_ROBOT_CONNECTS))
        return 0;
    snprintf(host, sizeof host, "%.*s", (int)(colon - stream->robot), stream->robot);
    return labels_find(labels, stream->robot) == labels_find(labels, host) ? port : 0;
}

/* Gives a connection's recipe a part: that of an earlier one, or a new one. */
static enum tables_outcome choose_part(struct tables *tables, struct active *active, const struct armtap_record *record)
{
    struct table_part wanted = {
        .protocol = record->protocol, .kind = active->id, .port = port_apart(tables->options.labels, record->stream)};
    size_t i = 0;
    name_robot(tables->options.labels, record->stream->robot, wanted.robot);
    for (; i < tables->part_count; i++) {
        const struct table_part *part = &tables->parts[i];
        if (part->protocol == wanted.protocol && part->kind == wanted.kind && part->port == wanted.port &&
            strcmp(part->robot, wanted.robot) == 0 &&
            (part->users == 0 || armtap_recipe_same(part->recipe, active->recipe)))
            break;
    }
    if (i == tables->part_count && (tables->rewound || i == PARTS_MAX))
        return TABLES_MANY;
    if (i == tables->part_count) {
        if (!MAKE_ROOM(tables->parts, tables->part_count))
            return TABLES_NO_MEMORY;
        tables->parts[tables->part_count++] = wanted;
    }
    tables->parts[i].users++;
    active->part = (unsigned)i + 1;
    return TABLES_OK;
}

size_t tables_part_count(const struct tables *tables)
{
    return tables->part_count > 0 ? tables->part_count : 1;
}

/* Notes why a stream's rows are left out. */
static enum tables_outcome no_room(struct track *track, enum tables_outcome outcome)
{
    track->left_out.has_no_room = outcome == TABLES_MANY;
    return outcome;
}

static enum tables_outcome follow_part(struct tables *tables, struct track *track, const struct armtap_record *record,
                                       struct table **table)
{
    struct side *side = &track->side[record->direction];
    struct active *active = &side->active[side->latest];
    enum tables_outcome outcome = TABLES_OK;
    bool is_first = !active->layout;
    if (is_first && tables->options.by_robot && active->part == 0)
        outcome = choose_part(tables, active, record);
    if (outcome == TABLES_OK && side->open && !active->layout)
        outcome = table_layout_of(tables, side->open, active);
    if (outcome == TABLES_GREW && tables->options.next)
        side_close(side);
    else if (outcome != TABLES_OK)
        return no_room(track, outcome);
    if (!side->open) {
        outcome = side_open(tables, track, record->direction, record->stream);
        if (outcome != TABLES_OK)
            return outcome;
        if (!active->layout)
            return no_room(track, TABLES_MANY);
    }
    side->counted = side->is_open || tables->options.mode == TABLES_JOINED ? side->counted : 0;
    side->is_open = true;
    *table = side->open;
    if (is_first && active->part > 0)
        tables->parts[active->part - 1].recipe = active->layout->recipe;
    return TABLES_OK;
}

/* Numbers a table among those of the input that is read, whatever was read before. */
static void number_in_file(struct side *side, struct table *table, uint32_t file)
{
    if (!side->is_numbered || side->file != file)
        side->file_part = 0;
    else if (side->file_table != table->number)
        side->file_part++;
    side->is_numbered = true;
    side->file = file;
    side->file_table = table->number;
    table->part_in_file = side->file_part;
}

enum tables_outcome tables_record(struct tables *tables, const struct armtap_record *record, struct table **table,
                                  const struct table_layout **layout)
{
    bool by_recipe = tables->options.mode == TABLES_BY_RECIPE && (tables->rewound || tables->options.once);
    *table = NULL;
    *layout = NULL;
    struct track *track = track_of(tables, record->stream->connection);
    if (!track)
        return TABLES_NO_MEMORY;
    if (!record->recipe)
        return TABLES_OPAQUE;
    struct side *side = &track->side[record->direction];
    struct table *own = NULL;
    enum tables_outcome outcome = side_follow(tables, side, record);
    if (outcome == TABLES_OK)
        outcome =
            by_recipe ? follow_recipe(tables, side, record->direction, &own) : follow_part(tables, track, record, &own);
    if (outcome != TABLES_OK)
        return outcome;
    struct table_layout *followed = by_recipe ? own->layouts[0] : side->active[side->latest].layout;
    if (!own->fixed && armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT) && layout_measure(followed, record) != 0)
        return TABLES_NO_MEMORY;
    if (!tables->rewound)
        own->rows++;
    number_in_file(side, own, tables->options.file ? *tables->options.file : 0);
    own->generations |= 1u << record->stream->generation;
    own->latest = record->read.time;
    *table = own;
    *layout = followed;
    return TABLES_OK;
}

void tables_close(struct tables *tables, const struct armtap_event *event)
{
    struct track *track = event->type == ARMTAP_EVENT_CLOSE ? track_find(tables, event->stream->connection) : NULL;
    for (unsigned d = 0; track && d < 2; d++) {
        if (event->a == ARMTAP_CLOSE_FIN && d != (unsigned)event->direction && !tables->options.continues)
            continue;
        side_close(&track->side[d]);
        side_forget(tables, &track->side[d]);
    }
}

bool tables_is_open(const struct tables *tables, uint64_t connection, enum armtap_direction direction)
{
    const struct track *track = track_find(tables, connection);
    return track && track->side[direction].is_open;
}

void tables_let_go(struct tables *tables, uint64_t connection)
{
    struct track *track = by_connection_remove(&tables->tracks, connection);
    if (!track)
        return;
    for (unsigned d = 0; d < 2; d++) {
        side_close(&track->side[d]);
        side_forget(tables, &track->side[d]);
        for (size_t i = 0; i < track->side[d].part_count && !tables->options.once; i++)
            track->side[d].parts[i]->stream = TABLE_NO_STREAM;
        free(track->side[d].parts);
    }
    tables->rest_left_out += track->left_out.rows;
    free(track);
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

void tables_rewind(struct tables *tables, const struct armtap_streams *streams)
{
    tables->rewound = true;
    tables->streams = (unsigned)armtap_streams_count(streams);
    tables->allowance = allowance_begin();
    for (size_t i = 0; i < tables->tracks.count; i++) {
        struct track *track = tables->tracks.slots[i].thing;
        const struct armtap_stream_summary *summary = armtap_streams_of(streams, tables->tracks.slots[i].connection);
        if (summary)
            track->number = summary->number;
        track->account = (struct allowance_account){0};
        for (unsigned d = 0; d < 2; d++) {
            struct side *side = &track->side[d];
            side_close(side);
            side_forget(tables, side);
            side->next_part = 0;
            side->counted = 0;
            side->is_numbered = false;
            for (size_t k = 0; k < side->part_count; k++) {
                side->parts[k]->stream = track->number;
                side->parts[k]->generation = summary ? summary->stream->generation : side->parts[k]->generation;
            }
        }
    }
    if (tables->table_count > 0)
        qsort(tables->tables, tables->table_count, sizeof(struct table *), table_order);
}

/* Carries the array lengths of the first reading over to the table of the recipe. */
static int keep_lengths(struct tables *tables, const struct table_layout *layout, enum armtap_direction direction)
{
    struct table *table;
    if (!layout->longest)
        return 0;
    if (recipe_table(tables, layout->recipe, direction, &table) != TABLES_OK)
        return -1;
    return layout_lengthen(table->layouts[0], layout->longest);
}

int tables_begin_rows(struct tables *tables)
{
    int outcome = 0;
    if (tables->options.mode != TABLES_BY_RECIPE)
        return 0;
    struct tables parts = *tables;
    tables->tables = NULL;
    take_down(&parts);
    tables->built = NULL;
    tables->built_columns = 0;
    tables->table_count = 0;
    for (size_t i = 0; i < parts.table_count; i++) {
        for (size_t k = 0; k < parts.tables[i]->layout_count && outcome == 0; k++)
            outcome = keep_lengths(tables, parts.tables[i]->layouts[k], parts.tables[i]->direction);
        table_free(parts.tables[i]);
    }
    free(parts.tables);
    for (size_t i = 0; i < tables->tracks.count; i++) {
        struct track *track = tables->tracks.slots[i].thing;
        track->side[0].part_count = track->side[1].part_count = 0;
    }
    return outcome;
}

unsigned tables_epoch(const struct tables *tables)
{
    return tables->epoch;
}

size_t tables_count(const struct tables *tables)
{
    return tables->table_count;
}

struct table *tables_at(const struct tables *tables, size_t index)
{
    return index < tables->table_count ? tables->tables[index] : NULL;
}
