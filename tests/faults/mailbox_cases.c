/* The cases of ur_rtde's commands: its client sets up its recipes, gives a command, and waits for the robot's script.
 */
#include "cases.h"

#include <string.h>

#include "nanoseconds.h"

enum { READY = 1, DONE = 2, MOVEL = 3, SET_TCP = 29, RECIPE_MOVE = 1, RECIPE_CLEAR = 4, RECIPE_POSE = 6 };
enum { PROTECTIVE_STOP = 1 << 2, NORMAL = 1 };

/* Values of the longest package but its id and code: 8 doubles and an integer. */
#define VALUES 72

/* The first recipes of ur_rtde 1.6.0. */
static const char *const recipes[][2] = {
    {"0", "0-7,i1"}, {"0", "0-10"}, {"0-7", "0-17"}, {"0", ""}, {"0", "0-8"}, {"0", "0-5"},
};

static size_t add_names(char *to, size_t room, const char *name, unsigned first, unsigned last)
{
    size_t length = 0;
    for (unsigned i = first; i <= last; i++)
        length += (size_t)snprintf(to + length, room - length, "%s%u,", name, i);
    return length;
}

/* Names of "0-7": registers from one to another; "": none. */
static size_t add_range(char *to, size_t room, const char *name, const char *range)
{
    unsigned first, last;
    to[0] = '\0';
    if (sscanf(range, "%u-%u", &first, &last) == 2)
        return add_names(to, room, name, first, last);
    return sscanf(range, "%u", &first) == 1 ? add_names(to, room, name, first, first) : 0;
}

static void set_up(struct play *play, unsigned id, const char *integers, const char *doubles)
{
    char names[1024], types[512] = "";
    size_t length = add_range(names, sizeof names, "input_int_register_", integers);
    length += add_range(names + length, sizeof names - length, "input_double_register_", doubles);
    if (strchr(doubles, 'i'))
        add_range(names + length, sizeof names - length, "input_int_register_", strchr(doubles, 'i') + 1);
    for (const char *at = names; *at != '\0'; at += strcspn(at, ",") + 1) {
        strcat(types, at == names ? "" : ",");
        strcat(types, strncmp(at, "input_int", strlen("input_int")) == 0 ? "INT32" : "DOUBLE");
    }
    play_ask(play, (struct armtap_rtde_package){
                       .type = ARMTAP_RTDE_SETUP_INPUTS, .names = names, .names_length = strlen(names)});
    play_reply(
        play,
        (struct armtap_rtde_package){
            .type = ARMTAP_RTDE_SETUP_INPUTS, .has_id = true, .id = id, .types = types, .types_length = strlen(types)});
}

/* The script's state, and the robot's. */
static void set_state(struct play *play, int32_t state, uint32_t safety)
{
    play->state->output_int_register[0] = state;
    play->state->safety_status_bits = safety;
    armtap_set_add(&play->state->known, ARMTAP_ID_output_int_register);
    armtap_set_add(&play->state->known, ARMTAP_ID_safety_status_bits);
}

static void begin(struct play *play)
{
    play_connect(play, 30004);
    play_greet(play, 5);
    play_set_up(play, 125, "timestamp,output_int_register_0,safety_status_bits", NULL);
    for (unsigned i = 0; i < sizeof recipes / sizeof *recipes; i++)
        set_up(play, i + 1, recipes[i][0], recipes[i][1]);
    play_start(play);
    set_state(play, READY, NORMAL);
    play_data(play, 20);
}

static void write_code(struct play *play, unsigned recipe, uint8_t code, size_t length)
{
    uint8_t values[4 + VALUES] = {0, 0, 0, code};
    play_ask(
        play,
        (struct armtap_rtde_package){
            .type = ARMTAP_RTDE_DATA, .has_id = true, .id = recipe, .values = values, .values_length = 4 + length});
}

static void move(struct play *play)
{
    write_code(play, RECIPE_MOVE, MOVEL, 8 * 8 + 4);
    play_data(play, 10);
}

static void clear(struct play *play)
{
    write_code(play, RECIPE_CLEAR, 0, 0);
    play_data(play, 10);
}

static void expect_here(struct play *play, const char *id)
{
    play_expect(play, id, play_last(play, ARMTAP_TO_ROBOT));
}

void mailbox_failed(struct play *play)
{
    begin(play);
    write_code(play, RECIPE_MOVE, MOVEL, 8 * 8 + 4);
    expect_here(play, "command.failed");
    play_data(play, 10);
    set_state(play, READY, PROTECTIVE_STOP);
    play_data(play, 1);
    play_expect(play, "safety.stop", play_last(play, ARMTAP_FROM_ROBOT));
    play_data(play, 3);
    clear(play);
}

void mailbox_withdrawn(struct play *play)
{
    begin(play);
    write_code(play, RECIPE_MOVE, MOVEL, 8 * 8 + 4);
    expect_here(play, "command.unanswered");
    play_data(play, 10);
    clear(play);
}

void mailbox_replaced(struct play *play)
{
    begin(play);
    write_code(play, RECIPE_MOVE, MOVEL, 8 * 8 + 4);
    expect_here(play, "command.unanswered");
    play_data(play, 10);
    move(play);
    set_state(play, DONE, NORMAL);
    play_data(play, 1);
    clear(play);
}

void mailbox_closed(struct play *play)
{
    begin(play);
    write_code(play, RECIPE_MOVE, MOVEL, 8 * 8 + 4);
    expect_here(play, "command.unanswered");
    play_data(play, 10);
    play_close(play, ARMTAP_TO_ROBOT, WIRE_CLOSE_FIN);
    play_expect(play, "tcp.closed", play_latest(play) - 2);
}

/* setTcp, of which the script says after so many packages that it is done. */
static void set_tcp(struct play *play, unsigned packages, const char *found)
{
    write_code(play, RECIPE_POSE, SET_TCP, 6 * 8);
    if (found)
        expect_here(play, found);
    play_data(play, packages);
    set_state(play, DONE, NORMAL);
    play_data(play, 1);
    clear(play);
    set_state(play, READY, NORMAL);
    play_data(play, 10);
}

void mailbox_slow(struct play *play)
{
    begin(play);
    set_tcp(play, 130, "command.slow");
}

/* The client sets up a recipe that no release has, and gives a command, whatever that is. */
void mailbox_unknown(struct play *play)
{
    begin(play);
    set_up(play, 63, "0", "0-2");
    play_expect(play, "command.unknown", play_last(play, ARMTAP_FROM_ROBOT));
    move(play);
    clear(play);
}

/* A motion takes its time, a setting nearly a second; the capture ends within another command. */
void mailbox_ordinary(struct play *play)
{
    begin(play);
    move(play);
    play_data(play, 300);
    set_state(play, DONE, NORMAL);
    play_data(play, 1);
    clear(play);
    set_state(play, READY, NORMAL);
    play_data(play, 10);
    set_tcp(play, 120, NULL);
    move(play);
}
