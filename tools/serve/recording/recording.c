#include "recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/armtap-analysis.h"
#include "base/process/message.h"
#include "nanoseconds.h"

bool recording_protocol(enum armtap_protocol protocol, enum served *served)
{
    *served = protocol == ARMTAP_RTDE ? SERVED_RTDE : SERVED_REALTIME;
    return protocol == ARMTAP_RTDE || protocol == ARMTAP_REALTIME;
}

/* ---- robots and streams ------------------------------------------------------------------------------------------ */

static void free_robot(struct recorded_robot *robot)
{
    if (!robot)
        return;
    presence_free(robot->presence);
    variables_free(robot->variables);
    free(robot);
}

static struct recorded_robot *make_robot(const char *address, struct presence_room *room)
{
    struct recorded_robot *robot = calloc(1, sizeof *robot);
    if (!robot)
        return NULL;
    memcpy(robot->address, address, strlen(address) + 1);
    robot->first_time = robot->last_time = ARMTAP_NO_TIME;
    robot->earliest = INT64_MAX;
    robot->latest = INT64_MIN;
    robot->variables = variables_new();
    robot->presence = robot->variables ? presence_new(robot->variables, room) : NULL;
    if (robot->presence)
        return robot;
    free_robot(robot);
    return NULL;
}

/* Addresses of IPv6 may lack their brackets. */
static bool is_address(const char *recorded, const char *given)
{
    size_t length = strlen(given);
    bool bare = recorded[0] == '[' && given[0] != '[';
    return bare ? strlen(recorded) == length + 2 && memcmp(recorded + 1, given, length) == 0
                : strcmp(recorded, given) == 0;
}

long recording_robot(const struct recording *recording, const char *address)
{
    for (size_t i = 0; i < recording->robot_count; i++)
        if (is_address(recording->robots[i]->address, address))
            return (long)i;
    return -1;
}

static struct recorded_stream *stream_of(const struct recording *recording, uint64_t connection)
{
    for (size_t i = recording->stream_count; i > 0; i--)
        if (recording->streams[i - 1].connection == connection)
            return (struct recorded_stream *)&recording->streams[i - 1];
    return NULL;
}

uint64_t recording_weight(const struct recording *recording, uint64_t connection)
{
    const struct recorded_stream *stream = stream_of(recording, connection);
    return stream ? stream->records : 0;
}

/* Finds or adds the robot of a record. 0, 1 if there are too many, -1 if memory runs out. */
static int find_robot(struct recording *recording, const struct armtap_record *record, size_t *robot)
{
    char address[64];
    other_ports_host(address, record->stream->robot);
    long found = recording_robot(recording, address);
    *robot = found < 0 ? recording->robot_count : (size_t)found;
    if (found >= 0)
        return 0;
    if (recording->robot_count == RECORDING_ROBOTS_MAX) {
        recording->robots_left_out++;
        return 1;
    }
    struct recorded_robot *made = make_robot(address, &recording->room);
    if (!made)
        return -1;
    recording->robots[recording->robot_count++] = made;
    return 0;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void count_step(struct recording *recording, struct recorded_robot *robot, size_t index,
                       const struct armtap_record *record, enum served protocol)
{
    struct recorded_stream *stream = stream_of(recording, record->stream->connection);
    if (!stream && recording->stream_count < RECORDING_STREAMS_MAX) {
        stream = &recording->streams[recording->stream_count++];
        *stream = (struct recorded_stream){record->stream->connection, index, protocol, 0, NAN};
    }
    if (!stream)
        return;
    double ms = (record->clock - stream->clock) * 1000;
    if (ms >= 0.5 && ms < RECORDING_STEPS - 1)
        robot->steps[protocol][lround(ms)]++;
    stream->clock = record->clock;
    stream->records++;
}

/* In a damaged capture times go forth and back; the sum of the gaps ends at what a number holds. */
static void count_gap(struct recorded_robot *robot, int64_t gap)
{
    if (gap > RECORDING_GAP)
        robot->silence = robot->silence > INT64_MAX - gap ? INT64_MAX : robot->silence + gap;
}

static void count_time(struct recorded_robot *robot, int64_t time)
{
    if (time == ARMTAP_NO_TIME)
        return;
    if (robot->last_time == ARMTAP_NO_TIME)
        robot->first_time = time;
    else
        count_gap(robot, time - robot->last_time);
    robot->last_time = time;
    if (time < robot->earliest)
        robot->earliest = time;
    if (time > robot->latest)
        robot->latest = time;
}

static int on_record(void *user, const struct armtap_record *record)
{
    struct recording *recording = user;
    enum served protocol;
    size_t index;
    if (armtap_streams_record(recording->numbers, record) != ARMTAP_OK)
        return REPLAY_NO_MEMORY;
    bool is_ours = recording_protocol(record->protocol, &protocol);
    recording->has_other = recording->has_other || !is_ours;
    if (!is_ours || record->direction != ARMTAP_FROM_ROBOT)
        return 0;
    if (!record->recipe) {
        recording->opaque++;
        return 0;
    }
    int outcome = find_robot(recording, record, &index);
    if (outcome != 0)
        return outcome < 0 ? REPLAY_NO_MEMORY : 0;
    struct recorded_robot *robot = recording->robots[index];
    robot->records[protocol]++;
    robot->guessed += (record->flags & ARMTAP_GUESSED) != 0 ? 1 : 0;
    robot->cut[protocol] += record->missing_count > 0 ? 1 : 0;
    count_time(robot, record->read.time);
    if (protocol == SERVED_REALTIME && record->frame_length > robot->packet_size)
        robot->packet_size = record->frame_length;
    if (record->stream->controller_version[0] != '\0')
        memcpy(robot->version, record->stream->controller_version, sizeof robot->version);
    if (record->stream->generation != ARMTAP_GENERATION_UNKNOWN)
        robot->generation = record->stream->generation;
    count_step(recording, robot, index, record, protocol);
    return presence_learn(robot->presence, record) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static int on_recipe(void *user, const struct armtap_recipe_event *event)
{
    struct recording *recording = user;
    return armtap_streams_recipe(recording->numbers, event) == ARMTAP_OK ? 0 : REPLAY_NO_MEMORY;
}

static int on_event(void *user, const struct armtap_event *event)
{
    struct recording *recording = user;
    if (other_ports_event(recording->other, event) != 0)
        return REPLAY_NO_MEMORY;
    return armtap_streams_event(recording->numbers, event) == ARMTAP_OK ? 0 : REPLAY_NO_MEMORY;
}

static int on_bytes(void *user, const struct armtap_bytes *bytes)
{
    struct recording *recording = user;
    return other_ports_bytes(recording->other, bytes) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static int on_message(void *user, const struct armtap_message *message)
{
    struct recording *recording = user;
    return other_ports_message(recording->other, message) == 0 ? 0 : REPLAY_NO_MEMORY;
}

static int on_port_message(void *user, const struct port_message *message)
{
    struct recording *recording = user;
    return recorded_ports_message(recording->ports, message);
}

static int on_port_reply(void *user, const struct port_reply *reply)
{
    struct recording *recording = user;
    return recorded_ports_reply(recording->ports, reply);
}

int64_t recording_cycle(const struct recorded_robot *robot, enum served protocol)
{
    size_t best = 0;
    for (size_t i = 1; i < RECORDING_STEPS; i++)
        if (robot->steps[protocol][i] > robot->steps[protocol][best])
            best = i;
    return (int64_t)best * MILLISECOND;
}

long recording_robot_of_stream(const struct recording *recording, uint64_t number, uint64_t *connection)
{
    const struct armtap_stream_summary *summary = armtap_streams_at(recording->numbers, (size_t)number);
    if (!summary)
        return -1;
    *connection = summary->stream->connection;
    const struct recorded_stream *stream = stream_of(recording, *connection);
    return stream ? (long)stream->robot : -1;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

void recording_free(struct recording *recording)
{
    for (size_t i = 0; i < recording->robot_count; i++)
        free_robot(recording->robots[i]);
    recorded_ports_free(recording->ports);
    other_ports_free(recording->other);
    armtap_streams_free(recording->numbers);
    *recording = (struct recording){0};
}

static int end_reading(struct recording *recording)
{
    armtap_streams_number(recording->numbers);
    for (size_t i = 0; i < recording->robot_count; i++)
        if (presence_end(recording->robots[i]->presence) != 0)
            return -1;
    return 0;
}

static int begin_reading(void *user)
{
    struct recording *recording = user;
    const struct other_ports_wish wish = {.on_message = on_port_message, .on_reply = on_port_reply, .user = recording};
    recording_free(recording);
    recording->room = (struct presence_room)PRESENCE_ROOM;
    recording->numbers = armtap_streams_new();
    recording->ports = recorded_ports_new();
    recording->other = other_ports_new(&wish);
    return recording->numbers && recording->ports && recording->other ? 0 : -1;
}

enum exit_status recording_read(struct recording *recording, const struct replay_source *source)
{
    const struct armtap_sink sink = {.size = sizeof sink,
                                     .on_record = on_record,
                                     .on_recipe = on_recipe,
                                     .on_event = on_event,
                                     .on_message = on_message,
                                     .on_bytes = on_bytes};
    struct replay_totals totals = {0};
    enum exit_status status = EXIT_FAILED;
    bool began = begin_reading(recording) == 0;
    if (began)
        status = replay_learning(source, &sink, recording, begin_reading, &totals);
    recording->totals = totals;
    if (began && end_reading(recording) == 0)
        return status;
    message_no_memory();
    recording->totals.broken_off = true;
    return EXIT_FAILED;
}
