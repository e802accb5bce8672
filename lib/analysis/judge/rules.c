#include "analysis/judge/judge.h"

/* ---- signs ------------------------------------------------------------------------------------------------------- */

#define NEAR(kind, past, next) .is_needed = true, .code = ARMTAP_##kind, .before = past, .after = next
#define SAYS(name, value) .argument = ARMTAP_ARGUMENT_##name, .word = ARMTAP_WORD_##value
#define BETWEEN(name, low, high) .argument = ARMTAP_ARGUMENT_##name, .least = low, .most = high
#define HAS(name) .argument = ARMTAP_ARGUMENT_##name
/* What the stop is called; a more exact name may come up to two cycles of 8 ms later. */
#define STOP(...) NEAR(FINDING_safety_stop, 0, 16), .is_stop = true, __VA_ARGS__
#define STOPPED CLASS_STOP | CLASS_PROGRAM | CLASS_DATA
/* What keeps a stop's cause from being somebody's request. */
#define ERROR                                                                                                          \
    {                                                                                                                  \
        NEAR(NOTE_ur_error, 1000, 1000)                                                                                \
    }
#define SAFETY                                                                                                         \
    {                                                                                                                  \
        NEAR(FINDING_safety_stop, 1000, 1000)                                                                          \
    }
#define STALL                                                                                                          \
    {                                                                                                                  \
        NEAR(FINDING_tcp_zero_window, 1000, 1000)                                                                      \
    }

#define TIMEOUT NEAR(FINDING_command_timeout, 1500, 1500)
#define TO_ROBOT_RESENT                                                                                                \
    {                                                                                                                  \
        NEAR(FINDING_tcp_retransmission, 1000, 1000), SAYS(direction, to_robot), .is_drivers = true                    \
    }
#define NO_COMMAND "the driver sent no command in time"
#define TOO_FAST "the driver's commands ask for more than a joint can do"
#define AWAY "the driver's first target was not at the arm's position"
/* The controller's check of the path, or of speed against position, fails just after a driver's jump. */
#define PATH_CHECK                                                                                                     \
    {                                                                                                                  \
        NEAR(NOTE_ur_error, 1000, 1000), BETWEEN(code, 204, 206)                                                       \
    }
#define JUMP(how)                                                                                                      \
    {                                                                                                                  \
        NEAR(FINDING_command_jump, 500, 0), SAYS(case, how)                                                            \
    }
/* The client did not read when data stood still or was skipped. */
#define CLIENT_STALL                                                                                                   \
    {                                                                                                                  \
        NEAR(FINDING_tcp_zero_window, 0, 1000), SAYS(who, client), .is_same_stream = true, .is_span = true             \
    }
/* What the handshake lacked. */
#define EARLIER(kind)                                                                                                  \
    {                                                                                                                  \
        NEAR(kind, 3600000, 1000), .is_same_stream = true                                                              \
    }

/* In this order: what only a stop of its kind has; a driver's missing commands and jumps, which explain what the
 * controller then reports, but not beside an error of another kind; the controller's own words; what others asked for.
 * Times are those within which people take things for related: 1 s for what is reported at once, half as much again for
 * a wait of the robot's program that comes before, half of it for a command that the controller must refuse. The first
 * rule whose cause is there, with `with` and without `unless`, says why. */
static const struct rule rules[] = {
    /* A machine beside the robot may ask for these. */
    {STOPPED, 0, {STOP(SAYS(reason, plc))}, {0}, {0}, ARMTAP_BLAME_UNCLEAR, "a PLC requested it over PROFIsafe"},
    {STOPPED, 0, {STOP(SAYS(reason, program))}, {0}, {0}, ARMTAP_BLAME_UNCLEAR, "a program requested it"},
    {STOPPED,
     0,
     {STOP(SAYS(case, robot_emergency))},
     {0},
     {0},
     ARMTAP_BLAME_ROBOT,
     "a person or device in the cell triggered it"},
    {STOPPED,
     0,
     {STOP(SAYS(case, emergency))},
     {0},
     {0},
     ARMTAP_BLAME_ROBOT,
     "a person or device in the cell triggered it"},
    {STOPPED,
     0,
     {STOP(SAYS(case, safeguard))},
     {0},
     {0},
     ARMTAP_BLAME_ROBOT,
     "a safety device of the cell triggered it"},
    {STOPPED,
     0,
     {STOP(SAYS(case, enabling_device))},
     {0},
     {0},
     ARMTAP_BLAME_ROBOT,
     "the enabling device was released or fully pressed"},
    /* Commands of a driver, which the robot's program waits for. */
    {STOPPED,
     0,
     {TIMEOUT},
     TO_ROBOT_RESENT,
     ERROR,
     ARMTAP_BLAME_NETWORK,
     "the network did not deliver what the driver sent"},
    {STOPPED,
     0,
     {TIMEOUT},
     {NEAR(FINDING_command_gap, 1500, 0), HAS(allowed_s)},
     ERROR,
     ARMTAP_BLAME_CLIENT,
     NO_COMMAND},
    {STOPPED, 0, {TIMEOUT, SAYS(until, driver_closed)}, {0}, ERROR, ARMTAP_BLAME_CLIENT, "the driver broke off"},
    {STOPPED, 0, {TIMEOUT}, {0}, ERROR, ARMTAP_BLAME_UNCLEAR, NULL},
    {STOPPED,
     0,
     {NEAR(FINDING_command_gap, 1500, 0), SAYS(until, robot_closed)},
     TO_ROBOT_RESENT,
     ERROR,
     ARMTAP_BLAME_UNCLEAR,
     "the driver sent no command in time, or the network did not deliver it"},
    {STOPPED,
     0,
     {NEAR(FINDING_command_gap, 1500, 0), SAYS(until, driver_closed)},
     TO_ROBOT_RESENT,
     ERROR,
     ARMTAP_BLAME_UNCLEAR,
     "the driver sent no command in time, or the network did not deliver it"},
    {STOPPED,
     0,
     {NEAR(FINDING_command_gap, 1500, 0), SAYS(until, closed)},
     TO_ROBOT_RESENT,
     ERROR,
     ARMTAP_BLAME_UNCLEAR,
     "the driver sent no command in time, or the network did not deliver it"},
    {STOPPED,
     0,
     {NEAR(FINDING_command_gap, 1500, 0), SAYS(until, robot_closed)},
     {0},
     ERROR,
     ARMTAP_BLAME_CLIENT,
     NO_COMMAND},
    {STOPPED,
     0,
     {NEAR(FINDING_command_gap, 1500, 0), SAYS(until, driver_closed)},
     {0},
     ERROR,
     ARMTAP_BLAME_CLIENT,
     NO_COMMAND},
    {STOPPED,
     0,
     {NEAR(FINDING_command_gap, 1500, 0), SAYS(until, closed)},
     {0},
     ERROR,
     ARMTAP_BLAME_CLIENT,
     NO_COMMAND},
    {STOPPED, 0, PATH_CHECK, JUMP(too_fast), {0}, ARMTAP_BLAME_CLIENT, TOO_FAST},
    {STOPPED, 0, PATH_CHECK, JUMP(away_from_arm), {0}, ARMTAP_BLAME_CLIENT, AWAY},
    {STOPPED, 0, JUMP(too_fast), {0}, ERROR, ARMTAP_BLAME_CLIENT, TOO_FAST},
    /* The controller's own words, which do not say whose fault it is. */
    {STOPPED, 0, ERROR, {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {STOPPED,
     0,
     {NEAR(NOTE_ur_exception, 1000, 1000), HAS(sent_packet)},
     {0},
     SAFETY,
     ARMTAP_BLAME_CLIENT,
     "a client sent what failed"},
    {STOPPED, 0, {NEAR(NOTE_ur_exception, 1000, 1000)}, {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {STOPPED, 0, {NEAR(NOTE_rtde_text_exception, 1000, 1000)}, {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {STOPPED, 0, {NEAR(NOTE_rtde_text_error, 1000, 1000)}, {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {STOPPED, 0, {NEAR(NOTE_ur_popup, 1000, 1000), SAYS(case, error)}, {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    /* What the program of Universal Robots' driver says before it ends. */
    {STOPPED,
     0,
     {NEAR(NOTE_ur_message, 1000, 1000), SAYS(case, trajectory_point_late)},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the next point of the driver's trajectory did not arrive in time"},
    {STOPPED,
     0,
     {NEAR(NOTE_ur_message, 1000, 1000), SAYS(case, targets_beyond_limits)},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the robot's program found that the driver's targets violate its limits"},
    /* Sent before the stop, and started after it. */
    {STOPPED,
     0,
     {NEAR(NOTE_ur_program, 0, 1000), HAS(sent_packet)},
     {NEAR(NOTE_ur_program, 1000, 0), SAYS(case, sent), .lacks = ARMTAP_ARGUMENT_is_again},
     SAFETY,
     ARMTAP_BLAME_CLIENT,
     "it replaced the running program"},
    /* Data that came late: the finding itself says that the controller went on. */
    {CLASS_DATA,
     0,
     {NEAR(FINDING_silence, 0, 0), SAYS(reason, delayed)},
     {NEAR(FINDING_tcp_retransmission, 0, 1000), SAYS(direction, from_robot)},
     STALL,
     ARMTAP_BLAME_NETWORK,
     "the robot retransmitted what the network had not delivered"},
    {CLASS_DATA,
     0,
     {NEAR(FINDING_silence, 0, 0), SAYS(reason, delayed)},
     {0},
     STALL,
     ARMTAP_BLAME_UNCLEAR,
     "the network delayed it, or the capturing machine"},
    {CLASS_DATA,
     0,
     {NEAR(FINDING_silence, 0, 0), SAYS(reason, delayed_or_stalled)},
     {NEAR(FINDING_tcp_retransmission, 0, 1000), SAYS(direction, from_robot)},
     STALL,
     ARMTAP_BLAME_NETWORK,
     "the robot retransmitted what the network had not delivered"},
    /* Data that the robot could not send. */
    {CLASS_DATA, 0, CLIENT_STALL, {0}, {0}, ARMTAP_BLAME_CLIENT, NULL},
    {CLASS_DATA,
     0,
     {NEAR(FINDING_silence, 0, 0), SAYS(reason, client_stopped_reading)},
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    {CLASS_DATA,
     0,
     {NEAR(FINDING_silence, 0, 0), SAYS(reason, held_up)},
     {0},
     STALL,
     ARMTAP_BLAME_UNCLEAR,
     "no acknowledgement reached the robot: the network lost data or answers, or the client gave none"},
    /* Somebody else's request. What stops for safety has another reason. */
    {STOPPED,
     0,
     {NEAR(NOTE_dashboard_command, 600, 200)},
     {0},
     SAFETY,
     ARMTAP_BLAME_CLIENT,
     "a client of the dashboard server requested it"},
    /* What else follows from something. */
    {CLASS_OTHER, ARMTAP_FINDING_clock_skipped, CLIENT_STALL, {0}, {0}, ARMTAP_BLAME_CLIENT, NULL},
    {CLASS_OTHER,
     ARMTAP_FINDING_clock_skipped,
     {NEAR(FINDING_silence, 0, 1000), SAYS(reason, held_up), .is_same_stream = true, .is_span = true},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the robot's buffer was full meanwhile"},
    {CLASS_OTHER,
     ARMTAP_FINDING_clock_skipped,
     {NEAR(FINDING_silence, 0, 1000), SAYS(reason, delayed), .is_same_stream = true, .is_span = true},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the robot's buffer was full meanwhile"},
    {CLASS_OTHER,
     ARMTAP_FINDING_clock_skipped,
     {NEAR(FINDING_silence, 0, 1000), SAYS(reason, delayed_or_stalled), .is_same_stream = true, .is_span = true},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     "the robot's buffer was full meanwhile"},
    {CLASS_OTHER, ARMTAP_NOTE_tcp_reset, CLIENT_STALL, {0}, {0}, ARMTAP_BLAME_CLIENT, NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_field_not_found,
     EARLIER(NOTE_rtde_version_not_negotiated),
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_field_not_found,
     EARLIER(NOTE_rtde_frequency_missing),
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_start_refused,
     EARLIER(NOTE_rtde_field_not_found),
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    {CLASS_OTHER, ARMTAP_NOTE_rtde_start_refused, EARLIER(NOTE_rtde_field_in_use), {0}, {0}, ARMTAP_BLAME_CLIENT, NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_start_refused,
     EARLIER(NOTE_rtde_version_refused),
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    /* The controller's words on a request that it refused. */
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_text_error,
     {NEAR(NOTE_rtde_start_refused, 1000, 1000), .is_same_stream = true},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_text_warning,
     {NEAR(NOTE_rtde_start_refused, 1000, 1000), .is_same_stream = true},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_recipe_missing,
     EARLIER(NOTE_rtde_field_not_found),
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    {CLASS_OTHER,
     ARMTAP_NOTE_rtde_recipe_missing,
     EARLIER(NOTE_rtde_field_in_use),
     {0},
     {0},
     ARMTAP_BLAME_CLIENT,
     NULL},
    {CLASS_OTHER, ARMTAP_NOTE_rtde_recipe_missing, EARLIER(NOTE_rtde_setup_bad), {0}, {0}, ARMTAP_BLAME_UNCLEAR, NULL},
    {CLASS_OTHER,
     ARMTAP_FINDING_command_failed,
     {NEAR(FINDING_safety_stop, 1500, 1500)},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     NULL},
    {CLASS_OTHER,
     ARMTAP_FINDING_command_unanswered,
     {NEAR(FINDING_safety_stop, 1500, 1500)},
     {0},
     {0},
     ARMTAP_BLAME_UNCLEAR,
     NULL},
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
    {{NEAR(FINDING_safety_stop, 0, 0)}, CLASS_STOP, false},
    {{NEAR(FINDING_safety_state, 0, 0)}, CLASS_STOP, true},
    {{NEAR(FINDING_mode_changed, 0, 0), SAYS(case, program_stopped)}, CLASS_PROGRAM, true},
    {{NEAR(FINDING_mode_changed, 0, 0), SAYS(case, program_paused)}, CLASS_PROGRAM, true},
    {{NEAR(FINDING_command_timeout, 0, 0)}, CLASS_PROGRAM, true},
    {{NEAR(NOTE_ur_program, 0, 0), SAYS(case, stopped)}, CLASS_PROGRAM, true},
    {{NEAR(FINDING_silence, 0, 0)}, CLASS_DATA, true},
};

const struct start *armtap_start_at(size_t i)
{
    return i < sizeof starts / sizeof *starts ? &starts[i] : NULL;
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
    if (sign->argument == ARMTAP_ARGUMENT_none)
        return true;
    if (!argument || sign->word != ARMTAP_WORD_none)
        return argument && argument->word == sign->word;
    return (sign->least == 0 && sign->most == 0) ||
           (argument->value.integer >= sign->least && argument->value.integer <= sign->most);
}

bool armtap_sign_fits(const struct sign *sign, const struct armtap_finding *finding)
{
    bool is_certain = !finding->is_sum && !finding->is_doubtful &&
                      armtap_word_of(&finding->arguments, ARMTAP_ARGUMENT_doubt) == ARMTAP_WORD_none;
    return sign->is_needed && code_of(finding) == sign->code && is_certain && is_said(sign, finding);
}

/* ---- sides of kinds ---------------------------------------------------------------------------------------------- */

static const enum armtap_blame sides[ARMTAP_NOTE_COUNT] = {
#define NOTE(code, id, severity, side, ...) [ARMTAP_NOTE_##code] = ARMTAP_BLAME_##side,
#define FINDING(code, id, severity, side, ...) [ARMTAP_FINDING_##code] = ARMTAP_BLAME_##side,
#include "protocol/findings.def"
#undef NOTE
#undef FINDING
};

/* What a finding says may name the side, or leave it open. */
static const struct {
    struct sign sign;
    enum armtap_blame side;
} said_sides[] = {
    {{NEAR(FINDING_tcp_zero_window, 0, 0), SAYS(who, client)}, ARMTAP_BLAME_CLIENT},
    {{NEAR(FINDING_tcp_zero_window, 0, 0), SAYS(who, robot)}, ARMTAP_BLAME_ROBOT},
    {{NEAR(FINDING_clock_skipped, 0, 0), SAYS(reason, held_up)}, ARMTAP_BLAME_UNCLEAR},
    {{NEAR(FINDING_silence, 0, 0), SAYS(reason, client_stopped_reading)}, ARMTAP_BLAME_CLIENT},
};

enum armtap_blame armtap_side_of(const struct armtap_finding *finding)
{
    if (finding->is_doubtful || armtap_word_of(&finding->arguments, ARMTAP_ARGUMENT_doubt) != ARMTAP_WORD_none)
        return ARMTAP_BLAME_UNCLEAR;
    for (size_t i = 0; i < sizeof said_sides / sizeof *said_sides; i++)
        if (armtap_sign_fits(&said_sides[i].sign, finding))
            return said_sides[i].side;
    return sides[code_of(finding)];
}

bool armtap_is_of_network(const struct armtap_finding *finding)
{
    static const enum armtap_note_code codes[] = {ARMTAP_FINDING_silence,          ARMTAP_FINDING_tcp_retransmission,
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
