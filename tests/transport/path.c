#include "path.h"

#include <stdlib.h>
#include <string.h>

enum { MSS = 1448, DUPLICATES_THAT_TELL = 3, BLOCKS = 4, CLIENT_ISN = 4000, WINDOW_CELLS = 4096 };
enum { FLAG_SYN = 2, FLAG_PSH = 8, FLAG_ACK = 16, SHIFT = 7 };
#define ROBOT_ISN UINT32_C(0xfff00000) /* wraps */
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define START (INT64_C(1700000000) * 1000 * MS)
#define LEAST_TIMEOUT (200 * MS)
#define DELAYED_ACK (40 * MS)
#define LONGEST_STALL (400 * MS)
#define WIRE (12 * US) /* a full segment at 1 Gbit/s */

struct range {
    uint64_t start, end;
};

/* A packet that was sent once; its copies on the path are the same packet. */
struct sent {
    struct range bytes; /* empty: an acknowledgement */
    bool from_robot, again;
    uint64_t ack;
    struct range blocks[BLOCKS]; /* SACK */
    unsigned block_count;
    bool has_dsack;
    uint32_t tsval, tsecr;
    uint16_t ip_id;
    unsigned flags;
    unsigned captured; /* times */
};

enum what { WRITE, ARRIVES, SENDER_TIMER, RECEIVER_TIMER, REORDERING_TIMER, CAPTURED };

struct event {
    int64_t time;
    uint64_t order;
    enum what what;
    size_t sent;       /* ARRIVES, CAPTURED */
    uint64_t revision; /* of a timer: differs if it was set again since */
};

/* What the sender remembers of a segment until it is acknowledged. */
struct flying {
    struct range bytes;
    bool sacked, lost, resent;
    unsigned tries;
    int64_t time;
};

struct sender {
    struct flying *flying; /* WINDOW_CELLS */
    size_t count;
    uint64_t una, next, written;
    double window, threshold; /* segments */
    bool recovers, probed;
    uint64_t recover;
    int64_t srtt, rttvar, free_at;
    int64_t rack_sent, rack_rtt, least_rtt; /* of the latest sent that was delivered */
    unsigned rack_windows;                  /* in quarters of the round trip: one more for every DSACK */
    uint64_t rack_timer;
    unsigned backoff;
    bool timer_runs, timer_is_probe;
    uint64_t timer;
    uint32_t ts_recent;
};

struct receiver {
    uint64_t next, acked;
    struct range islands[WINDOW_CELLS]; /* beyond `next`; the last to change first */
    size_t count;
    struct range copy; /* DSACK */
    unsigned waiting;
    uint64_t timer;
    uint32_t ts_recent;
};

struct play {
    const struct path *path;
    struct path_capture *capture;
    uint64_t seed, order;
    int64_t now, arrival[2]; /* of the last packet that was not reordered, by direction */
    uint16_t ip_id[2];
    struct event *heap;
    size_t heap_count, heap_room;
    struct sent *sent;
    size_t sent_count, sent_room;
    struct sender sender;
    struct receiver receiver;
    size_t *captured; /* the index of each captured packet, in order of capture */
    size_t captured_room;
    uint64_t highest; /* byte captured */
    struct bytes package;
};

static void *grown(void *old, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return old;
    *room = *room ? 2 * *room : 1024;
    void *grown = realloc(old, *room * size);
    assert_non_null(grown);
    return grown;
}

/* ---- chance ---------------------------------------------------------------------------------------------------- */

static double chance(struct play *play)
{
    return (double)(random_bits(&play->seed) >> 11) / 9007199254740992.0;
}

static int64_t up_to(struct play *play, int64_t most)
{
    return most > 0 ? (int64_t)(chance(play) * (double)most) : 0;
}

/* ---- events, the earliest first -------------------------------------------------------------------------------- */

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void push(struct play *play, int64_t time, enum what what, size_t sent, uint64_t revision)
{
    play->heap = grown(play->heap, play->heap_count, &play->heap_room, sizeof *play->heap);
    struct event event = {time, play->order++, what, sent, revision};
    size_t i = play->heap_count++;
    for (; i > 0 && is_before(&event, &play->heap[(i - 1) / 2]); i = (i - 1) / 2)
        play->heap[i] = play->heap[(i - 1) / 2];
    play->heap[i] = event;
}

static struct event pop(struct play *play)
{
    struct event first = play->heap[0], last = play->heap[--play->heap_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < play->heap_count; i = child) {
        if (child + 1 < play->heap_count && is_before(&play->heap[child + 1], &play->heap[child]))
            child++;
        if (!is_before(&play->heap[child], &last))
            break;
        play->heap[i] = play->heap[child];
    }
    play->heap[i] = last;
    return first;
}

/* ---- packets as bytes ------------------------------------------------------------------------------------------ */

static void add_options(struct bytes *packet, const struct path *path, const struct sent *sent)
{
    if (sent->flags & FLAG_SYN)
        bytes_hex(packet, "0204 05b4 0402 0101"); /* MSS, SACK permitted, two NOP */
    if (sent->flags & FLAG_SYN) {
        bytes_hex(packet, "01 0303");
        bytes_number(packet, SHIFT, 1);
    }
    if (path->timestamps) {
        bytes_hex(packet, "0101 080a");
        bytes_number(packet, sent->tsval, 4);
        bytes_number(packet, sent->tsecr, 4);
    }
    if (!sent->block_count)
        return;
    bytes_hex(packet, "0101 05");
    bytes_number(packet, 2 + 8 * sent->block_count, 1);
    for (unsigned i = 0; i < sent->block_count; i++) {
        bytes_number(packet, (uint32_t)(ROBOT_ISN + 1 + sent->blocks[i].start), 4);
        bytes_number(packet, (uint32_t)(ROBOT_ISN + 1 + sent->blocks[i].end), 4);
    }
}

static void add_ip(struct bytes *packet, const struct path *path, const struct sent *sent, size_t length)
{
    static const char *const ends[2][2] = {{"0a000002", "0a000009"},
                                           {"fd000000000000000000000000000002", "fd000000000000000000000000000009"}};
    if (path->v6) {
        bytes_hex(packet, "60000000");
        bytes_number(packet, length, 2);
        bytes_hex(packet, "0640");
    } else {
        bytes_hex(packet, "4500");
        bytes_number(packet, length + 20, 2);
        bytes_number(packet, sent->ip_id, 2);
        bytes_hex(packet, "4000 4006 0000");
    }
    bytes_hex(packet, ends[path->v6][!sent->from_robot]);
    bytes_hex(packet, ends[path->v6][sent->from_robot]);
}

/* The realtime packets that the robot writes: only the clock differs. */
static void add_payload(struct bytes *packet, struct range bytes, struct bytes *package)
{
    struct bytes clock = {0};
    if (!package->length)
        bytes_packet(package, PATH_WRITE, 0);
    for (uint64_t at = bytes.start; at < bytes.end;) {
        uint64_t within = at % PATH_WRITE;
        uint64_t count = PATH_WRITE - within < bytes.end - at ? PATH_WRITE - within : bytes.end - at;
        clock.length = 0;
        bytes_double(&clock, 100 + (double)(at / PATH_WRITE) * 0.008);
        memcpy(package->at + 4, clock.at, 8);
        bytes_add(packet, package->at + within, count);
        at += count;
    }
    bytes_free(&clock);
}

static void add_packet(const struct path *path, const struct sent *sent, struct bytes *package, struct bytes *packet)
{
    struct bytes options = {0};
    uint64_t length = sent->bytes.end - sent->bytes.start;
    uint32_t seq = sent->from_robot ? (uint32_t)(ROBOT_ISN + 1 + sent->bytes.start) : CLIENT_ISN + 1;
    uint32_t ack = sent->from_robot ? CLIENT_ISN + 1 : (uint32_t)(ROBOT_ISN + 1 + sent->ack);
    add_options(&options, path, sent);
    add_ip(packet, path, sent, 20 + options.length + length);
    bytes_number(packet, sent->from_robot ? 30003 : 50001, 2);
    bytes_number(packet, sent->from_robot ? 50001 : 30003, 2);
    bytes_number(packet, sent->flags & FLAG_SYN ? seq - 1 : seq, 4);
    bytes_number(packet, sent->flags & FLAG_ACK ? ack : 0, 4);
    bytes_number(packet, (20 + options.length) / 4 * 16, 1);
    bytes_number(packet, sent->flags, 1);
    bytes_number(packet, sent->from_robot ? 502 : 64000, 2);
    bytes_hex(packet, "0000 0000");
    bytes_add(packet, options.at, options.length);
    add_payload(packet, sent->bytes, package);
    bytes_free(&options);
}

/* ---- the capturing machine, and the truth ---------------------------------------------------------------------- */

static bool overlaps(struct range a, struct range b)
{
    return a.start < b.end && b.start < a.end;
}

/* Classifies a segment by those that were captured before it. */
static struct path_packet truth_of(const struct play *play, size_t number)
{
    const struct sent *sent = &play->sent[number];
    struct path_packet packet = {TRUTH_FIRST, false};
    bool after_later = false, tells = false;
    size_t look = play->capture->list.count < 20000 ? play->capture->list.count : 20000;
    if (sent->captured > 0)
        return (struct path_packet){TRUTH_COPY, false};
    if (!sent->again && sent->bytes.start >= play->highest)
        return packet;
    for (size_t i = play->capture->list.count - look; i < play->capture->list.count && !(after_later && tells); i++) {
        size_t other = play->captured[i];
        struct range bytes = play->sent[other].bytes;
        if (bytes.start == bytes.end)
            continue;
        bool above = bytes.end > sent->bytes.end, same = overlaps(bytes, sent->bytes);
        after_later |= other > number && (above || same);
        tells |= other < number && (above || same);
    }
    if (sent->again) {
        packet.truth = TRUTH_AGAIN;
        packet.hidden = !tells;
    } else if (after_later) {
        packet.truth = TRUTH_LATE;
    }
    return packet;
}

static void capture(struct play *play, size_t number)
{
    struct path_capture *capture = play->capture;
    struct sent *sent = &play->sent[number];
    struct bytes packet = {0};
    if (play->path->midstream && number < 40)
        return;
    if (!(sent->flags & FLAG_SYN) && number > 2 && chance(play) < play->path->drop)
        return;
    bool has_bytes = sent->bytes.end > sent->bytes.start;
    size_t i = capture->list.count, room = play->captured_room;
    play->captured = grown(play->captured, i, &play->captured_room, sizeof *play->captured);
    capture->packets = grown(capture->packets, i, &room, sizeof *capture->packets);
    capture->packets[i] = has_bytes ? truth_of(play, number) : (struct path_packet){TRUTH_FIRST, false};
    play->captured[i] = number;
    capture->segments += has_bytes;
    sent->captured++;
    if (sent->bytes.end > play->highest)
        play->highest = sent->bytes.end;
    add_packet(play->path, sent, &play->package, &packet);
    capture_list_add(&capture->list, play->now, &packet);
    bytes_free(&packet);
    if (sent->captured == 1 && chance(play) < play->path->mirror)
        push(play, play->now + US + up_to(play, 50 * US), CAPTURED, number, 0);
}

/* Bytes of a captured packet. */
struct held {
    struct range bytes;
    size_t packet;
};

static int compare_held(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->bytes.start != y->bytes.start)
        return x->bytes.start < y->bytes.start ? -1 : 1;
    return (x->packet > y->packet) - (x->packet < y->packet);
}

static void tell_gaps(struct play *play)
{
    struct path_capture *capture = play->capture;
    struct held *held = calloc(capture->segments + 1, sizeof *held);
    size_t count = 0, room = 0;
    assert_non_null(held);
    for (size_t i = 0; i < capture->list.count; i++)
        if (play->sent[play->captured[i]].bytes.end > 0)
            held[count++] = (struct held){play->sent[play->captured[i]].bytes, i + 1};
    qsort(held, count, sizeof *held, compare_held);
    held[count] = (struct held){{play->receiver.next, play->receiver.next}, 0};
    uint64_t covered = play->path->midstream ? held[0].bytes.start : 0;
    for (size_t i = 0; i <= count; i++) {
        if (held[i].bytes.start > covered) {
            capture->gaps = grown(capture->gaps, capture->gap_count, &room, sizeof *capture->gaps);
            capture->gaps[capture->gap_count++] = (struct path_gap){held[i].bytes.start - covered, held[i].packet};
        }
        covered = held[i].bytes.end > covered ? held[i].bytes.end : covered;
    }
    free(held);
}

/* ---- the path -------------------------------------------------------------------------------------------------- */

static size_t new_packet(struct play *play, bool from_robot)
{
    play->sent = grown(play->sent, play->sent_count, &play->sent_room, sizeof *play->sent);
    struct sent *sent = &play->sent[play->sent_count];
    const struct path *path = play->path;
    memset(sent, 0, sizeof *sent);
    sent->from_robot = from_robot;
    sent->flags = FLAG_ACK;
    sent->tsval = (uint32_t)((from_robot ? 0xfffffe00U : 900) + (uint64_t)((play->now - START) / path->tick));
    sent->tsecr = from_robot ? play->sender.ts_recent : play->receiver.ts_recent;
    uint16_t *id = &play->ip_id[from_robot];
    switch (path->ids) {
    case PATH_IDS_COUNT:
        *id = (uint16_t)(*id + 1);
        break;
    case PATH_IDS_SHARED:
        *id = (uint16_t)(*id + 1 + random_bits(&play->seed) % 20);
        break;
    case PATH_IDS_ZERO:
        *id = 0;
        break;
    case PATH_IDS_RANDOM:
        *id = (uint16_t)random_bits(&play->seed);
        break;
    }
    sent->ip_id = *id;
    return play->sent_count++;
}

/* Sends a packet over the path at `time`; it is captured before or behind the path. */
static void send(struct play *play, size_t number, int64_t time)
{
    const struct path *path = play->path;
    bool from_robot = play->sent[number].from_robot;
    if (from_robot != path->at_receiver)
        push(play, time, CAPTURED, number, 0);
    if (!(play->sent[number].flags & FLAG_SYN) && chance(play) < path->loss)
        return;
    int64_t arrival = time + path->delay + up_to(play, path->jitter);
    if (from_robot && path->stall > 0 && chance(play) < path->stall)
        arrival += up_to(play, LONGEST_STALL);
    if (arrival < play->arrival[from_robot])
        arrival = play->arrival[from_robot] + US;
    if (chance(play) < path->reorder)
        arrival += 10 * US + up_to(play, path->reorder_by);
    else
        play->arrival[from_robot] = arrival;
    push(play, arrival, ARRIVES, number, 0);
    if (chance(play) < path->copy)
        push(play, arrival + 10 * US + up_to(play, path->copy_by), ARRIVES, number, 0);
}

/* ---- the sender ------------------------------------------------------------------------------------------------ */

static int64_t timeout_of(const struct sender *sender)
{
    int64_t timeout = sender->srtt ? sender->srtt + 4 * sender->rttvar : 1000 * MS;
    timeout = timeout < LEAST_TIMEOUT ? LEAST_TIMEOUT : timeout;
    return timeout << (sender->backoff < 6 ? sender->backoff : 6);
}

static void set_timer(struct play *play)
{
    struct sender *sender = &play->sender;
    sender->timer++;
    sender->timer_runs = sender->count > 0;
    if (!sender->timer_runs)
        return;
    int64_t wait = timeout_of(sender);
    int64_t probe = 2 * sender->srtt + (sender->count == 1 ? DELAYED_ACK : 2 * MS);
    sender->timer_is_probe = sender->srtt && !sender->recovers && !sender->probed && !sender->backoff && probe < wait;
    push(play, play->now + (sender->timer_is_probe ? probe : wait), SENDER_TIMER, 0, sender->timer);
}

static void send_segment(struct play *play, struct flying *flying)
{
    struct sender *sender = &play->sender;
    size_t number = new_packet(play, true);
    struct sent *sent = &play->sent[number];
    sent->bytes = flying->bytes;
    sent->again = flying->tries > 0;
    sent->flags |= FLAG_PSH;
    flying->tries++;
    flying->time = play->now;
    int64_t time = sender->free_at > play->now ? sender->free_at : play->now;
    sender->free_at = time + WIRE;
    send(play, number, time);
}

static double in_flight(const struct sender *sender)
{
    double count = 0;
    for (size_t i = 0; i < sender->count; i++)
        count += !sender->flying[i].sacked && (!sender->flying[i].lost || sender->flying[i].resent);
    return count;
}

static bool send_new(struct play *play)
{
    struct sender *sender = &play->sender;
    if (sender->next == sender->written || sender->count == WINDOW_CELLS)
        return false;
    uint64_t end = sender->written - sender->next > MSS ? sender->next + MSS : sender->written;
    struct flying *flying = &sender->flying[sender->count++];
    *flying = (struct flying){.bytes = {sender->next, end}};
    sender->next = end;
    send_segment(play, flying);
    return true;
}

static void transmit(struct play *play)
{
    struct sender *sender = &play->sender;
    bool sent_any = false;
    for (double flight = in_flight(sender); flight < sender->window; flight++) {
        size_t i = 0;
        while (i < sender->count && !(sender->flying[i].lost && !sender->flying[i].resent && !sender->flying[i].sacked))
            i++;
        if (i < sender->count) {
            sender->flying[i].resent = true;
            send_segment(play, &sender->flying[i]);
        } else if (!send_new(play)) {
            break;
        }
        sent_any = true;
    }
    if (sent_any && (!sender->timer_runs || !sender->recovers || sender->timer_is_probe))
        set_timer(play);
}

static void measure(struct sender *sender, int64_t rtt)
{
    int64_t off = sender->srtt > rtt ? sender->srtt - rtt : rtt - sender->srtt;
    sender->rttvar = sender->srtt ? (3 * sender->rttvar + off) / 4 : rtt / 2;
    sender->srtt = sender->srtt ? (7 * sender->srtt + rtt) / 8 : rtt;
}

static void begin_recovery(struct sender *sender, double window)
{
    double half = in_flight(sender) / 2;
    sender->recovers = true;
    sender->recover = sender->next;
    sender->threshold = half > 2 ? half : 2;
    sender->window = window > 0 ? window : sender->threshold;
}

static void deliver(struct play *play, const struct flying *flying)
{
    struct sender *sender = &play->sender;
    int64_t rtt = play->now - flying->time;
    if (flying->tries > 1 && rtt < sender->least_rtt)
        return; /* of the first transmission */
    if (flying->tries == 1 && (!sender->least_rtt || rtt < sender->least_rtt))
        sender->least_rtt = rtt;
    if (flying->time < sender->rack_sent)
        return;
    sender->rack_sent = flying->time;
    sender->rack_rtt = rtt;
}

/* Marks as lost what was sent long enough before something that was delivered. Returns whether there is any. */
static bool lose_by_time(struct play *play)
{
    struct sender *sender = &play->sender;
    int64_t window = sender->least_rtt / 4 * (1 + sender->rack_windows), next = 0;
    bool found = false;
    window = window < sender->srtt ? window : sender->srtt;
    for (size_t i = 0; i < sender->count; i++) {
        struct flying *flying = &sender->flying[i];
        if (flying->sacked || (flying->lost && !flying->resent) || flying->time >= sender->rack_sent)
            continue;
        int64_t due = flying->time + sender->rack_rtt + window;
        if (due <= play->now) {
            flying->lost = found = true;
            flying->resent = false;
        } else if (!next || due < next) {
            next = due;
        }
    }
    sender->rack_timer++;
    if (next)
        push(play, next, REORDERING_TIMER, 0, sender->rack_timer);
    return found;
}

/* Marks as lost the segments with three later ones that arrived. */
static bool lose_by_count(struct sender *sender)
{
    unsigned above = 0;
    bool found = false;
    for (size_t k = sender->count; k-- > 0;) {
        if (sender->flying[k].sacked) {
            above++;
        } else if (above >= DUPLICATES_THAT_TELL && !sender->flying[k].lost) {
            sender->flying[k].lost = found = true;
        }
    }
    return found;
}

static void take_acknowledged(struct play *play, uint64_t ack)
{
    struct sender *sender = &play->sender;
    size_t gone = 0;
    bool was_full = in_flight(sender) + 1 >= sender->window;
    for (; gone < sender->count && sender->flying[gone].bytes.end <= ack; gone++) {
        if (sender->flying[gone].tries == 1)
            measure(sender, play->now - sender->flying[gone].time);
        if (!sender->flying[gone].sacked)
            deliver(play, &sender->flying[gone]);
        if (was_full && !sender->recovers)
            sender->window += sender->window < sender->threshold ? 1 : 1 / sender->window;
        else if (sender->recovers && sender->window < sender->threshold)
            sender->window += 1;
    }
    memmove(sender->flying, sender->flying + gone, (sender->count - gone) * sizeof *sender->flying);
    sender->count -= gone;
    sender->una = ack;
    sender->backoff = 0;
    sender->probed = false;
    sender->recovers = sender->recovers && sender->una < sender->recover;
}

static void take_ack(struct play *play, const struct sent *sent)
{
    struct sender *sender = &play->sender;
    bool advances = sent->ack > sender->una;
    if ((int32_t)(sent->tsval - sender->ts_recent) > 0)
        sender->ts_recent = sent->tsval;
    if (advances)
        take_acknowledged(play, sent->ack);
    for (unsigned i = 0; i < sent->block_count; i++)
        for (size_t k = 0; k < sender->count; k++)
            if (sender->flying[k].bytes.start >= sent->blocks[i].start &&
                sender->flying[k].bytes.end <= sent->blocks[i].end && !sender->flying[k].sacked) {
                sender->flying[k].sacked = true;
                deliver(play, &sender->flying[k]);
            }
    sender->rack_windows += sent->has_dsack && sender->rack_windows < 20;
    if ((play->path->rack ? lose_by_time(play) : lose_by_count(sender)) && !sender->recovers)
        begin_recovery(sender, 0);
    if (advances)
        set_timer(play);
    transmit(play);
}

static void sender_timer(struct play *play, uint64_t revision)
{
    struct sender *sender = &play->sender;
    if (revision != sender->timer || !sender->count)
        return;
    sender->timer_runs = false;
    if (sender->timer_is_probe) {
        sender->probed = true;
        if (!send_new(play))
            send_segment(play, &sender->flying[sender->count - 1]);
        set_timer(play);
        return;
    }
    for (size_t i = 0; i < sender->count; i++) {
        sender->flying[i].lost = !sender->flying[i].sacked;
        sender->flying[i].resent = false;
    }
    begin_recovery(sender, 1);
    sender->backoff++;
    transmit(play);
}

static void reordering_timer(struct play *play, uint64_t revision)
{
    struct sender *sender = &play->sender;
    if (revision != sender->rack_timer || !lose_by_time(play))
        return;
    if (!sender->recovers)
        begin_recovery(sender, 0);
    transmit(play);
}

static void write_more(struct play *play)
{
    struct sender *sender = &play->sender;
    const struct path *path = play->path;
    sender->written += (uint64_t)path->burst * PATH_WRITE;
    if (play->capture->segments < path->segments)
        push(play, play->now + path->cycle, WRITE, 0, 0);
    transmit(play);
}

/* ---- the receiver ---------------------------------------------------------------------------------------------- */

static void acknowledge(struct play *play)
{
    struct receiver *receiver = &play->receiver;
    size_t number = new_packet(play, false), most = play->path->timestamps ? 3 : 4;
    struct sent *sent = &play->sent[number];
    sent->ack = receiver->next;
    sent->has_dsack = receiver->copy.end > 0 && !play->path->no_dsack;
    if (sent->has_dsack)
        sent->blocks[sent->block_count++] = receiver->copy;
    for (size_t i = 0; i < receiver->count && sent->block_count < most; i++)
        sent->blocks[sent->block_count++] = receiver->islands[i];
    receiver->copy = (struct range){0, 0};
    receiver->acked = receiver->next;
    receiver->waiting = 0;
    receiver->timer++;
    send(play, number, play->now);
}

/* Adds bytes beyond a hole: joins the islands that they touch, and puts the result first. */
static void keep_island(struct receiver *receiver, struct range bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < receiver->count; i++) {
        struct range island = receiver->islands[i];
        if (island.start <= bytes.end && bytes.start <= island.end) {
            bytes.start = island.start < bytes.start ? island.start : bytes.start;
            bytes.end = island.end > bytes.end ? island.end : bytes.end;
        } else {
            receiver->islands[kept++] = island;
        }
    }
    assert_true(kept < WINDOW_CELLS);
    memmove(receiver->islands + 1, receiver->islands, kept * sizeof *receiver->islands);
    receiver->islands[0] = bytes;
    receiver->count = kept + 1;
}

static void advance(struct receiver *receiver, uint64_t end)
{
    if (end > receiver->next)
        receiver->next = end;
    for (size_t i = 0; i < receiver->count;) {
        if (receiver->islands[i].start > receiver->next) {
            i++;
            continue;
        }
        if (receiver->islands[i].end > receiver->next)
            receiver->next = receiver->islands[i].end;
        memmove(receiver->islands + i, receiver->islands + i + 1,
                (receiver->count - i - 1) * sizeof *receiver->islands);
        receiver->count--;
        i = 0;
    }
}

static bool is_there(const struct receiver *receiver, struct range bytes)
{
    if (bytes.end <= receiver->next)
        return true;
    for (size_t i = 0; i < receiver->count; i++)
        if (receiver->islands[i].start <= bytes.start && bytes.end <= receiver->islands[i].end)
            return true;
    return false;
}

static void take_segment(struct play *play, const struct sent *sent)
{
    struct receiver *receiver = &play->receiver;
    bool is_copy = is_there(receiver, sent->bytes), had_holes = receiver->count > 0;
    if (sent->bytes.start <= receiver->acked && (int32_t)(sent->tsval - receiver->ts_recent) >= 0)
        receiver->ts_recent = sent->tsval;
    if (is_copy)
        receiver->copy = sent->bytes;
    else if (sent->bytes.start > receiver->next)
        keep_island(receiver, sent->bytes);
    else
        advance(receiver, sent->bytes.end);
    if (is_copy || had_holes || receiver->count || ++receiver->waiting >= 2)
        acknowledge(play);
    else
        push(play, play->now + DELAYED_ACK, RECEIVER_TIMER, 0, ++receiver->timer);
}

/* ---- the play -------------------------------------------------------------------------------------------------- */

static void shake_hands(struct play *play)
{
    static const struct {
        bool from_robot;
        unsigned flags;
    } steps[] = {{false, FLAG_SYN}, {true, FLAG_SYN | FLAG_ACK}, {false, FLAG_ACK}};
    for (size_t i = 0; i < 3; i++) {
        bool there = steps[i].from_robot == play->path->at_receiver;
        size_t number = new_packet(play, steps[i].from_robot);
        play->sent[number].flags = steps[i].flags;
        int64_t leaves = play->now;
        play->now += play->path->delay;
        push(play, there ? play->now : leaves, CAPTURED, number, 0);
        *(steps[i].from_robot ? &play->receiver.ts_recent : &play->sender.ts_recent) = play->sent[number].tsval;
    }
}

static void arrive(struct play *play, size_t number)
{
    struct sent sent = play->sent[number];
    if (sent.from_robot == play->path->at_receiver)
        capture(play, number);
    if (sent.from_robot)
        take_segment(play, &sent);
    else
        take_ack(play, &sent);
}

static void happen(struct play *play, const struct event *event)
{
    switch (event->what) {
    case WRITE:
        write_more(play);
        break;
    case ARRIVES:
        arrive(play, event->sent);
        break;
    case CAPTURED:
        capture(play, event->sent);
        break;
    case SENDER_TIMER:
        sender_timer(play, event->revision);
        break;
    case REORDERING_TIMER:
        reordering_timer(play, event->revision);
        break;
    case RECEIVER_TIMER:
        if (event->revision == play->receiver.timer && play->receiver.waiting)
            acknowledge(play);
        break;
    }
}

void path_play(const struct path *path, struct path_capture *capture)
{
    struct play *play = calloc(1, sizeof *play);
    assert_non_null(play);
    *capture = (struct path_capture){.list.link = LINK_RAW};
    play->path = path;
    play->capture = capture;
    play->seed = path->seed * 2 + 1;
    play->now = START;
    play->ip_id[0] = 700;
    play->ip_id[1] = 0xff00; /* wraps */
    play->sender.flying = calloc(WINDOW_CELLS, sizeof *play->sender.flying);
    play->sender.window = 10;
    play->sender.threshold = 1000;
    shake_hands(play);
    push(play, play->now + MS, WRITE, 0, 0);
    while (play->heap_count > 0) {
        struct event event = pop(play);
        play->now = event.time;
        happen(play, &event);
    }
    assert_int_equal(play->receiver.next, play->sender.written);
    tell_gaps(play);
    bytes_free(&play->package);
    free(play->sender.flying);
    free(play->captured);
    free(play->sent);
    free(play->heap);
    free(play);
}

void path_capture_free(struct path_capture *capture)
{
    capture_list_free(&capture->list);
    free(capture->packets);
    free(capture->gaps);
}
