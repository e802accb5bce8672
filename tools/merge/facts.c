/* What the diagnosis of a capture holds, given to the diagnosis of all. It may be damaged or hostile: every number has
 * limits, and the diagnosis has its own for how much it keeps. */
#include "summaries.h"
#include "input/robots/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 32
#define POINTS_MAX 256
#define STREAMS_MAX 100000
/* s: nothing lasts longer, and no clock shows more. */
#define SECONDS_MAX 9e9
#define CLOCK_MAX 1e12

const char *const facts_lists[] = {"findings", "streams", "modes", "other_ports", NULL};

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool is_null(const struct json_node *node)
{
    return node && node->kind == ARMTAP_JSON_NULL;
}

/* Within limits; false for what is no number. */
static bool get_real(const struct json_node *node, double least, double most, double *number)
{
    return json_node_double(node, number) && *number >= least && *number <= most;
}

static bool get_unsigned(const struct json_node *object, const char *key, uint64_t most, uint64_t *number)
{
    return json_node_unsigned(json_node_member(object, key), number) && *number <= most;
}

static bool get_time(const struct json_node *node, int64_t *time)
{
    *time = ARMTAP_NO_TIME;
    return is_null(node) || decimal_read(node, time);
}

/* "" if it is none, or too long. */
static void get_text(const struct json_node *node, char *to, size_t size)
{
    bool fits = node && node->kind == ARMTAP_JSON_STRING && node->length < size;
    const struct armtap_json_token string = {
        .kind = ARMTAP_JSON_STRING, .text = fits ? node->text - 1 : NULL, .length = fits ? node->length + 2 : 0};
    to[fits ? armtap_json_text(&string, to) : 0] = '\0';
}

static bool get_both(const struct json_node *object, const char *key, uint64_t numbers[2])
{
    const struct json_node *list = json_node_member(object, key);
    return list && list->kind == ARMTAP_JSON_ARRAY && list->size == 3 && json_node_unsigned(list + 1, &numbers[0]) &&
           json_node_unsigned(list + 2, &numbers[1]);
}

/* 0, or false after noting that memory ran out. */
static bool is_added(struct facts *facts, int outcome)
{
    facts->lacks_memory = facts->lacks_memory || outcome == ARMTAP_ERR_MEMORY;
    return outcome == ARMTAP_OK;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static bool is_list_of_texts(const struct json_node *node)
{
    bool is_list = node->kind == ARMTAP_JSON_ARRAY;
    for (const struct json_node *at = json_node_first(node); is_list && at != json_node_end(node);
         at = json_node_next(at))
        is_list = at->kind == ARMTAP_JSON_STRING;
    return is_list;
}

/* The texts of a list, a NUL behind each; NULL if memory runs out. */
static char *get_names(const struct json_node *list, uint32_t *length)
{
    char *names = malloc(list->length);
    *length = 0;
    for (const struct json_node *at = json_node_first(list); names && at != json_node_end(list);
         at = json_node_next(at)) {
        get_text(at, names + *length, list->length - *length);
        *length += (uint32_t)strlen(names + *length) + 1;
    }
    return names;
}

static bool get_argument(struct facts *facts, const struct json_node *key, struct armtap_argument *argument,
                         char **text)
{
    const struct json_node *value = key + 1;
    *argument = (struct armtap_argument){.id = 0};
    argument->id = armtap_argument_named(key->text, key->length);
    const struct armtap_argument_kind *kind = armtap_argument_kind(argument);
    bool is_text = kind->type >= ARMTAP_TEXT;
    bool is_duration = strlen(kind->name) > 2 && strcmp(kind->name + strlen(kind->name) - 2, "_s") == 0;
    double most = is_duration ? SECONDS_MAX : INFINITY;
    if (argument->id == 0)
        return false;
    if (kind->type == ARMTAP_NUMBER)
        return get_real(value, -most, most, &argument->value.number);
    if (kind->type == ARMTAP_COUNT)
        return json_node_unsigned(value, &argument->value.count);
    if (kind->type == ARMTAP_INTEGER)
        return json_node_signed(value, &argument->value.integer);
    if (kind->type == ARMTAP_TIME)
        return decimal_read(value, &argument->value.integer);
    argument->value.count = 1;
    argument->word = kind->type == ARMTAP_WORD ? armtap_word_named(value->text, value->length) : 0;
    if (!is_text)
        return kind->type == ARMTAP_FLAG || argument->word > 0;
    bool is_list = kind->type == ARMTAP_NAMES;
    if (is_list ? !is_list_of_texts(value) : value->kind != ARMTAP_JSON_STRING)
        return false;
    *text = is_list ? get_names(value, &argument->length) : json_node_text(value);
    facts->lacks_memory = facts->lacks_memory || !*text;
    argument->value.text = *text;
    if (*text && !is_list)
        argument->length = (uint32_t)strlen(*text);
    return *text != NULL;
}

static bool get_place(const struct json_node *node, const char *packet, const char *time, struct armtap_where *where)
{
    const struct json_node *number = json_node_member(node, packet);
    where->packet = 0;
    return (is_null(number) || json_node_unsigned(number, &where->packet)) &&
           get_time(json_node_member(node, time), &where->time);
}

/* An id may have two severities. */
static const struct armtap_note_kind *get_kind(const struct json_node *node)
{
    char id[80], severity[20];
    const struct armtap_note_kind *kind, *found = NULL;
    get_text(json_node_member(node, "id"), id, sizeof id);
    get_text(json_node_member(node, "severity"), severity, sizeof severity);
    for (size_t i = 0; (kind = armtap_note_at(i)); i++)
        if (strcmp(kind->id, id) == 0 && (!found || strcmp(armtap_severity_name(kind->severity), severity) == 0))
            found = kind;
    return found;
}

/* All but the arguments. */
static bool get_finding(const struct facts *facts, const struct json_node *node, struct armtap_finding *finding)
{
    *finding = (struct armtap_finding){.kind = get_kind(node), .count = 1};
    uint64_t capture = facts->file;
    bool is_placed = !json_node_member(node, "capture") || get_unsigned(node, "capture", facts->file, &capture);
    if (!finding->kind || !is_placed || !get_place(node, "packet", "time", &finding->where))
        return false;
    finding->where.file = (uint32_t)(facts->files[capture] ? capture : facts->file);
    finding->last = finding->where;
    finding->is_doubtful = json_node_member(node, "doubtful") != NULL;
    finding->is_sum = get_real(json_node_member(node, "total"), -INFINITY, INFINITY, &finding->total);
    if (!json_node_member(node, "count"))
        return true;
    return get_unsigned(node, "count", UINT64_MAX, &finding->count) && finding->count > 0 &&
           get_place(node, "last_packet", "last_time", &finding->last);
}

static bool take_finding(struct facts *facts, const struct json_node *node)
{
    struct armtap_argument arguments[ARGUMENTS_MAX];
    struct armtap_stream stream = {.protocol = ARMTAP_RTDE}; /* any: it has telemetry */
    struct armtap_finding finding;
    char *texts[ARGUMENTS_MAX] = {NULL};
    const struct json_node *list = json_node_member(node, "args"), *number = json_node_member(node, "stream");
    size_t count = 0;
    bool is_sound = get_finding(facts, node, &finding) && list && list->kind == ARMTAP_JSON_OBJECT &&
                    (is_null(number) || json_node_unsigned(number, &stream.connection));
    const struct json_node *at = json_node_first(list);
    for (; is_sound && at != json_node_end(list) && count < ARGUMENTS_MAX; at = json_node_next(at + 1), count++)
        is_sound = get_argument(facts, at, &arguments[count], &texts[count]);
    is_sound = is_sound && at == json_node_end(list);
    finding.arguments = (struct armtap_arguments){arguments, count};
    if (is_sound)
        is_sound =
            is_added(facts, armtap_diagnosis_add_finding(facts->diagnosis, &finding, is_null(number) ? NULL : &stream));
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    return is_sound;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static bool take_flow(struct facts *facts, const struct armtap_part *part, const struct armtap_stream *stream,
                      const struct json_node *node)
{
    struct armtap_flow_sums sums = {.expected = NAN};
    const struct json_node *expected = json_node_member(node, "expected"),
                           *trip = json_node_member(node, "round_trip_ns");
    uint64_t channel;
    bool is_sound = get_unsigned(node, "channel", 99, &channel) &&
                    get_unsigned(node, "steps", UINT64_MAX, &sums.steps) &&
                    get_real(json_node_member(node, "time_s"), 0, SECONDS_MAX, &sums.time) &&
                    (is_null(expected) || get_real(expected, 0, 1e18, &sums.expected)) &&
                    get_real(json_node_member(node, "usual_s"), 0, SECONDS_MAX, &sums.usual) &&
                    get_unsigned(node, "skipped", UINT64_MAX, &sums.skipped) &&
                    get_unsigned(node, "judged", UINT64_MAX, &sums.judged) &&
                    get_unsigned(node, "unclocked", UINT64_MAX, &sums.unclocked) &&
                    json_node_signed(json_node_member(node, "longest_silence_ns"), &sums.longest_silence);
    if (is_sound && trip)
        is_sound = json_node_signed(trip, &sums.round_trip) &&
                   json_node_signed(json_node_member(node, "stood_still_ns"), &sums.longest_wait) &&
                   get_unsigned(node, "stood_still_packet", UINT64_MAX, &sums.wait_end.packet) &&
                   json_node_signed(json_node_member(node, "stopped_ns"), &sums.stopped) &&
                   get_place(node, "stopped_packet", "stopped_time", &sums.stopped_since);
    sums.channel = (unsigned)channel;
    return is_sound && is_added(facts, armtap_rates_add_flow(part->rates, stream, &sums));
}

static bool take_jitter(const struct armtap_part *part, const struct json_node *counts)
{
    const struct json_node *list = json_node_member(counts, "jitter"), *at = json_node_first(list);
    uint64_t bin, times, largest = 0;
    bool is_sound = !list || get_unsigned(counts, "jitter_max_ns", INT64_MAX, &largest);
    for (; is_sound && at != json_node_end(list); at += 2)
        is_sound = at + 1 != json_node_end(list) && json_node_unsigned(at, &bin) &&
                   json_node_unsigned(at + 1, &times) && bin < ARMTAP_HISTOGRAM_BINS && times <= UINT32_MAX &&
                   armtap_histogram_add_bin(part->jitter, (size_t)bin, (uint32_t)times, (int64_t)largest);
    return is_sound;
}

static bool take_run(struct facts *facts, const struct armtap_part *part, const struct json_node *node)
{
    struct armtap_clock_point points[POINTS_MAX];
    struct armtap_clock_run run = {.block = points};
    const struct json_node *list = json_node_member(node, "points"), *at = json_node_first(list);
    bool is_sound = decimal_read(json_node_member(node, "first_time"), &run.first_time) &&
                    get_real(json_node_member(node, "first_clock"), 0, CLOCK_MAX, &run.first_clock) &&
                    get_real(json_node_member(node, "last_s"), 0, 2 * SECONDS_MAX, &run.last) &&
                    get_unsigned(node, "packages", UINT64_MAX, &run.packages);
    for (; is_sound && at != json_node_end(list); at += 2) {
        struct armtap_clock_point *point = &points[run.block_room];
        is_sound = run.block_room++ < POINTS_MAX && at + 1 != json_node_end(list) &&
                   get_real(at, 0, 2 * SECONDS_MAX, &point->x) && get_real(at + 1, -CLOCK_MAX, CLOCK_MAX, &point->y);
        if (is_sound)
            point->used = true;
    }
    return is_sound && is_added(facts, armtap_clock_add_run(part->clocks, &run));
}

static bool get_stream(const struct json_node *node, const struct json_node *counts, struct armtap_stream *stream)
{
    char protocol[40];
    get_text(json_node_member(counts, "protocol"), protocol, sizeof protocol);
    get_text(json_node_member(counts, "robot"), stream->robot, sizeof stream->robot);
    get_text(json_node_member(counts, "client"), stream->client, sizeof stream->client);
    stream->protocol = armtap_protocol_find(protocol);
    stream->info = armtap_protocol_info(stream->protocol);
    const struct json_node *socket = json_node_member(counts, "socket"),
                           *midstream = json_node_member(counts, "midstream");
    stream->origin = socket && socket->kind == ARMTAP_JSON_TRUE ? ARMTAP_ORIGIN_SOCKET : ARMTAP_ORIGIN_NETWORK;
    stream->midstream = midstream && midstream->kind == ARMTAP_JSON_TRUE;
    return stream->info && get_unsigned(node, "stream", STREAMS_MAX, &stream->connection) &&
           get_both(counts, "records", stream->records) && get_both(counts, "bytes_decoded", stream->bytes_decoded) &&
           get_both(counts, "bytes_lost", stream->bytes_lost) &&
           get_both(counts, "bytes_skipped", stream->bytes_skipped);
}

/* The name of a stream's end, which was given by --label. */
static bool take_label(struct facts *facts, const struct json_node *counts, const char *key, const char *end)
{
    char name[80], text[160];
    get_text(json_node_member(counts, key), name, sizeof name);
    snprintf(text, sizeof text, "%s=%s", end, name);
    return *name == '\0' || *end == '\0' || labels_add(&facts->labels, text) == 0;
}

static bool take_stream(struct facts *facts, const struct json_node *node)
{
    const struct json_node *counts = json_node_member(node, "counts"), *flows = json_node_member(counts, "flows"),
                           *clock = json_node_member(counts, "clock"), *full = json_node_member(counts, "was_full");
    struct armtap_stream stream = {.connection = 0};
    struct armtap_part part;
    if (!get_stream(node, counts, &stream) || !take_label(facts, counts, "label", stream.robot) ||
        !take_label(facts, counts, "client_label", stream.client))
        return false;
    stream.first = (struct armtap_where){
        .size = sizeof(struct armtap_where), .packet = stream.connection + 1, .time = ARMTAP_NO_TIME};
    bool is_sound = is_added(facts, armtap_diagnosis_add_stream(facts->diagnosis, &stream, &part));
    for (const struct json_node *at = json_node_first(flows); is_sound && at != json_node_end(flows);
         at = json_node_next(at))
        is_sound = take_flow(facts, &part, &stream, at);
    for (const struct json_node *at = json_node_first(clock); is_sound && at != json_node_end(clock);
         at = json_node_next(at))
        is_sound = take_run(facts, &part, at);
    if (is_sound && full && full->kind == ARMTAP_JSON_TRUE)
        *part.was_full = true;
    return is_sound && take_jitter(&part, counts);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* "R2_robot_mode" is that of the second arm. */
static const struct armtap_field *get_field(const char *name, unsigned *arm)
{
    bool is_of_arm = name[0] == 'R' && name[1] >= '2' && name[1] <= '0' + ARMTAP_ARMS_MAX && name[2] == '_';
    *arm = is_of_arm ? (unsigned)(name[1] - '0') : 1;
    name += is_of_arm ? 3 : 0;
    return armtap_field_find(name, strlen(name));
}

/* The names of a value differ between generations of controllers. */
static const char *get_name(const struct json_node *node, const struct armtap_mode *mode)
{
    for (int i = 0; i <= ARMTAP_GENERATION_AUBO; i++) {
        const char *name = armtap_enum_name(mode->field, mode->value, (enum armtap_generation)i);
        if (name && json_node_is(node, name))
            return name;
    }
    return NULL;
}

static bool take_mode(struct facts *facts, const struct json_node *node)
{
    struct armtap_mode mode = {.where.file = facts->file, .kept_until = ARMTAP_NO_TIME};
    char field[80];
    get_text(json_node_member(node, "field"), field, sizeof field);
    mode.field = get_field(field, &mode.arm);
    if (!mode.field || !get_unsigned(node, "stream", STREAMS_MAX, &mode.connection) ||
        !get_place(node, "packet", "time", &mode.where) ||
        !json_node_signed(json_node_member(node, "value"), &mode.value))
        return false;
    const struct json_node *kept_until = json_node_member(node, "kept_until");
    if (kept_until && !get_time(kept_until, &mode.kept_until))
        return false;
    mode.name = get_name(json_node_member(node, "name"), &mode);
    return is_added(facts, armtap_diagnosis_add_mode(facts->diagnosis, &mode));
}

/* A port of a robot whose connections were not decoded. */
static bool take_port(struct facts *facts, const struct json_node *node)
{
    char port[8];
    struct armtap_stream stream = {.connection = UINT64_MAX};
    const struct armtap_event event = {.stream = &stream, .type = ARMTAP_EVENT_OPEN};
    get_text(node, port, sizeof port);
    snprintf(stream.robot, sizeof stream.robot, ":%s", port);
    return is_added(facts, armtap_diagnosis_sink(facts->diagnosis)->on_event(facts->diagnosis, &event));
}

bool facts_take(void *user, const struct json_node *list, const struct json_node *element)
{
    static bool (*const takers[])(struct facts *, const struct json_node *) = {take_finding, take_stream, take_mode,
                                                                               take_port};
    struct facts *facts = user;
    size_t i = 0;
    while (!json_node_is(list - 1, facts_lists[i]))
        i++;
    facts->is_damaged = !takers[i](facts, element) && !facts->lacks_memory;
    return !facts->is_damaged && !facts->lacks_memory;
}
