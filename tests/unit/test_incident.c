/* Why a robot stopped, and whose side that is: each rule, just within its time and just beyond it. */
#include <stdio.h>
#include <string.h>

#include "analysis_scene.h"
#include "support.h"
#include "protocol/fact.h"

#define MS INT64_C(1000000)

/* A connection of the robot, or of another one. */
static struct armtap_stream line(uint64_t connection, const char *robot, const struct armtap_stream *of)
{
    struct armtap_stream stream = *of;
    stream.connection = connection;
    snprintf(stream.robot, sizeof stream.robot, "%s", robot);
    return stream;
}

/* Goes on for some seconds; the mode is that of the last record. */
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

/* A note `after` ms after the last record. */
static void note(struct analysis_scene *scene, const struct armtap_stream *stream, const char *id, int64_t after,
                 const char *text)
{
    struct armtap_note note = {.kind = armtap_note_find(id),
                               .stream = stream,
                               .where = scene->record.where,
                               .text = text,
                               .arguments = *ARGS(arg_text(text))};
    assert_non_null(note.kind);
    note.where.time += after;
    assert_int_equal(scene->sink->on_note(scene->diagnosis, &note), ARMTAP_OK);
}

/* The i-th verdict about a stop; NULL beyond the last. */
static const struct armtap_verdict *incident_at(const struct analysis_scene *scene, size_t at)
{
    const struct armtap_verdict *verdict;
    for (size_t i = 0; (verdict = armtap_diagnosis_verdict_at(scene->diagnosis, i)); i++)
        if (verdict->stop && at-- == 0)
            return verdict;
    return NULL;
}

static const struct armtap_verdict *only(struct analysis_scene *scene)
{
    assert_int_equal(armtap_diagnosis_finish(scene->diagnosis), ARMTAP_OK);
    const struct armtap_verdict *verdict = incident_at(scene, 0);
    assert_non_null(verdict);
    assert_null(incident_at(scene, 1));
    return verdict;
}

static bool says(const struct armtap_verdict *verdict, const char *words)
{
    if (!strstr(verdict->text, words))
        print_error("not in \"%s\": \"%s\"\n", verdict->text, words);
    return strstr(verdict->text, words) != NULL;
}

/* ---- the rules ----------------------------------------------------------------------------------------------------
 */

static void a_mode_may_be_the_cause(void **state)
{
    static const struct {
        int mode;
        enum armtap_blame side;
        const char *words;
    } stops[] = {{3, ARMTAP_BLAME_UNCLEAR, "nothing in the capture says why"},
                 {5, ARMTAP_BLAME_ROBOT, "a safety device"},
                 {6, ARMTAP_BLAME_ROBOT, "somebody or something"},
                 {7, ARMTAP_BLAME_ROBOT, "somebody or something"},
                 {12, ARMTAP_BLAME_ROBOT, "a safety device"},
                 {13, ARMTAP_BLAME_ROBOT, "the enabling device"},
                 {18, ARMTAP_BLAME_UNCLEAR, "PROFIsafe"},
                 {20, ARMTAP_BLAME_UNCLEAR, "PROFIsafe"},
                 {22, ARMTAP_BLAME_UNCLEAR, "a program asked for it"}};
    (void)state;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct analysis_scene scene;
        begin(&scene);
        stop(&scene, stops[i].mode);
        const struct armtap_verdict *verdict = only(&scene);
        assert_string_equal(armtap_blame_name(verdict->side), armtap_blame_name(stops[i].side));
        assert_true(says(verdict, stops[i].words));
        assert_int_equal(verdict->stop->where.packet, 401);
        scene_clear(&scene);
    }
}

/* Each rule with a finding beside the stop, and how far it reaches. */
static void a_finding_may_be_the_cause(void **state)
{
    static const struct {
        const char *id, *text;
        int before, after; /* ms */
        enum armtap_blame side;
    } rules[] = {{"rtde.text.exception", "it broke", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"rtde.text.error", "it broke", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"ur.error", "C153A2: it broke", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"ur.exception", "line 2, column 3: it broke", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"ur.popup", "error: it broke", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"ur.message", "Receiving trajectory point failed!", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"ur.message", "Terminating robot program due to targets", 1000, 1000, ARMTAP_BLAME_UNCLEAR},
                 {"command.gap", "then the robot's program ends", 1500, 0, ARMTAP_BLAME_CLIENT},
                 {"command.jump", "joint 0 is to go far: the robot's program accepts 20", 500, 0, ARMTAP_BLAME_CLIENT}};
    (void)state;
    for (size_t i = 0; i < 4 * sizeof rules / sizeof *rules; i++) {
        struct analysis_scene scene;
        bool is_before = i % 2 == 0, is_beyond = i / 2 % 2 == 1;
        int64_t reach = (is_before ? -rules[i / 4].before : rules[i / 4].after) * MS;
        begin(&scene);
        const struct armtap_stream beside = line(9, "10.0.0.2:30013", &scene.stream);
        stop(&scene, 3);
        note(&scene, &beside, rules[i / 4].id, reach + (is_beyond ? (is_before ? -1 : 1) : 0), rules[i / 4].text);
        const struct armtap_verdict *verdict = only(&scene);
        assert_int_equal(strstr(verdict->text, rules[i / 4].text) != NULL, !is_beyond);
        assert_int_equal(verdict->evidence_count, is_beyond ? 1 : 2);
        assert_int_equal(verdict->side, is_beyond ? ARMTAP_BLAME_UNCLEAR : rules[i / 4].side);
        scene_clear(&scene);
    }
}

/* A driver's connection to the robot. */
static struct armtap_stream driver_of(const struct analysis_scene *scene)
{
    struct armtap_stream stream = line(9, "10.0.0.2:40000", &scene->stream);
    stream.protocol = ARMTAP_EXTERNAL_CONTROL;
    return stream;
}

/* The robot's program waited in vain: what shows why, within its time and beyond. */
static void missing_commands_have_a_side(void **state)
{
    static const char gap[] = "the last one allows 0.020 s", again[] = "9 bytes to the robot were sent again",
                      perhaps[] = "9 bytes to the robot were sent again, the packets do not distinguish it from a copy";
    static const struct {
        const char *text, *id, *words;
        int64_t after; /* ns */
        enum armtap_blame side;
        bool is_elsewhere; /* on another connection of the robot */
    } cases[] = {
        {"waited in vain", "command.gap", gap, 0, ARMTAP_BLAME_CLIENT, false},
        {"waited in vain", "command.gap", gap, -1500 * MS, ARMTAP_BLAME_CLIENT, false},
        {"waited in vain", "command.gap", gap, -1500 * MS - 1, ARMTAP_BLAME_UNCLEAR, false},
        {"waited in vain", "command.gap", gap, 1, ARMTAP_BLAME_UNCLEAR, false},
        {"waited in vain", "command.gap", "the robot moved on without", 0, ARMTAP_BLAME_UNCLEAR, false},
        {"waited in vain", "tcp.retransmission", again, -1000 * MS, ARMTAP_BLAME_NETWORK, false},
        {"waited in vain", "tcp.retransmission", again, -1000 * MS - 1, ARMTAP_BLAME_UNCLEAR, false},
        {"waited in vain", "tcp.retransmission", again, 1000 * MS, ARMTAP_BLAME_NETWORK, false},
        {"waited in vain", "tcp.retransmission", again, 1000 * MS + 1, ARMTAP_BLAME_UNCLEAR, false},
        {"waited in vain", "tcp.retransmission", again, 0, ARMTAP_BLAME_UNCLEAR, true},
        {"waited in vain", "tcp.retransmission", perhaps, 0, ARMTAP_BLAME_UNCLEAR, false},
        {"waited in vain", "tcp.retransmission", "9 bytes from the robot", 0, ARMTAP_BLAME_UNCLEAR, false},
        {"then the driver closed the connection", "tcp.retransmission", "9 bytes", 0, ARMTAP_BLAME_CLIENT, false}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        bool has_error = i % 2 == 1; /* the controller gives another reason */
        begin(&scene);
        const struct armtap_stream driver = driver_of(&scene), other = line(8, "10.0.0.2:30002", &scene.stream);
        note(&scene, &scene.stream, "command.timeout", 0, cases[i / 2].text);
        note(&scene, cases[i / 2].is_elsewhere ? &other : &driver, cases[i / 2].id, cases[i / 2].after,
             cases[i / 2].words);
        if (has_error)
            note(&scene, &scene.stream, "ur.error", 1000 * MS, "C153A2: it broke");
        const struct armtap_verdict *verdict = only(&scene);
        assert_string_equal(armtap_blame_name(verdict->side),
                            armtap_blame_name(has_error ? ARMTAP_BLAME_UNCLEAR : cases[i / 2].side));
        assert_true(says(verdict, has_error ? "C153A2: it broke" : cases[i / 2].text));
        scene_clear(&scene);
    }
}

/* A gap after which the robot's program ended; one after which it may have gone on is no cause. */
static void a_gap_may_end_a_program(void **state)
{
    static const struct {
        const char *gap;
        bool is_resent, has_error;
        enum armtap_blame side;
        const char *words;
    } cases[] = {{"then the robot's program ends", false, false, ARMTAP_BLAME_CLIENT, "sent no command in time"},
                 {"then the robot's program ends", true, false, ARMTAP_BLAME_UNCLEAR, "or the network did not deliver"},
                 {"then the robot's program ends", false, true, ARMTAP_BLAME_UNCLEAR, "C153A2"},
                 {"its program did not end", false, false, ARMTAP_BLAME_UNCLEAR, "nothing in the capture says why"},
                 {"the robot's program may end then", false, false, ARMTAP_BLAME_UNCLEAR, "nothing in the capture"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream driver = driver_of(&scene);
        stop(&scene, 3);
        note(&scene, &driver, "command.gap", -20 * MS, cases[i].gap);
        if (cases[i].is_resent)
            note(&scene, &driver, "tcp.retransmission", -10 * MS, "9 bytes to the robot were sent again");
        if (cases[i].has_error)
            note(&scene, &scene.stream, "ur.error", 0, "C153A2: it broke");
        const struct armtap_verdict *verdict = only(&scene);
        assert_string_equal(armtap_blame_name(verdict->side), armtap_blame_name(cases[i].side));
        assert_true(says(verdict, cases[i].words));
        scene_clear(&scene);
    }
}

/* The controller's path check, explained by a driver's jump just before. */
static void a_jump_explains_a_path_check(void **state)
{
    static const char fast[] = "joint 0 is to go far: the robot's program accepts 20",
                      away[] = "the first target in this mode is 0.120 rad away";
    static const struct {
        const char *error;
        int64_t jump; /* ns after the stop */
        enum armtap_blame side;
    } cases[] = {{"C204A1: Path", -500 * MS, ARMTAP_BLAME_CLIENT},
                 {"C204A1: Path", -500 * MS - 1, ARMTAP_BLAME_UNCLEAR},
                 {"C204A1: Path", 1, ARMTAP_BLAME_UNCLEAR},
                 {"C205: Target speed", -500 * MS, ARMTAP_BLAME_CLIENT},
                 {"C205: Target speed", -500 * MS - 1, ARMTAP_BLAME_UNCLEAR},
                 {"C206A1: Target speed", -500 * MS, ARMTAP_BLAME_CLIENT},
                 {"C206A1: Target speed", 1, ARMTAP_BLAME_UNCLEAR},
                 {"C2040: other", -500 * MS, ARMTAP_BLAME_UNCLEAR},
                 {"C153A2: Position", -500 * MS, ARMTAP_BLAME_UNCLEAR}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream beside = line(9, "10.0.0.2:40000", &scene.stream);
        stop(&scene, 3);
        note(&scene, &scene.stream, "ur.error", 40 * MS, cases[i / 2].error);
        note(&scene, &beside, "command.jump", cases[i / 2].jump, i % 2 == 0 ? fast : away);
        const struct armtap_verdict *verdict = only(&scene);
        assert_true(says(verdict, cases[i / 2].error));
        assert_int_equal(strstr(verdict->text, i % 2 == 0 ? fast : away) != NULL,
                         cases[i / 2].side == ARMTAP_BLAME_CLIENT);
        assert_true(cases[i / 2].side != ARMTAP_BLAME_CLIENT ||
                    says(verdict, i % 2 == 0 ? "more than a joint can do" : "began away from where the arm was"));
        assert_string_equal(armtap_blame_name(verdict->side), armtap_blame_name(cases[i / 2].side));
        scene_clear(&scene);
    }
    /* Without the controller's word a first target explains nothing. */
    struct analysis_scene scene;
    begin(&scene);
    const struct armtap_stream beside = line(9, "10.0.0.2:40000", &scene.stream);
    stop(&scene, 3);
    note(&scene, &beside, "command.jump", 0, away);
    assert_true(says(only(&scene), "nothing in the capture says why"));
    scene_clear(&scene);
}

/* Data that came late, after no data for 0 s here, since a note has no size: what was sent again proves the network. */
static void late_data_has_a_side(void **state)
{
    static const struct {
        const char *also, *text;
        int64_t after; /* ns */
        size_t incidents;
        enum armtap_blame side;
    } cases[] = {
        {"tcp.retransmission", "9 bytes from the robot were sent again", 0, 1, ARMTAP_BLAME_NETWORK},
        {"tcp.retransmission", "9 bytes from the robot were sent again", 1000 * MS, 1, ARMTAP_BLAME_NETWORK},
        {"tcp.retransmission", "9 bytes from the robot were sent again", 1000 * MS + 1, 1, ARMTAP_BLAME_UNCLEAR},
        {"tcp.retransmission", "9 bytes from the robot were sent again", -1, 1, ARMTAP_BLAME_UNCLEAR},
        {"tcp.retransmission", "9 bytes to the robot were sent again", 0, 1, ARMTAP_BLAME_UNCLEAR},
        {"tcp.zero-window", "the client stopped reading", 1000 * MS, 0, ARMTAP_BLAME_UNCLEAR},
        {"tcp.zero-window", "the client stopped reading", 1000 * MS + 1, 1, ARMTAP_BLAME_UNCLEAR},
        {"tcp.zero-window", "the client stopped reading", -1000 * MS, 0, ARMTAP_BLAME_UNCLEAR},
        {"tcp.zero-window", "the client stopped reading", -1000 * MS - 1, 1, ARMTAP_BLAME_UNCLEAR}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        note(&scene, &scene.stream, "silence", 0, "no data for 3.000 s: it was delayed on its way");
        note(&scene, &scene.stream, cases[i].also, cases[i].after, cases[i].text);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(verdict != NULL, cases[i].incidents);
        if (verdict)
            assert_string_equal(armtap_blame_name(verdict->side), armtap_blame_name(cases[i].side));
        scene_clear(&scene);
    }
}

/* What the client did not acknowledge is the network's, or the client's; one that does not read is told elsewhere. */
static void held_up_data_is_unclear(void **state)
{
    static const struct {
        int64_t full; /* ns after the silence */
        size_t incidents;
    } cases[] = {{1000 * MS, 0}, {1000 * MS + 1, 1}, {-1000 * MS, 0}, {-1000 * MS - 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        note(&scene, &scene.stream, "silence", 0,
             "no data for 3.000 s, and the robot sent earlier bytes again 4 times");
        note(&scene, &scene.stream, "tcp.retransmission", 0, "9 bytes from the robot were sent again");
        note(&scene, &scene.stream, "tcp.zero-window", cases[i].full, "the client stopped reading");
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(verdict != NULL, cases[i].incidents);
        if (verdict)
            assert_string_equal(armtap_blame_name(verdict->side), "unclear");
        assert_true(!verdict || says(verdict, "no acknowledgement reached the robot"));
        scene_clear(&scene);
    }
}

/* A silence that the controller may have caused is no incident. */
static void a_plain_silence_has_none(void **state)
{
    struct analysis_scene scene;
    (void)state;
    begin(&scene);
    note(&scene, &scene.stream, "silence", 0, "no data for 3.000 s: the controller stalled");
    note(&scene, &scene.stream, "tcp.retransmission", 0, "9 bytes from the robot were sent again");
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_null(incident_at(&scene, 0));
    scene_clear(&scene);
}

/* A program that ends is ordinary; one that ends beside a fault is not. */
/* What people are told beside a stop is no cause by itself. */
static void ordinary_messages_are_no_cause(void **state)
{
    static const struct {
        const char *id, *text;
    } cases[] = {{"ur.warning", "C1: hm"},
                 {"ur.popup", "Feeder: refilled"},
                 {"ur.popup", "warning: Feeder: low"},
                 {"ur.message", "the Socket timed out waiting for command"},
                 {"ur.program", "program stopped: main"},
                 {"ur.safety", "safety mode 3 PROTECTIVE_STOP"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        stop(&scene, 3);
        note(&scene, &scene.stream, cases[i].id, 0, cases[i].text);
        assert_true(says(only(&scene), "nothing in the capture says why"));
        scene_clear(&scene);
    }
}

/* A program that only port 30001 shows: its end with a reason is an incident, and worth a warning. */
static void a_program_that_stopped_has_a_reason(void **state)
{
    static const struct {
        const char *id, *text;
        bool is_incident;
    } cases[] = {{"ur.exception", "line 2, column 3: it broke", true},
                 {"ur.popup", "error: it broke", true},
                 {"ur.popup", "it broke", false},
                 {"ur.message", "it broke", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        note(&scene, &scene.stream, "ur.program", 0, "program stopped: main");
        note(&scene, &scene.stream, cases[i].id, -20 * MS, cases[i].text);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(verdict != NULL, cases[i].is_incident);
        assert_true(!verdict ||
                    (says(verdict, "program stopped: main") && says(verdict, "it broke (stream 0, packet ")));
        assert_true(!verdict || verdict->severity >= ARMTAP_WARNING);
        scene_clear(&scene);
    }
}

static void a_program_ends_for_a_reason(void **state)
{
    static const struct {
        const char *change, *beside;
        bool is_incident;
    } cases[] = {{"runtime_state PLAYING -> STOPPING", "rtde.text.error", true},
                 {"runtime_state PLAYING -> STOPPED", "rtde.text.error", true},
                 {"runtime_state PLAYING -> PAUSING", "rtde.text.error", true},
                 {"runtime_state PLAYING -> PAUSED", "rtde.text.error", true},
                 {"runtime_state PLAYING -> STOPPED", "rtde.text.info", false},
                 {"runtime_state STOPPED -> PLAYING", "rtde.text.error", false},
                 {"safety_mode NORMAL -> FAULT", "rtde.text.error", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        note(&scene, &scene.stream, "mode.changed", 0, cases[i].change);
        note(&scene, &scene.stream, cases[i].beside, 20 * MS, "it broke");
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(verdict != NULL, cases[i].is_incident);
        assert_true(!verdict || (says(verdict, cases[i].change) && says(verdict, "it broke (stream 0, packet 400, ")));
        scene_clear(&scene);
    }
}

/* A fault is an incident if something says why. One from before the data is none: its reason is not beside it. */
static void a_fault_has_a_reason(void **state)
{
    static const struct {
        const char *fault, *beside;
        bool is_incident;
    } cases[] = {{"FAULT (safety_mode 9)", "rtde.text.error", true},
                 {"VIOLATION (safety_mode 8)", "rtde.text.error", true},
                 {"Fault (safety_mode 9)", "rtde.text.error", true},
                 {"FAULT (safety_mode 9)", "rtde.text.info", false},
                 {"FAULT (safety_mode 9) (by a guessed recipe)", "rtde.text.error", false},
                 {"FAULT (safety_mode 9), already when the data began", "rtde.text.error", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        char words[80];
        begin(&scene);
        note(&scene, &scene.stream, "safety.state", 0, cases[i].fault);
        note(&scene, &scene.stream, cases[i].beside, 20 * MS, "it broke");
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(verdict != NULL, cases[i].is_incident);
        snprintf(words, sizeof words, "the robot went into %.*s at", (int)strcspn(cases[i].fault, " "), cases[i].fault);
        assert_true(!verdict || (says(verdict, words) && says(verdict, "it broke (stream 0, packet 400, ")));
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
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *stream = armtap_diagnosis_verdict_at(scene.diagnosis, 0);
        const struct armtap_verdict *incident = incident_at(&scene, 0);
        assert_true(says(stream, "the controller went into FAULT at "));
        assert_string_equal(armtap_blame_name(stream->side), packages == 0 ? "robot" : "unclear");
        assert_int_equal(incident != NULL, packages > 0);
        assert_true(!incident || (says(incident, "a program asked for it") && incident->evidence_count == 2));
        scene_clear(&scene);
    }
}

/* A client of the dashboard server ended the program, and no stop for safety is near. */
static void a_dashboard_client_ends_a_program(void **state)
{
    static const struct {
        int64_t after; /* ns */
        bool is_cause, has_stop;
    } cases[] = {{-600 * MS, true, false},     {0, true, false}, {200 * MS, true, false}, {-600 * MS - 1, false, false},
                 {200 * MS + 1, false, false}, {0, false, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream beside = line(9, "10.0.0.2:29999", &scene.stream);
        note(&scene, &scene.stream, "mode.changed", 0, "runtime_state PLAYING -> STOPPED");
        note(&scene, &beside, "dashboard.command", cases[i].after, "a client's 'stop' was obeyed");
        if (cases[i].has_stop)
            stop(&scene, 3);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(verdict != NULL, cases[i].is_cause || cases[i].has_stop);
        assert_true(!cases[i].is_cause || verdict->side == ARMTAP_BLAME_CLIENT);
        assert_int_equal(verdict && strstr(verdict->text, "a client's 'stop' was obeyed"), cases[i].is_cause);
        scene_clear(&scene);
    }
}

/* What a client sent failed, or took the place of what ran. A stop for safety has other reasons. */
static void what_a_client_sent_has_a_side(void **state)
{
#define FAILED "ur.exception", "line 2, column 1: it broke; of the program f, which a client sent in packet 9: \"x\""
#define STARTED "ur.program", "program started: f, which a client sent in packet 9"
#define SENT "a client sent the program f, 3 lines"
    static const struct {
        const char *id, *text;
        int64_t after; /* ns */
        const char *sent;
        int64_t sent_after;
        bool is_safety, is_incident;
        enum armtap_blame side;
    } cases[] = {{FAILED, 1000 * MS, NULL, 0, false, true, ARMTAP_BLAME_CLIENT},
                 {FAILED, -1000 * MS, NULL, 0, false, true, ARMTAP_BLAME_CLIENT},
                 {FAILED, 1000 * MS + 1, NULL, 0, false, false, ARMTAP_BLAME_UNCLEAR},
                 {FAILED, -1000 * MS - 1, NULL, 0, false, false, ARMTAP_BLAME_UNCLEAR},
                 {FAILED, 0, NULL, 0, true, true, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, 1000 * MS, SENT, -1000 * MS, false, true, ARMTAP_BLAME_CLIENT},
                 {STARTED, 0, SENT, 0, false, true, ARMTAP_BLAME_CLIENT},
                 {STARTED, 1000 * MS + 1, SENT, 0, false, false, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, -1, SENT, -1, false, false, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, 9, SENT, 1, false, false, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, 0, SENT, -1000 * MS - 1, false, false, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, 0, "a client sent once more the program f, 3 lines", 0, false, false, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, 0, NULL, 0, false, false, ARMTAP_BLAME_UNCLEAR},
                 {"ur.program", "program started: f", 0, SENT, 0, false, false, ARMTAP_BLAME_UNCLEAR},
                 {STARTED, 0, SENT, 0, true, true, ARMTAP_BLAME_UNCLEAR}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        if (cases[i].is_safety)
            stop(&scene, 3);
        note(&scene, &scene.stream, "ur.program", 0, "program stopped: main");
        note(&scene, &scene.stream, cases[i].id, cases[i].after, cases[i].text);
        if (cases[i].sent)
            note(&scene, &scene.stream, "ur.program", cases[i].sent_after, cases[i].sent);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        if ((verdict != NULL) != cases[i].is_incident || (verdict && verdict->side != cases[i].side))
            fail_msg("case %zu: %s", i, verdict ? verdict->text : "no incident");
        scene_clear(&scene);
    }
}

/* ---- which robot, which stop --------------------------------------------------------------------------------------
 */

static void another_robot_is_no_cause(void **state)
{
    static const char *const others[] = {"10.0.0.22:30004", "10.0.0.1:30004", "10.0.0:30004", "10.0.0.2"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream other = line(9, others[i], &scene.stream);
        stop(&scene, 3);
        note(&scene, &other, "rtde.text.error", 0, "it broke");
        assert_null(strstr(only(&scene)->text, "it broke"));
        scene_clear(&scene);
    }
}

static void the_nearest_is_the_cause(void **state)
{
    struct analysis_scene scene;
    (void)state;
    begin(&scene);
    stop(&scene, 3);
    note(&scene, &scene.stream, "rtde.text.error", -500 * MS, "long before");
    note(&scene, &scene.stream, "rtde.text.error", -20 * MS, "just before");
    note(&scene, &scene.stream, "rtde.text.error", 300 * MS, "after");
    assert_true(says(only(&scene), "just before (stream 0, packet 401, 0.020 s before)."));
    scene_clear(&scene);
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
        if ((incident_at(&scene, 1) != NULL) != (cases[i].incidents == 2))
            fail_msg("case %zu: not %zu incidents", i, cases[i].incidents);
        assert_int_equal(incident_at(&scene, 0)->evidence_count, 3 - cases[i].incidents);
        scene_clear(&scene);
    }
}

/* The verdicts on two stops: the first has no cause of its own, and the second one is none of it. */
static void expect_two(struct analysis_scene *scene, const char *what, const char *first, const char *second)
{
    assert_int_equal(armtap_diagnosis_finish(scene->diagnosis), ARMTAP_OK);
    const struct armtap_verdict *one = incident_at(scene, 0), *other = incident_at(scene, 1);
    if (!one || !other || incident_at(scene, 2))
        fail_msg("%s: not two stops: \"%s\"", what, one ? one->text : "");
    assert_true(says(one, first) && says(other, second));
    const struct armtap_verdict *unknown = strstr(first, "PROTECTIVE") ? one : other;
    assert_true(says(unknown, "nothing in the capture says why"));
    assert_int_equal(unknown->side, ARMTAP_BLAME_UNCLEAR);
    assert_int_equal((unknown == one ? other : one)->side, ARMTAP_BLAME_ROBOT);
    assert_int_equal(one->evidence_count + other->evidence_count, 2);
}

/* A protective stop, and then, packages later, another kind of stop; or the other way round. Between them the robot may
 * be released. */
static void a_later_stop_is_no_cause(void **state)
{
    static const unsigned packages[] = {1, 2, 38, 112, 125, 126};
    static const struct {
        int mode;
        const char *words;
    } kinds[] = {{5, "SAFEGUARD_STOP at "},
                 {6, "SYSTEM_EMERGENCY_STOP at "},
                 {7, "ROBOT_EMERGENCY_STOP at "},
                 {12, "AUTOMATIC_MODE_SAFEGUARD_STOP at "},
                 {13, "SYSTEM_THREE_POSITION_ENABLING_STOP at "}};
    const size_t ways = 4, times = sizeof packages / sizeof *packages;
    (void)state;
    for (size_t i = 0; i < ways * times * (sizeof kinds / sizeof *kinds); i++) {
        struct analysis_scene scene;
        const unsigned after = packages[i / ways % times];
        const bool is_released = i % ways / 2 == 1, is_first = i % 2 == 0;
        const int mode = kinds[i / ways / times].mode;
        const char *words = kinds[i / ways / times].words, *protective = "PROTECTIVE_STOP at ";
        if (is_released && after == 1)
            continue;
        begin(&scene);
        stop(&scene, is_first ? 3 : mode);
        scene.state->safety_mode = is_released ? 1 : scene.state->safety_mode;
        go_on(&scene, after - 1);
        stop(&scene, is_first ? mode : 3);
        expect_two(&scene, words, is_first ? protective : words, is_first ? words : protective);
        scene_clear(&scene);
    }
}

/* What another connection shows at the same time may be the cause; a nanosecond later or earlier it is not. */
static void a_stop_at_the_same_time_is_a_cause(void **state)
{
    static const char text[] = "ROBOT_EMERGENCY_STOP (safety_mode 7)";
    (void)state;
    for (int64_t after = -1; after <= 1; after++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream beside = line(9, "10.0.0.2:30003", &scene.stream);
        stop(&scene, 3);
        note(&scene, &beside, "safety.stop", after, text);
        if (after != 0)
            expect_two(&scene, text, after < 0 ? "ROBOT_EMERGENCY_STOP at " : "PROTECTIVE_STOP at ",
                       after < 0 ? "PROTECTIVE_STOP at " : "ROBOT_EMERGENCY_STOP at ");
        else {
            const struct armtap_verdict *verdict = only(&scene);
            assert_true(says(verdict, "somebody or something in the cell asked for it"));
            assert_int_equal(verdict->side, ARMTAP_BLAME_ROBOT);
            assert_int_equal(verdict->evidence_count, 2);
        }
        scene_clear(&scene);
    }
}

/* One record of bits may show two kinds of stops. */
static void one_record_shows_a_cause(void **state)
{
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct analysis_scene scene;
        begin(&scene);
        note(&scene, &scene.stream, "safety.stop", 0, "IS_PROTECTIVE_STOPPED (safety_status_bits 1092)");
        note(&scene, &scene.stream, "safety.stop", apart * 8 * MS,
             "IS_ROBOT_EMERGENCY_STOPPED (safety_status_bits 1092)");
        if (apart > 0)
            expect_two(&scene, "bits", "IS_PROTECTIVE_STOPPED at ", "IS_ROBOT_EMERGENCY_STOPPED at ");
        else
            assert_true(says(only(&scene),
                             "IS_ROBOT_EMERGENCY_STOPPED (safety_status_bits 1092) (stream 0, packet 400, "
                             "0.000 s after); somebody or something"));
        scene_clear(&scene);
    }
}

/* Another field or connection may have a more exact name of the same stop, a moment later. */
static void another_field_says_who_asked(void **state)
{
    static const char automatic[] = "AUTOMATIC_MODE_SAFEGUARD_STOP (safety_status 12)",
                      guard[] = "SAFEGUARD_STOP (safety_mode 5)",
                      plc[] = "PROFISAFE_AUTOMATIC_MODE_SAFEGUARD_STOP (safety_mode 18)",
                      program[] = "SAFETY_API_SAFEGUARD_STOP (safety_mode 22)",
                      emergency[] = "PROFISAFE_EMERGENCY_STOP (safety_mode 20)";
    static const struct {
        const char *first, *later;
        int64_t after; /* ns */
        bool is_beside;
        size_t incidents;
        enum armtap_blame side;
    } cases[] = {{automatic, plc, 8 * MS, false, 1, ARMTAP_BLAME_UNCLEAR},
                 {automatic, plc, 16 * MS, false, 1, ARMTAP_BLAME_UNCLEAR},
                 {automatic, plc, 16 * MS + 1, false, 1, ARMTAP_BLAME_ROBOT},
                 {automatic, plc, 300 * MS, false, 1, ARMTAP_BLAME_ROBOT},
                 {automatic, program, 16 * MS, false, 1, ARMTAP_BLAME_UNCLEAR},
                 {automatic, program, 16 * MS + 1, false, 1, ARMTAP_BLAME_ROBOT},
                 {guard, plc, 8 * MS, false, 1, ARMTAP_BLAME_ROBOT},
                 {guard, plc, 16 * MS, true, 1, ARMTAP_BLAME_UNCLEAR},
                 {guard, plc, 16 * MS + 1, true, 1, ARMTAP_BLAME_ROBOT},
                 {guard, emergency, 8 * MS, true, 2, ARMTAP_BLAME_ROBOT}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream beside = line(9, "10.0.0.2:30003", &scene.stream);
        note(&scene, &scene.stream, "safety.stop", 0, cases[i].first);
        note(&scene, cases[i].is_beside ? &beside : &scene.stream, "safety.stop", cases[i].after, cases[i].later);
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        const struct armtap_verdict *verdict = incident_at(&scene, 0);
        assert_int_equal(incident_at(&scene, 1) != NULL, cases[i].incidents == 2);
        if (verdict->side != cases[i].side)
            fail_msg("case %zu: %s", i, verdict->text);
        assert_true(verdict->side == ARMTAP_BLAME_ROBOT || says(verdict, cases[i].later));
        scene_clear(&scene);
    }
}

/* What ends with a stop belongs to the nearest one. */
static void a_program_ends_with_the_nearest_stop(void **state)
{
    (void)state;
    for (int64_t after = 0; after <= 300; after += 100) {
        struct analysis_scene scene;
        begin(&scene);
        const struct armtap_stream beside = line(9, "10.0.0.2:30003", &scene.stream);
        note(&scene, &scene.stream, "safety.stop", 0, "PROTECTIVE_STOP (safety_mode 3)");
        note(&scene, &scene.stream, "safety.stop", 300 * MS, "ROBOT_EMERGENCY_STOP (safety_mode 7)");
        note(&scene, &beside, "mode.changed", after * MS, "runtime_state PLAYING -> PAUSED");
        assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
        assert_int_equal(incident_at(&scene, 0)->evidence_count, after < 150 ? 2 : 1);
        assert_int_equal(incident_at(&scene, 1)->evidence_count, after < 150 ? 1 : 2);
        scene_clear(&scene);
    }
}

/* An emergency stop holds up no data. */
static void a_silence_has_no_stop_as_its_cause(void **state)
{
    (void)state;
    for (int64_t after = 0; after <= 20; after += 20) {
        struct analysis_scene scene;
        begin(&scene);
        note(&scene, &scene.stream, "silence", 0, "no data for 3.000 s: the controller stalled");
        note(&scene, &scene.stream, "safety.stop", after * MS, "ROBOT_EMERGENCY_STOP (safety_mode 7)");
        assert_true(says(only(&scene), "the robot went into ROBOT_EMERGENCY_STOP"));
        scene_clear(&scene);
    }
}

/* ---- where the reason would be ------------------------------------------------------------------------------------
 */

static void it_says_what_to_capture(void **state)
{
    struct analysis_scene scene;
    (void)state;
    begin(&scene);
    stop(&scene, 3);
    scene.state->safety_mode = 1;
    go_on(&scene, 200);
    stop(&scene, 3);
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_true(says(incident_at(&scene, 0), "run tcpdump with 'host 10.0.0.2 and tcp port (30001 or 30002 or 30011 or "
                                             "30012)'."));
    assert_true(says(incident_at(&scene, 1), "nothing in the capture says why; port 30001 was not captured."));
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
    assert_true(says(only(&scene), "'host fd00::7 and tcp port (30001"));
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
        struct armtap_stream messages = line(9, ports[i].robot, &scene.stream);
        const struct armtap_stream *own = scene.record.stream;
        stop(&scene, 3);
        scene.record.stream = &messages;
        go_on(&scene, 2);
        scene.record.stream = own;
        assert_true(says(only(&scene), ports[i].has_errors ? "although it has messages of the robot" : "tcpdump"));
        scene_clear(&scene);
    }
}

/* The verdict about the stream takes no other side than those about its stops. */
static void a_stream_agrees_with_its_stops(void **state)
{
    static const struct {
        int mode;
        enum armtap_blame side;
    } stops[] = {{3, ARMTAP_BLAME_UNCLEAR}, {7, ARMTAP_BLAME_ROBOT}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct analysis_scene scene;
        begin(&scene);
        stop(&scene, stops[i].mode);
        assert_int_equal(only(&scene)->side, stops[i].side);
        assert_null(armtap_diagnosis_verdict_at(scene.diagnosis, 0)->stop);
        assert_int_equal(armtap_diagnosis_verdict_at(scene.diagnosis, 0)->side, stops[i].side);
        scene_clear(&scene);
    }
}

/* As many as there is room for; the rest are only in the stream's verdict. */
static void incidents_are_bounded(void **state)
{
    struct analysis_scene scene;
    (void)state;
    begin(&scene);
    for (int i = 0; i < 250; i++) {
        stop(&scene, 3);
        stop(&scene, 1);
        go_on(&scene, 130);
    }
    assert_int_equal(armtap_diagnosis_finish(scene.diagnosis), ARMTAP_OK);
    assert_non_null(incident_at(&scene, 199));
    assert_null(incident_at(&scene, 200));
    scene_clear(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mode_may_be_the_cause),
        cmocka_unit_test(a_finding_may_be_the_cause),
        cmocka_unit_test(another_robot_is_no_cause),
        cmocka_unit_test(a_jump_explains_a_path_check),
        cmocka_unit_test(late_data_has_a_side),
        cmocka_unit_test(held_up_data_is_unclear),
        cmocka_unit_test(a_plain_silence_has_none),
        cmocka_unit_test(a_program_ends_for_a_reason),
        cmocka_unit_test(a_fault_has_a_reason),
        cmocka_unit_test(a_stop_after_a_fault_decides),
        cmocka_unit_test(a_dashboard_client_ends_a_program),
        cmocka_unit_test(ordinary_messages_are_no_cause),
        cmocka_unit_test(what_a_client_sent_has_a_side),
        cmocka_unit_test(a_program_that_stopped_has_a_reason),
        cmocka_unit_test(the_nearest_is_the_cause),
        cmocka_unit_test(stops_join_within_a_second),
        cmocka_unit_test(a_later_stop_is_no_cause),
        cmocka_unit_test(a_stop_at_the_same_time_is_a_cause),
        cmocka_unit_test(one_record_shows_a_cause),
        cmocka_unit_test(another_field_says_who_asked),
        cmocka_unit_test(a_program_ends_with_the_nearest_stop),
        cmocka_unit_test(a_silence_has_no_stop_as_its_cause),
        cmocka_unit_test(it_says_what_to_capture),
        cmocka_unit_test(brackets_are_no_part_of_a_host),
        cmocka_unit_test(captured_messages_need_no_filter),
        cmocka_unit_test(a_stream_agrees_with_its_stops),
        cmocka_unit_test(incidents_are_bounded),
        cmocka_unit_test(missing_commands_have_a_side),
        cmocka_unit_test(a_gap_may_end_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
