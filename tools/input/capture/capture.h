/* Captured packets from a file, standard input or an interface. The only file that includes libpcap is capture.c. */
#ifndef INPUT_CAPTURE_H
#define INPUT_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "armtap.h"
#include "capture/comments.h"
#include "input/files/file_reader.h"
#include "capture/packet_file.h"

struct capture;

/* A capture (pcap or pcapng) or a raw dump, either also packed, recognised by its content. NULL after a message, unless
 * the wish is quiet. If memory runs out: NULL with errno ENOMEM, and no message. errno is ESTALE for CAPTURE_CHANGED.
 */
struct capture *capture_open(const struct reader_wish *wish);
/* Live packets that pass the filter, with `tagged` also inside one or two VLAN tags. NULL after a message. Ends once
 * interrupt_asked(); the caller must have called interrupt_hold(). */
struct capture *capture_open_live(const char *interface, const char *filter, bool tagged);
void capture_close(struct capture *capture);

/* True for a dump that is neither pcap nor pcapng: read it with capture_read, not capture_next. */
bool capture_is_raw(const struct capture *capture);
/* What a dump looks like if it holds no telemetry: "text"; NULL if like nothing. */
const char *capture_guess(const struct capture *capture);
/* What reading returns; failures are negative. */
enum capture_outcome {
    CAPTURE_END = 0,
    CAPTURE_PACKET = 1,
    CAPTURE_SILENT = 2, /* an interface has no packet at the moment */
    CAPTURE_OPENED = 3,
    CAPTURE_DAMAGED = -1,   /* after a message: the file is damaged or cut here */
    CAPTURE_NO_MEMORY = -2, /* without a message; the file is not at fault */
    CAPTURE_CHANGED = -3    /* after a message: the file differs from what an earlier reading found */
};
/* The next packet, numbered from 1; its data is valid until the next call. */
enum capture_outcome capture_next(struct capture *capture, struct armtap_packet *packet);
/* Reads at least one byte of a raw dump; CAPTURE_END at the end, or how it failed. */
long capture_read(struct capture *capture, uint8_t *to, size_t room);
/* Bytes of the file read so far. */
uint64_t capture_position(const struct capture *capture);
/* Packets that the kernel or the interface dropped: so far if live, or as counted in a pcapng file that was read to its
 * end. */
uint64_t capture_dropped(struct capture *capture);

/* What the file's comment says if armtap recorded it; all zeros otherwise. */
const struct section_comment *capture_section(const struct capture *capture);

/* Those of what was read so far, without armtap's own. */
const struct capture_comments *capture_comments(const struct capture *capture);

/* "libpcap version 1.10.3 (...)", or that there is none. */
const char *capture_library(void);

/* Finds out when the capturing machine dropped packets, by reading its counter repeatedly. */

/* A 32-bit counter that wraps. */
struct drops_counter {
    uint32_t last;
    uint64_t total;
};
/* Takes the counter's current value. Returns the total, counted from 0 at the start. */
uint64_t drops_count(struct drops_counter *counter, uint32_t now);

struct drops {
    uint64_t reported; /* packets */
    struct armtap_where
        read; /* the last time the counter was read: the machine's clock, and the last packet before it */
};
/* Call when the capture begins. */
void drops_begin(struct drops *drops, int64_t time);
/* The counter reads `total` at `now`. Returns how many packets were dropped since the last reading, and in `since`
 * where that was: packets up to there were captured before the dropped ones. */
uint64_t drops_read(struct drops *drops, uint64_t total, const struct armtap_where *now, struct armtap_where *since);

#endif
