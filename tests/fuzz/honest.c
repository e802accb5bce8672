#include "honest.h"

#define TIMES 3
#define MANY 200 /* more than fit: to the end of the capture */

static const uint8_t rtde[] = {SCENE_OPEN,    0, 0,    0, 0,    2, /* protocol 2 */
                               SCENE_REQUEST, 0, 32,   0, 0,    0, /* 64 fields */
                               SCENE_REPLY,   0, 32,   0, 0,    1, /* */
                               SCENE_START,   0, 0,    0, 0,    0, /* */
                               SCENE_DATA,    0, MANY, 0, 0x40, 1};
static const uint8_t realtime[] = {SCENE_OPEN,     0, 0,    0, 1,    0, /* */
                                   SCENE_REALTIME, 0, MANY, 0, 0x48, 0};
static const uint8_t aubo[] = {SCENE_OPEN,      0, 0,    0,  2, 0, /* */
                               SCENE_SUBSCRIBE, 0, 12,   0,  3, 0, /* 12 topics */
                               SCENE_VALUES,    0, MANY, 12, 2, 0};

size_t honest_scene(enum honest kind, const uint8_t **operations)
{
    static const struct {
        const uint8_t *operations;
        size_t length;
    } scenes[] = {{rtde, sizeof rtde}, {realtime, sizeof realtime}, {aubo, sizeof aubo}};
    *operations = scenes[kind].operations;
    return scenes[kind].length;
}

static void larger(double *most, uint64_t cost, uint64_t bytes)
{
    double share = (double)cost / (double)bytes;
    *most = share > *most ? share : *most;
}

void honest_measure(struct limits *limits, struct cost (*cost_of)(const struct scene *scene))
{
    static const enum manner manners[] = {PLAIN, PLAIN, TEXT};
    for (int i = 0; i < HONEST_KINDS; i++) {
        const uint8_t *operations;
        struct scene scene;
        size_t length = honest_scene((enum honest)i, &operations);
        scene_begin(&scene);
        scene_play(&scene, operations, length);
        struct cost cost = cost_of(&scene);
        larger(&limits->work[manners[i]], cost.work, scene.capture.used);
        larger(&limits->output[manners[i]], cost.output, scene.capture.used);
        scene_free(&scene);
    }
}

struct cost honest_allows(const struct limits *limits, const struct scene *scene)
{
    static const enum scene_kind set_ups[] = {SCENE_OPEN, SCENE_REQUEST, SCENE_REPLY, SCENE_CROWD, SCENE_CLOSE};
    double bytes[MANNERS] = {(double)(scene->capture.used - scene->text_bytes),
                             (double)scene->text_bytes + (DEFLATED_TIMES - 1) * (double)scene->deflated_bytes};
    double work = 0, output = 0;
    for (size_t i = 0; i < sizeof set_ups / sizeof *set_ups; i++)
        bytes[PLAIN] += (SET_UP_TIMES - 1) * (double)scene->bytes_by_kind[set_ups[i]];
    for (int i = 0; i < MANNERS; i++) {
        work += TIMES * limits->work[i] * bytes[i];
        output += TIMES * limits->output[i] * bytes[i];
    }
    return (struct cost){limits->constant.work + (uint64_t)work, limits->constant.memory,
                         limits->constant.output + (uint64_t)output};
}
