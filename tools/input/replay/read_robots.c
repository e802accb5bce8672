/* Robots as a source. */
#include "run.h"

#include <inttypes.h>

#include "base/process/message.h"
#include "input/robots/robot_traffic.h"

/* Notes what this machine could not keep, where it is missing. */
static void note_hole(struct run *run, const struct robot_event *hole, uint64_t packet)
{
    const struct armtap_where where = {.size = sizeof where, .time = hole->since, .packet = packet};
    run_note_dropped(run, ARMTAP_NOTE_record_dropped, &where,
                     ARGS(arg_dropped(hole->lost_messages), arg_duration_s((double)(hole->time - hole->since) / 1e9),
                          arg_source(run->source->robots->robots[hole->robot].url)));
}

/* One robot of several that gave no record was not read; if none did, commands say more about it. */
static void judge_robots(struct run *run, const struct robot_tally *tallies, const struct robot_tally *sum)
{
    const struct robot_sources *robots = run->source->robots;
    for (size_t i = 0; i < robots->named && sum->records > 0 && !run->stopped; i++) {
        if (tallies[i].records > 0)
            continue;
        message_error("%s: no record arrived", robots->robots[i].url);
        run->damaged = true;
    }
}

static void report(struct run *run, const struct robot_tally *tallies)
{
    struct robot_tally sum = {.records = 0};
    char interruptions[ROBOT_TALLY_MAX];
    for (size_t i = 0; i < run->source->robots->named; i++)
        robot_tally_add(&sum, &tallies[i], run_clock_time());
    judge_robots(run, tallies, &sum);
    if (sum.dropped > 0)
        message_warning("%" PRIu64 " record%s dropped, because the output did not keep up; write to a file, or request "
                        "fewer fields or a lower --frequency",
                        sum.dropped, sum.dropped == 1 ? " was" : "s were");
    robot_tally_text(interruptions, &sum);
    if (sum.interruptions > 0)
        message_info("%" PRIu64 " record%s received%s", sum.records, sum.records == 1 ? "" : "s", interruptions);
}

void run_robots(struct run *run)
{
    struct armtap_packet packet = {.size = sizeof packet};
    const struct robot_event *hole;
    enum capture_outcome outcome = CAPTURE_END;
    struct robot_capture *capture = robot_capture_open(run->source->robots);
    if (!capture) {
        run->stopped = run->totals->broken_off = true;
        return;
    }
    message_show_times();
    run_check(run, armtap_net_origin(run->net, ARMTAP_ORIGIN_SOCKET));
    while (!run->stopped && (outcome = robot_capture_next(capture, &packet, &hole)) > CAPTURE_END) {
        if (hole)
            note_hole(run, hole, packet.where.packet);
        if (outcome == CAPTURE_PACKET)
            run_give_packet(run, &packet);
        run_turn(run);
    }
    if (!run->stopped && outcome < CAPTURE_END)
        run_fail_input(run, outcome);
    report(run, robot_capture_tallies(capture));
    robot_capture_close(capture);
}
