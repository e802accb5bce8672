/* A packet is plain if it is the next of a connection in order, and brings nothing but data like the data before it.
 * Plain packets become stretches, except:
 *
 * - the first records of each kind after a set-up, a gap or the like: those who judge rates, guess recipes or make
 *   tables look at them;
 * - the last packets before one that is not plain, and before the end: what comes next is compared with them.
 *
 * All others are kept as they are, so that a net that is given the digest is where the capture left it. */
#include "digest.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bytes.h"
#include "try.h"
#include "inside.h"

enum {
    LIMIT = 64 << 20,    /* bytes */
    FIRST_RECORDS = 192, /* kept of each kind: 64 that show the rate, and those on their way before a set-up */
    LAST_RECORDS = 4,    /* the same */
    LAST_PACKETS = 8,    /* kept, with or without records */
    HELD_MOST = 2048,    /* packets held back; of a kind that comes too seldom to have so many */
    KINDS = 2 * 256      /* of records: direction and recipe id */
};

/* A plain packet that is held back: it may be one of the last. */
struct held {
    struct held *newer;
    struct armtap_where where;
    int link_type;
    size_t captured, length;
    struct armtap_stretch alone; /* a stretch of this packet only */
    unsigned id_count;
    uint16_t ids[ARMTAP_WATCH_IDS];
    uint8_t bytes[];
};

struct armtap_digest_flow {
    struct held *oldest, *newest;
    unsigned count;
    uint16_t held[KINDS]; /* packets held back, by the kinds of their records */
    uint8_t seen[KINDS];  /* records since the last beginning, up to first_records */
    uint64_t connection, begins;
    bool is_open; /* the stretch has packets */
    struct armtap_stretch stretch;
    struct armtap_where last; /* of the stretch */
};

struct entry {
    struct armtap_kept kept;
    uint8_t *bytes; /* that it owns */
    uint64_t order;
};

/* What a flow was before a packet. */
struct before {
    bool may_be_plain;
    const struct armtap_conn *conn;
    enum armtap_stretch_kind kind;
    struct armtap_stretch stretch; /* `before` and `waited` of its ends */
    uint64_t missed[2];            /* by direction */
    unsigned marks;                /* what is known besides, and never forgotten */
    bool is_calm[2];               /* the same */
    struct armtap_tallies tallies;
    uint64_t conn_stirs, stirs;
    enum armtap_flow_attempt_state attempt;
    size_t waiting;
};

struct armtap_digest {
    size_t limit, bytes;
    unsigned first_records;
    bool is_cut;
    struct entry *entries;
    size_t count;
    struct before before;
};

/* ---- entries ----------------------------------------------------------------------------------------------------- */

int armtap_digest_new(const struct armtap_digest_options *options, struct armtap_digest **digest)
{
    const struct armtap_digest_options all = {sizeof all, LIMIT, FIRST_RECORDS};
    if (!digest)
        return ARMTAP_ERR_ARGUMENT;
    if (options && !armtap_is_sized(options->size, sizeof *options))
        return ARMTAP_ERR_SIZE;
    *digest = calloc(1, sizeof **digest);
    if (!*digest)
        return ARMTAP_ERR_MEMORY;
    (*digest)->limit = options && options->limit ? options->limit : all.limit;
    (*digest)->first_records = options && options->first_records ? options->first_records : all.first_records;
    if ((*digest)->first_records > UINT8_MAX)
        (*digest)->first_records = UINT8_MAX;
    return ARMTAP_OK;
}

void armtap_digest_free(struct armtap_digest *digest)
{
    if (!digest)
        return;
    for (size_t i = 0; i < digest->count; i++)
        free(digest->entries[i].bytes);
    free(digest->entries);
    free(digest);
}

bool armtap_digest_is_whole(const struct armtap_digest *digest)
{
    return digest && !digest->is_cut;
}

bool armtap_digest_at(const struct armtap_digest *digest, size_t i, struct armtap_kept *kept)
{
    if (!digest || i >= digest->count)
        return false;
    *kept = digest->entries[i].kept;
    return true;
}

/* Takes the bytes, which kept->packet points to. */
static int add(struct armtap_digest *digest, const struct armtap_kept *kept, uint8_t *bytes)
{
    if (!bytes)
        return ARMTAP_ERR_MEMORY;
    if (digest->is_cut || kept->packet.captured > digest->limit - digest->bytes) {
        digest->is_cut = true;
        free(bytes);
        return ARMTAP_OK;
    }
    if (!MAKE_ROOM(digest->entries, digest->count)) {
        free(bytes);
        return ARMTAP_ERR_MEMORY;
    }
    struct entry *entry = &digest->entries[digest->count];
    *entry = (struct entry){*kept, bytes, digest->count};
    entry->kept.packet.data = bytes;
    digest->bytes += kept->packet.captured;
    digest->count++;
    return ARMTAP_OK;
}

static void *copy_of(const void *bytes, size_t length)
{
    uint8_t *copy = malloc(length + 1);
    if (copy && length)
        memcpy(copy, bytes, length);
    return copy;
}

int armtap_digest_keep(struct armtap_digest *digest, const struct armtap_packet *packet)
{
    const struct armtap_kept kept = {.packet = *packet};
    return add(digest, &kept, copy_of(packet->data, packet->captured));
}

static int by_packet(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    uint64_t m = one->kept.packet.where.packet, n = other->kept.packet.where.packet;
    return m != n ? (m > n) - (m < n) : (one->order > other->order) - (one->order < other->order);
}

void armtap_digest_sort(struct armtap_digest *digest)
{
    if (digest->count)
        qsort(digest->entries, digest->count, sizeof *digest->entries, by_packet);
}

/* ---- stretches --------------------------------------------------------------------------------------------------- */

static void free_unfinished(struct armtap_stretch *stretch)
{
    for (int i = 0; i < 2; i++) {
        struct armtap_unfinished *unfinished = &stretch->end[i].unfinished;
        free((void *)unfinished->bytes);
        free((void *)unfinished->marks);
        *unfinished = (struct armtap_unfinished){0};
    }
}

/* A copy that the stretch owns. */
static int copy_unfinished(struct armtap_unfinished *to, const struct armtap_unfinished *from)
{
    size_t marks = from->mark_count * sizeof *from->marks;
    *to = (struct armtap_unfinished){0};
    if (!from->length)
        return ARMTAP_OK;
    to->bytes = copy_of(from->bytes, from->length);
    to->marks = copy_of(from->marks, marks);
    to->length = from->length;
    to->mark_count = from->mark_count;
    return to->bytes && to->marks ? ARMTAP_OK : ARMTAP_ERR_MEMORY;
}

static void add_tallies(struct armtap_tallies *sum, const struct armtap_tallies *more)
{
    for (int i = 0; i < 2; i++) {
        sum->side[i].packets += more->side[i].packets;
        sum->side[i].payload += more->side[i].payload;
        sum->side[i].records += more->side[i].records;
        sum->side[i].decoded += more->side[i].decoded;
        sum->side[i].offset += more->side[i].offset;
    }
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++) {
        sum->spent[i] += more->spent[i];
        sum->reserve[i] += more->reserve[i];
    }
}

/* Appends a stretch, whose unfinished bytes move. */
static void lengthen(struct armtap_digest_flow *own, struct armtap_stretch *more, const struct armtap_where *where)
{
    own->last = *where;
    if (!own->is_open) {
        own->stretch = *more;
        own->is_open = true;
        return;
    }
    free_unfinished(&own->stretch);
    for (int i = 0; i < 2; i++) {
        own->stretch.end[i].after = more->end[i].after;
        own->stretch.end[i].unfinished = more->end[i].unfinished;
    }
    add_tallies(&own->stretch.tallies, &more->tallies);
    own->stretch.packets += more->packets;
    own->stretch.bytes += more->bytes;
}

static int end_stretch(struct armtap_digest *digest, struct armtap_digest_flow *own)
{
    struct armtap_kept kept = {.is_stretch = true, .packet = {.size = sizeof kept.packet, .where = own->last}};
    if (!own->is_open)
        return ARMTAP_OK;
    uint8_t *bytes = armtap_stretch_write(&own->stretch, &own->last, &kept.packet.captured);
    kept.packet.length = kept.packet.captured;
    free_unfinished(&own->stretch);
    own->is_open = false;
    return add(digest, &kept, bytes);
}

/* ---- packets held back ------------------------------------------------------------------------------------------- */

static struct held *take_oldest(struct armtap_digest_flow *own)
{
    struct held *held = own->oldest;
    own->oldest = held->newer;
    own->newest = own->oldest ? own->newest : NULL;
    own->count--;
    for (unsigned i = 0; i < held->id_count; i++)
        own->held[held->ids[i]]--;
    return held;
}

static void held_free(struct held *held)
{
    free_unfinished(&held->alone);
    free(held);
}

static int keep_held(struct armtap_digest *digest, const struct held *held)
{
    const struct armtap_packet packet = {sizeof packet, held->link_type, held->where,
                                         held->bytes,   held->captured,  held->length};
    return armtap_digest_keep(digest, &packet);
}

int armtap_digest_flush(struct armtap_digest *digest, struct armtap_flow *flow)
{
    struct armtap_digest_flow *own = flow->digest;
    if (!own)
        return ARMTAP_OK;
    int error = end_stretch(digest, own);
    while (own->oldest) {
        struct held *held = take_oldest(own);
        if (!error)
            error = keep_held(digest, held);
        held_free(held);
    }
    return error;
}

void armtap_digest_forget(struct armtap_flow *flow)
{
    if (!flow->digest)
        return;
    while (flow->digest->oldest)
        held_free(take_oldest(flow->digest));
    if (flow->digest->is_open)
        free_unfinished(&flow->digest->stretch);
    free(flow->digest);
    flow->digest = NULL;
}

/* Whether enough later packets are held back to let the oldest go. */
static bool is_dispensable(const struct armtap_digest_flow *own)
{
    if (own->count <= LAST_PACKETS)
        return false;
    for (unsigned i = 0; i < own->oldest->id_count; i++)
        if (own->held[own->oldest->ids[i]] <= LAST_RECORDS)
            return false;
    return true;
}

static int hold(struct armtap_digest *digest, struct armtap_flow *flow, struct held *held)
{
    struct armtap_digest_flow *own = flow->digest;
    *(own->newest ? &own->newest->newer : &own->oldest) = held;
    own->newest = held;
    own->count++;
    for (unsigned i = 0; i < held->id_count; i++)
        own->held[held->ids[i]]++;
    while (is_dispensable(own)) {
        struct held *oldest = take_oldest(own);
        lengthen(own, &oldest->alone, &oldest->where);
        free(oldest);
    }
    return own->count > HELD_MOST ? armtap_digest_flush(digest, flow) : ARMTAP_OK;
}

/* ---- what a packet did ------------------------------------------------------------------------------------------- */

static enum armtap_direction direction_of(const struct armtap_flow *flow, unsigned end)
{
    return end == flow->robot_end ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT;
}

static bool is_side_calm(const struct armtap_tcp_side *side)
{
    if (side->state == ARMTAP_TCP_UNSEEN)
        return side->has_first;
    if (side->state == ARMTAP_TCP_CLOSED)
        return true;
    return side->state == ARMTAP_TCP_OPEN && !side->queue.head && side->next == side->highest && !side->lost &&
           !side->has_probe && !side->has_end && !side->ahead;
}

/* Whether a stretch may hold packets of the flow, and of which kind. */
static bool may_stretch(const struct armtap_flow *flow, enum armtap_stretch_kind *kind)
{
    if (flow->doubt || flow->given_up || flow->tcp.may_be_reset)
        return false;
    *kind = ARMTAP_STRETCH_QUIET;
    if (flow->class == ARMTAP_FLOW_IDLE)
        return !flow->conn || flow->tcp.ignored;
    *kind = ARMTAP_STRETCH_DATA;
    return flow->class >= ARMTAP_FLOW_LIVE && flow->conn && !flow->tcp.ignored && is_side_calm(&flow->tcp.side[0]) &&
           is_side_calm(&flow->tcp.side[1]);
}

/* The next sequence number. */
static uint32_t next_of(const struct armtap_tcp_side *side)
{
    return side->state == ARMTAP_TCP_UNSEEN ? side->first : (uint32_t)side->next;
}

/* Whether what comes next from that end is decoded in the same way by whoever has seen more. */
static bool is_calm(const struct armtap_flow *flow, unsigned end)
{
    enum armtap_direction direction = direction_of(flow, end);
    return armtap_conn_is_calm(flow->conn, direction) && !armtap_conn_awaits_proof(flow->conn, direction);
}

static unsigned marks_of(const struct armtap_flow *flow)
{
    unsigned marks = 0;
    for (int i = 0; i < 2; i++) {
        const struct armtap_tcp_side *side = &flow->tcp.side[i];
        marks += side->apart.behind + side->apart.disorder;
        marks += (unsigned)(side->is_behind + side->ttl_varies + (side->ttl > 0));
    }
    return marks;
}

void armtap_digest_before(struct armtap_digest *digest, struct armtap_flow *flow, uint64_t stirs, size_t waiting)
{
    struct before *before = &digest->before;
    *before = (struct before){.stirs = stirs, .waiting = waiting};
    before->may_be_plain = flow && may_stretch(flow, &before->kind);
    if (!before->may_be_plain)
        return;
    before->conn = flow->conn;
    before->marks = marks_of(flow);
    before->attempt = flow->attempt.state;
    for (unsigned i = 0; i < 2; i++) {
        const struct armtap_tcp_side *side = &flow->tcp.side[direction_of(flow, i)];
        before->stretch.end[i].before = next_of(side);
        before->stretch.end[i].has_sent = side->state != ARMTAP_TCP_UNSEEN;
        before->missed[direction_of(flow, i)] = side->missed;
        struct armtap_unfinished unfinished = {0};
        if (before->kind == ARMTAP_STRETCH_DATA) {
            armtap_conn_unfinished(flow->conn, direction_of(flow, i), &unfinished);
            before->is_calm[direction_of(flow, i)] = is_calm(flow, i);
        }
        before->stretch.end[i].waited = unfinished.length;
    }
    if (!flow->conn)
        return;
    armtap_conn_tally(flow->conn, &before->tallies);
    before->conn_stirs = armtap_conn_watch(flow->conn)->stirs;
    armtap_conn_watch(flow->conn)->id_count = 0;
    armtap_conn_watch(flow->conn)->has_more_ids = false;
}

/* The next bytes of its sender, or none. */
static bool is_next(const struct before *before, const struct armtap_flow *flow, const struct armtap_segment *segment,
                    unsigned sender)
{
    enum armtap_direction direction = direction_of(flow, sender);
    const struct armtap_tcp_side *side = &flow->tcp.side[direction], *peer = &flow->tcp.side[!direction];
    const struct armtap_stretch_end *end = &before->stretch.end[sender];
    if (segment->cut || side->missed != before->missed[direction] || peer->missed != before->missed[!direction] ||
        next_of(peer) != before->stretch.end[!sender].before)
        return false;
    if (segment->length && (!before->is_calm[direction] || !is_calm(flow, sender)))
        return false;
    if (side->state != ARMTAP_TCP_OPEN)
        return segment->length == 0 && end->has_sent == (side->state != ARMTAP_TCP_UNSEEN);
    return segment->seq == end->before && (uint32_t)side->next == end->before + (uint32_t)segment->length;
}

static bool is_plain(const struct armtap_digest *digest, const struct armtap_flow *flow,
                     const struct armtap_segment *segment, uint64_t stirs, size_t waiting)
{
    const struct before *before = &digest->before;
    struct armtap_flow_key key;
    enum armtap_stretch_kind kind;
    if (!before->may_be_plain || !flow || stirs != before->stirs || waiting || before->waiting)
        return false;
    if (segment->flags & (ARMTAP_TCP_SYN | ARMTAP_TCP_FIN | ARMTAP_TCP_RST) || !may_stretch(flow, &kind) ||
        kind != before->kind || flow->conn != before->conn || flow->attempt.state != before->attempt ||
        marks_of(flow) != before->marks)
        return false;
    if (flow->conn && armtap_conn_watch((struct armtap_conn *)flow->conn)->stirs != before->conn_stirs)
        return false;
    return kind == ARMTAP_STRETCH_QUIET || is_next(before, flow, segment, armtap_flow_key_of(segment, &key));
}

/* What the packet added to a counter. */
static void subtract(struct armtap_tallies *now, const struct armtap_tallies *before)
{
    for (int i = 0; i < 2; i++) {
        now->side[i].packets -= before->side[i].packets;
        now->side[i].payload -= before->side[i].payload;
        now->side[i].records -= before->side[i].records;
        now->side[i].decoded -= before->side[i].decoded;
        now->side[i].offset -= before->side[i].offset;
    }
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++) {
        now->spent[i] -= before->spent[i];
        now->reserve[i] = before->reserve[i] - now->reserve[i]; /* it shrinks */
    }
}

/* The stretch of the last packet alone. Its tallies are by end. */
static int stretch_of(const struct armtap_digest *digest, const struct armtap_flow *flow,
                      const struct armtap_segment *segment, struct armtap_stretch *alone)
{
    struct armtap_tallies tallies;
    *alone = digest->before.stretch;
    alone->kind = digest->before.kind;
    alone->key = flow->key;
    alone->packets = 1;
    alone->bytes = segment->length + segment->cut;
    int error = ARMTAP_OK;
    for (unsigned i = 0; i < 2 && !error; i++) {
        enum armtap_direction direction = direction_of(flow, i);
        struct armtap_unfinished unfinished = {0};
        alone->end[i].after = next_of(&flow->tcp.side[direction]);
        if (flow->conn && alone->kind == ARMTAP_STRETCH_DATA)
            armtap_conn_unfinished(flow->conn, direction, &unfinished);
        error = copy_unfinished(&alone->end[i].unfinished, &unfinished);
    }
    if (error || !flow->conn)
        return error;
    armtap_conn_tally(flow->conn, &tallies);
    subtract(&tallies, &digest->before.tallies);
    alone->tallies = tallies;
    for (unsigned i = 0; i < 2; i++)
        alone->tallies.side[i] = tallies.side[direction_of(flow, i)];
    return error;
}

/* Whether one of its records is among the first of its kind; counts them. */
static bool has_first(struct armtap_digest_flow *own, struct armtap_conn *conn, unsigned most)
{
    const struct armtap_watch *watch = armtap_conn_watch(conn);
    bool first = watch->has_more_ids;
    uint64_t connection = armtap_conn_stream(conn)->connection;
    if (own->connection != connection || own->begins != watch->begins)
        memset(own->seen, 0, sizeof own->seen);
    own->connection = connection;
    own->begins = watch->begins;
    for (unsigned i = 0; i < watch->id_count; i++) {
        uint8_t *seen = &own->seen[watch->ids[i]];
        first = first || *seen < most;
        if (*seen < most)
            ++*seen;
    }
    return first;
}

static int take_plain(struct armtap_digest *digest, struct armtap_flow *flow, const struct armtap_packet *packet,
                      const struct armtap_segment *segment)
{
    struct held *held = calloc(1, sizeof *held + packet->captured);
    if (!held)
        return ARMTAP_ERR_MEMORY;
    int error = stretch_of(digest, flow, segment, &held->alone);
    if (error) {
        held_free(held);
        return error;
    }
    if (held->alone.kind == ARMTAP_STRETCH_QUIET) {
        lengthen(flow->digest, &held->alone, &packet->where);
        free(held);
        return ARMTAP_OK;
    }
    const struct armtap_watch *watch = armtap_conn_watch(flow->conn);
    held->where = packet->where;
    held->link_type = packet->link_type;
    held->captured = packet->captured;
    held->length = packet->length;
    held->id_count = watch->id_count;
    memcpy(held->ids, watch->ids, sizeof held->ids);
    memcpy(held->bytes, packet->data, packet->captured);
    return hold(digest, flow, held);
}

int armtap_digest_after(struct armtap_digest *digest, struct armtap_flow *flow, const struct armtap_packet *packet,
                        const struct armtap_segment *segment, uint64_t stirs, size_t waiting)
{
    bool plain = is_plain(digest, flow, segment, stirs, waiting);
    if (!flow) {
        bool counts = segment || stirs != digest->before.stirs || waiting || digest->before.waiting;
        return counts || packet->where.packet == 1 ? armtap_digest_keep(digest, packet) : ARMTAP_OK;
    }
    if (!flow->digest && !(flow->digest = calloc(1, sizeof *flow->digest)))
        return ARMTAP_ERR_MEMORY;
    if (flow->conn && has_first(flow->digest, flow->conn, digest->first_records))
        plain = false;
    if (plain && packet->where.packet > 1)
        return take_plain(digest, flow, packet, segment);
    TRY(armtap_digest_flush(digest, flow));
    return armtap_digest_keep(digest, packet);
}
