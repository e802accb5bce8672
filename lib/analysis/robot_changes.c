/* Whether a robot is another one than on an earlier connection: its legacy packets have another size, its controller
 * another release, or it grants fields of a set-up as another type, or not at all. Connections to one address and port
 * are compared, in order of time. */
#include "analysis/robot_changes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/numbers.h"

#define LOOKED_BACK 8 /* connections whose fields are compared with one's */
#define KEPT 16       /* sizes, or releases, of one robot */

/* What two connections show: the robot changed between their beginnings. */
struct change {
    const struct armtap_stream_summary *before, *now;
    uint64_t bytes_before, bytes;              /* of a legacy packet; 0: not that */
    const char *release_before, *release;      /* NULL: not that */
    struct armtap_line types, granted, lacked; /* names of fields */
    bool is_back;                              /* to what it was before that, ... */
    bool is_reversed;                          /* ... or it becomes again what it was */
};

/* Sizes, or releases, of which it has had each in connections from the first to the last. */
struct shown {
    const struct armtap_stream *all[KEPT];
    size_t first[KEPT], last[KEPT], count;
    const struct armtap_stream_summary *before; /* the last connection that shows one */
};

struct walk {
    struct findings *findings;
    const struct refused_fields *refused;
    const struct armtap_stream_summary **streams; /* of one end, in order of time */
    size_t count;
    struct shown sizes, releases;
    struct change change; /* now NULL: none */
    uint32_t file;        /* only what changed there; UINT32_MAX: anywhere */
};

/* ---- what the robot refused ----------------------------------------------------------------------------------------
 */

void armtap_refused_note(struct refused_fields *refused, const struct armtap_note *note)
{
    const struct armtap_argument *name = armtap_argument_of(&note->arguments, ARMTAP_ARGUMENT_field);
    struct refused_field *one = &refused->all[refused->count];
    if (note->kind != armtap_note_at(ARMTAP_NOTE_rtde_field_not_found) || !note->stream || !name ||
        refused->count == REFUSED_MAX || name->length >= sizeof one->name)
        return;
    one->connection = note->stream->connection;
    memcpy(one->name, name->value.text, name->length);
    one->name[name->length] = '\0';
    refused->count++;
}

/* ---- one connection and the one before ------------------------------------------------------------------------------
 */

static bool has_release(const struct armtap_stream *stream)
{
    return stream->controller_version[0] != '\0';
}

static bool has_size(const struct armtap_stream *stream)
{
    return stream->protocol == ARMTAP_REALTIME && stream->records[ARMTAP_FROM_ROBOT] > 0;
}

static bool is_same_size(const struct armtap_stream *one, const struct armtap_stream *other)
{
    return one->version == other->version;
}

static bool is_same_release(const struct armtap_stream *one, const struct armtap_stream *other)
{
    return strcmp(one->controller_version, other->controller_version) == 0;
}

typedef bool shows(const struct armtap_stream *stream);
typedef bool are_same(const struct armtap_stream *one, const struct armtap_stream *other);

static size_t place_in(const struct shown *shown, const struct armtap_stream *stream, are_same *are)
{
    size_t i = 0;
    while (i < shown->count && !are(shown->all[i], stream))
        i++;
    return i;
}

/* Looks at all connections. */
static void look_at(const struct walk *walk, struct shown *shown, shows *does_show, are_same *are)
{
    for (size_t i = 0; i < walk->count; i++) {
        const struct armtap_stream *stream = walk->streams[i]->stream;
        size_t at = does_show(stream) ? place_in(shown, stream, are) : KEPT;
        if (at == KEPT)
            continue;
        if (at == shown->count) {
            shown->all[shown->count++] = stream;
            shown->first[at] = i;
        }
        shown->last[at] = i;
    }
}

/* Two connections at the same time, to robots behind one address: neither is the other's past. */
static bool is_beside(const struct armtap_stream_summary *before, const struct armtap_stream_summary *now)
{
    return before->last[ARMTAP_FROM_ROBOT].time > now->begin.time;
}

static struct change *change_of(struct walk *walk, const struct armtap_stream_summary *before, size_t i)
{
    if (!walk->change.now) {
        walk->change = (struct change){.before = before, .now = walk->streams[i]};
        armtap_line_begin(&walk->change.types);
        armtap_line_begin(&walk->change.granted);
        armtap_line_begin(&walk->change.lacked);
    }
    return &walk->change;
}

/* The connection before one that shows something else; NULL: none. */
static const struct armtap_stream_summary *other_before(struct walk *walk, struct shown *shown, size_t i,
                                                        shows *does_show, are_same *are)
{
    const struct armtap_stream_summary *before = shown->before, *now = walk->streams[i];
    if (!does_show(now->stream))
        return NULL;
    shown->before = now;
    if (!before || is_beside(before, now) || are(before->stream, now->stream))
        return NULL;
    struct change *change = change_of(walk, before, i);
    size_t is = place_in(shown, now->stream, are), was = place_in(shown, before->stream, are);
    change->is_back = change->is_back || (is < shown->count && shown->first[is] < i);
    change->is_reversed = change->is_reversed || (was < shown->count && shown->last[was] > i);
    return before;
}

static void compare_sizes(struct walk *walk, size_t i)
{
    const struct armtap_stream_summary *before = other_before(walk, &walk->sizes, i, has_size, is_same_size);
    if (!before)
        return;
    walk->change.bytes_before = (uint64_t)before->stream->version;
    walk->change.bytes = (uint64_t)walk->streams[i]->stream->version;
}

static void compare_releases(struct walk *walk, size_t i)
{
    const struct armtap_stream_summary *before = other_before(walk, &walk->releases, i, has_release, is_same_release);
    if (!before)
        return;
    walk->change.release_before = before->stream->controller_version;
    walk->change.release = walk->streams[i]->stream->controller_version;
}

static bool is_refused(const struct walk *walk, const struct armtap_stream_summary *of, const char *name)
{
    for (size_t i = 0; i < walk->refused->count; i++)
        if (walk->refused->all[i].connection == of->stream->connection && strcmp(walk->refused->all[i].name, name) == 0)
            return true;
    return false;
}

static const struct armtap_recipe_entry *entry_of(const struct armtap_stream_summary *summary, const char *name)
{
    for (size_t i = 0; i < armtap_recipe_count(summary->recipe); i++)
        if (strcmp(armtap_recipe_at(summary->recipe, i)->name, name) == 0)
            return armtap_recipe_at(summary->recipe, i);
    return NULL;
}

/* The fields of one, in the other: as another type, or refused. */
static void compare_fields(struct walk *walk, const struct armtap_stream_summary *before, size_t i)
{
    const struct armtap_stream_summary *now = walk->streams[i];
    for (size_t k = 0; k < armtap_recipe_count(now->recipe); k++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(now->recipe, k),
                                         *was = entry_of(before, entry->name);
        if (was && (was->type != entry->type || was->wire_size != entry->wire_size))
            armtap_line_name(&change_of(walk, before, i)->types, entry->name);
        else if (!was && is_refused(walk, before, entry->name))
            armtap_line_name(&change_of(walk, before, i)->granted, entry->name);
    }
    for (size_t k = 0; k < armtap_recipe_count(before->recipe); k++) {
        const char *name = armtap_recipe_at(before->recipe, k)->name;
        if (!entry_of(now, name) && is_refused(walk, now, name))
            armtap_line_name(&change_of(walk, before, i)->lacked, name);
    }
}

/* Types depend on the protocol that the client asked for. */
static void compare_recipes(struct walk *walk, size_t i)
{
    const struct armtap_stream_summary *now = walk->streams[i];
    for (size_t back = 1; back <= LOOKED_BACK && back <= i; back++) {
        const struct armtap_stream_summary *before = walk->streams[i - back];
        bool are_of_rtde = now->stream->protocol == ARMTAP_RTDE && before->stream->protocol == ARMTAP_RTDE;
        if (!are_of_rtde || now->stream->version != before->stream->version || now->guess || before->guess ||
            is_beside(before, now))
            continue;
        compare_fields(walk, before, i);
        if (walk->change.now)
            return;
    }
}

/* ---- what is reported ------------------------------------------------------------------------------------------- */

static void raise(struct walk *walk)
{
    const struct change *change = &walk->change;
    const struct armtap_where *begin = change->now ? &change->now->begin : NULL;
    if (!begin || (walk->file != UINT32_MAX && begin->file != walk->file))
        return;
    const struct armtap_where *since = &change->before->begin;
    armtap_findings_raise(
        walk->findings,
        &(struct fact){.code = ARMTAP_FINDING_robot_changed,
                       .stream = change->now->stream,
                       .where = begin,
                       .arguments =
                           ARGS(arg_since_packet(since->packet), arg_is_earlier_file(since->file != begin->file),
                                change->bytes > 0 ? arg_bytes_before(change->bytes_before) : arg_none(true),
                                change->bytes > 0 ? arg_bytes(change->bytes) : arg_none(true),
                                arg_release_before(change->release_before), arg_release(change->release),
                                arg_names(&change->types), arg_names_granted(&change->granted),
                                arg_names_lacked(&change->lacked), arg_is_again(change->is_back),
                                arg_doubt(change->is_back || change->is_reversed ? ARMTAP_WORD_perhaps_two_robots
                                                                                 : ARMTAP_WORD_none))});
}

static void find_change(struct walk *walk, size_t i)
{
    walk->change.now = NULL;
    compare_sizes(walk, i);
    compare_releases(walk, i);
    compare_recipes(walk, i);
}

static void compare(struct walk *walk)
{
    look_at(walk, &walk->sizes, has_size, is_same_size);
    look_at(walk, &walk->releases, has_release, is_same_release);
    for (size_t i = 0; i < walk->count; i++) {
        find_change(walk, i);
        raise(walk);
    }
}

static int by_end_and_time(const void *a, const void *b)
{
    const struct armtap_stream_summary *one = *(const struct armtap_stream_summary *const *)a;
    const struct armtap_stream_summary *other = *(const struct armtap_stream_summary *const *)b;
    int order = strcmp(one->stream->robot, other->stream->robot);
    if (order != 0)
        return order;
    if (one->begin.time != other->begin.time)
        return one->begin.time < other->begin.time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

int armtap_robot_changes_find(struct findings *findings, const struct armtap_streams *streams,
                              const struct refused_fields *refused, uint32_t file)
{
    size_t count = armtap_streams_count(streams), kept = 0;
    const struct armtap_stream_summary **all = calloc(count + 1, sizeof(*all));
    if (!all)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct armtap_stream_summary *summary = armtap_streams_at(streams, i);
        if (summary->stream->robot[0] != '\0' && summary->begin.time != ARMTAP_NO_TIME)
            all[kept++] = summary;
    }
    if (kept > 0)
        qsort(all, kept, sizeof(*all), by_end_and_time);
    for (size_t from = 0, to; from < kept; from = to) {
        for (to = from + 1; to < kept && strcmp(all[from]->stream->robot, all[to]->stream->robot) == 0; to++)
            ;
        struct walk walk = {
            .findings = findings, .refused = refused, .streams = all + from, .count = to - from, .file = file};
        compare(&walk);
    }
    free(all);
    return 0;
}
