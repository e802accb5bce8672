#include "ur_rtde.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_MAX = 8192, READY = 1, DONE = 2, STOP = 255 };

/* ---- the script -------------------------------------------------------------------------------------------------- */

static void put_branch(char *script, const char *word, unsigned code)
{
    size_t length = strlen(script);
    snprintf(script + length, SCRIPT_MAX - length, "    %s cmd == %u:\n      obey(%u)\n", word, code, code);
}

/* "1-4,6": a branch for each. */
static void put_branches(char *script, const char *codes)
{
    const char *word = "if";
    char *end;
    for (const char *at = codes; *at; at = *end == ',' ? end + 1 : end) {
        unsigned first = (unsigned)strtoul(at, &end, 10), last = first;
        if (*end == '-')
            last = (unsigned)strtoul(end + 1, &end, 10);
        for (unsigned code = first; code <= last; code++) {
            put_branch(script, word, code);
            word = "elif";
        }
        if (end == at)
            return;
    }
}

/* As the real client, it puts the offset behind the line that is to have it. */
void ur_rtde_session_script(struct session *session, const struct client_step *step, int64_t time)
{
    char script[SCRIPT_MAX];
    snprintf(script, sizeof script,
             "def rtde_control():\n    global reg_offset_float = # float register offset\n"
             "%u    global reg_offset_int = # int register offset\n%u    global force_mode_type = 2\n"
             "  def process(cmd):\n",
             step->count, step->count);
    put_branches(script, step->words[0]);
    put_branch(script, "elif", STOP);
    strcat(script, "    end\n  end\nend\n");
    session_flush(session, time);
    wire_send(&session->connection, ARMTAP_TO_ROBOT, script, strlen(script), time);
    for (const char *at = script; *at; at++)
        session->tally->records[ARMTAP_TO_ROBOT] += *at == '\n';
}

/* ---- the robot's program ----------------------------------------------------------------------------------------- */

/* Those that it takes again in every cycle. */
static bool is_repeated(int32_t code)
{
    static const int32_t codes[] = {6, 9, 10, 11, 24, 25, 26, 27, 38, 58};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

void ur_rtde_session_obey(struct session *session, const struct client_step *step)
{
    if (step->count > 24) {
        session_fail(session, step, "an offset of registers is 0 or 24", NULL);
        return;
    }
    session->obeys = true;
    session->obeys_at = step->count;
    session->obeys_cycles = (unsigned)(step->seconds * 1000) / session->client->robot->cycle_ms;
    session->obeys_left = 0;
    session->obeys_state = READY;
}

void ur_rtde_session_wrote(struct session *session)
{
    if (!session->obeys)
        return;
    int32_t code = session->written->input_int_register[session->obeys_at];
    if (code == 0)
        session->obeys_state = READY;
    session->obeys_left = code != 0 && !is_repeated(code) ? session->obeys_cycles : 0;
}

void ur_rtde_session_cycle(struct session *session)
{
    struct armtap_state *robot = session->motion->state;
    if (!session->obeys)
        return;
    if (session->obeys_left > 0 && --session->obeys_left == 0)
        session->obeys_state = DONE;
    robot->output_int_register[session->obeys_at] = session->obeys_state;
    armtap_set_add(&robot->known, ARMTAP_ID_output_int_register + session->obeys_at);
}
