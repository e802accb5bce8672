/* What the files of the reassembler share: tcp.c (headers, and which connection it is), tcp_bytes.c (bytes come in),
 * tcp_deliver.c (bytes, gaps and ends go out). */
#ifndef ARMTAP_TCP_INSIDE_H
#define ARMTAP_TCP_INSIDE_H

#include "tcp.h"
#include "try.h"

static inline int32_t armtap_tcp_distance(uint32_t seq, uint64_t position)
{
    return (int32_t)(seq - (uint32_t)position);
}

static inline uint64_t armtap_tcp_position(const struct armtap_tcp_side *side, uint32_t seq)
{
    return side->next + (uint64_t)(int64_t)armtap_tcp_distance(seq, side->next);
}

static inline bool armtap_tcp_was_seen(const struct armtap_tcp_side *side)
{
    return side->highest != 0;
}

static inline struct armtap_tcp_side *armtap_tcp_peer(struct armtap_tcp *tcp, enum armtap_direction direction)
{
    return &tcp->side[!direction];
}

/* ---- tcp.c ---- */

/* The first packet of a side: `seq` is where its bytes begin. */
void armtap_tcp_begin(struct armtap_tcp *tcp, struct armtap_tcp_side *side, uint32_t seq, enum armtap_tcp_state state);

/* ---- tcp_bytes.c ---- */

int armtap_tcp_take_bytes(struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
int armtap_tcp_take_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* A window probe's byte was kept aside; `start` is the position of what follows it: if behind it, the byte was taken.
 */
int armtap_tcp_settle_probe(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t start);

/* ---- tcp_deliver.c ---- */

/* Drops what waits, and the history. */
void armtap_tcp_forget(struct armtap_tcp *tcp, struct armtap_tcp_side *side);
/* Nanoseconds from `then` to `now`, as far as a capture's clock can be trusted. */
int64_t armtap_tcp_elapsed(int64_t now, int64_t then);
int armtap_tcp_keep_history(struct armtap_tcp *tcp, struct armtap_tcp_side *side);
/* The next bytes in order. */
int armtap_tcp_deliver(struct armtap_tcp *tcp, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                       const struct armtap_where *where);
/* The bytes up to `end` are missing. Told once the bytes behind them come, so that neighbouring holes are one gap. */
void armtap_tcp_lose(struct armtap_tcp_side *side, uint64_t end, const struct armtap_where *where);
int armtap_tcp_close_side(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where);
int armtap_tcp_close_by_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where);
/* Gives out what no hole holds back, both directions in the order of capture. */
int armtap_tcp_drain(struct armtap_tcp *tcp);
/* Gives up the first hole of a direction whose queue is not empty. */
int armtap_tcp_give_up_hole(struct armtap_tcp *tcp, enum armtap_direction direction);
/* Gives up the holes that waited long enough. */
int armtap_tcp_give_up_overdue(struct armtap_tcp *tcp);
/* Gives out all that waits, both directions in the order of capture. */
int armtap_tcp_flush(struct armtap_tcp *tcp);

#endif
