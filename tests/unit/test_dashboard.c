/* The dashboard server's lines: which reply answers which request, refusals, states; cut anywhere, lost in part. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heard {
    char text[4000]; /* what was told, in order */
    char said[500];  /* the last note as a sentence */
};

static void add(struct heard *heard, const char *mark, const char *text, size_t length)
{
    size_t used = strlen(heard->text);
    snprintf(heard->text + used, sizeof heard->text - used, "%s%.*s", mark, (int)length, text);
}

static int on_text(void *user, const struct armtap_text *text)
{
    assert_int_equal(text->kind, ARMTAP_TEXT_REPLY);
    assert_int_equal(text->direction, ARMTAP_FROM_ROBOT);
    add(user, "[", text->title ? text->title : "?", text->title ? text->title_length : 1);
    add(user, "=", text->text, text->text_length);
    add(user, "]", "", 0);
    return 0;
}

static int on_record(void *user, const struct armtap_record *record)
{
    char line[100];
    struct armtap_value value;
    assert_true(armtap_record_value(record, 0, &value));
    if (record->direction == ARMTAP_TO_ROBOT)
        return 0;
    snprintf(line, sizeof line, "(%s %lld)", value.name,
             armtap_value_is_signed(&value) ? (long long)value.i64[0] : (long long)value.u64[0]);
    add(user, line, "", 0);
    return 0;
}

static int on_note(void *user, const struct armtap_note *note)
{
    struct heard *heard = user;
    struct log log = {0};
    log_note_arguments(&log, &note->arguments);
    add(heard, "{", note->kind->id, strlen(note->kind->id));
    add(heard, ":", log.text, log.length);
    add(heard, "}", "", 0);
    snprintf(heard->said, sizeof heard->said, "%s", note->text);
    log_free(&log);
    return 0;
}

/* Lines to the robot begin with '>', gaps of 3 bytes are '>!' or '!'; pushed in pieces of `chunk` bytes. */
static void play(struct heard *heard, const char *const *lines, size_t chunk, bool midstream)
{
    const struct armtap_sink sink = {
        .size = sizeof sink, .on_text = on_text, .on_record = on_record, .on_note = on_note};
    const struct armtap_conn_options options = {
        .size = sizeof options, .protocol = ARMTAP_DASHBOARD, .midstream = midstream};
    struct armtap_conn *conn;
    heard->text[0] = '\0';
    assert_int_equal(armtap_conn_new(&options, &sink, heard, &conn), ARMTAP_OK);
    for (; *lines; lines++) {
        enum armtap_direction direction = **lines == '>' ? ARMTAP_TO_ROBOT : ARMTAP_FROM_ROBOT;
        const char *line = *lines + (**lines == '>');
        size_t length = strlen(line);
        if (*line == '!') {
            assert_int_equal(armtap_conn_gap(conn, direction, 3, NULL), ARMTAP_OK);
            continue;
        }
        for (size_t at = 0; at < length; at += chunk) {
            size_t size = length - at < chunk ? length - at : chunk;
            assert_int_equal(armtap_conn_push(conn, direction, line + at, size, NULL), ARMTAP_OK);
        }
    }
    assert_int_equal(armtap_conn_close(conn, ARMTAP_TO_ROBOT, NULL), ARMTAP_OK);
    assert_int_equal(armtap_conn_close(conn, ARMTAP_FROM_ROBOT, NULL), ARMTAP_OK);
    armtap_conn_free(conn);
}

static void expect(const char *const *lines, bool midstream, const char *wanted)
{
    static const size_t chunks[] = {1, 2, 3, 7, 100000};
    struct heard heard;
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        play(&heard, lines, chunks[i], midstream);
        assert_string_equal(heard.text, wanted);
    }
}

#define GREETING "Connected: Universal Robots Dashboard Server\n"
#define GREETED "[?=Connected: Universal Robots Dashboard Server]"

/* Several requests in flight, in one piece; states get their numbers: 7 is RUNNING, 3 PROTECTIVE_STOP, 2 PLAYING. */
static void test_replies(void **unused)
{
    static const char *const lines[] = {GREETING,
                                        ">robotmode\nsafetystatus\nprogramState\n",
                                        "Robotmode: RUNNING\nSafetystatus: PROTECTIVE_STOP\nPLAYING a b.urp\n",
                                        ">Running \r\n",
                                        "Program running: true\r\n",
                                        ">robotmode\n",
                                        "Robotmode: NEW_ONE\n",
                                        NULL};
    (void)unused;
    expect(lines, false,
           GREETED "[robotmode=Robotmode: RUNNING](robot_mode 7)[safetystatus=Safetystatus: PROTECTIVE_STOP]"
                   "(safety_status 3)[programState=PLAYING a b.urp](runtime_state 2)"
                   "[Running=Program running: true][robotmode=Robotmode: NEW_ONE]");
}

static void test_refusals(void **unused)
{
    static const char *const lines[] = {
        GREETING,
        ">play\nbrake release\n",
        "Failed to execute: play\nCommand is not allowed due to safety reasons, please switch robot to Remote Control "
        "mode and reconnect to port 29999\n",
        ">stop\nhello\n",
        "Stopped\nNever heard of it\n",
        NULL};
    (void)unused;
    expect(lines, false,
           GREETED
           "[play=Failed to execute: play]{dashboard.refused: quoted='play' quoted_reply='Failed to execute: play' "
           "advice=look at the robot's state just before: its mode, its safety status, and whether a program is "
           "loaded}[brake release=Command is not allowed due to safety reasons, please switch robot to Remote Control "
           "mode and reconnect to port 29999]{dashboard.refused: quoted='brake release' quoted_reply='Command is not "
           "allowed due to safety reasons, please switch robot to Remote Control mode and reconnect to port 29999' "
           "advice=switch PolyScope to remote control, then connect again: a connection made before the switch stays "
           "refused}[stop=Stopped]{dashboard.command: quoted='stop' quoted_reply='Stopped'}[hello=Never heard of it]");
}

/* After an empty line only the words tell which request was answered: a reply that is not known answers none. */
static void check_line(void *user, char *const cells[TABLE_CELLS], size_t count)
{
    const char *request = cells[0], *reply = cells[1], *is = cells[2];
    bool is_refused = strcmp(is, "refused") == 0, stops = strcmp(is, "stops") == 0;
    char asked[300], said[300], wanted[300], value[100];
    const char *const lines[] = {GREETING, ">\nnobody knows this\n", asked, said, NULL};
    struct heard heard;
    (void)user;
    assert_int_equal(count, 3);
    snprintf(asked, sizeof asked, ">%s\n", request);
    snprintf(said, sizeof said, "%s\n", reply);
    snprintf(wanted, sizeof wanted, "[%s=%s]", is_refused ? "?" : request, reply);
    snprintf(value, sizeof value, "(%s ", is);
    play(&heard, lines, 100000, false);
    bool names_value = strstr(heard.text, value) != NULL, is_done = strcmp(is, "done") == 0;
    if (!strstr(heard.text, wanted) || (strstr(heard.text, "{dashboard.refused: ") != NULL) != is_refused ||
        (strstr(heard.text, "{dashboard.command: ") != NULL) != stops ||
        names_value == (is_refused || stops || is_done))
        fail_msg("%s: %s is not '%s' but %s", request, reply, is, heard.text);
}

static void test_lines_are_those_of_the_facts(void **unused)
{
    (void)unused;
    assert_true(table_each("dashboard_lines.csv", check_line, NULL) > 50);
}

/* After a loss only the words tell which request was answered. */
static void test_lost_lines(void **unused)
{
    static const char *const lines[] = {GREETING,    ">play\nrobotmode\n",  "!", "ing program\nRobotmode: IDLE\n",
                                        "Stopped\n", "File not found: a\n", NULL};
    struct heard heard;
    (void)unused;
    play(&heard, lines, 100000, false);
    assert_non_null(strstr(heard.text, "[robotmode=Robotmode: IDLE](robot_mode 5)[?=Stopped]"));
    assert_null(strstr(heard.text, "program]"));
    assert_null(strstr(heard.text, "[play"));
    assert_non_null(strstr(heard.text, "{dashboard.refused: quoted_reply='File not found: a' advice="));
}

static void test_from_the_middle(void **unused)
{
    static const char *const lines[] = {"mode: RUNNING\n", "Starting program\n",       ">op\n", ">running\n",
                                        "Stopped\n",       "Program running: false\n", NULL};
    struct heard heard;
    (void)unused;
    play(&heard, lines, 100000, true);
    assert_null(strstr(heard.text, "mode: RUNNING"));
    assert_non_null(strstr(heard.text, "[?=Stopped][running=Program running: false]"));
}

/* A line without end is skipped, with a note; the next one is read. */
static void test_long_lines(void **unused)
{
    static char line[100001];
    const char *const lines[] = {GREETING, ">stop\nrobotmode\n", line, "\nRobotmode: IDLE\n", NULL};
    struct heard heard;
    (void)unused;
    memset(line, 'x', sizeof line - 1);
    for (size_t chunk = 1; chunk < sizeof line; chunk = chunk * 10 + 7) {
        play(&heard, lines, chunk, false);
        assert_non_null(strstr(heard.text, "{stream.resync: "));
        assert_non_null(strstr(heard.text, "[robotmode=Robotmode: IDLE](robot_mode 5)"));
        assert_null(strstr(heard.text, "xxx]"));
        assert_null(strstr(heard.text, "[stop"));
    }
}

/* More requests than are remembered: nothing is answered by guess. */
static void test_many_requests(void **unused)
{
    const char *const lines[] = {GREETING,
                                 ">play\n\n",
                                 ">stop\nstop\nstop\nstop\nstop\nstop\nstop\nstop\nstop\nstop\n",
                                 ">stop\nstop\nstop\nstop\nstop\nstop\nstop\nstop\nrobotmode\n",
                                 "what\n",
                                 "Robotmode: IDLE\n",
                                 NULL};
    (void)unused;
    expect(lines, false, GREETED "[?=what][robotmode=Robotmode: IDLE](robot_mode 5)");
}

/* Bytes that are no text are shown as such. */
static void test_bytes_that_are_no_text(void **unused)
{
    const char *const lines[] = {GREETING, ">load \x1b[2J\xff.urp\n", "File not found: \x1b[2J\xff.urp\n", NULL};
    struct heard heard;
    (void)unused;
    play(&heard, lines, 100000, false);
    assert_non_null(strstr(heard.said, "'load \\x1b[2J\\xff.urp' was refused: 'File not found: \\x1b[2J\\xff.urp'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_lines_are_those_of_the_facts),
        cmocka_unit_test(test_lost_lines),
        cmocka_unit_test(test_from_the_middle),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_many_requests),
        cmocka_unit_test(test_bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
