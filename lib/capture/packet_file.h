/* Packets of captures, straight from the file's blocks: pcap and pcapng in either byte order, with any resolution of
 * times, several sections, and interfaces of any link type. */
#ifndef ARMTAP_PACKET_FILE_H
#define ARMTAP_PACKET_FILE_H

#include "armtap.h"
#include "pcapng_blocks.h"
#include "unpacker.h"

struct packet_file;

enum packet_file_outcome {
    PACKET_FILE_PACKET,
    PACKET_FILE_END,
    PACKET_FILE_DAMAGED, /* or cut: armtap_packet_file_problem() */
    PACKET_FILE_NO_MEMORY
};

#define PACKET_FILE_MAGIC 4
/* Whether a file that begins so is a capture. */
bool armtap_packet_file_is_one(const uint8_t first[PACKET_FILE_MAGIC], bool *is_pcapng);
/* `on_comment` is called for a packet's comments before the packet is returned; it may be NULL. NULL without memory. */
struct packet_file *armtap_packet_file_new(byte_source *source, void *from, bool is_pcapng, pcapng_comment *on_comment,
                                           void *user);
void armtap_packet_file_free(struct packet_file *file);
/* Reads up to the link type, which it stores: pcapng's is that of the first interface, -1 if it has none. */
enum packet_file_outcome armtap_packet_file_begin(struct packet_file *file, int *link_type);
/* The next packet, without its number; its data stays where it is until the next call. */
enum packet_file_outcome armtap_packet_file_next(struct packet_file *file, struct armtap_packet *packet);
/* After PACKET_FILE_DAMAGED: what is wrong, for people. `is_cut`: it ends in the middle of a packet or header. */
const char *armtap_packet_file_problem(const struct packet_file *file, bool *is_cut);
/* What the file's comment says if armtap recorded it; all zeros otherwise. */
const struct section_comment *armtap_packet_file_section(const struct packet_file *file);
/* Packets that were dropped, as the statistics read so far count them. */
uint64_t armtap_packet_file_dropped(const struct packet_file *file);

#endif
