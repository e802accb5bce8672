#include "sample_packets.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/capture/capture.h"

const char *const sample_names[SAMPLES] = {
    "rtde-v1.pcap",          "rtde-v3.pcapng",          "rtde-two-recipes.pcap",     "rtde-stop.pcap",
    "ur-rtde.pcap.gz",       "rtde-refused.pcap",       "not-connected.pcap",        "several-clients.pcapng",
    "both-streams.pcap.gz",  "e-series-1220.pcapng.gz", "cb2-812.pcap.gz",           "cb3-1060.pcap.gz",
    "rtde-v2.pcapng.gz",     "aubo-guide-tcp.pcap",     "aubo-guide-websocket.pcap", "aubo-tcp.pcap.gz",
    "aubo-two-arms.pcap.gz", "aubo-websocket.pcap.gz",
};

void sample_read(struct sample_packets *sample, const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/captures/%s", getenv("srcdir") ? getenv("srcdir") : ".", name);
    const struct reader_wish wish = {.name = path};
    struct capture *capture = capture_open(&wish);
    struct armtap_packet packet = {.size = sizeof packet};
    enum capture_outcome outcome;
    *sample = (struct sample_packets){0};
    assert_non_null(capture);
    while ((outcome = capture_next(capture, &packet)) > CAPTURE_END) {
        if (outcome != CAPTURE_PACKET)
            continue;
        sample->packets = realloc(sample->packets, (sample->count + 1) * sizeof packet);
        uint8_t *data = malloc(packet.captured + 1);
        assert_true(sample->packets && data);
        memcpy(data, packet.data, packet.captured);
        packet.data = data;
        sample->packets[sample->count++] = packet;
    }
    assert_int_equal(outcome, CAPTURE_END);
    capture_close(capture);
}

void sample_free(struct sample_packets *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        free((void *)sample->packets[i].data);
    free(sample->packets);
}
