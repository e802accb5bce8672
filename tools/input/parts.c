#define _POSIX_C_SOURCE 200809L
#include "parts.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "call_log.h"
#include "input_files.h"
#include "packet_file.h"

/* A thread reads a block of packets, works on it part by part, and tells the sink: all of the block stays in its cache.
 * Only a part goes from thread to thread, which works on the next block meanwhile and follows a few parts behind. Where
 * two cores have no cache in common, a part's first packet takes microseconds; so blocks are large.
 *
 * (Parts that stay with their threads, and packets that do not, were tried: the kernel then copies packets into memory
 * that another core has read, which takes it 5 times as long.) */

enum {
    THREADS_MAX = 16,
    PARTS = 16, /* enough that few connections share one */
    ROUNDS = 8, /* at least so many blocks for each thread, or it waits too long for its first */
    BLOCK_LEAST = 1,
    BLOCK_MOST = 29,             /* in units of INPUT_BLOCK; with the room before them two large pages */
    BLOCKS_MOST = 64,            /* the same, of all threads */
    LOGGED_LEAST = 1 << 20,      /* bytes of a block's logs that do no harm */
    LOGGED_PART = 2,             /* the same, as a part of the block's bytes: small messages make long logs */
    LINE = 64,                   /* of the cache */
    BROUGHT_MOST = 8 * LINE,     /* bytes of a packet: the processor fetches on by itself, and info reads few others */
    TURNS_TOGETHER = 16,         /* on one processor, before it is left */
    TURNS_AWAKE = 2000,          /* before sleeping: about a millisecond */
    LOAD_MOST = 1000000,         /* of all parts together, as armtap_net_load() has it */
    LOAD_TELLS = LOAD_MOST / 16, /* so many connections have ended that it can be foreseen how many will */
    WAITED = 0x80                /* bit of part_of: its part had holes or attempts that this packet may have ended */
};

_Static_assert(BLOCK_MOST <= INPUT_EARLY_MOST, "a block is read early as a whole");

/* The largest packet, which is copied whole. */
#define PACKET_MAX ((size_t)1 << 18)

/* What is not the same for all packets of a block. */
struct entry {
    const uint8_t *data;
    int64_t time;
    uint32_t captured, length;
};

/* Packets that were read together, and what the parts say about them. */
struct block {
    uint8_t *buffer;
    uint8_t *copies; /* of packets from elsewhere: as large, or NULL */
    size_t copied;
    enum armtap_origin origin; /* of all packets */
    int link_type;
    uint32_t file;
    uint64_t first_number;
    size_t count, room;
    struct entry *entries;
    uint8_t *part_of;          /* of each packet */
    uint32_t *order;           /* of packets, part by part */
    uint32_t begin[PARTS + 1]; /* of each part, in `order` */
    uint32_t *jumps;           /* packets that concern all parts */
    size_t jump_count;
    struct call_log logs[PARTS];
    struct call_log ticks[PARTS]; /* of the same, caused by packets of others */
    struct call_log notes;        /* of the capture, behind all packets */
    size_t logged, logged_most;   /* bytes of the logs of parts that are done, and of all of them */
    bool has_ticks;
};

/* Only the thread that works on block `next` touches it. */
struct part {
    alignas(LINE) atomic_size_t next;
    struct armtap_net *net;
    struct call_writer *writer;
    enum armtap_origin origin;
    int64_t last_time;      /* of the last packet that it was told of */
    unsigned load, lasting; /* as added to those of all parts */
};

struct worker {
    struct parts *parts;
    struct block block;
    struct early_blocks early; /* in the block's buffer */
    pthread_t thread;
    atomic_int processor; /* where it was last; -1: not known */
};

struct parts {
    const struct parts_wish *wish;
    struct armtap_split *split;
    struct call_writer *notes;
    struct call_player *player;
    size_t block_size; /* bytes of a buffer */
    unsigned threads;
    alignas(LINE) atomic_size_t tickets; /* so many were given to threads that want to read a block */
    /* Where the block of the first ticket would begin in this file, if all were as large; they need not fit together.
     */
    _Atomic(struct input *) input;
    atomic_uint_least64_t origin;
    alignas(LINE) atomic_size_t turn; /* the ticket of the thread that reads; it has the next five, and the source */
    bool is_read;
    struct block *filling;
    struct armtap_where last;           /* the last packet read */
    alignas(LINE) atomic_size_t played; /* blocks whose calls were made; only the thread of the next one makes any */
    alignas(LINE) atomic_bool is_over;
    atomic_int outcome; /* enum parts_outcome */
    atomic_int error;
    atomic_uint load, lasting; /* of all parts, as armtap_net_load() has them */
    atomic_size_t worked;      /* parts' blocks that are done */
    alignas(LINE) atomic_size_t changes;
    atomic_size_t sleepers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct part part[PARTS];
    struct worker workers[THREADS_MAX];
};

bool parts_suit(const struct armtap_sink *sink)
{
    struct armtap_sink unused;
    return call_writer_sink(sink, &unused);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void tell_changed(struct parts *parts)
{
    atomic_fetch_add(&parts->changes, 1);
    if (atomic_load(&parts->sleepers) == 0)
        return;
    pthread_mutex_lock(&parts->lock);
    pthread_cond_broadcast(&parts->changed);
    pthread_mutex_unlock(&parts->lock);
}

/* Moves a thread that waits to another processor if one that works is on its own. Two threads that take turns there, a
 * few microseconds each, are not moved by the kernel, even while another processor is idle. */
static void part_company(struct worker *worker)
{
    struct parts *parts = worker->parts;
    int here = thread_processor();
    for (unsigned i = 0; here >= 0 && i < parts->threads; i++)
        if (&parts->workers[i] != worker &&
            atomic_load_explicit(&parts->workers[i].processor, memory_order_relaxed) == here) {
            thread_leave(here);
            break;
        }
    atomic_store_explicit(&worker->processor, thread_processor(), memory_order_relaxed);
}

/* Waits a little: until something changes, if it was called often. Spins before sleeping: a sleeping thread may be
 * woken on the processor of the thread that wakes it, so that both share it while another one is idle; kernels of
 * virtual machines do that. */
static void rest(struct worker *worker, unsigned *turns, size_t changes)
{
    struct parts *parts = worker->parts;
    if (++*turns < TURNS_AWAKE) {
        if (*turns % TURNS_TOGETHER == 0)
            part_company(worker);
        sched_yield();
        return;
    }
    pthread_mutex_lock(&parts->lock);
    atomic_fetch_add(&parts->sleepers, 1);
    while (atomic_load(&parts->changes) == changes && !atomic_load(&parts->is_over))
        pthread_cond_wait(&parts->changed, &parts->lock);
    atomic_fetch_sub(&parts->sleepers, 1);
    pthread_mutex_unlock(&parts->lock);
}

static bool is_over(const struct parts *parts)
{
    return atomic_load_explicit(&parts->is_over, memory_order_relaxed);
}

/* The first outcome counts. */
static void end(struct parts *parts, enum parts_outcome outcome, int error)
{
    int none = PARTS_DONE;
    if (atomic_compare_exchange_strong(&parts->outcome, &none, (int)outcome))
        atomic_store(&parts->error, error);
    atomic_store(&parts->is_over, true);
    tell_changed(parts);
}

/* Ends the work if a call of the library failed. */
static bool is_fine(struct parts *parts, int error)
{
    if (error != ARMTAP_OK)
        end(parts, PARTS_FAILED, error);
    return error == ARMTAP_OK;
}

void parts_strain(struct parts *parts)
{
    end(parts, PARTS_STRAINED, 0);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

uint8_t *parts_buffer(const struct parts *parts, size_t *length)
{
    *length = parts->block_size;
    return parts->filling->buffer;
}

static bool is_empty(const struct parts *parts)
{
    return parts->filling->count == 0 && call_log_next(&parts->filling->notes) == CALL_LOG_NONE;
}

static bool make_room(struct block *block)
{
    if (block->count < block->room)
        return true;
    size_t room = 2 * block->room + 256;
    struct entry *entries = realloc(block->entries, room * sizeof *entries);
    if (entries)
        block->entries = entries;
    uint8_t *part_of = entries ? realloc(block->part_of, room * sizeof *part_of) : NULL;
    if (part_of)
        block->part_of = part_of;
    uint32_t *order = part_of ? realloc(block->order, room * sizeof *order) : NULL;
    if (order)
        block->order = order;
    uint32_t *jumps = order ? realloc(block->jumps, room * sizeof *jumps) : NULL;
    if (!jumps)
        return false;
    block->jumps = jumps;
    block->room = room;
    return true;
}

static bool is_lent(const struct parts *parts, const struct armtap_packet *packet)
{
    uintptr_t at = (uintptr_t)packet->data, begin = (uintptr_t)parts->filling->buffer;
    return at >= begin && at + packet->captured <= begin + parts->block_size;
}

/* NULL without memory, or for a packet that no capture has. */
static const uint8_t *copy(const struct parts *parts, const struct armtap_packet *packet)
{
    struct block *block = parts->filling;
    if (!block->copies && !(block->copies = malloc(parts->block_size)))
        return NULL;
    if (packet->captured > parts->block_size - block->copied)
        return NULL;
    uint8_t *bytes = block->copies + block->copied;
    if (packet->captured > 0)
        memcpy(bytes, packet->data, packet->captured);
    block->copied += packet->captured;
    return bytes;
}

bool parts_packet(struct parts *parts, const struct armtap_packet *packet, enum armtap_origin origin)
{
    struct block *block = parts->filling;
    bool jumps;
    const uint8_t *data = is_lent(parts, packet) ? packet->data : copy(parts, packet);
    if (!data || !make_room(block)) {
        end(parts, PARTS_FAILED, ARMTAP_ERR_MEMORY);
        return false;
    }
    if (block->count == 0) {
        block->origin = origin;
        block->link_type = packet->link_type;
        block->file = packet->where.file;
        block->first_number = packet->where.packet;
    }
    unsigned part = armtap_split_part(parts->split, packet, &jumps);
    if (jumps)
        block->jumps[block->jump_count++] = (uint32_t)block->count;
    block->part_of[block->count] = (uint8_t)part;
    block->entries[block->count++] = (struct entry){.data = data,
                                                    .time = packet->where.time,
                                                    .captured = (uint32_t)packet->captured,
                                                    .length = (uint32_t)packet->length};
    return block->copied + PACKET_MAX <= parts->block_size;
}

int parts_note(struct parts *parts, const struct armtap_note *note)
{
    struct armtap_sink sink;
    call_writer_sink(parts->wish->sink, &sink);
    call_writer_begin(parts->notes, &parts->filling->notes, 0, &note->where);
    return sink.on_note ? sink.on_note(parts->notes, note) : 0;
}

/* Lists the packets of each part. */
static void sort(struct block *block)
{
    uint32_t at[PARTS] = {0}, sum = 0;
    for (size_t i = 0; i < block->count; i++)
        at[block->part_of[i]]++;
    for (size_t part = 0; part < PARTS; part++) {
        block->begin[part] = sum;
        sum += at[part];
        at[part] = block->begin[part];
    }
    block->begin[PARTS] = sum;
    for (size_t i = 0; i < block->count; i++)
        block->order[at[block->part_of[i]]++] = (uint32_t)i;
}

static struct armtap_where where_of(const struct block *block, uint32_t packet)
{
    return (struct armtap_where){
        .time = block->entries[packet].time, .packet = block->first_number + packet, .file = block->file};
}

static uint64_t bytes_of_block(const struct parts *parts)
{
    return (parts->block_size - PACKET_FILE_CARRY) / INPUT_BLOCK * INPUT_BLOCK;
}

void parts_foresee(struct parts *parts, struct input *input, uint64_t position)
{
    size_t next = atomic_load_explicit(&parts->turn, memory_order_relaxed) + 1;
    atomic_store_explicit(&parts->input, input, memory_order_relaxed);
    atomic_store_explicit(&parts->origin, position - next * bytes_of_block(parts), memory_order_relaxed);
}

/* Has the kernel copy what the thread will probably read when it is its turn: threads need not wait for each other
 * there. */
static void read_early(struct worker *worker, size_t ticket)
{
    struct parts *parts = worker->parts;
    struct input *input = atomic_load_explicit(&parts->input, memory_order_relaxed);
    uint64_t bytes = bytes_of_block(parts);
    worker->early.input = NULL;
    if (input)
        input_read_early(input, atomic_load_explicit(&parts->origin, memory_order_relaxed) + ticket * bytes,
                         worker->block.buffer + PACKET_FILE_CARRY, bytes / INPUT_BLOCK, &worker->early);
}

/* Waits until a counter has that value; false if all is over. */
static bool wait_for(struct worker *worker, atomic_size_t *counter, size_t value)
{
    struct parts *parts = worker->parts;
    for (unsigned turns = 0; !is_over(parts);) {
        size_t changes = atomic_load(&parts->changes);
        if (atomic_load_explicit(counter, memory_order_acquire) == value)
            return true;
        rest(worker, &turns, changes);
    }
    return false;
}

static void fill_block(struct worker *worker)
{
    struct parts *parts = worker->parts;
    struct input *input = atomic_load_explicit(&parts->input, memory_order_relaxed);
    parts->filling = &worker->block;
    if (input)
        input_offer(input, &worker->early);
    while (!parts->is_read && is_empty(parts) && !is_over(parts))
        parts->is_read = !parts->wish->fill(parts->wish->source, parts);
    if (input)
        input_offer(input, NULL);
}

/* Reads a block and numbers it. False: there is none. */
static bool read_block(struct worker *worker, size_t *number)
{
    struct parts *parts = worker->parts;
    size_t ticket = atomic_fetch_add(&parts->tickets, 1);
    read_early(worker, ticket);
    if (!wait_for(worker, &parts->turn, ticket))
        return false;
    fill_block(worker);
    bool has_packets = !is_empty(parts);
    if (worker->block.count > 0)
        parts->last = where_of(&worker->block, (uint32_t)worker->block.count - 1);
    *number = ticket;
    atomic_store_explicit(&parts->turn, ticket + 1, memory_order_release);
    tell_changed(parts);
    sort(&worker->block);
    return has_packets;
}

/* ---- the parts' work --------------------------------------------------------------------------------------------- */

/* Tells a part of a packet of another, while something in it depends on the time. */
static int tick(struct part *part, struct block *block, unsigned number, uint32_t packet)
{
    const struct armtap_where where = where_of(block, packet);
    part->last_time = where.time;
    call_writer_begin(part->writer, &block->ticks[number], packet, &where);
    return armtap_net_tick(part->net, &where, 1);
}

/* Whether a part need not be told of the packets before one at that time. */
static bool may_pass(const struct part *part, const struct block *block, int64_t time)
{
    return block->jump_count == 0 && (uint64_t)time - (uint64_t)part->last_time < ARMTAP_UNTOLD_MOST &&
           !armtap_net_waits(part->net);
}

/* Tells a part of the packets of others from one to before another. */
static int pass(struct part *part, struct block *block, unsigned number, size_t *jump, uint32_t from, uint32_t to)
{
    int error = ARMTAP_OK;
    while (*jump < block->jump_count && block->jumps[*jump] < from)
        ++*jump;
    while (from < to && error == ARMTAP_OK) {
        uint32_t next = *jump < block->jump_count && block->jumps[*jump] < to ? block->jumps[*jump] : to;
        if (next == from || armtap_net_waits(part->net)) {
            error = tick(part, block, number, from);
            *jump += next == from;
            from++;
        } else {
            const struct armtap_where where = where_of(block, next - 1);
            part->last_time = where.time;
            error = armtap_net_tick(part->net, &where, next - from);
            from = next;
        }
    }
    return error;
}

/* Has the first lines of a packet brought nearer, while another one is worked on. */
static void bring(const struct entry *entry)
{
    const size_t wanted = entry->captured < BROUGHT_MOST ? entry->captured : BROUGHT_MOST;
    for (size_t at = 0; at < wanted; at += LINE)
        __builtin_prefetch(entry->data + at);
}

static int take_packet(struct part *part, struct block *block, unsigned number, uint32_t packet)
{
    const struct entry *entry = &block->entries[packet];
    const struct armtap_packet whole = {.link_type = block->link_type,
                                        .where = where_of(block, packet),
                                        .data = entry->data,
                                        .captured = entry->captured,
                                        .length = entry->length};
    part->last_time = entry->time;
    call_writer_begin(part->writer, &block->logs[number], packet, &whole.where);
    bool waits = armtap_net_waits(part->net);
    int error = armtap_net_packet(part->net, &whole);
    if (waits || armtap_net_waits(part->net))
        block->part_of[packet] |= WAITED;
    return error == ARMTAP_ERR_UNSUPPORTED ? ARMTAP_OK : error;
}

static bool is_overfull(const struct block *block, unsigned number)
{
    return block->logged + block->logs[number].bytes.length + block->ticks[number].bytes.length > block->logged_most;
}

/* What a part does with a block, unless that makes its logs too long. */
static int work_through(struct part *part, struct block *block, unsigned number)
{
    uint32_t at = 0, end = block->begin[number + 1];
    size_t jump = 0;
    int error = ARMTAP_OK;
    if (block->count > 0 && part->origin != block->origin) {
        part->origin = block->origin;
        error = armtap_net_origin(part->net, block->origin);
    }
    if (error == ARMTAP_OK)
        error = armtap_net_lend(part->net, true);
    for (uint32_t i = block->begin[number]; i < end && error == ARMTAP_OK && !is_overfull(block, number); i++) {
        uint32_t packet = block->order[i];
        if (i + 1 < end)
            bring(&block->entries[block->order[i + 1]]);
        if (at < packet && !may_pass(part, block, block->entries[packet].time))
            error = pass(part, block, number, &jump, at, packet);
        if (error == ARMTAP_OK)
            error = take_packet(part, block, number, packet);
        at = packet + 1;
    }
    if (error == ARMTAP_OK && at < block->count && !may_pass(part, block, block->entries[block->count - 1].time))
        error = pass(part, block, number, &jump, at, (uint32_t)block->count);
    int returned = armtap_net_lend(part->net, false); /* after an error, too: the block is filled again */
    return error == ARMTAP_OK ? returned : error;
}

/* Replaces a part's share of a sum, which it returns. */
static unsigned replace(atomic_uint *sum, unsigned *share, unsigned now)
{
    unsigned more = now - *share;
    *share = now;
    return atomic_fetch_add(sum, more) + more;
}

/* Whether the parts will use more than one net may: what one thread will read again had better begin soon. Connections
 * are taken to go on ending as they did so far. */
static bool is_overloaded(struct parts *parts, struct part *part)
{
    unsigned lasting, load = armtap_net_load(part->net, &lasting);
    unsigned all = replace(&parts->load, &part->load, load);
    unsigned ended = replace(&parts->lasting, &part->lasting, lasting);
    uint64_t done = (atomic_fetch_add(&parts->worked, 1) + 1) * (uint64_t)parts->block_size / PARTS;
    return all > LOAD_MOST || (ended > LOAD_TELLS && ended * (double)parts->wish->bytes / (double)done > LOAD_MOST);
}

static void check_alone(struct parts *parts, struct part *part)
{
    if (call_writer_is_strained(part->writer) || !armtap_nets_stand_alone(&part->net, 1) || is_overloaded(parts, part))
        parts_strain(parts);
}

/* Works on a part, if its turn has come. */
static bool try_part(struct worker *worker, size_t block, unsigned number)
{
    struct parts *parts = worker->parts;
    struct part *part = &parts->part[number];
    if (atomic_load_explicit(&part->next, memory_order_acquire) != block)
        return false;
    if (is_fine(parts, work_through(part, &worker->block, number)))
        check_alone(parts, part);
    if (is_overfull(&worker->block, number))
        parts_strain(parts);
    worker->block.logged += worker->block.logs[number].bytes.length + worker->block.ticks[number].bytes.length;
    atomic_store_explicit(&worker->processor, thread_processor(), memory_order_relaxed);
    worker->block.has_ticks |= call_log_next(&worker->block.ticks[number]) != CALL_LOG_NONE;
    atomic_store_explicit(&part->next, block + 1, memory_order_release);
    tell_changed(parts);
    return true;
}

static void work_on_parts(struct worker *worker, size_t block)
{
    struct parts *parts = worker->parts;
    bool is_done[PARTS] = {false};
    unsigned turns = 0;
    for (unsigned left = PARTS; left > 0 && !is_over(parts);) {
        size_t changes = atomic_load(&parts->changes);
        unsigned before = left;
        for (unsigned i = 0; i < PARTS && !is_over(parts); i++)
            if (!is_done[i] && try_part(worker, block, i)) {
                is_done[i] = true;
                left--;
            }
        if (left == before)
            rest(worker, &turns, changes);
        else
            turns = 0;
    }
}

/* ---- telling the sink -------------------------------------------------------------------------------------------- */

/* Makes the calls of a part that a packet caused; with `only_overdue` only those for attempts to connect. */
static bool play_packet(struct parts *parts, unsigned part, struct call_log *log, uint32_t packet,
                        const struct armtap_where *where, bool only_overdue)
{
    int answer = call_player_play(parts->player, part, log, packet, where, only_overdue);
    if (answer != 0)
        end(parts, PARTS_FAILED, answer == ARMTAP_ERR_MEMORY ? ARMTAP_ERR_MEMORY : ARMTAP_ERR_STOPPED);
    return answer == 0;
}

/* The part of another packet that has calls for this one; PARTS: none; beyond that: several. */
static unsigned ticked(const struct block *block, uint32_t packet, bool only_overdue)
{
    unsigned found = PARTS;
    for (unsigned part = 0; part < PARTS; part++)
        if (call_log_next(&block->ticks[part]) == packet &&
            (!only_overdue || call_log_next_is_overdue(&block->ticks[part])))
            found = found == PARTS ? part : PARTS + 1;
    return found;
}

/* Attempts overdue come before what the packet itself causes, holes that are given up after it. Where two parts have
 * either, their order is not known. */
static bool play_ticked(struct parts *parts, struct block *block, uint32_t packet)
{
    const struct armtap_where here = where_of(block, packet), *where = &here;
    unsigned own = block->part_of[packet] & ~(unsigned)WAITED;
    unsigned before = ticked(block, packet, true);
    bool is_doubtful =
        before != PARTS && call_log_next(&block->logs[own]) == packet && call_log_next_is_overdue(&block->logs[own]);
    if (before < PARTS && !is_doubtful && !play_packet(parts, before, &block->ticks[before], packet, where, true))
        return false;
    bool waits = (block->part_of[packet] & WAITED) && call_log_next(&block->logs[own]) == packet;
    if (!play_packet(parts, own, &block->logs[own], packet, where, false))
        return false;
    unsigned after = ticked(block, packet, false);
    is_doubtful = is_doubtful || before > PARTS || after > PARTS || (after < PARTS && waits);
    if (is_doubtful)
        parts_strain(parts);
    return !is_doubtful && (after == PARTS || play_packet(parts, after, &block->ticks[after], packet, where, false));
}

static bool play_block(struct parts *parts, struct block *block)
{
    bool is_fine = true, has_ticks = block->has_ticks;
    for (uint32_t i = 0; i < block->count && is_fine; i++) {
        unsigned part = block->part_of[i] & ~(unsigned)WAITED;
        const struct armtap_where where = where_of(block, i);
        is_fine =
            has_ticks ? play_ticked(parts, block, i) : play_packet(parts, part, &block->logs[part], i, &where, false);
    }
    return is_fine && play_packet(parts, PARTS, &block->notes, 0, NULL, false);
}

static void empty(struct block *block)
{
    for (unsigned part = 0; part < PARTS; part++) {
        call_log_is_played(&block->logs[part]);
        call_log_is_played(&block->ticks[part]);
    }
    call_log_is_played(&block->notes);
    block->count = block->copied = block->jump_count = block->logged = 0;
    block->has_ticks = false;
}

/* Tells the sink, once it was told of the blocks before. */
static void play(struct worker *worker, size_t block)
{
    struct parts *parts = worker->parts;
    if (!wait_for(worker, &parts->played, block) || !play_block(parts, &worker->block))
        return;
    empty(&worker->block);
    atomic_store_explicit(&parts->played, block + 1, memory_order_release);
    tell_changed(parts);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void *work(void *user)
{
    struct worker *worker = user;
    if (worker != &worker->parts->workers[0])
        part_company(worker);
    for (size_t block; read_block(worker, &block);) {
        work_on_parts(worker, block);
        play(worker, block);
    }
    return NULL;
}

/* Fewer threads than wanted will do, even one. */
static void work_together(struct parts *parts)
{
    unsigned count = 1;
    for (unsigned i = 0; i < parts->threads; i++)
        parts->workers[i].processor = i == 0 ? thread_processor() : -1;
    while (count < parts->threads && thread_begin(&parts->workers[count].thread, work, &parts->workers[count]) == 0)
        count++;
    work(&parts->workers[0]);
    for (unsigned i = 1; i < count; i++)
        pthread_join(parts->workers[i].thread, NULL);
}

/* ---- the end of the capture -------------------------------------------------------------------------------------- */

/* Connections end in the order of their numbers, then comes what is about none. */
static bool play_ends(struct parts *parts, struct block *block)
{
    for (;;) {
        uint64_t least = UINT64_MAX;
        unsigned next = PARTS;
        for (unsigned part = 0; part < PARTS; part++) {
            uint64_t connection = call_player_connection(parts->player, part, &block->logs[part]);
            if (call_log_next(&block->logs[part]) != CALL_LOG_NONE && (next == PARTS || connection < least)) {
                least = connection;
                next = part;
            }
        }
        if (next == PARTS)
            return true;
        if (call_player_play_one(parts->player, next, &block->logs[next]) != 0) {
            end(parts, PARTS_FAILED, ARMTAP_ERR_STOPPED);
            return false;
        }
    }
}

/* What ends with the capture ends at its last packet, of which not every part needed to be told. */
static int tell_last(const struct parts *parts, const struct part *part)
{
    if (parts->last.packet == 0 || armtap_net_waits(part->net))
        return ARMTAP_OK;
    return armtap_net_tick(part->net, &parts->last, 2);
}

static void finish(struct parts *parts)
{
    struct armtap_net *nets[PARTS];
    struct block *block = &parts->workers[0].block;
    const struct armtap_where nowhere = {.time = ARMTAP_NO_TIME, .packet = UINT64_MAX};
    empty(block);
    bool is_strained = false;
    for (unsigned i = 0; i < PARTS; i++) {
        struct part *part = &parts->part[i];
        nets[i] = part->net;
        call_writer_begin(part->writer, &block->logs[i], 0, &nowhere);
        if (!is_fine(parts, tell_last(parts, part)) || !is_fine(parts, armtap_net_finish(part->net)))
            return;
        is_strained = is_strained || call_writer_is_strained(part->writer);
    }
    if (is_strained || !armtap_nets_stand_alone(nets, PARTS))
        parts_strain(parts);
    else
        play_ends(parts, block);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void block_free(struct block *block)
{
    for (unsigned part = 0; part < PARTS; part++) {
        call_log_free(&block->logs[part]);
        call_log_free(&block->ticks[part]);
    }
    call_log_free(&block->notes);
    free(block->buffer);
    free(block->copies);
    free(block->entries);
    free(block->part_of);
    free(block->order);
    free(block->jumps);
}

static void parts_free(struct parts *parts)
{
    for (unsigned i = 0; i < PARTS; i++) {
        armtap_net_free(parts->part[i].net);
        call_writer_free(parts->part[i].writer);
    }
    for (unsigned i = 0; i < parts->threads; i++)
        block_free(&parts->workers[i].block);
    armtap_split_free(parts->split);
    call_writer_free(parts->notes);
    call_player_free(parts->player);
    pthread_cond_destroy(&parts->changed);
    pthread_mutex_destroy(&parts->lock);
    free(parts);
}

static int make_part(struct parts *parts, unsigned number)
{
    struct part *part = &parts->part[number];
    struct armtap_sink sink;
    call_writer_sink(parts->wish->sink, &sink);
    part->writer = call_writer_new(parts->wish->sink, parts->wish->user);
    if (!part->writer)
        return ARMTAP_ERR_MEMORY;
    int error = armtap_net_new(parts->wish->options, &sink, part->writer, &part->net);
    if (error == ARMTAP_OK)
        error = armtap_net_brief(part->net);
    return error == ARMTAP_OK ? armtap_net_part(part->net, number) : error;
}

/* Bytes of a buffer: large blocks, but enough of them for all threads. */
static size_t buffer_size(const struct parts *parts)
{
    uint64_t blocks = parts->wish->bytes / INPUT_BLOCK / (ROUNDS * parts->threads), most = BLOCKS_MOST / parts->threads;
    most = most < BLOCK_MOST ? most : BLOCK_MOST;
    blocks = blocks < BLOCK_LEAST ? BLOCK_LEAST : blocks < most ? blocks : most;
    return PACKET_FILE_BUFFER + (size_t)(blocks - 1) * INPUT_BLOCK;
}

static size_t logged_most(const struct parts *parts)
{
    size_t part = parts->block_size / LOGGED_PART;
    return part > LOGGED_LEAST ? part : LOGGED_LEAST;
}

static int make(struct parts *parts)
{
    const struct armtap_net_options *options = parts->wish->options;
    parts->notes = call_writer_new(parts->wish->sink, parts->wish->user);
    parts->player = call_player_new(PARTS + 1, parts->wish->sink, parts->wish->user);
    parts->block_size = buffer_size(parts);
    bool has_memory = parts->notes && parts->player;
    for (unsigned i = 0; i < parts->threads; i++) {
        parts->workers[i].parts = parts;
        parts->workers[i].block.buffer = packet_file_buffer(parts->block_size);
        parts->workers[i].block.logged_most = logged_most(parts);
        has_memory = has_memory && parts->workers[i].block.buffer;
    }
    int error =
        has_memory ? armtap_split_new(options->ports, options->port_count, PARTS, &parts->split) : ARMTAP_ERR_MEMORY;
    for (unsigned i = 0; i < PARTS && error == ARMTAP_OK; i++)
        error = make_part(parts, i);
    return error;
}

enum parts_outcome parts_run(const struct parts_wish *wish, int *error)
{
    struct parts *parts = aligned_alloc(LINE, (sizeof *parts + LINE - 1) / LINE * LINE);
    *error = ARMTAP_ERR_MEMORY;
    if (!parts)
        return PARTS_FAILED;
    memset(parts, 0, sizeof *parts);
    parts->wish = wish;
    parts->threads = wish->threads < THREADS_MAX ? wish->threads : THREADS_MAX;
    pthread_mutex_init(&parts->lock, NULL);
    pthread_cond_init(&parts->changed, NULL);
    *error = make(parts);
    enum parts_outcome outcome = PARTS_FAILED;
    if (*error == ARMTAP_OK) {
        work_together(parts);
        if (atomic_load(&parts->outcome) == PARTS_DONE)
            finish(parts);
        outcome = (enum parts_outcome)atomic_load(&parts->outcome);
        *error = atomic_load(&parts->error);
    }
    parts_free(parts);
    return outcome;
}
