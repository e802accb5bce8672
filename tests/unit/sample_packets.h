/* Sample captures of captures/, packet by packet in memory. */
#ifndef SAMPLE_PACKETS_H
#define SAMPLE_PACKETS_H

#include "armtap.h"

#define SAMPLES 18
extern const char *const sample_names[SAMPLES];

struct sample_packets {
    struct armtap_packet *packets; /* each with data of its own, which may be freed and replaced */
    size_t count;
};

void sample_read(struct sample_packets *sample, const char *name);
void sample_free(struct sample_packets *sample);

#endif
