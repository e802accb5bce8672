#include "knowledge.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/budget.h"
#include "by_connection.h"

#define GUESSES_MOST 16384u
#define SAMPLES_LEAST (1024 * 1024) /* bytes of samples, however scarce memory is */

struct robot_entry {
    struct armtap_address address;
    struct armtap_robot *robot; /* NULL: the entry is free */
    bool proven;                /* telemetry came from there */
};

struct armtap_knowledge {
    unsigned holders;
    bool sealed;
    struct robot_entry robots[ARMTAP_LIMIT_robots];
    size_t turn;                  /* entry to give up next */
    struct by_connection guesses; /* struct armtap_guess */
    size_t sample_bytes, learned_bytes;
    size_t own_bytes; /* of recipes of robots without an entry */
    size_t oldest;    /* no guess before this one keeps a sample */
};

static struct armtap_guess *guess_at(const struct armtap_knowledge *knowledge, size_t i)
{
    return knowledge->guesses.slots[i].thing;
}

int armtap_knowledge_new(struct armtap_knowledge **knowledge)
{
    if (!knowledge)
        return ARMTAP_ERR_ARGUMENT;
    *knowledge = calloc(1, sizeof **knowledge);
    return *knowledge ? armtap_knowledge_hold(*knowledge) : ARMTAP_ERR_MEMORY;
}

int armtap_knowledge_hold(struct armtap_knowledge *knowledge)
{
    knowledge->holders++;
    return ARMTAP_OK;
}

void armtap_knowledge_free(struct armtap_knowledge *knowledge)
{
    if (!knowledge || --knowledge->holders > 0)
        return;
    for (size_t i = 0; i < ARMTAP_LIMIT_robots; i++)
        armtap_robot_release(knowledge->robots[i].robot);
    for (size_t i = 0; i < knowledge->guesses.count; i++) {
        armtap_guess_drop_sample(guess_at(knowledge, i));
        free(guess_at(knowledge, i));
    }
    free(knowledge->guesses.slots);
    free(knowledge);
}

void armtap_knowledge_seal(struct armtap_knowledge *knowledge)
{
    if (!knowledge)
        return;
    knowledge->sealed = true;
    for (size_t i = 0; i < knowledge->guesses.count; i++)
        guess_at(knowledge, i)->sealed = true;
}

bool armtap_knowledge_has_guesses(const struct armtap_knowledge *knowledge)
{
    if (!knowledge)
        return false;
    for (size_t i = 0; i < ARMTAP_LIMIT_robots; i++) {
        const struct armtap_robot *robot = knowledge->robots[i].robot;
        if (robot && robot->release_missed && robot->controller_version[0] != '\0')
            return true;
    }
    for (size_t i = 0; i < knowledge->guesses.count; i++) {
        const struct armtap_guess *guess = guess_at(knowledge, i);
        if (!guess->only_doubt || (guess->client_lost && (guess->refuted | guess->unsure) != 0))
            return true;
    }
    return false;
}

bool armtap_knowledge_is_certain(const struct armtap_knowledge *knowledge)
{
    for (size_t i = 0; i < ARMTAP_LIMIT_robots; i++)
        if (knowledge->robots[i].robot && knowledge->robots[i].robot->release_missed)
            return false;
    return knowledge->guesses.count == 0;
}

static struct robot_entry *entry_of(struct armtap_knowledge *knowledge, const struct armtap_address *address)
{
    for (size_t i = 0; i < ARMTAP_LIMIT_robots; i++) {
        struct robot_entry *entry = &knowledge->robots[i];
        if (entry->robot && memcmp(&entry->address, address, sizeof *address) == 0)
            return entry;
    }
    return NULL;
}

/* An entry for another robot, taken from one that sent no telemetry; NULL: there is none. */
static struct robot_entry *take_place(struct armtap_knowledge *knowledge)
{
    for (size_t i = 0; i < ARMTAP_LIMIT_robots; i++) {
        struct robot_entry *next = &knowledge->robots[knowledge->turn];
        knowledge->turn = (knowledge->turn + 1) % ARMTAP_LIMIT_robots;
        if (next->proven)
            continue;
        if (next->robot)
            armtap_robot_count_in(next->robot, &knowledge->own_bytes, true); /* connections may still hold it */
        armtap_robot_release(next->robot);
        next->robot = NULL;
        return next;
    }
    return NULL;
}

static void put_in_place(struct armtap_knowledge *knowledge, struct robot_entry *entry,
                         const struct armtap_address *address, struct armtap_robot *robot)
{
    armtap_robot_count_in(robot, &knowledge->learned_bytes, false);
    entry->address = *address;
    entry->robot = armtap_robot_hold(robot);
}

int armtap_knowledge_robot(struct armtap_knowledge *knowledge, const struct armtap_address *address,
                           struct armtap_robot **robot)
{
    struct robot_entry *entry = entry_of(knowledge, address);
    *robot = entry ? armtap_robot_hold(entry->robot) : armtap_robot_new();
    if (!*robot)
        return ARMTAP_ERR_MEMORY;
    if (entry)
        return ARMTAP_OK;
    armtap_robot_count_in(*robot, &knowledge->own_bytes, true);
    entry = take_place(knowledge);
    if (entry)
        put_in_place(knowledge, entry, address, *robot);
    return ARMTAP_OK;
}

bool armtap_knowledge_prove(struct armtap_knowledge *knowledge, const struct armtap_address *address,
                            struct armtap_robot *robot)
{
    struct robot_entry *entry = entry_of(knowledge, address);
    if (!entry && (entry = take_place(knowledge)))
        put_in_place(knowledge, entry, address, robot);
    if (entry)
        entry->proven = true;
    return entry != NULL;
}

int armtap_knowledge_guess(struct armtap_knowledge *knowledge, uint64_t connection, struct armtap_guess **out)
{
    *out = by_connection_find(&knowledge->guesses, connection);
    if (*out || knowledge->sealed || knowledge->guesses.count == GUESSES_MOST)
        return ARMTAP_OK;
    *out = by_connection_new(&knowledge->guesses, connection, sizeof **out);
    if (!*out)
        return ARMTAP_ERR_MEMORY;
    (*out)->connection = connection;
    return ARMTAP_OK;
}

size_t armtap_knowledge_bytes(const struct armtap_knowledge *knowledge)
{
    return sizeof *knowledge + knowledge->sample_bytes + knowledge->learned_bytes + knowledge->own_bytes +
           knowledge->guesses.count * sizeof(struct armtap_guess) +
           2 * knowledge->guesses.count * sizeof *knowledge->guesses.slots;
}

/* Drops the oldest sample; false: there is none. */
static bool drop_oldest(struct armtap_knowledge *knowledge)
{
    for (; knowledge->oldest < knowledge->guesses.count; knowledge->oldest++) {
        struct armtap_guess *oldest = guess_at(knowledge, knowledge->oldest);
        if (!oldest->sample)
            continue;
        knowledge->sample_bytes -= armtap_sample_room(oldest->sample->length);
        armtap_guess_drop_sample(oldest);
        oldest->ruled_out = true;
        return true;
    }
    return false;
}

bool armtap_knowledge_shrink(struct armtap_knowledge *knowledge)
{
    return knowledge->sample_bytes > SAMPLES_LEAST && drop_oldest(knowledge);
}

int armtap_knowledge_sample(struct armtap_knowledge *knowledge, struct armtap_guess *guess, size_t length)
{
    size_t room = armtap_sample_room(length);
    while (knowledge->sample_bytes + room > ARMTAP_LIMIT_samples && drop_oldest(knowledge))
        ;
    guess->sample = armtap_sample_new(length);
    if (!guess->sample)
        return ARMTAP_ERR_MEMORY;
    knowledge->sample_bytes += room;
    size_t place = by_connection_place(&knowledge->guesses, guess->connection);
    if (place < knowledge->oldest)
        knowledge->oldest = place;
    return ARMTAP_OK;
}
