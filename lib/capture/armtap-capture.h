/* armtap: captures in files, packet by packet or straight into a net.
 *
 * Reads pcap and pcapng in either byte order, plain or packed by gzip, and by zstd, xz, lz4 and bzip2 if the library
 * was built with them. It is a library of its own, libarmtap-capture, since libarmtap opens no files:
 *
 *     struct armtap_capture *capture = armtap_capture_open("cell.pcap");
 *     if (armtap_capture_push(capture, net) != ARMTAP_OK)
 *         fprintf(stderr, "%s\n", armtap_capture_problem(capture));
 *     armtap_capture_close(capture);
 *
 * What is said in armtap.h of errors, misuse and threads holds here, too.
 */
#ifndef ARMTAP_CAPTURE_H
#define ARMTAP_CAPTURE_H

#include "armtap.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armtap_capture;

/* Opens a file, and reads its beginning. NULL only if memory ran out, which the functions below accept; a file that
 * cannot be opened, or is no capture, is an object that returns the same error from each call. The caller closes it. */
ARMTAP_API struct armtap_capture *armtap_capture_open(const char *path);
ARMTAP_API void armtap_capture_close(struct armtap_capture *capture);
/* The file's number in `where` of its packets, for captures of several files; 0 at first. */
ARMTAP_API void armtap_capture_set_file(struct armtap_capture *capture, uint32_t file);

/* Reads the next packet: 1, or 0 at the end. Its data is valid until the next call; the caller sets `packet->size`.
 * Negative where the file cannot be read on, and from then on again; all packets before came:
 *
 *   ERR_FILE         it cannot be opened or read, or is damaged
 *   ERR_NOT_OURS     it is neither pcap nor pcapng
 *   ERR_SHORT        it ends in the middle of a packet
 *   ERR_UNSUPPORTED  it is packed in a way that this library was built without
 *   ERR_MEMORY */
ARMTAP_API int armtap_capture_next(struct armtap_capture *capture, struct armtap_packet *packet);
/* Pushes all packets that are left into a net, and says whether they come from sockets (armtap_net_origin), as
 * captures that armtap recorded do. Packets of link types that the net does not read are passed over; ERR_UNSUPPORTED
 * if all were. Other errors are those of armtap_capture_next and armtap_net_packet. armtap_net_finish is left to the
 * caller: another file may follow. */
ARMTAP_API int armtap_capture_push(struct armtap_capture *capture, struct armtap_net *net);

/* What the last error was, with the file's name and the packet: "cell.pcap: packet 18: the file ends in the middle of a
 * packet (of 106 bytes of a packet there are 40)"; "" without one. Valid until the next call with this capture. */
ARMTAP_API const char *armtap_capture_problem(const struct armtap_capture *capture);
/* Packets that were read so far. */
ARMTAP_API uint64_t armtap_capture_packets(const struct armtap_capture *capture);

#ifdef __cplusplus
}
#endif

#endif
