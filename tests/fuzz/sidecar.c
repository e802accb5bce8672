/* What a capture left behind, from elsewhere: a sidecar file, which begins with a brace; otherwise what one keeps:
 * {1 for a stretch, packets since the last, length, bytes}. It is given to a net, whose output goes to a diagnosis that
 * looks back at it. */
#include "input/sidecars/sidecar.h"

#include <stdlib.h>

#include "analysis/inside.h"
#include "target.h"
#include "inside.h"

/* What a sidecar of so many bytes may hold, and what follows from it. */
#define HELD_MOST(bytes) (64 * (size_t)(bytes) + (16 << 20))

static int give(struct armtap_net *net, const struct armtap_kept *kept)
{
    const struct armtap_packet *packet = &kept->packet;
    uint8_t *copy = copy_of(packet->data, packet->captured);
    struct armtap_packet own = *packet;
    own.data = copy;
    int outcome =
        kept->is_stretch ? armtap_net_pass(net, &own.where, copy, own.captured) : armtap_net_packet(net, &own);
    free(copy);
    bool is_refused = outcome == ARMTAP_ERR_NOT_OURS || outcome == ARMTAP_ERR_NOT_READY;
    CHECK(outcome == ARMTAP_OK || outcome == ARMTAP_ERR_UNSUPPORTED || (kept->is_stretch && is_refused));
    return is_refused ? -1 : 0;
}

/* -1: it was refused, and the net takes no more. */
static int give_file(struct armtap_net *net, const uint8_t *data, size_t size)
{
    struct sidecar sidecar;
    uint64_t before = 0;
    int outcome = sidecar_read(input_file(data, size), &sidecar);
    CHECK(outcome == 0 || outcome == -1);
    CHECK(outcome != 0 || sidecar.capture);
    for (size_t i = 0; outcome == 0 && i < sidecar.kept_count; i++) {
        CHECK(sidecar.kept[i].packet.where.packet >= before && sidecar.kept[i].packet.where.packet <= sidecar.packets);
        before = sidecar.kept[i].packet.where.packet;
        outcome = give(net, &sidecar.kept[i]);
    }
    sidecar_free(&sidecar);
    return outcome;
}

static int give_kept(struct armtap_net *net, struct input *input)
{
    struct armtap_kept kept = {.packet = {.size = sizeof kept.packet, .link_type = 1, .where = {.packet = 1}}};
    while (input_left(input) > 0) {
        kept.is_stretch = input_byte(input) & 1;
        kept.packet.where.packet += input_byte(input);
        kept.packet.where.time = 8000000 * (int64_t)kept.packet.where.packet;
        size_t length = input_two(input);
        kept.packet.data = input_bytes(input, &length);
        kept.packet.captured = kept.packet.length = length;
        if (give(net, &kept) != 0)
            return -1;
    }
    return 0;
}

FUZZ_TARGET(sidecar)
{
    struct input input = {data, data + size};
    struct armtap_diagnosis *diagnosis;
    struct armtap_net *net;
    size_t before = bytes_held();
    CHECK(armtap_diagnosis_new(NULL, &diagnosis) == ARMTAP_OK);
    CHECK(armtap_net_new(NULL, armtap_diagnosis_sink(diagnosis), diagnosis, &net) == ARMTAP_OK);
    armtap_diagnosis_look_back(diagnosis);
    int outcome = size > 0 && data[0] == '{' ? give_file(net, data, size) : give_kept(net, &input);
    CHECK(armtap_diagnosis_begin(diagnosis, 1) == ARMTAP_OK);
    if (size & 1)
        armtap_diagnosis_leave(diagnosis);
    CHECK((armtap_net_finish(net) == ARMTAP_OK) || outcome != 0);
    CHECK(armtap_diagnosis_finish(diagnosis) == ARMTAP_OK);
    CHECK(bytes_held() <= before + HELD_MOST(size));
    armtap_net_free(net);
    armtap_diagnosis_free(diagnosis);
    return 0;
}
