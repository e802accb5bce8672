/* What is known of a robot beyond one connection. */
#ifndef ARMTAP_ROBOT_H
#define ARMTAP_ROBOT_H

#include "armtap.h"
#include "layers/mailbox_script.h"

/* ---- sample.c ----
 *
 * A sample of the data packages of a connection: runs of consecutive ones, spread over all data, in bounded memory.
 * Recipes are guessed from it. */

#define ARMTAP_SAMPLE_RUN 4u /* consecutive packages */
#define ARMTAP_SAMPLE_RUNS 24u
#define ARMTAP_SAMPLE_MAX (ARMTAP_SAMPLE_RUN * ARMTAP_SAMPLE_RUNS)

struct armtap_sample {
    size_t length;                      /* bytes of every package */
    uint64_t seen;                      /* packages received, kept or not */
    uint64_t every;                     /* one run in this many is kept */
    unsigned count;                     /* packages kept, oldest first */
    int64_t time[ARMTAP_SAMPLE_MAX];    /* of capture, ns or ARMTAP_NO_TIME */
    uint64_t number[ARMTAP_SAMPLE_MAX]; /* among those received */
    uint8_t bytes[];
};
/* For packages of that length; NULL if out of memory. The caller frees it. */
struct armtap_sample *armtap_sample_new(size_t length);
/* Bytes of memory that it takes. */
size_t armtap_sample_room(size_t length);
/* Forgets all packages. */
void armtap_sample_clear(struct armtap_sample *sample);
/* The next package. The sample depends only on the packages, not on when it is read. */
void armtap_sample_add(struct armtap_sample *sample, const uint8_t *package, int64_t time);

static inline const uint8_t *armtap_sample_at(const struct armtap_sample *sample, unsigned i)
{
    return sample->bytes + i * sample->length;
}
/* Whether no package came between package i and the next one kept. */
static inline bool armtap_sample_goes_on(const struct armtap_sample *sample, unsigned i)
{
    return i + 1 < sample->count && sample->number[i + 1] == sample->number[i] + 1;
}

/* ---- robot.c ----
 *
 * What the connections of one robot share: learned recipes, controller generation and version, the program that a
 * client sent; and what a first pass over a capture leaves for a second. */

#define ARMTAP_LEARNED_MAX 8

/* An output recipe that a handshake of this robot showed. */
struct armtap_learned {
    struct armtap_recipe *recipe;
    int protocol;
    int recipe_id;
};

struct armtap_robot {
    unsigned holders;
    size_t *learned_bytes; /* of all robots counted together; NULL: not counted */
    bool alone;            /* belongs to one connection, which counts its newest recipe itself */
    enum armtap_generation generation;
    char controller_version[32];
    bool release_missed;                               /* a note would have been clearer with the version */
    struct armtap_learned learned[ARMTAP_LEARNED_MAX]; /* newest first */
    void *program;                                     /* a block of the decoders; NULL: none */
    size_t program_bytes;
    struct armtap_mailbox_script script; /* ur_rtde's, as far as it was read */
};
struct armtap_robot *armtap_robot_new(void); /* one holder; NULL if out of memory */
struct armtap_robot *armtap_robot_hold(struct armtap_robot *robot);
void armtap_robot_release(struct armtap_robot *robot);
/* Counts what it learned there from now on. */
void armtap_robot_count_in(struct armtap_robot *robot, size_t *learned_bytes, bool alone);
/* Remembers a recipe; the oldest makes room. False if the recipes of all robots would take too much memory. */
bool armtap_robot_learn(struct armtap_robot *robot, const struct armtap_recipe *recipe, int protocol, int recipe_id);
/* Grows the decoders' block to that many bytes, with zeros at its end; it stays as it is if there is no room beside the
 * recipes of all robots. ERR_MEMORY. */
int armtap_robot_grow_program(struct armtap_robot *robot, size_t bytes);

/* What the recipe of a connection without a handshake is guessed from. */
struct armtap_guess {
    uint64_t connection;
    struct armtap_sample *sample; /* NULL: no data yet, or no room */
    bool sealed;                  /* an earlier pass saw all of the data */
    bool ruled_out;               /* something in the data rules out a guess */
    /* About a recipe that was set up before bytes of both directions were lost; one bit per gap from the robot, lowest
     * first: the data after the gap cannot have that recipe, or does not show it. */
    uint64_t refuted, unsure;
    bool client_lost; /* bytes to the robot are missing, which may hold a set-up */
    bool only_doubt;  /* nothing else is known */
};
void armtap_guess_drop_sample(struct armtap_guess *guess);

#endif
