/* Attempts to connect that failed, and some that nearly failed. */
#include "cases.h"

#include "nanoseconds.h"

#define CLOCK_AND_JOINTS "timestamp,actual_q"

static void expect(struct play *play, const char *id, size_t index)
{
    play_expect_of(play, id, -1, index);
}

static void call_and_refuse(struct play *play, uint16_t port)
{
    play_call(play, port);
    play_refuse(play);
}

/* The SYN and its retransmissions, without an answer. */
static void call_in_vain(struct play *play, uint16_t port)
{
    static const int64_t waits[] = {SECOND, 2 * SECOND, 4 * SECOND};
    play_call(play, port);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        play_wait(play, waits[i]);
        play_call_again(play);
    }
}

/* Another client's connection shows that the capture continues, in both directions. */
static void other_stream(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* ---- refused --------------------------------------------------------------------------------------------------- */

void attempt_refused(struct play *play)
{
    call_and_refuse(play, 30004);
    expect(play, "tcp.refused", play_latest(play));
}

void attempt_refused_v6(struct play *play)
{
    play->v6 = true;
    attempt_refused(play);
}

/* One finding for the two ports that were tried. */
void attempt_refused_for_an_hour(struct play *play)
{
    for (int i = 0; i < 3600; i++) {
        call_and_refuse(play, 30004);
        if (i == 0)
            expect(play, "tcp.refused", play_latest(play));
        play_wait(play, SECOND);
    }
    call_and_refuse(play, 30003);
    expect(play, "tcp.refused", play_latest(play));
}

/* The robot boots. */
void attempt_refused_then_connected(struct play *play)
{
    for (int i = 0; i < 3; i++) {
        call_and_refuse(play, 30004);
        if (i == 0)
            expect(play, "tcp.refused", play_latest(play));
        play_wait(play, SECOND);
    }
    other_stream(play);
}

/* Windows sends the same SYN again, half a second after each RST; the third is accepted. */
void attempt_refused_same_syn(struct play *play)
{
    call_and_refuse(play, 30004);
    expect(play, "tcp.refused", play_latest(play));
    for (int i = 0; i < 2; i++) {
        play_wait(play, 500 * MILLISECOND);
        play_call_again(play);
        if (i == 0)
            play_refuse(play);
    }
    play_accept(play);
    play_realtime_data(play, 1108, 100);
}

/* Two capture points, or a network card with several queues: the RST is captured first. */
void attempt_refused_out_of_order(struct play *play)
{
    call_and_refuse(play, 30004);
    play_swap(play, 0, 1);
    expect(play, "tcp.refused", 0);
    play_wait(play, 4 * SECOND);
    other_stream(play);
}

/* ---- an ICMP error ---------------------------------------------------------------------------------------------- */

/* A firewall rejects each of three attempts. */
void attempt_unreachable(struct play *play)
{
    for (int i = 0; i < 3; i++) {
        play_call(play, 30004);
        size_t error = play_unreachable(play, play_latest(play), 13, MILLISECOND);
        if (i == 0)
            expect(play, "tcp.unreachable", error);
        play_wait(play, SECOND);
    }
    other_stream(play);
}

/* A router asked for the robot's hardware address in vain, for three seconds. */
void attempt_unreachable_v6(struct play *play)
{
    play->v6 = true;
    play_call(play, 30004);
    size_t first = play_latest(play);
    play_wait(play, SECOND);
    play_call_again(play);
    expect(play, "tcp.unreachable", play_unreachable(play, first, 3, 2 * SECOND));
    play_wait(play, 4 * SECOND);
    other_stream(play);
}

/* ---- without an answer ----------------------------------------------------------------------------------------- */

void attempt_no_answer(struct play *play)
{
    size_t first = play->wire.count;
    call_in_vain(play, 30004);
    play_wait(play, 4 * SECOND);
    other_stream(play);
    expect(play, "tcp.no-answer", first);
}

void attempt_no_answer_v6(struct play *play)
{
    play->v6 = true;
    attempt_no_answer(play);
}

/* Nothing else is in the capture. */
void attempt_no_answer_alone(struct play *play)
{
    call_in_vain(play, 30004);
    expect(play, "tcp.no-answer", 0);
}

/* The capture ends with the first retransmitted SYN. */
void attempt_no_answer_to_the_end(struct play *play)
{
    other_stream(play);
    play_call(play, 30004);
    expect(play, "tcp.no-answer", play_latest(play));
    play_wait(play, SECOND);
    play_call_again(play);
}

/* A client that gives up soon does not repeat its SYN; the capture continues for 3 s. */
void attempt_no_answer_once(struct play *play)
{
    play_call(play, 30004);
    expect(play, "tcp.no-answer", play_latest(play));
    play_wait(play, 3 * SECOND);
    other_stream(play);
}

/* Every five seconds from another port, as drivers do. */
void attempt_no_answer_for_ever(struct play *play)
{
    expect(play, "tcp.no-answer", 0);
    for (int i = 0; i < 100; i++) {
        play_call(play, 30004);
        play_wait(play, SECOND);
        play_call_again(play);
        play_wait(play, 4 * SECOND);
    }
    other_stream(play);
}

/* It answers after seven seconds. */
void attempt_no_answer_then_connected(struct play *play)
{
    expect(play, "tcp.no-answer", 0);
    call_in_vain(play, 30003);
    play_accept(play);
    play_realtime_data(play, 1108, 100);
}

/* ---- accepted, then nothing ---------------------------------------------------------------------------------------
 */

/* The robot closes at once, again and again: one finding, at the first end. */
void attempt_closed_by_robot(struct play *play)
{
    for (int i = 0; i < 5; i++) {
        play_connect(play, 30003);
        if (i == 0)
            expect(play, "tcp.no-data", play->wire.count);
        play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_FIN);
        play_wait(play, SECOND);
    }
}

/* The robot accepts the connection and resets it at once. */
void attempt_reset_by_robot(struct play *play)
{
    play_connect(play, 30003);
    expect(play, "tcp.reset", play->wire.count);
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_RESET);
    other_stream(play);
}

/* The client requests nothing, and closes after a while. */
void attempt_silent(struct play *play)
{
    play_connect(play, 30003);
    play_wait(play, 3 * SECOND);
    expect(play, "tcp.no-data", play->wire.count);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* On RTDE's port, where it must. */
void attempt_mute(struct play *play)
{
    play_connect(play, 30004);
    play_wait(play, 3 * SECOND);
    expect(play, "protocol.wrong-port", play->wire.count);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* ---- ordinary traffic -------------------------------------------------------------------------------------------- */

/* One SYN was lost; so was one of the answers. */
void attempt_syn_lost(struct play *play)
{
    for (int i = 0; i < 2; i++) {
        play_call(play, 30003);
        play_wait(play, SECOND);
        play_call_again(play);
        play_accept(play);
        play_realtime_data(play, 1108, 100);
    }
}

/* The capture ends less than 3 s after a SYN. */
void attempt_at_the_end(struct play *play)
{
    play_call(play, 30004);
    play_wait(play, 2 * SECOND);
    other_stream(play);
    play_call(play, 30004);
}

/* The answer was not captured, but the client continues. */
void attempt_answer_not_captured(struct play *play)
{
    play_connect(play, 30003);
    play_drop(play, 1);
    play_wait(play, 5 * SECOND);
    play_realtime_data(play, 1108, 100);
}

/* A program that only checks whether the port is open. */
void attempt_probe(struct play *play)
{
    play_connect(play, 30004);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    other_stream(play);
}

/* A mirror port shows every packet twice. */
void attempt_copied(struct play *play)
{
    play_call(play, 30003);
    play_repeat(play, 0, 1000);
    play_accept(play);
    play_wait(play, 4 * SECOND);
    play_realtime_data(play, 1108, 100);
}

/* No telemetry is expected on these ports. */
void attempt_other_ports(struct play *play)
{
    call_and_refuse(play, 8080);
    call_in_vain(play, 443);
    play_wait(play, 4 * SECOND);
    other_stream(play);
}

/* The capture's clock is set forward by an hour between SYN and answer. */
void attempt_clock_set(struct play *play)
{
    play_call(play, 30003);
    play_wait(play, 3600 * SECOND);
    play->connection.now += 3600 * SECOND;
    play_accept(play);
    play_realtime_data(play, 1108, 100);
}

/* A RST that acknowledges something else belongs to an older connection. */
void attempt_stray_reset(struct play *play)
{
    play_call(play, 30004);
    play->connection.end[ARMTAP_FROM_ROBOT].received += 77777;
    play_refuse(play);
    play_wait(play, 4 * SECOND);
    other_stream(play);
}
