/* The judge: each rule of rules.c, within its limits and just beyond them, on facts with arguments; then whole scenes,
 * on what the detectors find. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/judge/judge.h"
#include "analysis_scene.h"
#include "support.h"

#define MS INT64_C(1000000)
#define NOON INT64_C(1769860800000000000)
#define NOTHING (-1) /* the kind of a cause that is not known */

/* ---- facts ------------------------------------------------------------------------------------------------------- */

enum line { RTDE, REALTIME, PRIMARY, DASHBOARD, DRIVER, OTHER_ROBOT, LINES };

static const struct armtap_stream lines[LINES] = {
    [RTDE] = {.robot = "10.0.0.2:30004", .protocol = ARMTAP_RTDE},
    [REALTIME] = {.robot = "10.0.0.2:30003", .protocol = ARMTAP_REALTIME},
    [PRIMARY] = {.robot = "10.0.0.2:30001", .protocol = ARMTAP_PRIMARY},
    [DASHBOARD] = {.robot = "10.0.0.2:29999", .protocol = ARMTAP_DASHBOARD},
    [DRIVER] = {.robot = "10.0.0.2:40000", .protocol = ARMTAP_EXTERNAL_CONTROL},
    [OTHER_ROBOT] = {.robot = "10.0.0.22:30004", .protocol = ARMTAP_RTDE}};

struct part {
    int code;
    enum line line;
    const struct armtap_arguments *said; /* NULL: there is none */
    int before, after;                   /* ms: how far from what happened it may be */
    double size;
};

/* An incident: the one that has a finding as evidence. */
struct judged {
    size_t evidence; /* how many findings; 0: there is none */
    int cause;       /* the kind, or NOTHING */
    enum armtap_blame side;
};

#define FACTS_MAX 8
struct world {
    struct armtap_finding findings[FACTS_MAX];
    size_t count, what;
    struct armtap_incidents incidents;
};

static void add(struct world *world, const struct part *part, int64_t after)
{
    struct armtap_where where = {.size = sizeof where, .time = NOON + after, .packet = 100 + world->count};
    size_t at = world->count;
    if (!part->said)
        return;
    assert_true(world->count < FACTS_MAX);
    for (; at > 0 && world->findings[at - 1].where.time > where.time; at--)
        world->findings[at] = world->findings[at - 1];
    world->findings[at] = (struct armtap_finding){.kind = armtap_note_at((size_t)part->code),
                                                  .where = where,
                                                  .last = where,
                                                  .count = 1,
                                                  .size = part->size,
                                                  .total = part->size,
                                                  .stream = part->line,
                                                  .arguments = *part->said};
    world->what += world->count > 0 && at <= world->what;
    world->count++;
}

#define FACT(kind, where, arguments) .code = (kind), .line = (where), .said = (arguments)
#define WITHIN(earlier, later) .before = (earlier), .after = (later)

/* Which rules have been seen to give a cause. */
static bool *shown;

/* Whether a rule made the first fact a part of an incident that its cause begins. */
static bool adds_to(const struct rule *rule, const struct incident *incident, const struct world *world)
{
    const struct armtap_finding *what = &world->findings[world->what];
    return rule->classes == CLASS_OTHER && incident->what != what && armtap_note_at(rule->what) == what->kind &&
           armtap_note_at(rule->cause.code) == incident->what->kind;
}

/* The incident that the first fact belongs to; NULL: none. */
static const struct incident *judge(struct world *world)
{
    const struct armtap_stream *streams[LINES];
    const struct incident *found = NULL;
    for (size_t i = 0; i < LINES; i++)
        streams[i] = &lines[i];
    const struct armtap_facts facts = {
        .findings = world->findings, .finding_count = world->count, .streams = streams, .stream_count = LINES};
    assert_int_equal(armtap_incidents_find(&world->incidents, &facts), 0);
    for (size_t i = 0; i < world->incidents.count; i++) {
        const struct incident *incident = &world->incidents.all[i];
        for (size_t j = 0; j < incident->public.evidence_count; j++)
            found = incident->public.evidence[j] == world->what ? incident : found;
    }
    for (size_t i = 0; found && found->rule && i < armtap_rule_count(); i++)
        shown[i] = shown[i] || found->rule == armtap_rule_at(i) || adds_to(armtap_rule_at(i), found, world);
    return found;
}

static void expect_judged(struct world *world, const struct judged *wanted, const char *table, size_t row,
                          const char *variant)
{
    const struct incident *found = judge(world);
    const struct armtap_incident *public = found ? &found->public : NULL;
    const struct armtap_note_kind *cause = wanted->cause < 0 ? NULL : armtap_note_at((size_t)wanted->cause);
    if ((public ? public->evidence_count : 0) != wanted->evidence ||
        (public && (public->cause != cause || public->side != wanted->side)))
        fail_msg("%s, row %zu, %s: cause %s, side %s, of %zu findings; expected %s, %s, of %zu", table, row, variant,
                 public && public->cause ? public->cause->id : "none",
                 public ? armtap_blame_name(public->side) : "none", public ? public->evidence_count : 0,
                 cause ? cause->id : "none", armtap_blame_name(wanted->side), wanted->evidence);
    armtap_incidents_free(&world->incidents);
}

/* ---- rules, and how far they reach ------------------------------------------------------------------------------- */

/* What happened, why, what must be there besides, and what must not. */
struct rule_row {
    struct part what, cause, with, unless;
    struct judged judged;
    struct judged no_cause, no_with, has_unless; /* the same without the cause, without `with`, and besides `unless` */
};

/* The facts of a row, all at once but for one that is `after` ns later. */
static struct world world_of(const struct rule_row *row, bool has_unless, size_t moved, int64_t after)
{
    const struct part *parts[] = {&row->what, &row->cause, &row->with, &row->unless};
    struct world world = {.count = 0};
    for (size_t i = 0; i < (has_unless ? 4 : 3); i++)
        add(&world, parts[i], i == moved ? after : 0);
    return world;
}

static void check_row(const char *table, size_t at, const struct rule_row *row)
{
    static const char *const names[] = {"", "the cause", "what else there must be", "what must not be there"};
    const struct part *parts[] = {&row->what, &row->cause, &row->with, &row->unless};
    const struct judged *beyond[] = {NULL, &row->no_cause, &row->no_with, &row->judged};
    struct world world = world_of(row, false, 0, 0);
    expect_judged(&world, &row->judged, table, at, "as it stands");
    for (size_t i = 1; i < 4; i++) {
        for (size_t variant = 0; variant < 4 && parts[i]->said; variant++) {
            const bool is_before = variant % 2 == 0, is_beyond = variant / 2 == 1;
            const int64_t reach = (is_before ? -parts[i]->before : parts[i]->after) * MS;
            char name[80];
            snprintf(name, sizeof name, "%s %s its limit, %s", names[i], is_beyond ? "beyond" : "at",
                     is_before ? "earlier" : "later");
            world = world_of(row, i == 3, i, reach + (!is_beyond ? 0 : is_before ? -1 : 1));
            const struct judged *within = i == 3 ? &row->has_unless : &row->judged;
            expect_judged(&world, is_beyond ? beyond[i] : within, table, at, name);
        }
    }
}

#define CHECK_ROWS(rows)                                                                                               \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                                         \
    check_row(__func__, i, &(rows)[i])

#define A_STOP FACT(ARMTAP_FINDING_safety_stop, RTDE, ARGS(arg_case(ARMTAP_WORD_protective), arg_field("safety_mode")))
#define BY_SCRIPT(many)                                                                                                \
    {                                                                                                                  \
        many, ARMTAP_NOTE_ur_program, ARMTAP_BLAME_CLIENT                                                              \
    }
#define MODE(word) FACT(ARMTAP_FINDING_mode_changed, RTDE, ARGS(arg_case(ARMTAP_WORD_##word)))
#define PROGRAM_ENDS FACT(ARMTAP_FINDING_program_ended, RTDE, ARGS(arg_field("runtime_state")))
#define AN_ERROR FACT(ARMTAP_NOTE_ur_error, PRIMARY, ARGS(arg_code(153), arg_argument(2)))
#define RESENT(where) FACT(ARMTAP_FINDING_tcp_retransmission, DRIVER, ARGS(arg_direction(ARMTAP_WORD_##where)))
#define TIMEOUT(arguments) FACT(ARMTAP_FINDING_command_timeout, PRIMARY, arguments)
#define GAP_UNTIL(word) FACT(ARMTAP_FINDING_command_gap, DRIVER, ARGS(arg_until(ARMTAP_WORD_##word)))
#define GAP_NOT_SENT                                                                                                   \
    FACT(ARMTAP_FINDING_command_gap, DRIVER,                                                                           \
         ARGS(arg_usual_s(0.002), arg_until(ARMTAP_WORD_moved_on), arg_reason(ARMTAP_WORD_not_sent)))
#define STALL(word) FACT(ARMTAP_FINDING_tcp_zero_window, RTDE, ARGS(arg_who(ARMTAP_WORD_##word)))

#define UNKNOWN(many)                                                                                                  \
    {                                                                                                                  \
        many, NOTHING, ARMTAP_BLAME_UNCLEAR                                                                            \
    }
#define BY_ERROR(many)                                                                                                 \
    {                                                                                                                  \
        many, ARMTAP_NOTE_ur_error, ARMTAP_BLAME_UNCLEAR                                                               \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        0, NOTHING, 0                                                                                                  \
    }

static void stops_and_what_a_driver_sent(void **state)
{
#define GAP_RESENT(word)                                                                                               \
    {                                                                                                                  \
        .what = {A_STOP}, .cause = {GAP_UNTIL(word), WITHIN(1500, 0)}, .with = {RESENT(to_robot), WITHIN(1000, 1000)}, \
        .unless = {AN_ERROR, WITHIN(1000, 1000)}, .judged = {3, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_UNCLEAR},     \
        .no_cause = UNKNOWN(1), .no_with = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_CLIENT},                       \
        .has_unless = BY_ERROR(2)                                                                                      \
    }
/* What the gap itself knows. */
#define GAP_WITH_RESENT(word)                                                                                          \
    {                                                                                                                  \
        .what = {A_STOP},                                                                                              \
        .cause = {FACT(ARMTAP_FINDING_command_gap, DRIVER, ARGS(arg_until(ARMTAP_WORD_##word), arg_is_resent(true))),  \
                  WITHIN(1500, 0)},                                                                                    \
        .unless = {AN_ERROR, WITHIN(1000, 1000)}, .judged = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_UNCLEAR},     \
        .no_cause = UNKNOWN(1), .has_unless = BY_ERROR(2)                                                              \
    }
#define GAP(word)                                                                                                      \
    {                                                                                                                  \
        .what = {A_STOP}, .cause = {GAP_UNTIL(word), WITHIN(1500, 0)}, .unless = {AN_ERROR, WITHIN(1000, 1000)},       \
        .judged = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_CLIENT}, .no_cause = UNKNOWN(1),                        \
        .has_unless = BY_ERROR(2)                                                                                      \
    }
/* The driver may be gone. */
#define MUTE_GAP                                                                                                       \
    FACT(ARMTAP_FINDING_command_gap, DRIVER,                                                                           \
         ARGS(arg_allowed_s(0.02), arg_until(ARMTAP_WORD_robot_closed), arg_doubt(ARMTAP_WORD_client_gone)))
    const struct rule_row rows[] = {
        {.what = {A_STOP},
         .cause = {TIMEOUT(NO_ARGS), WITHIN(1500, 1500)},
         .with = {RESENT(to_robot), WITHIN(1000, 1000)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {3, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_NETWORK},
         .no_cause = UNKNOWN(1),
         .no_with = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {TIMEOUT(NO_ARGS), WITHIN(1500, 1500)},
         .with = {FACT(ARMTAP_FINDING_command_gap, DRIVER, ARGS(arg_allowed_s(0.02), arg_until(ARMTAP_WORD_may_end))),
                  WITHIN(1500, 0)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {3, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_CLIENT},
         .no_cause = UNKNOWN(1),
         .no_with = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {TIMEOUT(ARGS(arg_until(ARMTAP_WORD_driver_closed))), WITHIN(1500, 1500)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_CLIENT},
         .no_cause = UNKNOWN(1),
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {TIMEOUT(NO_ARGS), WITHIN(1500, 1500)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1),
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {TIMEOUT(NO_ARGS), WITHIN(1500, 1500)},
         .with = {FACT(ARMTAP_FINDING_command_gap, DRIVER, ARGS(arg_allowed_s(0.02), arg_is_resent(true))),
                  WITHIN(1500, 0)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {3, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1),
         .no_with = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {TIMEOUT(NO_ARGS), WITHIN(1500, 1500)},
         .with = {FACT(ARMTAP_FINDING_command_gap, DRIVER,
                       ARGS(arg_allowed_s(0.02), arg_until(ARMTAP_WORD_robot_closed_first))),
                  WITHIN(1500, 0)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {3, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .no_cause = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_UNCLEAR},
         .no_with = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {GAP_UNTIL(robot_closed_first), WITHIN(1500, 0)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1),
         .has_unless = BY_ERROR(2)},
        {.what = {A_STOP},
         .cause = {TIMEOUT(NO_ARGS), WITHIN(1500, 1500)},
         .with = {MUTE_GAP, WITHIN(1500, 0)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {3, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .no_cause = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_UNCLEAR},
         .no_with = {2, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR},
         .has_unless = BY_ERROR(3)},
        {.what = {A_STOP},
         .cause = {MUTE_GAP, WITHIN(1500, 0)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = {2, ARMTAP_FINDING_command_gap, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1),
         .has_unless = BY_ERROR(2)},
        GAP_WITH_RESENT(robot_closed),
        GAP_WITH_RESENT(driver_closed),
        GAP_WITH_RESENT(closed),
        GAP_RESENT(robot_closed),
        GAP_RESENT(driver_closed),
        GAP_RESENT(closed),
        GAP(robot_closed),
        GAP(driver_closed),
        GAP(closed),
    };
    (void)state;
    CHECK_ROWS(rows);
}

/* The controller's check of the path, explained by a driver's jump just before. */
static void jumps_explain_path_checks(void **state)
{
#define CHECK(number)                                                                                                  \
    .what = {A_STOP}, .cause = { FACT(ARMTAP_NOTE_ur_error, PRIMARY, ARGS(arg_code(number))), WITHIN(1000, 1000) }
#define JUMP(word) FACT(ARMTAP_FINDING_command_jump, DRIVER, ARGS(arg_case(ARMTAP_WORD_##word))), WITHIN(500, 0)
#define EXPLAINED(number, word, ...)                                                                                   \
    {                                                                                                                  \
        CHECK(number), .with = {JUMP(word)}, .judged = {3, ARMTAP_NOTE_ur_error, ARMTAP_BLAME_CLIENT},                 \
                       .no_with = BY_ERROR(2), .no_cause = __VA_ARGS__                                                 \
    }
#define BY_JUMP                                                                                                        \
    {                                                                                                                  \
        2, ARMTAP_FINDING_command_jump, ARMTAP_BLAME_CLIENT                                                            \
    }
    const struct rule_row rows[] = {
        EXPLAINED(204, too_fast, BY_JUMP),
        EXPLAINED(205, too_fast, BY_JUMP),
        EXPLAINED(206, too_fast, BY_JUMP),
        EXPLAINED(204, away_from_arm, UNKNOWN(1)),
        EXPLAINED(205, away_from_arm, UNKNOWN(1)),
        EXPLAINED(206, away_from_arm, UNKNOWN(1)),
        {.what = {A_STOP},
         .cause = {JUMP(too_fast)},
         .unless = {AN_ERROR, WITHIN(1000, 1000)},
         .judged = BY_JUMP,
         .no_cause = UNKNOWN(1),
         .has_unless = BY_ERROR(2)},
    };
    (void)state;
    CHECK_ROWS(rows);
}

static void what_the_controller_says_is_a_cause(void **state)
{
#define SAID(id, where, ...)                                                                                           \
    {                                                                                                                  \
        .what = {A_STOP}, .cause = {FACT(id, where, __VA_ARGS__), WITHIN(1000, 1000)},                                 \
        .judged = {2, id, ARMTAP_BLAME_UNCLEAR}, .no_cause = UNKNOWN(1)                                                \
    }
    const struct rule_row rows[] = {
        SAID(ARMTAP_NOTE_ur_error, PRIMARY, ARGS(arg_code(153), arg_argument(2))),
        SAID(ARMTAP_NOTE_ur_exception, PRIMARY, NO_ARGS),
        SAID(ARMTAP_NOTE_rtde_text_exception, RTDE, NO_ARGS),
        SAID(ARMTAP_NOTE_rtde_text_error, RTDE, NO_ARGS),
        SAID(ARMTAP_NOTE_ur_popup, PRIMARY, ARGS(arg_case(ARMTAP_WORD_error))),
        SAID(ARMTAP_NOTE_ur_message, PRIMARY, ARGS(arg_case(ARMTAP_WORD_trajectory_point_late))),
        SAID(ARMTAP_NOTE_ur_message, PRIMARY, ARGS(arg_case(ARMTAP_WORD_targets_beyond_limits))),
    };
    (void)state;
    CHECK_ROWS(rows);
}

#define NOT_SENT                                                                                                       \
    {                                                                                                                  \
        1, ARMTAP_FINDING_silence, ARMTAP_BLAME_ROBOT                                                                  \
    }
#define SILENT(word) FACT(ARMTAP_FINDING_silence, RTDE, ARGS(arg_reason(ARMTAP_WORD_##word))), .size = 3

/* What a client sent failed, or replaced what ran; a client of the dashboard server ended it. A stop for safety has
 * other reasons. */
static void what_a_client_requests_has_a_side(void **state)
{
#define STOP_BESIDE                                                                                                    \
    {                                                                                                                  \
        FACT(ARMTAP_FINDING_safety_stop, REALTIME, ARGS(arg_case(ARMTAP_WORD_protective))), WITHIN(1000, 1000)         \
    }
#define STOP_NEAR                                                                                                      \
    {                                                                                                                  \
        FACT(ARMTAP_FINDING_safety_stop, REALTIME, ARGS(arg_case(ARMTAP_WORD_protective))), WITHIN(4000, 1000)         \
    }
    const struct rule_row rows[] = {
        {.what = {PROGRAM_ENDS},
         .cause = {FACT(ARMTAP_NOTE_ur_exception, PRIMARY, ARGS(arg_sent_packet(9))), WITHIN(1000, 1000)},
         .unless = STOP_BESIDE,
         .judged = {2, ARMTAP_NOTE_ur_exception, ARMTAP_BLAME_CLIENT},
         .no_cause = UNKNOWN(1),
         .has_unless = {3, ARMTAP_NOTE_ur_exception, ARMTAP_BLAME_UNCLEAR}},
        {.what = {PROGRAM_ENDS},
         .cause = {FACT(ARMTAP_NOTE_ur_program, PRIMARY, ARGS(arg_case(ARMTAP_WORD_started), arg_sent_packet(9))),
                   WITHIN(0, 1000)},
         .with = {FACT(ARMTAP_NOTE_ur_program, PRIMARY, ARGS(arg_case(ARMTAP_WORD_sent))), WITHIN(1000, 0)},
         .unless = STOP_BESIDE,
         .judged = {3, ARMTAP_NOTE_ur_program, ARMTAP_BLAME_CLIENT},
         .no_cause = {2, ARMTAP_NOTE_ur_program, ARMTAP_BLAME_CLIENT},
         .no_with = UNKNOWN(1),
         .has_unless = UNKNOWN(2)},
        {.what = {PROGRAM_ENDS},
         .cause = {FACT(ARMTAP_NOTE_ur_program, REALTIME, ARGS(arg_case(ARMTAP_WORD_sent))), WITHIN(1000, 0)},
         .unless = STOP_BESIDE,
         .judged = {2, ARMTAP_NOTE_ur_program, ARMTAP_BLAME_CLIENT},
         .no_cause = UNKNOWN(1),
         .has_unless = UNKNOWN(2)},
        {.what = {PROGRAM_ENDS},
         .cause = {MODE(power_lost), WITHIN(1000, 1000)},
         .unless = STOP_BESIDE,
         .judged = {2, ARMTAP_FINDING_mode_changed, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1),
         .has_unless = UNKNOWN(2)},
        {.what = {PROGRAM_ENDS},
         .cause = {FACT(ARMTAP_NOTE_dashboard_command, DASHBOARD, NO_ARGS), WITHIN(600, 200)},
         .unless = STOP_BESIDE,
         .judged = {2, ARMTAP_NOTE_dashboard_command, ARMTAP_BLAME_CLIENT},
         .no_cause = UNKNOWN(1),
         .has_unless = UNKNOWN(2)},
        /* data that stands still for 3 s is no part of a stop near it */
        {.what = {SILENT(not_sent)},
         .cause = {FACT(ARMTAP_NOTE_ur_exception, PRIMARY, ARGS(arg_sent_packet(9))), WITHIN(4000, 1000)},
         .unless = STOP_NEAR,
         .judged = {2, ARMTAP_NOTE_ur_exception, ARMTAP_BLAME_CLIENT},
         .no_cause = NOT_SENT,
         .has_unless = {2, ARMTAP_NOTE_ur_exception, ARMTAP_BLAME_UNCLEAR}},
        {.what = {SILENT(not_sent)},
         .cause = {FACT(ARMTAP_NOTE_dashboard_command, DASHBOARD, NO_ARGS), WITHIN(3600, 200)},
         .unless = STOP_NEAR,
         .judged = {2, ARMTAP_NOTE_dashboard_command, ARMTAP_BLAME_CLIENT},
         .no_cause = NOT_SENT,
         .has_unless = NOT_SENT},
    };
    (void)state;
    CHECK_ROWS(rows);
}

/* Reaches are counted from the beginning of the 3 s without data, and from their end. */
static void late_data_has_a_side(void **state)
{
#define STALL_BESIDE                                                                                                   \
    {                                                                                                                  \
        STALL(robot), WITHIN(4000, 1000)                                                                               \
    }
#define BY_SILENCE                                                                                                     \
    {                                                                                                                  \
        1, ARMTAP_FINDING_silence, ARMTAP_BLAME_UNCLEAR                                                                \
    }
    const struct rule_row rows[] = {
        {.what = {SILENT(delayed)},
         .with = {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_from_robot))),
                  WITHIN(3000, 1000)},
         .unless = STALL_BESIDE,
         .judged = {2, ARMTAP_FINDING_tcp_retransmission, ARMTAP_BLAME_NETWORK},
         .no_with = BY_SILENCE,
         .has_unless = UNKNOWN(1)},
        {.what = {SILENT(delayed_or_stalled)},
         .with = {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_from_robot))),
                  WITHIN(3000, 1000)},
         .unless = STALL_BESIDE,
         .judged = {2, ARMTAP_FINDING_tcp_retransmission, ARMTAP_BLAME_NETWORK},
         .no_with = UNKNOWN(1),
         .has_unless = UNKNOWN(1)},
        {.what = {SILENT(delayed)}, .unless = STALL_BESIDE, .judged = BY_SILENCE, .has_unless = UNKNOWN(1)},
        {.what = {SILENT(held_up)}, .unless = STALL_BESIDE, .judged = BY_SILENCE, .has_unless = UNKNOWN(1)},
        {.what = {SILENT(unknown)},
         .cause = {FACT(ARMTAP_FINDING_network_stalled, RTDE, NO_ARGS), WITHIN(6000, 1000)},
         .unless = STALL_BESIDE,
         .judged = {2, ARMTAP_FINDING_network_stalled, ARMTAP_BLAME_NETWORK},
         .no_cause = UNKNOWN(1),
         .has_unless = {2, ARMTAP_FINDING_silence, ARMTAP_BLAME_UNCLEAR}},
        {.what = {SILENT(acks_lost)},
         .unless = STALL_BESIDE,
         .judged = {1, ARMTAP_FINDING_silence, ARMTAP_BLAME_NETWORK},
         .has_unless = UNKNOWN(1)},
        {.what = {SILENT(held_up)},
         .cause = {FACT(ARMTAP_FINDING_tcp_not_acknowledged, RTDE, NO_ARGS), WITHIN(3000, 1000)},
         .unless = STALL_BESIDE,
         .judged = {2, ARMTAP_FINDING_tcp_not_acknowledged, ARMTAP_BLAME_UNCLEAR},
         .no_cause = BY_SILENCE,
         .has_unless = UNKNOWN(1)},
        {.what = {SILENT(not_sent)}, .unless = STALL_BESIDE, .judged = NOT_SENT, .has_unless = BY_SILENCE},
        {.what = {FACT(ARMTAP_FINDING_silence, RTDE, ARGS(arg_reason(ARMTAP_WORD_not_sent), arg_times(1))), .size = 3},
         .judged = BY_SILENCE},
        {.what = {SILENT(waited)}, .judged = BY_SILENCE},
        {.what = {SILENT(not_captured)},
         .unless = STALL_BESIDE,
         .judged = {1, ARMTAP_FINDING_silence, ARMTAP_BLAME_NETWORK},
         .has_unless = UNKNOWN(1)},
        {.what = {SILENT(robot_gone)}, .judged = BY_SILENCE},
        {.what = {SILENT(client_gone)}, .judged = BY_SILENCE},
        {.what = {SILENT(program_silent)}, .judged = {1, ARMTAP_FINDING_silence, ARMTAP_BLAME_ROBOT}},
        {.what = {SILENT(none)},
         .cause = {FACT(ARMTAP_FINDING_rtde_no_reply, RTDE, ARGS(arg_is_acknowledged(true))), WITHIN(3000, 60000)},
         .unless = STALL_BESIDE,
         .judged = {2, ARMTAP_FINDING_rtde_no_reply, ARMTAP_BLAME_ROBOT},
         .no_cause = UNKNOWN(1),
         .has_unless = UNKNOWN(1)},
        {.what = {SILENT(client_stopped_reading)}, .judged = {1, ARMTAP_FINDING_silence, ARMTAP_BLAME_CLIENT}},
    };
    (void)state;
    CHECK_ROWS(rows);
}

/* What waited behind something is its effect, for half a minute, and no side's alone; the same hole is one incident. */
static void what_waited_has_the_side_of_what_held_it_up(void **state)
{
#define WAITING(...)                                                                                                   \
    FACT(ARMTAP_FINDING_clock_skipped, RTDE, ARGS(arg_reason(ARMTAP_WORD_waited), __VA_ARGS__)), .size = 1000
#define SILENT_TO_END(word)                                                                                            \
    FACT(ARMTAP_FINDING_silence, RTDE, ARGS(arg_reason(ARMTAP_WORD_##word), arg_is_to_end(true))), .size = 3
#define BEHIND WITHIN(30000, 1000)
#define DOUBTED FACT(ARMTAP_FINDING_network_stalled, RTDE, ARGS(arg_doubt(ARMTAP_WORD_client_gone)))
    const struct rule_row rows[] = {
        {.what = {WAITING(arg_none(true))},
         .cause = {STALL(client), BEHIND},
         .judged = {2, ARMTAP_FINDING_tcp_zero_window, ARMTAP_BLAME_CLIENT},
         .no_cause = UNKNOWN(1)},
        {.what = {WAITING(arg_times(1))},
         .cause = {FACT(ARMTAP_FINDING_network_stalled, RTDE, NO_ARGS), BEHIND},
         .judged = {2, ARMTAP_FINDING_network_stalled, ARMTAP_BLAME_NETWORK},
         .no_cause = UNKNOWN(1)},
        {.what = {WAITING(arg_times(1))},
         .cause = {DOUBTED, BEHIND},
         .judged = {2, ARMTAP_FINDING_network_stalled, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1)},
        {.what = {WAITING(arg_times(1))},
         .cause = {FACT(ARMTAP_FINDING_silence, RTDE, ARGS(arg_reason(ARMTAP_WORD_unknown))), BEHIND},
         .judged = {2, ARMTAP_FINDING_silence, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1)},
        {.what = {FACT(ARMTAP_NOTE_tcp_reset, RTDE, ARGS(arg_reason(ARMTAP_WORD_robot_gone)))},
         .cause = {SILENT_TO_END(robot_gone), WITHIN(1000, 4000)},
         .judged = {2, ARMTAP_FINDING_silence, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1)},
        {.what = {FACT(ARMTAP_NOTE_stream_resync, RTDE, ARGS(arg_bytes(90)))},
         .cause = {SILENT_TO_END(held_up), WITHIN(1000, 4000)},
         .judged = {2, ARMTAP_FINDING_silence, ARMTAP_BLAME_UNCLEAR},
         .no_cause = UNKNOWN(1)},
        {.what = {FACT(ARMTAP_FINDING_clock_skipped, RTDE, NO_ARGS)},
         .cause = {SILENT(not_sent), WITHIN(0, 0)},
         .judged = {2, ARMTAP_FINDING_silence, ARMTAP_BLAME_ROBOT},
         .no_cause = {1, NOTHING, ARMTAP_BLAME_ROBOT}},
    };
    (void)state;
    CHECK_ROWS(rows);
}

/* What a handshake lacked explains what it ended in, for an hour. */
static void handshakes_have_causes(void **state)
{
#define EARLIER(id, because, blame, alone)                                                                             \
    {                                                                                                                  \
        .what = {FACT(ARMTAP_NOTE_rtde_##id, RTDE, NO_ARGS)},                                                          \
        .cause = {FACT(ARMTAP_NOTE_rtde_##because, RTDE, NO_ARGS), WITHIN(3600000, 1000)},                             \
        .judged = {2, ARMTAP_NOTE_rtde_##because, ARMTAP_BLAME_##blame}, .no_cause = {                                 \
            1,                                                                                                         \
            NOTHING,                                                                                                   \
            ARMTAP_BLAME_##alone                                                                                       \
        }                                                                                                              \
    }
/* What the controller says about it. */
#define REFUSED(id)                                                                                                    \
    {                                                                                                                  \
        .what = {FACT(ARMTAP_NOTE_rtde_##id, RTDE, NO_ARGS)},                                                          \
        .cause = {FACT(ARMTAP_NOTE_rtde_start_refused, RTDE, NO_ARGS), WITHIN(1000, 1000)},                            \
        .judged = {2, ARMTAP_NOTE_rtde_start_refused, ARMTAP_BLAME_UNCLEAR}, .no_cause = {                             \
            1,                                                                                                         \
            NOTHING,                                                                                                   \
            ARMTAP_BLAME_UNCLEAR                                                                                       \
        }                                                                                                              \
    }
    const struct rule_row rows[] = {
        EARLIER(field_not_found, version_not_negotiated, CLIENT, CLIENT),
        EARLIER(field_not_found, frequency_missing, CLIENT, CLIENT),
        EARLIER(start_refused, field_not_found, CLIENT, UNCLEAR),
        EARLIER(start_refused, field_in_use, CLIENT, UNCLEAR),
        EARLIER(start_refused, version_refused, CLIENT, UNCLEAR),
        REFUSED(text_error),
        REFUSED(text_warning),
        EARLIER(recipe_missing, field_not_found, CLIENT, CAPTURE),
        EARLIER(recipe_missing, field_in_use, CLIENT, CAPTURE),
        EARLIER(recipe_missing, setup_bad, UNCLEAR, CAPTURE),
    };
    (void)state;
    CHECK_ROWS(rows);
}

/* What a stop broke off belongs to it, whatever it has as its cause. */
static void a_stop_ends_commands(void **state)
{
#define BROKEN_OFF(id)                                                                                                 \
    {                                                                                                                  \
        .what = {FACT(ARMTAP_FINDING_command_##id, RTDE, NO_ARGS)},                                                    \
        .cause = {FACT(ARMTAP_FINDING_safety_stop, REALTIME, ARGS(arg_case(ARMTAP_WORD_protective))),                  \
                  WITHIN(1500, 1500)},                                                                                 \
        .judged = UNKNOWN(2), .no_cause = UNKNOWN(1)                                                                   \
    }
/* A robot's program ignores what no joint can do. */
#define NOT_FOLLOWED(how)                                                                                              \
    {                                                                                                                  \
        .what = {FACT(ARMTAP_FINDING_command_not_followed, DRIVER, NO_ARGS)},                                          \
        .cause = {FACT(ARMTAP_FINDING_command_jump, DRIVER, ARGS(arg_case(ARMTAP_WORD_##how))), WITHIN(500, 0)},       \
        .judged = {2, ARMTAP_FINDING_command_jump, ARMTAP_BLAME_CLIENT}, .no_cause = UNKNOWN(1)                        \
    }
#define OF_TWO_MACHINES(code)                                                                                          \
    {                                                                                                                  \
        .what = {FACT(code, RTDE, NO_ARGS)},                                                                           \
        .cause = {FACT(ARMTAP_NOTE_address_conflict, RTDE, NO_ARGS), WITHIN(60000, 1000)},                             \
        .judged = {2, ARMTAP_NOTE_address_conflict, ARMTAP_BLAME_UNCLEAR}, .no_cause = UNKNOWN(1)                      \
    }
    const struct rule_row rows[] = {BROKEN_OFF(failed),
                                    BROKEN_OFF(unanswered),
                                    NOT_FOLLOWED(too_fast),
                                    NOT_FOLLOWED(away_from_arm),
                                    OF_TWO_MACHINES(ARMTAP_NOTE_tcp_reset),
                                    OF_TWO_MACHINES(ARMTAP_NOTE_tcp_refused)};
    (void)state;
    CHECK_ROWS(rows);
}

/* ---- what lasts -------------------------------------------------------------------------------------------------- */

/* What a receiver did, and data that stood still or was skipped: it must have lasted long enough, and ended no more
 * than a second earlier. */
static void what_lasts_must_be_long_enough(void **state)
{
#define SKIPPED FACT(ARMTAP_FINDING_clock_skipped, RTDE, NO_ARGS), .size = 10 /* packages */
#define SKIPPED_AS(...) FACT(ARMTAP_FINDING_clock_skipped, RTDE, ARGS(__VA_ARGS__)), .size = 10
#define WHILE_RESENT SKIPPED_AS(arg_reason(ARMTAP_WORD_held_up), arg_times(3))
#define SKIPPED_UNPROVEN                                                                                               \
    {                                                                                                                  \
        1, NOTHING, ARMTAP_BLAME_UNCLEAR                                                                               \
    }
#define RESET FACT(ARMTAP_NOTE_tcp_reset, RTDE, ARGS(arg_who(ARMTAP_WORD_robot)))
#define STOOD_STILL FACT(ARMTAP_FINDING_network_stalled, RTDE, NO_ARGS)
#define OF_NETWORK(many)                                                                                               \
    {                                                                                                                  \
        many, NOTHING, ARMTAP_BLAME_NETWORK                                                                            \
    }
#define ENDED_BY_ROBOT FACT(ARMTAP_FINDING_stream_ended_by_robot, RTDE, NO_ARGS)
#define STALLED(word, where, seconds)                                                                                  \
    FACT(ARMTAP_FINDING_tcp_zero_window, where, ARGS(arg_who(ARMTAP_WORD_##word))), .size = seconds
#define SILENT_FOR(word, where, seconds)                                                                               \
    FACT(ARMTAP_FINDING_silence, where, ARGS(arg_reason(ARMTAP_WORD_##word))), .size = seconds
#define BY_STALL(many)                                                                                                 \
    {                                                                                                                  \
        many, ARMTAP_FINDING_tcp_zero_window, ARMTAP_BLAME_CLIENT                                                      \
    }
/* The stall of a robot keeps the silence from being an incident of its own. */
#define WHILE(word, of, seconds, after, ...)                                                                           \
    {                                                                                                                  \
        {WHILE_RESENT}, {SILENT_FOR(word, of, seconds)}, after, __VA_ARGS__,                                           \
        {                                                                                                              \
            STALLED(robot, of, 3)                                                                                      \
        }                                                                                                              \
    }
/* What comes with the record that shows the skip is the same hole. */
#define SKIPPED_WHILE(word)                                                                                            \
    WHILE(word, RTDE, 0.02, 0, BY_SILENCE_TOO), WHILE(word, RTDE, 0.02, -1, BY_SILENCE_TOO),                           \
        WHILE(word, RTDE, 0.019, -1, SKIPPED_UNPROVEN), WHILE(word, RTDE, 3, -3000 * MS, BY_SILENCE_TOO),              \
        WHILE(word, RTDE, 3, -3000 * MS - 1, SKIPPED_UNPROVEN), WHILE(word, RTDE, 3, 1, SKIPPED_UNPROVEN),             \
        WHILE(word, REALTIME, 3, 0, SKIPPED_UNPROVEN)
#define BESIDE(word, after, ...)                                                                                       \
    {                                                                                                                  \
        {SILENT(unknown)}, {SILENT_FOR(word, REALTIME, 3)}, after, __VA_ARGS__,                                        \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define SILENT_BESIDE(word)                                                                                            \
    BESIDE(word, 0, UNKNOWN(1)), BESIDE(word, 1, UNKNOWN(1)), BESIDE(word, -3000 * MS - 1, UNKNOWN(1))
#define RESENT_THERE FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_from_robot)))
#define BESIDE_RESENT(word, after, ...)                                                                                \
    {                                                                                                                  \
        {SILENT(unknown)}, {SILENT_FOR(word, REALTIME, 3)}, after, __VA_ARGS__,                                        \
        {                                                                                                              \
            RESENT_THERE                                                                                               \
        }                                                                                                              \
    }
#define RESENT_BESIDE(word)                                                                                            \
    BESIDE_RESENT(word, 0, UNKNOWN(1)), BESIDE_RESENT(word, 1, UNKNOWN(1)),                                            \
        BESIDE_RESENT(word, -3000 * MS - 1, UNKNOWN(1))
#define BY_SILENCE_TOO                                                                                                 \
    {                                                                                                                  \
        2, ARMTAP_FINDING_silence, ARMTAP_BLAME_UNCLEAR                                                                \
    }
#define SKIPPED_ALONE                                                                                                  \
    {                                                                                                                  \
        1, NOTHING, ARMTAP_BLAME_ROBOT                                                                                 \
    }
#define FROZEN_FOR(id, where, seconds) FACT(ARMTAP_FINDING_##id##_frozen, where, NO_ARGS), .size = seconds
#define BY_FROZEN(id)                                                                                                  \
    {                                                                                                                  \
        2, ARMTAP_FINDING_##id##_frozen, ARMTAP_BLAME_ROBOT                                                            \
    }
#define SET_BACK FACT(ARMTAP_FINDING_clock_backwards, RTDE, NO_ARGS)
#define FROZEN_BEFORE(id)                                                                                              \
    {{SKIPPED}, {FROZEN_FOR(id, RTDE, 0.02)}, -20 * MS, BY_FROZEN(id), {0}},                                           \
        {{SKIPPED}, {FROZEN_FOR(id, RTDE, 0.019)}, -20 * MS, SKIPPED_ALONE, {0}},                                      \
        {{SKIPPED}, {FROZEN_FOR(id, RTDE, 3)}, -4000 * MS, BY_FROZEN(id), {0}},                                        \
        {{SKIPPED}, {FROZEN_FOR(id, RTDE, 3)}, -4000 * MS - 1, SKIPPED_ALONE, {0}},                                    \
        {{SKIPPED}, {FROZEN_FOR(id, REALTIME, 3)}, -3000 * MS, SKIPPED_ALONE, {0}},                                    \
        {{SET_BACK}, {FROZEN_FOR(id, RTDE, 3)}, -3000 * MS, BY_FROZEN(id), {0}},                                       \
        {{SET_BACK}, {FROZEN_FOR(id, RTDE, 3)}, -4000 * MS - 1, SKIPPED_ALONE, {0}},                                   \
    {                                                                                                                  \
        {FROZEN_FOR(id, RTDE, 3)}, {STALL(client)}, 0, {1, ARMTAP_FINDING_##id##_frozen, ARMTAP_BLAME_ROBOT},          \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
    const struct {
        struct part what, cause;
        int64_t after; /* ns after what happened the cause began, or was reported */
        struct judged judged;
        struct part beside;
    } rows[] = {
        /* 3 s without data: at least 2 s. */
        {{SILENT(unknown)}, {STALLED(client, RTDE, 3)}, -3000 * MS, BY_STALL(2), {0}},
        {{SILENT(unknown)}, {STALLED(client, RTDE, 2)}, -3000 * MS, BY_STALL(2), {0}},
        {{SILENT(unknown)}, {STALLED(client, RTDE, 2)}, -3000 * MS - 1, UNKNOWN(1), {0}},
        {{SILENT(unknown)}, {STALLED(client, RTDE, 1.999)}, -2000 * MS, UNKNOWN(1), {0}},
        {{SILENT(unknown)}, {STALLED(client, RTDE, 2)}, 0, BY_STALL(2), {0}},
        {{SILENT(unknown)}, {STALLED(client, RTDE, 2)}, 1, UNKNOWN(1), {0}},
        {{SILENT(unknown)}, {STALLED(robot, RTDE, 3)}, -3000 * MS, UNKNOWN(1), {0}},
        {{SILENT(unknown)}, {STALLED(client, REALTIME, 3)}, -3000 * MS, UNKNOWN(1), {0}},
        /* 10 packages take 20 ms or more. */
        {{SKIPPED}, {STALLED(client, RTDE, 0.02)}, -20 * MS, BY_STALL(2), {0}},
        {{SKIPPED}, {STALLED(client, RTDE, 0.019)}, -20 * MS, SKIPPED_ALONE, {0}},
        {{SKIPPED}, {STALLED(client, RTDE, 0.5)}, -1500 * MS, BY_STALL(2), {0}},
        {{SKIPPED}, {STALLED(client, RTDE, 0.5)}, -1500 * MS - 1, SKIPPED_ALONE, {0}},
        {{SKIPPED}, {STALLED(client, RTDE, 0.5)}, 0, BY_STALL(2), {0}},
        {{SKIPPED}, {STALLED(client, RTDE, 0.5)}, 1, SKIPPED_ALONE, {0}},
        {{SKIPPED}, {STALLED(client, REALTIME, 0.5)}, -500 * MS, SKIPPED_ALONE, {0}},
        {{SKIPPED}, {STALLED(robot, RTDE, 0.5)}, -500 * MS, SKIPPED_ALONE, {0}},
        /* A connection may be reset because its client does not read, however short that was. */
        {{RESET}, {STALLED(client, RTDE, 0.001)}, -1001 * MS, BY_STALL(2), {0}},
        {{RESET}, {STALLED(client, RTDE, 0.001)}, -1001 * MS - 1, UNKNOWN(1), {0}},
        {{RESET}, {STALLED(client, RTDE, 0.001)}, 1, UNKNOWN(1), {0}},
        {{RESET}, {STALLED(client, REALTIME, 0.5)}, 0, UNKNOWN(1), {0}},
        {{RESET}, {STALLED(robot, RTDE, 0.5)}, 0, UNKNOWN(1), {0}},
        {{STOOD_STILL}, {STALLED(client, RTDE, 0.3)}, -1300 * MS, BY_STALL(2), {0}},
        {{STOOD_STILL}, {STALLED(client, RTDE, 0.3)}, -1300 * MS - 1, OF_NETWORK(1), {0}},
        {{ENDED_BY_ROBOT}, {STALLED(client, RTDE, 0.001)}, -1001 * MS, BY_STALL(2), {0}},
        {{ENDED_BY_ROBOT}, {STALLED(client, RTDE, 0.001)}, -1001 * MS - 1, SKIPPED_ALONE, {0}},
        {{WHILE_RESENT},
         {STOOD_STILL, .size = 0.02},
         -3000 * MS,
         {2, ARMTAP_FINDING_network_stalled, ARMTAP_BLAME_NETWORK},
         {0}},
        {{WHILE_RESENT}, {STOOD_STILL, .size = 0.02}, -3000 * MS - 1, SKIPPED_UNPROVEN, {0}},
        {{WHILE_RESENT}, {STOOD_STILL, .size = 0.019}, 0, SKIPPED_UNPROVEN, {0}},
        {{SKIPPED}, {STOOD_STILL, .size = 0.02}, -3000 * MS, SKIPPED_ALONE, {0}},
        {{SKIPPED}, {SILENT_FOR(delayed, RTDE, 0.02)}, -1, SKIPPED_ALONE, {0}},
        /* Commands may come one by one behind a hole that the network made. */
        {{GAP_NOT_SENT}, {STOOD_STILL}, 3000 * MS, {2, ARMTAP_FINDING_network_stalled, ARMTAP_BLAME_UNCLEAR}, {0}},
        {{GAP_NOT_SENT}, {STOOD_STILL}, -3000 * MS, {2, ARMTAP_FINDING_network_stalled, ARMTAP_BLAME_UNCLEAR}, {0}},
        {{GAP_NOT_SENT},
         {RESENT(to_robot)},
         3000 * MS,
         {2, ARMTAP_FINDING_tcp_retransmission, ARMTAP_BLAME_UNCLEAR},
         {0}},
        {{GAP_NOT_SENT}, {RESENT(to_robot)}, 3000 * MS + 1, {1, NOTHING, ARMTAP_BLAME_CLIENT}, {0}},
        {{GAP_NOT_SENT}, {RESENT(from_robot)}, 0, {1, NOTHING, ARMTAP_BLAME_CLIENT}, {0}},
        /* A silence ends before, or with the record that shows what was skipped. */
        SKIPPED_WHILE(held_up),
        WHILE(acks_lost, RTDE, 3, -1000 * MS, BY_SILENCE_TOO),
        SKIPPED_WHILE(delayed),
        SKIPPED_WHILE(delayed_or_stalled),
        /* That of another connection is not its cause. */
        SILENT_BESIDE(delayed),
        SILENT_BESIDE(held_up),
        SILENT_BESIDE(client_stopped_reading),
        RESENT_BESIDE(delayed),
        RESENT_BESIDE(delayed_or_stalled),
        {{SKIPPED}, {SILENT_FOR(stalled, RTDE, 3)}, 0, BY_SILENCE_TOO, {0}},
        {{SKIPPED}, {SILENT_FOR(stalled, RTDE, 3)}, -1, SKIPPED_ALONE, {0}},
        /* A clock that stood still goes on, from wherever. */
        FROZEN_BEFORE(values),
        FROZEN_BEFORE(clock),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world world = {.count = 0};
        add(&world, &rows[i].what, 0);
        add(&world, &rows[i].cause, rows[i].after);
        add(&world, &rows[i].beside, 0);
        expect_judged(&world, &rows[i].judged, __func__, i, "as it stands");
    }
}

/* ---- what is no cause -------------------------------------------------------------------------------------------- */

/* Facts at the same time, most of which prove nothing. */
static void facts_prove_what_they_say(void **state)
{
#define TOO_FAST FACT(ARMTAP_FINDING_command_jump, DRIVER, ARGS(arg_case(ARMTAP_WORD_too_fast)))
#define WAITED TIMEOUT(NO_ARGS)
#define BY_TIMEOUT(many)                                                                                               \
    {                                                                                                                  \
        many, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR                                                     \
    }
#define TEXT_ERROR FACT(ARMTAP_NOTE_rtde_text_error, RTDE, NO_ARGS)
#define BY_TEXT(many)                                                                                                  \
    {                                                                                                                  \
        many, ARMTAP_NOTE_rtde_text_error, ARMTAP_BLAME_UNCLEAR                                                        \
    }
#define FAULT(...) FACT(ARMTAP_FINDING_safety_state, RTDE, ARGS(arg_field("safety_mode"), __VA_ARGS__))
#define FAULT_ALONE(side)                                                                                              \
    {                                                                                                                  \
        1, NOTHING, ARMTAP_BLAME_##side                                                                                \
    }
#define PROGRAM(word) FACT(ARMTAP_NOTE_ur_program, PRIMARY, ARGS(arg_case(ARMTAP_WORD_##word)))
#define SENT(word) FACT(ARMTAP_NOTE_ur_program, PRIMARY, ARGS(arg_case(ARMTAP_WORD_##word), arg_sent_packet(9)))
#define SAYS(id, word) FACT(ARMTAP_NOTE_##id, PRIMARY, ARGS(arg_case(ARMTAP_WORD_##word)))
    const struct {
        struct part parts[3];
        struct judged judged;
    } rows[] = {
        {{{A_STOP}}, UNKNOWN(1)},
        /* another robot, other codes, other words */
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_error, OTHER_ROBOT, ARGS(arg_code(153)))}}, UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_error, PRIMARY, ARGS(arg_code(203)))}, {TOO_FAST}}, BY_ERROR(2)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_error, PRIMARY, ARGS(arg_code(207)))}, {TOO_FAST}}, BY_ERROR(2)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_error, PRIMARY, NO_ARGS)}, {TOO_FAST}}, BY_ERROR(2)},
        {{{A_STOP}, {FACT(ARMTAP_FINDING_command_jump, DRIVER, ARGS(arg_case(ARMTAP_WORD_away_from_arm)))}},
         UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_warning, PRIMARY, ARGS(arg_code(1)))}}, UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_popup, PRIMARY, NO_ARGS)}}, UNKNOWN(1)},
        {{{A_STOP}, {SAYS(ur_popup, warning)}}, UNKNOWN(1)},
        {{{A_STOP}, {SAYS(ur_message, waits_in_vain)}}, UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_message, PRIMARY, NO_ARGS)}}, UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_safety, PRIMARY, NO_ARGS)}}, UNKNOWN(1)},
        {{{A_STOP}, {PROGRAM(stopped)}}, UNKNOWN(2)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_rtde_text_warning, RTDE, NO_ARGS)}}, UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_rtde_text_info, RTDE, NO_ARGS)}}, UNKNOWN(1)},
        /* a gap that the robot's program outlived, or may have */
        {{{A_STOP}, {GAP_UNTIL(continued)}}, UNKNOWN(1)},
        {{{A_STOP}, {GAP_UNTIL(may_end)}}, UNKNOWN(1)},
        {{{A_STOP}, {GAP_UNTIL(moved_on)}}, UNKNOWN(1)},
        {{{A_STOP}, {GAP_UNTIL(continued)}, {RESENT(to_robot)}}, UNKNOWN(1)},
        {{{A_STOP}, {GAP_UNTIL(may_end)}, {RESENT(to_robot)}}, UNKNOWN(1)},
        /* a stop for safety has no requests as its cause */
        {{{A_STOP}, {FACT(ARMTAP_NOTE_dashboard_command, DASHBOARD, NO_ARGS)}}, UNKNOWN(1)},
        {{{A_STOP}, {SENT(started)}, {PROGRAM(sent)}}, UNKNOWN(1)},
        {{{A_STOP}, {FACT(ARMTAP_NOTE_ur_exception, PRIMARY, ARGS(arg_sent_packet(9)))}},
         {2, ARMTAP_NOTE_ur_exception, ARMTAP_BLAME_UNCLEAR}},
        /* missing commands */
        {{{WAITED}}, {1, ARMTAP_FINDING_command_timeout, ARMTAP_BLAME_UNCLEAR}},
        {{{WAITED}, {RESENT(to_robot)}}, {2, ARMTAP_FINDING_tcp_retransmission, ARMTAP_BLAME_NETWORK}},
        {{{WAITED}, {RESENT(from_robot)}}, BY_TIMEOUT(1)},
        {{{WAITED}, {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_to_robot)))}},
         BY_TIMEOUT(1)},
        {{{WAITED},
          {FACT(ARMTAP_FINDING_tcp_retransmission, DRIVER,
                ARGS(arg_direction(ARMTAP_WORD_to_robot), arg_doubt(ARMTAP_WORD_by_delay)))}},
         BY_TIMEOUT(1)},
        {{{WAITED},
          {FACT(ARMTAP_FINDING_command_gap, DRIVER, ARGS(arg_usual_s(0.002), arg_until(ARMTAP_WORD_moved_on)))}},
         BY_TIMEOUT(1)},
        {{{TIMEOUT(ARGS(arg_until(ARMTAP_WORD_driver_closed)))}, {AN_ERROR}}, BY_ERROR(2)},
        /* a program that ends is told, one that pauses is ordinary */
        {{{PROGRAM_ENDS}}, UNKNOWN(1)},
        {{{PROGRAM_ENDS}, {TEXT_ERROR}}, BY_TEXT(2)},
        {{{PROGRAM_ENDS}, {PROGRAM(sent)}}, BY_SCRIPT(2)},
        {{{PROGRAM_ENDS}, {FACT(ARMTAP_NOTE_ur_program, PRIMARY, ARGS(arg_case(ARMTAP_WORD_sent), arg_is_own(true)))}},
         BY_SCRIPT(2)},
        {{{FACT(ARMTAP_FINDING_program_ended, RTDE, ARGS(arg_case(ARMTAP_WORD_protective)))}}, NONE},
        {{{FACT(ARMTAP_FINDING_program_ended, RTDE, ARGS(arg_doubt(ARMTAP_WORD_guessed)))}}, NONE},
        {{{MODE(program_stopped)}, {TEXT_ERROR}}, NONE},
        {{{MODE(power_lost)}}, NONE},
        {{{MODE(program_paused)}, {TEXT_ERROR}}, BY_TEXT(2)},
        {{{MODE(none)}, {TEXT_ERROR}}, NONE},
        {{{PROGRAM_ENDS}, {FACT(ARMTAP_NOTE_rtde_text_info, RTDE, NO_ARGS)}}, UNKNOWN(1)},
        {{{PROGRAM(stopped)}}, NONE},
        {{{PROGRAM(stopped)}, {FACT(ARMTAP_NOTE_ur_exception, PRIMARY, NO_ARGS)}},
         {2, ARMTAP_NOTE_ur_exception, ARMTAP_BLAME_UNCLEAR}},
        {{{PROGRAM(stopped)}, {SAYS(ur_popup, error)}}, {2, ARMTAP_NOTE_ur_popup, ARMTAP_BLAME_UNCLEAR}},
        {{{PROGRAM(stopped)}, {FACT(ARMTAP_NOTE_ur_popup, PRIMARY, NO_ARGS)}}, NONE},
        {{{PROGRAM(stopped)}, {FACT(ARMTAP_NOTE_ur_message, PRIMARY, NO_ARGS)}}, NONE},
        {{{PROGRAM(paused)}, {FACT(ARMTAP_NOTE_ur_exception, PRIMARY, NO_ARGS)}}, NONE},
        {{{PROGRAM(stopped)}, {SENT(started)}}, NONE},
        {{{PROGRAM(stopped)}, {PROGRAM(started)}, {PROGRAM(sent)}}, BY_SCRIPT(2)},
        {{{PROGRAM(stopped)}, {SENT(started)}, {PROGRAM(sent)}}, {3, ARMTAP_NOTE_ur_program, ARMTAP_BLAME_CLIENT}},
        {{{PROGRAM(stopped)},
          {SENT(started)},
          {FACT(ARMTAP_NOTE_ur_program, PRIMARY, ARGS(arg_case(ARMTAP_WORD_sent), arg_is_again(true)))}},
         BY_SCRIPT(2)},
        {{{PROGRAM(stopped)},
          {SENT(started)},
          {FACT(ARMTAP_NOTE_ur_program, PRIMARY,
                ARGS(arg_case(ARMTAP_WORD_sent), arg_is_again(true), arg_is_own(true)))}},
         BY_SCRIPT(2)},
        /* a fault: its reason is beside it, unless it began before the data */
        {{{FAULT(arg_value(9))}}, FAULT_ALONE(ROBOT)},
        {{{FAULT(arg_value(9))}, {TEXT_ERROR}}, BY_TEXT(2)},
        {{{FAULT(arg_is_begun(true))}, {TEXT_ERROR}}, FAULT_ALONE(UNCLEAR)},
        {{{FAULT(arg_doubt(ARMTAP_WORD_guessed))}, {TEXT_ERROR}}, FAULT_ALONE(UNCLEAR)},
        /* data that the controller may have held */
        {{{SILENT(stalled)},
          {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_from_robot)))}},
         UNKNOWN(1)},
        {{{SILENT(delayed)},
          {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_to_robot)))}},
         BY_SILENCE},
        {{{SILENT(delayed_or_stalled)},
          {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_to_robot)))}},
         UNKNOWN(1)},
        {{{SILENT(held_up)},
          {FACT(ARMTAP_FINDING_tcp_retransmission, RTDE, ARGS(arg_direction(ARMTAP_WORD_from_robot)))}},
         BY_SILENCE},
        {{{SILENT(stalled)}, {FACT(ARMTAP_FINDING_safety_stop, RTDE, ARGS(arg_case(ARMTAP_WORD_robot_emergency)))}},
         UNKNOWN(1)},
        /* another connection's handshake */
        {{{FACT(ARMTAP_NOTE_rtde_field_not_found, RTDE, NO_ARGS)},
          {FACT(ARMTAP_NOTE_rtde_version_not_negotiated, REALTIME, NO_ARGS)}},
         {1, NOTHING, ARMTAP_BLAME_CLIENT}},
        {{{FACT(ARMTAP_NOTE_rtde_text_error, RTDE, NO_ARGS)},
          {FACT(ARMTAP_NOTE_rtde_start_refused, REALTIME, NO_ARGS)}},
         UNKNOWN(1)},
        {{{FACT(ARMTAP_NOTE_rtde_text_warning, RTDE, NO_ARGS)},
          {FACT(ARMTAP_NOTE_rtde_start_refused, REALTIME, NO_ARGS)}},
         UNKNOWN(1)},
        /* who stopped reading */
        {{{STALL(client)}}, {1, NOTHING, ARMTAP_BLAME_CLIENT}},
        {{{STALL(robot)}}, {1, NOTHING, ARMTAP_BLAME_ROBOT}},
        {{{FACT(ARMTAP_FINDING_clock_skipped, RTDE, ARGS(arg_reason(ARMTAP_WORD_waited)))}}, UNKNOWN(1)},
        {{{FACT(ARMTAP_FINDING_clock_skipped, RTDE, ARGS(arg_times(1)))}}, UNKNOWN(1)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world world = {.count = 0};
        for (size_t j = 0; j < 3; j++)
            add(&world, &rows[i].parts[j], 0);
        expect_judged(&world, &rows[i].judged, __func__, i, "as it stands");
    }
}

static void the_nearest_is_the_cause(void **state)
{
    const struct part stop = {A_STOP}, error = {TEXT_ERROR};
    struct world world = {.count = 0};
    (void)state;
    add(&world, &stop, 0);
    add(&world, &error, -500 * MS);
    add(&world, &error, -20 * MS);
    add(&world, &error, 300 * MS);
    const struct incident *found = judge(&world);
    assert_non_null(found);
    assert_int_equal(found->public.evidence_count, 2);
    assert_ptr_equal(&world.findings[found->public.evidence[0]], found->cause);
    assert_int_equal(found->cause->where.time, NOON - 20 * MS);
    armtap_incidents_free(&world.incidents);
}

/* ---- stops ------------------------------------------------------------------------------------------------------- */

#define CALLED(word, of, where)                                                                                        \
    FACT(ARMTAP_FINDING_safety_stop, where, ARGS(arg_case(ARMTAP_WORD_##word), arg_field(of)))
#define ASKED(word, who, where)                                                                                        \
    FACT(ARMTAP_FINDING_safety_stop, where,                                                                            \
         ARGS(arg_case(ARMTAP_WORD_##word), arg_reason(ARMTAP_WORD_##who), arg_field("safety_mode")))
#define BY_STOP(many, side)                                                                                            \
    {                                                                                                                  \
        many, ARMTAP_FINDING_safety_stop, ARMTAP_BLAME_##side                                                          \
    }

/* Two stops: what they are called, how far apart they are, and whether they are one, or which of them has a cause. */
static void stops_have_names(void **state)
{
    const struct {
        struct part first, later;
        int64_t after; /* ns */
        size_t incidents;
        struct judged judged; /* that of the first one */
    } rows[] = {
        {{CALLED(robot_emergency, "safety_mode", RTDE)}, {0}, 0, 1, BY_STOP(1, ROBOT)},
        {{CALLED(emergency, "safety_mode", RTDE)}, {0}, 0, 1, BY_STOP(1, ROBOT)},
        {{CALLED(safeguard, "safety_mode", RTDE)}, {0}, 0, 1, BY_STOP(1, ROBOT)},
        {{CALLED(enabling_device, "safety_mode", RTDE)}, {0}, 0, 1, BY_STOP(1, ROBOT)},
        {{ASKED(emergency, plc, RTDE)}, {0}, 0, 1, BY_STOP(1, UNCLEAR)},
        {{ASKED(safeguard, program, RTDE)}, {0}, 0, 1, BY_STOP(1, UNCLEAR)},
        /* another field or connection has a more exact name, a moment later */
        {{CALLED(safeguard, "safety_status", RTDE)}, {ASKED(safeguard, plc, RTDE)}, 16 * MS, 1, BY_STOP(2, UNCLEAR)},
        {{CALLED(safeguard, "safety_status", RTDE)}, {ASKED(safeguard, plc, RTDE)}, 16 * MS + 1, 1, BY_STOP(2, ROBOT)},
        {{CALLED(safeguard, "safety_status", RTDE)},
         {ASKED(safeguard, program, RTDE)},
         16 * MS,
         1,
         BY_STOP(2, UNCLEAR)},
        {{CALLED(safeguard, "safety_mode", RTDE)}, {ASKED(safeguard, plc, RTDE)}, 8 * MS, 1, BY_STOP(2, ROBOT)},
        {{CALLED(safeguard, "safety_mode", RTDE)}, {ASKED(safeguard, plc, REALTIME)}, 16 * MS, 1, BY_STOP(2, UNCLEAR)},
        {{CALLED(safeguard, "safety_mode", RTDE)},
         {ASKED(safeguard, plc, REALTIME)},
         16 * MS + 1,
         1,
         BY_STOP(2, ROBOT)},
        {{CALLED(safeguard, "safety_mode", RTDE)}, {ASKED(emergency, plc, REALTIME)}, 8 * MS, 2, BY_STOP(1, ROBOT)},
        /* one record, or two connections at the same time, show two kinds */
        {{CALLED(protective, "safety_status_bits", RTDE)},
         {CALLED(robot_emergency, "safety_status_bits", RTDE)},
         0,
         1,
         BY_STOP(2, ROBOT)},
        {{CALLED(protective, "safety_status_bits", RTDE)},
         {CALLED(robot_emergency, "safety_status_bits", RTDE)},
         8 * MS,
         2,
         UNKNOWN(1)},
        {{CALLED(protective, "safety_mode", RTDE)},
         {CALLED(robot_emergency, "safety_mode", REALTIME)},
         0,
         1,
         BY_STOP(2, ROBOT)},
        {{CALLED(protective, "safety_mode", RTDE)},
         {CALLED(robot_emergency, "safety_mode", REALTIME)},
         1,
         2,
         UNKNOWN(1)},
        {{CALLED(protective, "safety_mode", RTDE)},
         {CALLED(robot_emergency, "safety_mode", REALTIME)},
         -1,
         2,
         UNKNOWN(1)},
        {{CALLED(protective, "safety_mode", RTDE)},
         {CALLED(robot_emergency, "safety_mode", OTHER_ROBOT)},
         0,
         2,
         UNKNOWN(1)},
        /* of one kind they are one within a second */
        {{CALLED(protective, "safety_mode", RTDE)},
         {CALLED(protective, "safety_mode", REALTIME)},
         1000 * MS,
         1,
         UNKNOWN(2)},
        {{CALLED(protective, "safety_mode", RTDE)},
         {CALLED(protective, "safety_mode", REALTIME)},
         1000 * MS + 1,
         2,
         UNKNOWN(1)},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world world = {.count = 0};
        add(&world, &rows[i].first, 0);
        add(&world, &rows[i].later, rows[i].after);
        judge(&world);
        if (world.incidents.count != rows[i].incidents)
            fail_msg("row %zu: %zu incidents", i, world.incidents.count);
        armtap_incidents_free(&world.incidents);
        expect_judged(&world, &rows[i].judged, __func__, i, "as it stands");
    }
}

/* What ends with a stop belongs to the nearest one. */
static void a_program_ends_with_the_nearest_stop(void **state)
{
    const struct part ends = {PROGRAM_ENDS}, first = {CALLED(protective, "safety_mode", RTDE)},
                      second = {CALLED(robot_emergency, "safety_mode", RTDE)};
    (void)state;
    for (int64_t after = 0; after <= 300; after += 100) {
        struct world world = {.count = 0};
        add(&world, &ends, after * MS);
        add(&world, &first, 0);
        add(&world, &second, 300 * MS);
        const struct incident *found = judge(&world);
        assert_int_equal(world.incidents.count, 2);
        assert_int_equal(found == &world.incidents.all[0], after < 150);
        assert_int_equal(found->public.evidence_count, 2);
        armtap_incidents_free(&world.incidents);
    }
}

/* A program that ends by itself again and again is one incident, also where two streams show it; one that is cut off is
 * another. */
static void ordinary_ends_are_one(void **state)
{
    const struct part ends = {PROGRAM_ENDS},
                      beside = {FACT(ARMTAP_FINDING_program_ended, REALTIME, ARGS(arg_field("robot_mode")))},
                      lost = {MODE(power_lost)};
    struct world world = {.count = 0};
    (void)state;
    for (int64_t at = 0; at <= 10000; at += 5000) {
        add(&world, &ends, at * MS);
        add(&world, &beside, (at + 100) * MS);
    }
    const struct incident *found = judge(&world);
    assert_int_equal(world.incidents.count, 1);
    assert_int_equal(found->more, 2);
    assert_int_equal(found->public.evidence_count, 6);
    assert_int_equal(found->public.severity, ARMTAP_INFO);
    armtap_incidents_free(&world.incidents);
    add(&world, &lost, 10500 * MS);
    judge(&world);
    assert_int_equal(world.incidents.count, 2);
    assert_int_equal(world.incidents.all[0].more, 1);
    assert_int_equal(world.incidents.all[0].public.severity, ARMTAP_INFO);
    assert_int_equal(world.incidents.all[1].public.severity, ARMTAP_WARNING);
    armtap_incidents_free(&world.incidents);
}

/* Two that have nothing to do with each other stay two; of a kind, they are one, several times. */
static void others_are_together_if_they_are_alike(void **state)
{
    const struct part gap = {FACT(ARMTAP_NOTE_stream_gap, RTDE, ARGS(arg_bytes(9))), .size = 9},
                      beside = {FACT(ARMTAP_NOTE_stream_gap, REALTIME, ARGS(arg_bytes(5))), .size = 5},
                      elsewhere = {FACT(ARMTAP_NOTE_stream_gap, OTHER_ROBOT, ARGS(arg_bytes(7))), .size = 7},
                      stall = {STALL(client)}, other_stall = {STALL(robot)}, stop = {A_STOP};
    struct world world = {.count = 0};
    (void)state;
    add(&world, &gap, 0);
    add(&world, &beside, 9000 * MS);
    add(&world, &elsewhere, 100 * MS);
    add(&world, &stall, 200 * MS);
    add(&world, &other_stall, 300 * MS);
    add(&world, &stop, 400 * MS);
    const struct incident *found = judge(&world);
    assert_int_equal(world.incidents.count, 5);
    assert_int_equal(found->public.evidence_count, 2);
    assert_int_equal(found->public.stream_count, 2);
    assert_int_equal(found->public.from, NOON);
    assert_int_equal(found->public.to, NOON + 9000 * MS);
    assert_int_equal(found->more, 1);
    assert_true(found->total > 13.9 && found->total < 14.1);
    assert_string_equal(found->public.robot, "10.0.0.2");
    for (size_t i = 1; i < world.incidents.count; i++)
        assert_true(world.incidents.all[i - 1].public.from <= world.incidents.all[i].public.from);
    armtap_incidents_free(&world.incidents);
}

/* A wrong port is an incident, to which what follows on that connection belongs; a stop is another. */
static void what_follows_a_wrong_port_belongs_to_it(void **state)
{
    static const enum armtap_note_code follows[] = {
        ARMTAP_NOTE_tcp_reset,     ARMTAP_FINDING_tcp_zero_window, ARMTAP_FINDING_clock_skipped,
        ARMTAP_FINDING_silence,    ARMTAP_FINDING_rtde_no_reply,   ARMTAP_FINDING_stream_ended_by_robot,
        ARMTAP_NOTE_stream_resync, ARMTAP_NOTE_dashboard_refused,  ARMTAP_NOTE_rtde_package_unknown};
    const struct part spoken = {FACT(ARMTAP_NOTE_protocol_wrong_port, REALTIME,
                                     ARGS(arg_case(ARMTAP_WORD_rtde), arg_port(30003)))},
                      stop = {A_STOP};
    (void)state;
    for (size_t i = 0; i < sizeof follows / sizeof *follows; i++) {
        const struct part same = {FACT(follows[i], REALTIME, NO_ARGS)},
                          other = {FACT(follows[i], OTHER_ROBOT, NO_ARGS)};
        struct world world = {.count = 0};
        add(&world, &spoken, 0);
        add(&world, &stop, 500 * MS);
        add(&world, &same, 1000 * MS);
        add(&world, &other, 1000 * MS);
        const struct incident *found = judge(&world);
        assert_ptr_equal(found->public.what, armtap_note_at(ARMTAP_NOTE_protocol_wrong_port));
        assert_int_equal(found->public.side, ARMTAP_BLAME_CLIENT);
        if (found->public.evidence_count != 2)
            fail_msg("%s: evidence of %zu", armtap_note_at(follows[i])->id, found->public.evidence_count);
        armtap_incidents_free(&world.incidents);
    }
}

/* Every rule but those whose findings only join an incident gave a cause above. */
static void every_rule_was_shown(void **state)
{
    size_t missing = 0;
    (void)state;
    for (size_t i = 0; i < armtap_rule_count(); i++) {
        const struct rule *rule = armtap_rule_at(i);
        bool is_of_stop = rule->classes == CLASS_OTHER && rule->cause.code == ARMTAP_FINDING_safety_stop;
        bool only_joins = is_of_stop || rule->cause.code == ARMTAP_NOTE_protocol_wrong_port;
        bool is_missing = !shown[i] && !only_joins;
        if (is_missing)
            print_error("rule %zu, %s by %s: no row shows it\n", i,
                        rule->classes == CLASS_OTHER ? armtap_note_at(rule->what)->id : "a stop",
                        armtap_note_at(rule->cause.code)->id);
        missing += is_missing;
    }
    assert_int_equal(missing, 0);
}

/* ---- scenes: what the detectors find ----------------------------------------------------------------------------- */

/* A connection of the robot, or of another one. */
static struct armtap_stream stream_beside(uint64_t connection, const char *robot, const struct armtap_stream *of)
{
    struct armtap_stream stream = *of;
    stream.connection = connection;
    snprintf(stream.robot, sizeof stream.robot, "%s", robot);
    return stream;
}

/* Goes on for some packages; the mode is that of the last record. */
static void go_on(struct analysis_scene *scene, unsigned records)
{
    for (unsigned i = 0; i < records; i++)
        assert_int_equal(scene_record(scene, 1), ARMTAP_OK);
}

static void begin(struct analysis_scene *scene)
{
    scene_prepare(scene);
    assert_int_equal(scene_begin(scene, NULL), ARMTAP_OK);
    assert_int_equal(scene_event(scene, ARMTAP_EVENT_START, 0), ARMTAP_OK);
    go_on(scene, 400);
}

static void stop(struct analysis_scene *scene, int mode)
{
    scene->state->safety_mode = mode;
    go_on(scene, 1);
}

static const struct armtap_incident *incident_at(const struct analysis_scene *scene, size_t at)
{
    return armtap_diagnosis_incident_at(scene->diagnosis, at);
}

static const struct armtap_incident *only(struct analysis_scene *scene)
{
    assert_int_equal(armtap_diagnosis_finish(scene->diagnosis), ARMTAP_OK);
    const struct armtap_incident *incident = incident_at(scene, 0);
    assert_non_null(incident);
    assert_null(incident_at(scene, 1));
    return incident;
}

static void a_mode_may_be_the_cause(void **state)
{
    static const struct {
        int mode;
        enum armtap_blame side;
        bool has_cause;
    } stops[] = {{3, ARMTAP_BLAME_UNCLEAR, false}, {5, ARMTAP_BLAME_ROBOT, true},    {6, ARMTAP_BLAME_ROBOT, true},
                 {7, ARMTAP_BLAME_ROBOT, true},    {12, ARMTAP_BLAME_ROBOT, true},   {13, ARMTAP_BLAME_ROBOT, true},
                 {18, ARMTAP_BLAME_UNCLEAR, true}, {20, ARMTAP_BLAME_UNCLEAR, true}, {22, ARMTAP_BLAME_UNCLEAR, true}};
    const struct armtap_note_kind *kind = armtap_note_at(ARMTAP_FINDING_safety_stop);
    (void)state;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct analysis_scene scene;
        begin(&scene);
        stop(&scene, stops[i].mode);
        const struct armtap_incident *incident = only(&scene);
        assert_string_equal(armtap_blame_name(incident->side), armtap_blame_name(stops[i].side));
        assert_ptr_equal(incident->what, kind);
        assert_ptr_equal(incident->cause, stops[i].has_cause ? kind : NULL);
        assert_int_equal(incident->where.packet, 401);
        assert_int_equal(incident->severity, ARMTAP_WARNING);
        scene_clear(&scene);
    }
}

/* A fault without a reason is the robot's, but one that a stop follows is a part of it, with its side. */
static void a_stop_after_a_fault_decides(void **state)
{
    (void)state;
    for (unsigned packages = 0; packages < 130; packages += 124) {
        struct analysis_scene scene;
        begin(&scene);
        stop(&scene, 9);
        if (packages > 0) {
            go_on(&scene, packages);
            stop(&scene, 22);
        }
        go_on(&scene, 10);
        const struct armtap_incident *incident = only(&scene);
        assert_string_equal(armtap_blame_name(incident->side), packages == 0 ? "robot" : "unclear");
        assert_ptr_equal(incident->what,
                         armtap_note_at(packages == 0 ? ARMTAP_FINDING_safety_state : ARMTAP_FINDING_safety_stop));
        assert_int_equal(incident->evidence_count, packages == 0 ? 1 : 2);
        scene_clear(&scene);
    }
}

/* What stops within a second belongs together, if it is of one kind. */
static void stops_join_within_a_second(void **state)
{
    static const struct {
        unsigned packages; /* of 8 ms, between two stops */
        int mode, later;
        size_t incidents;
    } cases[] = {{125, 3, 3, 1},  {126, 3, 3, 2}, {125, 7, 7, 1}, {126, 7, 7, 2}, {125, 6, 20, 1}, {125, 5, 12, 1},
                 {126, 5, 12, 2}, {2, 6, 7, 2},   {125, 6, 7, 2}, {2, 7, 5, 2},   {2, 5, 13, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        stop(&scene, cases[i].mode);
        scene.state->safety_mode = 1;
        go_on(&scene, cases[i].packages - 1);
        stop(&scene, cases[i].later);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        if (armtap_diagnosis_incident_count(scene.diagnosis) != cases[i].incidents)
            fail_msg("case %zu: not %zu incidents", i, cases[i].incidents);
        assert_int_equal(incident_at(&scene, 0)->evidence_count, 3 - cases[i].incidents);
        scene_clear(&scene);
    }
}

/* A protective stop has no cause of its own, and a later or earlier stop of another kind is none of it. */
static void expect_two(struct analysis_scene *scene, bool is_protective_first)
{
    assert_int_equal(armtap_diagnosis_finish(scene->diagnosis), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_incident_count(scene->diagnosis), 2);
    const struct armtap_incident *unknown = incident_at(scene, is_protective_first ? 0 : 1),
                                 *known = incident_at(scene, is_protective_first ? 1 : 0);
    assert_null(unknown->cause);
    assert_int_equal(unknown->side, ARMTAP_BLAME_UNCLEAR);
    assert_int_equal(known->side, ARMTAP_BLAME_ROBOT);
    assert_int_equal(unknown->evidence_count + known->evidence_count, 2);
}

/* A protective stop, and then, packages later, another kind of stop; or the other way round. Between them the robot may
 * be released. */
static void a_later_stop_is_no_cause(void **state)
{
    static const unsigned packages[] = {1, 2, 38, 112, 125, 126};
    static const int modes[] = {5, 6, 7, 12, 13};
    const size_t ways = 4, times = sizeof packages / sizeof *packages;
    (void)state;
    for (size_t i = 0; i < ways * times * (sizeof modes / sizeof *modes); i++) {
        struct analysis_scene scene;
        const unsigned after = packages[i / ways % times];
        const bool is_released = i % ways / 2 == 1, is_first = i % 2 == 0;
        const int mode = modes[i / ways / times];
        if (is_released && after == 1)
            continue;
        begin(&scene);
        stop(&scene, is_first ? 3 : mode);
        scene.state->safety_mode = is_released ? 1 : scene.state->safety_mode;
        go_on(&scene, after - 1);
        stop(&scene, is_first ? mode : 3);
        expect_two(&scene, is_first);
        scene_clear(&scene);
    }
}

/* A controller's message, of another connection, beside a stop that records show. */
static void a_note_beside_records_is_a_cause(void **state)
{
    (void)state;
    for (int64_t after = 1000 * MS; after <= 1000 * MS + 1; after++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream beside = stream_beside(9, "10.0.0.2:30013", &scene.stream);
        struct armtap_note note = {.kind = armtap_note_at(ARMTAP_NOTE_ur_error), .stream = &beside, .text = ""};
        note.arguments = *ARGS(arg_code(153), arg_argument(2));
        stop(&scene, 3);
        note.where = (struct armtap_where){
            .size = sizeof(struct armtap_where), .time = scene.record.where.time + after, .packet = 402};
        assert_int_equal(scene.sink->on_note(scene.diagnosis, &note), ARMTAP_OK);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_incident *incident = incident_at(&scene, 0);
        assert_ptr_equal(incident->cause, after > 1000 * MS ? NULL : note.kind);
        scene_clear(&scene);
    }
}

/* The detector of a receiver that does not read, and that of skipped packages: the client is to blame if it was its. */
static void a_client_that_stops_reading_is_to_blame(void **state)
{
    (void)state;
    for (int of_robot = 0; of_robot < 2; of_robot++) {
        struct analysis_scene scene;
        begin(&scene);
        struct armtap_event window = {.stream = &scene.stream,
                                      .where = scene.record.where,
                                      .direction = of_robot ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT,
                                      .type = ARMTAP_EVENT_WINDOW};
        assert_int_equal(scene.sink->on_event(scene.diagnosis, &window), ARMTAP_OK);
        window.where.time += 400 * MS;
        window.a = 64000;
        assert_int_equal(scene.sink->on_event(scene.diagnosis, &window), ARMTAP_OK);
        assert_int_equal(scene_record(&scene, 51), ARMTAP_OK);
        go_on(&scene, 10);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_note_kind *skipped = armtap_note_at(ARMTAP_FINDING_clock_skipped);
        for (size_t i = 0; i < armtap_diagnosis_incident_count(scene.diagnosis); i++) {
            const struct armtap_incident *incident = incident_at(&scene, i);
            if (incident->what != skipped)
                continue;
            assert_ptr_equal(incident->cause, of_robot ? NULL : armtap_note_at(ARMTAP_FINDING_tcp_zero_window));
            assert_string_equal(armtap_blame_name(incident->side), of_robot ? "robot" : "client");
            skipped = NULL;
        }
        assert_null(skipped);
        scene_clear(&scene);
    }
}

/* ---- where the reason would be ------------------------------------------------------------------------------------
 */

/* Only a stop without a cause needs the robot's messages. */
static void it_says_what_to_capture(void **state)
{
    struct analysis_scene scene;
    (void)state;
    begin(&scene);
    stop(&scene, 3);
    scene.state->safety_mode = 1;
    go_on(&scene, 200);
    stop(&scene, 7);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_true(incident_at(&scene, 0)->lacks_messages && incident_at(&scene, 0)->doubt);
    assert_false(incident_at(&scene, 1)->lacks_messages || incident_at(&scene, 1)->doubt);
    scene_clear(&scene);
}

static void brackets_are_no_part_of_a_host(void **state)
{
    struct analysis_scene scene;
    (void)state;
    scene_prepare(&scene);
    snprintf(scene.stream.robot, sizeof scene.stream.robot, "[fd00::7]:30004");
    assert_int_equal(scene_begin(&scene, NULL), ARMTAP_OK);
    go_on(&scene, 10);
    stop(&scene, 3);
    assert_string_equal(only(&scene)->robot, "fd00::7");
    scene_clear(&scene);
}

static void captured_messages_need_no_filter(void **state)
{
    /* The secondary interface has no errors. */
    static const struct {
        const char *robot;
        bool has_errors;
    } ports[] = {
        {"10.0.0.2:30001", true}, {"10.0.0.2:30002", false}, {"10.0.0.2:30011", true}, {"10.0.0.2:30012", false}};
    (void)state;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        struct analysis_scene scene;
        begin(&scene);
        struct armtap_stream messages = stream_beside(9, ports[i].robot, &scene.stream);
        const struct armtap_stream *own = scene.record.stream;
        stop(&scene, 3);
        scene.record.stream = &messages;
        go_on(&scene, 2);
        scene.record.stream = own;
        const struct armtap_incident *incident = only(&scene);
        assert_int_equal(incident->lacks_messages, !ports[i].has_errors);
        assert_non_null(incident->doubt);
        scene_clear(&scene);
    }
}

/* As many as there is room for. */
static void incidents_are_bounded(void **state)
{
    struct analysis_scene scene;
    (void)state;
    begin(&scene);
    for (int i = 0; i < 550; i++) {
        stop(&scene, 3);
        stop(&scene, 1);
        go_on(&scene, 130);
    }
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_int_equal(armtap_diagnosis_incident_count(scene.diagnosis), 500);
    assert_null(incident_at(&scene, 500));
    scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_and_what_a_driver_sent),
        cmocka_unit_test(jumps_explain_path_checks),
        cmocka_unit_test(what_the_controller_says_is_a_cause),
        cmocka_unit_test(what_a_client_requests_has_a_side),
        cmocka_unit_test(late_data_has_a_side),
        cmocka_unit_test(what_waited_has_the_side_of_what_held_it_up),
        cmocka_unit_test(handshakes_have_causes),
        cmocka_unit_test(a_stop_ends_commands),
        cmocka_unit_test(what_lasts_must_be_long_enough),
        cmocka_unit_test(facts_prove_what_they_say),
        cmocka_unit_test(the_nearest_is_the_cause),
        cmocka_unit_test(stops_have_names),
        cmocka_unit_test(a_program_ends_with_the_nearest_stop),
        cmocka_unit_test(ordinary_ends_are_one),
        cmocka_unit_test(others_are_together_if_they_are_alike),
        cmocka_unit_test(what_follows_a_wrong_port_belongs_to_it),
        cmocka_unit_test(every_rule_was_shown),
        cmocka_unit_test(a_mode_may_be_the_cause),
        cmocka_unit_test(a_stop_after_a_fault_decides),
        cmocka_unit_test(stops_join_within_a_second),
        cmocka_unit_test(a_later_stop_is_no_cause),
        cmocka_unit_test(a_note_beside_records_is_a_cause),
        cmocka_unit_test(a_client_that_stops_reading_is_to_blame),
        cmocka_unit_test(it_says_what_to_capture),
        cmocka_unit_test(brackets_are_no_part_of_a_host),
        cmocka_unit_test(captured_messages_need_no_filter),
        cmocka_unit_test(incidents_are_bounded),
    };
    shown = calloc(armtap_rule_count(), sizeof *shown);
    int failed = shown ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    free(shown);
    return failed;
}
