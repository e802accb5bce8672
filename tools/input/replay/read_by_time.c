/* Files of one time, side by side: the next packet is the earliest of all. */
#include <stdlib.h>

#include "run.h"

enum { LANES_MAX = 32 }; /* files that are open at a time */

struct lane {
    struct reading reading;
    struct armtap_packet head; /* its next packet */
    int64_t file_time;         /* of its first */
    enum armtap_origin origin;
};

struct lanes {
    struct lane lane[LANES_MAX];
    size_t count;
    struct lane *current; /* whose packet was taken last */
};

static void end_lane(struct run *run, struct lanes *lanes, size_t i)
{
    struct lane *lane = &lanes->lane[i];
    run->totals->file = lane->reading.last.file;
    run_end_packets(run, &lane->reading);
    run_close_file(run, lane->reading.capture);
    *lane = lanes->lane[--lanes->count];
    lanes->current = NULL;
}

/* Whether the file goes on. */
static bool fetch(struct lane *lane)
{
    do {
        lane->reading.outcome = capture_next(lane->reading.capture, &lane->head);
    } while (lane->reading.outcome > CAPTURE_PACKET);
    lane->head.where.file = lane->reading.last.file;
    return lane->reading.outcome == CAPTURE_PACKET;
}

static void open_lane(struct run *run, struct lanes *lanes, uint32_t file)
{
    struct lane *lane = &lanes->lane[lanes->count];
    struct capture *capture = run_open_file(run, file);
    if (!capture)
        return;
    if (capture_is_raw(capture)) { /* it had packets when its times were read */
        run_refuse_dump(run, capture, replay_file_name(run->source, file));
        run_close_file(run, capture);
        return;
    }
    *lane = (struct lane){.file_time = ARMTAP_NO_TIME};
    run_begin_packets(run, &lane->reading, capture, file);
    lane->origin = run->origin;
    lanes->count++;
    lanes->current = NULL;
    if (!fetch(lane))
        end_lane(run, lanes, lanes->count - 1);
}

/* The lane with the earliest packet. A packet without a time is taken at once. */
static size_t earliest(const struct lanes *lanes)
{
    size_t best = 0;
    for (size_t i = 1; i < lanes->count; i++) {
        const struct armtap_where *one = &lanes->lane[i].head.where, *other = &lanes->lane[best].head.where;
        if (one->time < other->time || (one->time == other->time && one->file < other->file))
            best = i;
    }
    return best;
}

static bool is_due(const struct lanes *lanes, const struct file_turn *next)
{
    return lanes->count == 0 ||
           (lanes->count < LANES_MAX && next->first <= lanes->lane[earliest(lanes)].head.where.time);
}

/* The totals are of the file whose packet is next. */
static void turn_to(struct run *run, struct lanes *lanes, struct lane *lane)
{
    run->totals->is_beside = lanes->count > 1;
    if (lanes->current == lane)
        return;
    if (lanes->current)
        lanes->current->file_time = run->totals->file_time;
    run->totals->file = lane->reading.last.file;
    run->totals->file_time = lane->file_time;
    if (run->origin != lane->origin) {
        run->origin = lane->origin;
        run_check(run, armtap_net_origin(run->net, run->origin));
    }
    lanes->current = lane;
}

void run_by_time(struct run *run, const struct file_turns *turns)
{
    struct lanes *lanes = calloc(1, sizeof *lanes);
    size_t next = 0;
    if (!lanes) {
        run_check(run, ARMTAP_ERR_MEMORY);
        return;
    }
    while (!run->stopped && !run->ended && (lanes->count > 0 || next < turns->count)) {
        while (next < turns->count && is_due(lanes, &turns->turns[next]) && !run->stopped)
            open_lane(run, lanes, turns->turns[next++].file);
        if (lanes->count == 0 || run->stopped)
            continue;
        size_t best = earliest(lanes);
        struct lane *lane = &lanes->lane[best];
        turn_to(run, lanes, lane);
        if (!run_take_next(run, &lane->reading, &lane->head))
            break;
        if (!fetch(lane))
            end_lane(run, lanes, best);
    }
    while (lanes->count > 0)
        end_lane(run, lanes, lanes->count - 1);
    free(lanes);
}
