#define _POSIX_C_SOURCE 200809L
#include "stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"
#include "array.h"
#include "base/text/json_reader.h"
#include "export/formats/line_cells.h"
#include "nanoseconds.h"
#include "input/robots/labels.h"

enum {
    ROBOTS_MAX = 1000,
    ROBOT_CELLS_MAX = 4096,
    CELLS_MAX = 100000, /* of all robots */
    FLOWS_MAX = 16,     /* connections to a port that take turns; a controller accepts fewer */
    PLANS_MAX = 8,      /* recipes that take turns */
    NAME_BYTES = 512
};
#define SILENCE (2 * (int64_t)SECOND) /* after that nobody knows what a mode was */
#define NO_CELL SIZE_MAX

/* What a stream last said of a cell. */
struct before {
    enum armtap_type type; /* as in a sample; JSON: nothing yet */
    unsigned pauses;
    uint64_t bits; /* of a number; of a text a hash */
    int64_t time;
};

struct flow {
    uint64_t connection, turn;
    unsigned pauses;
    struct before *before; /* by cell */
    size_t room;
};

/* Which values of a recipe go into which cells. */
struct plan {
    uint64_t turn;
    struct table_layout layout;
    struct table_column *columns;
    size_t column_count;
    struct picks picks;
    size_t *cells; /* of the picks' elements, one after another */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void plan_free(struct plan *plan)
{
    picks_free(&plan->picks);
    armtap_recipe_release(plan->layout.recipe);
    free(plan->layout.entry_of);
    free(plan->columns);
    free(plan->cells);
    *plan = (struct plan){0};
}

static void cell_free(struct cell *cell)
{
    if (!cell)
        return;
    free(cell->name);
    free(cell->first_text.data);
    free(cell->last_text.data);
    free(cell->modes);
    free(cell->known);
    free(cell);
}

static void robot_free(struct robot_sums *robot)
{
    for (size_t i = 0; i < robot->cell_count; i++)
        cell_free(robot->cells[i]);
    for (size_t i = 0; i < robot->flow_count; i++)
        free(robot->flows[i].before);
    for (size_t i = 0; i < robot->plan_count; i++)
        plan_free(&robot->plans[i]);
    free(robot->cells);
    free(robot->flows);
    free(robot->plans);
    free(robot);
}

void sums_clear(struct sums *sums)
{
    for (size_t i = 0; i < sums->robot_count; i++)
        robot_free(sums->robots[i]);
    free(sums->robots);
    *sums = (struct sums){.selection = sums->selection, .labels = sums->labels};
}

/* ---- robots and their connections -------------------------------------------------------------------------------- */

/* Raw dumps name no robot: each is one of its own. */
static bool is_of(const struct sums *sums, const struct robot_sums *robot, const struct armtap_stream *stream)
{
    return robot->stream.protocol == stream->protocol &&
           strcmp(labels_name(sums->labels, robot->stream.robot), labels_name(sums->labels, stream->robot)) == 0 &&
           (stream->robot[0] != '\0' || robot->stream.connection == stream->connection);
}

/* NULL without memory, or if there are too many. */
static struct robot_sums *robot_of(struct sums *sums, const struct armtap_stream *stream)
{
    for (size_t i = 0; i < sums->robot_count; i++)
        if (is_of(sums, sums->robots[i], stream))
            return sums->robots[i];
    sums->has_left_out = sums->has_left_out || sums->robot_count == ROBOTS_MAX;
    if (sums->robot_count == ROBOTS_MAX || !MAKE_ROOM(sums->robots, sums->robot_count))
        return NULL;
    struct robot_sums *robot = calloc(1, sizeof *robot);
    if (!robot)
        return NULL;
    robot->stream = *stream;
    robot->first_time = robot->last_time = ARMTAP_NO_TIME;
    sums->robots[sums->robot_count++] = robot;
    return robot;
}

static struct flow *flow_find(const struct robot_sums *robot, uint64_t connection)
{
    for (size_t i = 0; i < robot->flow_count; i++)
        if (robot->flows[i].connection == connection)
            return &robot->flows[i];
    return NULL;
}

/* The connection, in place of the one that was silent for longest if there are too many. NULL without memory. */
static struct flow *flow_of(struct robot_sums *robot, uint64_t connection)
{
    struct flow *flow = flow_find(robot, connection);
    if (flow)
        return flow;
    robot->streams++;
    if (robot->flow_count < FLOWS_MAX) {
        if (!MAKE_ROOM(robot->flows, robot->flow_count))
            return NULL;
        flow = &robot->flows[robot->flow_count++];
    } else {
        flow = robot->flows;
        for (size_t i = 1; i < FLOWS_MAX; i++)
            flow = robot->flows[i].turn < flow->turn ? &robot->flows[i] : flow;
        free(flow->before);
    }
    *flow = (struct flow){.connection = connection};
    return flow;
}

static struct before *before_of(struct flow *flow, size_t cell)
{
    if (cell >= flow->room) {
        size_t room = 2 * cell + 64;
        struct before *before = realloc(flow->before, room * sizeof *before);
        if (!before)
            return NULL;
        for (size_t i = flow->room; i < room; i++)
            before[i] = (struct before){.type = ARMTAP_JSON};
        flow->before = before;
        flow->room = room;
    }
    return &flow->before[cell];
}

void sums_pause(struct sums *sums, const struct armtap_stream *stream)
{
    for (size_t i = 0; i < sums->robot_count; i++) {
        struct flow *flow = flow_find(sums->robots[i], stream->connection);
        if (flow)
            flow->pauses++;
    }
}

void sums_lost(struct sums *sums, const struct armtap_stream *stream, enum armtap_direction direction)
{
    for (size_t i = 0; i < sums->robot_count; i++)
        if (is_of(sums, sums->robots[i], stream))
            sums->robots[i]->bytes_lost += stream->bytes_lost[direction] - stream->bytes_cut[direction];
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* Of a pose, "m, rad", the first half of the elements has the first unit. */
static void set_unit(struct cell *cell, unsigned element)
{
    const char *comma = strstr(cell->field->unit, ", ");
    cell->unit = comma && element >= cell->field->count / 2u ? comma + 2 : cell->field->unit;
    cell->unit_length = (int)(comma && cell->unit != comma + 2 ? comma - cell->unit : (long)strlen(cell->unit));
}

static struct cell *make_cell(const char *name, const struct pick *pick, const struct table_column *column,
                              unsigned element)
{
    struct cell *cell = calloc(1, sizeof *cell);
    if (!cell || !(cell->name = strdup(name))) {
        free(cell);
        return NULL;
    }
    cell->unit = "";
    cell->first.value.type = cell->last.value.type = ARMTAP_JSON;
    if (!column->field || pick->is_bit)
        return cell;
    cell->field = column->field;
    set_unit(cell, element);
    if (mode_names_has(cell->field) && column->type != ARMTAP_DOUBLE)
        cell->kind = CELL_MODE;
    else if (strcmp(cell->field->unit, "bits") == 0)
        cell->kind = CELL_BITS;
    return cell;
}

/* The index of the cell for an element of a pick, made if necessary; NO_CELL if there are too many, or if the recipe
 * names a field twice. Recipes of one robot are alike: *hint, where the search begins, is mostly it. 0, or -1 without
 * memory. */
static int cell_of(struct sums *sums, struct robot_sums *robot, const struct plan *plan, const struct pick *pick,
                   unsigned element, size_t *hint, size_t *found)
{
    char name[NAME_BYTES];
    const struct table_column *column = &plan->columns[pick->column];
    bool is_element = pick->numbered || pick->element;
    int length = is_element ? snprintf(name, sizeof name, "%s_%u", pick->name, element)
                            : snprintf(name, sizeof name, "%s", pick->name);
    size_t i = 0, count = robot->cell_count;
    *found = NO_CELL;
    sums->has_left_out = sums->has_left_out || length >= NAME_BYTES;
    if (length >= NAME_BYTES)
        return 0;
    while (i < count && strcmp(robot->cells[(*hint + i) % count]->name, name) != 0)
        i++;
    if (i == count) {
        bool is_full = count == ROBOT_CELLS_MAX || sums->cells == CELLS_MAX;
        sums->has_left_out = sums->has_left_out || is_full;
        if (is_full)
            return 0;
        struct cell *cell = MAKE_ROOM(robot->cells, count) ? make_cell(name, pick, column, element) : NULL;
        if (!cell)
            return -1;
        robot->cells[robot->cell_count++] = cell;
        sums->cells++;
    }
    size_t index = i == count ? count : (*hint + i) % count;
    *hint = index + 1;
    if (robot->cells[index]->made_by == sums->plans)
        return 0;
    robot->cells[index]->made_by = sums->plans;
    *found = index;
    return 0;
}

/* Columns of the table that are no fields, such as time, have no statistics. */
static void refuse_row_columns(struct selection *selection, const struct picks *picks)
{
    for (size_t i = 0; i < picks->count; i++)
        for (size_t k = 0; picks->pick[i].row_column != ROW_COLUMN_NONE && k < selection->count; k++)
            if (strcmp(selection->names[k], picks->pick[i].name) == 0)
                selection->found[k] = false;
}

static size_t array_length(const struct armtap_record *record, size_t entry)
{
    struct armtap_value value;
    armtap_record_value(record, entry, &value);
    size_t length = json_elements_count(&value);
    return length < ROBOT_CELLS_MAX ? length : ROBOT_CELLS_MAX;
}

static bool has_arrays(const struct armtap_record *record)
{
    return armtap_stream_has(record->stream, ARMTAP_TRAIT_TEXT);
}

/* The columns of a recipe, as a table has them. Arrays are as long as the longest so far. */
static int fill_columns(struct plan *plan, const struct armtap_record *record, const struct plan *old)
{
    size_t count = plan->column_count = armtap_recipe_count(record->recipe);
    plan->columns = calloc(count + 1, sizeof *plan->columns);
    plan->layout.entry_of = calloc(count + 1, sizeof *plan->layout.entry_of);
    if (!plan->columns || !plan->layout.entry_of)
        return -1;
    plan->layout.columns = count;
    plan->layout.recipe = armtap_recipe_hold(record->recipe);
    for (size_t i = 0; i < count; i++) {
        const struct armtap_recipe_entry *entry = armtap_recipe_at(record->recipe, i);
        size_t known = old ? old->columns[i].longest_array : 0,
               length = has_arrays(record) ? array_length(record, i) : 0;
        plan->layout.entry_of[i] = i;
        plan->columns[i] = (struct table_column){.name = table_entry_name(entry),
                                                 .wire = entry->name,
                                                 .field = entry->field,
                                                 .type = entry->type,
                                                 .count = entry->count,
                                                 .longest_array = length > known ? length : known};
    }
    return 0;
}

static int fill_cells(struct sums *sums, struct robot_sums *robot, struct plan *plan)
{
    size_t count = 0, hint = 0;
    for (size_t i = 0; i < plan->picks.count; i++)
        count += plan->picks.pick[i].count;
    plan->cells = malloc((count + 1) * sizeof *plan->cells);
    if (!plan->cells)
        return -1;
    count = 0;
    for (size_t i = 0; i < plan->picks.count; i++)
        for (unsigned k = 0; k < plan->picks.pick[i].count; k++) {
            const struct pick *pick = &plan->picks.pick[i];
            plan->cells[count++] = NO_CELL;
            if (pick->column != TABLE_NONE &&
                cell_of(sums, robot, plan, pick, pick->first + k, &hint, &plan->cells[count - 1]) != 0)
                return -1;
        }
    return 0;
}

static int plan_make(struct sums *sums, struct robot_sums *robot, struct plan *plan, const struct armtap_record *record,
                     const struct plan *old)
{
    sums->plans++;
    if (fill_columns(plan, record, old) != 0 ||
        selection_apply(&sums->selection, plan->columns, plan->column_count, &plan->picks) != 0)
        return -1;
    refuse_row_columns(&sums->selection, &plan->picks);
    return fill_cells(sums, robot, plan);
}

/* Whether no array is longer than before. */
static bool fits(const struct plan *plan, const struct armtap_record *record)
{
    for (size_t i = 0; has_arrays(record) && i < plan->column_count; i++)
        if (array_length(record, i) > plan->columns[i].longest_array)
            return false;
    return true;
}

/* The plan for a recipe like this one, or NULL. */
static struct plan *plan_find(const struct robot_sums *robot, const struct armtap_recipe *recipe)
{
    for (size_t i = 0; i < robot->plan_count; i++)
        if (armtap_recipe_same(robot->plans[i].layout.recipe, recipe))
            return &robot->plans[i];
    return NULL;
}

/* A place for one more plan, that of the one that was not needed for longest if there are too many. */
static struct plan *plan_room(struct robot_sums *robot)
{
    struct plan *plan = robot->plans;
    if (robot->plan_count < PLANS_MAX) {
        if (!MAKE_ROOM(robot->plans, robot->plan_count))
            return NULL;
        plan = &robot->plans[robot->plan_count++];
        *plan = (struct plan){0};
        return plan;
    }
    for (size_t i = 1; i < PLANS_MAX; i++)
        plan = robot->plans[i].turn < plan->turn ? &robot->plans[i] : plan;
    plan_free(plan);
    return plan;
}

/* NULL without memory. */
static struct plan *plan_of(struct sums *sums, struct robot_sums *robot, const struct armtap_record *record)
{
    struct plan *plan = plan_find(robot, record->recipe), old = {0};
    if (plan && fits(plan, record))
        return plan;
    if (plan)
        old = *plan;
    plan = plan ? plan : plan_room(robot);
    if (!plan)
        return NULL;
    *plan = (struct plan){0};
    int outcome = plan_make(sums, robot, plan, record, old.columns ? &old : NULL);
    plan_free(&old);
    return outcome == 0 ? plan : NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double real_of(const struct sample *sample)
{
    return sample->type == ARMTAP_DOUBLE  ? sample->f64
           : sample->type == ARMTAP_INT64 ? (double)sample->i64
                                          : (double)sample->u64;
}

/* The same of a whole number that no double has, where the compiler's long double is longer. */
static long double exact_of(const struct sample *sample)
{
    return sample->type == ARMTAP_DOUBLE  ? sample->f64
           : sample->type == ARMTAP_INT64 ? (long double)sample->i64
                                          : (long double)sample->u64;
}

static bool is_less(const struct sample *one, const struct sample *other)
{
    if (one->type != other->type || one->type == ARMTAP_DOUBLE)
        return real_of(one) < real_of(other);
    return one->type == ARMTAP_INT64 ? one->i64 < other->i64 : one->u64 < other->u64;
}

/* FNV-1a: a change is missed once in 2^64. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Where a value comes from. */
struct moment {
    const struct armtap_record *record;
    struct flow *flow;
    struct cell *cell;
    size_t index; /* of the cell */
};

static bool is_same(const struct before *before, const struct sample *sample, uint64_t bits)
{
    struct sample old = {.type = before->type, .u64 = before->bits};
    if (before->type == ARMTAP_STRING || sample->type == ARMTAP_STRING)
        return before->type == sample->type && before->bits == bits;
    if (before->type == sample->type && before->bits == bits)
        return true;
    double one = real_of(&old), other = real_of(sample);
    return before->type != sample->type || before->type == ARMTAP_DOUBLE ? one == other || (isnan(one) && isnan(other))
                                                                         : false;
}

/* NULL without memory; *is_full: there are too many. */
static struct mode_sum *mode_of(struct cell *cell, int64_t value, bool *is_full)
{
    for (size_t i = 0; i < cell->mode_count; i++)
        if (cell->modes[i].value == value)
            return &cell->modes[i];
    *is_full = cell->mode_count == MODES_MAX;
    if (*is_full || !MAKE_ROOM(cell->modes, cell->mode_count))
        return NULL;
    cell->modes[cell->mode_count] = (struct mode_sum){.value = value};
    return &cell->modes[cell->mode_count++];
}

/* Clients that read one robot at a time tell the same of that time: how much of a span is new, in ns. A connection
 * whose bytes are missing comes later than others. -1 without memory. */
static int64_t add_known(struct cell *cell, int64_t from, int64_t to)
{
    struct time_span all = {from, to}, *known = cell->known;
    int64_t news = to - from;
    size_t kept = 0, oldest = 0;
    for (size_t i = 0; i < cell->known_count; i++) {
        const struct time_span *span = &known[i];
        if (span->to < from || span->from > to) {
            known[kept++] = *span;
            continue;
        }
        news -= (span->to < to ? span->to : to) - (span->from > from ? span->from : from);
        all.from = span->from < all.from ? span->from : all.from;
        all.to = span->to > all.to ? span->to : all.to;
    }
    for (size_t i = 1; i < kept; i++)
        oldest = known[i].to < known[oldest].to ? i : oldest;
    cell->known_count = kept;
    if (kept == KNOWN_MAX) {
        known[oldest] = all;
        return news;
    }
    if (!MAKE_ROOM(cell->known, cell->known_count))
        return -1;
    cell->known[cell->known_count++] = all;
    return news;
}

/* The mode before held until now, unless something is missing in between. */
static int take_mode(const struct moment *moment, const struct before *before, const struct sample *sample)
{
    bool is_full = false;
    int64_t time = moment->record->read.time;
    struct mode_sum *mode = mode_of(moment->cell, sample->i64, &is_full);
    if (!mode && !is_full)
        return -1;
    if (mode)
        mode->records++;
    moment->cell->modes_left_out += is_full;
    if (before->type == ARMTAP_JSON || before->pauses != moment->flow->pauses || before->time == ARMTAP_NO_TIME ||
        time == ARMTAP_NO_TIME || time < before->time || armtap_time_between(before->time, time) > SILENCE)
        return 0;
    mode = mode_of(moment->cell, (int64_t)before->bits, &is_full);
    int64_t news = add_known(moment->cell, before->time, time);
    if (mode && news > 0)
        mode->ns += news;
    return news < 0 ? -1 : 0;
}

/* Connections that take turns do not come in the order of time: one that waits for missing bytes comes later. */
static bool is_before(const struct extreme *one, const struct extreme *other)
{
    const struct armtap_where *a = &one->read, *b = &other->read;
    if (a->file == b->file && a->packet > 0 && b->packet > 0)
        return a->packet < b->packet;
    return a->time != ARMTAP_NO_TIME && b->time != ARMTAP_NO_TIME && a->time < b->time;
}

static void take_number(struct cell *cell, const struct extreme *here)
{
    const struct sample *sample = &here->value, *least = &cell->least.value, *most = &cell->most.value;
    double real = real_of(sample);
    if (!isfinite(real)) {
        cell->odd++;
        return;
    }
    bool is_first = cell->numbers == 0;
    if (is_first || is_less(sample, least) || (!is_less(least, sample) && is_before(here, &cell->least)))
        cell->least = *here;
    if (is_first || is_less(most, sample) || (!is_less(sample, most) && is_before(here, &cell->most)))
        cell->most = *here;
    long double number = exact_of(sample);
    if (is_first)
        cell->origin = number;
    long double difference = number - cell->origin - cell->mean;
    cell->mean += difference / (long double)++cell->numbers;
    cell->squares += difference * (number - cell->origin - cell->mean);
}

double cell_mean(const struct cell *cell)
{
    return cell->numbers == 0 ? NAN : (double)(cell->origin + cell->mean);
}

double cell_deviation(const struct cell *cell)
{
    return cell->numbers < 2 ? NAN : (double)sqrtl(cell->squares / (long double)(cell->numbers - 1));
}

static int keep(struct extreme *kept, struct buffer *kept_text, const struct extreme *here, const char *text,
                size_t length)
{
    *kept = *here;
    kept_text->length = 0;
    buffer_put(kept_text, text, length < CELL_TEXT_MAX ? length : CELL_TEXT_MAX);
    return kept_text->failed ? -1 : 0;
}

/* Adds a value to a cell; `text` is that of a STRING. */
static int take(const struct moment *moment, const struct sample *sample, const char *text, size_t length)
{
    struct cell *cell = moment->cell;
    const struct extreme here = {*sample, moment->record->where, moment->record->read};
    struct before *before = before_of(moment->flow, moment->index);
    uint64_t bits = sample->type == ARMTAP_STRING ? hash_of(text, length) : sample->u64;
    bool is_mode = cell->kind == CELL_MODE && (sample->type == ARMTAP_INT64 || sample->type == ARMTAP_UINT64);
    if (!before || (is_mode && take_mode(moment, before, sample) != 0))
        return -1;
    cell->changes += before->type != ARMTAP_JSON && !is_same(before, sample, bits);
    *before = (struct before){sample->type, moment->flow->pauses, bits, moment->record->read.time};
    if (sample->type == ARMTAP_STRING)
        cell->texts++;
    else
        take_number(cell, &here);
    bool is_first = cell->first.value.type == ARMTAP_JSON;
    if ((is_first || is_before(&here, &cell->first)) && keep(&cell->first, &cell->first_text, &here, text, length) != 0)
        return -1;
    return is_first || !is_before(&here, &cell->last) ? keep(&cell->last, &cell->last_text, &here, text, length) : 0;
}

static int take_number_of(const struct moment *moment, const struct armtap_value *value, unsigned element)
{
    struct sample sample = {.type = ARMTAP_UINT64, .u64 = value->u64[element]};
    if (value->type == ARMTAP_DOUBLE || armtap_value_is_signed(value))
        sample.type = value->type == ARMTAP_DOUBLE ? ARMTAP_DOUBLE : ARMTAP_INT64;
    return take(moment, &sample, NULL, 0);
}

static int take_text(const struct moment *moment, const struct buffer *text)
{
    const struct sample sample = {.type = ARMTAP_STRING};
    return text->failed ? -1 : take(moment, &sample, text->data, text->length);
}

/* An element of a JSON array. */
static int take_item(const struct moment *moment, const struct armtap_json_token *item)
{
    struct sample sample = {.type = ARMTAP_DOUBLE};
    struct buffer text = {0};
    int outcome;
    if (item->kind == ARMTAP_JSON_NULL)
        return 0;
    if (item->kind == ARMTAP_JSON_TRUE || item->kind == ARMTAP_JSON_FALSE) {
        sample = (struct sample){.type = ARMTAP_UINT64, .u64 = item->kind == ARMTAP_JSON_TRUE};
        return take(moment, &sample, NULL, 0);
    }
    if (item->kind == ARMTAP_JSON_NUMBER) {
        sample.f64 = armtap_json_double(item);
        if (json_element_is_whole(item) && fabs(sample.f64) < 9007199254740992.0)
            sample = (struct sample){.type = ARMTAP_INT64, .i64 = (int64_t)sample.f64};
        return take(moment, &sample, NULL, 0);
    }
    if (item->kind == ARMTAP_JSON_STRING)
        json_element_text(item, &text);
    else
        buffer_put(&text, item->text, item->length);
    outcome = take_text(moment, &text);
    free(text.data);
    return outcome;
}

static int take_value(struct moment *moment, struct robot_sums *robot, const struct pick *pick, const size_t *cells,
                      const struct armtap_value *value)
{
    struct armtap_json items;
    struct armtap_json_token item;
    struct buffer text = {0};
    int outcome = 0;
    bool has_items = (pick->numbered || pick->element) && json_elements_begin(&items, value);
    for (unsigned i = 0; has_items && i < pick->first; i++)
        json_elements_next(&items, &item);
    for (unsigned i = 0; outcome == 0 && i < pick->count; i++) {
        unsigned element = pick->first + i;
        if (has_items && !json_elements_next(&items, &item))
            break;
        if (cells[i] == NO_CELL)
            continue;
        moment->index = cells[i];
        moment->cell = robot->cells[cells[i]];
        if (has_items)
            outcome = take_item(moment, &item);
        else if (!armtap_value_is_text(value))
            outcome = element < value->count ? take_number_of(moment, value, element) : 0;
        else if (element == 0 && value->type == ARMTAP_BYTES)
            cells_hex(value->text, value->length, &text), outcome = take_text(moment, &text);
        else if (element == 0)
            outcome = take(moment, &(struct sample){.type = ARMTAP_STRING}, value->text, value->length);
    }
    free(text.data);
    return outcome;
}

static int take_values(struct robot_sums *robot, const struct plan *plan, struct moment *moment)
{
    const struct armtap_record *record = moment->record;
    const struct output_row row = {.layout = &plan->layout,
                                   .values = record->values,
                                   .values_length = record->values_length,
                                   .cut = record->missing,
                                   .cut_count = record->missing_count};
    const size_t *cells = plan->cells;
    for (size_t i = 0; i < plan->picks.count; i++) {
        const struct pick *pick = &plan->picks.pick[i];
        struct armtap_value value = {.present = false};
        if (pick->row_column == ROW_COLUMN_NONE)
            pick_read(pick, &row, &value);
        if (value.present && take_value(moment, robot, pick, cells, &value) != 0)
            return -1;
        cells += pick->count;
    }
    return 0;
}

int sums_record(struct sums *sums, const struct armtap_record *record)
{
    struct robot_sums *robot = robot_of(sums, record->stream);
    if (!robot)
        return sums->robot_count == ROBOTS_MAX ? 0 : -1;
    struct moment moment = {.record = record, .flow = flow_of(robot, record->stream->connection)};
    if (!moment.flow)
        return -1;
    robot->stream = *record->stream;
    moment.flow->turn = ++sums->turn;
    moment.flow->pauses += (record->flags & ARMTAP_AFTER_GAP) != 0;
    robot->records++;
    robot->opaque += !record->recipe;
    robot->guessed += (record->flags & ARMTAP_GUESSED) != 0;
    if (record->read.time != ARMTAP_NO_TIME) {
        if (robot->first_time == ARMTAP_NO_TIME || record->read.time < robot->first_time)
            robot->first_time = record->read.time;
        if (record->read.time > robot->last_time)
            robot->last_time = record->read.time;
    }
    if (!record->recipe)
        return 0;
    struct plan *plan = plan_of(sums, robot, record);
    if (!plan)
        return -1;
    plan->turn = sums->turn;
    return take_values(robot, plan, &moment);
}
