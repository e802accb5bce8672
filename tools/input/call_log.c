#include "call_log.h"

#include "analysis/armtap-analysis.h"
#include "kept_values.h"

enum call_kind {
    CALL_STEADY,      /* a record like the one before in its direction */
    CALL_STEADY_POSE, /* the same, with its pose */
    CALL_RECORD,
    CALL_RECIPE,
    CALL_NOTE,
    CALL_EVENT,
    CALL_MESSAGE,
    CALL_REFUSED,
    CALL_TRAFFIC
};

/* Behind the bits of the modes: */
#define HAS_TIMESTAMP (1u << KEPT_MODES)
#define POSE_SHIFT (KEPT_MODES + 1) /* enum kept_pose */

/* Of an arm's state, what this record set. */
struct arm_values {
    uint32_t number, has;
    uint32_t mode[KEPT_MODES];
    double timestamp;
    double pose[KEPT_POSE];
};

struct record_values {
    enum armtap_protocol protocol;
    int version, recipe_id;
    struct armtap_recipe *recipe; /* held; NULL: opaque */
    size_t arm_count;
    struct arm_values arms[ARMTAP_ARMS_MAX];
};

/* The beginning of each call. */
struct head {
    uint32_t size; /* of the call, with this */
    uint32_t packet;
    uint32_t connection; /* in its part */
    uint8_t kind, direction;
    uint16_t flags;
};

/* What a record of a steady stream changed. */
struct steady {
    struct head head;
    uint32_t frame_length;
    uint16_t packets[2];
    uint32_t payload[2];
    double clock;
    double pose[]; /* of CALL_STEADY_POSE: those that the list of streams reads */
};

/* Any other call: its stream, then its own structure, then texts. */
struct full {
    struct head head;
    bool has_stream, is_last;
    struct armtap_stream stream;
};

struct full_record {
    struct full full;
    struct armtap_where where;
    size_t frame_length;
    unsigned flags;
    double clock;
    struct record_values values;
};

struct full_recipe {
    struct full full;
    struct armtap_recipe_event event;
};

struct full_note {
    struct full full;
    struct armtap_note note; /* the text follows */
    bool has_text;
};

struct full_event {
    struct full full;
    struct armtap_event event;
    struct armtap_unreachable unreachable;
};

struct full_message {
    struct full full;
    struct armtap_where where, first;
    bool is_whole;
    uint8_t type;
};

struct full_refused {
    struct full full;
    struct armtap_refused_setup setup; /* the refused names follow, then their texts */
};

struct full_traffic {
    struct full full;
    struct armtap_traffic traffic;
};

#define ALIGNMENT 8u

/* ---- connections ------------------------------------------------------------------------------------------------- */

/* What writer and player know of a connection: equal when both are at the same call. */
struct told {
    struct armtap_stream stream;
    bool is_closed[2], has_record[2];
    struct record_values record[2];
    struct armtap_set updated[2]; /* by the first arm of those records; only the writer has it */
};

/* By their number. */
struct tellings {
    struct told **all;
    size_t room;
};

static void told_free(struct told *told)
{
    for (int i = 0; told && i < 2; i++)
        armtap_recipe_release(told->record[i].recipe);
    free(told);
}

static void tellings_free(struct tellings *tellings)
{
    for (size_t i = 0; i < tellings->room; i++)
        told_free(tellings->all[i]);
    free(tellings->all);
}

/* NULL if there is none. */
static struct told *told_of(const struct tellings *tellings, uint64_t connection)
{
    return connection < tellings->room ? tellings->all[connection] : NULL;
}

/* NULL without memory. */
static struct told *tell(struct tellings *tellings, uint64_t connection)
{
    struct told *told = told_of(tellings, connection);
    if (told || connection >= UINT32_MAX)
        return told;
    if (connection >= tellings->room) {
        size_t room = (size_t)connection + connection / 2 + 16;
        struct told **all = realloc(tellings->all, room * sizeof *all);
        if (!all)
            return NULL;
        memset(all + tellings->room, 0, (room - tellings->room) * sizeof *all);
        tellings->all = all;
        tellings->room = room;
    }
    return tellings->all[connection] = calloc(1, sizeof *told);
}

static void forget(struct tellings *tellings, uint64_t connection)
{
    if (connection >= tellings->room)
        return;
    told_free(tellings->all[connection]);
    tellings->all[connection] = NULL;
}

/* ---- logs -------------------------------------------------------------------------------------------------------- */

static void *next_call(const struct call_log *log)
{
    return log->bytes.data + log->at;
}

static bool has_call(const struct call_log *log)
{
    return log->at < log->bytes.length;
}

static bool is_steady(const struct head *head)
{
    return head->kind == CALL_STEADY || head->kind == CALL_STEADY_POSE;
}

/* What a call that will not be played holds. */
static void drop_call(void *call)
{
    const struct head *head = call;
    if (head->kind == CALL_RECORD)
        armtap_recipe_release(((struct full_record *)call)->values.recipe);
    if (head->kind == CALL_RECIPE)
        armtap_recipe_release((struct armtap_recipe *)((struct full_recipe *)call)->event.recipe);
    if (head->kind == CALL_REFUSED)
        armtap_recipe_release((struct armtap_recipe *)((struct full_refused *)call)->setup.accepted);
}

/* Writes to it: parts.c says why. */
static void pass_call(struct call_log *log)
{
    struct head *head = next_call(log);
    log->at += head->size;
    head->size = 0;
}

void call_log_free(struct call_log *log)
{
    for (; has_call(log); pass_call(log))
        drop_call(next_call(log));
    free(log->bytes.data);
    *log = (struct call_log){.at = 0};
}

bool call_log_is_played(struct call_log *log)
{
    if (has_call(log))
        return false;
    log->at = log->bytes.length = 0;
    return true;
}

uint32_t call_log_next(const struct call_log *log)
{
    return has_call(log) ? ((const struct head *)next_call(log))->packet : CALL_LOG_NONE;
}

bool call_log_next_is_overdue(const struct call_log *log)
{
    const struct full_event *call = has_call(log) ? next_call(log) : NULL;
    return call && call->full.head.kind == CALL_EVENT && call->event.type == ARMTAP_EVENT_NO_ANSWER;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct call_writer {
    struct tellings told;
    struct call_log *log;
    uint32_t packet;
    struct armtap_where where;
    bool is_strained;
    const struct armtap_sink *wanted; /* that is called later */
    void *wanted_user;
    bool is_wanted; /* the next record's state; not asked about all */
};

struct call_writer *call_writer_new(const struct armtap_sink *wanted, void *user)
{
    struct call_writer *writer = calloc(1, sizeof *writer);
    if (writer)
        *writer = (struct call_writer){.wanted = wanted, .wanted_user = user, .is_wanted = true};
    return writer;
}

void call_writer_free(struct call_writer *writer)
{
    if (!writer)
        return;
    tellings_free(&writer->told);
    free(writer);
}

void call_writer_begin(struct call_writer *writer, struct call_log *log, uint32_t packet,
                       const struct armtap_where *where)
{
    writer->log = log;
    writer->packet = packet;
    writer->where = *where;
}

bool call_writer_is_strained(const struct call_writer *writer)
{
    return writer->is_strained;
}

/* A call of that size, all zero, with its head; NULL without memory. */
static void *add_call(struct call_writer *writer, enum call_kind kind, enum armtap_direction direction, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *at = size <= UINT32_MAX ? buffer_room(&writer->log->bytes, size) : NULL;
    if (!at)
        return NULL;
    memset(at, 0, size);
    writer->log->bytes.length += size;
    struct head *head = (struct head *)(void *)at;
    *head = (struct head){
        .size = (uint32_t)size, .packet = writer->packet, .kind = (uint8_t)kind, .direction = (uint8_t)direction};
    return at;
}

/* The same with its stream, which the player will know from then on. */
static void *add_full(struct call_writer *writer, enum call_kind kind, enum armtap_direction direction, size_t size,
                      const struct armtap_stream *stream)
{
    struct told *told = stream ? tell(&writer->told, stream->connection) : NULL;
    if (stream && !told)
        return NULL;
    struct full *full = add_call(writer, kind, direction, size);
    if (!full || !stream)
        return full;
    full->has_stream = true;
    full->head.connection = (uint32_t)stream->connection;
    full->stream = told->stream = *stream;
    return full;
}

static enum kept_pose pose_in(uint32_t has)
{
    return (enum kept_pose)(has >> POSE_SHIFT);
}

/* Without the pose; of a state at which nobody looks, only what the record sets. */
static void values_of_arm(struct arm_values *values, const struct armtap_arm *arm, bool is_wanted)
{
    values->number = arm->number;
    values->has = (uint32_t)kept_pose_of(arm->updated) << POSE_SHIFT;
    for (size_t i = 0; i < KEPT_MODES; i++) {
        bool has = armtap_set_has(arm->updated, kept_modes[i]);
        values->has |= (uint32_t)has << i;
        values->mode[i] = has && is_wanted ? (uint32_t)kept_mode(arm->state, i) : 0;
    }
    bool has_time = armtap_set_has(arm->updated, ARMTAP_ID_timestamp);
    values->has |= has_time ? HAS_TIMESTAMP : 0;
    values->timestamp = has_time && is_wanted ? arm->state->timestamp : 0;
}

static bool are_same_doubles(double one, double other)
{
    return memcmp(&one, &other, sizeof one) == 0;
}

static bool are_same_sets(const struct armtap_set *one, const struct armtap_set *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

/* Whether an arm's modes are those of the record before, and its timestamp is the record's clock, or nobody looks at
 * them. */
static bool is_same_arm(const struct told *told, const struct armtap_record *record, bool is_wanted)
{
    struct arm_values is;
    const struct armtap_arm *arm = &record->arms[0];
    const struct arm_values *was = &told->record[record->direction].arms[0];
    if (!is_wanted && are_same_sets(&told->updated[record->direction], arm->updated))
        return arm->number == was->number;
    values_of_arm(&is, arm, is_wanted);
    bool has_clock = !(is.has & HAS_TIMESTAMP) || are_same_doubles(is.timestamp, record->clock);
    bool is_equal = !is_wanted || (has_clock && memcmp(is.mode, was->mode, sizeof is.mode) == 0);
    return is_equal && is.has == was->has && is.number == was->number;
}

static bool is_same_kind(const struct record_values *was, const struct armtap_record *record)
{
    return was->recipe == record->recipe && was->recipe_id == record->recipe_id && was->version == record->version &&
           was->protocol == record->protocol && was->arm_count == record->arm_count && record->arm_count == 1;
}

/* Whether a stream differs only in what a record adds to its counters. */
static bool is_same_stream(const struct armtap_stream *was, const struct armtap_stream *is, unsigned direction,
                           size_t length)
{
    bool is_counted = is->records[direction] == was->records[direction] + 1 &&
                      is->bytes_decoded[direction] == was->bytes_decoded[direction] + length;
    bool is_steady = is->records[!direction] == was->records[!direction] &&
                     is->bytes_decoded[!direction] == was->bytes_decoded[!direction] && is->gaps == was->gaps &&
                     memcmp(is->bytes_lost, was->bytes_lost, sizeof is->bytes_lost) == 0 &&
                     memcmp(is->bytes_skipped, was->bytes_skipped, sizeof is->bytes_skipped) == 0;
    bool is_as_accepted = is->accepted.packet == was->accepted.packet && is->accepted.time == was->accepted.time &&
                          is->accepted.file == was->accepted.file && is->forgotten == was->forgotten &&
                          is->info == was->info && is->origin == was->origin;
    return is_counted && is_steady && is_as_accepted && memcmp(is, was, offsetof(struct armtap_stream, last)) == 0;
}

static bool is_here(const struct call_writer *writer, const struct armtap_where *where)
{
    return where->packet == writer->where.packet && where->time == writer->where.time &&
           where->file == writer->where.file;
}

/* Writes what a record of a steady stream changes. False if it is not steady; *error if memory ran out. */
static bool write_steady(struct call_writer *writer, const struct armtap_record *record, int *error)
{
    const struct armtap_stream *stream = record->stream;
    unsigned direction = record->direction;
    struct told *told = told_of(&writer->told, stream->connection);
    if (!told || !told->has_record[direction] || !is_here(writer, &record->where) || !is_here(writer, &stream->last) ||
        record->flags > UINT16_MAX || record->frame_length > UINT32_MAX ||
        !is_same_kind(&told->record[direction], record) || !is_same_arm(told, record, writer->is_wanted) ||
        !is_same_stream(&told->stream, stream, direction, record->frame_length))
        return false;
    uint64_t packets[2], payload[2];
    for (int i = 0; i < 2; i++) {
        packets[i] = stream->packets[i] - told->stream.packets[i];
        payload[i] = stream->payload[i] - told->stream.payload[i];
        if (packets[i] > UINT16_MAX || payload[i] > UINT32_MAX)
            return false;
    }
    enum kept_pose which = pose_in(told->record[direction].arms[0].has);
    bool has_pose = which != KEPT_NO_POSE && armtap_streams_reads_pose(record);
    size_t size = sizeof(struct steady) + (has_pose ? kept_pose_size(which) * sizeof(double) : 0);
    char *at = buffer_room(&writer->log->bytes, size);
    *error = at ? 0 : -1;
    if (!at)
        return true;
    writer->log->bytes.length += size;
    *(struct steady *)(void *)at = (struct steady){.head = {.size = (uint32_t)size,
                                                            .packet = writer->packet,
                                                            .connection = (uint32_t)stream->connection,
                                                            .kind = has_pose ? CALL_STEADY_POSE : CALL_STEADY,
                                                            .direction = (uint8_t)direction,
                                                            .flags = (uint16_t)record->flags},
                                                   .frame_length = (uint32_t)record->frame_length,
                                                   .packets = {(uint16_t)packets[0], (uint16_t)packets[1]},
                                                   .payload = {(uint32_t)payload[0], (uint32_t)payload[1]},
                                                   .clock = record->clock};
    if (has_pose)
        get_kept_pose(record->arms[0].state, which, ((struct steady *)(void *)at)->pose);
    struct armtap_stream *to = &told->stream;
    for (int i = 0; i < 2; i++) {
        to->packets[i] = stream->packets[i];
        to->payload[i] = stream->payload[i];
    }
    to->last = stream->last;
    to->records[direction] = stream->records[direction];
    to->bytes_decoded[direction] = stream->bytes_decoded[direction];
    return true;
}

static int write_record(struct call_writer *writer, const struct armtap_record *record)
{
    struct full_record *call = add_full(writer, CALL_RECORD, record->direction, sizeof *call, record->stream);
    if (!call)
        return -1;
    call->where = record->where;
    call->frame_length = record->frame_length;
    call->flags = record->flags;
    call->clock = record->clock;
    call->values = (struct record_values){.protocol = record->protocol,
                                          .version = record->version,
                                          .recipe_id = record->recipe_id,
                                          .recipe = armtap_recipe_hold(record->recipe),
                                          .arm_count = record->arm_count};
    for (size_t i = 0; i < record->arm_count; i++) {
        values_of_arm(&call->values.arms[i], &record->arms[i], writer->is_wanted);
        if (pose_in(call->values.arms[i].has) != KEPT_NO_POSE)
            get_kept_pose(record->arms[i].state, pose_in(call->values.arms[i].has), call->values.arms[i].pose);
    }
    struct told *told = told_of(&writer->told, record->stream->connection);
    struct record_values *last = &told->record[record->direction];
    armtap_recipe_release(last->recipe);
    *last = call->values;
    armtap_recipe_hold(last->recipe);
    if (record->arm_count > 0)
        told->updated[record->direction] = *record->arms[0].updated;
    told->has_record[record->direction] = true;
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct call_writer *writer = user;
    int error = 0;
    /* What drivers command is compared with the joints of the robot's records. */
    writer->is_strained = writer->is_strained || record->protocol == ARMTAP_EXTERNAL_CONTROL;
    if (!write_steady(writer, record, &error))
        error = write_record(writer, record);
    writer->is_wanted = true;
    return error;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct call_writer *writer = user;
    struct full_recipe *call = add_full(writer, CALL_RECIPE, event->direction, sizeof *call, event->stream);
    if (!call)
        return -1;
    writer->is_strained = writer->is_strained || event->guess;
    call->event = *event;
    call->event.guess = NULL;
    armtap_recipe_hold(event->recipe);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct call_writer *writer = user;
    size_t length = note->text ? strlen(note->text) + 1 : 0;
    struct full_note *call = add_full(writer, CALL_NOTE, note->direction, sizeof *call + length, note->stream);
    if (!call)
        return -1;
    call->note = *note;
    call->has_text = note->text != NULL;
    if (length > 0)
        memcpy(call + 1, note->text, length);
    return 0;
}

/* Whether the connection ends with this event. */
static bool is_last(struct told *told, const struct armtap_event *event)
{
    if (event->type != ARMTAP_EVENT_CLOSE)
        return false;
    told->is_closed[event->direction] = true;
    return event->a != ARMTAP_CLOSE_FIN || told->is_closed[!event->direction];
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct call_writer *writer = user;
    struct full_event *call = add_full(writer, CALL_EVENT, event->direction, sizeof *call, event->stream);
    if (!call)
        return -1;
    call->event = *event;
    call->full.is_last = is_last(told_of(&writer->told, event->stream->connection), event);
    if (event->unreachable)
        call->unreachable = *event->unreachable;
    if (call->full.is_last)
        forget(&writer->told, event->stream->connection);
    return 0;
}

/* Only RTDE's are looked at, while there is no data, and only their type. */
static int on_message(void *user, const struct armtap_message *message)
{
    struct call_writer *writer = user;
    if (!is_kept_message(message))
        return 0;
    struct full_message *call = add_full(writer, CALL_MESSAGE, message->direction, sizeof *call, message->stream);
    if (!call)
        return -1;
    call->where = message->where;
    call->first = message->first;
    call->is_whole = kept_type(message, &call->type);
    return 0;
}

static int on_refused(void *user, const struct armtap_refused_setup *setup)
{
    struct call_writer *writer = user;
    size_t texts = 0;
    for (size_t i = 0; i < setup->refused_count; i++)
        texts += setup->refused[i].length;
    struct full_refused *call =
        add_full(writer, CALL_REFUSED, setup->direction,
                 sizeof *call + setup->refused_count * sizeof *setup->refused + texts, setup->stream);
    if (!call)
        return -1;
    struct armtap_refused *refused = (struct armtap_refused *)(call + 1);
    char *text = (char *)(refused + setup->refused_count);
    call->setup = *setup;
    armtap_recipe_hold(setup->accepted);
    for (size_t i = 0; i < setup->refused_count; i++) {
        refused[i] = setup->refused[i];
        memcpy(text, setup->refused[i].name, setup->refused[i].length);
        text += setup->refused[i].length;
    }
    return 0;
}

/* Of the sink that is called later; it is asked by several threads. */
static int wants_state(void *user, const struct armtap_stream *stream, enum armtap_direction direction)
{
    struct call_writer *writer = user;
    writer->is_wanted = writer->wanted->wants_state(writer->wanted_user, stream, direction) != 0;
    return writer->is_wanted;
}

static int on_traffic(void *user, const struct armtap_traffic *traffic)
{
    struct full_traffic *call = add_full(user, CALL_TRAFFIC, ARMTAP_FROM_ROBOT, sizeof *call, NULL);
    if (!call)
        return -1;
    call->traffic = *traffic;
    return 0;
}

/* Data without names. */
static int on_candidates(void *user, const struct armtap_candidates *candidates)
{
    struct call_writer *writer = user;
    writer->is_strained = writer->is_strained || candidates->count > 0;
    return 0;
}

/* What they mean depends on scripts that other connections brought. */
static int on_command(void *user, const struct armtap_command *command)
{
    struct call_writer *writer = user;
    (void)command;
    writer->is_strained = true;
    return 0;
}

bool call_writer_sink(const struct armtap_sink *wanted, struct armtap_sink *sink)
{
    *sink = (struct armtap_sink){.size = sizeof *sink};
#define IF_WANTED(callback) sink->callback = wanted->callback ? callback : NULL
    IF_WANTED(on_record);
    IF_WANTED(on_recipe);
    IF_WANTED(on_note);
    IF_WANTED(on_event);
    IF_WANTED(on_message);
    IF_WANTED(on_refused);
    IF_WANTED(on_traffic);
    IF_WANTED(on_candidates);
    IF_WANTED(on_command);
    IF_WANTED(wants_state);
#undef IF_WANTED
    return !wanted->on_text && !wanted->on_properties && !wanted->on_bytes;
}

/* ---- playing ----------------------------------------------------------------------------------------------------- */

/* The connections of a part. */
struct part_player {
    struct tellings told;
    uint64_t *numbers; /* of its connections, in the numbering of all parts */
    size_t count, room;
};

struct call_player {
    struct armtap_sink sink;
    void *user;
    uint64_t connections;                        /* so far */
    uint32_t shown[ARMTAP_ARMS_MAX];             /* what `sets` have, as in struct arm_values */
    uint32_t modes[ARMTAP_ARMS_MAX][KEPT_MODES]; /* of `states` */
    struct armtap_state *states;
    struct armtap_set sets[ARMTAP_ARMS_MAX];
    struct armtap_arm arms[ARMTAP_ARMS_MAX];
    unsigned parts;
    struct part_player part[];
};

struct call_player *call_player_new(unsigned parts, const struct armtap_sink *sink, void *user)
{
    struct call_player *player = calloc(1, sizeof *player + parts * sizeof *player->part);
    if (!player)
        return NULL;
    player->parts = parts;
    player->sink = *sink;
    player->user = user;
    player->states = calloc(ARMTAP_ARMS_MAX, sizeof *player->states);
    if (player->states)
        return player;
    call_player_free(player);
    return NULL;
}

void call_player_free(struct call_player *player)
{
    if (!player)
        return;
    for (unsigned i = 0; i < player->parts; i++) {
        tellings_free(&player->part[i].told);
        free(player->part[i].numbers);
    }
    free(player->states);
    free(player);
}

/* Numbers the connections in the order in which they are first heard of. False without memory. */
static bool number(struct call_player *player, struct part_player *part, uint32_t connection)
{
    while (part->count <= connection) {
        if (part->count == part->room) {
            size_t room = 2 * part->room + 16;
            uint64_t *numbers = realloc(part->numbers, room * sizeof *numbers);
            if (!numbers)
                return false;
            part->numbers = numbers;
            part->room = room;
        }
        part->numbers[part->count++] = player->connections++;
    }
    return true;
}

uint64_t call_player_connection(const struct call_player *player, unsigned part, const struct call_log *log)
{
    const struct head *head = has_call(log) ? next_call(log) : NULL;
    const struct full *full = head && !is_steady(head) ? next_call(log) : NULL;
    const struct part_player *of = &player->part[part];
    bool has = head && (!full || full->has_stream);
    return has && head->connection < of->count ? of->numbers[head->connection] : UINT64_MAX;
}

/* The fields that a record sets. */
static void show(struct call_player *player, size_t i, uint32_t has)
{
    player->shown[i] = has;
    player->sets[i] = (struct armtap_set){{0}};
    for (size_t k = 0; k < KEPT_MODES; k++)
        if (has >> k & 1)
            armtap_set_add(&player->sets[i], (unsigned)kept_modes[k]);
    if (has & HAS_TIMESTAMP)
        armtap_set_add(&player->sets[i], ARMTAP_ID_timestamp);
    add_kept_pose(&player->sets[i], pose_in(has));
    player->states[i].known = player->sets[i];
}

/* Without a pose, that of the state is another one, at which nobody looks. */
static void set_arm(struct call_player *player, size_t i, const struct arm_values *values, double timestamp,
                    const double *pose)
{
    struct armtap_state *state = &player->states[i];
    if (values->has != player->shown[i])
        show(player, i, values->has);
    for (size_t k = 0; k < KEPT_MODES; k++)
        if (values->mode[k] != player->modes[i][k])
            set_kept_mode(state, k, player->modes[i][k] = values->mode[k]);
    state->timestamp = timestamp;
    if (pose && pose_in(values->has) != KEPT_NO_POSE)
        set_kept_pose(state, pose_in(values->has), pose);
    player->arms[i] = (struct armtap_arm){values->number, &player->sets[i], state};
}

static struct armtap_record record_of(const struct call_player *player, const struct told *told,
                                      enum armtap_direction direction)
{
    const struct record_values *values = &told->record[direction];
    return (struct armtap_record){.stream = &told->stream,
                                  .direction = direction,
                                  .protocol = values->protocol,
                                  .version = values->version,
                                  .recipe_id = values->recipe_id,
                                  .recipe = values->recipe,
                                  .updated = &player->sets[0],
                                  .state = &player->states[0],
                                  .arms = player->arms,
                                  .arm_count = values->arm_count};
}

static int play_steady(struct call_player *player, struct told *told, const struct steady *call,
                       const struct armtap_where *where)
{
    enum armtap_direction direction = (enum armtap_direction)call->head.direction;
    struct armtap_stream *stream = &told->stream;
    stream->last = *where;
    stream->records[direction]++;
    stream->bytes_decoded[direction] += call->frame_length;
    for (int i = 0; i < 2; i++) {
        stream->packets[i] += call->packets[i];
        stream->payload[i] += call->payload[i];
    }
    set_arm(player, 0, &told->record[direction].arms[0], call->clock,
            call->head.kind == CALL_STEADY_POSE ? call->pose : NULL);
    struct armtap_record record = record_of(player, told, direction);
    record.where = *where;
    record.flags = call->head.flags;
    record.frame_length = call->frame_length;
    record.clock = call->clock;
    return player->sink.on_record(player->user, &record);
}

static int play_record(struct call_player *player, struct told *told, const struct full_record *call)
{
    enum armtap_direction direction = (enum armtap_direction)call->full.head.direction;
    struct record_values *values = &told->record[direction];
    armtap_recipe_release(values->recipe);
    *values = call->values;
    told->has_record[direction] = true;
    for (size_t i = 0; i < values->arm_count; i++)
        set_arm(player, i, &values->arms[i], values->arms[i].timestamp, values->arms[i].pose);
    struct armtap_record record = record_of(player, told, direction);
    record.where = call->where;
    record.flags = call->flags;
    record.frame_length = call->frame_length;
    record.clock = call->clock;
    return player->sink.on_record(player->user, &record);
}

static int play_recipe(const struct call_player *player, const struct full_recipe *call,
                       const struct armtap_stream *stream)
{
    struct armtap_recipe_event event = call->event;
    event.stream = stream;
    int answer = player->sink.on_recipe(player->user, &event);
    armtap_recipe_release((struct armtap_recipe *)event.recipe);
    return answer;
}

static int play_note(const struct call_player *player, const struct full_note *call, const struct armtap_stream *stream)
{
    struct armtap_note note = call->note;
    note.stream = stream;
    note.text = call->has_text ? (const char *)(call + 1) : NULL;
    return player->sink.on_note(player->user, &note);
}

static int play_event(const struct call_player *player, const struct full_event *call,
                      const struct armtap_stream *stream)
{
    struct armtap_event event = call->event;
    event.stream = stream;
    event.unreachable = event.unreachable ? &call->unreachable : NULL;
    return player->sink.on_event(player->user, &event);
}

static int play_message(const struct call_player *player, const struct full_message *call,
                        const struct armtap_stream *stream)
{
    const struct bare_message bare = bare_message_of(call->type);
    const struct armtap_message message = {.stream = stream,
                                           .where = call->where,
                                           .first = call->first,
                                           .direction = (enum armtap_direction)call->full.head.direction,
                                           .skipped = !call->is_whole,
                                           .bytes = bare.bytes,
                                           .length = sizeof bare.bytes};
    return player->sink.on_message(player->user, &message);
}

static int play_refused(const struct call_player *player, struct full_refused *call, const struct armtap_stream *stream)
{
    struct armtap_refused_setup setup = call->setup;
    struct armtap_refused *refused = (struct armtap_refused *)(call + 1);
    const char *text = (const char *)(refused + setup.refused_count);
    for (size_t i = 0; i < setup.refused_count; i++) {
        refused[i].name = text;
        text += refused[i].length;
    }
    setup.stream = stream;
    setup.refused = refused;
    int answer = player->sink.on_refused(player->user, &setup);
    armtap_recipe_release((struct armtap_recipe *)setup.accepted);
    return answer;
}

static int play_full(struct call_player *player, struct told *told, struct full *full)
{
    const struct armtap_stream *stream = told ? &told->stream : NULL;
    switch ((enum call_kind)full->head.kind) {
    case CALL_RECORD:
        return play_record(player, told, (struct full_record *)full);
    case CALL_RECIPE:
        return play_recipe(player, (struct full_recipe *)full, stream);
    case CALL_NOTE:
        return play_note(player, (struct full_note *)full, stream);
    case CALL_EVENT:
        return play_event(player, (struct full_event *)full, stream);
    case CALL_MESSAGE:
        return play_message(player, (struct full_message *)full, stream);
    case CALL_REFUSED:
        return play_refused(player, (struct full_refused *)full, stream);
    default:
        return player->sink.on_traffic(player->user, &((struct full_traffic *)full)->traffic);
    }
}

static int play_next(struct call_player *player, unsigned part, struct call_log *log, const struct armtap_where *where)
{
    void *call = next_call(log);
    const struct head *head = call;
    struct part_player *of = &player->part[part];
    uint32_t connection = head->connection;
    struct told *told = NULL;
    pass_call(log);
    if (is_steady(head))
        return play_steady(player, told_of(&of->told, connection), call, where);
    struct full *full = call;
    if (full->has_stream) {
        told = number(player, of, connection) ? tell(&of->told, connection) : NULL;
        if (!told) {
            drop_call(full);
            return ARMTAP_ERR_MEMORY;
        }
        told->stream = full->stream;
        told->stream.connection = of->numbers[connection];
    }
    int answer = play_full(player, told, full);
    if (full->is_last)
        forget(&of->told, connection);
    return answer;
}

int call_player_play(struct call_player *player, unsigned part, struct call_log *log, uint32_t packet,
                     const struct armtap_where *where, bool only_overdue)
{
    int answer = 0;
    while (answer == 0 && call_log_next(log) == packet && (!only_overdue || call_log_next_is_overdue(log)))
        answer = play_next(player, part, log, where);
    return answer;
}

int call_player_play_one(struct call_player *player, unsigned part, struct call_log *log)
{
    return play_next(player, part, log, NULL);
}
