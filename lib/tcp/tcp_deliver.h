/* Input and output of a TCP connection, for the reassembler. */
#ifndef ARMTAP_TCP_DELIVER_H
#define ARMTAP_TCP_DELIVER_H

#include "tcp.h"
#include "history.h"

/* ---- tcp_bytes.c: bytes and ends come in ---- */

int armtap_tcp_take_bytes(struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
/* The same for the next bytes of an open direction in which nothing waits. */
int armtap_tcp_take_next(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
int armtap_tcp_take_fin(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_segment *segment);
/* A window probe's byte was set aside; `start` is the position of the next segment: if it is after that byte, the peer
 * accepted it. */
int armtap_tcp_settle_probe(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t start);

/* ---- tcp_end.c ---- */

/* Ends both directions at `where`. `is_doubtful`: the peer may have ended it before. */
int armtap_tcp_end(struct armtap_tcp *tcp, enum armtap_direction direction, enum armtap_close reason, bool is_doubtful,
                   const struct armtap_where *where);
/* Whether the sender of a FIN or RST acknowledges bytes, or the end, of a peer of which nothing but acknowledgements
 * was captured. */
bool armtap_tcp_acks_unseen(const struct armtap_tcp_side *peer, const struct armtap_segment *segment);

int armtap_tcp_take_reset(struct armtap_tcp *tcp, enum armtap_direction direction,
                          const struct armtap_segment *segment);
/* While the connection may be reset: any other segment. */
int armtap_tcp_doubt_reset(struct armtap_tcp *tcp, enum armtap_direction direction,
                           const struct armtap_segment *segment);
/* The RST ended it. */
int armtap_tcp_confirm_reset(struct armtap_tcp *tcp);
/* It does not matter any more. */
void armtap_tcp_drop_reset(struct armtap_tcp *tcp);

/* ---- tcp_deliver.c: bytes, gaps and ends go out, in stream order ---- */

/* The first packet of a side: `seq` is where its bytes begin. */
void armtap_tcp_begin(struct armtap_tcp *tcp, struct armtap_tcp_side *side, uint32_t seq, enum armtap_tcp_state state);

#define ARMTAP_SWEEP_QUEUES 4 /* checked for each captured packet */

/* Drops waiting data and the history. */
void armtap_tcp_forget(struct armtap_tcp *tcp, struct armtap_tcp_side *side);
/* Nanoseconds from `then` to `now`, as far as a capture's clock can be trusted. */
int64_t armtap_tcp_elapsed(int64_t now, int64_t then);
int armtap_tcp_keep_history(struct armtap_tcp *tcp, struct armtap_tcp_side *side);
/* The next bytes in order, behind no gap. */
static inline int armtap_tcp_pass_on(struct armtap_tcp *tcp, enum armtap_direction direction, const uint8_t *bytes,
                                     size_t length, const struct armtap_where *where)
{
    struct armtap_tcp_side *side = &tcp->side[direction];
    if (side->history)
        armtap_history_add(side->history, side->next, bytes, length);
    side->next += length;
    if (side->highest < side->next)
        side->highest = side->next;
    return tcp->calls->push(tcp->user, direction, bytes, length, where);
}

/* The next bytes in order. */
int armtap_tcp_deliver(struct armtap_tcp *tcp, enum armtap_direction direction, const uint8_t *bytes, size_t length,
                       const struct armtap_where *where);
/* The bytes up to `end` are missing. Reported once the bytes after them come, so that adjacent holes form one gap, or
 * those that are missing for another reason. */
int armtap_tcp_lose(struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t end, enum armtap_missing_why why,
                    const struct armtap_where *where);
int armtap_tcp_close_side(struct armtap_tcp *tcp, enum armtap_direction direction, const struct armtap_where *where);
/* Whether a RST may be an answer, so that its sender did not end the connection: the FIN of the other side came before,
 * or the sender had acknowledged something that comes later in the capture or not at all. `acked`: of the peer's. */
bool armtap_tcp_may_answer(const struct armtap_tcp *tcp, enum armtap_direction direction, uint64_t acked,
                           const struct armtap_where *where);
/* `ack`: what the FIN acknowledges. */
int armtap_tcp_close_by_fin(struct armtap_tcp *tcp, enum armtap_direction direction, uint32_t ack,
                            const struct armtap_where *where);
/* Packets that came `late` ns late: data, or a SYN (`bytes` 0), after their acknowledgement (`late` 0: how much later
 * is not known), or a copy. */
void armtap_tcp_saw_behind(struct armtap_tcp_apart *apart, uint64_t bytes, int64_t late,
                           const struct armtap_where *where);
void armtap_tcp_saw_copy(struct armtap_tcp_apart *apart, int64_t late, const struct armtap_where *where);
/* Whether bytes before those of a direction that began in mid-stream may still come. */
bool armtap_tcp_is_held(const struct armtap_tcp *tcp, const struct armtap_tcp_side *side);
/* Whether a direction's data may be delivered that acknowledges up to `ack`: what it answers goes before it, though a
 * capture whose clocks are apart has it later. Not waited for: bytes after others that did not come in time, until the
 * peer's next, and a peer of which nothing was captured, unless its sender's SYN was. */
bool armtap_tcp_is_caused(const struct armtap_tcp *tcp, enum armtap_direction direction, unsigned flags, uint32_t ack);
/* Delivers data that no hole blocks, both directions in order of capture. */
int armtap_tcp_drain(struct armtap_tcp *tcp);
/* Gives up the first hole of a direction whose queue is not empty. */
int armtap_tcp_give_up_hole(struct armtap_tcp *tcp, enum armtap_direction direction);
/* Gives up the holes that have waited long enough. */
int armtap_tcp_give_up_overdue(struct armtap_tcp *tcp);
/* Delivers all waiting data, both directions in order of capture. */
int armtap_tcp_flush(struct armtap_tcp *tcp);
/* Drops the history of recently delivered bytes, while more than `min` directions keep one. */
void armtap_tcp_drop_histories(struct armtap_tcp *tcp, unsigned least);
/* Gives up a hole of the queue that holds most; *done says whether there was one. */
int armtap_tcp_relieve(struct armtap_pool *pool, bool *done);
/* Checks whether holes of some waiting connections must be given up; call it for each captured packet. */
int armtap_tcp_sweep(struct armtap_pool *pool);

#endif
