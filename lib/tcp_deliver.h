/* Bytes, gaps and ends of a TCP connection go out, in the order of the stream. */
#ifndef ARMTAP_TCP_DELIVER_H
#define ARMTAP_TCP_DELIVER_H

#include "tcp_side.h"

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
/* Forgets what it delivered of late, while more than `least` directions of all keep that. */
void armtap_tcp_drop_histories(struct armtap_tcp *tcp, unsigned least);
/* Gives up a hole of the queue that holds most; *done tells whether there was one. */
int armtap_tcp_relieve(struct armtap_pool *pool, bool *done);
/* Looks whether the holes of some waiting connections have to be given up; to be called for each captured packet. */
int armtap_tcp_sweep(struct armtap_pool *pool);

#endif
