/* A capture decoded by several threads: its connections are dealt out to parts, each a net of its own, and what the
 * parts tell is told to the sink in the order in which one net would have told it. */
#ifndef INPUT_PARTS_H
#define INPUT_PARTS_H

#include "armtap.h"

struct input;
struct parts;

struct parts_wish {
    unsigned threads;
    uint64_t bytes;                           /* of the source, roughly */
    const struct armtap_net_options *options; /* of each net; without knowledge */
    const struct armtap_sink *sink;           /* what of it is called, call_log.h says */
    void *user;
    /* Calls parts_packet() until that returns false, the buffer is full, or a file ends. False: there is no more, or
     * reading stops. Any thread may call it, one at a time. */
    bool (*fill)(void *source, struct parts *parts);
    void *source;
};

enum parts_outcome {
    PARTS_DONE,
    PARTS_STRAINED, /* one net would tell something else: forget everything, and read again */
    PARTS_FAILED    /* *error says why */
};

/* Whether the commands' sink can be called this way. */
bool parts_suit(const struct armtap_sink *sink);
enum parts_outcome parts_run(const struct parts_wish *wish, int *error);

/* ---- for `fill` ---- */

/* The next packet of a file, from the buffer below or from elsewhere, whence it is copied. False: no more for now. */
bool parts_packet(struct parts *parts, const struct armtap_packet *packet, enum armtap_origin origin);
/* The buffer for packets, for capture_lend(): another one in each call of `fill`. */
uint8_t *parts_buffer(const struct parts *parts, size_t *length);
/* Call when the buffer is full: the next block will be read from `position` of this file, as the file has it. NULL:
 * that is not known. */
void parts_foresee(struct parts *parts, struct input *input, uint64_t position);
/* Tells the sink of the capture, behind all packets so far. Non-zero without memory. */
int parts_note(struct parts *parts, const struct armtap_note *note);
/* What cannot be read in parts was met. */
void parts_strain(struct parts *parts);

#endif
