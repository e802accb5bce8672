/* The dashboard server's cases: a client that asks, and what it is told. */
#include "cases.h"

#include <string.h>

#include "nanoseconds.h"

enum { PORT = 29999 };

static void say(struct play *play, enum armtap_direction direction, const char *line)
{
    play_bytes(play, direction, line, strlen(line));
    play_wait(play, 20 * MILLISECOND);
}

static void ask(struct play *play, const char *request, const char *reply)
{
    say(play, ARMTAP_TO_ROBOT, request);
    say(play, ARMTAP_FROM_ROBOT, reply);
}

static void connect(struct play *play)
{
    play_connect(play, PORT);
    say(play, ARMTAP_FROM_ROBOT, "Connected: Universal Robots Dashboard Server\n");
    ask(play, "robotmode\n", "Robotmode: RUNNING\n");
}

void dashboard_refused(struct play *play)
{
    connect(play);
    ask(play, "play\n", "Failed to execute: play\n");
    play_expect(play, "dashboard.refused", play_last(play, ARMTAP_FROM_ROBOT));
    ask(play, "hello\n", "What is that?\n");
}

void dashboard_command(struct play *play)
{
    connect(play);
    ask(play, "stop\n", "Stopped\n");
    play_expect(play, "dashboard.command", play_last(play, ARMTAP_FROM_ROBOT));
    play_wait(play, 10 * SECOND); /* nobody asks */
    ask(play, "robotmode\n", "Robotmode: RUNNING\n");
}
