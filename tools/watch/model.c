/* The newest values, and how they arrive. */
#include "model_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inside.h"
#include "base/process/message.h"
#include "input/robots/labels.h"
#include "input/robots/robot_link.h"

/* ns without a change after which a value stands still. */
#define STILL SECOND
/* ns without a record that has it after which a value is an old one. */
#define OLD (2 * SECOND)
/* ns between two looks at the totals of rates. */
#define REFRESH (SECOND / 4)

static const enum armtap_field_id curve_fields[CURVES] = {
    [CURVE_POSITION] = ARMTAP_ID_actual_q,
    [CURVE_SPEED] = ARMTAP_ID_actual_qd,
    [CURVE_CURRENT] = ARMTAP_ID_actual_current,
    [CURVE_TEMPERATURE] = ARMTAP_ID_joint_temperatures,
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

bool robot_has(const struct watch_robot *robot, unsigned field)
{
    return armtap_set_has(&robot->state->known, field);
}

double robot_number(const struct watch_robot *robot, unsigned field, unsigned element)
{
    struct armtap_value value;
    armtap_state_get(robot->state, armtap_field_at(field), &value);
    if (!value.present || element >= value.count || armtap_value_is_text(&value))
        return NAN;
    return value.type == ARMTAP_DOUBLE      ? value.f64[element]
           : armtap_value_is_signed(&value) ? (double)value.i64[element]
                                            : (double)value.u64[element];
}

int64_t robot_changed(const struct watch_robot *robot, unsigned field, unsigned element)
{
    return robot_has(robot, field) ? robot->changed[field][element] : ARMTAP_NO_TIME;
}

bool robot_is_still(const struct watch_robot *robot, unsigned field, unsigned element, int64_t now)
{
    int64_t since = robot_changed(robot, field, element);
    return since != ARMTAP_NO_TIME && armtap_time_between(since, now) > STILL;
}

double robot_field_age(const struct watch_robot *robot, unsigned field, int64_t now)
{
    if (!robot_has(robot, field) || now == ARMTAP_NO_TIME || robot->seen[field] == ARMTAP_NO_TIME)
        return 0;
    int64_t age = armtap_time_between(robot->seen[field], now);
    return age > OLD ? (double)age / 1e9 : 0;
}

const char *robot_mode_name(const struct watch_robot *robot, unsigned field, char digits[MODE_DIGITS])
{
    double value = robot_number(robot, field, 0);
    if (isnan(value))
        return NULL;
    const char *name = armtap_enum_name(armtap_field_at(field), (int64_t)value, robot->generation);
    snprintf(digits, MODE_DIGITS, "%.0f", value);
    return name ? name : digits;
}

double robot_age(const struct watch_robot *robot, int64_t now)
{
    if (robot->newest == ARMTAP_NO_TIME || now == ARMTAP_NO_TIME)
        return NAN;
    return now < robot->newest ? 0 : (double)(now - robot->newest) / 1e9;
}

double stream_rate(const struct watch_stream *stream, int64_t now)
{
    int64_t slot = now / WATCH_COUNT, first = stream->first == ARMTAP_NO_TIME ? slot : stream->first / WATCH_COUNT + 1;
    int64_t from = slot - WATCH_COUNTS > first ? slot - WATCH_COUNTS : first;
    uint64_t count = 0;
    for (int64_t i = from; i < slot; i++)
        if (i <= stream->slot && i > stream->slot - (WATCH_COUNTS + 1))
            count += stream->counts[i % (WATCH_COUNTS + 1)];
    return from < slot ? (double)count * WATCH_COUNTS / (double)(slot - from) : 0;
}

const struct watch_stream *robot_stream(const struct watch_robot *robot, int64_t now)
{
    const struct watch_stream *best = NULL;
    double highest = -1;
    for (size_t i = 0; i < robot->stream_count; i++) {
        const struct watch_stream *stream = &robot->streams[i];
        double rate = stream->is_closed ? 0 : stream_rate(stream, now);
        rate = rate > 0 ? rate : (double)stream->records * 1e-12;
        if (rate <= highest)
            continue;
        best = stream;
        highest = rate;
    }
    return best;
}

/* ---- robots ------------------------------------------------------------------------------------------------------ */

/* The address without its port. */
static void host_of(char host[64], const char *end)
{
    const char *port = strrchr(end, ':');
    snprintf(host, 64, "%.*s", port ? (int)(port - end) : (int)strlen(end), end);
}

/* A dump names no robot: each is one of its own. */
static bool is_of(const struct model *model, const struct watch_robot *robot, const struct armtap_stream *stream,
                  unsigned arm)
{
    if (robot->arm != arm)
        return false;
    return stream->robot[0] == '\0' ? robot->end[0] == '\0' && robot->connection == stream->connection
                                    : labels_are_one(model->source->labels, robot->end, stream->robot);
}

static struct watch_robot *new_robot(const struct model *model, const struct armtap_stream *stream, const char *host,
                                     unsigned arm)
{
    struct watch_robot *robot = calloc(1, sizeof *robot);
    if (!robot)
        return NULL;
    const char *label = labels_find(model->source->labels, stream->robot);
    robot->state = armtap_state_in(robot->memory, sizeof robot->memory);
    snprintf(robot->end, sizeof robot->end, "%s", stream->robot);
    snprintf(robot->name, sizeof robot->name, "%s", label ? label : *host ? host : "robot");
    robot->connection = stream->connection;
    robot->arm = arm;
    robot->first = robot->newest = robot->silent_since = robot->edge.time = ARMTAP_NO_TIME;
    robot->curves.slot = -1;
    for (unsigned i = 0; i < 2 * WATCH_BITS; i++)
        robot->edges[i / WATCH_BITS][i % WATCH_BITS].time = ARMTAP_NO_TIME;
    return robot;
}

/* The place of a robot, or of the one that a companion stands beside, among those that the user named; 0 if it was not
 * named. */
static size_t rank_of(const struct model *model, const char *end)
{
    const struct robot_sources *robots = model->source->robots;
    for (size_t i = 0; robots && i < robots->count; i++)
        for (size_t named = 0; robot_address_has(&robots->robots[i], end); named++)
            if (named == i || (i >= robots->named && strcmp(robots->robots[named].host, robots->robots[i].host) == 0))
                return named;
    return 0;
}

/* In the order in which the user named them. */
static void add_robot(struct model *model, struct watch_robot *robot)
{
    struct watch_scene *scene = &model->scene;
    size_t place = scene->robot_count++, rank = rank_of(model, robot->end);
    for (; place > 0 && rank_of(model, scene->robots[place - 1]->end) > rank; place--)
        scene->robots[place] = scene->robots[place - 1];
    scene->robots[place] = robot;
}

/* NULL if there are too many, or memory runs out, which the model remembers. */
static struct watch_robot *model_robot(struct model *model, const struct armtap_stream *stream, unsigned arm)
{
    struct watch_scene *scene = &model->scene;
    char host[64];
    if (model->recent && model->recent_connection == stream->connection && model->recent->arm == arm)
        return model->recent;
    host_of(host, stream->robot);
    struct watch_robot *robot = NULL;
    for (size_t i = 0; i < scene->robot_count && !robot; i++)
        if (is_of(model, scene->robots[i], stream, arm))
            robot = scene->robots[i];
    if (!robot && scene->robot_count == WATCH_ROBOTS) {
        scene->robots_left_out++;
        return NULL;
    }
    if (!robot) {
        robot = new_robot(model, stream, host, arm);
        if (robot)
            add_robot(model, robot);
        else
            model->has_failed = true;
    }
    model->recent = robot;
    model->recent_connection = stream->connection;
    return robot;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static struct watch_stream *stream_of(struct watch_robot *robot, const struct armtap_stream *stream)
{
    for (size_t i = 0; i < robot->stream_count; i++)
        if (robot->streams[i].connection == stream->connection)
            return &robot->streams[i];
    size_t place = robot->stream_count;
    for (size_t i = 0; place == WATCH_STREAMS && i < WATCH_STREAMS; i++)
        if (robot->streams[i].is_closed) /* which has had its time */
            place = i;
    if (place == WATCH_STREAMS)
        return NULL;
    robot->stream_count += place == robot->stream_count;
    struct watch_stream *made = &robot->streams[place];
    *made = (struct watch_stream){.connection = stream->connection,
                                  .slot = -1,
                                  .first = ARMTAP_NO_TIME,
                                  .newest = ARMTAP_NO_TIME,
                                  .least = {INFINITY, INFINITY},
                                  .late = NAN};
    snprintf(made->robot, sizeof made->robot, "%s", stream->robot);
    snprintf(made->client, sizeof made->client, "%s", stream->client);
    return made;
}

static void count_record(struct watch_stream *stream, int64_t time)
{
    int64_t slot = time / WATCH_COUNT;
    if (slot < stream->slot) /* the clock was set back */
        slot = stream->slot;
    if (stream->slot < 0 || slot - stream->slot > WATCH_COUNTS)
        memset(stream->counts, 0, sizeof stream->counts);
    else
        for (int64_t i = stream->slot + 1; i <= slot; i++)
            stream->counts[i % (WATCH_COUNTS + 1)] = 0;
    stream->slot = slot;
    stream->counts[slot % (WATCH_COUNTS + 1)]++;
}

/* By how much later than the soonest of the last half minute the record came, by the controller's clock. */
static void take_delay(struct watch_stream *stream, const struct armtap_record *record)
{
    double clock = armtap_rates_clock(record);
    if (isnan(clock) || fabs(clock) > 1e15)
        return;
    double gap = (double)(record->where.time / 1000) / 1e6 - clock;
    int64_t slot = record->where.time / WATCH_SPAN;
    if (slot != stream->least_slot || gap > stream->least[0] + 3600) {
        stream->least[1] = slot == stream->least_slot + 1 ? stream->least[0] : INFINITY;
        stream->least[0] = INFINITY;
        stream->least_slot = slot;
    }
    stream->least[0] = gap < stream->least[0] ? gap : stream->least[0];
    stream->late = gap - fmin(stream->least[0], stream->least[1]);
}

static void take_arrival(struct watch_robot *robot, const struct armtap_record *record)
{
    const struct armtap_stream *stream = record->stream;
    struct watch_stream *meter = stream_of(robot, stream);
    int64_t time = record->where.time;
    robot->streams_left_out += meter ? 0 : 1;
    if (!meter)
        return;
    meter->protocol = stream->protocol;
    meter->title = stream->info ? stream->info->title : "";
    meter->records = stream->records[ARMTAP_FROM_ROBOT];
    meter->bytes_lost = stream->bytes_lost[ARMTAP_FROM_ROBOT];
    meter->gaps = stream->gaps;
    meter->is_closed = false;
    if (time == ARMTAP_NO_TIME || time < 0)
        return;
    if (meter->first == ARMTAP_NO_TIME)
        meter->first = time;
    meter->newest = time;
    count_record(meter, time);
    take_delay(meter, record);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void take_edges(struct watch_robot *robot, bool is_output, uint64_t before, uint64_t after, int64_t time)
{
    for (uint64_t change = before ^ after; change != 0; change &= change - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(change);
        robot->edge = (struct edge){time, bit, is_output, after >> bit & 1};
        robot->edges[is_output][bit] = robot->edge;
    }
}

static void take_bits(struct watch_robot *robot, unsigned id, const struct armtap_state *from, int64_t time)
{
    if (id == ARMTAP_ID_actual_digital_input_bits)
        take_edges(robot, false, robot->state->actual_digital_input_bits, from->actual_digital_input_bits, time);
    else if (id == ARMTAP_ID_actual_digital_output_bits)
        take_edges(robot, true, robot->state->actual_digital_output_bits, from->actual_digital_output_bits, time);
}

/* Most fields are as they were: comparing them whole takes the least time. */
static void take_field(struct watch_robot *robot, unsigned id, const struct armtap_state *from, int64_t time)
{
    const struct armtap_field *field = armtap_field_at(id);
    size_t width = armtap_type_width(field->type);
    const char *now = (const char *)from + field->offset;
    char *before = (char *)robot->state + field->offset;
    bool is_first = !robot_has(robot, id);
    robot->seen[id] = time;
    if (!is_first && memcmp(now, before, field->count * width) == 0)
        return;
    for (unsigned i = 0; i < field->count; i++)
        if (is_first || memcmp(now + i * width, before + i * width, width) != 0)
            robot->changed[id][i] = time;
    if (!is_first) {
        armtap_set_add(&robot->changed_ever, id);
        take_bits(robot, id, from, time);
    }
    memcpy(before, now, field->count * width);
    armtap_set_add(&robot->state->known, id);
}

/* Of an eighth of a second the value that is farthest from 0. */
static void take_point(struct watch_robot *robot, enum curve curve, int64_t slot)
{
    const double *values =
        (const double *)(const void *)((const char *)robot->state + armtap_field_at(curve_fields[curve])->offset);
    for (unsigned i = 0; i < JOINTS; i++) {
        float *point = &robot->curves.points[curve][i][slot % WATCH_POINTS];
        float value = (float)values[i];
        if (isnan(*point) || fabsf(value) > fabsf(*point))
            *point = value;
    }
}

static void take_curves(struct watch_robot *robot, const struct armtap_set *updated, int64_t time)
{
    struct curves *curves = &robot->curves;
    int64_t slot = time / WATCH_POINT, from = curves->slot + 1;
    if (slot < curves->slot)
        return;
    if (curves->slot < 0 || slot - curves->slot > WATCH_POINTS)
        from = slot - WATCH_POINTS + 1;
    for (int64_t i = from; i <= slot; i++)
        for (unsigned k = 0; i >= 0 && k < CURVES * JOINTS; k++)
            curves->points[k / JOINTS][k % JOINTS][i % WATCH_POINTS] = NAN;
    curves->slot = slot;
    for (enum curve curve = 0; curve < CURVES; curve++)
        if (armtap_set_has(updated, curve_fields[curve]))
            take_point(robot, curve, slot);
}

static void take_arm(struct watch_robot *robot, const struct armtap_record *record, const struct armtap_arm *arm)
{
    int64_t time = record->where.time;
    if (robot->first == ARMTAP_NO_TIME)
        robot->first = time;
    robot->newest = time;
    robot->records++;
    robot->silence = SILENCE_UNKNOWN;
    if (record->stream->controller_version[0] != '\0' && robot->version[0] == '\0')
        snprintf(robot->version, sizeof robot->version, "%s", record->stream->controller_version);
    if (arm->state->generation != ARMTAP_GENERATION_UNKNOWN)
        robot->generation = arm->state->generation;
    for (unsigned word = 0; word < 16; word++)
        for (uint64_t bits = arm->updated->word[word]; bits != 0; bits &= bits - 1)
            take_field(robot, word * 64 + (unsigned)__builtin_ctzll(bits), arm->state, time);
    if (time != ARMTAP_NO_TIME && time >= 0)
        take_curves(robot, arm->updated, time);
}

static void take_record(struct model *model, const struct armtap_record *record)
{
    for (size_t i = 0; i < record->arm_count; i++) {
        struct watch_robot *robot = model_robot(model, record->stream, record->arms[i].number);
        if (!robot)
            continue;
        take_arrival(robot, record);
        take_arm(robot, record, &record->arms[i]);
    }
}

/* ---- the sink ---------------------------------------------------------------------------------------------------- */

static int answer_of(struct model *model, int outcome)
{
    return outcome != ARMTAP_OK || model->has_failed ? REPLAY_NO_MEMORY : REPLAY_GO_ON;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct model *model = user;
    if (model->is_stopped)
        return REPLAY_GO_ON;
    if (record->direction == ARMTAP_FROM_ROBOT)
        take_record(model, record);
    if (companions_record(&model->diagnosis, record) != ARMTAP_OK)
        return REPLAY_NO_MEMORY;
    return answer_of(model, armtap_diagnosis_sink(model->diagnosis.found)->on_record(model->diagnosis.found, record));
}

static enum silence silence_of(const struct armtap_event *event)
{
    switch (event->type) {
    case ARMTAP_EVENT_CLOSE:
        return event->a == ARMTAP_CLOSE_END_OF_CAPTURE         ? SILENCE_UNKNOWN
               : event->a == ARMTAP_CLOSE_RESET                ? SILENCE_RESET
               : armtap_is_closed_by(event, ARMTAP_FROM_ROBOT) ? SILENCE_CLOSED_BY_ROBOT
                                                               : SILENCE_CLOSED_BY_CLIENT;
    case ARMTAP_EVENT_REFUSED:
        return SILENCE_REFUSED;
    case ARMTAP_EVENT_NO_ANSWER:
        return SILENCE_UNANSWERED;
    case ARMTAP_EVENT_UNREACHABLE:
        return SILENCE_UNREACHABLE;
    case ARMTAP_EVENT_PAUSE:
        return SILENCE_PAUSED;
    default:
        return SILENCE_UNKNOWN;
    }
}

static void close_stream(struct watch_robot *robot, const struct armtap_event *event)
{
    for (size_t i = 0; i < robot->stream_count; i++)
        if (robot->streams[i].connection == event->stream->connection)
            robot->streams[i].is_closed = true;
}

/* Robots are known by their data, or by attempts to get some. */
static void take_event(struct model *model, const struct armtap_event *event)
{
    enum silence silence = silence_of(event);
    bool is_attempt = silence >= SILENCE_REFUSED && silence <= SILENCE_UNREACHABLE;
    if (silence == SILENCE_UNKNOWN || (!is_attempt && event->stream->records[ARMTAP_FROM_ROBOT] == 0))
        return;
    struct watch_robot *robot = model_robot(model, event->stream, 1);
    if (!robot)
        return;
    if (event->type == ARMTAP_EVENT_CLOSE)
        close_stream(robot, event);
    robot->silence = silence;
    if (robot->silent_since == ARMTAP_NO_TIME) /* not since the last of many attempts */
        robot->silent_since = event->where.time;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct model *model = user;
    if (model->is_stopped)
        return REPLAY_GO_ON;
    take_event(model, event);
    if (companions_hide(&model->diagnosis, event))
        return REPLAY_GO_ON;
    return answer_of(model, armtap_diagnosis_sink(model->diagnosis.found)->on_event(model->diagnosis.found, event));
}

#define TAKE(member, type)                                                                                             \
    static int member(void *user, const struct type *what)                                                             \
    {                                                                                                                  \
        struct model *model = user;                                                                                    \
        if (model->is_stopped)                                                                                         \
            return REPLAY_GO_ON;                                                                                       \
        return answer_of(model, armtap_diagnosis_sink(model->diagnosis.found)->member(model->diagnosis.found, what));  \
    }
TAKE(on_recipe, armtap_recipe_event)
TAKE(on_note, armtap_note)
TAKE(on_message, armtap_message)
TAKE(on_command, armtap_command)
#undef TAKE

static int wants(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    const struct model *model = user;
    int own = direction == ARMTAP_FROM_ROBOT ? ARMTAP_WANTS_STATE : 0;
    return own | armtap_diagnosis_wants(model->diagnosis.found, stream, direction);
}

const struct armtap_sink model_sink = {.size = sizeof model_sink,
                                       .on_record = on_record,
                                       .on_recipe = on_recipe,
                                       .on_note = on_note,
                                       .on_event = on_event,
                                       .on_message = on_message,
                                       .on_command = on_command,
                                       .wants = wants};

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void model_advance(struct model *model, int64_t now)
{
    struct watch_scene *scene = &model->scene;
    if (now == ARMTAP_NO_TIME || (scene->now != ARMTAP_NO_TIME && now < scene->now))
        return;
    if (scene->begun == ARMTAP_NO_TIME)
        scene->begun = now;
    scene->now = now;
    if (model->refreshed != ARMTAP_NO_TIME && now - model->refreshed < REFRESH)
        return;
    model->refreshed = now;
    take_rates(model);
    judge_so_far(model);
}

void model_stop(struct model *model)
{
    model->is_stopped = true;
    take_rates(model);
    model->is_judged = false;
    judge_so_far(model);
}

const struct watch_scene *model_scene(const struct model *model)
{
    return &model->scene;
}

struct model *model_new(const struct replay_source *source, enum timestamp_zone zone)
{
    struct model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->source = source;
    model->scene.now = model->scene.begun = model->refreshed = ARMTAP_NO_TIME;
    if (judge_begin(model, zone) == 0)
        return model;
    model_free(model);
    return NULL;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    judge_free(model);
    for (size_t i = 0; i < model->scene.robot_count; i++)
        free(model->scene.robots[i]);
    free(model);
}

struct watch_scene *scene_copy(const struct watch_scene *scene)
{
    struct watch_scene *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *scene;
    copy->robot_count = 0;
    for (size_t i = 0; i < scene->robot_count; i++) {
        struct watch_robot *robot = malloc(sizeof *robot);
        if (!robot) {
            scene_free(copy);
            return NULL;
        }
        *robot = *scene->robots[i];
        robot->state = (struct armtap_state *)robot->memory; /* which is only read */
        copy->robots[copy->robot_count++] = robot;
    }
    return copy;
}

void scene_free(struct watch_scene *scene)
{
    for (size_t i = 0; scene && i < scene->robot_count; i++)
        free(scene->robots[i]);
    free(scene);
}
