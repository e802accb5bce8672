/* armtap: captures in files, packet by packet or straight into a net.
 *
 * Reads pcap and pcapng in either byte order, uncompressed or compressed with gzip, and with zstd, xz, lz4 and bzip2 if
 * the library was built with them. It is a separate library, libarmtap-capture, because libarmtap opens no files:
 *
 *     struct armtap_capture *capture = armtap_capture_open("cell.pcap");
 *     if (armtap_capture_push(capture, net) != ARMTAP_OK)
 *         fprintf(stderr, "%s\n", armtap_capture_problem(capture));
 *     armtap_capture_close(capture);
 *
 * Errors, misuse and threads are as in armtap.h.
 */
#ifndef ARMTAP_CAPTURE_H
#define ARMTAP_CAPTURE_H

#include "armtap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armtap_capture;

/* Opens a file, and reads its beginning. NULL only if out of memory; the functions below accept NULL. For a file that
 * cannot be opened or is not a capture, the object returns the same error from each call. The caller closes it. */
ARMTAP_API struct armtap_capture *armtap_capture_open(const char *path);
ARMTAP_API void armtap_capture_close(struct armtap_capture *capture);
/* Sets the file's number in `where` of its packets, for captures of several files; initially 0. */
ARMTAP_API void armtap_capture_set_file(struct armtap_capture *capture, uint32_t file);

/* Reads the next packet: 1, or 0 at the end. Its data is valid until the next call; the caller sets `packet->size`.
 * Negative if the rest of the file cannot be read, also in later calls; all packets before that were returned:
 *
 *   ERR_FILE         it cannot be opened or read, or is damaged
 *   ERR_NOT_OURS     it is neither pcap nor pcapng
 *   ERR_SHORT        it ends in the middle of a packet
 *   ERR_UNSUPPORTED  it has a compression that this library was built without
 *   ERR_MEMORY */
ARMTAP_API int armtap_capture_next(struct armtap_capture *capture, struct armtap_packet *packet);
/* Pushes all remaining packets into a net, with their origin (armtap_net_origin): captures that armtap recorded are
 * from sockets. Packets of link types that the net does not read are skipped; ERR_UNSUPPORTED if all were. Other errors
 * are those of armtap_capture_next and armtap_net_packet. The caller calls armtap_net_finish, because another file may
 * follow. */
ARMTAP_API int armtap_capture_push(struct armtap_capture *capture, struct armtap_net *net);

/* The last error, with the file's name and the packet: "cell.pcap: packet 18: the file ends in the middle of a
 * packet (of 106 bytes of a packet there are 40)"; "" without one. Valid until the next call with this capture. */
ARMTAP_API const char *armtap_capture_problem(const struct armtap_capture *capture);
/* Number of packets read so far. */
ARMTAP_API uint64_t armtap_capture_packets(const struct armtap_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
