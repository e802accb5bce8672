/* The library's work for an input of operations, in proportion to its bytes: reads the capture twice, as the program
 * does, into a sink that accepts everything. */
#include <string.h>

#include "honest.h"

static uint32_t little(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int on_record(void *user, const struct armtap_record *record)
{
    *(uint64_t *)user += record->frame_length;
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    *(uint64_t *)user += strlen(note->text);
    return 0;
}

static void read_capture(const struct bytes *capture, struct armtap_knowledge *knowledge)
{
    uint64_t seen = 0;
    struct armtap_net *net;
    struct armtap_sink sink = {.size = sizeof sink, .on_record = on_record, .on_note = on_note};
    struct armtap_net_options options = {.size = sizeof options, .knowledge = knowledge};
    CHECK(armtap_net_new(&options, &sink, &seen, &net) == ARMTAP_OK);
    for (size_t at = 24; at + 16 <= capture->used;) {
        const uint8_t *head = capture->at + at;
        uint32_t length = little(head + 8);
        int64_t time = (int64_t)little(head) * 1000000000 + (int64_t)little(head + 4) * 1000;
        struct armtap_packet packet = {sizeof packet, 1, {.time = time, .packet = at}, head + 16, length, length};
        CHECK(armtap_net_packet(net, &packet) == ARMTAP_OK);
        at += 16 + length;
    }
    CHECK(armtap_net_finish(net) == ARMTAP_OK);
    armtap_net_free(net);
}

static struct cost cost_of(const struct scene *scene)
{
    struct armtap_knowledge *knowledge;
    cost_begin();
    CHECK(armtap_knowledge_new(&knowledge) == ARMTAP_OK);
    read_capture(&scene->capture, knowledge);
    armtap_knowledge_seal(knowledge);
    read_capture(&scene->capture, knowledge);
    armtap_knowledge_free(knowledge);
    return cost_end();
}

#define MEMORY_MAX (16u << 20)
#define WORK_ONCE 1800000

FUZZ_TARGET(amplify)
{
    static struct limits limits = {.memory = MEMORY_MAX, .once = WORK_ONCE};
    honest_judge(&limits, cost_of, "the library", data, size);
    return 0;
}

OPERATIONS_BEGIN(0);
