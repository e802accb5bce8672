#include "digest.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "try.h"

enum {
    STRETCH_VERSION = 1,
    MARKS_MOST = 4096,
    HEAD = 2 + 2 * (1 + 16 + 2) + 2 * 8,
    SIDE = 4 + 4 + 8 + 1 + 5 * 8 + 4 + 4,
    MARK = 4 + 8 + 8 + 4,
    ACCOUNTS = 1 + 2 * 8 * ARMTAP_ACCOUNTS
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static uint8_t *put8(uint8_t *p, unsigned number)
{
    *p = (uint8_t)number;
    return p + 1;
}

static uint8_t *put32(uint8_t *p, uint64_t number)
{
    armtap_put32(p, (uint32_t)number);
    return p + 4;
}

static uint8_t *put64(uint8_t *p, uint64_t number)
{
    armtap_put64(p, number);
    return p + 8;
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t length)
{
    if (length)
        memcpy(p, bytes, length);
    return p + length;
}

/* Times and files are relative to `where`, so that they do not depend on where the file stands among others. */
static uint8_t *put_mark(uint8_t *p, const struct armtap_mark *mark, const struct armtap_where *where)
{
    p = put32(p, mark->end);
    p = put64(p, (uint64_t)mark->where.time);
    p = put64(p, mark->where.packet);
    return put32(p, where->file - mark->where.file);
}

static uint8_t *put_end(uint8_t *p, const struct armtap_stretch *stretch, int i, const struct armtap_where *where)
{
    const struct armtap_stretch_end *end = &stretch->end[i];
    const struct armtap_tally *tally = &stretch->tallies.side[i];
    p = put32(p, end->before);
    p = put32(p, end->after);
    p = put64(p, end->waited);
    p = put8(p, end->has_sent);
    p = put64(p, tally->packets);
    p = put64(p, tally->payload);
    p = put64(p, tally->records);
    p = put64(p, tally->decoded);
    p = put64(p, tally->offset);
    p = put32(p, end->unfinished.length);
    p = put32(p, end->unfinished.mark_count);
    for (size_t k = 0; k < end->unfinished.mark_count; k++)
        p = put_mark(p, &end->unfinished.marks[k], where);
    return put_bytes(p, end->unfinished.bytes, end->unfinished.length);
}

uint8_t *armtap_stretch_write(const struct armtap_stretch *stretch, const struct armtap_where *where, size_t *length)
{
    *length = HEAD + 2 * SIDE + ACCOUNTS;
    for (int i = 0; i < 2; i++)
        *length += stretch->end[i].unfinished.length + MARK * stretch->end[i].unfinished.mark_count;
    uint8_t *bytes = malloc(*length), *p = bytes;
    if (!bytes)
        return NULL;
    p = put8(p, STRETCH_VERSION);
    p = put8(p, stretch->kind);
    for (int i = 0; i < 2; i++) {
        p = put8(p, stretch->key.address[i].version);
        p = put_bytes(p, stretch->key.address[i].bytes, sizeof stretch->key.address[i].bytes);
        p = put8(put8(p, stretch->key.port[i] >> 8), stretch->key.port[i] & 0xFF);
    }
    p = put64(put64(p, stretch->packets), stretch->bytes);
    for (int i = 0; i < 2; i++)
        p = put_end(p, stretch, i, where);
    p = put8(p, ARMTAP_ACCOUNTS);
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++)
        p = put64(put64(p, stretch->tallies.spent[i]), stretch->tallies.reserve[i]);
    return bytes;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What is left to read. */
struct source {
    const uint8_t *at, *end;
    bool short_of; /* it ended too soon */
};

static uint64_t get(struct source *source, unsigned width)
{
    uint64_t number = 0;
    if ((size_t)(source->end - source->at) < width) {
        source->short_of = true;
        source->at = source->end;
        return 0;
    }
    for (unsigned i = 0; i < width; i++)
        number = number << 8 | *source->at++;
    return number;
}

static const uint8_t *get_bytes(struct source *source, size_t length)
{
    const uint8_t *bytes = source->at;
    if ((size_t)(source->end - source->at) < length) {
        source->short_of = true;
        return NULL;
    }
    source->at += length;
    return bytes;
}

static void get_key(struct source *source, struct armtap_flow_key *key)
{
    memset(key, 0, sizeof *key);
    for (int i = 0; i < 2; i++) {
        key->address[i].version = (uint8_t)get(source, 1);
        const uint8_t *bytes = get_bytes(source, sizeof key->address[i].bytes);
        if (bytes)
            memcpy(key->address[i].bytes, bytes, sizeof key->address[i].bytes);
        key->port[i] = (uint16_t)get(source, 2);
    }
}

/* Marks divide the bytes, in order. */
static bool get_marks(struct source *source, struct armtap_unfinished *unfinished, const struct armtap_where *where,
                      struct armtap_mark *marks)
{
    size_t before = 0;
    for (size_t i = 0; i < unfinished->mark_count; i++) {
        marks[i].end = (size_t)get(source, 4);
        marks[i].where.size = sizeof marks[i].where;
        marks[i].where.time = (int64_t)get(source, 8);
        marks[i].where.packet = get(source, 8);
        uint32_t back = (uint32_t)get(source, 4);
        marks[i].where.file = back <= where->file ? where->file - back : 0;
        if (marks[i].end <= before)
            return false;
        before = marks[i].end;
    }
    unfinished->marks = marks;
    unfinished->bytes = get_bytes(source, unfinished->length);
    return before == unfinished->length && unfinished->bytes;
}

static int get_end(struct source *source, struct armtap_stretch *stretch, int i, const struct armtap_where *where,
                   struct armtap_mark *marks, size_t *used)
{
    struct armtap_stretch_end *end = &stretch->end[i];
    struct armtap_tally *tally = &stretch->tallies.side[i];
    end->before = (uint32_t)get(source, 4);
    end->after = (uint32_t)get(source, 4);
    end->waited = get(source, 8);
    end->has_sent = get(source, 1) != 0;
    tally->packets = get(source, 8);
    tally->payload = get(source, 8);
    tally->records = get(source, 8);
    tally->decoded = get(source, 8);
    tally->offset = get(source, 8);
    end->unfinished.length = (size_t)get(source, 4);
    end->unfinished.mark_count = (size_t)get(source, 4);
    if (end->unfinished.mark_count > MARKS_MOST || !get_marks(source, &end->unfinished, where, marks + *used))
        return ARMTAP_ERR_NOT_OURS;
    *used += end->unfinished.mark_count;
    return ARMTAP_OK;
}

static void get_accounts(struct source *source, struct armtap_tallies *tallies)
{
    size_t count = (size_t)get(source, 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t spent = get(source, 8), reserve = get(source, 8);
        if (i >= ARMTAP_ACCOUNTS)
            continue;
        tallies->spent[i] = spent;
        tallies->reserve[i] = reserve;
    }
}

int armtap_stretch_read(const uint8_t *bytes, size_t length, const struct armtap_where *where,
                        struct armtap_stretch *stretch, struct armtap_mark **marks)
{
    struct source source = {bytes, bytes + length, false};
    size_t used = 0;
    *stretch = (struct armtap_stretch){0};
    *marks = malloc(2 * MARKS_MOST * sizeof **marks);
    if (!*marks)
        return ARMTAP_ERR_MEMORY;
    if (get(&source, 1) != STRETCH_VERSION)
        return ARMTAP_ERR_NOT_OURS;
    stretch->kind = get(&source, 1) == ARMTAP_STRETCH_DATA ? ARMTAP_STRETCH_DATA : ARMTAP_STRETCH_QUIET;
    get_key(&source, &stretch->key);
    stretch->packets = get(&source, 8);
    stretch->bytes = get(&source, 8);
    for (int i = 0; i < 2; i++)
        TRY(get_end(&source, stretch, i, where, *marks, &used));
    get_accounts(&source, &stretch->tallies);
    return source.short_of || source.at != source.end ? ARMTAP_ERR_NOT_OURS : ARMTAP_OK;
}
