#define _DEFAULT_SOURCE /* u_char, which libpcap needs; strdup */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/comments.h"
#include "base/os/interrupt.h"
#include "base/os/libpcap.h"
#include "base/os/names.h"
#include "base/process/message.h"
#include "file_kind.h"
#include "input/files/file_reader.h"
#include "nanoseconds.h"
#include "capture/packet_file.h"

#define PLACE_MAX 64
#define LIVE_SNAPSHOT 262144
#define LIVE_BUFFER (16 * 1024 * 1024)
#define LIVE_WAIT_MS 100
/* Packets of a busy interface between two checks for Ctrl-C. */
#define LIVE_TURN 64

struct capture {
    char *name;
    struct reader *reader;           /* NULL: live */
    struct input *input;             /* from the wish it was opened with */
    struct packet_file *packet_file; /* NULL: a raw dump, or live */
    pcap_t *pcap;                    /* live; NULL: a file */
    bool nanoseconds;
    bool ended;
    bool quiet; /* damage is not reported */
    bool follows;
    int link_type;    /* of a file: of the last packet, or the first interface */
    bool is_readable; /* the link type is known */
    int unread_type;  /* the last one that is not */
    uint64_t packets, unread;
    const char *guess; /* of a dump */
    struct capture_comments comments;
    bool has_new_comments; /* of the next packet */
    bool no_memory;        /* for a comment */
    struct drops_counter kernel_drops, interface_drops;
};

const char *capture_library(void)
{
    return libpcap() ? libpcap()->lib_version() : "no Npcap on this machine (https://npcap.com)";
}

/* libpcap numbers some link types by system; capture files and armtap do not. */
static int link_type_of(int dlt)
{
    return dlt == DLT_RAW ? 101 : dlt;
}

static int dlt_of(int link_type)
{
    return link_type == 101 ? DLT_RAW : link_type;
}

static const char *link_name(int link_type)
{
    const char *name = libpcap() ? libpcap()->datalink_val_to_name(dlt_of(link_type)) : NULL;
    return name ? name : "not named";
}

static struct capture *capture_new(const char *name)
{
    struct capture *capture = calloc(1, sizeof *capture);
    char *copy = strdup(name);
    if (!capture || !copy) {
        free(capture);
        free(copy);
        errno = ENOMEM;
        return NULL;
    }
    capture->name = copy;
    return capture;
}

void capture_close(struct capture *capture)
{
    if (!capture)
        return;
    if (capture->pcap)
        libpcap()->close(capture->pcap);
    armtap_packet_file_free(capture->packet_file);
    reader_close(capture->reader);
    armtap_comments_free(&capture->comments);
    free(capture->name);
    free(capture);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The packet that a message is about. */
static void name_place(const struct capture *capture, char place[PLACE_MAX])
{
    snprintf(place, PLACE_MAX, "after packet %" PRIu64, capture->packets);
    if (capture->packets == 0)
        snprintf(place, PLACE_MAX, "before the first packet");
}

/* A file that another program is writing may end in the middle of a packet. */
static void report_growing(const struct capture *capture)
{
    char place[PLACE_MAX];
    name_place(capture, place);
    if (!capture->quiet && !capture->follows && (!capture->input || input_report_once(capture->input)))
        message_warning("%s: %s: another program is still writing it, and it ended in the middle of a packet when "
                        "reading began; read it again for the rest",
                        capture->name, place);
}

/* Reports why reading stopped here. */
static void report_damage(const struct capture *capture)
{
    char place[PLACE_MAX];
    bool is_cut;
    if (capture->quiet && !reader_has_changed(capture->reader))
        return;
    name_place(capture, place);
    const char *name = reader_name(capture->name), *problem = reader_problem(capture->reader);
    const char *why = armtap_packet_file_problem(capture->packet_file, &is_cut);
    if (problem)
        message_error_called(reader_has_changed(capture->reader) ? NULL : MESSAGE_INPUT_DAMAGED, "%s: %s: %s", name,
                             place, problem);
    else if (is_cut)
        message_error_called(
            MESSAGE_INPUT_DAMAGED,
            "%s: %s: the file ends in the middle of a packet or header (%s); everything before that was read; copy it "
            "again if it should be longer",
            name, place, why);
    else
        message_error_called(
            MESSAGE_INPUT_DAMAGED,
            "%s: %s: the file is damaged (%s); everything before that was read; copy it again, or repair it with "
            "editcap",
            name, place, why);
}

static enum capture_outcome end_of_file(struct capture *capture, enum packet_file_outcome outcome);

/* armtap's own mark is no comment for people. */
static void keep_comment(void *user, enum comment_about about, size_t index, const char *text, size_t length)
{
    struct capture *capture = user;
    bool is_packet = about == COMMENT_PACKET;
    const struct capture_comment comment = {
        .about = about, .interface = index, .packet = is_packet ? capture->packets + 1 : 0, .time = ARMTAP_NO_TIME};
    if (about == COMMENT_SECTION && armtap_section_comment_read(text, length).from_socket)
        return;
    capture->has_new_comments = capture->has_new_comments || is_packet;
    if (!armtap_comments_add(&capture->comments, &comment, text, length))
        capture->no_memory = true;
}

/* Gives the comments of a packet its time. */
static void date_comments(struct capture *capture, int64_t time)
{
    struct capture_comments *comments = &capture->comments;
    capture->has_new_comments = false;
    for (size_t i = comments->count; i > 0 && comments->list[i - 1].packet == capture->packets + 1; i--)
        comments->list[i - 1].time = time;
}

const struct capture_comments *capture_comments(const struct capture *capture)
{
    return &capture->comments;
}

static size_t read_bytes(void *reader, uint8_t *to, size_t room)
{
    return reader_read(reader, to, room);
}

static enum capture_outcome begin_file(struct capture *capture, bool is_pcapng)
{
    capture->packet_file = armtap_packet_file_new(read_bytes, capture->reader, is_pcapng, keep_comment, capture);
    if (!capture->packet_file)
        return CAPTURE_NO_MEMORY;
    enum packet_file_outcome outcome = armtap_packet_file_begin(capture->packet_file, &capture->link_type);
    capture->is_readable = armtap_link_type_known(capture->link_type);
    if (outcome != PACKET_FILE_PACKET && outcome != PACKET_FILE_END)
        return end_of_file(capture, outcome);
    return CAPTURE_OPENED;
}

/* "127 (IEEE802_11_RADIO: 802.11 plus radiotap header)" */
#define LINK_TEXT 120
static const char *describe_link(int link_type, char text[LINK_TEXT])
{
    const char *more = libpcap() ? libpcap()->datalink_val_to_description(dlt_of(link_type)) : NULL;
    snprintf(text, LINK_TEXT, "%d (%s%s%s)", link_type, link_name(link_type), more ? ": " : "", more ? more : "");
    return text;
}

static enum capture_outcome refuse_link_type(const struct capture *capture, int link_type)
{
    char text[LINK_TEXT];
    if (!capture->quiet)
        message_error("%s: armtap cannot read TCP from link type %s; capture on the robot's wired "
                      "network, or with tcpdump -i any",
                      reader_name(capture->name), describe_link(link_type, text));
    return CAPTURE_DAMAGED;
}

/* What is no capture is a dump, unless it is known to be something else. */
static enum capture_outcome begin_dump(struct capture *capture)
{
    const uint8_t *first;
    size_t length = reader_look(capture->reader, &first);
    const struct file_kind *kind = file_kind_of(first, length);
    capture->guess = file_kind_guess(first, length);
    if (!kind)
        return CAPTURE_OPENED;
    if (!capture->quiet)
        file_kind_report(kind, capture->name);
    return CAPTURE_DAMAGED;
}

static enum capture_outcome begin_capture(struct capture *capture)
{
    const uint8_t *first;
    bool is_pcapng;
    if (reader_peek(capture->reader, &first, PACKET_FILE_MAGIC) < PACKET_FILE_MAGIC ||
        !armtap_packet_file_is_one(first, &is_pcapng))
        return begin_dump(capture);
    enum capture_outcome outcome = begin_file(capture, is_pcapng);
    return outcome == CAPTURE_OPENED && !is_pcapng && !capture->is_readable
               ? refuse_link_type(capture, capture->link_type)
               : outcome;
}

const char *capture_guess(const struct capture *capture)
{
    return capture->guess;
}

struct capture *capture_open(const struct reader_wish *wish)
{
    struct capture *capture = capture_new(wish->name);
    if (!capture)
        return NULL;
    capture->quiet = wish->quiet;
    capture->input = wish->input;
    capture->follows = wish->follows;
    capture->reader = reader_open(wish);
    enum capture_outcome outcome = capture->reader   ? CAPTURE_OPENED
                                   : errno == ENOMEM ? CAPTURE_NO_MEMORY
                                                     : CAPTURE_DAMAGED;
    if (outcome == CAPTURE_OPENED)
        outcome = begin_capture(capture);
    if (outcome == CAPTURE_OPENED || outcome == CAPTURE_END)
        return capture;
    capture_close(capture);
    errno = outcome == CAPTURE_NO_MEMORY ? ENOMEM : outcome == CAPTURE_CHANGED ? ESTALE : 0;
    return NULL;
}

bool capture_is_raw(const struct capture *capture)
{
    return !capture->packet_file && !capture->pcap;
}

long capture_read(struct capture *capture, uint8_t *to, size_t room)
{
    size_t length = reader_read(capture->reader, to, room);
    const char *problem = reader_problem(capture->reader);
    if (length > 0 || !problem)
        return (long)length;
    if (reader_lacked_memory(capture->reader))
        return CAPTURE_NO_MEMORY;
    bool changed = reader_has_changed(capture->reader);
    if (!capture->quiet || changed)
        message_error("%s: %s", reader_name(capture->name), problem);
    return changed ? CAPTURE_CHANGED : CAPTURE_DAMAGED;
}

const struct section_comment *capture_section(const struct capture *capture)
{
    static const struct section_comment none;
    return capture->packet_file ? armtap_packet_file_section(capture->packet_file) : &none;
}

uint64_t capture_position(const struct capture *capture)
{
    return capture->reader ? reader_position(capture->reader) : 0;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Packets of link types that armtap does not know: if there are no others, they are what is wrong. */
static enum capture_outcome report_unread(const struct capture *capture)
{
    char text[LINK_TEXT];
    if (capture->unread == 0)
        return CAPTURE_END;
    if (capture->unread == capture->packets)
        return refuse_link_type(capture, capture->unread_type);
    if (!capture->quiet)
        message_warning("%s: %" PRIu64 " of %" PRIu64 " packets have link type %s, which armtap does not read",
                        reader_name(capture->name), capture->unread, capture->packets,
                        describe_link(capture->unread_type, text));
    return CAPTURE_END;
}

static enum capture_outcome end_of_file(struct capture *capture, enum packet_file_outcome outcome)
{
    bool is_cut;
    capture->ended = true;
    if (outcome == PACKET_FILE_NO_MEMORY || capture->no_memory || reader_lacked_memory(capture->reader))
        return CAPTURE_NO_MEMORY;
    armtap_packet_file_problem(capture->packet_file, &is_cut);
    if (outcome == PACKET_FILE_DAMAGED && is_cut && !reader_problem(capture->reader) &&
        reader_is_growing(capture->reader)) {
        report_growing(capture);
        return CAPTURE_END;
    }
    if (outcome == PACKET_FILE_DAMAGED)
        reader_give_up(capture->reader);
    if (outcome == PACKET_FILE_DAMAGED || reader_problem(capture->reader)) {
        report_damage(capture);
        return reader_has_changed(capture->reader) ? CAPTURE_CHANGED : CAPTURE_DAMAGED;
    }
    return report_unread(capture);
}

static void count_unread(struct capture *capture, const struct armtap_packet *packet)
{
    capture->link_type = packet->link_type;
    capture->is_readable = armtap_link_type_known(packet->link_type);
    if (!capture->is_readable)
        capture->unread_type = packet->link_type;
}

static enum capture_outcome next_of_file(struct capture *capture, struct armtap_packet *packet)
{
    enum packet_file_outcome outcome = armtap_packet_file_next(capture->packet_file, packet);
    if (outcome != PACKET_FILE_PACKET || capture->no_memory)
        return end_of_file(capture, outcome);
    if (packet->link_type != capture->link_type || capture->packets == 0)
        count_unread(capture, packet);
    capture->unread += !capture->is_readable;
    if (capture->has_new_comments)
        date_comments(capture, packet->where.time);
    return CAPTURE_PACKET;
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */

/* Nanoseconds in 64 bits hold the years 1677 to 2262. */
static int64_t time_of(const struct pcap_pkthdr *header, bool nanoseconds)
{
    int64_t seconds = header->ts.tv_sec, fraction = header->ts.tv_usec;
    if (seconds < -INT64_C(9000000000) || seconds > INT64_C(9000000000) || fraction < 0 || fraction > INT32_MAX)
        return ARMTAP_NO_TIME;
    return seconds * SECOND + fraction * (nanoseconds ? 1 : 1000);
}

static void take_from_libpcap(struct capture *capture, const struct pcap_pkthdr *header, const u_char *data,
                              struct armtap_packet *packet)
{
    *packet =
        (struct armtap_packet){.size = sizeof(struct armtap_packet),
                               .link_type = capture->link_type,
                               .where = {.size = sizeof packet->where, .time = time_of(header, capture->nanoseconds)},
                               .data = data,
                               .captured = header->caplen,
                               .length = header->len};
}

/* The next packet of an interface; CAPTURE_END after Ctrl-C. */
static enum capture_outcome next_live(struct capture *capture, struct armtap_packet *packet)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    bool is_over = capture->packets % LIVE_TURN == 0 && interrupt_asked();
    int outcome = is_over ? 0 : libpcap()->next_ex(capture->pcap, &header, &data);
    if (outcome == 1) {
        take_from_libpcap(capture, header, data, packet);
        return CAPTURE_PACKET;
    }
    capture->ended = outcome != 0 || is_over || interrupt_asked();
    if (outcome != 0) {
        message_error("%s: %s; check that the interface is still up", capture->name, libpcap()->geterr(capture->pcap));
        return CAPTURE_DAMAGED;
    }
    if (capture->ended)
        return CAPTURE_END;
    libpcap_wait(capture->pcap, LIVE_WAIT_MS);
    return CAPTURE_SILENT;
}

enum capture_outcome capture_next(struct capture *capture, struct armtap_packet *packet)
{
    if (capture->ended)
        return CAPTURE_END;
    enum capture_outcome outcome = capture->reader ? next_of_file(capture, packet) : next_live(capture, packet);
    if (outcome == CAPTURE_PACKET)
        packet->where.packet = ++capture->packets;
    return outcome;
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */

static void report_live(const struct capture *capture, int outcome)
{
    char list[400];
    const char *reason = libpcap()->statustostr(outcome), *detail = libpcap()->geterr(capture->pcap);
    if (outcome == PCAP_ERROR_PERM_DENIED || outcome == PCAP_ERROR_PROMISC_PERM_DENIED) {
        message_error("%s: this user may not capture; %s", capture->name, libpcap_remedy);
        return;
    }
    bool has_detail = detail[0] != '\0' && strcmp(detail, reason) != 0;
    libpcap_interfaces(list, sizeof list);
    message_error("%s: cannot capture: %s%s%s; interfaces here: %s", capture->name, reason, has_detail ? ": " : "",
                  has_detail ? detail : "", list[0] == '\0' ? "none visible to this user" : list);
}

/* Sets the filter, also inside VLAN tags if the interface's link type has them. */
static int set_filter(const struct capture *capture, const char *filter, bool tagged)
{
    struct bpf_program program;
    int outcome = PCAP_ERROR;
    if (tagged) {
        size_t room = 3 * strlen(filter) + 64;
        char *all = malloc(room);
        if (!all)
            return message_no_memory();
        snprintf(all, room, "(%s) or (vlan and ((%s) or (vlan and (%s))))", filter, filter, filter);
        outcome = libpcap()->compile(capture->pcap, &program, all, 1, PCAP_NETMASK_UNKNOWN);
        free(all);
    }
    if (outcome != 0)
        outcome = libpcap()->compile(capture->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN);
    if (outcome != 0) {
        message_error("--filter '%s': %s; see pcap-filter(7)", filter, libpcap()->geterr(capture->pcap));
        return -1;
    }
    outcome = libpcap()->setfilter(capture->pcap, &program);
    libpcap()->freecode(&program);
    if (outcome != 0)
        message_error("%s: the filter cannot be set: %s", capture->name, libpcap()->geterr(capture->pcap));
    return outcome;
}

static int begin_live(struct capture *capture)
{
    char error[PCAP_ERRBUF_SIZE];
    libpcap()->set_snaplen(capture->pcap, LIVE_SNAPSHOT);
    libpcap()->set_promisc(capture->pcap, 1);
    libpcap()->set_timeout(capture->pcap, LIVE_WAIT_MS);
    libpcap()->set_buffer_size(capture->pcap, LIVE_BUFFER);
    libpcap()->set_tstamp_precision(capture->pcap, PCAP_TSTAMP_PRECISION_NANO);
    int outcome = libpcap()->activate(capture->pcap);
    if (outcome < 0) {
        report_live(capture, outcome);
        return -1;
    }
    if (outcome > 0)
        message_warning("%s: %s", capture->name, libpcap()->statustostr(outcome));
    if (libpcap()->setnonblock(capture->pcap, 1, error) != 0) {
        message_error("%s: %s", capture->name, error);
        return -1;
    }
    capture->nanoseconds = libpcap()->get_tstamp_precision(capture->pcap) == PCAP_TSTAMP_PRECISION_NANO;
    capture->link_type = link_type_of(libpcap()->datalink(capture->pcap));
    return 0;
}

static bool is_readable_live(const struct capture *capture)
{
    return armtap_link_type_known(capture->link_type) ||
           refuse_link_type(capture, capture->link_type) == CAPTURE_OPENED;
}

static struct capture *report_no_library(const char *interface)
{
    message_error("%s: to capture from an interface, armtap needs Npcap, which was not found; install it from "
                  "https://npcap.com, or capture with another program and read its file",
                  interface);
    errno = 0;
    return NULL;
}

struct capture *capture_open_live(const char *interface, const char *filter, bool tagged)
{
    char error[PCAP_ERRBUF_SIZE], device[LIBPCAP_DEVICE_MAX];
    if (!libpcap())
        return report_no_library(interface);
    struct capture *capture = capture_new(interface);
    if (!capture)
        return NULL;
    capture->pcap = libpcap()->create(libpcap_device(interface, device), error);
    if (!capture->pcap) {
        message_error("%s: %s", interface, error);
        capture_close(capture);
        errno = 0;
        return NULL;
    }
    if (begin_live(capture) != 0 || !is_readable_live(capture) || set_filter(capture, filter, tagged) != 0) {
        capture_close(capture);
        errno = 0;
        return NULL;
    }
    return capture;
}

uint64_t capture_dropped(struct capture *capture)
{
    struct pcap_stat counts;
    if (capture->reader)
        return capture->packet_file ? armtap_packet_file_dropped(capture->packet_file) : 0;
    if (libpcap()->stats(capture->pcap, &counts) == 0) {
        drops_count(&capture->kernel_drops, counts.ps_drop);
        drops_count(&capture->interface_drops, counts.ps_ifdrop);
    }
    return capture->kernel_drops.total + capture->interface_drops.total;
}

uint64_t drops_count(struct drops_counter *counter, uint32_t now)
{
    counter->total += now - counter->last;
    counter->last = now;
    return counter->total;
}

void drops_begin(struct drops *drops, int64_t time)
{
    *drops = (struct drops){.read = {.time = time}};
}

uint64_t drops_read(struct drops *drops, uint64_t total, const struct armtap_where *now, struct armtap_where *since)
{
    uint64_t more = total > drops->reported ? total - drops->reported : 0;
    *since = drops->read;
    drops->reported += more;
    drops->read = *now;
    return more;
}
