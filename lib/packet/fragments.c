#include "fragments.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/budget.h"
#include "bytes.h"
#include "walk.h"

enum {
    HEADER_MOST = 48, /* IPv6 with a fragment header */
    IPV4_HEADER = 20,
    IPV6_HEADER = 40,
    FRAGMENT_HEADER = 8,
    UNIT = 8, /* bytes; fragments begin at multiples */
    UNITS = 8192,
    PAYLOAD_MOST = 65535,
    ROUND = 2048, /* bytes by which memory grows */
    LINK_IPV4 = 228,
    LINK_IPV6 = 229,
    PROTOCOL_FRAGMENT = 44,
    MORE = 1
};

/* ns: how long a packet waits for its fragments, as Linux's do; one that is whole is kept to recognise copies. */
#define PATIENCE INT64_C(30000000000)

enum datagram_state { WAITING, WHOLE, REFUSED };

struct armtap_datagram {
    struct armtap_datagram *older, *newer;
    struct armtap_address source, target;
    uint32_t id;
    uint8_t protocol;
    enum datagram_state state;
    struct armtap_where first, last; /* of its fragments */
    size_t there;                    /* bytes that came */
    size_t end;                      /* of those that came */
    size_t length;                   /* of the whole; 0: not known */
    size_t cut_at;                   /* from here on bytes were cut off by the snapshot length */
    size_t room;                     /* of `bytes`, without the header */
    uint8_t *bytes;                  /* room for a header, then the payload */
    uint8_t seen[UNITS / 8];         /* a bit for each unit that came */
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static size_t memory_of(const struct armtap_datagram *datagram)
{
    return sizeof *datagram + (datagram->bytes ? HEADER_MOST + datagram->room : 0);
}

static void drop(struct armtap_fragments *fragments, struct armtap_datagram *datagram)
{
    *(datagram->older ? &datagram->older->newer : &fragments->oldest) = datagram->newer;
    *(datagram->newer ? &datagram->newer->older : &fragments->newest) = datagram->older;
    fragments->bytes -= memory_of(datagram);
    free(datagram->bytes);
    free(datagram);
}

static bool is_same(const struct armtap_address *one, const struct armtap_address *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

static struct armtap_datagram *find(const struct armtap_fragments *fragments, const struct armtap_segment *segment)
{
    struct armtap_datagram *datagram = fragments->newest;
    while (datagram && !(datagram->id == segment->fragment.id && datagram->protocol == segment->fragment.protocol &&
                         is_same(&datagram->source, &segment->source) && is_same(&datagram->target, &segment->target)))
        datagram = datagram->older;
    return datagram;
}

/* NULL without memory. */
static struct armtap_datagram *add(struct armtap_fragments *fragments, const struct armtap_segment *segment,
                                   const struct armtap_where *where)
{
    struct armtap_datagram *datagram = calloc(1, sizeof *datagram);
    if (!datagram)
        return NULL;
    datagram->source = segment->source;
    datagram->target = segment->target;
    datagram->id = segment->fragment.id;
    datagram->protocol = segment->fragment.protocol;
    datagram->first = *where;
    datagram->cut_at = SIZE_MAX;
    datagram->older = fragments->newest;
    *(fragments->newest ? &fragments->newest->newer : &fragments->oldest) = datagram;
    fragments->newest = datagram;
    fragments->bytes += memory_of(datagram);
    return datagram;
}

static bool is_overdue(const struct armtap_datagram *datagram, int64_t now)
{
    int64_t then = datagram->first.time;
    if (then == ARMTAP_NO_TIME || now == ARMTAP_NO_TIME)
        return false;
    return then < now ? (uint64_t)now - (uint64_t)then > (uint64_t)PATIENCE
                      : (uint64_t)then - (uint64_t)now > (uint64_t)PATIENCE; /* the capture's clock was set back */
}

/* ---- one fragment ------------------------------------------------------------------------------------------------ */

static bool make_room(struct armtap_fragments *fragments, struct armtap_datagram *datagram, size_t end)
{
    if (datagram->bytes && end <= datagram->room)
        return true;
    size_t room = (end / ROUND + 1) * ROUND;
    uint8_t *bytes = realloc(datagram->bytes, HEADER_MOST + room);
    if (!bytes)
        return false;
    fragments->bytes -= memory_of(datagram);
    datagram->bytes = bytes;
    datagram->room = room;
    fragments->bytes += memory_of(datagram);
    return true;
}

static bool has_seen(const struct armtap_datagram *datagram, size_t unit)
{
    return datagram->seen[unit / 8] >> unit % 8 & 1;
}

/* How many of a fragment's units came before. */
static size_t count_seen(const struct armtap_datagram *datagram, size_t from, size_t end)
{
    size_t count = 0;
    for (size_t unit = from / UNIT; unit * UNIT < end; unit++)
        count += has_seen(datagram, unit);
    return count;
}

/* Whether all that a fragment brings came before, with the same bytes. */
static bool is_copy(const struct armtap_datagram *datagram, const struct armtap_segment *segment, size_t end)
{
    size_t at = segment->fragment.at, count = segment->length;
    bool ends = datagram->length > 0 && end == datagram->length;
    size_t units = (end - at + UNIT - 1) / UNIT;
    if (units == 0 || count_seen(datagram, at, end) != units || segment->fragment.more == ends)
        return false;
    if (at + count > datagram->cut_at)
        count = at < datagram->cut_at ? datagram->cut_at - at : 0;
    return memcmp(datagram->bytes + HEADER_MOST + at, segment->payload, count) == 0;
}

/* The longest payload of an IP packet. */
static size_t longest(const struct armtap_segment *segment)
{
    return segment->source.version == 4 ? PAYLOAD_MOST - IPV4_HEADER : PAYLOAD_MOST;
}

static bool is_bad(const struct armtap_datagram *datagram, const struct armtap_segment *segment, size_t end)
{
    bool more = segment->fragment.more;
    return end > longest(segment) || end == segment->fragment.at || (more && end % UNIT) ||
           (more ? datagram->length && end >= datagram->length
                 : end < datagram->end || (datagram->length && end != datagram->length));
}

/* The header of the first fragment is the packet's. */
static void keep_header(struct armtap_datagram *datagram, const uint8_t *ip)
{
    size_t length = datagram->source.version == 4 ? IPV4_HEADER : IPV6_HEADER;
    memcpy(datagram->bytes + HEADER_MOST - length, ip, length);
}

static void put_in(struct armtap_datagram *datagram, const struct armtap_segment *segment, size_t end)
{
    size_t at = segment->fragment.at;
    if (at == 0 || datagram->there == 0)
        keep_header(datagram, segment->ip);
    if (segment->length)
        memcpy(datagram->bytes + HEADER_MOST + at, segment->payload, segment->length);
    if (segment->cut && at + segment->length < datagram->cut_at)
        datagram->cut_at = at + segment->length;
    for (size_t unit = at / UNIT; unit * UNIT < end; unit++)
        datagram->seen[unit / 8] |= (uint8_t)(1 << unit % 8);
    datagram->there += end - at;
    if (datagram->end < end)
        datagram->end = end;
    if (!segment->fragment.more)
        datagram->length = end;
}

/* The packet as if it had come in one piece. The header lies before the payload. */
static void make_whole(struct armtap_datagram *datagram, const struct armtap_where *where, struct armtap_packet *whole)
{
    bool is_four = datagram->source.version == 4;
    size_t header = is_four ? IPV4_HEADER : IPV6_HEADER;
    size_t there = datagram->cut_at < datagram->length ? datagram->cut_at : datagram->length;
    uint8_t *ip = datagram->bytes + HEADER_MOST - header;
    if (is_four) {
        ip[0] = 0x45;
        armtap_put16(ip + 2, (uint16_t)(header + datagram->length));
        memset(ip + 6, 0, 2);
    } else {
        armtap_put16(ip + 4, (uint16_t)datagram->length);
        ip[6] = datagram->protocol;
    }
    *whole = (struct armtap_packet){.size = sizeof(struct armtap_packet),
                                    .link_type = is_four ? LINK_IPV4 : LINK_IPV6,
                                    .where = *where,
                                    .data = ip,
                                    .captured = header + there,
                                    .length = header + datagram->length};
}

static enum armtap_fragment_outcome refuse(struct armtap_datagram *datagram, enum armtap_fragment_outcome why)
{
    bool is_first = datagram->state != REFUSED;
    datagram->state = REFUSED;
    return is_first ? why : ARMTAP_FRAGMENT_WAITS;
}

int armtap_fragments_take(struct armtap_fragments *fragments, const struct armtap_segment *segment,
                          const struct armtap_where *where, struct armtap_packet *whole,
                          enum armtap_fragment_outcome *outcome)
{
    struct armtap_datagram *datagram = find(fragments, segment);
    size_t end = segment->fragment.at + segment->length + segment->cut;
    *outcome = ARMTAP_FRAGMENT_WAITS;
    if (datagram && datagram->state != REFUSED && end <= longest(segment) && is_copy(datagram, segment, end))
        return 0;
    if (datagram && (datagram->state == WHOLE || is_overdue(datagram, where->time))) { /* the number comes again */
        drop(fragments, datagram);
        datagram = NULL;
    }
    if (!datagram && !(datagram = add(fragments, segment, where)))
        return ARMTAP_ERR_MEMORY;
    datagram->last = *where;
    if (datagram->state == REFUSED)
        return 0;
    if (is_bad(datagram, segment, end)) {
        *outcome = refuse(datagram, ARMTAP_FRAGMENT_BAD);
        return 0;
    }
    if (count_seen(datagram, segment->fragment.at, end)) {
        *outcome = refuse(datagram, ARMTAP_FRAGMENT_OVERLAPS);
        return 0;
    }
    if (!make_room(fragments, datagram, end))
        return ARMTAP_ERR_MEMORY;
    put_in(datagram, segment, end);
    if (!datagram->length || datagram->there < datagram->length)
        return 0;
    datagram->state = WHOLE;
    make_whole(datagram, where, whole);
    *outcome = ARMTAP_FRAGMENT_WHOLE;
    return 0;
}

/* ---- giving up --------------------------------------------------------------------------------------------------- */

static bool may_be_tcp(const struct armtap_datagram *datagram)
{
    enum { PROTOCOL_UDP = 17 };
    bool has_port = has_seen(datagram, 0) && datagram->cut_at >= 4;
    return datagram->protocol != PROTOCOL_UDP ||
           (has_port && armtap_walk_is_tunnel_port(armtap_be16(datagram->bytes + HEADER_MOST + 2)));
}

bool armtap_fragments_give_up(struct armtap_fragments *fragments, enum armtap_fragments_why why, int64_t now,
                              struct armtap_unfinished_datagram *unfinished)
{
    struct armtap_datagram *datagram = fragments->oldest;
    bool is_due = datagram && (why == ARMTAP_FRAGMENTS_OVERDUE   ? is_overdue(datagram, now)
                               : why == ARMTAP_FRAGMENTS_SURPLUS ? fragments->bytes > ARMTAP_LIMIT_fragments
                                                                 : true);
    *unfinished = (struct armtap_unfinished_datagram){.bytes = 0};
    if (!is_due)
        return false;
    if (datagram->state == WAITING && datagram->there > 0)
        *unfinished = (struct armtap_unfinished_datagram){.source = datagram->source,
                                                          .target = datagram->target,
                                                          .where = datagram->first,
                                                          .bytes = datagram->there,
                                                          .length = datagram->length,
                                                          .may_be_tcp = may_be_tcp(datagram)};
    drop(fragments, datagram);
    return true;
}

bool armtap_fragments_wait(const struct armtap_fragments *fragments)
{
    for (const struct armtap_datagram *datagram = fragments->oldest; datagram; datagram = datagram->newer)
        if (datagram->state == WAITING)
            return true;
    return false;
}

void armtap_fragments_clear(struct armtap_fragments *fragments)
{
    while (fragments->oldest)
        drop(fragments, fragments->oldest);
}

/* ---- for a digest ------------------------------------------------------------------------------------------------ */

/* Writes the header of a fragment before its bytes; returns its length. */
static size_t put_header(const struct armtap_datagram *datagram, size_t from, size_t length, bool more, uint8_t *to)
{
    size_t header = datagram->source.version == 4 ? IPV4_HEADER : IPV6_HEADER;
    memcpy(to, datagram->bytes + HEADER_MOST - header, header);
    if (datagram->source.version == 4) {
        to[0] = 0x45;
        armtap_put16(to + 2, (uint16_t)(header + length));
        armtap_put16(to + 6, (uint16_t)(from / UNIT | (more ? 0x2000 : 0)));
        return header;
    }
    armtap_put16(to + 4, (uint16_t)(FRAGMENT_HEADER + length));
    to[6] = PROTOCOL_FRAGMENT;
    to[header] = datagram->protocol;
    to[header + 1] = 0;
    armtap_put16(to + header + 2, (uint16_t)(from | (more ? MORE : 0)));
    armtap_put32(to + header + 4, datagram->id);
    return header + FRAGMENT_HEADER;
}

/* One run of bytes that came. */
static int keep_run(const struct armtap_datagram *datagram, size_t from, size_t end,
                    int (*keep)(void *user, const struct armtap_packet *packet), void *user)
{
    uint8_t *copy = malloc(HEADER_MOST + end - from);
    if (!copy)
        return ARMTAP_ERR_MEMORY;
    bool more = end != datagram->length;
    size_t header = put_header(datagram, from, end - from, more, copy);
    size_t there = datagram->cut_at >= end ? end - from : datagram->cut_at > from ? datagram->cut_at - from : 0;
    memcpy(copy + header, datagram->bytes + HEADER_MOST + from, there);
    struct armtap_packet packet = {.size = sizeof(struct armtap_packet),
                                   .link_type = datagram->source.version == 4 ? LINK_IPV4 : LINK_IPV6,
                                   .where = datagram->last,
                                   .data = copy,
                                   .captured = header + there,
                                   .length = header + end - from};
    int error = keep(user, &packet);
    free(copy);
    return error;
}

static int keep_datagram(const struct armtap_datagram *datagram,
                         int (*keep)(void *user, const struct armtap_packet *packet), void *user)
{
    size_t from = 0;
    int error = 0;
    while (from < datagram->end && !error) {
        size_t to = from;
        while (to < datagram->end && has_seen(datagram, to / UNIT))
            to = to + UNIT < datagram->end ? to + UNIT : datagram->end;
        if (to > from)
            error = keep_run(datagram, from, to, keep, user);
        from = to > from ? to : from + UNIT;
    }
    return error;
}

int armtap_fragments_keep(const struct armtap_fragments *fragments, uint32_t file,
                          int (*keep)(void *user, const struct armtap_packet *packet), void *user)
{
    int error = 0;
    for (const struct armtap_datagram *datagram = fragments->oldest; datagram && !error; datagram = datagram->newer)
        if (datagram->state == WAITING && datagram->last.file == file)
            error = keep_datagram(datagram, keep, user);
    return error;
}
