/* The cases of what drivers send to External Control: a command every 2 ms, to a robot that connects to the driver. In
 * these connections the robot is the client, so that what play calls the robot sends the commands. */
#include "cases.h"

#include <string.h>

#include "nanoseconds.h"

#define EVERY (2 * MILLISECOND)

enum { PORT = 50001, WORDS = 8, IDLE = 0, SERVOJ = 1, STOPPED = -2, TIMEOUT = 20, STEADY = 60 };

static void put_word(uint8_t *to, int32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)((uint32_t)word >> 8 * (3 - i));
}

static void put_command(uint8_t *to, int32_t mode, int32_t target)
{
    for (unsigned i = 0; i < WORDS; i++)
        put_word(to + 4 * i, i == 0 ? TIMEOUT : i == WORDS - 1 ? mode : target);
}

/* A packet of so many commands. */
static void send_commands(struct play *play, unsigned count, int32_t mode, int32_t target)
{
    uint8_t bytes[4 * 4 * WORDS];
    for (unsigned i = 0; i < count; i++)
        put_command(bytes + 4 * WORDS * i, mode, target);
    play_bytes(play, ARMTAP_FROM_ROBOT, bytes, 4 * WORDS * count);
    play_wait(play, EVERY);
}

static void begin(struct play *play)
{
    play_connect(play, PORT);
    for (unsigned i = 0; i < STEADY; i++)
        send_commands(play, 1, SERVOJ, 1000);
}

static void end(struct play *play)
{
    for (unsigned i = 0; i < STEADY; i++)
        send_commands(play, 1, SERVOJ, 1000);
}

static void expect_here(struct play *play, const char *id)
{
    play_expect(play, id, play_last(play, ARMTAP_FROM_ROBOT));
}

void control_gap(struct play *play)
{
    begin(play);
    expect_here(play, "command.gap");
    play_wait(play, 50 * MILLISECOND);
    end(play);
}

void control_hole(struct play *play)
{
    begin(play);
    expect_here(play, "command.gap");
    play_wait(play, 10 * MILLISECOND);
    end(play);
}

void control_jump(struct play *play)
{
    begin(play);
    send_commands(play, 1, SERVOJ, 701000);
    expect_here(play, "command.jump");
    send_commands(play, 1, SERVOJ, 701000);
}

void control_coalesced(struct play *play)
{
    begin(play);
    expect_here(play, "command.gap");
    play_wait(play, 10 * MILLISECOND);
    send_commands(play, 4, SERVOJ, 1000);
    expect_here(play, "command.coalesced");
    end(play);
}

void control_mode(struct play *play)
{
    begin(play);
    send_commands(play, 1, IDLE, 0);
    expect_here(play, "command.mode");
    send_commands(play, 1, STOPPED, 0);
    expect_here(play, "command.mode");
}

/* The capture lacks a command: nothing is known of that time. */
void control_lost(struct play *play)
{
    begin(play);
    play_drop(play, play_last(play, ARMTAP_FROM_ROBOT));
    play_wait(play, 50 * MILLISECOND);
    send_commands(play, 1, SERVOJ, 1000);
    expect_here(play, "stream.gap");
    end(play);
}

void control_ordinary(struct play *play)
{
    begin(play);
    play_wait(play, 1 * MILLISECOND);
    end(play);
}
