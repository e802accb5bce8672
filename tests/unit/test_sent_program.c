/* Programs that clients send: which are named, and which of their lines is quoted where one fails. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

/* What robot and clients say, a packet each, by its first character:
 *     >text   to the robot; "|" is a line feed     +text   the same, 50 ms later rather than 1 s
 *     (name   a program starts                     )name   one ends
 *     !text   an exception "line column text"      <, ~    bytes from the robot, or to it, are missing */
struct told {
    struct armtap_conn *conn;
    struct armtap_where where;
    char notes[2000], last[500];
};

static int keep_note(void *user, const struct armtap_note *note)
{
    struct told *told = user;
    size_t used = strlen(told->notes);
    snprintf(told->notes + used, sizeof told->notes - used, "%s: %s\n", note->kind->id, note->text);
    snprintf(told->last, sizeof told->last, "%s", note->text);
    return 0;
}

static void push(struct told *told, enum armtap_direction direction, const void *bytes, size_t length)
{
    assert_int_equal(armtap_conn_push(told->conn, direction, bytes, length, &told->where), ARMTAP_OK);
}

static void push_message(struct told *told, unsigned type, const struct bytes *body)
{
    struct bytes message = {0};
    bytes_number(&message, body->length + 15, 4);
    bytes_hex(&message, "14 00000002dfdc18b0 fd");
    bytes_number(&message, type, 1);
    bytes_add(&message, body->at, body->length);
    push(told, ARMTAP_FROM_ROBOT, message.at, message.length);
    bytes_free(&message);
}

static void say_key(struct told *told, const char *title, const char *name)
{
    struct bytes body = {0};
    bytes_number(&body, 0, 8);
    bytes_number(&body, strlen(title), 1);
    bytes_text(&body, title);
    bytes_text(&body, name);
    push_message(told, 7, &body);
    bytes_free(&body);
}

static void say_exception(struct told *told, const char *words)
{
    char *rest;
    struct bytes body = {0};
    bytes_number(&body, strtoul(words, &rest, 10), 4);
    bytes_number(&body, strtoul(rest, &rest, 10), 4);
    bytes_text(&body, rest + 1);
    push_message(told, 10, &body);
    bytes_free(&body);
}

static void send_lines(struct told *told, const char *words)
{
    char *lines = malloc(strlen(words) + 1);
    assert_non_null(lines);
    strcpy(lines, words);
    for (char *bar = lines; (bar = strchr(bar, '|')); bar++)
        *bar = '\n';
    push(told, ARMTAP_TO_ROBOT, lines, strlen(lines));
    free(lines);
}

/* The controller's version: with it, the messages after a gap are found again. */
static void say_version(struct told *told)
{
    struct bytes bytes = {0};
    bytes_hex(&bytes, "00000037 14 ffffffffffffffff fe 03 09 5552436f6e74726f6c 05 04 00000000 00000000"
                      "30332d30352d323031392c2030363a33393a3030");
    push(told, ARMTAP_FROM_ROBOT, bytes.at, bytes.length);
    bytes_free(&bytes);
}

static void lose(struct told *told, enum armtap_direction direction)
{
    assert_int_equal(armtap_conn_gap(told->conn, direction, 9, &told->where), ARMTAP_OK);
    if (direction == ARMTAP_FROM_ROBOT)
        say_version(told);
}

static void take(struct told *told, const char *step)
{
    told->where.packet++;
    told->where.time += *step == '+' ? SECOND / 20 : SECOND;
    if (*step == '>' || *step == '+')
        send_lines(told, step + 1);
    else if (*step == '!')
        say_exception(told, step + 1);
    else if (*step == '(' || *step == ')')
        say_key(told, *step == '(' ? "PROGRAM_XXX_STARTED" : "PROGRAM_XXX_STOPPED", step + 1);
    else
        lose(told, *step == '<' ? ARMTAP_FROM_ROBOT : ARMTAP_TO_ROBOT);
}

/* Packet 1 is the controller's version; the steps follow. */
static void play(struct told *told, const char *const *steps, size_t most)
{
    const struct armtap_sink sink = {.size = sizeof sink, .on_note = keep_note};
    const struct armtap_conn_options options = {.size = sizeof options, .protocol = ARMTAP_PRIMARY};
    *told = (struct told){.where = {.size = sizeof(struct armtap_where), .packet = 1, .time = 1000 * SECOND}};
    assert_int_equal(armtap_conn_new(&options, &sink, told, &told->conn), ARMTAP_OK);
    say_version(told);
    for (size_t i = 0; i < most && steps[i]; i++)
        take(told, steps[i]);
    armtap_conn_free(told->conn);
}

#define STEPS 8
#define TASK "def task():|  a(1)|\tb(2)  |end|"
#define NOT_FOUND "compile_error_name_not_found:"

static const struct {
    const char *steps[STEPS], *quote; /* NULL: none */
} cases[] = {
    /* What the controller translates, or said that it runs. */
    {{">" TASK, "!3 2 " NOT_FOUND "b:"}, ":\"; of the program task, which a client sent in packet 2: \"b(2)  \""},
    {{">" TASK, "!2 3 syntax_error_on_line:2:a:"}, "packet 2: \"a(1)\""},
    {{">" TASK, "(task", "!2 3 Type error"},
     "Type error\"; of the program task, which a client sent in packet 2: \"a(1)\""},
    {{">" TASK, ")main", "(task", ")task", "!2 3 Type error"}, "packet 2: \"a(1)\""},
    {{">def task():|  a(1)|", "+  b(2)|", "+end|", "(task", "!3 3 Type error"}, "packet 4: \"b(2)\""},
    {{">" TASK, ">|# done|", "(task", "!1 1 Type error"}, "packet 2: \"def task():\""},
    {{">" TASK, "(task", "!4 4 Type error"}, "packet 2: \"end\""},
    {{">def old():|c()|end|", "(old", ">" TASK, "(task", "!2 3 Type error"}, "packet 4: \"a(1)\""},
    {{"<", ">" TASK, "(task", "!2 3 Type error"}, "packet 3: \"a(1)\""},
    {{"~", ">|def old():|end|", ">" TASK, "(task", "!2 3 Type error"}, "packet 4: \"a(1)\""},
    /* It may be another program. */
    {{">" TASK, "!2 3 Type error"}, NULL},
    {{">" TASK, "(main", "!2 3 Type error"}, NULL},
    {{">" TASK, "(main", "(task", "!2 3 Type error"}, NULL},
    {{">" TASK, "(task", "(main", "!2 3 Type error"}, NULL},
    {{">" TASK, "!3 2 " NOT_FOUND "c:"}, NULL},
    {{">" TASK, "(task", ">stopj(2)|", "!2 3 Type error"}, NULL},
    {{">" TASK, "(task", ">sec s():|  c()|end|", "!2 3 Type error"}, NULL},
    {{"(task", ">" TASK, "!2 3 Type error"}, NULL},
    /* Its lines may be counted otherwise, or are not there. */
    {{">stopj(2)|" TASK, "(task", "!2 3 Type error"}, NULL},
    {{"># mine|", "+" TASK, "(task", "!2 3 Type error"}, NULL},
    {{">def f():|end|" TASK, "(task", "!2 3 Type error"}, NULL},
    {{">def task():|def f():|end|end|", "(task", "!2 3 Type error"}, NULL},
    {{">def task():|  a(1)|", "~", ">end|", "(task", "!2 3 Type error"}, NULL},
    {{">def task():|  a(1)|", "(task", "!2 3 Type error"}, NULL},
    {{">" TASK, "(task", "<", "!2 3 Type error"}, NULL},
    {{">" TASK, "(task", "!0 1 Type error"}, NULL},
    {{">" TASK, "(task", "!5 1 Type error"}, NULL},
    {{">" TASK, "(task", "!-1 1 Type error"}, NULL},
    {{">" TASK, "(task", "!2 8 Type error"}, NULL},
    {{">" TASK, "(task", "!2 0 Type error"}, NULL},
};

static void a_line_is_quoted_if_it_is_certain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct told told;
        play(&told, cases[i].steps, STEPS);
        if (strncmp(told.last, "line ", 5) != 0 ||
            (cases[i].quote != NULL) != (strstr(told.last, "which a client sent") != NULL) ||
            (cases[i].quote && !strstr(told.last, cases[i].quote)))
            fail_msg("case %zu: %s", i, told.notes);
    }
}

static void programs_are_named(void **state)
{
    static const struct {
        const char *steps[STEPS], *notes;
    } sent[] = {
        {{">" TASK}, "ur.program: a client sent the program task, 4 lines\n"},
        {{">" TASK, ">" TASK},
         "ur.program: a client sent the program task, 4 lines\n"
         "ur.program: a client sent again the program task, 4 lines\n"},
        {{">" TASK, "(task", "(task"},
         "ur.program: a client sent the program task, 4 lines\n"
         "ur.program: program started: task, which a client sent in packet 2\n"
         "ur.program: program started: task\n"},
        {{">" TASK, "(main", "(task"},
         "ur.program: a client sent the program task, 4 lines\n"
         "ur.program: program started: main\nur.program: program started: task\n"},
        {{">def task():|"}, ""},
        {{">stopj(2)|"}, "ur.program: a client sent the one-line program \"stopj(2)\"\n"},
        {{">sec s():|end|", ">def |", ">set speed|"}, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        struct told told;
        play(&told, sent[i].steps, STEPS);
        assert_string_equal(told.notes, sent[i].notes);
    }
}

/* A program that is too long is named, and never quoted. */
static void long_programs_are_not_kept(void **state)
{
    static const size_t lengths[] = {1000, 5000, 32000, 33000, 60000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct told told;
        char *program = malloc(lengths[i] + 40);
        assert_non_null(program);
        memcpy(program, ">def task():|#", 14);
        memset(program + 14, 'x', lengths[i]);
        strcpy(program + 14 + lengths[i], "|  a(1)|end|");
        const char *const steps[] = {program, "(task", "!3 3 Type error"};
        play(&told, steps, 3);
        assert_non_null(strstr(told.notes, "a client sent the program task, 4 lines"));
        assert_int_equal(strstr(told.last, "packet 2: \"a(1)\"") != NULL, lengths[i] < 32768);
        free(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_quoted_if_it_is_certain),
        cmocka_unit_test(programs_are_named),
        cmocka_unit_test(long_programs_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
