#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "transcript_rows.h"

#define TEXT_MAX 4096

/* Reasons that the library gives for ICMP errors: it has fewer. */
#define REASONS_MAX 32
#define REASON_MAX 128

struct transcript_player {
    const uint8_t *at, *end;
    bool is_damaged;
    struct by_connection told; /* struct told, of the transcript that is played */
    struct told capture;
    uint64_t connection;
    struct armtap_recipe *recipe; /* stands for all */
    struct armtap_state *states;  /* of arms */
    struct armtap_set sets[ARMTAP_ARMS_MAX];
    struct armtap_arm arms[ARMTAP_ARMS_MAX];
    char reasons[REASONS_MAX][REASON_MAX]; /* which must live as long as the player */
    size_t reason_count;
    char texts[2][TEXT_MAX];
    bool lacks_memory;
};

/* An entry up to its texts. */
struct entry {
    enum armtap_direction direction;
    struct told *told;
    const struct armtap_stream *stream; /* NULL: none */
    struct call call;
};

struct transcript_player *transcript_player_new(void)
{
    struct transcript_player *player = calloc(1, sizeof *player);
    if (!player)
        return NULL;
    player->states = calloc(ARMTAP_ARMS_MAX, sizeof *player->states);
    if (player->states && armtap_recipe_rtde("timestamp", "DOUBLE", &player->recipe) == ARMTAP_OK)
        return player;
    transcript_player_free(player);
    return NULL;
}

void transcript_player_free(struct transcript_player *player)
{
    if (!player)
        return;
    rows_forget(&player->told);
    free(player->told.slots);
    if (player->recipe)
        armtap_recipe_release(player->recipe);
    free(player->states);
    free(player);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static uint64_t get_number(struct transcript_player *player)
{
    uint64_t number = 0;
    for (unsigned shift = 0; player->at < player->end && shift < 64; shift += 7) {
        uint8_t byte = *player->at++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return number;
    }
    player->is_damaged = true;
    return 0;
}

/* A text of less than `size` bytes; NULL if there is none. */
static const char *get_text(struct transcript_player *player, char *to, size_t size)
{
    uint64_t length = get_number(player);
    if (length == 0)
        return NULL;
    if (--length >= size || length > (uint64_t)(player->end - player->at)) {
        player->is_damaged = true;
        return NULL;
    }
    memcpy(to, player->at, (size_t)length);
    to[length] = '\0';
    player->at += length;
    return to;
}

static void get_row(struct transcript_player *player, struct row *row, uint64_t numbers[ROW_MAX], size_t count)
{
    uint64_t mask = get_number(player);
    rows_expect(row, numbers);
    for (size_t i = 0; i < count; i++) {
        uint64_t off = mask >> i & 1 ? get_number(player) : 0;
        numbers[i] += off >> 1 ^ (off & 1 ? UINT64_MAX : 0);
    }
    player->is_damaged = player->is_damaged || mask >> count != 0;
    rows_advance(row, numbers, count);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static struct told *told_of(struct transcript_player *player, bool is_new)
{
    struct told *told = by_connection_find(&player->told, player->connection);
    if (told || !is_new || player->told.count == STREAMS_MAX) {
        player->is_damaged = player->is_damaged || !told;
        return told;
    }
    told = calloc(1, sizeof *told);
    if (told && by_connection_add(&player->told, player->connection, told))
        return told;
    free(told);
    player->lacks_memory = true;
    return NULL;
}

static const struct armtap_protocol_info *protocol_of(enum armtap_protocol protocol)
{
    const struct armtap_protocol_info *info;
    for (size_t i = 0; (info = armtap_protocol_at(i)); i++)
        if (info->protocol == protocol)
            return info;
    return NULL;
}

static bool is_stream_sound(const struct armtap_stream *stream)
{
    return (unsigned)stream->generation <= ARMTAP_GENERATION_AUBO && (unsigned)stream->origin <= ARMTAP_ORIGIN_SOCKET &&
           (stream->protocol == ARMTAP_PROTOCOL_NONE || stream->info);
}

static void get_stream(struct transcript_player *player, struct told *told, const struct call *call)
{
    struct armtap_stream *stream = &told->stream;
    uint64_t numbers[ROW_MAX];
    size_t count = rows_from_stream(numbers, stream, call);
    get_row(player, &told->of_stream, numbers, count);
    rows_to_stream(stream, numbers, call);
    stream->connection = player->connection;
    stream->info = protocol_of(stream->protocol);
    player->is_damaged = player->is_damaged || !is_stream_sound(stream);
}

static void get_names(struct transcript_player *player, struct armtap_stream *stream)
{
    bool robot = get_text(player, stream->robot, sizeof stream->robot) != NULL;
    bool client = get_text(player, stream->client, sizeof stream->client) != NULL;
    bool version = get_text(player, stream->controller_version, sizeof stream->controller_version) != NULL;
    player->is_damaged = player->is_damaged || !robot || !client || !version;
}

/* Reads an entry up to its texts. */
static void get_entry(struct transcript_player *player, unsigned head, struct entry *entry)
{
    uint64_t numbers[ROW_MAX];
    if (head & ENTRY_OTHER_STREAM)
        player->connection = get_number(player);
    struct told *told = head & ENTRY_HAS_STREAM ? told_of(player, head & ENTRY_NAMES) : &player->capture;
    *entry = (struct entry){.told = told, .stream = told && head & ENTRY_HAS_STREAM ? &told->stream : NULL};
    if (!told)
        return;
    if (head & ENTRY_NAMES)
        get_names(player, &told->stream);
    size_t count = rows_from_call(numbers, &entry->call);
    get_row(player, &told->of_call[head & ENTRY_KIND], numbers, count);
    rows_to_call(&entry->call, numbers);
    if (entry->stream)
        get_stream(player, told, &entry->call);
    player->is_damaged = player->is_damaged || entry->call.direction > ARMTAP_TO_ROBOT;
    entry->direction = entry->call.direction == ARMTAP_FROM_ROBOT ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void get_arm(struct transcript_player *player, size_t i, const uint64_t numbers[ARM_NUMBERS])
{
    struct armtap_state *state = &player->states[i];
    player->sets[i] = (struct armtap_set){{0}};
    for (size_t k = 0; k < KEPT_MODES; k++) {
        if (numbers[1] >> k & 1)
            armtap_set_add(&player->sets[i], (unsigned)kept_modes[k]);
        set_kept_mode(state, k, (int64_t)numbers[2 + k]);
    }
    player->arms[i] = (struct armtap_arm){(unsigned)numbers[0], &player->sets[i], state};
    player->is_damaged = player->is_damaged || numbers[0] < 1 || numbers[0] > ARMTAP_ARMS_MAX;
}

/* Of the first arm. */
static void get_pose(struct transcript_player *player, uint32_t content)
{
    const size_t size = content < KEPT_POSES ? kept_pose_size((enum kept_pose)content) : 0;
    double pose[KEPT_POSE];
    if (content >= KEPT_POSES || (size_t)(player->end - player->at) / sizeof *pose < size) {
        player->is_damaged = true;
        return;
    }
    for (size_t i = 0; i < size; i++) {
        uint64_t bits = 0;
        for (unsigned shift = 0; shift < 64; shift += 8)
            bits |= (uint64_t)*player->at++ << shift;
        memcpy(&pose[i], &bits, sizeof pose[i]);
    }
    set_kept_pose(&player->states[0], (enum kept_pose)content, pose);
    add_kept_pose(&player->sets[0], (enum kept_pose)content);
}

static int play_record(struct transcript_player *player, const struct entry *entry, const struct armtap_sink *sink,
                       void *user)
{
    const struct call *call = &entry->call;
    uint64_t numbers[ROW_MAX];
    player->is_damaged = player->is_damaged || call->arms > ARMTAP_ARMS_MAX;
    if (call->arms > 0)
        get_row(player, &entry->told->of_modes, numbers, ARMTAP_ARMS_MAX * ARM_NUMBERS);
    for (size_t i = 0; i < call->arms && i < ARMTAP_ARMS_MAX; i++)
        get_arm(player, i, numbers + i * ARM_NUMBERS);
    get_pose(player, call->content);
    const struct armtap_record record = {.stream = entry->stream,
                                         .where = call->where,
                                         .direction = entry->direction,
                                         .protocol = entry->stream ? entry->stream->protocol : ARMTAP_PROTOCOL_NONE,
                                         .version = (int)call->version,
                                         .flags = call->flags,
                                         .recipe_id = (int)call->recipe_id,
                                         .recipe = call->has_recipe ? player->recipe : NULL,
                                         .updated = &player->sets[0],
                                         .state = &player->states[0],
                                         .frame_length = (size_t)call->frame_length,
                                         .arms = player->arms,
                                         .arm_count = call->arms,
                                         .clock = call->clock};
    return player->is_damaged ? 0 : sink->on_record(user, &record);
}

/* The recipe of a set-up's fields, which the caller releases; NULL: none, or that of all. */
static struct armtap_recipe *get_fields(struct transcript_player *player)
{
    uint64_t count = get_number(player);
    struct buffer names = {0};
    struct armtap_recipe *recipe = NULL;
    player->is_damaged = player->is_damaged || count > FIELDS_MAX;
    for (uint64_t i = 0; i < count && !player->is_damaged; i++) {
        const char *name = get_text(player, player->texts[0], TEXT_MAX);
        player->is_damaged = player->is_damaged || !name;
        buffer_string(&names, i > 0 ? "," : "");
        buffer_string(&names, name ? name : "");
    }
    buffer_char(&names, '\0');
    int error = names.failed ? ARMTAP_ERR_MEMORY : ARMTAP_OK;
    if (count > 0 && !player->is_damaged && error == ARMTAP_OK)
        error = armtap_recipe_rtde(names.data, NULL, &recipe);
    free(names.data);
    player->lacks_memory = player->lacks_memory || error == ARMTAP_ERR_MEMORY;
    player->is_damaged = player->is_damaged || error != ARMTAP_OK;
    return recipe;
}

static int play_recipe(struct transcript_player *player, const struct entry *entry, const struct armtap_sink *sink,
                       void *user)
{
    struct armtap_recipe *fields = get_fields(player);
    const struct armtap_recipe_event event = {.stream = entry->stream,
                                              .where = entry->call.where,
                                              .direction = entry->direction,
                                              .recipe_id = (int)entry->call.recipe_id,
                                              .frequency = entry->call.frequency,
                                              .flags = entry->call.flags,
                                              .recipe = fields ? fields : player->recipe};
    int answer = player->is_damaged ? 0 : sink->on_recipe(user, &event);
    armtap_recipe_release(fields);
    return answer;
}

#define ARGUMENTS_MAX 32

/* Texts stay in the transcript: they end with their length. */
static size_t get_arguments(struct transcript_player *player, struct armtap_argument arguments[ARGUMENTS_MAX])
{
    uint64_t count = get_number(player);
    player->is_damaged = player->is_damaged || count > ARGUMENTS_MAX;
    for (size_t i = 0; i < count && !player->is_damaged; i++) {
        struct armtap_argument *argument = &arguments[i];
        *argument = (struct armtap_argument){.id = (uint16_t)get_number(player), .word = (uint16_t)get_number(player)};
        argument->value.count = get_number(player);
        enum armtap_argument_type type = armtap_argument_kind(argument)->type;
        if (type != ARMTAP_TEXT && type != ARMTAP_QUOTED)
            continue;
        player->is_damaged = player->is_damaged || argument->value.count > (uint64_t)(player->end - player->at);
        if (player->is_damaged)
            return 0;
        argument->length = (uint32_t)argument->value.count;
        argument->value.text = (const char *)player->at;
        player->at += argument->length;
    }
    return player->is_damaged ? 0 : (size_t)count;
}

static int play_note(struct transcript_player *player, const struct entry *entry, const struct armtap_sink *sink,
                     void *user)
{
    const char *id = get_text(player, player->texts[0], TEXT_MAX), *text = get_text(player, player->texts[1], TEXT_MAX);
    struct armtap_argument arguments[ARGUMENTS_MAX];
    size_t count = get_arguments(player, arguments);
    const struct armtap_note note = {.kind = id ? armtap_note_find(id) : NULL,
                                     .stream = entry->stream,
                                     .where = entry->call.where,
                                     .direction = entry->direction,
                                     .text = text,
                                     .arguments = {arguments, count}};
    player->is_damaged = player->is_damaged || !note.kind;
    return player->is_damaged ? 0 : sink->on_note(user, &note);
}

/* The same text, which is kept. */
static const char *keep_reason(struct transcript_player *player, const char *text)
{
    size_t i = 0;
    while (i < player->reason_count && strcmp(player->reasons[i], text) != 0)
        i++;
    if (i == REASONS_MAX) {
        player->is_damaged = true;
        return "";
    }
    if (i == player->reason_count)
        memcpy(player->reasons[player->reason_count++], text, strlen(text) + 1);
    return player->reasons[i];
}

static int play_event(struct transcript_player *player, const struct entry *entry, const struct armtap_sink *sink,
                      void *user)
{
    const struct call *call = &entry->call;
    struct armtap_unreachable why = {.type = call->version, .code = call->code};
    if (call->has_text) {
        bool has_reporter = get_text(player, why.reporter, sizeof why.reporter) != NULL;
        const char *reason = get_text(player, player->texts[0], REASON_MAX);
        player->is_damaged = player->is_damaged || !has_reporter || !reason;
        why.reason = reason ? keep_reason(player, reason) : "";
    }
    const struct armtap_event event = {.stream = entry->stream,
                                       .where = call->where,
                                       .direction = entry->direction,
                                       .type = (enum armtap_event_type)call->type,
                                       .a = call->a,
                                       .doubtful = call->doubtful,
                                       .unreachable = call->has_text ? &why : NULL};
    player->is_damaged = player->is_damaged || call->type > ARMTAP_EVENT_KEEP_ALIVE ||
                         (call->type == ARMTAP_EVENT_UNREACHABLE && !call->has_text);
    return player->is_damaged ? 0 : sink->on_event(user, &event);
}

static int play_message(const struct transcript_player *player, const struct entry *entry,
                        const struct armtap_sink *sink, void *user)
{
    const struct bare_message bare = bare_message_of((uint8_t)entry->call.content);
    const struct armtap_message message = {.stream = entry->stream,
                                           .where = entry->call.where,
                                           .first = entry->call.first,
                                           .direction = entry->direction,
                                           .skipped = entry->call.doubtful,
                                           .bytes = bare.bytes,
                                           .length = sizeof bare.bytes};
    return player->is_damaged ? 0 : sink->on_message(user, &message);
}

static struct armtap_command_value argument(const char *name, enum armtap_type type, uint64_t number)
{
    return (struct armtap_command_value){{.name = name, .type = type, .count = 1, .present = true, .u64 = {number}},
                                         ""};
}

/* What the analysis looks at of the arguments. Returns their number. */
static size_t arguments_of(struct armtap_command_value arguments[2], const struct call *call)
{
    size_t count = 0;
    if (call->a != 0) {
        arguments[count] = argument(call->flags & COMMAND_HAS_TARGET ? "target" : "given", ARMTAP_UINT64, call->a);
        count++;
    }
    if (call->flags & COMMAND_IS_ASYNCHRONOUS) {
        arguments[count] = argument("asynchronous", ARMTAP_BOOL, 1);
        count++;
    }
    return count;
}

static int play_sent(const struct entry *entry, const struct armtap_sink *sink, void *user)
{
    const struct armtap_command_reading reading = {.name = ""};
    const struct armtap_command sent = {.stream = entry->stream,
                                        .reading_count = 1,
                                        .readings = &reading,
                                        .ending = ARMTAP_COMMAND_SENT,
                                        .issued = entry->call.where};
    return sink->on_command(user, &sent);
}

static int play_command(struct transcript_player *player, const struct entry *entry, const struct armtap_sink *sink,
                        void *user)
{
    const struct call *call = &entry->call;
    struct armtap_command_value arguments[2];
    const char *name = get_text(player, player->texts[0], TEXT_MAX),
               *cause = get_text(player, player->texts[1], REASON_MAX);
    const struct armtap_command_reading reading = {.name = name,
                                                   .usual = call->frequency,
                                                   .argument_count = arguments_of(arguments, call),
                                                   .arguments = arguments};
    struct armtap_command command = {.stream = entry->stream,
                                     .code = (int32_t)call->code,
                                     .reading_count = 1,
                                     .readings = &reading,
                                     .is_unknown = call->has_recipe,
                                     .ending = (enum armtap_command_ending)call->type,
                                     .was_paused = (call->flags & COMMAND_WAS_PAUSED) != 0,
                                     .bytes_missing = call->doubtful,
                                     .issued = call->where,
                                     .is_acknowledged = call->content != 0,
                                     .acknowledged = call->first,
                                     .duration = call->clock,
                                     .duration_least = call->least};
    player->is_damaged =
        player->is_damaged || !name || call->type > ARMTAP_COMMAND_UNFINISHED || (cause != NULL) != call->has_text;
    if (!player->is_damaged && cause)
        command.cause = keep_reason(player, cause);
    if (player->is_damaged)
        return 0;
    int answer = call->flags & COMMAND_AFTER_SENT ? play_sent(entry, sink, user) : 0;
    return answer != 0 ? answer : sink->on_command(user, &command);
}

static int play_entry(struct transcript_player *player, const struct armtap_sink *sink, void *user)
{
    unsigned head = *player->at++, kind = head & ENTRY_KIND;
    struct entry entry;
    if (head == ENTRY_FORGET) {
        rows_forget(&player->told);
        return 0;
    }
    player->is_damaged = kind >= ENTRY_KINDS || head > ENTRY_MOST;
    if (player->is_damaged)
        return 0;
    get_entry(player, head, &entry);
    player->is_damaged = player->is_damaged || (kind != ENTRY_NOTE && !entry.stream);
    if (player->is_damaged || player->lacks_memory)
        return 0;
    switch (kind) {
    case ENTRY_RECORD:
        return play_record(player, &entry, sink, user);
    case ENTRY_RECIPE:
        return play_recipe(player, &entry, sink, user);
    case ENTRY_NOTE:
        return play_note(player, &entry, sink, user);
    case ENTRY_EVENT:
        return play_event(player, &entry, sink, user);
    case ENTRY_COMMAND:
        return play_command(player, &entry, sink, user);
    default:
        return play_message(player, &entry, sink, user);
    }
}

static bool is_whole(const uint8_t *bytes, size_t length)
{
    uint64_t sum = 0;
    if (length < 1 + SUM_BYTES || bytes[0] != TRANSCRIPT_VERSION)
        return false;
    for (unsigned i = 0; i < SUM_BYTES; i++)
        sum |= (uint64_t)bytes[length - SUM_BYTES + i] << 8 * i;
    return sum == rows_sum(bytes, length - SUM_BYTES);
}

enum transcript_outcome transcript_play(struct transcript_player *player, const uint8_t *bytes, size_t length,
                                        const struct armtap_sink *sink, void *user)
{
    int outcome = 0;
    if (!is_whole(bytes, length))
        return TRANSCRIPT_DAMAGED;
    player->at = bytes + 1;
    player->end = bytes + length - SUM_BYTES;
    player->is_damaged = false;
    player->connection = 0;
    rows_forget(&player->told);
    player->capture = (struct told){.stream = {.connection = 0}};
    while (outcome == 0 && player->at < player->end && !player->is_damaged && !player->lacks_memory)
        outcome = play_entry(player, sink, user);
    if (outcome != 0 || player->lacks_memory)
        return TRANSCRIPT_STOPPED;
    return player->is_damaged ? TRANSCRIPT_DAMAGED : TRANSCRIPT_PLAYED;
}
