/* Robots as a source. */
#include "replay_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/message.h"
#include "robot_capture.h"

/* Notes what this machine could not keep, where it is missing. */
static void note_hole(struct run *run, const struct robot_event *hole, uint64_t packet)
{
    char text[200];
    const struct armtap_where where = {.time = hole->since, .packet = packet};
    snprintf(text, sizeof text, "%" PRIu64 " record%s of %.3f s of %s %s not kept", hole->lost_messages,
             hole->lost_messages == 1 ? "" : "s", (double)(hole->time - hole->since) / 1e9,
             run->source->robots->robots[hole->robot].url, hole->lost_messages == 1 ? "was" : "were");
    run_note_dropped(run, "record.dropped", &where, text);
}

static void report_holes(const struct robot_capture *capture)
{
    uint64_t dropped = robot_capture_dropped(capture);
    if (dropped > 0)
        message_warning("%" PRIu64 " record%s dropped, because the output did not keep up; write to a file, or ask for "
                        "fewer fields or a lower --frequency",
                        dropped, dropped == 1 ? " was" : "s were");
}

void run_robots(struct run *run)
{
    struct armtap_packet packet;
    const struct robot_event *hole;
    enum capture_outcome outcome = CAPTURE_END;
    struct robot_capture *capture = robot_capture_open(run->source->robots);
    if (!capture) {
        run->stopped = run->totals->broken_off = true;
        return;
    }
    run_check(run, armtap_net_origin(run->net, ARMTAP_ORIGIN_SOCKET));
    while (!run->stopped && (outcome = robot_capture_next(capture, &packet, &hole)) > CAPTURE_END) {
        if (hole)
            note_hole(run, hole, packet.where.packet);
        if (outcome == CAPTURE_PACKET)
            run_take_packet(run, &packet);
        run_turn(run);
    }
    if (!run->stopped && outcome < CAPTURE_END)
        run_fail_input(run, outcome);
    report_holes(capture);
    robot_capture_close(capture);
}
