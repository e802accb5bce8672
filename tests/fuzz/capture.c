/* The reader of captures: pcap, pcapng, raw dumps, each packed or not. The packets also go through the library. */
#include "input/capture/capture.h"

#include "target.h"

#define PACKETS_MAX 20000u
#define RAW_MAX (64u << 20)

static void read_packets(struct capture *capture)
{
    struct armtap_packet packet = {.size = sizeof packet};
    struct armtap_net *net;
    int outcome = 1;
    CHECK(armtap_net_new(NULL, NULL, NULL, &net) == ARMTAP_OK);
    for (uint64_t number = 1; number <= PACKETS_MAX && outcome == 1; number++) {
        outcome = capture_next(capture, &packet);
        CHECK(outcome >= -1 && outcome <= 1);
        if (outcome != 1)
            break;
        CHECK(packet.where.packet == number);
        unsigned sum = 0;
        for (size_t i = 0; i < packet.captured; i++)
            sum += packet.data[i];
        volatile unsigned kept = sum; /* so that reading is not optimised away */
        (void)kept;
        int error = armtap_net_packet(net, &packet);
        CHECK(error == ARMTAP_OK || error == ARMTAP_ERR_UNSUPPORTED);
    }
    CHECK(armtap_net_finish(net) == ARMTAP_OK);
    armtap_net_free(net);
}

static void read_dump(struct capture *capture)
{
    uint8_t bytes[1500];
    size_t total = 0;
    long got = 1;
    while (got > 0 && total < RAW_MAX) {
        got = capture_read(capture, bytes, sizeof bytes);
        CHECK(got >= -1 && got <= (long)sizeof bytes);
        total += got > 0 ? (size_t)got : 0;
    }
}

FUZZ_TARGET(capture)
{
    struct capture *capture = capture_open(&(struct reader_wish){.name = input_file(data, size), .quiet = size % 2});
    if (!capture)
        return 0;
    if (capture_is_raw(capture))
        read_dump(capture);
    else
        read_packets(capture);
    CHECK(capture_position(capture) <= size);
    capture_close(capture);
    return 0;
}
