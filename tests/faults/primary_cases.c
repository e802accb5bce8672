/* The primary interface's cases: a state every 96 ms, and messages. */
#include "cases.h"

#include <string.h>

#include "nanoseconds.h"

#define EVERY (96 * MILLISECOND)
#define NO_CLOCK UINT64_MAX

enum {
    PORT = 30001,
    STATE = 16,
    ROBOT_MESSAGE = 20,
    SAYS_TEXT = 0,
    SAYS_POPUP = 2,
    SAYS_MODE = 5,
    SAYS_ERROR = 6,
    SAYS_PROGRAM = 7,
    SAYS_VALUE = 9,
    SAYS_EXCEPTION = 10
};
enum {
    MODE = 0,
    JOINTS = 1,
    MASTERBOARD = 3,
    MODE_SIZE = 47,
    MODE_SIZE_CB2 = 29,
    JOINTS_SIZE = 251,
    MASTERBOARD_SIZE = 75
};
enum { SAFETY_MODE = 65, NORMAL = 1, PROTECTIVE_STOP = 3, RUNNING = 7 }; /* where it is in MasterboardData; modes */

/* A message, big-endian. */
struct message {
    uint8_t bytes[1024];
    size_t length;
};

static void put(struct message *message, uint64_t number, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        message->bytes[message->length++] = (uint8_t)(number >> 8 * (width - 1 - i));
}

static void put_text(struct message *message, const char *text)
{
    memcpy(message->bytes + message->length, text, strlen(text));
    message->length += strlen(text);
}

/* Sends it, with its length. */
static void send(struct play *play, struct message *message)
{
    message->bytes[2] = (uint8_t)(message->length >> 8);
    message->bytes[3] = (uint8_t)message->length;
    play_bytes(play, ARMTAP_FROM_ROBOT, message->bytes, message->length);
}

static uint64_t clock_of(const struct play *play)
{
    return (uint64_t)(play->time / MICROSECOND) % UINT64_C(100000000000);
}

static struct message robot_message(uint64_t clock, int source, unsigned type)
{
    struct message message = {.length = 4};
    put(&message, ROBOT_MESSAGE, 1);
    put(&message, clock, 8);
    put(&message, (uint8_t)source, 1);
    put(&message, type, 1);
    return message;
}

static void say_version(struct play *play)
{
    struct message message = robot_message(NO_CLOCK, -2, 3);
    put(&message, 9, 1);
    put_text(&message, "URControl");
    put(&message, 5, 1);
    put(&message, 9, 1);
    put(&message, 4, 4);
    put(&message, 0, 4);
    put_text(&message, "03-05-2019, 06:39:00");
    send(play, &message);
}

static void begin_part(struct message *message, unsigned type, size_t size)
{
    put(message, size, 4);
    put(message, type, 1);
}

/* The parts that every state has; a mode with `more` bytes than documented. */
static struct message state_of(const struct play *play, unsigned safety_mode, unsigned more)
{
    struct message message = {.length = 4};
    put(&message, STATE, 1);
    begin_part(&message, MODE, MODE_SIZE + more);
    put(&message, clock_of(play), 8);
    put(&message, 0x01010100, 4);
    put(&message, (uint64_t)(safety_mode == PROTECTIVE_STOP) << 24 | 0x10000 | RUNNING, 4); /* a program runs */
    put(&message, 0, 1);
    message.length += 3 * 8 + 1 + more;
    begin_part(&message, JOINTS, JOINTS_SIZE);
    message.length += JOINTS_SIZE - 5;
    size_t masterboard = message.length;
    begin_part(&message, MASTERBOARD, MASTERBOARD_SIZE);
    message.length += MASTERBOARD_SIZE - 5;
    message.bytes[masterboard + SAFETY_MODE] = (uint8_t)safety_mode;
    return message;
}

static void send_state(struct play *play, struct message *state)
{
    send(play, state);
    play_wait(play, EVERY);
}

static void states(struct play *play, unsigned count, unsigned safety_mode)
{
    while (count-- > 0) {
        struct message state = state_of(play, safety_mode, 0);
        send_state(play, &state);
    }
}

static void connect(struct play *play)
{
    play_connect(play, PORT);
    say_version(play);
    states(play, 12, NORMAL);
}

static void expect_last(struct play *play, const char *id)
{
    play_expect(play, id, play_last(play, ARMTAP_FROM_ROBOT));
}

/* ---- messages that are not as documented ----------------------------------------------------------------------- */

/* Newer software: each kind is named once. */
void primary_longer(struct play *play)
{
    connect(play);
    for (unsigned i = 0; i < 5; i++) {
        struct message state = state_of(play, NORMAL, 4);
        send_state(play, &state);
        if (i == 0)
            expect_last(play, "primary.longer");
    }
    states(play, 5, NORMAL);
}

void primary_unknown_message(struct play *play)
{
    connect(play);
    for (unsigned i = 0; i < 3; i++) {
        struct message message = {.length = 4};
        put(&message, 41, 1);
        put(&message, 1, 8);
        send(play, &message);
        expect_last(play, "primary.unknown");
        message = robot_message(clock_of(play), -3, 29);
        put_text(&message, "what?");
        send(play, &message);
        expect_last(play, "primary.unknown");
        states(play, 3, NORMAL);
    }
}

void primary_unknown_part(struct play *play)
{
    connect(play);
    for (unsigned i = 0; i < 3; i++) {
        struct message state = state_of(play, NORMAL, 0);
        begin_part(&state, 28, 9);
        put(&state, 5, 4);
        send_state(play, &state);
        expect_last(play, "primary.unknown");
    }
    states(play, 5, NORMAL);
}

/* A title that is longer than its message. */
void primary_message_cut(struct play *play)
{
    connect(play);
    struct message message = robot_message(clock_of(play), -3, SAYS_PROGRAM);
    put(&message, 0, 8);
    put(&message, 19, 1);
    put_text(&message, "PROGRAM_XXX");
    send(play, &message);
    expect_last(play, "primary.message.bad");
    states(play, 5, NORMAL);
}

/* A part that is longer than its state. */
void primary_state_bad(struct play *play)
{
    connect(play);
    struct message state = state_of(play, NORMAL, 0);
    state.bytes[5 + MODE_SIZE + JOINTS_SIZE + 3] = MASTERBOARD_SIZE + 1;
    send_state(play, &state);
    expect_last(play, "primary.message.bad");
    states(play, 5, NORMAL);
}

/* ---- what happens to the robot and its stream ------------------------------------------------------------------ */

static void say(struct play *play, int source, unsigned type, const char *text)
{
    struct message message = robot_message(clock_of(play), source, type);
    put_text(&message, text);
    send(play, &message);
}

static void report(struct play *play, unsigned code, unsigned argument, unsigned level)
{
    struct message error = robot_message(clock_of(play), -3, SAYS_ERROR);
    put(&error, code, 4);
    put(&error, argument, 4);
    put(&error, level, 4);
    put(&error, 1, 4);
    put(&error, 0, 4);
    send(play, &error);
}

/* Levels 0 to 5, and those for developers. */
void primary_errors(struct play *play)
{
    static const char *const ids[] = {"ur.message", "ur.message", "ur.warning", "ur.error", "ur.error", "ur.error"};
    connect(play);
    for (unsigned level = 0; level < 2 * sizeof ids / sizeof *ids; level++) {
        report(play, 204, 3, level % 6 + (level < 6 ? 0 : 128));
        expect_last(play, ids[level % 6]);
        states(play, 1, NORMAL);
    }
}

void primary_warning(struct play *play)
{
    connect(play);
    report(play, 100, 7, 2);
    expect_last(play, "ur.warning");
    states(play, 5, NORMAL);
}

void primary_exception(struct play *play)
{
    connect(play);
    struct message message = robot_message(clock_of(play), -3, SAYS_EXCEPTION);
    put(&message, 2, 4);
    put(&message, 7, 4);
    put_text(&message, "compile_error_name_not_found:txtmsg:");
    send(play, &message);
    expect_last(play, "ur.exception");
    states(play, 5, NORMAL);
}

static void say_program(struct play *play, const char *title, const char *name)
{
    struct message message = robot_message(clock_of(play), -3, SAYS_PROGRAM);
    put(&message, 0, 8);
    put(&message, strlen(title), 1);
    put_text(&message, title);
    put_text(&message, name);
    send(play, &message);
}

/* What is said to people. */
void primary_words(struct play *play)
{
    connect(play);
    say(play, -3, SAYS_TEXT, "done");
    expect_last(play, "ur.message");
    struct message message = robot_message(clock_of(play), -3, SAYS_POPUP);
    put(&message, 7, 4);
    put(&message, 8, 4);
    put(&message, 0x000101, 3); /* an error that blocks */
    put(&message, 6, 1);
    put_text(&message, "Feederempty");
    send(play, &message);
    expect_last(play, "ur.popup");
    message = robot_message(clock_of(play), -3, SAYS_VALUE);
    put(&message, 7, 4);
    put(&message, 2, 4);
    put_text(&message, "how many?");
    send(play, &message);
    expect_last(play, "ur.popup");
    say_program(play, "PROGRAM_XXX_PAUSED", "f");
    expect_last(play, "ur.program");
    say_program(play, "SECONDARY_PROGRAM_EXCEPTION_XXX", "Type error");
    expect_last(play, "ur.exception");
    message = robot_message(clock_of(play), -3, SAYS_MODE);
    put(&message, 0, 8);
    put(&message, NORMAL, 1);
    put(&message, 0, 8);
    send(play, &message);
    expect_last(play, "ur.safety");
    states(play, 5, NORMAL);
}

void primary_safety_stop(struct play *play)
{
    connect(play);
    report(play, 153, 2, 3);
    expect_last(play, "ur.error");
    states(play, 1, PROTECTIVE_STOP);
    expect_last(play, "safety.stop");
    expect_last(play, "mode.changed");
    states(play, 10, PROTECTIVE_STOP);
}

/* CB2's state names no safety mode, and its robot mode has other numbers: 0 is RUNNING. */
static void states_of_cb2(struct play *play, unsigned count, unsigned robot_mode)
{
    while (count-- > 0) {
        struct message state = {.length = 4};
        put(&state, STATE, 1);
        begin_part(&state, MODE, MODE_SIZE_CB2);
        put(&state, clock_of(play), 8);
        put(&state, 0x01010100000100, 7); /* a program runs */
        put(&state, robot_mode, 1);
        put(&state, UINT64_C(0x3ff0000000000000), 8);
        begin_part(&state, JOINTS, JOINTS_SIZE);
        state.length += JOINTS_SIZE - 5;
        send_state(play, &state);
    }
}

void primary_safety_stop_cb2(struct play *play)
{
    play_connect(play, PORT);
    states_of_cb2(play, 12, 0);
    states_of_cb2(play, 1, 5);
    expect_last(play, "safety.stop");
    expect_last(play, "mode.changed");
    states_of_cb2(play, 10, 5);
}

void primary_silence(struct play *play)
{
    connect(play);
    states(play, 30, NORMAL);
    play_wait(play, 5 * SECOND);
    states(play, 1, NORMAL);
    expect_last(play, "silence");
    expect_last(play, "clock.skipped");
    states(play, 30, NORMAL);
}

void primary_gap(struct play *play)
{
    connect(play);
    states(play, 10, NORMAL);
    play_drop(play, play_last(play, ARMTAP_FROM_ROBOT));
    states(play, 1, NORMAL);
    expect_last(play, "stream.gap");
    states(play, 10, NORMAL);
}

void primary_midstream(struct play *play)
{
    connect(play);
    play_forget(play);
    states(play, 1, NORMAL);
    play_expect(play, "stream.midstream", 0);
    states(play, 10, NORMAL);
}

void primary_says_time_out(struct play *play)
{
    connect(play);
    say(play, -3, SAYS_TEXT, "Socket timed out waiting for command on reverse_socket. The script will exit now.");
    expect_last(play, "command.timeout");
    states(play, 10, NORMAL);
}

/* ---- ordinary -------------------------------------------------------------------------------------------------- */

void primary_program(struct play *play)
{
    static const char program[] = "def f():\n  movej([0,0,0,0,0,0])\nend\n";
    connect(play);
    play_bytes(play, ARMTAP_TO_ROBOT, program, sizeof program - 1);
    say_program(play, "PROGRAM_XXX_STARTED", "f");
    states(play, 100, NORMAL);
    say(play, -3, SAYS_TEXT, "done");
    states(play, 100, NORMAL);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
}
