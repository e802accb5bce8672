/* Where a reading ends before its input does: once what is wanted was read, and nothing that comes later can change it.
 */
#ifndef INPUT_REPLAY_END_H
#define INPUT_REPLAY_END_H

#include "armtap.h"
#include "base/numbers/timestamp.h"
#include "input/replay/replay.h"

/* What is wanted: packets up to a time, or up to one packet. */
struct replay_end {
    const struct timestamp *to; /* NULL: `packet` counts */
    enum timestamp_zone zone;
    uint32_t file;
    uint64_t packet;
    /* Whether what was read until now will do; NULL: it always will. */
    bool (*is_enough)(const void *user);
};
/* By how much packets of a capture may be out of order. */
#define REPLAY_END_MARGIN_NS 1000000000

/* Start with zeros, but for `wish`. */
struct replay_ending {
    const struct replay_end *wish; /* NULL: the reading ends with its input */
    bool has_time;
    int64_t time;
    struct armtap_where last; /* of the packets that are wanted */
    unsigned patience;        /* packets until the net is asked again */
};

/* Call for each packet, after it was given to the net. Whether the file need not be read further. */
bool replay_ending_is_here(struct replay_ending *ending, const void *user, const struct armtap_net *net,
                           const struct armtap_where *now, int64_t first_time);

/* Where the wanted part of a reading begins. All before it is decoded, too: it holds the streams' set-ups, and the
 * numbers of streams, packages and counts follow from it. */

/* From so many bytes of files on, this takes long enough to be worth a message. */
#define REPLAY_START_SAY_BYTES ((uint64_t)256 << 20)

/* Says so on standard error, if `from` is given and the files are that large. */
void replay_start_say(const struct replay_source *source, const struct timestamp *from);

#endif
