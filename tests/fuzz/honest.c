#include "honest.h"

#define TIMES 3
#define MANY 200 /* more than fit: up to the end of the capture */

/* Small captures are cheap, so the fuzzer can try many. Costs that grow with the square of a capture, or are paid for
 * each of a thousand things in it, stand out in them too, because the one-time allowance shrinks with the capture
 * (counting.c). */
#define CAPTURE_MAX (8u * 1024)

/* Parsing text costs more than reading numbers of fixed size, and deflated text costs even more; a set-up looks names
 * up; a new connection needs a state; in unknown bytes each may begin a message. So each of these has its own measure.
 * If one constant covered them all, the most expensive would hide what the others cost. */
#define OUTPUT_CONSTANT 100000

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

/* Repeated, each time on a new connection. */
static const uint8_t set_ups[] = {SCENE_OPEN,    0, 0,    0, 0, 2, /* */
                                  SCENE_REQUEST, 0, 32,   0, 0, 0, /* */
                                  SCENE_REPLY,   0, 32,   0, 0, 1, /* */
                                  SCENE_CLOSE,   0, 0,    0, 0, 0, /* */
                                  SCENE_LOOP,    0, MANY, 0, 0, 3};
/* Each from a browser that was connected before the capture began. */
static const uint8_t openings[] = {SCENE_OPEN, 0, 0,    0, 3, 0x80, /* */
                                   SCENE_LOOP, 0, MANY, 0, 0, 0};
/* A client's frames without content, on a connection whose beginning was not captured. */
static const uint8_t foreign[] = {SCENE_OPEN, 0, 0,    0,    3,    0x80, /* */
                                  SCENE_RAW,  0, MANY, 0x7F, 0x88, 0};
/* One value in each, many in a segment. */
static const uint8_t small[] = {SCENE_OPEN,    0, 0,    0, 0, 2, /* */
                                SCENE_REQUEST, 0, 1,    0, 0, 0, /* */
                                SCENE_REPLY,   0, 1,    0, 0, 1, /* */
                                SCENE_START,   0, 0,    0, 0, 0, /* */
                                SCENE_DATA,    0, MANY, 0, 0, 1};
static const uint8_t small_text[] = {SCENE_OPEN,      0, 0,    0, 2, 0, /* */
                                     SCENE_SUBSCRIBE, 0, 1,    0, 3, 0, /* */
                                     SCENE_VALUES,    0, MANY, 1, 2, 0};

size_t honest_scene(enum honest kind, const uint8_t **operations)
{
    static const struct {
        const uint8_t *operations;
        size_t length;
    } scenes[] = {{rtde, sizeof rtde},       {realtime, sizeof realtime},    {aubo, sizeof aubo},
                  {set_ups, sizeof set_ups}, {openings, sizeof openings},    {foreign, sizeof foreign},
                  {small, sizeof small},     {small_text, sizeof small_text}};
    *operations = scenes[kind].operations;
    return scenes[kind].length;
}

static uint64_t above(uint64_t cost, uint64_t empty)
{
    return cost > empty ? cost - empty : 0;
}

static void larger(double *most, uint64_t cost, uint64_t bytes)
{
    double share = (double)cost / (double)bytes;
    *most = share > *most ? share : *most;
}

static void begin(struct scene *scene, const uint8_t *operations, size_t length)
{
    scene_begin(scene);
    scene->capture.room = CAPTURE_MAX;
    scene_play(scene, operations, length);
}

static void measure(struct limits *limits, struct cost (*cost_of)(const struct scene *scene))
{
    static const enum manner manners[] = {PLAIN, PLAIN, TEXT, SET_UP, OPENING, FOREIGN, PLAIN, TEXT};
    struct scene scene;
    begin(&scene, NULL, 0);
    cost_of(&scene); /* the first call prepares things for all later ones */
    limits->empty = cost_of(&scene);
    free_scene(&scene);
    for (int i = 0; i < HONEST_KINDS; i++) {
        const uint8_t *operations;
        size_t length = honest_scene((enum honest)i, &operations);
        begin(&scene, operations, length);
        struct cost cost = cost_of(&scene);
        uint64_t work = above(cost.work, limits->empty.work), output = above(cost.output, limits->empty.output);
        double usual = limits->work[manners[i]] * (double)scene.capture.used;
        if (i < HONEST_SMALL)
            larger(&limits->work[manners[i]], work, scene.capture.used);
        else {
            larger(&limits->message_work, above(work, (uint64_t)usual), scene.messages);
            larger(&limits->message_output, output, scene.messages);
        }
        larger(&limits->output[manners[i]], output, scene.capture.used);
        free_scene(&scene);
    }
    limits->measured = true;
}

static struct cost allowed(const struct limits *limits, const struct scene *scene)
{
    static const enum manner manners[SCENE_KINDS] = {
        [SCENE_OPEN] = OPENING,   [SCENE_CROWD] = OPENING, [SCENE_CLOSE] = OPENING,
        [SCENE_REQUEST] = SET_UP, [SCENE_REPLY] = SET_UP,  [SCENE_RAW] = FOREIGN};
    double bytes[MANNERS] = {[TEXT] = (double)(scene->text_bytes - scene->deflated_bytes - scene->searched_bytes),
                             [FOREIGN] = (double)(scene->searched_bytes + scene->mixed_bytes)};
    bytes[PLAIN] = (double)scene->capture.used - (double)(scene->text_bytes + scene->mixed_bytes);
    for (size_t i = 0; i < SCENE_KINDS; i++) {
        if (manners[i] == PLAIN)
            continue;
        bytes[manners[i]] += (double)scene->bytes_by_kind[i];
        bytes[PLAIN] -= (double)scene->bytes_by_kind[i];
    }
    bytes[PLAIN] = bytes[PLAIN] > 0 ? bytes[PLAIN] : 0; /* what sets up text is both */
    double work = TIMES * limits->message_work * (double)scene->messages;
    double output = TIMES * limits->message_output * (double)scene->messages;
    for (int i = 0; i < MANNERS; i++) {
        work += TIMES * limits->work[i] * bytes[i];
        output += TIMES * limits->output[i] * bytes[i];
    }
    const struct armtap_budget *text = armtap_budget_find("text"), *inflated = armtap_budget_find("inflated");
    CHECK(text && inflated);
    if (scene->deflated_bytes > 0) /* the connection's other bytes have their share, too */
        work += limits->work[TEXT] * ((double)inflated->each * (double)scene->capture.used + (double)inflated->once);
    double promised = (double)text->each * (double)scene->capture.used + (double)text->once;
    output = output > promised ? output : promised;
    return (struct cost){limits->empty.work + limits->once + (uint64_t)work, limits->memory,
                         limits->empty.output + OUTPUT_CONSTANT + (uint64_t)output};
}

void honest_judge(struct limits *limits, struct cost (*cost_of)(const struct scene *scene), const char *what,
                  const uint8_t *operations, size_t length)
{
    struct scene scene;
    if (!limits->measured)
        measure(limits, cost_of);
    begin(&scene, operations, length);
    struct cost cost = cost_of(&scene), most = allowed(limits, &scene);
    struct costly input = {what, scene_mostly(&scene), scene.capture.used, operations, length};
    cost_judge(&input, &cost, &most);
    free_scene(&scene);
}
