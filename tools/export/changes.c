#define _GNU_SOURCE /* tdestroy */
#include "changes.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/numbers/number_text.h"
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

/* What a connection said last, by number. */
struct last_values {
    struct kept *kept;
    size_t count;
    struct watched_port *port;
    bool is_over; /* the connection is; its port keeps it */
};

struct watched_port {
    char *name;
    struct last_values *latest; /* of the record that came last; NULL: none yet */
};

struct changes {
    void *names; /* a tree of struct watched_name */
    size_t name_count;
    uint64_t turn;
    struct by_connection connections; /* struct last_values */
    struct watched_port **port;
    size_t port_count;
    struct armtap_value *now; /* of the current record, by pick */
    size_t now_room;
    struct buffer before;
};

/* ---- memory ---------------------------------------------------------------------------------------------------- */

struct changes *changes_new(void)
{
    return calloc(1, sizeof(struct changes));
}

static void last_free(struct last_values *last)
{
    for (size_t i = 0; last && i < last->count; i++)
        free(last->kept[i].text);
    if (last)
        free(last->kept);
    free(last);
}

void changes_free(struct changes *changes)
{
    if (!changes)
        return;
    for (size_t i = 0; i < changes->connections.count; i++)
        last_free(changes->connections.slots[i].thing);
    free(changes->connections.slots);
    for (size_t i = 0; i < changes->port_count; i++) {
        struct watched_port *port = changes->port[i];
        if (port->latest && port->latest->is_over)
            last_free(port->latest);
        free(port->name);
        free(port);
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
    *picks = (struct picks){pairs, used};
    return failed ? -1 : 0;
}

/* ---- connections ----------------------------------------------------------------------------------------------- */

/* Added if necessary; NULL without memory. */
static struct watched_port *port_of(struct changes *changes, const char *name)
{
    for (size_t i = 0; i < changes->port_count; i++)
        if (strcmp(changes->port[i]->name, name) == 0)
            return changes->port[i];
    struct watched_port *port = MAKE_ROOM(changes->port, changes->port_count) ? calloc(1, sizeof *port) : NULL;
    if (!port || !(port->name = strdup(name))) {
        free(port);
        return NULL;
    }
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

static int grow(struct last_values *last, size_t count)
{
    struct kept *kept = realloc(last->kept, (count + 1) * sizeof *kept);
    if (!kept)
        return -1;
    memset(kept + last->count, 0, (count - last->count) * sizeof *kept);
    last->kept = kept;
    last->count = count;
    return 0;
}

/* A copy for another connection; NULL without memory. */
static struct last_values *last_copy(const struct last_values *from)
{
    struct last_values *last = calloc(1, sizeof *last);
    bool failed = !last || grow(last, from->count) != 0;
    for (size_t i = 0; !failed && i < from->count; i++)
        failed = keep(&last->kept[i], &from->kept[i].value) != 0;
    if (!failed)
        return last;
    last_free(last);
    return NULL;
}

/* What a new connection goes on from. NULL without memory. */
static struct last_values *last_begin(struct changes *changes, const struct armtap_record *record)
{
    struct watched_port *port = port_of(changes, record->stream->robot);
    if (!port)
        return NULL;
    struct last_values *last = port->latest;
    bool is_own = last && last->is_over;
    last = is_own ? last : last ? last_copy(last) : calloc(1, sizeof *last);
    if (!last || !by_connection_add(&changes->connections, record->stream->connection, last)) {
        if (!is_own)
            last_free(last);
        return NULL;
    }
    last->port = port;
    last->is_over = false;
    return last;
}

static void make_latest(struct last_values *last)
{
    struct last_values *before = last->port->latest;
    if (before != last && before && before->is_over)
        last_free(before);
    last->port->latest = last;
}

void changes_close(struct changes *changes, uint64_t connection)
{
    struct last_values *last = by_connection_remove(&changes->connections, connection);
    if (!last)
        return;
    last->is_over = true;
    if (last->port->latest != last)
        last_free(last);
}

/* ---- records --------------------------------------------------------------------------------------------------- */

uint64_t changes_cost(struct changes *changes, const struct armtap_record *record)
{
    const struct last_values *last = by_connection_find(&changes->connections, record->stream->connection);
    size_t known = last ? last->count : 0;
    return known < changes->name_count ? (changes->name_count - known) * sizeof(struct kept) : 0;
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
    if (row->layout->entry_of[pick.column] == TABLE_NONE)
        return;
    pick_read(&pick, row, now);
    if (now->present && pick.element && armtap_value_is_text(now))
        now->present = text_of(&pick, now).length > 0;
}

/* Reads the record's values into `now`; whether one differs. */
static bool differs(struct changes *changes, const struct last_values *last, const struct output_row *row,
                    const struct picks *picks)
{
    bool is_other = false;
    for (size_t i = 0; i < picks->count; i++) {
        const struct pick *pick = &picks->pick[i];
        struct armtap_value *now = &changes->now[i];
        if (!pick->is_before)
            continue;
        read_now(*pick, row, now);
        is_other = is_other || (now->present && !same_value(pick, &last->kept[pick->watched].value, now));
    }
    return is_other;
}

/* Appends the values before those that the record has: first all as they are, then their texts, whose places are
 * offsets. */
static void put_before(struct changes *changes, const struct last_values *last, const struct picks *picks)
{
    struct buffer *out = &changes->before;
    const struct armtap_value absent = {.present = false};
    out->length = 0;
    for (size_t i = 0; i < picks->count; i++) {
        const struct pick *pick = &picks->pick[i];
        const struct armtap_value *before = &absent;
        if (pick->is_before && changes->now[i].present)
            before = &last->kept[pick->watched].value;
        if (pick->is_before)
            buffer_put(out, (const char *)before, sizeof *before);
    }
    for (size_t at = 0, end = out->length; at < end && !out->failed; at += sizeof absent) {
        struct armtap_value value;
        memcpy(&value, out->data + at, sizeof value);
        if (!value.present || !armtap_value_is_text(&value))
            continue;
        const char *text = value.text;
        value.text = (const char *)(uintptr_t)out->length;
        memcpy(out->data + at, &value, sizeof value);
        buffer_put(out, text, value.length);
    }
}

static int make_room(struct changes *changes, struct last_values *last, size_t picks)
{
    if (last->count < changes->name_count && grow(last, changes->name_count) != 0)
        return -1;
    if (picks <= changes->now_room)
        return 0;
    struct armtap_value *now = realloc(changes->now, picks * sizeof *now);
    if (!now)
        return -1;
    changes->now = now;
    changes->now_room = picks;
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
    struct last_values *last = by_connection_find(&changes->connections, record->stream->connection);
    if (!last && !(last = last_begin(changes, record)))
        return -1;
    if (make_room(changes, last, picks->count) != 0)
        return -1;
    make_latest(last);
    *is_row = differs(changes, last, &row, picks);
    if (*is_row)
        put_before(changes, last, picks);
    for (size_t i = 0; i < picks->count; i++) {
        const struct pick *pick = &picks->pick[i];
        if (pick->is_before && changes->now[i].present && keep(&last->kept[pick->watched], &changes->now[i]) != 0)
            return -1;
    }
    return changes->before.failed ? -1 : 0;
}

const struct buffer *changes_before(const struct changes *changes)
{
    return &changes->before;
}
