/* AUBO's cases: a channel of data with the controller's clock, and other channels, over TCP and over a WebSocket. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nanoseconds.h"

enum { TCP_PORT = 30010, WEB_PORT = 9013, TEXT_FRAME = 0x81, LENGTH_IN_TWO = 126, MESSAGE_MOST = 65536 };

#define JOINTS "[0.0,-0.25,1.5,0.25,1.5,0.0]"
#define CLOCK_AND_JOINTS "\"timestamp\",\"R1_actual_q\""

/* ---- what goes over the wire ----------------------------------------------------------------------------------- */

static bool is_web(const struct play *play)
{
    return play->connection.end[ARMTAP_FROM_ROBOT].port == WEB_PORT;
}

/* A text as one frame; the client's is masked with zeros. */
static size_t frame_of(uint8_t *frame, enum armtap_direction sender, const char *text, size_t length)
{
    uint8_t masked = sender == ARMTAP_TO_ROBOT ? 0x80 : 0;
    size_t at = 0;
    frame[at++] = TEXT_FRAME;
    frame[at++] = (uint8_t)(masked | (length < LENGTH_IN_TWO ? length : LENGTH_IN_TWO));
    if (length >= LENGTH_IN_TWO) {
        frame[at++] = (uint8_t)(length >> 8);
        frame[at++] = (uint8_t)length;
    }
    memset(frame + at, 0, masked ? 4 : 0);
    at += masked ? 4 : 0;
    memcpy(frame + at, text, length);
    return at + length;
}

static void say(struct play *play, enum armtap_direction sender, const char *text)
{
    uint8_t frame[4096];
    if (is_web(play))
        play_bytes(play, sender, frame, frame_of(frame, sender, text, strlen(text)));
    else
        play_bytes(play, sender, text, strlen(text));
}

static void set_up(struct play *play, int channel, double frequency, const char *segments, bool to_server)
{
    char text[1024];
    snprintf(text, sizeof text,
             "[100,{\"chanel\":%d,\"frequency\":%.1f,\"segments\":[%s],\"to_server\":%s,\"trigger\":0}]", channel,
             frequency, segments, to_server ? "true" : "false");
    say(play, ARMTAP_TO_ROBOT, text);
}

static void subscribe(struct play *play, int channel, double frequency, const char *segments)
{
    set_up(play, channel, frequency, segments, false);
}

static void unsubscribe(struct play *play, int channel)
{
    set_up(play, channel, 0, "", false);
}

/* A message on a channel: the clock, then the given values. Time does not advance. */
static void message(struct play *play, int channel, const char *others)
{
    char text[1024];
    snprintf(text, sizeof text, "[%d,%.3f%s%s]", channel, play->state->timestamp, *others ? "," : "", others);
    say(play, ARMTAP_FROM_ROBOT, text);
}

/* `count` messages of channel 0, one step apart. */
static void data(struct play *play, unsigned count)
{
    while (count-- > 0) {
        message(play, 0, JOINTS);
        play_wait(play, play->step);
    }
}

static void stream(struct play *play, uint16_t port)
{
    static const char request[] =
        "GET / HTTP/1.1\r\nHost: 10.0.0.2:9013\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    play_connect(play, port);
    if (port == WEB_PORT) {
        play_bytes(play, ARMTAP_TO_ROBOT, request, sizeof request - 1);
        play_bytes(play, ARMTAP_FROM_ROBOT, answer, sizeof answer - 1);
    }
    play->step = 20 * MILLISECOND;
    subscribe(play, 0, 50, CLOCK_AND_JOINTS);
}

static void expect_last(struct play *play, const char *id)
{
    play_expect(play, id, play_last(play, ARMTAP_FROM_ROBOT));
}

/* ---- what is wrong --------------------------------------------------------------------------------------------- */

/* Instead of a message, so that no clock step is missing. */
void aubo_message_bad(struct play *play)
{
    stream(play, TCP_PORT);
    data(play, 100);
    say(play, ARMTAP_FROM_ROBOT, "[0,nul,[1,2,3,4,5,6]]");
    expect_last(play, "aubo.message.bad");
    play_wait(play, play->step);
    data(play, 100);
}

void aubo_set_up_bad(struct play *play)
{
    stream(play, TCP_PORT);
    data(play, 20);
    say(play, ARMTAP_TO_ROBOT,
        "[100,{\"chanel\":100,\"frequency\":1.0,\"segments\":[\"timestamp\"],\"to_server\":false}]");
    play_expect(play, "aubo.message.bad", play_last(play, ARMTAP_TO_ROBOT));
    data(play, 100);
}

/* Detected at the last byte that a message may have. */
void aubo_message_too_long(struct play *play)
{
    enum { LENGTH = 70000 };
    char *text = malloc(LENGTH + 1);
    size_t at, sent = 0, length;
    stream(play, TCP_PORT);
    data(play, 100);
    at = play_latest(play);
    if (!text) {
        play->failed = true;
        return;
    }
    memset(text, 'x', LENGTH);
    memcpy(text, "[0,\"", 4);
    memcpy(text + LENGTH - 2, "\"]", 3);
    play_bytes(play, ARMTAP_FROM_ROBOT, text, LENGTH);
    free(text);
    while (sent < MESSAGE_MOST) {
        at = play_next(play, at, ARMTAP_FROM_ROBOT);
        play_payload(play, at, &length);
        sent += length;
    }
    play_expect(play, "aubo.message.too-long", at);
    play_wait(play, play->step);
    data(play, 100);
}

void aubo_channel_unknown(struct play *play)
{
    stream(play, TCP_PORT);
    data(play, 20);
    say(play, ARMTAP_FROM_ROBOT, "[3,1.5,true]");
    expect_last(play, "aubo.channel.unknown");
    data(play, 40);
    say(play, ARMTAP_FROM_ROBOT, "[3,2.5,true]");
    data(play, 40);
}

void aubo_values_count(struct play *play)
{
    stream(play, TCP_PORT);
    data(play, 100);
    message(play, 0, JOINTS ",7");
    expect_last(play, "aubo.values.count");
    play_wait(play, play->step);
    data(play, 100);
}

void aubo_websocket_bad(struct play *play)
{
    stream(play, WEB_PORT);
    data(play, 100);
    say(play, ARMTAP_FROM_ROBOT, "[0,\"\xff\"]"); /* not UTF-8 */
    expect_last(play, "websocket.bad");
    play_wait(play, play->step);
    data(play, 100);
}

/* The rest cannot be read, but that is not silence. */
void aubo_websocket_gap(struct play *play)
{
    stream(play, WEB_PORT);
    data(play, 100);
    play_drop(play, play_last(play, ARMTAP_FROM_ROBOT));
    data(play, 1);
    expect_last(play, "stream.gap");
    expect_last(play, "websocket.bad");
    data(play, 300);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* A slow channel continues while the fast one is silent. */
void aubo_silence(struct play *play)
{
    stream(play, TCP_PORT);
    subscribe(play, 5, 1, "\"timestamp\"");
    data(play, 50);
    for (int i = 0; i < 4; i++) {
        message(play, 5, "");
        play_wait(play, SECOND);
    }
    data(play, 1);
    expect_last(play, "silence");
    expect_last(play, "clock.skipped");
    play_wait(play, -play->step);
    message(play, 5, "");
    data(play, 50);
}

void aubo_silence_from_subscription(struct play *play)
{
    stream(play, TCP_PORT);
    data(play, 20);
    subscribe(play, 7, 10, "\"timestamp\",\"R1_message\"");
    data(play, 200);
    unsubscribe(play, 7);
    play_expect(play, "silence", play_last(play, ARMTAP_TO_ROBOT));
    data(play, 20);
}

/* One of two channels sends every 40 ms. */
void aubo_rate_low(struct play *play)
{
    stream(play, TCP_PORT);
    subscribe(play, 1, 50, "\"timestamp\"");
    size_t last = 0;
    for (int i = 0; i < 100; i++) {
        message(play, 1, "");
        last = play_last(play, ARMTAP_FROM_ROBOT);
        data(play, 2);
    }
    unsubscribe(play, 0);
    unsubscribe(play, 1);
    play_expect(play, "rate.low", last);
    play_wait(play, 5 * SECOND);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* Both channels carry the clock, and one of them shows that it went back. */
void aubo_clock_backwards(struct play *play)
{
    stream(play, TCP_PORT);
    subscribe(play, 1, 50, "\"timestamp\"");
    for (int i = 0; i < 200; i++) {
        if (i == 100)
            play->state->timestamp = 3;
        message(play, 1, "");
        if (i == 100)
            expect_last(play, "clock.backwards");
        data(play, 1);
    }
}

/* R2 stops; R1 continues. Names from one controller, numbers from the other. */
static void stop_of(struct play *play, const char *before, const char *after)
{
    char modes[200];
    play_connect(play, TCP_PORT);
    play->step = 20 * MILLISECOND;
    subscribe(play, 0, 50, "\"timestamp\",\"R1_safety_mode\",\"R2_safety_mode\",\"runtime_state\"");
    for (int i = 0; i < 60; i++) {
        snprintf(modes, sizeof modes, "%s,%s,%s", before, i < 30 ? before : after,
                 i < 40 ? "\"Running\"" : "\"Stopped\"");
        message(play, 0, modes);
        if (i == 30) {
            expect_last(play, "safety.stop");
            expect_last(play, "mode.changed");
        }
        if (i == 40)
            expect_last(play, "mode.changed");
        play_wait(play, play->step);
    }
}

void aubo_safety_stop(struct play *play)
{
    stop_of(play, "\"Normal\"", "\"ProtectiveStop\"");
}

void aubo_safety_stop_number(struct play *play)
{
    stop_of(play, "1", "7");
}

/* R1 begins in a stop, R2 goes into a fault; another connection shows the same states. */
void aubo_safety_state(struct play *play)
{
    for (int k = 0; k < 2; k++) {
        play_connect(play, TCP_PORT);
        play->step = 20 * MILLISECOND;
        subscribe(play, 0, 50, "\"timestamp\",\"R1_safety_mode\",\"R2_safety_mode\",\"R2_robot_mode\"");
        for (int i = 0; i < 20; i++) {
            message(play, 0,
                    k == 0 && i < 10 ? "\"SafeguardStop\",\"Normal\",\"Running\""
                                     : "\"SafeguardStop\",\"Fault\",\"Error\"");
            if (k == 0 && i % 10 == 0)
                expect_last(play, "safety.state");
            if (k == 0 && i == 10) {
                expect_last(play, "mode.changed");
                expect_last(play, "mode.changed");
            }
            play_wait(play, play->step);
        }
    }
}

/* ---- ordinary traffic -------------------------------------------------------------------------------------------- */

/* Two channels from the robot, one of them without the clock, and one to the robot with the same number. */
void aubo_channels(struct play *play)
{
    stream(play, TCP_PORT);
    subscribe(play, 1, 10, "\"R1_actual_TCP_force\",\"R1_robot_mode\"");
    set_up(play, 1, 1, "\"input_float_registers_0\"", true);
    for (int i = 0; i < 60; i++) {
        say(play, ARMTAP_FROM_ROBOT, "[1,[0,0,0,0,0,0],\"Running\"]");
        if (i % 7 == 0)
            say(play, ARMTAP_TO_ROBOT, "[1,3.1]");
        data(play, 5);
    }
    unsubscribe(play, 1);
    say(play, ARMTAP_FROM_ROBOT, "[1,[0,0,0,0,0,0],\"Running\"]"); /* already under way */
    data(play, 200);
    unsubscribe(play, 0);
    play_wait(play, 10 * SECOND);
    subscribe(play, 0, 50, CLOCK_AND_JOINTS);
    data(play, 100);
    unsubscribe(play, 0);
    play_wait(play, 5 * SECOND);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* Messages come in bunches, several in a packet; some 15 ms late. */
void aubo_bunches(struct play *play)
{
    char text[2048];
    stream(play, TCP_PORT);
    for (int i = 0; i < 100; i++) {
        size_t length = 0;
        for (int k = 0; k < 1 + i % 4; k++) {
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "[0,%.3f,%s]", play->state->timestamp, JOINTS);
            play_wait(play, play->step);
        }
        play->time += i % 3 == 0 ? 15 * MILLISECOND : 0;
        say(play, ARMTAP_FROM_ROBOT, text);
        play->time -= i % 3 == 0 ? 15 * MILLISECOND : 0;
    }
}

/* Set up again with the same topics while data is coming: an old message was under way. */
void aubo_set_up_again(struct play *play)
{
    stream(play, TCP_PORT);
    play->step = SECOND;
    subscribe(play, 0, 1, CLOCK_AND_JOINTS);
    data(play, 5);
    subscribe(play, 0, 50, CLOCK_AND_JOINTS);
    message(play, 0, JOINTS);
    play_wait(play, 90 * MILLISECOND);
    play->step = 20 * MILLISECOND;
    data(play, 100);
}

/* 60 Hz are requested; a controller with cycles of 5 ms sends every 20 or every 15 ms. */
void aubo_rounds(struct play *play)
{
    play_connect(play, TCP_PORT);
    subscribe(play, 0, 60, CLOCK_AND_JOINTS);
    play->step = 20 * MILLISECOND;
    data(play, 200);
    unsubscribe(play, 0);
    play_wait(play, SECOND);
    subscribe(play, 0, 60, CLOCK_AND_JOINTS);
    play->step = 15 * MILLISECOND;
    data(play, 200);
}

/* A message every five seconds was requested; another channel's rate is unknown. */
void aubo_slow(struct play *play)
{
    stream(play, TCP_PORT);
    play->step = 5 * SECOND;
    subscribe(play, 0, 0.2, CLOCK_AND_JOINTS);
    data(play, 10);
}

/* A WebSocket with pings and a proper close. */
void aubo_web(struct play *play)
{
    static const uint8_t ping[] = {0x89, 2, 'h', 'i'}, pong[] = {0x8a, 0x82, 0, 0, 0, 0, 'h', 'i'};
    static const uint8_t close[] = {0x88, 0x82, 0, 0, 0, 0, 3, 0xe8}, closed[] = {0x88, 2, 3, 0xe8};
    stream(play, WEB_PORT);
    for (int i = 0; i < 10; i++) {
        data(play, 20);
        play_bytes(play, ARMTAP_FROM_ROBOT, ping, sizeof ping);
        play_bytes(play, ARMTAP_TO_ROBOT, pong, sizeof pong);
    }
    unsubscribe(play, 0);
    play_wait(play, 5 * SECOND);
    play_bytes(play, ARMTAP_TO_ROBOT, close, sizeof close);
    play_bytes(play, ARMTAP_FROM_ROBOT, closed, sizeof closed);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}

/* The modes of two arms differ, and no mode changes; one channel carries both arms' modes, another the second arm's. */
void aubo_arms(struct play *play)
{
    stream(play, TCP_PORT);
    subscribe(play, 1, 50, "\"timestamp\",\"R1_robot_mode\",\"R2_robot_mode\",\"R2_safety_mode\",\"runtime_state\"");
    subscribe(play, 2, 50, "\"timestamp\",\"R2_safety_mode\",\"runtime_state\"");
    for (int i = 0; i < 100; i++) {
        message(play, 1, "\"Running\",\"Idle\",\"ReducedMode\",\"Stopped\"");
        message(play, 2, "\"ReducedMode\",\"Stopped\"");
        data(play, 1);
    }
}
