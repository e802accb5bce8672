/* What a captured segment shows about when and how it was sent. */
#ifndef ARMTAP_SENT_H
#define ARMTAP_SENT_H

#include "armtap.h"

struct armtap_sent {
    uint64_t start, end; /* positions of its bytes */
    int64_t time;        /* of its capture */
    uint32_t tsval, tsecr, ack;
    uint32_t peer_tsval; /* the newest timestamp of the peer captured before */
    uint16_t ip_id, window;
    uint8_t flags; /* TCP's */
    bool has_timestamps;
    bool late;     /* captured after later ones, as far as is known */
    bool again;    /* a retransmission, as far as is known */
    bool doubtful; /* the packets do not prove whether it is one */
};

#endif
