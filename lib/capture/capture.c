/* Captures in files, for programs: libarmtap-capture. The program has a reader of its own upon the same parts, which
 * follows files that grow, and looks at them again. */
#define _POSIX_C_SOURCE 200809L
#include "armtap-capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "packet_file.h"
#include "system.h"
#include "unpacker.h"

#define REASON_MAX 80

struct armtap_capture {
    char *path;
    int descriptor; /* -1: none */
    int read_error; /* errno; 0: none */
    struct unpacking unpacking;
    struct packet_file *packets; /* NULL: it has no beginning */
    uint64_t count;
    uint32_t file;
    int error;         /* that ended the reading; ARMTAP_OK: none so far */
    char problem[512]; /* "": none */
};

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

/* Ends the reading: `why` names the reason, after the file and the packet. */
static int end_by(struct armtap_capture *capture, int error, const char *why)
{
    capture->error = error;
    if (capture->packets)
        snprintf(capture->problem, sizeof capture->problem, "%.200s: packet %" PRIu64 ": %s", capture->path,
                 capture->count + 1, why);
    else
        snprintf(capture->problem, sizeof capture->problem, "%.200s: %s", capture->path, why);
    return error;
}

static int end_by_system(struct armtap_capture *capture, const char *what, int error)
{
    char reason[REASON_MAX], why[REASON_MAX + 40];
    if (!system_error_text(error, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", error);
    snprintf(why, sizeof why, "%s: %s", what, reason);
    return end_by(capture, ARMTAP_ERR_FILE, why);
}

/* Where the bytes ended: because of the file, of what packs it, or of nothing else than its end. */
static int end_of_bytes(struct armtap_capture *capture)
{
    const char *why;
    uint64_t unpacked;
    if (capture->read_error != 0)
        return end_by_system(capture, "cannot be read", capture->read_error);
    switch (armtap_unpacking_state(&capture->unpacking, &why, &unpacked)) {
    case UNPACKER_NO_MEMORY:
        return end_by(capture, ARMTAP_ERR_MEMORY, armtap_strerror(ARMTAP_ERR_MEMORY));
    case UNPACKER_ENDED_EARLY:
        return end_by(capture, ARMTAP_ERR_SHORT, why);
    case UNPACKER_DAMAGED:
        return end_by(capture, ARMTAP_ERR_FILE, why);
    default:
        return ARMTAP_OK;
    }
}

static int end_of_packets(struct armtap_capture *capture, enum packet_file_outcome outcome)
{
    char why[300];
    bool is_cut;
    if (outcome == PACKET_FILE_NO_MEMORY)
        return end_by(capture, ARMTAP_ERR_MEMORY, armtap_strerror(ARMTAP_ERR_MEMORY));
    if (end_of_bytes(capture) != ARMTAP_OK || outcome == PACKET_FILE_END)
        return capture->error;
    const char *what = armtap_packet_file_problem(capture->packets, &is_cut);
    snprintf(why, sizeof why, "the file %s (%s)",
             is_cut ? "ends in the middle of a packet or header" : "is damaged here", what);
    return end_by(capture, is_cut ? ARMTAP_ERR_SHORT : ARMTAP_ERR_FILE, why);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static size_t read_file(void *from, uint8_t *to, size_t room)
{
    struct armtap_capture *capture = from;
    ptrdiff_t got = system_read(capture->descriptor, to, room);
    capture->read_error = got < 0 ? errno : 0;
    return got < 0 ? 0 : (size_t)got;
}

static size_t read_unpacked(void *from, uint8_t *to, size_t room)
{
    return armtap_unpacking_read(from, to, room);
}

static int add_layer(struct armtap_capture *capture, const struct packing *packing)
{
    char why[160];
    const char *lacks = armtap_packing_lacks(packing);
    if (lacks) {
        snprintf(why, sizeof why, "packed by %s, and this library was built without %s; unpack it: %s",
                 armtap_packing_name(packing), lacks, armtap_packing_program(packing));
        return end_by(capture, ARMTAP_ERR_UNSUPPORTED, why);
    }
    switch (armtap_unpacking_add(&capture->unpacking, packing)) {
    case UNPACKING_ADDED:
        return ARMTAP_OK;
    case UNPACKING_TOO_MANY:
        return end_by(capture, ARMTAP_ERR_UNSUPPORTED, "packed too many times over; unpack it first");
    default:
        return end_by(capture, ARMTAP_ERR_MEMORY, armtap_strerror(ARMTAP_ERR_MEMORY));
    }
}

static int begin_packets(struct armtap_capture *capture)
{
    const uint8_t *first;
    bool is_pcapng;
    int link_type;
    size_t length = armtap_unpacking_peek(&capture->unpacking, &first, PACKET_FILE_MAGIC);
    if (length < PACKET_FILE_MAGIC || !armtap_packet_file_is_one(first, &is_pcapng)) {
        const char *why = length == 0 ? "it is empty" : "neither pcap nor pcapng";
        return end_of_bytes(capture) != ARMTAP_OK ? capture->error : end_by(capture, ARMTAP_ERR_NOT_OURS, why);
    }
    capture->packets = armtap_packet_file_new(read_unpacked, &capture->unpacking, is_pcapng, NULL, NULL);
    if (!capture->packets)
        return end_by(capture, ARMTAP_ERR_MEMORY, armtap_strerror(ARMTAP_ERR_MEMORY));
    enum packet_file_outcome outcome = armtap_packet_file_begin(capture->packets, &link_type);
    return outcome == PACKET_FILE_PACKET ? ARMTAP_OK : end_of_packets(capture, outcome);
}

static void begin(struct armtap_capture *capture)
{
    const struct packing *packing;
    capture->descriptor = system_open(capture->path);
    if (capture->descriptor < 0) {
        end_by_system(capture, "cannot be opened", errno);
        return;
    }
    while (capture->error == ARMTAP_OK && (packing = armtap_unpacking_find(&capture->unpacking)))
        add_layer(capture, packing);
    if (capture->error == ARMTAP_OK)
        begin_packets(capture);
}

struct armtap_capture *armtap_capture_open(const char *path)
{
    struct armtap_capture *capture = path ? calloc(1, sizeof *capture) : NULL;
    if (!capture)
        return NULL;
    capture->descriptor = -1;
    capture->unpacking.source = read_file;
    capture->unpacking.from = capture;
    capture->path = strdup(path);
    if (!capture->path) {
        free(capture);
        return NULL;
    }
    begin(capture);
    return capture;
}

void armtap_capture_close(struct armtap_capture *capture)
{
    if (!capture)
        return;
    armtap_packet_file_free(capture->packets);
    armtap_unpacking_end(&capture->unpacking);
    if (capture->descriptor >= 0)
        system_close(capture->descriptor);
    free(capture->path);
    free(capture);
}

void armtap_capture_set_file(struct armtap_capture *capture, uint32_t file)
{
    if (capture)
        capture->file = file;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

int armtap_capture_next(struct armtap_capture *capture, struct armtap_packet *packet)
{
    if (!capture || !packet)
        return ARMTAP_ERR_ARGUMENT;
    if (!armtap_is_sized(packet->size, sizeof *packet))
        return ARMTAP_ERR_SIZE;
    if (capture->error != ARMTAP_OK)
        return capture->error;
    size_t size = packet->size;
    enum packet_file_outcome outcome = armtap_packet_file_next(capture->packets, packet);
    if (outcome != PACKET_FILE_PACKET)
        return end_of_packets(capture, outcome);
    packet->size = size;
    packet->where.packet = ++capture->count;
    packet->where.file = capture->file;
    return 1;
}

/* A net's error ends nothing here: the file is not at fault. */
static int say_net(struct armtap_capture *capture, int error)
{
    snprintf(capture->problem, sizeof capture->problem, "%.200s: packet %" PRIu64 ": %s", capture->path, capture->count,
             armtap_strerror(error));
    return error;
}

int armtap_capture_push(struct armtap_capture *capture, struct armtap_net *net)
{
    struct armtap_packet packet = {.size = sizeof packet};
    uint64_t pushed = 0, before = capture ? capture->count : 0;
    int unknown = 0, outcome = 0, error = ARMTAP_OK;
    if (!capture || !net)
        return ARMTAP_ERR_ARGUMENT;
    if (capture->packets)
        error =
            armtap_net_origin(net, armtap_packet_file_section(capture->packets)->from_socket ? ARMTAP_ORIGIN_SOCKET
                                                                                             : ARMTAP_ORIGIN_NETWORK);
    while (error == ARMTAP_OK && (outcome = armtap_capture_next(capture, &packet)) > 0) {
        bool is_known = armtap_link_type_known(packet.link_type);
        unknown = is_known ? unknown : packet.link_type;
        pushed += is_known;
        error = is_known ? armtap_net_packet(net, &packet) : ARMTAP_OK;
    }
    if (error != ARMTAP_OK)
        return say_net(capture, error);
    if (outcome == 0 && pushed == 0 && capture->count > before) {
        char why[80];
        snprintf(why, sizeof why, "packets of link type %d, which armtap does not read", unknown);
        return end_by(capture, ARMTAP_ERR_UNSUPPORTED, why);
    }
    return outcome;
}

const char *armtap_capture_problem(const struct armtap_capture *capture)
{
    return capture ? capture->problem : armtap_strerror(ARMTAP_ERR_MEMORY);
}

uint64_t armtap_capture_packets(const struct armtap_capture *capture)
{
    return capture ? capture->count : 0;
}
