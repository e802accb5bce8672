/* Captured packets from a file, standard input or an interface. The only file that includes libpcap is capture.c. */
#ifndef INPUT_CAPTURE_H
#define INPUT_CAPTURE_H

#include "armtap.h"
#include "file_reader.h"

struct capture;

/* A capture (pcap or pcapng, also gzipped) or a raw dump, told by its content. NULL after a message, unless the wish is
 * quiet; NULL with errno ENOMEM, and without a message, where memory lacks; with ESTALE for CAPTURE_CHANGED. */
struct capture *capture_open(const struct reader_wish *wish);
/* Live packets that pass the filter. With `tagged` those that pass it inside of one or two VLAN tags too. NULL after a
 * message. Ends when interrupt_asked() says so; interrupt_hold() is the caller's to call. */
struct capture *capture_open_live(const char *interface, const char *filter, bool tagged);
void capture_close(struct capture *capture);

/* Neither pcap nor pcapng: its bytes come from capture_read, not from capture_next. */
bool capture_is_raw(const struct capture *capture);
/* What reading returns; a failure is negative. */
enum capture_outcome {
    CAPTURE_END = 0,
    CAPTURE_PACKET = 1,
    CAPTURE_SILENT = 2, /* an interface, for a moment */
    CAPTURE_OPENED = 3,
    CAPTURE_DAMAGED = -1,   /* after a message: the file is damaged here, or ends with damage */
    CAPTURE_NO_MEMORY = -2, /* no fault of the file, and no message */
    CAPTURE_CHANGED = -3    /* after a message: the file is no longer what an earlier reading of it found */
};
/* The next packet, numbered from 1; its data are valid until the next call. */
enum capture_outcome capture_next(struct capture *capture, struct armtap_packet *packet);
/* Bytes of a raw dump, at least one; CAPTURE_END, or how it failed. */
long capture_read(struct capture *capture, uint8_t *to, size_t room);
/* Bytes of the file read so far. */
uint64_t capture_position(const struct capture *capture);
/* Packets that the kernel or the interface dropped: while capturing live so far, or as a pcapng file that was read to
 * its end tells. */
uint64_t capture_dropped(struct capture *capture);

/* "libpcap version 1.10.3 (...)" */
const char *capture_library(void);

#endif
