/* The packets of a capture, given to the library one by one. */
#include "run.h"

#include <string.h>

#include "input/sidecars/sidecar.h"
#include "base/os/interrupt.h"
#include "base/process/message.h"
#include "base/numbers/timestamp.h"
#include "input/files/file_reader.h"
#include "input/files/input_files.h"
#include "speed.h"
#include "analysis/inside.h"

/* ns between two readings of the kernel's drop counter */
#define DROPS_TURN 100000000

/* ---- what was dropped before it was captured ---- */

/* Reports the packets that the capturing machine, or armtap when it recorded, dropped, once the count is final. */
static void report_dropped(struct run *run, struct capture *capture, const struct armtap_where *where)
{
    bool recorded = capture_section(capture)->from_socket;
    uint64_t dropped = capture_dropped(capture);
    if (dropped == 0 || run->stopped)
        return;
    if (run->source->interface)
        message_warning("%s: the kernel or the interface dropped %llu packets; narrow the --filter, or capture with "
                        "tcpdump -B 65536 or Wireshark first",
                        run->source->interface, (unsigned long long)dropped);
    else
        run_note_dropped(run, recorded ? ARMTAP_NOTE_record_dropped : ARMTAP_NOTE_capture_dropped, where,
                         ARGS(arg_dropped(dropped)));
}

/* Notes when the capturing machine drops packets; its clock is the capture's. */
ARMTAP_RARE static void watch_drops(struct run *run, struct capture *capture, uint64_t packet, bool last)
{
    struct armtap_where now = {.size = sizeof now, .time = run_clock_time(), .packet = packet}, since;
    if (now.time - run->drops.read.time < DROPS_TURN && !last)
        return;
    uint64_t dropped = drops_read(&run->drops, capture_dropped(capture), &now, &since);
    if (dropped == 0 || run->stopped)
        return;
    run_note_dropped(run, ARMTAP_NOTE_capture_dropped, &since,
                     ARGS(arg_dropped(dropped), arg_from_time(since.time), arg_last_time(now.time)));
}

/* ---- order ---- */

static void note_file_time(struct run *run, const struct armtap_packet *packet)
{
    if (run->totals->file_time == ARMTAP_NO_TIME)
        run->totals->file_time = packet->where.time;
}

void run_give_packet(struct run *run, struct armtap_packet *packet)
{
    note_file_time(run, packet);
    run->totals->packets++;
    run->totals->bytes += packet->captured;
    if (run->totals->first_time == ARMTAP_NO_TIME)
        run->totals->first_time = packet->where.time;
    if (run->totals->last_time < packet->where.time)
        run->totals->last_time = packet->where.time;
    if (run->source->on_packet)
        run->source->on_packet(run->stop.user, packet);
    run_check(run, armtap_net_packet(run->net, packet));
}

uint64_t run_begin_section(struct run *run, const struct section_comment *section)
{
    bool follows = armtap_section_comment_follows(&run->section, section);
    run->section = *section;
    run->origin = section->from_socket ? ARMTAP_ORIGIN_SOCKET : ARMTAP_ORIGIN_NETWORK;
    run_check(run, armtap_net_origin(run->net, run->origin));
    return follows ? section->repeated : 0;
}

static bool share_host(const struct beginning *one, const struct beginning *other)
{
    for (int i = 0; i < 4; i++)
        if (one->hosts[i / 2][0] != '\0' && strcmp(one->hosts[i / 2], other->hosts[i % 2]) == 0)
            return true;
    return false;
}

/* Files of one robot that are not in order of time are hardly meant so. */
ARMTAP_RARE static void check_order(struct run *run, const struct armtap_packet *first)
{
    const struct replay_source *source = run->source;
    struct beginning begins = {.time = first->where.time, .file = first->where.file};
    if (begins.time == ARMTAP_NO_TIME || source->count == 0 ||
        !armtap_packet_hosts(first, begins.hosts[0], begins.hosts[1]))
        return;
    struct input *input = inputs_at(source->inputs, source->archive ? 0 : begins.file);
    if (run->before.time != ARMTAP_NO_TIME && begins.time < run->before.time && share_host(&begins, &run->before) &&
        !source->quiet && (!input || input_report_once(input)))
        message_warning("%s begins before %s, which is read first; name the files in order of time, or add --sort",
                        reader_name(replay_file_name(source, begins.file)),
                        reader_name(replay_file_name(source, run->before.file)));
    run->before = begins;
}

/* ---- digests ----------------------------------------------------------------------------------------------------- */

static void begin_digest(struct run *run)
{
    const struct armtap_digest_options options = {.size = sizeof options, .limit = SIDECAR_PACKETS_MAX};
    if (!run->source->on_indexed)
        return;
    run_check(run, armtap_digest_new(&options, &run->digest));
    if (run->digest)
        run_check(run, armtap_net_digest(run->net, run->digest));
}

static void end_digest(struct run *run, struct capture *capture, const struct replay_indexed *counted)
{
    struct replay_indexed indexed = *counted;
    if (!run->digest)
        return;
    run_check(run, armtap_net_digest(run->net, NULL));
    indexed.section = capture_section(capture);
    indexed.digest = run->digest;
    if (!run->stopped) {
        run->stop.why = run->source->on_indexed(run->stop.user, &indexed);
        if (run->stop.why != REPLAY_GO_ON)
            run_stop(run, ARMTAP_ERR_STOPPED);
    }
    armtap_digest_free(run->digest);
    run->digest = NULL;
}

static void count_indexed(struct replay_indexed *indexed, const struct armtap_packet *packet)
{
    indexed->packets = packet->where.packet;
    indexed->last_time = packet->where.time;
    if (indexed->packets == 1)
        indexed->first_time = packet->where.time;
}

/* What is known of the archive is of what the capture was then: rows of this one might be other rows. */
static void check_indexed(struct run *run, const struct replay_indexed *indexed)
{
    const struct archive *archive = run->source->archive;
    if (!archive || run->stopped || run->ended ||
        archive_current_is(archive, indexed->packets, indexed->first_time, indexed->last_time))
        return;
    if (!run->source->quiet)
        message_error("%s: changed since it was indexed; index it and the captures after it again, and read those "
                      "again",
                      reader_name(replay_file_name(run->source, indexed->file)));
    run->stopped = run->totals->broken_off = true;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Packets before each question, which costs time for every connection; among them may be wanted ones again. */
#define PATIENCE 64

enum side { WANTED, MARGIN, BEYOND };

static enum side side_of_packet(const struct replay_end *wish, const struct armtap_where *now)
{
    bool is_wanted = now->file != wish->file ? now->file < wish->file : now->packet <= wish->packet;
    return is_wanted ? WANTED : BEYOND;
}

/* Times that went back, as those of two interfaces do whose clocks are apart, may do so again. */
static enum side side_of_time(struct replay_ending *ending, const struct armtap_where *now)
{
    if (ending->time == ARMTAP_NO_TIME || now->time == ARMTAP_NO_TIME)
        return WANTED;
    if (ending->latest == ARMTAP_NO_TIME || now->time > ending->latest)
        ending->latest = now->time;
    int64_t back = armtap_time_between(now->time, ending->latest);
    ending->back = back > ending->back ? back : ending->back;
    if (now->time <= ending->time)
        return WANTED;
    int64_t beyond = armtap_time_between(ending->time, now->time);
    return beyond > REPLAY_END_MARGIN_NS && beyond - REPLAY_END_MARGIN_NS > ending->back ? BEYOND : MARGIN;
}

/* Call for each packet, after it was given to the net. Whether the file need not be read further. */
static bool is_ending_here(struct replay_ending *ending, const void *user, const struct armtap_net *net,
                           const struct armtap_where *now, int64_t first_time)
{
    const struct replay_end *wish = ending->wish;
    if (!wish)
        return false;
    if (wish->to && !ending->has_time) {
        ending->has_time = true;
        ending->latest = ARMTAP_NO_TIME;
        ending->time = timestamp_range(wish->from, wish->to, first_time, wish->zone).to;
    }
    enum side side = wish->to ? side_of_time(ending, now) : side_of_packet(wish, now);
    if (side == WANTED) {
        ending->last = *now;
        ending->patience = PATIENCE;
    }
    if (side != BEYOND || ending->last.packet == 0)
        return false;
    if (ending->patience > 0) {
        ending->patience--;
        return false;
    }
    ending->patience = PATIENCE;
    return (!wish->is_enough || wish->is_enough(user)) && armtap_net_is_settled(net, &ending->last);
}

static bool is_enough(struct run *run, const struct armtap_where *where)
{
    return run->ending.wish && is_ending_here(&run->ending, run->stop.user, run->net, where, run->totals->first_time);
}

static void tell_copies(struct run *run, bool are_copies)
{
    run_check(run, armtap_net_copies(run->net, are_copies));
}

void run_begin_packets(struct run *run, struct reading *reading, struct capture *capture, uint32_t file)
{
    *reading = (struct reading){
        .capture = capture,
        .repeated = run_begin_section(run, capture_section(capture)),
        .copies = capture_section(capture)->repeated,
        .indexed = {.file = file, .first_time = ARMTAP_NO_TIME, .last_time = ARMTAP_NO_TIME},
        .last = {.size = sizeof(struct armtap_where), .time = ARMTAP_NO_TIME, .file = file},
        .outcome = CAPTURE_END,
        .is_live = run->source->interface != NULL,
    };
    tell_copies(run, reading->copies > 0);
    begin_digest(run);
}

static bool is_end(struct run *run, const struct armtap_where *where)
{
    /* Of files side by side, packets of another file tell nothing about the number of the last one wanted. */
    bool is_other = run->by_time && run->ending.wish && !run->ending.wish->to && where->file != run->ending.wish->file;
    return !is_other && is_enough(run, where);
}

bool run_take_next(struct run *run, struct reading *reading, struct armtap_packet *packet)
{
    packet->where.file = reading->last.file;
    reading->last.packet = packet->where.packet;
    if (packet->where.packet == reading->copies + 1)
        tell_copies(run, false);
    count_indexed(&reading->indexed, packet);
    if (packet->where.packet == 1)
        check_order(run, packet);
    if (packet->where.packet > reading->repeated)
        run_give_packet(run, packet);
    else
        note_file_time(run, packet);
    run_advance(run, reading->capture);
    if (is_end(run, &packet->where))
        return false;
    if (run->by_time && (interrupt_asked() || run->source->on_turn))
        run_turn(run);
    return true;
}

static bool next_packet(struct run *run, struct reading *reading)
{
    struct armtap_packet packet = {.size = sizeof packet};
    if (run->stopped || run->ended || (reading->outcome = capture_next(reading->capture, &packet)) <= CAPTURE_END)
        return false;
    if (reading->outcome == CAPTURE_PACKET && !run_take_next(run, reading, &packet))
        return false;
    if (reading->is_live)
        watch_drops(run, reading->capture, reading->last.packet, false);
    if (interrupt_asked() || run->source->on_turn)
        run_turn(run);
    return true;
}

void run_end_packets(struct run *run, struct reading *reading)
{
    if (run->source->comments && !run->totals->elsewhere &&
        !armtap_comments_append(run->source->comments, capture_comments(reading->capture), reading->last.file))
        run_stop(run, ARMTAP_ERR_MEMORY);
    if (!run->stopped && reading->outcome < CAPTURE_END)
        run_fail_input(run, reading->outcome);
    reading->indexed.is_damaged = reading->outcome < CAPTURE_END;
    end_digest(run, reading->capture, &reading->indexed);
    check_indexed(run, &reading->indexed);
    if (reading->is_live)
        watch_drops(run, reading->capture, reading->last.packet, true);
    report_dropped(run, reading->capture, &reading->last);
}

void run_packets(struct run *run, struct capture *capture, uint32_t file)
{
    struct reading reading;
    run_begin_packets(run, &reading, capture, file);
    while (next_packet(run, &reading))
        continue;
    run_end_packets(run, &reading);
}

void replay_start_say(const struct replay_source *source, const struct timestamp *from)
{
    uint64_t bytes = from->given && !replay_is_endless(source) ? inputs_length(source->inputs, source->count) : 0;
    if (bytes >= REPLAY_START_SAY_BYTES)
        message_info(
            "--from: everything before it (of %.1f GB) is decoded too, because it holds the setups; to skip it, split "
            "the capture into files (editcap -i 600), run armtap index on them, and use --after",
            (double)bytes / 1e9);
}
