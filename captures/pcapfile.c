#include "pcapfile.h"

#include <string.h>

enum { LINK_ETHERNET = 1, SNAPSHOT_LENGTH = 262144, NAME_LENGTH = 32 };

static const char application[NAME_LENGTH] = "armtap captures/synth, synthetic";

static void put(const struct pcapfile *out, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes; i++)
        putc((int)(value >> 8 * (out->big_endian ? bytes - 1 - i : i) & 0xff), out->file);
}

static void put_option(const struct pcapfile *out, unsigned code, size_t length)
{
    put(out, 2, code);
    put(out, 2, length);
}

static void begin_pcap(const struct pcapfile *out)
{
    put(out, 4, out->nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4);
    put(out, 2, 2);
    put(out, 2, 4);
    put(out, 8, 0); /* time zone and accuracy, never used */
    put(out, 4, SNAPSHOT_LENGTH);
    put(out, 4, LINK_ETHERNET);
}

static void begin_pcapng(const struct pcapfile *out)
{
    const size_t section_length = 28 + 4 + NAME_LENGTH + 4;
    put(out, 4, 0x0a0d0d0a);
    put(out, 4, section_length);
    put(out, 4, 0x1a2b3c4d);
    put(out, 2, 1);
    put(out, 2, 0);
    put(out, 8, UINT64_MAX); /* length of the section: not given */
    put_option(out, 4, NAME_LENGTH);
    fwrite(application, 1, NAME_LENGTH, out->file);
    put_option(out, 0, 0);
    put(out, 4, section_length);

    const size_t interface_length = 20 + 8 + 4;
    put(out, 4, 1);
    put(out, 4, interface_length);
    put(out, 2, LINK_ETHERNET);
    put(out, 2, 0);
    put(out, 4, SNAPSHOT_LENGTH);
    put_option(out, 9, 1); /* resolution of times: a power of ten */
    putc(out->nanoseconds ? 9 : 6, out->file);
    put(out, 3, 0);
    put_option(out, 0, 0);
    put(out, 4, interface_length);
}

void pcapfile_begin(const struct pcapfile *pcapfile)
{
    if (pcapfile->pcapng)
        begin_pcapng(pcapfile);
    else
        begin_pcap(pcapfile);
}

void pcapfile_packet(const struct pcapfile *pcapfile, const struct wire_packet *packet)
{
    const struct pcapfile *out = pcapfile;
    uint64_t time = (uint64_t)packet->time;
    if (!out->pcapng) {
        put(out, 4, time / 1000000000);
        put(out, 4, time % 1000000000 / (out->nanoseconds ? 1 : 1000));
        put(out, 4, packet->length);
        put(out, 4, packet->length);
        fwrite(packet->bytes, 1, packet->length, out->file);
        return;
    }
    size_t padding = (4 - packet->length % 4) % 4;
    size_t length = 32 + packet->length + padding;
    if (!out->nanoseconds)
        time /= 1000;
    put(out, 4, 6);
    put(out, 4, length);
    put(out, 4, 0);
    put(out, 4, time >> 32);
    put(out, 4, time & 0xffffffff);
    put(out, 4, packet->length);
    put(out, 4, packet->length);
    fwrite(packet->bytes, 1, packet->length, out->file);
    put(out, padding, 0);
    put(out, 4, length);
}
