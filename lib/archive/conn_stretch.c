/* A connection that passes over data which was decoded elsewhere. */

#include "connection/connection.h"

#define UNFINISHED_MOST (128 * 1024)

struct armtap_watch *armtap_conn_watch(struct armtap_conn *conn)
{
    return &conn->watch;
}

bool armtap_conn_is_calm(const struct armtap_conn *conn, enum armtap_direction direction)
{
    const struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
    return conn->decoder && !conn->foreign && !half->closed && !half->after_gap && half->search_skipped == 0 &&
           half->used <= UNFINISHED_MOST && half->mode == ARMTAP_HALF_SYNCED;
}

bool armtap_conn_awaits_proof(const struct armtap_conn *conn, enum armtap_direction direction)
{
    enum armtap_direction side = armtap_conn_real(conn, direction);
    const struct armtap_half *half = &conn->half[side];
    if (half->used == 0)
        return false;
    long frame = conn->decoder->frame(conn->context, side, half->buffer, half->used);
    return frame > 0 && (size_t)frame <= half->used;
}

void armtap_conn_tally(const struct armtap_conn *conn, struct armtap_tallies *tallies)
{
    const struct armtap_stream *stream = &conn->stream;
    for (int i = 0; i < 2; i++) {
        enum armtap_direction side = armtap_conn_real(conn, (enum armtap_direction)i);
        tallies->side[i] = (struct armtap_tally){stream->packets[side], stream->payload[side], stream->records[side],
                                                 stream->bytes_decoded[side], conn->half[side].offset};
    }
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++) {
        tallies->spent[i] = conn->account.spent[i];
        tallies->reserve[i] = conn->reserve->left[i];
    }
}

void armtap_conn_unfinished(const struct armtap_conn *conn, enum armtap_direction direction,
                            struct armtap_unfinished *unfinished)
{
    const struct armtap_half *half = &conn->half[armtap_conn_real(conn, direction)];
    *unfinished = (struct armtap_unfinished){half->buffer, half->used, half->marks, half->mark_count};
}

static void add(struct armtap_conn *conn, const struct armtap_tallies *more)
{
    struct armtap_stream *stream = &conn->stream;
    for (int i = 0; i < 2; i++) {
        enum armtap_direction side = armtap_conn_real(conn, (enum armtap_direction)i);
        const struct armtap_tally *tally = &more->side[i];
        stream->packets[side] += tally->packets;
        stream->payload[side] += tally->payload;
        stream->records[side] += tally->records;
        stream->bytes_decoded[side] += tally->decoded;
        conn->half[side].offset += tally->offset;
        conn->half[side].synced_end = conn->half[side].offset;
    }
    for (size_t i = 0; i < ARMTAP_ACCOUNTS; i++) {
        uint64_t *left = &conn->reserve->left[i];
        conn->account.spent[i] += more->spent[i];
        *left -= more->reserve[i] < *left ? more->reserve[i] : *left;
    }
}

int armtap_conn_pass(struct armtap_conn *conn, const struct armtap_tallies *more,
                     const struct armtap_unfinished *const unfinished[2], const struct armtap_where *where)
{
    add(conn, more);
    conn->stream.last = *where;
    int error = ARMTAP_OK;
    for (int i = 0; i < 2 && error == ARMTAP_OK; i++)
        if (unfinished[i])
            error = armtap_conn_replace(conn, (enum armtap_direction)i, unfinished[i]);
    return error;
}
