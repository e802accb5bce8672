/* Makes a capture file from a scene script: synth SCENE OUT. Prints what each telemetry stream holds, in stream order:
 * "STREAM PROTOCOL VERSION RECORDS-FROM-ROBOT RECORDS-TO-ROBOT". */
#include "armtap.h"
#include "motion.h"
#include "pcapfile.h"
#include "scene.h"
#include "session.h"
#include "wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stage {
    const struct scene *scene;
    const char *path; /* of the script */
    struct wire wire;
    struct prng prng;
    struct session_tally tallies[SESSION_TALLIES];
    size_t tally_count;
};

/* A controller, its arms and its clients. */
struct cast {
    struct motion arms[SCENE_ROBOTS];
    size_t arm_count;
    struct session sessions[SCENE_CLIENTS];
    size_t session_count;
};

/* Plays them all in the same cycles. Returns 0, or -1 after a message. */
static int play_cycles(struct stage *stage, struct cast *cast)
{
    const struct scene *scene = stage->scene;
    int64_t cycle_ns = cast->arms->robot->cycle_ms * INT64_C(1000000);
    for (uint64_t cycle = 0; (double)cycle * (double)cycle_ns < scene->duration * 1e9; cycle++) {
        for (size_t i = 0; i < cast->arm_count; i++)
            motion_cycle(&cast->arms[i], cycle);
        for (size_t i = 0; i < cast->session_count; i++) {
            session_cycle(&cast->sessions[i], scene->start + (int64_t)cycle * cycle_ns);
            if (cast->sessions[i].failed)
                return -1;
        }
    }
    return 0;
}

static int enter_arms(struct stage *stage, const struct scene_robot *robot, struct cast *cast)
{
    const struct scene_robot *end = stage->scene->robots + stage->scene->robot_count;
    int result = 0;
    for (const struct scene_robot *arm = robot; result == 0 && arm < end && (arm == robot || arm->arm > 0); arm++)
        result = motion_begin(&cast->arms[cast->arm_count++], arm, prng_next(&stage->prng));
    return result;
}

static int enter_clients(struct stage *stage, const struct scene_robot *robot, struct cast *cast)
{
    const struct scene *scene = stage->scene;
    int result = 0;
    for (size_t i = 0; i < scene->client_count && result == 0; i++) {
        if (scene->clients[i].robot != robot)
            continue;
        struct session *session = &cast->sessions[cast->session_count++];
        session->scene = scene;
        session->path = stage->path;
        session->prng.state = prng_next(&stage->prng);
        session->connection.wire = &stage->wire;
        session->tallies = stage->tallies;
        session->tally_count = &stage->tally_count;
        result = session_begin(session, &scene->clients[i], cast->arms, cast->arm_count);
    }
    return result;
}

static int play_robot(struct stage *stage, const struct scene_robot *robot)
{
    struct cast *cast = calloc(1, sizeof *cast);
    if (!cast)
        return -1;
    int result = enter_arms(stage, robot, cast);
    if (result == 0)
        result = enter_clients(stage, robot, cast);
    if (result == 0)
        result = play_cycles(stage, cast);
    for (size_t i = 0; i < cast->session_count; i++)
        session_end(&cast->sessions[i]);
    for (size_t i = 0; i < cast->arm_count; i++)
        motion_end(&cast->arms[i]);
    free(cast);
    return result;
}

static int write_capture(const struct scene *scene, const struct wire *wire, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return -1;
    }
    struct pcapfile out = {.file = file,
                           .pcapng = scene->format == SCENE_PCAPNG,
                           .nanoseconds = scene->nanoseconds,
                           .big_endian = scene->big_endian};
    pcapfile_begin(&out);
    for (size_t i = 0; i < wire->count; i++)
        pcapfile_packet(&out, &wire->packets[i]);
    int bad = ferror(file);
    if (fclose(file) || bad) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return -1;
    }
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct session_tally *one = a;
    const struct session_tally *other = b;
    return one->time < other->time ? -1 : one->time > other->time;
}

/* A library built without AUBO has no name for it; the captures are the same. */
static const char *protocol_name(enum armtap_protocol protocol)
{
    return protocol == ARMTAP_AUBO ? "aubo" : armtap_protocol_name(protocol);
}

static void print_tallies(struct stage *stage)
{
    unsigned number = 0;
    qsort(stage->tallies, stage->tally_count, sizeof *stage->tallies, by_time);
    for (size_t i = 0; i < stage->tally_count; i++) {
        const struct session_tally *tally = &stage->tallies[i];
        const char *protocol = protocol_name(tally->protocol);
        if (protocol)
            printf("%u %s %u %" PRIu64 " %" PRIu64 "\n", number++, protocol, tally->version,
                   tally->records[ARMTAP_FROM_ROBOT], tally->records[ARMTAP_TO_ROBOT]);
    }
}

static int make_capture(const struct scene *scene, const char *script, const char *out)
{
    struct stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return -1;
    stage->scene = scene;
    stage->path = script;
    stage->prng.state = scene->seed;
    int result = 0;
    for (size_t i = 0; i < scene->robot_count && result == 0; i++)
        if (scene->robots[i].arm == 0)
            result = play_robot(stage, &scene->robots[i]);
    if (result == 0 && stage->wire.out_of_memory) {
        fprintf(stderr, "%s: out of memory\n", script);
        result = -1;
    }
    wire_sort(&stage->wire);
    if (result == 0)
        result = write_capture(scene, &stage->wire, out);
    if (result == 0)
        print_tallies(stage);
    wire_free(&stage->wire);
    free(stage);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: synth SCENE OUT\n");
        return 2;
    }
    struct scene *scene = scene_read(argv[1]);
    int result = scene ? make_capture(scene, argv[1], argv[2]) : -1;
    scene_free(scene);
    return result ? 2 : 0;
}
