/* Writes capture files: pcap and pcapng, times in micro- or nanoseconds, in either byte order; Ethernet. */
#ifndef PCAPFILE_H
#define PCAPFILE_H

#include "wire.h"

#include <stdbool.h>
#include <stdio.h>

struct pcapfile {
    FILE *file;
    bool pcapng;
    bool nanoseconds;
    bool big_endian;
};

/* The file header, then one packet after another. Errors stay in the stream: check ferror() when everything is written.
 */
void pcapfile_begin(const struct pcapfile *pcapfile);
void pcapfile_packet(const struct pcapfile *pcapfile, const struct wire_packet *packet);

#endif
