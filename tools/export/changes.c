#define _GNU_SOURCE /* tdestroy */
#include "changes.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/numbers/number_text.h"
#include "base/os/names.h"
#include "base/text/json_reader.h"
#include "export/formats/line_cells.h"

/* The name of a watched pick. Tables of one robot have picks of one name, which share its number. */
struct watched_name {
    size_t number;
    size_t again;  /* how often it came in the current table */
    uint64_t turn; /* which one that is */
    char name[];
};

/* The last value of a watched pick; absent at first. */
struct kept {
    struct armtap_value value;
    char *text; /* that of `value`; owned */
    size_t room;
};

struct watched_port {
    char *name;
    enum armtap_protocol protocol;
    struct by_connection last; /* of any connection: struct kept, by number of the pick */
};

struct connection {
    struct watched_port *port;
    struct by_connection last; /* struct kept, by number of the pick */
    /* What `last` and the port's have: what records of this layout say of these picks. */
    uint64_t turn;
    const struct table_layout *layout;
};

struct changes {
    const struct labels *labels;
    void *names; /* a tree of struct watched_name */
    size_t name_count;
    uint64_t turn;
    struct by_connection connections; /* struct connection */
    struct watched_port **port;
    size_t port_count;
    struct armtap_value *now; /* of the current record, by pick */
    size_t now_room;
    struct buffer before;
};

/* ---- memory ---------------------------------------------------------------------------------------------------- */

struct changes *changes_new(const struct labels *labels)
{
    struct changes *changes = calloc(1, sizeof *changes);
    if (changes)
        changes->labels = labels;
    return changes;
}

static void values_free(struct by_connection *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct kept *kept = values->slots[i].thing;
        free(kept->text);
        free(kept);
    }
    free(values->slots);
}

void changes_free(struct changes *changes)
{
    if (!changes)
        return;
    while (changes->connections.count > 0)
        changes_close(changes, changes->connections.slots[changes->connections.count - 1].connection);
    free(changes->connections.slots);
    for (size_t i = 0; i < changes->port_count; i++) {
        values_free(&changes->port[i]->last);
        free(changes->port[i]->name);
        free(changes->port[i]);
    }
    free(changes->port);
    tdestroy(changes->names, free);
    free(changes->now);
    free(changes->before.data);
    free(changes);
}

/* ---- picks ----------------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct watched_name *)a)->name, ((const struct watched_name *)b)->name);
}

/* Added if necessary; NULL without memory. */
static struct watched_name *name_take(struct changes *changes, const char *name, size_t of_element, size_t again)
{
    size_t room = strlen(name) + 2 * NUMBER_MAX;
    struct watched_name *wanted = malloc(sizeof *wanted + room), **kept = NULL;
    if (wanted) {
        *wanted = (struct watched_name){.number = changes->name_count};
        snprintf(wanted->name, room, "%s\n%zu\n%zu", name, of_element, again);
        kept = tsearch(wanted, &changes->names, compare_names);
    }
    if (kept && *kept == wanted) {
        changes->name_count++;
        return wanted;
    }
    free(wanted);
    return kept ? *kept : NULL;
}

/* A recipe may name a field twice: those are apart. 0, or -1 without memory. */
static int number_of(struct changes *changes, const struct pick *pick, size_t *number)
{
    size_t of_element = pick->element ? 1 + (size_t)pick->first : 0;
    struct watched_name *name = name_take(changes, pick->name, of_element, 0);
    if (!name)
        return -1;
    name->again = name->turn == changes->turn ? name->again + 1 : 0;
    name->turn = changes->turn;
    if (name->again > 0 && !(name = name_take(changes, pick->name, of_element, name->again)))
        return -1;
    *number = name->number;
    return 0;
}

/* The pick of the value before. 0, or -1 without memory. */
static int make_before(struct changes *changes, const struct pick *pick, struct pick *before)
{
    static const char ending[] = "_before";
    size_t length = strlen(pick->name);
    *before = *pick;
    before->is_before = true;
    before->own_name = malloc(length + sizeof ending);
    if (!before->own_name || number_of(changes, pick, &before->watched) != 0)
        return -1;
    memcpy(before->own_name, pick->name, length);
    memcpy(before->own_name + length, ending, sizeof ending);
    before->name = before->own_name;
    return 0;
}

int changes_watch(struct changes *changes, struct picks *picks)
{
    const struct pick packet = {
        .row_column = ROW_COLUMN_packet, .column = TABLE_NONE, .count = 1, .name = row_column_name(ROW_COLUMN_packet)};
    struct pick *pairs = calloc(2 * picks->count + 1, sizeof *pairs);
    size_t used = 0, values = 0;
    bool failed = !pairs;
    changes->turn++;
    picks_drop(picks, ROW_COLUMN_packet);
    for (size_t i = 0; pairs && i < picks->count; i++) {
        if (picks->pick[i].is_watched && values == 0)
            pairs[used++] = packet;
        pairs[used++] = picks->pick[i];
        if (!picks->pick[i].is_watched)
            continue;
        failed = make_before(changes, &picks->pick[i], &pairs[used]) != 0 || failed;
        pairs[used++].before = values++;
    }
    if (!pairs)
        return -1;
    free(picks->pick);
    *picks = (struct picks){.pick = pairs, .count = used, .turn = changes->turn};
    return failed ? -1 : 0;
}

/* ---- connections ----------------------------------------------------------------------------------------------- */

/* Added if necessary; NULL without memory. */
static struct watched_port *port_of(struct changes *changes, const struct armtap_stream *stream)
{
    const char *name = labels_name(changes->labels, stream->robot);
    for (size_t i = 0; i < changes->port_count; i++)
        if (changes->port[i]->protocol == stream->protocol && strcmp(changes->port[i]->name, name) == 0)
            return changes->port[i];
    struct watched_port *port = MAKE_ROOM(changes->port, changes->port_count) ? calloc(1, sizeof *port) : NULL;
    if (!port || !(port->name = strdup(name))) {
        free(port);
        return NULL;
    }
    port->protocol = stream->protocol;
    return changes->port[changes->port_count++] = port;
}

/* 0, or -1 without memory. */
static int keep(struct kept *kept, const struct armtap_value *value)
{
    bool is_text = value->present && armtap_value_is_text(value);
    if (is_text && value->length > kept->room) {
        char *text = realloc(kept->text, value->length);
        if (!text)
            return -1;
        kept->text = text;
        kept->room = value->length;
    }
    kept->value = *value;
    kept->value.name = NULL; /* its recipe may go */
    if (is_text && value->length > 0)
        memcpy(kept->text, value->text, value->length);
    if (is_text)
        kept->value.text = kept->text;
    return 0;
}

/* Added if necessary; NULL without memory. */
static struct kept *kept_add(struct by_connection *values, size_t number)
{
    struct kept *found = by_connection_find(values, number);
    return found ? found : by_connection_new(values, number, sizeof *found);
}

/* NULL without memory. */
static struct connection *connection_begin(struct changes *changes, const struct armtap_record *record)
{
    struct watched_port *port = port_of(changes, record->stream);
    struct connection *connection =
        port ? by_connection_new(&changes->connections, record->stream->connection, sizeof *connection) : NULL;
    if (connection)
        connection->port = port;
    return connection;
}

void changes_close(struct changes *changes, uint64_t number)
{
    struct connection *connection = by_connection_remove(&changes->connections, number);
    if (connection)
        values_free(&connection->last);
    free(connection);
}

/* ---- records --------------------------------------------------------------------------------------------------- */

/* Whether records of a layout have the watched pick. */
static bool is_told(const struct pick *pick, const struct table_layout *layout)
{
    return pick->is_before && layout_entry(layout, pick->column) != TABLE_NONE;
}

static bool is_ready(const struct connection *connection, const struct picks *picks, const struct table_layout *layout)
{
    return connection->turn == picks->turn && connection->layout == layout;
}

uint64_t changes_cost(struct changes *changes, const struct armtap_record *record, const struct table_layout *layout,
                      const struct picks *picks)
{
    struct connection *connection = by_connection_find(&changes->connections, record->stream->connection);
    struct watched_port *port = connection ? connection->port : NULL;
    size_t count = 0;
    if (connection && is_ready(connection, picks, layout))
        return 0;
    for (size_t i = 0; i < picks->count; i++) {
        size_t number = picks->pick[i].watched;
        if (!is_told(&picks->pick[i], layout))
            continue;
        count += !(connection && by_connection_find(&connection->last, number));
        count += !(port && by_connection_find(&port->last, number));
    }
    return count * (sizeof(struct kept) + 2 * sizeof(struct by_connection_slot));
}

/* A text, or an element of it: in a JSON array, that item. Of length 0: there is none. */
static struct armtap_json_token text_of(const struct pick *pick, const struct armtap_value *value)
{
    struct armtap_json_token item = {.text = value->text, .length = value->length};
    struct armtap_json items;
    bool has_more = pick->element && json_elements_begin(&items, value);
    if (!pick->element || (!has_more && pick->first == 0))
        return item;
    for (unsigned at = 0; has_more && (has_more = json_elements_next(&items, &item)) && at < pick->first; at++)
        ;
    if (!has_more)
        item.length = 0;
    return item;
}

static bool same_text(const struct pick *pick, const struct armtap_value *a, const struct armtap_value *b)
{
    const struct armtap_json_token one = text_of(pick, a), other = text_of(pick, b);
    return one.length == other.length && (one.length == 0 || memcmp(one.text, other.text, one.length) == 0);
}

static bool same_numbers(const struct pick *pick, const struct armtap_value *a, const struct armtap_value *b)
{
    unsigned from = pick->element ? pick->first : 0, to = pick->element ? pick->first + 1 : a->count;
    for (unsigned i = from; i < to && i < a->count; i++) {
        bool both_nan = a->type == ARMTAP_DOUBLE && a->f64[i] != a->f64[i] && b->f64[i] != b->f64[i];
        if (a->type == ARMTAP_DOUBLE ? a->f64[i] != b->f64[i] && !both_nan : a->u64[i] != b->u64[i])
            return false;
    }
    return true;
}

static bool same_value(const struct pick *pick, const struct armtap_value *a, const struct armtap_value *b)
{
    bool is_text = armtap_value_is_text(a);
    if (!a->present || a->type != b->type || (a->count != b->count && !is_text))
        return false;
    return is_text ? same_text(pick, a, b) : same_numbers(pick, a, b);
}

/* Reads what a record says of a pick: nothing, if its recipe lacks the field, or the frame the value. */
static void read_now(struct pick pick, const struct output_row *row, struct armtap_value *now)
{
    pick.is_before = now->present = false;
    if (layout_entry(row->layout, pick.column) == TABLE_NONE)
        return;
    pick_read(&pick, row, now);
    if (now->present && pick.element && armtap_value_is_text(now))
        now->present = text_of(&pick, now).length > 0;
}

/* Of a pick that has one. */
static const struct armtap_value *last_of(struct by_connection *last, const struct pick *pick)
{
    const struct kept *kept = by_connection_find(last, pick->watched);
    return &kept->value;
}

/* Reads the record's values into `now`; whether one differs. */
static bool differs(struct changes *changes, struct by_connection *last, const struct output_row *row,
                    const struct picks *picks)
{
    bool is_other = false;
    for (size_t i = 0; i < picks->count; i++) {
        const struct pick *pick = &picks->pick[i];
        struct armtap_value *now = &changes->now[i];
        if (!pick->is_before)
            continue;
        read_now(*pick, row, now);
        is_other = is_other || (now->present && !same_value(pick, last_of(last, pick), now));
    }
    return is_other;
}

/* The values before those that the record has: of each pick the place of its value, 0 if there is none, then the
 * values, and behind each its text, whose pointer is its place. */
static void put_before(struct changes *changes, struct by_connection *last, const struct picks *picks)
{
    struct buffer *out = &changes->before;
    const uint32_t nowhere = 0;
    out->length = 0;
    for (size_t i = 0; i < picks->count; i++)
        if (picks->pick[i].is_before)
            buffer_put(out, (const char *)&nowhere, sizeof nowhere);
    for (size_t i = 0; i < picks->count && !out->failed; i++) {
        const struct pick *pick = &picks->pick[i];
        if (!pick->is_before || !changes->now[i].present)
            continue;
        struct armtap_value value = *last_of(last, pick);
        if (!value.present)
            continue;
        const char *text = armtap_value_is_text(&value) ? value.text : NULL;
        uint32_t place = (uint32_t)out->length;
        memcpy(out->data + pick->before * sizeof place, &place, sizeof place);
        if (text)
            value.text = (const char *)(uintptr_t)(place + sizeof value);
        out->failed = out->failed || out->length > UINT32_MAX;
        buffer_put(out, (const char *)&value, sizeof value);
        buffer_put(out, text, text ? value.length : 0);
    }
}

/* A new value begins as the port's. 0, or -1 without memory. */
static int begin_value(struct connection *connection, size_t number)
{
    if (by_connection_find(&connection->last, number))
        return 0;
    struct kept *last = kept_add(&connection->last, number), *of_port = kept_add(&connection->port->last, number);
    return last && of_port ? keep(last, &of_port->value) : -1;
}

/* 0, or -1 without memory. */
static int make_room(struct changes *changes, struct connection *connection, const struct picks *picks,
                     const struct table_layout *layout)
{
    for (size_t i = 0; i < picks->count && !is_ready(connection, picks, layout); i++)
        if (is_told(&picks->pick[i], layout) && begin_value(connection, picks->pick[i].watched) != 0)
            return -1;
    connection->turn = picks->turn;
    connection->layout = layout;
    if (picks->count <= changes->now_room)
        return 0;
    struct armtap_value *now = realloc(changes->now, picks->count * sizeof *now);
    if (!now)
        return -1;
    changes->now = now;
    changes->now_room = picks->count;
    return 0;
}

int changes_see(struct changes *changes, const struct armtap_record *record, const struct table_layout *layout,
                const struct picks *picks, bool *is_row)
{
    const struct output_row row = {.layout = layout,
                                   .values = record->values,
                                   .values_length = record->values_length,
                                   .cut = record->missing,
                                   .cut_count = record->missing_count};
    struct connection *connection = by_connection_find(&changes->connections, record->stream->connection);
    if (!connection && !(connection = connection_begin(changes, record)))
        return -1;
    if (make_room(changes, connection, picks, layout) != 0)
        return -1;
    *is_row = differs(changes, &connection->last, &row, picks);
    if (*is_row)
        put_before(changes, &connection->last, picks);
    for (size_t i = 0; i < picks->count; i++) {
        size_t number = picks->pick[i].watched;
        const struct armtap_value *now = &changes->now[i];
        if (picks->pick[i].is_before && now->present &&
            (keep(by_connection_find(&connection->last, number), now) != 0 ||
             keep(by_connection_find(&connection->port->last, number), now) != 0))
            return -1;
    }
    return changes->before.failed ? -1 : 0;
}

const struct buffer *changes_before(const struct changes *changes)
{
    return &changes->before;
}
