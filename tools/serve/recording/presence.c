#include "presence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "far_times.h"
#include "variables.h"

/* What a record carries. */
struct set {
    struct armtap_recipe *recipe;
    size_t length; /* of its values, bytes */
    struct armtap_set updated;
    struct armtap_missing *missing; /* of its values, cut off by the snapshot length */
    size_t missing_count;
    uint16_t *variables; /* indices */
    size_t count;
};

struct presence_run {
    uint64_t first, last; /* records */
    int64_t begin, end;   /* times of its own first and last record */
    uint64_t connection;
    unsigned set;
};

/* A connection whose run goes on, or whose recipe has no room, which is remembered: to search for it is dear. */
struct source {
    struct armtap_recipe *lost; /* NULL: its run goes on */
    size_t lost_length;         /* of values, bytes */
    struct presence_run run;
    uint64_t records; /* of the run */
    uint64_t used;    /* the last record's number */
    int64_t step;     /* ns between its last two records, in whatever run; 0: unknown */
    double clock;     /* of the controller, s; NAN: unknown */
    double clock_step;
    bool is_open;
};

struct presence {
    struct variables *variables;
    struct presence_room *room;
    uint64_t position; /* records so far */
    int64_t first_time;
    struct set sets[PRESENCE_SETS_MAX];
    size_t set_count;
    struct source sources[PRESENCE_CONNECTIONS_MAX];
    struct presence_run *runs; /* in order of `first` after the end */
    size_t run_count;
    bool is_cut;
};

struct presence *presence_new(struct variables *variables, struct presence_room *room)
{
    struct presence *presence = calloc(1, sizeof *presence);
    if (!presence)
        return NULL;
    presence->variables = variables;
    presence->room = room;
    return presence;
}

void presence_free(struct presence *presence)
{
    if (!presence)
        return;
    for (unsigned i = 0; i < PRESENCE_CONNECTIONS_MAX; i++)
        armtap_recipe_release(presence->sources[i].lost);
    for (size_t i = 0; i < presence->set_count; i++) {
        armtap_recipe_release(presence->sets[i].recipe);
        free(presence->sets[i].variables);
        free(presence->sets[i].missing);
    }
    free(presence->runs);
    free(presence);
}

bool presence_is_cut(const struct presence *presence)
{
    return presence->is_cut;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static bool is_set(const struct set *set, const struct armtap_record *record)
{
    static const struct armtap_set none;
    const struct armtap_set *updated = record->updated ? record->updated : &none;
    return (set->recipe == record->recipe || armtap_recipe_same(set->recipe, record->recipe)) &&
           set->length == record->values_length && memcmp(&set->updated, updated, sizeof *updated) == 0 &&
           set->missing_count == record->missing_count &&
           (set->missing_count == 0 ||
            memcmp(set->missing, record->missing, set->missing_count * sizeof *set->missing) == 0);
}

static void add_entries(const struct variables *variables, struct set *set, const struct armtap_record *record)
{
    for (size_t i = 0; i < armtap_recipe_count(record->recipe); i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(record->recipe, i);
        const struct variable *variable = variables_find(variables, entry->name, strlen(entry->name));
        if (variable && variable->type == entry->type && variable->count == entry->count &&
            robot_view_has(record, entry->offset, variable->size))
            set->variables[set->count++] = (uint16_t)variable->index;
    }
}

static void add_cells(const struct variables *variables, struct set *set)
{
    for (size_t i = 0; i < variables_count(variables); i++) {
        const struct variable *variable = variables_at(variables, i);
        if (variable->field && armtap_set_has(&set->updated, variable->field->id))
            set->variables[set->count++] = (uint16_t)i;
    }
}

/* What a set takes of the room: long names count more than once. */
static size_t names_of(const struct presence *presence, const struct armtap_record *record)
{
    size_t names = variables_count(presence->variables);
    for (size_t i = 0; i < armtap_recipe_count(record->recipe); i++)
        names += 1 + strlen(armtap_recipe_at(record->recipe, i)->name) / 32;
    return names;
}

static bool has_room(struct presence *presence, const struct armtap_record *record)
{
    size_t names = names_of(presence, record);
    if (presence->set_count == PRESENCE_SETS_MAX || names > presence->room->names)
        return false;
    presence->room->names -= names;
    return true;
}

/* Returns its number, SETS_MAX if there are too many, or -1 if memory runs out. */
static long add_set(struct presence *presence, const struct armtap_record *record)
{
    if (!has_room(presence, record)) {
        presence->is_cut = true;
        return PRESENCE_SETS_MAX;
    }
    if (robot_view_learn(presence->variables, record) != 0)
        return -1;
    struct set *set = &presence->sets[presence->set_count];
    *set = (struct set){.length = record->values_length};
    if (record->updated)
        set->updated = *record->updated;
    size_t names = armtap_recipe_count(record->recipe), all = variables_count(presence->variables);
    set->variables = calloc((names > all ? names : all) + 1, sizeof *set->variables);
    set->missing = calloc(record->missing_count + 1, sizeof *set->missing);
    if (!set->variables || !set->missing) {
        free(set->variables);
        free(set->missing);
        return -1;
    }
    set->missing_count = record->missing_count;
    if (record->missing_count > 0)
        memcpy(set->missing, record->missing, record->missing_count * sizeof *set->missing);
    set->recipe = armtap_recipe_hold(record->recipe);
    if (record->protocol == ARMTAP_RTDE)
        add_entries(presence->variables, set, record);
    else
        add_cells(presence->variables, set);
    return (long)presence->set_count++;
}

static long set_of(struct presence *presence, const struct source *source, const struct armtap_record *record)
{
    if (source && is_set(&presence->sets[source->run.set], record))
        return (long)source->run.set;
    for (size_t i = presence->set_count; i > 0; i--)
        if (is_set(&presence->sets[i - 1], record))
            return (long)(i - 1);
    return add_set(presence, record);
}

static bool has(const struct set *set, const struct variable *variable)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->variables[i] == variable->index)
            return true;
    return false;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static int end_run(struct presence *presence, struct source *source)
{
    if (!source->is_open)
        return 0;
    source->is_open = false;
    if (source->lost) {
        armtap_recipe_release(source->lost);
        source->lost = NULL;
        return 0;
    }
    if (presence->room->runs == 0) {
        presence->is_cut = true;
        return 0;
    }
    if (!MAKE_ROOM(presence->runs, presence->run_count))
        return -1;
    presence->runs[presence->run_count++] = source->run;
    presence->room->runs--;
    return 0;
}

static struct source *find_source(struct presence *presence, uint64_t connection)
{
    for (unsigned i = 0; i < PRESENCE_CONNECTIONS_MAX; i++)
        if (presence->sources[i].is_open && presence->sources[i].run.connection == connection)
            return &presence->sources[i];
    return NULL;
}

/* A free place, or that of the connection that was silent for the longest. */
static struct source *place(struct presence *presence)
{
    struct source *oldest = &presence->sources[0];
    for (unsigned i = 0; i < PRESENCE_CONNECTIONS_MAX; i++) {
        if (!presence->sources[i].is_open)
            return &presence->sources[i];
        if (presence->sources[i].used < oldest->used)
            oldest = &presence->sources[i];
    }
    return oldest;
}

/* A value stays until the next one is due: runs that lack that one end then. */
static void stretch(struct presence *presence, int64_t time)
{
    for (unsigned i = 0; i < PRESENCE_CONNECTIONS_MAX; i++) {
        struct source *source = &presence->sources[i];
        if (!source->is_open || source->records < 2 || source->run.last + 1 != presence->position)
            continue;
        int64_t due =
            far_difference(source->run.end, source->run.begin) / (int64_t)(source->records - 1); /* after the last */
        if (far_difference(time, source->run.end) < due)
            source->run.last = presence->position;
    }
}

/* What is late on its way has a clock that goes on. */
static bool is_gap(const struct source *source, int64_t time, double clock)
{
    int64_t silence = far_difference(time, source->run.end);
    double skipped = clock - source->clock;
    return (silence > PRESENCE_GAP && silence / 5 > source->step / 2) ||
           (source->records > 1 && skipped > PRESENCE_SKIP && skipped > 2.5 * source->clock_step);
}

/* The time of a record; where none was captured, by the controller's clock. */
static int64_t time_of(const struct presence *presence, const struct armtap_record *record)
{
    if (record->read.time != ARMTAP_NO_TIME)
        return record->read.time;
    return isfinite(record->clock) && fabs(record->clock) < 1e9 ? (int64_t)(record->clock * 1e9)
                                                                : (int64_t)presence->position;
}

static void go_on(struct presence *presence, struct source *source, int64_t time, double clock)
{
    source->step = far_difference(time, source->run.end);
    source->run.last = source->used = presence->position;
    source->run.end = time;
    source->clock_step = clock - source->clock;
    source->clock = clock;
    source->records++;
}

static void begin_run(struct presence *presence, struct source *source, const struct armtap_record *record,
                      unsigned set, int64_t time)
{
    uint64_t connection = record->stream->connection;
    int64_t step =
        source->run.connection == connection && source->records > 0 ? far_difference(time, source->run.end) : 0;
    *source = (struct source){
        .run = {presence->position, presence->position, time, time, connection, set},
        .records = 1,
        .used = presence->position,
        .step = step,
        .clock = record->clock,
        .is_open = true,
    };
}

static void lose(struct presence *presence, struct source *source, const struct armtap_record *record)
{
    *source = (struct source){.lost = armtap_recipe_hold(record->recipe),
                              .lost_length = record->values_length,
                              .run.connection = record->stream->connection,
                              .used = presence->position,
                              .is_open = true};
}

static bool is_lost(const struct source *source, const struct armtap_record *record)
{
    return source && source->lost == record->recipe && source->lost_length == record->values_length;
}

/* The record begins a run, or one that has no room. */
static int replace(struct presence *presence, struct source *source, const struct armtap_record *record, long set,
                   int64_t time)
{
    if (source && source->run.last == presence->position && !source->lost)
        source->run.last--; /* what replaces it begins here */
    if (source && end_run(presence, source) != 0)
        return -1;
    source = source ? source : place(presence);
    if (end_run(presence, source) != 0)
        return -1;
    if (set < (long)PRESENCE_SETS_MAX)
        begin_run(presence, source, record, (unsigned)set, time);
    else
        lose(presence, source, record);
    return 0;
}

static int take_record(struct presence *presence, const struct armtap_record *record, int64_t time)
{
    struct source *source = find_source(presence, record->stream->connection);
    if (is_lost(source, record))
        return 0;
    long set = set_of(presence, source && !source->lost ? source : NULL, record);
    if (set < 0)
        return -1;
    if (!source || source->lost || source->run.set != (unsigned)set || is_gap(source, time, record->clock))
        return replace(presence, source, record, set, time);
    go_on(presence, source, time, record->clock);
    return 0;
}

int presence_learn(struct presence *presence, const struct armtap_record *record)
{
    int64_t time = time_of(presence, record);
    if (presence->position == 0)
        presence->first_time = time;
    stretch(presence, time);
    if (take_record(presence, record, time) != 0)
        return -1;
    presence->position++;
    return 0;
}

static int by_first(const void *a, const void *b)
{
    const struct presence_run *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

int presence_end(struct presence *presence)
{
    for (unsigned i = 0; i < PRESENCE_CONNECTIONS_MAX; i++)
        if (end_run(presence, &presence->sources[i]) != 0)
            return -1;
    if (presence->run_count > 0)
        qsort(presence->runs, presence->run_count, sizeof *presence->runs, by_first);
    return 0;
}

/* Which sets have the variable: there may be a thousand times as many runs. */
static void find_sets(const struct presence *presence, const struct variable *variable, bool found[PRESENCE_SETS_MAX])
{
    for (size_t i = 0; i < presence->set_count; i++)
        found[i] = has(&presence->sets[i], variable);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool presence_begins_with(const struct presence *presence, const struct variable *variable)
{
    bool has_it[PRESENCE_SETS_MAX];
    find_sets(presence, variable, has_it);
    for (size_t i = 0; i < presence->run_count; i++)
        if (far_difference(presence->runs[i].begin, presence->first_time) <= PRESENCE_GAP / 10 &&
            has_it[presence->runs[i].set])
            return true;
    return false;
}

bool presence_span(const struct presence *presence, const struct variable *variable, int64_t *begin, int64_t *end)
{
    bool found = false, has_it[PRESENCE_SETS_MAX];
    find_sets(presence, variable, has_it);
    for (size_t i = 0; i < presence->run_count; i++) {
        const struct presence_run *run = &presence->runs[i];
        if (!has_it[run->set])
            continue;
        *begin = !found || run->begin < *begin ? run->begin : *begin;
        *end = !found || run->end > *end ? run->end : *end;
        found = true;
    }
    return found;
}

static size_t mark_lacking(const struct presence_cursor *cursor, const struct presence_wish *wish, bool *lacks)
{
    size_t count = 0;
    for (size_t i = 0; i < wish->count; i++) {
        size_t index = wish->variables[i]->index;
        bool lacking = wish->holds ? !cursor->was_recorded[index] : cursor->holders[index] == 0;
        count += lacking;
        if (lacks)
            lacks[i] = lacking;
    }
    return count;
}

static void add_run(struct presence_cursor *cursor, const struct presence_run *run)
{
    const struct set *set = &cursor->presence->sets[run->set];
    if (cursor->active_count == PRESENCE_CONNECTIONS_MAX)
        return;
    cursor->active[cursor->active_count++] = run;
    cursor->has_changed = true;
    for (size_t i = 0; i < set->count; i++) {
        cursor->holders[set->variables[i]]++;
        cursor->was_recorded[set->variables[i]] = true;
    }
}

static void remove_runs(struct presence_cursor *cursor, uint64_t position)
{
    for (size_t i = cursor->active_count; i > 0; i--) {
        const struct presence_run *run = cursor->active[i - 1];
        const struct set *set = &cursor->presence->sets[run->set];
        if (run->last >= position)
            continue;
        for (size_t k = 0; k < set->count; k++)
            cursor->holders[set->variables[k]]--;
        cursor->active[i - 1] = cursor->active[--cursor->active_count];
        cursor->has_changed = true;
    }
}

/* The most are together at the beginning of a run. */
size_t presence_together(const struct presence *presence, const struct presence_wish *wish, bool *lacks)
{
    struct presence_cursor cursor;
    presence_rewind(&cursor, presence);
    size_t least = mark_lacking(&cursor, wish, lacks);
    for (size_t i = 0; i < presence->run_count && least > 0; i++) {
        const struct presence_run *run = &presence->runs[i];
        if (run->begin > wish->to || (run->end < wish->from && !wish->holds))
            continue;
        remove_runs(&cursor, run->first);
        add_run(&cursor, run);
        size_t lacking = mark_lacking(&cursor, wish, NULL);
        if (lacking < least)
            least = mark_lacking(&cursor, wish, lacks);
    }
    return least;
}

/* ---- once more --------------------------------------------------------------------------------------------------- */

void presence_rewind(struct presence_cursor *cursor, const struct presence *presence)
{
    *cursor = (struct presence_cursor){.presence = presence, .has_changed = true};
}

void presence_step(struct presence_cursor *cursor)
{
    const struct presence *presence = cursor->presence;
    remove_runs(cursor, cursor->position);
    while (cursor->next < presence->run_count && presence->runs[cursor->next].first <= cursor->position)
        add_run(cursor, &presence->runs[cursor->next++]);
    cursor->position++;
}

bool presence_has_connection(const struct presence_cursor *cursor, uint64_t connection)
{
    for (size_t i = 0; i < cursor->active_count; i++)
        if (cursor->active[i]->connection == connection)
            return true;
    return false;
}
