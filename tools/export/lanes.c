/* Lanes: the connections to one robot that follow one another, by one protocol. Where streams lie side by side, as
 * topics do, a lane is one thing, however often its client connects again. Connections at the same time have lanes of
 * their own, since each has the robot's data. */
#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include <stdlib.h>
#include <string.h>

/* Who sends nothing for so long while another connection begins is taken for gone, where nothing more is known, ns. */
#define GONE_AFTER INT64_C(1000000000)

void lanes_forget(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->by_robot.count; i++)
        for (struct lane *lane = lanes->by_robot.slots[i].thing, *next; lane; lane = next) {
            next = lane->next;
            free(lane->robot);
            free(lane);
        }
    free(lanes->by_robot.slots);
    *lanes = (struct lanes){.recent = NULL};
}

/* Whether the connection that has the lane has no more rows. A source that is read twice shows it; else, the connection
 * was closed, or is silent. */
static bool is_free(const struct job *job, const struct lane *lane, int64_t now)
{
    const struct armtap_stream_summary *summary = armtap_streams_of(job->streams, lane->connection);
    if (*lane->robot == '\0')
        return false;
    if (!job->once && summary)
        return summary->last[job->wish->direction].time < now;
    return !tables_is_open(job->tables, lane->connection, job->wish->direction) || now - lane->last > GONE_AFTER;
}

static struct lane *make_lane(struct lanes *lanes, uint64_t hash, struct lane *first, const struct lane *model)
{
    struct lane *lane = malloc(sizeof *lane);
    if (!lane)
        return NULL;
    *lane = *model;
    lane->robot = strdup(model->robot);
    if (lane->robot && first) {
        lane->next = first->next;
        first->next = lane;
        return lane;
    }
    if (lane->robot && by_connection_add(&lanes->by_robot, hash, lane))
        return lane;
    free(lane->robot);
    free(lane);
    return NULL;
}

/* The lane of that robot and protocol that the connection has, or takes, or a new one. */
static struct lane *find_lane(struct job *job, const struct armtap_record *record, struct lane *wanted)
{
    struct lanes *lanes = &job->lanes;
    if (lanes->by_robot.count == 0)
        lanes->key = armtap_hash_draw_key();
    uint64_t hash = armtap_hash_numbers(&lanes->key, armtap_hash_text(&lanes->key, wanted->robot), wanted->protocol);
    struct lane *first = by_connection_find(&lanes->by_robot, hash), *freed = NULL;
    for (struct lane *lane = first; lane; lane = lane->next) {
        if (lane->protocol != wanted->protocol || strcmp(lane->robot, wanted->robot) != 0)
            continue;
        if (lane->connection == wanted->connection)
            return lane;
        wanted->place++;
        if (is_free(job, lane, record->read.time) && (!freed || lane->place < freed->place))
            freed = lane;
    }
    if (freed)
        freed->connection = wanted->connection;
    return freed ? freed : make_lane(lanes, hash, first, wanted);
}

const struct lane *job_lane(struct job *job, const struct armtap_record *record, const char *robot)
{
    struct lanes *lanes = &job->lanes;
    struct lane wanted = {.robot = (char *)(uintptr_t)robot,
                          .protocol = record->protocol,
                          .number = tables_stream_number(job->tables, record->stream->connection),
                          .place = 1,
                          .connection = record->stream->connection};
    if (!lanes->recent || lanes->recent->connection != wanted.connection)
        lanes->recent = find_lane(job, record, &wanted);
    if (lanes->recent)
        lanes->recent->last = record->read.time;
    return lanes->recent;
}
