/* Packets of the usual captures, straight from the file's blocks: pcap 2.4 and pcapng with one section, both in little
 * endian, as tcpdump, dumpcap and armtap write them on most machines. Whatever else a file may hold, and all damage, is
 * left to libpcap, which goes on with the packet or block where this stops: both give the same packets
 * (tests/unit/test_packet_file). */
#ifndef INPUT_PACKET_FILE_H
#define INPUT_PACKET_FILE_H

#include "armtap.h"
#include "file_reader.h"

struct packet_file;

/* A block of a pcapng file that is not a packet. */
typedef void packet_file_block(void *user, const uint8_t *bytes, size_t length);

enum packet_file_outcome { PACKET_FILE_PACKET, PACKET_FILE_END, PACKET_FILE_UNUSUAL, PACKET_FILE_FULL };

/* `on_block` may be NULL. NULL without memory. */
struct packet_file *packet_file_new(struct reader *reader, bool is_pcapng, packet_file_block *on_block, void *user);
void packet_file_free(struct packet_file *file);
/* Called before packets go that stayed where they are since the last call, as their memory is used again. `stays`:
 * those that follow will stay, too. */
typedef void packet_file_turn(void *user, bool stays);
/* NULL: none is called. */
void packet_file_on_turn(struct packet_file *file, packet_file_turn *on_turn, void *user);
/* Where in a buffer its first block begins. A block is read to where the one before ended, so that packets are whole in
 * memory: in front of the first is room for the beginning of a packet. */
#define PACKET_FILE_CARRY (3 * INPUT_BLOCK)
/* The least size of a buffer. Larger ones have room for more blocks. */
#define PACKET_FILE_BUFFER (PACKET_FILE_CARRY + INPUT_BLOCK)
/* NULL without memory; to free(). */
uint8_t *packet_file_buffer(size_t length);
/* The packets that follow are put into this buffer. When it is full, packet_file_next() says so, until another one is
 * lent; packets in the one before stay as they are, and it is no longer needed for those that follow. */
void packet_file_lend(struct packet_file *file, uint8_t *buffer, size_t length);
/* Reads up to the link type, which it stores; PACKET_FILE_UNUSUAL if the file is libpcap's from its beginning on. */
enum packet_file_outcome packet_file_begin(struct packet_file *file, int *link_type);
/* The next packet, without its number; its data stays where it is until the next turn. */
enum packet_file_outcome packet_file_next(struct packet_file *file, struct armtap_packet *packet);
/* After PACKET_FILE_UNUSUAL: copies the next bytes that libpcap needs to go on. `is_known`: they are headers that
 * `on_block` got already. 0: all were copied, and the rest is to be read from the reader. */
size_t packet_file_hand_over(struct packet_file *file, void *to, size_t room, bool *is_known);

#endif
