/* Ordinary traffic: none of it is a warning or an error. */
#include "cases.h"

#include <string.h>

#include "nanoseconds.h"

#define CLOCK_AND_JOINTS "timestamp,actual_q"

static void pause_and_go_on(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 200);
    play_pause(play);
    play_wait(play, 5 * SECOND);
    play_start(play);
    play_data(play, 200);
    play_pause(play);
    play_wait(play, 3 * SECOND);
    play_set_up(play, 25, "timestamp,actual_q,actual_qd", NULL);
    play_wait(play, 3 * SECOND);
    play_start(play);
    play->step = 40 * MILLISECOND;
    play_data(play, 60);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* One package was under way when the client asked to pause. */
static void late_package(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 200);
    play_pause(play);
    play_data(play, 1);
    play_wait(play, 5 * SECOND);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

static void set_up_twice(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_set_up(play, 62.5, CLOCK_AND_JOINTS, NULL);
    play_wait(play, 3 * SECOND);
    play_start(play);
    play->step = 16 * MILLISECOND;
    play_data(play, 100);
}

/* 200 Hz of 500 is every second cycle. */
static void whole_cycles(struct play *play)
{
    play_stream(play, 200, CLOCK_AND_JOINTS);
    play->step = 4 * MILLISECOND;
    play_data(play, 600);
}

/* Without the controller's version; 50 Hz are 20 ms on one kind of controller, 16 ms on the other. */
static void unknown_version(struct play *play)
{
    play_connect(play, 30004);
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .version = 2});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .accepted = 1});
    play->protocol = 2;
    play_set_up(play, 50, CLOCK_AND_JOINTS, NULL);
    play_start(play);
    play->step = 16 * MILLISECOND;
    play_data(play, 200);
}

/* A package every two and a half seconds was requested. */
static void slow(struct play *play)
{
    play_stream(play, 0.4, CLOCK_AND_JOINTS);
    play->step = 2500 * MILLISECOND;
    play_data(play, 12);
}

static void protocol_1(struct play *play)
{
    play_connect(play, 30004);
    play_set_up(play, 0, CLOCK_AND_JOINTS, NULL);
    play_start(play);
    play_data(play, 200);
}

/* The network stalls, then everything arrives at once. */
static void stall(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    for (int i = 0; i < 3; i++) {
        play_data(play, 100);
        play_stall(play, 3 * SECOND / 2);
    }
    play_data(play, 100);
}

/* The capturing machine sets its clock. */
static void clock_set(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 300);
    play->time += 3 * SECOND / 2;
    play_data(play, 300);
}

/* The capture ends while the network is stalling. */
static void late_end(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 130);
    play->time += 90 * MILLISECOND;
    play_data(play, 1);
}

static void fast_clock(struct play *play)
{
    play->fast = 250e-6;
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 1250);
}

/* A program that quits while data is coming: its machine answers later data with a reset. */
static void quits(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    play_drop(play, play_latest(play));
    play_drop(play, play_latest(play));
    play->connection.end[ARMTAP_FROM_ROBOT].sequence--; /* undo its FIN */
    play_data(play, 1);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_RESET);
}

/* The robot closes once no data is due: after PAUSE, or when the client has closed. */
static void robot_closes(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_pause(play);
    play_wait(play, 5 * SECOND);
    play_close(play, ARMTAP_FROM_ROBOT, WIRE_CLOSE_FIN);
    play_realtime(play, 1108);
    play_data(play, 50);
    play_wait(play, 19 * SECOND / 10);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* The clock is 0 while the controller boots, then jumps to its value. */
static void boots(struct play *play)
{
    play_realtime(play, 1108);
    play->state->timestamp = 0;
    for (int i = 0; i < 50; i++) {
        play_data(play, 1);
        play->state->timestamp = 0;
    }
    play->state->timestamp = 30;
    play_data(play, 200);
}

static void no_clock(struct play *play)
{
    play_stream(play, 125, "actual_q,actual_qd");
    play_data(play, 300);
}

static void comes_back(struct play *play)
{
    for (int i = 0; i < 3; i++) {
        play_stream(play, 125, CLOCK_AND_JOINTS);
        play_data(play, 60);
        play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
        play_wait(play, 4 * SECOND);
    }
}

static void keep_alive(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 50);
    play_pause(play);
    for (int i = 0; i < 3; i++) {
        play_wait(play, 10 * SECOND);
        struct wire_end *end = &play->connection.end[ARMTAP_TO_ROBOT];
        end->sequence--;
        play_bytes(play, ARMTAP_TO_ROBOT, "", 1);
    }
}

/* A mirror port shows every packet twice. */
static void mirror(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    for (int i = 0; i < 100; i++) {
        play_data(play, 1);
        play_repeat(play, play_latest(play), 2 * MICROSECOND);
    }
}

/* A receive window that shrinks until the client reads everything. */
static void window_closing(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    uint16_t *window = &play->connection.end[ARMTAP_TO_ROBOT].window, all = *window;
    while (*window > 8) {
        *window /= 2;
        play_data(play, 20);
    }
    *window = all;
    play_data(play, 50);
}

/* Room for 128 bytes, but a package has 156: nobody waits for data between PAUSE and START. */
static void window_small_in_pause(struct play *play)
{
    static const uint8_t question[3] = {0, 3, 'v'};
    play_stream(play, 125, "timestamp,actual_q,actual_qd,target_q");
    uint16_t *window = &play->connection.end[ARMTAP_TO_ROBOT].window, all = *window;
    play_data(play, 20);
    for (int i = 0; i < 2; i++) {
        play_pause(play);
        *window = 1;
        play_bytes(play, ARMTAP_TO_ROBOT, question, sizeof question);
        play_wait(play, 5 * SECOND);
        *window = all;
        if (i == 0) {
            play_start(play);
            play_data(play, 20);
        }
    }
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* No stop, violation or fault, and a mode that the sender left empty. */
static void other_safety_modes(struct play *play)
{
    static const int modes[] = {0, 1, 2, 4, 1};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        play->state->safety_mode = play->state->safety_status = modes[i];
        if (i == 0)
            play_stream(play, 125, "timestamp,safety_mode,safety_status");
        play_data(play, 20);
    }
}

/* Normal, reduced and recovery mode, and the enabling device. */
static void other_safety_bits(struct play *play)
{
    static const uint32_t bits[] = {0x001, 0x003, 0x008, 0x801, 0x001};
    play_stream(play, 125, "timestamp,safety_status_bits");
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        play->state->safety_status_bits = bits[i];
        play_data(play, 20);
    }
}

/* 119.4 of 125 Hz are 95.5 %. */
static void rate_nearly_low(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play->step = 8377 * MICROSECOND;
    play_data(play, 400);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* One package a second: 2.8 seconds without one are not long at this rate. */
static void slow_stream(struct play *play)
{
    play_stream(play, 1, CLOCK_AND_JOINTS);
    play->step = SECOND;
    play_data(play, 12);
    play->time += 1800 * MILLISECOND;
    play_data(play, 13);
}

/* At most as many packages as can be under way when a client asks to pause. */
static void late_packages(struct play *play)
{
    play_stream(play, 125, CLOCK_AND_JOINTS);
    play_data(play, 200);
    play_pause(play);
    play_data(play, 15);
    play_wait(play, 5 * SECOND);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* A network card with several queues captures the reply before its request. */
static void reply_before_request(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    size_t before = play_latest(play);
    play_set_up(play, 125, CLOCK_AND_JOINTS, NULL);
    size_t request = play_next(play, before, ARMTAP_TO_ROBOT), reply = play_next(play, before, ARMTAP_FROM_ROBOT);
    play_swap(play, request, reply);
    play->wire.packets[reply].time = play->wire.packets[request].time + 49 * MILLISECOND;
    play->connection.now = play->wire.packets[reply].time;
    play_start(play);
    play_data(play, 50);
}

/* The client requests a protocol that the controller lacks, then a lower one. */
static void lower_version(struct play *play)
{
    play_connect(play, 30004);
    play_ask(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .version = 3});
    play_reply(play, (struct armtap_rtde_package){.type = ARMTAP_RTDE_VERSION, .accepted = 0});
    play_greet(play, 5);
    play_set_up(play, 125, CLOCK_AND_JOINTS, NULL);
    play_start(play);
    play_data(play, 20);
}

const struct fault_case ordinary_cases[] = {
    {"aubo-arms", aubo_arms},
    {"aubo-bunches", aubo_bunches},
    {"aubo-channels", aubo_channels},
    {"aubo-rounds", aubo_rounds},
    {"aubo-set-up-again", aubo_set_up_again},
    {"aubo-slow", aubo_slow},
    {"aubo-web", aubo_web},
    {"boots", boots},
    {"other-safety-modes", other_safety_modes},
    {"other-safety-bits", other_safety_bits},
    {"clock-set", clock_set},
    {"comes-back", comes_back},
    {"fast-clock", fast_clock},
    {"rate-nearly-low", rate_nearly_low},
    {"slow-stream", slow_stream},
    {"late-packages", late_packages},
    {"reply-before-request", reply_before_request},
    {"keep-alive", keep_alive},
    {"late-end", late_end},
    {"late-package", late_package},
    {"lower-version", lower_version},
    {"mirror", mirror},
    {"no-clock", no_clock},
    {"pause-and-go-on", pause_and_go_on},
    {"primary-program", primary_program},
    {"commands", control_ordinary},
    {"commands-of-ur-rtde", mailbox_ordinary},
    {"protocol-1", protocol_1},
    {"quits", quits},
    {"robot-closes", robot_closes},
    {"set-up-twice", set_up_twice},
    {"slow", slow},
    {"stall", stall},
    {"unknown-version", unknown_version},
    {"whole-cycles", whole_cycles},
    {"window-closing", window_closing},
    {"window-small-in-pause", window_small_in_pause},
    {"attempt-syn-lost", attempt_syn_lost},
    {"attempt-at-the-end", attempt_at_the_end},
    {"attempt-answer-not-captured", attempt_answer_not_captured},
    {"attempt-probe", attempt_probe},
    {"attempt-copied", attempt_copied},
    {"attempt-other-ports", attempt_other_ports},
    {"attempt-stray-reset", attempt_stray_reset},
    {"attempt-clock-set", attempt_clock_set},
    {NULL, NULL},
};
