#include "analysis/judge/judge.h"

/* ---- signs ------------------------------------------------------------------------------------------------------- */

/* clang-format off */
#define SIGN(...) {.is_needed = true, __VA_ARGS__}
#define NOTHING {0}
#define NEAR(kind, past, next) .code = ARMTAP_##kind, .before = past, .after = next
#define SAYS(name, value) .argument = ARMTAP_ARGUMENT_##name, .word = ARMTAP_WORD_##value
#define BETWEEN(name, low, high) .argument = ARMTAP_ARGUMENT_##name, .least = low, .most = high
#define HAS(name) .argument = ARMTAP_ARGUMENT_##name
#define ALSO(name) .also = ARMTAP_ARGUMENT_##name
#define LACKS(name) .lacks = ARMTAP_ARGUMENT_##name
#define ALIKE .is_same_stream = true

/* What the stop is called; a more exact name may come up to two cycles of 8 ms later. */
#define STOP(...) NEAR(FINDING_safety_stop, 0, 16), .is_stop = true, __VA_ARGS__
/* What keeps a stop's cause from being somebody's request. */
#define ERROR SIGN(NEAR(NOTE_ur_error, 1000, 1000))
#define SAFETY SIGN(NEAR(FINDING_safety_stop, 1000, 1000))
#define TIMEOUT NEAR(FINDING_command_timeout, 1500, 1500)
#define ENDED(...) SIGN(NEAR(FINDING_command_gap, 1500, 0), __VA_ARGS__)
#define MUTE SIGN(NEAR(FINDING_command_gap, 1500, 0), HAS(doubt), .may_be_doubted = true)
#define TO_ROBOT_RESENT SIGN(NEAR(FINDING_tcp_retransmission, 1000, 1000), SAYS(direction, to_robot), .is_drivers = true)
/* The controller's check of the path, or of speed against position, fails just after a driver's jump. */
#define PATH_CHECK SIGN(NEAR(NOTE_ur_error, 1000, 1000), BETWEEN(code, 204, 206))
#define JUMP(how) SIGN(NEAR(FINDING_command_jump, 500, 0), SAYS(case, how))
/* What cuts a program off. */
#define POWER_LOST SIGN(NEAR(FINDING_mode_changed, 1000, 1000), SAYS(case, power_lost))
#define OTHER_SCRIPT SIGN(NEAR(NOTE_ur_program, 1000, 0), SAYS(case, sent), LACKS(is_own), .is_in_run = true)
/* What data that stood still shows itself, and on its connection. */
#define SILENCE(how) SIGN(NEAR(FINDING_silence, 0, 0), SAYS(reason, how), ALIKE)
#define SILENT_BEFORE SIGN(NEAR(FINDING_silence, 0, 3000), ALIKE, .is_span = true)
#define NETWORK_STALLED SIGN(NEAR(FINDING_network_stalled, 3000, 1000), ALIKE)
#define NETWORK_STALLED_BEFORE SIGN(NEAR(FINDING_network_stalled, 0, 3000), ALIKE, .is_span = true)
/* What was skipped, itself, and what it says; what may have begun before that data waits. */
#define SKIPPED(says) SIGN(NEAR(FINDING_clock_skipped, 0, 0), HAS(says), ALIKE)
#define WAITED SIGN(NEAR(FINDING_clock_skipped, 0, 0), SAYS(reason, waited), ALIKE)
#define WAITED_RESENT SIGN(NEAR(FINDING_clock_skipped, 0, 0), SAYS(reason, waited), ALSO(times), ALIKE)
#define BEHIND(kind) NEAR(FINDING_##kind, 30000, 1000), ALIKE
/* The same hole. */
#define SILENT_TOO SIGN(NEAR(FINDING_silence, 0, 0), ALIKE, .is_span = true)
#define SILENT_TO_END SIGN(NEAR(FINDING_silence, 1000, 1000), HAS(is_to_end), ALIKE)
#define GOT_NO_ANSWER SIGN(NEAR(NOTE_tcp_reset, 0, 0), HAS(reason), ALIKE)
#define NOT_SENT SIGN(NEAR(FINDING_silence, 0, 0), SAYS(reason, not_sent), LACKS(times), ALIKE)
#define NOT_ACKNOWLEDGED SIGN(NEAR(FINDING_tcp_not_acknowledged, 0, 1000), ALIKE)
#define RESENT SIGN(NEAR(FINDING_tcp_retransmission, 0, 1000), SAYS(direction, from_robot), ALIKE)
#define STALL SIGN(NEAR(FINDING_tcp_zero_window, 1000, 1000), ALIKE)
/* The client did not read when data stood still or was skipped. */
#define CLIENT_STALL SIGN(NEAR(FINDING_tcp_zero_window, 0, 1000), SAYS(who, client), ALIKE, .is_span = true)
/* Another machine answers in the name of one. */
#define TWO_MACHINES SIGN(NEAR(NOTE_address_conflict, 60000, 1000))
/* What a controller shows that repeats itself, and where it stops doing so. */
#define FROZEN(what) SIGN(NEAR(FINDING_##what##_frozen, 0, 0), ALIKE)
#define AFTER_FROZEN(what) SIGN(NEAR(FINDING_##what##_frozen, 0, 1000), ALIKE, .is_span = true)
/* What its system acknowledged, the robot's program did not answer. */
#define UNANSWERED SIGN(NEAR(FINDING_rtde_no_reply, 0, 60000), HAS(is_acknowledged), ALIKE)
/* What the handshake lacked. */
#define EARLIER(kind) SIGN(NEAR(kind, 3600000, 1000), ALIKE)
#define START_REFUSED SIGN(NEAR(NOTE_rtde_start_refused, 1000, 1000), ALIKE)

#define REPEATS "the controller or its simulator repeats the same data"
#define NO_COMMAND "the driver sent no command in time"
#define NOT_IN_TIME "the driver sent no command in time, or the network did not deliver it"
#define TOO_FAST "the driver's commands exceed what a joint can do"
#define AWAY "the driver's first target was not at the arm's position"
/* clang-format on */

enum { STOPPED = CLASS_STOP | CLASS_PROGRAM | CLASS_DATA, DATA = CLASS_DATA };

static const struct rule rules[] = {
#define RULE(classes, cause, with, unless, side, meaning)                                                              \
    {classes, 0, cause, with, unless, ARMTAP_BLAME_##side, meaning},
#define RULE_OF(kind, cause, with, unless, side, meaning)                                                              \
    {CLASS_OTHER, ARMTAP_##kind, cause, with, unless, ARMTAP_BLAME_##side, meaning},
#include "analysis/judge/rules.def"
};

size_t armtap_rule_count(void)
{
    return sizeof rules / sizeof *rules;
}

const struct rule *armtap_rule_at(size_t i)
{
    return i < armtap_rule_count() ? &rules[i] : NULL;
}

static const struct start starts[] = {
    {SIGN(NEAR(FINDING_safety_stop, 0, 0)), CLASS_STOP, false, false},
    {SIGN(NEAR(FINDING_safety_state, 0, 0)), CLASS_STOP, true, true},
    {SIGN(NEAR(FINDING_program_cut_off, 0, 0)), CLASS_PROGRAM, true, false},
    {SIGN(NEAR(FINDING_program_ended, 0, 0), .lacks = ARMTAP_ARGUMENT_case), CLASS_PROGRAM, true, false},
    {SIGN(NEAR(FINDING_program_ended, 0, 0)), CLASS_PROGRAM, true, true},
    {SIGN(NEAR(FINDING_mode_changed, 0, 0), SAYS(case, program_paused)), CLASS_PROGRAM, true, true},
    {SIGN(NEAR(FINDING_command_timeout, 0, 0)), CLASS_PROGRAM, true, true},
    {SIGN(NEAR(NOTE_ur_program, 0, 0), SAYS(case, stopped)), CLASS_PROGRAM, true, true},
    {SIGN(NEAR(FINDING_silence, 0, 0)), CLASS_DATA, true, true},
};

const struct start *armtap_start_at(size_t i)
{
    return i < sizeof starts / sizeof *starts ? &starts[i] : NULL;
}

static const struct sign cuts[] = {POWER_LOST, OTHER_SCRIPT};

const struct sign *armtap_cut_at(size_t i)
{
    return i < sizeof cuts / sizeof *cuts ? &cuts[i] : NULL;
}

/* ---- what a finding says ------------------------------------------------------------------------------------------
 */

static enum armtap_note_code code_of(const struct armtap_finding *finding)
{
    return (enum armtap_note_code)(finding->kind - armtap_note_at(0));
}

static bool is_said(const struct sign *sign, const struct armtap_finding *finding)
{
    const struct armtap_argument *argument = armtap_argument_of(&finding->arguments, sign->argument);
    if (sign->lacks != ARMTAP_ARGUMENT_none && armtap_argument_of(&finding->arguments, sign->lacks))
        return false;
    if (sign->also != ARMTAP_ARGUMENT_none && !armtap_argument_of(&finding->arguments, sign->also))
        return false;
    if (sign->argument == ARMTAP_ARGUMENT_none)
        return true;
    if (!argument || sign->word != ARMTAP_WORD_none)
        return argument && argument->word == sign->word;
    return (sign->least == 0 && sign->most == 0) ||
           (argument->value.integer >= sign->least && argument->value.integer <= sign->most);
}

/* Whether it may not be so. Which port a client wanted is another question. */
static bool is_doubted(const struct armtap_finding *finding)
{
    enum armtap_word doubt = armtap_word_of(&finding->arguments, ARMTAP_ARGUMENT_doubt);
    return finding->is_doubtful || (doubt != ARMTAP_WORD_none && doubt != ARMTAP_WORD_port_guessed);
}

bool armtap_sign_fits(const struct sign *sign, const struct armtap_finding *finding)
{
    bool is_certain = !finding->is_sum && (sign->may_be_doubted || !is_doubted(finding));
    return sign->is_needed && code_of(finding) == sign->code && is_certain && is_said(sign, finding);
}

/* ---- sides of kinds ---------------------------------------------------------------------------------------------- */

static const enum armtap_blame sides[ARMTAP_NOTE_COUNT] = {
#define NOTE(code, id, severity, side, ...) [ARMTAP_NOTE_##code] = ARMTAP_BLAME_##side,
#define FINDING(code, id, severity, side, ...) [ARMTAP_FINDING_##code] = ARMTAP_BLAME_##side,
#define HEARD FINDING
#include "protocol/findings.def"
};

/* What a finding says may name the side, or leave it open. */
static const struct {
    struct sign sign;
    enum armtap_blame side;
} said_sides[] = {
    {SIGN(NEAR(FINDING_tcp_zero_window, 0, 0), SAYS(who, client)), ARMTAP_BLAME_CLIENT},
    {SIGN(NEAR(FINDING_tcp_zero_window, 0, 0), SAYS(who, robot)), ARMTAP_BLAME_ROBOT},
    {SIGN(NEAR(FINDING_command_not_followed, 0, 0), HAS(field)), ARMTAP_BLAME_ROBOT},
    {SIGN(NEAR(FINDING_clock_skipped, 0, 0), SAYS(reason, waited)), ARMTAP_BLAME_UNCLEAR},
    {SIGN(NEAR(FINDING_clock_skipped, 0, 0), HAS(times)), ARMTAP_BLAME_UNCLEAR},
    {SIGN(NEAR(FINDING_command_gap, 0, 0), SAYS(reason, not_sent)), ARMTAP_BLAME_CLIENT},
    {SILENCE(client_stopped_reading), ARMTAP_BLAME_CLIENT},
    {SILENCE(program_silent), ARMTAP_BLAME_ROBOT},
    {SIGN(NEAR(FINDING_rtde_no_reply, 0, 0), HAS(is_acknowledged)), ARMTAP_BLAME_ROBOT},
    {SIGN(NEAR(FINDING_command_unanswered, 0, 0), HAS(is_acknowledged)), ARMTAP_BLAME_ROBOT},
    {SIGN(NEAR(FINDING_rate_low, 0, 0), HAS(usual_s)), ARMTAP_BLAME_ROBOT},
    {SIGN(NEAR(NOTE_ur_exception, 0, 0), HAS(sent_packet)), ARMTAP_BLAME_CLIENT},
    {SIGN(NEAR(FINDING_safety_state, 0, 0), HAS(is_begun)), ARMTAP_BLAME_UNCLEAR},
    {SIGN(NEAR(NOTE_tcp_unreachable, 0, 0), SAYS(who, robot)), ARMTAP_BLAME_UNCLEAR},
    {SIGN(NEAR(NOTE_rtde_recipe_missing, 0, 0), SAYS(reason, refused)), ARMTAP_BLAME_UNCLEAR},
    {SIGN(NEAR(NOTE_rtde_recipe_missing, 0, 0), SAYS(reason, given_recipe)), ARMTAP_BLAME_UNCLEAR},
};

enum armtap_blame armtap_side_of(const struct armtap_finding *finding)
{
    if (is_doubted(finding))
        return ARMTAP_BLAME_UNCLEAR;
    for (size_t i = 0; i < sizeof said_sides / sizeof *said_sides; i++)
        if (armtap_sign_fits(&said_sides[i].sign, finding))
            return said_sides[i].side;
    return sides[code_of(finding)];
}

bool armtap_is_of_network(const struct armtap_finding *finding)
{
    static const enum armtap_note_code codes[] = {ARMTAP_FINDING_network_stalled,  ARMTAP_FINDING_tcp_not_acknowledged,
                                                  ARMTAP_FINDING_silence,          ARMTAP_FINDING_tcp_retransmission,
                                                  ARMTAP_FINDING_tcp_out_of_order, ARMTAP_NOTE_tcp_overlap_differs,
                                                  ARMTAP_FINDING_tcp_zero_window,  ARMTAP_NOTE_tcp_reset,
                                                  ARMTAP_NOTE_tcp_refused,         ARMTAP_NOTE_tcp_unreachable,
                                                  ARMTAP_NOTE_tcp_no_answer,       ARMTAP_NOTE_tcp_no_data,
                                                  ARMTAP_NOTE_stream_gap,          ARMTAP_NOTE_stream_resync,
                                                  ARMTAP_NOTE_capture_dropped,     ARMTAP_NOTE_capture_truncated,
                                                  ARMTAP_NOTE_ip_fragment,         ARMTAP_NOTE_ip_bad_header,
                                                  ARMTAP_NOTE_websocket_bad,       ARMTAP_FINDING_rate_low};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code_of(finding))
            return true;
    return false;
}
