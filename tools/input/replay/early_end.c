#include "run.h"
#include "analysis/inside.h"

#include "base/process/message.h"
#include "input/files/input_files.h"

/* Packets between two questions: each costs time for every connection. */
#define PATIENCE 64

enum side { WANTED, MARGIN, BEYOND };

static enum side side_of_packet(const struct replay_end *wish, const struct armtap_where *now)
{
    bool is_wanted = now->file != wish->file ? now->file < wish->file : now->packet <= wish->packet;
    return is_wanted ? WANTED : BEYOND;
}

static enum side side_of_time(const struct replay_ending *ending, const struct armtap_where *now)
{
    if (ending->time == ARMTAP_NO_TIME || now->time == ARMTAP_NO_TIME || now->time <= ending->time)
        return WANTED;
    return armtap_time_between(ending->time, now->time) > REPLAY_END_MARGIN_NS ? BEYOND : MARGIN;
}

bool replay_ending_is_here(struct replay_ending *ending, const void *user, const struct armtap_net *net,
                           const struct armtap_where *now, int64_t first_time)
{
    const struct replay_end *wish = ending->wish;
    if (!wish)
        return false;
    if (wish->to && !ending->has_time) {
        ending->has_time = true;
        ending->time = timestamp_resolve(wish->to, first_time, wish->zone);
    }
    enum side side = wish->to ? side_of_time(ending, now) : side_of_packet(wish, now);
    if (side == WANTED) {
        ending->last = *now;
        ending->patience = 0;
    }
    if (side != BEYOND || ending->last.packet == 0)
        return false;
    if (ending->patience > 0) {
        ending->patience--;
        return false;
    }
    ending->patience = PATIENCE;
    return (!wish->is_enough || wish->is_enough(user)) && armtap_net_is_settled(net, &ending->last);
}

void replay_start_say(const struct replay_source *source, const struct timestamp *from)
{
    uint64_t bytes = from->given && !replay_is_endless(source) ? inputs_length(source->inputs, source->count) : 0;
    if (bytes >= REPLAY_START_SAY_BYTES)
        message_info(
            "--from: all before it is decoded, too, of %.1f GB, since streams are set up there; to skip it, cut "
            "the capture into files (editcap -i 600), run armtap index on them, and give --after",
            (double)bytes / 1e9);
}
