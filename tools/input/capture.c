#define _GNU_SOURCE /* fopencookie */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "pcapng_blocks.h"
#include "capture_drops.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "file_reader.h"
#include "nanoseconds.h"
#include "packet_file.h"
#include "shell_command.h"

#define FILE_BUFFER (256 * 1024)
#define PLACE_MAX 64
#define LIVE_SNAPSHOT 262144
#define LIVE_BUFFER (16 * 1024 * 1024)
#define LIVE_WAIT_MS 100
/* Packets of a busy interface between two checks for Ctrl-C. */
#define LIVE_TURN 64

struct capture {
    char *name;
    struct reader *reader;     /* NULL: live */
    struct input *input;       /* from the wish it was opened with */
    struct packet_file *plain; /* reads the usual files; NULL: a raw dump, or live */
    FILE *file;                /* NULL until libpcap goes on; libpcap's once there is a pcap_t */
    pcap_t *pcap;              /* NULL: a raw dump, or a file that is usual so far */
    packet_file_turn *on_turn;
    void *turn_user;
    bool is_pcapng;
    bool nanoseconds;
    bool ended;
    bool quiet; /* damage is not reported */
    bool follows;
    int link_type;
    uint64_t packets;
    struct blocks blocks;
    struct drops_counter kernel_drops, interface_drops;
};

const char *capture_library(void)
{
    return pcap_lib_version();
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
    const char *name = pcap_datalink_val_to_name(dlt_of(link_type));
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
        pcap_close(capture->pcap);
    else {
        if (capture->file)
            fclose(capture->file);
    }
    packet_file_free(capture->plain);
    reader_close(capture->reader);
    free(capture->name);
    free(capture);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool is_capture(const uint8_t *bytes, bool *is_pcapng)
{
    static const uint8_t magics[][4] = {{0xA1, 0xB2, 0xC3, 0xD4}, {0xD4, 0xC3, 0xB2, 0xA1}, {0xA1, 0xB2, 0x3C, 0x4D},
                                        {0x4D, 0x3C, 0xB2, 0xA1}, {0xA1, 0xB2, 0xCD, 0x34}, {0x34, 0xCD, 0xB2, 0xA1},
                                        {0x0A, 0x0D, 0x0D, 0x0A}};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (memcmp(bytes, magics[i], 4) == 0) {
            *is_pcapng = bytes[0] == 0x0A;
            return true;
        }
    return false;
}

static ssize_t give_bytes(void *cookie, char *to, size_t room)
{
    struct capture *capture = cookie;
    bool is_known = false;
    size_t length = packet_file_hand_over(capture->plain, to, room, &is_known);
    if (length == 0)
        length = reader_read(capture->reader, to, room);
    if (capture->is_pcapng && !is_known)
        blocks_push(&capture->blocks, (const uint8_t *)to, length);
    return (ssize_t)length;
}

/* Lists the interfaces and says how to split the file. */
static void refuse_interfaces(const struct capture *capture, const char *place)
{
    char list[700] = "";
    size_t length = 0;
    for (size_t i = 0; i < capture->blocks.count && i < BLOCKS_INTERFACES && length < sizeof list - 120; i++) {
        const struct blocks_interface *interface = &capture->blocks.interface[i];
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%zu %s (%s, snapshot length %" PRIu32 ")",
                                   i == 0 ? "" : ", ", i, interface->name, link_name(interface->link_type),
                                   interface->snapshot_length);
    }
    char file[SHELL_MAX] = "";
    if (strcmp(capture->name, "-") == 0 || !shell_word(file, sizeof file, capture->name))
        strcpy(file, "FILE");
    message_error("%s: %s: its interfaces differ in link type or snapshot length, which libpcap cannot read: %s; "
                  "split it into one file per interface: tshark -r %s -Y 'frame.interface_id==0' -F pcap -w OUT",
                  reader_name(capture->name), place, list, file);
}

/* The packet that a message is about. */
static void name_place(const struct capture *capture, char place[PLACE_MAX])
{
    snprintf(place, PLACE_MAX, "after packet %" PRIu64, capture->packets);
    if (capture->packets == 0)
        snprintf(place, PLACE_MAX, "before the first packet");
}

/* Whether libpcap says that the file ends in the middle of a packet or header. */
static bool is_cut(const char *error)
{
    return strncmp(error, "truncated", 9) == 0;
}

/* A file that another program is writing may end in the middle of a packet. */
static void report_growing(const struct capture *capture)
{
    char place[PLACE_MAX];
    name_place(capture, place);
    if (!capture->quiet && !capture->follows && (!capture->input || input_report_once(capture->input)))
        message_warning("%s: %s: another program is still writing it, and when reading began it ended in the middle of "
                        "a packet; read "
                        "it again for the rest",
                        capture->name, place);
}

/* Reports why libpcap or the reader stopped here. */
static void report_damage(const struct capture *capture, const char *error)
{
    char place[PLACE_MAX];
    if (capture->quiet && !reader_has_changed(capture->reader))
        return;
    name_place(capture, place);
    const char *name = reader_name(capture->name), *problem = reader_problem(capture->reader);
    if (problem)
        message_error("%s: %s: %s", name, place, problem);
    else if (capture->is_pcapng && strstr(error, "an interface has a") && blocks_differ(&capture->blocks))
        refuse_interfaces(capture, place);
    else if (is_cut(error))
        message_error(
            "%s: %s: the file ends in the middle of a packet or header (%s); everything before was read: copy "
            "it again if it should be longer",
            name, place, error);
    else
        message_error(
            "%s: %s: the file is damaged (%s); everything before was read: copy it again, or repair it with editcap",
            name, place, error);
}

/* Whether libpcap or the reader ran out of memory; libpcap says so only in its error text. */
static bool lacked_memory(const struct capture *capture, const char *error)
{
    return reader_lacked_memory(capture->reader) || strstr(error, "out of memory") || strstr(error, strerror(ENOMEM));
}

void capture_on_turn(struct capture *capture, packet_file_turn *on_turn, void *user)
{
    bool stays = capture->plain && !capture->file;
    if (capture->on_turn)
        capture->on_turn(capture->turn_user, false);
    capture->on_turn = on_turn;
    capture->turn_user = user;
    if (capture->plain)
        packet_file_on_turn(capture->plain, stays ? on_turn : NULL, user);
    if (on_turn)
        on_turn(user, stays);
}

/* libpcap reads the rest of the file through the reader, after the headers. */
static enum capture_outcome go_on_by_libpcap(struct capture *capture)
{
    char error[PCAP_ERRBUF_SIZE] = "";
    cookie_io_functions_t functions = {.read = give_bytes};
    if (capture->on_turn)
        capture->on_turn(capture->turn_user, false);
    capture->file = fopencookie(capture, "r", functions);
    if (!capture->file || setvbuf(capture->file, NULL, _IOFBF, FILE_BUFFER) != 0)
        return CAPTURE_NO_MEMORY;
    capture->pcap = pcap_fopen_offline_with_tstamp_precision(capture->file, PCAP_TSTAMP_PRECISION_NANO, error);
    if (!capture->pcap && lacked_memory(capture, error))
        return CAPTURE_NO_MEMORY;
    if (!capture->pcap) {
        report_damage(capture, error);
        return reader_has_changed(capture->reader) ? CAPTURE_CHANGED : CAPTURE_DAMAGED;
    }
    capture->nanoseconds = true;
    capture->link_type = link_type_of(pcap_datalink(capture->pcap));
    return CAPTURE_OPENED;
}

static void take_block(void *user, const uint8_t *bytes, size_t length)
{
    blocks_push(user, bytes, length);
}

static enum capture_outcome begin_file(struct capture *capture, bool by_libpcap)
{
    blocks_begin(&capture->blocks);
    capture->plain = packet_file_new(capture->reader, capture->is_pcapng, take_block, &capture->blocks);
    if (!capture->plain)
        return CAPTURE_NO_MEMORY;
    if (!by_libpcap && packet_file_begin(capture->plain, &capture->link_type) == PACKET_FILE_PACKET)
        return CAPTURE_OPENED;
    return go_on_by_libpcap(capture);
}

static enum capture_outcome check_link_type(const struct capture *capture)
{
    const char *text = pcap_datalink_val_to_description(dlt_of(capture->link_type));
    if (armtap_link_type_known(capture->link_type))
        return CAPTURE_OPENED;
    if (capture->quiet)
        return CAPTURE_DAMAGED;
    message_error("%s: link type %d (%s%s%s) is not one that armtap can read TCP from; capture on the robot's wired "
                  "network, or with tcpdump -i any",
                  reader_name(capture->name), capture->link_type, link_name(capture->link_type), text ? ": " : "",
                  text ? text : "");
    return CAPTURE_DAMAGED;
}

static struct capture *open_file(const struct reader_wish *wish, bool by_libpcap)
{
    const uint8_t *first;
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
    if (outcome == CAPTURE_OPENED && reader_peek(capture->reader, &first, 4) == 4 &&
        is_capture(first, &capture->is_pcapng))
        outcome = begin_file(capture, by_libpcap);
    if (outcome == CAPTURE_OPENED && capture->plain)
        outcome = check_link_type(capture);
    if (outcome == CAPTURE_OPENED)
        return capture;
    capture_close(capture);
    errno = outcome == CAPTURE_NO_MEMORY ? ENOMEM : outcome == CAPTURE_CHANGED ? ESTALE : 0;
    return NULL;
}

struct capture *capture_open(const struct reader_wish *wish)
{
    return open_file(wish, false);
}

struct capture *capture_open_by_libpcap(const struct reader_wish *wish)
{
    return open_file(wish, true);
}

void capture_lend(struct capture *capture, uint8_t *buffer, size_t length)
{
    if (capture->plain && !capture->file)
        packet_file_lend(capture->plain, buffer, length);
}

bool capture_is_raw(const struct capture *capture)
{
    return !capture->plain && !capture->pcap;
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
    return &capture->blocks.comment;
}

uint64_t capture_position(const struct capture *capture)
{
    return capture->reader ? reader_position(capture->reader) : 0;
}

struct input *capture_plain_input(const struct capture *capture)
{
    return capture->plain && !capture->file && reader_is_plain(capture->reader) ? capture->input : NULL;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* 64 bits of nanoseconds hold the years 1677 to 2262; a time outside is damage. */
static int64_t time_of(const struct pcap_pkthdr *header, bool nanoseconds)
{
    int64_t seconds = header->ts.tv_sec, fraction = header->ts.tv_usec;
    if (seconds < -INT64_C(9000000000) || seconds > INT64_C(9000000000) || fraction < 0 || fraction > INT32_MAX)
        return ARMTAP_NO_TIME;
    return seconds * SECOND + fraction * (nanoseconds ? 1 : 1000);
}

static enum capture_outcome end_of_file(struct capture *capture, int outcome)
{
    const char *error = capture->pcap ? pcap_geterr(capture->pcap) : "";
    capture->ended = true;
    if (outcome == PCAP_ERROR && lacked_memory(capture, error))
        return CAPTURE_NO_MEMORY;
    if (outcome == PCAP_ERROR && is_cut(error) && !reader_problem(capture->reader) &&
        reader_is_growing(capture->reader)) {
        report_growing(capture);
        return CAPTURE_END;
    }
    if (outcome == PCAP_ERROR)
        reader_give_up(capture->reader);
    if (outcome == PCAP_ERROR || reader_problem(capture->reader)) {
        report_damage(capture, error);
        return reader_has_changed(capture->reader) ? CAPTURE_CHANGED : CAPTURE_DAMAGED;
    }
    return CAPTURE_END;
}

static void take_packet(struct capture *capture, const struct pcap_pkthdr *header, const u_char *data,
                        struct armtap_packet *packet)
{
    *packet = (struct armtap_packet){.link_type = capture->link_type,
                                     .where = {.time = time_of(header, capture->nanoseconds)},
                                     .data = data,
                                     .captured = header->caplen,
                                     .length = header->len};
}

static enum capture_outcome next_of_file(struct capture *capture, struct armtap_packet *packet)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    if (!capture->file) {
        enum packet_file_outcome outcome = packet_file_next(capture->plain, packet);
        if (outcome == PACKET_FILE_PACKET)
            return CAPTURE_PACKET;
        if (outcome == PACKET_FILE_FULL)
            return CAPTURE_FULL;
        if (outcome == PACKET_FILE_END)
            return end_of_file(capture, PCAP_ERROR_BREAK);
        enum capture_outcome begun = go_on_by_libpcap(capture);
        if (begun != CAPTURE_OPENED) {
            capture->ended = true;
            return begun;
        }
    }
    int got = pcap_next_ex(capture->pcap, &header, &data);
    if (got != 1)
        return end_of_file(capture, got);
    take_packet(capture, header, data, packet);
    return CAPTURE_PACKET;
}

/* Waits briefly for packets. libpcap's own timeout does not do: without packets it may never return. */
static void wait_for_packets(struct capture *capture)
{
    struct pollfd poller = {.fd = pcap_get_selectable_fd(capture->pcap), .events = POLLIN};
    poll(&poller, poller.fd < 0 ? 0 : 1, LIVE_WAIT_MS);
}

/* The next packet of an interface; CAPTURE_END after Ctrl-C. */
static enum capture_outcome next_live(struct capture *capture, struct armtap_packet *packet)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    bool is_over = capture->packets % LIVE_TURN == 0 && interrupt_asked();
    int outcome = is_over ? 0 : pcap_next_ex(capture->pcap, &header, &data);
    if (outcome == 1) {
        take_packet(capture, header, data, packet);
        return CAPTURE_PACKET;
    }
    capture->ended = outcome != 0 || is_over || interrupt_asked();
    if (outcome != 0) {
        message_error("%s: %s; is the interface still up?", capture->name, pcap_geterr(capture->pcap));
        return CAPTURE_DAMAGED;
    }
    if (capture->ended)
        return CAPTURE_END;
    wait_for_packets(capture);
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

static void list_interfaces(char *list, size_t room)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_if_t *all = NULL;
    size_t length = 0;
    list[0] = '\0';
    if (pcap_findalldevs(&all, error) != 0)
        return;
    for (const pcap_if_t *one = all; one && length + strlen(one->name) + 3 < room; one = one->next)
        length += (size_t)snprintf(list + length, room - length, "%s%s", length == 0 ? "" : " ", one->name);
    pcap_freealldevs(all);
}

static void report_live(const struct capture *capture, int outcome)
{
    char list[400];
    const char *reason = pcap_statustostr(outcome), *detail = pcap_geterr(capture->pcap);
    if (outcome == PCAP_ERROR_PERM_DENIED || outcome == PCAP_ERROR_PROMISC_PERM_DENIED) {
        message_error(
            "%s: this user may not capture; run it with sudo (it gives up root once the interface is open), give the "
            "program the right: sudo setcap cap_net_raw+ep $(command -v armtap), or "
            "capture with sudo tcpdump -w FILE and read the file",
            capture->name);
        return;
    }
    bool has_detail = detail[0] != '\0' && strcmp(detail, reason) != 0;
    list_interfaces(list, sizeof list);
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
        outcome = pcap_compile(capture->pcap, &program, all, 1, PCAP_NETMASK_UNKNOWN);
        free(all);
    }
    if (outcome != 0)
        outcome = pcap_compile(capture->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN);
    if (outcome != 0) {
        message_error("--filter '%s': %s; see pcap-filter(7)", filter, pcap_geterr(capture->pcap));
        return -1;
    }
    outcome = pcap_setfilter(capture->pcap, &program);
    pcap_freecode(&program);
    if (outcome != 0)
        message_error("%s: the filter cannot be set: %s", capture->name, pcap_geterr(capture->pcap));
    return outcome;
}

static int begin_live(struct capture *capture)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_set_snaplen(capture->pcap, LIVE_SNAPSHOT);
    pcap_set_promisc(capture->pcap, 1);
    pcap_set_timeout(capture->pcap, LIVE_WAIT_MS);
    pcap_set_buffer_size(capture->pcap, LIVE_BUFFER);
    pcap_set_tstamp_precision(capture->pcap, PCAP_TSTAMP_PRECISION_NANO);
    int outcome = pcap_activate(capture->pcap);
    if (outcome < 0) {
        report_live(capture, outcome);
        return -1;
    }
    if (outcome > 0)
        message_warning("%s: %s", capture->name, pcap_statustostr(outcome));
    if (pcap_setnonblock(capture->pcap, 1, error) != 0) {
        message_error("%s: %s", capture->name, error);
        return -1;
    }
    capture->nanoseconds = pcap_get_tstamp_precision(capture->pcap) == PCAP_TSTAMP_PRECISION_NANO;
    capture->link_type = link_type_of(pcap_datalink(capture->pcap));
    return 0;
}

struct capture *capture_open_live(const char *interface, const char *filter, bool tagged)
{
    char error[PCAP_ERRBUF_SIZE];
    struct capture *capture = capture_new(interface);
    if (!capture)
        return NULL;
    capture->pcap = pcap_create(interface, error);
    if (!capture->pcap) {
        message_error("%s: %s", interface, error);
        capture_close(capture);
        errno = 0;
        return NULL;
    }
    if (begin_live(capture) != 0 || check_link_type(capture) != CAPTURE_OPENED ||
        set_filter(capture, filter, tagged) != 0) {
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
        return capture->is_pcapng ? blocks_dropped(&capture->blocks) : 0;
    if (pcap_stats(capture->pcap, &counts) == 0) {
        drops_count(&capture->kernel_drops, counts.ps_drop);
        drops_count(&capture->interface_drops, counts.ps_ifdrop);
    }
    return capture->kernel_drops.total + capture->interface_drops.total;
}
