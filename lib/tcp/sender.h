/* What the packets of one direction show of their sender: its clock, its IP ids, the round trip to the peer, and what
 * the peer reports missing. */
#ifndef ARMTAP_SENDER_H
#define ARMTAP_SENDER_H

#include "packet/link.h"
#include "history.h"

/* Echo times. A lost echo makes the next seem shorter, so the minimum is unreliable: uses the median of the minima of
 * the last three rounds. */
struct armtap_echoes {
    int64_t shortest, rounds[3]; /* ns; 0: none yet */
    unsigned count, round;
};

#define ARMTAP_REPAIRS 12u /* remembered */

/* What each packet needs comes first. */
struct armtap_sender {
    bool has_clock, has_id, is_measured, is_echo_awaited;
    int8_t id_score;       /* high where IP ids count up from packet to packet, low where they do not */
    uint8_t id_repeats;    /* packets in a row with the same IP id */
    uint8_t repair_count;  /* once all are in use, it cycles through the upper half of twice as many */
    uint16_t ip_id;        /* of the last packet that came in order */
    uint16_t resent_times; /* that bytes were sent again since something new was sent or acknowledged */
    uint32_t newest_tsval;
    uint32_t echo;         /* a timestamp that waits for its echo */
    unsigned reports;      /* of a hole before bytes that the peer has, since `acked` grew */
    unsigned block_count;  /* of `blocks` */
    uint32_t resent_from;  /* where the last ones began */
    uint64_t measured_end; /* a segment that waits for its acknowledgement */
    uint64_t acked;        /* by the peer */
    int64_t heard_time;    /* when it last acknowledged */
    int64_t grown_time;    /* and something new; 0: unknown */
    int64_t newest_time;   /* when that timestamp was first captured */
    int64_t measured_time, echo_time;
    int64_t acked_after; /* ns: the shortest until an acknowledgement; 0: none yet */
    uint32_t first_tsval;
    int64_t first_time;          /* when it was first captured */
    struct armtap_echoes echoes; /* until its timestamps came back */
    uint64_t sacked_to;          /* the end of the last bytes that the peer has */
    uint64_t hole;               /* where the last one began that the peer reported */
    int64_t asked_time; /* of the first of its reports; of the third, by which a sender knows what is missing */
    uint16_t repairs[ARMTAP_REPAIRS]; /* from the first report until the peer had the bytes */
    struct {
        uint64_t start, end;
    } blocks[ARMTAP_SACK_BLOCKS]; /* that the peer has beyond `acked`, by its last acknowledgement */
};

/* A segment with bytes, none of which were captured before, and none after them. */
void armtap_sender_sent(struct armtap_sender *sender, uint16_t ip_id, uint64_t end, int64_t time);
/* Something whose acknowledgement shows how far the peer is: bytes up to `end`, or a SYN before `end`. */
void armtap_sender_measure(struct armtap_sender *sender, uint64_t end, int64_t now);
/* Any packet of the sender, and one of its peer that may echo the sender's timestamp. */
void armtap_sender_ticked(struct armtap_sender *sender, const struct armtap_segment *segment, int64_t now);
void armtap_sender_echoed(struct armtap_sender *sender, const struct armtap_segment *segment, int64_t now);
/* Something was sent again: an acknowledgement may be for either copy, so it measures nothing. */
void armtap_sender_resent(struct armtap_sender *sender, uint64_t start);
/* What the last bytes sent again say, which end there. `after`: as in struct armtap_judgement; `is_missed`: they were
 * not captured before. */
struct armtap_resent armtap_sender_resent_what(const struct armtap_sender *sender, uint64_t end, int64_t after,
                                               bool is_missed, int64_t now);
/* The peer acknowledged up to `acked`, which belongs to its number segment->ack. */
void armtap_sender_heard(struct armtap_sender *sender, const struct armtap_segment *segment, uint64_t acked,
                         int64_t now);
/* Whether the peer's acknowledgements say that it lacks these bytes and has later ones. */
bool armtap_sender_lacks(const struct armtap_sender *sender, uint64_t start, uint64_t end);
/* How long ago the peer asked for the bytes at `start` the third time; -1 if it has not. */
int64_t armtap_sender_asked_since(const struct armtap_sender *sender, uint64_t start, int64_t now);
/* ns since the peer first reported to lack the bytes at `start`, the last that it did; 0: they are not these, or it
 * reported them three times. */
int64_t armtap_sender_lacked_for(const struct armtap_sender *sender, uint64_t start, int64_t now);
/* Bytes that the peer lacked often came after that time: a sender that does not wait for a third report is so regular,
 * a path that holds packets up is not. */
bool armtap_sender_usually_repairs(const struct armtap_sender *sender, int64_t after);
/* Minimum ns from the capture point to the peer and back; 0: unknown. */
int64_t armtap_sender_round_trip(const struct armtap_sender *sender);
/* Whether its timestamps were echoed often enough for the shortest time to be meaningful. */
bool armtap_sender_has_echoes(const struct armtap_sender *sender);
/* ns per tick of its timestamp clock. */
int64_t armtap_sender_tick(const struct armtap_sender *sender);

enum armtap_order { ARMTAP_ORDER_UNKNOWN, ARMTAP_ORDER_BEFORE, ARMTAP_ORDER_AFTER };
/* Whether `a` was sent before or after `b`, by their headers. */
enum armtap_order armtap_sender_order(const struct armtap_sender *sender, const struct armtap_sent *a,
                                      const struct armtap_sent *b);
/* Whether that order is proven: by a clock, or by IP ids that have counted up for a while. */
bool armtap_sender_order_is_proven(const struct armtap_sender *sender, const struct armtap_sent *a,
                                   const struct armtap_sent *b);
/* IP ids differ from packet to packet, so that two packets of one id are one. */
bool armtap_sender_ids_differ(const struct armtap_sender *sender);

#endif
